// libFuzzer entry for recordings: rows of finite numbers, or a message. The first byte chooses the
// form; an input that does not begin as a recording does is put behind such a beginning too.
#define _GNU_SOURCE
#include <delassus/delassus.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const coordinates[] = {"x", "y"};
static const dls_contact_info contacts[] = {{"floor", DLS_UNILATERAL, 1}};
static const dls_system names = {
    .n = 2, .m = 1, .slips = 1, .coordinates = coordinates, .contacts = contacts};
static const dls_recording_about about = {
    .system = &names, .memories = 1, .model = "m", .model_length = 1, .scheme = "s", .step = 1};

static void require(int holds)
{
  if (!holds) abort();
}

static void put(const char *path, const void *head, size_t head_size, const void *data, size_t size)
{
  FILE *f = fopen(path, "wb");
  require(f != NULL);
  require(fwrite(head, 1, head_size, f) == head_size && fwrite(data, 1, size, f) == size);
  require(fclose(f) == 0);
}

// The beginning that an empty recording has.
static size_t head_of(const char *path, char *head, size_t most)
{
  dls_recording *r = NULL;
  require(dls_recording_create(path, &about, &r, NULL) == DLS_OK);
  require(dls_recording_close(r, NULL) == DLS_OK);
  FILE *f = fopen(path, "rb");
  require(f != NULL);
  const size_t size = fread(head, 1, most, f);
  fclose(f);
  return size;
}

// ---- checks, so that rows of any content get past them ------------------------------------------

static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static uint64_t check_of_row(uint64_t before, const void *row, size_t size)
{
  return fnv(fnv(UINT64_C(14695981039346656037), &before, 8), row, size) >> 11;
}

static uint64_t check_of_about(void)
{
  const uint64_t zero = 0;
  uint64_t hash = fnv(UINT64_C(14695981039346656037), &zero, 8);
  hash = fnv(hash, "m\0s\0", 5);  // the settings are empty
  return fnv(hash, &about.step, 8) >> 11;
}

// The lines of the input, each with its check.
static void put_lines(const char *path, const char *head, size_t head_size, const uint8_t *data,
                      size_t size)
{
  uint64_t check = check_of_about();
  FILE *f = fopen(path, "wb");
  require(f != NULL);
  require(fwrite(head, 1, head_size, f) == head_size);
  while (size > 0) {
    const uint8_t *end = memchr(data, '\n', size);
    const size_t length = end ? (size_t)(end - data) : size;
    check = check_of_row(check, data, length);
    require(fwrite(data, 1, length, f) == length);
    require(fprintf(f, ",%llu\n", (unsigned long long)check) > 0);
    data += length + (end != NULL);
    size -= length + (end != NULL);
  }
  require(fclose(f) == 0);
}

static void read_all(const char *path)
{
  dls_recorded *r = NULL;
  dls_message message = {""};
  if (dls_recorded_open(path, &about, &r, &message) != DLS_OK) {
    require(!r && message.text[0]);
    return;
  }
  for (long k = 0; k < dls_recorded_count(r) && k < 1000; k++) {
    dls_moment row;
    if (dls_recorded_row(r, k, &row, &message) != DLS_OK) continue;
    require(isfinite(row.t) && isfinite(row.q[1]) && isfinite(row.v[1]) && row.next_step >= 0 &&
            isfinite(row.impulse[1]) && isfinite(row.memory[0]) && row.status[0] <= DLS_STICKING);
  }
  dls_recorded_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { HEAD = 1 << 14 };
  static char path[2][400], head[2][HEAD];
  static size_t head_size[2];
  for (int form = 0; form < 2 && !head_size[form]; form++) {
    const char *folder = getenv("TMPDIR");
    snprintf(path[form], sizeof path[form], "%.350s/fuzz-recording-%d.%s",
             folder ? folder : P_tmpdir, (int)getpid(), form ? "h5" : "csv");
    head_size[form] = head_of(path[form], head[form], HEAD);
  }
  if (size == 0) return 0;
  const int form = data[0] & 1;
  put(path[form], "", 0, data + 1, size - 1);
  read_all(path[form]);
  char *changed = head[form];
  // in HDF5 files the numbers that grow, wherever they are, are the first bytes of the input
  const size_t bytes = head_size[form];
  put(path[form], changed, bytes, data + 1, size - 1);
  read_all(path[form]);
  if (!form) {
    put_lines(path[form], changed, bytes, data + 1, size - 1);
    read_all(path[form]);
  }
  if (form && size > 12) {
    char *copy = malloc(bytes);
    require(copy != NULL);
    memcpy(copy, changed, bytes);
    for (size_t k = 1; k + 3 < 12; k += 3)
      copy[((size_t)data[k] << 8 | data[k + 1]) % bytes] = (char)data[k + 2];
    put(path[form], copy, bytes, data + 12, size - 12);
    free(copy);
    read_all(path[form]);
  }
  unlink(path[form]);
  return 0;
}
