// A problem of a file with the memory that it owns.
#ifndef DLS_IO_FCLIB_OWN_H
#define DLS_IO_FCLIB_OWN_H

#include "base/memory.h"

#include <delassus/fclib.h>

typedef struct dls_fclib_own {
  dls_fclib base;  // first: a pointer to it is a pointer to the whole
  dls_arena *arena;
} dls_fclib_own;

#endif
