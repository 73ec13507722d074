#include "model/body_forest.h"

#include <stdlib.h>

typedef struct work {
  const dls_source *s;
  dls_body_forest *f;
  int *set;           // bodies + 1: union-find; the last is the world
  int *first, *next;  // edges of each body: 2 * joint + side
  int *queue;
  bool *seen;
} work;

static int root_of(const work *w, int body)
{
  if (body < 0) body = w->f->bodies;
  while (w->set[body] != body) body = w->set[body] = w->set[w->set[body]];
  return body;
}

static bool unite(const work *w, int a, int b)
{
  const int x = root_of(w, a), y = root_of(w, b);
  if (x == y) return false;
  if (x > y) w->set[y] = x;
  else w->set[x] = y;
  return true;
}

static void begin_sets(const work *w)
{
  const dls_source *s = w->s;
  for (int i = 0; i <= w->f->bodies; i++) w->set[i] = i;
  for (int i = 0; i < s->bodies.count; i++)
    if (s->bodies.items[i].fixed) unite(w, i, DLS_WORLD);
  // what files say is as it is there: their bodies have their places in the forest
  for (int i = s->bodies.count; i < w->f->bodies; i++) unite(w, i, DLS_WORLD);
}

static void choose_joints(const work *w)
{
  const dls_source *s = w->s;
  for (int i = 0; i < s->joints.count; i++) {
    const dls_joint_statement *joint = &s->joints.items[i];
    w->f->closes[i] = !unite(w, joint->body[0].body, joint->body[1].body);
    for (int k = 0; k < 2 && !w->f->closes[i]; k++) {
      const int body = joint->body[k].body < 0 ? w->f->bodies : joint->body[k].body;
      w->next[2 * i + k] = w->first[body];
      w->first[body] = 2 * i + k;
    }
  }
}

// From a body on, along the joints of the forest.
static void spread(const work *w, int from)
{
  int read = 0, written = 0;
  w->seen[from] = true;
  w->queue[written++] = from;
  while (read < written) {
    const int body = w->queue[read++];
    for (int edge = w->first[body]; edge >= 0; edge = w->next[edge]) {
      const int side = edge % 2, other = w->s->joints.items[edge / 2].body[1 - side].body;
      const int child = other < 0 ? w->f->bodies : other;
      if (w->seen[child]) continue;
      w->seen[child] = true;
      w->f->parent[child] = body == w->f->bodies ? DLS_WORLD : body;
      w->f->joint[child] = edge / 2;
      w->f->reversed[child] = side == 1;
      w->queue[written++] = child;
    }
  }
}

static void hang_imported(const work *w)
{
  const dls_source *s = w->s;
  for (int i = 0; i < s->imports.count; i++) {
    const dls_import_statement *import = &s->imports.items[i];
    const dls_mechanism *m = import->mechanism;
    for (int k = 0; m && k < m->bodies; k++) {
      const int parent = m->body[k].parent;
      w->f->parent[import->first_body + k] =
          parent >= 0 ? import->first_body + parent : import->on.body;
    }
  }
}

// Each after its parent; `queue` holds the way up.
static void put_in_order(const work *w)
{
  dls_body_forest *f = w->f;
  int placed = 0;
  dls_clear(w->seen, (ptrdiff_t)f->bodies + 1);
  for (int i = 0; i < f->bodies; i++) {
    int depth = 0;
    for (int body = i; body >= 0 && !w->seen[body]; body = f->parent[body])
      w->queue[depth++] = body, w->seen[body] = true;
    while (depth > 0) f->order[placed++] = w->queue[--depth];
  }
}

static void grow(const work *w)
{
  const dls_source *s = w->s;
  dls_body_forest *f = w->f;
  for (int i = 0; i < f->bodies; i++) f->parent[i] = DLS_WORLD, f->joint[i] = -1;
  // what is fixed stands in the world, whatever joints say
  w->seen[f->bodies] = true;
  for (int i = 0; i < f->bodies; i++) w->seen[i] = i >= s->bodies.count || s->bodies.items[i].fixed;
  spread(w, f->bodies);
  for (int i = 0; i < f->bodies; i++)
    if (i >= s->bodies.count || s->bodies.items[i].fixed) spread(w, i);
  for (int i = 0; i < s->bodies.count; i++) {
    if (w->seen[i]) continue;
    f->free[i] = true;
    spread(w, i);
  }
  hang_imported(w);
  put_in_order(w);
}

dls_status dls_body_forest_make(const dls_source *s, dls_arena *arena, dls_body_forest *f)
{
  const ptrdiff_t n = s->all_bodies, joints = s->joints.count;
  *f = (dls_body_forest){.bodies = s->all_bodies};
  f->parent = dls_arena_alloc(arena, n + 1, sizeof *f->parent);
  f->joint = dls_arena_alloc(arena, n + 1, sizeof *f->joint);
  f->reversed = dls_arena_alloc(arena, n + 1, sizeof *f->reversed);
  f->free = dls_arena_alloc(arena, n + 1, sizeof *f->free);
  f->order = dls_arena_alloc(arena, n + 1, sizeof *f->order);
  f->closes = dls_arena_alloc(arena, joints + 1, sizeof *f->closes);
  work w = {.s = s, .f = f};
  w.set = dls_arena_alloc(arena, n + 1, sizeof *w.set);
  w.first = dls_arena_alloc(arena, n + 1, sizeof *w.first);
  w.next = dls_arena_alloc(arena, 2 * joints + 1, sizeof *w.next);
  w.queue = dls_arena_alloc(arena, n + 1, sizeof *w.queue);
  w.seen = dls_arena_alloc(arena, n + 1, sizeof *w.seen);
  if (!f->parent || !f->joint || !f->reversed || !f->free || !f->order || !f->closes || !w.set ||
      !w.first || !w.next || !w.queue || !w.seen)
    return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i <= n; i++) w.first[i] = -1;
  begin_sets(&w);
  choose_joints(&w);
  grow(&w);
  return DLS_OK;
}
