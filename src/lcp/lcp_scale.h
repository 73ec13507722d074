// Units for complementarity problems: rows and columns of M multiplied by powers of two, which
// changes neither the signs of z and w nor a single digit.                          eq (lcp.11)
#ifndef DLS_LCP_LCP_SCALE_H
#define DLS_LCP_LCP_SCALE_H

#include <delassus/lcp.h>

typedef enum dls_lcp_units {
  DLS_LCP_UNITS_LARGEST,  // largest entries of rows and columns around 1
  DLS_LCP_UNITS_MEAN,     // geometric means first: hardly depends on the units given
} dls_lcp_units;

// M^ = R M C, q^ = s R q; z = C z^ / s, w = w^ / (s R).
void dls_lcp_scale(const dls_mlcp *mlcp, dls_lcp_units units, double *R, double *C, double *s);

// M^ and q^. False when a digit was lost or a number left the range of doubles.
bool dls_lcp_apply_scale(const dls_mlcp *mlcp, const double *R, const double *C, double s,
                         double *M, double *q);

// 2^-e with x between 2^(e-1) and 2^e; 1 when x is zero or not finite.
double dls_lcp_inverse_power(double x);

#endif
