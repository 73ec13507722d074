// Painleve's rod: it slides on one end until the motion ceases to be determined, or it takes off.
#ifndef TEST_REFERENCE_ROD_H
#define TEST_REFERENCE_ROD_H

#include "reference_ode.h"

// Half length l, mass m, inertia m l^2/3; the lower end at (x - l cos th, y - l sin th) slides
// towards -x.
typedef struct rod {
  real l, m, g, mu;
  real th, w, v;  // at the start: angle and its rate, velocity of the centre along the floor
} rod;

typedef enum rod_fate {
  ROD_LOST,       // normal force's numerator and denominator vanish together (Genot, Brogliato)
  ROD_TAKES_OFF,  // the normal force ends
  ROD_STOPS,      // the slip ends
  ROD_ELSE        // inconsistent at the start, falls flat, or too near to tell
} rod_fate;

typedef struct rod_end {
  rod_fate fate;
  real t, th, w, v, x;
} rod_end;

rod_end rod_follow(rod r);
bool rod_at(rod r, real t, rod_end *end);  // before its fate, in plain time

#endif
