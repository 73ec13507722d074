// One function per question: fills the finding from the witness of a yes or a no.
#ifndef DLS_VERIFY_CHECKS_H
#define DLS_VERIFY_CHECKS_H

#include "verify/trial.h"

typedef void dls_check_function(dls_trial *x, dls_finding *f, const json_t *witness, bool yes);

dls_check_function dls_check_mass, dls_check_independent, dls_check_compatible, dls_check_mfcq,
    dls_check_delassus_definite, dls_check_exists, dls_check_unique, dls_check_forces,
    dls_check_every_load, dls_check_all_stick, dls_check_form_closure, dls_check_force_closure,
    dls_check_step;

// The numbers of the report that are not verdicts.
void dls_check_solution(dls_trial *x, dls_finding *f, const json_t *solution);
void dls_check_delassus(dls_trial *x, dls_finding *f, const json_t *delassus);
void dls_check_range(dls_trial *x, dls_finding *f, const char *contact, const json_t *range);
// listed: how many solutions are; covering: leaves, or NULL.
void dls_check_count(dls_trial *x, dls_finding *f, const json_t *value, ptrdiff_t listed,
                     const json_t *covering);
// Solution k is one point, or has many forces, or many accelerations: in these words.
void dls_check_continuum(dls_trial *x, dls_finding *f, int k, const json_t *value,
                         const char *const words[3]);
// Notes a solution that is shown and proven; false when memory runs out.
bool dls_show(dls_trial *x, const dls_trial_point *point);
// definite: the answer of the verdict.
void dls_check_mass_numbers(dls_trial *x, dls_finding *f, const json_t *mass, const char *definite);
// Combinations of gradients that cancel, independent of each other, `most` of them; none, too.
bool dls_check_dependencies(dls_trial *x, dls_finding *f, const json_t *array, int most);
void dls_check_constraint_numbers(dls_trial *x, dls_finding *f, const json_t *constraints);
void dls_check_gauss(dls_trial *x, dls_finding *f, const json_t *gauss);
void dls_check_reduced(dls_trial *x, dls_finding *f, const json_t *reduced);
// All closed contacts as if no constraint were kept, eq (del.1), and their angles, eq (kin.1).
void dls_check_unconstrained(dls_trial *x, dls_finding *f, const json_t *delassus);
void dls_check_angles(dls_trial *x, dls_finding *f, const json_t *angles);
// The number of that key; NaN when it is null or absent, false after dls_fails when it is no number
// >= 0. And whether a limit is said to be infinite.
bool dls_read_limit(dls_trial *x, dls_finding *f, const json_t *limit, const char *key,
                    double *value);
bool dls_is_infinite(const json_t *limit);
void dls_check_critical(dls_trial *x, dls_finding *f, const json_t *limit);
void dls_check_sufficient(dls_trial *x, dls_finding *f, const json_t *limit);
void dls_check_least(dls_trial *x, dls_finding *f, const json_t *limit);
void dls_check_attained(dls_trial *x, dls_finding *f, const json_t *limit);

// ---- what they share: true when proven, else dls_fails has said why -----------------------------

dls_scaled dls_scaled_mass(const dls_data *d);
bool dls_prove_mass(dls_trial *x, dls_finding *f);
bool dls_check_mass_pivots(dls_trial *x, dls_finding *f, const json_t *witness);
// The gradients of some contacts are independent, beyond rounding.
bool dls_prove_independent(dls_trial *x, dls_finding *f, const int *contact, int count);
// Those that are stay so within the tolerance of the state; else the claim is left open. The same
// of all contacts.                                                                eq (num.3)
bool dls_stay_independent(dls_trial *x, dls_finding *f, const int *contact, int count);
bool dls_all_stay_independent(dls_trial *x, dls_finding *f);
// By how much a singular value of the gradients may change within the tolerance of the state.
double dls_gradient_ambiguity(dls_trial *x);
// |H_j^T v|, with what is imposed or without.
dls_interval dls_slip_length(dls_trial *x, int j, const double *v, bool imposed);
// Bilateral contacts with friction: a direction or velocity for each choice of their signs.
//                                                                          eq (stp.2), (stp.3)
void dls_check_step_signs(dls_trial *x, dls_finding *f, const json_t *leaves);
// Their rows at the `coordinates` of the witness form a nonsingular matrix.
bool dls_check_minor(dls_trial *x, dls_finding *f, const json_t *witness, const int *contact,
                     int count);

// Weights that show that friction is weak: one solution at most.                  eq (fri.11)
void dls_check_weak(dls_trial *x, dls_finding *f, const json_t *witness, bool forces);

// A = L diag(pivots) L^T, for a matrix that differs by no more than the tolerance times
// unit_i unit_j from A.
bool dls_check_pivots(dls_trial *x, dls_finding *f, const dls_intervals A, const double *pivots,
                      const double *unit);
// [M; G^T of some contacts] has full column rank, beyond rounding.
bool dls_stack_rank(dls_trial *x, const int *contact, int count);
// M is definite where G_b^T vanishes.
bool dls_prove_delassus_defined(dls_trial *x, dls_finding *f);
bool dls_check_delassus_pivots(dls_trial *x, dls_finding *f, const json_t *witness);
// Bilateral contacts whose gradients are independent and span, up to `zero`, those of all; their
// number, or -1 when memory runs out.
int dls_independent_bilateral(dls_trial *x, double zero, int *contact);

// No acceleration is admissible: lambda_b, lambda_u with G lambda = 0 and b^T lambda < 0.
// bilateral: by the bilateral constraints alone.
void dls_check_farkas(dls_trial *x, dls_finding *f, const json_t *witness, bool bilateral);

// The matrix by rows is A_c.
bool dls_check_delassus_matrix(dls_trial *x, dls_finding *f, const json_t *matrix);
// A number lies where it was found, up to the tolerance times the size; `what` when it does not.
bool dls_check_number(dls_trial *x, dls_finding *f, const json_t *claimed, dls_interval found,
                      double size, const char *what);

// The point solves the contact problem to the tolerance; `who` names it in messages. stick: the
// problem where nothing detaches and what sticks goes on sticking.
bool dls_check_solves(dls_trial *x, dls_finding *f, const dls_trial_point *point, bool stick,
                      const char *who);
// Its balance of forces alone.
bool dls_check_balance(dls_trial *x, dls_finding *f, const dls_trial_point *point, const char *who);

// What accelerations and forces are measured by, for each part: the terms of the equations that
// they appear in. Contact forces that cancel do not count in the balance.
typedef struct dls_sizes {
  double *balance, *force, *acceleration;
} dls_sizes;

bool dls_measure_point(dls_trial *x, const dls_trial_point *point, dls_sizes *size);
// The unilateral contact has a normal acceleration > 0, beyond the tolerance.
bool dls_opens(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact);
// That acceleration, at least, relative; 0: not proven to be positive.
double dls_opens_by(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact);

// {CONTACT: {"normal", "tangential"}} of all closed contacts: lambda, m; tau, slips.
bool dls_read_forces(dls_trial *x, dls_finding *f, const json_t *forces, double *lambda,
                     double *tau);

// How far the contact is from the mode that a report names, and its normal (slip -1) or tangential
// acceleration from a number; relative.
double dls_mode_error(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact,
                      const char *mode);
double dls_acceleration_error(dls_trial *x, const dls_trial_point *point, dls_sizes *size,
                              int contact, int slip, double claimed);

// How near an exact solution lies; NaN when none is proven to exist.
double dls_exact_solution(dls_trial *x, const dls_trial_point *point);
// dls_proves with what follows for a point that solves.
bool dls_proves_solution(dls_trial *x, dls_finding *f, const dls_trial_point *point,
                         const char *what);

#endif
