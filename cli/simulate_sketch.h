// What a sketch keeps of a motion: columns of time, as many as a picture can show. When the time
// passes the last one, neighbours become one, so that between COLUMNS / 2 and COLUMNS are in use.
#ifndef CLI_SIMULATE_SKETCH_H
#define CLI_SIMULATE_SKETCH_H

#include "simulate.h"
#include "simulate_channel.h"

enum { COLUMNS = 1024, BANDS = 64, PHASE_POINTS = 8192 };

// A point of a curve, and in which order it came.
typedef struct mark {
  double t, value;
  long number;
} mark;

// Of one curve in one column: the first and the last point and the extreme ones.
typedef struct glimpse {
  bool used;
  mark first, least, most, last;
} glimpse;

// The largest percussion of a column.
typedef struct stem {
  double t, value;
} stem;

typedef struct band_piece {
  unsigned char status;  // the last one
  bool impact;           // some row was impacting
} band_piece;

// The points of a phase picture: every second one goes when there are too many.
typedef struct phase_points {
  int count;
  long stride, skipped;
  double *x, *y;
} phase_points;

struct sketch {
  const dls_system *system;
  const plot_choice *choice;
  double begin, width;  // of the columns
  int used;             // columns that time has reached
  long number;
  double t;  // of the last row
  bool any;
  int bands, shown_bands;  // contacts whose doings are drawn: how many there are, and are kept
  int band_of[BANDS];      // which
  bool closes[BANDS];      // it was closed in some row
  double *now, *last;      // of each channel: at this row, and at the row before
  dls_values *values;      // of the system, where gaps and slips are drawn; NULL: not
  glimpse *curve;          // channels x COLUMNS, of those that are curves
  double *force;           // channels x COLUMNS: impulses, of those that are forces
  stem *stem;              // channels x COLUMNS, of those that are impulses
  phase_points *phase;     // of each phase picture
  band_piece *band;        // shown_bands x COLUMNS
};

// Points of channel k, which return how many: of a curve (x, y: 4 COLUMNS), those that can be seen;
// of forces (COLUMNS), steps, on an axis up to `high`; of percussions (3 COLUMNS), lines from zero
// with gaps behind them.
int sketch_curve(const sketch *s, int k, double *x, double *y);
int sketch_forces(const sketch *s, int k, double high, double *t, double *y);
int sketch_stems(const sketch *s, int k, double *t, double *y);

double sketch_size(const sketch *s, int k);     // the largest number of a curve
bool sketch_has_force(const sketch *s, int k);  // a force, or a percussion, that is not zero

// The least and the largest of forces (work: count x COLUMNS). Where a few short peaks would leave
// nothing to see of the rest they are cut, at twice what most columns with a force stay below:
// true then.
bool sketch_force_span(const sketch *s, const int *list, int count, double *work, double *low,
                       double *high);

#endif
