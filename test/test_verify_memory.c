// Verifying when memory runs out: the k-th allocation fails, for every k, the reader's and
// jansson's included. (GMP's own allocations are not wrapped: test_verify_exhausted.)
#include "failing.h"
#include <delassus/delassus.h>

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static long living;  // allocations of jansson

static void *json_malloc_counted(size_t size)
{
  void *place = failing_now() ? NULL : __real_malloc(size);
  living += place != NULL;
  return place;
}

static void json_free_counted(void *place)
{
  living -= place != NULL;
  free(place);
}

// Friction, redundant contacts, an object: most of the checks have something to do.
static const char model_text[] =
    "parameter mu = 0.5, X = 1\n"
    "coordinate x, y = 0.5, a\n"
    "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
    "potential 9.81*y\n"
    "force x = X\n"
    "unilateral left:  y - 0.5*cos(a) - sin(a) >= 0 { slip x' - a'*sin(a); friction mu }\n"
    "unilateral right: y - 0.5*cos(a) + sin(a) >= 0 { slip x' + a'*sin(a); friction mu }\n"
    "friction felt: a' + x' { force 0.1 }\n"
    "object block: x, y, a\n";

typedef struct fixture {
  dls_model *model;
  dls_system *system;
  char *text;
  dls_saved_report *saved;
} fixture;

static void open_fixture(fixture *f)
{
  double q[3], v[3];
  dls_state state = {.q = q, .v = v};
  dls_contact_state *contacts;
  dls_check *check;
  assert_int_equal(dls_model_parse(model_text, strlen(model_text), &f->model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(f->model, &f->system), DLS_OK);
  assert_int_equal(dls_model_set(f->system, "X", "2", NULL), DLS_OK);
  assert_int_equal(dls_model_state(f->system, NULL, &state, NULL), DLS_OK);
  assert_int_equal(dls_contact_state_create(f->system, &state, NULL, &contacts, NULL), DLS_OK);
  dls_check_options options = dls_check_defaults();
  options.object_size = dls_model_object_coordinates(f->model, 0, &options.object);
  assert_int_equal(dls_check_run(&contacts->problem, &options, &check, NULL), DLS_OK);
  const dls_report report = {.system = f->system,
                             .contact_state = contacts,
                             .check = check,
                             .object = dls_model_object_name(f->model, 0)};
  assert_int_equal(dls_report_json(&report, &f->text), DLS_OK);
  assert_int_equal(dls_saved_report_read(f->text, strlen(f->text), &f->saved, NULL), DLS_OK);
  dls_check_free(check);
  dls_contact_state_free(contacts);
}

static void close_fixture(fixture *f)
{
  dls_saved_report_free(f->saved);
  dls_report_text_free(f->text);
  dls_system_free(f->system);
  dls_model_free(f->model);
}

static void reading(void **unused)
{
  (void)unused;
  fixture f;
  open_fixture(&f);
  bool failed = true;
  long k = 0, refused = 0;
  for (; failed; k++) {
    at_case("k %ld", k);
    dls_saved_report *saved;
    dls_diagnostic fault;
    const long before = living;
    failing_start(k);
    const dls_status status = dls_saved_report_read(f.text, strlen(f.text), &saved, &fault);
    failed = failing_stop();
    // jansson may take what it has no memory for for a mistake of the text, or cut a word short
    assert_true(failed || status == DLS_OK);
    assert_true(status == DLS_OK || status == DLS_ERR_MEMORY || status == DLS_ERR_ARGUMENT);
    assert_true(!saved == (status != DLS_OK));
    refused += status == DLS_ERR_MEMORY;
    dls_saved_report_free(saved);
    assert_int_equal(living, before);
  }
  assert_true(k > 100 && refused > 50);
  close_fixture(&f);
}

static void verifying(void **unused)
{
  (void)unused;
  fixture f;
  open_fixture(&f);
  bool failed = true;
  long k = 0;
  for (; failed; k++) {
    at_case("k %ld", k);
    dls_verification *v;
    dls_message message;
    failing_start(k);
    const dls_status status = dls_verify_run(f.saved, f.model, f.system, NULL, &v, &message);
    failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    assert_true(!v == failed);
    if (v) assert_true(v->holds && v->findings > 10);
    dls_verification_free(v);
  }
  assert_true(k > 20);
  close_fixture(&f);
}

static void printing(void **unused)
{
  (void)unused;
  fixture f;
  open_fixture(&f);
  dls_verification *v;
  assert_int_equal(dls_verify_run(f.saved, f.model, f.system, NULL, &v, NULL), DLS_OK);
  for (int json = 0; json < 2; json++) {
    bool failed = true;
    for (long k = 0; failed; k++) {
      at_case("json %d, k %ld", json, k);
      char *text;
      const long before = living;
      failing_start(k);
      const dls_status status = json ? dls_verification_json(v, "r", "m", &text)
                                     : dls_verification_text(v, "r", "m", true, &text);
      failed = failing_stop();
      assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
      assert_true(!text == failed);
      dls_report_text_free(text);
      assert_int_equal(living, before);
    }
  }
  dls_verification_free(v);
  close_fixture(&f);
}

static void setting(void **unused)
{
  (void)unused;
  fixture f;
  open_fixture(&f);
  bool failed = true;
  for (long k = 0; failed; k++) {
    at_case("k %ld", k);
    dls_system *system;
    assert_int_equal(dls_model_system(f.model, &system), DLS_OK);
    failing_start(k);
    const dls_status status = dls_saved_report_set(f.saved, system, NULL);
    failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    if (!failed) assert_true(dls_system_parameter(system, 1) == 2);
    dls_system_free(system);
  }
  close_fixture(&f);
}

int main(void)
{
  json_set_alloc_funcs(json_malloc_counted, json_free_counted);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading),
      cmocka_unit_test(verifying),
      cmocka_unit_test(printing),
      cmocka_unit_test(setting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
