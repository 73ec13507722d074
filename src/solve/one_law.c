// Of a bilateral cone the normal that points against q_N presses: the side s = -sign q_N, with the
// normal row and column of W times s, makes it Coulomb's law, eq (one.1), whose contact closes, as
// s q_N < 0. So there is always a solution.                                          eq (one.3)
//
// Of a contact that slides along xi, with r_N of the sign s,
//
//   u_N = q_N + (W_NN - s mu W_NT xi) r_N = 0.                                        eq (one.4)
//
// The side s = -sign q_N has a solution where that number is positive; the other side only where
// its number is negative, beside the first solution.
//
// Of bounded friction the normal is closed, as it always is where it is bilateral, and r_T that of
// S and b of eq (one.1), or it is open, and r_T that of W_TT and q_T: eq (one.2).
#include "solve/one_law.h"

#include "linalg/block.h"
#include "solve/one_contact.h"
#include "solve/operator.h"

#include <math.h>

static bool bilateral_cone(int d, const dls_one_law *l, const double *W, const double *q,
                           double near, double *r)
{
  double turned[9], load[3] = {0}, force[3] = {0};
  const double side = q[0] < 0 ? 1 : -1;
  for (int k = 0; k < d * d; k++) turned[k] = (k < d) == (k % d == 0) ? W[k] : side * W[k];
  for (int k = 0; k < d; k++) load[k] = q[k], force[k] = r[k];
  load[0] *= side, force[0] *= side;
  if (!dls_one_contact_near(d, l->mu, turned, load, near, force)) return false;
  for (int k = 0; k < d; k++) r[k] = force[k];
  r[0] *= side;
  return true;
}

// eq (one.4)
static bool slides(int d, const dls_one_law *l, const double *W, const double *q, double *r)
{
  const bool open = q[0] == 0 || (!dls_law_is_bilateral(l->law) && q[0] > 0);
  const double side = q[0] < 0 ? 1 : -1;
  double turn = 0;
  if (!(W[0] > 0) || isnan(q[0])) return false;
  for (int k = 1; k < d; k++) turn += l->mu * W[d * k] * l->direction[k - 1];
  const double stiffness = W[0] - side * turn, normal = open ? 0 : -q[0] / stiffness;
  if (!open && !(stiffness > 0 && isfinite(normal))) return false;
  r[0] = normal;
  for (int k = 1; k < d; k++) r[k] = -l->mu * fabs(normal) * l->direction[k - 1];
  return true;
}

static bool bounded(int d, const dls_one_law *l, const double *W, const double *q, double near,
                    double *r)
{
  double S[4], b[2], force[3] = {0};
  const int tangents = d - 1;
  if (dls_law_is_bilateral(l->law) && !(W[0] > 0)) return false;
  for (int closed = W[0] > 0; closed >= 0; closed--) {
    for (int k = 0; k < tangents; k++) {
      const double part = closed ? W[1 + k] / W[0] : 0;
      b[k] = q[1 + k] - part * q[0];
      for (int c = 0; c < tangents; c++)
        S[k + tangents * c] = W[1 + k + d * (1 + c)] - part * W[d * (1 + c)];
    }
    if (!dls_one_disc(d, l->bound, S, b, near, force + 1)) return false;
    double rest = q[0];
    for (int c = 0; c < tangents; c++) rest += W[d * (1 + c)] * force[1 + c];
    force[0] = closed ? -rest / W[0] : 0;
    if (isnan(rest)) return false;
    if (force[0] >= 0 || dls_law_is_bilateral(l->law)) break;
  }
  for (int k = 0; k < d; k++) r[k] = force[k];
  return true;
}

static bool equation(int d, const double *W, const double *q, double *r)
{
  double inverse[9], minus[3], force[3] = {0};
  int sign = 1;
  for (int k = 0; k < d; k++) minus[k] = -q[k];
  if (!dls_block_invert(d, W, inverse, &sign)) return false;
  dls_block_add(d, d, inverse, minus, force);
  for (int k = 0; k < d; k++)
    if (!isfinite(force[k])) return false;
  for (int k = 0; k < d; k++) r[k] = force[k];
  return true;
}

bool dls_one_law_near(int d, const dls_one_law *l, const double *W, const double *q, double near,
                      double *r)
{
  switch (l->law) {
  case DLS_LAW_CONE:
  case DLS_LAW_UNILATERAL: return dls_one_contact_near(d, l->mu, W, q, near, r);
  case DLS_LAW_EQUATION: return equation(d, W, q, r);
  case DLS_LAW_BILATERAL_CONE: return bilateral_cone(d, l, W, q, near, r);
  case DLS_LAW_SLIDING:
  case DLS_LAW_BILATERAL_SLIDING: return slides(d, l, W, q, r);
  case DLS_LAW_BOUNDED:
  case DLS_LAW_BILATERAL_BOUNDED: return bounded(d, l, W, q, near, r);
  }
  return false;
}
