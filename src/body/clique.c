#include "body/clique.h"

#include "base/memory.h"
#include "base/message.h"

#include <stdlib.h>

enum { MAX_ENTRIES = 1 << 26 };

bool dls_cliques_add(dls_cliques *c, int members, const int *member)
{
  const ptrdiff_t begin = c->count > 0 ? c->first[c->count] : 0;
  if (dls_grow((void **)&c->first, &c->first_room, (ptrdiff_t)c->count + 2, sizeof *c->first) !=
          0 ||
      dls_grow((void **)&c->member, &c->member_room, begin + members + 1, sizeof(int)) != 0)
    return false;
  dls_copy(c->member + begin, member, members);
  c->first[c->count] = begin;
  c->first[++c->count] = begin + members;
  return true;
}

void dls_cliques_clear(dls_cliques *c)
{
  c->count = 0;
}

void dls_cliques_free(dls_cliques *c)
{
  free(c->first), free(c->member);
  *c = (dls_cliques){0};
}

typedef struct inverse {
  ptrdiff_t *first;  // n + 1
  int *clique;       // those of each velocity
  int *stamp, *rows;
} inverse;

static bool invert(const dls_cliques *c, int n, inverse *of)
{
  const ptrdiff_t total = c->count > 0 ? c->first[c->count] : 0;
  of->first = dls_alloc((ptrdiff_t)n + 2, sizeof *of->first);
  of->clique = dls_alloc(total, sizeof *of->clique);
  of->stamp = dls_alloc(n, sizeof *of->stamp);
  of->rows = dls_alloc(n, sizeof *of->rows);
  if (!of->first || !of->clique || !of->stamp || !of->rows) return false;
  for (ptrdiff_t k = 0; k < total; k++) of->first[c->member[k] + 2]++;
  for (int i = 0; i < n; i++) of->first[i + 2] += of->first[i + 1];
  for (int q = 0; q < c->count; q++)
    for (ptrdiff_t k = c->first[q]; k < c->first[q + 1]; k++)
      of->clique[of->first[c->member[k] + 1]++] = q;
  return true;
}

static int compare_int(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// The rows of column k, sorted. Returns how many.
static int column(const dls_cliques *c, const dls_pattern *base, inverse *of, int k)
{
  int count = 0;
  for (int e = base->p[k]; e < base->p[k + 1]; e++)
    of->stamp[base->i[e]] = k, of->rows[count++] = base->i[e];
  const int own = count;
  for (ptrdiff_t q = of->first[k]; q < of->first[k + 1]; q++)
    for (ptrdiff_t e = c->first[of->clique[q]]; e < c->first[of->clique[q] + 1]; e++)
      if (of->stamp[c->member[e]] != k)
        of->stamp[c->member[e]] = k, of->rows[count++] = c->member[e];
  if (count > own) qsort(of->rows, (size_t)count, sizeof(int), compare_int);
  return count;
}

dls_status dls_cliques_pattern(const dls_cliques *c, const dls_pattern *base, dls_pattern *out,
                               dls_message *message)
{
  const int n = base->cols;
  inverse of = {0};
  int *p = dls_alloc((ptrdiff_t)n + 1, sizeof *p), *i = NULL;
  dls_status status = p && invert(c, n, &of) ? DLS_OK : DLS_ERR_MEMORY;
  for (int pass = 0; pass < 2 && status == DLS_OK; pass++) {
    ptrdiff_t entries = 0;
    for (int k = 0; k < n; k++) of.stamp[k] = -1;
    for (int k = 0; k < n && entries <= MAX_ENTRIES; k++) {
      const int count = column(c, base, &of, k);
      if (pass == 1) dls_copy(i + entries, of.rows, count);
      entries += count;
      p[k + 1] = (int)entries;
    }
    if (entries > MAX_ENTRIES) status = DLS_ERR_LIMIT;
    else if (pass == 0 && !(i = dls_alloc(entries + 1, sizeof *i))) status = DLS_ERR_MEMORY;
  }
  free(of.first), free(of.clique), free(of.stamp), free(of.rows);
  if (status == DLS_OK) {
    *out = (dls_pattern){n, n, p, i};
    return DLS_OK;
  }
  free(p), free(i);
  return status == DLS_ERR_LIMIT ? dls_fail(message, status,
                                            "joints and contacts tie more than %d pairs of "
                                            "velocities",
                                            (int)MAX_ENTRIES)
                                 : dls_fail(message, status, "out of memory");
}

int dls_pattern_place(const dls_pattern *pattern, int row, int col)
{
  int low = pattern->p[col], high = pattern->p[col + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (pattern->i[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low < pattern->p[col + 1] && pattern->i[low] == row ? low : -1;
}
