// Diagnostics as a person wants to read them.
#include "base/format.h"
#include "base/utf8.h"
#include "model/error_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  LINE_SHOWN = 100,  // columns
  LINE_BEFORE = 60,  // of them before the place, when the line is cut
};

typedef struct writer {
  char *out;
  size_t size, length;
} writer;

static void put(writer *w, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (w->size > 0 && w->length < w->size - 1) w->out[w->length] = text[i];
    w->length++;
  }
}

static void put_text(writer *w, const char *text)
{
  put(w, text, strlen(text));
}

static void DLS_PRINTF(2, 3) put_format(writer *w, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  put_text(w, text);
}

static void finish(writer *w)
{
  if (w->size > 0) w->out[w->length < w->size ? w->length : w->size - 1] = '\0';
}

static size_t character(const char *text, size_t length)
{
  const unsigned size = dls_utf8_length(text, length);
  return size ? size : 1;
}

// Controls and bytes that are no characters: what would disturb a terminal.
static bool is_odd(const char *text, size_t size)
{
  const unsigned code = dls_utf8_code(text, (unsigned)size);
  return (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0) ||
         (size == 1 && code >= 0x80);
}

static void put_character(writer *w, const char *text, size_t size)
{
  if (is_odd(text, size)) put(w, "?", 1);
  else put(w, text, size);
}

static void put_times(writer *w, const char *text, int times)
{
  for (int i = 0; i < times; i++) put_text(w, text);
}

// A tab counts as one column, for nobody knows how wide it is.
static int width(const char *text, size_t size)
{
  return is_odd(text, size) ? 1 : dls_utf8_width(dls_utf8_code(text, (unsigned)size));
}

// The byte at which `count` characters from byte i on end.
static size_t skip_characters(const char *line, size_t length, size_t i, int count)
{
  for (int k = 0; k < count && i < length; k++) i += character(line + i, length - i);
  return i;
}

// The first byte of the character that ends beyond so many columns.
static size_t skip_columns(const char *line, size_t length, int columns)
{
  size_t i = 0;
  for (size_t size; i < length; i += size) {
    size = character(line + i, length - i);
    columns -= width(line + i, size);
    if (columns < 0) break;
  }
  return i;
}

static int count_columns(const char *line, size_t from, size_t to)
{
  int columns = 0;
  for (size_t size; from < to; from += size) {
    size = character(line + from, to - from);
    columns += width(line + from, size);
  }
  return columns;
}

// The line of the place and a caret line below it, tabs kept so that they align.
static void put_line(writer *w, const dls_diagnostic *d, const char *line, size_t length)
{
  const size_t place = skip_characters(line, length, 0, d->column - 1);
  size_t end = skip_characters(line, length, place, d->length);
  // long lines are cut around the place
  const int before = count_columns(line, 0, place);
  const int columns = before + count_columns(line, place, length);
  size_t first = 0, last = length;
  if (columns > LINE_SHOWN) {
    int from = before > LINE_BEFORE ? before - LINE_BEFORE : 0;
    if (from > columns - LINE_SHOWN) from = columns - LINE_SHOWN;
    if (from > 0) first = skip_columns(line, length, from);
    last = skip_columns(line, length, from + LINE_SHOWN);
    if (end > last) end = last;
  }
  put_text(w, first > 0 ? "    …" : "    ");
  for (size_t i = first, size; i < last; i += size) {
    size = character(line + i, last - i);
    put_character(w, line + i, size);
  }
  put_text(w, last < length ? "…\n    " : "\n    ");
  if (first > 0) put_text(w, " ");
  for (size_t i = first, size; i < place; i += size) {
    size = character(line + i, place - i);
    if (line[i] == '\t') put_text(w, "\t");
    else put_times(w, " ", width(line + i, size));
  }
  put_text(w, "^");
  put_times(w, "~", count_columns(line, place, end) - 1);
  put_text(w, "\n");
}

static void put_diagnostic(writer *w, const dls_diagnostic *d, const char *line, size_t length)
{
  put_text(w, d->message);
  put_text(w, "\n");
  put_line(w, d, line, length);
  if (d->hint[0]) {
    put_text(w, "    ");
    put_text(w, d->hint);
    put_text(w, "\n");
  }
}

typedef struct place {
  int line;
  size_t at, end;
} place;

// Moves on to a line at or after the one it is at; diagnostics come in the order of the text.
static void seek(place *p, int line, const char *text, size_t length)
{
  while (p->line < line && p->at < length) {
    const char *newline = memchr(text + p->at, '\n', length - p->at);
    p->at = newline ? (size_t)(newline - text) + 1 : length;
    p->line++;
  }
  const char *newline = p->at < length ? memchr(text + p->at, '\n', length - p->at) : NULL;
  p->end = newline ? (size_t)(newline - text) : length;
  if (p->end > p->at && text[p->end - 1] == '\r') p->end--;
}

static place start_of(const char *text, size_t length)
{
  const bool mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
  return (place){.line = 1, .at = mark ? 3 : 0};
}

size_t dls_diagnostic_format(const dls_diagnostic *diagnostic, const char *text, size_t length,
                             char *out, size_t size)
{
  writer w = {.out = out, .size = size};
  place p = start_of(text, length);
  seek(&p, diagnostic->line, text, length);
  put_diagnostic(&w, diagnostic, text + p.at, p.end - p.at);
  finish(&w);
  return w.length;
}

size_t dls_diagnostics_format(const dls_diagnostics *diagnostics, const char *file_name,
                              const char *text, size_t length, char *out, size_t size)
{
  writer w = {.out = out, .size = out ? size : 0};
  if (!text) text = "";
  place p = start_of(text, length);
  for (int i = 0; i < diagnostics->count; i++) {
    const dls_diagnostic *d = &diagnostics->item[i];
    seek(&p, d->line, text, length);
    put_text(&w, file_name ? file_name : "model");
    put_format(&w, ":%d:%d: error: ", d->line, d->column);
    put_diagnostic(&w, d, text + p.at, p.end - p.at);
  }
  if (diagnostics->total > diagnostics->count)
    put_format(&w, "%d errors, %d of them not shown\n", diagnostics->total,
               diagnostics->total - diagnostics->count);
  else if (diagnostics->total > 1) put_format(&w, "%d errors\n", diagnostics->total);
  finish(&w);
  return w.length;
}
