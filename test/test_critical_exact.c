// Up to which friction is every load decided? Random problems with sliding contacts in small
// numbers, near degenerate ones among them, against the determinants of all choices as polynomials
// in the coefficient: roots are counted exactly (Sturm). DLS_TEST_SEED and DLS_TEST_ROUNDS make
// other ones.
#include "numbers.h"
#include "problem_maker.h"
#include "rational.h"
#include "sticking.h"

#include <flint/fmpq_poly.h>
#include <flint/fmpq_vec.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_vec.h>
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

enum { CONTACTS = 4, COORDINATES = 4 };

// --- the truth ----------------------------------------------------------------------------------

static bool rubs(const sticking *g, int j)
{
  return g->first[j + 1] > g->first[j];
}

// Frictionless joints have one choice only.
static int choices_of(const sticking *g, int j)
{
  return j < g->m_b && !rubs(g, j) ? 1 : 2;
}

// The column of contact j: its force, pushing or pulling, or its acceleration.       eq (chk.8)
static void put_column(const sticking *g, int j, bool other, const fmpq_t mu, fmpq_mat_t K, int col)
{
  fmpq_t h;
  fmpq_init(h);
  if (j >= g->m_b && !other) {
    fmpq_one(fmpq_mat_entry(K, g->n + j, col));
  } else {
    for (int i = 0; i < g->n; i++) {
      fmpq *at = fmpq_mat_entry(K, i, col);
      rational_set(at, -sticking_normal((sticking *)g, j)[i]);
      if (!rubs(g, j)) continue;
      const double sign = j < g->m_b && other ? -1 : 1;
      rational_set(h, sign * g->xi[g->first[j]] * sticking_tangent((sticking *)g, j, 0)[i]);
      fmpq_addmul(at, h, mu);
    }
  }
  fmpq_clear(h);
}

// The determinant of one choice; with one coefficient everywhere, or with those of the contacts.
static void determinant(const sticking *g, unsigned choice, const fmpq *common, fmpq_t out)
{
  const int m = g->m_b + g->m_u, size = g->n + m;
  fmpq_mat_t K;
  fmpq_t mu;
  fmpq_mat_init(K, size, size), fmpq_init(mu);
  for (int i = 0; i < g->n; i++) {
    for (int k = 0; k < g->n; k++) rational_set(fmpq_mat_entry(K, i, k), g->M[i + g->n * k]);
    for (int j = 0; j < m; j++)
      rational_set(fmpq_mat_entry(K, g->n + j, i), sticking_normal((sticking *)g, j)[i]);
  }
  for (int j = 0; j < m; j++) {
    if (common) fmpq_set(mu, common);
    else rational_set(mu, g->mu[j]);
    put_column(g, j, choice >> j & 1, mu, K, g->n + j);
  }
  fmpq_mat_det(out, K);
  fmpq_mat_clear(K), fmpq_clear(mu);
}

// A positive multiple of the determinant as a polynomial in the coefficient, from its values at
// 0, 1, 2 ...: its degree is at most the number of contacts that rub.
static void polynomial(const sticking *g, unsigned choice, fmpq_poly_t p)
{
  const slong count = g->tangents + 1;
  fmpq *value = _fmpq_vec_init(count);
  fmpz *x = _fmpz_vec_init(count), *y = _fmpz_vec_init(count);
  fmpq_t mu;
  fmpz_t common;
  fmpq_init(mu), fmpz_init_set_ui(common, 1);
  for (slong k = 0; k < count; k++) {
    fmpq_set_si(mu, k, 1), fmpz_set_si(x + k, k);
    determinant(g, choice, mu, value + k);
    fmpz_lcm(common, common, fmpq_denref(value + k));
  }
  for (slong k = 0; k < count; k++) {
    fmpz_divexact(y + k, common, fmpq_denref(value + k));
    fmpz_mul(y + k, y + k, fmpq_numref(value + k));
  }
  fmpq_poly_interpolate_fmpz_vec(p, x, y, count);
  _fmpq_vec_clear(value, count), _fmpz_vec_clear(x, count), _fmpz_vec_clear(y, count);
  fmpq_clear(mu), fmpz_clear(common);
}

// How many different positive roots.
static slong positive_roots(const fmpz_poly_t p)
{
  fmpz_poly_t simple, common;
  slong zeros = 0, negative = 0, positive = 0;
  fmpz_poly_init(simple), fmpz_poly_init(common);
  while (zeros < fmpz_poly_length(p) && fmpz_is_zero(fmpz_poly_get_coeff_ptr(p, zeros))) zeros++;
  fmpz_poly_shift_right(simple, p, zeros);
  fmpz_poly_derivative(common, simple);
  fmpz_poly_gcd(common, common, simple);
  if (fmpz_poly_degree(common) > 0) fmpz_poly_div(simple, simple, common);
  if (fmpz_poly_degree(simple) > 0)
    _fmpz_poly_num_real_roots_sturm(&negative, &positive, simple->coeffs, simple->length);
  fmpz_poly_clear(simple), fmpz_poly_clear(common);
  return positive;
}

// Is there a root between 0 and `end` (INFINITY: anywhere above 0)? Those of p(end / (x + 1)) above
// 0 are the ones.
static bool has_root(const fmpq_poly_t p, double end)
{
  fmpz_poly_t whole;
  fmpq_poly_t scaled;
  fmpq_t v;
  fmpz_poly_init(whole), fmpq_poly_init(scaled), fmpq_init(v);
  if (isinf(end)) {
    fmpq_poly_get_numerator(whole, p);
  } else {
    rational_set(v, end);
    fmpq_poly_rescale(scaled, p, v);
    fmpq_poly_get_numerator(whole, scaled);
    fmpz_poly_reverse(whole, whole, whole->length);
    fmpz_poly_taylor_shift(whole, whole, (fmpz[]){1});
  }
  const bool found = positive_roots(whole) > 0;
  fmpz_poly_clear(whole), fmpq_poly_clear(scaled), fmpq_clear(v);
  return found;
}

// All determinants of one sign: without friction, and then up to `end`.
static bool unique_below(const sticking *g, double end)
{
  const int m = g->m_b + g->m_u;
  int sign = 0;
  bool good = true;
  fmpq_poly_t p;
  fmpq_t first;
  fmpq_poly_init(p), fmpq_init(first);
  for (unsigned choice = 0; choice < 1u << m && good; choice++) {
    bool same = false;  // as another choice
    for (int j = 0; j < m; j++) same |= choice >> j & 1 && choices_of(g, j) == 1;
    if (same) continue;
    polynomial(g, choice, p);
    fmpq_poly_get_coeff_fmpq(first, p, 0);
    if (sign == 0) sign = fmpq_sgn(first);
    good = fmpq_sgn(first) == sign && sign != 0 && !has_root(p, end);
  }
  fmpq_poly_clear(p), fmpq_clear(first);
  return good;
}

// The same with the coefficients of the contacts.
static bool unique_here(const sticking *g)
{
  const int m = g->m_b + g->m_u;
  int sign = 0;
  bool good = true;
  fmpq_t value;
  fmpq_init(value);
  for (unsigned choice = 0; choice < 1u << m && good; choice++) {
    bool same = false;
    for (int j = 0; j < m; j++) same |= choice >> j & 1 && choices_of(g, j) == 1;
    if (same) continue;
    determinant(g, choice, NULL, value);
    if (sign == 0) sign = fmpq_sgn(value);
    good = fmpq_sgn(value) == sign && sign != 0;
  }
  fmpq_clear(value);
  return good;
}

// --- problems -----------------------------------------------------------------------------------

enum { PLAIN, MASSLESS, NEAR, PARALLEL, UNCOUPLED, FAMILIES };
static const char *const family_name[] = {"plain", "massless", "near", "parallel", "uncoupled"};

static double small(rng *r)
{
  static const double numbers[] = {-3, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 3};
  return rng_chance(r, 0.35) ? 0 : numbers[rng_int(r, 0, 9)];
}

static sticking *draw(rng *r, int family)
{
  static const double masses[] = {0.125, 0.375, 1, 2, 3, 5}, friction[] = {0, 0.125, 0.5, 1, 2};
  const int n = rng_int(r, family == UNCOUPLED ? 2 : 1, COORDINATES), m_b = rng_int(r, 0, 2);
  const int m_u = rng_int(r, m_b ? 0 : 1, CONTACTS - 2), m = m_b + m_u;
  int tangents[CONTACTS] = {0};
  for (int j = 0; j < m; j++) tangents[j] = rng_chance(r, 0.8);
  tangents[rng_int(r, 0, m - 1)] = 1;
  sticking *g = sticking_create(n, m_b, m_u, tangents);
  for (int i = 0; i < n; i++) {
    g->M[i * (n + 1)] = family == MASSLESS && rng_chance(r, 0.4) ? 0 : masses[rng_int(r, 0, 5)];
    g->F[i] = small(r);
  }
  for (int j = 0; j < m; j++) {
    double *normal = sticking_normal(g, j),
           *tangent = tangents[j] ? sticking_tangent(g, j, 0) : NULL;
    for (int i = 0; i < n; i++) normal[i] = small(r);
    normal[rng_int(r, 0, n - 1)] = 1;
    const bool parallel = family == PARALLEL && j > 0;
    if (parallel || (family == NEAR && j > 0 && rng_chance(r, 0.6))) {
      const double sign = rng_chance(r, 0.5) ? -1 : 1;
      for (int i = 0; i < n; i++) normal[i] = sign * sticking_normal(g, 0)[i];
      normal[rng_int(r, 0, n - 1)] += ldexp(1, -rng_int(r, parallel ? 14 : 3, 26));
    }
    if (!tangent) continue;
    for (int i = 0; i < n; i++) tangent[i] = small(r);
    // g^T M^-1 h = 0, and not in rounding
    if (family == UNCOUPLED) {
      for (int i = 2; i < n; i++) tangent[i] = 0;
      tangent[0] = g->M[0] * normal[1], tangent[1] = -g->M[n + 1] * normal[0];
    }
    g->mu[j] = friction[rng_int(r, 0, 4)];
    g->sliding[j] = true;
    g->xi[g->first[j]] = rng_chance(r, 0.5) ? 1 : -1;
  }
  // other units of coordinates: rounding differs
  for (int i = 0; i < n; i++) {
    const double unit = ldexp(1, rng_int(r, -20, 20));
    g->M[i * (n + 1)] *= unit * unit, g->F[i] *= unit;
    for (int j = 0; j < m; j++) {
      sticking_normal(g, j)[i] *= unit;
      if (tangents[j]) sticking_tangent(g, j, 0)[i] *= unit;
    }
  }
  return g;
}

// --- the comparison -----------------------------------------------------------------------------

typedef struct tally {
  int asked, finite, infinite, unknown, bounds, border, yes, no, undecided;
} tally;

static const char *comparison_bracket(const sticking *g, const dls_limit *l)
{
  if (l->low > 0 && isfinite(l->low) && !unique_below(g, l->low)) return "low is not below";
  return isfinite(l->high) && unique_below(g, l->high) ? "high is not above" : NULL;
}

static const char *comparison_critical(const sticking *g, const dls_limit *l, tally *t)
{
  const double value = l->value;
  if (isnan(value)) return t->unknown++, NULL;
  if (isinf(value)) return t->infinite++, unique_below(g, INFINITY) ? NULL : "not infinite";
  t->finite++;
  if (value == 0) return unique_below(g, 0x1p-1000) ? "not 0" : NULL;
  // without a bracket it comes from eigenvalues, and a double one is known to the root of rounding
  const double part = isnan(l->high) ? 1e-7 : 1e-9;
  if (!unique_below(g, value * (1 - part))) return "too large";
  return unique_below(g, value * (1 + part)) ? "too small" : NULL;
}

static const char *comparison_bound(const sticking *g, double value, tally *t)
{
  if (isnan(value) || value <= 0) return NULL;
  t->bounds++;
  return unique_below(g, value * (1 - 0x1p-50)) ? NULL : "the bound is not one";
}

static const char *comparison_verdict(const sticking *g, dls_answer answer, tally *t)
{
  if (answer == DLS_UNDECIDED) return t->undecided++, NULL;
  t->yes += answer == DLS_YES, t->no += answer == DLS_NO;
  return (answer == DLS_YES) == unique_here(g) ? NULL : answer == DLS_YES ? "not yes" : "not no";
}

// At a limit that is a short number itself a determinant vanishes, and rounding gives it any sign.
static const char *comparison_border(sticking *g, double limit, tally *t)
{
  dls_check *check = NULL;
  dls_message message = {""};
  const double mu = round(8 * limit) / 8;
  if (!(mu > 0) || !(fabs(mu - limit) < 1e-9)) return NULL;
  for (int j = 0; j < g->m_b + g->m_u; j++)
    if (rubs(g, j)) g->mu[j] = mu;
  if (dls_check_run(&g->problem, NULL, &check, &message) != DLS_OK) return "check fails";
  t->border++;
  const char *fault = comparison_verdict(g, check->verdict[DLS_UNIQUE_FOR_EVERY_LOAD].answer, t);
  dls_check_free(check);
  return fault;
}

static const char *comparison(sticking *g, tally *t)
{
  dls_check *check = NULL;
  dls_message message = {""};
  if (dls_check_run(&g->problem, NULL, &check, &message) != DLS_OK) return "check fails";
  const dls_limit *critical = &check->limit[DLS_LIMIT_CRITICAL];
  const dls_limit *sufficient = &check->limit[DLS_LIMIT_SUFFICIENT];
  const char *fault = NULL;
  t->asked += critical->asked;
  const dls_verdict *v = &check->verdict[DLS_UNIQUE_FOR_EVERY_LOAD];
  if (v->answer != DLS_NOT_ASKED) fault = comparison_verdict(g, v->answer, t);
  if (!fault && critical->asked) fault = comparison_critical(g, critical, t);
  if (!fault && critical->asked) fault = comparison_bracket(g, critical);
  if (!fault && sufficient->asked) fault = comparison_bound(g, sufficient->value, t);
  if (!fault && critical->asked) fault = comparison_border(g, critical->value, t);
  dls_check_free(check);
  return fault;
}

static void say(const sticking *g, const char *fault, int family, unsigned long seed)
{
  print_message("%s: family %s, seed %lu\n", fault, family_name[family], seed);
  for (int i = 0; i < g->n; i++) print_message("%g ", g->M[i * (g->n + 1)]);
  for (int j = 0; j < g->m_b + g->m_u; j++) {
    print_message("\n%s", j < g->m_b ? "bilateral" : "unilateral");
    for (int i = 0; i < g->n; i++) print_message(" %.17g", sticking_normal((sticking *)g, j)[i]);
    if (!rubs(g, j)) continue;
    print_message("; slides %g, mu %g, along", g->xi[g->first[j]], g->mu[j]);
    for (int i = 0; i < g->n; i++) print_message(" %g", sticking_tangent((sticking *)g, j, 0)[i]);
  }
  print_message("\n");
}

static void families(void **state)
{
  (void)state;
  const char *seed_text = getenv("DLS_TEST_SEED"), *rounds_text = getenv("DLS_TEST_ROUNDS");
  const unsigned long base = seed_text ? strtoul(seed_text, NULL, 10) : 1;
  const int rounds = rounds_text ? (int)strtol(rounds_text, NULL, 10) : TRIED(150);
  int wrong = 0;
  for (int family = 0; family < FAMILIES; family++) {
    at_case("%s", family_name[family]);
    tally t = {0};
    for (int k = 0; k < rounds; k++) {
      const unsigned long seed = base * 1000003 + (unsigned long)(k * FAMILIES + family);
      rng r = rng_create(seed);
      sticking *g = draw(&r, family);
      const char *fault = comparison(g, &t);
      if (fault) say(g, fault, family, seed), wrong++;
      sticking_free(g);
    }
    print_message(
        "%-9s %d: %d finite, %d infinite, %d unknown, %d bounds, %d borders; %d yes, %d no, %d "
        "undecided\n",
        family_name[family], t.asked, t.finite, t.infinite, t.unknown, t.bounds, t.border, t.yes,
        t.no, t.undecided);
    assert_true(t.finite > rounds / 20 && t.yes > rounds / 20 && t.no > rounds / 20);
  }
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(families)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
