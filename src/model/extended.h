// A system of a model with some of its parameters, and time, among the coordinates: how its
// equations, and the laws of its contacts, change with them.                          eq (sen.2)
#ifndef DLS_MODEL_EXTENDED_H
#define DLS_MODEL_EXTENDED_H

#include "model/analysis.h"

// Lagrangian, tapes and work memory: one evaluator. Coordinates n ... n + count - 1 are parameters,
// whose velocities are 0; the last one is time, whose velocity is 1.
typedef struct dls_extended {
  int n, m, count;
  dls_arena *arena;
  dls_equations equations;
  dls_mechanics_work *work;
  dls_branches *branches;  // NULL: no force switches
  dls_mechanics_derivative *derivative;
  dls_system system;  // sizes, names, patterns
  dls_tape *laws;     // gradients of friction and restitution by coordinates and velocities
  double *slot;
  int *first;  // friction by q, by v, restitution by q, by v of each contact, then what decides
  int *index;  // by q, by v of each branch: where each gradient begins, and its indices
  double *gradient;
} dls_extended;

// The parameters with these numbers; instance: where all of them have values.
dls_status dls_extended_create(const dls_instance *instance, int count, const int *parameter,
                               dls_extended **out);
void dls_extended_free(dls_extended *extended);  // NULL is fine

// q and v: of the model's coordinates, then of the parameters and time. Forces have the branches at
// the point where they were held last.
dls_status dls_extended_hold(const dls_extended *extended, const double *q, const double *v);
dls_status dls_extended_evaluate(const dls_extended *extended, const double *q, const double *v,
                                 const dls_values *values);
dls_status dls_extended_differentiate(const dls_extended *extended, const double *q,
                                      const double *v, const double *a, const double *lambda,
                                      const double *tau, const dls_derivatives *out);

// The change of friction (restitution: coefficient 1) of contact j along (dq, dv), after
// dls_extended_laws at the point.
dls_status dls_extended_laws(const dls_extended *extended, const double *q, const double *v);
double dls_extended_law_change(const dls_extended *extended, int coefficient, int j,
                               const double *dq, const double *dv);
// The same of what branch k of the forces is decided by.
double dls_extended_switch_change(const dls_extended *extended, int k, const double *dq,
                                  const double *dv);

#endif
