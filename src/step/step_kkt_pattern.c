// Which entries the KKT system has, and where they go.
#include "step/step_kkt_internal.h"
#include "base/union_find.h"

#include <stdlib.h>

enum { DENSE = 32 };  // rows up to which a component is dense

typedef struct place {
  int component, col, row;
  ptrdiff_t entry;
} place;

// All entries of the matrix in a fixed order, told to `use`: M, dR/dv, dR/dq, held columns of G
// twice, the diagonal of the held rows, the squares of stiffened columns.
typedef void entry_use(dls_step_kkt *b, ptrdiff_t entry, int row, int col);

static ptrdiff_t each_square(dls_step_kkt *b, const dls_pattern *pattern,
                             const unsigned char *taken, ptrdiff_t entry, entry_use *use)
{
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->p[j]; e < pattern->p[j + 1]; e++)
      if (!taken || taken[e]) use(b, entry++, pattern->i[e], j);
  return entry;
}

static ptrdiff_t each_entry(dls_step_kkt *b, entry_use *use)
{
  const dls_system *s = b->point->system;
  ptrdiff_t entry = each_square(b, &s->mass, NULL, 0, use);
  if (s->derivative) {
    entry = each_square(b, &s->derivative->R_v, s->derivative->free_v, entry, use);
    entry = each_square(b, &s->derivative->R_q, s->derivative->free_q, entry, use);
  }
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < b->held; k++)
      for (int e = s->normal.p[b->contact[k]]; e < s->normal.p[b->contact[k] + 1]; e++)
        if (side == 0) use(b, entry++, s->normal.i[e], b->n + k);
        else use(b, entry++, b->n + k, s->normal.i[e]);
  for (int k = 0; k < b->held && s->derivative; k++) {
    const dls_pattern *D = &s->derivative->D_q;
    for (int e = D->p[b->contact[k]]; e < D->p[b->contact[k] + 1]; e++)
      use(b, entry++, b->n + k, D->i[e]);
  }
  for (int k = 0; k < b->held; k++) use(b, entry++, b->n + k, b->n + k);
  for (int k = 0; k < b->stiffened; k++) {
    const int begin = s->normal.p[b->stiff[k]], end = s->normal.p[b->stiff[k] + 1];
    for (int e = begin; e < end; e++)
      for (int f = begin; f < end; f++) use(b, entry++, s->normal.i[e], s->normal.i[f]);
  }
  return entry;
}

static void join(dls_step_kkt *b, ptrdiff_t entry, int row, int col)
{
  (void)entry;
  b->of[dls_class_of(b->of, row)] = dls_class_of(b->of, col);
}

static void nothing(dls_step_kkt *b, ptrdiff_t entry, int row, int col)
{
  (void)b, (void)entry, (void)row, (void)col;
}

// Rows by components, in the order of their first rows.
static bool find_components(dls_step_kkt *b)
{
  const ptrdiff_t size = b->size;
  b->of = dls_arena_alloc(b->arena, size + 1, sizeof(int));
  b->rows = dls_arena_alloc(b->arena, size + 1, sizeof(int));
  b->place = dls_arena_alloc(b->arena, size + 1, sizeof(int));
  b->component = dls_arena_alloc(b->arena, size + 1, sizeof(dls_step_kkt_part));
  int *number = dls_arena_alloc(b->arena, size + 1, sizeof(int));
  if (!b->of || !b->rows || !b->place || !b->component || !number) return false;
  for (int i = 0; i < b->size; i++) b->of[i] = i, number[i] = -1;
  each_entry(b, join);
  for (int i = 0; i < b->size; i++) {
    const int top = dls_class_of(b->of, i);
    if (number[top] < 0) number[top] = b->components++;
    b->place[i] = b->component[number[top]].size++;
  }
  for (int c = 1; c < b->components; c++)
    b->component[c].first = b->component[c - 1].first + b->component[c - 1].size;
  for (int i = 0; i < b->size; i++) b->rows[i] = dls_class_of(b->of, i);
  for (int i = 0; i < b->size; i++) b->of[i] = number[b->rows[i]];
  for (int i = 0; i < b->size; i++) b->rows[b->component[b->of[i]].first + b->place[i]] = i;
  return true;
}

static int by_place(const void *left, const void *right)
{
  const place *a = left, *b = right;
  if (a->component != b->component) return a->component < b->component ? -1 : 1;
  if (a->col != b->col) return a->col < b->col ? -1 : 1;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return 0;
}

static void note_place(dls_step_kkt *b, ptrdiff_t entry, int row, int col)
{
  b->list[entry] = (place){b->of[col], b->place[col], b->place[row], entry};
}

// Where each entry goes: into a square for small components, on a pattern for the others.
static bool place_entries(dls_step_kkt *b, ptrdiff_t entries, ptrdiff_t *at)
{
  place *list = dls_alloc(entries + 1, sizeof *list);
  if (!list) return false;
  b->list = list;
  each_entry(b, note_place);
  qsort(list, (size_t)entries, sizeof *list, by_place);
  bool done = true;
  ptrdiff_t e = 0;
  for (int c = 0; c < b->components && done; c++) {
    dls_step_kkt_part *part = &b->component[c];
    const ptrdiff_t size = part->size, begin = e;
    part->at = b->count;
    while (e < entries && list[e].component == c) e++;
    if (part->size <= DENSE) {
      for (ptrdiff_t k = begin; k < e; k++)
        at[list[k].entry] = part->at + list[k].row * size + list[k].col;
      b->count += size * size;
      continue;
    }
    part->p = dls_arena_alloc(b->arena, size + 1, sizeof(int));
    part->i = dls_arena_alloc(b->arena, e - begin + 1, sizeof(int));
    if (!part->p || !part->i) done = false;
    int used = 0;
    for (ptrdiff_t k = begin; k < e && done; k++) {
      if (k == begin || by_place(&list[k - 1], &list[k]) != 0) {
        part->i[used++] = list[k].row;
        part->p[list[k].col + 1] = used;
      }
      at[list[k].entry] = part->at + used - 1;
    }
    for (ptrdiff_t j = 0; j < size && done; j++)
      if (part->p[j + 1] < part->p[j]) part->p[j + 1] = part->p[j];
    b->count += used;
  }
  free(list);
  return done;
}

static bool place_diagonal(dls_step_kkt *b)
{
  b->at_A = dls_arena_alloc(b->arena, (ptrdiff_t)b->n + 1, sizeof(ptrdiff_t));
  for (int i = 0; i < b->n && b->at_A; i++) {
    const dls_step_kkt_part *part = &b->component[b->of[i]];
    const int k = b->place[i];
    b->at_A[i] = b->count;
    if (!part->p) b->at_A[i] = part->at + k * ((ptrdiff_t)part->size + 1);
    for (int f = part->p ? part->p[k] : 0; part->p && f < part->p[k + 1]; f++)
      if (part->i[f] == k) b->at_A[i] = part->at + f;
  }
  return b->at_A != NULL;
}

static ptrdiff_t taken(const dls_pattern *pattern, const unsigned char *mark)
{
  ptrdiff_t count = 0;
  for (int e = 0; e < pattern->p[pattern->cols]; e++) count += !mark || mark[e];
  return count;
}

dls_status dls_step_kkt_place(dls_step_kkt *b, const bool *projector)
{
  const dls_system *s = b->point->system;
  b->n = s->n;
  b->contact = dls_arena_alloc(b->arena, (ptrdiff_t)s->m + 1, sizeof(int));
  b->stiff = dls_arena_alloc(b->arena, (ptrdiff_t)s->m + 1, sizeof(int));
  b->rho = dls_arena_alloc(b->arena, (ptrdiff_t)s->m + 1, sizeof(double));
  if (!b->contact || !b->stiff || !b->rho) return DLS_ERR_MEMORY;
  for (int j = 0; j < s->m; j++) {
    if (projector[j]) b->contact[b->held++] = j;
    else if (s->contacts[j].kind == DLS_BILATERAL) b->stiff[b->stiffened++] = j;
  }
  b->size = b->n + b->held;
  const ptrdiff_t entries = each_entry(b, nothing), size = b->size;
  if (entries > INT_MAX) return DLS_ERR_LIMIT;
  ptrdiff_t *at = dls_arena_alloc(b->arena, entries + 1, sizeof(ptrdiff_t));
  if (!at || !find_components(b) || !place_entries(b, entries, at) || !place_diagonal(b))
    return DLS_ERR_MEMORY;

  const dls_derivative_patterns *d = s->derivative;
  b->at_M = at;
  b->at_v = b->at_M + s->mass.p[s->n];
  b->at_q = b->at_v + (d ? taken(&d->R_v, d->free_v) : 0);
  b->at_G = b->at_q + (d ? taken(&d->R_q, d->free_q) : 0);
  ptrdiff_t columns = 0;
  for (int k = 0; k < b->held; k++)
    columns += (s->normal.p[b->contact[k] + 1] - s->normal.p[b->contact[k]]);
  b->at_T = b->at_G + columns;
  b->at_B = b->at_T + columns;
  ptrdiff_t turning = 0;
  for (int k = 0; k < b->held && d; k++)
    turning += (d->D_q.p[b->contact[k] + 1] - d->D_q.p[b->contact[k]]);
  b->at_D = b->at_B + turning;
  b->at_S = b->at_D + b->held;
  b->x = dls_arena_alloc(b->arena, b->count + 1, sizeof(double));
  b->pivot = dls_arena_alloc(b->arena, size + 1, sizeof(int));
  const ptrdiff_t n = b->n;
  b->scale = dls_arena_alloc(b->arena, 2 * size + 3 * n + 1, sizeof(double));
  b->row_scale = b->scale ? b->scale + size : NULL;
  b->mobility = b->scale ? b->row_scale + size : NULL;
  b->bounded = dls_arena_alloc(b->arena, n + 1, sizeof(bool));
  if (!b->bounded) return DLS_ERR_MEMORY;
  b->b = dls_arena_alloc(b->arena, (2 + DLS_STEP_KKT_COLUMNS) * size + 3, sizeof(double));
  b->r = b->b + size, b->y = b->r + size;
  return b->x && b->pivot && b->scale && b->b ? DLS_OK : DLS_ERR_MEMORY;
}
