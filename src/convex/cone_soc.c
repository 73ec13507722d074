// The second-order cone Q^d = {(t, u) : |u| <= t} with the product (t, u) o (t', u') =
// (t t' + u^T u', t u' + t' u), and its Nesterov-Todd scaling
//
//   W = eta | w_0   w_1^T                     |      w_0^2 - |w_1|^2 = 1     eq (cne.6)
//           | w_1   I + w_1 w_1^T / (1 + w_0) |
//
//   W^2 = eta^2 (2 w w^T - J),   W^-1 = J W J / eta^2,   J = diag(1, -1, ..., -1)
//
// Near the boundary t - |u| is the small difference of large numbers; it is formed in long double,
// so that only the rounding of the point itself counts.
#include "convex/cone_internal.h"

#include "linalg/tolerances.h"

#include <math.h>

static long double norm_of_u(int size, const double *v)
{
  long double sum = 0;
  for (int k = 1; k < size; k++) sum += (long double)v[k] * v[k];
  return sqrtl(sum);
}

// t^2 - |u|^2
static long double determinant(int size, const double *v)
{
  long double u = norm_of_u(size, v);
  return (v[0] - u) * (v[0] + u);
}

static int soc_degree(const cone_block *c)
{
  (void)c;
  return 1;
}

static void soc_unit(const cone_block *c, double *e)
{
  for (int k = 0; k < c->size; k++) e[c->start + k] = k == 0;
}

static bool soc_inside(const cone_block *c, const double *v)
{
  v += c->start;
  return v[0] > 0 && determinant(c->size, v) > 0;
}

// eq (cne.6)
static bool soc_scale(cone_block *c, const double *s, const double *y, double *lambda)
{
  s += c->start, y += c->start, lambda += c->start;
  long double det_s = determinant(c->size, s), det_y = determinant(c->size, y);
  if (!(s[0] > 0 && y[0] > 0 && det_s > 0 && det_y > 0)) return false;
  // sb, yb: the points with determinant 1; gamma^2 = (1 + sb^T yb) / 2
  long double fs = 1 / sqrtl(det_s), fy = 1 / sqrtl(det_y), dot = 0, square = 0;
  for (int k = 0; k < c->size; k++) dot += (long double)s[k] * y[k];
  long double gamma = sqrtl((1 + fs * fy * dot) / 2);
  for (int k = 1; k < c->size; k++) {
    long double w = (fs * s[k] - fy * y[k]) / (2 * gamma);
    c->w[k] = (double)w;
    square += (long double)c->w[k] * c->w[k];
  }
  c->w[0] = (double)sqrtl(1 + square);
  c->eta = (double)sqrtl(sqrtl(det_s / det_y));
  long double size = 1 / sqrtl(fs * fy), sb = fs * s[0], yb = fy * y[0];
  lambda[0] = (double)(size * gamma);
  for (int k = 1; k < c->size; k++)
    lambda[k] = (double)(size * ((gamma + yb) * fs * s[k] + (gamma + sb) * fy * y[k]) /
                         (sb + yb + 2 * gamma));
  return isfinite(c->eta) && c->eta > 0 && isfinite(c->w[0]);
}

// out = eta^power (w_0 v_0 + sign w_1^T v_1, v_1 + w_1 (sign v_0 + w_1^T v_1 / (1 + w_0)))
static void apply(const cone_block *c, double factor, int sign, const double *v, double *out)
{
  const double *w = c->w;
  v += c->start, out += c->start;
  double dot = 0, first = v[0];
  for (int k = 1; k < c->size; k++) dot += w[k] * v[k];
  double along = sign * first + dot / (1 + w[0]);
  out[0] = factor * (w[0] * first + sign * dot);
  for (int k = 1; k < c->size; k++) out[k] = factor * (v[k] + along * w[k]);
}

static void soc_multiply(const cone_block *c, const double *v, double *out)
{
  apply(c, c->eta, 1, v, out);
}

static void soc_divide(const cone_block *c, const double *v, double *out)
{
  apply(c, 1 / c->eta, -1, v, out);
}

static void soc_square(const cone_block *c, const double *v, double *out)
{
  const double *w = c->w;
  double eta2 = c->eta * c->eta;
  long double dot = 0;
  v += c->start, out += c->start;
  for (int k = 0; k < c->size; k++) dot += (long double)w[k] * v[k];
  for (int k = 0; k < c->size; k++)
    out[k] = (double)(eta2 * (2 * dot * w[k] + (k == 0 ? -v[k] : v[k])));
}

static void soc_product(const cone_block *c, const double *u, const double *v, double *out)
{
  u += c->start, v += c->start, out += c->start;
  double dot = 0;
  for (int k = 0; k < c->size; k++) dot += u[k] * v[k];
  for (int k = 1; k < c->size; k++) out[k] = u[0] * v[k] + v[0] * u[k];
  out[0] = dot;
}

static void soc_quotient(const cone_block *c, const double *lambda, const double *v, double *out)
{
  lambda += c->start, v += c->start, out += c->start;
  long double dot = (long double)lambda[0] * v[0];
  for (int k = 1; k < c->size; k++) dot -= (long double)lambda[k] * v[k];
  double first = (double)(dot / determinant(c->size, lambda));
  for (int k = 1; k < c->size; k++) out[k] = (v[k] - first * lambda[k]) / lambda[0];
  out[0] = first;
}

// The smallest positive root of det(v + a d) = det(v) + 2 a half + a^2 det(d).
static double soc_step(const cone_block *c, const double *v, const double *d)
{
  v += c->start, d += c->start;
  long double half = (long double)v[0] * d[0], now = determinant(c->size, v);
  for (int k = 1; k < c->size; k++) half -= (long double)v[k] * d[k];
  long double end = determinant(c->size, d), inner = half * half - end * now, a = dls_longest_step;
  if (half < 0 && inner >= 0) a = now / (sqrtl(inner) - half);
  if (half >= 0 && end < 0) a = (half + sqrtl(inner)) / -end;
  return a < dls_longest_step ? (double)a : dls_longest_step;
}

static double soc_outside(const cone_block *c, const double *v, bool dual)
{
  (void)dual;
  double out = (double)(norm_of_u(c->size, v + c->start) - v[c->start]);
  return out <= 0 ? 0 : out;
}

static void soc_project(const cone_block *c, double *v)
{
  v += c->start;
  long double u = norm_of_u(c->size, v), t = v[0];
  if (u <= t) return;
  long double first = u <= -t ? 0 : (t + u) / 2;
  for (int k = 1; k < c->size; k++) v[k] = (double)(first > 0 ? first / u * v[k] : 0);
  v[0] = (double)first;
}

const cone_type dls_cone_soc = {
    .degree = soc_degree,
    .unit = soc_unit,
    .scale = soc_scale,
    .multiply = soc_multiply,
    .divide = soc_divide,
    .square = soc_square,
    .product = soc_product,
    .quotient = soc_quotient,
    .step = soc_step,
    .inside = soc_inside,
    .outside = soc_outside,
    .project = soc_project,
};

// With p = |w_1|, a = sqrt(p (w_0 + p)), u = w_1 / p: W^2 has the eigenvalue eta^2 (w_0 + p)^2 for
// (1, u), eta^2 / (w_0 + p)^2 for (1, -u), and eta^2 otherwise.  eq (cne.8)
cone_split dls_cone_soc_split(const cone_block *c)
{
  double p = (double)norm_of_u(c->size, c->w), a = sqrt(p * (c->w[0] + p));
  return (cone_split){a, p > 0 ? a / p : 0};
}
