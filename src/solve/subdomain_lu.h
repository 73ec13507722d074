// LU of a matrix of 6 x 6 blocks, one row of blocks per body, of a few bodies whose number and
// pattern change from one matrix to the next. Pivots are sought inside the diagonal blocks only, in
// an order of small degrees. After creation nothing is allocated.
#ifndef DLS_SOLVE_SUBDOMAIN_LU_H
#define DLS_SOLVE_SUBDOMAIN_LU_H

#include <stdbool.h>

enum { DLS_SUBDOMAIN_BODIES = 256 };

typedef struct dls_subdomain_lu dls_subdomain_lu;

dls_subdomain_lu *dls_subdomain_lu_create(void);  // NULL when memory runs out
void dls_subdomain_lu_free(dls_subdomain_lu *f);  // NULL is fine

// A new pattern of n bodies: begin, join each pair of different bodies that meet, then order.
void dls_subdomain_lu_begin(dls_subdomain_lu *f, int n);
void dls_subdomain_lu_join(dls_subdomain_lu *f, int a, int b);
void dls_subdomain_lu_order(dls_subdomain_lu *f);

// Sets all blocks to zero; then the block of the bodies (a, b), which were joined or are the same,
// by rows.
void dls_subdomain_lu_clear(dls_subdomain_lu *f);
double *dls_subdomain_lu_at(dls_subdomain_lu *f, int a, int b);

// False when a diagonal block is singular or not finite.
bool dls_subdomain_lu_factor(dls_subdomain_lu *f);
int dls_subdomain_lu_sign(const dls_subdomain_lu *f);         // of the determinant
void dls_subdomain_lu_solve(dls_subdomain_lu *f, double *b);  // in place, 6 n

#endif
