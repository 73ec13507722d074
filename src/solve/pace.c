#define _POSIX_C_SOURCE 199309L
#include "solve/pace.h"

#include <time.h>

enum { FIRST_PAUSE = 16, LONGEST_PAUSE = 1024, MANY_GOOD = 100 };  // rounds, pieces

double dls_pace_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void dls_pace_round(dls_pace *p)
{
  if (p->rest > 0) p->rest--;
}

int dls_pace_threads(const dls_pace *p)
{
  if (p->always) return p->threads;
  return p->rest > 0 || !(p->alone > 0) ? 1 : p->threads;
}

void dls_pace_note(dls_pace *p, int threads, double units, double seconds)
{
  if (p->always || !(units > 0) || !(seconds > 0)) return;
  const double each = seconds / units;
  if (threads == 1) {
    if (!(p->alone > 0) || each < p->alone) p->alone = each;
  } else if (each > p->alone) {
    p->pause = p->pause == 0 ? FIRST_PAUSE : p->pause < LONGEST_PAUSE ? 2 * p->pause : p->pause;
    p->rest = p->pause, p->good = 0;
  } else if (++p->good == MANY_GOOD) {
    p->pause /= 2, p->good = 0;
  }
}
