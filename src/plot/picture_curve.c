// Curves and their markers.
#include "plot/picture_panel.h"

#include <math.h>

static const double line_width = 1.5, marker_size = 2.8;
static const double nearest = 0.04;  // points: what lies closer to the last one is not drawn again

// How many curves before number k leave their colour open, too.
static int place_of(const dls_plot *plot, int k)
{
  int index = 0;
  for (int i = 0; i < k; i++) index += plot->curve[i].colour == 0;
  return index;
}

unsigned dls_curve_colour(const dls_plot *plot, int k)
{
  const unsigned colour = plot->curve[k].colour;
  return colour ? colour : dls_colour_line(place_of(plot, k));
}

int dls_curve_strokes(const dls_plot *plot, int k)
{
  const dls_curve *curve = &plot->curve[k];
  return curve->colour || curve->strokes ? curve->strokes : dls_strokes_line(place_of(plot, k));
}

static void marker(dls_pen *pen, dls_marker kind, double x, double y)
{
  cairo_t *c = pen->cairo;
  const double r = marker_size;
  if (kind == DLS_NO_MARKER) return;
  if (kind == DLS_CIRCLE) cairo_arc(c, x, y, r, 0, 2 * 3.14159265358979323846);
  if (kind == DLS_SQUARE) cairo_rectangle(c, x - r, y - r, 2 * r, 2 * r);
  if (kind == DLS_TRIANGLE) {
    cairo_move_to(c, x, y - 1.2 * r);
    cairo_line_to(c, x + 1.15 * r, y + 0.9 * r);
    cairo_line_to(c, x - 1.15 * r, y + 0.9 * r);
    cairo_close_path(c);
  }
  if (kind != DLS_CROSS) {
    cairo_fill(c);
    return;
  }
  cairo_set_line_width(c, line_width);
  cairo_move_to(c, x - r, y - r);
  cairo_line_to(c, x + r, y + r);
  cairo_move_to(c, x - r, y + r);
  cairo_line_to(c, x + r, y - r);
  cairo_stroke(c);
}

static void take_line(dls_pen *pen, const dls_curve *curve, unsigned colour, int strokes)
{
  static const double compare[] = {5, 3};
  static const double dashes[] = {7, 2.5}, dots[] = {1.5, 2}, both[] = {6, 2, 1.5, 2};
  cairo_t *c = pen->cairo;
  dls_pen_colour(pen, colour);
  cairo_set_line_width(c, line_width);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(c, NULL, 0, 0);
  if (curve->dashed) cairo_set_dash(c, compare, 2, 0);
  else if (strokes == 1) cairo_set_dash(c, dashes, 2, 0);
  else if (strokes == 2) cairo_set_dash(c, dots, 2, 0);
  else if (strokes == 3) cairo_set_dash(c, both, 4, 0);
}

void dls_draw_sample(dls_pen *pen, const dls_curve *curve, unsigned colour, int strokes,
                     dls_box box)
{
  cairo_save(pen->cairo);
  take_line(pen, curve, colour, strokes);
  const double y = box.y + box.height / 2;
  if (!curve->markers_only) {
    cairo_move_to(pen->cairo, box.x, y);
    cairo_line_to(pen->cairo, box.x + box.width, y);
    cairo_stroke(pen->cairo);
  }
  cairo_set_dash(pen->cairo, NULL, 0, 0);
  marker(pen, curve->marker, box.x + box.width / 2, y);
  cairo_restore(pen->cairo);
}

typedef struct spot {
  double x, y;
  bool shown;
} spot;

// Far outside the frame is as good as just outside, and cairo's numbers are small.
static double near_frame(double place)
{
  return place < -10 ? -10 : place > 11 ? 11 : place;
}

static spot spot_of(const dls_panel *p, const dls_curve *curve, int i)
{
  const double x = isfinite(curve->x[i]) ? dls_scale_place(&p->x, curve->x[i]) : (double)NAN;
  const double y = isfinite(curve->y[i]) ? dls_scale_place(&p->y, curve->y[i]) : (double)NAN;
  if (isnan(x) || isnan(y)) return (spot){.shown = false};
  return (spot){.x = p->frame.x + near_frame(x) * p->frame.width,
                .y = p->frame.y + (1 - near_frame(y)) * p->frame.height,
                .shown = true};
}

// A line, or steps: then each value holds half way to its neighbours.
static void trace(const dls_panel *p, dls_pen *pen, const dls_curve *curve)
{
  cairo_t *c = pen->cairo;
  spot last = {.shown = false};
  for (int i = 0; i < curve->count; i++) {
    const spot at = spot_of(p, curve, i);
    const spot next = i + 1 < curve->count ? spot_of(p, curve, i + 1) : (spot){.shown = false};
    const bool alone = at.shown && !last.shown && !next.shown;
    if (!at.shown || alone) {
      if (alone && !curve->marker) {  // no line would show it
        cairo_move_to(c, at.x - line_width, at.y);
        cairo_line_to(c, at.x + line_width, at.y);
      }
      last.shown = false;
      continue;
    }
    if (!last.shown) {
      cairo_move_to(c, at.x, at.y);
    } else if (curve->steps) {
      cairo_line_to(c, (last.x + at.x) / 2, last.y);
      cairo_line_to(c, (last.x + at.x) / 2, at.y);
      if (!next.shown) cairo_line_to(c, at.x, at.y);
    } else if (next.shown && fabs(at.x - last.x) < nearest && fabs(at.y - last.y) < nearest) {
      continue;
    } else {
      cairo_line_to(c, at.x, at.y);
    }
    last = at;
  }
  cairo_stroke(c);
}

void dls_draw_curves(const dls_panel *p, dls_pen *pen)
{
  for (int k = 0; k < p->plot->curves; k++) {
    const dls_curve *curve = &p->plot->curve[k];
    cairo_save(pen->cairo);
    take_line(pen, curve, dls_curve_colour(p->plot, k), dls_curve_strokes(p->plot, k));
    if (!curve->markers_only) trace(p, pen, curve);
    cairo_set_dash(pen->cairo, NULL, 0, 0);
    for (int i = 0; curve->marker && i < curve->count; i++) {
      const spot at = spot_of(p, curve, i);
      if (at.shown) marker(pen, curve->marker, at.x, at.y);
    }
    cairo_restore(pen->cairo);
  }
}
