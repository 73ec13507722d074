// Contacts that come and go: discs that fall on a floor and on each other. The same motion with all
// pairs declared, and with those that are near found at each step.
#include "discs.h"

#include <delassus/contact.h>

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

// The total impulse at the floor: contacts that have gone may have had theirs.
static double floor_impulse(const discs *d, const dls_sample *m)
{
  double sum = 0;
  for (int k = 0, at = 0; k < m->m; at += 1 + d->system.contacts[k].tangents, k++)
    if (d->a[k] == d->b[k]) sum += m->impulse[at];
  return sum;
}

// What each contact does, and its impulse: the same by its identity, and those that were not found
// are open.
static void compare_contacts(const discs *all, const dls_sample *x, const discs *found,
                             const dls_sample *y, double within)
{
  bool there[DISCS_PAIRS] = {false};
  for (int k = 0; k < y->m; k++) {
    const int same = (int)found->system.contacts[k].id - 1;
    there[same] = true;
    if (x->status[same] != y->status[k])
      fail_msg("t = %g, contact %s: %s, not %s", x->t, found->system.contacts[k].name,
               dls_contact_status_name((dls_contact_status)y->status[k]),
               dls_contact_status_name((dls_contact_status)x->status[same]));
    for (int i = 0; i < 2; i++)
      if (!(fabs(x->impulse[2 * same + i] - y->impulse[2 * k + i]) <= within))
        fail_msg("t = %g, contact %s: impulse %g, not %g", x->t, found->system.contacts[k].name,
                 y->impulse[2 * k + i], x->impulse[2 * same + i]);
  }
  for (int k = 0; k < all->system.m; k++)
    if (!there[k] && x->status[k] != DLS_OPEN)
      fail_msg("t = %g, contact %s is not found", x->t, all->system.contacts[k].name);
}

static void compare(const char *scheme, int count, double mu, double e, double step, double until,
                    double within)
{
  static discs all, found;
  discs_make(&all, count, mu, e, false), discs_make(&found, count, mu, e, true);
  dls_integrator *a = discs_begin(&all, scheme, step), *b = discs_begin(&found, scheme, step);
  dls_message message = {""};
  dls_failure failure;
  while (dls_integrator_sample(a).t < until) {
    if (dls_integrator_advance(a, until, &failure, &message) != DLS_OK || failure ||
        dls_integrator_advance(b, until, &failure, &message) != DLS_OK || failure)
      fail_msg("%s, %d discs: %s", scheme, count, message.text);
    const dls_sample x = dls_integrator_sample(a), y = dls_integrator_sample(b);
    for (int i = 0; i < 2 * count; i++)
      if (!(fabs(x.q[i] - y.q[i]) <= within && fabs(x.v[i] - y.v[i]) <= within / step))
        fail_msg("%s, %d discs, t = %g, coordinate %d: %.17g and %.17g", scheme, count, x.t, i,
                 x.q[i], y.q[i]);
    assert_true(fabs(floor_impulse(&all, &x) - floor_impulse(&found, &y)) <= within / step);
    compare_contacts(&all, &x, &found, &y, within / step);
  }
  const dls_step_counts m = dls_integrator_counts(a), n = dls_integrator_counts(b);
  assert_int_equal(m.steps, n.steps);
  assert_true(found.selects > 1 && (count == 1 || found.most < count * (count + 1) / 2));
  dls_integrator_free(a), dls_integrator_free(b);
}

static void test_same_motion(void **state)
{
  (void)state;
  static const char *const moreau[] = {"moreau", "lcp", "moreau-projected", "schatzman-paoli"};
  for (size_t k = 0; k < sizeof moreau / sizeof *moreau; k++) {
    at_case("%s", moreau[k]);
    compare(moreau[k], 12, 0.3, 0, 1e-3, 0.6, 1e-6);
  }
  compare("moreau", DISCS_MOST, 0.3, 0, 1e-3, 0.6, 1e-6);
  compare("moreau", 6, 0, 0.5, 1e-3, 0.4, 1e-6);
  compare("herk4", 6, 0, 0.5, 1e-2, 0.3, 1e-8);
  compare("herk4", 4, 0.3, 0.2, 1e-2, 0.4, 1e-8);
  compare("herk2", 1, 0.3, 0.5, 1e-2, 1, 1e-8);
}

// A finder that sees nothing coming: the step is made again once something is penetrated, and the
// motion is that of all contacts.
static void test_missed(void **state)
{
  (void)state;
  static discs all, d;
  discs_make(&all, 6, 0.3, 0, false), discs_make(&d, 6, 0.3, 0, true);
  d.blind = true;
  dls_integrator *a = discs_begin(&all, "moreau", 1e-3), *g = discs_begin(&d, "moreau", 1e-3);
  dls_message message = {""};
  dls_failure failure;
  while (dls_integrator_sample(g).t < 0.5) {
    if (dls_integrator_advance(g, 0.5, &failure, &message) != DLS_OK || failure ||
        dls_integrator_advance(a, 0.5, &failure, &message) != DLS_OK || failure)
      fail_msg("%s", message.text);
    const dls_sample x = dls_integrator_sample(a), y = dls_integrator_sample(g);
    for (int i = 0; i < 12; i++)
      if (!(fabs(x.q[i] - y.q[i]) <= 1e-6))
        fail_msg("t = %g, coordinate %d: %g, not %g", x.t, i, y.q[i], x.q[i]);
  }
  dls_integrator_free(a), dls_integrator_free(g);
}

static void test_states(void **state)
{
  (void)state;
  static discs d;
  discs_make(&d, 3, 0.3, 0, true);
  double q[] = {0, 0.5, 0.9, 0.4, 3, 2}, v[6] = {0};
  dls_state at = {0, q, v};
  dls_contact_state *x = NULL;
  dls_projection moved;
  assert_int_equal(dls_contact_state_create(&d.system, &at, NULL, &x, NULL), DLS_ERR_STATE);
  assert_int_equal(dls_state_project(&d.system, &at, NULL, &moved, NULL), DLS_OK);
  assert_true(discs_gap(q, 0, 1) > -1e-9 && q[3] > disc_radius - 1e-9);
  assert_int_equal(dls_contact_state_create(&d.system, &at, NULL, &x, NULL), DLS_OK);
  assert_int_equal(x->m, 3);
  assert_true(x->contacts[2].id == discs_id(1, 1));
  dls_contact_state_free(x);
}

// A finder that fails, at once or later: the call says so, and nothing goes on without contacts.
static void test_refused(void **state)
{
  (void)state;
  static discs d;
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    discs_make(&d, 3, 0.3, 0, true);
    double q[] = {0, 0.5, 2, 0.5, 4, 0.5}, v[6] = {0};
    const dls_state at = {0, q, v};
    d.fails = k == 0, d.unable = k == 1, d.wrong = k == 2;
    dls_contact_state *x = NULL;
    const dls_status status = dls_contact_state_create(&d.system, &at, NULL, &x, NULL);
    assert_int_equal(status, k < 2 ? DLS_ERR_LIMIT : k == 2 ? DLS_ERR_ARGUMENT : DLS_OK);
    assert_true((x != NULL) == (k == 3));
    dls_contact_state_free(x);
  }
  for (int k = 0; k < 3; k++) {  // the discs fall, and contacts are found on the way
    at_case("later, k %d", k);
    discs_make(&d, 3, 0.3, 0, true);
    dls_integrator *g = discs_begin(&d, "moreau", 1e-3);
    dls_failure failure = DLS_FAILURE_NONE;
    dls_status status = DLS_OK;
    d.fails = k == 0 ? d.finds + 20 : 0, d.unable = k == 1, d.wrong = k == 2;
    while (status == DLS_OK && !failure && dls_integrator_sample(g).t < 1)
      status = dls_integrator_advance(g, 1, &failure, NULL);
    assert_int_equal(status, k < 2 ? DLS_ERR_LIMIT : DLS_ERR_ARGUMENT);
    assert_true(dls_integrator_sample(g).t < 0.2);
    dls_integrator_free(g);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_motion),
                                     cmocka_unit_test(test_missed), cmocka_unit_test(test_states),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
