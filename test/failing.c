#include "failing.h"

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long made;
static long left = -1;  // allocations until one fails; negative: none does
static bool failed;

void failing_start(long count)
{
  left = count;
  failed = false;
}

bool failing_stop(void)
{
  left = -1;
  return failed;
}

long allocations_made(void)
{
  return made;
}

bool failing_now(void)
{
  made++;
  if (left < 0 || left-- > 0) return false;
  failed = true;
  return true;
}

void *__wrap_malloc(size_t size)
{
  return failing_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return failing_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
  return failing_now() ? NULL : __real_realloc(block, size);
}
