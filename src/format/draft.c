#include "format/draft.h"

#include <string.h>

const char *dls_draft_name(dls_file_reading *reading, dls_name_table *table,
                           const dls_name_table *avoid, const char *name, const char *base,
                           int number)
{
  if (reading->status) return "";
  if (name && *name) {
    const char *copy = dls_reading_keep_text(reading, name);
    if (!copy || dls_name_table_add(reading, table, copy, 0)) return copy ? copy : "";
  }
  for (;; number++) {
    const char *made = dls_reading_keep_format(reading, "%s_%d", base, number);
    if (made && avoid && dls_name_table_find(avoid, made) >= 0) continue;
    if (!made || dls_name_table_add(reading, table, made, 0)) return made ? made : "";
  }
}

// The table's names are of pairs: the number of the body, and the name on it.
void dls_draft_name_solids(dls_file_reading *reading, dls_draft *draft)
{
  int *count = dls_reading_work(reading, (ptrdiff_t)draft->bodys + 1, sizeof *count);
  int *next = dls_reading_work(reading, (ptrdiff_t)draft->bodys + 1, sizeof *next);
  if (!count || !next) return;
  for (int k = 0; k < draft->solids; k++) count[draft->solid[k].body + 1]++;
  // given names first: made ones must not take them
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < draft->solids && !reading->status; k++) {
      dls_solid *s = &draft->solid[k];
      const bool given = s->name && *s->name;
      if (given != (pass == 0)) continue;
      if (!given && count[s->body + 1] == 1) {
        s->name = "";
        continue;
      }
      const char *name = s->name;
      for (bool made = !given;; made = true) {
        if (made) name = dls_reading_keep_format(reading, "solid_%d", ++next[s->body + 1]);
        const char *key = dls_reading_keep_format(reading, "%d:%s", s->body, name ? name : "");
        if (!key || dls_name_table_add(reading, &draft->solid_names, key, k)) break;
      }
      s->name = name;
    }
  }
}

static int width(dls_joint_kind kind, bool configuration)
{
  switch (kind) {
  case DLS_JOINT_FREE: return configuration ? 7 : 6;
  case DLS_JOINT_BALL: return configuration ? 4 : 3;
  case DLS_JOINT_HINGE:
  case DLS_JOINT_SLIDE: break;
  }
  return 1;
}

int dls_draft_start(const dls_draft *draft, int joint)
{
  int sum = 0;
  for (int k = 0; k < joint; k++) sum += width(draft->joint[k].kind, true);
  return sum;
}

int dls_draft_coordinates(const dls_draft *draft)
{
  return dls_draft_start(draft, draft->joints);
}

int dls_draft_velocities(const dls_draft *draft)
{
  int sum = 0;
  for (int k = 0; k < draft->joints; k++) sum += width(draft->joint[k].kind, false);
  return sum;
}

void dls_draft_reference(const dls_draft *draft, double *q)
{
  for (int k = 0; k < draft->joints; k++) {
    const dls_joint *j = &draft->joint[k];
    switch (j->kind) {
    case DLS_JOINT_FREE:
      memcpy(q, draft->body[j->body].pose.position, 3 * sizeof *q);
      memcpy(q + 3, draft->body[j->body].pose.quaternion, 4 * sizeof *q);
      break;
    case DLS_JOINT_BALL:
      memset(q, 0, 4 * sizeof *q);
      q[0] = 1;
      break;
    case DLS_JOINT_HINGE:
    case DLS_JOINT_SLIDE: q[0] = j->reference; break;
    }
    q += width(j->kind, true);
  }
}

// ---- the import
// ----------------------------------------------------------------------------------

// First, so that dls_import_free finds the arena.
typedef struct whole {
  dls_import import;
  dls_arena *arena;
} whole;

static const void *keep(dls_file_reading *reading, const void *array, int count, size_t size)
{
  void *copy = dls_reading_keep(reading, count, size);
  if (copy && count > 0) memcpy(copy, array, (size_t)count * size);
  return copy;
}

dls_import *dls_draft_finish(dls_file_reading *reading, const dls_draft *draft)
{
  whole *w = dls_reading_keep(reading, 1, sizeof *w);
  if (!w) return NULL;
#define KEEP(array, count) keep(reading, array, count, sizeof *(array))
  w->import = (dls_import){
      .mechanism =
          {
              .gravity = {draft->gravity[0], draft->gravity[1], draft->gravity[2]},
              .bodies = draft->bodys,
              .joints = draft->joints,
              .closures = draft->closures,
              .solids = draft->solids,
              .rules = draft->rules,
              .tendons = draft->tendons,
              .actuators = draft->actuators,
              .body = KEEP(draft->body, draft->bodys),
              .joint = KEEP(draft->joint, draft->joints),
              .closure = KEEP(draft->closure, draft->closures),
              .solid = KEEP(draft->solid, draft->solids),
              .rule = KEEP(draft->rule, draft->rules),
              .tendon = KEEP(draft->tendon, draft->tendons),
              .actuator = KEEP(draft->actuator, draft->actuators),
          },
      .states = draft->states,
      .notes = reading->notes.count,
      .state = KEEP(draft->state, draft->states),
      .note = KEEP(reading->notes.note, reading->notes.count),
  };
#undef KEEP
  if (reading->status) return NULL;
  w->arena = reading->arena;
  return &w->import;
}

void dls_import_free(dls_import *import)
{
  if (import) dls_arena_free(((whole *)import)->arena);
}
