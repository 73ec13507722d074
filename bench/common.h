// What the benchmarks share: memory that is there or the end, and drawn numbers.
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdlib.h>

static inline void *need(void *memory)
{
  if (!memory) abort();
  return memory;
}

// Zeroed.
static inline void *take(size_t count, size_t size)
{
  return need(calloc(count + 1, size));
}

// The same sequence on every machine.
static inline double drawn(unsigned long long *state, double low, double high)
{
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

#endif
