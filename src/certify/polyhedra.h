// The contact problem with friction as a union of polyhedra: one per combination of the contacts'
// modes, each a polyhedron of accelerations and forces.                          eq (fri.3)
//
// In a polyhedron every contact has force columns B (what its force may be) and rows C (which of
// its accelerations vanish), as many of one as of the other:
//
//   [ M  -B ] [ z   ]   [ -F ]
//   [ C^T 0 ] [ phi ] = [ -c ],    l_k (z, phi) + e_k >= 0                         eq (fri.5)
#ifndef DLS_CERTIFY_POLYHEDRA_H
#define DLS_CERTIFY_POLYHEDRA_H

#include "certify/context.h"
#include "contact/coulomb_residual.h"

typedef enum dls_touch { DLS_TOUCH_FRICTIONLESS, DLS_TOUCH_SLIDING, DLS_TOUCH_CANDIDATE } dls_touch;

enum { DLS_MODES_MAX = 6 };  // of one contact

typedef struct dls_polyhedra {
  dls_context *x;
  const dls_problem *given;
  dls_coulomb_units units;
  int n, m_b, m, tangents;
  const int *first;           // m + 1
  double *M, *F, *G, *b;      // scaled; G is n x m, bilateral contacts first
  double *H, *b_t, *xi, *mu;  // scaled; mu per contact
  double *mu_s;               // m: while it does not slip, eq (stf.1); mu of those that slide
  dls_touch *touch;           // m
  double load;                // largest of F and b
  double margin;              // what a residual of a claim may be: rounding            eq (num.1)
  double loose;               // what it may be at most where whole numbers confirm the claim
  double tolerance;           // below: not told from zero
  bool doubtful;              // gradients are parallel but for a little: whole numbers decide
} dls_polyhedra;

dls_status dls_polyhedra_create(dls_context *x, dls_polyhedra **polyhedra);
void dls_polyhedra_free(dls_polyhedra *polyhedra);  // NULL is fine; the memory is the context's

bool dls_polyhedra_bilateral(const dls_polyhedra *polyhedra, int contact);
int dls_polyhedra_tangents(const dls_polyhedra *polyhedra, int contact);

// The modes that contact j may have, at most DLS_MODES_MAX; returns how many.
int dls_polyhedra_modes(const dls_polyhedra *polyhedra, int contact, unsigned char *mode);

// The equations and inequalities of a polyhedron in which every contact has a mode. A spatial
// contact that starts to slide in an unknown direction has none: false then.
typedef struct dls_polyhedron {
  int size;          // n + number of force columns
  double *K, *r;     // size x size, size
  int inequalities;  // each a row of L (inequalities x size, by rows) and an entry of e
  double *L, *e;
  int *tau_norm;      // per inequality: contact whose cone it stands for (spatial stick), or -1
  int *owner;         // per inequality: the contact it belongs to
  signed char *kind;  // per inequality: 0 on forces, 1 on the normal, +-2 on the slip acceleration
  int *force_at;      // m: first force column of each contact in phi, or -1
  int *columns;       // m: how many it has
} dls_polyhedron;

dls_status dls_polyhedron_create(dls_polyhedra *polyhedra,
                                 dls_polyhedron *polyhedron);  // room for the largest polyhedron
bool dls_polyhedron_set(const dls_polyhedra *polyhedra, const unsigned char *mode,
                        dls_polyhedron *polyhedron);

// Accelerations and forces of all contacts (z, lambda, tau; scaled) from a point of the polyhedron.
typedef struct dls_point {
  double *z, *lambda, *tau;
} dls_point;

dls_status dls_point_create(dls_context *x, const dls_polyhedra *polyhedra, dls_point *point);
void dls_point_copy(const dls_polyhedra *polyhedra, const dls_point *from, dls_point *to);
void dls_polyhedron_expand(const dls_polyhedra *polyhedra, const unsigned char *mode,
                           const dls_polyhedron *polyhedron, const double *y, dls_point *point);

// The point in the user's units.
void dls_point_unscale(const dls_polyhedra *polyhedra, const dls_point *point, dls_point *user);
// Residual of the problem as given, at a point in scaled units. user: work memory.
double dls_point_residual(const dls_polyhedra *polyhedra, const dls_point *point, dls_point *user);

// A certificate that a (partial) polyhedron is empty, eq (fri.4), in scaled variables.
typedef struct dls_proof {
  double *d, *alpha, *sigma;
} dls_proof;

dls_status dls_proof_create(dls_context *x, const dls_polyhedra *polyhedra, dls_proof *proof);

// Normalises the proof to size 1 and checks it against the scaled data. Returns by how much the
// contradiction exceeds zero, relative to the load; 0 when the proof does not hold to the check.
double dls_proof_check(const dls_polyhedra *polyhedra, const unsigned char *mode, dls_proof *proof);

// The same, 0 also when solutions of up to far_solutions loads are not excluded.
double dls_proof_check_far(const dls_polyhedra *polyhedra, const unsigned char *mode,
                           dls_proof *proof);

// The largest fault of any contact and of M d + G alpha + H sigma = 0.
double dls_proof_worst(const dls_polyhedra *polyhedra, const unsigned char *mode,
                       const dls_proof *proof);

// By how much the terms of one contact may become negative in its mode, per unit of force and
// acceleration; 0 when the proof holds there.
double dls_proof_fault(const dls_polyhedra *polyhedra, int mode, int contact,
                       const dls_proof *proof);

// Copies a proof into a leaf of a verdict, in the user's units. Entries up to `noise` become zero.
dls_status dls_proof_leaf(const dls_polyhedra *polyhedra, const unsigned char *mode,
                          const dls_proof *proof, double noise, dls_leaf *leaf);

#endif
