// States of bodies: configuration and velocities from what a text says.
#include "model/instance_bodies.h"
#include "model/placement.h"

#include "base/message.h"

#include <stdlib.h>
#include <string.h>

typedef struct setting {
  dls_instance_bodies *b;
  const dls_mechanism *m;
  int *q_of, *v_of;  // joints: where their numbers begin, in joint coordinates
  int *joint_of;     // bodies: the first joint; -1
  double *q, *v;     // of joint coordinates
  int nq, n;
  dls_message *message;
  dls_status status;
} setting;

static int q_count(dls_joint_kind kind)
{
  return kind == DLS_JOINT_FREE ? 7 : kind == DLS_JOINT_BALL ? 4 : 1;
}

static int v_count(dls_joint_kind kind)
{
  return kind == DLS_JOINT_FREE ? 6 : kind == DLS_JOINT_BALL ? 3 : 1;
}

static bool begin(setting *s)
{
  const dls_mechanism *m = s->m;
  s->q_of = dls_alloc(2 * (ptrdiff_t)m->joints + m->bodies + 2, sizeof *s->q_of);
  if (!s->q_of) return false;
  s->v_of = s->q_of + m->joints + 1, s->joint_of = s->v_of + m->joints;
  for (int b = 0; b < m->bodies; b++) s->joint_of[b] = -1;
  for (int j = 0; j < m->joints; j++) {
    if (s->joint_of[m->joint[j].body] < 0) s->joint_of[m->joint[j].body] = j;
    s->q_of[j] = s->nq, s->v_of[j] = s->n;
    s->nq += q_count(m->joint[j].kind), s->n += v_count(m->joint[j].kind);
  }
  s->q = dls_alloc((ptrdiff_t)s->nq + 1, sizeof *s->q);
  s->v = dls_alloc((ptrdiff_t)s->n + 1, sizeof *s->v);
  return s->q && s->v;
}

static void end(setting *s)
{
  free(s->q_of);
  free(s->q);
  free(s->v);
}

// ---- the start ----------------------------------------------------------------------------------

static void stand_at_reference(const setting *s)
{
  const dls_mechanism *m = s->m;
  for (int j = 0; j < m->joints; j++) {
    const dls_joint *joint = &m->joint[j];
    const dls_pose *pose = &m->body[joint->body].pose;
    double *q = s->q + s->q_of[j];
    switch (joint->kind) {
    case DLS_JOINT_FREE:
      dls_copy(q, pose->position, 3);
      dls_copy(q + 3, pose->quaternion, 4);
      (void)dls_quaternion_normalize(q + 3);
      break;
    case DLS_JOINT_BALL: q[0] = 1; break;
    default: q[0] = joint->reference; break;
    }
  }
}

static void take_statements(const setting *s)
{
  const dls_made *made = &s->b->made;
  const dls_source *source = &s->b->model->source;
  for (int j = 0; j < s->m->joints; j++) {
    if (made->has[j] & 1) s->q[s->q_of[j]] = made->position[j];
    if (made->has[j] & 2) s->v[s->v_of[j]] = made->velocity[j];
  }
  for (int i = 0; i < source->bodies.count; i++) {
    const dls_body_statement *body = &source->bodies.items[i];
    const int j = s->joint_of[made->body[i]];
    if (j < 0 || s->m->joint[j].kind != DLS_JOINT_FREE) continue;
    double *v = s->v + s->v_of[j];
    if (body->velocity.count > 0) dls_copy(v, made->number + body->velocity.first, 3);
    if (body->spin.count > 0) dls_copy(v + 3, made->number + body->spin.first, 3);
  }
}

// ---- given values -------------------------------------------------------------------------------

// Where a number of that name stands among those of joints: "door", "ball.qw"; -1.
static int find_number(const setting *s, const char *name, bool velocity)
{
  static const char *const places[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
  static const char *const rates[] = {".x", ".y", ".z", ".rx", ".ry", ".rz"};
  const size_t length = strlen(name);
  for (int j = 0; j < s->m->joints; j++) {
    const dls_joint *joint = &s->m->joint[j];
    const size_t letters = strlen(joint->name);
    if (length < letters || memcmp(name, joint->name, letters) != 0) continue;
    const int from = velocity ? s->v_of[j] : s->q_of[j];
    if (joint->kind >= DLS_JOINT_HINGE) {
      if (length == letters) return from;
      continue;
    }
    const int skipped = joint->kind == DLS_JOINT_BALL ? 3 : 0;
    for (int k = skipped; k < (velocity ? 6 : 7); k++)
      if (strcmp(name + letters, velocity ? rates[k] : places[k]) == 0) return from + k - skipped;
  }
  return -1;
}

static dls_status unknown_number(const setting *s, const dls_body_value *value)
{
  return dls_fail(s->message, DLS_ERR_ARGUMENT, "the bodies have no %s `%s%s`",
                  value->velocity ? "velocity" : "coordinate", value->name,
                  value->velocity ? "'" : "");
}

static dls_status set_rotation(const setting *s, const dls_body_value *value, double *q)
{
  (void)s;
  // the three angles come one after the other
  const double angle[3] = {value[0].value, value[1].value, value[2].value};
  dls_quaternion_of_angles(angle, q);
  return DLS_OK;
}

static dls_status set_value(const setting *s, const dls_body_value *value)
{
  if (value->field == DLS_ENTRY_NUMBER) {
    const int at = find_number(s, value->name, value->velocity);
    if (at < 0) return unknown_number(s, value);
    (value->velocity ? s->v : s->q)[at] = value->value;
    return DLS_OK;
  }
  const int body = s->b->made.body[value->body], j = s->joint_of[body];
  if (j < 0 || s->m->joint[j].kind != DLS_JOINT_FREE)
    return dls_fail(s->message, DLS_ERR_ARGUMENT,
                    "the body `%s` is not free: where it is follows from its joints",
                    s->m->body[body].name);
  double *q = s->q + s->q_of[j], *v = s->v + s->v_of[j];
  switch (value->field) {
  case DLS_ENTRY_POSITION: q[value->part] = value->value; break;
  case DLS_ENTRY_VELOCITY: v[value->part] = value->value; break;
  case DLS_ENTRY_SPIN: v[3 + value->part] = value->value; break;
  default: return value->part == 0 ? set_rotation(s, value, q + 3) : DLS_OK;
  }
  return DLS_OK;
}

static dls_status normalize(const setting *s)
{
  for (int j = 0; j < s->m->joints; j++) {
    const dls_joint *joint = &s->m->joint[j];
    if (joint->kind >= DLS_JOINT_HINGE) continue;
    double *q = s->q + s->q_of[j] + (joint->kind == DLS_JOINT_FREE ? 3 : 0);
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    // what has length 1 up to rounding stays as it is
    if (fabs(square - 1) > 1e-14 && !dls_quaternion_normalize(q))
      return dls_fail(s->message, DLS_ERR_NUMBER, "the quaternion of `%s` is zero or not finite",
                      joint->name);
  }
  return DLS_OK;
}

// ---- maximal coordinates ------------------------------------------------------------------------

// From joints to bodies, each of which is free.
static dls_status spread(const setting *s, double *q, double *v)
{
  dls_instance_bodies *b = s->b;
  dls_status status = DLS_OK;
  if (!b->reduced) status = dls_mechanism_system(s->m, DLS_REDUCED, &b->reduced, s->message);
  return status == DLS_OK ? dls_mechanism_in_maximal(b->reduced, s->q, s->v, b->inner, q, v)
                          : status;
}

// By the names of the system itself, of maximal coordinates.
static dls_status set_maximal(const setting *s, const dls_body_value *value, double *q, double *v)
{
  const dls_instance_bodies *b = s->b;
  const char *const *names =
      value->velocity ? b->inner->coordinates : dls_configuration_names(b->inner);
  const int count = value->velocity ? b->n : b->nq;
  for (int k = 0; k < count; k++) {
    if (strcmp(names[k], value->name) != 0) continue;
    (value->velocity ? v : q)[k] = value->value;
    return DLS_OK;
  }
  return unknown_number(s, value);
}

dls_status dls_instance_bodies_state(dls_instance_bodies *b, const dls_body_value *value, int count,
                                     double *q, double *v, dls_message *message)
{
  setting s = {.b = b, .m = &b->made.mechanism, .message = message};
  const bool maximal = b->kind == DLS_MAXIMAL;
  s.status = begin(&s) ? DLS_OK : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  if (s.status == DLS_OK && !maximal && (s.nq != b->nq || s.n != b->n))
    s.status = dls_fail(message, DLS_ERR_LIMIT, "bodies do not match");
  if (s.status == DLS_OK) {
    stand_at_reference(&s);
    take_statements(&s);
  }
  for (int k = 0; k < count && s.status == DLS_OK; k++) {
    const bool own = maximal && value[k].field == DLS_ENTRY_NUMBER &&
                     find_number(&s, value[k].name, value[k].velocity) < 0;
    if (!own) s.status = set_value(&s, &value[k]);
  }
  if (s.status == DLS_OK) s.status = normalize(&s);
  if (s.status == DLS_OK && maximal) s.status = spread(&s, q, v);
  for (int k = 0; k < count && s.status == DLS_OK && maximal; k++)
    if (value[k].field == DLS_ENTRY_NUMBER && find_number(&s, value[k].name, value[k].velocity) < 0)
      s.status = set_maximal(&s, &value[k], q, v);
  if (s.status == DLS_OK && !maximal) dls_copy(q, s.q, s.nq), dls_copy(v, s.v, s.n);
  end(&s);
  return s.status;
}

dls_status dls_instance_bodies_take(dls_instance_bodies *b, const double *joint_q,
                                    const double *joint_v, double *q, double *v,
                                    dls_message *message)
{
  setting s = {.b = b, .m = &b->made.mechanism, .message = message};
  if (!begin(&s) || !s.q || !s.v) {
    end(&s);
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  dls_copy(s.q, joint_q, s.nq);
  dls_copy(s.v, joint_v, s.n);
  s.status = normalize(&s);
  if (s.status == DLS_OK && b->kind == DLS_MAXIMAL) s.status = spread(&s, q, v);
  else if (s.status == DLS_OK) dls_copy(q, s.q, s.nq), dls_copy(v, s.v, s.n);
  end(&s);
  return s.status;
}
