// Outputs of a model: their values, and what recordings keep of them.
#define _POSIX_C_SOURCE 200809L
#include "language.h"

#include "cases.h"

#include <delassus/delassus.h>

#include <hdf5.h>
#include <unistd.h>

static const char ball[] = "parameter m = 2, g = 10\n"
                           "coordinate x, y, z\n"
                           "let r = (x, y, z), speed2 = x'^2 + y'^2 + z'^2\n"
                           "kinetic m/2*speed2\n"
                           "potential m*g*y\n"
                           "unilateral floor: y - x^2 >= 0 { slip x', z'; friction 0.5 }\n"
                           "bilateral rail: z = 2 + t { slip x'; friction 0.1 }\n"
                           "output T = kinetic, V = potential, E = energy\n"
                           "output gap = floor.gap, rate = floor.rate\n"
                           "output s1 = floor.slip1, s2 = floor.slip2, s = rail.slip\n"
                           "output n = floor.force_n, t1 = floor.force_t1, t2 = floor.force_t2\n"
                           "output rn = rail.force_n, rt = rail.force_t, rt1 = rail.force_t1\n"
                           "output jump = if(y > 1, sign(x), floor(2.5)), far = norm(r)\n"
                           "for i in 1..3 { output o[i] = i*g + t }\n"
                           "output none = 1/(y - 3), both = floor.force_n + 0*floor.force_t1\n"
                           "output speed2 = speed2\n";

static double value_of(const running *r, const double *out, const char *name)
{
  for (int i = 0; i < dls_model_output_count(r->model); i++)
    if (strcmp(dls_model_output_name(r->model, i), name) == 0) return out[i];
  fail_msg("no output %s", name);
  return 0;
}

static void assert_value(const running *r, const double *out, const char *name, double expected)
{
  const double x = value_of(r, out, name);
  if (!(fabs(x - expected) <= 1e-14 * (1 + fabs(expected))))
    fail_msg("%s is %.17g, expected %.17g", name, x, expected);
}

static void values_are_those_of_the_formulas(void **unused)
{
  (void)unused;
  running r = run(ball);
  const double q[] = {-2, 3, 5}, v[] = {0.5, -1, 2}, force[] = {7, 8, 9, 11, 12};
  double out[32];
  const double T = 0.25 + 1 + 4, V = 60;
  assert_int_equal(dls_model_output_count(r.model), 22);
  assert_int_equal(dls_model_outputs(r.system, 4, q, v, force, out), DLS_OK);
  const struct {
    const char *name;
    double value;
  } expected[] = {{"T", T},
                  {"V", V},
                  {"E", T + V},
                  {"gap", 3 - 4},
                  {"s1", 0.5},
                  {"s2", 2},
                  {"rate", -1 + 4 * 0.5},
                  {"s", 0.5},
                  {"n", 7},
                  {"t1", 8},
                  {"t2", 9},
                  {"rn", 11},
                  {"rt", 12},
                  {"rt1", 12},
                  {"jump", -1},
                  {"far", sqrt(4 + 9 + 25)},
                  {"o[1]", 14},
                  {"o[2]", 24},
                  {"o[3]", 34},
                  {"both", 7},
                  {"speed2", T}};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
    assert_value(&r, out, expected[k].name, expected[k].value);
  assert_true(isnan(value_of(&r, out, "none")));  // never infinite

  // forces that are not known make no other number than NaN, and others stay
  const double some[] = {7, (double)NAN, 9, 11, 12};
  assert_int_equal(dls_model_outputs(r.system, 4, q, v, some, out), DLS_OK);
  assert_value(&r, out, "n", 7);
  assert_value(&r, out, "t2", 9);
  assert_true(isnan(value_of(&r, out, "t1")));
  assert_int_equal(dls_model_outputs(r.system, 4, q, v, NULL, out), DLS_OK);
  assert_true(isnan(value_of(&r, out, "n")) && isnan(value_of(&r, out, "rt")));
  assert_value(&r, out, "E", T + V);

  // parameters follow --set
  assert_int_equal(dls_model_set(r.system, "m", "4", &r.message), DLS_OK);
  assert_int_equal(dls_model_outputs(r.system, 4, q, v, force, out), DLS_OK);
  assert_value(&r, out, "E", 2 * (T + V));

  // a state that is none has no outputs
  const double bad[] = {-2, (double)NAN, 5};
  assert_int_equal(dls_model_outputs(r.system, 4, bad, v, force, out), DLS_OK);
  assert_true(isnan(value_of(&r, out, "o[1]")));
  assert_int_equal(dls_model_outputs(r.system, 4, q, NULL, force, out), DLS_ERR_ARGUMENT);
  stop(&r);
}

static void models_without_outputs_have_none(void **unused)
{
  (void)unused;
  running r = run("coordinate x\nkinetic x'^2/2\n");
  double out[1] = {5};
  assert_int_equal(dls_model_output_count(r.model), 0);
  assert_null(dls_model_output_name(r.model, 0));
  assert_int_equal(dls_model_outputs(r.system, 0, out, out, NULL, out), DLS_OK);
  assert_true(out[0] == 5);
  assert_int_equal(dls_model_output_count(NULL), 0);
  stop(&r);
}

// What stands in a sine is an angle, bare, in sums and multiples by numbers; lengths over lengths
// have no unit either, and the model does not say which.
static void angles_are_told_from_lengths(void **unused)
{
  (void)unused;
  running r =
      run("parameter L = 2, k = 1\ncoordinate x, y, a, b, c, d, e, f\n"
          "let inner = a - b/2\n"
          "kinetic (x'^2 + y'^2 + a'^2 + b'^2 + c'^2 + d'^2 + e'^2 + f'^2)/2\n"
          "potential sin(inner)*x + cos(k + 3*c) + sin(x/L) + y^2 + k*a^2 + tanh(e) + cos(k*f)\n"
          "unilateral floor: y - L*tan(-d) >= 0\n");
  const bool expected[] = {false, false, true, true, true, true, false, false};
  for (int i = 0; i < 8; i++) assert_int_equal(dls_model_is_angle(r.model, i), expected[i]);
  assert_false(dls_model_is_angle(r.model, -1));
  assert_false(dls_model_is_angle(r.model, 8));
  stop(&r);
}

// ---- recordings ---------------------------------------------------------------------------------

enum { ROWS = 5000, OUTPUTS = 2 };
static const char recorded[] = "coordinate x\nkinetic x'^2/2\nunilateral wall: x >= 0\n"
                               "output a = 2*x, b[1] = wall.force_n\n";
static char directory[400];

static const char *path_of(const char *name)
{
  static char path[500];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static double number(int k, int i)
{
  return i == 1 && k % 7 == 0 ? (double)NAN : sin(k + 10.0 * i);
}

static void append(dls_recording *r, int from, int to)
{
  for (int k = from; k < to; k++) {
    const double q = k, v = -k, impulse = 0.5 * k, out[OUTPUTS] = {number(k, 0), number(k, 1)};
    const unsigned char status = DLS_OPEN;
    const dls_sample row = {.t = k,
                            .next_step = 1,
                            .nq = 1,
                            .n = 1,
                            .m = 1,
                            .q = &q,
                            .v = &v,
                            .impulses = 1,
                            .impulse = &impulse,
                            .status = &status,
                            .outputs = OUTPUTS,
                            .output = out};
    assert_int_equal(dls_recording_append(r, &row, NULL), DLS_OK);
  }
}

static void assert_column(const char *path, const char *name, int i, int rows)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  assert_int_equal(H5Sget_simple_extent_npoints(space), rows);
  double *x = calloc((size_t)rows + 1, sizeof *x);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  for (int k = 0; k < rows; k++) {
    const double e = number(k, i);
    assert_true(isnan(e) ? isnan(x[k]) : x[k] == e);
  }
  free(x);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

static char *bytes_of(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size, f), *size);
  fclose(f);
  return bytes;
}

// A file that goes on is the same as one that was not stopped, with its columns in their new place.
static void recordings_keep_them(void **unused)
{
  (void)unused;
  running r = run(recorded);
  const dls_recording_about about = {
      .system = r.system, .outputs = OUTPUTS, .scheme = "moreau", .step = 1};
  static const char *const names[] = {"a.h5", "a.csv"};
  for (int f = 0; f < 2; f++) {
    at_case("%s", names[f]);
    dls_recording *w = NULL;
    dls_message message = {0};
    dls_recorded *read = NULL;
    dls_sample row;
    size_t whole_size, size;
    assert_int_equal(dls_recording_create(path_of(names[f]), &about, &w, &message), DLS_OK);
    append(w, 0, ROWS);
    assert_int_equal(dls_recording_close(w, &message), DLS_OK);
    if (f == 0) assert_column(path_of(names[f]), "/outputs/a", 0, ROWS);
    if (f == 0) assert_column(path_of(names[f]), "/outputs/b[1]", 1, ROWS);
    char *whole = bytes_of(path_of(names[f]), &whole_size);
    if (f == 1) {
      assert_non_null(strstr(whole, ",step,a,b[1],check: "));
      assert_non_null(strstr(whole, ",nan,"));
    }
    assert_int_equal(dls_recorded_open(path_of(names[f]), &about, &read, &message), DLS_OK);
    assert_int_equal(dls_recorded_count(read), ROWS);
    assert_int_equal(dls_recorded_row(read, 4321, &row, &message), DLS_OK);
    assert_true(row.t == 4321 && row.v[0] == -4321 && row.status[0] == DLS_OPEN);
    assert_int_equal(row.outputs, 0);
    assert_int_equal(dls_recording_continue(read, 700, &w, &message), DLS_OK);
    if (f == 0) assert_column(path_of(names[f]), "/outputs/a", 0, 0);  // gone with the rows
    append(w, 700, ROWS);
    assert_int_equal(dls_recording_close(w, &message), DLS_OK);
    char *again = bytes_of(path_of(names[f]), &size);
    assert_int_equal(size, whole_size);
    assert_memory_equal(again, whole, size);
    free(whole);
    free(again);
    dls_recorded_free(read);

    // rows and recordings that do not fit
    dls_recording_about other = about;
    other.outputs = 0;
    assert_int_equal(dls_recorded_open(path_of(names[f]), &other, &read, &message), DLS_ERR_FILE);
    other.outputs = 1;
    assert_int_equal(dls_recording_create(path_of("b.h5"), &other, &w, &message), DLS_ERR_ARGUMENT);
    unlink(path_of(names[f]));
  }
  stop(&r);
}

int main(void)
{
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/delassus-output-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(directory)) return 1;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_formulas),
      cmocka_unit_test(models_without_outputs_have_none),
      cmocka_unit_test(angles_are_told_from_lengths),
      cmocka_unit_test(recordings_keep_them),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(directory);
  return failed;
}
