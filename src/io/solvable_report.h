// Whether an incremental problem has a solution, as a part of a JSON report.
#ifndef DLS_IO_SOLVABLE_REPORT_H
#define DLS_IO_SOLVABLE_REPORT_H

#include "io/report_build.h"

#include <delassus/solvable.h>

// {"answer", "by", "criteria", "margin", "bound", "shift", "witness"}. b->report is not used.
json_t *dls_build_solvable(dls_build *b, const dls_solvable *solvable);

#endif
