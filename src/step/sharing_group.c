// Groups of closed contacts that act on each other, and their rows in units of their own.
#include "step/sharing_internal.h"

#include "base/memory.h"
#include "base/union_find.h"
#include "linalg/power_of_two.h"
#include "step/mobility.h"
#include "step/tolerances.h"

#include <math.h>

static bool is_closed(const dls_sharing *s, int j)
{
  return s->kind[j] == DLS_SLIDING || s->kind[j] == DLS_STICKING;
}

static void unite(dls_sharing_work *w, const dls_pattern *a, int c, int *any)
{
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    if (*any >= 0) dls_unite(w->of, *any, a->i[e]);
    *any = a->i[e];
  }
}

bool dls_sharing_sort(dls_sharing *s)
{
  dls_sharing_work *w = s->work;
  const dls_system *system = w->point->system;
  int closed = 0, sliding = 0;
  for (int j = 0; j < system->m; j++)
    closed += is_closed(s, j), sliding += dls_sharing_slides(s, j);
  if (sliding == 0 || closed < 2) return false;
  dls_copy(w->of, w->base, system->n);
  for (int i = 0; i < system->n; i++) w->head[i] = w->first[i] = -1;
  for (int j = 0; j < system->m; j++) {
    int any = -1;
    if (!is_closed(s, j)) continue;
    unite(w, &system->normal, j, &any);
    for (int k = w->point->first[j]; k < w->point->first[j + 1]; k++)
      unite(w, &system->tangent, k, &any);
    w->next[j] = any;
  }
  for (int j = system->m - 1; j >= 0; j--) {
    if (!is_closed(s, j) || w->next[j] < 0) continue;
    const int class = dls_class_of(w->of, w->next[j]);
    w->next[j] = w->head[class], w->head[class] = j;
  }
  for (int i = system->n - 1; i >= 0; i--) {
    const int class = dls_class_of(w->of, i);
    w->after[i] = w->first[class], w->first[class] = i;
  }
  return true;
}

// The contacts and coordinates of a class. False: none of them slides, or there are too many.
static bool gather(dls_sharing *s, int class)
{
  dls_sharing_work *w = s->work;
  bool sliding = false;
  w->c = w->members = w->rows = 0;
  for (int j = w->head[class]; j >= 0; j = w->next[j]) {
    const int tangents = w->point->first[j + 1] - w->point->first[j];
    if (w->rows + 1 + (dls_sharing_sticks(s, j) ? tangents : 0) > w->max_r) return false;
    w->row[w->members] = w->rows, w->member[w->members++] = j;
    w->rows += 1 + (dls_sharing_sticks(s, j) ? tangents : 0);
    sliding |= dls_sharing_slides(s, j);
  }
  w->row[w->members] = w->rows;
  if (!sliding || w->members < 2) return false;
  for (int i = w->first[class]; i >= 0; i = w->after[i]) {
    if (w->c == w->max_c) return false;
    w->local[i] = w->c, w->coordinate[w->c++] = i;
  }
  return true;
}

// --- matrices in units of their own ---

// Adds by times a row of contact j, times D, to x.
static void add(const dls_sharing_work *w, int j, int row, double by, double *x)
{
  const double *value;
  int c;
  const dls_pattern *a = dls_snapshot_column(w->point, j, row, &c, &value);
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    const int i = w->local[a->i[e]];
    x[i] += by * value[e] * w->D[i];
  }
}

// Rows of J with a largest entry about 1. False: one is zero.
static bool set_rows(dls_sharing_work *w)
{
  dls_clear(w->J, (ptrdiff_t)w->rows * (ptrdiff_t)w->c);
  for (int k = 0; k < w->members; k++)
    for (int r = w->row[k]; r < w->row[k + 1]; r++) {
      double *x = dls_row_of(w->J, r, w->c), most = 0;
      add(w, w->member[k], r - w->row[k], 1, x);
      for (int i = 0; i < w->c; i++) most = fmax(most, fabs(x[i]));
      if (!(most > 0)) return false;
      w->S[r] = dls_power_of_two(-dls_exponent(most));
      for (int i = 0; i < w->c; i++) x[i] *= w->S[r];
    }
  return true;
}

// Does a row depend on others?
static bool is_redundant(dls_sharing_work *w)
{
  const ptrdiff_t c = w->c;
  if (w->rows > w->c) return true;
  dls_copy(w->left, w->J, (ptrdiff_t)w->rows * c);
  for (int done = 0; done < w->rows; done++) {
    int best = done;
    for (int r = done; r < w->rows; r++)
      if (dls_row_length(w->c, dls_row_of(w->left, r, w->c)) >
          dls_row_length(w->c, dls_row_of(w->left, best, w->c)))
        best = r;
    double *unit = dls_row_of(w->left, done, w->c), *x = dls_row_of(w->left, best, w->c);
    const double size = dls_row_length(w->c, x);
    if (!(size > dependent)) return true;
    for (int i = 0; i < w->c; i++) {
      const double kept = x[i];
      x[i] = unit[i], unit[i] = kept / size;
    }
    for (int r = done + 1; r < w->rows; r++) {
      double *other = dls_row_of(w->left, r, w->c), along = 0;
      for (int i = 0; i < w->c; i++) along += unit[i] * other[i];
      for (int i = 0; i < w->c; i++) other[i] -= along * unit[i];
    }
  }
  return false;
}

void dls_sharing_set_effect(const dls_sharing *s, int k, int r, double *x)
{
  dls_sharing_work *w = s->work;
  const int j = w->member[k], first = w->point->first[j];
  dls_copy(x, dls_row_of(w->J, r, w->c), w->c);
  if (r > w->row[k] || !dls_sharing_slides(s, j)) return;
  for (int l = first; l < w->point->first[j + 1]; l++)
    add(w, j, 1 + l - first, -dls_sharing_friction(w, j, false) * w->side[k] * s->xi[l] * w->S[r],
        x);
}

// Forces in units of their own, sides by them, and how large accelerations are by all that is
// there.
static void set_forces(const dls_sharing *s)
{
  dls_sharing_work *w = s->work;
  const double by = dls_power_of_two(-w->unit);
  w->size = 0;
  for (int i = 0; i < w->c; i++)
    w->size = hypot(w->size, w->point->values->F[w->coordinate[i]] * w->D[i] * by);
  for (int k = 0; k < w->members; k++) {
    const int j = w->member[k], first = w->point->first[j];
    double *effect = w->left;
    w->side[k] = dls_sharing_is_bilateral(w, j) && s->lambda[j] < 0 ? -1 : 1;
    for (int r = w->row[k]; r < w->row[k + 1]; r++) {
      const double force = r == w->row[k] ? s->lambda[j] : s->tau[first + r - w->row[k] - 1];
      w->x[r] = force * by / w->S[r];
      dls_sharing_set_effect(s, k, r, effect);
      w->size += fabs(w->x[r]) * dls_row_length(w->c, effect);
    }
  }
}

bool dls_sharing_gather(dls_sharing *s, int class)
{
  dls_sharing_work *w = s->work;
  if (!gather(s, class)) return false;
  w->unit = -dls_mobility_scales(w->point, w->mobility, w->c, w->coordinate, w->members, w->member,
                                 w->local, w->D);
  if (!set_rows(w) || !is_redundant(w)) return false;
  set_forces(s);
  return true;
}
