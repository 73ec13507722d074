// Solids of geoms that touch something, and which pairs of them touch with which friction.
#include "format/mjcf.h"

#include <math.h>
#include <string.h>

enum { MOST_RULES = 1 << 16, MOST_MIXED = 20000 };  // solids, of which all pairs are looked at

void dls_mjcf_pair_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_pair *pair)
{
  dls_file_reading *r = m->reading;
  if (dls_reading_int(r, e, "condim", &pair->dimensions) && pair->dimensions != 1 &&
      pair->dimensions != 3 && pair->dimensions != 4 && pair->dimensions != 6)
    dls_reading_fail(r, e, "condim", "`condim` must be 1, 3, 4 or 6");
  const int count = dls_reading_numbers(r, e, "friction", 1, 5, pair->friction);
  if (count == 1) pair->friction[1] = pair->friction[0];
  if (count > 0 && (pair->friction[0] < 0 || pair->friction[1] < 0))
    dls_reading_fail(r, e, "friction", "`friction` must not be negative");
}

// Friction is of a contact with three dimensions or more; torques of friction are left out.
static double friction_of(int dimensions, double friction)
{
  return dimensions == 1 ? 0 : friction;
}

// ---- solids
// --------------------------------------------------------------------------------------

static void mark_pair(dls_mjcf *m, const dls_xml_element *e)
{
  if (strcmp(e->name, "pair") != 0) return;
  for (int k = 0; k < 2; k++) {
    const int g = dls_mjcf_find(m, &m->geom_names, e, k == 0 ? "geom1" : "geom2", "geom");
    if (g >= 0) m->geom[g].paired = true;
  }
}

static void add_solid(dls_mjcf *m, dls_mjcf_geom *g)
{
  dls_solid solid = {.body = g->body, .pose = g->pose, .type = g->type, .affinity = g->affinity};
  if (m->collision == 1) solid.type = solid.affinity = 0;
  if (g->kind == DLS_SOLID_HULL || g->kind == DLS_MJCF_SDF) {
    dls_mjcf_mesh *mesh = &m->mesh[g->mesh_index];
    dls_mjcf_mesh_need(m, mesh, true);
    solid.kind = DLS_SOLID_HULL;
    solid.vertices = mesh->solid.vertices;
    solid.faces = mesh->solid.faces;
    solid.vertex = mesh->solid.vertex;
    solid.first = mesh->solid.first;
    solid.face = mesh->solid.face;
  } else {
    solid.kind = (dls_solid_kind)g->kind;
    memcpy(solid.size, g->size, sizeof solid.size);
    if (g->kind == DLS_SOLID_PLANE) memset(solid.size, 0, sizeof solid.size);
  }
  solid.name = g->name ? dls_reading_keep_text(m->reading, g->name) : NULL;
  solid.friction = friction_of(g->dimensions, g->friction);
  if (g->dimensions > 3)
    dls_reading_note(m->reading, true, 1, "geom condim %d: friction torques", g->dimensions);
  g->solid = m->draft.solids;
  dls_solid *place = DLS_READING_ADD(m->reading, &m->draft, solid);
  if (place) *place = solid;
}

static void add_solids(dls_mjcf *m)
{
  int idle = 0;
  for (int k = 0; k < m->geoms && !m->reading->status; k++) {
    dls_mjcf_geom *g = &m->geom[k];
    if (g->kind == DLS_MJCF_HFIELD) continue;
    const bool touches = m->collision == 1 ? g->paired : g->paired || g->type || g->affinity;
    if (touches) add_solid(m, g);
    else idle++;
  }
  if (idle > 0) dls_reading_note(m->reading, false, idle, "geom that touches nothing");
  dls_draft_name_solids(m->reading, &m->draft);
}

// ---- rules
// ---------------------------------------------------------------------------------------

static dls_contact_rule *add_rule(dls_mjcf *m, const dls_xml_element *place)
{
  if (m->draft.rules >= MOST_RULES) {
    dls_reading_fail(m->reading, place, NULL, "too many pairs need a rule of their own");
    return NULL;
  }
  dls_contact_rule *rule = DLS_READING_ADD(m->reading, &m->draft, rule);
  if (rule)
    *rule = (dls_contact_rule){
        .body = {DLS_ANY, DLS_ANY}, .solid = {DLS_ANY, DLS_ANY}, .friction = -1, .restitution = -1};
  return rule;
}

static bool meets(const dls_mjcf_geom *a, const dls_mjcf_geom *b)
{
  return a->body != b->body && ((a->type & b->affinity) || (b->type & a->affinity));
}

// MuJoCo's: of different priority the higher one decides; else the larger friction and dimension of
// both, which is not the larger of what the solids have where one of the geoms has no friction.
static double mixed_friction(const dls_mjcf_geom *a, const dls_mjcf_geom *b)
{
  if (a->priority != b->priority) {
    const dls_mjcf_geom *high = a->priority > b->priority ? a : b;
    return friction_of(high->dimensions, high->friction);
  }
  const int dimensions = a->dimensions > b->dimensions ? a->dimensions : b->dimensions;
  return friction_of(dimensions, fmax(a->friction, b->friction));
}

static double own(const dls_mjcf_geom *g)
{
  return friction_of(g->dimensions, g->friction);
}

// Whether all pairs mix as solids do by themselves: then no pair is looked at.
static bool is_plain(const dls_mjcf *m)
{
  const dls_mjcf_geom *first = NULL;
  for (int k = 0; k < m->geoms; k++) {
    const dls_mjcf_geom *g = &m->geom[k];
    if (g->solid < 0) continue;
    if (!first) first = g;
    if (g->priority != first->priority || (g->dimensions == 1) != (first->dimensions == 1))
      return false;
  }
  return true;
}

static void add_mixed(dls_mjcf *m)
{
  for (int i = 0; i < m->geoms; i++) {
    const dls_mjcf_geom *a = &m->geom[i];
    if (a->solid < 0) continue;
    for (int k = 0; k < i && !m->reading->status; k++) {
      const dls_mjcf_geom *b = &m->geom[k];
      if (b->solid < 0 || !meets(a, b) || mixed_friction(a, b) == fmax(own(a), own(b))) continue;
      dls_contact_rule *rule = add_rule(m, a->element);
      if (!rule) return;
      rule->solid[0] = b->solid;
      rule->solid[1] = a->solid;
      rule->friction = mixed_friction(a, b);
    }
  }
}

static void add_exclude(dls_mjcf *m, const dls_xml_element *e)
{
  if (strcmp(e->name, "exclude") != 0) return;
  int body[2];
  dls_reading_require(m->reading, e, "body1");
  dls_reading_require(m->reading, e, "body2");
  if (!dls_mjcf_find_body(m, e, "body1", &body[0]) || !dls_mjcf_find_body(m, e, "body2", &body[1]))
    return;
  dls_contact_rule *rule = add_rule(m, e);
  if (!rule) return;
  rule->body[0] = body[0];
  rule->body[1] = body[1];
  rule->none = true;
}

static void add_pair(dls_mjcf *m, const dls_xml_element *e)
{
  if (strcmp(e->name, "pair") != 0 || m->collision == 2) return;
  const int i = dls_mjcf_find(m, &m->geom_names, e, "geom1", "geom");
  const int k = dls_mjcf_find(m, &m->geom_names, e, "geom2", "geom");
  const dls_mjcf_class *c = dls_mjcf_class_of(m, e, "class", &m->class[0]);
  dls_mjcf_pair pair = c->pair;
  dls_mjcf_pair_values(m, e, &pair);
  if (m->reading->status) return;
  const dls_mjcf_geom *a = &m->geom[i], *b = &m->geom[k];
  if (a->solid < 0 || b->solid < 0) return;  // of a height field, which has been noted
  if (a->body == b->body) dls_reading_fail(m->reading, e, "geom2", "both geoms are of one body");
  dls_contact_rule *rule = add_rule(m, e);
  if (!rule) return;
  if (pair.dimensions > 3)
    dls_reading_note(m->reading, true, 1, "pair condim %d: friction torques", pair.dimensions);
  if (pair.dimensions > 1 && pair.friction[0] != pair.friction[1])
    dls_reading_note(m->reading, true, 1, "pair friction (not the same in all directions)");
  rule->solid[0] = a->solid;
  rule->solid[1] = b->solid;
  rule->meet = true;
  rule->friction = friction_of(pair.dimensions, pair.friction[0]);
}

// Bodies fixed to one another move as one.
static int moving_root(const dls_mjcf *m, int body)
{
  while (body != DLS_WORLD && m->body[body].joints == 0) body = m->body[body].parent;
  return body;
}

// Where MuJoCo lets parents and children touch, the pairs of their geoms must be named.
static void let_parents_meet(dls_mjcf *m)
{
  for (int i = 0; i < m->geoms; i++) {
    const dls_mjcf_geom *a = &m->geom[i];
    const int child = moving_root(m, a->body);
    if (a->solid < 0 || child == DLS_WORLD) continue;
    const int parent = moving_root(m, m->body[child].parent);
    for (int k = 0; k < m->geoms && !m->reading->status; k++) {
      const dls_mjcf_geom *b = &m->geom[k];
      if (b->solid < 0 || parent == DLS_WORLD || moving_root(m, b->body) != parent || !meets(a, b))
        continue;
      dls_contact_rule *rule = add_rule(m, a->element);
      if (!rule) return;
      rule->solid[0] = b->solid;
      rule->solid[1] = a->solid;
      rule->meet = true;
    }
  }
}

void dls_mjcf_add_contacts(dls_mjcf *m)
{
  if (m->off.contact) return;
  dls_mjcf_each(m, "contact", mark_pair);
  if (m->reading->status) return;
  add_solids(m);
  const bool mixed = m->collision != 1 && !is_plain(m);
  if ((mixed || m->off.filter_parent) && m->draft.solids > MOST_MIXED)
    dls_reading_fail(m->reading, m->root, NULL, "too many geoms to look at all pairs of them");
  if (m->reading->status) return;
  if (m->off.filter_parent) let_parents_meet(m);
  if (mixed) add_mixed(m);
  dls_mjcf_each(m, "contact", add_exclude);
  dls_mjcf_each(m, "contact", add_pair);
}
