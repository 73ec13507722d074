// Convex hulls by qhull_r. Facets in one plane are merged there; what it cannot close is tried
// again with less merging.
#include "base/memory.h"
#include "base/message.h"

#include <delassus/hull.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

// Facets whose centres are so near to the plane of their neighbours, relative to the largest
// extent, are one face: files with numbers in single precision have faces as flat as that. Then as
// flat as rounding in doubles is. Then triangles.
static const char *const ways[] = {"qhull C-1e-6", "qhull C-0", "qhull Qt"};

void dls_hull_free(dls_hull *hull)
{
  if (!hull) return;
  free(hull->vertex), free(hull->first), free(hull->face);
  free(hull);
}

// ---- the points ---------------------------------------------------------------------------------

// Copies with the middle at 0 and the largest extent between 1 and 2: qhull's tolerances are for
// such. False when a number is not finite, or they have no extent.
static dls_status scaled_copy(int points, const double *point, double *copy, dls_message *message)
{
  double low[3] = {0}, high[3] = {0}, extent = 0;
  for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)points; k++) {
    const ptrdiff_t i = k % 3;
    if (!isfinite(point[k]))
      return dls_fail(message, DLS_ERR_NUMBER, "point %td is not finite", k / 3);
    low[i] = k < 3 || point[k] < low[i] ? point[k] : low[i];
    high[i] = k < 3 || point[k] > high[i] ? point[k] : high[i];
  }
  for (int i = 0; i < 3; i++) extent = fmax(extent, high[i] / 2 - low[i] / 2);
  if (!(extent > DBL_MIN))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the points of a hull must not lie in a plane");
  const int exponent = ilogb(extent);
  for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)points; k++) {
    const double middle = low[k % 3] / 2 + high[k % 3] / 2;
    copy[k] = ldexp(point[k] / 2 - middle / 2, -exponent);
  }
  return DLS_OK;
}

// ---- faces --------------------------------------------------------------------------------------

typedef struct around {
  double angle;
  int vertex;
} around;

static int by_angle(const void *x, const void *y)
{
  const around *a = x, *b = y;
  if (a->angle != b->angle) return a->angle < b->angle ? -1 : 1;
  return a->vertex - b->vertex;
}

// The corners of a facet, counterclockwise around its outward normal.
static void order_corners(const double *copy, const double *normal, int count, around *corner)
{
  double middle[3] = {0}, t[2][3];
  const int k = fabs(normal[0]) < 0.7 ? 0 : 1;
  for (int i = 0; i < 3; i++) t[0][i] = (i == k) - normal[k] * normal[i];
  for (int i = 0; i < 3; i++)
    t[1][i] = normal[(i + 1) % 3] * t[0][(i + 2) % 3] - normal[(i + 2) % 3] * t[0][(i + 1) % 3];
  for (int c = 0; c < count; c++)
    for (int i = 0; i < 3; i++) middle[i] += copy[3 * (ptrdiff_t)corner[c].vertex + i] / count;
  for (int c = 0; c < count; c++) {
    double x = 0, y = 0;
    for (int i = 0; i < 3; i++) {
      const double d = copy[3 * (ptrdiff_t)corner[c].vertex + i] - middle[i];
      x += t[0][i] * d, y += t[1][i] * d;
    }
    corner[c].angle = atan2(y, x);
  }
  qsort(corner, (size_t)count, sizeof *corner, by_angle);
}

// Faces with corners that are numbers of points. In qhull's order, which the points decide.
static dls_status read_faces(qhT *qh, const double *copy, dls_hull *hull)
{
  facetT *facet;
  vertexT *vertex, **vertexp;
  ptrdiff_t corners = 0, most = 0;
  FORALLfacets
  {
    const ptrdiff_t count = qh_setsize(qh, facet->vertices);
    corners += count, most = count > most ? count : most, hull->faces++;
  }
  if (corners > INT_MAX) return DLS_ERR_LIMIT;
  hull->first = dls_alloc((ptrdiff_t)hull->faces + 1, sizeof *hull->first);
  hull->face = dls_alloc(corners, sizeof *hull->face);
  around *corner = dls_alloc(most, sizeof *corner);
  if (!hull->first || !hull->face || !corner) {
    free(corner);
    return DLS_ERR_MEMORY;
  }
  int face = 0, used = 0;
  FORALLfacets
  {
    int count = 0;
    FOREACHvertex_(facet->vertices) corner[count++].vertex = qh_pointid(qh, vertex->point);
    order_corners(copy, facet->normal, count, corner);
    for (int c = 0; c < count; c++) hull->face[used++] = corner[c].vertex;
    hull->first[++face] = used;
  }
  free(corner);
  return DLS_OK;
}

// Only the points that are corners, in their order.
static dls_status keep_corners(int points, const double *point, dls_hull *hull)
{
  int *number = dls_alloc(points, sizeof *number);
  if (!number) return DLS_ERR_MEMORY;
  const int corners = hull->first[hull->faces];
  for (int k = 0; k < corners; k++) number[hull->face[k]] = 1;
  for (int k = 0; k < points; k++)
    if (number[k]) number[k] = ++hull->vertices;
  hull->vertex = dls_alloc(3 * (ptrdiff_t)hull->vertices, sizeof *hull->vertex);
  if (hull->vertex) {
    for (int k = 0; k < points; k++)
      if (number[k])
        dls_copy(&hull->vertex[3 * (ptrdiff_t)(number[k] - 1)], &point[3 * (ptrdiff_t)k], 3);
    for (int k = 0; k < corners; k++) hull->face[k] = number[hull->face[k]] - 1;
  }
  free(number);
  return hull->vertex ? DLS_OK : DLS_ERR_MEMORY;
}

// ---- whether it closes --------------------------------------------------------------------------

typedef struct side {
  int low, high;
  bool back;
} side;

static int by_ends(const void *x, const void *y)
{
  const side *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->back - b->back;
}

// Every side is there twice, there and back, and Euler's formula holds.
static dls_status closes(const dls_hull *hull, bool *does)
{
  const int sides = hull->first[hull->faces];
  side *list = dls_alloc(sides, sizeof *list);
  if (!list) return DLS_ERR_MEMORY;
  for (int f = 0; f < hull->faces; f++)
    for (int k = hull->first[f]; k < hull->first[f + 1]; k++) {
      const int to = hull->face[k + 1 < hull->first[f + 1] ? k + 1 : hull->first[f]];
      const int from = hull->face[k];
      list[k] = (side){from < to ? from : to, from < to ? to : from, from > to};
    }
  qsort(list, (size_t)sides, sizeof *list, by_ends);
  *does = sides % 2 == 0 && sides / 2 == hull->vertices + hull->faces - 2;
  for (int k = 0; *does && k < sides; k += 2)
    *does = list[k].low == list[k + 1].low && list[k].high == list[k + 1].high && !list[k].back &&
            list[k + 1].back && (k == 0 || by_ends(&list[k - 1], &list[k + 1]) != 0);
  free(list);
  return DLS_OK;
}

// ---- qhull --------------------------------------------------------------------------------------

// It prints to the file that it is given, and does not free its memory when it fails.
static dls_status attempt(int points, const double *point, double *copy, const char *way,
                          FILE *nowhere, dls_hull *hull, bool *does)
{
  qhT qh;
  int kept, total;
  char command[32];
  snprintf(command, sizeof command, "%s", way);
  *does = false;
  qh_zero(&qh, nowhere);
  const int code = qh_new_qhull(&qh, 3, points, copy, False, command, nowhere, nowhere);
  dls_status status = code == qh_ERRnone       ? DLS_OK
                      : code == qh_ERRmem      ? DLS_ERR_MEMORY
                      : code == qh_ERRinput    ? DLS_ERR_ARGUMENT
                      : code == qh_ERRsingular ? DLS_ERR_ARGUMENT
                                               : DLS_ERR_SOLVER;
  if (!status) status = read_faces(&qh, copy, hull);
  qh_freeqhull(&qh, !qh_ALL);
  qh_memfreeshort(&qh, &kept, &total);
  if (!status) status = keep_corners(points, point, hull);
  if (!status) status = closes(hull, does);
  return status;
}

static dls_status try_ways(int points, const double *point, double *copy, FILE *nowhere,
                           dls_hull **out, dls_message *message)
{
  dls_status status = DLS_OK;
  for (int w = 0; w < dls_count_of(ways); w++) {
    dls_hull *hull = dls_alloc(1, sizeof *hull);
    bool does = false;
    status = hull ? attempt(points, point, copy, ways[w], nowhere, hull, &does) : DLS_ERR_MEMORY;
    if (!status && does) {
      *out = hull;
      return DLS_OK;
    }
    dls_hull_free(hull);
    if (status == DLS_ERR_MEMORY) return dls_fail(message, status, "out of memory");
    if (status == DLS_ERR_ARGUMENT)
      return dls_fail(message, status, "the points of a hull must not lie in a plane");
  }
  return dls_fail(message, DLS_ERR_SOLVER, "the hull of the points does not close");
}

dls_status dls_hull_create(int points, const double *point, dls_hull **out, dls_message *message)
{
  *out = NULL;
  if (points < 4 || !point)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a hull needs four points, not in a plane");
  double *copy = dls_alloc(3 * (ptrdiff_t)points, sizeof *copy);
  if (!copy) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  dls_status status = scaled_copy(points, point, copy, message);
  FILE *nowhere = status ? NULL : fopen("/dev/null", "w");
  if (!status)
    status = nowhere ? try_ways(points, point, copy, nowhere, out, message)
                     : dls_fail(message, DLS_ERR_FILE, "/dev/null could not be opened");
  if (nowhere) fclose(nowhere);
  free(copy);
  return status;
}
