#include "shape/patch.h"

#include "base/memory.h"
#include "linalg/vector3.h"

#include <math.h>

// Sine of the tilt of a cylinder up to which it stands flat in any case: the lowest point of its
// rim has half of the digits there. And that up to which it may.
static const double upright = 1e-8, nearly_upright = 0.2;
// Cosine of the angle between axis and direction up to which a cylinder lies on its side.
static const double lying = 0.5;

static void add_point(dls_patch *patch, int feature)
{
  if (patch->points < DLS_PATCH_POINTS) patch->point[patch->points++] = feature;
}

static void add_line(dls_patch *patch, int feature)
{
  if (patch->lines < DLS_PATCH_POINTS) patch->line[patch->lines++] = feature;
}

static dls_patch of_cylinder(const dls_form *form, const double m[3], double reach)
{
  dls_patch patch = {.face = -1};
  const double tilt = hypot(m[0], m[1]);
  const int end = m[2] > 0 ? 1 : 0;
  if (tilt <= upright || (tilt <= nearly_upright && 2 * form->size[0] * tilt <= reach)) {
    patch.face = DLS_CYLINDER_CAP + end;
    for (int k = 0; k < DLS_RIM_POINTS; k++) {
      add_point(&patch, DLS_CYLINDER_POINT + end * DLS_RIM_POINTS + k);
      add_line(&patch, DLS_CYLINDER_CHORD + end * DLS_RIM_POINTS + k);
    }
    if (tilt > upright) add_point(&patch, DLS_CYLINDER_RIM + end);
  } else if (fabs(m[2]) <= lying) {
    add_point(&patch, DLS_CYLINDER_RIM), add_point(&patch, DLS_CYLINDER_RIM + 1);
    add_line(&patch, DLS_CYLINDER_SIDE);
  } else {
    add_point(&patch, DLS_CYLINDER_RIM + end);
  }
  return patch;
}

// The face at a vertex that looks most along m.
static int face_towards(const dls_convex_mesh *mesh, int vertex, const double m[3])
{
  int best = -1;
  double most = -INFINITY;
  for (int k = mesh->next_first[vertex]; k < mesh->next_first[vertex + 1]; k++)
    for (int side = 0; side < 2; side++) {
      const int f = mesh->edge_face[mesh->next[k]][side];
      const double along = dls_dot3(m, &mesh->normal[3 * (ptrdiff_t)f]);
      if (along > most || (along == most && f < best)) most = along, best = f;
    }
  return best;
}

// Of a face with more corners than there is room for only some, and no edges.
static dls_patch of_face(const dls_form *form, int face)
{
  const dls_convex_mesh *mesh = &form->mesh;
  dls_patch patch = {.face = dls_form_of_face(form, face)};
  const int first = mesh->first[face], count = mesh->first[face + 1] - first;
  const int step = (count + DLS_PATCH_POINTS - 1) / DLS_PATCH_POINTS;
  for (int k = 0; k < count; k += step) {
    add_point(&patch, dls_form_of_vertex(form, mesh->corner[first + k]));
    if (step == 1) add_line(&patch, dls_form_of_edge(form, mesh->side[first + k]));
  }
  return patch;
}

dls_patch dls_patch_towards(dls_posed *solid, const double m[3], double reach)
{
  const dls_form *form = solid->form;
  dls_patch patch = {.face = -1};
  double local[3];
  dls_posed_back(solid, m, local);
  switch (form->kind) {
  case DLS_SOLID_PLANE: patch.face = 0; return patch;
  case DLS_SOLID_CAPSULE:
    add_point(&patch, 1), add_point(&patch, 2), add_line(&patch, 0);
    return patch;
  case DLS_SOLID_CYLINDER: return of_cylinder(form, local, reach);
  case DLS_SOLID_BOX:
  case DLS_SOLID_HULL:
    solid->vertex = dls_mesh_far(&form->mesh, solid->vertex, local);
    return of_face(form, face_towards(&form->mesh, solid->vertex, local));
  default: add_point(&patch, 0); return patch;
  }
}

// ---- above a plane ------------------------------------------------------------------------------

static bool is_listed(const int *list, int count, int vertex)
{
  for (int k = 0; k < count; k++)
    if (list[k] == vertex) return true;
  return false;
}

static double depth(const dls_convex_mesh *mesh, int vertex, const double m[3])
{
  return dls_dot3(m, &mesh->vertex[3 * (ptrdiff_t)vertex]);
}

// The list is full: the new one takes the place of the one that lies least far.
static void replace_least(const dls_convex_mesh *mesh, const double m[3], int *list, int count,
                          int vertex)
{
  int least = 0;
  for (int k = 1; k < count; k++)
    if (depth(mesh, list[k], m) < depth(mesh, list[least], m)) least = k;
  if (depth(mesh, vertex, m) > depth(mesh, list[least], m)) list[least] = vertex;
}

// Vertices that lie far enough are joined by edges among them: a walk from the farthest.
static int walk(const dls_convex_mesh *mesh, int from, const double m[3], double least, int *list)
{
  int count = 0;
  list[count++] = from;
  for (int done = 0; done < count; done++) {
    const int v = list[done];
    for (int k = mesh->next_first[v]; k < mesh->next_first[v + 1]; k++) {
      const int *edge = mesh->edge[mesh->next[k]], to = edge[0] == v ? edge[1] : edge[0];
      if (depth(mesh, to, m) < least || is_listed(list, count, to)) continue;
      if (count < DLS_PATCH_POINTS) list[count++] = to;
      else replace_least(mesh, m, list, count, to);
    }
  }
  return count;
}

dls_patch dls_patch_within(dls_posed *solid, const double m[3], double reach)
{
  const dls_form *form = solid->form;
  if (!form->polyhedral) return dls_patch_towards(solid, m, reach);
  const dls_convex_mesh *mesh = &form->mesh;
  dls_patch patch = {.face = -1};
  double local[3];
  dls_posed_back(solid, m, local);
  solid->vertex = dls_mesh_far(mesh, solid->vertex, local);
  const double least = depth(mesh, solid->vertex, local) - reach;
  int list[DLS_PATCH_POINTS];
  const int count = walk(mesh, solid->vertex, local, least, list);
  for (int k = 0; k < count; k++) add_point(&patch, dls_form_of_vertex(form, list[k]));
  return patch;
}
