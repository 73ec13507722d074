// What the commands that integrate a model in time share of their calls.
#ifndef CLI_MOTION_H
#define CLI_MOTION_H

#include "buffer.h"
#include "model_file.h"

#include <delassus/integrator.h>

// Says that there is no such scheme, and which may have been meant. Returns whether one may.
bool unknown_scheme(const char *name);

// Each returns 0, or says what is wrong on standard error and returns an exit status.

// --until, --theta, --gamma, --facets and --residual.
int motion_numbers(const options *given, dls_integrator_options *how, double *until);
// Options that none of the schemes takes are wrong, not nothing.
int motion_check_options(const options *given, const char *const *schemes, int count);
// Reads the model, with --set, and the state that it starts from, before `until`.
int motion_start(model_file *file, double until);
// The derivatives that a scheme needs.
int motion_differentiate(model_file *file);

// Where the motion ceased to be determined, or null.
void motion_json_loss(buffer *out, const dls_system *system, const dls_uniqueness_loss *loss);

#endif
