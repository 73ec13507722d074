// Constraints that are written in several redundant ways, curved ones, with gradients that vanish
// on the way: the motion is that of one degree of freedom, and of the same model without them.
#include "reference_ode.h"
#include "fixture.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

typedef enum species { HOOP, ROD, GEARS, CRANKS, TILTED, KINDS } species;

enum { WAYS = 10, COORDINATES = 3 };

// Ways to write the constraints; the first ones do alone.
typedef struct mechanism {
  int n, enough;
  const char *text;  // of the model without them: start s, speed w, load g, masses
  const char *way[WAYS];
} mechanism;

static const mechanism mechanisms[KINDS] = {
    [HOOP] = {2,
              1,
              "coordinate x = cos(s), y = sin(s)\nvelocity x = -sin(s)*w, y = cos(s)*w\n"
              "kinetic (1 + m)/2*(x'^2 + y'^2)\npotential g*y + p*x^2\n",
              {"x^2 + y^2 - 1", "(x^2 + y^2 - 1)*(2 + x)", "sin(x^2 + y^2 - 1)",
               "exp(x^2 + y^2 - 1) - 1", "sqrt(x^2 + y^2) - 1", "(x^2 + y^2 - 1)*(3 + x*y)",
               "(x^2 + y^2 - 1)*y", "(x^2 + y^2 - 1)*x", "log(x^2 + y^2)"}},
    [ROD] = {3,
             2,
             "coordinate a = s, x = cos(s), y = sin(s)\nvelocity a = w, x = -sin(s)*w, "
             "y = cos(s)*w\nkinetic (x'^2 + y'^2 + m*a'^2)/2\npotential g*y + p*x^2\n",
             {"x - cos(a)", "y - sin(a)", "x^2 + y^2 - 1", "x*sin(a) - y*cos(a)",
              "x*cos(a) + y*sin(a) - 1", "x*sin(a) - y*cos(a) + x^2 + y^2 - 1",
              "(x - cos(a))*(2 + y)", "(x - cos(a))*a", "x*y - sin(a)*cos(a)",
              "x^2 - y^2 - cos(2*a)"}},
    [GEARS] = {2,
               1,
               "coordinate a = s, b = s\nvelocity a = w, b = w\nkinetic (a'^2 + m*b'^2)/2\n"
               "potential g*sin(a) + p*cos(b)^2\n",
               {"a - b", "cos(a) - cos(b)", "sin(a) - sin(b)", "sin(a - b)", "(a - b)*(a + b)",
                "(a - b)*a", "(a - b)*cos(b)", "a^3 - b^3 + a - b", "(a - b)^2", "tan((a - b)/3)"}},
    // three cranks that bars keep parallel: the gradient of each bar vanishes where it is aligned
    [CRANKS] = {3,
                2,
                "coordinate a = s, b = s, c = s\nvelocity a = w, b = w, c = w\n"
                "kinetic (a'^2 + m*b'^2/2 + m*c'^2/2)/2\npotential g*sin(a) + p*cos(b)^2\n",
                {"a - b", "b - c", "(cos(b) - cos(a) + 2)^2/2 + (sin(b) - sin(a))^2/2 - 2",
                 "(cos(c) - cos(b) - 1)^2/2 + (sin(c) - sin(b) + p)^2/2 - (1 + p^2)/2",
                 "(cos(a) - cos(c) - 1)^2/2 + (sin(a) - sin(c) - p)^2/2 - (1 + p^2)/2"}},
    [TILTED] = {3,
                2,
                "coordinate x = cos(s), y = sin(s), z = p*cos(s)\n"
                "velocity x = -sin(s)*w, y = cos(s)*w, z = -p*sin(s)*w\n"
                "kinetic (x'^2 + y'^2 + m*z'^2)/2\npotential g*y\n",
                {"x^2 + y^2 - 1", "z - p*x", "z^2 - p^2*x^2", "x^2 + y^2 + z^2 - 1 - p^2*x^2",
                 "(z - p*x)*y", "z*y - p*x*y", "x^2 + y^2 - 1 + z - p*x",
                 "(x^2 + y^2 - 1)*(2 + z)"}},
};

typedef struct sample {
  species kind;
  double s, w, g, m, p, until;
  int count, way[WAYS];
} sample;

static int ways(species k)
{
  int count = 0;
  while (count < WAYS && mechanisms[k].way[count]) count++;
  return count;
}

// The angle of the one degree of freedom, and its velocity.
static void rate(const void *self, real t, const real *x, real *dx)
{
  (void)t;
  const sample *c = self;
  const real s = sinl(x[0]), k = cosl(x[0]), w = x[1];
  const real load = -c->g * k + 2 * c->p * s * k;  // of the potential
  dx[0] = w;
  if (c->kind == TILTED) {
    const real p = c->m * c->p * c->p;
    dx[1] = (-c->g * k - p * s * k * w * w) / (1 + p * s * s);
    return;
  }
  dx[1] = load / (1 + c->m);
}

static void expected(const sample *c, double *q, double *v)
{
  real x[2] = {c->s, c->w};
  assert_true(reference_follow(rate, c, 2, 0, c->until, 1e-14L, NULL, x));
  const double a = (double)x[0], w = (double)x[1];
  const double point[] = {cos(a), sin(a), c->p * cos(a)};
  const double speed[] = {-sin(a) * w, cos(a) * w, -c->p * sin(a) * w};
  const int shift = c->kind == ROD;
  for (int i = 0; i < COORDINATES; i++) {
    const bool angle = c->kind == GEARS || c->kind == CRANKS || (shift && i == 0);
    q[i] = angle ? a : point[i - shift];
    v[i] = angle ? w : speed[i - shift];
  }
}

static sample draw(rng *r)
{
  sample c = {.kind = (species)rng_int(r, 0, KINDS - 1)};
  c.s = draw_between(r, -3, 3), c.w = draw_between(r, -3, 3), c.g = draw_between(r, 0, 10);
  c.m = draw_between(r, 0.3, 2), c.p = draw_between(r, 0.2, 0.9), c.until = draw_between(r, 1, 2);
  const int all = ways(c.kind), enough = mechanisms[c.kind].enough;
  if (c.kind == CRANKS) {  // the bars alone
    for (int k = enough; k < all; k++) c.way[c.count++] = k;
    return c;
  }
  if (c.kind == GEARS && rng_chance(r, 0.4)) {  // each vanishes somewhere
    c.way[0] = 1, c.way[1] = 2, c.count = 2;
    return c;
  }
  for (int k = 0; k < enough; k++) c.way[c.count++] = k;
  const int more = rng_int(r, 1, 3);
  for (int k = 0; k < more; k++) c.way[c.count++] = rng_int(r, enough, all - 1);
  const int swap = rng_int(r, 0, c.count - 1), first = c.way[0];
  c.way[0] = c.way[swap], c.way[swap] = first;
  return c;
}

static void write_model(const sample *c, bool plain, char *text, size_t size)
{
  const mechanism *x = &mechanisms[c->kind];
  int at =
      snprintf(text, size, "parameter s = %.17g, w = %.17g, g = %.17g, m = %.17g, p = %.17g\n%s",
               c->s, c->w, c->g, c->m, c->p, x->text);
  for (int k = 0; k < (plain ? x->enough : c->count); k++)
    at += snprintf(text + at, size - (size_t)at, "bilateral c%d: %s = 0\n", k,
                   x->way[plain ? k : c->way[k]]);
}

static double error_of(const trial *run, const double *q, const double *v)
{
  double most = 0;
  for (int i = 0; i < run->n; i++)
    most = fmax(most, fmax(fabs(run->q[i] - q[i]), fabs(run->v[i] - v[i])));
  return run->wrong ? NAN : most;
}

// Not far from the motion, and no worse than without what is redundant, up to what another way to
// write a constraint makes of a step: an error of the scheme's order.
static void try_one(tally *t, const sample *c, int k, double theta, double rtol)
{
  static trial run, plain;
  char text[TRIAL_TEXT], other[TRIAL_TEXT];
  double q[COORDINATES], v[COORDINATES];
  const dls_scheme_info *info = dls_scheme_info_at(k);
  write_model(c, false, text, sizeof text);
  write_model(c, true, other, sizeof other);
  expected(c, q, v);
  run = (trial){.text = text, .scheme = info->name, .until = c->until};
  run.step = info->order == 1 ? 0x1p-10 : 0x1p-7;
  run.theta = theta, run.rtol = rtol, run.atol = rtol / 100;
  plain = run;
  plain.text = other;
  trial_run(&run);
  trial_run(&plain);
  const double step = rtol > 0 ? 100 * rtol : 0.1 * pow(8 * run.step, info->order);
  const double own = error_of(&plain, q, v), bound = 20 * own + step;
  const double most = fmax(info->order == 1 ? 0.5 : 0.05, 2 * own);
  tally_comparison(t, &run, error_of(&run, q, v) / fmin(bound, most), "the state");
}

static void mechanisms_of_one(void **state)
{
  (void)state;
  tally t = tally_begin("redundant", 25);
  while (tally_next(&t)) {
    const sample c = draw(&t.r);
    for (int k = 0; dls_scheme_info_at(k); k++) {
      const dls_scheme_info *info = dls_scheme_info_at(k);
      at_case("%s", info->name);
      if (!tally_wants(info->name)) continue;
      const bool moreau = strncmp(info->name, "moreau", 6) == 0;
      const double rtol = info->adaptive ? 1e-5 : 0;
      try_one(&t, &c, k, 0, rtol);
      if (moreau) try_one(&t, &c, k, 1, rtol);
      if (info->events) try_one(&t, &c, k, 0, 1e-7);
    }
  }
  tally_end(&t);
}

// A start, a rest and a decay where a gradient vanishes: it is rounding there.
static void at_rest(void **state)
{
  (void)state;
  static const char *const text[] = {
      "coordinate a = 1e-7, b = 1e-7\nkinetic (a'^2 + b'^2)/2\npotential 5*a^2\n"
      "bilateral c: cos(a) = cos(b)\nbilateral s: sin(a) = sin(b)\n",
      "coordinate a = 0.5, b = 0.5\nkinetic (a'^2 + b'^2)/2\npotential 5*a^2\n"
      "dissipation 20*b'^2/2\nbilateral c: cos(a) = cos(b)\nbilateral s: sin(a) = sin(b)\n"};
  for (int k = 0; dls_scheme_info_at(k); k++)
    for (int i = 0; i < 2; i++) {
      at_case("k %d, %s", k, text[i]);
      static trial run;
      run = (trial){.text = text[i], .scheme = dls_scheme_info_at(k)->name, .step = 0x1p-8};
      run.until = i ? 60 : 1;
      if (dls_scheme_info_at(k)->adaptive) run.rtol = 1e-5, run.atol = 1e-12;
      trial_run(&run);
      const double q = i ? 0 : 1e-7 * cos(sqrt(5)), bound = i ? 1e-7 : 2e-9;
      if (run.wrong || !(fabs(run.q[0] - q) <= bound) || !(fabs(run.q[1] - q) <= bound))
        fail_msg("%s: %s, %g, not %g", run.scheme, run.wrong ? run.wrong : "there", run.q[0], q);
    }
}

// Cranks in a row that bars keep parallel, to the next one and the next but one, or simple
// constraints: a whole of many rows.
static void write_cranks(bool bars, char *text, size_t size)
{
  enum { CRANKS_N = 30 };
  int at = 0;
  for (int i = 0; i < CRANKS_N; i++)
    at += snprintf(text + at, size - (size_t)at,
                   "coordinate a%d = 0.4\nvelocity a%d = 1\nkinetic a%d'^2/2\n", i, i, i);
  at += snprintf(text + at, size - (size_t)at, "potential 15*sin(a0) + 8*cos(a3)\n");
  for (int far = 1; far <= (bars ? 2 : 1); far++)
    for (int i = 0; i + far < CRANKS_N; i++) {
      const double y = sin(7 * (i + far)) - sin(7 * i);  // pivots at (i, sin 7i)
      if (bars)
        at += snprintf(text + at, size - (size_t)at,
                       "bilateral b%d_%d: (cos(a%d) - cos(a%d) + %d)^2 + (sin(a%d) - sin(a%d) + "
                       "(%.17g))^2 = %d + (%.17g)^2\n",
                       far, i, i + far, i, far, i + far, i, y, far * far, y);
      else at += snprintf(text + at, size - (size_t)at, "bilateral b%d: a%d = a%d\n", i, i, i + 1);
    }
}

static void many(void **state)
{
  (void)state;
  static const char *const schemes[] = {"moreau", "lcp", "schatzman-paoli", "radau5", "herk4"};
  static char text[2][20000];
  for (int bars = 0; bars < 2; bars++) write_cranks(bars, text[bars], sizeof text[bars]);
  for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
    fixture *r[2];
    for (int bars = 0; bars < 2; bars++) {
      at_case("%s, %s", schemes[k], text[bars]);
      r[bars] = fixture_open(text[bars], schemes[k], 0x1p-6, 0);
      fixture_to(r[bars], 2);
    }
    const double difference = fabs(fixture_q(r[1], 20) - fixture_q(r[0], 20));
    if (!(difference <= 1e-8)) fail_msg("%s: by %g", schemes[k], difference);
    fixture_close(r[0]), fixture_close(r[1]);
  }
}

// A chain of more constraints than are compared with each other, each of them written in two ways.
static void long_chain(void **state)
{
  (void)state;
  enum { LINKS = 205 };
  static char text[2][LINKS * 250];
  const char *const list[] = {"moreau", "herk2"};
  for (int twice = 0; twice < 2; twice++) {
    char *to = text[twice], *const end = to + sizeof text[0];
    for (int i = 1; i <= LINKS; i++)
      to += snprintf(to, (size_t)(end - to),
                     "coordinate x%d = %d, y%d = 0\nkinetic (x%d'^2 + y%d'^2)/2\n"
                     "potential 10*y%d\n",
                     i, i, i, i, i, i);
    for (int i = 1; i <= LINKS; i++)
      for (int k = 0; k <= twice; k++) {
        char rod[80] = "x1^2 + y1^2 - 1";
        if (i > 1)
          snprintf(rod, sizeof rod, "(x%d - x%d)^2 + (y%d - y%d)^2 - 1", i, i - 1, i, i - 1);
        to += snprintf(to, (size_t)(end - to), "bilateral r%d_%d: (%s)*(%s%d%s) = 0\n", i, k, rod,
                       k ? "2 + sin(y" : "1 + 0*(", k ? i : 0, ")");
      }
    assert_true(to < end);
  }
  for (int k = 0; k < 2; k++) {
    at_case("%s", list[k]);
    fixture *r[2];
    for (int twice = 0; twice < 2; twice++) {
      r[twice] = fixture_open(text[twice], list[k], 0x1p-6, 0);
      fixture_to(r[twice], 0.25);
    }
    assert_int_equal(r[1]->system->m, 2 * LINKS);
    for (int i = 0; i < 2 * LINKS; i++) {
      const double difference = fabs(fixture_q(r[1], i) - fixture_q(r[0], i));
      // beside the constraints both ways differ, by what a step is wrong at most
      if (!(difference <= 1e-4)) fail_msg("coordinate %d: by %g", i, difference);
    }
    assert_true(fixture_q(r[0], 2 * LINKS - 1) < -0.1);
    fixture_close(r[0]), fixture_close(r[1]);
  }
}

// A gradient that is nothing but rounding, at a state that misses the constraint within the
// tolerance: it takes no part. Its force would have to move x by 1e6.
static void gradients_of_rounding(void **unused)
{
  (void)unused;
  static const char text[] = "coordinate x\nkinetic x'^2/2\nforce x = 1\n"
                             "bilateral across: sin(pi)*x + 1e-10 = 0\n";
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *s = dls_scheme_info_at(k);
    at_case("%s", s->name);
    fixture *r = fixture_open(text, s->name, 0x1p-8, s->adaptive && !s->events ? 1e-6 : 0);
    fixture_to(r, 1);
    if (!(fabs(fixture_q(r, 0) - 0.5) < 5e-3)) fail_msg("x = %g", fixture_q(r, 0));
    fixture_close(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(mechanisms_of_one), cmocka_unit_test(at_rest),
                                     cmocka_unit_test(many), cmocka_unit_test(long_chain),
                                     cmocka_unit_test(gradients_of_rounding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
