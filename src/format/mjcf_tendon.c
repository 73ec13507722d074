// Fixed tendons: linear combinations of joint coordinates.
#include "format/mjcf.h"

#include <string.h>

enum { MOST_TERMS = 4096 };

static const char *const switches[] = {"false", "true", "auto", NULL};

void dls_mjcf_tendon_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_tendon *tendon)
{
  dls_file_reading *r = m->reading;
  int value;
  if (dls_reading_word(r, e, "limited", switches, &value)) tendon->limited = (dls_mjcf_switch)value;
  dls_reading_numbers(r, e, "range", 2, 2, tendon->range);
  dls_reading_number(r, e, "frictionloss", &tendon->friction);
  if (dls_reading_numbers(r, e, "springlength", 1, 2, tendon->spring) == 1)
    tendon->spring[1] = tendon->spring[0];
  double law[3] = {0};
  if (dls_reading_numbers(r, e, "stiffness", 1, 3, law)) tendon->stiffness = law[0];
  if (law[1] != 0 || law[2] != 0) dls_reading_note(r, true, 1, "tendon stiffness (nonlinear)");
  law[1] = law[2] = 0;
  if (dls_reading_numbers(r, e, "damping", 1, 3, law)) tendon->damping = law[0];
  if (law[1] != 0 || law[2] != 0) dls_reading_note(r, true, 1, "tendon damping (nonlinear)");
}

static int count_children(const dls_xml_element *e)
{
  int count = 0;
  for (const dls_xml_element *c = e->first; c; c = c->next) count++;
  return count;
}

// Its joints, and the length with all joints where their springs rest, which is where MuJoCo takes
// it (its pages say: at the reference).
static double read_terms(dls_mjcf *m, const dls_xml_element *e, int count, int *joint, double *gear)
{
  double length = 0;
  int k = 0;
  for (const dls_xml_element *c = e->first; c && !m->reading->status; c = c->next, k++) {
    joint[k] = dls_mjcf_find(m, &m->joint_names, c, "joint", "joint");
    dls_reading_require(m->reading, c, "coef");
    dls_reading_number(m->reading, c, "coef", &gear[k]);
    if (m->reading->status) break;
    const dls_mjcf_joint *j = &m->joint[joint[k]];
    if (j->kind != DLS_JOINT_HINGE && j->kind != DLS_JOINT_SLIDE)
      dls_reading_fail(m->reading, c, "joint", "a tendon needs hinges and slides");
    length += gear[k] * j->rest;
  }
  if (count == 0) dls_reading_fail(m->reading, e, NULL, "a tendon needs a joint");
  return length;
}

// A joint that is named twice counts with the sum.
static int unite_terms(int count, int *joint, double *gear)
{
  int kept = 0;
  for (int k = 0; k < count; k++) {
    int at = 0;
    while (at < kept && joint[at] != joint[k]) at++;
    if (at < kept) {
      gear[at] += gear[k];
    } else {
      joint[kept] = joint[k];
      gear[kept++] = gear[k];
    }
  }
  return kept;
}

static void add_fixed(dls_mjcf *m, const dls_xml_element *e)
{
  dls_file_reading *r = m->reading;
  dls_mjcf_tendon t = dls_mjcf_class_of(m, e, "class", &m->class[0])->tendon;
  dls_mjcf_tendon_values(m, e, &t);
  const int count = count_children(e);
  if (count > MOST_TERMS) dls_reading_fail(r, e, NULL, "too many joints in a tendon");
  int *joint = dls_reading_keep(r, count, sizeof *joint);
  double *gear = dls_reading_keep(r, count, sizeof *gear);
  if (!joint || !gear) return;
  const double length = read_terms(m, e, count, joint, gear);
  bool limited = false;
  dls_mjcf_limited(m, e, "limited", "range", t.limited, t.range, &limited);
  if (r->status) return;
  // -1 stands for that length
  if (t.spring[0] == -1 && t.spring[1] == -1) t.spring[0] = t.spring[1] = length;
  if (t.spring[0] > t.spring[1]) dls_reading_fail(r, e, "springlength", "`springlength` must grow");
  dls_tendon *tendon = DLS_READING_ADD(r, &m->draft, tendon);
  if (!tendon) return;
  *tendon = (dls_tendon){
      .name = dls_draft_name(r, &m->draft.tendon_names, NULL, dls_reading_text(e, "name"), "tendon",
                             m->draft.tendons),
      .terms = unite_terms(count, joint, gear),
      .joint = joint,
      .gear = gear,
      .damping = m->off.damper ? 0 : t.damping,
      .stiffness = m->off.spring ? 0 : t.stiffness,
      .rest = {t.spring[0], t.spring[1]},
      .friction = m->off.friction ? 0 : t.friction,
      .limited = limited && !m->off.limit,
      .range = {t.range[0], t.range[1]},
  };
}

// The number of each is that in the mechanism, or of none: one that is left out.
static void add_tendon(dls_mjcf *m, const dls_xml_element *e)
{
  enum { LEFT_OUT = 1 << 28 };
  const char *name = dls_reading_text(e, "name");
  const bool fixed = strcmp(e->name, "fixed") == 0;
  const int number = fixed ? m->draft.tendons : LEFT_OUT;
  if (fixed) add_fixed(m, e);
  if (name && *name && !dls_name_table_add(m->reading, &m->tendon_names, name, number))
    dls_reading_fail(m->reading, e, "name", "there is a tendon `%.100s` already", name);
}

void dls_mjcf_add_tendons(dls_mjcf *m)
{
  dls_mjcf_each(m, "tendon", add_tendon);
}
