// What delassus show shows.
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "model_file.h"
#include "results.h"

typedef struct show_work {
  const options *options;
  model_file file;
  const dls_mechanism *mechanism;  // NULL: a model without bodies
  dls_pose *pose;                  // its bodies at the state
  dls_values *values;              // NULL: no matrices are wanted
  double *x;                       // local coordinates of the state
} show_work;

int show_json(const void *work, product *out);
int show_text(const void *work, bool colour, product *out);

const char *show_joint_kind(dls_joint_kind kind);
const char *show_closure_kind(dls_closure_kind kind);
const char *show_solid_kind(dls_solid_kind kind);
int show_sizes(dls_solid_kind kind);  // how many numbers a solid has

#endif
