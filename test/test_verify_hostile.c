// The checker of reports: texts that are no reports are refused, and nothing in one makes it crash.
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static void refuses(const char *text, size_t length, const char *message, int line)
{
  dls_saved_report *saved = (dls_saved_report *)1;
  dls_diagnostic fault;
  const dls_status status = dls_saved_report_read(text, length, &saved, &fault);
  if (status != DLS_ERR_ARGUMENT) fail_msg("accepted: %.100s", text ? text : "");
  assert_null(saved);
  if (!strstr(fault.message, message)) fail_msg("%s, not %s", fault.message, message);
  assert_int_equal(fault.line, line);
}

static void bad_reports_are_refused(void **unused)
{
  (void)unused;
  const struct {
    const char *text, *message;
    int line;
  } texts[] = {
      {"", "not a JSON report", 1},
      {"{", "not a JSON report", 1},
      {"{\"a\": 1,\n \"a\": 2}", "duplicate object key", 2},
      {"{\"time\": NaN}", "not a JSON report", 1},
      {"{\"time\": 1e999}", "overflow", 1},
      {"{\"time\": 1} x", "not a JSON report", 1},
      {"\xff\xfe{", "not a JSON report", 1},
      {"[1, 2]", "the report: expected an object, but it is an array", 0},
      {"{}", "time: expected a number, but it is absent", 0},
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    at_case("%s", texts[k].text);
    refuses(texts[k].text, strlen(texts[k].text), texts[k].message, texts[k].line);
  }
  refuses("{\"a\": \"\0\"}", 10, "not a JSON report", 1);

  const struct {
    const char *path, *value, *message;
  } frames[] = {
      {"time", "\"0\"", "time: expected a number, but it is a string"},
      {"tolerance", "0", "tolerance: expected a number above 0"},
      {"tolerance_velocity", "-1", "tolerance: expected a number above 0"},
      {"tolerance_velocity", "[]", "tolerance_velocity: expected a number, but it is an array"},
      {"tolerance_relative", "2", "tolerance_relative: expected a number between 0 and 1"},
      {"tolerance", 0, "tolerance: expected a number, but it is absent"},
      {"coordinates", "{}", "coordinates: expected an array, but it is an object"},
      {"coordinates/0", "1", "coordinates[0]: expected a string, but it is a number"},
      {"q", "[1]", "q: expected 3 numbers"},
      {"q/1", "null", "q[1]: expected a number, but it is null"},
      {"v/2", "true", "v[2]: expected a number, but it is true or false"},
      {"v", 0, "v: expected an array, but it is absent"},
      {"contacts", "3", "contacts: expected an array"},
      {"contacts/0", "3", "contacts[0]: expected an object"},
      {"contacts/0/name", "3", "contacts[0].name: expected a string"},
      {"contacts/1/gap", "[]", "contacts[1].gap: expected a number"},
      {"contacts/1/friction", 0, "contacts[1].friction: expected a number, but it is absent"},
      {"contacts/1/slip", "[1, 2, 3]", "contacts[1].slip: a contact has at most 2"},
      {"contacts/1/slip", "{}", "contacts[1].slip: expected an array"},
      {"contacts/1/slip/0", "\"x\"", "contacts[1].slip: expected a number"},
      {"parameters", "[]", "parameters: expected an object"},
      {"parameters/mu", "\"0.3\"", "parameters.mu: expected a number"},
      {"verdicts", 0, "verdicts: expected an object, but it is absent"},
      {"verdicts/mfcq", "true", "verdicts.mfcq: expected an object"},
      {"verdicts/mfcq/answer", "1", "verdicts.mfcq.answer: expected a string"},
      {"verdicts/mfcq/answer", "\"maybe\"", "expected yes, no or undecided, but it is \"maybe\""},
      {"solutions", "{}", "solutions: expected an array"},
      {"delassus", "[]", "delassus: expected an object"},
      {"force_ranges", "[]", "force_ranges: expected an object"},
      {"friction", "[]", "friction: expected an object"},
  };
  subject s = ask_about(ladder, NULL, "falling");
  for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
    at_case("%s", frames[k].path);
    json_t *copy = json_deep_copy(s.report);
    put_value(copy, frames[k].path, frames[k].value);
    char *text = json_dumps(copy, 0);
    refuses(text, strlen(text), frames[k].message, 0);
    free(text);
    json_decref(copy);
  }
  close_subject(&s);
  assert_int_equal(dls_saved_report_read(NULL, 1, &(dls_saved_report *){0}, NULL),
                   DLS_ERR_ARGUMENT);
  assert_int_equal(dls_saved_report_read("{}", 2, NULL, NULL), DLS_ERR_ARGUMENT);
}

// Deep nesting, and a report cut off at every byte.
static void hostile_texts(void **unused)
{
  (void)unused;
  enum { DEEP = 100000 };
  char *deep = malloc(DEEP);
  assert_non_null(deep);
  memset(deep, '[', DEEP);
  refuses(deep, DEEP, "depth", 1);
  free(deep);

  subject s = ask_about(idle, NULL, NULL);
  char *text = json_dumps(s.report, 0);
  const size_t length = strlen(text);
  for (size_t k = 0; k < length; k++) {
    at_case("k %zu", k);
    dls_saved_report *saved;
    assert_int_equal(dls_saved_report_read(text, k, &saved, NULL), DLS_ERR_ARGUMENT);
  }
  free(text);
  close_subject(&s);
}

// Every number of the report in turn becomes another one: nothing crashes, and nothing that is not
// a claim is blamed.
static void walk(json_t *value, const subject *s, int *changed, int *failed)
{
  const double others[] = {0, -1, 1e300, 1e-320, 0.1};
  if (json_is_real(value) || json_is_integer(value)) {
    const double before = json_number_value(value);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
      json_real_set(value, others[k]);
      char *text = json_dumps(s->report, JSON_REAL_PRECISION(17));
      dls_saved_report *saved;
      dls_verification *v;
      if (dls_saved_report_read(text, strlen(text), &saved, NULL) == DLS_OK) {
        assert_int_equal(dls_verify_run(saved, s->model, s->system, NULL, &v, NULL), DLS_OK);
        ++*changed;
        *failed += !v->holds;
        dls_verification_free(v);
        dls_saved_report_free(saved);
      }
      free(text);
    }
    json_real_set(value, before);
    return;
  }
  const char *key;
  json_t *child;
  json_object_foreach(value, key, child) walk(child, s, changed, failed);
  for (size_t k = 0; k < json_array_size(value); k++)
    walk(json_array_get(value, k), s, changed, failed);
}

static void numbers_in_turn(void **unused)
{
  (void)unused;
  const char *const models[] = {regular, ladder, grasp};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    at_case("%s", models[k]);
    int changed = 0, failed = 0;
    subject s = ask_about(models[k], NULL, models[k] == ladder ? "falling" : NULL);
    // integers cannot be set to reals
    char *text = json_dumps(s.report, JSON_REAL_PRECISION(17));
    json_decref(s.report);
    s.report = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    free(text);
    walk(s.report, &s, &changed, &failed);
    print_message("%d changes, %d noticed\n", changed, failed);
    assert_true(changed > 200 && failed > changed / 4);
    close_subject(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_reports_are_refused),
      cmocka_unit_test(hostile_texts),
      cmocka_unit_test(numbers_in_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
