// A node of the tree of modes: what the relaxation of all polyhedra below it says about them.
#include "certify/modes.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>

// Entries of the points that are looked at, in loads.
static const double reach = 1024;

// Violations that differ by less are the same: rounding must not choose.
static const double equal = 1e-9;

dls_status dls_outlook_create(dls_polyhedra *c, dls_outlook *o)
{
  const ptrdiff_t size = (ptrdiff_t)c->n + c->m + c->tangents;
  *o = (dls_outlook){0};
  const dls_status status = dls_point_create(c->x, c, &o->middle);
  o->cost = dls_context_work(c->x, size);
  for (int k = 0; k < 2; k++) o->point[k] = dls_context_work(c->x, size);
  return c->x->out_of_memory ? DLS_ERR_MEMORY : status;
}

static bool find_end(const dls_polyhedron_program *program, dls_outlook *o, int side, double *value)
{
  if (side < 0)
    for (int i = 0; i < program->cols; i++) o->cost[i] = -o->cost[i];
  dls_lp_set_cost(program->lp, o->cost);
  const dls_lp_outcome outcome = dls_lp_solve(program->lp, o->point[side < 0], NULL, value);
  if (side < 0) *value = -*value;
  return outcome == DLS_LP_OPTIMAL;
}

static bool is_narrow(const dls_polyhedra *c, const dls_outlook *o, double low, double high)
{
  const double size = fmax(c->load, dls_norm_max(c->n, o->point[0]));
  return high - low <= entry_roundings * c->x->basic.noise * size;
}

// From end to end along one direction after the other.
static bool is_held(const dls_polyhedra *c, const dls_polyhedron_program *program, dls_outlook *o)
{
  for (int i = 0; i < c->n; i++) {
    double low = NAN, high = NAN;
    dls_clear(o->cost, program->cols);
    o->cost[i] = 1;
    if (!find_end(program, o, 1, &low) || !find_end(program, o, -1, &high) ||
        !is_narrow(c, o, low, high))
      return false;
  }
  return true;
}

// A polyhedron of which a part in a box has one acceleration has no other: it is convex. So the
// programs may stay in a box, and need not deal with rays.
dls_status dls_outlook_take(const dls_polyhedra *c, const unsigned char *mode, dls_outlook *o)
{
  const dls_polyhedron_region box = {.near = &o->middle,
                                     .radius = reach * (c->load > 0 ? c->load : 1)};
  dls_polyhedron_program program;
  o->seen = o->held = false;
  dls_status status = dls_polyhedron_program_create(c, mode, &box, &program);
  if (status != DLS_OK) return status;
  dls_clear(o->cost, program.cols);
  // a direction along which different accelerations are different
  for (int i = 0; i < c->n; i++)
    o->cost[i] = (i % 2 ? -1 : 1) * (0.5 + fmod(0.6180339887498949 * (i + 1), 1));
  double low = NAN, high = NAN;
  o->seen = find_end(&program, o, 1, &low) && find_end(&program, o, -1, &high);
  if (o->seen && is_narrow(c, o, low, high)) o->held = is_held(c, &program, o);
  status = dls_lp_status(program.lp);
  dls_polyhedron_program_free(&program);
  return status;
}

// --- which contact to decide next ---------------------------------------------------------------

// How far a point is from the law of a contact whose mode is open.
static double violation(const dls_polyhedra *c, int j, const double *y)
{
  const ptrdiff_t n = c->n;
  const double *tau = y + c->n + c->m + c->first[j], lambda = y[c->n + j];
  const double a = dls_dot(c->n, c->G + n * j, y) + c->b[j];
  const double opens = dls_polyhedra_bilateral(c, j) ? 0 : fmin(fmax(0, a), fmax(0, lambda));
  if (c->touch[j] != DLS_TOUCH_CANDIDATE) return opens;
  double s[2] = {0}, t[2] = {0}, along = 0;
  for (int k = 0; k < dls_polyhedra_tangents(c, j); k++) {
    const int slip = c->first[j] + k;
    s[k] = dls_dot(c->n, c->H + n * slip, y) + c->b_t[slip];
    t[k] = tau[k];
    along += s[k] * t[k];
  }
  const double speed = hypot(s[0], s[1]), most = c->mu[j] * fabs(lambda);
  const double outside = fmax(0, hypot(t[0], t[1]) - c->mu_s[j] * fabs(lambda));
  const double slides = speed > 0 ? fmin(speed, fmax(0, most + along / speed)) : 0;
  return fmax(opens, fmax(outside, slides));
}

int dls_outlook_contact(const dls_polyhedra *c, const unsigned char *mode, const dls_outlook *o)
{
  const int size = c->n + c->m + c->tangents;
  int best = -1;
  double most = -1;
  for (int j = 0; j < c->m; j++) {
    if (mode[j] != DLS_MODE_ANY) continue;
    double value = 0;
    for (int k = 0; k < 2 && o->seen; k++) {
      const double unit = fmax(c->load, dls_norm_max(size, o->point[k]));
      value = fmax(value, unit > 0 ? violation(c, j, o->point[k]) / unit : 0);
    }
    if (value > most + equal) most = value, best = j;
  }
  return best;
}

// --- what friction takes away -------------------------------------------------------------------

// z^T (M z + F) = (a - b)^T lambda + (s' - b_t)^T tau, and at contacts that do not slip a lambda =
// 0 and s'^T tau <= 0:
//
//   z^T M z + F^T z + b^T lambda + b_t^T tau <= 0                                  eq (fri.10)
//
// z^T M z = |z - z_0|^2 + 2 z_0^T M z - z_0^T M z_0 leaves a linear function.
bool dls_rest_cost(const dls_polyhedra *c, const double *z_0, double *cost, double *constant)
{
  const ptrdiff_t n = c->n;
  for (int j = 0; j < c->m; j++)
    if (c->touch[j] == DLS_TOUCH_SLIDING) return false;
  *constant = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double momentum = dls_dot(c->n, c->M + n * i, z_0);
    cost[i] = 2 * momentum + c->F[i];
    *constant -= momentum * z_0[i];
  }
  for (int j = 0; j < c->m; j++) cost[c->n + j] = c->b[j];
  for (int k = 0; k < c->tangents; k++) cost[c->n + c->m + k] = c->b_t[k];
  return true;
}
