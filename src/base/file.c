#define _XOPEN_SOURCE 700
#include "base/file.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

static dls_status refuse(dls_message *message, const char *path, int why)
{
  if (why == ENOMEM) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  return dls_fail(message, DLS_ERR_FILE, "%.400s: %s", path, dls_error_words(why ? why : EIO));
}

// Reads to the end, or past the limit; otherwise returns errno.
static int read_all(FILE *stream, size_t most, char **text, size_t *length)
{
  ptrdiff_t capacity = 0;
  struct stat info;
  *length = 0;
  if (fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      (uintmax_t)info.st_size > most) {
    *length = most + 1;  // nothing of it is read
    return 0;
  }
  for (;;) {
    if (dls_grow((void **)text, &capacity, (ptrdiff_t)(*length + CHUNK) + 1, 1)) return ENOMEM;
    const size_t got = fread(*text + *length, 1, CHUNK, stream);
    *length += got;
    if (ferror(stream)) return errno ? errno : EIO;
    if (got == 0 || *length > most) return 0;
  }
}

dls_status dls_file_read(const char *path, size_t most, char **text, size_t *length,
                         dls_message *message)
{
  *text = NULL;
  errno = 0;
  struct stat info;
  // a pipe that nobody writes to would never answer; standard input was opened by others
  const bool standard = strcmp(path, "/dev/stdin") == 0;
  if (!standard && stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: it is not a regular file", path);
  FILE *stream = fopen(path, "rb");
  if (!stream) return refuse(message, path, errno);
  int why = read_all(stream, most, text, length);
  fclose(stream);
  if (why == 0 && *length <= most) {
    char *exact = realloc(*text, *length + 1);
    if (exact) {
      *text = exact;
      exact[*length] = 0;
      return DLS_OK;
    }
    why = ENOMEM;
  }
  free(*text);
  *text = NULL;
  if (why) return refuse(message, path, why);
  return dls_fail(message, DLS_ERR_LIMIT, "%.400s: larger than %zu MiB", path, most >> 20);
}

// ---- writing -----------------------------------------------------------------------------------

// Creates a file of a new name beside the path: umask decides its rights, which mkstemp's would
// need a look at the global umask for.
static int create_beside(const char *path, char *name, size_t size)
{
  for (int k = 0; k < 1000; k++) {
    snprintf(name, size, "%s.%ld-%d.tmp", path, (long)getpid(), k);
    const int descriptor = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

static int write_all(int descriptor, const char *data, size_t left)
{
  while (left > 0) {
    const ssize_t done = write(descriptor, data, left);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return -1;
    data += done;
    left -= (size_t)done;
  }
  return 0;
}

// Returns 0 or errno; what it began is then gone.
static int replace(const char *path, const void *data, size_t size, char *name, size_t name_size)
{
  struct stat old;
  const int exists = stat(path, &old) == 0;
  const int descriptor = create_beside(path, name, name_size);
  if (descriptor < 0) return errno;
  int why = 0;
  if ((exists && fchmod(descriptor, old.st_mode & 0777)) || write_all(descriptor, data, size))
    why = errno;
  if (close(descriptor) && !why) why = errno;
  if (!why && rename(name, path)) why = errno;
  if (why) unlink(name);
  return why;
}

dls_status dls_file_write(const char *path, const void *data, size_t size, dls_message *message)
{
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: it exists and is not a file", path);
  char *real = realpath(path, NULL);
  const char *target = real ? real : path;
  const size_t name_size = strlen(target) + 40;
  char *name = dls_alloc((ptrdiff_t)name_size, 1);
  const int why = name ? replace(target, data, size, name, name_size) : ENOMEM;
  free(name);
  free(real);
  return why ? refuse(message, path, why) : DLS_OK;
}
