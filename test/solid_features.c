#include "solid_features.h"

#include <math.h>
#include <string.h>

#include "numbers.h"

// ---- vectors ------------------------------------------------------------------------------------

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalize(double *n)
{
  const double size = sqrt(dot(n, n));
  for (int i = 0; i < 3; i++) n[i] /= size;
}

void random_unit(double n[3])
{
  double square;
  do {
    for (int i = 0; i < 3; i++) n[i] = uniform();
    square = dot(n, n);
  } while (square > 1 || square < 0.01);
  normalize(n);
}

void random_rotation(double R[9])
{
  double a[3], b[3];
  random_unit(a), random_unit(b);
  rotation_between(a, b, R);
}

// Columns x, y, z with z = n, turned about it at random.
static void frame_along(const double n[3], double F[9])
{
  double x[3], y[3], along;
  do {
    random_unit(x);
    along = dot(x, n);
  } while (fabs(along) > 0.9);
  for (int i = 0; i < 3; i++) x[i] -= along * n[i];
  normalize(x), cross(n, x, y);
  for (int i = 0; i < 3; i++) F[3 * i] = x[i], F[3 * i + 1] = y[i], F[3 * i + 2] = n[i];
}

void rotation_between(const double a[3], const double b[3], double R[9])
{
  double A[9], B[9];
  frame_along(a, A), frame_along(b, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = dot(&B[3 * i], &A[3 * j]);
}

// ---- solids -------------------------------------------------------------------------------------

static const double octahedron[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
static const int octahedron_face[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                        2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
enum { PRISM = 7 };

// A prism over a polygon, cut by a slanted plane.
static void draw_prism(any_solid *any)
{
  dls_solid *s = &any->solid;
  s->vertices = 2 * PRISM, s->faces = PRISM + 2;
  for (int k = 0; k < PRISM; k++) {
    const double t = 2 * acos(-1) * k / PRISM;
    for (int top = 0; top < 2; top++) {
      double *x = &any->vertex[3 * (k + top * PRISM)];
      x[0] = cos(t), x[1] = sin(t), x[2] = top ? 0.7 + 0.2 * x[0] : -0.5;
    }
  }
  int used = 0;
  for (int k = 0; k < PRISM; k++) any->face[used++] = PRISM - 1 - k;
  any->first[1] = used;
  for (int k = 0; k < PRISM; k++) any->face[used++] = PRISM + k;
  any->first[2] = used;
  for (int k = 0; k < PRISM; k++) {
    const int next = (k + 1) % PRISM;
    const int side[4] = {k, next, next + PRISM, k + PRISM};
    for (int i = 0; i < 4; i++) any->face[used++] = side[i];
    any->first[3 + k] = used;
  }
}

static void draw_hull(any_solid *any, double scale)
{
  dls_solid *s = &any->solid;
  if (below(2)) {
    s->vertices = 6, s->faces = 8;
    memcpy(any->vertex, octahedron, sizeof octahedron);
    memcpy(any->face, octahedron_face, sizeof octahedron_face);
    for (int f = 0; f <= 8; f++) any->first[f] = 3 * f;
  } else {
    draw_prism(any);
  }
  double R[9], stretch[3];
  random_rotation(R);
  for (int i = 0; i < 3; i++) stretch[i] = scale * (0.75 + uniform() / 3);
  for (int v = 0; v < s->vertices; v++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = stretch[i] * any->vertex[3 * v + i] + 0.1 * scale;
    for (int i = 0; i < 3; i++) any->vertex[3 * v + i] = dot(&R[3 * i], x);
  }
  s->vertex = any->vertex, s->first = any->first, s->face = any->face;
}

void any_solid_draw(any_solid *any, dls_solid_kind kind, double scale)
{
  *any = (any_solid){.solid = {.name = "solid", .kind = kind}};
  for (int i = 0; i < 3; i++) any->solid.size[i] = scale * (0.75 + uniform() / 2);
  if (kind == DLS_SOLID_HULL) draw_hull(any, scale);
}

// ---- the parts of a polyhedron ------------------------------------------------------------------

static void face_normal(const dls_solid *s, int f, double n[3])
{
  memset(n, 0, 3 * sizeof *n);
  const double *o = &s->vertex[3 * s->face[s->first[f]]];
  for (int k = s->first[f] + 1; k + 1 < s->first[f + 1]; k++) {
    double a[3], b[3], c[3];
    for (int i = 0; i < 3; i++) {
      a[i] = s->vertex[3 * s->face[k] + i] - o[i];
      b[i] = s->vertex[3 * s->face[k + 1] + i] - o[i];
    }
    cross(a, b, c);
    for (int i = 0; i < 3; i++) n[i] += c[i];
  }
  normalize(n);
}

static bool has(const dls_solid *s, int f, int vertex)
{
  for (int k = s->first[f]; k < s->first[f + 1]; k++)
    if (s->face[k] == vertex) return true;
  return false;
}

// The e-th edge in the order of its vertices; its faces; -1 faces: none. Returns the number of
// edges when e < 0.
static int find_edge(const dls_solid *s, int e, int vertex[2], int face[2])
{
  int count = 0;
  for (int i = 0; i < s->vertices; i++)
    for (int j = i + 1; j < s->vertices; j++) {
      int shared = 0, found[2];
      for (int f = 0; f < s->faces; f++)
        if (has(s, f, i) && has(s, f, j) && shared < 2) found[shared++] = f;
      if (shared < 2) continue;
      if (count++ != e) continue;
      vertex[0] = i, vertex[1] = j, face[0] = found[0], face[1] = found[1];
    }
  return count;
}

static double weight(void)
{
  return 0.6 + 0.5 * uniform();
}

static void sample_hull(const dls_solid *s, int feature, double x[3], double n[3])
{
  int edge[2], beside[2];
  const int edges = find_edge(s, feature - s->vertices, edge, beside);
  double w[3];
  memset(n, 0, 3 * sizeof *n), memset(x, 0, 3 * sizeof *x);
  if (feature < s->vertices) {
    for (int f = 0; f < s->faces; f++) {
      if (!has(s, f, feature)) continue;
      face_normal(s, f, w);
      const double part = weight();
      for (int i = 0; i < 3; i++) n[i] += part * w[i];
    }
    memcpy(x, &s->vertex[3 * feature], 3 * sizeof *x);
  } else if (feature < s->vertices + edges) {
    const double part = 0.5 + 0.45 * uniform();
    for (int k = 0; k < 2; k++) {
      face_normal(s, beside[k], w);
      const double p = weight();
      for (int i = 0; i < 3; i++) n[i] += p * w[i];
      for (int i = 0; i < 3; i++) x[i] += (k ? part : 1 - part) * s->vertex[3 * edge[k] + i];
    }
  } else {
    const int f = feature - s->vertices - edges;
    face_normal(s, f, n);
    double sum = 0;
    for (int k = s->first[f]; k < s->first[f + 1]; k++) {
      const double p = weight();
      sum += p;
      for (int i = 0; i < 3; i++) x[i] += p * s->vertex[3 * s->face[k] + i];
    }
    for (int i = 0; i < 3; i++) x[i] /= sum;
  }
  normalize(n);
}

// ---- features -----------------------------------------------------------------------------------

int solid_feature_count(const dls_solid *s)
{
  int unused[2];
  switch (s->kind) {
  case DLS_SOLID_CAPSULE: return 3;
  case DLS_SOLID_CYLINDER: return 53;
  case DLS_SOLID_BOX: return 27;
  case DLS_SOLID_HULL: return s->vertices + s->faces + find_edge(s, -1, unused, unused);
  default: return 1;
  }
}

feature_sort solid_feature_sort(const dls_solid *s, int feature)
{
  switch (s->kind) {
  case DLS_SOLID_PLANE: return FEATURE_FACE;
  case DLS_SOLID_SPHERE: return FEATURE_BALL;
  case DLS_SOLID_ELLIPSOID: return FEATURE_SURFACE;
  case DLS_SOLID_CAPSULE: return feature == 0 ? FEATURE_LINE : FEATURE_BALL;
  case DLS_SOLID_CYLINDER:
    return feature == 0   ? FEATURE_LINE
           : feature < 3  ? FEATURE_RIM
           : feature < 5  ? FEATURE_FACE
           : feature < 29 ? FEATURE_CORNER
                          : FEATURE_LINE;
  case DLS_SOLID_BOX: {
    int zeros = 0;
    for (int k = 0, f = feature; k < 3; k++, f /= 3) zeros += f % 3 == 1;
    return zeros == 0   ? FEATURE_CORNER
           : zeros == 1 ? FEATURE_LINE
           : zeros == 2 ? FEATURE_FACE
                        : FEATURE_NONE;
  }
  default: {
    int unused[2];
    const int e = feature - s->vertices;
    return e < 0                                  ? FEATURE_CORNER
           : e < find_edge(s, -1, unused, unused) ? FEATURE_LINE
                                                  : FEATURE_FACE;
  }
  }
}

static void sample_box(const dls_solid *s, int feature, double x[3], double n[3])
{
  for (int i = 0; i < 3; i++, feature /= 3) {
    const int sign = feature % 3 - 1;
    x[i] = s->size[i] / 2 * (sign ? sign : 0.95 * uniform());
    n[i] = sign * weight();
  }
  normalize(n);
}

static void sample_cylinder(const dls_solid *s, int feature, double x[3], double n[3])
{
  const double r = s->size[0], h = s->size[1] / 2, pi = acos(-1);
  double t = pi * uniform(), end = 1, tilt = pi / 4 * (1 + 0.8 * uniform());
  double d = r;
  if (feature == 0) {
    tilt = pi / 2, end = 0.95 * uniform();
  } else if (feature < 3) {
    end = feature == 1 ? -1 : 1;
  } else if (feature < 5) {
    end = feature == 3 ? -1 : 1, tilt = 0, d = r * 0.95 * uniform();
  } else if (feature < 29) {
    end = feature < 17 ? -1 : 1, t = pi / 6 * ((feature - 5) % 12);
  } else {
    end = feature < 41 ? -1 : 1;
    const double middle = pi / 6 * ((feature - 29) % 12 + 0.5);
    const double along = 0.95 * uniform() * r * sin(pi / 12);
    const double far = r * cos(pi / 12);
    x[0] = far * cos(middle) - along * sin(middle), x[1] = far * sin(middle) + along * cos(middle);
    x[2] = end * h;
    n[0] = sin(tilt) * cos(middle), n[1] = sin(tilt) * sin(middle), n[2] = end * cos(tilt);
    return;
  }
  x[0] = d * cos(t), x[1] = d * sin(t), x[2] = end * h;
  n[0] = sin(tilt) * cos(t), n[1] = sin(tilt) * sin(t), n[2] = (end > 0 ? 1 : -1) * cos(tilt);
  if (feature == 0) n[2] = 0;
}

static void sample_capsule(const dls_solid *s, int feature, double x[3], double n[3])
{
  random_unit(n);
  double z = feature == 1 ? -s->size[1] / 2 : s->size[1] / 2;
  if (feature == 0) n[2] = 0, normalize(n), z *= 0.95 * uniform();
  if (feature > 0) n[2] = (feature == 1 ? -1 : 1) * fabs(n[2]);
  for (int i = 0; i < 3; i++) x[i] = s->size[0] * n[i];
  x[2] += z;
}

void solid_feature_sample(const dls_solid *s, int feature, double x[3], double n[3])
{
  memset(x, 0, 3 * sizeof *x), memset(n, 0, 3 * sizeof *n);
  switch (s->kind) {
  case DLS_SOLID_PLANE:
    n[2] = 1, x[0] = s->size[0] * uniform(), x[1] = s->size[0] * uniform();
    return;
  case DLS_SOLID_SPHERE:
    random_unit(n);
    for (int i = 0; i < 3; i++) x[i] = s->size[0] * n[i];
    return;
  case DLS_SOLID_ELLIPSOID: {
    random_unit(n);
    const double size = solid_support(s, n);
    for (int i = 0; i < 3; i++) x[i] = s->size[i] * s->size[i] * n[i] / size;
    return;
  }
  case DLS_SOLID_CAPSULE: sample_capsule(s, feature, x, n); return;
  case DLS_SOLID_CYLINDER: sample_cylinder(s, feature, x, n); return;
  case DLS_SOLID_BOX: sample_box(s, feature, x, n); return;
  default: sample_hull(s, feature, x, n);
  }
}

double solid_support(const dls_solid *s, const double n[3])
{
  const double size = sqrt(dot(n, n)), *l = s->size;
  switch (s->kind) {
  case DLS_SOLID_PLANE: return n[0] == 0 && n[1] == 0 && n[2] > 0 ? 0 : INFINITY;
  case DLS_SOLID_SPHERE: return l[0] * size;
  case DLS_SOLID_CAPSULE: return l[0] * size + l[1] / 2 * fabs(n[2]);
  case DLS_SOLID_CYLINDER: return l[0] * hypot(n[0], n[1]) + l[1] / 2 * fabs(n[2]);
  case DLS_SOLID_ELLIPSOID: return hypot(hypot(l[0] * n[0], l[1] * n[1]), l[2] * n[2]);
  case DLS_SOLID_BOX: return (l[0] * fabs(n[0]) + l[1] * fabs(n[1]) + l[2] * fabs(n[2])) / 2;
  default: {
    double most = -INFINITY;
    for (int v = 0; v < s->vertices; v++) most = fmax(most, dot(n, &s->vertex[3 * v]));
    return most;
  }
  }
}
