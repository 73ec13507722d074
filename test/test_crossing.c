// Events of a model against closed forms: apexes of a bouncing ball, quarter periods of a pendulum
// by the arithmetic-geometric mean, the stop of a sliding block; their order of accuracy; and a
// motion that is the same with them and without.
#include "language.h"

#include "cases.h"

#include <delassus/delassus.h>

#include <float.h>

enum { MAX = 200 };

typedef struct crossing {
  int event, direction;
  double t, q, v;
  bool located, jumps;
} crossing;

typedef struct told {
  int count;
  crossing item[MAX];
  int contacts;  // events of contacts
  double last;   // time of what was told before
  dls_crossings *crossings;
  dls_step_counts counts;
  double q[8], v[8];
} told;

static void tell(void *self, const dls_event *event)
{
  if (!((told *)self)->crossings) return;
  assert_int_equal(dls_crossings_tell(((told *)self)->crossings, event), DLS_OK);
}

static void take(told *x)
{
  dls_happening h;
  while (dls_crossings_next(x->crossings, &h)) {
    const double t = h.event ? h.event->t : h.sample.t;
    assert_true(t >= x->last);
    x->last = t;
    if (h.event) {
      x->contacts++;
      continue;
    }
    assert_true(x->count < MAX);
    x->item[x->count++] = (crossing){.event = h.function,
                                     .direction = h.direction,
                                     .t = h.sample.t,
                                     .q = h.sample.q[0],
                                     .v = h.sample.v[0],
                                     .located = h.located,
                                     .jumps = h.jumps};
  }
}

typedef struct way {
  const char *scheme;
  double step, until, rtol;
  const dls_crossing_functions *functions;
  bool without;
} way;

static told simulate(const char *text, const way *how)
{
  running r = run(text);
  told x = {.last = -HUGE_VAL};
  dls_integrator *g = NULL;
  dls_message message = {0};
  dls_failure failure = DLS_FAILURE_NONE;
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = how->scheme, options.step = how->step;
  options.rtol = options.atol = how->rtol;
  options.event = tell, options.self = &x;
  go_to(&r, NULL);
  assert_int_equal(dls_model_differentiate(r.system, &message), DLS_OK);
  assert_int_equal(dls_integrator_create(r.system, &r.state, &options, &g, &message), DLS_OK);
  if (!how->without)
    assert_int_equal(
        dls_crossings_create(r.system, &r.state, &options, how->functions, &x.crossings, &message),
        DLS_OK);
  while (dls_integrator_sample(g).t < how->until) {
    dls_sample s = dls_integrator_sample(g);
    if (!how->without) dls_crossings_before(x.crossings, &s);
    const dls_status status = dls_integrator_advance(g, how->until, &failure, &message);
    if (status != DLS_OK || failure != DLS_FAILURE_NONE) fail_msg("%s", message.text);
    s = dls_integrator_sample(g);
    if (how->without) continue;
    assert_int_equal(dls_crossings_after(x.crossings, &s, &message), DLS_OK);
    take(&x);
  }
  const dls_sample end = dls_integrator_sample(g);
  assert_true(end.n <= 8);
  memcpy(x.q, end.q, (size_t)end.nq * sizeof(double));
  memcpy(x.v, end.v, (size_t)end.n * sizeof(double));
  x.counts = dls_integrator_counts(g);
  dls_integrator_free(g);
  dls_crossings_free(x.crossings);
  stop(&r);
  return x;
}

// Number k of the crossings of an event.
static const crossing *find(const told *x, int event, int k)
{
  for (int i = 0; i < x->count; i++)
    if (x->item[i].event == event && k-- == 0) return &x->item[i];
  fail_msg("event %d is missing", event);
  return NULL;
}

static int count_of(const told *x, int event)
{
  int count = 0;
  for (int i = 0; i < x->count; i++) count += x->item[i].event == event;
  return count;
}

// ---- closed forms -------------------------------------------------------------------------------

static const char ball[] = "coordinate y = 1\nkinetic y'^2/2\npotential y\n"
                           "unilateral floor: y >= 0 { restitution 1/2 }\n"
                           "event turn: y' = 0\nevent low: y = 0.1\nevent slow: y' = -1/3\n";

// Impacts at s, 2 s, 2.5 s, ... with s = sqrt 2, apexes half way between them.
static void a_ball_bounces(void **unused)
{
  (void)unused;
  static const char *const schemes[] = {"radau5", "herk5", "lobatto4"};
  const double s = sqrt(2);
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    const way how = {.scheme = schemes[k], .step = 0.07, .until = 3.53};
    const told x = simulate(ball, &how);
    assert_int_equal(x.contacts, 2);
    assert_int_equal(count_of(&x, 0), 4);
    for (int i = 0; i < 4; i++) {
      const double expected[] = {s, 1.5 * s, 2 * s, 2.25 * s};
      const crossing *c = find(&x, 0, i);
      assert_true(fabs(c->t - expected[i]) < 1e-8);
      assert_int_equal(c->direction, i % 2 ? -1 : 1);
      assert_true(c->located && c->jumps == (i % 2 == 0));
      if (i == 1) assert_true(fabs(c->q - 0.25) < 1e-8 && fabs(c->v) < 1e-12);
      if (i == 0) assert_true(fabs(c->q) < 1e-8 && fabs(c->v - s / 2) < 1e-8);  // behind the jump
    }
    // y = 0.1 before the first impact, after it, before the second; then it stays below
    const double low[] = {sqrt(1.8), 1.5 * s - sqrt(0.3), 1.5 * s + sqrt(0.3)};
    assert_int_equal(count_of(&x, 1), 3);
    for (int i = 0; i < 3; i++) assert_true(fabs(find(&x, 1, i)->t - low[i]) < 1e-8);
    // y' = -1/3 falling in both flights, and rising through it in the impacts
    const double slow[] = {1.0 / 3, s, 1.5 * s + 1.0 / 3, 2 * s, 2.25 * s + 1.0 / 3};
    assert_int_equal(count_of(&x, 2), 5);
    for (int i = 0; i < 5; i++) assert_true(fabs(find(&x, 2, i)->t - slow[i]) < 1e-8);
  }
}

static double quarter_period(double amplitude)
{
  double a = 1, b = cos(amplitude / 2);
  for (int i = 0; i < 40; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b), a = mean;
  }
  return acos(-1) / (2 * a);
}

static const char pendulum[] = "coordinate a = 2\nkinetic a'^2/2\npotential -cos(a)\n"
                               "event down: a = 0\nevent rest: a' = 0\nevent even: energy = 1\n";

static void a_pendulum_swings(void **unused)
{
  (void)unused;
  const double K = quarter_period(2);
  const way ways[] = {{"radau5", 0.05, 8.5, 0, NULL, false},
                      {"herk5", 0.05, 8.5, 0, NULL, false},
                      {"radau5", 0.01, 8.5, 1e-9, NULL, false}};
  for (int k = 0; k < 3; k++) {
    at_case("%s %g", ways[k].scheme, ways[k].rtol);
    const told x = simulate(pendulum, &ways[k]);
    assert_int_equal(count_of(&x, 0), 2);  // K, 3 K
    assert_int_equal(count_of(&x, 1), 2);  // 2 K, 4 K; that of the start is none
    assert_int_equal(count_of(&x, 2), 0);  // -cos(2) = 0.416 for ever
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(find(&x, 0, i)->t - (2 * i + 1) * K) < 1e-6);
      assert_true(fabs(find(&x, 1, i)->t - (2 * i + 2) * K) < 1e-6);
      assert_true(fabs(find(&x, 0, i)->q) < 1e-14);
    }
  }
}

// The error of the time of the crossing, for a step and its half: the scheme's order. Moreau's is
// 2 with theta = 1/2 on a smooth motion, and a line within the step keeps it.
static void times_have_the_order_of_the_scheme(void **unused)
{
  (void)unused;
  static const struct {
    const char *scheme;
    double step;
    int order;
  } cases[] = {{"radau5", 0.2, 5}, {"herk5", 0.1, 5}, {"radau3", 0.1, 3}, {"moreau", 0.05, 2}};
  const double K = quarter_period(2);
  for (int k = 0; k < 4; k++) {
    at_case("%s", cases[k].scheme);
    double error[3];
    for (int i = 0; i < 3; i++) {
      // steps that have no crossing at their end
      const way how = {.scheme = cases[k].scheme, .step = ldexp(cases[k].step, -i), .until = 7};
      const told x = simulate(pendulum, &how);
      error[i] = fabs(find(&x, 0, 1)->t - 3 * K);
      assert_true(find(&x, 0, 1)->located == (k < 3));
    }
    const double order = log2(error[0] / error[2]) / 2;
    if (!(order > cases[k].order - 0.4))
      fail_msg("order %.3g, errors %g %g %g", order, error[0], error[1], error[2]);
  }
}

// ---- in one step --------------------------------------------------------------------------------

static void several_in_one_step(void **unused)
{
  (void)unused;
  // free motion: the cubic is exact, and so is one step
  static const char text[] = "coordinate x\nvelocity x = 1\nkinetic x'^2/2\n"
                             "event c: x = 0.3\nevent a: x = 0.1\nevent b: 2*x = 0.4\n"
                             "event twice: (x - 0.35)*(x - 0.65) = 0\nevent never: x = 7\n"
                             "event same: x = 0.1\nevent clock: t = 0.9\n";
  const way how = {.scheme = "radau5", .step = 1, .until = 1};
  const told x = simulate(text, &how);
  static const double t[] = {0.1, 0.1, 0.2, 0.3, 0.35, 0.65, 0.9};
  static const int event[] = {1, 5, 2, 0, 3, 3, 6};
  assert_int_equal(x.count, 7);
  for (int i = 0; i < 7; i++) {
    at_case("%d", i);
    assert_true(fabs(x.item[i].t - t[i]) < 1e-13);
    assert_int_equal(x.item[i].event, event[i]);
  }
  assert_int_equal(x.item[4].direction, -1);
  assert_int_equal(x.item[5].direction, 1);
}

// Zero at the start is no crossing, whichever way it goes; nor is touching zero.
static void starts_and_touches(void **unused)
{
  (void)unused;
  static const char text[] = "coordinate x, y = 1e-17\nvelocity x = 1, y = -1\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "event s: x = 0\nevent m: -x = 0\nevent r: y = 0\n"
                             "event touch: (x - 0.505)^2 = 0\nevent back: x*(1.15 - x) = 0\n";
  static const char *const schemes[] = {"radau5", "herk5", "moreau"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    const way how = {.scheme = schemes[k], .step = 0.1, .until = 2};
    const told x = simulate(text, &how);
    assert_int_equal(x.count, 1);
    assert_int_equal(x.item[0].event, 4);
    assert_true(fabs(x.item[0].t - 1.15) < (k == 2 ? 0.01 : 1e-13));
  }
}

// A block that slides to rest: its velocity reaches zero and stays; noise there is no event.
static void a_block_comes_to_rest(void **unused)
{
  (void)unused;
  static const char text[] =
      "coordinate x, y\nvelocity x = 1\nkinetic (x'^2 + y'^2)/2\n"
      "potential 10*y\nunilateral floor: y >= 0 { slip x'; friction 0.1 }\n"
      "event rest: x' = 0\nevent same: floor.slip = 0\nevent gap: floor.gap = 0\n";
  static const char *const schemes[] = {"radau5", "herk5", "moreau", "lcp"};
  for (int k = 0; k < 4; k++) {
    at_case("%s", schemes[k]);
    const way how = {.scheme = schemes[k], .step = 0.03, .until = 3};
    const told x = simulate(text, &how);
    assert_int_equal(x.count, 2);
    for (int i = 0; i < 2; i++) {
      if (!(fabs(x.item[i].t - 1) < (k < 2 ? 1e-9 : k < 3 ? 0.03 : 0.06)))
        fail_msg("t = %g", x.item[i].t);
      assert_int_equal(x.item[i].direction, -1);
    }
  }
}

// ---- the motion is left alone -------------------------------------------------------------------

static void the_motion_is_the_same(void **unused)
{
  (void)unused;
  static const way ways[] = {{"radau5", 0.03, 3.3, 0, NULL, false},
                             {"herk5", 0.03, 3.3, 1e-7, NULL, false},
                             {"radau5", 0.03, 3.3, 1e-6, NULL, false},
                             {"moreau", 0.03, 3.3, 0, NULL, false}};
  // two balls are two parts, which step for themselves
  static const char two[] = "coordinate y = 1, z = 0.5\nkinetic (y'^2 + z'^2)/2\n"
                            "potential y + z\nunilateral a: y >= 0 { restitution 1/2 }\n"
                            "unilateral b: z >= 0 { restitution 0.9 }\n"
                            "event meet: y = z\nevent turn: y' = 0\n";
  // branches of forces are held within pieces, and stay with their motion
  static const char drag[] = "coordinate y = 1\nkinetic y'^2/2\npotential y\n"
                             "force y = -0.3*sign(y') - if(y > 0.2, 0.1, 0)\n"
                             "unilateral floor: y >= 0 { restitution 0.8 }\n"
                             "event turn: y' = 0.01\nevent low: y = 0.21\nevent at: y = 0.19\n";
  for (int k = 0; k < 12; k++) {
    at_case("%s %d", ways[k / 3].scheme, k);
    way without = ways[k / 3];
    const char *text = k % 3 == 1 ? two : k % 3 == 2 ? drag : ball;
    const told with = simulate(text, &without);
    without.without = true;
    const told same = simulate(text, &without);
    assert_true(with.count > 4);
    assert_memory_equal(with.q, same.q, sizeof with.q);
    assert_memory_equal(with.v, same.v, sizeof with.v);
    assert_int_equal(with.counts.rhs_evaluations, same.counts.rhs_evaluations);
    // y = z first when 1 - t^2/2 is the second flight of b: it leaves at 1 with 0.9
    if (k % 3 == 1 && k / 3 < 3) {
      const crossing *c = find(&with, 0, 0);
      // 1 - t^2/2 = 0.9 (t - 1) - (t - 1)^2/2  =>  1.5 + 0.9 = 1.9 t
      assert_true(fabs(c->t - 2.4 / 1.9) < (ways[k / 3].rtol > 0 ? 1e-4 : 1e-8));
    }
  }
}

// ---- functions of the caller --------------------------------------------------------------------

static dls_status half(void *self, double t, const double *q, const double *v, double *g)
{
  (void)v;
  ++*(int *)self;
  g[0] = q[0] - 0.5;
  g[1] = t < 0.5 ? (double)NAN : 0.75 - t;  // not everywhere
  return DLS_OK;
}

static void callers_have_functions(void **unused)
{
  (void)unused;
  int calls = 0;
  const dls_crossing_functions functions = {.count = 2, .evaluate = half, .self = &calls};
  const way how = {.scheme = "radau5", .step = 0.1, .until = 1.2, .functions = &functions};
  const told x = simulate(ball, &how);
  assert_true(calls > 100);
  assert_int_equal(x.count, 2);
  assert_true(fabs(x.item[0].t - 0.75) < 1e-13 && fabs(x.item[1].t - 1) < 1e-12);
}

// Numbers of any size.
static void units_do_not_matter(void **unused)
{
  (void)unused;
  for (int k = -8; k <= 8; k += 4) {
    char text[400];
    const double L = pow(10, k);
    at_case("1e%d", k);
    snprintf(text, sizeof text,
             "coordinate y = %g\nkinetic y'^2/2\npotential %g*y\n"
             "unilateral floor: y >= 0 { restitution 1/2 }\nevent turn: y' = 0\n"
             "event tiny: 1e-200*(y - %g) = 0\n",
             L, L, L / 2);
    const way how = {.scheme = "radau5", .step = 0.07, .until = 2.5};
    const told x = simulate(text, &how);
    assert_int_equal(x.count, 3);
    assert_true(fabs(x.item[0].t - 1) < 1e-8 && x.item[0].event == 1);
    assert_true(fabs(x.item[1].t - sqrt(2)) < 1e-7 && fabs(x.item[2].t - 1.5 * sqrt(2)) < 1e-7);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces),
      cmocka_unit_test(a_pendulum_swings),
      cmocka_unit_test(times_have_the_order_of_the_scheme),
      cmocka_unit_test(several_in_one_step),
      cmocka_unit_test(starts_and_touches),
      cmocka_unit_test(a_block_comes_to_rest),
      cmocka_unit_test(the_motion_is_the_same),
      cmocka_unit_test(callers_have_functions),
      cmocka_unit_test(units_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
