// Files in files. As in MuJoCo each may be included once, so that there are no cycles.
#include "format/folder.h"
#include "format/mjcf.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1000, MOST_DEPTH = 200 };

typedef struct includer {
  dls_file_reading *reading;
  dls_name_table seen;
  int files;
} includer;

static bool known_root(const char *name)
{
  return strcmp(name, "mujoco") == 0 || strcmp(name, "mujocoinclude") == 0;
}

// The path as messages call it: beside the file that names it.
static const char *beside(dls_file_reading *r, const char *file, const char *path)
{
  const char *slash = strrchr(file, '/');
  const size_t folder = slash && *path != '/' ? (size_t)(slash - file) + 1 : 0;
  const size_t size = strlen(path) + 1;
  char *both = dls_reading_work(r, (ptrdiff_t)(folder + size), 1);
  if (!both) return NULL;
  memcpy(both, file, folder);
  memcpy(both + folder, path, size);
  return both;
}

// Relative to the model's folder, or else to that of the file which says it.
static char *find(dls_file_reading *r, const dls_xml_element *e, const char *path,
                  const char **name)
{
  char *real = NULL;
  *name = beside(r, r->path, path);
  dls_whereabouts found = dls_folder_find(r->folder, r->options, NULL, path, &real);
  if (found == DLS_FOUND_NOTHING) {
    char *folder = dls_folder_of(e->place.source->path);
    if (folder) found = dls_folder_find(r->folder, r->options, folder, path, &real);
    free(folder);
    *name = beside(r, e->place.source->path, path);
  }
  if (found == DLS_FOUND) return real;
  if (found == DLS_FOUND_NO_MEMORY) dls_reading_fail_memory(r);
  else if (found == DLS_FOUND_NOTHING)
    dls_reading_fail(r, e, "file", "there is no file `%.200s`", path);
  else
    dls_reading_fail(r, e, "file",
                     "`%.200s` leads out of the folder of the model, and into no package", path);
  return NULL;
}

// False when it was seen already.
static bool see(includer *in, const char *real)
{
  dls_file_reading *r = in->reading;
  const char *kept = dls_arena_copy(r->work, real, strlen(real));
  if (kept) return dls_name_table_add(r, &in->seen, kept, 0);
  dls_reading_fail_memory(r);
  return true;
}

static dls_xml_element *read_file(includer *in, const dls_xml_element *e)
{
  dls_file_reading *r = in->reading;
  const char *path = dls_reading_required(r, e, "file"), *name = NULL;
  if (!r->status && e->first) dls_reading_fail(r, e->first, NULL, "`include` has no elements");
  char *real = r->status ? NULL : find(r, e, path, &name);
  if (!real) return NULL;
  dls_xml_element *root = NULL;
  if (++in->files > MOST_FILES || !see(in, real))
    dls_reading_fail(r, e, "file", "`%.200s` is included already", path);
  if (!r->status) r->status = dls_xml_read(&r->xml, real, name, &root, r->message);
  free(real);
  if (root && !known_root(root->name))
    dls_reading_fail(r, root, NULL, "an included file must be of `mujoco` or `mujocoinclude`");
  return r->status ? NULL : root;
}

static void expand(includer *in, dls_xml_element *parent, int depth);

// Puts the elements of the file in the place of the one at *link; returns the last one's link.
static dls_xml_element **replace(includer *in, dls_xml_element *parent, dls_xml_element **link,
                                 int depth)
{
  dls_xml_element *e = *link;
  if (depth > MOST_DEPTH) {
    dls_reading_fail(in->reading, e, NULL, "files are included too deeply");
    return link;
  }
  dls_xml_element *root = read_file(in, e);
  if (!root) return link;
  expand(in, root, depth + 1);
  dls_xml_element *after = e->next;
  *link = root->first;
  while (*link) {
    (*link)->parent = parent;
    link = &(*link)->next;
  }
  *link = after;
  return link;
}

static void expand(includer *in, dls_xml_element *parent, int depth)
{
  if (depth > MOST_DEPTH) {
    dls_reading_fail(in->reading, parent, NULL, "elements are nested too deeply");
    return;
  }
  for (dls_xml_element **link = &parent->first; *link && !in->reading->status;) {
    if (strcmp((*link)->name, "include") == 0) link = replace(in, parent, link, depth);
    else {
      expand(in, *link, depth + 1);
      link = &(*link)->next;
    }
  }
}

void dls_mjcf_include(dls_file_reading *reading, dls_xml_element *root)
{
  includer in = {.reading = reading};
  see(&in, reading->real);
  expand(&in, root, 0);
}
