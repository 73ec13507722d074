// A contact that slides along d = (cos t, sin t) has r = r_N (1, -mu d), with u_N = 0, so that
//
//   r_N = -q_N / a,   a = W_NN - mu W_NT d,   a u_T = a q_T - q_N (W_TN - mu W_TT d) =: b
//
// and u_T must point along d: g(t) = d x b = 0, d . b >= 0, a > 0.                   eq (one.1)
// b is affine in d: g is a quartic in tan(t/2), taken on the two half circles |t| <= pi/2.
#include "solve/one_contact.h"

#include <math.h>

typedef struct slide {
  double Wnn, w[2], T[3];  // W_NN, W_TN, W_TT (11, 12, 22)
  double qn, q[2], mu;
  double alpha[2], beta[2], gamma[2];  // b = alpha + beta cos t + gamma sin t
  double best;                         // how far the direction is from a solution
  double d[2];
} slide;

static void slide_create(slide *s)
{
  for (int k = 0; k < 2; k++) {
    s->alpha[k] = s->Wnn * s->q[k] - s->qn * s->w[k];
    s->beta[k] = s->mu * (s->qn * s->T[k] - s->w[0] * s->q[k]);
    s->gamma[k] = s->mu * (s->qn * s->T[k + 1] - s->w[1] * s->q[k]);
  }
  s->best = INFINITY;
}

// Keeps the direction when it fits better than those before.
static void attempt(slide *s, double c, double n)
{
  const double length = sqrt(c * c + n * n);
  if (!(length > 0)) return;
  c /= length, n /= length;
  const double a = s->Wnn - s->mu * (s->w[0] * c + s->w[1] * n);
  const double b1 = s->alpha[0] + s->beta[0] * c + s->gamma[0] * n;
  const double b2 = s->alpha[1] + s->beta[1] * c + s->gamma[1] * n;
  double misfit = fabs(c * b2 - n * b1);
  if (c * b1 + n * b2 < 0) misfit = hypot(b1, b2);
  if (!(a > 1e-14 * s->Wnn) || !(misfit < s->best)) return;
  s->best = misfit, s->d[0] = c, s->d[1] = n;
}

static double value(const double *p, int degree, double t)
{
  double sum = p[degree];
  for (int k = degree - 1; k >= 0; k--) sum = sum * t + p[k];
  return sum;
}

static double bisect(const double *p, int degree, double low, double high)
{
  const bool rises = value(p, degree, high) > 0;
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (low + high);
    if ((value(p, degree, middle) > 0) == rises) high = middle;
    else low = middle;
  }
  return 0.5 * (low + high);
}

// All roots of a quartic in [-1, 1], and the places where its derivative vanishes (they stand for
// double roots): between the roots of the derivative a polynomial is monotone.
static int candidates(const double quartic[5], double *out)
{
  double p[5][5], knot[8] = {-1, 1};
  for (int k = 0; k < 5; k++) p[4][k] = quartic[k];
  for (int degree = 3; degree >= 1; degree--)
    for (int k = 0; k <= degree; k++) p[degree][k] = (k + 1) * p[degree + 1][k + 1];
  int knots = 2;
  for (int degree = 1; degree <= 4; degree++) {
    double next[8] = {-1};
    int count = 1;
    for (int k = 0; k + 1 < knots; k++) {
      const double low = value(p[degree], degree, knot[k]);
      const double high = value(p[degree], degree, knot[k + 1]);
      if ((low > 0) != (high > 0)) next[count++] = bisect(p[degree], degree, knot[k], knot[k + 1]);
    }
    if (degree == 4) {
      for (int k = 0; k < knots; k++) out[k] = knot[k];
      for (int k = 1; k < count; k++) out[knots++] = next[k];
      return knots;
    }
    next[count++] = 1;
    knots = count;
    for (int k = 0; k < knots; k++) knot[k] = next[k];
  }
  return 0;
}

static void search(slide *s)
{
  for (int side = 1; side >= -1; side -= 2) {  // cos t > 0, cos t < 0
    const double a1 = side * s->alpha[0], a2 = side * s->alpha[1];
    const double mixed = s->gamma[1] - s->beta[0];
    const double p[5] = {a2 + s->beta[1], 2 * (mixed - a1), -2 * s->beta[1] - 4 * s->gamma[0],
                         -2 * (mixed + a1), s->beta[1] - a2};
    double t[16];
    const int count = candidates(p, t);
    for (int k = 0; k < count; k++) attempt(s, side * (1 - t[k] * t[k]), side * 2 * t[k]);
  }
}

// One step of Newton's method for g on the circle.
static void polish(slide *s)
{
  const double c = s->d[0], n = s->d[1], mixed = s->gamma[1] - s->beta[0];
  const double g = c * (s->alpha[1] + s->beta[1] * c + s->gamma[1] * n) -
                   n * (s->alpha[0] + s->beta[0] * c + s->gamma[0] * n);
  const double slope = -s->alpha[1] * n - s->alpha[0] * c - 2 * (s->beta[1] + s->gamma[0]) * c * n +
                       mixed * (c * c - n * n);
  if (slope != 0 && fabs(g) < 0.5 * fabs(slope)) attempt(s, c + n * g / slope, n - c * g / slope);
}

// r = -W^-1 q by elimination without pivoting, which positive definite blocks do not need.
static bool stick(const double *W, const double *q, double mu, double *r)
{
  const double l1 = W[3] / W[0], l2 = W[6] / W[0], tiny = 1e-15 * (W[4] + W[8]);
  const double s11 = W[4] - l1 * W[1], s12 = W[5] - l1 * W[2];
  const double s21 = W[7] - l2 * W[1], s22 = W[8] - l2 * W[2] - s21 / s11 * s12;
  if (!(s11 > tiny) || !(s22 > tiny)) return false;
  const double b1 = -q[1] + l1 * q[0], b2 = -q[2] + l2 * q[0];
  const double t2 = (b2 - s21 / s11 * b1) / s22, t1 = (b1 - s12 * t2) / s11;
  const double n = (-q[0] - W[1] * t1 - W[2] * t2) / W[0];
  if (!(n >= 0) || !(t1 * t1 + t2 * t2 <= mu * mu * n * n)) return false;
  r[0] = n, r[1] = t1, r[2] = t2;
  return true;
}

bool dls_one_contact(const double W[9], const double q[3], double mu, double r[3])
{
  const double size = fmax(fabs(q[0]), fmax(fabs(q[1]), fabs(q[2]))), weight = W[0];
  if (isnan(q[0] + q[1] + q[2])) return false;
  if (q[0] >= 0) {
    r[0] = r[1] = r[2] = 0;
    return true;
  }
  if (!(weight > 0) || !isfinite(size / weight)) return false;
  double V[9], p[3];  // without units, so that no square overflows
  for (int k = 0; k < 9; k++) V[k] = W[k] / weight;
  for (int k = 0; k < 3; k++) p[k] = q[k] / size;
  const double unit = size / weight;
  double x[3] = {-p[0], 0, 0};
  if (mu > 0 && !stick(V, p, mu, x)) {
    slide s = {.Wnn = V[0],
               .w = {V[3], V[6]},
               .T = {V[4], V[5], V[8]},
               .qn = p[0],
               .q = {p[1], p[2]},
               .mu = mu};
    slide_create(&s);
    attempt(&s, s.alpha[0], s.alpha[1]);  // exact where W_TT is a multiple of one, W_TN = 0
    double fine = 0;                      // rounding errors of g, with some room
    for (int k = 0; k < 2; k++)
      fine += 1e-14 * (fabs(s.alpha[k]) + fabs(s.beta[k]) + fabs(s.gamma[k]));
    if (!(s.best <= fine)) search(&s);
    if (!(s.best < INFINITY)) return false;
    if (!(s.best <= fine)) polish(&s), polish(&s);
    const double a = V[0] - mu * (V[3] * s.d[0] + V[6] * s.d[1]);
    if (!(s.best <= 1e-7 * (1 + mu) * (1 + V[4] + V[8]))) return false;
    x[0] = -p[0] / a, x[1] = -mu * s.d[0] * x[0], x[2] = -mu * s.d[1] * x[0];
  }
  for (int k = 0; k < 3; k++) r[k] = unit * x[k];
  return true;
}
