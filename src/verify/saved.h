// A report read back: its frame in plain data, its claims as they stand.
#ifndef DLS_VERIFY_SAVED_H
#define DLS_VERIFY_SAVED_H

#include "base/memory.h"

#include <delassus/verify.h>

#include <jansson.h>

// Members of an object and elements of an array, 0 for anything else; an element, or NULL.
static inline ptrdiff_t dls_json_size(const json_t *object)
{
  return (ptrdiff_t)json_object_size(object);
}

static inline ptrdiff_t dls_json_length(const json_t *array)
{
  return (ptrdiff_t)json_array_size(array);
}

static inline json_t *dls_json_item(const json_t *array, ptrdiff_t index)
{
  return json_array_get(array, (size_t)index);
}

typedef struct dls_saved_contact {
  const char *name, *kind, *status;
  double gap, normal_velocity;
  int tangents;
  double slip[2];
  double friction, restitution;
  double force;  // of friction with a given bound; 0 where it is not said
  double most;   // static friction, likewise
  bool rolling;  // false where it is not said
  // Of two bodies, where the report says so: where its normal and tangents go and where it is, and
  // the words for bodies and features.
  bool directed, placed, framed;
  double normal[3], point[3], tangent[2][3];
  const char *body[2], *feature[2];  // NULL: not said
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
  int nq, n, m;
  const char **coordinates;  // nq
  const char **velocities;   // n; NULL: not named, and n = nq
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
