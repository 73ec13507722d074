// The problem of one contact of any law, solved exactly.
#ifndef DLS_SOLVE_ONE_LAW_H
#define DLS_SOLVE_ONE_LAW_H

#include "contact/law.h"

// As dls_one_contact_near, of any law. Where several forces solve it, the one that presses from the
// side of the old one, of those that slide in a known direction.
bool dls_one_law_near(int d, const dls_one_law *law, const double *W, const double *q, double near,
                      double *r);

#endif
