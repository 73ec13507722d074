// What a picture is drawn on: SVG or PNG in memory.
#ifndef DLS_PLOT_PICTURE_SURFACE_H
#define DLS_PLOT_PICTURE_SURFACE_H

#include "plot/picture_pen.h"
#include <delassus/picture.h>

typedef struct dls_surface {
  double width, height;  // in points
  double resolution;     // pixels per point of a PNG; 0: 2
  dls_picture_form form;
} dls_surface;

// A pen on a surface of cairo's, to draw or to measure with.
dls_pen dls_pen_begin(cairo_surface_t *surface);
// What its work came to: the status, unless that is good and the pen is in trouble.
dls_status dls_pen_outcome(const dls_pen *pen, dls_status status);

// Calls draw with a pen on white paper. data, size: as of dls_picture_draw.
dls_status dls_surface_draw(const dls_surface *surface,
                            dls_status (*draw)(const void *self, dls_pen *pen), const void *self,
                            char **data, size_t *size, dls_message *message);

#endif
