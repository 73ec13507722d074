// One contact of each law by itself: its force, the natural map and its derivative, the forces that
// are allowed, and what is said of a point that is wrong.
#include "discrete.h"
#include "law_oracle.h"
#include "numbers.h"
#include "solve/newton_law.h"
#include "solve/one_law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static discrete draw(int law, int d)
{
  const unsigned char one = (unsigned char)law;
  discrete p = discrete_draw(d, 1, 0, 1, 6, 0, 0);
  discrete_laws(&p, 1, &one);
  return p;
}

// One contact by itself, drawn, and with numbers of its load that vanish: the force obeys the law,
// of laws that have one for every load. A normal load that is no number, and W_NN <= 0, are
// refused, and leave the force as it is.
static void one_contact(void **state)
{
  (void)state;
  double found[16 * 3];
  int none = 0;
  for (int t = 0; t < TRIED(3000); t++) {
    const int d = 2 + t % 2, law = t / 2 % DLS_LAW_COUNT, zero = t / 30 % 8;
    at_case("t %d, %s", t, dls_law_name(law));
    discrete p = draw(law, d);
    double *q = (double *)p.local.q, W[9], r[3] = {3, 4, 5}, same[3];
    for (int k = 0; k < d; k++) q[k] = zero & 1 << k ? 0 : q[k];
    if (t % 5 == 0) p.mu[0] *= 8;
    for (int k = 0; k < d && law == DLS_LAW_BOUNDED && zero & 1; k++)  // friction by itself
      p.W[k] = p.W[d * k] = 0;
    memcpy(W, p.W, (size_t)(d * d) * sizeof *W), memcpy(same, r, sizeof r);
    const dls_one_law l = dls_law_at(&p.local, 0);
    const bool known = dls_one_law_near(d, &l, W, q, 1e-12, r);
    if (known) assert_true(law_miss(&p.local, p.W, r) < 1e-10);
    if (d == 2) assert_int_equal(known, law_enumerate(&p.local, p.W, 16, found) > 0);
    if (!dls_law_slides(l.law)) assert_true(known);  // along a known direction there may be none
    none += !known;
    double bad[3] = {q[0], q[1], d == 3 ? q[2] : 0};
    const bool needs = l.law != DLS_LAW_BOUNDED && l.law != DLS_LAW_EQUATION;  // W_NN > 0
    if (needs && t % 3 > 0) W[0] = t % 3 - 2;
    else bad[0] = NAN;
    memcpy(r, same, sizeof r);
    assert_false(dls_one_law_near(d, &l, W, bad, 1e-12, r));
    assert_memory_equal(r, same, sizeof r);
    discrete_free(&p);
  }
  assert_true(none > 0);
}

// The derivative of the trial force, eq (law.1), by differences; away from where it has none.
static void derivatives(void **state)
{
  (void)state;
  for (int t = 0; t < TRIED(2000); t++) {
    const int d = 2 + t % 2, law = t / 2 % DLS_LAW_COUNT;
    at_case("t %d, %s", t, dls_law_name(law));
    discrete p = draw(law, d);
    const dls_run run = {.problem = &p.local, .d = d, .law = p.local.law};
    const dls_one_law l = dls_law_at(&p.local, 0);
    double X[3], force[3], B[9], left[3], right[3];
    for (int k = 0; k < d; k++) X[k] = 2 * uniform();
    const double normal = dls_law_is_bilateral(l.law) || X[0] > 0 ? fabs(X[0]) : 0;
    const double most = dls_law_is_bounded(l.law) ? l.bound : l.mu * normal;
    const double step = 1e-5, slip = d == 3 ? hypot(X[1], X[2]) : fabs(X[1]);
    const bool bends = fabs(X[0]) < 1e-3 || slip < 0.05 || fabs(slip - most) < 1e-3;
    if (!bends) dls_newton_law(&run, 0, X, force, B);
    for (int c = 0; c < d && !bends; c++) {
      const double kept = X[c];
      X[c] = kept - step, dls_law_trial(d, &l, X, left);
      X[c] = kept + step, dls_law_trial(d, &l, X, right);
      X[c] = kept;
      for (int k = 0; k < d; k++)
        assert_true(fabs(B[k + d * c] - (right[k] - left[k]) / (2 * step)) < 1e-4);
    }
    X[0] = X[1] = X[2] = 0;  // one of several, but a number
    dls_newton_law(&run, 0, X, force, B);
    for (int k = 0; k < d * d; k++) assert_true(isfinite(B[k]));
    discrete_free(&p);
  }
}

// Is the force one that the law allows at some velocity?
static bool allowed(int d, const dls_one_law *l, const double *r)
{
  const double force = d == 3 ? hypot(r[1], r[2]) : fabs(r[1]), most = l->mu * fabs(r[0]);
  double miss = 0;
  for (int k = 1; k < d; k++) miss = hypot(miss, r[k] + most * l->direction[k - 1]);
  if (!dls_law_is_bilateral(l->law) && r[0] < 0) return false;
  if (dls_law_slides(l->law)) return miss <= 1e-12;
  return l->law == DLS_LAW_EQUATION ||
         force <= (dls_law_is_bounded(l->law) ? l->bound : most) + 1e-12;
}

// The nearest force that a law allows: none that is drawn is nearer. Where the contact slides, or
// its friction is bounded, normal and friction are asked for one after the other.
static void projections(void **state)
{
  (void)state;
  for (int t = 0; t < TRIED(2000); t++) {
    const int d = 2 + t % 2, law = t / 2 % DLS_LAW_COUNT;
    at_case("t %d, %s", t, dls_law_name(law));
    discrete p = draw(law, d);
    const dls_one_law l = dls_law_at(&p.local, 0);
    double r[3] = {uniform(), uniform(), d == 3 ? uniform() : 0}, nearest[3] = {0};
    dls_law_project(d, &l, r, nearest);
    assert_true(allowed(d, &l, nearest));
    for (int k = 0; k < 40 && !dls_law_slides(l.law); k++) {
      double other[3] = {uniform(), uniform(), d == 3 ? uniform() : 0}, near = 0, far = 0;
      for (int i = 0; i < 3 && k % 2; i++) other[i] = nearest[i] + 0.1 * other[i];
      for (int i = 0; i < 3; i++) near += pow(nearest[i] - r[i], 2), far += pow(other[i] - r[i], 2);
      if (allowed(d, &l, other)) assert_true(near <= far + 1e-12);
    }
    discrete_free(&p);
  }
}

// A velocity of the normal alone that is wrong: what is returned is that velocity.
static void wrong_normals(void **state)
{
  (void)state;
  for (int law = 0; law < DLS_LAW_COUNT; law++) {
    for (int sign = -1; sign < 2; sign++) {
      at_case("%s, sign %d", dls_law_name(law), sign);
      const dls_one_law l = {.law = (dls_law)law, .mu = 0.5, .direction = {1, 0}, .bound = 1};
      const double r[] = {2, dls_law_slides(l.law) ? -1 : 0, 0}, u[] = {0.25 * sign, 0, 0};
      dls_incremental_error error = {0};
      const double wrong = dls_law_look_at(3, &l, r, u, 4, 1, &error);
      assert_true(wrong == fabs(u[0]));
      const bool lifted = sign > 0 && !dls_law_is_bilateral(l.law);  // with a force
      assert_true(error.normal == (lifted ? 0 : fabs(u[0]) / 4));
      assert_true(error.complementarity == (lifted ? 0.25 / 4 : 0));
      assert_true(error.cone == 0 && error.slip == 0);
    }
  }
}

// All friction there is, at an angle to the slip; a force that pulls; slip with less than all.
static void wrong_friction(void **state)
{
  (void)state;
  static const dls_law laws[] = {DLS_LAW_CONE, DLS_LAW_BILATERAL_CONE, DLS_LAW_BOUNDED,
                                 DLS_LAW_BILATERAL_BOUNDED};
  for (int k = 0; k < 4; k++) {
    for (int part = 0; part < 8; part++) {
      at_case("%s, part %d", dls_law_name(laws[k]), part);
      const bool bounded = dls_law_is_bounded(laws[k]);
      const dls_one_law l = {.law = laws[k], .mu = bounded ? 0 : 0.5, .bound = bounded ? 1 : 0};
      const double turn = part * 0.7, slip = 0.25, r[] = {2, 1, 0};
      const double u[] = {0, -slip * cos(turn), slip * sin(turn)}, apart = 2 * fabs(sin(turn / 2));
      dls_incremental_error error = {0};
      const double wrong = dls_law_look_at(3, &l, r, u, 4, 1, &error);
      assert_true(fabs(wrong - slip * apart) < 1e-12);
      assert_true(fabs(error.slip - slip * apart / 4) < 1e-12 && error.cone < 1e-12);
      const double pulls[] = {-0.5, 0, 0}, lift[] = {1, 0, 0}, less[] = {2, 0.5, 0};
      error = (dls_incremental_error){0};
      dls_law_look_at(3, &l, pulls, lift, 4, 1, &error);
      if (!dls_law_is_bilateral(laws[k])) assert_true(error.cone == 0.5 / 4);
      const double more[] = {2, 0, 1.5}, none[3] = {0};
      error = (dls_incremental_error){0};
      dls_law_look_at(3, &l, more, none, 4, 1, &error);
      assert_true(fabs(error.cone - 0.5 / sqrt(1 + l.mu * l.mu) / 4) < 1e-12);
      error = (dls_incremental_error){0};
      const double along[] = {0, -slip, 0};
      assert_true(fabs(dls_law_look_at(3, &l, less, along, 4, 1, &error) - slip) < 1e-12);
      assert_true(fabs(error.slip - slip / 4) < 1e-12);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_contact), cmocka_unit_test(derivatives),
                                     cmocka_unit_test(projections), cmocka_unit_test(wrong_normals),
                                     cmocka_unit_test(wrong_friction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
