#include "step/stage_matrix.h"

#include "base/memory.h"
#include "linalg/dense_lu.h"
#include "linalg/sparse_lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE = 40 };  // rows up to which the matrix is dense

static const double REGULAR = 1e-11;  // the diagonal of constraints, in units of W
static const double LIGHT = 256;      // by how much a coordinate may be lighter than its neighbours
static const double COUPLED = 0.25;   // M_ij^2 / M_ii M_jj from which on coordinates are
static const double CERTAIN = 1e-8;   // ratios of pivots above this have nothing to do with that
static const double SINGULAR = 1e-15;  // ratios of pivots below this are rounding

struct dls_stage_matrix {
  const dls_snapshot *point;
  int blocks, width, size;
  bool derivatives;
  double *D;         // width
  double mass;       // power of two near the first mass: the unit of forces over accelerations
  int sign;          // of the determinant of the last factors
  double pivots;     // theirs, the smallest over the largest
  double *W;         // m + slips
  double *mobility;  // n: 1 / M_ii
  double *most;      // 2 n, work: the two largest bounds of a mobility, by two contacts
  bool *coupled;     // n, work
  size_t count;      // of entries in the order of fill
  size_t next;       // where fill stands
  size_t *at;        // count: where an entry goes; NULL while the pattern is being made
  int *row, *col;    // count, only meanwhile
  int *p, *i;        // NULL: dense
  double *x;         // numbers, and factors where dense
  size_t numbers;
  int *pivot;
  dls_sparse_lu *lu;
};

int dls_stage_matrix_width(const dls_stage_matrix *w)
{
  return w->width;
}

const double *dls_stage_matrix_scale(const dls_stage_matrix *w)
{
  return w->D;
}

double dls_stage_matrix_mass(const dls_stage_matrix *w)
{
  return w->mass;
}

const double *dls_stage_matrix_mobility(const dls_stage_matrix *w)
{
  return w->mobility;
}

int dls_stage_matrix_sign(const dls_stage_matrix *w)
{
  return w->sign;
}

double dls_stage_matrix_pivots(const dls_stage_matrix *w)
{
  return w->pivots;
}

const double *dls_stage_matrix_delassus(const dls_stage_matrix *w)
{
  return w->W;
}

void dls_stage_matrix_free(dls_stage_matrix *w)
{
  if (!w) return;
  dls_sparse_lu_free(w->lu);
  free(w->D), free(w->W), free(w->at), free(w->row), free(w->col), free(w->p), free(w->i);
  free(w->x), free(w->pivot), free(w->coupled);
  free(w);
}

// --- entries ---

// Balances of forces are divided by the unit of mass, forces are measured in it.
static double row_scale(const dls_stage_matrix *w, int row)
{
  const int k = row % w->width;
  return k < w->point->system->n ? w->D[k] / w->mass : w->D[k];
}

static double column_scale(const dls_stage_matrix *w, int col)
{
  const int k = col % w->width;
  return k < w->point->system->n ? w->D[k] : w->D[k] * w->mass;
}

// One entry: counted, noted or added, in the same order each time.
static void put(dls_stage_matrix *w, int row, int col, double value)
{
  const size_t e = w->next++;
  if (w->at) w->x[w->at[e]] += value * row_scale(w, row) * column_scale(w, col);
  else if (w->row) w->row[e] = row, w->col[e] = col;
}

static void put_square(dls_stage_matrix *w, const dls_pattern *a, const double *x, double by,
                       int row, int col)
{
  for (int j = 0; j < a->cols; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++) put(w, row + a->i[e], col + j, by * x[e]);
}

// Column c of a pattern of gradients, as row `row` of the matrix.
static void put_gradient(dls_stage_matrix *w, const dls_pattern *a, const double *x, int c,
                         double by, int row, int col)
{
  for (int e = a->p[c]; e < a->p[c + 1]; e++) put(w, row, col + a->i[e], by * x[e]);
}

// What a block has of its own unknowns besides derivatives: M, G, H, the laws of the contacts.
static void put_diagonal(dls_stage_matrix *w, int at, const dls_contact_modes *modes, bool friction,
                         const double *xi)
{
  const dls_system *s = w->point->system;
  const dls_values *x = w->point->values;
  const int n = s->n, m = s->m;
  put_square(w, &s->mass, x->M, 1, at, at);
  for (int i = 0; i < n; i++) put(w, at + i, at + i, 0);  // a place for pivots
  for (int j = 0; j < m; j++) {
    const bool closed = dls_mode_closed(modes, j);
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++)
      put(w, at + s->normal.i[e], at + n + j, -x->G[e]);
    put_gradient(w, &s->normal, x->G, j, closed, at + n + j, at);
    put(w, at + n + j, at + n + j, closed ? REGULAR * w->W[j] : w->W[j]);

    const bool sticks = modes->kind[j] == DLS_STICKING;
    const bool slides = friction && modes->kind[j] == DLS_SLIDING;
    for (int k = w->point->first[j]; k < w->point->first[j + 1]; k++) {
      const int row = at + n + m + k;
      for (int e = s->tangent.p[k]; e < s->tangent.p[k + 1]; e++)
        put(w, at + s->tangent.i[e], row, -x->H[e]);
      put_gradient(w, &s->tangent, x->H, k, sticks, row, at);
      put(w, row, row, sticks ? REGULAR * w->W[m + k] : w->W[m + k]);
      put(w, row, at + n + j, slides ? w->W[m + k] * x->friction[j] * modes->side[j] * xi[k] : 0);
    }
  }
}

// How a block depends on the accelerations of another one, or of itself, through Q and V.
static void put_derivatives(dls_stage_matrix *w, int row, int col, const dls_contact_modes *modes,
                            bool friction, const double *turn, double by_v, double by_q)
{
  const dls_system *s = w->point->system;
  const dls_derivative_patterns *a = s->derivative;
  const dls_derivatives *d = w->point->derivatives;
  const int n = s->n, m = s->m;
  put_square(w, &a->R_v, d->R_v, by_v, row, col);
  put_square(w, &a->R_q, d->R_q, by_q, row, col);
  for (int j = 0; j < m; j++) {
    const bool closed = dls_mode_closed(modes, j), sticks = modes->kind[j] == DLS_STICKING;
    const bool slides = friction && turn && modes->kind[j] == DLS_SLIDING;
    put_gradient(w, &a->N_v, d->N_v, j, closed ? by_v : 0, row + n + j, col);
    put_gradient(w, &a->N_q, d->N_q, j, closed ? by_q : 0, row + n + j, col);
    const int first = w->point->first[j], end = w->point->first[j + 1];
    for (int k = first; k < end; k++) {
      put_gradient(w, &a->T_v, d->T_v, k, sticks ? by_v : 0, row + n + m + k, col);
      put_gradient(w, &a->T_q, d->T_q, k, sticks ? by_q : 0, row + n + m + k, col);
      if (end - first < 2) continue;  // in a plane the direction does not turn
      for (int l = first; l < end; l++) {
        const double by = slides ? w->W[m + k] * turn[2 * k + l - first] : 0;
        put_gradient(w, &s->tangent, w->point->values->H, l, by * by_v, row + n + m + k, col);
        put_gradient(w, &a->S_q, d->S_q, l, by * by_q, row + n + m + k, col);
      }
    }
  }
}

void dls_stage_matrix_fill(dls_stage_matrix *w, int row, const dls_contact_modes *modes,
                           bool friction, const double *xi, const double *turn, const double *by_v,
                           const double *by_q)
{
  put_diagonal(w, row * w->width, modes, friction, xi);
  for (int j = 0; j < w->blocks && w->derivatives; j++)
    put_derivatives(w, row * w->width, j * w->width, modes, friction, turn, by_v[j], by_q[j]);
}

// --- the pattern, once ---

typedef struct place {
  int row, col;
  size_t entry;
} place;

static int by_place(const void *left, const void *right)
{
  const place *a = left, *b = right;
  if (a->col != b->col) return a->col < b->col ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

static bool place_sparse(dls_stage_matrix *w, size_t *at)
{
  place *list = dls_alloc(w->count + 1, sizeof *list);
  w->p = dls_alloc((size_t)w->size + 1, sizeof(int));
  w->i = dls_alloc(w->count + 1, sizeof(int));
  if (list && w->p && w->i) {
    for (size_t e = 0; e < w->count; e++) list[e] = (place){w->row[e], w->col[e], e};
    qsort(list, w->count, sizeof *list, by_place);
    for (size_t e = 0; e < w->count; e++) {
      if (e == 0 || by_place(&list[e - 1], &list[e]) != 0) {
        w->i[w->numbers++] = list[e].row;
        w->p[list[e].col + 1] = (int)w->numbers;
      }
      at[list[e].entry] = w->numbers - 1;
    }
    for (int j = 0; j < w->size; j++)
      if (w->p[j + 1] < w->p[j]) w->p[j + 1] = w->p[j];
  }
  free(list);
  return list && w->p && w->i;
}

// Accelerations come before forces: M does for pivots, and then what it makes of the constraints.
static bool order_sparse(dls_stage_matrix *w)
{
  bool *force = dls_alloc((size_t)w->size + 1, sizeof(bool));
  for (int k = 0; k < w->size && force; k++) force[k] = k % w->width >= w->point->system->n;
  const bool done =
      force && dls_sparse_lu_create_diagonal(w->size, w->p, w->i, force, &w->lu) == DLS_OK;
  free(force);
  return done;
}

static bool place_dense(dls_stage_matrix *w, size_t *at)
{
  const size_t size = (size_t)w->size;
  for (size_t e = 0; e < w->count; e++) at[e] = (size_t)w->row[e] * size + (size_t)w->col[e];
  w->numbers = size * size;
  w->pivot = dls_alloc(size + 1, sizeof(int));
  return w->pivot != NULL;
}

// All block rows once, for their entries only.
static void walk(dls_stage_matrix *w, const dls_contact_modes *none, const double *zero)
{
  w->next = 0;
  for (int k = 0; k < w->blocks; k++)
    dls_stage_matrix_fill(w, k, none, false, zero, NULL, zero, zero);
}

static bool set_up(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  const size_t width = (size_t)w->width, zeros = width + (size_t)w->blocks;
  w->D = dls_alloc(width + 1, sizeof(double));
  w->W = dls_alloc(width + 2 * (size_t)s->n + 1, sizeof(double));
  w->mobility = w->W ? w->W + s->m + s->slips : NULL;
  w->most = w->W ? w->W + width : NULL;
  w->coupled = dls_alloc((size_t)s->n + 1, sizeof(bool));
  double *zero = dls_alloc(zeros + 1, sizeof(double));
  unsigned char *kind = dls_alloc((size_t)s->m + 1, 1);
  size_t *at = NULL;
  bool done = w->D && w->W && w->coupled && zero && kind;
  if (done) {
    const dls_contact_modes none = {kind, zero, zero, NULL};
    walk(w, &none, zero);
    w->count = w->next;
    w->row = dls_alloc(w->count + 1, sizeof(int));
    w->col = dls_alloc(w->count + 1, sizeof(int));
    at = dls_alloc(w->count + 1, sizeof(size_t));
    done = w->row && w->col && at;
    if (done) walk(w, &none, zero);
    done = done && (w->size > DENSE ? place_sparse(w, at) && order_sparse(w) : place_dense(w, at));
  }
  free(w->row), free(w->col);
  w->row = w->col = NULL;
  w->at = at;
  w->x = dls_alloc(w->numbers + 1, sizeof(double));
  free(zero), free(kind);
  return done && w->x;
}

dls_status dls_stage_matrix_create(const dls_snapshot *point, int blocks, bool derivatives,
                                   dls_stage_matrix **out)
{
  *out = NULL;
  dls_stage_matrix *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  const dls_system *s = point->system;
  w->point = point, w->blocks = blocks, w->derivatives = derivatives;
  w->width = s->n + s->m + s->slips;
  w->size = blocks * w->width;
  if (set_up(w)) {
    *out = w;
    return DLS_OK;
  }
  dls_stage_matrix_free(w);
  return DLS_ERR_MEMORY;
}

// --- numbers ---

static double power_of_two(double x)
{
  int exponent;
  if (!(x > 0) || !isfinite(x)) return 1;
  frexp(x, &exponent);
  return ldexp(1, exponent);
}

// G^T diag(M)^-1 G of a column, in the unit of mass: 1 where there is none. Powers of two in the
// place of M would jump on the way, and margins of forces with them.
static double column_size(const dls_stage_matrix *w, const dls_pattern *a, const double *x, int c)
{
  double sum = 0;
  for (int e = a->p[c]; e < a->p[c + 1]; e++) sum += x[e] * w->mobility[a->i[e]] * x[e];
  return sum > 0 ? sum * w->mass : 1;
}

static double diagonal_mass(const dls_stage_matrix *w, int k)
{
  const dls_pattern *a = &w->point->system->mass;
  for (int e = a->p[k]; e < a->p[k + 1]; e++)
    if (a->i[e] == k) return w->point->values->M[e];
  return 0;
}

// The first entry of a contact's columns, times D, at a coordinate with mass (massive), or of
// coordinate k; 0 when there is none.
static double first_entry(const dls_stage_matrix *w, bool massive, int k)
{
  const dls_system *s = w->point->system;
  for (int side = 0; side < 2; side++) {
    const dls_pattern *a = side ? &s->tangent : &s->normal;
    const double *x = side ? w->point->values->H : w->point->values->G;
    for (int e = 0; e < a->p[a->cols]; e++) {
      const int i = a->i[e];
      if (x[e] != 0 && (massive ? diagonal_mass(w, i) > 0 : i == k)) return fabs(x[e]) * w->D[i];
    }
  }
  return 0;
}

// A coordinate without mass: so that it does to a contact what the others do.
static void scale_massless(dls_stage_matrix *w, int k)
{
  const double entry = first_entry(w, false, k), other = first_entry(w, true, 0);
  if (entry > 0 && other > 0) w->D[k] = power_of_two(other / entry);
}

// What contact c lets the mobilities of its coordinates be: those of the others, in its own unit.
static void bound_mobility(dls_stage_matrix *w, int c)
{
  const dls_pattern *a = &w->point->system->normal;
  const double *G = w->point->values->G;
  double first = 0, second = 0;
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    const double part = G[e] * w->mobility[a->i[e]] * G[e];
    second = fmax(second, fmin(first, part)), first = fmax(first, part);
  }
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    const double part = G[e] * w->mobility[a->i[e]] * G[e];
    const double others = part < first ? first : second;
    double *most = w->most + 2 * a->i[e], bound = LIGHT * others / (G[e] * G[e]);
    if (!(part > 0)) continue;
    if (!(others > 0)) bound = INFINITY;
    most[1] = fmax(most[1], fmin(most[0], bound)), most[0] = fmax(most[0], bound);
  }
}

// Is M_kk no more than what other coordinates leave of it? It may be where M is singular.
static void mark_coupled(dls_stage_matrix *w)
{
  const dls_pattern *a = &w->point->system->mass;
  for (int j = 0; j < a->cols; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++) {
      const double x = w->point->values->M[e], by = w->mobility[a->i[e]] * w->mobility[j];
      if (a->i[e] != j && COUPLED < x * by * x) w->coupled[j] = w->coupled[a->i[e]] = true;
    }
}

// 1 / M_ii. Where M is singular some M_ii pass through zero on the way, as with quaternions, and a
// constraint holds these coordinates. In other contacts, they are no more mobile than the rest.
static void set_mobilities(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  for (int k = 0; k < s->n; k++) {
    const double mass = diagonal_mass(w, k);
    w->mobility[k] = mass > 0 ? 1 / mass : w->D[k] * w->D[k] / w->mass;
    w->most[2 * k] = w->most[2 * k + 1] = 0;
    w->coupled[k] = false;
  }
  mark_coupled(w);
  for (int j = 0; j < s->m; j++) bound_mobility(w, j);
  for (int k = 0; k < s->n; k++) {
    const double *most = w->most + 2 * k;
    if (!(w->coupled[k] && most[1] > 0 && most[0] < w->mobility[k])) continue;
    w->mobility[k] = most[0];
    w->D[k] = power_of_two(sqrt(most[0] * w->mass));
  }
}

// Scales that follow the units: masses are compared with the first one, so that their ratios, which
// have squares of lengths as units, have roots that follow exactly where these are powers of two.
void dls_stage_matrix_begin(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  const dls_values *x = w->point->values;
  double first = 0;
  for (int k = 0; k < s->n && !(first > 0); k++) first = diagonal_mass(w, k);
  w->mass = power_of_two(first);
  for (int k = 0; k < s->n; k++) {
    const double mass = diagonal_mass(w, k);
    w->D[k] = mass > 0 ? power_of_two(sqrt(first / mass)) : 1;
  }
  for (int k = 0; k < s->n && first > 0; k++)
    if (!(diagonal_mass(w, k) > 0)) scale_massless(w, k);
  set_mobilities(w);
  for (int j = 0; j < s->m + s->slips; j++) {
    const bool normal = j < s->m;
    const double size = column_size(w, normal ? &s->normal : &s->tangent, normal ? x->G : x->H,
                                    normal ? j : j - s->m);
    w->W[j] = size / w->mass;
    w->D[s->n + j] = power_of_two(1 / sqrt(size));
  }
  memset(w->x, 0, w->numbers * sizeof(double));
  w->next = 0;
}

// By rows. The matrix is scaled: pivots are compared with its largest one.
static bool factor_dense(dls_stage_matrix *w)
{
  if (!dls_dense_lu_factor(w->size, w->x, w->pivot, &w->sign)) return false;
  double least = INFINITY, most = 0;
  for (int k = 0; k < w->size; k++) {
    const double pivot = fabs(w->x[(size_t)k * (size_t)w->size + (size_t)k]);
    least = fmin(least, pivot), most = fmax(most, pivot);
  }
  w->pivots = least / most;
  if (!(least > CERTAIN * most)) w->sign = 0;
  return least > SINGULAR * most;
}

bool dls_stage_matrix_factor(dls_stage_matrix *w)
{
  w->sign = 1, w->pivots = 1;
  if (w->size == 0) return true;
  if (!w->p) return factor_dense(w);
  if (!dls_sparse_lu_factor_any(w->lu, w->x)) return false;
  w->pivots = dls_sparse_lu_pivots(w->lu);
  w->sign = w->pivots > CERTAIN ? dls_sparse_lu_sign(w->lu) : 0;
  return w->pivots > SINGULAR;
}

void dls_stage_matrix_solve(dls_stage_matrix *w, double *x)
{
  for (int k = 0; k < w->size; k++) x[k] *= row_scale(w, k);
  if (w->p) dls_sparse_lu_solve(w->lu, 1, x);
  else dls_dense_lu_solve(w->size, w->x, w->pivot, x);
  for (int k = 0; k < w->size; k++) x[k] *= column_scale(w, k);
}
