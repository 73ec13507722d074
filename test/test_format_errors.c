// Files with errors, and the messages about them: test/golden/import-errors.txt has pairs of both.
// DELASSUS_UPDATE_GOLDEN=1 writes them anew; read what git diff shows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <delassus/import.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  enum { MOST = 1 << 20 };
  char *text = calloc(MOST, 1);
  assert_non_null(text);
  assert_true(fread(text, 1, MOST - 1, file) < MOST - 1);
  fclose(file);
  return text;
}

static void read_message(const char *input, size_t length, dls_message *message)
{
  FILE *file = fopen("model.xml", "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(input, 1, length, file), length);
  fclose(file);
  dls_import *import = NULL;
  const dls_status status = dls_import_read("model.xml", NULL, &import, message);
  if (status == DLS_OK) snprintf(message->text, sizeof message->text, "no error\n");
  else assert_true(status == DLS_ERR_MODEL || status == DLS_ERR_LIMIT);
  assert_true((status == DLS_OK) == (import != NULL));
  dls_import_free(import);
}

// Every message, as they are now, into `now`; how many of them differ.
static int run(const char *golden, FILE *now)
{
  int different = 0, count = 0;
  for (const char *at = strstr(golden, "=== "); at; count++) {
    const char *input = strchr(at, '\n') + 1, *middle = strstr(input, "\n---\n");
    assert_non_null(middle);
    const char *wanted = middle + strlen("\n---\n"), *next = strstr(wanted, "\n=== ");
    const size_t length = next ? (size_t)(next + 1 - wanted) : strlen(wanted);
    dls_message message = {""};
    at_case("%.*s", (int)(input - at - 1), at);
    read_message(input, (size_t)(middle - input), &message);
    const size_t size = strlen(message.text);
    if (size + 1 != length || memcmp(message.text, wanted, size) != 0) {
      print_message("%.*s\n%s\n", (int)(input - at - 1), at, message.text);
      different++;
    }
    fprintf(now, "%.*s---\n%s\n", (int)(middle + 1 - at), at, message.text);
    at = next ? next + 1 : NULL;
  }
  assert_true(count > 50);
  return different;
}

static void errors_say_where_and_what(void **unused)
{
  (void)unused;
  const char *source = getenv("DELASSUS_SOURCE"), *base = getenv("TMPDIR");
  char path[500], folder[400], old[500];
  assert_non_null(getcwd(old, sizeof old));
  snprintf(path, sizeof path, "%.400s/test/golden/import-errors.txt", source ? source : old);
  snprintf(folder, sizeof folder, "%.300s/delassus-errors-XXXXXX", base ? base : "/tmp");
  char *golden = read_text(path);
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  FILE *now = fopen("now", "wb");
  assert_non_null(now);
  const int different = run(golden, now);
  fclose(now);
  char *text = read_text("now");
  if (getenv("DELASSUS_UPDATE_GOLDEN")) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
  }
  free(text);
  free(golden);
  unlink("now");
  unlink("model.xml");
  assert_int_equal(chdir(old), 0);
  rmdir(folder);
  at_case("%d messages differ", different);
  assert_true(different == 0 || getenv("DELASSUS_UPDATE_GOLDEN"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_say_where_and_what)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
