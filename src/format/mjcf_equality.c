// Equality constraints as closures.
#include "format/mjcf.h"
#include "format/turn.h"

#include <string.h>

typedef struct ends {
  int body[2];
  dls_pose frame[2];
} ends;

static const dls_pose *world_pose(const dls_mjcf *m, int body)
{
  return body == DLS_WORLD ? &dls_pose_none : &m->body[body].world;
}

// A frame on one body, seen from another, as bodies stand at the reference.
static dls_pose seen_from(const dls_mjcf *m, int from, int body, const dls_pose *frame)
{
  const dls_pose world = dls_pose_in(world_pose(m, body), frame);
  const dls_pose back = dls_pose_inverse(world_pose(m, from));
  return dls_pose_in(&back, &world);
}

// By sites: their frames coincide. False when it is by bodies.
static bool at_sites(dls_mjcf *m, const dls_xml_element *e, ends *out)
{
  static const char *const names[] = {"site1", "site2"};
  if (!dls_xml_find(e, "site1") && !dls_xml_find(e, "site2")) return false;
  for (int k = 0; k < 2; k++) {
    const int s = dls_mjcf_find(m, &m->site_names, e, names[k], "site");
    if (s < 0) return true;
    out->body[k] = m->site[s].body;
    out->frame[k] = m->site[s].pose;
  }
  static const char *const others[] = {"body1", "body2", "anchor", "relpose"};
  for (int k = 0; k < dls_count_of(others); k++) {
    if (dls_xml_find(e, others[k]))
      dls_reading_fail(m->reading, e, others[k], "`%s` does not go with sites", others[k]);
  }
  return true;
}

static void find_bodies(dls_mjcf *m, const dls_xml_element *e, ends *out)
{
  dls_reading_require(m->reading, e, "body1");
  dls_mjcf_find_body(m, e, "body1", &out->body[0]);
  dls_mjcf_find_body(m, e, "body2", &out->body[1]);
  out->frame[0] = out->frame[1] = dls_pose_none;
}

// The anchor is in the first body's frame.
static void connect_ends(dls_mjcf *m, const dls_xml_element *e, ends *out)
{
  if (at_sites(m, e, out)) return;
  find_bodies(m, e, out);
  dls_reading_require(m->reading, e, "anchor");
  dls_reading_numbers(m->reading, e, "anchor", 3, 3, out->frame[0].position);
  if (!m->reading->status) out->frame[1] = seen_from(m, out->body[1], out->body[0], &out->frame[0]);
}

// The anchor is in the second body's frame; relpose is where it is held in the first one's, which
// is as at the reference when its quaternion is zero.
static void weld_ends(dls_mjcf *m, const dls_xml_element *e, ends *out)
{
  if (at_sites(m, e, out)) return;
  find_bodies(m, e, out);
  double pose[7] = {0};
  dls_reading_numbers(m->reading, e, "anchor", 3, 3, out->frame[1].position);
  dls_reading_numbers(m->reading, e, "relpose", 7, 7, pose);
  if (m->reading->status) return;
  memcpy(out->frame[0].position, pose, 3 * sizeof *pose);
  memcpy(out->frame[0].quaternion, pose + 3, 4 * sizeof *pose);
  if (pose[3] == 0 && pose[4] == 0 && pose[5] == 0 && pose[6] == 0)
    out->frame[0] = seen_from(m, out->body[0], out->body[1], &out->frame[1]);
  else if (!dls_turn_unit(4, out->frame[0].quaternion))
    dls_reading_fail(m->reading, e, "relpose", "the quaternion of `relpose` is too small");
}

static dls_closure *add_closure(dls_mjcf *m, const dls_xml_element *e, dls_closure_kind kind)
{
  dls_closure *closure = DLS_READING_ADD(m->reading, &m->draft, closure);
  if (!closure) return NULL;
  *closure = (dls_closure){
      .name = dls_draft_name(m->reading, &m->draft.joint_names, NULL, dls_reading_text(e, "name"),
                             e->name, m->draft.closures),
      .kind = kind,
      .body = {DLS_WORLD, DLS_WORLD},
      .frame = {dls_pose_none, dls_pose_none},
      .joint = {-1, -1},
  };
  return closure;
}

static void add_frames(dls_mjcf *m, const dls_xml_element *e, dls_closure_kind kind)
{
  ends at = {0};
  if (kind == DLS_CLOSURE_WELD) weld_ends(m, e, &at);
  else connect_ends(m, e, &at);
  if (m->reading->status) return;
  if (at.body[0] == at.body[1]) dls_reading_fail(m->reading, e, NULL, "this ties a body to itself");
  dls_closure *closure = add_closure(m, e, kind);
  if (!closure) return;
  for (int k = 0; k < 2; k++) {
    closure->body[k] = at.body[k];
    closure->frame[k] = at.frame[k];
  }
}

static bool has_one_freedom(const dls_mjcf *m, int joint)
{
  return m->joint[joint].kind == DLS_JOINT_HINGE || m->joint[joint].kind == DLS_JOINT_SLIDE;
}

static void add_joints(dls_mjcf *m, const dls_xml_element *e)
{
  int joint[2] = {dls_mjcf_find(m, &m->joint_names, e, "joint1", "joint"), -1};
  if (dls_xml_find(e, "joint2")) joint[1] = dls_mjcf_find(m, &m->joint_names, e, "joint2", "joint");
  double polynomial[5] = {0, 1, 0, 0, 0};
  dls_reading_numbers(m->reading, e, "polycoef", 1, 5, polynomial);
  if (m->reading->status) return;
  for (int k = 0; k < 2; k++) {
    if (joint[k] >= 0 && !has_one_freedom(m, joint[k]))
      dls_reading_fail(m->reading, e, k == 0 ? "joint1" : "joint2",
                       "only hinges and slides can be coupled");
  }
  if (joint[0] == joint[1]) dls_reading_fail(m->reading, e, "joint2", "a joint with itself");
  dls_closure *closure = add_closure(m, e, DLS_CLOSURE_JOINTS);
  if (!closure) return;
  memcpy(closure->joint, joint, sizeof joint);
  memcpy(closure->polynomial, polynomial, sizeof polynomial);
}

static void add_equality(dls_mjcf *m, const dls_xml_element *e)
{
  if (strcmp(e->name, "tendon") == 0) return;  // has been noted
  bool active = dls_mjcf_class_of(m, e, "class", &m->class[0])->equality_active;
  dls_reading_bool(m->reading, e, "active", &active);
  if (!active) {
    dls_reading_note(m->reading, false, 1, "equality that is not active");
    return;
  }
  if (strcmp(e->name, "joint") == 0) add_joints(m, e);
  else add_frames(m, e, strcmp(e->name, "weld") == 0 ? DLS_CLOSURE_WELD : DLS_CLOSURE_BALL);
}

void dls_mjcf_add_closures(dls_mjcf *m)
{
  if (!m->off.equality) dls_mjcf_each(m, "equality", add_equality);
}
