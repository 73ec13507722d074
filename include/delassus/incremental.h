// The incremental problem: what a time step, or an impact, leaves to be solved. Data and residuals.
//
// Plain data of the caller, which is only read: threads may share it.
#ifndef DELASSUS_INCREMENTAL_H
#define DELASSUS_INCREMENTAL_H

#include <delassus/contact.h>
#include <delassus/law.h>

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
//
// Contacts may have other laws than Coulomb's, law.h. They keep their `dimension` rows all the
// same, and equations the last ones: solvers are fast by that. A row that a law does not need (the
// slip of a contact without friction) is there, and so is its column.
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
  // NULL: all contacts have the cone
  const unsigned char *law;  // contacts: dls_law
  const double *direction;   // contacts x (dimension - 1): unit vectors of those that slide; NULL:
                             // none does
  const double *bound;       // contacts: impulses >= 0, of bounded friction; NULL: none has it
} dls_incremental;

// rows = dimension * contacts + equations
DLS_API int dls_incremental_rows(const dls_incremental *problem);

// The set of laws that its contacts have, the cone's where there are none; 0: some law is none.
DLS_API unsigned dls_incremental_laws(const dls_incremental *problem);

// Sizes, patterns in order, indices in range, numbers finite, mu and bounds >= 0, directions of
// unit length. DLS_ERR_ARGUMENT or DLS_ERR_NUMBER, and the message says what and where.
DLS_API dls_status dls_incremental_validate(const dls_incremental *problem, dls_message *message);

// How far (u, r) is from Coulomb's law.
//
// The first four are those in use elsewhere: the norm of the natural map F = r - P_K(r - u -
// mu |u_T| e_N), eq (inc.4), of other laws by eq (law.1), u in the rows of equations, in three
// scalings. They compare impulses
// with velocities, and mean something else in other units of mass. A denominator that is zero
// counts as one there.
//
// The others have no units. Contact i has a scale d_i, velocity per impulse, from W_ii; equations
// have their own, eq (inc.6). What counts is `largest`; it decides what "converged" means.
typedef struct dls_incremental_error {
  double natural;  // |F|
  double q;        // |F| / |q|
  double siconos;  // |F| / max(|q|, |r|, |u|)
  double fclib;    // |F| / (1 + sqrt|q|)

  double largest;   // of scaled, common, balance and rounding
  double scaled;    // of the next six: rescaling a single contact or equation does not change it
  double weighted;  // |F| / |q|, each contact in its own scale                      eq (inc.7)
  // the worst contact, relative to the velocities that its own rows add up:          eq (inc.8)
  double normal;           // u_N < 0, or not 0
  double cone;             // d r outside the cone, or what the law has in its place
  double complementarity;  // u_N and d r_N, the smaller one of them
  double slip;             // slip inside the cone, or not against the friction
  double equation;         // u of the worst equation, likewise
  double common;           // |F| / |q| in one unit of impulse for all contacts, each beside the
                           // velocities that are natural to it; equations apart. Without them, of
                           // data whose W is not below 1e-5 on the average, it is a bound of q
                           //                                                         eq (inc.9)
  double rounding;         // what rounding may hide in W r + q, as `weighted`       eq (inc.10)
  double balance;          // global form: |M v - H r - f| of the worst row, relative to its terms;
                           // else 0                                                 eq (inc.11)
} dls_incremental_error;

// |q|, and in global form q = H^T M^-1 f + w for it: made once, by a factorization.
// DLS_ERR_NUMBER when M is singular.
DLS_API dls_status dls_incremental_scale(const dls_incremental *problem, double *norm_q);

// Recomputed from the data at (r, v), with sums in long double; u: rows, what belongs to it (out,
// may be NULL). v: dof, only in global form. norm_q: from dls_incremental_scale. NaN in, NaN out.
// DLS_ERR_MEMORY, and in global form DLS_ERR_NUMBER, are possible.
DLS_API dls_status dls_incremental_residual(const dls_incremental *problem, double norm_q,
                                            const double *r, const double *v, double *u,
                                            dls_incremental_error *error);

// The projection on K_mu of one contact: rows numbers.
DLS_API void dls_friction_cone_project(int rows, double mu, const double *r, double *projected);

#ifdef __cplusplus
}
#endif
#endif
