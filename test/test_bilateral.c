// The sparse solution of the bilateral problem against the dense check, on chains of links.
#include <delassus/delassus.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

// A planar chain in absolute coordinates, hinged to the ground; `extra` hangs the last link from a
// second, redundant copy of its hinge.
static char *chain_text(int links, int extra)
{
  const size_t size = 4096 + 600 * (size_t)links;
  char *text = malloc(size), *end = text + size, *at = text;
  assert_non_null(text);
  at += snprintf(at, (size_t)(end - at), "parameter m = 1.5, l = 0.5, J = 0.2, g = 9.81\n");
  for (int i = 0; i < links; i++)
    at += snprintf(at, (size_t)(end - at),
                   "coordinate x%d = l*cos(a%d), y%d = l*sin(a%d), a%d = %.17g\n", i, i, i, i, i,
                   0.3 + 0.1 * (i % 7));
  for (int i = 0; i < links; i++) {
    at += snprintf(at, (size_t)(end - at),
                   "kinetic m/2*(x%d'^2 + y%d'^2) + J/2*a%d'^2\npotential m*g*y%d\n", i, i, i, i);
    if (i == 0)
      at += snprintf(at, (size_t)(end - at),
                     "bilateral hx0: x0 - l*cos(a0) = 0\nbilateral hy0: y0 - l*sin(a0) = 0\n");
    else
      at += snprintf(at, (size_t)(end - at),
                     "bilateral hx%d: x%d - l*cos(a%d) - x%d - l*cos(a%d) = 0\n"
                     "bilateral hy%d: y%d - l*sin(a%d) - y%d - l*sin(a%d) = 0\n",
                     i, i, i, i - 1, i - 1, i, i, i, i - 1, i - 1);
  }
  if (extra) snprintf(at, (size_t)(end - at), "bilateral again: 2*x0 = 2*l*cos(a0)\n");
  return text;
}

typedef struct fixture {
  dls_model *model;
  dls_system *system;
  dls_state state;
  dls_contact_state *contact_state;
} fixture;

static void open_chain(fixture *f, int links, int extra)
{
  char *text = chain_text(links, extra);
  dls_diagnostics diagnostics;
  dls_message message = {{0}};
  assert_int_equal(dls_model_parse(text, strlen(text), &f->model, &diagnostics), DLS_OK);
  free(text);
  assert_int_equal(dls_model_system(f->model, &f->system), DLS_OK);
  f->state.q = calloc((size_t)f->system->n, sizeof(double));
  f->state.v = calloc((size_t)f->system->n, sizeof(double));
  assert_int_equal(dls_model_state(f->system, NULL, &f->state, &message), DLS_OK);
  dls_projection projection;
  assert_int_equal(dls_state_project(f->system, &f->state, NULL, &projection, &message), DLS_OK);
  assert_int_equal(
      dls_contact_state_create(f->system, &f->state, NULL, &f->contact_state, &message), DLS_OK);
}

static void close_chain(fixture *f)
{
  dls_contact_state_free(f->contact_state);
  free(f->state.q);
  free(f->state.v);
  dls_system_free(f->system);
  dls_model_free(f->model);
}

static void sparse_equals_dense(void **unused)
{
  (void)unused;
  const int sizes[] = {1, 2, 7, 30};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    at_case("k %zu", k);
    fixture f;
    open_chain(&f, sizes[k], 0);
    const dls_problem *p = &f.contact_state->problem;
    double *a = calloc((size_t)p->n, sizeof *a), *lambda = calloc((size_t)p->m_b, sizeof *lambda);
    dls_bilateral_report report;
    assert_int_equal(dls_bilateral_solve(f.contact_state, a, lambda, &report), DLS_OK);
    assert_false(report.singular);
    assert_true(report.residual < 1e-13);
    dls_check *check = NULL;
    assert_int_equal(dls_check_run(p, NULL, &check, NULL), DLS_OK);
    assert_non_null(check->solution);
    for (int i = 0; i < p->n; i++)
      assert_true(fabs(a[i] - check->solution->acceleration[i]) < 1e-9 * (1 + fabs(a[i])));
    for (int i = 0; i < p->m_b; i++)
      assert_true(fabs(lambda[i] - check->solution->lambda_b[i]) < 1e-9 * (1 + fabs(lambda[i])));
    dls_check_free(check);
    free(a);
    free(lambda);
    close_chain(&f);
  }
}

static void redundant_is_singular(void **unused)
{
  (void)unused;
  fixture f;
  open_chain(&f, 5, 1);
  double a[15] = {0}, lambda[11] = {0};
  dls_bilateral_report report;
  assert_int_equal(dls_bilateral_solve(f.contact_state, a, lambda, &report), DLS_OK);
  assert_true(report.singular);
  close_chain(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sparse_equals_dense),
      cmocka_unit_test(redundant_is_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
