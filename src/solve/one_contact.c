// Take-off when q_N >= 0; sticking when r = -W^-1 q lies in the cone; otherwise sliding, where
// u_T = -lambda r_T with lambda > 0. With S = W_TT - W_TN W_NT / W_NN and b = q_T - W_TN q_N / W_NN
//
//   (S + lambda) r_T = -b,   r_N = -(q_N + W_NT r_T) / W_NN,   phi = |r_T| - mu r_N = 0.
//                                                                                      eq (one.1)
// phi > 0 at lambda = 0, since sticking fails, and phi < 0 for lambda to infinity: there is a root.
// In the plane the direction of r_T is that of -b, and r_N follows.
#include "solve/one_contact.h"

#include "linalg/length.h"
#include "solve/tolerances.h"

#include <float.h>
#include <math.h>

enum { STEPS = 200 };
static const double other_start = 0.01;  // lambda, where nothing better is known

// Where S is a multiple of the identity 1 / |r_T| is linear in lambda: Newton's method goes by
// 1 / |r_T| = 1 / (mu r_N). Velocities are measured by |b| and S by its trace. With n = det r_T and
// m = det^2 r_T' (the prime is d / d lambda) a step needs one root and one division.
typedef struct contact {
  double S[4], b[2];                   // scaled; S column-major
  double over_W_NN, W_NT[2], q_N, mu;  // as they are
  double g, w[2];                      // mu r_N = g - w r_T, scaled
} contact;

typedef struct point {
  double s11, s22, det;        // of S + lambda
  double n[2], square, bound;  // |n|^2, and det mu r_N
} point;

static inline void evaluate(const contact *c, double lambda, point *p)
{
  p->s11 = c->S[0] + lambda, p->s22 = c->S[3] + lambda;
  p->det = p->s11 * p->s22 - c->S[1] * c->S[2];
  p->n[0] = c->S[2] * c->b[1] - p->s22 * c->b[0];
  p->n[1] = c->S[1] * c->b[0] - p->s11 * c->b[1];
  p->square = p->n[0] * p->n[0] + p->n[1] * p->n[1];
  p->bound = c->g * p->det - (c->w[0] * p->n[0] + c->w[1] * p->n[1]);
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

// A first lambda: as if S were a multiple of the identity and r_N that of sticking, or of no
// friction.
static double first_lambda(const contact *c, const point *stick)
{
  const double over = stick->det / stick->bound;
  const double lambda = (over > 0 && over < INFINITY ? over : 1 / c->g) - 0.5;
  return lambda > 0 && lambda < INFINITY ? lambda : other_start;
}

// The root of phi inside a bracket. stick: the point at lambda = 0; n: the direction of r_T, out.
static inline bool slide(const contact *c, double hint, double near, const point *stick, double *n)
{
  double low = 0, high = INFINITY;
  double lambda = hint > 0 && hint < INFINITY ? hint : first_lambda(c, stick);
  point p;
  for (int k = 0; k < STEPS; k++) {
    evaluate(c, lambda, &p);
    const double length = sqrt(p.square), phi = length - p.bound;
    if (phi == 0) break;
    if (p.det > 0 && phi < 0) high = lambda;
    else low = lambda;  // also where S + lambda is not positive yet
    const double m0 = c->S[2] * p.n[1] - p.s22 * p.n[0], m1 = c->S[1] * p.n[0] - p.s11 * p.n[1];
    const double slope = -(c->w[0] * m0 + c->w[1] * m1), nm = p.n[0] * m0 + p.n[1] * m1;
    const double step = p.bound > 0
                            ? p.det * phi * p.square * p.bound /
                                  (slope * p.square * length - nm * (p.bound * p.bound))
                            : p.det * phi * length / (slope * length - nm);  // for phi itself
    double next = lambda + step;
    if (p.det > 0 && next > low && next < high) {
      // what is left after this step, of lambda and of r_T along its tangent, is its square
      if (fabs(step) <= near * (lambda + fabs(stick->det))) {
        p.n[0] = p.n[0] * p.det + step * m0, p.n[1] = p.n[1] * p.det + step * m1;
        break;
      }
    } else {
      if (high - low <= bracket_rounding * low) break;
      next = high < INFINITY ? 0.5 * (low + high) : 8 * lambda + 1;
    }
    if (!(next < dls_largest_number)) return false;
    lambda = next;
  }
  n[0] = p.n[0], n[1] = p.n[1];
  return true;
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

// mu > 0. r: a hint in.
static bool solve_friction(double mu, const double *W, const double *q, double near,
                           const double *r, double *x)
{
  const double over = 1 / W[0], a1 = W[1] * over, a2 = W[2] * over;
  const double S[] = {W[4] - a1 * W[3], W[5] - a2 * W[3], W[7] - a1 * W[6], W[8] - a2 * W[6]};
  const double b0 = q[1] - a1 * q[0], b1 = q[2] - a2 * q[0], length = dls_length(b0, b1);
  const double trace = fabs(S[0]) + fabs(S[3]), size = trace > 0 ? trace : W[0];
  if (!(length < INFINITY && size < INFINITY)) return false;
  if (length < DBL_MIN) {  // 0, or what has no inverse
    x[0] = -q[0] * over, x[1] = x[2] = 0;
    return S[0] * S[3] - S[1] * S[2] > 0;
  }
  const double of_S = 1 / size, of_b = 1 / length, unit = length * of_S;
  const contact c = {.S = {S[0] * of_S, S[1] * of_S, S[2] * of_S, S[3] * of_S},
                     .b = {b0 * of_b, b1 * of_b},
                     .over_W_NN = over,
                     .W_NT = {W[3], W[6]},
                     .q_N = q[0],
                     .mu = mu,
                     .g = -mu * over * q[0] * (size * of_b),
                     .w = {mu * over * W[3], mu * over * W[6]}};
  point p;
  evaluate(&c, 0, &p);
  if (p.det > 0 && p.bound >= 0 && p.square <= p.bound * p.bound) {
    const double scale = unit / p.det;
    x[1] = scale * p.n[0], x[2] = scale * p.n[1];
    x[0] = -(q[0] + W[3] * x[1] + W[6] * x[2]) * over;
    return true;
  }
  double hint = 0;
  const double force = r[1] * r[1] + r[2] * r[2];
  if (force > 0) {
    const double u1 = q[1] + W[1] * r[0] + W[4] * r[1] + W[7] * r[2];
    const double u2 = q[2] + W[2] * r[0] + W[5] * r[1] + W[8] * r[2];
    hint = sqrt((u1 * u1 + u2 * u2) / force) * of_S;
  }
  return slide(&c, hint, near, &p, x + 1) && close_contact(&c, x + 1, x);
}

static bool solve_spatial(double mu, const double *W, const double *q, double near, double *r)
{
  double x[3] = {-q[0] / W[0], 0, 0};
  if (mu > 0 && !solve_friction(mu, W, q, near, r, x)) return false;
  if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) return false;
  for (int k = 0; k < 3; k++) r[k] = x[k];
  return true;
}

bool dls_one_contact_near(int d, double mu, const double *W, const double *q, double near,
                          double *r)
{
  if (!(W[0] > 0)) return false;
  for (int k = 0; k < d; k++)  // slips that are no numbers, of which the force may tell nothing
    if (!isfinite(q[k])) return false;
  if (q[0] >= 0) {
    for (int k = 0; k < d; k++) r[k] = 0;
    return true;
  }
  return d == 3 ? solve_spatial(mu, W, q, near, r) : solve_planar(mu, W, q, r);
}

bool dls_one_contact(int d, double mu, const double *W, const double *q, double *r)
{
  return dls_one_contact_near(d, mu, W, q, near_exact, r);
}

// ---- friction with a given bound ---------------------------------------------------------------

// (S + lambda) r_T = -b as above, with the bound in the place of mu r_N.             eq (one.2)
static bool disc_in_space(double bound, const double *S, const double *b, double near, double *r_T)
{
  const double length = dls_length(b[0], b[1]), trace = fabs(S[0]) + fabs(S[3]);
  if (!(length < INFINITY && trace < INFINITY)) return false;
  if (length < DBL_MIN) {
    r_T[0] = r_T[1] = 0;
    return true;
  }
  const double of_S = trace > 0 ? 1 / trace : 1, of_b = 1 / length, unit = length * of_S;
  const contact c = {.S = {S[0] * of_S, S[1] * of_S, S[2] * of_S, S[3] * of_S},
                     .b = {b[0] * of_b, b[1] * of_b},
                     .g = bound / unit};
  point p;
  evaluate(&c, 0, &p);
  if (p.det > 0 && p.square <= p.bound * p.bound) {
    r_T[0] = unit / p.det * p.n[0], r_T[1] = unit / p.det * p.n[1];
    return true;
  }
  double n[2] = {-c.b[0], -c.b[1]};
  if (trace > 0 && !slide(&c, 0, near, &p, n)) return false;
  const double size = dls_length(n[0], n[1]);
  if (!(size > 0 && size < INFINITY)) return false;
  r_T[0] = bound * (n[0] / size), r_T[1] = bound * (n[1] / size);
  return true;
}

bool dls_one_disc(int d, double bound, const double *S, const double *b, double near, double *r_T)
{
  if (bound == 0) {
    for (int k = 0; k < d - 1; k++) r_T[k] = 0;
    return true;
  }
  if (d == 3) return disc_in_space(bound, S, b, near, r_T);
  const double r = b[0] == 0 ? 0 : -b[0] / S[0];
  if (isnan(b[0]) || isnan(S[0])) return false;
  r_T[0] = S[0] > 0 && fabs(r) <= bound ? r : b[0] > 0 ? -bound : b[0] < 0 ? bound : 0;
  return true;
}
