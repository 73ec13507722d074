// Static friction above that of sliding, eq (stf.1) to (stf.5): closed forms in every scheme; what
// check counts; in other units.
#include "fixture.h"
#include "verify_case.h"

#include <delassus/delassus.h>
#include <delassus/integrator.h>
#include <delassus/sensitivity.h>
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

static bool is_plain_moreau(const dls_scheme_info *s)
{
  return s->adaptive && !s->events;
}

static double uniform(double low, double high)
{
  return low + (high - low) * rand() / (double)RAND_MAX;
}

// ---- a mass on a belt ---------------------------------------------------------------------------

typedef struct oscillator {
  double m, N, k, v, mu_s, mu;
} oscillator;

enum { BELT_KINDS = 4 };

static void write_belt(const oscillator *b, int kind, char *text, size_t size)
{
  static const char *const contacts[BELT_KINDS] = {
      "unilateral belt: y >= 0 { slip x' - v; friction mu; static mu_s }\n",
      "bilateral belt: y = 0 { slip x' - v; static mu_s; friction mu }\n",
      "unilateral belt: y >= 0 { slip x' - v; friction force mu*N; static mu_s*N }\n",
      "friction belt: x' - v { force mu*N; static mu_s*N }\nbilateral rail: y = 0\n"};
  snprintf(
      text, size,
      "parameter m = %.17g, N = %.17g, k = %.17g, v = %.17g, mu_s = %.17g, mu = %.17g\n"
      "coordinate x, y\nvelocity x = v\nkinetic m/2*(x'^2 + y'^2)\npotential N*y + k/2*x^2\n%s",
      b->m, b->N, b->k, b->v, b->mu_s, b->mu, contacts[kind]);
}

// It is carried to mu_s N/k, slides around mu N/k until it has the speed of the belt again, which
// by symmetry is as far on the other side, and so on.
static double belt_slides(const oscillator *b)
{
  const double w = sqrt(b->k / b->m), a = (b->mu_s - b->mu) * b->N / b->k;
  return 2 / w * (acos(-1) - atan2(a * w, b->v));
}

static double on_belt(const oscillator *b, double t)
{
  const double w = sqrt(b->k / b->m), first = b->mu_s * b->N / b->k, centre = b->mu * b->N / b->k;
  const double a = first - centre, slides = belt_slides(b), carried = 2 * a / b->v;
  t -= first / b->v;
  if (t < 0) return first + b->v * t;
  t -= floor(t / (slides + carried)) * (slides + carried);
  if (t < slides) return centre + a * cos(w * t) + b->v / w * sin(w * t);
  return centre - a + b->v * (t - slides);
}

static oscillator draw_belt(void)
{
  oscillator b = {
      .m = uniform(0.5, 2), .N = uniform(5, 20), .k = uniform(50, 200), .v = uniform(0.05, 0.3)};
  b.mu = uniform(0.1, 0.4), b.mu_s = b.mu * uniform(1.2, 2.5);
  return b;
}

static void belts(void **state)
{
  (void)state;
  char text[800];
  srand(11);
  for (int n = 0; n < 8; n++) {
    const oscillator b = draw_belt();
    const double size = b.mu_s * b.N / b.k, w = sqrt(b.k / b.m);
    const double until = size / b.v + 2.3 * belt_slides(&b), h = 0.02 / w;
    write_belt(&b, n % BELT_KINDS, text, sizeof text);
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *s = dls_scheme_info_at(k);
      at_case("%d %s\n%s", n, s->name, text);
      const double rtol = is_plain_moreau(s) ? 1e-8 : 0;
      fixture *r = fixture_open(text, s->name, h, rtol);
      fixture_to(r, until);
      const double error = fabs(fixture_q(r, 0) - on_belt(&b, until)) / size;
      const double most = is_plain_moreau(s) ? 1e-3
                          : !s->events       ? 40 * 0.02
                                             : fmax(40 * pow(0.02, s->order), 1e-7);
      if (!(error < most)) fail_msg("%d %s: %g, not %g", n, s->name, error, most);
      if (s->events && s->order > 3) {
        const double slip = fixture_time(r, DLS_EVENT_SLIP);
        assert_true(fabs(slip - size / b.v) < 2e-9 * size / b.v);
        assert_true(fabs(fixture_time(r, DLS_EVENT_STICK) - slip - belt_slides(&b)) < 1e-5 / w);
      }
      fixture_close(r);
    }
  }
}

// ---- a force that grows -------------------------------------------------------------------------

// Held until c t = mu_s N, then x'' = (c t - mu N)/m: with a jump.
static void ramps(void **state)
{
  (void)state;
  srand(12);
  for (int n = 0; n < 12; n++) {
    char text[700];
    const double unit = n % 3 == 0 ? 1 : n % 3 == 1 ? 0x1p20 : 0x1p-20;  // of mass
    const double m = uniform(0.5, 3) * unit, N = uniform(5, 20) * unit, c = uniform(1, 4) * unit;
    const double mu = uniform(0, 0.3), mu_s = mu + uniform(0.01, 0.3);
    const double begin = mu_s * N / c, t = begin * 1.7, by = t - begin;
    const double way = c * by * by * by / (6 * m) + (mu_s - mu) * N * by * by / (2 * m);
    static const char *const contacts[] = {
        "unilateral floor: y >= 0 { slip %s; friction mu; static mu_s }\n",
        "bilateral floor: y = 0 { slip %s; friction mu; static mu_s }\n",
        "unilateral floor: y >= 0 { slip %s; friction mu; static mu_s; restitution 0.5 }\n"};
    const bool space = n % 2 == 1;
    int used = snprintf(text, sizeof text,
                        "parameter m = %.17g, N = %.17g, c = %.17g, mu = %.17g, mu_s = %.17g\n"
                        "coordinate x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\npotential N*y\n"
                        "force x = %s*t\nforce z = %s*t\n",
                        m, N, c, mu, mu_s, space ? "0.6*c" : "c", space ? "0.8*c" : "0*c");
    snprintf(text + used, sizeof text - (size_t)used, contacts[n / 2 % 3], space ? "x', z'" : "x'");
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *s = dls_scheme_info_at(k);
      if (space && strcmp(s->name, "lcp") == 0) continue;  // a polygon in place of the disc
      at_case("%d %s\n%s", n, s->name, text);
      fixture *r = fixture_open(text, s->name, begin / 1000, is_plain_moreau(s) ? 1e-6 : 0);
      fixture_to(r, 0.999 * begin);
      assert_true(fabs(fixture_q(r, 0)) < (strcmp(s->name, "lcp") == 0 ? 1e-6 : 1e-12));
      fixture_to(r, t);
      const double x = space ? 0.6 * fixture_q(r, 0) + 0.8 * fixture_q(r, 2) : fixture_q(r, 0);
      const double error = fabs(x - way) / way;
      if (!(error < (s->events ? s->order > 2 ? 1e-7 : 1e-5 : 2e-2)))
        fail_msg("%d %s: %g", n, s->name, error);
      if (s->events) {
        assert_int_equal(fixture_count(r, DLS_EVENT_SLIP), 1);
        assert_true(fabs(fixture_time(r, DLS_EVENT_SLIP) - begin) < 1e-8 * begin);
      }
      fixture_close(r);
    }
  }
}

// ---- coming to rest -----------------------------------------------------------------------------

// On a spring: it turns round while k |x| > mu_s N, and stays where not, though sliding friction
// would let it go. 2 -> -1.4 -> 0.8 with mu N/k = 0.3: and 0.8 stays if mu_s N/k is 0.9, as -1.4
// does if it is 1.5.
static void stays(void **state)
{
  (void)state;
  static const struct {
    const char *most;
    double rest;
    int turns;
  } cases[] = {{"2.4", 0.2, 3}, {"3.6", 0.8, 2}, {"6", -1.4, 1}};
  for (int n = 0; n < 3; n++)
    for (int k = 0; k < dls_scheme_count(); k++) {
      char text[400];
      const dls_scheme_info *s = dls_scheme_info_at(k);
      snprintf(text, sizeof text,
               "coordinate x = 2, y\nkinetic (x'^2 + y'^2)/2\npotential 2*x^2 + 10*y\n"
               "unilateral floor: y >= 0 { slip x'; friction 0.12; static %s/10 }\n",
               cases[n].most);
      const double last = n == 0 ? -0.2 : cases[n].rest;
      at_case("%s %s", cases[n].most, s->name);
      fixture *r = fixture_open(text, s->name, 0.001, is_plain_moreau(s) ? 1e-6 : 0);
      fixture_to(r, 8);
      const double most = s->events ? s->order > 3 ? 1e-8 : s->order > 2 ? 1e-6 : 1e-4 : 6e-3;
      if (!(fabs(fixture_q(r, 0) - last) < most))
        fail_msg("%s %s: %g", cases[n].most, s->name, fixture_q(r, 0));
      assert_true(fabs(fixture_v(r, 0)) < 1e-9);
      fixture_close(r);
    }
}

// Static friction that is that of sliding changes nothing, to the last bit.
static void the_same(void **state)
{
  (void)state;
  static const char with[] =
      "coordinate x = 2, y\nkinetic (x'^2 + y'^2)/2\n"
      "potential 2*x^2 + 10*y\nforce x = sin(3*t)\n"
      "unilateral floor: y >= 0 { slip x' - 0.1; friction 0.12; static 0.12 }\n";
  static const char without[] = "coordinate x = 2, y\nkinetic (x'^2 + y'^2)/2\n"
                                "potential 2*x^2 + 10*y\nforce x = sin(3*t)\n"
                                "unilateral floor: y >= 0 { slip x' - 0.1; friction 0.12 }\n";
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *a = fixture_open(with, s->name, 0.01, is_plain_moreau(s) ? 1e-6 : 0);
    fixture *b = fixture_open(without, s->name, 0.01, is_plain_moreau(s) ? 1e-6 : 0);
    fixture_to(a, 6), fixture_to(b, 6);
    // steps of Moreau's family meet the laws again where a contact changes its cone: no worse
    const double most = s->events ? 0 : 1e-9;
    assert_true(fabs(fixture_q(a, 0) - fixture_q(b, 0)) <= most);
    assert_true(fabs(fixture_v(a, 0) - fixture_v(b, 0)) <= most);
    fixture_close(a), fixture_close(b);
  }
}

// A run that is taken up goes on as it would have: also one that sticks by more than mu N.
static void taken_up(void **state)
{
  (void)state;
  oscillator b = {.m = 1, .N = 10, .k = 100, .v = 0.1, .mu_s = 0.4, .mu = 0.2};
  char text[800];
  write_belt(&b, 0, text, sizeof text);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    const double rtol = is_plain_moreau(s) ? 1e-6 : 0;
    for (int n = 0; n < 4; n++) {
      const double at = 0.3 + 0.2 * n;  // carried by more than mu N, sliding, and so on
      fixture *r = fixture_open(text, s->name, 0.01, rtol);
      fixture *other = fixture_open(text, s->name, 0.01, rtol);
      fixture_to(r, at);
      dls_message message;
      const dls_sample sample = dls_integrator_sample(r->integrator);
      assert_int_equal(dls_integrator_restart(other->integrator, &sample, &message), DLS_OK);
      fixture_to(r, 1.5), fixture_to(other, 1.5);
      assert_true(fixture_q(r, 0) == fixture_q(other, 0));
      assert_true(fixture_v(r, 0) == fixture_v(other, 0));
      fixture_close(r), fixture_close(other);
    }
  }
}

// Derivatives of such runs are refused, by name.
static void no_derivatives(void **state)
{
  (void)state;
  oscillator b = {.m = 1, .N = 10, .k = 100, .v = 0.1, .mu_s = 0.4, .mu = 0.2};
  char text[800];
  write_belt(&b, 0, text, sizeof text);
  fixture *r = fixture_open(text, "radau5", 0.01, 0);
  dls_sensitivity *s = NULL;
  dls_message message;
  const char *name = "mu";
  assert_int_equal(dls_sensitivity_create(r->system, 1, &name, &s, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "`belt` has static friction"));
  fixture_close(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(belts),    cmocka_unit_test(ramps),    cmocka_unit_test(stays),
      cmocka_unit_test(the_same), cmocka_unit_test(taken_up), cmocka_unit_test(no_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
