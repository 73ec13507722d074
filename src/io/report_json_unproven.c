// What the JSON report says and nothing proves: marked where it stands, and listed by its keys.
//
// The mark is "proven": false in an object of which nothing is proven, and {KEY: false} in one of
// which that is so of single numbers.
#include "io/report_build.h"

#include <stdio.h>
#include <string.h>

static bool has_value(const json_t *value, const char *pattern);

// One step down, where the first name of the pattern fits.
static bool child_has(const json_t *child, const char *key, const char *pattern)
{
  const size_t length = strcspn(pattern, ".");
  const char *rest = pattern[length] ? pattern + length + 1 : pattern + length;
  if (strcmp(pattern, "**") == 0) return has_value(child, pattern);
  if (pattern[0] == '*') return has_value(child, rest);
  return key && strlen(key) == length && strncmp(key, pattern, length) == 0 &&
         has_value(child, rest);
}

// Is there a number, or a yes or no, at the pattern, "verdicts.*.margin"? A star stands for one key
// or index, two at the end for all that follows.
static bool has_value(const json_t *value, const char *pattern)  // NOLINT(misc-no-recursion)
{
  const bool found = json_is_number(value) || json_is_boolean(value);
  if (!*pattern || found) return found && (!*pattern || strcmp(pattern, "**") == 0);
  for (size_t i = 0; i < json_array_size(value); i++)
    if (child_has(json_array_get(value, i), NULL, pattern)) return true;
  if (!json_is_object(value)) return false;
  json_t *object = (json_t *)value;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
    if (child_has(json_object_iter_value(at), json_object_iter_key(at), pattern)) return true;
  return false;
}

// Marks what has the first `length` letters of the pattern as its key in the object, or all of it.
static void mark(dls_build *b, json_t *object, const char *pattern, size_t length)
{
  char key[64];
  snprintf(key, sizeof key, "%.*s", (int)length, pattern);
  json_t *value = json_object_get(object, key), *marks = json_object_get(object, "proven");
  if (!value || json_is_false(marks)) return;
  if (json_is_object(value)) {
    dls_build_put(b, value, "proven", json_false());
  } else {
    if (!marks) dls_build_put(b, object, "proven", json_object());
    dls_build_put(b, json_object_get(object, "proven"), key, json_false());
  }
}

// Goes down the pattern to the objects that its last key stands in.
static void mark_all(dls_build *b, json_t *at, const char *pattern)  // NOLINT(misc-no-recursion)
{
  const size_t length = strcspn(pattern, ".");
  const char *rest = pattern + length + (pattern[length] == '.');
  if (!has_value(at, pattern)) return;
  if (pattern[0] != '*' && (!*rest || strcmp(rest, "**") == 0)) {
    mark(b, at, pattern, length);
    return;
  }
  for (size_t i = 0; pattern[0] == '*' && i < json_array_size(at); i++)
    mark_all(b, json_array_get(at, i), rest);
  for (void *i = json_is_object(at) ? json_object_iter(at) : NULL; i;
       i = json_object_iter_next(at, i)) {
    const char *key = json_object_iter_key(i);
    if (pattern[0] == '*' || (strlen(key) == length && strncmp(key, pattern, length) == 0))
      mark_all(b, json_object_iter_value(i), rest);
  }
}

void dls_build_unproven(dls_build *b, json_t *report)
{
  static const char *const keys[] = {"verdicts.*.margin",
                                     "impact.newton.feasible.margin",
                                     "impact.moreau.*.margin",
                                     "impact.moreau_matrix.*.margin",
                                     "impact.compression.*.margin",
                                     "impact.restitution_phase.**",
                                     "mass.eigenvalues.**",
                                     "constraints.singular_values.**",
                                     "constraints.nonzero_above",
                                     "constraints.zero_below",
                                     "residual",
                                     "solutions.*.residual",
                                     "impact.residual",
                                     "impact.*.solutions.*.residual",
                                     "reduced.delassus_difference",
                                     "reduced.acceleration_difference",
                                     "reduced.multiplier_difference",
                                     "reduced.dual_difference",
                                     "impact.projection_difference",
                                     "impact.incremental.**",
                                     "projection.**",
                                     "sticking.**"};
  json_t *array = json_array();
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    if (!has_value(report, keys[k])) continue;
    dls_build_append(b, array, json_string(keys[k]));
    mark_all(b, report, keys[k]);
  }
  dls_build_put(b, report, "unproven", array);
}
