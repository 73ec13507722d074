#include "body/touching.h"

#include "base/message.h"
#include "linalg/bounded.h"

#include <stdio.h>
#include <stdlib.h>

// ---- made ---------------------------------------------------------------------------------------

// The box around a solid in its frame.
static void measure(const dls_solid *from, dls_body_solid *to)
{
  const double *size = from->size;
  to->endless = from->kind == DLS_SOLID_PLANE;
  dls_clear(to->middle, 3), dls_clear(to->half, 3);
  switch (from->kind) {
  case DLS_SOLID_BOX:
    for (int i = 0; i < 3; i++) to->half[i] = size[i] / 2;
    return;
  case DLS_SOLID_ELLIPSOID: dls_copy(to->half, size, 3); return;
  case DLS_SOLID_SPHERE:
  case DLS_SOLID_CAPSULE:
  case DLS_SOLID_CYLINDER:
    to->half[0] = to->half[1] = to->half[2] = size[0];
    if (from->kind == DLS_SOLID_CAPSULE) to->half[2] += size[1] / 2;
    if (from->kind == DLS_SOLID_CYLINDER) to->half[2] = size[1] / 2;
    return;
  default: break;
  }
  for (int i = 0; i < 3 && from->kind == DLS_SOLID_HULL; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < from->vertices; v++) {
      const double x = from->vertex[3 * (ptrdiff_t)v + i];
      low = fmin(low, x), high = fmax(high, x);
    }
    to->middle[i] = (low + high) / 2, to->half[i] = (high - low) / 2;
  }
}

static const char *label(const dls_mechanism *m, const dls_solid *solid, dls_arena *arena)
{
  const char *body = solid->body < 0 ? "world" : m->body[solid->body].name;
  const size_t length = strlen(body) + strlen(solid->name) + 1;
  char *text = dls_arena_alloc(arena, (ptrdiff_t)length + 1, 1);
  if (text) snprintf(text, length + 1, *solid->name ? "%s.%s" : "%s%s", body, solid->name);
  return text;
}

dls_status dls_touching_read(dls_touching *all, const dls_mechanism *m, dls_message *message)
{
  for (int s = 0; s < all->solids; s++) {
    const dls_solid *from = m->solid + s;
    dls_body_solid *to = all->solid + s;
    dls_form *form = NULL;
    const dls_status status = dls_form_create(from, &form, message);
    if (status != DLS_OK) return status;
    if (to->form && dls_form_features(form) != dls_form_features(to->form)) {
      dls_form_free(form);
      return dls_fail(message, DLS_ERR_MODEL, "solid `%.80s` has another shape", to->name);
    }
    dls_form_free(to->form);
    to->form = form, to->pose = from->pose;
    to->friction = from->friction, to->restitution = from->restitution;
    to->type = from->type, to->affinity = from->affinity;
    measure(from, to);
  }
  if (all->rules > 0) dls_copy(all->rule, m->rule, all->rules);
  return DLS_OK;
}

// The body with joints that carries each body, itself or one below; and what that hangs on.
static int *find_groups(const dls_mechanism *m, dls_arena *arena, int **parent)
{
  int *group = dls_arena_alloc(arena, (ptrdiff_t)m->bodies + 1, sizeof *group);
  *parent = dls_arena_alloc(arena, (ptrdiff_t)m->bodies + 1, sizeof **parent);
  for (int b = 0, j = 0; group && *parent && b < m->bodies; b++) {
    const int on = m->body[b].parent < 0 ? -1 : group[m->body[b].parent];
    const bool moves = j < m->joints && m->joint[j].body == b;
    while (j < m->joints && m->joint[j].body == b) j++;
    group[b] = moves ? b : on;
    (*parent)[b] = on;
  }
  return *parent ? group : NULL;
}

static bool allocate(dls_touching *all, const dls_mechanism *m, dls_arena *arena)
{
  const ptrdiff_t solids = (ptrdiff_t)m->solids + 1;
  all->arena = arena;
  all->solid = dls_arena_alloc(arena, solids, sizeof *all->solid);
  all->rule = dls_arena_alloc(arena, (ptrdiff_t)m->rules + 1, sizeof *all->rule);
  all->box = dls_arena_alloc(arena, solids, sizeof *all->box);
  all->near_group = dls_arena_alloc(arena, solids, sizeof *all->near_group);
  all->place = dls_arena_alloc(arena, solids, sizeof *all->place);
  return all->solid && all->rule && all->box && all->near_group && all->place;
}

dls_status dls_touching_create(dls_touching *all, const dls_mechanism *m,
                               const dls_expanded *expanded, const dls_tree *tree, int first_id,
                               dls_arena *arena, dls_message *message)
{
  int *parent = NULL;
  const int *group = find_groups(m, arena, &parent);
  (void)tree;
  if (!group || !allocate(all, m, arena)) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  all->group_parent = parent;
  all->rules = m->rules, all->first_id = (uint64_t)first_id;
  for (int s = 0; s < m->solids; s++, all->solids++) {
    dls_body_solid *to = all->solid + s;
    *to = (dls_body_solid){.given = m->solid[s].body, .group = -1, .body = DLS_WORLD};
    if (to->given >= 0) to->body = expanded->body[to->given], to->group = group[to->given];
    to->name = label(m, m->solid + s, arena);
    all->near_group[s] = to->group + 1;
    if (!to->name) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  dls_status status = dls_touching_read(all, m, message);
  if (status != DLS_OK) return status;
  all->features = 1;
  for (int s = 0; s < all->solids; s++) {
    const uint64_t own = (uint64_t)dls_form_features(all->solid[s].form);
    if (own > all->features) all->features = own;
  }
  const double identities =
      (double)all->solids * (double)all->solids * (double)all->features * (double)all->features;
  if (!(identities < 0x1p62))
    return dls_fail(message, DLS_ERR_LIMIT, "%d solids with up to %.0f features are too many",
                    all->solids, (double)all->features);
  if (dls_near_create(all->solids, &all->near) != DLS_OK)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  return DLS_OK;
}

void dls_touching_free(dls_touching *all)
{
  for (int s = 0; s < all->solids; s++) dls_form_free(all->solid[s].form);
  dls_near_free(all->near);
  free(all->id), free(all->entry), free(all->pair), free(all->touch), free(all->velocity);
  free(all->side), free(all->state), free(all->slope);
}

// ---- which touch --------------------------------------------------------------------------------

static bool fits(const dls_touching *all, const dls_contact_rule *rule, int side, int s)
{
  return (rule->body[side] == DLS_ANY || rule->body[side] == all->solid[s].given) &&
         (rule->solid[side] == DLS_ANY || rule->solid[side] == s);
}

bool dls_touching_rule(const dls_touching *all, int a, int b, double *friction, double *restitution)
{
  const dls_body_solid *x = all->solid + a, *y = all->solid + b;
  *friction = fmax(x->friction, y->friction);
  *restitution = fmax(x->restitution, y->restitution);
  if (x->group == y->group || (x->endless && y->endless)) return false;
  const bool hang = (x->group >= 0 && y->group >= 0) && (all->group_parent[x->group] == y->group ||
                                                         all->group_parent[y->group] == x->group);
  bool meet = !hang && ((x->type & y->affinity) != 0 || (y->type & x->affinity) != 0);
  for (int k = 0; k < all->rules; k++) {
    const dls_contact_rule *rule = all->rule + k;
    if (!(fits(all, rule, 0, a) && fits(all, rule, 1, b)) &&
        !(fits(all, rule, 0, b) && fits(all, rule, 1, a)))
      continue;
    if (rule->none) meet = false;
    if (rule->meet) meet = true;
    if (rule->friction >= 0) *friction = rule->friction;
    if (rule->restitution >= 0) *restitution = rule->restitution;
  }
  return meet;
}

bool dls_touching_any(const dls_touching *all)
{
  enum { MANY = 500 };  // of more nobody asks pair by pair
  double friction, restitution;
  if (all->solids > MANY) return true;
  for (int a = 0; a < all->solids; a++)
    for (int b = a + 1; b < all->solids; b++)
      if (dls_touching_rule(all, a, b, &friction, &restitution)) return true;
  return false;
}

// ---- identities ---------------------------------------------------------------------------------

// What is fixed in the world comes second; else the later solid does.
static bool comes_second(const dls_touching *all, int a, int b)
{
  const bool fixed_a = all->solid[a].group < 0, fixed_b = all->solid[b].group < 0;
  return fixed_a != fixed_b ? fixed_a : a > b;
}

static uint64_t encode(const dls_touching *all, int a, int b, dls_touch_id touch)
{
  const uint64_t F = all->features, S = (uint64_t)all->solids;
  return all->first_id + (((uint64_t)a * S + (uint64_t)b) * F + (uint64_t)touch.a) * F +
         (uint64_t)touch.b;
}

bool dls_touching_decode(const dls_touching *all, uint64_t id, int solid[2], dls_touch_id *touch)
{
  const uint64_t F = all->features, S = (uint64_t)all->solids;
  if (id < all->first_id || S == 0) return false;
  id -= all->first_id;
  *touch = (dls_touch_id){(int)(id / F % F), (int)(id % F)};
  id /= F * F;
  if (id >= S * S) return false;
  solid[0] = (int)(id / S), solid[1] = (int)(id % S);
  return solid[0] != solid[1] && touch->a < dls_form_features(all->solid[solid[0]].form) &&
         touch->b < dls_form_features(all->solid[solid[1]].form);
}

// Where the identity is in the table, or its place: open addressing.
static ptrdiff_t slot_of(const dls_touching *all, uint64_t id)
{
  const uint64_t mask = (uint64_t)all->entry_room - 1;
  uint64_t at = (id * 0x9e3779b97f4a7c15u) >> 20 & mask;
  while (all->entry[at].name && all->entry[at].id != id) at = (at + 1) & mask;
  return (ptrdiff_t)at;
}

static bool grow_table(dls_touching *all)
{
  if (2 * (all->entries + 1) <= all->entry_room) return true;
  const ptrdiff_t before = all->entry_room, room = before ? 2 * before : 64;
  dls_name_entry *old = all->entry, *larger = dls_alloc(room, sizeof *larger);
  if (!larger) return false;
  all->entry = larger, all->entry_room = room;
  for (ptrdiff_t k = 0; k < before; k++)
    if (old[k].name) all->entry[slot_of(all, old[k].id)] = old[k];
  free(old);
  return true;
}

const char *dls_touching_name(dls_touching *all, uint64_t id)
{
  enum { LONG = 64 };
  int solid[2];
  dls_touch_id touch;
  char feature[2][LONG];
  if (!grow_table(all)) return NULL;
  dls_name_entry *entry = all->entry + slot_of(all, id);
  if (entry->name) return entry->name;
  if (!dls_touching_decode(all, id, solid, &touch)) return NULL;
  const dls_body_solid *x = all->solid + solid[0], *y = all->solid + solid[1];
  dls_form_feature_name(x->form, touch.a, feature[0], LONG);
  dls_form_feature_name(y->form, touch.b, feature[1], LONG);
  const size_t length = strlen(x->name) + strlen(y->name) + 2 * LONG + 4;
  char *text = dls_arena_alloc(all->arena, (ptrdiff_t)length, 1);
  if (!text) return NULL;
  snprintf(text, length, "%s%s%s/%s%s%s", x->name, *feature[0] ? "." : "", feature[0], y->name,
           *feature[1] ? "." : "", feature[1]);
  *entry = (dls_name_entry){id, text};
  all->entries++;
  return text;
}

// ---- finding ------------------------------------------------------------------------------------

static double length(const double a[3])
{
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// Where a solid is and how far it may go in that time, with a box around both.
static void place_solid(const dls_touching *all, const dls_tree *tree, int s, double g,
                        double horizon)
{
  const dls_body_solid *solid = all->solid + s;
  dls_solid_place *at = all->place + s;
  dls_near_box *box = all->box + s;
  dls_tree_motion(tree, solid->body, &solid->pose, &at->motion, NULL);
  const dls_solid_motion *m = &at->motion;
  at->way = 0;
  if (solid->group >= 0 && horizon > 0) {
    const double radius = solid->endless ? 0 : length(solid->half) + length(solid->middle);
    at->way = horizon * (length(m->v) + length(m->w) * radius + horizon * g);
  }
  for (int i = 0; i < 3; i++) {
    double middle = m->p[i], half = at->way;
    for (int k = 0; k < 3; k++) {
      middle += m->R[3 * i + k] * solid->middle[k];
      half += fabs(m->R[3 * i + k]) * solid->half[k];
    }
    half += 8 * DBL_EPSILON * (fabs(middle) + half);
    box->low[i] = solid->endless ? -INFINITY : middle - half;
    box->high[i] = solid->endless ? INFINITY : middle + half;
  }
}

static int by_identity(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

dls_status dls_touching_find(dls_touching *all, const dls_tree *tree, const double gravity[3],
                             double reach, double horizon, int *count)
{
  const double g = length(gravity);
  const int begin = *count;
  for (int s = 0; s < all->solids; s++) place_solid(all, tree, s, g, horizon);
  all->ambiguous = false;
  if (dls_near_update(all->near, all->box, fmax(reach, 0), all->near_group) != DLS_OK)
    return DLS_ERR_MEMORY;
  const dls_near_pair *pair = dls_near_pairs(all->near);
  for (int k = 0; k < dls_near_count(all->near); k++) {
    int a = pair[k].a, b = pair[k].b;
    double friction, restitution;
    if (!dls_touching_rule(all, a, b, &friction, &restitution)) continue;
    if (comes_second(all, a, b)) a = pair[k].b, b = pair[k].a;
    const dls_solid_place *x = all->place + a, *y = all->place + b;
    dls_touch_id touch[DLS_TOUCHES_MAX];
    bool ambiguous = false;
    const int found = dls_touch_find(all->solid[a].form, &x->motion, all->solid[b].form, &y->motion,
                                     reach + x->way + y->way, touch, &ambiguous);
    all->ambiguous |= ambiguous;
    if (*count > INT32_MAX - DLS_TOUCHES_MAX) return DLS_ERR_LIMIT;
    if (dls_grow((void **)&all->id, &all->id_room, (ptrdiff_t)*count + found + 1,
                 sizeof *all->id) != 0)
      return DLS_ERR_MEMORY;
    for (int i = 0; i < found; i++) all->id[(*count)++] = encode(all, a, b, touch[i]);
  }
  qsort(all->id + begin, (size_t)(*count - begin), sizeof *all->id, by_identity);
  return DLS_OK;
}

// ---- selected -----------------------------------------------------------------------------------

static dls_status add_pair(dls_touching *all, const dls_tree *tree, const int solid[2])
{
  const int body[2] = {all->solid[solid[0]].body, all->solid[solid[1]].body};
  int common = 0;
  const ptrdiff_t begin = all->velocities,
                  end = begin + dls_pair_velocities(tree, body, NULL, NULL, &common);
  if (end > INT32_MAX) return DLS_ERR_LIMIT;
  if (dls_grow((void **)&all->pair, &all->pair_room, (ptrdiff_t)all->pairs + 1,
               sizeof *all->pair) != 0 ||
      dls_grow((void **)&all->velocity, &all->velocity_room, end + 1, sizeof(int)) != 0 ||
      dls_grow((void **)&all->side, &all->side_room, end + 1, 1) != 0)
    return DLS_ERR_MEMORY;
  dls_solid_pair *pair = all->pair + all->pairs++;
  *pair = (dls_solid_pair){.solid = {solid[0], solid[1]}, .first = all->touches};
  pair->pair = (dls_pair){.body = {body[0], body[1]}, .first = (int)begin};
  dls_pair_velocities(tree, body, all->velocity + begin, all->side + begin, &pair->pair.common);
  pair->pair.count = (int)(end - begin) - pair->pair.common;
  all->velocities = end;
  return DLS_OK;
}

dls_status dls_touching_select(dls_touching *all, const dls_tree *tree, int count,
                               const uint64_t *id, dls_message *message)
{
  all->pairs = all->touches = 0, all->velocities = 0;
  dls_status status = DLS_OK;
  if (dls_grow((void **)&all->touch, &all->touch_room, (ptrdiff_t)count + 1, sizeof *all->touch) !=
      0)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  for (int k = 0; k < count && status == DLS_OK; k++) {
    int solid[2];
    dls_body_touch touch = {0};
    if (!dls_touching_decode(all, id[k], solid, &touch.touch) ||
        !dls_touching_rule(all, solid[0], solid[1], &touch.friction, &touch.restitution))
      return dls_fail(message, DLS_ERR_ARGUMENT, "no two solids have the contact %llu",
                      (unsigned long long)id[k]);
    const dls_solid_pair *last = all->pairs > 0 ? all->pair + all->pairs - 1 : NULL;
    if (!last || last->solid[0] != solid[0] || last->solid[1] != solid[1])
      status = add_pair(all, tree, solid);
    if (status != DLS_OK) break;
    touch.pair = all->pairs - 1;
    all->pair[all->pairs - 1].count++;
    all->touch[all->touches++] = touch;
  }
  if (status == DLS_OK && (dls_grow((void **)&all->state, &all->state_room,
                                    (ptrdiff_t)all->pairs + 1, sizeof *all->state) != 0 ||
                           dls_grow((void **)&all->slope, &all->slope_room, 2 * all->velocities + 1,
                                    sizeof *all->slope) != 0))
    status = DLS_ERR_MEMORY;
  return status == DLS_OK ? DLS_OK : dls_fail(message, status, "%s", dls_status_text(status));
}

void dls_touching_move(dls_touching *all, const dls_tree *tree, bool bounds)
{
  for (int p = 0; p < all->pairs; p++) {
    dls_solid_pair *pair = all->pair + p;
    for (int s = 0; s < 2; s++) pair->pair.frame[s] = all->solid[pair->solid[s]].pose;
    dls_pair_move(tree, &pair->pair, bounds, all->state + p);
  }
}

dls_status dls_touching_values(const dls_touching *all, int t, bool bounds,
                               dls_touch_values *values, dls_touch_values *error)
{
  const dls_body_touch *touch = all->touch + t;
  const dls_solid_pair *pair = all->pair + touch->pair;
  const dls_pair_state *at = all->state + touch->pair;
  return dls_touch_evaluate(all->solid[pair->solid[0]].form, &at->motion[0],
                            bounds ? &at->error[0] : NULL, all->solid[pair->solid[1]].form,
                            &at->motion[1], bounds ? &at->error[1] : NULL, touch->touch, values,
                            bounds ? error : NULL);
}
