// When contacts cannot all stick: the force that is missing, and the contacts that would open.
#include "certify/sticking_internal.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "convex/cone_rows.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SIGNS = 6 };

// f = M z + F - G lambda - H tau, so that the balance holds exactly
static void missing_force(const dls_polyhedra *c, const dls_point *point, double *f)
{
  dls_copy(f, c->F, c->n);
  dls_gemv(false, c->n, c->n, 1, c->M, point->z, 1, f);
  dls_gemv(false, c->n, c->m, -1, c->G, point->lambda, 1, f);
  dls_gemv(false, c->n, c->tangents, -1, c->H, point->tau, 1, f);
}

// Does the point fulfil all but the balance? `load`: n, work memory.
static bool sticks_with(dls_stick *s, const double *f, double *load)
{
  dls_polyhedra *c = s->polyhedra;
  double *F = c->F;
  for (int i = 0; i < c->n; i++) load[i] = F[i] - f[i];
  c->F = load;
  const double fault = dls_stick_fault(s, NULL, &s->point, NULL, NULL);
  c->F = F;
  return fault <= extra_violation;
}

// The least force with the signs of `mode`; f: n, scaled.
static dls_status with_signs(dls_stick *s, const unsigned char *mode, double *f, double *size,
                             bool *found)
{
  const dls_polyhedra *c = s->polyhedra;
  dls_stick_program p;
  dls_cone_report report = {.outcome = DLS_CONE_FAILED};
  *found = false;
  dls_status status = dls_stick_program_create(
      s, mode, s->definite ? DLS_STICK_FORCE_KINETIC : DLS_STICK_FORCE_PLAIN, NULL, &p);
  double *x = status == DLS_OK ? dls_alloc((ptrdiff_t)p.cols + c->n, sizeof *x) : NULL;
  double *load = x ? x + p.cols : NULL;
  if (status == DLS_OK && !x) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_stick_program_solve(&p, x, NULL, NULL, &report);
  if (status == DLS_OK && report.outcome == DLS_CONE_SOLVED) {
    const dls_coulomb_units *u = &c->units;
    dls_stick_program_point(s, mode, &p, x, &s->point);
    missing_force(c, &s->point, f);
    *found = sticks_with(s, f, load);
    *size = 0;
    for (int i = 0; i < c->n; i++) {
      const double other = s->definite ? x[p.goal + i] : f[i];
      *size += u->S[i] * u->S[i] * f[i] * other;
    }
    *size = sqrt(u->mass * fmax(*size, 0));
  }
  free(x);
  dls_stick_program_free(&p);
  return status;
}

dls_status dls_stick_extra_force(dls_stick *s, double *force, double *size, bool *found)
{
  const dls_polyhedra *c = s->polyhedra;
  int either[MOST_SIGNS] = {0}, count = 0;
  unsigned char *mode = dls_alloc(c->m, 1);
  double *f = dls_alloc(c->n, sizeof *f);
  dls_status status = mode && f ? DLS_OK : DLS_ERR_MEMORY;
  *found = false, *size = INFINITY;
  for (int j = 0; j < c->m && status == DLS_OK; j++) {
    mode[j] = (unsigned char)dls_stick_mode(s, j);
    if (!(mode[j] & DLS_MODE_EITHER)) continue;
    if (count < MOST_SIGNS) either[count] = j;
    count++;
  }
  bool all = true;
  for (int pattern = 0; count <= MOST_SIGNS && pattern < 1 << count && status == DLS_OK;
       pattern++) {
    double here = INFINITY;
    bool good = false;
    for (int k = 0; k < count; k++) {
      unsigned char *at = &mode[either[k]];
      *at = (unsigned char)(*at & ~(DLS_MODE_EITHER | DLS_MODE_PULLING));
      if (pattern >> k & 1) *at |= DLS_MODE_PULLING;
    }
    status = with_signs(s, mode, f, &here, &good);
    all &= good;
    if (!good || !(here < *size)) continue;
    *found = true, *size = here;
    for (int i = 0; i < c->n; i++) force[i] = c->units.mass * c->units.S[i] / c->units.D[i] * f[i];
  }
  *found &= all;  // a sign that could not be settled might do with less
  free(mode), free(f);
  return status;
}

// min 1/2 z^T M z + F^T z with a_n >= 0 (bilateral: = 0) and a_t = 0            eq (stk.7)
static dls_status open_contacts(const dls_stick *s, double *z, dls_cone_report *report)
{
  const dls_polyhedra *c = s->polyhedra;
  const ptrdiff_t n = c->n;
  dls_cone_rows rows = {.n = c->n, .tolerance = dls_cone_defaults().tolerance};
  for (int j = 0; j < c->m_b; j++) {
    dls_cone_rows_equation(&rows, c->b[j]);
    dls_cone_rows_add(&rows, 1, c->n, c->G + n * j);
  }
  for (int k = 0; k < c->tangents; k++) {
    if (s->slip_row[k] < 0) continue;
    dls_cone_rows_equation(&rows, c->b_t[k]);
    dls_cone_rows_add(&rows, 1, c->n, c->H + n * k);
  }
  for (int j = c->m_b; j < c->m; j++) {
    dls_cone_rows_inequality(&rows, c->b[j]);
    dls_cone_rows_add(&rows, 1, c->n, c->G + n * j);
  }
  dls_cone_rows_quadratic(&rows, c->M);
  const dls_status status = dls_cone_rows_solve(&rows, c->F, z, NULL, report);
  dls_cone_rows_free(&rows);
  return status;
}

dls_status dls_stick_opening(dls_stick *s, int *contact, int *count)
{
  const dls_polyhedra *c = s->polyhedra;
  *count = 0;
  for (int j = 0; j < c->m; j++)
    if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_OK;  // not a minimum of anything
  if (!s->definite) return DLS_OK;  // the acceleration may not be the only one
  dls_cone_report report = {.outcome = DLS_CONE_FAILED};
  double *z = dls_alloc(c->n, sizeof *z);
  const dls_status status = z ? open_contacts(s, z, &report) : DLS_ERR_MEMORY;
  const double size = fmax(c->load, z ? dls_norm_max(c->n, z) : 0);
  for (int j = c->m_b; status == DLS_OK && report.outcome == DLS_CONE_SOLVED && j < c->m; j++) {
    const double a = dls_dot(c->n, c->G + (ptrdiff_t)c->n * j, z) + c->b[j];
    if (a > opens_at_least * size) contact[(*count)++] = j;
  }
  free(z);
  return status;
}
