// What links weigh, and their shapes.
#include "format/mesh_load.h"
#include "format/tolerances.h"
#include "format/turn.h"
#include "format/urdf.h"

#include <math.h>
#include <string.h>

// Roll, pitch and yaw are about fixed axes.
dls_pose dls_urdf_origin(dls_urdf *u, const dls_xml_element *e)
{
  dls_pose pose = dls_pose_none;
  const dls_xml_element *origin = dls_xml_child(e, "origin");
  if (!origin) return pose;
  double angle[3] = {0};
  dls_reading_numbers(u->reading, origin, "xyz", 3, 3, pose.position);
  dls_reading_numbers(u->reading, origin, "rpy", 3, 3, angle);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0, k == 1, k == 2};
    double turn[4];
    dls_turn_about(axis, angle[k], turn);
    dls_turn_product(turn, pose.quaternion, pose.quaternion);
  }
  return pose;
}

static const dls_xml_element *child(dls_urdf *u, const dls_xml_element *e, const char *name)
{
  const dls_xml_element *c = dls_xml_child(e, name);
  if (!c) dls_reading_fail(u->reading, e, NULL, "`%.60s` needs `%s`", e->name, name);
  return c;
}

// As MuJoCo's compiler would be told in the file.
static bool balances(dls_urdf *u)
{
  const dls_xml_element *e = dls_xml_child(u->root, "mujoco");
  bool balance = false;
  if (e) e = dls_xml_child(e, "compiler");
  if (e) dls_reading_bool(u->reading, e, "balanceinertia", &balance);
  return balance;
}

// That of a body, or made that of one.
static void check_inertia(dls_urdf *u, const dls_xml_element *e, double *inertia)
{
  double moments[3], turn[4];
  dls_mass_principal(inertia, moments, turn);
  const double sum = moments[0] + moments[1] + moments[2];
  const double excess = fmax(moments[0] - moments[1] - moments[2], -moments[2]);
  if (!(excess > inertia_rounding * fabs(sum))) return;
  if (sum >= 0 && balances(u)) {
    for (int k = 0; k < 6; k++) inertia[k] = k < 3 ? sum / 3 : 0;
    dls_reading_note(u->reading, true, 1, "inertia that no body has: moments made equal");
  } else if (excess > inertia_digits * sum) {
    dls_reading_fail(u->reading, e, NULL,
                     "no body has principal moments of inertia %g, %g, %g: none is negative, and "
                     "A + B >= C; <mujoco><compiler balanceinertia=\"true\"/></mujoco> in `robot` "
                     "makes them equal",
                     moments[0], moments[1], moments[2]);
  }
}

dls_mass dls_urdf_mass(dls_urdf *u, const dls_urdf_link *link)
{
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  dls_file_reading *r = u->reading;
  dls_mass mass = {0};
  const dls_xml_element *inertial = dls_xml_child(link->element, "inertial");
  if (!inertial) return mass;
  const dls_pose pose = dls_urdf_origin(u, inertial);
  const dls_xml_element *m = child(u, inertial, "mass"), *inertia = child(u, inertial, "inertia");
  if (r->status) return mass;
  dls_reading_require(r, m, "value");
  dls_reading_number(r, m, "value", &mass.mass);
  if (mass.mass < 0) dls_reading_fail(r, m, "value", "a mass must not be negative");
  for (int k = 0; k < 6; k++) {
    if (k < 3) dls_reading_require(r, inertia, names[k]);
    dls_reading_number(r, inertia, names[k], &mass.inertia[k]);
  }
  check_inertia(u, inertia, mass.inertia);
  return dls_mass_in(&pose, &mass);
}

// ---- shapes
// --------------------------------------------------------------------------------------

static void read_size(dls_urdf *u, const dls_xml_element *e, const char *name, int count,
                      double *out)
{
  dls_reading_require(u->reading, e, name);
  dls_reading_numbers(u->reading, e, name, count, count, out);
  for (int k = 0; k < count && !u->reading->status; k++) {
    if (!(out[k] > 0)) dls_reading_fail(u->reading, e, name, "`%s` must be positive", name);
  }
}

static void read_mesh(dls_urdf *u, const dls_xml_element *e, dls_solid *solid)
{
  dls_file_reading *r = u->reading;
  double scale[3] = {1, 1, 1};
  const char *path = dls_reading_required(r, e, "filename");
  if (dls_reading_numbers(r, e, "scale", 1, 3, scale) == 1) scale[1] = scale[2] = scale[0];
  dls_mesh mesh;
  dls_mesh_load(r, e, "filename", NULL, path, &mesh);
  for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)mesh.points; k++) mesh.point[k] *= scale[k % 3];
  dls_mesh_hull(r, e, "filename", &mesh, solid);
  dls_mesh_free(&mesh);
}

static void read_shape(dls_urdf *u, const dls_xml_element *e, dls_solid *solid)
{
  if (strcmp(e->name, "box") == 0) {
    solid->kind = DLS_SOLID_BOX;
    read_size(u, e, "size", 3, solid->size);
  } else if (strcmp(e->name, "sphere") == 0) {
    solid->kind = DLS_SOLID_SPHERE;
    read_size(u, e, "radius", 1, solid->size);
  } else if (strcmp(e->name, "mesh") == 0) {
    read_mesh(u, e, solid);
  } else {
    solid->kind = strcmp(e->name, "capsule") == 0 ? DLS_SOLID_CAPSULE : DLS_SOLID_CYLINDER;
    read_size(u, e, "radius", 1, &solid->size[0]);
    read_size(u, e, "length", 1, &solid->size[1]);
  }
}

static const dls_xml_element *shape_of(dls_urdf *u, const dls_xml_element *collision)
{
  static const char *const shapes[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
  const dls_xml_element *geometry = child(u, collision, "geometry"), *shape = NULL;
  for (int k = 0; geometry && k < dls_count_of(shapes); k++) {
    const dls_xml_element *e = dls_xml_child(geometry, shapes[k]);
    if (e && shape) dls_reading_fail(u->reading, e, NULL, "a geometry is one shape");
    if (e) shape = e;
  }
  if (!shape && !u->reading->status)
    dls_reading_fail(u->reading, geometry, NULL,
                     "`geometry` needs a box, cylinder, sphere, capsule or mesh");
  return shape;
}

void dls_urdf_add_solids(dls_urdf *u, const dls_urdf_link *link)
{
  dls_file_reading *r = u->reading;
  for (const dls_xml_element *e = link->element->first; e && !r->status; e = e->next) {
    if (strcmp(e->name, "collision") != 0) continue;
    // the file does not say it
    dls_solid solid = {.body = link->body, .friction = 1, .type = 1, .affinity = 1};
    solid.pose = dls_urdf_origin(u, e);
    const dls_xml_element *shape = shape_of(u, e);
    if (shape) read_shape(u, shape, &solid);
    const char *name = dls_reading_text(e, "name");
    solid.name = name && *name ? dls_reading_keep_text(r, name) : NULL;
    dls_solid *place = r->status ? NULL : DLS_READING_ADD(r, &u->draft, solid);
    if (place) *place = solid;
    dls_reading_note(r, true, 1, "collision: friction 1, which URDF does not say");
  }
}
