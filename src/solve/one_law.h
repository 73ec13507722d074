// The problem of one contact of any law, solved exactly.
#ifndef DLS_SOLVE_ONE_LAW_H
#define DLS_SOLVE_ONE_LAW_H

#include "contact/law.h"

// As dls_one_contact_near, of any law. Where several forces of a bilateral contact solve it, one
// that presses against q_N.
bool dls_one_law_near(int d, const dls_one_law *law, const double *W, const double *q, double near,
                      double *r);

#endif
