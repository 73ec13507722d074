#include "step/moreau.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/tolerances.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 40, HALVINGS = 8, GRADES = 3 };

// Iterations with the same matrix must gain at least a digit each.
static const double SLOW = 0.1;

// The part of a step's terms from which on a residual that grows says that iterates wander.
static const double WANDERING = 0.1;

// Changes of velocity, of the velocity, that are predicted from the last step.
static const double SMALL = 0.1;

// Contacts whose predicted gap is closed take part; bilateral ones always. False: no memory.
static bool choose_contacts(dls_moreau *w, double h)
{
  dls_step_problem *c = w->contacts;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    const bool forced = w->closing && w->closing[j];
    c->active[i] = w->bilateral[j] || forced || w->gap[j] + w->gamma * h * w->rate[j] <= w->closed;
    if (forced && w->rate[j] > 0 && !w->poisson)
      w->restitution[j] = 0;  // it does not come from there
    w->bounce[j] = w->poisson ? 0 : w->restitution[j] * w->rate[j];
    if (w->fall && 2 * fabs(w->bounce[j]) <= h * w->fall[j]) w->bounce[j] = 0;
    dls_step_problem_set_law(c, i, false);
  }
  c->frictionless = false;
  return dls_step_problem_choose(c);
}

static void set_acceleration(dls_moreau *w, double h, const double *v0, const double *v1)
{
  for (int i = 0; i < w->point->system->n; i++) w->a[i] = (v1[i] - v0[i]) / h;
}

static void set_theta_point(dls_moreau *w, double h, const double *q0, const double *v0,
                            const double *v1)
{
  const double theta = w->theta;
  for (int i = 0; i < w->point->system->n; i++) {
    w->v_theta[i] = theta * v1[i] + (1 - theta) * v0[i];
    w->q_theta[i] = q0[i] + theta * h * w->v_theta[i];
  }
  set_acceleration(w, h, v0, v1);
}

// Forces of the iterate, for the derivatives: impulses over h.
static void set_forces(dls_moreau *w, double h)
{
  const dls_step_problem *c = w->contacts;
  const dls_snapshot *p = w->point;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  for (int k = 0; k < held; k++) w->lambda[contact[k]] = w->P_b[k] / h;
  for (int i = 0; i < c->count; i++) {
    const double *r = c->r + i * c->dimension;
    const int j = c->contact[i];
    w->lambda[j] = c->active[i] ? r[0] / h : 0;
    for (int k = 0; k < p->system->contacts[j].tangents; k++)
      w->tau[p->first[j] + k] = c->active[i] ? r[k + 1] / h : 0;
  }
}

// What the held constraints miss at the end of the step, with the other sign.
static void set_held(dls_moreau *w)
{
  const dls_snapshot *p = w->point;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  for (int k = 0; k < held; k++) {
    const int j = contact[k];
    w->x[p->system->n + k] = p->spare[j] ? 0 : -(dls_moreau_rate_at_end(w, j) + w->beyond[j]);
  }
}

// u at v1, restitution included, and what the held constraints miss.
static void set_velocities(dls_moreau *w, double h, const double *v1)
{
  dls_step_problem *c = w->contacts;
  const dls_snapshot *p = w->point;
  w->other_mu = 0;
  for (int i = 0; i < p->system->n; i++) w->y[i] = v1[i] - w->v_theta[i];
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    const int j = c->contact[i], tangents = dls_step_problem_tangents(c, i);
    double *out = w->w + i * c->dimension;
    out[0] = p->values->h_dot[j] + dls_snapshot_Jt_times(p, j, 0, w->y);
    if (!w->bilateral[j]) out[0] += w->bounce[j];
    if (w->bilateral[j] || w->at_end) out[0] += w->remaining * p->values->b_n[j] + w->beyond[j];
    for (int k = 1; k <= tangents; k++)
      out[k] = dls_moreau_slip_at_end(w, j, k) + w->aside[p->first[j] + k - 1];
    const double mu = dls_snapshot_mu(p, j, dls_moreau_holds(w, j));
    w->other_mu = dls_moreau_worse(w->other_mu, mu - c->mu[i], velocity_missed * (1 + mu));
    c->mu[i] = mu;
    const double bound = h * dls_snapshot_given(p, j, dls_moreau_holds(w, j));
    w->other_mu = dls_moreau_worse(w->other_mu, bound - c->bound[i], velocity_missed * bound);
    c->bound[i] = bound;
  }
  set_held(w);
}

// All rows of a contact are velocities of one point: the fastest one is their size.
static double miss_contact(const dls_moreau *w, int i, double worst)
{
  const dls_step_problem *c = w->contacts;
  double missing = 0, size = 0;
  for (int k = 0; k <= dls_step_problem_tangents(c, i); k++) {
    const int row = i * c->dimension + k;
    missing = dls_moreau_larger(missing, fabs(w->w[row] - c->u[row]));
    size = fmax(size, fabs(c->q[row]));
  }
  if (missing <= worst * velocity_missed * size) return worst;
  for (int k = 0; k <= dls_step_problem_tangents(c, i); k++)
    size = fmax(size, dls_moreau_row_speed(w, c->contact[i], k));
  return dls_moreau_worse(worst, missing, velocity_missed * size + still_of_rest * w->rest);
}

// What the held constraints miss, and contacts beside the velocities that the law was met with,
// relative to what velocities are made of.
static double miss_velocities(dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  double worst = 0;
  for (int k = 0; k < held; k++) {
    const double scale =
        balance_missed * dls_moreau_row_speed(w, contact[k], 0) + still_of_rest * w->rest;
    worst = dls_moreau_worse(worst, w->x[w->point->system->n + k], scale);
  }
  for (int l = 0; l < c->members; l++)
    if (c->active[c->member[l]]) worst = miss_contact(w, c->member[l], worst);
  return worst;
}

// How far the iterate is from a solution at the numbers of the point, which was evaluated there; up
// to 1 it is one. Leaves the residual in x.
static double miss(dls_moreau *w, double h)
{
  const double kkt = dls_moreau_imbalance(w, h);
  const double worst = dls_moreau_larger(w->other_mu, miss_velocities(w));
  return dls_moreau_larger(worst, kkt);
}

// Where no constraint is held and no derivative has an entry, all factors are those of M.
static bool factor_mass(dls_moreau *w)
{
  const dls_snapshot *p = w->point;
  const ptrdiff_t size = p->system->mass.p[p->system->n];
  if (w->factored && memcmp(w->M, p->values->M, dls_bytes(size, sizeof *w->M)) == 0) return true;
  dls_copy(w->M, p->values->M, size);
  return w->factored = dls_step_kkt_factor(w->kkt, 0, 0, 0, NULL);
}

// The rows of constraints turn with q_theta, and b_n changes with v_theta by twice as much.
static bool factor(dls_moreau *w, double h, double theta)
{
  if (w->linear && !w->held) return factor_mass(w);
  const double turning = h * theta * (2 - theta);
  return dls_step_kkt_factor(w->kkt, h * theta, h * h * theta * theta, turning, NULL);
}

static void note_speed(dls_moreau *w, const double *v1)
{
  for (int i = 0; i < w->point->system->n; i++)
    w->speed[i] = fmax(w->speed[i], fmax(fabs(v1[i]), fabs(v1[i] + w->x[i])));
}

// Balance and laws, linear at the point, as they stand: x without impulses.
static dls_failure answer(dls_moreau *w, double *v1)
{
  const int n = w->point->system->n, size = dls_step_kkt_size(w->kkt);
  dls_step_kkt_solve(w->kkt, w->x);
  note_speed(w, v1);
  if (!dls_step_problem_meet(w->contacts, w->w, w->x)) return DLS_FAILURE_CONTACT;
  for (int i = 0; i < n; i++) v1[i] += w->x[i];
  for (int k = n; k < size; k++) w->P_b[k - n] = w->x[k];
  return DLS_FAILURE_NONE;
}

// One step towards a solution, eq (mor.6). again: x contains the impulses, which change; stale:
// with the matrix of an earlier iterate.
static dls_failure improve(dls_moreau *w, bool again, bool stale, double *v1)
{
  const int n = w->point->system->n, size = dls_step_kkt_size(w->kkt);
  dls_step_kkt_solve_once(w->kkt, w->x);
  note_speed(w, v1);
  if (!dls_step_problem_correct(w->contacts, again, stale, w->w, w->x)) return DLS_FAILURE_CONTACT;
  for (int i = 0; i < n; i++) v1[i] += w->x[i];
  for (int k = n; k < size; k++) w->P_b[k - n] = w->x[k] + (again ? w->P_b[k - n] : 0);
  return DLS_FAILURE_NONE;
}

// Nothing touches, nothing is held, and M and F do not change within the step.
static bool is_free(const dls_moreau *w)
{
  int held;
  dls_step_kkt_held(w->kkt, &held);
  return w->linear && held == 0 && !dls_step_problem_any(w->contacts);
}

// The matrix at the iterate.
static dls_failure linearize(dls_moreau *w, double t, double h, dls_message *message)
{
  if (w->theta > 0 && dls_step_kkt_differentiated(w->kkt)) {
    set_forces(w, h);
    if (!dls_snapshot_differentiate(w->point, t, w->q_theta, w->v_theta, w->a, w->lambda, w->tau,
                                    message))
      return DLS_FAILURE_NUMBER;
  }
  return factor(w, h, w->theta) ? DLS_FAILURE_NONE : DLS_FAILURE_SINGULAR;
}

// Where the step may end, with the impulses of the last one; small changes only.
static void predict(dls_moreau *w, double h, const double *v0, double *v1)
{
  const dls_snapshot *p = w->point;
  const int n = p->system->n;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  dls_copy(v1, v0, n);
  if (!w->diagonal || held == 0) return;
  for (int i = 0; i < n; i++) w->x[i] = -h * p->values->F[i];
  for (int k = 0; k < held; k++) dls_snapshot_add_J(p, contact[k], 0, w->P_b[k], w->x);
  dls_step_problem_add_J(w->contacts, w->x, NULL);
  double speed = 0, change = 0;
  for (int i = 0; i < n; i++) {
    w->x[i] /= p->values->M[i];
    const double mass = sqrt(fabs(p->values->M[i]));  // in the kinetic metric
    speed = fmax(speed, mass * fabs(v0[i]));
    change = dls_moreau_larger(change, mass * fabs(w->x[i]));
  }
  if (!(change <= SMALL * speed)) return;
  for (int i = 0; i < n; i++) v1[i] += w->x[i];
}

// Are the numbers of iterate k those of the one before, or of the begin?
static bool are_known(const dls_moreau *w, int k)
{
  const bool laws = w->constant_laws || !dls_step_problem_any(w->contacts);
  return laws && (k > 0 ? w->linear : w->steady);
}

// Not solved: by the laws, or by the rest.
static dls_failure say_miss(const dls_moreau *w, double now, dls_message *message)
{
  if (now <= 1) return DLS_FAILURE_CONTACT;
  dls_fail(message, DLS_OK, "after %d iterations the balance is missed by %.2g of its terms",
           MAX_STEPS, now * w->missed);
  return DLS_FAILURE_NEWTON;
}

// From v1. anew: from the numbers of the begin; monotone: residuals must not grow.
static dls_failure solve(dls_moreau *w, bool anew, bool monotone, double t, double h,
                         const double *q0, const double *v0, double *v1, dls_message *message)
{
  dls_snapshot *p = w->point;
  const double t_theta = t + w->theta * h;
  double before = INFINITY, now = INFINITY;
  w->remaining = (1 - w->theta) * h;
  if (anew) predict(w, h, v0, v1);
  for (int k = 0; k < MAX_STEPS; k++) {
    w->iterations = k;
    w->at_iterate = !(anew && (are_known(w, k) || (k == 0 && w->brief)));
    if (!w->at_iterate) {
      if (k == 0) dls_copy(w->v_theta, v0, p->system->n);
      if (k == 0) dls_copy(w->q_theta, q0, p->system->n);
      set_acceleration(w, h, v0, v1);
    } else {
      set_theta_point(w, h, q0, v0, v1);
      if (!dls_snapshot_evaluate(p, t_theta, w->q_theta, w->v_theta, message))
        return DLS_FAILURE_NUMBER;
    }
    set_velocities(w, h, v1);
    dls_moreau_residual(w, h, w->a, v1);
    now = k > 0 ? miss(w, h) : INFINITY;
    if (now <= 1 && dls_moreau_laws_hold(w)) return DLS_FAILURE_NONE;
    if (monotone && k > 1 && now > before && now * w->missed > WANDERING) return DLS_FAILURE_NEWTON;
    const bool stale = k > 0 && (w->linear || now <= SLOW * before);
    dls_failure failure = stale ? DLS_FAILURE_NONE : linearize(w, t_theta, h, message);
    if (failure == DLS_FAILURE_NONE)
      failure = k == 0 && w->linear ? answer(w, v1) : improve(w, k > 0, stale, v1);
    if (failure != DLS_FAILURE_NONE) return failure;
    if (is_free(w)) return DLS_FAILURE_NONE;  // one linear system, solved
    before = now;
  }
  return say_miss(w, now, message);
}

static void start_impulses(dls_moreau *w, const double *impulse)
{
  const dls_snapshot *p = w->point;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  dls_clear(w->speed, p->system->n);
  dls_step_problem_gather(w->contacts, impulse);
  for (int k = 0; k < held; k++)
    w->P_b[k] = p->spare[contact[k]] ? 0 : impulse[contact[k] + p->first[contact[k]]];
}

// Derivatives change within the step.
static bool bends(const dls_moreau *w)
{
  return !w->linear && w->theta > 0 && dls_step_kkt_differentiated(w->kkt);
}

// May another start help? Not where the first problem, which is linear, has no solution already.
static bool may_start_elsewhere(const dls_moreau *w, dls_failure failure)
{
  return bends(w) && w->iterations > 0 && w->point->trouble == DLS_OK &&
         (failure == DLS_FAILURE_CONTACT || failure == DLS_FAILURE_NEWTON ||
          failure == DLS_FAILURE_SINGULAR);
}

static dls_failure solve_anew(dls_moreau *w, bool monotone, double t, double h, const double *q0,
                              const double *v0, const double *impulse, double *v1,
                              dls_message *message)
{
  start_impulses(w, impulse);
  if (!dls_snapshot_evaluate(w->point, t, q0, v0, message)) return DLS_FAILURE_NUMBER;
  return solve(w, true, monotone, t, h, q0, v0, v1, message);
}

// From the solution of a step that is short enough to those of longer ones, up to the whole: 2^k of
// them for each doubling.
static dls_failure lengthen(dls_moreau *w, int k, double t, double h, const double *q0,
                            const double *v0, const double *impulse, double *v1,
                            dls_message *message)
{
  dls_failure failure = DLS_FAILURE_NEWTON;
  int halved = 0;
  for (; may_start_elsewhere(w, failure) && halved < HALVINGS; halved += 2)
    failure = solve_anew(w, true, t, ldexp(h, -halved - 2), q0, v0, impulse, v1, message);
  for (int left = (halved << k) - 1; failure == DLS_FAILURE_NONE && left >= 0; left--) {
    dls_clear(w->speed, w->point->system->n);
    failure = solve(w, false, true, t, h * exp2(-ldexp(left, -k)), q0, v0, v1, message);
  }
  return failure;
}

// Where forces are stiff, iterates far from the solution bend what should be stretched, and the
// matrix is that of a buckling rod. What they come to, if anything, may be a buckled state. Then
// another start is sought.                    eq (mor.10)
static dls_failure approach(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                            const double *impulse, double *v1, dls_message *message)
{
  dls_failure failure = solve(w, true, bends(w), t, h, q0, v0, v1, message);
  if (!may_start_elsewhere(w, failure)) return failure;
  for (int k = 0; k < GRADES && w->point->trouble == DLS_OK; k++)
    if (lengthen(w, k, t, h, q0, v0, impulse, v1, NULL) == DLS_FAILURE_NONE) {
      if (message) message->text[0] = '\0';
      return DLS_FAILURE_NONE;
    }
  w->stuck = true;
  if (w->point->trouble != DLS_OK || w->divides) return failure;
  return solve_anew(w, false, t, h, q0, v0, impulse, v1, message);
}

static void note_forces(dls_moreau *w)
{
  dls_copy(w->F, w->point->values->F, w->point->system->n);
}

// By its law the contact does not slip, or its force is strictly inside the cone, by more than it
// slips; one that is next to nothing beside what the law is met to says nothing.
bool dls_moreau_is_fast(const dls_moreau *w, int i)
{
  const dls_step_problem *c = w->contacts;
  const double *r = c->r + i * c->dimension, *u = c->u + i * c->dimension;
  double force = 0, slip = 0, size = fabs(c->q[i * c->dimension]);
  for (int k = 1; k <= dls_step_problem_tangents(c, i); k++) {
    force = hypot(force, r[k]), slip = hypot(slip, u[k]);
    size = hypot(size, c->q[i * c->dimension + k]);
  }
  const double known = slip_by_tolerance * w->tolerance * size,
               effect = c->unit * c->scale[i] * c->scale[i];
  const double limit = dls_step_problem_limit(c, i, r[0]);
  const bool inside = dls_step_problem_inside(c, i, r[0], force, slip);
  return (r[0] != 0 || limit > 0) &&
         ((inside && limit * effect > known) || slip <= w->rest + known);
}

void dls_moreau_scatter(dls_moreau *w, double *impulse)
{
  const dls_step_problem *c = w->contacts;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  dls_step_problem_scatter(c, impulse);
  for (int k = 0; k < held; k++) impulse[contact[k] + w->point->first[contact[k]]] = w->P_b[k];
  for (int i = 0; i < c->count; i++)
    w->fast[c->contact[i]] = c->active[i] && dls_moreau_is_fast(w, i);
}

bool dls_moreau_choose_contacts(dls_moreau *w, double h)
{
  const dls_snapshot *p = w->point;
  const ptrdiff_t m = p->system->m;
  dls_copy(w->gap, p->values->h, m);
  dls_copy(w->rate, p->values->h_dot, m);
  dls_copy(w->restitution, p->values->restitution, m);
  return choose_contacts(w, h);
}

// The state at the begin, where the point stands, and what the step starts from. *free: it is a
// step without contacts through constant forces, which needs no more. False: no memory.
static bool begin(dls_moreau *w, double h, const double *impulse, bool *free)
{
  if (!dls_moreau_choose_contacts(w, h)) return false;
  dls_moreau_begin_grips(w);
  *free = w->steady && is_free(w);
  if (!*free) start_impulses(w, impulse);
  return true;
}

// there: the point stands at the end already.
static dls_failure finish(dls_moreau *w, bool there, double t1, double *impulse, double *q1,
                          double *v1, dls_message *message)
{
  dls_moreau_scatter(w, impulse);
  if (!there) note_forces(w);
  if (!there && !dls_snapshot_evaluate(w->point, t1, q1, v1, message)) return DLS_FAILURE_NUMBER;
  if (!w->held) return DLS_FAILURE_NONE;
  return dls_projector_state(&w->projector, w->bilateral, t1, q1, v1, message)
             ? DLS_FAILURE_NONE
             : DLS_FAILURE_CONSTRAINT;
}

// M and F are constant and nothing touches: v1 = v0 - h M^-1 F, with the numbers of the begin.
static dls_failure step_freely(dls_moreau *w, double t, double h, const double *q0,
                               const double *v0, double *impulse, double *q1, double *v1,
                               dls_message *message)
{
  const dls_snapshot *p = w->point;
  const int n = p->system->n;
  if (!factor_mass(w)) return DLS_FAILURE_SINGULAR;
  note_forces(w);
  for (int i = 0; i < n; i++) w->x[i] = -h * p->values->F[i];
  dls_step_kkt_solve(w->kkt, w->x);
  for (int i = 0; i < n; i++) {
    v1[i] = v0[i] + w->x[i];
    q1[i] = q0[i] + h * (w->theta * v1[i] + (1 - w->theta) * v0[i]);
  }
  dls_clear(impulse, p->system->m + p->system->tangents);
  dls_clear(w->fast, p->system->m);
  return dls_snapshot_evaluate(w->point, t + h, q1, v1, message) ? DLS_FAILURE_NONE
                                                                 : DLS_FAILURE_NUMBER;
}

// Balance and laws, and once more with what they do not see. *there: the point stands at the end.
static dls_failure meet(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                        const double *impulse, double *q1, double *v1, bool *there,
                        dls_message *message)
{
  dls_moreau_forget_beyond(w);
  *there = false;
  dls_failure failure = approach(w, t, h, q0, v0, impulse, v1, message);
  const bool stands = w->at_iterate;
  set_theta_point(w, h, q0, v0, v1);
  if (failure != DLS_FAILURE_NONE || !dls_moreau_rubs(w)) return failure;
  if (!stands &&
      !dls_snapshot_evaluate(w->point, t + w->theta * h, w->q_theta, w->v_theta, message))
    return DLS_FAILURE_NUMBER;
  note_forces(w);
  failure = dls_moreau_look_beyond(w, t + h, h, q0, v1, q1, there, message);
  if (failure != DLS_FAILURE_NONE || *there) return failure;
  failure = solve(w, false, false, t, h, q0, v0, v1, message);
  set_theta_point(w, h, q0, v0, v1);
  return failure;
}

static dls_failure step_on(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                           double *impulse, double *q1, double *v1, dls_message *message)
{
  bool free, there;
  if (!begin(w, h, impulse, &free)) return DLS_FAILURE_CONTACT;
  if (free) return step_freely(w, t, h, q0, v0, impulse, q1, v1, message);
  dls_failure failure = dls_moreau_choose_law(w);
  if (failure == DLS_FAILURE_NONE)
    failure = meet(w, t, h, q0, v0, impulse, q1, v1, &there, message);
  while (failure == DLS_FAILURE_NONE && dls_moreau_change_grips(w)) {
    start_impulses(w, impulse);
    if (!dls_snapshot_evaluate(w->point, t, q0, v0, message)) return DLS_FAILURE_NUMBER;
    failure = meet(w, t, h, q0, v0, impulse, q1, v1, &there, message);
  }
  if (failure != DLS_FAILURE_NONE) return failure;
  for (int i = 0; i < w->point->system->n; i++) q1[i] = q0[i] + h * w->v_theta[i];
  if (w->at_iterate && w->theta == 1) note_forces(w), there = true;
  return finish(w, there, t + h, impulse, q1, v1, message);
}

static dls_failure step_explicitly(dls_moreau *w, double t, double h, const double *q0,
                                   const double *v0, double *impulse, double *q1, double *v1,
                                   dls_message *message)
{
  const ptrdiff_t n = w->point->system->n;
  bool free;
  if (!begin(w, h, impulse, &free)) return DLS_FAILURE_CONTACT;
  w->remaining = h / 2;
  dls_failure failure = dls_moreau_choose_law(w);
  if (failure != DLS_FAILURE_NONE) return failure;
  bool again = false;
  do {
    if (again && !dls_snapshot_evaluate(w->point, t, q0, v0, message)) return DLS_FAILURE_NUMBER;
    if (!dls_moreau_look_ahead(w, t, h, q0, v0, message)) return DLS_FAILURE_NUMBER;
    dls_copy(v1, v0, n);
    dls_copy(w->v_theta, v0, n);
    dls_clear(w->a, n);
    set_velocities(w, h, v1);
    dls_moreau_residual(w, h, w->a, v1);
    failure = factor(w, h, 0) ? answer(w, v1) : DLS_FAILURE_SINGULAR;
    if (failure != DLS_FAILURE_NONE) return failure;
    again = dls_moreau_change_grips(w);
    if (again) start_impulses(w, impulse);
  } while (again);
  for (ptrdiff_t i = 0; i < n; i++) q1[i] = q0[i] + h * v1[i];
  return finish(w, false, t + h, impulse, q1, v1, message);
}

typedef dls_failure step_function(dls_moreau *w, double t, double h, const double *q0,
                                  const double *v0, double *impulse, double *q1, double *v1,
                                  dls_message *message);

// A step; by Poisson's law an impact is over before it begins.
static dls_failure step_after_impact(step_function *step, dls_moreau *w, double t, double h,
                                     const double *q0, const double *v0, double *impulse,
                                     double *q1, double *v1, dls_message *message)
{
  bool hit = false;
  if (w->poisson) {
    if (!dls_moreau_choose_contacts(w, h)) return DLS_FAILURE_CONTACT;
    const dls_failure failure = dls_moreau_collide(w, t, q0, v0, &hit, message);
    if (failure != DLS_FAILURE_NONE) return failure;
  }
  if (w->grips) w->grips->after = hit;
  const double *from = hit ? dls_moreau_poisson_velocities(w) : v0;
  const dls_failure failure = step(w, t, h, q0, from, impulse, q1, v1, message);
  if (w->grips) w->grips->after = false;
  if (hit && failure == DLS_FAILURE_NONE) dls_moreau_poisson_add(w, impulse);
  return failure;
}

dls_failure dls_moreau_step_once(dls_moreau *w, double t, double h, const double *q0,
                                 const double *v0, double *impulse, double *q1, double *v1,
                                 dls_message *message)
{
  return step_after_impact(step_on, w, t, h, q0, v0, impulse, q1, v1, message);
}

dls_failure dls_moreau_explicit(dls_moreau *w, double t, double h, const double *q0,
                                const double *v0, double *impulse, double *q1, double *v1,
                                dls_message *message)
{
  return step_after_impact(step_explicitly, w, t, h, q0, v0, impulse, q1, v1, message);
}
