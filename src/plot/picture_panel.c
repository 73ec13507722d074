// A plot: its scales, the room that its texts need, and the axes.
#include "plot/picture_panel.h"

#include <math.h>
#include <stdlib.h>

static const double tick_length = 4, tick_gap = 3, widest_name = 170;
static const dls_letters numbers = {.size = DLS_SMALL_FONT};
static const dls_letters heading = {.size = DLS_FONT + 1, .bold = true, .align = 0.5};

void dls_panel_free(dls_panel *panel)
{
  free(panel->entry);
  panel->entry = NULL;
}

// ---- scales -------------------------------------------------------------------------------------

// Widens [*low, *high], NaN at first, by the values that the axis can show.
static void cover(double *low, double *high, const double *values, int count, bool logarithmic)
{
  for (int i = 0; i < count; i++) {
    const double v = values[i];
    if (!isfinite(v) || (logarithmic && !(v > 0))) continue;
    if (!(*low <= v)) *low = v;
    if (!(*high >= v)) *high = v;
  }
}

static void find_scales(dls_panel *p)
{
  const dls_plot *plot = p->plot;
  double x[2] = {(double)NAN, (double)NAN}, y[2] = {(double)NAN, (double)NAN};
  bool markers = false;
  for (int k = 0; k < plot->curves; k++) {
    const dls_curve *c = &plot->curve[k];
    cover(&x[0], &x[1], c->x, c->count, plot->x.logarithmic);
    cover(&y[0], &y[1], c->y, c->count, plot->y.logarithmic);
    markers = markers || c->marker;
  }
  const bool grid = plot->regions || plot->field;
  p->x = dls_scale_of(&plot->x, x[0], x[1], markers ? 0.04 : 0, grid);
  p->y = dls_scale_of(&plot->y, y[0], y[1], 0.05, grid);
}

static void find_colours(dls_panel *p)
{
  const dls_field *f = p->plot->field;
  double low = (double)NAN, high = (double)NAN;
  const size_t count = (size_t)f->nx * (size_t)f->ny;
  for (size_t k = 0; k < count; k++) {
    const double v = f->value[k];
    if (isinf(v)) p->has_infinite = true;
    else if (isnan(v) || (f->logarithmic && !(v > 0))) p->has_nan = true;
    else p->has_finite = true;
    cover(&low, &high, &v, 1, f->logarithmic);
  }
  const dls_axis axis = {.low = f->low, .high = f->high, .logarithmic = f->logarithmic};
  p->colours = dls_scale_of(&axis, low, high, 0, false);
}

// ---- ticks and the room for their labels --------------------------------------------------------

static int name_ticks(const dls_axis *axis, dls_tick *ticks)
{
  const int count = axis->name_count < DLS_TICKS_MAX ? axis->name_count : DLS_TICKS_MAX;
  for (int i = 0; i < count; i++) ticks[i] = (dls_tick){.place = (i + 0.5) / axis->name_count};
  return count;
}

// As many as stand side by side.
static void find_x_ticks(dls_panel *p, dls_pen *pen)
{
  if (p->plot->x.names) {
    p->x_ticks = name_ticks(&p->plot->x, p->x_tick);
    return;
  }
  for (int most = (int)(p->frame.width / 40) + 1; most > 0; most--) {
    p->x_ticks = dls_scale_ticks(&p->x, most, p->x_tick);
    double end = -HUGE_VAL;
    bool fits = true;
    for (int i = 0; i < p->x_ticks; i++) {
      const dls_tick *t = &p->x_tick[i];
      if (!t->text[0]) continue;
      const double width = dls_pen_number_width(pen, t, DLS_SMALL_FONT);
      const double start = t->place * p->frame.width - width / 2;
      fits = fits && start > end + 8;
      end = start + width;
    }
    if (fits) return;
  }
}

static double name_width(const dls_axis *axis, dls_pen *pen)
{
  double width = 0;
  for (int i = 0; i < axis->name_count; i++)
    width = fmax(width,
                 dls_pen_width(pen, axis->names[i], (dls_letters){.size = DLS_FONT}, widest_name));
  return width;
}

static double y_label_width(const dls_panel *p, dls_pen *pen)
{
  if (p->plot->y.names) return name_width(&p->plot->y, pen);
  double width = 0;
  for (int i = 0; i < p->y_ticks; i++)
    width = fmax(width, dls_pen_number_width(pen, &p->y_tick[i], DLS_SMALL_FONT));
  return width;
}

static bool has_text(const char *text)
{
  return text && text[0];
}

dls_status dls_panel_measure(dls_panel *p, const dls_plot *plot, dls_pen *pen)
{
  *p = (dls_panel){.plot = plot};
  p->frame.width = plot->width > 0 ? plot->width : 340;
  p->frame.height = plot->height > 0 ? plot->height : 270;
  find_scales(p);
  if (plot->field) find_colours(p);
  find_x_ticks(p, pen);
  if (plot->y.names) p->y_ticks = name_ticks(&plot->y, p->y_tick);
  else p->y_ticks = dls_scale_ticks(&p->y, (int)(p->frame.height / 30) + 1, p->y_tick);

  double legend = 0, legend_height = 0;
  const dls_status status = dls_legend_measure(p, pen, &legend, &legend_height);
  // the last number of the x axis reaches over the corner
  p->right = fmax(legend, 18);
  p->left = tick_length + tick_gap + y_label_width(p, pen) + (has_text(plot->y.label) ? 20 : 4);
  p->left = fmax(p->left, 18);
  p->top = 6 + (has_text(plot->title)
                    ? dls_pen_lines(pen, 0, 0, p->frame.width, plot->title, heading, false) + 4
                    : 0);
  p->bottom = tick_length + (plot->x.unlabelled ? 0 : tick_gap + DLS_SMALL_FONT + 4) +
              (has_text(plot->x.label) ? 17 : 0);
  p->bottom = fmax(p->bottom, legend_height - p->frame.height + 4);
  return status;
}

// ---- drawing ------------------------------------------------------------------------------------

static void draw_x_axis(const dls_panel *p, dls_pen *pen)
{
  const dls_box f = p->frame;
  const double bottom = f.y + f.height;
  const double base = bottom + tick_length + tick_gap + 0.75 * DLS_SMALL_FONT;
  for (int i = 0; i < p->x_ticks; i++) {
    const dls_tick *t = &p->x_tick[i];
    const double x = f.x + t->place * f.width;
    const bool named = p->plot->x.names, minor = !named && !t->text[0];
    cairo_move_to(pen->cairo, x, bottom);
    cairo_line_to(pen->cairo, x, bottom + (minor ? tick_length / 2 : tick_length));
    cairo_stroke(pen->cairo);
    const dls_letters centred = {.size = DLS_SMALL_FONT, .align = 0.5};
    if (p->plot->x.unlabelled) continue;
    if (named)
      dls_pen_text(pen, x, base, p->plot->x.names[i], centred, f.width / p->plot->x.name_count - 4);
    else dls_pen_number(pen, x, base, t, centred);
  }
  if (has_text(p->plot->x.label))
    dls_pen_text(pen, f.x + f.width / 2, base + 16, p->plot->x.label,
                 (dls_letters){.size = DLS_FONT, .align = 0.5}, f.width + 20);
}

static void draw_y_axis(const dls_panel *p, dls_pen *pen)
{
  const dls_box f = p->frame;
  for (int i = 0; i < p->y_ticks; i++) {
    const dls_tick *t = &p->y_tick[i];
    const double y = f.y + (1 - t->place) * f.height, base = y + 0.36 * DLS_SMALL_FONT;
    const bool named = p->plot->y.names, minor = !named && !t->text[0];
    cairo_move_to(pen->cairo, f.x - (minor ? tick_length / 2 : tick_length), y);
    cairo_line_to(pen->cairo, f.x, y);
    cairo_stroke(pen->cairo);
    const double end = f.x - tick_length - tick_gap;
    if (named)
      dls_pen_text(pen, end, base, p->plot->y.names[i], (dls_letters){.size = DLS_FONT, .align = 1},
                   widest_name);
    else dls_pen_number(pen, end, base, t, (dls_letters){.size = numbers.size, .align = 1});
  }
  if (!has_text(p->plot->y.label)) return;
  cairo_save(pen->cairo);
  cairo_translate(pen->cairo, f.x - tick_length - tick_gap - y_label_width(p, pen) - 9,
                  f.y + f.height / 2);
  cairo_rotate(pen->cairo, -3.14159265358979323846 / 2);
  dls_pen_text(pen, 0, 0, p->plot->y.label, (dls_letters){.size = DLS_FONT, .align = 0.5},
               f.height + 20);
  cairo_restore(pen->cairo);
}

static void draw_guides(const dls_panel *p, dls_pen *pen)
{
  const dls_box f = p->frame;
  dls_pen_colour(pen, 0xE4E4E4);
  cairo_set_line_width(pen->cairo, 0.6);
  for (int i = 0; i < p->x_ticks; i++) {
    if (!p->x_tick[i].text[0]) continue;
    cairo_move_to(pen->cairo, f.x + p->x_tick[i].place * f.width, f.y);
    cairo_rel_line_to(pen->cairo, 0, f.height);
  }
  for (int i = 0; i < p->y_ticks; i++) {
    if (!p->y_tick[i].text[0]) continue;
    cairo_move_to(pen->cairo, f.x, f.y + (1 - p->y_tick[i].place) * f.height);
    cairo_rel_line_to(pen->cairo, f.width, 0);
  }
  cairo_stroke(pen->cairo);
}

dls_status dls_panel_draw(const dls_panel *p, dls_pen *pen)
{
  const dls_box f = p->frame;
  dls_status status = DLS_OK;
  cairo_save(pen->cairo);
  cairo_rectangle(pen->cairo, f.x, f.y, f.width, f.height);
  cairo_clip(pen->cairo);
  if (p->plot->regions) status = dls_draw_regions(p, pen);
  else if (p->plot->field) status = dls_draw_field(p, pen);
  else draw_guides(p, pen);
  if (status == DLS_OK) dls_draw_curves(p, pen);
  cairo_restore(pen->cairo);

  dls_pen_colour(pen, 0x000000);
  cairo_set_line_width(pen->cairo, 0.8);
  cairo_rectangle(pen->cairo, f.x, f.y, f.width, f.height);
  cairo_stroke(pen->cairo);
  draw_x_axis(p, pen);
  draw_y_axis(p, pen);
  if (has_text(p->plot->title))
    dls_pen_lines(pen, f.x + f.width / 2, f.y - p->top + 2, f.width, p->plot->title, heading, true);
  dls_legend_draw(p, pen);
  return status;
}
