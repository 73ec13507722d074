// Springs and dampers that are given by time constants and damping ratios: what they are follows
// from the inertias at the reference, as in MuJoCo.
#include "format/mjcf.h"
#include "format/turn.h"

#include <math.h>
#include <string.h>

enum { MOST_VELOCITIES = 1000 };

// How the world point at the origin goes, and how all turns, with a velocity of 1.
typedef struct twist {
  double turn[3], shift[3];
} twist;

typedef struct inertia {
  int n;
  int *start;  // of each joint: its first velocity
  int *last;   // of each body: the last velocity that moves it, -1
  int *above;  // of each velocity: the one before it on the branch, -1
  twist *column;
  double *M;
} inertia;

static int width(dls_joint_kind kind)
{
  return kind == DLS_JOINT_FREE ? 6 : kind == DLS_JOINT_BALL ? 3 : 1;
}

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Velocity k of a joint: a shift along an axis, or a turn about one through the anchor.
static twist twist_of(const dls_mjcf *m, const dls_joint *j, int k)
{
  const dls_pose *world = &m->body[j->body].world;
  twist t = {{0}, {0}};
  double axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, anchor[3];
  if (j->kind == DLS_JOINT_FREE && k < 3) {
    memcpy(t.shift, axis, sizeof axis);
    return t;
  }
  if (j->kind == DLS_JOINT_HINGE || j->kind == DLS_JOINT_SLIDE) memcpy(axis, j->axis, sizeof axis);
  dls_turn_vector(world->quaternion, axis, axis);
  if (j->kind == DLS_JOINT_SLIDE) {
    memcpy(t.shift, axis, sizeof axis);
    return t;
  }
  dls_pose_point(world, j->anchor, anchor);
  memcpy(t.turn, axis, sizeof axis);
  cross(anchor, axis, t.shift);
  return t;
}

static void link_velocities(const dls_mjcf *m, inertia *in)
{
  int next = 0;
  for (int b = 0; b < m->bodys; b++) {
    const int parent = m->body[b].parent;
    int last = parent == DLS_WORLD ? -1 : in->last[parent];
    for (int k = m->body[b].first_joint; k < m->body[b].first_joint + m->body[b].joints; k++) {
      in->start[k] = next;
      for (int i = 0; i < width(m->draft.joint[k].kind); i++, next++) {
        in->above[next] = last;
        in->column[next] = twist_of(m, &m->draft.joint[k], i);
        last = next;
      }
    }
    in->last[b] = last;
  }
}

// Momentum of a body moving so, about the origin of the world.
static void momentum(const dls_mass *mass, const twist *t, double linear[3], double angular[3])
{
  double around[3], spin[3];
  cross(t->turn, mass->centre, around);
  for (int k = 0; k < 3; k++) linear[k] = mass->mass * (t->shift[k] + around[k]);
  const double *I = mass->inertia, *w = t->turn;
  spin[0] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
  spin[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
  spin[2] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
  cross(mass->centre, linear, angular);
  for (int k = 0; k < 3; k++) angular[k] += spin[k];
}

static void add_body(const dls_mjcf *m, const inertia *in, int b)
{
  const dls_mass mass = dls_mass_in(&m->body[b].world, &m->body[b].mass);
  for (int i = in->last[b]; i >= 0; i = in->above[i]) {
    double linear[3], angular[3];
    momentum(&mass, &in->column[i], linear, angular);
    for (int k = i; k >= 0; k = in->above[k]) {
      const double value = dot(linear, in->column[k].shift) + dot(angular, in->column[k].turn);
      in->M[(ptrdiff_t)i * in->n + k] += value;
      if (k != i) in->M[(ptrdiff_t)k * in->n + i] += value;
    }
  }
}

static bool measure(dls_mjcf *m, inertia *in)
{
  dls_file_reading *r = m->reading;
  for (int k = 0; k < m->joints; k++) in->n += width(m->draft.joint[k].kind);
  if (in->n > MOST_VELOCITIES) {
    r->status = dls_file_place_fail(r->message, DLS_ERR_LIMIT, m->root->place,
                                    "too many joints for springs by time constants");
    return false;
  }
  in->start = dls_reading_work(r, m->joints, sizeof *in->start);
  in->last = dls_reading_work(r, m->bodys, sizeof *in->last);
  in->above = dls_reading_work(r, in->n, sizeof *in->above);
  in->column = dls_reading_work(r, in->n, sizeof *in->column);
  in->M = dls_reading_work(r, (ptrdiff_t)in->n * in->n, sizeof *in->M);
  if (r->status) return false;
  link_velocities(m, in);
  for (int b = 0; b < m->bodys; b++) add_body(m, in, b);
  for (int k = 0; k < m->joints; k++) {
    for (int i = 0; i < width(m->draft.joint[k].kind); i++)
      in->M[(ptrdiff_t)(in->start[k] + i) * (in->n + 1)] += m->draft.joint[k].armature;
  }
  return true;
}

// L of M = L L^T in place of the lower half. False when M is not positive definite.
static bool factor(int n, double *M)
{
  for (int j = 0; j < n; j++) {
    double *row = M + (ptrdiff_t)j * n;
    for (int k = 0; k < j; k++) row[j] -= row[k] * row[k];
    if (!(row[j] > 0)) return false;
    row[j] = sqrt(row[j]);
    for (int i = j + 1; i < n; i++) {
      double *below = M + (ptrdiff_t)i * n;
      for (int k = 0; k < j; k++) below[j] -= below[k] * row[k];
      below[j] /= row[j];
    }
  }
  return true;
}

// Entry i of the diagonal of M^-1: |L^-1 e_i|^2.
static double inverse_entry(int n, const double *L, int i, double *work)
{
  double sum = 0;
  for (int k = i; k < n; k++) {
    const double *row = L + (ptrdiff_t)k * n;
    work[k] = k == i ? 1 : 0;
    for (int j = i; j < k; j++) work[k] -= row[j] * work[j];
    work[k] /= row[k];
    sum += work[k] * work[k];
  }
  return sum;
}

static bool has_spring_damper(const dls_mjcf *m)
{
  for (int k = 0; k < m->joints; k++) {
    if (m->joint[k].spring_damper[0] > 0) return true;
  }
  return false;
}

// stiffness = I/(T ratio)^2, damping = 2 I/T, with I the inverse of the mean of the joint's entries
// in M^-1.
static void tune_joints(dls_mjcf *m, const inertia *in)
{
  double *work = dls_reading_work(m->reading, in->n, sizeof *work);
  if (!work) return;
  if (!factor(in->n, in->M)) {
    dls_reading_fail(m->reading, m->root, NULL, "`springdamper` needs a mass behind every joint");
    return;
  }
  for (int k = 0; k < m->joints; k++) {
    const double time = m->joint[k].spring_damper[0], ratio = m->joint[k].spring_damper[1];
    if (!(time > 0)) continue;
    dls_joint *j = &m->draft.joint[k];
    double sum = 0;
    for (int i = 0; i < width(j->kind); i++)
      sum += inverse_entry(in->n, in->M, in->start[k] + i, work);
    const double I = width(j->kind) / sum;
    const bool one = j->kind == DLS_JOINT_HINGE || j->kind == DLS_JOINT_SLIDE;
    if (!m->off.spring && one) j->stiffness = I / (time * time * ratio * ratio);
    if (!m->off.damper) j->damping = 2 * I / time;
  }
}

static bool has_ratio(const dls_actuator *a)
{
  return a->gain != 0 && a->gain == -a->bias[1] && a->bias[2] > 0;
}

static double reflected_mass(const dls_mjcf *m, const inertia *in, const dls_actuator *a)
{
  double sum = 0;
  if (a->kind == DLS_ACTUATOR_JOINT) {
    const int start = in->start[a->of];
    for (int i = 0; i < width(m->draft.joint[a->of].kind); i++) {
      const double gear = a->gear[i] * a->gear[i];
      if (gear > 1e-15) sum += in->M[(ptrdiff_t)(start + i) * (in->n + 1)] / gear;
    }
  } else if (a->kind == DLS_ACTUATOR_TENDON) {
    const dls_tendon *t = &m->draft.tendon[a->of];
    for (int i = 0; i < t->terms; i++) {
      const double gear = a->gear[0] * t->gear[i] * a->gear[0] * t->gear[i];
      if (gear > 1e-15) sum += in->M[(ptrdiff_t)in->start[t->joint[i]] * (in->n + 1)] / gear;
    }
  }
  return sum;
}

void dls_mjcf_tune(dls_mjcf *m)
{
  bool ratios = false;
  for (int k = 0; k < m->draft.actuators; k++) ratios = ratios || has_ratio(&m->draft.actuator[k]);
  if (m->reading->status || (!ratios && !has_spring_damper(m))) return;
  inertia in = {0};
  if (!measure(m, &in)) return;
  for (int k = 0; k < m->draft.actuators; k++) {
    dls_actuator *a = &m->draft.actuator[k];
    if (has_ratio(a)) a->bias[2] *= -2 * sqrt(a->gain * reflected_mass(m, &in, a));
  }
  if (has_spring_damper(m)) tune_joints(m, &in);
}
