// Event capturing: smooth pieces by a Runge-Kutta method of order p, events roughly located, the
// critical intervals around them crossed by Moreau's scheme.                         eq (cap.3)
#ifndef DLS_STEP_CAPTURE_H
#define DLS_STEP_CAPTURE_H

#include "step/modes.h"
#include "step/scheme.h"

// What the scheme keeps. Pieces begin at (t, q, v) with accelerations and forces z; trials end at
// t1, q1, v1, z1.
typedef struct dls_capture {
  dls_smooth *smooth;
  dls_modes modes;
  bool undecided;  // no modes agree: the next thing is a critical interval
  bool adaptive;
  double t, t1;
  double last;  // end of the last critical interval
  double next;  // step that the next call tries
  double *q, *v, *z, *q1, *v1, *z1;
  double *margin, *margin1;                // 2 m, eq (cap.1)
  double *gap, *rate, *gap1, *rate1;       // m
  double *slip, *slip_rate;                // slips: at the begin, with its derivative
  double *margin_left, *margin_right;      // 2 m, of the bracket
  double *impulse, *part;                  // of the step, of a critical interval
  bool *violated;                          // 2 m: at the bracket's right end
  bool *on, *closing, *active;             // m
  int channel;                             // the margin that gave rise to the event
  unsigned char *candidate, *kind_before;  // m
} dls_capture;

// --- pieces, in capture_piece.c ---

// Integrates from the begin to t1 and projects; everything at the trial's end is set.
dls_failure dls_capture_try(dls_integrator *g, double t1, dls_message *message);
void dls_capture_accept(dls_integrator *g);  // the trial's end is the new begin
// Sets z and what follows from it where the point stands, at the begin of a piece.
dls_failure dls_capture_begin(dls_integrator *g);
void dls_capture_note(dls_integrator *g);                   // what follows from z
bool dls_capture_violated(const dls_integrator *g, int k);  // margin k, at the trial's end
bool dls_capture_violated_any(const dls_integrator *g);
// A time inside the trial where some margin may be violated although it is not at the end; t1 when
// there is none.
double dls_capture_suspect(const dls_integrator *g);
// Where sliding in space ends soon and turns meanwhile: a time well before, and *critical when the
// end is nearer than a critical interval; else t1.                                   eq (cap.5)
double dls_capture_before_rest(const dls_integrator *g, double t1, int *contact);
double dls_capture_error(const dls_integrator *g);  // of the trial; 1 is just accepted
// The shortest interval that is resolved at the begin's time, and the length of critical ones.
double dls_capture_floor(const dls_integrator *g);
double dls_capture_critical(const dls_integrator *g);

// --- events, in capture_event.c ---

// The first event before the trial's end, which is violated: [*left, *right] holds it, and the
// trial is that of *left unless that is the begin.
dls_failure dls_capture_locate(dls_integrator *g, double *left, double *right,
                               dls_message *message);
// Crosses [begin, t1] by Moreau's scheme, then finds modes anew. channel: the margin that gave rise
// to it, or -1.
dls_failure dls_capture_cross(dls_integrator *g, double t1, int channel, dls_message *message);

#endif
