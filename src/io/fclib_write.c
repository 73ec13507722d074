// FCLIB files, written: the same groups, datasets and types as FCLIB's own writer. See fclib_read.c
// for what they mean.
//
// Local matrices are written as compressed columns, the only form whose product FCLIB's merit
// function forms; global ones as triplets, because Siconos reads compressed global ones wrongly.
//
// The file is made in memory and then written as a whole: HDF5 must not meet a full disk.
#include "base/memory.h"
#include "base/message.h"
#include "base/file.h"

#include <delassus/fclib.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROWTH = 1 << 20 };  // bytes by which the image grows

typedef struct writer {
  hid_t file;
  hid_t links, plain;  // properties: create groups on the way; no times, so that a file is the same
                       // whenever it is written
  dls_arena *arena;
  dls_status status;
} writer;

// ---- datasets ----------------------------------------------------------------------------------

// data NULL: declared only, as FCLIB does.
static void put(writer *w, const char *place, hid_t type, hid_t space, const void *data)
{
  if (w->status != DLS_OK) return;
  hid_t id = -1;
  if (space >= 0) id = H5Dcreate2(w->file, place, type, space, w->links, w->plain, H5P_DEFAULT);
  if (id < 0 || (data && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
    w->status = DLS_ERR_MEMORY;
  if (id >= 0) H5Dclose(id);
}

static void put_array(writer *w, const char *place, hid_t type, int count, const void *data)
{
  const hsize_t extent = (hsize_t)count;
  const hid_t space = H5Screate_simple(1, &extent, NULL);
  put(w, place, type, space, count ? data : NULL);
  if (space >= 0) H5Sclose(space);
}

static void put_integer(writer *w, const char *group, const char *name, int value)
{
  char place[60];
  snprintf(place, sizeof place, "%.40s/%.18s", group, name);
  put_array(w, place, H5T_NATIVE_INT, 1, &value);
}

static void put_integers(writer *w, const char *group, const char *name, int count, const int *x)
{
  char place[60];
  snprintf(place, sizeof place, "%.40s/%.18s", group, name);
  put_array(w, place, H5T_NATIVE_INT, count, x);
}

static void put_numbers(writer *w, const char *group, const char *name, int count, const double *x)
{
  char place[60];
  snprintf(place, sizeof place, "%.40s/%.18s", group, name);
  put_array(w, place, H5T_NATIVE_DOUBLE, count, x);
}

static void put_text(writer *w, const char *group, const char *name, const char *text)
{
  char place[60];
  snprintf(place, sizeof place, "%.40s/%.18s", group, name);
  const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0) w->status = DLS_ERR_MEMORY;
  put(w, place, type, space, text);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
}

// ---- matrices ----------------------------------------------------------------------------------

// Rows and columns of a matrix, the ends not included.
typedef struct part {
  int row, row_end, col, col_end;
} part;

static void put_matrix(writer *w, const char *group, const dls_matrix_view *A, part s,
                       bool triplets)
{
  const dls_pattern *a = &A->pattern;
  const int m = s.row_end - s.row, n = s.col_end - s.col;
  const int most = a->p[s.col_end] - a->p[s.col];
  int *p = dls_arena_alloc(w->arena, (ptrdiff_t)n + 1, sizeof *p);
  int *i = dls_arena_alloc(w->arena, most, sizeof *i);
  int *col = dls_arena_alloc(w->arena, most, sizeof *col);
  double *x = dls_arena_alloc(w->arena, most, sizeof *x);
  if (!p || !i || !col || !x) w->status = DLS_ERR_MEMORY;
  if (w->status != DLS_OK) return;
  int count = 0;
  for (int j = 0; j < n; j++) {
    for (int e = a->p[s.col + j]; e < a->p[s.col + j + 1]; e++) {
      if (a->i[e] < s.row || a->i[e] >= s.row_end) continue;
      i[count] = a->i[e] - s.row, col[count] = j, x[count++] = A->x[e];
    }
    p[j + 1] = count;
  }
  put_integer(w, group, "nzmax", count);
  put_integer(w, group, "m", m);
  put_integer(w, group, "n", n);
  put_integer(w, group, "nz", triplets ? count : -1);
  put_integers(w, group, "p", triplets ? count : n + 1, triplets ? col : p);
  put_integers(w, group, "i", count, i);
  put_numbers(w, group, "x", count, x);
}

static double entry(const dls_matrix_view *A, int row, int col)
{
  int low = A->pattern.p[col], high = A->pattern.p[col + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (A->pattern.i[middle] == row) return A->x[middle];
    if (A->pattern.i[middle] < row) low = middle + 1;
    else high = middle;
  }
  return 0;
}

// The files have V once: the rows of the equations must be its transpose.
static dls_status check_transpose(const dls_matrix_view *W, int m, dls_message *message)
{
  const dls_pattern *s = &W->pattern;
  for (int j = 0; j < s->cols; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      const int i = s->i[e];
      if ((i < m) == (j < m) || W->x[e] == entry(W, j, i)) continue;
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "W(%d, %d) and W(%d, %d) differ: FCLIB has no place for both", i, j, j, i);
    }
  return DLS_OK;
}

// ---- the parts of a file -----------------------------------------------------------------------

static void put_local(writer *w, const dls_incremental *p)
{
  const int m = p->dimension * p->contacts, rows = m + p->equations;
  put_integer(w, "/fclib_local", "spacedim", p->dimension);
  put_matrix(w, "/fclib_local/W", &p->W, (part){0, m, 0, m}, false);
  if (p->equations > 0) {
    put_matrix(w, "/fclib_local/V", &p->W, (part){0, m, m, rows}, false);
    put_matrix(w, "/fclib_local/R", &p->W, (part){m, rows, m, rows}, false);
    put_numbers(w, "/fclib_local/vectors", "s", p->equations, p->q + m);
  }
  put_numbers(w, "/fclib_local/vectors", "q", m, p->q);
  put_numbers(w, "/fclib_local/vectors", "mu", p->contacts, p->mu);
}

static void put_global(writer *w, const dls_incremental *p)
{
  const int m = p->dimension * p->contacts, rows = m + p->equations, n = p->dof;
  put_integer(w, "/fclib_global", "spacedim", p->dimension);
  put_matrix(w, "/fclib_global/M", &p->M, (part){0, n, 0, n}, true);
  put_matrix(w, "/fclib_global/H", &p->H, (part){0, n, 0, m}, true);
  if (p->equations > 0) {
    put_matrix(w, "/fclib_global/G", &p->H, (part){0, n, m, rows}, true);
    put_numbers(w, "/fclib_global/vectors", "b", p->equations, p->w + m);
  }
  put_numbers(w, "/fclib_global/vectors", "f", n, p->f);
  put_numbers(w, "/fclib_global/vectors", "w", m, p->w);
  put_numbers(w, "/fclib_global/vectors", "mu", p->contacts, p->mu);
}

// What is not there is declared without data: FCLIB's reader wants the datasets.
static void put_point(writer *w, const dls_incremental *p, const char *group,
                      const dls_fclib_point *point)
{
  const int m = p->dimension * p->contacts;
  if (p->global) put_numbers(w, group, "v", p->dof, point->v);
  if (p->equations > 0) put_numbers(w, group, "l", p->equations, point->r ? point->r + m : NULL);
  put_numbers(w, group, "u", m, point->u);
  put_numbers(w, group, "r", m, point->r);
}

static void put_all(writer *w, const dls_fclib *f, const dls_fclib_point *solution)
{
  const dls_incremental *p = &f->problem;
  const char *info = p->global ? "/fclib_global/info" : "/fclib_local/info";
  if (p->global) put_global(w, p);
  else put_local(w, p);
  put_text(w, info, "title", f->title ? f->title : "");
  put_text(w, info, "description", f->description ? f->description : "");
  put_text(w, info, "math_info", f->mathematics ? f->mathematics : "");
  if (solution->u || solution->r || solution->v) put_point(w, p, "/solution", solution);
  if (f->guesses <= 0) return;
  put_integer(w, "/guesses", "number_of_guesses", f->guesses);
  for (int k = 0; k < f->guesses; k++) {
    char group[30];
    snprintf(group, sizeof group, "/guesses/%d", k + 1);
    put_point(w, p, group, &f->guess[k]);
  }
}

// ---- the call ----------------------------------------------------------------------------------

static void take_image(writer *w, char **image, size_t *size)
{
  if (w->status != DLS_OK || H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0) {
    w->status = DLS_ERR_MEMORY;
    return;
  }
  const ssize_t length = H5Fget_file_image(w->file, NULL, 0);
  *image = length > 0 ? malloc((size_t)length) : NULL;
  if (*image && H5Fget_file_image(w->file, *image, (size_t)length) == length)
    *size = (size_t)length;
  else w->status = DLS_ERR_MEMORY;
}

// The bytes of the file. Nothing but memory can be missing here.
static dls_status make_image(const dls_fclib *f, const dls_fclib_point *solution, char **image,
                             size_t *size)
{
  writer w = {.file = -1, .arena = dls_arena_create()};
  char name[40];  // in HDF5's list of open files: no other call's
  snprintf(name, sizeof name, "delassus-%p", (void *)&w);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  w.links = H5Pcreate(H5P_LINK_CREATE);
  w.plain = H5Pcreate(H5P_DATASET_CREATE);
  if (w.arena && access >= 0 && w.links >= 0 && w.plain >= 0 &&
      H5Pset_fapl_core(access, GROWTH, false) >= 0 &&
      H5Pset_create_intermediate_group(w.links, 1) >= 0 &&
      H5Pset_obj_track_times(w.plain, false) >= 0)
    w.file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (w.file < 0) w.status = DLS_ERR_MEMORY;
  else put_all(&w, f, solution);
  take_image(&w, image, size);
  if (w.file >= 0) H5Fclose(w.file);
  if (w.plain >= 0) H5Pclose(w.plain);
  if (w.links >= 0) H5Pclose(w.links);
  if (access >= 0) H5Pclose(access);
  dls_arena_free(w.arena);
  return w.status;
}

static dls_status check_finite(const char *name, int count, const double *x, dls_message *message)
{
  for (int i = 0; x && i < count; i++)
    if (!isfinite(x[i]))
      return dls_fail(message, DLS_ERR_NUMBER, "the solution's %s[%d] is not a finite number", name,
                      i);
  return DLS_OK;
}

// The format has cones and equations.
static dls_status check_laws(const dls_incremental *p, dls_message *message)
{
  for (int i = 0; p->law && i < p->contacts; i++)
    if (p->law[i] != DLS_LAW_CONE)
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "contact %d has the law '%s': an FCLIB file has friction cones and equations",
                      i, dls_law_name(p->law[i]));
  return DLS_OK;
}

static dls_status check_point(const dls_incremental *p, const dls_fclib_point *point,
                              dls_message *message)
{
  const int rows = dls_incremental_rows(p);
  dls_status status = check_finite("u", rows, point->u, message);
  if (status == DLS_OK) status = check_finite("r", rows, point->r, message);
  return status == DLS_OK && p->global ? check_finite("v", p->dof, point->v, message) : status;
}

dls_status dls_fclib_write(const char *path, const dls_fclib *fclib,
                           const dls_fclib_point *solution, dls_message *message)
{
  const dls_incremental *p = &fclib->problem;
  if (message) message->text[0] = 0;
  if (!solution) solution = &fclib->solution;
  dls_status status = dls_incremental_validate(p, message);
  if (status == DLS_OK) status = check_laws(p, message);
  if (status == DLS_OK && !p->global)
    status = check_transpose(&p->W, p->dimension * p->contacts, message);
  if (status == DLS_OK) status = check_point(p, solution, message);
  for (int k = 0; status == DLS_OK && k < fclib->guesses; k++)
    status = check_point(p, &fclib->guess[k], message);
  if (status != DLS_OK) return status;

  char *image = NULL;
  size_t size = 0;
  H5E_auto2_t print;  // HDF5's, one per thread where it is safe for threads: put back
  void *data;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  status = make_image(fclib, solution, &image, &size);
  H5Eset_auto2(H5E_DEFAULT, print, data);
  if (status == DLS_OK) status = dls_file_write(path, image, size, message);
  else dls_fail(message, status, "out of memory");
  free(image);
  return status;
}
