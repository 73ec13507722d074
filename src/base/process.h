// Another program, run to its end.
#ifndef DLS_BASE_PROCESS_H
#define DLS_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

// Runs argv[0], a path, with the words up to NULL: no shell, no input, errors unseen, at most so
// many seconds. output gets the first size - 1 bytes that it writes and a zero byte; NULL: nothing
// does. True when it ended by itself, with status 0.
bool dls_process_run(const char *const argv[], double seconds, char *output, size_t size);

#endif
