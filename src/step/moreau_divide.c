// Steps of Moreau's scheme in parts, where forces are so stiff for the whole that no branch of
// solutions leads to it: what Newton's iteration comes to then is a buckled state.      eq (mor.12)
#include "step/moreau.h"

#include "base/memory.h"

enum { DOUBLINGS = 5 };

// From the begin, where the point stands, in so many parts.
static dls_failure step_in_parts(dls_moreau *w, int parts, double t, double h, const double *q0,
                                 const double *v0, double *impulse, double *q1, double *v1,
                                 dls_message *message)
{
  const dls_system *s = w->point->system;
  const int impulses = s->m + s->tangents;
  dls_failure failure = DLS_FAILURE_NONE;
  dls_clear(impulse, impulses);
  dls_copy(w->impulse_part, w->begun, impulses);
  dls_copy(q1, q0, s->n);
  dls_copy(v1, v0, s->n);
  for (int k = 0; k < parts && failure == DLS_FAILURE_NONE; k++) {
    dls_copy(w->q_part, q1, s->n);
    dls_copy(w->v_part, v1, s->n);
    failure = dls_moreau_step_once(w, t + k * h / parts, h / parts, w->q_part, w->v_part,
                                   w->impulse_part, q1, v1, message);
    for (int i = 0; i < impulses; i++) impulse[i] += w->impulse_part[i];
  }
  return failure;
}

static dls_failure begin_anew(dls_moreau *w, double t, const double *q0, const double *v0,
                              double *impulse, dls_message *message)
{
  const dls_system *s = w->point->system;
  dls_copy(impulse, w->begun, s->m + s->tangents);
  return dls_snapshot_evaluate(w->point, t, q0, v0, message) ? DLS_FAILURE_NONE
                                                             : DLS_FAILURE_NUMBER;
}

// Steps whose errors are controlled become shorter by themselves.
dls_failure dls_moreau_step(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                            double *impulse, double *q1, double *v1, dls_message *message)
{
  const dls_system *s = w->point->system;
  w->stuck = false, w->divides = !w->at_end && !w->brief;
  dls_copy(w->begun, impulse, s->m + s->tangents);
  dls_failure failure = dls_moreau_step_once(w, t, h, q0, v0, impulse, q1, v1, message);
  if (!w->divides || !w->stuck || failure == DLS_FAILURE_NONE) return failure;
  for (int k = 1; k <= DOUBLINGS && failure != DLS_FAILURE_NONE; k++) {
    if (w->point->trouble != DLS_OK) return failure;
    failure = begin_anew(w, t, q0, v0, impulse, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    failure = step_in_parts(w, 1 << k, t, h, q0, v0, impulse, q1, v1, message);
  }
  if (failure == DLS_FAILURE_NONE && message) message->text[0] = '\0';
  if (failure == DLS_FAILURE_NONE || w->point->trouble != DLS_OK) return failure;
  failure = begin_anew(w, t, q0, v0, impulse, message);
  w->divides = false;
  return failure != DLS_FAILURE_NONE
             ? failure
             : dls_moreau_step_once(w, t, h, q0, v0, impulse, q1, v1, message);
}
