// Closure of a grasp. With G and H restricted to the coordinates of the object, the forces that the
// contacts can apply generate a cone of wrenches; it is the whole space if and only if no motion
// d != 0 is resisted by none of them:
//
//   form closure:   g_i^T d >= 0 for all unilateral i, g_i^T d = 0 for bilateral i, only d = 0
//                   <=> G lambda = 0 with lambda_u > 0, and G of full row rank     eq (clo.1)
//   force closure:  g_i^T d >= mu_i |H_i^T d|, only d = 0
//                   <=> G lambda + H tau = 0 with |tau_i| < mu_i lambda_i, full rank  eq (clo.2)
//
// Where bilateral contacts have friction, see closure_signs.c.
#include "certify/closure_internal.h"

#include "base/memory.h"
#include "certify/witness.h"
#include "convex/cone_rows.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

double dls_grasp_normal(const dls_grasp *g, int row, int contact)
{
  const double entry = g->c->G[g->object[row] + (ptrdiff_t)g->c->n * contact];
  return g->sign && g->sign[contact] < 0 ? -entry : entry;
}

double dls_grasp_slip(const dls_grasp *g, int row, int slip)
{
  return g->c->H[g->object[row] + (ptrdiff_t)g->c->n * slip];
}

static bool has_friction(const dls_grasp *g, int j)
{
  return g->friction && dls_polyhedra_tangents(g->c, j) > 0 && g->c->mu_s[j] > 0;
}

bool dls_grasp_held(const dls_grasp *g, int contact)
{
  const bool signed_force = g->sign && g->sign[contact] != 0 && has_friction(g, contact);
  return dls_polyhedra_bilateral(g->c, contact) && !signed_force;
}

bool dls_grasp_rubs(const dls_grasp *g, int contact)
{
  const bool left_out = g->sign && g->sign[contact] == 0 && dls_polyhedra_bilateral(g->c, contact);
  return has_friction(g, contact) && !left_out;
}

bool dls_grasp_planar(const dls_grasp *g)
{
  for (int i = 0; i < g->m; i++)
    if (dls_grasp_rubs(g, g->contact[i]) && dls_polyhedra_tangents(g->c, g->contact[i]) > 1)
      return false;
  return true;
}

static dls_status find_contacts(dls_grasp *g)
{
  const dls_polyhedra *c = g->c;
  g->contact = dls_arena_alloc(g->x->work, c->m, sizeof *g->contact);
  g->d = dls_context_work(g->x, c->n);
  g->lambda = dls_context_work(g->x, c->m);
  g->tau = dls_context_work(g->x, c->tangents);
  if (g->x->out_of_memory || !g->contact) return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) {
    bool touches = false, slides = dls_polyhedra_tangents(c, j) > 0 && c->mu_s[j] > 0;
    for (int i = 0; i < g->k; i++) {
      touches |= dls_grasp_normal(g, i, j) != 0;
      for (int s = c->first[j]; slides && s < c->first[j + 1]; s++)
        touches |= dls_grasp_slip(g, i, s) != 0;
    }
    if (!touches) continue;
    g->contact[g->m++] = j;
    g->rubs |= slides;
    g->signs |= slides && dls_grasp_held(g, j);
  }
  return DLS_OK;
}

// --- rank: a motion that no contact feels -------------------------------------------------------

static dls_status find_unfelt(dls_grasp *g, bool *unfelt, bool *full)
{
  const dls_polyhedra *c = g->c;
  const ptrdiff_t k = g->k;
  ptrdiff_t columns = 0;
  double *A = dls_context_work(g->x, k * ((ptrdiff_t)c->m + c->tangents));
  double *U = dls_context_work(g->x, k * k), *S = dls_context_work(g->x, k);
  if (g->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    for (ptrdiff_t r = 0; r < k; r++) A[r + k * columns] = dls_grasp_normal(g, (int)r, j);
    columns++;
    for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++, columns++)
      for (ptrdiff_t r = 0; r < k; r++) A[r + k * columns] = dls_grasp_slip(g, (int)r, s);
  }
  const int least = columns < k ? (int)columns : g->k;
  dls_status status = dls_svd(g->k, (int)columns, A, U, S, NULL);
  if (status != DLS_OK) return status;
  int certain = 0, possible = 0;
  for (int i = 0; i < least && S[0] > 0; i++) {
    certain += S[i] > c->tolerance * S[0];
    possible += S[i] > g->x->basic.noise * S[0];
  }
  *full = certain == g->k;
  *unfelt = possible < g->k;
  if (*unfelt)
    for (int i = 0; i < g->k; i++) g->d[g->object[i]] = U[i + k * (k - 1)];
  return DLS_OK;
}

static bool answer_no(dls_grasp *g, dls_question question, double margin)
{
  const dls_polyhedra *c = g->c;
  dls_grasp_clean(g);
  if (!(dls_grasp_resistance(g) <= c->margin)) return false;
  double *d = dls_context_keep(g->x, c->n);
  if (!d) return false;
  for (int i = 0; i < c->n; i++) d[i] = c->units.D[i] * g->d[i];
  const double largest = dls_norm_max(c->n, d);
  for (int i = 0; i < c->n; i++) d[i] /= largest;
  dls_verdict *v = dls_verdict_set(
      g->x, question, DLS_NO, margin,
      g->friction ? "a motion that no admissible force resists"
                  : "a motion that no contact resists",
      g->friction ? "g_i^T direction >= mu_i |H_i^T direction| at every unilateral contact, and no "
                    "bilateral contact moves"
                  : "G_u^T direction >= 0 and G_b^T direction = 0");
  v->part[v->parts++] = (dls_witness_part){
      .name = "direction", .index_set = DLS_INDEX_COORDINATES, .count = c->n, .values = d};
  return true;
}

// --- the forces that hold -----------------------------------------------------------------------

// Least change that makes G lambda + H tau = 0 on the object's rows, once more in long double.
static dls_status balance(dls_grasp *g)
{
  const dls_polyhedra *c = g->c;
  const ptrdiff_t k = g->k;
  double *A = dls_context_work(g->x, k * k), *rest = dls_context_work(g->x, k), rcond = 0;
  double *y = dls_context_work(g->x, k);
  if (g->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int step = 0; step < 3; step++) {
    dls_clear(A, k * k);
    for (ptrdiff_t r = 0; r < k; r++) {
      long double sum = 0;
      for (int i = 0; i < g->m; i++) {
        const int j = g->contact[i];
        const double g_r = dls_grasp_normal(g, (int)r, j);
        sum -= (long double)g_r * g->lambda[j];
        for (ptrdiff_t q = 0; q < k; q++) A[r + k * q] += g_r * dls_grasp_normal(g, (int)q, j);
        for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++) {
          const double h_r = dls_grasp_slip(g, (int)r, s);
          sum -= (long double)h_r * g->tau[s];
          for (ptrdiff_t q = 0; q < k; q++) A[r + k * q] += h_r * dls_grasp_slip(g, (int)q, s);
        }
      }
      rest[r] = (double)sum;
    }
    dls_status status = dls_solve(g->k, 1, A, rest, y, &rcond);
    if (status != DLS_OK || !(rcond > 0)) return status;
    for (int i = 0; i < g->m; i++) {
      const int j = g->contact[i];
      for (int r = 0; r < g->k; r++) {
        g->lambda[j] += dls_grasp_normal(g, r, j) * y[r];
        for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++)
          g->tau[s] += dls_grasp_slip(g, r, s) * y[r];
      }
    }
  }
  return DLS_OK;
}

// max t <= 1: lambda_i >= t, mu_i lambda_i - |tau_i| >= mu_i t, lambda_i <= 1, in balance.
static dls_status find_forces(dls_grasp *g, double *slack)
{
  const dls_polyhedra *c = g->c;
  const int t = c->m + c->tangents;
  dls_cone_rows rows = {.n = t + 1};
  double *cost = dls_context_work(g->x, rows.n), *x = dls_context_work(g->x, rows.n);
  if (g->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int r = 0; r < g->k; r++) {
    dls_cone_rows_equation(&rows, 0);
    for (int i = 0; i < g->m; i++) {
      const int j = g->contact[i];
      dls_cone_rows_entry(&rows, j, dls_grasp_normal(g, r, j));
      for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++)
        dls_cone_rows_entry(&rows, c->m + s, dls_grasp_slip(g, r, s));
    }
  }
  for (int j = 0, at = 0; j < t; j++) {  // what takes no part is zero
    const bool slip = j >= c->m;
    bool part = false;
    for (int i = 0; i < g->m; i++) {
      at = g->contact[i];
      part |= slip
                  ? dls_grasp_rubs(g, at) && j - c->m >= c->first[at] && j - c->m < c->first[at + 1]
                  : at == j;
    }
    if (part) continue;
    dls_cone_rows_equation(&rows, 0);
    dls_cone_rows_entry(&rows, j, 1);
  }
  dls_cone_rows_inequality(&rows, 1);
  dls_cone_rows_entry(&rows, t, -1);
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    dls_cone_rows_inequality(&rows, 1);
    dls_cone_rows_entry(&rows, j, -1);
    dls_cone_rows_inequality(&rows, dls_grasp_held(g, j) ? 1 : 0);
    dls_cone_rows_entry(&rows, j, 1);
    if (!dls_grasp_held(g, j)) dls_cone_rows_entry(&rows, t, -1);
  }
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    if (!dls_grasp_rubs(g, j)) continue;
    dls_cone_rows_cone(&rows, 1 + dls_polyhedra_tangents(c, j));
    dls_cone_rows_next(&rows, 0);
    dls_cone_rows_entry(&rows, j, c->mu_s[j]);
    dls_cone_rows_entry(&rows, t, -c->mu_s[j]);
    for (int s = c->first[j]; s < c->first[j + 1]; s++) {
      dls_cone_rows_next(&rows, 0);
      dls_cone_rows_entry(&rows, c->m + s, 1);
    }
  }
  cost[t] = -1;
  dls_cone_report report = {0};
  dls_status status = dls_cone_rows_solve(&rows, cost, x, NULL, &report);
  dls_cone_rows_free(&rows);
  *slack = status == DLS_OK && report.outcome == DLS_CONE_SOLVED ? x[t] : (double)NAN;
  dls_copy(g->lambda, x, c->m);
  if (c->tangents) dls_copy(g->tau, x + c->m, c->tangents);
  return status == DLS_OK ? balance(g) : status;
}

// Forces inside beyond the tolerance, as the program has them at most 1, and in balance to
// rounding.
//                                                                                   eq (num.1)
static bool forces_hold(const dls_grasp *g)
{
  const dls_polyhedra *c = g->c;
  double off = 0, largest = 0;
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    const double lambda = g->lambda[j];
    largest = fmax(largest, fabs(lambda));
    double t[2] = {0};
    for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++)
      t[s - c->first[j]] = g->tau[s], largest = fmax(largest, fabs(g->tau[s]));
    if (!dls_grasp_held(g, j) && !(lambda > c->tolerance)) return false;
    if (dls_grasp_rubs(g, j) && !(fabs(lambda) - hypot(t[0], t[1]) / c->mu_s[j] > c->tolerance))
      return false;
  }
  for (int r = 0; r < g->k; r++) {
    long double sum = 0;
    for (int i = 0; i < g->m; i++) {
      const int j = g->contact[i];
      sum += (long double)dls_grasp_normal(g, r, j) * g->lambda[j];
      for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++)
        sum += (long double)dls_grasp_slip(g, r, s) * g->tau[s];
    }
    off = fmax(off, fabs((double)sum));
  }
  return off <= c->margin * largest;
}

dls_status dls_grasp_hold(dls_grasp *g, double *slack)
{
  bool unfelt = false, full = false;
  *slack = NAN;
  dls_status status = find_unfelt(g, &unfelt, &full);
  if (status != DLS_OK || !full) return status;
  status = find_forces(g, slack);
  if (status != DLS_OK || !(*slack > g->c->tolerance) || !forces_hold(g)) *slack = NAN;
  return status;
}

// Without S, which may differ between parts that only the object couples.
static double *keep_scaled(dls_grasp *g, const double *from, const double *C, int count)
{
  double *to = dls_context_keep(g->x, count);
  for (int i = 0; to && i < count; i++) to[i] = C[i] * from[i];
  return to;
}

// As many independent gradients on the object as it has coordinates.
static dls_status add_independent(dls_grasp *g, dls_verdict *v)
{
  const ptrdiff_t k = g->k, m = g->m;
  double *A = dls_context_work(g->x, k * m), *r = dls_context_work(g->x, k);
  int *order = dls_arena_alloc(g->x->work, m, sizeof *order);
  if (g->x->out_of_memory || !order) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < m; i++)
    for (ptrdiff_t q = 0; q < k; q++) A[q + k * i] = dls_grasp_normal(g, (int)q, g->contact[i]);
  const dls_status status = dls_qr_pivots(g->k, g->m, A, order, r);
  if (status != DLS_OK) return status;
  for (ptrdiff_t i = 0; i < k; i++) order[i] = g->contact[order[i]];
  dls_witness_set(g->x, v, "closed", DLS_INDEX_CLOSED, order, g->k);
  return DLS_OK;
}

dls_status dls_grasp_accept(dls_grasp *g, dls_question question, double slack)
{
  const dls_polyhedra *c = g->c;
  const dls_coulomb_units *u = &c->units;
  dls_verdict *v = dls_verdict_set(
      g->x, question, DLS_YES, slack,
      g->friction ? "forces strictly inside the friction cones that cancel, of full rank (conic "
                    "program)"
                  : "positive forces that cancel, of full rank (Gordan's alternative)",
      g->sign ? "G_u lambda_u + G_b lambda_b + H tau = 0 on the object, |tau_i| < mu_i |lambda_i| "
                "or, at bilateral ones, tau_i = 0"
      : g->friction
          ? "G_u lambda_u + G_b lambda_b + H tau = 0 on the object, |tau_i| < mu_i lambda_i"
          : "G_u lambda_u + G_b lambda_b = 0 on the object, lambda_u > 0, and the gradients "
            "of `closed` are independent there");
  double *all = keep_scaled(g, g->lambda, u->C_n, c->m);
  double *tau = keep_scaled(g, g->tau, u->C_t, c->tangents);
  if (!all || !tau) return DLS_ERR_MEMORY;
  for (int j = 0; g->sign && j < c->m; j++)
    if (g->sign[j] < 0) all[j] = -all[j];
  dls_witness_forces(c, v, all, g->friction ? tau : NULL);
  return g->friction ? DLS_OK : add_independent(g, v);
}

// --- the two questions --------------------------------------------------------------------------

static dls_status decide(dls_grasp *g, dls_question question)
{
  dls_context *x = g->x;
  bool unfelt = false, full = false;
  double slack = NAN, escape = NAN;
  dls_clear(g->d, g->c->n);
  dls_verdict_set(x, question, DLS_UNDECIDED, NAN, "a number within the tolerance", NULL);
  dls_status status = find_unfelt(g, &unfelt, &full);
  if (status != DLS_OK) return status;
  if (unfelt) {
    answer_no(g, question, 1);
    return DLS_OK;
  }
  if (!full) return DLS_OK;
  status = dls_grasp_escape(g, true, NULL, &escape);
  if (status == DLS_OK && escape > g->c->tolerance && answer_no(g, question, escape)) return DLS_OK;
  if (g->friction && g->signs) return status == DLS_OK ? dls_grasp_decide_signs(g) : status;
  if (status == DLS_OK) status = find_forces(g, &slack);
  if (status != DLS_OK) return status;
  if (slack > g->c->tolerance && forces_hold(g)) return dls_grasp_accept(g, question, slack);
  if (slack > g->c->tolerance) return DLS_OK;
  // nothing escapes from all contacts at once, and no forces hold: some contacts are left sliding
  status = dls_grasp_planar(g) ? dls_grasp_edge(g, NULL, &escape)
                               : dls_grasp_escape(g, false, NULL, &escape);
  if (status == DLS_OK && escape > g->c->tolerance) answer_no(g, question, escape);
  return status;
}

dls_status dls_certify_closure(dls_context *x)
{
  const unsigned bits = DLS_ASK(DLS_FORM_CLOSURE) | DLS_ASK(DLS_FORCE_CLOSURE);
  if (x->options->object_size <= 0 || !dls_context_asked(x, bits)) return DLS_OK;
  if (x->given.m_b + x->given.m_u == 0) return DLS_OK;
  dls_grasp g = {.x = x, .k = x->options->object_size, .object = x->options->object};
  dls_status status = dls_polyhedra_create(x, &g.c);
  if (status == DLS_OK) status = find_contacts(&g);
  if (status == DLS_OK && g.m > 0 && dls_context_asked(x, DLS_ASK(DLS_FORM_CLOSURE)))
    status = decide(&g, DLS_FORM_CLOSURE);
  g.friction = true;
  if (status == DLS_OK && g.m > 0 && g.rubs && dls_context_asked(x, DLS_ASK(DLS_FORCE_CLOSURE)))
    status = decide(&g, DLS_FORCE_CLOSURE);
  dls_polyhedra_free(g.c);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}
