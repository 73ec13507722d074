// One plot of a picture while it is laid out and drawn.
#ifndef DLS_PLOT_PICTURE_PANEL_H
#define DLS_PLOT_PICTURE_PANEL_H

#include "plot/picture_pen.h"

// One line of a legend: an area, or the line and the marker of a curve.
typedef struct dls_legend_entry {
  const char *label;
  unsigned colour;
  bool hatched;
  int strokes;
  const dls_curve *curve;  // NULL: an area
} dls_legend_entry;

typedef struct dls_panel {
  const dls_plot *plot;
  dls_scale x, y, colours;  // colours: of a field
  int x_ticks, y_ticks, colour_ticks;
  dls_tick x_tick[DLS_TICKS_MAX], y_tick[DLS_TICKS_MAX], colour_tick[DLS_TICKS_MAX];
  bool has_nan, has_infinite, has_finite;  // in a field
  int entries;
  dls_legend_entry *entry;
  double left, right, top, bottom;  // room that is needed around the frame
  dls_box frame;                    // its place; the size is known first
} dls_panel;

// Scales, ticks, legend and room. Frees nothing: call dls_panel_free in any case.
dls_status dls_panel_measure(dls_panel *panel, const dls_plot *plot, dls_pen *pen);
void dls_panel_free(dls_panel *panel);
// Everything, at panel->frame.
dls_status dls_panel_draw(const dls_panel *panel, dls_pen *pen);

// The colour of curve number k of the plot, and its strokes.
unsigned dls_curve_colour(const dls_plot *plot, int k);
int dls_curve_strokes(const dls_plot *plot, int k);

// The contents, cut at the frame.
dls_status dls_draw_regions(const dls_panel *panel, dls_pen *pen);
dls_status dls_draw_field(const dls_panel *panel, dls_pen *pen);
void dls_draw_curves(const dls_panel *panel, dls_pen *pen);
// A marker alone, and a short piece of the curve, for the legend.
void dls_draw_sample(dls_pen *pen, const dls_curve *curve, unsigned colour, int strokes,
                     dls_box box);

// The legend, and the colour bar of a field, right of the frame. The room for both is measured with
// dls_legend_measure, which makes the entries.
dls_status dls_legend_measure(dls_panel *panel, dls_pen *pen, double *width, double *height);
void dls_legend_draw(const dls_panel *panel, dls_pen *pen);

#endif
