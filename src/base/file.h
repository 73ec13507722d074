// Whole files, in and out.
#ifndef DLS_BASE_FILE_H
#define DLS_BASE_FILE_H

#include <delassus/status.h>

// The bytes of a file of at most `most` bytes, with an extra zero byte behind them, in memory for
// free(). DLS_ERR_FILE, DLS_ERR_LIMIT or DLS_ERR_MEMORY with a message that names the file.
dls_status dls_file_read(const char *path, size_t most, char **text, size_t *length,
                         dls_message *message);

// A file that appears complete or not at all: written beside its place, then renamed. A link stays
// a link, and the access rights of an old file stay.
dls_status dls_file_write(const char *path, const void *data, size_t size, dls_message *message);

#endif
