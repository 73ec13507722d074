// Does an incremental problem have a solution? Yes and no come with a witness that anyone can
// check, so that "not found" and "not there" are told apart.
//
// The result keeps copies and is constant: threads may share it. In delassus-io.
#ifndef DELASSUS_SOLVABLE_H
#define DELASSUS_SOLVABLE_H

#include <delassus/check.h>
#include <delassus/incremental.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which of the criteria of CVX were met, as bits.
typedef enum dls_criterion {
  DLS_CRITERION_INTERIOR = 1,   // CVX (4.1): velocities strictly inside the dual cones
  DLS_CRITERION_CLOSED = 2,     // CVX (4.4): velocities in the dual cones
  DLS_CRITERION_CLOSURE = 4,    // CVX (4.6): such velocities are approached; all w^T r >= 0
  DLS_CRITERION_ANY_LOAD = 8,   // CVX (5.1): no impulses of the cones cancel, whatever w is
  DLS_CRITERION_ROUNDING = 16,  // (4.4) holds to rounding only: nothing is claimed
  DLS_CRITERION_FAILS = 32,     // (4.6) does not hold: r is a witness
} dls_criterion;

// What a contact may do in a case that is excluded.                                eq (slv.6)
typedef enum dls_solvable_mode {
  DLS_SOLVABLE_ANY,     // u_N >= 0, r in K
  DLS_SOLVABLE_OPEN,    // u_N >= 0, r = 0
  DLS_SOLVABLE_CLOSED,  // u_N = 0, r in K
  DLS_SOLVABLE_STICK,   // u = 0, r in K
  DLS_SOLVABLE_PLUS,    // u_N = 0, u_T >= 0, r_T = -mu r_N (planar)
  DLS_SOLVABLE_MINUS,   // u_N = 0, u_T <= 0, r_T = mu r_N (planar)
} dls_solvable_mode;

DLS_API const char *dls_solvable_mode_name(int mode);  // "any", "open", "slide+" ...

// One case that holds no solution: y, and in global form p with M^T p = H y. With z = W^T y, or
// H^T p, every solution has sum (y_i^T u_i - z_i^T r_i) = q^T y, or w^T y + f^T p, which is
// negative, although the modes allow no negative term.                             eq (slv.7)
typedef struct dls_solvable_leaf {
  const unsigned char *mode;  // contacts
  const double *y;            // rows
  const double *p;            // dof; NULL in local form
} dls_solvable_leaf;

typedef struct dls_solvable {
  dls_answer answer;   // yes: proven to exist; no: proven not to; undecided: neither
  unsigned criterion;  // dls_criterion bits
  const char *by;      // the theorem or procedure, or why it is undecided
  const char *shows;   // what the witness lets anyone check; NULL without one
  double margin;       // yes: room in the dual cones, no: -(q^T y), each over |q| in scaled rows
  // yes in local form: W + W^T + 2 shift I (I for the contacts, in scaled rows) was shown to be
  // positive definite, which suffices with this margin, eq (slv.4); 0 where nothing was needed
  double shift;
  // no: excluded are solutions whose impulses are at most this, in units of |q| / |W|; INFINITY:
  // all. Less than 1e11 is not called a no.
  double bound;
  int contacts, rows, dof;
  const double *x;  // rows: (W + W^T)/2 x + q is strictly inside the dual cones; local form
  const double *v;  // dof: H^T v + w is; global form
  const double *r;  // rows: r = 0 solves; or r in K, W r = 0 (H r = 0) and q^T r (w^T r) < 0
  int leaves;       // no: the cases, which together are all
  const dls_solvable_leaf *leaf;
} dls_solvable;

typedef struct dls_solvable_options {
  int max_rows;   // with more rows and dof than this no program is tried; default 15000
  int max_nodes;  // cases to look at for a no; default 400
  // Looks on before each program; done: of max_nodes, 0 to 1. True ends the call with
  // DLS_ERR_STOPPED and without a result. May be NULL.
  bool (*watch)(void *self, double done);
  void *self;
} dls_solvable_options;

DLS_API dls_solvable_options dls_solvable_defaults(void);

// options may be NULL. DLS_ERR_ARGUMENT, DLS_ERR_NUMBER: the problem is not valid (message may be
// NULL). Nothing depends on time. Undecided where a contact has another law than the cone.
DLS_API dls_status dls_incremental_solvable(const dls_incremental *problem,
                                            const dls_solvable_options *options, dls_solvable **out,
                                            dls_message *message);
DLS_API void dls_solvable_free(dls_solvable *solvable);  // NULL is fine

// {"answer", "by", "criteria", "margin", "bound", "witness": {"shows", ...}} on one or more lines;
// free it with dls_report_text_free.
DLS_API dls_status dls_solvable_json(const dls_solvable *solvable, char **text);
// A few lines for people.
DLS_API dls_status dls_solvable_text(const dls_solvable *solvable, char **text);

#ifdef __cplusplus
}
#endif
#endif
