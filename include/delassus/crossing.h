// Where functions of the state cross zero in a motion: the events of a model, or functions of the
// caller. They change nothing: the motion is the same, to the last bit, with them and without.
//
// Beside an integrator, around each of its steps:
//
//   dls_crossings_before(c, &sample);             // before the step
//   ... dls_integrator_advance, whose events go to dls_crossings_tell ...
//   dls_crossings_after(c, &sample, &message);    // after a step that was made
//   while (dls_crossings_next(c, &happening)) ... // events of contacts, and crossings, in time
//
// A crossing is where a function has left one sign and reached zero or the other sign. Schemes with
// events locate it: the step is made again, up to a time that an iteration finds, so that the state
// there is the scheme's. Others interpolate linearly within the step. Where an impact changes the
// sign the crossing is at the impact. A function that touches zero and turns back need not be
// noticed, and two crossings of one function between two of nine points of a smooth piece, or in
// one step of a scheme without events, are not. One that is zero at the start does not cross there.
#ifndef DELASSUS_CROSSING_H
#define DELASSUS_CROSSING_H

#include <delassus/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dls_crossing_functions {
  int count;
  // NaN where one has no value. May be called at states that interpolation makes up.
  dls_status (*evaluate)(void *self, double t, const double *q, const double *v, double *g);
  void *self;
} dls_crossing_functions;

typedef struct dls_crossings dls_crossings;

// options: the integrator's. functions: NULL for the events of the system's model. The start is the
// state at which a run begins. The system must outlive it and is used by one of both at a time.
// DLS_ERR_ARGUMENT where the system finds its contacts.
DLS_API dls_status dls_crossings_create(const dls_system *system, const dls_state *start,
                                        const dls_integrator_options *options,
                                        const dls_crossing_functions *functions,
                                        dls_crossings **out, dls_message *message);
DLS_API void dls_crossings_free(dls_crossings *crossings);  // NULL is fine

// A state that the motion passed before the next step, such as a row of a recording that goes on.
DLS_API void dls_crossings_pass(dls_crossings *crossings, const dls_sample *sample);

DLS_API void dls_crossings_before(dls_crossings *crossings, const dls_sample *begin);
// DLS_ERR_MEMORY. Allocates when a step has more events than ever before, as does the next.
DLS_API dls_status dls_crossings_tell(dls_crossings *crossings, const dls_event *event);
DLS_API dls_status dls_crossings_after(dls_crossings *crossings, const dls_sample *end,
                                       dls_message *message);

// An event of a contact, or a crossing of a function.
typedef struct dls_happening {
  const dls_event *event;  // NULL: it is a crossing,
  int function;            // of this one,
  int direction;           // 1: it rose, -1: it fell
  bool located;            // the scheme did, or it is at an impact; false: interpolated
  bool jumps;              // at an impact: the state is that behind it
  dls_sample sample;       // the state there, next_step 0; impulse: since the step's begin
} dls_happening;

// The next one of the step; good until the next call. False: there is none.
DLS_API bool dls_crossings_next(dls_crossings *crossings, dls_happening *happening);

// Evaluations that locating took.
DLS_API long dls_crossings_evaluations(const dls_crossings *crossings);

#ifdef __cplusplus
}
#endif
#endif
