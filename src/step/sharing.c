#include "step/sharing.h"

#include "base/memory.h"
#include "base/union_find.h"
#include "linalg/length.h"
#include "linalg/power_of_two.h"
#include "step/mobility.h"
#include "step/sharing_program.h"
#include "step/tolerances.h"

#include <limits.h>
#include <math.h>

enum { MOST_ROWS = 48, MOST_COORDINATES = 96, MOST_POLYHEDRA = 16, FACETS = 8 };

static const double PI = 3.14159265358979323846;

typedef struct dls_sharing_work {
  const dls_snapshot *point;
  int max_c, max_r;            // room for a group
  int *diagonal;               // n: entries of M, or -1
  double *mobility, *bound;    // n, 2 n: about 1 / M_ii, and work
  bool *bounded;               // n, work
  int *base, *of;              // n: classes of coordinates, by M alone, and with contacts
  int *head, *next;            // n, m: contacts of a class
  int *first, *after;          // n, n: its coordinates
  int *local;                  // n: numbers in the group
  int c, *coordinate;          // of the group
  int members, *member, *row;  // contacts, and their first rows
  int rows;                    // normals, slips of those that stick
  int unit;                    // exponent of the first mass
  double *D, *S;               // c, rows: powers of two, a = D a^, force = S 2^unit force^
  double *J, *left;            // rows x c: S J D, and work
  double *x;                   // rows: forces, in units of their own
  double *side;                // members
  double size;                 // of accelerations
  int k;                       // null vectors, and, row by row, of length k:
  double *Na, *Nx;             // accelerations, forces;
  double most;                 // the largest one of these
  double *K, *vector;
  int *column;
  dls_sharing_program program;
  int polyhedra;  // of bilateral contacts with friction by their sides
  unsigned mask[MOST_POLYHEDRA];
  double *from;  // MOST_POLYHEDRA x rows: forces there
} dls_sharing_work;

static bool is_closed(const dls_sharing *s, int j)
{
  return s->kind[j] == DLS_SLIDING || s->kind[j] == DLS_STICKING;
}

static double friction(const dls_sharing_work *w, int j)
{
  const dls_snapshot *p = w->point;
  return p->first[j + 1] > p->first[j] ? p->values->friction[j] : 0;
}

static bool sticks(const dls_sharing *s, int j)
{
  return s->kind[j] == DLS_STICKING && friction(s->work, j) > 0;
}

static bool slides(const dls_sharing *s, int j)
{
  return s->kind[j] == DLS_SLIDING && friction(s->work, j) > 0;
}

static bool is_bilateral(const dls_sharing_work *w, int j)
{
  return w->point->system->contacts[j].kind == DLS_BILATERAL;
}

static double *row_of(double *rows, int r, int length)
{
  return rows + (ptrdiff_t)r * length;
}

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
                                  facets + 2 * r * r + 3 * r + MOST_POLYHEDRA * r + 1,
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
  w->max_c = system->n < MOST_COORDINATES ? system->n : MOST_COORDINATES;
  w->max_r = m + tangents < MOST_ROWS ? (int)(m + tangents) : MOST_ROWS;
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

// --- groups ---

static void unite(dls_sharing_work *w, const dls_pattern *a, int c, int *any)
{
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    if (*any >= 0) dls_unite(w->of, *any, a->i[e]);
    *any = a->i[e];
  }
}

// Contacts and coordinates by their classes. False: nothing slides with friction beside another
// contact.
static bool sort(dls_sharing *s)
{
  dls_sharing_work *w = s->work;
  const dls_system *system = w->point->system;
  int closed = 0, sliding = 0;
  for (int j = 0; j < system->m; j++) closed += is_closed(s, j), sliding += slides(s, j);
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
    if (w->rows + 1 + (sticks(s, j) ? tangents : 0) > w->max_r) return false;
    w->row[w->members] = w->rows, w->member[w->members++] = j;
    w->rows += 1 + (sticks(s, j) ? tangents : 0);
    sliding |= slides(s, j);
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

// D about 1 / sqrt(M_ii), relative to the first mass; coordinates without one by a gradient.
static void set_units(dls_sharing_work *w)
{
  const dls_system *system = w->point->system;
  const dls_values *x = w->point->values;
  w->unit = INT_MIN;
  for (int i = 0; i < w->c; i++) {
    const double mobility = w->mobility[w->coordinate[i]];
    w->D[i] = 0;
    if (!(mobility > 0)) continue;
    if (w->unit == INT_MIN) w->unit = -dls_exponent(mobility);
    w->D[i] = dls_power_of_two(dls_half_exponent(dls_exponent(mobility) + w->unit));
  }
  if (w->unit == INT_MIN) w->unit = 0;
  const dls_pattern *G = &system->normal;
  for (int k = 0; k < w->members; k++) {
    const int j = w->member[k];
    double most = 0;
    for (int e = G->p[j]; e < G->p[j + 1]; e++)
      most = fmax(most, fabs(x->G[e]) * w->D[w->local[G->i[e]]]);
    for (int e = G->p[j]; e < G->p[j + 1]; e++) {
      double *D = &w->D[w->local[G->i[e]]];
      if (*D == 0 && x->G[e] != 0 && most > 0)
        *D = dls_power_of_two(dls_exponent(most) - dls_exponent(x->G[e]));
    }
  }
  for (int i = 0; i < w->c; i++)
    if (w->D[i] == 0) w->D[i] = 1;
}

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

static double length(int count, const double *x)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// Rows of J with a largest entry about 1. False: one is zero.
static bool set_rows(dls_sharing_work *w)
{
  dls_clear(w->J, (ptrdiff_t)w->rows * (ptrdiff_t)w->c);
  for (int k = 0; k < w->members; k++)
    for (int r = w->row[k]; r < w->row[k + 1]; r++) {
      double *x = row_of(w->J, r, w->c), most = 0;
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
      if (length(w->c, row_of(w->left, r, w->c)) > length(w->c, row_of(w->left, best, w->c)))
        best = r;
    double *unit = row_of(w->left, done, w->c), *x = row_of(w->left, best, w->c);
    const double size = length(w->c, x);
    if (!(size > dependent)) return true;
    for (int i = 0; i < w->c; i++) {
      const double kept = x[i];
      x[i] = unit[i], unit[i] = kept / size;
    }
    for (int r = done + 1; r < w->rows; r++) {
      double *other = row_of(w->left, r, w->c), along = 0;
      for (int i = 0; i < w->c; i++) along += unit[i] * other[i];
      for (int i = 0; i < w->c; i++) other[i] -= along * unit[i];
    }
  }
  return false;
}

// What the force of row r of member k does: J, with friction where it slides.
static void set_effect(const dls_sharing *s, int k, int r, double *x)
{
  dls_sharing_work *w = s->work;
  const int j = w->member[k], first = w->point->first[j];
  dls_copy(x, row_of(w->J, r, w->c), w->c);
  if (r > w->row[k] || !slides(s, j)) return;
  for (int l = first; l < w->point->first[j + 1]; l++)
    add(w, j, 1 + l - first, -friction(w, j) * w->side[k] * s->xi[l] * w->S[r], x);
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
    w->side[k] = is_bilateral(w, j) && s->lambda[j] < 0 ? -1 : 1;
    for (int r = w->row[k]; r < w->row[k + 1]; r++) {
      const double force = r == w->row[k] ? s->lambda[j] : s->tau[first + r - w->row[k] - 1];
      w->x[r] = force * by / w->S[r];
      set_effect(s, k, r, effect);
      w->size += fabs(w->x[r]) * length(w->c, effect);
    }
  }
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
      set_effect(s, k, r, effect);
      for (int i = 0; i < w->c; i++) {
        w->K[i * all + w->c + r] = -effect[i];
        w->K[(w->c + r) * all + i] = row_of(w->J, r, w->c)[i];
      }
    }
  w->k = dls_sharing_null_vectors(all, w->K, w->column, w->vector);
  if (w->k > w->max_r) return false;
  w->most = 0;
  for (int v = 0; v < w->k; v++) {
    const double *x = row_of(w->vector, v, all);
    for (int i = 0; i < w->c; i++) row_of(w->Na, i, w->k)[v] = x[i];
    for (int r = 0; r < w->rows; r++) {
      row_of(w->Nx, r, w->k)[v] = x[w->c + r];
      w->most = fmax(w->most, fabs(x[w->c + r]));
    }
  }
  return true;
}

// One inequality: sum of by[i] times the force of row[i] is not negative.
static void require(dls_sharing_work *w, int count, const int *row, const double *by)
{
  dls_sharing_program *p = &w->program;
  double *to = row_of(p->P, p->count, w->k), slack = 0, terms = 0;
  dls_clear(to, w->k);
  for (int i = 0; i < count; i++) {
    slack += by[i] * w->x[row[i]], terms += fabs(by[i]);
    for (int v = 0; v < w->k; v++) to[v] += by[i] * row_of(w->Nx, row[i], w->k)[v];
  }
  if (!(length(w->k, to) > sharing_rounding * terms * w->most)) return;
  p->s[p->count++] = fmax(slack, 0);
}

// Inside the cone of contact k, which sticks: in space inside a pyramid that has the force at hand
// on an edge, if at all.
static void require_cone(dls_sharing_work *w, int k)
{
  const int r = w->row[k], tangents = w->row[k + 1] - r - 1, row[3] = {r, r + 1, r + 2};
  const double mu = friction(w, w->member[k]) * w->side[k] * w->S[r];
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
    const bool either = is_bilateral(w, j) && !slides(s, j) && !sticks(s, j);
    if (!either) require(w, 1, &w->row[k], &w->side[k]);
    if (sticks(s, j) && w->row[k + 1] > w->row[k] + 1) require_cone(w, k);
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
    if (!slides(s, j)) continue;
    for (int v = 0; v < w->k; v++) change += row_of(w->Nx, r, w->k)[v] * way[v];
    change = fabs(change) * friction(w, j) * w->S[r];
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
  double o[MOST_ROWS];
  int contact = -1;
  *bounded = true;
  dls_copy(w->left, w->Na, (ptrdiff_t)w->c * (ptrdiff_t)w->k);
  for (int done = 0; done < w->k; done++) {
    int best = 0;
    for (int i = 1; i < w->c; i++)
      if (length(w->k, row_of(w->left, i, w->k)) > length(w->k, row_of(w->left, best, w->k)))
        best = i;
    double *unit = row_of(w->left, best, w->k);
    const double size = length(w->k, unit);
    if (!(size > sharing_acts)) break;
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int v = 0; v < w->k; v++) o[v] = sign * row_of(w->Na, best, w->k)[v];
      const double value = dls_sharing_maximize(&w->program, o, INFINITY);
      if (!(value > 0 && value >= sharing_motion * w->size)) continue;
      *bounded = !isinf(value);
      if (contact < 0 || !*bounded)
        contact = max_changed(s, *bounded ? w->program.y : w->program.d);
      if (!*bounded) return contact;
    }
    for (int v = 0; v < w->k; v++) unit[v] /= size, o[v] = unit[v];
    for (int i = 0; i < w->c; i++) {
      double *x = row_of(w->left, i, w->k), along = 0;
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
  return k < (int)(CHAR_BIT * sizeof(unsigned)) && is_bilateral(s->work, j) &&
         (slides(s, j) || sticks(s, j));
}

// The polyhedron with member k on its other side is reached where its force vanishes.
static void note_neighbour(dls_sharing *s, unsigned mask, int k)
{
  dls_sharing_work *w = s->work;
  double o[MOST_ROWS];
  for (int c = 0; c < w->polyhedra; c++)
    if (w->mask[c] == mask) return;
  if (w->polyhedra == MOST_POLYHEDRA) return;
  const int r = w->row[k];
  const double force = fmax(w->side[k] * w->x[r], 0);
  for (int v = 0; v < w->k; v++) o[v] = -w->side[k] * row_of(w->Nx, r, w->k)[v];
  if (!(length(w->k, o) > sharing_rounding * w->most) ||
      dls_sharing_maximize(&w->program, o, INFINITY) < (1 - sharing_vanishes) * force)
    return;
  double *to = row_of(w->from, w->polyhedra, w->max_r);
  for (int i = 0; i < w->rows; i++) {
    to[i] = w->x[i];
    for (int v = 0; v < w->k; v++) to[i] += row_of(w->Nx, i, w->k)[v] * w->program.y[v];
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
    dls_copy(w->x, row_of(w->from, at, w->max_r), w->rows);
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

int dls_sharing_open(dls_sharing *s, const dls_snapshot *point, bool *bounded)
{
  dls_sharing_work *w = s->work;
  w->point = point;
  int first = -1;
  *bounded = true;
  if (!sort(s)) return -1;
  dls_mobility_set(point, w->diagonal, w->mobility, w->bound, w->bounded);
  for (int i = 0; i < point->system->n && *bounded; i++) {
    if (w->head[i] < 0 || !gather(s, i)) continue;
    set_units(w);
    if (!set_rows(w) || !is_redundant(w)) continue;
    set_forces(s);
    bool here;
    const int contact = look(s, &here);
    if (contact < 0) continue;
    if (first < 0 || !here) first = contact;
    *bounded = here;
  }
  return first;
}
