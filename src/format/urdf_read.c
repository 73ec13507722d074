// The tree of links: each after the one that it hangs on, depth first, as MuJoCo orders them.
#include "format/urdf_read.h"

#include "format/turn.h"
#include "format/urdf.h"

#include <string.h>

static void read_link(dls_urdf *u, const dls_xml_element *e)
{
  const char *name = dls_reading_required(u->reading, e, "name");
  dls_reading_step(u->reading, e);
  dls_urdf_link *link = u->reading->status ? NULL : DLS_READING_ADD(u->reading, u, link);
  if (!link) return;
  *link = (dls_urdf_link){.element = e, .name = name, .joint = -1, .first_joint = -1, .body = -1};
  link->mass = dls_urdf_mass(u, link);
  if (!dls_name_table_add(u->reading, &u->link_names, name, u->links - 1))
    dls_reading_fail(u->reading, e, "name", "there is a link `%.100s` already", name);
}

static int find_link(dls_urdf *u, const dls_xml_element *joint, const char *end)
{
  const dls_xml_element *e = dls_xml_child(joint, end);
  if (!e) {
    dls_reading_fail(u->reading, joint, NULL, "`joint` needs `%s`", end);
    return 0;
  }
  const char *name = dls_reading_required(u->reading, e, "link");
  const int link = dls_name_table_find(&u->link_names, name);
  if (link < 0)
    dls_reading_fail(u->reading, e, "link", "there is no link `%.100s`%s", name,
                     dls_name_table_suggest(&u->link_names, name).text);
  return link;
}

static void read_joint(dls_urdf *u, const dls_xml_element *e)
{
  static const char *const kinds[] = {"revolute", "continuous", "prismatic", "fixed",
                                      "floating", "planar",     "spherical", NULL};
  dls_file_reading *r = u->reading;
  const char *name = dls_reading_required(r, e, "name");
  int kind = DLS_URDF_FIXED;
  dls_reading_step(r, e);
  dls_reading_require(r, e, "type");
  dls_reading_word(r, e, "type", kinds, &kind);
  if (r->status) return;
  const int parent = find_link(u, e, "parent"), child = find_link(u, e, "child");
  if (r->status || !u->link || parent < 0 || child < 0) return;
  if (u->link[child].joint >= 0) {
    dls_reading_fail(r, dls_xml_child(e, "child"), "link",
                     "link `%.100s` hangs on `%.100s` already", u->link[child].name,
                     u->link[u->joint[u->link[child].joint].parent].name);
    return;
  }
  dls_urdf_joint *joint = DLS_READING_ADD(r, u, joint);
  if (!joint) return;
  *joint = (dls_urdf_joint){.element = e,
                            .name = name,
                            .kind = (dls_urdf_kind)kind,
                            .parent = parent,
                            .child = child,
                            .next = -1,
                            .index = -1};
  u->link[child].joint = u->joints - 1;
  if (!dls_name_table_add(r, &u->joint_names, name, u->joints - 1))
    dls_reading_fail(r, e, "name", "there is a joint `%.100s` already", name);
}

// Each link's joints in the order of the file.
static void link_joints(dls_urdf *u)
{
  for (int k = u->joints - 1; k >= 0; k--) {
    dls_urdf_link *parent = &u->link[u->joint[k].parent];
    u->joint[k].next = parent->first_joint;
    parent->first_joint = k;
  }
}

// ---- bodies
// --------------------------------------------------------------------------------------

// What holds a link that hangs on none.
static bool is_world(const dls_urdf *u, const dls_urdf_link *link)
{
  const dls_import_options *o = u->reading->options;
  return strcmp(link->name, "world") == 0 && !(o && o->base == DLS_BASE_FREE);
}

static bool is_free(const dls_urdf *u, const dls_urdf_link *link)
{
  const dls_import_options *o = u->reading->options;
  const dls_import_base base = o ? o->base : DLS_BASE_BY_MASS;
  return base == DLS_BASE_FREE || (base == DLS_BASE_BY_MASS && link->mass.mass > 0);
}

static void add_body(dls_urdf *u, dls_urdf_link *link, int parent, const dls_pose *pose)
{
  dls_file_reading *r = u->reading;
  link->body = u->draft.bodys;
  dls_rigid_body *body = DLS_READING_ADD(r, &u->draft, body);
  if (!body) return;
  *body = (dls_rigid_body){
      .name = dls_draft_name(r, &u->draft.body_names, NULL, link->name, "link", link->body),
      .parent = parent,
      .pose = *pose,
      .mass = link->mass.mass,
  };
  memcpy(body->centre, link->mass.centre, sizeof body->centre);
  memcpy(body->inertia, link->mass.inertia, sizeof body->inertia);
}

static void add_root(dls_urdf *u, dls_urdf_link *link)
{
  if (is_world(u, link)) {
    link->body = DLS_WORLD;
    if (link->mass.mass > 0) dls_reading_note(u->reading, false, 1, "mass of the link `world`");
    return;
  }
  add_body(u, link, DLS_WORLD, &dls_pose_none);
  if (u->reading->status || !is_free(u, link)) return;
  dls_joint *joint = DLS_READING_ADD(u->reading, &u->draft, joint);
  const char *name = dls_reading_keep_format(u->reading, "%s_free_joint", link->name);
  if (!joint || !name) return;
  *joint = (dls_joint){
      .name = dls_draft_name(u->reading, &u->draft.joint_names, &u->joint_names, name, "joint", 1),
      .body = link->body,
      .kind = DLS_JOINT_FREE,
      .axis = {0, 0, 1}};
}

static void add_link(dls_urdf *u, dls_urdf_link *link)
{
  link->reached = true;
  if (link->joint < 0) {
    add_root(u, link);
  } else {
    dls_urdf_joint *joint = &u->joint[link->joint];
    const dls_pose pose = dls_urdf_origin(u, joint->element);
    add_body(u, link, u->link[joint->parent].body, &pose);
    if (!u->reading->status) dls_urdf_add_joints(u, joint, link->body);
  }
  if (!u->reading->status) dls_urdf_add_solids(u, link);
}

// Without recursion: a chain may be as long as the file.
static void add_tree(dls_urdf *u, int root)
{
  add_link(u, &u->link[root]);
  int joint = u->link[root].first_joint;
  while (joint >= 0 && !u->reading->status) {
    const int child = u->joint[joint].child;
    add_link(u, &u->link[child]);
    int next = u->link[child].first_joint;
    // up, until a link has another joint
    for (int up = joint; next < 0 && up >= 0; up = u->link[u->joint[up].parent].joint) {
      next = u->joint[up].next;
      if (u->joint[up].parent == root) break;
    }
    joint = next;
  }
}

static void add_all(dls_urdf *u)
{
  for (int k = 0; k < u->links && !u->reading->status; k++) {
    if (u->link[k].joint < 0) add_tree(u, k);
  }
  for (int k = 0; k < u->links && !u->reading->status; k++) {
    if (!u->link[k].reached)
      dls_reading_fail(u->reading, u->link[k].element, "name",
                       "link `%.100s` is in a loop of joints that hangs on nothing",
                       u->link[k].name);
  }
}

dls_import *dls_urdf_read(dls_file_reading *reading, const dls_xml_element *root)
{
  dls_urdf *u = dls_reading_work(reading, 1, sizeof *u);
  if (!u) return NULL;
  *u = (dls_urdf){.reading = reading, .root = root};
  u->draft.gravity[2] = -9.81;
  dls_urdf_check(reading, root);
  for (const dls_xml_element *e = root->first; e && !reading->status; e = e->next) {
    if (strcmp(e->name, "link") == 0) read_link(u, e);
  }
  for (const dls_xml_element *e = root->first; e && !reading->status; e = e->next) {
    if (strcmp(e->name, "joint") == 0) read_joint(u, e);
  }
  if (!reading->status && u->links == 0)
    dls_reading_fail(reading, root, NULL, "`robot` has no link");
  if (reading->status) return NULL;
  link_joints(u);
  add_all(u);
  if (!reading->status) dls_urdf_add_mimics(u);
  if (!reading->status) dls_draft_name_solids(reading, &u->draft);
  if (!reading->status) dls_urdf_part_overlaps(reading, &u->draft);
  return reading->status ? NULL : dls_draft_finish(reading, &u->draft);
}
