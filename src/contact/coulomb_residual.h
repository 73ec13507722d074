// Units for the contact problem with friction, and its residual in them.
#ifndef DLS_CONTACT_COULOMB_RESIDUAL_H
#define DLS_CONTACT_COULOMB_RESIDUAL_H

#include "contact/scaling.h"

// Positive powers of two. With i a contact and k one of its slips,
//
//   z = D S z^,  lambda_i = m C_n S_n lambda^_i,  tau_k = m C_t S_t tau^_k,  mu^ = mu C_n / C_t
//
// the scaled problem is the same problem: M^ = D M D / m, F^ = D F / (m S), G^ = D G C_n, H^ = D H
// C_t, b^ = C_n b / S_n, b_t^ = C_t b_t / S_t. One S for what masses, constraints and friction
// couple.
typedef struct dls_coulomb_units {
  double mass;        // m
  double *D, *S;      // n
  double *C_n, *S_n;  // m_b + m_u
  double *C_t, *S_t;  // tangents
  dls_scaling scaling;
  double *C;
  double
      *size;  // 2 (n + 1), accelerations and forces by part and of all: work memory of what follows
  bool *moved;  // n, by part: b, or F where there is mass, is not 0
} dls_coulomb_units;

// Row i of M z + F - G lambda - H tau, and the sizes of its terms: those of M z + F, and those of
// contacts. tau: NULL without friction.
typedef struct dls_balance {
  double sum, terms, contact;
} dls_balance;

dls_balance dls_problem_balance(const dls_problem *problem, int i, const double *z,
                                const double *lambda_b, const double *lambda_u, const double *tau);
// g^T z + b of one row, and the size of its terms.
double dls_problem_acceleration(const dls_problem *problem, const double *g, double b,
                                const double *z, double *size);

// The largest coefficient that contact j may have.                                    eq (stf.1)
static inline double dls_static_friction(const dls_friction *f, int j)
{
  return f->mu_s && !f->sliding[j] ? f->mu_s[j] : f->mu[j];
}

dls_status dls_coulomb_units_create(const dls_problem *problem, dls_coulomb_units *units);
void dls_coulomb_units_free(dls_coulomb_units *units);

// What accelerations are measured by, scaled: the largest of them, and of what makes them where
// there is mass, in the part of the system, or in all of it where only forces on what has no mass
// act in the part. Large forces on massless coordinates do not excuse accelerations, nor does what
// is imposed at other contacts; the contact's own terms count, too.
void dls_coulomb_size_reset(const dls_coulomb_units *units, int n);
void dls_coulomb_size_raise(const dls_coulomb_units *units, int n, int coordinate, double size);
// own: the terms of the contact.
double dls_coulomb_size_at(const dls_coulomb_units *units, int n, int contact, double own);

// dls_coulomb_residual with units at hand. Allocates nothing.
double dls_coulomb_residual_in(const dls_problem *problem, const dls_coulomb_units *units,
                               const double *z, const double *lambda_b, const double *lambda_u,
                               const double *tau);

#endif
