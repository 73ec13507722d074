// One call of a solver: the point, the best one so far, and when to stop. All methods share it.
#ifndef DLS_SOLVE_SOLVER_RUN_H
#define DLS_SOLVE_SOLVER_RUN_H

#include "base/memory.h"
#include "solve/operator.h"

#include <delassus/solve.h>

typedef struct dls_run {
  const dls_incremental *problem;  // in the units of the run, units.h
  dls_solve_options options;
  dls_operator *op;
  dls_arena *arena;  // for what methods need; it lives as long as the solver
  int d, contacts, blocks, rows, padded, dof;
  const double *mu;
  const unsigned char *law;  // contacts; NULL: all have the cone
  unsigned laws;             // that there are, DLS_LAW_BIT
  double norm_q;
  double velocity;  // what velocities are measured in, in the units of the data
  double unit;      // of impulses beside velocities: about the mean of the diagonal of W

  // the point of the method: it sets r; u follows when it is measured
  double *r, *u;
  double error;  // |F| / |q| of it, with impulses times unit
  double *best_r;
  double best;            // error of the best point
  const char *best_name;  // the method that found it
  double goal;            // for best
  // Asked when the goal is reached; NULL: that is enough. DLS_STOP_STALLED: to go on, to a goal
  // that was lowered.
  dls_stop (*accept)(struct dls_run *run);
  void *solver;    // of accept
  int rejections;  // goals that were reached and lowered

  const char *name;  // the method at work
  int iterations;    // of all methods
  bool over;         // nothing may go on: converged, out of time, interrupted
  bool begun;        // r is what the method's `first` made of zero, and not measured yet
  dls_stop stop;
  double start;  // seconds, of the monotonic clock
  int moments;
  int stride, skipped;  // every so many points are kept, and how many were left out since the last
  dls_solve_sample *history;
  void *sweeps;          // Gauss-Seidel's own, once some method made it
  bool prepared;         // the operator factors
  dls_status preparing;  // what preparing it said
} dls_run;

// A new call: nothing is known, and the clock starts.
void dls_run_begin(dls_run *run);

// Zero, where u = q, is the first best point; run->r may be anywhere.
void dls_run_measure_zero(dls_run *run);

// u and error of r; keeps the best point. Returns the error.
double dls_run_measure(dls_run *run);

// The same for a method that has found the error of run->r itself, more cheaply; run->u stays as it
// was, so that the method must end with dls_run_return.
void dls_run_offer(dls_run *run, double error);

// The end of an iteration, after a measurement: counts it, and says whether to go on. The method
// returns when not.
bool dls_run_next(dls_run *run);

// Whether the operator can factor; the first call orders and allocates.
bool dls_run_prepare(dls_run *run);

// The same at creation, so that solving allocates nothing: DLS_ERR_MEMORY, or DLS_OK.
dls_status dls_run_plan(dls_run *run);

// The method gives up for this reason, unless there was one before.
void dls_run_give_up(dls_run *run, dls_stop why);

// Goes back to the best point.
void dls_run_return(dls_run *run);

double *dls_run_vector(dls_run *run);        // padded numbers of the arena, or NULL
double *dls_run_blocks(dls_run *run);        // d x d numbers per block
double dls_run_seconds(const dls_run *run);  // 0 while the clock stands

// ---- the table ---------------------------------------------------------------------------------

typedef struct dls_method {
  dls_solver_info info;
  int max_iterations;  // its own limit; the user's goes first
  // Allocates from the arena of the run. *self may stay NULL.
  dls_status (*create)(dls_run *run, void **self);
  void (*iterate)(dls_run *run, void *self);  // from run->r; allocates nothing
  // The first iteration from run->r = 0, without measuring; sets run->begun when it did something.
  // True when the problem may well be solved. May be NULL.
  bool (*first)(dls_run *run, void *self);
  void (*destroy)(void *self);  // may be NULL, as self
} dls_method;

// What methods take that know nothing but the cone.
#define DLS_LAWS_BOUNDED (DLS_LAW_BIT(DLS_LAW_BOUNDED) | DLS_LAW_BIT(DLS_LAW_BILATERAL_BOUNDED))
#define DLS_LAWS_CONE (DLS_LAW_BIT(DLS_LAW_CONE) | DLS_LAW_BIT(DLS_LAW_UNILATERAL))

static inline bool dls_method_takes(const dls_method *method, const dls_run *run)
{
  return (run->laws & ~method->info.laws) == 0;
}

extern const dls_method *const dls_methods[];
extern const int dls_method_count;

extern const dls_method dls_method_auto, dls_method_gauss_seidel, dls_method_newton,
    dls_method_interior, dls_method_smoothing, dls_method_newton_fb, dls_method_proximal,
    dls_method_admm, dls_method_extragradient, dls_method_nsgs_anderson, dls_method_cvx_interior,
    dls_method_cvx_apgd, dls_method_pyramid, dls_method_coloured_gs;

// The `self` of a solver's method, for programs that measure it.
void *dls_solver_self(dls_solver *solver);

#endif
