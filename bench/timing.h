// Seconds: dls_clock, and those of the processor.
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include "base/clock.h"

// Of all threads: what else runs on the machine does not count.
static inline double processor_time(void)
{
  return dls_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
