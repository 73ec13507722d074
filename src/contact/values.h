// Numbers that come from outside: nothing but finite ones goes on.
#ifndef DLS_CONTACT_VALUES_H
#define DLS_CONTACT_VALUES_H

#include <delassus/contact.h>

// The options, or the defaults for NULL, checked: both tolerances are positive.
dls_status dls_contact_options_take(const dls_contact_options *given, dls_contact_options *out,
                                    dls_message *message);
// DLS_ERR_NUMBER, with a message that names it, when a number is not finite.
dls_status dls_state_check(const dls_system *system, const dls_state *state, dls_message *message);
// The same; friction and restitution must not be negative either.
dls_status dls_values_check(const dls_system *system, const dls_values *values,
                            dls_message *message);
// The energies at the state; nothing to check in a system that has none. The equations hold their
// derivatives only, which may be finite where the energy has no value: log(x - 1) at x = 0.
dls_status dls_energy_check(const dls_system *system, const dls_state *state, dls_message *message);

#endif
