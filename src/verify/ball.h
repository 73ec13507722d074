// Balls (Arb): sums of products that are enclosed, and what can be proven of a matrix of doubles.
//
// Doubles are taken as exact, and the precision is such that what remains open is far smaller than
// any double can tell.
#ifndef DLS_VERIFY_BALL_H
#define DLS_VERIFY_BALL_H

#include "verify/interval.h"

#include <arb.h>
#include <arb_mat.h>

enum { DLS_BITS = 256 };  // for sums: cancellation of 60 digits leaves a double

dls_interval dls_ball_interval(const arb_t x);

// A sum of products, enclosed, and the sum of their magnitudes, as a plain number: it is a unit.
typedef struct dls_sum {
  arb_t value;
  arf_t a, b;
  double size;
} dls_sum;

void dls_sum_init(dls_sum *sum);
void dls_sum_clear(dls_sum *sum);
void dls_sum_start(dls_sum *sum, double first);
void dls_sum_add(dls_sum *sum, double a, double b);  // + a b
void dls_sum_dot(dls_sum *sum, int count, const double *a, size_t stride, const double *b);
dls_interval dls_sum_value(const dls_sum *sum);

// A matrix of doubles with powers of two before its rows and columns (NULL: 1): row[i] A_ij col[j].
typedef struct dls_scaled {
  int rows, cols;
  const double *A;  // column-major
  const double *row, *col;
} dls_scaled;

// The smallest eigenvalue of a symmetric matrix is larger than the margin.     eq (chk.2)
bool dls_is_definite(const dls_scaled *A, double margin);
// The smallest singular value is larger than the margin: full column rank for every matrix that
// differs by no more.                                                            eq (chk.2)
bool dls_has_rank(const dls_scaled *A, double margin);

void dls_ball_fill(arb_mat_t to, const dls_scaled *A);
// A - margin I is positive definite, for every matrix in the ball.
bool dls_ball_definite(const arb_mat_t A, double margin);
// The smallest singular value of every matrix in the ball is larger than the margin.
bool dls_ball_rank(const arb_mat_t A, double margin);
// Encloses the solution of A x = b for a square A of exact entries, and proves dls_ball_rank of it;
// false when that fails.
bool dls_ball_solve(arb_mat_t x, const arb_mat_t A, const arb_mat_t b, double margin);
// How many bits settle a system of that size: elimination loses a few in every step.
slong dls_ball_bits(int size);

#endif
