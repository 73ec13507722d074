// The parts of the enumeration: the search over bases, and the faces of singular ones.
#ifndef DLS_CERTIFY_LCP_ENUMERATE_H
#define DLS_CERTIFY_LCP_ENUMERATE_H

#include "linalg/minors.h"

#include <delassus/lcp_proof.h>
#include <stdint.h>

// A point found, in scaled units.
typedef struct dls_lcp_point {
  uint32_t z_zero, w_zero;  // bit k: z, or w, of condition k may be zero
  bool sure;                // these zeros are proven
  double *z;                // n
} dls_lcp_point;

// The solutions of a singular basis that are more than a point.
typedef struct dls_lcp_face {
  uint32_t basis;
  int component;          // faces that touch have the same number
  double *z, *direction;  // n, scaled
} dls_lcp_face;

enum { DLS_LCP_FACES = 256 };

typedef struct dls_lcp_search {
  int n, free, k;
  long double unit;
  dls_tracked *data;  // n x (n + 1): [M, -q], scaled by powers of two
  double *plain;      // the same in doubles
  int *row, *col;     // the exponents: n, n + 1
  dls_minors work;
  int *order;  // n: rows of the basis first
  int points, faces;
  ptrdiff_t capacity;
  dls_lcp_point *point;
  dls_lcp_face face[DLS_LCP_FACES];
  bool ambiguous, complete;
} dls_lcp_search;

// A point is added unless it is already there. DLS_ERR_MEMORY, or DLS_OK.
dls_status dls_lcp_add_point(dls_lcp_search *s, uint32_t z_zero, uint32_t w_zero, bool sure,
                             const double *z);

// The solutions with this basis, whose matrix is singular (proven or not): none, a point or a face.
dls_status dls_lcp_add_face(dls_lcp_search *s, uint32_t basis);

#endif
