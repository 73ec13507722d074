// Parts of the question about a time step, see step_solvable.c and step_signs.c.
#ifndef DLS_CERTIFY_STEP_INTERNAL_H
#define DLS_CERTIFY_STEP_INTERNAL_H

#include "certify/polyhedra.h"

// What velocities must do at a contact.
typedef enum dls_step_law {
  DLS_STEP_KEEP,  // u_n = 0
  DLS_STEP_REST,  // u = 0
  DLS_STEP_CONE,  // sign u_n >= mu |u_t|, mu 0 without friction
} dls_step_law;

typedef struct dls_step {
  dls_context *x;
  dls_polyhedra *c;
  double *w_n, *w_t;   // scaled, largest about 1
  double size;         // of w as it was
  bool smooth;         // friction is left out
  bool inside_space;   // slack is asked for at contacts in space alone
  unsigned char *law;  // m
  double *sign;        // m: 1, or -1 for bilateral contacts with friction that are taken to pull
  double *v;           // n, scaled
  double *lambda, *tau;
} dls_step;

// Has friction that is not left out.
bool dls_step_rubs(const dls_step *step, int contact);
// The same in space: its cone is round.
bool dls_step_round(const dls_step *step, int contact);

// max t <= 1 with slack t in every dual cone. with_w: velocities as imposed, else for w = 0 within
// |v_i| <= 1. Puts v, and the impulses of the dual. *slack -INFINITY: equations
// contradict each other; NaN: not found.
dls_status dls_step_slack(dls_step *step, bool with_w, double *slack);

// How far v is from the laws; negative when strictly inside the cones whose slack is asked for.
double dls_step_outside(const dls_step *step, bool with_w);

// v fulfils the laws with w, but for rounding of the terms of each contact.
bool dls_step_inside(const dls_step *step);

// Planar contacts: v that does, found without rounding but for that of its numbers; where there is
// none, impulses that show so.
dls_status dls_step_planar(dls_step *step, bool *found);

// A verdict by the impulses of the dual, or by those of planar contacts, if they show that no
// velocity fulfils the laws.
dls_status dls_step_refuse(dls_step *step, bool *no);

// v in the user's units, as the witness has it; NULL: no memory.
double *dls_step_velocity(const dls_step *step);

// Bilateral contacts with friction.                                          eq (stp.2), (stp.3)
dls_status dls_step_decide_signs(dls_step *step);

#endif
