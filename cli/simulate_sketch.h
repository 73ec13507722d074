// What a sketch keeps of a motion: columns of time, as many as a picture can show. When the time
// passes the last one, neighbours become one, so that between COLUMNS / 2 and COLUMNS are in use.
#ifndef CLI_SIMULATE_SKETCH_H
#define CLI_SIMULATE_SKETCH_H

#include "simulate.h"

// MOTIONS: as many as there are colours.
enum { COLUMNS = 1024, CURVES = 8, MOTIONS = 7, BANDS = 12 };

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

typedef struct band_piece {
  unsigned char status;  // the last one
  bool impact;           // some row was impacting
} band_piece;

struct sketch {
  const dls_system *system;
  double begin, width;  // of the columns
  int used;             // columns that time has reached
  long number;
  double t;  // of the last row
  bool any;
  int shown_q, shown_impulses, shown_bands;
  int impulse[CURVES];    // which entries of dls_sample.impulse are drawn,
  int contact[CURVES];    // and whose they are
  int band_of[BANDS];     // contacts whose doings are drawn
  int bands;              // that have any
  double last_v[CURVES];  // velocities of the last row
  glimpse *q, *v;         // CURVES x COLUMNS
  double *force;          // CURVES x COLUMNS: impulses
  band_piece *band;       // BANDS x COLUMNS
};

#endif
