// Impacts in reports: what check claims the checker proves, for random models; what is forged it
// refuses.
#include "impact_maker.h"

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

#include "cases.h"

typedef struct subject {
  dls_model *model;
  dls_system *system;
  json_t *report;
  char *text;  // the report for people
} subject;

static void close_subject(subject *s)
{
  json_decref(s->report);
  dls_report_text_free(s->text);
  dls_system_free(s->system);
  dls_model_free(s->model);
}

static subject report_on(const char *text, const char *at)
{
  subject s = {0};
  double q[16], v[16], E[64];
  dls_state state = {.q = q, .v = v};
  dls_contact_state *contacts;
  dls_check *check;
  dls_impact *impact;
  dls_message message = {0};
  static dls_diagnostics diagnostics;
  if (dls_model_parse(text, strlen(text), &s.model, &diagnostics))
    fail_msg("%s\n%s", diagnostics.item[0].message, text);
  assert_int_equal(dls_model_system(s.model, &s.system), DLS_OK);
  if (dls_model_state(s.system, at, &state, &message) ||
      dls_contact_state_create(s.system, &state, NULL, &contacts, &message))
    fail_msg("%s", message.text);
  dls_check_options options = dls_check_defaults();
  dls_impact_options laws = dls_impact_defaults();
  options.skip_acceleration = true;
  laws.E = E;
  assert_int_equal(dls_check_run(&contacts->problem, &options, &check, &message), DLS_OK);
  assert_int_equal(dls_model_restitution_matrix(s.system, contacts, E), DLS_OK);
  assert_int_equal(dls_impact_create(contacts, &laws, &impact, &message), DLS_OK);
  const dls_report report = {
      .system = s.system, .contact_state = contacts, .check = check, .impact = impact};
  char *json;
  assert_int_equal(dls_report_json(&report, &json), DLS_OK);
  assert_int_equal(dls_report_text(&report, NULL, &s.text), DLS_OK);
  s.report = json_loads(json, 0, NULL);
  assert_non_null(s.report);
  dls_report_text_free(json);
  dls_impact_free(impact);
  dls_check_free(check);
  dls_contact_state_free(contacts);
  return s;
}

static dls_verification *verify(const subject *s)
{
  dls_saved_report *saved;
  dls_verification *v;
  dls_diagnostic fault;
  char *text = json_dumps(s->report, JSON_REAL_PRECISION(17));
  if (dls_saved_report_read(text, strlen(text), &saved, &fault)) fail_msg("%s", fault.message);
  assert_int_equal(dls_verify_run(saved, s->model, s->system, NULL, &v, NULL), DLS_OK);
  dls_saved_report_free(saved);
  free(text);
  return v;
}

static const dls_finding *find(const dls_verification *v, const char *name)
{
  for (int k = 0; k < v->findings; k++)
    if (strcmp(v->finding[k].group, "impact") == 0 && strcmp(v->finding[k].name, name) == 0)
      return &v->finding[k];
  return NULL;
}

// ---- random models -----------------------------------------------------------------------------

// The case as a model: constant masses, linear constraints.
static void write_model(const impact_case *c, char *out, size_t size)
{
  size_t used = 0;
#define WRITE(...) used += (size_t)snprintf(out + used, size - used, __VA_ARGS__)
  WRITE("coordinate x0");
  for (int i = 1; i < c->n; i++) WRITE(", x%d", i);
  WRITE("\nkinetic 0");
  for (int i = 0; i < c->n; i++)
    for (int j = 0; j < c->n; j++) WRITE(" + (%.17g)*x%d'*x%d'/2", c->M[i + c->n * j], i, j);
  for (int j = 0, slip = 0; j < c->m_b + c->m_u; j++) {
    WRITE("\n%s c%d: 0", j < c->m_b ? "bilateral" : "unilateral", j + 1);
    for (int i = 0; i < c->n; i++) WRITE(" + (%.17g)*x%d", c->G[i + c->n * j], i);
    WRITE(j < c->m_b ? " = 0" : " >= 0");
    if (j < c->m_b) continue;
    WRITE(" { restitution %.17g", c->e[j]);
    for (int k = 0; k < c->tangents[j]; k++, slip++) {
      WRITE(k ? ", 0" : "; slip 0");
      for (int i = 0; i < c->n; i++) WRITE(" + (%.17g)*x%d'", c->H[i + c->n * slip], i);
    }
    if (c->tangents[j]) WRITE("; friction %.17g", c->mu[j]);
    WRITE(" }");
  }
  for (int i = 0; c->coupled && i < c->m_u; i++)
    for (int j = 0; j < c->m_u; j++)
      if (i != j)
        WRITE("\nrestitution c%d c%d = %.17g", c->m_b + i + 1, c->m_b + j + 1,
              c->E[i + c->m_u * j]);
  WRITE("\nstate hit: x0' = %.17g", c->v[0]);
  for (int i = 1; i < c->n; i++) WRITE(", x%d' = %.17g", i, c->v[i]);
  WRITE("\n");
#undef WRITE
  assert_true(used < size);
}

static void random_models(void **unused)
{
  (void)unused;
  rng r = rng_create(21);
  int claims = 0, no = 0, matrices = 0, laws[2] = {0};
  for (int trial = 0; trial < 60; trial++) {
    at_case("trial %d", trial);
    static char text[20000];
    impact_case c;
    impact_case_random(&c, &r, trial % 3 == 0, trial % 4 == 1 ? 1 : trial % 8 == 2 ? 2 : 0);
    c.coupled = trial % 5 < 2;
    for (int k = 0; k < c.m_u * c.m_u; k++) c.E[k] = 0.3 * rng_real(&r);
    write_model(&c, text, sizeof text);
    subject s = report_on(text, "hit");
    dls_verification *v = verify(&s);
    if (v->difference) fail_msg("%s", v->difference);
    for (int k = 0; k < v->findings; k++) {
      const dls_finding *f = &v->finding[k];
      if (f->found == DLS_FOUND_FAILS)
        fail_msg("trial %d: %s %s: %s\n%s", trial, f->group, f->name, f->why, text);
      claims += f->found == DLS_FOUND_HOLDS && strcmp(f->group, "impact") == 0;
    }
    const dls_finding *newton = find(v, "newton"), *motion = find(v, "motion");
    assert_true(newton && motion);
    no += strcmp(newton->answer, "no") == 0 && newton->found == DLS_FOUND_HOLDS;
    matrices += find(v, "moreau_matrix.exists") != NULL;
    laws[0] += strcmp(motion->answer, "Newton") == 0,
        laws[1] += strcmp(motion->answer, "Moreau") == 0;
    dls_verification_free(v);
    close_subject(&s);
  }
  print_message("%d claims hold, %d times no\n", claims, no);
  assert_true(claims > 350 && no > 10 && matrices > 8 && laws[0] > 10 && laws[1] > 10);
}

// ---- forgeries ---------------------------------------------------------------------------------

static void place_of(json_t *root, const char *path, char *last, json_t **parent)
{
  char keys[200];
  snprintf(keys, sizeof keys, "%s", path);
  char *slash = strrchr(keys, '/');
  snprintf(last, 200, "%s", slash ? slash + 1 : keys);
  *parent = root;
  if (slash) {
    *slash = 0;
    for (char *key = strtok(keys, "/"); key && *parent; key = strtok(NULL, "/"))
      *parent = json_is_array(*parent) ? json_array_get(*parent, (size_t)atoi(key))
                                       : json_object_get(*parent, key);
  }
  if (!*parent) fail_msg("no %s", path);
}

static json_t *value_at(json_t *root, const char *path)
{
  char last[200];
  json_t *parent;
  place_of(root, path, last, &parent);
  return json_is_array(parent) ? json_array_get(parent, (size_t)atoi(last))
                               : json_object_get(parent, last);
}

static void put(json_t *root, const char *path, const char *value)
{
  char last[200];
  json_t *parent, *fresh = json_loads(value, JSON_DECODE_ANY, NULL);
  place_of(root, path, last, &parent);
  assert_non_null(fresh);
  if (json_is_array(parent))
    assert_int_equal(json_array_set_new(parent, (size_t)atoi(last), fresh), 0);
  else assert_int_equal(json_object_set_new(parent, last, fresh), 0);
}

static const char cradle[] = "parameter e = 0, wave = 1\n"
                             "coordinate x1 = -1, x2 = 0, x3 = 1\n"
                             "kinetic (x1'^2 + x2'^2 + x3'^2)/2\n"
                             "unilateral left:  x2 - x1 >= 1 { restitution e }\n"
                             "unilateral right: x3 - x2 >= 1 { restitution e }\n"
                             "restitution left right = wave\n"
                             "restitution right left = wave\n"
                             "state struck: x1' = 1\n";
// no percussions for Newton's law
static const char stubborn[] = "coordinate x\n"
                               "kinetic x'^2\n"
                               "unilateral soft: x >= 0 { restitution 0.2 }\n"
                               "unilateral hard: x >= 0 { restitution 0.7 }\n"
                               "state struck: x' = -1\n";
static const char block[] =
    "coordinate theta, x, y = 1\n"
    "kinetic (x'^2 + y'^2)/2 + 5/24*theta'^2\n"
    "let c = cos(theta), s = sin(theta)\n"
    "unilateral A1: y - c + s/2 >= 0 { slip x' + (c - s/2)*theta'; friction 0.6 }\n"
    "unilateral A2: y - c - s/2 >= 0 { slip x' + (c + s/2)*theta'; friction 0.6 }\n"
    "state struck: theta' = 1, x' = -1, y' = -0.5\n";

static void forgeries_fail(void **unused)
{
  (void)unused;
  const struct {
    const char *model, *path, *value, *finding;
  } cases[] = {
      {cradle, "impact/law", "\"Moreau\"", "motion"},
      {cradle, "impact/law", "\"Poisson\"", "motion"},
      {cradle, "impact/velocities_after/x3", "1.001", "motion"},
      {cradle, "impact/jump/x3", "1.001", "motion"},
      {cradle, "impact/percussions/left/normal", "1.001", "motion"},
      {cradle, "impact/percussions/left/normal", "-1", "motion"},
      {cradle, "impact/percussions/left/mode", "\"detach\"", "motion"},
      {cradle, "impact/normal_velocities/after/right", "0.9", "motion"},
      {cradle, "impact/normal_velocities/before/left", "-0.9", "motion"},
      {cradle, "impact/kinetic_energy/before", "0.6", "motion"},
      {cradle, "impact/kinetic_energy/after", "0.4", "motion"},
      {cradle, "impact/kinetic_energy/change", "0.1", "motion"},
      {cradle, "impact/kinetic_energy/contact_work", "0.1", "motion"},
      {cradle, "impact/kinetic_energy/balance", "\"gained\"", "motion"},
      {cradle, "impact/kinetic_energy/balance", "\"lost\"", "motion"},
      {cradle, "impact/restitution/matrix/0/1", "0.5", "restitution"},
      {cradle, "impact/newton/feasible/witness/p_u/left", "1.01", "newton"},
      {cradle, "impact/newton/feasible/witness/jump/x1", "-0.99", "newton"},
      {cradle, "impact/newton/feasible/answer", "\"no\"", "newton"},
      {cradle, "impact/newton/separates", "false", "newton"},
      {cradle, "impact/moreau/exists/witness/acceleration/x1", "-0.5", "moreau.exists"},
      {cradle, "impact/moreau/exists/answer", "\"no\"", "moreau.exists"},
      {cradle, "impact/moreau/unique/answer", "\"no\"", "moreau.unique"},
      {cradle, "impact/moreau/solution_count", "2", "moreau.solution_count"},
      {cradle, "impact/moreau/solution_count", "0", "moreau.solution_count"},
      {cradle, "impact/moreau/solutions/0/continuum", "\"velocities\"", "moreau.1.continuum"},
      {cradle, "impact/moreau/solutions/0/jump/x2", "0.5", "moreau.1"},
      {cradle, "impact/moreau/solutions/0/kinetic_energy/balance", "\"gained\"", "moreau.1"},
      {cradle, "impact/moreau_matrix/solutions/0/percussions/right/normal", "0", "moreau_matrix.1"},
      {stubborn, "impact/newton/feasible/answer", "\"yes\"", "newton"},
      {stubborn, "impact/newton/feasible/witness/leaves/0/alpha/soft", "0.1", "newton"},
      {stubborn, "impact/newton/feasible/witness/leaves/0/alpha", "{}", "newton"},
      {stubborn, "impact/law", "\"Newton\"", "motion"},
      {stubborn, "impact/kinetic_energy/balance", "\"kept\"", "motion"},
      {block, "impact/newton/feasible/answer", "\"yes\"", "newton"},
      {block, "impact/percussions/A2/tangential/0", "0.2", "motion"},
      {block, "impact/percussions/A2/tangential/0", "0.9", "motion"},
      {block, "impact/percussions/A2/mode", "\"slide\"", "motion"},
      {block, "impact/jump/theta", "-0.31", "motion"},
      {block, "impact/moreau/unique/witness/leaves", "[]", "moreau.unique"},
      {block, "impact/law", "\"Newton\"", "motion"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    subject s = report_on(cases[k].model, "struck");
    dls_verification *v = verify(&s);
    assert_true(v->holds);
    dls_verification_free(v);
    if (!value_at(s.report, cases[k].path)) fail_msg("no %s", cases[k].path);
    put(s.report, cases[k].path, cases[k].value);
    v = verify(&s);
    const dls_finding *f = find(v, cases[k].finding);
    if (v->holds || !f || f->found != DLS_FOUND_FAILS)
      fail_msg("%s = %s passes as %s", cases[k].path, cases[k].value, cases[k].finding);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// Moreau's motion is no witness for Newton's law.
static void another_law_is_no_witness(void **unused)
{
  (void)unused;
  subject s = report_on(stubborn, "struck");
  put(s.report, "impact/newton/feasible/answer", "\"yes\"");
  put(s.report, "impact/newton/feasible/witness",
      "{\"jump\": {\"x\": 1.7}, \"p_u\": {\"soft\": 0, \"hard\": 3.4}}");
  dls_verification *v = verify(&s);
  assert_int_equal(find(v, "moreau.1")->found, DLS_FOUND_HOLDS);
  assert_non_null(strstr(find(v, "newton")->why, "does not leave as Newton's law says"));
  dls_verification_free(v);
  close_subject(&s);
}

// Newton's law "no" with friction rests on uniqueness: without that proof it fails.
static void refusal_needs_uniqueness(void **unused)
{
  (void)unused;
  subject s = report_on(block, "struck");
  put(s.report, "impact/moreau/unique/answer", "\"undecided\"");
  dls_verification *v = verify(&s);
  assert_int_equal(find(v, "newton")->found, DLS_FOUND_FAILS);
  dls_verification_free(v);
  close_subject(&s);
}

// An impact where nothing hits, and parts that are malformed.
static void hostile_reports(void **unused)
{
  (void)unused;
  subject s = report_on(cradle, "struck");
  const char *const paths[] = {"impact/newton",
                               "impact/moreau",
                               "impact/percussions",
                               "impact/velocities_after",
                               "impact/kinetic_energy",
                               "impact/restitution",
                               "impact/jump",
                               "impact/normal_velocities",
                               "impact/moreau/solutions"};
  const char *const values[] = {"null", "[]", "{}", "3", "\"x\"", "[[1]]", "{\"left\": {}}"};
  for (size_t p = 0; p < sizeof paths / sizeof *paths; p++)
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
      at_case("%s, %s", paths[p], values[k]);
      json_t *kept = json_deep_copy(s.report);
      put(s.report, paths[p], values[k]);
      dls_verification *v = verify(&s);
      // what claims nothing may pass, but never as a motion
      if (p >= 2 && p < 8 && p != 5) assert_int_equal(find(v, "motion")->found, DLS_FOUND_FAILS);
      dls_verification_free(v);
      json_decref(s.report);
      s.report = kept;
    }
  put(s.report, "v", "[0, 0, 0]");
  put(s.report, "contacts/0/status", "\"sticking\"");
  put(s.report, "contacts/0/normal_velocity", "0");
  dls_verification *v = verify(&s);
  assert_non_null(strstr(find(v, "")->why, "no contact is impacting"));
  dls_verification_free(v);
  close_subject(&s);
}

// ---- the report for people ---------------------------------------------------------------------

static void page(void **unused)
{
  (void)unused;
  subject s = report_on(cradle, "struck");
  assert_non_null(strstr(s.text, "Impact, by Newton's law\n"));
  assert_non_null(strstr(s.text, "velocities   x1' = 0, x2' = 0, x3' = 1"));
  assert_non_null(strstr(s.text, "0.5 → 0.5; the contacts keep it"));
  assert_non_null(strstr(s.text, "velocity -1 → 0"));
  close_subject(&s);
  s = report_on(stubborn, "struck");
  assert_non_null(strstr(s.text, "Impact, by Moreau's law; Newton's law cannot hold\n"));
  assert_non_null(strstr(s.text, "1 → 0.49; the contacts take 0.51"));
  close_subject(&s);
  s = report_on(block, "struck");
  assert_non_null(strstr(s.text, "Moreau's law with friction"));
  assert_non_null(strstr(s.text, "velocity -1 → 0, sticks"));
  assert_null(strstr(s.text, " \n"));
  int lines = 0;
  for (const char *c = s.text; *c; c++) lines += *c == '\n';
  assert_true(lines <= 40);
  close_subject(&s);
  s = report_on("coordinate x\nkinetic x'^2/2\nunilateral left: x - t >= 0\n"
                "unilateral right: -x - t >= 0\nstate hit: t = 0\n",
                "hit");
  assert_non_null(strstr(s.text, "Impact: no velocities after it fulfil the laws"));
  assert_true(json_is_null(value_at(s.report, "impact/law")));
  dls_verification *v = verify(&s);
  assert_true(v->holds && find(v, "motion")->found == DLS_FOUND_HOLDS);
  dls_verification_free(v);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_models),
      cmocka_unit_test(forgeries_fail),
      cmocka_unit_test(refusal_needs_uniqueness),
      cmocka_unit_test(another_law_is_no_witness),
      cmocka_unit_test(hostile_reports),
      cmocka_unit_test(page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
