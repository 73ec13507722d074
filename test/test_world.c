// A world of bodies whose contacts the caller finds: closed forms, laws that must hold in each
// step, and bad input.
#include <delassus/world.h>

#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const double g = 9.81;

static dls_world *new_world(double gx, double gz)
{
  dls_world_options o = dls_world_defaults();
  dls_world *w = NULL;
  o.gravity[0] = gx, o.gravity[2] = gz;
  o.tolerance = 1e-8;
  assert_int_equal(dls_world_create(&o, &w, NULL), DLS_OK);
  return w;
}

static int add(dls_world *w, dls_body b)
{
  int number = -1;
  if (b.quaternion[0] == 0) b.quaternion[0] = 1;
  assert_int_equal(dls_world_add_body(w, &b, &number, NULL), DLS_OK);
  return number;
}

static dls_body ball(double mass, double radius, double x, double z)
{
  const double I = 0.4 * mass * radius * radius;
  return (dls_body){.mass = mass, .inertia = {I, I, I}, .position = {x, 0, z}};
}

static dls_body box(double mass, double side, double z)
{
  const double I = mass * side * side / 6;
  return (dls_body){.mass = mass, .inertia = {I, I, I}, .position = {0, 0, z}};
}

static void step(dls_world *w, double h)
{
  dls_world_report report;
  dls_message message = {{0}};
  if (dls_world_step(w, h, &report, &message) != DLS_OK) fail_msg("%s", message.text);
  if (!report.converged)
    fail_msg("not converged: %s, %g", dls_stop_text(report.stop), report.error.largest);
}

// The corners of a cube against a plane z = level (b: what lies below).
static void stand(dls_world *w, int a, int b, double side, double level, double mu, double e)
{
  const dls_body *body = dls_world_body(w, a);
  const double *q = body->quaternion;
  for (int c = 0; c < 4; c++) {
    const double x = (c & 1 ? 0.5 : -0.5) * side, y = (c & 2 ? 0.5 : -0.5) * side, z = -0.5 * side;
    const double s = q[0], i = q[1], j = q[2], k = q[3];
    const double p[3] = {body->position[0] + (1 - 2 * (j * j + k * k)) * x +
                             2 * (i * j - s * k) * y + 2 * (i * k + s * j) * z,
                         body->position[1] + 2 * (i * j + s * k) * x +
                             (1 - 2 * (i * i + k * k)) * y + 2 * (j * k - s * i) * z,
                         body->position[2] + 2 * (i * k - s * j) * x + 2 * (j * k + s * i) * y +
                             (1 - 2 * (i * i + j * j)) * z};
    const dls_world_contact contact = {.id = 1 + 8 * (uint64_t)a + (uint64_t)c,
                                       .a = a,
                                       .b = b,
                                       .point = {p[0], p[1], p[2]},
                                       .normal = {0, 0, 1},
                                       .gap = p[2] - level,
                                       .friction = mu,
                                       .restitution = e};
    assert_int_equal(dls_world_add_contact(w, &contact, NULL), DLS_OK);
  }
}

static void touch_floor(dls_world *w, int a, double radius, double mu, double e)
{
  const double *x = dls_world_body(w, a)->position;
  const dls_world_contact contact = {.id = 7,
                                     .a = a,
                                     .b = DLS_GROUND,
                                     .point = {x[0], x[1], x[2] - radius},
                                     .normal = {0, 0, 1},
                                     .gap = x[2] - radius,
                                     .friction = mu,
                                     .restitution = e};
  assert_int_equal(dls_world_add_contact(w, &contact, NULL), DLS_OK);
}

static double kinetic(const dls_body *b)
{
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += 0.5 * b->mass * b->velocity[i] * b->velocity[i] +
           0.5 * b->inertia[i] * b->spin[i] * b->spin[i];
  return sum;
}

// A slow ball lands within the step on a floor that is nearer than a fast one could tell: what
// counts as no gap follows from the velocities that are there.
static void slow_landing(void **state)
{
  (void)state;
  for (int k = 0; k < 6; k++) {
    at_case("k %d", k);
    const double speed = pow(10, -4 - 2 * (k % 3)), h = 0.01, gap = 0.5 * h * speed;
    dls_world *w = new_world(0, 0);
    dls_body body = ball(1, 1, 0, gap);
    body.velocity[2] = -speed;
    const int a = add(w, body);
    const dls_world_contact contact = {.id = 7,
                                       .a = k < 3 ? a : DLS_GROUND,
                                       .b = k < 3 ? DLS_GROUND : a,
                                       .normal = {0, 0, k < 3 ? 1 : -1},
                                       .gap = gap};
    assert_int_equal(dls_world_add_contact(w, &contact, NULL), DLS_OK);
    step(w, h);
    close_to(dls_world_body(w, a)->velocity[2] / speed, -0.5, 1e-6);
    dls_world_free(w);
  }
}

// Only the spin brings the end of a rod to the floor, at omega x arm = w L; it leaves with e w L,
// by the impulse (1 + e) w L / (1/m + L^2/I). Or the floor turns, and the rod stands.
static void end_of_a_rod(void **unused)
{
  (void)unused;
  const double m = 2, I = 0.5, L = 0.75, spin = 3, e = 0.5, h = 0x1p-20;
  for (int turns = 0; turns < 2; turns++) {
    at_case("turns %d", turns);
    dls_world *w = new_world(0, 0);
    dls_body rod = {.mass = m, .inertia = {I, I, I}}, floor = {.mass = INFINITY};
    if (turns) floor.spin[1] = -spin;
    else rod.spin[1] = spin;
    const int a = add(w, rod), b = turns ? add(w, floor) : DLS_GROUND;
    const dls_world_contact contact = {
        .id = 1, .a = a, .b = b, .point = {L, 0, 0}, .normal = {0, 0, 1}, .restitution = e};
    assert_int_equal(dls_world_add_contact(w, &contact, NULL), DLS_OK);
    step(w, h);
    const double p = (1 + e) * spin * L / (1 / m + L * L / I), own = turns ? 0 : spin;
    close_to(dls_world_body(w, a)->velocity[2], p / m, 1e-6);
    close_to(dls_world_body(w, a)->spin[1], own - p * L / I, 1e-6);
    dls_world_free(w);
  }
}

// ---- without contacts --------------------------------------------------------------------------

static void flight(void **unused)
{
  (void)unused;
  dls_world *w = new_world(0, -g);
  step(w, 0.1);  // nothing at all is fine
  const int a = add(w, (dls_body){.mass = 2, .inertia = {1, 2, 3}, .velocity = {3, 0, 1}});
  for (int k = 0; k < 100; k++) step(w, 0.01);
  const dls_body *b = dls_world_body(w, a);
  assert_true(fabs(b->position[0] - 3) < 1e-12);
  // sum of h (v - k h g), k = 1 ... 100
  assert_true(fabs(b->position[2] - (1 - g * 1e-4 * 5050)) < 1e-12);
  assert_true(fabs(b->velocity[2] - (1 - g)) < 1e-12);
  dls_world_free(w);
}

// The angular momentum in the world is kept, the energy nearly: about the middle axis it tumbles.
static void tumbling(void **unused)
{
  (void)unused;
  dls_world *w = new_world(0, 0);
  const int a = add(w, (dls_body){.mass = 1, .inertia = {1, 2, 3.5}, .spin = {0.01, 2, 0.01}});
  const double start = kinetic(dls_world_body(w, a));
  double lowest = 2;
  for (int k = 0; k < 20000; k++) {
    at_case("k %d", k);
    step(w, 1e-3);
    const dls_body *b = dls_world_body(w, a);
    const double L[3] = {b->inertia[0] * b->spin[0], b->inertia[1] * b->spin[1],
                         b->inertia[2] * b->spin[2]};
    const double before[3] = {0.01, 4, 0.035};
    assert_true(fabs(hypot(hypot(L[0], L[1]), L[2]) -
                     hypot(hypot(before[0], before[1]), before[2])) < 1e-9);
    assert_true(fabs(kinetic(b) - start) < 0.01 * start);
    lowest = fmin(lowest, b->spin[1]);
  }
  assert_true(lowest < -1.9);
  dls_world_free(w);
}

static void pushed(void **unused)
{
  (void)unused;
  dls_world *w = new_world(0, 0);
  const int a = add(w, box(2, 1, 0));
  assert_int_equal(dls_world_set_force(w, a, (double[]){4, 0, 0}, (double[]){0, 0, 1}), DLS_OK);
  for (int k = 0; k < 10; k++) step(w, 0.1);
  assert_true(fabs(dls_world_body(w, a)->velocity[0] - 2) < 1e-12);
  assert_true(fabs(dls_world_body(w, a)->spin[2] - 3) < 1e-12);
  dls_world_free(w);
}

// ---- one contact -------------------------------------------------------------------------------

// It slides, then rolls with 5/7 of the velocity it had, from t = 2 v / (7 mu g) on.
static void slide_then_roll(void **unused)
{
  (void)unused;
  dls_world *w = new_world(0, -g);
  dls_body b = ball(3, 0.2, 0, 0.2);
  const double along[2] = {0.6, 0.8};
  b.velocity[0] = 7 * along[0], b.velocity[1] = 7 * along[1];
  const int a = add(w, b);
  const double mu = 0.25, rolls = 2 * 7 / (7 * mu * g), h = 1e-3;
  for (int k = 1; k < 2000; k++) {
    at_case("k %d", k);
    dls_world_clear_contacts(w);
    touch_floor(w, a, 0.2, mu, 0);
    step(w, h);
    const double *velocity = dls_world_body(w, a)->velocity;
    const double v = along[0] * velocity[0] + along[1] * velocity[1];
    assert_true(fabs(v - (k * h < rolls ? 7 - mu * g * k * h : 5)) < 2 * mu * g * h);
    double impulse[3];
    assert_int_equal(dls_world_impulse(w, 0, impulse), DLS_OK);
    assert_true(fabs(impulse[2] - 3 * g * h) < 1e-8);
    for (int i = 0; i < 2 && k * h < rolls - h; i++)
      assert_true(fabs(impulse[i] + mu * 3 * g * h * along[i]) < 1e-8);
  }
  const dls_body *end = dls_world_body(w, a);
  assert_true(fabs(end->velocity[0] - 3) < 1e-7 && fabs(end->velocity[1] - 4) < 1e-7);
  dls_world_free(w);
}

static void bounce(void **unused)
{
  (void)unused;
  for (double e = 0; e <= 1; e += 0.25) {
    at_case("e %g", e);
    dls_world *w = new_world(0, 0);
    dls_body b = ball(1, 0.1, 0, 0.45);
    b.velocity[2] = -2;
    const int a = add(w, b);
    for (int k = 0; k < 40; k++) {
      dls_world_clear_contacts(w);
      touch_floor(w, a, 0.1, 0, e);
      step(w, 0.01);
      assert_true(dls_world_body(w, a)->position[2] > 0.1 - 1e-9);
    }
    assert_true(fabs(dls_world_body(w, a)->velocity[2] - 2 * e) < 1e-8);
    if (e == 0) assert_true(fabs(dls_world_body(w, a)->position[2] - 0.1) < 1e-8);  // it closes
    dls_world_free(w);
  }
}

// ---- several -----------------------------------------------------------------------------------

// On a slope, gravity turned: v = (g_x - mu g_z) t, or at rest where friction is enough.
static void slope(void **unused)
{
  (void)unused;
  const double gx = 3, gz = 9, h = 0.01;
  for (double mu = 0; mu < 0.6; mu += 0.1) {
    at_case("mu %g", mu);
    dls_world *w = new_world(gx, -gz);
    const int a = add(w, box(5, 0.2, 0.1));
    for (int k = 0; k < 100; k++) {
      dls_world_clear_contacts(w);
      stand(w, a, DLS_GROUND, 0.2, 0, mu, 0);
      step(w, h);
    }
    const double expected = fmax(0, gx - mu * gz);
    assert_true(fabs(dls_world_body(w, a)->velocity[0] - expected) < 1e-7);
    assert_true(fabs(dls_world_body(w, a)->position[2] - 0.1) < 1e-8);
    dls_world_free(w);
  }
}

// Ten boxes: they stay where they are, and each bears what stands on it.
static void stack(void **unused)
{
  (void)unused;
  enum { BOXES = 10, STEPS = 1000 };
  const double h = 0.005, side = 0.25;
  dls_world *w = new_world(0, -g);
  for (int b = 0; b < BOXES; b++) add(w, box(1 + b, side, (b + 0.5) * side));
  for (int k = 0; k < STEPS; k++) {
    at_case("k %d", k);
    dls_world_clear_contacts(w);
    for (int b = 0; b < BOXES; b++)
      stand(w, b, b - 1, side, b ? dls_world_body(w, b - 1)->position[2] + side / 2 : 0, 0.5, 0);
    step(w, h);
  }
  double above = 0;
  for (int b = BOXES - 1; b >= 0; b--) {
    at_case("b %d", b);
    const dls_body *body = dls_world_body(w, b);
    double sum = 0, impulse[3];
    above += body->mass;
    for (int c = 0; c < 4; c++) {
      assert_int_equal(dls_world_impulse(w, 4 * b + c, impulse), DLS_OK);
      sum += impulse[2];
    }
    assert_true(fabs(sum / h - above * g) < 1e-5 * above * g);
    assert_true(fabs(body->position[0]) < 1e-7 &&
                fabs(body->position[2] - (b + 0.5) * side) < 1e-7);
  }
  dls_world_free(w);
}

// A belt moves by itself and takes the box along.
static void belt(void **unused)
{
  (void)unused;
  dls_world *w = new_world(0, -g);
  const int moving = add(w, (dls_body){.mass = INFINITY, .velocity = {1.5, 0, 0}});
  const int a = add(w, box(2, 0.2, 0.1));
  const double mu = 0.3, h = 0.01;
  for (int k = 1; k <= 100; k++) {
    at_case("k %d", k);
    dls_world_clear_contacts(w);
    stand(w, a, moving, 0.2, 0, mu, 0);
    step(w, h);
    assert_true(fabs(dls_world_body(w, a)->velocity[0] - fmin(1.5, mu * g * k * h)) < 1e-7);
  }
  assert_true(fabs(dls_world_body(w, moving)->position[0] - 1.5) < 1e-12);
  dls_world_free(w);
}

// What overlaps at the start comes apart, but for the slop, and no velocity changes.
static void come_apart(double slop)
{
  dls_world *w = NULL;
  dls_world_options o = dls_world_defaults();
  o.gravity[2] = 0, o.slop = slop;
  assert_int_equal(dls_world_create(&o, &w, NULL), DLS_OK);
  dls_body first = ball(1, 0.5, 0, 0), second = ball(3, 0.5, 0.9, 0);
  first.velocity[1] = second.velocity[1] = 2;
  const int a = add(w, first), b = add(w, second);
  for (int k = 0; k < 80; k++) {
    at_case("slop %g, k %d", slop, k);
    const double *x = dls_world_body(w, a)->position, *y = dls_world_body(w, b)->position;
    const dls_world_contact c = {.id = 1,
                                 .a = a,
                                 .b = b,
                                 .point = {(x[0] + y[0]) / 2, x[1], 0},
                                 .normal = {-1, 0, 0},
                                 .gap = y[0] - x[0] - 1,
                                 .friction = 0.4};
    dls_world_clear_contacts(w);
    assert_int_equal(dls_world_add_contact(w, &c, NULL), DLS_OK);
    step(w, 0.01);
    assert_true(fabs(kinetic(dls_world_body(w, a)) - 2) < 1e-12);
    assert_true(fabs(kinetic(dls_world_body(w, b)) - 6) < 1e-12);
    assert_true(fabs(dls_world_body(w, a)->position[1] - 0.02 * (k + 1)) < 1e-9);
  }
  const double xa = dls_world_body(w, a)->position[0], xb = dls_world_body(w, b)->position[0];
  assert_true(fabs(xb - xa - 1 + slop) < 1e-6);
  assert_true(fabs(xa + 0.75 * (0.1 - slop)) < 1e-6);  // the lighter one moves three times as far
  dls_world_free(w);
}

static void penetration(void **unused)
{
  (void)unused;
  come_apart(0), come_apart(0.04);
  // all of it may stay
  dls_world *w = NULL;
  dls_world_options o = dls_world_defaults();
  o.slop = 0.2;
  assert_int_equal(dls_world_create(&o, &w, NULL), DLS_OK);
  const int a = add(w, ball(1, 0.5, 0, 0.4));
  touch_floor(w, a, 0.5, 0, 0);
  step(w, 0.01);
  assert_true(fabs(dls_world_body(w, a)->position[2] - 0.4) < 1e-9);
  dls_world_free(w);
}

// The order of contacts and the identities change nothing but the work.
static void order_of_contacts(void **unused)
{
  (void)unused;
  double end[2] = {0};
  for (int run = 0; run < 2; run++) {
    at_case("run %d", run);
    dls_world *w = new_world(1, -g);
    const int a = add(w, ball(1, 0.1, -0.1, 0.1)), b = add(w, ball(1, 0.1, 0.11, 0.1));
    for (int k = 0; k < 200; k++) {
      const double *x = dls_world_body(w, a)->position, *y = dls_world_body(w, b)->position;
      const double d = y[0] - x[0];
      const dls_world_contact between = {.id = run ? 0 : 99,
                                         .a = run ? a : b,
                                         .b = run ? b : a,
                                         .point = {(x[0] + y[0]) / 2, 0, x[2]},
                                         .normal = {run ? -1 : 1, 0, 0},
                                         .gap = d - 0.2,
                                         .friction = 0.2};
      dls_world_clear_contacts(w);
      if (run == 0) assert_int_equal(dls_world_add_contact(w, &between, NULL), DLS_OK);
      touch_floor(w, run ? b : a, 0.1, 0.5, 0), touch_floor(w, run ? a : b, 0.1, 0.5, 0);
      if (run == 1) assert_int_equal(dls_world_add_contact(w, &between, NULL), DLS_OK);
      step(w, 0.005);
    }
    end[run] = dls_world_body(w, a)->position[0] + 100 * dls_world_body(w, b)->position[0];
    dls_world_free(w);
  }
  assert_true(fabs(end[0] - end[1]) < 1e-6 * fabs(end[0]));
}

// ---- random bodies -----------------------------------------------------------------------------

// A definite inertia without structure, any pose, any motion.
static dls_body random_body(void)
{
  dls_body b = {.mass = 0.5 + fabs(uniform())};
  double A[9];
  for (int i = 0; i < 9; i++) A[i] = uniform();
  const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) {
    const int i = at[k][0], j = at[k][1];
    b.inertia[k] = i == j ? 0.2 : 0;
    for (int l = 0; l < 3; l++) b.inertia[k] += A[3 * i + l] * A[3 * j + l];
  }
  for (int i = 0; i < 4; i++) b.quaternion[i] = uniform();
  for (int i = 0; i < 3; i++) {
    b.position[i] = 2 * uniform();
    b.velocity[i] = 2 * uniform(), b.spin[i] = 2 * uniform();
  }
  return b;
}

// R x, by the quaternion.
static void turn(const double *q, const double *x, double *out)
{
  const double t[3] = {2 * (q[2] * x[2] - q[3] * x[1]), 2 * (q[3] * x[0] - q[1] * x[2]),
                       2 * (q[1] * x[1] - q[2] * x[0])};
  out[0] = x[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
  out[1] = x[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
  out[2] = x[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

// Momentum, then moment of momentum about the origin.
static double add_momentum(const dls_body *b, double *sum)
{
  const double *I = b->inertia, *w = b->spin, *x = b->position, *v = b->velocity;
  const double body[3] = {I[0] * w[0] + I[3] * w[1] + I[4] * w[2],
                          I[3] * w[0] + I[1] * w[1] + I[5] * w[2],
                          I[4] * w[0] + I[5] * w[1] + I[2] * w[2]};
  double L[3];
  turn(b->quaternion, body, L);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum[i] += b->mass * v[i];
    sum[3 + i] += L[i] + b->mass * (x[j] * v[k] - x[k] * v[j]);
  }
  return 0.5 * (b->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + body[0] * w[0] +
                body[1] * w[1] + body[2] * w[2]);
}

// Whatever they do to one another, contacts change neither momentum nor its moment, and without
// restitution they take energy.
static void momentum_is_kept(void **unused)
{
  (void)unused;
  enum { BODIES = 4, CONTACTS = 6 };
  for (int trial = 0; trial < 200; trial++) {
    at_case("trial %d", trial);
    dls_world *w = new_world(0, 0);
    double before[6] = {0}, after[6] = {0}, energy = 0, left = 0;
    for (int b = 0; b < BODIES; b++) {
      add(w, random_body());
      energy += add_momentum(dls_world_body(w, b), before);
    }
    for (int k = 0; k < CONTACTS; k++) {
      const int a = below(BODIES);
      dls_world_contact c = {
          .id = 1 + (uint64_t)k, .a = a, .b = (a + 1 + below(BODIES - 1)) % BODIES};
      double length = 0;
      for (int i = 0; i < 3; i++) c.point[i] = 2 * uniform(), c.normal[i] = uniform();
      for (int i = 0; i < 3; i++) length += c.normal[i] * c.normal[i];
      for (int i = 0; i < 3; i++) c.normal[i] /= sqrt(length);
      c.gap = below(2) ? 0 : 0.01 * fabs(uniform());
      c.friction = below(3) ? fabs(uniform()) : 0;
      assert_int_equal(dls_world_add_contact(w, &c, NULL), DLS_OK);
    }
    // so short that what the motion itself adds to the kinetic energy is nothing
    step(w, 1e-6);
    for (int b = 0; b < BODIES; b++) left += add_momentum(dls_world_body(w, b), after);
    for (int i = 0; i < 6; i++) assert_true(fabs(after[i] - before[i]) < 1e-9);
    assert_true(left < energy * (1 + 1e-5));
    dls_world_free(w);
  }
}

// What was solved before is a good start: the same contacts again take hardly any work.
static void identities_save_work(void **unused)
{
  (void)unused;
  dls_world_report first = {0}, same = {0}, other = {0};
  dls_world *w = new_world(0, -g);
  for (int b = 0; b < 6; b++) add(w, box(1, 0.25, (b + 0.5) * 0.25));
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    dls_world_clear_contacts(w);
    for (int b = 0; b < 6; b++) stand(w, b, b - 1, 0.25, 0.25 * b, 0.5, 0);
    assert_int_equal(dls_world_step(w, 0.01, k ? &same : &first, NULL), DLS_OK);
  }
  dls_world_clear_contacts(w);
  for (int b = 0; b < 6; b++) {
    const double *x = dls_world_body(w, b)->position;
    for (int c = 0; c < 4; c++) {
      at_case("b %d, c %d", b, c);
      const dls_world_contact unknown = {.a = b,
                                         .b = b - 1,
                                         .normal = {0, 0, 1},
                                         .friction = 0.5,
                                         .point = {x[0] + (c & 1 ? 0.125 : -0.125),
                                                   x[1] + (c & 2 ? 0.125 : -0.125), x[2] - 0.125}};
      assert_int_equal(dls_world_add_contact(w, &unknown, NULL), DLS_OK);
    }
  }
  assert_int_equal(dls_world_step(w, 0.01, &other, NULL), DLS_OK);
  assert_true(first.converged && same.converged && other.converged);
  assert_true(same.iterations < first.iterations && same.iterations < other.iterations);
  dls_world_free(w);
}

// ---- bad input ---------------------------------------------------------------------------------

static void bad_input(void **unused)
{
  (void)unused;
  dls_message message = {{0}};
  dls_world *w = NULL;
  dls_world_options o = dls_world_defaults();
  o.solver = "none such";
  assert_int_equal(dls_world_create(&o, &w, &message), DLS_ERR_ARGUMENT);
  o = dls_world_defaults(), o.gravity[1] = (double)NAN;
  assert_int_equal(dls_world_create(&o, &w, &message), DLS_ERR_NUMBER);
  o = dls_world_defaults(), o.recovery = 2;
  assert_int_equal(dls_world_create(&o, &w, &message), DLS_ERR_ARGUMENT);
  assert_null(w);
  dls_world_free(NULL);

  w = new_world(0, -g);
  const dls_body good = {.mass = 1, .inertia = {1, 1, 1}, .quaternion = {2, 0, 0, 0}};
  assert_int_equal(dls_world_add_body(w, &good, NULL, NULL), DLS_OK);
  assert_true(dls_world_body(w, 0)->quaternion[0] == 1);
  dls_body b = good;
  b.mass = 0;
  assert_int_equal(dls_world_add_body(w, &b, NULL, &message), DLS_ERR_ARGUMENT);
  b = good, b.mass = (double)NAN;
  assert_int_equal(dls_world_add_body(w, &b, NULL, &message), DLS_ERR_ARGUMENT);
  b = good, b.inertia[3] = 1;  // a motion without inertia
  assert_int_equal(dls_world_add_body(w, &b, NULL, &message), DLS_ERR_ARGUMENT);
  b = good, b.inertia[0] = -1;
  assert_int_equal(dls_world_add_body(w, &b, NULL, &message), DLS_ERR_ARGUMENT);
  b = good, b.quaternion[0] = 0;
  assert_int_equal(dls_world_add_body(w, &b, NULL, &message), DLS_ERR_ARGUMENT);
  b = good, b.spin[1] = INFINITY;
  assert_int_equal(dls_world_add_body(w, &b, NULL, &message), DLS_ERR_NUMBER);
  b = good, b.mass = INFINITY;
  assert_int_equal(dls_world_set_body(w, 0, &b, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_world_set_body(w, 1, &good, &message), DLS_ERR_ARGUMENT);
  b = good, b.mass = -1;
  assert_int_equal(dls_world_set_body(w, 0, &b, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_world_set_force(w, 1, b.spin, b.spin), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_world_bodies(w), 1);
  assert_null(dls_world_body(w, 1));

  const dls_world_contact right = {.a = 0, .b = DLS_GROUND, .normal = {0, 0, 1}};
  dls_world_contact c = right;
  c.b = 5;
  assert_int_equal(dls_world_add_contact(w, &c, &message), DLS_ERR_ARGUMENT);
  c = right, c.a = DLS_GROUND;
  assert_int_equal(dls_world_add_contact(w, &c, &message), DLS_ERR_ARGUMENT);
  c = right, c.normal[2] = 2;
  assert_int_equal(dls_world_add_contact(w, &c, &message), DLS_ERR_ARGUMENT);
  c = right, c.gap = (double)NAN;
  assert_int_equal(dls_world_add_contact(w, &c, &message), DLS_ERR_NUMBER);
  c = right, c.friction = -0.1;
  assert_int_equal(dls_world_add_contact(w, &c, &message), DLS_ERR_ARGUMENT);
  c = right, c.restitution = 1.5;
  assert_int_equal(dls_world_add_contact(w, &c, &message), DLS_ERR_ARGUMENT);
  double impulse[3];
  assert_int_equal(dls_world_add_contact(w, &right, NULL), DLS_OK);
  assert_int_equal(dls_world_impulse(w, 0, impulse), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_world_step(w, 0, NULL, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_world_step(w, (double)NAN, NULL, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_world_step(w, 0.1, NULL, NULL), DLS_OK);
  assert_int_equal(dls_world_impulse(w, 0, impulse), DLS_OK);
  assert_int_equal(dls_world_impulse(w, 1, impulse), DLS_ERR_ARGUMENT);
  dls_world_free(w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(end_of_a_rod),
      cmocka_unit_test(flight),
      cmocka_unit_test(tumbling),
      cmocka_unit_test(pushed),
      cmocka_unit_test(slide_then_roll),
      cmocka_unit_test(bounce),
      cmocka_unit_test(slope),
      cmocka_unit_test(stack),
      cmocka_unit_test(belt),
      cmocka_unit_test(penetration),
      cmocka_unit_test(slow_landing),
      cmocka_unit_test(order_of_contacts),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(identities_save_work),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests_name("a world", tests, NULL, NULL);
}
