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
  double weight[DLS_RK_STAGES];  // of the stages in the impulse of the last step, or of its part
  int extra;                     // stages for dense output that the last step has
  double basis[DLS_RK_STAGES][DLS_RK_STAGES];  // implicit: the polynomial that is 1 at node i
  int n, m, tangents, width;                   // width: n + m + tangents
  bool beyond;    // a slip velocity in space turned by more than a right angle
  double rest;    // slip velocities up to this have no direction of their own; at first 0
  double enough;  // change of Newton's iteration, relative to a or v / h; at first stage_solved
  dls_stage_matrix *single, *coupled;  // coupled: NULL for half-explicit methods
  bool diagonal;                       // M has a diagonal and nothing else
  bool direct;                         // the last accelerations came without a matrix
  bool used[DLS_RK_STAGES];            // the stage is needed for the end of a step
  // Half-explicit: called where the point stands at a stage whose accelerations and forces are
  // known; may be NULL.
  void (*look)(void *self, int stage);
  void *self;
  double *memory;
  double *z;                  // stages x width: a, lambda, tau
  double *Q, *V;              // stages x n
  double *slip;               // stages x tangents
  double *error_q, *error_v;  // n: the error estimate of the last step
  double *low_q, *low_v;      // n: the one of lower order, where there are two
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

// The same, and at once where nothing is closed and M is diagonal: there are no factors then.
bool dls_smooth_accelerations(dls_smooth *s, const dls_contact_modes *modes, double *z);

// The nearest velocities, in the kinetic metric, with h' = 0 at closed and no slip at sticking
// contacts, to the rounding of h' or to `enough`. The point stands at (t, q, v) before and after.
dls_failure dls_smooth_project_velocities(dls_smooth *s, const dls_contact_modes *modes,
                                          double enough, double t, const double *q, double *v,
                                          dls_message *message);

// From (t, q0, v0) with the accelerations and forces z0 there to t + h. The point stands somewhere
// in between afterwards. estimate: the error estimate is wanted. Allocates nothing, but for new
// pivots of large systems. What is at the end of half-explicit methods, and their estimate, follow
// from dls_smooth_finish.
dls_failure dls_smooth_step(dls_smooth *s, const dls_contact_modes *modes, bool estimate, double t,
                            double h, const double *q0, const double *v0, const double *z0,
                            double *q1, double *v1, dls_message *message);

// The end of the last step as it came out, with the velocities v1 and the accelerations and forces
// z1 there.
void dls_smooth_finish(dls_smooth *s, bool estimate, double h, const double *v0, const double *z0,
                       const double *v1, const double *z1);

// How far the error estimate is above what is allowed at each coordinate and each velocity, at the
// worst of them; 1 is just allowed.                                                  eq (rkm.7)
// h times the weights of the estimate, as far as every step has its stages: how wrong velocities
// are at most, roughly.
void dls_smooth_rough_error(const dls_smooth *s, double h, double *error_v);
double dls_smooth_error(const dls_smooth *s, const double *allowed_q, const double *allowed_v);

// A state inside the last step, after dls_smooth_finish; impulses are those up to there. Its order
// is one less than that of the ends; what it needs is evaluated the first time. Or, free: what the
// step has evaluated is enough.                                                      eq (rkm.8)
dls_failure dls_smooth_dense(dls_smooth *s, const dls_contact_modes *modes, bool free, double x,
                             double t, double h, const double *q0, const double *v0, double *q,
                             double *v, dls_message *message);
// The error of the free one at x, as dls_smooth_error; infinite where the method has none.
double dls_smooth_free_error(dls_smooth *s, double x, double h, const double *allowed_q,
                             const double *allowed_v);

// Dense output of the last step, of length h, at its part x: the collocation polynomial of implicit
// methods, else Hermite's through both ends, with the accelerations a0, a1.          eq (rkm.6)
void dls_smooth_inside(const dls_smooth *s, double x, double h, const double *q0, const double *v0,
                       const double *a0, const double *q1, const double *v1, const double *a1,
                       double *q, double *v);

// The sign of the determinant of eq (rkm.5) at the point of the last forces: +1 while
// forces follow from the motion as they do without friction.                         eq (cap.6)
int dls_smooth_sign(const dls_smooth *s);

// The mean normal force of contact j in the last step; *most: the largest one of a stage.
double dls_smooth_mean_force(const dls_smooth *s, int j, double *most);

// The work of friction at contact j in the last step, of length h, and the sum of the absolute
// values of its terms: stages with slip velocities above rest.
double dls_smooth_friction_work(const dls_smooth *s, int j, double h, double rest, double *size);

// Adds the impulses of the last step, of length h, or of its part, in the layout of dls_sample.
void dls_smooth_add_impulse(const dls_smooth *s, double *impulse);

#endif
