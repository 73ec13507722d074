// eq (near.1): leaves sorted along a curve through space, boxes around ranges of them, and from
// each leaf a walk down to those after it that it meets. What has no bounds meets everything and
// stays out of the tree.
#include "shape/near.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
  BITS = 21,  // of each coordinate in a key
  DIGIT = 11,
  PASSES = 6,  // 66 bits
  DEEPEST = 64
};

typedef struct leaf {
  uint64_t key;
  int solid;
} leaf;

struct dls_near {
  int solids, leaves, unbounded;
  int width;                // leaves of the tree, a power of two
  leaf *leaf, *other_leaf;  // solids each
  int *without_bounds;      // solids
  dls_near_box *node;       // 2 width: the root is 1, the children of k are 2 k and 2 k + 1
  int *begin;               // solids + 1
  const int *group;
  ptrdiff_t count, room, other_room;
  dls_near_pair *pair, *other_pair;
};

dls_near_box dls_near_ball(const double centre[3], double radius)
{
  dls_near_box box;
  for (int i = 0; i < 3; i++) box.low[i] = centre[i] - radius, box.high[i] = centre[i] + radius;
  return box;
}

dls_status dls_near_create(int solids, dls_near **out)
{
  *out = NULL;
  if (solids < 0 || solids > INT32_MAX / 4) return DLS_ERR_LIMIT;
  dls_near *near = dls_alloc(1, sizeof *near);
  if (!near) return DLS_ERR_MEMORY;
  near->solids = solids;
  for (near->width = 1; near->width < solids;) near->width *= 2;
  near->leaf = dls_alloc(solids, sizeof *near->leaf);
  near->other_leaf = dls_alloc(solids, sizeof *near->other_leaf);
  near->without_bounds = dls_alloc(solids, sizeof *near->without_bounds);
  near->node = dls_alloc(2 * (ptrdiff_t)near->width, sizeof *near->node);
  near->begin = dls_alloc((ptrdiff_t)solids + 1, sizeof *near->begin);
  if (!near->leaf || !near->other_leaf || !near->without_bounds || !near->node || !near->begin) {
    dls_near_free(near);
    return DLS_ERR_MEMORY;
  }
  *out = near;
  return DLS_OK;
}

void dls_near_free(dls_near *near)
{
  if (!near) return;
  free(near->leaf), free(near->other_leaf), free(near->without_bounds), free(near->node);
  free(near->begin), free(near->pair), free(near->other_pair);
  free(near);
}

int dls_near_count(const dls_near *near)
{
  return (int)near->count;
}

const dls_near_pair *dls_near_pairs(const dls_near *near)
{
  return near->pair;
}

// ---- the order of the leaves --------------------------------------------------------------------

static bool has_bounds(const dls_near_box *box)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += 0 * box->low[i] + 0 * box->high[i];
  return sum == 0;
}

static double middle(const dls_near_box *box, int axis)
{
  return box->low[axis] / 2 + box->high[axis] / 2;
}

// Every third bit.
static uint64_t spread(uint64_t x)
{
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t key_of(const dls_near_box *box, const double low[3], const double scale[3])
{
  uint64_t key = 0;
  for (int i = 0; i < 3; i++) {
    const double part = (middle(box, i) / 2 - low[i] / 2) * scale[i];
    const double most = (1 << BITS) - 1;
    key |= spread((uint64_t)(part > 0 ? part < most ? part : most : 0)) << i;
  }
  return key;
}

static void sort_leaves(dls_near *near)
{
  for (int pass = 0; pass < PASSES; pass++) {
    int begin[(1 << DIGIT) + 1] = {0};
    const int shift = pass * DIGIT, mask = (1 << DIGIT) - 1;
    for (int k = 0; k < near->leaves; k++)
      begin[(near->leaf[k].key >> shift & (uint64_t)mask) + 1]++;
    for (int d = 0; d < mask; d++) begin[d + 1] += begin[d];
    for (int k = 0; k < near->leaves; k++)
      near->other_leaf[begin[near->leaf[k].key >> shift & (uint64_t)mask]++] = near->leaf[k];
    leaf *swap = near->leaf;
    near->leaf = near->other_leaf, near->other_leaf = swap;
  }
}

static void order_leaves(dls_near *near, const dls_near_box *box)
{
  double low[3], high[3], scale[3];
  near->leaves = near->unbounded = 0;
  for (int k = 0; k < near->solids; k++) {
    if (!has_bounds(&box[k])) {
      near->without_bounds[near->unbounded++] = k;
      continue;
    }
    for (int i = 0; i < 3; i++) {
      const double x = middle(&box[k], i);
      low[i] = near->leaves ? fmin(low[i], x) : x, high[i] = near->leaves ? fmax(high[i], x) : x;
    }
    near->leaf[near->leaves++].solid = k;
  }
  // one scale for all axes, so that cells are cubes
  double extent = 0;
  for (int i = 0; i < 3 && near->leaves; i++) extent = fmax(extent, high[i] / 2 - low[i] / 2);
  for (int i = 0; i < 3; i++) scale[i] = extent > 0 ? (1 << BITS) / extent : 0;
  for (int k = 0; k < near->leaves; k++)
    near->leaf[k].key = key_of(&box[near->leaf[k].solid], low, scale);
  sort_leaves(near);
}

// ---- the tree -----------------------------------------------------------------------------------

// What rounding may take away from the sum of a coordinate and half of reach is added.
static dls_near_box grown(const dls_near_box *box, double reach)
{
  dls_near_box out;
  for (int i = 0; i < 3; i++) {
    const double rounding = 2 * DBL_EPSILON;
    const double more =
        reach / 2 * (1 + rounding) + rounding * fabs(box->low[i]) + rounding * fabs(box->high[i]);
    out.low[i] = box->low[i] - more, out.high[i] = box->high[i] + more;
  }
  return out;
}

static void build(dls_near *near, const dls_near_box *box, double reach)
{
  const int width = near->width;
  for (int k = 0; k < width; k++) {
    dls_near_box *node = &near->node[width + k];
    if (k < near->leaves) *node = grown(&box[near->leaf[k].solid], reach);
    else
      for (int i = 0; i < 3; i++) node->low[i] = INFINITY, node->high[i] = -INFINITY;
  }
  for (int k = width - 1; k > 0; k--) {
    const dls_near_box *x = &near->node[2 * k], *y = &near->node[2 * k + 1];
    for (int i = 0; i < 3; i++) {
      near->node[k].low[i] = fmin(x->low[i], y->low[i]);
      near->node[k].high[i] = fmax(x->high[i], y->high[i]);
    }
  }
}

static bool meet(const dls_near_box *x, const dls_near_box *y)
{
  for (int i = 0; i < 3; i++)
    if (x->low[i] > y->high[i] || y->low[i] > x->high[i]) return false;
  return true;
}

static dls_status add_pair(dls_near *near, int x, int y)
{
  if (near->group && near->group[x] >= 0 && near->group[x] == near->group[y]) return DLS_OK;
  if (near->count == INT32_MAX) return DLS_ERR_LIMIT;
  if (dls_grow((void **)&near->pair, &near->room, near->count + 1, sizeof *near->pair))
    return DLS_ERR_MEMORY;
  near->pair[near->count++] = (dls_near_pair){x < y ? x : y, x < y ? y : x};
  return DLS_OK;
}

// Leaf k with those behind it.
static dls_status walk(dls_near *near, int k)
{
  const dls_near_box *own = &near->node[near->width + k];
  struct {
    int node, last, half;  // the last leaf below, and how many there are below a child
  } stack[DEEPEST];
  int depth = 0;
  stack[depth].node = 1, stack[depth].last = near->width - 1, stack[depth++].half = near->width / 2;
  while (depth > 0) {
    const int node = stack[--depth].node, last = stack[depth].last, half = stack[depth].half;
    const bool empty = half == 0 && node - near->width >= near->leaves;
    if (empty || last <= k || !meet(own, &near->node[node])) continue;
    if (half == 0) {
      const dls_status status =
          add_pair(near, near->leaf[k].solid, near->leaf[node - near->width].solid);
      if (status) return status;
      continue;
    }
    stack[depth].node = 2 * node + 1, stack[depth].last = last, stack[depth++].half = half / 2;
    stack[depth].node = 2 * node, stack[depth].last = last - half, stack[depth++].half = half / 2;
  }
  return DLS_OK;
}

// ---- the pairs ----------------------------------------------------------------------------------

static int part_of(const dls_near_pair *pair, int part)
{
  return part ? pair->b : pair->a;
}

// By b, then by a.
static dls_status sort_pairs(dls_near *near)
{
  if (dls_grow((void **)&near->other_pair, &near->other_room, near->count + 1,
               sizeof *near->other_pair))
    return DLS_ERR_MEMORY;
  for (int part = 1; part >= 0; part--) {
    dls_clear(near->begin, (ptrdiff_t)near->solids + 1);
    for (ptrdiff_t k = 0; k < near->count; k++) near->begin[part_of(&near->pair[k], part) + 1]++;
    for (int k = 0; k < near->solids; k++) near->begin[k + 1] += near->begin[k];
    for (ptrdiff_t k = 0; k < near->count; k++)
      near->other_pair[near->begin[part_of(&near->pair[k], part)]++] = near->pair[k];
    dls_near_pair *swap = near->pair;
    const ptrdiff_t room = near->room;
    near->pair = near->other_pair, near->room = near->other_room;
    near->other_pair = swap, near->other_room = room;
  }
  return DLS_OK;
}

dls_status dls_near_update(dls_near *near, const dls_near_box *box, double reach, const int *group)
{
  near->count = 0, near->group = group;
  order_leaves(near, box);
  build(near, box, reach);
  dls_status status = DLS_OK;
  for (int k = 0; !status && k < near->leaves; k++) status = walk(near, k);
  for (int k = 0; k < near->unbounded; k++)
    for (int j = 0; !status && j < near->leaves; j++)
      status = add_pair(near, near->without_bounds[k], near->leaf[j].solid);
  if (!status && near->count > 0) status = sort_pairs(near);
  if (status) near->count = 0;
  return status;
}
