// Meshes: read once they are needed, for their weight or their hull.
#include "format/mjcf.h"
#include "format/mesh_load.h"
#include "format/turn.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static const char *const weights[] = {"legacy", "exact", "shell", "convex", NULL};

void dls_mjcf_mesh_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_mesh *mesh)
{
  dls_reading_numbers(m->reading, e, "scale", 3, 3, mesh->scale);
  dls_reading_word(m->reading, e, "inertia", weights, &mesh->weight);
}

// Its name, or that of its file without folder and ending.
static const char *name_of(dls_mjcf *m, const dls_xml_element *e)
{
  const char *name = dls_reading_text(e, "name");
  if (name && *name) return name;
  const char *file = dls_reading_text(e, "file");
  if (!file) {
    dls_reading_fail(m->reading, e, NULL, "`mesh` needs a name or a file");
    return NULL;
  }
  const char *slash = strrchr(file, '/');
  if (slash) file = slash + 1;
  const char *dot = strrchr(file, '.');
  const size_t length = dot ? (size_t)(dot - file) : strlen(file);
  const char *copy = dls_arena_copy(m->reading->work, file, length);
  if (!copy) dls_reading_fail_memory(m->reading);
  return copy;
}

static void read_mesh(dls_mjcf *m, const dls_xml_element *e)
{
  dls_file_reading *r = m->reading;
  if (strcmp(e->name, "mesh") != 0) return;
  const dls_mjcf_class *c = dls_mjcf_class_of(m, e, "class", &m->class[0]);
  const char *name = name_of(m, e);
  dls_mjcf_mesh *mesh = name ? DLS_READING_ADD(r, m, mesh) : NULL;
  if (!mesh) return;
  *mesh = c->mesh;
  mesh->element = e;
  mesh->name = name;
  dls_mjcf_mesh_values(m, e, mesh);
  if (!dls_name_table_add(r, &m->mesh_names, name, m->meshs - 1))
    dls_reading_fail(r, e, "name", "there is a mesh `%.100s` already", name);
}

void dls_mjcf_read_meshes(dls_mjcf *m)
{
  dls_mjcf_each(m, "asset", read_mesh);
}

// ---- points
// --------------------------------------------------------------------------------------

static void read_vertices(dls_mjcf *m, const dls_xml_element *e, dls_mesh *mesh)
{
  double *point = NULL, *corner = NULL;
  const int points = dls_reading_all_numbers(m->reading, e, "vertex", &point);
  const int corners = dls_reading_all_numbers(m->reading, e, "face", &corner);
  if (points < 12 || points % 3 != 0 || corners % 3 != 0)
    dls_reading_fail(m->reading, e, "vertex",
                     "a mesh needs four points of three numbers, and faces "
                     "three corners");
  mesh->point = dls_alloc(points, sizeof *mesh->point);
  mesh->corner = dls_alloc(corners, sizeof *mesh->corner);
  if (!mesh->point || !mesh->corner) {
    dls_reading_fail_memory(m->reading);
    return;
  }
  if (m->reading->status || !point || !corner) return;
  mesh->points = points / 3;
  mesh->triangles = corners / 3;
  dls_copy(mesh->point, point, points);
  for (int k = 0; k < corners; k++) {
    if (corner[k] != floor(corner[k]) || !(corner[k] >= 0 && corner[k] < mesh->points)) {
      dls_reading_fail(m->reading, e, "face", "`face` needs numbers of points, from 0 on");
      return;
    }
    mesh->corner[k] = (int)corner[k];
  }
}

static const char *file_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void read_file(dls_mjcf *m, const dls_xml_element *e, dls_mesh *mesh)
{
  dls_file_reading *r = m->reading;
  const char *file = dls_reading_required(r, e, "file");
  if (m->compiler.strip_path) file = file_part(file);
  const char *folder = m->compiler.mesh_folder;
  if (!folder || !*folder || *file == '/') {
    dls_mesh_load(r, e, "file", NULL, file, mesh);
    return;
  }
  const size_t size = strlen(folder) + strlen(file) + 2;
  char *path = dls_reading_work(r, (ptrdiff_t)size, 1);
  if (!path) return;
  snprintf(path, size, "%s/%s", folder, file);
  dls_mesh_load(r, e, "file", NULL, path, mesh);
}

// Points of MJCF are single precision numbers: rounded, moved, turned, scaled.
static void move_points(dls_mjcf *m, const dls_mjcf_mesh *mesh, dls_mesh *points)
{
  double at[3] = {0}, turn[4] = {1, 0, 0, 0};
  dls_reading_numbers(m->reading, mesh->element, "refpos", 3, 3, at);
  if (dls_reading_numbers(m->reading, mesh->element, "refquat", 4, 4, turn) &&
      !dls_turn_unit(4, turn))
    dls_reading_fail(m->reading, mesh->element, "refquat", "`refquat` is no rotation");
  dls_turn_inverse(turn, turn);
  for (int i = 0; i < points->points; i++) {
    double *p = points->point + 3 * (ptrdiff_t)i;
    for (int k = 0; k < 3; k++) p[k] = (double)(float)p[k] - at[k];
    dls_turn_vector(turn, p, p);
    for (int k = 0; k < 3; k++) p[k] *= mesh->scale[k];
  }
  if (mesh->scale[0] * mesh->scale[1] * mesh->scale[2] > 0) return;
  for (int t = 0; t < points->triangles; t++) {
    int *corner = points->corner + 3 * (ptrdiff_t)t, swap = corner[1];
    corner[1] = corner[2];
    corner[2] = swap;
  }
}

static void get_points(dls_mjcf *m, const dls_mjcf_mesh *mesh, dls_mesh *points)
{
  *points = (dls_mesh){0};
  if (dls_xml_find(mesh->element, "vertex")) read_vertices(m, mesh->element, points);
  else read_file(m, mesh->element, points);
  if (m->reading->status) return;
  move_points(m, mesh, points);
  if (dls_mesh_unite(points)) dls_reading_fail_memory(m->reading);
}

// ---- weight
// --------------------------------------------------------------------------------------

// Triangles of the hull's faces.
static void triangulate(dls_mjcf *m, const dls_solid *hull, dls_mesh *mesh)
{
  const int corners = hull->first[hull->faces], triangles = corners - 2 * hull->faces;
  mesh->points = hull->vertices;
  mesh->point = dls_alloc(3 * (ptrdiff_t)hull->vertices, sizeof *mesh->point);
  mesh->corner = dls_alloc(3 * (ptrdiff_t)triangles, sizeof *mesh->corner);
  if (!mesh->point || !mesh->corner) {
    dls_reading_fail_memory(m->reading);
    return;
  }
  dls_copy(mesh->point, hull->vertex, 3 * (ptrdiff_t)hull->vertices);
  for (int f = 0; f < hull->faces; f++) {
    for (int k = hull->first[f] + 2; k < hull->first[f + 1]; k++) {
      int *corner = mesh->corner + 3 * (ptrdiff_t)mesh->triangles++;
      corner[0] = hull->face[hull->first[f]];
      corner[1] = hull->face[k - 1];
      corner[2] = hull->face[k];
    }
  }
}

static void bound(dls_mjcf_mesh *mesh, const dls_mesh *points)
{
  double moments[3], turn[4];
  dls_mass_principal(mesh->mass.inertia, moments, turn);
  dls_turn_inverse(turn, turn);
  for (int i = 0; i < points->points; i++) {
    const double *p = points->point + 3 * (ptrdiff_t)i;
    double x[3] = {p[0] - mesh->mass.centre[0], p[1] - mesh->mass.centre[1],
                   p[2] - mesh->mass.centre[2]};
    dls_turn_vector(turn, x, x);
    for (int k = 0; k < 3; k++) {
      mesh->low[k] = i == 0 ? x[k] : fmin(mesh->low[k], x[k]);
      mesh->high[k] = i == 0 ? x[k] : fmax(mesh->high[k], x[k]);
    }
  }
}

static void weigh(dls_mjcf *m, dls_mjcf_mesh *mesh, const dls_mesh *points)
{
  const bool convex = mesh->weight == DLS_MJCF_CONVEX || points->triangles == 0;
  dls_mesh hull = {0};
  if (convex) triangulate(m, &mesh->solid, &hull);
  if (!m->reading->status)
    mesh->mass = dls_mesh_mass(convex ? &hull : points,
                               convex ? DLS_MESH_EXACT : (dls_mesh_weight)mesh->weight);
  dls_mesh_free(&hull);
  bound(mesh, points);
}

void dls_mjcf_mesh_need(dls_mjcf *m, dls_mjcf_mesh *mesh, bool hull)
{
  if (m->reading->status || (mesh->read && (!hull || mesh->hulled))) return;
  dls_mesh points;
  get_points(m, mesh, &points);
  const bool convex = mesh->weight == DLS_MJCF_CONVEX || points.triangles == 0;
  if (hull || convex) {
    dls_mesh_hull(m->reading, mesh->element, "file", &points, &mesh->solid);
    mesh->hulled = true;
  }
  if (!m->reading->status && !mesh->read) weigh(m, mesh, &points);
  mesh->read = true;
  dls_mesh_free(&points);
}

// Half the edges of the box with this inertia.
static void inertia_box(const dls_mass *mass, double box[3], double turn[4])
{
  double moments[3];
  dls_mass_principal(mass->inertia, moments, turn);
  const double sum = moments[0] + moments[1] + moments[2];
  for (int k = 0; k < 3; k++) box[k] = 0.5 * sqrt(fmax(6 * (sum - 2 * moments[k]) / mass->mass, 0));
}

void dls_mjcf_mesh_fit(dls_mjcf *m, const dls_mjcf_mesh *mesh, dls_mjcf_geom *geom,
                       dls_pose *inside)
{
  const bool boxed = m->compiler.fit_box;
  double b[3], middle[3] = {0};
  inertia_box(&mesh->mass, b, inside->quaternion);
  for (int k = 0; boxed && k < 3; k++) {
    b[k] = (mesh->high[k] - mesh->low[k]) / 2;
    middle[k] = (mesh->high[k] + mesh->low[k]) / 2;
  }
  dls_turn_vector(inside->quaternion, middle, inside->position);
  for (int k = 0; k < 3; k++) inside->position[k] += mesh->mass.centre[k];
  double *size = geom->size;
  const double round = boxed ? fmax(b[0], b[1]) : (b[0] + b[1]) / 2;
  switch (geom->kind) {
  case DLS_SOLID_SPHERE: size[0] = boxed ? fmax(round, b[2]) : (b[0] + b[1] + b[2]) / 3; break;
  case DLS_SOLID_CAPSULE:
    size[0] = round;
    size[1] = boxed ? b[2] - round : fmax(b[2] - round / 2, 0);
    break;
  case DLS_SOLID_CYLINDER:
    size[0] = round;
    size[1] = b[2];
    break;
  default: memcpy(size, b, sizeof b); break;
  }
  for (int k = 0; k < 3; k++) size[k] *= geom->fit_scale;
}
