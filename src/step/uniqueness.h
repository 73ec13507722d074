// Is the motion determined where modes have just been found?
#ifndef DLS_STEP_UNIQUENESS_H
#define DLS_STEP_UNIQUENESS_H

#include "step/modes.h"

// Work for the search: as many numbers as a dls_modes has, and width, 2 m.
typedef struct dls_alternatives {
  dls_modes modes;
  double *z, *margin;
} dls_alternatives;

// Contacts that are closed, with all modes that their laws allow: does another motion than that of
// `found` with the accelerations z fulfil all laws, with room to spare? Few contacts only, and in
// space without directions that are not known: false else. candidate: m, what the contacts were
// before modes were sought. *contact: one whose mode differs; kind: what it does there.  eq (cap.8)
// The point stands at the state, before and after.
bool dls_uniqueness_other(dls_smooth *s, const dls_modes *found, const unsigned char *candidate,
                          const double *z, dls_alternatives *work, int *contact,
                          dls_contact_status *kind);

#endif
