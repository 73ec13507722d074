// FCLIB files that are in order: what is written is read again, in every form that others write;
// real problems; failing writes leave nothing.
#define _XOPEN_SOURCE 700
#include "fclib_maker.h"

#include "numbers.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cases.h"

static dls_fclib *opened(const char *path)
{
  dls_fclib *f = NULL;
  dls_message message;
  const dls_status status = dls_fclib_read(path, &f, &message);
  if (status != DLS_OK) fail_msg("%s", message.text);
  assert_non_null(f);
  return f;
}

static void same_point(const dls_incremental *p, const dls_fclib_point *a, const dls_fclib_point *b)
{
  const int rows = dls_incremental_rows(p);
  same_numbers(rows, a->u, b->u);
  same_numbers(rows, a->r, b->r);
  same_numbers(p->dof, a->v, b->v);
}

static void same_all(const dls_fclib *a, const dls_fclib *b)
{
  same_problem(&a->problem, &b->problem);
  assert_string_equal(a->title, b->title);
  assert_string_equal(a->description, b->description);
  assert_string_equal(a->mathematics, b->mathematics);
  assert_int_equal(a->guesses, b->guesses);
  for (int k = 0; k < a->guesses; k++) same_point(&a->problem, &a->guess[k], &b->guess[k]);
  same_point(&a->problem, &a->solution, &b->solution);
}

static void round_trip(void **state)
{
  (void)state;
  const char *path = scratch("round.hdf5");
  dls_message message;
  for (int trial = 0; trial < 40; trial++) {
    at_case("trial %d", trial);
    dls_fclib *f = file_made(trial % 2, 2 + trial / 2 % 2, trial % 5, trial / 4 % 4);
    if (dls_fclib_write(path, f, NULL, &message) != DLS_OK) fail_msg("%s", message.text);
    dls_fclib *g = opened(path);
    if (f->problem.contacts > 0) same_all(f, g);
    else same_problem(&f->problem, &g->problem);
    dls_fclib_free(g);
    file_made_free(f);
  }
}

// The format has cones and equations: another law is refused, a cone by name is not.
static void laws(void **state)
{
  (void)state;
  const char *path = scratch("laws.hdf5");
  dls_fclib *f = file_made(false, 3, 2, 1), copy = *f;
  unsigned char law[] = {DLS_LAW_CONE, DLS_LAW_CONE};
  dls_message message;
  copy.problem.law = law;
  assert_int_equal(dls_fclib_write(path, &copy, NULL, &message), DLS_OK);
  dls_fclib *g = opened(path);
  same_problem(&f->problem, &g->problem);
  assert_null(g->problem.law);
  dls_fclib_free(g);
  law[1] = DLS_LAW_BILATERAL_CONE;
  assert_int_equal(dls_fclib_write(path, &copy, NULL, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "contact 1 has the law 'bilateral cone'"));
  file_made_free(f);
}

// A solution of the call replaces the problem's own; without any there is no group.
static void solutions(void **state)
{
  (void)state;
  const char *path = scratch("solution.hdf5");
  dls_fclib *f = file_made(true, 3, 2, 1), *other = file_made(true, 3, 2, 1), copy = *f;
  assert_int_equal(dls_fclib_write(path, f, &other->solution, NULL), DLS_OK);
  dls_fclib *g = opened(path);
  same_point(&f->problem, &other->solution, &g->solution);
  dls_fclib_free(g);

  copy.solution = (dls_fclib_point){0};
  copy.guesses = 0;
  copy.title = copy.description = copy.mathematics = NULL;
  assert_int_equal(dls_fclib_write(path, &copy, NULL, NULL), DLS_OK);
  g = opened(path);
  assert_true(!g->solution.u && !g->solution.r && !g->solution.v && g->guesses == 0);
  assert_string_equal(g->title, "");
  dls_fclib_free(g);

  // only u is known: r and v are declared without data, and nothing again when read
  copy.solution.u = f->solution.u;
  assert_int_equal(dls_fclib_write(path, &copy, NULL, NULL), DLS_OK);
  g = opened(path);
  same_point(&f->problem, &copy.solution, &g->solution);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5Lexists(file, "/solution/r", H5P_DEFAULT) > 0);
  H5Fclose(file);
  dls_fclib_free(g);
  file_made_free(f), file_made_free(other);
}

static herr_t print_nothing(hid_t stack, void *data)
{
  (void)stack, (void)data;
  return 0;
}

// HDF5's global state is as the caller left it.
static void global_state(void **state)
{
  int here = 0;
  H5E_auto2_t function, old;
  void *data, *old_data;
  H5Eget_auto2(H5E_DEFAULT, &old, &old_data);
  H5Eset_auto2(H5E_DEFAULT, print_nothing, &here);
  round_trip(state);
  H5Eget_auto2(H5E_DEFAULT, &function, &data);
  H5Eset_auto2(H5E_DEFAULT, old, old_data);
  assert_true(function == print_nothing && data == &here);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

// Bytes do not depend on when a file is written.
static void same_bytes(void **state)
{
  (void)state;
  static char bytes[2][1 << 17];
  size_t size[2];
  dls_fclib *f = file_made(false, 3, 3, 2);
  for (int k = 0; k < 2; k++) {
    const char *path = scratch("bytes.hdf5");
    at_case("%s", path);
    assert_int_equal(dls_fclib_write(path, f, NULL, NULL), DLS_OK);
    FILE *file = fopen(path, "rb");
    size[k] = fread(bytes[k], 1, sizeof bytes[k], file);
    fclose(file);
  }
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
  file_made_free(f);
}

// ---- what others write -------------------------------------------------------------------------

enum { M = 4, P = 2, COUNT = 7 };

// 2 contacts in the plane, 2 equations. W has the entry (1, 2) twice, and no order.
static const int W_row[] = {3, 1, 0, 2, 1, 1, 0}, W_col[] = {0, 2, 0, 2, 1, 2, 3};
static const double W_x[] = {-1, 0.25, 1, 3, 2, 0.5, 7};
static const int V_row[] = {0, 3, 2}, V_col[] = {1, 0, 1}, R_row[] = {1, 0}, R_col[] = {0, 0};
static const double V_x[] = {10, 20, 30}, R_x[] = {100, 200};
static const double q[] = {1, 2, 3, 4}, s[] = {5, 6}, mu[] = {0.5, 0.25};

static hid_t create(const char *path)
{
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static void local_by_hand(const char *path, int form, int spare)
{
  const hid_t file = create(path);
  put_integer(file, "/fclib_local/spacedim", 2);
  put_matrix(file, "/fclib_local/W", form, spare, M, M, COUNT, W_row, W_col, W_x);
  put_matrix(file, "/fclib_local/V", form, spare, M, P, 3, V_row, V_col, V_x);
  put_matrix(file, "/fclib_local/R", form, spare, P, P, 2, R_row, R_col, R_x);
  put_numbers(file, "/fclib_local/vectors/q", M, q);
  put_numbers(file, "/fclib_local/vectors/s", P, s);
  put_numbers(file, "/fclib_local/vectors/mu", 2, mu);
  H5Fclose(file);
}

static double at(const dls_matrix_view *A, int row, int col)
{
  for (int e = A->pattern.p[col]; e < A->pattern.p[col + 1]; e++)
    if (A->pattern.i[e] == row) return A->x[e];
  return 0;
}

// [W V; V^T R], (q, s): no sign changes.
static void forms_of_local(void **state)
{
  (void)state;
  static const double expected[M + P][M + P] = {{1, 0, 0, 7, 0, 10},   {0, 2, 0.75, 0, 0, 0},
                                                {0, 0, 3, 0, 0, 30},   {-1, 0, 0, 0, 20, 0},
                                                {0, 0, 0, 20, 200, 0}, {10, 0, 30, 0, 100, 0}};
  for (int form = -2; form <= 0; form++)
    for (int spare = 0; spare < 4; spare += 3) {
      const char *path = scratch("form.hdf5");
      at_case("form %d, %s", form, path);
      local_by_hand(path, form, spare);
      dls_fclib *f = opened(path);
      const dls_incremental *p = &f->problem;
      assert_int_equal(p->contacts, 2);
      assert_int_equal(p->equations, P);
      assert_int_equal(p->W.pattern.p[M + P], 6 + 2 * 3 + 2);
      for (int i = 0; i < M + P; i++)
        for (int j = 0; j < M + P; j++) assert_true(at(&p->W, i, j) == expected[i][j]);
      for (int i = 0; i < M + P; i++) assert_true(p->q[i] == i + 1);
      assert_true(p->mu[0] == 0.5 && p->mu[1] == 0.25 && !f->solution.r && f->guesses == 0);
      assert_string_equal(f->title, "");
      dls_fclib_free(f);
    }
}

static void forms_of_global(void **state)
{
  (void)state;
  for (int form = -2; form <= 0; form++) {
    const char *path = scratch("form.hdf5");
    at_case("%s", path);
    const hid_t file = create(path);
    put_integer(file, "/fclib_global/spacedim", 2);
    put_matrix(file, "/fclib_global/M", form, 0, M, M, COUNT, W_row, W_col, W_x);
    put_matrix(file, "/fclib_global/H", form, 2, M, P, 3, V_row, V_col, V_x);
    put_matrix(file, "/fclib_global/G", form, 0, M, 1, 1, (int[]){2}, (int[]){0}, (double[]){-8});
    put_numbers(file, "/fclib_global/vectors/f", M, q);
    put_numbers(file, "/fclib_global/vectors/w", P, s);
    put_numbers(file, "/fclib_global/vectors/b", 1, (double[]){7});
    put_numbers(file, "/fclib_global/vectors/mu", 1, mu);
    put_numbers(file, "/solution/u", 2, q), put_numbers(file, "/solution/r", 2, s);
    put_numbers(file, "/solution/l", 1, mu), put_numbers(file, "/solution/v", 4, q);
    H5Fclose(file);
    dls_fclib *f = opened(path);
    const dls_incremental *p = &f->problem;
    assert_true(p->global && p->dof == M && p->contacts == 1 && p->equations == 1);
    assert_true(at(&p->M, 1, 2) == 0.75 && at(&p->M, 0, 3) == 7 && at(&p->M, 3, 0) == -1);
    assert_true(at(&p->H, 3, 0) == 20 && at(&p->H, 0, 1) == 10 && at(&p->H, 2, 1) == 30);
    assert_true(at(&p->H, 2, 2) == -8 && p->H.pattern.p[3] == 4);
    assert_true(p->f[3] == 4 && p->w[0] == 5 && p->w[1] == 6 && p->w[2] == 7);
    const dls_fclib_point *x = &f->solution;
    assert_true(x->u[1] == 2 && x->u[2] == 0 && x->r[1] == 6 && x->r[2] == 0.5 && x->v[3] == 4);
    dls_fclib_free(f);
  }
}

// Other integers and numbers, byte orders, scalars without a dimension, data in the header.
static void types(void **state)
{
  (void)state;
  const char *path = scratch("types.hdf5");
  local_by_hand(path, -1, 0);
  dls_fclib *expected = opened(path);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t compact = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t length = M, two = 2, lines = P + 1;
  const int dimension = 2;
  put_dataset(file, "/fclib_local/spacedim", H5T_STD_U8LE, 0, NULL, H5P_DEFAULT, H5T_NATIVE_INT,
              &dimension);
  put_dataset(file, "/fclib_local/W/m", H5T_STD_I64BE, 0, NULL, H5P_DEFAULT, H5T_NATIVE_INT,
              (int[]){M});
  put_dataset(file, "/fclib_local/vectors/mu", H5T_IEEE_F32BE, 1, &two, H5P_DEFAULT,
              H5T_NATIVE_DOUBLE, mu);
  H5Pset_layout(compact, H5D_COMPACT);
  put_dataset(file, "/fclib_local/vectors/q", H5T_STD_I16BE, 1, &length, compact, H5T_NATIVE_DOUBLE,
              q);
  put_dataset(file, "/fclib_local/V/p", H5T_STD_U64LE, 1, &lines, compact, H5T_NATIVE_INT,
              (int[]){0, 1, 3});
  H5Pclose(compact);
  H5Fclose(file);
  dls_fclib *f = opened(path);
  same_problem(&expected->problem, &f->problem);
  dls_fclib_free(expected), dls_fclib_free(f);
}

// ---- real problems -----------------------------------------------------------------------------

static int read_directory(const char *path)
{
  DIR *d = opendir(path);
  int count = 0;
  for (struct dirent *e; d && (e = readdir(d));) {
    const size_t length = strlen(e->d_name);
    if (length < 5 || strcmp(e->d_name + length - 5, ".hdf5") != 0) continue;
    char name[600];
    snprintf(name, sizeof name, "%.300s/%.250s", path, e->d_name);
    const char *copy = scratch("copy.hdf5");
    at_case("%s", copy);
    dls_fclib *f = opened(name);
    assert_true(f->problem.contacts > 0);
    if (dls_fclib_write(copy, f, NULL, NULL) != DLS_OK) fail_msg("%s", name);
    dls_fclib *g = opened(copy);
    same_all(f, g);
    dls_fclib_free(f), dls_fclib_free(g);
    count++;
  }
  if (d) closedir(d);
  return count;
}

static void few_real(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int dimension, contacts, entries;
  } expected[] = {{"FC2D_SliderCrankLagrangian00000", 2, 2, 16},
                  {"FrictionContact3D_1c", 3, 1, 9},
                  {"NESpheres_10_1", 3, 9, 121},
                  {"Rover1039", 3, 4, 144}};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    at_case("%s", expected[k].name);
    char path[100];
    snprintf(path, sizeof path, "test/data/friction/%s.hdf5", expected[k].name);
    dls_fclib *f = opened(path);
    const dls_incremental *p = &f->problem;
    assert_int_equal(p->dimension, expected[k].dimension);
    assert_int_equal(p->contacts, expected[k].contacts);
    assert_int_equal(p->W.pattern.p[p->W.pattern.cols], expected[k].entries);
    dls_fclib_free(f);
  }
  assert_int_equal(read_directory("test/data/friction"), 4);
  // one contact: sign and place of every number
  dls_fclib *f = opened("test/data/friction/FrictionContact3D_1c.hdf5");
  static const double W[] = {15, -1, -2, -1, 14, 1, -2, 1, 16};
  same_numbers(9, f->problem.W.x, W);
  assert_string_equal(f->title, "FrictionContact3D_1c.dat");
  dls_fclib_free(f);
}

static void all_real(void **state)
{
  (void)state;
  const char *source = getenv("DELASSUS_SOURCE");
  char path[400];
  snprintf(path, sizeof path, "%.300s/../shared/data/friction", source ? source : ".");
  const int count = read_directory(path);
  if (count == 0) print_message("skipped: the collection of problems is not there\n");
  else print_message("%d problems read\n", count);
}

// Newer forms of the format are refused: HDF5 can write the same again.
static void newer_form(void **state)
{
  (void)state;
  const char *path = scratch("newer.hdf5");
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  put_integer(file, "/fclib_local/spacedim", 2);
  H5Fclose(file), H5Pclose(access);
  dls_fclib *f;
  dls_message message;
  assert_int_equal(dls_fclib_read(path, &f, &message), DLS_ERR_FILE);
  assert_non_null(strstr(message.text, "a superblock of a newer form of HDF5"));
}

// Groups with more names than one node of their tree has room for, and a file behind 512 bytes of
// something else.
static void large_groups(void **state)
{
  (void)state;
  const char *path = scratch("large.hdf5");
  const hid_t behind = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(behind, 512);
  local_by_hand(path, 0, 0);
  dls_fclib *expected = opened(path);
  const hid_t from = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const char *other = scratch("behind.hdf5");
  const hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, behind, H5P_DEFAULT);
  assert_true(H5Ocopy(from, "/fclib_local", file, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(from), H5Pclose(behind);
  enum { MANY = 900 };  // 8 names a node, 32 nodes a level
  for (int k = 1; k <= MANY; k++) {
    at_case("k %d", k);
    char place[40];
    snprintf(place, sizeof place, "/guesses/%d/u", k);
    put_numbers(file, place, M, (double[]){k, 2, 3, 4});
  }
  put_integer(file, "/guesses/number_of_guesses", MANY);
  H5Fclose(file);
  dls_fclib *f = opened(other);
  same_problem(&expected->problem, &f->problem);
  assert_int_equal(f->guesses, MANY);
  for (int k = 0; k < MANY; k++) assert_true(f->guess[k].u[0] == k + 1 && !f->guess[k].r);
  dls_fclib_free(f), dls_fclib_free(expected);
}

// ---- writing that fails ------------------------------------------------------------------------

static void refuses(const char *path, const dls_fclib *f, const dls_fclib_point *solution,
                    dls_status expected, const char *text)
{
  dls_message message = {""};
  const int before = scratch_count();
  assert_int_equal(dls_fclib_write(path, f, solution, &message), expected);
  if (!strstr(message.text, text)) fail_msg("'%s' in '%s'", text, message.text);
  assert_int_equal(dls_fclib_write(path, f, solution, NULL), expected);
  assert_int_equal(scratch_count(), before);
}

static void failing_writes(void **state)
{
  (void)state;
  dls_fclib *f = file_made(false, 3, 2, 1), bad = *f;
  const char *path = scratch("fails.hdf5");
  refuses(scratch("no-such-directory/a.hdf5"), f, NULL, DLS_ERR_FILE, "No such file");
  refuses("/tmp", f, NULL, DLS_ERR_FILE, "/tmp: it exists and is not a file");
  const double nan[] = {1, 2, (double)NAN, 4, 5, 6, 7};
  refuses(path, f, &(dls_fclib_point){.u = nan, .r = nan}, DLS_ERR_NUMBER, "u[2] is not a finite");
  bad.problem.dimension = 5;
  refuses(path, &bad, NULL, DLS_ERR_ARGUMENT, "the dimension is 5");
  bad = *f;
  double unsymmetric[49];  // more than all entries
  const dls_pattern *s6 = &f->problem.W.pattern;
  memcpy(unsymmetric, f->problem.W.x, (size_t)s6->p[7] * sizeof(double));
  for (int e = s6->p[6]; e < s6->p[7] - 1; e++) unsymmetric[e] += 1;  // V, but not V^T
  if (s6->p[7] - s6->p[6] > 1) {
    bad.problem.W.x = unsymmetric;
    refuses(path, &bad, NULL, DLS_ERR_ARGUMENT, "differ: FCLIB has no place for both");
  }
  file_made_free(f);
}

// No more than so many bytes fit: the old file stays, and nothing is beside it.
static void full_disk(void **state)
{
  (void)state;
  const char *path = scratch("full.hdf5");
  dls_fclib *small = file_made(false, 2, 1, 0), *large = file_made(false, 3, 4, 0);
  assert_int_equal(dls_fclib_write(path, small, NULL, NULL), DLS_OK);
  chmod(path, 0640);
  struct rlimit old, tight;
  getrlimit(RLIMIT_FSIZE, &old);
  tight = old;
  tight.rlim_cur = 5000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  dls_message message;
  const int before = scratch_count();
  const dls_status status = dls_fclib_write(path, large, NULL, &message);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  assert_int_equal(status, DLS_ERR_FILE);
  assert_non_null(strstr(message.text, "File too large"));
  assert_int_equal(scratch_count(), before);
  dls_fclib *g = opened(path);
  same_all(small, g);
  dls_fclib_free(g);

  // written again it keeps its rights, and a link to it stays a link
  const char *link = scratch("link.hdf5");
  assert_int_equal(symlink(path, link), 0);
  assert_int_equal(dls_fclib_write(link, large, NULL, NULL), DLS_OK);
  struct stat info;
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  g = opened(path);
  same_all(large, g);
  dls_fclib_free(g);
  file_made_free(small), file_made_free(large);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),      cmocka_unit_test(laws),
      cmocka_unit_test(solutions),       cmocka_unit_test(same_bytes),
      cmocka_unit_test(global_state),    cmocka_unit_test(forms_of_local),
      cmocka_unit_test(forms_of_global), cmocka_unit_test(types),
      cmocka_unit_test(newer_form),      cmocka_unit_test(large_groups),
      cmocka_unit_test(few_real),        cmocka_unit_test(all_real),
      cmocka_unit_test(failing_writes),  cmocka_unit_test(full_disk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
