// Every element and attribute of a file is known, and what is not used is noted: nothing is
// dropped silently.
#include "format/mjcf.h"
#include "format/mjcf_words.h"

#include <string.h>

static bool has_word(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (const char *s = words; s && *s;) {
    const size_t size = strcspn(s, " ");
    if (size == length && memcmp(s, word, size) == 0) return true;
    s += size + strspn(s + size, " ");
  }
  return false;
}

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

// Words of lists, to suggest one of them.
static dls_suggestion suggest(const char *text, const char *const *lists, int count)
{
  enum { WORDS = 80, BYTES = 1200 };
  char copy[BYTES];
  const char *words[WORDS + 1];
  size_t used = 0;
  int found = 0;
  for (int k = 0; k < count; k++) {
    for (const char *s = lists[k]; s && *s;) {
      const size_t size = strcspn(s, " ");
      if (found < WORDS && used + size + 1 <= BYTES) {
        memcpy(copy + used, s, size);
        copy[used + size] = 0;
        words[found++] = copy + used;
        used += size + 1;
      }
      s += size + strspn(s + size, " ");
    }
  }
  words[found] = NULL;
  return dls_reading_suggest(text, words);
}

static void check_attributes(dls_file_reading *r, const dls_xml_element *e,
                             const dls_mjcf_words *row)
{
  for (int k = 0; k < e->attributes; k++) {
    const char *name = e->attribute[k].name;
    if (has_word(row->read, name)) continue;
    if (has_word(row->look, name)) dls_reading_note(r, false, 1, DLS_MJCF_LOOKS);
    else if (has_word(row->left, name)) dls_reading_note(r, false, 1, "%s %s", e->name, name);
    else if (!has_word(row->rough, name)) {
      const char *lists[] = {row->read, row->rough, row->left, row->look};
      dls_reading_fail_place(r, e->attribute[k].name_place, "`%.60s` has no attribute `%.60s`%s",
                             e->name, name, suggest(name, lists, 4).text);
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
    if (!has_word(row->children, c->name)) {
      dls_reading_fail(r, c, NULL, "`%.60s` has no element `%.60s`%s", e->name, c->name,
                       suggest(c->name, &row->children, 1).text);
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
