// An integrator on a model given as text, for tests; it fails the test when something does not run.
#ifndef TEST_RIDE_H
#define TEST_RIDE_H

#include <delassus/delassus.h>
#include <delassus/integrator.h>

enum { RIDE_EVENTS = 400 };

typedef struct ride {
  dls_model *model;
  dls_system *system;
  dls_integrator *integrator;
  int events;  // told so far; the first ones are kept
  dls_event_kind kind[RIDE_EVENTS];
  int contact[RIDE_EVENTS];
  double time[RIDE_EVENTS];
} ride;

// rtol = atol: 0 for fixed steps.
ride *ride_open(const char *text, const char *scheme, double step, double rtol);
// Fixed steps, and where the motion ceases to be determined it goes on.
ride *ride_open_lost(const char *text, const char *scheme, double step);
void ride_close(ride *r);

void ride_to(ride *r, double t);                    // fails the test where the integrator fails
dls_failure ride_until_failure(ride *r, double t);  // or DLS_FAILURE_NONE at t
double ride_q(const ride *r, int i);
double ride_v(const ride *r, int i);
double ride_energy(const ride *r);
int ride_count(const ride *r, dls_event_kind kind);    // events of the kind
double ride_time(const ride *r, dls_event_kind kind);  // of the first one

// The text of a model: point masses on rods, straight out at the start, that swing against a floor.
// It needs some 200 characters for each.
void ride_chain(int links, char *text, size_t size);

#endif
