// Which features of two solids are in contact: a direction that keeps them apart best, the pair of
// features that are nearest there, and where a face lies on a face, or a line along one, the
// corners and crossings of what they share.                                           eq (gap.9)
#include "base/memory.h"
#include "linalg/vector3.h"
#include "shape/nearness.h"
#include "shape/patch.h"

#include <math.h>
#include <stdlib.h>

enum {
  NEAR_FEATURES = 48,  // of one solid, at the nearest vertex
  FOUND = 256,         // contacts before the choice
  ROUNDS = 6           // of better directions
};

// Relative to the size of the solids: how far beside its feature a nearest point may be, so that
// corners over corners are seen; how near to one another two contacts are one; and distances up to
// which corners and edges next to one another have no normal to speak of.
static const double beside = 1e-9, same_place = 1e-6, no_normal = 1e-7;
// Cosine of the largest angle between normals of one pair of solids.
static const double one_way = 0.85;
// A contact may be deeper than the least overlap by this part of it: with a normal of its own it
// would push further than is needed.
static const double deeper = 0.1;
// The sine of an angle between lines below which their ends say more than their crossing.
static const double crossing = 1e-5;

typedef struct contact {
  dls_touch_id id;
  double gap, x[3];
  int rank;  // of two at one place the lower one stays
} contact;

typedef struct finder {
  dls_posed a, b;
  double reach, room, size;
  double n[3], gap;
  bool ambiguous;
  int count;
  contact found[FOUND];
} finder;

static dls_feature_place placed(const dls_posed *solid, int feature)
{
  const dls_feature f = dls_form_feature(solid->form, feature);
  return dls_feature_place_of(&f, &solid->at);
}

// A lies above B: along z, or where they are side by side along y, or x. A rule that does not
// depend on which one comes first.
static bool a_is_above(const double n[3])
{
  for (int i = 2; i > 0; i--)
    if (fabs(n[i]) > 1e-6) return n[i] > 0;
  return n[0] > 0;
}

static void add(finder *f, int a, int b, const dls_nearness *near, int rank)
{
  if (f->count == FOUND || !(near->gap <= f->reach)) return;
  if (near->gap < f->gap - deeper * fabs(f->gap) - f->room) return;
  contact *c = &f->found[f->count++];
  *c = (contact){.id = {a, b}, .gap = near->gap, .rank = rank};
  for (int i = 0; i < 3; i++) c->x[i] = near->x[0][i] / 2 + near->x[1][i] / 2;
}

// ---- the nearest pair ---------------------------------------------------------------------------

// -h_A(-n) - h_B(n)
static double kept_apart(finder *f, const double n[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double x[3], y[3];
  dls_posed_far(&f->a, back, x), dls_posed_far(&f->b, n, y);
  return dls_dot3(n, x) - dls_dot3(n, y) - f->a.radius - f->b.radius;
}

typedef struct nearest {
  int a, b;
  dls_nearness near;
  bool found, beside;  // beside: the nearest points are not on the features
  bool deeper;  // than the solids are: a pair of which nothing is known but that it has a normal
} nearest;

static bool is_on(const finder *f, int a, int b, const dls_feature_place *x,
                  const dls_feature_place *y, const dls_nearness *near)
{
  const double back[3] = {-near->n[0], -near->n[1], -near->n[2]};
  return dls_feature_has(&f->a, a, x, near->x[0], back, f->room) &&
         dls_feature_has(&f->b, b, y, near->x[1], near->n, f->room);
}

typedef struct around {
  int count;
  int feature[NEAR_FEATURES];
  dls_feature_place place[NEAR_FEATURES];
} around;

static void look_around(const dls_posed *solid, const double m[3], around *out)
{
  out->count = dls_features_towards(solid, m, out->feature, NEAR_FEATURES);
  for (int k = 0; k < out->count; k++) out->place[k] = placed(solid, out->feature[k]);
}

// Among the features around the farthest points: the pair on whose features its nearest points are,
// with the largest gap; or else that whose normal keeps the solids furthest apart.
static nearest nearest_there(finder *f)
{
  const double back[3] = {-f->n[0], -f->n[1], -f->n[2]};
  kept_apart(f, f->n);  // leads to the farthest vertices
  around x, y;
  look_around(&f->a, back, &x), look_around(&f->b, f->n, &y);
  nearest best = {.found = false}, other = {.beside = true};
  double furthest = -INFINITY;
  for (int i = 0; i < x.count; i++)
    for (int j = 0; j < y.count; j++) {
      const int a = x.feature[i], b = y.feature[j];
      dls_nearness near;
      if (!dls_nearness_of(&x.place[i], &y.place[j], &near)) continue;
      if (near.distance && near.gap <= no_normal * f->size) continue;
      // apart by more than the solids are: the other features there reach farther
      if (near.gap > f->gap + f->room && kept_apart(f, near.n) < near.gap - f->room) continue;
      if (is_on(f, a, b, &x.place[i], &y.place[j], &near)) {
        if (!best.found || near.gap > best.near.gap)
          best = (nearest){a, b, near, true, false, false};
      } else if (!best.found) {
        const double g = kept_apart(f, near.n);
        if (g > furthest) furthest = g, other = (nearest){a, b, near, true, true, false};
      }
    }
  return best.found ? best : other;
}

static void take_direction(finder *f, const nearest *best)
{
  dls_copy(f->n, best->near.n, 3), f->gap = best->near.gap;
}

// Again from the best normal there, until the nearest points are on their features or no other
// keeps the solids further apart.
static nearest nearest_pair(finder *f)
{
  nearest best = {.found = false};
  for (int round = 0; round < ROUNDS; round++) {
    best = nearest_there(f);
    if (!best.found || !best.beside) break;
    const double g = kept_apart(f, best.near.n);
    if (!(g > f->gap)) break;
    dls_copy(f->n, best.near.n, 3), f->gap = g;
  }
  best.deeper = best.found && !best.beside && best.near.gap < f->gap - f->room;
  if (best.found && !best.beside && !best.deeper) take_direction(f, &best);
  return best;
}

// ---- faces and lines on one another -------------------------------------------------------------

// Points of one patch on the face or lines of the other.
static void points_on(finder *f, const dls_patch *from, const dls_patch *to, bool of_a, int rank)
{
  const dls_posed *own = of_a ? &f->a : &f->b, *other = of_a ? &f->b : &f->a;
  const int lines = to->face < 0 ? to->lines : 0, targets = to->face < 0 ? lines : 1;
  for (int t = 0; t < targets; t++) {
    const int target = to->face < 0 ? to->line[t] : to->face;
    const dls_feature_place y = placed(other, target);
    for (int k = 0; k < from->points; k++) {
      const dls_feature_place x = placed(own, from->point[k]);
      dls_nearness near;
      if (!(of_a ? dls_nearness_of(&x, &y, &near) : dls_nearness_of(&y, &x, &near))) continue;
      if (near.distance || dls_dot3(near.n, f->n) < one_way) continue;
      if (!dls_feature_holds(other, target, &y, near.x[of_a ? 1 : 0], f->room)) continue;
      add(f, of_a ? from->point[k] : target, of_a ? target : from->point[k], &near, rank);
    }
  }
}

static bool too_far(const finder *f, const dls_feature_place *x, const dls_feature_place *y)
{
  double square = 0;
  for (int i = 0; i < 3; i++) square += (x->at[i] - y->at[i]) * (x->at[i] - y->at[i]);
  const double most = x->half_length + y->half_length + x->radius + y->radius;
  const double span = most + fmax(f->reach, -f->gap) + f->room;
  return square > 4 * span * span;
}

static void crossings(finder *f, const dls_patch *from, const dls_patch *to)
{
  dls_feature_place y[DLS_PATCH_POINTS];
  for (int j = 0; j < to->lines; j++) y[j] = placed(&f->b, to->line[j]);
  for (int i = 0; i < from->lines; i++) {
    const dls_feature_place x = placed(&f->a, from->line[i]);
    for (int j = 0; j < to->lines; j++) {
      dls_nearness near;
      double k[3];
      if (too_far(f, &x, &y[j]) || !dls_nearness_of(&x, &y[j], &near)) continue;
      dls_cross(x.axis, y[j].axis, k);
      if (dls_dot3(k, k) < crossing * crossing || dls_dot3(near.n, f->n) < one_way) continue;
      if (!dls_feature_holds(&f->a, from->line[i], &x, near.x[0], -f->room) ||
          !dls_feature_holds(&f->b, to->line[j], &y[j], near.x[1], -f->room))
        continue;
      add(f, from->line[i], to->line[j], &near, 2);
    }
  }
}

static void shared(finder *f)
{
  const double back[3] = {-f->n[0], -f->n[1], -f->n[2]};
  const double reach = f->reach - f->gap;  // less far than the farthest points
  const bool plane_a = f->a.form->kind == DLS_SOLID_PLANE,
             plane_b = f->b.form->kind == DLS_SOLID_PLANE;
  const dls_patch a =
      plane_b ? dls_patch_within(&f->a, back, reach) : dls_patch_towards(&f->a, back, reach);
  const dls_patch b =
      plane_a ? dls_patch_within(&f->b, f->n, reach) : dls_patch_towards(&f->b, f->n, reach);
  const bool above = a_is_above(f->n);
  points_on(f, &a, &b, true, above ? 0 : 1);
  points_on(f, &b, &a, false, above ? 1 : 0);
  crossings(f, &a, &b);
}

// ---- the choice ---------------------------------------------------------------------------------

static int by_rank(const void *x, const void *y)
{
  const contact *a = x, *b = y;
  if (a->rank != b->rank) return a->rank - b->rank;
  return a->id.a != b->id.a ? a->id.a - b->id.a : a->id.b - b->id.b;
}

static bool one_place(const finder *f, const contact *a, const contact *b)
{
  double square = 0;
  for (int i = 0; i < 3; i++) square += (a->x[i] - b->x[i]) * (a->x[i] - b->x[i]);
  return square <= same_place * same_place * f->size * f->size;
}

static void drop_doubles(finder *f)
{
  qsort(f->found, (size_t)f->count, sizeof *f->found, by_rank);
  int kept = 0;
  for (int k = 0; k < f->count; k++) {
    bool there = false;
    for (int j = 0; j < kept && !there; j++) there = one_place(f, &f->found[j], &f->found[k]);
    if (!there) f->found[kept++] = f->found[k];
  }
  f->count = kept;
}

// Of too many: the deepest, and the outermost all around.
static void keep_outermost(finder *f, int most)
{
  double t[2][3], e[3] = {0};
  e[fabs(f->n[0]) < 0.7 ? 0 : 1] = 1;
  dls_cross(f->n, e, t[0]), dls_cross(f->n, t[0], t[1]);
  bool keep[FOUND] = {false};
  int kept = 0, deepest = 0;
  for (int k = 1; k < f->count; k++)
    if (f->found[k].gap < f->found[deepest].gap) deepest = k;
  keep[deepest] = true, kept++;
  for (int way = 0; way + 1 < most; way++) {
    const double angle = 6.283185307179586 * way / (most - 1);
    int best = 0;
    double far = -INFINITY;
    for (int k = 0; k < f->count; k++) {
      const double d =
          cos(angle) * dls_dot3(t[0], f->found[k].x) + sin(angle) * dls_dot3(t[1], f->found[k].x);
      if (d > far) far = d, best = k;
    }
    if (!keep[best]) keep[best] = true, kept++;
  }
  int used = 0;
  for (int k = 0; k < f->count; k++)
    if (keep[k]) f->found[used++] = f->found[k];
  f->count = kept;
}

static int by_id(const void *x, const void *y)
{
  const contact *a = x, *b = y;
  return a->id.a != b->id.a ? a->id.a - b->id.a : a->id.b - b->id.b;
}

// ---- finding ------------------------------------------------------------------------------------

static bool is_finite(const dls_solid_motion *m)
{
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += 0 * m->R[i];
  for (int i = 0; i < 3; i++) sum += 0 * m->p[i];
  return sum == 0;
}

// The normal of a plane against the farthest point of the other.
static bool above_plane(finder *f)
{
  const bool plane_a = f->a.form->kind == DLS_SOLID_PLANE;
  const dls_posed *plane = plane_a ? &f->a : &f->b;
  dls_posed *other = plane_a ? &f->b : &f->a;
  double down[3], x[3];
  for (int i = 0; i < 3; i++) {
    const double z = plane->at.R[3 * i + 2];
    f->n[i] = plane_a ? -z : z, down[i] = -z;
  }
  dls_posed_far(other, down, x);
  for (int i = 0; i < 3; i++) x[i] -= plane->at.p[i];
  f->gap = -dls_dot3(down, x) - other->radius;
  return f->gap <= f->reach;
}

// Adds the nearest pair where faces and lines have left it out.
static void add_nearest(finder *f, const nearest *best)
{
  if (!best->found || ((best->beside || best->deeper) && f->count > 0)) return;
  if (best->beside) f->ambiguous = true, f->gap = best->near.gap;
  for (int k = 0; k < f->count; k++)
    if (f->found[k].gap <= best->near.gap + f->room) return;
  add(f, best->a, best->b, &best->near, 3);
}

static void find_all(finder *f)
{
  nearest best = {.found = false};
  bool alike = false;
  if (f->a.form->kind == DLS_SOLID_PLANE || f->b.form->kind == DLS_SOLID_PLANE) {
    if (!above_plane(f)) return;
  } else {
    if (!dls_separate(&f->a, &f->b, f->reach, f->n, &f->gap, &alike)) return;
    best = nearest_pair(f);
    if (f->gap > f->reach) return;
  }
  f->ambiguous = alike;
  shared(f);
  if (f->count == 0 && best.deeper) {
    take_direction(f, &best);
    shared(f);
  }
  drop_doubles(f);
  add_nearest(f, &best);
  if (f->count == 0) f->ambiguous = true;
}

int dls_touch_find(const dls_form *a, const dls_solid_motion *motion_a, const dls_form *b,
                   const dls_solid_motion *motion_b, double reach, dls_touch_id *touch,
                   bool *ambiguous)
{
  const bool planes = a->kind == DLS_SOLID_PLANE && b->kind == DLS_SOLID_PLANE;
  *ambiguous = false;
  if (planes) return 0;
  if (!is_finite(motion_a) || !is_finite(motion_b) || isnan(reach)) {
    *ambiguous = true;
    return 0;
  }
  finder f;
  const double *origin = b->kind == DLS_SOLID_PLANE ? motion_a->p : motion_b->p;
  f.a = dls_posed_of(a, motion_a, origin), f.b = dls_posed_of(b, motion_b, origin);
  f.count = 0, f.ambiguous = false, f.reach = reach;
  f.size = dls_posed_size(&f.a) + dls_posed_size(&f.b);
  f.room = beside * f.size;
  find_all(&f);
  if (f.count > DLS_TOUCHES_MAX) keep_outermost(&f, DLS_TOUCHES_MAX);
  qsort(f.found, (size_t)f.count, sizeof *f.found, by_id);
  for (int k = 0; k < f.count; k++) touch[k] = f.found[k].id;
  *ambiguous = f.ambiguous;
  return f.count;
}
