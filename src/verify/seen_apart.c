// A direction d proves the distance of A and B that support functions leave,          eq (enc.6)
//
//   min over A of d x - max over B of d x = -h_A(-d) - h_B(d)
//
// however it was found: here by Gilbert, Johnson and Keerthi in plain arithmetic. Of what lies
// beyond a plane, m x >= c, the same with multipliers k >= 0:
//
//   min over A of n x  >=  -h_A(-(n - k m)) + k c,    max over B of n x  <=  h_B(n + k m) - k c
#include "verify/seen_apart.h"

#include <float.h>
#include <math.h>

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static double length_of(const double a[3])
{
  return hypot(hypot(a[0], a[1]), a[2]);
}

static double middle(dls_interval a)
{
  return a.low / 2 + a.high / 2;
}

// ---- bounds ------------------------------------------------------------------------------------

// n + k m.
static void tilted(const dls_interval n[3], double k, const double m[3], dls_interval out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = dls_interval_add(n[i], dls_interval_mul(dls_exactly(k), dls_exactly(m[i])));
}

static void opposite(dls_interval d[3])
{
  for (int i = 0; i < 3; i++) d[i] = (dls_interval){-d[i].high, -d[i].low};
}

// An upper bound of h(d); of a plane d is its own normal.
static double reach(const dls_seen_solid *s, const dls_interval d[3])
{
  if (s->solid->kind != DLS_SOLID_PLANE) return dls_seen_reach(s, d);
  dls_interval sum = dls_exactly(0);
  for (int i = 0; i < 3; i++) sum = dls_interval_add(sum, dls_interval_mul(d[i], s->p[i]));
  return sum.high;
}

static double largest_length(const dls_interval d[3])
{
  return dls_interval_length(dls_interval_length(d[0], d[1]), d[2]).high;
}

// A lower bound of the distance of A from B along d, of any length.
static double bound_along(const dls_seen_solid *a, const dls_seen_solid *b, const dls_interval d[3])
{
  dls_interval back[3] = {d[0], d[1], d[2]};
  opposite(back);
  const double sum = dls_add_up(reach(a, back), reach(b, d)), length = largest_length(d);
  if (!(sum < 0) || !(length > 0)) return -INFINITY;
  return -sum / length * (1 - 4 * DBL_EPSILON);
}

// ---- the nearest points ------------------------------------------------------------------------

typedef struct corner {
  double a[3], b[3], w[3];  // w = a - b
} corner;

typedef struct simplex {
  int count;
  corner corner[4];
  double weight[4];
} simplex;

// The point of least length on the affine hull of some corners: their weights. False: degenerate.
static bool affine_weights(const simplex *s, const int *index, int count, double *weight)
{
  // (w_i - w_0)(w_0 + sum y_j (w_j - w_0)) = 0
  double A[3][4], e[3][3];
  const double *o = s->corner[index[0]].w;
  const int n = count - 1;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) e[i][k] = s->corner[index[i + 1]].w[k] - o[k];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i][j] = dot(e[i], e[j]);
    A[i][n] = -dot(e[i], o);
  }
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++)
      if (fabs(A[i][c]) > fabs(A[best][c])) best = i;
    if (A[best][c] == 0) return false;
    for (int j = 0; j <= n; j++) {
      const double swap = A[c][j];
      A[c][j] = A[best][j], A[best][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      const double factor = A[i][c] / A[c][c];
      for (int j = c; j <= n && i != c; j++) A[i][j] -= factor * A[c][j];
    }
  }
  weight[0] = 1;
  for (int i = 0; i < n; i++) {
    weight[i + 1] = A[i][n] / A[i][i];
    weight[0] -= weight[i + 1];
  }
  return true;
}

static void blend(const simplex *s, const double *weight, double w[3])
{
  for (int i = 0; i < 3; i++) {
    w[i] = 0;
    for (int k = 0; k < s->count; k++) w[i] += weight[k] * s->corner[k].w[i];
  }
}

// Leaves the corners that carry the point of the simplex next to the origin: w.
static void reduce(simplex *s, double w[3])
{
  double best = INFINITY;
  simplex least = *s;
  for (int set = 1; set < 1 << s->count; set++) {
    int index[4], count = 0;
    double weight[4], all[4] = {0}, at[3];
    for (int k = 0; k < s->count; k++)
      if (set >> k & 1) index[count++] = k;
    if (!affine_weights(s, index, count, weight)) continue;
    bool inside = true;
    for (int k = 0; k < count; k++) inside &= weight[k] >= 0, all[index[k]] = weight[k];
    blend(s, all, at);
    if (!inside || !(length_of(at) < best)) continue;
    best = length_of(at);
    dls_copy(w, at, 3);
    least.count = count;
    for (int k = 0; k < count; k++) {
      least.corner[k] = s->corner[index[k]];
      least.weight[k] = weight[k];
    }
  }
  *s = least;
}

static corner furthest_corner(const dls_seen_solid *a, const dls_seen_solid *b, const double d[3])
{
  corner c = {0};
  const double back[3] = {-d[0], -d[1], -d[2]};
  dls_seen_furthest(a, back, c.a);
  dls_seen_furthest(b, d, c.b);
  for (int i = 0; i < 3; i++) c.w[i] = c.a[i] - c.b[i];
  return c;
}

// d: the direction that parts them best. x: a point of A next to B. How far that is.
static double nearest(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                      double d[3], double x[3])
{
  enum { STEPS = 300 };
  double w[3], start[3], best = -INFINITY;
  for (int i = 0; i < 3; i++) start[i] = middle(a->p[i]) - middle(b->p[i]) + (i == 0) * 1e-6;
  simplex s = {.count = 1, .corner = {furthest_corner(a, b, start)}, .weight = {1}};
  dls_copy(w, s.corner[0].w, 3);
  for (int step = 0; step < STEPS; step++) {
    const double length = length_of(w);
    if (!(length > 0)) break;
    const corner c = furthest_corner(a, b, w);
    const double bound = dot(c.w, w) / length;
    if (bound > best) best = bound, dls_copy(d, w, 3);
    // clear enough, or no nearer
    if (best > 4 * distance + DBL_EPSILON * length || length - bound <= 4 * DBL_EPSILON * length)
      break;
    if (s.count == 4) s.count = 3;
    s.corner[s.count++] = c;
    reduce(&s, w);
    if (!(length_of(w) < length)) break;
  }
  for (int i = 0; i < 3; i++) {
    x[i] = 0;
    for (int k = 0; k < s.count; k++) x[i] += s.weight[k] * s.corner[k].a[i];
  }
  return length_of(w);
}

// ---- apart -------------------------------------------------------------------------------------

static dls_seen_distance apart_from_plane(const dls_seen_solid *a, const dls_seen_solid *plane,
                                          double distance, double near[3])
{
  const double n[3] = {-middle(plane->R[2][0]), -middle(plane->R[2][1]), -middle(plane->R[2][2])};
  const dls_interval up[3] = {plane->R[2][0], plane->R[2][1], plane->R[2][2]};
  if (bound_along(a, plane, up) > distance) return DLS_SEEN_APART;
  dls_seen_furthest(a, n, near);
  return dls_seen_outside(plane, near) <= distance ? DLS_SEEN_NEAR : DLS_SEEN_UNTOLD;
}

dls_seen_distance dls_seen_apart(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                                 double near[3])
{
  double centre[2][3], d[3] = {0}, between[3];
  const double r_a = dls_seen_ball(a, centre[0]), r_b = dls_seen_ball(b, centre[1]);
  if (b->solid->kind == DLS_SOLID_PLANE) return apart_from_plane(a, b, distance, near);
  if (a->solid->kind == DLS_SOLID_PLANE) return apart_from_plane(b, a, distance, near);
  for (int i = 0; i < 3; i++) between[i] = centre[0][i] - centre[1][i];
  dls_interval way[3];
  if (length_of(between) > 2 * (r_a + r_b + distance)) {
    for (int i = 0; i < 3; i++) way[i] = dls_exactly(between[i]);
    if (bound_along(a, b, way) > distance) return DLS_SEEN_APART;
  }
  const double found = nearest(a, b, distance, d, near);
  for (int i = 0; i < 3; i++) way[i] = dls_exactly(d[i]);
  if (bound_along(a, b, way) > distance) return DLS_SEEN_APART;
  return found <= distance ? DLS_SEEN_NEAR : DLS_SEEN_UNTOLD;
}

// Overlapping solids: the best of many directions, then smaller changes of it.
static void least_overlap(const dls_seen_solid *a, const dls_seen_solid *b, double d[3])
{
  enum { ROUNDS = 60 };
  double best = -INFINITY, step = 1;
  for (int round = 0; round < ROUNDS; round++) {
    if (round > 3) step *= 0.6;
    const double base[3] = {d[0], d[1], d[2]};
    for (int k = 1; k < 27; k++) {
      const int way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      double tried[3];
      for (int i = 0; i < 3; i++) tried[i] = base[i] + step * way[i];
      const double length = length_of(tried);
      if (!(length > 0)) continue;
      for (int i = 0; i < 3; i++) tried[i] /= length;
      const corner c = furthest_corner(a, b, tried);
      if (dot(c.w, tried) > best) best = dot(c.w, tried), dls_copy(d, tried, 3);
    }
  }
}

void dls_seen_direction(const dls_seen_solid *a, const dls_seen_solid *b, double d[3])
{
  double x[3];
  for (int i = 0; i < 3; i++) d[i] = middle(a->p[i]) - middle(b->p[i]);
  for (int side = 0; side < 2; side++) {
    const dls_seen_solid *s = side ? b : a;
    if (s->solid->kind != DLS_SOLID_PLANE) continue;
    for (int i = 0; i < 3; i++) d[i] = (side ? 1 : -1) * middle(s->R[2][i]);
    return;
  }
  const double clear = 1e-6 * fmin(dls_seen_size(a->solid), dls_seen_size(b->solid));
  if (!(nearest(a, b, INFINITY, d, x) > clear)) least_overlap(a, b, d);
}

// ---- nowhere else ------------------------------------------------------------------------------

// A lower bound of n x over what of A lies beyond m x >= c (sign 1), or of -n x of B (sign -1).
static double beyond(const dls_seen_solid *s, const dls_interval n[3], const double m[3], double c,
                     double k, int sign)
{
  dls_interval d[3];
  tilted(n, -sign * k, m, d);
  if (sign > 0) opposite(d);
  const dls_interval plane = dls_interval_mul(dls_exactly(k), dls_exactly(c));
  const dls_interval most = dls_interval_sub(dls_exactly(reach(s, d)), plane);
  return -most.high;
}

// The best multiplier: that is concave in it.
static double best_beyond(const dls_seen_solid *s, const dls_interval n[3], const double m[3],
                          double c, int sign)
{
  enum { STEPS = 60 };
  double best = beyond(s, n, m, c, 0, sign);
  if (s->solid->kind == DLS_SOLID_PLANE) return best;
  double low = -30, high = 30;  // exponents of 2
  for (int step = 0; step < STEPS; step++) {
    const double third = (high - low) / 3;
    const double left = beyond(s, n, m, c, exp2(low + third), sign);
    const double right = beyond(s, n, m, c, exp2(high - third), sign);
    best = fmax(best, fmax(left, right));
    if (left < right) low += third;
    else high -= third;
  }
  return best;
}

// What lies further than `margin` beyond the places in the direction m is apart.
static bool nothing_beyond(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                           const dls_seen_places *places, const double m[3], double margin)
{
  double c = -INFINITY, size = 0;
  for (int k = 0; k < places->count; k++) {
    c = fmax(c, dot(places->place[k].point, m));
    size = fmax(size, length_of(places->place[k].point));
  }
  c += margin - distance - 8 * DBL_EPSILON * size;
  const double low = best_beyond(a, places->normal, m, c, 1);
  const double high = best_beyond(b, places->normal, m, c, -1);
  const dls_interval gap = dls_interval_add(dls_exactly(low), dls_exactly(high));
  return gap.low > distance * largest_length(places->normal);
}

enum { MOST_PLACES = 256, MOST_SIDES = MOST_PLACES + 4 };

typedef struct outline {
  int count;
  double side[MOST_SIDES][3];
} outline;

static void add_side(outline *o, const double m[3], double sign)
{
  const double length = length_of(m);
  if (!(length > 0)) return;
  for (int i = 0; i < 3; i++) o->side[o->count][i] = sign * m[i] / length;
  o->count++;
}

static void add_both(outline *o, const double m[3])
{
  add_side(o, m, 1);
  add_side(o, m, -1);
}

// Two directions in the plane of contact: normal to the lines through the point, if there are any.
static void sides_of_point(const dls_seen_place *p, const double n[3], outline *o)
{
  double m[2][3];
  const int least = fabs(n[0]) < 0.6 ? 0 : 1;
  const double e[3] = {least == 0, least == 1, 0};
  cross(n, p->straight[0] ? p->along[0] : p->straight[1] ? p->along[1] : e, m[0]);
  cross(n, p->straight[0] && p->straight[1] ? p->along[1] : m[0], m[1]);
  add_both(o, m[0]);
  add_both(o, m[1]);
}

// At the end of a segment that goes there along e: normal to the line that cuts it off.
static void side_of_end(const dls_seen_place *p, const double n[3], const double e[3], outline *o)
{
  double m[3];
  for (int k = 0; k < 2; k++) {
    cross(n, p->along[k], m);
    if (!p->straight[k] || fabs(dot(m, e)) < 1e-3 * length_of(m) * length_of(e)) continue;
    add_side(o, m, dot(m, e) > 0 ? 1 : -1);
    return;
  }
  add_side(o, e, 1);
}

static void from_to(const dls_seen_places *p, int a, int b, double e[3])
{
  for (int i = 0; i < 3; i++) e[i] = p->place[b].point[i] - p->place[a].point[i];
}

// How far places lie beyond the line from a to b, at most, in the direction m.
static double most_beyond(const dls_seen_places *p, int a, const double m[3])
{
  double most = -INFINITY, x[3];
  for (int k = 0; k < p->count; k++) {
    from_to(p, a, k, x);
    most = fmax(most, dot(x, m) / length_of(m));
  }
  return most;
}

static void sides_of_polygon(const dls_seen_places *p, const double n[3], double flat, outline *o)
{
  for (int a = 0; a < p->count; a++)
    for (int b = 0; b < p->count && o->count < MOST_PLACES; b++) {
      double e[3], m[3];
      from_to(p, a, b, e);
      cross(e, n, m);
      if (length_of(e) > flat && most_beyond(p, a, m) <= flat) add_side(o, m, 1);
    }
}

// Those between which all places lie, and no others.
static void sides_of_places(const dls_seen_places *p, const double n[3], outline *o)
{
  double e[3], m[3], size = 0;
  int far = 0;
  for (int k = 1; k < p->count; k++) {
    from_to(p, 0, k, e);
    if (length_of(e) > size) size = length_of(e), far = k;
  }
  const double flat = 1e-9 * size;
  from_to(p, 0, far, e);
  cross(e, n, m);
  const double back[3] = {-m[0], -m[1], -m[2]};
  if (size == 0) {
    sides_of_point(&p->place[0], n, o);
  } else if (most_beyond(p, 0, m) <= flat && most_beyond(p, 0, back) <= flat) {
    // the ends of a segment: the furthest along it, both ways
    int end[2] = {0, far};
    for (int k = 0; k < p->count; k++)
      for (int side = 0; side < 2; side++) {
        double x[3];
        from_to(p, end[side], k, x);
        if ((side ? 1 : -1) * dot(x, e) > 0) end[side] = k;
      }
    const double other[3] = {-e[0], -e[1], -e[2]};
    side_of_end(&p->place[end[0]], n, other, o);
    side_of_end(&p->place[end[1]], n, e, o);
    add_both(o, m);
  } else {
    sides_of_polygon(p, n, flat, o);
  }
}

// The point of the solid next to x.
static void nearest_point(const dls_seen_solid *s, const double x[3], double out[3])
{
  if (s->solid->kind == DLS_SOLID_PLANE) {
    const double above = dls_seen_outside(s, x);
    for (int i = 0; i < 3; i++) out[i] = x[i] - above * middle(s->R[2][i]);
    return;
  }
  const dls_solid point = {.kind = DLS_SOLID_SPHERE};
  dls_seen_solid at = {.solid = &point};
  double unused[3];
  for (int i = 0; i < 3; i++) at.R[i][i] = dls_exactly(1), at.p[i] = dls_exactly(x[i]);
  if (dls_seen_outside(s, x) == 0) dls_copy(out, x, 3);
  else nearest(s, &at, INFINITY, unused, out);
}

// A point of both more than `margin` beyond m x = c: projecting on one after the other, from x on,
// and a little further out than asked for.
static bool find_beyond(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                        const double m[3], double c, double margin, double x[3])
{
  static const double further = 1.1;
  enum { STEPS = 400 };
  for (int step = 0; step < STEPS; step++) {
    double y[3];
    nearest_point(a, x, y);
    nearest_point(b, y, x);
    const double short_of = c + further * margin - dot(m, x);
    if (c + margin <= dot(m, x) && dls_seen_outside(a, x) <= distance &&
        dls_seen_outside(b, x) <= distance)
      return true;
    for (int i = 0; i < 3 && short_of > 0; i++) x[i] += short_of * m[i];
  }
  return false;
}

double dls_seen_only_there(const dls_seen_solid *a, const dls_seen_solid *b, double distance,
                           double inside, const dls_seen_places *p, bool *found, double x[3])
{
  static const double part[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
  enum { PARTS = sizeof part / sizeof *part };
  double n[3], margin = 0;
  *found = false;
  for (int i = 0; i < 3; i++) n[i] = middle(p->normal[i]);
  if (p->count == 0 || p->count > MOST_PLACES) return INFINITY;
  outline o = {0};
  sides_of_places(p, n, &o);
  const double r_a = dls_seen_size(a->solid), r_b = dls_seen_size(b->solid);
  const double size = r_a > 0 && r_b > 0 ? fmin(r_a, r_b) : fmax(r_a, r_b);
  int open = 0;
  for (int k = 0; k <= PARTS; k++) {
    margin = k < PARTS ? part[k] * size : fmax(margin, inside);
    open = 0;
    while (open < o.count && nothing_beyond(a, b, distance, p, o.side[open], margin)) open++;
    if (open == o.count && open > 0) return margin;
  }
  for (int s = open; s < o.count && !*found; s++) {
    double c = -INFINITY;
    for (int k = 0; k < p->count; k++)
      if (dot(p->place[k].point, o.side[s]) > c)
        c = dot(p->place[k].point, o.side[s]), dls_copy(x, p->place[k].point, 3);
    *found = find_beyond(a, b, distance, o.side[s], c, margin, x);
  }
  return INFINITY;
}
