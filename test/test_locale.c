// Words and numbers follow no locale: in one with a decimal comma and other words for errors,
// everything that the library writes is the same, byte for byte, and what it reads too.
#define _GNU_SOURCE
#include "example.h"

#include <delassus/delassus.h>

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cases.h"

static char directory[300];

// Builds the locale where the sources are, and chooses it.
static bool choose_comma(void)
{
  char command[700];
  snprintf(command, sizeof command,
           "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", directory,
           directory);
  if (system(command) != 0) return false;
  setenv("LOCPATH", directory, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") && *localeconv()->decimal_point == ',';
}

static const char *place(const char *name)
{
  static char path[4][400];
  static int next;
  char *p = path[next = (next + 1) % 4];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

static void add_file(FILE *out, const char *path)
{
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  for (int c; (c = fgetc(in)) != EOF;) fputc(c, out);
  fclose(in);
}

// ---- what is written ----------------------------------------------------------------------------

static void write_verification(FILE *out, const char *json, const dls_model *model)
{
  dls_saved_report *saved = NULL;
  dls_diagnostic fault;
  dls_system *system = NULL;
  dls_message message = {""};
  dls_verification *found = NULL;
  assert_int_equal(dls_saved_report_read(json, strlen(json), &saved, &fault), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  assert_int_equal(dls_saved_report_set(saved, system, &message), DLS_OK);
  assert_int_equal(dls_verify_run(saved, model, system, NULL, &found, &message), DLS_OK);
  assert_true(found->holds);
  char *words = NULL, *table = NULL;
  assert_int_equal(dls_verification_json(found, "r.json", "m.dls", &words), DLS_OK);
  assert_int_equal(dls_verification_text(found, "r.json", "m.dls", false, &table), DLS_OK);
  fprintf(out, "%s%s", words, table);
  dls_report_text_free(words);
  dls_report_text_free(table);
  dls_verification_free(found);
  dls_system_free(system);
  dls_saved_report_free(saved);
}

static void write_check(FILE *out, const char *model, const char *at, const char *set)
{
  example e = example_open(model, at, "%s", set);
  const dls_report report = {.model = model,
                             .title = dls_model_title(e.model),
                             .at = at,
                             .system = e.system,
                             .contact_state = e.contacts,
                             .check = e.check};
  char *json = NULL, *text = NULL;
  assert_int_equal(dls_report_json(&report, &json), DLS_OK);
  assert_int_equal(dls_report_text(&report, NULL, &text), DLS_OK);
  fprintf(out, "%s%s", json, text);
  write_verification(out, json, e.model);
  dls_report_text_free(json);
  dls_report_text_free(text);
  example_close(&e);
}

static void write_motion(FILE *out)
{
  example e = example_open("bouncing-ball", NULL, "%s", "rho=0.5");
  double q[1] = {1.25}, v[1] = {-0.5};
  dls_state start = {.q = q, .v = v};
  dls_integrator_options how = dls_integrator_defaults();
  dls_integrator *g = NULL;
  dls_recording *r = NULL;
  dls_failure failure;
  dls_message message = {""};
  how.step = 0.125;
  assert_int_equal(dls_integrator_create(e.system, &start, &how, &g, &message), DLS_OK);
  const dls_recording_about about = {
      .system = e.system, .scheme = how.scheme, .settings = "theta=0.5", .step = how.step};
  assert_int_equal(dls_recording_create(place("a.csv"), &about, &r, &message), DLS_OK);
  for (int k = 0; k < 20; k++) {
    at_case("k %d", k);
    const dls_sample row = dls_integrator_sample(g);
    assert_int_equal(dls_recording_append(r, &row, &message), DLS_OK);
    assert_int_equal(dls_integrator_advance(g, 10, &failure, &message), DLS_OK);
  }
  assert_int_equal(dls_recording_close(r, &message), DLS_OK);
  dls_integrator_free(g);
  add_file(out, place("a.csv"));
  assert_int_equal(dls_recorded_state(place("a.csv"), e.system, 1.5, &start, &message), DLS_OK);
  assert_true(start.t == 1.5);
  example_close(&e);
}

static void write_messages(FILE *out)
{
  dls_message message = {""};
  dls_recording *r = NULL;
  dls_model *model = NULL;
  dls_diagnostics diagnostics = {0};
  static const char wrong[] = "parameter a = 1.5\ncoordinate x = 0.25\nkinetic x'^2/2 + 1.5*x'^3\n";
  example e = example_open("bouncing-ball", NULL, "%s", "");
  double q[1] = {-1.5}, v[1] = {0.5};
  const dls_state inside = {.t = 0.25, .q = q, .v = v};
  dls_contact_state *contacts = NULL;
  assert_int_equal(dls_contact_state_create(e.system, &inside, NULL, &contacts, &message),
                   DLS_ERR_STATE);
  fprintf(out, "%s\n", message.text);
  const dls_recording_about about = {.system = e.system};
  assert_int_equal(dls_recording_create(place("none/a.csv"), &about, &r, &message), DLS_ERR_FILE);
  fprintf(out, "%s\n", message.text);
  assert_int_not_equal(dls_model_parse(wrong, strlen(wrong), &model, &diagnostics), DLS_OK);
  char text[2000];
  dls_diagnostics_format(&diagnostics, "wrong.dls", wrong, strlen(wrong), text, sizeof text);
  fprintf(out, "%s\n", text);
  example_close(&e);
}

static char *write_all(size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  assert_non_null(out);
  write_check(out, "painleve-klein", "sliding_back", "mu1=1.2, mu2=1.25");
  write_check(out, "ladder", "falling", "mu=0.35");
  write_check(out, "shelf", NULL, "d=0.35");
  write_motion(out);
  write_messages(out);
  fclose(out);
  return text;
}

static void the_same_in_every_locale(void **state)
{
  (void)state;
  size_t size = 0, other_size = 0;
  char *plain = write_all(&size);
  assert_true(size > 5000);
  if (!choose_comma()) {
    free(plain);
    print_message("no locale with a decimal comma: localedef and its sources are not there\n");
    skip();
  }
  char *other = write_all(&other_size);
  assert_string_equal(localeconv()->decimal_point, ",");  // left as it was
  setlocale(LC_ALL, "C");
  if (strcmp(plain, other) != 0) {
    size_t at = 0;
    while (plain[at] == other[at]) at++;
    fail_msg("differs at %.60s / %.60s", plain + (at > 30 ? at - 30 : 0),
             other + (at > 30 ? at - 30 : 0));
  }
  free(plain);
  free(other);
}

static int begin(void **state)
{
  (void)state;
  const char *folder = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%.250s/locale-XXXXXX", folder ? folder : ".");
  return mkdtemp(directory) ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  char command[400];
  snprintf(command, sizeof command, "rm -r %s", directory);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_in_every_locale)};
  return cmocka_run_group_tests(tests, begin, end);
}
