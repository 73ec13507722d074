// Whom a directory belongs to, up to the root: who can write any of them can put something else in
// the place of what is below.
#define _GNU_SOURCE
#include "model/native_cache.h"

#include "base/message.h"
#include "base/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Others cannot change what is in it; where it is sticky, what belongs to somebody stays.
static bool is_safe_above(const struct stat *info)
{
  const bool trusted = info->st_uid == 0 || info->st_uid == geteuid();
  return trusted && ((info->st_mode & (S_IWGRP | S_IWOTH)) == 0 || (info->st_mode & S_ISVTX) != 0);
}

// path: absolute, without links; changed on the way.
static dls_status trust_above(char *path, dls_message *message)
{
  for (char *end; (end = strrchr(path, '/')) && path[1];) {
    end[end == path ? 1 : 0] = '\0';
    struct stat info;
    if (lstat(path, &info) != 0)
      return dls_fail(message, DLS_ERR_FILE, "%s: %s", path, dls_error_words(errno));
    if (!is_safe_above(&info))
      return dls_fail(message, DLS_ERR_FILE,
                      "%s can be written by others, or belongs to somebody else", path);
  }
  return DLS_OK;
}

static dls_status trust_own(const char *path, const struct stat *info, dls_message *message)
{
  if (!S_ISDIR(info->st_mode))
    return dls_fail(message, DLS_ERR_FILE, "%s is not a directory", path);
  if (info->st_uid != geteuid())
    return dls_fail(message, DLS_ERR_FILE, "%s belongs to somebody else", path);
  if (info->st_mode & (S_IWGRP | S_IWOTH))
    return dls_fail(message, DLS_ERR_FILE, "%s can be written by others", path);
  return DLS_OK;
}

// What is looked at is the path without links, and that is what will be used: links on the way may
// lead elsewhere the next time.
static dls_status trust_real(const char *path, const char *real, dls_message *message)
{
  struct stat info;
  if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
    return dls_fail(message, DLS_ERR_FILE, "%s is a symbolic link", path);
  if (lstat(real, &info) != 0)
    return dls_fail(message, DLS_ERR_FILE, "%s: %s", real, dls_error_words(errno));
  dls_status status = trust_own(real, &info, message);
  char *above = status == DLS_OK ? strdup(real) : NULL;
  if (status == DLS_OK)
    status =
        above ? trust_above(above, message) : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  free(above);
  return status;
}

dls_status dls_native_trust_directory(const char *path, char **real, dls_message *message)
{
  *real = realpath(path, NULL);
  if (!*real) return dls_fail(message, DLS_ERR_FILE, "%s: %s", path, dls_error_words(errno));
  const dls_status status = trust_real(path, *real, message);
  if (status == DLS_OK) return DLS_OK;
  free(*real);
  *real = NULL;
  return status;
}
