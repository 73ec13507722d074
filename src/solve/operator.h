// The Delassus operator of an incremental problem, as the methods use it: u = W r + q, its diagonal
// blocks, and systems (P W + Q) x = b with block diagonal P and Q. In local form W is given; in
// global form W = H^T M^-1 H is not formed, unless rows are few, and the systems P W R x + Q x = b
// are turned into
//
//   (M + H R Q^-1 P H^T) y = H R Q^-1 b,   x = Q^-1 (b - P H^T y).                    eq (ops.1)
//
// Rows are grouped into blocks of the problem's dimension: one block per contact, then blocks of
// equations, of which the last one may be longer than what is left. Vectors have `padded` numbers,
// zero in the rows that do not exist.
#ifndef DLS_SOLVE_OPERATOR_H
#define DLS_SOLVE_OPERATOR_H

#include <delassus/incremental.h>
#include <stddef.h>

typedef struct dls_operator_type dls_operator_type;

typedef struct dls_operator {
  const dls_operator_type *type;
  const dls_incremental *problem;
  int d, contacts, blocks;  // blocks = contacts + those of the equations
  int rows, padded;         // padded = d * blocks
  double *q;                // padded: u for r = 0
  const double *free;       // global form: M^-1 f, after refresh and until the next call
  double *diagonal;         // blocks of d x d, column-major; 1 on the diagonal of padding rows
  // W by rows of blocks where it is formed, otherwise NULL: those of row i, column-major, stand at
  // row_p[i] ... row_p[i+1]-1
  const int *row_p, *row_col;
  const double *W;
  double work;  // operations of one factorization
  bool has_rows;
} dls_operator;

// Copies the structure; refresh reads the numbers, and must come first.
// max_work: operations that a factorization may cost; beyond, `factor` answers false.
dls_status dls_operator_create(const dls_incremental *problem, dls_operator **out);
void dls_operator_free(dls_operator *op);  // NULL is fine

// The rest allocates nothing, but for `prepare`.

// Reads the numbers of the problem anew. DLS_ERR_NUMBER when M is singular.
dls_status dls_operator_refresh(dls_operator *op);

// u = W r + q; v = M^-1 (H r + f) in global form, untouched otherwise (may be NULL then).
void dls_operator_velocity(dls_operator *op, const double *r, double *v, double *u);
void dls_operator_multiply(dls_operator *op, const double *x, double *y);  // y = W x

// Orders and allocates for systems; once, before the first `factor`. fill: bytes that the factors
// may take, DLS_ERR_LIMIT beyond.
dls_status dls_operator_prepare(dls_operator *op, ptrdiff_t fill);

// Factors P W + Q, or W R + Q, blocks column-major; P NULL: identity. In global form Q must be
// regular. False when that breaks down.
bool dls_operator_factor(dls_operator *op, const double *P, const double *Q);
bool dls_operator_factor_right(dls_operator *op, const double *R, const double *Q);
int dls_operator_sign(const dls_operator *op);         // of the determinant of what was factored
void dls_operator_solve(dls_operator *op, double *b);  // in place, padded

// Rows one block at a time, for sweeps: u_i = (W r + q)_i, and what changes with r_i. Not when the
// masses of the global form hang together.
bool dls_operator_has_rows(const dls_operator *op);
void dls_operator_rows_begin(dls_operator *op, const double *r);
void dls_operator_row(const dls_operator *op, int block, const double *r, double *u);
void dls_operator_row_changed(dls_operator *op, int block, const double *change);

// (W r)_i where W is formed. d is op->d: where it is a constant, the loops unroll.
static inline void dls_operator_product(const dls_operator *op, int d, int block, const double *r,
                                        double *out)
{
  double a = 0, b = 0, c = 0;
  const int begin = op->row_p[block], end = op->row_p[block + 1];
  const double *W = op->W + (ptrdiff_t)(d * d) * begin;
  for (int e = begin; e < end; e++, W += d * d) {
    const double *x = r + (ptrdiff_t)d * op->row_col[e];
    if (d == 3) {
      a += W[0] * x[0] + W[3] * x[1] + W[6] * x[2];
      b += W[1] * x[0] + W[4] * x[1] + W[7] * x[2];
      c += W[2] * x[0] + W[5] * x[1] + W[8] * x[2];
    } else {
      a += W[0] * x[0] + W[2] * x[1];
      b += W[1] * x[0] + W[3] * x[1];
    }
  }
  out[0] = a, out[1] = b;
  if (d == 3) out[2] = c;
}

// Blocks may be spread: an operator has some, and others of its kind, in other processes, have the
// rest. So what is added up, compared or agreed on over all blocks goes through it, and methods
// decide by nothing else: all of them take the same steps. Where all blocks are here there is
// nothing to do.
static inline void dls_operator_sum(const dls_operator *op, int count, double *sums);
static inline double dls_operator_largest(const dls_operator *op, double x);
static inline bool dls_operator_all(const dls_operator *op, bool good);    // good everywhere
static inline double dls_operator_count(const dls_operator *op, int own);  // of all together

// rho[i] = 1 / |W_ii| per block: what turns velocities into forces.
void dls_operator_rho(const dls_operator *op, double *rho);

// ---- the two forms -----------------------------------------------------------------------------

struct dls_operator_type {
  dls_status (*create)(const dls_incremental *problem, dls_operator **out);
  void (*destroy)(dls_operator *op);
  dls_status (*refresh)(dls_operator *op);
  void (*velocity)(dls_operator *op, const double *r, double *v, double *u);
  void (*multiply)(dls_operator *op, const double *x, double *y);
  dls_status (*prepare)(dls_operator *op, ptrdiff_t fill);
  bool (*factor)(dls_operator *op, const double *P, const double *R, const double *Q);
  int (*sign)(const dls_operator *op);
  void (*solve)(dls_operator *op, double *b);
  void (*rows_begin)(dls_operator *op, const double *r);
  void (*row)(const dls_operator *op, int block, const double *r, double *u);
  void (*row_changed)(dls_operator *op, int block, const double *change);
  // The sums, or the largest, of what all have; the same number for everybody. NULL, both: all
  // blocks are here.
  void (*sum)(const dls_operator *op, int count, double *sums);
  double (*largest)(const dls_operator *op, double x);
};

extern const dls_operator_type dls_operator_local, dls_operator_global, dls_operator_formed;

// What follows from the problem alone, for `create`.
static inline void dls_operator_shape(const dls_operator_type *type, const dls_incremental *problem,
                                      dls_operator *op)
{
  op->type = type, op->problem = problem;
  op->d = problem->dimension, op->contacts = problem->contacts;
  op->rows = dls_incremental_rows(problem);
  op->blocks = op->contacts + (problem->equations + op->d - 1) / op->d;
  op->padded = op->d * op->blocks;
}

// Whether W is formed in spite of the global form: few rows, many coordinates.
bool dls_operator_few(const dls_incremental *problem);

static inline void dls_operator_sum(const dls_operator *op, int count, double *sums)
{
  if (op->type->sum) op->type->sum(op, count, sums);
}

static inline double dls_operator_largest(const dls_operator *op, double x)
{
  return op->type->largest ? op->type->largest(op, x) : x;
}

static inline bool dls_operator_all(const dls_operator *op, bool good)
{
  return op->type->largest ? op->type->largest(op, good ? 0 : 1) == 0 : good;
}

static inline double dls_operator_count(const dls_operator *op, int own)
{
  double all = own;
  dls_operator_sum(op, 1, &all);
  return all;
}

// ---- small blocks, column-major: where the size is a constant, the loops unroll ----------------

// y += A x
static inline void dls_block_add(int rows, int cols, const double *A, const double *x, double *y)
{
  for (int c = 0; c < cols; c++)
    for (int i = 0; i < rows; i++) y[i] += A[i + rows * c] * x[c];
}

// C = A B, all d x d
static inline void dls_block_multiply(int d, const double *restrict A, const double *restrict B,
                                      double *restrict C)
{
  for (int c = 0; c < d; c++)
    for (int i = 0; i < d; i++) {
      double sum = A[i] * B[d * c];
      for (int k = 1; k < d; k++) sum += A[i + d * k] * B[k + d * c];
      C[i + d * c] = sum;
    }
}

#endif
