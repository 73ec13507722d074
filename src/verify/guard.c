#include "verify/guard.h"

#include <mpfr.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

// ---- what is taken -----------------------------------------------------------------------------

typedef struct block {
  void *place;  // NULL: free, or the address of `gone`: was used
  size_t size;
} block;

// A table of the blocks that are in use, by their address.
typedef struct guard {
  jmp_buf back;
  block *table;
  size_t capacity, used;  // used: with those that are gone
  bool (*stop)(void *data);
  void *data;
  unsigned looks;
  struct guard *outer;
} guard;

static _Thread_local guard *inside;  // of this thread
static char gone;

static size_t start_of(const guard *g, const void *place)
{
  const uint64_t key = (uint64_t)(uintptr_t)place >> 4;
  return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (g->capacity - 1);
}

static void insert(guard *g, block b)
{
  size_t at = start_of(g, b.place);
  while (g->table[at].place && g->table[at].place != &gone) at = (at + 1) & (g->capacity - 1);
  g->used += !g->table[at].place;
  g->table[at] = b;
}

// Twice as large, or as large as it was when most of it is gone.
static bool grow(guard *g)
{
  size_t live = 0;
  for (size_t k = 0; k < g->capacity; k++) live += g->table[k].place && g->table[k].place != &gone;
  guard larger = {.capacity = g->capacity ? g->capacity : 512};
  while (larger.capacity < 4 * (live + 1)) larger.capacity *= 2;
  larger.table = calloc(larger.capacity, sizeof *larger.table);
  if (!larger.table) return false;
  for (size_t k = 0; k < g->capacity; k++)
    if (g->table[k].place && g->table[k].place != &gone) insert(&larger, g->table[k]);
  free(g->table);
  g->table = larger.table, g->capacity = larger.capacity, g->used = larger.used;
  return true;
}

// Takes the block out of the table; one without a place when it is not there.
static block forget(guard *g, const void *place)
{
  const block none = {0};
  if (!g || !place || !g->capacity) return none;
  for (size_t at = start_of(g, place); g->table[at].place; at = (at + 1) & (g->capacity - 1))
    if (g->table[at].place == place) {
      const block found = g->table[at];
      g->table[at].place = &gone;
      return found;
    }
  return none;
}

// ---- the functions of others -------------------------------------------------------------------

typedef struct functions {
  void *(*allocate)(size_t);
  void *(*reallocate)(void *, size_t, size_t);
  void (*release)(void *, size_t);
  bool plain;  // GMP's own, which never fail but abort
} functions;

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int within;        // threads
static functions before;  // written only when none is inside

static _Noreturn void give_up(guard *g)
{
  longjmp(g->back, 1);
}

// Room in the table is made first: nothing is taken that cannot be noted.
static void expect_block(guard *g)
{
  if (g && 2 * (g->used + 1) > g->capacity && !grow(g)) give_up(g);
}

static void *note(guard *g, void *place, size_t size)
{
  if (!g) return place;
  if (!place) give_up(g);
  insert(g, (block){place, size});
  return place;
}

static void *take(size_t size)
{
  expect_block(inside);
  void *place = inside && before.plain ? malloc(size) : before.allocate(size);
  return note(inside, place, size);
}

static void *take_again(void *old, size_t was, size_t size)
{
  expect_block(inside);
  const block known = forget(inside, old);
  void *place = inside && before.plain ? realloc(old, size) : before.reallocate(old, was, size);
  if (!place && known.place) insert(inside, known);  // it is still there
  return note(inside, place, size);
}

static void give_back(void *place, size_t size)
{
  forget(inside, place);
  before.release(place, size);
}

static void enter(void)
{
  pthread_mutex_lock(&door);
  if (within++ == 0) {
    void *(*own)(size_t);
    void *(*own_again)(void *, size_t, size_t);
    mp_get_memory_functions(&before.allocate, &before.reallocate, &before.release);
    mp_set_memory_functions(NULL, NULL, NULL);
    mp_get_memory_functions(&own, &own_again, NULL);
    before.plain = own == before.allocate && own_again == before.reallocate;
    mp_set_memory_functions(take, take_again, give_back);
  }
  pthread_mutex_unlock(&door);
}

static void leave(void)
{
  pthread_mutex_lock(&door);
  if (--within == 0) mp_set_memory_functions(before.allocate, before.reallocate, before.release);
  pthread_mutex_unlock(&door);
}

// ---- the guard ---------------------------------------------------------------------------------

// MPFR's caches of this thread go first: it knows what is there.
static void sweep(guard *g)
{
  mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  for (size_t k = 0; k < g->capacity; k++) {
    const block b = g->table[k];
    if (!b.place || b.place == &gone) continue;
    g->table[k].place = &gone;
    before.release(b.place, b.size);
  }
}

// What the caller does meanwhile is not the guard's.
void dls_guard_look(void)
{
  enum { SELDOM = 16 };
  guard *g = inside;
  if (!g || !g->stop || g->looks++ % SELDOM) return;
  inside = NULL;
  const bool stop = g->stop(g->data);
  inside = g;
  if (stop) give_up(g);
}

bool dls_guard(void (*work)(void *data), bool (*stop)(void *data), void *data)
{
  guard g = {.outer = inside, .stop = stop, .data = data};
  volatile bool done = false;
  enter();
  inside = &g;
  if (setjmp(g.back) == 0) {
    work(data);
    done = true;
  } else {
    sweep(&g);
  }
  inside = g.outer;
  leave();
  free(g.table);
  return done;
}
