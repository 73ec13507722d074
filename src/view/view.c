// The page: what the browser is told, as JSON and arrays, put into the template.
#include "view/pack.h"
#include "view/template.h"

#include "base/memory.h"
#include "base/message.h"

#include <delassus/view.h>

#include <math.h>
#include <stdlib.h>

enum { POSE_NUMBERS = 7, SHAPE_NUMBERS = 9, CONTACT_NUMBERS = 22, NAME_COLUMNS = 200 };
static const long MOST = 1L << 28;  // numbers of an array
static const char PLACE[] = "@DATA@";

bool dls_view_available(void)
{
  return dls_view_template_size > 16;
}

void dls_view_html_free(char *html)
{
  free(html);
}

// ---- what may be wrong --------------------------------------------------------------------------

static bool fits(int a, int b, int c)
{
  return a >= 0 && b >= 0 && (long)a * b <= MOST / c;
}

static dls_status check_sizes(const dls_view *v, dls_message *message)
{
  if (v->frames < 1 || v->bodies < 0 || v->solids < 0 || v->shapes < 0 || v->curves < 0 ||
      v->events < 0 || v->contact_names < 0 || v->notes < 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a view needs a frame, and no count is negative");
  if (!fits(v->frames, v->bodies, POSE_NUMBERS) || !fits(v->frames, v->shapes, SHAPE_NUMBERS) ||
      !fits(v->frames, v->curves, 1) || (v->first && v->first[v->frames] > MOST / CONTACT_NUMBERS))
    return dls_fail(message, DLS_ERR_LIMIT, "a view of so many frames is too large: fewer, please");
  if (v->space != 2 && v->space != 3)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a view is in a plane or in space, 2 or 3");
  return DLS_OK;
}

static dls_status check_motion(const dls_view *v, dls_message *message)
{
  for (int k = 0; k < v->frames; k++)
    if (!isfinite(v->t[k]))
      return dls_fail(message, DLS_ERR_NUMBER, "the time of frame %d is not finite", k);
    else if (k > 0 && v->t[k] < v->t[k - 1])
      return dls_fail(message, DLS_ERR_ARGUMENT, "frame %d comes before frame %d", k, k - 1);
  for (long k = 0; k < (long)v->frames * v->bodies; k++)
    for (int i = 0; i < POSE_NUMBERS; i++) {
      const double x = i < 3 ? v->pose[k].position[i] : v->pose[k].quaternion[i - 3];
      if (!isfinite(x))
        return dls_fail(message, DLS_ERR_NUMBER, "body %s is nowhere in frame %ld",
                        v->body[k % v->bodies], k / v->bodies);
    }
  return DLS_OK;
}

static dls_status check_rest(const dls_view *v, dls_message *message)
{
  for (int k = 0; k < v->solids; k++)
    if (v->solid[k].body < DLS_WORLD || v->solid[k].body >= v->bodies)
      return dls_fail(message, DLS_ERR_ARGUMENT, "solid %d is of no body", k);
  const long contacts = v->first ? v->first[v->frames] : 0;
  for (int k = 0; v->first && k < v->frames; k++)
    if (v->first[0] != 0 || v->first[k] > v->first[k + 1])
      return dls_fail(message, DLS_ERR_ARGUMENT, "the contacts of frame %d are less than none", k);
  for (long k = 0; k < contacts; k++)
    if (v->contact[k].name < 0 || v->contact[k].name >= v->contact_names)
      return dls_fail(message, DLS_ERR_ARGUMENT, "contact %ld has no name", k);
  return DLS_OK;
}

// ---- the text -----------------------------------------------------------------------------------

// A name from outside; control characters and what is not UTF-8 are replaced.
static json_t *name_json(const char *name)
{
  dls_text clean = {0};
  dls_text_clean(&clean, name ? name : "", NAME_COLUMNS);
  json_t *json = clean.failed ? NULL : json_string(clean.data ? clean.data : "");
  dls_text_free(&clean);
  return json;
}

static json_t *names_json(int count, const char *const *name)
{
  json_t *list = json_array();
  for (int k = 0; list && k < count; k++)
    if (json_array_append_new(list, name_json(name[k])) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

static json_t *numbers_json(int count, const double *x)
{
  json_t *list = json_array();
  for (int k = 0; list && k < count; k++)
    if (json_array_append_new(list, json_real(isfinite(x[k]) ? x[k] : 0)) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

// Faces of a hull as lists of vertices; its points become an array of their own.
static json_t *faces_json(const dls_solid *s)
{
  json_t *all = json_array();
  for (int f = 0; all && f < s->faces; f++) {
    json_t *face = json_array();
    for (int k = s->first[f]; face && k < s->first[f + 1]; k++)
      if (json_array_append_new(face, json_integer(s->face[k])) != 0) {
        json_decref(face);
        face = NULL;
      }
    if (json_array_append_new(all, face) != 0) {
      json_decref(all);
      return NULL;
    }
  }
  return all;
}

static json_t *solid_json(const dls_solid *s, int index, dls_pack *pack)
{
  static const char *const kinds[] = {"plane",     "sphere", "capsule", "cylinder",
                                      "ellipsoid", "box",    "hull"};
  json_t *o = json_pack("{s:o, s:i, s:s, s:o, s:o, s:o}", "name", name_json(s->name), "body",
                        s->body, "kind", kinds[s->kind], "size", numbers_json(3, s->size),
                        "position", numbers_json(3, s->pose.position), "quaternion",
                        numbers_json(4, s->pose.quaternion));
  if (!o || s->kind != DLS_SOLID_HULL) return o;
  char name[32];
  (void)snprintf(name, sizeof name, "hull%d", index);
  dls_pack_doubles(pack, name, 3 * (ptrdiff_t)s->vertices, s->vertex);
  if (json_object_set_new(o, "points", json_string(name)) == 0 &&
      json_object_set_new(o, "faces", faces_json(s)) == 0)
    return o;
  json_decref(o);
  return NULL;
}

static json_t *shape_json(const dls_shape *s)
{
  return json_pack("{s:s, s:i, s:b, s:b, s:f, s:o}", "kind", dls_shape_name(s->kind), "colour",
                   s->colour, "fill", s->fill, "dashed", s->dashed, "width",
                   isfinite(s->width) ? s->width : 1.0, "text", name_json(s->text));
}

static json_t *curve_json(const dls_view_curve *c)
{
  return json_pack("{s:o, s:o}", "name", name_json(c->name), "group", name_json(c->group));
}

static json_t *event_json(const dls_view_event *e)
{
  return json_pack("{s:f, s:o, s:o}", "t", e->t, "kind", name_json(e->kind), "name",
                   name_json(e->name));
}

static json_t *list_json(const dls_view *v, int what, dls_pack *pack)
{
  const int count[] = {v->solids, v->shapes, v->curves, v->events, v->solution ? v->frames : 0};
  json_t *list = json_array();
  for (int k = 0; list && k < count[what]; k++) {
    json_t *item = NULL;
    switch (what) {
    case 0: item = solid_json(&v->solid[k], k, pack); break;
    case 1: item = shape_json(&v->shape[k]); break;
    case 2: item = curve_json(&v->curve[k]); break;
    case 3: item = event_json(&v->event[k]); break;
    default: item = json_pack("{s:o}", "name", name_json(v->solution[k])); break;
    }
    if (json_array_append_new(list, item) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static json_t *head_json(const dls_view *v, dls_pack *pack)
{
  json_t *head = json_pack(
      "{s:o, s:o, s:i, s:o, s:i, s:o, s:o, s:o}", "title", name_json(v->title), "subtitle",
      name_json(v->subtitle), "space", v->space, "look", numbers_json(3, v->look), "frames",
      v->frames, "bodies", names_json(v->bodies, v->body), "contacts",
      names_json(v->contact_names, v->contact_name), "notes", names_json(v->notes, v->note));
  static const char *const lists[] = {"solids", "shapes", "curves", "events", "solutions"};
  bool good = head != NULL;
  for (int k = 0; good && k < 5; k++)
    good = json_object_set_new(head, lists[k], list_json(v, k, pack)) == 0;
  json_t *report = v->report ? json_loads(v->report, 0, NULL) : json_null();
  if (good && json_object_set_new(head, "report", report) == 0) return head;
  json_decref(head);
  return NULL;
}

// ---- the arrays ---------------------------------------------------------------------------------

typedef struct motion {
  const dls_view *view;
  signed char *sign;  // frames x bodies: of q and -q, which are one orientation
  double *shape;      // SHAPE_NUMBERS x shapes: the last ones that were visible
} motion;

static void choose_signs(const dls_view *v, signed char *sign)
{
  for (int b = 0; b < v->bodies; b++)
    for (long k = 0; k < v->frames; k++) {
      const long at = k * v->bodies + b, before = at - v->bodies;
      double product = 0;
      for (int i = 0; i < 4 && k > 0; i++)
        product += v->pose[at].quaternion[i] * v->pose[before].quaternion[i];
      sign[at] = (signed char)(k == 0 ? 1 : product < 0 ? -sign[before] : sign[before]);
    }
}

static double pose_number(const void *self, ptrdiff_t index)
{
  const motion *m = self;
  const dls_view *v = m->view;
  const long stream = index / v->frames, at = index % v->frames * v->bodies + stream / POSE_NUMBERS;
  const int part = (int)(stream % POSE_NUMBERS);
  return part < 3 ? v->pose[at].position[part] : m->sign[at] * v->pose[at].quaternion[part - 3];
}

static double part_of_shape(const dls_shape *s, int part)
{
  return part < 6 ? s->point[part / 3][part % 3] : s->size[part - 6];
}

// Where a shape is invisible its numbers say nothing: those of before are the cheapest.
static double shape_number(const void *self, ptrdiff_t index)
{
  const dls_view *v = ((const motion *)self)->view;
  const long stream = index / v->frames, shape = stream / SHAPE_NUMBERS;
  const int part = (int)(stream % SHAPE_NUMBERS);
  for (long k = index % v->frames; k >= 0; k--) {
    const dls_shape *s = &v->shape[k * v->shapes + shape];
    const double x = part_of_shape(s, part);
    if (s->visible && isfinite(x)) return x;
  }
  return 0;
}

// Columns: point, normal, tangents, multipliers, their intervals, friction.
static double contact_number(const void *self, ptrdiff_t index)
{
  const dls_view *v = self;
  const ptrdiff_t count = v->first[v->frames];
  const dls_view_contact *c = &v->contact[index % count];
  const int column = (int)(index / count), k = column % 3;
  switch (column / 3) {
  case 0: return c->point[k];
  case 1: return c->normal[k];
  case 2: return c->tangent[0][k];
  case 3: return c->tangent[1][k];
  case 4: return c->value[k];
  case 5: return c->low[k];
  case 6: return c->high[k];
  default: return c->friction;
  }
}

static double curve_number(const void *self, ptrdiff_t index)
{
  const dls_view *v = self;
  return v->curve[index / v->frames].value[index % v->frames];
}

static void pack_shapes(const dls_view *v, dls_pack *pack)
{
  const ptrdiff_t count = (ptrdiff_t)v->frames * v->shapes;
  const motion m = {.view = v};
  unsigned char *visible = dls_alloc(count, 1);
  if (!visible) pack->failed = true;
  for (ptrdiff_t k = 0; visible && k < count; k++)
    visible[k % v->shapes * v->frames + k / v->shapes] = v->shape[k].visible;
  if (visible) dls_pack_bytes(pack, "visible", count, visible);
  free(visible);
  dls_pack_streams(pack, "shape", (ptrdiff_t)SHAPE_NUMBERS * v->shapes, v->frames, shape_number,
                   &m);
}

static void pack_contacts(const dls_view *v, dls_pack *pack)
{
  const ptrdiff_t count = v->first[v->frames];
  uint32_t *number = dls_alloc(count > v->frames ? count + 1 : v->frames + 1, sizeof *number);
  unsigned char *byte = dls_alloc(count, 1);
  if (number && byte) {
    for (int k = 0; k <= v->frames; k++) number[k] = (uint32_t)v->first[k];
    dls_pack_integers(pack, "first", v->frames + 1, number);
    for (ptrdiff_t k = 0; k < count; k++) number[k] = (uint32_t)v->contact[k].name;
    dls_pack_integers(pack, "contactName", count, number);
    for (ptrdiff_t k = 0; k < count; k++) byte[k] = (unsigned char)v->contact[k].status;
    dls_pack_bytes(pack, "status", count, byte);
    for (ptrdiff_t k = 0; k < count; k++) byte[k] = v->contact[k].percussion;
    dls_pack_bytes(pack, "flags", count, byte);
    dls_pack_floats(pack, "contact", CONTACT_NUMBERS * count, contact_number, v);
  } else pack->failed = true;
  free(number);
  free(byte);
}

static void pack_arrays(const dls_view *v, dls_pack *pack)
{
  motion m = {.view = v, .sign = dls_alloc((ptrdiff_t)v->frames * v->bodies, 1)};
  if (m.sign) {
    choose_signs(v, m.sign);
    dls_pack_streams(pack, "pose", (ptrdiff_t)POSE_NUMBERS * v->bodies, v->frames, pose_number, &m);
  } else pack->failed = true;
  free(m.sign);
  dls_pack_doubles(pack, "t", v->frames, v->t);
  pack_shapes(v, pack);
  if (v->first) pack_contacts(v, pack);
  dls_pack_floats(pack, "curve", (ptrdiff_t)v->curves * v->frames, curve_number, v);
}

// ---- the file -----------------------------------------------------------------------------------

static const char *place_of_data(void)
{
  const char *text = (const char *)dls_view_template;
  for (size_t k = 0; k + sizeof PLACE <= dls_view_template_size; k++)
    if (memcmp(text + k, PLACE, sizeof PLACE - 1) == 0) return text + k;
  return NULL;
}

dls_status dls_view_html(const dls_view *view, char **html, size_t *size, dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!view || !html || !size) return DLS_ERR_ARGUMENT;
  *html = NULL;
  if (!dls_view_available())
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "this delassus was built without its viewer, which needs node and npm");
  dls_status status = check_sizes(view, message);
  if (status == DLS_OK) status = check_motion(view, message);
  if (status == DLS_OK) status = check_rest(view, message);
  if (status != DLS_OK) return status;
  dls_pack pack = {0};
  dls_text out = {0};
  json_t *head = dls_pack_begin(&pack) ? head_json(view, &pack) : NULL;
  if (head) pack_arrays(view, &pack);
  const char *begin = (const char *)dls_view_template, *place = place_of_data();
  const char *behind = place + sizeof PLACE - 1;
  dls_text_put(&out, begin, (size_t)(place - begin));
  status = head ? dls_pack_base64(&pack, head, &out) : DLS_ERR_MEMORY;
  dls_text_put(&out, behind, dls_view_template_size - (size_t)(behind - begin));
  if (pack.too_wide) status = DLS_ERR_NUMBER;
  dls_pack_free(&pack);
  if (status == DLS_OK && out.failed) status = DLS_ERR_MEMORY;
  if (status != DLS_OK) {
    dls_text_free(&out);
    return dls_fail(message, status, "%s",
                    status == DLS_ERR_NUMBER ? "places lie too far apart to be drawn"
                                             : dls_status_text(status));
  }
  *html = out.data;
  *size = out.length;
  return DLS_OK;
}
