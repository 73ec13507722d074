// --sensitivity NAME,...: how the end of the run changes with parameters and with its start.
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include "message.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 64 };

int simulate_names(const options *o, simulate_plan *plan)
{
  const char *given = options_value(o, "--sensitivity", 0);
  if (!given) return 0;
  if (!dls_scheme_find(plan->how.scheme)->events) {
    complain("--sensitivity needs a scheme that locates events, and %s does not", plan->how.scheme);
    add_line("delassus simulate --list shows them; --scheme radau5 is one");
    return EXIT_WRONG;
  }
  if (plan->resume) return complain("--sensitivity follows a run from its start, not --resume");
  if (options_has(o, "--project"))
    return complain("--sensitivity cannot tell how --project moves the start");
  plan->names_text = strdup(given);
  plan->names = calloc(NAMES, sizeof *plan->names);
  if (!plan->names_text || !plan->names) return complain("out of memory");
  for (char *at = plan->names_text; at;) {
    char *next = strchr(at, ',');
    if (next) *next++ = '\0';
    at += strspn(at, " ");
    char *end = at + strlen(at);
    while (end > at && end[-1] == ' ') *--end = '\0';
    if (!*at) return complain("--sensitivity %s: a name is missing", given);
    if (plan->name_count == NAMES) return complain("--sensitivity takes up to %d names", NAMES);
    plan->names[plan->name_count++] = at;
    at = next;
  }
  return 0;
}

// The start with a parameter of another value.
static dls_status start_with(const simulate_plan *plan, const char *name, double value,
                             dls_state *state, dls_message *message)
{
  const model_file *file = plan->file;
  dls_system *other;
  char text[64];
  const char *set;
  dls_status status = dls_model_system(file->model, &other);
  for (int i = 0; status == DLS_OK && (set = options_value(file->options, "--set", i)); i++) {
    const char *equals = strchr(set, '=');
    char *left = equals ? strndup(set, (size_t)(equals - set)) : NULL;
    status = left ? dls_model_set(other, left, equals + 1, message) : DLS_ERR_MEMORY;
    free(left);
  }
  snprintf(text, sizeof text, "%.17g", value);
  if (status == DLS_OK) status = dls_model_set(other, name, text, message);
  if (status == DLS_OK) status = dls_model_state(other, model_file_assigned(file), state, message);
  dls_system_free(other);
  return status;
}

// How the formulas of the start change with a parameter: differences of fourth order, and 0 where
// rounding is all that they see. change: n coordinates and n velocities.
static dls_status by_parameter(const simulate_plan *plan, int parameter, double *change,
                               dls_message *message)
{
  static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
  const dls_system *s = plan->file->system;
  const double value = dls_system_parameter(s, parameter);
  const double h = 1e-3 * (value != 0 ? fabs(value) : 1);
  double *x = calloc(4 * (size_t)s->n + 1, sizeof *x), *size = x ? x + 2 * s->n : NULL;
  dls_status status = x ? DLS_OK : DLS_ERR_MEMORY;
  for (int k = 0; k < 4 && status == DLS_OK; k++) {
    dls_state at = {plan->file->state.t, x, x + s->n};
    status = start_with(plan, dls_model_parameter_name(plan->file->model, parameter),
                        value + place[k] * h, &at, message);
    for (int i = 0; i < 2 * s->n && status == DLS_OK; i++) {
      change[i] += weight[k] * x[i] / h;
      size[i] = fmax(size[i], fabs(x[i]));
    }
  }
  for (int i = 0; i < 2 * s->n && status == DLS_OK; i++)
    if (fabs(change[i]) <= 8 * DBL_EPSILON * size[i] / h) change[i] = 0;
  free(x);
  return status;
}

// Coordinates and velocities change by themselves, parameters the formulas of the start.
static dls_status start_changes(const simulate_plan *plan, double *change, dls_message *message)
{
  const dls_system *s = plan->file->system;
  const dls_model *model = plan->file->model;
  dls_status status = DLS_OK;
  for (int c = 0; c < plan->name_count && status == DLS_OK; c++) {
    const char *name = plan->names[c];
    double *x = change + 2 * (ptrdiff_t)c * s->n;
    bool found = false;
    for (int i = 0; i < dls_model_parameter_count(model) && !found; i++) {
      found = strcmp(dls_model_parameter_name(model, i), name) == 0;
      if (found) status = by_parameter(plan, i, x, message);
    }
    for (int i = 0; i < s->n && !found; i++) {
      const size_t length = strlen(s->coordinates[i]);
      if (strncmp(s->coordinates[i], name, length) != 0) continue;
      const bool velocity = name[length] == '\'';
      found = name[length + velocity] == '\0';
      if (found) x[i + (velocity ? s->n : 0)] = 1;
    }
  }
  return status;
}

int simulate_sensitivity_begin(simulate_run *run, const simulate_plan *plan)
{
  const dls_system *s = plan->file->system;
  dls_message message = {0};
  if (plan->name_count == 0) return 0;
  dls_status status =
      dls_sensitivity_create(s, plan->name_count, plan->names, &run->sensitivity, &message);
  if (status == DLS_ERR_ARGUMENT) {
    complain("--sensitivity: %s", message.text);
    list_parameters(plan->file->model, "");
    return EXIT_WRONG;
  }
  double *change = calloc(2 * (size_t)plan->name_count * (size_t)s->n + 1, sizeof *change);
  if (status == DLS_OK && !change) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = start_changes(plan, change, &message);
  if (status == DLS_OK) status = dls_sensitivity_begin(run->sensitivity, run->integrator, change);
  free(change);
  return status == DLS_OK ? 0 : model_file_failed(plan->file, status, &message);
}

int simulate_sensitivity_step(simulate_run *run, const simulate_plan *plan)
{
  if (!run->sensitivity) return 0;
  const dls_status status = dls_sensitivity_step(run->sensitivity, run->integrator);
  return status == DLS_OK ? 0 : model_file_failed(plan->file, status, NULL);
}

static dls_sensitivity_result result_of(const simulate_run *run)
{
  dls_sensitivity_result r = dls_sensitivity_of(run->sensitivity);
  if (!r.why && run->events.stopped)
    r.change = NULL, r.why = "the run was ended by an event, at a time that changes, too";
  return r;
}

// ---- results ------------------------------------------------------------------------------------

static void json_numbers(buffer *out, const char *key, const dls_system *s, const double *x)
{
  buffer_add(out, "\"%s\": {", key);
  for (int i = 0; i < s->n; i++) {
    buffer_add(out, "%s", i ? ", " : "");
    buffer_json_string(out, s->coordinates[i]);
    buffer_add(out, ": ");
    buffer_json_number(out, x[i]);
  }
  buffer_add(out, "}");
}

void simulate_sensitivity_json(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const dls_system *s = plan->file->system;
  if (!run->sensitivity) return;
  const dls_sensitivity_result r = result_of(run);
  buffer_add(out, ",\n  \"sensitivity\": {\"lost\": ");
  if (r.why) {
    buffer_add(out, "{\"t\": ");
    buffer_json_number(out, r.t);
    buffer_add(out, ", \"why\": ");
    buffer_json_string(out, r.why);
    buffer_add(out, "}, \"by\": null}");
    return;
  }
  buffer_add(out, "null, \"by\": {");
  for (int c = 0; c < r.count; c++) {
    const double *x = r.change + 2 * (ptrdiff_t)c * r.n;
    buffer_add(out, "%s\n    ", c ? "," : "");
    buffer_json_string(out, plan->names[c]);
    buffer_add(out, ": {");
    json_numbers(out, "q", s, x);
    buffer_add(out, ", ");
    json_numbers(out, "v", s, x + r.n);
    buffer_add(out, "}");
  }
  buffer_add(out, "}}");
}

void simulate_sensitivity_text(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  enum { SHOWN = 12, LETTERS = 24 };
  const dls_system *s = plan->file->system;
  if (!run->sensitivity) return;
  const dls_sensitivity_result r = result_of(run);
  if (r.why) {
    buffer_add(out, "No derivatives from t = %.9g on: %s\n", r.t, r.why);
    return;
  }
  for (int c = 0; c < r.count; c++) {
    const double *x = r.change + 2 * (ptrdiff_t)c * r.n;
    buffer_add(out, "Changes with %s\n", plan->names[c]);
    for (int i = 0; i < s->n && i < SHOWN; i++)
      buffer_add(out, "  %-8.*s %14.7g   velocity %14.7g\n", LETTERS, s->coordinates[i], x[i] + 0.0,
                 x[r.n + i] + 0.0);
    if (s->n > SHOWN) buffer_add(out, "  … and %d coordinates more\n", s->n - SHOWN);
  }
}
