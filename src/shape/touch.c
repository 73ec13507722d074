// Contacts of a pair of solids: which formula, and over which numbers.
#include "shape/touch.h"

#include "base/memory.h"
#include "linalg/vector3.h"
#include "shape/touch_internal.h"

#include <math.h>

bool dls_touch_pair_make(const dls_form *a, const dls_solid_motion *motion_a, const dls_form *b,
                         const dls_solid_motion *motion_b, dls_touch_id id, dls_touch_pair *pair)
{
  *pair = (dls_touch_pair){.side = {{.motion = motion_a}, {.motion = motion_b}}, .sign = 1};
  pair->side[0].feature = dls_form_feature(a, id.a),
  pair->side[1].feature = dls_form_feature(b, id.b);
  const dls_feature_kind ka = pair->side[0].feature.kind, kb = pair->side[1].feature.kind;
  if (ka == DLS_FEATURE_NONE || kb == DLS_FEATURE_NONE) return false;
  const bool flat_a = ka == DLS_FEATURE_FACE || ka == DLS_FEATURE_LINE;
  const bool flat_b = kb == DLS_FEATURE_FACE || kb == DLS_FEATURE_LINE;
  const bool lines = ka == DLS_FEATURE_LINE && kb == DLS_FEATURE_LINE;
  if (flat_a && flat_b && !lines) return false;
  pair->newton = dls_common_normal_needed(ka, kb);
  if (!lines && !pair->newton) return true;
  const dls_feature_place x = dls_feature_place_of(&pair->side[0].feature, motion_a);
  const dls_feature_place y = dls_feature_place_of(&pair->side[1].feature, motion_b);
  if (pair->newton) return dls_common_normal_find(&x, &y, &pair->normal);
  double n[3], out[3];
  dls_cross(x.axis, y.axis, n);
  for (int i = 0; i < 3; i++) out[i] = x.edged || y.edged ? y.out[i] - x.out[i] : x.at[i] - y.at[i];
  if (dls_dot3(n, out) < 0) pair->sign = -1;
  return true;
}

static bool all_finite(const dls_touch_values *values)
{
  double sum = 0;  // of zeros, or not finite
  const double *number = (const double *)values;
  for (size_t k = 0; k < sizeof *values / sizeof *number; k++) sum += 0 * number[k];
  return sum == 0;
}

// Where no bound is known it is infinite: in all numbers, or where it is none.
static void unbounded(dls_touch_values *error, bool all)
{
  double *number = (double *)error;
  for (size_t k = 0; k < sizeof *error / sizeof *number; k++)
    if (all || !(number[k] >= 0)) number[k] = INFINITY;
}

dls_status dls_touch_evaluate(const dls_form *a, const dls_solid_motion *motion_a,
                              const dls_solid_motion_error *error_a, const dls_form *b,
                              const dls_solid_motion *motion_b,
                              const dls_solid_motion_error *error_b, dls_touch_id id,
                              dls_touch_values *values, dls_touch_values *error)
{
  dls_touch_pair pair;
  if (!dls_touch_pair_make(a, motion_a, b, motion_b, id, &pair)) return DLS_ERR_NUMBER;
  pair.side[0].error = error_a, pair.side[1].error = error_b;
  if (!error) return dls_touch_plain(&pair, values) && all_finite(values) ? DLS_OK : DLS_ERR_NUMBER;
  if (!dls_touch_bounded(&pair, values, error)) {
    if (!dls_touch_plain(&pair, values)) return DLS_ERR_NUMBER;
    unbounded(error, true);
  }
  unbounded(error, false);
  return all_finite(values) ? DLS_OK : DLS_ERR_NUMBER;
}

// Rows gap, rate, bias, slip, slip_bias.
static void seven_rows(const dls_touch_values *v, double row[7])
{
  row[0] = v->gap, row[1] = v->rate, row[2] = v->bias;
  dls_copy(&row[3], v->slip, 2), dls_copy(&row[5], v->slip_bias, 2);
}

dls_status dls_touch_differentiate(const dls_form *a, const dls_solid_motion *motion_a,
                                   const dls_form *b, const dls_solid_motion *motion_b,
                                   dls_touch_id id, dls_touch_derivative *derivative)
{
  dls_touch_pair pair;
  if (!dls_touch_pair_make(a, motion_a, b, motion_b, id, &pair)) return DLS_ERR_NUMBER;
  for (int k = 0; k < 24; k++) {
    dls_touch_values v;
    double row[19];
    if (!dls_touch_dual(&pair, k, &v) || !all_finite(&v)) return DLS_ERR_NUMBER;
    seven_rows(&v, row);
    dls_copy(&row[7], v.point, 3), dls_copy(&row[10], v.normal, 3);
    dls_copy(&row[13], v.tangent[0], 3), dls_copy(&row[16], v.tangent[1], 3);
    for (int i = 0; i < 19 && k < 12; i++) derivative->pose[i][k] = row[i];
    for (int i = 0; i < 7 && k >= 12; i++) derivative->velocity[i][k - 12] = row[i];
  }
  return DLS_OK;
}
