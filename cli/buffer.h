// A growing text, and JSON in it.
#ifndef CLI_BUFFER_H
#define CLI_BUFFER_H

#include <delassus/status.h>

#include <stdbool.h>
#include <stddef.h>

// Starts as {0}. Once memory runs out every call does nothing, and `failed` says so at the end.
typedef struct buffer {
  char *text;  // ends in a zero byte; NULL while empty
  size_t length, capacity;
  bool failed;
} buffer;

void buffer_add(buffer *g, const char *format, ...) DLS_PRINTF(2, 3);
// Words from a column on, below each other up to the right edge, and the end of the line.
void buffer_words(buffer *g, const char *words, int column);
void buffer_free(buffer *g);
// Writes it to standard output and frees it. Returns an exit status.
int print_buffer(buffer *g);

// A quoted string; bytes that are not UTF-8 become U+FFFD. NULL becomes null.
void buffer_json_string(buffer *g, const char *string);
// With 17 digits; null when it is not finite.
void buffer_json_number(buffer *g, double number);

#endif
