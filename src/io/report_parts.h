// What both forms of the report share: names, and what the numbers mean.
#ifndef DLS_IO_REPORT_PARTS_H
#define DLS_IO_REPORT_PARTS_H

#include <delassus/report.h>

typedef struct dls_name_text {
  char text[32];
} dls_name_text;

// Names never are NULL: where the problem and the system have none, `made` receives one ("q3").
const char *dls_report_coordinate(const dls_report *report, int i, dls_name_text *made);
const char *dls_report_constraint(const dls_report *report, dls_index_set index_set, int i,
                                  dls_name_text *made);
// The same over bilateral constraints first, then unilateral ones, then what weights press.
const char *dls_report_closed(const dls_report *report, int i, dls_name_text *made);
const char *dls_report_over(const dls_report *report, dls_index_set index_set, int i,
                            dls_name_text *made);

// The closed contacts that have forces: those of the problem, bilateral ones first, then friction
// alone, of which there is no other trace in the problem.
int dls_report_force_count(const dls_report *report);
const char *dls_report_force_name(const dls_report *report, int i, dls_name_text *made);

// The contact behind the force i; NULL for a problem made by hand.
const dls_contact *dls_report_contact(const dls_report *report, int i);

// The force of a solution at closed constraint i, bilateral first, and what the contact does.
typedef struct dls_report_force {
  double normal;
  double low, high;  // its interval
  double opening;    // normal acceleration; 0 for bilateral constraints
  bool dry;          // friction alone: no normal force
  int tangents;
  double tangential[2];
  double low_t[2], high_t[2];
  double slipping[2];     // slip acceleration H^T z + b_t: see dls_report_slipping
  bool normal_known;      // the interval of the normal force was computed,
  bool tangential_known;  // those of the tangential ones,
  bool slipping_known;    // the slip acceleration
  bool determined;        // all intervals are known to be points
  bool loose;             // some interval is known not to be one
  bool rubs;              // has friction
  int mode;               // dls_mode, without DLS_MODE_PULLING; DLS_MODE_ANY: not told
  bool pulls;             // bilateral with friction, and its force is negative
} dls_report_force;

dls_report_force dls_report_force_at(const dls_report *report, const dls_solution *solution, int i);
// Adds its slip acceleration, which takes a product with all coordinates.
void dls_report_slipping(const dls_report *report, const dls_solution *solution, int i,
                         dls_report_force *force);

// The impact that is shown as a solution of its problem in the jump, with the intervals of its
// percussions; NULL when there is none, or when these would be about other velocities, too.
const dls_solution *dls_report_percussions(const dls_report *report);

// Largest finite magnitude.
double dls_largest(const double *x, int count);

#endif
