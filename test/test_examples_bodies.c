// Examples with bodies, against the formulas in their headers, and how they are written and
// reported.
#include "stance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "numbers.h"

static const double g = 9.81;

// ---- examples -----------------------------------------------------------------------------------

static void crates(void **state)
{
  (void)state;
  const double weight = 0.3 * 0.3 * 0.2 * 400 * g;
  double force;
  stance s = stance_example("crates", NULL, "");
  assert_int_equal(stance_closed(&s, "crate[1,1].corner", NULL), 4);  // on the ground
  assert_true(stance_closed(&s, "crate[1,1].", NULL) > 7);  // and those of the crate above
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  stance_closed(&s, "crate[2,1].corner", &force), close_to(force, 3 * weight, 1e-6);
  stance_leave(&s);
  s = stance_example("crates", "thrown", "");
  close_to(stance_acceleration(&s, "ball.z"), -g, 1e-12);
  stance_leave(&s);
  s = stance_example("crates", "hit", "");
  assert_true(s.contacts->impact);
  stance_leave(&s);
}

static void arch(void **state)
{
  (void)state;
  const double pi = 3.14159265358979323846;
  const double stone = (1.3 * 1.3 - 1) * sin(pi / 5) / 2 * 0.4 * 2400;
  double force;
  stance s = stance_example("arch", NULL, "");
  assert_int_equal(stance_closed(&s, "stone[", NULL), 24);
  assert_true(stance_still(&s));
  stance_closed(&s, "stone[1].vertex", &force), close_to(force, 2.5 * stone * g, 1e-6);
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  stance_leave(&s);
  s = stance_example("arch", NULL, "mu=0.2");
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  stance_leave(&s);
}

static void bottle(void **state)
{
  (void)state;
  double force;
  stance s = stance_example("bottle", NULL, "");
  assert_true(stance_still(&s));
  stance_closed(&s, "bottle.side/lower[1]", &force), close_to(force, 6, 1e-9);
  close_to(s.check->limit[DLS_LIMIT_LEAST].value, 0.5 * g / 3 / 6, 1e-8);
  stance_answers(&s, DLS_FORM_CLOSURE, DLS_NO), stance_answers(&s, DLS_FORCE_CLOSURE, DLS_YES);
  stance_leave(&s);
  s = stance_example("bottle", NULL, "N=2");
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  stance_leave(&s);
}

static void quadruped(void **state)
{
  (void)state;
  stance s = stance_example("quadruped", NULL, "");
  double force;
  assert_true(stance_still(&s));
  stance_closed(&s, "shank", &force), close_to(force, (9 + 4) * g * cos(0.2), 1e-7);
  stance_leave(&s);
  s = stance_example("quadruped", NULL, "slope=0.55");  // tan 0.55 > 0.6
  stance_answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  stance_leave(&s);
}

static void door(void **state)
{
  (void)state;
  const double J = 24 * 0.8 * 0.8 / 3 + 24 * 0.04 * 0.04 / 12;
  stance s = stance_example("door", "ajar", "");
  assert_true(stance_still(&s));
  stance_leave(&s);
  s = stance_example("door", "wide", "");
  close_to(stance_acceleration(&s, "hinge"), -(20 * 1.5 - 2) / J, 1e-9);
  stance_leave(&s);
  s = stance_example("door", "closing", "");  // friction is against the motion
  close_to(stance_acceleration(&s, "hinge"), -(20 * 1.0 - 4 * 1.0 - 2) / J, 1e-9);
  stance_leave(&s);
}

static void gyroscope(void **state)
{
  (void)state;
  const double m = 0.5, r = 0.06, h = 0.01, l = 0.1, spin = 200;
  const double C = m * r * r / 2, A = m * (r * r / 4 + h * h / 12) + m * l * l;
  stance s = stance_example("gyroscope", "steady", "");
  close_to(stance_acceleration(&s, "support.ry"), spin * (m * g * l / (C * spin)), 1e-9);
  close_to(stance_acceleration(&s, "support.rx"), 0, 1e-12),
      close_to(stance_acceleration(&s, "support.rz"), 0, 1e-9);
  stance_leave(&s);
  s = stance_example("gyroscope", "dropped", "");
  close_to(stance_acceleration(&s, "support.ry"), m * g * l / A, 1e-9);
  stance_leave(&s);
}

// ---- language and report ------------------------------------------------------------------------

// Three ways to write one rotation, and a plane through a point.
static void places_as_they_are_written(void **state)
{
  (void)state;
  const char text[] =
      "parameter a = pi/3\nfixed ground { plane 0, 0, 2 through 5, 5, 0.1 }\n"
      "body a { box 1, 1, 1; mass 1; position 0, 0, 0.6; rotation 0, 0, a }\n"
      "body b { box 1, 1, 1; mass 1; position 3, 0, 0.6; rotation axis 0, 0, 2 angle a }\n"
      "body c { box 1, 1, 1; mass 1; position 6, 0, 0.6\n"
      "  rotation quaternion cos(a/2), 0, 0, sin(a/2) }\n"
      "body d { box 1, 1, 1; mass 1; position 9, 0, 0.6; rotation axis (0, 0, 1) angle a }\n";
  stance s = stance_of(text, NULL, NULL, "");
  for (int b = 0; b < 4; b++)
    for (int i = 3; i < 7; i++) close_to(s.state.q[7 * b + i], s.state.q[i], 1e-15);
  close_to(s.state.q[6], 0.5, 1e-15);
  assert_int_equal(stance_closed(&s, "", NULL), 16);
  stance_leave(&s);
}

static int lines(const char *text)
{
  int count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

static void the_report_of_many_contacts(void **state)
{
  (void)state;
  stance s = stance_example("crates", NULL, "");
  const dls_report report = {.system = s.system, .contact_state = s.contacts, .check = s.check};
  dls_report_options full = dls_report_defaults();
  full.full = true;
  char *page, *all, *json;
  assert_int_equal(dls_report_text(&report, NULL, &page), DLS_OK);
  assert_int_equal(dls_report_text(&report, &full, &all), DLS_OK);
  assert_int_equal(dls_report_json(&report, &json), DLS_OK);
  assert_non_null(
      strstr(page, "crate[1,1]/ground      unilateral  4 contacts: closed, friction 0.5"));
  assert_null(strstr(page, "crate[1,1].corner---/ground  unilateral"));
  assert_true(lines(page) < 60);
  assert_non_null(strstr(all, "crate[1,1].corner---/ground"));
  assert_null(strstr(all, "--full"));
  assert_non_null(strstr(json, "\"bodies\": [\"crate[1,1]\", \"ground\"]"));
  dls_report_text_free(page), dls_report_text_free(all), dls_report_text_free(json);
  stance_leave(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(crates),
                                     cmocka_unit_test(arch),
                                     cmocka_unit_test(bottle),
                                     cmocka_unit_test(quadruped),
                                     cmocka_unit_test(door),
                                     cmocka_unit_test(gyroscope),
                                     cmocka_unit_test(places_as_they_are_written),
                                     cmocka_unit_test(the_report_of_many_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
