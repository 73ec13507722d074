// What a picture is drawn with: texts that are safe and measured, numbers, hatching.
#ifndef DLS_PLOT_PICTURE_PEN_H
#define DLS_PLOT_PICTURE_PEN_H

#include "plot/picture_scale.h"

#include <cairo.h>

enum { DLS_FONT = 10, DLS_SMALL_FONT = 9 };  // points

typedef struct dls_pen {
  cairo_t *cairo;
  bool failed;  // memory ran out; cairo's own troubles are in cairo_status
} dls_pen;

typedef struct dls_box {
  double x, y, width, height;
} dls_box;

typedef struct dls_letters {
  double size;
  bool bold;
  double align;  // 0: starts at the place, 0.5: is centred there, 1: ends there
} dls_letters;

void dls_pen_colour(dls_pen *pen, unsigned colour);

// Texts are UTF-8 from anywhere; what is wider than `most` points is cut with an ellipsis. y is the
// base line. Both return the width.
double dls_pen_width(dls_pen *pen, const char *text, dls_letters letters, double most);
double dls_pen_text(dls_pen *pen, double x, double y, const char *text, dls_letters letters,
                    double most);

// The text in lines of at most `width` points, at most three; y is the upper edge, and the lines
// are aligned at x. Returns the height; only measures when !draw.
double dls_pen_lines(dls_pen *pen, double x, double y, double width, const char *text,
                     dls_letters letters, bool draw);

// The label of a tick, with its raised exponent.
double dls_pen_number_width(dls_pen *pen, const dls_tick *tick, double size);
void dls_pen_number(dls_pen *pen, double x, double y, const dls_tick *tick, dls_letters letters);

// Diagonal lines over a box, as far as cairo's clip lets them through.
void dls_pen_hatch(dls_pen *pen, dls_box box);

#endif
