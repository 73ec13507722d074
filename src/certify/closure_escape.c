// Closure of a grasp: the motion that escapes.                                eq (clo.1) to (clo.3)
#include "certify/closure_internal.h"

#include "convex/cone_rows.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

static double along(const dls_grasp *g, int contact, int slip, const double *d)
{
  long double sum = 0;
  for (int i = 0; i < g->k; i++)
    sum += (long double)(slip < 0 ? dls_grasp_normal(g, i, contact) : dls_grasp_slip(g, i, slip)) *
           d[g->object[i]];
  return (double)sum;
}

// max t: g_i^T d - mu_i |H_i^T d| >= t, G_b^T d = 0, |d_i| <= 1: a motion that all contacts let
// go; then, when there is no room, the one that they let go most on the whole, or that goes most
// along a load.
dls_status dls_grasp_escape(dls_grasp *g, bool with_slack, const double *load, double *value)
{
  const dls_polyhedra *c = g->c;
  dls_cone_rows rows = {.n = g->k + 1};
  const int t = g->k;
  double *cost = dls_context_work(g->x, rows.n), *x = dls_context_work(g->x, rows.n);
  if (g->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    if (!dls_grasp_held(g, j)) continue;
    dls_cone_rows_equation(&rows, 0);
    for (int r = 0; r < g->k; r++) dls_cone_rows_entry(&rows, r, dls_grasp_normal(g, r, j));
    for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++) {
      dls_cone_rows_equation(&rows, 0);
      for (int r = 0; r < g->k; r++) dls_cone_rows_entry(&rows, r, dls_grasp_slip(g, r, s));
    }
  }
  for (int r = 0; r <= t; r++)
    for (int side = -1; side <= 1; side += 2) {
      dls_cone_rows_inequality(&rows, 1);
      dls_cone_rows_entry(&rows, r, side);
    }
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    if (dls_grasp_held(g, j) || dls_grasp_rubs(g, j)) continue;
    dls_cone_rows_inequality(&rows, 0);
    for (int r = 0; r < g->k; r++) dls_cone_rows_entry(&rows, r, dls_grasp_normal(g, r, j));
    if (with_slack) dls_cone_rows_entry(&rows, t, -1);
  }
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    for (int r = 0; !with_slack && !load && r < g->k && !dls_grasp_held(g, j); r++)
      cost[r] -= dls_grasp_normal(g, r, j);
    if (dls_grasp_held(g, j) || !dls_grasp_rubs(g, j)) continue;
    dls_cone_rows_cone(&rows, 1 + dls_polyhedra_tangents(c, j));
    dls_cone_rows_next(&rows, 0);
    for (int r = 0; r < g->k; r++)
      dls_cone_rows_entry(&rows, r, dls_grasp_normal(g, r, j) / c->mu_s[j]);
    if (with_slack) dls_cone_rows_entry(&rows, t, -1 / c->mu_s[j]);
    for (int s = c->first[j]; s < c->first[j + 1]; s++) {
      dls_cone_rows_next(&rows, 0);
      for (int r = 0; r < g->k; r++) dls_cone_rows_entry(&rows, r, dls_grasp_slip(g, r, s));
    }
  }
  if (with_slack) cost[t] = -1;
  for (int r = 0; load && r < g->k; r++) cost[r] = -load[r];
  dls_cone_report report = {0};
  dls_status status = dls_cone_rows_solve(&rows, cost, x, NULL, &report);
  *value = status == DLS_OK && report.outcome == DLS_CONE_SOLVED ? -report.objective : (double)NAN;
  for (int r = 0; r < g->k; r++) g->d[g->object[r]] = x[r];
  dls_cone_rows_free(&rows);
  return status;
}

// The same without room where all cones are planar: a linear program, whose vertices are exact
// where the contacts leave no interior.
dls_status dls_grasp_edge(dls_grasp *g, const double *load, double *value)
{
  const dls_polyhedra *c = g->c;
  const ptrdiff_t rows = 2 * (ptrdiff_t)g->m, k = g->k;
  double *A = dls_context_work(g->x, rows * k), *low = dls_context_work(g->x, rows);
  double *high = dls_context_work(g->x, rows), *box = dls_context_work(g->x, 3 * k);
  double *x = dls_context_work(g->x, k);
  if (g->x->out_of_memory) return DLS_ERR_MEMORY;
  double *cost = box, *col_low = box + k, *col_high = box + 2 * k;
  for (ptrdiff_t i = 0; i < g->m; i++) {
    const int j = g->contact[i], s = c->first[j];
    const bool bilateral = dls_grasp_held(g, j);
    for (ptrdiff_t r = 0; r < k; r++) {
      const double p = dls_grasp_normal(g, (int)r, j);
      const double t = dls_grasp_rubs(g, j) ? dls_grasp_slip(g, (int)r, s) : 0;
      A[2 * i + rows * r] = bilateral ? p : p + c->mu_s[j] * t;
      A[2 * i + 1 + rows * r] = bilateral ? t : p - c->mu_s[j] * t;
      if (!bilateral && !load) cost[r] -= p;
    }
    high[2 * i] = high[2 * i + 1] = bilateral ? 0 : (double)INFINITY;
  }
  for (ptrdiff_t r = 0; r < k; r++) col_low[r] = -1, col_high[r] = 1;
  for (ptrdiff_t r = 0; load && r < k; r++) cost[r] = -load[r];
  const dls_lp_data data = {2 * g->m, g->k, A, low, high, col_low, col_high, cost};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  const dls_status status = dls_lp_run(&data, x, NULL, value, &outcome);
  *value = status == DLS_OK && outcome == DLS_LP_OPTIMAL ? -*value : (double)NAN;
  for (ptrdiff_t r = 0; r < k; r++) g->d[g->object[r]] = x[r];
  return status;
}

// By how much some contact resists the motion, relative to it.
double dls_grasp_resistance(const dls_grasp *g)
{
  const dls_polyhedra *c = g->c;
  double worst = 0, size = dls_norm_max(c->n, g->d);
  if (!(size > 0)) return INFINITY;
  for (int i = 0; i < g->m; i++) {
    const int j = g->contact[i];
    const double p = along(g, j, -1, g->d);
    double t[2] = {0};
    for (int s = c->first[j]; dls_grasp_rubs(g, j) && s < c->first[j + 1]; s++)
      t[s - c->first[j]] = along(g, j, s, g->d);
    const double slip = hypot(t[0], t[1]), mu = dls_grasp_rubs(g, j) ? c->mu_s[j] : 0;
    const double excess =
        dls_grasp_held(g, j) ? fmax(fabs(p), slip) : (mu * slip - p) / fmax(1, mu);
    if (!(excess <= worst)) worst = excess;
  }
  return worst / size;
}

void dls_grasp_clean(dls_grasp *g)
{
  const double size = dls_norm_max(g->c->n, g->d);
  for (int i = 0; i < g->c->n; i++)
    if (fabs(g->d[i]) <= g->x->basic.noise * size) g->d[i] = 0;
}
