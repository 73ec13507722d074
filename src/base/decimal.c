#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

// The exponent after its sign: digits and nothing else.
static bool read_exponent(const char *text, long long *out)
{
  enum { MOST = 100000 };
  *out = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (!is_digit(*text)) return false;
    *out = 10 * *out + (*text - '0');
    if (*out > MOST) return false;
  }
  return true;
}

// strtod reads the decimal point of the locale, so it gets none: the point goes to the exponent.
bool dls_decimal_read(const char *text, double *out)
{
  enum { LONGEST = 300 };
  char digits[LONGEST + 40];
  size_t used = 0, point = 0, count = 0;
  if (!text || strlen(text) > LONGEST) return false;
  if (*text == '+' || *text == '-') digits[used++] = *text++;
  for (bool after = false; is_digit(*text) || (*text == '.' && !after); text++) {
    if (*text == '.') {
      after = true;
      continue;
    }
    digits[used++] = *text;
    count++, point += after;
  }
  long long exponent = 0;
  if (count == 0) return false;
  if (*text == 'e' || *text == 'E') {
    const bool negative = *++text == '-';
    if (*text == '+' || *text == '-') text++;
    if (!read_exponent(text, &exponent)) return false;
    if (negative) exponent = -exponent;
  } else if (*text) {
    return false;
  }
  snprintf(digits + used, sizeof digits - used, "e%lld", exponent - (long long)point);
  *out = strtod(digits, NULL);
  return isfinite(*out);
}

int dls_decimal_write(double number, char out[DLS_DECIMAL])
{
  char text[DLS_DECIMAL];
  snprintf(text, sizeof text, "%.17g", number);
  int length = 0;
  // whatever stands between digits is the locale's decimal point
  for (const char *in = text; *in;) {
    if (strchr("+-0123456789einfa", *in)) {
      out[length++] = *in++;
    } else {
      while (*in && !strchr("+-0123456789einfa", *in)) in++;
      out[length++] = '.';
    }
  }
  out[length] = 0;
  return length;
}
