// The lines that answer first: what they say of models whose motion is known, and that they never
// say more than the verdicts.
#define _POSIX_C_SOURCE 200809L
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The text between the first empty line and the next one, its lines joined.
static void headline(const subject *s, char *out, size_t size)
{
  const char *start = strstr(s->page, "\n\n"), *end = start ? strstr(start + 2, "\n\n") : NULL;
  assert_non_null(end);
  size_t length = 0;
  for (const char *c = start + 2; c < end && length + 1 < size; c++) {
    const bool space = *c == ' ' || *c == '\n';
    if (space && (length == 0 || out[length - 1] == ' ')) continue;
    out[length++] = (char)(space ? ' ' : *c);
  }
  out[length] = 0;
}

static const char bar[] = "parameter mu = 0, e = 0, u = 0.25\n"
                          "coordinate y, a, x\n"
                          "kinetic y'^2 + a'^2/2 + x'^2\n"
                          "potential 2*9.81*y\n"
                          "unilateral left:   y - a >= 0 { slip x'; friction mu; restitution e }\n"
                          "unilateral middle: y >= 0     { slip x'; friction mu; restitution e }\n"
                          "unilateral right:  y + a >= 0 { slip x'; friction mu; restitution e }\n"
                          "state up: y = 1\n"
                          "state hit: y' = -1, a' = u\n";
static const char stack[] = "parameter k = 1, s = 1\n"
                            "coordinate x, y\n"
                            "kinetic k*(x'^2 + y'^2)/2\n"
                            "potential 9.81*k*s*y\n"
                            "force x = 0.2*9.81*k*s\n"
                            "unilateral floor: y >= 0 { slip x'; friction 0.25 }\n";
static const char leaving[] = "coordinate y\nkinetic y'^2\nunilateral floor: y + t^2 >= 0\n";
static const char tray[] = "coordinate y\nkinetic 0*y'^2\nunilateral floor: y >= 0\n";
static const char crank[] = "parameter d = 1e-4\n"
                            "coordinate x = 2, y\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "bilateral one: x - d*y = 2\n"
                            "bilateral two: x + d*y = 2\n";

static const char wedged[] =
    "coordinate x, y, z\n"
    "velocity x = -1, z = 2\n"
    "kinetic (3*x'^2 + 3*y'^2 + 0.375*z'^2)/2\n"
    "unilateral hit: x - 1.5*z >= 0 { slip 1 - y' - z'; friction 0.125; restitution 0.75 }\n"
    "bilateral one: x + 1.5*z - 2*t = 0 { slip -y' - 0.5*z'; friction 2 }\n"
    "bilateral two: 2*y - x - 1.5*z + 2*t = 0 { slip 2*x' + y' - 4.5*z' + 1; friction 1.5 }\n";

static void says_what_happens(void **unused)
{
  (void)unused;
  const struct {
    const char *model, *sets, *at;
    const char *expected[3];
  } cases[] = {
      {block,
       "X=0",
       0,
       {"Motion It is at rest, and nothing accelerates it. No other motion is", 0}},
      {block, "X=6", 0, {"Motion It starts to slide at left and right. No other motion", 0}},
      {block, 0, 0, {"hyperstatic; ranges below", "Sticking takes friction 0.1", "% in reserve."}},
      {ladder,
       0,
       "falling",
       {"Motion It slides at wall and floor. No", "Both contact forces are",
        "Friction 0.3 is 30 % of the critical 1 (Painlevé)."}},
      {ladder,
       "mu=0.4",
       0,
       {"It starts to slide at wall and floor.",
        "Sticking would take friction 0.414214; there is 0.4.", 0}},
      {rod,
       "mu=2",
       "left",
       {"Motion It cannot go on: no acceleration exists; without friction "
        "there is one (Painlevé's paradox).",
        "Friction 2 is not below the critical 1.33333: some loads have no", 0}},
      {rod,
       "mu=2, g=-1",
       "left",
       {"Motion Two motions are possible: (1) it ",
        "Forces The contact forces differ from one solution", 0}},
      {rod,
       0,
       "left",
       {"Motion It slides at floor. No other", "Forces The contact force is det",
        "Friction 0.3 is 22 % of the critical 1.33333"}},
      {shelf,
       0,
       0,
       {"Forces Not determined: ", "(hyperstatic; ranges below).",
        "Constraints depend on each other: rank"}},
      {clash, 0, 0, {"Motion It cannot go on: no acceleration exists, the joints contradict", 0}},
      {jaws, 0, 0, {"Motion It cannot go on: no acceleration exists.", 0}},
      {bar, 0, "up", {"Motion It moves freely: no contact is closed.", 0}},
      {bar,
       0,
       "hit",
       {"Motion left, middle and right hit: velocities jump. By Newton's law it keeps "
        "contact at left, middle and right. No other jump is possible.",
        "Forces Not determined: left, middle and right (hyperstatic; ranges below).", 0}},
      {bar, "e=1, u=0", "hit", {"By Newton's law it separates at left, middle and right.", 0}},
      {leaving,
       0,
       0,
       {"Motion It is at rest, and nothing accelerates it; it lifts off at floor.", 0}},
      {tray, 0, 0, {"Motion Many motions are possible. One of them: it is at rest", 0}},
      {crank, 0, 0, {"Constraints are nearly dependent: singular values down to 0.0001 of", 0}},
      {stack, 0, 0, {"Sticking takes friction 0.2 of the 0.25 there is: 20 % in reserve.", 0}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    char text[2000];
    headline(&s, text, sizeof text);
    for (int i = 0; i < 3 && cases[k].expected[i]; i++)
      if (!strstr(text, cases[k].expected[i]))
        fail_msg("case %zu: no \"%s\" in\n%s", k, cases[k].expected[i], text);
    close_subject(&s);
  }
}

// At rest is at rest in all units.
static void units_do_not_matter(void **unused)
{
  (void)unused;
  static const char *const sets[] = {"k=1,s=1", "k=9.094947017729282e-13,s=1099511627776",
                                     "k=1099511627776,s=9.094947017729282e-13"};
  char first[2000];
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    at_case("%s", sets[k]);
    subject s = ask_about(stack, sets[k], NULL);
    char text[2000];
    headline(&s, text, sizeof text);
    assert_non_null(strstr(text, "It is at rest, and nothing accelerates it."));
    if (k == 0) snprintf(first, sizeof first, "%s", text);
    assert_string_equal(text, first);
    close_subject(&s);
  }
}

// The bar: p + q + r = 2, p - r = 1/4, all >= 0.
static void impulses_have_ranges(void **unused)
{
  (void)unused;
  const struct {
    const char *name;
    double low, high;
  } ends[] = {{"left", 0.25, 1.125}, {"middle", 0, 1.75}, {"right", 0, 0.875}};
  subject s = ask_about(bar, NULL, "hit");
  const json_t *ranges = json_object_get(json_object_get(s.report, "impact"), "percussion_ranges");
  for (int k = 0; k < 3; k++) {
    at_case("%s", ends[k].name);
    const json_t *normal = json_object_get(json_object_get(ranges, ends[k].name), "normal");
    assert_true(fabs(json_number_value(json_array_get(normal, 0)) - ends[k].low) <= 1e-12);
    assert_true(fabs(json_number_value(json_array_get(normal, 1)) - ends[k].high) <= 1e-12);
  }
  assert_non_null(strstr(s.page, "not determined: normal 0.25 … 1.125\n"));
  dls_verification *v = verify(&s);
  assert_true(v->holds);
  assert_int_equal(find_claim(v, "impact.percussion_ranges.left")->found, DLS_FOUND_HOLDS);
  dls_verification_free(v);
  put_value(s.report, "impact/percussion_ranges/left/normal/1", "1.2");
  v = verify(&s);
  assert_int_equal(find_claim(v, "impact.percussion_ranges.left")->found, DLS_FOUND_FAILS);
  dls_verification_free(v);
  close_subject(&s);

  // two supports, as the third is left
  s = ask_about(bar, "u=4", "hit");
  assert_non_null(strstr(s.page, "; determined\n"));
  assert_null(strstr(s.page, "ot determined"));
  close_subject(&s);

  // two isolated sets of impulses with one motion: each is a point, and none is determined
  s = ask_about(wedged, NULL, NULL);
  assert_non_null(strstr(s.page, "; the first of 2 solutions is shown"));
  assert_non_null(strstr(s.page, "The impulses differ from one solution to the other."));
  assert_null(strstr(s.page, "; determined"));
  close_subject(&s);
}

// ---- marks -------------------------------------------------------------------------------------

static void what_is_not_proven_is_marked(void **unused)
{
  (void)unused;
  subject s = ask_about(ladder, "mu=0.4", NULL);
  const json_t *verdict = json_object_get(json_object_get(s.report, "verdicts"), "mfcq");
  assert_true(json_is_false(json_object_get(json_object_get(verdict, "proven"), "margin")));
  assert_true(json_is_false(json_object_get(
      json_object_get(json_object_get(s.report, "mass"), "proven"), "eigenvalues")));
  assert_true(json_is_false(json_object_get(json_object_get(s.report, "sticking"), "proven")));
  assert_true(json_is_false(json_object_get(json_object_get(s.report, "proven"), "residual")));
  dls_verification *v = verify(&s);
  assert_true(v->holds);
  dls_verification_free(v);
  // nothing may say that it is
  put_value(s.report, "mass/proven/eigenvalues", "true");
  v = verify(&s);
  assert_false(v->holds);
  dls_verification_free(v);
  // without the mark it is as unproven as before
  put_value(s.report, "mass/proven", NULL);
  v = verify(&s);
  assert_true(v->holds);
  assert_non_null(find_claim(v, "unproven.mass.eigenvalues.**"));
  dls_verification_free(v);
  close_subject(&s);
}

// A contact and a coordinate may have the names of keys.
static void names_are_no_marks(void **unused)
{
  (void)unused;
  static const char model[] = "coordinate margin, residual\n"
                              "kinetic margin'^2 + residual'^2\n"
                              "force margin = -1\n"
                              "unilateral proven: margin >= 0 { slip residual'; friction 0.5 }\n"
                              "unilateral unproven: margin + residual >= 0\n"
                              "state hit: margin' = -1, residual' = 0.1\n";
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    subject s = ask_about(model, NULL, k ? "hit" : NULL);
    dls_verification *v = verify(&s);
    for (int i = 0; i < v->findings; i++)
      if (v->finding[i].found == DLS_FOUND_FAILS)
        fail_msg("%s.%s: %s", v->finding[i].group, v->finding[i].name, v->finding[i].why);
    assert_true(v->holds);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// ---- no more than the verdicts -----------------------------------------------------------------

static bool answers(const json_t *report, const char *question, const char *answer)
{
  const json_t *v = json_object_get(json_object_get(report, "verdicts"), question);
  const char *text = json_string_value(json_object_get(v, "answer"));
  return text && strcmp(text, answer) == 0;
}

// Contacts that are friction and nothing else: no constraints.
static int friction_alone(const json_t *report)
{
  const json_t *contacts = json_object_get(report, "contacts"), *contact;
  size_t k;
  int count = 0;
  json_array_foreach(contacts, k, contact) count +=
      strcmp(json_string_value(json_object_get(contact, "kind")), "friction") == 0;
  return count;
}

static void expect_same(const char *label, const char *text, const char *words, bool should)
{
  if ((strstr(text, words) != NULL) != should)
    fail_msg("%s: \"%s\" should %sbe in\n%s", label, words, should ? "" : "not ", text);
}

// The row of a question, as it stands on the page, can be asked back.
static void ask_back(const char *label, const subject *s, dls_question q)
{
  const dls_topic *topic = dls_topic_at((int)q), *first, *second;
  const char *row = strstr(s->page, topic->line);
  if (!row) fail_msg("%s: no line \"%s\"", label, topic->line);
  char line[400];
  int others;
  snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
  if (dls_topic_find(line, &others, &first, &second) != topic)
    fail_msg("%s: \"%s\" is not %s", label, line, topic->name);
}

static int checked;

static void compare(const char *label, const subject *s)
{
  char text[4000];
  headline(s, text, sizeof text);
  const json_t *r = s->report;
  const bool impact = json_object_get(r, "impact") != NULL;
  const json_t *constraints = json_object_get(json_object_get(r, "constraints"), "count");
  const json_int_t closed = json_integer_value(constraints) + friction_alone(r);
  expect_same(label, text, "No other motion is possible",
              !impact && closed > 0 && answers(r, "acceleration_unique", "yes"));
  expect_same(label, text, "no acceleration exists", answers(r, "acceleration_exists", "no"));
  if (!impact) {
    expect_same(label, text, " are determined.", answers(r, "forces_unique", "yes") && closed > 1);
    if (strstr(text, "hyperstatic"))
      assert_true(answers(r, "forces_unique", "no") && answers(r, "acceleration_unique", "yes"));
  }
  const char *list = strstr(text, "Not decided: ");
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    const char *name = dls_question_name((dls_question)q);
    expect_same(label, list ? list : "", name, answers(r, name, "undecided"));
    if (json_object_get(json_object_get(r, "verdicts"), name)) ask_back(label, s, (dls_question)q);
  }
  for (const char *line = s->page; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    int columns = 0;
    for (const char *c = line; *c && *c != '\n'; c++) columns += ((unsigned char)*c & 0xC0) != 0x80;
    if (columns > 100) fail_msg("%s: a line is too long:\n%s", label, s->page);
  }
  checked++;
}

static void compare_states(const char *path, const char *label)
{
  static char text[16384];
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = 0;
  fclose(stream);
  subject plain = open_model(text, NULL);
  for (int k = -1; k < dls_model_state_count(plain.model); k++) {
    subject s = ask_about(text, NULL, k < 0 ? NULL : dls_model_state_name(plain.model, k));
    compare(label, &s);
    close_subject(&s);
  }
  close_subject(&plain);
}

static void says_no_more_than_the_verdicts(void **unused)
{
  (void)unused;
  const char *directory = getenv("DELASSUS_SOURCE");
  char folder[300];
  snprintf(folder, sizeof folder, "%s/examples", directory ? directory : ".");
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  for (const struct dirent *entry; (entry = readdir(entries));) {
    at_case("%s", entry->d_name);
    const size_t length = strlen(entry->d_name);
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (length > 4 && strcmp(entry->d_name + length - 4, ".dls") == 0)
      compare_states(path, entry->d_name);
  }
  closedir(entries);
  assert_true(checked > 60);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(says_what_happens),    cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(impulses_have_ranges), cmocka_unit_test(what_is_not_proven_is_marked),
      cmocka_unit_test(names_are_no_marks),   cmocka_unit_test(says_no_more_than_the_verdicts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
