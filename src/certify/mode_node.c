// A node of the tree of modes: what the relaxation of all polyhedra below it says about them.
#include "certify/modes.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

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

// Which forces may show that z_0 is the only acceleration: tangential ones where the contact cannot
// slip.
static void bound_forces(const dls_polyhedra *c, const unsigned char *mode, double *low,
                         double *high)
{
  for (int j = 0; j < c->m; j++) {
    const bool sticks = (mode[j] & ~DLS_MODE_PULLING) == DLS_MODE_STICK;
    low[j] = dls_polyhedra_bilateral(c, j) ? -INFINITY : 0, high[j] = INFINITY;
    for (int k = c->first[j]; k < c->first[j + 1]; k++)
      high[c->m + k] = sticks ? INFINITY : 0, low[c->m + k] = -high[c->m + k];
  }
}

// |w - G lambda - H tau| is rounding beside the load and the accelerations.
static bool balances(const dls_polyhedra *c, const double *A, const double *w, const double *force,
                     double unit)
{
  const int forces = c->m + c->tangents;
  double worst = 0;
  for (ptrdiff_t i = 0; i < c->n; i++) {
    double left = w[i];
    for (ptrdiff_t k = 0; k < forces; k++) left -= A[i + c->n * k] * force[k];
    worst = fmax(worst, fabs(left));
  }
  return worst <= entry_roundings * c->x->basic.noise * unit;
}

// For d = z - z_0, the forces of M z_0 + F = G lambda_0 + H tau_0 + r, and a solution z, lambda,
// tau,
//
//   d^T M d = (lambda - lambda_0)^T (a - a_0) + (tau - tau_0)^T (s' - s_0') - r^T d <= -r^T d
//                                                                                     eq (fri.10)
//
// as a_0 = 0 and s_0' = 0, lambda_0 >= 0 at unilateral contacts, tau^T s' <= 0, and tau_0 = 0 but
// where s' = 0.
dls_status dls_rest_holds(const dls_polyhedra *c, const unsigned char *mode, const double *z_0,
                          bool *holds)
{
  const ptrdiff_t n = c->n, m = c->m, forces = m + c->tangents;
  double *A = dls_alloc(n * forces + n + 4 * forces, sizeof *A);
  *holds = false;
  if (!A) return DLS_ERR_MEMORY;
  double *w = A + n * forces, *low = w + n, *high = low + forces, *force = high + forces;
  dls_copy(A, c->G, n * m);
  if (c->tangents) dls_copy(A + n * m, c->H, n * c->tangents);
  for (ptrdiff_t i = 0; i < n; i++) w[i] = c->F[i] + dls_dot(c->n, c->M + n * i, z_0);
  bound_forces(c, mode, low, high);
  const dls_lp_data data = {c->n, (int)forces, A, w, w, low, high, force + forces};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  const dls_status status = dls_lp_run(&data, force, NULL, NULL, &outcome);
  const double unit = fmax(c->load, dls_norm_max(c->n, z_0));
  *holds = status == DLS_OK && outcome == DLS_LP_OPTIMAL && balances(c, A, w, force, unit);
  free(A);
  return status;
}
