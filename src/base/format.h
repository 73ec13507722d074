// Texts that are the same in every locale: the program may have chosen one with a decimal comma.
#ifndef DLS_BASE_FORMAT_H
#define DLS_BASE_FORMAT_H

#include <delassus/status.h>

#include <stdarg.h>
#include <stddef.h>

// As snprintf and vsnprintf in the locale "C".
int dls_format(char *out, size_t size, const char *format, ...) DLS_PRINTF(3, 4);
int dls_format_list(char *out, size_t size, const char *format, va_list arguments) DLS_PRINTF(3, 0);

// The English words for an error number.
const char *dls_error_words(int number);

#endif
