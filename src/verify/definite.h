// What can be proven of a matrix of doubles, or of every matrix within intervals: that it is
// definite, its rank, the solution of its equations.
//
// Doubles are taken as exact, and the precision is such that what remains open is far smaller than
// any double can tell.
#ifndef DLS_VERIFY_DEFINITE_H
#define DLS_VERIFY_DEFINITE_H

#include "verify/intervals.h"

// A matrix of doubles with powers of two before its rows and columns (NULL: 1): row[i] A_ij col[j].
typedef struct dls_scaled {
  int rows, cols;
  const double *A;  // column-major
  const double *row, *col;
} dls_scaled;

// Into the leading rows and columns.
void dls_intervals_fill(dls_intervals to, const dls_scaled *A);

// The smallest eigenvalue of a symmetric matrix is larger than the margin.     eq (chk.2)
bool dls_is_definite(const dls_scaled *A, double margin);
// The smallest singular value is larger than the margin: full column rank for every matrix that
// differs by no more.                                                            eq (chk.2)
bool dls_has_rank(const dls_scaled *A, double margin);

// The same for every matrix within the intervals.
bool dls_intervals_definite(const dls_intervals A, double margin);
bool dls_intervals_rank(const dls_intervals A, double margin);
// Encloses the solution of A x = b for a square A, and proves its rank beyond the margin; false
// when that fails.
bool dls_intervals_solve(dls_intervals x, const dls_intervals A, const dls_intervals b,
                         double margin);
// How many bits settle a system of that size by elimination, which loses a few in every step.
int dls_bits_for(int size);

#endif
