// States inside a step that cost nothing: of the collocation polynomial, or Hermite's.   eq (rkm.6)
#include "step/smooth.h"

static void collocate(const dls_smooth *s, double x, double h, const double *q0, const double *v0,
                      double *q, double *v)
{
  double by_v[DLS_RK_STAGES] = {0}, by_q[DLS_RK_STAGES] = {0};
  const int stages = s->tableau.stages;
  for (int i = 0; i < stages; i++) {
    double power = x;
    for (int k = 0; k < stages; k++) {
      by_v[i] += h * s->basis[i][k] * power / (k + 1);
      power *= x;
      by_q[i] += h * h * s->basis[i][k] * power / ((k + 1) * (k + 2));
    }
  }
  for (int k = 0; k < s->n; k++) {
    q[k] = q0[k] + h * x * v0[k];
    v[k] = v0[k];
    for (int i = 0; i < stages; i++)
      q[k] += by_q[i] * s->z[i * (ptrdiff_t)s->width + k],
          v[k] += by_v[i] * s->z[i * (ptrdiff_t)s->width + k];
  }
}

void dls_smooth_inside(const dls_smooth *s, double x, double h, const double *q0, const double *v0,
                       const double *a0, const double *q1, const double *v1, const double *a1,
                       double *q, double *v)
{
  if (s->tableau.implicit) {
    collocate(s, x, h, q0, v0, q, v);
    return;
  }
  for (int k = 0; k < s->n; k++) {
    // what is left over by the parabola of the begin, at the end
    const double c0 = q1[k] - q0[k] - h * (v0[k] + h * a0[k] / 2);
    const double c1 = h * (v1[k] - v0[k] - h * a0[k]), c2 = h * h * (a1[k] - a0[k]) / 2;
    const double b3 = 10 * c0 - 4 * c1 + c2, b4 = -15 * c0 + 7 * c1 - 2 * c2;
    const double b5 = 6 * c0 - 3 * c1 + c2;
    q[k] = q0[k] + x * (h * v0[k] + x * (h * h * a0[k] / 2 + x * (b3 + x * (b4 + x * b5))));
    // not the derivative of that: differences of coordinates say little in short steps
    const double d = v1[k] - v0[k], r0 = h * a0[k], r1 = h * a1[k];
    v[k] = v0[k] + x * (r0 + x * (3 * d - 2 * r0 - r1 + x * (r0 + r1 - 2 * d)));
  }
}
