// Whether a second thread pays. On a machine with other work to do a thread that waits for its core
// holds up all others at every barrier, and two may take ten times as long as one. So pieces of
// work are timed, and those that were slower together than alone are done alone for a while, longer
// each time. Nothing but the time depends on it.
#ifndef DLS_SOLVE_PACE_H
#define DLS_SOLVE_PACE_H

#include <stdbool.h>

typedef struct dls_pace {
  int threads;   // at most so many
  bool always;   // as many, whatever it takes
  double alone;  // seconds that one thread takes for a unit of work, at best; 0: not known
  int rest;      // rounds that are still to be done alone
  int pause;     // those of the last rest
  int good;      // pieces since then that were quicker together
} dls_pace;

// To be called between rounds of work.
void dls_pace_round(dls_pace *pace);

// Threads for the next piece.
int dls_pace_threads(const dls_pace *pace);

// A piece of so many units took so many seconds with so many threads.
void dls_pace_note(dls_pace *pace, int threads, double units, double seconds);

double dls_pace_clock(void);  // seconds

#endif
