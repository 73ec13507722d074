// The residual of the contact problem, against values worked out by hand.
#include "numbers.h"
#include <delassus/contact.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static double residual(const dls_problem *p, const double *z, const double *b, const double *u)
{
  double r = -1;
  assert_int_equal(dls_problem_residual(p, z, b, u, &r), DLS_OK);
  return r;
}

// A unit mass with force F on the left and one contact each way:  z + F = lambda,  z + b.
static double single(dls_contact_kind kind, double F, double b, double z, double lambda)
{
  const double one = 1;
  dls_problem p = {.n = 1, .M = &one, .F = &F};
  if (kind == DLS_BILATERAL) p.m_b = 1, p.G_b = &one, p.b_b = &b;
  else p.m_u = 1, p.G_u = &one, p.b_u = &b;
  return residual(&p, &z, &lambda, &lambda);
}

static void free_body(void **state)
{
  (void)state;
  const double one = 1, F = -1, zero = 0, z[] = {1, 1.5};
  const dls_problem p = {.n = 1, .M = &one, .F = &F}, idle = {.n = 1, .M = &one, .F = &zero};
  assert_true(residual(&p, &z[0], NULL, NULL) == 0);
  close_to(residual(&p, &z[1], NULL, NULL), 0.5 / 2.5, 1e-15);  // |z + F| of |z| + |F|
  assert_true(residual(&idle, &zero, NULL, NULL) == 0);
  assert_true(residual(&idle, &z[0], NULL, NULL) == 1);
}

static void one_contact(void **state)
{
  (void)state;
  // solutions: resting, leaving, held
  assert_true(single(DLS_UNILATERAL, 1, 0, 0, 1) == 0);
  assert_true(single(DLS_UNILATERAL, -1, 0, 1, 0) == 0);
  assert_true(single(DLS_BILATERAL, -1, 0, 0, -1) == 0);
  assert_true(single(DLS_BILATERAL, 5, 3, -3, 2) == 0);
  // forces balance and z = 1, lambda = 2 are both positive: min(1/2, 2/2) of the load 2
  close_to(single(DLS_UNILATERAL, 1, 0, 1, 2), 0.5, 1e-15);
  // penetrates: z = -1 of the load 2
  close_to(single(DLS_UNILATERAL, 1, 0, -1, 0), 0.5, 1e-15);
  // pulls: z = -2 and b = 2 keep the contact closed, lambda = -1 of the load 3
  close_to(single(DLS_UNILATERAL, 1, 2, -2, -1), 1.0 / 3, 1e-15);
  // a bilateral constraint violated by 1, of |z| + |b| = 5; the load is 2 + 3 too
  close_to(single(DLS_BILATERAL, 3, 3, -2, 1), 0.2, 1e-15);
  // forces do not balance: 1 of the load 1, however large the force
  close_to(single(DLS_UNILATERAL, 1, 0, 0, 2), 1, 1e-15);
}

// Two opposite contacts whose forces cancel: large forces must not hide that 1 is not balanced.
static void cancelling_forces(void **state)
{
  (void)state;
  const double one = 1, G[] = {1, -1}, b[] = {0, 0}, zero = 0, large[] = {1e10, 1e10};
  const dls_problem p = {.n = 1, .m_u = 2, .M = &one, .F = &one, .G_u = G, .b_u = b};
  close_to(residual(&p, &zero, NULL, large), 1, 1e-15);
}

// No mass and no force: a multiplier is all that there is, and does not balance.
static void nothing_to_compare(void **state)
{
  (void)state;
  const double zero = 0, one = 1;
  const dls_problem p = {.n = 1, .m_u = 1, .M = &zero, .F = &zero, .G_u = &one, .b_u = &zero};
  assert_true(residual(&p, &zero, NULL, &one) == 1);
  assert_true(residual(&p, &zero, NULL, &zero) == 0);
}

typedef struct drawn {
  double M[9], F[3], G_b[3], b_b[1], G_u[6], b_u[2], z[3], lambda_b[1], lambda_u[2];
} drawn;

static double residual_of(const drawn *d)
{
  const dls_problem p = {.n = 3,
                         .m_b = 1,
                         .m_u = 2,
                         .M = d->M,
                         .F = d->F,
                         .G_b = d->G_b,
                         .b_b = d->b_b,
                         .G_u = d->G_u,
                         .b_u = d->b_u};
  return residual(&p, d->z, d->lambda_b, d->lambda_u);
}

static drawn draw(void)
{
  drawn d;
  double *x = (double *)&d;
  for (size_t k = 0; k < sizeof d / sizeof *x; k++) x[k] = uniform();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) d.M[i + 3 * j] = i == j ? 2 + i : i + j < 2 ? 0.5 : 0;
  return d;
}

// NaN anywhere in the data or in the answer gives NaN, never a small number.
static void not_a_number(void **state)
{
  (void)state;
  const drawn good = draw();
  assert_true(isfinite(residual_of(&good)));
  for (size_t k = 0; k < sizeof good / sizeof(double); k++) {
    at_case("k %zu", k);
    drawn d = good;
    ((double *)&d)[k] = NAN;
    if (!isnan(residual_of(&d))) fail_msg("NaN at number %zu gives %g", k, residual_of(&d));
  }
}

// Other units of coordinates, constraints and force, by powers of two: exactly the same.
static void units(void **state)
{
  (void)state;
  const double coordinate[] = {1024, 0.125, 1}, row[] = {64, 0.5, 4096};
  for (int t = 0; t < 50; t++) {
    at_case("t %d", t);
    const drawn d = draw();
    drawn e = d;
    for (int i = 0; i < 3; i++) {
      e.z[i] = d.z[i] / coordinate[i];
      e.F[i] = d.F[i] * coordinate[i];
      for (int j = 0; j < 3; j++) e.M[i + 3 * j] = d.M[i + 3 * j] * coordinate[i] * coordinate[j];
      e.G_b[i] = d.G_b[i] * coordinate[i] * row[0];
      for (int j = 0; j < 2; j++) e.G_u[i + 3 * j] = d.G_u[i + 3 * j] * coordinate[i] * row[1 + j];
    }
    e.b_b[0] = d.b_b[0] * row[0], e.lambda_b[0] = d.lambda_b[0] / row[0];
    for (int j = 0; j < 2; j++)
      e.b_u[j] = d.b_u[j] * row[1 + j], e.lambda_u[j] = d.lambda_u[j] / row[1 + j];
    assert_true(residual_of(&d) == residual_of(&e));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_body),         cmocka_unit_test(one_contact),
      cmocka_unit_test(cancelling_forces), cmocka_unit_test(nothing_to_compare),
      cmocka_unit_test(not_a_number),      cmocka_unit_test(units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
