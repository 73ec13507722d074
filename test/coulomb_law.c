#include "coulomb_law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// Dense, by columns: W of the local form, and of each row the velocity u and `size`, the sum of the
// sizes of what it is added up from.
typedef struct dense {
  int rows, dof;
  long double *W, *u, *size;
} dense;

static long double *numbers(int count)
{
  long double *x = calloc((size_t)count + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static long double *copy(const dls_matrix_view *A)
{
  const int rows = A->pattern.rows;
  long double *to = numbers(rows * A->pattern.cols);
  for (int c = 0; c < A->pattern.cols; c++)
    for (int e = A->pattern.p[c]; e < A->pattern.p[c + 1]; e++)
      to[A->pattern.i[e] + rows * c] = A->x[e];
  return to;
}

static void swap(long double *x, int i, int j)
{
  const long double kept = x[i];
  x[i] = x[j], x[j] = kept;
}

// X <- A^-1 X by Gauss and Jordan; A is lost.
static void divide(int n, int cols, long double *A, long double *X)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabsl(A[i + n * k]) > fabsl(A[best + n * k])) best = i;
    for (int c = 0; c < n; c++) swap(A + (ptrdiff_t)n * c, k, best);
    for (int c = 0; c < cols; c++) swap(X + (ptrdiff_t)n * c, k, best);
    for (int i = 0; i < n; i++) {
      const long double factor = A[i + n * k] / A[k + n * k];
      for (int c = k + 1; i != k && c < n; c++) A[i + n * c] -= factor * A[k + n * c];
      for (int c = 0; i != k && c < cols; c++) X[i + n * c] -= factor * X[k + n * c];
    }
  }
  for (int k = 0; k < n; k++)
    for (int c = 0; c < cols; c++) X[k + n * c] /= A[k + n * k];
}

static void local(const dls_incremental *p, const double *r, dense *x)
{
  x->W = copy(&p->W);
  for (int i = 0; i < x->rows; i++) {
    x->u[i] = p->q[i], x->size[i] = fabsl(x->u[i]);
    for (int j = 0; j < x->rows; j++) {
      const long double term = x->W[i + x->rows * j] * r[j];
      x->u[i] += term, x->size[i] += fabsl(term);
    }
  }
}

// W = H^T M^-1 H; u = H^T v + w, of which H^T M^-1 f + w is there without forces.
static void global(const dls_incremental *p, const double *v, dense *x)
{
  const int n = x->dof, rows = x->rows;
  long double *M = copy(&p->M), *H = copy(&p->H), *X = numbers(n * (rows + 1));
  for (int k = 0; k < n * rows; k++) X[k] = H[k];
  for (int k = 0; k < n; k++) X[n * rows + k] = p->f[k];
  divide(n, rows + 1, M, X);
  x->W = numbers(rows * rows);
  for (int i = 0; i < rows; i++) {
    const long double *column = H + (ptrdiff_t)n * i, *free_v = X + (ptrdiff_t)n * rows;
    long double q = p->w[i], added = 0;
    x->u[i] = p->w[i];
    for (int k = 0; k < n; k++) {
      x->u[i] += column[k] * v[k], q += column[k] * free_v[k];
      added += fabsl(column[k] * (v[k] - free_v[k]));
    }
    x->size[i] = fabsl(q) + added;
    for (int j = 0; j < rows; j++)
      for (int k = 0; k < n; k++) x->W[i + rows * j] += column[k] * X[k + n * j];
  }
  free(M), free(H), free(X);
}

static double balance(const dls_incremental *p, const double *r, const double *v)
{
  const int n = p->dof, rows = dls_incremental_rows(p);
  long double *M = copy(&p->M), *H = copy(&p->H), worst = 0;
  for (int k = 0; k < n; k++) {
    long double sum = p->f[k], size = fabsl(sum);
    for (int j = 0; j < rows; j++) sum += H[k + n * j] * r[j], size += fabsl(H[k + n * j] * r[j]);
    for (int j = 0; j < n; j++) sum -= M[k + n * j] * v[j], size += fabsl(M[k + n * j] * v[j]);
    if (isnan((double)sum)) worst = NAN;
    if (sum != 0 && !(fabsl(sum) / size <= worst)) worst = fabsl(sum) / size;
  }
  free(M), free(H);
  return (double)worst;
}

// How stiff a contact is, velocity per impulse; where it is not at all, as stiff as the others.
static long double stiffness(const dls_incremental *p, const dense *x, int contact)
{
  const int d = p->dimension;
  long double own = 0, all = 0;
  for (int j = 0; j < d * p->contacts; j++) {
    const long double entry = fabsl(x->W[j * (x->rows + 1)]);
    all += entry / (d * p->contacts);
    if (j / d == contact) own += entry / d;
  }
  return own > 0 ? own : all > 0 ? all : 1;
}

// Into the worst; what has no size must be nothing.
static void worse(double *worst, long double value, long double size)
{
  if (isnan((double)value) || isnan((double)size)) *worst = NAN;
  else if (value > 0 && !((double)(value / size) <= *worst)) *worst = (double)(value / size);
}

static void contact(const dls_incremental *p, const dense *x, int i, const double *r,
                    law_error *error)
{
  const int d = p->dimension, at = d * i;
  const long double stiff = stiffness(p, x, i), mu = p->mu[i], *u = x->u + at;
  const long double r2 = d == 3 ? r[at + 2] : 0, u2 = d == 3 ? u[2] : 0;
  const long double normal = stiff * r[at], a = stiff * r[at + 1], b = stiff * r2;
  const long double friction = hypotl(a, b), slip = hypotl(u[1], u2);
  long double size = 0;
  for (int k = at; k < at + d; k++) size = fmaxl(size, x->size[k]);
  worse(&error->into, -u[0], size);
  worse(&error->outside, -normal, size);
  worse(&error->outside, (friction - mu * normal) / (1 + mu), size);
  worse(&error->held, fminl(normal, u[0]), size);
  if (!(slip > 0) || !(mu > 0)) return;
  // where it slips friction is as large as it may be and against the slip; how far from that, or
  // from not slipping: across is that of the smaller one along the other
  worse(&error->against, fminl(slip, (mu * normal - friction) / (1 + mu)), size);
  const long double along = -(a * u[1] + b * u2), across = fabsl(a * u2 - b * u[1]);
  if (friction > 0)
    worse(&error->against, (along > 0 ? across : slip * friction) / fmaxl(slip, friction), size);
}

law_error law_error_of(const dls_incremental *p, const double *r, const double *v)
{
  dense x = {.rows = dls_incremental_rows(p), .dof = p->global ? p->dof : 0};
  law_error error = {0};
  x.u = numbers(x.rows), x.size = numbers(x.rows);
  if (p->global) global(p, v, &x), error.balance = balance(p, r, v);
  else local(p, r, &x);
  for (int i = 0; i < p->contacts; i++) contact(p, &x, i, r, &error);
  for (int j = p->dimension * p->contacts; j < x.rows; j++)
    worse(&error.equation, fabsl(x.u[j]), x.size[j]);
  const double all[] = {error.into,    error.outside,  error.held,
                        error.against, error.equation, error.balance};
  for (int k = 0; k < 6; k++)
    if (!(all[k] <= error.largest)) error.largest = isnan(error.largest) ? NAN : all[k];
  free(x.W), free(x.u), free(x.size);
  return error;
}

bool law_solve(const dls_incremental *p, dls_solve_options options, double *r, double *v, double *u,
               dls_solve_report *report)
{
  dls_solver *solver = NULL;
  options.threads = 1;
  const dls_status status = dls_solver_create(p, &options, &solver, NULL);
  if (status == DLS_ERR_ARGUMENT && strcmp(options.solver, "pile") == 0) return false;
  assert_int_equal(status, DLS_OK);
  assert_int_equal(dls_solver_solve(solver, r, p->global ? v : NULL, u, report), DLS_OK);
  dls_solver_free(solver);
  return true;
}
