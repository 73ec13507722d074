// Complementarity problems for tests: drawn with a known solution, or read from test/data/lcp,
// where the public collection of Siconos (Apache-2.0) is.
#ifndef TEST_LCP_PROBLEM_H
#define TEST_LCP_PROBLEM_H

#include <delassus/delassus.h>

typedef struct lcp_problem {
  dls_mlcp lcp;  // its numbers are M and q
  double *M, *q;
  double *z;  // a solution, when drawn
} lcp_problem;

enum { LCP_REAL = 10 };
extern const char *const lcp_real_name[LCP_REAL];

lcp_problem lcp_read(const char *name);  // n = -1 when there is no such file

typedef enum lcp_family {
  LCP_DEFINITE,    // symmetric positive definite
  LCP_SINGULAR,    // symmetric semidefinite, half the rank
  LCP_MONOTONE,    // unsymmetric, semidefinite symmetric part
  LCP_P,           // P-matrices that are not definite: triangular with large entries, permuted
  LCP_COPOSITIVE,  // strictly copositive, indefinite: nonnegative with a positive diagonal
  LCP_ANY,         // anything
  LCP_FAMILIES
} lcp_family;

extern const char *const lcp_family_name[LCP_FAMILIES];

// Entries around `size` for w and around 1 for z: M is size times what the family says. degenerate:
// some z_i = w_i = 0. The first rows may be equations.
lcp_problem lcp_draw(lcp_family family, int n, int free, double size, bool degenerate);
void lcp_drop(lcp_problem *p);

#endif
