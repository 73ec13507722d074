#include "particle_tree.h"

#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- drawing -----------------------------------------------------------------------------------

static void draw3(double x[3], double size)
{
  for (int i = 0; i < 3; i++) x[i] = size * uniform();
}

static void draw_turn(double q[4])
{
  double square = 0;
  for (int i = 0; i < 4; i++) q[i] = uniform(), square += q[i] * q[i];
  for (int i = 0; i < 4; i++) q[i] /= sqrt(square);
}

// Mass, centre and inertia of the particles.
static void weigh(particle_tree *t, int b)
{
  dls_rigid_body *body = &t->body[b];
  double second[6] = {0};
  for (int k = 0; k < TREE_PARTICLES; k++) {
    draw3(t->particle[b][k], 0.7);
    t->mass[b][k] = 0.1 + fabs(uniform());
    body->mass += t->mass[b][k];
    for (int i = 0; i < 3; i++) body->centre[i] += t->mass[b][k] * t->particle[b][k][i];
  }
  for (int i = 0; i < 3; i++) body->centre[i] /= body->mass;
  for (int k = 0; k < TREE_PARTICLES; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = t->particle[b][k][i] - body->centre[i];
    const double products[6] = {d[1] * d[1] + d[2] * d[2],
                                d[0] * d[0] + d[2] * d[2],
                                d[0] * d[0] + d[1] * d[1],
                                -d[0] * d[1],
                                -d[0] * d[2],
                                -d[1] * d[2]};
    for (int i = 0; i < 6; i++) second[i] += t->mass[b][k] * products[i];
  }
  memcpy(body->inertia, second, sizeof second);
}

static void add_joint(particle_tree *t, int b, dls_joint_kind kind, bool forces)
{
  const int j = t->mechanism.joints++;
  dls_joint *joint = &t->joint[j];
  *joint = (dls_joint){.name = t->name[TREE_BODIES + j], .body = b, .kind = kind};
  snprintf(t->name[TREE_BODIES + j], sizeof t->name[0], "joint%d", j);
  draw3(joint->anchor, 1);
  draw3(joint->axis, 1);
  const double length = sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                             joint->axis[2] * joint->axis[2]);
  for (int i = 0; i < 3; i++) joint->axis[i] /= length;
  joint->reference = uniform();
  if (forces) {
    joint->armature = below(2) ? fabs(uniform()) : 0;
    joint->damping = fabs(uniform());
    joint->stiffness = below(2) ? 10 * fabs(uniform()) : 0;
    joint->rest = uniform();
  }
  const int turns = kind == DLS_JOINT_FREE ? t->nq + 3 : t->nq;
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  for (int i = 0; i < nq[kind]; i++) t->q[t->nq + i] = 2 * uniform();
  if (nq[kind] > 1) draw_turn(t->q + turns);
  for (int i = 0; i < nv[kind]; i++) t->v[t->n + i] = 2 * uniform();
  t->nq += nq[kind], t->n += nv[kind];
}

static void draw_body(particle_tree *t, int b, bool forces)
{
  dls_rigid_body *body = &t->body[b];
  snprintf(t->name[b], sizeof t->name[0], "body%d", b);
  *body = (dls_rigid_body){.name = t->name[b], .parent = below(b + 1) - 1};
  draw3(body->pose.position, 1);
  draw_turn(body->pose.quaternion);
  weigh(t, b);
  if (forces && below(4) == 0) body->carried = 0.25;
  if (body->parent == DLS_WORLD && below(3) == 0) {
    add_joint(t, b, DLS_JOINT_FREE, forces);
    return;
  }
  const int joints = below(10) == 0 ? 0 : 1 + below(3);
  bool ball = false;
  for (int k = 0; k < joints; k++) {
    const dls_joint_kind kind = (dls_joint_kind)(DLS_JOINT_BALL + below(3));
    if (kind == DLS_JOINT_BALL && ball) continue;
    ball |= kind == DLS_JOINT_BALL;
    add_joint(t, b, kind, forces);
  }
}

static int draw_coordinate(const particle_tree *t)
{
  for (int tries = 0; tries < 100 && t->mechanism.joints > 0; tries++) {
    const int j = below(t->mechanism.joints);
    if (t->joint[j].kind == DLS_JOINT_HINGE || t->joint[j].kind == DLS_JOINT_SLIDE) return j;
  }
  return -1;
}

static void draw_tendon(particle_tree *t, int k)
{
  dls_tendon *tendon = &t->tendon[k];
  for (int i = 0; i < 2; i++) {
    t->tendon_joint[k][i] = draw_coordinate(t);
    t->tendon_gear[k][i] = 2 * uniform();
  }
  *tendon = (dls_tendon){.name = k ? "cord" : "tendon",
                         .terms = 2,
                         .joint = t->tendon_joint[k],
                         .gear = t->tendon_gear[k],
                         .damping = fabs(uniform()),
                         .stiffness = 5 * fabs(uniform()),
                         .rest = {-0.1, 0.2}};
  if (k) tendon->rest[0] = tendon->rest[1] = uniform();
}

static void draw_actuator(particle_tree *t, int k)
{
  static const char *const names[] = {"motor", "servo", "puller", "jet"};
  dls_actuator *a = &t->actuator[k];
  *a = (dls_actuator){.name = names[k], .gain = uniform(), .control = 3 * uniform()};
  for (int i = 0; i < 6; i++) a->gear[i] = uniform();
  for (int i = 0; i < 3; i++) a->bias[i] = uniform();
  a->limited = below(2), a->range[0] = -0.5, a->range[1] = 0.5;
  a->kind = k == 2 ? DLS_ACTUATOR_TENDON : k == 3 ? DLS_ACTUATOR_FRAME : DLS_ACTUATOR_JOINT;
  a->of = k == 2 ? below(2) : k == 3 ? below(t->mechanism.bodies) : below(t->mechanism.joints);
  draw3(a->frame.position, 1);
  draw_turn(a->frame.quaternion);
}

void draw_tree(particle_tree *t, int bodies, bool forces)
{
  memset(t, 0, sizeof *t);
  t->mechanism = (dls_mechanism){.bodies = bodies,
                                 .body = t->body,
                                 .joint = t->joint,
                                 .tendon = t->tendon,
                                 .actuator = t->actuator};
  draw3(t->mechanism.gravity, 10);
  for (int b = 0; b < bodies; b++) draw_body(t, b, forces);
  if (!forces || draw_coordinate(t) < 0) return;
  t->mechanism.tendons = 2, t->mechanism.actuators = 4;
  for (int k = 0; k < 2; k++) draw_tendon(t, k);
  for (int k = 0; k < 4; k++) draw_actuator(t, k);
}

// ---- moving ------------------------------------------------------------------------------------

static void rotation_of(const long double q[4], long double R[9])
{
  long double s = 0;
  for (int i = 0; i < 4; i++) s += q[i] * q[i];
  const long double w = q[0], x = q[1], y = q[2], z = q[3];
  const long double a[9] = {
      w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
      2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
      2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
  for (int i = 0; i < 9; i++) R[i] = a[i] / s;
}

static void product(const long double A[9], const long double B[9], long double C[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) C[3 * i + j] += A[3 * i + k] * B[3 * k + j];
    }
}

static void shift(long_pose *f, const long double d[3], long double by)
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) f->p[i] += by * f->R[3 * i + k] * d[k];
}

// The frame turns about a point of itself.
static void turn(long_pose *f, const double at[3], const long double R[9])
{
  const long double a[3] = {at[0], at[1], at[2]};
  long double turned[9];
  shift(f, a, 1);
  product(f->R, R, turned);
  memcpy(f->R, turned, sizeof turned);
  shift(f, a, -1);
}

static void quaternion_after(const double *q, const double *v, long double t, long double out[4])
{
  const long double s =
      t * sqrtl((long double)v[0] * v[0] + (long double)v[1] * v[1] + (long double)v[2] * v[2]);
  const long double c = cosl(s / 2), f = s != 0 ? sinl(s / 2) / s * t : t / 2;
  const long double b[4] = {c, f * v[0], f * v[1], f * v[2]};
  out[0] = q[0] * b[0] - q[1] * b[1] - q[2] * b[2] - q[3] * b[3];
  out[1] = q[0] * b[1] + q[1] * b[0] + q[2] * b[3] - q[3] * b[2];
  out[2] = q[0] * b[2] + q[2] * b[0] + q[3] * b[1] - q[1] * b[3];
  out[3] = q[0] * b[3] + q[3] * b[0] + q[1] * b[2] - q[2] * b[1];
}

static void turn_by_quaternion(long_pose *f, const double at[3], const double *q, const double *v,
                               long double t)
{
  long double now[4], R[9];
  quaternion_after(q, v, t, now);
  rotation_of(now, R);
  turn(f, at, R);
}

static void move_joint(const dls_joint *j, const double *q, const double *v, long double t,
                       long_pose *f)
{
  static const double none[3];
  const long double way = q[0] + t * v[0] - (long double)j->reference;
  const long double axis[3] = {j->axis[0], j->axis[1], j->axis[2]};
  if (j->kind == DLS_JOINT_FREE) {
    *f = (long_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 3; i++) f->p[i] = q[i] + t * v[i];
    turn_by_quaternion(f, none, q + 3, v + 3, t);
  } else if (j->kind == DLS_JOINT_BALL) {
    turn_by_quaternion(f, j->anchor, q, v, t);
  } else if (j->kind == DLS_JOINT_SLIDE) {
    shift(f, axis, way);
  } else {
    const long double half[4] = {cosl(way / 2), sinl(way / 2) * axis[0], sinl(way / 2) * axis[1],
                                 sinl(way / 2) * axis[2]};
    long double R[9];
    rotation_of(half, R);
    turn(f, j->anchor, R);
  }
}

void move_tree(const particle_tree *tree, const double *q, const double *v, long double t,
               long_pose *pose)
{
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  for (int b = 0, j = 0; b < tree->mechanism.bodies; b++) {
    const dls_rigid_body *body = &tree->body[b];
    const long_pose still = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const long_pose *outer = body->parent == DLS_WORLD ? &still : &pose[body->parent];
    long double turned[4], R[9], at[3];
    for (int i = 0; i < 4; i++) turned[i] = body->pose.quaternion[i];
    for (int i = 0; i < 3; i++) at[i] = body->pose.position[i];
    rotation_of(turned, R);
    pose[b] = *outer;
    shift(&pose[b], at, 1);
    product(outer->R, R, pose[b].R);
    for (; j < tree->mechanism.joints && tree->joint[j].body == b; j++) {
      move_joint(&tree->joint[j], q, v, t, &pose[b]);
      q += nq[tree->joint[j].kind], v += nv[tree->joint[j].kind];
    }
  }
}

void point_of(const long_pose *pose, const double at[3], long double x[3])
{
  for (int i = 0; i < 3; i++) {
    x[i] = pose->p[i];
    for (int k = 0; k < 3; k++) x[i] += pose->R[3 * i + k] * at[k];
  }
}

// ---- differences -------------------------------------------------------------------------------

void differentiate(timed_function *f, const void *self, int count, long double step, int order,
                   long double *out)
{
  enum { MOST = 512 };
  static const long double first[4] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
  static const long double second[4] = {8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
  long double at[MOST];
  f(self, 0, at);
  for (int i = 0; i < count; i++) out[i] = order == 1 ? 0 : -205.0L / 72 * at[i];
  for (int k = 1; k <= 4; k++)
    for (int side = -1; side <= 1; side += 2) {
      f(self, (long double)(side * k) * step, at);
      const long double weight = order == 1 ? (long double)side * first[k - 1] : second[k - 1];
      for (int i = 0; i < count; i++) out[i] += weight * at[i];
    }
  for (int i = 0; i < count; i++) out[i] /= order == 1 ? step : step * step;
}
