// The solvers of Siconos that are compared with, and how each is set up.
#ifndef PEERS_SICONOS_METHODS_H
#define PEERS_SICONOS_METHODS_H

#include "siconos_problem.h"

#include <SolverOptions.h>

typedef enum form { LOCAL_PLANAR, LOCAL_SPATIAL, GLOBAL_SPATIAL } form;

enum { SETTINGS = 4 };

typedef struct method {
  const char *name;
  form form;
  int id;
  int inner;      // replaces its inner solver; 0: Siconos' own choice
  storage first;  // its natural storage; the others are tried after it
  struct setting {
    int index, value;  // of iparam; index 0 (the number of iterations): no setting
  } setting[SETTINGS];
} method;

extern const method siconos_methods[];
extern const int siconos_method_count;

// Siconos' defaults, but for the tolerance, limits of iterations that are out of the way, and what
// the row of the table says.
SolverOptions *method_options(const method *m, double tolerance);

#endif
