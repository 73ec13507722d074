// Configurations that are not vectors: a body in space in quaternions, with a chart of rotation
// vectors, through the schemes. References: Euler's equations, integrated here; closed forms.
#include "body.h"
#include "differences.h"

#include <delassus/contact.h>
#include <delassus/integrator.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

enum { N = BODY_N, NQ = BODY_NQ };

// ---- Euler's equations, by themselves -----------------------------------------------------------

static void euler_rate(const double *J, const double *y, double *rate)  // y: quaternion, omega
{
  const double w[] = {0, y[4], y[5], y[6]};
  quaternion_multiply(y, w, rate);
  for (int i = 0; i < 4; i++) rate[i] /= 2;
  for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++)
    rate[4 + i] = (J[j] - J[k]) / J[i] * y[4 + j] * y[4 + k];
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
  *s = body_system(b);
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

// The order of a scheme in the orientation of a top; 0: it chooses its steps itself.
static double order_of(const char *scheme)
{
  static const struct {
    const char *scheme;
    double order;
  } rows[] = {{"herk2", 2},    {"herk3", 3},           {"herk4", 4},
              {"herk5", 5},    {"herk8", 8},           {"radau3", 3},
              {"radau5", 5},   {"lobatto2", 2},        {"lobatto4", 4},
              {"lobatto6", 6}, {"moreau-adaptive", 0}, {"moreau-variable-order", 0}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (strcmp(scheme, rows[k].scheme) == 0) return rows[k].order;
  return 1;
}

// A free top near its unstable axis, by every scheme.
static void test_top(void **state)
{
  (void)state;
  const double v[N] = {1, 0.5, 2, 0.3, 2, -0.4};
  body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 9.81};
  dls_system s;
  double y[7] = {0.5, 0.5, -0.5, 0.5, v[3], v[4], v[5]};
  euler_run(b.J, 2, 40000, y);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const char *scheme = dls_scheme_info_at(k)->name;
    const double expected = order_of(scheme), step = expected > 6 ? 0.2 : expected > 4 ? 0.1 : 0.02;
    double error[2], q[NQ], w[N];
    for (int half = 0; half < 2; half++) {
      at_case("%s, half %d", scheme, half);
      run(&b, &s, scheme, half ? step / 2 : step, 2, start_q, v, q, w);
      error[half] = apart(q + 3, y);
    }
    const double order = log2(error[0] / error[1]);
    if ((expected > 0 && !(order > expected - 0.25)) || !(error[1] < 0.1))
      fail_msg("%s: errors %g and %g, order %.2f", scheme, error[0], error[1], order);
    if (!(fabs(q[0] - (start_q[0] + 2 * v[0])) < 1e-9)) fail_msg("%s: x = %.12g", scheme, q[0]);
    if (expected > 1 && !(fabs(q[2] - (5 + 4 - 9.81 * 2)) < 1e-9))
      fail_msg("%s: z = %.12g", scheme, q[2]);
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
  quaternion_rotate(start_q + 3, momentum, before);
  const double last = run(&b, &s, "herk5", 0.02, 50, start_q, v, q, w).next_step;
  for (int i = 0; i < 3; i++) momentum[i] = b.J[i] * w[3 + i];
  quaternion_rotate(q + 3, momentum, after);
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
  quaternion_rotate(back, world, v0 + 3);
  static const char *const schemes[] = {"herk2",  "herk3",    "herk4",    "herk5",    "radau3",
                                        "radau5", "lobatto2", "lobatto4", "lobatto6", "herk8"};
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    at_case("%s", schemes[k]);
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
    quaternion_rotate(q + 3, v + 3, now);
    const double turned = spin + change * 2.5 / r;  // 5/2 change / r
    if (!(fabs(now[1] - turned) < 1e-5))
      fail_msg("%s: spin %.12g, not %.12g", schemes[k], now[1], turned);
    run(&b, &s, schemes[k], 0.01, 6, q0, v0, q,
        v);  // it rolls by then: v = r w, momentum about a point
    quaternion_rotate(q + 3, v + 3, now);
    const double rolls = (speed + 0.4 * r * spin) / 1.4;  // kept: v + 2/5 r w
    if (!(fabs(v[0] - rolls) < 1e-6 && fabs(now[1] * r - rolls) < 1e-6))
      fail_msg("%s: rolls with %.12g and %.12g, not %.12g", schemes[k], v[0], r * now[1], rolls);
    assert_true(fabs(q[2] - r) < 1e-8);
  }
}

// The first impact, as it is told: the configuration and both velocities, not local coordinates.
typedef struct told {
  int impacts;
  double t, q[NQ], before[N], after[N];
} told;

static void remember(void *self, const dls_event *event)
{
  told *first = self;
  if (event->kind != DLS_EVENT_IMPACT || first->impacts++ > 0) return;
  first->t = event->t;
  memcpy(first->q, event->q, sizeof first->q);
  memcpy(first->before, event->v_before, sizeof first->before);
  memcpy(first->after, event->v_after, sizeof first->after);
}

static void test_events(void **state)
{
  (void)state;
  const double spin[] = {0.3, -12, 0.4}, angle = 0.5 * 12.010412149464313;
  double q[NQ] = {0, 0, 1.75, 0.5, 0.5, -0.5, 0.5}, v[N] = {3, 0, 0, 0.3, -12, 0.4}, there[4];
  body b = {.m = 2, .J = {0.2, 0.2, 0.2}, .gravity = 10, .radius = 0.5, .e = 0.5, .contact = true};
  const dls_system s = body_system(&b);
  const dls_state start = {0, q, v};
  double turn[] = {cos(angle / 2), 0, 0, 0};
  for (int i = 0; i < 3; i++) turn[1 + i] = sin(angle / 2) * spin[i] * 0.5 / angle;
  quaternion_multiply(start_q + 3, turn, there);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    if (!info->events) continue;
    told first = {0};
    dls_integrator_options options = dls_integrator_defaults();
    options.scheme = info->name, options.step = 0.01;
    options.event = remember, options.self = &first;
    dls_integrator *g;
    dls_failure failure;
    if (dls_integrator_create(&s, &start, &options, &g, NULL) != DLS_OK) fail_msg("%s", info->name);
    while (dls_integrator_sample(g).t < 0.6)
      if (dls_integrator_advance(g, 0.6, &failure, NULL) != DLS_OK || failure)
        fail_msg("%s", info->name);
    dls_integrator_free(g);
    double worst = fabs(first.t - 0.5) + fabs(first.q[0] - 1.5) + fabs(first.q[2] - 0.5) +
                   fabs(first.before[2] + 5) + fabs(first.after[2] - 2.5);
    for (int i = 0; i < 3; i++)
      worst += fabs(first.before[3 + i] - spin[i]) + fabs(first.after[3 + i] - spin[i]);
    if (first.impacts != 1 || !(worst < 1e-6) || !(apart(first.q + 3, there) < 1e-6))
      fail_msg("%s: %d impacts, wrong by %g, %g", info->name, first.impacts, worst,
               apart(first.q + 3, there));
  }
}

// The derivatives of the system above are exact: what implicit schemes do here is theirs.
static void test_derivatives(void **state)
{
  (void)state;
  body b = {.m = 2,
            .J = {1, 2, 3.5},
            .gravity = 10,
            .radius = 0.5,
            .centre = {0.5, 0.5, -0.5, 0.5},
            .contact = true};
  const dls_system s = body_system(&b);
  assert_int_equal(dls_system_validate(&s, NULL), DLS_OK);
  dls_derivatives *d;
  assert_int_equal(dls_derivatives_create(&s, &d), DLS_OK);
  for (int far = 0; far < 2; far++) {  // around the centre, by the series, and away from it
    at_case("far %d", far);
    const double way = far ? 1 : 0.05;
    double q[] = {1, 2, 0.5, 1 + 0.3 * way, 1 - 0.5 * way, 1 + 0.7 * way};
    double v[] = {1, -2, 3, 0.4, 2, -1}, a[] = {3, 1, 4, -1, 0.5, 9}, lambda[] = {2},
           tau[] = {3, -4};
    point x = {0, q, v, a, lambda, tau};
    double by_differences[64], exact[64];
    const int count = equations_count(&s);
    assert_int_equal(s.differentiate(s.self, 0, q, v, a, lambda, tau, d, NULL), DLS_OK);
    for (int column = 0; column < 2 * N; column++) {
      equations_difference(&s, &x, column / N, column % N, 0x1p-8 * way, by_differences);
      equations_exact(&s, d, column / N, column % N, exact);
      for (int i = 0; i < (column < N ? count : N + 3); i++)  // D_v = G^T, S_v = H^T
        if (!(fabs(exact[i] - by_differences[i]) < 1e-8))
          fail_msg("far %d, column %d, row %d: %.12g is not %.12g", far, column, i, exact[i],
                   by_differences[i]);
    }
  }
  dls_derivatives_free(d);
}

// A moment that is taken up again goes on to the same bits.
static void test_restart(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const char *scheme = dls_scheme_info_at(k)->name;
    at_case("%s", scheme);
    body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 9.81}, c = b;
    dls_system s = body_system(&b), other = body_system(&c);
    double q[NQ], v[N] = {1, 0.5, 2, 0.3, 2, -0.4};
    memcpy(q, start_q, sizeof q);
    const dls_state start = {0, q, v};
    dls_integrator_options options = dls_integrator_defaults();
    options.scheme = scheme, options.step = 0.01;
    dls_integrator *first, *second;
    dls_failure failure;
    assert_int_equal(dls_integrator_create(&s, &start, &options, &first, NULL), DLS_OK);
    assert_int_equal(dls_integrator_create(&other, &start, &options, &second, NULL), DLS_OK);
    for (int i = 0; i < 30; i++) {
      if (i == 17) {
        const dls_sample m = dls_integrator_sample(first);
        dls_message message;
        if (dls_integrator_restart(second, &m, &message) != DLS_OK)
          fail_msg("%s: %s", scheme, message.text);
      }
      assert_int_equal(dls_integrator_advance(first, 100, &failure, NULL), DLS_OK);
      if (i >= 17) assert_int_equal(dls_integrator_advance(second, 100, &failure, NULL), DLS_OK);
    }
    const dls_sample x = dls_integrator_sample(first), y = dls_integrator_sample(second);
    if (memcmp(x.q, y.q, sizeof q) != 0 || memcmp(x.v, y.v, sizeof v) != 0)
      fail_msg("%s: %.17g is not %.17g", scheme, x.q[3], y.q[3]);
    dls_integrator_free(first), dls_integrator_free(second);
  }
}

// The contact problem at a state, and a state put on the floor.
static void test_state(void **state)
{
  (void)state;
  body b = {.m = 2, .J = {1, 2, 3.5}, .gravity = 10, .radius = 0.5, .mu = 0.3, .contact = true};
  dls_system s = body_system(&b);
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
  quaternion_rotate(q + 3, v + 3, spin);
  assert_true(fabs(x->contacts[0].slip[0] - (1 - 0.5 * spin[1])) < 1e-12);
  dls_contact_state_free(x);
}

// Configurations that are none, and a chart that does not contain its centre: said by name.
static void test_refused(void **state)
{
  (void)state;
  static const char *const said[] = {"qw", "vz", "the quaternion is 0", "its centre"};
  for (int k = 0; k < 4; k++) {
    at_case("%s", said[k]);
    body b = {.m = 2, .J = {1, 2, 3.5}, .radius = 0.5, .contact = true, .closed_chart = k == 3};
    const dls_system s = body_system(&b);
    double q[NQ] = {0.3, -2, 0.5, 0.5, 0.5, -0.5, 0.5}, v[N] = {1, 0, 0, 0.1, 0.2, 0.3};
    if (k == 0) q[3] = NAN;
    if (k == 1) v[2] = INFINITY;
    for (int i = 3; i < NQ && k == 2; i++) q[i] = 0;
    const dls_state at = {0, q, v};
    dls_integrator_options options = dls_integrator_defaults();
    options.scheme = "moreau", options.step = 0.01;
    dls_contact_state *x = NULL;
    dls_integrator *g = NULL;
    dls_message message = {""}, other = {""};
    assert_int_equal(dls_contact_state_create(&s, &at, NULL, &x, &message), DLS_ERR_NUMBER);
    assert_int_equal(dls_integrator_create(&s, &at, &options, &g, &other), DLS_ERR_NUMBER);
    assert_null(x);
    assert_null(g);
    if (!strstr(message.text, said[k]) || !strstr(other.text, said[k]))
      fail_msg("%s; %s", message.text, other.text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_top),         cmocka_unit_test(test_long),
      cmocka_unit_test(test_ball),        cmocka_unit_test(test_events),
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_restart),
      cmocka_unit_test(test_state),       cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
