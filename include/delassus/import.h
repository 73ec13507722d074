// Mechanisms from the files of others: MJCF, URDF; and the points of STL and OBJ files.
#ifndef DELASSUS_IMPORT_H
#define DELASSUS_IMPORT_H

#include <delassus/mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

// A keyframe: a state of the file. Arrays as of a reduced mechanism.
typedef struct dls_import_state {
  const char *name;
  double time;
  const double *q, *v;    // of all joints; as many as the mechanism has
  const double *control;  // of the actuators
} dls_import_state;

// What a file says and a mechanism does not: an element or attribute, and how often.
typedef struct dls_import_note {
  const char *what;  // such as "geom solref"
  int count;
  bool approximated;  // else left out
} dls_import_note;

typedef struct dls_import {
  dls_mechanism mechanism;
  int states, notes;
  const dls_import_state *state;
  const dls_import_note *note;
} dls_import;

// Where files are that a file names by package://NAME/...
typedef struct dls_import_package {
  const char *name, *folder;
} dls_import_package;

typedef struct dls_import_options {
  int packages;
  const dls_import_package *package;
} dls_import_options;

// Reads the mechanism of a file, by its root element: MJCF (`mujoco`) or URDF (`robot`). options
// may be NULL. Files are not trusted. DLS_ERR_MODEL, with a message that has file:line:column, the
// line and a caret. Freed with dls_import_free.
DLS_API dls_status dls_import_read(const char *path, const dls_import_options *options,
                                   dls_import **out, dls_message *message);
DLS_API void dls_import_free(dls_import *import);  // NULL is fine

// The points of an STL (binary or ASCII) or OBJ file, 3 numbers each; freed with free().
DLS_API dls_status dls_import_points(const char *path, int *count, double **point,
                                     dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
