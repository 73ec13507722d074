// The balance of momentum of a step, with constraints that hold:
//
//   [ A   -G ] [ x ]   [ b ]      A = M + alpha dR/dv + beta dR/dq                  eq (int.1)
//   [ B    0 ] [ p ] = [ c ]      B = G^T + gamma dh'/dq
//
// G: the gradients of the contacts that are held. Derivatives that only the forces of contacts with
// a law give are left out: they would tie bodies together that touch, and Newton's iteration does
// without them. The matrix falls apart into the connected
// components of its pattern: single bodies in a pile, the whole of a chain. Small components are
// factored densely, large ones by KLU.
//
// Bilateral contacts with friction have laws, and no rows here. Where coordinates without mass hang
// on their normals A is singular; but G^T x + w = 0 holds for them all the same, and so
//
//   A + G rho G^T,   b - G rho w                                                       eq (int.6)
//
// have the same solution for any rho > 0: it is of the size of the masses that the contact moves.
//
// Redundant constraints make it singular. Then the zero block is replaced by a small diagonal, and
// the solution is refined until it fulfils the equations as they stand.
#ifndef DLS_STEP_STEP_KKT_H
#define DLS_STEP_STEP_KKT_H

#include "step/snapshot.h"

enum { DLS_STEP_KKT_COLUMNS = 4 };

typedef struct dls_step_kkt dls_step_kkt;

// hold: m, the contacts whose normals are rows. The point must outlive it.
dls_status dls_step_kkt_create(const dls_snapshot *point, const bool *projector,
                               dls_step_kkt **out);
void dls_step_kkt_free(dls_step_kkt *b);  // NULL is fine

int dls_step_kkt_size(const dls_step_kkt *b);                     // n + held constraints
const int *dls_step_kkt_held(const dls_step_kkt *b, int *count);  // contacts, in the order of rows
int dls_step_kkt_component(const dls_step_kkt *b, int row);       // which one the row belongs to
double dls_step_kkt_stiffness(const dls_step_kkt *b, int contact);  // rho of eq (int.6), or 0

// From the numbers of the point. on: m, or NULL; held constraints that are switched off have p = 0.
// False when the matrix is singular. Allocates only when new pivots must be sought.
bool dls_step_kkt_factor(dls_step_kkt *b, double alpha, double beta, double gamma, const bool *on);

// Does the matrix contain derivatives?
bool dls_step_kkt_differentiated(const dls_step_kkt *b);

// Are there constraints, for which the factors alone are not exact?
bool dls_step_kkt_constrained(const dls_step_kkt *b);

// x: size, in place. Rows of a constraint that is off should be 0.
void dls_step_kkt_solve(dls_step_kkt *b, double *x);

// The same by the factors alone: for iterations that look at the residual themselves.
void dls_step_kkt_solve_once(dls_step_kkt *b, double *x);
void dls_step_kkt_solve_both(dls_step_kkt *b, double *x, double *y);  // two right-hand sides

// The same for one component: x is zero elsewhere, and stays so.
void dls_step_kkt_solve_component(dls_step_kkt *b, int component, double *x);
// Up to DLS_STEP_KKT_COLUMNS right-hand sides at once.
void dls_step_kkt_solve_columns(dls_step_kkt *b, int component, int count, double *const *x);
void dls_step_kkt_clear_component(const dls_step_kkt *b, int component, double *x);

#endif
