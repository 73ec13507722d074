#include "exact/elimination.h"

#include <math.h>

// Parts that do not overlap, none of them zero: their exponents differ by 53 or more somewhere in
// 2^-1074 ... 2^1024, so there are at most some forty.
enum { PARTS = 64 };

typedef struct expansion {
  int count;
  double part[PARTS];  // increasing size
} expansion;

// One number more, each step an error-free sum (Shewchuk's grow with zeros left out).
static bool grow(expansion *e, double x)
{
  double carry = x;
  int kept = 0;
  for (int k = 0; k < e->count; k++) {
    const double a = carry, b = e->part[k], sum = a + b;
    const double from_b = sum - a, from_a = sum - from_b;
    const double rest = (a - from_a) + (b - from_b);
    if (rest != 0) e->part[kept++] = rest;
    carry = sum;
  }
  if (!isfinite(carry) || kept == PARTS) return false;
  if (carry != 0) e->part[kept++] = carry;
  e->count = kept;
  return true;
}

static bool add_product(expansion *e, double a, double b)
{
  if (a == 0 || b == 0) return isfinite(a) && isfinite(b);
  const double product = a * b;
  if (!(fabs(product) > 1e-250) || !(fabs(product) < 1e290)) return false;
  return grow(e, fma(a, b, -product)) && grow(e, product);
}

dls_sign dls_exact_sign(int count, const double *a, const double *b, double extra)
{
  expansion e = {0};
  if (!isfinite(extra) || !grow(&e, extra)) return DLS_UNSURE;
  for (int k = 0; k < count; k++)
    if (!add_product(&e, a[k], b[k])) return DLS_UNSURE;
  if (e.count == 0) return DLS_ZERO;
  return e.part[e.count - 1] > 0 ? DLS_POSITIVE : DLS_NEGATIVE;
}
