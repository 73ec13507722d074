// Force closure where bilateral contacts have friction: closed forms, random grasps in the plane
// and in space against the same grasp with the signs chosen, forged witnesses.           eq (clo.3)
#include "problem_maker.h"
#include "verify_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#ifdef __SANITIZE_ADDRESS__
enum { MANY = 16 };
#else
enum { MANY = 40 };
#endif

static const char *answer_of(const subject *s, const char *question)
{
  const json_t *verdict = json_object_get(json_object_get(s->report, "verdicts"), question);
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  return answer ? answer : "";
}

static const char *proven_answer(const subject *s)
{
  const char *answer = answer_of(s, "force_closure");
  if (strcmp(answer, "undecided") != 0)
    assert_int_equal(found_of(s, "verdicts.force_closure"), DLS_FOUND_HOLDS);
  return answer;
}

static void expect(const char *text, const char *sets, const char *answer)
{
  subject s = ask_about(text, sets, NULL);
  at_case("%s %s", sets, text);
  assert_string_equal(proven_answer(&s), answer);
  close_subject(&s);
}

// A point in a slot and on a floor: forces along the slot's walls and along the floor reach below
// if and only if the cones of both overlap there, mu nu > 1.
static const char slot[] = "parameter mu = 1, nu = 1\n"
                           "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "bilateral wall: x = 0 { slip y'; friction mu }\n"
                           "unilateral floor: y >= 0 { slip x'; friction nu }\n"
                           "object body: x, y\n";

static void a_slot(void **unused)
{
  (void)unused;
  expect(slot, "mu=0.5, nu=1.9", "no");
  expect(slot, "mu=0.5, nu=2.1", "yes");
  expect(slot, "mu=100, nu=0.02", "yes");
  expect(slot, "mu=100, nu=0.005", "no");
  expect(slot, "mu=1e-3, nu=1e-3", "no");
  expect(slot, "mu=1, nu=1", "no");  // two half planes, and a quarter that is in neither
}

// One slot alone holds nothing across; two of them hold the point by their geometry, friction or
// not.
static void slots(void **unused)
{
  (void)unused;
  expect("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nbilateral a: x = 0 { slip y'; friction 3 }\n"
         "object body: x, y\n",
         "", "no");
  static const double mu[] = {1e-9, 0.3, 1, 7, 1e9};
  for (size_t i = 0; i < sizeof mu / sizeof *mu; i++) {
    char text[400];
    snprintf(
        text, sizeof text,
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nbilateral a: x = 0 { slip y'; friction %g }\n"
        "bilateral b: x + 3*y = 0 { slip 3*x' - y'; friction %g }\nobject body: x, y\n",
        mu[i], mu[i]);
    expect(text, "", "yes");
  }
}

// ---- at random ---------------------------------------------------------------------------------

typedef struct contact {
  int g[3], h[2][3];
  double mu;
  bool bilateral;
} contact;

static size_t write_form(const int *a, int sign, const char *prime, char *text, size_t size)
{
  return (size_t)snprintf(text, size, "%d*x%s + %d*y%s + %d*z%s", sign * a[0], prime, sign * a[1],
                          prime, sign * a[2], prime);
}

// With signs, bilateral contacts are unilateral ones of that side.
static void write_grasp(const contact *c, int count, int slips, const int *sign, char *text,
                        size_t size)
{
  size_t used =
      (size_t)snprintf(text, size, "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n");
  for (int j = 0; j < count; j++) {
    const bool bilateral = c[j].bilateral && !sign;
    used += (size_t)snprintf(text + used, size - used,
                             "%s c%d: ", bilateral ? "bilateral" : "unilateral", j);
    used += write_form(c[j].g, sign ? sign[j] : 1, "", text + used, size - used);
    used += (size_t)snprintf(text + used, size - used, " %s 0 { slip ", bilateral ? "=" : ">=");
    for (int k = 0; k < slips; k++) {
      if (k) used += (size_t)snprintf(text + used, size - used, ", ");
      used += write_form(c[j].h[k], 1, "'", text + used, size - used);
    }
    used += (size_t)snprintf(text + used, size - used, "; friction %g }\n", c[j].mu);
  }
  snprintf(text + used, size - used, "object body: x, y, z\n");
}

static int draw(rng *r, contact *c)
{
  const int count = rng_int(r, 1, 4);
  for (int j = 0; j < count; j++) {
    for (int i = 0; i < 3; i++) {
      c[j].g[i] = rng_int(r, -3, 3);
      for (int k = 0; k < 2; k++) c[j].h[k][i] = rng_int(r, -3, 3);
    }
    if (!c[j].g[0]) c[j].g[0] = 1;
    c[j].mu = rng_int(r, 1, 8) / 4.0;
    c[j].bilateral = j == 0 || rng_chance(r, 0.5);
  }
  return count;
}

// Whether some choice of the signs closes: then the answer is not "no". False where that is open.
static bool closes(const contact *c, int count, int slips)
{
  static char text[4000];
  bool any = false;
  for (int pattern = 0; pattern < 1 << count && !any; pattern++) {
    int sign[5];
    bool new = true;
    for (int j = 0; j < count; j++) {
      sign[j] = pattern >> j & 1 ? -1 : 1;
      new &= sign[j] > 0 || c[j].bilateral;
    }
    if (!new) continue;
    write_grasp(c, count, slips, sign, text, sizeof text);
    subject s = ask_about(text, "", NULL);
    any = strcmp(answer_of(&s, "force_closure"), "yes") == 0;
    close_subject(&s);
  }
  return any;
}

static void random_grasps(void **unused)
{
  (void)unused;
  static char text[4000];
  rng r = rng_create(31);
  int yes = 0, no = 0, open = 0;
  for (int trial = 0; trial < MANY; trial++) {
    contact c[5];
    const int slips = 1 + trial % 2, count = draw(&r, c);
    write_grasp(c, count, slips, NULL, text, sizeof text);
    at_case("%d\n%s", trial, text);
    subject s = ask_about(text, "", NULL);
    const char *answer = proven_answer(&s);
    const bool closed = closes(c, count, slips);
    yes += strcmp(answer, "yes") == 0, no += strcmp(answer, "no") == 0;
    open += strcmp(answer, "undecided") == 0;
    if (closed) assert_string_equal(answer, "yes");
    if (strcmp(answer_of(&s, "form_closure"), "yes") == 0) assert_string_equal(answer, "yes");
    close_subject(&s);
  }
  assert_true(yes >= MANY / 4 && no >= MANY / 8 && open * 10 <= MANY);
}

// ---- what is not true --------------------------------------------------------------------------

static void forged(void **unused)
{
  (void)unused;
  subject s = ask_about(slot, "mu=0.5, nu=1.9", NULL);
  assert_int_equal(found_of(&s, "verdicts.force_closure"), DLS_FOUND_HOLDS);
  static const char *const places[] = {
      "/leaves/0", "/leaves/1", "/load/y", "/leaves/0/modes/wall", "/leaves/1/direction/x",
  };
  static const char *const values[] = {
      NULL, NULL, "-1", "'stick pulling'", "7",
  };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    subject t = ask_about(slot, "mu=0.5, nu=1.9", NULL);
    char place[100];
    snprintf(place, sizeof place, WITNESS("force_closure") "%s", places[i]);
    at_case("%s", place);
    if (values[i]) put_quoted(t.report, place, values[i]);
    else put_value(t.report, place, NULL);
    assert_int_equal(found_of(&t, "verdicts.force_closure"), DLS_FOUND_FAILS);
    close_subject(&t);
  }
  // forces of the one side of the cones, shown for the other
  subject u = ask_about(slot, "mu=0.5, nu=2.1", NULL);
  assert_int_equal(found_of(&u, "verdicts.force_closure"), DLS_FOUND_HOLDS);
  put_value(u.report, WITNESS("force_closure") "/tau/floor/0", "0");
  assert_int_equal(found_of(&u, "verdicts.force_closure"), DLS_FOUND_FAILS);
  put_quoted(
      u.report, WITNESS("force_closure"),
      "{'lambda_b': {'wall': 0}, 'lambda_u': {'floor': 0}, 'tau': {'wall': [0], 'floor': [0]}}");
  assert_int_equal(found_of(&u, "verdicts.force_closure"), DLS_FOUND_FAILS);
  close_subject(&u);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slot),
      cmocka_unit_test(slots),
      cmocka_unit_test(random_grasps),
      cmocka_unit_test(forged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
