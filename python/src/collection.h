// What a run has been: rows of samples, and events. Filled without the lock of the interpreter.
#ifndef DELASSUS_PYTHON_COLLECTION_H
#define DELASSUS_PYTHON_COLLECTION_H

#include "common.h"

typedef struct collection {
  const dls_system *system;        // for its names and sizes
  series t, energy, output, q, v;  // of each row; energy: kinetic, potential
  // Contacts of a row: as many as `count` says; each with a name (where they come and go), a status
  // and three impulses, 0 where it has fewer.
  series count, name, status, impulse;
  series event, tell;  // events, and their numbers
  double *force;       // mean forces since the row before, for outputs
  double last;         // time of the row before
  bool failed;         // out of memory
  bool stopped;        // by an event of the model
} collection;

void collection_free(collection *c);
dls_status collection_row(collection *c, dls_integrator *integrator, bool energy);
void collection_event(collection *c, const dls_event *event);
void collection_happening(collection *c, const dls_happening *happening);

PyObject *collection_dict(const collection *c);
PyObject *collection_take_events(collection *c);
// The name of each contact of a sample.
PyObject *collection_names(const dls_system *system, const dls_sample *sample);

#endif
