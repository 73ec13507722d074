// Orders as slopes of errors over steps, and whether they are any.
#include <delassus/convergence.h>

#include "step/tolerances.h"

#include <math.h>
#include <stddef.h>

typedef struct points {
  int count;
  const double *step, *error, *floor;
} points;

static bool counts(const points *p, int i)
{
  return isfinite(p->error[i]) && p->error[i] > 0 && isfinite(p->step[i]) && p->step[i] > 0 &&
         !(p->floor && !(p->error[i] > p->floor[i]));
}

// The point with the next longer step, -1: none.
static int next_longer(const points *p, double step)
{
  int next = -1;
  for (int i = 0; i < p->count; i++)
    if (counts(p, i) && p->step[i] > step && !(next >= 0 && p->step[i] >= p->step[next])) next = i;
  return next;
}

// eq (err.10): whether the errors of the shortest steps stand still after a fall.
static bool stalls(const points *p)
{
  static const double still = 2, span = 8, fall = 10;
  const int first = next_longer(p, 0);
  double low = INFINITY, high = 0, longest = 0;
  int tail = 0, i = first;
  for (; i >= 0; i = next_longer(p, p->step[i]), tail++) {
    const double l = fmin(low, p->error[i]), h = fmax(high, p->error[i]);
    if (h > still * l) break;
    low = l, high = h, longest = p->step[i];
  }
  if (tail < 3 || longest < span * p->step[first]) return false;
  for (; i >= 0; i = next_longer(p, p->step[i]))
    if (p->error[i] > fall * high) return true;
  return false;
}

// eq (err.8)
dls_slope dls_slope_fit(int count, const double *step, const double *error, const double *floor,
                        bool *used)
{
  const points p = {count, step, error, floor};
  dls_slope fit = {.slope = NAN};
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < count; i++) {
      const bool has_part = counts(&p, i);
      if (used) used[i] = has_part;
      if (!has_part) continue;
      const double x = log(step[i]) - x_mean, y = log(error[i]) - y_mean;
      if (pass == 0) xx += x, xy += y, fit.used++;
      else xx += x * x, xy += x * y;
    }
    if (fit.used < 2) return fit;
    if (pass == 0) x_mean = xx / fit.used, y_mean = xy / fit.used, xx = xy = 0;
  }
  fit.stalled = stalls(&p);
  // logarithms that differ by rounding only are one step
  if (xx > same_logarithm && !fit.stalled) fit.slope = xy / xx;
  return fit;
}
