#include "step/contact_step.h"

#include "base/memory.h"
#include "base/message.h"
#include "solve/one_contact.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDES = 8 };  // contacts whose sides are enumerated: 2^8 problems

int dls_contact_step_slips(const dls_contact_step *c, int i)
{
  return c->point->system->contacts[c->contact[i]].slips;
}

bool dls_contact_step_is_bilateral(const dls_contact_step *c, int i)
{
  return c->point->system->contacts[c->contact[i]].kind == DLS_BILATERAL;
}

void dls_contact_step_free(dls_contact_step *c)
{
  if (!c) return;
  dls_contact_room *room = &c->room;
  dls_solver_free(c->solver);
  dls_polyhedral_free(c->pyramid);
  free(c->neighbour_first), free(c->neighbour), free(c->W);
  free(room->p), free(room->row), free(room->contact);
  free(room->law), free(room->q), free(room->r), free(room->u);
  dls_arena_free(c->arena);
  free(c);
}

static bool set_up(dls_contact_step *c)
{
  const dls_system *s = c->point->system;
  const size_t m = (size_t)s->m;
  c->members = -1;
  c->contact = dls_arena_alloc(c->arena, 3 * m + 3, sizeof(int));
  c->of = dls_arena_alloc(c->arena, m + 1, sizeof(int));
  if (!c->contact || !c->of) return false;
  c->member = c->contact + m + 1, c->place = c->member + m + 1;
  c->dimension = 2;
  for (int j = 0; j < s->m; j++) {
    const bool law = s->contacts[j].kind == DLS_UNILATERAL || s->contacts[j].slips > 0;
    c->of[j] = law ? c->count : -1;
    if (law) c->contact[c->count++] = j;
    if (s->contacts[j].slips == 2) c->dimension = 3;
  }
  c->rows = c->dimension * c->count;
  const size_t count = (size_t)c->count + 1, rows = (size_t)c->rows + 1;
  c->active = dls_arena_alloc(c->arena, count, sizeof(bool));
  c->sliding = dls_arena_alloc(c->arena, count, sizeof(bool));
  c->side = dls_arena_alloc(c->arena, 2 * count, 1);
  c->filled_side = c->side + count;
  c->xi = dls_arena_alloc(c->arena, 2 * count, sizeof(double));
  c->mu = dls_arena_alloc(c->arena, 2 * count, sizeof(double));
  c->law = c->mu + count;
  c->scale = dls_arena_alloc(c->arena, count, sizeof(double));
  c->q = dls_arena_alloc(c->arena, 5 * rows, sizeof(double));
  c->r = c->q + rows, c->u = c->r + rows, c->r_start = c->u + rows;
  c->r_before = c->r_start + rows;
  const size_t size = (size_t)dls_balance_size(c->balance) + 1;
  c->x = dls_arena_alloc(c->arena, (DLS_BALANCE_COLUMNS + 1) * size, sizeof(double));
  c->x_free = c->x + DLS_BALANCE_COLUMNS * size;
  if (!c->active || !c->sliding || !c->side || !c->xi || !c->mu || !c->scale || !c->q || !c->x)
    return false;
  for (int i = 0; i < c->count; i++) c->side[i] = 1, c->place[i] = -1;
  return dls_contact_step_touch(c);
}

// Made once for a set, with numbers that say nothing.
static dls_status make_solver(dls_contact_step *c, dls_message *message)
{
  dls_solve_options options = dls_solve_defaults();
  options.tolerance = c->tolerance;
  dls_contact_step_unit_blocks(c);
  c->filled = false;
  for (int k = 0; k < c->members * c->dimension; k++) c->room.q[k] = 1;
  if (c->facets.facets > 0)
    return dls_polyhedral_create(&c->problem, &c->facets, &c->pyramid, message);
  return c->members > 1 ? dls_solver_create(&c->problem, &options, &c->solver, message) : DLS_OK;
}

dls_status dls_contact_step_create(dls_snapshot *point, dls_balance *balance, double tolerance,
                                   dls_contact_step **out, dls_message *message)
{
  *out = NULL;
  dls_contact_step *c = dls_alloc(1, sizeof *c);
  if (!c) return DLS_ERR_MEMORY;
  c->point = point, c->balance = balance;
  c->arena = dls_arena_create();
  c->tolerance = tolerance, c->closing = 1e-9;
  dls_status status = point->system->m > INT_MAX / 3 ? DLS_ERR_LIMIT : DLS_OK;
  if (status == DLS_OK && !(c->arena && set_up(c))) status = DLS_ERR_MEMORY;
  if (status == DLS_OK && !dls_contact_step_choose(c)) status = point->trouble;
  if (status == DLS_OK && c->members > 1) status = make_solver(c, message);
  if (status == DLS_OK) *out = c;
  else dls_contact_step_free(c);
  return status;
}

dls_status dls_contact_step_facet(dls_contact_step *c, const dls_polyhedral_options *options,
                                  dls_message *message)
{
  if (c->count == 0) return DLS_OK;
  c->facets = *options;
  c->stabilize = options->stabilize, c->pyramid_tolerance = options->lcp.tolerance;
  c->closing = 1e-9 + 100 * c->stabilize;
  return c->members > 0 ? make_solver(c, message) : DLS_OK;
}

// --- one problem ---

// q = J^T x + w for the contacts that take part.
static void free_motion(dls_contact_step *c, const double *x, const double *w)
{
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    double *q = c->q + i * c->dimension;
    for (int k = 0; k < c->dimension; k++) q[k] = 0;
    if (!c->active[i]) continue;
    const int last = dls_contact_step_rows(c, i);
    for (int k = 0; k < last; k++)
      q[k] = dls_snapshot_pull(c->point, c->contact[i], k, x) + w[i * c->dimension + k];
  }
}

// |F| / |q| of a single contact with its own block.
static bool holds(int d, double mu, const double *W, const double *q, const double *r,
                  double tolerance, double *u)
{
  double z[3] = {0}, p[3], tangential = 0, F = 0, scale = 0;
  for (int a = 0; a < d; a++) {
    u[a] = q[a];
    for (int b = 0; b < d; b++) u[a] += W[a + d * b] * r[b];
    if (a > 0) tangential += u[a] * u[a];
    scale += q[a] * q[a];
  }
  for (int a = 0; a < d; a++) z[a] = r[a] - u[a];
  z[0] -= mu * sqrt(tangential);
  dls_friction_cone_project(d, mu, z, p);
  for (int a = 0; a < d; a++) F += (r[a] - p[a]) * (r[a] - p[a]);
  return scale == 0 ? F == 0 : sqrt(F) <= tolerance * sqrt(scale);
}

// A single active contact is solved exactly and at once.
static bool solve_alone(dls_contact_step *c, int i)
{
  const int d = c->dimension, place = c->place[i];
  int l = c->neighbour_first[place];
  while (c->neighbour[l] != place) l++;
  double W[9] = {0};
  for (int k = 0; k < d; k++)
    memcpy(W + d * k, dls_contact_step_block(c, place, l - c->neighbour_first[place], k),
           (size_t)d * sizeof(double));
  const double mu = c->law[i], *q = c->q + i * d;
  double *r = c->r + i * d;
  if (mu == 0) {
    if (!(W[0] > 0) && q[0] < 0) return false;
    memset(r, 0, (size_t)d * sizeof(double));
    r[0] = q[0] < 0 ? -q[0] / W[0] : 0;
    for (int k = 0; k < d; k++) c->u[i * d + k] = q[k] + W[k] * r[0];
    c->u[i * d] = q[0] < 0 ? 0 : q[0];
    return isfinite(r[0]);
  }
  const int rows = dls_contact_step_slips(c, i) + 1;
  double w[9];
  for (int a = 0; a < rows; a++)
    for (int b = 0; b < rows; b++) w[a + rows * b] = W[a + d * b];
  return dls_one_contact(rows, mu, w, q, r) && holds(rows, mu, w, q, r, c->tolerance, c->u + i * d);
}

// Normal velocities may be much smaller than slips, and are looked at beside one another.
static double normal_part(const dls_contact_step *c)
{
  double normal = 0, all = 0;
  for (int l = 0; l < c->members; l++) {
    const double *q = c->q + c->member[l] * c->dimension;
    for (int k = 0; k < c->dimension; k++) all = fmax(all, fabs(q[k]));
    normal = fmax(normal, fabs(q[0]));
  }
  return all > 0 ? normal / all : 1;
}

// No impulse at all is where the solver starts: it must not count as an answer beside fast slips.
static bool solve_pyramid(dls_contact_step *c)
{
  const dls_pattern *W = &c->problem.W.pattern;
  dls_lcp_report report;
  dls_polyhedral_set_tolerance(c->pyramid, c->pyramid_tolerance * normal_part(c));
  const double *q = c->room.q;
  double *r = c->room.r, *u = c->room.u;
  if (dls_polyhedral_solve(c->pyramid, r, &report) != DLS_OK) return false;
  c->report.error.natural = report.error_in_units;
  memcpy(u, q, (size_t)W->cols * sizeof(double));
  double scale = 0, added = 0;  // what the stabilization adds to u must stay small beside q
  for (int j = 0; j < W->cols; j++)
    for (int e = W->p[j]; e < W->p[j + 1]; e++) {
      u[W->i[e]] += c->W[e] * r[j];
      if (W->i[e] == j) added = fmax(added, c->stabilize * fabs(c->W[e] * r[j]));
      scale = fmax(scale, fabs(q[j]));
    }
  return report.error_in_units <= c->pyramid_tolerance && added <= 1e-4 * scale;
}

// Half of the tolerance, since the step's own rounding comes on top. It is meant for normal
// velocities: where the slip is much faster it must be smaller
// relative to all of q. What cannot be reached need not: the tolerance itself decides.
static double aim(const dls_contact_step *c)
{
  const double least = c->members * c->dimension <= 60 ? 1e-13 : 1e-11;
  const double half = 0.5 * c->tolerance;
  return fmin(half, fmax(least, half * normal_part(c)));
}

void dls_contact_step_gather_set(dls_contact_step *c)
{
  const int d = c->dimension;
  const size_t row = (size_t)d * sizeof(double);
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    c->room.law[k] = c->law[i];
    memcpy(c->room.q + k * d, c->q + i * d, row);
    memcpy(c->room.r + k * d, c->r + i * d, row);
  }
}

static void scatter_set(dls_contact_step *c)
{
  const int d = c->dimension;
  const size_t row = (size_t)d * sizeof(double);
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    memcpy(c->r + i * d, c->room.r + k * d, row);
    memcpy(c->u + i * d, c->room.u + k * d, row);
  }
}

static bool solve_several(dls_contact_step *c)
{
  bool done;
  dls_contact_step_gather_set(c);
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

static bool solve_scaled(dls_contact_step *c, int active, int only)
{
  if (c->pyramid || active > 1) return solve_several(c);
  c->report.error.natural = 0;
  for (int k = 0; k < c->members; k++)
    if (c->member[k] != only)
      memset(c->u + c->member[k] * c->dimension, 0, (size_t)c->dimension * sizeof(double));
  return solve_alone(c, only);
}

// The solver of this set, unless it is there.
static bool have_solver(dls_contact_step *c, int active)
{
  const bool pyramid = c->facets.facets > 0;
  if (pyramid ? c->pyramid != NULL : c->solver || active < 2) return true;
  const dls_status status = make_solver(c, NULL);
  if (status != DLS_OK) c->point->trouble = status;
  return status == DLS_OK;
}

static bool solve_sides(dls_contact_step *c, int active, int only)
{
  if (!have_solver(c, active)) return false;
  dls_contact_step_refill(c);
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (c->active[i]) c->q[i * c->dimension] *= c->side[i];
    else memset(c->r + i * c->dimension, 0, (size_t)c->dimension * sizeof(double));
  }
  dls_contact_step_enter_units(c);
  const bool done = solve_scaled(c, active, only);
  dls_contact_step_leave_units(c);
  for (int l = 0; l < c->members; l++) {  // back to the normals of the system
    const int i = c->member[l], row = i * c->dimension;
    if (c->active[i] && c->side[i] < 0) c->q[row] *= -1, c->u[row] *= -1, c->r[row] *= -1;
  }
  return done;
}

// Is a bilateral contact open? Up to what the solver leaves a normal velocity is none.
static bool opens(const dls_contact_step *c, int i)
{
  double most = 0;
  if (!c->active[i] || !dls_contact_step_is_bilateral(c, i)) return false;
  for (int k = 0; k < c->members; k++) {
    const int l = c->member[k];
    if (c->active[l]) most = fmax(most, fabs(c->q[l * c->dimension]) / c->scale[l]);
  }
  return !(fabs(c->u[i * c->dimension]) / c->scale[i] <=
           c->closing * most + 10 * c->report.error.natural * c->speed);
}

int dls_contact_step_opened(const dls_contact_step *c)
{
  for (int k = 0; k < c->members; k++)
    if (opens(c, c->member[k])) return c->contact[c->member[k]];
  return -1;
}

// Bilateral contacts that the answer opens press from the wrong side.
static int change_sides(dls_contact_step *c)
{
  int changed = 0;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    if (!opens(c, i)) continue;
    c->side[i] = (signed char)-c->side[i];
    changed++;
  }
  return changed;
}

static void copy_members(const dls_contact_step *c, const double *from, double *to)
{
  for (int k = 0; k < c->members; k++) {
    const int at = c->member[k] * c->dimension;
    memcpy(to + at, from + at, (size_t)c->dimension * sizeof(double));
  }
}

static bool enumerate_sides(dls_contact_step *c, int active, int only)
{
  int list[MOST_SIDES], count = 0;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    if (!c->active[i] || !dls_contact_step_is_bilateral(c, i)) continue;
    if (count == MOST_SIDES) return false;
    list[count++] = i;
  }
  for (int mask = 0; mask < 1 << count; mask++) {
    for (int k = 0; k < count; k++) c->side[list[k]] = mask >> k & 1 ? -1 : 1;
    copy_members(c, c->r_start, c->r);
    for (int k = 0; k < c->members; k++) {
      const int i = c->member[k];
      if (c->r[i * c->dimension] * c->side[i] < 0) c->r[i * c->dimension] *= -1;
    }
    if (solve_sides(c, active, only) && dls_contact_step_opened(c) < 0) return true;
  }
  return false;
}

// A start pushes from the side that is tried.
static void choose_sides(dls_contact_step *c)
{
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    c->side[i] =
        c->active[i] && dls_contact_step_is_bilateral(c, i) && c->r[i * c->dimension] < 0 ? -1 : 1;
  }
}

static bool solve(dls_contact_step *c)
{
  int active = 0, only = -1, sided = 0;
  c->point->counts.contact_problems++;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    const bool normal = c->frictionless || c->sliding[i] || dls_contact_step_slips(c, i) == 0;
    c->law[i] = c->active[i] && !normal ? c->mu[i] : 0;
    if (!c->active[i]) continue;
    active++, only = i;
    sided += dls_contact_step_is_bilateral(c, i);
  }
  copy_members(c, c->r, c->r_start);
  choose_sides(c);
  for (int k = 0; k < c->members; k++) c->r[c->member[k] * c->dimension] *= c->side[c->member[k]];
  bool done = solve_sides(c, active, only);
  if (sided == 0) return done;
  for (int tries = 0; tries < 4 && done && change_sides(c) > 0; tries++) {
    for (int k = 0; k < c->members; k++) {
      double *r = c->r + c->member[k] * c->dimension;
      *r = fabs(*r);
    }
    done = solve_sides(c, active, only);
  }
  return (done && dls_contact_step_opened(c) < 0) || enumerate_sides(c, active, only);
}

// x += J r, and sizes the absolute values of its terms where they are wanted.
static void push(const dls_contact_step *c, const double *impulse, double *x, double *sizes)
{
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    const double *r = impulse + i * c->dimension;
    const int j = c->contact[i];
    for (int k = 0; k <= dls_contact_step_slips(c, i); k++) {
      double p = k == 0 || !c->frictionless ? r[k] : 0;
      if (k > 0 && c->sliding[i]) p = -c->mu[i] * c->xi[2 * i + k - 1] * fabs(r[0]);
      if (p == 0) continue;
      dls_snapshot_push(c->point, j, k, p, x);
      if (sizes) dls_snapshot_push_size(c->point, j, k, p, sizes);
    }
  }
}

void dls_contact_step_push(const dls_contact_step *c, double *x, double *sizes)
{
  push(c, c->r, x, sizes);
}

// x += K^-1 J r; once: by the factors alone.
static void apply(dls_contact_step *c, const double *r, bool once, double *x)
{
  double *y = c->x;
  const int size = dls_balance_size(c->balance);
  push(c, r, y, NULL);
  if (once) dls_balance_solve_once(c->balance, y);
  else dls_balance_solve(c->balance, y);
  for (int i = 0; i < size; i++) x[i] += y[i];
  memset(y, 0, (size_t)size * sizeof(double));
}

// W comes from factors without refinement: u at the refined x may differ from W r + q. What is
// missing goes to q; returns its size relative to the terms.
static double correct(dls_contact_step *c, const double *w, const double *x)
{
  double most = 0, scale = 0;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    for (int k = 0; k < dls_contact_step_rows(c, i); k++) {
      const int row = i * c->dimension + k;
      const double u = dls_snapshot_pull(c->point, c->contact[i], k, x) + w[row];
      const double missing = u - c->u[row];
      most = fmax(most, fabs(missing));
      scale = fmax(scale, fabs(c->q[row]));
      c->q[row] += missing;
    }
  }
  return scale > 0 ? most / scale : 0;
}

// x -= K^-1 G rho w: what the stiffened balance takes for granted, eq (int.6).
static void take_for_granted(dls_contact_step *c, const double *w, bool once, double *x)
{
  double *y = c->x;
  const int size = dls_balance_size(c->balance);
  bool any = false;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    const double p = -dls_balance_stiffness(c->balance, c->contact[i]) * w[i * c->dimension];
    if (!c->active[i] || p == 0) continue;
    dls_snapshot_push(c->point, c->contact[i], 0, p, y);
    any = true;
  }
  if (!any) return;
  if (once) dls_balance_solve_once(c->balance, y);
  else dls_balance_solve(c->balance, y);
  for (int i = 0; i < size; i++) x[i] += y[i];
  memset(y, 0, (size_t)size * sizeof(double));
}

// What the law leaves of a normal velocity presses on the stiffened balance: it belongs to r.
static void settle_stiffened(dls_contact_step *c)
{
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    const double rho = dls_balance_stiffness(c->balance, c->contact[i]);
    if (c->active[i] && rho > 0) c->r[i * c->dimension] -= rho * c->u[i * c->dimension];
  }
}

bool dls_contact_step_any(const dls_contact_step *c)
{
  return memchr(c->active, true, (size_t)c->count) != NULL;
}

// No contact takes part: nothing happens at any.
static bool meet_none(dls_contact_step *c)
{
  c->point->counts.contact_problems++;
  for (int l = 0; l < c->members; l++)
    for (int k = 0; k < c->dimension; k++) {
      const int row = c->member[l] * c->dimension + k;
      c->q[row] = c->r[row] = c->u[row] = 0;
    }
  return true;
}

bool dls_contact_step_meet(dls_contact_step *c, const double *w, double *x)
{
  if (!dls_contact_step_choose(c)) return false;
  if (!dls_contact_step_any(c)) return meet_none(c);
  const size_t size = (size_t)dls_balance_size(c->balance) * sizeof(double);
  take_for_granted(c, w, false, x);
  memcpy(c->x_free, x, size);
  c->filled = false;
  free_motion(c, x, w);
  double missing = 0;
  for (int k = 0; k < 4; k++) {
    if (k > 0) memcpy(x, c->x_free, size);
    if (!solve(c)) return false;
    apply(c, c->r, false, x);
    missing = dls_balance_constrained(c->balance) ? correct(c, w, x) : 0;
    if (missing <= 1e-13) break;
  }
  settle_stiffened(c);
  return missing <= fmax(c->tolerance, 1e-11);
}

bool dls_contact_step_improve(dls_contact_step *c, bool again, bool stale, const double *w,
                              double *x)
{
  if (!dls_contact_step_choose(c)) return false;
  if (!dls_contact_step_any(c)) return meet_none(c);
  if (!stale) c->filled = false;
  take_for_granted(c, w, true, x);
  free_motion(c, x, w);
  if (again) {
    choose_sides(c);
    dls_contact_step_take_out(c);
    copy_members(c, c->r, c->r_before);
  }
  if (!solve(c)) return false;
  for (int l = 0; l < c->members; l++)
    for (int k = 0; k < c->dimension; k++) {
      const int row = c->member[l] * c->dimension + k;
      c->r_before[row] = c->r[row] - (again ? c->r_before[row] : 0);
    }
  apply(c, c->r_before, true, x);
  settle_stiffened(c);
  return true;
}

void dls_contact_step_scatter(const dls_contact_step *c, double *impulse)
{
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    for (int k = 0; k <= dls_contact_step_slips(c, i); k++)
      impulse[j + c->point->first[j] + k] = c->active[i] ? c->r[i * c->dimension + k] : 0;
  }
}

void dls_contact_step_gather(dls_contact_step *c, const double *impulse)
{
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    for (int k = 0; k <= dls_contact_step_slips(c, i); k++)
      c->r[i * c->dimension + k] = impulse[j + c->point->first[j] + k];
  }
}
