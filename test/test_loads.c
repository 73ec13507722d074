// Contacts that are light, slow or hardly loaded beside others that are not, and beside equations:
// whatever a solver calls converged is right at each of them, beside the velocities that are
// natural to it, by contact_loads.h and coulomb_law.h.
#include "contact_loads.h"
#include "coulomb_law.h"
#include "incremental_maker.h"
#include "numbers.h"
#include <delassus/delassus.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const double tolerance = 1e-8;
enum { ROWS = 24, DOF = 24 };

// ---- problems ----------------------------------------------------------------------------------

typedef struct table {
  int start[ROWS + 1], row[ROWS * DOF];
  double x[ROWS * DOF];
} table;

typedef struct mixed {
  dls_incremental global, local;
  double M[DOF * DOF], H[DOF * ROWS], W[ROWS * ROWS];  // dense, by columns
  double f[DOF], w[ROWS], q[ROWS], mu[ROWS];
  table sparse_M, sparse_H, sparse_W;
} mixed;

static double power(double low, double high)
{
  return pow(10, low + (high - low) * 0.5 * (uniform() + 1));
}

static dls_matrix_view without_zeros(int rows, int cols, const double *A, bool all, table *t)
{
  int count = 0;
  for (int c = 0; c < cols; c++) {
    t->start[c] = count;
    for (int i = 0; i < rows; i++)
      if (all || A[i + rows * c] != 0) t->row[count] = i, t->x[count++] = A[i + rows * c];
  }
  t->start[cols] = count;
  return (dls_matrix_view){{rows, cols, t->start, t->row}, t->x};
}

// M of each body: small beside its diagonal elsewhere, and its inverse.
static void draw_body(mixed *m, int dof, int first, int size, double mass, double *inverse)
{
  double a[6][12] = {{0}};
  for (int i = 0; i < size; i++)
    for (int j = 0; j <= i; j++) a[i][j] = a[j][i] = i == j ? 1 + 0.5 * uniform() : 0.1 * uniform();
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) m->M[first + i + dof * (first + j)] = mass * a[i][j];
  for (int i = 0; i < size; i++) a[i][size + i] = 1;
  for (int c = 0; c < size; c++)
    for (int i = 0; i < size; i++) {
      const double factor = a[i][c] / a[c][c];
      for (int k = 0; i != c && k < 2 * size; k++) a[i][k] -= factor * a[c][k];
    }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      inverse[first + i + dof * (first + j)] = a[i][size + j] / a[i][i] / mass;
}

static double draw_mu(int sort)
{
  switch (sort) {
  case 0: return 0;
  case 1: return 0.5;
  case 2: return below(2) ? 0 : 2;
  case 3: return pow(10, below(10));
  default: return 0.5 * (uniform() + 1);
  }
}

// H: each contact, or equation, on one body or two.
static void draw_columns(mixed *m, int dof, int size, int bodies, int d, int contacts, int rows)
{
  const bool wild = below(3) == 0;
  for (int first = 0; first < rows;) {
    const bool contact = first < d * contacts;
    const int a = below(bodies), b = below(bodies + 1), count = contact ? d : 1;
    const double unit = contact ? (wild ? power(-4, 4) : 1) : power(-8, 8);
    for (int j = first; j < first + count; j++)
      for (int k = 0; k < size; k++) {
        m->H[a * size + k + dof * j] = unit * uniform();
        if (b < bodies && b != a) m->H[b * size + k + dof * j] = unit * uniform();
      }
    first += count;
  }
}

static void to_local(mixed *m, int dof, int rows, const double *inverse)
{
  for (int j = 0; j < rows; j++) {
    long double x[DOF], q = m->w[j];
    for (int k = 0; k < dof; k++) {
      x[k] = 0;
      for (int l = 0; l < dof; l++) x[k] += (long double)inverse[k + dof * l] * m->H[l + dof * j];
      q += x[k] * m->f[k];
    }
    m->q[j] = (double)q;
    for (int i = 0; i < rows; i++) {
      long double sum = 0;
      for (int k = 0; k < dof; k++) sum += m->H[k + dof * i] * x[k];
      m->W[i + rows * j] = (double)sum;
    }
  }
}

static void draw(int turn, mixed *m)
{
  *m = (mixed){0};
  const int d = 2 + turn % 2, size = d == 2 ? 3 : 6, bodies = 1 + below(DOF / size);
  const int contacts = 1 + below(6), equations = turn / 2 % 2 ? 1 + below(3) : 0;
  const int dof = size * bodies, rows = d * contacts + equations, sort = below(5);
  const double far = (double[]){0, 2, 4, 8}[below(4)], fast = (double[]){0, 4, 8}[below(3)];
  static double inverse[DOF * DOF];
  memset(inverse, 0, sizeof inverse);
  for (int b = 0; b < bodies; b++) {
    const double speed = power(-fast, fast);
    draw_body(m, dof, size * b, size, power(-far, far), inverse);
    for (int k = size * b; k < size * (b + 1); k++)
      m->f[k] = m->M[k * (dof + 1)] * speed * uniform();
  }
  draw_columns(m, dof, size, bodies, d, contacts, rows);
  for (int i = 0; i < contacts; i++) m->mu[i] = draw_mu(sort);
  for (int j = 0; j < rows; j++) {
    const bool contact = j < d * contacts;
    if (below(3) == 0) m->w[j] = uniform() * (contact ? power(-fast, fast) : power(-8, 8));
  }
  to_local(m, dof, rows, inverse);
  m->local = (dls_incremental){
      .dimension = d, .contacts = contacts, .equations = equations, .mu = m->mu, .q = m->q};
  m->global = m->local;
  m->local.W = without_zeros(rows, rows, m->W, below(2), &m->sparse_W);
  m->global.global = true, m->global.dof = dof, m->global.f = m->f, m->global.w = m->w;
  m->global.M = without_zeros(dof, dof, m->M, false, &m->sparse_M);
  m->global.H = without_zeros(dof, rows, m->H, false, &m->sparse_H);
}

// ---- solvers -----------------------------------------------------------------------------------

// Whether the solver says that it converged; its word is held against both judges. One contact of
// many may take the whole of a sum over their rows: at most 18.
static bool holds(const dls_incremental *p, const char *name, int turn)
{
  dls_solve_options o = dls_solve_defaults();
  o.solver = name, o.max_iterations = 150, o.tolerance = tolerance;
  double r[ROWS] = {0}, v[DOF] = {0};
  dls_solve_report report;
  if (!law_solve(p, o, r, v, NULL, &report) || !report.converged) return false;
  const double natural = contact_loads_error(p, r, v), law = law_error_of(p, r, v).largest;
  if (!(natural <= 10 * tolerance) || !(law <= 4 * tolerance))
    fail_msg("turn %d: %s converged, %s: %g beside the load of a contact, %g by the law", turn,
             name, p->global ? "global" : "local", natural, law);
  return true;
}

static void whatever_converges(void **state)
{
  (void)state;
  static mixed m;
  int converged = 0, tried = 0;
  for (int turn = 0; turn < TRIED(400); turn++) {
    at_case("turn %d", turn);
    draw(turn, &m);
    for (int k = 0; k < dls_solver_count(); k++)
      for (int global = 0; global < 2; global++) {
        const dls_solver_info *info = dls_solver_info_at(k);
        if (global ? !info->global : !info->local) continue;
        converged += holds(global ? &m.global : &m.local, info->name, turn);
        tried++;
      }
  }
  if (getenv("LOADS_TELL")) print_message("%d of %d\n", converged, tried);
  assert_true(3 * converged > tried);
}

// ---- side by side -------------------------------------------------------------------------------

static dls_incremental_error error_of(const dls_incremental *p, const double *r)
{
  double norm;
  dls_incremental_error e;
  assert_int_equal(dls_incremental_scale(p, &norm), DLS_OK);
  assert_int_equal(dls_incremental_residual(p, norm, r, NULL, NULL, &e), DLS_OK);
  return e;
}

// Two problems of four planar contacts that know nothing of each other, as one.
typedef struct pair {
  dls_incremental problem;
  double W[16 * 16], q[16], r[16], mu[8];
  table sparse_W;
} pair;

static void put(pair *x, int at, const made_problem *m, double speed, double force)
{
  for (int i = 0; i < 8; i++) {
    x->q[at + i] = speed * m->q[i], x->r[at + i] = force * m->r[i];
    if (i < 4) x->mu[at / 2 + i] = m->mu[i];
    for (int j = 0; j < 8; j++)
      x->W[at + i + 16 * (at + j)] = speed / force * m->values[0][i + 8 * j];
  }
}

// u = W r + q of the first eight rows again, as the data say.
static void settle(pair *x, const made_problem *m, double speed)
{
  for (int i = 0; i < 8; i++) {
    long double sum = speed * m->u[i];
    for (int j = 0; j < 8; j++) sum -= (long double)x->W[i + 16 * j] * x->r[j];
    x->q[i] = (double)sum;
  }
}

// A contact sinks by a part of 1e-6 of what loads it. That is no solution, whatever happens
// elsewhere, and however fast or heavy that is: |F| / |q| of all must say so too, as the rest does
// not where forces that hold each other are large.
static void others_hide_nothing(void **state)
{
  (void)state;
  static pair x;
  int forged = 0;
  for (int turn = 0; turn < TRIED(2000); turn++) {
    at_case("turn %d", turn);
    made_problem *a = made_create(&(made_shape){.dimension = 2, .contacts = 4, .dof = 30});
    made_problem *b = made_create(&(made_shape){.dimension = 2, .contacts = 4, .dof = 30});
    const double speed = ldexp(1, -below(60)), force = ldexp(1, below(121) - 60);
    x = (pair){.mu = {0}};
    put(&x, 0, a, speed, force), put(&x, 8, b, 1, 1);
    settle(&x, a, speed);
    x.problem = (dls_incremental){.dimension = 2, .contacts = 8, .mu = x.mu, .q = x.q};
    x.problem.W = without_zeros(16, 16, x.W, below(2), &x.sparse_W);
    const double oracle = error_of(&x.problem, x.r).largest;
    if (!(oracle <= tolerance)) fail_msg("turn %d: the solution has the error %g", turn, oracle);
    const int contact = 2 * below(4);
    if (x.r[contact] > 0) {
      double largest = 0;
      for (int i = 0; i < 8; i++) largest = fmax(largest, fabs(x.q[i]));
      x.q[contact] -= 1e-6 * largest;
      const double e = error_of(&x.problem, x.r).common;
      if (!(e > 10 * tolerance)) fail_msg("turn %d: what sinks is measured as %g", turn, e);
      forged++;
    }
    made_free(a), made_free(b);
  }
  assert_true(forged > TRIED(500));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_converges),
                                     cmocka_unit_test(others_hide_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
