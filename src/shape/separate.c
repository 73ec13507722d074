// The direction that keeps two solids apart best, from the differences of their points,
// D = {x_A - x_B}: apart, it is that of the point of D nearest to the origin; overlapping, minus
// the normal of the face of D that is. A polyhedron inside D grows where D reaches farther than it,
// until it does not: both cases, and the one between them, are questions to the same polyhedron.
//                                                                                     eq (gap.8)
#include "shape/support.h"

#include "base/memory.h"
#include "linalg/vector3.h"

#include <math.h>

enum {
  ROUNDS = 64,  // a dozen are usual; curved solids stop at their accuracy
  CORNERS = ROUNDS + 4,
  FACETS = 2 * CORNERS,
  SIDES = 3 * FACETS
};

// Relative to the size of the solids. Features are chosen here, and measured elsewhere.
static const double touching_distance = 1e-7;  // of D from the origin: normals of faces decide
static const double same_plane = 1e-12, same_depth = 1e-9;
static const double exact_enough = 1e-9, curved_enough = 1e-6;
static const double other_direction = 0.9;  // cosine

typedef struct facet {
  int v[3];
  double m[3], d;  // outward normal and distance from the origin
} facet;

typedef struct inner {
  dls_posed *a, *b;
  double size, radius;
  int corners, facets;
  double w[CORNERS][3];
  facet facet[FACETS];
} inner;

static void difference(const double x[3], const double y[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = x[i] - y[i];
}

static bool normalize(double n[3])
{
  const double size = sqrt(dls_dot3(n, n));
  for (int i = 0; i < 3; i++) n[i] /= size;
  return size > 0 && isfinite(size);
}

// The point of D that lies farthest along m.
static void far_point(inner *s, const double m[3], double w[3])
{
  const double back[3] = {-m[0], -m[1], -m[2]};
  double x[3], y[3];
  dls_posed_far(s->a, m, x), dls_posed_far(s->b, back, y);
  difference(x, y, w);
}

// ---- the polyhedron -----------------------------------------------------------------------------

static void add_facet(inner *s, int a, int b, int c)
{
  if (s->facets == FACETS) return;
  facet *f = &s->facet[s->facets++];
  *f = (facet){.v = {a, b, c}};
  double x[3], y[3];
  difference(s->w[b], s->w[a], x), difference(s->w[c], s->w[a], y);
  dls_cross(x, y, f->m);
  // a sliver is kept for its sides, and never asked
  f->d = normalize(f->m) ? dls_dot3(f->m, s->w[a]) : INFINITY;
}

static bool first_corners(inner *s, const double along[3])
{
  double x[3], y[3], back[3], w[2][3];
  for (int i = 0; i < 3; i++) back[i] = -along[i];
  far_point(s, back, s->w[0]), far_point(s, along, s->w[1]);
  difference(s->w[1], s->w[0], x);
  const int k = fabs(x[0]) <= fabs(x[1]) && fabs(x[0]) <= fabs(x[2]) ? 0
                : fabs(x[1]) <= fabs(x[2])                           ? 1
                                                                     : 2;
  double e[3] = {0};
  e[k] = 1;
  dls_cross(x, e, y);
  for (int i = 0; i < 3; i++) back[i] = -y[i];
  far_point(s, y, w[0]), far_point(s, back, w[1]);
  const double up = dls_dot3(y, w[0]) - dls_dot3(y, s->w[0]);
  const double down = dls_dot3(y, s->w[0]) - dls_dot3(y, w[1]);
  dls_copy(s->w[2], w[up >= down ? 0 : 1], 3);
  double z[3];
  difference(s->w[2], s->w[0], y), dls_cross(x, y, z);
  for (int i = 0; i < 3; i++) back[i] = -z[i];
  far_point(s, z, w[0]), far_point(s, back, w[1]);
  const double above = dls_dot3(z, w[0]) - dls_dot3(z, s->w[0]);
  const double below = dls_dot3(z, s->w[0]) - dls_dot3(z, w[1]);
  dls_copy(s->w[3], w[above >= below ? 0 : 1], 3);
  s->corners = 4;
  if (!(fmax(above, below) > 0)) return false;
  // seen from above, 0 1 2 turn to the left
  static const int seen_from_above[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  for (int f = 0; f < 4; f++) {
    const int *v = &seen_from_above[3 * f];
    if (above >= below) add_facet(s, v[0], v[1], v[2]);
    else add_facet(s, v[0], v[2], v[1]);
  }
  return true;
}

typedef struct horizon {
  int sides, side[SIDES][2];
} horizon;

// A side that two facets share is inside.
static void add_side(horizon *h, int from, int to)
{
  for (int k = 0; k < h->sides; k++)
    if (h->side[k][0] == to && h->side[k][1] == from) {
      h->sides--;
      h->side[k][0] = h->side[h->sides][0], h->side[k][1] = h->side[h->sides][1];
      return;
    }
  h->side[h->sides][0] = from, h->side[h->sides++][1] = to;
}

// Facets that see w, or lie in a plane with it, give way to those from their outline to w.
static bool grow(inner *s, const double w[3])
{
  if (s->corners == CORNERS) return false;
  horizon h = {0};
  int kept = 0;
  for (int k = 0; k < s->facets; k++) {
    const facet f = s->facet[k];
    if (dls_dot3(f.m, w) - f.d > -same_plane * s->size)
      for (int i = 0; i < 3; i++) add_side(&h, f.v[i], f.v[(i + 1) % 3]);
    else s->facet[kept++] = f;
  }
  s->facets = kept;
  if (h.sides < 3 || kept == 0 || kept + h.sides > FACETS) return false;
  const int corner = s->corners++;
  dls_copy(s->w[corner], w, 3);
  for (int k = 0; k < h.sides; k++) add_facet(s, h.side[k][0], h.side[k][1], corner);
  return true;
}

static bool is_corner(const inner *s, const double w[3])
{
  for (int k = 0; k < s->corners; k++) {
    double d[3];
    difference(w, s->w[k], d);
    if (dls_dot3(d, d) <= 1e-26 * s->size * s->size) return true;
  }
  return false;
}

// ---- the point nearest to the origin ------------------------------------------------------------

// Of the segment from x to y.
static void on_segment(const double x[3], const double y[3], double p[3])
{
  double d[3];
  difference(y, x, d);
  const double square = dls_dot3(d, d), t = square > 0 ? -dls_dot3(x, d) / square : 0;
  const double part = t < 0 ? 0 : t > 1 ? 1 : t;
  for (int i = 0; i < 3; i++) p[i] = x[i] + part * d[i];
}

// Of a triangle: the foot on its plane, or a point of its sides.
static void on_facet(const inner *s, const facet *f, double p[3])
{
  for (int i = 0; i < 3; i++) p[i] = f->d * f->m[i];
  bool inside = true;
  double best = INFINITY, nearest[3] = {0};
  for (int k = 0; k < 3; k++) {
    const double *x = s->w[f->v[k]], *y = s->w[f->v[(k + 1) % 3]];
    double side[3], to[3], out[3], q[3];
    difference(y, x, side), difference(p, x, to), dls_cross(side, f->m, out);
    if (dls_dot3(to, out) > 0) inside = false;
    on_segment(x, y, q);
    const double square = dls_dot3(q, q);
    if (square < best) best = square, dls_copy(nearest, q, 3);
  }
  if (!inside) dls_copy(p, nearest, 3);
}

static int nearest_facet(const inner *s)
{
  int best = 0;
  for (int k = 1; k < s->facets; k++)
    if (s->facet[k].d < s->facet[best].d) best = k;
  return best;
}

// False when the origin is inside, or as good as.
static bool nearest_point(const inner *s, double p[3])
{
  double best = INFINITY;
  for (int k = 0; k < s->facets; k++) {
    double q[3];
    // of facets in one plane with the origin rounding makes some look away, and one holds it
    if (s->facet[k].d >= same_plane * s->size) continue;
    on_facet(s, &s->facet[k], q);
    const double square = dls_dot3(q, q);
    if (square < best) best = square, dls_copy(p, q, 3);
  }
  return isfinite(best) && sqrt(best) > touching_distance * s->size;
}

static bool another_as_deep(const inner *s, int best)
{
  const facet *f = &s->facet[best];
  for (int k = 0; k < s->facets; k++)
    if (s->facet[k].d - f->d <= same_depth * s->size &&
        dls_dot3(s->facet[k].m, f->m) < other_direction)
      return f->d > same_depth * s->size;
  return false;
}

// One round: n and g(n), and a new point of D where it reaches farther than the polyhedron. True
// when that is not so, or the solids are further apart than reach.
static bool settled(inner *s, double reach, double n[3], double *gap, double w[3], int *facet_used)
{
  double p[3] = {0}, bound;
  *facet_used = -1;
  if (nearest_point(s, p)) {
    bound = sqrt(dls_dot3(p, p));
    for (int i = 0; i < 3; i++) n[i] = p[i] / bound;
  } else {
    *facet_used = nearest_facet(s);
    bound = -s->facet[*facet_used].d;
    for (int i = 0; i < 3; i++) n[i] = -s->facet[*facet_used].m[i];
  }
  const double back[3] = {-n[0], -n[1], -n[2]};
  far_point(s, back, w);
  *gap = dls_dot3(n, w) - s->radius;
  const bool curved = !(s->a->form->polyhedral || s->a->radius > 0) ||
                      !(s->b->form->polyhedral || s->b->radius > 0);
  const double left = bound - s->radius - *gap;
  return *gap > reach || left <= (curved ? curved_enough : exact_enough) * s->size ||
         is_corner(s, w);
}

// ---- two segments -------------------------------------------------------------------------------

static bool is_segment(const dls_posed *solid)
{
  return solid->radius > 0;
}

// Nearest points of the axes of spheres and capsules.
static void between_segments(const dls_posed *a, const dls_posed *b, double w[3])
{
  const dls_posed *solid[2] = {a, b};
  double x[2][3], u[2][3], t[2] = {0, 0}, d[3];
  for (int k = 0; k < 2; k++) {
    const double half = solid[k]->form->kind == DLS_SOLID_CAPSULE ? solid[k]->form->size[1] : 0;
    for (int i = 0; i < 3; i++)
      x[k][i] = solid[k]->at.p[i], u[k][i] = half * solid[k]->at.R[3 * i + 2];
  }
  difference(x[0], x[1], d);
  const double A = dls_dot3(u[0], u[0]), B = dls_dot3(u[1], u[1]), C = dls_dot3(u[0], u[1]);
  const double p = dls_dot3(u[0], d), q = dls_dot3(u[1], d), det = A * B - C * C;
  if (det > 1e-12 * A * B) t[0] = fmin(fmax((C * q - B * p) / det, -1), 1);
  for (int round = 0; round < 2; round++) {
    if (B > 0) t[1] = fmin(fmax((q + C * t[0]) / B, -1), 1);
    if (A > 0) t[0] = fmin(fmax((C * t[1] - p) / A, -1), 1);
  }
  for (int i = 0; i < 3; i++) w[i] = d[i] + t[0] * u[0][i] - t[1] * u[1][i];
}

static bool separate_segments(dls_posed *a, dls_posed *b, double reach, double n[3], double *gap,
                              bool *alike)
{
  double w[3];
  between_segments(a, b, w);
  const double distance = sqrt(dls_dot3(w, w)), radius = a->radius + b->radius;
  *gap = distance - radius;
  *alike = distance <= 1e-14 * (radius + dls_posed_size(a) + dls_posed_size(b));
  for (int i = 0; i < 3; i++) n[i] = *alike ? i == 2 : w[i] / distance;
  return !(*gap > reach);
}

bool dls_separate(dls_posed *a, dls_posed *b, double reach, double n[3], double *gap, bool *alike)
{
  *alike = false;
  if (is_segment(a) && is_segment(b)) return separate_segments(a, b, reach, n, gap, alike);
  inner s;
  s.a = a, s.b = b, s.radius = a->radius + b->radius, s.corners = s.facets = 0;
  s.size = dls_posed_size(a) + dls_posed_size(b);
  double x[3], y[3], w[3];
  for (int i = 0; i < 3; i++) {
    x[i] = a->at.p[i] + dls_dot3(&a->at.R[3 * i], a->form->centre);
    y[i] = b->at.p[i] + dls_dot3(&b->at.R[3 * i], b->form->centre);
  }
  difference(x, y, n);
  if (!normalize(n)) n[0] = n[1] = 0, n[2] = 1;
  const double back[3] = {-n[0], -n[1], -n[2]};
  far_point(&s, back, w);
  *gap = dls_dot3(n, w) - s.radius;
  if (*gap > reach) return false;
  if (!first_corners(&s, n)) {
    *alike = true;
    return true;
  }
  int used = -1;
  double best[3] = {n[0], n[1], n[2]}, most = *gap;
  for (int round = 0; round < ROUNDS; round++) {
    const bool done = settled(&s, reach, n, gap, w, &used);
    if (*gap > most) most = *gap, dls_copy(best, n, 3);
    if (*gap > reach) return false;
    if (done) {
      *alike = used >= 0 && another_as_deep(&s, used);
      return true;
    }
    if (!grow(&s, w)) break;
  }
  *gap = most, dls_copy(n, best, 3);
  return true;
}
