// The checker of reports: what is spoiled fails, with the claim that was spoiled and the reason
// named.
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

typedef struct spoil {
  const char *model, *sets, *at;
  const char *path, *value;  // what changes
  const char *claim, *why;   // what fails, and a part of the reason
} spoil;

static const spoil spoils[] = {
    // answers that are turned round, witnesses that are gone or malformed
    {regular, 0, 0, "verdicts/mass_definite/answer", "\"no\"", "verdicts.mass_definite",
     "direction"},
    {regular, 0, 0, "verdicts/mfcq/answer", "\"no\"", "verdicts.mfcq", "lambda_u"},
    {regular, 0, 0, "verdicts/acceleration_exists/answer", "\"no\"", "verdicts.acceleration_exists",
     "does not contradict"},
    {shelf, 0, 0, "verdicts/forces_unique/answer", "\"yes\"", "verdicts.forces_unique",
     "coordinates"},
    {shelf, 0, 0, "verdicts/constraints_independent/answer", "\"yes\"",
     "verdicts.constraints_independent", "coordinates"},
    {shelf, 0, 0, "verdicts/delassus_definite/answer", "\"yes\"", "verdicts.delassus_definite",
     "not independent"},
    {clash, 0, 0, "verdicts/constraints_compatible/answer", "\"yes\"",
     "verdicts.constraints_compatible", "acceleration"},
    {clash, 0, 0, "verdicts/acceleration_exists/answer", "\"yes\"", "verdicts.acceleration_exists",
     "acceleration"},
    {rod, "mu=2", "left", "verdicts/unique_for_every_load/answer", "\"yes\"",
     "verdicts.unique_for_every_load", "both signs"},
    {ladder, 0, "falling", "verdicts/unique_for_every_load/answer", "\"no\"",
     "verdicts.unique_for_every_load", "incomplete"},
    {regular, 0, 0, WITNESS("mfcq"), "null", "verdicts.mfcq", "incomplete: direction"},
    {regular, 0, 0, WITNESS("mfcq"), "[1]", "verdicts.mfcq", "not an object"},
    {regular, 0, 0, WITNESS("mfcq"), 0, "verdicts.mfcq", "incomplete"},
    {regular, 0, 0, WITNESS("mfcq") "/direction", "3", "verdicts.mfcq", "malformed: direction"},
    {regular, 0, 0, WITNESS("mfcq") "/direction/x", "\"1\"", "verdicts.mfcq",
     "direction.x is not a number"},
    {regular, 0, 0, WITNESS("mfcq") "/direction/x", "null", "verdicts.mfcq", "not a number"},
    {regular, 0, 0, WITNESS("mfcq") "/direction/w", "1", "verdicts.mfcq", "direction.w"},
    {regular, 0, 0, "verdicts/perpetual_motion", "{\"answer\": \"yes\"}",
     "verdicts.perpetual_motion", "does not check"},

    // masses and gradients
    {regular, 0, 0, WITNESS("mass_definite") "/pivots/y", "0.9", "verdicts.mass_definite",
     "not those of elimination"},
    {regular, 0, 0, WITNESS("mass_definite") "/pivots/z", "-1", "verdicts.mass_definite",
     "not positive"},
    {pushed, 0, 0, WITNESS("mass_definite") "/direction/x", "1e-6", "verdicts.mass_definite",
     "M direction is not 0"},
    {pushed, 0, 0, WITNESS("mass_definite") "/direction", "{\"x\": 0}", "verdicts.mass_definite",
     "M direction is not 0"},
    {regular, 0, 0, WITNESS("constraints_independent") "/coordinates", "[\"x\", \"y\", \"x\"]",
     "verdicts.constraints_independent", "x twice"},
    {regular, 0, 0, WITNESS("constraints_independent") "/coordinates", "[\"x\", \"y\"]",
     "verdicts.constraints_independent", "2 coordinates are named for 3"},
    {regular, 0, 0, WITNESS("constraints_independent") "/coordinates", "[\"x\", \"y\", \"w\"]",
     "verdicts.constraints_independent", "coordinates, w"},
    {shelf, 0, 0, WITNESS("constraints_independent") "/lambda_u/left", "0.500001",
     "verdicts.constraints_independent", "is not 0"},
    {regular, 0, 0, WITNESS("constraints_compatible") "/acceleration/x", "1e-3",
     "verdicts.constraints_compatible", "is not 0"},
    {clash, 0, 0, WITNESS("constraints_compatible") "/lambda_b/fixed", "0.5",
     "verdicts.constraints_compatible", "does not contradict"},
    {clash, 0, 0, WITNESS("constraints_compatible") "/lambda_b", "{\"fixed\": 1, \"moved\": -1}",
     "verdicts.constraints_compatible", "does not contradict: the strict"},
    {regular, 0, 0, WITNESS("mfcq") "/direction", "{\"x\": 1, \"y\": 1, \"z\": -3}",
     "verdicts.mfcq", "does not open contact roof"},
    {regular, 0, 0, WITNESS("mfcq") "/direction", "{\"x\": 1, \"y\": 1.001, \"z\": 3}",
     "verdicts.mfcq", "G_b^T direction is not 0"},
    {jaws, 0, 0, WITNESS("mfcq") "/lambda_u/left", "-1", "verdicts.mfcq", "negative"},
    {jaws, 0, 0, WITNESS("mfcq") "/lambda_u/left", "0.9", "verdicts.mfcq", "is not 0"},
    {jaws, 0, 0, WITNESS("mfcq") "/lambda_u", "{}", "verdicts.mfcq", "is not 0"},
    {shelf, 0, 0, WITNESS("delassus_definite") "/lambda_u/middle", "0.99",
     "verdicts.delassus_definite", "is not 0"},
    {regular, 0, 0, WITNESS("delassus_definite") "/pivots/floor", "9", "verdicts.delassus_definite",
     "not those of elimination"},
    {regular, 0, 0, "delassus/matrix/0/1", "7", "delassus", "not G_u^T M_c^-1 G_u"},
    {regular, 0, 0, "delassus/matrix/0", "[1]", "delassus", "does not hold 2 numbers"},
    {regular, 0, 0, "delassus/names/0", "\"roof\"", "delassus", "names"},
    {regular, 0, 0, "delassus/names", "[\"floor\", \"roof\", \"wall\"]", "delassus", "names"},
    {regular, 0, 0, "kinetic_angles/radians/0/1", "0.1", "kinetic_angles", "the angle of"},
    {regular, 0, 0, "kinetic_angles/radians/1/1", "0.1", "kinetic_angles", "the angle of"},
    {regular, 0, 0, "kinetic_angles/radians/0", "[1]", "kinetic_angles", "does not hold"},

    // existence and uniqueness without friction
    {regular, 0, 0, WITNESS("acceleration_exists") "/acceleration/z", "2.1",
     "verdicts.acceleration_exists", "balance"},
    {regular, 0, 0, WITNESS("acceleration_exists") "/lambda_u/floor", "-1",
     "verdicts.acceleration_exists", "balance"},
    {jaws, 0, 0, WITNESS("acceleration_exists") "/lambda_u/left", "-1",
     "verdicts.acceleration_exists", "does not contradict"},
    {pushed, 0, 0, WITNESS("acceleration_exists") "/direction/s", "1",
     "verdicts.acceleration_exists", "strict inequality"},
    {pushed, 0, 0, WITNESS("acceleration_exists") "/direction/x", "0.5",
     "verdicts.acceleration_exists", "does not show"},
    {regular, 0, 0, WITNESS("acceleration_unique") "/pivots/x", "1", "verdicts.acceleration_unique",
     "not those of elimination"},
    {linked, 0, 0, WITNESS("acceleration_unique") "/coordinates", "[\"s\"]",
     "verdicts.acceleration_unique", "nonsingular"},
    {linked, 0, 0, WITNESS("acceleration_unique") "/bilateral", "[]",
     "verdicts.acceleration_unique", "1 rows are named, 2 are needed"},
    {pressed, 0, 0, WITNESS("acceleration_unique") "/lambda_u/stop", "0",
     "verdicts.acceleration_unique", "balance"},
    {pressed, 0, 0, WITNESS("acceleration_unique") "/closed", "[]", "verdicts.acceleration_unique",
     "not among the closed"},
    {adrift, 0, 0, WITNESS("acceleration_unique") "/other/x", "1", "verdicts.acceleration_unique",
     "balance"},
    {adrift, 0, 0, WITNESS("acceleration_unique") "/other/s", "0", "verdicts.acceleration_unique",
     "are the same"},
    {shelf, 0, 0, WITNESS("forces_unique") "/other_u/left", "30", "verdicts.forces_unique",
     "the other solution does not balance"},
    {regular, 0, 0, WITNESS("forces_unique") "/coordinates", "[\"x\", \"z\"]",
     "verdicts.forces_unique", "nonsingular"},
    {idle, 0, 0, WITNESS("forces_unique") "/direction/x", "-1", "verdicts.forces_unique",
     "does not open"},
    {idle, 0, 0, WITNESS("forces_unique") "/lambda_u/once", "1", "verdicts.forces_unique",
     "balance"},
    {regular, 0, 0, "verdicts/acceleration_exists/answer", "\"undecided\"",
     "verdicts.forces_unique", "no solution is proven"},

    // solutions
    {regular, 0, 0, "solutions/0/acceleration/z", "0", "solutions.1", "balance"},
    {regular, 0, 0, "solutions/0/forces/floor/normal", "1", "solutions.1", "balance"},
    {regular, 0, 0, "solutions/0/forces/floor/mode", "\"detach\"", "solutions.1",
     "does not detach"},
    {regular, 0, 0, "solutions/0/forces/roof/mode", "\"frictionless\"", "solutions.1",
     "does not frictionless"},
    {regular, 0, 0, "solutions/0/forces/roof/normal_acceleration", "1", "solutions.1",
     "another normal acceleration"},
    {regular, 0, 0, "solutions/0/forces/roof", 0, "solutions.1", "expected one entry"},
    {regular, 0, 0, "solutions/0/forces/roof/tangential", "[1]", "solutions.1", "malformed"},
    {regular, 0, 0, "solutions/0", "5", "solutions.1", "expected an object"},
    {regular, 0, 0, "force_ranges/floor/normal", "[9, 10]", "force_ranges.floor", "lower end is 3"},
    {shelf, 0, 0, "force_ranges/left/normal/1", "34.3351", "force_ranges.left",
     "upper end is 34.3"},
    {shelf, 0, 0, "force_ranges/left/normal/1", "34.3349", "force_ranges.left",
     "upper end is 34.3"},
    {shelf, 0, 0, "force_ranges/right/normal/0", "29.42999", "force_ranges.right",
     "lower end is 29.43"},
    {shelf, 0, 0, "force_ranges/right/normal/1", "null", "force_ranges.right", "not a number"},
    {shelf, 0, 0, "solutions/0/continuum", "\"none\"", "continuum.1", "is \"forces\""},
    {rod, "mu=2, g=-1", "left", "solution_count", "3", "solution_count", "hold 2 connected sets"},
    {rod, "mu=2, g=-1", "left", "covering", 0, "solution_count", "no proof in this report"},
    {rod, "mu=2, g=-1", "left", "covering/0", 0, "solution_count", "do not cover"},
    {regular, 0, 0, "force_ranges/nowhere", "{\"normal\": [0, 1]}", "force_ranges.nowhere",
     "no closed contact"},
    {regular, 0, 0, "solution_count", "0", "solution_count", "more than 0"},
    {regular, 0, 0, "solution_count", "2", "solution_count", "unique"},
    {regular, 0, 0, "solution_count", "1.5", "solution_count", "not a count"},
    {jaws, 0, 0, "solution_count", "1", "solution_count", "no solution is shown"},

    // friction: solutions and modes
    {ladder, 0, "falling", WITNESS("acceleration_exists") "/tau/wall/0", "0",
     "verdicts.acceleration_exists", "balance"},
    {spatial, 0, 0, WITNESS("acceleration_exists") "/tau/floor", "[-1]",
     "verdicts.acceleration_exists", "needs 2 numbers"},
    {spatial, 0, 0, WITNESS("acceleration_exists") "/acceleration/x", "1",
     "verdicts.acceleration_exists", "balance"},
    {block, "X=6", 0, "solutions/0/forces/left/mode", "\"stick\"", "solutions.1", "does not stick"},
    {block, 0, 0, "solutions/0/forces/left/mode", "\"slide\"", "solutions.1", "does not slide"},
    {block, "X=6", 0, "solutions/0/forces/left/slip_acceleration/0", "0", "solutions.1",
     "another slip acceleration"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0", 0,
     "verdicts.acceleration_unique", "do not cover"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves", "[]",
     "verdicts.acceleration_unique", "do not cover"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0/kind", "\"odd\"",
     "verdicts.acceleration_unique", "kind"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0/modes/wall", "\"detach\"",
     "verdicts.acceleration_unique", "has no mode"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/leaves/0/modes/ceiling", "\"slide\"",
     "verdicts.acceleration_unique", "not closed"},
    {ladder, 0, "falling", WITNESS("acceleration_unique") "/acceleration/x", "0",
     "verdicts.acceleration_unique", "balance"},
    {rod, "mu=2", "left", WITNESS("acceleration_exists") "/leaves/0/alpha/floor", "-7",
     "verdicts.acceleration_exists", "leaves[0] is not empty"},
    {rod, "mu=2", "left", WITNESS("acceleration_exists") "/leaves/0/direction/y", "7",
     "verdicts.acceleration_exists", "leaves[0] is not empty"},
    {rod, "mu=2", "left", WITNESS("acceleration_exists") "/leaves/0/modes",
     "{\"floor\": \"detach\"}", "verdicts.acceleration_exists", "cover"},
    {rod, "mu=2, g=-1", "left", WITNESS("acceleration_unique") "/other_u/floor", "1",
     "verdicts.acceleration_unique", "other solution does not balance"},
    {block, "X=6", 0, WITNESS("can_all_stick") "/leaves/0/modes/left", "\"slide+\"",
     "verdicts.can_all_stick", "has no mode"},
    {block, "X=6", 0, WITNESS("can_all_stick") "/leaves/0/direction/x", "0",
     "verdicts.can_all_stick", "not empty"},
    {block, 0, 0, WITNESS("can_all_stick") "/tau/left/0", "-6", "verdicts.can_all_stick",
     "balance"},
    {block, 0, 0, WITNESS("can_all_stick") "/acceleration/x", "1", "verdicts.can_all_stick",
     "balance"},

    // every load
    {ladder, "mu=1.5", "falling", WITNESS("unique_for_every_load") "/closed", "[]",
     "verdicts.unique_for_every_load", 0},
    {ladder, "mu=1.5", "falling", WITNESS("unique_for_every_load") "/signs/wall", "0.5",
     "verdicts.unique_for_every_load", "neither 1 nor -1"},
    {rod, "mu=2", "left", WITNESS("unique_for_every_load") "/closed", "[\"ceiling\"]",
     "verdicts.unique_for_every_load", "ceiling"},
    {rod, "mu=2", "left", WITNESS("unique_for_every_load") "/other_closed", "[\"floor\"]",
     "verdicts.unique_for_every_load", "same sign"},
    {block, 0, 0, "friction/least_for_sticking/value", "0.7", "friction.least_for_sticking",
     "not between"},
    {block, 0, 0, "friction/least_for_sticking/high_witness", 0, "friction.least_for_sticking",
     "no forces are shown"},
    {block, 0, 0, "friction/least_for_sticking/low_witness", 0, "friction.least_for_sticking",
     "is not enough"},
    {rod, 0, "left", "friction/critical/value", "1.4", "friction.critical", "not between"},
    {rod, 0, "left", "friction/critical/low", "1.3334", "friction.critical", 0},
    {rod, 0, "left", "friction/critical", "{\"value\": 1.2, \"low\": 1.1, \"high\": 1.3}",
     "friction.critical", "both signs are not found"},
    {rod, 0, "left", "friction/critical", "{\"value\": 1.4, \"low\": 1.35, \"high\": 1.5}",
     "friction.critical", "do not have one sign"},
    {rod, 0, "left", "friction/critical", "{\"value\": 0}", "friction.critical",
     "unique for every load without friction"},
    {rod, 0, "left", "friction/sufficient/value", "1.4", "friction.sufficient", "one sign at"},
    {rod, 0, "left", "friction/sufficient/value", "-1", "friction.sufficient", "not a number >= 0"},
    {rod, 0, "left", "friction/sufficient", "1", "friction.sufficient", "expected an object"},

    // closure and steps
    {corner, 0, 0, WITNESS("form_closure") "/lambda_u/a", "0.7", "verdicts.form_closure",
     "do not cancel"},
    {corner, 0, 0, WITNESS("form_closure") "/closed", "[\"a\"]", "verdicts.form_closure",
     "1 contacts are named"},
    {corner, 0, 0, WITNESS("form_closure") "/closed", "[\"a\", \"a\"]", "verdicts.form_closure",
     "a twice"},
    {corner, 0, 0, "object", "\"head\"", "verdicts.form_closure", "no object head"},
    {grasp, 0, 0, WITNESS("form_closure") "/direction", "{\"x\": 1}", "verdicts.form_closure",
     "resist"},
    {grasp, 0, 0, WITNESS("form_closure") "/direction", "{}", "verdicts.form_closure", "resist"},
    {grasp, 0, 0, WITNESS("force_closure") "/lambda_u/left", "0.5", "verdicts.force_closure",
     "do not cancel"},
    {grasp, 0, 0, WITNESS("force_closure") "/lambda_u", "{\"left\": 0, \"right\": 0}",
     "verdicts.force_closure", "strictly inside"},
    {grasp, 0, 0, WITNESS("force_closure") "/lambda_u", "{\"left\": -1, \"right\": -1}",
     "verdicts.force_closure", "strictly inside"},
    {touch, 0, 0, WITNESS("force_closure") "/direction", "{\"y\": 1}", "verdicts.force_closure",
     "resist"},
    {block, 0, 0, WITNESS("step_solvable") "/velocity", "{\"y\": -1}", "verdicts.step_solvable",
     "not in the dual cones"},
    {belt, 0, 0, WITNESS("step_solvable") "/lambda_u/left", "0.5", "verdicts.step_solvable",
     "do not cancel"},
    {belt, 0, 0, WITNESS("step_solvable") "/lambda_u", "{\"left\": -1, \"right\": -1}",
     "verdicts.step_solvable", "do not cancel inside"},
};

// Numbers that are not verdicts are proven, too: else spoiling them would show nothing.
static void numbers_hold(void **unused)
{
  (void)unused;
  const char *const claims[] = {"delassus", "kinetic_angles"};
  subject s = ask_about(regular, 0, 0);
  dls_verification *v = verify(&s);
  for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
    at_case("%s", claims[k]);
    const dls_finding *f = find_claim(v, claims[k]);
    assert_true(f && f->found == DLS_FOUND_HOLDS && f->proves[0]);
  }
  dls_verification_free(v);
  close_subject(&s);
}

static void spoiled_claims_fail(void **unused)
{
  (void)unused;
  int missed = 0;
  for (size_t k = 0; k < sizeof spoils / sizeof *spoils; k++) {
    at_case("k %zu", k);
    const spoil *c = &spoils[k];
    subject s = ask_about(c->model, c->sets, c->at);
    put_value(s.report, c->path, c->value);
    dls_verification *v = verify(&s);
    const dls_finding *f = find_claim(v, c->claim);
    if (v->difference) fail_msg("%zu %s: %s", k, c->path, v->difference);
    if (!f) fail_msg("%zu %s: no %s", k, c->path, c->claim);
    const bool named = f->found == DLS_FOUND_FAILS && (!c->why || strstr(f->why, c->why));
    if (!named) print_message("%zu %s: %s%s\n", k, c->path, f->proves, f->why);
    missed += !named || v->holds;
    dls_verification_free(v);
    close_subject(&s);
  }
  assert_int_equal(missed, 0);
}

// ---- reports of other models -------------------------------------------------------------------

static void other_models_differ(void **unused)
{
  (void)unused;
  const struct {
    const char *model, *sets, *at, *path, *value, *difference;
  } cases[] = {
      {ladder, 0, "falling", "contacts/1/friction", "0.5",
       "contact floor: friction 0.5 in the report, 0.3 in the model"},
      {ladder, 0, "falling", "contacts/1/restitution", "0.1", "contact floor: restitution"},
      {ladder, 0, "falling", "contacts/0/name", "\"door\"", "contact door in the report is wall"},
      {ladder, 0, "falling", "contacts/0/kind", "\"unilateral\"",
       "contact wall: unilateral in the report, bilateral in the model"},
      {ladder, 0, "falling", "contacts/1/status", "\"sticking\"",
       "contact floor: sticking in the report, sliding in the model"},
      {ladder, 0, "falling", "contacts/1/gap", "1e-3", "contact floor: gap 0.001"},
      {ladder, 0, "falling", "contacts/1/normal_velocity", "1", "contact floor: normal velocity 1"},
      {ladder, 0, "falling", "contacts/1/slip", "[]", "contact floor: number of slips 0"},
      {ladder, 0, "falling", "contacts/1/slip/0", "3", "contact floor: slip 3"},
      {ladder, 0, "falling", "contacts/1", 0, "1 contacts in the report, 2 in the model"},
      {ladder, 0, "falling", "coordinates/2", "\"phi\"",
       "coordinate phi in the report is theta in the model"},
      {ladder, 0, "falling", "parameters/nu", "1",
       "parameter nu is in the report, not in the model"},
      {ladder, 0, "falling", "q/0", "0.8", "the state of the report does not fit the model"},
      {ladder, 0, "falling", "v/2", "2", "does not fit"},
      {ladder, 0, "falling", "time", "1e308", 0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].model);
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    put_value(s.report, cases[k].path, cases[k].value);
    dls_verification *v = verify(&s);
    if (cases[k].difference) {
      if (!v->difference || !strstr(v->difference, cases[k].difference))
        fail_msg("%s: %s", cases[k].path, v->difference ? v->difference : "nothing differs");
      assert_false(v->holds);
      assert_int_equal(v->findings, 0);
    }
    dls_verification_free(v);
    close_subject(&s);
  }
}

// A claim about one model does not hold for one with another mass.
static void other_numbers_fail(void **unused)
{
  (void)unused;
  subject s = ask_about(regular, NULL, NULL);
  char heavier[400];
  assert_true(strlen(regular) < sizeof heavier);
  snprintf(heavier, sizeof heavier, "%s", regular);
  char *mass = strstr(heavier, "z'^2/2");
  assert_non_null(mass);
  mass[5] = '1';
  subject other = open_model(heavier, NULL);
  other.report = json_incref(s.report);
  dls_verification *v = verify(&other);
  assert_null(v->difference);
  assert_false(v->holds);
  const char *const failing[] = {"verdicts.mass_definite", "verdicts.acceleration_exists",
                                 "solutions.1", "delassus"};
  for (size_t k = 0; k < sizeof failing / sizeof *failing; k++)
    assert_int_equal(find_claim(v, failing[k])->found, DLS_FOUND_FAILS);
  assert_int_equal(find_claim(v, "verdicts.mfcq")->found, DLS_FOUND_HOLDS);
  dls_verification_free(v);
  close_subject(&other);
  close_subject(&s);
}

// A report does not choose what counts as a proof.
static void tolerance_is_limited(void **unused)
{
  (void)unused;
  subject s = ask_about(regular, NULL, NULL);
  put_value(s.report, "tolerance_relative", "0.5");
  dls_verification *v = verify(&s);
  assert_true(v->holds && v->tolerance == 1e-6);
  dls_verification_free(v);
  put_value(s.report, WITNESS("constraints_compatible") "/acceleration/x", "1e-4");
  v = verify(&s);
  assert_int_equal(find_claim(v, "verdicts.constraints_compatible")->found, DLS_FOUND_FAILS);
  dls_verification_free(v);
  put_value(s.report, "contacts/0/gap", "1e-3");
  v = verify(&s);
  assert_non_null(v->difference);
  dls_verification_free(v);
  close_subject(&s);

  // and one that is smaller than rounding is not taken at its word
  s = ask_about(ladder, NULL, "falling");
  put_value(s.report, "tolerance_relative", "1e-17");
  v = verify(&s);
  if (v->difference) assert_non_null(strstr(v->difference, "does not fit"));
  else assert_true(v->holds && v->tolerance > 1e-15);
  dls_verification_free(v);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_hold),         cmocka_unit_test(spoiled_claims_fail),
      cmocka_unit_test(other_models_differ),  cmocka_unit_test(other_numbers_fail),
      cmocka_unit_test(tolerance_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
