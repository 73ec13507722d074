// One Runge-Kutta step of the index-1 system while no contact changes its mode.      eq (rkm.3)
//
//   V_i = v + h sum_j A_ij a_j,   Q_i = q + h c_i v + h^2 sum_j (A A)_ij a_j,
//   (a_i, lambda_i, tau_i) the accelerations and forces at (t + c_i h, Q_i, V_i):
//   M a + F = G lambda + H tau,  G^T a + b_n = 0 where closed,  H^T a + b_t = 0 where sticking,
//   tau = -(mu |lambda| + bound) s / |s| where sliding                               eq (rkm.4)
//
// Half-explicit methods solve (rkm.4) stage after stage; implicit ones all stages together, by
// Newton's method with exact derivatives.
#ifndef DLS_STEP_SMOOTH_H
#define DLS_STEP_SMOOTH_H

#include "step/runge_kutta.h"
#include "step/stage_matrix.h"

typedef struct dls_smooth {
  dls_snapshot *point;
  dls_tableau tableau;
  double AA[DLS_RK_STAGES][DLS_RK_STAGES], bA[DLS_RK_STAGES];
  double basis[DLS_RK_STAGES][DLS_RK_STAGES];  // implicit: the polynomial that is 1 at node i
  int n, m, tangents, width;                   // width: n + m + tangents
  bool beyond;    // a slip velocity in space turned by more than a right angle
  double rest;    // slip velocities up to this have no direction of their own; at first 0
  double enough;  // change of Newton's iteration, relative to a or v / h; at first stage_solved
  dls_stage_matrix *single, *coupled;  // coupled: NULL for half-explicit methods
  double *memory;
  double *z;                  // stages x width: a, lambda, tau
  double *Q, *V;              // stages x n
  double *gap;                // stages x m
  double *slip;               // stages x tangents
  double *error_q, *error_v;  // n: the error estimate of the last step
  double *r;                  // stages x width
  double *xi, *turn;          // tangents, 2 tangents
  double *start;  // m + tangents: forces that are not unique are the nearest ones to these
} dls_smooth;

// DLS_ERR_ARGUMENT when an implicit method meets a system without derivatives. The point must
// outlive it.
dls_status dls_smooth_create(dls_snapshot *point, const dls_tableau *tableau, dls_smooth **out,
                             dls_message *message);
void dls_smooth_free(dls_smooth *s);  // NULL is fine

void dls_smooth_start_anew(dls_smooth *s);  // start: zero

// Accelerations and forces where the point stands: z, width. False when the equations are singular.
bool dls_smooth_forces(dls_smooth *s, const dls_contact_modes *modes, double *z);

// The nearest velocities, in the kinetic metric, with h' = 0 at closed and no slip at sticking
// contacts, to the rounding of h' or to `enough`. The point stands at (t, q, v) before and after.
dls_failure dls_smooth_project_velocities(dls_smooth *s, const dls_contact_modes *modes,
                                          double enough, double t, const double *q, double *v,
                                          dls_message *message);

// From (t, q0, v0) with the accelerations and forces z0 there to t + h. The point stands somewhere
// in between afterwards. estimate: the error estimate is wanted. Allocates nothing, but for new
// pivots of large systems.
dls_failure dls_smooth_step(dls_smooth *s, const dls_contact_modes *modes, bool estimate, double t,
                            double h, const double *q0, const double *v0, const double *z0,
                            double *q1, double *v1, dls_message *message);

// Dense output of the last step, of length h, at its part x: the collocation polynomial of implicit
// methods, else Hermite's through both ends, with the accelerations a0, a1.          eq (rkm.6)
void dls_smooth_inside(const dls_smooth *s, double x, double h, const double *q0, const double *v0,
                       const double *a0, const double *q1, const double *v1, const double *a1,
                       double *q, double *v);

// The sign of the determinant of eq (rkm.5) at the point of the last dls_smooth_forces: +1 while
// forces follow from the motion as they do without friction.                         eq (cap.6)
int dls_smooth_sign(const dls_smooth *s);

// The mean normal force of contact j in the last step; *most: the largest one of a stage.
double dls_smooth_mean_force(const dls_smooth *s, int j, double *most);

// The work of friction at contact j in the last step, of length h, and the sum of the absolute
// values of its terms: stages with slip velocities above rest.
double dls_smooth_friction_work(const dls_smooth *s, int j, double h, double rest, double *size);

// Adds the impulses of the last step, of length h, in the layout of dls_sample.
void dls_smooth_add_impulse(const dls_smooth *s, double h, double *impulse);

#endif
