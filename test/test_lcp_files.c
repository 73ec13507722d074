// Files of complementarity problems: what is in them, and what is said of those that are not in
// order.
#include "lcp/lemke.h"
#include "fclib_maker.h"

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

static const char *file_of(const char *name, const char *text)
{
  const char *path = scratch(name);
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  fclose(file);
  return path;
}

static dls_lcp_file *json(const char *text)
{
  dls_lcp_file *file = NULL;
  dls_message message;
  const dls_status status = dls_lcp_read_json(file_of("a.json", text), &file, &message);
  if (status != DLS_OK) fail_msg("%s", message.text);
  return file;
}

static dls_lcp_file *market(const char *M, const char *q, int equations)
{
  dls_lcp_file *file = NULL;
  dls_message message;
  const dls_status status =
      dls_lcp_read_market(file_of("M.mtx", M), file_of("q.mtx", q), equations, &file, &message);
  if (status != DLS_OK) fail_msg("%s", message.text);
  return file;
}

static void has(dls_lcp_file *file, int n, int equations, const double *M, const double *q)
{
  const dls_mlcp *p = dls_lcp_file_problem(file);
  assert_int_equal(p->n, n);
  assert_int_equal(p->free, equations);
  same_numbers(n * n, p->M, M);
  same_numbers(n, p->q, q);
  dls_lcp_file_free(file);
}

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define ARRAY "%%MatrixMarket matrix array real general\n"
#define VECTOR ARRAY "2 1\n-1\n0.5\n"

// M by rows in the file, by columns in memory.
static void good_json(void **state)
{
  (void)state;
  const double M[] = {1, 3, 2, -4e-3}, q[] = {-1, 12345678901234567890.0};
  has(json("{\"M\": [[1, 2], [3, -4e-3]], \"q\": [-1, 12345678901234567890]}"), 2, 0, M, q);
  has(json("{\"name\": \"x\", \"q\": [0], \"free\": 1, \"M\": [[5]]}"), 1, 1, (double[]){5},
      (double[]){0});
}

static void good_market(void **state)
{
  (void)state;
  const double M[] = {1, 3, 0, 4}, q[] = {-1, 0.5};
  has(market(GENERAL "% comment\n\n2 2 3\n1 1 1\n2 1 +3.\n%\n 2\t2 .4e1 \r\n", VECTOR, 1), 2, 1, M,
      q);
  has(market("%%matrixmarket MATRIX Array Integer General\n2 2\n1\n3\n0\n4", VECTOR, 0), 2, 0, M,
      q);
  const double symmetric[] = {1, 3, 3, 4}, skew[] = {0, 3, -3, 0};
  has(market("%%MatrixMarket matrix array real symmetric\n2 2\n1\n3\n4\n", VECTOR, 0), 2, 0,
      symmetric, q);
  has(market("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 3\n2 2 4\n",
             VECTOR, 0),
      2, 0, symmetric, q);
  has(market("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n", VECTOR, 0),
      2, 0, skew, q);
  has(market("%%MatrixMarket matrix array real skew-symmetric\n2 2\n3\n", VECTOR, 0), 2, 0, skew,
      q);
  const double only[] = {0, 7};
  has(market(GENERAL "2 2 0\n", GENERAL "2 1 1\n2 1 7\n", 2), 2, 2, (double[4]){0}, only);
}

static void numbers(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0.1", 0.1},
              {"-.5", -0.5},
              {"123456789.123456789", 123456789.123456789},
              {"2.2250738585072014e-308", 2.2250738585072014e-308},
              {"1.7976931348623157E+308", 1.7976931348623157e308},
              {"1e-400", 0},
              {"0000001.50000", 1.5},
              {"1e0", 1}};
  for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
    at_case("%s", good[k].text);
    char text[200];
    snprintf(text, sizeof text, "%s1 1\n%s\n", ARRAY, good[k].text);
    has(market(text, ARRAY "1 1\n0\n", 0), 1, 0, &good[k].value, (double[]){0});
  }
  static const char *const bad[] = {"1e",    "e5",  ".",   "1.2.3", "0x10", "nan", "inf",
                                    "1e999", "--1", "1d0", "1,5",   "1 2",  "+"};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    at_case("%s", bad[k]);
    char text[200];
    dls_lcp_file *file;
    dls_message message;
    snprintf(text, sizeof text, "%s1 1\n%s\n", ARRAY, bad[k]);
    assert_int_equal(dls_lcp_read_market(file_of("M.mtx", text), file_of("q.mtx", ARRAY "1 1\n0\n"),
                                         0, &file, &message),
                     DLS_ERR_FILE);
    assert_non_null(strstr(message.text, "M.mtx:3: expected one finite number"));
  }
}

// ---- refused -----------------------------------------------------------------------------------

static void bad_json(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    dls_status status;
    const char *message;
  } cases[] = {
      {"", DLS_ERR_FILE, "a.json:1:0: '[' or '{' expected near end of file"},
      {"{\"M\": [[1,\n 2], [3 4]]}", DLS_ERR_FILE, "a.json:2:9: ']' expected near '4'"},
      {"{\"M\": [[1]], \"M\": [[1]]}", DLS_ERR_FILE, "duplicate object key near '\"M\"'"},
      {"[1]", DLS_ERR_FILE, "there is no list M"},
      {"{\"q\": [1]}", DLS_ERR_FILE, "there is no list M"},
      {"{\"M\": 3}", DLS_ERR_FILE, "there is no list M"},
      {"{\"M\": []}", DLS_ERR_FILE, "a.json: M is empty"},
      {"{\"M\": [[1, 2], [3]]}", DLS_ERR_FILE, "a.json: M[1] has 1 numbers, expected 2"},
      {"{\"M\": [[1, 2], 3]}", DLS_ERR_FILE, "a.json: M[1] is not a list of numbers"},
      {"{\"M\": [[1, 2], [3, null]]}", DLS_ERR_FILE, "a.json: M[1][1] is not a number"},
      {"{\"M\": [[1]]}", DLS_ERR_FILE, "a.json: q is not a list of numbers"},
      {"{\"M\": [[1]], \"q\": [1, 2]}", DLS_ERR_FILE, "a.json: q has 2 numbers, expected 1"},
      {"{\"M\": [[1]], \"q\": [\"1\"]}", DLS_ERR_FILE, "a.json: q[0] is not a number"},
      {"{\"M\": [[1e999]], \"q\": [1]}", DLS_ERR_FILE, "a.json:1:13: real number overflow"},
      {"{\"M\": [[NaN]], \"q\": [1]}", DLS_ERR_FILE, "a.json:1:11: invalid token"},
      {"{\"M\": [[1]], \"q\": [1], \"free\": 2}", DLS_ERR_FILE,
       "free is not a whole number from 0"},
      {"{\"M\": [[1]], \"q\": [1], \"free\": 0.5}", DLS_ERR_FILE, "free is not a whole number"},
      {"{\"M\": [[1]], \"q\": [1], \"free\": \"1\"}", DLS_ERR_FILE, "free is not a whole number"},
      {"{\"M\": [[1]], \"q\": [1]} x", DLS_ERR_FILE, "a.json:1:24: end of file expected"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    dls_lcp_file *file = (dls_lcp_file *)&cases;
    dls_message message;
    const char *path = file_of("a.json", cases[k].text);
    at_case("%s", path);
    const dls_status status = dls_lcp_read_json(path, &file, &message);
    if (status != cases[k].status || !strstr(message.text, cases[k].message))
      fail_msg("'%s': %d '%s'", cases[k].text, status, message.text);
    assert_null(file);
    assert_int_equal(dls_lcp_read_json(path, &file, NULL), status);
  }
}

// Deep nesting, and more rows than are read.
static void large_json(void **state)
{
  (void)state;
  char *text = malloc(300000);
  dls_lcp_file *file;
  dls_message message;
  memset(text, '[', 200000), text[200000] = 0;
  assert_int_equal(dls_lcp_read_json(file_of("a.json", text), &file, &message), DLS_ERR_FILE);
  assert_non_null(strstr(message.text, "maximum parsing depth reached"));
  size_t used = (size_t)sprintf(text, "{\"M\": [[]");
  for (int k = 0; k < 5000; k++) used += (size_t)sprintf(text + used, ",[]");
  sprintf(text + used, "]}");
  assert_int_equal(dls_lcp_read_json(file_of("a.json", text), &file, &message), DLS_ERR_LIMIT);
  assert_non_null(strstr(message.text, "M has 5001 rows, more than 5000"));
  free(text);
  assert_int_equal(dls_lcp_read_json(scratch("none"), &file, &message), DLS_ERR_FILE);
  assert_non_null(strstr(message.text, "none: No such file or directory"));
  assert_int_equal(dls_lcp_read_json("test", &file, &message), DLS_ERR_FILE);
  assert_string_equal(message.text, "test: Is a directory");
}

static void bad_market(void **state)
{
  (void)state;
  static const struct {
    const char *M, *q;
    int equations;
    dls_status status;
    const char *message;
  } cases[] = {
      {"", VECTOR, 0, DLS_ERR_FILE, "M.mtx:0: expected %%MatrixMarket matrix"},
      {"2 2\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:1: expected %%MatrixMarket matrix"},
      {"%%MatrixMarket matrix coordinate complex general\n", VECTOR, 0, DLS_ERR_FILE,
       "M.mtx:1: ex"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:1: ex"},
      {"%%MatrixMarket vector coordinate real general\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:1: ex"},
      {"%%MatrixMarket matrix dense real general\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:1: ex"},
      {GENERAL, VECTOR, 0, DLS_ERR_FILE, "M.mtx:1: expected the numbers of rows, columns and ent"},
      {GENERAL "\n2 2\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:3: expected the numbers of rows, col"},
      {ARRAY "2 2 4\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:2: expected the numbers of rows and col"},
      {ARRAY "-2 2\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:2: expected the numbers of rows and col"},
      {ARRAY "2 3\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:2: 2 x 3, expected a square matrix"},
      {ARRAY "0 0\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:2: the matrix is empty"},
      {ARRAY "5001 5001\n", VECTOR, 0, DLS_ERR_LIMIT, "M.mtx:2: 5001 rows, more than 5000"},
      {ARRAY "99999999999999999999 1\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:2: expected the numbers"},
      {GENERAL "2 2 5\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:2: 5 entries are more than 2 x 2"},
      {GENERAL "2 2 1\n3 1 1\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:3: expected a row from 1 to 2"},
      {GENERAL "2 2 1\n1 0 1\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:3: expected a column from 1 to 2"},
      {GENERAL "2 2 1\n1 1\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:3: expected row, column and a fin"},
      {GENERAL "2 2 1\n1 1 1 1\n", VECTOR, 0, DLS_ERR_FILE, "M.mtx:3: expected row, column and a"},
      {GENERAL "2 2 2\n1 1 1\n1 1 2\n", VECTOR, 0, DLS_ERR_FILE,
       "M.mtx:4: entry (1, 1) is given tw"},
      {GENERAL "2 2 2\n1 1 1\n", VECTOR, 0, DLS_ERR_FILE,
       "M.mtx:3: the file ends after 1 of 2 ent"},
      {GENERAL "2 2 1\n1 1 1\n1 2 1\n", VECTOR, 0, DLS_ERR_FILE,
       "M.mtx:4: expected the end of the"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", VECTOR, 0, DLS_ERR_FILE,
       "M.mtx:3: entry (1, 2) is not below the diagonal"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", VECTOR, 0,
       DLS_ERR_FILE, "M.mtx:3: entry (1, 1) is not below the diagonal"},
      {ARRAY "2 2\n1\n2\n3\n", VECTOR, 0, DLS_ERR_FILE,
       "M.mtx:5: the file ends after 3 of 4 numbers"},
      {GENERAL "2 2 0\n", ARRAY "2 2\n", 0, DLS_ERR_FILE, "q.mtx:2: 2 x 2, expected one column"},
      {GENERAL "2 2 0\n", ARRAY "3 1\n", 0, DLS_ERR_FILE, "q.mtx:2: 3 rows, expected 2 as in "},
      {GENERAL "2 2 0\n", ARRAY "2 1\n1\n", 0, DLS_ERR_FILE, "q.mtx:3: the file ends after 1 of 2"},
      {GENERAL "2 2 0\n", VECTOR, 3, DLS_ERR_ARGUMENT, "free is 3, expected 0 to 2"},
      {GENERAL "2 2 0\n", VECTOR, -1, DLS_ERR_ARGUMENT, "free is -1, expected 0 to 2"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    dls_lcp_file *file = (dls_lcp_file *)&cases;
    dls_message message;
    const char *M = file_of("M.mtx", cases[k].M), *q = file_of("q.mtx", cases[k].q);
    at_case("%s", M);
    const dls_status status = dls_lcp_read_market(M, q, cases[k].equations, &file, &message);
    if (status != cases[k].status || !strstr(message.text, cases[k].message))
      fail_msg("expected '%s', got %d '%s'", cases[k].message, status, message.text);
    assert_null(file);
    assert_int_equal(dls_lcp_read_market(M, q, cases[k].equations, &file, NULL), status);
  }
  dls_lcp_file *file;
  assert_int_equal(dls_lcp_read_market(scratch("none"), "", 0, &file, NULL), DLS_ERR_FILE);
  const char *M = file_of("M.mtx", GENERAL "2 2 0\n");
  assert_int_equal(dls_lcp_read_market(M, scratch("none"), 0, &file, NULL), DLS_ERR_FILE);
}

// The problems of test/data: Lemke's method solves the ones that it can, to the last digit.
static void real_files(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int n;
  } expected[] = {{"CPS_1", 2},
                  {"CPS_2", 3},
                  {"CPS_3", 4},
                  {"CPS_4", 4},
                  {"CPS_5", 2},
                  {"exp_murty", 6},
                  {"Pang_isolated_sol", 3},
                  {"Pang_isolated_sol_perturbed", 3}};
  int solved = 0;
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    at_case("%s", expected[k].name);
    char path[100];
    snprintf(path, sizeof path, "test/data/lcp/lcp_%s.json", expected[k].name);
    dls_lcp_file *file = NULL;
    dls_message message;
    if (dls_lcp_read_json(path, &file, &message) != DLS_OK) fail_msg("%s", message.text);
    const dls_mlcp *p = dls_lcp_file_problem(file);
    if (p->n != expected[k].n) fail_msg("%s: n = %d", path, p->n);
    double z[6];
    dls_lemke_report report;
    assert_int_equal(dls_mlcp_lemke(p, NULL, z, &report), DLS_OK);
    solved += report.outcome == DLS_LCP_SOLVED;
    dls_lcp_file_free(file);
  }
  assert_true(solved >= 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(good_json),  cmocka_unit_test(good_market),
                                     cmocka_unit_test(numbers),    cmocka_unit_test(bad_json),
                                     cmocka_unit_test(large_json), cmocka_unit_test(bad_market),
                                     cmocka_unit_test(real_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
