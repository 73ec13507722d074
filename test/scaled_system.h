// A system in other units of mass, length and time, all powers of two, for tests: exactly the same
// numbers but for their exponents.
//
// A coordinate is a length or an angle (s = L or 1); gaps are lengths, slips velocities. With the
// units m, L, T of mass, length and time, everything is multiplied by
//
//   q: s   v: s/T   M_ij: mL^2/(s_i s_j)   F_i: mL^2/(T^2 s_i)   G_ij, H_ij: L/s_i
//   h: L   h', slip: L/T   b: L/T^2   lambda: mL/T^2   impulses: mL/T   energies: mL^2/T^2
#ifndef TEST_SCALED_SYSTEM_H
#define TEST_SCALED_SYSTEM_H

#include <delassus/system.h>

typedef struct scaled_units {
  int mass, length, time;  // exponents of two
  const bool *angle;       // n: coordinates without unit; NULL: none is one
} scaled_units;

// inner and angle stay the caller's and must outlive it. NULL: out of memory. Free it with
// dls_system_free.
dls_system *scaled_system(const dls_system *inner, scaled_units units);

// A state of the inner system in the units of the other, in place.
void scaled_state(const dls_system *inner, scaled_units units, dls_state *state);

// Exponents of what is compared afterwards.
int scaled_coordinate(scaled_units units, int i);
int scaled_velocity(scaled_units units, int i);
int scaled_impulse(scaled_units units);

#endif
