// The tree of complementary choices: each leaf is refuted, or a solution is found.  eq (lcp.14)
#ifndef DLS_CERTIFY_LCP_TREE_H
#define DLS_CERTIFY_LCP_TREE_H

#include "base/memory.h"

#include <delassus/lcp_proof.h>

typedef struct dls_lcp_tree {
  const dls_mlcp *given;
  int max_nodes, nodes;
  bool open;   // something was neither refuted nor proven, or the nodes ran out
  bool found;  // a solution was proven: z, exact, and in (the basis) unless exact
  bool exact;
  double *z;     // n
  bool *in;      // n
  double *best;  // n: the best point seen, with its error
  double best_error;
  int leaves;
  ptrdiff_t capacity;
  dls_lcp_leaf *leaf;
  ptrdiff_t choices_capacity;
  signed char **choices;  // of the leaves, to be written
  dls_arena *arena;
  bool (*watch)(void *self, double done);  // may be NULL
  void *self;
  // scaled data R M C, s R q with powers of two, and room
  double *R, *C, *M, *q;
  double s;
  dls_mlcp scaled;
  signed char *choice, *path;
} dls_lcp_tree;

// Scales. The fields given, max_nodes, watch and arena are set before; everything else lives in the
// arena, but for leaf and choices.
dls_status dls_lcp_tree_start(dls_lcp_tree *tree);

// Fills found or leaves; the result is "no" when neither open nor found.
dls_status dls_lcp_tree_grow(dls_lcp_tree *tree);

// A point that may be a solution, in the units given: is it one, or is there one with its basis?
dls_status dls_lcp_tree_try(dls_lcp_tree *tree, const double *z);

// A vector y, in the units given and in the arena, that refutes the choices; NULL: none was proven.
dls_status dls_lcp_refute(dls_lcp_tree *tree, const double **y);

#endif
