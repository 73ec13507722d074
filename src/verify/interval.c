#include "verify/interval.h"

#include "verify/tolerances.h"

#include <math.h>

static const dls_interval whole_line = {-INFINITY, INFINITY};

dls_interval dls_exactly(double x)
{
  return isnan(x) ? whole_line : (dls_interval){x, x};
}

static double down(double x)
{
  return nextafter(x, -INFINITY);
}

static double up(double x)
{
  return nextafter(x, INFINITY);
}

// Sums and products that are exact stay as they are, so that zero stays zero.
static bool sum_is_exact(double a, double b, double s)
{
  const double rest = s - a;
  return isfinite(s) && (a - (s - rest)) + (b - rest) == 0;
}

static bool product_is_exact(double a, double b, double p)
{
  if (a == 0 || b == 0) return true;
  // below, the error of the product is itself subject to underflow
  return isfinite(p) && fabs(p) > no_underflow && fma(a, b, -p) == 0;
}

dls_interval dls_interval_add(dls_interval a, dls_interval b)
{
  const double low = a.low + b.low, high = a.high + b.high;
  if (isnan(low) || isnan(high)) return whole_line;
  return (dls_interval){sum_is_exact(a.low, b.low, low) ? low : down(low),
                        sum_is_exact(a.high, b.high, high) ? high : up(high)};
}

dls_interval dls_interval_sub(dls_interval a, dls_interval b)
{
  return dls_interval_add(a, (dls_interval){-b.high, -b.low});
}

dls_interval dls_interval_mul(dls_interval a, dls_interval b)
{
  const double x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
  dls_interval all = {INFINITY, -INFINITY};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const double p = x[i] * y[j];
      if (isnan(p)) return whole_line;
      const bool exact = product_is_exact(x[i], y[j], p);
      all.low = fmin(all.low, exact ? p : down(p));
      all.high = fmax(all.high, exact ? p : up(p));
    }
  return all;
}

dls_interval dls_interval_abs(dls_interval a)
{
  if (a.low >= 0) return a;
  if (a.high <= 0) return (dls_interval){-a.high, -a.low};
  return (dls_interval){0, fmax(-a.low, a.high)};
}

dls_interval dls_interval_max(dls_interval a, dls_interval b)
{
  return (dls_interval){fmax(a.low, b.low), fmax(a.high, b.high)};
}

dls_interval dls_interval_length(dls_interval a, dls_interval b)
{
  a = dls_interval_abs(a), b = dls_interval_abs(b);
  if (b.high == 0) return a;
  if (a.high == 0) return b;
  // hypot is good to one unit in the last place: two are left on each side
  return (dls_interval){fmax(0, down(down(hypot(a.low, b.low)))), up(up(hypot(a.high, b.high)))};
}

double dls_interval_below(dls_interval a)
{
  return a.low < 0 ? -a.low : 0;
}

double dls_quotient(double error, double size)
{
  if (!isfinite(size)) return NAN;  // nothing is small compared with it
  if (error == 0) return 0;
  return up(error / size);  // size 0: infinite
}

double dls_add_up(double a, double b)
{
  const double s = a + b;
  return sum_is_exact(a, b, s) ? s : up(s);
}

double dls_mul_up(double a, double b)
{
  const double p = a * b;
  return product_is_exact(a, b, p) ? p : up(p);
}
