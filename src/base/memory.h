// Checked allocation, and an arena for what lives and dies together.
#ifndef DLS_BASE_MEMORY_H
#define DLS_BASE_MEMORY_H

#include <stddef.h>

// Zeroed array of count elements; NULL when memory runs out or count * size overflows.
// A zero count gives a valid pointer.
void *dls_alloc(size_t count, size_t size);

// Grows *array to at least `needed` elements, doubling; keeps the content, new memory is not
// initialised. Returns 0, or -1 with the array as it was.
int dls_grow(void **array, size_t *capacity, size_t needed, size_t size);

// One allocation after another, freed all at once. Blocks never move.
typedef struct dls_arena dls_arena;
dls_arena *dls_arena_create(void);  // NULL when memory runs out
void dls_arena_free(dls_arena *arena);
// Zeroed, aligned for any type; NULL when memory runs out or on overflow.
void *dls_arena_alloc(dls_arena *arena, size_t count, size_t size);
char *dls_arena_copy(dls_arena *arena, const char *text, size_t length);  // adds a final zero

#endif
