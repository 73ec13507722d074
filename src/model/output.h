// Outputs and events of a model: names, expressions, work memory.
#ifndef DLS_MODEL_OUTPUT_H
#define DLS_MODEL_OUTPUT_H

#include "model/analysis.h"

// After contacts were split: their sides have names of their own.
bool dls_analyse_output_names(dls_analysis *analysis);

// After the equations. DLS_ERR_MODEL when errors were reported.
dls_status dls_outputs_compile(dls_analysis *analysis);

bool dls_outputs_create(dls_instance *instance);  // false: out of memory
void dls_outputs_free(const dls_instance *instance);
void dls_outputs_start(const dls_instance *instance);  // with its parameters

#endif
