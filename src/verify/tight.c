// Inequalities that hold with equality in every solution of some modes.          eq (chk.7)
//
// The solutions of K y = r, l_j^T y + e_j >= 0 form a polyhedron. With kappa >= 0 and
//
//   sum_j kappa_j l_j = K^T w,     w^T r + sum_j kappa_j e_j = 0
//
// the sum of kappa_j (l_j^T y + e_j) is 0 at all of its points: each inequality with kappa_j > 0 is
// an equation. Only w and kappa count as proof; a small simplex method looks for them.
#include "base/memory.h"
#include "verify/mode_equations.h"
#include "verify/search.h"

#include <math.h>

// ---- the inequalities --------------------------------------------------------------------------

typedef struct rows {
  dls_trial *x;
  const dls_mode_equations *q;
  int count;
  double *row, *e;  // count x size, by rows
} rows;

static double *add_row(rows *r, double e)
{
  double *row = r->row + (ptrdiff_t)r->count * r->q->size;
  r->e[r->count++] = e;
  return row;
}

// Scaled sign (column^T z + b) >= 0.
static void add_acceleration(rows *r, int j, const double *column, double b, double sign)
{
  const dls_data *d = &r->x->data;
  double *row = add_row(r, sign * d->C[j] * b);
  for (int i = 0; i < d->n; i++) row[i] = sign * d->C[j] * d->D[i] * column[i];
}

// mu s lambda - u^T tau >= 0: true for every u of length 1, tight in the direction of tau.
static void add_cone(rows *r, int j, double sign, double u0, double u1)
{
  const dls_data *d = &r->x->data;
  const int at = r->q->at[j];
  double *row = add_row(r, 0);
  const double unit = dls_data_unit(1 / fmax(1, d->mu_s[j]));
  row[at] = unit * sign * d->mu_s[j];
  row[at + 1] = -unit * u0;
  if (dls_tangents_of(d, j) == 2) row[at + 2] = -unit * u1;
}

static void add_stick(rows *r, int j, double sign, const double *tau)
{
  const dls_data *d = &r->x->data;
  const double *t = tau + d->first[j];
  add_cone(r, j, sign, 1, 0), add_cone(r, j, sign, -1, 0);
  if (dls_tangents_of(d, j) < 2) return;
  add_cone(r, j, sign, 0, 1), add_cone(r, j, sign, 0, -1);
  const double size = hypot(t[0], t[1]);
  // a direction that is a little too short: the inequality holds for every shorter one
  if (size > 0)
    add_cone(r, j, sign, t[0] / size * a_little_shorter, t[1] / size * a_little_shorter);
}

static void collect(rows *r, const dls_modes *mode, const dls_trial_point *point)
{
  const dls_data *d = &r->x->data;
  for (int j = 0; j < d->m; j++) {
    const dls_modes only = dls_mode_only(mode[j]);
    const int sign = dls_mode_sign(mode[j]), k = d->first[j];
    if (only == DLS_DETACH) {
      add_acceleration(r, j, d->g[j], d->b[j], 1);
      continue;
    }
    if (only != DLS_CLOSED || !dls_is_bilateral(d, j)) add_row(r, 0)[r->q->at[j]] = sign;
    if (only == DLS_STICK) add_stick(r, j, sign, point->tau);
    if (only == DLS_PLUS || only == DLS_MINUS)
      add_acceleration(r, j, dls_slip_column(d, k), d->b_t[k], only == DLS_PLUS ? 1 : -1);
  }
}

// ---- the proof ---------------------------------------------------------------------------------

// |K^T w - L^T kappa| and |w^T r + e^T kappa|, each over the size of w and kappa.
static bool is_proof(dls_trial *x, const dls_intervals K, const dls_intervals right, const rows *r,
                     const double *kappa, const double *w)
{
  const int size = r->q->size;
  double largest = 0, error = 0, load = 0;
  mpfi_t sum, term;
  dls_mpfi_init(sum), dls_mpfi_init(term);
  for (int i = 0; i < size; i++) {
    largest = fmax(largest, fabs(w[i]));
    load = fmax(load, dls_interval_abs(dls_interval_of(dls_at(right, i, 0))).high);
  }
  for (int j = 0; j < r->count; j++)
    largest = fmax(largest, kappa[j]), load = fmax(load, fabs(r->e[j]));
  for (int c = 0; c <= size; c++) {  // the last one: the constant
    mpfi_set_si(sum, 0);
    for (int i = 0; i < size; i++) {
      mpfi_set_d(term, w[i]);
      if (c < size) dls_subtract_product(sum, term, dls_at(K, i, c));
      else dls_add_product(sum, term, dls_at(right, i, 0));
    }
    dls_sum_start(&x->sum, 0);
    for (int j = 0; j < r->count; j++)
      dls_sum_add(&x->sum, kappa[j], c < size ? r->row[j * size + c] : r->e[j]);
    mpfi_add(sum, sum, x->sum.value);
    const double off = dls_interval_abs(dls_interval_of(sum)).high;
    if (c < size) error = dls_larger(error, dls_quotient(off, largest));
    else error = dls_larger(error, dls_quotient(off, largest * load));
  }
  mpfi_clear(sum), mpfi_clear(term);
  return error <= x->tolerance;
}

// [K -r] by rows, and the inequalities likewise with their constants, in units of the load: then
// kappa and w make the constant vanish, too.
static bool search(dls_trial *x, const dls_intervals K, const dls_intervals right, const rows *r,
                   double *kappa, double *w)
{
  const int size = r->q->size;
  const ptrdiff_t width = (ptrdiff_t)size + 1;
  double *A = dls_trial_alloc(x, width * size, sizeof *A), load = 0;
  double *L = dls_trial_alloc(x, width * r->count, sizeof *L);
  if (!A || !L) return false;
  for (int i = 0; i < size; i++) load = fmax(load, fabs(dls_middle(dls_at(right, i, 0))));
  for (int j = 0; j < r->count; j++) load = fmax(load, fabs(r->e[j]));
  for (int i = 0; i < size; i++) {
    double *row = A + width * i;
    for (int j = 0; j < size; j++) row[j] = dls_middle(dls_at(K, i, j));
    row[size] = -dls_middle(dls_at(right, i, 0)) / fmax(load, least_size);
  }
  for (int j = 0; j < r->count; j++) {
    dls_copy(L + width * (ptrdiff_t)j, r->row + (width - 1) * (ptrdiff_t)j, width - 1);
    L[width * j + width - 1] = r->e[j] / fmax(load, least_size);
  }
  return dls_search_combination(x, (int)size, (int)width, A, r->count, L, kappa, w);
}

bool dls_find_tight(dls_trial *x, const dls_mode_equations *q, const dls_modes *mode,
                    const dls_intervals K, const dls_intervals right, const dls_trial_point *point,
                    dls_tight *tight)
{
  const ptrdiff_t size = q->size, room = 6 * (ptrdiff_t)x->data.m;
  rows r = {.x = x, .q = q};
  r.row = dls_trial_alloc(x, room * size, sizeof *r.row);
  r.e = dls_trial_alloc(x, room, sizeof *r.e);
  double *w = dls_trial_alloc(x, size, sizeof *w);
  double *kappa = dls_trial_alloc(x, room, sizeof *kappa);
  if (!r.row || !r.e || !w || !kappa) return false;
  collect(&r, mode, point);
  if (!search(x, K, right, &r, kappa, w)) return false;
  if (!is_proof(x, K, right, &r, kappa, w)) return true;
  tight->row = r.row, tight->e = r.e;
  for (int j = 0; j < r.count; j++) {
    if (kappa[j] < 1) continue;
    dls_move(r.row + size * (ptrdiff_t)tight->count, r.row + size * (ptrdiff_t)j, size);
    r.e[tight->count++] = r.e[j];
  }
  return true;
}
