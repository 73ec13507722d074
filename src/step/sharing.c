#include "step/sharing_internal.h"

#include "base/memory.h"
#include "base/union_find.h"
#include "linalg/power_of_two.h"
#include "step/mobility.h"
#include "step/tolerances.h"

#include <limits.h>
#include <math.h>

enum { FACETS = 8 };  // of the pyramids that stand for cones

static const double PI = 3.14159265358979323846;

// --- life ---

static bool take_integers(dls_sharing_work *w, dls_arena *arena, ptrdiff_t n, ptrdiff_t m)
{
  const ptrdiff_t c = w->max_c, r = w->max_r;
  int *x = dls_arena_alloc(arena, 8 * n + m + 2 * c + 5 * r + 2, sizeof(int));
  if (!x) return false;
  w->base = x, w->of = w->base + n, w->head = w->of + n, w->first = w->head + n;
  w->after = w->first + n, w->local = w->after + n, w->next = w->local + n;
  w->coordinate = w->next + m, w->member = w->coordinate + c, w->row = w->member + r;
  w->column = w->row + r + 1, w->program.active = w->column + c + r;
  w->diagonal = w->program.active + r;
  return true;
}

static bool take_numbers(dls_sharing_work *w, dls_arena *arena)
{
  const ptrdiff_t c = w->max_c, r = w->max_r, all = c + r;
  const ptrdiff_t facets = (1 + FACETS) * r;
  double *x = dls_arena_alloc(arena,
                              c + 3 * r + 2 * r * c + 2 * all * all + c * r + r * r + facets * r +
                                  facets + 2 * r * r + 3 * r + DLS_SHARING_POLYHEDRA * r + 1,
                              sizeof(double));
  if (!x) return false;
  w->D = x, w->S = w->D + c, w->x = w->S + r, w->side = w->x + r;
  w->J = w->side + r, w->left = w->J + r * c;
  w->K = w->left + r * c, w->vector = w->K + all * all;
  w->Na = w->vector + all * all, w->Nx = w->Na + c * r;
  dls_sharing_program *p = &w->program;
  p->P = w->Nx + r * r, p->s = p->P + facets * r, p->Q = p->s + facets, p->R = p->Q + r * r;
  p->y = p->R + r * r, p->d = p->y + r;
  w->from = p->d + 2 * r;
  return true;
}

dls_sharing *dls_sharing_create(const dls_snapshot *point, dls_arena *arena)
{
  const dls_system *system = point->system;
  const ptrdiff_t n = system->n, m = system->m, tangents = system->tangents;
  dls_sharing *s = dls_arena_alloc(arena, 1, sizeof *s);
  dls_sharing_work *w = dls_arena_alloc(arena, 1, sizeof *w);
  double *x = dls_arena_alloc(arena, m + 2 * tangents + 1, sizeof(double));
  unsigned char *kind = dls_arena_alloc(arena, m + 1, 1);
  if (!s || !w || !x || !kind) return NULL;
  w->point = point;
  w->max_c = system->n < DLS_SHARING_COORDINATES ? system->n : DLS_SHARING_COORDINATES;
  w->max_r = m + tangents < DLS_SHARING_ROWS ? (int)(m + tangents) : DLS_SHARING_ROWS;
  w->bounded = dls_arena_alloc(arena, n + 1, sizeof(bool));
  w->mobility = dls_arena_alloc(arena, 3 * n + 1, sizeof(double));
  if (!w->bounded || !w->mobility || !take_integers(w, arena, n, m) || !take_numbers(w, arena))
    return NULL;
  w->bound = w->mobility + n;
  dls_snapshot_diagonal(point, w->diagonal);
  s->kind = kind, s->lambda = x, s->tau = x + m, s->xi = s->tau + tangents, s->work = w;
  for (int i = 0; i < system->n; i++) w->base[i] = i;
  for (int j = 0; j < system->n; j++)
    for (int e = system->mass.p[j]; e < system->mass.p[j + 1]; e++)
      dls_unite(w->base, j, system->mass.i[e]);
  return s;
}

// --- one polyhedron ---

// Forces that change nothing the contacts can feel, with the accelerations that come of them.
// False: too many.
static bool find_null(const dls_sharing *s)
{
  dls_sharing_work *w = s->work;
  const dls_system *system = w->point->system;
  const int all = w->c + w->rows;
  dls_clear(w->K, (ptrdiff_t)all * (ptrdiff_t)all);
  for (int i = 0; i < w->c; i++) {
    const int j = w->coordinate[i];
    for (int e = system->mass.p[j]; e < system->mass.p[j + 1]; e++) {
      const int l = w->local[system->mass.i[e]];
      w->K[l * all + i] = w->point->values->M[e] * w->D[i] * w->D[l] * dls_power_of_two(-w->unit);
    }
  }
  for (int k = 0; k < w->members; k++)
    for (int r = w->row[k]; r < w->row[k + 1]; r++) {
      double *effect = w->left;
      dls_sharing_set_effect(s, k, r, effect);
      for (int i = 0; i < w->c; i++) {
        w->K[i * all + w->c + r] = -effect[i];
        w->K[(w->c + r) * all + i] = dls_row_of(w->J, r, w->c)[i];
      }
    }
  w->k = dls_sharing_null_vectors(all, w->K, w->column, w->vector);
  if (w->k > w->max_r) return false;
  w->most = 0;
  for (int v = 0; v < w->k; v++) {
    const double *x = dls_row_of(w->vector, v, all);
    for (int i = 0; i < w->c; i++) dls_row_of(w->Na, i, w->k)[v] = x[i];
    for (int r = 0; r < w->rows; r++) {
      dls_row_of(w->Nx, r, w->k)[v] = x[w->c + r];
      w->most = fmax(w->most, fabs(x[w->c + r]));
    }
  }
  return true;
}

// One inequality: sum of by[i] times the force of row[i] is not negative.
static void require(dls_sharing_work *w, int count, const int *row, const double *by)
{
  dls_sharing_program *p = &w->program;
  double *to = dls_row_of(p->P, p->count, w->k), slack = 0, terms = 0;
  dls_clear(to, w->k);
  for (int i = 0; i < count; i++) {
    slack += by[i] * w->x[row[i]], terms += fabs(by[i]);
    for (int v = 0; v < w->k; v++) to[v] += by[i] * dls_row_of(w->Nx, row[i], w->k)[v];
  }
  if (!(dls_row_length(w->k, to) > sharing_rounding * terms * w->most)) return;
  p->s[p->count++] = fmax(slack, 0);
}

// Inside the cone of contact k, which sticks: in space inside a pyramid that has the force at hand
// on an edge, if at all.
static void require_cone(dls_sharing_work *w, int k)
{
  const int r = w->row[k], tangents = w->row[k + 1] - r - 1, row[3] = {r, r + 1, r + 2};
  const double mu = dls_sharing_friction(w, w->member[k], true) * w->side[k] * w->S[r];
  if (tangents == 1) {
    require(w, 2, row, (const double[]){mu, w->S[r + 1]});
    require(w, 2, row, (const double[]){mu, -w->S[r + 1]});
    return;
  }
  const double start = atan2(w->x[r + 2] * w->S[r + 2], w->x[r + 1] * w->S[r + 1]);
  for (int l = 0; l < FACETS; l++) {
    const double angle = start + (2 * l + 1) * PI / FACETS;
    require(w, 3, row,
            (const double[]){mu * cos(PI / FACETS), -cos(angle) * w->S[r + 1],
                             -sin(angle) * w->S[r + 2]});
  }
}

static void set_program(const dls_sharing *s)
{
  dls_sharing_work *w = s->work;
  w->program.k = w->k, w->program.count = 0;
  for (int k = 0; k < w->members; k++) {
    const int j = w->member[k];
    const bool either =
        dls_sharing_is_bilateral(w, j) && !dls_sharing_slides(s, j) && !dls_sharing_sticks(s, j);
    if (!either) require(w, 1, &w->row[k], &w->side[k]);
    if (dls_sharing_sticks(s, j) && w->row[k + 1] > w->row[k] + 1) require_cone(w, k);
  }
}

// The contact that slides and whose friction changes most along `way`.
static int max_changed(const dls_sharing *s, const double *way)
{
  const dls_sharing_work *w = s->work;
  int worst = -1;
  double most = 0;
  for (int k = 0; k < w->members; k++) {
    const int j = w->member[k], r = w->row[k];
    double change = 0;
    if (!dls_sharing_slides(s, j)) continue;
    for (int v = 0; v < w->k; v++) change += dls_row_of(w->Nx, r, w->k)[v] * way[v];
    change = fabs(change) * dls_sharing_friction(w, j, false) * w->S[r];
    if (worst < 0 || change > most) worst = j, most = change;
  }
  return worst;
}

// Does another acceleration come of other forces in the polyhedron? A contact whose friction
// changes, or -1. Rows of Na that the others follow from are enough, also to see whether all are
// bounded.
static int differing(const dls_sharing *s, bool *bounded)
{
  dls_sharing_work *w = s->work;
  double o[DLS_SHARING_ROWS];
  int contact = -1;
  *bounded = true;
  dls_copy(w->left, w->Na, (ptrdiff_t)w->c * (ptrdiff_t)w->k);
  for (int done = 0; done < w->k; done++) {
    int best = 0;
    for (int i = 1; i < w->c; i++)
      if (dls_row_length(w->k, dls_row_of(w->left, i, w->k)) >
          dls_row_length(w->k, dls_row_of(w->left, best, w->k)))
        best = i;
    double *unit = dls_row_of(w->left, best, w->k);
    const double size = dls_row_length(w->k, unit);
    if (!(size > sharing_acts)) break;
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int v = 0; v < w->k; v++) o[v] = sign * dls_row_of(w->Na, best, w->k)[v];
      const double value = dls_sharing_maximize(&w->program, o);
      if (!(value > 0 && value >= sharing_motion * w->size)) continue;
      *bounded = !isinf(value);
      if (contact < 0 || !*bounded)
        contact = max_changed(s, *bounded ? w->program.y : w->program.d);
      if (!*bounded) return contact;
    }
    for (int v = 0; v < w->k; v++) unit[v] /= size, o[v] = unit[v];
    for (int i = 0; i < w->c; i++) {
      double *x = dls_row_of(w->left, i, w->k), along = 0;
      for (int v = 0; v < w->k; v++) along += o[v] * x[v];
      for (int v = 0; v < w->k; v++) x[v] -= along * o[v];
    }
  }
  return contact;
}

// --- from polyhedron to polyhedron ---

// Bilateral contacts with friction press from one side or the other.
static bool has_sides(const dls_sharing *s, int k)
{
  const int j = s->work->member[k];
  return k < (int)(CHAR_BIT * sizeof(unsigned)) && dls_sharing_is_bilateral(s->work, j) &&
         (dls_sharing_slides(s, j) || dls_sharing_sticks(s, j));
}

// The polyhedron with member k on its other side is reached where its force vanishes.
static void note_neighbour(dls_sharing *s, unsigned mask, int k)
{
  dls_sharing_work *w = s->work;
  double o[DLS_SHARING_ROWS];
  for (int c = 0; c < w->polyhedra; c++)
    if (w->mask[c] == mask) return;
  if (w->polyhedra == DLS_SHARING_POLYHEDRA) return;
  const int r = w->row[k];
  const double force = fmax(w->side[k] * w->x[r], 0);
  for (int v = 0; v < w->k; v++) o[v] = -w->side[k] * dls_row_of(w->Nx, r, w->k)[v];
  if (!(dls_row_length(w->k, o) > sharing_rounding * w->most) ||
      dls_sharing_maximize(&w->program, o) < (1 - sharing_vanishes) * force)
    return;
  double *to = dls_row_of(w->from, w->polyhedra, w->max_r);
  for (int i = 0; i < w->rows; i++) {
    to[i] = w->x[i];
    for (int v = 0; v < w->k; v++) to[i] += dls_row_of(w->Nx, i, w->k)[v] * w->program.y[v];
  }
  to[r] = 0;
  w->mask[w->polyhedra++] = mask;
}

static int look(dls_sharing *s, bool *bounded)
{
  dls_sharing_work *w = s->work;
  w->polyhedra = 1, w->mask[0] = 0;
  for (int k = 0; k < w->members; k++)
    if (has_sides(s, k) && w->side[k] < 0) w->mask[0] |= 1u << k;
  dls_copy(w->from, w->x, w->rows);
  for (int at = 0; at < w->polyhedra; at++) {
    dls_copy(w->x, dls_row_of(w->from, at, w->max_r), w->rows);
    for (int k = 0; k < w->members; k++)
      w->side[k] = has_sides(s, k) && w->mask[at] >> k & 1 ? -1 : 1;
    if (!find_null(s)) return -1;
    if (w->k == 0) continue;
    set_program(s);
    const int contact = differing(s, bounded);
    for (int k = 0; k < w->members; k++)  // beyond the polyhedron there are others
      if (has_sides(s, k)) *bounded = false;
    if (contact >= 0) return contact;
    for (int k = 0; k < w->members; k++)
      if (has_sides(s, k)) note_neighbour(s, w->mask[at] ^ 1u << k, k);
  }
  return -1;
}

// Friction with a given bound is no cone, and not looked at.
static bool has_given(const dls_sharing_work *w, int class)
{
  for (int j = w->head[class]; j >= 0; j = w->next[j])
    if (w->point->system->contacts[j].bounded) return true;
  return false;
}

int dls_sharing_open(dls_sharing *s, const dls_snapshot *point, bool *bounded)
{
  dls_sharing_work *w = s->work;
  w->point = point;
  int first = -1;
  *bounded = true;
  if (!dls_sharing_sort(s)) return -1;
  dls_mobility_set(point, w->diagonal, w->mobility, w->bound, w->bounded);
  for (int i = 0; i < point->system->n && *bounded; i++) {
    if (w->head[i] < 0 || has_given(w, i) || !dls_sharing_gather(s, i)) continue;
    bool here;
    const int contact = look(s, &here);
    if (contact < 0) continue;
    if (first < 0 || !here) first = contact;
    *bounded = here;
  }
  return first;
}
