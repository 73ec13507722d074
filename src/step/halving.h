// Steps of Moreau's scheme made in one and in two: what they differ by, and what both overlook.
#ifndef DLS_STEP_HALVING_H
#define DLS_STEP_HALVING_H

#include "step/scheme.h"

typedef struct dls_halving {
  double *q_full, *v_full, *q_half, *v_half;  // n
  double *impulse_full, *impulse_half;        // impulses
  double *gap, *rate;                         // m: at the begin
  double *slip, *slip_half;                   // tangents: at the begin and in the middle
  double *force;                              // n: by Simpson's rule, less those of the two halves
  bool *closing;                              // m: near enough to take part
  unsigned char *middle;                      // m: what contacts do in the middle
  int *diagonal;                              // n: entries of M, or -1
  double *mobility, *most;                    // n, 2 n: about 1 / M_ii at the end, and work
  bool *bounded;                              // n, work
  int place;                                  // in the memory: rates of the rates, m
} dls_halving;

// The tolerance of the gap of contact j: atol, and rtol of what it is made of.
double dls_halving_gap_tolerance(const dls_integrator *g, int j, const double *q);

// The error of a step, 1 is just accepted: what both ways differ by. Where both overlook a contact
// they agree: how much deeper it is then counts too.
double dls_halving_error(const dls_integrator *g, bool velocities);

// Forces that a step is made with are those at inner points of it: what begins or ends between the
// last of them and the end of the step, as a force with a condition does, is overlooked by both
// ways. Simpson's rule, over begin, middle and end, sees it; of third order where forces are
// smooth, and a third of what both ways differ by. Adds a term of it, and gives the error.
//                                                                                     eq (mor.8)
void dls_halving_add_force(const dls_integrator *g, double weight, const double *F);
double dls_halving_force_error(dls_integrator *g, double h, bool velocities);

// The error of what begins inside a step of length h and both ways agree on: sliding that turns
// round, a contact that leaves. *first: the part of the step before the first of these; 1: none.
double dls_halving_turns(const dls_integrator *g, double h, double *first);

#endif
