// Edges and neighbours of a convex polyhedron, from its faces.
#include "shape/form.h"

#include "base/memory.h"
#include "base/message.h"
#include "linalg/bounded.h"
#include "linalg/vector3.h"
#include "shape/tolerances.h"

#include <stdlib.h>

void dls_convex_mesh_clear(dls_convex_mesh *mesh)
{
  free(mesh->vertex), free(mesh->first), free(mesh->corner), free(mesh->side);
  free(mesh->normal), free(mesh->normal_error), free(mesh->middle), free(mesh->middle_error);
  free(mesh->edge), free(mesh->edge_face), free(mesh->next_first), free(mesh->next);
  *mesh = (dls_convex_mesh){0};
}

// ---- edges --------------------------------------------------------------------------------------

// One side of a face: from low to high vertex, or back.
typedef struct half_edge {
  int low, high;
  int face, corner;
  bool back;
} half_edge;

static int by_vertices(const void *x, const void *y)
{
  const half_edge *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->back - b->back;
}

static void list_halves(const dls_convex_mesh *mesh, half_edge *half)
{
  for (int f = 0; f < mesh->faces; f++)
    for (int k = mesh->first[f]; k < mesh->first[f + 1]; k++) {
      const int next = k + 1 < mesh->first[f + 1] ? k + 1 : mesh->first[f];
      const int from = mesh->corner[k], to = mesh->corner[next];
      half[k] = (half_edge){from < to ? from : to, from < to ? to : from, f, k, from > to};
    }
}

// Two sides of different faces, there and back, are an edge.
static bool join(dls_convex_mesh *mesh, const half_edge *half, int halves)
{
  for (int k = 0; k < halves; k += 2) {
    const half_edge *a = &half[k], *b = &half[k + 1];
    if (a->low != b->low || a->high != b->high || a->back || !b->back || a->face == b->face ||
        a->low == a->high)
      return false;
    const int e = k / 2;
    mesh->edge[e][0] = a->low, mesh->edge[e][1] = a->high;
    mesh->edge_face[e][0] = a->face, mesh->edge_face[e][1] = b->face;
    mesh->side[a->corner] = mesh->side[b->corner] = e;
  }
  for (int k = 2; k < halves; k += 2)
    if (half[k].low == half[k - 1].low && half[k].high == half[k - 1].high) return false;
  return true;
}

static void list_neighbours(dls_convex_mesh *mesh)
{
  int *first = mesh->next_first;
  for (int e = 0; e < mesh->edges; e++)
    for (int k = 0; k < 2; k++) first[mesh->edge[e][k] + 1]++;
  for (int v = 0; v < mesh->vertices; v++) first[v + 1] += first[v];
  for (int e = 0; e < mesh->edges; e++)
    for (int k = 0; k < 2; k++) mesh->next[first[mesh->edge[e][k]]++] = e;
  for (int v = mesh->vertices; v > 0; v--) first[v] = first[v - 1];
  first[0] = 0;
}

// ---- faces --------------------------------------------------------------------------------------

static dls_bounded3 corner_of(const dls_convex_mesh *mesh, int k)
{
  return dls_with_errors3(&mesh->vertex[3 * (ptrdiff_t)mesh->corner[k]], NULL);
}

static dls_bounded divided(dls_bounded a, dls_bounded b)
{
  const double x = a.x / b.x, room = fabs(b.x) - b.e;
  return dls_rounded(x, room > 0 ? (a.e + fabs(x) * b.e) / room : INFINITY);
}

// The normal is that of the area, and the plane goes through the mean of the corners.
static bool face_plane(dls_convex_mesh *mesh, int f)
{
  const int from = mesh->first[f], to = mesh->first[f + 1];
  const dls_bounded3 origin = corner_of(mesh, from);
  dls_bounded3 area = {{{0, 0}}}, sum = {{{0, 0}}};
  for (int k = from; k < to; k++) {
    sum = dls_plus3(sum, dls_minus3(corner_of(mesh, k), origin));
    if (k == from || k + 1 == to) continue;
    area = dls_plus3(area, dls_cross_bounded(dls_minus3(corner_of(mesh, k), origin),
                                             dls_minus3(corner_of(mesh, k + 1), origin)));
  }
  const dls_bounded square = dls_dot_bounded(area, area);
  const double root = sqrt(square.x);
  if (!(root > 0) || !isfinite(root)) return false;
  const dls_bounded length = dls_rounded(root, square.e / root);
  double *middle_error = &mesh->middle_error[f];
  for (int i = 0; i < 3; i++) {
    const dls_bounded n = divided(area.c[i], length);
    const dls_bounded m = dls_plus(origin.c[i], divided(sum.c[i], dls_exactly(to - from)));
    mesh->normal[3 * (ptrdiff_t)f + i] = n.x, mesh->normal_error[3 * (ptrdiff_t)f + i] = n.e;
    mesh->middle[3 * (ptrdiff_t)f + i] = m.x, *middle_error = fmax(*middle_error, m.e);
  }
  return true;
}

static double above(const dls_convex_mesh *mesh, int f, const double *x)
{
  double d = 0;
  for (int i = 0; i < 3; i++)
    d += mesh->normal[3 * (ptrdiff_t)f + i] * (x[i] - mesh->middle[3 * (ptrdiff_t)f + i]);
  return d;
}

static double size_of(const dls_convex_mesh *mesh)
{
  double size = 0;
  for (int v = 1; v < mesh->vertices; v++)
    for (int i = 0; i < 3; i++)
      size = fmax(size, fabs(mesh->vertex[3 * (ptrdiff_t)v + i] - mesh->vertex[i]));
  return size;
}

// Not all vertices lie in the plane of the first face.
static bool thick(const dls_convex_mesh *mesh)
{
  double depth = 0;
  for (int v = 0; v < mesh->vertices; v++)
    depth = fmax(depth, -above(mesh, 0, &mesh->vertex[3 * (ptrdiff_t)v]));
  return depth > thinnest * size_of(mesh);
}

// Corners lie in the planes of their faces, and no edge is concave.
static bool convex(const dls_convex_mesh *mesh)
{
  const double allowed = flat_face * size_of(mesh);
  for (int f = 0; f < mesh->faces; f++)
    for (int k = mesh->first[f]; k < mesh->first[f + 1]; k++)
      if (!(fabs(above(mesh, f, &mesh->vertex[3 * (ptrdiff_t)mesh->corner[k]])) <= allowed))
        return false;
  for (int e = 0; e < mesh->edges; e++)
    for (int k = 0; k < 2; k++)
      if (!(above(mesh, mesh->edge_face[e][k],
                  &mesh->middle[3 * (ptrdiff_t)mesh->edge_face[e][1 - k]]) <= allowed))
        return false;
  return true;
}

// Every vertex can be reached from the first along edges.
static bool connected(const dls_convex_mesh *mesh, int *queue, int *seen)
{
  int begin = 0, end = 1;
  queue[0] = 0, seen[0] = 1;
  while (begin < end) {
    const int v = queue[begin++];
    for (int k = mesh->next_first[v]; k < mesh->next_first[v + 1]; k++) {
      const int *edge = mesh->edge[mesh->next[k]], to = edge[0] == v ? edge[1] : edge[0];
      if (!seen[to]) seen[to] = 1, queue[end++] = to;
    }
  }
  return end == mesh->vertices;
}

static bool indices_fit(const dls_convex_mesh *mesh)
{
  if (mesh->vertices < 4 || mesh->faces < 4 || mesh->first[0] != 0) return false;
  for (int f = 0; f < mesh->faces; f++)
    if (mesh->first[f + 1] < mesh->first[f] + 3 ||
        mesh->first[f + 1] > 6 * (ptrdiff_t)mesh->vertices)
      return false;
  for (int k = 0; k < mesh->first[mesh->faces]; k++)
    if (mesh->corner[k] < 0 || mesh->corner[k] >= mesh->vertices) return false;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)mesh->vertices; i++)
    if (!isfinite(mesh->vertex[i])) return false;
  return true;
}

static bool allocate(dls_convex_mesh *mesh, int sides)
{
  const int v = mesh->vertices, f = mesh->faces, e = sides / 2;
  mesh->edges = e;
  mesh->side = dls_alloc(sides, sizeof *mesh->side);
  mesh->normal = dls_alloc(3 * (ptrdiff_t)f, sizeof *mesh->normal);
  mesh->normal_error = dls_alloc(3 * (ptrdiff_t)f, sizeof *mesh->normal_error);
  mesh->middle = dls_alloc(3 * (ptrdiff_t)f, sizeof *mesh->middle);
  mesh->middle_error = dls_alloc(f, sizeof *mesh->middle_error);
  mesh->edge = dls_alloc(e, sizeof *mesh->edge);
  mesh->edge_face = dls_alloc(e, sizeof *mesh->edge_face);
  mesh->next_first = dls_alloc(v + 1, sizeof *mesh->next_first);
  mesh->next = dls_alloc(sides, sizeof *mesh->next);
  return mesh->side && mesh->normal && mesh->normal_error && mesh->middle && mesh->middle_error &&
         mesh->edge && mesh->edge_face && mesh->next_first && mesh->next;
}

dls_status dls_convex_mesh_complete(dls_convex_mesh *mesh, const char *name, dls_message *message)
{
  if (!indices_fit(mesh))
    return dls_fail(message, DLS_ERR_MODEL, "'%s': faces must be polygons of its vertices", name);
  const int sides = mesh->first[mesh->faces];
  // Euler's formula, E = V + F - 2
  const bool closed = sides % 2 == 0 && sides / 2 == mesh->vertices + mesh->faces - 2;
  if (!closed || sides > 6 * (ptrdiff_t)mesh->vertices)
    return dls_fail(message, DLS_ERR_MODEL, "'%s': its faces do not close", name);
  half_edge *half = dls_alloc(sides, sizeof *half);
  int *queue = dls_alloc(2 * (ptrdiff_t)mesh->vertices, sizeof *queue);
  dls_status status = half && queue && allocate(mesh, sides) ? DLS_OK : DLS_ERR_MEMORY;
  if (!status) {
    list_halves(mesh, half);
    qsort(half, (size_t)sides, sizeof *half, by_vertices);
    bool fits = join(mesh, half, sides);
    if (fits) list_neighbours(mesh), fits = connected(mesh, queue, queue + mesh->vertices);
    for (int f = 0; fits && f < mesh->faces; f++) fits = face_plane(mesh, f);
    if (!fits) status = dls_fail(message, DLS_ERR_MODEL, "'%s': its faces do not close", name);
    else if (!thick(mesh) || !convex(mesh))
      status = dls_fail(message, DLS_ERR_MODEL, "'%s': it is not convex", name);
  }
  free(half), free(queue);
  return status;
}
