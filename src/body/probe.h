// Numbers of a mechanism that the formulas of a model may use: y = Y(q), with            eq (prb.1)
//
//   y' = J x',   y'' = J x'' + bias
//
// in the local coordinates x of the chart. A force f on y is J^T f on x.
#ifndef DLS_BODY_PROBE_H
#define DLS_BODY_PROBE_H

#include <delassus/mechanism.h>

typedef enum dls_probe_kind {
  DLS_PROBE_JOINT,  // the coordinate of a hinge or slide
  DLS_PROBE_POINT,  // a coordinate of a point of a body, in the world
  DLS_PROBE_SPIN    // a component of the angular velocity of a body, in world axes: y is always 0,
                    // and a force on it is a torque
} dls_probe_kind;

typedef struct dls_probe {
  dls_probe_kind kind;
  int of;        // joint or body
  int axis;      // 0, 1, 2 of points and spins
  double at[3];  // the point, in the frame of its body
} dls_probe;

// Which local coordinates each probe depends on: n x count, one column per probe.
dls_status dls_probes_pattern(const dls_system *system, int count, const dls_probe *probe,
                              dls_pattern *pattern);  // its arrays are freed with free()

typedef struct dls_probe_values {
  double *y, *y_dot, *bias;  // count
  double *J;                 // on the pattern
} dls_probe_values;

// At (x, x_dot); bound (may be NULL): of the rounding errors. Allocates nothing.
dls_status dls_probes_evaluate(dls_system *system, const double *x, const double *x_dot, int count,
                               const dls_probe *probe, const dls_probe_values *values,
                               const dls_probe_values *bound);

// Derivatives at (x, x_dot), given x'' = a and forces f on the probes:
//   rate_x = d y'/dx, acceleration_x = d(J a + bias)/dx, acceleration_v = d(J a + bias)/dx',
//   each on the pattern; force_x = d(J^T f)/dx, n x n, dense, by columns, added to (NULL: not
//   asked for). Allocates nothing.
typedef struct dls_probe_derivatives {
  double *rate_x, *acceleration_x, *acceleration_v, *force_x;
} dls_probe_derivatives;
dls_status dls_probes_differentiate(dls_system *system, const double *x, const double *x_dot,
                                    const double *a, const double *f, int count,
                                    const dls_probe *probe, const dls_probe_derivatives *out);

#endif
