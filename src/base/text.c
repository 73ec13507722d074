#include "base/text.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void dls_text_free(dls_text *text)
{
  free(text->data);
  *text = (dls_text){0};
}

char *dls_text_reserve(dls_text *text, size_t count)
{
  void *data = text->data;
  if (text->failed || count >= PTRDIFF_MAX - text->length ||
      dls_grow(&data, &text->capacity, (ptrdiff_t)(text->length + count) + 1, 1)) {
    text->failed = true;
    return NULL;
  }
  text->data = data;
  char *place = text->data + text->length;
  text->length += count;
  text->data[text->length] = 0;
  return place;
}

void dls_text_put(dls_text *text, const char *bytes, size_t count)
{
  char *place = dls_text_reserve(text, count);
  if (place && count) memcpy(place, bytes, count);
}

void dls_text_add(dls_text *text, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = dls_format_list(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0) text->failed = true;
  // the final zero that is written falls on the one that reserve keeps
  char *place = length < 0 ? NULL : dls_text_reserve(text, (size_t)length);
  if (place) dls_format_list(place, (size_t)length + 1, format, again);
  va_end(again);
}

int dls_text_character(const char *s)
{
  return *s ? (int)dls_utf8_length(s, 4) : 0;
}

// Columns of the character of `length` bytes. A byte that is no character takes one.
static int columns_of(const char *s, int length)
{
  return length > 0 ? dls_utf8_width(dls_utf8_code(s, (unsigned)length)) : 1;
}

int dls_text_width(const char *string)
{
  int width = 0;
  for (const char *s = string; *s;) {
    const int length = dls_text_character(s);
    width += columns_of(s, length);
    s += length ? length : 1;
  }
  return width;
}

// C0, DEL and C1: what could steer a terminal.
static bool is_control(const char *s, int length)
{
  const unsigned code = dls_utf8_code(s, (unsigned)length);
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static int add_clean(dls_text *text, const char *string, int columns)
{
  const bool cut = dls_text_width(string) > columns;
  const char *s = string;
  int width = 0;
  while (*s) {
    const int length = dls_text_character(s), wide = columns_of(s, length);
    if (cut && width + wide > columns - 1) break;
    width += wide;
    if (length == 0) dls_text_put(text, "\xef\xbf\xbd", 3);
    else if (is_control(s, length)) dls_text_put(text, *s == '\t' ? " " : "?", 1);
    else dls_text_put(text, s, (size_t)length);
    s += length ? length : 1;
  }
  if (cut) dls_text_add(text, "…");
  return cut ? width + 1 : width;
}

void dls_text_clean(dls_text *text, const char *string, int columns)
{
  add_clean(text, string, columns);
}

void dls_text_pad(dls_text *text, const char *string, int columns)
{
  const int width = add_clean(text, string, columns);
  dls_text_add(text, "%*s", columns - width, "");
}

// No-break spaces have done their work once the words are apart.
static void free_spaces(char *word)
{
  char *out = word;
  for (const char *in = word; *in;) {
    const bool space = in[0] == '\xc2' && in[1] == '\xa0';
    *out++ = space ? ' ' : *in;
    in += space ? 2 : 1;
  }
  *out = 0;
}

void dls_text_wrap(dls_text *text, const char *words, int column, int indent, int width)
{
  bool first = true;  // no space before the first word of a line
  for (const char *s = words; *s;) {
    const size_t skip = strspn(s, " ");
    s += skip;
    const size_t length = strcspn(s, " ");
    if (length == 0) break;

    dls_text word = {0};
    dls_text_put(&word, s, length);
    if (word.failed) {
      text->failed = true;
      return;
    }
    free_spaces(word.data);
    const int wide = dls_text_width(word.data);
    if (!first && column + 1 + wide > width) {
      dls_text_add(text, "\n%*s", indent, "");
      column = indent;
      first = true;
    }
    if (!first) dls_text_add(text, " ");
    column += (first ? 0 : 1) + add_clean(text, word.data, width - column - (first ? 0 : 1));
    first = false;
    dls_text_free(&word);
    s += length;
  }
}

dls_number_text dls_number(double x)
{
  dls_number_text number = {"unknown"};
  if (isnan(x)) return number;
  if (isinf(x)) {
    snprintf(number.text, sizeof number.text, "%s", x > 0 ? "∞" : "-∞");
    return number;
  }
  snprintf(number.text, sizeof number.text, "%.6g", x + 0.0);  // -0 becomes 0

  // whatever stands between digits is the locale's decimal point
  char *out = number.text;
  for (const char *in = number.text; *in;) {
    if (strchr("+-0123456789e", *in)) {
      *out++ = *in++;
    } else {
      while (*in && !strchr("+-0123456789e", *in)) in++;
      *out++ = '.';
    }
  }
  *out = 0;
  return number;
}
