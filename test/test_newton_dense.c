// A step of Newton's method with few unknowns against one with all of them.
#include "discrete.h"
#include "numbers.h"
#include "solve/newton_dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// The projection of X on the disc of radius mu max(0, X_N), by eq (new.1).
static void project(int d, double mu, const double *X, double *out)
{
  const double normal = fmax(0, X[0]), t = hypot(X[1], d == 3 ? X[2] : 0), radius = mu * normal;
  out[0] = normal;
  for (int k = 1; k < d; k++) out[k] = t <= radius ? X[k] : radius * X[k] / t;
}

// (I - B) + B (rho W + eps) with B by differences, and F.
static void all_unknowns(const dls_run *run, const double *rho, const double *y, double eps,
                         const double *W, double *K, double *F)
{
  const int d = run->d, n = run->rows;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  for (int i = 0; i < run->blocks; i++) {
    const bool contact = i < run->contacts;
    double X[3], P[3], high[3], low[3], B[9] = {0};
    for (int k = 0; k < d && d * i + k < n; k++) X[k] = run->r[d * i + k] - y[d * i + k];
    if (contact) project(d, run->mu[i], X, P);
    for (int l = 0; l < d; l++) {
      if (!contact) {
        B[l + 3 * l] = 1;
        continue;
      }
      const double h = 1e-6, old = X[l];
      X[l] = old + h, project(d, run->mu[i], X, high);
      X[l] = old - h, project(d, run->mu[i], X, low);
      X[l] = old;
      for (int k = 0; k < d; k++) B[k + 3 * l] = (high[k] - low[k]) / (2 * h);
    }
    for (int k = 0; k < d && d * i + k < n; k++) {
      const int row = d * i + k;
      F[row] = contact ? run->r[row] - P[k] : y[row];
      K[row + n * row] += 1;
      for (int l = 0; l < d && d * i + l < n; l++) {
        const double b = B[k + 3 * l];
        K[row + n * (d * i + l)] -= (1 - eps) * b;
        for (int c = 0; c < n; c++) K[row + n * c] += b * rho[i] * W[d * i + l + n * c];
      }
    }
  }
}

// |K x - F| relative.
static double miss(int n, const double *K, const double *x, const double *F)
{
  double worst = 0, size = 1e-3;
  for (int r = 0; r < n; r++) {
    double sum = -F[r];
    for (int c = 0; c < n; c++) sum += K[r + n * c] * x[c];
    worst = fmax(worst, fabs(sum)), size = fmax(size, fabs(F[r]));
  }
  return worst / size;
}

static void steps(void **state)
{
  (void)state;
  int modes[3] = {0};
  for (int t = 0; t < 200; t++) {
    at_case("t %d", t);
    const int d = 2 + t % 2;
    discrete p = discrete_draw(d, 1 + below(6), t % 3 == 0 ? below(5) : 0, 3, 4, 0.01, 0);
    dls_run run = {.problem = &p.local, .arena = dls_arena_create()};
    assert_int_equal(dls_operator_create(&p.local, &run.op), DLS_OK);
    assert_int_equal(dls_operator_refresh(run.op), DLS_OK);
    run.op->work = 1e9;  // other ways would cost more
    run.d = d, run.contacts = run.op->contacts, run.blocks = run.op->blocks;
    run.rows = run.op->rows, run.padded = run.op->padded, run.mu = p.local.mu;
    run.r = dls_run_vector(&run), run.u = dls_run_vector(&run);
    double *rho = dls_run_vector(&run), *y = dls_run_vector(&run), *old = dls_run_vector(&run);
    dls_newton_dense *dense;
    assert_int_equal(dls_newton_dense_create(&run, &dense), DLS_OK);
    assert_non_null(dense);
    for (int i = 0; i < run.rows; i++) old[i] = run.r[i] = uniform() + (i % d == 0 ? 0.5 : 0);
    dls_operator_velocity(run.op, run.r, NULL, run.u);
    dls_operator_rho(run.op, rho);
    for (int i = 0; i < run.rows; i++) y[i] = rho[i / d] * run.u[i];
    for (int i = 0; i < run.contacts; i++) {
      const double *a = run.r + d * i, *b = y + d * i, N = a[0] - b[0];
      const double T = hypot(a[1] - b[1], d == 3 ? a[2] - b[2] : 0);
      modes[N <= 0 ? 0 : T <= run.mu[i] * N ? 1 : 2]++;
    }

    const double eps = 0.01, size = dls_newton_dense_residual(dense, rho, y);
    double *K = vector(run.rows * run.rows + 1), *F = vector(run.rows + 1);
    all_unknowns(&run, rho, y, eps, p.W, K, F);
    double square = 0, length = 0;
    for (int i = 0; i < run.rows; i++) square += F[i] * F[i], length += old[i] * old[i];
    close_to(size, sqrt(square / length), 1e-9);
    assert_true(dls_newton_dense_step(dense, eps));
    for (int i = 0; i < run.rows; i++) old[i] -= run.r[i];
    assert_true(miss(run.rows, K, old, F) < 1e-6);
    // the same factors at the same point give the same step; at a point of other states none
    for (int i = 0; i < run.rows; i++) run.r[i] += old[i];
    dls_newton_dense_residual(dense, rho, y);
    for (int i = 0; i < run.rows; i++) old[i] = run.r[i];
    assert_true(dls_newton_dense_again(dense));
    for (int i = 0; i < run.rows; i++) old[i] -= run.r[i];
    assert_true(miss(run.rows, K, old, F) < 1e-6);
    for (int k = 0; k < 2; k++) {  // sticking, then open
      for (int i = 0; i < run.rows; i++) run.r[i] = i % d > 0 ? 0 : k == 0 ? 1e9 : -1e9;
      dls_newton_dense_residual(dense, rho, y);
      if (k == 0) assert_true(dls_newton_dense_step(dense, eps));
      else assert_false(dls_newton_dense_again(dense));
    }
    free(K), free(F);
    dls_operator_free(run.op);
    dls_arena_free(run.arena);
    discrete_free(&p);
  }
  assert_true(modes[0] > 50 && modes[1] > 50 && modes[2] > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
