// Configurations that are not vectors: a body in space in quaternions, with a chart of rotation
// vectors, through the schemes. References: Euler's equations, integrated here; closed forms.
#include <delassus/contact.h>
#include <delassus/integrator.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 6, NQ = 7 };

// A body with principal moments J. Its local coordinates: the position and 1 + theta, with the
// rotation R_c exp(theta) in its own axes, so that omega = T(theta) theta'.
typedef struct body {
  double m, J[3], gravity, radius, mu, e;
  double centre[4];
  bool contact;
} body;

static void cross(const double *a, const double *b, double *c)
{
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0], c[0] = x, c[1] = y;
}

static void multiply(const double *p, const double *q, double *out)
{
  const double r[] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                      p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                      p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                      p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
  memcpy(out, r, sizeof r);
}

static void rotate(const double *q, const double *a, double *out)
{
  double t[3], s[3];
  cross(q + 1, a, t);
  for (int i = 0; i < 3; i++) t[i] = 2 * t[i];
  cross(q + 1, t, s);
  for (int i = 0; i < 3; i++) out[i] = a[i] + q[0] * t[i] + s[i];
}

static void rotation_of(const double *theta, double *q)
{
  const double s = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
  const double f = s > 1e-8 ? sin(s / 2) / s : 0.5 - s * s / 48;
  q[0] = cos(s / 2);
  for (int i = 0; i < 3; i++) q[i + 1] = f * theta[i];
}

// T = I - a [theta] + b [theta]^2, and its derivative along theta_dot; row-major.
static void tangent(const double *theta, const double *rate, double *T, double *T_dot)
{
  const double s2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], s = sqrt(s2);
  const double along = theta[0] * rate[0] + theta[1] * rate[1] + theta[2] * rate[2];
  double a = 0.5 - s2 / 24 + s2 * s2 / 720, b = 1. / 6 - s2 / 120 + s2 * s2 / 5040;
  double a_dot = along * (-1. / 12 + s2 / 180), b_dot = along * (-1. / 60 + s2 / 1260);
  if (s > 0.05) {
    a = (1 - cos(s)) / s2, b = (s - sin(s)) / (s2 * s);
    a_dot = along * (s * sin(s) - 2 * (1 - cos(s))) / (s2 * s2);
    b_dot = along * (s * (1 - cos(s)) - 3 * (s - sin(s))) / (s2 * s2 * s);
  }
  for (int j = 0; j < 3; j++) {
    double unit[3] = {j == 0, j == 1, j == 2}, x[3], xx[3], r[3], rx[3], xr[3];
    cross(theta, unit, x), cross(theta, x, xx);
    cross(rate, unit, r), cross(rate, x, rx), cross(theta, r, xr);
    for (int i = 0; i < 3; i++) {
      T[3 * i + j] = unit[i] - a * x[i] + b * xx[i];
      T_dot[3 * i + j] = -a_dot * x[i] - a * r[i] + b_dot * xx[i] + b * (rx[i] + xr[i]);
    }
  }
}

static void times(const double *A, const double *x, double *y)
{
  const double r[] = {A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
                      A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
                      A[6] * x[0] + A[7] * x[1] + A[8] * x[2]};
  memcpy(y, r, sizeof r);
}

static void times_transposed(const double *A, const double *x, double *y)
{
  const double r[] = {A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
                      A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
                      A[2] * x[0] + A[5] * x[1] + A[8] * x[2]};
  memcpy(y, r, sizeof r);
}

// ---- the chart ----------------------------------------------------------------------------------

static void theta_of(const double *x, double *theta)
{
  for (int i = 0; i < 3; i++) theta[i] = x[3 + i] - 1;
}

static dls_status centre(void *self, const double *q, dls_message *message)
{
  body *b = self;
  (void)message;
  double length = 0;
  for (int i = 0; i < 4; i++) length = hypot(length, q[3 + i]);
  if (!(length > 0)) return DLS_ERR_NUMBER;
  for (int i = 0; i < 4; i++) b->centre[i] = q[3 + i] / length;
  return DLS_OK;
}

static dls_status enter(void *self, const double *q, const double *v, double *x, double *x_dot)
{
  const body *b = self;
  const double back[] = {b->centre[0], -b->centre[1], -b->centre[2], -b->centre[3]};
  double turn[4];
  multiply(back, q + 3, turn);
  const double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  const double sign = turn[0] < 0 ? -1 : 1, angle = 2 * atan2(sine, sign * turn[0]);
  for (int i = 0; i < 3; i++) {
    const double along = sine > 1e-12 ? sign * turn[1 + i] / sine * angle : 2 * sign * turn[1 + i];
    x[i] = q[i], x[3 + i] = 1 + along;
  }
  memcpy(x_dot, v, N * sizeof(double));
  if (sine > 1e-12) {  // theta' from omega = T theta', by a fixed point
    double theta[3], T[9], T_dot[9];
    theta_of(x, theta);
    tangent(theta, theta, T, T_dot);
    for (int k = 0; k < 200; k++) {
      double w[3];
      times(T, x_dot + 3, w);
      for (int i = 0; i < 3; i++) x_dot[3 + i] += v[3 + i] - w[i];
    }
  }
  return DLS_OK;
}

static void leave(void *self, const double *x, const double *x_dot, double *q, double *v)
{
  const body *b = self;
  double theta[3], turn[4], T[9], T_dot[9];
  theta_of(x, theta);
  rotation_of(theta, turn);
  memcpy(q, x, 3 * sizeof(double));
  multiply(b->centre, turn, q + 3);
  double length = 0;
  for (int i = 0; i < 4; i++) length = hypot(length, q[3 + i]);
  for (int i = 0; i < 4; i++) q[3 + i] /= length;
  tangent(theta, x_dot + 3, T, T_dot);
  memcpy(v, x_dot, 3 * sizeof(double));
  times(T, x_dot + 3, v + 3);
}

// ---- the system ---------------------------------------------------------------------------------

// The slip velocities of the lowest point of a ball: its columns, and what is not H^T x''.
static void fill_slip(const body *b, const double *T, const double *T_dot, const double *v,
                      const dls_values *out)
{
  double w[3], spin[3], turned[3];
  times_transposed(T, v + 3, w);  // the angular velocity in the axes of the centre
  rotate(b->centre, w, spin);
  times_transposed(T_dot, v + 3, w);
  rotate(b->centre, w, turned);
  out->slip[0] = v[0] - b->radius * spin[1], out->slip[1] = v[1] + b->radius * spin[0];
  out->b_t[0] = -b->radius * turned[1], out->b_t[1] = b->radius * turned[0];
  for (int i = 0; i < 3; i++) out->H[i] = i == 0, out->H[N + i] = i == 1;
  for (int j = 0; j < 3; j++) {
    const double unit[3] = {j == 0, j == 1, j == 2};
    times_transposed(T, unit, w);
    rotate(b->centre, w, spin);
    out->H[3 + j] = -b->radius * spin[1], out->H[N + 3 + j] = b->radius * spin[0];
  }
}

static dls_status evaluate(void *self, double t, const double *x, const double *v,
                           const dls_values *out, const dls_values *bound, dls_message *message)
{
  const body *b = self;
  double theta[3], T[9], T_dot[9], omega[3], turned[3], momentum[3], torque[3];
  (void)t, (void)message;
  theta_of(x, theta);
  tangent(theta, v + 3, T, T_dot);
  times(T, v + 3, omega), times(T_dot, v + 3, turned);
  for (int i = 0; i < 3; i++) momentum[i] = b->J[i] * omega[i];
  cross(omega, momentum, torque);
  for (int i = 0; i < 3; i++) torque[i] += b->J[i] * turned[i];
  for (int i = 0; i < 3; i++) out->M[i] = b->m, out->F[i] = i == 2 ? b->m * b->gravity : 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += T[3 * k + i] * b->J[k] * T[3 * k + j];
      out->M[3 + 3 * j + i] = sum;
    }
  times_transposed(T, torque, out->F + 3);
  if (b->contact) {
    out->h[0] = x[2] - b->radius, out->h_dot[0] = v[2], out->b_n[0] = 0;
    out->G[0] = 1;
    out->friction[0] = b->mu, out->restitution[0] = b->e;
    fill_slip(b, T, T_dot, v, out);
  }
  if (bound) {
    memset(bound->M, 0, 12 * sizeof(double)), memset(bound->F, 0, N * sizeof(double));
    if (b->contact) {
      bound->h[0] = bound->h_dot[0] = bound->b_n[0] = bound->G[0] = 0;
      memset(bound->slip, 0, 2 * sizeof(double)), memset(bound->b_t, 0, 2 * sizeof(double));
      memset(bound->H, 0, 2 * N * sizeof(double));
    }
  }
  return DLS_OK;
}

static dls_status energy(void *self, double t, const double *x, const double *v, double *kinetic,
                         double *potential, dls_message *message)
{
  const body *b = self;
  double theta[3], T[9], T_dot[9], omega[3];
  (void)t, (void)message;
  theta_of(x, theta);
  tangent(theta, v + 3, T, T_dot);
  times(T, v + 3, omega);
  *kinetic = 0, *potential = b->m * b->gravity * x[2];
  for (int i = 0; i < 3; i++)
    *kinetic += 0.5 * b->m * v[i] * v[i] + 0.5 * b->J[i] * omega[i] * omega[i];
  return DLS_OK;
}

static const char *const numbers[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const velocities[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const dls_chart chart = {NQ, numbers, centre, enter, leave};
static const dls_contact_info floor_info[] = {{"floor", DLS_UNILATERAL, 2, 0}};
static const int mass_p[] = {0, 1, 2, 3, 6, 9, 12}, mass_i[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5};
static const int normal_p[] = {0, 1}, normal_i[] = {2};
static const int slip_p[] = {0, 6, 12}, slip_i[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
static const int none[] = {0};

static dls_system system_of(body *b)
{
  return (dls_system){.n = N,
                      .m = b->contact,
                      .slips = b->contact ? 2 : 0,
                      .coordinates = velocities,
                      .contacts = floor_info,
                      .mass = {N, N, mass_p, mass_i},
                      .normal = {N, b->contact, b->contact ? normal_p : none, normal_i},
                      .tangent = {N, b->contact ? 2 : 0, b->contact ? slip_p : none, slip_i},
                      .self = b,
                      .evaluate = evaluate,
                      .energy = energy,
                      .chart = &chart};
}

// ---- Euler's equations, by themselves -----------------------------------------------------------

static void euler_rate(const double *J, const double *y, double *rate)  // y: quaternion, omega
{
  const double w[] = {0, y[4], y[5], y[6]};
  double momentum[3], torque[3];
  multiply(y, w, rate);
  for (int i = 0; i < 4; i++) rate[i] /= 2;
  for (int i = 0; i < 3; i++) momentum[i] = J[i] * y[4 + i];
  cross(y + 4, momentum, torque);
  for (int i = 0; i < 3; i++) rate[4 + i] = -torque[i] / J[i];
}

static void euler_run(const double *J, double until, int steps, double *y)
{
  const double h = until / steps;
  for (int k = 0; k < steps; k++) {
    double a[7], b[7], c[7], d[7], z[7];
    euler_rate(J, y, a);
    for (int i = 0; i < 7; i++) z[i] = y[i] + h / 2 * a[i];
    euler_rate(J, z, b);
    for (int i = 0; i < 7; i++) z[i] = y[i] + h / 2 * b[i];
    euler_rate(J, z, c);
    for (int i = 0; i < 7; i++) z[i] = y[i] + h * c[i];
    euler_rate(J, z, d);
    for (int i = 0; i < 7; i++) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
}

static const double start_q[NQ] = {0.3, -2, 5, 0.5, 0.5, -0.5, 0.5};

static dls_sample run(body *b, dls_system *s, const char *scheme, double step, double until,
                      const double *q, const double *v, double *out_q, double *out_v)
{
  double q0[NQ], v0[N];
  memcpy(q0, q, sizeof q0), memcpy(v0, v, sizeof v0);
  *s = system_of(b);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  dls_integrator *g = NULL;
  dls_message message = {""};
  const dls_state start = {0, q0, v0};
  if (dls_integrator_create(s, &start, &options, &g, &message) != DLS_OK)
    fail_msg("%s: %s", scheme, message.text);
  while (dls_integrator_sample(g).t < until) {
    dls_failure failure;
    if (dls_integrator_advance(g, until, &failure, &message) != DLS_OK || failure)
      fail_msg("%s: %s", scheme, message.text);
  }
  const dls_sample m = dls_integrator_sample(g);
  assert_int_equal(m.nq, NQ);
  memcpy(out_q, m.q, NQ * sizeof(double)), memcpy(out_v, m.v, N * sizeof(double));
  double kinetic, potential;
  assert_int_equal(dls_integrator_energy(g, &kinetic, &potential, NULL), DLS_OK);
  dls_integrator_free(g);
  return (dls_sample){.t = m.t, .next_step = kinetic + potential};
}

// How far two orientations are apart.
static double apart(const double *p, const double *q)
{
  double same = 0, other = 0;
  for (int i = 0; i < 4; i++) same += pow(p[i] - q[i], 2), other += pow(p[i] + q[i], 2);
  return 2 * sqrt(fmin(same, other));
}

// A free top near its unstable axis: the order of each scheme.
static void test_top(void **state)
{
  (void)state;
  static const struct {
    const char *scheme;
    double order;
  } rows[] = {{"moreau", 1}, {"schatzman-paoli", 1}, {"herk2", 2}, {"herk3", 3},
              {"herk4", 4},  {"herk5", 5},           {"lcp", 1},   {"moreau-projected", 1}};
  const double v[N] = {1, 0.5, 2, 0.3, 2, -0.4};
  body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 9.81};
  dls_system s;
  double y[7] = {0.5, 0.5, -0.5, 0.5, v[3], v[4], v[5]};
  euler_run(b.J, 2, 40000, y);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double error[2], q[NQ], w[N];
    for (int half = 0; half < 2; half++) {
      run(&b, &s, rows[k].scheme, half ? 0.01 : 0.02, 2, start_q, v, q, w);
      error[half] = apart(q + 3, y);
    }
    const double order = log2(error[0] / error[1]);
    if (!(order > rows[k].order - 0.25) || !(error[1] < 1))
      fail_msg("%s: errors %g and %g, order %.2f", rows[k].scheme, error[0], error[1], order);
    assert_true(fabs(q[0] - (start_q[0] + 2 * v[0])) < 1e-9);
    if (rows[k].order > 1) assert_true(fabs(q[2] - (5 + 4 - 9.81 * 2)) < 1e-9);
  }
}

// Angular momentum in space and energy of the top, with the centre moving along for many turns.
static void test_long(void **state)
{
  (void)state;
  const double v[N] = {0, 0, 0, 0.3, 2, -0.4};
  body b = {.m = 2, .J = {1, 2, 3.5}};
  dls_system s;
  double q[NQ], w[N], before[3], after[3], momentum[3], first = 0;
  for (int i = 0; i < 3; i++) momentum[i] = b.J[i] * v[3 + i], first += momentum[i] * v[3 + i] / 2;
  rotate(start_q + 3, momentum, before);
  const double last = run(&b, &s, "herk5", 0.02, 50, start_q, v, q, w).next_step;
  for (int i = 0; i < 3; i++) momentum[i] = b.J[i] * w[3 + i];
  rotate(q + 3, momentum, after);
  for (int i = 0; i < 3; i++)
    if (!(fabs(after[i] - before[i]) < 1e-6)) fail_msg("%g is not %g", after[i], before[i]);
  assert_true(fabs(last - first) < 1e-6 * first);
}

// A ball with back spin is thrown on a floor, bounces once and slides until it rolls: closed forms.
static void test_ball(void **state)
{
  (void)state;
  const double r = 0.5, g = 10, mu = 0.3, e = 0.5, spin = -12, speed = 3, height = 1.25 + r;
  const double q0[NQ] = {0, 0, height, 0.5, 0.5, -0.5, 0.5};
  // the spin about the world's y, in the body's axes
  const double world[3] = {0, spin, 0}, back[] = {0.5, -0.5, 0.5, -0.5};
  double v0[N] = {speed, 0, 0}, q[NQ], v[N];
  rotate(back, world, v0 + 3);
  static const char *const schemes[] = {"herk2", "herk4", "herk5"};
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    body b = {.m = 2,
              .J = {0.2, 0.2, 0.2},
              .gravity = g,
              .radius = r,
              .mu = mu,
              .e = e,
              .contact = true};  // 0.2 = 2/5 m r^2
    dls_system s;
    run(&b, &s, schemes[k], 0.01, 0.75, q0, v0, q, v);
    // the first impact, at t = 0.5 with 5 m/s: friction slides throughout, slip 3 + 6 > 7/2 mu 7.5
    const double change = mu * (1 + e) * 5;
    const double x = 0.5 * speed + 0.25 * (speed - change);
    if (!(fabs(q[0] - x) < 1e-6 && fabs(v[0] - (speed - change)) < 1e-6))
      fail_msg("%s: x = %.12g, not %.12g", schemes[k], q[0], x);
    double now[3];
    rotate(q + 3, v + 3, now);
    const double turned = spin + change * 2.5 / r;  // 5/2 change / r
    if (!(fabs(now[1] - turned) < 1e-5))
      fail_msg("%s: spin %.12g, not %.12g", schemes[k], now[1], turned);
    run(&b, &s, schemes[k], 0.01, 6, q0, v0, q,
        v);  // it rolls by then: v = r w, momentum about a point
    rotate(q + 3, v + 3, now);
    const double rolls = (speed + 0.4 * r * spin) / 1.4;  // kept: v + 2/5 r w
    if (!(fabs(v[0] - rolls) < 1e-6 && fabs(now[1] * r - rolls) < 1e-6))
      fail_msg("%s: rolls with %.12g and %.12g, not %.12g", schemes[k], v[0], r * now[1], rolls);
    assert_true(fabs(q[2] - r) < 1e-8);
  }
}

// A moment that is taken up again goes on to the same bits.
static void test_restart(void **state)
{
  (void)state;
  static const char *const schemes[] = {"moreau", "schatzman-paoli", "herk4"};
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 9.81}, c = b;
    dls_system s = system_of(&b), other = system_of(&c);
    double q[NQ], v[N] = {1, 0.5, 2, 0.3, 2, -0.4};
    memcpy(q, start_q, sizeof q);
    const dls_state start = {0, q, v};
    dls_integrator_options options = dls_integrator_defaults();
    options.scheme = schemes[k], options.step = 0.01;
    dls_integrator *first, *second;
    dls_failure failure;
    assert_int_equal(dls_integrator_create(&s, &start, &options, &first, NULL), DLS_OK);
    assert_int_equal(dls_integrator_create(&other, &start, &options, &second, NULL), DLS_OK);
    for (int i = 0; i < 30; i++) {
      if (i == 17) {
        const dls_sample m = dls_integrator_sample(first);
        assert_int_equal(dls_integrator_restart(second, &m, NULL), DLS_OK);
      }
      assert_int_equal(dls_integrator_advance(first, 1, &failure, NULL), DLS_OK);
      if (i >= 17) assert_int_equal(dls_integrator_advance(second, 1, &failure, NULL), DLS_OK);
    }
    const dls_sample x = dls_integrator_sample(first), y = dls_integrator_sample(second);
    assert_memory_equal(x.q, y.q, NQ * sizeof(double));
    assert_memory_equal(x.v, y.v, N * sizeof(double));
    dls_integrator_free(first), dls_integrator_free(second);
  }
}

// The contact problem at a state, and a state put on the floor.
static void test_state(void **state)
{
  (void)state;
  body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 10, .radius = 0.5, .mu = 0.3, .contact = true};
  dls_system s = system_of(&b);
  double q[NQ] = {0.3, -2, 0.4, 0.5, 0.5, -0.5, 0.5}, v[N] = {1, 0, 0, 0.1, 0.2, 0.3};
  dls_state at = {0, q, v};
  dls_contact_state *x = NULL;
  assert_int_equal(dls_contact_state_create(&s, &at, NULL, &x, NULL), DLS_ERR_STATE);
  dls_projection moved;
  assert_int_equal(dls_state_project(&s, &at, NULL, &moved, NULL), DLS_OK);
  assert_true(fabs(q[2] - 0.5) < 1e-9 && fabs(moved.moved_q - 0.1) < 1e-9);
  assert_true(apart(q + 3, start_q + 3) < 1e-12);
  assert_int_equal(dls_contact_state_create(&s, &at, NULL, &x, NULL), DLS_OK);
  assert_int_equal(x->nq, NQ);
  assert_int_equal(x->contacts[0].status, DLS_SLIDING);
  double spin[3];
  rotate(q + 3, v + 3, spin);
  assert_true(fabs(x->contacts[0].slip[0] - (1 - 0.5 * spin[1])) < 1e-12);
  dls_contact_state_free(x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_top), cmocka_unit_test(test_long),
                                     cmocka_unit_test(test_ball), cmocka_unit_test(test_restart),
                                     cmocka_unit_test(test_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
