// Files of others: what all of them need, and who reads which.
#define _XOPEN_SOURCE 700
#include "format/folder.h"
#include "format/mjcf_read.h"
#include "format/urdf_read.h"

#include "base/format.h"
#include "base/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static dls_import *read_root(dls_file_reading *r, dls_xml_element *root)
{
  if (strcmp(root->name, "mujoco") == 0) return dls_mjcf_read(r, root);
  if (strcmp(root->name, "robot") == 0) return dls_urdf_read(r, root);
  dls_reading_fail(r, root, NULL,
                   "`%.60s` is neither `mujoco` of an MJCF file nor `robot` of a URDF file",
                   root->name);
  return NULL;
}

// The file without links, and its folder, in `work`.
static void find_file(dls_file_reading *r, const char *path)
{
  errno = 0;
  char *real = realpath(path, NULL);
  if (!real) {
    if (errno == ENOMEM) dls_reading_fail_memory(r);
    else r->status = dls_fail(r->message, DLS_ERR_FILE, "%.400s: %s", path, dls_error_words(errno));
    return;
  }
  r->real = dls_arena_copy(r->work, real, strlen(real));
  char *slash = strrchr(real, '/');
  if (slash) slash[slash == real] = 0;
  r->folder = dls_arena_copy(r->work, real, strlen(real));
  free(real);
  if (!r->real || !r->folder) dls_reading_fail_memory(r);
}

static dls_import *read_file(dls_file_reading *r, const char *path)
{
  find_file(r, path);
  dls_xml_element *root = NULL;
  if (!r->status) r->status = dls_xml_read(&r->xml, path, path, &root, r->message);
  return r->status ? NULL : read_root(r, root);
}

dls_status dls_import_read(const char *path, const dls_import_options *options, dls_import **out,
                           dls_message *message)
{
  if (out) *out = NULL;
  if (!path || !out)
    return dls_fail(message, DLS_ERR_ARGUMENT, "import: no path, or no place for the result");
  if (message) message->text[0] = 0;
  dls_file_reading r = {.arena = dls_arena_create(),
                        .work = dls_arena_create(),
                        .options = options,
                        .path = path,
                        .message = message};
  r.xml.arena = r.work;
  if (!r.arena || !r.work) dls_reading_fail_memory(&r);
  dls_import *import = r.status ? NULL : read_file(&r, path);
  dls_arena_free(r.work);
  if (r.status) {
    dls_arena_free(r.arena);
    return r.status;
  }
  *out = import;
  return DLS_OK;
}
