// Building the JSON report. Every value goes through dls_build_put or dls_build_append, which note
// that memory ran out, so that the code that uses them reads like the report.
#ifndef DLS_IO_REPORT_BUILD_H
#define DLS_IO_REPORT_BUILD_H

#include <delassus/report.h>

#include <jansson.h>

enum { DLS_WITNESS_FULL = 50 };  // longer vectors show their nonzero entries only

typedef struct dls_build {
  const dls_report *report;
  bool failed;
  bool moves;  // what is built belongs to the problem with weights, if there is one
} dls_build;

// The problem that vectors over slips and modes belong to.
const dls_problem *dls_build_problem(const dls_build *b);

// Both take over `value`; NULL, which jansson returns without memory, is an error.
void dls_build_append(dls_build *b, json_t *array, json_t *value);
void dls_build_put(dls_build *b, json_t *object, const char *key, json_t *value);
// The same with a name from outside as the key.
void dls_build_put_named(dls_build *b, json_t *object, const char *name, json_t *value);

// A string from outside may hold bytes that are not UTF-8, which JSON cannot; NULL is null.
json_t *dls_build_string(dls_build *b, const char *string);
// What is not finite is null.
json_t *dls_build_number(double x);
json_t *dls_build_numbers(dls_build *b, const double *x, int count);
// Column-major in, rows out; null without data.
json_t *dls_build_matrix(dls_build *b, const double *a, int size);

// The names of `count` coordinates or contacts.
json_t *dls_build_names(dls_build *b, dls_index_set index_set, int count);
// {NAME: number}, slips as {CONTACT: [numbers]}; long vectors without their zeros when `sparse`.
json_t *dls_build_vector(dls_build *b, dls_index_set index_set, const double *x, int count,
                         bool sparse);

// The larger parts of the report.
json_t *dls_build_solutions(dls_build *b);
// The intervals of forces or percussions; empty without a solution.
json_t *dls_build_ranges(dls_build *b, const dls_solution *solution);
json_t *dls_build_verdicts(dls_build *b);
json_t *dls_build_verdict(dls_build *b, const dls_verdict *verdict);
// Marks the numbers of the report that nothing proves, where they stand, and puts their keys into
// its list "unproven"; `delassus verify` lists the same.
void dls_build_unproven(dls_build *b, json_t *report);
json_t *dls_build_leaves(dls_build *b, const dls_leaf *leaves, int count);
json_t *dls_build_impact(dls_build *b);
// M, F, G, b_n, H, b_t, dense.
json_t *dls_build_matrices(dls_build *b);
// The name of a dls_mode, without its sign; null when it is not told.
json_t *dls_build_mode(int mode);

#endif
