#include "step/contact_step.h"

#include "base/memory.h"
#include "base/message.h"

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
  if (status == DLS_OK && c->members > 1) status = dls_contact_step_make_solver(c, message);
  if (status == DLS_OK) *out = c;
  else dls_contact_step_free(c);
  return status;
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

static bool solve_sides(dls_contact_step *c, int active, int only)
{
  if (!dls_contact_step_have_solver(c, active)) return false;
  dls_contact_step_refill(c);
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (c->active[i]) c->q[i * c->dimension] *= c->side[i];
    else memset(c->r + i * c->dimension, 0, (size_t)c->dimension * sizeof(double));
  }
  dls_contact_step_enter_units(c);
  const bool done = dls_contact_step_solve_scaled(c, active, only);
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
  for (int i = 0; i < c->count; i++)
    if (c->active[i]) return true;
  return false;
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
