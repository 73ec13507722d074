// Stacks of blocks at rest, two planar contacts with friction under each: one acceleration, none,
// however many forces; counted and proven. And bodies with many contacts, which must not take long.
#include "verify_case.h"

#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 20 };

// Blocks of height 1; each stands on the one below over the smaller of their widths.
static char *stack_of(int count, const double *width)
{
  char *text = malloc((size_t)count * 700 + 200), *end = text;
  assert_non_null(text);
  end += sprintf(end, "parameter g = 9.81, mu = 0.5\n");
  for (int i = 0; i < count; i++)
    end += sprintf(end, "coordinate x%d = 0, y%d = %g, a%d = 0\n", i, i, i + 0.5, i);
  end += sprintf(end, "kinetic (0");
  for (int i = 0; i < count; i++)
    end += sprintf(end, " + x%d'^2 + y%d'^2 + %g*a%d'^2", i, i, (width[i] * width[i] + 1) / 12, i);
  end += sprintf(end, ")/2\npotential g*(0");
  for (int i = 0; i < count; i++) end += sprintf(end, " + y%d", i);
  end += sprintf(end, ")\n");
  for (int c = 0; c < 2 * count; c++) {
    const int i = c / 2;
    const double least = i && width[i - 1] < width[i] ? width[i - 1] : width[i];
    const double at = (c % 2 ? 0.5 : -0.5) * least;
    end += sprintf(end, "unilateral c%d: y%d - 0.5*cos(a%d) + %g*sin(a%d)", c, i, i, at, i);
    if (i) end += sprintf(end, " - y%d - 0.5*cos(a%d) - %g*sin(a%d)", i - 1, i - 1, at, i - 1);
    end += sprintf(end, " >= 0 { slip x%d' + 0.5*a%d'", i, i);
    if (i) end += sprintf(end, " - x%d' + 0.5*a%d'", i - 1, i - 1);
    end += sprintf(end, "; friction mu }\n");
  }
  return text;
}

static const char *answer_of(const subject *s, const char *question)
{
  const json_t *verdict = json_object_get(json_object_get(s->report, "verdicts"), question);
  return json_string_value(json_object_get(verdict, "answer"));
}

// decided: that it is must be shown; else only that what is said is true, and holds.
static void rests(int count, const double *width, bool decided)
{
  char *text = stack_of(count, width);
  subject s = ask_about(text, "", NULL);
  const json_t *solutions = json_object_get(s.report, "solution_count");
  const char *unique = answer_of(&s, "acceleration_unique");
  assert_string_equal(answer_of(&s, "acceleration_exists"), "yes");
  assert_string_equal(answer_of(&s, "can_all_stick"), "yes");
  assert_string_not_equal(unique, "no");
  if (decided) assert_string_equal(unique, "yes");
  if (decided || json_is_integer(solutions)) assert_int_equal(json_integer_value(solutions), 1);
  dls_verification *v = verify(&s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%d blocks: %s fails: %s", count, v->finding[k].name, v->finding[k].why);
  static const char *const proven[] = {"solution_count", "continuum.1"};
  for (int k = 0; decided && k < 2; k++) {
    const dls_finding *f = find_claim(v, proven[k]);
    if (!f || f->found != DLS_FOUND_HOLDS)
      fail_msg("%d blocks: %s: %s", count, proven[k], f ? f->why : "is not there");
  }
  dls_verification_free(v);
  close_subject(&s);
  free(text);
}

static void equal_blocks(void **unused)
{
  (void)unused;
  double width[MOST];
  for (int i = 0; i < MOST; i++) width[i] = 1;
  for (int count = 1; count <= MOST; count += count < 4 ? 1 : 8) {
    at_case("count %d", count);
    rests(count, width, true);
  }
}

static void pyramids(void **unused)
{
  (void)unused;
  double width[MOST];
  for (int i = 0; i < MOST; i++) width[i] = 2 - 0.05 * i;
  rests(5, width, true), rests(MOST, width, true);
  for (int i = 0; i < MOST; i++) width[i] = 1 + 0.05 * i;
  rests(5, width, true);
}

static void random_widths(void **unused)
{
  (void)unused;
  for (int trial = 0; trial < 6; trial++) {
    at_case("trial %d", trial);
    double width[MOST];
    for (int i = 0; i < MOST; i++) width[i] = 0.5 + 0.25 * below(5);
    rests(2 + below(8), width, false);
  }
}

// A planar body that touches at up to eight points, at rest: all cases, in hundredths of a second.
static void many_points(void **unused)
{
  (void)unused;
  for (int trial = 0; trial < 40; trial++) {
    at_case("trial %d", trial);
    char text[2000], *end = text;
    const int count = 4 + below(5);
    end += sprintf(
        end, "coordinate x, y, a\nkinetic (x'^2 + y'^2 + a'^2)/2\nforce x = %d, y = %d, a = %d\n",
        below(7) - 3, below(7) - 3, below(7) - 3);
    for (int c = 0; c < count; c++)
      end += sprintf(
          end,
          "unilateral c%d: %d*x + %d*y + %d*a >= 0 { slip %d*x' + %d*y' + %d*a'%s; friction %g }\n",
          c, below(5) - 2, 1 + below(3), below(5) - 2, 1 + below(3), below(5) - 2, below(5) - 2,
          below(3) ? "" : " - 2 + t", 0.125 * below(9));
    subject s = ask_about(text, "", NULL);
    dls_verification *v = verify(&s);
    for (int k = 0; k < v->findings; k++) {
      const bool range = strcmp(v->finding[k].group, "force_ranges") == 0;
      const dls_found found = v->finding[k].found;
      if (found == DLS_FOUND_FAILS || (range && found == DLS_FOUND_UNPROVEN))
        fail_msg("trial %d: %s does not hold: %s", trial, v->finding[k].name, v->finding[k].why);
    }
    assert_string_not_equal(answer_of(&s, "acceleration_exists"), "undecided");
    dls_verification_free(v);
    close_subject(&s);
  }
}

// Contacts that leave a linear program without unknowns, or without inequalities.
static void nothing_free(void **unused)
{
  (void)unused;
  static const char *const models[] = {
      "coordinate x, y, z\nkinetic (2*x'^2 + y'^2 + z'^2)/2\nforce x = 0.5, y = 2, z = -3\n"
      "unilateral c0: -y >= 0 { slip -y'/2; friction 0.25 }\n",
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 1\n"
      "bilateral c0: x = 0\nbilateral c1: y + x = 0 { slip 2*x'; friction 2 }\n",
  };
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    at_case("%s", models[k]);
    subject s = ask_about(models[k], "", NULL);
    assert_string_equal(answer_of(&s, "acceleration_unique"), "yes");
    dls_verification *v = verify(&s);
    assert_true(v->holds);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// What elimination leaves of forces that are 0 stands in the way of no proof.
static void forces_left_over(void **unused)
{
  (void)unused;
  static const char *const models[] = {
      "coordinate x, y, a\nkinetic (2*x'^2 + 0.125*y'^2 + 0.375*a'^2)/2\nforce x = 4, y = 3\n"
      "unilateral c1: -2*y + 2*a >= 0 { slip 2*x' - 2*y' - 2*a'; friction 0.25 }\n"
      "unilateral c2: -x >= 0 { slip x' + 2*y' - 3*a'; friction 0.125 }\n"
      "unilateral c3: 1.5*x - y - 2*a >= 0\n"
      "unilateral c4: 1.5*x + 0.5*a >= 0 { slip 2*x' - 1.5*a' - 2 + t; friction 1.5 }\n"
      "unilateral c5: x + 2*y >= 0 { slip y' - a' + 2*t; friction 0.75 }\n",
      "coordinate q1, q2\n"
      "kinetic (6*q1'*q1' + 2*q1'*q2' + 1*q2'*q2')/2\n"
      "force q1 = 3, q2 = -4\n"
      "unilateral c1: -3*q1 + -1*q2 >= 0 { slip -1.5*q1'; friction 0.625 }\n"
      "bilateral c2: 2*q1 = 0 { slip -1.5*q2' + 3; friction 0.625 }\n"
      "bilateral c3: -0.5*q1 + 1.5*q2 = 0\n",
      "coordinate q1, q2\n"
      "kinetic (2*q2'*q2')/2\n"
      "force q1 = -1\n"
      "unilateral c1: -1*q2 >= 0\n"
      "unilateral c2: -2*q1 >= 0 { slip -3*q1' + -1*t; friction 1.5 }\n"
      "unilateral c3: -3*q1 + -3*q2 >= 0 { slip -1*q1' + 0.5*q2'; friction 0.25 }\n"
      "bilateral c4: 2*q2 = 0 { slip 2*q1' + -2 + -1*t; friction 0.25 }\n",
  };
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    at_case("%s", models[k]);
    subject s = ask_about(models[k], "", NULL);
    dls_verification *v = verify(&s);
    int ranges = 0;
    for (int i = 0; i < v->findings; i++) {
      const bool range = strcmp(v->finding[i].group, "force_ranges") == 0;
      const bool continuum = strcmp(v->finding[i].group, "continuum") == 0;
      ranges += range;
      if (range || continuum) assert_int_equal(v->finding[i].found, DLS_FOUND_HOLDS);
    }
    assert_true(v->holds && ranges > 0);
    dls_verification_free(v);
    close_subject(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_blocks),  cmocka_unit_test(pyramids),
      cmocka_unit_test(random_widths), cmocka_unit_test(many_points),
      cmocka_unit_test(nothing_free),  cmocka_unit_test(forces_left_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
