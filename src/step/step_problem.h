// Impulses by Coulomb's law: the incremental problem of a step or an impact, built on the KKT
// system of momentum.
//
//   u = J^T x_free + W r + w,   W = J^T K^-1 J                                         eq (int.2)
//
// J holds the normals and slip directions of contacts that have a law: unilateral ones, and the
// bilateral ones with slip. The problem is that of a set of them. Where few are declared, or a good
// part of them takes part, it is all: those that take no part have unit blocks in W and zeros
// elsewhere, so that pattern and solver stay the same from step to step. Elsewhere it is those that
// take part, made anew when these change: W costs what they cost, however many are declared.
//
// Contacts have the laws of delassus/law.h: cones, bilateral cones, and where accelerations are
// sought contacts that slide in a known direction. Without friction, a cone with mu = 0.
#ifndef DLS_STEP_STEP_PROBLEM_H
#define DLS_STEP_STEP_PROBLEM_H

#include "base/memory.h"
#include "contact/law.h"
#include "step/step_kkt.h"
#include <delassus/polyhedral.h>
#include <delassus/solve.h>

// Memory of the set, which grows.
typedef struct dls_step_problem_memory {
  ptrdiff_t members, blocks;  // that there is room for
  int *p, *row;               // of W
  int *contact;               // members: of the system
  double *mu, *bound;         // of the problem
  double *q, *r, *u;
  unsigned char *law;
  double *direction;
  int *first, *bucket, *mark;  // work: size of the KKT system + 2, as many as components, count
} dls_step_problem_memory;

typedef struct dls_step_problem {
  dls_snapshot *point;
  dls_step_kkt *kkt;
  dls_arena *arena;
  int count;      // contacts with a law
  int *contact;   // count: of the system
  int dimension;  // rows of a contact in the problem: 2 or 3
  int rows;       // dimension * count
  int members;    // contacts of the problem; -1: it has not been made
  int *member;    // members, of count, increasing
  int *place;     // count: in member[], or -1
  dls_incremental problem;
  dls_solver *solver;             // NULL for a single contact, or not made yet
  dls_polyhedral *pyramid;        // NULL: the round cone
  dls_polyhedral_options facets;  // facets.facets 0: no pyramid is wanted
  double stabilize;               // of the pyramid's problem,
  double pyramid_tolerance;       // and up to which error its answer counts
  dls_solve_report report;        // of the last solve of several contacts
  double tolerance;               // of the residual
  double closing;  // relative velocity up to which the pyramid leaves a contact closed

  // what the caller fills
  bool *active;        // count: takes part
  unsigned char *law;  // count: by dls_step_problem_set_law
  double *direction;   // count x (dimension - 1): of those that slide
  double *mu;          // count
  double *bound;       // count: impulses, of friction with a given bound
  double *r;           // rows: impulses; start in, answer out
  double *u;           // rows: out
  bool frictionless;   // normals only, whatever mu says

  // its own
  int *of;                           // m: place in contact[], or -1
  int *neighbour_first, *neighbour;  // members that share a component with a member, in order
  int *component_first, *component;  // count: components that a contact touches
  dls_step_problem_memory room;      // of the set
  double *W;                         // in units of its own:
  double unit, speed;                // k and V of eq (int.4), powers of two
  double *scale;                     // count: s_i
  bool filled;                       // W has its numbers
  double *x;         // DLS_STEP_KKT_COLUMNS x size of the KKT system, zero between calls
  double *q;         // rows: u where r = 0
  double *x_free;    // size of the KKT system
  double *r_before;  // rows
} dls_step_problem;

// tolerance: of the residual. hold in the KKT system: none of the contacts with a law.
dls_status dls_step_problem_create(dls_snapshot *point, dls_step_kkt *kkt, double tolerance,
                                   dls_step_problem **out, dls_message *message);
void dls_step_problem_free(dls_step_problem *c);   // NULL is fine
bool dls_step_problem_touch(dls_step_problem *c);  // part of create; false: out of memory

// The set for the contacts that take part; W is to be filled anew where it changes. False, with the
// trouble noted at the point: no memory, or too large. Called whenever `active` was set.
bool dls_step_problem_choose(dls_step_problem *c);

// Buckets of the contacts in list (of count, increasing) by the components that they touch:
// component k has bucket[first[k]] ... bucket[first[k + 1] - 1]. first: size of the KKT system + 2;
// bucket: as many numbers as `component` has.
void dls_step_problem_bucket(const dls_step_problem *c, int count, const int *list, int *first,
                             int *bucket);

// From now on a pyramid takes the place of the cone.
dls_status dls_step_problem_facet(dls_step_problem *c, const dls_polyhedral_options *options,
                                  dls_message *message);

// The solver of the set: made anew, or unless it is there or not needed for so many contacts
// (false: trouble, noted at the point); then, in units of its own, a problem of so many contacts
// that take part, `only` where it is one. False when the law was not met to tolerance.
dls_status dls_step_problem_make_solver(dls_step_problem *c, dls_message *message);
bool dls_step_problem_have_solver(dls_step_problem *c, int active);
bool dls_step_problem_solve_scaled(dls_step_problem *c, int active, int only);

int dls_step_problem_tangents(const dls_step_problem *c, int i);  // of contact i: 0, 1 or 2

// The law that contact i has among velocities; sliding: where its direction is known.
void dls_step_problem_set_law(dls_step_problem *c, int i, bool sliding);
// As the problem has it: without friction where there is none, or none is wanted.
dls_one_law dls_step_problem_law(const dls_step_problem *c, int i);
bool dls_step_problem_rubs(const dls_step_problem *c, int i);  // its friction is not 0

// Of contact i those that its force has: the normal alone without friction; and those whose
// velocities its law looks at: the normal alone where it slides, too.
int dls_step_problem_rows(const dls_step_problem *c, int i);
int dls_step_problem_looks_at(const dls_step_problem *c, int i);

// The matrix: column col of the block of member k and its neighbour, neighbour_first[k] +
// neighbour; unit blocks everywhere; W, unless it is there; and q -= W r.
double *dls_step_problem_block(const dls_step_problem *c, int k, int neighbour, int col);
void dls_step_problem_unit_blocks(dls_step_problem *c);
void dls_step_problem_refill(dls_step_problem *c);
void dls_step_problem_take_out(dls_step_problem *c);

bool dls_step_problem_any(const dls_step_problem *c);  // does some contact take part?

// The laws are met: x (size of the KKT system) is the motion without impulses in, and with them
// out; u = J^T x + w. w: rows. Velocities, accelerations and displacements alike. False when the
// law was not met to tolerance.
bool dls_step_problem_meet(dls_step_problem *c, const double *w, double *x);

// The same inside an iteration that looks at the residual itself, eq (mor.6): x by the factors
// alone, and it contains the impulses r that c holds (again), or none. stale: W is that of an
// earlier call.
bool dls_step_problem_correct(dls_step_problem *c, bool again, bool stale, const double *w,
                              double *x);

// In units of its own, eq (int.4): W after it was filled; q and r before a solver, q, u and r after
// it.
void dls_step_problem_rescale(dls_step_problem *c);
void dls_step_problem_original(dls_step_problem *c);  // W back, for those who look at it
void dls_step_problem_enter_units(dls_step_problem *c);
void dls_step_problem_gather_set(dls_step_problem *c);  // law, q and r to the problem of the set
void dls_step_problem_leave_units(dls_step_problem *c);

// How far r is from the laws at the velocities u (rows): |F| in units without units, relative to q
// and, unless it is NULL, to speed: the sizes of what velocities are made of. NaN stays. worst,
// unless it is NULL: the contact (of the system) that misses its law most.        eq (int.5)
double dls_step_problem_residual(const dls_step_problem *c, const double *u, const double *speed,
                                 int *worst);

// Is a tangential impulse strictly inside the cone of contact i? A slip and an impulse inside are
// both against the law: the one that is the smaller, as velocities, is the error. A normal impulse
// that goes through 0 leaves next to nothing of the cone, and the slip counts.
bool dls_step_problem_inside(const dls_step_problem *c, int i, double normal, double force,
                             double slip);
// The largest impulse of friction beside that normal impulse, as mu and bound of contact i are.
double dls_step_problem_limit(const dls_step_problem *c, int i, double normal);

// x += J r: what the impulses do, before K; sizes, or NULL: += the absolute values of all terms.
void dls_step_problem_add_J(const dls_step_problem *c, double *x, double *sizes);

// Impulses in the layout of dls_sample: contact after contact of the system, normal first.
void dls_step_problem_scatter(const dls_step_problem *c, double *impulse);
void dls_step_problem_gather(dls_step_problem *c, const double *impulse);

#endif
