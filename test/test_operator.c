// The Delassus operator in both forms, block factors and the inverse mass against dense arithmetic.
#include "discrete.h"
#include "linalg/block_lu.h"
#include "linalg/dense_lu.h"
#include "numbers.h"
#include "linalg/mass.h"
#include "solve/operator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- block LU -----------------------------------------------------------------------------------

// A drawn symmetric pattern of n blocks; p and i to be freed.
static void draw_pattern(int n, int links, int **p, int **i)
{
  char *meets = calloc((size_t)(n * n) + 1, 1);
  for (int k = 0; k < n; k++) meets[k + n * k] = 1;
  for (int k = 0; n > 0 && k < links; k++) {
    const int a = below(n), b = below(n);
    meets[a + n * b] = meets[b + n * a] = 1;
  }
  *p = calloc((size_t)n + 1, sizeof(int)), *i = calloc((size_t)(n * n) + 1, sizeof(int));
  for (int c = 0; c < n; c++) {
    (*p)[c + 1] = (*p)[c];
    for (int r = 0; r < n; r++)
      if (meets[r + n * c]) (*i)[(*p)[c + 1]++] = r;
  }
  free(meets);
}

static double determinant_sign(int n, const double *A)
{
  double *B = vector(n * n + 1), sign = 1;
  memcpy(B, A, (size_t)(n * n) * sizeof *B);
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int r = k; r < n; r++)
      if (fabs(B[r + n * k]) > fabs(B[best + n * k])) best = r;
    if (best != k) sign = -sign;
    for (int c = 0; c < n; c++) {
      const double t = B[k + n * c];
      B[k + n * c] = B[best + n * c], B[best + n * c] = t;
    }
    if (B[k + n * k] < 0) sign = -sign;
    for (int r = k + 1; r < n; r++) {
      const double f = B[r + n * k] / B[k + n * k];
      for (int c = k; c < n; c++) B[r + n * c] -= f * B[k + n * c];
    }
  }
  free(B);
  return sign;
}

static void blocks(void **state)
{
  (void)state;
  int negative = 0;
  for (int t = 0; t < 200; t++) {
    at_case("t %d", t);
    const int s = 2 + t % 2, n = below(12), N = s * n;
    int *p, *i;
    draw_pattern(n, below(3 * n + 1), &p, &i);
    dls_block_lu *lu;
    assert_int_equal(dls_block_lu_create(s, n, p, i, 0, &lu), DLS_OK);
    double *A = vector(N * N + 1), *x = vector(N + 1), *b = vector(N + 1);
    for (int again = 0; again < 2; again++) {  // factors can be made anew
      dls_block_lu_clear(lu);
      for (int c = 0; c < n; c++)
        for (int e = p[c]; e < p[c + 1]; e++) {
          double *block = dls_block_lu_at(lu, e);
          for (int k = 0; k < s * s; k++) {
            block[k] = uniform();
            // some diagonal blocks have a negative determinant
            if (i[e] == c && k % (s + 1) == 0) block[k] += k == 0 && c % 3 == 1 ? -4 * n : 4 * n;
            A[s * i[e] + k % s + N * (s * c + k / s)] = block[k];
          }
        }
      for (int k = 0; k < N; k++) x[k] = uniform(), b[k] = 0;
      for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) b[r] += A[r + N * c] * x[c];
      assert_true(dls_block_lu_factor(lu, NULL));
      dls_block_lu_solve(lu, b);
      for (int k = 0; k < N; k++) close_to(b[k], x[k], 1e-12);
      const double sign = determinant_sign(N, A);
      if (sign < 0) negative++;
      assert_true(dls_block_lu_sign(lu) == sign);
    }
    dls_block_lu_free(lu);
    free(p), free(i), free(A), free(x), free(b);
  }
  assert_true(negative > 50);
}

// Blocks that are left out count as those of the identity, and leave the others a smaller system.
static void blocks_left_out(void **state)
{
  (void)state;
  for (int t = 0; t < 100; t++) {
    at_case("t %d", t);
    const int s = 2 + t % 2, n = 1 + below(12), N = s * n;
    int *p, *i;
    draw_pattern(n, below(3 * n + 1), &p, &i);
    dls_block_lu *lu;
    assert_int_equal(dls_block_lu_create(s, n, p, i, 0, &lu), DLS_OK);
    double *A = vector(N * N + 1), *x = vector(N + 1), *b = vector(N + 1);
    bool skip[12];
    for (int k = 0; k < n; k++) skip[k] = below(2);
    for (int c = 0; c < n; c++)
      for (int e = p[c]; e < p[c + 1]; e++) {
        double *block = dls_block_lu_at(lu, e);
        for (int k = 0; k < s * s; k++) {
          const bool out = skip[c] || skip[i[e]], own = i[e] == c && k % (s + 1) == 0;
          block[k] = uniform() + (own ? 4 * n : 0);
          A[s * i[e] + k % s + N * (s * c + k / s)] = !out ? block[k] : own ? 1 : 0;
        }
      }
    for (int k = 0; k < N; k++) x[k] = uniform(), b[k] = 0;
    for (int r = 0; r < N; r++)
      for (int c = 0; c < N; c++) b[r] += A[r + N * c] * x[c];
    assert_true(dls_block_lu_factor(lu, skip));
    dls_block_lu_solve(lu, b);
    for (int k = 0; k < N; k++) close_to(b[k], x[k], 1e-12);
    assert_true(dls_block_lu_sign(lu) == determinant_sign(N, A));
    dls_block_lu_free(lu);
    free(p), free(i), free(A), free(x), free(b);
  }
}

static void dense_factors(void **state)
{
  (void)state;
  for (int t = 0; t < 300; t++) {
    at_case("t %d", t);
    const int n = t % 20;
    double *A = vector(n * n + 1), *B = vector(n * n + 1), x[20], b[20];
    int pivot[20], sign;
    for (int k = 0; k < n * n; k++) A[k] = B[k] = below(4) == 0 ? 0 : uniform();
    for (int r = 0; r < n; r++) A[r + n * ((r + t) % n)] = B[r + n * ((r + t) % n)] += 3;
    for (int k = 0; k < n; k++) x[k] = uniform(), b[k] = 0;
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) b[r] += A[n * r + c] * x[c];
    assert_true(dls_dense_lu_factor(n, A, pivot, &sign));
    dls_dense_lu_solve(n, A, pivot, b);
    for (int k = 0; k < n; k++) close_to(b[k], x[k], 1e-11);
    assert_true(sign == determinant_sign(n, B));
    free(A), free(B);
  }
  double zero[4] = {1, 2, 2, 4}, nan[4] = {NAN, 0, 0, 1}, infinite[4] = {INFINITY, 0, 0, 1};
  int pivot[2], sign;
  assert_false(dls_dense_lu_factor(2, zero, pivot, &sign));
  assert_false(dls_dense_lu_factor(2, nan, pivot, &sign));
  assert_false(dls_dense_lu_factor(2, infinite, pivot, &sign));
}

static void blocks_refused(void **state)
{
  (void)state;
  int p[] = {0, 2, 3}, i[] = {0, 1, 1}, q[] = {0, 2, 4}, j[] = {0, 1, 0, 1};
  dls_block_lu *lu;
  assert_int_equal(dls_block_lu_create(3, 2, p, i, 0, &lu), DLS_ERR_ARGUMENT);  // not symmetric
  assert_int_equal(dls_block_lu_create(4, 2, q, j, 0, &lu), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_block_lu_create(3, 2, q, j, 1, &lu), DLS_ERR_LIMIT);
  assert_int_equal(dls_block_lu_create(2, 2, q, j, 0, &lu), DLS_OK);
  dls_block_lu_clear(lu);
  assert_false(dls_block_lu_factor(lu, NULL));  // zero
  for (int e = 0; e < 4; e++) dls_block_lu_at(lu, e)[0] = dls_block_lu_at(lu, e)[3] = NAN;
  assert_false(dls_block_lu_factor(lu, NULL));
  for (int e = 0; e < 4; e++)
    for (int k = 0; k < 4; k++) dls_block_lu_at(lu, e)[k] = k % 3 == 0 ? 1 + (e % 3 == 0) : 0;
  double b[4] = {3, 3, 3, 3};
  assert_true(dls_block_lu_factor(lu, NULL));  // a failure leaves nothing behind
  dls_block_lu_solve(lu, b);
  for (int k = 0; k < 4; k++) close_to(b[k], 1, 1e-15);
  dls_block_lu_free(lu);
  dls_block_lu_free(NULL);
}

// ---- the operator -------------------------------------------------------------------------------

static void random_blocks(int d, int count, double shift, double *B)
{
  for (int k = 0; k < d * d * count; k++)
    B[k] = 0.3 * uniform() + (k % (d * d) % (d + 1) == 0 ? shift : 0);
}

// K = P W R + Q, dense
static double *dense_system(const discrete *p, const double *P, const double *R, const double *Q)
{
  const int d = p->local.dimension, n = p->rows;
  double *K = vector(n * n + 1);
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      double sum = r / d == c / d ? Q[d * d * (r / d) + r % d + d * (c % d)] : 0;
      for (int a = d * (r / d); a < d * (r / d + 1) && a < n; a++)
        for (int b = d * (c / d); b < d * (c / d + 1) && b < n; b++) {
          const double left = P ? P[d * d * (r / d) + r % d + d * (a % d)] : a == r;
          const double right = R ? R[d * d * (c / d) + b % d + d * (c % d)] : b == c;
          sum += left * p->W[a + n * b] * right;
        }
      K[r + n * c] = sum;
    }
  return K;
}

static void check_systems(const discrete *p, dls_operator *op)
{
  const int d = op->d, n = op->rows, blocks = op->blocks;
  double *P = vector(d * d * blocks + 1), *Q = vector(d * d * blocks + 1),
         *b = vector(op->padded + 1), *x = vector(op->padded + 1);
  assert_int_equal(dls_operator_prepare(op, 0), DLS_OK);
  for (int kind = 0; kind < 3; kind++) {
    random_blocks(d, blocks, 1, P);
    random_blocks(d, blocks, kind == 2 ? -2 : 2, Q);
    for (int i = 0; i < op->contacts; i++)  // contacts without force
      if (kind == 1 && i % 3 == 1)
        for (int k = 0; k < d * d; k++) P[d * d * i + k] = 0, Q[d * d * i + k] = k % (d + 1) == 0;
    for (int i = n; i < op->padded; i++)  // the rows of padding take no part
      for (int k = 0; k < d; k++) {
        double *own = P + d * d * (blocks - 1), *other = Q + d * d * (blocks - 1);
        own[i % d + d * k] = own[k + d * (i % d)] = other[i % d + d * k] = other[k + d * (i % d)] =
            0;
      }
    const double *left = kind == 1 ? P : NULL, *right = kind == 2 ? P : NULL;
    double *K = dense_system(p, left, right, Q);
    assert_true(kind == 2 ? dls_operator_factor_right(op, P, Q) : dls_operator_factor(op, left, Q));
    for (int i = 0; i < op->padded; i++) x[i] = i < n ? uniform() : 0;
    for (int i = 0; i < n; i++) {
      b[i] = 0;
      for (int j = 0; j < n; j++) b[i] += K[i + n * j] * x[j];
    }
    for (int i = n; i < op->padded; i++) b[i] = 0;
    dls_operator_solve(op, b);
    double worst = 0, size = 1;
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, fabs(b[i] - x[i]));
      size = fmax(size, fabs(b[i]));
    }
    assert_true(worst < 1e-8 * size);
    assert_true(n == 0 || dls_operator_sign(op) == determinant_sign(n, K));
    free(K);
  }
  free(P), free(Q), free(b), free(x);
}

static void check_products(const discrete *p, dls_operator *op, bool rows)
{
  const int n = op->rows, d = op->d;
  double *r = vector(op->padded + 1), *u = vector(op->padded + 1), *v = vector(p->dof + 1);
  for (int i = 0; i < n; i++) r[i] = uniform();
  dls_operator_velocity(op, r, v, u);
  for (int i = 0; i < n; i++) {
    double sum = p->local.q[i];
    for (int j = 0; j < n; j++) sum += p->W[i + n * j] * r[j];
    close_to(u[i], sum, 1e-11);
    for (int k = 0; i / d == k / d && k < n; k++)
      close_to(op->diagonal[d * d * (i / d) + i % d + d * (k % d)], p->W[i + n * k], 1e-12);
    close_to(op->q[i], p->local.q[i], 1e-12);
  }
  if (op->problem->global) {
    dls_incremental_error error;
    assert_int_equal(dls_incremental_residual(op->problem, 1, r, v, NULL, &error), DLS_OK);
    assert_true(error.balance < 1e-13);
  }
  // rows while forces change one block after the other
  assert_true(dls_operator_has_rows(op) == rows);
  if (rows) dls_operator_rows_begin(op, r);
  for (int b = 0; rows && b < op->blocks; b++) {
    double change[3] = {0}, own[3];
    for (int k = 0; k < d && d * b + k < n; k++) change[k] = uniform(), r[d * b + k] += change[k];
    dls_operator_row_changed(op, b, change);
    dls_operator_row(op, op->blocks - 1 - b, r, own);
    for (int k = 0; k < d; k++) {
      const int i = d * (op->blocks - 1 - b) + k;
      if (i >= n) continue;
      double sum = p->local.q[i];
      for (int j = 0; j < n; j++) sum += p->W[i + n * j] * r[j];
      close_to(own[k], sum, 1e-11);
    }
  }
  dls_operator_multiply(op, r, u);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += p->W[i + n * j] * r[j];
    close_to(u[i], sum, 1e-11);
  }
  free(r), free(u), free(v);
}

static void operators(void **state)
{
  (void)state;
  int formed = 0;
  for (int t = 0; t < 60; t++) {
    at_case("t %d", t);
    const int d = 2 + t % 2, size = t % 5 == 0 ? 30 : 1 + below(6);
    const int bodies = size == 30 ? 1 : 1 + below(6);
    discrete p = discrete_draw(d, below(8), t % 3 == 0 ? below(5) : 0, bodies, size,
                               t % 4 == 0 ? 0.01 : 0, t % 2);
    for (int form = 0; form < 3; form++) {  // the last: W not formed, though there are few rows
      dls_operator *op;
      if (form == 2) assert_int_equal(dls_operator_global.create(&p.global, &op), DLS_OK);
      else assert_int_equal(dls_operator_create(form ? &p.global : &p.local, &op), DLS_OK);
      const bool rows = !form || size < 30 || (form == 1 && dls_operator_few(&p.global));
      if (form == 1 && dls_operator_few(&p.global)) formed++;
      assert_int_equal(dls_operator_refresh(op), DLS_OK);
      check_products(&p, op, rows);
      check_systems(&p, op);
      // other numbers on the same patterns
      discrete_scale(&p, 2, 3);
      assert_int_equal(dls_operator_refresh(op), DLS_OK);
      check_products(&p, op, rows);
      dls_operator_free(op);
    }
    discrete_free(&p);
  }
  assert_true(formed > 5);
  dls_operator_free(NULL);
}

static void singular_mass(void **state)
{
  (void)state;
  for (int size = 3; size < 40; size += 30) {
    at_case("size %d", size);
    discrete p = discrete_draw(3, 2, 0, 1, size, 0, 0);
    for (int e = p.global.M.pattern.p[1]; e < p.global.M.pattern.p[2]; e++)
      ((double *)(ptrdiff_t)p.global.M.x)[e] = 0;
    dls_operator *op = NULL;
    dls_status status = dls_operator_create(&p.global, &op);
    if (status == DLS_OK) status = dls_operator_refresh(op);
    assert_int_equal(status, DLS_ERR_NUMBER);
    double scale;
    assert_int_equal(dls_incremental_scale(&p.global, &scale), DLS_ERR_NUMBER);
    dls_operator_free(op);
    discrete_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks),        cmocka_unit_test(blocks_left_out),
      cmocka_unit_test(dense_factors), cmocka_unit_test(blocks_refused),
      cmocka_unit_test(operators),     cmocka_unit_test(singular_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
