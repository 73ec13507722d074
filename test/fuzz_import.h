// What fuzzers of model files share.
#ifndef TEST_FUZZ_IMPORT_H
#define TEST_FUZZ_IMPORT_H

#include <delassus/import.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_path[400];

static inline void fuzz_require(bool holds)
{
  if (!holds) abort();
}

static void fuzz_clean(void)
{
  unlink(fuzz_path);
}

// The bytes as a file of that ending.
static inline void fuzz_write(const uint8_t *data, size_t size, const char *ending)
{
  if (!fuzz_path[0]) {
    const char *folder = getenv("TMPDIR");
    snprintf(fuzz_path, sizeof fuzz_path, "%.300s/fuzz-import-%ld%s", folder ? folder : "/tmp",
             (long)getpid(), ending);
    atexit(fuzz_clean);
  }
  FILE *file = fopen(fuzz_path, "wb");
  fuzz_require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static inline void fuzz_finite(const double *x, int count)
{
  for (int k = 0; k < count; k++) fuzz_require(isfinite(x[k]));
}

static inline void fuzz_bodies(const dls_mechanism *m)
{
  for (int k = 0; k < m->bodies; k++) {
    const dls_rigid_body *b = &m->body[k];
    fuzz_require(b->name && b->name[0] && b->parent >= DLS_WORLD && b->parent < k);
    fuzz_finite(b->pose.position, 7);
    fuzz_finite(b->inertia, 6);
    fuzz_require(b->mass >= 0);
  }
  for (int k = 0; k < m->joints; k++) {
    const dls_joint *j = &m->joint[k];
    fuzz_require(j->name && j->body >= (k ? m->joint[k - 1].body : 0) && j->body < m->bodies);
    fuzz_finite(j->anchor, 3);
    fuzz_finite(j->axis, 3);
    fuzz_require(!j->limited || j->range[0] < j->range[1]);
  }
  for (int k = 0; k < m->solids; k++) {
    fuzz_require(m->solid[k].body >= DLS_WORLD && m->solid[k].body < m->bodies);
    fuzz_finite(m->solid[k].size, 3);
  }
}

static inline void fuzz_import(const uint8_t *data, size_t size)
{
  fuzz_write(data, size, ".xml");
  dls_import *import = NULL;
  dls_message message = {""};
  const dls_status status = dls_import_read(fuzz_path, NULL, &import, &message);
  fuzz_require((status == DLS_OK) == (import != NULL));
  if (import) fuzz_bodies(&import->mechanism);
  else if (status != DLS_ERR_MEMORY) fuzz_require(strstr(message.text, "fuzz-import") != NULL);
  dls_import_free(import);
}

#endif
