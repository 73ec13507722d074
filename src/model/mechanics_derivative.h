// The derivatives that implicit time integration needs, from the expressions of a Lagrangian
// system.
//
//   R = D[p] - d(T - V + lambda h)/dq - d(tau s - R)/dv - Q,   N = D[D[h]],   T = D[s]    eq
//   (dyn.2)
//
// where D is the total time derivative with v' = a.
#ifndef DLS_MODEL_MECHANICS_DERIVATIVE_H
#define DLS_MODEL_MECHANICS_DERIVATIVE_H

#include "model/mechanics.h"

// Patterns, tape and work memory: one evaluator.
typedef struct dls_mechanics_derivative dls_mechanics_derivative;

// The graph grows, and its D gets v' = a: give it a copy. Copies what it needs of the lagrangian
// but the names. DLS_ERR_LIMIT or DLS_ERR_MEMORY when it becomes too large.
dls_status dls_mechanics_derivative_compile(dls_graph *graph, const dls_lagrangian *lagrangian,
                                            dls_mechanics_derivative **derivative);
void dls_mechanics_derivative_free(dls_mechanics_derivative *derivative);

const dls_derivative_patterns *dls_mechanics_derivative_patterns(
    const dls_mechanics_derivative *derivative);

// From now on they come from compiled C; parameters and branches are to be set anew.
dls_status dls_mechanics_derivative_native(dls_mechanics_derivative *derivative,
                                           const dls_native_cache *cache, dls_message *message);

// New parameter values, needed before the first evaluation.
void dls_mechanics_derivative_start(dls_mechanics_derivative *derivative, const double *parameters);

// The branches that forces have from now on.
void dls_mechanics_derivative_set_branches(dls_mechanics_derivative *derivative,
                                           const double *branch);

// The differentiate function of dls_system; allocates nothing.
dls_status dls_mechanics_derivative_evaluate(dls_mechanics_derivative *derivative, double t,
                                             const double *q, const double *v, const double *a,
                                             const double *lambda, const double *tau,
                                             const dls_derivatives *out, dls_message *message);

#endif
