#include "step/world.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/rotation.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dls_world_options dls_world_defaults(void)
{
  return (dls_world_options){
      .tolerance = world_tolerance, .recovery = world_recovery, .solver = "auto", .threads = 1};
}

dls_status dls_world_create(const dls_world_options *options, dls_world **out, dls_message *message)
{
  const dls_world_options o = options ? *options : dls_world_defaults();
  *out = NULL;
  if (!dls_solver_find(o.solver ? o.solver : "auto"))
    return dls_fail(message, DLS_ERR_ARGUMENT, "there is no solver '%.40s'", o.solver);
  if (!(o.tolerance > 0) || !(o.slop >= 0) || !(o.recovery >= 0 && o.recovery <= 1))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "tolerance must be > 0, slop >= 0 and recovery between 0 and 1");
  for (int i = 0; i < 3; i++)
    if (!isfinite(o.gravity[i]))
      return dls_fail(message, DLS_ERR_NUMBER, "gravity[%d] is not finite", i);
  dls_world *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  w->options = o;
  *out = w;
  return DLS_OK;
}

void dls_world_free(dls_world *w)
{
  if (!w) return;
  free(w->body), free(w->mover), free(w->contact), free(w->frame), free(w->impulse), free(w->warm);
  dls_arena_free(w->step.memory);
  dls_contacts_free(w->step.contacts);
  free(w);
}

// ---- bodies ------------------------------------------------------------------------------------

static bool all_finite(const double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// Pivots of elimination; each is compared with what it came from, so that no unit matters.
static bool is_definite(const double I[6])
{
  const double second = I[1] - I[3] / I[0] * I[3], mixed = I[5] - I[3] / I[0] * I[4];
  const double third = I[2] - I[4] / I[0] * I[4] - mixed / second * mixed;
  return I[0] > 0 && second > inertia_rounding * I[1] && third > inertia_rounding * I[2];
}

static dls_status check_body(const dls_body *b, dls_message *message)
{
  if (!(b->mass > 0))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the mass is %g, not > 0", b->mass);
  if (!all_finite(b->position, 3) || !all_finite(b->velocity, 3) || !all_finite(b->spin, 3) ||
      !all_finite(b->quaternion, 4))
    return dls_fail(message, DLS_ERR_NUMBER, "a position or velocity is not finite");
  if (isfinite(b->mass) && !all_finite(b->inertia, 6))
    return dls_fail(message, DLS_ERR_NUMBER, "the inertia is not finite");
  if (isfinite(b->mass) && !is_definite(b->inertia))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the inertia is not positive definite: a motion would have no inertia");
  const double *q = b->quaternion;
  if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the quaternion is zero; no rotation is 1, 0, 0, 0");
  return DLS_OK;
}

static void put(dls_world *w, int number, const dls_body *b)
{
  dls_body *to = &w->body[number];
  *to = *b;
  const double *q = b->quaternion;
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) to->quaternion[i] = q[i] / length;
}

dls_status dls_world_add_body(dls_world *w, const dls_body *b, int *number, dls_message *message)
{
  enum { MOST = 1 << 24 };
  const dls_status status = check_body(b, message);
  if (status != DLS_OK) return status;
  if (w->bodies >= MOST) return dls_fail(message, DLS_ERR_LIMIT, "more than %d bodies", (int)MOST);
  const ptrdiff_t count = (ptrdiff_t)w->bodies + 1;
  if (dls_grow((void **)&w->body, &w->body_room, count, sizeof *w->body) != 0 ||
      dls_grow((void **)&w->mover, &w->mover_room, count, sizeof *w->mover) != 0)
    return DLS_ERR_MEMORY;
  int dof = 0;
  for (int k = w->bodies - 1; k >= 0 && dof == 0; k--)
    if (w->mover[k].dof >= 0) dof = w->mover[k].dof + 6;
  w->mover[w->bodies] = (dls_mover){.dof = isfinite(b->mass) ? dof : -1};
  put(w, w->bodies, b);
  if (number) *number = w->bodies;
  w->bodies++;
  return DLS_OK;
}

int dls_world_bodies(const dls_world *w)
{
  return w->bodies;
}

const dls_body *dls_world_body(const dls_world *w, int number)
{
  return number >= 0 && number < w->bodies ? &w->body[number] : NULL;
}

dls_status dls_world_set_body(dls_world *w, int number, const dls_body *b, dls_message *message)
{
  if (!dls_world_body(w, number))
    return dls_fail(message, DLS_ERR_ARGUMENT, "there is no body %d", number);
  const dls_status status = check_body(b, message);
  if (status != DLS_OK) return status;
  if (isfinite(b->mass) != isfinite(w->body[number].mass))
    return dls_fail(message, DLS_ERR_ARGUMENT, "whether the mass is infinite cannot change later");
  put(w, number, b);
  return DLS_OK;
}

dls_status dls_world_set_force(dls_world *w, int number, const double force[3],
                               const double torque[3])
{
  if (!dls_world_body(w, number)) return DLS_ERR_ARGUMENT;
  if (!all_finite(force, 3) || !all_finite(torque, 3)) return DLS_ERR_NUMBER;
  dls_copy(w->mover[number].force, force, 3);
  dls_copy(w->mover[number].force + 3, torque, 3);
  return DLS_OK;
}

// ---- contacts ----------------------------------------------------------------------------------

void dls_world_clear_contacts(dls_world *w)
{
  w->contacts = 0;
  w->stepped = false;
}

static dls_status check_contact(const dls_world *w, const dls_world_contact *c,
                                dls_message *message)
{
  const int who[2] = {c->a, c->b};
  for (int k = 0; k < 2; k++)
    if (who[k] != DLS_GROUND && !dls_world_body(w, who[k]))
      return dls_fail(message, DLS_ERR_ARGUMENT, "there is no body %d", who[k]);
  const bool a = c->a != DLS_GROUND && w->mover[c->a].dof >= 0;
  const bool b = c->b != DLS_GROUND && w->mover[c->b].dof >= 0;
  if (c->a == c->b || (!a && !b))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a contact is between two bodies, one of which can "
                    "be moved: these are %d and %d",
                    c->a, c->b);
  if (!all_finite(c->point, 3) || !all_finite(c->normal, 3) || !isfinite(c->gap))
    return dls_fail(message, DLS_ERR_NUMBER, "a point, a normal or a gap is not finite");
  const double length = sqrt(dls_dot3(c->normal, c->normal));
  if (!(fabs(length - 1) < normal_length))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the normal has the length %g, not 1", length);
  if (!(c->friction >= 0) || !isfinite(c->friction))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the friction is %g, not >= 0", c->friction);
  if (!(c->restitution >= 0 && c->restitution <= 1))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the restitution is %g, not in 0 ... 1",
                    c->restitution);
  return DLS_OK;
}

dls_status dls_world_add_contact(dls_world *w, const dls_world_contact *c, dls_message *message)
{
  enum { MOST = 1 << 24 };
  const dls_status status = check_contact(w, c, message);
  if (status != DLS_OK) return status;
  if (w->contacts >= MOST)
    return dls_fail(message, DLS_ERR_LIMIT, "more than %d contacts", (int)MOST);
  const ptrdiff_t count = (ptrdiff_t)w->contacts + 1;
  if (dls_grow((void **)&w->contact, &w->contact_room, count, sizeof *w->contact) != 0 ||
      dls_grow((void **)&w->frame, &w->frame_room, count, sizeof *w->frame) != 0 ||
      dls_grow((void **)&w->impulse, &w->impulse_room, count, sizeof *w->impulse) != 0)
    return DLS_ERR_MEMORY;
  dls_world_contact *to = &w->contact[w->contacts];
  double *frame = w->frame[w->contacts];
  *to = *c;
  const double length = sqrt(dls_dot3(c->normal, c->normal));
  for (int i = 0; i < 3; i++) to->normal[i] = frame[i] = c->normal[i] / length;
  dls_tangents(frame, frame + 3, frame + 6);
  w->contacts++;
  w->stepped = false;
  return DLS_OK;
}

dls_status dls_world_impulse(const dls_world *w, int contact, double impulse[3])
{
  if (!w->stepped || contact < 0 || contact >= w->contacts) return DLS_ERR_ARGUMENT;
  memcpy(impulse, w->impulse[contact], sizeof w->impulse[contact]);
  return DLS_OK;
}

// ---- identities --------------------------------------------------------------------------------

static ptrdiff_t find(const dls_world *w, uint64_t id)
{
  ptrdiff_t at = (ptrdiff_t)((id * 0x9e3779b97f4a7c15u) >> 20) & (w->warm_room - 1);
  while (w->warm[at].id != 0 && w->warm[at].id != id) at = (at + 1) & (w->warm_room - 1);
  return at;
}

void dls_world_recall(const dls_world *w, uint64_t id, double impulse[3])
{
  dls_clear(impulse, 3);
  if (id == 0 || w->warm_room == 0) return;
  const dls_warm *known = &w->warm[find(w, id)];
  if (known->id == id) memcpy(impulse, known->impulse, sizeof known->impulse);
}

// Room for twice the contacts, so that a search is short.
static bool make_warm_room(dls_world *w)
{
  ptrdiff_t room = 64;
  while (room < 2 * (ptrdiff_t)w->contacts) room *= 2;
  if (room <= w->warm_room) return true;
  dls_warm *larger = dls_alloc(room, sizeof *larger);
  if (!larger) return false;
  free(w->warm);
  w->warm = larger, w->warm_room = room;
  return true;
}

// ---- the step ----------------------------------------------------------------------------------

static dls_status solve(dls_world *w, double *r, double *v, dls_solve_report *report,
                        dls_message *message)
{
  dls_solve_options o = dls_solve_defaults();
  dls_solver *solver = NULL;
  o.solver = w->options.solver ? w->options.solver : "auto";
  o.tolerance = w->options.tolerance;
  o.threads = w->options.threads;
  o.watch = w->options.watch, o.self = w->options.self;
  dls_status status = dls_solver_create(&w->step.problem, &o, &solver, message);
  if (status == DLS_OK) status = dls_solver_solve(solver, r, v, NULL, report);
  report->history = NULL;  // the solver's
  dls_solver_free(solver);
  return status;
}

// x <- A^-1 x for a definite A of three rows.
static void solve_inertia(const double A[9], double x[3])
{
  const double l10 = A[3] / A[0], l20 = A[6] / A[0];
  const double d1 = A[4] - l10 * A[3], e = A[7] - l20 * A[3], l21 = e / d1;
  const double d2 = A[8] - l20 * A[6] - l21 * e;
  x[1] -= l10 * x[0];
  x[2] -= l20 * x[0] + l21 * x[1];
  x[2] /= d2;
  x[1] = x[1] / d1 - l21 * x[2];
  x[0] = x[0] / A[0] - l10 * x[1] - l20 * x[2];
}

// Moves with the new velocities; the angular momentum in the world stays, the spin follows from it.
static void move(dls_world *w, int number, double h)
{
  dls_body *b = &w->body[number];
  const dls_mover *m = &w->mover[number];
  const double *v = m->dof >= 0 ? w->step.v + m->dof : m->velocity;
  double momentum[3], R[9];
  dls_rotate(m->inertia, v + 3, momentum);
  for (int i = 0; i < 3; i++) b->position[i] += h * v[i];
  dls_rotation_turn(b->quaternion, v + 3, h);
  if (m->dof < 0) return;
  const double *I = b->inertia;
  const double body[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  memcpy(b->velocity, v, sizeof b->velocity);
  dls_rotation_matrix(b->quaternion, R);
  dls_rotate_back(R, momentum, b->spin);
  solve_inertia(body, b->spin);
}

// Displacements in place of velocities: positions alone.
static void shift(dls_world *w, int number)
{
  dls_body *b = &w->body[number];
  const dls_mover *m = &w->mover[number];
  if (m->dof < 0) return;
  for (int i = 0; i < 3; i++) b->position[i] += w->step.v[m->dof + i];
  dls_rotation_turn(b->quaternion, w->step.v + m->dof + 3, 1);
}

static double deepest(const dls_world *w)
{
  double penetration = 0;
  for (int k = 0; k < w->contacts; k++) penetration = fmax(penetration, -w->contact[k].gap);
  return penetration;
}

static void keep_impulses(dls_world *w)
{
  if (w->warm_room) dls_clear(w->warm, w->warm_room);
  for (int k = 0; k < w->contacts; k++) {
    const double *r = w->step.r + 3 * (ptrdiff_t)k, *frame = w->frame[k];
    double *impulse = w->impulse[k];
    for (int i = 0; i < 3; i++)
      impulse[i] = r[0] * frame[i] + r[1] * frame[3 + i] + r[2] * frame[6 + i];
    if (w->contact[k].id == 0) continue;
    dls_warm *to = &w->warm[find(w, w->contact[k].id)];
    to->id = w->contact[k].id;
    memcpy(to->impulse, impulse, sizeof to->impulse);
  }
  w->stepped = true;
}

dls_status dls_world_step(dls_world *w, double h, dls_world_report *report, dls_message *message)
{
  dls_solve_report solved = {0};
  if (!(h > 0) || !isfinite(h))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the step is %g, not > 0", h);
  dls_status status = dls_world_assemble(w, h, message);
  if (status == DLS_OK && !make_warm_room(w)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = solve(w, w->step.r, w->step.v, &solved, message);
  if (status != DLS_OK) return status;
  if (!all_finite(w->step.v, w->step.problem.dof))
    return dls_fail(message, DLS_ERR_NUMBER, "a velocity is not finite after the step");
  const double penetration = deepest(w);
  const bool moves_apart = w->options.recovery > 0 && dls_world_penetrates(w, h);
  keep_impulses(w);
  dls_world_find_gaps(w, h);
  for (int b = 0; b < w->bodies; b++) move(w, b, h);
  if (moves_apart) {
    dls_solve_report apart;
    dls_world_assemble_apart(w);
    status = solve(w, w->step.r, w->step.v, &apart, message);
    for (int b = 0; b < w->bodies && status == DLS_OK && apart.converged; b++) shift(w, b);
  }
  if (report)
    *report = (dls_world_report){.converged = solved.converged,
                                 .error = solved.error,
                                 .stop = solved.stop,
                                 .solver = solved.solver,
                                 .iterations = solved.iterations,
                                 .penetration = penetration};
  return DLS_OK;
}
