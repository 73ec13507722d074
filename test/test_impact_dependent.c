// Impacts of systems with more coordinates than motions: natural coordinates, quaternions. To a
// regular system with coordinates y, dependent ones w = A y are added; the mass matrix becomes
// singular, bilateral constraints hold what it does not see, and nothing physical changes.
#include "impact_maker.h"

#include <delassus/contact.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#ifdef __SANITIZE_ADDRESS__  // memory errors show on fewer impacts too
enum { CASES = 5 };
#else
enum { CASES = 25 };
#endif

typedef struct extension {
  int k;                          // dependent coordinates
  double A[IMPACT_N * IMPACT_N];  // k x n
  double P[IMPACT_N * IMPACT_N];  // n x (n + k), P (y; A y) = y
  double T[IMPACT_N * IMPACT_N];  // (y; w) = T z, z the coordinates of the wide system
} extension;

// y_i of a motion z of the wide system.
static double motion_of(const extension *e, int n, int i, const double *z)
{
  long double sum = 0;
  for (int j = 0; j < n + e->k; j++) sum += (long double)e->T[i + (n + e->k) * j] * z[j];
  return (double)sum;
}

static void draw_extension(extension *e, rng *r, int n, int k)
{
  const int wide = n + k;
  double B[IMPACT_N * IMPACT_N];
  *e = (extension){.k = k};
  for (int i = 0; i < n * k; i++) e->A[i] = rng_int(r, -2, 2), B[i] = 0.5 * rng_int(r, -2, 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < wide; j++) {
      double *entry = &e->P[i + n * j];
      if (j >= n) *entry = B[i + n * (j - n)];
      for (int l = 0; j < n && l < k; l++) *entry -= B[i + n * l] * e->A[l + k * j];
      *entry += i == j;
    }
  for (int i = 0; i < wide; i++)
    for (int j = 0; j <= i; j++) e->T[i + wide * j] = i == j ? 1 : rng_int(r, -1, 1);
}

// A column of the minimal system in the wide one; any multiple of the constraints may be added.
static void widen(const extension *e, rng *r, int n, const double *from, double *to)
{
  const int wide = n + e->k;
  double column[IMPACT_N] = {0};
  for (int j = 0; j < wide; j++)
    for (int i = 0; i < n; i++) column[j] += e->P[i + n * j] * from[i];
  for (int l = 0; l < e->k; l++) {
    const double c = 0.5 * rng_int(r, -2, 2);
    for (int i = 0; i < n; i++) column[i] -= c * e->A[l + e->k * i];
    column[n + l] += c;
  }
  for (int j = 0; j < wide; j++) {
    to[j] = 0;
    for (int i = 0; i < wide; i++) to[j] += e->T[i + wide * j] * column[i];
  }
}

// T^-1 x, T unit lower triangular.
static void solve_lower(const extension *e, int wide, double *x)
{
  for (int i = 0; i < wide; i++)
    for (int j = 0; j < i; j++) x[i] -= e->T[i + wide * j] * x[j];
}

static void extend(const impact_case *c, const extension *e, rng *r, impact_case *out)
{
  const int n = c->n, k = e->k, wide = n + k, m = c->m_b + c->m_u;
  *out = (impact_case){.n = wide, .m_b = c->m_b + k, .m_u = c->m_u};
  double PT[IMPACT_N * IMPACT_N] = {0};  // P T
  for (int i = 0; i < n; i++)
    for (int j = 0; j < wide; j++)
      for (int l = 0; l < wide; l++) PT[i + n * j] += e->P[i + n * l] * e->T[l + wide * j];
  for (int i = 0; i < wide; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) sum += PT[a + n * i] * c->M[a + n * b] * PT[b + n * j];
      out->M[i + wide * j] = out->M[j + wide * i] = sum;
    }
  for (int i = 0; i < n; i++) out->v[i] = c->v[i];
  for (int l = 0; l < k; l++)
    for (int i = 0; i < n; i++) out->v[n + l] += e->A[l + k * i] * c->v[i];
  solve_lower(e, wide, out->v);
  for (int j = 0; j < m; j++) {
    const int to = j < c->m_b ? j : j + k;
    widen(e, r, n, c->G + n * j, out->G + wide * to);
    out->u[to] = c->u[j], out->tangents[to] = c->tangents[j], out->mu[to] = c->mu[j];
    out->e[to] = c->e[j];
  }
  for (int l = 0; l < k; l++)  // w_l - (A y)_l
    for (int j = 0; j < wide; j++) {
      double *entry = &out->G[j + wide * (c->m_b + l)];
      *entry = e->T[n + l + wide * j];
      for (int i = 0; i < n; i++) *entry -= e->A[l + k * i] * e->T[i + wide * j];
    }
  int tangents = 0;
  for (int j = 0; j < m; j++) tangents += c->tangents[j];
  for (int s = 0; s < tangents; s++) {
    widen(e, r, n, c->H + n * s, out->H + wide * s);
    out->s[s] = c->s[s];
  }
}

// What both laws found are the same motions.
static void compare(impact_case *c, const extension *e, impact_case *wide, int *found)
{
  dls_impact *a = impact_of(c), *b = impact_of(wide);
  if (a->moreau.motions > 0) {
    const dls_impact_motion *m = a->moreau.motion, *o = b->moreau.motion;
    assert_true(b->moreau.motions > 0);
    double jump[IMPACT_N], residual = NAN, p_b[IMPACT_M], size = 0;
    for (int i = 0; i < c->n; i++) jump[i] = motion_of(e, c->n, i, o->jump);
    for (int j = 0; j < c->m_b; j++) p_b[j] = o->p_b[j];
    // a solution of the wide system is one of the minimal system
    assert_int_equal(dls_coulomb_residual(&a->moreau.problem, jump, p_b, o->p_u, o->p_t, &residual),
                     DLS_OK);
    if (!(residual <= 1e-9)) fail_msg("residual %g in the minimal system", residual);
    assert_true(fabs(o->kinetic_change - m->kinetic_change) <= 1e-8 || a->moreau.motions > 1 ||
                a->moreau.unique.answer != DLS_YES);
    for (int i = 0; i < c->n; i++) size = fmax(size, fabs(m->jump[i]));
    for (int i = 0; i < c->n && a->moreau.unique.answer == DLS_YES; i++)
      if (!(fabs(jump[i] - m->jump[i]) <= 1e-8 * size))
        fail_msg("coordinate %d: %.12g and %.12g", i, jump[i], m->jump[i]);
    ++*found;
  }
  dls_impact_free(a);
  dls_impact_free(b);
}

static void any_system(void **unused)
{
  (void)unused;
  rng r = rng_create(41);
  for (int tangents = 0; tangents <= 2; tangents++) {
    at_case("slips %d", tangents);
    int found = 0;
    for (int trial = 0; trial < CASES; trial++) {
      impact_case c, wide;
      extension e;
      do impact_case_random(&c, &r, true, tangents);
      while (c.m_b + c.m_u > IMPACT_M - 2);
      draw_extension(&e, &r, c.n, rng_int(&r, 1, c.m_b + c.m_u < IMPACT_M - 2 ? 3 : 2));
      extend(&c, &e, &r, &wide);
      compare(&c, &e, &wide, &found);
    }
    print_message("%d slips: %d of %d with velocities after the impact\n", tangents, found, CASES);
    assert_true(found > CASES * 3 / 4);
  }
}

// A box whose four lower corners hit the floor at once, with friction: coordinates x, y, z and
// three angles, in the wide system one or two more.
static void flat_landing(void **unused)
{
  (void)unused;
  rng r = rng_create(42);
  int found = 0;
  for (int trial = 0; trial < CASES; trial++) {
    at_case("trial %d", trial);
    impact_case c = {.n = 6, .m_u = 4}, wide;
    const double a = 0.1 + fabs(rng_real(&r)), b = 0.1 + fabs(rng_real(&r)), h = 0.1;
    const double inertia[] = {b * b + h * h, a * a + h * h, a * a + b * b};
    for (int i = 0; i < 6; i++) c.M[i * 7] = i < 3 ? 1 : inertia[i - 3] / 3;
    for (int i = 0; i < 2; i++) c.v[i] = rng_chance(&r, 0.2) ? 0 : rng_real(&r);
    c.v[2] = -0.1 - fabs(rng_real(&r));
    c.v[5] = rng_chance(&r, 0.5) ? 0 : rng_real(&r);
    const double mu = fabs(rng_real(&r)), restitution = rng_chance(&r, 0.3) ? 0 : 0.5;
    for (int j = 0; j < 4; j++) {
      const double x = j & 1 ? a : -a, y = j & 2 ? b : -b, z = -h;
      const double column[3][6] = {
          {0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};  // e + r x e
      memcpy(c.G + 6 * j, column[0], sizeof column[0]);
      memcpy(c.H + 12 * j, column[1], 2 * sizeof column[1]);
      c.tangents[j] = 2, c.mu[j] = mu, c.e[j] = restitution;
    }
    impact_case_velocities(&c);
    extension e;
    draw_extension(&e, &r, 6, rng_int(&r, 1, 2));
    extend(&c, &e, &r, &wide);
    compare(&c, &e, &wide, &found);
  }
  print_message("%d of %d flat landings have velocities after the impact\n", found, CASES);
  assert_int_equal(found, CASES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_system),
      cmocka_unit_test(flat_landing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
