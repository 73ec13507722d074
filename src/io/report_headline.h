// The first lines of the report for people: how it moves, which forces are certain, what to watch.
// They only say what the verdicts and numbers below say; undecided stays undecided.
#ifndef DLS_IO_REPORT_HEADLINE_H
#define DLS_IO_REPORT_HEADLINE_H

#include "io/report_page.h"

// Which closed contacts a list names.
typedef bool dls_chooser(const dls_report *report, const dls_solution *solution, int i);

// Adds "a", "a and b", "a, b, c and 4 more": the closed contacts that are chosen. Returns how many.
int dls_add_chosen(dls_text *text, const dls_report *report, const dls_solution *solution,
                   dls_chooser *chosen);

// "It slides at floor and lifts off at wall; no other motion is possible." Adds nothing when
// nothing was asked.
void dls_add_motion_line(dls_text *text, const dls_report *report);
// The same when velocities jump.
void dls_add_impact_line(dls_text *text, const dls_report *report);
void dls_add_forces_line(dls_text *text, const dls_report *report);
void dls_add_watch_line(dls_text *text, const dls_report *report);

// No acceleration but rounding: small beside what the loads alone would cause.
bool dls_report_is_at_rest(const dls_report *report, const dls_solution *solution);

#endif
