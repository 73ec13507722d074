// Bodies in model texts: what they mean, against the same models written as Lagrangian systems.
#include "language.h"

#include "cases.h"

#include <delassus/output.h>

#include <float.h>

typedef struct loaded {
  dls_model *model;
  dls_system *system;
  dls_values *value, *bound;
  dls_state state;
} loaded;

static loaded load(const char *text)
{
  loaded l = {0};
  dls_diagnostics d = {0};
  dls_message message = {0};
  if (dls_model_parse(text, strlen(text), &l.model, &d) != DLS_OK)
    fail_msg("line %d, column %d: %s", d.item[0].line, d.item[0].column, d.item[0].message);
  if (dls_model_system_with(l.model, &l.system, &message) != DLS_OK) fail_msg("%s", message.text);
  l.state.q = calloc((size_t)dls_system_nq(l.system) + 1, sizeof(double));
  l.state.v = calloc((size_t)l.system->n + 1, sizeof(double));
  assert_non_null(l.state.q);
  assert_non_null(l.state.v);
  return l;
}

// All contacts of the text are there.
static void select_all(loaded *l)
{
  int count = 0;
  const uint64_t *id = NULL;
  dls_system *s = l->system;
  if (s->find) {
    assert_int_equal(s->find(s->self, 0, l->state.q, l->state.v, 1e6, 0, &count, &id, NULL),
                     DLS_OK);
    assert_int_equal(s->select(s->self, count, id, NULL), DLS_OK);
  }
  dls_values_free(l->value);
  dls_values_free(l->bound);
  assert_int_equal(dls_values_create(s, &l->value), DLS_OK);
  assert_int_equal(dls_values_create(s, &l->bound), DLS_OK);
}

static void evaluate(loaded *l, double t, const double *q, const double *v)
{
  dls_message message = {0};
  const dls_system *s = l->system;
  if (s->evaluate(s->self, t, q, v, l->value, l->bound, &message) != DLS_OK)
    fail_msg("%s", message.text);
}

static void unload(loaded *l)
{
  dls_values_free(l->value);
  dls_values_free(l->bound);
  free(l->state.q);
  free(l->state.v);
  dls_system_free(l->system);
  dls_model_free(l->model);
}

static double at(const dls_pattern *p, const double *x, int row, int column)
{
  for (int k = p->p[column]; k < p->p[column + 1]; k++)
    if (p->i[k] == row) return x[k];
  return 0;
}

// Two numbers that are one: the bounds of their errors must allow the difference, and be small.
static void same(double a, double b, double a_bound, double b_bound, double size, const char *what)
{
  if (!(fabs(a - b) <= a_bound + b_bound))
    fail_msg("%s: %.17g, %.17g, bounds %g, %g", what, a, b, a_bound, b_bound);
  if (!(a_bound <= 1e-11 * (size + fabs(a))))
    fail_msg("%s: %g with a bound of %g", what, a, a_bound);
}

static void compare_matrices(const dls_pattern *p, const double *x, const double *e,
                             const dls_pattern *q, const double *y, const double *f,
                             const char *what)
{
  assert_int_equal(p->rows, q->rows);
  assert_int_equal(p->cols, q->cols);
  for (int j = 0; j < p->cols; j++)
    for (int i = 0; i < p->rows; i++)
      same(at(p, x, i, j), at(q, y, i, j), at(p, e, i, j), at(q, f, i, j), 100, what);
}

// ---- a pendulum of two boxes, with a slider that the text knows ---------------------------------

#define BODIES                                                                                    \
  "gravity 0, 0, -g\n"                                                                            \
  "body a { box 0.4, 0.1, 0.1; mass 2; position 0.2, 0, 0 }\n"                                    \
  "body b { box 0.3, 0.1, 0.05; mass 1; position 0.55, 0, 0 }\n"                                  \
  "joint p: hinge world, a { anchor 0, 0, 0; axis 0, -1, 0 }\n"                                   \
  "joint r: hinge a, b { anchor 0.4, 0, 0; axis 0, -2, 0; damping 0.3; stiffness 2; rest 0.1 }\n" \
  "contact * * none\n"                                                                            \
  "let tip = point b (0.15, 0, 0.02)\n"                                                           \
  "let bx = b.x, bz = b.z, turning = -b.spin.y\n"
#define WRITTEN                                                                       \
  "coordinate p, r\n"                                                                 \
  "let w = p' + r', th = p + r\n"                                                     \
  "let tip = (0.4*cos(p) + 0.3*cos(th) - 0.02*sin(th), 0,\n"                          \
  "           0.4*sin(p) + 0.3*sin(th) + 0.02*cos(th))\n"                             \
  "let tip_x = -0.4*sin(p)*p' - (0.3*sin(th) + 0.02*cos(th))*w\n"                     \
  "let tip_z = 0.4*cos(p)*p' + (0.3*cos(th) - 0.02*sin(th))*w\n"                      \
  "let bx = 0.4*cos(p) + 0.15*cos(th), bz = 0.4*sin(p) + 0.15*sin(th), turning = w\n" \
  "let bxd = -0.4*sin(p)*p' - 0.15*sin(th)*w, bzd = 0.4*cos(p)*p' + 0.15*cos(th)*w\n" \
  "kinetic 2/2*0.2^2*p'^2 + 2/24*(0.4^2 + 0.1^2)*p'^2\n"                              \
  "kinetic (bxd^2 + bzd^2)/2 + (0.3^2 + 0.05^2)/24*w^2\n"                             \
  "potential 2*g*0.2*sin(p) + g*bz + (r - 0.1)^2\n"                                   \
  "dissipation 0.3/2*r'^2\n"
#define SHARED                               \
  "coordinate s = 0.3\n"                     \
  "potential 50*(tip.x - s)^2 + 0.1*bz*bx\n" \
  "force p = -2*p - 0.1*p'*p', s = 1\n"

static const char of_bodies[] =
    "parameter g = 9.81\n" BODIES SHARED "kinetic (s' + tip.x')^2/2\ndissipation 0.3*turning^2\n"
    "force b = (1, 0, t), tip = (0.1*abs(tip.x), 5, 0)\n"
    "torque b = (0, -0.3, 0)\n"
    "unilateral wall: 1 + tip.x - s >= 0 { slip tip.z'; friction 0.3 + 0.1*sin(tip.x); restitution "
    "0.5 }\n"
    "unilateral top: 2 - tip.z >= 0\n"
    "bilateral rod: tip.z^2 + s = 1\n"
    "rolling roll: turning + s' = 2*tip.x'\n"
    "output d = norm(tip), e = energy, w = tip.x'\n";
static const char written[] =
    "parameter g = 9.81\n" WRITTEN SHARED "kinetic (s' + tip_x)^2/2\ndissipation 0.3*turning^2\n"
    "let jb = t*0.15*cos(th) - 0.15*sin(th), jt = 0.1*abs(tip.x)\n"
    "force p = -0.4*sin(p) + t*0.4*cos(p) + jb + 0.3 - jt*(0.4*sin(p) + 0.3*sin(th) + "
    "0.02*cos(th))\n"
    "force r = jb + 0.3 - jt*(0.3*sin(th) + 0.02*cos(th))\n"
    "unilateral wall: 1 + tip.x - s >= 0 { slip tip_z; friction 0.3 + 0.1*sin(tip.x); restitution "
    "0.5 }\n"
    "unilateral top: 2 - tip.z >= 0\n"
    "bilateral rod: tip.z^2 + s = 1\n"
    "rolling roll: turning + s' = 2*tip_x\n"
    "output d = norm(tip), e = energy, w = tip_x\n";

static void test_bodies_and_text_are_one_system(void **state)
{
  (void)state;
  loaded a = load(of_bodies), b = load(written);
  // the text's order is that of the other: rod, roll, wall, top
  select_all(&a);
  static const int order[] = {2, 3, 0, 1};
  unsigned long seed = 7;
  select_all(&b);
  for (int trial = 0; trial < 200; trial++) {
    double q[3], v[3], t;
    for (int i = 0; i < 3; i++) {
      seed = seed * 6364136223846793005UL + 1442695040888963407UL;
      q[i] = (double)(seed >> 11) / 9007199254740992.0 * 6 - 3;
      seed = seed * 6364136223846793005UL + 1442695040888963407UL;
      v[i] = (double)(seed >> 11) / 9007199254740992.0 * 8 - 4;
    }
    t = 0.1 * trial;
    evaluate(&a, t, q, v);
    evaluate(&b, t, q, v);
    const dls_system *s = a.system, *r = b.system;
    const dls_values *x = a.value, *y = b.value, *e = a.bound, *f = b.bound;
    compare_matrices(&s->mass, x->M, e->M, &r->mass, y->M, f->M, "M");
    for (int i = 0; i < 3; i++) same(x->F[i], y->F[i], e->F[i], f->F[i], 1000, "F");
    for (int j = 0; j < 4; j++) {
      const int k = order[j];
      assert_string_equal(s->contacts[j].name, r->contacts[k].name);
      for (int i = 0; i < 3; i++)
        same(at(&s->normal, x->G, i, j), at(&r->normal, y->G, i, k), at(&s->normal, e->G, i, j),
             at(&r->normal, f->G, i, k), 10, "G");
      same(x->h[j], y->h[k], e->h[j], f->h[k], 10, "h");
      same(x->h_dot[j], y->h_dot[k], e->h_dot[j], f->h_dot[k], 10, "h_dot");
      same(x->b_n[j], y->b_n[k], e->b_n[j], f->b_n[k], 1000, "b_n");
      same(x->friction[j], y->friction[k], e->friction[j], f->friction[k], 1, "friction");
      same(x->restitution[j], y->restitution[k], e->restitution[j], f->restitution[k], 1, "e");
    }
    compare_matrices(&s->tangent, x->H, e->H, &r->tangent, y->H, f->H, "H");
    same(x->slip[0], y->slip[0], e->slip[0], f->slip[0], 10, "slip");
    same(x->b_t[0], y->b_t[0], e->b_t[0], f->b_t[0], 1000, "b_t");
    double out[2][3], T[2], V[2];
    assert_int_equal(dls_model_outputs(s, t, q, v, NULL, out[0]), DLS_OK);
    assert_int_equal(dls_model_outputs(r, t, q, v, NULL, out[1]), DLS_OK);
    assert_true(fabs(out[0][0] - out[1][0]) <= 1e-13);
    assert_true(fabs(out[0][2] - out[1][2]) <= 1e-12);
    assert_int_equal(s->energy(s->self, t, q, v, &T[0], &V[0], NULL), DLS_OK);
    assert_int_equal(r->energy(r->self, t, q, v, &T[1], &V[1], NULL), DLS_OK);
    assert_true(fabs(T[0] - T[1]) <= 1e-12 * (1 + fabs(T[1])));
    assert_true(fabs(V[0] - V[1]) <= 1e-11 * (1 + fabs(V[1])));
  }
  unload(&a);
  unload(&b);
}

// ---- a free body that spins, springs to points of it
// ---------------------------------------------

static void solve(int n, double *A, double *b)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    for (int j = 0; j < n; j++) {
      const double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
    }
    const double other = b[k];
    b[k] = b[best], b[best] = other;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
}

static double total_energy(const dls_system *s, const double *x, const double *x_dot)
{
  double T, V;
  assert_int_equal(s->energy(s->self, 0, x, x_dot, &T, &V, NULL), DLS_OK);
  return T + V;
}

// What the bodies and the text share keeps its energy, and gaps, slips and their rates belong
// together: differences along the motion, of eighth order.
static void test_a_spinning_body(void **state)
{
  (void)state;
  loaded l =
      load("parameter g = 9.81\n"
           "gravity 0, 0, -g\n"
           "body top { box 0.3, 0.2, 0.1; mass 2; position 0, 0, 1; velocity 1, -2, 0.5; spin 3, "
           "5, -2 }\n"
           "body arm { capsule 0.05, 0.4 { position 0, 0, 0.2 }; density 800; position 2, 0, 0 }\n"
           "joint j: ball world, arm { anchor 2, 0, 0 }\n"
           "contact * * none\n"
           "let tip = point top (0.15, 0.1, 0.05), end = point arm (0, 0, 0.4)\n"
           "coordinate s = 0.4\n"
           "velocity s = 2\n"
           "kinetic 0.7*(s' + tip.z')^2 + 0.05*dot(top.velocity, top.velocity)*(1 + s^2)\n"
           "kinetic 0.2*(tip.x' - end.y')^2\n"
           "potential 30*dot(tip - end, tip - end)*(1 + 0.1*s) + 5*s^2\n"
           "unilateral gap: norm(tip - end) - 0.2*s >= 0 { slip dot(tip, top.spin), s' - end.x'; "
           "friction 0.3 }\n"
           "bilateral joined: dot(tip, end) = s\n"
           "state moving: j.rx' = 1, j.ry' = -2, j.rz' = 0.3, j.qx = 0.3, j.qw = 0.8\n");
  dls_message message = {0};
  if (dls_model_state(l.system, "moving", &l.state, &message) != DLS_OK)
    fail_msg("%s", message.text);
  dls_system *s = l.system;
  assert_int_equal(s->chart->centre(s->self, l.state.q, NULL), DLS_OK);
  const int n = s->n;
  assert_int_equal(n, 10);
  double x[10], x_dot[10], A[100], a[10];
  assert_int_equal(s->chart->enter(s->self, l.state.q, l.state.v, x, x_dot), DLS_OK);
  for (int i = 0; i < n; i++) x[i] += 0.1 * sin(i + 1.0);  // away from the centre, too
  select_all(&l);
  evaluate(&l, 0, x, x_dot);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i * n + j] = at(&s->mass, l.value->M, i, j);
    a[i] = -l.value->F[i];
  }
  solve(n, A, a);
  static const double weight[] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double energy = 0, gap[2] = {0}, rate[2] = {0}, slip[2] = {0};
  double G[2] = {0}, b_n[2], h_dot[2], T[2] = {0}, b_t[2];
  for (int j = 0; j < 2; j++) {
    b_n[j] = l.value->b_n[j], h_dot[j] = l.value->h_dot[j], b_t[j] = l.value->b_t[j];
    for (int i = 0; i < n; i++) {
      G[j] += at(&s->normal, l.value->G, i, j) * a[i];
      T[j] += at(&s->tangent, l.value->H, i, j) * a[i];
    }
  }
  const double step = 1e-3;
  for (int k = -4; k <= 4; k++) {
    if (k == 0) continue;
    double y[10], w[10];
    const double h = k * step, c = (k > 0 ? 1 : -1) * weight[abs(k)] / step;
    for (int i = 0; i < n; i++)
      y[i] = x[i] + h * x_dot[i] + h * h / 2 * a[i], w[i] = x_dot[i] + h * a[i];
    energy += c * total_energy(s, y, w);
    evaluate(&l, 0, y, w);
    for (int j = 0; j < 2; j++) {
      gap[j] += c * l.value->h[j];
      rate[j] += c * l.value->h_dot[j];
      slip[j] += c * l.value->slip[j];
    }
  }
  if (!(fabs(energy) <= 1e-8)) fail_msg("energy %g", energy);
  for (int j = 0; j < 2; j++) {
    assert_true(fabs(gap[j] - h_dot[j]) <= 1e-9);
    assert_true(fabs(rate[j] - G[j] - b_n[j]) <= 1e-7);
    assert_true(fabs(slip[j] - T[j] - b_t[j]) <= 1e-7);
  }
  unload(&l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bodies_and_text_are_one_system),
      cmocka_unit_test(test_a_spinning_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
