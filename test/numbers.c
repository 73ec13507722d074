#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

double uniform(void)
{
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

int below(int n)
{
  return (int)((uniform() + 1) / 2 * n) % n;
}

double *vector(int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

void close_to(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}
