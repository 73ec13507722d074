// Tableaux by their order conditions, and smooth motion by closed forms and against one another.
#include "numbers.h"
#include "fixture.h"
#include "step/runge_kutta.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

typedef struct vec {
  double x[DLS_RK_STAGES];
} vec;

static vec times(const dls_tableau *t, vec a)  // A a
{
  vec out = {{0}};
  for (int i = 0; i < DLS_RK_STAGES; i++)
    for (int j = 0; j < DLS_RK_STAGES; j++) out.x[i] += t->A[i][j] * a.x[j];
  return out;
}

static vec by(const dls_tableau *t, vec a, vec b)  // component by component
{
  (void)t;
  for (int i = 0; i < DLS_RK_STAGES; i++) a.x[i] *= b.x[i];
  return a;
}

static double dot(const dls_tableau *t, const double *b, vec a)
{
  double sum = 0;
  (void)t;
  for (int i = 0; i < DLS_RK_STAGES; i++) sum += b[i] * a.x[i];
  return sum;
}

static vec power(const dls_tableau *t, int k)  // c^k
{
  vec out;
  for (int i = 0; i < DLS_RK_STAGES; i++) out.x[i] = pow(t->c[i], k);
  return out;
}

// Rooted trees up to order eight, each the multiset of the trees at its root: what the stages make
// of it, and its density.
enum { TREES = 200, LAST_ORDER = 8 };

typedef struct forest {
  int count;
  int order[TREES];
  double density[TREES];
  vec value[TREES];
} forest;

// All trees of an order that have what is there and more trees at the root, none before `from`.
static void grow(const dls_tableau *t, forest *f, int order, int left, int from, vec value,
                 double density)
{
  if (left == 0) {
    assert_true(f->count < TREES);
    f->order[f->count] = order, f->density[f->count] = order * density;
    f->value[f->count++] = value;
    return;
  }
  const int known = f->count;
  for (int k = from; k < known && f->order[k] <= left; k++)
    grow(t, f, order, left - f->order[k], k, by(t, value, times(t, f->value[k])),
         density * f->density[k]);
}

static forest plant(const dls_tableau *t)
{
  static const int counts[LAST_ORDER + 1] = {0, 1, 2, 4, 8, 17, 37, 85, 200};
  forest f = {0};
  for (int order = 1; order <= LAST_ORDER; order++) {
    grow(t, &f, order, order - 1, 0, power(t, 0), 1);
    assert_int_equal(f.count, counts[order]);
  }
  return f;
}

// The largest miss of the conditions up to an order, of weights for the part x of a step.
static double missed(const dls_tableau *t, const forest *f, const double *b, double x, int order)
{
  double most = 0;
  for (int k = 0; k < f->count; k++)
    if (f->order[k] <= order)
      most = fmax(most, fabs(dot(t, b, f->value[k]) - pow(x, f->order[k]) / f->density[k]));
  return most;
}

// An order, and really no higher one.
static void has_order(const dls_tableau *t, const double *b, double x, int order)
{
  const forest f = plant(t);
  const double size = 1 + 1e2 * (t->stages > 7);
  if (!(missed(t, &f, b, x, order) <= 1e-14 * size))
    fail_msg("%s, %g: order %d is missed by %g", t->name, x, order, missed(t, &f, b, x, order));
  if (order < LAST_ORDER) assert_true(missed(t, &f, b, x, order + 1) > 1e-8);
}

// Dense output, and the size of the error of the one that is free.
static void dense_orders(void **state)
{
  (void)state;
  const struct {
    const char *name;
    int dense, free;
  } rows[] = {{"herk5", 4, 0}, {"herk8", 7, 6}};
  for (int k = 0; k < 2; k++) {
    dls_tableau t;
    double w[DLS_RK_STAGES] = {0};
    assert_true(dls_tableau_find(rows[k].name, &t));
    for (double x = 0.125; x < 1; x += 0.25) {
      at_case("%s, %g", t.name, x);
      dls_tableau_inside(&t, &t.dense, x, w);
      has_order(&t, w, x, rows[k].dense);
      if (rows[k].free == 0) continue;
      dls_tableau_inside(&t, &t.free, x, w);
      for (int i = t.stages; i < DLS_RK_STAGES; i++) assert_true(w[i] == 0);
      has_order(&t, w, x, rows[k].free);
      close_to(dls_tableau_free_error(&t, x), fabs(dot(&t, w, power(&t, 6)) - pow(x, 7) / 7),
               1e-15);
    }
    for (int end = 0; end < 2; end++) {
      dls_tableau_inside(&t, &t.dense, end, w);
      for (int i = 0; i < DLS_RK_STAGES; i++) assert_true(fabs(w[i] - end * t.b[i]) < 1e-15);
    }
    for (int i = 0; i < t.extra; i++) {
      double row = 0;
      for (int j = 0; j < t.stages + i; j++) row += t.A[t.stages + i][j];
      close_to(row, t.c[t.stages + i], 1e-14);
    }
  }
  dls_tableau t;
  dls_tableau_find("herk8", &t);
  for (int p = 0; p < 6; p++) assert_true(fabs(dot(&t, t.free_error, power(&t, p))) < 1e-10);
  close_to(dot(&t, t.free_error, power(&t, 6)), 1, 1e-10);
}

static void order_conditions(void **state)
{
  (void)state;
  assert_int_equal(dls_tableau_count(), 10);
  for (int k = 0; k < dls_tableau_count(); k++) {
    at_case("k %d", k);
    dls_tableau t;
    assert_true(dls_tableau_at(k, &t));
    for (int i = 0; i < t.stages; i++) {
      double row = 0;
      for (int j = 0; j < t.stages; j++) row += t.A[i][j];
      close_to(row, t.c[i], 1e-14);
      if (t.ends) close_to(t.A[t.stages - 1][i], t.b[i], 1e-15);
      if (t.starts) assert_true(t.A[0][i] == 0);
      for (int j = i; j < t.stages && !t.implicit; j++) assert_true(t.A[i][j] == 0);
    }
    has_order(&t, t.b, 1, t.order);
    // the formula inside: lower order, and really lower
    const int estimate = t.two ? 5 : t.estimate;
    double inner[DLS_RK_STAGES] = {0};
    for (int i = 0; i < t.stages; i++) inner[i] = t.b[i] - t.e[i];
    if (t.e_0 == 0) has_order(&t, inner, 1, estimate);
    for (int p = 1; p <= estimate; p++)
      close_to(dot(&t, t.e, power(&t, p - 1)) + (p == 1 ? t.e_0 : 0), 0, 1e-13);
    assert_true(t.two || fabs(dot(&t, t.e, power(&t, t.estimate))) > 1e-3 ||
                fabs(dot(&t, t.e, times(&t, power(&t, t.estimate - 1)))) > 1e-4);
    for (int i = 0; i < t.stages; i++) inner[i] = t.b[i] - t.e_low[i];
    if (t.two) has_order(&t, inner, 1, 3);
  }
  dls_tableau t;
  assert_false(dls_tableau_at(-1, &t));
  assert_false(dls_tableau_at(10, &t));
  assert_false(dls_tableau_find("euler", &t));
  assert_false(dls_tableau_find(NULL, &t));
}

// B(p): sum b c^(k-1) = 1/k; C(q): sum_j A_ij c_j^(k-1) = c_i^k / k; D(r).
static void simplifying_assumptions(void **state)
{
  (void)state;
  const struct {
    const char *name;
    int B, C, D;
  } rows[] = {{"radau3", 3, 2, 1},
              {"radau5", 5, 3, 2},
              {"lobatto2", 2, 2, 0},
              {"lobatto4", 4, 3, 1},
              {"lobatto6", 6, 4, 2}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    dls_tableau t;
    assert_true(dls_tableau_find(rows[r].name, &t));
    assert_int_equal(t.order, rows[r].B);
    for (int k = 1; k <= rows[r].B; k++) close_to(dot(&t, t.b, power(&t, k - 1)), 1. / k, 1e-15);
    assert_true(fabs(dot(&t, t.b, power(&t, rows[r].B)) - 1. / (rows[r].B + 1)) > 1e-5);
    for (int k = 1; k <= rows[r].C; k++) {
      const vec left = times(&t, power(&t, k - 1)), right = power(&t, k);
      for (int i = 0; i < t.stages; i++) close_to(left.x[i], right.x[i] / k, 1e-15);
    }
    for (int k = 1; k <= rows[r].D; k++)
      for (int j = 0; j < t.stages; j++) {
        double left = 0;
        for (int i = 0; i < t.stages; i++) left += t.b[i] * pow(t.c[i], k - 1) * t.A[i][j];
        close_to(left, t.b[j] * (1 - pow(t.c[j], k)) / k, 1e-15);
      }
  }
}

// R(z) = 1 + z b^T (I - z A)^-1 1 for real z, by elimination.
static double stability(const dls_tableau *t, double z)
{
  double M[DLS_RK_STAGES][DLS_RK_STAGES + 1];
  const int s = t->stages;
  for (int i = 0; i < s; i++) {
    for (int j = 0; j < s; j++) M[i][j] = (i == j) - z * t->A[i][j];
    M[i][s] = 1;
  }
  for (int k = 0; k < s; k++)
    for (int i = 0; i < s; i++) {
      if (i == k) continue;
      const double factor = M[i][k] / M[k][k];
      for (int j = k; j <= s; j++) M[i][j] -= factor * M[k][j];
    }
  double sum = 1;
  for (int i = 0; i < s; i++) sum += z * t->b[i] * M[i][s] / M[i][i];
  return sum;
}

static void stiff_decay(void **state)
{
  (void)state;
  const struct {
    const char *name;
    double far;
  } rows[] = {{"radau3", 0}, {"radau5", 0}, {"lobatto2", -1}, {"lobatto4", 1}, {"lobatto6", -1}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    dls_tableau t;
    assert_true(dls_tableau_find(rows[r].name, &t));
    close_to(stability(&t, -1e7), rows[r].far, 1e-5);
    for (double z = -100; z < 0; z += 0.37) assert_true(fabs(stability(&t, z)) <= 1 + 1e-12);
  }
}

// --- smooth motion ---

static const char *const pendulum = "coordinate th = 1\n"
                                    "kinetic    th'^2/2\n"
                                    "potential  -9.81*cos(th)\n";
static const char *const rod = "coordinate x = sin(1), y = -cos(1)\n"
                               "kinetic    (x'^2 + y'^2)/2\n"
                               "potential  9.81*y\n"
                               "bilateral  rod: (x^2 + y^2)/2 = 1/2\n";
// the same constraint twice, and an angle without mass
static const char *const redundant = "coordinate x = sin(1), y = -cos(1)\n"
                                     "kinetic    (x'^2 + y'^2)/2\n"
                                     "potential  9.81*y\n"
                                     "bilateral  one: (x^2 + y^2)/2 = 1/2\n"
                                     "bilateral  two: 3*(x^2 + y^2) = 3\n";
static const char *const massless = "coordinate th = 1, x = sin(th), y = -cos(th)\n"
                                    "kinetic    (x'^2 + y'^2)/2\n"
                                    "potential  9.81*y\n"
                                    "bilateral  a: x = sin(th)\n"
                                    "bilateral  b: y = -cos(th)\n";

static double angle(const fixture *r)
{
  const int n = r->system->n;
  if (n == 1) return fixture_q(r, 0);
  return atan2(fixture_q(r, n - 2), -fixture_q(r, n - 1));
}

static double angle_after(const char *text, const char *scheme, double step, double rtol, long most)
{
  fixture *r = fixture_open(text, scheme, step, rtol);
  fixture_to(r, 2);
  const double last = angle(r);
  assert_true(dls_integrator_counts(r->integrator).steps <= most);
  fixture_close(r);
  return last;
}

// The largest difference from the reference at the times 1/4, 1/2, ..., 2.
static double difference(const char *text, const char *scheme, double step, const double *reference)
{
  fixture *r = fixture_open(text, scheme, step, 0);
  double most = 0;
  for (int k = 0; k < 8; k++) {
    fixture_to(r, (k + 1) / 4.);
    most = fmax(most, fabs(angle(r) - reference[k]));
  }
  fixture_close(r);
  return most;
}

static const double oracle = 0.92079382715597146;  // 2 asin(k cd(2 sqrt(9.81), k)), k = sin(1/2)

static void orders(void **state)
{
  (void)state;
  const char *const texts[] = {pendulum, rod, redundant, massless};
  double reference[8];
  fixture *r = fixture_open(pendulum, "lobatto6", 1. / 400, 0);
  for (int k = 0; k < 8; k++) {
    at_case("k %d", k);
    fixture_to(r, (k + 1) / 4.);
    reference[k] = angle(r);
  }
  fixture_close(r);
  close_to(reference[7], oracle, 1e-12);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (int i = 0; i < dls_tableau_count(); i++) {
      at_case("%s, i %d", texts[k], i);
      dls_tableau t;
      assert_true(dls_tableau_at(i, &t));
      const bool high = t.order > 6;  // rounding is near
      const double coarse = difference(texts[k], t.name, high ? 1. / 4 : 1. / 16, reference);
      const double fine = difference(texts[k], t.name, high ? 1. / 8 : 1. / 64, reference);
      const double order = log2(coarse / fine) / (high ? 1 : 2);
      if (!(order > t.order - 0.35))
        fail_msg("%s of text %zu: order %g (%g, %g)", t.name, k, order, coarse, fine);
    }
}

static void adaptive_steps(void **state)
{
  (void)state;
  for (int i = 0; i < dls_tableau_count(); i++) {
    at_case("i %d", i);
    dls_tableau t;
    assert_true(dls_tableau_at(i, &t));
    const double tolerance = t.order > 2 ? 1e-7 : 1e-5;
    close_to(angle_after(pendulum, t.name, 0.5, tolerance, 100000), oracle, 50 * tolerance);
    close_to(angle_after(rod, t.name, 0.001, tolerance, t.order < 4 ? 4000 : 1000), oracle,
             50 * tolerance);
  }
}

static void no_drift(void **state)
{
  (void)state;
  const char *const schemes[] = {"radau5", "lobatto4", "herk3"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    fixture *r = fixture_open(rod, schemes[k], 0.02, 0);
    const double start = fixture_energy(r);
    fixture_to(r, 60);
    const dls_step_counts counts = dls_integrator_counts(r->integrator);
    assert_true(counts.max_bilateral_gap < 1e-10 && counts.max_bilateral_velocity < 1e-10);
    assert_int_equal(counts.steps, 3000);
    // Newton's iteration is fast; two more are for the samples inside a step
    assert_true(counts.rhs_evaluations < 16 * counts.steps);
    close_to(fixture_energy(r), start, k == 0 ? 1e-5 : k == 1 ? 1e-4 : 0.2);
    fixture_close(r);
  }
}

// Over a thousand periods.
static void energy(void **state)
{
  (void)state;
  const char *const oscillator = "coordinate y = 1\nkinetic y'^2/2\npotential 9*y^2/2\n";
  const struct {
    const char *model, *scheme;
    double step, period;
  } cases[] = {{oscillator, "radau5", 0.0042, 2.0943951023931953},
               {oscillator, "lobatto6", 0.1, 2.0943951023931953},  // symmetric: loses nothing
               {pendulum, "radau5", 0.0042, 2.1395}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    fixture *r = fixture_open(cases[k].model, cases[k].scheme, cases[k].step, 0);
    const double start = fixture_energy(r);
    fixture_to(r, 1000 * cases[k].period);
    close_to(fixture_energy(r) / start, 1, 1e-9);
    fixture_close(r);
  }
}

// A chain hanging over: large enough for sparse factors.
static void chain_text(int links, char *text, size_t size)
{
  size_t at = 0;
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  for (int i = 1; i <= links; i++) ADD("coordinate x%d = %d/10, y%d = 0\n", i, i, i);
  for (int i = 1; i <= links; i++) ADD("kinetic (x%d'^2 + y%d'^2)/20\n", i, i);
  for (int i = 1; i <= links; i++) ADD("potential 0.981*y%d\n", i);
  ADD("bilateral l1: (x1^2 + y1^2)/2 = 1/200\n");
  for (int i = 2; i <= links; i++)
    ADD("bilateral l%d: ((x%d - x%d)^2 + (y%d - y%d)^2)/2 = 1/200\n", i, i, i - 1, i, i - 1);
#undef ADD
  assert_true(at < size);
}

static void chain(void **state)
{
  (void)state;
  static char text[40000];
  chain_text(40, text, sizeof text);
  fixture *a = fixture_open(text, "radau5", 0.01, 0), *b = fixture_open(text, "herk5", 0.005, 0);
  const double start = fixture_energy(a);
  fixture_to(a, 0.4), fixture_to(b, 0.4);
  for (int i = 0; i < a->system->n; i++) close_to(fixture_q(a, i), fixture_q(b, i), 1e-6);
  close_to(fixture_energy(a), start, 1e-5);
  assert_true(dls_integrator_counts(a->integrator).max_bilateral_gap < 1e-10);
  fixture_close(a), fixture_close(b);
}

static void without_derivatives(void **state)
{
  (void)state;
  dls_model *model;
  dls_diagnostics diagnostics;
  dls_system *system;
  double q = 1, v = 0;
  const dls_state start = {0, &q, &v};
  dls_integrator *integrator;
  dls_message message = {""};
  dls_integrator_options options = dls_integrator_defaults();
  assert_int_equal(dls_model_parse(pendulum, strlen(pendulum), &model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  options.step = 0.1, options.scheme = "radau5";
  assert_int_equal(dls_integrator_create(system, &start, &options, &integrator, &message),
                   DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "derivatives"));
  options.scheme = "herk4";
  assert_int_equal(dls_integrator_create(system, &start, &options, &integrator, &message), DLS_OK);
  dls_integrator_free(integrator);
  dls_system_free(system);
  dls_model_free(model);
}

static void numbers(void **state)
{
  (void)state;
  const char *const text = "coordinate x\nkinetic x'^2/2\nforce x = sqrt(0.55 - t)\n";
  const char *const free_text = "coordinate x, y\nkinetic x'^2/2\nforce y = 1\n";
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    fixture *r = fixture_open(text, k == 0 ? "radau5" : "herk4", 0.1, 0);
    assert_int_equal(fixture_until_failure(r, 1), DLS_FAILURE_NUMBER);
    assert_true(dls_integrator_sample(r->integrator).t <= 0.55);
    assert_true(isfinite(fixture_q(r, 0)));
    fixture_close(r);
    r = fixture_open(free_text, k == 0 ? "radau5" : "herk4", 0.1, 0);
    assert_int_equal(fixture_until_failure(r, 1), DLS_FAILURE_SINGULAR);
    fixture_close(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_conditions),
      cmocka_unit_test(dense_orders),
      cmocka_unit_test(simplifying_assumptions),
      cmocka_unit_test(stiff_decay),
      cmocka_unit_test(orders),
      cmocka_unit_test(adaptive_steps),
      cmocka_unit_test(no_drift),
      cmocka_unit_test(energy),
      cmocka_unit_test(chain),
      cmocka_unit_test(without_derivatives),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
