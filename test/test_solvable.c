// Whether an incremental problem has a solution: oracles, problems with a solution by construction
// and without one, bad input, files.
#include "certify/solvable.h"
#include "numbers.h"
#include "solvable_case.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "cases.h"

// ---- oracles -----------------------------------------------------------------------------------

// CVX Example 2.1: u_N = v sin, u_T = u0 + v cos, M = 1, v = gravity without contact.
static const dls_incremental *painleve(dense *t, bool as_global, double theta, double mu, double u0,
                                       double gravity)
{
  dense_identity(t, 1);
  t->H[0] = sin(theta), t->H[1] = cos(theta);
  t->f[0] = gravity, t->q[0] = 0, t->q[1] = u0, t->mu[0] = mu;
  if (as_global) return dense_global(t, 2, 1, 0, 1);
  dense_reduce(t, 2, 1);
  return dense_local(t, 2, 1, 0);
}

static void test_painleve(void **state)
{
  (void)state;
  static const double angles[] = {0.1, 0.4, 0.7, 1.0, 1.3, 1.5}, speeds[] = {-2, -0.1, 0.1, 3};
  static const double friction[] = {0, 0.05, 0.3, 0.9, 2, 5};
  dense t = {0};
  for (int form = 0; form < 2; form++)
    for (int a = 0; a < 6; a++)
      for (int m = 0; m < 6; m++)
        for (int u = 0; u < 4; u++) {
          at_case("form %d, a %d, m %d, u %d", form, a, m, u);
          const bool exists = speeds[u] <= 0 || tan(angles[a]) > friction[m];
          const dls_incremental *p = painleve(&t, form, angles[a], friction[m], speeds[u], -1);
          assert_int_equal(solvable_answer(p), exists ? DLS_YES : DLS_NO);
          // gravity up: it takes off, although the criterion fails as before
          p = painleve(&t, form, angles[a], friction[m], speeds[u], 1);
          assert_int_equal(solvable_answer(p), DLS_YES);
        }
  // nothing imposed: v = 0 in global form, whatever the friction
  dls_solvable *s = solvable_ask(painleve(&t, true, 0.1, 5, 0, -1));
  assert_int_equal(s->answer, DLS_YES);
  assert_int_equal(s->criterion & DLS_CRITERION_INTERIOR, 0);
  assert_true(s->criterion & DLS_CRITERION_CLOSED);
  dls_solvable_free(s);
}

static void test_jam(void **state)
{
  (void)state;
  dense t;
  for (int form = 0; form < 2; form++)
    for (int d = 2; d <= 3; d++)
      for (double mu = 0; mu < 2; mu += 0.6) {
        at_case("form %d, d %d, mu %g", form, d, mu);
        dls_solvable *s = solvable_ask(dense_jam(&t, form, d, mu, 0.5));
        assert_int_equal(s->answer, DLS_NO);
        assert_int_equal(s->leaves, 1);
        dls_solvable_free(s);
        s = solvable_ask(dense_jam(&t, form, d, mu, -0.5));
        assert_int_equal(s->answer, DLS_YES);
        assert_int_equal(s->criterion & DLS_CRITERION_ANY_LOAD, 0);
        dls_solvable_free(s);
        // neither: the answer must not be a no
        assert_int_not_equal(solvable_answer(dense_jam(&t, form, d, mu, 0)), DLS_NO);
      }
  assert_int_equal(solvable_answer(dense_jam(&t, true, 3, 0.6, 0)), DLS_YES);
}

static void test_equations(void **state)
{
  (void)state;
  dense t = {0};
  // no rows at all
  assert_int_equal(solvable_answer(dense_local(&t, 3, 0, 0)), DLS_YES);
  dense_identity(&t, 2);
  assert_int_equal(solvable_answer(dense_global(&t, 3, 0, 0, 2)), DLS_YES);
  // two equations: independent, contradicting, repeated
  t.H[0] = 1, t.H[1] = 0, t.H[2] = 1, t.H[3] = 1, t.q[0] = 1, t.q[1] = -3;
  assert_int_equal(solvable_answer(dense_global(&t, 2, 0, 2, 2)), DLS_YES);
  dense_reduce(&t, 2, 2);
  assert_int_equal(solvable_answer(dense_local(&t, 2, 0, 2)), DLS_YES);
  t.H[3] = 0;
  assert_int_equal(solvable_answer(dense_global(&t, 2, 0, 2, 2)), DLS_NO);
  dense_reduce(&t, 2, 2);
  assert_int_equal(solvable_answer(dense_local(&t, 2, 0, 2)), DLS_NO);
  t.q[1] = 1;
  assert_int_not_equal(solvable_answer(dense_global(&t, 2, 0, 2, 2)), DLS_NO);
  t.q[1] = 1 + 1e-12;
  assert_int_equal(solvable_answer(dense_global(&t, 2, 0, 2, 2)), DLS_UNDECIDED);
  t.q[0] = t.q[1] = 0;
  assert_int_equal(solvable_answer(dense_global(&t, 2, 0, 2, 2)), DLS_YES);
  // a contact that an equation opens, or closes
  for (int sign = -1; sign <= 1; sign += 2) {
    at_case("sign %d", sign);
    memset(t.H, 0, sizeof t.H);
    t.H[0] = 1, t.H[3] = 1, t.H[4] = 1, t.mu[0] = 0.5, t.q[0] = t.q[1] = 0, t.q[2] = -sign;
    assert_int_equal(solvable_answer(dense_global(&t, 2, 1, 1, 2)), sign > 0 ? DLS_YES : DLS_NO);
    dense_reduce(&t, 3, 2);
    assert_int_equal(solvable_answer(dense_local(&t, 2, 1, 1)), sign > 0 ? DLS_YES : DLS_NO);
  }
}

// Two bars: one takes off where the criterion fails, the other one needs a force. There is a
// solution, nothing here proves it, and the impulses that make the criterion fail are shown.
static void test_fails(void **state)
{
  (void)state;
  dense t = {0};
  dense_identity(&t, 2);
  t.H[0] = sin(0.3), t.H[2] = cos(0.3), t.H[5] = sin(0.3), t.H[7] = cos(0.3);
  t.mu[0] = t.mu[1] = 2, t.q[1] = 1, t.q[3] = -1, t.f[0] = 1, t.f[1] = -1;
  for (int form = 0; form < 2; form++) {
    at_case("form %d", form);
    const dls_incremental *p = dense_global(&t, 2, 2, 0, 2);
    if (form) dense_reduce(&t, 4, 2), p = dense_local(&t, 2, 2, 0);
    dls_solvable *s = solvable_ask(p);
    assert_int_equal(s->answer, DLS_UNDECIDED);
    assert_int_equal(s->criterion, DLS_CRITERION_FAILS);
    const double *q = p->global ? p->w : p->q;
    long double sum[4] = {0}, work = 0;
    matrix_product(p->global ? &p->H : &p->W, false, 1, s->r, sum);
    assert_true(vector_largest(p->global ? 2 : 4, sum) < 1e-8);
    for (int j = 0; j < 4; j++) work += q[j] * s->r[j];
    assert_true(work < -1e-3);
    for (int i = 0; i < 2; i++) assert_true(fabs(s->r[2 * i + 1]) <= 2 * s->r[2 * i] + 1e-9);
    dls_solvable_free(s);
  }
}

// ---- by construction ---------------------------------------------------------------------------

// A pair (u, r) of Coulomb's law.
static void draw_contact(int d, double mu, double *u, double *r)
{
  const int kind = below(3);
  double e[2] = {uniform(), uniform()};
  const double length = d == 3 ? hypot(e[0], e[1]) : fabs(e[0]);
  memset(u, 0, d * sizeof *u), memset(r, 0, d * sizeof *r);
  if (kind == 0) u[0] = fabs(uniform());
  else r[0] = fabs(uniform());
  const double slip = kind == 1 ? 0 : fabs(uniform());
  for (int k = 1; k < d; k++) {
    u[k] = slip * e[k - 1] / length;
    r[k] = (kind == 2 ? -1 : uniform() * 0.7) * mu * r[0] * e[k - 1] / length;
  }
  if (kind == 1)  // inside the cone, in one direction
    for (int k = 1; k < d; k++) r[k] = 0.5 * mu * r[0] * e[k - 1] / length;
}

static void test_manufactured(void **state)
{
  (void)state;
  dense t;
  int yes = 0, count = 0;
  for (int round = 0; round < 150; round++) {
    at_case("round %d", round);
    const int d = 2 + below(2), contacts = 1 + below(4), equations = below(3);
    const int rows = d * contacts + equations, dof = 2 + below(rows + 2);
    double u[LARGEST] = {0}, r[LARGEST];
    memset(&t, 0, sizeof t);
    for (int i = 0; i < contacts; i++) {
      t.mu[i] = below(4) == 0 ? 0 : 1.5 * fabs(uniform());
      draw_contact(d, t.mu[i], u + d * i, r + d * i);
    }
    for (int j = d * contacts; j < rows; j++) r[j] = uniform();
    for (int k = 0; k < dof * rows; k++) t.H[k] = uniform();
    dense_reduce(&t, rows, dof);
    for (int i = 0; i < rows; i++) {
      t.q[i] = u[i];
      for (int j = 0; j < rows; j++) t.q[i] -= t.W[i + j * rows] * r[j];
    }
    const dls_answer given = solvable_answer(dense_local(&t, d, contacts, equations));
    assert_int_not_equal(given, DLS_NO);
    yes += given == DLS_YES, count++;
  }
  assert_true(yes > count / 2);
}

// W y = 0 and q^T y < 0 for some y_N >= 0: nothing keeps the contacts apart.
static void test_without(void **state)
{
  (void)state;
  dense t;
  int no = 0, count = 0;
  for (int round = 0; round < 100; round++) {
    at_case("round %d", round);
    const int d = 2 + below(2), contacts = 2 + below(3), rows = d * contacts;
    const int dof = 2 + below(rows - 2);
    double y[LARGEST] = {0}, square = 0, work = 0;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < contacts; i++) {
      t.mu[i] = fabs(uniform());
      y[d * i] = 0.1 + fabs(uniform());
      square += y[d * i] * y[d * i];
    }
    for (int k = 0; k < dof * rows; k++) t.H[k] = uniform();
    for (int k = 0; k < dof; k++) {  // each row of H orthogonal to y
      double dot = 0;
      for (int j = 0; j < rows; j++) dot += t.H[k + j * dof] * y[j];
      for (int j = 0; j < rows; j++) t.H[k + j * dof] -= dot * y[j] / square;
    }
    for (int j = 0; j < rows; j++) t.q[j] = uniform(), work += t.q[j] * y[j];
    for (int j = 0; j < rows; j++) t.q[j] -= (work + 0.2 * square) * y[j] / square;
    for (int k = 0; k < dof; k++) t.f[k] = uniform();
    dense_identity(&t, dof);
    const bool as_global = below(2);
    if (!as_global) dense_reduce(&t, rows, dof);
    const dls_answer given = solvable_answer(as_global ? dense_global(&t, d, contacts, 0, dof)
                                                       : dense_local(&t, d, contacts, 0));
    assert_int_not_equal(given, DLS_YES);
    no += given == DLS_NO, count++;
  }
  assert_int_equal(no, count);
}

// ---- matrices that are not quite symmetric or semidefinite -------------------------------------

static void test_matrices(void **state)
{
  (void)state;
  dense t = {0};
  const double W[] = {1, 2e-3, 0, -2e-3, 1, 0.1, 0, 0.1, 1};
  memcpy(t.W, W, sizeof W);
  t.q[0] = -1, t.q[1] = 0.5, t.mu[0] = 0.4;
  dls_solvable *s = solvable_ask(dense_local(&t, 3, 1, 0));
  assert_int_equal(s->answer, DLS_YES);
  assert_true(s->shift > 0 && s->shift < 0.5);
  dls_solvable_free(s);
  // a mass matrix that is not definite
  memset(&t, 0, sizeof t);
  dense_identity(&t, 2);
  t.M[0] = -1, t.H[0] = 1, t.H[3] = 1, t.f[0] = 1, t.mu[0] = 0.1;
  assert_int_equal(solvable_answer(dense_global(&t, 2, 1, 0, 2)), DLS_UNDECIDED);
  // the force pulls: u_N = -r_N - 1
  memset(&t, 0, sizeof t);
  t.W[0] = t.W[3] = -1, t.q[0] = -1, t.mu[0] = 0.2;
  s = solvable_ask(dense_local(&t, 2, 1, 0));
  assert_int_equal(s->answer, DLS_NO);
  assert_true(isinf(s->bound));
  dls_solvable_free(s);
  // and u_N = -r_N + 1 has r = 0
  t.q[0] = 1;
  assert_int_equal(solvable_answer(dense_local(&t, 2, 1, 0)), DLS_YES);
  // x = (-3, -3) puts S x + q inside the cones, but u_N = r_N - 3 s_N - 1 = s_N - 3 r_N - 1 have
  // no solution: an indefinite matrix must not pass
  memset(&t, 0, sizeof t);
  t.W[0] = 1, t.W[2] = -3, t.W[8] = -3, t.W[10] = 1, t.q[0] = t.q[2] = -1;
  assert_int_equal(solvable_answer(dense_local(&t, 2, 2, 0)), DLS_NO);
}

// Room in the cones is worth nothing where equations are far off.
static void test_rooms(void **state)
{
  (void)state;
  dense t = {0};
  dense_identity(&t, 2);
  t.H[0] = 1, t.H[3] = 1, t.H[4] = 1, t.mu[0] = 0.5, t.q[2] = 1;
  for (int form = 0; form < 2; form++) {
    at_case("form %d", form);
    const dls_incremental *p = dense_global(&t, 2, 1, 1, 2);
    if (form) dense_reduce(&t, 3, 2), p = dense_local(&t, 2, 1, 1);
    dls_solvable_data data = {0};
    dls_solvable_slack slack;
    bool proven;
    double shift, x[3] = {3, 0, 0};
    assert_int_equal(dls_solvable_scale(p, &data), DLS_OK);
    assert_int_equal(dls_solvable_measure(&data, true, x, &slack), DLS_OK);
    assert_true(slack.inside > 0.5 && slack.off > 0.5);
    assert_int_equal(dls_solvable_prove(&data, &slack, &proven, &shift), DLS_OK);
    assert_false(proven);
    slack.off = 1e-9;
    assert_int_equal(dls_solvable_prove(&data, &slack, &proven, &shift), DLS_OK);
    assert_true(proven);
    dls_solvable_data_free(&data);
  }
}

// ---- bad input, printing, files ----------------------------------------------------------------

static void test_bad(void **state)
{
  (void)state;
  dense t;
  dls_solvable *s = NULL;
  dls_message message;
  const dls_incremental *p = dense_jam(&t, false, 3, 0.3, 0.5);
  t.q[1] = NAN;
  assert_int_equal(dls_incremental_solvable(p, NULL, &s, &message), DLS_ERR_NUMBER);
  assert_null(s);
  assert_int_equal(dls_incremental_solvable(NULL, NULL, &s, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_incremental_solvable(p, NULL, NULL, NULL), DLS_ERR_ARGUMENT);
  p = dense_jam(&t, false, 3, 0.3, 0.5);
  const dls_solvable_options small = {.max_rows = 5, .max_nodes = 10};
  assert_int_equal(dls_incremental_solvable(p, &small, &s, NULL), DLS_OK);
  assert_int_equal(s->answer, DLS_UNDECIDED);
  assert_non_null(strstr(s->by, "too large"));
  dls_solvable_free(s);
  dls_solvable_free(NULL);
}

static bool stop_at(void *self, double done)
{
  int *calls = self;
  assert_true(done >= 0 && done <= 1);
  return --*calls == 0;
}

// Before each program, and then there is no answer.
static void can_be_stopped(void **state)
{
  (void)state;
  dense t;
  const dls_incremental *p = dense_jam(&t, false, 3, 0.3, 0.5);
  dls_solvable *s = NULL;
  dls_status status = DLS_ERR_STOPPED;
  int at = 0;
  while (status == DLS_ERR_STOPPED) {
    int calls = ++at;
    dls_solvable_options o = dls_solvable_defaults();
    o.watch = stop_at, o.self = &calls;
    status = dls_incremental_solvable(p, &o, &s, NULL);
    assert_true((status == DLS_OK) == (s != NULL));
  }
  assert_int_equal(status, DLS_OK);
  assert_true(at > 1);
  dls_solvable_free(s);
}

static void contains(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("no %s in: %s", part, text);
}

static void test_print(void **state)
{
  (void)state;
  dense t;
  char *text = NULL;
  dls_solvable *s = solvable_ask(dense_jam(&t, true, 2, 0.3, 0.5));
  assert_int_equal(dls_solvable_json(s, &text), DLS_OK);
  static const char *const parts[] = {
      "\"answer\": \"no\"", "\"cases\"", "\"any\"", "\"y\"", "\"p\"", "\"bound\"", "\"shows\""};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) contains(text, parts[k]);
  dls_report_text_free(text);
  assert_int_equal(dls_solvable_text(s, &text), DLS_OK);
  contains(text, "no solution exists");
  dls_report_text_free(text);
  dls_solvable_free(s);
  s = solvable_ask(dense_jam(&t, false, 3, 0.3, -0.5));
  assert_int_equal(dls_solvable_json(s, &text), DLS_OK);
  contains(text, "\"answer\": \"yes\""), contains(text, "\"4.1\""), contains(text, "\"x\"");
  dls_report_text_free(text);
  assert_int_equal(dls_solvable_text(s, &text), DLS_OK);
  contains(text, "a solution exists");
  dls_report_text_free(text);
  dls_solvable_free(s);
  assert_int_equal(dls_solvable_json(NULL, &text), DLS_ERR_ARGUMENT);
  assert_string_equal(dls_solvable_mode_name(DLS_SOLVABLE_PLUS), "slide+");
  assert_string_equal(dls_solvable_mode_name(99), "");
}

// Known problems of simulations all have solutions; larger ones take too long here.
static void test_files(void **state)
{
  (void)state;
  const char *source = getenv("DELASSUS_SOURCE");
  char directory[1000], path[2000];
  snprintf(directory, sizeof directory, "%s/../shared/data/friction", source ? source : ".");
  DIR *list = opendir(directory);
  int count = 0;
  for (struct dirent *d; list && (d = readdir(list));) {
    at_case("%s", d->d_name);
    dls_fclib *file = NULL;
    dls_message message;
    if (!strstr(d->d_name, ".hdf5")) continue;
    snprintf(path, sizeof path, "%s/%s", directory, d->d_name);
    if (dls_fclib_read(path, &file, &message) != DLS_OK) continue;
    if (file->problem.contacts <= 110) {
      assert_int_equal(solvable_answer(&file->problem), DLS_YES);
      count++;
    }
    dls_fclib_free(file);
  }
  if (list) closedir(list);
  if (count == 0) print_message("no files in %s: skipped\n", directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(can_be_stopped), cmocka_unit_test(test_painleve),
      cmocka_unit_test(test_jam),       cmocka_unit_test(test_equations),
      cmocka_unit_test(test_fails),     cmocka_unit_test(test_manufactured),
      cmocka_unit_test(test_without),   cmocka_unit_test(test_matrices),
      cmocka_unit_test(test_rooms),     cmocka_unit_test(test_bad),
      cmocka_unit_test(test_print),     cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
