// What all checks share: the problem, the report, and the finding that each fills.
#ifndef DLS_VERIFY_TRIAL_H
#define DLS_VERIFY_TRIAL_H

#include "verify/definite.h"
#include "verify/sum.h"
#include "verify/data.h"
#include "verify/saved.h"
#include "verify/rebuild.h"
#include "verify/tolerances.h"

// Accelerations and forces; arrays of n, m and tangents.
typedef struct dls_trial_point {
  const double *z, *lambda, *tau;
} dls_trial_point;

typedef struct dls_trial {
  const dls_saved_report *saved;
  const dls_model *model;  // may be NULL: no objects then
  const dls_system *system;
  const dls_seen_state *state;
  dls_data data;
  double tolerance;
  double decisive;   // of leaves, while it is not DLS_DECISIVE; else 0
  double margin;     // of ranks of modes, while it is not the noise; else 0
  double excluded;   // by the last empty leaf: solutions up to so many times the loads
  int looks;         // for solutions far away, so far
  bool others;       // what is excluded is a second solution: a proof up to some size is no fault
  dls_arena *arena;  // for the work
  dls_arena *kept;   // that one while another serves for a while; else NULL
  dls_arena *texts;  // for what findings say
  dls_sum sum;
  dls_trial_point solution;          // that the report shows, when solved
  dls_trial_point *shown_point;      // the same for those of `solutions`
  const struct dls_sets *sets;       // of all solutions; NULL: not known
  const struct dls_spans *spans[2];  // of the first one shown; NULL: not yet
  int shown;                         // how many points of `solutions`
  bool squeezed;   // contact forces that cancel count as size, up to DLS_DECISIVE times the rest
  bool sets_open;  // the sets are not known because rounding leaves them open
  bool wary;       // linear programs tell nothing that data within the tolerance would change
  bool out_of_memory;
  bool solved;  // the report shows a solution, and it is one
  // what verdicts have proven
  bool none, one_acceleration, one_force, many_accelerations, many_forces;
  bool unique_open;  // and have left open: whether there is one
  bool all_stick, not_all_stick, least_proven;
} dls_trial;

// Memory of the trial, zeroed; NULL, noted in out_of_memory, when there is none.
void *dls_trial_alloc(dls_trial *x, ptrdiff_t count, size_t size);

// A trial of another problem that has proven nothing yet; the sum owns memory and is not shared:
// dls_sum_clear. False, noted in out_of_memory: no memory.
bool dls_trial_other(dls_trial *x, const dls_problem *problem, dls_trial *other);

// What is allocated between the two is freed by the second; not nested. False: no memory.
bool dls_trial_borrow(dls_trial *x);
void dls_trial_return(dls_trial *x);

// The claim fails, and why; false. The first reason stays.
bool dls_fails(dls_trial *x, dls_finding *f, const char *format, ...) DLS_PRINTF(3, 4);
// The claim holds, and what that means; true. Not where a part of it is left open.
bool dls_proves(dls_trial *x, dls_finding *f, const char *format, ...) DLS_PRINTF(3, 4);
// Nothing is proven, and nothing is wrong either; false.
bool dls_leaves_open(dls_trial *x, dls_finding *f, const char *format, ...) DLS_PRINTF(3, 4);
// "exactly", or "to 1e-16": how well the equations of the claim hold.
const char *dls_precision(dls_trial *x, const dls_finding *f);
// Notes the residual of an equation; fails when it is larger than the limit, or NaN.
bool dls_within(dls_trial *x, dls_finding *f, double residual, const char *what);

// ---- parts of a witness: NULL after dls_fails when they are absent or malformed -----------------

// Numbers by name; a name that is left out counts as 0, an unknown one is a fault.
bool dls_read_named(dls_trial *x, dls_finding *f, const json_t *object, const char *key,
                    const char *const *names, int count, double *values);
double *dls_read_coordinates(dls_trial *x, dls_finding *f, const json_t *witness, const char *key);
// One vector over all contacts from its bilateral and its unilateral part, one of which may be
// absent.
double *dls_read_contacts(dls_trial *x, dls_finding *f, const json_t *witness, const char *key_b,
                          const char *key_u);
// {"contact": [numbers]}; absent: zeros. Forces, or multipliers of slips; and slip velocities.
double *dls_read_tangents(dls_trial *x, dls_finding *f, const json_t *witness, const char *key);
double *dls_read_slips(dls_trial *x, dls_finding *f, const json_t *witness, const char *key);
// Different names of a list; -1 for a fault. index: room for count.
int dls_read_set(dls_trial *x, dls_finding *f, const json_t *witness, const char *key,
                 const char *const *names, int count, int *index);
// acceleration, lambda_b, lambda_u, tau, by the names given.
bool dls_read_point(dls_trial *x, dls_finding *f, const json_t *witness, const char *const keys[4],
                    dls_trial_point *point);
extern const char *const dls_point_keys[4];

bool dls_has(const json_t *witness, const char *key);

// ---- products, enclosed ------------------------------------------------------------------------

// constant + a^T x for a column of n; size receives |constant| + |a|^T |x|.
dls_interval dls_column_times(dls_trial *x, double constant, const double *a, const double *v,
                              double *size);
// Row i of constant + M z - (G lambda + H tau) with sign -1, or + with sign 1; z, lambda and tau
// may be NULL. load and contact receive |constant| + |M| |z| and |G| |lambda| + |H| |tau|.
typedef struct dls_enclosed_row {
  dls_interval value;
  double load, contact;
} dls_enclosed_row;

dls_enclosed_row dls_step_kkt_row(dls_trial *x, int i, double constant, const double *z,
                                  double sign, const double *lambda, const double *tau);

// Largest of the entries of a part so far: x = max(x, value), NaN kept.
static inline void dls_raise(double *x, double value)
{
  *x = dls_larger(*x, value);
}

// error / size, made larger than the limit when the error is not DLS_DECISIVE times smaller than
// the load: large terms that cancel must not hide that an equation fails.            eq (chk.3)
double dls_relative(const dls_trial *x, double error, double size, double load);

// For vectors that need not vanish in one part only: the smallest error / size of the parts in
// which there is something, or the largest error over the size of all parts when that is larger, so
// that the other parts may hold rounding but nothing else. Infinite when all sizes are 0.
double dls_best_part(const dls_data *d, const double *error, const double *size);

// |value| in scaled units, rounded up.
static inline double dls_magnitude(dls_interval value, double unit)
{
  return dls_mul_up(dls_interval_abs(value).high, unit);
}

#endif
