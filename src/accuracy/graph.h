// The filled-in graph of a trajectory as a polygon in time and space, its bounding boxes, and the
// search for its segment next to a point.
#ifndef DLS_ACCURACY_GRAPH_H
#define DLS_ACCURACY_GRAPH_H

#include <delassus/trajectory.h>

// A view: component k of point i is x[i * stride + k]. Coordinate 0 is time.
typedef struct dls_filled_graph {
  ptrdiff_t count, stride;
  int n;
  const double *t, *x;
} dls_filled_graph;

// A single point is one segment of length zero.
ptrdiff_t dls_graph_segments(const dls_filled_graph *graph);

// p[0 ... n] = the point at s in [0, 1] of segment i; exact at both ends.
void dls_graph_point(const dls_filled_graph *graph, ptrdiff_t i, double s, double *p);

// The distance of p from segment i, eq (err.2). Any value <= enough may be returned in place of a
// smaller one.
double dls_graph_to_segment(const dls_filled_graph *graph, ptrdiff_t i, const double *p,
                            double enough);

// What a search has cost, for tests and benchmarks.
typedef struct dls_graph_work {
  ptrdiff_t nodes;     // boxes looked at
  ptrdiff_t searches;  // descents from the root
  ptrdiff_t splits;    // segments cut where two distances cross
} dls_graph_work;

// Boxes around 1, 2, 4, ... groups of consecutive segments.
typedef struct dls_graph_tree {
  const dls_filled_graph *graph;
  ptrdiff_t leaves;  // a power of two; node 1 is the root, nodes 2 i and 2 i + 1 are below node i
  double *boxes;     // 2 leaves * 2 * (n + 1): for each node the lower corner, then the upper one
} dls_graph_tree;

dls_status dls_graph_tree_make(dls_graph_tree *tree, const dls_filled_graph *graph);
void dls_graph_tree_free(dls_graph_tree *tree);

// Improves *segment and *distance, that of p from it, to the nearest segment; stops at the first
// one within `enough`.
void dls_graph_tree_nearest(const dls_graph_tree *tree, const double *p, double enough,
                            ptrdiff_t *segment, double *distance, dls_graph_work *work);

// dls_graph_distance, and what it has cost.
dls_status dls_graph_distance_counted(const dls_trajectory *a, const dls_trajectory *b,
                                      double *distance, dls_graph_work *work);

#endif
