#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *dls_alloc(ptrdiff_t count, size_t size)
{
  if (count == 0 || size == 0) return calloc(1, 1);
  if (count < 0) return NULL;
  return calloc((size_t)count, size);  // calloc checks the product
}

int dls_grow(void **array, ptrdiff_t *capacity, ptrdiff_t needed, size_t size)
{
  if (needed <= *capacity && *array) return 0;
  ptrdiff_t bigger = *capacity < 16 ? 16 : *capacity;
  while (bigger < needed) {
    if (bigger > PTRDIFF_MAX / 2) return -1;
    bigger *= 2;
  }
  if ((size_t)bigger > SIZE_MAX / size) return -1;
  void *moved = realloc(*array, dls_bytes(bigger, size));
  if (!moved) return -1;
  *array = moved;
  *capacity = bigger;
  return 0;
}

enum { ARENA_BLOCK = 1 << 16, ARENA_CLEAN = 1 << 10 };

typedef struct block {
  struct block *next;
  size_t used, clean, size;  // clean: zero up to here
  max_align_t data[];
} block;

struct dls_arena {
  block *blocks;  // the newest first
};

dls_arena *dls_arena_create(void)
{
  return dls_alloc(1, sizeof(dls_arena));
}

void dls_arena_free(dls_arena *arena)
{
  if (!arena) return;
  for (block *b = arena->blocks; b;) {
    block *next = b->next;
    free(b);
    b = next;
  }
  free(arena);
}

// A large block is zero page by page, as it is used: room that is never needed costs nothing.
static block *add_block(dls_arena *arena, size_t bytes)
{
  const bool large = bytes > ARENA_BLOCK;
  const size_t capacity = large ? bytes : ARENA_BLOCK;
  block *b = large ? calloc(1, sizeof(block) + capacity) : malloc(sizeof(block) + capacity);
  if (!b) return NULL;
  *b = (block){.next = arena->blocks, .size = capacity, .clean = large ? bytes : 0};
  arena->blocks = b;
  return b;
}

// Zeroed up to what is used, and a little more: many small requests share one call. Apart from the
// others, which are mostly quick.
__attribute__((noinline)) static void *alloc_slowly(dls_arena *arena, size_t bytes)
{
  block *b = arena->blocks;
  if (!b || b->size - b->used < bytes) b = add_block(arena, bytes);
  if (!b) return NULL;
  char *place = (char *)b->data + b->used;
  b->used += bytes;
  if (b->used <= b->clean) return place;
  const size_t least = b->used - b->clean, most = b->size - b->clean;
  const size_t some = least > ARENA_CLEAN ? least : most < ARENA_CLEAN ? most : ARENA_CLEAN;
  memset((char *)b->data + b->clean, 0, some);
  b->clean += some;
  return place;
}

void *dls_arena_alloc(dls_arena *arena, ptrdiff_t count, size_t size)
{
  const size_t align = sizeof(max_align_t), half = (size_t)1 << (4 * sizeof(size_t) - 1);
  const size_t many = (size_t)count;  // a negative count is far too many
  // halves of a size_t cannot overflow: without a division, as a rule
  if ((many >= half || size >= half) && size && many > (SIZE_MAX - sizeof(block) - align) / size)
    return NULL;
  const size_t bytes = (many * size + align - 1) / align * align;
  block *b = arena->blocks;
  if (!b || b->clean - b->used < bytes) return alloc_slowly(arena, bytes);
  char *place = (char *)b->data + b->used;
  b->used += bytes;
  return place;
}

char *dls_arena_copy(dls_arena *arena, const char *text, size_t length)
{
  char *copy = dls_arena_alloc(arena, (ptrdiff_t)length + 1, 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}
