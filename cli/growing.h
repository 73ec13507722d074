// A growing text, and JSON in it.
#ifndef CLI_GROWING_H
#define CLI_GROWING_H

#include <delassus/status.h>

#include <stdbool.h>
#include <stddef.h>

// Starts as {0}. Once memory runs out every call does nothing, and `failed` says so at the end.
typedef struct growing {
  char *text;  // ends in a zero byte; NULL while empty
  size_t length, capacity;
  bool failed;
} growing;

void growing_add(growing *g, const char *format, ...) DLS_PRINTF(2, 3);
void growing_free(growing *g);
// Writes it to standard output and frees it. Returns an exit status.
int print_growing(growing *g);

// A quoted string; bytes that are not UTF-8 become U+FFFD. NULL becomes null.
void growing_json_string(growing *g, const char *string);
// With 17 digits; null when it is not finite.
void growing_json_number(growing *g, double number);

#endif
