// Which contacts have rows in the matrix of stages, and which entries it has.
//
// A contact that is open has the row W lambda = ..., and nobody else has its force: it can stay
// outside. R_q and R_v have entries that only the forces of contacts give: of these the matrix has
// those of its own contacts.
#include "step/stage_internal.h"

#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>

enum { DENSE = 40 };  // rows up to which the matrix is dense

// --- the set ---

bool dls_stage_matrix_take_memory(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  const ptrdiff_t m = (ptrdiff_t)s->m + 1;
  w->members = -1;
  w->member = dls_alloc(3 * m, sizeof(int));
  w->full = dls_alloc((ptrdiff_t)w->width + 1, sizeof(int));
  if (!w->member || !w->full) return false;
  w->first = w->member + m, w->place = w->first + m;
  if (!w->derivatives) return true;
  const dls_derivative_patterns *d = s->derivative;
  w->R_q.list = dls_alloc((ptrdiff_t)d->R_q.p[s->n] + 1, sizeof *w->R_q.list);
  w->R_v.list = dls_alloc((ptrdiff_t)d->R_v.p[s->n] + 1, sizeof *w->R_v.list);
  return w->R_q.list && w->R_v.list;
}

void dls_stage_matrix_put_away(dls_stage_matrix *w)
{
  dls_sparse_lu_free(w->lu);
  free(w->at), free(w->p), free(w->i), free(w->x), free(w->y), free(w->pivot);
  w->lu = NULL, w->at = NULL, w->p = w->i = w->pivot = NULL, w->x = w->y = NULL;
  w->numbers = 0;
  w->members = -1;
}

static void set_members(dls_stage_matrix *w, const dls_contact_modes *modes, bool all)
{
  const dls_system *s = w->point->system;
  w->members = w->tangents = 0;
  for (int j = 0; j < s->m; j++) {
    w->place[j] = -1;
    if (!all && !dls_mode_closed(modes, j)) continue;
    w->place[j] = w->members;
    w->member[w->members++] = j;
    w->tangents += s->contacts[j].tangents;
  }
  w->inner = s->n + w->members + w->tangents;
  for (int k = 0; k < s->n; k++) w->full[k] = k;
  int used = s->n + w->members;
  for (int k = 0; k < w->members; k++) {
    const int j = w->member[k];
    w->full[s->n + k] = s->n + j;
    w->first[j] = used;
    for (int l = w->point->first[j]; l < w->point->first[j + 1]; l++)
      w->full[used++] = s->n + s->m + l;
  }
}

static bool is_at_hand(const dls_stage_matrix *w, const dls_contact_modes *modes, bool all,
                       int closed)
{
  const int m = w->point->system->m;
  if (all || w->members != closed) return all && w->members == m;
  for (int k = 0; k < w->members; k++)
    if (!dls_mode_closed(modes, w->member[k])) return false;
  return true;
}

// --- the squares ---

static int find_row(const dls_pattern *a, int col, int row)
{
  int low = a->p[col], high = a->p[col + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a->i[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low < a->p[col + 1] && a->i[low] == row ? low : -1;
}

// Entries of the square in columns of c of one pattern, rows of another.
static void mark_product(const dls_pattern *square, const dls_pattern *rows, int r,
                         const dls_pattern *cols, int c, unsigned char *mark)
{
  for (int e = cols->p[c]; e < cols->p[c + 1]; e++)
    for (int f = rows->p[r]; f < rows->p[r + 1]; f++) {
      const int at = find_row(square, cols->i[e], rows->i[f]);
      if (at >= 0) mark[at] = 1;
    }
}

// Forces of contact j act along G and H. These depend on the coordinates that h' and the slips
// depend on, and not on velocities.
static void mark_contact(const dls_stage_matrix *w, const dls_pattern *square, int j,
                         unsigned char *mark)
{
  const dls_system *s = w->point->system;
  mark_product(square, &s->normal, j, &s->derivative->D_q, j, mark);
  for (int r = w->point->first[j]; r < w->point->first[j + 1]; r++)
    mark_product(square, &s->tangent, r, &s->derivative->S_q, r, mark);
}

static bool choose_square(const dls_stage_matrix *w, const dls_pattern *a, const unsigned char *own,
                          dls_stage_square *out)
{
  const bool all = !own || w->members == w->point->system->m;
  unsigned char *mark = dls_alloc((ptrdiff_t)a->p[a->cols] + 1, 1);
  if (!mark) return false;
  for (int k = 0; k < w->members && !all; k++) mark_contact(w, a, w->member[k], mark);
  out->count = 0;
  for (int j = 0; j < a->cols; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++)
      if (all || own[e] || mark[e]) out->list[out->count++] = (dls_stage_entry){a->i[e], j, e};
  free(mark);
  return true;
}

static bool choose_squares(dls_stage_matrix *w)
{
  const dls_derivative_patterns *d = w->point->system->derivative;
  return !w->derivatives || (choose_square(w, &d->R_q, d->free_q, &w->R_q) &&
                             choose_square(w, &d->R_v, d->free_v, &w->R_v));
}

// --- the pattern ---

typedef struct place {
  int row, col;
  ptrdiff_t entry;
} place;

static int by_place(const void *left, const void *right)
{
  const place *a = left, *b = right;
  if (a->col != b->col) return a->col < b->col ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

static bool place_sparse(dls_stage_matrix *w, ptrdiff_t *at)
{
  place *list = dls_alloc(w->count + 1, sizeof *list);
  w->p = dls_alloc((ptrdiff_t)w->size + 1, sizeof(int));
  w->i = dls_alloc(w->count + 1, sizeof(int));
  if (list && w->p && w->i) {
    for (ptrdiff_t e = 0; e < w->count; e++) list[e] = (place){w->row[e], w->col[e], e};
    qsort(list, (size_t)w->count, sizeof *list, by_place);
    for (ptrdiff_t e = 0; e < w->count; e++) {
      if (e == 0 || by_place(&list[e - 1], &list[e]) != 0) {
        w->i[w->numbers++] = list[e].row;
        w->p[list[e].col + 1] = (int)w->numbers;  // all have a diagonal, none is empty
      }
      at[list[e].entry] = w->numbers - 1;
    }
  }
  free(list);
  return list && w->p && w->i;
}

// Accelerations come before forces: M does for pivots, and then what it makes of the constraints.
static dls_status order_sparse(dls_stage_matrix *w)
{
  bool *force = dls_alloc((ptrdiff_t)w->size + 1, sizeof(bool));
  for (int k = 0; k < w->size && force; k++) force[k] = k % w->inner >= w->point->system->n;
  const dls_status status =
      force ? dls_sparse_lu_create_diagonal(w->size, w->p, w->i, force, &w->lu) : DLS_ERR_MEMORY;
  free(force);
  return status;
}

static bool place_dense(dls_stage_matrix *w, ptrdiff_t *at)
{
  const ptrdiff_t size = w->size;
  for (ptrdiff_t e = 0; e < w->count; e++) at[e] = w->row[e] * size + w->col[e];
  w->numbers = size * size;
  w->pivot = dls_alloc(size + 1, sizeof(int));
  return w->pivot != NULL;
}

// All block rows once, for their entries only.
static void walk(dls_stage_matrix *w, const dls_contact_modes *none, const double *zero)
{
  w->next = 0;
  for (int k = 0; k < w->blocks; k++)
    dls_stage_matrix_put(w, k, none, false, zero, NULL, zero, zero);
}

static dls_status place_entries(dls_stage_matrix *w, ptrdiff_t *at)
{
  if (w->size <= DENSE) return place_dense(w, at) ? DLS_OK : DLS_ERR_MEMORY;
  if (w->count > INT_MAX) return DLS_ERR_LIMIT;
  return place_sparse(w, at) ? order_sparse(w) : DLS_ERR_MEMORY;
}

static dls_status make_pattern(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  double *zero = dls_alloc((ptrdiff_t)w->width + w->blocks + 1, sizeof(double));
  unsigned char *kind = dls_alloc((ptrdiff_t)s->m + 1, 1);
  ptrdiff_t *at = NULL;
  dls_status status = zero && kind ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    const dls_contact_modes none = {kind, zero, zero, NULL};
    walk(w, &none, zero);
    w->count = w->next;
    w->row = dls_alloc(w->count + 1, sizeof(int));
    w->col = dls_alloc(w->count + 1, sizeof(int));
    at = dls_alloc(w->count + 1, sizeof(ptrdiff_t));
    if (!w->row || !w->col || !at) status = DLS_ERR_MEMORY;
    if (status == DLS_OK) walk(w, &none, zero);
    if (status == DLS_OK) status = place_entries(w, at);
  }
  free(w->row), free(w->col);
  w->row = w->col = NULL;
  w->at = at;
  w->x = dls_alloc(w->numbers + 1, sizeof(double));
  w->y = dls_alloc((ptrdiff_t)w->size + 1, sizeof(double));
  free(zero), free(kind);
  return status == DLS_OK && !(w->x && w->y) ? DLS_ERR_MEMORY : status;
}

bool dls_stage_matrix_choose(dls_stage_matrix *w, const dls_contact_modes *modes)
{
  const int m = w->point->system->m;
  int closed = 0;
  for (int j = 0; j < m; j++) closed += modes && dls_mode_closed(modes, j);
  const bool all = dls_snapshot_takes_all(m, closed);
  if (is_at_hand(w, modes, all, closed)) return true;
  dls_stage_matrix_put_away(w);
  set_members(w, modes, all);
  dls_status status = w->inner > INT_MAX / w->blocks ? DLS_ERR_LIMIT : DLS_OK;
  w->size = status == DLS_OK ? w->blocks * w->inner : 0;
  if (status == DLS_OK && !choose_squares(w)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = make_pattern(w);
  if (status == DLS_OK) return true;
  dls_stage_matrix_put_away(w);
  w->point->trouble = status;
  return false;
}
