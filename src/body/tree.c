#include "body/tree_slope.h"
#include "base/message.h"
#include "base/union_find.h"

#include <stdio.h>
#include <stdlib.h>

// A chain has a full mass matrix: at most this many entries, half a gigabyte of numbers and
// indices.
enum { MAX_ENTRIES = 1 << 25 };

static const char *const straight_names[] = {"x", "y", "z"};
static const char *const turn_names[] = {"rx", "ry", "rz"};
static const char *const quaternion_names[] = {"qw", "qx", "qy", "qz"};

static const char *part_name(dls_arena *arena, const char *joint, const char *number)
{
  const size_t length = strlen(joint) + strlen(number) + 1;
  char *text = dls_alloc((ptrdiff_t)length + 1, 1);
  if (!text) return NULL;
  snprintf(text, length + 1, "%s.%s", joint, number);
  const char *copy = dls_arena_copy(arena, text, length);
  free(text);
  return copy;
}

static bool name_joint(dls_tree *tree, const dls_joint *joint, const char **v, const char **q)
{
  dls_arena *arena = tree->data->arena;
  if (joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE)
    return (*v = *q = dls_arena_copy(arena, joint->name, strlen(joint->name)));
  bool good = true;
  if (joint->kind == DLS_JOINT_FREE)
    for (int c = 0; good && c < 3; c++)
      good = (*v++ = *q++ = part_name(arena, joint->name, straight_names[c]));
  for (int c = 0; good && c < 3; c++) good = (*v++ = part_name(arena, joint->name, turn_names[c]));
  for (int c = 0; good && c < 4; c++)
    good = (*q++ = part_name(arena, joint->name, quaternion_names[c]));
  return good;
}

static int size_of(dls_joint_kind kind)
{
  return kind == DLS_JOINT_FREE ? 6 : kind == DLS_JOINT_BALL ? 3 : 1;
}

// -- structure -----------------------------------------------------------------------------------

typedef struct tree_arrays {
  int *joint_q, *joint_v, *last, *above, *depth, *body_of, *part, *body_part, *p;
  const char **velocities, **configurations;
} tree_arrays;

static bool allocate(dls_tree *tree, const dls_mechanism *mechanism, tree_arrays *a)
{
  dls_tree_data *data = tree->data;
  dls_arena *arena = data->arena;
  const ptrdiff_t n = (ptrdiff_t)tree->n + 1, nq = (ptrdiff_t)tree->nq + 1,
                  bodies = (ptrdiff_t)tree->bodies + 1, joints = (ptrdiff_t)tree->joints + 1;
  ptrdiff_t terms = 1;
  for (int t = 0; t < mechanism->tendons; t++) terms += mechanism->tendon[t].terms;
  struct {
    void **where;
    ptrdiff_t count;
    size_t size;
  } all[] = {
      {(void **)&a->joint_q, joints, sizeof(int)},
      {(void **)&a->joint_v, joints, sizeof(int)},
      {(void **)&a->last, bodies, sizeof(int)},
      {(void **)&a->above, n, sizeof(int)},
      {(void **)&a->depth, n, sizeof(int)},
      {(void **)&a->body_of, n, sizeof(int)},
      {(void **)&a->part, n, sizeof(int)},
      {(void **)&a->body_part, bodies, sizeof(int)},
      {(void **)&a->p, n, sizeof(int)},
      {(void **)&a->velocities, n, sizeof(char *)},
      {(void **)&a->configurations, nq, sizeof(char *)},
      {(void **)&tree->turns, n, sizeof(bool)},
      {(void **)&data->link, joints, sizeof(dls_link)},
      {(void **)&data->first_link, bodies, sizeof(int)},
      {(void **)&data->link_of, bodies, sizeof(int)},
      {(void **)&data->link_at, n, sizeof(int)},
      {(void **)&data->centre, nq, sizeof(double)},
      {(void **)&data->reference, nq, sizeof(double)},
      {(void **)&data->armature, n, sizeof(double)},
      {(void **)&data->damping, n, sizeof(double)},
      {(void **)&data->stiffness, n, sizeof(double)},
      {(void **)&data->rest, n, sizeof(double)},
      {(void **)&data->x, n, sizeof(double)},
      {(void **)&data->x_dot, n, sizeof(double)},
      {(void **)&data->x_ddot, n, sizeof(double)},
      {(void **)&data->next, n, sizeof(int)},
      {(void **)&data->work, n, sizeof(double)},
      {(void **)&data->direction, n, sizeof(dls_direction)},
      {(void **)&data->composite, joints, sizeof(dls_composite)},
      {(void **)&data->tendon, (ptrdiff_t)mechanism->tendons + 1, sizeof(dls_tendon_copy)},
      {(void **)&data->term, terms, sizeof(dls_tendon_term)},
      {(void **)&data->actuator, (ptrdiff_t)mechanism->actuators + 1, sizeof(dls_actuator)},
  };
  for (ptrdiff_t k = 0; k < dls_count_of(all); k++)
    if (!(*all[k].where = dls_arena_alloc(arena, all[k].count, all[k].size))) return false;
  return true;
}

// The joints of body b as links, on the link that its parent stands on.
static void hang_body(dls_tree *tree, const dls_mechanism *mechanism, int b, tree_arrays *a)
{
  dls_tree_data *data = tree->data;
  const int parent = mechanism->body[b].parent;
  int on = parent >= 0 ? data->link_of[parent] : -1, above = parent >= 0 ? a->last[parent] : -1;
  int l = data->first_link[b];
  for (; l < mechanism->joints && mechanism->joint[l].body == b; l++) {
    dls_link *link = data->link + l;
    const dls_joint_kind kind = mechanism->joint[l].kind;
    *link = (dls_link){.parent = on,
                       .first = a->joint_v[l],
                       .count = size_of(kind),
                       .body = b,
                       .q = a->joint_q[l],
                       .kind = kind,
                       .leaf = true};
    if (on >= 0) data->link[on].leaf = false;
    for (int c = 0; c < link->count; c++) {
      const int k = link->first + c;
      a->above[k] = above, a->depth[k] = above >= 0 ? a->depth[above] + 1 : 0, above = k;
      a->body_of[k] = b, data->link_at[k] = l;
      tree->turns[k] = kind == DLS_JOINT_FREE ? c >= 3 : kind != DLS_JOINT_SLIDE;
    }
    on = l;
  }
  data->first_link[b + 1] = l;
  data->link_of[b] = on, a->last[b] = above;
}

static void copy_tendons(dls_tree *tree, const dls_mechanism *mechanism)
{
  dls_tree_data *data = tree->data;
  int count = 0;
  for (int t = 0; t < mechanism->tendons; t++) {
    const dls_tendon *from = mechanism->tendon + t;
    data->tendon[t] = (dls_tendon_copy){
        from->terms, count, from->damping, from->stiffness, {from->rest[0], from->rest[1]}};
    for (int k = 0; k < from->terms; k++)
      data->term[count++] = (dls_tendon_term){tree->joint_v[from->joint[k]], from->gear[k]};
  }
  data->tendons = mechanism->tendons, data->terms = count;
}

static void find_parts(dls_tree *tree, tree_arrays *a)
{
  const dls_tree_data *data = tree->data;
  int *class = a->part;
  for (int k = 0; k < tree->n; k++) class[k] = k;
  for (int k = 0; k < tree->n; k++)
    if (tree->above[k] >= 0) dls_unite(class, k, tree->above[k]);
  for (int t = 0; t < data->tendons; t++)
    for (int i = 1; i < data->tendon[t].terms; i++)
      dls_unite(class, data->term[data->tendon[t].first].v,
                data->term[data->tendon[t].first + i].v);
  for (int k = 0; k < tree->n; k++) data->next[k] = dls_class_of(class, k);
  tree->parts = 0;  // what stands for a class is its smallest element, and comes first
  for (int k = 0; k < tree->n; k++)
    a->part[k] = data->next[k] == k ? tree->parts++ : a->part[data->next[k]];
  for (int b = 0; b < tree->bodies; b++)
    a->body_part[b] = tree->last[b] >= 0 ? a->part[tree->last[b]] : -1;
}

// -- patterns ------------------------------------------------------------------------------------

// Column k: the velocities above, itself, those below, in their order.
static dls_status make_mass_pattern(dls_tree *tree, int *p, dls_message *message)
{
  dls_tree_data *data = tree->data;
  ptrdiff_t entries = tree->n;
  for (int k = 0; k < tree->n; k++) entries += 2 * (ptrdiff_t)tree->depth[k];
  if (entries > MAX_ENTRIES)
    return dls_fail(message, DLS_ERR_LIMIT,
                    "the mass matrix of the joint coordinates has %td entries, more than %d: "
                    "bodies in so long a chain need maximal coordinates",
                    entries, (int)MAX_ENTRIES);
  int *i = dls_arena_alloc(data->arena, entries + 1, sizeof(int));
  if (!i) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  for (int k = 0; k < tree->n; k++) p[k + 1] += 1 + tree->depth[k];
  for (int k = 0; k < tree->n; k++)
    for (int j = tree->above[k]; j >= 0; j = tree->above[j]) p[j + 1]++;
  for (int k = 0; k < tree->n; k++) p[k + 1] += p[k];
  for (int k = 0; k < tree->n; k++) {
    for (int j = k; j >= 0; j = tree->above[j]) {
      i[p[k] + tree->depth[j]] = j;
      if (j < k) i[data->next[j]++] = k;
    }
    data->next[k] = p[k] + tree->depth[k] + 1;
  }
  tree->mass = (dls_pattern){tree->n, tree->n, p, i};
  return DLS_OK;
}

static int compare_int(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// The rows of column k: those of M, and of tendons that pass it. Returns how many.
static ptrdiff_t slope_column(const dls_tree *tree, int k, int *stamp, int *rows)
{
  const dls_tree_data *data = tree->data;
  ptrdiff_t count = 0;
  for (int e = tree->mass.p[k]; e < tree->mass.p[k + 1]; e++)
    stamp[tree->mass.i[e]] = k, rows[count++] = tree->mass.i[e];
  for (int t = 0; t < data->tendons; t++) {
    const dls_tendon_term *term = data->term + data->tendon[t].first;
    bool passes = false;
    for (int i = 0; i < data->tendon[t].terms; i++) passes |= term[i].v == k;
    for (int i = 0; passes && i < data->tendon[t].terms; i++)
      if (stamp[term[i].v] != k) stamp[term[i].v] = k, rows[count++] = term[i].v;
  }
  qsort(rows, (size_t)count, sizeof *rows, compare_int);
  return count;
}

static dls_status make_slope_pattern(dls_tree *tree, dls_message *message)
{
  tree->slope = tree->mass;
  if (tree->data->terms == 0) return DLS_OK;
  dls_arena *arena = tree->data->arena;
  const ptrdiff_t n = tree->n;
  int *p = dls_arena_alloc(arena, n + 1, sizeof(int)), *i = NULL;
  int *stamp = dls_alloc(n + 1, sizeof(int)), *rows = dls_alloc(n + 1, sizeof(int));
  ptrdiff_t entries = 0;
  dls_status status = p && stamp && rows ? DLS_OK : DLS_ERR_MEMORY;
  for (int pass = 0; status == DLS_OK && pass < 2; pass++) {
    for (int k = 0; k < n; k++) stamp[k] = -1;
    entries = 0;
    for (int k = 0; k < n && entries <= MAX_ENTRIES; k++) {
      const ptrdiff_t count = slope_column(tree, k, stamp, rows);
      if (pass == 1) dls_copy(i + entries, rows, count);
      entries += count;
      p[k + 1] = (int)entries;
    }
    if (entries > MAX_ENTRIES) status = DLS_ERR_LIMIT;
    else if (pass == 0 && !(i = dls_arena_alloc(arena, entries + 1, sizeof(int))))
      status = DLS_ERR_MEMORY;
  }
  free(stamp), free(rows);
  if (status == DLS_ERR_LIMIT)
    return dls_fail(message, status, "tendons tie more than %d pairs of joints", (int)MAX_ENTRIES);
  if (status != DLS_OK) return dls_fail(message, status, "out of memory");
  tree->slope = (dls_pattern){tree->n, tree->n, p, i};
  int *place = dls_arena_alloc(arena, (ptrdiff_t)tree->mass.p[n] + 1, sizeof *place);
  if (!place) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  for (int k = 0; k < n; k++)
    for (int e = tree->mass.p[k], to = p[k]; e < tree->mass.p[k + 1]; e++) {
      while (i[to] != tree->mass.i[e]) to++;
      place[e] = to;
    }
  tree->data->slope_place = place;
  return DLS_OK;
}

// -- numbers -------------------------------------------------------------------------------------

static void read_numbers(dls_tree *tree, const dls_mechanism *mechanism)
{
  dls_tree_data *data = tree->data;
  dls_copy(data->gravity, mechanism->gravity, 3);
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    const dls_joint *joint = mechanism->joint + l;
    for (int k = link->first; k < link->first + link->count; k++) {
      data->armature[k] = joint->armature, data->damping[k] = joint->damping;
      data->stiffness[k] = joint->stiffness, data->rest[k] = joint->rest;
    }
    double *q = data->reference + link->q;
    const dls_pose *pose = &mechanism->body[link->body].pose;
    if (link->count == 1) q[0] = joint->reference;
    if (link->kind == DLS_JOINT_BALL) q[0] = 1;
    if (link->kind == DLS_JOINT_FREE) {
      dls_copy(q, pose->position, 3);
      dls_copy(q + 3, pose->quaternion, 4);
      dls_unit_quaternion(q + 3);
    }
  }
  copy_tendons(tree, mechanism);
  data->actuators = mechanism->actuators;
  for (int i = 0; i < mechanism->actuators; i++) {
    data->actuator[i] = mechanism->actuator[i];
    data->actuator[i].name = NULL;
  }
  dls_tree_plain_build(tree, mechanism);
  dls_tree_bounded_build(tree, mechanism);
}

void dls_tree_update(dls_tree *tree, const dls_mechanism *mechanism)
{
  assert(mechanism->bodies == tree->bodies && mechanism->joints == tree->joints);
  assert(mechanism->tendons == tree->data->tendons &&
         mechanism->actuators == tree->data->actuators);
  read_numbers(tree, mechanism);
  dls_tree_plain_centre(tree);
  dls_tree_bounded_centre(tree);
}

static dls_status build(dls_tree *tree, const dls_mechanism *mechanism, dls_message *message)
{
  tree_arrays a = {0};
  if (!allocate(tree, mechanism, &a)) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  tree->velocities = a.velocities, tree->configurations = a.configurations;
  tree->joint_q = a.joint_q, tree->joint_v = a.joint_v;
  tree->last = a.last, tree->above = a.above, tree->depth = a.depth, tree->body_of = a.body_of;
  tree->part = a.part, tree->body_part = a.body_part;
  int v = 0, q = 0;
  for (int l = 0; l < tree->joints; l++) {
    const dls_joint *joint = mechanism->joint + l;
    a.joint_v[l] = v, a.joint_q[l] = q;
    if (!name_joint(tree, joint, a.velocities + v, a.configurations + q))
      return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
    v += size_of(joint->kind), q += size_of(joint->kind) + (size_of(joint->kind) > 1);
  }
  for (int b = 0; b < tree->bodies; b++) hang_body(tree, mechanism, b, &a);
  copy_tendons(tree, mechanism);
  find_parts(tree, &a);
  dls_status status = make_mass_pattern(tree, a.p, message);
  if (status == DLS_OK) status = make_slope_pattern(tree, message);
  if (status != DLS_OK) return status;
  if (!dls_tree_plain_create(tree) || !dls_tree_bounded_create(tree))
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  read_numbers(tree, mechanism);
  return dls_tree_centre(tree, tree->data->reference, message);
}

dls_status dls_tree_create(const dls_mechanism *mechanism, dls_tree **out, dls_message *message)
{
  *out = NULL;
  ptrdiff_t n = 0;
  for (int l = 0; l < mechanism->joints; l++) n += size_of(mechanism->joint[l].kind);
  if (n > MAX_ENTRIES)
    return dls_fail(message, DLS_ERR_LIMIT, "the joints have %td velocities, more than %d", n,
                    (int)MAX_ENTRIES);
  dls_tree *tree = dls_alloc(1, sizeof *tree);
  dls_tree_data *data = dls_alloc(1, sizeof *data);
  dls_arena *arena = dls_arena_create();
  if (!tree || !data || !arena) {
    free(tree), free(data);
    dls_arena_free(arena);
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  tree->data = data, data->arena = arena;
  tree->bodies = mechanism->bodies, tree->joints = data->links = mechanism->joints;
  tree->n = tree->nq = (int)n;
  for (int l = 0; l < mechanism->joints; l++) tree->nq += size_of(mechanism->joint[l].kind) > 1;
  const dls_status status = build(tree, mechanism, message);
  if (status == DLS_OK) *out = tree;
  else dls_tree_free(tree);
  return status;
}

void dls_tree_free(dls_tree *tree)
{
  if (!tree) return;
  dls_arena_free(tree->data->arena);
  free(tree->data);
  free(tree);
}
