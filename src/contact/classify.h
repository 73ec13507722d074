// Which contacts take part at a state, and whether it is one: here for all who ask.     eq (sta.1)
#ifndef DLS_CONTACT_CLASSIFY_H
#define DLS_CONTACT_CLASSIFY_H

#include <delassus/contact.h>

// The status of contact j, whose slip velocities begin at `slip`, from the numbers x of the system
// and their bounds. Gap and gap velocity count as zero up to the tolerance plus their rounding
// error, slips up to `rest`. DLS_ERR_STATE, with a message that names the contact, where a
// bilateral constraint is violated or a unilateral one penetrated.
dls_status dls_contact_classify(const dls_contact_info *info, const dls_values *x,
                                const dls_values *bound, int j, int slip,
                                const dls_contact_options *zero, dls_contact_status *status,
                                dls_message *message);

#endif
