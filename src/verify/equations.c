// The equations of one combination of modes.                                     eq (chk.6)
//
//   | M   -B | | z |   | -F |      B: a column per force that may act, g, h or g - s mu H u
//   | C^T  0 | | f | = | -c |      C: a column per acceleration that vanishes, g or h
//
// A nonsingular matrix leaves at most one solution. Where contacts are redundant or motions have no
// inertia it is singular: inequalities that cannot but hold with equality are equations too, and
// forces that depend on others, to the tolerance, may be left out when only the accelerations are
// asked for, and the other way round.
#include "verify/equations.h"

#include "verify/checks.h"
#include "verify/search.h"

dls_modes dls_mode_only(dls_modes mode)
{
  return mode >= 1u << DLS_PULL_SHIFT ? mode >> DLS_PULL_SHIFT : mode;
}

int dls_mode_sign(dls_modes mode)
{
  return mode >= 1u << DLS_PULL_SHIFT ? -1 : 1;
}

// False for sliding from rest in space: its direction is one of the unknowns.
static bool collect(const dls_data *d, const dls_modes *mode, dls_equations *e)
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
      for (int k = 0; k < dls_slips_of(d, j); k++) normal.u[k] = d->xi[d->first[j] + k];
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

// Entry i of the force column: g_i - sign mu sum_k u_k H_ik, scaled.
static void set_force_entry(arb_t entry, const dls_data *d, const dls_active *a, slong i)
{
  const int j = a->contact;
  arb_t product, factor;
  arb_init(product), arb_init(factor);
  arb_set_d(entry, column_of(d, a)[i]);
  for (int k = 0; a->slip < 0 && k < dls_slips_of(d, j); k++) {
    if (a->u[k] == 0) continue;
    arb_set_d(product, -a->sign * a->u[k]);
    arb_set_d(factor, d->mu[j]);
    arb_mul(product, product, factor, DLS_BITS);
    arb_set_d(factor, dls_slip_column(d, d->first[j] + k)[i]);
    arb_addmul(entry, product, factor, DLS_BITS);
  }
  arb_set_d(factor, d->D[i] * d->C[j]);
  arb_mul(entry, entry, factor, DLS_BITS);
  arb_clear(product), arb_clear(factor);
}

static void fill(const dls_data *d, const dls_equations *e, arb_mat_t K, arb_mat_t right)
{
  const slong n = d->n;
  const dls_scaled M = dls_scaled_mass(d);
  arb_mat_t block;
  arb_mat_window_init(block, K, 0, 0, n, n);
  dls_ball_fill(block, &M);
  arb_mat_window_clear(block);
  for (slong i = 0; i < n; i++) arb_set_d(arb_mat_entry(right, i, 0), -d->D[i] * d->F[i]);
  for (slong c = 0; c < e->count; c++) {
    const dls_active *a = &e->active[c];
    const double unit = d->C[a->contact], b = a->slip < 0 ? d->b[a->contact] : d->b_t[a->slip];
    for (slong i = 0; i < n; i++) {
      arb_set_d(arb_mat_entry(K, n + c, i), unit * d->D[i] * column_of(d, a)[i]);
      set_force_entry(arb_mat_entry(K, i, n + c), d, a, i);
      arb_neg(arb_mat_entry(K, i, n + c), arb_mat_entry(K, i, n + c));
    }
    arb_set_d(arb_mat_entry(right, n + c, 0), -unit * b);
  }
}

bool dls_equations_create(dls_trial *x, const dls_modes *mode, dls_equations *e, bool *linear)
{
  const dls_data *d = &x->data;
  *e = (dls_equations){0};
  e->active = dls_trial_alloc(x, ((size_t)d->m + (size_t)d->slips), sizeof *e->active);
  e->at = dls_trial_alloc(x, (size_t)d->m, sizeof *e->at);
  if (!e->active || !e->at) return false;
  *linear = collect(d, mode, e);
  return true;
}

// ---- solving -----------------------------------------------------------------------------------

// Some rows and columns; NULL: all of them.
typedef struct selection {
  slong size;
  const int *row, *col;
} selection;

// The unknowns of the selection, from `first` to `last`, in X; true when the matrix is nonsingular
// beyond rounding.
static bool solve(const selection *s, const arb_mat_t K, const arb_mat_t right, double noise,
                  slong first, slong last, arb_mat_t X)
{
  arb_mat_t A, b, y;
  arb_mat_init(A, s->size, s->size), arb_mat_init(b, s->size, 1), arb_mat_init(y, s->size, 1);
  for (slong i = 0; i < s->size; i++) {
    const slong row = s->row ? s->row[i] : i;
    arb_set(arb_mat_entry(b, i, 0), arb_mat_entry(right, row, 0));
    for (slong j = 0; j < s->size; j++)
      arb_set(arb_mat_entry(A, i, j), arb_mat_entry(K, row, s->col ? s->col[j] : j));
  }
  const bool solved = dls_ball_solve(y, A, b, noise);
  for (slong j = 0; solved && j < s->size; j++) {
    const slong col = s->col ? s->col[j] : j;
    if (col >= first && col < last) arb_set(arb_mat_entry(X, col, 0), arb_mat_entry(y, j, 0));
  }
  arb_mat_clear(A), arb_mat_clear(b), arb_mat_clear(y);
  return solved;
}

// Middles of some columns, by columns or by rows.
static double *middles(dls_trial *x, const arb_mat_t K, const int *col, slong cols, bool by_rows)
{
  const slong rows = arb_mat_nrows(K);
  double *A = dls_trial_alloc(x, (size_t)(rows * cols), sizeof *A);
  for (slong i = 0; A && i < rows; i++)
    for (slong j = 0; j < cols; j++)
      A[by_rows ? j + cols * i : i + rows * j] =
          arf_get_d(arb_midref(arb_mat_entry(K, i, col[j])), ARF_RND_NEAR);
  return A;
}

// As many independent rows as columns. Of the unknowns from thin to end only those that are
// independent and span the others are kept. False when there are not enough rows.
static bool choose(dls_trial *x, const arb_mat_t K, int thin, int end, selection *s)
{
  const int rows = (int)arb_mat_nrows(K), size = (int)arb_mat_ncols(K);
  int *all = dls_trial_alloc(x, (size_t)size, sizeof *all), count = 0;
  int *chosen = dls_trial_alloc(x, ((size_t)rows + (size_t)size), sizeof *chosen);
  int *col = dls_trial_alloc(x, (size_t)size, sizeof *col);
  int *row = dls_trial_alloc(x, (size_t)rows, sizeof *row);
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
static bool extend(dls_trial *x, const dls_equations *q, const dls_modes *mode, const arb_mat_t K,
                   const arb_mat_t right, const dls_point *point, arb_mat_t more,
                   arb_mat_t more_right)
{
  dls_tight tight = {0};
  if (point && !dls_find_tight(x, q, mode, K, right, point, &tight)) return false;
  const slong size = q->size, rows = size + tight.count;
  arb_mat_clear(more), arb_mat_clear(more_right);
  arb_mat_init(more, rows, size), arb_mat_init(more_right, rows, 1);
  for (slong i = 0; i < rows; i++) {
    if (i < size) arb_set(arb_mat_entry(more_right, i, 0), arb_mat_entry(right, i, 0));
    else arb_set_d(arb_mat_entry(more_right, i, 0), -tight.e[i - size]);
    for (slong j = 0; j < size; j++) {
      if (i < size) arb_set(arb_mat_entry(more, i, j), arb_mat_entry(K, i, j));
      else arb_set_d(arb_mat_entry(more, i, j), tight.row[(i - size) * size + j]);
    }
  }
  return true;
}

void dls_equations_solve(dls_trial *x, const dls_equations *q, const dls_modes *mode,
                         const dls_point *point, arb_mat_t X, bool *accelerations, bool *forces)
{
  const slong size = q->size, n = x->data.n;
  const double noise = x->margin > 0 ? x->margin : x->data.noise;
  selection some = {.size = size};
  arb_mat_t K, right, more, more_right;
  arb_mat_init(K, size, size), arb_mat_init(right, size, 1);
  arb_mat_init(more, 0, 0), arb_mat_init(more_right, 0, 0);
  fill(&x->data, q, K, right);
  // more forces than coordinates: singular
  *accelerations = *forces = q->count <= n && solve(&some, K, right, noise, 0, size, X);
  if (!*forces && extend(x, q, mode, K, right, point, more, more_right)) {
    *accelerations = *forces =
        choose(x, more, (int)n, (int)n, &some) && solve(&some, more, more_right, noise, 0, size, X);
    if (!*forces) {
      *accelerations = choose(x, more, (int)n, (int)size, &some) &&
                       solve(&some, more, more_right, noise, 0, n, X);
      *forces =
          choose(x, more, 0, (int)n, &some) && solve(&some, more, more_right, noise, n, size, X);
    }
  }
  arb_mat_clear(K), arb_mat_clear(right), arb_mat_clear(more), arb_mat_clear(more_right);
}
