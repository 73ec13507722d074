#include "linalg/dense_lu.h"

#include <math.h>
#include <stddef.h>

enum { FEW = 40 };  // unknowns

static void swap_rows(int n, double *restrict a, double *restrict b)
{
  for (int c = 0; c < n; c++) {
    const double t = a[c];
    a[c] = b[c], b[c] = t;
  }
}

bool dls_dense_lu_factor(int n, double *A, int *pivot, int *sign)
{
  *sign = 1;
  for (int k = 0; k < n; k++) {
    double *top = A + (ptrdiff_t)n * k;
    int best = k;
    double largest = fabs(top[k]);
    for (int i = k + 1; i < n; i++) {
      const double size = fabs(A[(ptrdiff_t)n * i + k]);
      if (size > largest) largest = size, best = i;
    }
    pivot[k] = best;
    if (best != k) swap_rows(n, top, A + (ptrdiff_t)n * best), *sign = -*sign;
    if (!(largest > 0 && largest < INFINITY)) return false;
    if (top[k] < 0) *sign = -*sign;
    const double over = 1 / top[k];
    for (int i = k + 1; i < n; i++) {
      double *restrict row = A + (ptrdiff_t)n * i;
      if (row[k] == 0) continue;
      const double factor = row[k] *= over;
      for (int c = k + 1; c < n; c++) row[c] -= factor * top[c];
    }
    top[k] = over;  // what the solution multiplies by
  }
  return true;
}

// Few unknowns, by columns: each number is ready early for the next.
static void solve_few(int n, const double *A, double *b)
{
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) b[i] -= A[n * i + k] * b[k];
  for (int k = n - 1; k >= 0; k--) {
    b[k] *= A[n * k + k];
    for (int i = 0; i < k; i++) b[i] -= A[n * i + k] * b[k];
  }
}

static void solve_many(int n, const double *A, double *b)
{
  for (int i = 1; i < n; i++) {
    const double *row = A + (ptrdiff_t)n * i;
    double sum = b[i];
    for (int c = 0; c < i; c++) sum -= row[c] * b[c];
    b[i] = sum;
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = A + (ptrdiff_t)n * i;
    double sum = b[i];
    for (int c = i + 1; c < n; c++) sum -= row[c] * b[c];
    b[i] = sum * row[i];
  }
}

void dls_dense_lu_solve(int n, const double *A, const int *pivot, double *b)
{
  for (int k = 0; k < n; k++) {
    const double t = b[pivot[k]];
    b[pivot[k]] = b[k], b[k] = t;
  }
  if (n <= FEW) solve_few(n, A, b);
  else solve_many(n, A, b);
}
