// Messages on standard error, and the nearest known word.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <delassus/status.h>

#include <stdbool.h>

// The exit statuses that users script against.
enum { EXIT_DONE = 0, EXIT_BAD_ANSWER = 1, EXIT_WRONG = 2 };

// Prints "delassus: …" and a newline; returns EXIT_WRONG.
int complain(const char *format, ...) DLS_PRINTF(1, 2);
// Prints an indented line that belongs to the message before.
void add_line(const char *format, ...) DLS_PRINTF(1, 2);

// The word that a person may have meant: few letters away, or begun like it; NULL when none is.
const char *nearest(const char *word, const char *const *known, int count);
// Asks on standard error whether that was meant; false when there is no such word.
bool suggest(const char *word, const char *const *known, int count);

#endif
