// Seconds of the wall clock, from some instant on.
#ifndef DLS_BASE_CLOCK_H
#define DLS_BASE_CLOCK_H

#include <time.h>

static inline double dls_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
