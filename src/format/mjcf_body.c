// The tree of bodies.
#include "format/mjcf.h"
#include "format/turn.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 1000 };

// Where an element stands: the body, the frame on it, the class for those without, and what copies
// add to names.
typedef struct around {
  int body;
  dls_pose frame;
  const dls_mjcf_class *class;
  const char *suffix;
  int depth;
} around;

static const char *name_of(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  const char *name = dls_reading_text(e, "name");
  if (!name || !*name || !*a->suffix) return name && *name ? name : NULL;
  const size_t size = strlen(name) + strlen(a->suffix) + 1;
  char *both = dls_reading_work(m->reading, (ptrdiff_t)size, 1);
  if (both) snprintf(both, size, "%s%s", name, a->suffix);
  return both;
}

static void enter(dls_mjcf *m, dls_name_table *table, const dls_xml_element *e, const char *name,
                  int index)
{
  if (name && !dls_name_table_add(m->reading, table, name, index))
    dls_reading_fail(m->reading, e, "name", "there is a %s `%.100s` already",
                     strcmp(e->name, "freejoint") == 0 ? "joint" : e->name, name);
}

static void on_world(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  if (a->body == DLS_WORLD)
    dls_reading_fail(m->reading, e, NULL, "the world has no %s",
                     strcmp(e->name, "inertial") == 0 ? "inertia" : "joints");
}

static void read_joint(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  dls_file_reading *r = m->reading;
  const bool is_free = strcmp(e->name, "freejoint") == 0;
  const dls_mjcf_class *c = dls_mjcf_class_of(m, e, "class", a->class);
  on_world(m, e, a);
  if (r->status) return;
  dls_mjcf_joint *j = DLS_READING_ADD(r, m, joint);
  if (!j) return;
  if (is_free) *j = (dls_mjcf_joint){.kind = DLS_JOINT_FREE};
  else *j = c->joint;
  j->element = e;
  j->name = name_of(m, e, a);
  j->body = a->body;
  if (!is_free) dls_mjcf_joint_values(m, e, j);
  const char *align = dls_reading_text(e, "align");
  if (align && strcmp(align, "true") == 0) dls_reading_note(r, true, 1, "freejoint align");
  dls_mjcf_joint_finish(m, &a->frame, j);
  enter(m, &m->joint_names, e, j->name, m->joints - 1);
}

static void read_geom(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  const dls_mjcf_class *c = dls_mjcf_class_of(m, e, "class", a->class);
  dls_mjcf_geom *g = DLS_READING_ADD(m->reading, m, geom);
  if (!g) return;
  *g = c->geom;
  g->element = e;
  g->name = name_of(m, e, a);
  g->body = a->body;
  dls_mjcf_geom_values(m, e, g);
  dls_mjcf_geom_finish(m, &a->frame, g);
  enter(m, &m->geom_names, e, g->name, m->geoms - 1);
}

static void read_site(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  const dls_mjcf_class *c = dls_mjcf_class_of(m, e, "class", a->class);
  dls_mjcf_site *s = DLS_READING_ADD(m->reading, m, site);
  if (!s) return;
  *s = c->site;
  s->element = e;
  s->name = name_of(m, e, a);
  s->body = a->body;
  dls_mjcf_site_values(m, e, s);
  dls_mjcf_site_finish(m, &a->frame, s);
  enter(m, &m->site_names, e, s->name, m->sites - 1);
}

static void read_inertial(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  on_world(m, e, a);
  if (m->reading->status) return;
  if (m->body[a->body].inertial)
    dls_reading_fail(m->reading, e, NULL, "the inertia of this body is there already");
  m->body[a->body].inertial = e;
}

static void read_children(dls_mjcf *m, const dls_xml_element *e, const around *a);

static void read_frame(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  around inner = *a;
  const dls_pose pose = dls_mjcf_pose(m, e);
  inner.frame = dls_pose_in(&a->frame, &pose);
  inner.class = dls_mjcf_class_of(m, e, "childclass", a->class);
  inner.depth++;
  read_children(m, e, &inner);
}

// Copies, each moved and turned from the one before, with numbers behind the names.
static void read_copies(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  dls_file_reading *r = m->reading;
  int count = 0;
  double offset[3] = {0};
  dls_mjcf_turn turn = dls_mjcf_no_turn;
  dls_reading_require(r, e, "count");
  dls_reading_int(r, e, "count", &count);
  dls_reading_numbers(r, e, "offset", 3, 3, offset);
  double angle[3] = {0};
  dls_reading_numbers(r, e, "euler", 3, 3, angle);
  const char *separator = dls_reading_text(e, "sep");
  char number[16];
  const int digits = snprintf(number, sizeof number, "%d", count);
  double step[4];
  turn.kind = DLS_MJCF_EULER;
  memcpy(turn.value, angle, sizeof angle);
  dls_mjcf_turn_resolve(m, e, &turn, step);
  dls_pose place = dls_pose_none;
  for (int k = 0; k < count && !r->status; k++) {
    dls_reading_step(r, e);
    for (int i = 0; i < 3; i++) turn.value[i] = k * angle[i];
    dls_mjcf_turn_resolve(m, e, &turn, place.quaternion);
    around copy = *a;
    const size_t size = strlen(a->suffix) + (separator ? strlen(separator) : 0) + 16;
    char *suffix = dls_reading_work(r, (ptrdiff_t)size, 1);
    if (!suffix) return;
    // inner copies first, as their names are made first
    snprintf(suffix, size, "%s%0*d%s", separator ? separator : "", digits, k, a->suffix);
    copy.suffix = suffix;
    copy.frame = dls_pose_in(&a->frame, &place);
    copy.class = dls_mjcf_class_of(m, e, "childclass", a->class);
    copy.depth++;
    read_children(m, e, &copy);
    dls_pose next = {.quaternion = {place.quaternion[0], place.quaternion[1], place.quaternion[2],
                                    place.quaternion[3]}};
    dls_pose_point(&place, offset, next.position);
    place = next;
  }
}

static void read_body(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  dls_file_reading *r = m->reading;
  const int index = m->bodys;
  dls_mjcf_body *b = DLS_READING_ADD(r, m, body);
  if (!b) return;
  const dls_pose pose = dls_mjcf_pose(m, e);
  *b = (dls_mjcf_body){.element = e,
                       .name = name_of(m, e, a),
                       .parent = a->body,
                       .pose = dls_pose_in(&a->frame, &pose)};
  const dls_pose *outer = a->body == DLS_WORLD ? &dls_pose_none : &m->body[a->body].world;
  b->world = dls_pose_in(outer, &b->pose);
  dls_reading_number(r, e, "gravcomp", &b->carried);
  bool mocap = false;
  if (dls_reading_bool(r, e, "mocap", &mocap) && mocap) dls_reading_note(r, true, 1, "body mocap");
  if (b->name && strcmp(b->name, "world") == 0)
    dls_reading_fail(r, e, "name", "`world` is the name of the world");
  enter(m, &m->body_names, e, b->name, index);
  const around inner = {.body = index,
                        .frame = dls_pose_none,
                        .class = dls_mjcf_class_of(m, e, "childclass", a->class),
                        .suffix = a->suffix,
                        .depth = a->depth + 1};
  read_children(m, e, &inner);
}

static void read_child(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  dls_reading_step(m->reading, e);
  if (strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0) read_joint(m, e, a);
  else if (strcmp(e->name, "geom") == 0) read_geom(m, e, a);
  else if (strcmp(e->name, "site") == 0) read_site(m, e, a);
  else if (strcmp(e->name, "inertial") == 0) read_inertial(m, e, a);
}

static void read_nested(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  if (strcmp(e->name, "frame") == 0) read_frame(m, e, a);
  else if (strcmp(e->name, "replicate") == 0) read_copies(m, e, a);
  else if (strcmp(e->name, "body") == 0) {
    dls_reading_step(m->reading, e);
    read_body(m, e, a);
  }
}

static void read_children(dls_mjcf *m, const dls_xml_element *e, const around *a)
{
  if (a->depth > MOST_DEPTH) dls_reading_fail(m->reading, e, NULL, "bodies are nested too deeply");
  for (const dls_xml_element *c = e->first; c && !m->reading->status; c = c->next) {
    read_child(m, c, a);
    read_nested(m, c, a);
  }
}

// ---- joints in the order of their bodies
// ---------------------------------------------------------

static void check_joints(dls_mjcf *m, const dls_mjcf_body *b)
{
  int freedoms = 0;
  bool ball = false;
  for (int k = b->first_joint; k < b->first_joint + b->joints; k++) {
    const dls_mjcf_joint *j = &m->joint[k];
    const bool turns = j->kind == DLS_JOINT_BALL || j->kind == DLS_JOINT_HINGE;
    if (ball && turns)
      dls_reading_fail(m->reading, j->element, NULL, "a joint that turns follows a ball");
    ball = ball || j->kind == DLS_JOINT_BALL;
    freedoms += j->kind == DLS_JOINT_FREE ? 6 : j->kind == DLS_JOINT_BALL ? 3 : 1;
    if (j->kind == DLS_JOINT_FREE && b->joints > 1)
      dls_reading_fail(m->reading, j->element, NULL, "a free body has no other joint");
    if (j->kind == DLS_JOINT_FREE && b->parent != DLS_WORLD)
      dls_reading_fail(m->reading, j->element, NULL, "a free body must hang on the world");
    if (freedoms > 6)
      dls_reading_fail(m->reading, j->element, NULL, "a body has at most six freedoms");
  }
}

// A joint may stand behind the bodies in its body.
static void sort_joints(dls_mjcf *m)
{
  dls_mjcf_joint *sorted = dls_reading_work(m->reading, m->joints, sizeof *sorted);
  int *place = dls_reading_work(m->reading, m->joints, sizeof *place);
  if (!sorted || !place) return;
  for (int k = 0; k < m->joints; k++) m->body[m->joint[k].body].joints++;
  for (int b = 0, sum = 0; b < m->bodys; sum += m->body[b++].joints) m->body[b].first_joint = sum;
  for (int k = 0; k < m->joints; k++) {
    place[k] = m->body[m->joint[k].body].first_joint++;
    sorted[place[k]] = m->joint[k];
  }
  for (int b = 0; b < m->bodys; b++) m->body[b].first_joint -= m->body[b].joints;
  for (int k = 0; k < m->joint_names.capacity; k++) {
    if (m->joint_names.name[k]) m->joint_names.value[k] = place[m->joint_names.value[k]];
  }
  m->joint = sorted;
}

void dls_mjcf_read_bodies(dls_mjcf *m)
{
  const around world = {
      .body = DLS_WORLD, .frame = dls_pose_none, .class = &m->class[0], .suffix = ""};
  for (const dls_xml_element *s = m->root->first; s && !m->reading->status; s = s->next) {
    if (strcmp(s->name, "worldbody") == 0) read_children(m, s, &world);
  }
  if (m->reading->status) return;
  sort_joints(m);
  for (int b = 0; b < m->bodys && !m->reading->status; b++) check_joints(m, &m->body[b]);
}
