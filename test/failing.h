// Allocations that are counted and made to fail, for tests named test_*_memory.c: these are linked
// with --wrap=malloc, calloc and realloc.
#ifndef TEST_FAILING_H
#define TEST_FAILING_H

#include <stdbool.h>
#include <stddef.h>

// From now on `count` allocations succeed and the next one fails, once.
void failing_start(long count);
// None fails any more; whether one has failed since the start.
bool failing_stop(void);

// How many were asked for since the program began.
long allocations_made(void);

// For allocators of other libraries: true when this one has to fail.
bool failing_now(void);

// What the program would call without the wrap.
void *__real_malloc(size_t size);

#endif
