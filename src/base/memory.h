// Checked allocation, and an arena for what lives and dies together.
#ifndef DLS_BASE_MEMORY_H
#define DLS_BASE_MEMORY_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

// Counts and indices are ptrdiff_t, or int where a library wants that; size_t is for bytes.

static inline size_t dls_bytes(ptrdiff_t count, size_t size)
{
  assert(count >= 0);
  return (size_t)count * size;
}

// The elements of an array that is declared here.
#define dls_count_of(array) ((ptrdiff_t)(sizeof(array) / sizeof *(array)))

// memcpy, memmove and memset for arrays of `count` elements.
#define dls_copy(to, from, count) memcpy(to, from, dls_bytes(count, sizeof *(to)))
#define dls_move(to, from, count) memmove(to, from, dls_bytes(count, sizeof *(to)))
#define dls_clear(array, count) memset(array, 0, dls_bytes(count, sizeof *(array)))

// Zeroed array of count elements; NULL when memory runs out, count * size overflows or
// count is negative.
// A zero count gives a valid pointer.
void *dls_alloc(ptrdiff_t count, size_t size);

// Grows *array to at least `needed` elements, doubling; keeps the content, new memory is not
// initialised. Returns 0, or -1 with the array as it was.
int dls_grow(void **array, ptrdiff_t *capacity, ptrdiff_t needed, size_t size);

// One allocation after another, freed all at once. Blocks never move.
typedef struct dls_arena dls_arena;
dls_arena *dls_arena_create(void);  // NULL when memory runs out
void dls_arena_free(dls_arena *arena);
// Zeroed, aligned for any type; NULL when memory runs out or on overflow.
void *dls_arena_alloc(dls_arena *arena, ptrdiff_t count, size_t size);
char *dls_arena_copy(dls_arena *arena, const char *text, size_t length);  // adds a final zero

#endif
