// One file of the cache: shared object, mark, key, digest.
#define _GNU_SOURCE
#include "model/native_cache.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/format.h"
#include "base/sha256.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char mark[8] = {'D', 'L', 'S', 'n', 'a', 't', '0', '1'};

enum { KEYED = sizeof mark + DLS_SHA256_SIZE, TAIL = KEYED + DLS_SHA256_SIZE };
#define LARGEST ((off_t)1 << 30)

// All of a file, *data to be freed; -1 when it cannot be read.
static ptrdiff_t read_all(int file, off_t size, unsigned char **data)
{
  *data = dls_alloc((ptrdiff_t)size, 1);
  if (!*data) return -1;
  ptrdiff_t length = 0;
  while (length < size) {
    const ssize_t got = read(file, *data + length, (size_t)(size - length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    length += got;
  }
  return length;
}

static bool write_all(int file, const unsigned char *data, size_t count)
{
  while (count > 0) {
    const ssize_t put = write(file, data, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    data += put;
    count -= (size_t)put;
  }
  return true;
}

static void digest_of(const unsigned char *data, ptrdiff_t count,
                      unsigned char digest[DLS_SHA256_SIZE])
{
  dls_sha256 hash;
  dls_sha256_begin(&hash);
  dls_sha256_add(&hash, data, (size_t)count);
  dls_sha256_end(&hash, digest);
}

// Does the file hold what was stored under the key?
static bool belongs(const unsigned char *data, ptrdiff_t size, const unsigned char *key)
{
  if (size < TAIL) return false;
  const unsigned char *tail = data + size - TAIL;
  unsigned char digest[DLS_SHA256_SIZE];
  digest_of(data, size - DLS_SHA256_SIZE, digest);
  return memcmp(tail, mark, sizeof mark) == 0 &&
         memcmp(tail + sizeof mark, key, DLS_SHA256_SIZE) == 0 &&
         memcmp(tail + KEYED, digest, sizeof digest) == 0;
}

static dls_status check(const char *path, int file, const unsigned char *key, dls_message *message)
{
  struct stat info;
  if (fstat(file, &info) != 0)
    return dls_fail(message, DLS_ERR_FILE, "%s: %s", path, dls_error_words(errno));
  if (!S_ISREG(info.st_mode)) return dls_fail(message, DLS_ERR_FILE, "%s is not a file", path);
  if (info.st_uid != geteuid())
    return dls_fail(message, DLS_ERR_FILE, "%s belongs to somebody else", path);
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return dls_fail(message, DLS_ERR_FILE, "%s can be written by others", path);
  if (info.st_size > LARGEST) return dls_fail(message, DLS_ERR_FILE, "%s is too large", path);
  unsigned char *data;
  const ptrdiff_t size = read_all(file, info.st_size, &data);
  const bool right = size >= 0 && belongs(data, size, key);
  free(data);
  return right ? DLS_OK
               : dls_fail(message, DLS_ERR_FILE,
                          "%s holds something else than was stored there: remove it", path);
}

dls_status dls_native_file_open(const char *path, const unsigned char *key, void **library,
                                dls_message *message)
{
  *library = NULL;
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return DLS_OK;
  if (file < 0)
    return dls_fail(message, DLS_ERR_FILE, "%s: %s", path,
                    errno == ELOOP ? "a symbolic link" : dls_error_words(errno));
  const dls_status status = check(path, file, key, message);
  if (status == DLS_OK) (void)futimens(file, NULL);  // used now
  close(file);
  if (status != DLS_OK) return status;
  // by its name: dlopen tells libraries apart by names, and this one is never reused
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return *library ? DLS_OK : dls_fail(message, DLS_ERR_FILE, "%s cannot be loaded", path);
}

bool dls_native_file_seal(const char *path, const unsigned char *key)
{
  const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  if (file < 0) return false;
  unsigned char *data = NULL, tail[TAIL];
  bool done = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
              info.st_size <= LARGEST - TAIL && fchmod(file, S_IRUSR | S_IWUSR | S_IXUSR) == 0 &&
              read_all(file, info.st_size, &data) == info.st_size;
  if (done) {
    dls_sha256 hash;
    dls_copy(tail, mark, sizeof mark);
    dls_copy(tail + sizeof mark, key, DLS_SHA256_SIZE);
    dls_sha256_begin(&hash);
    dls_sha256_add(&hash, data, (size_t)info.st_size);
    dls_sha256_add(&hash, tail, KEYED);
    dls_sha256_end(&hash, tail + KEYED);
    done = write_all(file, tail, sizeof tail) && fsync(file) == 0;
  }
  free(data);
  return close(file) == 0 && done;
}
