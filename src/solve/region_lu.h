// LU of a matrix of 6 x 6 blocks, one row of blocks per body, of a few bodies whose number and
// pattern change from one matrix to the next. Pivots are sought inside the diagonal blocks only, in
// an order of small degrees. After creation nothing is allocated.
#ifndef DLS_SOLVE_REGION_LU_H
#define DLS_SOLVE_REGION_LU_H

#include <stdbool.h>

enum { DLS_REGION_BODIES = 256 };

typedef struct dls_region_lu dls_region_lu;

dls_region_lu *dls_region_lu_create(void);  // NULL when memory runs out
void dls_region_lu_free(dls_region_lu *f);  // NULL is fine

// A new pattern of n bodies: begin, join each pair of different bodies that meet, then order.
void dls_region_lu_begin(dls_region_lu *f, int n);
void dls_region_lu_join(dls_region_lu *f, int a, int b);
void dls_region_lu_order(dls_region_lu *f);

// Sets all blocks to zero; then the block of the bodies (a, b), which were joined or are the same,
// by rows.
void dls_region_lu_clear(dls_region_lu *f);
double *dls_region_lu_at(dls_region_lu *f, int a, int b);

// False when a diagonal block is singular or not finite.
bool dls_region_lu_factor(dls_region_lu *f);
int dls_region_lu_sign(const dls_region_lu *f);         // of the determinant
void dls_region_lu_solve(dls_region_lu *f, double *b);  // in place, 6 n

#endif
