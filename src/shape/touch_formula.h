// The formulas of contacts over the numbers of shape/moving.h: included once for doubles, for
// doubles with bounds, and for numbers with derivatives.
#ifndef DLS_SHAPE_TOUCH_FORMULA_H
#define DLS_SHAPE_TOUCH_FORMULA_H

#include "shape/moving.h"
#include "shape/tolerances.h"
#include "shape/touch_internal.h"

// One each for the solution, its rate and its second derivative; one more for derivatives of these.
#ifdef DLS_SHAPE_DUAL_H
enum { NEWTON_ORDERS = 4 };
#else
enum { NEWTON_ORDERS = 3 };
#endif

// A frame and how it moves.
typedef struct mover {
  triple axis[3], p, v, w, a, alpha;
} mover;

// A feature in the world.
typedef struct spot {
  dls_feature_kind kind;
  moving at, axis, semi[3];
  num radius;
} spot;

typedef struct touching {
  spot spot[2];
  mover mover[2];
  moving n, t[2], point;
  jet gap;
} touching;

// ---- features in the world ----------------------------------------------------------------------

static triple given(const double *x, const double *e)
{
  return (triple){
      {within(x[0], e ? e[0] : 0), within(x[1], e ? e[1] : 0), within(x[2], e ? e[2] : 0)}};
}

static mover mover_of(const dls_solid_motion *m, const dls_solid_motion_error *e)
{
  mover f = {.p = given(m->p, e ? e->p : NULL),
             .v = given(m->v, e ? e->v : NULL),
             .w = given(m->w, e ? e->w : NULL),
             .a = given(m->a, e ? e->a : NULL),
             .alpha = given(m->alpha, e ? e->alpha : NULL)};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) f.axis[k].c[i] = within(m->R[3 * i + k], e ? e->R[3 * i + k] : 0);
  return f;
}

static triple in_world(const mover *f, triple local)
{
  return t_add(t_add(t_scale(local.c[0], f->axis[0]), t_scale(local.c[1], f->axis[1])),
               t_scale(local.c[2], f->axis[2]));
}

static moving moving_of(triple x, triple d, triple dd)
{
  return (moving){
      {{x.c[0], d.c[0], dd.c[0]}, {x.c[1], d.c[1], dd.c[1]}, {x.c[2], d.c[2], dd.c[2]}}};
}

// A vector that turns with the frame.
static moving turning(const mover *f, triple local)
{
  const triple r = in_world(f, local), d = t_cross(f->w, r);
  return moving_of(r, d, t_add(t_cross(f->alpha, r), t_cross(f->w, d)));
}

static spot spot_of(const dls_feature *feature, const mover *f)
{
  spot s = {.kind = feature->kind, .radius = exact(feature->radius)};
  s.at = add(turning(f, given(feature->at, feature->at_error)), moving_of(f->p, f->v, f->a));
  if (feature->kind == DLS_FEATURE_SURFACE)
    for (int k = 0; k < 3; k++) {
      triple axis = {{exact(0), exact(0), exact(0)}};
      axis.c[k] = exact(feature->semi[k]);
      s.semi[k] = turning(f, axis);
    }
  else if (feature->kind != DLS_FEATURE_POINT)
    s.axis = turning(f, given(feature->axis, feature->axis_error));
  return s;
}

static moving opposite(moving a)
{
  return scale_by(exact(-1), a);
}

// ---- support ------------------------------------------------------------------------------------

// E m of a surface.
static moving through(const spot *s, moving m)
{
  return add(add(scale(dot(s->semi[0], m), s->semi[0]), scale(dot(s->semi[1], m), s->semi[1])),
             scale(dot(s->semi[2], m), s->semi[2]));
}

// The point that lies farthest in the direction m, from the centre; 0 of lines and faces.
static moving farthest(const spot *s, moving m)
{
  switch (s->kind) {
  case DLS_FEATURE_POINT: return scale_by(s->radius, unit(m));
  case DLS_FEATURE_RIM: return scale_by(s->radius, unit(across(m, s->axis)));
  case DLS_FEATURE_SURFACE: {
    const moving far = through(s, m);
    const jet size = j_root(dot(far, m));
    return (moving){{j_div(far.c[0], size), j_div(far.c[1], size), j_div(far.c[2], size)}};
  }
  default: return scale_by(exact(0), m);
  }
}

// How far the feature reaches from its centre along the unit vector n.
static jet extent(const spot *s, moving n)
{
  switch (s->kind) {
  case DLS_FEATURE_RIM: {
    const moving q = across(n, s->axis);
    return j_scale(s->radius, j_root(dot(q, q)));
  }
  case DLS_FEATURE_SURFACE: return j_root(dot(through(s, n), n));
  default: return still(s->radius);
  }
}

// ---- the common normal --------------------------------------------------------------------------

// What Newton's equations are made of: m and its tangents, eq (gap.4).
static moving direction(const touching *c, const dls_common_normal *start, const jet u[2])
{
  moving m;
  for (int i = 0; i < 3; i++) {
    m.c[i] = j_add(still(exact(start->n[i])), j_scale(exact(start->t[0][i]), u[0]));
    if (start->unknowns > 1) m.c[i] = j_add(m.c[i], j_scale(exact(start->t[1][i]), u[1]));
  }
  for (int k = 0; k < 2; k++)
    if (c->spot[k].kind == DLS_FEATURE_LINE) m = across(m, c->spot[k].axis);
  return m;
}

static void equations(const touching *c, const dls_common_normal *start, const jet u[2], jet F[2])
{
  const spot *a = &c->spot[0], *b = &c->spot[1];
  const moving m = direction(c, start, u);
  const moving w = sub(sub(add(a->at, farthest(a, opposite(m))), b->at), farthest(b, m));
  if (start->unknowns == 1) {
    const moving line = a->kind == DLS_FEATURE_LINE ? a->axis : b->axis;
    F[0] = dot(cross(line, m), w), F[1] = still(exact(0));
    return;
  }
  moving n;
  for (int i = 0; i < 3; i++) n.c[i] = still(exact(start->n[i]));
  const jet along = dot(n, w);
  for (int k = 0; k < 2; k++) {
    moving t;
    for (int i = 0; i < 3; i++) t.c[i] = still(exact(start->t[k][i]));
    F[k] = j_sub(dot(t, w), j_mul(u[k], along));
  }
}

static jet stepped(jet u, const double inverse[2], const jet F[2])
{
  for (int k = 0; k < 2; k++) u = j_add(u, j_scale(exact(inverse[k]), F[k]));
  return u;
}

// Each step makes one more derivative right; the bounds of the numbers' own arithmetic are not
// those of the solution: see enclose_normal.
static void solve_normal(const touching *c, const dls_common_normal *start, int steps, jet u[2])
{
  u[0] = u[1] = still(exact(0));
  for (int k = 0; k < steps; k++) {
    jet F[2];
    equations(c, start, u, F);
    for (int i = 0; i < 2; i++) u[i] = stepped(u[i], start->inverse[i], F);
    if (start->unknowns == 1) u[1] = still(exact(0));
  }
}

// Not zero, up to rounding.
static bool has_direction(moving d, double scale, double least)
{
  const double square = value(dot(d, d).x);
  return square > least * least * scale * scale && isfinite(square);
}

static double magnitude(moving a)
{
  return fabs(value(a.c[0].x)) + fabs(value(a.c[1].x)) + fabs(value(a.c[2].x));
}

// Of two lines, and of points with lines, rims and points.                             eq (gap.3)
static bool formula_normal(touching *c, double sign)
{
  const spot *a = &c->spot[0], *b = &c->spot[1];
  if (a->kind == DLS_FEATURE_LINE && b->kind == DLS_FEATURE_LINE) {
    const moving d = scale_by(exact(sign), cross(a->axis, b->axis));
    c->n = unit(d);
    return has_direction(d, 1, parallel_lines);
  }
  moving d = sub(a->at, b->at);
  double scale = magnitude(a->at) + magnitude(b->at);
  for (int k = 0; k < 2; k++) {
    const spot *s = &c->spot[k];
    // twice: what rounding leaves along the line is no longer small where d has become so
    if (s->kind == DLS_FEATURE_LINE) d = across(across(d, s->axis), s->axis);
    if (s->kind != DLS_FEATURE_RIM) continue;
    const moving q = across(d, s->axis);
    scale += value(s->radius);
    if (!has_direction(q, scale, concentric)) return false;
    d = sub(d, scale_by(s->radius, unit(q)));
  }
  c->n = unit(d);
  return has_direction(d, scale, concentric);
}

#ifdef DLS_BOUNDED

// At rest, with the derivatives by one unknown in the place of those by time.
static jet at_rest(jet a)
{
  return still(a.x);
}

static moving all_at_rest(moving a)
{
  return (moving){{at_rest(a.c[0]), at_rest(a.c[1]), at_rest(a.c[2])}};
}

static spot spot_at_rest(const spot *s)
{
  spot r = {.kind = s->kind, .radius = s->radius, .at = all_at_rest(s->at)};
  r.axis = all_at_rest(s->axis);
  for (int k = 0; k < 3; k++) r.semi[k] = all_at_rest(s->semi[k]);
  return r;
}

// The largest row sum of 1 - P^-1 P' for all P' in the box of u: what one step of the iteration
// u + P^-1 F leaves of an error.
static double contraction(const touching *c, const dls_common_normal *start, const jet u[2])
{
  touching rest = {.spot = {spot_at_rest(&c->spot[0]), spot_at_rest(&c->spot[1])}};
  double left[2][2];
  for (int j = 0; j < start->unknowns; j++) {
    jet F[2], v[2] = {at_rest(u[0]), at_rest(u[1])};
    v[j].d = exact(1);
    equations(&rest, start, v, F);
    for (int i = 0; i < start->unknowns; i++) {
      num sum = exact(i == j);
      for (int k = 0; k < start->unknowns; k++)
        sum = plus(sum, times(exact(start->inverse[i][k]), F[k].d));
      left[i][j] = fabs(sum.x) + sum.e;
    }
  }
  if (start->unknowns == 1) return left[0][0];
  return fmax(left[0][0] + left[0][1], left[1][0] + left[1][1]);
}

// What is left at u, through P^-1: the error of each order of u, as long as the lower orders have
// theirs.
static double left_over(const dls_common_normal *start, const num F[2])
{
  double most = 0;
  for (int i = 0; i < start->unknowns; i++) {
    num sum = exact(0);
    for (int k = 0; k < start->unknowns; k++)
      sum = plus(sum, times(exact(start->inverse[i][k]), F[k]));
    most = fmax(most, fabs(sum.x) + sum.e);
  }
  return most;
}

// The solution and its derivatives, enclosed: Krawczyk's argument, order by order.     eq (gap.7)
static bool enclose_normal(const touching *c, const dls_common_normal *start, jet u[2])
{
  for (int i = 0; i < 2; i++) u[i].x.e = u[i].d.e = u[i].dd.e = 0;
  jet F[2];
  equations(c, start, u, F);
  const double miss = left_over(start, (num[2]){F[0].x, F[1].x}), box = 2 * miss;
  for (int i = 0; i < start->unknowns; i++) u[i].x.e = box;
  const double rest = contraction(c, start, u);
  if (!(rest < 0.5)) return false;
  const double factor = (1 + 8 * DBL_EPSILON) / (1 - rest);
  for (int i = 0; i < start->unknowns; i++) u[i].x.e = factor * miss;
  equations(c, start, u, F);
  const double rate = left_over(start, (num[2]){F[0].d, F[1].d});
  for (int i = 0; i < start->unknowns; i++) u[i].d.e = factor * rate;
  equations(c, start, u, F);
  const double bend = left_over(start, (num[2]){F[0].dd, F[1].dd});
  for (int i = 0; i < start->unknowns; i++) u[i].dd.e = factor * bend;
  return isfinite(bend);
}

#endif

static bool common_normal(touching *c, const dls_touch_pair *pair)
{
  const spot *a = &c->spot[0], *b = &c->spot[1];
  if (b->kind == DLS_FEATURE_FACE || a->kind == DLS_FEATURE_FACE) {
    c->n = b->kind == DLS_FEATURE_FACE ? b->axis : opposite(a->axis);
    return true;
  }
  if (!pair->newton) return formula_normal(c, pair->sign);
  jet u[2];
  solve_normal(c, &pair->normal, NEWTON_ORDERS, u);
#ifdef DLS_BOUNDED
  if (!enclose_normal(c, &pair->normal, u)) return false;
#endif
  c->n = unit(direction(c, &pair->normal, u));
  return true;
}

// ---- point, tangents, slip ----------------------------------------------------------------------

static bool extended(const spot *s)
{
  return s->kind == DLS_FEATURE_LINE || s->kind == DLS_FEATURE_FACE;
}

// Half way between the nearest points of two lines with the common normal n.
static moving between_lines(const touching *c)
{
  const spot *a = &c->spot[0], *b = &c->spot[1];
  const moving d = sub(a->at, b->at), k = cross(a->axis, b->axis);
  const jet square = dot(k, k);
  const jet s = j_div(dot(d, cross(b->axis, k)), square);
  const jet t = j_div(dot(d, cross(a->axis, k)), square);
  const moving x = sub(a->at, scale(s, a->axis)), y = sub(b->at, scale(t, b->axis));
  const moving middle = scale_by(exact(0.5), add(x, y));
  return add(middle, scale_by(times(exact(0.5), minus(b->radius, a->radius)), c->n));
}

static moving contact_point(const touching *c)
{
  const spot *a = &c->spot[0], *b = &c->spot[1];
  if (a->kind == DLS_FEATURE_LINE && b->kind == DLS_FEATURE_LINE) return between_lines(c);
  const moving half = scale(j_scale(exact(0.5), c->gap), c->n);
  const moving x = add(a->at, farthest(a, opposite(c->n))), y = add(b->at, farthest(b, c->n));
  if (extended(a)) return add(y, half);
  if (extended(b)) return sub(x, half);
  // a point is where it is, to rounding; the other's may be far from that, where it is curved
  // little
  if (a->kind == DLS_FEATURE_POINT) return sub(x, half);
  if (b->kind == DLS_FEATURE_POINT) return add(y, half);
  return scale_by(exact(0.5), add(x, y));
}

static moving world_axis(int k)
{
  moving e = {{still(exact(0)), still(exact(0)), still(exact(0))}};
  e.c[k] = still(exact(1));
  return e;
}

// An axis of the face's frame; which one depends on the face alone.
static moving face_axis(const touching *c, const dls_touch_pair *pair, int side)
{
  const int k = fabs(pair->side[side].feature.axis[0]) > steep_axis ? 1 : 0;
  triple e = {{exact(0), exact(0), exact(0)}};
  e.c[k] = exact(1);
  return turning(&c->mover[side], e);
}

// The first tangent, not yet of length 1.                                              eq (gap.6)
static moving first_tangent(const touching *c, const dls_touch_pair *pair)
{
  for (int k = 0; k < 2; k++)
    if (c->spot[k].kind == DLS_FEATURE_FACE) return across(face_axis(c, pair, k), c->n);
  for (int k = 0; k < 2; k++)
    if (c->spot[k].kind == DLS_FEATURE_LINE) return c->spot[k].axis;
  for (int k = 0; k < 2; k++)
    if (c->spot[k].kind == DLS_FEATURE_RIM) return cross(c->spot[k].axis, c->n);
  return across(world_axis(fabs(value(c->n.c[2].x)) > steep_axis ? 0 : 2), c->n);
}

// The velocity of the material at the contact point, and its derivative, the point moving along.
static void material(const mover *f, moving point, triple *u, triple *u_rate)
{
  const triple r = t_sub(t_value(point), f->p), r_rate = t_sub(t_rate(point), f->v);
  *u = t_add(f->v, t_cross(f->w, r));
  *u_rate = t_add(f->a, t_add(t_cross(f->alpha, r), t_cross(f->w, r_rate)));
}

typedef struct touch_numbers {
  num gap, rate, bias;
  triple point, normal, tangent[2];
  num slip[2], slip_bias[2];
} touch_numbers;

static bool touch_numbers_of(touching *c, const dls_touch_pair *pair, touch_numbers *out)
{
  const spot *a = &c->spot[0], *b = &c->spot[1];
  if (!common_normal(c, pair)) return false;
  const jet d = dot(c->n, sub(a->at, b->at));
  c->gap = j_sub(j_sub(d, extent(a, c->n)), extent(b, c->n));
  c->point = contact_point(c);
  c->t[0] = unit(first_tangent(c, pair));
  c->t[1] = cross(c->n, c->t[0]);
  triple u[2], u_rate[2];
  for (int k = 0; k < 2; k++) material(&c->mover[k], c->point, &u[k], &u_rate[k]);
  const triple slip = t_sub(u[0], u[1]), slip_rate = t_sub(u_rate[0], u_rate[1]);
  *out = (touch_numbers){.gap = c->gap.x, .rate = c->gap.d, .bias = c->gap.dd};
  out->point = t_value(c->point), out->normal = t_value(c->n);
  for (int k = 0; k < 2; k++) {
    out->tangent[k] = t_value(c->t[k]);
    out->slip[k] = t_dot(out->tangent[k], slip);
    out->slip_bias[k] = plus(t_dot(out->tangent[k], slip_rate), t_dot(t_rate(c->t[k]), slip));
  }
  return true;
}

static void movers_of(const dls_touch_pair *pair, touching *c)
{
  for (int k = 0; k < 2; k++) c->mover[k] = mover_of(pair->side[k].motion, pair->side[k].error);
}

static void spots_of(const dls_touch_pair *pair, touching *c)
{
  for (int k = 0; k < 2; k++) c->spot[k] = spot_of(&pair->side[k].feature, &c->mover[k]);
}

// The doubles of the numbers, by position: values, or what goes with them.
static void write_numbers(const touch_numbers *from, double (*part)(num), dls_touch_values *to)
{
  to->gap = part(from->gap), to->rate = part(from->rate), to->bias = part(from->bias);
  for (int i = 0; i < 3; i++) {
    to->point[i] = part(from->point.c[i]), to->normal[i] = part(from->normal.c[i]);
    for (int k = 0; k < 2; k++) to->tangent[k][i] = part(from->tangent[k].c[i]);
  }
  for (int k = 0; k < 2; k++)
    to->slip[k] = part(from->slip[k]), to->slip_bias[k] = part(from->slip_bias[k]);
}

#endif
