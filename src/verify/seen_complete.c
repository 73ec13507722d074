// Does the report name all contacts that are closed, and do they exist?       eq (enc.5), (enc.6)
#include "verify/seen_system_internal.h"

#include "base/message.h"
#include "verify/intervals.h"
#include "verify/seen_apart.h"
#include "verify/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct looking {
  dls_seen_system *system;
  const dls_posture *posture;
  double tolerance;
  dls_seen_solid *solid;  // all
  double (*centre)[3], *radius;
  dls_seen_place *place;  // of one pair: as many as there are contacts
  dls_message *untold, *message;
} looking;

// ---- constraints -------------------------------------------------------------------------------

static bool is_named(const dls_seen_system *s, const dls_seen_constraint *c)
{
  for (int j = 0; j < s->view.m; j++)
    if (s->entry[j].constraint == c) return true;
  return false;
}

static dls_status look_at_constraints(const looking *l)
{
  const dls_seen_system *s = l->system;
  for (int k = 0; k < s->constraints; k++) {
    const dls_seen_constraint *c = &s->constraint[k];
    dls_gauge g;
    if (is_named(s, c)) continue;
    if (c->law == DLS_SEEN_ROW || c->law == DLS_SEEN_DRY)
      return dls_fail(l->message, DLS_ERR_STATE,
                      "constraint `%.120s` of the model is not in the "
                      "report",
                      c->name);
    if (!dls_seen_constraint_gauge(l->posture, c, s->scratch, &g)) return DLS_ERR_MEMORY;
    if (!(dls_middle(g.y.d[0]) > l->tolerance))
      return dls_fail(l->message, DLS_ERR_STATE,
                      "`%.120s` is at its end (%.6g), but the report does not name it", c->name,
                      dls_middle(g.y.d[0]));
  }
  return DLS_OK;
}

// ---- contacts that are named -------------------------------------------------------------------

// What points and support functions in doubles may be off by.
static double slack(const looking *l, int solid, const double x[3])
{
  const double size = hypot(hypot(x[0], x[1]), x[2]) + dls_seen_size(l->solid[solid].solid);
  return point_of_contact * (l->tolerance + rounding_of_data * DBL_EPSILON * size);
}

static double middle_of(const dls_jet3 *x, int i)
{
  return dls_middle(x->x[i].d[0]);
}

// x is a point of the solid, and none is further along d.
static bool carries(const looking *l, int solid, const double x[3], const double d[3])
{
  const dls_seen_solid *s = &l->solid[solid];
  const double allowed = slack(l, solid, x);
  dls_interval way[3];
  double at = 0;
  for (int i = 0; i < 3; i++) way[i] = dls_exactly(d[i]), at += d[i] * x[i];
  if (!(dls_seen_outside(s, x) <= allowed)) return false;
  if (s->solid->kind == DLS_SOLID_PLANE) return true;
  return dls_seen_reach(s, way) <= at + allowed;
}

// The place of a contact; false with a message where it is none.
static bool look_at_contact(const looking *l, const dls_seen_entry *e,
                            const dls_seen_feature feature[2], const dls_seen_touch *touch,
                            dls_seen_place *place)
{
  for (int side = 0; side < 2; side++) {
    double x[3], d[3];
    for (int i = 0; i < 3; i++) {
      x[i] = middle_of(&touch->point[side], i);
      d[i] = (side ? 1 : -1) * middle_of(&touch->normal, i);
      place->point[i] = (side ? place->point[i] : 0) + x[i] / 2;
      place->along[side][i] = middle_of(&feature[side].axis, i);
    }
    place->straight[side] = feature[side].kind == DLS_SEEN_LINE;
    if (!carries(l, e->solid[side], x, d)) {
      dls_fail(l->message, DLS_ERR_STATE,
               "contact `%.120s` of the report is none: there its features are not on the surface",
               e->name);
      return false;
    }
  }
  return true;
}

// ---- what else the report says of them ---------------------------------------------------------

static const char *body_name(const dls_seen_system *s, int solid)
{
  const int body = s->mechanism.solid[solid].body;
  return body < 0 ? "world" : s->mechanism.body[body].name;
}

static bool same_words(const dls_seen_system *s, const dls_seen_entry *e)
{
  const dls_seen_wanted *w = e->wanted;
  bool same = true;
  for (int side = 0; side < 2; side++) {
    const char *body = e->constraint || e->of_text >= 0 ? "" : body_name(s, e->solid[side]);
    if (w->body[side]) same &= strcmp(w->body[side], body) == 0;
    if (w->feature[side]) same &= strcmp(w->feature[side], e->feature[side]) == 0;
  }
  return same;
}

static bool same_place(const looking *l, const dls_seen_entry *e, const dls_seen_touch *touch)
{
  static const double written = 1e-12;
  const dls_seen_wanted *w = e->wanted;
  double point = 0, normal = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    const double x = middle_of(&touch->point[0], i) / 2 + middle_of(&touch->point[1], i) / 2;
    point = fmax(point, fabs(w->point[i] - x)), size = fmax(size, fabs(x));
    normal = fmax(normal, fabs(w->normal[i] - middle_of(&touch->normal, i)));
  }
  return (!w->placed || point <= l->tolerance + written * size) &&
         (!w->directed || normal <= direction_of_contact);
}

static dls_status look_at_entries(const looking *l)
{
  const dls_seen_system *s = l->system;
  for (int j = 0; j < s->view.m; j++) {
    const dls_seen_entry *e = &s->entry[j];
    const dls_seen_wanted *w = e->wanted;
    dls_seen_feature feature[2];
    dls_seen_touch touch;
    bool same = same_words(s, e);
    if (e->constraint || e->of_text >= 0) same &= !w->directed && !w->placed;
    else if (w->directed || w->placed)
      same &= dls_seen_meet(s, l->posture, e, feature, &touch) && same_place(l, e, &touch);
    if (!same)
      return dls_fail(l->message, DLS_ERR_STATE,
                      "contact `%.120s` has other bodies, features, point or normal in the model",
                      e->name);
  }
  return DLS_OK;
}

// ---- pairs -------------------------------------------------------------------------------------

static bool same_pair(const dls_seen_entry *e, int a, int b)
{
  return !e->constraint &&
         ((e->solid[0] == a && e->solid[1] == b) || (e->solid[0] == b && e->solid[1] == a));
}

typedef struct closed_places {
  dls_seen_places all;
  double inside_rim;  // discs are named by points of their rims: how far these are inside
} closed_places;

// The closed contacts between a and b that the report names, the normal from b to a.
static dls_status places_of(const looking *l, int a, int b, closed_places *out)
{
  const dls_seen_system *s = l->system;
  static const double sagitta = 0.034075;  // 1 - cos(pi / 12), rounded up
  *out = (closed_places){.all = {.place = l->place}};
  for (int j = 0; j < s->view.m; j++) {
    const dls_seen_entry *e = &s->entry[j];
    dls_seen_feature feature[2];
    dls_seen_touch touch;
    if (!same_pair(e, a, b)) continue;
    if (!dls_seen_meet(s, l->posture, e, feature, &touch))
      return dls_fail(l->message, DLS_ERR_STATE, "contact `%.120s` of the report has no normal",
                      e->name);
    if (dls_middle(touch.gap) > l->tolerance) continue;
    if (!look_at_contact(l, e, feature, &touch, &l->place[out->all.count])) return DLS_ERR_STATE;
    const double sign = e->solid[0] == a ? 1 : -1;
    for (int i = 0; i < 3 && out->all.count == 0; i++) {
      const dls_interval n = dls_interval_of(touch.normal.x[i].d[0]);
      out->all.normal[i] = sign > 0 ? n : (dls_interval){-n.high, -n.low};
    }
    for (int side = 0; side < 2; side++) {
      const dls_solid *solid = &s->mechanism.solid[e->solid[side]];
      const bool of_rim = e->feature[side][0] == 'r' && e->feature[side][4];
      if (solid->kind == DLS_SOLID_CYLINDER && (of_rim || e->feature[side][0] == 'c'))
        out->inside_rim = fmax(out->inside_rim, sagitta * solid->size[0]);
    }
    out->all.count++;
  }
  return DLS_OK;
}

static void note_untold(const looking *l, int a, int b)
{
  if (l->untold->text[0]) return;
  dls_fail(l->untold, DLS_ERR_STATE, "whether `%.80s` and `%.80s` touch elsewhere, too",
           body_name(l->system, a), body_name(l->system, b));
}

static dls_status not_named(const looking *l, int a, int b, const double x[3])
{
  return dls_fail(
      l->message, DLS_ERR_STATE,
      "`%.80s` and `%.80s` touch at (%.6g, %.6g, %.6g), but the report names no contact "
      "there",
      body_name(l->system, a), body_name(l->system, b), x[0], x[1], x[2]);
}

static dls_status look_at_pair(const looking *l, int a, int b)
{
  closed_places places;
  const dls_seen_solid *A = &l->solid[a], *B = &l->solid[b];
  const dls_status status = places_of(l, a, b, &places);
  double near[3];
  if (status != DLS_OK) return status;
  if (places.all.count > 0) {
    bool elsewhere;
    const double margin =
        dls_seen_only_there(A, B, l->tolerance, places.inside_rim, &places.all, &elsewhere, near);
    if (isfinite(margin)) return DLS_OK;
    if (!elsewhere) note_untold(l, a, b);
    return elsewhere ? not_named(l, a, b, near) : DLS_OK;
  }
  const dls_seen_distance found = dls_seen_apart(A, B, l->tolerance, near);
  if (found == DLS_SEEN_UNTOLD) note_untold(l, a, b);
  return found == DLS_SEEN_NEAR ? not_named(l, a, b, near) : DLS_OK;
}

// Balls around them do not meet.
static bool far_apart(const looking *l, int a, int b)
{
  double d[3], size = 0;
  for (int i = 0; i < 3; i++) {
    d[i] = l->centre[a][i] - l->centre[b][i];
    size = fmax(size, fmax(fabs(l->centre[a][i]), fabs(l->centre[b][i])));
  }
  const double reach = l->radius[a] + l->radius[b] + l->tolerance + 64 * DBL_EPSILON * size;
  return hypot(hypot(d[0], d[1]), d[2]) > reach * (1 + 64 * DBL_EPSILON);
}

static dls_status look_at_pairs(const looking *l)
{
  const dls_seen_system *s = l->system;
  dls_status status = DLS_OK;
  for (int a = 0; a < s->mechanism.solids && status == DLS_OK; a++)
    for (int b = a + 1; b < s->mechanism.solids && status == DLS_OK; b++)
      if (!far_apart(l, a, b) && dls_seen_rule_of(s->given, a, b).meet)
        status = look_at_pair(l, a, b);
  return status;
}

dls_status dls_seen_system_complete(dls_seen_system *s, double tolerance, dls_message *untold,
                                    dls_message *message)
{
  dls_posture posture;
  dls_message own = {{0}};
  if (!dls_seen_pose(s, NULL, s->v, 0, &posture)) return DLS_ERR_MEMORY;
  const ptrdiff_t solids = s->mechanism.solids;
  looking l = {.system = s,
               .posture = &posture,
               .tolerance = tolerance,
               .solid = dls_arena_alloc(s->scratch, solids, sizeof *l.solid),
               .centre = dls_arena_alloc(s->scratch, solids, sizeof *l.centre),
               .radius = dls_arena_alloc(s->scratch, solids, sizeof *l.radius),
               .place = dls_arena_alloc(s->scratch, (ptrdiff_t)s->view.m + 1, sizeof *l.place),
               .untold = untold,
               .message = message ? message : &own};
  if (!l.solid || !l.centre || !l.radius || !l.place) return DLS_ERR_MEMORY;
  untold->text[0] = 0;
  for (ptrdiff_t k = 0; k < solids; k++) {
    l.solid[k] = dls_seen_solid_of(&posture, &s->mechanism.solid[k]);
    l.radius[k] = dls_seen_ball(&l.solid[k], l.centre[k]);
  }
  dls_status status = look_at_constraints(&l);
  if (status == DLS_OK) status = look_at_entries(&l);
  return status == DLS_OK ? look_at_pairs(&l) : status;
}
