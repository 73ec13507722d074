// Reading a report. What every report has must be there and of the right kind, or the report is
// refused; what it claims, the witnesses, is read when it is checked.
#include "verify/saved.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  dls_saved_report *report;
  dls_diagnostic *fault;
  bool failed, out_of_memory;
} reader;

// What is wrong at a place in the report; only the first one counts.
static void DLS_PRINTF(3, 4) refuse(reader *r, const char *place, const char *format, ...)
{
  if (r->failed) return;
  r->failed = true;
  va_list arguments;
  va_start(arguments, format);
  char text[300];
  dls_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  *r->fault = (dls_diagnostic){0};
  snprintf(r->fault->message, sizeof r->fault->message, "%s: %s", place, text);
}

static void *take_memory(reader *r, ptrdiff_t count, size_t size)
{
  void *place = dls_arena_alloc(r->report->arena, count, size);
  if (!place) r->failed = r->out_of_memory = true;
  return place;
}

static const char *kind_of(const json_t *value)
{
  switch (value ? json_typeof(value) : JSON_NULL) {
  case JSON_OBJECT: return "an object";
  case JSON_ARRAY: return "an array";
  case JSON_STRING: return "a string";
  case JSON_INTEGER:
  case JSON_REAL: return "a number";
  case JSON_TRUE:
  case JSON_FALSE: return "true or false";
  case JSON_NULL: return value ? "null" : "absent";
  }
  return "unknown";
}

static bool expect(reader *r, bool good, const json_t *value, const char *place, const char *what)
{
  if (!good) refuse(r, place, "expected %s, but it is %s", what, kind_of(value));
  return good;
}

static double number_of(reader *r, const json_t *value, const char *place)
{
  if (!expect(r, json_is_number(value), value, place, "a number")) return (double)NAN;
  const double x = json_number_value(value);
  if (!isfinite(x)) refuse(r, place, "the number is not finite");
  return x;
}

static const char *string_of(reader *r, const json_t *value, const char *place)
{
  return expect(r, json_is_string(value), value, place, "a string") ? json_string_value(value) : "";
}

// "contacts[3].gap"
typedef struct place_text {
  char text[80];
} place_text;

static place_text place_of(const char *array, ptrdiff_t index, const char *key)
{
  place_text place;
  snprintf(place.text, sizeof place.text, "%s[%td]%s%s", array, index, key ? "." : "",
           key ? key : "");
  return place;
}

static json_t *array_of(reader *r, const json_t *object, const char *key)
{
  json_t *value = json_object_get(object, key);
  return expect(r, json_is_array(value), value, key, "an array") ? value : NULL;
}

// n numbers.
static double *numbers(reader *r, const char *key, int n)
{
  const json_t *array = array_of(r, r->report->root, key);
  double *x = array ? take_memory(r, n, sizeof *x) : NULL;
  if (!x) return NULL;
  if (dls_json_length(array) != n) {
    refuse(r, key, "expected %d numbers, one per coordinate, but there are %td", n,
           dls_json_length(array));
    return NULL;
  }
  for (ptrdiff_t i = 0; i < n && !r->failed; i++)
    x[i] = number_of(r, dls_json_item(array, i), place_of(key, i, NULL).text);
  return x;
}

// More than any model can have are not looked at one by one.
static int count_of(reader *r, const json_t *array, const char *key)
{
  enum { MOST = 1 << 20 };
  const ptrdiff_t count = dls_json_length(array);
  if (count > MOST) refuse(r, key, "%td entries, more than any model has", count);
  return count > MOST ? 0 : (int)count;
}

static const char **names(reader *r, const char *key, const json_t *array, int count)
{
  const char **name = take_memory(r, count, sizeof *name);
  for (ptrdiff_t i = 0; name && !r->failed && i < count; i++)
    name[i] = string_of(r, dls_json_item(array, i), place_of(key, i, NULL).text);
  return name;
}

static void read_coordinates(reader *r)
{
  dls_saved_report *s = r->report;
  const json_t *array = array_of(r, s->root, "coordinates");
  if (!array) return;
  s->nq = s->n = count_of(r, array, "coordinates");
  s->coordinates = names(r, "coordinates", array, s->nq);
  const json_t *velocities = json_object_get(s->root, "velocities");
  if (velocities) s->n = count_of(r, velocities, "velocities");
  if (velocities && s->n > s->nq)
    refuse(r, "velocities", "%d entries, of %d coordinates", s->n, s->nq);
  if (velocities) s->velocities = names(r, "velocities", velocities, s->n);
  if (!r->failed) s->q = numbers(r, "q", s->nq);
  if (!r->failed) s->v = numbers(r, "v", s->n);
}

static void read_tangents(reader *r, const json_t *object, ptrdiff_t index, dls_saved_contact *c)
{
  const json_t *slip = json_object_get(object, "slip");
  const place_text place = place_of("contacts", index, "slip");
  if (!expect(r, json_is_array(slip), slip, place.text, "an array")) return;
  if (dls_json_length(slip) > 2) {
    refuse(r, place.text, "a contact has at most 2 slip velocities, here are %td",
           dls_json_length(slip));
    return;
  }
  c->tangents = (int)dls_json_length(slip);
  for (int k = 0; k < c->tangents; k++)
    c->slip[k] = number_of(r, dls_json_item(slip, k), place.text);
}

// Of contacts between bodies; null or absent otherwise. False: it is not there.
static bool read_vector(reader *r, const json_t *array, ptrdiff_t index, const char *key,
                        double x[3])
{
  const place_text place = place_of("contacts", index, key);
  if (!array || json_is_null(array)) return false;
  if (!expect(r, dls_json_length(array) == 3, array, place.text, "an array of three numbers"))
    return false;
  for (int i = 0; i < 3; i++) x[i] = number_of(r, dls_json_item(array, i), place.text);
  return true;
}

static bool read_directions(reader *r, const json_t *object, ptrdiff_t index, double x[2][3])
{
  const json_t *array = json_object_get(object, "tangents");
  const place_text place = place_of("contacts", index, "tangents");
  bool there = array && !json_is_null(array);
  if (!there || !expect(r, dls_json_length(array) == 2, array, place.text, "two directions"))
    return false;
  for (int k = 0; k < 2; k++)
    there &= read_vector(r, dls_json_item(array, k), index, "tangents", x[k]);
  return there;
}

static void read_pair(reader *r, const json_t *object, ptrdiff_t index, const char *key,
                      const char *word[2])
{
  const json_t *array = json_object_get(object, key);
  const place_text place = place_of("contacts", index, key);
  if (!array || json_is_null(array)) return;
  if (!expect(r, dls_json_length(array) == 2, array, place.text, "an array of two strings")) return;
  for (int i = 0; i < 2; i++) word[i] = string_of(r, dls_json_item(array, i), place.text);
}

static void read_bodies(reader *r, const json_t *object, ptrdiff_t index, dls_saved_contact *c)
{
  c->directed = read_vector(r, json_object_get(object, "normal"), index, "normal", c->normal);
  c->placed = read_vector(r, json_object_get(object, "point"), index, "point", c->point);
  c->framed = read_directions(r, object, index, c->tangent);
  read_pair(r, object, index, "bodies", c->body);
  read_pair(r, object, index, "features", c->feature);
}

static void read_contacts(reader *r)
{
  dls_saved_report *s = r->report;
  const json_t *array = array_of(r, s->root, "contacts");
  if (!array) return;
  s->m = count_of(r, array, "contacts");
  s->contacts = take_memory(r, s->m, sizeof *s->contacts);
  for (ptrdiff_t j = 0; s->contacts && j < s->m && !r->failed; j++) {
    const json_t *object = dls_json_item(array, j);
    if (!expect(r, json_is_object(object), object, place_of("contacts", j, NULL).text, "an object"))
      return;
    dls_saved_contact *c = &s->contacts[j];
    const struct {
      const char *key, **text;
    } strings[] = {{"name", &c->name}, {"kind", &c->kind}, {"status", &c->status}};
    for (ptrdiff_t k = 0; k < dls_count_of(strings); k++)
      *strings[k].text = string_of(r, json_object_get(object, strings[k].key),
                                   place_of("contacts", j, strings[k].key).text);
    const struct {
      const char *key;
      double *x;
    } values[] = {{"gap", &c->gap},
                  {"normal_velocity", &c->normal_velocity},
                  {"friction", &c->friction},
                  {"restitution", &c->restitution}};
    for (ptrdiff_t k = 0; k < dls_count_of(values); k++)
      *values[k].x = number_of(r, json_object_get(object, values[k].key),
                               place_of("contacts", j, values[k].key).text);
    const json_t *rolling = json_object_get(object, "rolling");
    expect(r, !rolling || json_is_boolean(rolling), rolling,
           place_of("contacts", j, "rolling").text, "true or false");
    c->rolling = json_is_true(rolling);
    const json_t *force = json_object_get(object, "friction_force");
    if (force) c->force = number_of(r, force, place_of("contacts", j, "friction_force").text);
    const json_t *most = json_object_get(object, "static_friction");
    if (most) c->most = number_of(r, most, place_of("contacts", j, "static_friction").text);
    read_tangents(r, object, j, c);
    read_bodies(r, object, j, c);
  }
}

// The first reports had none; null stands for a value that is no number.
static void read_parameters(reader *r)
{
  dls_saved_report *s = r->report;
  json_t *object = json_object_get(s->root, "parameters");
  if (!object) return;
  if (!expect(r, json_is_object(object), object, "parameters", "an object")) return;
  s->parameter = take_memory(r, dls_json_size(object), sizeof *s->parameter);
  const char *name;
  json_t *value;
  if (!s->parameter) return;
  json_object_foreach(object, name, value)
  {
    if (json_is_null(value)) continue;
    char place[80];
    snprintf(place, sizeof place, "parameters.%.60s", name);
    s->parameter[s->parameters++] = (dls_saved_value){name, number_of(r, value, place)};
  }
}

static bool is_answer(const json_t *value)
{
  const char *answer = json_string_value(value);
  return answer && (strcmp(answer, "yes") == 0 || strcmp(answer, "no") == 0 ||
                    strcmp(answer, "undecided") == 0);
}

static void read_verdicts(reader *r)
{
  dls_saved_report *s = r->report;
  s->verdicts = json_object_get(s->root, "verdicts");
  if (!expect(r, json_is_object(s->verdicts), s->verdicts, "verdicts", "an object")) return;
  const char *name;
  json_t *verdict;
  json_object_foreach(s->verdicts, name, verdict)
  {
    char place[80];
    snprintf(place, sizeof place, "verdicts.%.60s", name);
    if (!expect(r, json_is_object(verdict), verdict, place, "an object")) return;
    const json_t *answer = json_object_get(verdict, "answer");
    snprintf(place, sizeof place, "verdicts.%.60s.answer", name);
    if (!expect(r, json_is_string(answer), answer, place, "a string")) return;
    if (!is_answer(answer))
      refuse(r, place, "expected yes, no or undecided, but it is \"%.60s\"",
             json_string_value(answer));
  }
}

// Claims that a report may lack.
static void read_claims(reader *r)
{
  dls_saved_report *s = r->report;
  s->solutions = json_object_get(s->root, "solutions");
  if (s->solutions) expect(r, json_is_array(s->solutions), s->solutions, "solutions", "an array");
  const struct {
    const char *key;
    json_t **value;
  } objects[] = {{"delassus", &s->delassus},
                 {"force_ranges", &s->force_ranges},
                 {"friction", &s->friction},
                 {"impact", &s->impact}};
  for (ptrdiff_t k = 0; k < dls_count_of(objects); k++) {
    *objects[k].value = json_object_get(s->root, objects[k].key);
    if (*objects[k].value)
      expect(r, json_is_object(*objects[k].value), *objects[k].value, objects[k].key, "an object");
  }
}

// Reports of one tolerance do not repeat it.
static double optional_tolerance(reader *r, const char *key, double otherwise)
{
  const json_t *value = json_object_get(r->report->root, key);
  return value ? number_of(r, value, key) : otherwise;
}

static void read_frame(reader *r)
{
  dls_saved_report *s = r->report;
  if (!expect(r, json_is_object(s->root), s->root, "the report", "an object")) return;
  const json_t *model = json_object_get(s->root, "model");
  if (json_is_string(model)) s->model = json_string_value(model);
  s->time = number_of(r, json_object_get(s->root, "time"), "time");
  s->tolerance = number_of(r, json_object_get(s->root, "tolerance"), "tolerance");
  s->rest = optional_tolerance(r, "tolerance_velocity", s->tolerance);
  s->relative = optional_tolerance(r, "tolerance_relative", s->tolerance);
  if (!(s->tolerance > 0 && s->rest > 0)) refuse(r, "tolerance", "expected a number above 0");
  if (!(s->relative > 0 && s->relative < 1))
    refuse(r, "tolerance_relative", "expected a number between 0 and 1");
  read_coordinates(r);
  read_contacts(r);
  read_parameters(r);
  read_verdicts(r);
  read_claims(r);
}

// Not JSON: the place and the words are jansson's.
static dls_status not_json(const json_error_t *error, dls_diagnostic *fault)
{
  // without memory jansson mostly says nothing at all
  if (json_error_code(error) == json_error_out_of_memory || !error->text[0]) return DLS_ERR_MEMORY;
  *fault = (dls_diagnostic){.line = error->line > 0 ? error->line : 1,
                            .column = error->column > 0 ? error->column : 1,
                            .length = 1};
  snprintf(fault->message, sizeof fault->message, "not a JSON report: %s", error->text);
  return DLS_ERR_ARGUMENT;
}

dls_status dls_saved_report_read(const char *text, size_t length, dls_saved_report **report,
                                 dls_diagnostic *fault)
{
  dls_diagnostic own;
  if (!fault) fault = &own;
  *fault = (dls_diagnostic){0};
  if (!report) return DLS_ERR_ARGUMENT;
  *report = NULL;
  if (!text && length > 0) return DLS_ERR_ARGUMENT;
  dls_saved_report *made = dls_alloc(1, sizeof *made);
  if (!made) return DLS_ERR_MEMORY;
  made->arena = dls_arena_create();
  json_error_t error = {0};
  // a key twice is a trap: two readers may see two reports
  if (made->arena)
    made->root = json_loadb(text ? text : "", length,
                            JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  if (!made->arena || !made->root) {
    const dls_status status = made->arena ? not_json(&error, fault) : DLS_ERR_MEMORY;
    dls_saved_report_free(made);
    return status;
  }
  reader r = {.report = made, .fault = fault};
  read_frame(&r);
  if (r.failed) {
    dls_saved_report_free(made);
    return r.out_of_memory ? DLS_ERR_MEMORY : DLS_ERR_ARGUMENT;
  }
  *report = made;
  return DLS_OK;
}

void dls_saved_report_free(dls_saved_report *report)
{
  if (!report) return;
  json_decref(report->root);
  dls_arena_free(report->arena);
  free(report);
}

const char *dls_saved_report_model(const dls_saved_report *report)
{
  return report->model;
}

static int find_parameter(const dls_model *model, const char *name)
{
  for (int i = 0; i < dls_model_parameter_count(model); i++)
    if (strcmp(dls_model_parameter_name(model, i), name) == 0) return i;
  return -1;
}

// Only values that differ are set, so that parameters defined by others go on following them.
dls_status dls_saved_report_set(const dls_saved_report *report, dls_system *system,
                                dls_message *message)
{
  const dls_model *model = dls_system_model(system);
  if (!report || !model)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the system was not made from a model");
  for (int i = 0; i < report->parameters; i++) {
    const dls_saved_value *p = &report->parameter[i];
    const int index = find_parameter(model, p->name);
    if (index < 0 || dls_system_parameter(system, index) == p->value) continue;
    char value[40];
    dls_format(value, sizeof value, "%.17g", p->value);
    for (char *c = value; *c; c++)
      if (*c == ',') *c = '.';  // whatever the locale
    const dls_status status = dls_model_set(system, p->name, value, message);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}
