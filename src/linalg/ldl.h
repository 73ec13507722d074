// Sparse L D L^T without pivoting, for matrices that are definite or quasidefinite.
#ifndef DLS_LINALG_LDL_H
#define DLS_LINALG_LDL_H

#include <delassus/status.h>
#include <stdbool.h>

typedef struct dls_ldl dls_ldl;

// The matrix is given by distinct entries on and above the diagonal, in any order; the full
// diagonal is among them. Orders and analyses.
dls_status dls_ldl_create(int size, int count, const int *row, const int *col, dls_ldl **out);
void dls_ldl_free(dls_ldl *f);  // NULL is fine

// value: count. sign: size, the sign +-1 that each pivot must have; NULL: all positive. False when
// a pivot has not, or is not finite. Allocates nothing.
bool dls_ldl_factor(dls_ldl *f, const double *value, const signed char *sign);
void dls_ldl_solve(dls_ldl *f, double *b);  // in place; allocates nothing

#endif
