// Trials: a motion by one scheme, held against a reference; and how many of them went wrong.
//
// A family draws cases, each from its own numbers, and tries each by every scheme. What goes wrong
// is counted; the first ones are printed with the call and the model that show them.
//   DLS_TEST_SEED=7    other cases             DLS_TEST_CASE=12  this case only
//   DLS_TEST_CASES=10  ten times as many       DLS_TEST_TABLE=1  a table: scheme by scheme
//   DLS_TEST_SECONDS=2 leaves a trial after so much work
//   DLS_TEST_SHOW=10   so many are printed     DLS_TEST_SCHEME=radau5, DLS_TEST_FAMILY=slopes  only
#ifndef TEST_TRIAL_H
#define TEST_TRIAL_H

#include "problem_maker.h"

#include <delassus/delassus.h>
#include <delassus/integrator.h>

enum { TRIAL_N = 64, TRIAL_M = 32, TRIAL_EVENTS = 4000, TRIAL_TEXT = 8000 };

// A point of the motion: the end of a step, or a side of an event.
typedef struct trial_point {
  double t, q[2], v[2];  // of the first two coordinates
} trial_point;

typedef struct trial {
  const char *text, *scheme;
  double step, rtol, atol;  // rtol 0: fixed steps
  double until;
  double theta;    // of Moreau's scheme; 0: as usual
  long max_steps;  // more of them count as a failure; 0: 200000
  // What came of it.
  const char *wrong;  // why it did not get there, or NULL
  char message[300];
  int n, m;
  double t, q[TRIAL_N], v[TRIAL_N];
  unsigned char status[TRIAL_M];
  double energy, energy_gain;  // T + V at the end; the most that a step added
  dls_step_counts counts;
  int events;  // told; the first ones are kept
  dls_event_kind kind[TRIAL_EVENTS];
  int contact[TRIAL_EVENTS];
  double time[TRIAL_EVENTS];
  // The caller's, may be NULL: takes the first points_room points.
  trial_point *points;
  int points_room, points_count;
} trial;

// Runs `text`, `scheme`, `step`, `rtol`, `atol`, `until`; never fails the test.
void trial_run(trial *t);

int trial_count(const trial *t, dls_event_kind kind);
double trial_last(const trial *t, dls_event_kind kind);  // its time; NAN: none

// The least that `gap` becomes on the points kept: cubic between them.
double trial_least_gap(const trial *t, double (*gap)(const void *, double t, const double *q),
                       const void *self);

// ---- families

enum { TALLY_SCHEMES = 32 };

typedef struct tally {
  const char *family;
  int cases, number;  // how many, and which one now
  rng r;              // of this case
  struct {
    int tried, wrong;
    double worst;          // largest error by its bound
  } of[TALLY_SCHEMES][2];  // fixed, adaptive steps
  int wrong, gave_up, shown, show;
  struct {
    const char *what;
    int count;
  } reason[8];  // the first ones
} tally;

// for (tally t = tally_begin("name", 100); tally_next(&t);) ...; cases are 1, 2, ...
tally tally_begin(const char *family, int cases);
bool tally_next(tally *t);
bool tally_hunts(const char *family);  // DLS_TEST_FAMILY
bool tally_wants(const char *scheme);  // DLS_TEST_SCHEME

// error / bound > 1 is wrong, and so is NaN; a trial that did not get there gave up. `what` was
// compared.
void tally_comparison(tally *t, const trial *run, double ratio, const char *what);
void tally_end(
    const tally *t);  // prints the table; fails the test if one was wrong or many gave up

// ---- drawing

double draw_between(rng *r, double low, double high);
double draw_log(rng *r, double low, double high);  // its logarithm is uniform
double draw_sign(rng *r);

#endif
