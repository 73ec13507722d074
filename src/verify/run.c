// Rebuilds the problem, compares it with what the report says of it, then checks claim by claim.
#include "verify/checks.h"
#include "verify/impact.h"

#include "base/format.h"
#include "base/message.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct owned_verification {
  dls_verification verification;
  dls_arena *arena;
  dls_finding *finding;
  size_t capacity;
} owned_verification;

typedef struct run {
  dls_trial trial;
  owned_verification *out;
  const dls_system *system;
} run;

const char *dls_found_name(dls_found found)
{
  static const char *const names[] = {"holds", "fails", "nothing to check"};
  return names[found];
}

// What an equation may be wrong by: the report's tolerance, but no less than what rounding allows,
// and no more than makes a proof: a report must not choose what counts as one.
static double limit_of(double tolerance, double noise)
{
  return fmin(fmax(tolerance, 32 * noise), 1e-6);
}

// ---- does the report belong to the model? ------------------------------------------------------

static bool DLS_PRINTF(2, 3) differs(run *r, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  r->out->verification.difference = dls_arena_copy(r->out->arena, text, strlen(text));
  if (!r->out->verification.difference) r->trial.out_of_memory = true;
  return true;
}

// zero: what of the quantity counts as zero in the report.
static bool same_number(const run *r, double a, double b, double zero)
{
  return fabs(a - b) <= zero + r->trial.tolerance * fmax(fabs(a), fabs(b));
}

// Positive coefficients are compared in their own size.
static bool same_coefficient(const run *r, double a, double b)
{
  return fabs(a - b) <= r->trial.tolerance * fmax(fabs(a), fabs(b));
}

static bool contact_differs(run *r, const dls_saved_contact *a, const dls_contact *b)
{
  const dls_saved_report *saved = r->trial.saved;
  const char *kind = b->kind == DLS_BILATERAL ? "bilateral" : "unilateral";
  const char *status = dls_contact_status_name(b->status);
  if (strcmp(a->name, b->name) != 0)
    return differs(r, "contact %.60s in the report is %.60s in the model", a->name, b->name);
  if (strcmp(a->kind, kind) != 0)
    return differs(r, "contact %.60s: %.20s in the report, %s in the model", a->name, a->kind,
                   kind);
  const struct {
    const char *what;
    double a, b;
    bool same;
  } numbers[] = {
      {"friction", a->friction, b->friction, same_coefficient(r, a->friction, b->friction)},
      {"restitution", a->restitution, b->restitution,
       same_coefficient(r, a->restitution, b->restitution)},
      {"gap", a->gap, b->gap, same_number(r, a->gap, b->gap, saved->tolerance)},
      {"normal velocity", a->normal_velocity, b->normal_velocity,
       same_number(r, a->normal_velocity, b->normal_velocity, saved->rest)},
      {"number of slips", a->slips, b->slips, a->slips == b->slips},
      {"slip", a->slip[0], b->slip[0], same_number(r, a->slip[0], b->slip[0], saved->rest)},
      {"second slip", a->slip[1], b->slip[1], same_number(r, a->slip[1], b->slip[1], saved->rest)}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (!numbers[k].same)
      return differs(r, "contact %.60s: %s %.9g in the report, %.9g in the model", a->name,
                     numbers[k].what, numbers[k].a, numbers[k].b);
  if (strcmp(a->status, status) != 0)
    return differs(r, "contact %.60s: %.20s in the report, %s in the model", a->name, a->status,
                   status);
  return false;
}

static bool names_differ(run *r)
{
  const dls_saved_report *saved = r->trial.saved;
  const dls_system *s = r->system;
  if (saved->n != s->n)
    return differs(r, "%d coordinates in the report, %d in the model", saved->n, s->n);
  for (int i = 0; i < s->n; i++)
    if (strcmp(saved->coordinates[i], s->coordinates[i]) != 0)
      return differs(r, "coordinate %.60s in the report is %.60s in the model",
                     saved->coordinates[i], s->coordinates[i]);
  if (saved->m != s->m)
    return differs(r, "%d contacts in the report, %d in the model", saved->m, s->m);
  const dls_model *model = dls_system_model(s);
  for (int i = 0; i < saved->parameters; i++) {
    int k = 0;
    while (model && k < dls_model_parameter_count(model) &&
           strcmp(dls_model_parameter_name(model, k), saved->parameter[i].name) != 0)
      k++;
    if (!model || k == dls_model_parameter_count(model))
      return differs(r, "parameter %.60s is in the report, not in the model",
                     saved->parameter[i].name);
  }
  return false;
}

// Builds the contact state of the report; a model in which it is not admissible is another one.
static dls_status build_state(run *r, dls_contact_state **state, dls_message *message)
{
  const dls_saved_report *saved = r->trial.saved;
  const dls_state at = {.t = saved->time, .q = saved->q, .v = saved->v};
  const dls_contact_options options = {.tolerance = saved->tolerance, .rest = saved->rest};
  dls_message why = {0};
  const dls_status status = dls_contact_state_create(r->system, &at, &options, state, &why);
  if (status == DLS_ERR_STATE || status == DLS_ERR_NUMBER) {
    differs(r, "the state of the report does not fit the model: %.300s", why.text);
    return DLS_OK;
  }
  if (status != DLS_OK) dls_fail(message, status, "%s", why.text);
  return status;
}

static bool contacts_differ(run *r, const dls_contact_state *state)
{
  for (int j = 0; j < state->m; j++)
    if (contact_differs(r, &r->trial.saved->contacts[j], &state->contacts[j])) return true;
  return false;
}

// ---- the claims --------------------------------------------------------------------------------

static dls_finding *add_finding(run *r, const char *group, const char *name, const char *answer)
{
  owned_verification *out = r->out;
  dls_verification *v = &out->verification;
  void *list = out->finding;
  const char *copy = dls_arena_copy(out->arena, name, strlen(name));
  const char *copied_answer = dls_arena_copy(out->arena, answer, strlen(answer));
  if (!copy || !copied_answer ||
      dls_grow(&list, &out->capacity, (size_t)v->findings + 1, sizeof *out->finding)) {
    r->trial.out_of_memory = true;
    return NULL;
  }
  out->finding = list;
  v->finding = list;
  dls_finding *f = &out->finding[v->findings++];
  *f = (dls_finding){.group = group,
                     .name = copy,
                     .answer = copied_answer,
                     .found = DLS_FOUND_NOTHING,
                     .proves = "",
                     .why = "",
                     .residual = (double)NAN,
                     .limit = (double)NAN};
  return f;
}

static const struct {
  const char *name;
  dls_check_function *check;
} questions[] = {
    {"mass_definite", dls_check_mass},
    {"constraints_independent", dls_check_independent},
    {"constraints_compatible", dls_check_compatible},
    {"mfcq", dls_check_mfcq},
    {"delassus_definite", dls_check_delassus_definite},
    {"acceleration_exists", dls_check_exists},
    {"acceleration_unique", dls_check_unique},
    {"forces_unique", dls_check_forces},
    {"unique_for_every_load", dls_check_every_load},
    {"can_all_stick", dls_check_all_stick},
    {"form_closure", dls_check_form_closure},
    {"force_closure", dls_check_force_closure},
    {"step_solvable", dls_check_step},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

// Velocities jump before there are accelerations.
static bool needs_acceleration(dls_check_function *check)
{
  return check == dls_check_exists || check == dls_check_unique || check == dls_check_forces ||
         check == dls_check_all_stick;
}

static void check_verdict(run *r, const char *name, const json_t *verdict,
                          dls_check_function *check)
{
  dls_trial *x = &r->trial;
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  dls_finding *f = add_finding(r, "verdicts", name, answer);
  if (!f || strcmp(answer, "undecided") == 0) return;
  const json_t *witness = json_object_get(verdict, "witness");
  if (check && x->contact_state->impact && needs_acceleration(check)) {
    dls_fails(x, f, "a contact is impacting: there is no acceleration yet");
    return;
  }
  if (!check) {
    dls_fails(x, f, "this version (%s) does not check the question", dls_version());
    return;
  }
  if (witness && !json_is_null(witness) && !json_is_object(witness)) {
    dls_fails(x, f, "the witness is malformed: it is not an object");
    return;
  }
  check(x, f, json_is_object(witness) ? witness : NULL, strcmp(answer, "yes") == 0);
  if (f->found == DLS_FOUND_NOTHING) dls_fails(x, f, "the witness could not be checked");
}

static void check_verdicts(run *r)
{
  json_t *verdicts = r->trial.saved->verdicts;
  for (size_t q = 0; q < QUESTIONS; q++) {
    const json_t *verdict = json_object_get(verdicts, questions[q].name);
    if (verdict) check_verdict(r, questions[q].name, verdict, questions[q].check);
  }
  const char *name;
  json_t *verdict;
  json_object_foreach(verdicts, name, verdict)
  {
    size_t q = 0;
    while (q < QUESTIONS && strcmp(questions[q].name, name) != 0) q++;
    if (q == QUESTIONS) check_verdict(r, name, verdict, NULL);
  }
}

static const dls_finding *find_finding(const run *r, const char *group, const char *name)
{
  for (int k = 0; k < r->out->verification.findings; k++) {
    const dls_finding *f = &r->out->finding[k];
    if (strcmp(f->group, group) == 0 && strcmp(f->name, name) == 0) return f;
  }
  return NULL;
}

static bool is_proven(const run *r, const char *question, const char *answer)
{
  const dls_finding *f = find_finding(r, "verdicts", question);
  return f && f->found == DLS_FOUND_HOLDS && strcmp(f->answer, answer) == 0;
}

// How many solutions there are: 0 and 1 follow from verdicts; of more, those shown exist.
static void check_count(run *r)
{
  const json_t *value = json_object_get(r->trial.saved->root, "solution_count");
  if (!value || json_is_null(value)) return;
  const size_t shown = json_array_size(r->trial.saved->solutions);
  const double count = json_is_number(value) ? json_number_value(value) : (double)NAN;
  dls_finding *f = add_finding(r, "solution_count", "", "");
  dls_trial *x = &r->trial;
  if (!f) return;
  if (!(count >= 0 && count == floor(count))) {
    dls_fails(x, f, "it is not a count");
  } else if ((double)shown > count) {
    dls_fails(x, f, "%zu solutions are shown, more than %.0f", shown, count);
  } else if (count == 0) {
    if (is_proven(r, "acceleration_exists", "no")) dls_proves(x, f, "none exists");
    else dls_fails(x, f, "it is 0, but that none exists is not proven");
  } else if (shown == 0) {
    dls_fails(x, f, "it is %.0f, but no solution is shown", count);
  } else {
    const bool one = is_proven(r, "acceleration_unique", "yes") &&
                     (x->data.m == 0 || is_proven(r, "forces_unique", "yes"));
    if (one && count > 1) dls_fails(x, f, "it is %.0f, but the solution is unique", count);
    else if (one) dls_proves(x, f, "there is exactly one");
    else if (!x->data.rubs && count > 1)
      dls_fails(x, f, "it is %.0f, but without friction all solutions are connected", count);
    else if (!x->data.rubs) dls_proves(x, f, "without friction the solutions form one convex set");
    else dls_proves(x, f, "%zu of them shown; that there are no others is not checked", shown);
  }
}

static void check_solutions(run *r)
{
  const dls_saved_report *saved = r->trial.saved;
  for (size_t k = 0; k < json_array_size(saved->solutions); k++) {
    char name[24];
    snprintf(name, sizeof name, "%zu", k + 1);
    dls_finding *f = add_finding(r, "solutions", name, "");
    if (f && r->trial.contact_state->impact)
      dls_fails(&r->trial, f, "a contact is impacting: there is no acceleration yet");
    else if (f) dls_check_solution(&r->trial, f, json_array_get(saved->solutions, k));
  }
  if (saved->delassus) {
    dls_finding *f = add_finding(r, "delassus", "", "");
    if (f) dls_check_delassus(&r->trial, f, saved->delassus);
  }
  const char *name;
  json_t *value;
  json_object_foreach(saved->force_ranges, name, value)
  {
    dls_finding *f = add_finding(r, "force_ranges", name, "");
    if (f) dls_check_range(&r->trial, f, name, value);
  }
}

static void check_limits(run *r)
{
  const char *name;
  json_t *value;
  json_object_foreach(r->trial.saved->friction, name, value)
  {
    dls_finding *f = add_finding(r, "friction", name, "");
    if (!f) return;
    if (!json_is_object(value)) dls_fails(&r->trial, f, "expected an object");
    else if (strcmp(name, "critical") == 0) dls_check_critical(&r->trial, f, value);
    else if (strcmp(name, "sufficient") == 0) dls_check_sufficient(&r->trial, f, value);
    else if (strcmp(name, "least_for_sticking") == 0) dls_check_least(&r->trial, f, value);
  }
}

static dls_finding *record(void *self, const char *group, const char *name, const char *answer)
{
  return add_finding(self, group, name, answer);
}

static void check_impact(run *r)
{
  const dls_recorder recorder = {.self = r, .add = record};
  if (r->trial.saved->impact)
    dls_check_impact(&r->trial, r->system, r->trial.saved->impact, &recorder);
}

// ---- all of it ---------------------------------------------------------------------------------

// Parameters that differ from what the model says.
static dls_status note_parameters(run *r)
{
  const dls_model *model = dls_system_model(r->system);
  dls_verification *v = &r->out->verification;
  const int count = model ? dls_model_parameter_count(model) : 0;
  dls_parameter *list = dls_arena_alloc(r->out->arena, (size_t)count, sizeof *list);
  dls_system *plain = NULL;
  if (!list) return DLS_ERR_MEMORY;
  const dls_status status = model ? dls_model_system(model, &plain) : DLS_OK;
  v->parameter = list;
  for (int i = 0; status == DLS_OK && i < count; i++) {
    const double value = dls_system_parameter(r->system, i);
    const double of_model = dls_system_parameter(plain, i);
    if (value == of_model) continue;
    const char *name = dls_model_parameter_name(model, i);
    const char *copy = dls_arena_copy(r->out->arena, name, strlen(name));
    if (!copy) r->trial.out_of_memory = true;
    list[v->parameters++] = (dls_parameter){copy, value, of_model};
  }
  dls_system_free(plain);
  return status;
}

static dls_status check_all(run *r, dls_message *message)
{
  dls_contact_state *state = NULL;
  dls_status status = note_parameters(r);
  if (status != DLS_OK || names_differ(r)) return status;
  status = build_state(r, &state, message);
  if (status != DLS_OK || !state || contacts_differ(r, state)) {
    dls_contact_state_free(state);
    return status;
  }
  r->trial.contact_state = state;
  status = dls_data_create(&state->problem, r->trial.arena, &r->trial.data);
  if (status == DLS_OK) {
    r->trial.tolerance = limit_of(r->trial.saved->relative, r->trial.data.noise);
    r->out->verification.tolerance = r->trial.tolerance;
    dls_sum_init(&r->trial.sum);
    check_verdicts(r);
    check_solutions(r);
    check_count(r);
    check_limits(r);
    check_impact(r);
    dls_sum_clear(&r->trial.sum);
  }
  dls_contact_state_free(state);
  return status;
}

dls_status dls_verify_run(const dls_saved_report *report, const dls_model *model,
                          const dls_system *system, dls_verification **verification,
                          dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!verification) return DLS_ERR_ARGUMENT;
  *verification = NULL;
  if (!report || !system) return dls_fail(message, DLS_ERR_ARGUMENT, "no report or no system");
  owned_verification *owner = dls_alloc(1, sizeof *owner);
  if (!owner) return DLS_ERR_MEMORY;
  owner->arena = dls_arena_create();
  owner->verification.tolerance = limit_of(report->relative, DBL_EPSILON);
  run r = {.trial = {.saved = report,
                     .model = model,
                     .tolerance = limit_of(report->relative, DBL_EPSILON),
                     .arena = dls_arena_create(),
                     .texts = owner->arena},
           .out = owner,
           .system = system};
  dls_status status = owner->arena && r.trial.arena ? check_all(&r, message) : DLS_ERR_MEMORY;
  if (status == DLS_OK && r.trial.out_of_memory) status = DLS_ERR_MEMORY;
  dls_verification *v = &owner->verification;
  v->holds = !v->difference;
  for (int k = 0; k < v->findings; k++) v->holds &= v->finding[k].found != DLS_FOUND_FAILS;
  dls_arena_free(r.trial.arena);
  if (status == DLS_OK) *verification = v;
  else dls_verification_free(v);
  return status;
}

void dls_verification_free(dls_verification *verification)
{
  if (!verification) return;
  owned_verification *owner = (owned_verification *)verification;
  dls_arena_free(owner->arena);
  free(owner->finding);
  free(owner);
}
