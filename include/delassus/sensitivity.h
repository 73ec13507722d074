// How does the end of a motion depend on parameters and on its start? First derivatives along a
// run, through its events by the jump formulas, eq (sen.1) ... (sen.4).
//
// It looks on at an integrator of a scheme that locates events: told each event, and called after
// each step. It belongs to one thread, with the system and the integrator, which must outlive it.
#ifndef DELASSUS_SENSITIVITY_H
#define DELASSUS_SENSITIVITY_H

#include <delassus/integrator.h>
#include <delassus/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dls_sensitivity dls_sensitivity;

// Derivatives with respect to `names`: parameters of the model, or coordinates `x` and velocities
// `x'` of the start. The system must be made from a model; its parameters stay as they are.
// DLS_ERR_ARGUMENT, with a message, for a name that is none of these, or a system whose contacts
// come and go.
DLS_API dls_status dls_sensitivity_create(const dls_system *system, int count,
                                          const char *const *names, dls_sensitivity **out,
                                          dls_message *message);
DLS_API void dls_sensitivity_free(dls_sensitivity *sensitivity);  // NULL is fine

// Begins where the integrator stands. change: how the start itself changes with each name, n
// coordinates and n velocities each; NULL: coordinates and velocities with themselves, with
// parameters not at all.
DLS_API dls_status dls_sensitivity_begin(dls_sensitivity *sensitivity,
                                         const dls_integrator *integrator, const double *change);

// To be called from the integrator's `event`, and after each step.
DLS_API void dls_sensitivity_event(dls_sensitivity *sensitivity, const dls_event *event);
DLS_API dls_status dls_sensitivity_step(dls_sensitivity *sensitivity,
                                        const dls_integrator *integrator);

// The derivatives at the last step: n coordinates and n velocities for each name, in their order;
// NULL where they do not exist or are not known, and then `why` and `t` say since when.
typedef struct dls_sensitivity_result {
  int n, count;
  const double *change;  // count x 2 n
  double t;
  const char *why;
} dls_sensitivity_result;

DLS_API dls_sensitivity_result dls_sensitivity_of(const dls_sensitivity *sensitivity);

#ifdef __cplusplus
}
#endif
#endif
