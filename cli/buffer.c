#include "buffer.h"

#include "files.h"
#include "message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *reserve(buffer *g, size_t count)
{
  if (g->failed) return NULL;
  if (g->capacity - g->length < count + 1) {
    size_t bigger = g->capacity ? g->capacity : 256;
    while (bigger - g->length < count + 1) bigger *= 2;
    char *moved = realloc(g->text, bigger);
    if (!moved) {
      g->failed = true;
      return NULL;
    }
    g->text = moved;
    g->capacity = bigger;
  }
  char *place = g->text + g->length;
  g->length += count;
  g->text[g->length] = 0;
  return place;
}

void buffer_add(buffer *g, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0) g->failed = true;
  char *place = length < 0 ? NULL : reserve(g, (size_t)length);
  if (place) (void)vsnprintf(place, (size_t)length + 1, format, again);
  va_end(again);
}

void buffer_words(buffer *g, const char *words, int column)
{
  enum { WIDTH = 100 };
  int at = column;
  for (const char *s = words; *s;) {
    const int length = (int)strcspn(s, " ");
    if (at > column && at + 1 + length > WIDTH) {
      buffer_add(g, "\n%*s", column, "");
      at = column;
    }
    buffer_add(g, "%s%.*s", at > column ? " " : "", length, s);
    at += length + (at > column);
    s += length;
    s += strspn(s, " ");
  }
  buffer_add(g, "\n");
}

void buffer_free(buffer *g)
{
  free(g->text);
  *g = (buffer){0};
}

int print_buffer(buffer *g)
{
  const int status = g->failed ? complain("out of memory") : print_output(g->text);
  buffer_free(g);
  return status;
}

// Bytes of the UTF-8 character at s; 0 when there is no valid one.
static int character(const unsigned char *s)
{
  const int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
  if (s[0] > 0xF4) return 0;
  for (int i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
  if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
  return length;
}

void buffer_json_string(buffer *g, const char *string)
{
  if (!string) {
    buffer_add(g, "null");
    return;
  }
  buffer_add(g, "\"");
  for (const unsigned char *s = (const unsigned char *)string; *s;) {
    const int length = character(s);
    if (*s == '"' || *s == '\\') buffer_add(g, "\\%c", *s);
    else if (*s < 0x20 || *s == 0x7F) buffer_add(g, "\\u%04x", *s);
    else if (length == 0) buffer_add(g, "\xEF\xBF\xBD");
    else buffer_add(g, "%.*s", length, (const char *)s);
    s += length ? length : 1;
  }
  buffer_add(g, "\"");
}

void buffer_json_number(buffer *g, double number)
{
  if (isfinite(number)) buffer_add(g, "%.17g", number);
  else buffer_add(g, "null");
}
