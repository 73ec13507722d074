#include "stance.h"

#include <delassus/import.h>

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

enum { PATH = 512, TEXT = 16384 };

static void set_parameters(const stance *s, const char *sets)
{
  char list[200], *rest = list;
  snprintf(list, sizeof list, "%s", sets);
  for (char *item; (item = strtok_r(rest, ", ", &rest));) {
    char *value = strchr(item, '=');
    dls_message message = {0};
    *value++ = 0;
    if (dls_model_set(s->system, item, value, &message)) fail_msg("%s", message.text);
  }
}

static void ask(stance *s, const char *at)
{
  dls_message message = {0};
  s->state.q = calloc((size_t)dls_system_nq(s->system) + 1, sizeof(double));
  s->state.v = calloc((size_t)s->system->n + 1, sizeof(double));
  if (dls_model_state(s->system, at, &s->state, &message) ||
      dls_contact_state_create(s->system, &s->state, NULL, &s->contacts, &message))
    fail_msg("at %s: %s", at ? at : "the start", message.text);
  dls_check_options how = dls_check_defaults();
  how.skip_acceleration = s->contacts->impact;
  if (dls_model_object_count(s->model) > 0)
    how.object_size = dls_model_object_coordinates(s->model, 0, &how.object);
  assert_int_equal(dls_check_run(&s->contacts->problem, &how, &s->check, &message), DLS_OK);
  if (!s->contacts->impact) return;
  const size_t m = (size_t)s->contacts->problem.m_u;
  dls_impact_options laws = dls_impact_defaults();
  laws.E = s->E = calloc(m * m + 1, sizeof(double));
  assert_int_equal(dls_model_restitution_matrix(s->system, s->contacts, s->E), DLS_OK);
  assert_int_equal(dls_impact_create(s->contacts, &laws, &s->impact, &message), DLS_OK);
}

// The report is proven, and again by the model.
static void verify(const stance *s, const char *at)
{
  char *text;
  dls_saved_report *saved;
  dls_verification *found;
  dls_message message = {0};
  const dls_report report = {.system = s->system,
                             .at = at,
                             .contact_state = s->contacts,
                             .check = s->check,
                             .impact = s->impact,
                             .object = dls_model_object_name(s->model, 0)};
  assert_int_equal(dls_report_json(&report, &text), DLS_OK);
  assert_int_equal(dls_saved_report_read(text, strlen(text), &saved, NULL), DLS_OK);
  assert_int_equal(dls_verify_run(saved, s->model, s->system, NULL, &found, &message), DLS_OK);
  if (found->difference) fail_msg("%s", found->difference);
  for (int k = 0; k < found->findings; k++)
    if (found->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s %s: %s", found->finding[k].group, found->finding[k].name, found->finding[k].why);
  dls_verification_free(found);
  dls_saved_report_free(saved);
  dls_report_text_free(text);
}

stance stance_of(const char *text, const char *path, const char *at, const char *sets)
{
  stance s = {0};
  static dls_diagnostics diagnostics;
  dls_model_files *files = NULL;
  dls_message message = {0};
  if (path) assert_int_equal(dls_model_files_create(path, NULL, &files, &message), DLS_OK);
  if (dls_model_parse_with(text, strlen(text), files, &s.model, &diagnostics))
    fail_msg("%s: %s", path ? path : "the text", diagnostics.item[0].message);
  dls_model_files_free(files);
  assert_int_equal(dls_model_system_with(s.model, &s.system, &message), DLS_OK);
  set_parameters(&s, sets);
  ask(&s, at);
  verify(&s, at);
  return s;
}

stance stance_example(const char *name, const char *at, const char *sets)
{
  char path[PATH], text[TEXT] = "";
  const char *directory = getenv("DELASSUS_SOURCE");
  snprintf(path, sizeof path, "%s/examples/bodies/%s.dls", directory ? directory : ".", name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("no %s", path);
  assert_true(fread(text, 1, sizeof text - 1, file) < sizeof text - 1);
  fclose(file);
  return stance_of(text, path, at, sets);
}

void stance_leave(stance *s)
{
  dls_impact_free(s->impact);
  dls_check_free(s->check);
  dls_contact_state_free(s->contacts);
  dls_system_free(s->system);
  dls_model_free(s->model);
  free(s->state.q), free(s->state.v), free(s->E);
}

double stance_acceleration(const stance *s, const char *name)
{
  for (int i = 0; i < s->system->n; i++)
    if (strcmp(s->system->coordinates[i], name) == 0) return s->check->solution->acceleration[i];
  fail_msg("no velocity is called %s'", name);
  return 0;
}

// The closed unilateral contacts whose names begin so; of `force` the sum of their normal forces.
int stance_closed(const stance *s, const char *begin, double *force)
{
  int count = 0;
  double sum = 0;
  for (int k = 0; k < s->contacts->problem.m_u; k++) {
    const dls_contact *c = &s->contacts->contacts[s->contacts->unilateral_contact[k]];
    if (strncmp(c->name, begin, strlen(begin)) != 0) continue;
    count++, sum += s->check->solution ? s->check->solution->lambda_u[k] : 0;
  }
  if (force) *force = sum;
  return count;
}

void stance_range(const stance *s, const char *name, double low, double high)
{
  for (int k = 0; k < s->contacts->problem.m_u; k++) {
    const dls_contact *c = &s->contacts->contacts[s->contacts->unilateral_contact[k]];
    if (strcmp(c->name, name) != 0) continue;
    close_to(s->check->solution->low_u[k], low, 1e-7);
    close_to(s->check->solution->high_u[k], high, 1e-7);
    return;
  }
  fail_msg("nothing closed is called %s", name);
}

void stance_answers(const stance *s, dls_question question, dls_answer answer)
{
  if (s->check->verdict[question].answer != answer)
    fail_msg("%s: %s", dls_question_name(question),
             dls_answer_name(s->check->verdict[question].answer));
}

bool stance_still(const stance *s)
{
  double largest = 0;
  for (int i = 0; i < s->system->n; i++)
    largest = fmax(largest, fabs(s->check->solution->acceleration[i]));
  return largest < 1e-8;
}
