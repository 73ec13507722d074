// What the program reports of a model of examples/, and ways to compare it with formulas.
#ifndef TEST_EXAMPLE_REPORT_H
#define TEST_EXAMPLE_REPORT_H

#include <delassus/delassus.h>

#include <jansson.h>

enum { PATH = 512 };

// The report as JSON; the caller gives it back with json_decref. at: a state, or NULL; sets:
// "m=2, l=0.7" or NULL.
json_t *example_report(const char *name, const char *at, const char *sets);

// One report that is asked several things.
typedef struct asked {
  const char *name;
  char at[PATH], sets[PATH];
  json_t *report;
} asked;

// at: a state, assignments or ""
asked ask(const char *name, const char *at, const char *sets);
void done(asked *a);

// path: delassus.matrix.0.0. These fail the test, and say of which example.
double number(const asked *a, const char *path);
void expect(const asked *a, const char *path, double expected);  // to 1e-9
void expect_text(const asked *a, const char *path, const char *expected);
void expect_answer(const asked *a, dls_question question, const char *answer);
void expect_null(const asked *a, const char *path);

#define ACCELERATION(name) "solutions.0.acceleration." name
#define FORCE(name) "solutions.0.forces." name ".normal"
#define LOW(name) "force_ranges." name ".normal.0"
#define HIGH(name) "force_ranges." name ".normal.1"

// printf, into and out of a buffer of the caller's.
__attribute__((format(printf, 2, 3))) const char *print(char text[PATH], const char *format, ...);

#endif
