// The inside of a set of contacts that come and go.
#ifndef DLS_STEP_CONTACT_SET_INTERNAL_H
#define DLS_STEP_CONTACT_SET_INTERNAL_H

#include "step/contact_set.h"

// Identities, increasing.
typedef struct dls_identities {
  uint64_t *id;
  ptrdiff_t room;
  int count;
} dls_identities;

struct dls_contact_set {
  dls_kept kept;
  dls_arena *arena;       // of what is kept
  ptrdiff_t room;         // numbers that it has room for
  dls_identities near;    // that were found at the begin of the step
  dls_identities missed;  // that the last try did not have and penetrated
  dls_identities wanted;  // the next set
  dls_identities seen;    // at the point that was looked at last
  bool marks;             // near is known
};

#endif
