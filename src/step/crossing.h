// Crossings: what finding and locating share.
#ifndef DLS_STEP_CROSSING_H
#define DLS_STEP_CROSSING_H

#include <delassus/crossing.h>

// A state in the step: its begin, its end, both sides of an event, or between them.
typedef struct dls_crossing_node {
  double t;
  bool exact;  // the motion's; false: interpolated
  const double *q, *v;
  double *g;
} dls_crossing_node;

typedef struct dls_crossing_found {
  int function, direction, order;
  double t;
  bool located, jumps;
  double *q, *v, *impulse;  // copies
} dls_crossing_found;

struct dls_crossings {
  const dls_system *system;
  dls_crossing_functions functions;
  dls_integrator *probe;  // makes steps again; NULL: the scheme locates nothing
  int nq, n, impulses;
  double start;   // where the run begins
  double *scale;  // of each function: the largest number seen
  int *side;      // its sign; 0: at zero, or not known
  bool passed;    // some state

  dls_sample begin;  // copies of the step's begin
  double *numbers;   // of it
  unsigned char *status;

  dls_event *event;  // of the step
  double *event_numbers;
  ptrdiff_t events, event_room, event_number_room;

  dls_crossing_found *found;
  double *found_numbers;
  ptrdiff_t count, found_room, found_number_room;
  ptrdiff_t next_event, next_found;

  double *node;  // q, v, g of two states
  double *g;     // work
  long evaluations;
};

// Where function k has left its side between two states of a smooth piece, whose exact ends are
// low and high: the state there into *found. False: it has not.
bool dls_crossing_locate(dls_crossings *c, int k, double low, double high, double from, double to,
                         dls_crossing_found *found);

#endif
