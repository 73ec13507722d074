// Beads that fall into a box, by Moreau's scheme: one incremental problem per step.
#ifndef BENCH_BEADS_H
#define BENCH_BEADS_H

#include <delassus/incremental.h>

enum { BEADS_CONTACTS = 16 };  // per bead, at most

typedef struct beads_options {
  int beads;
  double radius;  // metres
  double step;    // seconds
  double mu, restitution;
  unsigned long long seed;
} beads_options;

beads_options beads_defaults(void);

typedef struct beads_contact {
  int bead, other;  // other: a bead, or -1 ... -5 for the floor and the walls
  double n[3];      // from the other to the bead
  double arm[2];    // from the centres to the point of contact
} beads_contact;

typedef struct beads {
  beads_options options;
  int side;                 // beads along the floor
  double *x;                // 3 x beads
  double *v;                // 6 x beads: velocities, and how they turn
  dls_incremental problem;  // of the step; contacts in the order of (bead, other)
  beads_contact *contact, *before;
  int contacts_before;
  double *r, *slip;                // of the problem's contacts: warm starts, then what was found
  double *r_before, *slip_before;  // of the contacts before
} beads;

// All of this aborts when memory runs out. The same numbers on every machine but for the solver's.
void beads_create(const beads_options *options, beads *out);
void beads_free(beads *b);

// The problem of the next step, at q + h v / 2: which contacts are closed there, with r and slip of
// those that were there in the step before, and zero for the others.
void beads_begin(beads *b);
// Takes the velocities v of its solution, r and slip being filled.
void beads_end(beads *b, const double *v);

double beads_speed(const beads *b);  // of the fastest bead
double beads_depth(const beads *b);  // the deepest overlap of the step's contacts, in radii

#endif
