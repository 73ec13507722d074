// The linear equations and inequalities of modes that are all told.        eq (chk.6), (chk.7)
#ifndef DLS_VERIFY_MODE_EQUATIONS_H
#define DLS_VERIFY_MODE_EQUATIONS_H

#include "verify/claim_modes.h"

// A force that acts and an acceleration that vanishes, of the same contact.
typedef struct dls_active {
  int contact, slip;  // slip: -1 for the normal
  int sign;           // of the normal force: friction is -sign mu u lambda
  double u[2];        // direction of sliding; 0 when the force is along its own column
} dls_active;

// The unknowns are the scaled accelerations, then the forces; the inequalities are row^T y + e >=
// 0.
typedef struct dls_mode_equations {
  int size;  // n + count
  int count;
  dls_active *active;
  int *at;  // m: the unknown that is the normal force of a contact; -1 when it detaches
} dls_mode_equations;

// linear: false for sliding from rest in space, where the direction is one of the unknowns. Returns
// false when memory runs out.
bool dls_equations_create(dls_trial *x, const dls_modes *mode, dls_mode_equations *e, bool *linear);

// What is determined, accelerations or forces or both, enclosed in X (size x 1). With a point,
// where there is a solution, inequalities may turn out to be equations.
void dls_equations_solve(dls_trial *x, const dls_mode_equations *q, const dls_modes *mode,
                         const dls_trial_point *point, dls_intervals X, bool *accelerations,
                         bool *forces);

// A power of two: the unknown is the scaled force over it.
double dls_force_unit(const dls_data *d, const dls_active *a);

// The mode without, and the sign of, pulling.
dls_modes dls_mode_only(dls_modes mode);
int dls_mode_sign(dls_modes mode);

// Inequalities that all solutions of these modes fulfil with equality: each is an equation more,
// row by row of `row` (count x size) and `e`. Proven in intervals, to the tolerance. point: shows
// in which direction spatial cones may be tight.
typedef struct dls_tight {
  int count;
  double *row, *e;
} dls_tight;

bool dls_find_tight(dls_trial *x, const dls_mode_equations *q, const dls_modes *mode,
                    const dls_intervals K, const dls_intervals right, const dls_trial_point *point,
                    dls_tight *tight);

#endif
