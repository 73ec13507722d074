// A motion as a picture: panels over one time axis for coordinates, velocities, forces and what the
// contacts do.
#include "simulate_sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4 * COLUMNS, PLOTS = 4, NAME = 64 };
static const double frame_width = 560;

static const dls_category categories[] = {[DLS_OPEN] = {"open", 0xECECEC, false},
                                          [DLS_SEPARATING] = {"separating", 0x56B4E9, false},
                                          [DLS_IMPACTING] = {"impacting", 0xD55E00, false},
                                          [DLS_SLIDING] = {"sliding", 0xE69F00, false},
                                          [DLS_STICKING] = {"sticking", 0x009E73, false}};

typedef struct drawing {
  const sketch *sketch;
  double end;
  int plots;
  dls_plot plot[PLOTS];
  dls_curve q[CURVES], v[CURVES], force[CURVES];
  char q_name[CURVES][NAME], v_name[CURVES][NAME], force_name[CURVES][NAME];
  double *numbers;
  int used;  // of the numbers
  unsigned char *cells;
  dls_curve between[BANDS];  // lines between bands
  double edge_x[2], edge_y[BANDS][2];
  dls_regions regions;
  const char *contact[BANDS];
  bool cut;  // peaks of forces are out of the frame
} drawing;

// ---- curves -------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
  const long x = ((const mark *)a)->number, y = ((const mark *)b)->number;
  return (x > y) - (x < y);
}

static double *take(drawing *d, int count)
{
  double *place = d->numbers + d->used;
  d->used += count;
  return place;
}

// The points of a column in their order, each once.
static int list_points(const glimpse *g, double *x, double *y)
{
  mark points[4] = {g->first, g->least, g->most, g->last};
  int count = 0;
  qsort(points, 4, sizeof points[0], by_number);
  for (int i = 0; i < 4; i++) {
    if (i > 0 && points[i].number == points[i - 1].number) continue;
    x[count] = points[i].t;
    y[count++] = points[i].value;
  }
  return count;
}

// Leaves out points that lie on the line between those that stay, as far as can be seen: a door
// that swings at the last point that stayed closes with every point that passes, and when none fits
// through it any more the one before stays. A piece straight up begins and ends where it does.
static int thin(double *x, double *y, int count)
{
  double low = HUGE_VAL, high = -HUGE_VAL, least = -HUGE_VAL, most = HUGE_VAL;
  for (int i = 0; i < count; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
  const double seen = (high - low) * 3e-4;
  int kept = 1;
  for (int i = 1; i < count; i++) {
    const double dx = x[i] - x[kept - 1], dy = y[i] - y[kept - 1];
    const bool up = !(dx > 0) || (i + 1 < count && !(x[i + 1] > x[i])) || !(x[i] > x[i - 1]);
    const bool passes = !up && dy / dx >= least && dy / dx <= most;
    if (!passes && i > 1 && x[i - 1] > x[kept - 1]) {
      x[kept] = x[i - 1], y[kept++] = y[i - 1];
      least = -HUGE_VAL, most = HUGE_VAL;
    }
    if (up || i + 1 == count) {
      x[kept] = x[i], y[kept++] = y[i];
      least = -HUGE_VAL, most = HUGE_VAL;
      continue;
    }
    const double from = x[i] - x[kept - 1], rise = y[i] - y[kept - 1];
    least = fmax(least, (rise - seen) / from);
    most = fmin(most, (rise + seen) / from);
  }
  return count < 2 ? count : kept;
}

static dls_curve curve_of(drawing *d, const glimpse *column, const char *label)
{
  dls_curve c = {.label = label, .x = take(d, POINTS), .y = take(d, POINTS)};
  double *x = (double *)c.x, *y = (double *)c.y;
  for (int i = 0; i < d->sketch->used; i++)
    if (column[i].used) c.count += list_points(&column[i], x + c.count, y + c.count);
  c.count = thin(x, y, c.count);
  return c;
}

static int shorten(const char *name)
{
  int most = NAME - 8;
  if ((int)strlen(name) <= most) return (int)strlen(name);
  while (most > 0 && ((unsigned char)name[most] & 0xC0) == 0x80) most--;
  return most;
}

static dls_axis time_axis(const drawing *d, bool named)
{
  return (dls_axis){
      .label = named ? "t" : NULL, .low = d->sketch->begin, .high = d->end, .unlabelled = !named};
}

static void add_plot(drawing *d, const char *label, const dls_curve *curves, int count)
{
  d->plot[d->plots++] = (dls_plot){.x = time_axis(d, false),
                                   .y = {.label = label},
                                   .width = frame_width,
                                   .height = 140,
                                   .curves = count,
                                   .curve = curves};
}

static void add_motion(drawing *d)
{
  const sketch *s = d->sketch;
  for (int k = 0; k < s->shown_q; k++) {
    const char *name = s->system->coordinates[k], *of_q = dls_configuration_names(s->system)[k];
    snprintf(d->q_name[k], NAME, "%.*s", shorten(of_q), of_q);
    snprintf(d->v_name[k], NAME, "%.*s\u2032", shorten(name), name);
    d->q[k] = curve_of(d, s->q + (size_t)k * COLUMNS, d->q_name[k]);
    d->v[k] = curve_of(d, s->v + (size_t)k * COLUMNS, d->v_name[k]);
  }
  add_plot(d, "coordinates", d->q, s->shown_q);
  add_plot(d, "velocities", d->v, s->shown_q);
}

// ---- forces -------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// How much of a column has passed.
static double passed(const sketch *s, int column)
{
  return fmin(s->width, s->t - (s->begin + column * s->width));
}

// The columns that are worth a force: the last one may have only begun.
static int force_columns(const sketch *s)
{
  return s->used > 1 && passed(s, s->used - 1) < 0.01 * s->width ? s->used - 1 : s->used;
}

static double force_at(const sketch *s, int curve, int column)
{
  const double time = passed(s, column);
  return s->force[(size_t)curve * COLUMNS + (size_t)column] / (time > 0 ? time : s->width);
}

// Percussions are forces of any height, as high as their time is short. Where a few of them would
// leave nothing to see of the rest they are cut: at twice what most columns with a force stay
// below.
static double highest_shown(drawing *d, double *work)
{
  int count = 0;
  const sketch *s = d->sketch;
  for (int k = 0; k < s->shown_impulses; k++)
    for (int i = 0; i < force_columns(s); i++) {
      const double size = fabs(force_at(s, k, i));
      if (size > 0) work[count++] = size;
    }
  if (count == 0) return 0;
  qsort(work, (size_t)count, sizeof *work, by_value);
  const double usual = work[(int)(0.9 * (count - 1))];
  d->cut = work[count - 1] > 5 * usual;
  return d->cut ? 2 * usual : work[count - 1];
}

static void add_forces(drawing *d)
{
  static const char *const part[] = {"n", "t1", "t2"};
  const sketch *s = d->sketch;
  double *work = take(d, CURVES * COLUMNS);
  if (s->shown_impulses == 0) return;
  const int columns = force_columns(s);
  const double high = highest_shown(d, work);
  double low = 0;
  int colour = 0;
  for (int k = 0; k < s->shown_impulses; k++) {
    const dls_contact_info *contact = &s->system->contacts[s->contact[k]];
    const bool tangential = k > 0 && s->contact[k] == s->contact[k - 1];
    if (k > 0 && !tangential) colour++;
    const int direction = !tangential ? 0 : k > 1 && s->contact[k] == s->contact[k - 2] ? 2 : 1;
    double *t = take(d, COLUMNS), *y = take(d, COLUMNS);
    int count = 0;
    for (int i = 0; i < columns; i++) {
      const double force = force_at(s, k, i);
      low = fmin(low, force);
      // the middle of what stays the same is left out
      if (count > 1 &&
          fabs(force - y[count - 1]) + fabs(y[count - 1] - y[count - 2]) <= 1e-3 * high)
        count--;
      t[count] = s->begin + (i + 0.5) * s->width;
      y[count++] = force;
    }
    snprintf(d->force_name[k], NAME, "%.*s %s", shorten(contact->name), contact->name,
             contact->tangents == 1 && direction ? "t" : part[direction]);
    d->force[k] = (dls_curve){.label = d->force_name[k],
                              .count = count,
                              .x = t,
                              .y = y,
                              .steps = true,
                              .dashed = direction == 1,
                              .strokes = direction == 2 ? 2 : 0,
                              .colour = dls_colour_line(colour)};
  }
  add_plot(d, "forces", d->force, s->shown_impulses);
  if (d->cut) {
    dls_axis *y = &d->plot[d->plots - 1].y;
    y->high = high;
    y->low = fmax(low < 0 ? 1.1 * low : -0.05 * high, -high);
  }
}

// ---- what the contacts do -----------------------------------------------------------------------

// The first contact on top.
static void add_bands(drawing *d)
{
  const sketch *s = d->sketch;
  const int bands = s->shown_bands;
  if (bands == 0) return;
  for (int k = 0; k < bands; k++) {
    const int row = bands - 1 - k;
    const band_piece *band = s->band + (size_t)k * COLUMNS;
    d->contact[row] = s->system->contacts[s->band_of[k]].name;
    for (int i = 0; i < s->used; i++)
      d->cells[row * s->used + i] = band[i].impact ? DLS_IMPACTING : band[i].status;
  }
  d->regions = (dls_regions){.nx = s->used,
                             .ny = bands,
                             .cell = d->cells,
                             .categories = (int)(sizeof categories / sizeof categories[0]),
                             .category = categories};
  d->edge_x[0] = s->begin, d->edge_x[1] = d->end;
  for (int k = 0; k + 1 < bands; k++) {
    d->edge_y[k][0] = d->edge_y[k][1] = k + 0.5;
    d->between[k] = (dls_curve){.count = 2, .x = d->edge_x, .y = d->edge_y[k], .colour = 0xFFFFFF};
  }
  d->plot[d->plots++] = (dls_plot){.x = time_axis(d, false),
                                   .y = {.names = d->contact, .name_count = bands},
                                   .width = frame_width,
                                   .height = (bands > 6 ? 17.0 : 22.0) * bands,
                                   .regions = &d->regions,
                                   .curves = bands - 1,
                                   .curve = d->between};
}

// ---- the picture --------------------------------------------------------------------------------

// What the panels leave out.
static void add_notes(const drawing *d, char *out, size_t size)
{
  const sketch *s = d->sketch;
  const int impulses = s->system->m + s->system->tangents;
  size_t used = strlen(out);
  if (s->system->n > s->shown_q)
    used += (size_t)snprintf(out + used, size - used, "; %d of %d coordinates", s->shown_q,
                             s->system->n);
  if (impulses > s->shown_impulses && used < size)
    used +=
        (size_t)snprintf(out + used, size - used, "; %d of %d forces", s->shown_impulses, impulses);
  if (s->bands > s->shown_bands && used < size)
    used +=
        (size_t)snprintf(out + used, size - used, "; %d of %d contacts", s->shown_bands, s->bands);
  if (s->shown_impulses > 0 && used < size)
    (void)snprintf(out + used, size - used, "; forces are averages over %.2g%s", s->width,
                   d->cut ? ", their highest peaks cut" : "");
}

dls_status sketch_draw(const sketch *s, const char *title, const char *subtitle,
                       dls_picture_form form, char **data, size_t *size, dls_message *message)
{
  drawing *d = calloc(1, sizeof *d);
  char below[400];
  dls_status status = DLS_ERR_MEMORY;
  if (!d) return status;
  d->sketch = s;
  d->end = s->t > s->begin ? s->t : s->begin + 1;
  d->numbers = calloc((size_t)CURVES * (4 * POINTS + 3 * COLUMNS), sizeof(double));
  d->cells = calloc((size_t)BANDS * COLUMNS, 1);
  if (d->numbers && d->cells) {
    add_motion(d);
    add_forces(d);
    add_bands(d);
    d->plot[d->plots - 1].x = time_axis(d, true);
    snprintf(below, sizeof below, "%s", subtitle);
    add_notes(d, below, sizeof below);
    const dls_picture picture = {
        .title = title, .subtitle = below, .columns = 1, .plots = d->plots, .plot = d->plot};
    status = dls_picture_draw(&picture, form, data, size, message);
  }
  free(d->numbers);
  free(d->cells);
  free(d);
  return status;
}
