#include "forest.h"
#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- drawing --------------------------------------------------------------------------------------

forest_options forest_everything(int bodies)
{
  return (forest_options){.bodies = bodies,
                          .branch = 0.4,
                          .balls = true,
                          .frees = true,
                          .several = true,
                          .fixed = true,
                          .massless = true,
                          .reference = true,
                          .forces = true,
                          .carried = true};
}

void forest_draw_unit(double q[4])
{
  double sum = 0;
  for (int k = 0; k < 4; k++) q[k] = uniform(), sum += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(sum);
}

static void draw_pose(dls_pose *pose, bool aligned)
{
  *pose = (dls_pose){.quaternion = {1}};
  for (int k = 0; k < 3; k++) pose->position[k] = uniform();
  if (!aligned && below(3)) forest_draw_unit(pose->quaternion);
}

static void draw_inertia(dls_rigid_body *body, bool carried)
{
  body->mass = 0.2 + fabs(uniform());
  for (int k = 0; k < 3; k++) body->centre[k] = below(4) ? 0.3 * uniform() : 0;
  for (int k = 0; k < 6; k++) body->inertia[k] = 0;
  for (int i = 0; i < 3; i++) {  // of three pairs of points
    const double r[] = {0.4 * uniform(), 0.4 * uniform(), 0.4 * uniform()}, m = body->mass / 3;
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int k = 0; k < 3; k++) body->inertia[k] += m * (square - r[k] * r[k]);
    body->inertia[3] -= m * r[0] * r[1], body->inertia[4] -= m * r[0] * r[2],
        body->inertia[5] -= m * r[1] * r[2];
  }
  if (carried && !below(3)) body->carried = uniform();
}

static void draw_joint(dls_joint *joint, int b, dls_joint_kind kind, const forest_options *o)
{
  *joint = (dls_joint){.body = b, .kind = kind};
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    joint->anchor[k] = below(2) ? uniform() : 0;
    joint->axis[k] = uniform(), sum += joint->axis[k] * joint->axis[k];
  }
  for (int k = 0; k < 3; k++) joint->axis[k] /= sqrt(sum);
  if (o->aligned || !below(3)) {
    memset(joint->axis, 0, sizeof joint->axis);
    joint->axis[below(3)] = below(2) ? 1 : -1;
  }
  if (o->reference) joint->reference = uniform();
  if (!o->forces) return;
  if (below(2)) joint->armature = 0.3 * fabs(uniform());
  if (below(2)) joint->damping = fabs(uniform());
  if (below(2)) joint->stiffness = fabs(uniform()), joint->rest = uniform();
}

static void draw_forces(forest *f)
{
  dls_mechanism *m = &f->mechanism;
  int single[FOREST_JOINTS], count = 0;
  for (int j = 0; j < m->joints; j++)
    if (f->joint[j].kind >= DLS_JOINT_HINGE) single[count++] = j;
  for (int t = 0; count > 3 && t < FOREST_TENDONS; t++) {
    const int first = below(count - 2);
    for (int k = 0; k < 3; k++) f->terms[t][k] = single[first + k], f->gear[t][k] = uniform();
    f->tendon[m->tendons++] = (dls_tendon){"",
                                           .terms = 3,
                                           .joint = f->terms[t],
                                           .gear = f->gear[t],
                                           .damping = fabs(uniform()),
                                           .stiffness = fabs(uniform()),
                                           .rest = {-0.1, 0.1}};
  }
  for (int i = 0; m->joints && i < FOREST_ACTUATORS; i++) {
    dls_actuator *a = f->actuator + m->actuators++;
    *a = (dls_actuator){"", .kind = (dls_actuator_kind)below(3)};
    if (a->kind == DLS_ACTUATOR_TENDON && m->tendons == 0) a->kind = DLS_ACTUATOR_JOINT;
    a->of = below(a->kind == DLS_ACTUATOR_JOINT    ? m->joints
                  : a->kind == DLS_ACTUATOR_TENDON ? m->tendons
                                                   : m->bodies);
    draw_pose(&a->frame, false);
    for (int k = 0; k < 6; k++) a->gear[k] = uniform();
    a->gain = uniform(), a->control = uniform();
    for (int k = 0; k < 3; k++) a->bias[k] = uniform();
    a->limited = below(2), a->range[0] = -0.3 - fabs(uniform()), a->range[1] = 0.3;
  }
}

void forest_draw(forest *f, const forest_options *o)
{
  memset(f, 0, sizeof *f);
  dls_mechanism *m = &f->mechanism;
  *m = (dls_mechanism){.bodies = o->bodies,
                       .body = f->body,
                       .joint = f->joint,
                       .tendon = f->tendon,
                       .actuator = f->actuator,
                       .gravity = {uniform(), uniform(), -9.81}};
  for (int b = 0; b < o->bodies; b++) {
    dls_rigid_body *body = f->body + b;
    snprintf(f->names[b], sizeof f->names[b], "b%d", b);
    body->name = f->names[b], body->parent = b - 1;
    if (b > 0 && below(1000) < 1000 * o->branch) body->parent = below(b + 1) - 1;
    if (b == 0) body->parent = DLS_WORLD;
    draw_pose(&body->pose, o->aligned);
    for (int k = 0; body->parent == DLS_WORLD && k < 3; k++) body->pose.position[k] += o->far;
    draw_inertia(body, o->carried);
    int joints = o->fixed && !below(6) ? 0 : o->several && !below(3) ? 1 + below(3) : 1;
    for (int j = 0; j < joints && m->joints < FOREST_JOINTS; j++) {
      int kind = DLS_JOINT_HINGE + !below(3);
      if (o->balls && !below(4)) kind = DLS_JOINT_BALL;
      if (o->frees && j == 0 && body->parent == DLS_WORLD && below(2)) kind = DLS_JOINT_FREE;
      draw_joint(f->joint + m->joints++, b, (dls_joint_kind)kind, o);
      if (kind == DLS_JOINT_FREE) break;
    }
    if (o->massless && b + 1 < o->bodies && !below(6) && joints == 1)
      body->mass = 0, memset(body->inertia, 0, sizeof body->inertia);
  }
  for (int j = 0; j < m->joints; j++) {
    char *name = f->names[FOREST_BODIES + j];
    snprintf(name, sizeof f->names[0], "j%d", j);
    f->joint[j].name = name;
    f->joint_v[j] = f->n, f->joint_q[j] = f->nq;
    const int size = f->joint[j].kind == DLS_JOINT_FREE   ? 6
                     : f->joint[j].kind == DLS_JOINT_BALL ? 3
                                                          : 1;
    f->n += size, f->nq += size + (size > 1);
  }
  if (o->forces) draw_forces(f);
}

void forest_draw_state(const forest *f, double *q, double *x, double *x_dot)
{
  for (int j = 0; j < f->mechanism.joints; j++) {
    const dls_joint *joint = f->joint + j;
    int v = f->joint_v[j], p = f->joint_q[j];
    if (joint->kind >= DLS_JOINT_HINGE) {
      q[p] = 2 * uniform(), x[v] = q[p] + uniform();
      continue;
    }
    for (int k = 0; joint->kind == DLS_JOINT_FREE && k < 3; k++)
      q[p] = f->body[joint->body].pose.position[k] + uniform(), x[v++] = q[p++] + uniform();
    forest_draw_unit(q + p);
    const double size = below(3) ? 1.5 * fabs(uniform()) : 0;
    for (int k = 0; k < 3; k++) x[v + k] = size * uniform();
  }
  for (int k = 0; k < f->n; k++) x_dot[k] = 2 * uniform();
}

// -- poses ---------------------------------------------------------------------------------------

static void turn_of(const lc q[4], lc R[3][3])
{
  const lc w = q[0], x = q[1], y = q[2], z = q[3], s = w * w + x * x + y * y + z * z;
  const lc rows[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                         {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                         {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[i][j] = rows[i][j] / s;
}

// exp of a rotation vector, as a quaternion.
static void exponential(const lc *theta, lc q[4])
{
  const lc y = (theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]) / 4;
  lc sinc = 0, term = 1;
  for (int k = 1; k < 60; k++) sinc += term, term *= -y / (2 * k * (2 * k + 1));
  lc c = 0;
  term = 1;
  for (int k = 1; k < 60; k++) c += term, term *= -y / (2 * k * (2 * k - 1));
  q[0] = c;
  for (int k = 0; k < 3; k++) q[1 + k] = sinc * theta[k] / 2;
}

static void turn_pose(forest_pose *pose, const lc q[4])
{
  lc R[3][3], out[3][3];
  turn_of(q, R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 3; k++) out[i][j] += pose->R[i][k] * R[k][j];
    }
  memcpy(pose->R, out, sizeof out);
}

static void shift_pose(forest_pose *pose, const double way[3], lc by)
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) pose->p[i] += pose->R[i][k] * way[k] * by;
}

static void move_joint(const dls_joint *joint, const double *q, const lc *x, forest_pose *pose)
{
  const double length = sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                             joint->axis[2] * joint->axis[2]);
  const long double exactly = sqrtl((long double)joint->axis[0] * joint->axis[0] +
                                    (long double)joint->axis[1] * joint->axis[1] +
                                    (long double)joint->axis[2] * joint->axis[2]);
  (void)length;
  if (joint->kind == DLS_JOINT_SLIDE) {
    shift_pose(pose, joint->axis, (x[0] - joint->reference) / exactly);
    return;
  }
  if (joint->kind == DLS_JOINT_HINGE) {
    const lc half = (x[0] - joint->reference) / 2, s = csinl(half) / exactly;
    const lc turn[4] = {ccosl(half), s * joint->axis[0], s * joint->axis[1], s * joint->axis[2]};
    shift_pose(pose, joint->anchor, 1);
    turn_pose(pose, turn);
    shift_pose(pose, joint->anchor, -1);
    return;
  }
  if (joint->kind == DLS_JOINT_FREE) {
    memset(pose, 0, sizeof *pose);
    for (int k = 0; k < 3; k++) pose->p[k] = x[k], pose->R[k][k] = 1;
    q += 3, x += 3;
  }
  const lc centre[4] = {q[0], q[1], q[2], q[3]};
  lc turn[4];
  exponential(x, turn);
  if (joint->kind == DLS_JOINT_BALL) shift_pose(pose, joint->anchor, 1);
  turn_pose(pose, centre);
  turn_pose(pose, turn);
  if (joint->kind == DLS_JOINT_BALL) shift_pose(pose, joint->anchor, -1);
}

void forest_poses(const forest *f, const double *q, const lc *x, forest_pose *pose)
{
  int j = 0;
  for (int b = 0; b < f->mechanism.bodies; b++) {
    const dls_rigid_body *body = f->body + b;
    memset(pose + b, 0, sizeof *pose);
    for (int k = 0; k < 3; k++) pose[b].R[k][k] = 1;
    if (body->parent >= 0) pose[b] = pose[body->parent];
    const double *u = body->pose.quaternion;
    shift_pose(pose + b, body->pose.position, 1);
    turn_pose(pose + b, (const lc[]){u[0], u[1], u[2], u[3]});
    for (; j < f->mechanism.joints && f->joint[j].body == b; j++)
      move_joint(f->joint + j, q + f->joint_q[j], x + f->joint_v[j], pose + b);
  }
}

// -- mechanics by definition ----------------------------------------------------------------------

static const long double tiny_step = 1e-200L;

// Angular velocity from R' R^T, velocity.
static void column_of(const forest_pose *at, long double *out)
{
  long double spin[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        spin[i][j] += cimagl(at->R[i][k]) / tiny_step * creall(at->R[j][k]);
  out[0] = (spin[2][1] - spin[1][2]) / 2, out[1] = (spin[0][2] - spin[2][0]) / 2;
  out[2] = (spin[1][0] - spin[0][1]) / 2;
  for (int k = 0; k < 3; k++) out[3 + k] = cimagl(at->p[k]) / tiny_step;
}

// All bodies' columns by velocity k, and the poses.
static void columns(const forest *f, const double *q, const long double *x, int k,
                    forest_pose *pose, long double (*column)[6])
{
  lc *moved = calloc((size_t)f->n + 1, sizeof *moved);
  for (int i = 0; i < f->n; i++) moved[i] = x[i];
  if (k >= 0) moved[k] += tiny_step * I;
  forest_poses(f, q, moved, pose);
  for (int b = 0; column && b < f->mechanism.bodies; b++) column_of(pose + b, column[b]);
  free(moved);
}

void forest_jacobian(const forest *f, const double *q, const long double *x, int b, long double *J)
{
  static forest_pose pose[FOREST_BODIES];
  static long double column[FOREST_BODIES][6];
  for (int k = 0; k < f->n; k++) {
    columns(f, q, x, k, pose, column);
    memcpy(J + 6 * k, column[b], sizeof column[b]);
  }
}

// I w in world axes, about the centre of mass.
static void inertia_times(const dls_rigid_body *body, const forest_pose *at, const long double *w,
                          long double *out)
{
  const double *J = body->inertia,
               A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
  long double local[3] = {0}, turned[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) local[i] += creall(at->R[k][i]) * w[k];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) turned[i] += A[i][k] * local[k];
  for (int i = 0; i < 3; i++) {
    out[i] = 0;
    for (int k = 0; k < 3; k++) out[i] += creall(at->R[i][k]) * turned[k];
  }
}

// Velocity of the point at c of the body.
static void point_column(const forest_pose *at, const double *c, const long double *J,
                         long double *out)
{
  long double r[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) r[i] += creall(at->R[i][k]) * c[k];
  out[0] = J[3] + J[1] * r[2] - J[2] * r[1], out[1] = J[4] + J[2] * r[0] - J[0] * r[2];
  out[2] = J[5] + J[0] * r[1] - J[1] * r[0];
}

// The armature of joints acts on velocities: of balls on T theta', which is what turns.
static void add_armature(const forest *f, const double *q, const long double *x, bool damping,
                         long double *M)
{
  for (int j = 0; j < f->mechanism.joints; j++) {
    const dls_joint *joint = f->joint + j;
    const double own = damping ? joint->damping : joint->armature;
    int v = f->joint_v[j];
    const int straight = joint->kind == DLS_JOINT_FREE ? 3 : joint->kind == DLS_JOINT_BALL ? 0 : 1;
    for (int k = 0; k < straight; k++, v++) M[v * f->n + v] += own;
    if (joint->kind >= DLS_JOINT_HINGE) continue;
    (void)q;
    long double T[3][6];
    for (int k = 0; k < 3; k++) {  // of exp(theta) alone
      lc theta[3] = {x[v], x[v + 1], x[v + 2]}, turn[4];
      theta[k] += tiny_step * I;
      forest_pose pose = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      exponential(theta, turn);
      turn_pose(&pose, turn);
      column_of(&pose, T[k]);
    }
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) M[(v + i) * f->n + v + k] += own * T[i][c] * T[k][c];
  }
}

void forest_mass(const forest *f, const double *q, const long double *x, long double *M)
{
  static forest_pose pose[FOREST_BODIES];
  const int n = f->n, bodies = f->mechanism.bodies;
  long double(*J)[FOREST_BODIES][6] = calloc((size_t)n + 1, sizeof *J);
  for (int k = 0; k < n; k++) columns(f, q, x, k, pose, J[k]);
  memset(M, 0, sizeof *M * (size_t)(n * n));
  for (int b = 0; b < bodies; b++)
    for (int j = 0; j < n; j++) {
      long double u[3], spin[3], w[3];
      inertia_times(f->body + b, pose + b, J[j][b], spin);
      point_column(pose + b, f->body[b].centre, J[j][b], u);
      for (int i = 0; i < n; i++) {
        point_column(pose + b, f->body[b].centre, J[i][b], w);
        for (int c = 0; c < 3; c++)
          M[i * n + j] += J[i][b][c] * spin[c] + f->body[b].mass * u[c] * w[c];
      }
    }
  free(J);
  add_armature(f, q, x, false, M);
}

// Whether a joint is between the body and the world.
static bool moves(const forest *f, int b)
{
  for (; b >= 0; b = f->body[b].parent)
    for (int j = 0; j < f->mechanism.joints; j++)
      if (f->joint[j].body == b) return true;
  return false;
}

long double forest_potential(const forest *f, const double *q, const long double *x)
{
  static forest_pose pose[FOREST_BODIES];
  const dls_mechanism *m = &f->mechanism;
  long double V = 0;
  columns(f, q, x, -1, pose, NULL);
  for (int b = 0; b < m->bodies; b++)
    for (int i = 0; moves(f, b) && i < 3; i++) {
      long double p = creall(pose[b].p[i]);
      for (int k = 0; k < 3; k++) p += creall(pose[b].R[i][k]) * f->body[b].centre[k];
      V -= (long double)f->body[b].mass * (1 - (long double)f->body[b].carried) * m->gravity[i] * p;
    }
  for (int j = 0; j < m->joints; j++)
    if (f->joint[j].kind >= DLS_JOINT_HINGE)
      V += f->joint[j].stiffness * powl(x[f->joint_v[j]] - f->joint[j].rest, 2) / 2;
  for (int t = 0; t < m->tendons; t++) {
    long double length = 0;
    for (int k = 0; k < 3; k++) length += f->gear[t][k] * x[f->joint_v[f->terms[t][k]]];
    const double *rest = f->tendon[t].rest;
    const long double over = length < rest[0]   ? length - rest[0]
                             : length > rest[1] ? length - rest[1]
                                                : 0;
    V += f->tendon[t].stiffness * over * over / 2;
  }
  return V;
}

// Differences of eighth order.
static const long double weights[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
static const long double step = 0.004L;

static void add_actuator(const forest *f, const double *q, const long double *x,
                         const double *x_dot, const dls_actuator *a, long double *R)
{
  const dls_tendon *tendon = f->tendon + a->of;
  const int j = a->of, v = a->kind == DLS_ACTUATOR_JOINT ? f->joint_v[j] : 0, n = f->n;
  const bool single = a->kind == DLS_ACTUATOR_JOINT && f->joint[j].kind >= DLS_JOINT_HINGE;
  long double length = 0, rate = 0, *way = calloc((size_t)n + 1, sizeof *way);
  if (single) length = a->gear[0] * x[v], rate = a->gear[0] * x_dot[v], way[v] = a->gear[0];
  for (int k = 0; a->kind == DLS_ACTUATOR_TENDON && k < tendon->terms; k++) {
    const int at = f->joint_v[tendon->joint[k]];
    const long double gear = (long double)a->gear[0] * tendon->gear[k];
    length += gear * x[at], rate += gear * x_dot[at], way[at] += gear;
  }
  if (a->kind == DLS_ACTUATOR_JOINT && !single) {
    const int straight = f->joint[j].kind == DLS_JOINT_FREE ? 3 : 0;
    for (int k = 0; k < straight; k++) way[v + k] = a->gear[k];
    const lc none = 0;
    (void)none;
    for (int k = 0; k < 3; k++) {
      lc theta[3] = {x[v + straight], x[v + straight + 1], x[v + straight + 2]}, turn[4];
      theta[k] += tiny_step * I;
      exponential(theta, turn);
      forest_pose pose = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      turn_pose(&pose, turn);
      long double w[6];
      column_of(&pose, w);  // before it turned: into the body's axes
      for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
          way[v + straight + k] += creall(pose.R[i][c]) * w[i] * a->gear[straight + c];
    }
  }
  if (a->kind == DLS_ACTUATOR_FRAME) {
    static forest_pose pose[FOREST_BODIES];
    static long double column[FOREST_BODIES][6];
    for (int k = 0; k < n; k++) {
      columns(f, q, x, k, pose, column);
      forest_pose at = pose[a->of];
      for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) at.R[i][c] = creall(at.R[i][c]);
      const double *u = a->frame.quaternion;
      turn_pose(&at, (const lc[]){u[0], u[1], u[2], u[3]});
      long double w[3];
      point_column(pose + a->of, a->frame.position, column[a->of], w);
      for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
          way[k] += creall(at.R[i][c]) * (a->gear[c] * w[i] + a->gear[3 + c] * column[a->of][i]);
    }
  }
  long double force =
      (long double)a->gain * a->control + a->bias[0] + a->bias[1] * length + a->bias[2] * rate;
  if (a->limited) force = fminl(fmaxl(force, a->range[0]), a->range[1]);
  for (int k = 0; k < n; k++) R[k] -= force * way[k];
  free(way);
}

void forest_forces(const forest *f, const double *q, const double *x, const double *x_dot,
                   const double *a, long double *R)
{
  const int n = f->n;
  const size_t square = (size_t)(n * n) + 1;
  long double *M = calloc(square, sizeof *M), *at = calloc((size_t)n + 1, sizeof *at);
  for (int k = 0; k < n; k++) at[k] = x[k], R[k] = 0;
  forest_mass(f, q, at, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; a && j < n; j++) R[i] += M[i * n + j] * a[j];
  memset(M, 0, sizeof *M * square);
  add_armature(f, q, at, true, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) R[i] += M[i * n + j] * x_dot[j];
  for (int i = 0; i < f->mechanism.actuators; i++)
    add_actuator(f, q, at, x_dot, f->actuator + i, R);
  for (int t = 0; t < f->mechanism.tendons; t++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        R[f->joint_v[f->terms[t][i]]] += (long double)f->gear[t][i] * f->gear[t][k] *
                                         f->tendon[t].damping * x_dot[f->joint_v[f->terms[t][k]]];
  // M' x', and grad (V - T)
  for (int d = -1; d < n; d++)
    for (int s = -4; s <= 4; s++) {
      if (s == 0) continue;
      const long double weight = (s > 0 ? 1 : -1) * weights[abs(s) - 1] / step;
      for (int k = 0; k < n; k++)
        at[k] = x[k] + s * step * (d < 0 ? (long double)x_dot[k] : (long double)(k == d));
      forest_mass(f, q, at, M);
      long double energy = 0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          if (d < 0) R[i] += weight * M[i * n + j] * x_dot[j];
          energy += M[i * n + j] * x_dot[i] * x_dot[j] / 2;
        }
      if (d >= 0) R[d] += weight * (forest_potential(f, q, at) - energy);
    }
  free(M), free(at);
}
