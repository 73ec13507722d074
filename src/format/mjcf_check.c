// Every element and attribute of a file is known, and what is not used is noted: nothing is
// dropped silently.
#include "format/mjcf.h"
#include "format/mjcf_words.h"
#include "format/word_list.h"

#include <string.h>

// "parent/name" beats "name".
static int path_fits(const char *path, const dls_xml_element *e)
{
  const char *slash = strchr(path, '/');
  if (!slash) return strcmp(path, e->name) == 0 ? 1 : 0;
  if (strcmp(slash + 1, e->name) != 0 || !e->parent) return 0;
  const char *parent = e->parent->name;
  return strlen(parent) == (size_t)(slash - path) && memcmp(parent, path, strlen(parent)) == 0 ? 2
                                                                                               : 0;
}

static const dls_mjcf_words *row_of(const dls_xml_element *e)
{
  const dls_mjcf_words *best = NULL;
  for (const dls_mjcf_words *row = dls_mjcf_rows; row->path; row++) {
    const int fit = path_fits(row->path, e);
    if (fit == 2) return row;
    if (fit == 1 && !best) best = row;
  }
  return best;
}

static const dls_mjcf_skip *skip_of(const dls_xml_element *e)
{
  const dls_mjcf_skip *skip = dls_mjcf_skips;
  while (skip->path && !path_fits(skip->path, e)) skip++;
  return skip->path ? skip : NULL;
}

static void check_attributes(dls_file_reading *r, const dls_xml_element *e,
                             const dls_mjcf_words *row)
{
  for (int k = 0; k < e->attributes; k++) {
    const char *name = e->attribute[k].name;
    if (dls_word_list_has(row->read, name)) continue;
    if (dls_word_list_has(row->look, name)) dls_reading_note(r, false, 1, DLS_MJCF_LOOKS);
    else if (dls_word_list_has(row->left, name))
      dls_reading_note(r, false, 1, "%s %s", e->name, name);
    else if (!dls_word_list_has(row->rough, name)) {
      const char *lists[] = {row->read, row->rough, row->left, row->look};
      dls_reading_fail_place(r, e->attribute[k].name_place, "`%.60s` has no attribute `%.60s`%s",
                             e->name, name, dls_word_list_suggest(name, lists, 4).text);
    }
  }
}

static void check(dls_file_reading *r, const dls_xml_element *e)
{
  const dls_mjcf_words *row = row_of(e);
  if (!row) {
    dls_reading_fail(r, e, NULL, "`%.60s` is not known here", e->name);
    return;
  }
  check_attributes(r, e, row);
  for (const dls_xml_element *c = e->first; c && !r->status; c = c->next) {
    if (!dls_word_list_has(row->children, c->name)) {
      dls_reading_fail(r, c, NULL, "`%.60s` has no element `%.60s`%s", e->name, c->name,
                       dls_word_list_suggest(c->name, &row->children, 1).text);
      return;
    }
    const dls_mjcf_skip *skip = skip_of(c);
    if (!skip) check(r, c);
    else if (skip->note) dls_reading_note(r, false, 1, "%s", skip->note);
    else dls_reading_fail(r, c, NULL, "`%.60s`: %s", c->name, skip->error);
  }
}

void dls_mjcf_check(dls_file_reading *reading, const dls_xml_element *root)
{
  check(reading, root);
}
