#define _XOPEN_SOURCE 700
#include "fclib_maker.h"

#include "numbers.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

// ---- a place -----------------------------------------------------------------------------------

static char directory[100];

static int each_file(int (*act)(const char *path))
{
  int count = 0;
  DIR *d = opendir(directory);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    char path[400];
    snprintf(path, sizeof path, "%s/%.250s", directory, e->d_name);
    if (act) act(path);
    count++;
  }
  if (d) closedir(d);
  return count;
}

static void clean(void)
{
  each_file(remove);
  rmdir(directory);
}

const char *scratch(const char *name)
{
  static char path[8][400];
  static int next;
  if (!directory[0]) {
    const char *temporary = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.70s/delassus-XXXXXX", temporary ? temporary : "/tmp");
    assert_non_null(mkdtemp(directory));
    atexit(clean);
  }
  next = (next + 1) % 8;
  snprintf(path[next], sizeof path[next], "%s/%.250s", directory, name);
  return path[next];
}

int scratch_count(void)
{
  return each_file(NULL);
}

// ---- problems ----------------------------------------------------------------------------------

static double *drawn(int count)
{
  double *x = vector(count + 1);
  for (int k = 0; k < count; k++) x[k] = uniform();
  return x;
}

// About a third of the entries; the diagonal, when it is square. mirror: the pattern is symmetric,
// and so are the entries outside the first `mirror` rows and columns.
static dls_matrix_view sparse(int rows, int cols, int mirror)
{
  char *taken = calloc((size_t)rows * (size_t)cols + 1, 1);
  double *full = drawn(rows * cols), *x = vector(rows * cols + 1);
  int *p = calloc((size_t)cols + 1, sizeof *p);
  int *i = calloc((size_t)rows * (size_t)cols + 1, sizeof *i), count = 0;
  for (int k = 0; k < rows * cols; k++) taken[k] = below(3) == 0;
  for (int j = 0; mirror >= 0 && j < cols; j++)
    for (int k = 0; k <= j; k++) {
      taken[j + rows * k] = taken[k + rows * j] = taken[k + rows * j] || j == k;
      if (j >= mirror || k >= mirror) full[j + rows * k] = full[k + rows * j];
    }
  for (int j = 0; j < cols; j++) {
    for (int k = 0; k < rows; k++)
      if (taken[k + rows * j]) i[count] = k, x[count++] = full[k + rows * j];
    p[j + 1] = count;
  }
  free(taken), free(full);
  return (dls_matrix_view){{rows, cols, p, i}, x};
}

static dls_fclib_point drawn_point(const dls_incremental *p)
{
  const int rows = dls_incremental_rows(p);
  double *u = drawn(rows);
  for (int k = p->dimension * p->contacts; k < rows; k++) u[k] = 0;
  return (dls_fclib_point){.u = u, .r = drawn(rows), .v = p->global ? drawn(p->dof) : NULL};
}

dls_fclib *made(bool global, int dimension, int contacts, int equations)
{
  dls_fclib *f = calloc(1, sizeof *f);
  dls_incremental *p = &f->problem;
  const int rows = dimension * contacts + equations;
  *p = (dls_incremental){
      .dimension = dimension, .contacts = contacts, .equations = equations, .global = global};
  double *mu = drawn(contacts);
  for (int k = 0; k < contacts; k++) mu[k] = k == 1 ? 0 : mu[k] * mu[k];
  p->mu = mu;
  if (global) {
    p->dof = 4;
    p->M = sparse(p->dof, p->dof, 0);
    p->H = sparse(p->dof, rows, -1);
    p->f = drawn(p->dof), p->w = drawn(rows);
  } else {
    p->W = sparse(rows, rows, dimension * contacts);
    p->q = drawn(rows);
  }
  f->title = "drawn", f->description = "two\nlines", f->mathematics = "μ ≥ 0";
  dls_fclib_point *guess = calloc(2, sizeof *guess);
  guess[0] = drawn_point(p), guess[1] = drawn_point(p);
  f->guess = guess, f->guesses = 2;
  f->solution = drawn_point(p);
  return f;
}

static void free_view(const dls_matrix_view *A)
{
  free((void *)A->pattern.p), free((void *)A->pattern.i), free((void *)A->x);
}

static void free_point(const dls_fclib_point *point)
{
  free((void *)point->u), free((void *)point->r), free((void *)point->v);
}

void made_free(dls_fclib *f)
{
  const dls_incremental *p = &f->problem;
  free_view(&p->W), free_view(&p->M), free_view(&p->H);
  free((void *)p->mu), free((void *)p->q), free((void *)p->f), free((void *)p->w);
  for (int k = 0; k < f->guesses; k++) free_point(&f->guess[k]);
  free((void *)f->guess);
  free_point(&f->solution);
  free(f);
}

void same_numbers(int count, const double *a, const double *b)
{
  assert_int_equal(a != NULL, b != NULL);
  for (int k = 0; a && k < count; k++) assert_true(a[k] == b[k]);
}

static void same_matrix(const dls_matrix_view *a, const dls_matrix_view *b)
{
  assert_int_equal(a->pattern.rows, b->pattern.rows);
  assert_int_equal(a->pattern.cols, b->pattern.cols);
  for (int j = 0; j <= a->pattern.cols; j++) assert_int_equal(a->pattern.p[j], b->pattern.p[j]);
  for (int e = 0; e < a->pattern.p[a->pattern.cols]; e++)
    assert_int_equal(a->pattern.i[e], b->pattern.i[e]);
  same_numbers(a->pattern.p[a->pattern.cols], a->x, b->x);
}

void same_problem(const dls_incremental *a, const dls_incremental *b)
{
  assert_int_equal(a->dimension, b->dimension);
  assert_int_equal(a->contacts, b->contacts);
  assert_int_equal(a->equations, b->equations);
  assert_int_equal(a->global, b->global);
  same_numbers(a->contacts, a->mu, b->mu);
  const int rows = dls_incremental_rows(a);
  if (!a->global) {
    same_matrix(&a->W, &b->W);
    same_numbers(rows, a->q, b->q);
    return;
  }
  assert_int_equal(a->dof, b->dof);
  same_matrix(&a->M, &b->M);
  same_matrix(&a->H, &b->H);
  same_numbers(a->dof, a->f, b->f);
  same_numbers(rows, a->w, b->w);
}

// ---- datasets ----------------------------------------------------------------------------------

void take_away(hid_t file, const char *place)
{
  assert_true(H5Ldelete(file, place, H5P_DEFAULT) >= 0);
}

void put_dataset(hid_t file, const char *place, hid_t type, int rank, const hsize_t *extent,
                 hid_t properties, hid_t memory_type, const void *data)
{
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  H5E_BEGIN_TRY
  {
    H5Ldelete(file, place, H5P_DEFAULT);
  }
  H5E_END_TRY;
  const hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
  const hid_t id = H5Dcreate2(file, place, type, space, links, properties, H5P_DEFAULT);
  assert_true(id >= 0);
  if (data) assert_true(H5Dwrite(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(id), H5Sclose(space), H5Pclose(links);
}

void put_integers(hid_t file, const char *place, int count, const int *x)
{
  const hsize_t extent = (hsize_t)count;
  put_dataset(file, place, H5T_STD_I32LE, 1, &extent, H5P_DEFAULT, H5T_NATIVE_INT, x);
}

void put_integer(hid_t file, const char *place, int x)
{
  put_integers(file, place, 1, &x);
}

void put_numbers(hid_t file, const char *place, int count, const double *x)
{
  const hsize_t extent = (hsize_t)count;
  put_dataset(file, place, H5T_IEEE_F64LE, 1, &extent, H5P_DEFAULT, H5T_NATIVE_DOUBLE, x);
}

static void put_in(hid_t file, const char *group, const char *name, int count, const int *x)
{
  char place[100];
  snprintf(place, sizeof place, "%s/%s", group, name);
  put_integers(file, place, count, x);
}

void put_matrix(hid_t file, const char *group, int form, int spare, int m, int n, int count,
                const int *row, const int *col, const double *x)
{
  const int *line = form == -1 ? col : row, *other = form == -1 ? row : col;
  const int lines = form == -1 ? n : m, nzmax = count + spare, nz = form >= 0 ? count : form;
  int *p = calloc((size_t)lines + 1, sizeof *p), *i = calloc((size_t)nzmax + 1, sizeof *i);
  double *values = vector(nzmax + 1);
  for (int k = 0; k < spare; k++) i[count + k] = 1000, values[count + k] = 99;
  int used = 0;
  for (int k = 0; form < 0 && k < lines; k++) {
    for (int e = 0; e < count; e++)
      if (line[e] == k) i[used] = other[e], values[used++] = x[e];
    p[k + 1] = used;
  }
  for (int e = 0; form >= 0 && e < count; e++) values[e] = x[e];
  put_in(file, group, "m", 1, &m), put_in(file, group, "n", 1, &n);
  put_in(file, group, "nz", 1, &nz), put_in(file, group, "nzmax", 1, &nzmax);
  if (form >= 0) put_in(file, group, "p", count, col), put_in(file, group, "i", count, row);
  else put_in(file, group, "p", lines + 1, p), put_in(file, group, "i", nzmax, i);
  char place[100];
  snprintf(place, sizeof place, "%s/x", group);
  put_numbers(file, place, nzmax, values);
  free(p), free(i), free(values);
}
