// A mechanism as a system of the checker's own, with the contacts that a report names: evaluated in
// intervals, with the errors that rounding of its data makes.                          eq (enc.2)
//
// Its coordinates are the local ones around the configuration of the report.
#ifndef DLS_VERIFY_SEEN_SYSTEM_H
#define DLS_VERIFY_SEEN_SYSTEM_H

#include <delassus/mechanism.h>
#include <stdbool.h>

// A contact as the report names it, and what it may say of it.
typedef struct dls_seen_wanted {
  const char *name;
  bool directed, placed, framed;
  double normal[3], point[3], tangent[2][3];
  const char *body[2], *feature[2];  // NULL: not said
} dls_seen_wanted;

typedef struct dls_seen_source {
  const dls_mechanism *mechanism;
  int nq, n;
  double t;
  const double *q, *v;            // nq, n: finite
  const char *const *velocities;  // n names
  int m;
  const dls_seen_wanted *contact;
  // What the text of the model adds to the bodies is the difference of the two; NULL, both:
  // nothing.
  const dls_system *whole, *bodies;
} dls_seen_source;

typedef struct dls_seen_system dls_seen_system;

// Everything is copied but the mechanism, the contacts, names and q. DLS_ERR_STATE, with a message,
// when the numbers of coordinates or names of contacts are not those of the mechanism. NULL is fine
// to free.
dls_status dls_seen_system_create(const dls_seen_source *source, dls_seen_system **out,
                                  dls_message *message);
void dls_seen_system_free(dls_seen_system *system);
// Gives back what is GMP's: before the guard that it was made in is left. NULL is fine.
void dls_seen_system_clear(dls_seen_system *system);

const dls_system *dls_seen_system_view(const dls_seen_system *system);

// Contacts that the report should name, those within the tolerance of gaps: DLS_ERR_STATE, with a
// message. What could not be told is noted in *untold, a text of its own, or it is empty.
dls_status dls_seen_system_complete(dls_seen_system *system, double tolerance, dls_message *untold,
                                    dls_message *message);

#endif
