// What actuators say: all kinds are ways to write gain and bias.
#include "format/mjcf.h"

#include <string.h>

static const char *const switches[] = {"false", "true", "auto", NULL};

const char *const dls_mjcf_dynamics[] = {"none",    "integrator", "filter", "filterexact", "muscle",
                                         "dcmotor", "pid",        "user",   NULL};
enum { FILTER = 2, FILTER_EXACT = 3 };

const dls_mjcf_actuator dls_mjcf_plain_actuator = {
    .gear = {1, 0, 0, 0, 0, 0},
    .gain = {1, 0, 0},
    .control_limited = DLS_MJCF_AUTO,
    .force_limited = DLS_MJCF_AUTO,
    .act_limited = DLS_MJCF_AUTO,
};

static void read_switch(dls_mjcf *m, const dls_xml_element *e, const char *name,
                        dls_mjcf_switch *out)
{
  int value;
  if (dls_reading_word(m->reading, e, name, switches, &value)) *out = (dls_mjcf_switch)value;
}

static void common_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *a)
{
  dls_file_reading *r = m->reading;
  read_switch(m, e, "ctrllimited", &a->control_limited);
  read_switch(m, e, "forcelimited", &a->force_limited);
  read_switch(m, e, "actlimited", &a->act_limited);
  dls_reading_numbers(r, e, "ctrlrange", 2, 2, a->control_range);
  dls_reading_numbers(r, e, "forcerange", 2, 2, a->force_range);
  dls_reading_numbers(r, e, "actrange", 2, 2, a->act_range);
  dls_reading_numbers(r, e, "gear", 1, 6, a->gear);
  dls_reading_number(r, e, "inheritrange", &a->inherit_range);
  dls_reading_number(r, e, "armature", &a->armature);
  double law[3] = {0};
  if (dls_reading_numbers(r, e, "damping", 1, 3, law)) a->damping = law[0];
  if (law[1] != 0 || law[2] != 0) dls_reading_note(r, true, 1, "actuator damping (nonlinear)");
}

// gainprm and biasprm have ten numbers; those after the third are of muscles and the like.
static void read_law(dls_mjcf *m, const dls_xml_element *e, const char *name, double law[3])
{
  double all[10] = {law[0], law[1], law[2]};
  if (dls_reading_numbers(m->reading, e, name, 1, 10, all)) memcpy(law, all, 3 * sizeof *law);
}

static void general_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *a)
{
  static const char *const gains[] = {"fixed", "affine", "muscle", "dcmotor",
                                      "so3",   "pid",    "user",   NULL};
  static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "so3", "user", NULL};
  dls_file_reading *r = m->reading;
  int value;
  if (dls_reading_word(r, e, "gaintype", gains, &value))
    a->gain_kind = value < DLS_MJCF_OTHER ? (dls_mjcf_gain)value : DLS_MJCF_OTHER;
  if (dls_reading_word(r, e, "biastype", biases, &value))
    a->bias_kind = value < DLS_MJCF_OTHER ? (dls_mjcf_gain)value : DLS_MJCF_OTHER;
  dls_reading_word(r, e, "dyntype", dls_mjcf_dynamics, &a->dynamics);
  read_law(m, e, "gainprm", a->gain);
  read_law(m, e, "biasprm", a->bias);
}

static bool read_positive(dls_mjcf *m, const dls_xml_element *e, const char *name, double *out)
{
  if (!dls_reading_number(m->reading, e, name, out)) return false;
  if (*out < 0) dls_reading_fail(m->reading, e, name, "`%s` must not be negative", name);
  return true;
}

// kp (control - length) - kv velocity; a positive third bias stands for a damping ratio.
static void servo_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *a)
{
  double value;
  dls_reading_number(m->reading, e, "kp", &a->gain[0]);
  a->bias[1] = -a->gain[0];
  if (dls_xml_find(e, "kv") && dls_xml_find(e, "dampratio"))
    dls_reading_fail(m->reading, e, "dampratio", "`kv` and `dampratio` are two dampings");
  if (read_positive(m, e, "kv", &value)) a->bias[2] = -value;
  if (read_positive(m, e, "dampratio", &value)) a->bias[2] = value;
  if (read_positive(m, e, "timeconst", &value))
    a->dynamics = value == 0 ? DLS_MJCF_STATIC : FILTER_EXACT;
  if (strcmp(e->name, "intvelocity") == 0) a->dynamics = DLS_MJCF_INTEGRATOR;
  a->gain_kind = DLS_MJCF_FIXED;
  a->bias_kind = DLS_MJCF_AFFINE;
}

static void velocity_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *a)
{
  dls_reading_number(m->reading, e, "kv", &a->gain[0]);
  memset(a->bias, 0, sizeof a->bias);
  a->bias[2] = -a->gain[0];
  a->dynamics = DLS_MJCF_STATIC;
  a->gain_kind = DLS_MJCF_FIXED;
  a->bias_kind = DLS_MJCF_AFFINE;
}

static void damper_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *a)
{
  double kv = a->gain_kind == DLS_MJCF_AFFINE ? -a->gain[2] : 0;
  read_positive(m, e, "kv", &kv);
  memset(a->gain, 0, sizeof a->gain);
  a->gain[2] = -kv;
  a->control_limited = DLS_MJCF_YES;
  a->dynamics = DLS_MJCF_STATIC;
  a->gain_kind = DLS_MJCF_AFFINE;
  a->bias_kind = DLS_MJCF_FIXED;
}

static void cylinder_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *a)
{
  double diameter;
  dls_reading_numbers(m->reading, e, "bias", 3, 3, a->bias);
  dls_reading_number(m->reading, e, "area", &a->gain[0]);
  if (read_positive(m, e, "diameter", &diameter))
    a->gain[0] = 3.14159265358979323846 / 4 * diameter * diameter;
  a->dynamics = FILTER;
  a->gain_kind = DLS_MJCF_FIXED;
  a->bias_kind = DLS_MJCF_AFFINE;
}

void dls_mjcf_actuator_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *actuator)
{
  const char *kind = e->name;
  common_values(m, e, actuator);
  if (strcmp(kind, "general") == 0) general_values(m, e, actuator);
  else if (strcmp(kind, "motor") == 0) {
    actuator->gain[0] = 1;
    actuator->dynamics = DLS_MJCF_STATIC;
    actuator->gain_kind = actuator->bias_kind = DLS_MJCF_FIXED;
  } else if (strcmp(kind, "position") == 0 || strcmp(kind, "intvelocity") == 0) {
    servo_values(m, e, actuator);
  } else if (strcmp(kind, "velocity") == 0) velocity_values(m, e, actuator);
  else if (strcmp(kind, "damper") == 0) damper_values(m, e, actuator);
  else if (strcmp(kind, "cylinder") == 0) cylinder_values(m, e, actuator);
  else actuator->gain_kind = actuator->bias_kind = DLS_MJCF_OTHER;
  if (strcmp(kind, "muscle") == 0) actuator->dynamics = 4;
}
