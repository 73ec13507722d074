#include "shape/place.h"

#include "base/memory.h"
#include "linalg/vector3.h"

#include <math.h>

static void turned(const double *R, const double local[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = dls_dot3(&R[3 * i], local);
}

dls_feature_place dls_feature_place_of(const dls_feature *feature, const dls_solid_motion *motion)
{
  dls_feature_place p = {.kind = feature->kind,
                         .radius = feature->radius,
                         .edged = feature->edged,
                         .half_length = feature->half_length};
  turned(motion->R, feature->at, p.at);
  for (int i = 0; i < 3; i++) p.at[i] += motion->p[i];
  turned(motion->R, feature->axis, p.axis);
  if (feature->kind == DLS_FEATURE_SURFACE)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) p.semi[k][i] = motion->R[3 * i + k] * feature->semi[k];
  if (feature->kind == DLS_FEATURE_RIM) dls_copy(p.out, p.axis, 3);
  if (feature->edged)
    for (int k = 0; k < 2; k++) {
      turned(motion->R, feature->side[k], p.side[k]);
      for (int i = 0; i < 3; i++) p.out[i] += p.side[k][i];
    }
  return p;
}

// E m
static void through(const dls_feature_place *p, const double m[3], double out[3])
{
  double z[3];
  for (int k = 0; k < 3; k++) z[k] = dls_dot3(p->semi[k], m);
  for (int i = 0; i < 3; i++)
    out[i] = p->semi[0][i] * z[0] + p->semi[1][i] * z[1] + p->semi[2][i] * z[2];
}

bool dls_feature_far(const dls_feature_place *p, const double m[3], double x[3])
{
  double far[3] = {0}, size = 1, reach = p->radius;
  switch (p->kind) {
  case DLS_FEATURE_POINT: dls_copy(far, m, 3), size = sqrt(dls_dot3(m, m)); break;
  case DLS_FEATURE_RIM: {
    const double along = dls_dot3(m, p->axis);
    for (int i = 0; i < 3; i++) far[i] = m[i] - along * p->axis[i];
    size = sqrt(dls_dot3(far, far));
    break;
  }
  case DLS_FEATURE_SURFACE: through(p, m, far), size = sqrt(dls_dot3(far, m)), reach = 1; break;
  default: break;
  }
  for (int i = 0; i < 3; i++) x[i] = p->at[i] + reach * far[i] / size;
  return size > 0;
}

bool dls_feature_curvature(const dls_feature_place *p, const double m[3], double K[3][3])
{
  dls_clear(&K[0][0], 9);
  if (p->kind == DLS_FEATURE_SURFACE) {
    double far[3];
    through(p, m, far);
    const double s = sqrt(dls_dot3(far, m));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double E = 0;
        for (int k = 0; k < 3; k++) E += p->semi[k][i] * p->semi[k][j];
        K[i][j] = E / s - far[i] / s * (far[j] / s) / s;
      }
    return s > 0;
  }
  if (p->kind == DLS_FEATURE_RIM) {
    double t[3];
    dls_cross(p->axis, m, t);
    const double square = dls_dot3(t, t), factor = p->radius / (square * sqrt(square));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) K[i][j] = factor * t[i] * t[j];
    return square > 0;
  }
  const double size = sqrt(dls_dot3(m, m));
  if (p->kind == DLS_FEATURE_POINT || p->kind == DLS_FEATURE_LINE)
    for (int i = 0; i < 3; i++) K[i][i] = p->radius / size;  // on what is at right angles to m
  return size > 0;
}
