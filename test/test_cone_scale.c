// Conic programs against CLP where all cones are linear, and large sparse ones: forces in friction
// cones that balance loads on many bodies.
#include "conic_solve.h"
#include "convex/lp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// ---- linear programs ---------------------------------------------------------------------------

static dls_lp_outcome by_clp(const conic *c, double *value)
{
  double *row_low = vector(c->m), *low = vector(c->n), *high = vector(c->n);
  for (int i = 0; i < c->m; i++) row_low[i] = i < c->zero ? c->b[i] : -INFINITY;
  for (int j = 0; j < c->n; j++) low[j] = -INFINITY, high[j] = INFINITY;
  const dls_lp_data data = {.rows = c->m,
                            .cols = c->n,
                            .A = c->A,
                            .row_low = row_low,
                            .row_high = c->b,
                            .col_low = low,
                            .col_high = high,
                            .cost = c->q};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  assert_int_equal(dls_lp_run(&data, NULL, NULL, value, &outcome), DLS_OK);
  free(row_low), free(low), free(high);
  return outcome;
}

// Kinds: any numbers; small integers, which are often degenerate; with bounds on all variables.
static conic draw_linear(int kind)
{
  int n = 1 + below(10), zero = below(4), nonneg = below(20);
  conic c = conic_make(n, zero < n ? zero : n - 1, nonneg + (kind == 2 ? 2 * n : 0), 0, NULL);
  for (int k = 0; k < c.m * n; k++) c.A[k] = kind ? below(5) - 2 : uniform();
  for (int j = 0; j < n; j++) c.q[j] = kind ? below(7) - 3 : uniform();
  for (int i = 0; i < c.m; i++) c.b[i] = kind ? below(6) - 1 : uniform() + 0.5;
  for (int j = 0; j < n && kind == 2; j++)
    for (int side = 0; side < 2; side++) {
      int row = c.m - 2 * n + 2 * j + side;
      for (int k = 0; k < n; k++) c.A[row + k * c.m] = k == j ? 1 - 2 * side : 0;
      c.b[row] = 2;
    }
  return c;
}

static void linear_programs(void **state)
{
  (void)state;
  int found[4] = {0}, without = 0, total = 0;
  for (int t = 0; t < 1500; t++) {
    at_case("t %d", t);
    conic c = draw_linear(t % 3);
    answer a = conic_answer(&c);
    dls_cone *cone;
    double value;
    dls_lp_outcome expected = by_clp(&c, &value);
    assert_int_equal(conic_setup(&c, NULL, &cone), DLS_OK);
    assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
    total++, found[expected]++;
    if (a.report.outcome == DLS_CONE_FAILED) without++;
    else if (expected == DLS_LP_FAILED) {
      print_message("%d: no claim by CLP, here outcome %d\n", t, (int)a.report.outcome);
    } else if (expected == DLS_LP_OPTIMAL) {
      assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
      close_to(a.report.objective, value, 1e-8 * (1 + fabs(value)));
      assert_true(conic_error(&c, a.x, a.s, a.y) < 1e-8);
    } else if (a.report.outcome == DLS_CONE_DUAL_INFEASIBLE) {
      // CLP calls what is both infeasible
      assert_true(conic_ray_error(&c, a.x, a.s) < 1e-7);
    } else {
      assert_int_equal(expected, DLS_LP_INFEASIBLE);
      assert_int_equal(a.report.outcome, DLS_CONE_PRIMAL_INFEASIBLE);
      assert_true(conic_farkas_error(&c, a.y) < 1e-7);
    }
    dls_cone_free(cone);
    conic_drop(&a), conic_free(&c);
  }
  print_message(
      "linear programs: %d, of which %d optimal, %d infeasible, %d unbounded; %d without a "
      "claim\n",
      total, found[DLS_LP_OPTIMAL], found[DLS_LP_INFEASIBLE], found[DLS_LP_UNBOUNDED], without);
  assert_true(found[0] > 200 && found[1] > 200 && found[2] > 200);
  assert_int_equal(without, 0);
}

// ---- force balance -----------------------------------------------------------------------------

// Contacts c with forces r_c = (normal, two tangents) in the cone |r_t| <= mu r_n, the bodies'
// loads as equations: 6 per body. Every third contact is with the ground, its normal points up.
typedef struct balance {
  int contacts, bodies;
  dls_sparse *A, *P;
  double *q, *b, *r;
  int *size;
} balance;

enum { FRAME = 9 };

static void draw_frame(double frame[FRAME], bool up)
{
  double *n = frame, *t = frame + 3, *u = frame + 6, length = 0, along = 0;
  for (int k = 0; k < 3; k++) n[k] = up ? k == 2 : uniform(), t[k] = uniform();
  for (int k = 0; k < 3; k++) length += n[k] * n[k];
  for (int k = 0; k < 3; k++) n[k] /= sqrt(length), along += n[k] * t[k];
  length = 0;
  for (int k = 0; k < 3; k++) t[k] -= along * n[k], length += t[k] * t[k];
  for (int k = 0; k < 3; k++) t[k] /= sqrt(length);
  for (int k = 0; k < 3; k++)
    u[k] = n[(k + 1) % 3] * t[(k + 2) % 3] - n[(k + 2) % 3] * t[(k + 1) % 3];
}

typedef struct triplets {
  int count, *row, *col;
  double *value;
} triplets;

static void put(triplets *t, int row, int col, double value)
{
  t->row[t->count] = row, t->col[t->count] = col, t->value[t->count++] = value;
}

// The force along the three axes of the frame, at a point of the body, with its moment.
static void put_wrench(triplets *t, int body, int contact, double sign, const double frame[FRAME])
{
  const double p[3] = {uniform(), uniform(), uniform()};
  for (int axis = 0; axis < 3; axis++) {
    const double *f = frame + 3 * axis;
    for (int k = 0; k < 3; k++) {
      put(t, 6 * body + k, 3 * contact + axis, sign * f[k]);
      put(t, 6 * body + 3 + k, 3 * contact + axis,
          sign * (p[(k + 1) % 3] * f[(k + 2) % 3] - p[(k + 2) % 3] * f[(k + 1) % 3]));
    }
  }
}

static balance make_kkt(int contacts, int bodies)
{
  balance p = {.contacts = contacts, .bodies = bodies};
  int n = 3 * contacts, m = 6 * bodies + n, most = contacts * 39;
  triplets t = {0, calloc((size_t)most, sizeof(int)), calloc((size_t)most, sizeof(int)),
                vector(most)};
  double frame[FRAME];
  const double mu = 0.6;
  p.q = vector(n), p.b = vector(m), p.r = vector(n);
  p.size = calloc((size_t)contacts, sizeof(int));
  for (int c = 0; c < contacts; c++) {
    at_case("c %d", c);
    bool ground = c % 3 == 0;
    draw_frame(frame, ground);
    put_wrench(&t, c % bodies, c, 1, frame);
    if (!ground) put_wrench(&t, (c + 1 + below(bodies - 1)) % bodies, c, -1, frame);
    for (int k = 0; k < 3; k++) put(&t, 6 * bodies + 3 * c + k, 3 * c + k, k == 0 ? -mu : -1);
    p.r[3 * c] = 1 + 0.5 * uniform();
    for (int k = 1; k < 3; k++) p.r[3 * c + k] = 0.3 * uniform();
    p.size[c] = 3;
  }
  assert_int_equal(dls_sparse_from_triplets(m, n, t.count, t.row, t.col, t.value, &p.A), DLS_OK);
  t.count = 0;
  for (int j = 0; j < n; j++) put(&t, j, j, 1);
  assert_int_equal(dls_sparse_from_triplets(n, n, n, t.row, t.col, t.value, &p.P), DLS_OK);
  dls_sparse_multiply(false, 1, p.A, p.r, 0, p.b);
  for (int i = 6 * bodies; i < m; i++) p.b[i] = 0;
  free(t.row), free(t.col), free(t.value);
  return p;
}

static void drop_balance(balance *p)
{
  dls_sparse_free(p->A), dls_sparse_free(p->P);
  free(p->q), free(p->b), free(p->r), free(p->size);
}

static dls_cone_report solve_balance(const balance *p, bool quadratic, double *x)
{
  int n = 3 * p->contacts, m = p->A->rows;
  const dls_cone_problem problem = {.n = n,
                                    .m = m,
                                    .P = quadratic ? p->P : NULL,
                                    .A = p->A,
                                    .q = p->q,
                                    .b = p->b,
                                    .zero = 6 * p->bodies,
                                    .cones = p->contacts,
                                    .cone_size = p->size};
  double *s = vector(m), *y = vector(m);
  dls_cone *cone;
  dls_cone_report report;
  assert_int_equal(dls_cone_setup(&problem, NULL, &cone), DLS_OK);
  assert_int_equal(dls_cone_solve(cone, x, s, y, &report), DLS_OK);
  dls_cone_free(cone);
  free(s), free(y);
  return report;
}

// The forces are in their cones and balance the loads.
static void assert_balance(const balance *p, const double *x)
{
  int rows = p->A->rows;
  double *left = vector(rows), size = 1;
  dls_sparse_multiply(false, 1, p->A, x, 0, left);
  for (int j = 0; j < 3 * p->contacts; j++) size = fmax(size, fabs(x[j]));
  for (int i = 0; i < 6 * p->bodies; i++) close_to(left[i], p->b[i], 1e-8 * size);
  for (int c = 0; c < p->contacts; c++)
    assert_true(hypot(x[3 * c + 1], x[3 * c + 2]) <= 0.6 * x[3 * c] + 1e-8 * size);
  free(left);
}

static void thousand_contacts(void **state)
{
  (void)state;
  balance p = make_kkt(1000, 300);
  int n = 3 * p.contacts;
  double *x = vector(n);
  for (int kind = 0; kind < 4; kind++) {
    at_case("kind %d", kind);
    // feasible; least sum of normal forces; least squares; the loads turned round: nothing pulls
    for (int c = 0; c < p.contacts; c++) p.q[3 * c] = kind == 1;
    for (int i = 0; i < 6 * p.bodies && kind == 3; i++) p.b[i] *= -1;
    dls_cone_report report = solve_balance(&p, kind == 2, x);
    print_message("1000 contacts, 300 bodies: %d iterations, residual %.1e\n", report.iterations,
                  report.residuals.largest);
    if (kind == 3) {
      assert_int_equal(report.outcome, DLS_CONE_PRIMAL_INFEASIBLE);
      continue;
    }
    assert_int_equal(report.outcome, DLS_CONE_SOLVED);
    assert_balance(&p, x);
    double known = 0;  // the drawn forces are feasible
    for (int c = 0; c < p.contacts && kind == 1; c++) known += p.r[3 * c];
    for (int j = 0; j < n && kind == 2; j++) known += 0.5 * p.r[j] * p.r[j];
    assert_true(report.objective <= known + 1e-9 * n);
  }
  drop_balance(&p), free(x);
}

// Cones of 200, 10, 3, 2 and 1 rows in one sparse program of known value.
static void long_cones(void **state)
{
  (void)state;
  const int size[] = {200, 10, 3, 2, 1, 200, 7};
  for (int t = 0; t < 4; t++) {
    at_case("t %d", t);
    conic c = conic_make(150, 20, 30, 7, size);
    conic_draw_matrices(&c, t % 2 ? 60 : 0, 0.1);
    conic_solvable(&c);
    answer a = conic_answer(&c);
    dls_cone *cone;
    assert_int_equal(conic_setup(&c, NULL, &cone), DLS_OK);
    assert_int_equal(dls_cone_solve(cone, a.x, a.s, a.y, &a.report), DLS_OK);
    assert_int_equal(a.report.outcome, DLS_CONE_SOLVED);
    assert_true(a.report.residuals.largest <= 1e-10);
    double value = conic_value(&c, c.x);
    close_to(a.report.objective, value, 1e-8 * (100 + fabs(value)));
    dls_cone_free(cone);
    conic_drop(&a), conic_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear_programs),
                                     cmocka_unit_test(thousand_contacts),
                                     cmocka_unit_test(long_cones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
