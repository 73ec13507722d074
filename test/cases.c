#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cases.h"

static char text[300];

void at_case(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
}

// A failed assertion leaves the test at once, and the text stays.
void run_with_cases(void **state)
{
  const test_with_cases *test = *state;
  void *nothing = NULL;
  text[0] = 0;
  test->run(&nothing);
  text[0] = 0;
}

int tell_case(void **state)
{
  (void)state;
  if (text[0]) print_error("in the case: %s\n", text);
  return 0;
}
