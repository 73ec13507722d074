// What the features of a solid are, in its own frame.                                 eq (gap.2)
#include "shape/form.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

// Coordinates of a point of the rim and of a middle of a chord are products of rounded numbers.
static const double rounding = 4 * DBL_EPSILON;

static dls_feature capsule_feature(const dls_form *form, int feature)
{
  dls_feature f = {.kind = DLS_FEATURE_POINT, .radius = form->size[0]};
  if (feature == 0) {
    f.kind = DLS_FEATURE_LINE, f.axis[2] = 1, f.half_length = form->size[1];
    return f;
  }
  f.at[2] = feature == 1 ? -form->size[1] : form->size[1];
  return f;
}

static void rim_point(const dls_form *form, int k, double x[2])
{
  static const double cosine[DLS_RIM_POINTS / 4 + 1] = {1, 0.86602540378443864676, 0.5, 0};
  const int quarter = DLS_RIM_POINTS / 4, m = k % quarter;
  const double c = form->size[0] * cosine[m], s = form->size[0] * cosine[quarter - m];
  switch (k / quarter % 4) {
  case 0: x[0] = c, x[1] = s; return;
  case 1: x[0] = -s, x[1] = c; return;
  case 2: x[0] = -c, x[1] = -s; return;
  default: x[0] = s, x[1] = -c;
  }
}

static dls_feature chord(const dls_form *form, int k, double end)
{
  dls_feature f = {.kind = DLS_FEATURE_LINE, .edged = true};
  double from[2], to[2];
  rim_point(form, k, from), rim_point(form, k + 1, to);
  const double length = hypot(to[0] - from[0], to[1] - from[1]);
  for (int i = 0; i < 2; i++) {
    f.at[i] = from[i] / 2 + to[i] / 2, f.at_error[i] = rounding * form->size[0];
    f.axis[i] = (to[i] - from[i]) / length, f.axis_error[i] = 4 * rounding;
  }
  f.at[2] = end * form->size[1], f.half_length = length / 2;
  f.side[0][2] = end;
  f.side[1][0] = f.axis[1], f.side[1][1] = -f.axis[0];  // outwards, in the plane of the cap
  return f;
}

static dls_feature cylinder_feature(const dls_form *form, int feature)
{
  dls_feature f = {.kind = DLS_FEATURE_LINE};
  f.axis[2] = 1;
  if (feature == DLS_CYLINDER_SIDE) {
    f.radius = form->size[0], f.half_length = form->size[1];
    return f;
  }
  if (feature >= DLS_CYLINDER_CHORD) {
    const int k = feature - DLS_CYLINDER_CHORD;
    return chord(form, k % DLS_RIM_POINTS, k < DLS_RIM_POINTS ? -1 : 1);
  }
  if (feature >= DLS_CYLINDER_POINT) {
    const int k = feature - DLS_CYLINDER_POINT;
    f = (dls_feature){.kind = DLS_FEATURE_POINT};
    rim_point(form, k % DLS_RIM_POINTS, f.at);
    f.at[2] = k < DLS_RIM_POINTS ? -form->size[1] : form->size[1];
    f.at_error[0] = f.at_error[1] = rounding * form->size[0];
    return f;
  }
  const double end = feature == DLS_CYLINDER_RIM || feature == DLS_CYLINDER_CAP ? -1 : 1;
  f.kind = feature < DLS_CYLINDER_CAP ? DLS_FEATURE_RIM : DLS_FEATURE_FACE;
  f.at[2] = end * form->size[1];
  f.axis[2] = end;
  f.radius = f.kind == DLS_FEATURE_RIM ? form->size[0] : 0;
  return f;
}

static dls_feature box_feature(const dls_form *form, int feature)
{
  int sign[3], zeros = 0, along = 0;
  for (int i = 0; i < 3; i++, feature /= 3) {
    sign[i] = feature % 3 - 1;
    if (sign[i] == 0) zeros++, along = i;
  }
  dls_feature f = {0};
  for (int i = 0; i < 3; i++) f.at[i] = sign[i] * form->size[i];
  if (zeros == 0) f.kind = DLS_FEATURE_POINT;
  if (zeros == 1) {
    f.kind = DLS_FEATURE_LINE, f.edged = true, f.half_length = form->size[along];
    f.axis[along] = 1;
    f.side[0][(along + 1) % 3] = sign[(along + 1) % 3];
    f.side[1][(along + 2) % 3] = sign[(along + 2) % 3];
  }
  if (zeros == 2) {
    f.kind = DLS_FEATURE_FACE;
    for (int i = 0; i < 3; i++) f.axis[i] = sign[i];
  }
  return f;
}

static dls_feature hull_edge(const dls_convex_mesh *mesh, int e)
{
  dls_feature f = {.kind = DLS_FEATURE_LINE, .edged = true};
  const double *x = &mesh->vertex[3 * (ptrdiff_t)mesh->edge[e][0]];
  const double *y = &mesh->vertex[3 * (ptrdiff_t)mesh->edge[e][1]];
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = y[i] - x[i];
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  f.half_length = length / 2;
  for (int i = 0; i < 3; i++) {
    f.at[i] = x[i] / 2 + y[i] / 2, f.at_error[i] = DBL_EPSILON * fabs(f.at[i]) + DBL_MIN;
    f.axis[i] = d[i] / length, f.axis_error[i] = rounding * (fabs(f.axis[i]) + DBL_MIN);
    for (int k = 0; k < 2; k++)
      f.side[k][i] = mesh->normal[3 * (ptrdiff_t)mesh->edge_face[e][k] + i];
  }
  return f;
}

static dls_feature hull_feature(const dls_form *form, int feature)
{
  const dls_convex_mesh *mesh = &form->mesh;
  const int e = feature - mesh->vertices, face = e - mesh->edges;
  if (e >= 0 && face < 0) return hull_edge(mesh, e);
  dls_feature f = {.kind = DLS_FEATURE_POINT};
  if (e < 0) {
    dls_copy(f.at, &mesh->vertex[3 * (ptrdiff_t)feature], 3);
    return f;
  }
  f.kind = DLS_FEATURE_FACE;
  dls_copy(f.at, &mesh->middle[3 * (ptrdiff_t)face], 3);
  dls_copy(f.axis, &mesh->normal[3 * (ptrdiff_t)face], 3);
  dls_copy(f.axis_error, &mesh->normal_error[3 * (ptrdiff_t)face], 3);
  for (int i = 0; i < 3; i++) f.at_error[i] = mesh->middle_error[face];
  return f;
}

dls_feature dls_form_feature(const dls_form *form, int feature)
{
  dls_feature f = {0};
  if (feature < 0 || feature >= dls_form_features(form)) return f;
  switch (form->kind) {
  case DLS_SOLID_PLANE: f.kind = DLS_FEATURE_FACE, f.axis[2] = 1; return f;
  case DLS_SOLID_SPHERE: f.kind = DLS_FEATURE_POINT, f.radius = form->size[0]; return f;
  case DLS_SOLID_ELLIPSOID:
    f.kind = DLS_FEATURE_SURFACE;
    dls_copy(f.semi, form->size, 3);
    return f;
  case DLS_SOLID_CAPSULE: return capsule_feature(form, feature);
  case DLS_SOLID_CYLINDER: return cylinder_feature(form, feature);
  case DLS_SOLID_BOX: return box_feature(form, feature);
  default: return hull_feature(form, feature);
  }
}
