// Models made of several small ones that have nothing to do with one another, for tests of parts.
#ifndef TEST_PARTS_MAKER_H
#define TEST_PARTS_MAKER_H

#include <delassus/delassus.h>
#include <stdbool.h>

enum { PARTS_MOST = 10, PARTS_TEXT = 40000 };

typedef struct parts_text {
  int count;
  char whole[PARTS_TEXT];
  char alone[PARTS_MOST][PARTS_TEXT / 8];  // each as a model of its own
} parts_text;

// count small models, drawn. joined: the energies of all stand in one statement each; else the
// statements are shuffled, those of one model in their order. simple: without those that may take
// long.
void parts_draw(parts_text *text, int count, bool joined);
// The same small model count times; kind: 0 ... parts_kinds() - 1.
void parts_copy(parts_text *text, int kind, int count);
int parts_kinds(void);

// A run of a text with everything that is told.
typedef struct parts_event {
  dls_event_kind kind;
  char contact[16];
  double t;
  double *q, *v_before, *v_after, *impulse;
} parts_event;

typedef struct parts_run {
  dls_model *model;
  dls_system *system;
  dls_integrator *integrator;
  int events, capacity;
  parts_event *event;
} parts_run;

parts_run *parts_open(const char *text, const char *scheme, double step, double tolerance);
void parts_close(parts_run *run);
dls_failure parts_advance(parts_run *run, double until, dls_message *message);

// The numbers of the names of one system in another; -1 when they are not there.
int parts_coordinate(const dls_system *system, const char *name);
int parts_contact(const dls_system *system, const char *name);
int parts_impulse(const dls_system *system, int contact);  // where the impulses of a contact begin

#endif
