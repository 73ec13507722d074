// A polyhedron, or a relaxation of many, without rounding: whether it is empty is decided in whole
// numbers, for the data as they are, where floating point leaves more open than rounding explains.
//                                                                                eq (num.1)
#include "certify/modes.h"

#include "base/memory.h"
#include "certify/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CALLS = 200, LARGEST = 60 };

typedef struct list {
  const dls_polyhedron_rows *from;
  int count;
  double *a;       // count x (cols + 1), by rows
  bool *equation;  //
  int *row;        // of the program, or -1
  double *sign;    // with which the row stands here
} list;

static double *add(list *l, int row, bool equation, double sign)
{
  l->row[l->count] = row, l->sign[l->count] = sign, l->equation[l->count] = equation;
  return l->a + l->count++ * ((ptrdiff_t)l->from->cols + 1);
}

// sign (A y)_i - sign bound = 0, or >= 0
static void add_row(list *l, int i, bool equation, double sign, double bound)
{
  const dls_polyhedron_rows *b = l->from;
  double *to = add(l, i, equation, sign);
  for (int j = 0; j < b->cols; j++) to[j] = sign * b->A[i + (ptrdiff_t)b->rows * j];
  to[b->cols] = -sign * bound;
}

static void add_bound(list *l, int j, bool equation, double sign, double bound)
{
  double *to = add(l, -1, equation, sign);
  to[j] = sign, to[l->from->cols] = -sign * bound;
}

static void add_both(list *l, int at, double low, double high,
                     void (*one)(list *, int, bool, double, double))
{
  if (low == high) one(l, at, true, 1, low);
  if (low == high) return;
  if (isfinite(low)) one(l, at, false, 1, low);
  if (isfinite(high)) one(l, at, false, -1, high);
}

static dls_status make(const dls_polyhedron_rows *b, list *l)
{
  const ptrdiff_t most = 2 * ((ptrdiff_t)b->rows + b->cols);
  *l = (list){.from = b};
  l->a = dls_alloc(most * ((ptrdiff_t)b->cols + 2), sizeof *l->a);
  l->row = dls_alloc(most, sizeof *l->row);
  l->equation = dls_alloc(most, sizeof *l->equation);
  if (!l->a || !l->row || !l->equation) return DLS_ERR_MEMORY;
  l->sign = l->a + most * ((ptrdiff_t)b->cols + 1);
  for (int i = 0; i < b->rows; i++) add_both(l, i, b->row_low[i], b->row_high[i], add_row);
  for (int j = 0; j < b->cols; j++) add_both(l, j, b->col_low[j], b->col_high[j], add_bound);
  return DLS_OK;
}

static void read_proof(const dls_polyhedra *c, const list *l, const double *y, dls_proof *proof)
{
  for (int i = 0; i < c->n; i++) proof->d[i] = 0;
  for (int j = 0; j < c->m; j++) proof->alpha[j] = 0;
  for (int k = 0; k < c->tangents; k++) proof->sigma[k] = 0;
  for (int i = 0; i < l->count; i++) {
    const int row = l->row[i];
    if (row < 0 || row >= c->n + c->m + c->tangents) continue;
    double *to = row < c->n          ? &proof->d[row]
                 : row < c->n + c->m ? &proof->alpha[row - c->n]
                                     : &proof->sigma[row - c->n - c->m];
    *to += l->sign[i] * y[i];
  }
}

static void read_point(const dls_polyhedra *c, const double *x, dls_point *point)
{
  dls_copy(point->z, x, c->n);
  dls_copy(point->lambda, x + c->n, c->m);
  if (c->tangents) dls_copy(point->tau, x + c->n + c->m, c->tangents);
}

dls_status dls_polyhedron_exact(const dls_polyhedra *c, const unsigned char *mode,
                                const dls_polyhedron_region *region, dls_proof *proof,
                                dls_point *point, dls_exact_outcome *outcome)
{
  list l = {0};
  dls_polyhedron_rows b = {0};
  *outcome = DLS_EXACT_LARGE;
  if (c->n + c->m + c->tangents > LARGEST || c->x->exact_calls++ > MOST_CALLS) return DLS_OK;
  dls_status status = dls_polyhedron_rows_create(c, mode, region, &b);
  if (status == DLS_OK) status = make(&b, &l);
  double *y = status == DLS_OK ? dls_alloc((ptrdiff_t)l.count + b.cols, sizeof *y) : NULL;
  double *x = y ? y + l.count : NULL;
  if (status == DLS_OK && !y) status = DLS_ERR_MEMORY;
  const dls_exact_rows rows = {l.count, b.cols, l.a, l.equation};
  if (status == DLS_OK) status = dls_exact_solve(&rows, x, y, NULL, outcome);
  if (status == DLS_OK && proof && *outcome == DLS_EXACT_EMPTY) read_proof(c, &l, y, proof);
  if (*outcome == DLS_EXACT_POINT && dls_modes_spatial(c)) *outcome = DLS_EXACT_LARGE;
  if (status == DLS_OK && point && *outcome == DLS_EXACT_POINT) read_point(c, x, point);
  free(y), free(l.a), free(l.row), free(l.equation), free(b.A);
  return status;
}

// Rounding in a proof leaves open what is far away: whole numbers look there.      eq (num.1)
static dls_status look_far_away(const dls_polyhedra *c, const unsigned char *mode,
                                const dls_proof *proof, double *margin)
{
  const ptrdiff_t size = (ptrdiff_t)c->n + c->m + c->tangents;
  const double left = (double)size * dls_proof_worst(c, mode, proof);
  if (*margin > last_solutions * left) return DLS_OK;
  if (c->x->far_calls++ > MOST_CALLS) return DLS_OK;
  double *zero = dls_alloc(size, sizeof *zero);
  if (!zero) return DLS_ERR_MEMORY;
  const dls_point origin = {zero, zero, zero};
  const dls_polyhedron_region around = {.near = &origin, .radius = last_solutions * c->load};
  dls_exact_outcome outcome;
  const int calls = c->x->exact_calls;
  const dls_status status = dls_polyhedron_exact(c, mode, &around, NULL, NULL, &outcome);
  c->x->exact_calls = calls;
  if (outcome == DLS_EXACT_POINT) *margin = 0;
  free(zero);
  return status;
}

dls_status dls_polyhedron_refute(const dls_polyhedra *c, const unsigned char *mode,
                                 dls_proof *proof, double *margin)
{
  dls_exact_outcome outcome;
  if (*margin > c->tolerance && !c->doubtful) return look_far_away(c, mode, proof, margin);
  *margin = 0;
  const dls_status status = dls_polyhedron_exact(c, mode, NULL, proof, NULL, &outcome);
  if (status == DLS_OK && outcome == DLS_EXACT_EMPTY) *margin = dls_proof_check_far(c, mode, proof);
  return status;
}
