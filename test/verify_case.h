// Models, what check reports of them, and ways to spoil such a report, for tests of the checker.
#ifndef TEST_VERIFY_CASE_H
#define TEST_VERIFY_CASE_H

#include <delassus/delassus.h>

#include <jansson.h>

// Models without friction,
extern const char shelf[], regular[], clash[], jaws[], pushed[], idle[], pressed[], linked[],
    adrift[], belt[];
// with it,
extern const char ladder[], rod[], block[], spatial[];
// and with an object.
extern const char grasp[], touch[], corner[];

typedef struct subject {
  dls_model *model;
  dls_system *system;
  json_t *report;
  char *page;  // the report for people
} subject;

// The model with "a=1, b=2" set; no report yet.
subject open_model(const char *text, const char *sets);
// The same, with what check reports of it at a state.
subject ask_about(const char *text, const char *sets, const char *at);
void answer(subject *s, const char *at);  // its report
void close_subject(subject *s);

// The caller frees both.
dls_saved_report *save_report(const json_t *report);
dls_verification *verify(const subject *s);

// "verdicts.mfcq", "solutions.1", "delassus"; NULL when nothing is called so.
const dls_finding *find_claim(const dls_verification *v, const char *name);

// What verify finds of that claim; fails the test when there is none.
dls_found found_of(const subject *s, const char *name);

// Sets the value at "a/b/0/c"; NULL removes it.
void put_value(json_t *root, const char *path, const char *value);
void put_quoted(json_t *root, const char *path, const char *value);  // JSON with ' for "
#define WITNESS(question) "verdicts/" question "/witness"

#endif
