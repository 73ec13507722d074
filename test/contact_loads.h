// The velocity that is wrong at a contact beside those that are natural to it: what loads the
// contact, with its equations held, or reaches it from other contacts, theory (inc.12) and
// (inc.13). Dense, in long double, by elimination and plain loops; it shares no line with the
// library.
#ifndef TEST_CONTACT_LOADS_H
#define TEST_CONTACT_LOADS_H

#include <delassus/incremental.h>

// The worst of all contacts; what the rounding of forces makes of a velocity does not count. v:
// NULL in local form. At most 64 rows and 64 coordinates; M regular.
double contact_loads_error(const dls_incremental *problem, const double *r, const double *v);

#endif
