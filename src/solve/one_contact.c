// Take-off when q_N >= 0; sticking when r = -W^-1 q lies in the cone; otherwise sliding, where
// u_T = -lambda r_T with lambda > 0. With S = W_TT - W_TN W_NT / W_NN and b = q_T - W_TN q_N / W_NN
//
//   (S + lambda) r_T = -b,   r_N = -(q_N + W_NT r_T) / W_NN,   phi = |r_T| - mu r_N = 0.
//                                                                                      eq (one.1)
// phi > 0 at lambda = 0, since sticking fails, and phi < 0 for lambda to infinity: there is a root.
// In the plane the direction of r_T is that of -b, and r_N follows.
#include "solve/one_contact.h"

#include "linalg/length.h"

#include <math.h>

typedef struct contact {
  double S[4], b[2];  // S column-major
  double over_W_NN, W_NT[2], q_N, mu;
} contact;

typedef struct point {
  double r_T[2], length, bound;                // bound: mu r_N
  double slope[2], length_slope, bound_slope;  // by lambda
} point;

static inline double tangential(const contact *c, double lambda, point *p)
{
  const double s11 = c->S[0] + lambda, s22 = c->S[3] + lambda;
  const double det = s11 * s22 - c->S[1] * c->S[2], over = 1 / det;
  p->r_T[0] = (c->S[2] * c->b[1] - s22 * c->b[0]) * over;
  p->r_T[1] = (c->S[1] * c->b[0] - s11 * c->b[1]) * over;
  p->length = dls_length(p->r_T[0], p->r_T[1]);
  p->bound = -c->mu * (c->q_N + c->W_NT[0] * p->r_T[0] + c->W_NT[1] * p->r_T[1]) * c->over_W_NN;
  return over;
}

static inline void slopes(const contact *c, double lambda, double over, point *p)
{
  const double s11 = c->S[0] + lambda, s22 = c->S[3] + lambda;
  const double d0 = (c->S[2] * p->r_T[1] - s22 * p->r_T[0]) * over;
  const double d1 = (c->S[1] * p->r_T[0] - s11 * p->r_T[1]) * over;
  p->slope[0] = d0, p->slope[1] = d1;
  p->length_slope = (p->r_T[0] * d0 + p->r_T[1] * d1) / p->length;
  p->bound_slope = -c->mu * (c->W_NT[0] * d0 + c->W_NT[1] * d1) * c->over_W_NN;
}

// A step of Newton's method for phi = 0; where the bound is positive for 1 / |r_T| = 1 / (mu r_N)
// instead, which is nearly linear in lambda.
static inline double newton_step(const point *p)
{
  const double phi = p->length - p->bound;
  if (!(p->bound > 0)) return phi / (p->bound_slope - p->length_slope);
  return phi * p->length * p->bound /
         (p->bound_slope * p->length * p->length - p->length_slope * p->bound * p->bound);
}

// Exactly on the cone, and exactly closed: r_N from the normal row with the direction of r_T.
static bool close_contact(const contact *c, const double *r_T, double *r)
{
  const double length = dls_length(r_T[0], r_T[1]), scale = c->mu / length;
  const double t0 = scale * r_T[0], t1 = scale * r_T[1];
  const double stiffness = 1 / c->over_W_NN + c->W_NT[0] * t0 + c->W_NT[1] * t1;
  if (!(length > 0 && stiffness > 0)) return false;
  r[0] = -c->q_N / stiffness;
  r[1] = r[0] * t0, r[2] = r[0] * t1;
  return true;
}

// The root of phi inside a bracket. stick: the point at lambda = 0.
static bool slide(const contact *c, double hint, double near, const point *stick, double *r)
{
  const double trace = fabs(c->S[0]) + fabs(c->S[3]);
  const double soft = trace > 0 ? (c->S[0] * c->S[3] - c->S[1] * c->S[2]) / trace : 0;
  double low = 0, high = INFINITY, lambda = hint;
  if (!(lambda > 0 && lambda < INFINITY)) {
    // as if S were a multiple of the identity and r_N that of sticking, or of no friction
    const double bound =
        stick->bound > 0 && stick->bound < INFINITY ? stick->bound : -c->mu * c->q_N * c->over_W_NN;
    lambda = dls_length(c->b[0], c->b[1]) / bound - 0.5 * trace;
    if (!(lambda > 0 && lambda < INFINITY)) lambda = trace > 0 ? 0.01 * trace : 1 / c->over_W_NN;
  }
  point p;
  for (int k = 0; k < 200; k++) {
    const double over = tangential(c, lambda, &p), phi = p.length - p.bound;
    if (phi == 0) break;
    slopes(c, lambda, over, &p);
    if (over > 0 && phi < 0) high = lambda;
    else low = lambda;  // also where S + lambda is not positive yet
    const double step = newton_step(&p);
    double next = lambda + step;
    if (over > 0 && next > low && next < high) {
      // what is left after this step, of lambda and of r_T along its tangent, is its square
      if (fabs(step) <= near * (lambda + fabs(soft))) {
        p.r_T[0] += step * p.slope[0], p.r_T[1] += step * p.slope[1];
        break;
      }
    } else {
      if (high - low <= 1e-15 * low) break;
      next = high < INFINITY ? 0.5 * (low + high) : 8 * lambda + trace;
    }
    if (!(next < 1e300)) return false;
    lambda = next;
  }
  return close_contact(c, p.r_T, r);
}

static bool solve_planar(double mu, const double *W, const double *q, double *r)
{
  const double a = W[1] / W[0], S = W[3] - a * W[2], b = q[1] - a * q[0];
  double r_T = -b / S, r_N = -(q[0] + W[2] * r_T) / W[0];
  if (!(S > 0 && fabs(r_T) <= mu * r_N)) {
    const double t = b < 0 ? mu : -mu, stiffness = W[0] + t * W[2];
    if (!(stiffness > 0) || !(b != 0 || mu == 0)) return false;
    r_N = -q[0] / stiffness, r_T = t * r_N;
  }
  if (!isfinite(r_N) || !isfinite(r_T)) return false;
  r[0] = r_N, r[1] = r_T;
  return true;
}

static bool solve_spatial(double mu, const double *W, const double *q, double near, double *r)
{
  const double over = 1 / W[0], a1 = W[1] * over, a2 = W[2] * over;
  const contact c = {.S = {W[4] - a1 * W[3], W[5] - a2 * W[3], W[7] - a1 * W[6], W[8] - a2 * W[6]},
                     .b = {q[1] - a1 * q[0], q[2] - a2 * q[0]},
                     .over_W_NN = over,
                     .W_NT = {W[3], W[6]},
                     .q_N = q[0],
                     .mu = mu};
  double x[3] = {-q[0] * over, 0, 0};
  if (mu > 0) {
    point p;
    const double regular = tangential(&c, 0, &p);
    if (regular > 0 && p.length <= p.bound) {
      x[0] = -(q[0] + W[3] * p.r_T[0] + W[6] * p.r_T[1]) * over;
      x[1] = p.r_T[0], x[2] = p.r_T[1];
    } else {
      double hint = 0;
      const double force = r[1] * r[1] + r[2] * r[2];
      if (force > 0) {
        const double u1 = q[1] + W[1] * r[0] + W[4] * r[1] + W[7] * r[2];
        const double u2 = q[2] + W[2] * r[0] + W[5] * r[1] + W[8] * r[2];
        hint = sqrt((u1 * u1 + u2 * u2) / force);
      }
      if (!slide(&c, hint, near, &p, x)) return false;
    }
  }
  if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) return false;
  for (int k = 0; k < 3; k++) r[k] = x[k];
  return true;
}

bool dls_one_contact_near(int d, double mu, const double *W, const double *q, double near,
                          double *r)
{
  if (!(W[0] > 0)) return false;
  if (q[0] >= 0) {
    for (int k = 0; k < d; k++) r[k] = 0;
    return true;
  }
  if (!(q[0] < 0)) return false;
  return d == 3 ? solve_spatial(mu, W, q, near, r) : solve_planar(mu, W, q, r);
}

bool dls_one_contact(int d, double mu, const double *W, const double *q, double *r)
{
  return dls_one_contact_near(d, mu, W, q, 1e-8, r);
}
