// delassus simulate: what its parts hand to each other.
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "buffer.h"
#include "interrupt.h"
#include "model_file.h"
#include "simulate_channel.h"
#include "view_rows.h"

#include <delassus/crossing.h>
#include <delassus/integrator.h>
#include <delassus/picture.h>
#include <delassus/drawing.h>
#include <delassus/recording.h>
#include <delassus/report.h>
#include <delassus/sensitivity.h>
#include <delassus/solvable.h>

typedef struct simulate_plan {
  model_file *file;
  dls_integrator_options how;
  double until;
  long every;       // steps per row
  long strobe;      // instants of the mechanism; 0: curves
  bool resume;      // --resume
  bool quiet;       // no progress
  int outs;         // how often -o is given
  const char *out;  // the first -o that is a recording, or else the first; NULL: none
  int recordings;   // how many of them are recordings,
  const char *recording[INTERRUPT_FILES];
  bool drawn;        // whether one is a picture
  bool viewed;       // or a page for a browser
  plot_choice plot;  // what it shows
  buffer settings;
  char *names_text;  // --sensitivity, and its names
  const char **names;
  int name_count;
} simulate_plan;

// The motion as a picture will show it: of bounded size, however long the run is.
typedef struct sketch sketch;

// The mechanism at some instants of it.
typedef struct strobe strobe;

// How large a motion is, and what is to be said about it.
typedef struct simulate_size {
  int n;
  double *low, *high;                // n: of each coordinate
  double speed;                      // the largest of all rows
  double first_length, first_speed;  // the largest of the start
  long rows;
  int warnings;
  char warning[6][320];
} simulate_size;

bool simulate_size_create(simulate_size *size, int n);  // false: out of memory
void simulate_size_free(simulate_size *size);
void simulate_size_note(simulate_size *size, const double *q, const double *v);
void simulate_size_judge(simulate_size *size, const simulate_plan *plan);

// The outputs of the model at the last row.
typedef struct simulate_outputs {
  int count;
  double *value;
  int impulses;
  double *force;  // of the contacts; NaN before the first step
  bool any;       // there was a row,
  double t;       // at this time
} simulate_outputs;

bool simulate_outputs_create(simulate_outputs *outputs, const dls_system *system, int impulses);
void simulate_outputs_free(simulate_outputs *outputs);
// Adds them to a row.
void simulate_outputs_row(simulate_outputs *outputs, const dls_system *system, dls_sample *row);
// Of the last state, where that has no row; the forces are those of the last row.
void simulate_outputs_end(simulate_outputs *outputs, const dls_system *system,
                          const dls_sample *last);

typedef struct simulate_event {
  int event;      // of the model
  int direction;  // 1: rising, -1: falling
  double t;
  bool located;  // false: interpolated
} simulate_event;

// The events of the model.
typedef struct simulate_events {
  dls_crossings *crossings;  // NULL: there are none
  long count, listed, room;
  simulate_event *item;
  bool stopped;         // the run has ended,
  simulate_event last;  // by this one
} simulate_events;

// What rows are made of, with room for the contacts at hand, which may come and go.
typedef struct simulate_parts {
  int room;               // of each array
  double *begun;          // impulses of the step's begin, where the model has events
  double *total;          // and up to an event
  double *told;           // impulses of events since the last row that ends a step
  double *impulse;        // since the last row
  unsigned char *status;  // of the last row
  double *zeros;
  int m;  // where contacts come and go: those that the numbers above belong to
  uint64_t *id;
  int *first;
} simulate_parts;

// Makes them those of the sample's contacts. False: out of memory.
bool simulate_parts_fit(simulate_parts *parts, const dls_sample *sample);
void simulate_parts_free(simulate_parts *parts);

typedef struct simulate_run {
  const dls_system *system;
  dls_integrator *integrator;
  dls_recording *recording[INTERRUPT_FILES];  // as many as the plan has; NULL: not open
  sketch *sketch;
  strobe *strobe;
  view_rows view;                // of a page for a browser; row is NULL without
  bool located;                  // the scheme tells its events
  bool rows_wanted;              // of events, too
  dls_message recording_failed;  // while an event was written: told after the step

  double start;       // t of the first row
  bool resumed;       // went on from a recording,
  double resumed_at;  // at this time
  bool complete;      // until was reached
  bool interrupted;
  long rows;  // that were recorded, or would have been

  bool remedy_from_there;  // below: tried from the state before it only, the run takes too long
  bool has_energy;
  double first_energy, last_energy;
  dls_failure failure;
  dls_message why;
  dls_solvable *solvable;  // of the contact problem that failed
  char remedy[80];         // options that get past it; empty: none is known
  buffer in_vain;          // those that do not
  double seconds;
  simulate_size size;
  simulate_outputs outputs;
  simulate_events events;
  dls_sensitivity *sensitivity;  // NULL: not asked for

  simulate_parts parts;
} simulate_run;

// Each returns 0, or says what is wrong on standard error and returns an exit status.

// Makes the integrator, and the file of a recording or what is needed to go on with it. From here
// on a signal asks (interrupt.h), until the results are written.
int simulate_begin(simulate_run *run, const simulate_plan *plan);
// Integrates. A step that fails is not wrong: run->failure tells.
int simulate_advance(simulate_run *run, const simulate_plan *plan);
void simulate_run_free(simulate_run *run);
// Looks for options that get past a step that failed: run->remedy, run->in_vain.
void simulate_try_ways(simulate_run *run, const simulate_plan *plan);

// The rows, to the recording and to the sketch. event: NULL for a row that ends a step, which the
// integrator then goes on from.
int simulate_row(simulate_run *run, const simulate_plan *plan);
// To the sketch alone, with the outputs, which are added.
void simulate_sketch_row(simulate_run *run, dls_sample *row);

// Takes up a recording: checks that this run would have made it, and cuts it behind its last step.
int simulate_resume(simulate_run *run, const simulate_plan *plan, const dls_recording_about *about);

// Notes a warning where the model has events that the run does not look for.
void simulate_events_judge(simulate_run *run, const simulate_plan *plan);
// The events of the model; around each step.
int simulate_events_begin(simulate_run *run, const simulate_plan *plan);
void simulate_events_free(simulate_events *events);
void simulate_events_before(simulate_run *run);
int simulate_events_after(simulate_run *run, const simulate_plan *plan);
void simulate_events_json(buffer *out, const simulate_plan *plan, const simulate_run *run);
void simulate_events_text(buffer *out, const simulate_plan *plan, const simulate_run *run);
void simulate_contact_event(void *self, const dls_event *event);  // of the integrator
// Their rows: two for an event of a contact, one for an event of the model.
void simulate_contact_rows(simulate_run *run, const dls_event *event);
void simulate_event_row(simulate_run *run, const dls_sample *at);

// Derivatives of the motion, --sensitivity: the names, the start, each step, the results.
int simulate_names(const options *given, simulate_plan *plan);
int simulate_sensitivity_begin(simulate_run *run, const simulate_plan *plan);
int simulate_sensitivity_step(simulate_run *run, const simulate_plan *plan);
void simulate_sensitivity_json(buffer *out, const simulate_plan *plan, const simulate_run *run);
void simulate_sensitivity_text(buffer *out, const simulate_plan *plan, const simulate_run *run);

// ---- results ------------------------------------------------------------------------------------

void simulate_json(buffer *out, const simulate_plan *plan, const simulate_run *run);
void simulate_text(buffer *out, const simulate_plan *plan, const simulate_run *run);
// Whether a step may have failed because a force jumps with a velocity.
bool simulate_jumps(const simulate_plan *plan, const simulate_run *run);
// The call that explains the state in which a step failed.
void simulate_explain(buffer *out, const simulate_plan *plan, const simulate_run *run);
// A space and a word as a shell reads it.
void simulate_word(buffer *out, const char *word);

// NULL when memory runs out. high: where it may end.
sketch *sketch_create(const dls_system *system, const plot_choice *choice, double t, double high);
void sketch_free(sketch *s);
// jump: velocities changed at once in the time since the row before.
void sketch_row(sketch *s, const dls_sample *row, bool jump);
dls_status sketch_draw(const sketch *s, const char *title, const char *subtitle,
                       dls_picture_form form, char **data, size_t *size, dls_message *message);

enum { STROBE_MAX = 1000 };
// NULL when memory runs out; else it owns the drawing. n: coordinates.
strobe *strobe_create(dls_drawing *drawing, int n, int instants);
void strobe_free(strobe *s);
void strobe_row(strobe *s, const dls_sample *row);
dls_status strobe_draw(const strobe *s, const char *title, const char *subtitle,
                       dls_picture_form form, char **data, size_t *size, dls_message *message);

// The scheme chooses its steps, by itself or by the call.
bool simulate_chooses_steps(const simulate_plan *plan);

// Notes a warning where the run went on though its motion was not determined.
void simulate_loss_judge(simulate_run *run);
// Notes a warning where events were too many to be told apart.
void simulate_crowd_judge(simulate_run *run);
// Notes a warning where steps have become short beside the run, and a force that jumps with a
// velocity may be why.
void simulate_creep_judge(simulate_run *run, const simulate_plan *plan);

#endif
