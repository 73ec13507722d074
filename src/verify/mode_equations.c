// The equations of one combination of modes.                                     eq (chk.6)
//
//   | M   -B | | z |   | -F |      B: a column per force that may act, g, h or g - s mu H u
//   | C^T  0 | | f | = | -c |      C: a column per acceleration that vanishes, g or h
//
// A nonsingular matrix leaves at most one solution. Where contacts are redundant or motions have no
// inertia it is singular: inequalities that cannot but hold with equality are equations too, and
// forces that depend on others, to the tolerance, may be left out when only the accelerations are
// asked for, and the other way round.
#include "verify/mode_equations.h"

#include "verify/checks.h"
#include "verify/search.h"

#include <math.h>

dls_modes dls_mode_only(dls_modes mode)
{
  return mode >= 1u << DLS_PULL_SHIFT ? mode >> DLS_PULL_SHIFT : mode;
}

int dls_mode_sign(dls_modes mode)
{
  return mode >= 1u << DLS_PULL_SHIFT ? -1 : 1;
}

// False for sliding from rest in space: its direction is one of the unknowns.
static bool collect(const dls_data *d, const dls_modes *mode, dls_mode_equations *e)
{
  for (int j = 0; j < d->m; j++) {
    const dls_modes only = dls_mode_only(mode[j]);
    e->at[j] = -1;
    if (only == DLS_DETACH) continue;
    dls_active normal = {.contact = j, .slip = -1, .sign = dls_mode_sign(mode[j])};
    if (only == DLS_PLUS) normal.u[0] = 1;
    if (only == DLS_MINUS) normal.u[0] = -1;
    if (only == DLS_SLIDE) {
      if (!d->sliding[j]) return false;
      for (int k = 0; k < dls_tangents_of(d, j); k++) normal.u[k] = d->xi[d->first[j] + k];
    }
    e->at[j] = d->n + e->count;
    e->active[e->count++] = normal;
    for (int k = d->first[j]; k < d->first[j + 1] && only == DLS_STICK; k++)
      e->active[e->count++] = (dls_active){.contact = j, .slip = k, .sign = 1};
  }
  e->size = d->n + e->count;
  return true;
}

static const double *column_of(const dls_data *d, const dls_active *a)
{
  return a->slip < 0 ? d->g[a->contact] : dls_slip_column(d, a->slip);
}

// What the force of a contact that slides is measured by: friction may be far more than it.
double dls_force_unit(const dls_data *d, const dls_active *a)
{
  const bool slides = a->slip < 0 && (a->u[0] != 0 || a->u[1] != 0);
  return slides ? dls_data_unit(1 / fmax(1, d->mu[a->contact])) : 1;
}

// Entry i of the force column: g_i - sign mu sum_k u_k H_ik, scaled.
static void set_force_entry(mpfi_t entry, const dls_data *d, const dls_active *a, int i)
{
  const int j = a->contact;
  mpfi_t product, factor;
  dls_mpfi_init(product), dls_mpfi_init(factor);
  mpfi_set_d(entry, column_of(d, a)[i]);
  for (int k = 0; a->slip < 0 && k < dls_tangents_of(d, j); k++) {
    if (a->u[k] == 0) continue;
    mpfi_set_d(product, -a->sign * a->u[k]);
    mpfi_set_d(factor, d->mu[j]);
    mpfi_mul(product, product, factor);
    mpfi_set_d(factor, dls_slip_column(d, d->first[j] + k)[i]);
    dls_add_product(entry, product, factor);
  }
  mpfi_set_d(factor, d->D[i] * d->C[j] * dls_force_unit(d, a));
  mpfi_mul(entry, entry, factor);
  mpfi_clear(product), mpfi_clear(factor);
}

static void fill(const dls_data *d, const dls_mode_equations *e, dls_intervals K,
                 dls_intervals right)
{
  const int n = d->n;
  const dls_scaled M = dls_scaled_mass(d);
  dls_intervals_fill(K, &M);
  for (int i = 0; i < n; i++) mpfi_set_d(dls_at(right, i, 0), -d->D[i] * d->F[i]);
  for (int c = 0; c < e->count; c++) {
    const dls_active *a = &e->active[c];
    const double unit = d->C[a->contact], b = a->slip < 0 ? d->b[a->contact] : d->b_t[a->slip];
    for (int i = 0; i < n; i++) {
      mpfi_set_d(dls_at(K, n + c, i), unit * d->D[i] * column_of(d, a)[i]);
      set_force_entry(dls_at(K, i, n + c), d, a, i);
      mpfi_neg(dls_at(K, i, n + c), dls_at(K, i, n + c));
    }
    mpfi_set_d(dls_at(right, n + c, 0), -unit * b);
  }
}

bool dls_equations_create(dls_trial *x, const dls_modes *mode, dls_mode_equations *e, bool *linear)
{
  const dls_data *d = &x->data;
  *e = (dls_mode_equations){0};
  e->active = dls_trial_alloc(x, ((ptrdiff_t)d->m + d->tangents), sizeof *e->active);
  e->at = dls_trial_alloc(x, d->m, sizeof *e->at);
  if (!e->active || !e->at) return false;
  *linear = collect(d, mode, e);
  return true;
}

// ---- solving -----------------------------------------------------------------------------------

// Some rows and columns; NULL: all of them.
typedef struct selection {
  int size;
  const int *row, *col;
} selection;

// The unknowns of the selection, from `first` to `last`, in X; true when the matrix is nonsingular
// beyond rounding.
static bool solve(const selection *s, const dls_intervals K, const dls_intervals right,
                  double noise, int first, int last, dls_intervals X)
{
  dls_intervals A, b, y;
  dls_intervals_init(A, s->size, s->size, DLS_BITS), dls_intervals_init(b, s->size, 1, DLS_BITS),
      dls_intervals_init(y, s->size, 1, DLS_BITS);
  for (int i = 0; i < s->size; i++) {
    const int row = s->row ? s->row[i] : i;
    mpfi_set(dls_at(b, i, 0), dls_at(right, row, 0));
    for (int j = 0; j < s->size; j++)
      mpfi_set(dls_at(A, i, j), dls_at(K, row, s->col ? s->col[j] : j));
  }
  const bool solved = dls_intervals_solve(y, A, b, noise);
  for (int j = 0; solved && j < s->size; j++) {
    const int col = s->col ? s->col[j] : j;
    if (col >= first && col < last) mpfi_set(dls_at(X, col, 0), dls_at(y, j, 0));
  }
  dls_intervals_clear(A), dls_intervals_clear(b), dls_intervals_clear(y);
  return solved;
}

// Middles of some columns, by columns or by rows.
static double *middles(dls_trial *x, const dls_intervals K, const int *col, int cols, bool by_rows)
{
  const int rows = K->rows;
  double *A = dls_trial_alloc(x, (ptrdiff_t)rows * cols, sizeof *A);
  for (int i = 0; A && i < rows; i++)
    for (int j = 0; j < cols; j++)
      A[by_rows ? j + cols * i : i + rows * j] = dls_middle(dls_at(K, i, col[j]));
  return A;
}

// As many independent rows as columns. Of the unknowns from thin to end only those that are
// independent and span the others are kept. False when there are not enough rows.
static bool choose(dls_trial *x, const dls_intervals K, int thin, int end, selection *s)
{
  const int rows = (int)K->rows, size = (int)K->cols;
  int *all = dls_trial_alloc(x, size, sizeof *all), count = 0;
  int *chosen = dls_trial_alloc(x, ((ptrdiff_t)rows + size), sizeof *chosen);
  int *col = dls_trial_alloc(x, size, sizeof *col);
  int *row = dls_trial_alloc(x, rows, sizeof *row);
  if (!all || !chosen || !col || !row) return false;
  for (int i = 0; i < size; i++) all[i] = i;
  const double *B = middles(x, K, all + thin, end - thin, false);
  const int kept = B ? dls_independent_columns(x, rows, B, end - thin, chosen) : -1;
  if (kept < 0) return false;
  for (int i = 0; i < size; i++)
    if (i < thin || i >= end) col[count++] = i;
  for (int i = 0; i < kept; i++) col[count++] = thin + chosen[i];
  const double *by_rows = middles(x, K, col, count, true);
  *s = (selection){count, row, col};
  return by_rows && dls_independent_columns(x, count, by_rows, rows, row) == count;
}

// The equations with those that tight inequalities add.
static bool extend(dls_trial *x, const dls_mode_equations *q, const dls_modes *mode,
                   const dls_intervals K, const dls_intervals right, const dls_trial_point *point,
                   dls_intervals more, dls_intervals more_right)
{
  dls_tight tight = {0};
  if (point && !dls_find_tight(x, q, mode, K, right, point, &tight)) return false;
  const int size = q->size, rows = size + tight.count;
  dls_intervals_clear(more), dls_intervals_clear(more_right);
  dls_intervals_init(more, rows, size, DLS_BITS), dls_intervals_init(more_right, rows, 1, DLS_BITS);
  for (int i = 0; i < rows; i++) {
    if (i < size) mpfi_set(dls_at(more_right, i, 0), dls_at(right, i, 0));
    else mpfi_set_d(dls_at(more_right, i, 0), -tight.e[i - size]);
    for (int j = 0; j < size; j++) {
      if (i < size) mpfi_set(dls_at(more, i, j), dls_at(K, i, j));
      else mpfi_set_d(dls_at(more, i, j), tight.row[(i - size) * size + j]);
    }
  }
  return true;
}

void dls_equations_solve(dls_trial *x, const dls_mode_equations *q, const dls_modes *mode,
                         const dls_trial_point *point, dls_intervals X, bool *accelerations,
                         bool *forces)
{
  const int size = q->size, n = x->data.n;
  const double noise = x->margin > 0 ? x->margin : x->data.noise;
  selection some = {.size = size};
  dls_intervals K, right, more, more_right;
  dls_intervals_init(K, size, size, DLS_BITS), dls_intervals_init(right, size, 1, DLS_BITS);
  dls_intervals_init(more, 0, 0, DLS_BITS), dls_intervals_init(more_right, 0, 0, DLS_BITS);
  fill(&x->data, q, K, right);
  // more forces than coordinates: singular
  *accelerations = *forces = q->count <= n && solve(&some, K, right, noise, 0, size, X);
  // what holds to the tolerance only is not asked where the equations tell
  if (!*forces)
    *accelerations = choose(x, K, n, size, &some) && solve(&some, K, right, noise, 0, n, X);
  if (!*forces && extend(x, q, mode, K, right, point, more, more_right)) {
    const int first = *accelerations ? n : 0;
    *forces = choose(x, more, n, n, &some) && solve(&some, more, more_right, noise, first, size, X);
    if (!*forces && !*accelerations)
      *accelerations =
          choose(x, more, n, size, &some) && solve(&some, more, more_right, noise, 0, n, X);
    else *accelerations = true;
    if (!*forces)
      *forces = choose(x, more, 0, n, &some) && solve(&some, more, more_right, noise, n, size, X);
  }
  dls_intervals_clear(K), dls_intervals_clear(right), dls_intervals_clear(more),
      dls_intervals_clear(more_right);
}
