// Dense incremental problems, and the question whether they have a solution, with the witness of
// the answer checked from the data, by other code than the library's.
#ifndef TEST_SOLVABLE_CASE_H
#define TEST_SOLVABLE_CASE_H

#include <delassus/delassus.h>

enum { LARGEST = 40 };

// A dense problem with all of its numbers.
typedef struct dense {
  dls_incremental problem;
  double mu[LARGEST], W[LARGEST * LARGEST], q[LARGEST];
  double M[LARGEST * LARGEST], H[LARGEST * LARGEST], f[LARGEST];
  int p[3][LARGEST + 1], i[3][LARGEST * LARGEST];
} dense;

// W rows x rows, H dof x rows: column-major, without gaps.
const dls_incremental *dense_local(dense *t, int dimension, int contacts, int equations);
const dls_incremental *dense_global(dense *t, int dimension, int contacts, int equations, int dof);
// W = H^T H, q = H^T f + w from the global data with M = I.
void dense_reduce(dense *t, int rows, int dof);
void dense_identity(dense *t, int dof);

// A ball between two plates that approach (speed > 0) or part; y, x and (spatial) z of the ball.
const dls_incremental *dense_jam(dense *t, bool as_global, int d, double mu, double speed);

// out += factor A x, or A^T x
void matrix_product(const dls_matrix_view *A, bool transpose, double factor, const double *x,
                    long double *out);
double vector_largest(int count, const long double *x);

// The caller frees it.
dls_solvable *solvable_ask(const dls_incremental *p);
dls_answer solvable_answer(const dls_incremental *p);

#endif
