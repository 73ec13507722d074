// Piles where sweeps go round in circles: subdomains solved by themselves, against Coulomb's law
// recomputed, and bit for bit with one thread and with two.
#include "../bench/packing.h"
#include "contact/incremental.h"
#include "solve/subdomain.h"
#include "solve/subdomain_lu.h"
#include "solve/subdomains.h"

#include <delassus/solve.h>
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

enum { BODIES = 70 };

static unsigned long long random_state = 11;

static double uniform(double low, double high)
{
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

// A x = b on random patterns, with the product made from a copy of the blocks.
static void test_lu(void **state)
{
  (void)state;
  dls_subdomain_lu *f = dls_subdomain_lu_create();
  double *A = calloc((size_t)BODIES * BODIES * 36, sizeof *A);
  for (int turn = 0; turn < 3; turn++) {
    at_case("turn %d", turn);
    const int n = turn == 0 ? 1 : BODIES / turn;
    bool joined[BODIES][BODIES] = {{false}};
    dls_subdomain_lu_begin(f, n);
    for (int a = 0; a < n; a++) joined[a][a] = true;
    for (int k = 0; n > 1 && k < 4 * n; k++) {
      const int a = (int)uniform(0, n), b = (int)uniform(0, n);
      if (a == b) continue;
      dls_subdomain_lu_join(f, a, b), joined[a][b] = joined[b][a] = true;
    }
    dls_subdomain_lu_order(f), dls_subdomain_lu_clear(f);
    for (int e = 0; e < n * n; e++) {
      if (!joined[e / n][e % n]) continue;
      double *at = dls_subdomain_lu_at(f, e / n, e % n), *copy = A + (ptrdiff_t)36 * e;
      for (int k = 0; k < 36; k++)
        at[k] = copy[k] = uniform(-1, 1) + (e / n == e % n && k % 7 == 0 ? 20 : 0);
    }
    double x[6 * BODIES], right[6 * BODIES];
    for (int i = 0; i < 6 * n; i++) x[i] = right[i] = uniform(-1, 1);
    assert_true(dls_subdomain_lu_factor(f));
    assert_int_equal(dls_subdomain_lu_sign(f), 1);  // as of its dominant diagonal
    dls_subdomain_lu_solve(f, x);
    for (int i = 0; i < 6 * n; i++) {
      for (int j = 0; j < 6 * n; j++)
        if (joined[i / 6][j / 6])
          right[i] -= A[36 * (n * (i / 6) + j / 6) + 6 * (i % 6) + j % 6] * x[j];
      assert_true(fabs(right[i]) <= 1e-13);
    }
  }
  // two rows exchanged, one of them negative: + ; singular: false
  const double swapped[36] = {[1] = 3, [6] = -2, [14] = 1, [21] = 1, [28] = 1, [35] = 1};
  dls_subdomain_lu_begin(f, 1), dls_subdomain_lu_order(f);
  memcpy(dls_subdomain_lu_at(f, 0, 0), swapped, sizeof swapped);
  assert_true(dls_subdomain_lu_factor(f));
  assert_int_equal(dls_subdomain_lu_sign(f), 1);
  memcpy(dls_subdomain_lu_at(f, 0, 0), swapped, sizeof swapped);
  dls_subdomain_lu_at(f, 0, 0)[6] = 2;
  assert_true(dls_subdomain_lu_factor(f));
  assert_int_equal(dls_subdomain_lu_sign(f), -1);
  dls_subdomain_lu_clear(f);
  assert_false(dls_subdomain_lu_factor(f));
  free(A);
  dls_subdomain_lu_free(f);
}

// The first contacts of the problem, in layers at the bottom: solved where they are, nothing else
// changes but y.
static void test_region(void **state)
{
  (void)state;
  enum { COUNT = 200 };
  packing_options o = packing_defaults();
  o.contacts = 1500;
  packing p;
  packing_create(&o, &p);
  dls_bodies *b = NULL;
  dls_subdomain *g = NULL;
  assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_OK);
  assert_int_equal(dls_subdomain_create(b, &g), DLS_OK);
  const size_t rows = 3 * (size_t)o.contacts, n = 6 * (size_t)b->bodies;
  double *r = calloc(rows, sizeof *r), *y = calloc(n, sizeof *y), *old = calloc(rows, sizeof *r);
  dls_bodies_apply(b, r, y);
  for (int k = 0; k < 5; k++) dls_bodies_sweep(b, &(dls_pace){.threads = 1}, false, NULL, r, y);
  memcpy(old, r, rows * sizeof *r);
  int places[COUNT], count = 0;
  double before = 0, after = 0;
  for (int at = 0; at < b->contacts; at++)
    if (b->row[at] < COUNT) places[count++] = at, before += dls_bodies_square(b, at, r, y);
  assert_true(dls_subdomain_solve(g, count, places, 1e-6, 0, r, y));
  double *fresh = calloc(n, sizeof *fresh), most = 0;
  dls_bodies_apply(b, r, fresh);
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(fresh[i] - y[i]));
  assert_true(most <= 1e-12);
  for (int k = 0; k < count; k++) after += dls_bodies_square(b, places[k], r, fresh);
  assert_true(before > 0 && after <= 2e-12 * before);
  assert_memory_equal(r + (ptrdiff_t)3 * COUNT, old + (ptrdiff_t)3 * COUNT,
                      (rows - 3 * COUNT) * sizeof *r);
  y[0] = NAN;  // changes nothing
  memcpy(old, r, rows * sizeof *r);
  assert_false(dls_subdomain_solve(g, count, places, 1e-6, 0, r, y));
  assert_memory_equal(r, old, rows * sizeof *r);
  free(r), free(y), free(old), free(fresh);
  dls_subdomain_free(g), dls_bodies_free(b);
  packing_free(&p);
}

// Held contacts keep their forces.
static void test_held(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 300;
  packing p;
  packing_create(&o, &p);
  dls_bodies *b = NULL;
  assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_OK);
  double *r = calloc(900, sizeof *r), *y = calloc(6 * (size_t)b->bodies, sizeof *y);
  bool held[300];
  int moved = 0;
  for (int at = 0; at < 300; at++) held[at] = at % 3 == 0;
  dls_bodies_apply(b, r, y);
  for (int k = 0; k < 3; k++) dls_bodies_sweep(b, &(dls_pace){.threads = 1}, false, held, r, y);
  for (int at = 0; at < 300; at++) {
    at_case("at %d", at);
    if (held[at]) assert_true(r[3 * b->row[at]] == 0);
    else moved += r[3 * b->row[at]] > 0;
  }
  assert_true(moved > 50);
  free(r), free(y);
  dls_bodies_free(b);
  packing_free(&p);
}

// Regions of a batch on one thread and on two: the same bits.
static void test_batches(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 3000, o.mu = 0.3;
  packing p;
  packing_create(&o, &p);
  dls_bodies *b = NULL;
  assert_int_equal(dls_bodies_create(&p.problem, &b), DLS_OK);
  const size_t rows = 3 * (size_t)o.contacts;
  double *r = calloc(rows, sizeof *r), *first = calloc(rows, sizeof *r);
  double *y = calloc(6 * (size_t)b->bodies, sizeof *y);
  for (int threads = 1; threads <= 2; threads++) {
    at_case("threads %d", threads);
    dls_pace pace = {.threads = threads, .always = true};
    dls_subdomains *subdomains = NULL;
    assert_int_equal(dls_subdomains_create(b, &pace, &subdomains), DLS_OK);
    dls_subdomains_restart(subdomains);
    memset(r, 0, rows * sizeof *r);
    dls_bodies_apply(b, r, y);
    for (int k = 0; k < 30; k++) dls_bodies_sweep(b, &pace, false, NULL, r, y);
    const dls_subdomains_report report =
        dls_subdomains_solve(subdomains, 64, false, 0, NULL, NULL, r, y);
    assert_true(report.subdomains > 1 && report.solved > 0);
    if (threads == 1) memcpy(first, r, rows * sizeof *r);
    assert_memory_equal(r, first, rows * sizeof *r);
    dls_subdomains_free(subdomains);
  }
  free(r), free(first), free(y);
  dls_bodies_free(b);
  packing_free(&p);
}

// Pieces of a millisecond. Two threads are tried after some of them, and given up where they lose;
// not where one alone has waited for its core, until it does no more.
static void test_pace(void **state)
{
  (void)state;
  dls_pace calm = {.threads = 2}, crowded = {.threads = 2};
  for (int k = 0; k < 90; k++) dls_pace_note(&calm, 1, 1000, 1e-3, 1e-3);
  assert_int_equal(dls_pace_threads(&calm), 1);
  for (int k = 0; k < 200; k++) dls_pace_note(&calm, 1, 1000, 1e-3, 1e-3);
  assert_int_equal(dls_pace_threads(&calm), 2);
  dls_pace_note(&calm, 2, 1000, 0.6e-3, 0.6e-3);
  assert_int_equal(dls_pace_threads(&calm), 2);
  dls_pace_note(&calm, 2, 1000, 40e-3, 40e-3);
  assert_int_equal(dls_pace_threads(&calm), 1);
  for (int k = 0; k < 1000; k++) dls_pace_note(&calm, 1, 1000, 1e-3, 1e-3);
  assert_int_equal(dls_pace_threads(&calm), 2);
  for (int k = 0; k < 1000; k++) {
    at_case("k %d", k);
    dls_pace_note(&crowded, 1, 1000, k % 4 ? 1e-3 : 5e-3, 1e-3);
    assert_int_equal(dls_pace_threads(&crowded), 1);
  }
  for (int k = 0; k < 1500; k++) dls_pace_note(&crowded, 1, 1000, 1e-3, 1e-3);
  assert_int_equal(dls_pace_threads(&crowded), 2);
}

// Accelerated sweeps alone stay at 8e-4 here, for thousands of sweeps. The forces that are found do
// not depend on the threads.
static void test_stalled(void **state)
{
  (void)state;
  packing_options o = packing_defaults();
  o.contacts = 10000, o.mu = 0.5;
  packing p;
  packing_create(&o, &p);
  const size_t rows = 3 * (size_t)o.contacts;
  double *r = calloc(rows, sizeof *r), *first = calloc(rows, sizeof *r), norm_q;
  double *v = calloc((size_t)p.problem.dof, sizeof *v);
  assert_int_equal(dls_incremental_scale(&p.problem, &norm_q), DLS_OK);
  for (int threads = 1; threads <= 2; threads++) {
    at_case("threads %d", threads);
    dls_solve_options options = dls_solve_defaults();
    options.solver = "pile", options.tolerance = 1e-6, options.threads = threads;
    options.max_iterations = 300;
    dls_solver *solver = NULL;
    dls_solve_report report;
    dls_incremental_error error;
    assert_int_equal(dls_solver_create(&p.problem, &options, &solver, NULL), DLS_OK);
    memset(r, 0, rows * sizeof *r);
    assert_int_equal(dls_solver_solve(solver, r, v, NULL, &report), DLS_OK);
    assert_true(report.converged);
    assert_int_equal(dls_incremental_residual(&p.problem, norm_q, r, v, NULL, &error), DLS_OK);
    assert_true(error.q <= 1e-6 && error.balance <= 1e-9);
    if (threads == 1) memcpy(first, r, rows * sizeof *r);
    assert_memory_equal(r, first, rows * sizeof *r);
    dls_solver_free(solver);
  }
  free(r), free(v), free(first);
  packing_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lu),   cmocka_unit_test(test_region),  cmocka_unit_test(test_held),
      cmocka_unit_test(test_pace), cmocka_unit_test(test_batches), cmocka_unit_test(test_stalled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
