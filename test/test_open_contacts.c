// Contacts that are declared and stay open change nothing: towers of two discs with all pairs of
// discs declared move like those whose own pair is, where all contacts are in every matrix.
#include "towers.h"

#include <delassus/delassus.h>
#include <delassus/integrator.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { TOWERS = 6, N = 4 * TOWERS };

static char text[60000];

typedef struct motion {
  dls_model *model;
  dls_system *system;
  dls_integrator *integrator;
} motion;

static motion open_towers(bool pairs, const char *scheme, double step)
{
  motion x = {0};
  dls_diagnostics diagnostics;
  dls_message message = {""};
  double q[N], v[N];
  dls_state state = {0, q, v};
  towers_text(TOWERS, pairs, text, sizeof text);
  assert_int_equal(dls_model_parse(text, strlen(text), &x.model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(x.model, &x.system), DLS_OK);
  assert_int_equal(dls_model_differentiate(x.system, NULL), DLS_OK);
  assert_int_equal(dls_model_state(x.system, NULL, &state, NULL), DLS_OK);
  assert_int_equal(x.system->n, N);
  x.system->parts = 1;  // towers are not looked at one by one
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  if (dls_integrator_create(x.system, &state, &options, &x.integrator, &message) != DLS_OK)
    fail_msg("%s: %s", scheme, message.text);
  return x;
}

static void close_towers(motion *x)
{
  dls_integrator_free(x->integrator);
  dls_system_free(x->system);
  dls_model_free(x->model);
}

static void go(motion *x, const char *scheme, double until)
{
  dls_message message = {""};
  dls_failure failure = DLS_FAILURE_NONE;
  while (dls_integrator_sample(x->integrator).t < until) {
    assert_int_equal(dls_integrator_advance(x->integrator, until, &failure, &message), DLS_OK);
    if (failure != DLS_FAILURE_NONE) fail_msg("%s: %s", scheme, message.text);
  }
}

static int closed(const dls_sample *x, int from, int to)
{
  int count = 0;
  for (int j = from; j < to; j++)
    count += x->status[j] != DLS_OPEN && x->status[j] != DLS_SEPARATING;
  return count;
}

// Both runs, compared on the way; the contacts that both have come first, floors, in one order.
static void compare(const char *scheme, double step, double until, double tolerance)
{
  motion all = open_towers(true, scheme, step), few = open_towers(false, scheme, step);
  int most = 0;
  assert_true(all.system->m > 64 && few.system->m <= 64);
  for (int k = 1; k <= 10; k++) {
    at_case("k %d", k);
    go(&all, scheme, until * k / 10), go(&few, scheme, until * k / 10);
    const dls_sample a = dls_integrator_sample(all.integrator);
    const dls_sample b = dls_integrator_sample(few.integrator);
    for (int i = 0; i < N; i++)
      if (!(fabs(a.q[i] - b.q[i]) <= tolerance && fabs(a.v[i] - b.v[i]) <= 10 * tolerance))
        fail_msg("%s, t = %g: coordinate %d is %.12g (%.12g), not %.12g (%.12g)", scheme, a.t, i,
                 a.q[i], a.v[i], b.q[i], b.v[i]);
    const int now = closed(&a, 0, 2 * TOWERS);
    most = now > most ? now : most;
    if (now != closed(&b, 0, 2 * TOWERS)) fail_msg("%s, t = %g: other contacts", scheme, a.t);
  }
  assert_true(most >= TOWERS / 2);
  close_towers(&all), close_towers(&few);
}

static void time_stepping(void **state)
{
  (void)state;
  compare("moreau", 1e-3, 0.6, 1e-7);
  compare("lcp", 1e-3, 0.6, 1e-5);
  compare("moreau-projected", 1e-3, 0.6, 1e-7);
  compare("schatzman-paoli", 1e-3, 0.6, 1e-7);
}

static void adaptive_steps(void **state)
{
  (void)state;
  compare("moreau-adaptive", 1e-3, 0.3, 1e-6);
}

static void located_events(void **state)
{
  (void)state;
  compare("radau5", 5e-3, 0.6, 1e-7);
  compare("lobatto4", 5e-3, 0.6, 1e-7);
  compare("herk4", 5e-3, 0.6, 1e-7);
}

// A run that is taken up from a moment goes on with the same bits, though its integrator has seen
// other contacts before.
static void taken_up(void **state)
{
  (void)state;
  const char *const schemes[] = {"moreau", "moreau-projected", "radau5", "herk4"};
  for (int k = 0; k < 4; k++) {
    at_case("%s", schemes[k]);
    motion whole = open_towers(true, schemes[k], 4e-3), late = open_towers(true, schemes[k], 4e-3);
    go(&whole, schemes[k], 0.2);
    dls_sample moment = dls_integrator_sample(whole.integrator);
    assert_int_equal(dls_integrator_restart(late.integrator, &moment, NULL), DLS_OK);
    assert_int_equal(dls_integrator_restart(whole.integrator, &moment, NULL), DLS_OK);
    go(&whole, schemes[k], 0.4), go(&late, schemes[k], 0.4);
    const dls_sample a = dls_integrator_sample(whole.integrator);
    const dls_sample b = dls_integrator_sample(late.integrator);
    if (memcmp(a.q, b.q, N * sizeof(double)) != 0 || memcmp(a.v, b.v, N * sizeof(double)) != 0)
      fail_msg("%s goes on with other bits", schemes[k]);
    close_towers(&whole), close_towers(&late);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(time_stepping),
                                     cmocka_unit_test(adaptive_steps),
                                     cmocka_unit_test(located_events), cmocka_unit_test(taken_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
