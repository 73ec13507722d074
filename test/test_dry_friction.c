// Friction with a given bound, eq (dry.1) to (dry.4): against closed forms in every scheme; what
// check says of it against a minimum and against Coulomb's law with the same force; the checker.
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

// The amplitude falls by 2 b/k in each half period, and the mass stays where k |x| <= b.
#define OSCILLATOR(b, x)                                               \
  "parameter k = 4, b = " b "\ncoordinate x = " x "\nkinetic x'^2/2\n" \
  "potential k/2*x^2\nfriction rub: x' { force b }\n"

// Held until the ramp is b: then x'' = p - b/m.
#define RAMP(slide)                                                  \
  "parameter m = 2, b = 3, c = 2\ncoordinate x, y\nvelocity x = 0\n" \
  "kinetic m/2*(x'^2 + y'^2)\npotential 9.81*m*y\nforce x = c*t\n" slide

static bool is_plain_moreau(const dls_scheme_info *s)
{
  return s->adaptive && !s->events;
}

static double oscillate(const char *scheme, double step, double rtol, double t, double *v)
{
  fixture *r = fixture_open(OSCILLATOR("0.3", "2"), scheme, step, rtol);
  fixture_to(r, t);
  const double x = fixture_q(r, 0);
  if (v) *v = fixture_v(r, 0);
  fixture_close(r);
  return x;
}

// x = -0.075 s + (A - 0.075 ...) cos 2t piece by piece, s the sign of the velocity.
static double oscillation(double t)
{
  double A = 2, s = -1;
  const double half = acos(-1) / 2, c = 0.3 / 4;
  for (; t > half; t -= half) A -= 2 * c, s = -s;
  return -s * (c + (A - c) * cos(2 * t));
}

static void oscillator(void **state)
{
  (void)state;
  const double t = 4.2;  // in the third half period
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    if (is_plain_moreau(s)) {
      assert_true(fabs(oscillate(s->name, 0.01, 1e-6, t, NULL) - oscillation(t)) < 2e-3);
      continue;
    }
    const int order = s->order;
    const double h = order > 4 ? 0.05 : order > 2 ? 0.05 : 0.01;
    const double coarse = fabs(oscillate(s->name, h, 0, t, NULL) - oscillation(t));
    const double fine = fabs(oscillate(s->name, h / 4, 0, t, NULL) - oscillation(t));
    if (fine < 1e-10) continue;
    if (!s->events) {  // where in a step the mass turns is left to chance
      assert_true(coarse < 2 * h && fine < h / 2);
      continue;
    }
    if (!(coarse / fine > pow(4, order - 0.5))) fail_msg("%s: %g, %g", s->name, coarse, fine);
  }
}

// 2 -> -1.4 -> 0.8 -> -0.2 with b = 1.2: it stops at the third turn, as 4*0.2 < 1.2.
static void comes_to_rest(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *r =
        fixture_open(OSCILLATOR("1.2", "2"), s->name, 0.001, is_plain_moreau(s) ? 1e-6 : 0);
    fixture_to(r, 6);
    const double x = fixture_q(r, 0);
    assert_true(fabs(x + 0.2) < (s->events ? (s->order > 3   ? 1e-9
                                              : s->order > 2 ? 1e-7
                                                             : 1e-4)
                                           : 6e-3));
    assert_true(fixture_v(r, 0) == 0 || (!s->events && fabs(fixture_v(r, 0)) < 1e-12) ||
                fabs(fixture_v(r, 0)) < 1e-9);
    if (s->events) {
      assert_int_equal(fixture_count(r, DLS_EVENT_STICK), 1);
      assert_true(fabs(fixture_time(r, DLS_EVENT_STICK) - 3 * acos(-1) / 2) <
                  (s->order > 2 ? 1e-6 : 1e-3));
    }
    fixture_to(r, 9);  // no creep
    // a pyramid's problem is stabilized: it gives way a little; and what is as slow as rounding
    // goes on
    const double most = strcmp(s->name, "lcp") == 0 ? 1e-6 : s->events ? 1e-11 : 1e-14;
    assert_true(fabs(fixture_q(r, 0) - x) < most);
    fixture_close(r);
  }
}

// The same for friction alone, of a joint, of an unilateral contact: also where these pull.
static void ramp(void **state)
{
  (void)state;
  static const char *const texts[] = {
      RAMP("bilateral rail: y = 0\nfriction rub: x' { force b }\n"),
      RAMP("bilateral rail: y = 0 { slip x'; friction force b }\n"),
      RAMP("unilateral floor: y >= 0 { slip x'; friction force b }\n"),
      RAMP("unilateral floor: y <= 0 { slip x'; friction force b*(1 + 0*x') }\nforce y = 100\n")};
  const double t = 3, begin = 1.5, x = (t - begin) * (t - begin) * (t - begin) / 6;
  for (int n = 0; n < 4; n++)
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *s = dls_scheme_info_at(k);
      at_case("%d %s", n, s->name);
      fixture *r = fixture_open(texts[n], s->name, 0.001, is_plain_moreau(s) ? 1e-6 : 0);
      fixture_to(r, 1.499);
      assert_true(fabs(fixture_q(r, 0)) < (strcmp(s->name, "lcp") == 0 ? 1e-6 : 1e-12));
      fixture_to(r, t);
      const double error = fabs(fixture_q(r, 0) - x), most = s->events ? 1e-6 : 6e-3;
      if (!(error < most)) fail_msg("%d %s: %g", n, s->name, error);
      if (s->events) {
        assert_int_equal(fixture_count(r, DLS_EVENT_SLIP), 1);
        assert_true(fabs(fixture_time(r, DLS_EVENT_SLIP) - begin) < 1e-6);
      }
      fixture_close(r);
    }
}

// On a belt that moves with u the force is b until the mass moves with it; then it is carried.
static void belt_carries(void **state)
{
  (void)state;
  static const char text[] = "parameter m = 2, b = 3, u = 1.2\ncoordinate x\nkinetic m/2*x'^2\n"
                             "friction rub: x' - u { force b }\n";
  const double t = 2, stop = 1.2 * 2 / 3, x = 1.2 * stop / 2 + 1.2 * (t - stop);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *r = fixture_open(text, s->name, 0.01, is_plain_moreau(s) ? 1e-6 : 0);
    fixture_to(r, t);
    assert_true(fabs(fixture_q(r, 0) - x) < (s->events ? 1e-9 : 2e-2));
    assert_true(fabs(fixture_v(r, 0) - 1.2) < 1e-9);
    fixture_close(r);
  }
}

// A disc that slides in space stops after v^2 m/(2 b), whatever its direction; two slips.
static void disc_in_space(void **state)
{
  (void)state;
  static const char text[] = "parameter m = 2, b = 3\ncoordinate x, y, z\nvelocity x = 3, y = 4\n"
                             "kinetic m/2*(x'^2 + y'^2 + z'^2)\npotential 20*z\n"
                             "unilateral floor: z >= 0 { slip x', y'; friction force b }\n";
  const double way = 25. * 2 / 6;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    if (strcmp(s->name, "lcp") == 0) continue;  // a polygon in place of the disc
    at_case("%s", s->name);
    fixture *r = fixture_open(text, s->name, 0.01, is_plain_moreau(s) ? 1e-6 : 0);
    fixture_to(r, 4);
    const double most = s->events ? 1e-6 : 6e-2;
    assert_true(fabs(fixture_q(r, 0) - 0.6 * way) < most);
    assert_true(fabs(fixture_q(r, 1) - 0.8 * way) < most);
    assert_true(fabs(fixture_v(r, 0)) < 1e-9 && fabs(fixture_v(r, 1)) < 1e-9);
    fixture_close(r);
  }
}

// A bounded force has no percussion, and a fast blow none of its own.
static void impacts(void **state)
{
  (void)state;
  static const char text[] =
      "parameter m = 2, b = 3\ncoordinate x, y = 0.2\nvelocity x = 1\n"
      "kinetic m/2*(x'^2 + y'^2)\npotential 9.81*m*y\n"
      "unilateral floor: y >= 0 { slip x'; friction force b; restitution 0 }\n"
      "friction air: x' { force 0.01 }\nstate hits: y = 0, y' = -3\n";
  subject s = ask_about(text, "", "hits");
  const json_t *impact = json_object_get(s.report, "impact");
  const json_t *after = json_object_get(impact, "velocities_after");
  if (!after) after = json_object_get(impact, "after");
  assert_non_null(impact);
  if (after) assert_true(json_number_value(json_object_get(after, "x")) == 1);
  dls_verification *v = verify(&s);
  assert_true(v->holds);
  dls_verification_free(v);
  close_subject(&s);
}

// --- check ---

static double number_at(const json_t *o, const char *a, const char *b, const char *c)
{
  o = json_object_get(json_array_get(json_object_get(o, "solutions"), 0), a);
  o = json_object_get(o, b);
  if (c) o = json_object_get(o, c);
  if (json_is_array(o)) o = json_array_get(o, 0);
  assert_true(json_is_number(o));
  return json_number_value(o);
}

static const char *answer_of(const subject *s, const char *question)
{
  const json_t *v = json_object_get(json_object_get(s->report, "verdicts"), question);
  const char *answer = json_string_value(json_object_get(v, "answer"));
  return answer ? answer : "";
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

// A hinge with 0.4: it holds up to m g l cos = 0.4, and beyond takes 0.4 off. In other units, too.
static void hinge(void **state)
{
  (void)state;
  static const char text[] =
      "parameter m = 1, l = 1, g = 9.81, b = 0.4, k = 1\ncoordinate phi = 0.5\n"
      "kinetic m*l^2/2*k*phi'^2\npotential k*m*g*l*sin(phi)\nfriction hinge: phi' { force k*b }\n";
  static const char *const sets[] = {"", "k=1e8", "k=1e-8"};
  for (int n = 0; n < 3; n++) {
    at_case("%s", sets[n]);
    const double k = n == 0 ? 1 : n == 1 ? 1e8 : 1e-8;
    subject s = ask_about(text, sets[n], "");
    assert_string_equal(answer_of(&s, "acceleration_exists"), "yes");
    assert_string_equal(answer_of(&s, "acceleration_unique"), "yes");
    assert_string_equal(answer_of(&s, "forces_unique"), "yes");
    assert_string_equal(answer_of(&s, "can_all_stick"), "no");
    assert_true(fabs(number_at(s.report, "acceleration", "phi", NULL) + 9.81 * cos(0.5) - 0.4) <
                1e-12);
    assert_true(fabs(number_at(s.report, "forces", "hinge", "tangential") - 0.4 * k) < 1e-12 * k);
    expect_true(&s);
    close_subject(&s);
    char more[60];
    snprintf(more, sizeof more, "%s%sb=9", sets[n], n ? ", " : "");
    s = ask_about(text, more, "");
    assert_string_equal(answer_of(&s, "can_all_stick"), "yes");
    assert_true(fabs(number_at(s.report, "forces", "hinge", "tangential") - k * 9.81 * cos(0.5)) <
                1e-11 * k);
    expect_true(&s);
    close_subject(&s);
  }
}

// Forged: more friction than the bound, another acceleration, a weight that is not there.
static void forged(void **state)
{
  (void)state;
  static const char text[] =
      "coordinate x, y\nkinetic x'^2 + y'^2\npotential 20*y\nforce x = 5\n"
      "unilateral floor: y >= 0 { slip x'; friction force 3 }\nfriction rub: x' { force 1 }\n";
  static const char *const lies[][2] = {{"solutions/0/forces/floor/tangential/0", "-3.01"},
                                        {"solutions/0/forces/rub/tangential/0", "-1.01"},
                                        {"solutions/0/forces/rub/normal", "1"},
                                        {"solutions/0/forces/floor/normal", "19"},
                                        {"solutions/0/acceleration/x", "0.51"},
                                        {"force_ranges/rub/tangential/0/0", "-2"},
                                        {"force_ranges/rub/normal/1", "1"},
                                        {"contacts/1/friction_force", "2"},
                                        {"contacts/0/friction_force", "2"}};
  subject s = ask_about(text, "", "");
  assert_true(fabs(number_at(s.report, "acceleration", "x", NULL) - 0.5) < 1e-12);
  expect_true(&s);
  close_subject(&s);
  for (int k = 0; k < 9; k++) {
    at_case("%s", lies[k][0]);
    s = ask_about(text, "", "");
    put_value(s.report, lies[k][0], lies[k][1]);
    dls_verification *v = verify(&s);
    assert_false(v->holds);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// The minimum of eq (dry.3) on a line, for random joints with several frictions: by bisection.
static void minimum(void **state)
{
  (void)state;
  srand(7);
  for (int n = 0; n < 60; n++) {
    at_case("%d", n);
    char text[800];
    double h[3], b[3], c[3];
    const double m = 0.5 + rand() % 7, F = rand() % 13 - 6;
    int used = snprintf(text, sizeof text, "coordinate x\nkinetic %g/2*x'^2\nforce x = %g\n", m, F);
    for (int i = 0; i < 3; i++) {
      h[i] = rand() % 5 - 2.5, b[i] = rand() % 4, c[i] = rand() % 5 - 2;
      used += snprintf(text + used, sizeof text - (size_t)used,
                       "friction f%d: %g*x' + %g*t { force %g }\n", i, h[i], c[i], b[i]);
    }
    double low = -100, high = 100;  // of the derivative m z - F + sum b h sign(h z + c)
    for (int k = 0; k < 200; k++) {
      const double z = (low + high) / 2;
      double slope = m * z - F;
      for (int i = 0; i < 3; i++) slope += b[i] * h[i] * (h[i] * z + c[i] > 0 ? 1 : -1);
      if (slope > 0) high = z;
      else low = z;
    }
    subject s = ask_about(text, "", "");
    assert_string_equal(answer_of(&s, "acceleration_exists"), "yes");
    assert_string_equal(answer_of(&s, "acceleration_unique"), "yes");
    const double z = number_at(s.report, "acceleration", "x", NULL);
    if (!(fabs(z - low) < 1e-9 * (1 + fabs(low)))) fail_msg("%g in place of %g\n%s", z, low, text);
    expect_true(&s);
    close_subject(&s);
  }
}

// In space, where modes are not all seen: the problem is convex.
static void convex(void **state)
{
  (void)state;
  static const char text[] =
      "parameter f = 2\ncoordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\npotential 20*z\n"
      "force x = f\nforce y = f/2\n"
      "unilateral floor: z >= 0 { slip x', y'; friction force 3 }\n";
  static const char *const sets[] = {"f=2", "f=3"};
  for (int k = 0; k < 2; k++) {
    subject s = ask_about(text, sets[k], "");
    assert_string_equal(answer_of(&s, "acceleration_unique"), "yes");
    assert_string_equal(answer_of(&s, "can_all_stick"), k == 0 ? "yes" : "no");
    expect_true(&s);
    // beside Coulomb's friction that is not known
    close_subject(&s);
  }
}

// Questions about large loads do not see bounds: closure, and sliding for every load.
static void large_loads(void **state)
{
  (void)state;
  static const char text[] =
      "parameter mu = 0.5\ncoordinate x, y\nkinetic x'^2 + y'^2\nobject puck: x, y\n"
      "unilateral left: x >= 0 { slip y'; %s }\nunilateral right: -x >= 0 { slip y'; %s }\n";
  static const char *const friction[] = {"friction mu", "friction force mu"};
  for (int k = 0; k < 3; k++) {
    at_case("%d", k);
    char filled[600];
    snprintf(filled, sizeof filled, text, friction[k > 0], friction[k > 1]);
    subject s = ask_about(filled, "", "");
    assert_string_equal(answer_of(&s, "form_closure"), "no");
    assert_string_equal(answer_of(&s, "force_closure"), k < 2 ? "yes" : "");
    assert_string_equal(answer_of(&s, "mfcq"), "no");
    expect_true(&s);
    close_subject(&s);
  }
  // what sticks by a bound says nothing of every load; what slides is a constant
  static const char slides[] =
      "coordinate x, y, u\nvelocity x = 1\nkinetic x'^2 + y'^2 + u'^2\n"
      "unilateral floor: y >= 0 { slip x'; friction 0.3 }\nfriction rub: u' { force 1 }\n"
      "state moving: u' = 2\n";
  subject s = ask_about(slides, "", "");
  assert_string_equal(answer_of(&s, "unique_for_every_load"), "");
  expect_true(&s);
  close_subject(&s);
  s = ask_about(slides, "", "moving");
  assert_string_equal(answer_of(&s, "unique_for_every_load"), "yes");
  expect_true(&s);
  close_subject(&s);
}

// Friction mu beside friction with a bound: the least common mu is not looked for, nor wrong.
static void least_is_left_open(void **state)
{
  (void)state;
  subject s = ask_about("coordinate x, y\nkinetic x'^2 + y'^2\npotential 20*y\nforce x = 5\n"
                        "unilateral floor: y >= 0 { slip x'; friction 0.1 }\n"
                        "friction rub: x' { force 3 }\n",
                        "", "");
  const json_t *least =
      json_object_get(json_object_get(s.report, "friction"), "least_for_sticking");
  assert_non_null(least);
  assert_true(json_is_null(json_object_get(least, "value")));
  assert_string_equal(answer_of(&s, "can_all_stick"), "yes");
  expect_true(&s);
  close_subject(&s);
}

// Derivatives along a run know no such law, and say so.
static void no_sensitivity(void **state)
{
  (void)state;
  fixture *r = fixture_open(OSCILLATOR("0.3", "2"), "radau5", 0.1, 0);
  const char *const name = "k";
  dls_sensitivity *s = NULL;
  dls_message message;
  assert_int_equal(dls_sensitivity_create(r->system, 1, &name, &s, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "rub"));
  fixture_close(r);
}

// Two parts of a system, each with friction alone, move as they do by themselves.
static void parts(void **state)
{
  (void)state;
  static const char text[] =
      "coordinate x = 2, z = 2\nkinetic x'^2/2 + z'^2/2\npotential 2*x^2 + 2*z^2\n"
      "friction one: x' { force 0.3 }\nfriction two: z' { force 1.2 }\n";
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    const double rtol = is_plain_moreau(s) ? 1e-6 : 0;
    fixture *r = fixture_open(text, s->name, 0.01, rtol);
    fixture_to(r, 4.2);
    const double most = is_plain_moreau(s) ? 2e-3 : 1e-9;
    assert_true(fabs(fixture_q(r, 0) - oscillate(s->name, 0.01, rtol, 4.2, NULL)) < most);
    assert_true(fabs(fixture_q(r, 1)) < 0.4);
    fixture_close(r);
  }
}

// A ladder of masses on frictions and a wall: all schemes agree with radau5.
static void together(void **state)
{
  (void)state;
  static const char text[] =
      "coordinate x, y = 0.5, z = 1.2\nvelocity x = 1, z = -0.5\n"
      "kinetic x'^2/2 + y'^2 + z'^2/2\npotential 20*(y - x - 0.5)^2 + 15*(z - y - 0.6)^2\n"
      "friction a: x' { force 0.4 }\nfriction b: z' - y' { force 0.2 }\n"
      "unilateral wall: x <= 0.1 { slip z'; friction force 0.3; restitution 0.5 }\n";
  fixture *r = fixture_open(text, "radau5", 0.001, 0);
  fixture_to(r, 1.5);
  const double x[] = {fixture_q(r, 0), fixture_q(r, 1), fixture_q(r, 2)};
  fixture_close(r);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *other = fixture_open(text, s->name, 0.0005, is_plain_moreau(s) ? 1e-6 : 0);
    fixture_to(other, 1.5);
    for (int i = 0; i < 3; i++) {
      const double off = fabs(fixture_q(other, i) - x[i]);
      if (!(off < (s->events ? 1e-4 : 2e-2))) fail_msg("%s: %d off by %g", s->name, i, off);
    }
    fixture_close(other);
  }
}

// --- the language ---

static void wrong_text(void **state)
{
  (void)state;
  static const char *const texts[][2] = {
      {"friction hinge: x' { force }\n", "expected a number"},
      {"friction hinge: 3*t { force 1 }\n", "depends on no velocity"},
      {"friction hinge: x'\n", "{ force ... }"},
      {"friction hinge: x' { friction 1 }\n", "`force`"},
      {"friction hinge: x' { force 1; slip x' }\n", "`}`"},
      {"friction hinge: x'^2 { force 1 }\n", "affine"},
      {"friction hinge: x', x', x' { force 1 }\n", "at most two"},
      {"friction hinge: x' { force -1 }\n", "cannot be negative"},
      {"bilateral b: x = 0 { slip x'; friction force -1 }\n", "cannot be negative"},
      {"bilateral b: x = 0 { friction force 1 }\n", "needs a slip"},
      {"friction hinge: x' { force 1 }\noutput a = hinge.gap\n", "friction alone"},
      {"friction hinge: x' { force 1 }\noutput a = hinge.force_n\n", "friction alone"}};
  for (int k = 0; k < 12; k++) {
    at_case("%s", texts[k][0]);
    char text[300];
    snprintf(text, sizeof text, "coordinate x\nkinetic x'^2\n%s", texts[k][0]);
    dls_model *model = NULL;
    dls_diagnostics diagnostics;
    assert_int_not_equal(dls_model_parse(text, strlen(text), &model, &diagnostics), DLS_OK);
    if (!strstr(diagnostics.item[0].message, texts[k][1]))
      fail_msg("%s", diagnostics.item[0].message);
    dls_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oscillator),    cmocka_unit_test(comes_to_rest),
      cmocka_unit_test(ramp),          cmocka_unit_test(belt_carries),
      cmocka_unit_test(disc_in_space), cmocka_unit_test(impacts),
      cmocka_unit_test(hinge),         cmocka_unit_test(forged),
      cmocka_unit_test(minimum),       cmocka_unit_test(convex),
      cmocka_unit_test(large_loads),   cmocka_unit_test(least_is_left_open),
      cmocka_unit_test(wrong_text),    cmocka_unit_test(no_sensitivity),
      cmocka_unit_test(parts),         cmocka_unit_test(together)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
