// Inside dls_incremental_solvable: the data in units in which rows, masses and q are about 1.
#ifndef DLS_CERTIFY_SOLVABLE_H
#define DLS_CERTIFY_SOLVABLE_H

#include "base/memory.h"
#include "convex/cone_rows.h"
#include "linalg/sparse.h"
#include <delassus/solvable.h>

// u^ = D u, W^ = unit D W D, r = unit D r^; in global form M^ = unit B M B, H^ = B H D, v = B v^, r
// = D r^ / unit, f^ = unit B f: powers of two, one for all rows of a contact, so that the cones
// stay what they are.                                                                        eq
// (slv.8)
typedef struct dls_solvable_data {
  const dls_incremental *given;
  dls_solvable_options options;
  dls_arena *arena;   // of the answer
  dls_solvable *out;  //
  bool global;
  int d, contacts, equations, rows, dof;
  const double *mu;
  double largest_mu;
  double *D;  // rows
  double *B;  // dof
  double unit;
  dls_sparse *W, *S;  // local form: W and its symmetric part
  dls_sparse *M, *H;  // global form
  double *q;          // rows: q, or w in global form
  double *f;          // dof
  double size;        // largest |q|
} dls_solvable_data;

dls_status dls_solvable_scale(const dls_incremental *problem, dls_solvable_data *data);
void dls_solvable_data_free(dls_solvable_data *data);

// A point that is claimed to lie in the dual cones, and what was shown about it.
typedef struct dls_solvable_slack {
  long double inside;      // least y_N - mu |y_T| of a contact, rounding taken off
  long double off;         // Euclidean norm of y in the rows of equations, rounding added
  long double energy;      // x^T S x / 4 at most; local form
  long double x_contacts;  // |x|^2 in the rows of contacts; local form
} dls_solvable_slack;

// y = S x + q, or H^T v + w, at a point in scaled units; with_q: else y = S x, H^T v.
dls_status dls_solvable_measure(const dls_solvable_data *data, bool with_q, const double *x,
                                dls_solvable_slack *slack);
// Whether existence follows from the room: positive definiteness shown, eqs (slv.3), (slv.4).
// *proven and *shift out.
dls_status dls_solvable_prove(const dls_solvable_data *data, const dls_solvable_slack *slack,
                              bool *proven, double *shift);
// M + M^T - 2 c I positive definite for the largest c of a few; 0: not shown.
dls_status dls_solvable_mass(const dls_solvable_data *data, double *c);

// The answers. *done when there is one.
dls_status dls_solvable_at_rest(dls_solvable_data *data, bool *done);   // r = 0, or v = 0
dls_status dls_solvable_velocity(dls_solvable_data *data, bool *done);  // the criteria
dls_status dls_solvable_cases(dls_solvable_data *data, bool *done);     // no

#endif
