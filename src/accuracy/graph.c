// Distances from a point to a polygon in the norm max(|t|, |x|_inf). A tree of bounding boxes over
// consecutive segments answers in about log N steps, however many segments the time window of the
// answer holds: the boxes of distant values are as far away as the segments inside.
#include "accuracy/graph.h"

#include "accuracy/tolerances.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { GROUP = 4 };  // segments in a leaf

static inline double coordinate(const dls_filled_graph *g, ptrdiff_t i, int k)
{
  return k == 0 ? g->t[i] : g->x[i * g->stride + (k - 1)];
}

static inline ptrdiff_t end_of(const dls_filled_graph *g, ptrdiff_t i)
{
  return i + 1 < g->count ? i + 1 : i;
}

ptrdiff_t dls_graph_segments(const dls_filled_graph *graph)
{
  return graph->count > 1 ? graph->count - 1 : 1;
}

void dls_graph_point(const dls_filled_graph *graph, ptrdiff_t i, double s, double *p)
{
  const ptrdiff_t j = end_of(graph, i);
  for (int k = 0; k <= graph->n; k++) {
    const double from = coordinate(graph, i, k), to = coordinate(graph, j, k);
    p[k] = s <= 0 ? from : s >= 1 ? to : from + s * (to - from);
  }
}

// ---- point and segment -------------------------------------------------------------------------

// The distance to the point at u as a function of u: its value, and the slope of a term |r_k| that
// attains it.
typedef struct tangent {
  double value, slope;
} tangent;

// Among terms that attain the value, the steepest to the right (side > 0) or to the left.
static inline tangent tangent_at(const dls_filled_graph *g, ptrdiff_t i, const double *p, double u,
                                 int side)
{
  const ptrdiff_t j = end_of(g, i);
  tangent top = {-1, 0};
  for (int k = 0; k <= g->n; k++) {
    const double from = coordinate(g, i, k), to = coordinate(g, j, k);
    const double r = u >= 1 ? p[k] - to : p[k] - from - u * (to - from);
    double slope = r > 0 ? from - to : to - from;
    if (r == 0) slope = side > 0 ? fabs(slope) : -fabs(slope);
    const double value = fabs(r);
    if (value > top.value || (value == top.value && (slope - top.slope) * side > 0))
      top = (tangent){value, slope};
  }
  return top;
}

// eq (err.4): the largest of 2 (n + 1) lines in u is smallest where a falling and a rising one
// cross. Each turn finds the lowest point of the two lines at hand, which is a lower bound, and
// takes the line that is higher there, until there is none.
double dls_graph_to_segment(const dls_filled_graph *graph, ptrdiff_t i, const double *p,
                            double enough)
{
  tangent falling = tangent_at(graph, i, p, 0, 1);
  if (falling.value <= enough || falling.slope >= 0) return falling.value;
  tangent rising = tangent_at(graph, i, p, 1, -1);
  if (rising.value <= enough || rising.slope <= 0) return rising.value;
  double low = 0, high = 1, best = fmin(falling.value, rising.value);
  for (int turn = 0; turn < 2 * graph->n + 4; turn++) {
    const double rise = rising.value - rising.slope * (high - low);
    const double step = (falling.value - rise) / (rising.slope - falling.slope), u = low + step;
    if (!(u > low && u < high)) break;
    const tangent middle = tangent_at(graph, i, p, u, 1);
    if (middle.value < best) best = middle.value;
    if (best <= enough || middle.slope == 0) break;
    if (middle.value <= (falling.value + falling.slope * step) * (1 + line_rounding)) break;
    if (middle.slope < 0) falling = middle, low = u;
    else rising = middle, high = u;
  }
  return best;
}

// ---- boxes -------------------------------------------------------------------------------------

static inline double *box_of(const dls_graph_tree *tree, ptrdiff_t node)
{
  return tree->boxes + node * 2 * ((ptrdiff_t)tree->graph->n + 1);
}

static void fill_leaf(dls_graph_tree *tree, ptrdiff_t leaf)
{
  const dls_filled_graph *g = tree->graph;
  const ptrdiff_t first = leaf * GROUP, segments = dls_graph_segments(g);
  const ptrdiff_t last = first + GROUP < segments ? first + GROUP : segments;
  double *box = box_of(tree, tree->leaves + leaf);
  for (int k = 0; k <= g->n; k++) {
    double low = INFINITY, high = -INFINITY;  // an empty leaf is infinitely far away
    for (ptrdiff_t i = first; i <= last && first < segments; i++) {
      const double value = coordinate(g, i < g->count ? i : g->count - 1, k);
      if (value < low) low = value;
      if (value > high) high = value;
    }
    box[k] = low, box[g->n + 1 + k] = high;
  }
}

dls_status dls_graph_tree_make(dls_graph_tree *tree, const dls_filled_graph *graph)
{
  const ptrdiff_t groups = (dls_graph_segments(graph) + GROUP - 1) / GROUP;
  const ptrdiff_t width = (ptrdiff_t)graph->n + 1;
  *tree = (dls_graph_tree){.graph = graph, .leaves = 1};
  while (tree->leaves < groups) tree->leaves *= 2;
  tree->boxes = dls_alloc(2 * tree->leaves, dls_bytes(2 * width, sizeof *tree->boxes));
  if (!tree->boxes) return DLS_ERR_MEMORY;
  for (ptrdiff_t leaf = 0; leaf < tree->leaves; leaf++) fill_leaf(tree, leaf);
  for (ptrdiff_t node = tree->leaves - 1; node > 0; node--) {
    double *box = box_of(tree, node), *left = box_of(tree, 2 * node), *right = left + 2 * width;
    for (ptrdiff_t k = 0; k < width; k++) {
      box[k] = fmin(left[k], right[k]);
      box[width + k] = fmax(left[width + k], right[width + k]);
    }
  }
  return DLS_OK;
}

void dls_graph_tree_free(dls_graph_tree *tree)
{
  free(tree->boxes);
  tree->boxes = NULL;
}

static inline double above(double distance, double p, double low, double high)
{
  if (low - p > distance) distance = low - p;
  if (p - high > distance) distance = p - high;
  return distance;
}

static inline double to_box(const dls_graph_tree *tree, ptrdiff_t node, const double *p)
{
  const int n = tree->graph->n;
  const double *low = box_of(tree, node), *high = low + n + 1;
  double distance = 0;
  for (int k = 0; k <= n; k++) distance = above(distance, p[k], low[k], high[k]);
  return distance;
}

// The distance of p from the box around segment i is `limit` or more.
static inline bool beyond(const dls_filled_graph *g, ptrdiff_t i, const double *p, double limit)
{
  const ptrdiff_t j = end_of(g, i);
  for (int k = 0; k <= g->n; k++) {
    const double a = coordinate(g, i, k), b = coordinate(g, j, k);
    if (above(0, p[k], a < b ? a : b, a < b ? b : a) >= limit) return true;
  }
  return false;
}

static void search_leaf(const dls_filled_graph *g, ptrdiff_t first, const double *p, double enough,
                        ptrdiff_t *segment, double *distance)
{
  const ptrdiff_t segments = dls_graph_segments(g);
  for (ptrdiff_t i = first; i < first + GROUP && i<segments && * distance> enough; i++) {
    if (beyond(g, i, p, *distance)) continue;
    const double d = dls_graph_to_segment(g, i, p, enough);
    if (d < *distance) *distance = d, *segment = i;
  }
}

void dls_graph_tree_nearest(const dls_graph_tree *tree, const double *p, double enough,
                            ptrdiff_t *segment, double *distance, dls_graph_work *work)
{
  struct {
    ptrdiff_t node;
    double distance;
  } open[8 *
         sizeof(ptrdiff_t)];  // one for each level is enough: the nearer child is followed at once
  ptrdiff_t count = 0, node = 1;
  double bound = to_box(tree, 1, p);
  work->searches++;
  for (;;) {
    while (node < tree->leaves && bound < *distance) {
      const double left = to_box(tree, 2 * node, p), right = to_box(tree, 2 * node + 1, p);
      const ptrdiff_t nearer = right < left;
      const double farther = nearer ? left : right;
      work->nodes += 2;
      if (farther < *distance) {
        open[count].node = 2 * node + 1 - nearer;
        open[count++].distance = farther;
      }
      node = 2 * node + nearer;
      bound = nearer ? right : left;
    }
    if (node >= tree->leaves && bound < *distance)
      search_leaf(tree->graph, (node - tree->leaves) * GROUP, p, enough, segment, distance);
    while (count > 0 && !(open[count - 1].distance < *distance)) count--;
    if (count == 0 || *distance <= enough) return;
    node = open[--count].node;
    bound = open[count].distance;
  }
}
