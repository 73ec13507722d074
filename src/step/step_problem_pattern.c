// Which contacts the problem has, and which entries W: contacts that share a component of the
// KKT system see each other.
#include "step/step_problem.h"

#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static int sorted_unique(int count, int *list)
{
  int used = 0;
  qsort(list, (size_t)count, sizeof *list, by_number);
  for (int k = 0; k < count; k++)
    if (k == 0 || list[k] != list[used - 1]) list[used++] = list[k];
  return used;
}

// The rows that the normal and the slips of a contact touch are in these components.
bool dls_step_problem_touch(dls_step_problem *c)
{
  const dls_system *s = c->point->system;
  ptrdiff_t most = 1;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    most += (s->normal.p[j + 1] - s->normal.p[j]);
    most += (s->tangent.p[c->point->first[j + 1]] - s->tangent.p[c->point->first[j]]);
  }
  c->component = dls_arena_alloc(c->arena, most, sizeof(int));
  c->component_first = dls_arena_alloc(c->arena, (ptrdiff_t)c->count + 1, sizeof(int));
  if (!c->component || !c->component_first) return false;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i], begin = c->component_first[i];
    int used = 0;
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++)
      c->component[begin + used++] = dls_step_kkt_component(c->kkt, s->normal.i[e]);
    for (int e = s->tangent.p[c->point->first[j]]; e < s->tangent.p[c->point->first[j + 1]]; e++)
      c->component[begin + used++] = dls_step_kkt_component(c->kkt, s->tangent.i[e]);
    c->component_first[i + 1] = begin + sorted_unique(used, c->component + begin);
  }
  dls_step_problem_memory *room = &c->room;
  const ptrdiff_t components = dls_step_kkt_size(c->kkt);
  room->first = dls_arena_alloc(c->arena, components + 2, sizeof(int));
  room->bucket =
      dls_arena_alloc(c->arena, (ptrdiff_t)c->component_first[c->count] + 1, sizeof(int));
  room->mark = dls_arena_alloc(c->arena, (ptrdiff_t)c->count + 1, sizeof(int));
  return room->first && room->bucket && room->mark;
}

void dls_step_problem_bucket(const dls_step_problem *c, int count, const int *list, int *first,
                             int *bucket)
{
  const int components = dls_step_kkt_size(c->kkt);
  dls_clear(first, (ptrdiff_t)components + 2);
  for (int l = 0; l < count; l++)
    for (int k = c->component_first[list[l]]; k < c->component_first[list[l] + 1]; k++)
      first[c->component[k] + 2]++;
  for (int k = 0; k < components; k++) first[k + 2] += first[k + 1];
  for (int l = 0; l < count; l++)
    for (int k = c->component_first[list[l]]; k < c->component_first[list[l] + 1]; k++)
      bucket[first[c->component[k] + 1]++] = list[l];
}

// The neighbours of member k: how many there are, and, unless it is NULL, which.
static int find_neighbours(dls_step_problem *c, int k, int *out)
{
  const dls_step_problem_memory *room = &c->room;
  const int i = c->member[k];
  int used = 1;
  room->mark[i] = k;
  if (out) out[0] = k;
  for (int e = c->component_first[i]; e < c->component_first[i + 1]; e++)
    for (int l = room->first[c->component[e]]; l < room->first[c->component[e] + 1]; l++) {
      const int other = room->bucket[l];
      if (room->mark[other] == k) continue;
      room->mark[other] = k;
      if (out) out[used] = c->place[other];
      used++;
    }
  if (out) qsort(out, (size_t)used, sizeof(int), by_number);
  return used;
}

// An array of so many elements in place of one whose content is not needed any more.
static bool renew(void **array, ptrdiff_t count, size_t size)
{
  free(*array);
  *array = dls_alloc(count + 1, size);
  return *array != NULL;
}

static bool renew_members(dls_step_problem *c, ptrdiff_t members)
{
  dls_step_problem_memory *room = &c->room;
  if (room->p && members <= room->members) return true;
  const ptrdiff_t count = members + members / 2, rows = count * c->dimension;
  room->members = 0;
  if (!renew((void **)&c->neighbour_first, count, sizeof(int)) ||
      !renew((void **)&room->p, rows, sizeof(int)) ||
      !renew((void **)&room->contact, count, sizeof(int)) ||
      !renew((void **)&room->mu, count, sizeof(double)) ||
      !renew((void **)&room->bound, count, sizeof(double)) ||
      !renew((void **)&room->law, count, 1) ||
      !renew((void **)&room->direction, rows, sizeof(double)) ||
      !renew((void **)&room->q, rows, sizeof(double)) ||
      !renew((void **)&room->r, rows, sizeof(double)) ||
      !renew((void **)&room->u, rows, sizeof(double)))
    return false;
  room->members = count;
  return true;
}

static bool renew_blocks(dls_step_problem *c, ptrdiff_t blocks)
{
  dls_step_problem_memory *room = &c->room;
  if (c->W && blocks <= room->blocks) return true;
  const ptrdiff_t count = blocks + blocks / 2, square = (ptrdiff_t)c->dimension * c->dimension;
  room->blocks = 0;
  if (!renew((void **)&c->neighbour, count, sizeof(int)) ||
      !renew((void **)&room->row, count * square, sizeof(int)) ||
      !renew((void **)&c->W, count * square, sizeof(double)))
    return false;
  room->blocks = count;
  return true;
}

static void make_pattern(dls_step_problem *c)
{
  const int d = c->dimension;
  dls_step_problem_memory *room = &c->room;
  int used = 0;
  room->p[0] = 0;
  for (int k = 0; k < c->members; k++)
    for (int a = 0; a < d; a++) {
      for (int l = c->neighbour_first[k]; l < c->neighbour_first[k + 1]; l++)
        for (int b = 0; b < d; b++) room->row[used++] = c->neighbour[l] * d + b;
      room->p[k * d + a + 1] = used;
    }
  c->problem = (dls_incremental){.dimension = d,
                                 .contacts = c->members,
                                 .mu = room->mu,
                                 .bound = room->bound,
                                 .law = room->law,
                                 .direction = room->direction,
                                 .W = {{c->members * d, c->members * d, room->p, room->row}, c->W},
                                 .q = room->q};
}

static dls_status find_pattern(dls_step_problem *c)
{
  dls_step_problem_memory *room = &c->room;
  if (!renew_members(c, c->members)) return DLS_ERR_MEMORY;
  dls_step_problem_bucket(c, c->members, c->member, room->first, room->bucket);
  for (int k = 0; k < c->members; k++) {
    room->mark[c->member[k]] = -1;
    room->contact[k] = c->contact[c->member[k]];
  }
  ptrdiff_t blocks = 0;
  for (int k = 0; k < c->members; k++) blocks += find_neighbours(c, k, NULL);
  if (blocks > (INT_MAX / (c->dimension * c->dimension))) return DLS_ERR_LIMIT;
  if (!renew_blocks(c, blocks)) return DLS_ERR_MEMORY;
  for (int k = 0; k < c->members; k++) room->mark[c->member[k]] = -1;
  c->neighbour_first[0] = 0;
  for (int k = 0; k < c->members; k++)
    c->neighbour_first[k + 1] =
        c->neighbour_first[k] + find_neighbours(c, k, c->neighbour + c->neighbour_first[k]);
  make_pattern(c);
  return DLS_OK;
}

// Members that leave have no velocities any more.
static void put_away(dls_step_problem *c)
{
  const ptrdiff_t row = c->dimension;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    dls_clear(c->q + i * c->dimension, row);
    dls_clear(c->u + i * c->dimension, row);
    c->place[i] = -1;
  }
  dls_solver_free(c->solver);
  dls_polyhedral_free(c->pyramid);
  c->solver = NULL, c->pyramid = NULL;
  c->filled = false;
}

static bool is_at_hand(const dls_step_problem *c, bool all, int active)
{
  if (all || c->members != active) return all && c->members == c->count;
  for (int k = 0; k < c->members; k++)
    if (!c->active[c->member[k]]) return false;
  return true;
}

bool dls_step_problem_choose(dls_step_problem *c)
{
  int active = 0;
  for (int i = 0; i < c->count; i++) active += c->active[i];
  const bool all = dls_snapshot_takes_all(c->count, active);
  if (is_at_hand(c, all, active)) return true;
  put_away(c);
  c->members = 0;
  for (int i = 0; i < c->count; i++) {
    if (!all && !c->active[i]) continue;
    c->place[i] = c->members;
    c->member[c->members++] = i;
  }
  const dls_status status = find_pattern(c);
  if (status == DLS_OK) return true;
  put_away(c);
  c->members = -1;
  c->point->trouble = status;
  return false;
}
