// A model of examples/ at a state, checked through the public library, for tests.
#ifndef TEST_EXAMPLE_H
#define TEST_EXAMPLE_H

#include <delassus/delassus.h>

typedef struct example {
  char *text;
  char what[400];  // model, state and parameters, for messages
  dls_model *model;
  dls_system *system;
  dls_contact_state *contacts;
  dls_check *check;
} example;

// Opens examples/MODEL.dls, overrides parameters ("mu=0.3, g=1" after printf), checks it at a state
// of the model (NULL: the initial values) with everything asked, about the model's first object.
// Fails the test when any of this does not work. Close what you opened.
__attribute__((format(printf, 3, 4))) example example_open(const char *model, const char *at,
                                                           const char *sets, ...);
void example_close(example *e);

// Numbers of solution k, by name. slip: 0, or 1 for the second direction in space.
double example_acceleration(const example *e, int k, const char *coordinate);
double example_normal(const example *e, int k, const char *contact);
double example_tangential(const example *e, int k, const char *contact, int slip);
int example_mode(const example *e, int k, const char *contact);
// The interval of a force: side -1 or +1.
double example_normal_end(const example *e, int k, const char *contact, int side);
double example_tangential_end(const example *e, int k, const char *contact, int side);

// These fail the test, and say of which example.
void example_count(const example *e, int count);
void example_answer(const example *e, dls_question question, dls_answer answer);
void example_limit(const example *e, dls_limit_name limit, double value);                // to 1e-9
void example_number(const example *e, const char *name, double found, double expected);  // to 1e-9

#endif
