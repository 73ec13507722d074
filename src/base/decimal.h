// Numbers as decimal texts, the same in every locale.
#ifndef DLS_BASE_DECIMAL_H
#define DLS_BASE_DECIMAL_H

#include <stdbool.h>

enum { DLS_DECIMAL = 32 };  // bytes that every number fits into, with its final zero

// Reads a decimal number that takes up the whole text; false for anything else, and for a number
// that is not finite.
bool dls_decimal_read(const char *text, double *out);

// Writes 17 significant digits, which read back as the same number. Returns the length.
int dls_decimal_write(double number, char out[DLS_DECIMAL]);

#endif
