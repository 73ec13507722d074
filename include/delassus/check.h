// Is the frictionless contact problem well posed? Verdicts with witnesses, and the numbers.
#ifndef DELASSUS_CHECK_H
#define DELASSUS_CHECK_H

#include <delassus/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

// The questions and their names, in the order of the report.
#define DLS_QUESTION_LIST(X)                                \
  X(DLS_MASS_DEFINITE, "mass_definite")                     \
  X(DLS_CONSTRAINTS_INDEPENDENT, "constraints_independent") \
  X(DLS_CONSTRAINTS_COMPATIBLE, "constraints_compatible")   \
  X(DLS_MFCQ, "mfcq")                                       \
  X(DLS_DELASSUS_DEFINITE, "delassus_definite")             \
  X(DLS_ACCELERATION_EXISTS, "acceleration_exists")         \
  X(DLS_ACCELERATION_UNIQUE, "acceleration_unique")         \
  X(DLS_FORCES_UNIQUE, "forces_unique")

typedef enum dls_question {
#define DLS_QUESTION_CODE(code, name) code,
  DLS_QUESTION_LIST(DLS_QUESTION_CODE)
#undef DLS_QUESTION_CODE
      DLS_QUESTION_COUNT
} dls_question;

DLS_API const char *dls_question_name(dls_question question);

typedef enum dls_answer { DLS_NOT_ASKED, DLS_YES, DLS_NO, DLS_UNDECIDED } dls_answer;
DLS_API const char *dls_answer_name(dls_answer answer);  // "yes", "no", "undecided", ""

// What the entries of a witness belong to.
typedef enum dls_over {
  DLS_OVER_COORDINATES,
  DLS_OVER_BILATERAL,
  DLS_OVER_UNILATERAL,
} dls_over;

// One piece of a witness: a vector with one number per coordinate or constraint of the problem,
// or a set of them (values NULL, index of length count).
typedef struct dls_witness_part {
  const char *name;
  dls_over over;
  int count;
  const double *values;
  const int *index;
} dls_witness_part;

enum { DLS_WITNESS_PARTS = 6 };

typedef struct dls_verdict {
  dls_answer answer;
  double margin;      // distance from the other answer, in scaled data; NaN where there is none
  const char *by;     // the theorem or procedure
  const char *shows;  // what the witness lets anyone check, as a formula in its parts' names
  int parts;
  dls_witness_part part[DLS_WITNESS_PARTS];
} dls_verdict;

// Solutions of the problem, when one exists.
typedef struct dls_solution {
  double *acceleration;             // n
  double *lambda_b, *lambda_u;      // the multipliers of least Euclidean norm
  double *a_u;                      // m_u: normal accelerations G_u^T v' + b_u
  double *low_b, *high_b;           // the interval of each multiplier; +-INFINITY where unbounded
  double *low_u, *high_u;           //
  double residual;                  // recomputed by dls_problem_residual
  double gauss_primal, gauss_dual;  // optimal values of eq (gau.1) and (gau.2)
} dls_solution;

// The same solution by two other ways, for comparison: reduced coordinates, eq (red.1), and the
// dual of the Gauss program, eq (gau.2). Differences are relative to the largest entry.
typedef struct dls_reduced {
  bool applies;                    // M is definite on the kernel of G_b^T, and a solution was found
  int dependent;                   // rank of G_b: how many coordinates depend on the others
  int *coordinate;                 // n: the dependent coordinates first, then the independent ones
  double *A_r;                     // m_u x m_u: Delassus matrix in reduced coordinates, eq (red.2)
  double delassus_difference;      // of A_r and A_c
  double acceleration_difference;  // of the accelerations; NaN when the program was not solved
  double multiplier_difference;    // of the multipliers; NaN also when they are not unique
  double dual_difference;          // of the accelerations by the dual program; likewise
} dls_reduced;

typedef struct dls_check {
  dls_problem problem;  // as given (not copied)
  double tolerance;

  // The mass matrix, in coordinates scaled to a unit diagonal.
  int mass_rank;
  double mass_condition;     // INFINITY when singular
  double *mass_eigenvalues;  // n, increasing
  // All constraints together, columns scaled to unit length.
  int constraint_rank;
  int constraint_singular_count;
  double *constraint_singular;  // decreasing
  double rank_tolerance;        // above: counted as nonzero
  double rank_noise;            // below: counted as zero; in between: undecided

  double *A_c;  // m_u x m_u, eq (del.2); NULL with a reason when undefined
  const char *A_c_reason;
  double *W;               // (m_b+m_u)^2, bilateral first, eq (del.1); NULL when M is singular
  double *kinetic_angles;  // likewise, eq (kin.1); NaN where a gradient is zero
  const char *W_reason;

  dls_solution *solution;  // NULL when there is none, or none was found
  dls_reduced reduced;
  dls_verdict verdict[DLS_QUESTION_COUNT];
} dls_check;

typedef struct dls_check_options {
  double tolerance;        // relative size that decides zero or not; default 1e-9
  bool skip_acceleration;  // answer only the questions about M and G (impact, friction)
  // Called now and then with the part of the work that is done, 0 to 1; NULL: nobody wants to know.
  void (*progress)(void *data, double done);
  void *progress_data;
} dls_check_options;

DLS_API dls_check_options dls_check_defaults(void);

// DLS_ERR_ARGUMENT when M is not symmetric positive semidefinite or sizes are wrong;
// DLS_ERR_NUMBER when a number is not finite.
DLS_API dls_status dls_check_run(const dls_problem *problem, const dls_check_options *options,
                                 dls_check **check, dls_message *message);
DLS_API void dls_check_free(dls_check *check);

#ifdef __cplusplus
}
#endif
#endif
