#include "sticking.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double *zeros(int count)
{
  return calloc((size_t)count + 1, sizeof(double));
}

sticking *sticking_create(int n, int m_b, int m_u, const int *tangents_of)
{
  sticking *g = calloc(1, sizeof *g);
  const int m = m_b + m_u;
  g->n = n, g->m_b = m_b, g->m_u = m_u;
  g->first = calloc((size_t)m + 1, sizeof(int));
  for (int j = 0; j < m; j++) g->first[j + 1] = g->first[j] + tangents_of[j];
  g->tangents = g->first[m];
  g->M = zeros(n * n), g->F = zeros(n);
  g->G_b = zeros(n * m_b), g->b_b = zeros(m_b), g->G_u = zeros(n * m_u), g->b_u = zeros(m_u);
  g->H = zeros(n * g->tangents), g->b_t = zeros(g->tangents), g->xi = zeros(g->tangents);
  g->mu = zeros(m), g->w = zeros(m + g->tangents);
  g->sliding = calloc((size_t)m + 1, sizeof(bool));
  for (int i = 0; i < n; i++) g->M[i * (n + 1)] = 1;
  g->friction = (dls_friction){.tangents = g->tangents,
                               .first = g->first,
                               .H = g->H,
                               .b_t = g->b_t,
                               .mu = g->mu,
                               .xi = g->xi,
                               .sliding = g->sliding,
                               .w_n = g->w,
                               .w_t = g->w + m};
  g->problem = (dls_problem){.n = n,
                             .m_b = m_b,
                             .m_u = m_u,
                             .M = g->M,
                             .F = g->F,
                             .G_b = g->G_b,
                             .b_b = g->b_b,
                             .G_u = g->G_u,
                             .b_u = g->b_u,
                             .friction = &g->friction};
  return g;
}

void sticking_free(sticking *g)
{
  double *arrays[] = {g->M, g->F, g->G_b, g->b_b, g->G_u, g->b_u, g->H, g->b_t, g->xi, g->mu, g->w};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(g->first), free(g->sliding), free(g);
}

double *sticking_normal(sticking *g, int contact)
{
  return contact < g->m_b ? g->G_b + g->n * contact : g->G_u + g->n * (contact - g->m_b);
}

double *sticking_tangent(sticking *g, int contact, int k)
{
  return g->H + g->n * (g->first[contact] + k);
}

// --- witnesses, from the data alone -------------------------------------------------------------

static double dot(int n, const double *a, const double *b)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += (long double)a[i] * b[i];
  return (double)sum;
}

static const double *column(const dls_problem *p, int j)
{
  return j < p->m_b ? p->G_b + p->n * j : p->G_u + p->n * (j - p->m_b);
}

static double constant(const dls_problem *p, int j)
{
  return j < p->m_b ? p->b_b[j] : p->b_u[j - p->m_b];
}

static const double *part(const dls_verdict *v, const char *name)
{
  for (int k = 0; k < v->parts; k++)
    if (!strcmp(v->part[k].name, name)) return v->part[k].values;
  return NULL;
}

static void verify_yes(const dls_problem *p, const dls_verdict *v)
{
  const dls_friction *f = p->friction;
  const double *z = part(v, "acceleration"), *b = part(v, "lambda_b"), *u = part(v, "lambda_u");
  const double *tau = part(v, "tau");
  double size = 0, accelerations = 0;
  assert_true(z && b && u && tau);
  assert_true(v->margin >= 0);
  for (int k = 0; k < 2 * p->n; k++) {  // the sizes first
    const int i = k % p->n;
    double sum = p->F[i] + dot(p->n, p->M + p->n * i, z), terms = fabs(p->F[i]);
    for (int j = 0; j < p->m_b + p->m_u; j++) {
      const double force = column(p, j)[i] * (j < p->m_b ? b[j] : u[j - p->m_b]);
      sum -= force, terms += fabs(force);
    }
    for (int t = 0; t < f->tangents; t++) {
      const double force = f->H[i + p->n * t] * tau[t];
      sum -= force, terms += fabs(force);
    }
    size = fmax(size, terms), accelerations = fmax(accelerations, fabs(z[i]));
    if (k >= p->n) assert_true(fabs(sum) <= 1e-9 * size);
  }
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    const double lambda = j < p->m_b ? b[j] : u[j - p->m_b];
    double bound = f->mu[j] * fabs(lambda), t = 0;
    assert_true(fabs(dot(p->n, column(p, j), z) + constant(p, j)) <= 1e-9 * (1 + accelerations));
    if (j >= p->m_b) assert_true(lambda >= -1e-9 * size);
    for (int k = f->first[j]; k < f->first[j + 1]; k++) {
      t = hypot(t, tau[k]);
      if (f->sliding[j]) assert_true(fabs(tau[k] + f->xi[k] * bound) <= 1e-9 * (size + bound));
      else
        assert_true(fabs(dot(p->n, f->H + p->n * k, z) + f->b_t[k]) <= 1e-9 * (1 + accelerations));
    }
    assert_true(t <= bound + 1e-9 * (size + bound));
  }
}

static double load(const dls_problem *p)
{
  double most = 0;
  for (int i = 0; i < p->n; i++) most = fmax(most, fabs(p->F[i]));
  for (int j = 0; j < p->m_b + p->m_u; j++) most = fmax(most, fabs(constant(p, j)));
  for (int k = 0; k < p->friction->tangents; k++) most = fmax(most, fabs(p->friction->b_t[k]));
  return most;
}

// The terms lambda p + tau^T t of one contact are >= 0 in its mode and with the sign given; or
// forces a million times the load do not make up for the contradiction, `gap`.
static void verify_contact(const dls_problem *p, const dls_leaf *leaf, int j, double sign,
                           double gap)
{
  const dls_friction *f = p->friction;
  const double *d = leaf->direction, normal = dot(p->n, column(p, j), d);
  const double size = sqrt(dot(p->n, column(p, j), column(p, j)) * dot(p->n, d, d));
  double t = 0, against = 0, lengths = size;
  for (int k = f->first[j]; k < f->first[j + 1]; k++) {
    const double *h = f->H + p->n * k, slip = dot(p->n, h, d);
    t = hypot(t, slip), against += f->xi[k] * slip;
    lengths += f->mu[j] * sqrt(dot(p->n, h, h) * dot(p->n, d, d));
    if (f->sliding[j]) assert_true(leaf->sigma[k] == 0);
  }
  const double rest = sign * normal - f->mu[j] * (f->sliding[j] ? against : t);
  assert_true(rest >= -1e-10 * lengths || rest * 1e6 * load(p) >= -gap);
}

static void verify_leaf(const dls_problem *p, const dls_leaf *leaf)
{
  const dls_friction *f = p->friction;
  const int m = p->m_b + p->m_u;
  long double value = dot(p->n, leaf->direction, p->F) + dot(f->tangents, leaf->sigma, f->b_t);
  for (int j = 0; j < m; j++) value += (long double)leaf->alpha[j] * constant(p, j);
  assert_true(value < 0);
  for (int i = 0; i < p->n; i++) {
    double sum = dot(p->n, p->M + p->n * i, leaf->direction), terms = 1e-3;
    for (int j = 0; j < p->n; j++) terms += fabs(p->M[j + p->n * i] * leaf->direction[j]);
    for (int j = 0; j < m; j++) {
      const double term = column(p, j)[i] * leaf->alpha[j];
      sum += term, terms += fabs(term);
    }
    for (int k = 0; k < f->tangents; k++) {
      const double term = f->H[i + p->n * k] * leaf->sigma[k];
      sum += term, terms += fabs(term);
    }
    assert_true(fabs(sum) <= 1e-9 * terms);
  }
  for (int j = 0; j < m; j++) {
    const int mode = leaf->mode[j];
    if (!(mode & DLS_MODE_PULLING)) verify_contact(p, leaf, j, 1, (double)-value);
    const bool free_sign = j < p->m_b && (f->mu[j] == 0 || f->first[j] == f->first[j + 1]);
    if (free_sign || (mode & (DLS_MODE_PULLING | DLS_MODE_EITHER)))
      verify_contact(p, leaf, j, -1, (double)-value);
    assert_true(j < p->m_b || !(mode & (DLS_MODE_PULLING | DLS_MODE_EITHER)));
  }
}

// Every combination of signs of frictional bilateral contacts lies in a leaf: their shares add up.
static void verify_cover(const dls_problem *p, const dls_verdict *v)
{
  double share = 0;
  for (int l = 0; l < v->leaves; l++) {
    double part_of_all = 1;
    for (int j = 0; j < p->m_b; j++) {
      const bool signs =
          p->friction->mu[j] > 0 && p->friction->first[j + 1] > p->friction->first[j];
      if (signs && !(v->leaf[l].mode[j] & DLS_MODE_EITHER)) part_of_all /= 2;
    }
    share += part_of_all;
    for (int k = 0; k < l; k++) {
      bool apart = false;
      for (int j = 0; j < p->m_b; j++) {
        const int a = v->leaf[l].mode[j], b = v->leaf[k].mode[j];
        apart |= !((a | b) & DLS_MODE_EITHER) && ((a ^ b) & DLS_MODE_PULLING);
      }
      assert_true(apart);
    }
  }
  assert_true(share == 1);
}

dls_answer stuck_verify(const dls_problem *p, const dls_check *check)
{
  const dls_verdict *v = &check->verdict[DLS_CAN_ALL_STICK];
  if (v->answer == DLS_YES) verify_yes(p, v);
  if (v->answer == DLS_NO) {
    assert_true(v->leaves > 0 && v->margin > 1e-9);
    for (int l = 0; l < v->leaves; l++) verify_leaf(p, &v->leaf[l]);
    verify_cover(p, v);
  }
  return v->answer;
}

// --- problems -----------------------------------------------------------------------------------

sticking *sticking_block(int points, double L, double l, double m, double g, double X, double mu)
{
  const int tangents[] = {1, 1, 1};
  assert(points <= 3);
  sticking *p = sticking_create(3, 0, points, tangents);
  p->M[0] = p->M[4] = m, p->M[8] = m * (L * L + l * l) / 12;
  p->F[0] = -X, p->F[1] = m * g;
  for (int j = 0; j < points; j++) {
    const double at = points == 1 ? 0 : -L / 2 + L * j / (points - 1);
    double *normal = sticking_normal(p, j), *tangent = sticking_tangent(p, j, 0);
    normal[1] = 1, normal[2] = at;
    tangent[0] = 1, tangent[2] = l / 2;
    p->mu[j] = mu;
  }
  return p;
}

static void cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2],
  c[2] = a[0] * b[1] - a[1] * b[0];
}

void sticking_frame(const double *normal, double e[3][3])
{
  const double size = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const int small = fabs(normal[0]) < 0.6 * size ? 0 : 1;
  const double axis[3] = {small == 0, small == 1, 0};
  for (int i = 0; i < 3; i++) e[0][i] = normal[i] / size;
  cross(e[0], axis, e[1]);
  const double length = sqrt(e[1][0] * e[1][0] + e[1][1] * e[1][1] + e[1][2] * e[1][2]);
  for (int i = 0; i < 3; i++) e[1][i] /= length;
  cross(e[0], e[1], e[2]);
}

void sticking_touch(sticking *p, int contact, int body, const double *at, const double e[3][3])
{
  for (int k = 0; k < 3; k++) {
    double *column =
        (k == 0 ? sticking_normal(p, contact) : sticking_tangent(p, contact, k - 1)) + 6 * body;
    double turn[3];
    cross(at, e[k], turn);
    for (int i = 0; i < 3; i++) column[i] += e[k][i], column[3 + i] += turn[i];
  }
}

void sticking_load(sticking *p, const double *z, const double *lambda, const double *tau)
{
  for (int i = 0; i < p->n; i++) {
    p->F[i] = 0;
    for (int j = 0; j < p->n; j++) p->F[i] -= p->M[i + p->n * j] * z[j];
    for (int j = 0; j < p->m_b + p->m_u; j++) p->F[i] += sticking_normal(p, j)[i] * lambda[j];
    for (int k = 0; k < p->tangents; k++) p->F[i] += p->H[i + p->n * k] * tau[k];
  }
  for (int j = 0; j < p->m_b + p->m_u; j++) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) sum -= sticking_normal(p, j)[i] * z[i];
    if (j < p->m_b) p->b_b[j] = sum;
    else p->b_u[j - p->m_b] = sum;
  }
  for (int k = 0; k < p->tangents; k++) {
    p->b_t[k] = 0;
    for (int i = 0; i < p->n; i++) p->b_t[k] -= p->H[i + p->n * k] * z[i];
  }
}
