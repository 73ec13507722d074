// The sets of solutions: which combinations of modes hold one, which of them touch, and how far the
// forces go in them.
#ifndef DLS_VERIFY_SETS_H
#define DLS_VERIFY_SETS_H

#include "verify/program.h"

// Combinations of modes that hold solutions; those that touch each other make one connected set.
typedef struct dls_sets {
  int polyhedra;
  const dls_modes **mode;      // polyhedra: m modes each
  int *component;              // polyhedra: the first polyhedron of its set
  int components;              // how many sets there are at most
  int fewest;                  // and at least: fewer where the search does not tell
  dls_part_measures *measure;  // parts
} dls_sets;

// What accelerations and forces of these sizes are measured by.
dls_part_measures dls_measures_of(const dls_data *d, int part, double z, double force);

// The leaves cover all modes, those that are empty are; the others are sorted into connected sets.
// False after dls_fails or dls_leaves_open, or when memory runs out.
bool dls_sets_from_leaves(dls_trial *x, dls_finding *f, const json_t *leaves, dls_sets *sets);
// Without friction: one set, in the modes of the solution. Contacts whose acceleration is more than
// `zero`, relative, open.
bool dls_sets_from_point(dls_trial *x, const dls_trial_point *point, double zero, dls_sets *sets);
// From now on accelerations and forces are measured by those of the point.
bool dls_sets_measure(dls_trial *x, const dls_trial_point *point, dls_sets *sets);
// The set that the point lies in; -1: none.
int dls_sets_of_point(dls_trial *x, const dls_sets *sets, const dls_trial_point *point);

// From where to where something goes over a set; NaN: not proven, infinite: no end.
typedef struct dls_span {
  double low, high;
} dls_span;

// The accelerations and the forces over a set, in scaled units.
typedef struct dls_spans {
  dls_span *z, *lambda, *tau;  // n, m, tangents
} dls_spans;

bool dls_sets_span(dls_trial *x, const dls_sets *sets, int component, dls_spans *spans);
// How much work that is, in products; more than dls_sets_max are not made.
double dls_sets_work(const dls_trial *x, const dls_sets *sets);
extern const double dls_sets_max;

#endif
