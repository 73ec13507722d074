// Systems of several parts with schemes that locate events: each part moves as it does alone, to
// the last bit where steps are fixed; events come in the order of time, with all parts where they
// are then; and a run that is taken up goes on in the same way.
#include "numbers.h"
#include "parts_maker.h"

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

static const char *const schemes[] = {"radau5", "herk4", "radau3", "lobatto4", "herk2", "herk5"};

enum { SCHEMES = sizeof schemes / sizeof *schemes };

static parts_text text;

// The state of the part in the whole is that of the part alone.
static void same_sample(const parts_run *whole, const parts_run *alone, const char *what)
{
  const dls_sample a = dls_integrator_sample(whole->integrator);
  const dls_sample b = dls_integrator_sample(alone->integrator);
  assert_true(a.t == b.t);
  for (int i = 0; i < b.n; i++) {
    const int at = parts_coordinate(whole->system, alone->system->coordinates[i]);
    if (memcmp(&a.q[at], &b.q[i], sizeof(double)) != 0 ||
        memcmp(&a.v[at], &b.v[i], sizeof(double)) != 0)
      fail_msg("%s, t = %.17g: %s = %.17g, alone %.17g\n%s", what, a.t,
               alone->system->coordinates[i], a.q[at], b.q[i], text.whole);
  }
  for (int j = 0; j < b.m; j++) {
    const int at = parts_contact(whole->system, alone->system->contacts[j].name);
    assert_int_equal(a.status[at], b.status[j]);
    for (int k = 0; k <= alone->system->contacts[j].tangents; k++)
      assert_true(a.impulse[parts_impulse(whole->system, at) + k] ==
                  b.impulse[parts_impulse(alone->system, j) + k]);
  }
}

static void same_event(const parts_run *whole, const parts_event *a, const parts_run *alone,
                       const parts_event *b)
{
  assert_string_equal(a->contact, b->contact);
  assert_int_equal(a->kind, b->kind);
  assert_true(a->t == b->t);
  for (int i = 0; i < alone->system->n; i++) {
    const int at = parts_coordinate(whole->system, alone->system->coordinates[i]);
    assert_true(a->q[at] == b->q[i]);
    assert_true(a->v_before[at] == b->v_before[i]);
    assert_true(a->v_after[at] == b->v_after[i]);
  }
}

// The events of the whole are those of all parts, in the order of time.
static void same_events(const parts_run *whole, parts_run *const *alone)
{
  int next[PARTS_MOST] = {0}, sum = 0;
  for (int k = 0; k < whole->events; k++) {
    const parts_event *e = &whole->event[k];
    if (k > 0) assert_true(e->t >= e[-1].t);
    int part = 0;
    while (parts_contact(alone[part]->system, e->contact) < 0) part++;
    assert_true(next[part] < alone[part]->events);
    same_event(whole, e, alone[part], &alone[part]->event[next[part]++]);
  }
  for (int k = 0; k < text.count; k++) sum += alone[k]->events;
  assert_int_equal(sum, whole->events);
  assert_int_equal(dls_integrator_counts(whole->integrator).events, sum);
}

// Runs both until one fails, in which case the other does at the same step; returns the events.
static int compare(const char *scheme, double step, double until)
{
  parts_run *whole = parts_open(text.whole, scheme, step, 0), *alone[PARTS_MOST];
  dls_message message = {""};
  if (whole->system->parts != text.count)
    fail_msg("%d parts\n%s", whole->system->parts, text.whole);
  for (int k = 0; k < text.count; k++) alone[k] = parts_open(text.alone[k], scheme, step, 0);
  dls_failure failure = DLS_FAILURE_NONE;
  while (dls_integrator_sample(whole->integrator).t < until) {
    dls_failure own = DLS_FAILURE_NONE;
    failure = parts_advance(whole, until, &message);
    for (int k = 0; k < text.count && own == DLS_FAILURE_NONE; k++)
      own = parts_advance(alone[k], until, NULL);
    assert_int_equal(failure, own);
    if (failure != DLS_FAILURE_NONE) break;
    for (int k = 0; k < text.count; k++) same_sample(whole, alone[k], scheme);
  }
  if (failure == DLS_FAILURE_NONE) same_events(whole, alone);
  const int events = failure == DLS_FAILURE_NONE ? whole->events : 0;
  parts_close(whole);
  for (int k = 0; k < text.count; k++) parts_close(alone[k]);
  return events;
}

static void as_alone(void **state)
{
  (void)state;
  int events = 0;
  for (int k = 0; k < TRIED(60); k++) {
    at_case("k %d", k);
    parts_draw(&text, 2 + below(PARTS_MOST - 1), k % 3 == 2);
    events += compare(schemes[k % SCHEMES], 0.02, 0.8 + 0.013 * below(3));
  }
  assert_true(events > TRIED(60) * 5);
}

static void copies(void **state)
{
  (void)state;
  for (int k = 0; k < parts_kinds(); k++) {
    at_case("k %d", k);
    parts_copy(&text, k, k % 2 ? 2 : PARTS_MOST);
    compare(schemes[k % 2], 0.01, 0.6);
  }
}

// More events in one step than there is room for: balls that bounce low and often.
static void many_events(void **state)
{
  (void)state;
  text.count = 8;
  text.whole[0] = '\0';
  for (int k = 0; k < text.count; k++) {
    snprintf(text.alone[k], sizeof text.alone[k],
             "coordinate y%d = %g\nkinetic y%d'^2/2\npotential 10*y%d\n"
             "unilateral f%d: y%d >= 0 { restitution 0.95 }\n",
             k, 1e-4 + 1e-5 * k, k, k, k, k);
    strcat(text.whole, text.alone[k]);
  }
  assert_true(compare("herk4", 0.3, 0.3) > 2 * (64 + 4 * 8));
}

// Where the other parts are at an event: a ball that flies, in closed form; a pendulum, by a run
// with steps that are much shorter.
static void other_parts(void **state)
{
  (void)state;
  static const char *const model =
      "coordinate y = 5, a = 1, b = 1.1, c = 1.2, d = 1.3, w = 1\n"
      "kinetic y'^2/2 + a'^2/2 + b'^2/2 + c'^2/2 + d'^2/2 + w'^2/2\n"
      "potential 10*(y + a + b + c + d) - 10*cos(w)\n"
      "unilateral f: y >= -100\nunilateral fa: a >= 0 { restitution 0.5 }\n"
      "unilateral fb: b >= 0 { restitution 0.5 }\nunilateral fc: c >= 0 { restitution 0.5 }\n"
      "unilateral fd: d >= 0 { restitution 0.5 }\n";
  static const char *const pendulum = "coordinate w = 1\nkinetic w'^2/2\npotential -10*cos(w)\n";
  const double steps[] = {0.005, 0.15};  // few events in a step, and many
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    parts_run *r = parts_open(model, k % 2 ? "radau5" : "herk5", steps[k / 2], k == 3 ? 1e-9 : 0);
    assert_int_equal(r->system->parts, 6);
    while (dls_integrator_sample(r->integrator).t < 1.5)
      assert_int_equal(parts_advance(r, 1.5, NULL), DLS_FAILURE_NONE);
    assert_true(r->events > 8);
    const double within = k / 2 && k != 3 ? 3e-4 : 1e-8;
    for (int i = 0; i < r->events; i++) {
      const parts_event *e = &r->event[i];
      close_to(e->q[0], 5 - 5 * e->t * e->t, 1e-12);
      close_to(e->v_before[0], -10 * e->t, 1e-12);
      assert_true(e->v_after[0] == e->v_before[0]);
      parts_run *fine = parts_open(pendulum, "radau5", 1e-3, 0);
      while (dls_integrator_sample(fine->integrator).t < e->t)
        assert_int_equal(parts_advance(fine, e->t, NULL), DLS_FAILURE_NONE);
      close_to(e->q[5], dls_integrator_sample(fine->integrator).q[0], within);
      close_to(e->v_after[5], dls_integrator_sample(fine->integrator).v[0], within);
      parts_close(fine);
    }
    parts_close(r);
  }
}

// A fresh integrator that is given a moment goes on as the one that it was taken from.
static void taken_up(void **state)
{
  (void)state;
  for (int k = 0; k < TRIED(24); k++) {
    parts_draw(&text, 2 + below(5), k % 2 == 1);
    const double tolerance = k % 3 == 2 ? 1e-7 : 0;
    const char *scheme = schemes[k % SCHEMES];
    at_case("%s", scheme);
    parts_run *first = parts_open(text.whole, scheme, 0.02, tolerance);
    parts_run *second = parts_open(text.whole, scheme, 0.02, tolerance);
    dls_failure failure = DLS_FAILURE_NONE;
    int heard = 0;
    while (failure == DLS_FAILURE_NONE && dls_integrator_sample(first->integrator).t < 0.7) {
      const dls_sample now = dls_integrator_sample(first->integrator);
      assert_int_equal(dls_integrator_restart(second->integrator, &now, NULL), DLS_OK);
      assert_int_equal(dls_integrator_restart(first->integrator, &now, NULL), DLS_OK);
      if (below(3) == 0) {  // not only from one step to the next
        parts_close(second);
        second = parts_open(text.whole, scheme, 0.02, tolerance);
        assert_int_equal(dls_integrator_restart(second->integrator, &now, NULL), DLS_OK);
        heard = first->events;
      }
      failure = parts_advance(first, 0.7, NULL);
      assert_int_equal(parts_advance(second, 0.7, NULL), failure);
      if (failure != DLS_FAILURE_NONE) break;
      same_sample(first, second, scheme);
      const dls_sample a = dls_integrator_sample(first->integrator);
      const dls_sample b = dls_integrator_sample(second->integrator);
      assert_true(a.next_step == b.next_step);
      assert_memory_equal(a.scheme_state, b.scheme_state, a.scheme_state_size * sizeof(double));
      assert_int_equal(first->events - heard, second->events);
      for (int i = 0; i < second->events; i++)
        same_event(first, &first->event[heard + i], second, &second->event[i]);
    }
    parts_close(first);
    parts_close(second);
  }
}

// Steps that are chosen: the parts end where they end alone, as exactly as was asked for.
static void adaptive_steps(void **state)
{
  (void)state;
  static const char *const model =
      "coordinate y = 1, w = 1, z = 0.2\nkinetic y'^2/2 + w'^2/2 + z'^2/2\n"
      "potential 10*y - 1000*cos(w) + 10*z\nunilateral f: y >= 0 { restitution 0.5 }\n"
      "unilateral g: z >= 0\n";
  static const char *const alone = "coordinate w = 1\nkinetic w'^2/2\npotential -1000*cos(w)\n";
  for (int k = 0; k < 2; k++) {
    at_case("%s", schemes[k]);
    parts_run *r = parts_open(model, schemes[k], 0.01, 1e-9);
    parts_run *own = parts_open(alone, schemes[k], 0.01, 1e-9);
    while (dls_integrator_sample(r->integrator).t < 2)
      assert_int_equal(parts_advance(r, 2, NULL), DLS_FAILURE_NONE);
    while (dls_integrator_sample(own->integrator).t < 2)
      assert_int_equal(parts_advance(own, 2, NULL), DLS_FAILURE_NONE);
    const dls_sample m = dls_integrator_sample(r->integrator);
    close_to(m.q[1], dls_integrator_sample(own->integrator).q[0], 1e-5);
    close_to(m.q[2], 0, 1e-9);
    // the part that moves fast is seen: its steps are no longer than eight of its own
    const long fast = dls_integrator_counts(own->integrator).steps;
    const long steps = dls_integrator_counts(r->integrator).steps;
    assert_true(10 * steps >= fast && steps < fast);
    // it goes on with its own step, which is the right one
    assert_true(10 * dls_integrator_counts(r->integrator).rejected < fast);
    // the others pay little for it
    const long work = dls_integrator_counts(r->integrator).rhs_evaluations;
    assert_true(work < 3 * dls_integrator_counts(own->integrator).rhs_evaluations);
    parts_close(r);
    parts_close(own);
  }
}

// A part that cannot go on stops the whole, and is named.
static void failures(void **state)
{
  (void)state;
  static const char *const model =
      "coordinate y = 1, x = 0.5\nvelocity x = -1\nkinetic y'^2/2 + x'^2/2\npotential 10*y\n"
      "force x = sqrt(x)\nunilateral f: y >= 0 { restitution 0.5 }\n";
  parts_run *r = parts_open(model, "herk4", 0.01, 0);
  dls_message message = {""};
  dls_failure failure = DLS_FAILURE_NONE;
  while (failure == DLS_FAILURE_NONE) {
    assert_true(dls_integrator_sample(r->integrator).t < 2);
    failure = parts_advance(r, 2, &message);
  }
  assert_int_equal(failure, DLS_FAILURE_NUMBER);
  assert_non_null(strstr(message.text, "in the part of coordinate `x`"));
  assert_non_null(strstr(message.text, "between t = "));
  assert_null(dls_integrator_problem(r->integrator, NULL));
  const dls_sample m = dls_integrator_sample(r->integrator);
  assert_true(m.q[1] > 0 && m.t > 0.5);
  assert_int_equal(r->events, dls_integrator_counts(r->integrator).events);
  parts_close(r);
}

// A contact problem that has no solution is that of the part, with contacts of the whole.
static void no_solution(void **state)
{
  (void)state;
  static const char *const model =
      "coordinate y = 0, a = pi/4\nkinetic ((1 + cos(a)*a')^2 + (sin(a)*a')^2)/2 + y'^2/2\n"
      "potential y - cos(a)\nunilateral floor: y >= 0\n"
      "unilateral ground: cos(pi/4) - cos(a) >= 0 { slip 1 + cos(a)*a'; friction 2 }\n";
  for (int k = 0; k < 2; k++) {
    at_case("%s", schemes[k]);
    parts_run *r = parts_open(model, schemes[k], 0.01, 0);
    dls_message message = {""};
    assert_int_equal(r->system->parts, 2);
    assert_int_equal(parts_advance(r, 1, &message), DLS_FAILURE_CONTACT);
    assert_non_null(strstr(message.text, "`ground`"));
    assert_non_null(strstr(message.text, "in the part of coordinate `a`"));
    const int *contact;
    const dls_incremental *problem = dls_integrator_problem(r->integrator, &contact);
    assert_non_null(problem);
    assert_int_equal(problem->contacts, 1);
    assert_int_equal(contact[0], 1);
    assert_true(dls_integrator_sample(r->integrator).t == 0);
    parts_close(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_alone),    cmocka_unit_test(copies),     cmocka_unit_test(many_events),
      cmocka_unit_test(other_parts), cmocka_unit_test(taken_up),   cmocka_unit_test(adaptive_steps),
      cmocka_unit_test(failures),    cmocka_unit_test(no_solution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
