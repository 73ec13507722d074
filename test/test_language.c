// The model language: values of expressions, states, --set, contacts.
#include "language.h"

#include "cases.h"

static const char ladder[] =
    "# Falling ladder: bilateral frictional contact with the wall, unilateral with the floor\n"
    "parameter m = 1, L = 2, g = 9.81, mu = 0.3\n"
    "let l = L/2\n"
    "coordinate x = l*sin(theta), y = l*cos(theta), theta = pi/4      # initial values\n"
    "kinetic   m/2*(x'^2 + y'^2) + (m*L^2/12)/2*theta'^2\n"
    "potential m*g*y\n"
    "bilateral  wall:  x - l*sin(theta) = 0  { slip y' - l*sin(theta)*theta';  friction mu }\n"
    "unilateral floor: y - l*cos(theta) >= 0 { slip x' + l*cos(theta)*theta';  friction mu;  "
    "restitution 0 }\n"
    "state falling: theta = pi/4, theta' = 1, x' = l*cos(theta)*theta', y' = "
    "-l*sin(theta)*theta'\n";

// ---- values ----

typedef struct value {
  const char *text;
  double value;
} value;

static const value values[] = {
    {"1 + 2*3", 7},
    {"(1 + 2)*3", 9},
    {"2 - 3 - 4", -5},
    {"2 − 3 − 4", -5},
    {"24/4/2", 3},
    {"24/4*2", 12},
    {"2·3", 6},
    {"2^3^2", 512},
    {"-2^2", -4},
    {"(-2)^2", 4},
    {"2^-1", 0.5},
    {"2^-2^2", 0.0625},
    {"2*-3", -6},
    {"- -3", 3},
    {"1 - -1", 2},
    {"1 < 2", 1},
    {"1 + 1 < 2", 0},
    {"2 <= 2", 1},
    {"3 > 2", 1},
    {"2 >= 3", 0},
    {"2 == 2", 1},
    {"2 != 2", 0},
    {"if(1 < 2, 10, 20)", 10},
    {"if(1 > 2, 10, 20)", 20},
    {"min(3, 2)", 2},
    {"max(3, 2)", 3},
    {"abs(-3)", 3},
    {"sign(-2)", -1},
    {"sign(0)", 0},
    {"floor(-1.5)", -2},
    {"sqrt(16)", 4},
    {"log(exp(2))", 2},
    {"log2(8)", 3},
    {"atan2(1, 1)*4", 3.14159265358979323846},
    {"pi", 3.14159265358979323846},
    {"sin(0.5)^2 + cos(0.5)^2", 1},
    {"tan(0.5)*cos(0.5)/sin(0.5)", 1},
    {"asin(1)*2", 3.14159265358979323846},
    {"acos(-1)", 3.14159265358979323846},
    {"atan(1)*4", 3.14159265358979323846},
    {"cosh(1) + sinh(1)", 2.71828182845904523536},
    {"tanh(0)", 0},
    {".5", 0.5},
    {"5.", 5},
    {"1e3", 1000},
    {"1E-3", 0.001},
    {"1.5e+2", 150},
    {"0.1", 0.1},
    {"9007199254740993", 9007199254740992.0},
    {"179769313486231570000000000000000000000e270", 1.7976931348623157e308},
    {"0.00000000000000000000000000000000000000000001e44", 1},
    {"123456789012345678901234567890e-29", 1.23456789012345678901234567890},
    {"4.9e-324", 4.9e-324},
    {"1e-9999", 0},
    {"0e99999999999999999999", 0},
    {"(1\n + 2) # comment\n", 3},
};

static void test_values(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    at_case("%s", values[i].text);
    char text[400];
    snprintf(text, sizeof text, "coordinate x = %s\nkinetic x'^2\n", values[i].text);
    running r = run(text);
    go_to(&r, NULL);
    if (!(fabs(r.state.q[0] - values[i].value) <= 4e-16 * fabs(values[i].value)))
      fail_msg("%s = %.17g, not %.17g", values[i].text, r.state.q[0], values[i].value);
    stop(&r);
  }
}

// The graph computes what the evaluator does: forces against initial values.
static void test_values_in_force(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    at_case("%s", values[i].text);
    char text[400];
    snprintf(text, sizeof text, "coordinate x\nkinetic x'^2/2\nforce x = %s\n", values[i].text);
    running r = run(text);
    dls_values *at;
    assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
    assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, NULL),
                     DLS_OK);
    if (!(fabs(at->F[0] + values[i].value) <= 1e-15 * fabs(values[i].value)))
      fail_msg("force %s = %.17g", values[i].text, -at->F[0]);
    dls_values_free(at);
    stop(&r);
  }
}

static void test_locale(void **unused)
{
  (void)unused;
  const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
    found = setlocale(LC_NUMERIC, names[i]) && *localeconv()->decimal_point == ',';
  running r = run("coordinate x = 1.25e1\nkinetic x'^2\n");
  go_to(&r, "");
  assert_true(r.state.q[0] == 12.5);
  stop(&r);
  setlocale(LC_NUMERIC, "C");
  if (!found) skip();
}

static void test_ladder(void **unused)
{
  (void)unused;
  running r = run(ladder);
  assert_string_equal(dls_model_title(r.model), "Falling ladder: bilateral frictional contact with "
                                                "the wall, unilateral with the floor");
  assert_int_equal(dls_model_parameter_count(r.model), 4);
  assert_string_equal(dls_model_parameter_name(r.model, 1), "L");
  assert_null(dls_model_parameter_name(r.model, 4));
  assert_int_equal(dls_model_state_count(r.model), 1);
  assert_string_equal(dls_model_state_name(r.model, 0), "falling");
  assert_int_equal(r.system->n, 3);
  assert_int_equal(r.system->m, 2);
  assert_int_equal(r.system->tangents, 2);
  assert_string_equal(r.system->coordinates[2], "theta");
  assert_string_equal(r.system->contacts[1].name, "floor");
  assert_int_equal(r.system->contacts[0].kind, DLS_BILATERAL);
  assert_int_equal(r.system->contacts[1].kind, DLS_UNILATERAL);

  const double root = sqrt(0.5);
  go_to(&r, "falling");
  assert_near(r.state.q[0], root);
  assert_near(r.state.q[1], root);
  assert_near(r.state.q[2], atan(1));
  assert_near(r.state.v[0], root);
  assert_near(r.state.v[1], -root);
  assert_near(r.state.v[2], 1);
  assert_near(r.state.t, 0);

  // at this state: M, F, gaps, slips by hand; G has one column per contact
  dls_values *at;
  assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
  assert_int_equal(
      r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, &r.message), DLS_OK);
  assert_near(at->F[0], 0);
  assert_near(at->F[1], 9.81);
  assert_near(at->h[0], 0);
  assert_near(at->h[1], 0);
  assert_near(at->h_dot[0], 0);
  assert_near(at->slip[0], -2 * root);
  assert_near(at->slip[1], 2 * root);
  assert_near(at->friction[0], 0.3);
  assert_near(at->friction[1], 0.3);
  // b_n of the wall: d2/dt2 of -l sin(theta) at constant theta' is l sin(theta) theta'^2
  assert_near(at->b_n[0], root);
  assert_near(at->b_n[1], root);
  assert_int_equal(r.system->mass.p[3], 3);
  assert_near(at->M[0], 1);
  assert_near(at->M[2], 4.0 / 12);
  dls_values_free(at);
  stop(&r);
}

// What a state leaves out keeps its initial value, which follows the state's coordinates.
static void test_reevaluation(void **unused)
{
  (void)unused;
  running r = run(ladder);
  go_to(&r, "theta = 0.5");
  assert_near(r.state.q[0], sin(0.5));
  assert_near(r.state.q[1], cos(0.5));
  go_to(&r, " theta = x, x = 0.25, x' = 2*y', y' = t, t = 1 + 2 ");
  assert_near(r.state.q[0], 0.25);
  assert_near(r.state.q[2], 0.25);
  assert_near(r.state.v[0], 6);
  assert_near(r.state.t, 3);
  assert_int_equal(dls_model_set(r.system, "L", "4", &r.message), DLS_OK);
  go_to(&r, "theta = 0.5");
  assert_near(r.state.q[0], 2 * sin(0.5));
  go_to(&r, "falling");
  assert_near(r.state.v[0], 2 * sqrt(0.5));
  stop(&r);
}

static void test_velocities_and_time(void **unused)
{
  (void)unused;
  running r = run("coordinate x = 2*t, y\nvelocity x = 3, y' = x' + x\nkinetic x'^2 + y'^2\n"
                  "state later: t = 5\n");
  go_to(&r, NULL);
  assert_near(r.state.v[0], 3);
  assert_near(r.state.v[1], 3);
  go_to(&r, "later");
  assert_near(r.state.t, 5);
  assert_near(r.state.q[0], 10);
  assert_near(r.state.v[1], 13);
  stop(&r);
}

static double force_of(running *r)
{
  dls_values *at;
  assert_int_equal(dls_values_create(r->system, &at), DLS_OK);
  assert_int_equal(
      r->system->evaluate(r->system->self, 0, r->state.q, r->state.v, at, NULL, &r->message),
      DLS_OK);
  const double force = -at->F[0];
  dls_values_free(at);
  return force;
}

static void test_set(void **unused)
{
  (void)unused;
  running r = run("parameter I = m*h^2, m = 2, k = 1/m\nlet h = m + c\nparameter c = 1\n"
                  "coordinate x\nkinetic x'^2/2\nforce x = I\nlet e = x\n");
  assert_near(force_of(&r), 18);
  assert_int_equal(dls_model_set(r.system, "m", "1", &r.message), DLS_OK);
  assert_near(force_of(&r), 4);
  assert_int_equal(dls_model_set(r.system, "c", "2*m + pi - pi", &r.message), DLS_OK);
  assert_near(force_of(&r), 9);
  // a parameter that was set no longer follows
  assert_int_equal(dls_model_set(r.system, "I", "h", &r.message), DLS_OK);
  assert_near(force_of(&r), 3);
  assert_int_equal(dls_model_set(r.system, "m", "5", &r.message), DLS_OK);
  assert_near(force_of(&r), 3);

  // another system of the model has the values of the text
  dls_system *other;
  assert_int_equal(dls_model_system(r.model, &other), DLS_OK);
  running second = r;
  second.system = other;
  assert_near(force_of(&second), 18);
  dls_system_free(other);

  const struct {
    const char *name, *value;
    dls_status status;
    const char *message;
  } wrong[] = {
      {"M", "1", DLS_ERR_ARGUMENT, "did you mean `m`"},
      {"zzz", "1", DLS_ERR_ARGUMENT, "unknown parameter `zzz`"},
      {"x", "1", DLS_ERR_ARGUMENT, "--at"},
      {"h", "1", DLS_ERR_ARGUMENT, "`let`"},
      {"", "1", DLS_ERR_ARGUMENT, "unknown parameter"},
      {"m", "x", DLS_ERR_ARGUMENT, "numbers and parameters only\n    x\n    ^"},
      {"m", "e", DLS_ERR_ARGUMENT, "numbers and parameters only"},
      {"m", "t", DLS_ERR_ARGUMENT, "numbers and parameters only"},
      {"m", "1 +", DLS_ERR_ARGUMENT, "expected a number"},
      {"m", "1 2", DLS_ERR_ARGUMENT, "operator is missing"},
      {"m", "nope", DLS_ERR_ARGUMENT, "unknown name `nope`"},
      {"m", "", DLS_ERR_ARGUMENT, "expected a number"},
      {"m", "1e999", DLS_ERR_ARGUMENT, "too large"},
      {"m", "0", DLS_ERR_NUMBER, "`k`"},
      {"c", "1/0", DLS_ERR_NUMBER, "`c`"},
      {"c", NULL, DLS_ERR_ARGUMENT, "needed"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    at_case("%s", wrong[i].name);
    const dls_status status = dls_model_set(r.system, wrong[i].name, wrong[i].value, &r.message);
    if (status != wrong[i].status || !strstr(r.message.text, wrong[i].message))
      fail_msg("%s = %s: %s", wrong[i].name, wrong[i].value, r.message.text);
    assert_near(force_of(&r), 3);
  }
  assert_int_equal(dls_model_set(r.system, "m", "1/0", NULL), DLS_ERR_NUMBER);
  stop(&r);
}

static void test_state_mistakes(void **unused)
{
  (void)unused;
  running r = run(ladder);
  go_to(&r, "falling");
  const double before = r.state.v[0];
  const struct {
    const char *at;
    dls_status status;
    const char *message;
  } wrong[] = {
      {"fallin", DLS_ERR_ARGUMENT,
       "unknown state `fallin`; did you mean `falling`?\n  states: falling"},
      {"falling , x = 1", DLS_ERR_ARGUMENT,
       "`falling` is a state; give a state or assignments, not both"},
      {"falling, ", DLS_ERR_ARGUMENT, "unknown state `falling,`"},
      {"quite another", DLS_ERR_ARGUMENT, "\n  states: falling"},
      {"thet = 1", DLS_ERR_ARGUMENT,
       "unknown name `thet`\n    thet = 1\n    ^~~~\n    did you mean `theta`?"},
      {"theta = 1, thet' = 1", DLS_ERR_ARGUMENT, "did you mean `theta`?"},
      {"m = 1", DLS_ERR_ARGUMENT, "--set"},
      {"l = 1", DLS_ERR_ARGUMENT, "a state assigns"},
      {"theta = 1, theta = 2", DLS_ERR_ARGUMENT, "given twice"},
      {"theta = 1 theta' = 2", DLS_ERR_ARGUMENT, "operator is missing"},
      {"theta = 1; x = 2", DLS_ERR_ARGUMENT, "expected an operator, `,`"},
      {"theta == 1", DLS_ERR_ARGUMENT, "expected `=`"},
      {"= 1", DLS_ERR_ARGUMENT, "expected the name of a coordinate"},
      {"theta = asin(x)", DLS_ERR_ARGUMENT, "circular"},
      {"theta = theta", DLS_ERR_ARGUMENT, "circular"},
      {"theta = log(0)", DLS_ERR_NUMBER, "`x`"},
      {"theta' = 1/0", DLS_ERR_NUMBER, "`theta'`"},
      {"t = 0/0", DLS_ERR_NUMBER, "`t`"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    at_case("i %zu", i);
    const dls_status status = dls_model_state(r.system, wrong[i].at, &r.state, &r.message);
    if (status != wrong[i].status || !strstr(r.message.text, wrong[i].message))
      fail_msg("%s: %s", wrong[i].at, r.message.text);
    assert_true(r.state.v[0] == before);
  }
  assert_int_equal(dls_model_state(r.system, "nope", &r.state, NULL), DLS_ERR_ARGUMENT);
  stop(&r);
}

// ---- what statements mean ----

static void test_terms_add_up(void **unused)
{
  (void)unused;
  running r = run("coordinate x = 2\nkinetic x'^2/2\nkinetic x'^2/2\npotential x\npotential 3*x\n"
                  "force x = 1\nforce x = 4*x'\ndissipation x'^2/2\nvelocity x = 1\n");
  go_to(&r, NULL);
  dls_values *at;
  assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
  assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, NULL),
                   DLS_OK);
  assert_near(at->M[0], 2);
  assert_near(at->F[0], 4 + 1 - 5);
  dls_values_free(at);
  stop(&r);
}

static void test_contacts(void **unused)
{
  (void)unused;
  running r = run("coordinate x = 2, y\nparameter mu = 0.4\nkinetic x'^2 + y'^2\n"
                  "unilateral floor: x <= 5 {\n  slip y' + 1,\n    y'\n\n  friction\n  mu\n"
                  "  restitution max(0, 1 - abs(x)) }   # ends here\n"
                  "unilateral wall: y >= 0\nunilateral top: 7 >= y\n"
                  "restitution wall floor = mu/2\nrestitution wall = 0.25\n"
                  "object b: y, x\nexact x = 2*t, x' = mu\n");
  go_to(&r, NULL);
  dls_values *at;
  assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
  assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, NULL),
                   DLS_OK);
  assert_int_equal(r.system->contacts[0].tangents, 2);
  assert_near(at->h[0], 3);
  assert_near(at->h[2], 7);
  assert_near(at->slip[0], 1);
  assert_near(at->friction[0], 0.4);
  assert_near(at->restitution[0], 0);
  assert_near(at->restitution[1], 0.25);
  dls_values_free(at);

  int row, column;
  double number;
  assert_int_equal(dls_model_restitution_count(r.model), 2);
  assert_int_equal(dls_model_restitution(r.system, 0, &r.state, &row, &column, &number), DLS_OK);
  assert_int_equal(row, 1);
  assert_int_equal(column, 0);
  assert_near(number, 0.2);
  assert_int_equal(dls_model_restitution(r.system, 2, &r.state, &row, &column, &number),
                   DLS_ERR_ARGUMENT);

  const int *members;
  assert_int_equal(dls_model_object_count(r.model), 1);
  assert_string_equal(dls_model_object_name(r.model, 0), "b");
  assert_int_equal(dls_model_object_coordinates(r.model, 0, &members), 2);
  assert_int_equal(members[0], 1);
  assert_int_equal(members[1], 0);

  double q[2] = {-1, -1}, v[2] = {-1, -1};
  unsigned char known[2];
  assert_int_equal(dls_model_exact(r.system, 3, q, v, known), DLS_OK);
  assert_int_equal(known[0], 3);
  assert_int_equal(known[1], 0);
  assert_near(q[0], 6);
  assert_near(v[0], 0.4);
  assert_near(q[1], -1);
  stop(&r);
}

static void test_allowed(void **unused)
{
  (void)unused;
  const char *good[] = {
      "coordinate x\nkinetic 0\n",
      "coordinate x\nkinetic x'^2/2 + t*x' + x\n",             // rheonomic
      "coordinate x\nkinetic x'^2 + (x'^3 - x'^3)\n",          // after simplification
      "parameter a = 2\ncoordinate x\nkinetic abs(a)*x'^2\n",  // of a parameter only
      "parameter a = 2\ncoordinate x\nkinetic if(a > 1, x'^2, 2*x'^2)\n",
      "coordinate x\nkinetic x'^2\nforce x = if(x < 0, -x, 0)\n",
      "coordinate x\nkinetic x'^2\nlet a = abs(x)\nforce x = a\n",
      "kinetic x'^2\ncoordinate x = a\nlet a = b\nparameter b = 3\n",
      "coordinate state\nkinetic state'^2\nstate state: state = 1\n",
      "coordinate force\nkinetic force'^2\nforce force = 1\n",
      "\xEF\xBB\xBF# title\r\ncoordinate x\r\nkinetic x'^2\r\nunilateral c: x >= 0 {\r\n}\r\n",
      "coordinate x # a\n\n\nkinetic ( # b\n x'^2\n)",
      "coordinate über_x, 座標\nkinetic über_x'^2 + 座標'^2\n",
      "coordinate x\nkinetic x'^2\nbilateral c: x = sin(t) { slip x' - t }\n",
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) dls_model_free(parse(good[i]));
  dls_model *model = parse(good[10]);
  assert_string_equal(dls_model_title(model), "title");
  dls_model_free(model);
  model = parse(good[0]);
  assert_string_equal(dls_model_title(model), "");
  dls_model_free(model);
}

static void test_nul(void **unused)
{
  (void)unused;
  dls_model *model;
  dls_diagnostics d;
  const char text[] = "coordinate x\nkinetic x'^2\n\0potential x\n";
  assert_int_equal(dls_model_parse(text, sizeof text - 1, &model, &d), DLS_ERR_MODEL);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 3);
  assert_int_equal(d.item[0].column, 1);
  // the text need not end in a zero byte: nothing behind its length is read
  char *exact = malloc(12);
  memcpy(exact, "coordinate x", 12);
  assert_int_equal(dls_model_parse(exact, 12, &model, NULL), DLS_ERR_MODEL);
  free(exact);
  assert_int_equal(dls_model_parse(NULL, 0, &model, &d), DLS_ERR_MODEL);
  assert_int_equal(dls_model_parse(NULL, 1, &model, &d), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_model_parse("", 0, NULL, &d), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),       cmocka_unit_test(test_values_in_force),
      cmocka_unit_test(test_locale),       cmocka_unit_test(test_ladder),
      cmocka_unit_test(test_reevaluation), cmocka_unit_test(test_velocities_and_time),
      cmocka_unit_test(test_set),          cmocka_unit_test(test_state_mistakes),
      cmocka_unit_test(test_terms_add_up), cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_allowed),      cmocka_unit_test(test_nul),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
