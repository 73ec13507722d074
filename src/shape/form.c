#include "shape/form.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"

#include <math.h>
#include <stdlib.h>

// ---- making -------------------------------------------------------------------------------------

static int numbers_of(dls_solid_kind kind)
{
  switch (kind) {
  case DLS_SOLID_SPHERE: return 1;
  case DLS_SOLID_CAPSULE:
  case DLS_SOLID_CYLINDER: return 2;
  case DLS_SOLID_ELLIPSOID:
  case DLS_SOLID_BOX: return 3;
  default: return 0;
  }
}

// Corners of a box: bit i of the number says that coordinate i is positive.
static dls_status make_box(dls_form *form)
{
  static const int corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
  dls_convex_mesh *mesh = &form->mesh;
  mesh->vertices = 8, mesh->faces = 6;
  mesh->vertex = dls_alloc(24, sizeof *mesh->vertex);
  mesh->first = dls_alloc(7, sizeof *mesh->first);
  mesh->corner = dls_alloc(24, sizeof *mesh->corner);
  if (!mesh->vertex || !mesh->first || !mesh->corner) return DLS_ERR_MEMORY;
  for (int k = 0; k < 24; k++) {
    mesh->vertex[k] = ((k / 3) >> (k % 3) & 1) ? form->size[k % 3] : -form->size[k % 3];
    mesh->corner[k] = corner[k];
  }
  for (int f = 0; f <= 6; f++) mesh->first[f] = 4 * f;
  return DLS_OK;
}

static dls_status make_hull(dls_form *form, const dls_solid *solid, dls_message *message)
{
  dls_convex_mesh *mesh = &form->mesh;
  if (solid->vertices < 4 || solid->faces < 4 || !solid->vertex || !solid->first || !solid->face)
    return dls_fail(message, DLS_ERR_MODEL, "'%s': a hull needs vertices and faces", solid->name);
  const int corners = solid->first[solid->faces];
  if (corners < 12 || corners > 6 * (ptrdiff_t)solid->vertices)
    return dls_fail(message, DLS_ERR_MODEL, "'%s': its faces do not close", solid->name);
  mesh->vertices = solid->vertices, mesh->faces = solid->faces;
  mesh->vertex = dls_alloc(3 * (ptrdiff_t)solid->vertices, sizeof *mesh->vertex);
  mesh->first = dls_alloc((ptrdiff_t)solid->faces + 1, sizeof *mesh->first);
  mesh->corner = dls_alloc(corners, sizeof *mesh->corner);
  if (!mesh->vertex || !mesh->first || !mesh->corner) return DLS_ERR_MEMORY;
  dls_copy(mesh->vertex, solid->vertex, 3 * (ptrdiff_t)solid->vertices);
  dls_copy(mesh->first, solid->first, (ptrdiff_t)solid->faces + 1);
  dls_copy(mesh->corner, solid->face, corners);
  return DLS_OK;
}

// The ball around the middle of the box around it.
static void enclose(dls_form *form)
{
  const double *s = form->size;
  switch (form->kind) {
  case DLS_SOLID_PLANE: form->radius = INFINITY; return;
  case DLS_SOLID_SPHERE: form->radius = s[0]; return;
  case DLS_SOLID_CAPSULE: form->radius = s[0] + s[1]; return;
  case DLS_SOLID_CYLINDER: form->radius = hypot(s[0], s[1]); return;
  case DLS_SOLID_ELLIPSOID: form->radius = fmax(s[0], fmax(s[1], s[2])); return;
  default: break;
  }
  const dls_convex_mesh *mesh = &form->mesh;
  double low[3], high[3];
  for (int i = 0; i < 3; i++) low[i] = high[i] = mesh->vertex[i];
  for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)mesh->vertices; k++) {
    low[k % 3] = fmin(low[k % 3], mesh->vertex[k]);
    high[k % 3] = fmax(high[k % 3], mesh->vertex[k]);
  }
  for (int i = 0; i < 3; i++) form->centre[i] = low[i] / 2 + high[i] / 2;
  for (int v = 0; v < mesh->vertices; v++) {
    const double *x = &mesh->vertex[3 * (ptrdiff_t)v];
    const double d =
        hypot(hypot(x[0] - form->centre[0], x[1] - form->centre[1]), x[2] - form->centre[2]);
    form->radius = fmax(form->radius, d);
  }
}

dls_status dls_form_create(const dls_solid *solid, dls_form **out, dls_message *message)
{
  *out = NULL;
  if ((int)solid->kind < 0 || (int)solid->kind >= DLS_SOLID_KINDS)
    return dls_fail(message, DLS_ERR_MODEL, "'%s' is of no known kind", solid->name);
  for (int k = 0; k < numbers_of(solid->kind); k++)
    if (!isfinite(solid->size[k]) || !(solid->size[k] > 0))
      return dls_fail(message, DLS_ERR_MODEL, "'%s': lengths must be positive", solid->name);
  dls_form *form = dls_alloc(1, sizeof *form);
  if (!form) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  form->kind = solid->kind;
  dls_copy(form->size, solid->size, numbers_of(solid->kind));
  if (form->kind == DLS_SOLID_BOX)
    for (int i = 0; i < 3; i++) form->size[i] /= 2;
  if (form->kind == DLS_SOLID_CAPSULE || form->kind == DLS_SOLID_CYLINDER) form->size[1] /= 2;
  form->polyhedral = form->kind == DLS_SOLID_BOX || form->kind == DLS_SOLID_HULL;
  dls_status status = DLS_OK;
  if (form->polyhedral)
    status = form->kind == DLS_SOLID_BOX ? make_box(form) : make_hull(form, solid, message);
  if (!status && form->polyhedral)
    status = dls_convex_mesh_complete(&form->mesh, solid->name, message);
  if (status) {
    dls_form_free(form);
    return status == DLS_ERR_MEMORY ? dls_fail(message, status, "out of memory") : status;
  }
  enclose(form);
  *out = form;
  return DLS_OK;
}

void dls_form_free(dls_form *form)
{
  if (!form) return;
  dls_convex_mesh_clear(&form->mesh);
  free(form);
}

double dls_form_radius(const dls_form *form, double centre[3])
{
  dls_copy(centre, form->centre, 3);
  return form->radius;
}

// ---- numbers of features ------------------------------------------------------------------------

int dls_form_features(const dls_form *form)
{
  const dls_convex_mesh *mesh = &form->mesh;
  switch (form->kind) {
  case DLS_SOLID_CAPSULE: return 3;
  case DLS_SOLID_CYLINDER: return DLS_CYLINDER_FEATURES;
  case DLS_SOLID_BOX: return DLS_BOX_FEATURES;
  case DLS_SOLID_HULL: return mesh->vertices + mesh->edges + mesh->faces;
  default: return 1;
  }
}

// The signs of a box's feature from three numbers that are negative, zero or positive.
static int box_feature(const double x[3])
{
  int feature = 0;
  for (int i = 2; i >= 0; i--) feature = 3 * feature + (x[i] > 0) - (x[i] < 0) + 1;
  return feature;
}

int dls_form_of_vertex(const dls_form *form, int vertex)
{
  return form->kind == DLS_SOLID_BOX ? box_feature(form->mesh.vertex + 3 * (ptrdiff_t)vertex)
                                     : vertex;
}

int dls_form_of_edge(const dls_form *form, int edge)
{
  const dls_convex_mesh *mesh = &form->mesh;
  if (form->kind != DLS_SOLID_BOX) return mesh->vertices + edge;
  double middle[3];
  for (int i = 0; i < 3; i++)
    middle[i] =
        mesh->vertex[3 * mesh->edge[edge][0] + i] + mesh->vertex[3 * mesh->edge[edge][1] + i];
  return box_feature(middle);
}

int dls_form_of_face(const dls_form *form, int face)
{
  const dls_convex_mesh *mesh = &form->mesh;
  if (form->kind == DLS_SOLID_BOX) return box_feature(&mesh->normal[3 * face]);
  return mesh->vertices + mesh->edges + face;
}

static void box_name(int feature, char *name, int size)
{
  int sign[3], zeros = 0;
  for (int i = 0; i < 3; i++, feature /= 3) sign[i] = feature % 3, zeros += sign[i] == 1;
  static const char *const kinds[4] = {"corner", "edge", "face", ""};
  static const char letters[] = "-0+";
  if (zeros == 3) dls_format(name, (size_t)size, "inside");
  else
    dls_format(name, (size_t)size, "%s%c%c%c", kinds[zeros], letters[sign[0]], letters[sign[1]],
               letters[sign[2]]);
}

static void cylinder_name(int feature, char *name, int size)
{
  const size_t room = (size_t)size;
  if (feature == DLS_CYLINDER_SIDE) dls_format(name, room, "side");
  else if (feature < DLS_CYLINDER_CAP)
    dls_format(name, room, "rim%c", feature == DLS_CYLINDER_RIM ? '-' : '+');
  else if (feature < DLS_CYLINDER_POINT)
    dls_format(name, room, "cap%c", feature == DLS_CYLINDER_CAP ? '-' : '+');
  else {
    const bool chord = feature >= DLS_CYLINDER_CHORD;
    const int k = feature - (chord ? DLS_CYLINDER_CHORD : DLS_CYLINDER_POINT);
    dls_format(name, room, "%s%c%d", chord ? "chord" : "rim", k < DLS_RIM_POINTS ? '-' : '+',
               k % DLS_RIM_POINTS);
  }
}

static void hull_name(const dls_convex_mesh *mesh, int feature, char *name, int size)
{
  const size_t room = (size_t)size;
  const int e = feature - mesh->vertices, f = e - mesh->edges;
  if (e < 0) dls_format(name, room, "vertex%d", feature);
  else if (f < 0) dls_format(name, room, "edge%d-%d", mesh->edge[e][0], mesh->edge[e][1]);
  else dls_format(name, room, "face%d", f);
}

void dls_form_feature_name(const dls_form *form, int feature, char *name, int size)
{
  static const char *const capsule[3] = {"side", "end-", "end+"};
  if (size <= 0) return;
  name[0] = 0;
  if (feature < 0 || feature >= dls_form_features(form)) return;
  switch (form->kind) {
  case DLS_SOLID_CAPSULE: dls_format(name, (size_t)size, "%s", capsule[feature]); return;
  case DLS_SOLID_BOX: box_name(feature, name, size); return;
  case DLS_SOLID_CYLINDER: cylinder_name(feature, name, size); return;
  case DLS_SOLID_HULL: hull_name(&form->mesh, feature, name, size); return;
  default: return;
  }
}
