#include "io/fclib_matrix.h"

#include "contact/incremental.h"

#include <limits.h>
#include <stdio.h>

typedef struct place_text {
  char text[48];
} place_text;

static place_text in(const dls_fclib_matrix *A, const char *name)
{
  place_text place;
  snprintf(place.text, sizeof place.text, "%.40s/%.5s", A->place, name);
  return place;
}

bool dls_fclib_matrix_sizes(dls_hdf5 *h, const char *place, dls_fclib_matrix *A)
{
  *A = (dls_fclib_matrix){0};
  snprintf(A->place, sizeof A->place, "%s", place);
  A->m = (int)dls_hdf5_integer(h, in(A, "m").text, 0, DLS_INCREMENTAL_LARGEST);
  A->n = (int)dls_hdf5_integer(h, in(A, "n").text, 0, DLS_INCREMENTAL_LARGEST);
  A->nz = (int)dls_hdf5_integer(h, in(A, "nz").text, -2, INT_MAX);
  const int least = A->nz > 0 ? A->nz : 0;
  A->nzmax = (int)dls_hdf5_integer(h, in(A, "nzmax").text, least, INT_MAX);
  return h->status == DLS_OK;
}

bool dls_fclib_matrix_expect(dls_hdf5 *h, const dls_fclib_matrix *A, int m, int n)
{
  if (A->m == m && A->n == n) return true;
  return dls_hdf5_fail(h, DLS_ERR_FILE, A->place, "it is %d x %d, expected %d x %d", A->m, A->n, m,
                       n);
}

// p: where each of the lines begins; which line each entry is in.
static const int *lines_of(dls_hdf5 *h, dls_fclib_matrix *A, int lines)
{
  const place_text place = in(A, "p");
  const int *p = dls_hdf5_integers(h, place.text, lines + 1, 0, 0, A->nzmax);
  if (!p) return NULL;
  if (p[0] != 0) {
    dls_hdf5_fail(h, DLS_ERR_FILE, place.text, "it begins with %d, expected 0", p[0]);
    return NULL;
  }
  for (int k = 0; k < lines; k++) {
    if (p[k + 1] >= p[k]) continue;
    dls_hdf5_fail(h, DLS_ERR_FILE, place.text, "it decreases from %d to %d at entry %d", p[k],
                  p[k + 1], k + 1);
    return NULL;
  }
  A->count = p[lines];
  int *line = dls_arena_alloc(h->arena, A->count, sizeof *line);
  if (!line) dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  for (int k = 0; line && k < lines; k++)
    for (int e = p[k]; e < p[k + 1]; e++) line[e] = k;
  return line;
}

// In triplets i is the row and p the column, as in CSparse; a comment in FCLIB's header says the
// reverse, its code and its files do not.
bool dls_fclib_matrix_entries(dls_hdf5 *h, dls_fclib_matrix *A)
{
  const place_text i = in(A, "i"), p = in(A, "p"), x = in(A, "x");
  if (A->nz >= 0) {
    A->count = A->nz;
    A->row = dls_hdf5_integers(h, i.text, A->count, A->nzmax, 0, A->m - 1);
    A->col = dls_hdf5_integers(h, p.text, A->count, A->nzmax, 0, A->n - 1);
  } else if (A->nz == -1) {
    A->col = lines_of(h, A, A->n);
    A->row = dls_hdf5_integers(h, i.text, A->count, A->nzmax, 0, A->m - 1);
  } else {
    A->row = lines_of(h, A, A->m);
    A->col = dls_hdf5_integers(h, i.text, A->count, A->nzmax, 0, A->n - 1);
  }
  A->x = dls_hdf5_numbers(h, x.text, A->count, A->nzmax);
  return h->status == DLS_OK;
}

// ---- putting them together ---------------------------------------------------------------------

typedef struct entry_list {
  int count;
  int *row, *col;
  double *x;
} entry_list;

static bool gather(dls_hdf5 *h, int blocks, const dls_fclib_block *block, entry_list *all)
{
  long long total = 0;
  for (int b = 0; b < blocks; b++) total += block[b].A->count;
  if (total >= INT_MAX)
    return dls_hdf5_fail(h, DLS_ERR_LIMIT, NULL, "more than %d entries in a matrix", INT_MAX - 1);
  all->row = dls_arena_alloc(h->arena, (ptrdiff_t)total, sizeof(int));
  all->col = dls_arena_alloc(h->arena, (ptrdiff_t)total, sizeof(int));
  all->x = dls_arena_alloc(h->arena, (ptrdiff_t)total, sizeof(double));
  if (!all->row || !all->col || !all->x)
    return dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  for (int b = 0; b < blocks; b++) {
    const dls_fclib_matrix *A = block[b].A;
    const int *row = block[b].transpose ? A->col : A->row;
    const int *col = block[b].transpose ? A->row : A->col;
    for (int e = 0; e < A->count; e++, all->count++) {
      all->row[all->count] = block[b].row + row[e];
      all->col[all->count] = block[b].col + col[e];
      all->x[all->count] = A->x[e];
    }
  }
  return true;
}

// out: the order in which the keys increase; those of one key stay in the order of `in` (NULL: as
// they come). start: keys + 1, work.
static void sort_stable(int count, const int *key, int keys, const int *in, int *out, int *start)
{
  for (int k = 0; k <= keys; k++) start[k] = 0;
  for (int e = 0; e < count; e++) start[key[e] + 1]++;
  for (int k = 0; k < keys; k++) start[k + 1] += start[k];
  for (int e = 0; e < count; e++) {
    const int which = in ? in[e] : e;
    out[start[key[which]]++] = which;
  }
}

bool dls_fclib_assemble(dls_hdf5 *h, dls_arena *keep, int rows, int cols, int blocks,
                        const dls_fclib_block *block, dls_matrix_view *out)
{
  entry_list all = {0};
  if (!gather(h, blocks, block, &all)) return false;
  const int longest = rows > cols ? rows : cols;
  int *by_row = dls_arena_alloc(h->arena, all.count, sizeof(int));
  int *order = dls_arena_alloc(h->arena, all.count, sizeof(int));
  int *start = dls_arena_alloc(h->arena, (ptrdiff_t)longest + 1, sizeof(int));
  int *p = dls_arena_alloc(keep, (ptrdiff_t)cols + 1, sizeof(int));
  int *i = dls_arena_alloc(keep, all.count, sizeof(int));
  double *x = dls_arena_alloc(keep, all.count, sizeof(double));
  if (!by_row || !order || !start || !p || !i || !x)
    return dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  sort_stable(all.count, all.row, rows, NULL, by_row, start);
  sort_stable(all.count, all.col, cols, by_row, order, start);

  int used = 0;
  for (int e = 0, j = 0; j < cols; j++) {
    p[j] = used;
    for (; e < all.count && all.col[order[e]] == j; e++) {
      const int row = all.row[order[e]];
      if (used == p[j] || i[used - 1] != row) i[used++] = row;  // x is zero there
      x[used - 1] += all.x[order[e]];
    }
  }
  p[cols] = used;
  *out = (dls_matrix_view){.pattern = {.rows = rows, .cols = cols, .p = p, .i = i}, .x = x};
  return true;
}
