// A model as a text that grows.
#ifndef BENCH_MODEL_TEXT_H
#define BENCH_MODEL_TEXT_H

#include "common.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct text {
  char *at;
  size_t used, size;
} text;

__attribute__((format(printf, 2, 3))) static inline void add(text *t, const char *format, ...)
{
  enum { ONCE = 4096 };  // no longer at a time
  if (t->size - t->used < ONCE) {
    t->size = 2 * t->size + 2 * ONCE;
    t->at = need(realloc(t->at, t->size));
  }
  va_list list;
  va_start(list, format);
  t->used += (size_t)vsnprintf(t->at + t->used, t->size - t->used, format, list);
  va_end(list);
}

#endif
