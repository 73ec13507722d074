// Linkages of rigid bodies that count too many constraints, or are singular: the benchmarks A02 and
// A04 of the IFToMM library of multibody problems. What check says of their freedoms is known, and
// verify rebuilds it from the bodies alone.
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

typedef struct text {
  char data[60000];
  size_t used;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  t->used += (size_t)vsnprintf(t->data + t->used, sizeof t->data - t->used, format, arguments);
  va_end(arguments);
  assert_true(t->used < sizeof t->data);
}

// A rod of 1 kg from p to q.
static void add_rod(text *t, const char *name, const double p[3], const double q[3])
{
  double e[3], I[3];
  for (int i = 0; i < 3; i++) e[i] = q[i] - p[i];
  for (int i = 0; i < 3; i++) I[i] = (1 - e[i] * e[i]) / 12 + 1e-4;
  add(t, "body %s { mass 1; inertia %.17g, %.17g, %.17g, %.17g, %.17g, %.17g; ", name, I[0], I[1],
      I[2], -e[0] * e[1] / 12, -e[0] * e[2] / 12, -e[1] * e[2] / 12);
  add(t, "position %.17g, %.17g, %.17g }\n", (p[0] + q[0]) / 2, (p[1] + q[1]) / 2,
      (p[2] + q[2]) / 2);
}

static void add_hinge(text *t, const char *name, const char *a, const char *b, const double at[3],
                      const double axis[3])
{
  add(t, "joint %s: hinge %s, %s { anchor %.17g, %.17g, %.17g; axis %g, %g, %g }\n", name, a, b,
      at[0], at[1], at[2], axis[0], axis[1], axis[2]);
}

// N loops of rods of 1 m: cranks at the angle from the ground, couplers between their ends.
static void four_bars(text *t, int loops, double angle)
{
  static const double z[3] = {0, 0, 1};
  add(t, "gravity 0, -9.81, 0\nfixed ground { }\n");
  for (int k = 0; k <= loops; k++) {
    const double foot[3] = {k, 0, 0}, end[3] = {k + cos(angle), sin(angle), 0};
    char name[24], joint[24];
    snprintf(name, sizeof name, "crank%d", k), snprintf(joint, sizeof joint, "foot%d", k);
    add_rod(t, name, foot, end);
    add_hinge(t, joint, "ground", name, foot, z);
  }
  for (int k = 0; k < loops; k++) {
    const double from[3] = {k + cos(angle), sin(angle), 0},
                 to[3] = {k + 1 + cos(angle), sin(angle), 0};
    char name[24], joint[24], crank[24];
    snprintf(name, sizeof name, "coupler%d", k);
    add_rod(t, name, from, to);
    snprintf(crank, sizeof crank, "crank%d", k), snprintf(joint, sizeof joint, "knee%d", k);
    add_hinge(t, joint, crank, name, from, z);
    snprintf(crank, sizeof crank, "crank%d", k + 1), snprintf(joint, sizeof joint, "loop%d", k);
    add_hinge(t, joint, crank, name, to, z);
  }
}

static subject ask_in(const char *model, dls_coordinates_kind kind)
{
  subject s = open_model(model, NULL);
  dls_system_free(s.system);
  dls_model_set_coordinates(s.model, kind);
  assert_int_equal(dls_model_system(s.model, &s.system), DLS_OK);
  answer(&s, NULL);
  return s;
}

static int number(const subject *s, const char *key)
{
  return (int)json_integer_value(json_object_get(json_object_get(s->report, "constraints"), key));
}

static const json_t *dependencies(const subject *s)
{
  return json_object_get(json_object_get(s->report, "constraints"), "dependencies");
}

static const char *answer_to(const subject *s, const char *question)
{
  return json_string_value(
      json_object_get(json_object_get(json_object_get(s->report, "verdicts"), question), "answer"));
}

// All claims hold, freedoms are as many, and all dependencies are named.
static void is_true_of(const subject *s, int freedoms)
{
  const int n = (int)json_array_size(json_object_get(s->report, "v"));
  assert_int_equal(n - number(s, "rank"), freedoms);
  const int spare = number(s, "count") - number(s, "rank");
  assert_int_equal(json_array_size(dependencies(s)), spare);
  assert_string_equal(answer_to(s, "constraints_independent"), spare ? "no" : "yes");
  assert_string_equal(answer_to(s, "acceleration_exists"), "yes");
  assert_string_equal(answer_to(s, "acceleration_unique"), "yes");
  dls_verification *v = verify(s);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s %s: %s", v->finding[k].group, v->finding[k].name, v->finding[k].why);
  assert_null(v->difference);
  assert_true(v->holds);
  dls_verification_free(v);
}

// Every constraint that a dependency holds is one of these rows, and each of them is held.
static void redundant_are(const subject *s, const char *const *rows, int count)
{
  size_t index;
  json_t *sum, *value;
  const char *name;
  bool held[64] = {false};
  json_array_foreach(dependencies(s), index, sum) json_object_foreach(sum, name, value)
  {
    if (json_number_value(value) == 0) continue;
    int k = 0;
    while (k < count && strcmp(rows[k], name) != 0) k++;
    if (k == count) fail_msg("%s is redundant, too", name);
    held[k] = true;
  }
  for (int k = 0; k < count; k++)
    if (!held[k]) fail_msg("%s is not redundant", rows[k]);
}

// A02: standing it has one freedom, flat N + 1.
static void bars(void **unused)
{
  (void)unused;
  static const double quarter = 1.5707963267948966;
  static text t;
  const struct {
    int loops;
    double angle;
    dls_coordinates_kind kind;
    int freedoms;
  } cases[] = {{2, quarter, DLS_REDUCED, 1}, {2, 1.1, DLS_REDUCED, 1},
               {2, 0, DLS_REDUCED, 3},       {2, quarter, DLS_MAXIMAL, 1},
               {2, 0, DLS_MAXIMAL, 3},       {40, quarter, DLS_REDUCED, 1},
               {40, 0, DLS_REDUCED, 41}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%d loops at %g, coordinates %d", cases[k].loops, cases[k].angle, cases[k].kind);
    t.used = 0;
    four_bars(&t, cases[k].loops, cases[k].angle);
    subject s = ask_in(t.data, cases[k].kind);
    is_true_of(&s, cases[k].freedoms);
    // out of their plane nothing moves in joint coordinates; flat, nothing pulls along the line
    static const char *const rows[] = {"loop0.z",  "loop0.rx", "loop0.ry", "loop1.z",
                                       "loop1.rx", "loop1.ry", "loop0.x",  "loop1.x"};
    if (cases[k].loops == 2 && cases[k].kind == DLS_REDUCED)
      redundant_are(&s, rows, cases[k].angle == 0 ? 8 : 6);
    close_subject(&s);
  }
}

// A04: Bricard's six hinges along edges of a cube; counted, no freedom, but it has one.
static void bricard(void **unused)
{
  (void)unused;
  static text t;
  static const double vertex[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                      {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const double axis[6][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                    {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  for (int kind = DLS_REDUCED; kind <= DLS_MAXIMAL; kind++) {
    at_case("coordinates %d", kind);
    t.used = 0;
    add(&t, "gravity 0, -9.81, 0\nfixed ground { }\n");
    const char *before = "ground";
    static const char *const rods[] = {"a", "b", "c", "d", "e"};
    for (int k = 0; k < 5; k++) {
      char joint[24];
      snprintf(joint, sizeof joint, "h%d", k);
      add_rod(&t, rods[k], vertex[k], vertex[k + 1]);
      add_hinge(&t, joint, before, rods[k], vertex[k], axis[k]);
      before = rods[k];
    }
    add_hinge(&t, "h5", "ground", "e", vertex[5], axis[5]);
    subject s = ask_in(t.data, (dls_coordinates_kind)kind);
    assert_int_equal(number(&s, "count"), kind == DLS_REDUCED ? 5 : 30);
    is_true_of(&s, 1);
    close_subject(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bars), cmocka_unit_test(bricard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
