// Recordings of contacts that come and go, and of configurations that are no vectors: rows come
// back to the last bit with the identities of their contacts, a run that is taken up makes the same
// file, and HDF5 reads the columns of a closed one.
#include "body.h"
#include "discs.h"
#include "numbers.h"

#include <delassus/recording.h>

#include <hdf5.h>
#include <math.h>
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

enum { DISCS = 6, NQ = 2 * DISCS };
static const double STEP = 2e-3, UNTIL = 0.5;
static const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli", "herk4"};

static char directory[400];

static const char *file(const char *name)
{
  static char path[2][500];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
  return path[turn];
}

static dls_recording_about about(const discs *d, const char *scheme)
{
  return (dls_recording_about){.system = &d->system, .scheme = scheme, .step = STEP};
}

// Records until `until`, from the integrator's state on. A run that goes through its recording goes
// on from each row.
static void record(dls_integrator *g, dls_recording *out, double until, bool first)
{
  dls_message message = {""};
  dls_failure failure = DLS_FAILURE_NONE;
  while (first || dls_integrator_sample(g).t < until) {
    if (!first && (dls_integrator_advance(g, until, &failure, &message) != DLS_OK || failure))
      fail_msg("%s", message.text);
    const dls_sample row = dls_integrator_sample(g);
    if (dls_recording_append(out, &row, &message) != DLS_OK) fail_msg("%s", message.text);
    if (dls_integrator_restart(g, &row, &message) != DLS_OK) fail_msg("%s", message.text);
    first = false;
  }
}

static void record_whole(const char *scheme, const char *path, double until)
{
  static discs d;
  discs_make(&d, DISCS, 0.3, 0, true);
  dls_integrator *g = discs_begin(&d, scheme, STEP);
  const dls_recording_about a = about(&d, scheme);
  dls_recording *out = NULL;
  dls_message message = {""};
  if (dls_recording_create(path, &a, &out, &message) != DLS_OK) fail_msg("%s", message.text);
  record(g, out, until, true);
  assert_int_equal(dls_recording_close(out, NULL), DLS_OK);
  dls_integrator_free(g);
}

static char *read_file(const char *path, long *size)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END), *size = ftell(f), rewind(f);
  char *bytes = malloc((size_t)*size + 1);
  assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
  fclose(f);
  return bytes;
}

static void same_bits(const void *a, const void *b, int count, size_t size)
{
  if (count > 0) assert_memory_equal(a, b, (size_t)count * size);
}

static void same_row(const dls_sample *a, const dls_sample *b)
{
  assert_int_equal(a->m, b->m), assert_int_equal(a->impulses, b->impulses);
  assert_int_equal(a->scheme_state_size, b->scheme_state_size);
  assert_true(a->t == b->t && a->next_step == b->next_step);
  same_bits(a->q, b->q, a->nq, sizeof(double)), same_bits(a->v, b->v, a->n, sizeof(double));
  same_bits(a->impulse, b->impulse, a->impulses, sizeof(double));
  same_bits(a->scheme_state, b->scheme_state, a->scheme_state_size, sizeof(double));
  same_bits(a->status, b->status, a->m, 1), same_bits(a->id, b->id, a->m, sizeof(uint64_t));
  same_bits(a->first, b->first, a->m + 1, sizeof(int));
}

// Each row against the run itself, made once more.
static void rows_come_back(void **state)
{
  (void)state;
  static discs d;
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    at_case("%s", schemes[k]);
    record_whole(schemes[k], file("run.h5"), UNTIL);
    discs_make(&d, DISCS, 0.3, 0, true);
    dls_integrator *g = discs_begin(&d, schemes[k], STEP);
    const dls_recording_about a = about(&d, schemes[k]);
    dls_recorded *r = NULL;
    dls_message message = {""};
    if (dls_recorded_open(file("run.h5"), &a, &r, &message) != DLS_OK) fail_msg("%s", message.text);
    int sizes = 0, before = -1;
    for (long i = 0; i < dls_recorded_count(r); i++) {
      dls_sample row;
      dls_failure failure;
      if (i > 0) assert_int_equal(dls_integrator_advance(g, UNTIL, &failure, NULL), DLS_OK);
      const dls_sample now = dls_integrator_sample(g);
      assert_int_equal(dls_recorded_row(r, i, &row, NULL), DLS_OK);
      same_row(&row, &now);
      sizes += row.m != before, before = row.m;
      assert_int_equal(dls_integrator_restart(g, &now, NULL), DLS_OK);
    }
    assert_true(dls_integrator_sample(g).t == UNTIL);
    assert_true(sizes > 3);  // contacts did come and go
    dls_recorded_free(r);
    dls_integrator_free(g);
  }
}

// From any row on, by another system and another integrator: the same file, to the last byte.
static void taken_up(void **state)
{
  (void)state;
  static discs d;
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    long size = 0, size_again = 0;
    record_whole(schemes[k], file("whole.h5"), UNTIL);
    char *bytes = read_file(file("whole.h5"), &size);
    for (int part = 1; part <= 4; part++) {
      at_case("%s, part %d", schemes[k], part);
      record_whole(schemes[k], file("part.h5"), UNTIL);
      discs_make(&d, DISCS, 0.3, 0, true);
      dls_integrator *g = discs_begin(&d, schemes[k], STEP);
      const dls_recording_about a = about(&d, schemes[k]);
      dls_recorded *r = NULL;
      dls_recording *out = NULL;
      dls_sample row;
      dls_message message = {""};
      assert_int_equal(dls_recorded_open(file("part.h5"), &a, &r, NULL), DLS_OK);
      const long at = dls_recorded_count(r) * part / 5;
      assert_int_equal(dls_recorded_row(r, at, &row, NULL), DLS_OK);
      if (dls_integrator_restart(g, &row, &message) != DLS_OK) fail_msg("%s", message.text);
      assert_int_equal(dls_recording_continue(r, at + 1, &out, NULL), DLS_OK);
      record(g, out, UNTIL, false);
      assert_int_equal(dls_recording_close(out, NULL), DLS_OK);
      char *again = read_file(file("part.h5"), &size_again);
      assert_int_equal(size, size_again);
      assert_memory_equal(bytes, again, (size_t)size);
      free(again);
      dls_recorded_free(r);
      dls_integrator_free(g);
    }
    free(bytes);
  }
}

// ---- as HDF5 reads them -------------------------------------------------------------------------

static hsize_t column(hid_t h5, const char *name, hid_t type, int rank, void *out)
{
  hsize_t extent[2] = {0};
  const hid_t id = H5Dopen2(h5, name, H5P_DEFAULT), space = H5Dget_space(id);
  assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
  H5Sget_simple_extent_dims(space, extent, NULL);
  if (out && extent[0] > 0) assert_true(H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
  H5Sclose(space), H5Dclose(id);
  return extent[0];
}

static void columns(void **state)
{
  (void)state;
  enum { MOST = 400 };
  static discs d;
  static double t[MOST], q[MOST * NQ], v[MOST * NQ], impulse[MOST * DISCS_PAIRS * 3];
  static uint64_t first[MOST + 1], id[MOST * DISCS_PAIRS];
  static unsigned char status[MOST * DISCS_PAIRS];
  record_whole("moreau", file("run.h5"), UNTIL);
  discs_make(&d, DISCS, 0.3, 0, true);
  const dls_recording_about a = about(&d, "moreau");
  dls_recorded *r = NULL;
  assert_int_equal(dls_recorded_open(file("run.h5"), &a, &r, NULL), DLS_OK);
  const hid_t h5 = H5Fopen(file("run.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hsize_t rows = column(h5, "/t", H5T_NATIVE_DOUBLE, 1, t);
  assert_true(rows == (hsize_t)dls_recorded_count(r) && rows < MOST);
  assert_true(column(h5, "/q", H5T_NATIVE_DOUBLE, 2, q) == rows);
  assert_true(column(h5, "/v", H5T_NATIVE_DOUBLE, 2, v) == rows);
  assert_true(column(h5, "/contacts/first", H5T_NATIVE_UINT64, 1, first) == rows + 1);
  const hsize_t contacts = column(h5, "/contacts/id", H5T_NATIVE_UINT64, 1, id);
  assert_true(contacts > rows && contacts == first[rows] && first[0] == 0);
  assert_true(column(h5, "/contacts/impulse", H5T_NATIVE_DOUBLE, 2, impulse) == contacts);
  assert_true(column(h5, "/contacts/status", H5T_NATIVE_UCHAR, 1, status) == contacts);
  for (hsize_t k = 0; k < rows; k++) {
    dls_sample row;
    assert_int_equal(dls_recorded_row(r, (long)k, &row, NULL), DLS_OK);
    assert_true(t[k] == row.t && first[k + 1] - first[k] == (uint64_t)row.m);
    same_bits(q + NQ * k, row.q, NQ, sizeof(double));
    same_bits(v + NQ * k, row.v, NQ, sizeof(double));
    for (int j = 0; j < row.m; j++) {
      const uint64_t at = first[k] + (uint64_t)j;
      assert_true(id[at] == row.id[j] && status[at] == row.status[j]);
      assert_true(impulse[3 * at] == row.impulse[2 * j]);
      assert_true(impulse[3 * at + 1] == row.impulse[2 * j + 1] && impulse[3 * at + 2] == 0);
    }
  }
  H5Fclose(h5);
  dls_recorded_free(r);
}

// What was flushed is there when the process ends, without columns.
static void never_closed(void **state)
{
  (void)state;
  static discs d;
  discs_make(&d, DISCS, 0.3, 0, true);
  dls_integrator *g = discs_begin(&d, "moreau", STEP);
  const dls_recording_about a = about(&d, "moreau");
  dls_recording *out = NULL;
  dls_recorded *r = NULL;
  assert_int_equal(dls_recording_create(file("run.h5"), &a, &out, NULL), DLS_OK);
  record(g, out, 0.3, true);
  assert_int_equal(dls_recording_flush(out, NULL), DLS_OK);
  assert_int_equal(dls_recorded_open(file("run.h5"), &a, &r, NULL), DLS_OK);
  assert_int_equal(dls_recorded_count(r), 151);
  const hid_t h5 = H5Fopen(file("run.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(column(h5, "/t", H5T_NATIVE_DOUBLE, 1, NULL) == 0);
  assert_true(column(h5, "/stream", H5T_NATIVE_UCHAR, 1, NULL) > 10000);
  H5Fclose(h5);
  dls_recorded_free(r);
  assert_int_equal(dls_recording_close(out, NULL), DLS_OK);
  dls_integrator_free(g);
}

// ---- states -------------------------------------------------------------------------------------

// --at run.h5@T and run.csv@T. A table has no contacts that come and go, and is not taken up.
static void states(void **state)
{
  (void)state;
  static discs d;
  static char names[NQ][16];
  const char *const files[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; k++) {
    at_case("%s", files[k]);
    discs_make(&d, DISCS, 0.3, 0, true);
    for (int i = 0; i < NQ; i++)
      snprintf(names[i], sizeof names[i], "q%d", i), d.coordinate[i] = names[i];
    dls_integrator *g = discs_begin(&d, "moreau", STEP);
    const dls_recording_about a = about(&d, "moreau");
    dls_recording *out = NULL;
    dls_recorded *r = NULL;
    dls_sample row;
    double q[NQ], v[NQ];
    dls_state at = {0, q, v};
    assert_int_equal(dls_recording_create(file(files[k]), &a, &out, NULL), DLS_OK);
    record(g, out, UNTIL, true);
    assert_int_equal(dls_recording_close(out, NULL), DLS_OK);
    assert_int_equal(dls_recorded_open(file(files[k]), &a, &r, NULL), DLS_OK);
    assert_int_equal(dls_recorded_row(r, 100, &row, NULL), DLS_OK);
    assert_int_equal(dls_recorded_state(file(files[k]), &d.system, 0.2, &at, NULL), DLS_OK);
    assert_true(fabs(at.t - 0.2) < 1e-9 && at.t == row.t);
    same_bits(q, row.q, NQ, sizeof(double)), same_bits(v, row.v, NQ, sizeof(double));
    assert_true((row.id == NULL) == (k == 1));
    assert_int_equal(dls_integrator_restart(g, &row, NULL), k ? DLS_ERR_ARGUMENT : DLS_OK);
    dls_recorded_free(r);
    dls_integrator_free(g);
  }
}

// A body in quaternions: seven numbers of the configuration, six velocities.
static void configurations(void **state)
{
  (void)state;
  const char *const files[] = {"body.h5", "body.csv"};
  for (int k = 0; k < 2; k++) {
    at_case("%s", files[k]);
    body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 9.81};
    dls_system s = body_system(&b);
    double q[BODY_NQ] = {0.3, -2, 5, 0.5, 0.5, -0.5, 0.5}, v[BODY_N] = {1, 0.5, 2, 0.3, 2, -0.4};
    dls_state at = {0, q, v};
    dls_integrator_options options = dls_integrator_defaults();
    options.scheme = "herk4", options.step = 0.01;
    dls_integrator *g = NULL;
    assert_int_equal(dls_integrator_create(&s, &at, &options, &g, NULL), DLS_OK);
    const dls_recording_about a = {.system = &s,
                                   .scheme = "herk4",
                                   .step = 0.01,
                                   .scheme_state_size = dls_integrator_sample(g).scheme_state_size};
    dls_recording *out = NULL;
    assert_int_equal(dls_recording_create(file(files[k]), &a, &out, NULL), DLS_OK);
    record(g, out, 0.1, true);
    assert_int_equal(dls_recording_close(out, NULL), DLS_OK);
    const dls_sample last = dls_integrator_sample(g);
    assert_int_equal(dls_recorded_state(file(files[k]), &s, 0.1, &at, NULL), DLS_OK);
    same_bits(q, last.q, BODY_NQ, sizeof(double)), same_bits(v, last.v, BODY_N, sizeof(double));
    dls_integrator_free(g);
  }
}

// ---- wrong ones ---------------------------------------------------------------------------------

static void samples_that_are_none(void **state)
{
  (void)state;
  static discs d;
  discs_make(&d, DISCS, 0.3, 0, true);
  dls_integrator *g = discs_begin(&d, "moreau", STEP);
  dls_failure failure;
  while (dls_integrator_sample(g).t < 0.3)
    assert_int_equal(dls_integrator_advance(g, 0.3, &failure, NULL), DLS_OK);
  dls_sample row = dls_integrator_sample(g), other = row;
  assert_true(row.m > 2);
  uint64_t id[DISCS_PAIRS];
  memcpy(id, row.id, (size_t)row.m * sizeof *id);
  const uint64_t swap = id[0];
  id[0] = id[1], id[1] = swap;
  other.id = id;
  assert_int_equal(dls_integrator_restart(g, &other, NULL), DLS_ERR_ARGUMENT);
  other.id = NULL;
  assert_int_equal(dls_integrator_restart(g, &other, NULL), DLS_ERR_ARGUMENT);
  other = row, other.nq--;
  assert_int_equal(dls_integrator_restart(g, &other, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_integrator_restart(g, &row, NULL), DLS_OK);
  dls_integrator_free(g);
}

// Bytes that were changed, or are missing: refused or read, but never more.
static void damaged(void **state)
{
  (void)state;
  static discs d;
  long size = 0;
  record_whole("moreau", file("run.h5"), 0.3);
  char *bytes = read_file(file("run.h5"), &size), *copy = malloc((size_t)size);
  discs_make(&d, DISCS, 0.3, 0, true);
  const dls_recording_about a = about(&d, "moreau");
  int refused = 0;
  for (int k = 0; k < TRIED(600); k++) {
    at_case("k %d", k);
    long length = k % 3 == 0 ? below((int)size) : size;
    memcpy(copy, bytes, (size_t)size);
    for (int i = 0; k % 3 && i < 4; i++) copy[below((int)size)] = (char)below(256);
    FILE *f = fopen(file("bad.h5"), "wb");
    fwrite(copy, 1, (size_t)length, f), fclose(f);
    dls_recorded *r = NULL;
    dls_recording *out = NULL;
    double q[NQ], v[NQ];
    dls_state at = {0, q, v};
    dls_sample row;
    refused += dls_recorded_open(file("bad.h5"), &a, &r, NULL) != DLS_OK;
    for (long i = 0; r && i < dls_recorded_count(r); i++) dls_recorded_row(r, i, &row, NULL);
    dls_recorded_state(file("bad.h5"), &d.system, 0.2, &at, NULL);
    if (r && dls_recording_continue(r, dls_recorded_count(r), &out, NULL) == DLS_OK)
      dls_recording_close(out, NULL);
    dls_recorded_free(r);
  }
  assert_true(refused > TRIED(600) / 3);
  free(bytes), free(copy);
}

static int begin(void **state)
{
  (void)state;
  const char *folder = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%.350s/found-recording-XXXXXX", folder ? folder : ".");
  return mkdtemp(directory) ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  const char *const all[] = {"run.h5",  "whole.h5", "part.h5", "run.csv",
                             "body.h5", "body.csv", "bad.h5"};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) unlink(file(all[k]));
  return rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_back), cmocka_unit_test(taken_up),
      cmocka_unit_test(columns),        cmocka_unit_test(never_closed),
      cmocka_unit_test(states),         cmocka_unit_test(configurations),
      cmocka_unit_test(damaged),        cmocka_unit_test(samples_that_are_none)};
  return cmocka_run_group_tests(tests, begin, end);
}
