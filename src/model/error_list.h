// Collects the errors of a text: keeps the first ones in the order of the text, counts all.
#ifndef DLS_MODEL_ERROR_LIST_H
#define DLS_MODEL_ERROR_LIST_H

#include "model/names.h"
#include <delassus/model.h>

typedef struct dls_error_list {
  const char *text;
  size_t length;
  unsigned *lines;  // where each line starts
  int line_count;
  int suggestions;                      // still allowed: each one looks through all names
  bool once;                            // of errors at one place the first: loops read a text again
  unsigned place[DLS_DIAGNOSTICS_MAX];  // offsets of the diagnostics kept
  dls_diagnostics *diagnostics;
} dls_error_list;

// Clears the diagnostics. False when memory runs out; free it in any case.
bool dls_error_list_begin(dls_error_list *report, const char *text, size_t length,
                          dls_diagnostics *diagnostics);
void dls_error_list_free(dls_error_list *report);

// Adds an error at the bytes [at, at + length). Returns it when it is among those kept, for a hint
// to be added; NULL when it is only counted.
dls_diagnostic *dls_error_list_add(dls_error_list *report, unsigned at, unsigned length,
                                   const char *format, ...) DLS_PRINTF(4, 5);

// These do nothing when d is NULL.
void dls_error_list_hint(dls_diagnostic *d, const char *format, ...) DLS_PRINTF(2, 3);
// Adds "did you mean `...`?" when there is a near word; otherwise leaves the hint as it is.
void dls_error_list_suggest(dls_error_list *report, dls_diagnostic *d, const dls_names *names,
                            const char *text, unsigned length, unsigned kinds);

int dls_error_list_line(const dls_error_list *report, unsigned at);  // from 1

// One diagnostic without its place: the message, the line, a caret, the hint. Writes at most size
// bytes including the final zero; returns the length it wanted.
size_t dls_diagnostic_format(const dls_diagnostic *diagnostic, const char *text, size_t length,
                             char *out, size_t size);

// A name for a message: cut when it is long.
typedef struct dls_quoted {
  char text[80];
} dls_quoted;
dls_quoted dls_quote(const char *text, unsigned length);

#endif
