#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include "clock.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40 };
static const double patience = 1, interval = 0.1;  // seconds

void progress_begin(progress_bar *bar, const char *what)
{
  *bar = (progress_bar){.what = what, .start = seconds_now()};
}

// Whether it is time to draw, which it then notes.
static bool is_due(progress_bar *bar)
{
  const double time = seconds_now();
  if (time - bar->start < patience || time - bar->drawn < interval || !isatty(STDERR_FILENO))
    return false;
  bar->drawn = time;
  return true;
}

static void draw(const progress_bar *bar, double done)
{
  const int filled = (int)(done * WIDTH);
  (void)fprintf(stderr, "\r%s [", bar->what);
  for (int i = 0; i < WIDTH; i++) (void)fputc(i < filled ? '#' : '.', stderr);
  (void)fprintf(stderr, "] %3.0f%%", 100 * done);
}

bool progress_update(void *self, double done)
{
  progress_bar *bar = self;
  if (!is_due(bar)) return false;
  draw(bar, done);
  (void)fflush(stderr);
  return false;
}

void progress_show(progress_bar *bar, double done, const char *format, ...)
{
  if (!is_due(bar)) return;
  draw(bar, done);
  va_list arguments;
  va_start(arguments, format);
  (void)fputs("  ", stderr);
  (void)vfprintf(stderr, format, arguments);
  (void)fputs("\033[K", stderr);
  (void)fflush(stderr);
  va_end(arguments);
}

void progress_say(progress_bar *bar, const char *format, ...)
{
  if (!is_due(bar)) return;
  va_list arguments;
  va_start(arguments, format);
  (void)fprintf(stderr, "\r%s", bar->what);
  (void)vfprintf(stderr, format, arguments);
  (void)fprintf(stderr, ", %.0f s\033[K", bar->drawn - bar->start);
  (void)fflush(stderr);
  va_end(arguments);
}

void progress_end(progress_bar *bar)
{
  if (bar->drawn > 0) (void)fprintf(stderr, "\r\033[K");
  bar->drawn = 0;
}
