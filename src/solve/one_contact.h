// The problem of one contact, solved exactly.
#ifndef DLS_SOLVE_ONE_CONTACT_H
#define DLS_SOLVE_ONE_CONTACT_H

#include <stdbool.h>

// r with u = W r + q by Coulomb's law, eq (inc.3). W: d x d, column-major, with positive definite
// symmetric part. r: the old one in (a hint), the solution out. False when W_NN <= 0, q is not
// finite or no finite r is found; r is then unchanged.
bool dls_one_contact(int d, double mu, const double *W, const double *q, double *r);

// The same with an error of sliding around near^2, relative: for sweeps, which come back.
bool dls_one_contact_near(int d, double mu, const double *W, const double *q, double near,
                          double *r);

// r_T with u_T = S r_T + b, |r_T| <= bound, and slip only against a force of this size. S: square
// of the d - 1 slips, as W. eq (one.2)
bool dls_one_disc(int d, double bound, const double *S, const double *b, double near, double *r_T);

#endif
