// Conic programs: solutions, certificates and degenerate data known by construction. Over all of
// them no claim may be wrong; how many end without a claim is counted.
#include "conic.h"
#include "convex/cone.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct answer {
  double *x, *s, *y;
  dls_cone_report report;
} answer;

static dls_sparse *sparse(int rows, int cols, const double *D)
{
  int count = 0, *row = calloc((size_t)(rows * cols) + 1, sizeof(int));
  int *col = calloc((size_t)(rows * cols) + 1, sizeof(int));
  double *value = vector(rows * cols + 1);
  dls_sparse *A;
  for (int k = 0; k < rows * cols; k++)
    if (D[k] != 0) row[count] = k % rows, col[count] = k / rows, value[count++] = D[k];
  assert_int_equal(dls_sparse_from_triplets(rows, cols, count, row, col, value, &A), DLS_OK);
  free(row), free(col), free(value);
  return A;
}

static dls_cone *setup(const conic *c, const dls_cone_options *options)
{
  dls_sparse *P = sparse(c->n, c->n, c->P), *A = sparse(c->m, c->n, c->A);
  const dls_cone_problem problem = {.n = c->n,
                                    .m = c->m,
                                    .P = P,
                                    .A = A,
                                    .q = c->q,
                                    .b = c->b,
                                    .zero = c->zero,
                                    .nonneg = c->nonneg,
                                    .cones = c->cones,
                                    .cone_size = c->size};
  dls_cone *cone = NULL;
  assert_int_equal(dls_cone_setup(&problem, options, &cone), DLS_OK);
  dls_sparse_free(P), dls_sparse_free(A);
  return cone;
}

static answer make_answer(const conic *c)
{
  return (answer){.x = vector(c->n), .s = vector(c->m), .y = vector(c->m)};
}

static void drop(answer *a)
{
  free(a->x), free(a->s), free(a->y);
}

static answer solve(const conic *c)
{
  answer a = make_answer(c);
  dls_cone *cone = setup(c, NULL);
  assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
  dls_cone_free(cone);
  return a;
}

typedef struct tally {
  int total, failed, loose, iterations, most_iterations;
  double worst;
} tally;

static void count(tally *t, const answer *a)
{
  t->total++;
  t->failed += a->report.outcome == DLS_CONE_FAILED;
  t->loose += a->report.outcome == DLS_CONE_SOLVED && a->report.residuals.largest > 1e-10;
  t->iterations += a->report.iterations;
  if (a->report.iterations > t->most_iterations) t->most_iterations = a->report.iterations;
}

static void tell(const char *name, const tally *t)
{
  print_message("%s: %d problems, %d failed, %d above 1e-10, %.1f iterations, at most %d; %g\n",
                name, t->total, t->failed, t->loose, (double)t->iterations / t->total,
                t->most_iterations, t->worst);
}

static void manufactured(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    tally t = {0};
    for (int k = 0; k < 1000; k++) {
      conic c = conic_draw_shape(25, 8);
      int rank = kind == 0 ? 0 : kind == 1 ? c.n : below(c.n + 1);
      conic_draw_matrices(&c, rank, kind == 3 ? 0.3 : 1);
      conic_solvable(&c);
      if (getenv("ONE") && (kind*1000+k) == atoi(getenv("ONE"))) setenv("DBG", "1", 1); else unsetenv("DBG");
      answer a = solve(&c);
      count(&t, &a);
      if (a.report.outcome == DLS_CONE_FAILED)
        print_message("kind %d k %d n %d m %d: %g %g %g it %d\n", kind, k, c.n, c.m,
                      a.report.residuals.primal, a.report.residuals.dual, a.report.residuals.gap,
                      a.report.iterations);
      else {
        assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
        t.worst = fmax(t.worst, conic_error(&c, a.x, a.s, a.y));
      }
      drop(&a), conic_free(&c);
    }
    tell("manufactured", &t);
  }
}

static void infeasible(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    tally t = {0};
    for (int k = 0; k < 1000; k++) {
      conic c = conic_draw_shape(25, 8);
      conic_draw_matrices(&c, kind ? below(c.n) : 0, 1);
      if (c.m > 1) {
        conic_infeasible(&c);
        if (getenv("ONE") && (kind*1000+k) == atoi(getenv("ONE"))) setenv("DBG", "1", 1); else unsetenv("DBG");
      answer a = solve(&c);
        count(&t, &a);
        if (a.report.outcome == DLS_CONE_FAILED)
          print_message("k %d n %d m %d: it %d\n", k, c.n, c.m, a.report.iterations);
        else if (a.report.outcome == DLS_CONE_PRIMAL_INFEASIBLE)
          t.worst = fmax(t.worst, conic_farkas_error(&c, a.y));
        else print_message("k %d outcome %d\n", k, a.report.outcome);
        drop(&a);
      }
      conic_free(&c);
    }
    tell("infeasible", &t);
  }
}

static void unbounded(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    tally t = {0};
    for (int k = 0; k < 1000; k++) {
      conic c = conic_draw_shape(25, 8);
      conic_draw_matrices(&c, kind ? below(c.n) : 0, 1);
      conic_unbounded(&c);
      if (getenv("ONE") && (kind*1000+k) == atoi(getenv("ONE"))) setenv("DBG", "1", 1); else unsetenv("DBG");
      answer a = solve(&c);
      count(&t, &a);
      if (a.report.outcome == DLS_CONE_FAILED)
        print_message("k %d n %d m %d: it %d\n", k, c.n, c.m, a.report.iterations);
      else if (a.report.outcome == DLS_CONE_DUAL_INFEASIBLE)
        t.worst = fmax(t.worst, conic_ray_error(&c, a.x, a.s));
      else print_message("k %d outcome %d\n", k, a.report.outcome);
      drop(&a), conic_free(&c);
    }
    tell("unbounded", &t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(manufactured), cmocka_unit_test(infeasible),
                                     cmocka_unit_test(unbounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
