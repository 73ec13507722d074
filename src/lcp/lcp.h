// What solvers of complementarity problems share: checks and rows of the data.
#ifndef DLS_LCP_LCP_H
#define DLS_LCP_LCP_H

#include <delassus/lcp.h>

// DLS_ERR_ARGUMENT, DLS_ERR_NUMBER (NaN or infinity) or DLS_ERR_LIMIT (n above 10000).
dls_status dls_mlcp_validate(const dls_mlcp *mlcp);

// w = M z + q, and terms_i = |q_i| + sum |M_ij z_j|; sums in long double.
void dls_mlcp_rows(const dls_mlcp *mlcp, const double *z, double *w, double *terms);

// The residual, with memory for n rows and n terms given; they are filled as above.  eq (lcp.2)
dls_lcp_error dls_mlcp_measure(const dls_mlcp *mlcp, const double *z, double *w, double *terms);

// |min(z, w)|_2 / |q|_2 as given, and in the units R, C; w_i in equations. NaN stays NaN.
//                                                                                   eq (lcp.10)
typedef struct dls_natural_error {
  double plain, in_units;
} dls_natural_error;
dls_natural_error dls_mlcp_natural(const dls_mlcp *mlcp, const double *R, const double *C,
                                   const double *z, const double *w);

#endif
