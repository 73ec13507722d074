// Impacts when memory runs out: the k-th allocation fails, for every k. (CLP's and LAPACKE's own
// allocations are not wrapped.)
#include "failing.h"
#include "impact_maker.h"

#include <delassus/delassus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// A matrix and a bilateral contact; the same with friction.
static impact_case make(bool friction)
{
  impact_case c = {.n = 2, .m_b = 0, .m_u = 2, .e = {0.5, 0}, .coupled = !friction};
  c.M[0] = 1, c.M[3] = 2;
  c.G[0] = 1, c.G[3] = 1;
  c.v[0] = -1, c.v[1] = -0.5;
  c.E[0] = 0.5, c.E[1] = 0.1;
  if (friction) c.tangents[0] = 1, c.mu[0] = 0.3, c.H[1] = 1;
  impact_case_velocities(&c);
  return c;
}

static void creating(void **unused)
{
  (void)unused;
  for (int friction = 0; friction < 2; friction++) {
    at_case("friction %d", friction);
    impact_case c = make(friction);
    impact_case_ready(&c);
    dls_impact_options options = dls_impact_defaults();
    if (c.coupled) options.E = c.E;
    bool failed = true;
    long k = 0;
    for (; failed; k++) {
      dls_impact *impact;
      dls_message message;
      failing_start(k);
      const dls_status status = dls_impact_create(&c.state, &options, &impact, &message);
      failed = failing_stop();
      // a solver that loses one of its ways may still reach the end by another
      assert_true(status == DLS_OK || (failed && status == DLS_ERR_MEMORY));
      assert_true(!impact == (status != DLS_OK));
      if (impact) assert_true(impact->motion && impact->motion->residual < 1e-9);
      dls_impact_free(impact);
    }
    assert_true(k > 40);
  }
}

static void restitution(void **unused)
{
  (void)unused;
  const char text[] = "coordinate x, y\nkinetic x'^2 + y'^2\nunilateral a: x >= 0\n"
                      "unilateral b: y >= 0\nrestitution a b = 0.5\n";
  dls_model *model;
  dls_system *system;
  double q[2] = {0}, v[2] = {-1, -1}, E[4];
  dls_state state = {.q = q, .v = v};
  dls_contact_state *contacts;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  assert_int_equal(dls_contact_state_create(system, &state, NULL, &contacts, NULL), DLS_OK);
  bool failed = true;
  for (long k = 0; failed; k++) {
    at_case("k %ld", k);
    failing_start(k);
    const dls_status status = dls_model_restitution_matrix(system, contacts, E);
    failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
  }
  assert_true(E[0] == 0 && E[1] == 0 && E[2] == 0.5 && E[3] == 0);
  dls_contact_state_free(contacts);
  dls_system_free(system);
  dls_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(creating), cmocka_unit_test(restitution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
