// Is the motion determined where modes have just been found?
#ifndef DLS_STEP_UNIQUENESS_H
#define DLS_STEP_UNIQUENESS_H

#include "step/contact_modes.h"

// Work for the search: as many numbers as a dls_contact_modes has, and width, 2 m.
typedef struct dls_alternatives {
  dls_contact_modes modes;
  double *z, *margin;
} dls_alternatives;

// Contacts that are closed, with all modes that their laws allow: does another motion than that of
// `found` with the accelerations z fulfil all laws, with room to spare? Few contacts only, and in
// space without directions that are not known: false else. candidate: m, what the contacts were
// before modes were sought. *contact: one whose mode differs; kind: what it does there.  eq (cap.8)
// The point stands at the state, before and after.
bool dls_uniqueness_other(dls_smooth *s, const dls_contact_modes *found,
                          const unsigned char *candidate, const double *z, dls_alternatives *work,
                          int *contact, dls_contact_status *kind);

// Is the matrix of eq (rkm.5) singular where the point stands, and not without friction? The
// factors of the last dls_smooth_forces, of the same modes, are lost.
bool dls_uniqueness_spent(dls_smooth *s, const dls_contact_modes *modes);

// A step, or a critical interval, at whose end the point stands.
typedef struct dls_jump {
  const dls_snapshot *point;
  const double *mobility;     // n: 1 / M_ii, or 0
  const double *v0, *v1;      // n
  const double *impulse;      // of each contact, slips behind the normal
  const double *rate, *slip;  // m, tangents: at the begin
  double force;               // there, by dls_uniqueness_force
  double h, rest;
} dls_jump;

// The kinetic size of what the forces where the point stands do to velocities per time, by diag(M).
double dls_uniqueness_force(const dls_snapshot *p, const double *mobility);

// The contact that slides and jumps though nothing collides, or -1.                 eq (cap.12)
int dls_uniqueness_jump(const dls_jump *w);

#endif
