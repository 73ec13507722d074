// What both forms of the report share: names, and what the numbers mean.
#ifndef DLS_IO_REPORT_PARTS_H
#define DLS_IO_REPORT_PARTS_H

#include <delassus/report.h>

typedef struct dls_name_text {
  char text[32];
} dls_name_text;

// Names never are NULL: where the problem and the system have none, `made` receives one ("q3").
const char *dls_report_coordinate(const dls_report *report, int i, dls_name_text *made);
const char *dls_report_constraint(const dls_report *report, dls_over over, int i,
                                  dls_name_text *made);
// The same over bilateral constraints first, then unilateral ones.
const char *dls_report_closed(const dls_report *report, int i, dls_name_text *made);
const char *dls_report_over(const dls_report *report, dls_over over, int i, dls_name_text *made);

// The contact behind closed constraint i (bilateral first); NULL for a problem made by hand.
const dls_contact *dls_report_contact(const dls_report *report, int i);

// One force of the solution: closed constraint i, bilateral first.
typedef struct dls_report_force {
  double normal;
  double low, high;     // NaN when the interval was not computed
  double acceleration;  // a_n; 0 for bilateral constraints
  bool detaches;        // unilateral, accelerates away without force
  bool determined;      // the interval was computed and is a point
} dls_report_force;

dls_report_force dls_report_force_at(const dls_report *report, int i);

// Largest finite magnitude.
double dls_largest(const double *x, int count);

#endif
