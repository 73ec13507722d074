// The page that the report for people is written on. A screen is 45 lines of 100 columns: lists
// longer than a screen can take are cut, with what was left out counted.
#ifndef DLS_IO_REPORT_PAGE_H
#define DLS_IO_REPORT_PAGE_H

#include <delassus/report.h>

#include "io/report_groups.h"
#include "io/report_parts.h"
#include "base/text.h"

enum { DLS_PAGE_WIDTH = 100, DLS_PAGE_LINES = 45, DLS_PAGE_NAME = 32, DLS_PAGE_NUMBER = 13 };

typedef struct dls_page {
  dls_text text;
  const dls_report *report;
  bool colour, full;
  int name_columns;  // of the contacts' table
  int rows;          // contacts and forces that are listed
  // Contacts by bodies, where one by one they are too many; `grouped` says whether they are shown.
  dls_report_groups groups;
  bool grouped;
} dls_page;

void dls_page_style(dls_page *page, const char *code);
void dls_page_heading(dls_page *page, const char *words);
// Adds `words` after `column` characters of the line, ends it, and frees them.
void dls_page_wrapped(dls_page *page, dls_text *words, int column, int indent);
// Numbers up to `noise` are shown as 0.
dls_number_text dls_page_number(double x, double noise);
// A line "label  x = 1, y = 0.5, … and 12 more"; marks follow each name.
void dls_page_configuration(dls_page *page, const double *q);
void dls_page_values(dls_page *page, const char *label, const double *x, double noise,
                     const char *marks);
// The same without a line around it, of at most `most` values.
void dls_add_values(dls_text *text, const dls_report *report, const double *x, double noise,
                    int most, const char *marks);
// Where there are bodies: rounding of coordinates and velocities, of which states that were moved
// onto their constraints are full, and what rounding leaves of accelerations, and of forces that
// cancel. 0 of Lagrangian models, whose units may be anything.
double dls_page_state_noise(const dls_report *report, double tolerance);
double dls_page_acceleration_noise(const dls_report *report, const dls_solution *solution);
double dls_page_force_noise(const dls_report *report, const dls_solution *solution);
// Of `count` rows; one line is kept for what is left out.
int dls_page_rows(const dls_page *page, int count);

// Adds "normal 0 … 9.81, tangential -1 … 1" after `before`: what is not determined.
void dls_add_force_range(dls_text *words, const dls_report_force *force, const char *before);

// The accelerations and forces: one solution as a table, several as a line or two each.
void dls_page_motion(dls_page *page);
// The velocities after an impact and the percussions.
void dls_page_impact(dls_page *page);
// How much friction is safe, and how much is needed.
void dls_page_limits(dls_page *page);

#endif
