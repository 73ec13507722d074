// A motion as a picture: panels over one time axis for coordinates, velocities, outputs, forces,
// percussions and what the contacts do, or for what --plot names; and phase pictures.
#include "simulate_sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  POINTS = 4 * COLUMNS,
  PLOTS = CHANNELS + PHASES + 1,
  NAME = CHANNEL_NAME + 8,
  SHOWN_BANDS = 12
};
static const double frame_width = 560;

static const dls_category categories[] = {[DLS_OPEN] = {"open", 0xECECEC, false},
                                          [DLS_SEPARATING] = {"separating", 0x56B4E9, false},
                                          [DLS_IMPACTING] = {"impacting", 0xD55E00, false},
                                          [DLS_SLIDING] = {"sliding", 0xE69F00, false},
                                          [DLS_STICKING] = {"sticking", 0x009E73, false}};

// What shares an axis. There are no units: lengths and angles are told apart by where coordinates
// stand (dls_model_is_angle), outputs by their size.
typedef enum axis_class {
  CLASS_LENGTH,
  CLASS_ANGLE,
  CLASS_VELOCITY,
  CLASS_ANGULAR,
  CLASS_OUTPUT,
  CLASS_ENERGY,
  CLASS_FORCE,
  CLASS_IMPULSE,
  CLASSES
} axis_class;

typedef struct drawing {
  const sketch *sketch;
  double end;
  int plots;
  dls_plot plot[PLOTS];
  int curves;
  dls_curve curve[CHANNELS + PHASES];
  char name[CHANNELS + PHASES][NAME], axis[PHASES][NAME];
  bool drawn[CHANNELS];
  double size[CLASSES];  // the largest number of the coordinates and velocities
  double *numbers;
  size_t used;  // of the numbers
  unsigned char *cells;
  dls_curve between[SHOWN_BANDS];  // lines between bands
  double edge_x[2], edge_y[SHOWN_BANDS][2];
  dls_regions regions;
  const char *contact[SHOWN_BANDS];
  int bands, unclosed;  // that are drawn; that never close
  bool cut;             // peaks of forces are out of the frame
} drawing;

static axis_class class_of(const channel *c)
{
  switch (c->kind) {
  case CHANNEL_COORDINATE: return c->angle ? CLASS_ANGLE : CLASS_LENGTH;
  case CHANNEL_VELOCITY: return c->angle ? CLASS_ANGULAR : CLASS_VELOCITY;
  case CHANNEL_OUTPUT: return CLASS_OUTPUT;
  case CHANNEL_ENERGY: return CLASS_ENERGY;
  case CHANNEL_GAP: return CLASS_LENGTH;
  case CHANNEL_RATE:
  case CHANNEL_SLIP: return CLASS_VELOCITY;
  case CHANNEL_FORCE: return CLASS_FORCE;
  case CHANNEL_IMPULSE: break;
  }
  return CLASS_IMPULSE;
}

// ---- curves -------------------------------------------------------------------------------------

static double *take(drawing *d, int count)
{
  double *place = d->numbers + d->used;
  d->used += (size_t)count;
  return place;
}

static dls_curve curve_of(drawing *d, int k, const char *label)
{
  double *x = take(d, POINTS), *y = take(d, POINTS);
  const int count = sketch_curve(d->sketch, k, x, y);
  return (dls_curve){.count = count, .label = label, .x = x, .y = y};
}

// "x'" with a prime as it is printed
static void pretty(char *out, const char *name)
{
  const size_t length = strlen(name);
  const bool prime = length > 0 && name[length - 1] == '\'';
  snprintf(out, NAME, "%.*s%s", (int)(length - prime), name, prime ? "\u2032" : "");
}

static dls_axis time_axis(const drawing *d, bool named)
{
  return (dls_axis){
      .label = named ? "t" : NULL, .low = d->sketch->begin, .high = d->end, .unlabelled = !named};
}

// ---- axes ---------------------------------------------------------------------------------------

static void note_sizes(drawing *d)
{
  const sketch *s = d->sketch;
  for (int k = 0; k < s->choice->channels; k++) {
    const axis_class class = class_of(&s->choice->channel[k]);
    if (class <= CLASS_ANGULAR) d->size[class] = fmax(d->size[class], sketch_size(s, k));
  }
}

// What an axis shows at least, so that rounding at rest does not look like a motion: a part of the
// size of what it shows, and of what velocities and coordinates make of each other in the run.
static double least_span(const drawing *d, axis_class class, double size)
{
  static const double noise = 1e-6, rounding = 1e-9;
  const double time = d->end - d->sketch->begin;
  if (class > CLASS_ANGULAR) return rounding * size;
  if (class == CLASS_LENGTH || class == CLASS_ANGLE)
    size = fmax(d->size[class], d->size[class + 2] * time);
  else size = fmax(d->size[class], d->size[class - 2] / time);
  // of angles 1 is one that can be seen
  if (class == CLASS_ANGLE) size = fmax(size, 1);
  if (class == CLASS_ANGULAR) size = fmax(size, 1 / time);
  return noise * size;
}

static void set_span(const drawing *d, dls_plot *plot, axis_class class)
{
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int k = 0; k < plot->curves; k++)
    for (int i = 0; i < plot->curve[k].count; i++) {
      const double y = plot->curve[k].y[i];
      if (isfinite(y)) low = fmin(low, y), high = fmax(high, y);
    }
  const double size = fmax(fabs(low), fabs(high)), least = least_span(d, class, size);
  if (!(high >= low) || !(least > high - low) || !isfinite(least)) return;
  // what stays the same is drawn in a range whose numbers are short
  const double span = fmax(least, 0.1 * size);
  plot->y.low = 0.5 * (low + high) - span, plot->y.high = 0.5 * (low + high) + span;
}

static dls_plot *add_plot(drawing *d, const char *label, axis_class class, int first)
{
  dls_plot *plot = &d->plot[d->plots++];
  *plot = (dls_plot){.x = time_axis(d, false),
                     .y = {.label = label},
                     .width = frame_width,
                     .height = fmax(140, 16.0 * (d->curves - first)),  // the legend's
                     .curves = d->curves - first,
                     .curve = &d->curve[first]};
  set_span(d, plot, class);
  return plot;
}

// ---- forces -------------------------------------------------------------------------------------

// One colour for a contact, and strokes for its parts.
static void style(drawing *d, dls_curve *c, const channel *of, int contact)
{
  static const char *const part[] = {"n", "t1", "t2"};
  const dls_contact_info *info = &d->sketch->system->contacts[of->contact];
  char *name = d->name[c - d->curve];
  int most = CHANNEL_NAME - 4;
  if ((int)strlen(info->name) < most) most = (int)strlen(info->name);
  while (most > 0 && ((unsigned char)info->name[most] & 0xC0) == 0x80) most--;
  snprintf(name, NAME, "%.*s %s", most, info->name,
           info->tangents == 1 && of->part ? "t" : part[of->part]);
  c->label = name;
  if (of->kind == CHANNEL_IMPULSE) return;  // stems of one contact stand on each other
  c->colour = dls_colour_line(contact);
  c->strokes = of->part == 1 ? 1 : of->part == 2 ? 2 : contact < 7 ? 0 : 3;
}

// Forces or percussions of the contacts.
static void add_contact_plot(drawing *d, axis_class class, const int *list, int count)
{
  const sketch *s = d->sketch;
  const int first = d->curves;
  int contact = -1, before = -1;
  const bool forces = class == CLASS_FORCE;
  double low = 0, high = 0;
  double *work = take(d, count * COLUMNS);
  const bool cut = forces && sketch_force_span(s, list, count, work, &low, &high);
  for (int k = 0; k < count; k++) {
    const channel *of = &s->choice->channel[list[k]];
    dls_curve *c = &d->curve[d->curves];
    if (of->contact != before) contact++;
    before = of->contact;
    double *t = take(d, forces ? COLUMNS : 3 * COLUMNS);
    double *y = take(d, forces ? COLUMNS : 3 * COLUMNS);
    const int points =
        forces ? sketch_forces(s, list[k], high, t, y) : sketch_stems(s, list[k], t, y);
    *c = (dls_curve){.count = points, .x = t, .y = y, .steps = forces};
    style(d, c, of, contact);
    d->curves++;
  }
  dls_plot *plot = add_plot(d, forces ? "forces" : "impulses", class, first);
  d->cut = d->cut || cut;
  if (!cut) return;
  plot->y.high = high;
  plot->y.low = fmax(low < 0 ? 1.1 * low : -0.05 * high, -high);
}

// ---- panels -------------------------------------------------------------------------------------

static const char *label_of(const drawing *d, axis_class class, bool gaps)
{
  const bool both = d->size[CLASS_ANGLE] > 0 || d->size[CLASS_ANGULAR] > 0;
  switch (class) {
  case CLASS_LENGTH: return gaps ? "lengths" : both ? "lengths" : "coordinates";
  case CLASS_ANGLE: return "angles";
  case CLASS_VELOCITY: return "velocities";
  case CLASS_ANGULAR: return "angular velocities";
  case CLASS_OUTPUT: return "outputs";
  case CLASS_ENERGY: return "energies";
  case CLASS_FORCE:
  case CLASS_IMPULSE:
  case CLASSES: break;
  }
  return "";
}

static void add_curves(drawing *d, axis_class class, const int *list, int count)
{
  const int first = d->curves;
  bool gaps = false;
  for (int k = 0; k < count; k++) {
    const channel *c = &d->sketch->choice->channel[list[k]];
    gaps = gaps || c->kind == CHANNEL_GAP;
    pretty(d->name[d->curves], c->name);
    d->curve[d->curves] = curve_of(d, list[k], d->name[d->curves]);
    d->curves++;
  }
  add_plot(d, label_of(d, class, gaps), class, first);
}

// Outputs have whatever units: those share an axis whose largest numbers are within a factor of 20.
static void add_outputs(drawing *d, const int *list, int count)
{
  int share[CHANNELS];
  for (int k = 0; k < count; k++) {
    const double size = sketch_size(d->sketch, list[k]);
    int members = 0;
    if (d->drawn[list[k]]) continue;
    for (int i = k; i < count; i++) {
      const double other = sketch_size(d->sketch, list[i]);
      const bool fits =
          i == k || other == 0 || size == 0 || (other <= 20 * size && size <= 20 * other);
      if (d->drawn[list[i]] || !fits) continue;
      d->drawn[list[i]] = true;
      share[members++] = list[i];
    }
    add_curves(d, CLASS_OUTPUT, share, members);
  }
}

static void add_group(drawing *d, int group)
{
  const plot_choice *choice = d->sketch->choice;
  for (int class = 0; class < CLASSES; class ++) {
    const bool contacts = class == CLASS_FORCE || class == CLASS_IMPULSE;
    int list[CHANNELS], count = 0;
    for (int k = 0; k < choice->channels; k++) {
      const channel *c = &choice->channel[k];
      if (c->hidden || c->group != group || class_of(c) != (axis_class) class) continue;
      if (contacts && !choice->chosen && (count == MOTIONS || !sketch_has_force(d->sketch, k)))
        continue;
      list[count++] = k;
    }
    if (count == 0) continue;
    if (contacts) add_contact_plot(d, (axis_class) class, list, count);
    else if (class == CLASS_OUTPUT) add_outputs(d, list, count);
    else add_curves(d, (axis_class) class, list, count);
  }
}

// With some room around the curve.
static dls_axis phase_axis(const char *label, const double *x, int count)
{
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < count; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
  const double room = 0.04 * (high - low);
  if (!(room > 0)) return (dls_axis){.label = label};
  return (dls_axis){.label = label, .low = low - room, .high = high + room};
}

static void add_phases(drawing *d)
{
  const sketch *s = d->sketch;
  for (int i = 0; i < s->choice->phases; i++) {
    const phase_points *p = &s->phase[i];
    pretty(d->axis[i], s->choice->channel[s->choice->phase[i].x].name);
    pretty(d->name[d->curves], s->choice->channel[s->choice->phase[i].y].name);
    d->curve[d->curves] =
        (dls_curve){.count = p->count, .x = p->x, .y = p->y, .colour = dls_colour_line(0)};
    d->plot[d->plots++] = (dls_plot){.x = phase_axis(d->axis[i], p->x, p->count),
                                     .y = phase_axis(d->name[d->curves], p->y, p->count),
                                     .width = 360,
                                     .height = 300,
                                     .curves = 1,
                                     .curve = &d->curve[d->curves]};
    d->curves++;
  }
}

// ---- what the contacts do -----------------------------------------------------------------------

// Those that close in some row, the first on top.
static void add_bands(drawing *d)
{
  const sketch *s = d->sketch;
  int list[SHOWN_BANDS] = {0};
  for (int k = 0; k < s->shown_bands; k++) {
    if (!s->closes[k]) d->unclosed++;
    else if (d->bands < SHOWN_BANDS) list[d->bands++] = k;
  }
  const int bands = d->bands;
  if (bands == 0) return;
  for (int k = 0; k < bands; k++) {
    const int row = bands - 1 - k;
    const band_piece *band = s->band + (size_t)list[k] * COLUMNS;
    d->contact[row] = s->system->contacts[s->band_of[list[k]]].name;
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

static void add_note(char *out, size_t size, const char *words, int first, int second)
{
  const size_t used = strlen(out);
  if (used < size) (void)snprintf(out + used, size - used, words, first, second);
}

// What the panels leave out.
static void add_notes(const drawing *d, char *out, size_t size)
{
  const sketch *s = d->sketch;
  const dls_system *system = s->system;
  int forces = 0;
  for (int k = 0; k < s->choice->channels; k++) {
    const channel *c = &s->choice->channel[k];
    forces += c->kind == CHANNEL_FORCE && sketch_has_force(s, k);
  }
  if (!s->choice->chosen) {
    if (system->n > MOTIONS) add_note(out, size, "; %d of %d coordinates", (int)MOTIONS, system->n);
    if (forces > MOTIONS || system->m + system->tangents > IMPULSES)
      add_note(out, size, "; the first %d forces", (int)MOTIONS, 0);
    const int closing = s->bands - d->unclosed;
    if (closing > d->bands) add_note(out, size, "; %d of %d contacts", d->bands, closing);
    if (d->unclosed > 0)
      add_note(out, size,
               d->unclosed == 1 ? "; %d contact never closes" : "; %d contacts never close",
               d->unclosed, 0);
  }
  if (forces > 0) {
    const size_t used = strlen(out);
    if (used < size)
      (void)snprintf(out + used, size - used, "; forces are averages over %.2g%s", s->width,
                     d->cut ? ", their highest peaks cut" : "");
  }
}

static bool make_room(drawing *d)
{
  const size_t channels = (size_t)d->sketch->choice->channels + 1;
  d->numbers = calloc(channels * (2 * POINTS + COLUMNS), sizeof(double));
  d->cells = calloc((size_t)SHOWN_BANDS * COLUMNS, 1);
  return d->numbers && d->cells;
}

static void add_all(drawing *d)
{
  int groups = 1;
  for (int k = 0; k < d->sketch->choice->channels; k++)
    if (d->sketch->choice->channel[k].group >= groups)
      groups = d->sketch->choice->channel[k].group + 1;
  note_sizes(d);
  for (int g = 0; g < groups; g++) add_group(d, g);
  add_bands(d);
  if (d->plots > 0) d->plot[d->plots - 1].x = time_axis(d, true);
  add_phases(d);
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
  if (make_room(d)) {
    add_all(d);
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
