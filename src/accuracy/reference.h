// The motion that counts as exact: formulas of a model, or a run.
#ifndef DLS_ACCURACY_REFERENCE_H
#define DLS_ACCURACY_REFERENCE_H

#include "accuracy/series.h"

struct dls_reference {
  int n;
  double from, until;
  unsigned char *known;      // n: 1 the coordinate, plus 2 its velocity
  const dls_system *system;  // whose model has the formulas; NULL: the run
  dls_series run;
  double step;  // of the run

  // the jumps: when, the coordinates there, the velocities before and after; n each
  ptrdiff_t jumps, capacity[4];
  double *t, *q, *before, *after;
  double unseen;  // jumps up to here may be overlooked
  double blur;    // a time: so near to a jump a velocity may be that before or after it
};

dls_status dls_reference_add_jump(dls_reference *r, double t, const double *q, const double *before,
                                  const double *after);

// Finds the jumps of an exact solution; the values of `known` are there.
dls_status dls_reference_search(dls_reference *r, double step, dls_message *message);

#endif
