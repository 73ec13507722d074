#define _POSIX_C_SOURCE 199309L
#include "solve/pace.h"

#include <time.h>

static const double ahead = 0.01;  // seconds that are done alone before others are tried
static const double share = 0.05;  // of all seconds that may be lost by trying

double dls_pace_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int dls_pace_threads(const dls_pace *p)
{
  if (p->always) return p->threads;
  return p->alone > 0 && p->spent >= ahead && p->lost <= share * p->spent ? p->threads : 1;
}

void dls_pace_note(dls_pace *p, int threads, double units, double seconds)
{
  if (p->always || !(units > 0) || !(seconds > 0)) return;
  const double each = seconds / units;
  p->spent += seconds;
  if (threads == 1) {
    if (!(p->alone > 0) || each < p->alone) p->alone = each;
  } else {
    p->lost += seconds - p->alone * units;
    if (p->lost < 0) p->lost = 0;
  }
}
