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
#ifndef DLS_STEP_BALANCE_H
#define DLS_STEP_BALANCE_H

#include "step/snapshot.h"

enum { DLS_BALANCE_COLUMNS = 4 };

typedef struct dls_balance dls_balance;

// hold: m, the contacts whose normals are rows. The point must outlive it.
dls_status dls_balance_create(const dls_snapshot *point, const bool *hold, dls_balance **out);
void dls_balance_free(dls_balance *b);  // NULL is fine

int dls_balance_size(const dls_balance *b);                       // n + held constraints
const int *dls_balance_held(const dls_balance *b, int *count);    // contacts, in the order of rows
int dls_balance_component(const dls_balance *b, int row);         // which one the row belongs to
double dls_balance_stiffness(const dls_balance *b, int contact);  // rho of eq (int.6), or 0

// From the numbers of the point. on: m, or NULL; held constraints that are switched off have p = 0.
// False when the matrix is singular. Allocates only when new pivots must be sought.
bool dls_balance_factor(dls_balance *b, double alpha, double beta, double gamma, const bool *on);

// Does the matrix contain derivatives?
bool dls_balance_differentiated(const dls_balance *b);

// Are there constraints, for which the factors alone are not exact?
bool dls_balance_constrained(const dls_balance *b);

// x: size, in place. Rows of a constraint that is off should be 0.
void dls_balance_solve(dls_balance *b, double *x);

// The same by the factors alone: for iterations that look at the residual themselves.
void dls_balance_solve_once(dls_balance *b, double *x);
void dls_balance_solve_both(dls_balance *b, double *x, double *y);  // two right-hand sides

// The same for one component: x is zero elsewhere, and stays so.
void dls_balance_solve_component(dls_balance *b, int component, double *x);
// Up to DLS_BALANCE_COLUMNS right-hand sides at once.
void dls_balance_solve_columns(dls_balance *b, int component, int count, double *const *x);
void dls_balance_clear_component(const dls_balance *b, int component, double *x);

#endif
