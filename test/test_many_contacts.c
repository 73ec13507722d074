// The same contact many times over: identical, nearly identical, three kinds of them, with and
// without friction, at rest and hitting. What each answer must be is plain to see.
#include "verify_case.h"

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

#ifdef __SANITIZE_ADDRESS__  // memory errors show on fewer contacts too
enum { MANY = 300 };
#else
enum { MANY = 1500 };
#endif

static const char plane[] = "coordinate x = 0, y = 0\n"
                            "kinetic 1/2*(x'^2 + y'^2)\npotential 10*y\n"
                            "state landing: x' = 1, y' = -1\nstate sliding: x' = 1\n";
static const char space[] = "coordinate x = 0, y = 0, z = 0\n"
                            "kinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 10*z\n"
                            "state landing: x' = 1, z' = -1\n";
static const char body[] = "coordinate x = 0, y = 0, th = 0\n"
                           "kinetic 1/2*(x'^2 + y'^2) + 1/6*th'^2\npotential 10*y\n";

// The lines of a model, then `count` contacts "unilateral cK: " with the printed end.
__attribute__((format(printf, 3, 0))) static char *model_of(const char *head, int count,
                                                            const char *format, bool by_number)
{
  char *text = malloc(strlen(head) + (size_t)count * 120 + 1), *end = text;
  assert_non_null(text);
  end += sprintf(end, "%s", head);
  for (int k = 0; k < count; k++) {
    end += sprintf(end, "unilateral c%d: ", k);
    end += by_number ? sprintf(end, format, k % 3 - 1) : sprintf(end, "%s", format);
    end += sprintf(end, "\n");
  }
  return text;
}

static const json_t *answer_of(const subject *s, const char *question)
{
  return json_object_get(json_object_get(json_object_get(s->report, "verdicts"), question),
                         "answer");
}

static void answers(const subject *s, const char *question, const char *answer)
{
  const char *found = json_string_value(answer_of(s, question));
  if (!found || strcmp(found, answer) != 0)
    fail_msg("%s is answered %s, not %s", question, found ? found : "not at all", answer);
}

static void holds(const subject *s)
{
  dls_verification *v = verify(s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s fails: %s", v->finding[k].name, v->finding[k].why);
  assert_true(v->holds);
  dls_verification_free(v);
}

static double normal_force(const subject *s, int k)
{
  char name[16];
  snprintf(name, sizeof name, "c%d", k);
  const json_t *first = json_array_get(json_object_get(s->report, "solutions"), 0);
  const json_t *force = json_object_get(json_object_get(first, "forces"), name);
  if (json_is_object(force)) force = json_object_get(force, "normal");
  return json_number_value(json_is_array(force) ? json_array_get(force, 0) : force);
}

// All carry the same: the least norm.
static void identical(void **unused)
{
  (void)unused;
  char *text = model_of(plane, MANY, "y >= 0", false);
  subject s = ask_about(text, "", NULL);
  answers(&s, "acceleration_exists", "yes");
  answers(&s, "forces_unique", "no");
  answers(&s, "mfcq", "yes");
  for (int k = 0; k < MANY; k++) assert_true(fabs(normal_force(&s, k) * MANY / 10 - 1) < 1e-9);
  holds(&s);
  close_subject(&s);
  free(text);
}

// Three places of a beam, many times each: the load is shared equally, too.
static void three_kinds(void **unused)
{
  (void)unused;
  char *text = model_of(body, MANY, "y + %d*sin(th) >= 0", true);
  subject s = ask_about(text, "", NULL);
  answers(&s, "acceleration_exists", "yes");
  answers(&s, "acceleration_unique", "yes");
  for (int k = 0; k < MANY; k++) assert_true(fabs(normal_force(&s, k) * MANY / 10 - 1) < 1e-9);
  holds(&s);
  close_subject(&s);
  free(text);
}

static void with_friction(void **unused)
{
  (void)unused;
  const struct {
    const char *head, *contact, *at;
  } cases[] = {{plane, "y >= 0 { slip x'; friction 0.3 }", NULL},
               {plane, "y >= 0 { slip x'; friction 0.3 }", "sliding"},
               {plane, "y >= 0 { slip x'; friction 0.3; restitution 0.5 }", "landing"},
               {space, "z >= 0 { slip x', y'; friction 0.3 }", NULL},
               {space, "z >= 0 { slip x', y'; friction 0.3 }", "landing"}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    at_case("c %zu", c);
    char *text = model_of(cases[c].head, MANY, cases[c].contact, false);
    subject s = ask_about(text, "", cases[c].at);
    if (!cases[c].at) answers(&s, "can_all_stick", "yes");
    if (!cases[c].at) answers(&s, "acceleration_exists", "yes");
    holds(&s);
    close_subject(&s);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(identical),
      cmocka_unit_test(three_kinds),
      cmocka_unit_test(with_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
