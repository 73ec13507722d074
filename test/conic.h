// Conic programs with known answers, dense, and a judge of points and certificates that shares
// nothing with the solver.
//
//   min 1/2 x^T P x + q^T x   s.t.  A x + s = b,  s in {0}^zero x R+^nonneg x Q^{d_1} x ...
#ifndef TEST_CONIC_H
#define TEST_CONIC_H

#include <stdbool.h>

enum { CONIC_CONES = 64 };

typedef struct conic {
  int n, m, zero, nonneg, cones;
  int size[CONIC_CONES];
  double *P, *A, *q, *b;  // column-major
  double *x, *s, *y;      // a solution, where one is known
} conic;

// Zeroed data for n variables and these cones.
conic conic_make(int n, int zero, int nonneg, int cones, const int *size);
// Cones of mixed sizes, n up to n_max, up to `most` rows of each linear kind and `most` cones.
conic conic_draw_shape(int n_max, int most);
void conic_free(conic *c);

// P = B B^T of the given rank, A with about the given share of nonzero entries.
void conic_draw_matrices(conic *c, int rank, double density);
// Projects v onto K; v - K's part is left in rest (rest = s - v, in K*).
void conic_project(const conic *c, double *v, double *rest);

// Draws (x, s, y) complementary and sets b and q so that it is a solution. Of the cones about a
// third has s = 0 and y inside, a third y = 0 and s inside, a third both on the boundary.
void conic_solvable(conic *c);
// The same without strict complementarity, with rows that repeat others, with no point inside:
// pairs of opposite inequalities, and equations that keep second-order cones on their boundary.
void conic_degenerate(conic *c);
// Draws y in K* and changes A and b so that A^T y = 0, b^T y = -1.
void conic_infeasible(conic *c);
// Draws x and changes P, A and q so that P x = 0, -A x in K, q^T x = -1, with a feasible point.
void conic_unbounded(conic *c);
// Rows and columns in other units, 2^-k ... 2^k each; a cone as a whole.
void conic_change_units(conic *c, int k);

double conic_value(const conic *c, const double *x);
// Distance of s from K, of y from K*.
double conic_outside(const conic *c, const double *v, bool dual);

// How far the point is from optimal: the largest entry of A x + s - b and of P x + A^T y + q, the
// gap and the distances to the cones, over 1 + the largest numbers that appear.
double conic_error(const conic *c, const double *x, const double *s, const double *y);
// |A^T y| over |b^T y|, INFINITY unless b^T y < 0 and y is in K*.
double conic_farkas_error(const conic *c, const double *y);
// |P x| and |A x + s| over |q^T x|, INFINITY unless q^T x < 0 and s is in K.
double conic_ray_error(const conic *c, const double *x, const double *s);

#endif
