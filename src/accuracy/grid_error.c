// Norms of the error on the grid of a time-stepping scheme.
#include <delassus/trajectory.h>

#include <math.h>
#include <stdbool.h>

// |x - y|_inf; NaN stays.
static double largest_difference(int n, const double *x, const double *y)
{
  double largest = 0;
  for (int k = 0; k < n; k++) {
    const double e = fabs(x[k] - y[k]);
    if (isnan(e)) return e;
    if (e > largest) largest = e;
  }
  return largest;
}

static dls_status check_times(ptrdiff_t count, const double *t)
{
  for (ptrdiff_t i = 0; i < count; i++)
    if (!isfinite(t[i])) return DLS_ERR_NUMBER;
  for (ptrdiff_t i = 1; i < count; i++)
    if (t[i] < t[i - 1]) return DLS_ERR_ARGUMENT;
  return DLS_OK;
}

dls_status dls_grid_error(ptrdiff_t count, int n, const double *t, const double *x,
                          const double *reference, dls_grid_norms *norms)
{
  if (count < 2 || n < 1 || !t || !x || !reference || !norms) return DLS_ERR_ARGUMENT;
  dls_status status = check_times(count, t);
  if (status != DLS_OK) return status;
  double uniform = 0;
  for (ptrdiff_t i = 0; i < count && !isnan(uniform); i++) {
    const double e = largest_difference(n, x + i * n, reference + i * n);
    if (!(e <= uniform)) uniform = e;
  }
  *norms = (dls_grid_norms){uniform, uniform, uniform};
  if (!isfinite(uniform) || uniform == 0) return DLS_OK;

  // eq (err.5), relative to the largest error: its square could leave the range of numbers
  double first = 0, second = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    const double weight = i > 0 ? t[i] - t[i - 1] : t[1] - t[0];
    const double e = largest_difference(n, x + i * n, reference + i * n) / uniform;
    first += weight * e;
    second += weight * e * e;
  }
  norms->l1 = first * uniform;
  norms->l2 = sqrt(second) * uniform;
  return DLS_OK;
}
