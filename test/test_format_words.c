// docs/robots.md lists what is read: its tables are those of the readers.
// DELASSUS_UPDATE_GOLDEN=1 writes them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "base/text.h"
#include "format/mjcf_words.h"
#include "format/urdf_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_words(dls_text *out, const char *words)
{
  for (const char *s = words; s && *s;) {
    const size_t size = strcspn(s, " ");
    dls_text_add(out, "%s`%.*s`", s == words ? "" : " ", (int)size, s);
    s += size + strspn(s + size, " ");
  }
}

static void mjcf_table(dls_text *out)
{
  dls_text_add(out, "| element | used | approximated | left out |\n|---|---|---|---|\n");
  for (const dls_mjcf_words *row = dls_mjcf_rows; row->path; row++) {
    if (!row->read && !row->rough && !row->left) continue;
    dls_text_add(out, "| `%s` | ", row->path);
    add_words(out, row->read);
    dls_text_add(out, " | ");
    add_words(out, row->rough);
    dls_text_add(out, " | ");
    add_words(out, row->left);
    dls_text_add(out, " |\n");
  }
}

static void skipped_list(dls_text *out)
{
  const char *last = "";
  for (const dls_mjcf_skip *skip = dls_mjcf_skips; skip->path; skip++) {
    if (!skip->note || strcmp(skip->note, last) == 0) continue;
    dls_text_add(out, "- %s\n", skip->note);
    last = skip->note;
  }
}

static void urdf_table(dls_text *out)
{
  dls_text_add(out, "| element | used | left out |\n|---|---|---|\n");
  for (const dls_urdf_words *row = dls_urdf_rows; row->name; row++) {
    dls_text_add(out, "| `%s` | ", row->name);
    add_words(out, row->read);
    dls_text_add(out, " | ");
    add_words(out, row->left);
    if (row->left && row->skipped) dls_text_add(out, " ");
    add_words(out, row->skipped);
    dls_text_add(out, " |\n");
  }
}

// The page with the text between a mark and the next end replaced.
static char *replaced(const char *page, const char *mark, void (*write)(dls_text *))
{
  const char *begin = strstr(page, mark);
  assert_non_null(begin);
  begin = strchr(begin, '\n') + 1;
  const char *end = strstr(begin, "<!-- end -->");
  assert_non_null(end);
  dls_text out = {0};
  dls_text_put(&out, page, (size_t)(begin - page));
  write(&out);
  dls_text_put(&out, end, strlen(end));
  assert_false(out.failed);
  return out.data;
}

static void page_lists_what_is_read(void **unused)
{
  (void)unused;
  enum { MOST = 1 << 17 };
  const char *source = getenv("DELASSUS_SOURCE");
  char path[500];
  snprintf(path, sizeof path, "%.400s/docs/robots.md", source ? source : ".");
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *page = calloc(MOST, 1);
  assert_true(fread(page, 1, MOST - 1, file) < MOST - 1);
  fclose(file);
  char *first = replaced(page, "<!-- mjcf", mjcf_table);
  char *second = replaced(first, "<!-- skipped", skipped_list);
  char *third = replaced(second, "<!-- urdf", urdf_table);
  if (getenv("DELASSUS_UPDATE_GOLDEN")) {
    file = fopen(path, "wb");
    assert_non_null(file);
    fputs(third, file);
    fclose(file);
  } else {
    assert_string_equal(page, third);
  }
  free(page), free(first), free(second), free(third);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(page_lists_what_is_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
