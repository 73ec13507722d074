// Which case of a loop failed: a loop that asserts says at_case("%s, seed %d", scheme, seed) first,
// and a test that fails says the case it was in. Comes behind <cmocka.h>.
#ifndef TEST_CASES_H
#define TEST_CASES_H

// Good until the next, or the end of the test.
__attribute__((format(printf, 1, 2))) void at_case(const char *format, ...);

typedef struct test_with_cases {
  void (*run)(void **state);
} test_with_cases;

void run_with_cases(void **state);
int tell_case(void **state);

#undef cmocka_unit_test
#define cmocka_unit_test(f)                                 \
  {                                                         \
#f, run_with_cases, NULL, tell_case, &(test_with_cases) \
    {                                                       \
      f                                                     \
    }                                                       \
  }

#endif
