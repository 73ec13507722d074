// Every step of Moreau's scheme, held against its defining equations (mor.1): recomputed here from
// the system alone, with nothing of the integrator but the states and impulses that it reports.
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 200 };

typedef struct state {
  double t, q[MOST], v[MOST], impulse[2 * MOST];
} state;

static state now(const fixture *r)
{
  const dls_sample m = dls_integrator_sample(r->integrator);
  state s = {.t = m.t};
  assert_true(m.n <= MOST && m.impulses <= 2 * MOST);
  memcpy(s.q, m.q, (size_t)m.n * sizeof(double));
  memcpy(s.v, m.v, (size_t)m.n * sizeof(double));
  memcpy(s.impulse, m.impulse, (size_t)m.impulses * sizeof(double));
  return s;
}

static double product(const dls_pattern *a, const double *x, int col, const double *v)
{
  double sum = 0;
  for (int e = a->p[col]; e < a->p[col + 1]; e++) sum += x[e] * v[a->i[e]];
  return sum;
}

static void evaluate(const fixture *r, double t, const double *q, const double *v, dls_values *x)
{
  assert_int_equal(r->system->evaluate(r->system->self, t, q, v, x, NULL, NULL), DLS_OK);
}

// M (v1 - v0) + h F = G P + H P_T, row by row, relative to the terms of all.
static void check_balance(const fixture *r, const dls_values *x, double h, const state *a,
                          const state *b)
{
  const dls_system *s = r->system;
  double left[MOST] = {0}, size = 0;
  for (int j = 0; j < s->n; j++)
    for (int e = s->mass.p[j]; e < s->mass.p[j + 1]; e++)
      left[s->mass.i[e]] += x->M[e] * (b->v[j] - a->v[j]);
  for (int i = 0; i < s->n; i++) {
    left[i] += h * x->F[i];
    size = fmax(size, fabs(left[i]) + fabs(h * x->F[i]) + 1e-3 * fabs(b->v[i]));
  }
  for (int j = 0, k = 0, at = 0; j < s->m; j++) {
    const double P = b->impulse[at] - a->impulse[at];
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++) left[s->normal.i[e]] -= x->G[e] * P;
    at++;
    for (int l = 0; l < s->contacts[j].tangents; l++, k++, at++)
      for (int e = s->tangent.p[k]; e < s->tangent.p[k + 1]; e++)
        left[s->tangent.i[e]] -= x->H[e] * (b->impulse[at] - a->impulse[at]);
  }
  for (int i = 0; i < s->n; i++)
    if (!(fabs(left[i]) <= 1e-9 * size))
      fail_msg("t = %g, row %d: %g of %g is left", b->t, i, left[i], size);
}

// Coulomb's law in the plane for the contacts that are predicted to close, no impulse at others.
static int check_laws(const fixture *r, const dls_values *begin, const dls_values *x,
                      const double *v_theta, double h, const state *a, const state *b)
{
  const dls_system *s = r->system;
  int pressed = 0;
  double change[MOST], speed = 1, most = 0;
  for (int i = 0; i < s->n; i++) {
    change[i] = b->v[i] - v_theta[i];
    speed = fmax(speed, fmax(fabs(a->v[i]), fabs(b->v[i])));
  }
  for (int k = 0; k < s->m + s->tangents; k++)
    most = fmax(most, fabs(b->impulse[k] - a->impulse[k]));
  for (int j = 0, at = 0, k = 0; j < s->m; j++) {
    const int tangents = s->contacts[j].tangents;
    const double P = b->impulse[at] - a->impulse[at], mu = x->friction[j];
    if (begin->h[j] + 0.5 * h * begin->h_dot[j] > 1e-8) {
      assert_true(P == 0);
    } else {
      const double u = x->h_dot[j] + product(&s->normal, x->G, j, change) +
                       begin->restitution[j] * begin->h_dot[j];
      const double small = 1e-7 * speed, tiny = 1e-7 * most;
      assert_true(P >= -tiny && u >= -small);
      if (P > tiny && u > small)
        fail_msg("t = %g: contact %d pulls or gives, %g, %g", b->t, j, P, u);
      pressed += P > tiny;
      if (tangents == 1) {
        const double T = b->impulse[at + 1] - a->impulse[at + 1];
        const double slip = x->slip[k] + product(&s->tangent, x->H, k, change);
        assert_true(fabs(T) <= mu * P + tiny);
        if (fabs(slip) > small && fabs(T + copysign(mu * P, slip)) > tiny)
          fail_msg("t = %g: contact %d slides at %g with %g of %g", b->t, j, slip, T, mu * P);
      }
    }
    k += tangents, at += 1 + tangents;
  }
  return pressed;
}

// Returns in how many steps some contact pressed.
static int check_steps(const char *text, double step, int steps)
{
  fixture *r = fixture_open(text, "moreau", step, 0);
  dls_values *begin, *x;
  assert_int_equal(dls_values_create(r->system, &begin), DLS_OK);
  assert_int_equal(dls_values_create(r->system, &x), DLS_OK);
  int pressed = 0;
  state a = now(r);
  for (int k = 1; k <= steps; k++) {
    fixture_to(r, k * step);
    const state b = now(r);
    const double h = b.t - a.t;
    double q[MOST], v[MOST];
    for (int i = 0; i < r->system->n; i++) {
      v[i] = (a.v[i] + b.v[i]) / 2;
      q[i] = a.q[i] + h / 2 * v[i];
      assert_true(fabs(b.q[i] - a.q[i] - h * v[i]) <= 1e-12 * (1 + fabs(b.q[i])));
    }
    evaluate(r, a.t, a.q, a.v, begin);
    evaluate(r, a.t + h / 2, q, v, x);
    check_balance(r, x, h, &a, &b);
    pressed += check_laws(r, begin, x, v, h, &a, &b) > 0;
    a = b;
  }
  dls_values_free(begin);
  dls_values_free(x);
  fixture_close(r);
  return pressed;
}

// Nothing but friction and restitution changes: by time, by the speed, by the place.
static void laws_that_change(void **s)
{
  (void)s;
  const char *const laws[] = {"friction 0.3", "friction 0.2 + 0.1*t",
                              "friction 0.1 + 0.4*exp(-x'^2)", "friction 0.2 + 0.1*sin(x)",
                              "friction 0.3; restitution 0.5 + 0.2*cos(9*t)"};
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    at_case("%s", laws[k]);
    char text[400];
    snprintf(text, sizeof text,
             "coordinate x, y = 0.02\nvelocity x' = 3\nkinetic x'^2 + y'^2\npotential 19.62*y\n"
             "unilateral floor: y >= 0 { slip x'; %s }\n",
             laws[k]);
    assert_true(check_steps(text, 0.01, 200) > 20);
  }
}

// The same in Schatzman's and Paoli's scheme: friction of the middle velocity, between w0 and w1.
static void friction_of_the_middle(void **s)
{
  (void)s;
  fixture *r =
      fixture_open("coordinate x, y\nvelocity x' = 3\nkinetic x'^2 + y'^2\npotential 19.62*y\n"
                   "unilateral floor: y >= 0 { slip x'; friction 0.1 + 0.4*exp(-x'^2) }\n",
                   "schatzman-paoli", 0.05, 0);
  state before = now(r), a, b;
  fixture_to(r, 0.05);
  a = now(r);
  int sliding = 0;
  for (int k = 2; k < 40; k++) {
    at_case("k %d", k);
    fixture_to(r, k * 0.05);
    b = now(r);
    const double P = b.impulse[0] - a.impulse[0], T = b.impulse[1] - a.impulse[1];
    const double w0 = (a.q[0] - before.q[0]) / 0.05, w1 = (b.q[0] - a.q[0]) / 0.05;
    const double middle = (w0 + w1) / 2;
    if (w1 > 1e-3) {
      sliding++;
      assert_true(P > 0.5 && fabs(-T / P - 0.1 - 0.4 * exp(-middle * middle)) < 1e-8);
    }
    before = a, a = b;
  }
  assert_true(sliding > 10);
  fixture_close(r);
}

// A pendulum of two rods: the mass changes, the wall is hit again and again.
static void turning(void **s)
{
  (void)s;
  const char *const text = "coordinate a = 1.2, b = 0.4\n"
                           "kinetic a'^2 + b'^2/2 + a'*b'*cos(a - b)\n"
                           "potential -19.62*cos(a) - 9.81*cos(b)\n"
                           "unilateral wall: sin(a) + sin(b) >= -0.2 "
                           "{ slip -sin(a)*a' - sin(b)*b'; friction 0.2; restitution 0.6 }\n";
  assert_true(check_steps(text, 0.004, 5000) > 8);
}

// Forty masses on springs that are not linear, over a floor: one sparse matrix, many contacts.
static void springs(void **s)
{
  (void)s;
  enum { COUNT = 40 };
  static char text[20000];
  size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
  for (int i = 0; i < COUNT; i++) {
    ADD("coordinate x%d = %d, y%d = 0.3 + 0.1*sin(%d)\nvelocity x%d' = 1\n", i, i, i, i, i);
    ADD("kinetic (x%d'^2 + y%d'^2)/2\npotential 9.81*y%d\n", i, i, i);
    if (i > 0)
      ADD("potential 100*(sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 1)^2\n", i, i - 1, i, i - 1);
    ADD("unilateral f%d: y%d >= 0 { slip x%d'; friction 0.3; restitution 0.2 }\n", i, i, i);
  }
#undef ADD
  assert_true(used < sizeof text);
  assert_true(check_steps(text, 0.005, 200) > 50);
}

// A system of functions whose mass changes with time and nothing else: x is thrown against y >= 0.
static dls_status growing_mass(void *self, double t, const double *q, const double *v,
                               const dls_values *values, const dls_values *bound,
                               dls_message *message)
{
  (void)self, (void)bound, (void)message;
  values->M[0] = 1 + t;
  values->F[0] = 3;
  values->h[0] = q[0], values->h_dot[0] = v[0];
  values->G[0] = 1;
  values->b_n[0] = values->friction[0] = 0, values->restitution[0] = 0.5;
  return DLS_OK;
}

static dls_status no_derivatives(void *self, double t, const double *q, const double *v,
                                 const double *a, const double *lambda, const double *tau,
                                 const dls_derivatives *out, dls_message *message)
{
  (void)self, (void)t, (void)q, (void)v, (void)a, (void)lambda, (void)tau, (void)out, (void)message;
  return DLS_OK;
}

static void mass_of_time(void **s)
{
  (void)s;
  static const char *const names[] = {"y"};
  static const dls_contact_info contact[] = {{.name = "floor", .kind = DLS_UNILATERAL}};
  static const int p[] = {0, 1}, i[] = {0}, none[] = {0, 0};
  const dls_derivative_patterns derivative = {.R_q = {1, 1, none, i},
                                              .R_v = {1, 1, none, i},
                                              .N_q = {1, 1, none, i},
                                              .N_v = {1, 1, none, i},
                                              .T_q = {1, 0, none, i},
                                              .T_v = {1, 0, none, i},
                                              .D_q = {1, 1, none, i},
                                              .S_q = {1, 0, none, i},
                                              .constant_laws = true};
  const dls_system system = {.n = 1,
                             .m = 1,
                             .coordinates = names,
                             .contacts = contact,
                             .mass = {1, 1, p, i},
                             .normal = {1, 1, p, i},
                             .tangent = {1, 0, none, i},
                             .evaluate = growing_mass,
                             .derivative = &derivative,
                             .differentiate = no_derivatives};
  double q[] = {0.5}, v[] = {0}, before = 0, P = 0;
  const dls_state start = {0, q, v};
  dls_integrator_options options = dls_integrator_defaults();
  options.step = 0.05;
  dls_integrator *g;
  assert_int_equal(dls_integrator_create(&system, &start, &options, &g, NULL), DLS_OK);
  for (int k = 0; k < 100; k++) {
    at_case("k %d", k);
    dls_failure failure;
    assert_int_equal(dls_integrator_advance(g, 10, &failure, NULL), DLS_OK);
    assert_int_equal(failure, DLS_FAILURE_NONE);
    const dls_sample m = dls_integrator_sample(g);
    const double left = (1 + m.t - 0.025) * (m.v[0] - before) + 0.05 * 3 - (m.impulse[0] - P);
    if (!(fabs(left) < 1e-10)) fail_msg("t = %g: %g is left", m.t, left);
    before = m.v[0], P = m.impulse[0];
  }
  assert_true(P > 1);
  dls_integrator_free(g);
}

// A wall that the mass can hardly push away from, since it is held twice across: what it gives way
// by is far below the rest of the matrix, and found by corrections. It bounces like from any other,
// or, where rounding is all there is, the step fails.
static void nearly_held(void **unused)
{
  (void)unused;
  const double slope[] = {0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  for (int k = 0; k < 6; k++)
    for (int s = 0; s < dls_scheme_count(); s++) {
      const char *scheme = dls_scheme_info_at(s)->name;
      at_case("slope %g, %s", slope[k], scheme);
      char text[400];
      snprintf(text, sizeof text,
               "coordinate x = 0.5, y\nvelocity x = -1\nkinetic (x'^2 + y'^2)/2\n"
               "bilateral one: y = 0\nbilateral two: 2*y = 0\n"
               "unilateral wall: %g*x + y >= 0 { restitution 0.5 }\n",
               slope[k]);
      fixture *r = fixture_open(text, scheme, 0x1p-7, 0);
      const dls_failure failure = fixture_until_failure(r, 1);
      if (k < 4) assert_int_equal(failure, DLS_FAILURE_NONE);
      if (failure == DLS_FAILURE_NONE && !(fabs(fixture_v(r, 0) - 0.5) <= 1e-6))
        fail_msg("leaves with %.9g", fixture_v(r, 0));
      fixture_close(r);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_that_change), cmocka_unit_test(friction_of_the_middle),
      cmocka_unit_test(turning),          cmocka_unit_test(mass_of_time),
      cmocka_unit_test(springs),          cmocka_unit_test(nearly_held)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
