// States in local coordinates, and back; systems without a chart have nothing else.   eq (cha.1)
#ifndef DLS_CONTACT_CHART_H
#define DLS_CONTACT_CHART_H

#include <delassus/system.h>

// Moves the centre to the state's configuration, and enters there. x, x_dot: n.
dls_status dls_chart_begin(const dls_system *system, const dls_state *state, double *x,
                           double *x_dot, dls_message *message);

// The configuration (nq) and velocities (n) that belong to local coordinates.
void dls_chart_leave(const dls_system *system, const double *x, const double *x_dot, double *q,
                     double *v);

// Where contacts come and go: those that are near the state, given in local coordinates.
dls_status dls_system_select_near(const dls_system *system, const dls_state *x, double reach,
                                  dls_message *message);

#endif
