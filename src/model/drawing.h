// The inside of a drawing.
#ifndef DLS_MODEL_DRAWING_H
#define DLS_MODEL_DRAWING_H

#include "model/analysis.h"
#include <delassus/drawing.h>

// The derivative of a part of a place, relative to the other body's, by a coordinate.
typedef struct dls_place_entry {
  int coordinate, part;
} dls_place_entry;

// The force of a contact, and where its outputs stand on the tape.
typedef struct dls_place {
  int shape;
  int first;  // of its entries: outputs of the tape behind those of the shapes
  int entries;
  int normal, tangent;  // outputs of what the text gives; -1: it does not
  int given;            // tangents
} dls_place;

struct dls_drawing {
  const dls_system *system;
  const dls_model *model;
  dls_arena *arena;
  dls_tape *tape;
  double *slot;
  double *value;     // of all outputs
  int outputs;       // of the shapes: view first, then three per point, then the numbers
  int *first_value;  // per shape
  dls_shape *shape;
  int count, space;
  double view[3];
  DLS_LIST(dls_place) places;
  DLS_LIST(dls_place_entry) entries;
  DLS_LIST(dls_expr) out;  // while the tape is made
  // room for the directions
  dls_values *values;
  double *weight;  // n: of the coordinates, so that units do not matter
  double *J;       // n x 3
  double *rows;    // n: a column of G or H
};

// The weights of the coordinates, by values.
void dls_drawing_weigh(dls_drawing *drawing);
// Normal and tangents of the shape of a place, with value[] and values evaluated.    eq (dra.2)
dls_status dls_drawing_direct(dls_drawing *drawing, const dls_place *place, dls_message *message);

#endif
