// Constraints that others imply: they say nothing of the motion, and are left out of the step.
//                                                                                    eq (int.7)
//
// Where constraints are redundant their gradients depend on each other on the constraints, but not
// beside them, where the points of a step lie: of the order of the step squared they look
// independent, and would stop the motion. So would a gradient that is next to nothing but the
// rounding of the coordinates. What depends on what is seen at the begin of the step, where the
// constraints hold.
//
// Schemes with events leave out closed unilateral contacts as well: those that are kept press.
#ifndef DLS_STEP_SPARE_H
#define DLS_STEP_SPARE_H

#include "step/scheme.h"

// The point stands at the state, and has been given a projector. Leaves g->spare NULL where no
// constraints can be redundant, but by gradients that never change.
dls_status dls_spare_create(dls_integrator *g, dls_message *message);

// Marks the constraints to be left out from here on in the point. False: a number is not finite.
bool dls_spare_choose(dls_integrator *g, dls_message *message);

// The same where modes have changed inside a step: kind, m, says which contacts are closed, and the
// point stands at `at`, before and after.
bool dls_spare_again(dls_integrator *g, const unsigned char *kind, const dls_state *at,
                     dls_message *message);

// Unilateral contacts are all back. Was one of them left out?
bool dls_spare_restore(dls_integrator *g);

// Was nothing left out in the step? If something was, all constraints are back, and the memory and
// the next step as they were before dls_spare_choose: they may be needed after all.
bool dls_spare_none(dls_integrator *g);

#endif
