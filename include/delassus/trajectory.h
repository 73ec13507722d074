// Motions in time that may jump, and how far two of them are apart.
//
// Plain data of the caller, which is only read: threads may share it.
#ifndef DELASSUS_TRAJECTORY_H
#define DELASSUS_TRAJECTORY_H

#include <delassus/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linear between its points. Two consecutive points with the same time are a jump, and the graph
// contains the segment between them: it is filled in.                               eq (err.1)
typedef struct dls_trajectory {
  ptrdiff_t count;  // points, at least 1
  int n;            // components, at least 1
  const double *t;  // count times, nondecreasing
  const double *x;  // count * n values, those of a point next to each other
} dls_trajectory;

// The Hausdorff distance between the filled-in graphs of a and b as sets in time and space, where
// two points are max(|t - s|, |x - y|_inf) apart.                             eqs (err.2), (err.3)
// It is the distance between the polygons, not between samples of them, up to a few roundings of
// the coordinates. DLS_ERR_ARGUMENT: a trajectory is empty, its times decrease, or a and b have
// not the same n; DLS_ERR_NUMBER: a value is not finite; DLS_ERR_LIMIT: one is above 1e300.
// Nothing is written then.
DLS_API dls_status dls_graph_distance(const dls_trajectory *a, const dls_trajectory *b,
                                      double *distance);

// The same for each component on its own: distance[k] is that between the graphs of t -> a_k(t) and
// t -> b_k(t). None is larger than dls_graph_distance, up to rounding.
DLS_API dls_status dls_graph_distance_each(const dls_trajectory *a, const dls_trajectory *b,
                                           double *distance);

// Norms of a difference at the points of a grid.                                    eq (err.5)
typedef struct dls_grid_norms {
  double l1, l2, uniform;
} dls_grid_norms;

// x and reference hold count * n values, those of a point next to each other; a point counts with
// the step that ends there (the first one with the first step) and with its largest component.
// NaN in the values, NaN in all norms. DLS_ERR_ARGUMENT: fewer than 2 points, n < 1, or decreasing
// times; DLS_ERR_NUMBER: a time is not finite.
DLS_API dls_status dls_grid_error(ptrdiff_t count, int n, const double *t, const double *x,
                                  const double *reference, dls_grid_norms *norms);

#ifdef __cplusplus
}
#endif
#endif
