// What can be proven of a linear complementarity problem: whether a solution exists, all solutions
// of small ones, and whether there is exactly one for every right-hand side. Problems are read and
// not kept, results are the caller's; any number of threads may ask. In delassus-io.
#ifndef DELASSUS_LCP_PROOF_H
#define DELASSUS_LCP_PROOF_H

#include <delassus/check.h>
#include <delassus/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- does a solution exist? --------------------------------------------------------------------

// A set of complementary choices without a solution. With the rows that are chosen,
//   choice[i] > 0: w_i = 0,   choice[i] < 0: z_i = 0,   choice[i] = 0: none (equations always),
// the vector y proves it:                                                           eq (lcp.14)
//   y_i >= 0        where w_i >= 0 is demanded (choice[i] <= 0, no equation)
//   (M^T y)_j <= 0  where z_j >= 0 may be positive (choice[j] >= 0, no equation)
//   (M^T y)_j = 0   where z_j is free
//   q^T y < 0
// since 0 <= w^T y = z^T M^T y + q^T y < 0 would follow. All of it holds exactly for the doubles.
// With equations it may instead hold for the one vector that differs from y only in the entries of
// the equations and fulfils the third line, whose distance from y is enclosed.
typedef struct dls_lcp_leaf {
  const signed char *choice;  // n
  const double *y;            // n
} dls_lcp_leaf;

typedef struct dls_lcp_existence {
  dls_answer answer;  // yes and no are proven for the numbers as given, rounding included
  const char *by;     // the theorem or procedure
  const char *shows;  // what the witness lets anyone check
  int n;
  const double *z;    // yes: a solution up to rounding; undecided: the best point known; no: NULL
  double error;       // of z, eq (lcp.10); NaN without z
  bool exact;         // z solves exactly as it stands: w recomputed without rounding
  const bool *basis;  // n; yes by enclosure: z_i > 0 in these rows, w_i > 0 in the others, and the
                      // block of these rows (and equations) is nonsingular; NULL otherwise
  int leaves;         // no: the choices of the leaves exclude each other and leave nothing out;
                      // 0 when bases were enumerated instead
  const dls_lcp_leaf *leaf;
  int nodes;  // of the tree that were visited
} dls_lcp_existence;

typedef struct dls_lcp_exists_options {
  int max_nodes;     // of the tree; default 4000
  bool enumerate;    // all bases, when the tree did not decide and it is small; default true
  const double *z0;  // n: a point to try first; may be NULL
  // Looks on at each node; done: of max_nodes, 0 to 1. True ends the call with DLS_ERR_STOPPED and
  // without a result. May be NULL.
  bool (*watch)(void *self, double done);
  void *self;
} dls_lcp_exists_options;

DLS_API dls_lcp_exists_options dls_lcp_exists_defaults(void);

// options may be NULL. n at most 400, otherwise DLS_ERR_LIMIT.
DLS_API dls_status dls_mlcp_exists(const dls_mlcp *mlcp, const dls_lcp_exists_options *options,
                                   dls_lcp_existence **out);
DLS_API void dls_lcp_existence_free(dls_lcp_existence *existence);

// Checks the witness against the problem again, from the data alone: z, or the leaves with sums
// that are exact. *holds is false too when there is nothing to check (undecided, or by enumeration
// or by a theorem on the matrix).
DLS_API dls_status dls_lcp_existence_check(const dls_mlcp *mlcp, const dls_lcp_existence *existence,
                                           bool *holds);

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
  bool ambiguous;  // somewhere rounding decides: the count may be wrong
  bool complete;   // false: a limit was reached, there may be more
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
