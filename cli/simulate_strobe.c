// simulate --strobe N: the mechanism at N instants of its motion, and the paths of points.
//
// Rows are kept up to a number, then every second one goes, so that a run of any length leaves
// between half that number and all of it. Instants are rows: states of the motion, none in between.
#include "simulate.h"

#include <delassus/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4096, ROWS_LEAST = 128, NUMBERS_MAX = 1 << 22 };

struct strobe {
  dls_drawing *drawing;
  int n, instants;
  int rows, capacity;
  long met, every;  // each every-th row is kept, and the last one
  double *row;      // capacity + 1 times t, q, v
};

strobe *strobe_create(dls_drawing *drawing, int n, int instants)
{
  strobe *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  int capacity = NUMBERS_MAX / (2 * n + 1);
  if (capacity > ROWS_MAX) capacity = ROWS_MAX;
  if (capacity < ROWS_LEAST) capacity = ROWS_LEAST;
  if (capacity < 2 * instants) capacity = 2 * instants;
  *s = (strobe){.drawing = drawing, .n = n, .instants = instants, .capacity = capacity, .every = 1};
  s->row = calloc((size_t)capacity + 1, (2 * (size_t)n + 1) * sizeof(double));
  if (s->row) return s;
  free(s);
  return NULL;
}

void strobe_free(strobe *s)
{
  if (!s) return;
  dls_drawing_free(s->drawing);
  free(s->row);
  free(s);
}

static double *row_at(const strobe *s, int k)
{
  return s->row + (size_t)k * (2 * (size_t)s->n + 1);
}

void strobe_row(strobe *s, const dls_sample *sample)
{
  const size_t width = 2 * (size_t)s->n + 1;
  // the last row of all stands behind those that are kept
  if (s->met % s->every == 0) {
    if (s->rows == s->capacity) {
      for (int k = 0; 2 * k < s->rows; k++)
        memcpy(row_at(s, k), row_at(s, 2 * k), width * sizeof(double));
      s->rows = (s->rows + 1) / 2;
      s->every *= 2;
    }
    if (s->met % s->every == 0) s->rows++;
  }
  double *row = row_at(s, s->met % s->every == 0 ? s->rows - 1 : s->rows);
  row[0] = sample->t;
  memcpy(row + 1, sample->q, (size_t)s->n * sizeof(double));
  memcpy(row + 1 + s->n, sample->v, (size_t)s->n * sizeof(double));
  s->met++;
}

// Rows that are there, with the last one.
static int row_count(const strobe *s)
{
  return s->rows + ((s->met - 1) % s->every != 0);
}

static dls_status evaluate(const strobe *s, int row, dls_message *message)
{
  double *r = row_at(s, row);
  const dls_state state = {r[0], r + 1, r + 1 + s->n};
  return dls_drawing_evaluate(s->drawing, &state, message);
}

// The row whose time is nearest to instant k of the motion.
static int row_of_instant(const strobe *s, int k)
{
  const int rows = row_count(s);
  const double from = row_at(s, 0)[0], to = row_at(s, rows - 1)[0];
  const double t = k + 1 == s->instants ? to : from + (to - from) * k / (s->instants - 1);
  int low = 0, high = rows - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (row_at(s, middle)[0] <= t) low = middle;
    else high = middle;
  }
  return t - row_at(s, low)[0] < row_at(s, high)[0] - t ? low : high;
}

// The paths, all rows: points[p] has row_count times three numbers.
static dls_status trace(const strobe *s, int paths, const int *shape, double *points,
                        dls_message *message)
{
  const int rows = row_count(s);
  dls_status status = DLS_OK;
  for (int row = 0; row < rows && paths > 0 && status == DLS_OK; row++) {
    status = evaluate(s, row, message);
    for (int p = 0; p < paths && status == DLS_OK; p++) {
      const dls_shape *at = &dls_drawing_shapes(s->drawing)[shape[p]];
      for (int k = 0; k < 3; k++)
        points[((size_t)p * (size_t)rows + (size_t)row) * 3 + (size_t)k] =
            at->visible ? at->point[0][k] : NAN;
    }
  }
  return status;
}

static dls_status draw(const strobe *s, dls_scene *scene, dls_shape *shapes, dls_scene_path *path,
                       int *shape, double **points, dls_picture_form form, char **data,
                       size_t *size, dls_message *message)
{
  const int count = dls_drawing_count(s->drawing), rows = row_count(s);
  dls_status status = DLS_OK;
  for (int k = 0; k < s->instants && status == DLS_OK; k++) {
    status = evaluate(s, row_of_instant(s, k), message);
    memcpy(shapes + (size_t)k * (size_t)count, dls_drawing_shapes(s->drawing),
           (size_t)count * sizeof *shapes);
  }
  for (int k = 0; k < count; k++)
    if (shapes[k].kind == DLS_SHAPE_PATH) shape[scene->paths++] = k;
  *points = calloc((size_t)scene->paths * (size_t)rows * 3 + 1, sizeof(double));
  if (!*points) return DLS_ERR_MEMORY;
  if (status == DLS_OK) status = trace(s, scene->paths, shape, *points, message);
  for (int p = 0; p < scene->paths; p++)
    path[p] = (dls_scene_path){.points = rows,
                               .point = *points + (size_t)p * (size_t)rows * 3,
                               .shape = &shapes[shape[p]]};
  scene->shape = shapes, scene->path = path;
  for (int k = 0; k < 3; k++) scene->view[k] = dls_drawing_view(s->drawing)[k];
  return status == DLS_OK ? dls_scene_draw(scene, form, data, size, message) : status;
}

dls_status strobe_draw(const strobe *s, const char *title, const char *subtitle,
                       dls_picture_form form, char **data, size_t *size, dls_message *message)
{
  const size_t count = (size_t)dls_drawing_count(s->drawing);
  char below[400];
  (void)snprintf(below, sizeof below, "%d instants from t = %.4g to %.4g; %.300s", s->instants,
                 row_at(s, 0)[0], row_at(s, row_count(s) - 1)[0], subtitle);
  dls_scene scene = {.title = title,
                     .subtitle = below,
                     .space = dls_drawing_space(s->drawing),
                     .instants = s->instants,
                     .count = (int)count};
  dls_shape *shapes = calloc(count * (size_t)s->instants, sizeof *shapes);
  dls_scene_path *path = calloc(count, sizeof *path);
  int *shape = calloc(count, sizeof *shape);
  double *points = NULL;
  const dls_status status = shapes && path && shape ? draw(s, &scene, shapes, path, shape, &points,
                                                           form, data, size, message)
                                                    : DLS_ERR_MEMORY;
  free(shapes);
  free(path);
  free(shape);
  free(points);
  return status;
}
