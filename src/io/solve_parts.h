// What the reports of solving have in common, for programs and for people.
#ifndef DLS_IO_SOLVE_PARTS_H
#define DLS_IO_SOLVE_PARTS_H

#include <delassus/solve_report.h>

#include "io/report_build.h"
#include "io/report_page.h"

// One problem, and reports that belong to its kind.
bool dls_solve_is_valid(const dls_solve_summary *summary);

// The run that the report is about: the first one; of several the best, or NULL when none has run.
const dls_solve_run *dls_solve_best(const dls_solve_summary *summary);

int dls_solve_iterations(const dls_solve_run *run);
double dls_solve_seconds(const dls_solve_run *run);
// The method that made the point; NULL when nothing has run.
const char *dls_solve_made_by(const dls_solve_run *run);

// The verdict on existence: an object, and a paragraph. It never says no beside a run that
// converged.
bool dls_solve_has_verdict(const dls_solve_summary *summary);
dls_answer dls_solve_answer(const dls_solve_summary *summary);
json_t *dls_build_existence(dls_build *b, const dls_solve_summary *summary);
void dls_page_existence(dls_page *page, const dls_solve_summary *summary);

#endif
