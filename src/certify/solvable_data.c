// The incremental problem in units in which its rows, its masses and its velocities are about 1.
#include "certify/solvable.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

// e with x = 2^e times a number from 1/2 to 1; false where x has no size.
static bool exponent_of(double x, int *e)
{
  if (!(x > 0) || !isfinite(x)) return false;
  frexp(x, e);
  return true;
}

// 2^(e/2), rounded down.
static double root(int e)
{
  return ldexp(1, (e - (e % 2 != 0 && e < 0)) / 2);
}

static double diagonal(const dls_matrix_view *A, int j)
{
  for (int e = A->pattern.p[j]; e < A->pattern.p[j + 1]; e++)
    if (A->pattern.i[e] == j) return A->x[e];
  return 0;
}

// W_jj, with only the diagonal of M in global form.
static double mobility(const dls_incremental *p, const double *B, int j)
{
  if (!p->global) return diagonal(&p->W, j);
  double sum = 0;
  for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++) {
    const double h = p->H.x[e] * B[p->H.pattern.i[e]];
    sum += h * h;
  }
  return sum;
}

// The masses relative to the largest, so that another unit of mass changes nothing.
static void choose_masses(dls_solvable_data *s)
{
  const dls_incremental *p = s->given;
  int own, most = INT_MIN;
  for (int k = 0; k < s->dof; k++)
    if (exponent_of(diagonal(&p->M, k), &own) && own > most) most = own;
  if (most == INT_MIN) most = 0;
  for (int k = 0; k < s->dof; k++)
    s->B[k] = exponent_of(diagonal(&p->M, k), &own) ? root(most - own) : 1;
  s->unit = ldexp(1, -most);
}

// How much the rows of a contact, or the equation, that begin at j move; and how many they are.
static double movable(const dls_solvable_data *s, int j, int *count)
{
  double largest = 0;
  *count = j < s->d * s->contacts ? s->d : 1;
  for (int k = j; k < j + *count; k++) largest = fmax(largest, mobility(s->given, s->B, k));
  return largest;
}

// Rows that nothing moves get their size from q alone: that of the others.
static void choose_unmoved(dls_solvable_data *s, const double *q)
{
  int count, own, others = INT_MIN, e;
  for (int j = 0; j < s->rows; j++)
    if (s->D[j] > 0 && exponent_of(fabs(s->D[j] * q[j]), &e) && e > others) others = e;
  for (int j = 0; j < s->rows; j += count) {
    movable(s, j, &count);
    double largest = 0;
    for (int k = j; k < j + count; k++) largest = fmax(largest, fabs(q[k]));
    if (s->D[j] > 0) continue;
    const bool sized = others > INT_MIN && exponent_of(largest, &own);
    for (int k = j; k < j + count; k++) s->D[k] = sized ? ldexp(1, others - own) : 1;
  }
}

// Local form: relative to the rows that move most, so that other units change nothing.
static void choose_units(dls_solvable_data *s)
{
  const dls_incremental *p = s->given;
  int count, own, most = INT_MIN;
  s->unit = 1;
  if (p->global) choose_masses(s);
  for (int j = 0; j < s->rows; j += count)
    if (exponent_of(movable(s, j, &count), &own) && own > most) most = own;
  if (p->global || most == INT_MIN) most = 0;
  for (int j = 0; j < s->rows; j += count) {
    const bool moves = exponent_of(movable(s, j, &count), &own);
    for (int k = j; k < j + count; k++) s->D[k] = moves ? root(most - own) : 0;
  }
  if (!p->global) s->unit = ldexp(1, -most);
  choose_unmoved(s, p->global ? p->w : p->q);
}

// left A right unit
static dls_status scaled(const dls_matrix_view *A, const double *left, const double *right,
                         double unit, dls_sparse **out)
{
  dls_status status = dls_sparse_from_pattern(&A->pattern, A->x, out);
  for (int j = 0; status == DLS_OK && j < (*out)->cols; j++)
    for (int e = (*out)->p[j]; e < (*out)->p[j + 1]; e++) {
      (*out)->x[e] *= left[(*out)->i[e]] * unit * right[j];
      if (!isfinite((*out)->x[e])) return DLS_ERR_NUMBER;
    }
  return status;
}

// (A + A^T) / 2
static dls_status symmetric_part(const dls_sparse *A, dls_sparse **out)
{
  const int count = A->p[A->cols];
  int *row = dls_alloc(4 * (ptrdiff_t)count + 1, sizeof *row), *col = row ? row + 2 * count : NULL;
  double *value = dls_alloc(2 * (ptrdiff_t)count + 1, sizeof *value);
  dls_status status = row && value ? DLS_OK : DLS_ERR_MEMORY;
  for (int j = 0; status == DLS_OK && j < A->cols; j++)
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      row[e] = A->i[e], col[e] = j, value[e] = A->x[e] / 2;
      row[count + e] = j, col[count + e] = A->i[e], value[count + e] = A->x[e] / 2;
    }
  if (status == DLS_OK)
    status = dls_sparse_from_triplets(A->rows, A->cols, 2 * count, row, col, value, out);
  free(row), free(value);
  return status;
}

dls_status dls_solvable_scale(const dls_incremental *p, dls_solvable_data *s)
{
  s->given = p, s->global = p->global, s->d = p->dimension, s->contacts = p->contacts;
  s->equations = p->equations, s->rows = dls_incremental_rows(p), s->dof = p->global ? p->dof : 0;
  s->mu = p->mu;
  for (int i = 0; i < p->contacts; i++) s->largest_mu = fmax(s->largest_mu, p->mu[i]);
  s->D = dls_alloc((ptrdiff_t)s->rows + 1, sizeof(double));
  s->q = dls_alloc((ptrdiff_t)s->rows + 1, sizeof(double));
  s->B = dls_alloc((ptrdiff_t)s->dof + 1, sizeof(double));
  s->f = dls_alloc((ptrdiff_t)s->dof + 1, sizeof(double));
  if (!s->D || !s->q || !s->B || !s->f) return DLS_ERR_MEMORY;
  choose_units(s);
  dls_status status;
  if (p->global) {
    status = scaled(&p->M, s->B, s->B, s->unit, &s->M);
    if (status == DLS_OK) status = scaled(&p->H, s->B, s->D, 1, &s->H);
    if (status == DLS_OK) status = symmetric_part(s->M, &s->S);
  } else {
    status = scaled(&p->W, s->D, s->D, s->unit, &s->W);
    if (status == DLS_OK) status = symmetric_part(s->W, &s->S);
  }
  for (int j = 0; j < s->rows; j++) {
    s->q[j] = s->D[j] * (p->global ? p->w : p->q)[j];
    s->size = fmax(s->size, fabs(s->q[j]));
  }
  for (int k = 0; k < s->dof; k++) s->f[k] = s->unit * s->B[k] * p->f[k];
  for (int j = 0; j < s->rows; j++)
    if (!isfinite(s->q[j])) return DLS_ERR_NUMBER;
  for (int k = 0; k < s->dof; k++)
    if (!isfinite(s->f[k])) return DLS_ERR_NUMBER;
  return status;
}

void dls_solvable_data_free(dls_solvable_data *s)
{
  dls_sparse_free(s->W), dls_sparse_free(s->S), dls_sparse_free(s->M), dls_sparse_free(s->H);
  free(s->D), free(s->B), free(s->q), free(s->f);
}
