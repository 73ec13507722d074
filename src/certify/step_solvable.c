// The incremental problem of a time step at this state has unknown velocities v, relative
// velocities (G^T v + w_n, H^T v + w_t), and impulses in the cones L. It has a solution for every
// mass matrix and load when some velocities lie in the dual cones,
//
//   g_i^T v + w_n,i >= mu_i |H_i^T v + w_t,i|   for all i                           eq (stp.1)
//
// (CVX (4.1) strictly, (4.4) otherwise), for every w when strictly so with w = 0 (CVX (5.1)).
// Where bilateral contacts have friction, L is not convex; see eq (stp.2).
// When impulses r in L have G r_n + H r_t = 0 and w^T r < 0 there are none, and not even in the
// closure (CVX (4.6)): the two alternatives.
#include "certify/step_solvable.h"

#include "base/memory.h"
#include "certify/polyhedra.h"
#include "certify/tolerances.h"
#include "certify/witness.h"
#include "convex/cone_rows.h"
#include "convex/lp_exact.h"
#include "linalg/dense.h"

#include <math.h>

typedef struct step {
  dls_context *x;
  dls_polyhedra *c;
  double *w_n, *w_t;  // scaled, largest about 1
  double size;        // of w as it was
  double *v;          // n, scaled
  double *lambda, *tau;
  bool signs;    // a bilateral contact has friction
  double *sign;  // m: 1, or -1 for bilateral contacts with friction that are taken to pull
} step;

static bool rubs(const dls_polyhedra *c, int j)
{
  return dls_polyhedra_tangents(c, j) > 0 && c->mu[j] > 0;
}

// Bilateral and frictionless: an equation.
static bool holds(const dls_polyhedra *c, int j)
{
  return dls_polyhedra_bilateral(c, j) && !rubs(c, j);
}

static dls_status create(step *s)
{
  const dls_polyhedra *c = s->c;
  const dls_friction *f = s->x->given.friction;
  s->w_n = dls_context_work(s->x, c->m), s->w_t = dls_context_work(s->x, c->tangents);
  s->v = dls_context_work(s->x, c->n), s->lambda = dls_context_work(s->x, c->m);
  s->tau = dls_context_work(s->x, c->tangents);
  s->sign = dls_context_work(s->x, c->m);
  if (s->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    s->sign[j] = 1;
    s->w_n[j] = f->w_n ? c->units.C_n[j] * f->w_n[j] : 0;
    s->signs |= dls_polyhedra_bilateral(c, j) && rubs(c, j);
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      s->w_t[k] = f->w_t && rubs(c, j) ? c->units.C_t[k] * f->w_t[k] : 0;
  }
  const double largest = fmax(dls_norm_max(c->m, s->w_n), dls_norm_max(c->tangents, s->w_t));
  s->size = largest > 0 ? ldexp(1, ilogb(largest)) : 0;  // nothing rounds
  for (int j = 0; j < c->m && s->size > 0; j++) s->w_n[j] /= s->size;
  for (int k = 0; k < c->tangents && s->size > 0; k++) s->w_t[k] /= s->size;
  return DLS_OK;
}

// max t <= 1 with room t in every dual cone. with_w: velocities as imposed, else for w = 0 within
// |v_i| <= 1. Puts v, and the impulses of the dual.
static dls_status find_slack(step *s, bool with_w, double *slack)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  const int t = c->n;
  dls_cone_rows rows = {.n = c->n + 1};
  double *cost = dls_context_work(s->x, rows.n), *x = dls_context_work(s->x, rows.n);
  double *y = dls_context_work(s->x, 2 * (ptrdiff_t)c->m + c->tangents + 2 * (ptrdiff_t)c->n + 4);
  if (s->x->out_of_memory) return DLS_ERR_MEMORY;
  int equations = 0;
  for (int j = 0; j < c->m_b; j++) {
    if (!holds(c, j)) continue;
    dls_cone_rows_equation(&rows, with_w ? s->w_n[j] : 0);
    dls_cone_rows_add(&rows, 1, c->n, c->G + n * j);
    equations++;
  }
  dls_cone_rows_inequality(&rows, 1);
  dls_cone_rows_entry(&rows, t, -1);
  for (int i = 0; !with_w && i < c->n; i++)
    for (int side = -1; side <= 1; side += 2) {
      dls_cone_rows_inequality(&rows, 1);
      dls_cone_rows_entry(&rows, i, side);
    }
  for (int j = c->m_b; j < c->m; j++) {
    if (rubs(c, j)) continue;
    dls_cone_rows_inequality(&rows, with_w ? s->w_n[j] : 0);
    dls_cone_rows_add(&rows, 1, c->n, c->G + n * j);
    dls_cone_rows_entry(&rows, t, -1);
  }
  for (int j = 0; j < c->m; j++) {
    if (!rubs(c, j)) continue;
    dls_cone_rows_cone(&rows, 1 + dls_polyhedra_tangents(c, j));
    dls_cone_rows_next(&rows, with_w ? s->w_n[j] / c->mu[j] : 0);
    dls_cone_rows_add(&rows, s->sign[j] / c->mu[j], c->n, c->G + n * j);
    dls_cone_rows_entry(&rows, t, -1 / c->mu[j]);
    for (int k = c->first[j]; k < c->first[j + 1]; k++) {
      dls_cone_rows_next(&rows, with_w ? s->w_t[k] : 0);
      dls_cone_rows_add(&rows, 1, c->n, c->H + n * k);
    }
  }
  cost[t] = -1;
  dls_cone_report report = {0};
  dls_status status = dls_cone_rows_solve(&rows, cost, x, y, &report);
  *slack = status == DLS_OK && report.outcome == DLS_CONE_SOLVED ? x[t] : (double)NAN;
  dls_copy(s->v, x, n);
  // the duals of the rows are impulses: r_n = y / mu at a cone's first row, r_t = y
  int row = equations + 1 + (with_w ? 0 : 2 * c->n);
  for (int j = 0, at = 0; j < c->m_b; j++)
    if (holds(c, j)) s->lambda[j] = y[at++];
  for (int j = c->m_b; j < c->m; j++)
    if (!rubs(c, j)) s->lambda[j] = y[row++];
  for (int j = 0; j < c->m; j++) {
    if (!rubs(c, j)) continue;
    s->lambda[j] = y[row++] / c->mu[j];
    for (int k = c->first[j]; k < c->first[j + 1]; k++) s->tau[k] = y[row++];
  }
  dls_cone_rows_free(&rows);
  return status;
}

// How far v is from the dual cones; negative when strictly inside.
static double outside(const step *s, bool with_w)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  const double size = fmax(with_w && s->size > 0 ? 1 : 0, dls_norm_max(c->n, s->v));
  double worst = -INFINITY;
  for (int j = 0; j < c->m; j++) {
    const double u = dls_dot(c->n, c->G + n * j, s->v) + (with_w ? s->w_n[j] : 0);
    double t[2] = {0};
    for (int k = c->first[j]; rubs(c, j) && k < c->first[j + 1]; k++)
      t[k - c->first[j]] = dls_dot(c->n, c->H + n * k, s->v) + (with_w ? s->w_t[k] : 0);
    const double mu = rubs(c, j) ? c->mu[j] : 0;
    const double excess =
        holds(c, j) ? fabs(u) : (mu * hypot(t[0], t[1]) - s->sign[j] * u) / fmax(1, mu);
    worst = fmax(worst, holds(c, j) && excess <= c->margin * size ? -INFINITY : excess);
  }
  return size > 0 ? worst / size : worst;
}

static double add_terms(const double *a, const double *v, int n, double constant)
{
  double sum = fabs(constant);
  for (int i = 0; i < n; i++) sum += fabs(a[i] * v[i]);
  return sum;
}

// v is in the dual cones, but for rounding of the terms of each contact: units of what has no mass
// must not make up for it.
static bool is_inside(const step *s)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  for (int j = 0; j < c->m; j++) {
    const double *g = c->G + n * j, mu = rubs(c, j) ? c->mu[j] : 0;
    double u = dls_dot(c->n, g, s->v) + s->w_n[j], size = add_terms(g, s->v, c->n, s->w_n[j]);
    double t[2] = {0};
    for (int k = c->first[j]; mu > 0 && k < c->first[j + 1]; k++) {
      const double *h = c->H + n * k;
      t[k - c->first[j]] = dls_dot(c->n, h, s->v) + s->w_t[k];
      size += mu * add_terms(h, s->v, c->n, s->w_t[k]);
    }
    const double excess = holds(c, j) ? fabs(u) : mu * hypot(t[0], t[1]) - u;
    if (!(excess <= c->margin * size)) return false;
  }
  return true;
}

// The dual cones of planar contacts are polyhedra: a velocity in them without rounding, but for
// that of its numbers. One more unknown for each slip velocity, so that nothing is multiplied.
static dls_status find_planar(step *s, bool *found)
{
  const dls_polyhedra *c = s->c;
  const int cols = c->n + c->tangents, most = c->m + 2 * c->tangents;
  const ptrdiff_t width = (ptrdiff_t)cols + 1;
  int rows = 0;
  *found = false;
  for (int j = 0; j < c->m; j++)
    if (dls_polyhedra_tangents(c, j) > 1) return DLS_OK;
  double *a = dls_context_work(s->x, most * width);
  double *x = dls_context_work(s->x, cols);
  bool *equation = dls_arena_alloc(s->x->work, most, sizeof *equation);
  if (s->x->out_of_memory || !equation) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    const int slip = c->first[j];
    for (int side = 1; side >= (rubs(c, j) ? -1 : 1); side -= 2) {
      double *row = a + width * rows;
      dls_copy(row, c->G + (ptrdiff_t)c->n * (ptrdiff_t)j, c->n);
      row[cols] = s->w_n[j], equation[rows++] = holds(c, j);
      if (rubs(c, j)) row[c->n + slip] = side * c->mu[j];
    }
    if (!rubs(c, j)) continue;
    double *row = a + width * rows;
    dls_copy(row, c->H + (ptrdiff_t)c->n * (ptrdiff_t)slip, c->n);
    row[c->n + slip] = -1, row[cols] = s->w_t[slip], equation[rows++] = true;
  }
  const dls_exact_rows data = {rows, cols, a, equation};
  dls_exact_outcome outcome;
  const dls_status status = dls_exact_solve(&data, x, NULL, NULL, &outcome);
  if (status != DLS_OK || outcome != DLS_EXACT_POINT) return status;
  dls_copy(s->v, x, c->n);
  *found = is_inside(s);
  return DLS_OK;
}

static void answer_yes(step *s, double margin, const char *by)
{
  const dls_polyhedra *c = s->c;
  dls_verdict *v = dls_verdict_set(
      s->x, DLS_STEP_SOLVABLE, DLS_YES, margin, by,
      "g_i^T velocity + w_n >= mu_i |H_i^T velocity + w_t| at every unilateral contact, G_b^T "
      "velocity + w_n = 0");
  double *velocity = dls_context_keep(s->x, c->n);
  const double unit = s->size > 0 ? s->size : 1;
  for (int i = 0; velocity && i < c->n; i++) velocity[i] = unit * c->units.D[i] * s->v[i];
  if (velocity)
    v->part[v->parts++] = (dls_witness_part){
        .name = "velocity", .index_set = DLS_INDEX_COORDINATES, .count = c->n, .values = velocity};
}

// r in L, G r_n + H r_t = 0, w^T r < 0.
static bool answer_no(step *s)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  double size = fmax(dls_norm_max(c->m, s->lambda), dls_norm_max(c->tangents, s->tau)), off = 0;
  if (!(size > 0)) return false;
  for (int j = c->m_b; j < c->m; j++) s->lambda[j] = fmax(0, s->lambda[j]);
  for (int j = c->m_b; j < c->m; j++) {  // onto the cone
    double *t = s->tau + c->first[j];
    const int tangents = dls_polyhedra_tangents(c, j);
    const double length = !rubs(c, j) ? 0 : tangents == 2 ? hypot(t[0], t[1]) : fabs(t[0]);
    if (rubs(c, j) && length > c->mu[j] * s->lambda[j]) s->lambda[j] = length / c->mu[j];
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    long double sum = 0;
    for (ptrdiff_t j = 0; j < c->m; j++) sum += (long double)c->G[i + n * j] * s->lambda[j];
    for (ptrdiff_t k = 0; k < c->tangents; k++) sum += (long double)c->H[i + n * k] * s->tau[k];
    off = fmax(off, fabs((double)sum));
  }
  const double work = dls_dot(c->m, s->w_n, s->lambda) + dls_dot(c->tangents, s->w_t, s->tau);
  if (!(off <= fmax(c->margin, cancel_unbalanced * c->tolerance) * size) ||
      !(work < -c->tolerance * size))
    return false;
  double *all = dls_context_keep(s->x, c->m), *tau = dls_context_keep(s->x, c->tangents);
  if (!all || !tau) return false;
  for (int j = 0; j < c->m; j++) all[j] = c->units.C_n[j] * s->lambda[j] / size;
  for (int k = 0; k < c->tangents; k++) tau[k] = c->units.C_t[k] * s->tau[k] / size;
  dls_verdict *v = dls_verdict_set(
      s->x, DLS_STEP_SOLVABLE, DLS_NO, -work / size,
      "the criterion CVX (4.6), theory §7, fails: forces that balance each other work against the "
      "imposed "
      "motion, so existence depends on the load",
      "G_u lambda_u + G_b lambda_b + H tau = 0, |tau_i| <= mu_i lambda_i, and w_n^T lambda + w_t^T "
      "tau < 0");
  v->part[v->parts++] = (dls_witness_part){
      .name = "lambda_b", .index_set = DLS_INDEX_BILATERAL, .count = c->m_b, .values = all};
  v->part[v->parts++] = (dls_witness_part){.name = "lambda_u",
                                           .index_set = DLS_INDEX_UNILATERAL,
                                           .count = c->m - c->m_b,
                                           .values = all + c->m_b};
  v->part[v->parts++] = (dls_witness_part){
      .name = "tau", .index_set = DLS_INDEX_TANGENTS, .count = c->tangents, .values = tau};
  return true;
}

// --- bilateral contacts with friction -----------------------------------------------------------

// The frictionless bilateral contacts are independent.
static dls_status are_independent(const step *s, bool *yes)
{
  const dls_polyhedra *c = s->c;
  const ptrdiff_t n = c->n;
  double *A = dls_context_work(s->x, n * c->m_b), *S = dls_context_work(s->x, n);
  int count = 0;
  if (s->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m_b; j++) {
    if (!holds(c, j)) continue;
    dls_copy(A + n * count, c->G + n * j, n);
    count++;
  }
  *yes = count <= c->n;
  if (count == 0 || !*yes) return DLS_OK;
  const dls_status status = dls_svd(c->n, count, A, NULL, S, NULL);
  *yes = status == DLS_OK && S[count - 1] > c->tolerance * S[0];
  return status;
}

// One choice of signs: a motion strictly inside the dual cones, as a leaf.
static dls_status exclude(step *s, dls_leaf *leaf, double *margin, bool *yes)
{
  const dls_polyhedra *c = s->c;
  double slack = NAN;
  const dls_status status = find_slack(s, false, &slack);
  *yes = status == DLS_OK && slack > c->tolerance && outside(s, false) < -c->tolerance;
  if (!*yes) return status;
  unsigned char *mode = dls_arena_alloc(s->x->arena, c->m, 1);
  double *direction = dls_context_keep(s->x, c->n);
  if (!mode || s->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m_b; j++)
    if (rubs(c, j)) mode[j] = DLS_MODE_STICK | (s->sign[j] < 0 ? DLS_MODE_PULLING : 0);
  for (int i = 0; i < c->n; i++) direction[i] = c->units.D[i] * s->v[i];
  *leaf = (dls_leaf){.mode = mode, .kind = DLS_LEAF_EMPTY, .direction = direction};
  *margin = fmin(*margin, slack);
  return DLS_OK;
}

// No forces in the cones cancel, whatever the signs of bilateral ones.                eq (stp.2)
static dls_status decide_signs(step *s)
{
  enum { MOST = 6 };
  const dls_polyhedra *c = s->c;
  int contact[MOST], count = 0;
  bool yes = false;
  double margin = INFINITY;
  dls_verdict_set(s->x, DLS_STEP_SOLVABLE, DLS_UNDECIDED, NAN,
                  "forces in the cones of bilateral contacts with friction may cancel", NULL);
  for (int j = 0; j < c->m_b; j++) {
    if (!rubs(c, j)) continue;
    if (count == MOST) return DLS_OK;
    contact[count++] = j;
  }
  dls_status status = are_independent(s, &yes);
  dls_leaf *leaf = dls_arena_alloc(s->x->arena, (ptrdiff_t)1 << count, sizeof *leaf);
  if (!leaf) return DLS_ERR_MEMORY;
  for (int pattern = 0; pattern < 1 << count && yes && status == DLS_OK; pattern++) {
    for (int i = 0; i < count; i++) s->sign[contact[i]] = pattern >> i & 1 ? -1 : 1;
    status = exclude(s, &leaf[pattern], &margin, &yes);
  }
  if (status != DLS_OK || !yes) return status;
  dls_verdict *v = dls_verdict_set(
      s->x, DLS_STEP_SOLVABLE, DLS_YES, margin,
      "whatever moves at the contacts: no forces in the cones cancel, bilateral ones of either "
      "sign (stp.2)",
      "for all signs of the bilateral forces with friction, one leaf each: g_i^T direction > mu_i "
      "|H_i^T direction| at every contact with the sign of its force, G_b^T direction = 0 at "
      "bilateral ones without friction, which are independent");
  v->leaf = leaf, v->leaves = 1 << count;
  return DLS_OK;
}

// Velocities that are in the dual cones, but not beyond the tolerance.
static dls_status decide_border(step *s)
{
  bool found = is_inside(s);
  const dls_status status = found ? DLS_OK : find_planar(s, &found);
  if (found) answer_yes(s, 0, "velocities in the dual cones (CVX (4.4), theory §7)");
  return status;
}

static dls_status decide(step *s)
{
  const dls_polyhedra *c = s->c;
  double slack = NAN;
  if (s->signs) return decide_signs(s);
  dls_verdict_set(s->x, DLS_STEP_SOLVABLE, DLS_UNDECIDED, NAN, "a number within the tolerance",
                  NULL);
  dls_status status = find_slack(s, false, &slack);
  if (status != DLS_OK) return status;
  if (c->m_b == 0 && slack > c->tolerance && outside(s, false) < -c->tolerance) {
    // a multiple of this motion outweighs every imposed one
    const double far = (2 + 4 * dls_norm_max(c->m, c->mu)) / -outside(s, false);
    for (int i = 0; i < c->n; i++) s->v[i] *= far / fmax(dls_norm_max(c->n, s->v), not_zero);
    if (outside(s, true) < 0) {
      answer_yes(
          s, slack,
          "whatever moves at the contacts: no forces in the cones cancel (CVX (5.1), theory §7)");
      return DLS_OK;
    }
  }
  if (s->size == 0) {
    dls_clear(s->v, c->n);
    answer_yes(s, 0, "nothing moves on its own at the contacts: v = 0 (CVX (4.4), theory §7)");
    return DLS_OK;
  }
  status = find_slack(s, true, &slack);
  if (status != DLS_OK) return status;
  if (slack > c->tolerance && outside(s, true) < 0)
    answer_yes(s, slack, "velocities strictly inside the dual cones (CVX (4.1), theory §7)");
  else if (slack > -c->tolerance) status = decide_border(s);
  else if (slack < -c->tolerance) answer_no(s);
  return status;
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
  step s = {.x = x};
  dls_status status = dls_polyhedra_create(x, &s.c);
  if (status == DLS_OK) status = create(&s);
  if (status == DLS_OK) status = decide(&s);
  dls_polyhedra_free(s.c);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
