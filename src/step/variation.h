// The linearized motion of a system while its contacts keep their modes, and through an impact.
#ifndef DLS_STEP_VARIATION_H
#define DLS_STEP_VARIATION_H

#include "model/extended.h"
#include <delassus/integrator.h>

// A point of the extended system: n coordinates, parameters, time.
typedef struct dls_variation {
  const dls_extended *x;
  int n, all, m, tangents;  // all: n, parameters and time
  int columns;              // derivatives at once
  int *first;               // m + 1: slips
  unsigned char *mode;      // m: DLS_OPEN, DLS_SLIDING, DLS_STICKING
  double *xi;               // tangents: direction of sliding where the slip itself has none
  double *side;             // m: sign of the normal force of bilateral contacts that slide
  double rest;              // slip velocities up to this have no direction
  dls_values *values;
  dls_derivatives *derivatives, *at_rest;
  double *a, *lambda, *tau;  // all, m, tangents
  double *K, *B, *X;         // the equations, and both sides of them
  double *work;              // 4 all
  dls_arena *arena;
} dls_variation;

dls_status dls_variation_create(const dls_extended *x, int columns, dls_variation **out);
void dls_variation_free(dls_variation *w);  // NULL is fine

double dls_variation_slip(const dls_variation *w, int j);  // the speed of contact j at the values

// Accelerations and forces at (q, v), eq (rkm.4): a, lambda, tau. DLS_ERR_SOLVER when they are not
// determined.
dls_status dls_variation_forces(dls_variation *w, const double *q, const double *v);

// Their change da (n x columns) along dq, dv (all x columns), after dls_variation_forces there.
//                                                                                     eq (sen.2)
dls_status dls_variation_change(dls_variation *w, const double *q, const double *v,
                                const double *dq, const double *dv, double *da);

// The change dv_after (n x columns) of the velocities after an impact at q, from dq and dv_before
// (all x columns). impulse: in the layout of dls_event. *miss: how far the impact's own equations
// do not hold, of the velocities.                                                     eq (sen.4)
dls_status dls_variation_impact(dls_variation *w, const double *q, const double *v_before,
                                const double *v_after, const double *impulse, const double *dq,
                                const double *dv_before, double *dv_after, double *miss);

#endif
