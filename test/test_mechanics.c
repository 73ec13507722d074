// Equations of motion against closed forms: textbook pendulums, moving pivots, rotating frames,
// rolling, singular mass; the same system in two sets of coordinates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "model/expression_graph_internal.h"
#include "model/mechanics.h"
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

// One model with everything around it; matrices are handed out dense.
typedef struct model {
  dls_graph *g;
  dls_expr q[MOST], v[MOST], p[MOST], t;
  dls_expr force[MOST];
  dls_lagrangian_contact contact[MOST];
  dls_lagrangian l;
  dls_mechanics *mechanics;
  dls_mechanics_work *work;
  dls_system system;
  dls_values values, bound;
  double store[2][14][MOST * MOST];
} model;

static const char *const names[MOST] = {"x", "y", "theta", "phi", "a", "b", "c", "d"};

static dls_values carve(double store[14][MOST * MOST])
{
  return (dls_values){store[0], store[1], store[2], store[3],  store[4],  store[5],  store[6],
                      store[7], store[8], store[9], store[10], store[11], store[12], store[13]};
}

static model *model_create(int n, int parameters)
{
  model *m = calloc(1, sizeof *m);
  assert_non_null(m);
  assert_int_equal(dls_graph_create(&m->g), DLS_OK);
  for (int i = 0; i < n; i++) {
    m->q[i] = dls_graph_leaf(m->g, DLS_OP_COORDINATE, i);
    m->v[i] = dls_graph_leaf(m->g, DLS_OP_VELOCITY, i);
  }
  for (int i = 0; i < parameters; i++) m->p[i] = dls_graph_leaf(m->g, DLS_OP_PARAMETER, i);
  m->t = dls_graph_leaf(m->g, DLS_OP_TIME, 0);
  m->l = (dls_lagrangian){n, names,      parameters, 0,    0, 0,    m->force,
                          0, m->contact, 0,          NULL, 0, NULL, false};
  m->values = carve(m->store[0]);
  m->bound = carve(m->store[1]);
  return m;
}

static dls_lagrangian_contact *add_contact(model *m, const char *name, dls_expr h)
{
  dls_lagrangian_contact *contact = &m->contact[m->l.m++];
  *contact = (dls_lagrangian_contact){{.name = name, .kind = DLS_BILATERAL}, h, {0, 0}, -1, -1, 0};
  return contact;
}

static void compile(model *m, const double *parameters)
{
  assert_int_equal(dls_mechanics_compile(m->g, &m->l, &m->mechanics), DLS_OK);
  assert_int_equal(dls_mechanics_work_create(m->mechanics, &m->work), DLS_OK);
  dls_mechanics_set_parameters(m->work, parameters);
  dls_mechanics_describe(m->mechanics, &m->system);
}

static void evaluate(model *m, double t, const double *q, const double *v)
{
  dls_message message = {""};
  if (dls_mechanics_evaluate(m->work, t, q, v, &m->values, &m->bound, &message))
    fail_msg("%s", message.text);
}

static void model_free(model *m)
{
  dls_mechanics_work_free(m->work);
  dls_mechanics_free(m->mechanics);
  dls_graph_free(m->g);
  free(m);
}

static double entry(const dls_pattern *pattern, const double *x, int i, int j)
{
  for (int k = pattern->p[j]; k < pattern->p[j + 1]; k++)
    if (pattern->i[k] == i) return x[k];
  return 0;
}

static double mass(const model *m, int i, int j)
{
  return entry(&m->system.mass, m->values.M, i, j);
}

static double normal(const model *m, int i, int j)
{
  return entry(&m->system.normal, m->values.G, i, j);
}

static double tangent(const model *m, int i, int j)
{
  return entry(&m->system.tangent, m->values.H, i, j);
}

static void near(double x, double y)
{
  if (!(fabs(x - y) <= 1e-13 * (1 + fabs(y)))) fail_msg("%.17g, expected %.17g", x, y);
}

#define ADD(a, b) dls_graph_make(m->g, DLS_OP_ADD, a, b, -1)
#define SUB(a, b) dls_graph_make(m->g, DLS_OP_SUB, a, b, -1)
#define MUL(a, b) dls_graph_make(m->g, DLS_OP_MUL, a, b, -1)
#define DIV(a, b) dls_graph_make(m->g, DLS_OP_DIV, a, b, -1)
#define SIN(a) dls_graph_make(m->g, DLS_OP_SIN, a, -1, -1)
#define COS(a) dls_graph_make(m->g, DLS_OP_COS, a, -1, -1)
#define LOG(a) dls_graph_make(m->g, DLS_OP_LOG, a, -1, -1)
#define SQUARE(a) MUL(a, a)
#define NUMBER(a) dls_graph_constant(m->g, a)
#define HALF(a) MUL(NUMBER(0.5), a)
#define RATE(a) dls_graph_time_derivative(m->g, a)

// m (x'^2 + y'^2) / 2 of a point given by expressions
static dls_expr kinetic_of(model *m, dls_expr mass_of, dls_expr x, dls_expr y)
{
  return HALF(MUL(mass_of, ADD(SQUARE(RATE(x)), SQUARE(RATE(y)))));
}

// ---- the double pendulum ----

enum { M1, M2, L1, L2, GRAVITY, FIVE };
static const double pendulum[FIVE] = {1.3, 0.7, 0.9, 1.1, 9.81};

static model *pendulum_in_angles(void)
{
  model *m = model_create(2, FIVE);
  dls_expr x1 = MUL(m->p[L1], SIN(m->q[0])), y1 = MUL(NUMBER(-1), MUL(m->p[L1], COS(m->q[0])));
  dls_expr x2 = ADD(x1, MUL(m->p[L2], SIN(m->q[1]))), y2 = SUB(y1, MUL(m->p[L2], COS(m->q[1])));
  m->l.kinetic = ADD(kinetic_of(m, m->p[M1], x1, y1), kinetic_of(m, m->p[M2], x2, y2));
  m->l.potential = MUL(m->p[GRAVITY], ADD(MUL(m->p[M1], y1), MUL(m->p[M2], y2)));
  compile(m, pendulum);
  return m;
}

static model *pendulum_in_points(void)
{
  model *m = model_create(4, FIVE);
  const dls_expr *q = m->q;
  m->l.kinetic = ADD(kinetic_of(m, m->p[M1], q[0], q[1]), kinetic_of(m, m->p[M2], q[2], q[3]));
  m->l.potential = MUL(m->p[GRAVITY], ADD(MUL(m->p[M1], q[1]), MUL(m->p[M2], q[3])));
  dls_expr dx = SUB(q[2], q[0]), dy = SUB(q[3], q[1]);
  add_contact(m, "upper", SUB(ADD(SQUARE(q[0]), SQUARE(q[1])), SQUARE(m->p[L1])));
  add_contact(m, "lower", SUB(ADD(SQUARE(dx), SQUARE(dy)), SQUARE(m->p[L2])));
  compile(m, pendulum);
  return m;
}

static void test_double_pendulum(void **state)
{
  (void)state;
  model *m = pendulum_in_angles();
  const double q[2] = {0.4, -1.1}, v[2] = {1.7, -0.6};
  evaluate(m, 0, q, v);
  double couple = pendulum[M2] * pendulum[L1] * pendulum[L2], d = q[0] - q[1];
  double m12 = pendulum[M1] + pendulum[M2], g = pendulum[GRAVITY];
  near(mass(m, 0, 0), m12 * pendulum[L1] * pendulum[L1]);
  near(mass(m, 0, 1), couple * cos(d));
  near(mass(m, 1, 1), pendulum[M2] * pendulum[L2] * pendulum[L2]);
  assert_true(mass(m, 0, 1) == mass(m, 1, 0));
  near(m->values.F[0], couple * sin(d) * v[1] * v[1] + m12 * g * pendulum[L1] * sin(q[0]));
  near(m->values.F[1],
       -couple * sin(d) * v[0] * v[0] + pendulum[M2] * g * pendulum[L2] * sin(q[1]));
  // power balance: v . F = D[T + V], since v' = 0 in both
  dls_expr energy = dls_graph_time_derivative(m->g, ADD(m->l.kinetic, m->l.potential));
  near(v[0] * m->values.F[0] + v[1] * m->values.F[1],
       dls_graph_evaluate(m->g, energy, pendulum, 0, q, v));
  if (!(m->bound.F[0] > 0 && m->bound.F[0] < 1e-13)) fail_msg("bound %g", m->bound.F[0]);
  model_free(m);
}

// [M -G; G^T 0] [v'; lambda] = [-F; -b_n]
static void accelerations(const model *m, double *acceleration)
{
  int n = m->l.n, size = n + m->l.m, pivots[2 * MOST];
  double kkt[4 * MOST * MOST] = {0}, rhs[2 * MOST];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) kkt[i * size + j] = mass(m, i, j);
    for (int k = 0; k < m->l.m; k++) {
      kkt[i * size + n + k] = -normal(m, i, k);
      kkt[(n + k) * size + i] = normal(m, i, k);
    }
    rhs[i] = -m->values.F[i];
  }
  for (int k = 0; k < m->l.m; k++) rhs[n + k] = -m->values.b_n[k];
  assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, 1, kkt, size, pivots, rhs, 1), 0);
  memcpy(acceleration, rhs, (size_t)n * sizeof *rhs);
}

static void test_two_coordinate_systems(void **state)
{
  (void)state;
  model *angles = pendulum_in_angles(), *points = pendulum_in_points();
  const double q[2] = {0.4, -1.1}, w[2] = {1.7, -0.6}, *p = pendulum;
  double s1 = p[L1] * sin(q[0]), c1 = p[L1] * cos(q[0]);
  double s2 = p[L2] * sin(q[1]), c2 = p[L2] * cos(q[1]);
  const double x[4] = {s1, -c1, s1 + s2, -c1 - c2};
  const double u[4] = {c1 * w[0], s1 * w[0], c1 * w[0] + c2 * w[1], s1 * w[0] + s2 * w[1]};
  double a[2], b[4];
  evaluate(angles, 0, q, w);
  evaluate(points, 0, x, u);
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    assert_true(fabs(points->values.h[k]) <= points->bound.h[k]);  // pure rounding error
    assert_true(fabs(points->values.h_dot[k]) < 1e-14);
  }
  accelerations(angles, a);
  accelerations(points, b);
  double ax = c1 * a[0] - s1 * w[0] * w[0], ay = s1 * a[0] + c1 * w[0] * w[0];
  assert_true(fabs(b[0] - ax) < 1e-12 && fabs(b[1] - ay) < 1e-12);
  ax += c2 * a[1] - s2 * w[1] * w[1];
  ay += s2 * a[1] + c2 * w[1] * w[1];
  assert_true(fabs(b[2] - ax) < 1e-12 && fabs(b[3] - ay) < 1e-12);
  // G is sparse where it can be: the upper hinge does not know the lower mass
  assert_int_equal(points->system.normal.p[1], 2);
  assert_int_equal(points->system.normal.p[2], 6);
  assert_int_equal(points->system.mass.p[4], 4);
  model_free(angles);
  model_free(points);
}

// ---- time and rotation ----

// x = A sin(W t) + l sin q, y = -l cos q: F = -m l A W^2 sin(W t) cos q + m g l sin q
static void test_moving_pivot(void **state)
{
  (void)state;
  enum { A, W, L, MASS };
  const double p[4] = {0.3, 2.1, 0.8, 1.4}, q = 0.7, v = -1.9, t = 0.55;
  model *m = model_create(1, 4);
  dls_expr x = ADD(MUL(m->p[A], SIN(MUL(m->p[W], m->t))), MUL(m->p[L], SIN(m->q[0])));
  dls_expr y = MUL(NUMBER(-1), MUL(m->p[L], COS(m->q[0])));
  m->l.kinetic = kinetic_of(m, m->p[MASS], x, y);
  m->l.potential = MUL(MUL(m->p[MASS], NUMBER(9.81)), y);
  m->l.dissipation = HALF(MUL(NUMBER(0.2), SQUARE(m->v[0])));
  m->force[0] = MUL(NUMBER(3), COS(m->t));
  compile(m, p);
  evaluate(m, t, &q, &v);
  near(mass(m, 0, 0), p[MASS] * p[L] * p[L]);
  near(m->values.F[0], -p[MASS] * p[L] * p[A] * p[W] * p[W] * sin(p[W] * t) * cos(q) +
                           p[MASS] * 9.81 * p[L] * sin(q) + 0.2 * v - 3 * cos(t));
  model_free(m);
}

// A point in a frame that turns with W: Coriolis and centrifugal forces.
static void test_rotating_frame(void **state)
{
  (void)state;
  const double p[2] = {1.7, 0.9}, q[2] = {0.3, -0.8}, v[2] = {1.1, 0.4};
  model *m = model_create(2, 2);
  dls_expr u = SUB(m->v[0], MUL(m->p[1], m->q[1])), w = ADD(m->v[1], MUL(m->p[1], m->q[0]));
  m->l.kinetic = HALF(MUL(m->p[0], ADD(SQUARE(u), SQUARE(w))));
  compile(m, p);
  evaluate(m, 0, q, v);
  near(mass(m, 0, 0), p[0]);
  assert_int_equal(m->system.mass.p[2], 2);
  near(m->values.F[0], -2 * p[0] * p[1] * v[1] - p[0] * p[1] * p[1] * q[0]);
  near(m->values.F[1], 2 * p[0] * p[1] * v[0] - p[0] * p[1] * p[1] * q[1]);
  model_free(m);
}

// A bead on a hoop of radius R that turns with W about its vertical diameter.
static void test_hoop(void **state)
{
  (void)state;
  const double p[3] = {0.6, 1.2, 3.3}, q = 0.9, v = 2.2, t = 0.3;  // m, R, W
  model *m = model_create(1, 3);
  dls_expr radius = MUL(m->p[1], SIN(m->q[0])), angle = MUL(m->p[2], m->t);
  dls_expr x = MUL(radius, COS(angle)), y = MUL(radius, SIN(angle));
  dls_expr z = MUL(NUMBER(-1), MUL(m->p[1], COS(m->q[0])));
  m->l.kinetic = ADD(kinetic_of(m, m->p[0], x, y), HALF(MUL(m->p[0], SQUARE(RATE(z)))));
  m->l.potential = MUL(MUL(m->p[0], NUMBER(9.81)), z);
  compile(m, p);
  evaluate(m, t, &q, &v);
  near(mass(m, 0, 0), p[0] * p[1] * p[1]);
  near(m->values.F[0],
       -p[0] * p[1] * p[1] * p[2] * p[2] * sin(q) * cos(q) + p[0] * 9.81 * p[1] * sin(q));
  model_free(m);
}

// h = (x - A cos W t)^2 + y^2 - L^2
static void test_rheonomic_constraint(void **state)
{
  (void)state;
  const double p[3] = {0.4, 1.9, 1.1}, q[2] = {0.7, -0.5}, v[2] = {0.2, 1.3}, t = 0.8;
  model *m = model_create(2, 3);
  dls_expr dx = SUB(m->q[0], MUL(m->p[0], COS(MUL(m->p[1], m->t))));
  m->l.kinetic = HALF(ADD(SQUARE(m->v[0]), SQUARE(m->v[1])));
  add_contact(m, "rod", SUB(ADD(SQUARE(dx), SQUARE(m->q[1])), SQUARE(m->p[2])));
  compile(m, p);
  evaluate(m, t, q, v);
  double c = p[0] * cos(p[1] * t), s = p[0] * sin(p[1] * t), w = p[1], u = v[0] + w * s;
  near(m->values.h[0], (q[0] - c) * (q[0] - c) + q[1] * q[1] - p[2] * p[2]);
  near(normal(m, 0, 0), 2 * (q[0] - c));
  near(normal(m, 1, 0), 2 * q[1]);
  near(m->values.h_dot[0], 2 * (q[0] - c) * u + 2 * q[1] * v[1]);
  near(m->values.b_n[0], 2 * u * u + 2 * (q[0] - c) * w * w * c + 2 * v[1] * v[1]);
  model_free(m);
}

// ---- slip ----

// A disc on a belt: slip = x' + R theta' - V sin t. A skate: slip across its direction phi.
static void test_slip(void **state)
{
  (void)state;
  const double p[4] = {0.25, 1.5, 0.3, 0.6}, q[4] = {1, 0.25, 0.4, 0.7}, v[4] = {2, 0.1, -3, 0.5};
  const double t = 1.2;
  model *m = model_create(4, 4);
  for (int i = 0; i < 4; i++) m->l.kinetic = ADD(m->l.kinetic, HALF(SQUARE(m->v[i])));
  dls_lagrangian_contact *belt = add_contact(m, "belt", SUB(m->q[1], m->p[0]));
  belt->info.kind = DLS_UNILATERAL;
  belt->info.tangents = 1;
  belt->slip[0] = SUB(ADD(m->v[0], MUL(m->p[0], m->v[2])), MUL(m->p[1], SIN(m->t)));
  belt->friction = m->p[2];
  belt->restitution = m->p[3];
  dls_lagrangian_contact *skate = add_contact(m, "skate", m->q[1]);
  skate->info.tangents = 2;
  skate->slip[0] = ADD(MUL(COS(m->q[3]), m->v[0]), MUL(SIN(m->q[3]), m->v[1]));
  skate->slip[1] = m->v[2];
  add_contact(m, "plain", m->q[0])->friction = m->p[2];  // no slip: no friction
  compile(m, p);
  evaluate(m, t, q, v);
  assert_int_equal(m->system.tangents, 3);
  near(m->values.slip[0], v[0] + p[0] * v[2] - p[1] * sin(t));
  near(m->values.b_t[0], -p[1] * cos(t));
  near(tangent(m, 0, 0), 1);
  near(tangent(m, 2, 0), p[0]);
  assert_int_equal(m->system.tangent.p[1], 2);
  near(tangent(m, 0, 1), cos(q[3]));
  near(tangent(m, 1, 1), sin(q[3]));
  near(m->values.b_t[1], (cos(q[3]) * v[1] - sin(q[3]) * v[0]) * v[3]);
  near(m->values.b_t[2], 0);
  near(m->values.friction[0], p[2]);
  near(m->values.friction[1], 0);
  near(m->values.friction[2], 0);
  near(m->values.restitution[0], p[3]);
  near(m->values.b_n[0], 0);
  model_free(m);
}

// ---- structure ----

// The mass of a rod in its middle, the rod in natural coordinates; and a coordinate without mass.
static void test_singular_mass(void **state)
{
  (void)state;
  const double p[1] = {2.4}, q[5] = {0, 0, 1, 1, 3}, v[5] = {1, 2, 3, 4, 5};
  model *m = model_create(5, 1);
  dls_expr u = HALF(ADD(m->v[0], m->v[2])), w = HALF(ADD(m->v[1], m->v[3]));
  m->l.kinetic = HALF(MUL(m->p[0], ADD(SQUARE(u), SQUARE(w))));
  compile(m, p);
  evaluate(m, 0, q, v);
  near(mass(m, 0, 0), 0.6);
  near(mass(m, 0, 2), 0.6);
  near(mass(m, 2, 0), 0.6);
  near(mass(m, 1, 3), 0.6);
  assert_true(mass(m, 0, 0) * mass(m, 2, 2) == mass(m, 0, 2) * mass(m, 2, 0));
  static const int p_expected[6] = {0, 2, 4, 6, 8, 9}, i_expected[9] = {0, 2, 1, 3, 0, 2, 1, 3, 4};
  assert_memory_equal(m->system.mass.p, p_expected, sizeof p_expected);
  assert_memory_equal(m->system.mass.i, i_expected, sizeof i_expected);
  assert_true(m->values.M[8] == 0 && m->bound.M[8] == 0);
  model_free(m);
}

static void test_parameters_and_repetition(void **state)
{
  (void)state;
  model *m = pendulum_in_angles();
  const double q[2] = {0.4, -1.1}, v[2] = {1.7, -0.6}, zero[2] = {0, 0};
  double heavier[FIVE], first[4], force[2];
  memcpy(heavier, pendulum, sizeof heavier);
  heavier[M2] = 70;
  evaluate(m, 0, q, v);
  memcpy(first, m->values.M, sizeof first);
  memcpy(force, m->values.F, sizeof force);
  dls_mechanics_set_parameters(m->work, heavier);
  evaluate(m, 3, zero, zero);
  near(mass(m, 1, 1), 70 * pendulum[L2] * pendulum[L2]);
  near(m->values.F[0], 0);
  dls_mechanics_set_parameters(m->work, pendulum);
  evaluate(m, 0, q, v);
  assert_memory_equal(first, m->values.M, sizeof first);
  assert_memory_equal(force, m->values.F, sizeof force);
  model_free(m);
}

// Arrays one behind the other, arrays apart, and the first ones again with one of them elsewhere.
static void test_any_arrays(void **state)
{
  (void)state;
  model *m = pendulum_in_angles();
  const double q[2][2] = {{0.4, -1.1}, {0.7, 0.3}}, v[2][2] = {{1.7, -0.6}, {-0.2, 2}};
  double force[2];
  dls_values *joined;
  assert_int_equal(dls_values_create(&m->system, &joined), DLS_OK);
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    const double *at = q[k % 2], *with = v[k % 2];
    evaluate(m, 0, at, with);
    assert_int_equal(dls_mechanics_evaluate(m->work, 0, at, with, joined, NULL, NULL), DLS_OK);
    assert_memory_equal(joined->M, m->values.M, 4 * sizeof(double));
    assert_memory_equal(joined->F, m->values.F, 2 * sizeof(double));
    dls_values other = *joined;
    other.F = force;
    memset(joined->F, 0, 2 * sizeof(double));
    assert_int_equal(dls_mechanics_evaluate(m->work, 0, at, with, &other, NULL, NULL), DLS_OK);
    assert_memory_equal(force, m->values.F, 2 * sizeof(double));
    assert_true(joined->F[0] == 0 && joined->F[1] == 0);
  }
  dls_values_free(joined);
  model_free(m);
}

// cos(pi/2) = 6e-17 is noise, and its bound says so: as a parameter, as a constant, in a state.
static void test_noise(void **state)
{
  (void)state;
  const double right = 1.5707963267948966, q[1] = {right}, v[1] = {0};
  model *m = model_create(1, 1);
  m->l.kinetic = HALF(SQUARE(m->v[0]));
  add_contact(m, "parameter", ADD(m->q[0], COS(m->p[0])));
  add_contact(m, "constant", COS(NUMBER(right)));
  add_contact(m, "coordinate", COS(m->q[0]));
  add_contact(m, "exact", SUB(NUMBER(3), NUMBER(2)));
  add_contact(m, "sine", SIN(m->q[0]));
  compile(m, &right);
  evaluate(m, 0, q, v);
  for (int k = 1; k < 3; k++) {
    at_case("k %d", k);
    assert_true(fabs(m->values.h[k]) > 0 && fabs(m->values.h[k]) <= m->bound.h[k]);
    assert_true(m->bound.h[k] < 1e-15);
  }
  assert_true(m->bound.h[3] == 0);
  // the gradient of the sine is the same noise
  int last = m->system.normal.p[5] - 1;
  assert_true(fabs(m->values.G[last]) < 1e-16 && fabs(m->values.G[last]) <= m->bound.G[last]);
  assert_true(m->bound.M[0] == 0);
  model_free(m);
}

// ---- bad input ----

static void expect_failure(model *m, double t, const double *q, const double *v, const char *text)
{
  dls_message message = {""};
  dls_status status = dls_mechanics_evaluate(m->work, t, q, v, &m->values, NULL, &message);
  assert_int_equal(status, DLS_ERR_NUMBER);
  if (!strstr(message.text, text)) fail_msg("`%s` does not name `%s`", message.text, text);
  assert_int_equal(dls_mechanics_evaluate(m->work, t, q, v, &m->values, NULL, NULL),
                   DLS_ERR_NUMBER);
}

static void test_not_finite(void **state)
{
  (void)state;
  model *m = model_create(2, 1);
  dls_expr x = m->q[0], y = m->q[1];
  m->l.kinetic = HALF(
      ADD(SQUARE(m->v[0]), MUL(DIV(NUMBER(1), SUB(x, NUMBER(2))), SQUARE(ADD(m->v[1], m->v[0])))));
  m->force[1] = LOG(ADD(y, NUMBER(5)));
  dls_lagrangian_contact *floor = add_contact(m, "floor", LOG(y));
  floor->info.tangents = 1;
  floor->slip[0] = DIV(m->v[0], SUB(x, NUMBER(3)));
  floor->friction = DIV(m->p[0], SUB(x, NUMBER(4)));
  compile(m, (const double[]){1});
  const double good[2] = {1, 1}, v[2] = {0, 0}, nan[2] = {1, NAN}, infinite[2] = {INFINITY, 1};
  evaluate(m, 0, good, v);
  expect_failure(m, 0, nan, v, "the coordinate y is not a number");
  expect_failure(m, 0, good, infinite, "the velocity of x");
  expect_failure(m, NAN, good, v, "time");
  expect_failure(m, 0, (const double[]){2, 1}, v, "the mass matrix at (x, x)");
  expect_failure(m, 0, (const double[]){1, -5}, v, "the force on y");
  expect_failure(m, 0, (const double[]){1, -1}, v, "the gap of contact `floor`");
  expect_failure(m, 0, (const double[]){3, 1}, v, "the slip velocity of contact `floor`");
  expect_failure(m, 0, (const double[]){4, 1}, v, "the friction coefficient of contact `floor`");
  evaluate(m, 0, good, v);  // and it recovers
  model_free(m);
}

// Forces may be as rough as they like.
static void test_rough_force(void **state)
{
  (void)state;
  model *m = model_create(1, 0);
  m->l.kinetic = HALF(SQUARE(m->v[0]));
  dls_expr speed = dls_graph_make(m->g, DLS_OP_ABS, m->v[0], -1, -1);
  dls_expr late = dls_graph_make(m->g, DLS_OP_LESS, NUMBER(1), m->t, -1);
  m->force[0] = dls_graph_make(m->g, DLS_OP_IF, late, MUL(speed, m->v[0]), NUMBER(7));
  compile(m, NULL);
  evaluate(m, 0, (const double[]){0}, (const double[]){-3});
  near(m->values.F[0], -7);
  evaluate(m, 2, (const double[]){0}, (const double[]){-3});
  near(m->values.F[0], 9);
  model_free(m);
}

// Terms and nesting without end; a graph that is spoilt reports it.
static void test_large(void **state)
{
  (void)state;
  enum { DEPTH = 30000 };
  model *m = model_create(2, 0);
  dls_expr deep = m->q[0], wide = 0;
  for (int k = 0; k < DEPTH; k++) {
    deep = SIN(deep);
    wide = ADD(wide, SQUARE(ADD(MUL(NUMBER(k), m->v[0]), m->v[1])));
  }
  m->l.kinetic = HALF(wide);
  add_contact(m, "deep", deep);
  compile(m, NULL);
  const double q[2] = {0, 0}, v[2] = {1, 1};
  evaluate(m, 0, q, v);
  near(m->values.h_dot[0], 1);
  near(mass(m, 1, 1), DEPTH);
  near(mass(m, 0, 1), 0.5 * DEPTH * (DEPTH - 1.0));
  model_free(m);

  m = model_create(1, 0);
  m->g->limit = 100000;
  dls_expr e = m->q[0];
  for (int k = 0; dls_graph_status(m->g) == DLS_OK; k++) e = SIN(ADD(e, NUMBER(k + 0.5)));
  assert_int_equal(dls_graph_status(m->g), DLS_ERR_LIMIT);
  add_contact(m, "endless", e);
  assert_int_equal(dls_mechanics_compile(m->g, &m->l, &m->mechanics), DLS_ERR_LIMIT);
  assert_null(m->mechanics);
  model_free(m);
}

static void test_empty(void **state)
{
  (void)state;
  model *m = model_create(0, 0);
  compile(m, NULL);
  evaluate(m, 0, NULL, NULL);
  assert_int_equal(m->system.n, 0);
  model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_two_coordinate_systems),
      cmocka_unit_test(test_moving_pivot),
      cmocka_unit_test(test_rotating_frame),
      cmocka_unit_test(test_hoop),
      cmocka_unit_test(test_rheonomic_constraint),
      cmocka_unit_test(test_slip),
      cmocka_unit_test(test_singular_mass),
      cmocka_unit_test(test_parameters_and_repetition),
      cmocka_unit_test(test_any_arrays),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_rough_force),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
