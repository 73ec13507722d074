// The matrix of Newton's method for the stages of a Runge-Kutta step, and of the accelerations and
// forces at a single point (one block, no derivatives).
//
// Unknowns of a block: a (n), lambda (m), tau (tangents). Its rows:                     eq (rkm.5)
//
//   R = M a + F - G lambda - H tau
//   closed contact  N = G^T a + b_n                   open   W_n lambda
//   sticking        T = H^T a + b_t                   open   W_t tau
//   sliding         W_t (tau + (mu side lambda + bound) xi)
//
// W_n = diag(G^T diag(M)^-1 G), likewise W_t, gives all rows of a contact one unit. Rows and
// columns are scaled by powers of two, around sqrt(first mass / mass) for accelerations and
// likewise for contacts: units do not decide what is singular, nor a bit of the solution. Redundant
// constraints get a small diagonal; what that does to the solution is removed by residuals without
// it.
//
// The matrix has rows for all contacts where few are declared, or a good part of them is closed;
// elsewhere for the closed ones, and it is made anew when these change.
#ifndef DLS_STEP_STAGE_MATRIX_H
#define DLS_STEP_STAGE_MATRIX_H

#include "step/snapshot.h"

// What the contacts do during a smooth piece.
typedef struct dls_contact_modes {
  unsigned char *kind;  // m: dls_contact_status; sliding and sticking ones are closed
  double *side;         // m: sign of lambda at bilateral contacts that slide, else 1
  double *xi;           // tangents: direction of sliding at the begin of the piece, of unit length
  bool *straight;       // m: sliding in space goes on along xi, or back; else the direction turns
} dls_contact_modes;

// Closed, and with an equation of its own: others may imply that it is, and friction alone has no
// normal.
static inline bool dls_mode_holds(const dls_snapshot *point, const dls_contact_modes *modes, int j)
{
  return (modes->kind[j] == DLS_SLIDING || modes->kind[j] == DLS_STICKING) && !point->spare[j] &&
         !point->system->contacts[j].dry;
}

static inline bool dls_mode_closed(const dls_contact_modes *modes, int j)
{
  return modes->kind[j] == DLS_SLIDING || modes->kind[j] == DLS_STICKING;
}

typedef struct dls_stage_matrix dls_stage_matrix;

// derivatives: the blocks depend on one another and on q, v through them.
dls_status dls_stage_matrix_create(dls_snapshot *point, int blocks, bool derivatives,
                                   dls_stage_matrix **out);
void dls_stage_matrix_free(dls_stage_matrix *w);  // NULL is fine

// W and D at the point; then fill block row after block row, with the same modes, then factor.
void dls_stage_matrix_begin(dls_stage_matrix *w);
const double *dls_stage_matrix_scale(const dls_stage_matrix *w);     // D of a block
double dls_stage_matrix_mass(const dls_stage_matrix *w);             // M is about mass / D^2
const double *dls_stage_matrix_mobility(const dls_stage_matrix *w);  // n: 1 / M_ii
// W_n, then W_t.
const double *dls_stage_matrix_delassus(const dls_stage_matrix *w);

// Block row `row` at the point, where values (and derivatives) are; by_v[j], by_q[j]: dV/da_j and
// dQ/da_j. With friction false sliding contacts have no force: for projections. xi: slips, the
// direction of sliding at the point, and turn: 2 tangents, (side mu lambda + bound) d xi / d s row
// by row (NULL: 0).
void dls_stage_matrix_fill(dls_stage_matrix *w, int row, const dls_contact_modes *modes,
                           bool friction, const double *xi, const double *turn, const double *by_v,
                           const double *by_q);

// False when it is singular, or, with the trouble noted at the point, without memory. Allocates
// only when new pivots must be sought; filling does when contacts close or open, see above.
bool dls_stage_matrix_factor(dls_stage_matrix *w);
// Of the determinant of the last factors; 0 where constraints are redundant, or nearly so. Without
// friction it is not negative, where M is semidefinite.
int dls_stage_matrix_sign(const dls_stage_matrix *w);
double dls_stage_matrix_pivots(const dls_stage_matrix *w);    // the smallest over the largest
void dls_stage_matrix_solve(dls_stage_matrix *w, double *x);  // blocks * width, in place

#endif
