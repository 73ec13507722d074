// The report of solving: what each contact does, the JSON, the text, and what is refused.
#include <delassus/solve_report.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { CONTACTS = 4, ROWS = 3 * CONTACTS };

static const double mu[CONTACTS] = {0.5, 0.5, 0.5, 0};
static int starts[ROWS + 1];
static const dls_incremental problem = {
    .dimension = 3,
    .contacts = CONTACTS,
    .mu = mu,
    .W = {.pattern = {.rows = ROWS, .cols = ROWS, .p = starts}, .x = NULL},
};

// open, sticking, sliding, sliding without friction
static const double r[ROWS] = {0, 0, 0, 2, 0.6, -0.6, 4, -2, 0, 1, 0, 0};
static const double u[ROWS] = {1, 0.1, 0, 0, 0, 0, 0, 3, 0, 0, 0, -1};

static const dls_solve_sample moments[] = {{0, 0, 1, "nsgs"}, {7, 0.5, NAN, "newton"}};

static dls_solve_report good(void)
{
  return (dls_solve_report){.converged = true,
                            .error = {.natural = 1e-9,
                                      .q = 1e-10,
                                      .siconos = 1e-11,
                                      .fclib = 1e-12,
                                      .scaled = 2e-10,
                                      .largest = 3e-10},
                            .stop = DLS_STOP_CONVERGED,
                            .solver = "newton",
                            .iterations = 7,
                            .seconds = 0.5};
}

static json_t *json_of(const dls_solve_summary *s)
{
  char *text = NULL;
  json_error_t error;
  assert_int_equal(dls_solve_json(s, &text), DLS_OK);
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
  json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  assert_non_null(o);
  dls_report_text_free(text);
  return o;
}

static void has_words(const dls_solve_summary *s, const char *words, bool expected)
{
  char *text = NULL;
  assert_int_equal(dls_solve_text(s, NULL, &text), DLS_OK);
  if ((strstr(text, words) != NULL) != expected) print_message("%s\n%s\n", words, text);
  assert_true((strstr(text, words) != NULL) == expected);
  dls_report_text_free(text);
}

static double number(json_t *o, const char *key)
{
  assert_true(json_is_number(json_object_get(o, key)));
  return json_number_value(json_object_get(o, key));
}

// ---- contacts ----------------------------------------------------------------------------------

static void modes(void **state)
{
  (void)state;
  dls_mode_counts m = dls_incremental_modes(&problem, r, u);
  assert_int_equal(m.open, 1);
  assert_int_equal(m.sticking, 1);
  assert_int_equal(m.sliding, 2);
  assert_int_equal(m.strongest, 2);
  assert_true(fabs(m.largest - sqrt(20)) < 1e-15);

  // in the plane, with the slip on either side
  const dls_incremental plane = {
      .dimension = 2, .contacts = 2, .mu = mu, .W = {.pattern = {4, 4, starts, NULL}}};
  const double r2[] = {2, 1, 2, -1}, u2[] = {0, -1, 0, 0};
  m = dls_incremental_modes(&plane, r2, u2);
  assert_int_equal(m.sliding, 1);
  assert_int_equal(m.sticking, 1);

  // the same in other units: forces are huge, or next to nothing
  static const int first[] = {0, 1, 2, 3, 4}, row[] = {0, 1, 2, 3};
  for (int k = -40; k <= 40; k += 80) {
    at_case("k %d", k);
    const double x = ldexp(1, -k), W[] = {x, x, x, x}, y = ldexp(1, k);
    const double r3[] = {2 * y, y, 2 * y, -0.99 * y};
    dls_incremental other = plane;
    other.W = (dls_matrix_view){{4, 4, first, row}, W};
    m = dls_incremental_modes(&other, r3, u2);
    assert_int_equal(m.sliding, 1);
    assert_int_equal(m.sticking, 1);
  }

  const dls_incremental nothing = {.dimension = 3};
  m = dls_incremental_modes(&nothing, NULL, NULL);
  assert_int_equal(m.strongest, -1);
  assert_int_equal(m.open + m.sticking + m.sliding, 0);
}

// ---- one solver --------------------------------------------------------------------------------

static void converged(void **state)
{
  (void)state;
  const dls_solve_report report = good();
  const dls_solve_run run = {
      .asked = "auto", .friction = &report, .r = r, .u = u, .moments = 2, .history = moments};
  const dls_solve_summary s = {
      .file = "a\xff.hdf5", .problem = &problem, .tolerance = 1e-8, .runs = 1, .run = &run};
  assert_string_equal(dls_solve_kind(&s), "fc3d");
  json_t *o = json_of(&s);
  assert_string_equal(json_string_value(json_object_get(o, "kind")), "fc3d");
  assert_true(json_is_true(json_object_get(o, "converged")));
  assert_true(number(o, "error") == 3e-10);
  assert_true(number(json_object_get(o, "errors"), "scaled") == 2e-10);
  assert_true(number(json_object_get(o, "errors"), "q") == 1e-10);
  assert_true(number(json_object_get(o, "errors"), "siconos") == 1e-11);
  assert_true(number(json_object_get(o, "errors"), "fclib") == 1e-12);
  assert_null(json_object_get(json_object_get(o, "errors"), "balance"));
  assert_int_equal((int)number(json_object_get(o, "modes"), "sliding"), 2);
  assert_string_equal(json_string_value(json_object_get(o, "solver")), "newton");
  assert_string_equal(json_string_value(json_object_get(o, "asked")), "auto");
  assert_null(json_object_get(o, "exists"));
  json_t *last = json_array_get(json_object_get(o, "history"), 1);
  assert_true(json_is_null(json_object_get(last, "error")));
  json_decref(o);
  has_words(&s, "Converged: newton, called by auto; 7 iterations, 0.5 s", true);
  has_words(&s, "1 open, 1 sticking, 2 sliding", true);
  has_words(&s, "at contact 3", true);
  has_words(&s, "\n  try", false);
  has_words(&s, "exist", false);
}

static void not_converged(void **state)
{
  (void)state;
  dls_solve_report report = good();
  report.converged = false;
  report.stop = DLS_STOP_ITERATIONS;
  report.error = (dls_incremental_error){.natural = 1,
                                         .q = 3e-7,
                                         .siconos = 1e-9,
                                         .fclib = 2,
                                         .scaled = 3e-7,
                                         .balance = 0.1,
                                         .largest = 0.1};
  const dls_solve_run run = {.asked = "nsgs", .friction = &report, .r = r, .u = u};
  dls_incremental global = problem;
  global.global = true;
  global.dof = 5;
  global.M = (dls_matrix_view){.pattern = {.rows = 5, .cols = 5, .p = starts}};
  global.H = (dls_matrix_view){.pattern = {.rows = 5, .cols = ROWS, .p = starts}};
  dls_solve_summary s = {.problem = &global, .tolerance = 1e-8, .runs = 1, .run = &run};
  has_words(&s, "Not converged: nsgs, the iteration limit was reached; 7 iterations", true);
  has_words(&s, "more of --max-iterations; --solver auto; --all", true);
  has_words(&s, "which this point fulfils", false);  // the balance is not small
  report.error.balance = 1e-9, report.error.largest = 3e-7;
  has_words(&s, "--tol 1e-06, which this point fulfils", true);
  report.error.balance = report.error.largest = 0.1;
  has_words(&s, "global form (gfc3d)", true);

  const dls_solvable verdict = {
      .answer = DLS_NO, .by = "Farkas", .shows = "y", .bound = INFINITY, .margin = 1};
  s.solvable = &verdict;
  has_words(&s, "\n  try", false);
  has_words(&s, "no         Farkas; the witness, in --json, shows: y", true);
  json_t *o = json_of(&s);
  assert_string_equal(json_string_value(json_object_get(o, "kind")), "gfc3d");
  assert_int_equal((int)number(o, "dof"), 5);
  assert_true(number(json_object_get(o, "errors"), "balance") == 0.1);
  json_t *exists = json_object_get(o, "exists");
  assert_string_equal(json_string_value(json_object_get(exists, "answer")), "no");
  assert_null(json_object_get(exists, "exact"));
  json_decref(o);

  // a point that is good enough, of data that have no exact solution: never "no" and "converged"
  report.converged = true, report.error.largest = 1e-9;
  has_words(&s, "Converged", true);
  has_words(&s, "\n  undecided  the data exactly as they stand have no solution, but with", true);
  has_words(&s, "\n  no ", false);
  o = json_of(&s);
  exists = json_object_get(o, "exists");
  assert_true(json_is_true(json_object_get(o, "converged")));
  assert_string_equal(json_string_value(json_object_get(exists, "answer")), "undecided");
  assert_string_equal(json_string_value(json_object_get(exists, "exact")), "no");
  assert_non_null(strstr(json_string_value(json_object_get(exists, "by")), "data: Farkas"));
  assert_true(json_is_object(json_object_get(exists, "witness")));
  json_decref(o);
  report.converged = false, report.error.largest = 0.1;

  s.solvable = NULL;
  s.existence_missing = "too large";
  o = json_of(&s);
  exists = json_object_get(o, "exists");
  assert_string_equal(json_string_value(json_object_get(exists, "answer")), "undecided");
  assert_string_equal(json_string_value(json_object_get(exists, "by")), "too large");
  json_decref(o);
}

// A residual that is no number is null, and never counts as small.
static void no_number(void **state)
{
  (void)state;
  dls_solve_report report = good();
  report.converged = false;
  report.stop = DLS_STOP_NUMERICS;
  report.error = (dls_incremental_error){
      .natural = NAN, .q = NAN, .siconos = INFINITY, .fclib = NAN, .balance = NAN, .largest = NAN};
  const dls_solve_run run = {.asked = "auto", .friction = &report};
  const dls_solve_summary s = {.problem = &problem, .tolerance = 1e-8, .runs = 1, .run = &run};
  json_t *o = json_of(&s);
  assert_true(json_is_null(json_object_get(o, "error")));
  assert_true(json_is_null(json_object_get(json_object_get(o, "errors"), "siconos")));
  assert_true(json_is_false(json_object_get(o, "converged")));
  json_decref(o);
  has_words(&s, "which this point fulfils", false);
}

// ---- complementarity ---------------------------------------------------------------------------

static void complementarity(void **state)
{
  (void)state;
  const double M[] = {2, 1, 1, 2}, q[] = {-4, -5}, z[] = {1, 2};
  const dls_mlcp lcp = {.n = 2, .free = 1, .M = M, .q = q};
  const dls_lcp_report report = {.stop = DLS_LCP_STOP_RAY,
                                 .error = 0.5,
                                 .error_in_units = 0.75,
                                 .solver = "lemke",
                                 .attempts = 2,
                                 .attempt = {{"pivoting", DLS_LCP_STOP_UNSUITED, 0, INFINITY},
                                             {"lemke", DLS_LCP_STOP_RAY, 3, 0.5}}};
  const signed char choice[] = {0, 1};
  const dls_lcp_leaf leaf = {.choice = choice, .y = z};
  const bool basis[] = {true, false};
  dls_lcp_existence verdict = {
      .answer = DLS_NO, .by = "Farkas", .n = 2, .leaves = 1, .leaf = &leaf, .error = NAN};
  const dls_solve_run run = {.asked = "auto", .lcp = &report, .z = z};
  const dls_solve_summary s = {
      .lcp = &lcp, .tolerance = 1e-8, .runs = 1, .run = &run, .existence = &verdict};
  assert_string_equal(dls_solve_kind(&s), "mlcp");
  json_t *o = json_of(&s);
  assert_int_equal((int)json_array_size(json_object_get(o, "z")), 2);
  assert_true(number(json_object_get(o, "errors"), "units") == 0.75);
  json_t *attempt = json_array_get(json_object_get(o, "attempts"), 0);
  assert_true(json_is_null(json_object_get(attempt, "error")));
  json_t *witness = json_object_get(json_object_get(o, "exists"), "witness");
  assert_int_equal((int)json_array_size(json_object_get(witness, "leaves")), 1);
  assert_null(json_object_get(witness, "z"));
  json_decref(o);
  has_words(&s, "pivoting: the matrix is not of the kind that the method needs; lemke:", true);

  verdict = (dls_lcp_existence){
      .answer = DLS_YES, .by = "a point", .n = 2, .z = z, .error = 1e-20, .basis = basis};
  o = json_of(&s);
  witness = json_object_get(json_object_get(o, "exists"), "witness");
  assert_true(number(witness, "error") == 1e-20);
  assert_true(json_is_true(json_array_get(json_object_get(witness, "basis"), 0)));
  json_decref(o);
}

// ---- several solvers ---------------------------------------------------------------------------

static void several(void **state)
{
  (void)state;
  dls_solve_report one = good(), two = good();
  two.converged = false;
  two.stop = DLS_STOP_STALLED;
  const dls_solve_run runs[] = {{.asked = "auto", .friction = &one},
                                {.asked = "nsgs", .friction = &two},
                                {.asked = "interior", .failure = "the mass matrix is singular"}};
  dls_solve_summary s = {
      .problem = &problem, .tolerance = 1e-8, .compare = true, .runs = 3, .run = runs};
  json_t *o = json_of(&s), *all = json_object_get(o, "runs");
  assert_int_equal((int)json_array_size(all), 3);
  assert_null(json_object_get(o, "converged"));
  json_t *last = json_array_get(all, 2);
  assert_string_equal(json_string_value(json_object_get(last, "failure")),
                      "the mass matrix is singular");
  assert_string_equal(json_string_value(json_object_get(last, "stopped")),
                      "the mass matrix is singular");
  assert_true(json_is_null(json_object_get(last, "error")));
  json_decref(o);
  has_words(&s, "converged (newton)", true);
  has_words(&s, "the mass matrix is singular", true);
  has_words(&s, "no progress any more", true);
  s.runs = 0;
  json_decref(json_of(&s));
}

static void refused(void **state)
{
  (void)state;
  const dls_mlcp lcp = {.n = 0};
  const dls_lcp_report lcp_report = {.solver = "lemke"};
  const dls_solve_report report = good();
  const dls_solve_run run = {.asked = "auto", .friction = &report};
  const dls_solve_run other = {.asked = "auto", .lcp = &lcp_report};
  const dls_solve_summary wrong[] = {
      {.runs = 1, .run = &run},                                    // no problem
      {.problem = &problem, .lcp = &lcp, .runs = 1, .run = &run},  // two
      {.problem = &problem},                                       // no run
      {.problem = &problem, .runs = 1, .run = &other},             // of another kind
      {.lcp = &lcp, .runs = 1, .run = &run},
  };
  char *text = NULL;
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    at_case("k %zu", k);
    assert_int_equal(dls_solve_json(&wrong[k], &text), DLS_ERR_ARGUMENT);
    assert_int_equal(dls_solve_text(&wrong[k], NULL, &text), DLS_ERR_ARGUMENT);
    assert_null(text);
  }
  assert_int_equal(dls_solve_json(NULL, &text), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_solve_text(NULL, NULL, &text), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_solve_json(&wrong[0], NULL), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes),           cmocka_unit_test(converged),
      cmocka_unit_test(not_converged),   cmocka_unit_test(no_number),
      cmocka_unit_test(complementarity), cmocka_unit_test(several),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
