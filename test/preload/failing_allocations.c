// Preloaded into the program (LD_PRELOAD): makes allocations fail, whichever library asks for them.
//
//   FAIL_KIND    malloc (and calloc, realloc, aligned ones; C++'s new ends there) or mmap
//   FAIL_AT      the call that fails, counted from 0; without it none does
//   FAIL_REST    when set, all calls after it fail too
//   FAIL_NOTES   a file: gets the library that asked, or at the end of the process the number of
//   calls
//
// Settings are read when the process starts, before the first call is counted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc's own, below any replacement
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool counting, of_mmap, rest;
static long fail_at = -1, calls;
static const char *notes;

static void note(const char *text)
{
  const int file = notes ? open(notes, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file < 0) return;
  const ssize_t written = write(file, text, strlen(text));
  (void)written;
  close(file);
}

// The library that asked: the first on the stack that does more than hand over to an allocator.
static void note_caller(void)
{
  enum { DEPTH = 24 };
  void *frame[DEPTH];
  const int depth = backtrace(frame, DEPTH);
  for (int i = 2; i < depth; i++) {
    Dl_info place;
    if (!dladdr(frame[i], &place) || !place.dli_fname) continue;
    const char *function = place.dli_sname ? place.dli_sname : "", *slash;
    if (strstr(function, "alloc") || strcmp(function, "_Znwm") == 0 ||
        strcmp(function, "_Znam") == 0 || strstr(place.dli_fname, "libstdc++") ||
        strstr(place.dli_fname, "failing_allocations"))
      continue;
    slash = strrchr(place.dli_fname, '/');
    note(slash ? slash + 1 : place.dli_fname);
    return;
  }
}

static bool fails(bool mapped)
{
  if (!counting || mapped != of_mmap) return false;
  const long call = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  if (fail_at < 0 || call < fail_at || (call > fail_at && !rest)) return false;
  counting = call != fail_at;  // a backtrace may allocate
  if (call == fail_at && notes) note_caller();
  counting = true;
  errno = ENOMEM;
  return true;
}

__attribute__((constructor(101))) static void start(void)
{
  void *warm[1];
  backtrace(warm, 1);  // loads what it needs
  const char *at = getenv("FAIL_AT"), *kind = getenv("FAIL_KIND");
  notes = getenv("FAIL_NOTES");
  of_mmap = kind && strcmp(kind, "mmap") == 0;
  rest = getenv("FAIL_REST");
  if (at) fail_at = atol(at);
  counting = kind;
}

__attribute__((destructor)) static void end(void)
{
  char text[32];
  snprintf(text, sizeof text, "%ld", calls);
  if (fail_at < 0) note(text);
}

void *malloc(size_t size)
{
  return fails(false) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return fails(false) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
  return fails(false) ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
  return fails(false) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return fails(false) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
  void *memory = fails(false) ? NULL : __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
  if (fails(true)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
