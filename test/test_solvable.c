// Whether an incremental problem has a solution: oracles, problems with a solution by construction
// and without one, units, files; every witness is checked here from the data, by other code.
#include <delassus/delassus.h>

#include "certify/solvable.h"
#include "numbers.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { LARGEST = 40 };

// A dense problem with all of its numbers.
typedef struct dense {
  dls_incremental problem;
  double mu[LARGEST], W[LARGEST * LARGEST], q[LARGEST];
  double M[LARGEST * LARGEST], H[LARGEST * LARGEST], f[LARGEST];
  int p[3][LARGEST + 1], i[3][LARGEST * LARGEST];
} dense;

static dls_matrix_view view(dense *t, int which, int rows, int cols, const double *x)
{
  for (int j = 0; j <= cols; j++) t->p[which][j] = j * rows;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) t->i[which][j * rows + i] = i;
  return (dls_matrix_view){{rows, cols, t->p[which], t->i[which]}, x};
}

// W rows x rows, H dof x rows: column-major, without gaps.
static const dls_incremental *local(dense *t, int dimension, int contacts, int equations)
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

static const dls_incremental *global(dense *t, int dimension, int contacts, int equations, int dof)
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

// W = H^T H, q = H^T f + w from the global data with M = I.
static void reduce(dense *t, int rows, int dof)
{
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i < rows; i++) {
      t->W[i + j * rows] = 0;
      for (int k = 0; k < dof; k++) t->W[i + j * rows] += t->H[k + i * dof] * t->H[k + j * dof];
    }
    for (int k = 0; k < dof; k++) t->q[j] += t->H[k + j * dof] * t->f[k];
  }
}

static void identity(dense *t, int dof)
{
  memset(t->M, 0, sizeof t->M);
  for (int k = 0; k < dof; k++) t->M[k + k * dof] = 1;
}

// ---- the witnesses, checked --------------------------------------------------------------------

// out += factor A x, or A^T x
static void product(const dls_matrix_view *A, bool transpose, double factor, const double *x,
                    long double *out)
{
  for (int j = 0; j < A->pattern.cols; j++)
    for (int e = A->pattern.p[j]; e < A->pattern.p[j + 1]; e++) {
      const int i = A->pattern.i[e];
      if (transpose) out[j] += (long double)factor * A->x[e] * x[i];
      else out[i] += (long double)factor * A->x[e] * x[j];
    }
}

static double largest(int count, const long double *x)
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
    product(&p->H, true, 1, v, y);
  }
  if (s->v) product(&p->H, true, 1, s->v, y);
  if (s->x) product(&p->W, false, 0.5, s->x, y), product(&p->W, true, 0.5, s->x, y);
  for (int i = 0; i < p->contacts; i++) {
    const long double slip = hypotl(y[d * i + 1], d == 3 ? y[d * i + 2] : 0);
    if (s->criterion & DLS_CRITERION_INTERIOR) assert_true(y[d * i] > p->mu[i] * slip);
    else if (s->r) assert_true(y[d * i] >= 0);
    else assert_true(y[d * i] >= p->mu[i] * slip);
  }
  for (int j = d * p->contacts; j < rows; j++)
    assert_true(fabsl(y[j]) <= 1e-8 * (largest(rows, y) + fabs(q[j])));
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
    product(&p->H, true, 1, leaf->p, z);
    product(&p->H, false, 1, leaf->y, e);
    product(&p->M, true, -1, leaf->p, e);
    for (int k = 0; k < dof; k++) work += (long double)p->f[k] * leaf->p[k];
  } else {
    product(&p->W, true, 1, leaf->y, z);
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

static dls_solvable *ask(const dls_incremental *p)
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

static dls_answer answer(const dls_incremental *p)
{
  dls_solvable *s = ask(p);
  const dls_answer given = s->answer;
  dls_solvable_free(s);
  return given;
}

// ---- oracles -----------------------------------------------------------------------------------

// CVX Example 2.1: u_N = v sin, u_T = u0 + v cos, M = 1, v = gravity without contact.
static const dls_incremental *painleve(dense *t, bool as_global, double theta, double mu, double u0,
                                       double gravity)
{
  identity(t, 1);
  t->H[0] = sin(theta), t->H[1] = cos(theta);
  t->f[0] = gravity, t->q[0] = 0, t->q[1] = u0, t->mu[0] = mu;
  if (as_global) return global(t, 2, 1, 0, 1);
  reduce(t, 2, 1);
  return local(t, 2, 1, 0);
}

static void test_painleve(void **state)
{
  (void)state;
  static const double angles[] = {0.1, 0.4, 0.7, 1.0, 1.3, 1.5}, speeds[] = {-2, -0.1, 0.1, 3};
  static const double friction[] = {0, 0.05, 0.3, 0.9, 2, 5};
  dense t = {0};
  for (int form = 0; form < 2; form++)
    for (int a = 0; a < 6; a++)
      for (int m = 0; m < 6; m++)
        for (int u = 0; u < 4; u++) {
          const bool exists = speeds[u] <= 0 || tan(angles[a]) > friction[m];
          const dls_incremental *p = painleve(&t, form, angles[a], friction[m], speeds[u], -1);
          assert_int_equal(answer(p), exists ? DLS_YES : DLS_NO);
          // gravity up: it takes off, although the criterion fails as before
          p = painleve(&t, form, angles[a], friction[m], speeds[u], 1);
          assert_int_equal(answer(p), DLS_YES);
        }
  // nothing imposed: v = 0 in global form, whatever the friction
  dls_solvable *s = ask(painleve(&t, true, 0.1, 5, 0, -1));
  assert_int_equal(s->answer, DLS_YES);
  assert_int_equal(s->criterion & DLS_CRITERION_INTERIOR, 0);
  assert_true(s->criterion & DLS_CRITERION_CLOSED);
  dls_solvable_free(s);
}

// A ball between two plates that approach (speed > 0) or part; y, x and (spatial) z of the ball.
static const dls_incremental *jam(dense *t, bool as_global, int d, double mu, double speed)
{
  memset(t, 0, sizeof *t);
  identity(t, d);
  for (int k = 0; k < d; k++) {
    t->H[k + k * d] = 1;
    t->H[k + (d + k) * d] = k == 0 ? -1 : 1;
  }
  t->f[0] = -0.3, t->mu[0] = t->mu[1] = mu;
  t->q[d] = -speed;
  if (as_global) return global(t, d, 2, 0, d);
  reduce(t, 2 * d, d);
  return local(t, d, 2, 0);
}

static void test_jam(void **state)
{
  (void)state;
  dense t;
  for (int form = 0; form < 2; form++)
    for (int d = 2; d <= 3; d++)
      for (double mu = 0; mu < 2; mu += 0.6) {
        dls_solvable *s = ask(jam(&t, form, d, mu, 0.5));
        assert_int_equal(s->answer, DLS_NO);
        assert_int_equal(s->leaves, 1);
        dls_solvable_free(s);
        s = ask(jam(&t, form, d, mu, -0.5));
        assert_int_equal(s->answer, DLS_YES);
        assert_int_equal(s->criterion & DLS_CRITERION_ANY_LOAD, 0);
        dls_solvable_free(s);
        // neither: the answer must not be a no
        assert_int_not_equal(answer(jam(&t, form, d, mu, 0)), DLS_NO);
      }
  assert_int_equal(answer(jam(&t, true, 3, 0.6, 0)), DLS_YES);
}

static void test_equations(void **state)
{
  (void)state;
  dense t = {0};
  // no rows at all
  assert_int_equal(answer(local(&t, 3, 0, 0)), DLS_YES);
  identity(&t, 2);
  assert_int_equal(answer(global(&t, 3, 0, 0, 2)), DLS_YES);
  // two equations: independent, contradicting, repeated
  t.H[0] = 1, t.H[1] = 0, t.H[2] = 1, t.H[3] = 1, t.q[0] = 1, t.q[1] = -3;
  assert_int_equal(answer(global(&t, 2, 0, 2, 2)), DLS_YES);
  reduce(&t, 2, 2);
  assert_int_equal(answer(local(&t, 2, 0, 2)), DLS_YES);
  t.H[3] = 0;
  assert_int_equal(answer(global(&t, 2, 0, 2, 2)), DLS_NO);
  reduce(&t, 2, 2);
  assert_int_equal(answer(local(&t, 2, 0, 2)), DLS_NO);
  t.q[1] = 1;
  assert_int_not_equal(answer(global(&t, 2, 0, 2, 2)), DLS_NO);
  t.q[1] = 1 + 1e-12;
  assert_int_equal(answer(global(&t, 2, 0, 2, 2)), DLS_UNDECIDED);
  t.q[0] = t.q[1] = 0;
  assert_int_equal(answer(global(&t, 2, 0, 2, 2)), DLS_YES);
  // a contact that an equation opens, or closes
  for (int sign = -1; sign <= 1; sign += 2) {
    memset(t.H, 0, sizeof t.H);
    t.H[0] = 1, t.H[3] = 1, t.H[4] = 1, t.mu[0] = 0.5, t.q[0] = t.q[1] = 0, t.q[2] = -sign;
    assert_int_equal(answer(global(&t, 2, 1, 1, 2)), sign > 0 ? DLS_YES : DLS_NO);
    reduce(&t, 3, 2);
    assert_int_equal(answer(local(&t, 2, 1, 1)), sign > 0 ? DLS_YES : DLS_NO);
  }
}

// Two bars: one takes off where the criterion fails, the other one needs a force. There is a
// solution, nothing here proves it, and the impulses that make the criterion fail are shown.
static void test_fails(void **state)
{
  (void)state;
  dense t = {0};
  identity(&t, 2);
  t.H[0] = sin(0.3), t.H[2] = cos(0.3), t.H[5] = sin(0.3), t.H[7] = cos(0.3);
  t.mu[0] = t.mu[1] = 2, t.q[1] = 1, t.q[3] = -1, t.f[0] = 1, t.f[1] = -1;
  for (int form = 0; form < 2; form++) {
    const dls_incremental *p = global(&t, 2, 2, 0, 2);
    if (form) reduce(&t, 4, 2), p = local(&t, 2, 2, 0);
    dls_solvable *s = ask(p);
    assert_int_equal(s->answer, DLS_UNDECIDED);
    assert_int_equal(s->criterion, DLS_CRITERION_FAILS);
    const double *q = p->global ? p->w : p->q;
    long double sum[4] = {0}, work = 0;
    product(p->global ? &p->H : &p->W, false, 1, s->r, sum);
    assert_true(largest(p->global ? 2 : 4, sum) < 1e-8);
    for (int j = 0; j < 4; j++) work += q[j] * s->r[j];
    assert_true(work < -1e-3);
    for (int i = 0; i < 2; i++) assert_true(fabs(s->r[2 * i + 1]) <= 2 * s->r[2 * i] + 1e-9);
    dls_solvable_free(s);
  }
}

// ---- by construction ---------------------------------------------------------------------------

// A pair (u, r) of Coulomb's law.
static void draw_contact(int d, double mu, double *u, double *r)
{
  const int kind = below(3);
  double e[2] = {uniform(), uniform()};
  const double length = d == 3 ? hypot(e[0], e[1]) : fabs(e[0]);
  memset(u, 0, d * sizeof *u), memset(r, 0, d * sizeof *r);
  if (kind == 0) u[0] = fabs(uniform());
  else r[0] = fabs(uniform());
  const double slip = kind == 1 ? 0 : fabs(uniform());
  for (int k = 1; k < d; k++) {
    u[k] = slip * e[k - 1] / length;
    r[k] = (kind == 2 ? -1 : uniform() * 0.7) * mu * r[0] * e[k - 1] / length;
  }
  if (kind == 1)  // inside the cone, in one direction
    for (int k = 1; k < d; k++) r[k] = 0.5 * mu * r[0] * e[k - 1] / length;
}

static void test_manufactured(void **state)
{
  (void)state;
  dense t;
  int yes = 0, count = 0;
  for (int round = 0; round < 150; round++) {
    const int d = 2 + below(2), contacts = 1 + below(4), equations = below(3);
    const int rows = d * contacts + equations, dof = 2 + below(rows + 2);
    double u[LARGEST] = {0}, r[LARGEST];
    memset(&t, 0, sizeof t);
    for (int i = 0; i < contacts; i++) {
      t.mu[i] = below(4) == 0 ? 0 : 1.5 * fabs(uniform());
      draw_contact(d, t.mu[i], u + d * i, r + d * i);
    }
    for (int j = d * contacts; j < rows; j++) r[j] = uniform();
    for (int k = 0; k < dof * rows; k++) t.H[k] = uniform();
    reduce(&t, rows, dof);
    for (int i = 0; i < rows; i++) {
      t.q[i] = u[i];
      for (int j = 0; j < rows; j++) t.q[i] -= t.W[i + j * rows] * r[j];
    }
    const dls_answer given = answer(local(&t, d, contacts, equations));
    assert_int_not_equal(given, DLS_NO);
    yes += given == DLS_YES, count++;
  }
  assert_true(yes > count / 2);
}

// W y = 0 and q^T y < 0 for some y_N >= 0: nothing keeps the contacts apart.
static void test_without(void **state)
{
  (void)state;
  dense t;
  int no = 0, count = 0;
  for (int round = 0; round < 100; round++) {
    const int d = 2 + below(2), contacts = 2 + below(3), rows = d * contacts;
    const int dof = 2 + below(rows - 2);
    double y[LARGEST] = {0}, square = 0, work = 0;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < contacts; i++) {
      t.mu[i] = fabs(uniform());
      y[d * i] = 0.1 + fabs(uniform());
      square += y[d * i] * y[d * i];
    }
    for (int k = 0; k < dof * rows; k++) t.H[k] = uniform();
    for (int k = 0; k < dof; k++) {  // each row of H orthogonal to y
      double dot = 0;
      for (int j = 0; j < rows; j++) dot += t.H[k + j * dof] * y[j];
      for (int j = 0; j < rows; j++) t.H[k + j * dof] -= dot * y[j] / square;
    }
    for (int j = 0; j < rows; j++) t.q[j] = uniform(), work += t.q[j] * y[j];
    for (int j = 0; j < rows; j++) t.q[j] -= (work + 0.2 * square) * y[j] / square;
    for (int k = 0; k < dof; k++) t.f[k] = uniform();
    identity(&t, dof);
    const bool as_global = below(2);
    if (!as_global) reduce(&t, rows, dof);
    const dls_answer given =
        answer(as_global ? global(&t, d, contacts, 0, dof) : local(&t, d, contacts, 0));
    assert_int_not_equal(given, DLS_YES);
    no += given == DLS_NO, count++;
  }
  assert_int_equal(no, count);
}

// ---- matrices that are not quite symmetric or semidefinite -------------------------------------

static void test_matrices(void **state)
{
  (void)state;
  dense t = {0};
  const double W[] = {1, 2e-3, 0, -2e-3, 1, 0.1, 0, 0.1, 1};
  memcpy(t.W, W, sizeof W);
  t.q[0] = -1, t.q[1] = 0.5, t.mu[0] = 0.4;
  dls_solvable *s = ask(local(&t, 3, 1, 0));
  assert_int_equal(s->answer, DLS_YES);
  assert_true(s->shift > 0 && s->shift < 0.5);
  dls_solvable_free(s);
  // a mass matrix that is not definite
  memset(&t, 0, sizeof t);
  identity(&t, 2);
  t.M[0] = -1, t.H[0] = 1, t.H[3] = 1, t.f[0] = 1, t.mu[0] = 0.1;
  assert_int_equal(answer(global(&t, 2, 1, 0, 2)), DLS_UNDECIDED);
  // the force pulls: u_N = -r_N - 1
  memset(&t, 0, sizeof t);
  t.W[0] = t.W[3] = -1, t.q[0] = -1, t.mu[0] = 0.2;
  s = ask(local(&t, 2, 1, 0));
  assert_int_equal(s->answer, DLS_NO);
  assert_true(isinf(s->bound));
  dls_solvable_free(s);
  // and u_N = -r_N + 1 has r = 0
  t.q[0] = 1;
  assert_int_equal(answer(local(&t, 2, 1, 0)), DLS_YES);
  // x = (-3, -3) puts S x + q inside the cones, but u_N = r_N - 3 s_N - 1 = s_N - 3 r_N - 1 have
  // no solution: an indefinite matrix must not pass
  memset(&t, 0, sizeof t);
  t.W[0] = 1, t.W[2] = -3, t.W[8] = -3, t.W[10] = 1, t.q[0] = t.q[2] = -1;
  assert_int_equal(answer(local(&t, 2, 2, 0)), DLS_NO);
}

// ---- units -------------------------------------------------------------------------------------

static void scale_contact(dense *t, int rows, int first, int count, double factor)
{
  for (int k = first; k < first + count; k++) {
    for (int j = 0; j < rows; j++) t->W[k + j * rows] *= factor, t->W[j + k * rows] *= factor;
    t->q[k] *= factor;
  }
}

static void test_units(void **state)
{
  (void)state;
  static const double factors[] = {1e-8, 1e-4, 3, 1e4, 1e8};
  dense t;
  for (int kind = 0; kind < 2; kind++)
    for (int d = 2; d <= 3; d++)
      for (int k = 0; k < 5; k++) {
        const dls_answer expected = kind ? DLS_YES : DLS_NO;
        const double speed = kind ? -0.5 : 0.5;
        const dls_incremental *p = jam(&t, false, d, 0.3, speed);
        scale_contact(&t, 2 * d, d, d, factors[k]);
        assert_int_equal(answer(p), expected);
        p = jam(&t, false, d, 0.3, speed);  // masses and velocities
        for (int e = 0; e < 4 * d * d; e++) t.W[e] *= factors[k];
        for (int j = 0; j < 2 * d; j++) t.q[j] *= factors[4 - k];
        assert_int_equal(answer(p), expected);
        p = jam(&t, true, d, 0.3, speed);
        for (int j = 0; j < d; j++) t.M[j + j * d] *= factors[k], t.f[j] *= factors[k];
        assert_int_equal(answer(p), expected);
        p = jam(&t, true, d, 0.3, speed);  // one coordinate
        for (int j = 0; j < 2 * d; j++) t.H[j * d] *= factors[k];
        t.M[0] *= factors[k] * factors[k], t.f[0] *= factors[k];
        assert_int_equal(answer(p), expected);
      }
}

static void same_verdict(dls_solvable *a, dls_solvable *b)
{
  assert_int_equal(a->answer, b->answer);
  assert_true(a->margin == b->margin || (isnan(a->margin) && isnan(b->margin)));
  assert_true(a->bound == b->bound || (isnan(a->bound) && isnan(b->bound)));
  assert_true(a->shift == b->shift);
  dls_solvable_free(a), dls_solvable_free(b);
}

// W of any rank, with rows that nothing moves, and any q.
static void draw_data(dense *t, int rows, int dof)
{
  identity(t, dof);
  for (int k = 0; k < dof; k++) t->M[k * (dof + 1)] = ldexp(1 + fabs(uniform()), below(9) - 4);
  for (int k = 0; k < rows * dof; k++) t->H[k] = below(4) ? uniform() : 0;
  if (below(3) == 0) memset(t->H, 0, (size_t)(2 * dof) * sizeof *t->H);
  for (int j = 0; j < rows; j++) t->q[j] = uniform();
  for (int k = 0; k < dof; k++) t->f[k] = uniform();
}

// Mass, length and time by powers of two, odd ones too.
static void test_units_of_all(void **state)
{
  (void)state;
  static dense t;
  int answers[4] = {0};
  for (int turn = 0; turn < TRIED(300); turn++) {
    const int n = 1 + below(3), m = below(2), rows = 2 * n + m, dof = 1 + below(5);
    const bool as_global = turn % 2;
    for (int i = 0; i < n; i++) t.mu[i] = below(3) ? fabs(uniform()) * 3 : 0;
    draw_data(&t, rows, dof);
    const double speed = ldexp(1, below(81) - 40), mass = ldexp(1, below(81) - 40);
    memset(t.W, 0, sizeof t.W);
    const dls_incremental *p = global(&t, 2, n, m, dof);
    if (!as_global) reduce(&t, rows, dof), p = local(&t, 2, n, m);
    dls_solvable *a = ask(p);
    answers[a->answer]++;
    for (int k = 0; k < rows * rows; k++) t.W[k] /= mass;
    for (int k = 0; k < dof * dof; k++) t.M[k] *= mass;
    for (int j = 0; j < rows; j++) t.q[j] *= speed;
    for (int k = 0; k < dof; k++) t.f[k] *= mass * speed;
    same_verdict(a, ask(p));
  }
  assert_true(answers[DLS_YES] > TRIED(30) && answers[DLS_NO] > TRIED(10));
}

// A contact that gives way to its normal force far less than to friction has large impulses, and
// they are in the data: no rounding.
static void test_stiff_normal(void **state)
{
  (void)state;
  static dense t;
  for (int e = -60; e <= 0; e += 4)
    for (int turn = 0; turn < TRIED(40); turn++) {
      const int d = 2 + turn % 2, n = 1 + turn % 3, rows = d * n;
      double r[LARGEST] = {0};
      memset(t.W, 0, sizeof t.W);
      for (int i = 0; i < n; i++) t.mu[i] = ldexp(1, -below(20));
      for (int j = 0; j < rows; j++) {
        t.W[j * (rows + 1)] = j % d ? 1 + fabs(uniform()) : ldexp(1 + fabs(uniform()), e);
        t.q[j] = 0;
      }
      for (int i = 0; i < n; i++)
        r[d * i] = ldexp(1, -e), t.q[d * i] = -t.W[d * i * (rows + 1)] * r[d * i];
      if (n > 1 && turn % 2)
        t.W[d] = t.W[d * rows] = ldexp(0.1, e), t.q[0] -= t.W[d] * r[d], t.q[d] -= t.W[d] * r[0];
      assert_int_not_equal(answer(local(&t, d, n, 0)), DLS_NO);
    }
}

// Powers of two change nothing at all.
static void test_exact_units(void **state)
{
  (void)state;
  dense t;
  for (int kind = 0; kind < 2; kind++) {
    dls_solvable *a = ask(jam(&t, false, 3, 0.3, kind ? -0.5 : 0.5));
    const dls_incremental *p = jam(&t, false, 3, 0.3, kind ? -0.5 : 0.5);
    scale_contact(&t, 6, 3, 3, ldexp(1, 30));
    dls_solvable *b = ask(p);
    assert_true(a->margin == b->margin && a->shift == b->shift);
    assert_true(a->bound == b->bound || kind);
    dls_solvable_free(a), dls_solvable_free(b);
  }
}

// Room in the cones is worth nothing where equations are far off.
static void test_rooms(void **state)
{
  (void)state;
  dense t = {0};
  identity(&t, 2);
  t.H[0] = 1, t.H[3] = 1, t.H[4] = 1, t.mu[0] = 0.5, t.q[2] = 1;
  for (int form = 0; form < 2; form++) {
    const dls_incremental *p = global(&t, 2, 1, 1, 2);
    if (form) reduce(&t, 3, 2), p = local(&t, 2, 1, 1);
    dls_solvable_data data = {0};
    dls_solvable_room room;
    bool proven;
    double shift, x[3] = {3, 0, 0};
    assert_int_equal(dls_solvable_scale(p, &data), DLS_OK);
    assert_int_equal(dls_solvable_measure(&data, true, x, &room), DLS_OK);
    assert_true(room.inside > 0.5 && room.off > 0.5);
    assert_int_equal(dls_solvable_prove(&data, &room, &proven, &shift), DLS_OK);
    assert_false(proven);
    room.off = 1e-9;
    assert_int_equal(dls_solvable_prove(&data, &room, &proven, &shift), DLS_OK);
    assert_true(proven);
    dls_solvable_data_free(&data);
  }
}

// ---- bad input, printing, files ----------------------------------------------------------------

static void test_bad(void **state)
{
  (void)state;
  dense t;
  dls_solvable *s = NULL;
  dls_message message;
  const dls_incremental *p = jam(&t, false, 3, 0.3, 0.5);
  t.q[1] = NAN;
  assert_int_equal(dls_incremental_solvable(p, NULL, &s, &message), DLS_ERR_NUMBER);
  assert_null(s);
  assert_int_equal(dls_incremental_solvable(NULL, NULL, &s, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_incremental_solvable(p, NULL, NULL, NULL), DLS_ERR_ARGUMENT);
  p = jam(&t, false, 3, 0.3, 0.5);
  const dls_solvable_options small = {.max_rows = 5, .max_nodes = 10};
  assert_int_equal(dls_incremental_solvable(p, &small, &s, NULL), DLS_OK);
  assert_int_equal(s->answer, DLS_UNDECIDED);
  assert_non_null(strstr(s->by, "too large"));
  dls_solvable_free(s);
  dls_solvable_free(NULL);
}

static void contains(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("no %s in: %s", part, text);
}

static void test_print(void **state)
{
  (void)state;
  dense t;
  char *text = NULL;
  dls_solvable *s = ask(jam(&t, true, 2, 0.3, 0.5));
  assert_int_equal(dls_solvable_json(s, &text), DLS_OK);
  static const char *const parts[] = {
      "\"answer\": \"no\"", "\"cases\"", "\"any\"", "\"y\"", "\"p\"", "\"bound\"", "\"shows\""};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) contains(text, parts[k]);
  dls_report_text_free(text);
  assert_int_equal(dls_solvable_text(s, &text), DLS_OK);
  contains(text, "no solution exists");
  dls_report_text_free(text);
  dls_solvable_free(s);
  s = ask(jam(&t, false, 3, 0.3, -0.5));
  assert_int_equal(dls_solvable_json(s, &text), DLS_OK);
  contains(text, "\"answer\": \"yes\""), contains(text, "\"4.1\""), contains(text, "\"x\"");
  dls_report_text_free(text);
  assert_int_equal(dls_solvable_text(s, &text), DLS_OK);
  contains(text, "a solution exists");
  dls_report_text_free(text);
  dls_solvable_free(s);
  assert_int_equal(dls_solvable_json(NULL, &text), DLS_ERR_ARGUMENT);
  assert_string_equal(dls_solvable_mode_name(DLS_SOLVABLE_PLUS), "slide+");
  assert_string_equal(dls_solvable_mode_name(99), "");
}

// Known problems of simulations all have solutions; larger ones take too long here.
static void test_files(void **state)
{
  (void)state;
  const char *source = getenv("DELASSUS_SOURCE");
  char directory[1000], path[2000];
  snprintf(directory, sizeof directory, "%s/../shared/data/friction", source ? source : ".");
  DIR *list = opendir(directory);
  int count = 0;
  for (struct dirent *d; list && (d = readdir(list));) {
    dls_fclib *file = NULL;
    dls_message message;
    if (!strstr(d->d_name, ".hdf5")) continue;
    snprintf(path, sizeof path, "%s/%s", directory, d->d_name);
    if (dls_fclib_read(path, &file, &message) != DLS_OK) continue;
    if (file->problem.contacts <= 110) {
      assert_int_equal(answer(&file->problem), DLS_YES);
      count++;
    }
    dls_fclib_free(file);
  }
  if (list) closedir(list);
  if (count == 0) print_message("no files in %s: skipped\n", directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_painleve),     cmocka_unit_test(test_jam),
      cmocka_unit_test(test_equations),    cmocka_unit_test(test_manufactured),
      cmocka_unit_test(test_without),      cmocka_unit_test(test_matrices),
      cmocka_unit_test(test_units),        cmocka_unit_test(test_bad),
      cmocka_unit_test(test_print),        cmocka_unit_test(test_fails),
      cmocka_unit_test(test_exact_units),  cmocka_unit_test(test_units_of_all),
      cmocka_unit_test(test_stiff_normal), cmocka_unit_test(test_rooms),
      cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
