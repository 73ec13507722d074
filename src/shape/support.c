#include "shape/support.h"

#include "base/memory.h"
#include "linalg/vector3.h"

#include <math.h>

enum { FEW_VERTICES = 12 };  // are looked at all

dls_posed dls_posed_of(const dls_form *form, const dls_solid_motion *motion, const double origin[3])
{
  dls_posed solid = {.form = form};
  dls_copy(solid.at.R, motion->R, 9);
  for (int i = 0; i < 3; i++) solid.at.p[i] = motion->p[i] - origin[i];
  if (form->kind == DLS_SOLID_SPHERE || form->kind == DLS_SOLID_CAPSULE)
    solid.radius = form->size[0];
  return solid;
}

void dls_posed_back(const dls_posed *solid, const double x[3], double local[3])
{
  const double *R = solid->at.R;
  for (int i = 0; i < 3; i++) local[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

double dls_posed_size(const dls_posed *solid)
{
  return isfinite(solid->form->radius) ? solid->form->radius : 0;
}

static int best_of_all(const dls_convex_mesh *mesh, const double m[3])
{
  int best = 0;
  double most = -INFINITY;
  for (int v = 0; v < mesh->vertices; v++) {
    const double d = dls_dot3(m, &mesh->vertex[3 * (ptrdiff_t)v]);
    if (d > most) most = d, best = v;
  }
  return best;
}

int dls_mesh_far(const dls_convex_mesh *mesh, int vertex, const double m[3])
{
  if (mesh->vertices <= FEW_VERTICES) return best_of_all(mesh, m);
  double most = dls_dot3(m, &mesh->vertex[3 * (ptrdiff_t)vertex]);
  for (int from = -1; from != vertex;) {
    from = vertex;
    for (int k = mesh->next_first[from]; k < mesh->next_first[from + 1]; k++) {
      const int *edge = mesh->edge[mesh->next[k]], to = edge[0] == from ? edge[1] : edge[0];
      const double d = dls_dot3(m, &mesh->vertex[3 * (ptrdiff_t)to]);
      if (d > most) most = d, vertex = to;
    }
  }
  return vertex;
}

static void far_inside(dls_posed *solid, const double m[3], double x[3])
{
  const double *size = solid->form->size;
  dls_clear(x, 3);
  switch (solid->form->kind) {
  case DLS_SOLID_CAPSULE: x[2] = m[2] > 0 ? size[1] : -size[1]; return;
  case DLS_SOLID_CYLINDER: {
    const double radial = hypot(m[0], m[1]);
    for (int i = 0; i < 2 && radial > 0; i++) x[i] = size[0] * m[i] / radial;
    x[2] = m[2] > 0 ? size[1] : -size[1];
    return;
  }
  case DLS_SOLID_ELLIPSOID: {
    const double s = hypot(hypot(size[0] * m[0], size[1] * m[1]), size[2] * m[2]);
    for (int i = 0; i < 3 && s > 0; i++) x[i] = size[i] * (size[i] * m[i] / s);
    return;
  }
  case DLS_SOLID_BOX:
  case DLS_SOLID_HULL:
    solid->vertex = dls_mesh_far(&solid->form->mesh, solid->vertex, m);
    dls_copy(x, &solid->form->mesh.vertex[3 * (ptrdiff_t)solid->vertex], 3);
    return;
  default: return;
  }
}

void dls_posed_far(dls_posed *solid, const double m[3], double x[3])
{
  double local[3], inside[3];
  dls_posed_back(solid, m, local);
  far_inside(solid, local, inside);
  for (int i = 0; i < 3; i++) x[i] = solid->at.p[i] + dls_dot3(&solid->at.R[3 * i], inside);
}
