// A mechanism with one joint on a body at most: between several of them there are bodies without
// mass. In maximal coordinates each body with a joint is free.
#ifndef DLS_VERIFY_SEEN_EXPAND_H
#define DLS_VERIFY_SEEN_EXPAND_H

#include "base/memory.h"

#include <delassus/mechanism.h>

// The same joints, closures, solids and so on, of more bodies; arrays are the arena's, or those
// given. solid_body: the body of each solid in the mechanism given. False: no memory.
bool dls_seen_expand(const dls_mechanism *given, dls_arena *arena, dls_mechanism *out);

#endif
