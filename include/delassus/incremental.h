// The incremental problem: what a time step, or an impact, leaves to be solved. Data and residuals.
#ifndef DELASSUS_INCREMENTAL_H
#define DELASSUS_INCREMENTAL_H

#include <delassus/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

// Contacts with Coulomb friction, then equations. Contact i owns the rows dimension * i ..., its
// normal first; the equations own the last rows. In local form
//
//   u = W r + q                                                                     eq (inc.1)
//
// and in global form, with the velocities v as unknowns too,
//
//   M v = H r + f,   u = H^T v + w                                                  eq (inc.2)
//
// with K_mu* containing u + mu |u_T| e_N, orthogonal to r in K_mu, for each contact (eq (inc.3)),
// and u = 0, r of any sign, in the rows of equations. W may be singular, and slightly
// unsymmetric. M is regular: symmetric and positive definite in mechanics, but it is taken as it
// stands.
typedef struct dls_incremental {
  int dimension;      // 2 or 3: rows of a contact
  int contacts;       // any number, 0 too
  int equations;      // bilateral rows without friction
  const double *mu;   // contacts: coefficients >= 0
  bool global;        // which of the two forms is filled
  dls_matrix_view W;  // rows x rows, rows = dimension * contacts + equations
  const double *q;    // rows
  int dof;            // of the global form
  dls_matrix_view M;  // dof x dof
  dls_matrix_view H;  // dof x rows
  const double *f;    // dof
  const double *w;    // rows
} dls_incremental;

// rows = dimension * contacts + equations
DLS_API int dls_incremental_rows(const dls_incremental *problem);

// Sizes, patterns in order, indices in range, numbers finite, mu >= 0. DLS_ERR_ARGUMENT or
// DLS_ERR_NUMBER, and the message says what and where.
DLS_API dls_status dls_incremental_validate(const dls_incremental *problem, dls_message *message);

// The natural map F = r - P_K(r - u - mu |u_T| e_N) of the contacts, and u of the equations: how
// far (u, r) is from Coulomb's law.                                                 eq (inc.4)
// Three scalings of its Euclidean norm are in use. Where the denominator is zero it counts as one.
typedef struct dls_incremental_error {
  double natural;  // |F|
  double q;        // |F| / |q|: the strictest, and what decides here
  double siconos;  // |F| / max(|q|, |r|, |u|)
  double fclib;    // |F| / (1 + sqrt|q|)
  double balance;  // global form: |M v - H r - f| relative to |f|, or to |H r| where f = 0; else 0
} dls_incremental_error;

// |q|, and in global form q = H^T M^-1 f + w for it: made once, by a factorization.
// DLS_ERR_NUMBER when M is singular.
DLS_API dls_status dls_incremental_scale(const dls_incremental *problem, double *norm_q);

// Recomputed from the data at (r, v), with sums in long double; u: rows, what belongs to it (out,
// may be NULL). v: dof, only in global form. norm_q: from dls_incremental_scale. NaN in, NaN out.
// DLS_ERR_MEMORY is possible.
DLS_API dls_status dls_incremental_residual(const dls_incremental *problem, double norm_q,
                                            const double *r, const double *v, double *u,
                                            dls_incremental_error *error);

// The projection on K_mu of one contact: rows numbers.
DLS_API void dls_friction_cone_project(int rows, double mu, const double *r, double *projected);

#ifdef __cplusplus
}
#endif
#endif
