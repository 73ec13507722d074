// What a run came to: one JSON object for programs, one screen for people.
#include "simulate.h"

#include <delassus/output.h>

#include "motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- JSON ---------------------------------------------------------------------------------------

static void json_pair(buffer *out, const char *key, double number)
{
  buffer_add(out, ",\n  \"%s\": ", key);
  buffer_json_number(out, number);
}

static void json_values(buffer *out, const char *key, int count, const char *const *names,
                        const double *x)
{
  buffer_add(out, "\"%s\": {", key);
  for (int i = 0; i < count; i++) {
    buffer_add(out, "%s", i ? ", " : "");
    buffer_json_string(out, names[i]);
    buffer_add(out, ": ");
    buffer_json_number(out, x[i]);
  }
  buffer_add(out, "}");
}

static void json_outputs(buffer *out, const dls_model *model, const simulate_outputs *o)
{
  buffer_add(out, ",\n    \"outputs\": {");
  for (int i = 0; i < o->count; i++) {
    buffer_add(out, "%s", i ? ", " : "");
    buffer_json_string(out, dls_model_output_name(model, i));
    buffer_add(out, ": ");
    buffer_json_number(out, o->value[i]);
  }
  buffer_add(out, "}");
}

static void json_final(buffer *out, const dls_system *s, const dls_sample *m,
                       const simulate_outputs *o)
{
  buffer_add(out, ",\n  \"final\": {\"t\": ");
  buffer_json_number(out, m->t);
  buffer_add(out, ",\n    ");
  json_values(out, "q", m->nq, dls_configuration_names(s), m->q);
  buffer_add(out, ",\n    ");
  json_values(out, "v", m->n, s->coordinates, m->v);
  buffer_add(out, ",\n    \"status\": {");
  for (int j = 0; j < s->m; j++) {
    buffer_add(out, "%s", j ? ", " : "");
    buffer_json_string(out, s->contacts[j].name);
    buffer_add(out, ": \"%s\"", dls_contact_status_name((dls_contact_status)m->status[j]));
  }
  buffer_add(out, "}");
  if (o->count > 0) json_outputs(out, dls_system_model(s), o);
  buffer_add(out, "}");
}

// The contacts of the problem that was not solved.
static void json_contacts(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const int *contact = NULL;
  const dls_incremental *problem = dls_integrator_problem(run->integrator, &contact);
  buffer_add(out, "[");
  for (int i = 0; problem && contact && i < problem->contacts; i++) {
    buffer_add(out, "%s", i ? ", " : "");
    buffer_json_string(out, plan->file->system->contacts[contact[i]].name);
  }
  buffer_add(out, "]");
}

static void json_failure(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  buffer_add(out, ",\n  \"failure\": ");
  if (run->failure == DLS_FAILURE_NONE) {
    buffer_add(out, "null");
    return;
  }
  buffer_add(out, "{\"time\": ");
  buffer_json_number(out, dls_integrator_sample(run->integrator).t);
  buffer_add(out, ", \"reason\": ");
  buffer_json_string(out, dls_failure_text(run->failure));
  buffer_add(out, ",\n    \"message\": ");
  buffer_json_string(out, run->why.text);
  buffer_add(out, ",\n    \"contacts\": ");
  json_contacts(out, plan, run);
  char *verdict = NULL;
  if (run->solvable && dls_solvable_json(run->solvable, &verdict) != DLS_OK) out->failed = true;
  buffer_add(out, ",\n    \"verdict\": %s", verdict ? verdict : "null");
  dls_report_text_free(verdict);
  buffer call = {0};
  simulate_explain(&call, plan, run);
  out->failed = out->failed || call.failed;
  buffer_add(out, ",\n    \"explain\": ");
  buffer_json_string(out, call.text);
  buffer_free(&call);
  buffer_add(out, ",\n    \"remedy\": ");
  buffer_json_string(out, run->remedy[0] ? run->remedy : NULL);
  buffer_add(out, ", \"force_jumps\": %s", simulate_jumps(plan, run) ? "true" : "false");
  buffer_add(out, "}");
}

static void json_trust(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const dls_uniqueness_loss loss = dls_integrator_uniqueness(run->integrator);
  const dls_step_counts c = dls_integrator_counts(run->integrator);
  buffer_add(out, ",\n  \"residual\": {\"worst\": ");
  buffer_json_number(out, c.worst_residual);
  buffer_add(out, ", \"steps_above\": %ld},\n  \"uniqueness_lost\": ", c.steps_above);
  motion_json_loss(out, plan->file->system, &loss);
}

void simulate_json(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const dls_step_counts c = dls_integrator_counts(run->integrator);
  const dls_sample m = dls_integrator_sample(run->integrator);
  model_file_json(out, plan->file);
  buffer_add(out, ",\n  \"scheme\": \"%s\"", plan->how.scheme);
  json_pair(out, "step", plan->how.step);
  json_pair(out, "start", run->start);
  json_pair(out, "until", plan->until);
  buffer_add(out, ",\n  \"complete\": %s, \"interrupted\": %s", run->complete ? "true" : "false",
             run->interrupted ? "true" : "false");
  json_pair(out, "resumed_from", run->resumed ? run->resumed_at : (double)NAN);
  buffer_add(out, ",\n  \"steps\": %ld, \"rejected_steps\": %ld, \"events\": %ld", c.steps,
             c.rejected, c.events);
  if (c.coarse > 0) buffer_add(out, ", \"coarse_steps\": %ld", c.coarse);
  buffer_add(out, ",\n  \"rhs_evaluations\": %ld, \"derivatives\": %ld, \"contact_problems\": %ld",
             c.rhs_evaluations, c.derivatives, c.contact_problems);
  simulate_events_json(out, plan, run);
  json_pair(out, "max_penetration", c.max_penetration);
  json_trust(out, plan, run);
  buffer_add(out, ",\n  \"bilateral\": {\"gap\": ");
  buffer_json_number(out, c.max_bilateral_gap);
  buffer_add(out, ", \"velocity\": ");
  buffer_json_number(out, c.max_bilateral_velocity);
  buffer_add(out, "},\n  \"energy\": {\"first\": ");
  buffer_json_number(out, run->has_energy ? run->first_energy : (double)NAN);
  buffer_add(out, ", \"last\": ");
  buffer_json_number(out, run->has_energy ? run->last_energy : (double)NAN);
  buffer_add(out, "}");
  json_final(out, plan->file->system, &m, &run->outputs);
  simulate_sensitivity_json(out, plan, run);
  buffer_add(out, ",\n  \"recording\": ");
  buffer_json_string(out, plan->recordings > 0 ? plan->out : NULL);
  buffer_add(out, ", \"rows\": %ld", run->rows);
  json_failure(out, plan, run);
  buffer_add(out, ",\n  \"warnings\": [");
  for (int k = 0; k < run->size.warnings; k++) {
    buffer_add(out, "%s", k ? ", " : "");
    buffer_json_string(out, run->size.warning[k]);
  }
  buffer_add(out, "]");
  json_pair(out, "seconds", run->seconds);
  buffer_add(out, "\n}\n");
}

// ---- failures -----------------------------------------------------------------------------------

bool simulate_jumps(const simulate_plan *plan, const simulate_run *run)
{
  const dls_failure f = run->failure;
  return (f == DLS_FAILURE_NEWTON || f == DLS_FAILURE_STEP || f == DLS_FAILURE_CONTACT) &&
         dls_model_force_jumps(plan->file->model);
}

// ---- the call that explains a failure -----------------------------------------------------------

// Whether the state fulfils the constraints.
static bool is_consistent(const simulate_plan *plan, const dls_sample *m)
{
  dls_contact_state *state = NULL;
  const dls_state at = {.t = m->t, .q = (double *)m->q, .v = (double *)m->v};
  const dls_status status = dls_contact_state_create(plan->file->system, &at, NULL, &state, NULL);
  dls_contact_state_free(state);
  return status != DLS_ERR_STATE;
}

// A word as a shell reads it.
void simulate_word(buffer *out, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+=./,:%@";
  if (word[0] && !word[strspn(word, plain)]) {
    buffer_add(out, " %s", word);
    return;
  }
  buffer_add(out, " \"");
  for (const char *c = word; *c; c++) buffer_add(out, "%s%c", strchr("\\\"$`", *c) ? "\\" : "", *c);
  buffer_add(out, "\"");
}

// With as few digits as mean the same number.
static void add_short(buffer *out, double x)
{
  char text[40];
  for (int digits = 9; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  buffer_add(out, "%s", text);
}

void simulate_explain(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const dls_system *s = plan->file->system;
  const dls_sample m = dls_integrator_sample(run->integrator);
  buffer at = {0};
  const char *set;
  if (plan->recordings > 0) {
    buffer_add(&at, "%s@", plan->out);
    add_short(&at, m.t);
  } else {
    buffer_add(&at, "t=%.17g", m.t);
    for (int i = 0; i < m.nq; i++)
      buffer_add(&at, ", %s=%.17g", dls_configuration_names(s)[i], m.q[i]);
    for (int i = 0; i < s->n; i++) buffer_add(&at, ", %s'=%.17g", s->coordinates[i], m.v[i]);
  }
  buffer_add(out, "delassus check");
  simulate_word(out, plan->file->path);
  buffer_add(out, " --at");
  if (!at.failed) simulate_word(out, at.text);
  out->failed = out->failed || at.failed;
  buffer_free(&at);
  for (int i = 0; (set = options_value(plan->file->options, "--set", i)); i++) {
    buffer_add(out, " --set");
    simulate_word(out, set);
  }
  if (!is_consistent(plan, &m)) buffer_add(out, " --project");
}

// ---- for people ---------------------------------------------------------------------------------

enum { SHOWN = 12, LETTERS = 24 };

static const char *plural(long count)
{
  return count == 1 ? "" : "s";
}

static void say_start(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const char *title = dls_model_title(plan->file->model);
  const double t = dls_integrator_sample(run->integrator).t;
  if (title[0]) buffer_add(out, "%s\n", title);
  buffer_add(out, "%s: %s, step %g, from t = %.9g to %.9g%s\n", plan->file->shown, plan->how.scheme,
             plan->how.step, run->resumed ? run->resumed_at : run->start, t,
             run->interrupted                   ? " (interrupted)"
             : run->failure != DLS_FAILURE_NONE ? " (stopped there)"
                                                : "");
  if (plan->file->projected)
    buffer_add(out,
               "The start was moved to a consistent state: coordinates by up to %.3g, "
               "velocities by up to %.3g\n",
               plan->file->projection.moved_q, plan->file->projection.moved_v);
}

static void say_counts(buffer *out, const simulate_plan *plan, const dls_step_counts *c)
{
  const dls_scheme_info *scheme = dls_scheme_find(plan->how.scheme);
  buffer_add(out, "\n  steps         %ld", c->steps);
  if (c->rejected > 0 || (scheme && scheme->adaptive))
    buffer_add(out, ", and %ld rejected", c->rejected);
  buffer_add(out, "; %ld evaluation%s, %ld contact problem%s", c->rhs_evaluations,
             plural(c->rhs_evaluations), c->contact_problems, plural(c->contact_problems));
  if (scheme && scheme->events) buffer_add(out, ", %ld event%s", c->events, plural(c->events));
  buffer_add(out, "\n");
}

static void say_loss(buffer *out, const simulate_run *run)
{
  enum { COLUMN = 16 };
  const dls_uniqueness_loss loss = dls_integrator_uniqueness(run->integrator);
  char words[700];
  if (!loss.lost) return;
  const bool ended = run->failure == DLS_FAILURE_UNIQUENESS && !loss.bounded;
  const int length = snprintf(words, sizeof words, "lost at t = %.9g%s: %s", loss.t,
                              ended ? "" : ", and this is one of several motions", loss.why);
  if (loss.bounded && loss.ends)
    snprintf(words + length, sizeof words - (size_t)length, "; without bounds at t = %.9g: %s",
             loss.end_t, loss.end_why);
  buffer_add(out, "  %-*s", COLUMN - 2, "uniqueness");
  buffer_words(out, words, COLUMN);
}

static void say_errors(buffer *out, const simulate_plan *plan, const simulate_run *run,
                       const dls_step_counts *c)
{
  bool unilateral = false, bilateral = false;
  for (int j = 0; j < plan->file->system->m; j++) {
    if (plan->file->system->contacts[j].kind == DLS_BILATERAL) bilateral = true;
    else unilateral = true;
  }
  say_loss(out, run);
  if (unilateral) buffer_add(out, "  penetration   %.3g at most\n", c->max_penetration);
  if (bilateral)
    buffer_add(out, "  constraints   violated by %.3g at most, their velocities by %.3g\n",
               c->max_bilateral_gap, c->max_bilateral_velocity);
  if (run->has_energy)
    buffer_add(out, "  energy        %.6g at the start, %.6g at the end\n", run->first_energy,
               run->last_energy);
}

static void say_coordinates(buffer *out, const dls_system *s, const dls_sample *m)
{
  int width = 1;
  for (int i = 0; i < s->n && i < SHOWN; i++) {
    const int length = (int)strlen(s->coordinates[i]);
    if (length > width) width = length < LETTERS ? length : LETTERS;
  }
  // configurations that are no vectors have other numbers than velocities
  for (int i = 0; s->chart && i < m->nq && i < SHOWN; i++)
    buffer_add(out, "  %-*.*s %14.7g\n", width, LETTERS, dls_configuration_names(s)[i],
               m->q[i] + 0.0);
  for (int i = 0; s->chart && i < s->n && i < SHOWN; i++)
    buffer_add(out, "  %-*.*s  velocity %14.7g\n", width, LETTERS, s->coordinates[i],
               m->v[i] + 0.0);
  for (int i = 0; !s->chart && i < s->n && i < SHOWN; i++)
    buffer_add(out, "  %-*.*s %14.7g   velocity %14.7g\n", width, LETTERS, s->coordinates[i],
               m->q[i] + 0.0, m->v[i] + 0.0);
  if (s->n > SHOWN) buffer_add(out, "  … and %d coordinates more\n", s->n - SHOWN);
}

static void say_outputs(buffer *out, const dls_model *model, const simulate_outputs *o)
{
  for (int i = 0; i < o->count && i < SHOWN; i++) {
    buffer_add(out, "  %.*s = ", LETTERS, dls_model_output_name(model, i));
    if (isfinite(o->value[i])) buffer_add(out, "%.7g\n", o->value[i] + 0.0);
    else buffer_add(out, "no value\n");
  }
  if (o->count > SHOWN) buffer_add(out, "  … and %d outputs more\n", o->count - SHOWN);
}

// Joints without friction have nothing to tell.
static void say_contacts(buffer *out, const dls_system *s, const dls_sample *m)
{
  enum { WIDTH = 96 };
  int column = 0, told = 0, left = 0;
  for (int j = 0; j < s->m; j++) {
    const dls_contact_info *c = &s->contacts[j];
    if (c->kind == DLS_BILATERAL && c->tangents == 0) continue;
    if (told == SHOWN) {
      left++;
      continue;
    }
    char words[100];
    const int length = snprintf(words, sizeof words, "%.*s %s", LETTERS, c->name,
                                dls_contact_status_name((dls_contact_status)m->status[j]));
    const bool fits = column > 0 && column + 2 + length <= WIDTH;
    buffer_add(out, "%s%s", fits ? ", " : column ? ",\n  " : "  ", words);
    column = fits ? column + 2 + length : 2 + length;
    told++;
  }
  if (left > 0) buffer_add(out, ", and %d more", left);
  if (told > 0) buffer_add(out, "\n");
}

// "a.csv and b.h5 have 12 rows. c.svg is written."
static void say_files(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const char *name;
  int others = 0;
  for (int i = 0; i < plan->recordings; i++)
    buffer_add(out, "%s%s", i ? " and " : "", plan->recording[i]);
  if (plan->recordings > 0)
    buffer_add(out, " ha%s %ld row%s. ", plan->recordings > 1 ? "ve" : "s", run->rows,
               plural(run->rows));
  for (int i = 0; (name = options_value(plan->file->options, "-o", i)); i++) {
    bool recorded = false;
    for (int k = 0; k < plan->recordings; k++) recorded = recorded || plan->recording[k] == name;
    if (!recorded) buffer_add(out, "%s%s", others++ ? " and " : "Written to ", name);
  }
  if (others > 0) buffer_add(out, ". ");
}

void simulate_text(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const dls_step_counts c = dls_integrator_counts(run->integrator);
  const dls_sample m = dls_integrator_sample(run->integrator);
  say_start(out, plan, run);
  say_counts(out, plan, &c);
  simulate_events_text(out, plan, run);
  say_errors(out, plan, run, &c);
  buffer_add(out, "\nAt t = %.9g\n", m.t);
  say_coordinates(out, plan->file->system, &m);
  say_contacts(out, plan->file->system, &m);
  say_outputs(out, plan->file->model, &run->outputs);
  simulate_sensitivity_text(out, plan, run);
  buffer_add(out, "\n");
  say_files(out, plan, run);
  buffer_add(out, "%.2g s", run->seconds);
  if (run->seconds > 0.01) buffer_add(out, ", %.3g steps/s", (double)c.steps / run->seconds);
  buffer_add(out, "\n");
}
