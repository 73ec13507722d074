// The all-sticking question alone, on problems made by hand.
#ifndef TEST_STICKING_H
#define TEST_STICKING_H

#include <delassus/check.h>

// A problem with friction that owns its data.
typedef struct grip {
  int n, m_b, m_u, slips;
  double *M, *F, *G_b, *b_b, *G_u, *b_u, *H, *b_t, *mu, *xi, *w;
  int *first;
  bool *sliding;
  dls_friction friction;
  dls_problem problem;
} grip;

// slips_of: how many slips each contact has, bilateral ones first. All numbers are zero but for the
// mass matrix, which is one.
grip *grip_create(int n, int m_b, int m_u, const int *slips_of);
void grip_free(grip *g);
double *grip_normal(grip *g, int contact);          // n: gradient of a contact, bilateral first
double *grip_tangent(grip *g, int contact, int k);  // n

// Checks the witness of the answer with nothing but the data, and returns the answer.
dls_answer stuck_verify(const dls_problem *problem, const dls_check *check);

#endif
