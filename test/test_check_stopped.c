// A check that its caller stops: at whichever call of the watch, it ends with DLS_ERR_STOPPED and
// without a result; a watch that only looks on changes nothing.
#include "example.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

typedef struct watcher {
  int calls, last;  // the call that stops; -1: none
  double done;
} watcher;

static bool look(void *self, double done)
{
  watcher *w = self;
  assert_true(done >= w->done && done <= 1);
  w->done = done;
  return w->calls++ == w->last;
}

static void run(const example *e, int last, watcher *w, dls_status *status, dls_check **check)
{
  *w = (watcher){.last = last};
  dls_check_options options = dls_check_defaults();
  options.watch = look, options.self = w;
  dls_message message;
  *status = dls_check_run(&e->contacts->problem, &options, check, &message);
}

static void stopped(const char *model, const char *at)
{
  example e = example_open(model, at, "%s", "");
  watcher w;
  dls_status status;
  dls_check *check;
  run(&e, -1, &w, &status, &check);
  assert_int_equal(status, DLS_OK);
  assert_true(w.done == 1);
  for (int k = 0; k < DLS_QUESTION_COUNT; k++) {
    // the example was asked about its object too
    if (check->verdict[k].answer == 0 || k == DLS_FORM_CLOSURE || k == DLS_FORCE_CLOSURE) continue;
    example_answer(&e, (dls_question)k, check->verdict[k].answer);
  }
  dls_check_free(check);
  const int calls = w.calls;
  assert_true(calls > 5);
  for (int last = 0; last < calls; last += 1 + calls / 40) {
    at_case("last %d", last);
    run(&e, last, &w, &status, &check);
    if (status != DLS_ERR_STOPPED || check || w.calls != last + 1)
      fail_msg("%s: stopped at call %d of %d: status %d after %d", model, last, calls, status,
               w.calls);
  }
  example_close(&e);
}

static void frictionless(void **state)
{
  (void)state;
  stopped("block-stack", NULL);
}

static void with_friction(void **state)
{
  (void)state;
  stopped("ladder", NULL);
  stopped("grasp-2d", NULL);
}

// The tree of modes, which may be large, asks at each of its nodes.
static void inside_the_tree(void **state)
{
  (void)state;
  enum { STEPS = 8 };  // of a check, at most, when only the solutions are wanted
  example e = example_open("ladder", NULL, "%s", "");
  watcher w = {.last = -1};
  dls_check_options options = dls_check_defaults();
  options.watch = look, options.self = &w, options.ask = DLS_ASK_SOLUTIONS;
  dls_check *check;
  assert_int_equal(dls_check_run(&e.contacts->problem, &options, &check, NULL), DLS_OK);
  dls_check_free(check);
  assert_true(w.calls > STEPS);
  for (int last = STEPS; last < w.calls; last++) {
    at_case("last %d", last);
    watcher stop = {.last = last};
    options.self = &stop;
    assert_int_equal(dls_check_run(&e.contacts->problem, &options, &check, NULL), DLS_ERR_STOPPED);
    assert_null(check);
  }
  example_close(&e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frictionless),
                                     cmocka_unit_test(with_friction),
                                     cmocka_unit_test(inside_the_tree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
