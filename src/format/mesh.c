#include "format/mesh.h"

#include "base/file.h"
#include "base/message.h"
#include "base/memory.h"

#include <delassus/import.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void dls_mesh_free(dls_mesh *mesh)
{
  free(mesh->point);
  free(mesh->corner);
  *mesh = (dls_mesh){0};
}

static bool ends_in(const char *path, const char *ending)
{
  const size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

dls_status dls_mesh_read(const char *path, const char *name, size_t most, dls_mesh *mesh,
                         size_t *size, dls_message *message)
{
  *mesh = (dls_mesh){0};
  const bool stl = ends_in(path, ".stl"), obj = ends_in(path, ".obj");
  if (!stl && !obj)
    return dls_fail(message, DLS_ERR_MODEL,
                    "%.400s: only STL and OBJ files can be read: convert the mesh to one of them",
                    name);
  char *text = NULL;
  size_t length = 0;
  dls_status status = dls_file_read(path, most, &text, &length, message);
  if (status) return status;
  if (size) *size = length;
  status = stl ? dls_stl_parse(name, text, length, mesh, message)
               : dls_obj_parse(name, text, length, mesh, message);
  free(text);
  for (ptrdiff_t k = 0; !status && k < 3 * (ptrdiff_t)mesh->points; k++) {
    if (!isfinite(mesh->point[k]))
      status = dls_fail(message, DLS_ERR_MODEL, "%.400s: point %td is not finite", name, k / 3 + 1);
  }
  if (!status && mesh->points == 0)
    status = dls_fail(message, DLS_ERR_MODEL, "%.400s: there are no points in it", name);
  if (status) dls_mesh_free(mesh);
  return status;
}

dls_status dls_import_points(const char *path, int *count, double **point, dls_message *message)
{
  if (count) *count = 0;
  if (point) *point = NULL;
  if (!path || !count || !point)
    return dls_fail(message, DLS_ERR_ARGUMENT, "points: no path, or no place for them");
  dls_mesh mesh;
  dls_status status = dls_mesh_read(path, path, DLS_MESH_BYTES, &mesh, NULL, message);
  if (status) return status;
  if (dls_mesh_unite(&mesh)) {
    dls_mesh_free(&mesh);
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  *count = mesh.points;
  *point = mesh.point;
  mesh.point = NULL;
  dls_mesh_free(&mesh);
  return DLS_OK;
}

// ---- equal points become one --------------------------------------------------------------------

static size_t slot_of(const double *p, size_t mask)
{
  unsigned long long hash = 1469598103934665603u;
  for (int k = 0; k < 3; k++) {
    const double x = p[k] + 0.0;  // -0 is 0
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return (size_t)hash & mask;
}

static bool same(const double *a, const double *b)
{
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// In place: the new number of each point is at or before its old one.
static int unite(dls_mesh *mesh, int *slots, size_t mask, int *number)
{
  int kept = 0;
  for (int i = 0; i < mesh->points; i++) {
    const double *p = mesh->point + 3 * (ptrdiff_t)i;
    size_t slot = slot_of(p, mask);
    while (slots[slot] > 0 && !same(mesh->point + 3 * (ptrdiff_t)(slots[slot] - 1), p))
      slot = (slot + 1) & mask;
    if (slots[slot] == 0) {
      memmove(mesh->point + 3 * (ptrdiff_t)kept, p, 3 * sizeof *p);
      slots[slot] = ++kept;
    }
    number[i] = slots[slot] - 1;
  }
  return kept;
}

dls_status dls_mesh_unite(dls_mesh *mesh)
{
  size_t size = 16;
  while (size < 2 * (size_t)mesh->points) size *= 2;
  int *slots = dls_alloc((ptrdiff_t)size, sizeof *slots);
  int *number = dls_alloc(mesh->points, sizeof *number);
  if (slots && number) {
    mesh->points = unite(mesh, slots, size - 1, number);
    for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)mesh->triangles; k++)
      mesh->corner[k] = number[mesh->corner[k]];
  }
  const bool done = slots && number;
  free(slots);
  free(number);
  return done ? DLS_OK : DLS_ERR_MEMORY;
}
