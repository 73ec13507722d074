// The inside of the matrix of stages, shared by its set and pattern, its scales and its numbers.
#ifndef DLS_STEP_STAGE_INTERNAL_H
#define DLS_STEP_STAGE_INTERNAL_H

#include "linalg/sparse_lu.h"
#include "step/stage_matrix.h"

// An entry of R_q or R_v that is in the matrix.
typedef struct dls_stage_entry {
  int row, col, entry;
} dls_stage_entry;

typedef struct dls_stage_square {
  int count;
  dls_stage_entry *list;  // room for all
} dls_stage_square;

struct dls_stage_matrix {
  dls_snapshot *point;
  int blocks, width;
  bool derivatives;
  double *D;       // width
  double mass;     // power of two near the first mass: the unit of forces over accelerations
  int sign;        // of the determinant of the last factors
  double pivots;   // theirs, the smallest over the largest
  double *W;       // m + tangents
  double *scaled;  // entries of M, G and H that these are of, where `known`
  bool known;
  double *mobility;  // n: 1 / M_ii
  double *most;      // 2 n, work: the two largest bounds of a mobility, by two contacts
  bool *bounded;     // n, work

  // the contacts that have rows, and the matrix of these: all, or those that are closed
  int members, tangents;  // members -1: it has not been made
  int *member;            // members, increasing
  int *first;             // m: the rows of a member's slips
  int *place;             // m: in member[], or -1
  int *full;              // rows of a block: those of a block with all contacts
  int inner, size;        // rows of a block, and of all
  dls_stage_square R_q, R_v;
  ptrdiff_t count;  // of entries in the order of fill
  ptrdiff_t next;   // where fill stands
  ptrdiff_t *at;    // count: where an entry goes; NULL while the pattern is being made
  int *row, *col;   // count, only meanwhile
  int *p, *i;       // NULL: dense
  double *x;        // numbers, and factors where dense
  double *y;        // size: a right-hand side
  ptrdiff_t numbers;
  int *pivot;
  dls_sparse_lu *lu;
};

// Room for sets of contacts; false: out of memory.
bool dls_stage_matrix_take_memory(dls_stage_matrix *w);
// The matrix for the contacts that are closed. False, with the trouble noted at the point: no
// memory, or too large.
bool dls_stage_matrix_choose(dls_stage_matrix *w, const dls_contact_modes *modes);
void dls_stage_matrix_put_away(dls_stage_matrix *w);  // the matrix, not the room

// The entries of block row `row`, as dls_stage_matrix_fill, for the set that is there.
void dls_stage_matrix_put(dls_stage_matrix *w, int row, const dls_contact_modes *modes,
                          bool friction, const double *xi, const double *turn, const double *by_v,
                          const double *by_q);

#endif
