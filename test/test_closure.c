// Closure of grasps and solvability of time steps: closed forms, grasps built around forces that
// hold or a motion that escapes, units, a thousand contacts. Every witness is checked here again.
#include "numbers.h"
#include "problem_maker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 1200, ROWS = 8 };

typedef struct grasp {
  int n, m, tangents, per;  // per: slips of each contact
  double M[ROWS * ROWS], F[ROWS];
  double G[ROWS * MOST], b[MOST], H[ROWS * 2 * MOST], b_t[2 * MOST];
  double mu[MOST], xi[2 * MOST], w_n[MOST], w_t[2 * MOST];
  int first[MOST + 1], object[ROWS];
  bool sliding[MOST];
  dls_friction friction;
} grasp;

static void start(grasp *g, int n, int m, int per)
{
  memset(g, 0, sizeof *g);
  g->n = n, g->m = m, g->per = per, g->tangents = per * m;
  for (int i = 0; i < n; i++) g->M[i * (n + 1)] = 1, g->object[i] = i;
  for (int j = 0; j <= m; j++) g->first[j] = per * j;
}

static dls_check *ask(grasp *g)
{
  g->friction = (dls_friction){g->tangents, g->first, g->H,       g->b_t, g->mu,
                               NULL,        g->xi,    g->sliding, g->w_n, g->w_t};
  const dls_problem p = {.n = g->n,
                         .m_u = g->m,
                         .M = g->M,
                         .F = g->F,
                         .G_u = g->G,
                         .b_u = g->b,
                         .friction = &g->friction};
  dls_check_options options = dls_check_defaults();
  options.object_size = g->n, options.object = g->object;
  options.ask = DLS_ASK(DLS_FORM_CLOSURE) | DLS_ASK(DLS_FORCE_CLOSURE) | DLS_ASK(DLS_STEP_SOLVABLE);
  dls_check *check = NULL;
  dls_message message;
  assert_int_equal(dls_check_run(&p, &options, &check, &message), DLS_OK);
  return check;
}

static const double *part(const dls_verdict *v, const char *name)
{
  for (int i = 0; i < v->parts; i++)
    if (strcmp(v->part[i].name, name) == 0) return v->part[i].values;
  return NULL;
}

static double column(const grasp *g, const double *A, int j, const double *d)
{
  double sum = 0;
  for (int i = 0; i < g->n; i++) sum += A[i + g->n * j] * d[i];
  return sum;
}

static double length(const grasp *g, int j, const double *t)
{
  return g->per == 2 ? hypot(t[2 * j], t[2 * j + 1]) : g->per == 1 ? fabs(t[j]) : 0;
}

// d lets every contact go; a millionth of the size of its terms is rounding here.
static bool escapes(const grasp *g, const double *d, bool friction)
{
  for (int j = 0; j < g->m; j++) {
    double t[2] = {0}, size = 0;
    for (int i = 0; i < g->n; i++) size += fabs(g->G[i + g->n * j] * d[i]);
    for (int k = 0; friction && k < g->per; k++) {
      t[k] = column(g, g->H, g->per * j + k, d);
      for (int i = 0; i < g->n; i++)
        size += g->mu[j] * fabs(g->H[i + g->n * (g->per * j + k)] * d[i]);
    }
    if (column(g, g->G, j, d) < g->mu[j] * hypot(t[0], t[1]) - 1e-6 * size) return false;
  }
  return true;
}

static bool cancels(const grasp *g, const double *lambda, const double *tau)
{
  for (int i = 0; i < g->n; i++) {
    double sum = 0, terms = 0;
    for (int j = 0; j < g->m; j++) {
      const double x = g->G[i + g->n * j] * lambda[j];
      sum += x, terms += fabs(x);
      for (int k = g->per * j; tau && k < g->per * (j + 1); k++)
        sum += g->H[i + g->n * k] * tau[k], terms += fabs(g->H[i + g->n * k] * tau[k]);
    }
    if (fabs(sum) > 1e-9 * terms) return false;
  }
  return true;
}

// The answer, after its witness has been checked.
static dls_answer closure(const grasp *g, const dls_check *check, dls_question question)
{
  const dls_verdict *v = &check->verdict[question];
  const bool friction = question == DLS_FORCE_CLOSURE;
  if (v->answer == DLS_NO) {
    const double *d = part(v, "direction");
    double largest = 0;
    for (int i = 0; i < g->n; i++) largest = fmax(largest, fabs(d[i]));
    assert_true(fabs(largest - 1) < 1e-12);
    assert_true(escapes(g, d, friction));
  }
  if (v->answer == DLS_YES) {
    const double *lambda = part(v, "lambda_u"), *tau = part(v, "tau");
    assert_true(cancels(g, lambda, friction ? tau : NULL));
    for (int j = 0; j < g->m; j++) {
      assert_true(lambda[j] > 0);
      if (friction && g->mu[j] > 0) assert_true(length(g, j, tau) < g->mu[j] * lambda[j]);
    }
  }
  return v->answer;
}

static dls_answer answer(grasp *g, dls_question question)
{
  dls_check *check = ask(g);
  const dls_answer a = closure(g, check, question);
  dls_check_free(check);
  return a;
}

// A rectangle touched at (x, y) with the inward normal (u, v); the slip is across.
static void touch(grasp *g, int j, double x, double y, double u, double v, double mu)
{
  const double G[3] = {u, v, x * v - y * u}, H[3] = {-v, u, x * u + y * v};
  memcpy(g->G + 3 * j, G, sizeof G);
  if (g->per) memcpy(g->H + 3 * j, H, sizeof H);
  g->mu[j] = mu;
}

static void rectangles(void **state)
{
  (void)state;
  static grasp g;
  for (int e = -2; e <= 2; e++)
    for (int d = -2; d <= 2; d++) {
      at_case("e %d, d %d", e, d);
      start(&g, 3, 4, 0);
      touch(&g, 0, -1, 0.1 * e, 1, 0, 0);
      touch(&g, 1, 1, -0.1 * e, -1, 0, 0);
      touch(&g, 2, 0.1 * d, -1, 0, 1, 0);
      touch(&g, 3, -0.1 * d, 1, 0, -1, 0);
      assert_int_equal(answer(&g, DLS_FORM_CLOSURE), e * d > 0 ? DLS_YES : DLS_NO);
      g.m = 3;
      assert_int_equal(answer(&g, DLS_FORM_CLOSURE), DLS_NO);
    }
}

// Two points at the heights -e and e, 2 a apart: force closure if and only if mu > e / a.
static void two_fingers(void **state)
{
  (void)state;
  static grasp g;
  for (int k = 1; k < 40; k++) {
    at_case("k %d", k);
    const double mu = 0.025 * k, e = 0.3;
    if (fabs(mu - e) < 1e-9) continue;
    start(&g, 3, 2, 1);
    touch(&g, 0, -1, -e, 1, 0, mu);
    touch(&g, 1, 1, e, -1, 0, mu);
    assert_int_equal(answer(&g, DLS_FORCE_CLOSURE), mu > e ? DLS_YES : DLS_NO);
    assert_int_equal(answer(&g, DLS_FORM_CLOSURE), DLS_NO);
  }
}

// Three fingers on the unit sphere at the latitude beta: forces can cancel if mu > tan beta.
static void three_fingers_on_a_sphere(void **state)
{
  (void)state;
  static grasp g;
  for (int k = 1; k < 30; k++) {
    at_case("k %d", k);
    const double beta = 0.4,
                 mu = tan(beta) * (k < 15 ? 1 - pow(10, -0.5 * k) : 1 + pow(10, 15 - k));
    start(&g, 6, 3, 2);
    for (int j = 0; j < 3; j++) {
      const double a = 2.0943951023931953 * j;
      const double p[3] = {cos(beta) * cos(a), cos(beta) * sin(a), -sin(beta)};
      const double t[2][3] = {{-sin(a), cos(a), 0},
                              {sin(beta) * cos(a), sin(beta) * sin(a), cos(beta)}};
      for (int i = 0; i < 3; i++) {
        g.G[i + 6 * j] = -p[i];
        for (int s = 0; s < 2; s++) {
          g.H[i + 6 * (2 * j + s)] = t[s][i];
          g.H[3 + i + 6 * (2 * j + s)] =
              p[(i + 1) % 3] * t[s][(i + 2) % 3] - p[(i + 2) % 3] * t[s][(i + 1) % 3];
        }
      }
      g.mu[j] = mu;
    }
    const dls_answer a = answer(&g, DLS_FORCE_CLOSURE);
    const double off = fabs(mu / tan(beta) - 1);
    if (off < 2e-11) continue;  // rounding: no different from equal
    if (off > 1e-6) assert_int_equal(a, mu > tan(beta) ? DLS_YES : DLS_NO);
    else assert_true(a == DLS_UNDECIDED || a == (mu > tan(beta) ? DLS_YES : DLS_NO));
  }
}

static void draw(grasp *g, rng *r, int n, int m, int per)
{
  start(g, n, m, per);
  for (int i = 0; i < n * m; i++) g->G[i] = rng_real(r);
  for (int i = 0; i < n * g->tangents; i++) g->H[i] = rng_real(r);
  for (int j = 0; j < m; j++) g->mu[j] = per ? 0.2 + 0.6 * fabs(rng_real(r)) : 0;
}

// The last contact balances forces inside the cones of the others: closure once the rank is full.
static void make_held(grasp *g, rng *r)
{
  const int last = g->m - 1;
  for (int i = 0; i < g->n; i++) g->G[i + g->n * last] = 0;
  for (int j = 0; j < last; j++) {
    const double lambda = 0.5 + fabs(rng_real(r)), size = 0.5 * g->mu[j] * lambda;
    for (int i = 0; i < g->n; i++) {
      g->G[i + g->n * last] -= lambda * g->G[i + g->n * j];
      for (int k = g->per * j; k < g->per * (j + 1); k++)
        g->G[i + g->n * last] -= size * (k % 2 ? 0.6 : -0.5) * g->H[i + g->n * k];
    }
  }
}

// Every contact lets the motion d go.
static void make_escaping(grasp *g, rng *r)
{
  double d[ROWS], square = 0;
  for (int i = 0; i < g->n; i++) d[i] = rng_real(r), square += d[i] * d[i];
  for (int j = 0; j < g->m; j++) {
    double t[2] = {0};
    for (int k = 0; k < g->per; k++) t[k] = column(g, g->H, g->per * j + k, d);
    const double p = column(g, g->G, j, d);
    const double wanted = g->mu[j] * hypot(t[0], t[1]) + (rng_chance(r, 0.3) ? 0.01 : 1);
    for (int i = 0; i < g->n; i++) g->G[i + g->n * j] += (wanted - p) * d[i] / square;
  }
}

// Other units of coordinates and contacts: G_ij c_i k_j, H_ij c_i l_j, mu_j k_j / l_j.
static void change_units(grasp *g, rng *r)
{
  for (int i = 0; i < g->n; i++) {
    const double c = pow(10, rng_int(r, -8, 8));
    g->M[i * (g->n + 1)] *= c * c;
    for (int j = 0; j < g->m; j++) g->G[i + g->n * j] *= c;
    for (int k = 0; k < g->tangents; k++) g->H[i + g->n * k] *= c;
  }
  for (int j = 0; j < g->m; j++) {
    const double a = pow(10, rng_int(r, -6, 6)), b = pow(10, rng_int(r, -3, 3));
    for (int i = 0; i < g->n; i++) {
      g->G[i + g->n * j] *= a;
      for (int k = g->per * j; k < g->per * (j + 1); k++) g->H[i + g->n * k] *= b;
    }
    g->mu[j] *= a / b;
  }
}

static void built_grasps(void **state)
{
  (void)state;
  static grasp g;
  rng r = rng_create(7);
  int undecided = 0, asked = 0;
  for (int trial = 0; trial < 400; trial++) {
    at_case("trial %d", trial);
    const int per = trial % 3, n = rng_int(&r, 2, 6), m = rng_int(&r, n + 1, n + 6);
    const bool held = rng_chance(&r, 0.5);
    draw(&g, &r, n, m, per);
    if (held) make_held(&g, &r);
    else make_escaping(&g, &r);
    if (rng_chance(&r, 0.5)) change_units(&g, &r);
    const dls_answer a = answer(&g, per ? DLS_FORCE_CLOSURE : DLS_FORM_CLOSURE);
    asked++;
    undecided += a == DLS_UNDECIDED;
    if (a != DLS_UNDECIDED) assert_int_equal(a, held ? DLS_YES : DLS_NO);
  }
  assert_true(undecided * 100 <= asked);
}

static void a_thousand_contacts(void **state)
{
  (void)state;
  static grasp g;
  rng r = rng_create(8);
  for (int held = 0; held < 2; held++) {
    at_case("held %d", held);
    draw(&g, &r, 6, 1000, 2);
    if (held) make_held(&g, &r);
    else make_escaping(&g, &r);
    assert_int_equal(answer(&g, DLS_FORCE_CLOSURE), held ? DLS_YES : DLS_NO);
  }
}

// A contact that does not touch the object says nothing; a single one holds nothing.
static void edges(void **state)
{
  (void)state;
  static grasp g;
  start(&g, 3, 1, 1);
  touch(&g, 0, 0, -1, 0, 1, 0.5);
  assert_int_equal(answer(&g, DLS_FORM_CLOSURE), DLS_NO);
  assert_int_equal(answer(&g, DLS_FORCE_CLOSURE), DLS_NO);
  memset(g.G, 0, sizeof g.G), memset(g.H, 0, sizeof g.H);
  dls_check *check = ask(&g);
  assert_int_equal(check->verdict[DLS_FORM_CLOSURE].answer, DLS_NOT_ASKED);
  dls_check_free(check);
}

// --- time steps ---------------------------------------------------------------------------------

static dls_answer step(grasp *g)
{
  dls_check *check = ask(g);
  const dls_verdict *v = &check->verdict[DLS_STEP_SOLVABLE];
  const dls_answer a = v->answer;
  if (a == DLS_YES) {
    const double *d = part(v, "velocity");
    for (int j = 0; j < g->m; j++) {
      double t[2] = {0}, size = fabs(g->w_n[j]);
      for (int i = 0; i < g->n; i++) size += fabs(g->G[i + g->n * j] * d[i]);
      for (int k = 0; k < g->per; k++)
        t[k] = column(g, g->H, g->per * j + k, d) + g->w_t[g->per * j + k];
      assert_true(column(g, g->G, j, d) + g->w_n[j] >= g->mu[j] * hypot(t[0], t[1]) - 1e-9 * size);
    }
  }
  if (a == DLS_NO) {
    const double *lambda = part(v, "lambda_u"), *tau = part(v, "tau");
    double work = 0;
    assert_true(cancels(g, lambda, tau));
    for (int j = 0; j < g->m; j++) {
      assert_true(length(g, j, tau) <= g->mu[j] * lambda[j] * (1 + 1e-9) + 1e-12);
      work += g->w_n[j] * lambda[j];
      for (int k = g->per * j; k < g->per * (j + 1); k++) work += g->w_t[k] * tau[k];
    }
    assert_true(work < 0);
  }
  dls_check_free(check);
  return a;
}

// CVX Example 2.1: yes if and only if u_0 <= 0 or tan theta > mu.
static void imposed_motion(void **state)
{
  (void)state;
  static grasp g;
  for (int i = 1; i < 15; i++)
    for (int k = 1; k < 15; k++)
      for (int u = -1; u <= 1; u++) {
        const double theta = 0.1 * i, mu = 0.25 * k;
        start(&g, 1, 1, 1);
        g.G[0] = sin(theta), g.H[0] = cos(theta), g.mu[0] = mu, g.w_t[0] = u;
        assert_int_equal(step(&g), u <= 0 || tan(theta) > mu ? DLS_YES : DLS_NO);
      }
}

static void built_steps(void **state)
{
  (void)state;
  static grasp g;
  rng r = rng_create(9);
  int counts[4] = {0};
  for (int trial = 0; trial < 300; trial++) {
    at_case("trial %d", trial);
    const int per = 1 + trial % 2, n = rng_int(&r, 1, 5), m = rng_int(&r, 1, 6);
    const bool solvable = rng_chance(&r, 0.5);
    draw(&g, &r, n, m, per);
    double v[ROWS];
    for (int i = 0; i < n; i++) v[i] = rng_real(&r);
    for (int k = 0; k < g.tangents; k++) g.w_t[k] = rng_real(&r);
    if (solvable) {
      for (int j = 0; j < m; j++) {
        double t[2] = {0};
        for (int k = 0; k < per; k++) t[k] = column(&g, g.H, per * j + k, v) + g.w_t[per * j + k];
        g.w_n[j] = g.mu[j] * hypot(t[0], t[1]) - column(&g, g.G, j, v) + 0.1;
      }
    } else {
      if (m == 1) continue;
      make_held(&g, &r);  // r in L, G r_n + H r_t = 0; moved so that it works against w
      for (int j = 0; j < m; j++) g.w_n[j] = -4;
    }
    const dls_answer a = step(&g);
    counts[a]++;
    if (a != DLS_UNDECIDED) assert_int_equal(a, solvable ? DLS_YES : DLS_NO);
  }
  assert_true(counts[DLS_YES] > 50 && counts[DLS_NO] > 50 && counts[DLS_UNDECIDED] <= 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rectangles),
      cmocka_unit_test(two_fingers),
      cmocka_unit_test(three_fingers_on_a_sphere),
      cmocka_unit_test(built_grasps),
      cmocka_unit_test(a_thousand_contacts),
      cmocka_unit_test(edges),
      cmocka_unit_test(imposed_motion),
      cmocka_unit_test(built_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
