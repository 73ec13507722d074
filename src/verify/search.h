// Looking for candidates, in long double. Nothing here proves anything: what is found is checked.
#ifndef DLS_VERIFY_SEARCH_H
#define DLS_VERIFY_SEARCH_H

#include "verify/trial.h"

// Columns of A (rows x count, column-major, scaled) that are independent and span, to the
// tolerance, all of them; their number, or -1 when memory runs out.
int dls_independent_columns(dls_trial *x, int rows, const double *A, int count, int *chosen);
// The same up to `zero`.
int dls_independent_up_to(dls_trial *x, double zero, int rows, const double *A, int count,
                          int *chosen);

// `rank` columns of A (rows x cols, column-major, scaled), chosen by pivoting, and the others as
// combinations of them: cols - rank vectors of cols numbers with A v = 0, as far as that goes.
// False when there are no such columns, or memory runs out.
bool dls_search_kernel(dls_trial *x, int rows, int cols, const double *A, int rank, int *chosen,
                       double *kernel);

// kappa >= 0 and w with L^T kappa = K^T w, kappa_j >= 1 wherever it can be positive. K: rows x
// cols, L: count x cols, both by rows. False when memory runs out.
bool dls_search_combination(dls_trial *x, int rows, int cols, const double *K, int count,
                            const double *L, double *kappa, double *w);

#endif
