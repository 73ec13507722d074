// The inside of the KKT system, shared by its pattern and its numbers.
#ifndef DLS_STEP_STEP_KKT_INTERNAL_H
#define DLS_STEP_STEP_KKT_INTERNAL_H

#include "base/memory.h"
#include "linalg/sparse_lu.h"
#include "step/step_kkt.h"

#include <limits.h>

typedef struct dls_step_kkt_part {
  int size;
  int first;     // of its rows, in rows[]
  ptrdiff_t at;  // of its numbers: size x size by rows when dense, else on a pattern by columns
  int *p, *i;    // NULL: dense
  int exponent;  // of two: the size of its scaled numbers
  dls_sparse_lu *lu;
} dls_step_kkt_part;

struct dls_step_kkt {
  const dls_snapshot *point;
  dls_arena *arena;
  int n, held, size;
  int *contact;           // held
  int stiffened, *stiff;  // bilateral contacts that have a law, and their
  double *rho;            // m: stiffness; 0 for all others
  int components;
  dls_step_kkt_part *component;
  int *rows;                      // size: grouped by components
  int *of;                        // size: component of a row
  int *place;                     // size: of a row inside its component
  int *pivot;                     // size
  double *x;                      // numbers of all components, then their factors where dense
  ptrdiff_t count;                // of x
  ptrdiff_t *at_M, *at_v, *at_q;  // where the entries of M, dR/dv, dR/dq go
  ptrdiff_t *at_G, *at_T;         // of the held columns of G, entry after entry: -G and G^T
  ptrdiff_t *at_B;                // of the held columns of dh'/dq
  ptrdiff_t *at_D;                // held: the diagonal
  ptrdiff_t *at_S;                // of the squares of stiffened columns, contact after contact
  ptrdiff_t *at_A;                // n: the diagonal of A; count where it has no entry
  double *scale, *row_scale;      // size: powers of two for columns and for rows
  double *mobility;               // 3 n: 1 / A_ii, and work
  bool *bounded;                  // n, work
  double *b, *r;                  // size: right-hand side, residual
  double *y;                      // DLS_STEP_KKT_COLUMNS x size: columns of a component
  double alpha, beta, gamma;
  const bool *on;
  bool constrained;    // some held constraint is on
  struct place *list;  // of all entries, while they are placed
};

static inline bool dls_step_kkt_on(const dls_step_kkt *b, int k)
{
  const int j = b->contact[k];
  return (!b->on || b->on[j]) && !b->point->spare[j];
}

// Everything but the numbers. DLS_ERR_LIMIT: more entries than an int counts.
dls_status dls_step_kkt_place(dls_step_kkt *b, const bool *projector);

// The numbers times the scales of their rows and columns, and the diagonal of the constraints in
// the place of zero: regular times the size of the others, 1 where they are off.
void dls_step_kkt_equilibrate(dls_step_kkt *b, double regular);

// A += G rho G^T for the stiffened contacts.
void dls_step_kkt_stiffen(dls_step_kkt *b);

#endif
