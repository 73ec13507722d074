// The true answers of small planar problems with Coulomb friction: all combinations of modes, each
// a polyhedron in (z, lambda, tau), in exact rational arithmetic.
#ifndef TEST_COULOMB_ORACLE_H
#define TEST_COULOMB_ORACLE_H

#include "coulomb_maker.h"

enum { ORACLE_POLYHEDRA = 4100, ORACLE_COMPONENTS = 64 };

typedef struct coulomb_oracle {
  dls_answer answer[DLS_QUESTION_COUNT];  // DLS_NOT_ASKED where the truth is not computed
  int count;                              // connected components of the set of solutions
  dls_continuum continuum[ORACLE_COMPONENTS];
  int polyhedra;  // combinations of modes that hold a solution
  unsigned char mode[ORACLE_POLYHEDRA][COULOMB_M];
  int component[ORACLE_POLYHEDRA];
} coulomb_oracle;

// What a contact may do, as dls_mode with DLS_MODE_PULLING; at most 6. Returns how many.
int coulomb_modes(const coulomb *p, int contact, unsigned char *mode);

// Existence, uniqueness, the number of solutions.
void coulomb_oracle_solutions(const coulomb *p, coulomb_oracle *oracle);
// The questions that do not need the solutions: every load, all stick, closure.
void coulomb_oracle_others(const coulomb *p, coulomb_oracle *oracle);

// Number of the component that has a point within `reach` of (z, lambda, tau) in every number,
// relative to the largest (or to 1), the first of several; -1: none has.
int coulomb_oracle_place(const coulomb *p, const coulomb_oracle *oracle, const double *z,
                         const double *lambda, const double *tau, double reach);

// Does force f (lambda, then tau) take values <= (side -1) or >= (side 1) of `bound` in that
// component?
bool coulomb_oracle_reaches(const coulomb *p, const coulomb_oracle *oracle, int component, int f,
                            int side, double bound);

// Do the equations of the modes have exactly one solution?
bool coulomb_oracle_point(const coulomb *p, const unsigned char *mode);

#endif
