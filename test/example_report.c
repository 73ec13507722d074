#define _POSIX_C_SOURCE 200809L
#include "example_report.h"

#include "example.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *example_report(const char *name, const char *at, const char *sets)
{
  example e = example_open(name, at, "%s", sets ? sets : "");
  const dls_contact_state *contacts = e.contacts;
  dls_message message = {0};
  double E[16] = {0};
  dls_impact *impact = NULL;
  dls_impact_options laws = dls_impact_defaults();
  laws.E = E;
  if (contacts->impact) {
    assert_true(contacts->problem.m_u <= 4);
    assert_int_equal(dls_model_restitution_matrix(e.system, contacts, E), DLS_OK);
    assert_int_equal(dls_impact_create(contacts, &laws, &impact, &message), DLS_OK);
  }

  char model[PATH], *text = NULL;
  snprintf(model, sizeof model, "examples/%s.dls", name);
  const dls_report report = {.model = model,
                             .title = dls_model_title(e.model),
                             .at = at,
                             .system = e.system,
                             .object = dls_model_object_name(e.model, 0),
                             .contact_state = contacts,
                             .check = e.check,
                             .impact = impact};
  assert_int_equal(dls_report_json(&report, &text), DLS_OK);
  json_error_t error;
  json_t *json = json_loads(text, 0, &error);
  if (!json) fail_msg("%s: the report is not JSON: %s", name, error.text);
  dls_report_text_free(text);
  dls_impact_free(impact);
  example_close(&e);
  return json;
}

asked ask(const char *name, const char *at, const char *sets)
{
  asked a = {.name = name};
  snprintf(a.at, sizeof a.at, "%s", at);
  snprintf(a.sets, sizeof a.sets, "%s", sets);
  a.report = example_report(name, at[0] ? at : NULL, sets);
  return a;
}

static const json_t *look_up(const asked *a, const char *path)
{
  char keys[PATH], *rest = keys, *key;
  snprintf(keys, sizeof keys, "%s", path);
  const json_t *value = a->report;
  while (value && (key = strtok_r(rest, ".", &rest)))
    value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                 : json_object_get(value, key);
  if (!value) fail_msg("%s at \"%s\" with \"%s\": no %s", a->name, a->at, a->sets, path);
  return value;
}

double number(const asked *a, const char *path)
{
  const json_t *value = look_up(a, path);
  if (!json_is_number(value)) fail_msg("%s: %s is not a number", a->name, path);
  return json_number_value(value);
}

void expect(const asked *a, const char *path, double expected)
{
  const double found = number(a, path);
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected) + 1e-12))
    fail_msg("%s at \"%s\" with \"%s\": %s is %.17g, the formula says %.17g", a->name, a->at,
             a->sets, path, found, expected);
}

void expect_text(const asked *a, const char *path, const char *expected)
{
  const json_t *value = look_up(a, path);
  const char *found = json_is_string(value) ? json_string_value(value) : "not a string";
  if (strcmp(found, expected) != 0)
    fail_msg("%s at \"%s\" with \"%s\": %s is %s, not %s", a->name, a->at, a->sets, path, found,
             expected);
}

void expect_answer(const asked *a, dls_question question, const char *answer)
{
  char path[PATH];
  snprintf(path, sizeof path, "verdicts.%s.answer", dls_question_name(question));
  expect_text(a, path, answer);
}

void expect_null(const asked *a, const char *path)
{
  if (!json_is_null(look_up(a, path))) fail_msg("%s: %s is not null", a->name, path);
}

void done(asked *a)
{
  json_decref(a->report);
}

const char *print(char text[PATH], const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, PATH, format, arguments);
  va_end(arguments);
  return text;
}
