// A motion's derivatives, while it is followed: between events (sensitivity.c), and through them
// (sensitivity_event.c).
#ifndef DLS_STEP_SENSITIVITY_INTERNAL_H
#define DLS_STEP_SENSITIVITY_INTERNAL_H

#include "step/variation.h"

#include <delassus/sensitivity.h>

enum { DLS_WAITING_EVENTS = 64 };  // of one step

// An event that the integrator told of and that is passed when the step is over.
typedef struct dls_kept_event {
  dls_event_kind kind;
  int contact;
  double t;
  double *q, *before, *after, *impulse;
} dls_kept_event;

// Arrays over all coordinates hold n, the parameters, and time.
struct dls_sensitivity {
  const dls_system *system;
  dls_extended *extended;
  dls_variation *variation;
  int n, all, m, tangents, impulses;
  int parameters, columns;
  int *column;           // per name: >= 0 a parameter, -1 - i a coordinate, -1 - n - i a velocity
  double *q, *v;         // all: where it stands
  double *dq, *dv;       // all x columns
  unsigned char *mode;   // m
  double *result;        // columns x 2 n
  double *branch;        // of the forces, before an event
  double scale;          // of accelerations, the largest so far
  double *work, *stage;  // 12 all, 12 all x columns
  dls_kept_event event[DLS_WAITING_EVENTS];
  int waiting;
  bool overflow;
  bool exists;
  double t_lost;
  char why[200];
};

// They end at time t; %s of why: the contact's name, if it has one (>= 0).
void dls_sensitivity_lose(dls_sensitivity *s, double t, const char *why, int contact);

// Modes and directions of sliding for a piece, by a point in it.
dls_status dls_sensitivity_prepare(dls_sensitivity *s, const double *q, const double *v);

// Through an event; the state stands at it, with the velocities before. dt: columns, for work.
dls_status dls_sensitivity_pass(dls_sensitivity *s, const dls_kept_event *e, double *dt);

static inline bool dls_sensitivity_closed(const dls_sensitivity *s, int j)
{
  return s->mode[j] != DLS_OPEN;
}

#endif
