// libFuzzer entry for FCLIB files: whatever the bytes, a problem that is in order or a message.
// What was read is written and read again: the same.
#include <delassus/delassus.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

static int same(int count, const double *a, const double *b)
{
  return (!a && !b) || (a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

static void compare(const dls_fclib *a, const dls_fclib *b)
{
  const dls_incremental *p = &a->problem, *q = &b->problem;
  const int rows = dls_incremental_rows(p);
  require(p->dimension == q->dimension && p->contacts == q->contacts);
  require(p->equations == q->equations && p->global == q->global && p->dof == q->dof);
  require(same(p->contacts, p->mu, q->mu));
  const dls_matrix_view *A = p->global ? &p->H : &p->W, *B = p->global ? &q->H : &q->W;
  require(same(A->pattern.p[rows], A->x, B->x));
  require(a->guesses == b->guesses && strcmp(a->title, b->title) == 0);
  require(!a->solution.r || same(rows, a->solution.r, b->solution.r));
}

static char path[400], copy_path[410];

static void clean(void)
{
  unlink(path);
  unlink(copy_path);
}

static void prepare(void)
{
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%.350s/fuzz-fclib-XXXXXX", folder ? folder : P_tmpdir);
  const int file = mkstemp(path);
  require(file >= 0 && close(file) == 0);
  snprintf(copy_path, sizeof copy_path, "%s-copy", path);
  atexit(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!path[0]) prepare();
  FILE *file = fopen(path, "wb");
  require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);

  dls_fclib *read = NULL, *again = NULL;
  dls_message message;
  const dls_status status = dls_fclib_read(path, &read, &message);
  if (status != DLS_OK) {
    require(!read && strncmp(message.text, path, strlen(path)) == 0);
    return 0;
  }
  require(dls_incremental_validate(&read->problem, &message) == DLS_OK);
  require(dls_fclib_write(copy_path, read, NULL, &message) == DLS_OK);
  require(dls_fclib_read(copy_path, &again, &message) == DLS_OK);
  compare(read, again);
  dls_fclib_free(again);
  dls_fclib_free(read);
  return 0;
}
