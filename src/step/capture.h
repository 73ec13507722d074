// Event capturing: smooth pieces by a Runge-Kutta method of order p, events roughly located, the
// critical intervals around them crossed by Moreau's scheme.                         eq (cap.3)
#ifndef DLS_STEP_CAPTURE_H
#define DLS_STEP_CAPTURE_H

#include "step/contact_modes.h"
#include "step/scheme.h"
#include "step/sharing.h"
#include "step/uniqueness.h"

enum { DLS_CAPTURE_SAMPLES = 48, DLS_CAPTURE_STAGES = 4 };

// Margins inside a trial, on its dense output; see capture_watch.c.
typedef struct dls_margin_watch {
  dls_values *values;
  double *q, *v, *z;                      // n, n, width: at a sample
  int count, order[DLS_CAPTURE_SAMPLES];  // samples, sorted by time
  double at[DLS_CAPTURE_SAMPLES];         // parts of the trial
  bool lost[DLS_CAPTURE_SAMPLES];         // the determinant is not positive there
  double behind;  // a part of the trial that is clearly behind the event that a search has found
  double rough;   // how wrong the first cubics were, relative to the margins
  double *value, *slope,
      *error;      // samples x channels; error: of the interpolation up to the next one
  bool gaps_only;  // nothing but gaps of open contacts can end the piece
  bool by_stages;  // then: stages of the trial are the first samples:
  double *stage_gap, *stage_rate;    // DLS_CAPTURE_STAGES x m
  bool staged[DLS_CAPTURE_SAMPLES];  // the sample is a stage
} dls_margin_watch;

// Sliding in space; see capture_slide.c.
typedef struct dls_slide {
  bool *turned;   // m: taken for straight, it was not
  bool *leaving;  // m: begins to slide
  bool graded;    // pieces are shorter than steps, and their errors are controlled
  double next;    // length that the next piece tries then; 0: any
  double start;   // likewise, where sliding begins
} dls_slide;

// Forces that switch; see capture_switch.c.
typedef struct dls_switch_watch {
  double *held, *there;  // switches: the branches of the piece, those at its end
  double *beyond;        // switches: those behind an event, where they matter
  bool *matters;         // switches: at the trial's end the other branch is another force
  double last;           // time of the last event
  int near;              // events one close behind the other
} dls_switch_watch;

// What the scheme keeps. Pieces begin at (t, q, v) with accelerations and forces z; trials end at
// t1, q1, v1, z1.
typedef struct dls_capture {
  dls_smooth *smooth;
  dls_contact_modes modes;
  bool undecided;  // no modes agree: the next thing is a critical interval
  bool adaptive;
  double t, t1;
  double start;                                   // where the run began
  double last;                                    // end of the last critical interval
  double error, step, error_before, step_before;  // of the trial, and of the piece before; or 0
  double next;                                    // step that the next call tries
  bool lost;                                      // the located event is one of the determinant
  int sign, sign1;  // of the determinant of eq (rkm.5), at the begin and the trial's end
  double *q, *v, *z, *q1, *v1, *z1;
  double whole, *q_whole, *v_whole;    // the end of the last trial that was integrated
  bool looked, free;                   // inside; its free dense output is good enough
  int channels;                        // 2 m margins of contacts, and those of branches
  double *margin, *margin1;            // channels: eq (cap.1), (swi.2)
  double *gap, *rate, *gap1, *rate1;   // m
  double *slip, *slip_rate, *slip1;    // tangents: at the begin, with its derivative, at the end
  double *margin_left, *margin_right;  // channels, of the bracket
  double *rate_left, *rate_right;      // m, likewise
  double *impulse, *part;              // of the step, of a critical interval
  double *since;                       // since the sample before, as an event tells it
  bool *violated;                      // channels: at the bracket's right end
  bool *on, *closing, *active;         // m
  double left, bracket;  // of the event that was located: its begin, and its length as located
  bool cut;              // the step ends with the piece: contacts are others from there on
  int channel;           // the margin that gave rise to the event
  unsigned char *candidate, *kind_before;  // m
  double *xi_before;                       // tangents
  int crowd;  // pieces and events since then, no longer ago than a step
  double crowd_from;
  int idle;  // critical intervals one close behind the other that have changed no mode
  dls_alternatives alternatives;
  dls_sharing *sharing;  // NULL: there is no friction
  dls_margin_watch watch;
  dls_slide slide;
  dls_switch_watch switches;
} dls_capture;

// --- pieces, in capture_piece.c ---

// Integrates from the begin to t1 and projects; everything at the trial's end is set.
dls_failure dls_capture_try(dls_integrator *g, double t1, dls_message *message);
bool dls_capture_is_dense(const dls_integrator *g);  // the last trial has dense output
// The same at t1 inside the last trial that was integrated: where the method has dense output,
// that.
dls_failure dls_capture_look(dls_integrator *g, double t1, dls_message *message);
void dls_capture_accept(dls_integrator *g);  // the trial's end is the new begin
// Sets z and what follows from it where the point stands, at the begin of a piece.
dls_failure dls_capture_begin(dls_integrator *g);
void dls_capture_note(dls_integrator *g);                   // what follows from z
bool dls_capture_violated(const dls_integrator *g, int k);  // margin k, at the trial's end
bool dls_capture_violated_any(const dls_integrator *g);
// What counts as negative there, or inside the trial.
double dls_capture_tolerance(const dls_integrator *g, int k, bool inside);
bool dls_capture_lost(const dls_integrator *g);  // the determinant changed its sign in the trial
// The part of the trial at whose end some margin is violated although it is not at the trial's end;
// 1 when there is none. False when that cannot be told: the trial is too long.         eq (cap.7)
bool dls_capture_search(dls_integrator *g, double *part, dls_message *message);
// Before a trial: what can end it, and may its stages be the samples?
void dls_capture_watch_stages(dls_integrator *g);
void dls_capture_look_at_stage(void *integrator, int stage);  // notes them
// Where the margins violated at the trial's end vanish first by the samples, a part of the trial.
double dls_capture_first_root(const dls_integrator *g);
void dls_capture_note_penetration(
    dls_integrator *g);                             // of open contacts, at the samples of a search
double dls_capture_error(const dls_integrator *g);  // of the trial; 1 is just accepted
// The shortest interval that is resolved at the begin's time, and the length of critical ones.
double dls_capture_floor(const dls_integrator *g);
// (step / time since the start)^exponent, or `most`: a part of a step that goes to zero with it.
double dls_capture_small(const dls_integrator *g, double exponent, double most);
double dls_capture_critical(const dls_integrator *g);

// --- sliding in space, in capture_slide.c ---

// A new piece: nothing is known about turning yet. Directions of sliding that has just begun.
dls_failure dls_capture_slide_begin(dls_integrator *g);
// Directions at the begin; how far a piece may go, at most to t1. *stops: the contact whose sliding
// ends within the critical interval that leads there, or -1.                         eq (cap.5)
double dls_capture_slide_limit(dls_integrator *g, double t1, int *stops);
// The trial's error in the slip velocities, where pieces are graded; 1 is just accepted.
double dls_capture_slide_error(const dls_integrator *g);
// Did sliding that was taken for straight turn in the trial? Notes it.
bool dls_capture_slide_turned(dls_integrator *g);
bool dls_capture_friction_drives(const dls_integrator *g);  // friction gave energy in the trial
// Did a contact pull in the trial, or a force with friction have stages far beyond its ends?
bool dls_capture_pulls(const dls_integrator *g);
bool dls_capture_peaks(const dls_integrator *g);

// --- forces that switch, in capture_switch.c ---

// The branches at a point are held from now on. *changed, unless it is NULL: they are others.
bool dls_capture_hold(dls_integrator *g, double t, const double *q, const double *v, bool *changed,
                      dls_message *message);
void dls_capture_release(const dls_integrator *g);  // forces are those of each point again
// How far the branches hold, behind the margins of contacts.
bool dls_capture_branch_margins(const dls_integrator *g, double t, const double *q, const double *v,
                                double *margin, dls_message *message);
// Which of them have ended at the trial's end, and make a difference there.
bool dls_capture_note_switches(dls_integrator *g, dls_message *message);
// Notes the branches behind an event, at the trial's end.
void dls_capture_note_beyond(const dls_integrator *g);
// An event of branch k does not leave it as it was, where rounding puts the state before the event:
// the branch behind is held.
void dls_capture_go_beyond(dls_integrator *g, int k);
// Notes an event of a branch at t; false when they come one behind the other without end.
bool dls_capture_switched(dls_integrator *g, double t, dls_message *message);

// --- events, in capture_event.c ---

// The first event before the trial's end, which is violated: [*left, *right] holds it, and the
// trial is that of *left unless that is the begin.
dls_failure dls_capture_locate(dls_integrator *g, double *left, double *right,
                               dls_message *message);
double dls_capture_least(const dls_integrator *g);  // the shortest critical interval now; often 0
void dls_capture_note_crowd(dls_integrator *g);     // one more piece, or event
bool dls_capture_crowded(const dls_integrator *g);
int dls_capture_crowd(double kept);  // likewise, the next one
int dls_capture_idle(double kept);  // the number of idle intervals that was kept, perhaps in a file
// Crosses [begin, t1] by Moreau's scheme, then finds modes anew. channel: the margin that gave rise
// to it, or -1. The point stands at the begin.
dls_failure dls_capture_cross(dls_integrator *g, double t1, int channel, dls_message *message);

// --- contacts that come and go, in capture_found.c ---

// The part of the trial where solids are first seen to touch of which no contact of the step knows;
// infinite: nowhere.                                                                 eq (cap.16)
dls_failure dls_capture_find_others(dls_integrator *g, double *part, dls_message *message);
// Where a closed contact has left its features at the trial's end: the trial ends just behind that,
// and is cut there.
dls_failure dls_capture_leave(dls_integrator *g, dls_message *message);
// After an event was located: contacts that close beside their features are absent from now on.
dls_failure dls_capture_drop_false(dls_integrator *g, bool *any, dls_message *message);

// --- loss of uniqueness, in capture_loss.c ---

// The sign of the determinant where the point stands, after dls_smooth_forces: negative as well
// where friction alone has made it vanish, which is looked for on request.
int dls_capture_sign(dls_integrator *g, bool look);
// The determinant is negative where the scheme stands, or other motions are possible: notes it.
void dls_capture_check_uniqueness(dls_integrator *g, bool modes_changed);
// A contact took off, by the event of that channel, where its friction had taken all effect from
// its force: notes it.
void dls_capture_check_take_off(dls_integrator *g, int channel);
// Velocities are going to jump from v to v1 within a time h though nothing collides: notes it.
void dls_capture_check_jump(dls_integrator *g, double h);  // eq (cap.12)
bool dls_capture_stops(const dls_integrator *g);           // and the run ends there

#endif
