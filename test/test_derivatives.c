// The derivatives for implicit integration against differences and closed forms, and the energies.
#define _DEFAULT_SOURCE  // readdir
#include "language.h"
#include "differences.h"

#include "model/analysis.h"
#include "model/expression_graph_internal.h"
#include <dirent.h>

#include "cases.h"

// ---- a system with its derivatives at a point ----

typedef struct bed {
  running r;
  dls_system *s;
  dls_derivatives *d;
  point x;
} bed;

static uint64_t seed = 7;

static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / (1 << 23) - 1;
}

static bed open_bed(const char *text)
{
  bed b = {.r = run(text)};
  b.s = b.r.system;
  assert_null(b.s->derivative);
  if (dls_model_differentiate(b.s, &b.r.message)) fail_msg("%s", b.r.message.text);
  assert_int_equal(dls_system_validate(b.s, &b.r.message), DLS_OK);
  assert_int_equal(dls_derivatives_create(b.s, &b.d), DLS_OK);
  go_to(&b.r, NULL);
  b.x = (point){.q = b.r.state.q,
                .v = b.r.state.v,
                .a = calloc((size_t)b.s->n, sizeof(double)),
                .lambda = calloc((size_t)b.s->m + 1, sizeof(double)),
                .tau = calloc((size_t)b.s->tangents + 1, sizeof(double))};
  return b;
}

static void close_bed(bed *b)
{
  dls_derivatives_free(b->d);
  free(b->x.a);
  free(b->x.lambda);
  free(b->x.tau);
  stop(&b->r);
}

static void differentiate(bed *b)
{
  const point *x = &b->x;
  if (b->s->differentiate(b->s->self, x->t, x->q, x->v, x->a, x->lambda, x->tau, b->d,
                          &b->r.message))
    fail_msg("%s", b->r.message.text);
}

// Moves to a random point near the initial state.
static void wander(bed *b)
{
  go_to(&b->r, NULL);
  b->x.t = b->r.state.t + 0.3 * draw();
  for (int i = 0; i < b->s->n; i++) {
    b->x.q[i] += 0.1 * draw();
    b->x.v[i] += draw();
    b->x.a[i] = 2 * draw();
  }
  for (int k = 0; k < b->s->m; k++) b->x.lambda[k] = 3 * draw();
  for (int k = 0; k < b->s->tangents; k++) b->x.tau[k] = 3 * draw();
}

// Exact derivatives and differences agree, by every coordinate and velocity.
static void compare(bed *b, const char *what, double tolerance)
{
  const int count = equations_count(b->s);
  double *found = calloc((size_t)count, sizeof *found), *near = calloc((size_t)count, sizeof *near);
  differentiate(b);
  for (int velocity = 0; velocity < 2; velocity++)
    for (int j = 0; j < b->s->n; j++) {
      equations_exact(b->s, b->d, velocity, j, found);
      equations_difference(b->s, &b->x, velocity, j, 4e-3, near);
      const int checked =
          velocity ? b->s->n + b->s->m + b->s->tangents : count;  // D_v, S_v: G and H
      for (int i = 0; i < checked; i++)
        if (!(fabs(found[i] - near[i]) <= tolerance * (1 + fabs(near[i]))))
          fail_msg("%s: equation %d by %s %s: %.15g, differences %.15g", what, i,
                   b->s->coordinates[j], velocity ? "velocity" : "coordinate", found[i], near[i]);
    }
  free(found);
  free(near);
}

static double entry(const dls_pattern *A, const double *value, int i, int j)
{
  for (int k = A->p[j]; k < A->p[j + 1]; k++)
    if (A->i[k] == i) return value[k];
  return 0;
}

static int entries(const dls_pattern *A)
{
  return A->p[A->cols];
}

// ---- differences ----

static void test_examples(void **state)
{
  (void)state;
  const char *directory = getenv("DELASSUS_SOURCE");
  char path[600];
  snprintf(path, sizeof path, "%s/examples", directory ? directory : ".");
  DIR *examples = opendir(path);
  assert_non_null(examples);
  int models = 0;
  for (struct dirent *file; (file = readdir(examples));) {
    at_case("%s", file->d_name);
    const size_t length = strlen(file->d_name);
    if (length < 5 || strcmp(file->d_name + length - 4, ".dls") != 0) continue;
    char text[16384] = {0};
    snprintf(path, sizeof path, "%s/examples/%s", directory ? directory : ".", file->d_name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_true(fread(text, 1, sizeof text - 1, in) < sizeof text - 1);
    fclose(in);
    bed b = open_bed(text);
    for (int k = 0; k < 5; k++) {
      wander(&b);
      compare(&b, file->d_name, 1e-9);
    }
    close_bed(&b);
    models++;
  }
  closedir(examples);
  assert_true(models > 20);
}

// A pendulum of many links in relative angles: everything depends on everything.
static void test_pendulum(void **state)
{
  (void)state;
  enum { LINKS = 12 };
  char text[8000];
  int at = snprintf(text, sizeof text,
                    "parameter m = 1, l = 0.4, g = 9.81, c = 0.1\n"
                    "let s0 = 0, w0 = 0, u0 = 0, z0 = 0, y0 = 0\n");
  for (int i = 1; i <= LINKS; i++)
    at += snprintf(
        text + at, sizeof text - (size_t)at,
        "coordinate q%d = 0.1*%d\nlet s%d = s%d + q%d, w%d = w%d + q%d'\n"
        "let u%d = u%d + l*cos(s%d)*w%d, z%d = z%d + l*sin(s%d)*w%d, "
        "y%d = y%d - l*cos(s%d)\n"
        "kinetic m/2*(u%d^2 + z%d^2)\npotential m*g*y%d\ndissipation c*exp(q%d)*q%d'^2\n",
        i, i, i, i - 1, i, i, i - 1, i, i, i - 1, i, i, i, i - 1, i, i, i, i - 1, i, i, i, i, i, i);
  bed b = open_bed(text);
  assert_int_equal(entries(&b.s->derivative->R_q), LINKS * LINKS);
  for (int k = 0; k < 3; k++) {
    at_case("k %d", k);
    wander(&b);
    compare(&b, "pendulum", 1e-8);
  }
  close_bed(&b);
}

// Every smooth function of the language, and explicit time in everything.
static void test_functions(void **state)
{
  (void)state;
  bed b =
      open_bed("parameter k = 1.5\ncoordinate x = 0.3, y = 0.6\n"
               "kinetic (2 + sin(x*t))*x'^2/2 + exp(y)*x'*y'/3 + (3 + x^2)*y'^2 + t*x*y'\n"
               "potential tan(x)*atan(y) + asin(x*y) + acos(x/2) + atan2(x, y + t)\n"
               "dissipation cosh(x*x') + sqrt(1 + y'^2)*x^2\n"
               "force x = sinh(y) + tanh(x'*y) + log(2 + x)*log2(3 + y')\n"
               "force y = (2 + x)^(k + y) + (1 + y'^2)^1.7 - x'/(2 + y'^2)\n"
               "unilateral c: exp(x*t) - cos(y) + k*x*y^3 >= 0 {\n"
               "  slip x'*sin(y + t) - y'*x^2 + t*x, y'*exp(x) + x*y\n  friction 0.1*abs(x)\n}\n");
  for (int k = 0; k < 20; k++) {
    at_case("k %d", k);
    wander(&b);
    b.x.t += 1;
    compare(&b, "functions", 1e-8);
  }
  close_bed(&b);
}

// ---- closed forms ----

static void test_double_pendulum(void **state)
{
  (void)state;
  bed b = open_bed("parameter m1 = 1, m2 = 2, l1 = 1, l2 = 0.5, g = 9.81\n"
                   "coordinate p = 0.4, q = -0.3\n"
                   "kinetic (m1 + m2)/2*l1^2*p'^2 + m2/2*l2^2*q'^2 + m2*l1*l2*cos(p - q)*p'*q'\n"
                   "potential -(m1 + m2)*g*l1*cos(p) - m2*g*l2*cos(q)\n"
                   "unilateral knee: l1*l2*sin(p - q) >= 0\n");
  const double m1 = 1, m2 = 2, l1 = 1, l2 = 0.5, g = 9.81, c = m2 * l1 * l2;
  for (int k = 0; k < 10; k++) {
    at_case("k %d", k);
    wander(&b);
    differentiate(&b);
    const dls_derivative_patterns *A = b.s->derivative;
    const double p = b.x.q[0], q = b.x.q[1], u = b.x.v[0], w = b.x.v[1];
    const double a = b.x.a[0], e = b.x.a[1], S = sin(p - q), C = cos(p - q), f = b.x.lambda[0];
    // R_p = (m1 + m2) l1^2 a + c C e + c S w^2 + (m1 + m2) g l1 sin p - f l1 l2 C
    // R_q = m2 l2^2 e + c C a - c S u^2 + m2 g l2 sin q + f l1 l2 C
    const double first = -c * S * e + c * C * w * w + f * l1 * l2 * S;
    const double second = -c * S * a - c * C * u * u - f * l1 * l2 * S;
    const double expected[2][2] = {{first + (m1 + m2) * g * l1 * cos(p), -first},
                                   {second, -second + m2 * g * l2 * cos(q)}};
    const double damping[2][2] = {{0, 2 * c * S * w}, {-2 * c * S * u, 0}};
    const double sign[2] = {1, -1}, bend = -l1 * l2 * (S * (a - e) + C * (u - w) * (u - w));
    for (int j = 0; j < 2; j++) {
      for (int i = 0; i < 2; i++) {
        assert_true(fabs(entry(&A->R_q, b.d->R_q, i, j) - expected[i][j]) < 1e-13 * 100);
        assert_true(fabs(entry(&A->R_v, b.d->R_v, i, j) - damping[i][j]) < 1e-13 * 10);
      }
      assert_true(fabs(entry(&A->N_q, b.d->N_q, j, 0) - sign[j] * bend) < 1e-13 * 10);
      assert_true(fabs(entry(&A->N_v, b.d->N_v, j, 0) + 2 * l1 * l2 * S * (u - w) * sign[j]) <
                  1e-13);
      assert_true(fabs(entry(&A->D_q, b.d->D_q, j, 0) + l1 * l2 * S * (u - w) * sign[j]) < 1e-13);
    }
  }
  close_bed(&b);
}

// A point on a line that turns: the only terms are those of the motion that is imposed.
static void test_driven(void **state)
{
  (void)state;
  bed b = open_bed("parameter w = 3\ncoordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                   "bilateral line: x*cos(w*t) + y*sin(w*t) = 1 {\n"
                   "  slip -x'*sin(w*t) + y'*cos(w*t) - w*(x*cos(w*t) + y*sin(w*t))\n}\n");
  const dls_derivative_patterns *A = b.s->derivative;
  assert_int_equal(entries(&A->R_q), 0);
  assert_int_equal(entries(&A->R_v), 0);
  wander(&b);
  differentiate(&b);
  const double w = 3, C[2] = {cos(w * b.x.t), sin(w * b.x.t)}, S[2] = {-C[1], C[0]};
  for (int j = 0; j < 2; j++) {
    at_case("j %d", j);
    assert_true(fabs(entry(&A->D_q, b.d->D_q, j, 0) - w * S[j]) < 1e-14);
    assert_true(fabs(entry(&A->N_q, b.d->N_q, j, 0) + w * w * C[j]) < 1e-14 * 9);
    assert_true(fabs(entry(&A->N_v, b.d->N_v, j, 0) - 2 * w * S[j]) < 1e-14 * 6);
    assert_true(fabs(entry(&A->S_q, b.d->S_q, j, 0) + w * C[j]) < 1e-14 * 3);
    assert_true(fabs(entry(&A->T_q, b.d->T_q, j, 0) + w * w * S[j]) < 1e-14 * 9);
    assert_true(fabs(entry(&A->T_v, b.d->T_v, j, 0) + 2 * w * C[j]) < 1e-14 * 6);
  }
  close_bed(&b);
}

// Nothing that is always 0 is stored, and columns have their rows in order.
static void test_patterns(void **state)
{
  (void)state;
  bed b = open_bed("parameter m = 2, g = 9.81\ncoordinate x = 0, y = 0, z = 0\n"
                   "kinetic m/2*(x'^2 + y'^2 + z'^2)\npotential m*g*z\n"
                   "unilateral floor: z >= 0 { slip x', y'; friction 0.3 }\n");
  const dls_derivative_patterns *A = b.s->derivative;
  const dls_pattern *all[8] = {&A->R_q, &A->R_v, &A->N_q, &A->N_v,
                               &A->T_q, &A->T_v, &A->D_q, &A->S_q};
  for (int k = 0; k < 8; k++) assert_int_equal(entries(all[k]), 0);
  wander(&b);
  differentiate(&b);
  close_bed(&b);

  // a spring from z to x, a damper from y to z
  b = open_bed("coordinate x = 0, y = 0, z = 0\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
               "potential (x - z)^2\ndissipation (y' - z')^2\n");
  static const int p_q[4] = {0, 2, 2, 4}, i_q[4] = {0, 2, 0, 2};
  static const int p_v[4] = {0, 0, 2, 4}, i_v[4] = {1, 2, 1, 2};
  A = b.s->derivative;
  assert_memory_equal(A->R_q.p, p_q, sizeof p_q);
  assert_memory_equal(A->R_q.i, i_q, sizeof i_q);
  assert_memory_equal(A->R_v.p, p_v, sizeof p_v);
  assert_memory_equal(A->R_v.i, i_v, sizeof i_v);
  differentiate(&b);
  const double spring[4] = {2, -2, -2, 2};
  assert_memory_equal(b.d->R_q, spring, sizeof spring);
  assert_memory_equal(b.d->R_v, spring, sizeof spring);
  close_bed(&b);
}

// ---- kinks, jumps, and numbers that are none ----

static double derivative_of_force(bed *b, const char *at, int velocity)
{
  go_to(&b->r, at);
  differentiate(b);
  const dls_derivative_patterns *A = b->s->derivative;
  return velocity ? -entry(&A->R_v, b->d->R_v, 0, 0) : -entry(&A->R_q, b->d->R_q, 0, 0);
}

static void test_kinks(void **state)
{
  (void)state;
  static const struct {
    const char *force, *at;
    double by_x, by_v;
  } cases[] = {
      {"3*abs(x)", "x = 2", 3, 0},
      {"3*abs(x)", "x = -2", -3, 0},
      {"3*abs(x)", "x = 0", 0, 0},
      {"-5*sign(x')*x", "x = 2, x' = -3", 5, 0},
      {"-x'*abs(x')", "x' = -3", 0, -6},
      {"floor(x)*x", "x = 2.5", 2, 0},
      {"min(x, 2*x')", "x = 1, x' = 3", 1, 0},
      {"min(x, 2*x')", "x = 9, x' = 3", 0, 2},
      {"max(x^2, x')", "x = 3, x' = 3", 6, 0},
      {"max(x^2, x')", "x = 1, x' = 3", 0, 1},
      {"if(x < 0, -100*x - 2*x', 0)", "x = -0.1", -100, -2},
      {"if(x < 0, -100*x - 2*x', 0)", "x = 0.1", 0, 0},
      {"(x > 0)*x'", "x = 1, x' = 4", 0, 1},
      {"7*x*if(x > 1, if(x > 2, x, 3), x')", "x = 3, x' = 2", 42, 0},
      {"7*x*if(x > 1, if(x > 2, x, 3), x')", "x = 1.5, x' = 2", 21, 0},
      {"7*x*if(x > 1, if(x > 2, x, 3), x')", "x = 1, x' = 2", 14, 7},
      // the other branch has no value, or no derivative, there
      {"if(x > 0, sqrt(x), 0)", "x = -1", 0, 0},
      {"if(x > 0, sqrt(x), 0)", "x = 4", 0.25, 0},
      {"x'*if(x > 0, log(x), x^2)", "x = -3, x' = 2", -12, 9},
      {"if(x == 0, 1 + x, sin(x)/x)", "x = 0", 1, 0},
      {"2*max(sqrt(abs(x)), x')", "x = 0, x' = 1", 0, 2},
      {"min(if(x < 0, 1/x, 0), x')", "x = 0, x' = -1", 0, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    char text[300];
    snprintf(text, sizeof text, "coordinate x = 0\nkinetic x'^2/2\nforce x = %s\n", cases[k].force);
    bed b = open_bed(text);
    const double by_x = derivative_of_force(&b, cases[k].at, 0);
    const double by_v = derivative_of_force(&b, cases[k].at, 1);
    if (!(fabs(by_x - cases[k].by_x) <= 1e-14) || !(fabs(by_v - cases[k].by_v) <= 1e-14))
      fail_msg("%s at %s: %g %g", cases[k].force, cases[k].at, by_x, by_v);
    close_bed(&b);
  }
}

// A selection by a parameter in the kinetic energy: the branch not taken divides by zero.
static void test_parameter_selects(void **state)
{
  (void)state;
  bed b = open_bed("parameter k = 0\ncoordinate x = 0.2\nkinetic x'^2/2\n"
                   "potential if(k == 0, x^2/2, (1 - cos(k*x))/k^2)\n");
  wander(&b);
  compare(&b, "k = 0", 1e-9);
  assert_int_equal(dls_model_set(b.s, "k", "2", &b.r.message), DLS_OK);
  wander(&b);
  compare(&b, "k = 2", 1e-9);
  assert_true(fabs(b.d->R_q[0] - cos(2 * b.x.q[0])) < 1e-14);
  close_bed(&b);
}

static void expect_failure(bed *b, const char *message)
{
  const point *x = &b->x;
  b->r.message.text[0] = '\0';
  assert_int_equal(b->s->differentiate(b->s->self, x->t, x->q, x->v, x->a, x->lambda, x->tau, b->d,
                                       &b->r.message),
                   DLS_ERR_NUMBER);
  assert_string_equal(b->r.message.text, message);
  assert_int_equal(
      b->s->differentiate(b->s->self, x->t, x->q, x->v, x->a, x->lambda, x->tau, b->d, NULL),
      DLS_ERR_NUMBER);
}

static void test_not_finite(void **state)
{
  (void)state;
  bed b = open_bed("coordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\nforce x = y^1.5*sqrt(x)\n"
                   "force y = x'^0.5\n"
                   "unilateral c: x*y^2.5 + y >= 0 { slip x' + y'*sqrt(x); friction 0.1 }\n");
  const point *x = &b.x;
  x->v[0] = 1;
  const struct {
    double *place;
    double value;
    const char *message;
  } cases[] = {
      {&b.x.t, (double)NAN, "time is not a number"},
      {&x->q[1], (double)INFINITY, "the coordinate y is infinite"},
      {&x->v[0], (double)NAN, "the velocity of x is not a number"},
      {&x->a[1], -(double)INFINITY, "the acceleration of y is infinite"},
      {&x->lambda[0], (double)NAN, "the normal force of contact `c` is not a number"},
      {&x->tau[0], (double)NAN, "the tangential force of contact `c` is not a number"},
      {&x->q[0], 0, "the derivative of the force balance of x by x is infinite"},
      {&x->v[0], 0, "the derivative of the force balance of y by the velocity of x is infinite"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    const double keep = *cases[k].place;
    *cases[k].place = cases[k].value;
    expect_failure(&b, cases[k].message);
    *cases[k].place = keep;
    differentiate(&b);
  }
  close_bed(&b);

  b = open_bed("coordinate x = 1\nkinetic x'^2/2\n"
               "unilateral c: x >= 0 { slip x'*x^1.5; friction 0.1 }\n");
  b.x.q[0] = -1;
  expect_failure(&b, "the derivative of the force balance of x by x is not a number");
  close_bed(&b);
}

// ---- energies ----

static void test_energy(void **state)
{
  (void)state;
  running r = run("parameter m = 2, k = 50\ncoordinate x = 0.1\nkinetic m/2*x'^2\n"
                  "potential k/2*x^2\n");
  double T, V;
  const dls_system *s = r.system;
  go_to(&r, "x = 0.3, x' = -2");
  assert_int_equal(s->energy(s->self, 0, r.state.q, r.state.v, &T, &V, NULL), DLS_OK);
  assert_near(T, 4);
  assert_near(V, 2.25);
  assert_int_equal(dls_model_set(r.system, "k", "100", &r.message), DLS_OK);
  assert_int_equal(s->energy(s->self, 0, r.state.q, r.state.v, &T, &V, NULL), DLS_OK);
  assert_near(V, 4.5);
  r.state.v[0] = (double)NAN;
  assert_int_equal(s->energy(s->self, 0, r.state.q, r.state.v, &T, &V, &r.message), DLS_ERR_NUMBER);
  assert_string_equal(r.message.text, "the velocity of x is not a number");
  stop(&r);

  r = run("parameter m = 2, l = 0.5, g = 10\ncoordinate q = 0\n"
          "kinetic m/2*((l*cos(q)*q')^2 + (l*sin(q)*q')^2)\npotential -m*g*l*cos(q) + 1/q\n");
  s = r.system;
  go_to(&r, "q = pi/3, q' = 2");
  assert_int_equal(s->energy(s->self, 0, r.state.q, r.state.v, &T, &V, NULL), DLS_OK);
  assert_near(T, 1);
  assert_near(V, -5 + 3 / acos(-1));
  r.state.q[0] = 0;
  assert_int_equal(s->energy(s->self, 0, r.state.q, r.state.v, &T, &V, &r.message), DLS_ERR_NUMBER);
  assert_string_equal(r.message.text, "the potential energy is infinite");
  stop(&r);
}

// a with M a + F = 0, by elimination without pivots: M > 0.
static void accelerate(bed *b)
{
  const int n = b->s->n;
  dls_values *e;
  double A[8][9] = {{0}};
  assert_true(n <= 8);
  assert_int_equal(dls_values_create(b->s, &e), DLS_OK);
  assert_int_equal(b->s->evaluate(b->s->self, b->x.t, b->x.q, b->x.v, e, NULL, NULL), DLS_OK);
  for (int j = 0; j < n; j++)
    for (int k = b->s->mass.p[j]; k < b->s->mass.p[j + 1]; k++) A[b->s->mass.i[k]][j] = e->M[k];
  for (int i = 0; i < n; i++) A[i][n] = -e->F[i];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j <= n && i != k; j++) A[i][j] -= factor * A[k][j];
    }
  for (int i = 0; i < n; i++) b->x.a[i] = A[i][n] / A[i][i];
  dls_values_free(e);
}

// The energy at (q + s v, v + s a): to first order that of the motion after the time s.
static double energy_after(const bed *b, double time)
{
  double q[8], v[8], T, V;
  for (int i = 0; i < b->s->n; i++) {
    q[i] = b->x.q[i] + time * b->x.v[i];
    v[i] = b->x.v[i] + time * b->x.a[i];
  }
  assert_int_equal(b->s->energy(b->s->self, b->x.t, q, v, &T, &V, NULL), DLS_OK);
  return T + V;
}

// Without forces the energy stays: dE/dt = 0 along the exact accelerations.
static void test_energy_stays(void **state)
{
  (void)state;
  static const char *const models[] = {
      "coordinate p = 0.4, q = 1, r = -0.7\nlet u = cos(p)*p' + cos(q)*q', v = sin(p)*p' + "
      "sin(q)*q'\n"
      "kinetic p'^2/2 + u^2 + v^2 + (u + cos(r)*r')^2 + (v + sin(r)*r')^2\n"
      "potential -9.81*(7*cos(p) + 5*cos(q) + 2*cos(r))\n",
      "parameter k = 3\ncoordinate r = 1, phi = 0\nkinetic (r'^2 + r^2*phi'^2)/2\npotential -k/r\n",
  };
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    at_case("%s", models[k]);
    bed b = open_bed(models[k]);
    for (int turn = 0; turn < 5; turn++) {
      wander(&b);
      accelerate(&b);
      const double h = 1e-3;
      const double slope = (8 * (energy_after(&b, h) - energy_after(&b, -h)) -
                            energy_after(&b, 2 * h) + energy_after(&b, -2 * h)) /
                           (12 * h);
      assert_true(fabs(slope) < 1e-8);
    }
    close_bed(&b);
  }
}

// ---- parameters, limits, other systems ----

static void test_parameters_follow(void **state)
{
  (void)state;
  static const char *text = "parameter k = 2, c = 3*k\ncoordinate x = 0\nkinetic x'^2/2\n"
                            "force x = -k*x - c*x'\n";
  bed b = open_bed(text);
  differentiate(&b);
  assert_near(b.d->R_q[0], 2);
  assert_near(b.d->R_v[0], 6);
  assert_int_equal(dls_model_set(b.s, "k", "5", NULL), DLS_OK);
  differentiate(&b);
  assert_near(b.d->R_q[0], 5);
  assert_near(b.d->R_v[0], 15);
  // asked for again: as it is
  const dls_derivative_patterns *pattern = b.s->derivative;
  assert_int_equal(dls_model_differentiate(b.s, NULL), DLS_OK);
  assert_ptr_equal(b.s->derivative, pattern);

  // another system of the model, with a parameter set before
  dls_system *other;
  assert_int_equal(dls_model_system(b.r.model, &other), DLS_OK);
  assert_int_equal(dls_model_set(other, "c", "1", NULL), DLS_OK);
  assert_null(other->derivative);
  assert_int_equal(dls_model_differentiate(other, NULL), DLS_OK);
  assert_int_equal(other->differentiate(other->self, 0, b.x.q, b.x.v, b.x.a, NULL, NULL, b.d, NULL),
                   DLS_OK);
  assert_near(b.d->R_q[0], 2);
  assert_near(b.d->R_v[0], 1);
  dls_system_free(other);
  differentiate(&b);
  assert_near(b.d->R_v[0], 15);
  close_bed(&b);
}

static void test_limit(void **state)
{
  (void)state;
  running r = run("coordinate x = 0, y = 0\nkinetic exp(x*y)*(x'^2 + y'^2)/2\n");
  r.model->equations.graph->limit = r.model->equations.graph->count + 30;
  assert_int_equal(dls_model_differentiate(r.system, &r.message), DLS_ERR_LIMIT);
  assert_non_null(strstr(r.message.text, "too large"));
  assert_null(r.system->derivative);
  assert_null(r.system->differentiate);
  r.model->equations.graph->limit = DLS_GRAPH_NODE_LIMIT;
  assert_int_equal(dls_model_differentiate(r.system, &r.message), DLS_OK);
  assert_non_null(r.system->derivative);
  stop(&r);
}

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  (void)self, (void)t, (void)q, (void)v, (void)values, (void)bound, (void)message;
  return DLS_OK;
}

static dls_status differentiate_by_hand(void *self, double t, const double *q, const double *v,
                                        const double *a, const double *lambda, const double *tau,
                                        const dls_derivatives *out, dls_message *message)
{
  (void)self, (void)t, (void)q, (void)v, (void)a, (void)lambda, (void)tau, (void)message;
  out->R_q[0] = 4;
  return DLS_OK;
}

static void test_by_hand(void **state)
{
  (void)state;
  static const char *const names[1] = {"x"};
  static const int p[2] = {0, 1}, none[2] = {0, 0}, i[1] = {0}, wrong[1] = {1};
  dls_system s = {.n = 1,
                  .coordinates = names,
                  .mass = {1, 1, p, i},
                  .normal = {1, 0, none, NULL},
                  .tangent = {1, 0, none, NULL},
                  .evaluate = evaluate};
  dls_derivatives *d;
  dls_message message;
  assert_int_equal(dls_system_validate(&s, &message), DLS_OK);
  assert_int_equal(dls_derivatives_create(&s, &d), DLS_ERR_ARGUMENT);
  assert_null(d);
  assert_int_equal(dls_model_differentiate(&s, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_model_differentiate(NULL, NULL), DLS_ERR_ARGUMENT);
  assert_null(s.differentiate);

  dls_derivative_patterns pattern = {.R_q = {1, 1, p, i},
                                     .R_v = {1, 1, none, NULL},
                                     .N_q = {1, 0, none, NULL},
                                     .N_v = {1, 0, none, NULL},
                                     .T_q = {1, 0, none, NULL},
                                     .T_v = {1, 0, none, NULL},
                                     .D_q = {1, 0, none, NULL},
                                     .S_q = {1, 0, none, NULL}};
  s.derivative = &pattern;
  assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
  s.differentiate = differentiate_by_hand;
  assert_int_equal(dls_system_validate(&s, &message), DLS_OK);
  assert_int_equal(dls_derivatives_create(&s, &d), DLS_OK);
  assert_int_equal(s.differentiate(NULL, 0, NULL, NULL, NULL, NULL, NULL, d, NULL), DLS_OK);
  assert_true(d->R_q[0] == 4);
  dls_derivatives_free(d);
  dls_derivatives_free(NULL);

  dls_pattern *const all[8] = {&pattern.R_q, &pattern.R_v, &pattern.N_q, &pattern.N_v,
                               &pattern.T_q, &pattern.T_v, &pattern.D_q, &pattern.S_q};
  for (int k = 0; k < 8; k++) {
    at_case("k %d", k);
    const dls_pattern keep = *all[k];
    all[k]->cols++;
    assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
    *all[k] = keep;
    all[k]->p = NULL;
    assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
    *all[k] = keep;
  }
  pattern.R_q.i = wrong;
  assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "R_q"));
  pattern.R_q.i = i;
  s.derivative = NULL;
  assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),     cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_functions),    cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_driven),       cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_kinks),        cmocka_unit_test(test_parameter_selects),
      cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_energy),
      cmocka_unit_test(test_energy_stays), cmocka_unit_test(test_parameters_follow),
      cmocka_unit_test(test_limit),        cmocka_unit_test(test_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
