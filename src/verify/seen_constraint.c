#include "verify/seen_constraint.h"

#include <stdio.h>

typedef struct listing {
  const dls_mechanism *mechanism;
  const dls_posture_plan *plan;
  dls_arena *arena;
  dls_seen_constraint *list;
  int count;
  ptrdiff_t room;
  bool failed;
} listing;

static void add(listing *l, const char *name, const char *what, dls_seen_constraint c)
{
  const size_t size = strlen(name) + strlen(what) + 2;
  char *text = dls_arena_alloc(l->arena, (ptrdiff_t)size, 1);
  if (!text || l->count == l->room) {
    l->failed = true;
    return;
  }
  snprintf(text, size, what[0] ? "%s.%s" : "%s%s", name, what);
  c.name = text;
  l->list[l->count++] = c;
}

// ---- closures ----------------------------------------------------------------------------------

static const char *name_of_row(dls_frame_row row)
{
  static const char *const along[] = {"x", "y", "z"}, *const about[] = {"rx", "ry", "rz"};
  if (row.kind == DLS_FRAME_ALONG) return along[row.axis];
  return row.kind == DLS_FRAME_SKEW ? "rz" : about[row.axis];
}

static void add_rows(listing *l, const char *name, dls_closure_kind kind, dls_seen_part part,
                     int of)
{
  dls_frame_row row[6];
  const int count = dls_closure_rows(kind, row);
  for (int k = 0; k < count; k++)
    add(l, name, name_of_row(row[k]),
        (dls_seen_constraint){.law = DLS_SEEN_ROW,
                              .part = part,
                              .of = of,
                              .framed = true,
                              .row = row[k],
                              .velocity = -1});
}

static dls_closure_kind kind_of_joint(dls_joint_kind kind)
{
  if (kind == DLS_JOINT_BALL) return DLS_CLOSURE_BALL;
  return kind == DLS_JOINT_HINGE ? DLS_CLOSURE_HINGE : DLS_CLOSURE_SLIDE;
}

static void add_closures(listing *l)
{
  const dls_mechanism *m = l->mechanism;
  for (int j = 0; j < m->joints; j++)
    if (l->plan->joint_v[j] < 0)
      add_rows(l, m->joint[j].name, kind_of_joint(m->joint[j].kind), DLS_SEEN_JOINT, j);
  for (int c = 0; c < m->closures; c++) {
    const dls_closure *closure = &m->closure[c];
    if (closure->kind != DLS_CLOSURE_JOINTS)
      add_rows(l, closure->name, closure->kind, DLS_SEEN_CLOSURE, c);
    else
      add(l, closure->name, "",
          (dls_seen_constraint){
              .law = DLS_SEEN_ROW, .part = DLS_SEEN_COUPLING, .of = c, .velocity = -1});
  }
}

// ---- friction and ranges -----------------------------------------------------------------------

// What is alike in joints, closures and tendons.
typedef struct axis {
  const char *name;
  dls_seen_part part;
  int of;
  double friction;
  bool limited;
  const double *range;
  double restitution;
} axis;

static void add_axis(listing *l, const axis *x, bool ranges)
{
  dls_seen_constraint c = {.part = x->part, .of = x->of, .velocity = -1};
  if (!ranges && x->friction > 0) {
    c.law = DLS_SEEN_DRY, c.force = x->friction;
    add(l, x->name, "friction", c);
  }
  for (int high = 0; high < 2 && ranges && x->limited; high++) {
    c.law = high ? DLS_SEEN_HIGH : DLS_SEEN_LOW;
    c.end = x->range[high], c.restitution = x->restitution;
    add(l, x->name, high ? "high" : "low", c);
  }
}

// Each velocity of a ball or of a free body.
static void add_turning(listing *l, int j)
{
  static const char *const names[] = {"x.friction",  "y.friction",  "z.friction",
                                      "rx.friction", "ry.friction", "rz.friction"};
  const dls_joint *joint = &l->mechanism->joint[j];
  const bool free = joint->kind == DLS_JOINT_FREE, own = l->plan->joint_v[j] >= 0;
  for (int k = free ? 0 : 3; k < 6 && joint->friction > 0; k++)
    add(l, joint->name, names[k],
        (dls_seen_constraint){.law = DLS_SEEN_DRY,
                              .part = DLS_SEEN_JOINT,
                              .of = j,
                              .framed = true,
                              .row = {DLS_FRAME_SPIN, k % 3},
                              .velocity = own ? k - (free ? 0 : 3) : -1,
                              .force = joint->friction});
}

static void add_axes(listing *l, bool ranges)
{
  const dls_mechanism *m = l->mechanism;
  for (int j = 0; j < m->joints; j++) {
    const dls_joint *x = &m->joint[j];
    const axis own = {x->name,  DLS_SEEN_JOINT, j, x->friction, x->limited,
                      x->range, x->restitution};
    if (x->kind == DLS_JOINT_HINGE || x->kind == DLS_JOINT_SLIDE) add_axis(l, &own, ranges);
    else if (!ranges) add_turning(l, j);
  }
  for (int c = 0; c < m->closures; c++) {
    const dls_closure *x = &m->closure[c];
    const axis own = {x->name,  DLS_SEEN_CLOSURE, c, x->friction, x->limited,
                      x->range, x->restitution};
    if (dls_closure_has_axis(x->kind)) add_axis(l, &own, ranges);
  }
  for (int t = 0; t < m->tendons; t++) {
    const dls_tendon *x = &m->tendon[t];
    const axis own = {x->name,  DLS_SEEN_TENDON, t, x->friction, x->limited,
                      x->range, x->restitution};
    add_axis(l, &own, ranges);
  }
}

dls_status dls_seen_constraints(const dls_mechanism *m, const dls_posture_plan *plan,
                                dls_arena *arena, int *count, dls_seen_constraint **list)
{
  enum { OF_JOINT = 11, OF_CLOSURE = 9, OF_TENDON = 3 };
  listing l = {.mechanism = m, .plan = plan, .arena = arena};
  l.room = (ptrdiff_t)m->joints * OF_JOINT + (ptrdiff_t)m->closures * OF_CLOSURE +
           (ptrdiff_t)m->tendons * OF_TENDON;
  l.list = dls_arena_alloc(arena, l.room, sizeof *l.list);
  if (!l.list) return DLS_ERR_MEMORY;
  add_closures(&l);
  add_axes(&l, false);
  add_axes(&l, true);
  *count = l.count, *list = l.list;
  return l.failed ? DLS_ERR_MEMORY : DLS_OK;
}

// ---- at a state --------------------------------------------------------------------------------

// y_0 - reference - polynomial(y_1 - reference).
static bool coupling(const dls_posture *s, int c, dls_arena *arena, dls_gauge *out)
{
  dls_pool *p = s->pool;
  const dls_closure *closure = &s->mechanism->closure[c];
  dls_gauge driver;
  if (!dls_gauge_joint(s, closure->joint[0], arena, out)) return false;
  const double reference = s->mechanism->joint[closure->joint[0]].reference;
  out->y = dls_jet_sub(p, out->y, dls_jet_data(p, reference));
  dls_jet power = dls_jet_of(p, dls_real_exact(p, 1)), slope = dls_jet_of(p, p->zero);
  dls_jet sum = dls_jet_data(p, closure->polynomial[0]);
  if (closure->joint[1] >= 0) {
    if (!dls_gauge_joint(s, closure->joint[1], arena, &driver)) return false;
    const dls_joint *joint = &s->mechanism->joint[closure->joint[1]];
    const dls_jet x = dls_jet_sub(p, driver.y, dls_jet_data(p, joint->reference));
    for (int k = 1; k < 5; k++) {
      const dls_jet factor = dls_jet_data(p, closure->polynomial[k]);
      slope = dls_jet_add(p, slope, dls_jet_scale(p, dls_jet_mul(p, factor, power), k));
      power = dls_jet_mul(p, power, x);
      sum = dls_jet_add(p, sum, dls_jet_mul(p, factor, power));
    }
    for (int i = 0; i < s->n; i++)
      out->gradient[i] =
          dls_real_sub(p, out->gradient[i], dls_real_mul(p, slope.d[0], driver.gradient[i]));
  }
  out->y = dls_jet_sub(p, out->y, sum);
  return true;
}

// One velocity of a ball or a free body as it is.
static bool own_velocity(const dls_posture *s, int k, dls_arena *arena, dls_gauge *out)
{
  out->gradient = dls_arena_alloc(arena, s->n, sizeof(mpfi_ptr));
  if (!out->gradient) return false;
  for (int i = 0; i < s->n; i++) out->gradient[i] = s->pool->zero;
  out->gradient[k] = dls_real_exact(s->pool, 1);
  out->y = dls_jet_of(s->pool, s->pool->zero);
  out->y.d[1] = dls_real_data(s->pool, s->v[k]);
  return true;
}

static bool plain_gauge(const dls_posture *s, const dls_seen_constraint *c, dls_arena *arena,
                        dls_gauge *out)
{
  if (c->velocity >= 0) return own_velocity(s, s->joint_v[c->of] + c->velocity, arena, out);
  if (c->framed) {
    const dls_closure *closure = c->part == DLS_SEEN_CLOSURE ? &s->mechanism->closure[c->of] : NULL;
    const dls_frame_pair pair = closure ? dls_frame_pair_of(s, closure->body, closure->frame)
                                        : dls_frame_pair_of_joint(s, c->of);
    return dls_gauge_row(s, c->row, &pair, arena, out);
  }
  switch (c->part) {
  case DLS_SEEN_JOINT: return dls_gauge_joint(s, c->of, arena, out);
  case DLS_SEEN_CLOSURE: return dls_gauge_closure(s, c->of, arena, out);
  case DLS_SEEN_COUPLING: return coupling(s, c->of, arena, out);
  case DLS_SEEN_TENDON: return dls_gauge_tendon(s, c->of, arena, out);
  }
  return false;
}

bool dls_seen_constraint_gauge(const dls_posture *s, const dls_seen_constraint *c, dls_arena *arena,
                               dls_gauge *out)
{
  dls_pool *p = s->pool;
  if (!plain_gauge(s, c, arena, out)) return false;
  if (c->law != DLS_SEEN_LOW && c->law != DLS_SEEN_HIGH) return true;
  out->y = dls_jet_sub(p, out->y, dls_jet_data(p, c->end));
  if (c->law == DLS_SEEN_LOW) return true;
  out->y = dls_jet_scale(p, out->y, -1);
  for (int i = 0; i < s->n; i++) out->gradient[i] = dls_real_scale(p, out->gradient[i], -1);
  return true;
}
