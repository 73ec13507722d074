// The inverse of a block of a contact, 2 x 2 or 3 x 3, column-major. In a header, so that it is
// unrolled where the size is known.
#ifndef DLS_LINALG_BLOCK_H
#define DLS_LINALG_BLOCK_H

#include <math.h>
#include <stdbool.h>

// Gauss-Jordan with row pivoting. sign: times that of the determinant. False when the block is
// singular or not finite; inverse is then unchanged.
static inline __attribute__((always_inline)) bool dls_block_invert(int d, const double *A,
                                                                   double *inverse, int *sign)
{
  double work[3][6];
  for (int i = 0; i < d; i++)
    for (int c = 0; c < d; c++) work[i][c] = A[i + d * c], work[i][d + c] = i == c;
  for (int k = 0; k < d; k++) {
    int best = k;
    for (int i = k + 1; i < d; i++)
      if (fabs(work[i][k]) > fabs(work[best][k])) best = i;
    const double pivot = work[best][k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    if ((pivot < 0) != (best != k)) *sign = -*sign;
    for (int c = 0; c < 2 * d; c++) {
      const double swap = work[best][c];
      work[best][c] = work[k][c];
      work[k][c] = swap / pivot;
    }
    for (int i = 0; i < d; i++) {
      if (i == k) continue;
      const double factor = work[i][k];
      for (int c = k; c < 2 * d; c++) work[i][c] -= factor * work[k][c];
    }
  }
  for (int i = 0; i < d; i++)
    for (int c = 0; c < d; c++) inverse[i + d * c] = work[i][d + c];
  return true;
}

#endif
