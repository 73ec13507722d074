// How exact is a scheme? The error of a run against a reference motion, and orders as slopes.
//
// A reference keeps copies and is constant: threads may share it. Whatever integrates borrows the
// system, which is then in one thread at a time.
#ifndef DELASSUS_CONVERGENCE_H
#define DELASSUS_CONVERGENCE_H

#include <delassus/integrator.h>
#include <delassus/trajectory.h>

#ifdef __cplusplus
extern "C" {
#endif

// What an error is measured in: the distance between filled-in graphs, eq (err.3), and the norms on
// the grid of the run, eq (err.5).
#define DLS_NORM_LIST(X)             \
  X(DLS_NORM_HAUSDORFF, "hausdorff") \
  X(DLS_NORM_L1, "l1")               \
  X(DLS_NORM_L2, "l2")               \
  X(DLS_NORM_UNIFORM, "uniform")

typedef enum dls_norm {
#define DLS_NORM_CODE(code, name) code,
  DLS_NORM_LIST(DLS_NORM_CODE)
#undef DLS_NORM_CODE
      DLS_NORM_COUNT
} dls_norm;

DLS_API const char *dls_norm_name(dls_norm norm);

// Looks on while a run goes, before each step from time t: true stops it. watch may be NULL.
typedef struct dls_watch {
  bool (*watch)(void *self, double t);
  void *self;
} dls_watch;

// ---- the reference -----------------------------------------------------------------------------

// A motion that counts as the true one, with the jumps of its velocities.
typedef struct dls_reference dls_reference;

// Whether the model of the system gives an exact solution, of some coordinate or velocity.
DLS_API bool dls_reference_given(const dls_system *system, double t);

// The model's exact solution from the start on. Its jumps are found by halving; two of them nearer
// to each other than about half the step may be overlooked. DLS_ERR_ARGUMENT: the model has none;
// DLS_ERR_STATE: it begins in another state than start; DLS_ERR_NUMBER: it is not finite somewhere;
// DLS_ERR_LIMIT: it jumps too often. The system must outlive the reference.
DLS_API dls_status dls_reference_exact(const dls_system *system, const dls_state *start,
                                       double until, double step, dls_reference **out,
                                       dls_message *message);

// A run that counts as exact: its points, joined by polynomials between its events. The options'
// event and self are not used. DLS_ERR_NUMBER with a message when the run fails, or is stopped.
DLS_API dls_status dls_reference_run(const dls_system *system, const dls_state *start,
                                     const dls_integrator_options *options, double until,
                                     const dls_watch *watch, dls_reference **out,
                                     dls_message *message);
DLS_API void dls_reference_free(dls_reference *reference);  // NULL is fine

// The motion at a time between its ends; where velocities jump, those after the jump. Only entries
// that are known are written: known[i] is 1 for coordinate i, plus 2 for its velocity.
DLS_API dls_status dls_reference_at(const dls_reference *reference, double t, double *q, double *v,
                                    unsigned char *known);

// How many jumps of the velocities there are, and when; of a run all its events, of which some have
// no jump.
DLS_API ptrdiff_t dls_reference_jumps(const dls_reference *reference, const double **t);

// ---- errors and orders -------------------------------------------------------------------------

// What came of one run. Errors are NaN where nothing is known to compare with, and when the run
// did not reach its end.
typedef struct dls_accuracy {
  dls_step_counts counts;
  double reached;       // the time
  double mean_step;     // of the steps made
  dls_failure failure;  // and why says when and where
  dls_message why;
  dls_uniqueness_loss loss;  // where it was not the only motion any more
  bool stopped;              // by the watch
  double q[DLS_NORM_COUNT], v[DLS_NORM_COUNT];
  double floor_q, floor_v;  // errors up to here may be rounding                     eq (err.7)
} dls_accuracy;

// Runs a scheme to `until` and compares. Both motions are polygons over the same times: those of
// the run, its events and the jumps of the reference; so that the distance is not limited by the
// straight lines between them, eq (err.6). The options' event and self are not used. Fails as
// dls_integrator_create does; a run that fails on its way is an answer.
DLS_API dls_status dls_accuracy_measure(const dls_system *system, const dls_state *start,
                                        const dls_integrator_options *options, double until,
                                        const dls_reference *reference, const dls_watch *watch,
                                        dls_accuracy *accuracy, dls_message *message);

// The noise of a run: how far, in each norm, it is from the run whose tolerances (closed, rest and
// tolerance) are eight times as wide and whose step is longer by eight roundings, so that they all
// fall otherwise, eq (err.9). Of noise only q, v and why are meant: NaN, and why, where one of the
// two did not reach its end. Fails as dls_integrator_create does.
DLS_API dls_status dls_accuracy_noise(const dls_system *system, const dls_state *start,
                                      const dls_integrator_options *options, double until,
                                      const dls_watch *watch, dls_accuracy *noise,
                                      dls_message *message);

typedef struct dls_slope {
  double slope;  // NaN with fewer than two different steps, and when stalled
  int used;      // points
  bool stalled;  // errors fell, and then stood still above their floors                eq (err.10)
} dls_slope;

// The slope of log error over log step by least squares, eq (err.8). Points whose error is not
// finite or not above its floor are left out; floor may be NULL, used too (it marks the others).
DLS_API dls_slope dls_slope_fit(int count, const double *step, const double *error,
                                const double *floor, bool *used);

#ifdef __cplusplus
}
#endif
#endif
