// What an impact makes of the velocities: Newton's law with a matrix, Moreau's law, friction.
//
// As a check: constant, and the contact state must outlive it. In delassus-io.
#ifndef DELASSUS_IMPACT_H
#define DELASSUS_IMPACT_H

#include <delassus/check.h>
#include <delassus/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

// At an impact positions stay and velocities jump. With u = G_u^T v + dh/dt the normal velocities
// of the closed unilateral contacts, which are <= 0 before (separating contacts take no part),
//
//   M (v+ - v-) = G_b p_b + G_u p_u + H p_t,   G_b^T (v+ - v-) = 0,   p_u >= 0         eq (imp.1)
//
// and a law for the contacts: Newton's, u+ = -E u- with a restitution matrix E, for which there may
// be no percussions (eq (imp.2)); or Moreau's, 0 <= p_u _|_ u+ + e u- >= 0 (eq (imp.3)). With
// friction the slip velocities after the impact and p_t obey Coulomb's law. Or, where the system
// says so, Poisson's: a compression, which is Moreau's with e = 0, and a restitution with e times
// its percussions, eq (poi.1), (poi.2). The first two laws are contact
// problems, eq (con.3), in the jump z = v+ - v- with F = 0, b_b = 0, b_u = u- + E u-  (eq (imp.5)).

typedef enum dls_impact_law {
  DLS_LAW_NONE,
  DLS_LAW_NEWTON,
  DLS_LAW_MOREAU,
  DLS_LAW_POISSON
} dls_impact_law;
DLS_API const char *dls_impact_law_name(dls_impact_law law);  // "Newton", "Moreau", "Poisson", ""

// What becomes of the energy in the contacts: the sign of the work of the percussions, beyond the
// tolerance.
typedef enum dls_energy_balance {
  DLS_ENERGY_KEPT,
  DLS_ENERGY_LOST,
  DLS_ENERGY_GAINED,
  DLS_ENERGY_UNKNOWN
} dls_energy_balance;
DLS_API const char *dls_energy_balance_name(dls_energy_balance balance);  // "kept", "lost", ...

// One way in which the velocities may jump.
typedef struct dls_impact_motion {
  const double *jump;          // n: v+ - v-
  const double *after;         // n: v+
  const double *p_b, *p_u;     // m_b, m_u: percussions; of least norm without friction
  const double *p_t;           // tangents
  const double *normal_after;  // m_u: u+
  const double *above;         // m_u: u+ + E u-, 0 where the contact does what its law says
  const double *slip_after;    // tangents
  const unsigned char *mode;   // m_b + m_u: dls_mode of each contact; detach: no percussion
  dls_continuum continuum;     // ACCELERATION: many velocities, FORCES: many percussions
  double residual;             // of eq (con.3), (fri.2), recomputed
  double kinetic_after;        // 1/2 v+^T M v+
  double kinetic_change;       // 1/2 (v+ - v-)^T M (v+ + v-)
  // Work of the percussions, 1/2 p^T (u- + u+) with the slips, and the sum of its magnitudes. It is
  // the change of kinetic energy unless contacts move on their own.                  eq (imp.4)
  double work, work_size;
  dls_energy_balance balance;
} dls_impact_motion;

// A law as a contact problem in the jump, and what was found out about it. In the witnesses of the
// verdicts the acceleration is the jump of the velocities, and forces are percussions.
typedef struct dls_impact_problem {
  dls_problem problem;
  const dls_check *check;
  dls_verdict exists, unique, percussions_unique;
  int motions;  // listed; check->solution_count says how many there are
  const dls_impact_motion *motion;
} dls_impact_problem;

typedef struct dls_impact {
  int n, m_b, m_u, tangents;
  int second_count;             // solutions of Poisson's second phase; -1: not known
  const double *E;              // m_u x m_u
  bool coupled;                 // E has entries off its diagonal
  bool friction;                // Coulomb's law takes part
  bool separates;               // -E u- >= 0
  bool poisson;                 // see `compression`
  const double *normal_before;  // m_u: u-, 0 where it counts as zero
  const double *slip_before;    // tangents, likewise
  double kinetic_before;        // 1/2 v-^T M v-

  // The law that gives the motion: Newton's when it has percussions, all contacts separate or stay
  // closed and energy does not grow; else Moreau's. NULL when neither has a motion.
  dls_impact_law law;
  const dls_impact_motion *motion;

  // By Poisson's law, which is asked for and alone then: `moreau` is the compression, with e = 0,
  // and `compression` the one of its motions that `motion` goes on from.       eq (poi.1), (poi.2)
  const dls_impact_motion *compression;

  dls_verdict newton;                  // are there percussions with u+ = -E u-?
  const dls_impact_motion *by_newton;  // NULL unless yes

  dls_impact_problem moreau;  // eq (imp.3), with the diagonal of E
  dls_impact_problem matrix;  // the same with all of E; moreau when nothing is coupled

  // Moreau's velocities as a projection in the kinetic metric and by the complementarity problem of
  // the percussions: largest difference, relative; NaN with friction or where A_c is undefined.
  double projection_difference;

  // With friction: the same law as an incremental problem, eq (inc.2).
  bool incremental_ran;  // M is definite, no bilateral contact rubs
  bool incremental_converged;
  const char *incremental_solver;
  double incremental_residual;    // of eq (con.3), (fri.2)
  double incremental_difference;  // from Moreau's motion, relative to the largest velocity jump;
                                  // NaN when one of the two is absent or there are several
} dls_impact;

typedef struct dls_impact_options {
  double tolerance;  // relative size that decides zero or not; default 1e-9
  const double *E;   // m_u x m_u, over the closed unilateral contacts; NULL: the contacts' own
                     // coefficients on the diagonal; see dls_model_restitution_matrix
  int max_modes;     // as in dls_check_options
  bool (*watch)(void *self, double done);  // likewise; for each law from 0 to 1
  void *self;
} dls_impact_options;

DLS_API dls_impact_options dls_impact_defaults(void);

// The state must be impacting, and live as long as the impact. DLS_ERR_ARGUMENT when it is not, or
// when a coefficient on the diagonal of E is negative; DLS_ERR_NUMBER when a number is not finite.
DLS_API dls_status dls_impact_create(const dls_contact_state *contact_state,
                                     const dls_impact_options *options, dls_impact **impact,
                                     dls_message *message);
DLS_API void dls_impact_free(dls_impact *impact);

#ifdef __cplusplus
}
#endif
#endif
