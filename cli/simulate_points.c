// The points of curves that a sketch keeps: of coordinates and the like, of forces and percussions.
#include "simulate_sketch.h"

#include <math.h>
#include <stdlib.h>

// ---- curves -------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
  const long x = ((const mark *)a)->number, y = ((const mark *)b)->number;
  return (x > y) - (x < y);
}

// The points of a column in their order, each once.
static int list_points(const glimpse *g, double *x, double *y)
{
  mark points[4] = {g->first, g->least, g->most, g->last};
  int count = 0;
  qsort(points, 4, sizeof points[0], by_number);
  for (int i = 0; i < 4; i++) {
    if (i > 0 && points[i].number == points[i - 1].number) continue;
    x[count] = points[i].t;
    y[count++] = points[i].value;
  }
  return count;
}

// Leaves out points that lie on the line between those that stay, as far as can be seen: a door
// that swings at the last point that stayed closes with every point that passes, and when none fits
// through it any more the one before stays. A piece straight up begins and ends where it does.
static int thin(double *x, double *y, int count)
{
  double low = HUGE_VAL, high = -HUGE_VAL, least = -HUGE_VAL, most = HUGE_VAL;
  for (int i = 0; i < count; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
  const double seen = (high - low) * 3e-4;
  int kept = 1;
  for (int i = 1; i < count; i++) {
    const double dx = x[i] - x[kept - 1], dy = y[i] - y[kept - 1];
    const bool up = !(dx > 0) || (i + 1 < count && !(x[i + 1] > x[i])) || !(x[i] > x[i - 1]);
    const bool passes = !up && dy / dx >= least && dy / dx <= most;
    if (!passes && i > 1 && x[i - 1] > x[kept - 1]) {
      x[kept] = x[i - 1], y[kept++] = y[i - 1];
      least = -HUGE_VAL, most = HUGE_VAL;
    }
    if (up || i + 1 == count) {
      x[kept] = x[i], y[kept++] = y[i];
      least = -HUGE_VAL, most = HUGE_VAL;
      continue;
    }
    const double from = x[i] - x[kept - 1], rise = y[i] - y[kept - 1];
    least = fmax(least, (rise - seen) / from);
    most = fmin(most, (rise + seen) / from);
  }
  return count < 2 ? count : kept;
}

int sketch_curve(const sketch *s, int k, double *x, double *y)
{
  const glimpse *column = s->curve + (size_t)k * COLUMNS;
  int count = 0;
  for (int i = 0; i < s->used; i++)
    if (column[i].used) count += list_points(&column[i], x + count, y + count);
  return thin(x, y, count);
}

double sketch_size(const sketch *s, int k)
{
  double size = 0;
  const glimpse *g = s->curve + (size_t)k * COLUMNS;
  for (int i = 0; i < s->used; i++)
    if (g[i].used) size = fmax(size, fmax(fabs(g[i].least.value), fabs(g[i].most.value)));
  return size;
}

// ---- forces -------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// How much of a column has passed.
static double passed(const sketch *s, int column)
{
  return fmin(s->width, s->t - (s->begin + column * s->width));
}

// The columns that are worth a force: the last one may have only begun.
static int force_columns(const sketch *s)
{
  return s->used > 1 && passed(s, s->used - 1) < 0.01 * s->width ? s->used - 1 : s->used;
}

static double force_at(const sketch *s, int k, int column)
{
  const double time = passed(s, column);
  return s->force[(size_t)k * COLUMNS + (size_t)column] / (time > 0 ? time : s->width);
}

// What the forces of channel k's contact have done all together, or the largest of its tangents.
static double impulse_of_forces(const sketch *s, int k)
{
  double most = 0;
  for (int l = 0; l < s->choice->channels; l++) {
    const channel *c = &s->choice->channel[l];
    if (c->kind != CHANNEL_FORCE || c->contact != s->choice->channel[k].contact) continue;
    double sum = 0;
    for (int i = 0; i < s->used; i++) sum += fabs(s->force[(size_t)l * COLUMNS + (size_t)i]);
    most = fmax(most, sum);
  }
  return most;
}

// Where modes change a force acts over the critical interval, which is drawn as a percussion: that
// alone is none.
bool sketch_has_force(const sketch *s, int k)
{
  const bool percussion = s->choice->channel[k].kind == CHANNEL_IMPULSE;
  const double none = percussion ? 1e-9 * impulse_of_forces(s, k) : 0;
  for (int i = 0; i < s->used; i++) {
    const size_t at = (size_t)k * COLUMNS + (size_t)i;
    if (s->force[at] != 0 || fabs(s->stem[at].value) > none) return true;
  }
  return false;
}

bool sketch_force_span(const sketch *s, const int *list, int count, double *work, double *low,
                       double *high)
{
  int used = 0;
  *low = *high = 0;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < force_columns(s); i++) {
      const double force = force_at(s, list[k], i);
      *low = fmin(*low, force);
      if (fabs(force) > 0) work[used++] = fabs(force);
    }
  if (used == 0) return false;
  qsort(work, (size_t)used, sizeof *work, by_value);
  const double usual = work[(int)(0.9 * (used - 1))];
  const bool cut = work[used - 1] > 5 * usual;
  *high = cut ? 2 * usual : work[used - 1];
  return cut;
}

int sketch_forces(const sketch *s, int k, double high, double *t, double *y)
{
  int count = 0;
  for (int i = 0; i < force_columns(s); i++) {
    const double force = force_at(s, k, i);
    // the middle of what stays the same is left out
    if (count > 1 && fabs(force - y[count - 1]) + fabs(y[count - 1] - y[count - 2]) <= 1e-3 * high)
      count--;
    t[count] = s->begin + (i + 0.5) * s->width;
    y[count++] = force;
  }
  return count;
}

int sketch_stems(const sketch *s, int k, double *t, double *y)
{
  int count = 0;
  for (int i = 0; i < s->used; i++) {
    const stem p = s->stem[(size_t)k * COLUMNS + (size_t)i];
    if (p.value == 0) continue;
    t[count] = p.t, y[count++] = 0;
    t[count] = p.t, y[count++] = p.value;
    t[count] = (double)NAN, y[count++] = (double)NAN;
  }
  return count;
}
