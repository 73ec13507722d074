// Random impacts: Moreau's velocities against an enumeration, energy, the order of contacts, other
// coordinates, other units; Newton's law against its definition; friction.
#include "impact_maker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static double largest(int n, const double *x)
{
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

static void same_vectors(int n, const double *a, const double *b, double tolerance)
{
  const double size = fmax(largest(n, a), largest(n, b));
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance * size))
      fail_msg("entry %d: %.17g and %.17g, largest %g", i, a[i], b[i], size);
}

// Momentum, bilateral contacts, signs, complementarity: recomputed, nothing of the library used.
static void check_moreau(const impact_case *c, const dls_impact_motion *m)
{
  const int n = c->n;
  const double size = 1 + largest(n, m->jump);
  for (int i = 0; i < n; i++) {
    long double sum = 0, terms = 1;
    for (int j = 0; j < n; j++) sum += (long double)c->M[i + n * j] * m->jump[j];
    for (int j = 0; j < c->m_b; j++) sum -= (long double)c->G[i + n * j] * m->p_b[j];
    for (int j = 0; j < c->m_u; j++) {
      sum -= (long double)c->G[i + n * (c->m_b + j)] * m->p_u[j];
      terms += fabs(m->p_u[j]);
    }
    int slip = 0;
    for (int j = 0; j < c->m_b + c->m_u; j++)
      for (int k = 0; k < c->tangents[j]; k++, slip++)
        sum -= (long double)c->H[i + n * slip] * m->p_t[slip];
    assert_true(fabsl(sum) <= 1e-9 * terms);
    assert_true(m->after[i] == c->v[i] + m->jump[i]);
  }
  for (int j = 0; j < c->m_b + c->m_u; j++) {
    long double u = c->u[j];
    for (int i = 0; i < n; i++) u += (long double)c->G[i + n * j] * m->jump[i];
    if (j < c->m_b) {
      assert_true(fabsl(u) <= 1e-9 * size);
      continue;
    }
    const double p = m->p_u[j - c->m_b];
    assert_true(fabs((double)u - m->normal_after[j - c->m_b]) <= 1e-9 * size);
    assert_true(p >= 0 && u + c->e[j] * c->u[j] >= -1e-9 * size);
    assert_true(p <= 1e-9 * size || u + c->e[j] * c->u[j] <= 1e-9 * size);
  }
}

static void against_enumeration(void **unused)
{
  (void)unused;
  rng r = rng_create(11);
  int newton = 0, moreau = 0, opened = 0;
  for (int trial = 0; trial < 400; trial++) {
    at_case("trial %d", trial);
    impact_case c;
    double jump[IMPACT_N], p[IMPACT_M];
    impact_case_random(&c, &r, false, 0);
    dls_impact *i = impact_of(&c);
    assert_int_equal(i->moreau.motions, 1);
    assert_int_equal(i->moreau.exists.answer, DLS_YES);
    const dls_impact_motion *m = i->moreau.motion;
    check_moreau(&c, m);
    assert_true(moreau_by_enumeration(&c, jump, p));
    same_vectors(c.n, m->jump, jump, 1e-9);
    if (i->moreau.percussions_unique.answer == DLS_YES)
      same_vectors(c.m_u, m->p_u, p + c.m_b, 1e-8);
    assert_true(m->balance != DLS_ENERGY_GAINED && m->balance != DLS_ENERGY_UNKNOWN);
    assert_true(m->kinetic_change <= 1e-12);
    assert_true(fabs(m->kinetic_change - m->work) <= 1e-11 * (1 + m->work_size));
    assert_true(i->projection_difference < 1e-10);
    // Newton's law with a coefficient per contact holds where no contact separates faster
    bool kept = true;
    for (int j = 0; j < c.m_u; j++) kept = kept && m->above[j] == 0;
    opened += !kept;
    if (i->newton.answer != DLS_UNDECIDED) assert_int_equal(i->newton.answer == DLS_YES, kept);
    newton += i->law == DLS_LAW_NEWTON, moreau += i->law == DLS_LAW_MOREAU;
    dls_impact_free(i);
  }
  assert_true(newton > 100 && moreau > 50 && opened > 50);
}

// Singular A_c: velocities unique, percussions not.
static void redundant_contacts(void **unused)
{
  (void)unused;
  rng r = rng_create(12);
  int many = 0, no = 0, yes = 0, undecided = 0;
  for (int trial = 0; trial < 350; trial++) {
    at_case("trial %d", trial);
    impact_case c;
    impact_case_random(&c, &r, true, 0);
    dls_impact *i = impact_of(&c);
    assert_int_equal(i->moreau.unique.answer, DLS_YES);
    assert_int_equal(i->moreau.motions, 1);
    check_moreau(&c, i->moreau.motion);
    assert_true(i->moreau.motion->balance != DLS_ENERGY_GAINED);
    many += i->moreau.percussions_unique.answer == DLS_NO;
    no += i->newton.answer == DLS_NO, yes += i->newton.answer == DLS_YES;
    undecided += i->newton.answer == DLS_UNDECIDED;
    assert_non_null(i->motion);
    dls_impact_free(i);
  }
  print_message("%d with many percussions; Newton: %d yes, %d no, %d undecided\n", many, yes, no,
                undecided);
  assert_true(many > 15 && no > 150 && yes > 50 && undecided <= 3);
}

// ---- what must not matter ----------------------------------------------------------------------

static void permute(const impact_case *c, const int *order, impact_case *out)
{
  *out = *c;
  int from[IMPACT_M + 1] = {0}, used = 0;
  for (int j = 0; j < c->m_b + c->m_u; j++) from[j + 1] = from[j] + c->tangents[j];
  for (int k = 0; k < c->m_u; k++) {
    const int to = c->m_b + k, j = c->m_b + order[k];
    memcpy(out->G + c->n * to, c->G + c->n * j, (size_t)c->n * sizeof(double));
    out->e[to] = c->e[j], out->u[to] = c->u[j], out->mu[to] = c->mu[j];
    out->tangents[to] = c->tangents[j];
    for (int s = from[j]; s < from[j + 1]; s++, used++) {
      memcpy(out->H + c->n * used, c->H + c->n * s, (size_t)c->n * sizeof(double));
      out->s[used] = c->s[s];
    }
  }
}

static void order_of_contacts(void **unused)
{
  (void)unused;
  rng r = rng_create(13);
  for (int trial = 0; trial < 80; trial++) {
    at_case("trial %d", trial);
    impact_case c, other;
    int order[IMPACT_M];
    impact_case_random(&c, &r, trial % 2, trial % 5 == 0);
    for (int k = 0; k < c.m_u; k++) order[k] = k;
    for (int k = c.m_u - 1; k > 0; k--) {
      const int l = rng_int(&r, 0, k), t = order[k];
      order[k] = order[l], order[l] = t;
    }
    permute(&c, order, &other);
    dls_impact *a = impact_of(&c), *b = impact_of(&other);
    if (!a->friction || (a->moreau.unique.answer == DLS_YES && b->moreau.motions == 1)) {
      assert_int_equal(a->moreau.motions, b->moreau.motions);
      same_vectors(c.n, a->moreau.motion->jump, b->moreau.motion->jump, 1e-10);
    }
    if (a->newton.answer != DLS_UNDECIDED && b->newton.answer != DLS_UNDECIDED)
      assert_int_equal(a->newton.answer, b->newton.answer);
    dls_impact_free(a), dls_impact_free(b);
  }
}

// v = R v', columns R^T g: the same velocities in other coordinates, and the same energies.
static void other_coordinates(void **unused)
{
  (void)unused;
  rng r = rng_create(14);
  for (int trial = 0; trial < 80; trial++) {
    at_case("trial %d", trial);
    impact_case c, t;
    impact_case_random(&c, &r, trial % 2, 0);
    const int n = c.n, m = c.m_b + c.m_u;
    double R[IMPACT_N * IMPACT_N], MR[IMPACT_N * IMPACT_N] = {0}, back[IMPACT_N] = {0};
    t = c;
    // R = I + x y^T with y^T x = 1/2, so that its inverse is I - (2/3) x y^T
    double x[IMPACT_N], y[IMPACT_N], along = 0;
    for (int i = 0; i < n; i++) x[i] = rng_real(&r), y[i] = rng_real(&r), along += x[i] * y[i];
    if (fabs(along) < 0.05) continue;
    for (int i = 0; i < n; i++) y[i] *= 0.5 / along;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) R[i + n * j] = (i == j) + x[i] * y[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) MR[i + n * j] += c.M[i + n * k] * R[k + n * j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        t.M[i + n * j] = 0;
        for (int k = 0; k < n; k++) t.M[i + n * j] += R[k + n * i] * MR[k + n * j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) t.M[i + n * j] = t.M[j + n * i];
    for (int j = 0; j < m; j++)
      for (int i = 0; i < n; i++) {
        t.G[i + n * j] = 0;
        for (int k = 0; k < n; k++) t.G[i + n * j] += R[k + n * i] * c.G[k + n * j];
      }
    double yv = 0;
    for (int i = 0; i < n; i++) yv += y[i] * c.v[i];
    for (int i = 0; i < n; i++) t.v[i] = c.v[i] - 2. / 3 * x[i] * yv;
    dls_impact *a = impact_of(&c), *b = impact_of(&t);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) back[i] += R[i + n * j] * b->moreau.motion->jump[j];
    same_vectors(n, a->moreau.motion->jump, back, 1e-8);
    const double energy = a->kinetic_before + fabs(a->moreau.motion->work);
    assert_true(fabs(a->kinetic_before - b->kinetic_before) <= 1e-9 * energy);
    assert_true(fabs(a->moreau.motion->work - b->moreau.motion->work) <= 1e-8 * energy);
    dls_impact_free(a), dls_impact_free(b);
  }
}

// Masses, velocities and each gradient in other units.
static void other_units(void **unused)
{
  (void)unused;
  rng r = rng_create(15);
  const double factors[] = {1e-8, 1e-3, 1, 1e5, 1e8};
  for (int trial = 0; trial < 80; trial++) {
    at_case("trial %d", trial);
    impact_case c, t;
    impact_case_random(&c, &r, trial % 2, trial % 3 == 0);
    const double mass = factors[rng_int(&r, 0, 4)], time = factors[rng_int(&r, 0, 4)];
    t = c;
    int slip = 0;
    for (int i = 0; i < c.n * c.n; i++) t.M[i] *= mass;
    for (int i = 0; i < c.n; i++) t.v[i] *= time;
    for (int j = 0; j < c.m_b + c.m_u; j++) {
      const double unit = c.tangents[j] ? 1 : factors[rng_int(&r, 0, 4)];
      for (int i = 0; i < c.n; i++) t.G[i + c.n * j] *= unit;
      t.u[j] *= unit * time;
      for (int k = 0; k < c.tangents[j]; k++) t.s[slip++] *= time;
    }
    dls_impact *a = impact_of(&c), *b = impact_of(&t);
    if (!a->friction || (a->moreau.unique.answer == DLS_YES && b->moreau.motions == 1)) {
      double scaled[IMPACT_N];
      for (int i = 0; i < c.n; i++) scaled[i] = a->moreau.motion->jump[i] * time;
      same_vectors(c.n, b->moreau.motion->jump, scaled, 1e-8);
      assert_int_equal(a->moreau.motion->balance, b->moreau.motion->balance);
    }
    if (a->newton.answer != DLS_UNDECIDED && b->newton.answer != DLS_UNDECIDED)
      assert_int_equal(a->newton.answer, b->newton.answer);
    dls_impact_free(a), dls_impact_free(b);
  }
}

// ---- Newton's law ------------------------------------------------------------------------------

static void newton_with_a_matrix(void **unused)
{
  (void)unused;
  rng r = rng_create(16);
  int yes = 0, no = 0, undecided = 0, gained = 0;
  for (int trial = 0; trial < 350; trial++) {
    at_case("trial %d", trial);
    impact_case c;
    impact_case_random(&c, &r, trial % 3 == 0, 0);
    c.coupled = true;
    for (int k = 0; k < c.m_u * c.m_u; k++)
      c.E[k] = k % (c.m_u + 1) == 0 ? c.e[c.m_b + k / (c.m_u + 1)] : 0.4 * rng_real(&r);
    dls_impact *i = impact_of(&c);
    yes += i->newton.answer == DLS_YES, no += i->newton.answer == DLS_NO;
    undecided += i->newton.answer == DLS_UNDECIDED;
    const dls_impact_motion *m = i->by_newton;
    assert_true((m != NULL) == (i->newton.answer == DLS_YES));
    for (int j = 0; m && j < c.m_u; j++) {
      double after = 0, found = c.u[c.m_b + j];
      for (int k = 0; k < c.m_u; k++) after -= c.E[j + c.m_u * k] * c.u[c.m_b + k];
      for (int k = 0; k < c.n; k++) found += c.G[k + c.n * (c.m_b + j)] * m->jump[k];
      assert_true(fabs(found - after) <= 1e-9 && fabs(m->normal_after[j] - after) <= 1e-12);
      assert_true(m->p_u[j] >= 0);
    }
    gained += m && m->balance == DLS_ENERGY_GAINED;
    if (i->law == DLS_LAW_NEWTON)
      assert_true(i->separates && m->balance != DLS_ENERGY_GAINED && m->work <= 1e-12);
    dls_impact_free(i);
  }
  print_message("%d yes, %d no, %d undecided, %d would gain energy\n", yes, no, undecided, gained);
  assert_true(yes > 80 && no > 80 && undecided <= 3 && gained > 0);
}

// ---- friction ----------------------------------------------------------------------------------

static void with_friction(void **unused)
{
  (void)unused;
  rng r = rng_create(17);
  int compared = 0, gained = 0, unique = 0;
  for (int trial = 0; trial < 150; trial++) {
    at_case("trial %d", trial);
    impact_case c;
    impact_case_random(&c, &r, false, 1 + trial % 2);
    const bool plastic = trial % 3 != 0;
    for (int j = 0; plastic && j < c.m_b + c.m_u; j++) c.e[j] = 0;
    dls_impact *i = impact_of(&c);
    for (int k = 0; k < i->moreau.motions; k++) {
      const dls_impact_motion *m = &i->moreau.motion[k];
      check_moreau(&c, m);
      assert_true(m->residual < 1e-8);
      int slip = 0;
      for (int j = 0; j < c.m_b + c.m_u; j++) {
        double size = 0, speed = 0, power = 0;
        for (int l = 0; l < c.tangents[j]; l++, slip++) {
          size = hypot(size, m->p_t[slip]), speed = hypot(speed, m->slip_after[slip]);
          power += m->p_t[slip] * m->slip_after[slip];
        }
        if (!c.tangents[j]) continue;
        const double bound = c.mu[j] * m->p_u[j - c.m_b];
        assert_true(size <= bound + 1e-8);
        assert_true(fabs(power + bound * speed) <= 1e-7);  // opposes what is left of the slip
      }
      // nothing is gained when nothing bounces
      if (plastic) assert_true(m->balance != DLS_ENERGY_GAINED && m->kinetic_change <= 1e-9);
      gained += m->balance == DLS_ENERGY_GAINED;
    }
    unique += i->moreau.unique.answer == DLS_YES;
    if (i->incremental_ran && i->incremental_converged && i->moreau.unique.answer == DLS_YES) {
      compared++;
      assert_true(i->incremental_difference < 1e-6);
    }
    dls_impact_free(i);
  }
  print_message("%d unique, %d compared with the incremental problem, %d gain energy\n", unique,
                compared, gained);
  assert_true(unique > 60 && compared > 50 && gained > 0);
}

// With too few modes to look at, the incremental problem gives the motion; it is never made up.
static void too_many_modes(void **unused)
{
  (void)unused;
  rng r = rng_create(18);
  int adopted = 0;
  for (int trial = 0; trial < 24; trial++) {
    at_case("trial %d", trial);
    impact_case c;
    impact_case_random(&c, &r, false, 1);
    dls_impact *full = impact_of(&c), *i = NULL;
    dls_impact_options options = dls_impact_defaults();
    options.max_modes = 1;
    assert_int_equal(dls_impact_create(&c.state, &options, &i, NULL), DLS_OK);
    for (int k = 0; k < i->moreau.motions; k++) check_moreau(&c, &i->moreau.motion[k]);
    if (i->moreau.motions && full->moreau.unique.answer == DLS_YES)
      same_vectors(c.n, i->moreau.motion->jump, full->moreau.motion->jump, 1e-7);
    adopted += i->moreau.motions > 0;
    dls_impact_free(full), dls_impact_free(i);
  }
  assert_true(adopted > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_enumeration), cmocka_unit_test(redundant_contacts),
      cmocka_unit_test(order_of_contacts),   cmocka_unit_test(other_coordinates),
      cmocka_unit_test(other_units),         cmocka_unit_test(newton_with_a_matrix),
      cmocka_unit_test(with_friction),       cmocka_unit_test(too_many_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
