// Parts of the all-sticking question without rounding, see sticking_exact.c.
#ifndef DLS_CERTIFY_STICKING_EXACT_H
#define DLS_CERTIFY_STICKING_EXACT_H

#include "certify/sticking_internal.h"
#include "convex/lp_exact.h"

// What the force of a contact may be.
typedef enum dls_stick_law {
  DLS_LAW_GIVEN,     // the contact's own: its cone, or no friction
  DLS_LAW_NO_BOUND,  // a tangential force of any size
  DLS_LAW_BARE,      // no tangential force
  DLS_LAW_ANY,       // nothing is asked for
} dls_stick_law;

typedef enum dls_stick_shape {
  DLS_SHAPE_WHOLE,       // the problem
  DLS_SHAPE_DIRECTIONS,  // without the loads: where its solutions may go without end
  DLS_SHAPE_CONE,        // both: solutions and directions, up to a factor
} dls_stick_shape;

struct dls_stick_exact {
  bool usable;
  int cols;           // z, lambda, tau, and a factor of the loads
  double *a, *x, *y;  // rows x (cols + 1), cols, rows
  bool *equation;
  int *row_of;   // n + m + tangents: the row of each equation, -1
  int *cone_at;  // m: the first of the two rows of its cone, -1
  int rows;
  unsigned char *law, *mode;      // m
  int *either, signs;             // contacts whose sign makes a difference
  double numerator, denominator;  // the common coefficient, in the user's units; 0, 0: as given
  double serves;                  // a no holds for coefficients up to this many times larger
  double slack;                   // inequalities hold up to this
  bool equations_only;            // no inequalities
  bool gave_up;                   // too much work
};

// Slides already: its tangential force is known from the normal one.
bool dls_stick_slides(const dls_stick *stick, int contact);

// Gives every contact the law, and the signs of the bits of `pattern` to those of open sign.
void dls_stick_exact_pattern(const dls_stick *stick, int pattern, dls_stick_law what);

// The rows of the laws and signs as they are set, solved. positive: a contact that must press, or
// -1.
dls_status dls_stick_exact_solve(const dls_stick *stick, dls_stick_shape what, int positive,
                                 dls_exact_outcome *outcome);
// The proof that the rows contradict each other, to stick->proof.
void dls_stick_exact_proof(dls_stick *stick);

#endif
