#include "format/file_place.h"

#include "base/format.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

enum {
  LINE_SHOWN = 90,   // characters
  LINE_BEFORE = 50,  // of them before the place, when the line is cut
  PATH_SHOWN = 300,  // bytes
  WORDS = 600
};

typedef struct writer {
  char *out;
  size_t size, length;
} writer;

static void put(writer *w, const char *text, size_t length)
{
  if (length > w->size - 1 - w->length) length = w->size - 1 - w->length;
  memcpy(w->out + w->length, text, length);
  w->length += length;
  w->out[w->length] = 0;
}

static size_t character(const char *text, size_t length)
{
  const unsigned size = dls_utf8_length(text, length);
  return size ? size : 1;
}

// Controls and bytes that are no characters would disturb a terminal.
static bool is_odd(const char *text, size_t size)
{
  const unsigned code = dls_utf8_code(text, (unsigned)size);
  return (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) ||
         (size == 1 && code >= 0x80);
}

static int count(const char *text, size_t from, size_t to)
{
  int characters = 0;
  for (; from < to; characters++) from += character(text + from, to - from);
  return characters;
}

static size_t skip(const char *text, size_t from, size_t to, int characters)
{
  for (; characters > 0 && from < to; characters--) from += character(text + from, to - from);
  return from;
}

static int width(const char *text, size_t size)
{
  return is_odd(text, size) ? 1 : dls_utf8_width(dls_utf8_code(text, (unsigned)size));
}

static void put_clean(writer *w, const char *text, size_t from, size_t to)
{
  for (size_t size; from < to; from += size) {
    size = character(text + from, to - from);
    if (is_odd(text + from, size)) put(w, "?", 1);
    else put(w, text + from, size);
  }
}

// Below a part of the line: spaces as wide as it is, tabs kept.
static void put_below(writer *w, const char *text, size_t from, size_t to)
{
  for (size_t size; from < to; from += size) {
    size = character(text + from, to - from);
    if (text[from] == '\t') put(w, "\t", 1);
    else put(w, "  ", (size_t)width(text + from, size));
  }
}

// The line of the place, cut around it when it is long, and the caret.
static void put_line(writer *w, const char *text, size_t begin, size_t at, size_t end, size_t line)
{
  const int before = count(text, begin, at), all = before + count(text, at, line);
  size_t first = begin, last = line;
  if (all > LINE_SHOWN) {
    int from = before > LINE_BEFORE ? before - LINE_BEFORE : 0;
    if (from > all - LINE_SHOWN) from = all - LINE_SHOWN;
    first = skip(text, begin, line, from);
    last = skip(text, first, line, LINE_SHOWN);
  }
  if (end > last) end = last;
  put(w, first > begin ? "\n    …" : "\n    ", first > begin ? sizeof "\n    …" - 1 : 5);
  put_clean(w, text, first, last);
  if (last < line) put(w, "…", sizeof "…" - 1);
  put(w, first > begin ? "\n     " : "\n    ", first > begin ? 6 : 5);
  put_below(w, text, first, at);
  put(w, "^", 1);
  for (int k = 1; k < count(text, at, end); k++) put(w, "~", 1);
  put(w, "\n", 1);
}

dls_status dls_file_place_fail_list(dls_message *message, dls_status status, dls_file_place place,
                                    const char *format, va_list arguments)
{
  if (!message) return status;
  const char *text = place.source->text;
  const size_t length = place.source->length, at = place.at < length ? place.at : length;
  size_t begin = at, line = at, number = 1;
  while (begin > 0 && text[begin - 1] != '\n') begin--;
  while (line < length && text[line] != '\n' && text[line] != '\r') line++;
  for (size_t i = 0; i < begin; i++) number += text[i] == '\n';
  if (begin == 0 && length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 && at >= 3) begin = 3;
  char words[WORDS], head[PATH_SHOWN + 60];
  dls_format_list(words, sizeof words, format, arguments);
  dls_format(head, sizeof head, "%.*s:%zu:%d: error: ", PATH_SHOWN, place.source->path, number,
             count(text, begin, at) + 1);
  writer w = {.out = message->text, .size = sizeof message->text};
  put(&w, head, strlen(head));
  put_clean(&w, words, 0, strlen(words));
  put_line(&w, text, begin, at, at + place.length < line ? at + place.length : line, line);
  return status;
}

dls_status dls_file_place_fail(dls_message *message, dls_status status, dls_file_place place,
                               const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  dls_file_place_fail_list(message, status, place, format, arguments);
  va_end(arguments);
  return status;
}
