// The checker of reports: the claims of check hold, and what is spoiled fails, with the claim that
// was spoiled and the reason named.
#include <delassus/delassus.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- models ------------------------------------------------------------------------------------

static const char shelf[] = "parameter d = 0.3\n"
                            "coordinate y, theta\n"
                            "kinetic 2*y'^2 + theta'^2/4 + 3*(y' + d*cos(theta)*theta')^2\n"
                            "potential 9.81*(4*y + 6*(y + d*sin(theta)))\n"
                            "unilateral left:   y - 0.6*sin(theta) >= 0\n"
                            "unilateral middle: y >= 0\n"
                            "unilateral right:  y + 0.6*sin(theta) >= 0\n";
// a rod on two rails: everything regular, one contact opens
static const char regular[] = "coordinate x, y, z\n"
                              "kinetic x'^2 + y'^2/2 + z'^2/2 + x'*y'/2\n"
                              "potential 3*y - 2*z\n"
                              "bilateral  rail:  x - y = 0\n"
                              "unilateral floor: y >= 0\n"
                              "unilateral roof:  z + x >= 0\n";
static const char clash[] = "coordinate x, y\n"
                            "kinetic x'^2/2 + y'^2/2\n"
                            "bilateral fixed: x = 0\n"
                            "bilateral moved: x - t^2/2 = 0\n";
static const char jaws[] = "coordinate x\n"
                           "kinetic x'^2/2\n"
                           "unilateral left:  x - t^2 >= 0\n"
                           "unilateral right: -x - t^2 >= 0\n";
static const char pushed[] = "coordinate x, s\n"
                             "kinetic x'^2/2\n"
                             "potential s\n"
                             "unilateral floor: x >= 0\n";
static const char idle[] = "coordinate x, y\n"
                           "kinetic x'^2/2 + y'^2/2\n"
                           "unilateral once:  x >= 0\n"
                           "unilateral twice: 2*x >= 0\n";
// s has no mass and is pressed against a stop
static const char pressed[] = "coordinate x, s\n"
                              "kinetic x'^2/2\n"
                              "potential 2*s\n"
                              "unilateral stop: s >= 0\n";
static const char linked[] = "coordinate x, s\n"
                             "kinetic x'^2/2\n"
                             "potential x\n"
                             "bilateral link: x - s = 0\n";
// s has no mass, and nothing pushes it
static const char adrift[] = "coordinate x, s\n"
                             "kinetic x'^2/2\n"
                             "potential x\n"
                             "unilateral floor: x >= 0\n";
static const char ladder[] =
    "parameter mu = 0.3\n"
    "coordinate x = sin(theta), y = cos(theta), theta = pi/4\n"
    "kinetic (x'^2 + y'^2)/2 + theta'^2/6\n"
    "potential 9.81*y\n"
    "bilateral  wall:  x - sin(theta) = 0  { slip y' - sin(theta)*theta'; friction mu }\n"
    "unilateral floor: y - cos(theta) >= 0 { slip x' + cos(theta)*theta'; friction mu }\n"
    "state falling: theta' = 1, x' = cos(theta), y' = -sin(theta)\n";
// Painleve's rod: critical 4/3 where tan a = 1/2
static const char rod[] = "parameter mu = 0.3, g = 9.81\n"
                          "coordinate x = 0, y = sin(a), a = atan(2)\n"
                          "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
                          "potential g*y\n"
                          "unilateral floor: y - sin(a) >= 0 { slip x' + sin(a)*a'; friction mu }\n"
                          "state left: x' = -1\n"
                          "state right: x' = 1\n";
static const char block[] = "parameter mu = 0.5, X = 1, h = 0.5\n"
                            "coordinate x, y = h, a\n"
                            "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
                            "potential 9.81*y\n"
                            "force x = X\n"
                            "unilateral left:  y - h*cos(a) - sin(a) >= 0 { slip x' + h*cos(a)*a' "
                            "- sin(a)*a'; friction mu }\n"
                            "unilateral right: y - h*cos(a) + sin(a) >= 0 { slip x' + h*cos(a)*a' "
                            "+ sin(a)*a'; friction mu }\n";
static const char grasp[] = "parameter mu = 0.4\n"
                            "coordinate x, y, a\n"
                            "kinetic (x'^2 + y'^2 + a'^2)/2\n"
                            "unilateral left:  x >= 0 { slip y' - a'; friction mu }\n"
                            "unilateral right: -x >= 0 { slip y' + a'; friction mu }\n"
                            "object body: x, y, a\n";
static const char touch[] = "coordinate x, y\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "unilateral wall: x >= 0 { slip y'; friction 0.4 }\n"
                            "object body: x, y\n";
static const char corner[] = "coordinate x, y, z\n"
                             "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                             "unilateral a: x >= 0\n"
                             "unilateral b: y >= 0\n"
                             "unilateral c: -x - y >= 0\n"
                             "object body: x, y\n";
static const char belt[] = "parameter w = 1\n"
                           "coordinate x\n"
                           "kinetic x'^2/2\n"
                           "unilateral left:  x - w*t >= 0\n"
                           "unilateral right: -x - w*t >= 0\n";
static const char spatial[] = "parameter mu = 0.5, X = 1\n"
                              "coordinate x, y, z\n"
                              "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                              "potential 9.81*z\n"
                              "force x = X\n"
                              "unilateral floor: z >= 0 { slip x', y'; friction mu }\n"
                              "state sliding: x' = 0.6, y' = 0.8\n";

// ---- a report and its model --------------------------------------------------------------------

typedef struct subject {
  dls_model *model;
  dls_system *system;
  json_t *report;
} subject;

static void close_subject(subject *s)
{
  json_decref(s->report);
  dls_system_free(s->system);
  dls_model_free(s->model);
}

// The model with "a=1, b=2" set.
static subject open_model(const char *text, const char *sets)
{
  subject s = {0};
  dls_message message = {0};
  assert_int_equal(dls_model_parse(text, strlen(text), &s.model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(s.model, &s.system), DLS_OK);
  char list[200];
  snprintf(list, sizeof list, "%s", sets ? sets : "");
  for (char *item = strtok(list, ", "); item; item = strtok(NULL, ", ")) {
    char *value = strchr(item, '=');
    *value++ = 0;
    if (dls_model_set(s.system, item, value, &message)) fail_msg("%s: %s", item, message.text);
  }
  return s;
}

static void ask(subject *s, const char *at)
{
  double q[8] = {0}, v[8] = {0};
  dls_state state = {.q = q, .v = v};
  dls_contact_state *contacts;
  dls_check *check;
  dls_message message = {0};
  if (dls_model_state(s->system, at, &state, &message)) fail_msg("%s", message.text);
  if (dls_contact_state_create(s->system, &state, NULL, &contacts, &message))
    fail_msg("%s", message.text);
  dls_check_options options = dls_check_defaults();
  options.skip_acceleration = contacts->impact;
  const char *object = dls_model_object_name(s->model, 0);
  if (object) options.object_size = dls_model_object_coordinates(s->model, 0, &options.object);
  if (dls_check_run(&contacts->problem, &options, &check, &message)) fail_msg("%s", message.text);
  const dls_report report = {.model = "m.dls",
                             .at = at,
                             .system = s->system,
                             .contact_state = contacts,
                             .check = check,
                             .object = object};
  char *text;
  assert_int_equal(dls_report_json(&report, &text), DLS_OK);
  json_error_t error;
  s->report = json_loads(text, 0, &error);
  assert_non_null(s->report);
  dls_report_text_free(text);
  dls_check_free(check);
  dls_contact_state_free(contacts);
}

static subject ask_about(const char *text, const char *sets, const char *at)
{
  subject s = open_model(text, sets);
  ask(&s, at);
  return s;
}

static dls_saved_report *save(const json_t *report)
{
  dls_saved_report *saved;
  dls_diagnostic fault;
  char *text = json_dumps(report, JSON_REAL_PRECISION(17));
  assert_non_null(text);
  if (dls_saved_report_read(text, strlen(text), &saved, &fault) != DLS_OK)
    fail_msg("%s", fault.message);
  free(text);
  return saved;
}

static dls_verification *verify(const subject *s)
{
  dls_verification *v;
  dls_message message = {0};
  dls_saved_report *saved = save(s->report);
  if (dls_verify_run(saved, s->model, s->system, &v, &message)) fail_msg("%s", message.text);
  dls_saved_report_free(saved);
  return v;
}

// "verdicts.mfcq", "solutions.1", "delassus"
static const dls_finding *find(const dls_verification *v, const char *name)
{
  for (int k = 0; k < v->findings; k++) {
    char full[100];
    const dls_finding *f = &v->finding[k];
    snprintf(full, sizeof full, "%s%s%s", f->group, f->name[0] ? "." : "", f->name);
    if (strcmp(full, name) == 0) return f;
  }
  return NULL;
}

// ---- all that check claims holds ---------------------------------------------------------------

static void holds_as_made(void **unused)
{
  (void)unused;
  const struct {
    const char *model, *sets, *at, *question, *answer, *proves;
  } cases[] = {
      {regular, NULL, NULL, "mass_definite", "yes", "positive definite"},
      {regular, NULL, NULL, "constraints_independent", "yes", "independent"},
      {regular, NULL, NULL, "constraints_compatible", "yes", "= 0"},
      {regular, NULL, NULL, "mfcq", "yes", ">="},
      {regular, NULL, NULL, "delassus_definite", "yes", "positive definite"},
      {regular, NULL, NULL, "acceleration_exists", "yes", "exact solution lies within"},
      {regular, NULL, NULL, "acceleration_unique", "yes", "positive definite"},
      {regular, NULL, NULL, "forces_unique", "yes", "independent"},
      {pushed, NULL, NULL, "mass_definite", "no", "without inertia"},
      {shelf, NULL, NULL, "constraints_independent", "no", "= 0"},
      {clash, NULL, NULL, "constraints_compatible", "no", "contradict"},
      {clash, NULL, NULL, "acceleration_exists", "no", "contradict"},
      {jaws, NULL, NULL, "mfcq", "no", "lambda_u >= 0"},
      {jaws, NULL, NULL, "acceleration_exists", "no", "contradict"},
      {jaws, NULL, NULL, "acceleration_unique", "no", "contradict"},
      {jaws, NULL, NULL, "forces_unique", "no", "contradict"},
      {shelf, NULL, NULL, "delassus_definite", "no", "A_c lambda_u = 0"},
      {pushed, NULL, NULL, "acceleration_exists", "no", "F^T direction < 0"},
      {pushed, NULL, NULL, "acceleration_unique", "no", "F^T direction < 0"},
      {linked, NULL, NULL, "acceleration_unique", "yes", "meet only in 0"},
      {pressed, NULL, NULL, "acceleration_unique", "yes", "held by contacts that press"},
      {adrift, NULL, NULL, "acceleration_unique", "no", "two accelerations"},
      {shelf, NULL, NULL, "forces_unique", "no", "two sets of forces"},
      {idle, NULL, NULL, "forces_unique", "yes", "strict MFCQ"},
      {ladder, NULL, "falling", "acceleration_exists", "yes", "exact solution"},
      {ladder, NULL, "falling", "acceleration_unique", "yes", "every combination of modes"},
      {ladder, NULL, "falling", "forces_unique", "yes", "every combination of modes"},
      {ladder, NULL, "falling", "unique_for_every_load", "yes", "2^2 determinants"},
      {ladder, "mu=1.5", "falling", "unique_for_every_load", "no", "opposite signs"},
      {ladder, NULL, NULL, "can_all_stick", "no", "every combination of signs"},
      {rod, "mu=2, g=-1", "left", "acceleration_unique", "no", "two accelerations"},
      {rod, "mu=2", "left", "acceleration_exists", "no", "every combination of modes"},
      {rod, "mu=2", "left", "unique_for_every_load", "no", "opposite signs"},
      {block, NULL, NULL, "can_all_stick", "yes", "hold all contacts"},
      {block, "X=6", NULL, "can_all_stick", "no", "every combination of signs"},
      {block, NULL, NULL, "forces_unique", "no", "two sets of forces"},
      {grasp, NULL, NULL, "form_closure", "no", "leaves the contacts"},
      {grasp, NULL, NULL, "force_closure", "yes", "strictly inside the cones"},
      {touch, NULL, NULL, "force_closure", "no", "resists"},
      {corner, NULL, NULL, "form_closure", "yes", "positive forces cancel"},
      {block, NULL, NULL, "step_solvable", "yes", "in the dual cones"},
      {belt, NULL, NULL, "step_solvable", "no", "no velocity suffices"},
      {spatial, "X=6", NULL, "acceleration_exists", "yes", "solves"},
      {spatial, NULL, NULL, "can_all_stick", "yes", "hold all contacts"},
      {spatial, "X=6", NULL, "can_all_stick", "no", "empty"},
      {spatial, NULL, "sliding", "acceleration_unique", "yes", "every combination"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    dls_verification *v = verify(&s);
    char name[80];
    snprintf(name, sizeof name, "verdicts.%s", cases[k].question);
    const dls_finding *f = find(v, name);
    if (!f) fail_msg("%zu: no %s", k, name);
    if (strcmp(f->answer, cases[k].answer) != 0) fail_msg("%zu: %s is %s", k, name, f->answer);
    if (f->found != DLS_FOUND_HOLDS || !strstr(f->proves, cases[k].proves))
      fail_msg("%zu: %s: %s%s", k, name, f->proves, f->why);
    for (int i = 0; i < v->findings; i++)
      if (v->finding[i].found == DLS_FOUND_FAILS)
        fail_msg("%zu: %s %s: %s", k, v->finding[i].group, v->finding[i].name, v->finding[i].why);
    assert_true(v->holds && !v->difference);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// ---- what is spoiled fails ---------------------------------------------------------------------

// Sets the value at "a/b/0/c"; NULL removes it.
static void put(json_t *root, const char *path, const char *value)
{
  char keys[200];
  json_t *at = root, *fresh = NULL;
  snprintf(keys, sizeof keys, "%s", path);
  char *last = strrchr(keys, '/');
  if (last) *last++ = 0;
  for (char *key = last ? strtok(keys, "/") : NULL; key; key = strtok(NULL, "/"))
    at = json_is_array(at) ? json_array_get(at, (size_t)atoi(key)) : json_object_get(at, key);
  const char *name = last ? last : keys;
  if (!at) fail_msg("no %s", path);
  if (value) {
    fresh = json_loads(value, JSON_DECODE_ANY, NULL);
    if (!fresh) fail_msg("%s is not JSON", value);
  }
  if (json_is_array(at)) {
    if (fresh) assert_int_equal(json_array_set_new(at, (size_t)atoi(name), fresh), 0);
    else assert_int_equal(json_array_remove(at, (size_t)atoi(name)), 0);
  } else if (fresh) {
    assert_int_equal(json_object_set_new(at, name, fresh), 0);
  } else if (json_object_del(at, name)) {
    fail_msg("no %s", path);
  }
}

typedef struct spoil {
  const char *model, *sets, *at;
  const char *path, *value;  // what changes
  const char *claim, *why;   // what fails, and a part of the reason
} spoil;

#define WITNESS(question) "verdicts/" question "/witness"

static const spoil spoils[] = {
    // answers that are turned round, witnesses that are gone or malformed
    {regular, 0, 0, "verdicts/mass_definite/answer", "\"no\"", "verdicts.mass_definite",
     "direction"},
    {regular, 0, 0, "verdicts/mfcq/answer", "\"no\"", "verdicts.mfcq", "lambda_u"},
    {regular, 0, 0, "verdicts/acceleration_exists/answer", "\"no\"", "verdicts.acceleration_exists",
     "does not contradict"},
    {shelf, 0, 0, "verdicts/forces_unique/answer", "\"yes\"", "verdicts.forces_unique",
     "coordinates"},
    {shelf, 0, 0, "verdicts/constraints_independent/answer", "\"yes\"",
     "verdicts.constraints_independent", "coordinates"},
    {shelf, 0, 0, "verdicts/delassus_definite/answer", "\"yes\"", "verdicts.delassus_definite",
     "not independent"},
    {clash, 0, 0, "verdicts/constraints_compatible/answer", "\"yes\"",
     "verdicts.constraints_compatible", "acceleration"},
    {clash, 0, 0, "verdicts/acceleration_exists/answer", "\"yes\"", "verdicts.acceleration_exists",
     "acceleration"},
    {rod, "mu=2", "left", "verdicts/unique_for_every_load/answer", "\"yes\"",
     "verdicts.unique_for_every_load", "both signs"},
    {ladder, 0, "falling", "verdicts/unique_for_every_load/answer", "\"no\"",
     "verdicts.unique_for_every_load", "incomplete"},
    {regular, 0, 0, WITNESS("mfcq"), "null", "verdicts.mfcq", "incomplete: direction"},
    {regular, 0, 0, WITNESS("mfcq"), "[1]", "verdicts.mfcq", "not an object"},
    {regular, 0, 0, WITNESS("mfcq"), 0, "verdicts.mfcq", "incomplete"},
    {regular, 0, 0, WITNESS("mfcq") "/direction", "3", "verdicts.mfcq", "malformed: direction"},
    {regular, 0, 0, WITNESS("mfcq") "/direction/x", "\"1\"", "verdicts.mfcq",
     "direction.x is not a number"},
    {regular, 0, 0, WITNESS("mfcq") "/direction/x", "null", "verdicts.mfcq", "not a number"},
    {regular, 0, 0, WITNESS("mfcq") "/direction/w", "1", "verdicts.mfcq", "direction.w"},
    {regular, 0, 0, "verdicts/perpetual_motion", "{\"answer\": \"yes\"}",
     "verdicts.perpetual_motion", "does not check"},

    // masses and gradients
    {regular, 0, 0, WITNESS("mass_definite") "/pivots/y", "0.9", "verdicts.mass_definite",
     "not those of elimination"},
    {regular, 0, 0, WITNESS("mass_definite") "/pivots/z", "-1", "verdicts.mass_definite",
     "not positive"},
    {pushed, 0, 0, WITNESS("mass_definite") "/direction/x", "1e-6", "verdicts.mass_definite",
     "M direction is not 0"},
    {pushed, 0, 0, WITNESS("mass_definite") "/direction", "{\"x\": 0}", "verdicts.mass_definite",
     "M direction is not 0"},
    {regular, 0, 0, WITNESS("constraints_independent") "/coordinates", "[\"x\", \"y\", \"x\"]",
     "verdicts.constraints_independent", "x twice"},
    {regular, 0, 0, WITNESS("constraints_independent") "/coordinates", "[\"x\", \"y\"]",
     "verdicts.constraints_independent", "2 coordinates are named for 3"},
    {regular, 0, 0, WITNESS("constraints_independent") "/coordinates", "[\"x\", \"y\", \"w\"]",
     "verdicts.constraints_independent", "coordinates, w"},
    {shelf, 0, 0, WITNESS("constraints_independent") "/lambda_u/left", "0.500001",
     "verdicts.constraints_independent", "is not 0"},
    {regular, 0, 0, WITNESS("constraints_compatible") "/acceleration/x", "1e-3",
     "verdicts.constraints_compatible", "is not 0"},
    {clash, 0, 0, WITNESS("constraints_compatible") "/lambda_b/fixed", "0.5",
     "verdicts.constraints_compatible", "does not contradict"},
    {clash, 0, 0, WITNESS("constraints_compatible") "/lambda_b", "{\"fixed\": 1, \"moved\": -1}",
     "verdicts.constraints_compatible", "does not contradict: the strict"},
    {regular, 0, 0, WITNESS("mfcq") "/direction", "{\"x\": 1, \"y\": 1, \"z\": -3}",
     "verdicts.mfcq", "does not open contact roof"},
    {regular, 0, 0, WITNESS("mfcq") "/direction", "{\"x\": 1, \"y\": 1.001, \"z\": 3}",
     "verdicts.mfcq", "G_b^T direction is not 0"},
    {jaws, 0, 0, WITNESS("mfcq") "/lambda_u/left", "-1", "verdicts.mfcq", "negative"},
    {jaws, 0, 0, WITNESS("mfcq") "/lambda_u/left", "0.9", "verdicts.mfcq", "is not 0"},
    {jaws, 0, 0, WITNESS("mfcq") "/lambda_u", "{}", "verdicts.mfcq", "is not 0"},
    {shelf, 0, 0, WITNESS("delassus_definite") "/lambda_u/middle", "0.99",
     "verdicts.delassus_definite", "is not 0"},
    {regular, 0, 0, WITNESS("delassus_definite") "/pivots/floor", "9", "verdicts.delassus_definite",
     "not those of elimination"},
    {regular, 0, 0, "delassus/matrix/0/1", "7", "delassus", "not G_u^T M_c^-1 G_u"},
    {regular, 0, 0, "delassus/matrix/0", "[1]", "delassus", "does not hold 2 numbers"},
    {regular, 0, 0, "delassus/names/0", "\"roof\"", "delassus", "names"},

    // existence and uniqueness without friction
    {regular, 0, 0, WITNESS("acceleration_exists") "/acceleration/z", "2.1",
     "verdicts.acceleration_exists", "balance"},
    {regular, 0, 0, WITNESS("acceleration_exists") "/lambda_u/floor", "-1",
     "verdicts.acceleration_exists", "balance"},
    {jaws, 0, 0, WITNESS("acceleration_exists") "/lambda_u/left", "-1",
     "verdicts.acceleration_exists", "does not contradict"},
    {pushed, 0, 0, WITNESS("acceleration_exists") "/direction/s", "1",
     "verdicts.acceleration_exists", "strict inequality"},
    {pushed, 0, 0, WITNESS("acceleration_exists") "/direction/x", "0.5",
     "verdicts.acceleration_exists", "does not show"},
    {regular, 0, 0, WITNESS("acceleration_unique") "/pivots/x", "1", "verdicts.acceleration_unique",
     "not those of elimination"},
    {linked, 0, 0, WITNESS("acceleration_unique") "/coordinates", "[\"s\"]",
     "verdicts.acceleration_unique", "nonsingular"},
    {linked, 0, 0, WITNESS("acceleration_unique") "/bilateral", "[]",
     "verdicts.acceleration_unique", "1 rows are named, 2 are needed"},
    {pressed, 0, 0, WITNESS("acceleration_unique") "/lambda_u/stop", "0",
     "verdicts.acceleration_unique", "balance"},
    {pressed, 0, 0, WITNESS("acceleration_unique") "/closed", "[]", "verdicts.acceleration_unique",
     "not among the closed"},
    {adrift, 0, 0, WITNESS("acceleration_unique") "/other/x", "1", "verdicts.acceleration_unique",
     "balance"},
    {adrift, 0, 0, WITNESS("acceleration_unique") "/other/s", "0", "verdicts.acceleration_unique",
     "are the same"},
    {shelf, 0, 0, WITNESS("forces_unique") "/other_u/left", "30", "verdicts.forces_unique",
     "the other solution does not balance"},
    {regular, 0, 0, WITNESS("forces_unique") "/coordinates", "[\"x\", \"z\"]",
     "verdicts.forces_unique", "nonsingular"},
    {idle, 0, 0, WITNESS("forces_unique") "/direction/x", "-1", "verdicts.forces_unique",
     "does not open"},
    {idle, 0, 0, WITNESS("forces_unique") "/lambda_u/once", "1", "verdicts.forces_unique",
     "balance"},
    {regular, 0, 0, "verdicts/acceleration_exists/answer", "\"undecided\"",
     "verdicts.forces_unique", "no solution is proven"},

    // solutions
    {regular, 0, 0, "solutions/0/acceleration/z", "0", "solutions.1", "balance"},
    {regular, 0, 0, "solutions/0/forces/floor/normal", "1", "solutions.1", "balance"},
    {regular, 0, 0, "solutions/0/forces/floor/mode", "\"detach\"", "solutions.1",
     "does not detach"},
    {regular, 0, 0, "solutions/0/forces/roof/mode", "\"frictionless\"", "solutions.1",
     "does not frictionless"},
    {regular, 0, 0, "solutions/0/forces/roof/normal_acceleration", "1", "solutions.1",
     "another normal acceleration"},
    {regular, 0, 0, "solutions/0/forces/roof", 0, "solutions.1", "expected one entry"},
    {regular, 0, 0, "solutions/0/forces/roof/tangential", "[1]", "solutions.1", "malformed"},
    {regular, 0, 0, "solutions/0", "5", "solutions.1", "expected an object"},
    {regular, 0, 0, "force_ranges/floor/normal", "[9, 10]", "force_ranges.floor", "not contain"},
    {regular, 0, 0, "force_ranges/nowhere", "{\"normal\": [0, 1]}", "force_ranges.nowhere",
     "no closed contact"},
    {regular, 0, 0, "solution_count", "0", "solution_count", "more than 0"},
    {regular, 0, 0, "solution_count", "2", "solution_count", "unique"},
    {regular, 0, 0, "solution_count", "1.5", "solution_count", "not a count"},
    {jaws, 0, 0, "solution_count", "1", "solution_count", "no solution is shown"},

    // friction: solutions and modes
    {ladder, 0, "falling", WITNESS("acceleration_exists") "/tau/wall/0", "0",
     "verdicts.acceleration_exists", "balance"},
    {spatial, 0, 0, WITNESS("acceleration_exists") "/tau/floor", "[-1]",
     "verdicts.acceleration_exists", "needs 2 numbers"},
    {spatial, 0, 0, WITNESS("acceleration_exists") "/acceleration/x", "1",
     "verdicts.acceleration_exists", "balance"},
    {block, "X=6", 0, "solutions/0/forces/left/mode", "\"stick\"", "solutions.1", "does not stick"},
    {block, 0, 0, "solutions/0/forces/left/mode", "\"slide\"", "solutions.1", "does not slide"},
    {block, "X=6", 0, "solutions/0/forces/left/slip_acceleration/0", "0", "solutions.1",
     "another slip acceleration"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0", 0,
     "verdicts.acceleration_unique", "do not cover"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves", "[]",
     "verdicts.acceleration_unique", "do not cover"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0/kind", "\"odd\"",
     "verdicts.acceleration_unique", "kind"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0/modes/wall", "\"detach\"",
     "verdicts.acceleration_unique", "has no mode"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0/modes/ceiling", "\"slide\"",
     "verdicts.acceleration_unique", "not closed"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/acceleration/x", "0",
     "verdicts.acceleration_unique", "balance"},
    {rod, "mu=2", "left", WITNESS("acceleration_exists") "/leaves/0/alpha/floor", "-7",
     "verdicts.acceleration_exists", "leaves[0] is not empty"},
    {rod, "mu=2", "left", WITNESS("acceleration_exists") "/leaves/1/direction/y", "7",
     "verdicts.acceleration_exists", "leaves[1] is not empty"},
    {rod, "mu=2", "left", WITNESS("acceleration_exists") "/leaves/1/modes/floor", "\"detach\"",
     "verdicts.acceleration_exists", "cover"},
    {rod, "mu=2, g=-1", "left", WITNESS("acceleration_unique") "/other_u/floor", "1",
     "verdicts.acceleration_unique", "other solution does not balance"},
    {block, "X=6", 0, WITNESS("can_all_stick") "/leaves/0/modes/left", "\"slide+\"",
     "verdicts.can_all_stick", "has no mode"},
    {block, "X=6", 0, WITNESS("can_all_stick") "/leaves/0/direction/x", "0",
     "verdicts.can_all_stick", "not empty"},
    {block, 0, 0, WITNESS("can_all_stick") "/tau/left/0", "-6", "verdicts.can_all_stick",
     "balance"},
    {block, 0, 0, WITNESS("can_all_stick") "/acceleration/x", "1", "verdicts.can_all_stick",
     "balance"},

    // every load
    {ladder, "mu=1.5", "falling", WITNESS("unique_for_every_load") "/closed", "[]",
     "verdicts.unique_for_every_load", 0},
    {ladder, "mu=1.5", "falling", WITNESS("unique_for_every_load") "/signs/wall", "0.5",
     "verdicts.unique_for_every_load", "neither 1 nor -1"},
    {rod, "mu=2", "left", WITNESS("unique_for_every_load") "/closed", "[\"ceiling\"]",
     "verdicts.unique_for_every_load", "ceiling"},
    {rod, "mu=2", "left", WITNESS("unique_for_every_load") "/other_closed", "[\"floor\"]",
     "verdicts.unique_for_every_load", "same sign"},
    {rod, 0, "left", "friction/critical/value", "1.4", "friction.critical", "not between"},
    {rod, 0, "left", "friction/critical/low", "1.3334", "friction.critical", 0},
    {rod, 0, "left", "friction/critical", "{\"value\": 1.2, \"low\": 1.1, \"high\": 1.3}",
     "friction.critical", "both signs are not found"},
    {rod, 0, "left", "friction/critical", "{\"value\": 1.4, \"low\": 1.35, \"high\": 1.5}",
     "friction.critical", "do not have one sign"},
    {rod, 0, "left", "friction/critical", "{\"value\": 0}", "friction.critical",
     "unique for every load without friction"},
    {rod, 0, "left", "friction/sufficient/value", "1.4", "friction.sufficient", "one sign at"},
    {rod, 0, "left", "friction/sufficient/value", "-1", "friction.sufficient", "not a number >= 0"},
    {rod, 0, "left", "friction/sufficient", "1", "friction.sufficient", "expected an object"},

    // closure and steps
    {corner, 0, 0, WITNESS("form_closure") "/lambda_u/a", "0.7", "verdicts.form_closure",
     "do not cancel"},
    {corner, 0, 0, WITNESS("form_closure") "/closed", "[\"a\"]", "verdicts.form_closure",
     "1 contacts are named"},
    {corner, 0, 0, WITNESS("form_closure") "/closed", "[\"a\", \"a\"]", "verdicts.form_closure",
     "a twice"},
    {corner, 0, 0, "object", "\"head\"", "verdicts.form_closure", "no object head"},
    {grasp, 0, 0, WITNESS("form_closure") "/direction", "{\"x\": 1}", "verdicts.form_closure",
     "resist"},
    {grasp, 0, 0, WITNESS("form_closure") "/direction", "{}", "verdicts.form_closure", "resist"},
    {grasp, 0, 0, WITNESS("force_closure") "/lambda_u/left", "0.5", "verdicts.force_closure",
     "do not cancel"},
    {grasp, 0, 0, WITNESS("force_closure") "/lambda_u", "{\"left\": 0, \"right\": 0}",
     "verdicts.force_closure", "strictly inside"},
    {grasp, 0, 0, WITNESS("force_closure") "/lambda_u", "{\"left\": -1, \"right\": -1}",
     "verdicts.force_closure", "strictly inside"},
    {touch, 0, 0, WITNESS("force_closure") "/direction", "{\"y\": 1}", "verdicts.force_closure",
     "resist"},
    {block, 0, 0, WITNESS("step_solvable") "/velocity", "{\"y\": -1}", "verdicts.step_solvable",
     "not in the dual cones"},
    {belt, 0, 0, WITNESS("step_solvable") "/lambda_u/left", "0.5", "verdicts.step_solvable",
     "do not cancel"},
    {belt, 0, 0, WITNESS("step_solvable") "/lambda_u", "{\"left\": -1, \"right\": -1}",
     "verdicts.step_solvable", "do not cancel inside"},
};

static void spoiled_claims_fail(void **unused)
{
  (void)unused;
  int missed = 0;
  for (size_t k = 0; k < sizeof spoils / sizeof *spoils; k++) {
    const spoil *c = &spoils[k];
    subject s = ask_about(c->model, c->sets, c->at);
    put(s.report, c->path, c->value);
    dls_verification *v = verify(&s);
    const dls_finding *f = find(v, c->claim);
    if (v->difference) fail_msg("%zu %s: %s", k, c->path, v->difference);
    if (!f) fail_msg("%zu %s: no %s", k, c->path, c->claim);
    const bool named = f->found == DLS_FOUND_FAILS && (!c->why || strstr(f->why, c->why));
    if (!named) print_message("%zu %s: %s%s\n", k, c->path, f->proves, f->why);
    missed += !named || v->holds;
    dls_verification_free(v);
    close_subject(&s);
  }
  assert_int_equal(missed, 0);
}

// ---- reports of other models -------------------------------------------------------------------

static void other_models_differ(void **unused)
{
  (void)unused;
  const struct {
    const char *model, *sets, *at, *path, *value, *difference;
  } cases[] = {
      {ladder, 0, "falling", "contacts/1/friction", "0.5",
       "contact floor: friction 0.5 in the report, 0.3 in the model"},
      {ladder, 0, "falling", "contacts/1/restitution", "0.1", "contact floor: restitution"},
      {ladder, 0, "falling", "contacts/0/name", "\"door\"", "contact door in the report is wall"},
      {ladder, 0, "falling", "contacts/0/kind", "\"unilateral\"",
       "contact wall: unilateral in the report, bilateral in the model"},
      {ladder, 0, "falling", "contacts/1/status", "\"sticking\"",
       "contact floor: sticking in the report, sliding in the model"},
      {ladder, 0, "falling", "contacts/1/gap", "1e-3", "contact floor: gap 0.001"},
      {ladder, 0, "falling", "contacts/1/normal_velocity", "1", "contact floor: normal velocity 1"},
      {ladder, 0, "falling", "contacts/1/slip", "[]", "contact floor: number of slips 0"},
      {ladder, 0, "falling", "contacts/1/slip/0", "3", "contact floor: slip 3"},
      {ladder, 0, "falling", "contacts/1", 0, "1 contacts in the report, 2 in the model"},
      {ladder, 0, "falling", "coordinates/2", "\"phi\"",
       "coordinate phi in the report is theta in the model"},
      {ladder, 0, "falling", "parameters/nu", "1",
       "parameter nu is in the report, not in the model"},
      {ladder, 0, "falling", "q/0", "0.8", "the state of the report does not fit the model"},
      {ladder, 0, "falling", "v/2", "2", "does not fit"},
      {ladder, 0, "falling", "time", "1e308", 0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    put(s.report, cases[k].path, cases[k].value);
    dls_verification *v = verify(&s);
    if (cases[k].difference) {
      if (!v->difference || !strstr(v->difference, cases[k].difference))
        fail_msg("%s: %s", cases[k].path, v->difference ? v->difference : "nothing differs");
      assert_false(v->holds);
      assert_int_equal(v->findings, 0);
    }
    dls_verification_free(v);
    close_subject(&s);
  }
}

// A claim about one model does not hold for one with another mass.
static void other_numbers_fail(void **unused)
{
  (void)unused;
  subject s = ask_about(regular, NULL, NULL);
  char heavier[sizeof regular + 8];
  snprintf(heavier, sizeof heavier, "%s", regular);
  char *mass = strstr(heavier, "z'^2/2");
  assert_non_null(mass);
  mass[5] = '1';
  subject other = open_model(heavier, NULL);
  other.report = json_incref(s.report);
  dls_verification *v = verify(&other);
  assert_null(v->difference);
  assert_false(v->holds);
  const char *const failing[] = {"verdicts.mass_definite", "verdicts.acceleration_exists",
                                 "solutions.1", "delassus"};
  for (size_t k = 0; k < sizeof failing / sizeof *failing; k++)
    assert_int_equal(find(v, failing[k])->found, DLS_FOUND_FAILS);
  assert_int_equal(find(v, "verdicts.mfcq")->found, DLS_FOUND_HOLDS);
  dls_verification_free(v);
  close_subject(&other);
  close_subject(&s);
}

// A report does not choose what counts as a proof.
static void tolerance_is_limited(void **unused)
{
  (void)unused;
  subject s = ask_about(regular, NULL, NULL);
  put(s.report, "tolerance", "0.5");
  dls_verification *v = verify(&s);
  assert_true(v->holds && v->tolerance == 1e-6);
  dls_verification_free(v);
  put(s.report, WITNESS("constraints_compatible") "/acceleration/x", "1e-4");
  v = verify(&s);
  assert_int_equal(find(v, "verdicts.constraints_compatible")->found, DLS_FOUND_FAILS);
  dls_verification_free(v);
  put(s.report, "contacts/0/gap", "1e-3");
  v = verify(&s);
  assert_non_null(v->difference);
  dls_verification_free(v);
  close_subject(&s);

  // and one that is smaller than rounding is not taken at its word
  s = ask_about(ladder, NULL, "falling");
  put(s.report, "tolerance", "1e-17");
  v = verify(&s);
  if (v->difference) assert_non_null(strstr(v->difference, "does not fit"));
  else assert_true(v->holds && v->tolerance > 1e-15);
  dls_verification_free(v);
  close_subject(&s);
}

static void impacts_come_first(void **unused)
{
  (void)unused;
  subject s = ask_about(shelf, NULL, "y' = -1");
  dls_verification *v = verify(&s);
  assert_true(v->holds && find(v, "verdicts.mfcq") && !find(v, "verdicts.acceleration_exists"));
  dls_verification_free(v);
  subject rest = ask_about(shelf, NULL, NULL);
  json_t *verdicts = json_object_get(s.report, "verdicts");
  const char *const forged[] = {"acceleration_exists", "acceleration_unique", "forces_unique"};
  for (size_t k = 0; k < 3; k++)
    json_object_set(verdicts, forged[k],
                    json_object_get(json_object_get(rest.report, "verdicts"), forged[k]));
  json_object_set(s.report, "solutions", json_object_get(rest.report, "solutions"));
  v = verify(&s);
  for (size_t k = 0; k < 3; k++) {
    char name[60];
    snprintf(name, sizeof name, "verdicts.%s", forged[k]);
    assert_non_null(strstr(find(v, name)->why, "impacting"));
  }
  assert_non_null(strstr(find(v, "solutions.1")->why, "impacting"));
  dls_verification_free(v);
  close_subject(&rest);
  close_subject(&s);
}

// ---- parameters --------------------------------------------------------------------------------

static void parameters_come_with_the_report(void **unused)
{
  (void)unused;
  subject s = ask_about(ladder, "mu=0.9", "falling");
  subject plain = open_model(ladder, NULL);
  plain.report = json_incref(s.report);
  dls_verification *v = verify(&plain);
  assert_non_null(v->difference);  // nobody told
  dls_verification_free(v);

  dls_saved_report *saved = save(s.report);
  dls_message message = {0};
  assert_string_equal(dls_saved_report_model(saved), "m.dls");
  assert_int_equal(dls_saved_report_set(saved, plain.system, &message), DLS_OK);
  assert_true(dls_system_parameter(plain.system, 0) == 0.9);
  assert_int_equal(dls_verify_run(saved, plain.model, plain.system, &v, &message), DLS_OK);
  assert_true(v->holds && v->parameters == 1);
  assert_string_equal(v->parameter[0].name, "mu");
  assert_true(v->parameter[0].value == 0.9 && v->parameter[0].of_model == 0.3);
  dls_verification_free(v);
  dls_saved_report_free(saved);
  close_subject(&plain);
  close_subject(&s);
}

// Parameters that follow others go on following when one is set afterwards.
static void parameters_follow(void **unused)
{
  (void)unused;
  const char text[] = "parameter a = 1, b = 2*a\ncoordinate x\nkinetic b*x'^2/2\n";
  subject s = ask_about(text, "a=3", NULL), plain = open_model(text, NULL);
  dls_saved_report *saved = save(s.report);
  assert_int_equal(dls_saved_report_set(saved, plain.system, NULL), DLS_OK);
  assert_true(dls_system_parameter(plain.system, 1) == 6);
  assert_int_equal(dls_model_set(plain.system, "a", "5", NULL), DLS_OK);
  assert_true(dls_system_parameter(plain.system, 1) == 10);
  assert_true(isnan(dls_system_parameter(plain.system, 2)));
  assert_true(isnan(dls_system_parameter(plain.system, -1)));
  assert_ptr_equal(dls_system_model(plain.system), plain.model);
  assert_null(dls_system_model(NULL));
  dls_saved_report_free(saved);
  close_subject(&plain);
  close_subject(&s);
}

// ---- reports that are none ---------------------------------------------------------------------

static void refuses(const char *text, size_t length, const char *message, int line)
{
  dls_saved_report *saved = (dls_saved_report *)1;
  dls_diagnostic fault;
  const dls_status status = dls_saved_report_read(text, length, &saved, &fault);
  if (status != DLS_ERR_ARGUMENT) fail_msg("accepted: %.100s", text ? text : "");
  assert_null(saved);
  if (!strstr(fault.message, message)) fail_msg("%s, not %s", fault.message, message);
  assert_int_equal(fault.line, line);
}

static void bad_reports_are_refused(void **unused)
{
  (void)unused;
  const struct {
    const char *text, *message;
    int line;
  } texts[] = {
      {"", "not a JSON report", 1},
      {"{", "not a JSON report", 1},
      {"{\"a\": 1,\n \"a\": 2}", "duplicate object key", 2},
      {"{\"time\": NaN}", "not a JSON report", 1},
      {"{\"time\": 1e999}", "overflow", 1},
      {"{\"time\": 1} x", "not a JSON report", 1},
      {"\xff\xfe{", "not a JSON report", 1},
      {"[1, 2]", "the report: expected an object, but it is an array", 0},
      {"{}", "time: expected a number, but it is absent", 0},
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    refuses(texts[k].text, strlen(texts[k].text), texts[k].message, texts[k].line);
  refuses("{\"a\": \"\0\"}", 10, "not a JSON report", 1);

  const struct {
    const char *path, *value, *message;
  } frames[] = {
      {"time", "\"0\"", "time: expected a number, but it is a string"},
      {"tolerance", "0", "tolerance: expected a number between 0 and 1"},
      {"tolerance", 0, "tolerance: expected a number, but it is absent"},
      {"coordinates", "{}", "coordinates: expected an array, but it is an object"},
      {"coordinates/0", "1", "coordinates[0]: expected a string, but it is a number"},
      {"q", "[1]", "q: expected 3 numbers"},
      {"q/1", "null", "q[1]: expected a number, but it is null"},
      {"v/2", "true", "v[2]: expected a number, but it is true or false"},
      {"v", 0, "v: expected an array, but it is absent"},
      {"contacts", "3", "contacts: expected an array"},
      {"contacts/0", "3", "contacts[0]: expected an object"},
      {"contacts/0/name", "3", "contacts[0].name: expected a string"},
      {"contacts/1/gap", "[]", "contacts[1].gap: expected a number"},
      {"contacts/1/friction", 0, "contacts[1].friction: expected a number, but it is absent"},
      {"contacts/1/slip", "[1, 2, 3]", "contacts[1].slip: a contact has at most 2"},
      {"contacts/1/slip", "{}", "contacts[1].slip: expected an array"},
      {"contacts/1/slip/0", "\"x\"", "contacts[1].slip: expected a number"},
      {"parameters", "[]", "parameters: expected an object"},
      {"parameters/mu", "\"0.3\"", "parameters.mu: expected a number"},
      {"verdicts", 0, "verdicts: expected an object, but it is absent"},
      {"verdicts/mfcq", "true", "verdicts.mfcq: expected an object"},
      {"verdicts/mfcq/answer", "1", "verdicts.mfcq.answer: expected a string"},
      {"verdicts/mfcq/answer", "\"maybe\"", "expected yes, no or undecided, but it is \"maybe\""},
      {"solutions", "{}", "solutions: expected an array"},
      {"delassus", "[]", "delassus: expected an object"},
      {"force_ranges", "[]", "force_ranges: expected an object"},
      {"friction", "[]", "friction: expected an object"},
  };
  subject s = ask_about(ladder, NULL, "falling");
  for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
    json_t *copy = json_deep_copy(s.report);
    put(copy, frames[k].path, frames[k].value);
    char *text = json_dumps(copy, 0);
    refuses(text, strlen(text), frames[k].message, 0);
    free(text);
    json_decref(copy);
  }
  close_subject(&s);
  assert_int_equal(dls_saved_report_read(NULL, 1, &(dls_saved_report *){0}, NULL),
                   DLS_ERR_ARGUMENT);
  assert_int_equal(dls_saved_report_read("{}", 2, NULL, NULL), DLS_ERR_ARGUMENT);
}

// Deep nesting, and a report cut off at every byte.
static void hostile_texts(void **unused)
{
  (void)unused;
  enum { DEEP = 100000 };
  char *deep = malloc(DEEP);
  assert_non_null(deep);
  memset(deep, '[', DEEP);
  refuses(deep, DEEP, "depth", 1);
  free(deep);

  subject s = ask_about(idle, NULL, NULL);
  char *text = json_dumps(s.report, 0);
  const size_t length = strlen(text);
  for (size_t k = 0; k < length; k++) {
    dls_saved_report *saved;
    assert_int_equal(dls_saved_report_read(text, k, &saved, NULL), DLS_ERR_ARGUMENT);
  }
  free(text);
  close_subject(&s);
}

// Every number of the report in turn becomes another one: nothing crashes, and nothing that is not
// a claim is blamed.
static void walk(json_t *value, const subject *s, int *changed, int *failed)
{
  const double others[] = {0, -1, 1e300, 1e-320, 0.1};
  if (json_is_real(value) || json_is_integer(value)) {
    const double before = json_number_value(value);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
      json_real_set(value, others[k]);
      char *text = json_dumps(s->report, JSON_REAL_PRECISION(17));
      dls_saved_report *saved;
      dls_verification *v;
      if (dls_saved_report_read(text, strlen(text), &saved, NULL) == DLS_OK) {
        assert_int_equal(dls_verify_run(saved, s->model, s->system, &v, NULL), DLS_OK);
        ++*changed;
        *failed += !v->holds;
        dls_verification_free(v);
        dls_saved_report_free(saved);
      }
      free(text);
    }
    json_real_set(value, before);
    return;
  }
  const char *key;
  json_t *child;
  json_object_foreach(value, key, child) walk(child, s, changed, failed);
  for (size_t k = 0; k < json_array_size(value); k++)
    walk(json_array_get(value, k), s, changed, failed);
}

static void numbers_in_turn(void **unused)
{
  (void)unused;
  const char *const models[] = {regular, ladder, grasp};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    int changed = 0, failed = 0;
    subject s = ask_about(models[k], NULL, models[k] == ladder ? "falling" : NULL);
    // integers cannot be set to reals
    char *text = json_dumps(s.report, JSON_REAL_PRECISION(17));
    json_decref(s.report);
    s.report = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    free(text);
    walk(s.report, &s, &changed, &failed);
    print_message("%d changes, %d noticed\n", changed, failed);
    assert_true(changed > 200 && failed > changed / 4);
    close_subject(&s);
  }
}

// ---- what is printed ---------------------------------------------------------------------------

static void prints(void **unused)
{
  (void)unused;
  subject s = ask_about(ladder, "mu=0.9", "falling");
  put(s.report, WITNESS("mfcq") "/direction/x", "5");
  dls_verification *v = verify(&s);
  char *text;
  assert_int_equal(dls_verification_text(v, "r.json", "m.dls", false, &text), DLS_OK);
  assert_non_null(
      strstr(text, "Claims of r.json about m.dls\n  with mu = 0.9 (the model says 0.3)"));
  assert_non_null(strstr(text, "  mfcq                      yes        FAILS  G_b^T direction"));
  assert_non_null(strstr(text, "solution 1"));
  assert_non_null(strstr(text, ", 1 fail, "));
  dls_report_text_free(text);
  assert_int_equal(dls_verification_text(v, NULL, NULL, true, &text), DLS_OK);
  assert_non_null(strstr(text, "\033[31mFAILS\033[0m"));
  dls_report_text_free(text);

  assert_int_equal(dls_verification_json(v, "r.json", "m.dls", &text), DLS_OK);
  json_t *o = json_loads(text, 0, NULL);
  assert_non_null(o);
  assert_true(json_is_false(json_object_get(o, "holds")));
  assert_true(json_is_null(json_object_get(o, "difference")));
  assert_string_equal(json_string_value(json_object_get(o, "report")), "r.json");
  const json_t *verdicts = json_object_get(o, "verdicts");
  const json_t *mfcq = json_object_get(verdicts, "mfcq");
  assert_true(json_is_false(json_object_get(mfcq, "holds")));
  assert_true(json_number_value(json_object_get(mfcq, "residual")) > 1e-3);
  assert_true(json_number_value(json_object_get(mfcq, "limit")) == 1e-9);
  assert_non_null(strstr(json_string_value(json_object_get(mfcq, "why")), "limit 1e-09"));
  assert_true(
      json_is_true(json_object_get(json_object_get(verdicts, "acceleration_exists"), "holds")));
  assert_true(json_is_null(json_object_get(json_object_get(verdicts, "step_solvable"), "holds")));
  assert_int_equal(json_array_size(json_object_get(o, "solutions")), 1);
  assert_true(json_number_value(json_object_get(json_object_get(o, "parameters"), "mu")) == 0.9);
  json_decref(o);
  dls_report_text_free(text);
  dls_verification_free(v);
  close_subject(&s);
}

static void bad_calls(void **unused)
{
  (void)unused;
  dls_verification *v = (dls_verification *)1;
  dls_message message;
  char *text;
  assert_int_equal(dls_verify_run(NULL, NULL, NULL, &v, &message), DLS_ERR_ARGUMENT);
  assert_null(v);
  assert_int_equal(dls_verify_run(NULL, NULL, NULL, NULL, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_verification_json(NULL, NULL, NULL, &text), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_verification_text(NULL, NULL, NULL, false, &text), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_saved_report_set(NULL, NULL, &message), DLS_ERR_ARGUMENT);
  dls_verification_free(NULL);
  dls_saved_report_free(NULL);
  assert_string_equal(dls_found_name(DLS_FOUND_NOTHING), "nothing to check");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holds_as_made),
      cmocka_unit_test(spoiled_claims_fail),
      cmocka_unit_test(other_models_differ),
      cmocka_unit_test(other_numbers_fail),
      cmocka_unit_test(tolerance_is_limited),
      cmocka_unit_test(impacts_come_first),
      cmocka_unit_test(parameters_come_with_the_report),
      cmocka_unit_test(parameters_follow),
      cmocka_unit_test(bad_reports_are_refused),
      cmocka_unit_test(hostile_texts),
      cmocka_unit_test(numbers_in_turn),
      cmocka_unit_test(prints),
      cmocka_unit_test(bad_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
