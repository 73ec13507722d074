// Points that are nearly solutions, and are none: forged at a hundred times the tolerance in the
// scale of one contact, wherever sums over all contacts do not see it. They are never accepted; the
// solutions that they were made from are. The scale is computed here, from the data.
#include "incremental_maker.h"
#include "numbers.h"
#include <delassus/delassus.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double tolerance = 1e-8, forged = 1e-6;

static dls_incremental_error error_of(const made_problem *m, const double *r, const double *v)
{
  double norm;
  dls_incremental_error e;
  assert_int_equal(dls_incremental_scale(&m->problem, &norm), DLS_OK);
  assert_int_equal(dls_incremental_residual(&m->problem, norm, r, v, NULL, &e), DLS_OK);
  return e;
}

// ---- problems ----------------------------------------------------------------------------------

static double *entry(const made_problem *m, int i, int j)
{
  return m->values[0] + i + (ptrdiff_t)m->rows * j;
}

// u = W r + q again, exactly as the data say; q takes what is left.
static void settle(made_problem *m)
{
  for (int i = 0; i < m->rows; i++) {
    long double sum = m->u[i];
    for (int j = 0; j < m->rows; j++) sum -= (long double)*entry(m, i, j) * m->r[j];
    m->q[i] = (double)sum;
  }
}

// In another unit for one contact: the same problem.
static void rescale(made_problem *m, int contact, double s)
{
  const int d = m->problem.dimension;
  for (int k = d * contact; k < d * (contact + 1); k++) {
    for (int j = 0; j < m->rows; j++) *entry(m, k, j) *= s, *entry(m, j, k) *= s;
    m->r[k] /= s, m->u[k] *= s, m->q[k] *= s;
  }
}

// A contact apart from the others, with velocities and impulses `small` times as large: no sum over
// all contacts notices it.
static void set_apart(made_problem *m, int contact, double small)
{
  const int d = m->problem.dimension;
  for (int k = d * contact; k < d * (contact + 1); k++)
    for (int j = 0; j < m->rows; j++)
      if (j / d != contact || j >= d * m->problem.contacts) *entry(m, k, j) = *entry(m, j, k) = 0;
  for (int k = d * contact; k < d * (contact + 1); k++) m->r[k] *= small, m->u[k] *= small;
  settle(m);
}

// Forces far larger than what they leave of the velocities: they hold each other.
static void squeeze(made_problem *m, int contact, double times)
{
  const int d = m->problem.dimension;
  if (!(m->r[d * contact] > 0)) return;
  for (int k = 0; k < d; k++) m->r[d * contact + k] *= times;
  settle(m);
}

static made_problem *draw(int turn)
{
  made_problem *m = made_create(&(made_shape){
      .dimension = 2 + turn % 2, .contacts = 4, .equations = turn % 3 == 0 ? 2 : 0, .dof = 30});
  settle(m);
  if (turn % 4 == 1) set_apart(m, below(4), ldexp(1, -10 - below(40)));
  if (turn % 4 == 2) squeeze(m, below(4), ldexp(1, below(16)));
  if (turn % 4 == 3)
    for (int i = 0; i < 4; i++) rescale(m, i, ldexp(1, below(41) - 20));  // mass ratios up to 1e24
  return m;
}

static double scale_of(const made_problem *m, int contact)
{
  const int d = m->problem.dimension;
  double size = 0;
  for (int k = d * contact; k < d * (contact + 1); k++) {
    double sum = fabs(m->q[k]);
    for (int j = 0; j < m->rows; j++) sum += fabs(*entry(m, k, j) * m->r[j]);
    size = fmax(size, sum);
  }
  return size;
}

static double stiffness(const made_problem *m, int contact)
{
  const int d = m->problem.dimension;
  double sum = 0;
  for (int k = 0; k < d; k++) sum += *entry(m, d * contact + k, d * contact + k) / d;
  return sum;
}

// ---- forgeries ---------------------------------------------------------------------------------

enum { DROPPED, TURNED, PRESSED_IN, OUTSIDE, PULLING, HELD, LOST, KINDS };

// Changes r so that it is wrong by `forged` in the contact's own scale, or more; false where this
// contact has nothing to forge. All but the first keep what the contact does to others: q is
// changed with r, and u with both by what is wrong.
static bool forge(made_problem *m, int kind, int contact, double *r)
{
  const int d = m->problem.dimension, at = d * contact;
  const double size = scale_of(m, contact), stiff = stiffness(m, contact), mu = m->mu[contact];
  const double step = 3 * forged * size / stiff, *u = m->u + at;
  const double force = d == 3 ? hypot(r[at + 1], r[at + 2]) : fabs(r[at + 1]);
  const double slip = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
  const bool pressed = r[at] * stiff > 10 * forged * size;
  switch (kind) {
  case DROPPED:
    if (!pressed) return false;
    for (int k = 0; k < d; k++) r[at + k] = 0;
    return true;
  case TURNED: {
    const double least = fmin(slip, force * stiff), angle = 3 * forged * size / least;
    if (d == 2 || !(angle < 0.5) || !(least > 0)) return false;
    const double c = cos(angle), s = sin(angle), a = r[at + 1], b = r[at + 2];
    r[at + 1] = c * a - s * b, r[at + 2] = s * a + c * b;
    return true;
  }
  case PRESSED_IN:  // u_N goes below zero, by the data
    if (!pressed) return false;
    m->q[at] -= 3 * forged * size;
    return true;
  case OUTSIDE:
    if (!(mu > 0.05) || !pressed || !(force > 0.9 * mu * r[at])) return false;
    for (int k = 1; k < d; k++) r[at + k] *= 1 + 2 * sqrt(1 + mu * mu) * step / force;
    return true;
  case PULLING:
    if (r[at] != 0) return false;
    r[at] = -step;
    return true;
  case HELD:  // a force although it opens
    if (r[at] != 0 || !(u[0] > 10 * forged * size)) return false;
    r[at] = step;
    return true;
  default: r[at + below(d)] = NAN; return true;
  }
}

static void never_accepted(void **state)
{
  (void)state;
  int made[KINDS] = {0};
  for (int turn = 0; turn < TRIED(4000); turn++) {
    made_problem *m = draw(turn);
    const dls_incremental_error truth = error_of(m, m->r, NULL);
    if (!(truth.largest <= tolerance))
      fail_msg("the solution itself (turn %d) has the error %g", turn, truth.largest);
    const int kind = turn / 4 % KINDS, contact = below(4);
    double *r = vector(m->rows);
    memcpy(r, m->r, (size_t)m->rows * sizeof *r);
    if (forge(m, kind, contact, r)) {
      const dls_incremental_error e = error_of(m, r, NULL);
      made[kind]++;
      if (e.largest <= 20 * tolerance)
        fail_msg("forgery %d of turn %d passes: %g", kind, turn, e.largest);
    }
    free(r);
    made_free(m);
  }
  for (int k = 0; k < KINDS; k++) assert_true(made[k] > TRIED(40));
}

// In global form: forces that belong to other velocities, and lost ones.
static void never_accepted_global(void **state)
{
  (void)state;
  for (int turn = 0; turn < TRIED(200); turn++) {
    made_problem *m = made_create(&(made_shape){.dimension = 2 + turn % 2,
                                                .contacts = 4,
                                                .equations = turn % 3,
                                                .dof = 20,
                                                .global = true});
    assert_true(error_of(m, m->r, m->v).largest <= tolerance);
    const int k = below(m->problem.dof), j = below(m->rows);
    const double v = m->v[k], r = m->r[j];
    m->v[k] += 1e-4 * (1 + fabs(v));
    assert_false(error_of(m, m->r, m->v).largest <= tolerance);
    m->v[k] = v, m->r[j] += 1e-4 * (1 + fabs(r));
    assert_false(error_of(m, m->r, m->v).largest <= tolerance);
    m->r[j] = r, m->v[k] = NAN;
    assert_false(error_of(m, m->r, m->v).largest <= tolerance);
    made_free(m);
  }
}

// Another unit for one contact does not change a bit of what is measured in scales of their own.
static void single_contacts(void **state)
{
  (void)state;
  for (int turn = 0; turn < TRIED(400); turn++) {
    made_problem *m = made_create(
        &(made_shape){.dimension = 2 + turn % 2, .contacts = 5, .equations = turn % 2, .dof = 12});
    for (int j = 0; j < m->rows; j++) m->r[j] += turn % 3 ? 1e-3 * uniform() : uniform();
    const dls_incremental_error a = error_of(m, m->r, NULL);
    rescale(m, below(5), ldexp(1, below(41) - 20)), rescale(m, below(5), ldexp(1, below(41) - 20));
    const dls_incremental_error b = error_of(m, m->r, NULL);
    assert_true(a.scaled > 0 && a.scaled == b.scaled && a.weighted == b.weighted);
    assert_true(a.rounding == b.rounding);
    made_free(m);
  }
}

// Every solver started at a forgery: whatever it claims is true, by the lines above.
static void solvers_do_not_believe(void **state)
{
  (void)state;
  for (int turn = 0; turn < TRIED(120); turn++) {
    made_problem *m = draw(turn);
    double *start = vector(m->rows), *r = vector(m->rows);
    memcpy(start, m->r, (size_t)m->rows * sizeof *r);
    forge(m, turn % (KINDS - 1), below(4), start);
    for (int k = 0; k < dls_solver_count(); k++) {
      dls_solve_options o = dls_solve_defaults();
      o.solver = dls_solver_info_at(k)->name, o.max_iterations = 200;
      if (!dls_solver_info_at(k)->local) continue;
      dls_solver *solver = NULL;
      dls_solve_report report;
      memcpy(r, start, (size_t)m->rows * sizeof *r);
      assert_int_equal(dls_solver_create(&m->problem, &o, &solver, NULL), DLS_OK);
      assert_int_equal(dls_solver_solve(solver, r, NULL, NULL, &report), DLS_OK);
      assert_int_equal(report.converged, error_of(m, r, NULL).largest <= tolerance);
      dls_solver_free(solver);
    }
    free(start), free(r);
    made_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(never_accepted), cmocka_unit_test(never_accepted_global),
      cmocka_unit_test(single_contacts), cmocka_unit_test(solvers_do_not_believe)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
