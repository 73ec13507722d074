// Seconds: of the wall clock, from some instant on, and of the thread's own work.
#ifndef DLS_BASE_CLOCK_H
#define DLS_BASE_CLOCK_H

#include <time.h>

static inline double dls_clock_read(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double dls_clock(void)
{
  return dls_clock_read(CLOCK_MONOTONIC);
}

static inline double dls_clock_own(void)
{
  return dls_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif
