// Is there a point that fulfils equations and inequalities? Decided in fractions, without rounding.
#ifndef DLS_VERIFY_EXACT_PROGRAM_H
#define DLS_VERIFY_EXACT_PROGRAM_H

#include "verify/trial.h"

#include <gmp.h>

typedef enum dls_exact {
  DLS_EXACT_NO,
  DLS_EXACT_YES,
  DLS_EXACT_UNKNOWN,  // too large to be decided
} dls_exact;

// E y + e = 0, L y + l >= 0; rows of size + 1 fractions, the constant last.
typedef struct dls_exact_program {
  int size, equations, inequalities;
  int rows, most;  // in all, and how many there is room for
  mpq_t *entry;
  bool *equation;  // by row
} dls_exact_program;

// Room for so many rows; false when memory runs out.
bool dls_exact_program_create(dls_trial *x, int size, int most, dls_exact_program *p);
void dls_exact_program_clear(dls_exact_program *p);

// A row of zeros, to be filled.
mpq_t *dls_exact_row(dls_exact_program *p, bool equation);

// By elimination and the simplex method with Bland's rule. Changes the rows.
dls_exact dls_exact_program_decide(dls_trial *x, dls_exact_program *p);

#endif
