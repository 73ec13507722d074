// The friction pyramid: exact in the plane, and how fast it approaches the cone in space.
#include "law_oracle.h"
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

static const double pi = 3.14159265358979323846;

// A problem whose W is full, in memory of its own.
typedef struct step {
  dls_incremental problem;
  int *p, *i;
  double *W, *q, *mu;
} step;

static step create(int dimension, int contacts, int equations)
{
  const int rows = dimension * contacts + equations;
  step s = {.W = vector(rows * rows), .q = vector(rows), .mu = vector(contacts)};
  s.p = calloc((size_t)rows + 1, sizeof(int));
  s.i = calloc((size_t)(rows * rows) + 1, sizeof(int));
  assert_true(s.p && s.i);
  for (int j = 0; j <= rows; j++) s.p[j] = j * rows;
  for (int k = 0; k < rows * rows; k++) s.i[k] = k % rows;
  s.problem = (dls_incremental){.dimension = dimension,
                                .contacts = contacts,
                                .equations = equations,
                                .mu = s.mu,
                                .W = {.pattern = {rows, rows, s.p, s.i}, .x = s.W},
                                .q = s.q};
  return s;
}

static void drop(step *s)
{
  free(s->p), free(s->i), free(s->W), free(s->q), free(s->mu);
}

// W = A A^T + small I, loads that press the contacts together.
static step draw(int dimension, int contacts, int equations)
{
  step s = create(dimension, contacts, equations);
  const int rows = dls_incremental_rows(&s.problem);
  double *A = vector(rows * rows);
  for (int k = 0; k < rows * rows; k++) A[k] = uniform();
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < rows; j++)
      for (int k = 0; k < rows; k++) s.W[i + rows * j] += A[i + rows * k] * A[j + rows * k];
    s.W[i * (rows + 1)] += 0.1;
    s.q[i] = uniform();
    if (i < dimension * contacts && i % dimension == 0) s.q[i] -= 1;
  }
  for (int i = 0; i < contacts; i++) s.mu[i] = below(4) == 0 ? 0 : 0.1 + fabs(uniform());
  free(A);
  return s;
}

static dls_polyhedral_options facets(int count)
{
  dls_polyhedral_options o = dls_polyhedral_defaults();
  o.facets = count;
  return o;
}

static void run(const step *s, const dls_polyhedral_options *o, double *r)
{
  dls_lcp_report report;
  dls_message message = {{0}};
  assert_int_equal(dls_polyhedral_run(&s->problem, o, r, &report, &message), DLS_OK);
  assert_true(report.converged);
}

static double error_of(const step *s, const double *r)
{
  double norm = 0;
  dls_incremental_error error;
  assert_int_equal(dls_incremental_scale(&s->problem, &norm), DLS_OK);
  assert_int_equal(dls_incremental_residual(&s->problem, norm, r, NULL, NULL, &error), DLS_OK);
  return error.q;
}

// In the plane the pyramid is the cone: the natural map of Coulomb's law vanishes.
static void exact_in_the_plane(void **state)
{
  (void)state;
  for (int t = 0; t < 100; t++) {
    at_case("t %d", t);
    step s = draw(2, below(6), below(3));
    double *r = vector(dls_incremental_rows(&s.problem));
    run(&s, NULL, r);
    assert_true(error_of(&s, r) < 1e-9);
    free(r), drop(&s);
  }
}

// Bilateral contacts with friction press from one side or from the other, eq (pol.1). What is
// called solved is, none of them opens; and the sides that are tried first do not decide whether it
// is, since all of few contacts are tried in the end.
static void either_side(void **state)
{
  (void)state;
  enum { CONTACTS = 4, ROWS = 2 * CONTACTS };
  int solved = 0, tried = 0;
  for (; tried < 300; tried++) {
    at_case("problem %d", tried);
    step s = draw(2, CONTACTS, 0);
    unsigned char law[CONTACTS];
    double r[ROWS] = {0}, u[ROWS] = {0};
    for (int i = 0; i < CONTACTS; i++) {  // a solution, with large coefficients
      law[i] = below(4) ? DLS_LAW_BILATERAL_CONE : DLS_LAW_CONE;
      s.mu[i] = 1 + 9 * fabs(uniform());
      r[2 * i] = law[i] == DLS_LAW_CONE ? fabs(uniform()) : uniform();
      const double bound = s.mu[i] * fabs(r[2 * i]);
      if (below(2)) u[2 * i + 1] = uniform();
      r[2 * i + 1] = u[2 * i + 1] != 0 ? -copysign(bound, u[2 * i + 1]) : bound * uniform();
    }
    for (int i = 0; i < ROWS; i++) {
      s.q[i] = u[i];
      for (int j = 0; j < ROWS; j++) s.q[i] -= s.W[i + ROWS * j] * r[j];
    }
    s.problem.law = law;
    dls_lcp_report report;
    bool first = false;
    for (int sides = 0; sides < 1 << CONTACTS; sides++) {
      for (int i = 0; i < CONTACTS; i++) r[2 * i] = sides >> i & 1 ? -1 : 1;
      assert_int_equal(dls_polyhedral_run(&s.problem, NULL, r, &report, NULL), DLS_OK);
      if (report.converged) assert_true(law_miss(&s.problem, s.W, r) <= 1e-8);
      if (sides == 0) first = report.converged;
      assert_int_equal(report.converged, first);
    }
    solved += first;
    drop(&s);
  }
  assert_true(solved >= 0.98 * tried);
}

// A point of mass 1 pressed on the ground by an impulse 1 and sliding at speed 3: the answer is
// r = (1, -mu v / |v|).
static step sliding(double angle)
{
  step s = create(3, 1, 0);
  for (int k = 0; k < 3; k++) s.W[4 * k] = 1;
  s.mu[0] = 0.5;
  s.q[0] = -1, s.q[1] = 3 * cos(angle), s.q[2] = 3 * sin(angle);
  return s;
}

static void approaches_the_cone(void **state)
{
  (void)state;
  double before_force = 0, before_power = 0;
  for (int d = 4; d <= 64; d *= 2) {
    at_case("d %d", d);
    double turn = 0, force = 0, power = 0;
    for (int k = 0; k < 180; k++) {
      const double angle = 2 * pi * k / 180;
      step s = sliding(angle);
      const dls_polyhedral_options o = facets(d);
      double r[3];
      run(&s, &o, r);
      close_to(r[0], 1, 1e-12);
      const double x = -0.5 * cos(angle), y = -0.5 * sin(angle);
      const double ux = s.q[1] + r[1], uy = s.q[2] + r[2];
      const double cosine = -(r[1] * ux + r[2] * uy) / (hypot(r[1], r[2]) * hypot(ux, uy));
      turn = fmax(turn, acos(fmin(cosine, 1)));
      force = fmax(force, hypot(r[1] - x, r[2] - y));
      // what friction takes away, against mu r_N |u_T|
      power = fmax(power, 1 + (r[1] * ux + r[2] * uy) / (0.5 * hypot(ux, uy)));
      drop(&s);
    }
    print_message("%2d facets: force off by %.4f of %.1f, by %5.2f degrees against the slip; "
                  "dissipation short by %.5f\n",
                  d, force, 0.5, turn * 180 / pi, power);
    // never further than half a facet, and nearly so for some direction
    assert_true(turn <= pi / d * (1 + 1e-9) && turn > 0.8 * pi / d);
    assert_true(power <= 1 - cos(pi / d) + 1e-12);
    if (before_force > 0) {
      assert_true(before_force / force > 1.8 && before_force / force < 2.2);
      assert_true(before_power / power > 3.4 && before_power / power < 4.6);
    }
    before_force = force, before_power = power;
  }
}

// Many steps until the block stands still: in space it slides straight on; how far off is it?
static double course(int d, double angle)
{
  step s = sliding(angle);
  const dls_polyhedral_options o = facets(d);
  const double h = 0.01;
  double v[2] = {cos(angle), sin(angle)}, x[2] = {0};
  for (int k = 0; k < 500 && hypot(v[0], v[1]) > 1e-12; k++) {
    double r[3];
    s.q[0] = -h, s.q[1] = v[0], s.q[2] = v[1];
    run(&s, &o, r);
    for (int a = 0; a < 2; a++) v[a] += r[1 + a], x[a] += h * v[a];
  }
  drop(&s);
  assert_true(hypot(v[0], v[1]) <= 1e-12);
  return fabs(atan2(x[1], x[0]) - angle) * 180 / pi;
}

static void off_course(void **state)
{
  (void)state;
  double worst[3] = {0};
  for (int k = 1; k < 9; k++) {
    at_case("k %d", k);
    for (int e = 0; e < 3; e++) worst[e] = fmax(worst[e], course(4 << e, pi / 4 * k / 9));
  }
  print_message(
      "a block comes to rest off its course by up to %.2f, %.2f, %.2f degrees with 4, 8, 16 "
      "facets\n",
      worst[0], worst[1], worst[2]);
  assert_true(worst[0] > 5 && worst[0] < 45);
  assert_true(worst[1] < worst[0] / 2 && worst[2] < worst[1] / 2);
  // along a facet there is no error
  assert_true(course(4, 0) < 1e-9 && course(8, pi / 4) < 1e-9);
}

// Several coupled contacts: the residual of the round cone falls with the number of facets.
static void coupled(void **state)
{
  (void)state;
  double sum[3] = {0};
  for (int t = 0; t < 20; t++) {
    at_case("t %d", t);
    step s = draw(3, 1 + below(4), below(2));
    double *r = vector(dls_incremental_rows(&s.problem));
    for (int k = 0; k < 3; k++) {
      const dls_polyhedral_options o = facets(4 << (2 * k));
      run(&s, &o, r);
      sum[k] += error_of(&s, r);
      for (int i = 0; i < s.problem.contacts; i++)
        assert_true(hypot(r[3 * i + 1], r[3 * i + 2]) <= s.mu[i] * r[3 * i] + 1e-9);
    }
    free(r), drop(&s);
  }
  print_message("mean residual of the cone: %.4f, %.4f, %.4f with 4, 16, 64 facets\n", sum[0] / 20,
                sum[1] / 20, sum[2] / 20);
  assert_true(sum[1] < sum[0] / 2 && sum[2] < sum[1] / 2);
}

static void stabilized(void **state)
{
  (void)state;
  for (int t = 0; t < 20; t++) {
    at_case("t %d", t);
    step s = draw(3, 1 + below(3), below(2));
    const int rows = dls_incremental_rows(&s.problem);
    double *r = vector(rows), *other = vector(rows);
    dls_polyhedral_options o = facets(6);
    run(&s, &o, r);
    // E and mu times h: the same forces
    for (double h = 1e-4; h < 1e5; h *= 100) {
      o.scale = h;
      run(&s, &o, other);
      for (int i = 0; i < rows; i++) close_to(other[i], r[i], 1e-9);
    }
    // a diagonal that is larger by eps: forces that differ by about as much
    o.scale = 1, o.stabilize = 1e-6;
    run(&s, &o, other);
    double distance = 0;
    for (int i = 0; i < rows; i++) distance = fmax(distance, fabs(other[i] - r[i]));
    assert_true(distance > 0 && distance < 1e-3);
    free(r), free(other), drop(&s);
  }
}

// eq (pol.1) entry by entry
static void matrix(void **state)
{
  (void)state;
  step s = draw(3, 2, 1);
  s.mu[0] = 0.3, s.mu[1] = 0.7;
  dls_polyhedral_options o = facets(4);
  o.scale = 2;
  dls_polyhedral *pyramid;
  assert_int_equal(dls_polyhedral_create(&s.problem, &o, &pyramid, NULL), DLS_OK);
  const dls_mlcp *p = dls_polyhedral_lcp(pyramid);
  const int n = 1 + 2 + 8 + 2;
  assert_int_equal(p->n, n);
  assert_int_equal(p->free, 1);
  // rows of W: contact 0 is 0..2, contact 1 is 3..5, the equation 6; d_1 of contact 1 is unknown 8
  close_to(p->M[0], s.W[6 + 7 * 6], 0);
  close_to(p->M[1 + n * 2], s.W[0 + 7 * 3], 0);
  close_to(p->M[1 + n * 8], s.W[0 + 7 * 5], 1e-15);
  close_to(p->M[9 + n * 0], -s.W[4 + 7 * 6], 1e-15);
  close_to(p->M[10 + n * 4], -s.W[5 + 7 * 2], 1e-15);
  close_to(p->q[10], -s.q[5], 1e-15);
  for (int k = 0; k < 8; k++) {
    const int lambda = 11 + k / 4;
    close_to(p->M[(3 + k) + n * lambda], 2, 0);
    close_to(p->M[lambda + n * (3 + k)], -2, 0);
  }
  close_to(p->M[11 + n * 1], 0.6, 1e-15);
  close_to(p->M[12 + n * 2], 1.4, 1e-15);
  close_to(p->M[12 + n * 1], 0, 0);
  dls_polyhedral_free(pyramid);
  drop(&s);
}

static void bad_input(void **state)
{
  (void)state;
  step s = draw(3, 1, 0);
  double r[3];
  dls_lcp_report report;
  dls_message message = {{0}};
  dls_polyhedral_options o = facets(2);
  assert_int_equal(dls_polyhedral_run(&s.problem, &o, r, &report, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "facets"));
  o = facets(4), o.scale = 0;
  assert_int_equal(dls_polyhedral_run(&s.problem, &o, r, &report, &message), DLS_ERR_ARGUMENT);
  o = facets(4), o.stabilize = NAN;
  assert_int_equal(dls_polyhedral_run(&s.problem, &o, r, &report, &message), DLS_ERR_ARGUMENT);
  o = facets(100000);
  assert_int_equal(dls_polyhedral_run(&s.problem, &o, r, &report, &message), DLS_ERR_LIMIT);
  o = facets(4), o.lcp.solver = "none";
  assert_int_equal(dls_polyhedral_run(&s.problem, &o, r, &report, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_polyhedral_run(NULL, NULL, r, &report, &message), DLS_ERR_ARGUMENT);
  s.q[1] = NAN;
  assert_int_equal(dls_polyhedral_run(&s.problem, NULL, r, &report, &message), DLS_ERR_NUMBER);
  drop(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_in_the_plane), cmocka_unit_test(approaches_the_cone),
      cmocka_unit_test(off_course),         cmocka_unit_test(coupled),
      cmocka_unit_test(stabilized),         cmocka_unit_test(matrix),
      cmocka_unit_test(either_side),        cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
