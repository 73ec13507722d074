#define _POSIX_C_SOURCE 200809L
#include "base/format.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

int dls_format_list(char *out, size_t size, const char *format, va_list arguments)
{
  // of this thread only, and for this call; the locale "C" is always there
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = plain ? uselocale(plain) : (locale_t)0;
  const int length = vsnprintf(out, size, format, arguments);
  if (plain) {
    uselocale(before);
    freelocale(plain);
  }
  return length;
}

int dls_format(char *out, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length = dls_format_list(out, size, format, arguments);
  va_end(arguments);
  return length;
}

const char *dls_error_words(int number)
{
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const char *words = plain ? strerror_l(number, plain) : "the system says no more";
  if (plain) freelocale(plain);
  return words;
}
