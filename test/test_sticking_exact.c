// Can all planar contacts stick, and with how much friction? Random problems in small numbers, of
// the kinds where tolerances mislead, against rational arithmetic over all signs of forces.
// DLS_TEST_SEED and DLS_TEST_ROUNDS make other ones.
#include "numbers.h"
#include "problem_maker.h"
#include "rational.h"
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

// --- the truth ----------------------------------------------------------------------------------

static const double *gradient(const sticking *g, int j)
{
  return j < g->m_b ? g->G_b + g->n * j : g->G_u + g->n * (j - g->m_b);
}

static bool held(const sticking *g, int j)
{
  return g->first[j + 1] > g->first[j] && !g->sliding[j];
}

static void put(fmpq *row, double x)
{
  rational_set(row, x);
}

// eq (stk.1) but for the forces' laws
static void add_equations(const sticking *g, linear *s)
{
  const int n = g->n, m = g->m_b + g->m_u;
  for (int i = 0; i < n; i++) {
    fmpq *row = linear_add(s, true);
    for (int j = 0; j < n; j++) put(row + j, g->M[i + n * j]);
    for (int j = 0; j < m; j++) put(row + n + j, -gradient(g, j)[i]);
    for (int k = 0; k < g->tangents; k++) put(row + n + m + k, -g->H[i + n * k]);
    put(row + s->n, g->F[i]);
  }
  for (int j = 0; j < m; j++) {
    fmpq *row = linear_add(s, true);
    for (int i = 0; i < n; i++) put(row + i, gradient(g, j)[i]);
    put(row + s->n, j < g->m_b ? g->b_b[j] : g->b_u[j - g->m_b]);
    for (int k = g->first[j]; k < g->first[j + 1] && held(g, j); k++) {
      fmpq *slip = linear_add(s, true);
      for (int i = 0; i < n; i++) put(slip + i, g->H[i + n * k]);
      put(slip + s->n, g->b_t[k]);
    }
  }
}

// |tau| <= mu sign lambda, or tau = -mu xi sign lambda, and sign lambda >= 0
static void add_laws(const sticking *g, linear *s, unsigned pulling, const fmpq_t common)
{
  const int n = g->n, m = g->m_b + g->m_u;
  fmpq_t mu;
  fmpq_init(mu);
  for (int j = 0; j < m; j++) {
    const int sign = j < g->m_b && pulling >> j & 1 ? -1 : 1, k = g->first[j];
    fmpq_set_si(linear_add(s, false) + n + j, sign, 1);
    if (g->first[j + 1] == k) continue;
    if (common && held(g, j)) fmpq_set(mu, common);
    else rational_set(mu, g->mu[j]);
    for (int side = -1; side <= 1; side += 2) {
      if (g->sliding[j] && side > 0) continue;
      fmpq *row = linear_add(s, g->sliding[j]);
      if (sign > 0) fmpq_set(row + n + j, mu);
      else fmpq_neg(row + n + j, mu);
      fmpq_set_si(row + n + m + k, g->sliding[j] ? (slong)g->xi[k] : side, 1);
    }
  }
  fmpq_clear(mu);
}

// A sign of xi = +-1 divides: mu lambda + xi tau = 0 is tau = -xi mu lambda.
static bool oracle(const sticking *g, const fmpq_t common)
{
  linear s;
  bool found = false;
  linear_init(&s, g->n + g->m_b + g->m_u + g->tangents);
  for (unsigned pulling = 0; pulling < 1u << g->m_b && !found; pulling++) {
    linear_cut(&s, 0);
    add_equations(g, &s);
    add_laws(g, &s, pulling, common);
    found = linear_feasible(&s, NULL, NULL);
  }
  linear_clear(&s);
  return found;
}

static bool oracle_at(const sticking *g, double mu)
{
  fmpq_t common;
  fmpq_init(common);
  rational_set(common, mu);
  const bool yes = oracle(g, common);
  fmpq_clear(common);
  return yes;
}

// --- problems -----------------------------------------------------------------------------------

static double small(rng *r)
{
  static const double numbers[] = {-3, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 3};
  return rng_chance(r, 0.45) ? 0 : numbers[rng_int(r, 0, 9)];
}

static double coefficient(rng *r)
{
  static const double numbers[] = {0, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3};
  return numbers[rng_int(r, 0, 8)];
}

static void draw_mass(sticking *g, rng *r, bool massless)
{
  static const double masses[] = {0.125, 0.375, 1, 2, 3, 4};
  memset(g->M, 0, (size_t)(g->n * g->n) * sizeof *g->M);
  for (int i = 0; i < g->n; i++)
    if (!massless || rng_chance(r, 0.5)) g->M[i * (g->n + 1)] = masses[rng_int(r, 0, 5)];
  if (massless || g->n < 2 || rng_chance(r, 0.7)) return;
  const double x = small(r);  // some coupling: (q_1' + x q_2')^2
  g->M[0] += 1, g->M[1] += x, g->M[g->n] += x, g->M[g->n + 1] += x * x;
}

enum { PLAIN, IMPOSED, MASSLESS, NEAR, WALLS, BETWEEN, FAMILIES };
static const char *const family_name[] = {"plain", "imposed", "massless",
                                          "near",  "walls",   "between"};

// Contacts that are another one's, turned round or slightly changed.
static void relate(sticking *g, rng *r, int family)
{
  const int m = g->m_b + g->m_u;
  for (int j = 1; j < m; j++) {
    if (rng_chance(r, 0.4)) continue;
    double *to = sticking_normal(g, j), *from = sticking_normal(g, 0), size = 0;
    for (int i = 0; i < g->n; i++) size = fmax(size, fabs(from[i]));
    if (family == BETWEEN && size == 0) continue;
    const double sign = rng_chance(r, 0.7) ? -1 : 1;
    for (int i = 0; i < g->n; i++) to[i] = sign * from[i];
    if (family == NEAR) to[rng_int(r, 0, g->n - 1)] += ldexp(1, -rng_int(r, 3, 26));
    if (family == BETWEEN) to[rng_int(r, 0, g->n - 1)] += ldexp(1, -rng_int(r, 33, 42));
    if (g->first[j + 1] == g->first[j] || g->first[1] == 0 || rng_chance(r, 0.4)) continue;
    memcpy(sticking_tangent(g, j, 0), sticking_tangent(g, 0, 0), (size_t)g->n * sizeof *to);
  }
}

static sticking *draw(rng *r, int family)
{
  const int n = rng_int(r, 1, 4), m_b = rng_int(r, 0, 2);
  const int m_u = rng_int(r, m_b ? 0 : 1, 3), m = m_b + m_u;
  int tangents[8] = {0};
  for (int j = 0; j < m; j++) tangents[j] = rng_chance(r, 0.8);
  tangents[rng_int(r, 0, m - 1)] = 1;
  sticking *g = sticking_create(n, m_b, m_u, tangents);
  draw_mass(g, r, family == MASSLESS);
  const bool still = family == IMPOSED;
  for (int i = 0; i < n && !still; i++) g->F[i] = small(r);
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < n; i++) sticking_normal(g, j)[i] = small(r);
    if (!still && rng_chance(r, 0.25)) *(j < m_b ? g->b_b + j : g->b_u + j - m_b) = small(r);
    if (!tangents[j]) continue;
    for (int i = 0; i < n; i++) sticking_tangent(g, j, 0)[i] = small(r);
    if (rng_chance(r, still ? 0.6 : 0.2)) g->b_t[g->first[j]] = small(r);
    g->mu[j] = still && rng_chance(r, 0.7) ? 0 : coefficient(r);
    g->sliding[j] = rng_chance(r, 0.15);
    if (g->sliding[j]) g->xi[g->first[j]] = rng_chance(r, 0.5) ? 1 : -1;
  }
  if (family == NEAR || family == WALLS || family == BETWEEN) relate(g, r, family);
  return g;
}

// What is between the rounding bound and the tolerance, taken for zero.               eq (num.1)
static void round_off(sticking *g)
{
  for (int j = 0; j < g->m_b + g->m_u; j++)
    for (int i = 0; i < g->n; i++)
      sticking_normal(g, j)[i] = ldexp(round(ldexp(sticking_normal(g, j)[i], 20)), -20);
}

static void shuffle(rng *r, int from, int to, int *order)
{
  for (int i = from; i < to; i++) order[i] = i;
  for (int i = to - 1; i > from; i--) {
    const int k = rng_int(r, from, i), kept = order[i];
    order[i] = order[k], order[k] = kept;
  }
}

// The same problem, with coordinates and contacts in another order.
static sticking *reorder(sticking *g, rng *r)
{
  const int m = g->m_b + g->m_u;
  int coordinate[8], contact[8], tangents[8];
  shuffle(r, 0, g->n, coordinate), shuffle(r, 0, g->m_b, contact), shuffle(r, g->m_b, m, contact);
  for (int j = 0; j < m; j++) tangents[j] = g->first[contact[j] + 1] - g->first[contact[j]];
  sticking *h = sticking_create(g->n, g->m_b, g->m_u, tangents);
  for (int i = 0; i < g->n; i++) {
    h->F[i] = g->F[coordinate[i]];
    for (int k = 0; k < g->n; k++) h->M[i + g->n * k] = g->M[coordinate[i] + g->n * coordinate[k]];
  }
  for (int j = 0; j < m; j++) {
    const int from = contact[j];
    for (int i = 0; i < g->n; i++)
      sticking_normal(h, j)[i] = sticking_normal(g, from)[coordinate[i]];
    if (j < g->m_b) h->b_b[j] = g->b_b[from];
    else h->b_u[j - g->m_b] = g->b_u[from - g->m_b];
    if (!tangents[j]) continue;
    for (int i = 0; i < g->n; i++)
      sticking_tangent(h, j, 0)[i] = sticking_tangent(g, from, 0)[coordinate[i]];
    h->b_t[h->first[j]] = g->b_t[g->first[from]], h->xi[h->first[j]] = g->xi[g->first[from]];
    h->mu[j] = g->mu[from], h->sliding[j] = g->sliding[from];
  }
  return h;
}

// --- the comparison -----------------------------------------------------------------------------

typedef struct tally {
  int yes, no, undecided, infinite, zero, approached, between, unknown, unproven;
} tally;

static void say(const sticking *g, const char *what, unsigned long seed, int family)
{
  print_message("%s: family %s, seed %lu\n", what, family_name[family], seed);
  for (int i = 0; i < g->n; i++) {
    for (int j = 0; j < g->n; j++) print_message("%g ", g->M[i + g->n * j]);
    print_message(" F %g\n", g->F[i]);
  }
  for (int j = 0; j < g->m_b + g->m_u; j++) {
    print_message("%s", j < g->m_b ? "bilateral" : "unilateral");
    for (int i = 0; i < g->n; i++) print_message(" %.17g", gradient(g, j)[i]);
    print_message(", b %g", j < g->m_b ? g->b_b[j] : g->b_u[j - g->m_b]);
    for (int k = g->first[j]; k < g->first[j + 1]; k++) {
      print_message("; slip");
      for (int i = 0; i < g->n; i++) print_message(" %g", g->H[i + g->n * k]);
      print_message(", b_t %g, mu %g%s", g->b_t[k], g->mu[j], g->sliding[j] ? ", slides" : "");
    }
    print_message("\n");
  }
}

static bool asked(const sticking *g)
{
  for (int j = 0; j < g->m_b + g->m_u; j++)
    if (held(g, j)) return true;
  return false;
}

static dls_answer ask(const sticking *g, dls_limit *least)
{
  dls_status status;
  stuck *s = stuck_run(&g->problem, 0, &status);
  assert_int_equal(status, DLS_OK);
  const dls_answer answer = stuck_verify(&g->problem, &s->check);
  if (least) *least = s->check.limit[DLS_LIMIT_LEAST];
  stuck_free(s);
  return answer;
}

static bool fraction_of(double x, fmpq_t out)
{
  for (int q = 1; q < 3000; q++)
    if (fabs(x * q - round(x * q)) <= 1e-13 * x * q && round(x * q) < 1e6)
      return fmpq_set_si(out, (slong)round(x * q), (ulong)q), true;
  return false;
}

// NULL: right; otherwise what is wrong.
static const char *comparison_least(const sticking *g, const dls_limit *l, tally *t)
{
  fmpq_t at;
  if (isnan(l->value)) {
    t->unknown++;
    if (l->low > 0 && oracle_at(g, l->low)) return "low is enough";
    return isfinite(l->high) && !oracle_at(g, l->high) ? "high is not enough" : NULL;
  }
  if (isinf(l->value)) {
    t->infinite++;
    return oracle_at(g, 0x1p200) ? "not infinite" : NULL;
  }
  if (l->value == 0) {
    const bool attained = oracle_at(g, 0);
    t->zero++;
    if (!oracle_at(g, 0x1p-200)) return "0 is not enough";
    return l->attained != (attained ? DLS_NO : DLS_YES) ? NULL : "attained at 0";
  }
  if (!(l->low <= l->value && l->value <= l->high)) return "not in its bracket";
  if (l->high - l->low > (l->attained == DLS_YES ? 1e-9 : 2e-6) * l->high) return "a wide bracket";
  if (!l->above || !l->below) t->unproven++;
  if (oracle_at(g, l->low)) return "less is enough";
  if (!oracle_at(g, l->high)) return "high is not enough";
  t->between++, t->approached += l->attained == DLS_NO;
  fmpq_init(at);
  const bool simple = fraction_of(l->value, at);
  const bool yes = simple && oracle(g, at);
  fmpq_clear(at);
  if (simple && l->attained == DLS_YES && !yes) return "not attained";
  if (simple && l->attained == DLS_NO && yes) return "attained";
  return NULL;
}

static const char *comparison(const sticking *g, dls_limit *least, tally *t)
{
  const dls_answer answer = ask(g, least);
  t->yes += answer == DLS_YES, t->no += answer == DLS_NO, t->undecided += answer == DLS_UNDECIDED;
  if (answer == DLS_UNDECIDED) return NULL;
  return (answer == DLS_YES) == oracle(g, NULL) ? NULL : answer == DLS_YES ? "not yes" : "not no";
}

// Between the bounds there are two readings. Forces that hold all contacts in one of them do so up
// to the tolerance; that there are none must be true in both.
static const char *comparison_both(sticking *g, dls_limit *least, tally *t)
{
  const dls_answer answer = ask(g, least);
  const bool given = oracle(g, NULL);
  round_off(g);
  const bool rounded = oracle(g, NULL);
  t->yes += answer == DLS_YES, t->no += answer == DLS_NO, t->undecided += answer == DLS_UNDECIDED;
  if (answer == DLS_YES && !given && !rounded) return "yes, in no reading";
  return answer == DLS_NO && (given || rounded) ? "no, but not in both readings" : NULL;
}

// In another order: no other answer.
static const char *comparison_order(sticking *g, const dls_limit *least, rng *r)
{
  dls_limit other, again;
  sticking *h = reorder(g, r);
  const dls_answer one = ask(g, &again), two = ask(h, &other);
  sticking_free(h);
  if (one != two && one != DLS_UNDECIDED && two != DLS_UNDECIDED) return "another order";
  if (isnan(least->value) || isnan(other.value) || least->value == other.value) return NULL;
  return fabs(other.value - least->value) <= 2e-6 * least->value ? NULL : "least in another order";
}

// Monotone, and yes from the least coefficient on.
static const char *sweep(sticking *g, const dls_limit *least, tally *t)
{
  static const double factors[] = {0.5, 1 - 1e-3, 1 - 1e-6, 1 + 1e-7, 1 + 1e-5, 1 + 1e-3, 3};
  const bool middle = least->value > 0 && isfinite(least->value);
  dls_limit other;
  for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
    const double mu = (middle ? least->value : 1) * factors[k];
    for (int j = 0; j < g->m_b + g->m_u; j++)
      if (held(g, j)) g->mu[j] = mu;
    const dls_answer answer = ask(g, &other);
    const bool yes = isnan(least->value) ? oracle_at(g, mu) : mu > least->value;
    t->undecided += answer == DLS_UNDECIDED;
    if (answer != DLS_UNDECIDED && (answer == DLS_YES) != yes) return "not monotone";
    if (isnan(least->value) || isinf(least->value)) continue;
    if (!isnan(other.value) && fabs(other.value - least->value) > 1e-9 * least->value)
      return "the least coefficient depends on the coefficients";
  }
  return NULL;
}

static void families(void **state)
{
  (void)state;
  const char *seed_text = getenv("DLS_TEST_SEED"), *rounds_text = getenv("DLS_TEST_ROUNDS");
  const unsigned long base = seed_text ? strtoul(seed_text, NULL, 10) : 1;
  const int rounds = rounds_text ? atoi(rounds_text) : TRIED(160);
  int wrong = 0;
  for (int family = 0; family < FAMILIES; family++) {
    at_case("%s", family_name[family]);
    tally t = {0};
    int count = 0;
    for (int k = 0; k < rounds; k++) {
      const unsigned long seed = base * 1000003 + (unsigned long)(k * FAMILIES + family);
      rng r = rng_create(seed);
      sticking *g = draw(&r, family);
      dls_limit least;
      if (asked(g)) {
        const char *fault =
            family == BETWEEN ? comparison_both(g, &least, &t) : comparison(g, &least, &t);
        if (!fault && family != BETWEEN) fault = comparison_least(g, &least, &t);
        if (!fault && family != BETWEEN) fault = comparison_order(g, &least, &r);
        if (!fault && family != BETWEEN && k % 4 == 0) fault = sweep(g, &least, &t);
        if (fault) say(g, fault, seed, family), wrong++;
        if (fault)
          print_message("least %.17g [%.17g, %.17g] attained %d\n", least.value, least.low,
                        least.high, least.attained);
        count++;
      }
      sticking_free(g);
    }
    print_message("%-9s %d: %d yes, %d no, %d undecided; least: %d infinite, %d zero, %d between "
                  "(%d approached), %d unknown, %d unproven\n",
                  family_name[family], count, t.yes, t.no, t.undecided, t.infinite, t.zero,
                  t.between, t.approached, t.unknown, t.unproven);
    assert_true(t.yes > rounds / 50 && t.no > rounds / 10);
    if (family == BETWEEN) continue;  // undecided is what is asked for
    // nearly parallel contacts may need forces that doubles cannot be checked with
    assert_true(t.undecided <= rounds / (family == NEAR ? 6 : 20) && t.unknown <= rounds / 20);
  }
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(families)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
