// Parts of the all-sticking question, see sticking.h.
#ifndef DLS_CERTIFY_STICKING_INTERNAL_H
#define DLS_CERTIFY_STICKING_INTERNAL_H

#include "certify/polyhedra.h"
#include "convex/cone.h"
#include "linalg/triplets.h"

// Held contacts have slips and do not slide: what is asked is whether they can stick.
typedef struct dls_stick {
  dls_polyhedra *polyhedra;    // coefficients as given, or a common one in their place
  const bool *held;            // m
  const int *slip_row;         // tangents: number of each slip of a held contact, or -1
  int held_tangents;           //
  bool unlimited;              // forces of held contacts are bounded by no coefficient
  bool definite;               // M is
  bool explain;                // a no: with the missing force and the contacts that open
  double least_margin;         // what a proof must exceed
  bool keep_leaves;            // for a witness
  bool exactly;                // proofs come without rounding
  bool nearby;                 // leaves of the least coefficient: every entry counts
  bool doubtful;               // contacts depend on each other almost, eq (num.1)
  bool nearly;                 // their gradients alone do
  dls_leaf *leaf;              //
  ptrdiff_t leaves, capacity;  //
  dls_point point;             // what was found
  double margin;               // of the point, or of the weakest proof
  double slack;                // most room in all cones, where the program told it; NaN
  struct dls_stick_rest *rest;
  struct dls_stick_exact *exact;     // NULL: not for this problem
  struct dls_stick_exact *objector;  // not for answers, but for doubts; may be NULL
  dls_point user;                    // work memory
  dls_proof proof;                   //
  long double *sums;                 // 3 n
} dls_stick;

typedef enum dls_stick_outcome {
  DLS_STICK_YES,
  DLS_STICK_NO,
  DLS_STICK_AMBIGUOUS
} dls_stick_outcome;

// The mode of contact j in the polyhedron that is asked about; bilateral contacts with friction
// carry DLS_MODE_EITHER.
int dls_stick_mode(const dls_stick *stick, int contact);

// Largest violation of eq (stk.1) by a point, relative. With modes, contacts of either sign are
// left out. *room: least room in a cone, relative to the load; *worst: the contact that violates
// its law most, or -1.
double dls_stick_fault(const dls_stick *stick, const unsigned char *mode, const dls_point *point,
                       double *slack, int *worst);

// Checks the proof, and keeps it as a leaf when it is good and leaves are wanted.
dls_status dls_stick_prove(dls_stick *stick, const unsigned char *mode, double *margin);

// Forces that are unique, or known up to one number (planar contacts), by one dense system.
typedef enum dls_stick_known { DLS_FORCES_MANY, DLS_FORCES_POINT, DLS_FORCES_LINE } dls_stick_known;

typedef struct dls_stick_forces {
  dls_stick_known known;
  int size;
  double *K, *y;      // size x size, size: (z, lambda, tau of held contacts)
  double *v;          // size: the line is y + x v
  double *U, *S, *V;  // of K, along a line
  const double *r;    // K y = r
  double *rest;       // work memory
} dls_stick_forces;

dls_status dls_stick_forces_create(dls_stick *stick, dls_stick_forces *forces);
dls_status dls_stick_direct(dls_stick *stick, const dls_stick_forces *forces,
                            dls_stick_outcome *outcome);

// Along a line; and the least common coefficient there, NaN when it is not a point's.
dls_status dls_stick_line(dls_stick *stick, const dls_stick_forces *forces,
                          dls_stick_outcome *outcome);
dls_status dls_stick_line_least(dls_stick *stick, const dls_stick_forces *forces, double *mu);

// Shared by the two: the point of y; the proof that l^T y >= 0 contradicts the equations.
// The nearest point with K y = r (NULL: 0) to rounding.
void dls_stick_line_correct(const dls_stick_forces *forces, const double *r, double *y);
void dls_stick_forces_point(const dls_stick *stick, const double *y, dls_point *point);
dls_status dls_stick_forces_prove(dls_stick *stick, const dls_stick_forces *forces, const double *l,
                                  const unsigned char *mode, double *margin);
int dls_stick_tau(const dls_stick *stick, int slip);  // its place in y

// The least common coefficient, in the user's units, for which a point's forces lie in the cones of
// the held contacts. Forces up to `zero` count as none; INFINITY where there is a tangential force
// without a normal one, NaN where that is not certain.
double dls_stick_ratio(const dls_stick *stick, const dls_point *point, double zero);

// The general case: a tree over the signs of bilateral forces, a conic program at each node.
dls_status dls_stick_search(dls_stick *stick, dls_stick_outcome *outcome);

// The accelerations of the all-sticking problem, whatever the forces, where no contact slides:
// min 1/2 z^T M z + F^T z with all accelerations of eq (stk.1) zero. M z is unique, and so is the
// total force w of the contacts: the forces of eq (stk.1) are those with G lambda + H tau = w.
typedef struct dls_stick_rest {
  bool known;          // z and w are there
  bool contradiction;  // there are none; the proof is d, alpha, sigma
  double *z, *w;       // n
  dls_proof proof;
} dls_stick_rest;

dls_status dls_stick_rest_create(dls_stick *stick, dls_stick_rest *rest);
// Completes a proof whose d is good for the cones: adds to d what no contact feels, and finds alpha
// and sigma.
dls_status dls_stick_rest_complete(const dls_stick *stick, dls_proof *proof);

// Puts one coefficient (in the user's units) in the place of those of the held contacts.
void dls_stick_set_friction(dls_stick *stick, double mu);
dls_status dls_stick_least(dls_stick *stick, const dls_stick_forces *forces, dls_limit *limit);

// Adds the witnesses of the bracket, where there are some.
dls_status dls_stick_show_least(dls_stick *stick, const dls_stick_forces *forces, dls_limit *limit);

// The least additional force; *found false when there is none or it is not known.
dls_status dls_stick_extra_force(dls_stick *stick, double *force, double *size, bool *found);
// Which unilateral contacts open when friction knows no limit, STK (43); count 0 when none, or
// when that is not known.
dls_status dls_stick_opening(dls_stick *stick, int *contact, int *count);

// --- without rounding ---------------------------------------------------------------------------

// Sets stick->doubtful; and stick->exact for planar contacts that depend on each other beyond doubt
// or not at all.
dls_status dls_stick_exact_create(dls_stick *stick);

// Can stick->point, which exists without rounding and has this fault as doubles, be checked?
bool dls_stick_exact_holds(const dls_stick *stick, double fault);

// The largest force of stick->point, in loads; at least 1.
double dls_stick_size(const dls_stick *stick);

// As dls_stick_search. A no is one even where the proof does not pass the check: the margin tells.
dls_status dls_stick_exact_search(dls_stick *stick, dls_stick_outcome *outcome);
// Is the answer another one for the data as they are, beyond rounding? Where stick->exact is NULL.
dls_status dls_stick_exact_objects(dls_stick *stick, dls_stick_outcome found, bool *objects);
// The same as the first, but forces outside the cones by rounding of the data only are inside.
dls_status dls_stick_exact_answer(dls_stick *stick, dls_stick_outcome *outcome);
// The same as the first with one coefficient, a fraction in the user's units, in the place of those
// of the held contacts. *serves: a no holds for all coefficients below.
dls_status dls_stick_exact_fraction(dls_stick *stick, double numerator, double denominator,
                                    dls_stick_outcome *outcome, double *serves);
// every: any coefficient > 0 is enough. some: one is. known: that is certain.
dls_status dls_stick_exact_range(dls_stick *stick, bool *every, bool *some, bool *known);
// The least coefficient; *known false when it is not, and nothing has been said.
dls_status dls_stick_exact_least(dls_stick *stick, dls_limit *limit, bool *known);

// --- programs -----------------------------------------------------------------------------------

// x of least norm with J x = r, as far as there is one (least squares); J of the given entries.
dls_status dls_least_norm(int rows, int cols, const dls_triplets *J, const double *r, double *x);

// What a program asks for: the most room in the cones, or the least additional force.
typedef enum dls_stick_goal {
  DLS_STICK_ROOM,
  DLS_STICK_FORCE_KINETIC,
  DLS_STICK_FORCE_PLAIN,
} dls_stick_goal;

// Rows of a contact's cone in the conic program.
typedef struct dls_stick_block {
  int contact, at, size;
} dls_stick_block;

// Columns: z (n), lambda (m), tau, sizes |lambda| of sliding contacts of either sign, and the goal.
// Rows: balance (n), normal accelerations (m), slip accelerations of held contacts; cones. Where
// the total force w is given, accelerations are left out: their columns and rows are empty.
typedef struct dls_stick_program {
  int cols, rows, zero, nonneg, cones, goal;  // goal: its first column
  int *tau_at, *turn_at;                      // tangents, m: columns, or -1
  int *cone_size;
  dls_stick_block *block;
  int blocks;
  double *b, *q;
  dls_sparse *A, *P;
} dls_stick_program;

dls_status dls_stick_program_create(const dls_stick *stick, const unsigned char *mode,
                                    dls_stick_goal goal, const double *w,
                                    dls_stick_program *program);
void dls_stick_program_free(dls_stick_program *program);
// x: cols; s, y: rows, may be NULL.
dls_status dls_stick_program_solve(const dls_stick_program *program, double *x, double *s,
                                   double *y, dls_cone_report *report);
void dls_stick_program_point(const dls_stick *stick, const unsigned char *mode,
                             const dls_stick_program *program, const double *x, dls_point *point);

// How the solution of a program lies in each contact's cone, and its multiplier in the dual cone:
// inside, on the boundary, at the apex.
typedef enum dls_stick_place { DLS_INSIDE, DLS_BOUNDARY, DLS_APEX } dls_stick_place;

// Corrects a point (x, of the program) or a proof (stick->proof) to rounding. *good: the point
// passes the check; a proof is for dls_stick_prove to judge.
dls_status dls_stick_polish_point(dls_stick *stick, const unsigned char *mode,
                                  const dls_stick_program *program, unsigned char *place, double *x,
                                  bool *good);
dls_status dls_stick_polish_proof(dls_stick *stick, const unsigned char *mode,
                                  unsigned char *place);

#endif
