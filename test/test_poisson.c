// Poisson's law of impact, eq (poi.1) to (poi.3): closed forms and a second solver in check, in the
// checker and in every scheme.
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

static double after(const subject *s, const char *coordinate)
{
  const json_t *v = json_object_get(json_object_get(s->report, "impact"), "velocities_after");
  assert_true(json_is_number(json_object_get(v, coordinate)));
  return json_number_value(json_object_get(v, coordinate));
}

static const char *impact_text(const subject *s, const char *object, const char *key)
{
  const json_t *o = json_object_get(s->report, "impact");
  if (object) o = json_object_get(o, object);
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

static void expect_true(const subject *s)
{
  dls_verification *v = verify(s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s %s: %s", v->finding[k].group, v->finding[k].name, v->finding[k].why);
  assert_true(v->holds);
  dls_verification_free(v);
}

// ---- where it is Newton's law -------------------------------------------------------------------

// One ball: to the accuracy of the scheme the run that Newton's law makes.
static void one_ball(void **state)
{
  (void)state;
  static const char poisson[] =
      "coordinate x = 1, y\nvelocity y = 0.3\nkinetic (x'^2 + y'^2)/2\n"
      "force x = -2\nunilateral floor: x >= 0 { restitution poisson 0.5 }\n";
  static const char newton[] = "coordinate x = 1, y\nvelocity y = 0.3\nkinetic (x'^2 + y'^2)/2\n"
                               "force x = -2\nunilateral floor: x >= 0 { restitution 0.5 }\n";
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *a = fixture_open(poisson, s->name, 0.001, is_plain_moreau(s) ? 1e-7 : 0);
    fixture *b = fixture_open(newton, s->name, 0.001, is_plain_moreau(s) ? 1e-7 : 0);
    fixture_to(a, 2.3), fixture_to(b, 2.3);
    const double most = s->events ? 1e-9 : 5e-3;
    if (!(fabs(fixture_q(a, 0) - fixture_q(b, 0)) < most))
      fail_msg("%s: %g, %g", s->name, fixture_q(a, 0), fixture_q(b, 0));
    fixture_to(a, 4);  // at rest from 3 on
    assert_true(fabs(fixture_q(a, 0)) < most && fabs(fixture_v(a, 0)) < most);
    fixture_close(a), fixture_close(b);
  }
}

// ---- two contacts -------------------------------------------------------------------------------

#define ROD                                                                                  \
  "parameter a = 1, b = 0, v = 1, g = 0\ncoordinate y, theta\nkinetic y'^2/2 + theta'^2/6\n" \
  "potential g*y\nunilateral left: y - theta >= 0 { restitution poisson a }\n"               \
  "unilateral right: y + theta >= 0 { restitution poisson b }\n"                             \
  "state struck: y' = -v/2, theta' = -v/2\nvelocity y = -v/2, theta = -v/2\n"

// u+ of a rod that touches with one end and hits with the other, W = (4, -2; -2, 4): e p_c =
// (a/6, b/3) is more than enough where it opens both; else one end is held.
static void rod_after(double a, double b, double u[2])
{
  const double p[2] = {a / 6, b / 3};
  u[0] = 4 * p[0] - 2 * p[1], u[1] = 4 * p[1] - 2 * p[0];
  if (u[1] < 0) u[0] += u[1] / 2, u[1] = 0;
  else if (u[0] < 0) u[1] += u[0] / 2, u[0] = 0;
}

static void two_ends(void **state)
{
  (void)state;
  srand(3);
  for (int n = 0; n < 12; n++) {
    char set[60];
    const double a = n < 4 ? n % 2 : uniform(0, 1), b = n < 4 ? n / 2 : uniform(0, 1);
    double u[2];
    rod_after(a, b, u);
    snprintf(set, sizeof set, "a=%.17g, b=%.17g", a, b);
    at_case("%s", set);
    subject s = ask_about(ROD, set, "struck");
    assert_string_equal(impact_text(&s, NULL, "law"), "Poisson");
    assert_true(fabs(after(&s, "y") - (u[0] + u[1]) / 2) < 1e-12);
    assert_true(fabs(after(&s, "theta") - (u[1] - u[0]) / 2) < 1e-12);
    expect_true(&s);
    close_subject(&s);
  }
}

// The same in a motion that begins with the impact.
static void rod_moves(void **state)
{
  (void)state;
  double u[2];
  rod_after(1, 0, u);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *r = fixture_open(ROD, s->name, 0.01, is_plain_moreau(s) ? 1e-6 : 0);
    fixture_to(r, 0.5);
    // a pyramid's problem is stabilized
    const double most = strcmp(s->name, "lcp") == 0 ? 1e-5 : 1e-9;
    assert_true(fabs(fixture_v(r, 0) - (u[0] + u[1]) / 2) < most);
    assert_true(fabs(fixture_v(r, 1) - (u[1] - u[0]) / 2) < most);
    fixture_close(r);
  }
}

// Balls in a row: -1/3, 2/3, 2/3 with e = 1, as by Newton's law; and 0, 0, v with a gap between.
static void balls(void **state)
{
  (void)state;
  static const char text[] = "parameter gap = 0\ncoordinate a, b, c = gap\nvelocity a = 1\nkinetic "
                             "(a'^2 + b'^2 + c'^2)/2\n"
                             "unilateral one: b - a >= 0 { restitution poisson 1 }\n"
                             "unilateral two: c - b >= 0 { restitution poisson 1 }\n";
  subject s = ask_about(text, "", "");
  assert_true(fabs(after(&s, "a") + 1. / 3) < 1e-12 && fabs(after(&s, "b") - 2. / 3) < 1e-12 &&
              fabs(after(&s, "c") - 2. / 3) < 1e-12);
  assert_string_equal(impact_text(&s, "kinetic_energy", "balance"), "kept");
  expect_true(&s);
  close_subject(&s);
}

// ---- friction -----------------------------------------------------------------------------------

// One contact in a plane, W = (w[0], w[1]; w[1], w[2]) over normal and slip, by its cases: it
// leaves with the percussion `given`, or stays closed with more; sticks or slides either way.
static bool friction_case(const double w[3], const double q[2], double mu, double given, int slides,
                          bool closed, double p[2], double u[2])
{
  if (closed && slides == 0) {
    const double det = w[0] * w[2] - w[1] * w[1];
    p[0] = (-q[0] * w[2] + q[1] * w[1]) / det, p[1] = (-q[1] * w[0] + q[0] * w[1]) / det;
  } else if (closed) {
    p[0] = -q[0] / (w[0] - slides * mu * w[1]), p[1] = -slides * mu * p[0];
  } else {
    p[0] = given;
    p[1] = slides ? -slides * mu * given : -(q[1] + w[1] * given) / w[2];
  }
  u[0] = q[0] + w[0] * p[0] + w[1] * p[1], u[1] = q[1] + w[1] * p[0] + w[2] * p[1];
  const double tiny = 1e-12;
  if (closed) u[0] = 0;
  return p[0] >= given - tiny && u[0] >= -tiny && fabs(p[1]) <= mu * p[0] + tiny &&
         (slides == 0 || slides * u[1] > tiny);
}

// The number of solutions; p and u of one of them.
static int friction_phase(const double w[3], const double q[2], double mu, double given,
                          double p[2], double u[2])
{
  int count = 0;
  for (int k = 0; k < 6; k++) {
    double one[2], other[2];
    if (!friction_case(w, q, mu, given, k % 3 - 1, k < 3, one, other)) continue;
    if (k >= 3 && other[0] < 1e-12) continue;  // among the closed ones
    if (count++ > 0) continue;
    memcpy(p, one, sizeof one), memcpy(u, other, sizeof other);
  }
  return count;
}

typedef struct blow {
  double w[3], mu, e, v[2];
} blow;

static void write_blow(const blow *b, char *text, size_t size)
{
  const double det = b->w[0] * b->w[2] - b->w[1] * b->w[1];
  snprintf(text, size,
           "coordinate y, x\nvelocity y = %.17g, x = %.17g\n"
           "kinetic (%.17g*y'^2 + 2*(%.17g)*y'*x' + %.17g*x'^2)/2\n"
           "unilateral floor: y >= 0 { slip x'; friction %.17g; restitution poisson %.17g }\n",
           b->v[0], b->v[1], b->w[2] / det, -b->w[1] / det, b->w[0] / det, b->mu, b->e);
}

static void one_contact(void **state)
{
  (void)state;
  srand(5);
  int reversed = 0, newton = 0;
  for (int n = 0; n < 150; n++) {
    char text[600];
    double p[2], pr[2], uc[2], u[2];
    blow b = {.mu = uniform(0, 1.2), .e = uniform(0, 1), .v = {-uniform(0.1, 2), uniform(-2, 2)}};
    b.w[0] = uniform(0.2, 2), b.w[2] = uniform(0.2, 2);
    b.w[1] = uniform(-0.95, 0.95) * sqrt(b.w[0] * b.w[2]);
    if (friction_phase(b.w, b.v, b.mu, 0, p, uc) != 1 ||
        friction_phase(b.w, uc, b.mu, b.e * p[0], pr, u) != 1)
      continue;
    write_blow(&b, text, sizeof text);
    at_case("%d\n%s", n, text);
    subject s = ask_about(text, "", "");
    const double size = 1 + fabs(u[0]) + fabs(u[1]);
    if (!(fabs(after(&s, "y") - u[0]) < 1e-9 * size && fabs(after(&s, "x") - u[1]) < 1e-9 * size))
      fail_msg("(%g, %g), not (%g, %g)\n%s", after(&s, "y"), after(&s, "x"), u[0], u[1], text);
    assert_string_not_equal(impact_text(&s, "kinetic_energy", "balance"), "gained");
    expect_true(&s);
    close_subject(&s);
    reversed += b.v[1] * u[1]<0, newton += fabs(u[0] + b.e * b.v[0])> 1e-6;
    for (int k = 0; k < dls_scheme_count() && n < 30; k++) {
      const dls_scheme_info *scheme = dls_scheme_info_at(k);
      at_case("%s\n%s", scheme->name, text);
      fixture *r = fixture_open(text, scheme->name, 0.01, is_plain_moreau(scheme) ? 1e-6 : 0);
      fixture_to(r, 0.1);
      const double most = strcmp(scheme->name, "lcp") == 0 ? 1e-5 : 1e-8;
      if (!(fabs(fixture_v(r, 0) - u[0]) < most * size &&
            fabs(fixture_v(r, 1) - u[1]) < most * size))
        fail_msg("%s: (%g, %g), not (%g, %g)\n%s", scheme->name, fixture_v(r, 0), fixture_v(r, 1),
                 u[0], u[1], text);
      fixture_close(r);
    }
  }
  assert_true(reversed > 5 && newton > 20);  // not what Newton's law gives
}

// In space, with another contact that is bilateral: the checker, which shares nothing.
static void in_space(void **state)
{
  (void)state;
  srand(6);
  for (int n = 0; n < 12; n++) {
    char text[700];
    snprintf(text, sizeof text,
             "coordinate x, y, z, w\nvelocity x = %.3f, y = %.3f, z = %.3f, w = %.3f\n"
             "kinetic x'^2 + y'^2 + z'^2 + w'^2 + %.3f*x'*z' + %.3f*y'*z' + %.3f*x'*w'\n"
             "bilateral rod: w - y = 0\n"
             "unilateral floor: z >= 0 { slip x', y'; friction %.3f; restitution poisson %.3f }\n",
             uniform(-1, 1), 0.25, -uniform(0.2, 1), 0.25, uniform(-0.8, 0.8), uniform(-0.8, 0.8),
             uniform(-0.5, 0.5), uniform(0.05, 0.6), uniform(0, 1));
    at_case("%s", text);
    subject s = ask_about(text, "", "");
    if (strcmp(impact_text(&s, NULL, "law"), "Poisson") == 0) {
      expect_true(&s);
      const double v[4] = {after(&s, "x"), after(&s, "y"), after(&s, "z"), after(&s, "w")};
      static const char *const schemes[] = {"moreau", "herk5", "radau5", "schatzman-paoli"};
      for (int k = 0; k < 4; k++) {
        fixture *r = fixture_open(text, schemes[k], 0.01, 0);
        fixture_to(r, 0.05);
        for (int i = 0; i < 4; i++)
          if (!(fabs(fixture_v(r, i) - v[i]) < 1e-7))
            fail_msg("%s: %d, %g, not %g", schemes[k], i, fixture_v(r, i), v[i]);
        fixture_close(r);
      }
    }
    close_subject(&s);
  }
}

// ---- many contacts without friction -------------------------------------------------------------

// With one e for all no energy is gained.
static void energy_does_not_grow(void **state)
{
  (void)state;
  srand(7);
  for (int n = 0; n < 40; n++) {
    char text[1200];
    const int m = 2 + n % 3;
    int used = snprintf(text, sizeof text,
                        "coordinate a, b, c\nvelocity a = %.3f, b = %.3f, c = %.3f\n"
                        "kinetic a'^2 + b'^2 + c'^2 + %.3f*a'*b' + %.3f*b'*c'\n",
                        -uniform(0, 1), -uniform(0, 1), -uniform(0, 1), uniform(-0.9, 0.9),
                        uniform(-0.9, 0.9));
    for (int j = 0; j < m; j++)
      used +=
          snprintf(text + used, sizeof text - (size_t)used,
                   "unilateral u%d: %.3f*a + %.3f*b + %.3f*c >= 0 { restitution poisson %.3f }\n",
                   j, uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1), (n % 5) / 4.);
    at_case("%s", text);
    subject s = ask_about(text, "", "");
    assert_string_equal(impact_text(&s, NULL, "law"), "Poisson");
    assert_string_not_equal(impact_text(&s, "kinetic_energy", "balance"), "gained");
    expect_true(&s);
    close_subject(&s);
  }
}

// ---- the checker --------------------------------------------------------------------------------

static void forged(void **state)
{
  (void)state;
  static const char text[] =
      "coordinate y, x\nvelocity y = -1, x = 0.4\nkinetic y'^2 + x'^2 + 0.6*x'*y'\n"
      "unilateral floor: y >= 0 { slip x'; friction 0.3; restitution poisson 0.5 }\n";
  static const char *const lies[][2] = {{"impact/velocities_after/y", "0.55"},
                                        {"impact/velocities_after/x", "0.1"},
                                        {"impact/jump/y", "1.6"},
                                        {"impact/percussions/floor/normal", "3"},
                                        {"impact/percussions/floor/tangential/0", "0.1"},
                                        {"impact/percussions/floor/mode", "\"detach\""},
                                        {"impact/normal_velocities/after/floor", "0.6"},
                                        {"impact/kinetic_energy/after", "0.1"},
                                        {"impact/kinetic_energy/balance", "\"gained\""},
                                        {"impact/law", "\"Newton\""},
                                        {"impact/law", "null"},
                                        {"impact/restitution/matrix/0/0", "0.6"},
                                        {"impact/compression/solutions/0/jump/y", "1.1"},
                                        {"impact/compression/solution_count", "2"}};
  subject s = ask_about(text, "", "");
  expect_true(&s);
  close_subject(&s);
  for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
    at_case("%s", lies[k][0]);
    s = ask_about(text, "", "");
    put_value(s.report, lies[k][0], lies[k][1]);
    dls_verification *v = verify(&s);
    assert_false(v->holds);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// Newton's motion in a report about Poisson's law is refused where they differ.
static void not_newton(void **state)
{
  (void)state;
  subject s = ask_about(ROD, "", "struck");
  put_value(s.report, "impact/velocities_after/y", "0");
  put_value(s.report, "impact/velocities_after/theta", "0");
  dls_verification *v = verify(&s);
  assert_false(v->holds);
  dls_verification_free(v);
  close_subject(&s);
}

static void no_derivatives(void **state)
{
  (void)state;
  fixture *r = fixture_open(ROD, "radau5", 0.01, 0);
  dls_sensitivity *s = NULL;
  dls_message message;
  const char *name = "a";
  assert_int_equal(dls_sensitivity_create(r->system, 1, &name, &s, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "Poisson's law"));
  fixture_close(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_ball),
      cmocka_unit_test(two_ends),
      cmocka_unit_test(rod_moves),
      cmocka_unit_test(balls),
      cmocka_unit_test(one_contact),
      cmocka_unit_test(in_space),
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(forged),
      cmocka_unit_test(not_newton),
      cmocka_unit_test(no_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
