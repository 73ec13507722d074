// What the cache keeps: the files that were used last, up to a number and a size; and nothing of
// compilations that were interrupted.
#define _GNU_SOURCE
#include "model/native_cache.h"

#include "base/memory.h"
#include "base/sha256.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 2 * DLS_SHA256_SIZE + 3 };  // digits of the key, and ".so"

static const char BUILD[] = "build-";

typedef struct entry {
  char name[NAME + 1];
  struct timespec used;
  long long size;
} entry;

typedef struct listing {
  entry *entry;
  int count, room;
} listing;

static bool is_stored(const char *name)
{
  return strlen(name) == NAME && strspn(name, "0123456789abcdef") == NAME - 3 &&
         strcmp(name + NAME - 3, ".so") == 0;
}

static bool append(listing *l, const char *name, const struct stat *info)
{
  if (l->count == l->room) {
    const int room = l->room > 0 ? 2 * l->room : 64;
    entry *more = dls_alloc(room, sizeof *more);
    if (!more) return false;
    if (l->count > 0) dls_copy(more, l->entry, l->count);
    free(l->entry);
    l->entry = more, l->room = room;
  }
  entry *e = &l->entry[l->count++];
  memcpy(e->name, name, NAME + 1);
  e->used = info->st_mtim, e->size = (long long)info->st_size;
  return true;
}

// The last used first.
static int compare(const void *left, const void *right)
{
  const entry *a = left, *b = right;
  if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? 1 : -1;
  if (a->used.tv_nsec != b->used.tv_nsec) return a->used.tv_nsec < b->used.tv_nsec ? 1 : -1;
  return strcmp(a->name, b->name);
}

// A directory in which nobody compiles any more.
static void remove_build(int directory, const char *name)
{
  const int build = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *list = build >= 0 ? fdopendir(build) : NULL;
  if (!list && build >= 0) close(build);
  for (struct dirent *d = list ? readdir(list) : NULL; d; d = readdir(list))
    if (d->d_name[0] != '.') (void)unlinkat(dirfd(list), d->d_name, 0);
  if (list) closedir(list);
  (void)unlinkat(directory, name, AT_REMOVEDIR);
}

// Files of the cache go to the list; directories of compilations that are older than `seconds` are
// removed, since no compilation takes that long.
static bool look_through(DIR *directory, double seconds, listing *l)
{
  const time_t now = time(NULL);
  for (struct dirent *d = readdir(directory); d; d = readdir(directory)) {
    struct stat info;
    if (fstatat(dirfd(directory), d->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (info.st_uid != geteuid()) continue;
    if (S_ISREG(info.st_mode) && is_stored(d->d_name)) {
      if (!append(l, d->d_name, &info)) return false;
    } else if (S_ISDIR(info.st_mode) && strncmp(d->d_name, BUILD, sizeof BUILD - 1) == 0 &&
               difftime(now, info.st_mtime) > seconds) {
      remove_build(dirfd(directory), d->d_name);
    }
  }
  return true;
}

void dls_native_trim(const char *path, double seconds, int most_files, long long most_bytes)
{
  listing l = {0};
  DIR *directory = opendir(path);
  if (!directory) return;
  if (look_through(directory, seconds, &l) && l.count > 0) {
    long long bytes = 0;
    qsort(l.entry, (size_t)l.count, sizeof *l.entry, compare);
    for (int k = 0; k < l.count; k++) {
      bytes += l.entry[k].size;
      // the last one is what has just been asked for
      if (k > 0 && (k >= most_files || bytes > most_bytes))
        (void)unlinkat(dirfd(directory), l.entry[k].name, 0);
    }
  }
  free(l.entry);
  closedir(directory);
}
