// GMP, MPFR and MPFI without memory: checking a report is an error then, not the end of the
// program.
#include "verify_case.h"

#include <mpfr.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"

static _Thread_local long calls, fail_at = -1;

static bool fails(void)
{
  return calls++ == fail_at;
}

static void *take(size_t size)
{
  return fails() ? NULL : malloc(size);
}

static void *take_again(void *place, size_t was, size_t size)
{
  (void)was;
  return fails() ? NULL : realloc(place, size);
}

static void give_back(void *place, size_t size)
{
  (void)size;
  free(place);
}

static dls_status run(const subject *s, dls_verification **v)
{
  dls_saved_report *saved = save_report(s->report);
  const dls_status status = dls_verify_run(saved, s->model, s->system, NULL, v, NULL);
  dls_saved_report_free(saved);
  return status;
}

// Each allocation in turn; then all is as before.
static void fail_each(const char *model, const char *sets, const char *at, long step)
{
  subject s = ask_about(model, sets, at);
  dls_verification *v = NULL;
  calls = 0, fail_at = -1;
  assert_int_equal(run(&s, &v), DLS_OK);
  assert_true(v->holds);
  dls_verification_free(v);
  const long count = calls;
  assert_true(count > 100);
  for (long k = 0; k < count; k += step) {
    at_case("k %ld", k);
    calls = 0, fail_at = k;
    const dls_status status = run(&s, &v);
    // caches that are filled once make later runs shorter
    if (status == DLS_OK) assert_true(calls <= k && v->holds);
    else assert_int_equal(status, DLS_ERR_MEMORY);
    dls_verification_free(v);
    v = NULL;
  }
  calls = 0, fail_at = -1;
  assert_int_equal(run(&s, &v), DLS_OK);
  assert_true(v->holds);
  dls_verification_free(v);
  close_subject(&s);
}

static void each_allocation(void **unused)
{
  (void)unused;
  mp_set_memory_functions(take, take_again, give_back);
  fail_each(shelf, NULL, NULL, 7);
  fail_each(ladder, NULL, "falling", 31);
  fail_each(rod, "mu=2, g=-1", "left", 31);
  // the functions are those that were there
  void *(*allocate)(size_t), *(*again)(void *, size_t, size_t);
  void (*release)(void *, size_t);
  mp_get_memory_functions(&allocate, &again, &release);
  assert_true(allocate == take && again == take_again && release == give_back);
}

// One thread without memory does not touch another one.
static void *with_memory(void *data)
{
  dls_verification *v = NULL;
  bool good = true;
  for (int k = 0; k < 20 && good; k++) {
    good = run(data, &v) == DLS_OK && v->holds;
    dls_verification_free(v);
  }
  mpfr_free_cache();
  return good ? data : NULL;
}

static void *without_memory(void *data)
{
  dls_verification *v = NULL;
  bool good = true;
  for (long k = 0; k < 40 && good; k++) {
    calls = 0, fail_at = 5 * k;
    good = run(data, &v) == DLS_ERR_MEMORY;
  }
  mpfr_free_cache();
  return good ? data : NULL;
}

static void threads(void **unused)
{
  (void)unused;
  subject a = ask_about(shelf, NULL, NULL), b = ask_about(shelf, NULL, NULL);
  pthread_t first, second;
  void *one = NULL, *two = NULL;
  assert_int_equal(pthread_create(&first, NULL, with_memory, &a), 0);
  assert_int_equal(pthread_create(&second, NULL, without_memory, &b), 0);
  pthread_join(first, &one), pthread_join(second, &two);
  assert_non_null(one);
  assert_non_null(two);
  close_subject(&a), close_subject(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation), cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
