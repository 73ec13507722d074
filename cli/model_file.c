#define _POSIX_C_SOURCE 200809L
#include "model_file.h"

#include "files.h"
#include "message.h"
#include "state_file.h"

#include <delassus/check.h>
#include <delassus/native.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void model_file_free(model_file *f)
{
  dls_contact_state_free(f->contact_state);
  buffer_free(&f->assigned);
  free(f->state.q);
  free(f->state.v);
  free(f->told.q);
  free(f->told.v);
  dls_system_free(f->system);
  dls_model_free(f->model);
  dls_model_files_free(f->files);
  dls_import_free(f->import);
  free(f->source);
  *f = (model_file){0};
}

int model_file_failed(const model_file *f, dls_status status, const dls_message *message)
{
  const char *text = message && message->text[0] ? message->text : dls_status_text(status);
  return complain("%s: %s", f->shown, text);
}

// ---- the call -----------------------------------------------------------------------------------

// The positive number that a text begins with; NULL when there is none.
static const char *read_positive(const char *text, double *number)
{
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || !(value > 0) || !isfinite(value)) return NULL;
  *number = value;
  return end;
}

// What --tol means: "GAP" for both, or "GAP,VELOCITY".
static int read_tolerances(const char *text, double *gap, double *velocity)
{
  double first = 0, second = 0;
  const char *rest = read_positive(text, &first);
  second = first;
  if (rest && *rest == ',') rest = read_positive(rest + 1, &second);
  if (!rest || *rest) {
    complain("--tol %s: expected GAP[,VELOCITY], one or two numbers above 0", text);
    add_line("such as --tol 1e-6, or --tol 1e-6,1e-4: a length, and a velocity");
    return EXIT_WRONG;
  }
  *gap = first;
  *velocity = second;
  return 0;
}

static int check_sets(const options *given)
{
  const char *set;
  for (int i = 0; (set = options_value(given, "--set", i)); i++) {
    const char *equal = strchr(set, '=');
    if (!equal || equal == set || !equal[1])
      return complain("--set %s: expected NAME=VALUE, such as --set mu=0.3", set);
  }
  return 0;
}

static int check_coordinates(const options *given)
{
  const char *kind = options_value(given, "--coordinates", 0), *package;
  if (kind && strcmp(kind, "reduced") != 0 && strcmp(kind, "maximal") != 0)
    return complain("--coordinates %s: expected reduced or maximal", kind);
  for (int i = 0; (package = options_value(given, "--package", i)); i++) {
    const char *equal = strchr(package, '=');
    if (!equal || equal == package || !equal[1])
      return complain("--package %s: expected NAME=DIR", package);
  }
  return 0;
}

int model_file_name(model_file *f, const options *given, const char *path)
{
  *f = (model_file){.options = given,
                    .path = path,
                    .shown = strcmp(path, "-") == 0 ? "standard input" : path,
                    .tolerance = dls_contact_defaults().tolerance,
                    .rest = dls_contact_defaults().rest,
                    .relative = dls_check_defaults().tolerance};
  const char *tolerance = options_value(given, "--tol", 0);
  int wrong = tolerance ? read_tolerances(tolerance, &f->tolerance, &f->rest) : 0;
  // one number serves for those without unit, too
  if (tolerance && !strchr(tolerance, ',') && f->tolerance < 1) f->relative = f->tolerance;
  if (!wrong) wrong = state_file_call(given);
  if (!wrong) wrong = check_coordinates(given);
  return wrong ? wrong : check_sets(given);
}

int model_file_call(model_file *f, const options *given, const char *command)
{
  const char *const *words = given->words;
  if (given->word_count == 0) {
    complain("%s needs a model: delassus %s MODEL [OPTION]…", command, command);
    add_line("delassus help %s says more", command);
    return EXIT_WRONG;
  }
  if (given->word_count > 1)
    return complain("%s takes one model, but %s and %s are given", command, words[0], words[1]);
  if (!words[0][0]) return complain("%s needs a model, but its name is empty", command);
  return model_file_name(f, given, words[0]);
}

dls_contact_options model_file_zero(const model_file *f)
{
  return (dls_contact_options){.tolerance = f->tolerance, .rest = f->rest};
}

const char *model_file_at(const model_file *f)
{
  const char *at = options_value(f->options, "--at", 0);
  if (!at) at = options_value(f->options, "--state", 0);
  return at && at[strspn(at, " \t")] ? at : NULL;
}

const char *model_file_assigned(const model_file *f)
{
  return f->assigned.text ? f->assigned.text : model_file_at(f);
}

void model_file_json(buffer *out, const model_file *f)
{
  buffer_add(out, "{\n  \"model\": ");
  buffer_json_string(out, f->shown);
  buffer_add(out, ",\n  \"title\": ");
  buffer_json_string(out, dls_model_title(f->model));
  buffer_add(out, ",\n  \"state\": ");
  buffer_json_string(out, model_file_at(f));
}

// ---- the model and its state --------------------------------------------------------------------

int print_diagnostics(const dls_diagnostics *diagnostics, const char *shown, const char *source,
                      size_t length)
{
  char none[1];
  const size_t size =
      1 + dls_diagnostics_format(diagnostics, shown, source, length, none, sizeof none);
  char *text = malloc(size);
  if (!text) return complain("%s: %s", shown, dls_status_text(DLS_ERR_MEMORY));
  dls_diagnostics_format(diagnostics, shown, source, length, text, size);
  fputs(text, stderr);
  if (size > 1 && text[size - 2] != '\n') fputc('\n', stderr);
  free(text);
  return EXIT_WRONG;
}

// What --package says. Names and array are freed by free_packages.
static int read_packages(const options *given, dls_import_options *out)
{
  int count = 0;
  while (options_value(given, "--package", count)) count++;
  dls_import_package *package = calloc((size_t)count + 1, sizeof *package);
  if (!package) return complain("out of memory");
  *out = (dls_import_options){.packages = count, .package = package};
  for (int i = 0; i < count; i++) {
    const char *value = options_value(given, "--package", i), *equal = strchr(value, '=');
    package[i].name = strndup(value, (size_t)(equal - value));
    package[i].folder = equal + 1;
    if (!package[i].name) return complain("out of memory");
  }
  return 0;
}

static void free_packages(const dls_import_options *of)
{
  for (int i = 0; i < of->packages; i++) free((char *)of->package[i].name);
  free((dls_import_package *)of->package);
}

static int parse_text(model_file *f, const dls_import_options *how)
{
  dls_message message = {0};
  dls_diagnostics diagnostics = {0};
  dls_status status = DLS_OK;
  // what comes on standard input has no folder
  if (strcmp(f->path, "-") != 0) {
    status = dls_model_files_create(f->path, how, &f->files, &message);
    if (status != DLS_OK) return model_file_failed(f, status, &message);
  }
  status = dls_model_parse_with(f->source, f->source_length, f->files, &f->model, &diagnostics);
  if (status == DLS_OK) return 0;
  if (diagnostics.count == 0) return model_file_failed(f, status, NULL);
  return print_diagnostics(&diagnostics, f->shown, f->source, f->source_length);
}

static int import_model(model_file *f, const dls_import_options *how)
{
  dls_message message = {0};
  dls_status status = dls_import_read(f->path, how, &f->import, &message);
  if (status != DLS_OK) {  // it has the place in it
    fprintf(stderr, "%s\n", message.text[0] ? message.text : dls_status_text(status));
    return EXIT_WRONG;
  }
  status = dls_model_from_import(f->import, &f->model, &message);
  return status == DLS_OK ? 0 : model_file_failed(f, status, &message);
}

int model_file_read(model_file *f)
{
  const bool file = ends_in(f->path, ".xml") || ends_in(f->path, ".urdf");
  dls_import_options how = {0};
  int wrong = read_packages(f->options, &how);
  if (!wrong) wrong = read_input(f->path, "model", file ? 64 : 16, &f->source, &f->source_length);
  if (!wrong) wrong = file ? import_model(f, &how) : parse_text(f, &how);
  free_packages(&how);
  const char *kind = options_value(f->options, "--coordinates", 0);
  if (!wrong && kind)
    dls_model_set_coordinates(f->model, strcmp(kind, "maximal") == 0 ? DLS_MAXIMAL : DLS_REDUCED);
  return wrong;
}

int model_file_take(model_file *f, char *text, size_t length)
{
  dls_import_options how = {0};
  f->source = text, f->source_length = length;
  int wrong = read_packages(f->options, &how);
  if (!wrong) wrong = parse_text(f, &how);
  free_packages(&how);
  const char *kind = options_value(f->options, "--coordinates", 0);
  if (!wrong && kind && strcmp(kind, "maximal") == 0)
    dls_model_set_coordinates(f->model, DLS_MAXIMAL);
  return wrong;
}

static int wrong_value(const model_file *f, const char *name, const char *value, dls_status status,
                       const dls_message *message)
{
  return complain("%s: %s %s: %s", f->shown, name, value,
                  message->text[0] ? message->text : dls_status_text(status));
}

// Bytes of a name that are shown: at most `most`, and whole characters.
static int shown_length(const char *name, int most)
{
  if ((int)strnlen(name, (size_t)most + 1) <= most) return (int)strlen(name);
  while (most > 0 && ((unsigned char)name[most] & 0xC0) == 0x80) most--;
  return most;
}

// When no parameter has that name: "  parameters of this model: m, L, mu"
void list_parameters(const dls_model *model, const char *name)
{
  enum { LISTED = 12, LETTERS = 40 };
  const int count = dls_model_parameter_count(model);
  for (int i = 0; i < count; i++)
    if (strcmp(dls_model_parameter_name(model, i), name) == 0) return;
  if (count == 0) {
    add_line("this model has no parameters");
    return;
  }
  fputs("  parameters of this model:", stderr);
  for (int i = 0; i < count && i < LISTED; i++) {
    const char *listed = dls_model_parameter_name(model, i);
    const int length = shown_length(listed, LETTERS);
    fprintf(stderr, "%s %.*s%s", i ? "," : "", length, listed, listed[length] ? "…" : "");
  }
  fputs(count > LISTED ? ", …\n" : "\n", stderr);
}

static int set_parameter(const model_file *f, const char *set)
{
  const char *equal = strchr(set, '=');
  size_t length = (size_t)(equal - set);
  while (length > 0 && set[length - 1] == ' ') length--;
  char *name = strndup(set, length);
  if (!name) return model_file_failed(f, DLS_ERR_MEMORY, NULL);

  dls_message message = {0};
  const dls_status status = dls_model_set(f->system, name, equal + 1, &message);
  if (status != DLS_OK) {
    wrong_value(f, "--set", set, status, &message);
    list_parameters(f->model, name);
  }
  free(name);
  return status == DLS_OK ? 0 : EXIT_WRONG;
}

int model_file_system(model_file *f)
{
  dls_message message = {0};
  const dls_status status =
      f->system ? DLS_OK : dls_model_system_with(f->model, &f->system, &message);
  return status == DLS_OK ? 0 : model_file_failed(f, status, &message);
}

int model_file_set(model_file *f)
{
  int wrong = model_file_system(f);
  const char *set;
  for (int i = 0; !wrong && (set = options_value(f->options, "--set", i)); i++)
    wrong = set_parameter(f, set);
  return wrong;
}

// With --native; what cannot be compiled gives the same numbers.
static void make_native(const model_file *f)
{
  dls_message message = {0};
  if (options_has(f->options, "--native") && dls_model_compile(f->system, NULL, &message) != DLS_OK)
    complain("--native: %s; going on without", message.text);
}

int model_file_open(model_file *f)
{
  int wrong = model_file_read(f);
  if (!wrong) wrong = model_file_set(f);
  if (!wrong) make_native(f);
  return wrong ? wrong
               : state_file_read(f->options, f->source, f->source_length, f->system, &f->assigned,
                                 &f->told);
}

// "  add a line such as   object body: x, y", with coordinates of the model
static void suggest_object(const dls_system *system)
{
  enum { NAMED = 3 };
  fputs("  add a line to the model that names its coordinates, such as\n    object body:", stderr);
  for (int i = 0; i < system->n && i < NAMED; i++)
    fprintf(stderr, "%s %s", i ? "," : "", system->coordinates[i]);
  fputs("\n", stderr);
}

static int unknown_object(const model_file *f, const char *name, int count)
{
  const char **known = calloc((size_t)count, sizeof *known);
  if (!known) return model_file_failed(f, DLS_ERR_MEMORY, NULL);
  for (int i = 0; i < count; i++) known[i] = dls_model_object_name(f->model, i);
  complain("%s: --object %s: this model has no such object", f->shown, name);
  if (!suggest(name, known, count))
    add_line("its object%s %s%s", count > 1 ? "s are" : " is", known[0], count > 1 ? ", …" : "");
  free(known);
  return EXIT_WRONG;
}

int model_file_object(model_file *f, const char *asked)
{
  const char *name = options_value(f->options, "--object", 0);
  const int count = dls_model_object_count(f->model);
  if (count == 0 && !name && !asked) return 0;
  if (count == 0) {
    complain("%s: %s%s asks about an object, but this model has none", f->shown,
             name ? "--object " : asked, name ? name : "");
    suggest_object(f->system);
    return EXIT_WRONG;
  }
  int chosen = 0;
  while (name && chosen < count && strcmp(dls_model_object_name(f->model, chosen), name) != 0)
    chosen++;
  if (chosen == count) return unknown_object(f, name, count);
  f->object_name = dls_model_object_name(f->model, chosen);
  f->object_size = dls_model_object_coordinates(f->model, chosen, &f->object);
  return 0;
}

int model_file_state(model_file *f)
{
  const size_t nq = (size_t)dls_system_nq(f->system) + 1, n = (size_t)f->system->n + 1;
  f->state.q = calloc(nq, sizeof(double));
  f->state.v = calloc(n, sizeof(double));
  if (!f->state.q || !f->state.v) return model_file_failed(f, DLS_ERR_MEMORY, NULL);

  const char *at = options_value(f->options, "--at", 0);
  dls_message message = {0};
  if (f->told.q) {
    memcpy(f->state.q, f->told.q, (nq - 1) * sizeof(double));
    memcpy(f->state.v, f->told.v, (n - 1) * sizeof(double));
    f->state.t = f->told.t;
    return 0;
  }
  const dls_status status = dls_model_state(f->system, model_file_assigned(f), &f->state, &message);
  if (status == DLS_OK) return 0;
  return at ? wrong_value(f, "--at", at, status, &message) : model_file_failed(f, status, &message);
}

int model_file_contacts(model_file *f)
{
  dls_message message = {0};
  const dls_contact_options contact = model_file_zero(f);
  const bool project = options_has(f->options, "--project");
  dls_status status = DLS_OK;
  if (project) {
    status = dls_state_project(f->system, &f->state, &contact, &f->projection, &message);
    if (status != DLS_OK) return model_file_failed(f, status, &message);
    f->projected = true;
  }
  status = dls_contact_state_create(f->system, &f->state, &contact, &f->contact_state, &message);
  if (status == DLS_OK) return 0;
  model_file_failed(f, status, &message);
  if (status == DLS_ERR_STATE && !project)
    add_line("--project moves to the nearest consistent state");
  return EXIT_WRONG;
}
