// An integrator on a model given as text, for tests; it fails the test when something does not run.
#ifndef TEST_RIDE_H
#define TEST_RIDE_H

#include <delassus/delassus.h>
#include <delassus/integrator.h>

enum { RIDE_EVENTS = 400 };

typedef struct fixture {
  dls_model *model;
  dls_system *system;
  dls_integrator *integrator;
  int events;  // told so far; the first ones are kept
  dls_event_kind kind[RIDE_EVENTS];
  int contact[RIDE_EVENTS];
  double time[RIDE_EVENTS];
} fixture;

// rtol = atol: 0 for fixed steps.
fixture *fixture_open(const char *text, const char *scheme, double step, double rtol);
// Fixed steps, and where the motion ceases to be determined it goes on.
fixture *fixture_open_lost(const char *text, const char *scheme, double step);
void fixture_close(fixture *r);

void fixture_to(fixture *r, double t);  // fails the test where the integrator fails
dls_failure fixture_until_failure(fixture *r, double t);  // or DLS_FAILURE_NONE at t
double fixture_q(const fixture *r, int i);
double fixture_v(const fixture *r, int i);
double fixture_energy(const fixture *r);
int fixture_count(const fixture *r, dls_event_kind kind);    // events of the kind
double fixture_time(const fixture *r, dls_event_kind kind);  // of the first one

// The text of a model: point masses on rods, straight out at the start, that swing against a floor.
// It needs some 200 characters for each.
void fixture_chain(int links, char *text, size_t size);

#endif
