// Sparse LU of a matrix of small square blocks on a fixed symmetric pattern. Pivots are sought
// inside the diagonal blocks only: for matrices that are a definite one plus a perturbation, in the
// order that AMD finds. Factoring and solving allocate nothing.
#ifndef DLS_LINALG_BLOCK_LU_H
#define DLS_LINALG_BLOCK_LU_H

#include <delassus/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct dls_block_lu dls_block_lu;

// Blocks are size x size, size 2 or 3; the pattern of n x n blocks by columns: p, i as usual, rows
// in increasing order, with every diagonal block and with (j, i) wherever (i, j) is. most: blocks
// that L and U may have, together; DLS_ERR_LIMIT beyond. 0: no limit but memory.
dls_status dls_block_lu_create(int size, int n, const int *p, const int *i, ptrdiff_t most,
                               dls_block_lu **out);
void dls_block_lu_free(dls_block_lu *f);  // NULL is fine

// Blocks of L and U together, and the floating-point operations of a factorization.
ptrdiff_t dls_block_lu_fill(const dls_block_lu *f);
double dls_block_lu_work(const dls_block_lu *f);

// Where the blocks are gathered: the block at the e-th place of the pattern, column-major; they are
// overwritten by the next factorization.
double *dls_block_lu_at(dls_block_lu *f, int e);

// Sets all blocks to zero. Fill them, then factor. False when a diagonal block is singular or not
// finite. skip (n, or NULL): rows and columns of blocks that count as those of the identity,
// whatever was gathered there.
void dls_block_lu_clear(dls_block_lu *f);
bool dls_block_lu_factor(dls_block_lu *f, const bool *skip);
int dls_block_lu_sign(const dls_block_lu *f);         // of the determinant
void dls_block_lu_solve(dls_block_lu *f, double *b);  // in place, size * n

#endif
