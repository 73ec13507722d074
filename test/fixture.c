#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void note(void *self, const dls_event *event)
{
  fixture *r = self;
  if (r->events < RIDE_EVENTS) {
    r->kind[r->events] = event->kind;
    r->contact[r->events] = event->contact;
    r->time[r->events] = event->t;
  }
  r->events++;
}

static fixture *open_with(const char *text, const char *scheme, double step, double rtol,
                          dls_on_loss on_loss)
{
  fixture *r = calloc(1, sizeof *r);
  dls_diagnostics diagnostics;
  dls_message message = {""};
  assert_non_null(r);
  if (dls_model_parse(text, strlen(text), &r->model, &diagnostics) != DLS_OK)
    fail_msg("%d: %s", diagnostics.item[0].line, diagnostics.item[0].message);
  assert_int_equal(dls_model_system(r->model, &r->system), DLS_OK);
  if (dls_model_differentiate(r->system, &message) != DLS_OK) fail_msg("%s", message.text);
  const size_t n = (size_t)dls_system_nq(r->system) + (size_t)r->system->n + 1;
  dls_state state = {0, calloc(n, sizeof(double)), calloc(n, sizeof(double))};
  assert_true(state.q && state.v);
  if (dls_model_state(r->system, NULL, &state, &message) != DLS_OK) fail_msg("%s", message.text);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  options.rtol = options.atol = rtol;
  options.on_loss = on_loss;
  options.event = note, options.self = r;
  if (dls_integrator_create(r->system, &state, &options, &r->integrator, &message) != DLS_OK)
    fail_msg("%s: %s", scheme, message.text);
  free(state.q), free(state.v);
  return r;
}

fixture *fixture_open(const char *text, const char *scheme, double step, double rtol)
{
  return open_with(text, scheme, step, rtol, DLS_ON_LOSS_STOP);
}

fixture *fixture_open_lost(const char *text, const char *scheme, double step)
{
  return open_with(text, scheme, step, 0, DLS_ON_LOSS_CONTINUE);
}

void fixture_close(fixture *r)
{
  dls_integrator_free(r->integrator);
  dls_system_free(r->system);
  dls_model_free(r->model);
  free(r);
}

dls_failure fixture_until_failure(fixture *r, double t)
{
  dls_failure failure = DLS_FAILURE_NONE;
  dls_message message = {""};
  while (failure == DLS_FAILURE_NONE && dls_integrator_sample(r->integrator).t < t)
    if (dls_integrator_advance(r->integrator, t, &failure, &message) != DLS_OK)
      fail_msg("%s", message.text);
  return failure;
}

void fixture_to(fixture *r, double t)
{
  const dls_failure failure = fixture_until_failure(r, t);
  if (failure != DLS_FAILURE_NONE)
    fail_msg("t = %g: %s", dls_integrator_sample(r->integrator).t, dls_failure_text(failure));
  assert_true(dls_integrator_sample(r->integrator).t == t);
}

double fixture_q(const fixture *r, int i)
{
  return dls_integrator_sample(r->integrator).q[i];
}

double fixture_v(const fixture *r, int i)
{
  return dls_integrator_sample(r->integrator).v[i];
}

double fixture_energy(const fixture *r)
{
  double kinetic, potential;
  assert_int_equal(dls_integrator_energy(r->integrator, &kinetic, &potential, NULL), DLS_OK);
  return kinetic + potential;
}

int fixture_count(const fixture *r, dls_event_kind kind)
{
  int count = 0;
  for (int k = 0; k < r->events && k < RIDE_EVENTS; k++) count += r->kind[k] == kind;
  return count;
}

double fixture_time(const fixture *r, dls_event_kind kind)
{
  for (int k = 0; k < r->events && k < RIDE_EVENTS; k++)
    if (r->kind[k] == kind) return r->time[k];
  fail_msg("no %s", dls_event_name(kind));
  return 0;
}

void fixture_chain(int links, char *text, size_t size)
{
  char *to = text;
  char *const end = text + size;
  for (int i = 1; i <= links; i++)
    to += snprintf(
        to, (size_t)(end - to),
        "coordinate x%d = %d*0.1, y%d = 0\nkinetic 0.05*(x%d'^2 + y%d'^2)\npotential 0.981*y%d\n"
        "unilateral floor%d: y%d >= -1 { slip x%d'; friction 0.3 }\n",
        i, i, i, i, i, i, i, i, i);
  to += snprintf(to, (size_t)(end - to), "bilateral rod1: x1^2 + y1^2 = 0.1^2\n");
  for (int i = 2; i <= links; i++)
    to +=
        snprintf(to, (size_t)(end - to), "bilateral rod%d: (x%d - x%d)^2 + (y%d - y%d)^2 = 0.1^2\n",
                 i, i, i - 1, i, i - 1);
  assert_true(to < end);
}
