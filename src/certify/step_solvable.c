// The incremental problem of a time step at this state has unknown velocities v, relative
// velocities (G^T v + w_n, H^T v + w_t), and impulses in the cones L. It has a solution for every
// mass matrix and load when some velocities lie in the dual cones,
//
//   g_i^T v + w_n,i >= mu_i |H_i^T v + w_t,i|   for all i                           eq (stp.1)
//
// (CVX (4.1) strictly, (4.4) otherwise), for every w when strictly so with w = 0 (CVX (5.1)).
// Where bilateral contacts have friction, L is not convex; see step_signs.c.
// When impulses r in L have G r_n + H r_t = 0 and w^T r < 0 there are none, and not even in the
// closure (CVX (4.6)): the two alternatives.
#include "certify/step_solvable.h"

#include "base/memory.h"
#include "certify/step_internal.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "convex/cone_rows.h"
#include "convex/lp_exact.h"
#include "linalg/dense.h"

#include <math.h>

bool dls_step_rubs(const dls_step *s, int j)
{
  return !s->smooth && dls_polyhedra_tangents(s->c, j) > 0 && s->c->mu[j] > 0;
}

bool dls_step_round(const dls_step *s, int j)
{
  return dls_step_rubs(s, j) && dls_polyhedra_tangents(s->c, j) > 1;
}

static double friction(const dls_step *s, int j)
{
  return dls_step_rubs(s, j) ? s->c->mu[j] : 0;
}

static bool asks_slack(const dls_step *s, int j)
{
  return s->law[j] == DLS_STEP_CONE && (!s->inside_space || dls_step_round(s, j));
}

static dls_status create(dls_step *s)
{
  const dls_polyhedra *c = s->c;
  const dls_friction *f = s->x->given.friction;
  s->w_n = dls_context_work(s->x, c->m), s->w_t = dls_context_work(s->x, c->tangents);
  s->v = dls_context_work(s->x, c->n), s->lambda = dls_context_work(s->x, c->m);
  s->tau = dls_context_work(s->x, c->tangents);
  s->sign = dls_context_work(s->x, c->m);
  s->law = dls_arena_alloc(s->x->work, c->m, 1);
  if (s->x->out_of_memory || !s->law) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    s->sign[j] = 1;
    s->law[j] = dls_polyhedra_bilateral(c, j) ? DLS_STEP_KEEP : DLS_STEP_CONE;
    s->w_n[j] = f->w_n ? c->units.C_n[j] * f->w_n[j] : 0;
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      s->w_t[k] = f->w_t && dls_step_rubs(s, j) ? c->units.C_t[k] * f->w_t[k] : 0;
  }
  const double largest = fmax(dls_norm_max(c->m, s->w_n), dls_norm_max(c->tangents, s->w_t));
  s->size = largest > 0 ? ldexp(1, ilogb(largest)) : 0;  // nothing rounds
  for (int j = 0; j < c->m && s->size > 0; j++) s->w_n[j] /= s->size;
  for (int k = 0; k < c->tangents && s->size > 0; k++) s->w_t[k] /= s->size;
  return DLS_OK;
}

// --- the program --------------------------------------------------------------------------------

static void write_equations(const dls_step *s, bool with_w, dls_cone_rows *rows)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  for (int j = 0; j < c->m; j++) {
    if (s->law[j] == DLS_STEP_CONE) continue;
    dls_cone_rows_equation(rows, with_w ? s->w_n[j] : 0);
    dls_cone_rows_add(rows, 1, c->n, c->G + n * j);
    for (int k = c->first[j]; k < c->first[j + 1] && s->law[j] == DLS_STEP_REST; k++) {
      dls_cone_rows_equation(rows, with_w ? s->w_t[k] : 0);
      dls_cone_rows_add(rows, 1, c->n, c->H + n * k);
    }
  }
}

static void write_inequalities(const dls_step *s, bool with_w, dls_cone_rows *rows)
{
  const dls_polyhedra *c = s->c;
  const int t = c->n;
  dls_cone_rows_inequality(rows, 1);
  dls_cone_rows_entry(rows, t, -1);
  for (int i = 0; !with_w && i < c->n; i++)
    for (int side = -1; side <= 1; side += 2) {
      dls_cone_rows_inequality(rows, 1);
      dls_cone_rows_entry(rows, i, side);
    }
  for (int j = 0; j < c->m; j++) {
    if (s->law[j] != DLS_STEP_CONE || dls_step_rubs(s, j)) continue;
    dls_cone_rows_inequality(rows, with_w ? s->w_n[j] : 0);
    dls_cone_rows_add(rows, 1, c->n, c->G + (ptrdiff_t)c->n * j);
    if (asks_slack(s, j)) dls_cone_rows_entry(rows, t, -1);
  }
}

static void write_cones(const dls_step *s, bool with_w, dls_cone_rows *rows)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  for (int j = 0; j < c->m; j++) {
    if (s->law[j] != DLS_STEP_CONE || !dls_step_rubs(s, j)) continue;
    const double scale = s->sign[j] / c->mu[j];
    dls_cone_rows_cone(rows, 1 + dls_polyhedra_tangents(c, j));
    dls_cone_rows_next(rows, with_w ? scale * s->w_n[j] : 0);
    dls_cone_rows_add(rows, scale, c->n, c->G + n * j);
    if (asks_slack(s, j)) dls_cone_rows_entry(rows, c->n, -1 / c->mu[j]);
    for (int k = c->first[j]; k < c->first[j + 1]; k++) {
      dls_cone_rows_next(rows, with_w ? s->w_t[k] : 0);
      dls_cone_rows_add(rows, 1, c->n, c->H + n * k);
    }
  }
}

// The duals of the rows are impulses: sign r_n = y / mu at a cone's first row, r_t = y.
static void read_impulses(dls_step *s, bool with_w, const double *y)
{
  const dls_polyhedra *c = s->c;
  dls_clear(s->tau, c->tangents);
  for (int j = 0; j < c->m; j++) {
    if (s->law[j] == DLS_STEP_CONE) continue;
    s->lambda[j] = *y++;
    for (int k = c->first[j]; k < c->first[j + 1] && s->law[j] == DLS_STEP_REST; k++)
      s->tau[k] = *y++;
  }
  y += 1 + (with_w ? 0 : 2 * c->n);
  for (int j = 0; j < c->m; j++)
    if (s->law[j] == DLS_STEP_CONE && !dls_step_rubs(s, j)) s->lambda[j] = *y++;
  for (int j = 0; j < c->m; j++) {
    if (s->law[j] != DLS_STEP_CONE || !dls_step_rubs(s, j)) continue;
    s->lambda[j] = s->sign[j] * *y++ / c->mu[j];
    for (int k = c->first[j]; k < c->first[j + 1]; k++) s->tau[k] = *y++;
  }
}

dls_status dls_step_slack(dls_step *s, bool with_w, double *slack)
{
  const dls_polyhedra *c = s->c;
  dls_cone_rows rows = {.n = c->n + 1};
  double *cost = dls_context_work(s->x, rows.n), *x = dls_context_work(s->x, rows.n);
  double *y = dls_context_work(s->x, 2 * (ptrdiff_t)c->m + c->tangents + 2 * (ptrdiff_t)c->n + 4);
  if (s->x->out_of_memory) return DLS_ERR_MEMORY;
  write_equations(s, with_w, &rows);
  write_inequalities(s, with_w, &rows);
  write_cones(s, with_w, &rows);
  cost[c->n] = -1;
  dls_cone_report report = {0};
  const dls_status status = dls_cone_rows_solve(&rows, cost, x, y, &report);
  *slack = NAN;
  if (status == DLS_OK && report.outcome == DLS_CONE_SOLVED) *slack = x[c->n];
  if (status == DLS_OK && report.outcome == DLS_CONE_PRIMAL_INFEASIBLE) *slack = -INFINITY;
  dls_copy(s->v, x, c->n);
  read_impulses(s, with_w, y);
  dls_cone_rows_free(&rows);
  return status;
}

// --- what velocities do -------------------------------------------------------------------------

typedef struct relative {
  double normal, slip, terms;  // slip: its length; terms: what they are sums of
} relative;

static double add_terms(const double *a, const double *v, int n, double constant)
{
  double sum = fabs(constant);
  for (int i = 0; i < n; i++) sum += fabs(a[i] * v[i]);
  return sum;
}

static relative velocity_at(const dls_step *s, int j, bool with_w)
{
  const dls_polyhedra *c = s->c;
  const double *g = c->G + (ptrdiff_t)c->n * j, w_n = with_w ? s->w_n[j] : 0;
  const double mu = friction(s, j);
  relative u = {dls_dot(c->n, g, s->v) + w_n, 0, add_terms(g, s->v, c->n, w_n)};
  double t[2] = {0};
  for (int k = c->first[j]; mu > 0 && k < c->first[j + 1]; k++) {
    const double *h = c->H + (ptrdiff_t)c->n * k, w_t = with_w ? s->w_t[k] : 0;
    t[k - c->first[j]] = dls_dot(c->n, h, s->v) + w_t;
    u.terms += mu * add_terms(h, s->v, c->n, w_t);
  }
  u.slip = hypot(t[0], t[1]);
  return u;
}

// How far a contact is from its law; negative when strictly inside its cone.
static double excess(const dls_step *s, int j, const relative *u)
{
  const double mu = friction(s, j);
  if (s->law[j] == DLS_STEP_KEEP) return fabs(u->normal);
  if (s->law[j] == DLS_STEP_REST) return fabs(u->normal) + mu * u->slip;
  return mu * u->slip - s->sign[j] * u->normal;
}

double dls_step_outside(const dls_step *s, bool with_w)
{
  const dls_polyhedra *c = s->c;
  const double size = fmax(with_w && s->size > 0 ? 1 : 0, dls_norm_max(c->n, s->v));
  double worst = -INFINITY;
  for (int j = 0; j < c->m; j++) {
    const relative u = velocity_at(s, j, with_w);
    const double off = excess(s, j, &u) / fmax(1, friction(s, j));
    if (asks_slack(s, j) || off > c->margin * (s->inside_space ? u.terms : size))
      worst = fmax(worst, off);
  }
  return size > 0 ? worst / size : worst;
}

// Units of what has no mass must not make up for rounding.
bool dls_step_inside(const dls_step *s)
{
  for (int j = 0; j < s->c->m; j++) {
    const relative u = velocity_at(s, j, true);
    if (!(excess(s, j, &u) <= s->c->margin * u.terms)) return false;
  }
  return true;
}

// --- without rounding ---------------------------------------------------------------------------

typedef struct planar {
  int cols, rows;
  double *a;
  bool *equation;
} planar;

static double *add_row(planar *p, const double *entries, int n, double factor, bool equation)
{
  double *row = p->a + ((ptrdiff_t)p->cols + 1) * p->rows;
  for (int i = 0; i < n; i++) row[i] = factor * entries[i];
  p->equation[p->rows++] = equation;
  return row;
}

// One more unknown for each slip velocity of a cone, so that nothing is multiplied.
static void add_contact(const dls_step *s, int j, planar *p)
{
  const dls_polyhedra *c = s->c;
  const double *g = c->G + (ptrdiff_t)c->n * j, sign = s->sign[j];
  const bool cone = s->law[j] == DLS_STEP_CONE, rubs = dls_step_rubs(s, j);
  const int slip = c->first[j];
  for (int side = 1; side >= (cone && rubs ? -1 : 1); side -= 2) {
    double *row = add_row(p, g, c->n, sign, !cone);
    row[p->cols] = sign * s->w_n[j];
    if (cone && rubs) row[c->n + slip] = side * c->mu[j];
  }
  if (!rubs || s->law[j] == DLS_STEP_KEEP) return;
  double *row = add_row(p, c->H + (ptrdiff_t)c->n * slip, c->n, 1, true);
  row[p->cols] = s->w_t[slip];
  if (cone) row[c->n + slip] = -1;
}

// The multipliers of the rows as impulses.
static void read_proof(dls_step *s, const double *y)
{
  const dls_polyhedra *c = s->c;
  for (int j = 0; j < c->m; j++) {
    const bool cone = s->law[j] == DLS_STEP_CONE, rubs = dls_step_rubs(s, j);
    s->lambda[j] = s->sign[j] * *y++;
    if (cone && rubs) s->lambda[j] += s->sign[j] * *y++;
    if (rubs && s->law[j] != DLS_STEP_KEEP) s->tau[c->first[j]] = *y++;
  }
}

dls_status dls_step_planar(dls_step *s, bool *found)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t cols = (ptrdiff_t)c->n + c->tangents, most = c->m + 2 * (ptrdiff_t)c->tangents;
  *found = false;
  dls_clear(s->lambda, c->m), dls_clear(s->tau, c->tangents);
  for (int j = 0; j < c->m; j++)
    if (dls_step_round(s, j)) return DLS_OK;
  planar p = {.cols = (int)cols,
              .a = dls_context_work(s->x, most * (cols + 1)),
              .equation = dls_arena_alloc(s->x->work, most, sizeof *p.equation)};
  double *x = dls_context_work(s->x, cols), *y = dls_context_work(s->x, most);
  if (s->x->out_of_memory || !p.equation) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) add_contact(s, j, &p);
  const dls_exact_rows data = {p.rows, p.cols, p.a, p.equation};
  dls_exact_outcome outcome;
  const dls_status status = dls_exact_solve(&data, x, y, NULL, &outcome);
  if (status == DLS_OK && outcome == DLS_EXACT_EMPTY) read_proof(s, y);
  if (status != DLS_OK || outcome != DLS_EXACT_POINT) return status;
  dls_copy(s->v, x, c->n);
  *found = dls_step_inside(s);
  return DLS_OK;
}

// --- verdicts -----------------------------------------------------------------------------------

double *dls_step_velocity(const dls_step *s)
{
  double *velocity = dls_context_keep(s->x, s->c->n);
  const double unit = s->size > 0 ? s->size : 1;
  for (int i = 0; velocity && i < s->c->n; i++) velocity[i] = unit * s->c->units.D[i] * s->v[i];
  return velocity;
}

static void accept(dls_step *s, double margin, const char *by)
{
  dls_verdict *v = dls_verdict_set(
      s->x, DLS_STEP_SOLVABLE, DLS_YES, margin, by,
      "g_i^T velocity + w_n >= mu_i |H_i^T velocity + w_t| at every unilateral contact, G_b^T "
      "velocity + w_n = 0");
  double *velocity = dls_step_velocity(s);
  if (velocity)
    v->part[v->parts++] = (dls_witness_part){.name = "velocity",
                                             .index_set = DLS_INDEX_COORDINATES,
                                             .count = s->c->n,
                                             .values = velocity};
}

// The impulses of the dual onto the cones; how far they are then from cancelling each other.
static double cancel(dls_step *s)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  double off = 0;
  for (int j = 0; j < c->m; j++) {
    if (s->law[j] != DLS_STEP_CONE) continue;
    const double *t = s->tau + c->first[j];
    const int tangents = dls_polyhedra_tangents(c, j);
    double normal = fmax(0, s->sign[j] * s->lambda[j]);
    if (dls_step_rubs(s, j))
      normal = fmax(normal, (tangents == 2 ? hypot(t[0], t[1]) : fabs(t[0])) / c->mu[j]);
    s->lambda[j] = s->sign[j] * normal;
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    long double sum = 0;
    for (ptrdiff_t j = 0; j < c->m; j++) sum += (long double)c->G[i + n * j] * s->lambda[j];
    for (ptrdiff_t k = 0; k < c->tangents; k++) sum += (long double)c->H[i + n * k] * s->tau[k];
    off = fmax(off, fabs((double)sum));
  }
  return off;
}

static const char *why_refused(const dls_step *s)
{
  if (s->smooth)
    return "no velocity keeps the bilateral contacts and opens or keeps the unilateral ones: no "
           "step has a solution";
  for (int j = 0; j < s->c->m_b; j++)
    if (dls_step_rubs(s, j))
      return "the criterion (stp.3), theory §7, fails: forces that balance each other work against "
             "the imposed motion";
  return "the criterion CVX (4.6), theory §7, fails: forces that balance each other work against "
         "the imposed motion, so existence depends on the load";
}

// unbalanced: what may be left of impulses that cancel, of their size.
static bool refuse_by(dls_step *s, double unbalanced)
{
  const dls_polyhedra *c = s->c;
  const double size = fmax(dls_norm_max(c->m, s->lambda), dls_norm_max(c->tangents, s->tau));
  if (!(size > 0)) return false;
  const double off = cancel(s);
  const double work = dls_dot(c->m, s->w_n, s->lambda) + dls_dot(c->tangents, s->w_t, s->tau);
  if (!(off <= unbalanced * size) || !(work < -c->tolerance * size)) return false;
  double *all = dls_context_keep(s->x, c->m), *tau = dls_context_keep(s->x, c->tangents);
  if (!all || !tau) return false;
  for (int j = 0; j < c->m; j++) all[j] = c->units.C_n[j] * s->lambda[j] / size;
  for (int k = 0; k < c->tangents; k++) tau[k] = c->units.C_t[k] * s->tau[k] / size;
  dls_verdict *v = dls_verdict_set(
      s->x, DLS_STEP_SOLVABLE, DLS_NO, -work / size, why_refused(s),
      "G_u lambda_u + G_b lambda_b + H tau = 0, lambda_u >= 0, |tau_i| <= mu_i |lambda_i|, and "
      "w_n^T lambda + w_t^T tau < 0");
  dls_witness_forces(c, v, all, tau);
  return true;
}

// What a conic program leaves open beyond rounding, whole numbers decide; of round cones they
// cannot. Velocities that only rounding of the data leaves room for are none.                  eq
// (num.1)
dls_status dls_step_refuse(dls_step *s, bool *no)
{
  const dls_polyhedra *c = s->c;
  const double loose = fmax(c->margin, cancel_unbalanced * c->tolerance);
  bool found = false, round = false;
  for (int j = 0; j < c->m; j++) round |= dls_step_round(s, j);
  *no = refuse_by(s, round ? loose : c->margin);
  if (*no || round) return DLS_OK;
  double *lambda = dls_context_work(s->x, c->m), *tau = dls_context_work(s->x, c->tangents);
  if (s->x->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(lambda, s->lambda, c->m), dls_copy(tau, s->tau, c->tangents);
  dls_clear(s->v, c->n);
  const dls_status status = dls_step_planar(s, &found);
  if (status != DLS_OK) return status;
  if (!found) *no = refuse_by(s, c->margin);
  if (*no || !(dls_norm_max(c->n, s->v) * c->margin > 1)) return DLS_OK;
  dls_copy(s->lambda, lambda, c->m), dls_copy(s->tau, tau, c->tangents);
  *no = refuse_by(s, loose);
  return DLS_OK;
}

// --- the answer ---------------------------------------------------------------------------------

// No velocity at all, whatever friction does? This says more than that the criterion fails.
static dls_status refuse_smooth(dls_step *s)
{
  double slack = NAN;
  bool no;
  s->smooth = true;
  for (int j = 0; j < s->c->m_b; j++) s->law[j] = DLS_STEP_KEEP;
  dls_status status = dls_step_slack(s, true, &slack);
  if (status == DLS_OK && slack < -s->c->tolerance) status = dls_step_refuse(s, &no);
  s->smooth = false;
  return status;
}

// Velocities that are in the dual cones, but not beyond the tolerance.
static dls_status decide_border(dls_step *s)
{
  bool found = dls_step_inside(s);
  const dls_status status = found ? DLS_OK : dls_step_planar(s, &found);
  if (found) accept(s, 0, "velocities in the dual cones (CVX (4.4), theory §7)");
  return status;
}

// Strictly inside for w = 0: a multiple of this motion outweighs every imposed one.
static bool outweigh(dls_step *s, double slack)
{
  const dls_polyhedra *c = s->c;
  const double inside = -dls_step_outside(s, false);
  if (c->m_b > 0 || !(slack > c->tolerance) || !(inside > c->tolerance)) return false;
  const double far = (2 + 4 * dls_norm_max(c->m, c->mu)) / inside;
  for (int i = 0; i < c->n; i++) s->v[i] *= far / fmax(dls_norm_max(c->n, s->v), not_zero);
  return dls_step_outside(s, true) < 0;
}

static dls_status decide_cones(dls_step *s)
{
  const dls_polyhedra *c = s->c;
  double slack = NAN;
  bool no;
  dls_status status = dls_step_slack(s, false, &slack);
  if (status != DLS_OK) return status;
  if (outweigh(s, slack)) {
    accept(s, slack,
           "whatever moves at the contacts: no forces in the cones cancel (CVX (5.1), theory §7)");
    return DLS_OK;
  }
  if (s->size == 0) {
    dls_clear(s->v, c->n);
    accept(s, 0, "nothing moves on its own at the contacts: v = 0 (CVX (4.4), theory §7)");
    return DLS_OK;
  }
  status = dls_step_slack(s, true, &slack);
  if (status != DLS_OK) return status;
  if (slack > c->tolerance && dls_step_outside(s, true) < 0)
    accept(s, slack, "velocities strictly inside the dual cones (CVX (4.1), theory §7)");
  else if (slack > -c->tolerance) status = decide_border(s);
  else if (slack < -c->tolerance) status = dls_step_refuse(s, &no);
  return status;
}

static dls_status decide(dls_step *s)
{
  bool signs = false;
  for (int j = 0; j < s->c->m_b; j++) signs |= dls_step_rubs(s, j);
  dls_verdict_set(s->x, DLS_STEP_SOLVABLE, DLS_UNDECIDED, NAN, "a number within the tolerance",
                  NULL);
  const dls_status status = signs ? dls_step_decide_signs(s) : decide_cones(s);
  const bool yes = s->x->check->verdict[DLS_STEP_SOLVABLE].answer == DLS_YES;
  return status == DLS_OK && s->size > 0 && !yes ? refuse_smooth(s) : status;
}

dls_status dls_certify_step(dls_context *x)
{
  const dls_problem *p = &x->given;
  if (!p->friction || !dls_context_asked(x, DLS_ASK(DLS_STEP_SOLVABLE))) return DLS_OK;
  bool arises = false;
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    arises |= p->friction->first[j + 1] > p->friction->first[j] && p->friction->mu[j] > 0;
    arises |= j >= p->m_b && p->friction->w_n && p->friction->w_n[j] != 0;
  }
  if (!arises) return DLS_OK;
  dls_step s = {.x = x};
  dls_status status = dls_polyhedra_create(x, &s.c);
  if (status == DLS_OK) status = create(&s);
  if (status == DLS_OK) status = decide(&s);
  dls_polyhedra_free(s.c);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
