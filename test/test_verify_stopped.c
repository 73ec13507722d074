// A verification that its caller stops: at whichever call of the watch, it ends with
// DLS_ERR_STOPPED, without a result and without anything left behind (the debug preset looks); a
// watch that only looks on changes nothing. And a long one asks often.
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

typedef struct watcher {
  int calls, last;  // the call that stops; -1: none
  double done, longest;
  clock_t before;
} watcher;

static bool look(void *self, double done)
{
  watcher *w = self;
  assert_true(done >= w->done && done <= 1);
  w->done = done;
  const clock_t now = clock();  // of this program, whatever else runs
  const double waited = (double)(now - w->before) / CLOCKS_PER_SEC;
  if (w->calls && waited > w->longest) w->longest = waited;
  w->before = now;
  return w->calls++ == w->last;
}

static dls_status run(const subject *s, int last, watcher *w, dls_verification **v)
{
  *w = (watcher){.last = last};
  dls_verify_options options = dls_verify_defaults();
  options.watch = look, options.self = w;
  dls_saved_report *saved = save_report(s->report);
  const dls_status status = dls_verify_run(saved, s->model, s->system, &options, v, NULL);
  dls_saved_report_free(saved);
  return status;
}

static void stop(const char *model, const char *sets, const char *at)
{
  subject s = ask_about(model, sets, at);
  dls_verification *plain = verify(&s), *v;
  watcher w;
  assert_int_equal(run(&s, -1, &w, &v), DLS_OK);
  assert_int_equal(v->findings, plain->findings);
  for (int k = 0; k < v->findings; k++) {
    assert_string_equal(v->finding[k].name, plain->finding[k].name);
    assert_int_equal(v->finding[k].found, plain->finding[k].found);
  }
  const int calls = w.calls;
  assert_true(calls > 5 && w.done > 0.3);
  for (int last = 0; last < calls; last += 1 + calls / 40) {
    dls_verification *none = plain;
    const dls_status status = run(&s, last, &w, &none);
    if (status != DLS_ERR_STOPPED || none || w.calls != last + 1)
      fail_msg("stopped at call %d of %d: status %d after %d", last, calls, status, w.calls);
  }
  dls_verification *again = verify(&s);  // stopping leaves nothing behind
  assert_int_equal(again->holds, plain->holds);
  dls_verification_free(again);
  dls_verification_free(v);
  dls_verification_free(plain);
  close_subject(&s);
}

static void frictionless(void **state)
{
  (void)state;
  stop(shelf, "", NULL);
  stop(linked, "", NULL);
}

static void with_friction(void **state)
{
  (void)state;
  stop(block, "", NULL);
  stop(grasp, "", NULL);
}

// A chain of n masses, each pressed against the next: the matrices are large.
static char *make_chain(int n)
{
  const size_t room = 300 * (size_t)n + 100;
  char *text = malloc(room);
  size_t used = 0;
  assert_non_null(text);
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, room - used, "%s x%d%s", i ? "," : "coordinate", i,
                             i == n - 1 ? "\nkinetic 0" : "");
  for (int i = 0; i < n; i++) used += (size_t)snprintf(text + used, room - used, " + x%d'^2", i);
  for (int i = 1; i < n; i++)
    used += (size_t)snprintf(text + used, room - used, " + x%d'*x%d'/2", i - 1, i);
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, room - used, "\nforce x%d = -1", i);
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, room - used,
                             i ? "\nunilateral c%d: x%d - x%d >= 0" : "\nunilateral c%d: x%d >= 0",
                             i, i, i - 1);
  snprintf(text + used, room - used, "\n");
  return text;
}

// Its Delassus matrix is enclosed to a few digits less than it has rows: its pivots hold all the
// same.
static void asks_often(void **state)
{
  (void)state;
  char *text = make_chain(160);
  subject s = ask_about(text, "", NULL);
  dls_verification *v;
  watcher w;
  assert_int_equal(run(&s, -1, &w, &v), DLS_OK);
  assert_true(v->holds);
  if (w.longest > 1) fail_msg("no question for %g s", w.longest);
  dls_verification_free(v);
  close_subject(&s);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frictionless),
      cmocka_unit_test(with_friction),
      cmocka_unit_test(asks_often),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
