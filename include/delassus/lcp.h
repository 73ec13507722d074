// Linear complementarity problems as such: residuals, Lemke's method, all solutions of small ones,
// and whether the solution is unique for every right-hand side.
#ifndef DELASSUS_LCP_H
#define DELASSUS_LCP_H

#include <delassus/check.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0 <= z _|_ w = M z + q >= 0. M is n x n, column-major, without any symmetry.      eq (lcp.1)
typedef struct dls_lcp {
  int n;
  const double *M, *q;
} dls_lcp;

// Mixed: the first `free` rows are equations w_i = 0, and their z_i have any sign.
typedef struct dls_mlcp {
  int n, free;
  const double *M, *q;
} dls_mlcp;

// ---- residuals ---------------------------------------------------------------------------------

// Recomputed from the data, sums in long double; NaN in, NaN out.                   eq (lcp.2)
typedef struct dls_lcp_error {
  double absolute;  // largest |min(z_i, w_i)|, and |w_i| of equations: in the data's own units
  double relative;  // the same, each w_i relative to the terms of its row and each z_i to what it
                    // contributes to the rows: does not change when rows or columns are scaled
} dls_lcp_error;

DLS_API dls_status dls_lcp_residual(const dls_lcp *lcp, const double *z, dls_lcp_error *error);
DLS_API dls_status dls_mlcp_residual(const dls_mlcp *mlcp, const double *z, dls_lcp_error *error);

// ---- one solution: Lemke's method --------------------------------------------------------------

typedef enum dls_lcp_outcome {
  DLS_LCP_SOLVED,    // the relative residual, recomputed, is at most the tolerance
  DLS_LCP_RAY,       // ended on a secondary ray: this method finds no solution
  DLS_LCP_SINGULAR,  // mixed: the block of the free variables is singular and cannot be eliminated
  DLS_LCP_STOPPED,   // too many pivots
  DLS_LCP_INEXACT,   // it ended, but the residual is above the tolerance
} dls_lcp_outcome;

DLS_API const char *dls_lcp_outcome_name(dls_lcp_outcome outcome);

typedef struct dls_lcp_options {
  double tolerance;  // of the relative residual; default 1e-11
  int max_pivots;    // for one covering vector; default 0: 100 + 50 n
  int tries;         // covering vectors that are tried while they end on rays; default 4
} dls_lcp_options;

DLS_API dls_lcp_options dls_lcp_defaults(void);

typedef struct dls_lcp_report {
  dls_lcp_outcome outcome;
  int pivots;           // of all tries
  dls_lcp_error error;  // of z; NaN unless solved or inexact
  bool infeasible;      // with a ray y: y >= 0, M^T y <= 0, q^T y < 0 were checked: no z >= 0 has
                        // M z + q >= 0, so there is no solution at all (not for mixed problems)
} dls_lcp_report;

// Lexicographic: it does not cycle. options may be NULL. z: n; on a ray it is the ray's direction
// in z, of largest entry 1, with z >= 0 and z_i (M z + d z_0)_i = 0, M z + d z_0 >= 0 for the
// covering vector d > 0 and some z_0 >= 0; for mixed problems its first entries are 0. Not written
// when the outcome is singular or stopped. n at most 2000, otherwise DLS_ERR_LIMIT.
DLS_API dls_status dls_lcp_lemke(const dls_lcp *lcp, const dls_lcp_options *options, double *z,
                                 dls_lcp_report *report);
DLS_API dls_status dls_mlcp_lemke(const dls_mlcp *mlcp, const dls_lcp_options *options, double *z,
                                  dls_lcp_report *report);

// ---- all solutions -----------------------------------------------------------------------------

typedef struct dls_lcp_solution {
  const double *z, *w;      // n
  bool continuum;           // one point of a connected set of solutions that is not a point
  const double *direction;  // n, of largest entry 1: z + t direction solves for small t >= 0 (NULL
                            // unless continuum)
  bool degenerate;          // some z_i = w_i = 0 in a row that is no equation
} dls_lcp_solution;

typedef struct dls_lcp_solutions {
  int n, count;
  const dls_lcp_solution *item;
  bool doubt;     // somewhere rounding decides: the count may be wrong
  bool complete;  // false: a limit was reached, there may be more
} dls_lcp_solutions;

enum { DLS_LCP_ENUMERATE_LARGEST = 16, DLS_LCP_SOLUTIONS_LARGEST = 4096 };

// Tries every complementary basis. Isolated solutions and connected continua are each counted once,
// isolated ones first. Without doubt, and complete, the count is exact for the numbers as given. At
// most 4096 points and the continua of 256 bases are kept. DLS_ERR_LIMIT with more than 16
// complementarity conditions or 64 rows.
DLS_API dls_status dls_lcp_enumerate(const dls_lcp *lcp, dls_lcp_solutions **out);
DLS_API dls_status dls_mlcp_enumerate(const dls_mlcp *mlcp, dls_lcp_solutions **out);
DLS_API void dls_lcp_solutions_free(dls_lcp_solutions *solutions);

// ---- unique for every right-hand side? ---------------------------------------------------------

// Whether M is a P-matrix: all principal minors are positive, which is the case if and only if
// the problem has exactly one solution for every q. Exact up to n = 20, by 2^n determinants with
// error bounds; beyond, sufficient and necessary tests.                             eq (lcp.4)
typedef struct dls_p_report {
  dls_answer answer;
  double margin;   // yes: the smallest pivot det M_{a+k} / (det M_a M_kk), or, beyond n = 20, a
                   // lower bound for the test that decided; NaN otherwise
  const char *by;  // the procedure
  int count;       // no: the minor with the rows and columns index[0..count-1] is not positive;
                   // undecided: its sign is not known (count may be 0)
  double minor;    // that minor, recomputed, relative to the product of its columns' lengths,
  double error;    // and the bound of its error
} dls_p_report;

// index: n, increasing.
DLS_API dls_status dls_p_matrix(int n, const double *M, int *index, dls_p_report *report);

// Horizontal: is there, for every q, exactly one pair w, z >= 0 with w^T z = 0 and A w - B z = q?
// If and only if all 2^n matrices with column j from A or from B have determinants of one sign, not
// zero. Exact up to n = 20; beyond, the tests of a P-matrix on A^-1 B.              eq (lcp.5)
typedef struct dls_hlcp_report {
  dls_answer answer;
  double margin;  // as of A^-1 B
  const char *by;
  bool has_witness;  // no: the determinants of the two choices have opposite signs, or the second
                     // is zero; undecided: the sign of the second is not known
  double first, second;  // determinants relative to the product of the columns' lengths,
  double error;          // and the bound of the error of the second
} dls_hlcp_report;

// choice_first, choice_second: n; true: column of B.
DLS_API dls_status dls_hlcp_unique(int n, const double *A, const double *B, bool *choice_first,
                                   bool *choice_second, dls_hlcp_report *report);

#ifdef __cplusplus
}
#endif
#endif
