// Reports with friction, made by hand: modes, several solutions, leaves, limits, and their words.
#include "report_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// Slips: the rail's, left's, two of middle's.
static void set_forces(void)
{
  const double tau[] = {1.5, -2, 3, 4};
  f->lambda_b[0] = -5;
  f->modes[0][0] = DLS_MODE_STICK | DLS_MODE_PULLING;
  memcpy(f->tau, tau, sizeof tau);
  memcpy(f->low_t, tau, sizeof tau);
  memcpy(f->high_t, tau, sizeof tau);
}

static char *friction_text(void)
{
  char *text = text_of(false);
  measure(text);
  lacks(text, "nan");
  return text;
}

// ---- JSON --------------------------------------------------------------------------------------

static void forces_and_modes(void **state)
{
  (void)state;
  use_friction();
  set_forces();
  f->z[0] = 2, f->z[1] = 10;
  f->H[2] = 3, f->H[3] = 0.5, f->b_t[1] = 1;  // column of left: (3, 0.5)
  json_t *o = json_of();
  json_t *forces = at(o, "solutions/0/forces");
  assert_string_equal(string_at(forces, "rail/mode"), "stick");
  assert_string_equal(string_at(forces, "left/mode"), "stick");
  assert_string_equal(string_at(forces, "middle/mode"), "slide");
  assert_string_equal(string_at(forces, "right/mode"), "detach");
  assert_true(number_at(forces, "rail/normal") == -5);
  assert_true(number_at(forces, "rail/tangential/0") == 1.5);
  assert_true(number_at(forces, "left/tangential/0") == -2);
  assert_true(number_at(forces, "middle/tangential/0") == 3);
  assert_true(number_at(forces, "middle/tangential/1") == 4);
  assert_int_equal(json_array_size(at(forces, "right/tangential")), 0);
  assert_true(number_at(forces, "left/slip_acceleration/0") == 12);
  assert_int_equal(json_array_size(at(forces, "middle/slip_acceleration")), 2);
  assert_false(has(at(forces, "right"), "slip_acceleration"));
  assert_false(has(at(forces, "rail"), "normal_acceleration"));
  // Gauss' principle is without friction
  assert_false(has(o, "gauss"));
  assert_false(has(o, "reduced"));
  assert_true(has(o, "residual"));
  json_decref(o);

  static const struct {
    int mode;
    const char *name;
  } modes[] = {{DLS_MODE_CLOSED, "frictionless"},
               {DLS_MODE_SLIDE_PLUS, "slide"},
               {DLS_MODE_SLIDE_MINUS | DLS_MODE_PULLING, "slide"},
               {DLS_MODE_ANY, NULL}};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    f->modes[0][0] = (unsigned char)modes[i].mode;
    o = json_of();
    const char *got = json_string_value(at(o, "solutions/0/forces/rail/mode"));
    if (modes[i].name) assert_string_equal(got, modes[i].name);
    else assert_null(got);
    json_decref(o);
  }

  // tangential forces that a solution does not tell are not zero where there is friction
  f->solution[0].tau = NULL;
  o = json_of();
  assert_true(json_is_null(at(o, "solutions/0/forces/left/tangential/0")));
  json_decref(o);
}

static void tangential_ranges(void **state)
{
  (void)state;
  use_friction();
  set_forces();
  f->low_t[1] = -2, f->high_t[1] = INFINITY;
  f->low_t[2] = NAN;
  f->low_b[0] = NAN;
  json_t *o = json_of();
  assert_true(number_at(o, "force_ranges/left/tangential/0/0") == -2);
  assert_true(json_is_null(at(o, "force_ranges/left/tangential/0/1")));
  assert_true(number_at(o, "force_ranges/left/normal/1") == 9.81);
  // what is not known is left out, and only that
  assert_true(has(at(o, "force_ranges/middle"), "normal"));
  assert_false(has(at(o, "force_ranges/middle"), "tangential"));
  assert_false(has(at(o, "force_ranges/rail"), "normal"));
  assert_true(number_at(o, "force_ranges/rail/tangential/0/1") == 1.5);
  assert_int_equal(json_array_size(at(o, "force_ranges/right/tangential")), 0);
  json_decref(o);

  f->solution[0].low_t = NULL;
  o = json_of();
  assert_false(has(at(o, "force_ranges"), "rail"));
  assert_false(has(at(o, "force_ranges/left"), "tangential"));
  json_decref(o);
}

// One more solution, in which left slides.
static void use_two_solutions(void)
{
  use_friction();
  set_forces();
  f->check.solutions = f->check.solution_count = 2;
  f->solution[1] = f->solution[0];
  f->solution[1].acceleration = f->direction;
  f->solution[1].mode = f->modes[1];
  memcpy(f->modes[1], f->modes[0], sizeof f->modes[1]);
  f->modes[1][1] = DLS_MODE_SLIDE_PLUS;
  f->solution[1].continuum = DLS_CONTINUUM_FORCES;
  f->check.verdict[DLS_ACCELERATION_UNIQUE].answer = DLS_NO;
  f->check.verdict[DLS_FORCES_UNIQUE].answer = DLS_NO;
}

static void several_solutions(void **state)
{
  (void)state;
  use_two_solutions();
  json_t *o = json_of();
  assert_int_equal(json_integer_value(at(o, "solution_count")), 2);
  assert_int_equal(json_array_size(at(o, "solutions")), 2);
  assert_true(number_at(o, "solutions/0/acceleration/y") == 0);
  assert_true(number_at(o, "solutions/1/acceleration/y") == 1);
  assert_string_equal(string_at(o, "solutions/0/forces/left/mode"), "stick");
  assert_string_equal(string_at(o, "solutions/1/forces/left/mode"), "slide");
  // each has its own continuum, whatever the verdicts say about all of them
  assert_string_equal(string_at(o, "solutions/0/continuum"), "none");
  assert_string_equal(string_at(o, "solutions/1/continuum"), "forces");
  json_decref(o);

  f->solution[0].continuum = DLS_CONTINUUM_ACCELERATION;
  f->solution[1].continuum = DLS_CONTINUUM_UNKNOWN;
  f->check.solution_count = -1;
  o = json_of();
  assert_string_equal(string_at(o, "solutions/0/continuum"), "acceleration");
  assert_true(json_is_null(at(o, "solutions/1/continuum")));
  assert_true(json_is_null(at(o, "solution_count")));
  json_decref(o);
}

static void parts_over_tangents_and_contacts(void **state)
{
  (void)state;
  use_friction();
  set_forces();
  double closed[] = {1, 2, 3, 4};
  int contacts[] = {3, 0}, tangents[] = {3, 1};
  f->check.verdict[DLS_CAN_ALL_STICK].parts = 4;
  dls_witness_part *part = f->check.verdict[DLS_CAN_ALL_STICK].part;
  part[0] = (dls_witness_part){"tau", DLS_INDEX_TANGENTS, 4, f->tau, NULL};
  part[1] = (dls_witness_part){"lambda", DLS_INDEX_CLOSED, 4, closed, NULL};
  part[2] = (dls_witness_part){"detach", DLS_INDEX_CLOSED, 2, NULL, contacts};
  part[3] = (dls_witness_part){"some", DLS_INDEX_TANGENTS, 2, NULL, tangents};
  json_t *o = json_of();
  json_t *w = at(o, "verdicts/can_all_stick/witness");
  assert_int_equal(json_object_size(at(w, "tau")), 3);
  assert_true(number_at(w, "tau/rail/0") == 1.5);
  assert_true(number_at(w, "tau/middle/1") == 4);
  assert_true(number_at(w, "lambda/rail") == 1);
  assert_true(number_at(w, "lambda/right") == 4);
  assert_string_equal(string_at(w, "detach/0"), "right");
  assert_string_equal(string_at(w, "detach/1"), "rail");
  assert_int_equal(json_object_size(at(w, "some")), 2);
  assert_int_equal(json_integer_value(at(w, "some/middle/0")), 2);
  assert_int_equal(json_integer_value(at(w, "some/left/0")), 1);
  json_decref(o);
}

static void use_leaves(dls_question question)
{
  memset(f->modes[1], DLS_MODE_ANY, MANY);
  f->modes[1][1] = DLS_MODE_SLIDE_MINUS;
  memset(f->modes[2], DLS_MODE_STICK, MANY);
  f->modes[2][0] = DLS_MODE_STICK | DLS_MODE_PULLING;
  f->leaf[0] = (dls_leaf){
      .mode = f->modes[1], .direction = f->direction, .alpha = f->cancel_u, .sigma = f->tau};
  f->leaf[1] = (dls_leaf){.mode = f->modes[2], .kind = DLS_LEAF_POINT};
  f->check.verdict[question].leaves = 2;
  f->check.verdict[question].leaf = f->leaf;
}

static void leaves(void **state)
{
  (void)state;
  use_friction();
  set_forces();
  use_leaves(DLS_ACCELERATION_UNIQUE);
  json_t *o = json_of();
  json_t *first = at(o, "verdicts/acceleration_unique/witness/leaves/0");
  assert_int_equal(json_object_size(at(first, "modes")), 1);
  assert_string_equal(string_at(first, "modes/left"), "slide-");
  assert_string_equal(string_at(first, "kind"), "empty");
  assert_true(number_at(first, "direction/y") == 1);
  assert_int_equal(json_object_size(at(first, "direction")), 2);
  assert_true(number_at(first, "alpha/rail") == -2);
  assert_true(number_at(first, "alpha/left") == 2);
  assert_true(number_at(first, "sigma/middle/1") == 4);
  json_t *second = at(o, "verdicts/acceleration_unique/witness/leaves/1");
  assert_string_equal(string_at(second, "kind"), "point");
  assert_string_equal(string_at(second, "modes/rail"), "stick pulling");
  assert_int_equal(json_object_size(at(second, "modes")), 4);
  assert_int_equal(json_object_size(second), 2);
  json_decref(o);

  // long vectors keep what is not zero
  use_sizes(MANY, 1, MANY - 2);
  f->state.problem.friction = &f->friction;
  f->friction.tangents = 56;
  for (int i = 4; i < MANY; i++) f->first[i + 1] = f->first[i] + (i < 56);
  o = json_of();
  first = at(o, "verdicts/acceleration_unique/witness/leaves/0");
  assert_int_equal(json_object_size(at(first, "direction")), 1);
  assert_int_equal(json_object_size(at(first, "alpha")), 2);
  assert_int_equal(json_object_size(at(first, "sigma")), 3);
  json_decref(o);
}

static void limits(void **state)
{
  (void)state;
  json_t *o = json_of();
  assert_false(has(o, "friction"));
  assert_false(has(o, "sticking"));
  assert_false(has(o, "object"));
  json_decref(o);

  dls_limit *limit = f->check.limit;
  limit[DLS_LIMIT_SUFFICIENT] =
      (dls_limit){.asked = true, .value = 0.715, .low = NAN, .high = NAN, .by = "TUT Prop. 9"};
  limit[DLS_LIMIT_CRITICAL] =
      (dls_limit){.asked = true, .value = INFINITY, .low = 100, .high = INFINITY, .by = "P-test"};
  f->report.object = "disc";
  o = json_of();
  assert_int_equal(json_object_size(at(o, "friction")), 2);
  assert_true(number_at(o, "friction/sufficient/value") == 0.715);
  assert_string_equal(string_at(o, "friction/sufficient/by"), "TUT Prop. 9");
  assert_int_equal(json_object_size(at(o, "friction/sufficient")), 2);
  assert_true(json_is_null(at(o, "friction/critical/value")));
  assert_string_equal(string_at(o, "friction/critical/reason"),
                      "infinite: no friction is too much");
  assert_true(number_at(o, "friction/critical/low") == 100);
  assert_false(has(at(o, "friction/critical"), "high"));
  assert_string_equal(string_at(o, "object"), "disc");
  json_decref(o);

  limit[DLS_LIMIT_CRITICAL] =
      (dls_limit){.asked = true, .value = NAN, .low = 1, .high = 2, .by = "too many contacts"};
  limit[DLS_LIMIT_LEAST] =
      (dls_limit){.asked = true, .value = INFINITY, .low = NAN, .high = NAN, .by = "STK Prop. 11"};
  f->extra[1] = -3;
  f->check.extra_force = f->extra;
  f->check.extra_force_size = 3;
  o = json_of();
  assert_true(json_is_null(at(o, "friction/critical/value")));
  assert_string_equal(string_at(o, "friction/critical/reason"), "not known");
  assert_true(number_at(o, "friction/critical/high") == 2);
  assert_string_equal(string_at(o, "friction/least_for_sticking/reason"),
                      "infinite: no friction is enough");
  assert_true(number_at(o, "sticking/extra_force/y") == -3);
  assert_true(number_at(o, "sticking/extra_force_size") == 3);
  json_decref(o);
}

// ---- text --------------------------------------------------------------------------------------

static void one_solution_in_words(void **state)
{
  (void)state;
  use_friction();
  set_forces();
  f->contacts[2].status = DLS_SLIDING;
  f->contacts[2].slip[0] = 3, f->contacts[2].slip[1] = 4;
  f->low_b[0] = f->high_b[0] = -5;
  f->low_u[0] = 4, f->high_u[0] = 6;
  f->low_t[1] = -2.5, f->high_t[1] = -1.5;
  f->low_u[1] = f->high_u[1] = 4.905;
  char *text = friction_text();
  contains(text, "middle       unilateral  closed, slipping at 5, friction 0.5\n");
  contains(text, "\n  force        normal         tangential\n");
  contains(text, "\n  rail         -5             1.5                          sticks, pulls\n");
  contains(text,
           "\n  left         4.905          -2                           sticks; normal 4 … 6,\n");
  contains(text, " tangential -2.5 … -1.5\n");
  contains(text, "\n  middle       4.905          3, 4                         slides\n");
  contains(
      text,
      "\n  right        0                                           lifts off, normal acceler");
  contains(text, "1 of 4 not determined: hyperstatic");
  lacks(text, "every motion has inertia\n  Are the contact");
  dls_report_text_free(text);

  // a contact that did not slip yet
  f->modes[0][1] = DLS_MODE_SLIDE_PLUS;
  text = friction_text();
  contains(text, "starts to slide; normal 4 … 6");
  dls_report_text_free(text);
}

static void several_solutions_in_words(void **state)
{
  (void)state;
  use_two_solutions();
  char *text = friction_text();
  contains(text, "Is the acceleration unique?       no   2 solutions\n");
  contains(text, "Are the contact forces unique?    no   2 solutions\n");
  contains(text, "\nAccelerations and forces: 2 solutions\n");
  contains(text,
           "\n  1  x'' = 0, y'' = 0; rail sticks, pulls (normal -5, tangential 1.5); left sticks");
  contains(text, "\n  2  x'' = 0, y'' = 1; ");
  contains(text, "left starts to");
  contains(text, "right lifts off");
  contains(text, "; one of many");
  dls_report_text_free(text);

  f->check.solution_count = -1;
  text = friction_text();
  contains(text, "\nAccelerations and forces: 2 solutions; there may be more\n");
  contains(text, "at least 2 solutions");
  dls_report_text_free(text);

  f->check.solution_count = 9;
  f->check.solutions = 6;
  for (int k = 2; k < 6; k++) f->solution[k] = f->solution[1];
  text = friction_text();
  contains(text, ": 6 of 9 solutions\n");
  contains(text, "\n  … and 3 more solutions (all with --full)\n");
  dls_report_text_free(text);
}

static void one_solution_that_may_not_be_alone(void **state)
{
  (void)state;
  use_friction();
  f->check.solution_count = -1;
  f->check.verdict[DLS_ACCELERATION_UNIQUE].answer = DLS_UNDECIDED;
  char *text = friction_text();
  contains(text, "\nAcceleration and forces: 1 solution; there may be more\n");
  dls_report_text_free(text);
  f->check.verdict[DLS_ACCELERATION_UNIQUE].answer = DLS_YES;
  text = friction_text();
  contains(text, "\nAcceleration and forces\n");
  dls_report_text_free(text);
}

static void limits_in_words(void **state)
{
  (void)state;
  use_friction();
  char *text = friction_text();
  lacks(text, "Safe friction");
  dls_report_text_free(text);
  dls_limit *limit = f->check.limit;
  limit[DLS_LIMIT_SUFFICIENT] = (dls_limit){.asked = true, .value = 0.7153, .by = "TUT Prop. 9"};
  limit[DLS_LIMIT_CRITICAL] = (dls_limit){.asked = true, .value = 1.4617, .by = "P-test"};
  limit[DLS_LIMIT_LEAST] = (dls_limit){.asked = true, .value = 0.25, .by = "cones"};
  text = friction_text();
  contains(text,
           "\n  Safe friction, for every load     up to 0.7153 (TUT Prop. 9); lost at 1.4617\n");
  contains(text, "\n  Least friction for all to stick   0.25 (cones)\n");
  dls_report_text_free(text);

  static const struct {
    double value, low, high;
    const char *sufficient, *critical, *least;
  } cases[] = {
      {INFINITY, NAN, NAN, "any (why)", "; never lost", "no friction is enough (why)"},
      {NAN, NAN, NAN, "not known: why; ", "; where it is lost is not known: why",
       "stick   not known: why"},
      {NAN, 1, 2, "not known: why; ", "; lost between 1 and 2", "between 1 and 2 (why)"},
      {NAN, 1, INFINITY, "not known: why; ", "is not known: why", "stick   not known: why"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int k = 0; k < DLS_LIMIT_COUNT; k++)
      limit[k] = (dls_limit){.asked = true,
                             .value = cases[i].value,
                             .low = cases[i].low,
                             .high = cases[i].high,
                             .by = "why"};
    text = friction_text();
    contains(text, cases[i].sufficient);
    contains(text, cases[i].critical);
    contains(text, cases[i].least);
    lacks(text, "inf");
    dls_report_text_free(text);
  }
}

static void reasons_of_existence(void **state)
{
  (void)state;
  use_friction();
  char *text = friction_text();  // the theorem, not the inertia
  contains(text, "Is the acceleration unique?       yes  a theorem\n");
  dls_report_text_free(text);

  use_leaves(DLS_ACCELERATION_UNIQUE);
  text = friction_text();
  contains(text, "yes  stick, slide or open: 2 cases, one solution\n");
  dls_report_text_free(text);

  f->check.verdict[DLS_ACCELERATION_UNIQUE].answer = DLS_NO;
  f->solution[0].continuum = DLS_CONTINUUM_ACCELERATION;
  text = friction_text();
  contains(text, "no   a continuum of solutions; one of them is shown\n");
  dls_report_text_free(text);

  use_leaves(DLS_ACCELERATION_EXISTS);
  f->check.verdict[DLS_ACCELERATION_EXISTS].answer = DLS_NO;
  f->check.solution = NULL;
  f->check.solutions = f->check.solution_count = 0;
  text = friction_text();
  contains(text, "no   stick, slide or open: none of 2 cases works\n");
  contains(text, "Is the acceleration unique?       no   no acceleration exists\n");
  contains(text, "Are the contact forces unique?    no   no acceleration exists\n");
  lacks(text, "Acceleration and forces");
  dls_report_text_free(text);
}

static void reasons_of_sticking(void **state)
{
  (void)state;
  use_friction();
  int detach[] = {3, 1};
  dls_verdict *v = &f->check.verdict[DLS_CAN_ALL_STICK];
  dls_limit *least = &f->check.limit[DLS_LIMIT_LEAST];
  v->answer = DLS_NO;
  char *text = friction_text();
  contains(text, "Can all contacts stick?           no   a theorem\n");
  dls_report_text_free(text);

  *least = (dls_limit){.asked = true, .value = 0.25, .low = NAN, .high = NAN, .by = "cones"};
  text = friction_text();
  contains(text, "no   they would with friction 0.25\n");
  dls_report_text_free(text);

  f->extra[0] = 1.5;
  f->check.extra_force = f->extra;
  text = friction_text();
  contains(text, "no   they would with friction 0.25, or the extra force x: 1.5\n");
  dls_report_text_free(text);

  least->value = INFINITY;
  v->parts = 1;
  v->part[0] = (dls_witness_part){"detach", DLS_INDEX_CLOSED, 2, NULL, detach};
  text = friction_text();
  contains(text, "no   right, left lift off; no friction is enough; they would\n");
  contains(text, " with the extra force x: 1.5\n");
  dls_report_text_free(text);

  v->part[0].count = 1;
  f->check.extra_force = NULL;
  text = friction_text();
  contains(text, "no   right lifts off; no friction is enough\n");
  dls_report_text_free(text);
}

static void reasons_of_loads_closure_and_steps(void **state)
{
  (void)state;
  use_friction();
  int minor[] = {0, 2};
  double impulse[] = {0, 1, 0, 2};
  dls_verdict *v = f->check.verdict;
  v[DLS_UNIQUE_FOR_EVERY_LOAD].answer = v[DLS_STEP_SOLVABLE].answer = DLS_NO;
  v[DLS_FORM_CLOSURE].answer = v[DLS_FORCE_CLOSURE].answer = DLS_NO;
  v[DLS_UNIQUE_FOR_EVERY_LOAD].parts = v[DLS_STEP_SOLVABLE].parts = 1;
  v[DLS_FORM_CLOSURE].parts = v[DLS_FORCE_CLOSURE].parts = 1;
  v[DLS_UNIQUE_FOR_EVERY_LOAD].part[0] =
      (dls_witness_part){"minor", DLS_INDEX_UNILATERAL, 2, NULL, minor};
  v[DLS_STEP_SOLVABLE].part[0] = (dls_witness_part){"r", DLS_INDEX_CLOSED, 4, impulse, NULL};
  v[DLS_FORM_CLOSURE].part[0] = v[DLS_FORCE_CLOSURE].part[0] =
      (dls_witness_part){"direction", DLS_INDEX_COORDINATES, 2, f->direction, NULL};
  f->report.object = "disc";
  char *text = friction_text();
  contains(text, "no   left, right: some load has no solution, or several\n");
  contains(text, "Held by geometry alone?           no   y: by this motion it escapes, as far as");
  contains(text, "Held by friction, if pressed?     no   y: no force resists this motion, however");
  contains(text, "no   left, right: no velocity follows what they impose\n");
  contains(text, "; object disc\n");
  dls_report_text_free(text);

  v[DLS_STEP_SOLVABLE].parts = 2;
  v[DLS_STEP_SOLVABLE].part[0] =
      (dls_witness_part){"lambda_b", DLS_INDEX_BILATERAL, 1, impulse + 1, NULL};
  v[DLS_STEP_SOLVABLE].part[1] =
      (dls_witness_part){"lambda_u", DLS_INDEX_UNILATERAL, 3, impulse + 1, NULL};
  text = friction_text();
  contains(text, "no   rail, left, right: no velocity follows what they impose\n");
  dls_report_text_free(text);

  v[DLS_STEP_SOLVABLE].parts = 1;
  v[DLS_STEP_SOLVABLE].part[0] = (dls_witness_part){"r", DLS_INDEX_CLOSED, 1, f->direction, NULL};
  text = friction_text();
  contains(text, "Can a time step be solved?        no   a theorem\n");
  dls_report_text_free(text);
}

static void friction_fits_a_screen(void **state)
{
  (void)state;
  for (int m_u = 3; m_u <= MANY - 2; m_u = m_u < 9 ? m_u + 1 : m_u + 12) {
    use_friction();
    use_sizes(6, 1, m_u);
    f->state.problem.friction = &f->friction;
    for (int k = 0; k < DLS_LIMIT_COUNT; k++)
      f->check.limit[k] = (dls_limit){.asked = true, .value = 0.123456789, .by = "a theorem"};
    char *text = friction_text();
    if (measure(text) > 47) fail_msg("%d lines:\n%s", measure(text), text);
    dls_report_text_free(text);
  }
}

static void friction_never_prints_nan(void **state)
{
  (void)state;
  use_two_solutions();
  use_leaves(DLS_ACCELERATION_UNIQUE);
  double *const arrays[] = {f->z,     f->lambda_b, f->lambda_u, f->a_u,
                            f->low_u, f->tau,      f->low_t,    f->high_t,
                            f->extra, f->cancel_u, f->b_t,      f->direction};
  static const double wild[] = {NAN, INFINITY, -INFINITY};
  for (int w = 0; w < 3; w++) {
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
      for (int i = 0; i < MANY; i++) arrays[k][i] = wild[w];
    for (int i = 0; i < MANY * MANY; i++) f->H[i] = wild[w];
    for (int i = 0; i < DLS_LIMIT_COUNT; i++)
      f->check.limit[i] =
          (dls_limit){.asked = true, .value = wild[w], .low = wild[w], .high = wild[w]};
    f->check.extra_force = f->extra;
    f->check.extra_force_size = wild[w];
    f->check.verdict[DLS_CAN_ALL_STICK].answer = DLS_NO;
    for (int solutions = 1; solutions <= 2; solutions++) {
      f->check.solutions = solutions;
      char *text = friction_text();
      lacks(text, "inf");
      dls_report_text_free(text);
      text = json_text();
      lacks(text, "nan");
      lacks(text, "inf,");
      lacks(text, "Inf");
      dls_report_text_free(text);
      json_decref(json_of());
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(forces_and_modes),
      TEST(tangential_ranges),
      TEST(several_solutions),
      TEST(parts_over_tangents_and_contacts),
      TEST(leaves),
      TEST(limits),
      TEST(one_solution_in_words),
      TEST(several_solutions_in_words),
      TEST(one_solution_that_may_not_be_alone),
      TEST(limits_in_words),
      TEST(reasons_of_existence),
      TEST(reasons_of_sticking),
      TEST(reasons_of_loads_closure_and_steps),
      TEST(friction_fits_a_screen),
      TEST(friction_never_prints_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
