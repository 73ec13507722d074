#define _GNU_SOURCE
#include "model/native_cache.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/format.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 256, SECONDS = 60, VERSION_SECONDS = 10, VERSION_SIZE = 4096 };

static const long long MOST_BYTES = 256LL << 20;
static const double LEFT_BEHIND = 3;  // times what a compilation may take: it does not go on

// Sums of products stay two roundings, as in the tape. What is compiled has no calls, no branches
// and no loops: more than -O1 only takes longer.
#define OPTIONS "-x", "c", "-O1", "-w", "-ffp-contract=off", "-fPIC", "-shared"

struct dls_native_cache {
  char *directory, *compiler;
  char version[VERSION_SIZE];
  double seconds;
  int most_files;
  long long most_bytes;
};

void dls_native_cache_free(dls_native_cache *cache)
{
  if (!cache) return;
  free(cache->directory);
  free(cache->compiler);
  free(cache);
}

// --- the compiler ---

static bool is_program(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// The program of that name in PATH, of which only absolute places count; NULL when there is none.
static char *find_program(const char *name)
{
  if (strchr(name, '/')) return is_program(name) ? realpath(name, NULL) : NULL;
  const char *rest = secure_getenv("PATH");
  while (rest && *rest) {
    const size_t length = strcspn(rest, ":");
    char *path = NULL;
    if (*rest == '/' && asprintf(&path, "%.*s/%s", (int)length, rest, name) < 0) return NULL;
    if (path && is_program(path)) return path;
    free(path);
    rest += length + (rest[length] == ':');
  }
  return NULL;
}

static dls_status find_compiler(dls_native_cache *cache, const char *name, dls_message *message)
{
  cache->compiler = find_program(name);
  if (!cache->compiler)
    return dls_fail(message, DLS_ERR_FILE, "no C compiler: there is no `%.200s`", name);
  const char *const words[] = {cache->compiler, "--version", NULL};
  if (dls_process_run(words, VERSION_SECONDS, cache->version, sizeof cache->version)) return DLS_OK;
  return dls_fail(message, DLS_ERR_FILE, "%.500s does not tell its version", cache->compiler);
}

// --- the directory ---

// A directory of the user's in the place that the environment names; *path to be freed.
static dls_status default_directory(char **path, dls_message *message)
{
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  const bool named = cache && cache[0] == '/';
  if (!named && !(home && home[0] == '/'))
    return dls_fail(message, DLS_ERR_FILE, "neither XDG_CACHE_HOME nor HOME names a directory");
  char *parent = NULL;
  if (asprintf(&parent, "%s%s", named ? cache : home, named ? "" : "/.cache") < 0)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  (void)mkdir(parent, S_IRWXU);  // where it fails, the next one does
  const int length = asprintf(path, "%s/delassus", parent);
  free(parent);
  if (length >= 0 && *path) return DLS_OK;
  *path = NULL;
  return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
}

static dls_status find_directory(dls_native_cache *cache, const char *given, dls_message *message)
{
  char *path = given ? strdup(given) : NULL;
  dls_status status = DLS_OK;
  if (!given) status = default_directory(&path, message);
  else if (!path) status = dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  if (!path) return status;
  if (status == DLS_OK && mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
    status = dls_fail(message, DLS_ERR_FILE, "%.500s: %s", path, dls_error_words(errno));
  if (status == DLS_OK) status = dls_native_trust_directory(path, &cache->directory, message);
  free(path);
  return status;
}

dls_status dls_native_cache_create(const dls_native_options *options, dls_native_cache **out,
                                   dls_message *message)
{
  static const dls_native_options none = {0};
  if (!options) options = &none;
  *out = NULL;
  dls_native_cache *cache = dls_alloc(1, sizeof *cache);
  if (!cache) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  cache->seconds = options->seconds > 0 ? options->seconds : SECONDS;
  cache->most_files = options->most_files > 0 ? options->most_files : MOST_FILES;
  cache->most_bytes = options->most_bytes > 0 ? options->most_bytes : MOST_BYTES;
  dls_status status = find_compiler(cache, options->compiler ? options->compiler : "cc", message);
  if (status == DLS_OK) status = find_directory(cache, options->directory, message);
  if (status == DLS_OK) *out = cache;
  else dls_native_cache_free(cache);
  return status;
}

// --- files ---

static void find_key(const dls_native_cache *cache, const char *text, size_t length,
                     unsigned char key[DLS_SHA256_SIZE])
{
  static const char *const options[] = {OPTIONS};
  dls_sha256 hash;
  dls_sha256_begin(&hash);
  dls_sha256_add(&hash, cache->compiler, strlen(cache->compiler) + 1);
  dls_sha256_add(&hash, cache->version, strlen(cache->version) + 1);
  for (ptrdiff_t k = 0; k < dls_count_of(options); k++)
    dls_sha256_add(&hash, options[k], strlen(options[k]) + 1);
  dls_sha256_add(&hash, text, length);
  dls_sha256_end(&hash, key);
}

static bool write_text(const char *path, const char *text, size_t length)
{
  const int number =
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  FILE *file = number >= 0 ? fdopen(number, "w") : NULL;
  if (!file && number >= 0) close(number);
  if (!file) return false;
  const bool written = fwrite(text, 1, length, file) == length;
  return fclose(file) == 0 && written;
}

// The text to the file `source`, that compiled to `made`, and that moved to its place at once.
static dls_status compile_files(const dls_native_cache *cache, const char *text, size_t length,
                                const char *source, const char *made, const unsigned char *key,
                                const char *place, dls_message *message)
{
  if (!write_text(source, text, length))
    return dls_fail(message, DLS_ERR_FILE, "%.500s cannot be written", source);
  const char *const words[] = {cache->compiler, OPTIONS, "-o", made, source, NULL};
  if (!dls_process_run(words, cache->seconds, NULL, 0))
    return dls_fail(message, DLS_ERR_FILE, "%.500s did not compile the model within %g s",
                    cache->compiler, cache->seconds);
  if (dls_native_file_seal(made, key) && rename(made, place) == 0) return DLS_OK;
  return dls_fail(message, DLS_ERR_FILE, "%.500s cannot be written", place);
}

static dls_status compile_in(const dls_native_cache *cache, const char *work, const char *text,
                             size_t length, const unsigned char *key, const char *place,
                             dls_message *message)
{
  dls_text source = {0}, made = {0};
  dls_text_add(&source, "%s/tape.c", work);
  dls_text_add(&made, "%s/tape.so", work);
  dls_status status = DLS_ERR_MEMORY;
  if (source.failed || made.failed) {
    dls_fail(message, status, "out of memory");
  } else {
    status = compile_files(cache, text, length, source.data, made.data, key, place, message);
    (void)unlink(source.data);
    (void)unlink(made.data);
  }
  dls_text_free(&source);
  dls_text_free(&made);
  return status;
}

// In a directory that nobody else knows.
static dls_status compile(const dls_native_cache *cache, const char *text, size_t length,
                          const unsigned char *key, const char *place, dls_message *message)
{
  char *work = NULL;
  if (asprintf(&work, "%s/build-XXXXXX", cache->directory) < 0)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  dls_status status = DLS_OK;
  if (!mkdtemp(work))
    status =
        dls_fail(message, DLS_ERR_FILE, "%.500s: %s", cache->directory, dls_error_words(errno));
  if (status == DLS_OK) {
    status = compile_in(cache, work, text, length, key, place, message);
    (void)rmdir(work);
  }
  free(work);
  return status;
}

dls_status dls_native_cache_load(const dls_native_cache *cache, const char *text, size_t length,
                                 void **library, dls_message *message)
{
  unsigned char key[DLS_SHA256_SIZE];
  dls_text place = {0};
  *library = NULL;
  find_key(cache, text, length, key);
  dls_text_add(&place, "%s/", cache->directory);
  for (int k = 0; k < DLS_SHA256_SIZE; k++) dls_text_add(&place, "%02x", (unsigned)key[k]);
  dls_text_add(&place, ".so");
  dls_status status = place.failed ? dls_fail(message, DLS_ERR_MEMORY, "out of memory") : DLS_OK;
  if (status == DLS_OK) status = dls_native_file_open(place.data, key, library, message);
  if (status == DLS_OK && !*library) {
    status = compile(cache, text, length, key, place.data, message);
    dls_native_trim(cache->directory, LEFT_BEHIND * fmax(cache->seconds, SECONDS),
                    cache->most_files, cache->most_bytes);
    if (status == DLS_OK) status = dls_native_file_open(place.data, key, library, message);
    if (status == DLS_OK && !*library)
      status = dls_fail(message, DLS_ERR_FILE, "%.500s is gone", place.data);
  }
  dls_text_free(&place);
  return status;
}
