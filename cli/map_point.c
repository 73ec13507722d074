// One point of a map: parameters -> state -> contact problem -> answers.
#define _POSIX_C_SOURCE 200809L
#include "map.h"

#include <delassus/check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --set, in the system of a worker; the call has been looked at by then.
static dls_status set_parameters(map_worker *w, dls_message *message)
{
  dls_status status = DLS_OK;
  const char *set;
  for (int i = 0; status == DLS_OK && (set = options_value(w->plan->file->options, "--set", i));
       i++) {
    size_t length = strcspn(set, "=");
    const char *value = set + length + 1;
    while (length > 0 && set[length - 1] == ' ') length--;
    char *name = strndup(set, length);
    status = name ? dls_model_set(w->system, name, value, message) : DLS_ERR_MEMORY;
    free(name);
  }
  return status;
}

dls_status map_worker_begin(map_worker *w, const map_plan *plan, dls_message *message)
{
  *w = (map_worker){.plan = plan};
  const dls_status status = dls_model_system(plan->file->model, &w->system);
  if (status != DLS_OK) return status;
  const size_t nq = (size_t)dls_system_nq(w->system) + 1, n = (size_t)w->system->n + 1;
  const char *at = model_file_assigned(plan->file);
  w->at_size = (at ? strlen(at) : 0) + 1;
  for (int a = 0; a < plan->axes; a++) w->at_size += strlen(plan->axis[a].name) + 40;
  w->state.q = calloc(nq, sizeof(double));
  w->state.v = calloc(n, sizeof(double));
  w->at = calloc(w->at_size, 1);
  if (!w->state.q || !w->state.v || !w->at) return DLS_ERR_MEMORY;
  return set_parameters(w, message);
}

void map_worker_end(map_worker *w)
{
  free(w->state.q);
  free(w->state.v);
  free(w->at);
  dls_system_free(w->system);
  *w = (map_worker){0};
}

// Puts the axes' values where they belong, and finds the state.
static dls_status go_to(map_worker *w, const int place[2], dls_message *message)
{
  const map_plan *plan = w->plan;
  const char *at = model_file_assigned(plan->file);
  size_t used = 0;
  if (at) used = (size_t)snprintf(w->at, w->at_size, "%s", at);
  else w->at[0] = 0;
  for (int a = 0; a < 2 && a < plan->axes; a++) {
    const map_axis *axis = &plan->axis[a];
    char value[32];
    snprintf(value, sizeof value, "%.17g", map_axis_value(axis, place[a]));
    if (axis->in_state) {
      used += (size_t)snprintf(w->at + used, w->at_size - used, "%s%s = %s", used ? ", " : "",
                               axis->name, value);
      continue;
    }
    const dls_status status = dls_model_set(w->system, axis->name, value, message);
    if (status != DLS_OK) return status;
  }
  return dls_model_state(w->system, w->at, &w->state, message);
}

static dls_check_options options_of(const map_plan *plan, const dls_contact_state *contacts)
{
  dls_check_options wanted = dls_check_defaults();
  wanted.tolerance = plan->file->relative;
  wanted.skip_acceleration = contacts->impact;
  for (int k = 0; k < plan->asks; k++) {
    const map_ask *ask = &plan->ask[k];
    if (ask->kind == ASK_VERDICT) wanted.ask |= DLS_ASK(ask->which);
    else if (ask->kind == ASK_NUMBER) wanted.ask |= DLS_ASK_LIMIT(ask->which);
    else wanted.ask |= DLS_ASK_SOLUTIONS;
  }
  wanted.object = plan->file->object;
  wanted.object_size = plan->file->object_size;
  return wanted;
}

// check: NULL when a numerical library failed.
static double value_of(const map_ask *ask, const dls_check *check)
{
  if (!check) return ask->kind == ASK_VERDICT ? DLS_UNDECIDED : (double)NAN;
  if (ask->kind == ASK_VERDICT) return check->verdict[ask->which].answer;
  if (ask->kind == ASK_COUNT)
    return check->solution_count >= 0 ? check->solution_count : (double)NAN;
  const dls_limit *limit = &check->limit[ask->which];
  return limit->asked ? limit->value : (double)NAN;
}

// What the point is to blame for, rather than the call.
static bool is_of_point(dls_status status)
{
  return status == DLS_ERR_STATE || status == DLS_ERR_NUMBER;
}

dls_status map_point(map_worker *w, int i, int j, double *values, dls_message *message)
{
  const map_plan *plan = w->plan;
  const int place[2] = {i, j};
  const dls_contact_options contact = model_file_zero(plan->file);
  dls_contact_state *contacts = NULL;
  dls_check *check = NULL;
  message->text[0] = 0;
  dls_status status = go_to(w, place, message);
  if (status == DLS_OK && options_has(plan->file->options, "--project")) {
    dls_projection projection;
    status = dls_state_project(w->system, &w->state, &contact, &projection, message);
  }
  if (status == DLS_OK)
    status = dls_contact_state_create(w->system, &w->state, &contact, &contacts, message);
  if (status == DLS_OK) {
    const dls_check_options wanted = options_of(plan, contacts);
    status = dls_check_run(&contacts->problem, &wanted, &check, message);
    // a mass matrix that is not positive semidefinite, say, for a negative mass
    if (status == DLS_ERR_ARGUMENT) status = DLS_ERR_STATE;
    if (status == DLS_ERR_SOLVER) status = DLS_OK;
  }
  for (int k = 0; k < plan->asks; k++)
    values[k] = status == DLS_OK ? value_of(&plan->ask[k], check) : (double)NAN;
  dls_check_free(check);
  dls_contact_state_free(contacts);
  if (status != DLS_OK && !message->text[0])
    snprintf(message->text, sizeof message->text, "%s", dls_status_text(status));
  return is_of_point(status) ? DLS_ERR_STATE : status;
}
