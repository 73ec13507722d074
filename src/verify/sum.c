#include "verify/sum.h"

#include <float.h>
#include <math.h>

void dls_sum_init(dls_sum *sum)
{
  mpfi_init2(sum->value, DLS_BITS);
  mpfr_init2(sum->factor, DBL_MANT_DIG), mpfr_init2(sum->product, 2 * DBL_MANT_DIG);
  mpfi_set_si(sum->value, 0);
  sum->size = 0;
}

void dls_sum_clear(dls_sum *sum)
{
  mpfi_clear(sum->value);
  mpfr_clear(sum->factor), mpfr_clear(sum->product);
}

void dls_sum_start(dls_sum *sum, double first)
{
  mpfi_set_d(sum->value, first);
  sum->size = fabs(first);
}

void dls_sum_add(dls_sum *sum, double a, double b)
{
  if (a == 0 || b == 0) return;  // neither is NaN: data and witnesses are finite
  mpfr_set_d(sum->factor, a, MPFR_RNDN);
  mpfr_mul_d(sum->product, sum->factor, b, MPFR_RNDN);  // exact
  mpfi_add_fr(sum->value, sum->value, sum->product);
  sum->size += fabs(a * b);
}

void dls_sum_dot(dls_sum *sum, int count, const double *a, ptrdiff_t stride, const double *b)
{
  for (ptrdiff_t i = 0; i < count; i++) dls_sum_add(sum, a[stride * i], b[i]);
}

dls_interval dls_sum_value(const dls_sum *sum)
{
  return dls_interval_of(sum->value);
}
