#include "model/error_list.h"
#include "base/format.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUGGESTIONS = 100 };

bool dls_error_list_begin(dls_error_list *report, const char *text, size_t length,
                          dls_diagnostics *diagnostics)
{
  *report = (dls_error_list){
      .text = text, .length = length, .suggestions = SUGGESTIONS, .diagnostics = diagnostics};
  diagnostics->count = diagnostics->total = 0;
  ptrdiff_t count = 1;
  for (size_t i = 0; i < length; i++) count += text[i] == '\n';
  report->lines = dls_alloc(count, sizeof *report->lines);
  if (!report->lines) return false;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\n') report->lines[++report->line_count] = (unsigned)i + 1;
  }
  report->line_count++;
  return true;
}

void dls_error_list_free(dls_error_list *report)
{
  free(report->lines);
  report->lines = NULL;
}

int dls_error_list_line(const dls_error_list *report, unsigned at)
{
  int low = 0, high = report->line_count;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (report->lines[middle] <= at) low = middle;
    else high = middle;
  }
  return low + 1;
}

// Characters in the bytes [from, to); a byte that is not UTF-8 counts as one. A byte order mark at
// the start of the text is none.
static int count_characters(const char *text, size_t from, size_t to)
{
  int count = 0;
  if (from == 0 && to >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) from = 3;
  while (from < to) {
    const unsigned size = dls_utf8_length(text + from, to - from);
    from += size ? size : 1;
    count++;
  }
  return count;
}

static void locate(const dls_error_list *report, dls_diagnostic *d, unsigned at, unsigned length)
{
  const char *text = report->text;
  d->line = dls_error_list_line(report, at);
  d->column = 1 + count_characters(text, report->lines[d->line - 1], at);
  size_t end = at;
  while (end < report->length && end - at < length && text[end] != '\n') end++;
  d->length = count_characters(text, at, end);
  if (d->length < 1) d->length = 1;
}

dls_diagnostic *dls_error_list_add(dls_error_list *report, unsigned at, unsigned length,
                                   const char *format, ...)
{
  dls_diagnostics *all = report->diagnostics;
  int i = all->count;
  while (i > 0 && report->place[i - 1] > at) i--;
  if (report->once && i > 0 && report->place[i - 1] == at) return NULL;
  all->total++;
  if (i == DLS_DIAGNOSTICS_MAX) return NULL;

  // make room; the last one falls off a full list
  if (all->count < DLS_DIAGNOSTICS_MAX) all->count++;
  const size_t behind = (size_t)(all->count - 1 - i);
  memmove(&all->item[i + 1], &all->item[i], behind * sizeof all->item[0]);
  memmove(&report->place[i + 1], &report->place[i], behind * sizeof report->place[0]);

  dls_diagnostic *d = &all->item[i];
  report->place[i] = at;
  d->hint[0] = '\0';
  locate(report, d, at, length);
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(d->message, sizeof d->message, format, arguments);
  va_end(arguments);
  return d;
}

void dls_error_list_hint(dls_diagnostic *d, const char *format, ...)
{
  if (!d) return;
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(d->hint, sizeof d->hint, format, arguments);
  va_end(arguments);
}

void dls_error_list_suggest(dls_error_list *report, dls_diagnostic *d, const dls_names *names,
                            const char *text, unsigned length, unsigned kinds)
{
  if (!d || report->suggestions-- <= 0) return;
  const int near = dls_names_nearest(names, text, length, kinds);
  if (near < 0) return;
  const dls_word *w = &names->words[near];
  dls_error_list_hint(d, "did you mean `%s`?", dls_quote(w->text, w->length).text);
}

dls_quoted dls_quote(const char *text, unsigned length)
{
  dls_quoted q = {{0}};
  unsigned used = 0;
  while (used < length) {
    unsigned size = dls_utf8_length(text + used, length - used);
    if (size == 0) size = 1;
    if (used + size > sizeof q.text - 4) {
      memcpy(q.text + used, "…", sizeof "…");
      return q;
    }
    memcpy(q.text + used, text + used, size);
    used += size;
  }
  return q;
}
