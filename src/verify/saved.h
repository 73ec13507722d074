// A report read back: its frame in plain data, its claims as they stand.
#ifndef DLS_VERIFY_SAVED_H
#define DLS_VERIFY_SAVED_H

#include "base/memory.h"

#include <delassus/verify.h>

#include <jansson.h>

typedef struct dls_saved_contact {
  const char *name, *kind, *status;
  double gap, normal_velocity;
  int slips;
  double slip[2];
  double friction, restitution;
} dls_saved_contact;

typedef struct dls_saved_value {
  const char *name;
  double value;
} dls_saved_value;

struct dls_saved_report {
  json_t *root;  // strings above and claims below point into it
  dls_arena *arena;
  const char *model;
  double time;
  double tolerance, rest, relative;  // of gaps, velocities, and numbers without unit
  int parameters;
  dls_saved_value *parameter;
  int n, m;
  const char **coordinates;
  double *q, *v;
  dls_saved_contact *contacts;
  json_t *verdicts;      // an object of objects, each with an answer
  json_t *solutions;     // an array; NULL when there is none
  json_t *delassus;      // objects; NULL when there are none
  json_t *force_ranges;  //
  json_t *friction;      //
  json_t *impact;        //
};

#endif
