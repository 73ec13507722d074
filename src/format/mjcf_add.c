// Bodies and joints of the mechanism; lookups by name.
#include "format/mjcf.h"
#include "format/turn.h"

#include <string.h>

static void add_body(dls_mjcf *m, const dls_mjcf_body *b, int number)
{
  dls_rigid_body *body = DLS_READING_ADD(m->reading, &m->draft, body);
  if (!body) return;
  *body = (dls_rigid_body){
      .name = dls_draft_name(m->reading, &m->draft.body_names, &m->body_names, b->name, "body",
                             number + 1),
      .parent = b->parent,
      .pose = b->pose,
      .mass = b->mass.mass,
      .carried = b->carried,
  };
  memcpy(body->centre, b->mass.centre, sizeof body->centre);
  memcpy(body->inertia, b->mass.inertia, sizeof body->inertia);
}

static void add_joint(dls_mjcf *m, const dls_mjcf_joint *j, int number)
{
  static const char *const base[] = {"free", "ball", "hinge", "slide"};
  dls_joint *joint = DLS_READING_ADD(m->reading, &m->draft, joint);
  if (!joint) return;
  *joint = (dls_joint){
      .name = dls_draft_name(m->reading, &m->draft.joint_names, &m->joint_names, j->name,
                             base[j->kind], number + 1),
      .body = j->body,
      .kind = j->kind,
      .reference = j->reference,
      .armature = j->armature,
      .damping = j->damping,
      .stiffness = j->stiffness,
      .rest = j->rest,
      .friction = j->friction,
      .limited = j->limited == DLS_MJCF_YES,
      .range = {j->range[0], j->range[1]},
  };
  memcpy(joint->anchor, j->position, sizeof joint->anchor);
  memcpy(joint->axis, j->axis, sizeof joint->axis);
}

void dls_mjcf_add_bodies(dls_mjcf *m)
{
  memcpy(m->draft.gravity, m->gravity, sizeof m->gravity);
  for (int k = 0; k < m->bodys && !m->reading->status; k++) add_body(m, &m->body[k], k);
  for (int k = 0; k < m->joints && !m->reading->status; k++) add_joint(m, &m->joint[k], k);
}

int dls_mjcf_find(dls_mjcf *m, const dls_name_table *table, const dls_xml_element *e,
                  const char *attribute, const char *kind)
{
  const char *name = dls_reading_required(m->reading, e, attribute);
  if (m->reading->status) return -1;
  const int index = dls_name_table_find(table, name);
  if (index < 0)
    dls_reading_fail(m->reading, e, attribute, "there is no %s `%.100s`%s", kind, name,
                     dls_name_table_suggest(table, name).text);
  return index;
}

bool dls_mjcf_find_body(dls_mjcf *m, const dls_xml_element *e, const char *attribute, int *body)
{
  const char *name = dls_reading_text(e, attribute);
  *body = DLS_WORLD;
  if (!name || strcmp(name, "world") == 0) return true;
  *body = dls_mjcf_find(m, &m->body_names, e, attribute, "body");
  return *body >= 0;
}
