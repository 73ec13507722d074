// The part of the all-sticking problem that has nothing to do with cones: accelerations, and the
// total force of the contacts.                                                      eq (stk.2)
#include "certify/sticking_internal.h"

#include "base/memory.h"
#include "convex/cone_rows.h"
#include "linalg/dense.h"

#include <stdlib.h>

// min 1/2 x^T M x + f^T x  with  G^T x = g, H^T x = g  at the contacts that stay closed and stick;
// y: the forces
static dls_status minimise(const dls_stick *s, const double *f, const double *g, double *x,
                           double *y, dls_cone_report *report)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n;
  dls_cone_rows rows = {.n = c->n, .tolerance = dls_cone_defaults().tolerance};
  for (int j = 0; j < c->m; j++) {
    dls_cone_rows_equation(&rows, -g[j]);
    dls_cone_rows_add(&rows, 1, c->n, c->G + n * j);
  }
  for (int k = 0; k < c->tangents; k++) {
    if (s->slip_row[k] < 0) continue;
    dls_cone_rows_equation(&rows, -g[c->m + s->slip_row[k]]);
    dls_cone_rows_add(&rows, 1, c->n, c->H + n * k);
  }
  dls_cone_rows_quadratic(&rows, c->M);
  const dls_status status = dls_cone_rows_solve(&rows, f, x, y, report);
  dls_cone_rows_free(&rows);
  return status;
}

static void set_forces(const dls_stick *s, const double *y, double *alpha, double *sigma)
{
  const dls_polyhedra *c = s->polyhedra;
  for (int j = 0; j < c->m; j++) alpha[j] = y[j];
  for (int k = 0; k < c->tangents; k++)
    sigma[k] = s->slip_row[k] < 0 ? 0 : y[c->m + s->slip_row[k]];
}

dls_status dls_stick_rest_create(dls_stick *s, dls_stick_rest *rest)
{
  const dls_polyhedra *c = s->polyhedra;
  dls_context *x = c->x;
  const ptrdiff_t rows = (ptrdiff_t)c->m + s->held_tangents;
  *rest = (dls_stick_rest){0};
  s->rest = rest;
  for (int j = 0; j < c->m; j++)
    if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_OK;  // the load depends on the forces
  rest->z = dls_context_work(x, c->n), rest->w = dls_context_work(x, c->n);
  double *g = dls_context_work(x, rows), *y = dls_context_work(x, rows);
  dls_status status = dls_proof_create(x, c, &rest->proof);
  if (status != DLS_OK) return status;
  for (int j = 0; j < c->m; j++) g[j] = -c->b[j];
  for (int k = 0; k < c->tangents; k++)
    if (s->slip_row[k] >= 0) g[c->m + s->slip_row[k]] = -c->b_t[k];
  dls_cone_report report = {.outcome = DLS_CONE_FAILED};
  status = minimise(s, c->F, g, rest->z, y, &report);
  if (status != DLS_OK) return status;
  dls_proof *proof = &rest->proof;
  set_forces(s, y, proof->alpha, proof->sigma);
  switch (report.outcome) {
  case DLS_CONE_SOLVED:
    // from the forces, so that there are some with exactly this sum
    rest->known = true;
    dls_gemv(false, c->n, c->m, 1, c->G, proof->alpha, 0, rest->w);
    dls_gemv(false, c->n, c->tangents, 1, c->H, proof->sigma, 1, rest->w);
    break;
  case DLS_CONE_PRIMAL_INFEASIBLE: rest->contradiction = true; break;
  case DLS_CONE_DUAL_INFEASIBLE:
    rest->contradiction = true;
    dls_copy(proof->d, rest->z, c->n);
    break;
  case DLS_CONE_FAILED: break;
  }
  return DLS_OK;
}

// min 1/2 (d + e)^T M (d + e) over e with G^T e = 0, H^T e = 0
dls_status dls_stick_rest_complete(const dls_stick *s, dls_proof *proof)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n, rows = (ptrdiff_t)c->m + s->held_tangents;
  double *block = dls_alloc(2 * n + 2 * rows, sizeof *block);
  if (!block) return DLS_ERR_MEMORY;
  double *load = block, *e = load + n, *y = e + n, *zero = y + rows;
  dls_cone_report report = {.outcome = DLS_CONE_FAILED};
  dls_gemv(false, c->n, c->n, 1, c->M, proof->d, 0, load);
  const dls_status status = minimise(s, load, zero, e, y, &report);
  if (status == DLS_OK && report.outcome == DLS_CONE_SOLVED) {
    for (ptrdiff_t i = 0; i < n; i++) proof->d[i] += e[i];
    for (ptrdiff_t i = 0; i < rows; i++) y[i] = -y[i];
    set_forces(s, y, proof->alpha, proof->sigma);
  }
  free(block);
  return status;
}
