#define _XOPEN_SOURCE 700
#include "files.h"

#include "interrupt.h"
#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

// Reads to the end, or past the limit. NULL with errno when that fails.
static char *read_all(FILE *stream, size_t most, size_t *length)
{
  char *text = NULL;
  size_t capacity = 0, used = 0;
  for (;;) {
    if (capacity - used < 2) {
      capacity = capacity ? 2 * capacity : CHUNK;
      char *bigger = realloc(text, capacity);
      if (!bigger) break;
      text = bigger;
    }
    const size_t got = fread(text + used, 1, capacity - used - 1, stream);
    used += got;
    if (ferror(stream)) break;
    if (got == 0 || used > most) {
      text[used] = 0;
      *length = used;
      return text;
    }
  }
  const int why = errno;
  free(text);
  errno = why ? why : EIO;
  return NULL;
}

int read_input(const char *path, const char *what, int mebibytes, char **text, size_t *length)
{
  const size_t most = (size_t)mebibytes << 20;
  const int from_stdin = strcmp(path, "-") == 0;
  const char *name = from_stdin ? "standard input" : path;
  *text = NULL;
  errno = 0;
  FILE *stream = from_stdin ? stdin : fopen(path, "rb");
  if (!stream) return complain("cannot read %s: %s", name, strerror(errno));

  struct stat info;
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
    if (!from_stdin) fclose(stream);
    return complain("cannot read %s: it is a directory, not a %s file", name, what);
  }
  *text = read_all(stream, most, length);
  const int why = errno;
  if (!from_stdin) fclose(stream);
  if (!*text) return complain("cannot read %s: %s", name, strerror(why));
  if (*length > 0 && *length <= most) return 0;

  free(*text);
  *text = NULL;
  if (*length == 0) return complain("%s is empty: expected a %s", name, what);
  return complain("%s is larger than %d MiB, the most that a %s may have", name, mebibytes, what);
}

// NO_COLOR: see no-color.org.
bool wants_colour(void)
{
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no && no[0]) && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool ends_in(const char *name, const char *ending)
{
  const size_t n = strlen(name), m = strlen(ending);
  return n > m && strcmp(name + n - m, ending) == 0;
}

static int cannot_write(const char *path)
{
  return complain("cannot write %s: %s", path, strerror(errno));
}

// The access rights that the file should have: the old file's, or what the umask leaves.
static mode_t rights(const char *path)
{
  struct stat info;
  if (stat(path, &info) == 0) return info.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
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

int new_file_write(new_file *file, const char *path, const char *text)
{
  return new_file_write_bytes(file, path, text, strlen(text));
}

int new_file_write_bytes(new_file *file, const char *path, const char *data, size_t length)
{
  static const char suffix[] = ".XXXXXX";
  *file = (new_file){0};
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return complain("cannot write %s: it exists and is not a file", path);

  // a link stays a link: the file that it points at is replaced
  char *real = realpath(path, NULL);
  file->path = real ? real : strdup(path);
  const size_t size = file->path ? strlen(file->path) + sizeof suffix : 0;
  file->temporary = size ? malloc(size) : NULL;
  if (!file->temporary) return complain("out of memory");
  snprintf(file->temporary, size, "%s%s", file->path, suffix);
  // first, so that none is left between two lines
  if (!interrupt_removes(file->temporary)) {
    free(file->temporary);
    file->temporary = NULL;
    return complain("cannot write %s: too many files at once", path);
  }
  const int descriptor = mkstemp(file->temporary);
  if (descriptor < 0) {
    interrupt_keeps(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
    return cannot_write(path);
  }
  const int failed = fchmod(descriptor, rights(file->path)) || write_all(descriptor, data, length);
  const int why = errno;
  const int not_closed = close(descriptor);
  if (failed) errno = why;
  return failed || not_closed ? cannot_write(path) : 0;
}

int new_file_keep(new_file *file)
{
  if (!file->temporary) return 0;
  if (rename(file->temporary, file->path)) return cannot_write(file->path);
  interrupt_keeps(file->temporary);
  free(file->temporary);
  file->temporary = NULL;
  return 0;
}

void new_file_drop(new_file *file)
{
  if (file->temporary) unlink(file->temporary);
  interrupt_keeps(file->temporary);
  free(file->temporary);
  free(file->path);
  *file = (new_file){0};
}

int print_output(const char *text)
{
  errno = 0;
  const size_t length = strlen(text);
  if (fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0) return 0;
  return complain("cannot write to standard output: %s", strerror(errno ? errno : EIO));
}
