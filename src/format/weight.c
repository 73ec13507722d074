#include "format/weight.h"

#include "format/turn.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double volume(dls_solid_kind kind, const double *s)
{
  switch (kind) {
  case DLS_SOLID_SPHERE: return 4 * pi / 3 * s[0] * s[0] * s[0];
  case DLS_SOLID_CAPSULE: return pi * s[0] * s[0] * (s[1] + 4 * s[0] / 3);
  case DLS_SOLID_CYLINDER: return pi * s[0] * s[0] * s[1];
  case DLS_SOLID_ELLIPSOID: return 4 * pi / 3 * s[0] * s[1] * s[2];
  case DLS_SOLID_BOX: return s[0] * s[1] * s[2];
  case DLS_SOLID_PLANE:
  case DLS_SOLID_HULL: break;
  }
  return 0;
}

// Of an ellipsoid after Thomsen, within 1.1 %, which is what MuJoCo weighs it with.
static double area(dls_solid_kind kind, const double *s)
{
  const double p = 1.6075;
  switch (kind) {
  case DLS_SOLID_SPHERE: return 4 * pi * s[0] * s[0];
  case DLS_SOLID_CAPSULE: return 2 * pi * s[0] * (2 * s[0] + s[1]);
  case DLS_SOLID_CYLINDER: return 2 * pi * s[0] * (s[0] + s[1]);
  case DLS_SOLID_ELLIPSOID:
    return 4 * pi *
           pow((pow(s[0] * s[1], p) + pow(s[1] * s[2], p) + pow(s[2] * s[0], p)) / 3, 1 / p);
  case DLS_SOLID_BOX: return 2 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]);
  case DLS_SOLID_PLANE:
  case DLS_SOLID_HULL: break;
  }
  return 0;
}

double dls_mass_measure(dls_solid_kind kind, const double *size, bool shell)
{
  return shell ? area(kind, size) : volume(kind, size);
}

// From the second moments: of x^2, y^2 and z^2 over the mass.
static void of_squares(double x, double y, double z, double moments[3])
{
  moments[0] = y + z;
  moments[1] = x + z;
  moments[2] = x + y;
}

static void solid_moments(dls_solid_kind kind, const double *s, double moments[3])
{
  const double a = s[0] * s[0];
  switch (kind) {
  case DLS_SOLID_SPHERE: of_squares(a / 5, a / 5, a / 5, moments); return;
  case DLS_SOLID_CAPSULE: {
    // shares of the cylinder and of the two halves of a sphere, whose centres are 3/8 r inside
    const double l = s[1], ball = 4 * s[0] / (4 * s[0] + 3 * l), tube = 1 - ball;
    const double across = tube * a / 4 + ball * a / 5;
    const double along = tube * l * l / 12 + ball * (a / 5 + l * l / 4 + 3 * l * s[0] / 8);
    of_squares(across, across, along, moments);
    return;
  }
  case DLS_SOLID_CYLINDER: of_squares(a / 4, a / 4, s[1] * s[1] / 12, moments); return;
  case DLS_SOLID_ELLIPSOID: of_squares(a / 5, s[1] * s[1] / 5, s[2] * s[2] / 5, moments); return;
  case DLS_SOLID_BOX: of_squares(a / 12, s[1] * s[1] / 12, s[2] * s[2] / 12, moments); return;
  case DLS_SOLID_PLANE:
  case DLS_SOLID_HULL: break;
  }
  memset(moments, 0, 3 * sizeof *moments);
}

// The sides of a box: those normal to axis k weigh like the product of the other two lengths.
static void box_shell_moments(const double *s, double moments[3])
{
  const double side[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
  const double all = side[0] + side[1] + side[2];
  double square[3];
  for (int k = 0; k < 3; k++) square[k] = s[k] * s[k] * (side[k] / 4 + (all - side[k]) / 12) / all;
  of_squares(square[0], square[1], square[2], moments);
}

// A layer of the same thickness everywhere: how V <x^2> = V a^2/5 changes as all axes grow alike,
// over how V does.
static void ellipsoid_shell_moments(const double *s, double moments[3])
{
  const double growth = 1 / s[0] + 1 / s[1] + 1 / s[2];
  double square[3];
  for (int k = 0; k < 3; k++) square[k] = (s[k] * s[k] + 2 * s[k] / growth) / 5;
  of_squares(square[0], square[1], square[2], moments);
}

static void shell_moments(dls_solid_kind kind, const double *s, double moments[3])
{
  const double a = s[0] * s[0], l = s[1];
  switch (kind) {
  case DLS_SOLID_SPHERE: of_squares(a / 3, a / 3, a / 3, moments); return;
  case DLS_SOLID_CAPSULE: {
    // centres of the half spheres are r/2 inside
    const double ball = 2 * s[0] / (2 * s[0] + l), tube = 1 - ball;
    const double across = tube * a / 2 + ball * a / 3;
    const double along = tube * l * l / 12 + ball * (a / 3 + l * l / 4 + l * s[0] / 2);
    of_squares(across, across, along, moments);
    return;
  }
  case DLS_SOLID_CYLINDER: {
    const double lids = s[0] / (s[0] + l), tube = 1 - lids;
    const double across = tube * a / 2 + lids * a / 4;
    of_squares(across, across, tube * l * l / 12 + lids * l * l / 4, moments);
    return;
  }
  case DLS_SOLID_ELLIPSOID: ellipsoid_shell_moments(s, moments); return;
  case DLS_SOLID_BOX: box_shell_moments(s, moments); return;
  case DLS_SOLID_PLANE:
  case DLS_SOLID_HULL: break;
  }
  memset(moments, 0, 3 * sizeof *moments);
}

void dls_mass_moments(dls_solid_kind kind, const double *size, bool shell, double moments[3])
{
  if (shell) shell_moments(kind, size, moments);
  else solid_moments(kind, size, moments);
}

// ---- put together ------------------------------------------------------------------------------

static void to_matrix(const double inertia[6], double m[9])
{
  const double *i = inertia;
  const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
  memcpy(m, full, sizeof full);
}

// R I R^T
static void turn_inertia(const double quaternion[4], const double inertia[6], double out[6])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double R[9], I[9];
  dls_turn_matrix(quaternion, R);
  to_matrix(inertia, I);
  for (int k = 0; k < 6; k++) {
    out[k] = 0;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) out[k] += R[3 * row[k] + i] * I[3 * i + j] * R[3 * column[k] + j];
    }
  }
}

// What a point of that mass so far from the centre adds.
static void add_point(double mass, const double d[3], double inertia[6])
{
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  for (int k = 0; k < 3; k++) inertia[k] += mass * (square - d[k] * d[k]);
  inertia[3] -= mass * d[0] * d[1];
  inertia[4] -= mass * d[0] * d[2];
  inertia[5] -= mass * d[1] * d[2];
}

dls_mass dls_mass_in(const dls_pose *pose, const dls_mass *mass)
{
  dls_mass out = {.mass = mass->mass};
  dls_pose_point(pose, mass->centre, out.centre);
  turn_inertia(pose->quaternion, mass->inertia, out.inertia);
  return out;
}

dls_mass dls_mass_sum(const dls_mass *a, const dls_mass *b)
{
  dls_mass out = {.mass = a->mass + b->mass};
  if (!(out.mass > 0)) return (dls_mass){0};
  for (int k = 0; k < 3; k++)
    out.centre[k] = (a->mass * a->centre[k] + b->mass * b->centre[k]) / out.mass;
  for (int k = 0; k < 6; k++) out.inertia[k] = a->inertia[k] + b->inertia[k];
  for (int part = 0; part < 2; part++) {
    const dls_mass *m = part == 0 ? a : b;
    const double d[3] = {m->centre[0] - out.centre[0], m->centre[1] - out.centre[1],
                         m->centre[2] - out.centre[2]};
    add_point(m->mass, d, out.inertia);
  }
  return out;
}

// ---- principal axes ----------------------------------------------------------------------------

// One rotation of Jacobi's method in the plane of axes i and j; V collects them.
static void rotate(double A[9], double V[9], int i, int j)
{
  const double off = A[3 * i + j];
  if (off == 0) return;
  const double theta = (A[4 * j] - A[4 * i]) / (2 * off);
  const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    const double x = A[3 * k + i], y = A[3 * k + j];
    A[3 * k + i] = c * x - s * y;
    A[3 * k + j] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    const double x = A[3 * i + k], y = A[3 * j + k];
    A[3 * i + k] = c * x - s * y;
    A[3 * j + k] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    const double x = V[3 * k + i], y = V[3 * k + j];
    V[3 * k + i] = c * x - s * y;
    V[3 * k + j] = s * x + c * y;
  }
}

void dls_mass_principal(const double inertia[6], double moments[3], double quaternion[4])
{
  enum { SWEEPS = 30 };  // the method converges quadratically; five are usual
  double A[9], V[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  to_matrix(inertia, A);
  for (int k = 0; k < SWEEPS; k++) {
    const double size = fabs(A[0]) + fabs(A[4]) + fabs(A[8]);
    const double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]);
    if (!(off > 1e-300) || off <= 1e-18 * size) break;
    rotate(A, V, 0, 1);
    rotate(A, V, 0, 2);
    rotate(A, V, 1, 2);
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2 - i; j++) {
      if (A[4 * order[j]] >= A[4 * order[j + 1]]) continue;
      const int swap = order[j];
      order[j] = order[j + 1];
      order[j + 1] = swap;
    }
  }
  double R[9];
  for (int k = 0; k < 3; k++) {
    moments[k] = A[4 * order[k]];
    for (int i = 0; i < 3; i++) R[3 * i + k] = V[3 * i + order[k]];
  }
  // right-handed
  R[2] = R[3] * R[7] - R[6] * R[4];
  R[5] = R[6] * R[1] - R[0] * R[7];
  R[8] = R[0] * R[4] - R[3] * R[1];
  dls_turn_of_matrix(R, quaternion);
}

void dls_mass_of_principal(const double moments[3], const double quaternion[4], double inertia[6])
{
  const double diagonal[6] = {moments[0], moments[1], moments[2], 0, 0, 0};
  turn_inertia(quaternion, diagonal, inertia);
}
