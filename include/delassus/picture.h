// Plots as SVG or PNG: curves, regions and fields of numbers over two axes.
//
// Everything is plain data of the caller: fill a dls_picture, draw it. Texts are UTF-8; numbers
// that are not finite are never drawn as if they were.
//
// In delassus-io.
#ifndef DELASSUS_PICTURE_H
#define DELASSUS_PICTURE_H

#include <delassus/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- colours that colour-blind readers can tell apart, as 0xRRGGBB ------------------------------

DLS_API unsigned dls_colour_line(int index);  // for curves: blue, vermilion, green, …; repeats
// The strokes of curve number `index`, dls_curve.strokes: solid for the first colours, then dashes,
// dots and both, so that 28 curves can be told apart; repeats
DLS_API int dls_strokes_line(int index);
DLS_API unsigned dls_colour_area(int index);       // for areas: lighter ones first; repeats
DLS_API unsigned dls_colour_number(double place);  // dark blue at 0 to yellow at 1, even in between

// ---- what is drawn ------------------------------------------------------------------------------

typedef struct dls_axis {
  const char *label;  // NULL: none
  double low, high;   // equal: chosen from the curves; in a grid, all cells lie at that value
  bool logarithmic;   // low and high positive; curves show their positive values only
  bool whole;         // ticks at whole numbers only
  bool unlabelled;    // of x: ticks without numbers, such as above a plot with the same axis
  // Names in place of numbers, at 0, 1, …; low and high are then not used. NULL: numbers.
  const char *const *names;
  int name_count;
} dls_axis;

typedef enum dls_marker {
  DLS_NO_MARKER,
  DLS_CIRCLE,
  DLS_SQUARE,
  DLS_TRIANGLE,
  DLS_CROSS
} dls_marker;

// A curve through points; it has a gap where a coordinate is not finite.
typedef struct dls_curve {
  const char *label;  // in the legend; NULL: not there
  int count;
  const double *x, *y;
  bool steps;         // constant around each point, with jumps half way between them
  bool dashed;        // such as a line to compare with
  bool markers_only;  // no line between the points
  dls_marker marker;
  unsigned colour;  // 0xRRGGBB; 0: the next of dls_colour_line, and of dls_strokes_line
  int strokes;      // 0: solid; 1: dashes, 2: dots, 3: both
} dls_curve;

typedef struct dls_category {
  const char *label;
  unsigned colour;  // 0xRRGGBB
  bool hatched;     // such as "undecided": an answer that is none
} dls_category;

// A grid of answers. Cell (i, j) stands at entry j*nx + i, at point i of nx on the x axis and j of
// ny on the y axis; points are evenly spaced (on the scale of the axis) and include both ends.
typedef struct dls_regions {
  int nx, ny;
  const unsigned char *cell;  // index of a category
  int categories;
  const dls_category *category;  // those that no cell has are left out of the legend
} dls_regions;

// A grid of numbers, laid out likewise. NaN: no number there; infinite: no bound.
typedef struct dls_field {
  int nx, ny;
  const double *value;
  const char *label;           // of the colour bar; NULL: none
  const char *nan_label;       // in the legend; NULL: "none"
  const char *infinite_label;  // NULL: "unbounded"
  double low, high;            // of the colours; equal: the least and greatest finite number
  bool logarithmic;
} dls_field;

// One pair of axes. Regions or a field first, then curves over it.
typedef struct dls_plot {
  const char *title;  // NULL: none
  dls_axis x, y;
  double width, height;  // of the frame, in points; 0: 340 by 270
  const dls_regions *regions;
  const dls_field *field;
  int curves;
  const dls_curve *curve;
} dls_plot;

typedef struct dls_picture {
  const char *title, *subtitle;  // NULL: none; both are broken into lines where they are long
  int columns;                   // plots beside each other; 0: all below each other
  int plots;
  const dls_plot *plot;
  double resolution;  // pixels per point of a PNG; 0: 2
} dls_picture;

// ---- drawing ------------------------------------------------------------------------------------

typedef enum dls_picture_form { DLS_SVG, DLS_PNG } dls_picture_form;

// Draws into memory: *data has *size bytes and one more, zero; free it with dls_picture_data_free.
// The size of the picture follows from its plots and texts. DLS_ERR_ARGUMENT, with a message that
// names the entry, when the picture is not valid; DLS_ERR_LIMIT when it would be too large.
DLS_API dls_status dls_picture_draw(const dls_picture *picture, dls_picture_form form, char **data,
                                    size_t *size, dls_message *message);
DLS_API void dls_picture_data_free(char *data);

// Draws into a file, .svg or .png by its ending. The file is complete or, on an error, not changed.
DLS_API dls_status dls_picture_save(const dls_picture *picture, const char *path,
                                    dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
