// Is the contact problem well posed? Verdicts with witnesses, and the numbers.
//
// A check keeps copies of what it found and borrows the problem's numbers, which must outlive it.
// It is constant: threads may share it. Two threads may check at once. In delassus-io.
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
  X(DLS_FORCES_UNIQUE, "forces_unique")                     \
  X(DLS_UNIQUE_FOR_EVERY_LOAD, "unique_for_every_load")     \
  X(DLS_CAN_ALL_STICK, "can_all_stick")                     \
  X(DLS_FORM_CLOSURE, "form_closure")                       \
  X(DLS_FORCE_CLOSURE, "force_closure")                     \
  X(DLS_STEP_SOLVABLE, "step_solvable")

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
typedef enum dls_index_set {
  DLS_INDEX_COORDINATES,
  DLS_INDEX_BILATERAL,
  DLS_INDEX_UNILATERAL,
  DLS_INDEX_CLOSED,    // all contacts of the problem, bilateral ones first
  DLS_INDEX_TANGENTS,  // slip velocities
} dls_index_set;

// One piece of a witness: a vector with one number per coordinate or constraint of the problem,
// or a set of them (values NULL, index of length count).
typedef struct dls_witness_part {
  const char *name;
  dls_index_set index_set;
  int count;
  const double *values;
  const int *index;
} dls_witness_part;

enum { DLS_WITNESS_PARTS = 8 };

// What a contact does: which branch of its law holds.                              eq (fri.3)
typedef enum dls_mode {
  DLS_MODE_ANY,          // not told
  DLS_MODE_DETACH,       // no force, opens
  DLS_MODE_CLOSED,       // frictionless, stays closed
  DLS_MODE_STICK,        // stays closed, no slip acceleration
  DLS_MODE_SLIDE,        // slides in the known direction, or in one that is not told
  DLS_MODE_SLIDE_PLUS,   // starts to slide with a slip acceleration >= 0 (planar)
  DLS_MODE_SLIDE_MINUS,  // and <= 0
  DLS_MODE_PULLING = 8,  // added to the mode of a bilateral contact: its force is <= 0, not >= 0
  DLS_MODE_EITHER = 16,  // or: its force has either sign
} dls_mode;

// "detach", "slide+", "stick pulling" ...; "" for DLS_MODE_ANY.
DLS_API const char *dls_mode_name(int mode);

// The modes of all contacts are the leaves of a tree that is cut where nothing lies below. One
// leaf: it holds no solution, because with d, alpha, sigma, p = G^T d and t = H^T d      eq (fri.4)
//
//   M d + G alpha + H sigma = 0,   alpha^T b + sigma^T b_t + d^T F < 0,
//   alpha_i a_i + sigma_i s_i + lambda_i p_i + tau_i t_i >= 0 for all that the modes allow,
//
// although the sum of these terms is alpha^T b + sigma^T b_t + d^T F for every solution; or it
// holds at most one, because its equations have a nonsingular matrix; or it holds solutions, found
// by linear programs, that are as many as the verdict says: one, or one acceleration; or all that
// it may hold have one acceleration, that of a solution.                                eq (fri.9)
typedef enum dls_leaf_kind {
  DLS_LEAF_EMPTY,
  DLS_LEAF_POINT,
  DLS_LEAF_FACE,
  DLS_LEAF_ACCELERATION,
} dls_leaf_kind;

typedef struct dls_leaf {
  const unsigned char *mode;  // m_b + m_u
  dls_leaf_kind kind;
  const double *direction;     // n: d; NULL unless empty
  const double *alpha;         // m_b + m_u
  const double *sigma;         // tangents
  const double *acceleration;  // n: the one that all its solutions have; NULL for other kinds
  const double *velocity;      // n: in the dual cones; of DLS_STEP_SOLVABLE alone      eq (stp.3)
} dls_leaf;

typedef struct dls_verdict {
  dls_answer answer;
  double margin;      // distance from the other answer, in scaled data; NaN where there is none
  const char *by;     // the theorem or procedure
  const char *shows;  // what the witness lets anyone check, as a formula in its parts' names
  int parts;
  dls_witness_part part[DLS_WITNESS_PARTS];
  int leaves;
  const dls_leaf *leaf;
} dls_verdict;

// What of a solution is not one point but many.
typedef enum dls_continuum {
  DLS_CONTINUUM_NONE,
  DLS_CONTINUUM_FORCES,        // one acceleration, many forces
  DLS_CONTINUUM_ACCELERATION,  // many accelerations
  DLS_CONTINUUM_UNKNOWN,
} dls_continuum;

// One solution; or one connected set of solutions, of which a representative is shown.
typedef struct dls_solution {
  double *acceleration;         // n
  double *lambda_b, *lambda_u;  // without friction the multipliers of least Euclidean norm
  double *tau;                  // tangents: tangential forces
  double *a_u;                  // m_u: normal accelerations G_u^T v' + b_u
  unsigned char *mode;          // m_b + m_u: dls_mode of each contact
  double *low_b, *high_b;       // the interval of each multiplier; +-INFINITY where unbounded,
  double *low_u, *high_u;       // NaN where it is not known
  double *low_t, *high_t;       // tangents: of the tangential forces
  double residual;              // recomputed by dls_coulomb_residual
  dls_continuum continuum;
  double gauss_primal, gauss_dual;  // optimal values of eq (gau.1) and (gau.2); no friction
} dls_solution;

// The same solution by two other ways, for comparison: reduced coordinates, eq (red.1), and the
// dual of the Gauss program, eq (gau.2). Differences are relative to the largest entry.
typedef struct dls_reduced {
  // M is definite on the kernel of G_b^T, a solution was found, and at most 400 contacts are closed
  bool applies;
  int dependent;                   // rank of G_b: how many coordinates depend on the others
  int *coordinate;                 // n: the dependent coordinates first, then the independent ones
  double *A_r;                     // m_u x m_u: Delassus matrix in reduced coordinates, eq (red.2)
  double delassus_difference;      // of A_r and A_c
  double acceleration_difference;  // of the accelerations; NaN when the program was not solved
  double multiplier_difference;    // of the multipliers; NaN also when they are not unique
  double dual_difference;          // of the accelerations by the dual program; likewise
} dls_reduced;

// How much friction is safe, or needed: one coefficient for all contacts with slip velocities.
#define DLS_LIMIT_LIST(X)                                                                 \
  X(DLS_LIMIT_SUFFICIENT, "sufficient")    /* below: unique for every load, by a bound */ \
  X(DLS_LIMIT_CRITICAL, "critical")        /* where that is lost */                       \
  X(DLS_LIMIT_LEAST, "least_for_sticking") /* from here on all contacts can stick */

typedef enum dls_limit_name {
#define DLS_LIMIT_CODE(code, name) code,
  DLS_LIMIT_LIST(DLS_LIMIT_CODE)
#undef DLS_LIMIT_CODE
      DLS_LIMIT_COUNT
} dls_limit_name;

DLS_API const char *dls_limit_text(dls_limit_name limit);

typedef struct dls_limit {
  bool asked;        // the limit makes sense at this state
  double value;      // INFINITY: no friction is too much, or enough; NaN: not known
  double low, high;  // proven bracket; both NaN when there is none
  const char *by;    // the theorem or procedure, or why it is not known
  // Of least_for_sticking: is the value itself enough, or only what is larger? And the witnesses of
  // the bracket: a yes at `high`, a no at `low`; NULL where there are none.
  dls_answer attained;
  const dls_verdict *above, *below;
} dls_limit;

typedef struct dls_check {
  dls_problem problem;  // as given (not copied)
  // With weights, where friction has a given bound: solutions, extra forces and witnesses of
  // acceleration_exists to can_all_stick (but unique_for_every_load) are of this problem; NULL: of
  // the other.
  const dls_problem *weighted;
  double tolerance;

  // The mass matrix, in coordinates scaled to a unit diagonal.
  int mass_rank;
  double mass_condition;     // INFINITY when singular
  double *mass_eigenvalues;  // n, increasing
  // All constraints together, columns scaled to unit length.
  int constraint_rank;
  int constraint_singular_count;
  double *constraint_singular;  // decreasing
  // Combinations of gradients that cancel, m_b + m_u multipliers each, as far as they do so to
  // rounding: of each constraint beyond a largest independent set with some of that set.
  int dependencies;
  const double *dependency;
  double rank_tolerance;  // above: counted as nonzero
  double rank_noise;      // below: counted as zero; in between: undecided

  double *A_c;  // m_u x m_u, eq (del.2); NULL with a reason when undefined
  const char *A_c_reason;
  double *W;               // (m_b+m_u)^2, bilateral first, eq (del.1); NULL when M is singular
  double *kinetic_angles;  // likewise, eq (kin.1); NaN where a gradient is zero
  const char *W_reason;

  int solution_count;      // how many there are altogether; -1 when that is not known
  int solutions;           // how many of them are listed
  dls_solution *solution;  // solutions of them; NULL when there is none, or none was found
  // That these are all: leaves that cover all modes. With friction, where solutions were counted
  // and the verdicts do not say that there is one only.
  int leaves;
  const dls_leaf *leaf;
  dls_limit limit[DLS_LIMIT_COUNT];
  // When the contacts cannot all stick: the least force that, applied in addition, lets them. Least
  // in the kinetic metric or in the Euclidean one, as can_all_stick's `by` says.
  double *extra_force;      // n; NULL when there is none, or it is not known
  double extra_force_size;  // its length in that metric
  dls_reduced reduced;
  dls_verdict verdict[DLS_QUESTION_COUNT];
} dls_check;

#define DLS_ASK(question) (1u << (question))
#define DLS_ASK_LIMIT(limit) (1u << (DLS_QUESTION_COUNT + (limit)))
#define DLS_ASK_SOLUTIONS (1u << (DLS_QUESTION_COUNT + DLS_LIMIT_COUNT))  // all of them, counted

typedef struct dls_check_options {
  double tolerance;        // relative size that decides zero or not; default 1e-9
  bool skip_acceleration;  // answer only the questions about M and G (impact)
  unsigned ask;            // DLS_ASK(question) bits, DLS_ASK_LIMIT(limit) bits, ...; 0: everything
  int object_size;         // coordinates of the object whose closure is asked about; 0: no object
  const int *object;       //
  int max_modes;           // combinations of modes to look at before giving up; default 20000
  // Called now and then with the part of the work that is done, 0 to 1; may be NULL. True stops the
  // check with DLS_ERR_STOPPED and without a result.
  bool (*watch)(void *self, double done);
  void *self;
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
