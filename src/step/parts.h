// A system of several parts that do not act on one another: an integrator for each, so that the
// events and the steps of one are no business of the others.                         eq (par.2)
#ifndef DLS_STEP_PARTS_H
#define DLS_STEP_PARTS_H

#include "step/scheme.h"

enum { DLS_PART_SAMPLES = 3 };  // states inside a step

typedef struct dls_part {
  struct dls_parts *all;
  int index;
  dls_system *system;
  dls_integrator *integrator;
  int n, m, impulses;  // sizes, as in its own moments
  int *coordinate;     // n: numbers in the whole
  int *contact;        // m
  int *impulse;        // impulses: places in those of the whole
  int scheme_state;    // where its scheme state begins: its step, then that of its integrator
  int heard;           // events since the begin of the step
  bool plain;          // made the step in one piece
  bool stands;         // its integrator is at an earlier event of the step
  bool sampled;        // its states inside the step are known
} dls_part;

// An event that waits to be told: those of all parts come in the order of time.
typedef struct dls_part_event {
  double t;
  int part, number;  // that many before it in the step of its part
  int contact;       // of the whole
  dls_event_kind kind;
  double *q, *v_before, *v_after, *impulse, *since;  // of the part
} dls_part_event;

typedef struct dls_parts {
  const dls_integrator *whole;
  int count;
  dls_part *part;
  int failed;                              // the part that did, -1: none
  const dls_incremental *problem;          // that it did not solve
  int *problem_contact;                    // m: its contacts, of the whole
  double *scheme_state1;                   // what is prepared
  unsigned char *status1;                  // m, likewise
  double *q, *v, *impulse, *scheme_state;  // of the part at hand
  unsigned char *status;

  // the events of a step: the earliest that are not told
  bool deaf;
  bool telling;  // the step is over
  bool more;     // some had no room
  int capacity, waiting;
  dls_part_event **event;  // capacity: those that wait, in their order, then free ones
  dls_part_event last;     // told
  bool *own;               // per part: has an event at the time at hand
  double *event_q, *event_v_before, *event_v_after;  // of the whole
  double *event_impulse, *event_since;               // likewise
  bool many;                    // a step with so many events that states in between are sampled
  double *sample_q, *sample_v;  // DLS_PART_SAMPLES x n: after a quarter, half, three quarters of it
} dls_parts;

// From the integrator's state to t1: restarts the part and runs it there; or only the latter.
dls_failure dls_part_run(const dls_integrator *g, dls_part *part, double t1, dls_message *message);
dls_failure dls_part_go_on(const dls_part *part, double t1, dls_message *message);

// --- events, in parts_event.c ---

bool dls_parts_make_room(const dls_integrator *g, dls_parts *parts);  // false: out of memory
void dls_parts_hear(void *part, const dls_event *event);  // what the integrators of parts call
void dls_parts_begin(dls_parts *parts);                   // forgets the events of the last step
// After all parts have been run to t1, and q1 and v1 are set.
void dls_parts_tell(dls_integrator *g, double t1);

#endif
