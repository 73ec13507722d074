// Contacts whose slips are far shorter or longer than their gradients: a gradient of 1e-13 is one,
// whatever stands next to it.                                                        eq (chk.1)
#include "problem_maker.h"
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

static const char steep[] = "parameter k = 1e-13, X = 1\n"
                            "coordinate x, y\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "force x = X\n"
                            "unilateral c: k*x >= 0 { slip y'; friction 0.5 }\n";
static const char heavy[] =
    "coordinate x\n"
    "kinetic x'^2/2\n"
    "force x = -2\n"
    "bilateral c: 1.430511474609375e-06*x = 0 { slip 3*x'; friction 0.25 }\n";
// The slip takes no part in what the contact does to x, and has no size of its own there.
static const char shallow[] = "coordinate x, y\n"
                              "kinetic 2*x'^2 + 2*x'*y' + y'^2\n"
                              "force y = -3\n"
                              "bilateral c: x + 0.5000000002328306*y + 0.5*t^2 = 0"
                              " { slip -1.8189894035458565e-12*x'; friction 0.125 }\n";

// A single gradient depends on nothing and vanishes nowhere.
static void one_gradient(void **unused)
{
  (void)unused;
  static const char *const sets[] = {"k=1e-13", "k=1", "k=1e13"};
  for (size_t i = 0; i < 3; i++) {
    at_case("%s", sets[i]);
    subject s = ask_about(steep, sets[i], NULL);
    dls_verification *v = verify(&s);
    assert_true(v->holds);
    dls_verification_free(v);
    static const char *const questions[] = {"constraints_independent", "mfcq", "delassus_definite"};
    for (size_t k = 0; k < 3; k++) {
      char place[80];
      snprintf(place, sizeof place, "verdicts/%s", questions[k]);
      put_quoted(s.report, place, "{'answer': 'no', 'witness': {'lambda_u': {'c': 1}}}");
      snprintf(place, sizeof place, "verdicts.%s", questions[k]);
      assert_int_equal(found_of(&s, place), DLS_FOUND_FAILS);
    }
    put_value(s.report, "constraints/rank", "0");
    assert_int_equal(found_of(&s, "constraints"), DLS_FOUND_FAILS);
    close_subject(&s);
  }
}

// Pressed against the wall it stays there, and does not go through it as if there were none.
static void through_the_wall(void **unused)
{
  (void)unused;
  subject s = ask_about(steep, "k=1e-13, X=-1", NULL);
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_HOLDS);
  put_quoted(s.report, "solutions/0/acceleration", "{'x': -1, 'y': 0}");
  put_quoted(s.report, "solutions/0/forces/c", "{'normal': 0, 'tangential': [0]}");
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_FAILS);
  close_subject(&s);
}

static void matrix_of_a_small_gradient(void **unused)
{
  (void)unused;
  subject s = ask_about(heavy, NULL, NULL);
  assert_int_equal(found_of(&s, "delassus_unconstrained"), DLS_FOUND_HOLDS);
  put_value(s.report, "delassus_unconstrained/matrix/0/0", "3e-12");
  assert_int_equal(found_of(&s, "delassus_unconstrained"), DLS_FOUND_FAILS);
  close_subject(&s);
}

// Friction that does next to nothing is no less than it should be by that.
static void faint_friction(void **unused)
{
  (void)unused;
  subject s = ask_about(shallow, NULL, NULL);
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_HOLDS);
  assert_int_equal(found_of(&s, "force_ranges.c"), DLS_FOUND_HOLDS);
  put_value(s.report, "force_ranges/c/tangential/0/1", "0.7");
  assert_int_equal(found_of(&s, "force_ranges.c"), DLS_FOUND_UNPROVEN);
  put_value(s.report, "solutions/0/forces/c/tangential/0", "0");
  assert_int_equal(found_of(&s, "solutions.1"), DLS_FOUND_UNPROVEN);
  close_subject(&s);
}

// ---- at random ---------------------------------------------------------------------------------

static size_t write_form(rng *r, int n, double unit, const char *prime, char *text, size_t size)
{
  size_t used = 0;
  const int sure = rng_int(r, 0, n - 1);
  for (int i = 0; i < n; i++) {
    const int number = i == sure ? rng_int(r, 1, 3) : rng_int(r, -3, 3);
    used += (size_t)snprintf(text + used, size - used, "%s%.17g*x%d%s", i ? " + " : "",
                             unit * number, i, prime);
  }
  return used;
}

// Gradients of 2^-48 to 2^48 beside slips of order 1; some slide.
static void write_model(rng *r, char *text, size_t size)
{
  const int n = rng_int(r, 1, 3), m = rng_int(r, 1, 3);
  size_t used = (size_t)snprintf(text, size, "coordinate x0");
  for (int i = 1; i < n; i++) used += (size_t)snprintf(text + used, size - used, ", x%d", i);
  used += (size_t)snprintf(text + used, size - used, "\nkinetic x0'^2/2");
  for (int i = 1; i < n; i++)
    used += (size_t)snprintf(text + used, size - used, " + %d*x%d'^2", rng_int(r, 1, 3), i);
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, size - used, "\nforce x%d = %d", i, rng_int(r, -3, 3));
  for (int j = 0; j < m; j++) {
    const bool bilateral = rng_chance(r, 0.3), slides = rng_chance(r, 0.3);
    used += (size_t)snprintf(text + used, size - used,
                             "\n%s c%d: ", bilateral ? "bilateral" : "unilateral", j);
    used += write_form(r, n, ldexp(1, rng_int(r, -48, 48)), "", text + used, size - used);
    used += (size_t)snprintf(text + used, size - used, " %s 0 { slip ", bilateral ? "=" : ">=");
    used += write_form(r, n, 1, "'", text + used, size - used);
    if (slides)
      used += (size_t)snprintf(text + used, size - used, " + 2 + %d*t", rng_int(r, -1, 1));
    used += (size_t)snprintf(text + used, size - used, "; friction %g }", rng_int(r, 0, 8) / 4.0);
  }
  snprintf(text + used, size - used, "\n");
}

// No contact depends on itself.
static void forge_gradients(subject *s)
{
  const json_t *contacts = json_object_get(s->report, "contacts");
  json_t *verdicts = json_object_get(s->report, "verdicts");
  if (!json_object_get(verdicts, "constraints_independent")) return;
  json_t *kept = json_deep_copy(json_object_get(verdicts, "constraints_independent"));
  for (size_t j = 0; j < json_array_size(contacts); j++) {
    const json_t *contact = json_array_get(contacts, j);
    const bool bilateral =
        strcmp(json_string_value(json_object_get(contact, "kind")), "bilateral") == 0;
    const char *name = json_string_value(json_object_get(contact, "name"));
    json_object_set_new(verdicts, "constraints_independent",
                        json_pack("{s:s, s:{s:{s:f}}}", "answer", "no", "witness",
                                  bilateral ? "lambda_b" : "lambda_u", name, 1.0));
    assert_int_equal(found_of(s, "verdicts.constraints_independent"), DLS_FOUND_FAILS);
  }
  json_object_set_new(verdicts, "constraints_independent", kept);
}

static void forge_matrix(subject *s)
{
  json_t *object = json_object_get(s->report, "delassus_unconstrained");
  json_t *matrix = json_object_get(object, "matrix");
  for (size_t j = 0; j < json_array_size(matrix); j++) {
    json_t *row = json_array_get(matrix, j);
    const double entry = json_number_value(json_array_get(row, j));
    json_array_set_new(row, j, json_real(1.5 * entry));
    assert_int_equal(found_of(s, "delassus_unconstrained"), DLS_FOUND_FAILS);
    json_array_set_new(row, j, json_real(entry));
  }
}

// Slips are of order 1, whatever the gradients beside them are.
static void forge_slips(subject *s)
{
  const json_t *solutions = json_object_get(s->report, "solutions");
  for (size_t k = 0; k < json_array_size(solutions); k++) {
    json_t *forces = json_object_get(json_array_get(solutions, k), "forces"), *force;
    const char *name;
    char place[80];
    snprintf(place, sizeof place, "solutions.%zu", k + 1);
    json_object_foreach(forces, name, force)
    {
      json_t *slip = json_object_get(force, "slip_acceleration");
      if (!json_array_size(slip)) continue;
      const double told = json_number_value(json_array_get(slip, 0));
      json_array_set_new(slip, 0, json_real(told + 1));
      assert_int_equal(found_of(s, place), DLS_FOUND_FAILS);
      json_array_set_new(slip, 0, json_real(told));
    }
  }
}

// What is true of gradients does not hang on their units; nor does what is not.
static void random_models(void **unused)
{
  (void)unused;
  static const char *const claims[] = {"verdicts.constraints_independent", "verdicts.mfcq",
                                       "verdicts.delassus_definite",       "constraints",
                                       "delassus_unconstrained",           "kinetic_angles"};
  static char text[4000];
  rng r = rng_create(77);
  for (int k = 0; k < 80; k++) {
    write_model(&r, text, sizeof text);
    at_case("%d\n%s", k, text);
    subject s = ask_about(text, NULL, NULL);
    dls_verification *v = verify(&s);
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
      const dls_finding *f = find_claim(v, claims[c]);
      assert_true(!f || f->found != DLS_FOUND_FAILS);
    }
    dls_verification_free(v);
    forge_gradients(&s);
    forge_matrix(&s);
    forge_slips(&s);
    close_subject(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_gradient), cmocka_unit_test(through_the_wall),
      cmocka_unit_test(matrix_of_a_small_gradient), cmocka_unit_test(faint_friction),
      cmocka_unit_test(random_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
