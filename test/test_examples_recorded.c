// The examples: every state of every model against its recorded report (test/golden).
//
// DELASSUS_UPDATE_GOLDEN=1 writes the recorded reports anew; look at what git says changed.
#define _POSIX_C_SOURCE 200809L
#include "example.h"
#include "example_report.h"

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

static const char *source_directory(void)
{
  const char *directory = getenv("DELASSUS_SOURCE");
  return directory ? directory : ".";
}

// How much of a part of the report must be the same.
typedef enum strictness {
  EXACT,   // strings equal, numbers to 1e-9
  MARGIN,  // numbers to 1e-6: distances from the other answer
  SHAPE,   // the same keys and lengths: the numbers are not unique, or a choice among equals
  NOTHING  // rounding noise, or a search that takes another way on another processor
} strictness;

static bool ends_in(const char *text, const char *ending)
{
  const size_t n = strlen(text), m = strlen(ending);
  return n >= m && strcmp(text + n - m, ending) == 0;
}

static bool rubs(const json_t *forces)
{
  const char *key;
  json_t *force;
  json_object_foreach((json_t *)forces, key, force)
  {
    const char *mode = json_string_value(json_object_get(force, "mode"));
    if (mode && (strcmp(mode, "stick") == 0 || strcmp(mode, "slide") == 0)) return true;
  }
  return false;
}

// One acceleration out of many; with friction also forces, which without it have the least norm.
static bool one_of_many(const char *key, const json_t *solution)
{
  const json_t *continuum = json_object_get(solution, "continuum");
  if (!continuum || strcmp(key, "continuum") == 0) return false;
  const char *kind = json_string_value(continuum);
  if (!kind || strcmp(kind, "acceleration") == 0) return true;
  return strcmp(kind, "forces") == 0 && strcmp(key, "forces") == 0 &&
         rubs(json_object_get(solution, "forces"));
}

static strictness of_key(const char *key, const json_t *object, strictness outer)
{
  if (strcmp(key, "residual") == 0 || ends_in(key, "_difference")) return NOTHING;
  // test_verify_examples checks these
  if (strcmp(key, "covering") == 0 || strcmp(key, "leaves") == 0) return NOTHING;
  if (strcmp(key, "shows") == 0 || strcmp(key, "pivots") == 0) return EXACT;
  if (strcmp(key, "margin") == 0) {
    // the optimum of a linear program over a box depends on the basis that was chosen, and how far
    // two solutions are apart on which two of many were found
    const char *by = json_string_value(json_object_get(object, "by"));
    const bool chosen = by && (strstr(by, "linear program") || strcmp(by, "two solutions") == 0);
    return chosen ? SHAPE : MARGIN;
  }
  if (strcmp(key, "witness") == 0) return SHAPE;
  if (strcmp(key, "dependent") == 0 || strcmp(key, "independent") == 0) return SHAPE;
  return one_of_many(key, object) ? SHAPE : outer;
}

static bool same_numbers(double a, double b, double relative)
{
  return fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + 1e-12;
}

static bool same(const json_t *a, const json_t *b, strictness how, char *where, size_t length);

static bool same_objects(const json_t *a, const json_t *b, strictness how, char *where,
                         size_t length)
{
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)a, key, value)
  {
    const strictness inner = of_key(key, a, how);
    if (inner == NOTHING) continue;
    snprintf(where + length, PATH - length, ".%s", key);
    if (!same(value, json_object_get(b, key), inner, where, strlen(where))) return false;
  }
  json_object_foreach((json_t *)b, key, value)
  {
    snprintf(where + length, PATH - length, ".%s", key);
    if (of_key(key, b, how) != NOTHING && !json_object_get(a, key)) return false;
  }
  return true;
}

static bool same_arrays(const json_t *a, const json_t *b, strictness how, char *where,
                        size_t length)
{
  for (size_t i = 0; i < json_array_size(a); i++) {
    snprintf(where + length, PATH - length, ".%zu", i);
    if (!same(json_array_get(a, i), json_array_get(b, i), how, where, strlen(where))) return false;
  }
  return json_array_size(a) == json_array_size(b);
}

// where: the path so far, PATH bytes; after a difference it names the place.
static bool same(const json_t *a, const json_t *b, strictness how, char *where, size_t length)
{
  if (!a || !b) return false;
  if (json_is_number(a) && json_is_number(b))
    return how == SHAPE ||
           same_numbers(json_number_value(a), json_number_value(b), how == MARGIN ? 1e-6 : 1e-9);
  if (json_typeof(a) != json_typeof(b)) return false;
  if (json_is_object(a)) return same_objects(a, b, how, where, length);
  if (json_is_array(a)) return same_arrays(a, b, how, where, length);
  return how == SHAPE || json_equal(a, b);
}

// A copy without noise, so that recording again changes nothing.
static json_t *without_noise(const json_t *value)
{
  if (json_is_real(value)) {
    const double x = json_real_value(value);
    return json_real(fabs(x) <= 1e-12 ? 0 : x);
  }
  if (json_is_array(value)) {
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(value); i++)
      json_array_append_new(copy, without_noise(json_array_get(value, i)));
    return copy;
  }
  if (!json_is_object(value)) return json_deep_copy(value);
  json_t *copy = json_object(), *inner;
  const char *key;
  json_object_foreach((json_t *)value, key, inner)
  {
    if (of_key(key, value, EXACT) != NOTHING) json_object_set_new(copy, key, without_noise(inner));
  }
  return copy;
}

static int compared;  // reports, so that stale recordings are found

static void compare_report(const char *name, const char *state)
{
  char path[PATH];
  snprintf(path, sizeof path, "%s/test/golden/%s%s%s.json", source_directory(), name,
           state ? "@" : "", state ? state : "");
  json_t *found = example_report(name, state, NULL);
  compared++;
  // the least friction is approached there with forces without bound: how near one gets is rounding
  if (strcmp(name, "grasp-2d") == 0) json_object_del(found, "friction");
  if (getenv("DELASSUS_UPDATE_GOLDEN")) {
    json_t *kept = without_noise(found);
    assert_int_equal(json_dump_file(kept, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12)), 0);
    json_decref(kept);
  }
  json_error_t error;
  json_t *recorded = json_load_file(path, 0, &error);
  if (!recorded) fail_msg("%s: %s", path, error.text);
  char where[PATH] = "";
  if (!same(recorded, found, EXACT, where, 0))
    fail_msg("%s differs at %s", path, where[0] ? where + 1 : "the top");
  json_decref(recorded);
  json_decref(found);
}

static int count_recordings(void)
{
  char path[PATH];
  snprintf(path, sizeof path, "%s/test/golden", source_directory());
  DIR *directory = opendir(path);
  assert_non_null(directory);
  int count = 0;
  for (const struct dirent *d; (d = readdir(directory));) count += ends_in(d->d_name, ".json");
  closedir(directory);
  return count;
}

static void test_recorded_reports(void **unused)
{
  (void)unused;
  char path[PATH];
  snprintf(path, sizeof path, "%s/examples", source_directory());
  DIR *directory = opendir(path);
  assert_non_null(directory);
  compared = 0;
  for (const struct dirent *d; (d = readdir(directory));) {
    at_case("%s", d->d_name);
    if (!ends_in(d->d_name, ".dls")) continue;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strlen(d->d_name) - 4, d->d_name);
    example e = example_open(name, NULL, "%s", "");
    compare_report(name, NULL);
    for (int i = 0; i < dls_model_state_count(e.model); i++)
      compare_report(name, dls_model_state_name(e.model, i));
    example_close(&e);
  }
  closedir(directory);
  assert_true(compared >= 25);
  assert_int_equal(compared, count_recordings());
}

// The comparison itself can fail.
static void test_comparison(void **unused)
{
  (void)unused;
  static const struct {
    const char *a, *b;
    bool same;
  } cases[] = {
      {"{\"x\": 1.0}", "{\"x\": 1.0000000001}", true},
      {"{\"x\": 1.0}", "{\"x\": 1.00000001}", false},
      {"{\"x\": 1.0}", "{\"x\": \"1\"}", false},
      {"{\"x\": null}", "{\"x\": 1.0}", false},
      {"{\"x\": [1]}", "{\"x\": [1, 2]}", false},
      {"{\"x\": 1}", "{\"x\": 1, \"y\": 1}", false},
      {"{\"x\": 1, \"y\": 1}", "{\"x\": 1}", false},
      {"{\"by\": \"a\"}", "{\"by\": \"b\"}", false},
      {"{\"residual\": 1e-16}", "{\"residual\": 2e-16}", true},
      {"{\"margin\": 0.5}", "{\"margin\": 0.50000001}", true},
      {"{\"margin\": 0.5}", "{\"margin\": 0.50001}", false},
      {"{\"margin\": 0.5, \"by\": \"linear program\"}",
       "{\"margin\": 1, \"by\": \"linear program\"}", true},
      {"{\"witness\": {\"d\": {\"x\": 1.0}}}", "{\"witness\": {\"d\": {\"x\": 2.0}}}", true},
      {"{\"witness\": {\"d\": {\"x\": 1.0}}}", "{\"witness\": {\"d\": {\"y\": 1.0}}}", false},
      {"{\"witness\": {\"pivots\": [1.0]}}", "{\"witness\": {\"pivots\": [2.0]}}", false},
      {"{\"witness\": {\"shows\": \"a\"}}", "{\"witness\": {\"shows\": \"b\"}}", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    at_case("i %zu", i);
    json_t *a = json_loads(cases[i].a, 0, NULL), *b = json_loads(cases[i].b, 0, NULL);
    char where[PATH] = "";
    assert_non_null(a);
    assert_non_null(b);
    if (same(a, b, EXACT, where, 0) != cases[i].same) fail_msg("%s, %s", cases[i].a, cases[i].b);
    json_decref(a);
    json_decref(b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_comparison),
      cmocka_unit_test(test_recorded_reports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
