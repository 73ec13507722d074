// Sliding friction: closed forms (Painleve, Painleve-Klein, the ladder), random systems against
// exact arithmetic (FLINT) and against each other, invariance, bad input.
#include "certify/sliding.h"
#include "linalg/dense.h"
#include "numbers.h"

#include <flint/fmpz_mat.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "cases.h"

enum { LARGEST = 24 };

typedef struct system {
  dls_sliding data;
  double A_n[LARGEST * LARGEST], A_t[LARGEST * LARGEST], mu[LARGEST];
  bool frictional[LARGEST];
} system_of;

static void shape(system_of *s, int m_b, int m_u)
{
  memset(s, 0, sizeof *s);
  s->data = (dls_sliding){m_b, m_u, s->A_n, s->A_t, s->mu, s->frictional, false, 0, 0};
  for (int j = 0; j < m_b + m_u; j++) s->frictional[j] = true;
}

// A_n = G^T M^-1 G, A_t = G^T M^-1 H [xi]; mass: the diagonal of M.
static void assemble(system_of *s, int n, const double *mass, const double *G, const double *H,
                     const double *xi)
{
  const int m = s->data.m_b + s->data.m_u;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      s->A_n[i + m * j] = s->A_t[i + m * j] = 0;
      for (int k = 0; k < n; k++) {
        s->A_n[i + m * j] += G[k + n * i] * G[k + n * j] / mass[k];
        s->A_t[i + m * j] += G[k + n * i] * H[k + n * j] * xi[j] / mass[k];
      }
    }
}

static void set_mu(system_of *s, double mu)
{
  for (int j = 0; j < s->data.m_b + s->data.m_u; j++) s->mu[j] = mu;
}

static dls_sliding_verdict unique(const system_of *s, const double *mu)
{
  dls_sliding_verdict v;
  int first[LARGEST], second[LARGEST];
  assert_int_equal(dls_sliding_unique(&s->data, mu, first, second, &v), DLS_OK);
  if (v.answer == DLS_NO) {
    assert_true(v.has_witness && isnan(v.margin));
    // opposite signs, or the first is zero within its error
    assert_true(v.determinant_first * v.determinant_second < 0 ||
                fabs(v.determinant_first) <= 1e-12);
  }
  return v;
}

static dls_answer answer_at(system_of *s, double mu)
{
  set_mu(s, mu);
  return unique(s, NULL).answer;
}

static double critical(const system_of *s)
{
  dls_sliding_limit limit;
  assert_int_equal(dls_sliding_critical(&s->data, &limit), DLS_OK);
  if (isfinite(limit.value) && limit.value > 0) {
    assert_true(limit.low <= limit.value && limit.value <= limit.high);
    assert_true(limit.high - limit.low <= 1e-9 * limit.high);
  }
  return limit.value;
}

static double sufficient(const system_of *s)
{
  dls_sliding_bounds bounds;
  assert_int_equal(dls_sliding_sufficient(&s->data, &bounds), DLS_OK);
  for (int k = 0; k < bounds.count; k++) assert_true(bounds.bound[k].value <= bounds.sufficient);
  return bounds.sufficient;
}

// ---- closed forms ------------------------------------------------------------------------------

// Rod of length 2, mass 1, one end on the floor: critical (4 + tan^2) / (3 tan).
static void painleve(void **state)
{
  (void)state;
  system_of s;
  shape(&s, 0, 1);
  for (double tangent = 0.25; tangent < 8; tangent *= 1.5) {
    const double angle = atan(tangent), mass[] = {1, 1, 1.0 / 3};
    for (int xi = -1; xi <= 1; xi += 2) {
      at_case("tangent %g, xi %d", tangent, xi);
      const double G[] = {0, 1, -cos(angle)}, H[] = {1, 0, sin(angle)}, direction = -xi;
      assemble(&s, 3, mass, G, H, &direction);
      const double exact = xi > 0 ? (4 + tangent * tangent) / (3 * tangent) : INFINITY;
      set_mu(&s, 0);
      if (xi > 0) {
        close_to(critical(&s), exact, 1e-12 * exact);
        // one contact: the sufficient bound is exact
        close_to(sufficient(&s), exact, 1e-12 * exact);
        assert_true(sufficient(&s) <= exact);
      } else {
        assert_true(isinf(critical(&s)));
      }
      assert_int_equal(answer_at(&s, xi > 0 ? exact * (1 - 1e-9) : 1e9), DLS_YES);
      if (xi > 0) assert_int_equal(answer_at(&s, exact * (1 + 1e-9)), DLS_NO);
    }
  }
  const double angle = atan(2), mass[] = {1, 1, 1.0 / 3};
  const double G[] = {0, 1, -cos(angle)}, H[] = {1, 0, sin(angle)}, direction = -1;
  assemble(&s, 3, mass, G, H, &direction);
  close_to(critical(&s), 4.0 / 3, 1e-13);
}

// Rod of length 1, mass 1, ends in two parallel guides.
static void klein(system_of *s, double angle)
{
  shape(s, 2, 0);
  const double mass[] = {1, 1, 1.0 / 12}, c = cos(angle) / 2, d = sin(angle) / 2;
  const double G[] = {0, 1, -c, 0, 1, c}, H[] = {1, 0, d, 1, 0, -d}, xi[] = {1, 1};
  assemble(s, 3, mass, G, H, xi);
}

static void painleve_klein(void **state)
{
  (void)state;
  const double angles[] = {0.6, 0.78539816339744830962, 1};
  const double bounds[] = {0.7152775851, 2.0 / 3, 0.6420926159};
  system_of s;
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    klein(&s, angles[k]);
    close_to(sufficient(&s), bounds[k], 1e-10);
    close_to(critical(&s), 1 / tan(angles[k]), 1e-12);
    dls_sliding_bounds all;
    assert_int_equal(dls_sliding_sufficient(&s.data, &all), DLS_OK);
    assert_int_equal(all.count, 2);
    close_to(all.bound[1].value, bounds[k] / 3, 1e-10);
    // unique for every load <=> mu1 + mu2 < 2 / tan(angle)
    for (int i = 0; i < 400; i++) {
      const double mu[] = {4 * fabs(uniform()), 4 * fabs(uniform())};
      const double gap = mu[0] + mu[1] - 2 / tan(angles[k]);
      if (fabs(gap) < 1e-10) continue;
      assert_int_equal(unique(&s, mu).answer, gap < 0 ? DLS_YES : DLS_NO);
    }
    const double on[] = {1 / tan(angles[k]), 1 / tan(angles[k])};
    assert_int_equal(unique(&s, on).answer, DLS_NO);  // zero within rounding
  }
}

// Ladder of length 2, mass 1, at pi/4 from the vertical: wall bilateral, floor unilateral.
static void ladder_at(system_of *s, double angle, double xi_b, double xi_u)
{
  shape(s, 1, 1);
  const double mass[] = {1, 1, 1.0 / 3}, c = cos(angle), d = sin(angle), xi[] = {xi_b, xi_u};
  const double G[] = {1, 0, -c, 0, 1, d}, H[] = {0, 1, -d, 1, 0, c};
  assemble(s, 3, mass, G, H, xi);
}

static void ladder(void **state)
{
  (void)state;
  const double directions[][2] = {{-1, 1}, {1, 1}, {1, -1}, {-1, -1}};
  const double bounds[] = {0.7518958544, 0.4083965964, 0.4555546822, 0.5609701996};
  system_of s;
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    ladder_at(&s, atan(1), directions[k][0], directions[k][1]);
    dls_sliding_bounds all;
    assert_int_equal(dls_sliding_sufficient(&s.data, &all), DLS_OK);
    close_to(all.beta, 1.0990190470, 1e-10);
    close_to(all.sufficient, bounds[k], 1e-10);
    assert_true(critical(&s) >= all.sufficient);
  }
  ladder_at(&s, atan(1), -1, 1);
  close_to(critical(&s), 1, 1e-12);
  assert_int_equal(answer_at(&s, 1 - 1e-9), DLS_YES);
  assert_int_equal(answer_at(&s, 1 + 1e-9), DLS_NO);
}

// ---- random systems ----------------------------------------------------------------------------

// k coordinates of mass 1, random gradients and slips; the diagonal of A_n is about `k / 3`.
static void draw(system_of *s, int m_b, int m_u, int k, double slip)
{
  const int m = m_b + m_u;
  double G[LARGEST * LARGEST], H[LARGEST * LARGEST], mass[LARGEST], xi[LARGEST];
  shape(s, m_b, m_u);
  for (int i = 0; i < k * m; i++) G[i] = uniform(), H[i] = slip * uniform();
  for (int i = 0; i < k; i++) mass[i] = 0.5 + fabs(uniform());
  for (int j = 0; j < m; j++) xi[j] = below(2) ? 1 : -1;
  assemble(s, k, mass, G, H, xi);
}

// The sign of each determinant by exact arithmetic, for integer data.
static bool exact_unique(const system_of *s)
{
  const int b = s->data.m_b, m = b + s->data.m_u;
  int reference = 0;
  bool one = true;
  fmpz_mat_t A;
  fmpz_t det;
  fmpz_mat_init(A, m, m), fmpz_init(det);
  for (unsigned c = 0; c < 1u << m && one; c++) {
    for (int j = 0; j < m; j++)
      for (int i = 0; i < m; i++) {
        const double t = s->frictional[j] ? s->mu[j] * s->A_t[i + m * j] : 0, n = s->A_n[i + m * j];
        const bool bit = c >> j & 1;
        const double open = i == j, closed = n - t;
        fmpz_set_d(fmpz_mat_entry(A, i, j), j < b ? (bit ? n + t : n - t) : bit ? closed : open);
      }
    fmpz_mat_det(det, A);
    const int sign = fmpz_sgn(det);
    if (c == 0) reference = sign;
    one = sign == reference && sign != 0;
  }
  fmpz_mat_clear(A), fmpz_clear(det);
  return one;
}

static void integers(void **state)
{
  (void)state;
  int yes = 0, no = 0;
  for (int t = 0; t < 4000; t++) {
    at_case("t %d", t);
    const int m_b = below(4), m_u = below(4), m = m_b + m_u;
    if (m == 0) continue;
    system_of s;
    shape(&s, m_b, m_u);
    int X[64];
    for (int k = 0; k < m * m; k++) X[k] = below(5) - 2;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        s.A_t[i + m * j] = below(3) - 1;
        s.A_n[i + m * j] = i == j ? 2 : 0;
        for (int k = 0; k < m; k++) s.A_n[i + m * j] += X[i + m * k] * X[j + m * k];
      }
    for (int j = 0; j < m; j++) s.mu[j] = below(5), s.frictional[j] = below(5) > 0;
    const bool oracle = exact_unique(&s);
    assert_int_equal(unique(&s, NULL).answer, oracle ? DLS_YES : DLS_NO);
    oracle ? yes++ : no++;
  }
  print_message("%d yes, %d no\n", yes, no);
  assert_true(yes > 500 && no > 500);
}

// Never above the limit, which scanning confirms.
static void bounds_and_limits(void **state)
{
  (void)state;
  int finite = 0, infinite = 0, unknown = 0, mixed = 0, undecided = 0;
  double closest = 0;
  for (int t = 0; t < 3000; t++) {
    at_case("t %d", t);
    const int m_b = below(4), m_u = below(4), m = m_b + m_u;
    if (m == 0) continue;
    system_of s;
    draw(&s, m_b, m_u, m + below(4), t % 2 ? 1 : 0.2);
    for (int j = 0; j < m; j++) s.frictional[j] = below(6) > 0;
    const double limit = critical(&s), bound = sufficient(&s);
    if (isnan(limit)) {
      unknown++;
      continue;
    }
    if (!isnan(bound)) {
      if (!(bound <= limit)) fail_msg("bound %.17g above the limit %.17g", bound, limit);
      if (isfinite(limit)) closest = fmax(closest, bound / limit);
      mixed += m_b > 0 && m_u > 0;
    }
    isfinite(limit) ? finite++ : infinite++;
    const double top = isfinite(limit) ? limit : 1e3;
    for (int k = 0; k < 11; k++)
      assert_int_equal(answer_at(&s, top * (1 + uniform()) / 2 * (1 - 1e-7)), DLS_YES);
    if (!isfinite(limit)) continue;
    // so near, the uncertainty of the data may count: never the wrong answer, rarely none
    const dls_answer below_it = answer_at(&s, limit * (1 - 1e-8));
    const dls_answer above_it = answer_at(&s, limit * (1 + 1e-8));
    assert_true(below_it != DLS_NO && above_it != DLS_YES);
    undecided += (below_it == DLS_UNDECIDED) + (above_it == DLS_UNDECIDED);
  }
  print_message(
      "%d finite, %d infinite, %d unknown, %d mixed, %d undecided at 1e-8; bound up to %.3f "
      "of the limit\n",
      finite, infinite, unknown, mixed, undecided, closest);
  assert_true(finite > 1500 && infinite > 100 && unknown == 0 && mixed > 500 && undecided < 30);
}

// Order and powers of two in the units of the contacts: forces of contact j in units of c_j. The
// limit and the answers stay, the bounds (in the user's units) need not.
static void invariance(void **state)
{
  (void)state;
  for (int t = 0; t < 500; t++) {
    at_case("t %d", t);
    const int m_b = below(4), m_u = below(4), m = m_b + m_u;
    if (m == 0) continue;
    system_of s, other;
    draw(&s, m_b, m_u, m + 2, 1);
    shape(&other, m_b, m_u);
    int order[8], unit[8];
    for (int j = 0; j < m; j++) order[j] = j, unit[j] = below(40) - 20;
    if (m_b > 1) order[0] = 1, order[1] = 0;
    if (m_u > 1) order[m_b] = m - 1, order[m - 1] = m_b;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        const int from = order[i] + m * order[j];
        other.A_n[i + m * j] = ldexp(s.A_n[from], unit[i] + unit[j]);
        other.A_t[i + m * j] = ldexp(s.A_t[from], unit[i] + unit[j]);
      }
    const double a = critical(&s), b = critical(&other);
    if (isfinite(a)) close_to(a, b, 1e-9 * a);
    else assert_true(isinf(b));
    for (int k = 0; k < 5; k++) {
      const double mu = fabs(uniform()) * (isfinite(a) ? 2 * a : 10);
      assert_int_equal(answer_at(&s, mu), answer_at(&other, mu));
    }
    // turning a bilateral contact (h to -h) changes nothing either
    if (m_b > 0) {
      for (int i = 0; i < m; i++) {
        if (i != 0) s.A_n[i] = -s.A_n[i], s.A_n[m * i] = -s.A_n[m * i];
        if (i != 0) s.A_t[m * i] = -s.A_t[m * i];
        // column 0 of A_t: the slip stays, the row 0 turns
      }
      s.A_t[0] = -s.A_t[0];
      const double turned = critical(&s);
      if (isfinite(a)) close_to(a, turned, 1e-9 * a);
      else assert_true(isinf(turned));
    }
  }
}

// ---- the mixed bound, from its definition ------------------------------------------------------

// M_ub^mu by its four blocks.
static void mixed_matrix(const system_of *s, double mu, double *M)
{
  const int b = s->data.m_b, u = s->data.m_u, m = b + u;
  double A[64], right[128], X[128], rcond;
  for (int i = 0; i < b; i++)
    for (int j = 0; j < m; j++) {
      const double n = s->A_n[i + m * j], t = mu * s->A_t[i + m * j];
      if (j < b) A[i + b * j] = n - t;
      right[i + b * j] = j < b ? n + t : -(n - t);
    }
  assert_int_equal(dls_solve(b, m, A, right, X, &rcond), DLS_OK);
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < b; i++) M[i + m * j] = X[i + b * j];
    for (int i = b; i < m; i++) {
      const double n = s->A_n[i + m * j], t = mu * s->A_t[i + m * j];
      double sum = j < b ? -(n + t) : n - t;
      for (int k = 0; k < b; k++)
        sum += (s->A_n[i + m * k] - mu * s->A_t[i + m * k]) * X[k + b * j];
      M[i + m * j] = sum;
    }
  }
}

static double norm(int m, const double *A)
{
  double singular[8];
  assert_int_equal(dls_svd(m, m, A, NULL, singular, NULL), DLS_OK);
  return singular[0];
}

// beta_2 is never below |(I - D + D M)^-1 D| at any d in the box, and attained; the bound is where
// the norm first reaches 1/beta_2, or where the bilateral block may fail.
static void mixed_bound(void **state)
{
  (void)state;
  int crossings = 0;
  for (int t = 0; t < 150; t++) {
    at_case("t %d", t);
    const int b = 1 + below(3), u = 1 + below(3), m = b + u;
    system_of s;
    draw(&s, b, u, m + 2, 1);
    dls_sliding_bounds all;
    assert_int_equal(dls_sliding_sufficient(&s.data, &all), DLS_OK);
    if (all.count == 0) continue;
    double M_0[64], M[64], A[64], D[64], X[64], rcond, best = 0;
    mixed_matrix(&s, 0, M_0);
    for (int sample = 0; sample < 400; sample++) {
      for (int i = 0; i < m; i++) {
        const double d = sample < 200 ? below(2) : fabs(uniform());
        for (int j = 0; j < m; j++) {
          A[i + m * j] = (i == j ? 1 - d : 0) + d * M_0[i + m * j];
          D[i + m * j] = i == j ? d : 0;
        }
      }
      assert_int_equal(dls_solve(m, m, A, D, X, &rcond), DLS_OK);
      const double value = norm(m, X);
      assert_true(value <= all.beta);
      best = fmax(best, value);
    }
    if (m <= 4) close_to(best, all.beta, 1e-9 * best);
    for (int k = 0; k < 200; k++) {
      const double mu = all.sufficient * (k < 199 ? (1 + uniform()) / 2 : 1);
      mixed_matrix(&s, mu, M);
      for (int i = 0; i < m * m; i++) M[i] -= M_0[i];
      assert_true(norm(m, M) <= (1 + 1e-12) / all.beta);
    }
    crossings += norm(m, M) >= (1 - 1e-9) / all.beta;
  }
  print_message("%d of 150 end at the crossing\n", crossings);
  assert_true(crossings > 120);
}

// Which bounds apply, by name.
static void names(void **state)
{
  (void)state;
  const struct {
    int m_b, m_u;
    bool eliminated;
    int count;
    const char *by;
  } cases[] = {
      {2, 0, false, 2, "TUT Prop. 9, theory §8:"},  {2, 0, true, 1, "TUT Prop. 11, theory §8:"},
      {0, 2, false, 1, "TUT Prop. 12, theory §8:"}, {0, 2, true, 1, "TUT Prop. 14, theory §8:"},
      {1, 1, false, 1, "TUT Prop. 13, theory §8:"}, {1, 1, true, 1, "TUT Prop. 13, theory §8:"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    system_of s;
    draw(&s, cases[k].m_b, cases[k].m_u, 4, 1);
    s.data.eliminated = cases[k].eliminated;
    dls_sliding_bounds bounds;
    assert_int_equal(dls_sliding_sufficient(&s.data, &bounds), DLS_OK);
    assert_int_equal(bounds.count, cases[k].count);
    assert_memory_equal(bounds.by, cases[k].by, strlen(cases[k].by));
  }
}

static double seconds(void)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sizes(void **state)
{
  (void)state;
  system_of s;
  // none
  shape(&s, 0, 0);
  assert_int_equal(unique(&s, NULL).answer, DLS_YES);
  assert_true(isinf(critical(&s)) && isinf(sufficient(&s)));
  // no friction
  draw(&s, 2, 2, 6, 0);
  assert_true(isinf(critical(&s)) && isinf(sufficient(&s)));
  // redundant without friction: three feet on a line
  shape(&s, 0, 3);
  for (int k = 0; k < 9; k++) s.A_n[k] = 1, s.A_t[k] = 0.1;
  assert_true(critical(&s) == 0 && isnan(sufficient(&s)));
  assert_int_equal(answer_at(&s, 0), DLS_NO);

  double start = seconds();
  for (int t = 0; t < 2000; t++) {
    at_case("t %d", t);
    ladder_at(&s, 0.2 + 1e-4 * t, -1, 1);
    critical(&s);
  }
  const double each = (seconds() - start) / 2000;
  start = seconds();
  for (int t = 0; t < 2000; t++) {
    at_case("t %d", t);
    ladder_at(&s, 0.2 + 1e-4 * t, -1, 1);
    sufficient(&s);
  }
  print_message("two contacts: limit %.1f us, bound %.1f us\n", 1e6 * each,
                1e6 * (seconds() - start) / 2000);
  for (int m = 10; m <= 12; m += 2) {
    at_case("m %d", m);
    draw(&s, m / 2, m - m / 2, m + 4, 0.3);
    start = seconds();
    const double limit = critical(&s), bound = sufficient(&s);
    print_message("m = %d: limit %.6f, bound %.6f, %.2f s\n", m, limit, bound, seconds() - start);
    assert_true(isfinite(limit) && bound <= limit && bound > 0);
  }
  draw(&s, 10, 10, 24, 0.1);
  set_mu(&s, 1e-3);
  start = seconds();
  assert_int_equal(unique(&s, NULL).answer, DLS_YES);
  print_message("m = 20: %.2f s\n", seconds() - start);
  set_mu(&s, 1e3);
  assert_int_equal(unique(&s, NULL).answer, DLS_NO);
  assert_true(isnan(critical(&s)));
  // beyond: tests that decide sometimes
  for (int m_b = 0; m_b <= 22; m_b += 11) {
    at_case("m_b %d", m_b);
    draw(&s, m_b, 22 - m_b, 24, 0.1);
    for (int i = 0; i < 22; i++) s.A_n[i * 23] += 20;
    set_mu(&s, 1e-2);
    assert_int_equal(unique(&s, NULL).answer, DLS_YES);
    set_mu(&s, 1e4);
    assert_int_equal(unique(&s, NULL).answer, DLS_NO);
  }
}

static void bad_input(void **state)
{
  (void)state;
  system_of s;
  dls_sliding_verdict v;
  dls_sliding_limit limit;
  dls_sliding_bounds bounds;
  int first[4], second[4];
  draw(&s, 1, 1, 4, 1);
  s.mu[1] = NAN;
  assert_int_equal(dls_sliding_unique(&s.data, NULL, first, second, &v), DLS_ERR_NUMBER);
  s.mu[1] = -1;
  assert_int_equal(dls_sliding_unique(&s.data, NULL, first, second, &v), DLS_ERR_ARGUMENT);
  s.mu[1] = 0;
  const double bad[] = {0, INFINITY};
  assert_int_equal(dls_sliding_unique(&s.data, bad, first, second, &v), DLS_ERR_NUMBER);
  s.A_t[2] = NAN;
  assert_int_equal(dls_sliding_unique(&s.data, NULL, first, second, &v), DLS_ERR_NUMBER);
  assert_int_equal(dls_sliding_critical(&s.data, &limit), DLS_ERR_NUMBER);
  assert_int_equal(dls_sliding_sufficient(&s.data, &bounds), DLS_ERR_NUMBER);
  assert_true(isnan(limit.value) && isnan(bounds.sufficient) && v.answer == DLS_UNDECIDED);
  s.A_t[2] = 0, s.A_n[1] += 1;
  assert_int_equal(dls_sliding_critical(&s.data, &limit), DLS_ERR_ARGUMENT);
  s.data.m_b = -1;
  assert_int_equal(dls_sliding_critical(&s.data, &limit), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(painleve),
      cmocka_unit_test(painleve_klein),
      cmocka_unit_test(ladder),
      cmocka_unit_test(integers),
      cmocka_unit_test(bounds_and_limits),
      cmocka_unit_test(invariance),
      cmocka_unit_test(mixed_bound),
      cmocka_unit_test(names),
      cmocka_unit_test(sizes),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
