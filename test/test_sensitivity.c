// Derivatives of a motion by parameters and its start, through events: closed forms, and
// differences of runs.                                                       eq (sen.1) ... (sen.4)
#include "language.h"

#include <delassus/integrator.h>
#include <delassus/sensitivity.h>

enum { N = 8, NAMES = 8 };

typedef struct outcome {
  int n;
  double q[N], v[N];
  double change[NAMES][2 * N];
  bool exists;
  char why[300];
  long events;
} outcome;

static double unit = 1;  // of lengths, which what counts as closed and as rest follows

typedef struct listener {
  dls_sensitivity *s;
} listener;

static void hear(void *self, const dls_event *event)
{
  const listener *l = self;
  if (l->s) dls_sensitivity_event(l->s, event);
}

static void state_of(const char *text, const char *name, double add, dls_state *state,
                     dls_model **model, dls_system **system)
{
  char value[64];
  *model = parse(text);
  assert_int_equal(dls_model_system(*model, system), DLS_OK);
  for (int i = 0; name && i < dls_model_parameter_count(*model); i++) {
    if (strcmp(dls_model_parameter_name(*model, i), name) != 0) continue;
    snprintf(value, sizeof value, "%.17g", dls_system_parameter(*system, i) + add);
    assert_int_equal(dls_model_set(*system, name, value, NULL), DLS_OK);
  }
  assert_int_equal(dls_model_state(*system, NULL, state, NULL), DLS_OK);
  for (int i = 0; name && i < (*system)->n; i++) {
    const char *c = (*system)->coordinates[i];
    const size_t length = strlen(c);
    if (strncmp(c, name, length) != 0) continue;
    if (name[length] == '\0') state->q[i] += add;
    if (name[length] == '\'' && name[length + 1] == '\0') state->v[i] += add;
  }
}

// Runs the model; with names also the derivatives. One of them may be changed by `add`.
static outcome simulate(const char *text, const char *scheme, double rtol, double until, int count,
                        const char *const *names, const char *changed, double add)
{
  static outcome o;
  memset(&o, 0, sizeof o);
  double q[N], v[N];
  dls_state start = {0, q, v};
  dls_model *model;
  dls_system *system;
  dls_integrator *g;
  dls_message message = {{0}};
  listener l = {0};
  state_of(text, changed, add, &start, &model, &system);
  assert_int_equal(dls_model_differentiate(system, NULL), DLS_OK);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = until / 50, options.rtol = options.atol = rtol;
  options.event = hear, options.self = &l;
  options.closed *= unit, options.rest *= unit;
  if (dls_integrator_create(system, &start, &options, &g, &message) != DLS_OK)
    fail_msg("%s", message.text);
  double change[NAMES * 2 * N] = {0};
  for (int k = 0; k < count; k++) {  // of the start, by differences of its formulas
    double x[2][N], y[2][N];
    for (int side = 0; side < 2; side++) {
      dls_model *other;
      dls_system *there;
      dls_state at = {0, x[side], y[side]};
      state_of(text, names[k], side ? 1e-4 : -1e-4, &at, &other, &there);
      dls_system_free(there);
      dls_model_free(other);
    }
    for (int i = 0; i < system->n; i++) {
      change[2 * k * system->n + i] = (x[1][i] - x[0][i]) / 2e-4;
      change[(2 * k + 1) * system->n + i] = (y[1][i] - y[0][i]) / 2e-4;
    }
  }
  if (count > 0) {
    if (dls_sensitivity_create(system, count, names, &l.s, &message) != DLS_OK)
      fail_msg("%s", message.text);
    assert_int_equal(dls_sensitivity_begin(l.s, g, change), DLS_OK);
  }
  while (dls_integrator_sample(g).t < until) {
    dls_failure failure;
    assert_int_equal(dls_integrator_advance(g, until, &failure, &message), DLS_OK);
    if (failure != DLS_FAILURE_NONE) fail_msg("%s: %s", scheme, message.text);
    if (l.s) assert_int_equal(dls_sensitivity_step(l.s, g), DLS_OK);
  }
  const dls_sample x = dls_integrator_sample(g);
  o.n = x.n;
  o.events = dls_integrator_counts(g).events;
  memcpy(o.q, x.q, sizeof(double) * (size_t)x.n);
  memcpy(o.v, x.v, sizeof(double) * (size_t)x.n);
  if (l.s) {
    const dls_sensitivity_result r = dls_sensitivity_of(l.s);
    o.exists = r.change != NULL;
    if (r.why) snprintf(o.why, sizeof o.why, "%s", r.why);
    for (int k = 0; k < count && o.exists; k++)
      memcpy(o.change[k], r.change + (size_t)(2 * k * x.n), sizeof(double) * (size_t)(2 * x.n));
  }
  dls_sensitivity_free(l.s);
  dls_integrator_free(g);
  dls_system_free(system);
  dls_model_free(model);
  return o;
}

// Against differences of order four of runs that are more exact.
static void agrees(const char *text, const char *scheme, double until, int count,
                   const char *const *names, double step, double tolerance, long events)
{
  const outcome o = simulate(text, scheme, 1e-10, until, count, names, NULL, 0);
  if (!o.exists) fail_msg("%s\n%s: %s", text, scheme, o.why);
  if (o.events < events) fail_msg("%s\n%s: %ld events", text, scheme, o.events);
  for (int k = 0; k < count; k++) {
    double d[2 * N] = {0}, size = 0;
    static const double factor[4] = {-1. / 12, 2. / 3, -2. / 3, 1. / 12};
    static const double place[4] = {2, 1, -1, -2};
    for (int i = 0; i < 4; i++) {
      const outcome x = simulate(text, scheme, 1e-12, until, 0, NULL, names[k], place[i] * step);
      for (int c = 0; c < o.n; c++) {
        d[c] += factor[i] * x.q[c] / step;
        d[o.n + c] += factor[i] * x.v[c] / step;
      }
    }
    for (int c = 0; c < 2 * o.n; c++) size = fmax(size, fabs(d[c]));
    for (int c = 0; c < 2 * o.n; c++)
      if (!(fabs(o.change[k][c] - d[c]) <= tolerance * (size + 1e-3)))
        fail_msg("%s\n%s: d/d%s of number %d: %.12g, by differences %.12g", text, scheme, names[k],
                 c, o.change[k][c], d[c]);
  }
}

static const char *const schemes[] = {"radau5", "herk5", "lobatto6"};

static void smooth_motions(void **state)
{
  (void)state;
  static const char *const names[] = {"g", "l", "m", "a", "a'"};
  for (int s = 0; s < 3; s++)
    agrees("parameter g = 9.81, l = 1.3, m = 2, c = m/10\ncoordinate a = 1, b = 0.5*l\n"
           "kinetic m/2*l^2*a'^2 + (b'^2)/2 + m*l*a'*b'*cos(a)/3\n"
           "potential -m*g*l*cos(a) + l*b^2\ndissipation c/2*a'^2\n",
           schemes[s], 2, 5, names, 1e-3, 2e-6, 0);
}

static void impacts(void **state)
{
  (void)state;
  static const char *const names[] = {"g", "e", "w", "y", "y'"};
  for (int s = 0; s < 3; s++)
    agrees("parameter g = 9.81, e = 0.8, w = 3\ncoordinate y = 1\nkinetic y'^2/2\npotential g*y\n"
           "unilateral floor: y >= 0.1*sin(w*t) { restitution e }\n",
           schemes[s], 2, 5, names, 1e-5, 1e-5, 3);
}

static void impacts_with_friction(void **state)
{
  (void)state;
  static const char *const names[] = {"mu", "r", "x'", "th'"};
  for (int s = 0; s < 3; s++)  // a ball with spin that slides through its first impact
    agrees("parameter mu = 0.15, r = 0.3, e = 0.7\ncoordinate x, y = 1, th\n"
           "velocity x = 3, th = 5\nkinetic (x'^2 + y'^2)/2 + r^2/5*th'^2\npotential 9.81*y\n"
           "unilateral floor: y - r >= 0 { slip x' - r*th'; friction mu; restitution e }\n",
           schemes[s], 1.2, 4, names, 1e-5, 1e-5, 2);
}

// In a small unit of length velocities are smaller than what counts as rest in a usual one.
static void follow_the_unit(void **state)
{
  (void)state;
  static const char *const text =
      "parameter mu = 0.3, e = 0.5, s = %g\n"
      "coordinate x, y = s\nvelocity x = 3*s\nkinetic (x'^2+y'^2)/2\npotential 9.81*s*y\n"
      "unilateral floor: y >= 0 { slip x'; friction mu; restitution e }\n";
  static const char *const names[] = {"mu", "e"};
  const double until = 0.6, fall = sqrt(2 / 9.81), speed = 9.81 * fall, after = until - fall;
  static const double units[] = {1e-10, 1, 1e10};
  for (int k = 0; k < 3; k++) {
    char model[400];
    snprintf(model, sizeof model, text, units[k]);
    unit = units[k];
    const outcome o = simulate(model, "radau5", 1e-9, until, 2, names, NULL, 0);
    unit = 1;
    const double dx[] = {-1.5 * speed * after, -0.3 * speed * after};
    for (int i = 0; i < 2; i++)
      if (!o.exists || !(fabs(o.change[i][0] / units[k] - dx[i]) < 1e-6))
        fail_msg("unit %g, by %s: %g instead of %g", units[k], names[i], o.change[i][0] / units[k],
                 dx[i]);
  }
}

static void slides_and_stops(void **state)
{
  (void)state;
  static const char *const names[] = {"mu", "g", "x'", "k"};
  for (int s = 0; s < 3; s++)
    agrees("parameter mu = 0.3, g = 9.81, k = 4\ncoordinate x, y\nvelocity x = 2\n"
           "kinetic (x'^2 + y'^2)/2\npotential g*y + k/2*x^2\n"
           "unilateral floor: y >= 0 { slip x'; friction mu }\n",
           schemes[s], 1.5, 4, names, 1e-4, 2e-5, 1);
  // closed form: v0^2 / (2 mu g)
  const outcome o = simulate("parameter mu = 0.3, g = 9.81\ncoordinate x, y\nvelocity x = 2\n"
                             "kinetic (x'^2 + y'^2)/2\npotential g*y\n"
                             "unilateral floor: y >= 0 { slip x'; friction mu }\n",
                             "radau5", 1e-9, 3, 3, names, NULL, 0);
  assert_true(o.exists);
  const double mu = 0.3, g = 9.81, v = 2;
  assert_true(fabs(o.change[0][0] + v * v / (2 * mu * mu * g)) < 1e-6);
  assert_true(fabs(o.change[1][0] + v * v / (2 * mu * g * g)) < 1e-7);
  assert_true(fabs(o.change[2][0] - v / (mu * g)) < 1e-6);
}

static void jointed(void **state)
{
  (void)state;
  static const char *const names[] = {"g", "e", "m"};
  for (int s = 0; s < 3; s++)  // a pendulum in Cartesian coordinates at a wall
    agrees("parameter g = 9.81, e = 0.9, m = 2\ncoordinate x = 0.6, y = -0.8\n"
           "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\ndissipation (x'^2 + y'^2)/5\n"
           "bilateral rod: x^2 + y^2 = 1\nunilateral wall: x >= -0.2 { restitution e }\n",
           schemes[s], 2, 3, names, 1e-4, 2e-5, 1);
}

static void rolls(void **state)
{
  (void)state;
  static const char *const names[] = {"a", "g", "m"};
  for (int s = 0; s < 3; s++)  // a skate on an incline
    agrees("parameter a = 0.3, g = 9.81, m = 2\ncoordinate x, y, th\nvelocity th = 1.5, x = 0.4\n"
           "kinetic m/2*(x'^2 + y'^2) + th'^2/2\npotential m*g*sin(a)*x + (y - a*x)^2\n"
           "rolling edge: y'*cos(th) = x'*sin(th)\n",
           schemes[s], 2, 3, names, 1e-4, 2e-6, 0);
}

static void breaks_away(void **state)
{
  (void)state;
  static const char *const names[] = {"mu", "c"};
  for (int s = 0; s < 3; s++)
    agrees("parameter mu = 0.3, c = 2\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
           "potential 9.81*y\nforce x = c*t\nunilateral floor: y >= 0 { slip x'; friction mu }\n",
           schemes[s], 3, 2, names, 1e-4, 1e-4, 1);
}

static void takes_off(void **state)
{
  (void)state;
  static const char *const names[] = {"c", "g"};
  for (int s = 0; s < 3; s++)
    agrees("parameter c = 6, g = 9.81\ncoordinate x, y\nvelocity x = 1\nkinetic (x'^2 + y'^2)/2\n"
           "potential g*y\nforce y = c*t\nforce x = y\nunilateral floor: y >= 0\n",
           schemes[s], 3, 2, names, 1e-4, 1e-4, 1);
}

static void forces_that_switch(void **state)
{
  (void)state;
  static const char *const names[] = {"k", "x"};
  agrees("parameter k = 4\ncoordinate x = 1\nkinetic x'^2/2\nforce x = if(x > 0, -x, -k*x)\n",
         "radau5", 5, 2, names, 1e-4, 1e-5, 2);
  static const char *const jumping[] = {"k", "x", "w"};
  for (int s = 0; s < 3; s++)
    agrees("parameter k = 2, w = 3\ncoordinate x = 1\nvelocity x = 0.1\nkinetic x'^2/2\n"
           "force x = -k*sign(x - 0.2) + if(sin(w*t) > 0.3, 1, 0)\n",
           schemes[s], 4, 3, jumping, 1e-4, 1e-5, 4);
}

// Where they do not exist it is said.
static void lost(void **state)
{
  (void)state;
  static const char *const names[] = {"g"};
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"parameter g = 1\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\npotential g*(x + y)\n"
       "force x = y - x\n"
       "unilateral a: x >= 0 { restitution 0.5 }\nunilateral b: y >= 0 { restitution 0.5 }\n",
       "at once"},
      {"parameter g = 1\ncoordinate x = g, y\nkinetic (x'^2 + y'^2)/2\nbilateral r: x^2 + y^2 = "
       "1\n",
       "moves off"},
      {"parameter g = 1\ncoordinate x, y\nvelocity x = g - 1\nkinetic (x'^2 + y'^2)/2\n"
       "rolling r: x' = y'\n",
       "moves off"},
      {"parameter g = 1\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\npotential 2*g*(x + y)\n"
       "force x = sign(x - 0.5) + y - x\nforce y = sign(y - 0.5)\n",
       "at once"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const outcome o = simulate(cases[k].text, "radau5", 1e-9, 3, 1, names, NULL, 0);
    if (o.exists || !strstr(o.why, cases[k].why)) fail_msg("case %zu: %s", k, o.why);
  }
}

static void names_are_checked(void **state)
{
  (void)state;
  running r = run("parameter g = 1\ncoordinate x\nkinetic x'^2/2\n");
  static const char *const wrong[][2] = {{"gg", "g"}, {"g", "g"}, {"x''", "g"}, {"", "g"}};
  dls_sensitivity *s;
  for (int k = 0; k < 4; k++) {
    assert_int_equal(dls_sensitivity_create(r.system, 2, wrong[k], &s, &r.message),
                     DLS_ERR_ARGUMENT);
    assert_null(s);
  }
  assert_int_equal(dls_sensitivity_create(r.system, 0, NULL, &s, &r.message), DLS_ERR_ARGUMENT);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smooth_motions),
      cmocka_unit_test(impacts),
      cmocka_unit_test(impacts_with_friction),
      cmocka_unit_test(follow_the_unit),
      cmocka_unit_test(slides_and_stops),
      cmocka_unit_test(jointed),
      cmocka_unit_test(rolls),
      cmocka_unit_test(breaks_away),
      cmocka_unit_test(takes_off),
      cmocka_unit_test(forces_that_switch),
      cmocka_unit_test(lost),
      cmocka_unit_test(names_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
