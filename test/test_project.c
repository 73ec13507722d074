// Projection of a state onto its constraints: closed forms, and brute force over the constraint.
#include "language.h"
#include "numbers.h"
#include <delassus/contact.h>
#include <delassus/model.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { MOST = 4 };

typedef struct fixture {
  dls_model *model;
  dls_system *system;
  double q[MOST], v[MOST];
  dls_state state;
  dls_projection moved;
  dls_message message;
} fixture;

static void open_model(fixture *f, const char *text)
{
  f->model = parse(text);
  assert_int_equal(dls_model_system(f->model, &f->system), DLS_OK);
  assert_true(f->system->n <= MOST);
  f->state = (dls_state){.q = f->q, .v = f->v};
  assert_int_equal(dls_model_state(f->system, NULL, &f->state, NULL), DLS_OK);
}

static void close_model(fixture *f)
{
  dls_system_free(f->system);
  dls_model_free(f->model);
}

static void project(fixture *f)
{
  const dls_status status = dls_state_project(f->system, &f->state, NULL, &f->moved, &f->message);
  if (status != DLS_OK) fail_msg("%s: %s", dls_status_text(status), f->message.text);
  dls_contact_state *s;  // and it is admissible
  assert_int_equal(dls_contact_state_create(f->system, &f->state, NULL, &s, NULL), DLS_OK);
  dls_contact_state_free(s);
}

// The state must be refused, with this message, and stay as it is to the last bit.
static void not_projected(fixture *f, dls_status expected, const char *text)
{
  double q[MOST], v[MOST];
  memcpy(q, f->q, sizeof q);
  memcpy(v, f->v, sizeof v);
  assert_int_equal(dls_state_project(f->system, &f->state, NULL, &f->moved, &f->message), expected);
  if (strncmp(f->message.text, text, strlen(text)) != 0) fail_msg("%s", f->message.text);
  assert_memory_equal(q, f->q, sizeof q);
  assert_memory_equal(v, f->v, sizeof v);
  assert_int_equal(dls_state_project(f->system, &f->state, NULL, &f->moved, NULL), expected);
}

static double distance(double angle, double mass, double x, double y)
{
  return mass * pow(cos(angle) - x, 2) + pow(sin(angle) - y, 2);
}

// The nearest point of the unit circle in the metric diag(mass, 1): a scan, then a bisection of
// the best interval by the sign of the derivative.
static double nearest_angle(double mass, double x, double y)
{
  const double pi = 3.14159265358979323846;
  int best = 0;
  for (int k = 1; k < 20000; k++)
    if (distance(k * pi / 10000, mass, x, y) < distance(best * pi / 10000, mass, x, y)) best = k;
  double low = (best - 1) * pi / 10000, high = (best + 1) * pi / 10000;
  for (int k = 0; k < 60; k++) {
    const double a = 0.5 * (low + high);
    const double slope = -mass * (cos(a) - x) * sin(a) + (sin(a) - y) * cos(a);
    *(slope > 0 ? &high : &low) = a;
  }
  return 0.5 * (low + high);
}

static const char pendulum[] = "parameter m = 4\n"
                               "coordinate x = 1, y = 0\n"
                               "kinetic m*x'^2/2 + y'^2/2\n"
                               "bilateral rod: x^2 + y^2 - 1 = 0\n";
// the same constraint three times, one of them in other units
static const char redundant[] = "parameter m = 4\n"
                                "coordinate x = 1, y = 0\n"
                                "kinetic m*x'^2/2 + y'^2/2\n"
                                "bilateral rod: x^2 + y^2 - 1 = 0\n"
                                "bilateral again: 1000*(x^2 + y^2 - 1) = 0\n"
                                "bilateral root: sqrt(x^2 + y^2) - 1 = 0\n";

static void nearest_on_a_circle(void **unused)
{
  (void)unused;
  const double start[][2] = {{1.3, 0.4},       {0.8, 0.7}, {-0.9, 0.3}, {0.3, -1.2},
                             {1.0001, -0.002}, {2, 1.5},   {0.3, 0.5},  {-5, 4}};
  const char *const texts[] = {pendulum, redundant}, *const masses[] = {"4", "1", "0.25"};
  for (int t = 0; t < 2; t++) {
    for (int m = 0; m < 3; m++) {
      for (int k = 0; k < 8; k++) {
        at_case("%s, m %d, k %d", texts[t], m, k);
        fixture f;
        open_model(&f, texts[t]);
        assert_int_equal(dls_model_set(f.system, "m", masses[m], NULL), DLS_OK);
        const double mass = m == 0 ? 4 : m == 1 ? 1 : 0.25;
        f.q[0] = start[k][0], f.q[1] = start[k][1];
        f.v[0] = 0.7, f.v[1] = -0.2;
        project(&f);
        const double angle = nearest_angle(mass, start[k][0], start[k][1]);
        close_to(f.q[0], cos(angle), 1e-8);
        close_to(f.q[1], sin(angle), 1e-8);
        close_to(f.moved.moved_q, fmax(fabs(f.q[0] - start[k][0]), fabs(f.q[1] - start[k][1])), 0);
        assert_true(f.moved.iterations > 0);
        // v = v_0 - M^-1 g (g^T v_0) / (g^T M^-1 g) with the gradient g = q
        const double along =
            (f.q[0] * 0.7 - f.q[1] * 0.2) / (f.q[0] * f.q[0] / mass + f.q[1] * f.q[1]);
        close_to(f.v[0], 0.7 - along * f.q[0] / mass, 1e-12);
        close_to(f.v[1], -0.2 - along * f.q[1], 1e-12);
        close_to(f.moved.moved_v, fmax(fabs(f.v[0] - 0.7), fabs(f.v[1] + 0.2)), 0);
        close_model(&f);
      }
    }
  }
}

static const char half_plane[] = "coordinate x = 0, y = 0\n"
                                 "kinetic 2*x'^2 + y'^2/2\n"
                                 "unilateral floor: x + y >= 0\n"
                                 "unilateral far: x + 100 >= 0\n";

// M = diag(4, 1), g = (1, 1): a depth of 1 is left along M^-1 g / (g^T M^-1 g) = (0.2, 0.8).
static void pushed_out(void **unused)
{
  (void)unused;
  fixture f;
  open_model(&f, half_plane);
  f.q[0] = -1, f.v[0] = -3;  // an approaching contact is an impact: its velocity stays
  project(&f);
  close_to(f.q[0], -0.8, 1e-9);
  close_to(f.q[1], 0.8, 1e-9);
  assert_true(f.v[0] == -3 && f.v[1] == 0 && f.moved.moved_v == 0);
  close_model(&f);
}

static void nothing_to_do(void **unused)
{
  (void)unused;
  const char *const texts[] = {
      pendulum, half_plane, "coordinate x = 0.1, y = 1/3\nkinetic x'^2 + y'^2\n",
      "coordinate x = 0.1\nkinetic x'^2\nunilateral c: x >= 0\nunilateral d: x <= 5\n"};
  for (int k = 0; k < 4; k++) {
    at_case("%s", texts[k]);
    fixture f;
    open_model(&f, texts[k]);
    f.v[0] = k == 0 ? -0.0 : 0.1;
    double q[MOST], v[MOST];
    memcpy(q, f.q, sizeof q);
    memcpy(v, f.v, sizeof v);
    project(&f);
    assert_memory_equal(q, f.q, (size_t)f.system->n * sizeof *q);
    assert_memory_equal(v, f.v, (size_t)f.system->n * sizeof *v);
    assert_true(f.moved.moved_q == 0 && f.moved.moved_v == 0 && f.moved.iterations == 0);
    close_model(&f);
  }
}

static void impossible(void **unused)
{
  (void)unused;
  static const char *const texts[] = {
      "coordinate x = 0.5\nkinetic x'^2\nbilateral no: x^2 + 1 = 0\n",
      "coordinate x = 0\nkinetic x'^2\nbilateral no: x^2 + 1 = 0\n",  // with a zero gradient
      "coordinate x = 0, y = 0\nkinetic x'^2 + y'^2\nbilateral a: x + y = 0\nbilateral b: x + y = "
      "1\n",
      "coordinate x = 0\nkinetic x'^2\nunilateral a: x >= 1\nunilateral b: x <= -1\n",
      "coordinate x = 0\nkinetic x'^2\nbilateral a: x = 1\nunilateral b: x <= -1\n"};
  for (int k = 0; k < 5; k++) {
    at_case("%s", texts[k]);
    fixture f;
    open_model(&f, texts[k]);
    f.v[0] = 0.25;
    not_projected(&f, DLS_ERR_STATE, "no consistent state was found near the one given: after ");
    close_model(&f);
  }
  fixture f;  // x = 0 and x = t hold at t = 0, but not their velocities
  open_model(&f, "coordinate x = 0\nkinetic x'^2\nbilateral a: x = 0\nbilateral b: x - t = 0\n");
  not_projected(&f, DLS_ERR_STATE,
                "no velocities fulfil the bilateral constraints: the best ones still violate them "
                "by 0.5");
  close_model(&f);
}

static void moving_constraint(void **unused)
{
  (void)unused;
  fixture f;
  open_model(&f, "coordinate x = 0, y = 7\nkinetic x'^2/2 + y'^2/2\n"
                 "bilateral crank: x - 2*sin(t) = 0\n");
  f.state.t = 0.5;
  f.v[0] = 9, f.v[1] = 3;
  project(&f);
  close_to(f.q[0], 2 * sin(0.5), 1e-12);
  close_to(f.v[0], 2 * cos(0.5), 1e-12);
  assert_true(f.state.t == 0.5);
  close_to(f.q[1], 7, 1e-12), close_to(f.v[1], 3, 1e-12);
  close_model(&f);
}

// All coordinates determined: nothing is left to minimise.
static void determined(void **unused)
{
  (void)unused;
  fixture f;
  open_model(&f, "coordinate x = 0, y = 0\nkinetic x'^2/2 + y'^2/2\n"
                 "bilateral a: x - 1 = 0\nbilateral b: x + 2*y - 4 = 0\nunilateral c: y >= 1\n");
  project(&f);
  close_to(f.q[0], 1, 1e-12), close_to(f.q[1], 1.5, 1e-12);
  close_model(&f);
}

// y has no mass: moving it costs nothing, and x stays. Directions without mass and constraint stay.
static void singular_mass(void **unused)
{
  (void)unused;
  fixture f;
  open_model(&f, "coordinate x = 0, y = 0, z = 5\nkinetic x'^2/2\nbilateral sum: x + y - 1 = 0\n");
  f.v[0] = 2;
  project(&f);
  close_to(f.q[0], 0, 1e-8), close_to(f.q[1], 1, 1e-8), close_to(f.q[2], 5, 1e-8);
  close_to(f.v[0], 2, 1e-8), close_to(f.v[1], -2, 1e-8), close_to(f.v[2], 0, 1e-8);
  close_model(&f);
}

static dls_status silent_nan(void *self, double t, const double *q, const double *v,
                             const dls_values *values, const dls_values *bound,
                             dls_message *message)
{
  (void)self, (void)t, (void)q, (void)v, (void)bound, (void)message;
  values->M[0] = values->G[0] = 1;
  values->F[0] = values->h_dot[0] = values->b_n[0] = 0;
  values->friction[0] = values->restitution[0] = 0;
  values->h[0] = NAN;
  return DLS_OK;
}

static void bad_input(void **unused)
{
  (void)unused;
  fixture f;
  open_model(&f, pendulum);
  f.q[1] = NAN;
  not_projected(&f, DLS_ERR_NUMBER, "coordinate `y` of the state is not a finite number");
  f.q[1] = 0, f.v[0] = INFINITY;
  not_projected(&f, DLS_ERR_NUMBER, "the velocity of `x` of the state is not a finite number");
  f.v[0] = 0, f.state.t = NAN;
  not_projected(&f, DLS_ERR_NUMBER, "the time is not a finite number");
  f.state.t = 0;
  const double bad[] = {0, -1, NAN, INFINITY};
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    const dls_contact_options options = {.tolerance = bad[k]};
    assert_int_equal(dls_state_project(f.system, &f.state, &options, &f.moved, &f.message),
                     DLS_ERR_ARGUMENT);
  }
  dls_system broken = *f.system;
  broken.evaluate = NULL;
  assert_int_equal(dls_state_project(&broken, &f.state, NULL, &f.moved, NULL), DLS_ERR_ARGUMENT);
  close_model(&f);

  // a hand-made system whose NaN would look like no violation
  static const char *const name[] = {"x"};
  static const dls_contact_info contact = {.name = "c", .kind = DLS_BILATERAL};
  static const int p[] = {0, 1}, i[] = {0};
  f.system = &(dls_system){.n = 1,
                           .m = 1,
                           .coordinates = name,
                           .contacts = &contact,
                           .mass = {1, 1, p, i},
                           .normal = {1, 1, p, i},
                           .tangent = {1, 0, p, NULL},
                           .evaluate = silent_nan};
  not_projected(&f, DLS_ERR_NUMBER, "the gap function h is not finite at this state");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_on_a_circle), cmocka_unit_test(pushed_out),
      cmocka_unit_test(nothing_to_do),       cmocka_unit_test(impossible),
      cmocka_unit_test(moving_constraint),   cmocka_unit_test(determined),
      cmocka_unit_test(singular_mass),       cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
