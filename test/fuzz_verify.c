// libFuzzer entry for the checker of reports: whatever the report, no crash. An input that begins
// with a brace is a report; any other changes numbers, strings and lists of a good one, all of
// whose claims hold. A changed report about the same state has no claim that holds and says the
// opposite.
#include <delassus/delassus.h>

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model_text[] =
    "parameter mu = 0.3\n"
    "coordinate x = sin(theta), y = cos(theta), theta = pi/4\n"
    "kinetic (x'^2 + y'^2)/2 + theta'^2/6\n"
    "potential 9.81*y\n"
    "bilateral  wall:  x - sin(theta) = 0  { slip y' - sin(theta)*theta'; friction mu }\n"
    "unilateral floor: y - cos(theta) >= 0 { slip x' + cos(theta)*theta'; friction mu }\n"
    "object ladder: x, y, theta\n";

static dls_model *model;
static dls_system *sys;
static char *good;
static dls_verification *oracle;  // of the good report

static void require(int holds)
{
  if (!holds) abort();
}

static void prepare(void)
{
  double q[3], v[3];
  dls_state state = {.q = q, .v = v};
  dls_contact_state *contacts;
  dls_check *check;
  require(dls_model_parse(model_text, strlen(model_text), &model, NULL) == DLS_OK);
  require(dls_model_system(model, &sys) == DLS_OK);
  const char *at = "theta' = 1, x' = cos(theta), y' = -sin(theta)";
  require(dls_model_state(sys, at, &state, NULL) == DLS_OK);
  require(dls_contact_state_create(sys, &state, NULL, &contacts, NULL) == DLS_OK);
  dls_check_options options = dls_check_defaults();
  options.object_size = dls_model_object_coordinates(model, 0, &options.object);
  require(dls_check_run(&contacts->problem, &options, &check, NULL) == DLS_OK);
  const dls_report report = {
      .system = sys, .contact_state = contacts, .check = check, .object = "ladder"};
  require(dls_report_json(&report, &good) == DLS_OK);
  dls_check_free(check);
  dls_contact_state_free(contacts);
}

static void print(const dls_verification *v)
{
  char *text;
  require(dls_verification_text(v, "fuzz", "fuzz", false, &text) == DLS_OK);
  dls_report_text_free(text);
  require(dls_verification_json(v, "fuzz", "fuzz", &text) == DLS_OK);
  json_t *parsed = json_loads(text, 0, NULL);
  require(parsed != NULL);
  json_decref(parsed);
  dls_report_text_free(text);
}

static bool is_opposite(const char *a, const char *b)
{
  return (strcmp(a, "yes") == 0 && strcmp(b, "no") == 0) ||
         (strcmp(a, "no") == 0 && strcmp(b, "yes") == 0);
}

// The report is about the state that it was made for.
static void never_the_opposite(const dls_verification *v)
{
  for (int k = 0; k < v->findings; k++)
    for (int t = 0; t < oracle->findings; t++) {
      const dls_finding *a = &v->finding[k], *b = &oracle->finding[t];
      if (strcmp(a->group, b->group) != 0 || strcmp(a->name, b->name) != 0) continue;
      require(a->found != DLS_FOUND_HOLDS || !is_opposite(a->answer, b->answer));
    }
}

// At the end of prepare: what was made holds.
static void learn(void)
{
  dls_saved_report *saved;
  dls_diagnostic fault;
  require(dls_saved_report_read(good, strlen(good), &saved, &fault) == DLS_OK);
  require(dls_verify_run(saved, model, sys, NULL, &oracle, NULL) == DLS_OK);
  require(oracle->holds && oracle->findings > 5);
  dls_saved_report_free(saved);
}

static void verify(const char *text, size_t length, bool same_state)
{
  dls_saved_report *saved;
  dls_diagnostic fault;
  dls_verification *v;
  dls_message message;
  const dls_status status = dls_saved_report_read(text, length, &saved, &fault);
  if (status != DLS_OK) {
    require(status == DLS_ERR_ARGUMENT && !saved && fault.message[0]);
    return;
  }
  require(dls_verify_run(saved, model, sys, NULL, &v, &message) == DLS_OK);
  require(!v->difference || (!v->holds && v->findings == 0));
  print(v);
  if (same_state) never_the_opposite(v);
  dls_verification_free(v);
  dls_saved_report_free(saved);
}

// The k-th value below a value, counted through.
static json_t *walk(json_t *value, size_t *k)
{
  if ((*k)-- == 0) return value;
  const char *key;
  json_t *child, *found = NULL;
  json_object_foreach(value, key, child)
  {
    if (!found) found = walk(child, k);
  }
  for (size_t i = 0; i < json_array_size(value) && !found; i++)
    found = walk(json_array_get(value, i), k);
  return found;
}

// Nothing but verdicts, solutions and what belongs to them was changed.
static bool is_about_same(const json_t *changed)
{
  static const char *const claims[] = {"verdicts", "solutions", "solution_count", "friction"};
  json_t *before = json_loads(good, JSON_DECODE_INT_AS_REAL, NULL),
         *after = json_deep_copy(changed);
  require(before && after);
  for (size_t k = 0; k < sizeof claims / sizeof *claims; k++)
    json_object_del(before, claims[k]), json_object_del(after, claims[k]);
  const bool same = json_equal(before, after);
  json_decref(before);
  json_decref(after);
  return same;
}

// Numbers and strings of the good report in other places: pairs of bytes say which, and what.
static void mutate(const uint8_t *data, size_t size)
{
  static const double numbers[] = {0, 1, -1, 1e-300, 1e300, -1e300, 0.5, 1e-9, 1e9, 1e-17};
  static const char *const strings[] = {"yes",   "no",    "stick",      "slide",         "detach",
                                        "point", "empty", "slide+",     "slide pulling", "wall",
                                        "floor", "x",     "unilateral", "face"};
  json_t *report = json_loads(good, JSON_DECODE_INT_AS_REAL, NULL);
  require(report != NULL);
  for (size_t i = 0; i + 2 < size; i += 3) {
    size_t k = (size_t)data[i] * 256 + data[i + 1];
    json_t *value = walk(report, &k);
    const unsigned what = data[i + 2];
    if (json_is_real(value)) json_real_set(value, numbers[what % 10]);
    else if (json_is_string(value)) json_string_set(value, strings[what % 14]);
    else if (json_is_array(value) && what % 4 == 0) json_array_remove(value, what / 4);
    else if (json_is_array(value) && what % 4 == 1) json_array_append_new(value, json_real(1));
    else if (json_is_object(value) && what % 4 == 2)
      json_object_set_new(value, strings[what % 14], json_real(2));
    else if (json_is_object(value) && what % 4 == 3) json_object_clear(value);
  }
  char *text = json_dumps(report, JSON_REAL_PRECISION(17));
  require(text != NULL);
  verify(text, strlen(text), is_about_same(report));
  free(text);
  json_decref(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!model) prepare(), learn();
  if (size > 0 && data[0] == '{') verify((const char *)data, size, false);
  else mutate(data, size);
  return 0;
}
