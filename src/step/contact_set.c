#include "step/contact_set_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

dls_status dls_contact_set_create(dls_integrator *g)
{
  g->set = dls_alloc(1, sizeof *g->set);
  return g->set ? DLS_OK : DLS_ERR_MEMORY;
}

void dls_contact_set_free(dls_contact_set *set)
{
  if (!set) return;
  dls_arena_free(set->arena);
  free(set->near.id);
  free(set->missed.id);
  free(set->wanted.id);
  free(set->seen.id);
  free(set);
}

const dls_kept *dls_contact_set_kept(const dls_integrator *g)
{
  return &g->set->kept;
}

// ---- keeping ------------------------------------------------------------------------------------

// Room for that many contacts, impulses and numbers of memory; kept while it is enough.
static dls_status make_room(dls_integrator *g)
{
  dls_contact_set *set = g->set;
  const ptrdiff_t m = g->m, impulses = g->impulses;
  const ptrdiff_t scheme_state_size = g->scheme_state_size, n = g->system->n;
  const ptrdiff_t nq = dls_system_nq(g->system);
  const ptrdiff_t need = m + 2 * impulses + scheme_state_size + n + nq;
  if (set->arena && need <= set->room) return DLS_OK;
  dls_arena_free(set->arena);
  set->arena = dls_arena_create();
  set->room = 2 * need;
  const ptrdiff_t room = set->room;
  dls_kept *k = &set->kept;
  if (!set->arena) return DLS_ERR_MEMORY;
  *k = (dls_kept){.q = dls_arena_alloc(set->arena, nq + 1, sizeof(double)),
                  .v = dls_arena_alloc(set->arena, n + 1, sizeof(double)),
                  .id = dls_arena_alloc(set->arena, room, sizeof(uint64_t)),
                  .first = dls_arena_alloc(set->arena, room + 1, sizeof(int)),
                  .of = dls_arena_alloc(set->arena, room, sizeof(int)),
                  .impulse = dls_arena_alloc(set->arena, room, sizeof(double)),
                  .total = dls_arena_alloc(set->arena, room, sizeof(double)),
                  .status = dls_arena_alloc(set->arena, room, 1),
                  .scheme_state = dls_arena_alloc(set->arena, room, sizeof(double))};
  const bool all = k->q && k->v && k->id && k->first && k->of && k->impulse && k->total &&
                   k->status && k->scheme_state;
  return all ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_contact_set_keep(dls_integrator *g)
{
  const dls_status status = make_room(g);
  if (status != DLS_OK) return status;
  dls_kept *k = &g->set->kept;
  const dls_system *s = g->system;
  const ptrdiff_t impulses = g->impulses;
  k->t = g->t, k->step = g->step, k->grid = g->grid, k->count = g->count;
  k->counts = g->point.counts, k->loss = g->loss;
  dls_copy(k->q, g->configuration, (ptrdiff_t)dls_system_nq(s));
  dls_copy(k->v, g->velocity, s->n);
  k->m = g->m;
  for (int j = 0; j < g->m; j++) {
    k->id[j] = g->id[j];
    k->first[j] = g->point.first[j];
    k->of[j] = g->moreau->contacts->of[j];
    k->status[j] = g->status[j];
  }
  k->first[g->m] = g->point.first[g->m];
  dls_copy(k->impulse, g->impulse, impulses);
  dls_copy(k->total, g->total, impulses);
  if (g->scheme_state_size > 0) dls_copy(k->scheme_state, g->scheme_state, g->scheme_state_size);
  k->blocks = g->blocks;
  memcpy(k->block, g->block, sizeof k->block);
  return DLS_OK;
}

// ---- giving back --------------------------------------------------------------------------------

// Where a contact of the integrator was when things were kept, or -1. Bilateral ones are the first,
// the others are in the order of their identities.
static int place_before(const dls_integrator *g, const dls_kept *k, int j)
{
  if (g->system->contacts[j].kind == DLS_BILATERAL) return j;
  const uint64_t id = g->system->contacts[j].id;
  int low = 0, high = k->m;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (k->id[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low < k->m && k->id[low] == id ? low : -1;
}

// What a contact that was not there does: it may only just have come near.
static dls_contact_status new_status(const dls_integrator *g, int j)
{
  const dls_values *x = g->point.values;
  if (x->h[j] > g->options.closed) return DLS_OPEN;
  return x->h_dot[j] < -g->options.rest ? DLS_IMPACTING : DLS_SEPARATING;
}

void dls_contact_set_restore_status(dls_integrator *g, const dls_kept *k)
{
  for (int j = 0; j < g->system->m; j++) {
    const int before = place_before(g, k, j);
    g->status[j] = g->point.absent[j] ? DLS_OPEN
                   : before >= 0      ? k->status[before]
                                      : (unsigned char)new_status(g, j);
  }
}

// The numbers of contact j in a block, from where it was before.
static void restore_block(dls_integrator *g, const dls_kept *k, const dls_scheme_state_block *to,
                          const dls_scheme_state_block *from, int j, int before)
{
  const int *of = g->moreau->contacts->of;
  int place = j * to->width, old = before * to->width, width = to->width;
  if (to->kind == DLS_MEMORY_SLIP) {
    place = g->point.first[j], old = k->first[before];
    width = g->point.first[j + 1] - place;
  } else if (to->kind == DLS_MEMORY_LAW) {
    if (of[j] < 0 || k->of[before] < 0) return;
    place = of[j] * to->width, old = k->of[before] * to->width;
  }
  for (int i = 0; i < width; i++)
    g->scheme_state[to->place + place + i] = k->scheme_state[from->place + old + i];
}

static void restore_scheme_state(dls_integrator *g, const dls_kept *k)
{
  for (int b = 0, next = 0; b < g->blocks; b++) {
    const dls_scheme_state_block *to = &g->block[b];
    int from = next;  // blocks may be missing where there was no friction
    while (from < k->blocks && k->block[from].kind != to->kind) from++;
    if (from == k->blocks) continue;
    next = from + 1;
    if (to->kind == DLS_MEMORY_WHOLE)
      for (int i = 0; i < to->width; i++)
        g->scheme_state[to->place + i] = k->scheme_state[k->block[from].place + i];
    for (int j = 0; j < g->system->m && to->kind != DLS_MEMORY_WHOLE; j++) {
      const int before = place_before(g, k, j);
      if (before >= 0) restore_block(g, k, to, &k->block[from], j, before);
    }
  }
}

void dls_contact_set_restore(dls_integrator *g, const dls_kept *k)
{
  g->step = k->step, g->grid = k->grid, g->count = k->count;
  g->point.counts = k->counts;
  g->loss = k->loss;
  for (int j = 0; j < g->system->m; j++) {
    const int before = place_before(g, k, j);
    if (before < 0) continue;
    const int to = j + g->point.first[j], from = before + k->first[before];
    for (int i = 0; i <= g->point.first[j + 1] - g->point.first[j]; i++) {
      g->impulse[to + i] = g->point.absent[j] ? 0 : k->impulse[from + i];
      g->total[to + i] = k->total[from + i];
    }
  }
  restore_scheme_state(g, k);
}
