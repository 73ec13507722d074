#include "linalg/triplets.h"

#include "base/memory.h"

#include <stdlib.h>

void dls_triplets_put(dls_triplets *e, int row, int col, double value)
{
  if (value == 0 || e->failed) return;
  e->failed = dls_grow((void **)&e->row, &e->capacity[0], e->count + 1, sizeof *e->row) ||
              dls_grow((void **)&e->col, &e->capacity[1], e->count + 1, sizeof *e->col) ||
              dls_grow((void **)&e->value, &e->capacity[2], e->count + 1, sizeof *e->value);
  if (e->failed) return;
  e->row[e->count] = row, e->col[e->count] = col, e->value[e->count] = value;
  e->count++;
}

void dls_triplets_free(dls_triplets *e)
{
  free(e->row), free(e->col), free(e->value);
  *e = (dls_triplets){0};
}

dls_status dls_triplets_sparse(const dls_triplets *e, int rows, int cols, dls_sparse **out)
{
  if (e->failed) return DLS_ERR_MEMORY;
  return dls_sparse_from_triplets(rows, cols, (int)e->count, e->row, e->col, e->value, out);
}
