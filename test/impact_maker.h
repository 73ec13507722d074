// Impacting states made by hand, and an independent solution of Moreau's law for small ones.
#ifndef TEST_IMPACT_MAKER_H
#define TEST_IMPACT_MAKER_H

#include "problem_maker.h"

#include <delassus/impact.h>

enum { IMPACT_N = 8, IMPACT_M = 8 };

// Plain data; contact j has slips[j] slip velocities, bilateral contacts first.
typedef struct impact_case {
  int n, m_b, m_u;
  double M[IMPACT_N * IMPACT_N], v[IMPACT_N];
  double G[IMPACT_N * IMPACT_M];      // bilateral first
  double H[IMPACT_N * 2 * IMPACT_M];  // tangents in the order of the contacts
  int tangents[IMPACT_M];
  double u[IMPACT_M];  // normal velocities before: 0 for bilateral contacts
  double s[2 * IMPACT_M];
  double mu[IMPACT_M], e[IMPACT_M];
  double E[IMPACT_M * IMPACT_M];  // m_u x m_u; used when coupled
  bool coupled;

  // what the state is made of
  dls_contact_state state;
  dls_friction friction;
  dls_contact contacts[IMPACT_M];
  int index[IMPACT_M], first[IMPACT_M + 1];
  double zero[IMPACT_N + 3 * IMPACT_M];
  bool sliding[IMPACT_M];
  int start[IMPACT_N + 1], row[IMPACT_N * IMPACT_N];
  double q[IMPACT_N];
} impact_case;

// u and s from v: no contact moves on its own.
void impact_case_velocities(impact_case *c);
// Fills c->state, which points into the case.
void impact_case_ready(impact_case *c);
// Ready, then dls_impact_create; the caller frees it.
dls_impact *impact_of(impact_case *c);

// Random: M definite, gradients of moderate size, all unilateral contacts closing or touching.
// redundant: some unilateral gradients are combinations of others. friction: slips and mu.
void impact_case_random(impact_case *c, rng *r, bool redundant, int tangents);

// Moreau's law without friction by going through all sets of contacts with percussions, each by
// Gaussian elimination; M definite, gradients of the active ones independent. jump: n, p: m.
bool moreau_by_enumeration(const impact_case *c, double *jump, double *p);

#endif
