// Recordings: what is written is read back to the last bit, at whatever moment the writing stopped.
#define _POSIX_C_SOURCE 200809L
#include <delassus/delassus.h>

#include <float.h>
#include <hdf5.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cases.h"

enum { N = 2, M = 2, IMPULSES = 4, MEMORIES = 1, ROWS = 7 };

static char directory[400];

static const char *const coordinates[] = {"x", "angle, \"phi\""};
static const dls_contact_info contacts[] = {
    {.name = "floor", .kind = DLS_UNILATERAL, .tangents = 2},
    {.name = "wall", .kind = DLS_BILATERAL}};
static const dls_system system_of_names = {
    .n = N, .m = M, .tangents = 2, .coordinates = coordinates, .contacts = contacts};
static const char model[] = "# a model\ncoordinate x\n";
static const dls_recording_about about = {.system = &system_of_names,
                                          .scheme_state_size = MEMORIES,
                                          .model = model,
                                          .model_length = sizeof model - 1,
                                          .scheme = "moreau",
                                          .settings = "theta=0.5",
                                          .step = 0.1};

typedef struct sample {
  double q[N], v[N], impulse[IMPULSES], scheme_state[MEMORIES];
  unsigned char status[M];
  dls_sample row;
} sample;

// Rows with the numbers that are hard to write: 0.1, the smallest and the largest, -0.
static void make(sample *s, int k)
{
  static const double hard[] = {0.1,     -0.0,     DBL_MIN, 4.9406564584124654e-324,
                                DBL_MAX, -1.0 / 3, 1e22};
  *s = (sample){.q = {k, hard[k % 7]},
                .v = {hard[(k + 1) % 7], -k},
                .impulse = {hard[(k + 2) % 7], 1, 2, 3},
                .scheme_state = {hard[(k + 3) % 7]},
                .status = {(unsigned char)(k % 5), DLS_STICKING}};
  s->row = (dls_sample){.t = 0.1 * k,
                        .next_step = k % 3 == 1 ? 0 : 0.1,
                        .nq = N,
                        .n = N,
                        .m = M,
                        .q = s->q,
                        .v = s->v,
                        .impulses = IMPULSES,
                        .impulse = s->impulse,
                        .status = s->status,
                        .scheme_state_size = MEMORIES,
                        .scheme_state = s->scheme_state};
}

static void assert_same(const dls_sample *a, const dls_sample *b)
{
  assert_memory_equal(&a->t, &b->t, sizeof a->t);
  assert_memory_equal(&a->next_step, &b->next_step, sizeof a->t);
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->m, b->m);
  assert_int_equal(a->impulses, b->impulses);
  assert_int_equal(a->scheme_state_size, b->scheme_state_size);
  assert_memory_equal(a->q, b->q, sizeof(double) * N);
  assert_memory_equal(a->v, b->v, sizeof(double) * N);
  assert_memory_equal(a->impulse, b->impulse, sizeof(double) * IMPULSES);
  assert_memory_equal(a->scheme_state, b->scheme_state, sizeof(double) * MEMORIES);
  assert_memory_equal(a->status, b->status, M);
}

static const char *place(const char *name)
{
  static char path[8][500];
  static int next;
  char *p = path[next = (next + 1) % 8];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

static size_t get(const char *path, unsigned char **bytes)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  *bytes = malloc(1 << 20);
  const size_t size = fread(*bytes, 1, 1 << 20, f);
  fclose(f);
  return size;
}

static void set(const char *path, const void *bytes, size_t size)
{
  unlink(path);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

static void record(const char *path, int first, int last, dls_recording *r)
{
  dls_message message;
  if (!r) unlink(path);  // file systems wait for the disk when a file is cut and written again
  if (!r) assert_int_equal(dls_recording_create(path, &about, &r, &message), DLS_OK);
  for (int k = first; k < last; k++) {
    sample s;
    make(&s, k);
    assert_int_equal(dls_recording_append(r, &s.row, &message), DLS_OK);
  }
  assert_int_equal(dls_recording_close(r, &message), DLS_OK);
}

static void assert_rows(const char *path, int count)
{
  dls_message message;
  dls_recorded *r = NULL;
  assert_int_equal(dls_recorded_open(path, &about, &r, &message), DLS_OK);
  assert_int_equal(dls_recorded_count(r), count);
  for (int k = count - 1; k >= 0; k--) {
    sample s;
    dls_sample row;
    make(&s, k);
    assert_int_equal(dls_recorded_row(r, k, &row, &message), DLS_OK);
    assert_same(&row, &s.row);
  }
  dls_sample row;
  assert_int_equal(dls_recorded_row(r, count, &row, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_recorded_row(r, -1, &row, &message), DLS_ERR_ARGUMENT);
  dls_recorded_free(r);
}

// ---- checks, computed apart from the library ----------------------------------------------------

static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static uint64_t fnv_number(uint64_t number)
{
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++, number >>= 8) bytes[i] = (unsigned char)number;
  return fnv(UINT64_C(14695981039346656037), bytes, 8);
}

// What stands before the first row.
static uint64_t check_of_about(void)
{
  uint64_t hash = fnv_number(0);
  hash = fnv(hash, model, sizeof model);
  hash = fnv(hash, about.scheme, strlen(about.scheme) + 1);
  hash = fnv(hash, about.settings, strlen(about.settings) + 1);
  return fnv(hash, &about.step, sizeof about.step) >> 11;
}

static uint64_t check_of_row(uint64_t before, const void *row, size_t size)
{
  return fnv(fnv_number(before), row, size) >> 11;
}

// Adds lines with their checks to a text.
static size_t add_lines(char *text, size_t length, const char *const *lines, int count)
{
  uint64_t check = check_of_about();
  for (int k = 0; k < count; k++) {
    check = check_of_row(check, lines[k], strlen(lines[k]));
    length += (size_t)sprintf(text + length, "%s,%llu\n", lines[k], (unsigned long long)check);
  }
  return length;
}

// ---- round trips --------------------------------------------------------------------------------

static const char *const names[] = {"a.csv", "a.h5", "a.hdf5"};

static void every_bit_comes_back(void **state)
{
  (void)state;
  for (int form = 0; form < 3; form++)
    for (int rows = 0; rows <= ROWS; rows += ROWS) {
      at_case("%s, rows %d", names[form], rows);
      record(place(names[form]), 0, rows, NULL);
      assert_rows(place(names[form]), rows);
    }
}

static void the_header_names_the_columns(void **state)
{
  (void)state;
  static const char head[] =
      "t,x,\"angle, \"\"phi\"\"\",x',\"angle, \"\"phi\"\"'\",floor.impulse_n,floor.impulse_t1,"
      "floor.impulse_t2,wall.impulse_n,floor.status,wall.status,step,memory.1,"
      "check: scheme=moreau; step=0.10000000000000001; model=%016llx; settings=theta=0.5\n";
  static const char *const row = "0,0,0.10000000000000001,-0,0,2.2250738585072014e-308,1,2,3,0,4,"
                                 "0.10000000000000001,4.9406564584124654e-324";
  char expected[2000];
  size_t length = (size_t)sprintf(
      expected, head,
      (unsigned long long)fnv(UINT64_C(14695981039346656037), model, sizeof model - 1));
  length = add_lines(expected, length, &row, 1);
  record(place("a.csv"), 0, 1, NULL);
  unsigned char *bytes;
  const size_t size = get(place("a.csv"), &bytes);
  assert_int_equal(size, length);
  assert_memory_equal(bytes, expected, size);
  free(bytes);
}

// One line, whatever the settings are.
static void the_header_is_one_line(void **state)
{
  (void)state;
  dls_recording_about odd = about;
  odd.settings = "at=\"x = 1,\n y = 2\"";
  dls_recording *r = NULL;
  assert_int_equal(dls_recording_create(place("a.csv"), &odd, &r, NULL), DLS_OK);
  assert_int_equal(dls_recording_close(r, NULL), DLS_OK);
  unsigned char *bytes;
  const size_t size = get(place("a.csv"), &bytes);
  assert_ptr_equal(memchr(bytes, '\n', size), bytes + size - 1);
  free(bytes);
  dls_recorded *read = NULL;
  assert_int_equal(dls_recorded_open(place("a.csv"), &odd, &read, NULL), DLS_OK);
  dls_recorded_free(read);
}

static void the_locale_does_not_matter(void **state)
{
  (void)state;
  const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
  unsigned char *one, *other;
  record(place("a.csv"), 0, ROWS, NULL);
  for (int k = 0; k < 3; k++)
    if (setlocale(LC_NUMERIC, commas[k])) break;
  record(place("b.csv"), 0, ROWS, NULL);
  assert_rows(place("b.csv"), ROWS);
  setlocale(LC_NUMERIC, "C");
  const size_t size = get(place("a.csv"), &one);
  assert_int_equal(get(place("b.csv"), &other), size);
  assert_memory_equal(one, other, size);
  free(one);
  free(other);
}

// The same bytes whether the rows came at once or the file was continued, with a rest to cut off.
static void continued_files_are_the_same(void **state)
{
  (void)state;
  for (int form = 0; form < 2; form++)
    for (int keep = 0; keep <= 4; keep++) {
      dls_message message;
      dls_recorded *read = NULL;
      dls_recording *r = NULL;
      const char *whole = place(form ? "whole.h5" : "whole.csv"), *part = place(names[form]);
      at_case("%s, %s", names[form], whole);
      record(whole, 0, ROWS, NULL);
      record(part, 0, 4, NULL);
      assert_int_equal(dls_recorded_open(part, &about, &read, &message), DLS_OK);
      assert_int_equal(dls_recording_continue(read, 5, &r, &message), DLS_ERR_ARGUMENT);
      assert_int_equal(dls_recording_continue(read, keep, &r, &message), DLS_OK);
      dls_recorded_free(read);
      record(part, keep, ROWS, r);
      unsigned char *one, *other;
      const size_t size = get(whole, &one);
      assert_int_equal(get(part, &other), size);
      assert_memory_equal(one, other, size);
      free(one);
      free(other);
    }
}

static void many_rows_reach_the_file(void **state)
{
  (void)state;
  for (int form = 0; form < 2; form++) {
    at_case("%s", names[form]);
    record(place(names[form]), 0, 3000, NULL);
    assert_rows(place(names[form]), 3000);
  }
}

// ---- what a kill leaves -------------------------------------------------------------------------

static void a_cut_line_is_not_there(void **state)
{
  (void)state;
  unsigned char *bytes;
  record(place("a.csv"), 0, 2, NULL);
  const size_t one_less = get(place("a.csv"), &bytes);
  free(bytes);
  record(place("a.csv"), 0, 3, NULL);
  const size_t size = get(place("a.csv"), &bytes);
  for (size_t length = one_less; length < size; length++) {
    at_case("length %zu", length);
    set(place("b.csv"), bytes, length);
    assert_rows(place("b.csv"), 2);
  }
  free(bytes);
}

// Rows and the last number of the first field, as HDF5 itself reads them.
static long hdf5_rows(const char *path, double *last)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t set_of_rows = H5Dopen2(file, "/rows", H5P_DEFAULT);
  assert_true(set_of_rows >= 0);
  const hid_t space = H5Dget_space(set_of_rows);
  const long count = (long)H5Sget_simple_extent_npoints(space);
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double));
  H5Tinsert(type, "t", 0, H5T_NATIVE_DOUBLE);
  double *t = malloc(((size_t)count + 1) * sizeof *t);
  assert_true(H5Dread(set_of_rows, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, t) >= 0);
  *last = count ? t[count - 1] : -1;
  free(t);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set_of_rows);
  H5Fclose(file);
  return count;
}

// Each state that the file has between two rows and three: HDF5 reads all of them, and so do we.
static void every_moment_is_readable(void **state)
{
  (void)state;
  unsigned char *before, *after;
  record(place("a.h5"), 0, 2, NULL);
  const size_t small = get(place("a.h5"), &before);
  record(place("a.h5"), 0, 3, NULL);
  const size_t size = get(place("a.h5"), &after);
  assert_true(size > small);

  // where the numbers that grow are: they differ, in the order of writing
  size_t end = 40, place_of[3] = {end, 0, 0};
  for (size_t i = 48; i < small; i++)
    if (before[i] != after[i]) {
      if (before[i] == 2 && after[i] == 3) place_of[2] = i;
      else if (!place_of[1]) place_of[1] = i & ~(size_t)1;
    }
  assert_true(place_of[1] && place_of[2]);

  unsigned char *mixed = malloc(size);
  memcpy(mixed, after, size);
  memcpy(mixed, before, small);
  double last;
  for (size_t length = small; length < size; length++) {  // the row itself, byte for byte
    at_case("length %zu", length);
    set(place("b.h5"), mixed, length);
    assert_rows(place("b.h5"), 2);
  }
  for (int written = 0; written <= 3; written++) {
    at_case("written %d", written);
    set(place("b.h5"), mixed, size);
    assert_int_equal(hdf5_rows(place("b.h5"), &last), written < 3 ? 2 : 3);
    assert_true(last == (written < 3 ? 0.1 : 0.1 * 2));
    assert_rows(place("b.h5"), written < 3 ? 2 : 3);
    if (written < 3) memcpy(mixed + place_of[written], after + place_of[written], 8);
  }
  assert_memory_equal(mixed, after, size);
  free(mixed);
  free(before);
  free(after);
}

// A continued file is cut first: HDF5 reads what is left.
static void a_cut_file_is_readable(void **state)
{
  (void)state;
  dls_message message;
  dls_recorded *read = NULL;
  dls_recording *r = NULL;
  double last;
  record(place("a.h5"), 0, ROWS, NULL);
  assert_int_equal(hdf5_rows(place("a.h5"), &last), ROWS);
  assert_true(last == 0.1 * (ROWS - 1));
  assert_int_equal(dls_recorded_open(place("a.h5"), &about, &read, &message), DLS_OK);
  assert_int_equal(dls_recording_continue(read, 2, &r, &message), DLS_OK);
  assert_int_equal(hdf5_rows(place("a.h5"), &last), 2);
  dls_recorded_free(read);
  dls_recording_close(r, NULL);
}

// ---- bad input ----------------------------------------------------------------------------------

static void refused(const char *path, const dls_recording_about *other, const char *words)
{
  dls_message message = {""};
  dls_recorded *r = NULL;
  assert_int_equal(dls_recorded_open(path, other, &r, &message), DLS_ERR_FILE);
  assert_null(r);
  if (!strstr(message.text, words)) fail_msg("no \"%s\" in: %s", words, message.text);
}

static void another_run_is_refused(void **state)
{
  (void)state;
  for (int form = 0; form < 2; form++) {
    const char *path = place(form ? "a.h5" : "a.csv");
    at_case("%s", path);
    record(path, 0, 3, NULL);
    dls_recording_about other = about;
    other.scheme = "radau5";
    refused(path, &other, "the scheme moreau, and this is radau5");
    other = about;
    other.step = 0.2;
    refused(path, &other, "the step 0.1");
    other = about;
    other.model_length--;
    refused(path, &other, "another model");
    other = about;
    other.settings = "theta=1";
    refused(path, &other, "the settings theta=0.5, and this is theta=1");
    other.settings = NULL;
    refused(path, &other, "the settings theta=0.5");
    other = about;
    other.scheme_state_size = 2;
    refused(path, &other, "another version of delassus");
    dls_system fewer = system_of_names;
    fewer.n = 1;
    other = about;
    other.system = &fewer;
    refused(path, &other, "another version of delassus");
  }
  refused(place("none.csv"), &about, "No such file");
  set(place("b.csv"), "", 0);
  refused(place("b.csv"), &about, "no whole line");
  set(place("b.h5"), "t,x\n", 4);
  refused(place("b.h5"), &about, "not an HDF5 file");
}

// The place of the rows: they are all that a longer recording adds.
static size_t begin_of_rows(const char *path)
{
  unsigned char *bytes;
  record(path, 0, 0, NULL);
  const size_t size = get(path, &bytes);
  free(bytes);
  return size;
}

// Any change of a bit in the rows.
static void changed_rows_are_noticed(void **state)
{
  (void)state;
  for (int form = 0; form < 2; form++) {
    const char *path = place(form ? "a.h5" : "a.csv"), *bad = place(form ? "b.h5" : "b.csv");
    at_case("%s", path);
    const size_t begin = begin_of_rows(path);
    unsigned char *bytes;
    record(path, 0, 3, NULL);
    const size_t size = get(path, &bytes);
    for (size_t i = begin; i < size; i++)
      for (int bit = 0; bit < 8; bit += 1 + form) {
        bytes[i] ^= (unsigned char)(1 << bit);
        set(bad, bytes, size);
        // a last line that does not end is one that was cut off, and is not read
        dls_recorded *r = NULL;
        const dls_status status = dls_recorded_open(bad, &about, &r, NULL);
        if (status == DLS_OK) assert_true(!form && i == size - 1 && dls_recorded_count(r) == 2);
        else assert_int_equal(status, DLS_ERR_FILE);
        dls_recorded_free(r);
        bytes[i] ^= (unsigned char)(1 << bit);
      }
    free(bytes);
  }
}

// A line that is left out, given twice or exchanged with another.
static void lines_have_their_places(void **state)
{
  (void)state;
  static const char *const lines[] = {"0,0,0,0,0,0,1,2,3,0,4,0.1,0", "1,0,0,0,0,0,1,2,3,0,4,0.1,0",
                                      "2,0,0,0,0,0,1,2,3,0,4,0.1,0"};
  const size_t begin = begin_of_rows(place("a.csv"));
  char text[2000], mixed[2000];
  unsigned char *head;
  get(place("a.csv"), &head);
  memcpy(text, head, begin);
  free(head);
  const size_t length = add_lines(text, begin, lines, 3);
  set(place("b.csv"), text, length);
  dls_recorded *r = NULL;
  assert_int_equal(dls_recorded_open(place("b.csv"), &about, &r, NULL), DLS_OK);
  assert_int_equal(dls_recorded_count(r), 3);
  dls_recorded_free(r);

  size_t line[4] = {begin};
  for (int k = 0; k < 3; k++)
    line[k + 1] = (size_t)((char *)memchr(text + line[k], '\n', length - line[k]) - text) + 1;
  static const int order[][3] = {{1, 2, -1}, {0, 2, -1}, {1, 0, 2}, {0, 0, 1}, {0, 1, 1}};
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    at_case("k %zu", k);
    size_t used = begin;
    memcpy(mixed, text, begin);
    for (int i = 0; i < 3 && order[k][i] >= 0; i++) {
      const size_t from = line[order[k][i]], size = line[order[k][i] + 1] - from;
      memcpy(mixed + used, text + from, size);
      used += size;
    }
    set(place("b.csv"), mixed, used);
    refused(place("b.csv"), &about, "is not as it was written");
  }
}

static void calls_that_are_wrong(void **state)
{
  (void)state;
  dls_message message;
  dls_recording *r = NULL;
  assert_int_equal(dls_recording_create(place("a.txt"), &about, &r, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, ".csv, .h5 or .hdf5"));
  assert_int_equal(dls_recording_create(place("none/a.csv"), &about, &r, &message), DLS_ERR_FILE);
  assert_non_null(strstr(message.text, "No such file"));
  assert_int_equal(dls_recording_create("/dev/full.csv/a.csv", &about, &r, &message), DLS_ERR_FILE);
  assert_null(r);
  assert_int_equal(dls_recording_create(place("a.csv"), &about, &r, &message), DLS_OK);
  sample s;
  make(&s, 0);
  s.row.n = 1;
  assert_int_equal(dls_recording_append(r, &s.row, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_recording_close(r, &message), DLS_OK);
  assert_int_equal(dls_recording_close(NULL, &message), DLS_OK);
}

// Reads all rows of a file of any content; returns how many are good.
static long read_all(const char *path)
{
  dls_message message = {""};
  dls_recorded *r = NULL;
  if (dls_recorded_open(path, &about, &r, &message) != DLS_OK) {
    assert_null(r);
    assert_true(message.text[0]);
    return -1;
  }
  long good = 0;
  for (long k = 0; k < dls_recorded_count(r); k++) {
    dls_sample row;
    const dls_status status = dls_recorded_row(r, k, &row, &message);
    assert_true(status == DLS_OK || status == DLS_ERR_FILE);
    if (status == DLS_OK) assert_true(row.next_step >= 0 && row.status[0] <= DLS_STICKING);
    good += status == DLS_OK;
  }
  dls_recorded_free(r);
  return good;
}

static void damaged_lines_are_refused(void **state)
{
  (void)state;
  static const char *const bad[] = {"",
                                    "0,0,0,0,0,0,1,2,3,0,4,0.1",
                                    "0,0,0,0,0,0,1,2,3,0,4,0.1,0,0",
                                    "nan,0,0,0,0,0,1,2,3,0,4,0.1,0",
                                    "0,0,0,0,0,0,1,2,3,5,4,0.1,0",
                                    "0,0,0,0,0,0,1,2,3,0,44,0.1,0",
                                    "0,0,0,0,0,0,1,2,3,0,4,-0.1,0",
                                    "0,0,0,0,0,0,1,2,3,0,4,inf,0",
                                    "0,0,0,0,0,1e999,1,2,3,0,4,1,0",
                                    "0,0,0,0,0,0 ,1,2,3,0,4,0.1,0",
                                    "0,,0,0,0,0,1,2,3,0,4,0.1,0",
                                    "0,0x1,0,0,0,0,1,2,3,0,4,0.1,0"};
  unsigned char *bytes;
  record(place("a.csv"), 0, 0, NULL);
  const size_t size = get(place("a.csv"), &bytes);
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    at_case("%s", bad[k]);
    char text[2000];
    const char *lines[] = {bad[k], "0,0,0,0,0,0,1,2,3,0,4,0.1,0"};
    memcpy(text, bytes, size);
    set(place("b.csv"), text, add_lines(text, size, lines, 2));
    assert_int_equal(read_all(place("b.csv")), bad[k][0] ? 1 : -1);
  }
  free(bytes);
}

// Every byte changed, and every length.
static void no_content_does_harm(void **state)
{
  (void)state;
  for (int form = 0; form < 2; form++) {
    unsigned char *bytes;
    record(place(names[form]), 0, 3, NULL);
    const size_t size = get(place(names[form]), &bytes);
    const char *bad = place(form ? "b.h5" : "b.csv");
    at_case("%s", bad);
    for (size_t i = 0; i < size; i++) {
      const unsigned char was = bytes[i];
      static const unsigned char other[] = {0, 0xFF, 0x80};
      for (int k = 0; k < 3; k++) {
        if (form && i % 3 != (size_t)k) continue;
        bytes[i] = other[k];
        set(bad, bytes, size);
        assert_true(read_all(bad) <= 3);
      }
      bytes[i] = was;
    }
    for (size_t length = 0; length < size; length += form ? 7 : 1) {
      set(bad, bytes, length);
      assert_true(read_all(bad) < 3);
    }
    free(bytes);
  }
}

static int begin(void **state)
{
  (void)state;
  const char *folder = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%.350s/recording-XXXXXX", folder ? folder : ".");
  return mkdtemp(directory) ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  char command[500];
  snprintf(command, sizeof command, "rm -r %s", directory);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_comes_back),       cmocka_unit_test(the_header_names_the_columns),
      cmocka_unit_test(the_locale_does_not_matter), cmocka_unit_test(continued_files_are_the_same),
      cmocka_unit_test(many_rows_reach_the_file),   cmocka_unit_test(a_cut_line_is_not_there),
      cmocka_unit_test(every_moment_is_readable),   cmocka_unit_test(a_cut_file_is_readable),
      cmocka_unit_test(another_run_is_refused),     cmocka_unit_test(calls_that_are_wrong),
      cmocka_unit_test(changed_rows_are_noticed),   cmocka_unit_test(lines_have_their_places),
      cmocka_unit_test(the_header_is_one_line),     cmocka_unit_test(damaged_lines_are_refused),
      cmocka_unit_test(no_content_does_harm)};
  return cmocka_run_group_tests(tests, begin, end);
}
