// Take-off when q_N >= 0; sticking when r = -W^-1 q lies in the cone; otherwise sliding, where
// u_T = -lambda r_T with lambda > 0. With S = W_TT - W_TN W_NT / W_NN and b = q_T - W_TN q_N / W_NN
//
//   (S + lambda) r_T = -b,   r_N = -(q_N + W_NT r_T) / W_NN,   phi = |r_T| - mu r_N = 0.
//                                                                                    eq (one.1)
//
// phi > 0 at lambda = 0, since sticking fails, and phi < 0 for lambda to infinity: there is a root.
#include "solve/one_contact.h"

#include <assert.h>
#include <math.h>

typedef struct contact {
  double S[4], b[2];  // S column-major
  double W_NN, W_NT[2], q_N, mu;
} contact;

static double tangential(const contact *c, double lambda, double r_T[2])
{
  const double s11 = c->S[0] + lambda, s22 = c->S[3] + lambda;
  const double det = s11 * s22 - c->S[1] * c->S[2];
  r_T[0] = -(s22 * c->b[0] - c->S[2] * c->b[1]) / det;
  r_T[1] = -(s11 * c->b[1] - c->S[1] * c->b[0]) / det;
  return det;
}

static double normal(const contact *c, const double r_T[2])
{
  return -(c->q_N + c->W_NT[0] * r_T[0] + c->W_NT[1] * r_T[1]) / c->W_NN;
}

// phi and its derivative.
static double gap(const contact *c, double lambda, double r_T[2], double *slope)
{
  const double det = tangential(c, lambda, r_T), length = hypot(r_T[0], r_T[1]);
  const double s11 = c->S[0] + lambda, s22 = c->S[3] + lambda;
  const double d0 = -(s22 * r_T[0] - c->S[2] * r_T[1]) / det;
  const double d1 = -(s11 * r_T[1] - c->S[1] * r_T[0]) / det;
  *slope =
      (r_T[0] * d0 + r_T[1] * d1) / length + c->mu * (c->W_NT[0] * d0 + c->W_NT[1] * d1) / c->W_NN;
  return length - c->mu * normal(c, r_T);
}

// The root of phi: Newton's method inside a bracket.
static bool slide(const contact *c, double hint, double r[3])
{
  double r_T[2], slope, low = 0, high = fabs(c->S[0]) + fabs(c->S[3]);
  if (!(high > 0)) high = c->W_NN;
  while (gap(c, high, r_T, &slope) > 0) {
    low = high, high *= 8;
    if (!(high < 1e300)) return false;
  }
  double lambda = hint > low && hint < high ? hint : 0.5 * (low + high);
  for (int k = 0; k < 100; k++) {
    const double phi = gap(c, lambda, r_T, &slope);
    if (phi > 0) low = lambda;
    else high = lambda;
    double next = lambda - phi / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - lambda) <= 1e-15 * lambda || high - low <= 1e-15 * high || phi == 0) break;
    lambda = next;
  }
  // exactly on the cone, and exactly closed: r_N from the normal row with the direction found
  const double length = hypot(r_T[0], r_T[1]);
  const double t0 = c->mu * r_T[0] / length, t1 = c->mu * r_T[1] / length;
  const double stiffness = c->W_NN + c->W_NT[0] * t0 + c->W_NT[1] * t1;
  if (!(length > 0 && stiffness > 0)) return false;
  r[0] = -c->q_N / stiffness;
  r[1] = r[0] * t0, r[2] = r[0] * t1;
  return true;
}

static bool set_up(int d, double mu, const double *W, const double *q, contact *c)
{
  *c = (contact){.W_NN = W[0], .q_N = q[0], .mu = mu, .S = {0, 0, 0, 0}};
  double W_TN[2] = {W[1], d == 3 ? W[2] : 0};
  c->W_NT[0] = W[d], c->W_NT[1] = d == 3 ? W[6] : 0;
  if (!(W[0] > 0)) return false;
  for (int a = 0; a < d - 1; a++) {
    c->b[a] = q[1 + a] - W_TN[a] * q[0] / W[0];
    for (int b = 0; b < d - 1; b++)
      c->S[a + 2 * b] = W[(1 + a) + d * (1 + b)] - W_TN[a] * c->W_NT[b] / W[0];
  }
  if (d == 2) c->S[3] = W[0];  // a second direction that nothing pushes
  return true;
}

bool dls_one_contact(int d, double mu, const double *W, const double *q, double *r)
{
  assert(d == 2 || d == 3);
  contact c;
  if (!set_up(d, mu, W, q, &c)) return false;
  double x[3] = {0, 0, 0};
  if (q[0] < 0) {
    double r_T[2];
    const double det = tangential(&c, 0, r_T), r_N = normal(&c, r_T);
    const bool sticks = det > 0 && hypot(r_T[0], r_T[1]) <= mu * r_N;
    if (sticks) {
      x[0] = r_N, x[1] = r_T[0], x[2] = r_T[1];
    } else if (mu > 0) {
      double slip = 0, force = 0, u;
      for (int k = 1; k < d; k++) {
        u = q[k];
        for (int l = 0; l < d; l++) u += W[k + d * l] * r[l];
        slip += u * u, force += r[k] * r[k];
      }
      if (!slide(&c, force > 0 ? sqrt(slip / force) : 0, x)) return false;
    } else {
      x[0] = -q[0] / W[0];
    }
  } else if (!(q[0] >= 0)) {
    return false;
  }
  for (int k = 0; k < d; k++)
    if (!isfinite(x[k])) return false;
  for (int k = 0; k < d; k++) r[k] = x[k];
  return true;
}
