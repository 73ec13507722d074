// Files when memory runs out: the k-th allocation fails, for every k.
#include "failing.h"
#include "fclib_maker.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char *in, *other;
static dls_fclib *drawn;

static dls_status read_fclib(dls_message *message)
{
  dls_fclib *f = NULL;
  const dls_status status = dls_fclib_read(in, &f, message);
  assert_true((status == DLS_OK) == (f != NULL));
  dls_fclib_free(f);
  return status;
}

static dls_status write_fclib(dls_message *message)
{
  return dls_fclib_write(in, drawn, NULL, message);
}

static dls_status read_json(dls_message *message)
{
  dls_lcp_file *f = NULL;
  const dls_status status = dls_lcp_read_json("test/data/lcp/lcp_CPS_1.json", &f, message);
  assert_true((status == DLS_OK) == (f != NULL));
  dls_lcp_file_free(f);
  return status;
}

static dls_status read_market(dls_message *message)
{
  dls_lcp_file *f = NULL;
  const dls_status status = dls_lcp_read_market(in, other, 0, &f, message);
  assert_true((status == DLS_OK) == (f != NULL));
  dls_lcp_file_free(f);
  return status;
}

// jansson: it takes a string that it has no memory for as one that is not there.
static void run(dls_status (*call)(dls_message *), int least, bool jansson)
{
  for (int k = 0;; k++) {
    dls_message message = {""};
    failing_start(k);
    const dls_status status = call(&message);
    if (!failing_stop()) {
      assert_int_equal(status, DLS_OK);
      assert_true(k >= least);
      return;
    }
    if (jansson && status == DLS_ERR_FILE) continue;
    assert_int_equal(status, DLS_ERR_MEMORY);
    assert_non_null(strstr(message.text, "out of memory"));
  }
}

static void *json_malloc(size_t size)
{
  return failing_now() ? NULL : __real_malloc(size);
}

static void fclib(void **state)
{
  (void)state;
  in = scratch("a.hdf5");
  for (int global = 0; global < 2; global++) {
    at_case("global %d", global);
    drawn = file_made(global, 3, 60, 2);
    run(write_fclib, 4, false);
    assert_int_equal(scratch_count(), 1);
    run(read_fclib, 4, false);
    file_made_free(drawn);
  }
}

static void put(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  fputs(text, file);
  fclose(file);
}

static void lcp(void **state)
{
  (void)state;
  in = scratch("M.mtx"), other = scratch("q.mtx");
  put(in, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  put(other, "%%MatrixMarket matrix array real general\n1 1\n2\n");
  run(read_market, 4, false);
  json_set_alloc_funcs(json_malloc, free);
  run(read_json, 10, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fclib), cmocka_unit_test(lcp)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
