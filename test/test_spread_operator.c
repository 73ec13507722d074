// The seam for machines in parallel: two threads have half of the contacts each, and an operator
// that asks the other one for the rest. Methods that know nothing but the operator find, in the
// same steps, what they find where all contacts are in one place.
#include "contact/incremental.h"
#include "discrete.h"
#include "numbers.h"
#include "solve/solver_run.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { HALVES = 2, MOST_SUMS = 64 };

// What the two share. All of it is written between two barriers.
typedef struct meeting {
  int parties;  // 1: all contacts are in one place
  pthread_barrier_t barrier;
  double sum[HALVES][MOST_SUMS];
  double *x, *P, *R, *Q;  // of all contacts: a vector, and blocks
} meeting;

typedef struct spread {
  dls_operator op;
  dls_operator *whole;  // a copy of its own of what a network would reach
  meeting *meet;
  int half, at;  // its first contact
} spread;

static void wait_for_other(const spread *s)
{
  pthread_barrier_wait(&s->meet->barrier);
}

// Its own part goes to the place where all meet.
static double *gather(const spread *s, const double *x, double *all, int size)
{
  if (!x) return NULL;
  memcpy(all + (ptrdiff_t)size * s->at, x, (size_t)(size * s->op.contacts) * sizeof *x);
  return all;
}

static void keep_own(const spread *s, const double *all, double *x)
{
  memcpy(x, all + (ptrdiff_t)s->op.d * s->at, (size_t)s->op.padded * sizeof *x);
}

static void sum(const dls_operator *op, int count, double *x)
{
  const spread *s = (const spread *)op;
  assert(count <= MOST_SUMS);
  memcpy(s->meet->sum[s->half], x, (size_t)count * sizeof *x);
  wait_for_other(s);
  for (int k = 0; k < count; k++)
    x[k] = s->meet->sum[0][k] + (s->meet->parties == 2 ? s->meet->sum[1][k] : 0);
  wait_for_other(s);
}

static double largest(const dls_operator *op, double x)
{
  const spread *s = (const spread *)op;
  s->meet->sum[s->half][0] = x;
  wait_for_other(s);
  const double most = fmax(s->meet->sum[0][0], s->meet->sum[s->meet->parties - 1][0]);
  wait_for_other(s);
  return most;
}

// y from x of all contacts
static void product(const spread *s, bool with_q, const double *x, double *y)
{
  double *all = vector(s->whole->padded + 1);
  gather(s, x, s->meet->x, s->op.d);
  wait_for_other(s);
  if (with_q) dls_operator_velocity(s->whole, s->meet->x, NULL, all);
  else dls_operator_multiply(s->whole, s->meet->x, all);
  wait_for_other(s);
  keep_own(s, all, y);
  free(all);
}

static void velocity(dls_operator *op, const double *r, double *v, double *u)
{
  (void)v;
  product((const spread *)op, true, r, u);
}

static void multiply(dls_operator *op, const double *x, double *y)
{
  product((const spread *)op, false, x, y);
}

static dls_status prepare(dls_operator *op, ptrdiff_t fill)
{
  return dls_operator_prepare(((spread *)op)->whole, fill);
}

static bool factor(dls_operator *op, const double *P, const double *R, const double *Q)
{
  const spread *s = (const spread *)op;
  const int area = op->d * op->d;
  const double *of_P = gather(s, P, s->meet->P, area), *of_R = gather(s, R, s->meet->R, area);
  const double *of_Q = gather(s, Q, s->meet->Q, area);
  wait_for_other(s);
  const bool good = s->whole->type->factor(s->whole, of_P, of_R, of_Q);
  wait_for_other(s);
  return good;
}

static int sign(const dls_operator *op)
{
  return dls_operator_sign(((const spread *)op)->whole);
}

static void solve(dls_operator *op, double *b)
{
  const spread *s = (const spread *)op;
  double *all = vector(s->whole->padded + 1);
  gather(s, b, s->meet->x, op->d);
  wait_for_other(s);
  memcpy(all, s->meet->x, (size_t)s->whole->padded * sizeof *all);
  wait_for_other(s);
  dls_operator_solve(s->whole, all);
  keep_own(s, all, b);
  free(all);
}

static const dls_operator_type spread_type = {.velocity = velocity,
                                              .multiply = multiply,
                                              .prepare = prepare,
                                              .factor = factor,
                                              .sign = sign,
                                              .solve = solve,
                                              .sum = sum,
                                              .largest = largest};

// ---- a run over some of the contacts -----------------------------------------------------------

typedef struct job {
  const dls_incremental *problem;  // all of it
  const dls_method *method;
  meeting *meet;
  int half;
  dls_run run;
  double *r;  // of its contacts
} job;

// The operator of the job's contacts, from the whole one: methods have nothing else.
static void take_part(const job *j, dls_operator *whole, spread *s)
{
  const int cut = j->meet->parties == 2 ? whole->contacts / 2 : whole->contacts, d = whole->d;
  *s = (spread){.whole = whole, .meet = j->meet, .half = j->half, .at = j->half ? cut : 0};
  const int contacts = j->half ? whole->contacts - cut : cut;
  s->op = (dls_operator){.type = &spread_type,
                         .problem = j->problem,
                         .d = d,
                         .contacts = contacts,
                         .blocks = contacts,
                         .rows = d * contacts,
                         .padded = d * contacts,
                         .q = whole->q + (ptrdiff_t)d * s->at,
                         .diagonal = whole->diagonal + (ptrdiff_t)(d * d) * s->at};
}

static void set_up(dls_run *run, const job *j, dls_operator *op, const double *mu)
{
  dls_solve_options options = dls_solve_defaults();
  options.tolerance = 1e-9, options.max_iterations = j->method->max_iterations;
  *run = (dls_run){.problem = j->problem,
                   .options = options,
                   .op = op,
                   .arena = dls_arena_create(),
                   .d = op->d,
                   .contacts = op->contacts,
                   .blocks = op->blocks,
                   .rows = op->rows,
                   .padded = op->padded,
                   .mu = mu,
                   .laws = DLS_LAW_BIT(DLS_LAW_CONE),
                   .velocity = 1,
                   .unit = 1,
                   .name = j->method->info.name};
  run->r = dls_run_vector(run), run->u = dls_run_vector(run), run->best_r = dls_run_vector(run);
  double square = 0;
  for (int i = 0; i < op->rows; i++) square += op->q[i] * op->q[i];
  dls_operator_sum(op, 1, &square);
  run->norm_q = sqrt(square);
}

static void *work(void *self)
{
  job *j = self;
  dls_operator *whole;
  spread part;
  if (dls_operator_create(j->problem, &whole) != DLS_OK) return NULL;
  if (dls_operator_refresh(whole) != DLS_OK) return NULL;
  take_part(j, whole, &part);
  dls_run *run = &j->run;
  set_up(run, j, &part.op, j->problem->mu + part.at);
  void *method = NULL;
  if (j->method->create(run, &method) == DLS_OK) {
    dls_run_begin(run);
    dls_run_measure_zero(run);
    j->method->iterate(run, method);
    j->r = vector(run->padded + 1);
    memcpy(j->r, run->best_r, (size_t)run->padded * sizeof *j->r);
  }
  dls_arena_free(run->arena);
  dls_operator_free(whole);
  return NULL;
}

static void run_jobs(int parties, const dls_incremental *problem, const dls_method *method,
                     job *jobs)
{
  const int d = problem->dimension, n = problem->contacts;
  meeting meet = {.parties = parties,
                  .x = vector(d * n),
                  .P = vector(d * d * n),
                  .R = vector(d * d * n),
                  .Q = vector(d * d * n)};
  pthread_t thread[HALVES];
  assert_int_equal(pthread_barrier_init(&meet.barrier, NULL, (unsigned)parties), 0);
  for (int h = 0; h < parties; h++) {
    jobs[h] = (job){.problem = problem, .method = method, .meet = &meet, .half = h};
    assert_int_equal(pthread_create(&thread[h], NULL, work, &jobs[h]), 0);
  }
  for (int h = 0; h < parties; h++) assert_int_equal(pthread_join(thread[h], NULL), 0);
  pthread_barrier_destroy(&meet.barrier);
  free(meet.x), free(meet.P), free(meet.R), free(meet.Q);
}

// Sums are added up in another order: the same numbers but for rounding, which iterations blow up.
static void compare(const job *alone, const job *jobs)
{
  assert_non_null(alone->r), assert_non_null(jobs[0].r), assert_non_null(jobs[1].r);
  const int first = jobs[0].run.padded;
  double size = 0, far = 0;
  for (int i = 0; i < alone->run.padded; i++) {
    const double r = i < first ? jobs[0].r[i] : jobs[1].r[i - first];
    size = fmax(size, fabs(alone->r[i])), far = fmax(far, fabs(r - alone->r[i]));
  }
  assert_int_equal(alone->run.stop, DLS_STOP_CONVERGED);
  for (int h = 0; h < HALVES; h++) {
    assert_int_equal(jobs[h].run.stop, DLS_STOP_CONVERGED);
    assert_true(jobs[h].run.best <= 1e-9);
    assert_int_equal(jobs[h].run.iterations, jobs[0].run.iterations);
    assert_true(jobs[h].run.best == jobs[0].run.best);
  }
  const int most = alone->run.iterations, now = jobs[0].run.iterations;
  // a penalty that changes by the last digit of a sum, or points that are driven into the rounding
  // of their cones, take some steps more or less
  const bool delicate = alone->method == &dls_method_admm || alone->method == &dls_method_interior;
  assert_true(abs(now - most) <= (delicate ? 2 + most / 5 : 1));
  if (!(far <= 1e-5 * size)) fail_msg("off by %g of %g", far, size);
}

static void methods(void **state)
{
  (void)state;
  static const dls_method *const all[] = {
      &dls_method_extragradient, &dls_method_admm,      &dls_method_cvx_apgd,
      &dls_method_newton,        &dls_method_newton_fb, &dls_method_proximal,
      &dls_method_interior,      &dls_method_smoothing, &dls_method_cvx_interior};
  for (int d = 2; d <= 3; d++)
    for (int turn = 0; turn < TRIED(4); turn++) {
      // more coordinates than rows: W is regular, and the forces are one
      discrete p = discrete_draw(d, 6, 0, 6, 6, 0, 0);
      double *r = vector(p.rows + 1);
      discrete_solvable(&p, r, NULL);
      for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        at_case("%s, d %d, turn %d", all[k]->info.name, d, turn);
        job alone, jobs[HALVES];
        run_jobs(1, &p.local, all[k], &alone);
        run_jobs(HALVES, &p.local, all[k], jobs);
        compare(&alone, jobs);
        free(alone.r), free(jobs[0].r), free(jobs[1].r);
      }
      free(r);
      discrete_free(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(methods)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
