// Too little memory in other people's libraries. What this program and the delassus library ask for
// is checked where they ask; but OpenBLAS asks again for ever, HDF5, fontconfig and CLP's C parts
// follow the null pointer, GMP aborts, and libgomp exits as if the answer were a bad one.
// The functions below stand before the C library's, for every library of the process. When one of
// those gets nothing, the program ends: with a message, exit status 2 and no unfinished file.
//
// Sanitizers put their own functions there: in their builds this file has none.
#define _GNU_SOURCE
#include "exhausted.h"

#include "interrupt.h"
#include "message.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

static volatile int done = -1;  // the exit status, once it is known

void exhausted_no_more(int status)
{
  done = status;
}

#ifndef SANITIZED

#define REPLACES __attribute__((visibility("default"), noinline))

// Where the program's own code lies: the linker says.
extern const char __executable_start[], etext[];

static bool is_ours(const void *caller)
{
  return (const char *)caller >= __executable_start && (const char *)caller < etext;
}

_Noreturn static void end_program(const char *why)
{
  if (done >= 0) _exit(done);
  interrupt_remove();
  // one call, which needs no memory
  if (write(STDERR_FILENO, why, strlen(why)) < 0) _exit(EXIT_WRONG);
  _exit(EXIT_WRONG);
}

static void *got(void *memory, bool wanted, const void *caller)
{
  if (!memory && wanted && !is_ours(caller)) end_program("delassus: out of memory\n");
  return memory;
}

// The function of that name that this file stands before.
static void find(void *function, const char *name)
{
  void *symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) end_program("delassus: the C library has no allocation functions\n");
  memcpy(function, &symbol, sizeof symbol);
}

REPLACES void *malloc(size_t size)
{
  static void *(*next)(size_t);
  if (!next) find(&next, "malloc");
  return got(next(size), size > 0, __builtin_return_address(0));
}

REPLACES void *calloc(size_t count, size_t size)
{
  static void *(*next)(size_t, size_t);
  if (!next) find(&next, "calloc");
  return got(next(count, size), count > 0 && size > 0, __builtin_return_address(0));
}

REPLACES void *realloc(void *old, size_t size)
{
  static void *(*next)(void *, size_t);
  if (!next) find(&next, "realloc");
  return got(next(old, size), size > 0, __builtin_return_address(0));
}

REPLACES void *memalign(size_t alignment, size_t size)
{
  static void *(*next)(size_t, size_t);
  if (!next) find(&next, "memalign");
  return got(next(alignment, size), size > 0, __builtin_return_address(0));
}

REPLACES void *aligned_alloc(size_t alignment, size_t size)
{
  static void *(*next)(size_t, size_t);
  if (!next) find(&next, "aligned_alloc");
  return got(next(alignment, size), size > 0, __builtin_return_address(0));
}

REPLACES int posix_memalign(void **out, size_t alignment, size_t size)
{
  static int (*next)(void **, size_t, size_t);
  if (!next) find(&next, "posix_memalign");
  const int wrong = next(out, alignment, size);
  if (wrong == ENOMEM) got(NULL, true, __builtin_return_address(0));
  return wrong;
}

REPLACES void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
  static void *(*next)(void *, size_t, int, int, int, off_t);
  if (!next) find(&next, "mmap");
  void *memory = next(address, length, protection, flags, file, offset);
  if (memory == MAP_FAILED && errno == ENOMEM) got(NULL, true, __builtin_return_address(0));
  return memory;
}

REPLACES int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*work)(void *), void *self)
{
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!next) find(&next, "pthread_create");
  const int wrong = next(thread, attributes, work, self);
  if (wrong && !is_ours(__builtin_return_address(0)))
    end_program("delassus: out of memory, or of processes, for another thread\n"
                "  OPENBLAS_NUM_THREADS=1 in the environment and --threads 1 need none\n");
  return wrong;
}

// ---- before anything else -----------------------------------------------------------------------

// OpenBLAS starts its threads when it is loaded, and each takes a stack and a buffer. Where the
// address space is limited to less than they may need, the program starts again without them:
// OpenBLAS looks at the environment only.
static void start_alone(int argc, char **argv, char **environment)
{
  enum { NAMES_MAX = 4096 };
  static const char name[] = "OPENBLAS_NUM_THREADS=";
  static const rlim_t base = (rlim_t)512 << 20, thread = (rlim_t)208 << 20;
  static char alone[sizeof name + 1];
  static char *extended[NAMES_MAX + 2];
  struct rlimit limit;
  cpu_set_t cores;
  (void)argc;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return;
  const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 64;
  if (limit.rlim_cur >= base + (rlim_t)count * thread) return;
  int k = 0;
  for (; environment[k]; k++) {
    if (k >= NAMES_MAX || strncmp(environment[k], name, sizeof name - 1) == 0) return;
    extended[k] = environment[k];
  }
  memcpy(alone, name, sizeof name - 1);
  alone[sizeof name - 1] = '1';
  extended[k] = alone;
  execve("/proc/self/exe", argv, extended);  // when it fails, things are as they were
}

// These run before the constructors of the libraries.
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = start_alone;

#endif
