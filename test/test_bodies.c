// Sweeps over bodies, and interior points: against Coulomb's law itself, recomputed, and
// bit for bit with one, two and three threads.
#include "../bench/packing.h"
#include "contact/incremental.h"
#include "solve/bodies.h"
#include "solve/multigrid.h"
#include "solve/bodies_interior.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// after the four above, which it needs
#include <cmocka.h>

#include "cases.h"

static unsigned long long random_state = 7;

static double uniform(double low, double high)
{
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

// W = A A^T / 3 with `rank` columns, plus a little.
static void random_block(int rank, double extra, double *W)
{
  double A[9];
  for (int k = 0; k < 9; k++) A[k] = uniform(-1, 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      W[3 * i + j] = i == j ? extra : 0;
      for (int k = 0; k < rank; k++) W[3 * i + j] += A[3 * i + k] * A[3 * j + k] / 3;
    }
}

// v = L^-T y
static void velocity(const dls_bodies *b, const double *y, double *v)
{
  for (int j = 0; j < b->dof; j++) {
    // back substitution of one body for each of its rows: at most 36 products, and no work array
    const int at = b->place[j], body = at / 6;
    const double *L = b->L + (ptrdiff_t)36 * body;
    double x[6];
    memcpy(x, y + (ptrdiff_t)6 * body, sizeof x);
    for (int i = 5; i >= at % 6; i--) {
      for (int k = i + 1; k < 6; k++) x[i] -= L[6 * k + i] * x[k];
      x[i] /= L[7 * i];
    }
    v[j] = x[at % 6];
  }
}

static void sweeps(const packing *p, int threads, int count, double *r, double *v, double *error)
{
  dls_bodies *b = NULL;
  assert_int_equal(dls_bodies_create(&p->problem, &b), DLS_OK);
  double *y = calloc(6 * (size_t)b->bodies, sizeof *y);
  memset(r, 0, 3 * (size_t)b->contacts * sizeof *r);
  dls_bodies_apply(b, r, y);
  dls_pace pace = {.threads = threads, .always = true};
  for (int k = 0; k < count; k++) dls_bodies_sweep(b, &pace, k % 2, NULL, r, y);
  *error = dls_bodies_error(b, threads, r, y);
  velocity(b, y, v);
  free(y);
  dls_bodies_free(b);
}

static void test_sweeps(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 740;
  packing p;
  packing_create(&o, &p);
  assert_int_equal(dls_incremental_validate(&p.problem, NULL), DLS_OK);
  const size_t rows = 3 * (size_t)o.contacts;
  double *r = calloc(rows, sizeof *r), *v = calloc((size_t)p.problem.dof, sizeof *v);
  double error, norm_q;
  sweeps(&p, 2, 2000, r, v, &error);
  dls_incremental_error recomputed;
  assert_int_equal(dls_incremental_scale(&p.problem, &norm_q), DLS_OK);
  assert_int_equal(dls_incremental_residual(&p.problem, norm_q, r, v, NULL, &recomputed), DLS_OK);
  assert_true(recomputed.q <= 1e-8 && recomputed.balance <= 1e-10);
  assert_true(fabs(error - recomputed.q) <= 1e-10);
  // the same r solves the local form
  packing_to_local(&p);
  assert_int_equal(dls_incremental_validate(&p.problem, NULL), DLS_OK);
  assert_int_equal(dls_incremental_residual(&p.problem, norm_q, r, NULL, NULL, &recomputed),
                   DLS_OK);
  assert_true(recomputed.q <= 1e-8);
  free(r), free(v);
  packing_free(&p);
}

static void test_threads(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 20000, o.mass_ratio = 1e3, o.layers = 8;
  packing p;
  packing_create(&o, &p);
  const size_t rows = 3 * (size_t)o.contacts, dof = (size_t)p.problem.dof;
  double *r = calloc(rows, sizeof *r), *v = calloc(dof, sizeof *v), error;
  double *r1 = calloc(rows, sizeof *r), *v1 = calloc(dof, sizeof *v), error1;
  sweeps(&p, 1, 7, r1, v1, &error1);
  for (int threads = 2; threads <= 3; threads++) {
    at_case("threads %d", threads);
    sweeps(&p, threads, 7, r, v, &error);
    assert_memory_equal(r, r1, rows * sizeof *r);
    assert_memory_equal(v, v1, dof * sizeof *v);
    assert_true(error == error1);
  }
  free(r), free(v), free(r1), free(v1);
  packing_free(&p);
}

// (1 + G D G^T) x = b, with the product made contact by contact.
static void test_grid(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 3000;
  packing p;
  packing_create(&o, &p);
  dls_bodies *b = NULL;
  dls_multigrid *g = NULL;
  assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_OK);
  assert_int_equal(dls_multigrid_create(b, &p.problem, &g), DLS_OK);
  const size_t n = 6 * (size_t)b->bodies;
  double *D = calloc(9 * (size_t)o.contacts, sizeof *D), *right = calloc(n, sizeof *right);
  double *x = calloc(n, sizeof *x), *Ax = calloc(n, sizeof *Ax), size = 0, rest = 0;
  for (int c = 0; c < o.contacts; c++) {
    random_block(3, 0.1, D + 9 * c);
    for (int k = 0; k < 9; k++) D[9 * c + k] *= 1e4;
  }
  for (size_t i = 0; i < n; i++) right[i] = uniform(-1, 1);
  assert_true(dls_multigrid_fill(g, D));
  const int iterations = dls_multigrid_solve(g, right, 1e-9, 500, x);
  assert_true(iterations > 3 && iterations < 200);
  memcpy(Ax, x, n * sizeof *x);
  for (int c = 0; c < o.contacts; c++) {
    double u[3] = {0}, t[3] = {0};
    for (int k = 0; k < 36; k++)
      if (b->body[2 * c + k / 18] >= 0)
        u[k / 6 % 3] += b->G[36 * c + k] * x[6 * b->body[2 * c + k / 18] + k % 6];
    for (int k = 0; k < 9; k++) t[k / 3] += D[9 * c + k] * u[k % 3];
    for (int k = 0; k < 36; k++)
      if (b->body[2 * c + k / 18] >= 0)
        Ax[6 * b->body[2 * c + k / 18] + k % 6] += b->G[36 * c + k] * t[k / 6 % 3];
  }
  for (size_t i = 0; i < n; i++)
    size += right[i] * right[i], rest += (Ax[i] - right[i]) * (Ax[i] - right[i]);
  assert_true(rest <= 1e-16 * size);
  D[0] = NAN;
  assert_false(dls_multigrid_fill(g, D));
  free(D), free(right), free(x), free(Ax);
  dls_multigrid_free(g), dls_bodies_free(b);
  packing_free(&p);
}

// Rates of turning in another unit, which is what another unit of length is to the bodies.
static void turn_units(const dls_incremental *p, double length)
{
  for (int k = 0; k < p->dof; k++)
    for (int e = p->M.pattern.p[k]; e < p->M.pattern.p[k + 1]; e++)
      ((double *)p->M.x)[e] *= (k % 6 < 3 ? 1 : length) * (p->M.pattern.i[e] % 6 < 3 ? 1 : length);
  for (int e = 0; e < p->H.pattern.p[3 * p->contacts]; e++)
    if (p->H.pattern.i[e] % 6 >= 3) ((double *)p->H.x)[e] *= length;
}

// Three grids, and contacts whose stiffness differs so much that the K-cycle has to choose: the
// same bits in every unit of length.
static void test_grid_units(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 7000, o.mass_ratio = 1e3;
  packing p;
  packing_create(&o, &p);
  const size_t n = (size_t)p.problem.dof;
  double *D = calloc(9 * (size_t)o.contacts, sizeof *D), *right = calloc(n, sizeof *right);
  double *x = calloc(n, sizeof *x), *first = calloc(n, sizeof *x);
  for (int c = 0; c < o.contacts; c++) {
    random_block(3, 0.1, D + 9 * c);
    const double stiff = pow(10, uniform(0, 5));
    for (int k = 0; k < 9; k++) D[9 * c + k] *= stiff;
  }
  for (size_t i = 0; i < n; i++) right[i] = uniform(-1, 1);
  int iterations = 0;
  for (int turn = 0; turn < 3; turn++) {
    at_case("turn %d", turn);
    const double length = turn == 0 ? 1 : ldexp(1, turn == 1 ? 40 : -40);
    dls_bodies *b = NULL;
    dls_multigrid *g = NULL;
    turn_units(&p.problem, length);
    assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_OK);
    assert_int_equal(dls_multigrid_create(b, &p.problem, &g), DLS_OK);
    assert_true(dls_multigrid_fill(g, D));
    const int taken = dls_multigrid_solve(g, right, 1e-6, 500, turn == 0 ? first : x);
    if (turn == 0) iterations = taken;
    else assert_memory_equal(x, first, n * sizeof *x);
    assert_int_equal(taken, iterations);
    turn_units(&p.problem, 1 / length);
    dls_multigrid_free(g), dls_bodies_free(b);
  }
  assert_true(iterations > 20 && iterations < 500);
  free(D), free(right), free(x), free(first);
  packing_free(&p);
}

// Piles that rest: mass ratios up to 10^6, light over heavy and heavy over light; no friction too.
static void test_interior(void **state)
{
  (void)state;
  for (int k = 0; k < 7; k++) {
    at_case("k %d", k);
    packing_options o = packing_defaults();
    o.contacts = 500, o.mass_ratio = pow(1000, k / 2), o.order = (packing_order)(k % 2);
    if (k == 6) o.mu = 0, o.mass_ratio = 1, o.contacts = 240;
    packing p;
    packing_create(&o, &p);
    dls_bodies *b = NULL;
    assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_OK);
    double *r = calloc(3 * (size_t)o.contacts, sizeof *r), *v = calloc((size_t)b->dof, sizeof *v);
    double *y = calloc(6 * (size_t)b->bodies, sizeof *y);
    dls_interior_report report;
    dls_incremental_error error;
    dls_bodies_interior *t = NULL;
    assert_int_equal(dls_bodies_interior_create(b, &p.problem, &t), DLS_OK);
    dls_bodies_interior_solve(t, NULL, 1e-7, 40, NULL, NULL, r, &report);
    dls_bodies_interior_free(t);
    dls_bodies_apply(b, r, y);
    velocity(b, y, v);
    assert_int_equal(dls_incremental_residual(&p.problem, b->norm_q, r, v, NULL, &error), DLS_OK);
    assert_true(error.q <= 1e-6 && error.balance <= 1e-9);
    assert_true(report.iterations <= 30 && report.error <= 1e-6);
    free(r), free(v), free(y);
    dls_bodies_free(b);
    packing_free(&p);
  }
}

static void test_other_shapes(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 50;
  packing p;
  packing_create(&o, &p);
  dls_bodies *b = NULL;
  dls_incremental q = p.problem;
  q.equations = 3, q.contacts--;
  assert_int_equal(dls_bodies_create(&q, &b), DLS_ERR_ARGUMENT);
  q = p.problem, q.global = false;
  assert_int_equal(dls_bodies_create(&q, &b), DLS_ERR_ARGUMENT);
  ((double *)p.problem.M.x)[8] = -1;
  assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_ERR_NUMBER);
  assert_null(b);
  packing_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sweeps),   cmocka_unit_test(test_threads),
      cmocka_unit_test(test_grid),     cmocka_unit_test(test_grid_units),
      cmocka_unit_test(test_interior), cmocka_unit_test(test_other_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
