// Which entries W has: contacts that share a component of the balance see each other.
#include "step/contact_step.h"

#include "base/memory.h"

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
static bool find_touched(dls_contact_step *c)
{
  const dls_system *s = c->point->system;
  size_t most = 1;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    most += (size_t)(s->normal.p[j + 1] - s->normal.p[j]);
    most += (size_t)(s->tangent.p[c->point->first[j + 1]] - s->tangent.p[c->point->first[j]]);
  }
  c->component = dls_arena_alloc(c->arena, most, sizeof(int));
  c->component_first = dls_arena_alloc(c->arena, (size_t)c->count + 1, sizeof(int));
  if (!c->component || !c->component_first) return false;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i], begin = c->component_first[i];
    int used = 0;
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++)
      c->component[begin + used++] = dls_balance_component(c->balance, s->normal.i[e]);
    for (int e = s->tangent.p[c->point->first[j]]; e < s->tangent.p[c->point->first[j + 1]]; e++)
      c->component[begin + used++] = dls_balance_component(c->balance, s->tangent.i[e]);
    c->component_first[i + 1] = begin + sorted_unique(used, c->component + begin);
  }
  return true;
}

// Contacts by the components that they touch; then the neighbours of each contact.
static bool find_neighbours(dls_contact_step *c)
{
  const int components = dls_balance_size(c->balance), touched = c->component_first[c->count];
  int *first = dls_arena_alloc(c->arena, (size_t)components + 2, sizeof(int));
  int *list = dls_arena_alloc(c->arena, (size_t)touched + 1, sizeof(int));
  int *mark = dls_arena_alloc(c->arena, (size_t)c->count + 1, sizeof(int));
  c->neighbour_first = dls_arena_alloc(c->arena, (size_t)c->count + 1, sizeof(int));
  if (!first || !list || !mark || !c->neighbour_first) return false;
  for (int k = 0; k < touched; k++) first[c->component[k] + 2]++;
  for (int k = 0; k < components; k++) first[k + 2] += first[k + 1];
  for (int i = 0; i < c->count; i++)
    for (int k = c->component_first[i]; k < c->component_first[i + 1]; k++)
      list[first[c->component[k] + 1]++] = i;
  for (int pass = 0; pass < 2; pass++) {
    int used = 0;
    for (int i = 0; i < c->count; i++) mark[i] = -1;
    for (int i = 0; i < c->count; i++) {
      const int begin = used;
      mark[i] = i;
      if (pass) c->neighbour[used] = i;
      used++;
      for (int k = c->component_first[i]; k < c->component_first[i + 1]; k++)
        for (int l = first[c->component[k]]; l < first[c->component[k] + 1]; l++) {
          if (mark[list[l]] == i) continue;
          mark[list[l]] = i;
          if (pass) c->neighbour[used] = list[l];
          used++;
        }
      if (pass) qsort(c->neighbour + begin, (size_t)(used - begin), sizeof(int), by_number);
      c->neighbour_first[i + 1] = used;
    }
    if (!pass) c->neighbour = dls_arena_alloc(c->arena, (size_t)used + 1, sizeof(int));
    if (!c->neighbour) return false;
  }
  return true;
}

static bool make_pattern(dls_contact_step *c)
{
  const int d = c->dimension;
  const size_t entries = (size_t)c->neighbour_first[c->count] * (size_t)(d * d);
  int *p = dls_arena_alloc(c->arena, (size_t)c->rows + 1, sizeof(int));
  int *row = dls_arena_alloc(c->arena, entries + 1, sizeof(int));
  c->W = dls_arena_alloc(c->arena, entries + 1, sizeof(double));
  if (!p || !row || !c->W) return false;
  int used = 0;
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < d; k++) {
      for (int l = c->neighbour_first[i]; l < c->neighbour_first[i + 1]; l++)
        for (int m = 0; m < d; m++) row[used++] = c->neighbour[l] * d + m;
      p[i * d + k + 1] = used;
    }
  c->problem = (dls_incremental){.dimension = d,
                                 .contacts = c->count,
                                 .mu = c->law,
                                 .W = {{c->rows, c->rows, p, row}, c->W},
                                 .q = c->q};
  return true;
}

bool dls_contact_step_pattern(dls_contact_step *c)
{
  return find_touched(c) && find_neighbours(c) && make_pattern(c);
}
