// Characters of UTF-8 texts.
#ifndef DLS_BASE_UTF8_H
#define DLS_BASE_UTF8_H

#include <stddef.h>

// Bytes of the character at the start of the text; 0 when the text is empty or does not start with
// a valid one. Reads no byte past one that is not a continuation: the final zero of a string ends
// it whatever the length.
unsigned dls_utf8_length(const char *text, size_t length);

// The code point of a valid character of `size` bytes.
unsigned dls_utf8_code(const char *text, unsigned size);

// Columns that a character takes on a terminal: 0, 1 or 2. A control character counts as the one
// that is shown in its place.
int dls_utf8_width(unsigned code);

#endif
