#include "verify/tableau.h"

#include "verify/echelon.h"
#include "verify/guard.h"

#include <math.h>

enum { IDLE = 40 };

bool dls_tableau_create(dls_trial *x, ptrdiff_t rows, ptrdiff_t cols, dls_simplex *s)
{
  *s = (dls_simplex){.rows = rows, .cols = cols, .width = cols + rows + 1, .least = least_gain};
  s->T = dls_trial_alloc(x, rows * s->width, sizeof *s->T);
  s->cost = dls_trial_alloc(x, cols + 1, sizeof *s->cost);
  s->basis = dls_trial_alloc(x, rows + 1, sizeof *s->basis);
  s->price = dls_trial_alloc(x, 2 * rows + 1, sizeof *s->price);
  s->sign = s->price ? s->price + rows : NULL;
  return s->T && s->cost && s->basis && s->price;
}

static void pivot(dls_simplex *s, ptrdiff_t row, ptrdiff_t col)
{
  dls_pivot_rows(s->T, s->rows, s->width, row, col);
  s->basis[row] = col;
}

static long double cost_of(const dls_simplex *s, ptrdiff_t col, bool first)
{
  if (col >= s->cols) return first ? 1 : 0;
  return first ? 0 : s->cost[col];
}

// What a unit of the column would change.
static long double gain_of(const dls_simplex *s, ptrdiff_t col, bool first)
{
  long double gain = cost_of(s, col, first);
  for (ptrdiff_t i = 0; i < s->rows; i++)
    gain -= cost_of(s, s->basis[i], first) * s->T[s->width * i + col];
  return gain;
}

// The column that would gain most; by Bland's rule the first that would gain at all.
static ptrdiff_t find_entering(const dls_simplex *s, bool first)
{
  ptrdiff_t enter = s->cols;
  long double most = s->least;
  for (ptrdiff_t j = 0; j < s->cols; j++) {
    const long double gain = -gain_of(s, j, first);
    if (!(gain > most)) continue;
    enter = j, most = gain;
    if (s->idle > IDLE) break;
  }
  return enter;
}

// The row whose basic variable vanishes first; of several the one with the largest entry, by
// Bland's rule that of the first variable. In the second phase artificial columns that are left
// stay at 0: they leave as soon as another column has an entry in their row.
static ptrdiff_t find_leaving(const dls_simplex *s, ptrdiff_t enter, bool first, long double *ratio)
{
  ptrdiff_t leave = s->rows;
  *ratio = INFINITY;
  for (ptrdiff_t i = 0; i < s->rows; i++) {
    const long double entry = s->T[s->width * i + enter];
    if (!first && s->basis[i] >= s->cols && fabsl(entry) > s->least) return *ratio = 0, i;
    if (!(entry > s->least)) continue;
    const long double r = fmaxl(0, s->T[s->width * i + s->width - 1]) / entry;
    const bool better = s->idle > IDLE ? leave < s->rows && s->basis[i] < s->basis[leave]
                                       : leave < s->rows && entry > s->T[s->width * leave + enter];
    if (r < *ratio || (r == *ratio && better)) *ratio = r, leave = i;
  }
  return leave;
}

static bool improve(dls_simplex *s, bool first, bool *unbounded)
{
  long double ratio = 0;
  dls_guard_look();
  const ptrdiff_t enter = find_entering(s, first);
  if (enter == s->cols) return false;
  const ptrdiff_t leave = find_leaving(s, enter, first, &ratio);
  if (leave == s->rows) {
    *unbounded = true;
    return false;
  }
  s->idle = ratio > 0 ? 0 : s->idle + 1;
  pivot(s, leave, enter);
  return true;
}

static void find_prices(dls_simplex *s, bool first)
{
  for (ptrdiff_t k = 0; k < s->rows; k++) {
    s->price[k] = 0;
    for (ptrdiff_t i = 0; i < s->rows; i++)
      s->price[k] += cost_of(s, s->basis[i], first) * s->T[s->width * i + s->cols + k];
    s->price[k] *= s->sign[k];
  }
}

dls_outcome dls_tableau_run(dls_simplex *s)
{
  bool unbounded = false;
  ptrdiff_t steps = 0;
  const ptrdiff_t most = 200 * (s->rows + s->cols + 1), circle = 2 * IDLE + 4 * (s->rows + s->cols);
  s->idle = 0;
  for (ptrdiff_t i = 0; i < s->rows; i++) s->basis[i] = s->cols + i;
  while (steps++ < most && s->idle < circle && improve(s, true, &unbounded)) {
  }
  long double left = 0, size = 0;
  for (ptrdiff_t i = 0; i < s->rows; i++) {
    const long double value = s->T[s->width * i + s->width - 1];
    if (s->basis[i] >= s->cols) left += value;
    size = fmaxl(size, fabsl(value));
  }
  find_prices(s, true);
  const bool through = steps < most && s->idle < circle;
  const long double zero = s->disturbed ? left_when_disturbed * disturbance : left_over;
  if (!through) return DLS_FAILED;
  if (left > zero * fmaxl(size, least_size)) return DLS_INFEASIBLE;
  while (steps++ < most && s->idle < circle && improve(s, false, &unbounded)) {
  }
  find_prices(s, false);
  return unbounded ? DLS_UNBOUNDED : steps < most && s->idle < circle ? DLS_OPTIMAL : DLS_FAILED;
}

// Right-hand sides that are 0 let the search go in circles: none is, then.
void dls_tableau_disturb(dls_simplex *s)
{
  long double size = 0;
  for (ptrdiff_t i = 0; i < s->rows; i++) size = fmaxl(size, s->T[s->width * i + s->width - 1]);
  for (ptrdiff_t i = 0; i < s->rows; i++)
    s->T[s->width * i + s->width - 1] +=
        disturbance * fmaxl(size, 1) * (1 + fmodl(0.6180339887498949L * (long double)(i + 1), 1));
  s->disturbed = true;
}
