// A progress bar on standard error: only on a terminal, and only once work takes longer than a
// second.
#ifndef DLS_CLI_PROGRESS_H
#define DLS_CLI_PROGRESS_H

#include <delassus/status.h>
#include <stdbool.h>

typedef struct progress_bar {
  const char *what;
  double start;  // seconds
  double drawn;  // when the bar was drawn last; 0: never
} progress_bar;

void progress_begin(progress_bar *bar, const char *what);
// Fits the progress callbacks of the library; data is the progress_bar.
bool progress_update(void *self, double done);  // a watch that never stops
// The same with words behind the bar.
void progress_show(progress_bar *bar, double done, const char *format, ...) DLS_PRINTF(3, 4);
// For work whose end is not known: words after `what`, and the seconds.
void progress_say(progress_bar *bar, const char *format, ...) DLS_PRINTF(2, 3);
// Removes the bar.
void progress_end(progress_bar *bar);

#endif
