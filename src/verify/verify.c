// Rebuilds the problem, compares it with what the report says of it, then checks claim by claim.
#include "base/memory.h"
#include "verify/checks.h"
#include "verify/guard.h"
#include "verify/claim_impact.h"
#include "verify/difference.h"
#include "verify/scope.h"
#include "verify/seen_system.h"
#include "verify/weights.h"

#include "base/message.h"

#include <delassus/version.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct owned_verification {
  dls_verification verification;
  dls_arena *arena;
  dls_finding *finding;
  ptrdiff_t capacity;
} owned_verification;

typedef struct run {
  dls_trial trial;
  owned_verification *out;
  const dls_system *system;
  const dls_verify_options *options;
  dls_message *message;
  dls_status status;
  int expected;  // findings, about
  // Of bodies: the mechanism, a system of the checker's own, and local coordinates, all 0.
  const dls_mechanism *mechanism;
  dls_seen_system *bodies;
  const double *q;
  // Where friction has a given bound: the problem with and without weights, and the report in the
  // words of the first.
  dls_data plain, weighted;
  const dls_saved_report *saved;
  dls_saved_report opened;
  bool stopped;
} run;

const char *dls_found_name(dls_found found)
{
  static const char *const names[] = {"holds", "fails", "nothing to check", "not proven"};
  return names[found];
}

// What an equation may be wrong by: the report's tolerance, but no less than what rounding allows,
// and no more than makes a proof: a report must not choose what counts as one.
static double limit_of(double tolerance, double noise)
{
  return fmin(fmax(tolerance, least_tolerance * noise), largest_tolerance);
}

// Builds the contact state of the report; a model in which it is not admissible is another one.
static dls_status build_state(run *r, dls_seen_state *state, dls_message *message)
{
  dls_message why = {0};
  const dls_status status =
      dls_seen_state_create(r->system, r->trial.saved, r->q, r->trial.arena, state, &why);
  if (status == DLS_ERR_STATE || status == DLS_ERR_NUMBER) {
    r->out->verification.difference = dls_difference(
        &r->trial, "the state of the report does not fit the model: %.300s", why.text);
    return DLS_OK;
  }
  if (status != DLS_OK) dls_fail(message, status, "%s", why.text);
  return status;
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
      dls_grow(&list, &out->capacity, (ptrdiff_t)v->findings + 1, sizeof *out->finding)) {
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

// What is checked next is about the motion: of the problem with weights, if there is one.
static void turn_to(run *r, bool motion)
{
  if (r->trial.state->weights == 0) return;
  r->trial.data = motion ? r->weighted : r->plain;
  r->trial.saved = motion ? &r->opened : r->saved;
}

static void check_verdict(run *r, const char *name, const json_t *verdict,
                          dls_check_function *check)
{
  dls_trial *x = &r->trial;
  const char *answer = json_string_value(json_object_get(verdict, "answer"));
  dls_finding *f = add_finding(r, "verdicts", name, answer);
  if (!f || strcmp(answer, "undecided") == 0) return;
  const json_t *witness = json_object_get(verdict, "witness");
  if (check && x->state->impact && needs_acceleration(check)) {
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
  for (ptrdiff_t q = 0; q < QUESTIONS; q++) {
    const json_t *verdict = json_object_get(verdicts, questions[q].name);
    turn_to(r, needs_acceleration(questions[q].check));
    if (verdict) check_verdict(r, questions[q].name, verdict, questions[q].check);
  }
  const char *name;
  json_t *verdict;
  json_object_foreach(verdicts, name, verdict)
  {
    ptrdiff_t q = 0;
    while (q < QUESTIONS && strcmp(questions[q].name, name) != 0) q++;
    if (q == QUESTIONS) check_verdict(r, name, verdict, NULL);
  }
  turn_to(r, false);
}

static void check_count(run *r)
{
  const dls_saved_report *saved = r->trial.saved;
  const json_t *value = json_object_get(saved->root, "solution_count");
  if (!value || json_is_null(value)) return;
  dls_finding *f = add_finding(r, "solution_count", "", "");
  if (f)
    dls_check_count(&r->trial, f, value, dls_json_length(saved->solutions),
                    json_object_get(saved->root, "covering"));
}

static void check_continuum(run *r)
{
  static const char *const words[3] = {"none", "forces", "acceleration"};
  const dls_saved_report *saved = r->trial.saved;
  for (ptrdiff_t k = 0; k < dls_json_length(saved->solutions); k++) {
    const json_t *value = json_object_get(dls_json_item(saved->solutions, k), "continuum");
    char name[24];
    snprintf(name, sizeof name, "%td", k + 1);
    if (!value || json_is_null(value)) continue;
    dls_finding *f = add_finding(r, "continuum", name, "");
    if (f) dls_check_continuum(&r->trial, f, (int)k, value, words);
  }
}

static void check_solutions(run *r)
{
  const dls_saved_report *saved = r->trial.saved;
  for (ptrdiff_t k = 0; k < dls_json_length(saved->solutions); k++) {
    char name[24];
    snprintf(name, sizeof name, "%td", k + 1);
    dls_finding *f = add_finding(r, "solutions", name, "");
    if (f && r->trial.state->impact)
      dls_fails(&r->trial, f, "a contact is impacting: there is no acceleration yet");
    else if (f) dls_check_solution(&r->trial, f, dls_json_item(saved->solutions, k));
  }
}

// Numbers that have no witness, because none is needed.
static void check_numbers(run *r)
{
  const json_t *root = r->trial.saved->root;
  static const struct {
    const char *key;
    void (*check)(dls_trial *x, dls_finding *f, const json_t *object);
  } objects[] = {{"constraints", dls_check_constraint_numbers},
                 {"delassus", dls_check_delassus},
                 {"delassus_unconstrained", dls_check_unconstrained},
                 {"kinetic_angles", dls_check_angles},
                 {"gauss", dls_check_gauss},
                 {"reduced", dls_check_reduced}};
  const json_t *mass = json_object_get(root, "mass");
  const json_t *verdict = json_object_get(r->trial.saved->verdicts, "mass_definite");
  const char *definite = json_string_value(json_object_get(verdict, "answer"));
  dls_finding *f = mass ? add_finding(r, "mass", "", "") : NULL;
  if (f) dls_check_mass_numbers(&r->trial, f, mass, definite ? definite : "");
  for (ptrdiff_t k = 0; k < dls_count_of(objects); k++) {
    const json_t *object = json_object_get(root, objects[k].key);
    f = object ? add_finding(r, objects[k].key, "", "") : NULL;
    if (f) objects[k].check(&r->trial, f, object);
  }
}

static void check_ranges(run *r)
{
  const char *name;
  json_t *value;
  json_object_foreach(r->trial.saved->force_ranges, name, value)
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
    if (strcmp(name, "least_for_sticking") != 0 || !json_object_get(value, "attained")) continue;
    f = add_finding(r, "friction", "least_for_sticking.attained", "");
    if (f) dls_check_attained(&r->trial, f, value);
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
  dls_parameter *list = dls_arena_alloc(r->out->arena, count, sizeof *list);
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

// Numbers of claims that were left open.
static int count_open(const run *r)
{
  int open = 0;
  for (int k = 0; k < r->out->verification.findings; k++) {
    const dls_finding *f = &r->out->finding[k];
    if (f->found != DLS_FOUND_UNPROVEN || strcmp(f->group, "continuum") == 0) continue;
    open += dls_scope_below(r->trial.saved->root, f->group, f->name);
  }
  return open;
}

// What the report prints and nothing proves, by its keys.
static void list_unproven(run *r)
{
  dls_scope_count count;
  dls_scope_of(r->trial.saved->root, &count);
  const int open = count_open(r);
  r->out->verification.proven = count.proven - open;
  r->out->verification.unproven = count.unproven + open;
  for (int k = 0; k < count.patterns; k++) {
    dls_finding *f = add_finding(r, "unproven", count.pattern[k], "");
    if (f) dls_leaves_open(&r->trial, f, "numbers without a proof");
  }
  if (count.false_mark[0]) {
    dls_finding *f = add_finding(r, "unproven", count.false_mark, "");
    if (f) dls_fails(&r->trial, f, "the mark is false or absent: verify says what is proven");
  }
  for (int k = 0; k < count.unknowns; k++) {
    dls_finding *f = add_finding(r, "unproven", count.unknown[k], "");
    if (f) dls_leaves_open(&r->trial, f, "this version (%s) does not know the key", dls_version());
  }
}

static void check_claims(run *r)
{
  dls_sum_init(&r->trial.sum);
  check_verdicts(r);
  turn_to(r, true);
  check_solutions(r);
  turn_to(r, false);
  check_numbers(r);
  turn_to(r, true);
  check_count(r);
  check_continuum(r);
  check_ranges(r);
  turn_to(r, false);
  check_limits(r);
  check_impact(r);
  list_unproven(r);
  dls_sum_clear(&r->trial.sum);
}

static dls_status take_weights(run *r, const dls_seen_state *state)
{
  r->saved = r->trial.saved;
  r->plain = r->trial.data;
  const dls_status status = dls_data_create(&state->weighted, r->trial.arena, &r->weighted);
  if (status != DLS_OK) return status;
  return dls_weights_open(state, r->saved, &r->opened) ? DLS_OK : DLS_ERR_MEMORY;
}

// The report is one of another model for that reason.
static dls_status differs(run *r, dls_status status, const dls_message *why)
{
  if (status != DLS_ERR_STATE && status != DLS_ERR_NUMBER) {
    if (status != DLS_OK) dls_fail(r->message, status, "%s", why->text);
    return status;
  }
  r->out->verification.difference = dls_difference(&r->trial, "%.380s", why->text);
  return DLS_OK;
}

// A system of bodies as the checker sees it, in place of that which was given.
static dls_status see_bodies(run *r)
{
  const dls_saved_report *saved = r->trial.saved;
  dls_arena *arena = r->trial.arena;
  dls_seen_wanted *wanted = dls_arena_alloc(arena, saved->m, sizeof *wanted);
  double *q = dls_arena_alloc(arena, saved->n, sizeof *q);
  if (!wanted || !q) return DLS_ERR_MEMORY;
  for (int j = 0; j < saved->m; j++) {
    const dls_saved_contact *c = &saved->contacts[j];
    wanted[j] = (dls_seen_wanted){
        .name = c->name, .directed = c->directed, .placed = c->placed, .framed = c->framed};
    dls_copy(wanted[j].tangent, c->tangent, 2);
    dls_copy(wanted[j].normal, c->normal, 3), dls_copy(wanted[j].point, c->point, 3);
    dls_copy(wanted[j].body, c->body, 2), dls_copy(wanted[j].feature, c->feature, 2);
  }
  const dls_system *bodies = r->options->mechanism ? NULL : dls_model_bodies(r->system);
  const dls_seen_source source = {.mechanism = r->mechanism,
                                  .nq = saved->nq,
                                  .n = saved->n,
                                  .q = saved->q,
                                  .v = saved->v,
                                  .t = saved->time,
                                  .velocities = r->system->coordinates,
                                  .whole = bodies ? r->system : NULL,
                                  .bodies = bodies,
                                  .m = saved->m,
                                  .contact = wanted};
  dls_message why = {0};
  const dls_status status = dls_seen_system_create(&source, &r->bodies, &why);
  if (status != DLS_OK) return differs(r, status, &why);
  r->system = r->trial.system = dls_seen_system_view(r->bodies);
  r->q = q;
  return DLS_OK;
}

// That its contacts are all there are.
static dls_status check_complete(run *r)
{
  dls_message untold = {0}, why = {0};
  const dls_status status =
      dls_seen_system_complete(r->bodies, r->trial.saved->tolerance, &untold, &why);
  if (status != DLS_OK) return differs(r, status, &why);
  dls_finding *f = add_finding(r, "contacts", "", "");
  if (!f) return DLS_ERR_MEMORY;
  if (untold.text[0]) dls_leaves_open(&r->trial, f, "%.300s", untold.text);
  else
    dls_proves(&r->trial, f,
               "no other contacts are closed: the solids are apart, or touch only there");
  return DLS_OK;
}

static dls_status check_state(run *r)
{
  dls_seen_state *state = dls_arena_alloc(r->trial.arena, 1, sizeof *state);
  if (!state) return DLS_ERR_MEMORY;
  const char **difference = &r->out->verification.difference;
  dls_status status = r->mechanism ? see_bodies(r) : DLS_OK;
  if (status == DLS_OK && !*difference) status = build_state(r, state, r->message);
  if (status == DLS_OK && !*difference) *difference = dls_contacts_difference(&r->trial, state);
  if (status == DLS_OK && !*difference && r->bodies) status = check_complete(r);
  if (status != DLS_OK || *difference) return status;
  r->trial.state = state;
  status = dls_data_create(&state->problem, r->trial.arena, &r->trial.data);
  if (status == DLS_OK && state->weights > 0) status = take_weights(r, state);
  if (status != DLS_OK) return status;
  r->trial.tolerance = limit_of(r->trial.saved->relative, r->trial.data.noise);
  r->out->verification.tolerance = r->trial.tolerance;
  check_claims(r);
  return DLS_OK;
}

static void check_guarded(void *self)
{
  run *r = self;
  r->status = check_state(r);
  dls_seen_system_clear(r->bodies);
}

// The caller wants no more.
static bool is_stopped(void *self)
{
  run *r = self;
  const double done = (double)r->out->verification.findings / r->expected;
  r->stopped = r->options->watch(r->options->self, fmin(done, 1));
  return r->stopped;
}

static int expected_findings(const dls_saved_report *saved)
{
  enum { NUMBERS = 8, UNPROVEN = 8 };
  return (int)(dls_json_size(saved->verdicts) + 2 * dls_json_length(saved->solutions) +
               dls_json_size(saved->force_ranges) + dls_json_size(saved->friction) +
               (saved->impact ? NUMBERS : 0) + NUMBERS + UNPROVEN);
}

static dls_status check_all(run *r)
{
  const dls_status status = note_parameters(r);
  r->out->verification.difference = dls_names_difference(&r->trial, r->mechanism != NULL);
  if (status != DLS_OK || r->out->verification.difference) return status;
  r->expected = expected_findings(r->trial.saved);
  const bool done = dls_guard(check_guarded, r->options->watch ? is_stopped : NULL, r);
  dls_weights_close(&r->opened);
  r->trial.saved = r->saved ? r->saved : r->trial.saved;
  dls_seen_system_free(r->bodies);
  if (done) return r->status;
  return r->stopped ? DLS_ERR_STOPPED : DLS_ERR_MEMORY;
}

dls_verify_options dls_verify_defaults(void)
{
  return (dls_verify_options){0};
}

dls_status dls_verify_run(const dls_saved_report *report, const dls_model *model,
                          const dls_system *system, const dls_verify_options *options,
                          dls_verification **verification, dls_message *message)
{
  const dls_verify_options chosen = options ? *options : dls_verify_defaults();
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
                     .system = system,
                     .tolerance = limit_of(report->relative, DBL_EPSILON),
                     .arena = dls_arena_create(),
                     .texts = owner->arena},
           .out = owner,
           .system = system,
           .options = &chosen,
           .mechanism = chosen.mechanism ? chosen.mechanism : dls_model_mechanism(system),
           .q = report->q,
           .message = message};
  dls_status status = owner->arena && r.trial.arena ? check_all(&r) : DLS_ERR_MEMORY;
  if (status == DLS_OK && r.trial.out_of_memory) status = DLS_ERR_MEMORY;
  dls_verification *v = &owner->verification;
  v->holds = !v->difference;
  for (int k = 0; k < v->findings; k++) v->holds &= v->finding[k].found != DLS_FOUND_FAILS;
  dls_arena_free(r.trial.arena);
  dls_arena_free(r.trial.kept);
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
