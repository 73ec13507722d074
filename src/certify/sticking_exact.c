// Planar contacts without rounding: the cones are sides of polyhedra, and whether forces exist in
// them is decided in whole numbers. Forces may be as large as it takes, and the infimum of all
// sufficient coefficients need not be attained: no tolerance tells these cases apart.   eq (stk.8)
#include "certify/sticking_exact.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

enum { MOST_NODES = 512 };

typedef struct dls_stick_exact exact;

static double *add_row(exact *e, bool equation)
{
  double *row = e->a + e->rows * ((ptrdiff_t)e->cols + 1);
  dls_clear(row, e->cols + 1);
  e->equation[e->rows++] = equation;
  return row;
}

// The load of a row: its constant, that of a factor, or none.
static void set_load(const exact *e, double *row, dls_stick_shape what, double load)
{
  if (what == DLS_SHAPE_WHOLE) row[e->cols] = load;
  if (what == DLS_SHAPE_CONE) row[e->cols - 1] = load;
}

static void add_equations(const dls_stick *s, exact *e, dls_stick_shape what)
{
  const dls_polyhedra *c = s->polyhedra;
  const int n = c->n, m = c->m;
  for (int i = 0; i < n; i++) {
    e->row_of[i] = e->rows;
    double *row = add_row(e, true);
    for (int j = 0; j < n; j++) row[j] = c->M[i + n * j];
    for (int j = 0; j < m; j++) row[n + j] = -c->G[i + n * j];
    for (int k = 0; k < c->tangents; k++) row[n + m + k] = -c->H[i + n * k];
    set_load(e, row, what, c->F[i]);
  }
  for (int j = 0; j < m; j++) {
    e->row_of[n + j] = e->rows;
    double *row = add_row(e, true);
    for (int i = 0; i < n; i++) row[i] = c->G[i + n * j];
    set_load(e, row, what, c->b[j]);
  }
  for (int k = 0; k < c->tangents; k++) {
    e->row_of[n + m + k] = s->slip_row[k] < 0 ? -1 : e->rows;
    if (s->slip_row[k] < 0) continue;
    double *row = add_row(e, true);
    for (int i = 0; i < n; i++) row[i] = c->H[i + n * k];
    set_load(e, row, what, c->b_t[k]);
  }
}

// mu lambda >= |tau|, with the coefficient as a fraction
static void add_cone(const dls_stick *s, exact *e, int j, double sign)
{
  const dls_polyhedra *c = s->polyhedra;
  const int tau = c->first[j];
  const bool common = e->denominator > 0;
  const double unit = c->units.C_n[j] / c->units.C_t[tau];
  e->cone_at[j] = e->rows;
  for (int side = -1; side <= 1; side += 2) {
    double *row = add_row(e, false);
    row[c->n + j] = sign * (common ? e->numerator * unit : c->mu_s[j]);
    row[c->n + c->m + tau] = side * (common ? e->denominator : 1);
  }
}

static void no_tangential_force(const dls_polyhedra *c, exact *e, int j)
{
  for (int k = c->first[j]; k < c->first[j + 1]; k++) add_row(e, true)[c->n + c->m + k] = 1;
}

static bool rubs(const dls_stick *s, int j)
{
  const exact *e = s->exact;
  return s->held[j] && (e->denominator > 0 ? e->numerator > 0 : s->polyhedra->mu_s[j] > 0);
}

bool dls_stick_slides(const dls_stick *s, int j)
{
  return !s->held[j] && s->polyhedra->touch[j] == DLS_TOUCH_SLIDING;
}

// tau = -mu xi |lambda|
static void add_sliding(const dls_polyhedra *c, exact *e, int j, double sign)
{
  for (int k = c->first[j]; k < c->first[j + 1]; k++) {
    double *row = add_row(e, true);
    row[c->n + c->m + k] = 1, row[c->n + j] = sign * c->mu_s[j] * c->xi[k];
  }
}

static void add_contact(const dls_stick *s, exact *e, int j)
{
  const dls_polyhedra *c = s->polyhedra;
  const bool bilateral = dls_polyhedra_bilateral(c, j), held = s->held[j];
  const double sign = e->mode[j] & DLS_MODE_PULLING ? -1 : 1;
  const int what = e->law[j];
  e->cone_at[j] = -1;
  if (e->mode[j] & DLS_MODE_EITHER) return;  // anything may be
  if (dls_stick_slides(s, j)) add_sliding(c, e, j, sign);
  else if (!held) no_tangential_force(c, e, j);
  if (what == DLS_LAW_ANY) return;
  const bool given = what == DLS_LAW_GIVEN, cone = given && rubs(s, j);
  if (cone) add_cone(s, e, j, sign);
  else if (held && what != DLS_LAW_NO_BOUND) no_tangential_force(c, e, j);
  const bool any_sign = bilateral && (held ? given : !dls_stick_slides(s, j));
  if (!cone && !any_sign) add_row(e, false)[c->n + j] = sign;
}

static void drop_inequalities(exact *e)
{
  const ptrdiff_t width = (ptrdiff_t)e->cols + 1;
  int kept = 0;
  for (int i = 0; i < e->rows; i++) {
    if (!e->equation[i]) continue;
    dls_move(e->a + (ptrdiff_t)kept * width, e->a + (ptrdiff_t)i * width, width);
    e->equation[kept++] = true;
  }
  e->rows = kept;
}

// positive: a contact that must press, or -1.
dls_status dls_stick_exact_solve(const dls_stick *s, dls_stick_shape what, int positive,
                                 dls_exact_outcome *outcome)
{
  exact *e = s->exact;
  const dls_polyhedra *c = s->polyhedra;
  e->rows = 0;
  add_equations(s, e, what);
  for (int j = 0; j < c->m; j++) add_contact(s, e, j);
  if (what == DLS_SHAPE_CONE) add_row(e, false)[e->cols - 1] = 1;
  if (positive >= 0) {
    double *row = add_row(e, false);
    row[c->n + positive] = e->mode[positive] & DLS_MODE_PULLING ? -1 : 1;
    row[e->cols] = -1;
  }
  for (int i = 0; i < e->rows && e->slack > 0; i++)
    if (!e->equation[i]) e->a[i * (e->cols + 1) + e->cols] += e->slack;
  if (e->equations_only) drop_inequalities(e);
  const dls_exact_rows rows = {e->rows, e->cols, e->a, e->equation};
  return dls_exact_solve(&rows, e->x, e->y, NULL, outcome);
}

void dls_stick_exact_pattern(const dls_stick *s, int pattern, dls_stick_law what)
{
  exact *e = s->exact;
  for (int j = 0; j < s->polyhedra->m; j++) {
    e->mode[j] = (unsigned char)(dls_stick_mode(s, j) & ~(DLS_MODE_EITHER | DLS_MODE_PULLING));
    e->law[j] = (unsigned char)what;
  }
  for (int k = 0; k < e->signs; k++)
    if (pattern >> k & 1) e->mode[e->either[k]] |= DLS_MODE_PULLING;
}

// --- one coefficient ----------------------------------------------------------------------------

static void read_point(dls_stick *s)
{
  const dls_polyhedra *c = s->polyhedra;
  const double *x = s->exact->x;
  dls_copy(s->point.z, x, c->n);
  dls_copy(s->point.lambda, x + c->n, c->m);
  if (c->tangents) dls_copy(s->point.tau, x + c->n + c->m, c->tangents);
}

void dls_stick_exact_proof(dls_stick *s)
{
  const exact *e = s->exact;
  const dls_polyhedra *c = s->polyhedra;
  for (int i = 0; i < c->n; i++) s->proof.d[i] = e->y[e->row_of[i]];
  for (int j = 0; j < c->m; j++) s->proof.alpha[j] = e->y[e->row_of[c->n + j]];
  for (int k = 0; k < c->tangents; k++) {
    const int row = e->row_of[c->n + c->m + k];
    s->proof.sigma[k] = row < 0 ? 0 : e->y[row];
  }
}

typedef struct walk {
  dls_stick *s;
  int nodes;
  double margin, serves;
  bool found, ambiguous;
} walk;

// The contact of open sign whose force is furthest outside its cone; -1: all are inside.
static int next_contact(const dls_stick *s)
{
  const dls_polyhedra *c = s->polyhedra;
  const exact *e = s->exact;
  int worst = -1;
  double most = -1;
  for (int j = 0; j < c->m; j++) {
    if (!(e->mode[j] & DLS_MODE_EITHER)) continue;
    const double lambda = fabs(s->point.lambda[j]);
    double off = 0;
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      off =
          fmax(off, dls_stick_slides(s, j) ? fabs(s->point.tau[k] + c->mu_s[j] * lambda * c->xi[k])
                                           : fabs(s->point.tau[k]) - c->mu_s[j] * lambda);
    if (off > most) most = off, worst = j;
  }
  return worst;
}

// A proof with p_i >= mu |t_i| holds up to the least p_i / |t_i|. With the multipliers k and l of
// the two sides of a cone p = mu (k + l) and t = +-(k - l), of which rounding of k and l leaves
// less the smaller it is beside them.
static double serves_up_to(const dls_stick *s)
{
  const exact *e = s->exact;
  double least = INFINITY;
  for (int j = 0; j < s->polyhedra->m; j++) {
    if (e->cone_at[j] < 0) continue;
    const double k = e->y[e->cone_at[j]], l = e->y[e->cone_at[j] + 1];
    if (k != l) least = fmin(least, (k + l) / (fabs(k - l) + DBL_EPSILON * (k + l)));
  }
  return least;
}

static dls_status visit(walk *w)  // NOLINT(misc-no-recursion)
{
  dls_stick *s = w->s;
  exact *e = s->exact;
  dls_exact_outcome outcome = DLS_EXACT_LARGE;
  dls_status status = dls_context_go_on(s->polyhedra->x);
  if (status == DLS_OK && w->nodes++ < MOST_NODES)
    status = dls_stick_exact_solve(s, DLS_SHAPE_WHOLE, -1, &outcome);
  if (status != DLS_OK) return status;
  if (outcome == DLS_EXACT_LARGE) return w->ambiguous = true, DLS_OK;
  if (outcome == DLS_EXACT_EMPTY) {
    double margin = 0;
    dls_stick_exact_proof(s);
    status = dls_stick_prove(s, e->mode, &margin);
    w->margin = fmin(w->margin, margin);
    w->serves = fmin(w->serves, serves_up_to(s));
    return status;
  }
  read_point(s);
  const int j = next_contact(s);
  if (j < 0) return w->found = true, DLS_OK;
  const unsigned char before = e->mode[j], plain = (unsigned char)(before & ~DLS_MODE_EITHER);
  const bool pulls = s->point.lambda[j] < 0;
  for (int k = 0; k < 2 && status == DLS_OK && !w->found; k++) {
    e->mode[j] = (k == 0) == pulls ? (unsigned char)(plain | DLS_MODE_PULLING) : plain;
    status = visit(w);
  }
  e->mode[j] = before;
  return status;
}

static dls_status search(dls_stick *s, double slack, dls_stick_outcome *outcome)
{
  exact *e = s->exact;
  walk w = {.s = s, .margin = INFINITY, .serves = INFINITY};
  s->leaves = 0, s->margin = 0;
  for (int j = 0; j < s->polyhedra->m; j++) {
    e->mode[j] = (unsigned char)dls_stick_mode(s, j);
    e->law[j] = DLS_LAW_GIVEN;
  }
  s->exactly = true, e->slack = slack;
  const dls_status status = visit(&w);
  s->exactly = false, e->slack = 0;
  double within = 0;
  *outcome = w.found ? DLS_STICK_YES : w.ambiguous ? DLS_STICK_AMBIGUOUS : DLS_STICK_NO;
  if (w.found) dls_stick_fault(s, NULL, &s->point, &within, NULL);
  s->margin = w.found ? fmax(within, 0) : w.margin;
  e->serves = w.serves;
  return status;
}

dls_status dls_stick_exact_search(dls_stick *s, dls_stick_outcome *outcome)
{
  return search(s, 0, outcome);
}

// What is missing may be rounding of the data: then it is none.                      eq (num.1)
dls_status dls_stick_exact_answer(dls_stick *s, dls_stick_outcome *outcome)
{
  dls_status status = search(s, 0, outcome);
  if (status != DLS_OK || *outcome != DLS_STICK_NO || s->margin > s->polyhedra->margin)
    return status;
  status = search(s, s->polyhedra->x->basic.noise * s->polyhedra->load, outcome);
  if (*outcome == DLS_STICK_NO) s->margin = 0;
  return status;
}

dls_status dls_stick_exact_fraction(dls_stick *s, double numerator, double denominator,
                                    dls_stick_outcome *outcome, double *serves)
{
  exact *e = s->exact;
  dls_stick_set_friction(s, numerator / denominator);
  e->numerator = numerator, e->denominator = denominator;
  const dls_status status = dls_stick_exact_search(s, outcome);
  e->numerator = e->denominator = 0;
  *serves = e->serves * (numerator / denominator);
  return status;
}

// Data that are degenerate but for a little may have another answer as they are: an answer stands
// when that is rounding, one unit in the last place of each number.                   eq (num.1)
dls_status dls_stick_exact_objects(dls_stick *s, dls_stick_outcome found, bool *objects)
{
  dls_stick_outcome outcome = DLS_STICK_AMBIGUOUS;
  *objects = false;
  if (!s->objector) return DLS_OK;
  const dls_point point = s->point;
  const double margin = s->margin, least = s->least_margin;
  const ptrdiff_t leaves = s->leaves;
  const bool keep = s->keep_leaves;
  s->exact = s->objector, s->keep_leaves = false, s->least_margin = 0;
  dls_status status = dls_point_create(s->polyhedra->x, s->polyhedra, &s->point);
  if (status == DLS_OK) status = search(s, 0, &outcome);
  const bool beyond = s->margin > s->polyhedra->x->basic.noise / 8 || s->nearly || s->doubtful;
  *objects =
      outcome != DLS_STICK_AMBIGUOUS && outcome != found && (outcome == DLS_STICK_YES || beyond);
  s->exact = NULL, s->keep_leaves = keep, s->least_margin = least;
  s->point = point, s->margin = margin, s->leaves = leaves;
  return status;
}
