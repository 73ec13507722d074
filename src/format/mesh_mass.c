// What a mesh weighs, as MuJoCo does it: cones from a middle to each triangle.
#include "format/mesh.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *corner(const dls_mesh *mesh, int triangle, int k)
{
  return mesh->point + 3 * (ptrdiff_t)mesh->corner[3 * (ptrdiff_t)triangle + k];
}

// Corners relative to the middle, their mean, and the area times the normal.
typedef struct facet {
  double p[3][3], mean[3], area[3];
} facet;

static facet facet_of(const dls_mesh *mesh, int triangle, const double *middle)
{
  facet f;
  for (int k = 0; k < 3; k++) {
    const double *p = corner(mesh, triangle, k);
    for (int i = 0; i < 3; i++) f.p[k][i] = p[i] - middle[i];
  }
  for (int i = 0; i < 3; i++) f.mean[i] = (f.p[0][i] + f.p[1][i] + f.p[2][i]) / 3;
  double a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = f.p[1][i] - f.p[0][i];
    b[i] = f.p[2][i] - f.p[0][i];
  }
  f.area[0] = (a[1] * b[2] - a[2] * b[1]) / 2;
  f.area[1] = (a[2] * b[0] - a[0] * b[2]) / 2;
  f.area[2] = (a[0] * b[1] - a[1] * b[0]) / 2;
  return f;
}

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Mass of the triangle, or of the cone on it.
static double weigh(const facet *f, dls_mesh_weight weight)
{
  if (weight == DLS_MESH_SHELL) return sqrt(dot(f->area, f->area));
  const double volume = dot(f->mean, f->area) / 3;
  return weight == DLS_MESH_LEGACY ? fabs(volume) : volume;
}

// The mean of the surface.
static void surface_middle(const dls_mesh *mesh, double middle[3])
{
  static const double origin[3] = {0};
  double sum = 0, moment[3] = {0};
  for (int t = 0; t < mesh->triangles; t++) {
    const facet f = facet_of(mesh, t, origin);
    const double area = weigh(&f, DLS_MESH_SHELL);
    sum += area;
    for (int i = 0; i < 3; i++) moment[i] += area * f.mean[i];
  }
  for (int i = 0; i < 3; i++) middle[i] = sum > 0 ? moment[i] / sum : 0;
}

// Second moments of the triangle or cone with its apex at the middle: integrals of products of
// linear functions over a simplex are (sum of p_i q_i + sum p sum q) / ((d + 1)(d + 2)).
static void add_moments(const facet *f, double mass, bool shell, double P[6])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double count = shell ? 12 : 20;
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    double sum = 9 * f->mean[i] * f->mean[j];
    for (int c = 0; c < 3; c++) sum += f->p[c][i] * f->p[c][j];
    P[k] += mass / count * sum;
  }
}

dls_mass dls_mesh_mass(const dls_mesh *mesh, dls_mesh_weight weight)
{
  dls_mass m = {0};
  double middle[3], moment[3] = {0}, sum = 0;
  surface_middle(mesh, middle);
  const double share = weight == DLS_MESH_SHELL ? 1 : 0.75;
  for (int t = 0; t < mesh->triangles; t++) {
    const facet f = facet_of(mesh, t, middle);
    const double mass = weigh(&f, weight);
    sum += mass;
    for (int i = 0; i < 3; i++) moment[i] += mass * share * f.mean[i];
  }
  if (!(sum > 0)) return m;
  for (int i = 0; i < 3; i++) m.centre[i] = middle[i] + moment[i] / sum;
  double P[6] = {0};
  for (int t = 0; t < mesh->triangles; t++) {
    const facet f = facet_of(mesh, t, m.centre);
    const double mass = weigh(&f, weight);
    m.mass += mass;
    add_moments(&f, mass, weight == DLS_MESH_SHELL, P);
  }
  const double inertia[6] = {P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
  memcpy(m.inertia, inertia, sizeof inertia);
  return m;
}
