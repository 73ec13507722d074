// Places in the texts of files, and messages that show them.
#ifndef DLS_FORMAT_FILE_PLACE_H
#define DLS_FORMAT_FILE_PLACE_H

#include <delassus/status.h>

#include <stdarg.h>

// A file that was read: kept as long as messages may show its lines.
typedef struct dls_file_text {
  const char *path, *text;
  size_t length;
} dls_file_text;

// `length` bytes from `at` on.
typedef struct dls_file_place {
  const dls_file_text *source;
  size_t at, length;
} dls_file_place;

// The message as file:line:column: error: ..., the line, and a caret below it.
dls_status dls_file_place_fail(dls_message *message, dls_status status, dls_file_place place,
                               const char *format, ...) DLS_PRINTF(4, 5);
dls_status dls_file_place_fail_list(dls_message *message, dls_status status, dls_file_place place,
                                    const char *format, va_list arguments) DLS_PRINTF(4, 0);

#endif
