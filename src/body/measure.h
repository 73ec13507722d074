// Numbers that can be read off the bodies: coordinates of the forest, rows between two frames, and
// what is made of several of them. Closures, limits, dry friction, springs and actuators are about
// measures.
//
//   y = Y(x),   y' = J x',   y'' = J x'' + bias                                        eq (mea.1)
#ifndef DLS_BODY_MEASURE_H
#define DLS_BODY_MEASURE_H

#include "body/joint_row.h"
#include "body/pair.h"

// A coordinate, or a row of a pair.
typedef struct dls_reading {
  int velocity;  // the coordinate x_k itself; -1: a row
  int pair;
  dls_joint_row row;
  double offset;  // added to the row
  int place;      // of its gradient in that of the owner; as many as the pair has, or 1
  // at a state
  dls_bounded value, rate, bias;
  dls_row_values W, W_error;
} dls_reading;

typedef struct dls_measure_term {
  int reading;
  double gear;
  int place;  // where the reading's velocities are in the measure's: a list of the owner
} dls_measure_term;

// A sum of readings times gears; of a polynomial y = term 0 - polynomial(term 1 - reference).
typedef struct dls_measure {
  int first_term, terms;
  int first, count;  // its velocities, increasing, and its gradient
  bool curved;
  double polynomial[5], reference[2];
  // at a state
  dls_bounded value, rate, bias;
} dls_measure;

typedef struct dls_measure_set {
  dls_tree *tree;
  dls_pair *pair;
  dls_reading *reading;
  dls_measure_term *term;
  dls_measure *measure;
  int pairs, readings, terms, measures;
  ptrdiff_t pair_room, reading_room, term_room, measure_room;
  // velocities of pairs and of measures, and sides of those of pairs
  int *pair_velocity, *velocity, *place;
  unsigned char *side;
  ptrdiff_t pair_velocities, velocities, places, pair_velocity_room, side_room, velocity_room,
      place_room;
  // at a state
  dls_pair_state *state;  // pairs
  dls_bounded *reading_gradient, *gradient;
  dls_bounded *gear;  // terms: as they are, at a state
  // derivatives at a state, dls_measures_slope
  dls_motion_slope *slope;   // of each velocity of a pair, on its two frames
  dls_row_slope *row_slope;  // readings
  double *reading_rate, *reading_by_x, *reading_by_v;  // as gradients of readings
  double *rate_by_x, *by_x, *by_v;  // as gradients of measures: of y' by x, of y'' by x and x'
  ptrdiff_t reading_gradients;
} dls_measure_set;

// Adding; each returns the index, or -1 when memory runs out. Numbers of frames and gears may be
// changed later, and are then those of all that follows.
int dls_measures_add_pair(dls_measure_set *all, const int body[2]);
int dls_measures_add_row(dls_measure_set *all, int pair, dls_joint_row row);
int dls_measures_add_coordinate(dls_measure_set *all, int velocity);
// Terms of a new measure; gears 1.
int dls_measures_add(dls_measure_set *all, int terms, const int *reading);
// Room for states, when all is added.
bool dls_measures_finish(dls_measure_set *all);
void dls_measures_free(dls_measure_set *all);

// All of them at the tree's last move. DLS_ERR_NUMBER where one has no value.
dls_status dls_measures_evaluate(dls_measure_set *all, bool bounds);

// Derivatives of y' and y'' at the tree's last move, after dls_tree_begin_slopes and an evaluation
// there. DLS_ERR_NUMBER where one is not finite.
dls_status dls_measures_slope(dls_measure_set *all);
// The second and third derivative of its polynomial, where it is curved, and the term that is in
// it.
int dls_measure_curve(const dls_measure_set *all, int measure, double out[2]);

static inline const int *dls_measure_velocities(const dls_measure_set *all, int measure)
{
  return all->velocity + all->measure[measure].first;
}

static inline const dls_bounded *dls_measure_gradient(const dls_measure_set *all, int measure)
{
  return all->gradient + all->measure[measure].first;
}

#endif
