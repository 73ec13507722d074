// Units out of the way before any decision: coordinates scaled to unit masses, gradients to unit
// length, loads to unit size.                                                    eq (num.1)
#ifndef DLS_CONTACT_SCALING_H
#define DLS_CONTACT_SCALING_H

#include <delassus/contact.h>

// Positive factors, all powers of two, so that scaling does not round. With
//
//   z = D S z^,  lambda = m C S lambda^,  M^ = D M D / m,  F^ = D F / (m S),  G^ = D G C,
//   b^ = C b / S
//
// the scaled problem is the same problem, and in other units of mass, length and time that are
// powers of two it has the same bits. D_i is about sqrt(m/M_ii), with m = 1 or 2 such that the root
// of the first mass does not depend on its unit; a massless coordinate takes its unit from the
// constraints it appears in. Columns of G^ have about unit length (C = 1 for a
// zero gradient). S is one number for each part of the system that neither masses nor constraints
// couple to the rest, so that F^ and b^ have about unit size in each.
typedef struct dls_scaling {
  double mass;        // m
  double *D, *S;      // n: coordinates
  double *C_b, *S_b;  // m_b: bilateral constraints
  double *C_u, *S_u;  // m_u: unilateral constraints
  int *part;          // n + m_b + m_u: which of the uncoupled parts each belongs to; -1 for a
                      // constraint without gradient
} dls_scaling;

dls_status dls_scaling_create(const dls_problem *problem, dls_scaling *scaling);
// The same where some constraints belong together, as the normal and the slips of a contact do:
// group (m_b + m_u) numbers them. What one of them couples all of them do.
dls_status dls_scaling_create_grouped(const dls_problem *problem, const int *group,
                                      dls_scaling *scaling);
void dls_scaling_free(dls_scaling *scaling);

// Checks sizes, pointers, finite numbers and the symmetry of M.
dls_status dls_problem_validate(const dls_problem *problem, dls_message *message);

#endif
