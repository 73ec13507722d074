// The five ways to write a rotation.
#include "format/mjcf.h"
#include "format/turn.h"

#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

const dls_mjcf_turn dls_mjcf_no_turn = {.quaternion = {1, 0, 0, 0}};

// What is not the quaternion wins over it, and the last of this list over the others.
void dls_mjcf_turn_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_turn *turn)
{
  static const struct {
    const char *name;
    int count;
    dls_mjcf_turn_kind kind;
  } ways[] = {{"axisangle", 4, DLS_MJCF_AXIS_ANGLE},
              {"xyaxes", 6, DLS_MJCF_XY_AXES},
              {"zaxis", 3, DLS_MJCF_Z_AXIS},
              {"euler", 3, DLS_MJCF_EULER}};
  dls_reading_numbers(m->reading, e, "quat", 4, 4, turn->quaternion);
  const char *given = dls_xml_find(e, "quat") ? "quat" : NULL;
  for (int k = 0; k < dls_count_of(ways); k++) {
    if (!dls_xml_find(e, ways[k].name)) continue;
    if (given)
      dls_reading_fail(m->reading, e, ways[k].name, "`%s` and `%s` are two rotations", given,
                       ways[k].name);
    given = ways[k].name;
    dls_reading_numbers(m->reading, e, given, ways[k].count, ways[k].count, turn->value);
    turn->kind = ways[k].kind;
  }
}

// In the order of the letters: small ones turn about the axes that moved along, large ones about
// those that stay.
static void of_euler(const dls_mjcf *m, const double *angle, double out[4])
{
  const double unit = m->compiler.degrees ? degree : 1;
  memcpy(out, dls_mjcf_no_turn.quaternion, 4 * sizeof *out);
  for (int k = 0; k < 3; k++) {
    const char letter = m->compiler.euler[k];
    const bool moving = letter >= 'x';
    const int axis = letter - (moving ? 'x' : 'X');
    const double unit_axis[3] = {axis == 0, axis == 1, axis == 2};
    double turn[4];
    dls_turn_about(unit_axis, angle[k] * unit, turn);
    if (moving) dls_turn_product(out, turn, out);
    else dls_turn_product(turn, out, out);
  }
}

static bool of_axes(const double *value, double out[4])
{
  double x[3], y[3];
  memcpy(x, value, sizeof x);
  memcpy(y, value + 3, sizeof y);
  if (!dls_turn_unit(3, x)) return false;
  const double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  for (int k = 0; k < 3; k++) y[k] -= along * x[k];
  if (!dls_turn_unit(3, y)) return false;
  const double matrix[9] = {x[0], y[0], x[1] * y[2] - x[2] * y[1],
                            x[1], y[1], x[2] * y[0] - x[0] * y[2],
                            x[2], y[2], x[0] * y[1] - x[1] * y[0]};
  dls_turn_of_matrix(matrix, out);
  return true;
}

void dls_mjcf_turn_resolve(dls_mjcf *m, const dls_xml_element *e, const dls_mjcf_turn *turn,
                           double quaternion[4])
{
  double axis[3];
  memcpy(axis, turn->value, sizeof axis);
  bool good = true;
  switch (turn->kind) {
  case DLS_MJCF_QUATERNION:
    memcpy(quaternion, turn->quaternion, 4 * sizeof *quaternion);
    good = dls_turn_unit(4, quaternion);
    break;
  case DLS_MJCF_AXIS_ANGLE:
    good = dls_turn_unit(3, axis);
    dls_turn_about(axis, turn->value[3] * (m->compiler.degrees ? degree : 1), quaternion);
    break;
  case DLS_MJCF_XY_AXES: good = of_axes(turn->value, quaternion); break;
  case DLS_MJCF_Z_AXIS:
    good = dls_turn_unit(3, axis);
    dls_turn_z_to(axis, quaternion);
    break;
  case DLS_MJCF_EULER: of_euler(m, turn->value, quaternion); break;
  }
  if (good) return;
  memcpy(quaternion, dls_mjcf_no_turn.quaternion, 4 * sizeof *quaternion);
  dls_reading_fail(m->reading, e, NULL, "the rotation of `%.60s` has an axis without length",
                   e->name);
}

dls_pose dls_mjcf_pose(dls_mjcf *m, const dls_xml_element *e)
{
  dls_pose pose = dls_pose_none;
  dls_mjcf_turn turn = dls_mjcf_no_turn;
  dls_reading_numbers(m->reading, e, "pos", 3, 3, pose.position);
  dls_mjcf_turn_values(m, e, &turn);
  dls_mjcf_turn_resolve(m, e, &turn, pose.quaternion);
  return pose;
}
