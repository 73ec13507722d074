// Does a report belong to the model?
#ifndef DLS_VERIFY_DIFFERENCE_H
#define DLS_VERIFY_DIFFERENCE_H

#include "verify/trial.h"

// A text of the trial.
const char *dls_difference(dls_trial *x, const char *format, ...) DLS_PRINTF(2, 3);
// What differs: coordinates, parameters, the number of contacts (of bodies it is not known yet);
// what stands of the contacts. NULL: nothing.
const char *dls_names_difference(dls_trial *x, bool of_bodies);
const char *dls_contacts_difference(dls_trial *x, const dls_seen_state *state);

#endif
