// The report of solving when memory runs out: the k-th allocation fails, for every k.
#include "failing.h"
#include <delassus/solve_report.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

static long living;  // allocations of jansson

static void *json_malloc_counted(size_t size)
{
  void *place = failing_now() ? NULL : __real_malloc(size);
  living += place != NULL;
  return place;
}

static void json_free_counted(void *place)
{
  living -= place != NULL;
  free(place);
}

static dls_status make_text(const dls_solve_summary *s, char **text)
{
  const dls_report_options look = {.colour = true};
  return dls_solve_text(s, &look, text);
}

static void run(dls_status (*make)(const dls_solve_summary *, char **), const dls_solve_summary *s)
{
  for (long k = 0;; k++) {
    char *text = NULL;
    failing_start(k);
    const dls_status status = make(s, &text);
    const bool survived = !failing_stop();
    assert_int_equal(living, 0);
    assert_int_equal(status, survived ? DLS_OK : DLS_ERR_MEMORY);
    assert_true((text != NULL) == survived);
    dls_report_text_free(text);
    if (survived) {
      assert_true(k > 3);
      return;
    }
  }
}

static void run_both(dls_solve_summary *s)
{
  for (int compare = 0; compare < 2; compare++) {
    at_case("compare %d", compare);
    s->compare = compare;
    run(dls_solve_json, s);
    run(make_text, s);
  }
}

static const double numbers[] = {1, 2, 3, 4};
static const dls_solve_sample moment = {3, 0.1, 1e-3, "nsgs"};

static void friction(void **state)
{
  (void)state;
  static const int starts[3] = {0};
  const unsigned char mode[] = {DLS_SOLVABLE_OPEN};
  const dls_solvable_leaf leaf = {.mode = mode, .y = numbers};
  const dls_solvable verdict = {.answer = DLS_NO,
                                .by = "cases",
                                .shows = "y",
                                .bound = 1e9,
                                .contacts = 1,
                                .rows = 2,
                                .leaves = 1,
                                .leaf = &leaf};
  const dls_incremental problem = {
      .dimension = 2,
      .contacts = 1,
      .mu = numbers,
      .W = {.pattern = {.rows = 2, .cols = 2, .p = starts}},
  };
  const dls_incremental_error stored = {.q = 1};
  const dls_solve_report report = {.solver = "nsgs", .stop = DLS_STOP_TIME, .error = {.q = 1e-4}};
  const dls_solve_run runs[] = {{.asked = "auto",
                                 .friction = &report,
                                 .r = numbers,
                                 .u = numbers,
                                 .moments = 1,
                                 .history = &moment},
                                {.asked = "interior", .failure = "it is singular \xff"}};
  dls_solve_summary s = {.file = "a\xff.hdf5",
                         .title = "A problem",
                         .problem = &problem,
                         .stored = &stored,
                         .tolerance = 1e-8,
                         .runs = 2,
                         .run = runs};
  run_both(&s);
  s.existence_missing = "too large";
  run_both(&s);
  s.existence_missing = NULL;
  s.solvable = &verdict;
  run_both(&s);
}

static void complementarity(void **state)
{
  (void)state;
  const dls_mlcp lcp = {.n = 2, .free = 1, .M = numbers, .q = numbers};
  const signed char choice[] = {0, 1};
  const bool basis[] = {true, false};
  const dls_lcp_leaf leaf = {.choice = choice, .y = numbers};
  const dls_lcp_existence verdict = {.answer = DLS_UNDECIDED,
                                     .by = "nothing",
                                     .n = 2,
                                     .z = numbers,
                                     .basis = basis,
                                     .leaves = 1,
                                     .leaf = &leaf};
  const dls_lcp_report report = {
      .solver = "lemke",
      .stop = DLS_LCP_STOP_ITERATIONS,
      .error = 1,
      .attempts = 2,
      .attempt = {{.solver = "lemke", .error = INFINITY}, {.solver = "psor", .error = 1}}};
  const dls_solve_run a_run = {
      .asked = "auto", .lcp = &report, .z = numbers, .moments = 1, .history = &moment};
  dls_solve_summary s = {
      .lcp = &lcp, .tolerance = 1e-8, .runs = 1, .run = &a_run, .existence = &verdict};
  run_both(&s);
}

int main(void)
{
  json_set_alloc_funcs(json_malloc_counted, json_free_counted);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction),
      cmocka_unit_test(complementarity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
