// A conic program that is written row by row: for the questions that are about cones of forces.
#ifndef DLS_CONVEX_CONE_ROWS_H
#define DLS_CONVEX_CONE_ROWS_H

#include "convex/cone.h"
#include "linalg/triplets.h"

// Rows are added in the order equations, inequalities, cones; each is  constant + row x  in {0},
// R+, or the next entry of a second-order cone.
typedef struct dls_cone_rows {
  int n, m;
  int zero, nonneg, cones;
  int *cone_size;
  ptrdiff_t cone_capacity;
  dls_triplets A, P;  // A: minus the rows; P: the upper triangle
  double *constant;
  ptrdiff_t constant_capacity;
  bool failed;       // memory ran out
  double tolerance;  // of the solution; 0: cone_rows_optimum. Points that are judged by themselves
                     // need less
} dls_cone_rows;

// Starts a row; entries follow.
void dls_cone_rows_equation(dls_cone_rows *rows, double constant);
void dls_cone_rows_inequality(dls_cone_rows *rows, double constant);
void dls_cone_rows_cone(dls_cone_rows *rows, int size);  // `size` rows follow
void dls_cone_rows_next(dls_cone_rows *rows, double constant);
void dls_cone_rows_entry(dls_cone_rows *rows, int col, double value);
// The first `count` entries of the row, each times `factor`.
void dls_cone_rows_add(dls_cone_rows *rows, double factor, int count, const double *entries);
// P: symmetric n x n, column-major.
void dls_cone_rows_quadratic(dls_cone_rows *rows, const double *P);

// min 1/2 x^T P x + cost^T x over the rows. x: n, y: m dual, may be NULL. Frees nothing.
dls_status dls_cone_rows_solve(dls_cone_rows *rows, const double *cost, double *x, double *y,
                               dls_cone_report *report);
void dls_cone_rows_free(dls_cone_rows *rows);

#endif
