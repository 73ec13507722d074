// Edges and neighbours of a convex polyhedron, from its faces.
#include "shape/form.h"

#include "base/memory.h"
#include "base/message.h"
#include "linalg/bounded.h"
#include "linalg/vector3.h"
#include "shape/tolerances.h"

#include <stdlib.h>

void dls_convex_mesh_clear(dls_convex_mesh *poly)
{
  free(poly->vertex), free(poly->first), free(poly->corner), free(poly->side);
  free(poly->normal), free(poly->normal_error), free(poly->middle), free(poly->middle_error);
  free(poly->edge), free(poly->edge_face), free(poly->next_first), free(poly->next);
  *poly = (dls_convex_mesh){0};
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

static void list_halves(const dls_convex_mesh *poly, half_edge *half)
{
  for (int f = 0; f < poly->faces; f++)
    for (int k = poly->first[f]; k < poly->first[f + 1]; k++) {
      const int next = k + 1 < poly->first[f + 1] ? k + 1 : poly->first[f];
      const int from = poly->corner[k], to = poly->corner[next];
      half[k] = (half_edge){from < to ? from : to, from < to ? to : from, f, k, from > to};
    }
}

// Two sides of different faces, there and back, are an edge.
static bool join(dls_convex_mesh *poly, const half_edge *half, int halves)
{
  for (int k = 0; k < halves; k += 2) {
    const half_edge *a = &half[k], *b = &half[k + 1];
    if (a->low != b->low || a->high != b->high || a->back || !b->back || a->face == b->face ||
        a->low == a->high)
      return false;
    const int e = k / 2;
    poly->edge[e][0] = a->low, poly->edge[e][1] = a->high;
    poly->edge_face[e][0] = a->face, poly->edge_face[e][1] = b->face;
    poly->side[a->corner] = poly->side[b->corner] = e;
  }
  for (int k = 2; k < halves; k += 2)
    if (half[k].low == half[k - 1].low && half[k].high == half[k - 1].high) return false;
  return true;
}

static void list_neighbours(dls_convex_mesh *poly)
{
  int *first = poly->next_first;
  for (int e = 0; e < poly->edges; e++)
    for (int k = 0; k < 2; k++) first[poly->edge[e][k] + 1]++;
  for (int v = 0; v < poly->vertices; v++) first[v + 1] += first[v];
  for (int e = 0; e < poly->edges; e++)
    for (int k = 0; k < 2; k++) poly->next[first[poly->edge[e][k]]++] = e;
  for (int v = poly->vertices; v > 0; v--) first[v] = first[v - 1];
  first[0] = 0;
}

// ---- faces --------------------------------------------------------------------------------------

static dls_bounded3 corner_of(const dls_convex_mesh *poly, int k)
{
  return dls_with_errors3(&poly->vertex[3 * (ptrdiff_t)poly->corner[k]], NULL);
}

static dls_bounded divided(dls_bounded a, dls_bounded b)
{
  const double x = a.x / b.x, room = fabs(b.x) - b.e;
  return dls_rounded(x, room > 0 ? (a.e + fabs(x) * b.e) / room : INFINITY);
}

// The normal is that of the area, and the plane goes through the mean of the corners.
static bool face_plane(dls_convex_mesh *poly, int f)
{
  const int from = poly->first[f], to = poly->first[f + 1];
  const dls_bounded3 origin = corner_of(poly, from);
  dls_bounded3 area = {{{0, 0}}}, sum = {{{0, 0}}};
  for (int k = from; k < to; k++) {
    sum = dls_plus3(sum, dls_minus3(corner_of(poly, k), origin));
    if (k == from || k + 1 == to) continue;
    area = dls_plus3(area, dls_cross_bounded(dls_minus3(corner_of(poly, k), origin),
                                             dls_minus3(corner_of(poly, k + 1), origin)));
  }
  const dls_bounded square = dls_dot_bounded(area, area);
  const double root = sqrt(square.x);
  if (!(root > 0) || !isfinite(root)) return false;
  const dls_bounded length = dls_rounded(root, square.e / root);
  double *middle_error = &poly->middle_error[f];
  for (int i = 0; i < 3; i++) {
    const dls_bounded n = divided(area.c[i], length);
    const dls_bounded m = dls_plus(origin.c[i], divided(sum.c[i], dls_exactly(to - from)));
    poly->normal[3 * (ptrdiff_t)f + i] = n.x, poly->normal_error[3 * (ptrdiff_t)f + i] = n.e;
    poly->middle[3 * (ptrdiff_t)f + i] = m.x, *middle_error = fmax(*middle_error, m.e);
  }
  return true;
}

static double above(const dls_convex_mesh *poly, int f, const double *x)
{
  double d = 0;
  for (int i = 0; i < 3; i++)
    d += poly->normal[3 * (ptrdiff_t)f + i] * (x[i] - poly->middle[3 * (ptrdiff_t)f + i]);
  return d;
}

static double size_of(const dls_convex_mesh *poly)
{
  double size = 0;
  for (int v = 1; v < poly->vertices; v++)
    for (int i = 0; i < 3; i++)
      size = fmax(size, fabs(poly->vertex[3 * (ptrdiff_t)v + i] - poly->vertex[i]));
  return size;
}

// Not all vertices lie in the plane of the first face.
static bool thick(const dls_convex_mesh *poly)
{
  double depth = 0;
  for (int v = 0; v < poly->vertices; v++)
    depth = fmax(depth, -above(poly, 0, &poly->vertex[3 * (ptrdiff_t)v]));
  return depth > thinnest * size_of(poly);
}

// Corners lie in the planes of their faces, and no edge is concave.
static bool convex(const dls_convex_mesh *poly)
{
  const double allowed = flat_face * size_of(poly);
  for (int f = 0; f < poly->faces; f++)
    for (int k = poly->first[f]; k < poly->first[f + 1]; k++)
      if (!(fabs(above(poly, f, &poly->vertex[3 * (ptrdiff_t)poly->corner[k]])) <= allowed))
        return false;
  for (int e = 0; e < poly->edges; e++)
    for (int k = 0; k < 2; k++)
      if (!(above(poly, poly->edge_face[e][k],
                  &poly->middle[3 * (ptrdiff_t)poly->edge_face[e][1 - k]]) <= allowed))
        return false;
  return true;
}

// Every vertex can be reached from the first along edges.
static bool connected(const dls_convex_mesh *poly, int *queue, int *seen)
{
  int begin = 0, end = 1;
  queue[0] = 0, seen[0] = 1;
  while (begin < end) {
    const int v = queue[begin++];
    for (int k = poly->next_first[v]; k < poly->next_first[v + 1]; k++) {
      const int *edge = poly->edge[poly->next[k]], to = edge[0] == v ? edge[1] : edge[0];
      if (!seen[to]) seen[to] = 1, queue[end++] = to;
    }
  }
  return end == poly->vertices;
}

static bool indices_fit(const dls_convex_mesh *poly)
{
  if (poly->vertices < 4 || poly->faces < 4 || poly->first[0] != 0) return false;
  for (int f = 0; f < poly->faces; f++)
    if (poly->first[f + 1] < poly->first[f] + 3 ||
        poly->first[f + 1] > 6 * (ptrdiff_t)poly->vertices)
      return false;
  for (int k = 0; k < poly->first[poly->faces]; k++)
    if (poly->corner[k] < 0 || poly->corner[k] >= poly->vertices) return false;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)poly->vertices; i++)
    if (!isfinite(poly->vertex[i])) return false;
  return true;
}

static bool allocate(dls_convex_mesh *poly, int sides)
{
  const int v = poly->vertices, f = poly->faces, e = sides / 2;
  poly->edges = e;
  poly->side = dls_alloc(sides, sizeof *poly->side);
  poly->normal = dls_alloc(3 * (ptrdiff_t)f, sizeof *poly->normal);
  poly->normal_error = dls_alloc(3 * (ptrdiff_t)f, sizeof *poly->normal_error);
  poly->middle = dls_alloc(3 * (ptrdiff_t)f, sizeof *poly->middle);
  poly->middle_error = dls_alloc(f, sizeof *poly->middle_error);
  poly->edge = dls_alloc(e, sizeof *poly->edge);
  poly->edge_face = dls_alloc(e, sizeof *poly->edge_face);
  poly->next_first = dls_alloc(v + 1, sizeof *poly->next_first);
  poly->next = dls_alloc(sides, sizeof *poly->next);
  return poly->side && poly->normal && poly->normal_error && poly->middle && poly->middle_error &&
         poly->edge && poly->edge_face && poly->next_first && poly->next;
}

dls_status dls_convex_mesh_complete(dls_convex_mesh *poly, const char *name, dls_message *message)
{
  if (!indices_fit(poly))
    return dls_fail(message, DLS_ERR_MODEL, "'%s': faces must be polygons of its vertices", name);
  const int sides = poly->first[poly->faces];
  // Euler's formula, E = V + F - 2
  const bool closed = sides % 2 == 0 && sides / 2 == poly->vertices + poly->faces - 2;
  if (!closed || sides > 6 * (ptrdiff_t)poly->vertices)
    return dls_fail(message, DLS_ERR_MODEL, "'%s': its faces do not close", name);
  half_edge *half = dls_alloc(sides, sizeof *half);
  int *queue = dls_alloc(2 * (ptrdiff_t)poly->vertices, sizeof *queue);
  dls_status status = half && queue && allocate(poly, sides) ? DLS_OK : DLS_ERR_MEMORY;
  if (!status) {
    list_halves(poly, half);
    qsort(half, (size_t)sides, sizeof *half, by_vertices);
    bool fits = join(poly, half, sides);
    if (fits) list_neighbours(poly), fits = connected(poly, queue, queue + poly->vertices);
    for (int f = 0; fits && f < poly->faces; f++) fits = face_plane(poly, f);
    if (!fits) status = dls_fail(message, DLS_ERR_MODEL, "'%s': its faces do not close", name);
    else if (!thick(poly) || !convex(poly))
      status = dls_fail(message, DLS_ERR_MODEL, "'%s': it is not convex", name);
  }
  free(half), free(queue);
  return status;
}
