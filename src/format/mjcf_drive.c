// Actuators of the mechanism: on what they act, and with which force.
#include "format/mjcf.h"

#include <math.h>
#include <string.h>

enum { NEVER = -3 };  // acts on nothing that a mechanism has

// The transmissions, in the order in which the last one wins.
static const char *const targets[] = {"joint",     "jointinparent", "tendon",
                                      "cranksite", "site",          "body"};
enum { ON_JOINT, ON_JOINT_IN_PARENT, ON_TENDON, ON_CRANK, ON_SITE, ON_BODY, NO_TARGET };

static int target_of(const dls_xml_element *e)
{
  int found = NO_TARGET;
  for (int k = 0; k < NO_TARGET; k++) {
    if (dls_xml_find(e, targets[k])) found = k;
  }
  return found;
}

static void on_joint(dls_mjcf *m, const dls_xml_element *e, int target, dls_actuator *out)
{
  const int j = dls_mjcf_find(m, &m->joint_names, e, targets[target], "joint");
  if (j < 0) return;
  out->kind = DLS_ACTUATOR_JOINT;
  out->of = j;
  const dls_joint_kind kind = m->joint[j].kind;
  if (target == ON_JOINT_IN_PARENT && (kind == DLS_JOINT_BALL || kind == DLS_JOINT_FREE)) {
    dls_reading_note(m->reading, false, 1, "%s jointinparent of a ball or free joint", e->name);
    out->of = NEVER;
  }
}

static void on_tendon(dls_mjcf *m, const dls_xml_element *e, dls_actuator *out)
{
  const int t = dls_mjcf_find(m, &m->tendon_names, e, "tendon", "tendon");
  if (t < 0) return;
  out->kind = DLS_ACTUATOR_TENDON;
  out->of = t < m->draft.tendons ? t : NEVER;
  if (out->of == NEVER) dls_reading_note(m->reading, false, 1, "%s on a spatial tendon", e->name);
}

static void on_site(dls_mjcf *m, const dls_xml_element *e, dls_actuator *out)
{
  const int s = dls_mjcf_find(m, &m->site_names, e, "site", "site");
  if (s < 0) return;
  out->kind = DLS_ACTUATOR_FRAME;
  out->of = m->site[s].body;
  out->frame = m->site[s].pose;
  if (dls_xml_find(e, "refsite")) {
    dls_mjcf_find(m, &m->site_names, e, "refsite", "site");
    dls_reading_note(m->reading, false, 1, "%s refsite", e->name);
    out->of = NEVER;
  }
  if (out->of == DLS_WORLD) out->of = NEVER;  // nothing moves
}

static void find_target(dls_mjcf *m, const dls_xml_element *e, dls_actuator *out)
{
  const int target = target_of(e);
  switch (target) {
  case ON_JOINT:
  case ON_JOINT_IN_PARENT: on_joint(m, e, target, out); break;
  case ON_TENDON: on_tendon(m, e, out); break;
  case ON_SITE: on_site(m, e, out); break;
  case ON_CRANK:
  case ON_BODY:
    dls_reading_note(m->reading, false, 1, "%s %s", e->name, targets[target]);
    out->of = NEVER;
    break;
  default:
    dls_reading_fail(m->reading, e, NULL,
                     "on what does it act? `joint`, `tendon` or `site` is missing");
  }
}

// ---- the law
// -------------------------------------------------------------------------------------

static void inherit_range(dls_mjcf *m, const dls_xml_element *e, const dls_actuator *out,
                          dls_mjcf_actuator *a)
{
  if (!(a->inherit_range > 0) || a->gain[0] != -a->bias[1] || a->bias_kind != DLS_MJCF_AFFINE)
    return;
  if (out->of == NEVER) return;
  const double *range = NULL;
  if (out->kind == DLS_ACTUATOR_JOINT) range = m->draft.joint[out->of].range;
  if (out->kind == DLS_ACTUATOR_TENDON) range = m->draft.tendon[out->of].range;
  if (!range || range[0] == range[1]) {
    dls_reading_fail(m->reading, e, "inheritrange", "there is no range to inherit");
    return;
  }
  double *to = a->dynamics == DLS_MJCF_INTEGRATOR ? a->act_range : a->control_range;
  const double middle = (range[0] + range[1]) / 2;
  const double half = (range[1] - range[0]) / 2 * a->inherit_range;
  to[0] = middle - half;
  to[1] = middle + half;
}

static double clamp(double x, const double range[2])
{
  return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

// The control 0, as far as it may be 0.
static double control_of(dls_mjcf *m, const dls_xml_element *e, const dls_mjcf_actuator *a)
{
  bool limited = false, act = false;
  dls_mjcf_limited(m, e, "ctrllimited", "ctrlrange", a->control_limited, a->control_range,
                   &limited);
  dls_mjcf_limited(m, e, "actlimited", "actrange", a->act_limited, a->act_range, &act);
  if (m->off.clamp || a->dynamics == DLS_MJCF_INTEGRATOR) limited = false;
  return limited ? clamp(0, a->control_range) : 0;
}

static void set_law(dls_mjcf *m, const dls_xml_element *e, const dls_mjcf_actuator *a,
                    dls_actuator *out)
{
  dls_file_reading *r = m->reading;
  if (a->gain_kind == DLS_MJCF_OTHER || a->bias_kind == DLS_MJCF_OTHER) {
    dls_reading_note(r, false, 1, "%s actuator: its force", e->name);
    return;
  }
  out->gain = a->gain[0];
  if (a->gain_kind == DLS_MJCF_AFFINE) {
    // exact for this control
    out->bias[1] += a->gain[1] * out->control;
    out->bias[2] += a->gain[2] * out->control;
    if (a->gain[1] != 0 || a->gain[2] != 0)
      dls_reading_note(r, true, 1, "%s actuator: its gain, as with control 0", e->name);
  }
  for (int k = 0; a->bias_kind == DLS_MJCF_AFFINE && k < 3; k++) out->bias[k] += a->bias[k];
  if (a->dynamics != DLS_MJCF_STATIC)
    dls_reading_note(r, true, 1, "%s actuator of dyntype %s: its activation is its control",
                     e->name, dls_mjcf_dynamics[a->dynamics]);
  const dls_joint_kind kind =
      out->kind == DLS_ACTUATOR_JOINT ? m->joint[out->of].kind : DLS_JOINT_HINGE;
  if (out->bias[1] != 0 && kind == DLS_JOINT_BALL)
    dls_reading_note(r, true, 1, "%s actuator: length of a ball", e->name);
}

// Newer files have them here: they are the joint's or the tendon's.
static void add_passive(dls_mjcf *m, const dls_xml_element *e, const dls_mjcf_actuator *a,
                        const dls_actuator *out)
{
  const double gear = a->gear[0] * a->gear[0];
  if (a->damping == 0 && a->armature == 0) return;
  if (out->of == NEVER || out->kind == DLS_ACTUATOR_FRAME) {
    dls_reading_note(m->reading, false, 1, "%s damping or armature", e->name);
  } else if (out->kind == DLS_ACTUATOR_JOINT) {
    m->draft.joint[out->of].damping += m->off.damper ? 0 : gear * a->damping;
    m->draft.joint[out->of].armature += gear * a->armature;
  } else {
    m->draft.tendon[out->of].damping += m->off.damper ? 0 : gear * a->damping;
    if (a->armature != 0)
      dls_reading_note(m->reading, false, 1, "%s armature of a tendon", e->name);
  }
}

// Of several controls, or none.
static bool is_odd(const char *kind)
{
  return strcmp(kind, "orientation") == 0 || strcmp(kind, "pid") == 0 ||
         strcmp(kind, "dcmotor") == 0 || strcmp(kind, "plugin") == 0;
}

static void add_actuator(dls_mjcf *m, const dls_xml_element *e)
{
  dls_file_reading *r = m->reading;
  dls_mjcf_actuator a = dls_mjcf_class_of(m, e, "class", &m->class[0])->actuator;
  dls_mjcf_actuator_values(m, e, &a);
  m->odd_actuators = m->odd_actuators || is_odd(e->name);
  dls_actuator out = {.frame = {.quaternion = {1, 0, 0, 0}}};
  if (!r->status) find_target(m, e, &out);
  if (r->status) return;
  inherit_range(m, e, &out, &a);
  dls_mjcf_limited(m, e, "forcelimited", "forcerange", a.force_limited, a.force_range,
                   &out.limited);
  memcpy(out.range, a.force_range, sizeof out.range);
  memcpy(out.gear, a.gear, sizeof out.gear);
  out.control = control_of(m, e, &a);
  if (out.of != NEVER) set_law(m, e, &a, &out);
  add_passive(m, e, &a, &out);
  // keyframes count it: a force of 0
  if (out.of == NEVER)
    out = (dls_actuator){.kind = DLS_ACTUATOR_FRAME, .frame = {.quaternion = {1, 0, 0, 0}}};
  if (m->off.actuation) {
    out.gain = 0;
    memset(out.bias, 0, sizeof out.bias);
  }
  out.name = dls_draft_name(r, &m->draft.actuator_names, NULL, dls_reading_text(e, "name"), e->name,
                            m->draft.actuators);
  int *act =
      dls_reading_grow(r, (void **)&m->act_of, &m->act_count, &m->act_capacity, sizeof *m->act_of);
  dls_actuator *place = act ? DLS_READING_ADD(r, &m->draft, actuator) : NULL;
  if (!place) return;
  *act = a.dynamics == DLS_MJCF_STATIC ? -1 : m->acts++;
  *place = out;
}

void dls_mjcf_add_actuators(dls_mjcf *m)
{
  dls_mjcf_each(m, "actuator", add_actuator);
}
