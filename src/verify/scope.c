// What stands in a report, key by key: the state that it is about, claims that are checked,
// witnesses, words, and numbers of which there is no proof. Nothing is passed over in silence.
#include "verify/scope.h"

#include <stdio.h>
#include <string.h>

typedef enum kind {
  STATE,     // what the report is about
  CLAIM,     // checked, each in its place
  WITNESS,   // not a claim
  WORDS,     // explain, and claim nothing that is not claimed elsewhere
  UNPROVEN,  // numbers without a proof
  MARK,      // says so where they stand
} kind;

// A star stands for one key or index, two for all that follows. The first pattern that fits counts.
static const struct {
  const char *pattern;
  kind kind;
} scope[] = {
    {"model", STATE},
    {"title", STATE},
    {"state", STATE},
    {"object", STATE},
    {"time", STATE},
    {"tolerance", STATE},
    {"tolerance_velocity", STATE},
    {"tolerance_relative", STATE},
    {"parameters.**", STATE},
    {"q.**", STATE},
    {"v.**", STATE},
    {"unproven.**", WORDS},
    {"proven.**", MARK},
    {"mass.proven.**", MARK},
    {"constraints.proven.**", MARK},
    {"reduced.proven.**", MARK},
    {"projection.proven", MARK},
    {"sticking.proven", MARK},
    {"verdicts.*.proven.**", MARK},
    {"solutions.*.proven.**", MARK},
    {"friction.*.proven.**", MARK},
    {"impact.proven.**", MARK},
    {"impact.incremental.proven", MARK},
    {"impact.newton.feasible.proven.**", MARK},
    {"impact.moreau.*.proven.**", MARK},
    {"impact.moreau_matrix.*.proven.**", MARK},
    {"impact.compression.*.proven.**", MARK},
    {"impact.*.solutions.*.proven.**", MARK},
    {"notes.**", WORDS},
    {"verdicts.*.witness.**", WITNESS},
    {"impact.*.*.witness.**", WITNESS},
    {"friction.*.low_witness.**", WITNESS},
    {"friction.*.high_witness.**", WITNESS},
    {"covering.**", WITNESS},
    {"impact.*.covering.**", WITNESS},
    {"verdicts.*.by", WORDS},
    {"impact.*.*.by", WORDS},
    {"friction.*.by", WORDS},
    {"friction.*.reason", WORDS},
    {"mass.condition_reason", WORDS},
    {"delassus.reason", WORDS},
    {"delassus_unconstrained.reason", WORDS},
    {"kinetic_angles.reason", WORDS},
    {"impact.reason", WORDS},
    {"verdicts.*.margin", UNPROVEN},
    {"impact.newton.feasible.margin", UNPROVEN},
    {"impact.moreau.*.margin", UNPROVEN},
    {"impact.moreau_matrix.*.margin", UNPROVEN},
    {"impact.compression.*.margin", UNPROVEN},
    {"impact.restitution_phase.**", UNPROVEN},
    {"mass.eigenvalues.**", UNPROVEN},
    {"constraints.singular_values.**", UNPROVEN},
    {"constraints.nonzero_above", UNPROVEN},
    {"constraints.zero_below", UNPROVEN},
    {"residual", UNPROVEN},
    {"solutions.*.residual", UNPROVEN},
    {"impact.residual", UNPROVEN},
    {"impact.*.solutions.*.residual", UNPROVEN},
    {"reduced.delassus_difference", UNPROVEN},
    {"reduced.acceleration_difference", UNPROVEN},
    {"reduced.multiplier_difference", UNPROVEN},
    {"reduced.dual_difference", UNPROVEN},
    {"impact.projection_difference", UNPROVEN},
    {"impact.incremental.**", UNPROVEN},
    {"projection.**", UNPROVEN},
    {"sticking.**", UNPROVEN},
    {"coordinates.*", CLAIM},
    {"velocities.*", CLAIM},
    {"contacts.*.name", CLAIM},
    {"contacts.*.bodies.*", CLAIM},
    {"contacts.*.features.*", CLAIM},
    {"contacts.*.point.*", CLAIM},
    {"contacts.*.normal.*", CLAIM},
    {"contacts.*.tangents.**", CLAIM},
    {"contacts.*.kind", CLAIM},
    {"contacts.*.rolling", CLAIM},
    {"contacts.*.status", CLAIM},
    {"contacts.*.gap", CLAIM},
    {"contacts.*.normal_velocity", CLAIM},
    {"contacts.*.slip.*", CLAIM},
    {"contacts.*.friction", CLAIM},
    {"contacts.*.friction_force", CLAIM},
    {"contacts.*.static_friction", CLAIM},
    {"contacts.*.restitution", CLAIM},
    {"mass.rank", CLAIM},
    {"mass.definite", CLAIM},
    {"mass.condition", CLAIM},
    {"constraints.rank", CLAIM},
    {"constraints.count", CLAIM},
    {"constraints.bilateral", CLAIM},
    {"constraints.unilateral", CLAIM},
    {"constraints.dependencies.**", WITNESS},
    {"delassus.names.*", CLAIM},
    {"delassus.matrix.**", CLAIM},
    {"delassus_unconstrained.names.*", CLAIM},
    {"delassus_unconstrained.matrix.**", CLAIM},
    {"kinetic_angles.names.*", CLAIM},
    {"kinetic_angles.radians.**", CLAIM},
    {"solution_count", CLAIM},
    {"solutions.*.acceleration.*", CLAIM},
    {"solutions.*.forces.*.normal", CLAIM},
    {"solutions.*.forces.*.tangential.*", CLAIM},
    {"solutions.*.forces.*.mode", CLAIM},
    {"solutions.*.forces.*.normal_acceleration", CLAIM},
    {"solutions.*.forces.*.slip_acceleration.*", CLAIM},
    {"solutions.*.continuum", CLAIM},
    {"force_ranges.*.normal.*", CLAIM},
    {"force_ranges.*.tangential.*.*", CLAIM},
    {"gauss.primal", CLAIM},
    {"gauss.dual", CLAIM},
    {"reduced.applies", CLAIM},
    {"reduced.dependent.*", CLAIM},
    {"reduced.independent.*", CLAIM},
    {"reduced.matrix.**", CLAIM},
    {"verdicts.*.answer", CLAIM},
    {"friction.sufficient.value", CLAIM},
    {"friction.critical.value", CLAIM},
    {"friction.critical.low", CLAIM},
    {"friction.critical.high", CLAIM},
    {"friction.least_for_sticking.value", CLAIM},
    {"friction.least_for_sticking.low", CLAIM},
    {"friction.least_for_sticking.high", CLAIM},
    {"friction.least_for_sticking.attained", CLAIM},
    {"friction.least_for_sticking.proven", CLAIM},
    {"impact.law", CLAIM},
    {"impact.velocities_after.*", CLAIM},
    {"impact.jump.*", CLAIM},
    {"impact.percussions.**", CLAIM},
    {"impact.percussion_ranges.*.normal.*", CLAIM},
    {"impact.percussion_ranges.*.tangential.*.*", CLAIM},
    {"impact.normal_velocities.**", CLAIM},
    {"impact.slip_velocities.**", CLAIM},
    {"impact.kinetic_energy.*", CLAIM},
    {"impact.continuum", CLAIM},
    {"impact.restitution.names.*", CLAIM},
    {"impact.restitution.matrix.**", CLAIM},
    {"impact.kinetic_angles.names.*", CLAIM},
    {"impact.kinetic_angles.radians.**", CLAIM},
    {"impact.newton.feasible.answer", CLAIM},
    {"impact.newton.separates", CLAIM},
    {"impact.newton.velocities_after.*", CLAIM},
    {"impact.newton.kinetic_energy.*", CLAIM},
    {"impact.*.exists.answer", CLAIM},
    {"impact.*.unique.answer", CLAIM},
    {"impact.*.percussions_unique.answer", CLAIM},
    {"impact.*.solution_count", CLAIM},
    {"impact.*.solutions.*.velocities_after.*", CLAIM},
    {"impact.*.solutions.*.jump.*", CLAIM},
    {"impact.*.solutions.*.percussions.**", CLAIM},
    {"impact.*.solutions.*.normal_velocities.**", CLAIM},
    {"impact.*.solutions.*.slip_velocities.**", CLAIM},
    {"impact.*.solutions.*.kinetic_energy.*", CLAIM},
    {"impact.*.solutions.*.continuum", CLAIM},
};
enum { PATTERNS = sizeof scope / sizeof *scope };

static bool fits(const char *pattern, const char *path)
{
  while (*pattern) {
    if (strcmp(pattern, "**") == 0) return true;
    if (*pattern == '*') {
      pattern++;
      while (*path && *path != '.') path++;
      continue;
    }
    // "a.**" is a itself, too
    if (!*path && strcmp(pattern, ".**") == 0) return true;
    if (*pattern++ != *path++) return false;
  }
  return *path == 0;
}

// Dots are between keys: those within one, such as the row of a joint, stand as this.
enum { DOT_IN_KEY = 1 };

static void add_key(char *path, size_t size, const char *key)
{
  const size_t length = strlen(path);
  snprintf(path + length, size - length, "%s%.60s", length ? "." : "", key);
  for (char *c = path + length + (length > 0); *c; c++)
    if (*c == '.') *c = DOT_IN_KEY;
}

static void show_dots(char *path)
{
  for (; *path; path++)
    if (*path == DOT_IN_KEY) *path = '.';
}

typedef struct walk {
  dls_scope_count *out;
  const char *key;      // only what stands below it; NULL: all
  int found[PATTERNS];  // numbers, and yes or no, below each pattern
  char path[200];
} walk;

// Some pattern begins with the first key of the path.
static bool is_known(const char *path)
{
  const size_t length = strcspn(path, ".");
  for (int k = 0; k < PATTERNS; k++)
    if (strcspn(scope[k].pattern, ".") == length && strncmp(scope[k].pattern, path, length) == 0)
      return true;
  return false;
}

// Keys that this version does not know: all of them below one that it does, else the first.
static void note_unknown(walk *w)
{
  dls_scope_count *out = w->out;
  char name[sizeof out->unknown[0]];
  snprintf(name, sizeof name, "%.60s", w->path);
  if (!is_known(name)) name[strcspn(name, ".")] = 0;
  show_dots(name);
  for (int k = 0; k < out->unknowns; k++)
    if (strcmp(out->unknown[k], name) == 0) return;
  if (out->unknowns < DLS_SCOPE_UNKNOWN)
    snprintf(out->unknown[out->unknowns++], sizeof name, "%s", name);
}

static void note_value(walk *w, const json_t *value)
{
  int k = 0;
  while (k < PATTERNS && !fits(scope[k].pattern, w->path)) k++;
  if (k < PATTERNS) w->found[k] += json_is_number(value) || json_is_boolean(value);
  else if (!json_is_null(value)) note_unknown(w);
  // a mark says what is not proven; nothing may say of it that it is
  if (k < PATTERNS && scope[k].kind == MARK && !json_is_false(value) && !w->out->false_mark[0])
    snprintf(w->out->false_mark, sizeof w->out->false_mark, "%.100s", w->path),
        show_dots(w->out->false_mark);
  if (!json_is_number(value)) return;
  if (k == PATTERNS || scope[k].kind == UNPROVEN) w->out->unproven++;
  else if (scope[k].kind == CLAIM) w->out->proven++;
}

static void visit(walk *w, const json_t *value);

static void descend(walk *w, const char *key, size_t index, const json_t *value)
{
  const size_t length = strlen(w->path);
  if (key) add_key(w->path, sizeof w->path, key);
  else snprintf(w->path + length, sizeof w->path - length, ".%zu", index);
  visit(w, value);
  w->path[length] = 0;
}

// As deep as reports go, which jansson limits.
static void visit(walk *w, const json_t *value)  // NOLINT(misc-no-recursion)
{
  json_t *object = (json_t *)value;
  if (!json_is_object(value) && !json_is_array(value)) note_value(w, value);
  for (size_t i = 0; i < json_array_size(value); i++) descend(w, NULL, i, json_array_get(value, i));
  if (!json_is_object(value)) return;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
    descend(w, json_object_iter_key(at), 0, json_object_iter_value(at));
}

int dls_scope_below(const json_t *report, const char *group, const char *name)
{
  dls_scope_count count = {0};
  walk w = {.out = &count};
  const json_t *value = json_object_get(report, group), *all = value;
  add_key(w.path, sizeof w.path, group);
  if (name[0]) value = json_object_get(value, name);
  // "percussion_ranges.floor"
  if (!value && strchr(name, '.')) {
    char key[61];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(name, "."), name);
    name = strchr(name, '.') + 1;
    value = json_object_get(json_object_get(all, key), name);
    add_key(w.path, sizeof w.path, key);
  }
  if (name[0]) add_key(w.path, sizeof w.path, name);
  if (value) visit(&w, value);
  return count.proven;
}

void dls_scope_of(const json_t *report, dls_scope_count *out)
{
  walk w = {.out = out};
  *out = (dls_scope_count){0};
  visit(&w, report);
  for (int k = 0; k < PATTERNS; k++)
    if (scope[k].kind == UNPROVEN && w.found[k] > 0 && out->patterns < DLS_SCOPE_PATTERNS)
      out->pattern[out->patterns++] = scope[k].pattern;
}
