// The set of contacts of a system of bodies: bilateral constraints, and the unilateral contacts
// that are selected.
#include "body/assembly.h"

#include "base/message.h"

#include <stdlib.h>

static bool room(void *array, ptrdiff_t *have, ptrdiff_t needed, size_t size)
{
  return dls_grow((void **)array, have, needed, size) == 0;
}

static dls_status no_memory(dls_message *message)
{
  return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
}

// Limits have the identities 1 ...; contacts of solids those behind.
static uint64_t id_of_row(const dls_assembly *a, int row)
{
  return (uint64_t)(row - a->bilateral) + 1;
}

static const dls_pair *pair_of_touch(const dls_assembly *a, int touch, const int **velocity,
                                     const unsigned char **side)
{
  const dls_touching *t = &a->touching;
  const dls_pair *pair = &t->pair[t->touch[touch].pair].pair;
  *velocity = t->velocity + pair->first;
  if (side) *side = t->side + pair->first;
  return pair;
}

// ---- columns ------------------------------------------------------------------------------------

typedef struct columns {
  int *p, *i;
  int count;
} columns;

static void put_column(columns *to, int count, const int *velocity)
{
  const int begin = to->p[to->count];
  dls_copy(to->i + begin, velocity, count);
  to->p[++to->count] = begin + count;
}

// Both lists of a pair, merged.
static void put_merged(columns *to, const dls_pair *pair, const int *velocity)
{
  int *out = to->i + to->p[to->count], length = 0, i = 0, j = pair->count;
  const int end = pair->count + pair->common;
  while (i < pair->count || j < end)
    out[length++] =
        j == end || (i < pair->count && velocity[i] < velocity[j]) ? velocity[i++] : velocity[j++];
  to->p[to->count + 1] = to->p[to->count] + length, to->count++;
}

static dls_contact_info info_of_row(const dls_assembly *a, int k)
{
  const dls_body_row *row = a->row + k;
  const bool dry = row->kind == DLS_BODY_ROW_DRY, closure = row->kind == DLS_BODY_ROW_CLOSURE;
  return (dls_contact_info){.name = row->name,
                            .kind = dry || closure ? DLS_BILATERAL : DLS_UNILATERAL,
                            .tangents = dry,
                            .bounded = dry,
                            .dry = dry,
                            .id = dry || closure ? 0 : id_of_row(a, k)};
}

static bool make_room(dls_assembly *a, ptrdiff_t columns_count)
{
  ptrdiff_t normals = 1, tangents = 1, turns = 1;
  for (int k = 0; k < a->rows; k++) normals += a->measures.measure[a->row[k].measure].count;
  tangents += normals, turns += normals;
  for (int t = 0; t < a->touching.touches; t++) {
    const int *velocity;
    const dls_pair *pair = pair_of_touch(a, t, &velocity, NULL);
    normals += pair->count, tangents += 2 * pair->count;
    turns += 2 * ((ptrdiff_t)pair->count + pair->common);
  }
  const ptrdiff_t m = columns_count + 1, slips = columns_count + a->touching.touches + 1;
  return turns <= INT32_MAX && room(&a->column, &a->column_room, m, sizeof(int)) &&
         room(&a->info, &a->info_room, m, sizeof *a->info) &&
         room(&a->normal_p, &a->normal_p_room, m, sizeof(int)) &&
         room(&a->normal_i, &a->normal_i_room, normals, sizeof(int)) &&
         room(&a->tangent_p, &a->tangent_p_room, slips, sizeof(int)) &&
         room(&a->tangent_i, &a->tangent_i_room, tangents, sizeof(int)) &&
         room(&a->turn_p, &a->turn_p_room, slips, sizeof(int)) &&
         room(&a->turn_i, &a->turn_i_room, turns, sizeof(int));
}

static void put_row(dls_assembly *a, int k, columns *normal, columns *tangent, columns *turn)
{
  const dls_body_row *row = a->row + k;
  const int *velocity = dls_measure_velocities(&a->measures, row->measure);
  const int count = a->measures.measure[row->measure].count;
  const bool dry = row->kind == DLS_BODY_ROW_DRY;
  a->info[normal->count] = info_of_row(a, k), a->column[normal->count] = k;
  put_column(normal, dry ? 0 : count, velocity);
  if (dry) put_column(tangent, count, velocity), put_column(turn, count, velocity);
}

static dls_status put_touch(dls_assembly *a, int t, uint64_t id, columns *normal, columns *tangent,
                            columns *turn)
{
  const int *velocity;
  const dls_pair *pair = pair_of_touch(a, t, &velocity, NULL);
  const char *name = dls_touching_name(&a->touching, id);
  const int tangents = a->touching.touch[t].friction > 0 ? 2 : 0;
  if (!name) return DLS_ERR_MEMORY;
  a->info[normal->count] =
      (dls_contact_info){.name = name, .kind = DLS_UNILATERAL, .tangents = tangents, .id = id};
  a->column[normal->count] = a->rows + t;
  put_column(normal, pair->count, velocity);
  for (int k = 0; k < tangents; k++)
    put_column(tangent, pair->count, velocity), put_merged(turn, pair, velocity);
  return DLS_OK;
}

dls_status dls_assembly_select(void *self, int count, const uint64_t *id, dls_message *message)
{
  dls_assembly *a = self;
  int limits = 0;
  while (limits < count && id[limits] < a->touching.first_id) limits++;
  for (int k = 0; k < count; k++)
    if (id[k] == 0 || (k > 0 && id[k] <= id[k - 1]))
      return dls_fail(message, DLS_ERR_ARGUMENT, "identities of contacts must increase");
  dls_status status =
      dls_touching_select(&a->touching, a->tree, count - limits, id + limits, message);
  if (status != DLS_OK) return status;
  if (!make_room(a, (ptrdiff_t)a->bilateral + count)) return no_memory(message);
  columns normal = {a->normal_p, a->normal_i, 0}, tangent = {a->tangent_p, a->tangent_i, 0},
          turn = {a->turn_p, a->turn_i, 0};
  normal.p[0] = tangent.p[0] = turn.p[0] = 0;
  for (int k = 0; k < a->bilateral; k++) put_row(a, k, &normal, &tangent, &turn);
  for (int k = 0; k < limits; k++)
    put_row(a, a->bilateral + (int)(id[k] - 1), &normal, &tangent, &turn);
  for (int k = limits; k < count && status == DLS_OK; k++)
    status = put_touch(a, k - limits, id[k], &normal, &tangent, &turn);
  if (status != DLS_OK) return no_memory(message);
  dls_system *s = &a->system;
  s->m = normal.count, s->tangents = tangent.count, s->contacts = a->info;
  s->normal = (dls_pattern){s->n, s->m, a->normal_p, a->normal_i};
  s->tangent = (dls_pattern){s->n, s->tangents, a->tangent_p, a->tangent_i};
  return dls_assembly_slopes(a, message);
}

// ---- finding ------------------------------------------------------------------------------------

// Ends of ranges that are near, or may be reached in that time.
static dls_status find_limits(dls_assembly *a, double reach, double horizon, int *count)
{
  dls_touching *t = &a->touching;
  for (int k = a->bilateral; k < a->rows; k++) {
    const dls_body_row *row = a->row + k;
    const dls_measure *m = a->measures.measure + row->measure;
    const double sign = row->kind == DLS_BODY_ROW_HIGH ? -1 : 1;
    // twice the way at its speed, and a radian or length for what may accelerate it
    const double way = horizon > 0 ? horizon * (2 * fabs(m->rate.x) + 1) : 0;
    if (!(sign * (m->value.x - row->end) <= reach + way)) continue;
    if (dls_grow((void **)&t->id, &t->id_room, (ptrdiff_t)*count + 1, sizeof *t->id) != 0)
      return DLS_ERR_MEMORY;
    t->id[(*count)++] = id_of_row(a, k);
  }
  return DLS_OK;
}

dls_status dls_assembly_find(void *self, double time, const double *x, const double *x_dot,
                             double reach, double horizon, int *count, const uint64_t **id,
                             dls_message *message)
{
  dls_assembly *a = self;
  (void)time;
  *count = 0, *id = NULL;
  dls_status status = dls_tree_move(a->tree, x, x_dot, NULL, false);
  if (status == DLS_OK) status = dls_measures_evaluate(&a->measures, false);
  if (status != DLS_OK)
    return dls_fail(message, status, "contacts are looked for at a state that is not finite");
  if (dls_grow((void **)&a->touching.id, &a->touching.id_room, 1, sizeof(uint64_t)) != 0)
    return no_memory(message);
  status = find_limits(a, reach, horizon, count);
  if (status == DLS_OK)
    status = dls_touching_find(&a->touching, a->tree, a->expanded.mechanism.gravity, reach, horizon,
                               count);
  if (status != DLS_OK) return dls_fail(message, status, "%s", dls_status_text(status));
  *id = a->touching.id;
  return DLS_OK;
}
