// Which solids of a mechanism touch, and with which friction, by its rules; and contacts by name.
#ifndef DLS_VERIFY_SEEN_PAIRS_H
#define DLS_VERIFY_SEEN_PAIRS_H

#include <delassus/mechanism.h>
#include <stdbool.h>

typedef struct dls_seen_rule {
  bool meet;
  double friction, restitution;
} dls_seen_rule;

// Of two different solids of the mechanism.
dls_seen_rule dls_seen_rule_of(const dls_mechanism *mechanism, int a, int b);

// The solids and the names of their features that "A.a/B.b" may mean, A and B bodies, or bodies and
// solids of theirs ("crate", "hand.palm", "world.floor"). Features point into the name: the first
// ends at a '/'. Returns how many there are, at most `most`.
typedef struct dls_seen_name {
  int solid[2];
  const char *feature[2];
} dls_seen_name;
int dls_seen_names_of(const dls_mechanism *mechanism, const char *name, int most,
                      dls_seen_name *found);

#endif
