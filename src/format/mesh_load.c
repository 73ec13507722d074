#include "format/mesh_load.h"

#include "format/folder.h"

#include <stdlib.h>
#include <string.h>

static const size_t most_bytes = (size_t)1 << 30;  // of all meshes of a model

static bool starts_with(const char *text, const char *start)
{
  return strncmp(text, start, strlen(start)) == 0;
}

static dls_whereabouts find(const dls_file_reading *r, const char *folder, const char *path,
                            char **real)
{
  if (starts_with(path, "package://"))
    return dls_folder_find_package(r->folder, r->options, path + strlen("package://"), real);
  if (starts_with(path, "file://")) path += strlen("file://");
  return dls_folder_find(r->folder, r->options, folder, path, real);
}

// A message of the file as that of the place that names it.
static void pass_on(dls_file_reading *r, const dls_xml_element *element, const char *attribute,
                    dls_status status, const dls_message *message)
{
  if (r->status) return;
  if (status == DLS_ERR_MEMORY) {
    dls_reading_fail_memory(r);
    return;
  }
  dls_reading_fail(r, element, attribute, "%s", message->text);
  r->status = status == DLS_ERR_LIMIT ? DLS_ERR_LIMIT : DLS_ERR_MODEL;
}

void dls_mesh_load(dls_file_reading *reading, const dls_xml_element *element, const char *attribute,
                   const char *folder, const char *path, dls_mesh *mesh)
{
  *mesh = (dls_mesh){0};
  if (reading->status) return;
  char *real = NULL;
  switch (find(reading, folder, path, &real)) {
  case DLS_FOUND: break;
  case DLS_FOUND_NO_MEMORY: dls_reading_fail_memory(reading); return;
  case DLS_FOUND_NOTHING:
    dls_reading_fail(reading, element, attribute, "there is no file `%.200s`%s", path,
                     starts_with(path, "package://") ? ": where is that package?" : "");
    return;
  case DLS_FOUND_OUTSIDE:
    dls_reading_fail(reading, element, attribute,
                     "`%.200s` leads out of the folder of the model, and into no package", path);
    return;
  }
  dls_message message = {""};
  size_t size = 0;
  const size_t left = most_bytes - reading->mesh_bytes;
  const dls_status status = dls_mesh_read(real, path, left < DLS_MESH_BYTES ? left : DLS_MESH_BYTES,
                                          mesh, &size, &message);
  free(real);
  reading->mesh_bytes += size;
  if (status) pass_on(reading, element, attribute, status, &message);
}

static void keep_hull(dls_file_reading *r, const dls_hull *hull, dls_solid *solid)
{
  const int corners = hull->first[hull->faces];
  double *vertex = dls_reading_keep(r, 3 * (ptrdiff_t)hull->vertices, sizeof *vertex);
  int *first = dls_reading_keep(r, (ptrdiff_t)hull->faces + 1, sizeof *first);
  int *face = dls_reading_keep(r, corners, sizeof *face);
  if (!vertex || !first || !face) return;
  dls_copy(vertex, hull->vertex, 3 * (ptrdiff_t)hull->vertices);
  dls_copy(first, hull->first, (ptrdiff_t)hull->faces + 1);
  dls_copy(face, hull->face, corners);
  solid->kind = DLS_SOLID_HULL;
  solid->vertices = hull->vertices;
  solid->faces = hull->faces;
  solid->vertex = vertex;
  solid->first = first;
  solid->face = face;
}

void dls_mesh_hull(dls_file_reading *reading, const dls_xml_element *element, const char *attribute,
                   const dls_mesh *mesh, dls_solid *solid)
{
  if (reading->status) return;
  dls_hull *hull = NULL;
  dls_message message = {""};
  const dls_status status = dls_hull_create(mesh->points, mesh->point, &hull, &message);
  if (status) pass_on(reading, element, attribute, status, &message);
  else keep_hull(reading, hull, solid);
  dls_hull_free(hull);
}
