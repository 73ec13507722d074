// Every example at every state: what check reports, the checker of reports proves.
#include <delassus/delassus.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { PATH = 512, TEXT = 16384, COORDINATES = 64 };

static int reports, claims;

static void verify_at(const dls_model *model, dls_system *system, const char *file, const char *at)
{
  double q[COORDINATES], v[COORDINATES];
  dls_state state = {.q = q, .v = v};
  dls_message message = {0};
  dls_contact_state *contacts;
  dls_check *check;
  dls_saved_report *saved;
  dls_verification *verification;
  char *text;
  assert_true(system->n <= COORDINATES);
  if (dls_model_state(system, at, &state, &message) ||
      dls_contact_state_create(system, &state, NULL, &contacts, &message))
    fail_msg("%s at %s: %s", file, at ? at : "start", message.text);
  dls_check_options options = dls_check_defaults();
  options.skip_acceleration = contacts->impact;
  const char *object = dls_model_object_name(model, 0);
  if (object) options.object_size = dls_model_object_coordinates(model, 0, &options.object);
  assert_int_equal(dls_check_run(&contacts->problem, &options, &check, &message), DLS_OK);
  double E[COORDINATES] = {0};
  dls_impact *impact = NULL;
  dls_impact_options laws = dls_impact_defaults();
  laws.E = E;
  if (contacts->impact) {
    assert_true(contacts->problem.m_u * contacts->problem.m_u <= COORDINATES);
    assert_int_equal(dls_model_restitution_matrix(system, contacts, E), DLS_OK);
    assert_int_equal(dls_impact_create(contacts, &laws, &impact, &message), DLS_OK);
  }
  const dls_report report = {.system = system,
                             .at = at,
                             .contact_state = contacts,
                             .check = check,
                             .impact = impact,
                             .object = object};
  assert_int_equal(dls_report_json(&report, &text), DLS_OK);
  assert_int_equal(dls_saved_report_read(text, strlen(text), &saved, NULL), DLS_OK);
  assert_int_equal(dls_verify_run(saved, model, system, NULL, &verification, &message), DLS_OK);
  if (verification->difference) fail_msg("%s: %s", file, verification->difference);
  for (int k = 0; k < verification->findings; k++) {
    const dls_finding *f = &verification->finding[k];
    claims += f->found == DLS_FOUND_HOLDS;
    if (f->found == DLS_FOUND_FAILS)
      fail_msg("%s at %s: %s %s: %s", file, at ? at : "start", f->group, f->name, f->why);
  }
  reports++;
  dls_verification_free(verification);
  dls_saved_report_free(saved);
  dls_report_text_free(text);
  dls_impact_free(impact);
  dls_check_free(check);
  dls_contact_state_free(contacts);
}

static void verify_example(const char *directory, const char *file)
{
  static char text[TEXT];
  char path[PATH];
  snprintf(path, sizeof path, "%s/examples/%s", directory, file);
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  const size_t length = fread(text, 1, sizeof text, stream);
  assert_true(length < sizeof text);
  fclose(stream);
  dls_model *model;
  dls_system *system;
  assert_int_equal(dls_model_parse(text, length, &model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  verify_at(model, system, file, NULL);
  for (int i = 0; i < dls_model_state_count(model); i++)
    verify_at(model, system, file, dls_model_state_name(model, i));
  dls_system_free(system);
  dls_model_free(model);
}

static void all_examples(void **unused)
{
  (void)unused;
  char path[PATH];
  const char *directory = getenv("DELASSUS_SOURCE");
  if (!directory) directory = ".";
  snprintf(path, sizeof path, "%s/examples", directory);
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder));) {
    at_case("%s", entry->d_name);
    const size_t length = strlen(entry->d_name);
    if (length > 4 && strcmp(entry->d_name + length - 4, ".dls") == 0)
      verify_example(directory, entry->d_name);
  }
  closedir(folder);
  print_message("%d reports, %d claims hold\n", reports, claims);
  assert_true(reports > 30 && claims > 300);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_examples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
