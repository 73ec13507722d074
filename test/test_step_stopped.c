// A step that is stopped has not been begun: the run goes on as if nobody had stopped it, to the
// last bit, wherever the step was stopped and whatever the scheme.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <delassus/delassus.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two boxes that do not act on each other fall, bounce and slide; a pendulum keeps its length.
static const char text[] =
    "for i in 1..2 {\n"
    "  coordinate x[i], y[i] = 0.1*i\n"
    "  velocity x[i] = 1\n"
    "  kinetic (x[i]'^2 + y[i]'^2)/2\n"
    "  potential 9.81*y[i]\n"
    "  unilateral floor[i]: y[i] >= 0 { slip x[i]'; friction 0.4; restitution 0.5 }\n"
    "  unilateral wall[i]: x[i] <= 0.15 { slip y[i]'; friction 0.1 }\n"
    "}\n"
    "coordinate u = 1, w\n"
    "kinetic (u'^2 + w'^2)/2\n"
    "potential 9.81*w\n"
    "bilateral rod: u^2 + w^2 = 1\n"
    "unilateral stop: w >= -0.4\n";

typedef struct caller {
  long calls, stop_at;  // calls of the watch in this step; 0: never
  double begin;
  int events;
} caller;

static bool watch(void *self, double t)
{
  caller *c = self;
  c->begin = t;
  return ++c->calls == c->stop_at;
}

static void count_event(void *self, const dls_event *event)
{
  (void)event;
  ((caller *)self)->events++;
}

typedef struct motion {
  caller caller;
  dls_system *system;
  dls_integrator *integrator;
} motion;

static void begin(motion *m, dls_model *model, const char *scheme, double rtol)
{
  dls_message message = {0};
  assert_int_equal(dls_model_system(model, &m->system), DLS_OK);
  assert_int_equal(dls_model_differentiate(m->system, &message), DLS_OK);
  const ptrdiff_t n = m->system->n;
  dls_state state = {.q = calloc((size_t)n, sizeof(double)),
                     .v = calloc((size_t)n, sizeof(double))};
  assert_int_equal(dls_model_state(m->system, NULL, &state, &message), DLS_OK);
  dls_integrator_options o = dls_integrator_defaults();
  o.scheme = scheme, o.step = 0.02, o.event = count_event, o.watch = watch, o.self = &m->caller;
  o.rtol = o.atol = rtol;
  if (dls_integrator_create(m->system, &state, &o, &m->integrator, &message) != DLS_OK)
    fail_msg("%s", message.text);
  free(state.q);
  free(state.v);
}

static void end(motion *m)
{
  dls_integrator_free(m->integrator);
  dls_system_free(m->system);
}

static dls_status advance(motion *m, long stop_at, dls_failure *failure)
{
  dls_message message = {0};
  m->caller.calls = 0, m->caller.stop_at = stop_at;
  return dls_integrator_advance(m->integrator, 0.3, failure, &message);
}

static void same_sample(const motion *a, const motion *b)
{
  const dls_sample x = dls_integrator_sample(a->integrator),
                   y = dls_integrator_sample(b->integrator);
  const size_t n = (size_t)a->system->n * sizeof(double);
  assert_true(x.t == y.t);
  assert_memory_equal(x.q, y.q, n);
  assert_memory_equal(x.v, y.v, n);
  assert_memory_equal(x.impulse, y.impulse, (size_t)x.impulses * sizeof(double));
  assert_int_equal(x.scheme_state_size, y.scheme_state_size);
  if (x.scheme_state_size > 0)
    assert_memory_equal(x.scheme_state, y.scheme_state,
                        (size_t)x.scheme_state_size * sizeof(double));
  assert_true(x.next_step == y.next_step);
  assert_memory_equal(x.status, y.status, (size_t)x.m);
  assert_int_equal(a->caller.events, b->caller.events);
  const dls_uniqueness_loss lost = dls_integrator_uniqueness(a->integrator),
                            other = dls_integrator_uniqueness(b->integrator);
  assert_true(lost.lost == other.lost && lost.t == other.t && lost.contact == other.contact);
}

// Every step is stopped at some of its calls, first, last and between, before it is made.
static void stop_everywhere(dls_model *model, const char *scheme, double rtol)
{
  motion plain = {0}, stopped = {0};
  begin(&plain, model, scheme, rtol);
  begin(&stopped, model, scheme, rtol);
  long stops = 0;
  for (int step = 0; dls_integrator_sample(plain.integrator).t < 0.3; step++) {
    at_case("%s, rtol %g, step %d", scheme, rtol, step);
    dls_failure failure, other;
    const double before = dls_integrator_sample(plain.integrator).t;
    assert_int_equal(advance(&plain, 0, &failure), DLS_OK);
    const long calls = plain.caller.calls;
    assert_true(calls > 0 && plain.caller.begin >= before);
    const long at[] = {1, 2, (calls + 1) / 2, calls};
    bool made = false;
    for (int k = 0; k < 4 && !made; k++) {
      if (at[k] < 1 || at[k] > calls) continue;
      const int events = stopped.caller.events;
      made = advance(&stopped, at[k], &other) == DLS_OK;
      // a step that is made again may find its matrices ready, and be over earlier
      assert_true(made == (stopped.caller.calls < at[k]));
      if (made) break;
      assert_true(dls_integrator_sample(stopped.integrator).t == before);
      assert_int_equal(stopped.caller.events, events);
      stops++;
    }
    if (!made) assert_int_equal(advance(&stopped, 0, &other), DLS_OK);
    assert_int_equal(failure, other);
    same_sample(&plain, &stopped);
    if (failure != DLS_FAILURE_NONE) break;
  }
  assert_true(stops > 4);
  end(&plain);
  end(&stopped);
}

// The same in one part, and in three.
static void a_stopped_step_was_not_begun(void **unused)
{
  (void)unused;
  const char *const more[] = {"", "potential 0.1*x[1]*x[2]*u\n"};
  for (int coupled = 0; coupled < 2; coupled++) {
    char all[2000];
    snprintf(all, sizeof all, "%s%s", text, more[coupled]);
    dls_model *model;
    dls_diagnostics d;
    assert_int_equal(dls_model_parse(all, strlen(all), &model, &d), DLS_OK);
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *scheme = dls_scheme_info_at(k);
      stop_everywhere(model, scheme->name, 0);
      if (scheme->events) stop_everywhere(model, scheme->name, 1e-3);
    }
    dls_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_stopped_step_was_not_begun)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
