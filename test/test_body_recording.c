// Recordings of bodies: columns of poses, points, normals and forces; a run that is taken up from
// any row, in a system of its own, makes the same file.
#include "fixture.h"

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

static const char text[] = "gravity 0, 0, -9.81\n"
                           "fixed ground { plane 0, 0, 1 }\n"
                           "body c { box 0.3, 0.3, 0.2; density 400; position 0, 0, 0.3\n"
                           "         rotation 0.1, 0.2, 0.3; spin 1, 2, 3 }\n"
                           "body d { sphere 0.1; mass 2; position 0.05, 0, 0.6 }\n"
                           "contact * * { friction 0.5; restitution 0.1 }\n"
                           "let corner = point c (0.15, 0, -0.1), middle = point c (0, 0, 0)\n"
                           "output height = corner.z\noutput late = 2*corner.z + t + middle.z'\n";
enum { OUTPUTS = 2 };
static const double UNTIL = 0.4;

static char directory[400];

static const char *file(const char *name)
{
  static char path[2][500];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
  return path[turn];
}

static dls_recording_about about(const fixture *r, const char *scheme)
{
  return (dls_recording_about){
      .system = r->system, .scheme = scheme, .step = 1e-2, .outputs = OUTPUTS};
}

static fixture *begin(const char *scheme)
{
  return fixture_open_lost(text, scheme, strcmp(scheme, "moreau") == 0 ? 2e-3 : 1e-2);
}

static void record(fixture *r, dls_recording *out, bool first)
{
  dls_message message = {""};
  dls_failure failure = DLS_FAILURE_NONE;
  while (first || dls_integrator_sample(r->integrator).t < UNTIL) {
    if (!first)
      assert_int_equal(dls_integrator_advance(r->integrator, UNTIL, &failure, &message), DLS_OK);
    if (failure) fail_msg("%s", message.text);
    const double unread[OUTPUTS] = {0};  // files of bodies have what the model says of the row
    dls_sample row = dls_integrator_sample(r->integrator);
    row.outputs = OUTPUTS, row.output = unread;
    if (dls_recording_append(out, &row, &message) != DLS_OK) fail_msg("%s", message.text);
    assert_int_equal(dls_integrator_restart(r->integrator, &row, &message), DLS_OK);
    first = false;
  }
  if (dls_recording_close(out, &message) != DLS_OK) fail_msg("%s", message.text);
}

static void record_whole(const char *scheme, const char *path)
{
  fixture *r = begin(scheme);
  dls_recording *out = NULL;
  const dls_recording_about a = about(r, scheme);
  assert_int_equal(dls_recording_create(path, &a, &out, NULL), DLS_OK);
  record(r, out, true);
  fixture_close(r);
}

static double *read_column(hid_t f, const char *name, hsize_t *count)
{
  const hid_t set = H5Dopen2(f, name, H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  *count = (hsize_t)H5Sget_simple_extent_npoints(space);
  double *x = calloc(*count + 1, sizeof *x);
  assert_non_null(x);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return x;
}

// The forces on the floor in the last row carry the weight; contacts lie on it; poses are those of
// q.
static void columns_are_true(void **state)
{
  (void)state;
  record_whole("moreau", file("run.h5"));
  const hid_t f = H5Fopen(file("run.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(f >= 0);
  hsize_t rows, contacts, n;
  double *first = read_column(f, "/contacts/first", &rows);
  double *point = read_column(f, "/contacts/point", &contacts);
  double *normal = read_column(f, "/contacts/normal", &n);
  double *force = read_column(f, "/contacts/force", &n);
  double *q = read_column(f, "/q", &n), *place = read_column(f, "/bodies/position", &n);
  double *turn = read_column(f, "/bodies/quaternion", &n);
  rows--;
  assert_int_equal((hsize_t)first[rows] * 3, contacts);
  for (hsize_t k = 0; k < rows; k++)  // the floor is the first body
    for (int b = 0; b < 2; b++) {
      for (int i = 0; i < 3; i++)
        assert_true(place[(3 * k + 1 + b) * 3 + i] == q[k * 14 + 7 * b + i]);
      for (int i = 0; i < 4; i++)
        assert_true(fabs(turn[(3 * k + 1 + b) * 4 + i] - q[k * 14 + 7 * b + 3 + i]) < 1e-12);
    }
  double up = 0;
  int floor = 0;
  for (hsize_t c = (hsize_t)first[rows - 1]; c < (hsize_t)first[rows]; c++) {
    if (!(fabs(point[3 * c + 2]) < 1e-2)) continue;
    assert_true(fabs(normal[3 * c + 2] - 1) < 1e-12);
    up += force[3 * c + 2], floor++;
  }
  assert_true(floor >= 3);
  double mass = 400 * 0.3 * 0.3 * 0.2;
  if (q[(rows - 1) * 14 + 9] > 0.25) mass += 2;  // the ball lies on the box still
  if (!(fabs(up - 9.81 * mass) < 0.05 * 9.81 * mass)) fail_msg("%g on %d points", up, floor);
  free(first), free(point), free(normal), free(force), free(q), free(place), free(turn);
  H5Fclose(f);
}

// Outputs are those of the configuration in the same row.
static void outputs_are_true(void **state)
{
  (void)state;
  record_whole("moreau", file("run.h5"));
  const hid_t f = H5Fopen(file("run.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(f >= 0);
  hsize_t rows, n;
  double *t = read_column(f, "/t", &rows), *q = read_column(f, "/q", &n);
  double *v = read_column(f, "/v", &n);
  double *height = read_column(f, "/outputs/height", &n);
  assert_int_equal(n, rows);
  double *late = read_column(f, "/outputs/late", &n);
  assert_int_equal(n, rows);
  for (hsize_t k = 0; k < rows; k++) {
    const double *p = q + 14 * k, w = p[3], x = p[4], y = p[5], z = p[6];
    const double corner = p[2] + 0.15 * 2 * (x * z - w * y) - 0.1 * (w * w - x * x - y * y + z * z);
    if (!(fabs(height[k] - corner) < 1e-12)) fail_msg("row %d: %g, %g", (int)k, height[k], corner);
    assert_true(fabs(late[k] - 2 * corner - t[k] - v[12 * k + 2]) < 1e-12);
  }
  assert_true(rows > 100);
  free(t), free(q), free(v), free(height), free(late);
  H5Fclose(f);
}

static char *read_file(const char *path, long *size)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END), *size = ftell(f), rewind(f);
  char *bytes = malloc((size_t)*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
  fclose(f);
  return bytes;
}

// The first row that ends a step, at or behind a part of the rows.
static long step_from(dls_recorded *r, long row)
{
  dls_sample x;
  for (; row > 0; row--) {
    assert_int_equal(dls_recorded_row(r, row, &x, NULL), DLS_OK);
    if (x.next_step > 0) return row;
  }
  return 0;
}

static void taken_up_to_the_same_bytes(void **state)
{
  static const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli", "herk5",
                                        "radau5"};
  (void)state;
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
    for (int part = 1; part < 4; part += 2) {
      at_case("%s, from %d/4", schemes[k], part);
      if (part == 1) record_whole(schemes[k], file("whole.h5"));
      record_whole(schemes[k], file("part.h5"));
      long size, again;
      char *a = read_file(file("whole.h5"), &size), *b = read_file(file("part.h5"), &again);
      assert_int_equal(size, again);
      assert_memory_equal(a, b, (size_t)size);  // two runs
      free(b);
      fixture *r = begin(schemes[k]);
      const dls_recording_about what = about(r, schemes[k]);
      dls_recorded *recorded = NULL;
      dls_recording *out = NULL;
      dls_sample row;
      assert_int_equal(dls_recorded_open(file("part.h5"), &what, &recorded, NULL), DLS_OK);
      const long from = step_from(recorded, dls_recorded_count(recorded) * part / 4);
      assert_int_equal(dls_recorded_row(recorded, from, &row, NULL), DLS_OK);
      assert_int_equal(dls_integrator_restart(r->integrator, &row, NULL), DLS_OK);
      assert_int_equal(dls_recording_continue(recorded, from + 1, &out, NULL), DLS_OK);
      dls_recorded_free(recorded);
      record(r, out, false);
      fixture_close(r);
      b = read_file(file("part.h5"), &again);
      assert_int_equal(size, again);
      assert_memory_equal(a, b, (size_t)size);
      free(a), free(b);
    }
}

static int make_directory(void **state)
{
  const char *temporary = getenv("TMPDIR");
  (void)state;
  snprintf(directory, sizeof directory, "%s/bodies-XXXXXX", temporary ? temporary : "/tmp");
  return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
  (void)state;
  (void)unlink(file("run.h5")), (void)unlink(file("whole.h5")), (void)unlink(file("part.h5"));
  return rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_true),
      cmocka_unit_test(outputs_are_true),
      cmocka_unit_test(taken_up_to_the_same_bytes),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
