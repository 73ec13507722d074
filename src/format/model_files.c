// Files that a model text names.
#include "format/folder.h"
#include "format/mesh.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct keeper {
  dls_model_files files;  // first: what callers hold
  dls_arena *arena;
  char *folder;
  dls_import_options options;
} keeper;

static dls_status find(const keeper *k, const char *path, char **real, dls_message *message)
{
  static const char package[] = "package://";
  const bool is_package = strncmp(path, package, sizeof package - 1) == 0;
  const dls_whereabouts found =
      is_package ? dls_folder_find_package(k->folder, &k->options, path + sizeof package - 1, real)
                 : dls_folder_find(k->folder, &k->options, NULL, path, real);
  switch (found) {
  case DLS_FOUND: return DLS_OK;
  case DLS_FOUND_NOTHING: return dls_fail(message, DLS_ERR_FILE, "there is no file `%.400s`", path);
  case DLS_FOUND_NO_MEMORY: return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  case DLS_FOUND_OUTSIDE: break;
  }
  return dls_fail(message, DLS_ERR_FILE,
                  "`%.400s` leads out of the folder of the model, and into no package", path);
}

static dls_status read_mechanism(void *self, const char *path, dls_import **import,
                                 dls_message *message)
{
  const keeper *k = self;
  char *real = NULL;
  *import = NULL;
  dls_status status = find(k, path, &real, message);
  if (!status) status = dls_import_read(real, &k->options, import, message);
  free(real);
  return status;
}

static dls_status read_hull(void *self, const char *path, dls_hull **hull, dls_message *message)
{
  const keeper *k = self;
  char *real = NULL;
  dls_mesh mesh = {0};
  *hull = NULL;
  dls_status status = find(k, path, &real, message);
  if (!status) status = dls_mesh_read(real, path, DLS_MESH_BYTES, &mesh, NULL, message);
  if (!status) status = dls_hull_create(mesh.points, mesh.point, hull, message);
  dls_mesh_free(&mesh);
  free(real);
  return status;
}

static bool copy_options(keeper *k, const dls_import_options *options)
{
  if (!options) return true;
  k->options = *options;
  dls_import_package *package = dls_arena_alloc(k->arena, options->packages, sizeof *package);
  if (!package) return false;
  k->options.package = package;
  for (int i = 0; i < options->packages; i++) {
    const dls_import_package *from = &options->package[i];
    package[i].name = dls_arena_copy(k->arena, from->name, strlen(from->name));
    package[i].folder = dls_arena_copy(k->arena, from->folder, strlen(from->folder));
    if (!package[i].name || !package[i].folder) return false;
  }
  return true;
}

// Of a text that was not read from a file, such as standard input: the current one.
static char *folder_of(const char *path)
{
  return dls_folder_of(strncmp(path, "/dev/", 5) == 0 ? "./." : path);
}

dls_status dls_model_files_create(const char *model_path, const dls_import_options *options,
                                  dls_model_files **files, dls_message *message)
{
  if (files) *files = NULL;
  if (!model_path || !files)
    return dls_fail(message, DLS_ERR_ARGUMENT, "files of a model: no path, or no place for them");
  dls_arena *arena = dls_arena_create();
  keeper *k = arena ? dls_arena_alloc(arena, 1, sizeof *k) : NULL;
  if (k) {
    k->arena = arena;
    errno = 0;
    k->folder = folder_of(model_path);
  }
  const int why = errno;
  const bool missing = k && !k->folder && why != ENOMEM;
  if (!k || !k->folder || !copy_options(k, options)) {
    if (k) free(k->folder);
    dls_arena_free(arena);
    return missing ? dls_fail(message, DLS_ERR_FILE, "%.400s: %s", model_path, dls_error_words(why))
                   : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  k->files = (dls_model_files){.self = k,
                               .mechanism = read_mechanism,
                               .hull = read_hull,
                               .free_mechanism = dls_import_free,
                               .free_hull = dls_hull_free};
  *files = &k->files;
  return DLS_OK;
}

void dls_model_files_free(dls_model_files *files)
{
  if (!files) return;
  keeper *k = files->self;
  free(k->folder);
  dls_arena_free(k->arena);
}
