// Systems of linear equations and inequalities over the rational numbers, decided exactly.
#ifndef TEST_RATIONAL_H
#define TEST_RATIONAL_H

#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <stdbool.h>

enum { LINEAR_ROWS = 120 };

// Row i says a_i0 x_0 + ... + a_i(n-1) x_(n-1) + a_in = 0, or >= 0.
typedef struct linear {
  int n, rows;
  fmpq_mat_t a;
  bool equation[LINEAR_ROWS];
} linear;

void linear_init(linear *s, int n);
void linear_clear(linear *s);

// One more row, all zero: n coefficients and the constant, to be filled in.
fmpq *linear_add(linear *s, bool equation);
void linear_cut(linear *s, int rows);  // forgets the rows from there on
void linear_join(linear *s, const linear *other);

// Is there a point? x: n numbers, one of them; NULL when nobody wants it. freedom: dimension of
// what solves the equations alone; may be NULL.
bool linear_feasible(const linear *s, fmpq *x, int *freedom);

bool linear_holds(const linear *s, const fmpq *x);

// Given a point x: is there another one that differs in coordinate j?
bool linear_moves(const linear *s, const fmpq *x, int j);

void rational_set(fmpq_t out, double x);  // exactly

#endif
