// Column representatives of a pair of matrices (A, B): matrices whose column j is column j of A or
// of B. Have all 2^n determinants the same sign, none zero?                          eq (lcp.5)
#ifndef DLS_CERTIFY_REPRESENTATIVES_H
#define DLS_CERTIFY_REPRESENTATIVES_H

#include "linalg/minors.h"

#include <delassus/check.h>
#include <stdint.h>

enum { DLS_REPRESENTATIVES_LARGEST = 20 };

typedef struct dls_representatives {
  dls_answer answer;
  // yes: the smallest of det(a + k) / det(a) over all sets a of columns from B and k after them,
  // relative to the same for a = {}. NaN otherwise.
  double margin;
  // no: the determinants of two choices (bit j: column j of B) have opposite signs, or that of the
  // second is zero. undecided: the sign of the second is not known.
  uint32_t first, second;
  bool vanishes;        // the second is zero within rounding, or exactly
  double size_second;   // its determinant relative to the product of its column lengths
  double error_second;  // bound of the error of that
} dls_representatives;

// A, B: n x n, n at most 20, each entry with the bound of its error.
// zero: a determinant whose sign is not known vanishes when its value, relative to the diagonal
// element of its pivot, is at most this. 0: only what is proven to be zero does, and the answer is
// undecided where rounding decides.
dls_status dls_representatives_test(int n, const dls_tracked *A, const dls_tracked *B, double zero,
                                    dls_representatives *out);

// The determinant of one choice (n entries, any n), recomputed with pivoting from the given data:
// its sign, and as numbers relative to the product of the lengths of its columns.
dls_status dls_representative_sign(int n, const dls_tracked *A, const dls_tracked *B,
                                   const bool *choice, dls_sign *sign, double *size, double *error);

#endif
