// Whether a second thread pays. On a machine with other work to do a thread that waits for its core
// holds up all others at every barrier, and two may take ten times as long as one. So pieces of
// work are timed, and what threads lose together against one alone must stay a small part of the
// time of all pieces: then they are given up until that has grown. A piece that loses can be long
// beside those alone, which is why some of these go ahead; and where one alone has to wait for its
// core, others would have to as well, and are not tried. Nothing but the time depends on it.
#ifndef DLS_SOLVE_PACE_H
#define DLS_SOLVE_PACE_H

#include <stdbool.h>

typedef struct dls_pace {
  int threads;    // at most so many
  bool always;    // as many, whatever it takes
  double alone;   // seconds that one thread takes for a unit of work, at best; 0: not known
  double spent;   // seconds of all pieces
  double worked;  // of the processor, by pieces alone
  double lost;    // of them, by threads together: beyond what one takes at best, less what they won
  double clock, own;  // of late, alone: seconds by the clock, and those of the processor
} dls_pace;

// Threads for the next piece.
int dls_pace_threads(const dls_pace *pace);

// A piece of so many units took so many seconds with so many threads; own: of them, those in which
// the calling thread had a core.
void dls_pace_note(dls_pace *pace, int threads, double units, double seconds, double own);

#endif
