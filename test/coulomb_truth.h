// The true answers of small planar problems with Coulomb friction: all combinations of modes, each
// a polyhedron in (z, lambda, tau), in exact rational arithmetic.
#ifndef TEST_COULOMB_TRUTH_H
#define TEST_COULOMB_TRUTH_H

#include "coulomb_maker.h"

enum { TRUTH_CELLS = 4100, TRUTH_COMPONENTS = 64 };

typedef struct coulomb_truth {
  dls_answer answer[DLS_QUESTION_COUNT];  // DLS_NOT_ASKED where the truth is not computed
  int count;                              // connected components of the set of solutions
  dls_continuum continuum[TRUTH_COMPONENTS];
  int cells;  // combinations of modes that hold a solution
  unsigned char mode[TRUTH_CELLS][COULOMB_M];
  int component[TRUTH_CELLS];
} coulomb_truth;

// What a contact may do, as dls_mode with DLS_MODE_PULLING; at most 6. Returns how many.
int coulomb_modes(const coulomb *p, int contact, unsigned char *mode);

// Existence, uniqueness, the number of solutions.
void coulomb_truth_solutions(const coulomb *p, coulomb_truth *truth);
// The questions that do not need the solutions: every load, all stick, closure.
void coulomb_truth_others(const coulomb *p, coulomb_truth *truth);

// Number of the component that has a point within `reach` of (z, lambda, tau) in every number,
// relative to the largest (or to 1), the first of several; -1: none has.
int coulomb_truth_place(const coulomb *p, const coulomb_truth *truth, const double *z,
                        const double *lambda, const double *tau, double reach);

// Does force f (lambda, then tau) take values <= (side -1) or >= (side 1) of `bound` in that
// component?
bool coulomb_truth_reaches(const coulomb *p, const coulomb_truth *truth, int component, int f,
                           int side, double bound);

// Do the equations of the modes have exactly one solution?
bool coulomb_truth_point(const coulomb *p, const unsigned char *mode);

#endif
