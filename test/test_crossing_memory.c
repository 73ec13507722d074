// Crossings when memory runs out: the k-th allocation fails, for every k.
#include "language.h"

#include "cases.h"
#include "failing.h"

#include <delassus/delassus.h>

static const char text[] = "coordinate y = 1\nkinetic y'^2/2\npotential y\n"
                           "unilateral floor: y >= 0 { restitution 1/2 }\n"
                           "event turn: y' = 0\nevent low: y = 0.1\n";

static dls_status told;

static void tell(void *self, const dls_event *event)
{
  const dls_status status = dls_crossings_tell(*(dls_crossings **)self, event);
  if (status != DLS_OK) told = status;
}

// The whole life of it, around steps of an integrator that has its memory.
static dls_status use(const running *r, const dls_integrator_options *options, dls_integrator *g,
                      const dls_sample *start, dls_crossings **c)
{
  dls_message message = {0};
  dls_failure failure = DLS_FAILURE_NONE;
  dls_happening h;
  int found = 0;
  told = DLS_OK;
  *c = NULL;
  dls_status status = dls_crossings_create(r->system, &r->state, options, NULL, c, &message);
  assert_true((status == DLS_OK) == (*c != NULL));
  if (status == DLS_OK) status = dls_integrator_restart(g, start, &message);
  while (status == DLS_OK && dls_integrator_sample(g).t < 2) {
    dls_sample s = dls_integrator_sample(g);
    dls_crossings_before(*c, &s);
    status = dls_integrator_advance(g, 2, &failure, &message);
    s = dls_integrator_sample(g);
    if (status == DLS_OK) status = told;
    if (status == DLS_OK) status = dls_crossings_after(*c, &s, &message);
    while (status == DLS_OK && dls_crossings_next(*c, &h)) found += !h.event;
  }
  dls_crossings_free(*c);
  if (status == DLS_OK) assert_int_equal(found, 3);
  return status;
}

static void every_allocation_may_fail(void **unused)
{
  (void)unused;
  running r = run(text);
  dls_crossings *c = NULL;
  dls_integrator *g = NULL;
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = "radau5", options.step = 0.1;
  options.event = tell, options.self = &c;
  go_to(&r, NULL);
  assert_int_equal(dls_model_differentiate(r.system, NULL), DLS_OK);
  assert_int_equal(dls_integrator_create(r.system, &r.state, &options, &g, NULL), DLS_OK);
  const dls_sample s = dls_integrator_sample(g);
  double q[1] = {s.q[0]}, v[1] = {s.v[0]}, impulse[1] = {0}, memory[64] = {0};
  unsigned char status[1] = {s.status[0]};
  assert_true(s.scheme_state_size <= 64);
  if (s.scheme_state_size > 0)
    memcpy(memory, s.scheme_state, (size_t)s.scheme_state_size * sizeof(double));
  dls_sample start = s;
  start.q = q, start.v = v, start.impulse = impulse, start.status = status;
  start.scheme_state = memory;
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    failing_start(k);
    const dls_status got = use(&r, &options, g, &start, &c);
    if (!failing_stop()) {
      assert_int_equal(got, DLS_OK);
      assert_true(k > 10);
      break;
    }
    assert_int_equal(got, DLS_ERR_MEMORY);
  }
  dls_integrator_free(g);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
