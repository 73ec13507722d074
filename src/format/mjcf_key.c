// Keyframes as states.
#include "format/mjcf.h"
#include "format/turn.h"

#include <string.h>

// Numbers of the attribute, as many as there must be; or what is there already.
static void read_vector(dls_mjcf *m, const dls_xml_element *e, const char *name, int wanted,
                        double *out)
{
  double *given = NULL;
  const int count = dls_reading_all_numbers(m->reading, e, name, &given);
  if (count == 0 || m->reading->status) return;
  if (count != wanted) {
    dls_reading_fail(m->reading, e, name, "`%s` needs %d number%s, not %d", name, wanted,
                     wanted == 1 ? "" : "s", count);
    return;
  }
  memcpy(out, given, (size_t)count * sizeof *out);
}

// Those of free joints and balls, to unit length; as in MuJoCo what has none turns nothing.
static void make_unit(const dls_mjcf *m, double *q)
{
  for (int k = 0; k < m->draft.joints; k++) {
    const dls_joint_kind kind = m->draft.joint[k].kind;
    const bool is_free = kind == DLS_JOINT_FREE, turns = is_free || kind == DLS_JOINT_BALL;
    if (is_free) q += 3;
    if (turns && !dls_turn_unit(4, q)) memcpy(q, (const double[4]){1, 0, 0, 0}, 4 * sizeof *q);
    q += turns ? 4 : 1;
  }
}

// Activations stand for controls where there are any: see the note of such actuators.
static void read_controls(dls_mjcf *m, const dls_xml_element *e, double *control)
{
  const int count = m->draft.actuators;
  for (int k = 0; k < count; k++) control[k] = m->draft.actuator[k].control;
  if (m->odd_actuators) {
    if (dls_xml_find(e, "ctrl")) dls_reading_note(m->reading, false, 1, "key ctrl");
    return;
  }
  read_vector(m, e, "ctrl", count, control);
  double *act = dls_reading_work(m->reading, m->acts, sizeof *act);
  if (!act || !dls_xml_find(e, "act")) return;
  read_vector(m, e, "act", m->acts, act);
  for (int k = 0; k < count; k++) {
    if (m->act_of[k] >= 0) control[k] = act[m->act_of[k]];
  }
}

static void add_state(dls_mjcf *m, const dls_xml_element *e)
{
  dls_file_reading *r = m->reading;
  const int nq = dls_draft_coordinates(&m->draft), nv = dls_draft_velocities(&m->draft);
  double *q = dls_reading_keep(r, nq, sizeof *q);
  double *v = dls_reading_keep(r, nv, sizeof *v);
  double *control = dls_reading_keep(r, m->draft.actuators, sizeof *control);
  dls_import_state *state = DLS_READING_ADD(r, &m->draft, state);
  if (!q || !v || !control || !state) return;
  dls_reading_step(r, e);
  dls_draft_reference(&m->draft, q);
  read_vector(m, e, "qpos", nq, q);
  read_vector(m, e, "qvel", nv, v);
  if (!r->status) make_unit(m, q);
  read_controls(m, e, control);
  double time = 0;
  dls_reading_number(r, e, "time", &time);
  *state = (dls_import_state){
      .name = dls_draft_name(r, &m->key_names, NULL, dls_reading_text(e, "name"), "key",
                             m->draft.states - 1),
      .time = time,
      .q = q,
      .v = v,
      .control = control,
  };
}

void dls_mjcf_add_states(dls_mjcf *m)
{
  dls_mjcf_each(m, "keyframe", add_state);
}
