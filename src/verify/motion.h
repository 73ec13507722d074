// The motion that a report gives to an impact: its percussions, velocities and energies.
#ifndef DLS_VERIFY_MOTION_H
#define DLS_VERIFY_MOTION_H

#include "verify/checks.h"

// Momentum, the law of each contact, its mode, velocities before and after, energies.
bool dls_check_motion(const dls_before *before, dls_trial *x, dls_finding *f, const json_t *object,
                      dls_trial_point *point);
// The numbers of it, as the report has them; and all of the above but the laws and the modes.
bool dls_read_motion(dls_trial *x, dls_finding *f, const json_t *object, dls_trial_point *point);
bool dls_check_velocities(const dls_before *before, dls_trial *x, dls_finding *f,
                          const dls_trial_point *point, const json_t *object);
// velocities_after and kinetic_energy alone.
bool dls_check_after(dls_trial *x, dls_finding *f, const dls_trial_point *point,
                     const json_t *object);
bool dls_check_energies(const dls_before *before, dls_trial *x, dls_finding *f,
                        const dls_trial_point *point, const json_t *object);
// Without a motion: the kinetic energy before, and nothing else.
bool dls_check_no_motion(dls_trial *x, dls_finding *f, const json_t *object);

#endif
