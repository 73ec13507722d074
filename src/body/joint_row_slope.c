// Derivatives of rows by the poses and the velocities of their frames.                eq (row.4)
#include "body/joint_row.h"

#include "base/memory.h"
#include "body/joint_row_parts.h"
#include "linalg/vector3.h"

#include <stdbool.h>

static void axis_of(const dls_solid_motion *m, int j, double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = m->R[3 * i + j];
}

static void minus(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static void add(double c, const double a[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] += c * a[i];
}

// y += c A x, or A^T x.
static void multiply(double c, const double A[9], bool transposed, const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) y[i] += c * A[transposed ? 3 * j + i : 3 * i + j] * x[j];
}

static void add_cross(double c, const double a[3], const double b[3], double out[3])
{
  double r[3];
  dls_cross(a, b, r);
  add(c, r, out);
}

// ---- linear functions of the products of axes ---------------------------------------------------

// With S = sum c_ij b_j a_i^T: the function is trace S + constant, its gradient g (by a rotation of
// B; -g by one of A) the axial vector of S, and g changes by (S - trace S) delta_B +
// (trace S - S^T) delta_A.
typedef struct functional {
  double value, rate, bias, g[3];
  double g_a[9], g_b[9];
  double rate_a[3], rate_b[3];            // of g.w, by rotations of A and B
  double bias_a[3], bias_b[3];            // of g.alpha + g'.w
  double bias_spin_a[3], bias_spin_b[3];  // the same by the angular velocities
} functional;

static functional start(const dls_linear *f, const dls_solid_motion *a, const dls_solid_motion *b,
                        double S[9])
{
  double trace = 0;
  functional r = {0};
  dls_clear(S, 9);
  for (int k = 0; k < 9; k++) {
    if (f->c[k] == 0) continue;
    double x[3], y[3];
    axis_of(a, k / 3, x), axis_of(b, k % 3, y);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) S[3 * i + j] += f->c[k] * y[i] * x[j];
    trace += f->c[k] * dls_dot3(x, y);
  }
  r.value = trace + f->constant;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r.g[i] = S[3 * j + k] - S[3 * k + j];
    for (int c = 0; c < 3; c++) {
      r.g_b[3 * i + c] = S[3 * i + c] - (i == c ? trace : 0);
      r.g_a[3 * i + c] = (i == c ? trace : 0) - S[3 * c + i];
    }
  }
  return r;
}

static functional follow(const dls_linear *f, const dls_solid_motion *a, const dls_solid_motion *b)
{
  double S[9], w[3], alpha[3], turned[3] = {0}, Sw[3] = {0}, Stw[3] = {0}, Sb[3] = {0},
                               Sta[3] = {0};
  functional r = start(f, a, b, S);
  minus(b->w, a->w, w), minus(b->alpha, a->alpha, alpha);
  multiply(1, r.g_b, false, b->w, turned), multiply(1, r.g_a, false, a->w, turned);
  r.rate = dls_dot3(r.g, w), r.bias = dls_dot3(r.g, alpha) + dls_dot3(turned, w);
  multiply(1, r.g_a, true, w, r.rate_a), multiply(1, r.g_b, true, w, r.rate_b);
  // g.alpha, then w.(g_a w_A + g_b w_B)
  multiply(1, r.g_a, true, alpha, r.bias_a), multiply(1, r.g_b, true, alpha, r.bias_b);
  multiply(1, S, false, w, Sw), multiply(1, S, true, w, Stw);
  multiply(1, S, false, b->w, Sb), multiply(1, S, true, a->w, Sta);
  const double square = dls_dot3(w, w);
  add_cross(1, Sb, w, r.bias_b), add_cross(-1, Sw, a->w, r.bias_b), add(-square, r.g, r.bias_b);
  add_cross(-1, b->w, Stw, r.bias_a), add_cross(1, w, Sta, r.bias_a), add(square, r.g, r.bias_a);
  add(1, turned, r.bias_spin_b), multiply(1, r.g_b, true, w, r.bias_spin_b);
  add(-1, turned, r.bias_spin_a), multiply(1, r.g_a, true, w, r.bias_spin_a);
  return r;
}

// ---- functions of two of them -------------------------------------------------------------------

// Derivatives of f(N, D) of orders one to three: [k] has k derivatives by D.
typedef struct outer {
  double first[2], second[3], third[4];
} outer;

static outer outer_of(dls_row_kind kind, double N, double D)
{
  if (kind == DLS_ROW_SKEW) return (outer){.first = {1, 0}};
  if (kind != DLS_ROW_ANGLE) {
    const double r = 1 / D, y = N * r;
    return (outer){
        {r, -y * r}, {0, -r * r, 2 * y * r * r}, {0, 0, 2 * r * r * r, -6 * y * r * r * r}};
  }
  // the imaginary part of log z, z = D + i N, of which a derivative by N is i times that by D
  const double s = N * N + D * D, re = D / s, im = -N / s;  // 1/z
  const double re2 = re * re - im * im, im2 = 2 * re * im;
  const double re3 = re * re2 - im * im2, im3 = re * im2 + im * re2;
  return (outer){{re, im}, {im2, -re2, -im2}, {-2 * re3, -2 * im3, 2 * re3, 2 * im3}};
}

// The derivatives of f by a perturbation that changes N and D.
static void chain(const outer *f, const functional *N, const functional *D, double n, double d,
                  double n_rate, double d_rate, double n_bias, double d_bias, double *rate,
                  double *bias)
{
  const double *f1 = f->first, *f2 = f->second, *f3 = f->third;
  const double by_n = f2[0] * n + f2[1] * d, by_d = f2[1] * n + f2[2] * d;  // change of f1
  const double p = N->rate, q = D->rate;
  *rate = by_n * p + by_d * q + f1[0] * n_rate + f1[1] * d_rate;
  *bias = by_n * N->bias + by_d * D->bias + f1[0] * n_bias + f1[1] * d_bias +
          (f3[0] * n + f3[1] * d) * p * p + 2 * (f3[1] * n + f3[2] * d) * p * q +
          (f3[2] * n + f3[3] * d) * q * q +
          2 * ((f2[0] * p + f2[1] * q) * n_rate + (f2[1] * p + f2[2] * q) * d_rate);
}

// The gradient of the row is f1[0] g_N + f1[1] g_D: how it changes by rotations of A or B.
static void change_of_gradient(const outer *f, const functional *N, const functional *D, bool of_b,
                               dls_row_slope *out)
{
  const double *f1 = f->first, *f2 = f->second, sign = of_b ? 1 : -1;
  const double *n = of_b ? N->g_b : N->g_a, *d = of_b ? D->g_b : D->g_a;
  for (int k = 0; k < 3; k++) {
    const double by_n = f2[0] * sign * N->g[k] + f2[1] * sign * D->g[k];
    const double by_d = f2[1] * sign * N->g[k] + f2[2] * sign * D->g[k];
    for (int i = 0; i < 3; i++) {
      const double change =
          by_n * N->g[i] + by_d * D->g[i] + f1[0] * n[3 * i + k] + f1[1] * d[3 * i + k];
      out->wrench_pose[9 + i][(of_b ? 9 : 3) + k] = change;
      out->wrench_pose[3 + i][(of_b ? 9 : 3) + k] = -change;
    }
  }
}

static void turning(dls_joint_row row, const dls_solid_motion *a, const dls_solid_motion *b,
                    dls_row_slope *out)
{
  dls_linear numerator, denominator;
  dls_row_functionals(row, &numerator, &denominator);
  const functional N = follow(&numerator, a, b), D = follow(&denominator, a, b);
  const outer f = outer_of(row.kind, N.value, D.value);
  const double *f1 = f.first, *f2 = f.second, p = N.rate, q = D.rate;
  for (int k = 0; k < 3; k++) {
    chain(&f, &N, &D, -N.g[k], -D.g[k], N.rate_a[k], D.rate_a[k], N.bias_a[k], D.bias_a[k],
          &out->rate_pose[3 + k], &out->bias_pose[3 + k]);
    chain(&f, &N, &D, N.g[k], D.g[k], N.rate_b[k], D.rate_b[k], N.bias_b[k], D.bias_b[k],
          &out->rate_pose[9 + k], &out->bias_pose[9 + k]);
    const double twice = 2 * ((f2[0] * p + f2[1] * q) * N.g[k] + (f2[1] * p + f2[2] * q) * D.g[k]);
    out->bias_velocity[3 + k] = f1[0] * N.bias_spin_a[k] + f1[1] * D.bias_spin_a[k] - twice;
    out->bias_velocity[9 + k] = f1[0] * N.bias_spin_b[k] + f1[1] * D.bias_spin_b[k] + twice;
  }
  change_of_gradient(&f, &N, &D, false, out);
  change_of_gradient(&f, &N, &D, true, out);
}

// ---- the others ---------------------------------------------------------------------------------

// M[row + i][col + k] += c ([a])_ik, the matrix of a x.
static void add_skew(double M[12][12], int row, int col, double c, const double a[3])
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    M[row + i][col + j] -= c * a[k];
    M[row + i][col + k] += c * a[j];
  }
}

// Changes of y' and y'' are delta e.f + delta d.g.
static void along(int axis, const dls_solid_motion *a, const dls_solid_motion *b,
                  dls_row_slope *out)
{
  double e[3], d[3], moved[3], f[3], g[3], swung[3];
  axis_of(a, axis, e), minus(b->p, a->p, d), minus(b->v, a->v, moved);
  const double *w = a->w;
  dls_cross(w, e, swung);
  dls_cross(d, w, f), add(1, moved, f);
  dls_cross(e, f, out->rate_pose + 3);
  add(-1, swung, out->rate_pose), add(1, swung, out->rate_pose + 6);

  double wd[3];
  dls_cross(w, d, wd);
  minus(b->a, a->a, f);
  add_cross(1, d, a->alpha, f), add_cross(1, w, wd, f), add_cross(2, moved, w, f);
  dls_cross(a->alpha, e, g), add_cross(1, w, swung, g);
  dls_cross(e, f, out->bias_pose + 3);
  add(-1, g, out->bias_pose), add(1, g, out->bias_pose + 6);

  double *spin = out->bias_velocity + 3;
  add(dls_dot3(w, d), e, spin), add(dls_dot3(w, e), d, spin);
  add(-2 * dls_dot3(e, d), w, spin), add_cross(2, e, moved, spin);
  add(-2, swung, out->bias_velocity), add(2, swung, out->bias_velocity + 6);

  // the wrench is -e, e x d, e, 0, and e turns with A
  add_skew(out->wrench_pose, 0, 3, 1, e), add_skew(out->wrench_pose, 6, 3, -1, e);
  add_skew(out->wrench_pose, 3, 0, -1, e), add_skew(out->wrench_pose, 3, 6, 1, e);
  for (int i = 0; i < 3; i++)  // (delta x e) x d = e (delta.d) - delta (e.d)
    for (int k = 0; k < 3; k++)
      out->wrench_pose[3 + i][3 + k] += e[i] * d[k] - (i == k ? dls_dot3(e, d) : 0);
}

static void spinning(int axis, const dls_solid_motion *a, const dls_solid_motion *b,
                     dls_row_slope *out)
{
  double e[3], w[3], alpha[3];
  axis_of(b, axis, e), minus(b->w, a->w, w), minus(b->alpha, a->alpha, alpha);
  add_cross(1, b->w, a->w, alpha);
  dls_cross(e, w, out->rate_pose + 9);
  dls_cross(e, alpha, out->bias_pose + 9);
  dls_cross(a->w, e, out->bias_velocity + 9);
  dls_cross(e, b->w, out->bias_velocity + 3);
  add_skew(out->wrench_pose, 9, 9, -1, e), add_skew(out->wrench_pose, 3, 9, 1, e);
}

dls_status dls_row_differentiate(dls_joint_row row, const dls_solid_motion *a,
                                 const dls_solid_motion *b, dls_row_slope *slope)
{
  *slope = (dls_row_slope){0};
  if (row.kind == DLS_ROW_ALONG) along(row.axis, a, b, slope);
  else if (row.kind == DLS_ROW_SPIN) spinning(row.axis, a, b, slope);
  else turning(row, a, b, slope);
  for (int i = 0; i < 12; i++)
    if (!isfinite(slope->rate_pose[i]) || !isfinite(slope->bias_pose[i])) return DLS_ERR_NUMBER;
  return DLS_OK;
}
