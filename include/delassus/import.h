// Mechanisms from the files of others: MJCF, URDF; and the points of STL and OBJ files.
#ifndef DELASSUS_IMPORT_H
#define DELASSUS_IMPORT_H

#include <delassus/hull.h>

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

// What holds the first link of an URDF file, which does not say it: nothing, if the link has mass
// and is not called `world`; or always nothing; or the world.
typedef enum dls_import_base { DLS_BASE_BY_MASS, DLS_BASE_FREE, DLS_BASE_FIXED } dls_import_base;

typedef struct dls_import_options {
  int packages;
  const dls_import_package *package;
  dls_import_base base;
} dls_import_options;

// Reads the mechanism of a file, by its root element: MJCF (`mujoco`) or URDF (`robot`). options
// may be NULL. Files are not trusted. DLS_ERR_MODEL, with a message that has file:line:column, the
// line and a caret. Freed with dls_import_free.
DLS_API dls_status dls_import_read(const char *path, const dls_import_options *options,
                                   dls_import **out, dls_message *message);
DLS_API void dls_import_free(dls_import *import);  // NULL is fine

// Who reads the files that a model text names; paths as they stand in the text. What was read is
// given back to free_mechanism and free_hull, dls_import_free and dls_hull_free for instance
// (models do not know them: those that read files are in a library of their own).
typedef struct dls_model_files {
  void *self;
  dls_status (*mechanism)(void *self, const char *path, dls_import **import, dls_message *message);
  dls_status (*hull)(void *self, const char *path, dls_hull **hull, dls_message *message);
  void (*free_mechanism)(dls_import *import);
  void (*free_hull)(dls_hull *hull);
} dls_model_files;

// One for a model text at model_path: its paths are relative to the folder of the text, and lead
// neither out of that folder nor out of the packages. options are copied. Freed with
// dls_model_files_free.
DLS_API dls_status dls_model_files_create(const char *model_path, const dls_import_options *options,
                                          dls_model_files **files, dls_message *message);
DLS_API void dls_model_files_free(dls_model_files *files);  // NULL is fine

// The points of an STL (binary or ASCII) or OBJ file, 3 numbers each; freed with free().
DLS_API dls_status dls_import_points(const char *path, int *count, double **point,
                                     dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
