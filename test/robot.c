#include "robot.h"

#include "body/tree.h"

#include <stdlib.h>
#include <string.h>

static int count_velocities(const dls_mechanism *m)
{
  int sum = 0;
  for (int k = 0; k < m->joints; k++)
    sum += m->joint[k].kind == DLS_JOINT_FREE ? 6 : m->joint[k].kind == DLS_JOINT_BALL ? 3 : 1;
  return sum;
}

static void *zeros(int count, size_t size)
{
  return calloc((size_t)count + 1, size);
}

bool robot_make(robot *r, const dls_import *import)
{
  const dls_mechanism *m = &import->mechanism;
  memset(r, 0, sizeof *r);
  r->import = import;
  r->nv = count_velocities(m);
  for (int k = 0; k < m->joints; k++)
    r->nq += m->joint[k].kind == DLS_JOINT_FREE ? 7 : m->joint[k].kind == DLS_JOINT_BALL ? 4 : 1;
  r->M = zeros(r->nv * r->nv, sizeof *r->M);
  r->bias = zeros(r->nv, sizeof *r->bias);
  r->passive = zeros(r->nv, sizeof *r->passive);
  r->actuator = zeros(r->nv, sizeof *r->actuator);
  r->R = zeros(m->bodies, sizeof *r->R);
  r->p = zeros(m->bodies, sizeof *r->p);
  return true;
}

void robot_free(robot *r)
{
  free(r->M), free(r->bias), free(r->passive), free(r->actuator);
  free(r->R), free(r->p);
}

// F of a mechanism, and M and poses.
static bool evaluate(robot *r, const dls_mechanism *m, const double *q, const double *v, double *F)
{
  dls_tree *tree = NULL;
  dls_message message;
  if (dls_tree_create(m, &tree, &message)) return false;
  double *x = zeros(r->nv, sizeof *x), *x_dot = zeros(r->nv, sizeof *x_dot);
  double *entries = zeros(tree->mass.p[r->nv], sizeof *entries);
  bool good = !dls_tree_centre(tree, q, &message) && !dls_tree_enter(tree, q, v, x, x_dot) &&
              !dls_tree_move(tree, x, x_dot, NULL, false);
  if (good) {
    dls_tree_mass(tree, entries, NULL);
    dls_tree_forces(tree, F, NULL);
  }
  for (int j = 0; good && j < r->nv; j++) {
    for (int e = tree->mass.p[j]; e < tree->mass.p[j + 1]; e++)
      r->M[tree->mass.i[e] * r->nv + j] = entries[e];
  }
  for (int b = 0; good && b < m->bodies; b++) {
    dls_solid_motion motion;
    dls_tree_motion(tree, b, NULL, &motion, NULL);
    memcpy(r->R[b], motion.R, sizeof motion.R);
    memcpy(r->p[b], motion.p, sizeof motion.p);
  }
  free(x), free(x_dot), free(entries);
  dls_tree_free(tree);
  return good;
}

// Without springs, dampers and carried weights.
static void strip(const dls_mechanism *m, dls_mechanism *out)
{
  dls_joint *joint = zeros(m->joints, sizeof *joint);
  dls_rigid_body *body = zeros(m->bodies, sizeof *body);
  if (m->joints) memcpy(joint, m->joint, (size_t)m->joints * sizeof *joint);
  if (m->bodies) memcpy(body, m->body, (size_t)m->bodies * sizeof *body);
  for (int k = 0; k < m->joints; k++) joint[k].stiffness = joint[k].damping = 0;
  for (int k = 0; k < m->bodies; k++) body[k].carried = 0;
  *out = *m;
  out->joint = joint;
  out->body = body;
  out->tendons = out->actuators = 0;
}

bool robot_at(robot *r, const double *q, const double *v, const double *control)
{
  dls_mechanism stripped, driven = r->import->mechanism, passive = driven;
  strip(&driven, &stripped);
  passive.actuators = 0;
  dls_actuator *actuator = zeros(driven.actuators, sizeof *actuator);
  for (int k = 0; k < driven.actuators; k++) {
    actuator[k] = driven.actuator[k];
    if (control) actuator[k].control = control[k];
  }
  driven.actuator = actuator;
  double *F = zeros(r->nv, sizeof *F), *with = zeros(r->nv, sizeof *with);
  memset(r->M, 0, (size_t)(r->nv * r->nv) * sizeof *r->M);
  const bool good = evaluate(r, &stripped, q, v, r->bias) && evaluate(r, &passive, q, v, F) &&
                    evaluate(r, &driven, q, v, with);
  for (int k = 0; k < r->nv; k++) {
    r->passive[k] = r->bias[k] - F[k];
    r->actuator[k] = F[k] - with[k];
  }
  free(F), free(with), free(actuator);
  free((void *)stripped.joint), free((void *)stripped.body);
  return good;
}
