#include "step/step_problem.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/tolerances.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_CORRECTIONS = 4 };

int dls_step_problem_tangents(const dls_step_problem *c, int i)
{
  return c->point->system->contacts[c->contact[i]].tangents;
}

static bool is_bilateral(const dls_step_problem *c, int i)
{
  return c->point->system->contacts[c->contact[i]].kind == DLS_BILATERAL;
}

void dls_step_problem_set_law(dls_step_problem *c, int i, bool sliding)
{
  const bool bilateral = is_bilateral(c, i);
  if (c->point->system->contacts[c->contact[i]].bounded)
    c->law[i] = bilateral ? DLS_LAW_BILATERAL_BOUNDED : DLS_LAW_BOUNDED;
  else if (sliding) c->law[i] = bilateral ? DLS_LAW_BILATERAL_SLIDING : DLS_LAW_SLIDING;
  else c->law[i] = bilateral ? DLS_LAW_BILATERAL_CONE : DLS_LAW_CONE;
}

bool dls_step_problem_rubs(const dls_step_problem *c, int i)
{
  return (dls_law_is_bounded((dls_law)c->law[i]) ? c->bound[i] : c->mu[i]) != 0;
}

double dls_step_problem_limit(const dls_step_problem *c, int i, double normal)
{
  return dls_law_is_bounded((dls_law)c->law[i]) ? c->bound[i] : c->mu[i] * fabs(normal);
}

dls_one_law dls_step_problem_law(const dls_step_problem *c, int i)
{
  const bool friction = c->active[i] && !c->frictionless && dls_step_problem_tangents(c, i) > 0;
  const bool bilateral = c->active[i] && is_bilateral(c, i);
  dls_one_law law = {.law = bilateral ? DLS_LAW_BILATERAL_CONE : DLS_LAW_CONE};
  if (!friction || !dls_step_problem_rubs(c, i)) return law;
  law.law = (dls_law)c->law[i];
  if (dls_law_is_bounded(law.law)) law.bound = c->bound[i];
  else law.mu = c->mu[i];
  for (int k = 0; k < c->dimension - 1 && dls_law_slides(law.law); k++)
    law.direction[k] = c->direction[i * (c->dimension - 1) + k];
  return law;
}

void dls_step_problem_free(dls_step_problem *c)
{
  if (!c) return;
  dls_step_problem_memory *room = &c->room;
  dls_solver_free(c->solver);
  dls_polyhedral_free(c->pyramid);
  free(c->neighbour_first), free(c->neighbour), free(c->W);
  free(room->p), free(room->row), free(room->contact);
  free(room->mu), free(room->bound), free(room->q), free(room->r), free(room->u);
  free(room->law), free(room->direction);
  dls_arena_free(c->arena);
  free(c);
}

static bool set_up(dls_step_problem *c)
{
  const dls_system *s = c->point->system;
  const ptrdiff_t m = s->m;
  c->members = -1;
  c->contact = dls_arena_alloc(c->arena, 3 * m + 3, sizeof(int));
  c->of = dls_arena_alloc(c->arena, m + 1, sizeof(int));
  if (!c->contact || !c->of) return false;
  c->member = c->contact + m + 1, c->place = c->member + m + 1;
  c->dimension = 2;
  for (int j = 0; j < s->m; j++) {
    const bool law = s->contacts[j].kind == DLS_UNILATERAL || s->contacts[j].tangents > 0;
    c->of[j] = law ? c->count : -1;
    if (law) c->contact[c->count++] = j;
    if (s->contacts[j].tangents == 2) c->dimension = 3;
  }
  c->rows = c->dimension * c->count;
  const ptrdiff_t count = (ptrdiff_t)c->count + 1, rows = (ptrdiff_t)c->rows + 1;
  c->active = dls_arena_alloc(c->arena, count, sizeof(bool));
  c->law = dls_arena_alloc(c->arena, count, 1);
  c->direction = dls_arena_alloc(c->arena, rows, sizeof(double));
  c->mu = dls_arena_alloc(c->arena, 2 * count, sizeof(double));
  c->scale = dls_arena_alloc(c->arena, count, sizeof(double));
  c->q = dls_arena_alloc(c->arena, 4 * rows, sizeof(double));
  c->r = c->q + rows, c->u = c->r + rows, c->r_before = c->u + rows;
  const ptrdiff_t size = (ptrdiff_t)dls_step_kkt_size(c->kkt) + 1;
  c->x = dls_arena_alloc(c->arena, (DLS_STEP_KKT_COLUMNS + 1) * size, sizeof(double));
  c->x_free = c->x + DLS_STEP_KKT_COLUMNS * size;
  if (!c->active || !c->law || !c->direction || !c->mu || !c->scale || !c->q || !c->x) return false;
  c->bound = c->mu + count;
  for (int i = 0; i < c->count; i++) {
    dls_step_problem_set_law(c, i, false);
    c->place[i] = -1;
  }
  return dls_step_problem_touch(c);
}

dls_status dls_step_problem_create(dls_snapshot *point, dls_step_kkt *kkt, double tolerance,
                                   dls_step_problem **out, dls_message *message)
{
  *out = NULL;
  dls_step_problem *c = dls_alloc(1, sizeof *c);
  if (!c) return DLS_ERR_MEMORY;
  c->point = point, c->kkt = kkt;
  c->arena = dls_arena_create();
  c->tolerance = tolerance, c->closing = pyramid_closing;
  dls_status status = point->system->m > INT_MAX / 3 ? DLS_ERR_LIMIT : DLS_OK;
  if (status == DLS_OK && !(c->arena && set_up(c))) status = DLS_ERR_MEMORY;
  if (status == DLS_OK && !dls_step_problem_choose(c)) status = point->trouble;
  if (status == DLS_OK && c->members > 1) status = dls_step_problem_make_solver(c, message);
  if (status == DLS_OK) *out = c;
  else dls_step_problem_free(c);
  return status;
}

// --- one problem ---

// q = J^T x + w for the contacts that take part.
static void free_motion(dls_step_problem *c, const double *x, const double *w)
{
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    double *q = c->q + i * c->dimension;
    for (int k = 0; k < c->dimension; k++) q[k] = 0;
    if (!c->active[i]) continue;
    const int last = dls_step_problem_rows(c, i);
    for (int k = 0; k < last; k++)
      q[k] = dls_snapshot_Jt_times(c->point, c->contact[i], k, x) + w[i * c->dimension + k];
  }
}

static void copy_members(const dls_step_problem *c, const double *from, double *to)
{
  for (int k = 0; k < c->members; k++) {
    const int at = c->member[k] * c->dimension;
    dls_copy(to + at, from + at, c->dimension);
  }
}

static bool solve(dls_step_problem *c)
{
  int active = 0, only = -1;
  c->point->counts.contact_problems++;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    if (c->active[i]) active++, only = i;
    else dls_clear(c->r + i * c->dimension, c->dimension);
  }
  if (!dls_step_problem_have_solver(c, active)) return false;
  dls_step_problem_refill(c);
  dls_step_problem_enter_units(c);
  const bool done = dls_step_problem_solve_scaled(c, active, only);
  dls_step_problem_leave_units(c);
  return done;
}

// x += J r, and sizes the absolute values of its terms where they are wanted.
static void push(const dls_step_problem *c, const double *impulse, double *x, double *sizes)
{
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    const double *r = impulse + i * c->dimension;
    const int j = c->contact[i];
    for (int k = 0; k <= dls_step_problem_tangents(c, i); k++) {
      const double p = k == 0 || !c->frictionless ? r[k] : 0;
      if (p == 0) continue;
      dls_snapshot_add_J(c->point, j, k, p, x);
      if (sizes) dls_snapshot_add_J_size(c->point, j, k, p, sizes);
    }
  }
}

void dls_step_problem_add_J(const dls_step_problem *c, double *x, double *sizes)
{
  push(c, c->r, x, sizes);
}

// x += K^-1 J r; once: by the factors alone.
static void apply(dls_step_problem *c, const double *r, bool once, double *x)
{
  double *y = c->x;
  const int size = dls_step_kkt_size(c->kkt);
  push(c, r, y, NULL);
  if (once) dls_step_kkt_solve_once(c->kkt, y);
  else dls_step_kkt_solve(c->kkt, y);
  for (int i = 0; i < size; i++) x[i] += y[i];
  dls_clear(y, size);
}

// W comes from factors without refinement: u at the refined x may differ from W r + q. What is
// missing goes to q; returns its size relative to the terms.
static double correct(dls_step_problem *c, const double *w, const double *x)
{
  double most = 0, scale = 0;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    for (int k = 0; k < dls_step_problem_rows(c, i); k++) {
      const int row = i * c->dimension + k;
      const double u = dls_snapshot_Jt_times(c->point, c->contact[i], k, x) + w[row];
      const double missing = u - c->u[row];
      most = fmax(most, fabs(missing));
      scale = fmax(scale, fabs(c->q[row]));
      c->q[row] += missing;
    }
  }
  return scale > 0 ? most / scale : 0;
}

// x -= K^-1 G rho w: what the stiffened KKT system takes for granted, eq (int.6).
static void take_for_granted(dls_step_problem *c, const double *w, bool once, double *x)
{
  double *y = c->x;
  const int size = dls_step_kkt_size(c->kkt);
  bool any = false;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    const double p = -dls_step_kkt_stiffness(c->kkt, c->contact[i]) * w[i * c->dimension];
    if (!c->active[i] || p == 0) continue;
    dls_snapshot_add_J(c->point, c->contact[i], 0, p, y);
    any = true;
  }
  if (!any) return;
  if (once) dls_step_kkt_solve_once(c->kkt, y);
  else dls_step_kkt_solve(c->kkt, y);
  for (int i = 0; i < size; i++) x[i] += y[i];
  dls_clear(y, size);
}

// What the law leaves of a normal velocity presses on the stiffened KKT system: it belongs to r.
static void settle_stiffened(dls_step_problem *c)
{
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    const double rho = dls_step_kkt_stiffness(c->kkt, c->contact[i]);
    if (c->active[i] && rho > 0) c->r[i * c->dimension] -= rho * c->u[i * c->dimension];
  }
}

bool dls_step_problem_any(const dls_step_problem *c)
{
  for (int i = 0; i < c->count; i++)
    if (c->active[i]) return true;
  return false;
}

// No contact takes part: nothing happens at any.
static bool meet_none(dls_step_problem *c)
{
  c->point->counts.contact_problems++;
  for (int l = 0; l < c->members; l++)
    for (int k = 0; k < c->dimension; k++) {
      const int row = c->member[l] * c->dimension + k;
      c->q[row] = c->r[row] = c->u[row] = 0;
    }
  return true;
}

bool dls_step_problem_meet(dls_step_problem *c, const double *w, double *x)
{
  if (!dls_step_problem_choose(c)) return false;
  if (!dls_step_problem_any(c)) return meet_none(c);
  const ptrdiff_t size = dls_step_kkt_size(c->kkt);
  take_for_granted(c, w, false, x);
  dls_copy(c->x_free, x, size);
  c->filled = false;
  free_motion(c, x, w);
  double missing = 0;
  for (int k = 0; k < MOST_CORRECTIONS; k++) {
    if (k > 0) dls_copy(x, c->x_free, size);
    if (!solve(c)) return false;
    apply(c, c->r, false, x);
    missing = dls_step_kkt_constrained(c->kkt) ? correct(c, w, x) : 0;
    if (missing <= corrected) break;
  }
  settle_stiffened(c);
  return missing <= fmax(c->tolerance, hardly_corrected);
}

bool dls_step_problem_correct(dls_step_problem *c, bool again, bool stale, const double *w,
                              double *x)
{
  if (!dls_step_problem_choose(c)) return false;
  if (!dls_step_problem_any(c)) return meet_none(c);
  if (!stale) c->filled = false;
  take_for_granted(c, w, true, x);
  free_motion(c, x, w);
  if (again) {
    dls_step_problem_take_out(c);
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

void dls_step_problem_scatter(const dls_step_problem *c, double *impulse)
{
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    for (int k = 0; k <= dls_step_problem_tangents(c, i); k++)
      impulse[j + c->point->first[j] + k] = c->active[i] ? c->r[i * c->dimension + k] : 0;
  }
}

void dls_step_problem_gather(dls_step_problem *c, const double *impulse)
{
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    for (int k = 0; k <= dls_step_problem_tangents(c, i); k++)
      c->r[i * c->dimension + k] = impulse[j + c->point->first[j] + k];
  }
}
