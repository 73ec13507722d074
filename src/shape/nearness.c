#include "shape/nearness.h"

#include "base/memory.h"
#include "linalg/vector3.h"
#include "shape/tolerances.h"

#include <math.h>

// ---- gaps ---------------------------------------------------------------------------------------

static void less_along(double d[3], const double e[3])
{
  const double along = dls_dot3(d, e);
  for (int i = 0; i < 3; i++) d[i] -= along * e[i];
}

static double length(const double d[3])
{
  return sqrt(dls_dot3(d, d));
}

static double scale_of(const dls_feature_place *p)
{
  return fabs(p->at[0]) + fabs(p->at[1]) + fabs(p->at[2]) + p->radius;
}

static bool between_lines(const dls_feature_place *a, const dls_feature_place *b, double n[3])
{
  double out[3];
  dls_cross(a->axis, b->axis, n);
  const double size = length(n);
  if (!(size > parallel_lines)) return false;
  for (int i = 0; i < 3; i++)
    out[i] = a->edged || b->edged ? b->out[i] - a->out[i] : a->at[i] - b->at[i];
  const double sign = dls_dot3(n, out) < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) n[i] *= sign / size;
  return true;
}

// The normal of a formula.
static bool normal_of(const dls_feature_place *a, const dls_feature_place *b, double n[3])
{
  if (a->kind == DLS_FEATURE_LINE && b->kind == DLS_FEATURE_LINE) return between_lines(a, b, n);
  for (int i = 0; i < 3; i++) n[i] = a->at[i] - b->at[i];
  for (int k = 0; k < 2; k++) {
    const dls_feature_place *p = k ? b : a;
    if (p->kind == DLS_FEATURE_LINE) less_along(n, p->axis), less_along(n, p->axis);
    if (p->kind != DLS_FEATURE_RIM) continue;
    double q[3];
    dls_copy(q, n, 3), less_along(q, p->axis);
    const double size = length(q);
    if (!(size > 0)) return false;
    for (int i = 0; i < 3; i++) n[i] -= p->radius * q[i] / size;
  }
  const double size = length(n);
  for (int i = 0; i < 3; i++) n[i] /= size;
  return size > concentric * (scale_of(a) + scale_of(b));
}

static double extent(const dls_feature_place *p, const double n[3])
{
  double x[3], d[3];
  if (p->kind == DLS_FEATURE_LINE) return p->radius;
  if (p->kind == DLS_FEATURE_FACE || !dls_feature_far(p, n, x)) return 0;
  for (int i = 0; i < 3; i++) d[i] = x[i] - p->at[i];
  return dls_dot3(d, n);
}

// Where two lines with the common normal n are nearest, without their radii.
static void points_of_lines(const dls_feature_place *a, const dls_feature_place *b,
                            dls_nearness *out)
{
  double d[3], k[3], y[3];
  for (int i = 0; i < 3; i++) d[i] = a->at[i] - b->at[i];
  dls_cross(a->axis, b->axis, k);
  const double square = dls_dot3(k, k);
  dls_cross(b->axis, k, y);
  const double s = -dls_dot3(d, y) / square;
  dls_cross(a->axis, k, y);
  const double t = -dls_dot3(d, y) / square;
  for (int i = 0; i < 3; i++) {
    out->x[0][i] = a->at[i] + s * a->axis[i] - a->radius * out->n[i];
    out->x[1][i] = b->at[i] + t * b->axis[i] + b->radius * out->n[i];
  }
}

static void nearest_points(const dls_feature_place *a, const dls_feature_place *b,
                           dls_nearness *out)
{
  const bool lines = a->kind == DLS_FEATURE_LINE && b->kind == DLS_FEATURE_LINE;
  if (lines) {
    points_of_lines(a, b, out);
    return;
  }
  const double back[3] = {-out->n[0], -out->n[1], -out->n[2]};
  dls_feature_far(a, back, out->x[0]), dls_feature_far(b, out->n, out->x[1]);
  const int wide = a->kind == DLS_FEATURE_LINE || a->kind == DLS_FEATURE_FACE   ? 0
                   : b->kind == DLS_FEATURE_LINE || b->kind == DLS_FEATURE_FACE ? 1
                                                                                : -1;
  for (int i = 0; i < 3 && wide >= 0; i++)
    out->x[wide][i] = out->x[1 - wide][i] + (wide ? -1 : 1) * out->gap * out->n[i];
}

static bool is_flat(const dls_feature_place *p)
{
  return p->kind == DLS_FEATURE_LINE || p->kind == DLS_FEATURE_FACE;
}

// A corner, edge or rim: without an inside.
static bool is_sharp(const dls_feature_place *p)
{
  return p->kind == DLS_FEATURE_RIM ||
         ((p->kind == DLS_FEATURE_POINT || p->kind == DLS_FEATURE_LINE) && p->radius == 0);
}

bool dls_nearness_of(const dls_feature_place *a, const dls_feature_place *b, dls_nearness *out)
{
  if (a->kind == DLS_FEATURE_NONE || b->kind == DLS_FEATURE_NONE) return false;
  const bool lines = a->kind == DLS_FEATURE_LINE && b->kind == DLS_FEATURE_LINE;
  if (is_flat(a) && is_flat(b) && !lines) return false;
  *out = (dls_nearness){0};
  // a point next to something sharp: all others have a normal where they touch
  out->distance = (is_sharp(a) && b->kind == DLS_FEATURE_POINT && b->radius == 0) ||
                  (is_sharp(b) && a->kind == DLS_FEATURE_POINT && a->radius == 0);
  dls_common_normal normal;
  if (b->kind == DLS_FEATURE_FACE) dls_copy(out->n, b->axis, 3);
  else if (a->kind == DLS_FEATURE_FACE)
    for (int i = 0; i < 3; i++) out->n[i] = -a->axis[i];
  else if (!dls_common_normal_needed(a->kind, b->kind)) {
    if (!normal_of(a, b, out->n)) return false;
  } else {
    if (!dls_common_normal_find(a, b, &normal)) return false;
    dls_copy(out->n, normal.n, 3);
  }
  const double back[3] = {-out->n[0], -out->n[1], -out->n[2]};
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = a->at[i] - b->at[i];
  out->gap = dls_dot3(out->n, d) - extent(a, back) - extent(b, out->n);
  nearest_points(a, b, out);
  return isfinite(out->gap + out->x[0][0] + out->x[1][0] + out->x[0][1] + out->x[1][1] +
                  out->x[0][2] + out->x[1][2]);
}

// ---- where on the features ----------------------------------------------------------------------

static const double *vertex_of(const dls_convex_mesh *mesh, int v)
{
  return &mesh->vertex[3 * (ptrdiff_t)v];
}

static bool in_face(const dls_convex_mesh *mesh, int f, const double x[3], double room)
{
  const double *normal = &mesh->normal[3 * (ptrdiff_t)f];
  for (int k = mesh->first[f]; k < mesh->first[f + 1]; k++) {
    const int next = k + 1 < mesh->first[f + 1] ? k + 1 : mesh->first[f];
    const double *from = vertex_of(mesh, mesh->corner[k]),
                 *to = vertex_of(mesh, mesh->corner[next]);
    double side[3], away[3], out[3];
    for (int i = 0; i < 3; i++) side[i] = to[i] - from[i], away[i] = x[i] - from[i];
    dls_cross(side, normal, out);
    if (dls_dot3(out, away) > room * length(side)) return false;
  }
  return true;
}

// Nothing of the solid lies farther along m than the vertex.
static bool vertex_leads(const dls_convex_mesh *mesh, int v, const double m[3], double room)
{
  for (int k = mesh->next_first[v]; k < mesh->next_first[v + 1]; k++) {
    const int *edge = mesh->edge[mesh->next[k]], to = edge[0] == v ? edge[1] : edge[0];
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = vertex_of(mesh, to)[i] - vertex_of(mesh, v)[i];
    if (dls_dot3(d, m) > room) return false;
  }
  return true;
}

// m is between the normals beside the edge: along each face it leads away from it.
static bool edge_leads(const dls_feature_place *place, const double m[3], double part)
{
  for (int k = 0; k < 2; k++) {
    double into[3];
    dls_cross(place->axis, place->side[k], into);
    const double sign = dls_dot3(into, place->side[1 - k]) > 0 ? -1 : 1;
    if (sign * dls_dot3(into, m) > part) return false;
  }
  return true;
}

// Which vertex, edge or face of the mesh a feature is.
static int mesh_part(const dls_posed *solid, int feature, dls_feature_kind kind)
{
  const dls_form *form = solid->form;
  const dls_convex_mesh *mesh = &form->mesh;
  if (form->kind == DLS_SOLID_HULL)
    return kind == DLS_FEATURE_POINT  ? feature
           : kind == DLS_FEATURE_LINE ? feature - mesh->vertices
                                      : feature - mesh->vertices - mesh->edges;
  const int count = kind == DLS_FEATURE_POINT ? 8 : kind == DLS_FEATURE_LINE ? 12 : 6;
  for (int k = 0; k < count; k++) {
    const int f = kind == DLS_FEATURE_POINT  ? dls_form_of_vertex(form, k)
                  : kind == DLS_FEATURE_LINE ? dls_form_of_edge(form, k)
                                             : dls_form_of_face(form, k);
    if (f == feature) return k;
  }
  return 0;
}

static double along_axis(const dls_feature_place *place, const double x[3])
{
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = x[i] - place->at[i];
  return dls_dot3(d, place->axis);
}

bool dls_feature_holds(const dls_posed *solid, int feature, const dls_feature_place *place,
                       const double x[3], double room)
{
  if (place->kind == DLS_FEATURE_LINE)
    return fabs(along_axis(place, x)) <= place->half_length + room;
  if (place->kind != DLS_FEATURE_FACE || solid->form->kind == DLS_SOLID_PLANE) return true;
  double d[3], local[3];
  for (int i = 0; i < 3; i++) d[i] = x[i] - solid->at.p[i];
  dls_posed_back(solid, d, local);
  if (solid->form->kind == DLS_SOLID_CYLINDER)
    return hypot(local[0], local[1]) <= solid->form->size[0] + room;
  return in_face(&solid->form->mesh, mesh_part(solid, feature, place->kind), local, room);
}

bool dls_feature_has(const dls_posed *solid, int feature, const dls_feature_place *place,
                     const double x[3], const double m[3], double room)
{
  if (!dls_feature_holds(solid, feature, place, x, room)) return false;
  const double size = dls_posed_size(solid), part = room / (size > 0 ? size : 1);
  if (solid->form->kind == DLS_SOLID_CAPSULE && place->kind == DLS_FEATURE_POINT) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = place->at[i] - solid->at.p[i];
    return dls_dot3(d, m) >= -room;
  }
  if (place->kind == DLS_FEATURE_RIM) return dls_dot3(place->axis, m) >= -part;
  if (place->edged) return edge_leads(place, m, part);
  if (!solid->form->polyhedral || place->kind != DLS_FEATURE_POINT) return true;
  double local[3];
  dls_posed_back(solid, m, local);
  return vertex_leads(&solid->form->mesh, mesh_part(solid, feature, place->kind), local, room);
}

// ---- what may be nearest ------------------------------------------------------------------------

static int at_vertex(const dls_posed *solid, int *feature, int most)
{
  const dls_form *form = solid->form;
  const dls_convex_mesh *mesh = &form->mesh;
  const int v = solid->vertex;
  int count = 0;
  feature[count++] = dls_form_of_vertex(form, v);
  for (int k = mesh->next_first[v]; k < mesh->next_first[v + 1] && count + 1 < most; k++) {
    const int e = mesh->next[k];
    feature[count++] = dls_form_of_edge(form, e);
    // counted from this end each face stands left of one edge
    feature[count++] = dls_form_of_face(form, mesh->edge_face[e][mesh->edge[e][0] == v ? 0 : 1]);
  }
  return count;
}

int dls_features_towards(const dls_posed *solid, const double m[3], int *feature, int most)
{
  double local[3];
  if (solid->form->polyhedral) return at_vertex(solid, feature, most);
  int count = 0;
  if (solid->form->kind == DLS_SOLID_CYLINDER) {
    dls_posed_back(solid, m, local);
    feature[count++] = DLS_CYLINDER_SIDE;
    for (int end = 0; end < 2; end++) {
      if ((end ? local[2] : -local[2]) < -0.1 * length(m)) continue;
      feature[count++] = DLS_CYLINDER_RIM + end;
      feature[count++] = DLS_CYLINDER_CAP + end;
    }
    return count;
  }
  const int all = dls_form_features(solid->form);
  for (; count < all && count < most; count++) feature[count] = count;
  return count;
}
