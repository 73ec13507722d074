// All solutions of the contact problem with friction: the tree of modes, cut where a linear program
// shows that nothing lies below, and at its leaves points, polyhedra, or proofs that there is
// nothing.
#ifndef DLS_CERTIFY_MODES_H
#define DLS_CERTIFY_MODES_H

#include "certify/polyhedra.h"
#include "certify/weak_friction.h"
#include "convex/lp.h"
#include "convex/lp_exact.h"

// A nonempty polyhedron: one point of it, and how far it extends.
typedef struct dls_set {
  unsigned char *mode;  // at the point, where that is all; to rounding
  unsigned char *own;   // in which it was found
  dls_point point;
  int dimension;    // 0: the point is all
  bool moves;       // accelerations differ within the polyhedron
  bool strains;     // forces do
  bool degenerate;  // the polyhedron's equations alone do not determine one point
  bool certain;     // the dimension is beyond doubt
  bool tense;       // forces may differ, by less than the tolerance
  int component;    // polyhedra that touch each other have one number: the index of one of them
} dls_set;

typedef struct dls_modes {
  dls_polyhedra *polyhedra;
  int visited, limit;  // polyhedra and nodes looked at, and how many may be
  bool ambiguous;      // some polyhedron could not be settled
  bool given_up;       // the limit was reached
  dls_weakness weak;   // looked for where these leave questions
  double margin;       // the least margin of a proof of emptiness
  dls_set *set;
  ptrdiff_t sets, set_capacity;
  int components;
  bool keep_leaves;
  dls_leaf *leaf;
  ptrdiff_t leaves, leaf_capacity;
} dls_modes;

// Visits all modes (mode_tree.c). keep_leaves: also keep the tree for a witness.
dls_status dls_modes_enumerate(dls_polyhedra *polyhedra, int limit, bool keep_leaves,
                               dls_modes *modes);
void dls_modes_free(dls_modes *modes);

// The mode that contact j of a solution is in, by its own accelerations and forces: the law may
// hold at the point of a polyhedron although the polyhedron's inequalities do not.
int dls_mode_at(const dls_polyhedra *polyhedra, int j, const dls_point *point);

// May a contact in space start to slide? In which direction no finite number of modes tells.
bool dls_modes_spatial(const dls_polyhedra *polyhedra);

// The largest of the accelerations and forces of a point; at least the load.
double dls_point_size(const dls_polyhedra *polyhedra, const dls_point *point);

// Does the tree leave open whether there are solutions that it has not found?
bool dls_modes_open(const dls_modes *modes);

// Which sets touch each other: numbers their components.
dls_status dls_modes_connect(dls_modes *modes);

// --- one polyhedron ------------------------------------------------------------------------------

typedef enum dls_polyhedron_outcome {
  DLS_POLYHEDRON_EMPTY,
  DLS_POLYHEDRON_SET,
  DLS_POLYHEDRON_DOUBT
} dls_polyhedron_outcome;

// Work memory for the polyhedra, made once.
typedef struct dls_polyhedron_work {
  dls_polyhedron polyhedron;
  double *y, *w, *turned, *target;
  dls_point point, rounded, user;
  dls_proof proof;
} dls_polyhedron_work;

dls_status dls_polyhedron_work_create(dls_polyhedra *polyhedra, dls_polyhedron_work *work);
// Only what dls_polyhedron_accept needs.
dls_status dls_polyhedron_work_points(dls_polyhedra *polyhedra, dls_polyhedron_work *work);

// What rounding of the data leaves open at a point, relative to the load: the more the larger its
// forces are.                                                                         eq (num.1)
double dls_polyhedron_open(const dls_polyhedra *polyhedra, const dls_point *point);

// Is work->point, of the polyhedron of `mode`, a solution? Removes rounding noise from it when that
// leaves it one. A residual that rounding of the data does not explain needs a point of the
// polyhedron next to it, in whole numbers. eq (num.1)
dls_status dls_polyhedron_accept(const dls_polyhedra *polyhedra, const unsigned char *mode,
                                 dls_polyhedron_work *work, bool *good);

// The proof that belongs to a combination kappa of the polyhedron's inequalities, with K^T w the
// sum of their rows (w in work->w).
void dls_polyhedron_proof(const dls_polyhedra *polyhedra, dls_polyhedron_work *work,
                          const double *kappa);

// What a polyhedron is in which every contact has a mode: empty, with a checked proof in
// work->proof, or a set, with a point of it in work->point.
dls_status dls_polyhedron_analyse(dls_polyhedra *polyhedra, const unsigned char *mode,
                                  dls_polyhedron_work *work, dls_set *set, double *margin,
                                  dls_polyhedron_outcome *outcome);

// A polyhedron whose matrix is singular: a linear program on its kernel. On DLS_POLYHEDRON_SET
// fills work->point and the dimension; on DLS_POLYHEDRON_EMPTY work->proof has been checked, with
// its margin.
dls_status dls_polyhedron_degenerate(dls_polyhedra *polyhedra, const unsigned char *mode,
                                     dls_polyhedron_work *work, dls_set *set, double *margin,
                                     dls_polyhedron_outcome *outcome);

// --- linear programs over (z, lambda, tau) ----------------------------------------------------

// The polyhedron of `mode` (DLS_MODE_ANY: a relaxation of all modes of a contact) as a linear
// program; spatial cones by circumscribed polygons.
typedef struct dls_polyhedron_program {
  dls_lp *lp;
  int rows, cols;
} dls_polyhedron_program;

// Which part of it. Simplex steps in an unbounded polyhedron can end anywhere, with digits lost
// accordingly: whoever wants numbers asks near a point.
typedef struct dls_polyhedron_region {
  const unsigned char *other;  // within this polyhedron, too
  const dls_point *near;       // at most `radius` away from this point in each entry
  double radius;
  bool directions;  // the directions in which the polyhedron is unbounded, entries at most 1
  bool bounded;     // low <= y_entry <= high, or low <= along^T y <= high
  int entry;
  const double *along;  // n + m + tangents; NULL: one entry
  double low, high;
} dls_polyhedron_region;

// The data of the program: row_low <= A y <= row_high, col_low <= y <= col_high. A is to be freed.
typedef struct dls_polyhedron_rows {
  const dls_polyhedra *c;
  int rows, cols;
  double *A, *row_low, *row_high, *col_low, *col_high, *cost;
} dls_polyhedron_rows;

dls_status dls_polyhedron_rows_create(const dls_polyhedra *polyhedra, const unsigned char *mode,
                                      const dls_polyhedron_region *region,
                                      dls_polyhedron_rows *rows);
dls_status dls_polyhedron_program_create(const dls_polyhedra *polyhedra, const unsigned char *mode,
                                         const dls_polyhedron_region *region,
                                         dls_polyhedron_program *program);
void dls_polyhedron_program_free(dls_polyhedron_program *program);
// The largest value of side * variable j, and where it is; NaN when there is none. cost: cols, work
// memory; point: cols, may be NULL.
double dls_polyhedron_program_most(const dls_polyhedron_program *program, int j, int side,
                                   double *cost, double *point);

// The same without rounding (polyhedron_exact.c): the data are taken as they are. proof: filled
// where the polyhedron is empty; point: where it is not; each may be NULL. DLS_EXACT_LARGE where it
// is too much work, or, of polyhedra with spatial cones, not empty.
dls_status dls_polyhedron_exact(const dls_polyhedra *polyhedra, const unsigned char *mode,
                                const dls_polyhedron_region *region, dls_proof *proof,
                                dls_point *point, dls_exact_outcome *outcome);
// Where a proof's *margin does not suffice, or gradients are parallel but for a little: that of one
// without rounding, 0 where there is none. 0 also where the proof has rounding in it and a point
// lies beyond what it excludes.
dls_status dls_polyhedron_refute(const dls_polyhedra *polyhedra, const unsigned char *mode,
                                 dls_proof *proof, double *margin);

// Is the relaxed polyhedron empty? *margin > 0 with the checked proof, 0 otherwise.
dls_status dls_polyhedron_relaxed(const dls_polyhedra *polyhedra, const unsigned char *mode,
                                  dls_proof *proof, double *margin);

// --- a node of the tree: many polyhedra at once --------------------------------------------------

// Two points (z, lambda, tau) of the relaxation, far apart, and whether all have one acceleration.
typedef struct dls_outlook {
  dls_point middle;  // of the box that is looked at
  double *cost;      // n + m + tangents
  double *point[2];  // the same
  bool seen;         // both points were found
  bool held;         // all points have the same z                             eq (fri.9)
} dls_outlook;

dls_status dls_outlook_create(dls_polyhedra *polyhedra, dls_outlook *outlook);
dls_status dls_outlook_take(const dls_polyhedra *polyhedra, const unsigned char *mode,
                            dls_outlook *outlook);

// The contact that the two points violate most, of those whose mode is open; -1 when none is open.
int dls_outlook_contact(const dls_polyhedra *polyhedra, const unsigned char *mode,
                        const dls_outlook *outlook);

// Do forces show that all solutions below the node have the acceleration z_0, at which nothing
// opens or slips? M must be definite, and no contact slide yet.                        eq (fri.10)
dls_status dls_rest_holds(const dls_polyhedra *polyhedra, const unsigned char *mode,
                          const double *z_0, bool *holds);

#endif
