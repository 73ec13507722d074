// Can all contacts stick, with how much friction, and with which force: closed forms of the papers,
// problems with known answers, and thresholds.
#include "numbers.h"
#include "sticking_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

typedef struct result {
  dls_answer answer;
  dls_limit least;
  double margin, force_size, force[8];
  bool has_force;
  char by[400];
} result;

static result ask(const sticking *g)
{
  dls_status status;
  stuck *s = stuck_run(&g->problem, 0, &status);
  assert_int_equal(status, DLS_OK);
  const dls_check *check = &s->check;
  result r = {.answer = stuck_verify(&g->problem, check), .least = check->limit[DLS_LIMIT_LEAST]};
  const char *by = check->verdict[DLS_CAN_ALL_STICK].by;
  if (by) snprintf(r.by, sizeof r.by, "%s", by);
  r.margin = check->verdict[DLS_CAN_ALL_STICK].margin;
  r.has_force = check->extra_force, r.force_size = check->extra_force_size;
  for (int i = 0; i < 8 && i < g->n && r.has_force; i++) r.force[i] = check->extra_force[i];
  if (r.least.value >= 0 && isfinite(r.least.value)) {
    assert_true(r.least.low <= r.least.value && r.least.value <= r.least.high);
    assert_true(r.least.high - r.least.low <= 1e-6 * r.least.high || r.least.value == 0);
  }
  stuck_free(s);
  return r;
}

static void expect_least(const sticking *g, double least)
{
  const result r = ask(g);
  if (least > 0 && isfinite(least)) assert_true(r.least.high - r.least.low <= 1e-9 * r.least.high);
  if (isinf(least)) assert_true(r.least.value == (double)INFINITY);
  else close_to(r.least.value, least, 1e-10 * fmax(least, 0.1));
}

// --- a block on a floor -------------------------------------------------------------------------

static void blocks(void **state)
{
  (void)state;
  const double L = 2, l = 3, m = 5, g = 9.81;
  int yes = 0, no = 0, tips = 0;
  for (int points = 2; points <= 3; points++)
    for (int k = 0; k <= 40; k++) {
      at_case("points %d, k %d", points, k);
      const double X = (k - 20.3) / 20 * m * g, mu = 0.4;
      sticking *p = sticking_block(points, L, l, m, g, X, mu);
      const result r = ask(p);
      const bool tangents = fabs(X) > mu * m * g, tip = fabs(X) * l > m * g * L;
      assert_int_equal(r.answer, tangents || tip ? DLS_NO : DLS_YES);
      assert_true(r.answer == DLS_YES ? !r.has_force : r.has_force);
      yes += r.answer == DLS_YES, no += r.answer == DLS_NO, tips += tip;
      expect_least(p, tip ? INFINITY : fabs(X) / (m * g));
      assert_true(!tip == !strstr(r.by, "detach"));
      // sliding alone: the missing force acts at the centre when it may turn nothing
      if (r.has_force) {
        for (int i = 0; i < 3; i++) p->F[i] -= r.force[i] * (1 + 1e-7);
        assert_int_equal(ask(p).answer, DLS_YES);
        for (int i = 0; i < 3; i++) p->F[i] += r.force[i] * 0.01;
        assert_int_equal(ask(p).answer, DLS_NO);
      }
      sticking_free(p);
    }
  assert_true(yes > 20 && no > 20 && tips > 10);
}

// A point mass: the extra force is what exceeds the cone, in the metric 1/m.
static void missing_force(void **state)
{
  (void)state;
  sticking *p = sticking_create(2, 0, 1, (const int[]){1});
  p->M[0] = p->M[3] = 4, p->F[0] = -3, p->F[1] = 2;
  sticking_normal(p, 0)[1] = 1, sticking_tangent(p, 0, 0)[0] = 1, p->mu[0] = 0.5;
  const result r = ask(p);
  assert_int_equal(r.answer, DLS_NO);
  // nearest point of the cone |x| <= y / 2 to (3, 2), in any multiple of the Euclidean metric
  const double along = (3 * 1 + 2 * 2) / 5.0, x = along - 3, y = 2 * along - 2;
  close_to(r.force[0], x, 1e-7);
  close_to(r.force[1], -y, 1e-7);
  close_to(r.force_size, hypot(x, y) / 2, 1e-7);
  assert_non_null(strstr(r.by, "kinetic"));
  close_to(r.least.value, 1.5, 1e-10);
  p->F[1] = -2;  // pulled off
  expect_least(p, INFINITY);
  p->F[0] = 0, p->F[1] = 0;
  assert_int_equal(ask(p).answer, DLS_YES);
  expect_least(p, 0);
  p->F[0] = 1;  // pushed, and no normal force
  assert_int_equal(ask(p).answer, DLS_NO);
  expect_least(p, INFINITY);
  sticking_free(p);
}

// A point held by one contact with mu = 1/2 and loaded by (3, 2): the extra force takes the load to
// the ray (1, 2) s, and f^T A f is least at s = u^T A c / u^T A u, A = M^-1 where M is definite and
// the identity where it is not, be it for a mass that is missing or for a coupling (other masses
// are one: the metric is that of coordinates scaled by them).
static void metrics(void **state)
{
  (void)state;
  const struct {
    double M[4], A[4];
    bool definite;
  } cases[] = {
      {{1, 0, 0, 9}, {1, 0, 0, 1.0 / 9}, true},
      {{2, 1, 1, 2}, {2.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3}, true},
      {{1, 0, 0, 0}, {1, 0, 0, 1}, false},
      {{1, 1, 1, 1}, {1, 0, 0, 1}, false},
      {{1, 1, 1, 1 + 0x1p-50}, {1, 0, 0, 1}, false},  // within rounding
  };
  for (int k = 0; k < 5; k++) {
    at_case("k %d", k);
    const int tangents[] = {1};
    const double *A = cases[k].A, u[] = {1, 2}, c[] = {3, 2};
    sticking *p = sticking_create(2, 0, 1, tangents);
    memcpy(p->M, cases[k].M, 4 * sizeof(double));
    p->F[0] = -3, p->F[1] = 2;
    sticking_normal(p, 0)[1] = 1, sticking_tangent(p, 0, 0)[0] = 1, p->mu[0] = 0.5;
    // x is pushed by 3, y by -2: the contact carries (-3, 2), so that x is mirrored
    const double B = -A[1];
    const double s = (A[0] * u[0] * c[0] + B * (u[0] * c[1] + u[1] * c[0]) + A[3] * u[1] * c[1]) /
                     (A[0] * u[0] * u[0] + 2 * B * u[0] * u[1] + A[3] * u[1] * u[1]);
    const double x = s * u[0] - c[0], y = s * u[1] - c[1];
    const double size = sqrt(A[0] * x * x + 2 * B * x * y + A[3] * y * y);
    const result r = ask(p);
    const char *word = cases[k].definite ? "kinetic" : "Euclidean";
    if (r.answer != DLS_NO || !r.has_force || !strstr(r.by, word)) fail_msg("case %d: %s", k, r.by);
    const double wrong = hypot(r.force[0] - x, r.force[1] + y);
    if (!(wrong <= 1e-7 && fabs(r.force_size - size) <= 1e-7))
      fail_msg("case %d: (%g, %g) of size %g, not (%g, %g) of %g", k, r.force[0], r.force[1],
               r.force_size, x, -y, size);
    sticking_free(p);
  }
}

// A point on a plane in space that does not move: the contact carries the load, whatever the mass,
// and the least coefficient is |tau| / lambda; where it would have to pull, none is enough.
static void one_in_space(void **state)
{
  (void)state;
  int never = 0;
  for (int t = 0; t < 200; t++) {
    at_case("t %d", t);
    const int tangents[] = {2};
    sticking *p = sticking_create(3, 0, 1, tangents);
    double load[3];
    for (int i = 0; i < 3; i++) load[i] = uniform(), p->M[4 * i] = pow(2, uniform());
    if (fabs(load[0]) < 0.05) load[0] = 0.05;
    const double mu = fabs(uniform()), least = hypot(load[1], load[2]) / load[0];
    for (int i = 0; i < 3; i++) p->F[i] = load[i];
    sticking_normal(p, 0)[0] = 1, sticking_tangent(p, 0, 0)[1] = 1,
                       sticking_tangent(p, 0, 1)[2] = 1;
    p->mu[0] = mu;
    const result r = ask(p);
    const double right = load[0] > 0 ? least : INFINITY;
    const bool same = isinf(right) ? r.least.value == right
                                   : fabs(r.least.value - right) <= 1e-9 * fmax(right, 0.1);
    if (!same || r.answer != (right <= mu ? DLS_YES : DLS_NO))
      fail_msg("case %d: least %g, not %g; answer %d with %g", t, r.least.value, right,
               (int)r.answer, mu);
    never += isinf(right);
    sticking_free(p);
  }
  assert_true(never > 50 && never < 150);
}

// --- STK Ex. 6: an object between two fingers ---------------------------------------------------

// x, y, theta of the object, x_1, x_2 of the fingers that cannot move up; F_1 from the left pushes
// with -F1 > 0... The fingers carry no mass of their own upwards: their contacts' tangents are y.
static sticking *fingers(double F1, double F2, double g, double mu1, double mu2)
{
  sticking *p = sticking_create(5, 0, 2, (const int[]){1, 1});
  double *left = sticking_normal(p, 0), *right = sticking_normal(p, 1);
  left[0] = 1, left[3] = -1, right[0] = -1, right[4] = 1;
  sticking_tangent(p, 0, 0)[1] = 1, sticking_tangent(p, 0, 0)[2] = -0.5;
  sticking_tangent(p, 1, 0)[1] = 1, sticking_tangent(p, 1, 0)[2] = 0.5;
  p->F[1] = g, p->F[3] = F1, p->F[4] = -F2;  // finger 1 pushes with -F1, finger 2 with -F2...
  p->F[4] = F2;
  p->mu[0] = mu1, p->mu[1] = mu2;
  return p;
}

static void grasp(void **state)
{
  (void)state;
  const double g = 9.81;
  int yes = 0, no = 0;
  for (int k = 0; k < 60; k++) {
    at_case("k %d", k);
    // equilibrium of equal and opposite fingers: forces are -F1 = F2
    const double F = 5 + 10 * fabs(uniform()), mu1 = fabs(uniform()), mu2 = fabs(uniform());
    sticking *p = fingers(-F, F, g, mu1, mu2);
    const result r = ask(p);
    // symmetric tangents and no torque: each carries g / 2
    const bool holds = fmin(mu1, mu2) * F >= g / 2;
    assert_int_equal(r.answer, holds ? DLS_YES : DLS_NO);
    yes += holds, no += !holds;
    close_to(r.least.value, g / (2 * F), 1e-10);
    sticking_free(p);
  }
  assert_true(yes > 5 && no > 5);
}

// Without rotation the two tangents are one: only the sum counts, -mu1 F1 + mu2 F2 >= g.
static void redundant_grasp(void **state)
{
  (void)state;
  const double g = 9.81;
  int yes = 0, no = 0;
  for (int k = 0; k < 60; k++) {
    at_case("k %d", k);
    const double F1 = -(5 + 10 * fabs(uniform())), F2 = -F1;
    const double mu1 = fabs(uniform()), mu2 = fabs(uniform());
    sticking *p = fingers(F1, F2, g, mu1, mu2);
    sticking_tangent(p, 0, 0)[2] = sticking_tangent(p, 1, 0)[2] = 0;
    const result r = ask(p);
    assert_int_equal(r.answer, -mu1 * F1 + mu2 * F2 >= g ? DLS_YES : DLS_NO);
    yes += r.answer == DLS_YES, no += r.answer == DLS_NO;
    close_to(r.least.value, g / (F2 - F1), 1e-10);
    sticking_free(p);
  }
  assert_true(yes > 5 && no > 5);
}

// --- spatial: a block on an incline, four corners -----------------------------------------------

static sticking *incline(double slope, double turn, double mu, double m, double unit)
{
  sticking *p = sticking_create(6, 0, 4, (const int[]){2, 2, 2, 2});
  double e[3][3];
  sticking_frame((const double[]){0, 0, 1}, e);
  for (int i = 0; i < 3; i++) p->M[7 * i] = m, p->M[7 * (i + 3)] = 0.2 * m * unit * unit;
  p->F[0] = m * 9.81 * unit * sin(slope) * cos(turn),
  p->F[1] = m * 9.81 * unit * sin(slope) * sin(turn);
  p->F[2] = m * 9.81 * unit * cos(slope);
  for (int j = 0; j < 4; j++) {
    const double at[3] = {j & 1 ? unit : -unit, j & 2 ? 2 * unit : -2 * unit, -0.25 * unit};
    sticking_touch(p, j, 0, at, e);
    p->mu[j] = mu;
  }
  return p;
}

static void spatial_incline(void **state)
{
  (void)state;
  for (int k = 0; k < 12; k++) {
    const double slope = 0.05 + 0.08 * k, turn = 0.7 * k,
                 units = k % 3 == 0   ? 1
                         : k % 3 == 1 ? 1e3
                                      : 1e-4;
    for (int side = -1; side <= 1; side += 2) {
      at_case("k %d, side %d", k, side);
      sticking *p = incline(slope, turn, tan(slope) * (1 + 0.01 * side), k % 2 ? 1 : 1e5, units);
      const result r = ask(p);
      assert_int_equal(r.answer, side > 0 ? DLS_YES : DLS_NO);
      close_to(r.least.value, tan(slope), 2e-9 * tan(slope));
      sticking_free(p);
    }
  }
}

// Nothing within 1e-12 ... 1e-6 of the threshold may be answered wrongly.
static void thresholds(void **state)
{
  (void)state;
  int decided = 0, asked = 0;
  for (int spatial = 0; spatial < 3; spatial++)
    for (double off = 1e-11; off < 2e-6; off *= 10)
      for (int side = -1; side <= 1; side += 2) {
        at_case("spatial %d, off %g, side %d", spatial, off, side);
        const double mu = 0.3 * (1 + side * off);
        sticking *p = spatial == 2 ? incline(atan(0.3), 0.4, mu, 2, 1)
                                   : sticking_block(2 + spatial, 2, 1, 5, 10, 15, mu);
        const result r = ask(p);
        if (r.answer != DLS_UNDECIDED) assert_int_equal(r.answer, side > 0 ? DLS_YES : DLS_NO);
        if (off >= 1e-7) assert_int_not_equal(r.answer, DLS_UNDECIDED);
        asked++, decided += r.answer != DLS_UNDECIDED;
        sticking_free(p);
      }
  print_message("%d of %d near the threshold decided\n", decided, asked);
  // exactly on it, and with contacts that carry nothing
  for (int points = 2; points <= 3; points++) {
    at_case("points %d", points);
    sticking *p = sticking_block(points, 2, 1, 5, 10, 25, 0.5);
    assert_int_equal(ask(p).answer, DLS_YES);
    p->mu[1] = 0;
    assert_int_equal(ask(p).answer, points == 2 ? DLS_NO : DLS_YES);
    sticking_free(p);
    p = sticking_block(points, 1, 1, 5, 10, 50, 1);  // about to tip and about to slip
    assert_int_equal(ask(p).answer, DLS_YES);
    expect_least(p, 1);
    sticking_free(p);
    p = sticking_block(points, 2, 1, 5, 10, 0, 0);  // no friction needed
    assert_int_equal(ask(p).answer, DLS_YES);
    expect_least(p, 0);
    p->b_t[0] = 1;  // the floor moves under one corner only
    assert_int_equal(ask(p).answer, DLS_NO);
    expect_least(p, INFINITY);
    sticking_free(p);
  }
}

// --- random problems with a known answer --------------------------------------------------------

static void draw(double *x, int count)
{
  for (int i = 0; i < count; i++) x[i] = uniform();
}

// rank < n: M = B B^T with few columns
static void draw_mass(sticking *p, int rank)
{
  double *B = vector(p->n * rank);
  draw(B, p->n * rank);
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++) {
      p->M[i + p->n * j] = 0;
      for (int k = 0; k < rank; k++) p->M[i + p->n * j] += B[i + p->n * k] * B[j + p->n * k];
    }
  free(B);
}

static void random_yes(void **state)
{
  (void)state;
  int undecided = 0, rounds = TRIED(120);
  for (int round = 0; round < rounds; round++) {
    at_case("round %d", round);
    const int n = 2 + below(7), m_b = below(3), m_u = 1 + below(5), m = m_b + m_u;
    int tangents[8];
    for (int j = 0; j < m; j++) tangents[j] = below(3);
    tangents[m - 1] = 1 + below(2);
    sticking *p = sticking_create(n, m_b, m_u, tangents);
    double z[8], lambda[8], tau[16] = {0};
    draw_mass(p, below(3) ? n : 1 + below(n));
    draw(p->G_b, n * m_b), draw(p->G_u, n * m_u), draw(p->H, n * p->tangents), draw(z, n);
    for (int j = 0; j < m; j++) {
      lambda[j] = j < m_b ? uniform() : 0.1 + fabs(uniform());
      p->mu[j] = tangents[j] && below(5) ? 0.1 + fabs(uniform()) : 0;
      p->sliding[j] = tangents[j] && j < m - 1 && below(4) == 0;
      const double angle = 3 * uniform(), part = p->sliding[j] ? -1 : 0.98 * uniform();
      const double e[2] = {tangents[j] == 1 ? 1 : cos(angle), sin(angle)};
      for (int k = 0; k < tangents[j]; k++) {
        const int at = p->first[j] + k;
        if (p->sliding[j]) p->xi[at] = e[k];
        tau[at] = part * p->mu[j] * fabs(lambda[j]) * e[k];
      }
    }
    sticking_load(p, z, lambda, tau);
    const result r = ask(p);
    if (r.answer == DLS_NO) fail_msg("round %d: no, although forces are known", round);
    undecided += r.answer != DLS_YES;
    sticking_free(p);
  }
  print_message("%d of %d undecided\n", undecided, rounds);
  assert_true(undecided <= rounds / 100);
}

// A direction d that every cone likes and the load does not: F = M a - ..., with d^T F < 0 and
// M d + G alpha + H sigma = 0.
static void random_no(void **state)
{
  (void)state;
  int undecided = 0, rounds = TRIED(120);
  for (int round = 0; round < rounds; round++) {
    at_case("round %d", round);
    const int n = 3 + below(6), m_u = 1 + below(6);
    int tangents[8];
    for (int j = 0; j < m_u; j++) tangents[j] = 1 + below(2);
    sticking *p = sticking_create(n, 0, m_u, tangents);
    double d[8], z[8], dd = 0;
    draw(d, n), draw(z, n);
    for (int i = 0; i < n; i++) dd += d[i] * d[i];
    for (int j = 0; j < m_u; j++) {
      double t = 0;
      p->mu[j] = fabs(uniform());
      draw(sticking_normal(p, j), n);
      for (int k = 0; k < tangents[j]; k++) {
        double *h = sticking_tangent(p, j, k), sum = 0;
        draw(h, n);
        for (int i = 0; i < n; i++) sum += h[i] * d[i];
        t = hypot(t, sum);
      }
      // p = g^T d = mu |t| + something
      double sum = 0, want = p->mu[j] * t + (below(2) ? 0.1 * fabs(uniform()) : 0);
      for (int i = 0; i < n; i++) sum += sticking_normal(p, j)[i] * d[i];
      for (int i = 0; i < n; i++) sticking_normal(p, j)[i] += (want - sum) * d[i] / dd;
    }
    // a mass that d does not see: the balance then has no part along d but the load's
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) p->M[i + n * j] = (i == j) - d[i] * d[j] / dd;
    const double none[24] = {0};
    sticking_load(p, z, none, none);
    double push = 0;
    for (int i = 0; i < n; i++) push += p->F[i] * d[i];
    for (int i = 0; i < n; i++) p->F[i] -= (push + 0.2 + fabs(uniform())) * d[i] / dd;
    const result r = ask(p);
    if (r.answer == DLS_YES) fail_msg("round %d: yes, although it is impossible", round);
    undecided += r.answer != DLS_NO;
    sticking_free(p);
  }
  print_message("%d of %d undecided\n", undecided, rounds);
  assert_true(undecided <= rounds / 100);
}

// --- bilateral signs ----------------------------------------------------------------------------

// Two sleeves on one bar, both along x and redundant: normals y at both, tangents x. Load (X, Y):
// |X| <= mu (|l_1| + |l_2|), l_1 + l_2 = Y: any X is held by sleeves that work against each other.
static void sleeves(void **state)
{
  (void)state;
  sticking *p = sticking_create(2, 2, 0, (const int[]){1, 1});
  for (int j = 0; j < 2; j++)
    sticking_normal(p, j)[1] = 1, sticking_tangent(p, j, 0)[0] = 1, p->mu[j] = 0.1;
  p->F[0] = 7, p->F[1] = 1;
  assert_int_equal(ask(p).answer, DLS_YES);
  sticking_free(p);
  // at different places and without moment: forces are unique, |X| <= mu |Y|
  for (int k = -20; k <= 20; k++) {
    at_case("k %d", k);
    p = sticking_create(2, 1, 1, (const int[]){1, 0});
    sticking_normal(p, 0)[1] = 1, sticking_tangent(p, 0, 0)[0] = 1, p->mu[0] = 0.5;
    sticking_normal(p, 1)[1] = 1;  // a floor next to the sleeve: takes from it
    p->F[0] = 0.3 * k + 0.05, p->F[1] = 2;
    // l_b + l_u = 2 with l_u >= 0: l_b <= 2, also very negative: any X
    assert_int_equal(ask(p).answer, DLS_YES);
    sticking_free(p);
    p = sticking_create(2, 1, 0, (const int[]){1});
    sticking_normal(p, 0)[1] = 1, sticking_tangent(p, 0, 0)[0] = 1, p->mu[0] = 0.5;
    p->F[0] = 0.3 * k + 0.05, p->F[1] = k % 2 ? 2 : -2;
    const result r = ask(p);
    assert_int_equal(r.answer, fabs(p->F[0]) <= 1 ? DLS_YES : DLS_NO);
    close_to(r.least.value, fabs(p->F[0]) / 2, 1e-10);
    sticking_free(p);
  }
}

// A sliding bilateral contact: tau = -mu xi |lambda|, either sign.
static void sliding_sleeve(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    at_case("k %d", k);
    sticking *p = sticking_create(2, 1, 1, (const int[]){1, 1});
    const double Y = k & 1 ? 3 : -3, xi = k & 2 ? 1 : -1;
    sticking_normal(p, 0)[1] = 1, sticking_tangent(p, 0, 0)[0] = 1, p->mu[0] = 0.5;
    p->sliding[0] = true, p->xi[0] = xi;
    // a wall that is pushed against when the friction acts to the left
    sticking_normal(p, 1)[0] = 1, sticking_tangent(p, 1, 0)[1] = 1, p->mu[1] = k & 4 ? 0 : 0.1;
    p->F[1] = Y;
    const result r = ask(p);
    // friction -0.5 xi |l_b| in x; the wall carries 0.5 xi |l_b| >= 0
    assert_int_equal(r.answer, xi > 0 ? DLS_YES : DLS_NO);
    sticking_free(p);
  }
}

// --- units and order ----------------------------------------------------------------------------

// What is promised of the least coefficient: both ends are proven, up to the rounding of the data
// (here in units six orders apart), and a value is told between ends that are 1e-6 apart at most.
//                                                                                     eq (stk.6)
static void encloses(const dls_limit *l, double oracle)
{
  assert_true(l->low <= oracle * (1 + 1e-10) && oracle * (1 - 1e-10) <= l->high);
  assert_true(l->low <= l->value && l->value <= l->high);
  assert_true(l->high - l->low <= 1e-6 * l->high);
}

static void invariance(void **state)
{
  (void)state;
  for (int round = 0; round < TRIED(180); round++) {
    at_case("round %d", round);
    const double slope = 0.1 + 0.4 * fabs(uniform()), mu = 0.1 + 0.5 * fabs(uniform());
    sticking *p = incline(slope, uniform(), mu, 3, 1);
    const result before = ask(p);
    // coordinates, contacts and loads in other units
    double D[6];
    for (int i = 0; i < 6; i++) D[i] = pow(10, 3 * uniform());
    const double load = pow(10, 3 * uniform());
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) p->M[i + 6 * j] *= D[i] * D[j];
      p->F[i] *= D[i] * load;
      for (int j = 0; j < 4; j++) sticking_normal(p, j)[i] *= D[i];
      for (int k = 0; k < 8; k++) p->H[i + 6 * k] *= D[i];
    }
    for (int i = 0; i < 6; i++) {  // two contacts change places
      double *a = sticking_normal(p, 0), *b = sticking_normal(p, 2), keep = a[i];
      a[i] = b[i], b[i] = keep;
      for (int k = 0; k < 2; k++) {
        double *s = sticking_tangent(p, 0, k), *t = sticking_tangent(p, 2, k);
        keep = s[i], s[i] = t[i], t[i] = keep;
      }
    }
    const result after = ask(p);
    assert_int_equal(before.answer, after.answer);
    assert_int_equal(before.answer, mu > tan(slope) ? DLS_YES : DLS_NO);
    encloses(&before.least, tan(slope));
    encloses(&after.least, tan(slope));
    sticking_free(p);
  }
}

static void not_asked(void **state)
{
  (void)state;
  sticking *p = sticking_block(2, 2, 1, 5, 10, 15, 0.31);
  dls_status status;
  stuck *s = stuck_run(&p->problem, DLS_ASK(DLS_MFCQ), &status);
  assert_int_equal(s->check.verdict[DLS_CAN_ALL_STICK].answer, DLS_NOT_ASKED);
  assert_false(s->check.limit[DLS_LIMIT_LEAST].asked);
  stuck_free(s);
  p->sliding[0] = p->sliding[1] = true, p->xi[0] = p->xi[1] = 1;
  assert_int_equal(ask(p).answer, DLS_NOT_ASKED);
  sticking_free(p);
}

// A point pressed by 4 and pushed by 1 with mu = 0.2: what is missing is the distance from its
// cone, 0.2 / sqrt(1 + mu^2), in the metric of the mass. A mass that is singular, exactly or up to
// less than the tolerance, has none, and the plain distance counts.
static void singular_mass(void **state)
{
  (void)state;
  const double masses[][3] = {{1, 0, 1}, {4, 0, 1}, {0, 0, 1}, {1, 1 - 1e-14, 1}};  // xx, xy, yy
  for (int k = 0; k < 4; k++) {
    at_case("mass %d", k);
    sticking *p = sticking_create(2, 0, 1, (const int[]){1});
    p->M[0] = masses[k][0], p->M[1] = p->M[2] = masses[k][1], p->M[3] = masses[k][2];
    p->F[0] = -1, p->F[1] = 4, p->mu[0] = 0.2;
    sticking_normal(p, 0)[1] = 1, sticking_tangent(p, 0, 0)[0] = 1;
    const result r = ask(p);
    const bool definite = k < 2;
    const double weight = definite ? sqrt(masses[k][0]) : 1;  // f_x counts 1 / weight
    assert_int_equal(r.answer, DLS_NO);
    assert_true(r.has_force);
    close_to(r.force_size, 0.2 / hypot(weight, 0.2), 1e-7);
    assert_true(strstr(r.by, definite ? "kinetic metric" : "Euclidean metric"));
    sticking_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(singular_mass),   cmocka_unit_test(blocks),
      cmocka_unit_test(missing_force),   cmocka_unit_test(grasp),
      cmocka_unit_test(redundant_grasp), cmocka_unit_test(spatial_incline),
      cmocka_unit_test(thresholds),      cmocka_unit_test(random_yes),
      cmocka_unit_test(random_no),       cmocka_unit_test(sleeves),
      cmocka_unit_test(sliding_sleeve),  cmocka_unit_test(invariance),
      cmocka_unit_test(not_asked),       cmocka_unit_test(metrics),
      cmocka_unit_test(one_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
