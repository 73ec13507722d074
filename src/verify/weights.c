// Solutions and intervals of a report in the words of the problem with weights.        eq (dry.1)
//
// A report shows a contact whose friction has a given bound as one; in the problem it is two, NAME
// and what the weight presses, "friction of NAME".
#include "verify/weights.h"

#include <string.h>

// The name of what the weight presses.
static const char *pressed(const dls_seen_state *s, int k)
{
  const dls_problem *p = &s->weighted;
  return p->unilateral[p->m_u - s->weights + k];
}

static void move(json_t *from, json_t *to, const char *key, bool *good)
{
  json_t *value = json_object_get(from, key);
  if (!value) return;
  *good &= json_object_set(to, key, value) == 0;
  json_object_del(from, key);
}

// The force of weight k out of that of its contact. Friction alone has no other force than 0.
static bool part_force(const dls_seen_state *s, int k, json_t *forces)
{
  const dls_seen_contact *c = &s->contacts[s->weighed[k]];
  json_t *own = json_object_get(forces, c->info->name), *part = json_object();
  bool good = part != NULL;
  if (json_is_object(own)) {
    const json_t *mode = json_object_get(own, "mode");
    const char *word = json_is_string(mode) ? json_string_value(mode) : "";
    const bool opens = strcmp(word, "detach") == 0;
    const json_t *normal = json_object_get(own, "normal");
    const bool none = json_is_number(normal) && json_number_value(normal) == 0;
    move(own, part, "tangential", &good);
    move(own, part, "slip_acceleration", &good);
    if (!c->info->dry) good &= json_object_set_new(own, "tangential", json_array()) == 0;
    if (!opens) move(own, part, "mode", &good);
    if (!opens && !c->info->dry && word[0])
      good &= json_object_set_new(own, "mode", json_string("frictionless")) == 0;
    if (none || !c->info->dry) good &= json_object_set_new(part, "normal", json_real(c->most)) == 0;
    if (c->info->dry) json_object_del(forces, c->info->name);
  }
  return json_object_set_new(forces, pressed(s, k), part) == 0 && good;
}

static bool part_range(const dls_seen_state *s, int k, json_t *ranges)
{
  const dls_seen_contact *c = &s->contacts[s->weighed[k]];
  json_t *own = json_object_get(ranges, c->info->name), *part = json_object();
  bool good = part != NULL;
  if (!json_is_object(own) || !good) {
    json_decref(part);
    return good;
  }
  move(own, part, "tangential", &good);
  if (c->info->dry) {  // its normal interval is 0, 0
    const json_t *normal = json_object_get(own, "normal");
    for (size_t e = 0; normal && e < 2; e++)
      if (json_number_value(json_array_get(normal, e)) != 0) move(own, part, "normal", &good);
    json_object_del(ranges, c->info->name);
  } else if (json_object_get(part, "tangential") && json_object_get(own, "normal")) {
    good &= json_object_set_new(own, "tangential", json_array()) == 0;
  }
  if (!c->info->dry && json_object_size(own) == 0) json_object_del(ranges, c->info->name);
  if (json_object_size(part) > 0)
    return json_object_set_new(ranges, pressed(s, k), part) == 0 && good;
  json_decref(part);
  return good;
}

bool dls_weights_open(const dls_seen_state *s, const dls_saved_report *saved,
                      dls_saved_report *opened)
{
  *opened = *saved;
  opened->solutions = json_deep_copy(saved->solutions);
  opened->force_ranges = json_deep_copy(saved->force_ranges);
  bool good =
      (opened->solutions || !saved->solutions) && (opened->force_ranges || !saved->force_ranges);
  for (int k = 0; k < s->weights && good; k++) {
    for (ptrdiff_t i = 0; i < dls_json_length(opened->solutions) && good; i++) {
      json_t *forces = json_object_get(dls_json_item(opened->solutions, i), "forces");
      if (json_is_object(forces)) good = part_force(s, k, forces);
    }
    if (json_is_object(opened->force_ranges)) good = good && part_range(s, k, opened->force_ranges);
  }
  return good;
}

void dls_weights_close(dls_saved_report *opened)
{
  json_decref(opened->solutions);
  json_decref(opened->force_ranges);
  opened->solutions = opened->force_ranges = NULL;
}
