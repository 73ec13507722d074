// An object and the contacts that touch it: what the files of the closures share.  eq (clo.1) to
// (clo.3)
#ifndef DLS_CERTIFY_CLOSURE_INTERNAL_H
#define DLS_CERTIFY_CLOSURE_INTERNAL_H

#include "certify/closure.h"
#include "certify/polyhedra.h"

typedef struct dls_grasp {
  dls_context *x;
  dls_polyhedra *c;
  int k;                 // coordinates of the object
  const int *object;     // their numbers
  int m;                 // contacts that touch the object
  int *contact;          // their numbers
  bool friction;         // asked with friction
  bool rubs;             // some of them has friction
  bool signs;            // a bilateral contact has friction: its forces are no convex cone
  int *sign;             // m of all, or NULL: the sign of its force; 0: no friction, either sign
  double *d;             // n: motion
  double *lambda, *tau;  // forces, scaled
} dls_grasp;

// Entries on the object: of a gradient, with the sign of its force, and of a slip.
double dls_grasp_normal(const dls_grasp *g, int row, int contact);
double dls_grasp_slip(const dls_grasp *g, int row, int slip);
bool dls_grasp_rubs(const dls_grasp *g, int contact);
// Its force has either sign.
bool dls_grasp_held(const dls_grasp *g, int contact);
bool dls_grasp_planar(const dls_grasp *g);

// A motion d of at most 1 that no contact resists: with slack the one that all let go by most,
// *value; else the one that they let go most on the whole, or, with a load, along which it goes
// most.
dls_status dls_grasp_escape(dls_grasp *g, bool with_slack, const double *load, double *value);
// The same without slack where all cones are planar: a linear program, whose vertices are exact
// where the contacts leave no interior.
dls_status dls_grasp_edge(dls_grasp *g, const double *load, double *value);
// By how much some contact resists the motion, relative to it.
double dls_grasp_resistance(const dls_grasp *g);
void dls_grasp_clean(dls_grasp *g);  // what is rounding of d: units would magnify it

// Forces strictly inside the cones that cancel, and span all motions: *slack > 0, else it is NaN.
dls_status dls_grasp_hold(dls_grasp *g, double *slack);
dls_status dls_grasp_accept(dls_grasp *g, dls_question question, double slack);

// Force closure where bilateral contacts have friction.                            eq (clo.3)
dls_status dls_grasp_decide_signs(dls_grasp *g);

#endif
