#include "import_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

dls_import *import_text(const char *text, const dls_import_options *options)
{
  const char *folder = getenv("TMPDIR");
  char path[400];
  snprintf(path, sizeof path, "%.300s/delassus-import-%ld.xml", folder ? folder : "/tmp",
           (long)getpid());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  fclose(file);
  dls_import *import = NULL;
  dls_message message = {""};
  if (dls_import_read(path, options, &import, &message)) print_message("%s\n", message.text);
  unlink(path);
  assert_non_null(import);
  return import;
}

int import_note(const dls_import *import, const char *what)
{
  for (int k = 0; k < import->notes; k++) {
    if (strcmp(import->note[k].what, what) == 0) return import->note[k].count;
  }
  return 0;
}

int import_body(const dls_import *import, const char *name)
{
  for (int k = 0; k < import->mechanism.bodies; k++) {
    if (strcmp(import->mechanism.body[k].name, name) == 0) return k;
  }
  return -1;
}

int import_joint(const dls_import *import, const char *name)
{
  for (int k = 0; k < import->mechanism.joints; k++) {
    if (strcmp(import->mechanism.joint[k].name, name) == 0) return k;
  }
  return -1;
}
