// Geoms: where they stand, and their shapes as those of solids.
#include "format/mjcf.h"
#include "format/turn.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"plane", "sphere", "capsule", "cylinder", "ellipsoid",
                                    "box",   "mesh",   "hfield",  "sdf",      NULL};

static void contact_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_geom *g)
{
  dls_file_reading *r = m->reading;
  double friction[3];
  dls_reading_int(r, e, "contype", &g->type);
  dls_reading_int(r, e, "conaffinity", &g->affinity);
  if (dls_reading_int(r, e, "condim", &g->dimensions) && g->dimensions != 1 && g->dimensions != 3 &&
      g->dimensions != 4 && g->dimensions != 6)
    dls_reading_fail(r, e, "condim", "`condim` must be 1, 3, 4 or 6");
  dls_reading_int(r, e, "priority", &g->priority);
  if (!dls_reading_numbers(r, e, "friction", 1, 3, friction)) return;
  g->friction = friction[0];
  if (friction[0] < 0) dls_reading_fail(r, e, "friction", "`friction` must not be negative");
}

void dls_mjcf_geom_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_geom *geom)
{
  dls_file_reading *r = m->reading;
  dls_reading_word(r, e, "type", kinds, &geom->kind);
  contact_values(m, e, geom);
  dls_reading_int(r, e, "group", &geom->group);
  dls_reading_numbers(r, e, "size", 1, 3, geom->size);
  if (dls_reading_number(r, e, "mass", &geom->mass)) geom->has_mass = true;
  dls_reading_number(r, e, "density", &geom->density);
  dls_reading_bool(r, e, "shellinertia", &geom->shell);
  dls_reading_number(r, e, "fitscale", &geom->fit_scale);
  if (dls_reading_numbers(r, e, "fromto", 6, 6, geom->ends)) geom->has_ends = true;
  dls_reading_numbers(r, e, "pos", 3, 3, geom->position);
  dls_mjcf_turn_values(m, e, &geom->turn);
  const char *mesh = dls_reading_text(e, "mesh");
  if (mesh) geom->mesh = mesh;
}

// Between two ends, along z from the second to the first.
static void place_between(dls_mjcf *m, dls_mjcf_geom *g)
{
  const int kind = g->kind;
  if (kind != DLS_SOLID_CAPSULE && kind != DLS_SOLID_CYLINDER && kind != DLS_SOLID_ELLIPSOID &&
      kind != DLS_SOLID_BOX) {
    dls_reading_fail(m->reading, g->element, "fromto",
                     "`fromto` is for capsules, cylinders, ellipsoids and boxes");
    return;
  }
  const double *p = g->ends;
  double along[3] = {p[0] - p[3], p[1] - p[4], p[2] - p[5]};
  const double half = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]) / 2;
  if (!dls_turn_unit(3, along))
    dls_reading_fail(m->reading, g->element, "fromto", "the two ends are one point");
  const bool three = kind == DLS_SOLID_ELLIPSOID || kind == DLS_SOLID_BOX;
  g->size[three ? 2 : 1] = half;
  if (three) g->size[1] = g->size[0];
  for (int k = 0; k < 3; k++) g->pose.position[k] = (p[k] + p[k + 3]) / 2;
  dls_turn_z_to(along, g->pose.quaternion);
}

static void find_mesh(dls_mjcf *m, dls_mjcf_geom *g)
{
  const bool wanted = g->kind == DLS_SOLID_HULL || g->kind == DLS_MJCF_SDF;
  if (wanted && !g->mesh)
    dls_reading_fail(m->reading, g->element, "type", "which mesh? `mesh` is missing");
  if (!g->mesh) return;
  g->mesh_index = dls_name_table_find(&m->mesh_names, g->mesh);
  if (g->mesh_index < 0)
    dls_reading_fail(m->reading, g->element, "mesh", "there is no mesh `%.100s`%s", g->mesh,
                     dls_name_table_suggest(&m->mesh_names, g->mesh).text);
}

// A shape instead of its mesh: as heavy and as long along its axes of inertia.
static void fit(dls_mjcf *m, dls_mjcf_geom *g)
{
  dls_mjcf_mesh *mesh = &m->mesh[g->mesh_index];
  if (g->kind == DLS_SOLID_PLANE || g->kind == DLS_MJCF_HFIELD) {
    dls_reading_fail(m->reading, g->element, "type", "no such shape can be fitted to a mesh");
    return;
  }
  dls_mjcf_mesh_need(m, mesh, false);
  dls_pose inside = dls_pose_none;
  if (!m->reading->status) dls_mjcf_mesh_fit(m, mesh, g, &inside);
  g->pose = dls_pose_in(&g->pose, &inside);
}

static int sizes_of(int kind)
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

// From half lengths to those of solids.
static void convert_sizes(dls_mjcf *m, dls_mjcf_geom *g)
{
  for (int k = 0; k < sizes_of(g->kind); k++) {
    if (!(g->size[k] > 0))
      dls_reading_fail(m->reading, g->element, "size", "%s needs %d positive size%s",
                       kinds[g->kind], sizes_of(g->kind), sizes_of(g->kind) == 1 ? "" : "s");
  }
  if (g->kind == DLS_SOLID_CAPSULE || g->kind == DLS_SOLID_CYLINDER) g->size[1] *= 2;
  for (int k = 0; g->kind == DLS_SOLID_BOX && k < 3; k++) g->size[k] *= 2;
}

void dls_mjcf_geom_finish(dls_mjcf *m, const dls_pose *frame, dls_mjcf_geom *geom)
{
  geom->pose = dls_pose_none;
  if (geom->has_ends) {
    place_between(m, geom);
  } else {
    memcpy(geom->pose.position, geom->position, sizeof geom->position);
    dls_mjcf_turn_resolve(m, geom->element, &geom->turn, geom->pose.quaternion);
  }
  find_mesh(m, geom);
  if (m->reading->status) return;
  if (geom->mesh_index >= 0 && geom->kind != DLS_SOLID_HULL && geom->kind != DLS_MJCF_SDF)
    fit(m, geom);
  convert_sizes(m, geom);
  if (geom->kind == DLS_MJCF_SDF) dls_reading_note(m->reading, true, 1, "geom of type sdf");
  if (geom->kind == DLS_MJCF_HFIELD) dls_reading_note(m->reading, false, 1, "geom of type hfield");
  if (geom->has_mass && geom->mass < 0)
    dls_reading_fail(m->reading, geom->element, "mass", "`mass` must not be negative");
  if (geom->density < 0)
    dls_reading_fail(m->reading, geom->element, "density", "`density` must not be negative");
  geom->pose = dls_pose_in(frame, &geom->pose);
}
