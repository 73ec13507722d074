// How the error fell: as numbers, and as a picture. One solver is drawn against its iterations, in
// a colour for each method that it called; several against time, in colours and strokes, by the
// best point so far: that is what a solver returns. Curves show what the iterations measure, which
// costs least; what was recomputed at the end is a mark beside them.
#include "solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void solve_write_csv(buffer *out, const dls_solve_summary *s)
{
  buffer_add(out, "solver,method,iteration,seconds,error\n");
  for (int k = 0; k < s->runs; k++) {
    const dls_solve_run *run = &s->run[k];
    for (int i = 0; i < run->moments; i++) {
      const dls_solve_sample *m = &run->history[i];
      buffer_add(out, "%s,%s,%d,%.17g,", run->asked, m->solver, m->iteration, m->seconds);
      if (isfinite(m->error)) buffer_add(out, "%.17g", m->error);
      buffer_add(out, "\n");
    }
  }
}

// ---- the picture -------------------------------------------------------------------------------

enum { CURVES_MAX = 256, METHODS_MAX = 64, POINT = 2 };

typedef struct drawing {
  const dls_solve_summary *summary;
  double *x, *y;  // all points of all curves
  int points, capacity;
  int first[CURVES_MAX];  // where each curve begins
  dls_curve curve[CURVES_MAX];
  int curves;
  const char *method[METHODS_MAX];  // that have a colour
  int methods;
  double low, high, left, right;  // of what is drawn
  double line_x[POINT], line_y[POINT];
  char line_label[64];
  double end_x, end_y;  // what was recomputed
} drawing;

static void add_point(drawing *d, double x, double y)
{
  if (d->points == d->capacity) return;
  d->x[d->points] = x;
  d->y[d->points++] = y;
  d->curve[d->curves - 1].count++;
  if (!(isfinite(y) && y > 0)) return;
  d->low = fmin(d->low, y), d->high = fmax(d->high, y);
  d->left = fmin(d->left, x), d->right = fmax(d->right, x);
}

// A colour and strokes for each name; the legend has a name once.
static void begin_curve(drawing *d, const char *name)
{
  int k = 0;
  while (k < d->methods && strcmp(d->method[k], name) != 0) k++;
  const bool known = k < d->methods;
  if (!known && d->methods < METHODS_MAX) d->method[d->methods++] = name;
  d->first[d->curves] = d->points;
  d->curve[d->curves++] = (dls_curve){
      .label = known ? NULL : name, .colour = dls_colour_line(k), .strokes = dls_strokes_line(k)};
}

// The history of one solver, broken where it went on with another method. The start belongs to the
// method that comes first.
static void add_methods(drawing *d, const dls_solve_run *run)
{
  for (int i = 0; i < run->moments; i++) {
    const dls_solve_sample *m = &run->history[i];
    const dls_solve_sample *before = i > 0 ? m - 1 : NULL;
    const bool other = !before || (i > 1 && strcmp(before->solver, m->solver) != 0);
    if (other && d->curves < CURVES_MAX - 2) {
      begin_curve(d, before || run->moments == 1 ? m->solver : m[1].solver);
      if (before) add_point(d, before->iteration, before->error);
    }
    add_point(d, m->iteration, m->error);
  }
}

static void add_solver(drawing *d, const dls_solve_run *run)
{
  if (run->moments == 0 || d->curves == CURVES_MAX - 2) return;
  begin_curve(d, run->asked);
  double best = INFINITY;
  for (int i = 0; i < run->moments; i++) {
    best = fmin(best, run->history[i].error);
    add_point(d, run->history[i].seconds, best);
  }
}

static void add_tolerance(drawing *d)
{
  const dls_solve_summary *s = d->summary;
  d->low = fmin(d->low, s->tolerance), d->high = fmax(d->high, s->tolerance);
  d->line_x[0] = d->left, d->line_x[1] = d->right;
  d->line_y[0] = d->line_y[1] = s->tolerance;
  snprintf(d->line_label, sizeof d->line_label, "tolerance %.3g", s->tolerance);
  d->curve[d->curves++] = (dls_curve){.label = d->line_label,
                                      .count = POINT,
                                      .x = d->line_x,
                                      .y = d->line_y,
                                      .dashed = true,
                                      .colour = 0x707070};
}

// The recomputed error of one solver, where its history ends.
static void add_end(drawing *d)
{
  const dls_solve_run *run = &d->summary->run[0];
  const double error = dls_solve_run_error(run);
  if (d->summary->compare || run->moments == 0 || !(isfinite(error) && error > 0)) return;
  d->end_x = run->history[run->moments - 1].iteration, d->end_y = error;
  d->low = fmin(d->low, error), d->high = fmax(d->high, error);
  d->left = fmin(d->left, d->end_x), d->right = fmax(d->right, d->end_x);
  d->curve[d->curves++] = (dls_curve){.label = "recomputed at the end",
                                      .count = 1,
                                      .x = &d->end_x,
                                      .y = &d->end_y,
                                      .marker = DLS_SQUARE,
                                      .colour = 0x202020};
}

static bool fill(drawing *d)
{
  const dls_solve_summary *s = d->summary;
  for (int k = 0; k < s->runs; k++) d->capacity += 2 * s->run[k].moments;
  d->x = calloc((size_t)d->capacity + 1, sizeof *d->x);
  d->y = calloc((size_t)d->capacity + 1, sizeof *d->y);
  if (!d->x || !d->y) return false;
  d->low = d->left = INFINITY;
  d->high = d->right = 0;
  for (int k = 0; k < s->runs; k++)
    if (s->compare) add_solver(d, &s->run[k]);
    else add_methods(d, &s->run[k]);
  for (int k = 0; k < d->curves; k++) {
    dls_curve *c = &d->curve[k];
    c->x = d->x + d->first[k], c->y = d->y + d->first[k];
    c->marker = (s->compare ? c->count : d->points) <= 40 ? DLS_CIRCLE : DLS_NO_MARKER;
  }
  add_end(d);
  // without a single number the axes still need ends
  if (!(d->left <= d->right)) d->left = s->compare ? 0.1 : 0, d->right = 1, d->low = d->high = 1;
  if (s->compare) d->left = fmax(d->left, 1e-9), d->right = fmax(d->right, 1e-8);
  if (d->left == d->right) d->right = s->compare ? 10 * d->left : d->left + 1;
  const double space = 0.02 * (d->right - d->left);
  if (s->compare) d->left /= 1.2, d->right *= 1.2;
  else d->left -= space, d->right += space;
  add_tolerance(d);
  return true;
}

static void describe(buffer *g, const dls_solve_summary *s)
{
  buffer_add(g, "%s", dls_solve_kind(s));
  if (s->problem) buffer_add(g, ", %d contacts", s->problem->contacts);
  else buffer_add(g, ", %d unknowns", s->lcp->n);
  if (s->compare) {
    int converged = 0;
    for (int k = 0; k < s->runs; k++) converged += dls_solve_run_converged(&s->run[k]);
    buffer_add(g, "; %d of %d solvers converged", converged, s->runs);
  } else {
    const dls_solve_run *run = &s->run[0];
    buffer_add(g, "; %s: %s, recomputed error %.2g", run->asked, dls_solve_run_stopped(run),
               dls_solve_run_error(run));
  }
}

dls_status solve_draw(const dls_solve_summary *s, dls_picture_form form, char **data, size_t *size,
                      dls_message *message)
{
  drawing *d = calloc(1, sizeof *d);
  buffer subtitle = {0};
  dls_status status = DLS_ERR_MEMORY;
  *data = NULL;
  *size = 0;
  describe(&subtitle, s);
  if (d) d->summary = s;
  if (d && !subtitle.failed && fill(d)) {
    const double low = pow(10, floor(log10(d->low) - 0.2)),
                 high = pow(10, ceil(log10(d->high) + 0.1));
    const char *label = s->compare ? "error as measured on the way, of the best point"
                                   : "error as measured on the way";
    const dls_plot plot = {.x = {.label = s->compare ? "seconds" : "iteration",
                                 .low = d->left,
                                 .high = d->right,
                                 .logarithmic = s->compare,
                                 .whole = !s->compare},
                           .y = {.label = label,
                                 .low = low,
                                 .high = high > low ? high : 10 * low,
                                 .logarithmic = true},
                           .width = 420,
                           .height = 280,
                           .curves = d->curves,
                           .curve = d->curve};
    const dls_picture picture = {.title = s->title && s->title[0] ? s->title : s->file,
                                 .subtitle = subtitle.text,
                                 .plots = 1,
                                 .plot = &plot};
    status = dls_picture_draw(&picture, form, data, size, message);
  }
  buffer_free(&subtitle);
  if (d) free(d->x), free(d->y);
  free(d);
  return status;
}
