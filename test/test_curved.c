// Constraints that turn or move: states and impulses of Moreau's family come to those of the
// motion, with friction and without. What turns a constraint is a force like any other.
#include "problem_maker.h"
#include "reference_ode.h"
#include "fixture.h"
#include "trial.h"

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

static const char *const family[] = {
    "moreau",          "moreau-projected", "lcp",
    "schatzman-paoli", "moreau-adaptive",  "moreau-variable-order"};
enum { FAMILY = sizeof family / sizeof *family, FIXED = 4 };

static void close_to(double x, double y, double bound, const char *what)
{
  if (!(fabs(x - y) <= bound)) fail_msg("%s: %.17g, not %.17g within %.2g", what, x, y, bound);
}

// Steps are fixed, or chosen by a tolerance that makes them about as long.
static fixture *open_model(const char *text, int scheme, double step)
{
  return fixture_open(text, family[scheme], step, scheme < FIXED ? 0 : step / 128);
}

// A bead on a rough hoop without gravity: v = v0 / (1 + mu v0 t / R), and the hoop gives
// (v0 - v) / mu in all.
static void hoop(void **state)
{
  (void)state;
  const double v1 = 1 / 1.3, angle = log(1.3) / 0.3;
  const char *const law[] = {"bilateral hoop: sqrt(x^2 + y^2) = 1",
                             "unilateral hoop: 1 - sqrt(x^2 + y^2) >= 0"};
  for (int k = 0; k < 2 * FAMILY; k++) {
    at_case("k %d", k);
    char text[500];
    snprintf(text, sizeof text,
             "coordinate x = 1, y = 0\nvelocity y = 1\nkinetic (x'^2 + y'^2)/2\n"
             "%s { slip x*y' - y*x'; friction 0.3 }\n",
             law[k % 2]);
    fixture *r = open_model(text, k / 2, 0x1p-10);
    fixture_to(r, 1);
    const double *impulse = dls_integrator_sample(r->integrator).impulse;
    close_to(hypot(fixture_v(r, 0), fixture_v(r, 1)), v1, 2e-3, family[k / 2]);
    close_to(atan2(fixture_q(r, 1), fixture_q(r, 0)), angle, 2e-3, family[k / 2]);
    close_to(fabs(impulse[0]), (1 - v1) / 0.3, 3e-3, family[k / 2]);
    close_to(impulse[1], v1 - 1, 2e-3, family[k / 2]);
    fixture_close(r);
  }
}

// The same without friction: the reaction is v^2 / R.
static void reaction(void **state)
{
  (void)state;
  for (int k = 0; k < FAMILY; k++) {
    at_case("%s", family[k]);
    fixture *r = open_model("coordinate x = 1, y = 0\nvelocity y = 1\nkinetic (x'^2 + y'^2)/2\n"
                            "bilateral hoop: sqrt(x^2 + y^2) = 1\n",
                            k, 0x1p-10);
    fixture_to(r, 1);
    close_to(dls_integrator_sample(r->integrator).impulse[0], -1, 2e-3, family[k]);
    close_to(atan2(fixture_q(r, 1), fixture_q(r, 0)), 1, 2e-3, family[k]);
    fixture_close(r);
  }
}

// ---- random conics that breathe, with gravity: A x^2 + B x y + C y^2 = 1 + E sin(w t)

typedef struct conic {
  double A, B, C, E, w, g, mu;
  double x, y, vx, vy;
} conic;

static void slopes(const conic *c, real x, real y, real *Fx, real *Fy)
{
  *Fx = c->A * x + c->B * y / 2, *Fy = c->B * x / 2 + c->C * y;
}

static real pressure(const conic *c, real t, const real *s)
{
  real Fx, Fy;
  slopes(c, s[0], s[1], &Fx, &Fy);
  const real turning = c->A * s[2] * s[2] + c->B * s[2] * s[3] + c->C * s[3] * s[3];
  const real moving = c->E * c->w * c->w * sinl(c->w * t) / 2;
  return -(turning + moving - c->g * Fy) / (Fx * Fx + Fy * Fy);
}

// x, y, x', y', the impulses of normal and friction, and of the size of the normal.
static void rate(const void *self, real t, const real *s, real *ds)
{
  const conic *c = self;
  real Fx, Fy;
  slopes(c, s[0], s[1], &Fx, &Fy);
  const real lambda = pressure(c, t, s), slip = Fx * s[3] - Fy * s[2];
  const real tau = -c->mu * fabsl(lambda) * (slip > 0 ? 1 : -1);
  ds[0] = s[2], ds[1] = s[3];
  ds[2] = lambda * Fx - tau * Fy;
  ds[3] = lambda * Fy + tau * Fx - c->g;
  ds[4] = lambda, ds[5] = tau, ds[6] = fabsl(lambda);
}

static conic draw_conic(rng *r)
{
  conic c = {.A = draw_between(r, 0.4, 1.4), .C = draw_between(r, 0.4, 1.4)};
  if (rng_chance(r, 0.3)) c.C *= -1;  // a hyperbola
  c.B = 0.4 * rng_real(r);
  if (rng_chance(r, 0.5)) c.E = 0.2 * rng_real(r), c.w = draw_between(r, 1, 4);
  if (rng_chance(r, 0.6)) c.g = draw_between(r, 0, 2);
  if (rng_chance(r, 0.8)) c.mu = draw_between(r, 0, 0.5);
  const double angle = c.C > 0 ? 3.14 * rng_real(r) : 0.3 * rng_real(r);
  const double x = cos(angle), y = sin(angle);
  const double radius = 1 / sqrt(c.A * x * x + c.B * x * y + c.C * y * y);
  c.x = radius * x, c.y = radius * y;
  real Fx, Fy;
  slopes(&c, c.x, c.y, &Fx, &Fy);
  const double size = (double)sqrtl(Fx * Fx + Fy * Fy),
               v = draw_sign(r) * draw_between(r, 1.5, 2.5);
  const double normal = c.E * c.w / 2 / size / size;
  c.vx = -v * (double)Fy / size + normal * (double)Fx;
  c.vy = v * (double)Fx / size + normal * (double)Fy;
  return c;
}

// side: 0 bilateral, else the sign that makes the gap positive where the bead may be.
static void write_conic(const conic *c, int side, char *text, size_t size)
{
  char law[300];
  snprintf(law, sizeof law, "(%.17g*x^2 + %.17g*x*y + %.17g*y^2 - 1 - %.17g*sin(%.17g*t))/2", c->A,
           c->B, c->C, c->E, c->w);
  snprintf(text, size,
           "coordinate x = %.17g, y = %.17g\nvelocity x = %.17g, y = %.17g\n"
           "kinetic (x'^2 + y'^2)/2\npotential %.17g*y\n%s wire: %s%s %s 0 "
           "{ slip (%.17g*x + %.17g*y)*y' - (%.17g*x + %.17g*y)*x'; friction %.17g }\n",
           c->x, c->y, c->vx, c->vy, c->g, side ? "unilateral" : "bilateral", side < 0 ? "-" : "",
           law, side ? ">=" : "=", c->A, c->B / 2, c->B / 2, c->C, c->mu);
}

// Does the slip keep its sign, well above 0, and does the normal force too? 0 where the slip does
// not; else 1, or 2 where both do.
static int follow(const conic *c, double end, real *s)
{
  const real start[7] = {c->x, c->y, c->vx, c->vy, 0, 0, 0};
  memcpy(s, start, sizeof start);
  real Fx, Fy;
  slopes(c, s[0], s[1], &Fx, &Fy);
  const real first = Fx * s[3] - Fy * s[2], pushed = pressure(c, 0, s);
  bool presses = fabsl(pushed) > 0.1L;
  for (int k = 0; k < 64; k++) {
    const real from = end * k / 64.0L, to = end * (k + 1) / 64.0L;
    if (!reference_follow(rate, c, 7, from, to, 1e-13L, NULL, s)) return 0;
    slopes(c, s[0], s[1], &Fx, &Fy);
    if ((Fx * s[3] - Fy * s[2]) / first < 0.3L) return 0;
    presses &= pressure(c, to, s) / pushed > 0.1L;
  }
  return presses ? 2 : 1;
}

// The largest error of coordinates, velocities and impulses, relative to sizes of about 1.
static double conic_error(const char *text, int scheme, double step, double end, const real *s)
{
  fixture *r = open_model(text, scheme, step);
  fixture_to(r, end);
  const double *impulse = dls_integrator_sample(r->integrator).impulse;
  const double state[6] = {fixture_q(r, 0), fixture_q(r, 1), fixture_v(r, 0),
                           fixture_v(r, 1), impulse[0],      impulse[1]};
  double most = 0;
  for (int i = 0; i < 6; i++) most = fmax(most, fabs(state[i] - (double)s[i]));
  fixture_close(r);
  return most;
}

// Order one: the error is about a step, and a quarter of it with a quarter of the step.
static void conics(void **state)
{
  (void)state;
  const double end = 0.5, step = 0x1p-9;
  const char *table = getenv("DLS_TEST_TABLE");
  int count[2] = {0};
  double most[FAMILY][2] = {{0}};
  for (int number = 1; number <= 60; number++) {
    at_case("number %d", number);
    rng r = rng_create((uint64_t)number);
    const conic c = draw_conic(&r);
    real s[7];
    const int kind = follow(&c, end, s);
    if (kind == 0) continue;
    const int side = (double)s[4] > 0 ? 1 : -1;
    for (int one_sided = 0; one_sided < kind; one_sided++) {
      char text[1500];
      real expected[6];
      for (int i = 0; i < 6; i++) expected[i] = s[i];
      if (one_sided) expected[4] = s[6];
      write_conic(&c, one_sided ? side : 0, text, sizeof text);
      count[one_sided]++;
      for (int k = 0; k < FAMILY; k++) {
        const double error = conic_error(text, k, step, end, expected);
        const double finer = k < FIXED ? conic_error(text, k, step / 8, end, expected) : error / 8;
        most[k][0] = fmax(most[k][0], error / step),
        most[k][1] = fmax(most[k][1], 8 * finer / step);
        if (!(error <= 40 * step && finer <= 40 * step / 8))
          fail_msg("%s, case %d: %.2g and %.2g of a step\n%s", family[k], number, error / step,
                   8 * finer / step, text);
      }
    }
  }
  for (int k = 0; k < FAMILY && table; k++)
    print_message("%-22s %8.3g %8.3g steps, of %d and %d\n", family[k], most[k][0], most[k][1],
                  count[0], count[1]);
  assert_true(count[0] >= 20 && count[1] >= 15);
}

// A pendulum's impulses are what lcp's steps are made of: they add no energy, however many turns.
static void turns(void **state)
{
  (void)state;
  const double steps[] = {0x1p-6, 0x1p-8, 0x1p-10};
  for (int k = 0; k < 3; k++)
    for (int scheme = 0; scheme < FIXED; scheme++) {
      at_case("k %d, %s", k, family[scheme]);
      fixture *r = fixture_open("coordinate x = 1, y = 0\nvelocity y = 6\nkinetic (x'^2 + y'^2)/2\n"
                                "potential 9.81*y\nbilateral rod: x^2 + y^2 = 1\n",
                                family[scheme], steps[k], 0);
      fixture_to(r, 20);
      if (!(fixture_energy(r) < 18.2))
        fail_msg("%s, step %g: energy %g", family[scheme], steps[k], fixture_energy(r));
      fixture_close(r);
    }
}

// A sliding block on a platform that rises, at constant speed or accelerated: as at rest, with the
// weight that it has there; whatever the restitution, since nothing bounces.
static void platform(void **state)
{
  (void)state;
  for (int number = 1; number <= 20; number++) {
    rng random = rng_create((uint64_t)number);
    const double V = 2 * rng_real(&random), a = number % 2 ? 0 : 4 * rng_real(&random),
                 e = fabs(rng_real(&random));
    const double mu = draw_between(&random, 0, 0.3), belt = rng_real(&random), end = 0.25,
                 weight = 10 + a;
    const double slip = 2 - mu * weight * end;
    for (int k = 0; k < FIXED; k++) {
      at_case("number %d, %s", number, family[k]);
      char text[600];
      snprintf(text, sizeof text,
               "coordinate x, y\nvelocity x = %.17g, y = %.17g\nkinetic (x'^2 + y'^2)/2\n"
               "potential 10*y\nunilateral floor: y >= %.17g*t + %.17g*t^2 "
               "{ slip x' - %.17g; friction %.17g; restitution %.17g }\n",
               2 + belt, V, V, a / 2, belt, mu, e);
      fixture *r = fixture_open(text, family[k], 0x1p-10, 0);
      fixture_to(r, end);
      const double bound = (a == 0 ? 1e-9 : 0) + 0x1p-10 * (4 * fabs(a) + 2 * mu * weight);
      const double *impulse = dls_integrator_sample(r->integrator).impulse;
      close_to(fixture_q(r, 1), V * end + a / 2 * end * end, bound, text);
      close_to(fixture_v(r, 1), V + a * end, bound, text);
      close_to(fixture_v(r, 0) - belt, slip, bound, text);
      close_to(impulse[0], weight * end, bound, text);
      close_to(impulse[1], -mu * weight * end, bound, text);
      fixture_close(r);
    }
  }
}

// A ball that bounces on a platform at constant speed bounces as on one at rest.
static void galileo(void **state)
{
  (void)state;
  for (int k = 0; k < FIXED; k++) {
    double y[2], v[2];
    for (int moving = 0; moving < 2; moving++) {
      at_case("%s, moving %d", family[k], moving);
      char text[400];
      snprintf(text, sizeof text,
               "coordinate y = 0.25\nvelocity y = %d\nkinetic y'^2/2\npotential 8*y\n"
               "unilateral floor: y >= %d*t { restitution 0.75 }\n",
               2 * moving, 2 * moving);
      fixture *r = fixture_open(text, family[k], 0x1p-8, 0);
      fixture_to(r, 1);
      y[moving] = fixture_q(r, 0) - 2 * moving, v[moving] = fixture_v(r, 0) - 2 * moving;
      fixture_close(r);
    }
    close_to(y[1], y[0], 1e-10, family[k]);
    close_to(v[1], v[0], 1e-10, family[k]);
  }
}

// The flatter the wire the smaller its force beside the slip: it is found all the same.
static void flat(void **state)
{
  (void)state;
  const double radius[] = {1, 1e2, 1e4, 1e6, 1e8};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < FIXED; k++) {
      at_case("i %d, %s", i, family[k]);
      const double R = radius[i];
      char text[500];
      snprintf(text, sizeof text,
               "coordinate x, y\nvelocity x = 1\nkinetic (x'^2 + y'^2)/2\n"
               "bilateral wire: y - (x^2 + y^2)/%.17g = 0 "
               "{ slip x'*(1 - y/%.17g) + y'*x/%.17g; friction 0.3 }\n",
               2 * R, R, R);
      fixture *r = fixture_open(text, family[k], 0x1p-10, 0);
      fixture_to(r, 0.5);
      const double *impulse = dls_integrator_sample(r->integrator).impulse;
      const double v = 1 / (1 + 0.15 / R), force = 0.5 * v;
      close_to(impulse[0] * R, force, 4e-3, text);
      close_to(impulse[1] * R, -0.3 * force, 2e-3, text);
      fixture_close(r);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hoop),  cmocka_unit_test(reaction), cmocka_unit_test(conics),
      cmocka_unit_test(turns), cmocka_unit_test(platform), cmocka_unit_test(galileo),
      cmocka_unit_test(flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
