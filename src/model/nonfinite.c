#include "model/nonfinite.h"
#include "base/message.h"
#include <assert.h>
#include <math.h>

int dls_nonfinite_find(const double *x, int count)
{
  for (int k = 0; k < count; k++)
    if (!isfinite(x[k])) return k;
  return -1;
}

const char *dls_nonfinite_word(double value)
{
  return isnan(value) ? "not a number" : "infinite";
}

int dls_nonfinite_column(const int *p, int cols, int entry)
{
  int j = 0;
  while (j + 1 < cols && p[j + 1] <= entry) j++;
  return j;
}

dls_status dls_nonfinite_state(const char *const *coordinates, int n, double t, const double *q,
                               const double *v, dls_message *message)
{
  if (!isfinite(t)) return dls_fail(message, DLS_ERR_NUMBER, "time is %s", dls_nonfinite_word(t));
  int k = dls_nonfinite_find(q, n);
  if (k >= 0)
    return dls_fail(message, DLS_ERR_NUMBER, "the coordinate %s is %s", coordinates[k],
                    dls_nonfinite_word(q[k]));
  k = dls_nonfinite_find(v, n);
  assert(k >= 0);
  return dls_fail(message, DLS_ERR_NUMBER, "the velocity of %s is %s", coordinates[k],
                  dls_nonfinite_word(v[k]));
}
