#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One line. Words of a file may be in it: what could move the cursor or change colours becomes '?'.
static void say(const char *format, va_list *arguments)
{
  char room[1000] = "", *text = room;
  va_list again;
  va_copy(again, *arguments);
  const int length = vsnprintf(room, sizeof room, format, *arguments);
  if (length >= (int)sizeof room) {
    text = malloc((size_t)length + 1);
    if (text) (void)vsnprintf(text, (size_t)length + 1, format, again);
    else text = room;  // cut
  }
  va_end(again);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 ? *c != '\n' && *c != '\t' : *c == 0x7F) *c = '?';
  fputs(text, stderr);
  fputc('\n', stderr);
  if (text != room) free(text);
}

int complain(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("delassus: ", stderr);
  say(format, &arguments);
  va_end(arguments);
  return EXIT_WRONG;
}

void add_line(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("  ", stderr);
  say(format, &arguments);
  va_end(arguments);
}

enum { LETTERS = 40 };

static int least(int a, int b)
{
  return a < b ? a : b;
}

// Letters to insert, delete, change or swap with their neighbour (optimal string alignment).
static int distance(const char *a, const char *b)
{
  const size_t n = strlen(a), m = strlen(b);
  if (n >= LETTERS || m >= LETTERS) return LETTERS;
  int d[LETTERS + 1][LETTERS + 1];
  for (size_t i = 0; i <= n; i++) d[i][0] = (int)i;
  for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    for (size_t j = 1; j <= m; j++) {
      const int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[n][m];
}

const char *nearest(const char *word, const char *const *known, int count)
{
  const size_t length = strlen(word);
  int best = -1, closest = 1 + (int)(length < LETTERS ? length / 3 : 0);
  for (int i = 0; i < count; i++) {
    const int d = distance(word, known[i]);
    if (d > closest || (best >= 0 && d == closest)) continue;
    closest = d;
    best = i;
  }
  if (best >= 0) return known[best];

  // otherwise the only word that begins so
  int beginnings = 0;
  for (int i = 0; i < count && length > 2; i++) {
    if (strncmp(word, known[i], length) != 0) continue;
    best = i;
    beginnings++;
  }
  return beginnings == 1 ? known[best] : NULL;
}

bool suggest(const char *word, const char *const *known, int count)
{
  const char *meant = nearest(word, known, count);
  if (meant) add_line("did you mean %s?", meant);
  return meant != NULL;
}
