// Forces that switch: sign, abs, floor, min, max and comparisons in forces, eq (swi.1); gaps that
// are the smallest of several, eq (swi.3). Closed forms, and pieces put together by hand.
#include "language.h"
#include "fixture.h"
#include "trial.h"

#include <float.h>

static const double PI = 3.14159265358979323846;

static const struct {
  const char *name;
  double order;
} schemes[] = {{"radau3", 3}, {"radau5", 5}, {"lobatto2", 2}, {"lobatto4", 4}, {"lobatto6", 6},
               {"herk2", 2},  {"herk3", 3},  {"herk4", 4},    {"herk5", 5},    {"herk8", 8}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

// A spring that is four times as stiff on one side.
static double two_springs(double t)
{
  t = fmod(t, 1.5 * PI);
  return t < PI / 2 ? cos(t) : t < PI ? -sin(2 * t - PI) / 2 : sin(t - PI);
}

static double error_of(const char *text, const char *scheme, double step, double until,
                       double exact, int switches)
{
  fixture *r = fixture_open(text, scheme, step, 0);
  fixture_to(r, until);
  const double error = fabs(fixture_q(r, 0) - exact);
  if (fixture_count(r, DLS_EVENT_SWITCH) != switches)
    fail_msg("%s, step %g: %d switches, not %d", scheme, step, fixture_count(r, DLS_EVENT_SWITCH),
             switches);
  fixture_close(r);
  return error;
}

// The order of each scheme holds through switches, however the force is written.
static void orders_hold(void **state)
{
  (void)state;
  static const char *const force[] = {"if(x > 0, -x, -4*x)",  "-x + 3*max(0, -x)",
                                      "-x - 3*min(x, 0)",     "-(5*x - 3*abs(x))/2",
                                      "-x*(5 - 3*sign(x))/2", "if(0 <= x, -1, -4)*x"};
  char text[200];
  for (int k = 0; k < 6; k++) {
    snprintf(text, sizeof text, "coordinate x = 1\nkinetic x'^2/2\nforce x = %s\n", force[k]);
    for (int s = 0; s < SCHEMES; s++) {
      const double exact = two_springs(7.3);
      const double coarse = error_of(text, schemes[s].name, 0.05, 7.3, exact, 3);
      const double fine = error_of(text, schemes[s].name, 0.025, 7.3, exact, 3);
      if (!(fine < 1e-12 || log2(coarse / fine) > schemes[s].order - 0.4))
        fail_msg("%s by %s: %g, then %g", force[k], schemes[s].name, coarse, fine);
    }
  }
}

// x'' = -a sign(x - c) + b floor(t / T), by pieces of constant acceleration.
typedef struct sample {
  double a, b, c, T, x, v, until;
  double end_x, end_v, slowest, first;  // the slowest crossing, the time of the first switch
} sample;

static double crossing(double d, double v, double a, double most)
{
  const double root = v * v - 2 * a * d;
  double first = most;
  if (!(root >= 0)) return most;
  const double w = -(v + copysign(sqrt(root), v));
  const double t[2] = {w / a, 2 * d / w};
  for (int k = 0; k < 2; k++)
    if (t[k] > 1e-12 && t[k] < first) first = t[k];
  return first;
}

static void follow(sample *s)
{
  double x = s->x, v = s->v, t = 0;
  double side = x > s->c ? 1 : -1;
  s->slowest = INFINITY, s->first = s->T;
  for (int k = 0; t < s->until; k++) {
    const double next = fmin((floor(t / s->T + 1e-9) + 1) * s->T, s->until);
    const double a = -s->a * side + s->b * floor(t / s->T + 1e-9);
    const double h = crossing(x - s->c, v, a, next - t);
    const bool crosses = h < next - t;
    x = crosses ? s->c : x + h * (v + h * a / 2);
    v += h * a;
    t = crosses ? t + h : next;
    if (crosses) side = v > 0 ? 1 : -1;
    if (crosses) s->slowest = fmin(s->slowest, fabs(v)), s->first = fmin(s->first, t);
  }
  s->end_x = x, s->end_v = v;
}

static sample draw_sample(rng *r)
{
  for (;;) {
    sample s = {.a = draw_log(r, 0.5, 2), .b = draw_log(r, 0.01, 0.1), .c = draw_between(r, -1, 1)};
    s.T = draw_log(r, 0.3, 2), s.x = draw_between(r, -2, 2), s.v = draw_between(r, -2, 2);
    s.until = draw_between(r, 2, 6);
    follow(&s);
    const double rest = fmod(s.until, s.T) / s.T;
    if (s.slowest > 0.2 && fabs(s.x - s.c) > 0.1 && rest > 0.01 && rest < 0.99) return s;
  }
}

static void random_pieces(void **state)
{
  (void)state;
  static const char *const some[] = {"radau5", "herk4", "lobatto4", "radau3"};
  char text[400];
  tally t = tally_begin("switching", 60);
  while (tally_next(&t)) {
    const sample s = draw_sample(&t.r);
    snprintf(text, sizeof text,
             "coordinate x = %.17g\nvelocity x = %.17g\nkinetic x'^2/2\n"
             "force x = -%.17g*sign(x - %.17g) + %.17g*floor(t/%.17g)\n",
             s.x, s.v, s.a, s.c, s.b, s.T);
    for (int k = 0; k < 4; k++) {
      trial x = {.text = text, .scheme = some[k], .step = s.until / 60, .until = s.until};
      x.rtol = x.atol = t.number % 2 == 0 ? 0 : 1e-9;
      trial_run(&x);
      // pieces are exact: what is wrong is the time of the switches, by critical intervals of
      // 0.01 h (h/t)^p at most, eq (cap.3), and velocities by the jump of the force times that
      const double h = x.step, critical = 0.01 * h * pow(fmin(1, h / s.first), 3);
      const double allowed = x.rtol > 0 ? 1e-7 : 10 * s.a * s.until * critical;
      tally_comparison(&t, &x, fabs(x.q[0] - s.end_x) / allowed, "place");
      tally_comparison(&t, &x, fabs(x.v[0] - s.end_v) / allowed, "velocity");
    }
  }
  tally_end(&t);
}

// Where bodies rest the sign of abs(x') is rounding, and no event.
static void kinks_at_rest_are_no_events(void **state)
{
  (void)state;
  const double c = sqrt(0.981), way = log1p(1 / (c * c)) / 2;
  for (int s = 0; s < SCHEMES; s++) {
    fixture *r = fixture_open("coordinate x, y\nvelocity x = 1\nkinetic (x'^2 + y'^2)/2\n"
                              "force x = -abs(x')*x'\npotential 9.81*y\n"
                              "unilateral floor: y >= 0 { slip x'; friction 0.1 }\n",
                              schemes[s].name, 0.01, 0);
    fixture_to(r, 3);
    if (fixture_count(r, DLS_EVENT_SWITCH) > 1 || fabs(fixture_q(r, 0) - way) > 2e-5)
      fail_msg("%s: %d switches, off by %g", schemes[s].name, fixture_count(r, DLS_EVENT_SWITCH),
               fixture_q(r, 0) - way);
    fixture_close(r);
  }
}

// A force that changes its sign is what begins to slide, and to fly.
static void switches_start_contacts(void **state)
{
  (void)state;
  for (int s = 0; s < SCHEMES; s++) {
    fixture *r = fixture_open("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                              "force x = if(t < 0.503, 1, 4)\nforce y = if(t < 1.507, 0, 12)\n"
                              "unilateral floor: y >= 0 { slip x'; friction 0.2 }\n",
                              schemes[s].name, 0.01, 0);
    fixture_to(r, 2.5);
    const double slid = 1.507 - 0.503, flown = 2.5 - 1.507;
    const double x = slid * slid + (2 * slid) * flown + 2 * flown * flown;
    if (fabs(fixture_q(r, 0) - x) > 1e-5 || fabs(fixture_q(r, 1) - flown * flown) > 1e-5 ||
        fixture_count(r, DLS_EVENT_SWITCH) != 2 || fixture_count(r, DLS_EVENT_SLIP) != 1 ||
        fixture_count(r, DLS_EVENT_TAKE_OFF) != 1)
      fail_msg("%s: x off by %g, y by %g, %d switches", schemes[s].name, fixture_q(r, 0) - x,
               fixture_q(r, 1) - flown * flown, fixture_count(r, DLS_EVENT_SWITCH));
    fixture_close(r);
  }
}

// A start on a switch, which the motion leaves by less than rounding sees at first: the force is
// the wrong one, by up to 2, until t^2/2 is as large as the rounding of the place.
static void starts_on_a_switch(void **state)
{
  (void)state;
  static const double places[] = {1, 1e4, -3};
  char text[200];
  for (int s = 0; s < SCHEMES; s++)
    for (int k = 0; k < 3; k++) {
      const double at = places[k];
      snprintf(
          text, sizeof text,
          "coordinate x = %g\nkinetic x'^2/2\nforce x = if(x < %g, -1, -2) + 0.5*floor(%g - x)\n",
          at, at, at);
      fixture *r = fixture_open(text, schemes[s].name, 0.0025, 0);
      fixture_to(r, 1);
      const double seen = sqrt(2 * DBL_EPSILON * fabs(at));
      if (!(fabs(fixture_q(r, 0) - (at - 0.5)) < 2 * seen + 1e-9) ||
          fixture_count(r, DLS_EVENT_SWITCH) > 2)
        fail_msg("%s from %g: off by %g, %d switches", schemes[s].name, at,
                 fixture_q(r, 0) - (at - 0.5), fixture_count(r, DLS_EVENT_SWITCH));
      fixture_close(r);
    }
}

// Forces between whose branches the motion would stay: said, at the place, within the step.
static void back_and_forth_is_said(void **state)
{
  (void)state;
  for (int s = 0; s < SCHEMES; s++) {
    fixture *r = fixture_open("coordinate x\nvelocity x = 1\nkinetic x'^2/2\nforce x = -sign(x')\n",
                              schemes[s].name, 0.03, 0);
    assert_int_equal(fixture_until_failure(r, 3), DLS_FAILURE_STEP);
    assert_true(fabs(dls_integrator_sample(r->integrator).t - 1) < 0.04);
    fixture_close(r);
  }
}

// Branches belong to their part: each moves as it would alone.
static void parts_switch_alone(void **state)
{
  (void)state;
  fixture *both = fixture_open("coordinate x = 1, y = 1\nkinetic x'^2/2 + y'^2/2\n"
                               "force x = if(x > 0, -x, -4*x)\nforce y = -sign(y)\n",
                               "herk4", 0.05, 0);
  fixture *one =
      fixture_open("coordinate y = 1\nkinetic y'^2/2\nforce y = -sign(y)\n", "herk4", 0.05, 0);
  fixture_to(both, 7.3);
  fixture_to(one, 7.3);
  assert_true(fabs(fixture_q(both, 0) - two_springs(7.3)) < 1e-5);
  assert_true(fixture_q(both, 1) == fixture_q(one, 0) && fixture_v(both, 1) == fixture_v(one, 0));
  assert_int_equal(fixture_count(both, DLS_EVENT_SWITCH), 6);
  fixture_close(both);
  fixture_close(one);
}

// A force in whose condition another coordinate stands makes them one part.
static void conditions_couple(void **state)
{
  (void)state;
  fixture *r = fixture_open("coordinate x = 1, y = 1\nkinetic x'^2/2 + y'^2/2\npotential y\n"
                            "force x = if(y > 0, 0, 1)\n",
                            "radau5", 0.05, 0);
  assert_true(r->system->parts <= 1);
  fixture_to(r, 2);
  const double after = 2 - sqrt(2);
  assert_true(fabs(fixture_q(r, 0) - 1 - after * after / 2) < 1e-8);
  fixture_close(r);
}

// --- the system's functions ---

static void branches_are_held(void **state)
{
  (void)state;
  dls_model *model = parse("coordinate x\nkinetic x'^2/2\n"
                           "force x = -2*sign(x) + floor(3*x) + abs(x) + max(x, 2)\n");
  dls_system *s;
  dls_values *values;
  assert_int_equal(dls_model_system(model, &s), DLS_OK);
  assert_int_equal(dls_values_create(s, &values), DLS_OK);
  assert_int_equal(s->switches, 3);  // sign and abs share theirs
  const double here = 0.5, there = -0.75, v = 0;
  double branch[3], margin[3];
  assert_int_equal(s->branches(s->self, 0, &here, &v, branch, NULL), DLS_OK);
  s->hold(s->self, branch);
  assert_int_equal(s->evaluate(s->self, 0, &there, &v, values, NULL, NULL), DLS_OK);
  assert_true(values->F[0] == -(-2 + 1 + there + 2));
  assert_int_equal(s->branch_margins(s->self, 0, &here, &v, branch, margin, NULL), DLS_OK);
  for (int k = 0; k < 3; k++) assert_true(margin[k] > 0);
  assert_int_equal(s->branch_margins(s->self, 0, &there, &v, branch, margin, NULL), DLS_OK);
  int outside = 0;
  for (int k = 0; k < 3; k++) outside += margin[k] < 0;
  assert_int_equal(outside, 2);
  s->hold(s->self, NULL);
  assert_int_equal(s->evaluate(s->self, 0, &there, &v, values, NULL, NULL), DLS_OK);
  assert_true(values->F[0] == -(2 - 3 - there + 2));
  dls_values_free(values);
  dls_system_free(s);
  dls_model_free(model);
}

static void what_decides_must_be_a_number(void **state)
{
  (void)state;
  dls_model *model = parse("coordinate x = 1\nkinetic x'^2/2\nforce x = sign(log(x))\n");
  dls_system *s;
  dls_values *values;
  dls_message message;
  assert_int_equal(dls_model_system(model, &s), DLS_OK);
  assert_int_equal(dls_values_create(s, &values), DLS_OK);
  const double x = -1, v = 0;
  assert_int_equal(s->evaluate(s->self, 0, &x, &v, values, NULL, &message), DLS_ERR_NUMBER);
  assert_non_null(strstr(message.text, "decides"));
  dls_values_free(values);
  dls_system_free(s);
  dls_model_free(model);
}

// --- the smallest of several gaps ---

// The first error is in that line, and says so.
static void refuses(const char *text, int line, const char *words)
{
  dls_model *model;
  static dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  if (d.item[0].line != line || !strstr(d.item[0].message, words))
    fail_msg("%s: line %d: %s", text, d.item[0].line, d.item[0].message);
}

static void compare_motions(const char *text, const char *by_hand, double tolerance)
{
  fixture *a = fixture_open(text, "radau5", 0.01, 0), *b = fixture_open(by_hand, "radau5", 0.01, 0);
  fixture_to(a, 3);
  fixture_to(b, 3);
  assert_int_equal(a->system->m, b->system->m);
  assert_true(a->events > 10);
  assert_int_equal(a->events, b->events);
  for (int i = 0; i < 2; i++)
    if (fabs(fixture_q(a, i) - fixture_q(b, i)) > tolerance ||
        fabs(fixture_v(a, i) - fixture_v(b, i)) > tolerance)
      fail_msg("%s: %g and %g", text, fixture_q(a, i), fixture_q(b, i));
  fixture_close(a);
  fixture_close(b);
}

static void smallest_of_several(void **state)
{
  (void)state;
#define POINT                                                                               \
  "coordinate x = 0.5, y = 1\nvelocity x = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n" \
  "parameter a = 3, b = 5\n"
  const char *by_hand = POINT "unilateral p: x >= 0 { restitution 0.5 }\n"
                              "unilateral q: y >= 0 { restitution 0.5 }\n";
  compare_motions(POINT "unilateral c: min(x, y) >= 0 { restitution 0.5 }\n", by_hand, 0);
  compare_motions(POINT "let g = min(x, y)\nlet f = g\nunilateral c: f >= 0 { restitution 0.5 }\n",
                  by_hand, 0);
  compare_motions(POINT "unilateral c: 0 <= min(x, y) { restitution 0.5 }\n", by_hand, 0);
  compare_motions(POINT "unilateral c: max(-x, -y) <= 0 { restitution 0.5 }\n", by_hand, 0);
  compare_motions(POINT "unilateral c: 1 + 2*min(x, y)/2 >= min(1, a) { restitution 0.5 }\n",
                  by_hand, 1e-12);
  compare_motions(POINT "unilateral c: min(min(x, y), a - abs(x)) >= 0 { restitution 0.5 }\n",
                  POINT "unilateral p: x >= 0 { restitution 0.5 }\n"
                        "unilateral r: a - x >= 0 { restitution 0.5 }\n"
                        "unilateral q: y >= 0 { restitution 0.5 }\n"
                        "unilateral s: a - (-x) >= 0 { restitution 0.5 }\n",
                  0);
  fixture *r =
      fixture_open(POINT "unilateral c: min(x, y) >= min(a, b) - 3 {}\n", "moreau", 0.1, 0);
  assert_int_equal(r->system->m, 2);
  assert_string_equal(r->system->contacts[0].name, "c.side1");
  assert_string_equal(r->system->contacts[1].name, "c.side2");
  fixture_close(r);
  r = fixture_open(POINT "unilateral c: y >= min(a, b) - 3\n", "moreau", 0.1, 0);
  assert_int_equal(r->system->m, 1);
  fixture_close(r);
}

static void what_is_not_the_smallest(void **state)
{
  (void)state;
  static const char *const wrong[] = {
      "max(x, y) >= 0", "1 - min(x, y) >= 0", "min(x, y)^2 >= 1",   "x*min(x, y) >= 0",
      "abs(x) >= 1",    "sign(x) >= 0",       "-2*min(x, y) >= -9", "min(x, y) >= max(x, 2*y)*-1"};
  char text[300];
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    snprintf(text, sizeof text, POINT "unilateral c: %s\n", wrong[k]);
    refuses(text, 6, "a constraint needs derivatives");
  }
  refuses(POINT "unilateral c: min(x, y) >= 0\nrestitution c = 0.5\n", 7,
          "the smallest of several");
  refuses(POINT "bilateral c: min(x, y) = 0\n", 6, "a constraint needs derivatives");
  char many[6000] = POINT "unilateral c: ";
  for (int k = 0; k < 120; k++) strcat(many, "min(x, ");
  strcat(many, "y");
  for (int k = 0; k < 120; k++) strcat(many, ")");
  strcat(many, " >= 0\n");
  refuses(many, 6, "the smallest of more than");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_hold),
      cmocka_unit_test(random_pieces),
      cmocka_unit_test(kinks_at_rest_are_no_events),
      cmocka_unit_test(switches_start_contacts),
      cmocka_unit_test(starts_on_a_switch),
      cmocka_unit_test(back_and_forth_is_said),
      cmocka_unit_test(parts_switch_alone),
      cmocka_unit_test(conditions_couple),
      cmocka_unit_test(branches_are_held),
      cmocka_unit_test(what_decides_must_be_a_number),
      cmocka_unit_test(smallest_of_several),
      cmocka_unit_test(what_is_not_the_smallest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
