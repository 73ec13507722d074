// A growing text, and how names and numbers are written for people.
#ifndef DLS_BASE_TEXT_H
#define DLS_BASE_TEXT_H

#include <delassus/status.h>

#include <stdbool.h>
#include <stddef.h>

// Starts as {0}. Once memory runs out every call does nothing, and `failed` says so at the end.
typedef struct dls_text {
  char *data;  // ends in a zero byte; NULL while empty
  size_t length;
  ptrdiff_t capacity;
  bool failed;
} dls_text;

void dls_text_free(dls_text *text);
void dls_text_put(dls_text *text, const char *bytes, size_t count);
void dls_text_add(dls_text *text, const char *format, ...) DLS_PRINTF(2, 3);
// Room for count more bytes, counted as written; NULL when memory runs out.
char *dls_text_reserve(dls_text *text, size_t count);

// Adds a string from outside as one line of at most `columns` columns (cut with an ellipsis):
// control characters become '?', bytes that are not UTF-8 become U+FFFD.
void dls_text_clean(dls_text *text, const char *string, int columns);
// The same, then spaces up to `columns`.
void dls_text_pad(dls_text *text, const char *string, int columns);
// Adds words, broken at spaces so that no line passes `width`; lines after the first start with
// `indent` spaces. `column` is where the first one stands already. Does not end the last line.
// A no-break space keeps words together and is written as a space.
void dls_text_wrap(dls_text *text, const char *words, int column, int indent, int width);

// Columns that a UTF-8 string takes on a terminal.
int dls_text_width(const char *string);

// Bytes of the UTF-8 character at `s`; 0 when there is no valid one.
int dls_text_character(const char *s);

typedef struct dls_number_text {
  char text[32];
} dls_number_text;

// A number with six digits, the same in every locale; "∞" and "unknown" for what is not finite.
dls_number_text dls_number(double x);

#endif
