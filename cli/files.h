// Whole files in and out.
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Reads a file ("-": standard input), a model or a report (`what`), of at most so many MiB. Returns
// 0 with *text, which ends in an extra zero byte; otherwise says why on standard error and returns
// an exit status.
int read_input(const char *path, const char *what, int mebibytes, char **text, size_t *length);

// Whether a file's name has that ending, and more than it: the ending chooses the form.
bool ends_in(const char *name, const char *ending);

// A file that appears complete or not at all: written beside its place, then renamed. A signal that
// ends the program removes it.
typedef struct new_file {
  char *path;       // where it goes
  char *temporary;  // where it is now
} new_file;

// Each returns 0, or says why on standard error and returns an exit status.
int new_file_write(new_file *file, const char *path, const char *text);
int new_file_write_bytes(new_file *file, const char *path, const char *data, size_t size);
int new_file_keep(new_file *file);
// Removes what was not kept. Harmless on {0} and after keeping.
void new_file_drop(new_file *file);

// Standard output is a terminal that shows colours.
bool wants_colour(void);

// Writes to standard output and makes sure that it arrived.
int print_output(const char *text);

#endif
