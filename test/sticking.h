// The all-sticking question alone, on problems made by hand.
#ifndef TEST_STICKING_H
#define TEST_STICKING_H

#include <delassus/check.h>

// A problem with friction that owns its data.
typedef struct sticking {
  int n, m_b, m_u, tangents;
  double *M, *F, *G_b, *b_b, *G_u, *b_u, *H, *b_t, *mu, *xi, *w;
  int *first;
  bool *sliding;
  dls_friction friction;
  dls_problem problem;
} sticking;

// tangents_of: how many slips each contact has, bilateral ones first. All numbers are zero but for
// the mass matrix, which is one.
sticking *sticking_create(int n, int m_b, int m_u, const int *tangents_of);
void sticking_free(sticking *g);
double *sticking_normal(sticking *g, int contact);  // n: gradient of a contact, bilateral first
double *sticking_tangent(sticking *g, int contact, int k);  // n

// A block on a floor: x, y, theta; contacts along its lower side from (-L/2, -l/2) to (L/2, -l/2);
// force X at the centre.
sticking *sticking_block(int points, double L, double l, double m, double g, double X, double mu);
// In space: a normal e[0] and two tangents, and a contact of a body (six coordinates each) there,
// at `at` from its centre.
void sticking_frame(const double *normal, double e[3][3]);
void sticking_touch(sticking *p, int contact, int body, const double *at, const double e[3][3]);
// The load with which z, lambda and tau fulfil balance and accelerations.
void sticking_load(sticking *p, const double *z, const double *lambda, const double *tau);

// Checks the witness of the answer with nothing but the data, and returns the answer.
dls_answer stuck_verify(const dls_problem *problem, const dls_check *check);

#endif
