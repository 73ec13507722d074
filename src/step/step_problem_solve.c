// Solvers of the contact problem of a step, in its own units: one contact at once, several by a
// method of the table, or by the pyramid.
#include "step/step_problem.h"

#include "base/memory.h"
#include "contact/incremental.h"
#include "solve/one_law.h"
#include "step/tolerances.h"

#include <math.h>
#include <string.h>

enum { FEW_ROWS = 60 };  // of a problem whose solvers lose fewer digits

static bool watch_solver(void *self, int iteration, double error, const char *solver)
{
  dls_step_problem *c = self;
  (void)iteration, (void)error, (void)solver;
  return dls_snapshot_stopped(c->point);
}

// Made once for a set, with numbers that say nothing.
dls_status dls_step_problem_make_solver(dls_step_problem *c, dls_message *message)
{
  dls_solve_options options = dls_solve_defaults();
  options.tolerance = c->tolerance;
  if (c->point->may_stop)
    options.watch = c->facets.lcp.watch = watch_solver, options.self = c->facets.lcp.self = c;
  dls_step_problem_unit_blocks(c);
  c->filled = false;
  for (int k = 0; k < c->members * c->dimension; k++) c->room.q[k] = 1;
  memset(c->room.law, DLS_LAW_CONE, (size_t)c->members);
  if (c->facets.facets > 0)
    return dls_polyhedral_create(&c->problem, &c->facets, &c->pyramid, message);
  return c->members > 1 ? dls_solver_create(&c->problem, &options, &c->solver, message) : DLS_OK;
}

dls_status dls_step_problem_facet(dls_step_problem *c, const dls_polyhedral_options *options,
                                  dls_message *message)
{
  if (c->count == 0) return DLS_OK;
  c->facets = *options;
  c->stabilize = options->stabilize, c->pyramid_tolerance = options->lcp.tolerance;
  c->closing = pyramid_closing + closing_by_stabilize * c->stabilize;
  return c->members > 0 ? dls_step_problem_make_solver(c, message) : DLS_OK;
}

// The solver of this set, unless it is there.
bool dls_step_problem_have_solver(dls_step_problem *c, int active)
{
  const bool pyramid = c->facets.facets > 0;
  if (pyramid ? c->pyramid != NULL : c->solver || active < 2) return true;
  const dls_status status = dls_step_problem_make_solver(c, NULL);
  if (status != DLS_OK) c->point->trouble = status;
  return status == DLS_OK;
}

// |F| / |q| of a single contact with its own block.
static bool holds(int d, const dls_one_law *law, const double *W, const double *q, const double *r,
                  double tolerance, double *u)
{
  double scale = 0;
  for (int a = 0; a < d; a++) {
    u[a] = q[a];
    for (int b = 0; b < d; b++) u[a] += W[a + d * b] * r[b];
    if (a == 0 || !dls_law_slides(law->law)) scale += q[a] * q[a];
  }
  const double F = dls_law_square(d, law, 1, r, u);
  return scale == 0 ? F == 0 : sqrt(F) <= tolerance * sqrt(scale);
}

// Bounds are impulses.                                                               eq (int.4)
static dls_one_law law_in_units(const dls_step_problem *c, int i)
{
  dls_one_law law = dls_step_problem_law(c, i);
  law.bound *= c->unit * c->scale[i] / c->speed;
  return law;
}

// A single active contact is solved exactly and at once.
static bool solve_alone(dls_step_problem *c, int i)
{
  const int d = c->dimension, place = c->place[i];
  int l = c->neighbour_first[place];
  while (c->neighbour[l] != place) l++;
  double W[9] = {0};
  for (int k = 0; k < d; k++)
    dls_copy(W + d * k, dls_step_problem_block(c, place, l - c->neighbour_first[place], k), d);
  const dls_one_law law = law_in_units(c, i);
  const double *q = c->q + i * d;
  double *r = c->r + i * d;
  if (law.mu == 0 && law.bound == 0) {
    const bool open = q[0] >= 0 && !dls_law_is_bilateral(law.law);
    if (!(W[0] > 0) && !open && q[0] != 0) return false;
    dls_clear(r, d);
    r[0] = open || q[0] == 0 ? 0 : -q[0] / W[0];
    for (int k = 0; k < d; k++) c->u[i * d + k] = q[k] + W[k] * r[0];
    c->u[i * d] = open ? q[0] : 0;
    return isfinite(r[0]);
  }
  const int rows = dls_step_problem_tangents(c, i) + 1;
  double w[9];
  for (int a = 0; a < rows; a++)
    for (int b = 0; b < rows; b++) w[a + rows * b] = W[a + d * b];
  return dls_one_law_near(rows, &law, w, q, near_contact, r) &&
         holds(rows, &law, w, q, r, c->tolerance, c->u + i * d);
}

// Normal velocities may be much smaller than slips, and are looked at beside one another.
static double normal_part(const dls_step_problem *c)
{
  double normal = 0, all = 0;
  for (int l = 0; l < c->members; l++) {
    const double *q = c->q + c->member[l] * c->dimension;
    for (int k = 0; k < dls_step_problem_looks_at(c, c->member[l]); k++)
      all = fmax(all, fabs(q[k]));
    normal = fmax(normal, fabs(q[0]));
  }
  return all > 0 ? normal / all : 1;
}

// No impulse at all is where the solver starts: it must not count as an answer beside fast slips.
static bool solve_pyramid(dls_step_problem *c)
{
  const dls_pattern *W = &c->problem.W.pattern;
  dls_lcp_report report;
  dls_polyhedral_set_tolerance(c->pyramid, c->pyramid_tolerance * normal_part(c));
  const double *q = c->room.q;
  double *r = c->room.r, *u = c->room.u;
  if (dls_polyhedral_solve(c->pyramid, r, &report) != DLS_OK) return false;
  c->report.error.natural = report.error_in_units;
  dls_copy(u, q, W->cols);
  double scale = 0, added = 0;  // what the stabilization adds to u must stay small beside q
  for (int j = 0; j < W->cols; j++)
    for (int e = W->p[j]; e < W->p[j + 1]; e++) {
      u[W->i[e]] += c->W[e] * r[j];
      if (W->i[e] == j) added = fmax(added, c->stabilize * fabs(c->W[e] * r[j]));
      scale = fmax(scale, fabs(q[j]));
    }
  return report.error_in_units <= c->pyramid_tolerance && added <= pyramid_added * scale &&
         report.stop != DLS_LCP_STOP_EXHAUSTED;  // which says that a bilateral contact opens
}

// Half of the tolerance, since the step's own rounding comes on top. It is meant for normal
// velocities: where the slip is much faster it must be smaller
// relative to all of q. Bodies that rest start each step from the impulses of the last one, and
// what those leave adds up: much less is asked for. What cannot be reached need not: the tolerance
// itself decides.
static double aim(const dls_step_problem *c)
{
  const bool few = c->members * c->dimension <= FEW_ROWS;
  const bool bodies = c->point->system->find != NULL;
  const double least = few ? least_aim_few : least_aim_many;
  const double part = !bodies ? aim_of_tolerance : few ? aim_of_few_bodies : aim_of_bodies;
  const double half = part * c->tolerance;
  return fmin(half, fmax(least, half * normal_part(c)));
}

void dls_step_problem_gather_set(dls_step_problem *c)
{
  const int d = c->dimension;
  const ptrdiff_t row = d;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    const dls_one_law law = law_in_units(c, i);
    c->room.law[k] = (unsigned char)law.law;
    c->room.mu[k] = law.mu, c->room.bound[k] = law.bound;
    dls_copy(c->room.direction + (ptrdiff_t)k * (d - 1), law.direction, d - 1);
    dls_copy(c->room.q + k * d, c->q + i * d, row);
    dls_copy(c->room.r + k * d, c->r + i * d, row);
  }
}

static void scatter_set(dls_step_problem *c)
{
  const int d = c->dimension;
  const ptrdiff_t row = d;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    dls_copy(c->r + i * d, c->room.r + k * d, row);
    dls_copy(c->u + i * d, c->room.u + k * d, row);
  }
}

static bool solve_several(dls_step_problem *c)
{
  bool done;
  dls_step_problem_gather_set(c);
  if (c->pyramid) {
    done = solve_pyramid(c);
  } else {
    dls_solver_set_tolerance(c->solver, aim(c));
    done = dls_solver_solve(c->solver, c->room.r, NULL, c->room.u, &c->report) == DLS_OK &&
           c->report.error.q <= c->tolerance;
  }
  scatter_set(c);
  return done;
}

bool dls_step_problem_solve_scaled(dls_step_problem *c, int active, int only)
{
  if (c->pyramid || active > 1) return solve_several(c);
  c->report.error.natural = 0;
  for (int k = 0; k < c->members; k++)
    if (c->member[k] != only) dls_clear(c->u + c->member[k] * c->dimension, c->dimension);
  return solve_alone(c, only);
}
