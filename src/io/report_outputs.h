// The outputs of the model at the state of a report.
#ifndef DLS_IO_REPORT_OUTPUTS_H
#define DLS_IO_REPORT_OUTPUTS_H

#include "io/report_parts.h"

int dls_report_output_count(const dls_report *report);
// NaN where an output has no value, or needs a force that is not unique. False: out of memory.
bool dls_report_outputs(const dls_report *report, double *out);

#endif
