#include "reference_ode.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 11 };

// The modified midpoint rule with 2 j substeps of h / (2 j), smoothed.
static void midpoint(reference_rate rate, const void *self, int n, real s, real h, int j,
                     const real *x, const real *dx, real *out)
{
  real before[REFERENCE_N], now[REFERENCE_N], d[REFERENCE_N];
  const int count = 2 * j;
  const real w = h / (real)count;
  for (int i = 0; i < n; i++) before[i] = x[i], now[i] = x[i] + w * dx[i];
  for (int k = 1; k < count; k++) {
    rate(self, s + (real)k * w, now, d);
    for (int i = 0; i < n; i++) {
      const real next = before[i] + 2 * w * d[i];
      before[i] = now[i], now[i] = next;
    }
  }
  rate(self, s + h, now, d);
  for (int i = 0; i < n; i++) out[i] = (before[i] + now[i] + w * d[i]) / 2;
}

// The number of columns it took, or 0.
static int extrapolated(reference_rate rate, const void *self, int n, real s, real h,
                        real tolerance, const real *size, real *x)
{
  real table[COLUMNS][REFERENCE_N], dx[REFERENCE_N];
  rate(self, s, x, dx);
  for (int j = 1; j <= COLUMNS; j++) {
    real fresh[REFERENCE_N], last[REFERENCE_N], error = 0;
    midpoint(rate, self, n, s, h, j, x, dx, fresh);
    for (int i = 0; i < n; i++) {
      for (int k = 1; k < j; k++) {
        const real ratio = (real)j / (real)(j - k);
        const real better = fresh[i] + (fresh[i] - table[k - 1][i]) / (ratio * ratio - 1);
        table[k - 1][i] = fresh[i], fresh[i] = better;
      }
      last[i] = j > 1 ? table[j - 2][i] : fresh[i];
      table[j - 1][i] = fresh[i];
      const real scale = fmaxl(fmaxl(fabsl(x[i]), fabsl(h * dx[i])), size ? size[i] : 1e-300L);
      if (!(fabsl(fresh[i] - last[i]) / scale <= error)) error = fabsl(fresh[i] - last[i]) / scale;
    }
    if (j > 2 && error <= tolerance) {
      memcpy(x, fresh, (size_t)n * sizeof *x);
      return j;
    }
  }
  return 0;
}

bool reference_follow(reference_rate rate, const void *self, int n, real s, real end,
                      real tolerance, const real *size, real *x)
{
  real h = end - s;
  for (int k = 0; k < 20000; k++) {
    const bool last = fabsl(end - s) <= fabsl(h) * (1 + 1e-12L);
    const int columns = extrapolated(rate, self, n, s, last ? end - s : h, tolerance, size, x);
    if (columns && last) return true;
    if (columns) s += h;
    h *= columns == 0 ? 0.5L : columns < 7 ? 1.5L : columns > 9 ? 0.75L : 1;
  }
  return false;
}
