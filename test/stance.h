// A model text with bodies at a state, checked, and its report verified, for tests.
#ifndef TEST_STANCE_H
#define TEST_STANCE_H

#include <delassus/delassus.h>

#include <stdbool.h>

typedef struct stance {
  dls_model *model;
  dls_system *system;
  dls_state state;
  dls_contact_state *contacts;
  dls_check *check;
  dls_impact *impact;
  double *E;
} stance;

// The text at a state (NULL: the start), with parameters ("mu=0.3, N=2"). path: where the files
// that it names are, or NULL. Fails the test when anything of it does not work, or the report is
// not proven.
stance stance_of(const char *text, const char *path, const char *at, const char *sets);
stance stance_example(const char *name, const char *at, const char *sets);  // of examples/bodies
void stance_leave(stance *s);

double stance_acceleration(const stance *s, const char *name);
// The closed unilateral contacts whose names begin so; of `force` the sum of their normal forces.
int stance_closed(const stance *s, const char *begin, double *force);
void stance_range(const stance *s, const char *name, double low, double high);  // fail the test
void stance_answers(const stance *s, dls_question question, dls_answer answer);
bool stance_still(const stance *s);  // without acceleration

#endif
