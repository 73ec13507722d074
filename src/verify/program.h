// Polyhedra of solutions: how far a linear function goes on one, and whether it is empty. A simplex
// method in long double looks for an answer; only what its multipliers and points prove counts.
#ifndef DLS_VERIFY_PROGRAM_H
#define DLS_VERIFY_PROGRAM_H

#include "verify/claim_modes.h"
#include "verify/exact_program.h"

// Rows of numbers over y, one after another; the last entry of each is the constant.
typedef struct dls_rows {
  int count;
  double *row;
} dls_rows;

// What accelerations and forces of a part are measured by: powers of two, the same where there is
// mass.
typedef struct dls_part_measures {
  double z, force;
} dls_part_measures;

// All y with E y + e = 0 and L y + l >= 0: solutions of one part of the system, y = (z, lambda,
// tau) of that part, scaled, in these measures: numbers that are about 1 in every unit.
typedef struct dls_polytope {
  int part, size;
  dls_part_measures measure;
  int *coordinate, *normal, *tangential;  // n, m, tangents: the place in y; -1 in other parts
  dls_rows equation, inequality;
} dls_polytope;

// The balance of forces of a part, with room for the modes of `polyhedra` polyhedra at once; false
// when memory runs out.
bool dls_polytope_create(dls_trial *x, int part, dls_part_measures measure, int polyhedra,
                         dls_polytope *p);
// What the modes ask for, one for each contact. Cones in space become polygons around them (outer),
// which have more points, or polygons in them, which have fewer. False where the direction of
// sliding is not told.
bool dls_polytope_add(dls_trial *x, dls_polytope *p, const dls_modes *mode, bool outer);
// The same where contacts may do several things: all that is in any of their modes, and more.
bool dls_polytope_relax(dls_trial *x, dls_polytope *p, const dls_modes *mode);
// y of accelerations and forces.
void dls_polytope_point(const dls_trial *x, const dls_polytope *p, const dls_trial_point *point,
                        double *y);

typedef enum dls_reach {
  DLS_REACH_END,       // there is a largest value, and a point that has it
  DLS_REACH_INFINITE,  // there is none: a ray
  DLS_REACH_EMPTY,     // there is no point at all
  DLS_REACH_UNKNOWN,   // the search failed, or what it found is no proof
} dls_reach;

// A polytope ready for many questions. NULL when memory runs out.
typedef struct dls_program dls_program;
dls_program *dls_program_create(dls_trial *x, const dls_polytope *p);

// The largest value of cost^T y (cost: size + 1, the last entry 0). size: what y is measured by.
// The end is proven: the point fulfils everything up to the tolerance, and no point of up to a
// thousand times the size has more by more than that. Ends that only points farther away have are
// not told.
dls_reach dls_program_max(dls_program *program, const double *cost, double size, double *end,
                          double *point);
// cost^T y <= limit for all points, for data within the tolerance. False: not proven.
bool dls_program_bounds(dls_program *program, const double *cost, double limit);
// Is there a point? DLS_REACH_END: that one; DLS_REACH_EMPTY: none of up to a thousand times the
// size.
dls_reach dls_program_find(dls_program *program, double size, double *point);
// What is asked of a polytope without rounding: is there a point of up to a thousand times the size
// that misses no row by more than slack times the size; or a ray along which the cost grows by 1,
// of up to a thousand.
typedef struct dls_exact_question {
  double size, slack;
  const double *ray;  // cost; NULL: a point
  bool anywhere;      // a point of any size
} dls_exact_question;
dls_exact dls_polytope_decide(dls_trial *x, const dls_polytope *p, const dls_exact_question *q);
// By how much the point misses the equations and inequalities, at most.
double dls_polytope_miss(dls_trial *x, const dls_polytope *p, const double *point);

#endif
