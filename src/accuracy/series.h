// A motion as a scheme computed it: the ends of its steps, and its events between them.
#ifndef DLS_ACCURACY_SERIES_H
#define DLS_ACCURACY_SERIES_H

#include <delassus/convergence.h>

// An event is two points at one time, with the velocities before and after it.
typedef enum dls_point_kind { DLS_POINT_GRID, DLS_POINT_BEFORE, DLS_POINT_AFTER } dls_point_kind;

typedef struct dls_series {
  int n;
  ptrdiff_t count, capacity[4];
  double *t;            // count
  double *q, *v;        // count * n, those of a point next to each other
  unsigned char *kind;  // count: dls_point_kind
} dls_series;

// What became of the run.
typedef struct dls_series_end {
  dls_step_counts counts;
  double reached;
  dls_failure failure;
  dls_uniqueness_loss loss;
  bool stopped;
} dls_series_end;

void dls_series_free(dls_series *s);  // harmless on {0}

// Runs the scheme to `until` and keeps all of it. On DLS_OK `end` says how far it came; the message
// says why when it failed. s begins as {0}; free it in either case.
dls_status dls_series_run(dls_series *s, const dls_system *system, const dls_state *start,
                          const dls_integrator_options *options, double until,
                          const dls_watch *watch, dls_series_end *end, dls_message *message);

#endif
