// What the files of dls_jamming share.
#ifndef DLS_STEP_JAMMING_INTERNAL_H
#define DLS_STEP_JAMMING_INTERNAL_H

#include "step/jamming.h"
#include "step/sharing.h"

enum { DLS_JAMMING_ROWS = 24 };

typedef struct dls_jamming {
  double *v, *slip;             // n, tangents: at the begin of the step
  double *rate;                 // m: there
  double force;                 // there
  double *mobility;             // n: about 1 / M_ii where that is positive, else 0
  double *most;                 // 2 n, work
  bool *bounded;                // n, work
  double *xi;                   // tangents: directions of sliding there; 0: none
  bool *was_closed;             // count: there
  int *diagonal;                // n: entries of M, or -1
  double *x;                    // size of the KKT system, zero between calls
  bool *seen;                   // count: in the group at hand, false between calls
  int *list;                    // contacts of the step that are closed,
  int *first, *bucket;          // and these by the components that they touch
  int place;                    // in the scheme state: the loss, then three numbers of each contact
  int group[DLS_JAMMING_ROWS];  // contacts of the step that are closed and act on each other
  int members, rows;
  int row[DLS_JAMMING_ROWS + 1];                  // rows of its members
  double W[DLS_JAMMING_ROWS * DLS_JAMMING_ROWS];  // theirs, columns scaled to unit diagonal
  double A[DLS_JAMMING_ROWS * DLS_JAMMING_ROWS];  // what is factored
  double size[DLS_JAMMING_ROWS];                  // of the diagonal
  double along[2 * DLS_JAMMING_ROWS];             // directions of sliding
  double side[DLS_JAMMING_ROWS];                  // -1: a bilateral one that pulls
  bool sliding[DLS_JAMMING_ROWS];
  dls_sharing *sharing;
} dls_jamming;

// --- the matrix of the group at hand, in jamming_matrix.c ---

// W from the numbers that the contact problem of the step had; false: some took no part. Or W at
// the end of the step, where the point stands, with the factors of the KKT system there.
bool dls_jamming_take_blocks(dls_integrator *g);
void dls_jamming_make_blocks(dls_integrator *g);

// det A relative to that without friction, the least of those with another side of one bilateral
// contact; NaN: constraints are redundant, it tells nothing.
double dls_jamming_effect(dls_integrator *g);

// The member that slides and whose own force acts least against its gap.
int dls_jamming_max_doubtful(const dls_integrator *g);

#endif
