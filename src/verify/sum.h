// A sum of products of doubles, enclosed, and the sum of their magnitudes, as a plain number: it is
// a unit. Doubles are taken as exact.
#ifndef DLS_VERIFY_SUM_H
#define DLS_VERIFY_SUM_H

#include "verify/intervals.h"

typedef struct dls_sum {
  mpfi_t value;
  mpfr_t factor, product;
  double size;
} dls_sum;

void dls_sum_init(dls_sum *sum);
void dls_sum_clear(dls_sum *sum);
void dls_sum_start(dls_sum *sum, double first);
void dls_sum_add(dls_sum *sum, double a, double b);  // + a b
void dls_sum_dot(dls_sum *sum, int count, const double *a, ptrdiff_t stride, const double *b);
dls_interval dls_sum_value(const dls_sum *sum);

#endif
