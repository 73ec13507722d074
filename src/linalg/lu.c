#include "linalg/lu.h"

#include "linalg/dense_internal.h"

#include <lapacke.h>
#include <math.h>

double dls_lu_factor(int n, double *A, int *pivot, double *work)
{
  if (n == 0) return 1;
  if (!dls_finite((ptrdiff_t)n * n, A)) return 0;
  const double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, A, n, work);
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot) != 0) return 0;
  double rcond = 0;
  if (LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, A, n, norm, &rcond, work, pivot + n) != 0)
    return 0;
  return rcond > 0 ? rcond : 0;
}

void dls_lu_solve(int n, int cols, const double *LU, const int *pivot, bool transpose, double *B)
{
  if (n == 0 || cols == 0) return;
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transpose ? 'T' : 'N', n, cols, LU, n, pivot, B, n);
}
