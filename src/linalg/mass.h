// The inverse of a mass matrix: block by block where it falls apart into small parts, bodies for
// instance, and by a sparse factorization otherwise.
#ifndef DLS_LINALG_MASS_H
#define DLS_LINALG_MASS_H

#include <delassus/contact.h>

typedef struct dls_mass dls_mass;

enum { DLS_MASS_SMALL = 24 };  // coordinates of a small part

dls_status dls_mass_create(const dls_matrix_view *M, dls_mass **out);
void dls_mass_free(dls_mass *mass);

// Reads the numbers, and factors when they changed. DLS_ERR_NUMBER when they are singular.
// Allocates nothing, as the following.
dls_status dls_mass_refresh(dls_mass *mass);
void dls_mass_solve(dls_mass *mass, double *x);  // x <- M^-1 x

// Whether all parts are small. Then part k has the coordinates index[first[k]] ... and its inverse,
// column-major, at inverse[square[k]].
typedef struct dls_mass_parts {
  int count;
  const int *first, *index;
  const int *part;      // of each coordinate
  const int *position;  // of each coordinate in its part
  const ptrdiff_t *square;
  const double *inverse;
} dls_mass_parts;
bool dls_mass_small(const dls_mass *mass, dls_mass_parts *parts);

// Per coordinate, powers of two: in these units all diagonal entries of M are about the same.
const double *dls_mass_units(const dls_mass *mass);

#endif
