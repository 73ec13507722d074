// Every single number, word and answer of true reports is changed, one at a time: the checker must
// notice, unless it says itself that it does not prove what stands there.
#include "body_models.h"
#include "problem_maker.h"
#include "verify_case.h"

#include <dirent.h>
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

static const char bounce[] = "parameter e = 1, w = 0\n"
                             "coordinate x, y\n"
                             "kinetic x'^2/2 + y'^2 + x'*y'/4\n"
                             "potential 9.81*y\n"
                             "unilateral floor: y + x/2 >= 0 { restitution e }\n"
                             "unilateral wall: x >= 0 { restitution e/2 }\n"
                             "state falling: x' = -1, y' = -2\n";
// A bar that falls on three supports: impulses p, q, r with p + q + r and p - r given.
static const char dropped[] = "parameter mu = 0\n"
                              "coordinate y, a, x\n"
                              "kinetic y'^2 + a'^2/2 + x'^2\n"
                              "unilateral left:   y - a >= 0 { slip x'; friction mu }\n"
                              "unilateral middle: y >= 0     { slip x'; friction mu }\n"
                              "unilateral right:  y + a >= 0 { slip x'; friction mu }\n"
                              "state hit: y' = -1, a' = 0.25, x' = 0.2\n";
static const char rubbing[] =
    "parameter e = 0.5, mu = 0.3\n"
    "coordinate x, y = sin(a), a = 0.7\n"
    "kinetic (x'^2 + y'^2)/2 + a'^2/6\n"
    "potential 9.81*y\n"
    "unilateral tip: y - sin(a) >= 0 { slip x' + sin(a)*a'; friction mu; restitution e }\n"
    "state hit: x' = 1, y' = -2, a' = 0.3\n";
static const char linked_hit[] = "coordinate x, y, z\n"
                                 "kinetic (x'^2 + 2*y'^2 + z'^2)/2\n"
                                 "bilateral bar: x - y = 0\n"
                                 "unilateral a: x + z >= 0 { restitution 0.5 }\n"
                                 "unilateral b: z - x >= 0 { restitution 1 }\n"
                                 "restitution a b = 0.1\n"
                                 "state hit: x' = -1, y' = -1, z' = -2\n";

// In paths, for dots within a key, such as the name of a joint's row.
enum { DOT_IN_KEY = 1 };

typedef struct mutation {
  subject *s;
  const char *label;
  char path[300];
  int tried, missed, left;
  int count, stride;  // every how many changes are made
} mutation;

static bool show(void)
{
  const char *table = getenv("DLS_TEST_TABLE");
  return table && table[0] == '1';
}

static bool everything(void)
{
  const char *all = getenv("DLS_TEST_ALL");
  return all && all[0] == '1';
}

// "a.*.c" against "a.b.c": a star stands for one name, two at the end for all that follow.
static bool matches(const char *pattern, const char *path)
{
  while (*pattern) {
    if (strcmp(pattern, "**") == 0) return true;
    if (*pattern == '*') {
      pattern++;
      while (*path && *path != '.') path++;
      continue;
    }
    if (*pattern++ != *path++) return false;
  }
  return *path == 0;
}

// What is no claim: the state that the report is about, witnesses, and words that only explain.
static bool is_claim(const char *path)
{
  static const char *const others[] = {"model",
                                       "title",
                                       "state",
                                       "time",
                                       "tolerance",
                                       "tolerance_velocity",
                                       "tolerance_relative",
                                       "parameters.**",
                                       "q.**",
                                       "v.**",
                                       "notes.**",
                                       "unproven.**",
                                       "covering.**",
                                       "constraints.dependencies.**",
                                       "verdicts.*.by",
                                       "verdicts.*.witness",
                                       "verdicts.*.witness.**",
                                       "impact.*.covering.**",
                                       "impact.*.*.by",
                                       "impact.*.*.witness.**",
                                       "impact.reason",
                                       "friction.*.by",
                                       "friction.*.low_witness.**",
                                       "friction.*.high_witness.**",
                                       "friction.*.reason",
                                       "mass.condition_reason",
                                       "delassus.reason",
                                       "delassus_unconstrained.reason",
                                       "kinetic_angles.reason"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (matches(others[k], path)) return false;
  return true;
}

// Around a value: a wider one is true as well. Where no friction is enough there is one number.
static bool is_bracket_of_least(const mutation *m)
{
  const json_t *limits = json_object_get(m->s->report, "friction");
  const json_t *least = json_object_get(limits, "least_for_sticking");
  return json_is_number(json_object_get(least, "value")) &&
         (matches("friction.least_for_sticking.low", m->path) ||
          matches("friction.least_for_sticking.high", m->path));
}

// A contact whose gradient is zero: its force does nothing, and may be any.
static bool does_nothing(const json_t *report, const char *contact)
{
  size_t index;
  json_t *sum, *value;
  const json_t *all = json_object_get(json_object_get(report, "constraints"), "dependencies");
  json_array_foreach(all, index, sum)
  {
    const char *name;
    int terms = 0;
    json_object_foreach(sum, name, value) terms += json_number_value(value) != 0;
    if (terms == 1 && json_number_value(json_object_get(sum, contact)) != 0) return true;
  }
  return false;
}

// Whether the motion of Poisson's law is one of many is left open, whatever is said of it.
static bool is_continuum_of_phases(const mutation *m)
{
  const char *law =
      json_string_value(json_object_get(json_object_get(m->s->report, "impact"), "law"));
  return law && strcmp(law, "Poisson") == 0 && matches("impact.continuum", m->path) &&
         json_is_string(json_object_get(json_object_get(m->s->report, "impact"), "continuum"));
}

// The force of a planar mechanism along which nothing can move: any is one of the solutions.
static bool is_across(const mutation *m)
{
  return strcmp(m->label, "arm") == 0 && matches("solutions.*.forces.*.tangential.1", m->path);
}

// Claims of which another one is true, too: a bound that is not the best, an acceleration of many,
// one of two modes at the border between them.
static bool may_be_true(const mutation *m)
{
  static const char *const others[] = {"friction.sufficient.value", "friction.critical.low",
                                       "friction.critical.high"};
  if (is_bracket_of_least(m) || is_continuum_of_phases(m) || is_across(m)) return true;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (matches(others[k], m->path)) return true;
  if (matches("solutions.*.acceleration.*", m->path)) {
    const json_t *first = json_array_get(json_object_get(m->s->report, "solutions"), 0);
    const char *many = json_string_value(json_object_get(first, "continuum"));
    return many && strcmp(many, "acceleration") == 0;
  }
  char contact[60] = "";
  if (sscanf(m->path, "solutions.%*d.forces.%59[^.].", contact) != 1) return false;
  const json_t *solution = json_array_get(json_object_get(m->s->report, "solutions"), 0);
  for (char *c = contact; *c; c++)
    if (*c == DOT_IN_KEY) *c = '.';
  if (matches("solutions.*.forces.*.normal", m->path)) return does_nothing(m->s->report, contact);
  if (!matches("solutions.*.forces.*.mode", m->path)) return false;
  const json_t *force = json_object_get(json_object_get(solution, "forces"), contact);
  return fabs(json_number_value(json_object_get(force, "normal"))) < 1e-9 &&
         fabs(json_number_value(json_object_get(force, "normal_acceleration"))) < 1e-9;
}

static bool is_listed(const mutation *m, const dls_verification *v)
{
  for (int k = 0; k < v->findings; k++)
    if (strcmp(v->finding[k].group, "unproven") == 0 && matches(v->finding[k].name, m->path))
      return true;
  return false;
}

static void try_value(mutation *m, json_t *parent, const char *key, size_t index, json_t *fresh)
{
  if (m->count++ % m->stride != 0) {
    json_decref(fresh);
    return;
  }
  json_t *old = json_incref(key ? json_object_get(parent, key) : json_array_get(parent, index));
  if (key) assert_int_equal(json_object_set_new(parent, key, fresh), 0);
  else assert_int_equal(json_array_set_new(parent, index, fresh), 0);
  char *text = json_dumps(m->s->report, JSON_REAL_PRECISION(17));
  dls_saved_report *saved = NULL;
  m->tried++;
  if (dls_saved_report_read(text, strlen(text), &saved, NULL) == DLS_OK) {
    dls_verification *v = NULL;
    assert_int_equal(dls_verify_run(saved, m->s->model, m->s->system, NULL, &v, NULL), DLS_OK);
    m->left += v->holds && is_listed(m, v);
    if (v->holds && !is_listed(m, v) && !may_be_true(m)) {
      m->missed++;
      if (show()) {
        char *was = json_dumps(old, JSON_ENCODE_ANY),
             *is = json_dumps(key ? json_object_get(parent, key) : json_array_get(parent, index),
                              JSON_ENCODE_ANY);
        print_message("MISSED %s: %s: %.40s -> %.40s\n", m->label, m->path, was, is);
        free(was), free(is);
      }
    }
    dls_verification_free(v);
  }
  dls_saved_report_free(saved);
  free(text);
  if (key) assert_int_equal(json_object_set_new(parent, key, old), 0);
  else assert_int_equal(json_array_set_new(parent, index, old), 0);
}

// The largest number next to it: what small means.
static double size_in(const json_t *parent)
{
  double size = 0;
  const char *key;
  json_t *value;
  size_t index;
  if (json_is_object(parent))
    json_object_foreach((json_t *)parent, key, value) size =
        fmax(size, fabs(json_number_value(value)));
  else json_array_foreach(parent, index, value) size = fmax(size, fabs(json_number_value(value)));
  return size;
}

static void try_words(mutation *m, json_t *parent, const char *key, size_t index, const char *word)
{
  static const char *const groups[][8] = {
      {"yes", "no"},
      {"lost", "kept", "gained"},
      {"Newton", "Moreau"},
      {"bilateral", "unilateral"},
      {"open", "separating", "impacting", "sliding", "sticking"},
      {"stick", "slide", "detach", "frictionless"},
      {"none", "forces", "acceleration"},
      {"none", "percussions", "velocities"}};
  bool known = false;
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    bool here = false;
    for (size_t k = 0; k < 8 && groups[g][k]; k++) here |= strcmp(groups[g][k], word) == 0;
    if (here && g >= 6 && strcmp(word, "none") == 0 &&
        (strncmp(m->path, "impact", 6) == 0) != (g == 7))
      here = false;
    for (size_t k = 0; here && k < 8 && groups[g][k]; k++)
      if (strcmp(groups[g][k], word) != 0)
        try_value(m, parent, key, index, json_string(groups[g][k]));
    known |= here;
  }
  char other[400];
  snprintf(other, sizeof other, "%s_", word);
  if (!known && strcmp(word, "undecided") != 0)
    try_value(m, parent, key, index, json_string(other));
}

static void walk(mutation *m, json_t *value);

static void mutate(mutation *m, json_t *parent, const char *key, size_t index, json_t *value)
{
  const size_t length = strlen(m->path);
  if (key) snprintf(m->path + length, sizeof m->path - length, "%s%s", length ? "." : "", key);
  else snprintf(m->path + length, sizeof m->path - length, ".%zu", index);
  for (char *c = m->path + length + (length > 0); key && *c; c++)
    if (*c == '.') *c = DOT_IN_KEY;
  if (json_is_object(value) || json_is_array(value)) {
    if (is_claim(m->path)) walk(m, value);
  } else if (is_claim(m->path)) {
    const double x = json_number_value(value), size = size_in(parent);
    if (json_is_integer(value)) {
      try_value(m, parent, key, index, json_integer(json_integer_value(value) + 1));
      if (json_integer_value(value) > 0)
        try_value(m, parent, key, index, json_integer(json_integer_value(value) - 1));
    } else if (json_is_real(value)) {
      // what is only rounding is no number to take a millionth of
      const double change = size > 1e-12 ? fmax(1e-2, fmax(fabs(x), size)) * 1e-6 : 1e-3;
      try_value(m, parent, key, index, json_real(x + change));
      try_value(m, parent, key, index, json_real(x - change));
    } else if (json_is_boolean(value)) {
      try_value(m, parent, key, index, json_boolean(!json_is_true(value)));
    } else if (json_is_null(value)) {
      try_value(m, parent, key, index, json_real(size > 0 ? 2 * size : 1));
      if (strstr(m->path, "continuum")) try_value(m, parent, key, index, json_string("none"));
    } else {
      try_words(m, parent, key, index, json_string_value(value));
    }
  }
  m->path[length] = 0;
}

static void walk(mutation *m, json_t *value)
{
  const char *key;
  void *next;
  json_t *child;
  size_t index;
  if (json_is_object(value)) {
    json_object_foreach_safe(value, next, key, child) mutate(m, value, key, 0, child);
  } else {
    json_array_foreach(value, index, child) mutate(m, value, NULL, index, child);
  }
}

static int missed, tried, left;

// The report and the checker name the same keys.
static void check_lists(const subject *s, const dls_verification *v)
{
  const json_t *list = json_object_get(s->report, "unproven");
  size_t count = 0;
  for (int k = 0; k < v->findings; k++) {
    if (strcmp(v->finding[k].group, "unproven") != 0) continue;
    bool found = false;
    for (size_t i = 0; i < json_array_size(list); i++)
      found |= strcmp(json_string_value(json_array_get(list, i)), v->finding[k].name) == 0;
    if (!found) fail_msg("%s is not in the report's list", v->finding[k].name);
    count++;
  }
  assert_int_equal(json_array_size(list), count);
  assert_true(v->proven > 0);
}

static void mutate_report(const char *label, subject *s, int stride)
{
  dls_verification *v = verify(s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s: %s.%s: %s", label, v->finding[k].group, v->finding[k].name, v->finding[k].why);
  assert_true(v->holds);
  check_lists(s, v);
  dls_verification_free(v);
  mutation m = {.s = s, .label = label, .stride = everything() ? 1 : stride};
  walk(&m, s->report);
  missed += m.missed, tried += m.tried, left += m.left;
  close_subject(s);
}

static void conclude(void)
{
  print_message("%d changes, %d not noticed, %d of what is said not to be proven\n", tried, missed,
                left);
  assert_int_equal(missed, 0);
  missed = tried = left = 0;
}

static void own_models(void **unused)
{
  (void)unused;
  const struct {
    const char *name, *model, *sets, *at;
  } cases[] = {{"shelf", shelf, 0, 0},
               {"regular", regular, 0, 0},
               {"clash", clash, 0, 0},
               {"jaws", jaws, 0, 0},
               {"pushed", pushed, 0, 0},
               {"idle", idle, 0, 0},
               {"pressed", pressed, 0, 0},
               {"linked", linked, 0, 0},
               {"adrift", adrift, 0, 0},
               {"ladder", ladder, 0, "falling"},
               {"ladder at rest", ladder, "mu=1.5", 0},
               {"rod", rod, 0, "left"},
               {"rod, none", rod, "mu=2", "left"},
               {"rod, two", rod, "mu=2, g=-1", "left"},
               {"block", block, 0, 0},
               {"block, sliding", block, "X=6", 0},
               {"grasp", grasp, 0, 0},
               {"touch", touch, 0, 0},
               {"corner", corner, 0, 0},
               {"belt", belt, 0, 0},
               {"spatial", spatial, 0, 0},
               {"spatial, sliding", spatial, 0, "sliding"},
               {"bounce", bounce, 0, "falling"},
               {"bounce, lossy", bounce, "e=0.3", "falling"},
               {"rubbing", rubbing, 0, "hit"},
               {"linked hit", linked_hit, 0, "hit"},
               {"dropped", dropped, 0, "hit"},
               {"dropped, rubbing", dropped, "mu=0.25", "hit"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    mutate_report(cases[k].name, &s, 1);
  }
  conclude();
}

// ---- bodies ------------------------------------------------------------------------------------

static void bodies(void **unused)
{
  (void)unused;
  const struct {
    const char *name, *model, *sets, *at;
    int stride;
  } cases[] = {{"bars", bars, 0, 0, 1},
               {"cube", cube, "mu=0", 0, 2},
               {"cube, rubbing", cube, 0, 0, 5},
               {"cube, sliding", cube, 0, "sliding", 5},
               {"cube, falling", cube, "mu=0", "hit", 5},
               {"stack", stack, "mu=0", 0, 3},
               {"stack, pushed", stack, "X=2", 0, 7},
               {"rollers", rollers, "mu=0", 0, 5},
               {"rollers, rolling", rollers, 0, "rolling", 7},
               {"arm", arm, "X=0.1", 0, 3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    mutate_report(cases[k].name, &s, cases[k].stride);
  }
  conclude();
}

// ---- examples, and models at random ------------------------------------------------------------

static void example(const char *directory, const char *file, int number)
{
  static char text[16384];
  char path[512];
  snprintf(path, sizeof path, "%s/examples/%s", directory, file);
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  const size_t length = fread(text, 1, sizeof text - 1, stream);
  fclose(stream);
  text[length] = 0;
  subject first = open_model(text, NULL);
  const int states = dls_model_state_count(first.model);
  // another state of each model each time would be better still: one is what the time allows
  const int at = states ? number % (states + 1) - 1 : -1;
  const char *name = at < 0 ? NULL : dls_model_state_name(first.model, at);
  subject s = ask_about(text, NULL, name);
  mutate_report(file, &s, 13);
  close_subject(&first);
}

static void examples(void **unused)
{
  (void)unused;
  const char *directory = getenv("DELASSUS_SOURCE");
  char path[512];
  snprintf(path, sizeof path, "%s/examples", directory ? directory : ".");
  DIR *folder = opendir(path);
  assert_non_null(folder);
  int number = 0;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    at_case("%s", entry->d_name);
    const size_t length = strlen(entry->d_name);
    if (length > 4 && strcmp(entry->d_name + length - 4, ".dls") == 0)
      example(directory ? directory : ".", entry->d_name, number++);
  }
  closedir(folder);
  assert_true(number > 20);
  conclude();
}

// A sum of coordinates with small coefficients.
static void write_sum(rng *r, int n, const char *prime, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "(%g)*x%d%s", rng_int(r, 1, 3) / 2.0 + 0.1,
                                 rng_int(r, 0, n - 1), prime);
  for (int i = 0; i < n; i++)
    if (rng_int(r, 0, 3) > 0)
      used += (size_t)snprintf(text + used, size - used, " + (%g)*x%d%s", rng_int(r, -6, 6) / 2.0,
                               i, prime);
}

static void write_model(rng *r, char *text, size_t size)
{
  const int n = rng_int(r, 1, 3), m = rng_int(r, 1, 3);
  char sum[200];
  size_t used = (size_t)snprintf(text, size, "coordinate x0");
  for (int i = 1; i < n; i++) used += (size_t)snprintf(text + used, size - used, ", x%d", i);
  used += (size_t)snprintf(text + used, size - used, "\nkinetic x0'^2/8");
  for (int i = 0; i < n; i++) {
    write_sum(r, n, "'", sum, sizeof sum);
    used += (size_t)snprintf(text + used, size - used, " + (%s)^2/2 + x%d'^2/4", sum, i);
  }
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, size - used, "\nforce x%d = %d", i, rng_int(r, -3, 3));
  for (int j = 0; j < m; j++) {
    const bool bilateral = rng_int(r, 0, 4) == 0;
    write_sum(r, n, "", sum, sizeof sum);
    used += (size_t)snprintf(text + used, size - used, "\n%s c%d: %s + (%g)*t^2 %s 0",
                             bilateral ? "bilateral" : "unilateral", j, sum,
                             rng_int(r, -1, 2) / 2.0, bilateral ? "=" : ">=");
    write_sum(r, n, "'", sum, sizeof sum);
    used += (size_t)snprintf(text + used, size - used, " { slip %s; friction %g }", sum,
                             rng_int(r, 0, 6) / 4.0);
  }
  snprintf(text + used, size - used, "\n");
}

static void random_models(void **unused)
{
  (void)unused;
  rng r = rng_create(14);
  static char text[4000];
  for (int k = 0; k < (everything() ? 200 : 25); k++) {
    at_case("k %d", k);
    write_model(&r, text, sizeof text);
    char label[24];
    snprintf(label, sizeof label, "random %d", k);
    if (show()) print_message("%s\n%s", label, text);
    subject s = ask_about(text, NULL, NULL);
    mutate_report(label, &s, 5);
  }
  conclude();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_models), cmocka_unit_test(bodies),
                                     cmocka_unit_test(examples), cmocka_unit_test(random_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
