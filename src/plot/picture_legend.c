// The legend and the colour bar, right of the frame.
#include "plot/picture_panel.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double row = 16, swatch = 12, sample = 22, space = 6, widest = 230;
static const double bar_width = 13, bar_gap = 10;
static const dls_letters letters = {.size = DLS_FONT};

static void add_entry(dls_panel *p, dls_legend_entry entry)
{
  if (entry.label && entry.label[0]) p->entry[p->entries++] = entry;
}

static void list_categories(dls_panel *p)
{
  const dls_regions *r = p->plot->regions;
  bool present[256] = {false};
  for (size_t k = 0; k < (size_t)r->nx * (size_t)r->ny; k++) present[r->cell[k]] = true;
  for (int c = 0; c < r->categories; c++)
    if (present[c])
      add_entry(p, (dls_legend_entry){.label = r->category[c].label,
                                      .colour = r->category[c].colour,
                                      .hatched = r->category[c].hatched});
}

static dls_status list_entries(dls_panel *p)
{
  const dls_plot *plot = p->plot;
  const ptrdiff_t most = (plot->regions ? plot->regions->categories : 0) + (plot->field ? 2 : 0) +
                         (ptrdiff_t)plot->curves;
  p->entry = dls_alloc(most, sizeof *p->entry);
  if (!p->entry) return DLS_ERR_MEMORY;
  if (plot->regions) list_categories(p);
  if (plot->field) {
    const char *infinite = plot->field->infinite_label, *nan = plot->field->nan_label;
    if (p->has_infinite)
      add_entry(p,
                (dls_legend_entry){.label = infinite ? infinite : "unbounded", .colour = 0xEDEDED});
    if (p->has_nan)
      add_entry(
          p, (dls_legend_entry){.label = nan ? nan : "none", .colour = 0xFFFFFF, .hatched = true});
  }
  for (int k = 0; k < plot->curves; k++)
    add_entry(p, (dls_legend_entry){.label = plot->curve[k].label,
                                    .colour = dls_curve_colour(plot, k),
                                    .strokes = dls_curve_strokes(plot, k),
                                    .curve = &plot->curve[k]});
  return DLS_OK;
}

static double bar_labels(const dls_panel *p, dls_pen *pen)
{
  double width = 0;
  for (int i = 0; i < p->colour_ticks; i++)
    width = fmax(width, dls_pen_number_width(pen, &p->colour_tick[i], DLS_SMALL_FONT));
  return width;
}

static bool has_bar(const dls_panel *p)
{
  return p->plot->field && p->has_finite;
}

static double bar_total(const dls_panel *p, dls_pen *pen)
{
  const char *label = p->plot->field->label;
  return bar_width + 7 + bar_labels(p, pen) + (label && label[0] ? 16 : 0);
}

dls_status dls_legend_measure(dls_panel *p, dls_pen *pen, double *width, double *height)
{
  const dls_status status = list_entries(p);
  *width = 0;
  if (status != DLS_OK) return status;
  *height = row * p->entries;
  for (int i = 0; i < p->entries; i++) {
    const double key = p->entry[i].curve ? sample : swatch;
    *width = fmax(*width, key + space + dls_pen_width(pen, p->entry[i].label, letters, widest));
  }
  if (has_bar(p)) {
    const int most = (int)(p->plot->height > 0 ? p->plot->height / 35 : 7);
    p->colour_ticks = dls_scale_ticks(&p->colours, most, p->colour_tick);
    *width = fmax(*width, bar_total(p, pen));
  }
  if (*width > 0) *width += bar_gap;
  return DLS_OK;
}

static void draw_entry(const dls_legend_entry *e, dls_pen *pen, double x, double y)
{
  const double key = e->curve ? sample : swatch;
  const dls_box box = {x, y + (row - swatch) / 2, key, swatch};
  if (e->curve) {
    dls_draw_sample(pen, e->curve, e->colour, e->strokes, box);
  } else {
    cairo_save(pen->cairo);
    cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
    dls_pen_colour(pen, e->colour);
    cairo_fill_preserve(pen->cairo);
    cairo_clip(pen->cairo);
    if (e->hatched) dls_pen_hatch(pen, box);
    cairo_restore(pen->cairo);
    dls_pen_colour(pen, 0x606060);
    cairo_set_line_width(pen->cairo, 0.5);
    cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
    cairo_stroke(pen->cairo);
  }
  dls_pen_colour(pen, 0x000000);
  dls_pen_text(pen, x + key + space, y + row / 2 + 0.36 * DLS_FONT, e->label, letters, widest);
}

static void draw_bar(const dls_panel *p, dls_pen *pen, dls_box bar)
{
  cairo_t *c = pen->cairo;
  enum { STOPS = 20 };
  cairo_pattern_t *shades = cairo_pattern_create_linear(0, bar.y + bar.height, 0, bar.y);
  for (int i = 0; i <= STOPS; i++) {
    const unsigned colour = dls_colour_number((double)i / STOPS);
    cairo_pattern_add_color_stop_rgb(shades, (double)i / STOPS, (colour >> 16 & 0xFF) / 255.0,
                                     (colour >> 8 & 0xFF) / 255.0, (colour & 0xFF) / 255.0);
  }
  cairo_rectangle(c, bar.x, bar.y, bar.width, bar.height);
  cairo_set_source(c, shades);
  cairo_fill_preserve(c);
  cairo_pattern_destroy(shades);
  dls_pen_colour(pen, 0x000000);
  cairo_set_line_width(c, 0.6);
  cairo_stroke(c);

  for (int i = 0; i < p->colour_ticks; i++) {
    const double y = bar.y + (1 - p->colour_tick[i].place) * bar.height;
    cairo_move_to(c, bar.x + bar.width, y);
    cairo_line_to(c, bar.x + bar.width + 3, y);
    cairo_stroke(c);
    dls_pen_number(pen, bar.x + bar.width + 6, y + 0.36 * DLS_SMALL_FONT, &p->colour_tick[i],
                   (dls_letters){.size = DLS_SMALL_FONT});
  }
  if (!p->plot->field->label) return;
  cairo_save(c);
  cairo_translate(c, bar.x + bar.width + 6 + bar_labels(p, pen) + 13, bar.y + bar.height / 2);
  cairo_rotate(c, -3.14159265358979323846 / 2);
  dls_pen_text(pen, 0, 0, p->plot->field->label, (dls_letters){.size = DLS_FONT, .align = 0.5},
               bar.height + 20);
  cairo_restore(c);
}

void dls_legend_draw(const dls_panel *p, dls_pen *pen)
{
  const double x = p->frame.x + p->frame.width + bar_gap;
  double y = p->frame.y;
  if (has_bar(p)) {
    // the entries stand below the bar
    double height = p->frame.height - row * p->entries - (p->entries ? 8 : 0);
    if (height < 40) height = 40;
    draw_bar(p, pen, (dls_box){x, y, bar_width, height});
    y += height + 8;
  }
  for (int i = 0; i < p->entries; i++) draw_entry(&p->entry[i], pen, x, y + row * i);
}
