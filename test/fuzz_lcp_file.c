// libFuzzer entry for files of complementarity problems: a problem of finite numbers, or a message.
// An input that begins with a brace is JSON; any other is two MatrixMarket files, the second one
// after a line "---".
#define _GNU_SOURCE
#include <delassus/delassus.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

static const char *place(int which, const void *data, size_t size)
{
  static int memory[2] = {-1, -1};
  static char path[2][40];
  if (memory[which] < 0) memory[which] = memfd_create("lcp", 0);
  require(memory[which] >= 0 && ftruncate(memory[which], 0) == 0);
  require(pwrite(memory[which], data, size, 0) == (ssize_t)size);
  snprintf(path[which], sizeof path[which], "/proc/self/fd/%d", memory[which]);
  return path[which];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  dls_lcp_file *file = NULL;
  dls_message message;
  dls_status status;
  if (size > 0 && data[0] == '{') {
    status = dls_lcp_read_json(place(0, data, size), &file, &message);
  } else {
    const uint8_t *cut = memmem(data, size, "---\n", 4), *end = data + size;
    const char *M = place(0, data, cut ? (size_t)(cut - data) : size);
    const char *q = place(1, cut ? cut + 4 : end, cut ? (size_t)(end - cut - 4) : 0);
    status = dls_lcp_read_market(M, q, 0, &file, &message);
  }
  if (status != DLS_OK) {
    require(!file && message.text[0]);
    return 0;
  }
  const dls_mlcp *p = dls_lcp_file_problem(file);
  require(p->n > 0 && p->free >= 0 && p->free <= p->n);
  for (int k = 0; k < p->n * p->n; k++) require(isfinite(p->M[k]));
  for (int k = 0; k < p->n; k++) require(isfinite(p->q[k]));
  dls_lcp_file_free(file);
  return 0;
}
