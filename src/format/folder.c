#define _XOPEN_SOURCE 700
#include "format/folder.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *dls_folder_of(const char *path)
{
  char *real = realpath(path, NULL);
  if (!real) return NULL;
  char *slash = strrchr(real, '/');
  if (slash) slash[slash == real] = 0;
  return real;
}

static bool is_in(const char *folder, const char *path)
{
  const size_t length = strlen(folder);
  if (length == 1) return true;  // the root
  return strncmp(folder, path, length) == 0 && path[length] == '/';
}

// Whether a path without links is in one of the folders that may be read.
static dls_whereabouts judge(const char *model_folder, const dls_import_options *options,
                             const char *path)
{
  if (is_in(model_folder, path)) return DLS_FOUND;
  for (int k = 0; options && k < options->packages; k++) {
    errno = 0;
    char *folder = realpath(options->package[k].folder, NULL);
    if (!folder && errno == ENOMEM) return DLS_FOUND_NO_MEMORY;
    const bool inside = folder && is_in(folder, path);
    free(folder);
    if (inside) return DLS_FOUND;
  }
  return DLS_FOUND_OUTSIDE;
}

static char *join(const char *folder, const char *path)
{
  const size_t size = strlen(folder) + strlen(path) + 2;
  char *both = dls_alloc((ptrdiff_t)size, 1);
  if (both) snprintf(both, size, "%s/%s", folder, path);
  return both;
}

// The path without links, if there is such a file.
static dls_whereabouts resolve(const char *folder, const char *path, char **real)
{
  char *both = *path == '/' ? join("", path + 1) : join(folder, path);
  if (!both) return DLS_FOUND_NO_MEMORY;
  errno = 0;
  *real = realpath(both, NULL);
  const bool no_memory = !*real && errno == ENOMEM;
  free(both);
  return *real ? DLS_FOUND : no_memory ? DLS_FOUND_NO_MEMORY : DLS_FOUND_NOTHING;
}

dls_whereabouts dls_folder_find(const char *model_folder, const dls_import_options *options,
                                const char *folder, const char *path, char **real)
{
  *real = NULL;
  dls_whereabouts found = resolve(folder ? folder : model_folder, path, real);
  if (found == DLS_FOUND) found = judge(model_folder, options, *real);
  if (found == DLS_FOUND) return found;
  free(*real);
  *real = NULL;
  return found;
}

// In `folder`, and not out of it again.
static dls_whereabouts find_below(const char *folder, const char *path, char **real)
{
  *real = NULL;
  char *root = realpath(folder, NULL);
  if (!root) return errno == ENOMEM ? DLS_FOUND_NO_MEMORY : DLS_FOUND_NOTHING;
  while (*path == '/') path++;
  dls_whereabouts found = resolve(root, path, real);
  if (found == DLS_FOUND && !is_in(root, *real)) found = DLS_FOUND_OUTSIDE;
  free(root);
  if (found == DLS_FOUND) return found;
  free(*real);
  *real = NULL;
  return found;
}

// The folder called `name` that the model's folder is in, nearest first; cuts `folder` to it.
static bool cut_to(char *folder, const char *name)
{
  for (;;) {
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return false;
    if (strcmp(slash + 1, name) == 0) return true;
    *slash = 0;
  }
}

static dls_whereabouts find_around(const char *model_folder, const char *name, const char *path,
                                   char **real)
{
  char *folder = join("", model_folder + 1);
  if (!folder) return DLS_FOUND_NO_MEMORY;
  dls_whereabouts found = DLS_FOUND_NOTHING;
  if (cut_to(folder, name)) found = find_below(folder, path, real);
  free(folder);
  if (found != DLS_FOUND_NOTHING) return found;
  folder = join(model_folder, name);
  if (!folder) return DLS_FOUND_NO_MEMORY;
  found = find_below(folder, path, real);
  free(folder);
  return found == DLS_FOUND_NOTHING ? find_below(model_folder, path, real) : found;
}

dls_whereabouts dls_folder_find_package(const char *model_folder, const dls_import_options *options,
                                        const char *uri, char **real)
{
  *real = NULL;
  const char *slash = strchr(uri, '/');
  if (!slash || slash == uri) return DLS_FOUND_NOTHING;
  char *name = dls_alloc(slash - uri + 1, 1);
  if (!name) return DLS_FOUND_NO_MEMORY;
  memcpy(name, uri, (size_t)(slash - uri));
  dls_whereabouts found = DLS_FOUND_NOTHING;
  bool known = false;
  for (int k = 0; options && k < options->packages && !known; k++) {
    known = strcmp(options->package[k].name, name) == 0;
    if (known) found = find_below(options->package[k].folder, slash + 1, real);
  }
  if (!known && strcmp(name, "..") != 0 && strcmp(name, ".") != 0)
    found = find_around(model_folder, name, slash + 1, real);
  free(name);
  return found;
}
