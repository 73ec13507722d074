// True reports about models with numbers next to rounding or to the tolerance: none of them is
// rejected. And what is false in them all the same.
#include "verify_case.h"

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

// Three equal cranks where two would do: their gradients depend on each other up to rounding.
static const char cranks[] =
    "coordinate x = cos(pi/3), y = sin(pi/3), phi = 0\n"
    "kinetic (x'^2 + y'^2)/2 + phi'^2/20\n"
    "potential 9.81*y\n"
    "bilateral left:   ((x - cos(phi)/2 + 0.5)^2 + (y - sin(phi)/2)^2)/2 = 0.5\n"
    "bilateral middle: (x^2 + y^2)/2 = 0.5\n"
    "bilateral right:  ((x + cos(phi)/2 - 0.5)^2 + (y + sin(phi)/2)^2)/2 = 0.5\n";
// tau goes from -8e-13 to 8e-13, next to nothing beside 3 and as much as lambda.
static const char hair[] = "coordinate x\n"
                           "kinetic x'^2/2\n"
                           "force x = 3\n"
                           "bilateral c: 6597069766656*x = 0 { slip 3*x'; friction 1.75 }\n";
// Forces go from 1 - 1.4e-9 to 1 + 1.4e-9.
static const char narrow[] = "coordinate x\n"
                             "kinetic x'^2\n"
                             "force x = 2\n"
                             "bilateral c: -2*x = 0 { slip x'; friction 2.7939677238464355e-09 }\n";
// Three solutions, two of them 1.5e-9 apart.
static const char near[] =
    "coordinate x, y, z\n"
    "kinetic x'^2 - 2*x'*y' + x'*z' + 4.5*y'^2 - 8*y'*z' + 4.5*z'^2\n"
    "force x = -3, y = -2\n"
    "unilateral c1: 0.5*x + 2*y >= 0\n"
    "bilateral c2: 2*x - 0.5*y + z + 0.25*t^2 = 0 { slip -2*x'; friction 1.1736111122041217 }\n";
// What the slip of a contact that slides does is no load, as it has no part in the law.
static const char slides[] =
    "coordinate x\n"
    "kinetic 0.1875*x'^2\n"
    "unilateral c1: -3*x >= 0 { slip x' - 1 - t; friction 0.125 }\n"
    "unilateral c2: 2*x + 2^-34*t^2 >= 0 { slip 1.5*x' - 2 - t; friction 0.125 }\n"
    "unilateral c3: -0.5*x >= 0 { slip 1.5*x' + 2 + 3*2^-32*t; friction 0.5 }\n";
// z has no mass, and a unit from the gradient that ties it to x.
static const char massless[] =
    "coordinate x, y, z, w\n"
    "kinetic x'^2/2 + y'^2 + 1.5*w'^2\n"
    "force y = -3, z = 1, w = 4\n"
    "unilateral c1: -x + 3*2^-20*w - 0.25*t^2 >= 0\n"
    "bilateral c2: -2*z = 0\n"
    "bilateral c3: 3*2^-34*x - 4*z - 0.75*t^2 = 0 { slip 2*y' + 2*z' + w'; friction 0.25 }\n"
    "unilateral c4: -x - 2^-34*w >= 0\n";
// A_t is rounding: so is where the determinant changes its sign.
static const char turning[] =
    "coordinate x, y\n"
    "kinetic (1367.284856878198*x'^2 + 38218331.67755128*x'*y' + 534139198890.22723*y'^2)/2\n"
    "force x = 4101.854570634594, y = -76436663.35510255\n"
    "unilateral c: -47855.7312732323*x - 1003247166.0558395*y >= 0"
    " { slip -11963.932818221025*x' + 167207861.0093066*y' - 47855.7312732323; friction 0.125 }\n";
static const char joint[] =
    "coordinate x, y\n"
    "kinetic 3*x'^2/8 + (0.6*y' - 2*x')^2/2 + (y' - 0.4*x')^2/2 + y'^2/4\n"
    "force x = 1, y = -3\n"
    "bilateral c: 2.6*y - 0.5*x - 0.5*t^2 = 0 { slip 0.6*x' - 2*y'; friction 1.5 }\n";

// c1 and c2 open by less than the tolerance of all loads, which the slip of c2 ties together.
static const char opening[] =
    "coordinate x, y\n"
    "kinetic 1.5*x'^2 + 0.1875*y'^2\n"
    "force x = -8.731149137020111e-11, y = 4\n"
    "unilateral c1: -2*x >= 0\n"
    "unilateral c2: -x - 2^-37*t^2 >= 0 { slip 3*y' + 2; friction 0 }\n"
    "unilateral c3: -2*y + 3*2^-35*t^2 >= 0 { slip -0.5*y' - t; friction 0 }\n";
// Friction holds a load of 3.7e-9 beside 2: no bound of all modes at once is as small.
static const char held[] = "coordinate x, y\n"
                           "kinetic x'^2 + 0.1875*y'^2\n"
                           "force x = 2, y = 3.725290298461914e-09\n"
                           "unilateral c: -0.5*x >= 0 { slip -1.5*x' - 2*y'; friction 0.75 }\n";
// What is tight up to 1e-12 takes no part where the constraints tell the acceleration.
static const char told[] =
    "coordinate x, y\n"
    "kinetic 0.1875*x'^2 + 1.5*y'^2\n"
    "force y = -2\n"
    "bilateral c1: 1.5*y = 0 { slip x' - 2*t; friction 1.3642420526593924e-12 }\n"
    "bilateral c2: -3*x - y = 0 { slip -1.5*y'; friction 0.7500000013969839 }\n";
// Percussions of 2e12 times the velocities, and no more rounding than they have.
static const char jam[] = "coordinate x\n"
                          "velocity x = 1\n"
                          "kinetic x'^2/2\n"
                          "force x = -1\n"
                          "unilateral c1: -2.0000000000009095*x + 9.094947017729282e-13*t >= 0"
                          " { slip 2*x'; friction 1; restitution 1 }\n"
                          "unilateral c2: -3*x >= 0 { slip x'; friction 2; restitution 0.5 }\n";

// y and z move against each other without mass but for 4 units in the last place of 9, and c opens
// with 1e15 times the load: a second solution, which a proof with rounding in it excludes.
static const char light[] = "coordinate x, y, z\n"
                            "kinetic 4.5*x'^2 - x'*y' - x'*z' + 4.5*y'^2 + 9*y'*z' + 4.5*z'^2\n"
                            "force x = -2, z = 5\n"
                            "bilateral b: 2*x + 2^-24*y = 0\n"
                            "unilateral c: x >= 0 { slip -x' - z' - 1; friction 0.125 }\n";
static const char second_is_empty[] =
    "{'leaves': [{'modes': {'b': 'closed', 'c': 'detach'}, 'kind': 'empty', 'direction': {"
    "'x': 2.9802322096778383e-08, 'y': -0.9999999966886299, 'z': 1},"
    "'alpha': {'b': -1.324547642968923e-07, 'c': 0}, 'sigma': {'c': [0]}},"
    "{'modes': {'b': 'closed', 'c': 'slide'}, 'kind': 'point'}],"
    "'acceleration': {'z': -1.0927520452294973e-07}, 'lambda_b': {'b': -16.50000338753134},"
    "'lambda_u': {'c': 40.00000786781472}, 'tau': {'c': [5.00000098347684]}}";
// What is imposed on a opens it with 5e11 times the unit of b, which nothing moves.
static const char beside[] =
    "coordinate x\n"
    "kinetic x'^2/2\n"
    "unilateral a: 2^-38*x + t^2 >= 0 { slip -2^-25*x' + 1 - 2*t; friction 3 }\n"
    "unilateral b: 2^-31*x >= 0 { slip 3*x'; friction 2 }\n";
// a and c press each other with friction of 1e-11: the forces of one set go far.
static const char faint[] =
    "coordinate x, y, z\n"
    "kinetic 4.5*x'^2 - 5*x'*y' - x'*z' + 3.5*y'^2 - 2*y'*z' + z'^2\n"
    "force x = 5, y = 2, z = -2\n"
    "bilateral a: -x = 0 { slip x' + 3; friction 1.0913936421275139e-11 }\n"
    "bilateral b: -z = 0 { slip -2*z' + 1; friction 2.000000000029104 }\n"
    "bilateral c: -3*x = 0 { slip -3*x' - 2*z' + 1; friction 2.2737367544323206e-13 }\n";

static void second_far_away(void **unused)
{
  (void)unused;
  static const char question[] = "verdicts/acceleration_unique";
  char path[80];
  subject s = ask_about(light, NULL, NULL);
  json_t *verdicts = json_object_get(s.report, "verdicts");
  json_t *unique = json_object_get(verdicts, "acceleration_unique");
  assert_string_equal(json_string_value(json_object_get(unique, "answer")), "undecided");
  assert_true(json_is_null(json_object_get(s.report, "solution_count")));
  snprintf(path, sizeof path, "%s/answer", question);
  put_value(s.report, path, "\"yes\"");
  snprintf(path, sizeof path, "%s/witness", question);
  put_quoted(s.report, path, second_is_empty);
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_UNPROVEN);
  close_subject(&s);
}

// The slip moves x by 3e-8: forces that stick to rounding differ much, and accelerations by 3e-10,
// which moves the slip more than it rounds.
static const char slippery[] =
    "coordinate x, y\n"
    "kinetic 6*x'^2 - 4*x'*y' + 2*y'^2\n"
    "force y = -1\n"
    "unilateral c: (2 + 2^-38)*y >= 0 { slip 2^-25*x' + y'; friction 0.125 }\n";
static const char two_forces[] =
    "{'acceleration': {'x': -1.655684578187488e-10}, 'lambda_u': {'c': 0.5333333336855113},"
    "'tau': {'c': [-0.06666666671068891]}, 'other': {'x': 1.4608981554033838e-10},"
    "'other_u': {'c': 0.4705882350183194}, 'other_tau': {'c': [0.05882352937728993]}}";

static void forces_of_other_data(void **unused)
{
  (void)unused;
  subject s = ask_about(slippery, NULL, NULL);
  json_t *verdicts = json_object_get(s.report, "verdicts");
  json_t *unique = json_object_get(verdicts, "forces_unique");
  assert_string_not_equal(json_string_value(json_object_get(unique, "answer")), "no");
  put_value(s.report, "verdicts/forces_unique/answer", "\"no\"");
  put_quoted(s.report, "verdicts/forces_unique/witness", two_forces);
  assert_int_equal(found_of(&s, "verdicts.forces_unique"), DLS_FOUND_UNPROVEN);
  close_subject(&s);
}

// Both gradients have nearly one direction: what the joint leaves of that of the floor is 7e-9, and
// the entry 7e-18.
static const char nearly_joint[] = "coordinate x, y\n"
                                   "kinetic (9*x'^2 - 6*x'*y' + 5*y'^2)/2\n"
                                   "force x = 5, y = -3\n"
                                   "bilateral joint: 3*2^-29*y - x = 0\n"
                                   "unilateral floor: -x >= 0\n";

static void small_entry(void **unused)
{
  (void)unused;
  subject s = ask_about(nearly_joint, NULL, NULL);
  json_t *matrix = json_object_get(json_object_get(s.report, "delassus"), "matrix");
  const double entry = json_number_value(json_array_get(json_array_get(matrix, 0), 0));
  char text[40];
  at_case("%g", entry);
  assert_true(entry > 6e-18 && entry < 7e-18);
  assert_int_equal(found_of(&s, "delassus"), DLS_FOUND_HOLDS);
  snprintf(text, sizeof text, "%.17g", 1.1 * entry);
  put_value(s.report, "delassus/matrix/0/0", text);
  assert_int_equal(found_of(&s, "delassus"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void accelerations_of_one_contact(void **unused)
{
  (void)unused;
  subject s = ask_about(beside, NULL, NULL);
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_HOLDS);
  put_value(s.report, "solutions/0/forces/b/slip_acceleration/0", "-2");
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_FAILS);
  put_value(s.report, "solutions/0/forces/b/slip_acceleration/0", "0");
  put_value(s.report, "solutions/0/forces/b/normal_acceleration", "1e-9");
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void sets_meet_far_away(void **unused)
{
  (void)unused;
  subject s = ask_about(faint, NULL, NULL);
  assert_int_not_equal(found_of(&s, "solution_count"), DLS_FOUND_FAILS);
  put_value(s.report, "solution_count", "2");
  assert_int_not_equal(found_of(&s, "solution_count"), DLS_FOUND_HOLDS);
  close_subject(&s);
}

static void all_hold(void **unused)
{
  (void)unused;
  static const char *const models[] = {cranks,   hair,    narrow, near,    slides,
                                       massless, turning, joint,  opening, held,
                                       told,     jam,     light,  beside,  faint};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    at_case("%s", models[k]);
    subject s = ask_about(models[k], NULL, NULL);
    dls_verification *v = verify(&s);
    assert_true(v->holds);
    dls_verification_free(v);
    close_subject(&s);
  }
}

// A slip that is imposed where it hardly moves with the mass: neither forces nor accelerations may
// be wrong by what it would take to stop it, nor the ends of ranges.
static void imposed_excuses_nothing(void **unused)
{
  (void)unused;
  for (int k = 20; k <= 44; k += 3) {
    char text[300], number[40];
    at_case("2^-%d", k);
    snprintf(text, sizeof text,
             "coordinate x\nkinetic 4*x'^2\nforce x = 5\n"
             "unilateral c: 2^-%d*x >= 0 { slip 2^-%d*x' - 2*t; friction 2 }\n",
             k, k + 1);
    subject s = ask_about(text, NULL, NULL);
    assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_HOLDS);
    snprintf(number, sizeof number, "%.17g", -ldexp(1e-3, k + 1));
    put_value(s.report, "solutions/0/forces/c/tangential/0", number);
    assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_FAILS);
    put_value(s.report, "solutions/0/forces/c/tangential/0", "0.0");
    put_value(s.report, "solutions/0/acceleration/x", "0.626");
    assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_FAILS);
    close_subject(&s);
  }
  subject s = ask_about("coordinate x\nkinetic 0.0625*x'^2\nforce x = 3\n"
                        "unilateral c: -2*x - 0.25*t^2 >= 0 {\n"
                        "  slip 5.587935447692871e-09*x' - 2*t; friction 1.5 }\n",
                        NULL, NULL);
  assert_int_equal(found_of(&s, "force_ranges.c"), DLS_FOUND_HOLDS);
  put_value(s.report, "force_ranges/c/tangential/0/1", "1.5914");
  assert_int_not_equal(found_of(&s, "force_ranges.c"), DLS_FOUND_HOLDS);
  close_subject(&s);
}

static void endless_range(void **unused)
{
  (void)unused;
  subject s = ask_about(cranks, NULL, NULL);
  assert_int_equal(found_of(&s, "force_ranges.middle"), DLS_FOUND_HOLDS);
  put_value(s.report, "force_ranges/middle/normal/1", "1e6");
  assert_int_equal(found_of(&s, "force_ranges.middle"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// Neither "one" nor "many" is wrong, and what follows is open, too.
static void nearly_one(void **unused)
{
  (void)unused;
  subject s = ask_about(hair, NULL, NULL);
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_HOLDS);
  const dls_found found = found_of(&s, "verdicts.forces_unique");
  assert_true(found == DLS_FOUND_UNPROVEN || found == DLS_FOUND_NOTHING);
  close_subject(&s);
  s = ask_about(narrow, NULL, NULL);
  put_value(s.report, "solutions/0/continuum", "\"acceleration\"");
  assert_int_equal(found_of(&s, "continuum.1"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void near_sets(void **unused)
{
  (void)unused;
  subject s = ask_about(near, NULL, NULL);
  json_t *solutions = json_object_get(s.report, "solutions");
  assert_int_equal(json_array_size(solutions), 3);
  assert_int_equal(found_of(&s, "solution_count"), DLS_FOUND_HOLDS);
  json_array_set(solutions, 2, json_array_get(solutions, 1));
  assert_int_equal(found_of(&s, "solution_count"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void limit_in_rounding(void **unused)
{
  (void)unused;
  subject s = ask_about(turning, NULL, NULL);
  put_value(s.report, "friction/sufficient/value", "1374480349066.3467");
  assert_int_equal(found_of(&s, "friction.sufficient"), DLS_FOUND_UNPROVEN);
  put_value(s.report, "friction/sufficient/value", "1e4");
  assert_int_equal(found_of(&s, "friction.sufficient"), DLS_FOUND_HOLDS);
  put_value(s.report, "friction/sufficient/value", "1e19");
  assert_int_equal(found_of(&s, "friction.sufficient"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// Another acceleration is noticed where the leaf leaves all modes open.
static void another_acceleration(void **unused)
{
  (void)unused;
  subject s = ask_about(held, NULL, NULL);
  put_quoted(s.report, "verdicts/acceleration_unique/witness",
             "{'leaves': [{'modes': {}, 'kind': 'acceleration', 'acceleration': {}}]}");
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_HOLDS);
  close_subject(&s);
  s = ask_about(rod, "mu=2, g=-1", "left");
  put_value(s.report, "verdicts/acceleration_unique/answer", "\"yes\"");
  put_quoted(s.report, "verdicts/acceleration_unique/witness",
             "{'leaves': [{'modes': {}, 'kind': 'acceleration', 'acceleration': {}}]}");
  assert_int_equal(found_of(&s, "verdicts.acceleration_unique"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// Forces that cannot cancel each other are enough at the least coefficient itself.
static void attained(void **unused)
{
  (void)unused;
  subject s = ask_about(joint, NULL, NULL);
  assert_int_equal(found_of(&s, "friction.least_for_sticking.attained"), DLS_FOUND_HOLDS);
  put_value(s.report, "friction/least_for_sticking/attained", "false");
  assert_int_equal(found_of(&s, "friction.least_for_sticking.attained"), DLS_FOUND_FAILS);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_hold),
                                     cmocka_unit_test(imposed_excuses_nothing),
                                     cmocka_unit_test(endless_range),
                                     cmocka_unit_test(nearly_one),
                                     cmocka_unit_test(near_sets),
                                     cmocka_unit_test(limit_in_rounding),
                                     cmocka_unit_test(another_acceleration),
                                     cmocka_unit_test(attained),
                                     cmocka_unit_test(second_far_away),
                                     cmocka_unit_test(forces_of_other_data),
                                     cmocka_unit_test(small_entry),
                                     cmocka_unit_test(accelerations_of_one_contact),
                                     cmocka_unit_test(sets_meet_far_away)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
