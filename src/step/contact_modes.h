// Which contacts are open, stick or slide, and how long they may go on so.
#ifndef DLS_STEP_CONTACT_MODES_H
#define DLS_STEP_CONTACT_MODES_H

#include "step/moreau.h"
#include "step/smooth.h"

// Two margins per contact where the point stands, with accelerations and forces z: negative where
// the mode cannot go on.                                                             eq (cap.1)
//   2 j:     open: the gap;  closed: lambda (at bilateral contacts side lambda while they slide)
//   2 j + 1: sticking: mu |lambda| - |tau|;  sliding: the slip velocity along xi
// Forces are measured by those that are there: G^T diag(M)^-1 F / W and the force itself. Where
// nothing can end the mode the margin is 1.
void dls_modes_margins(const dls_smooth *s, const dls_contact_modes *modes, const double *z,
                       double *margin);

// The size of the normal force that the applied forces alone ask for.
double dls_modes_normal_scale(const dls_smooth *s, int j);

// Decides among contacts that are closed and at rest. In: sliding contacts with their xi, sticking
// ones for those without slip, and the open ones. Out: what Coulomb's law at the level of
// accelerations makes of them where the point stands, and z.                         eq (cap.2)
// candidate: m, work. DLS_FAILURE_CONTACT when no modes were found whose signs all agree.
dls_failure dls_modes_find(dls_moreau *moreau, dls_smooth *s, dls_contact_modes *modes,
                           unsigned char *candidate, double *margin, double *z);

// The same from modes that are nearly right: candidate tells which contacts are at rest.
dls_failure dls_modes_settle(dls_moreau *moreau, dls_smooth *s, dls_contact_modes *modes,
                             const unsigned char *candidate, double *margin, double *z);

// Forces need not be unique: bodies on several feet. Are those at hand such, and one of them
// against its law although the modes may be right? Then this looks for forces that are not, sets
// `start` of dls_smooth to them, and returns whether there are any.
bool dls_modes_forced(const dls_smooth *s, const dls_contact_modes *modes, const double *margin);
bool dls_modes_distribute(dls_moreau *moreau, dls_smooth *s, const dls_contact_modes *modes);

// Does contact j slide, by its force, and neither move nor begin to, where the point stands?
bool dls_modes_at_rest(const dls_smooth *s, const dls_contact_modes *modes, int j, const double *z,
                       double rest);

#endif
