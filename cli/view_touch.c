// Where contacts of a frame are: at the `draw force` of a model, or between two solids.
#include "view_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS_MOST = 1 << 22 };

void view_touch_no_interval(view_touch *touch)
{
  for (int k = 0; k < 3; k++) touch->low[k] = touch->high[k] = (double)NAN;
}

// Grows an array; false when memory runs out.
static bool grow(view_page *p, void **array, size_t size, long used, long *room)
{
  if (used < *room) return true;
  const long more = *room ? 2 * *room : 64;
  void *moved = realloc(*array, (size_t)more * size);
  if (moved) *array = moved, *room = more;
  else p->failed = true;
  return moved;
}

// ---- names --------------------------------------------------------------------------------------

// All numbers of the system at a state, with the contacts that are selected.
static dls_status evaluate(view_page *p, const dls_state *state, dls_values *values)
{
  const dls_system *s = p->system;
  const double *q = state->q, *v = state->v;
  dls_status status = DLS_OK;
  if (s->chart) {
    status = s->chart->centre(s->self, q, NULL);
    if (status == DLS_OK) status = s->chart->enter(s->self, q, v, p->local, p->local + s->n);
    q = p->local, v = p->local + s->n;
  }
  return status == DLS_OK ? s->evaluate(s->self, state->t, q, v, values, NULL, NULL) : status;
}

// The number of a name that is new; -1: out of memory.
static int add_name(view_page *p, const char *text, uint64_t id)
{
  long room = p->name_room, ids = room;
  void *name = p->name, *by_id = p->by_id;
  const bool grown = grow(p, &name, sizeof *p->name, p->names, &room) &&
                     grow(p, &by_id, sizeof *p->by_id, p->names, &ids);
  p->name = name, p->by_id = by_id;
  if (!grown) return -1;
  p->name_room = (int)room;
  p->name[p->names] = (view_name){.text = text, .id = id};
  return p->names++;
}

// The place of an identity in by_id.
static int place_of_id(const view_page *p, uint64_t id)
{
  int low = 0, high = p->found;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (p->name[p->by_id[middle]].id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool is_known(const view_page *p, uint64_t id)
{
  const int at = place_of_id(p, id);
  return at < p->found && p->name[p->by_id[at]].id == id;
}

static void add_found(view_page *p, uint64_t id, const char *text, double friction, bool solid)
{
  const int at = place_of_id(p, id), k = add_name(p, text, id);
  if (k < 0) return;
  p->name[k].friction = friction, p->name[k].solid = solid;
  memmove(p->by_id + at + 1, p->by_id + at, (size_t)(p->found - at) * sizeof *p->by_id);
  p->by_id[at] = k;
  p->found++;
}

// Names, and coefficients of friction, of contacts that come and go: the system is made that of
// these alone. place: room for as many.
static void describe(view_page *p, int count, const uint64_t *id, const dls_state *state,
                     dls_solid_contact *place)
{
  dls_system *s = p->system;
  dls_values *values = NULL;
  if (s->select(s->self, count, id, NULL) != DLS_OK || dls_values_create(s, &values) != DLS_OK) {
    p->failed = true;
    return;
  }
  const bool known = evaluate(p, state, values) == DLS_OK;
  const bool all =
      p->bodies && dls_mechanism_contacts(p->bodies, state->q, count, id, place) == DLS_OK;
  for (int k = 0; k < count && !p->failed; k++) {
    const int j = s->m - count + k;
    const bool solid = all || (p->bodies && dls_mechanism_contacts(p->bodies, state->q, 1, &id[k],
                                                                   place) == DLS_OK);
    const double friction = known && !s->contacts[j].bounded ? values->friction[j] : 0;
    add_found(p, id[k], s->contacts[j].name, friction, solid);
  }
  dls_values_free(values);
}

// Those of a frame that have not been seen before. id, place: room for `count`.
static void learn(view_page *p, int count, const view_touch *touch, const dls_state *state,
                  uint64_t *id, dls_solid_contact *place)
{
  int unknown = 0;
  if (!p->system->find) {
    p->known = evaluate(p, state, p->values) == DLS_OK;
    return;
  }
  for (int k = 0; k < count; k++)
    if (touch[k].id && !is_known(p, touch[k].id)) id[unknown++] = touch[k].id;
  if (unknown > 0) describe(p, unknown, id, state, place);
}

// The number of its name; -1: it has none.
static int find_name(view_page *p, const view_touch *touch)
{
  if (p->system->find)
    return touch->id && is_known(p, touch->id) ? p->by_id[place_of_id(p, touch->id)] : -1;
  const dls_contact_info *contact = &p->system->contacts[touch->contact];
  int *name = &p->by_contact[touch->contact];
  if (*name < 0) *name = add_name(p, contact->name, 0);
  if (*name >= 0)
    p->name[*name].friction =
        p->known && !contact->bounded ? p->values->friction[touch->contact] : 0;
  return *name;
}

// ---- places -------------------------------------------------------------------------------------

static bool place_of_drawing(const view_page *p, int contact, dls_view_contact *out)
{
  const int shapes = dls_drawing_count(p->drawing);
  const dls_shape *shape = p->shape + (size_t)(p->frame - 1) * (size_t)shapes;
  for (int k = 0; k < shapes && p->forces; k++) {
    const dls_shape *s = &shape[k];
    if (s->kind != DLS_SHAPE_FORCE || s->contact != contact || !s->visible) continue;
    memcpy(out->point, s->point[0], sizeof out->point);
    memcpy(out->normal, s->normal, sizeof out->normal);
    memcpy(out->tangent, s->tangent, sizeof out->tangent);
    return true;
  }
  return false;
}

static void set_place(const dls_solid_contact *place, dls_view_contact *out)
{
  memcpy(out->point, place->point, sizeof out->point);
  memcpy(out->normal, place->normal, sizeof out->normal);
  memcpy(out->tangent, place->tangent, sizeof out->tangent);
}

static void add(view_page *p, const view_touch *touch, int name, const dls_solid_contact *place)
{
  dls_view_contact c = {.name = name,
                        .status = touch->status,
                        .percussion = touch->percussion,
                        .friction = p->name[name].friction};
  void *all = p->contact;
  if (place) set_place(place, &c);
  else if (p->system->find || !place_of_drawing(p, touch->contact, &c)) return;
  if (!grow(p, &all, sizeof c, p->contacts, &p->contact_room)) return;
  p->contact = all;
  memcpy(c.value, touch->value, sizeof c.value);
  memcpy(c.low, touch->low, sizeof c.low);
  memcpy(c.high, touch->high, sizeof c.high);
  p->contact[p->contacts++] = c;
}

void view_page_touches(view_page *p, int count, const view_touch *touch, const dls_state *state)
{
  if (p->full || count == 0) return;
  if (p->contacts + count > CONTACTS_MOST) {
    p->full = true;
    view_page_note(p, "Contacts are shown up to t = %.4g: there are too many.", state->t);
    return;
  }
  int *name = calloc((size_t)count, sizeof *name), solids = 0;
  uint64_t *id = calloc((size_t)count, sizeof *id);
  dls_solid_contact *place = calloc((size_t)count, sizeof *place);
  p->failed = p->failed || !name || !id || !place;
  if (!p->failed) learn(p, count, touch, state, id, place);
  for (int k = 0; k < count && !p->failed; k++) {
    name[k] = find_name(p, &touch[k]);
    if (name[k] >= 0 && p->name[name[k]].solid) id[solids++] = touch[k].id;
  }
  if (!p->failed && solids > 0 &&
      dls_mechanism_contacts(p->bodies, state->q, solids, id, place) != DLS_OK)
    solids = -1;  // one of them has no normal here
  for (int k = 0, s = 0; k < count && !p->failed; k++) {
    const bool solid = name[k] >= 0 && p->name[name[k]].solid;
    if (name[k] >= 0 && (!solid || solids > 0))
      add(p, &touch[k], name[k], solid ? &place[s++] : NULL);
  }
  p->first[p->frame] = p->contacts;
  free(name);
  free(id);
  free(place);
}
