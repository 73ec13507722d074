#include "solvable_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static dls_matrix_view view(dense *t, int which, int rows, int cols, const double *x)
{
  for (int j = 0; j <= cols; j++) t->p[which][j] = j * rows;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) t->i[which][j * rows + i] = i;
  return (dls_matrix_view){{rows, cols, t->p[which], t->i[which]}, x};
}

const dls_incremental *dense_local(dense *t, int dimension, int contacts, int equations)
{
  const int rows = dimension * contacts + equations;
  t->problem = (dls_incremental){.dimension = dimension,
                                 .contacts = contacts,
                                 .equations = equations,
                                 .mu = t->mu,
                                 .W = view(t, 0, rows, rows, t->W),
                                 .q = t->q};
  return &t->problem;
}

const dls_incremental *dense_global(dense *t, int dimension, int contacts, int equations, int dof)
{
  const int rows = dimension * contacts + equations;
  t->problem = (dls_incremental){.dimension = dimension,
                                 .contacts = contacts,
                                 .equations = equations,
                                 .mu = t->mu,
                                 .global = true,
                                 .dof = dof,
                                 .M = view(t, 1, dof, dof, t->M),
                                 .H = view(t, 2, dof, rows, t->H),
                                 .f = t->f,
                                 .w = t->q};
  return &t->problem;
}

void dense_reduce(dense *t, int rows, int dof)
{
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i < rows; i++) {
      t->W[i + j * rows] = 0;
      for (int k = 0; k < dof; k++) t->W[i + j * rows] += t->H[k + i * dof] * t->H[k + j * dof];
    }
    for (int k = 0; k < dof; k++) t->q[j] += t->H[k + j * dof] * t->f[k];
  }
}

void dense_identity(dense *t, int dof)
{
  memset(t->M, 0, sizeof t->M);
  for (int k = 0; k < dof; k++) t->M[k + k * dof] = 1;
}

const dls_incremental *dense_jam(dense *t, bool as_global, int d, double mu, double speed)
{
  memset(t, 0, sizeof *t);
  dense_identity(t, d);
  for (int k = 0; k < d; k++) {
    t->H[k + k * d] = 1;
    t->H[k + (d + k) * d] = k == 0 ? -1 : 1;
  }
  t->f[0] = -0.3, t->mu[0] = t->mu[1] = mu;
  t->q[d] = -speed;
  if (as_global) return dense_global(t, d, 2, 0, d);
  dense_reduce(t, 2 * d, d);
  return dense_local(t, d, 2, 0);
}

// ---- the witnesses, checked --------------------------------------------------------------------

void matrix_product(const dls_matrix_view *A, bool transpose, double factor, const double *x,
                    long double *out)
{
  for (int j = 0; j < A->pattern.cols; j++)
    for (int e = A->pattern.p[j]; e < A->pattern.p[j + 1]; e++) {
      const int i = A->pattern.i[e];
      if (transpose) out[j] += (long double)factor * A->x[e] * x[i];
      else out[i] += (long double)factor * A->x[e] * x[j];
    }
}

double vector_largest(int count, const long double *x)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs((double)x[i]));
  return most;
}

static double diagonal(const dls_matrix_view *A, int j)
{
  for (int e = A->pattern.p[j]; e < A->pattern.p[j + 1]; e++)
    if (A->pattern.i[e] == j) return A->x[e];
  return 0;
}

static void check_yes(const dls_incremental *p, const dls_solvable *s)
{
  const int rows = dls_incremental_rows(p), d = p->dimension;
  long double *y = calloc(rows + 1, sizeof *y);
  const double *q = p->global ? p->w : p->q;
  assert_true(s->x || s->v || s->r);
  for (int i = 0; i < rows; i++) y[i] = q[i];
  for (int i = 0; s->r && i < rows; i++) assert_true(s->r[i] == 0);
  if (s->r && p->global) {  // these tests have diagonal masses
    double v[LARGEST];
    for (int k = 0; k < p->dof; k++) v[k] = p->f[k] / diagonal(&p->M, k);
    matrix_product(&p->H, true, 1, v, y);
  }
  if (s->v) matrix_product(&p->H, true, 1, s->v, y);
  if (s->x) matrix_product(&p->W, false, 0.5, s->x, y), matrix_product(&p->W, true, 0.5, s->x, y);
  for (int i = 0; i < p->contacts; i++) {
    const long double slip = hypotl(y[d * i + 1], d == 3 ? y[d * i + 2] : 0);
    if (s->criterion & DLS_CRITERION_INTERIOR) assert_true(y[d * i] > p->mu[i] * slip);
    else if (s->r) assert_true(y[d * i] >= 0);
    else assert_true(y[d * i] >= p->mu[i] * slip);
  }
  for (int j = d * p->contacts; j < rows; j++)
    assert_true(fabsl(y[j]) <= 1e-8 * (vector_largest(rows, y) + fabs(q[j])));
  free(y);
}

// y_i^T u_i - z_i^T r_i >= -tolerance at the extreme (u_i, r_i) of the mode.
static void check_contact(int d, double mu, int mode, const double *y, const long double *z,
                          double tolerance)
{
  const long double slip = hypotl(z[1], d == 3 ? z[2] : 0);
  switch (mode) {
  case DLS_SOLVABLE_ANY:
  case DLS_SOLVABLE_OPEN: assert_true(y[0] >= 0); break;
  case DLS_SOLVABLE_PLUS: assert_true(d == 2 && y[1] >= 0); break;
  case DLS_SOLVABLE_MINUS: assert_true(d == 2 && y[1] <= 0); break;
  default: break;
  }
  if (mode == DLS_SOLVABLE_ANY || mode == DLS_SOLVABLE_OPEN || mode == DLS_SOLVABLE_CLOSED)
    for (int k = 1; k < d; k++) assert_true(y[k] == 0);
  if (mode == DLS_SOLVABLE_PLUS) assert_true(z[0] - mu * z[1] <= tolerance);
  else if (mode == DLS_SOLVABLE_MINUS) assert_true(z[0] + mu * z[1] <= tolerance);
  else if (mode != DLS_SOLVABLE_OPEN) assert_true(z[0] + mu * slip <= tolerance);
}

// 1 / sqrt(W_jj), the largest of the rows of a contact: impulses there are this times the natural
// size of the problem.
static double unit_of(const dls_incremental *p, int first, int count)
{
  double most = 0;
  for (int j = first; j < first + count; j++) {
    double sum = p->global ? 0 : fabs(diagonal(&p->W, j));
    for (int e = p->global ? p->H.pattern.p[j] : 0; p->global && e < p->H.pattern.p[j + 1]; e++)
      sum += p->H.x[e] * p->H.x[e] / diagonal(&p->M, p->H.pattern.i[e]);
    most = fmax(most, sum);
  }
  return most > 0 ? 1 / sqrt(most) : 0;  // what nothing moves has no size of its own
}

static double natural_size(const dls_incremental *p)
{
  const int rows = dls_incremental_rows(p), d = p->dimension;
  double size = 0;
  for (int j = 0; j < rows; j++) {
    const bool contact = j < d * p->contacts;
    const double unit = unit_of(p, contact ? j / d * d : j, contact ? d : 1);
    size = fmax(size, unit * fabs((p->global ? p->w : p->q)[j]));
  }
  for (int k = 0; p->global && k < p->dof; k++)
    size = fmax(size, fabs(p->f[k]) / sqrt(diagonal(&p->M, k)));
  return size;
}

// The largest term of M^T p = H y, in a unit that all rows share.
static double size_of(const dls_incremental *p, const dls_solvable_leaf *leaf)
{
  double size = 0;
  for (int k = 0; k < p->dof; k++) size = fmax(size, fabs(leaf->p[k]) * sqrt(diagonal(&p->M, k)));
  for (int j = 0; j < dls_incremental_rows(p); j++)
    for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++)
      size = fmax(size, fabs(p->H.x[e] * leaf->y[j]) / sqrt(diagonal(&p->M, p->H.pattern.i[e])));
  return size;
}

// Impulses of 1e10 times the natural size do not outweigh q^T y.
static void check_leaf(const dls_incremental *p, const dls_solvable_leaf *leaf)
{
  const int rows = dls_incremental_rows(p), d = p->dimension, dof = p->global ? p->dof : 0;
  long double *z = calloc(rows + 1, sizeof *z), *e = calloc(dof + 1, sizeof *e), work = 0;
  const double *q = p->global ? p->w : p->q;
  if (p->global) {
    matrix_product(&p->H, true, 1, leaf->p, z);
    matrix_product(&p->H, false, 1, leaf->y, e);
    matrix_product(&p->M, true, -1, leaf->p, e);
    for (int k = 0; k < dof; k++) work += (long double)p->f[k] * leaf->p[k];
  } else {
    matrix_product(&p->W, true, 1, leaf->y, z);
  }
  for (int j = 0; j < rows; j++) work += (long double)q[j] * leaf->y[j];
  assert_true(work < 0);
  const double allowed = 1e-10 * -(double)work / natural_size(p);
  for (int k = 0; k < dof; k++)
    assert_true(fabs((double)e[k]) <=
                sqrt(diagonal(&p->M, k)) * (1e-9 * size_of(p, leaf) + 10 * allowed));
  for (int i = 0; i < p->contacts; i++)
    check_contact(d, p->mu[i], leaf->mode[i], leaf->y + d * i, z + d * i,
                  allowed / unit_of(p, d * i, d));
  for (int j = d * p->contacts; j < rows; j++)
    assert_true(fabsl(z[j]) <= allowed / unit_of(p, j, 1));
  free(z), free(e);
}

static bool covers(int mode, int atom)
{
  return mode == DLS_SOLVABLE_ANY || mode == atom ||
         (mode == DLS_SOLVABLE_CLOSED && atom != DLS_SOLVABLE_OPEN);
}

// Every combination of what contacts can do is in a leaf.
static void check_no(const dls_incremental *p, const dls_solvable *s)
{
  static const int planar[] = {DLS_SOLVABLE_OPEN, DLS_SOLVABLE_STICK, DLS_SOLVABLE_PLUS,
                               DLS_SOLVABLE_MINUS};
  static const int other[] = {DLS_SOLVABLE_OPEN, DLS_SOLVABLE_CLOSED};
  const bool flat = p->dimension == 2;
  const int choices = flat ? 4 : 2;
  assert_true(s->leaves > 0 && s->bound >= 1e11 && s->margin > 0);
  for (int k = 0; k < s->leaves; k++) check_leaf(p, &s->leaf[k]);
  if (s->leaves == 1) {
    for (int i = 0; i < p->contacts; i++) assert_int_equal(s->leaf[0].mode[i], DLS_SOLVABLE_ANY);
    return;
  }
  for (long all = 0; all < lround(pow(choices, p->contacts)); all++) {
    bool found = false;
    for (int k = 0; !found && k < s->leaves; k++) {
      long rest = all;
      found = true;
      for (int i = 0; i < p->contacts; i++, rest /= choices)
        found = found && covers(s->leaf[k].mode[i], (flat ? planar : other)[rest % choices]);
    }
    assert_true(found);
  }
}

dls_solvable *solvable_ask(const dls_incremental *p)
{
  dls_solvable *s = NULL;
  dls_message message = {{0}};
  assert_int_equal(dls_incremental_solvable(p, NULL, &s, &message), DLS_OK);
  assert_non_null(s->by);
  if (s->answer == DLS_YES) check_yes(p, s);
  else if (s->answer == DLS_NO) check_no(p, s);
  else assert_int_equal(s->answer, DLS_UNDECIDED);
  if (s->criterion & DLS_CRITERION_FAILS && s->answer == DLS_UNDECIDED) assert_non_null(s->r);
  return s;
}

dls_answer solvable_answer(const dls_incremental *p)
{
  dls_solvable *s = solvable_ask(p);
  const dls_answer given = s->answer;
  dls_solvable_free(s);
  return given;
}
