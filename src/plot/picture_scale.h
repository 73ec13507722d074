// Scales of a picture's axes: where a value lies, and which values get a tick. Knows no cairo.
#ifndef DLS_PLOT_PICTURE_SCALE_H
#define DLS_PLOT_PICTURE_SCALE_H

#include <delassus/picture.h>

// A range with a direction from 0 (low) to 1 (high).
typedef struct dls_scale {
  double low, high;  // low < high, except for a single point
  bool logarithmic;
  bool whole;
} dls_scale;

enum { DLS_TICKS_MAX = 64 };

typedef struct dls_tick {
  double place;       // 0 … 1
  char text[32];      // "1.5", or "2×10" with an exponent; "" for a minor tick
  char exponent[16];  // "", or the power of ten, drawn raised
} dls_tick;

// The scale of an axis whose data lie between low and high (NaN when there are none). Widens a
// range that is a point, unless `point` allows it, and adds `margin` (a part of the range) at both
// ends when the axis chose no range itself.
dls_scale dls_scale_of(const dls_axis *axis, double low, double high, double margin, bool point);

// 0 at low, 1 at high; not finite for values that the scale does not have.
double dls_scale_place(const dls_scale *scale, double value);

// At most about `most` labelled ticks at round numbers, in increasing order, and minor ticks on
// logarithmic scales. Returns how many there are, at least one and at most DLS_TICKS_MAX.
int dls_scale_ticks(const dls_scale *scale, int most, dls_tick ticks[DLS_TICKS_MAX]);

#endif
