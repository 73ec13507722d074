// Reports on bodies that leave out a contact, or name one that is none: the checker finds out from
// the shapes alone.                                                        eq (enc.5), (enc.6)
#include "body_models.h"
#include "verify_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const struct {
  const char *model, *sets, *at;
} cases[] = {{cube, NULL, NULL},   {cube, "mu=0", "hit"},      {stack, NULL, NULL},
             {stack, "X=2", NULL}, {rollers, NULL, "rolling"}, {bars, NULL, NULL}};
enum { CASES = sizeof cases / sizeof *cases };

static json_t *contacts_of(const subject *s)
{
  return json_object_get(s->report, "contacts");
}

// Another model, and the reason names what is wanted.
static void differs(const subject *s, const char *word)
{
  dls_verification *v = verify(s);
  assert_false(v->holds);
  assert_non_null(v->difference);
  if (!strstr(v->difference, word)) fail_msg("\"%s\" has no \"%s\"", v->difference, word);
  dls_verification_free(v);
}

static void is_true(const subject *s)
{
  dls_verification *v = verify(s);
  if (v->difference) fail_msg("%s", v->difference);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s.%s: %s", v->finding[k].group, v->finding[k].name, v->finding[k].why);
  assert_true(v->holds);
  assert_int_equal(find_claim(v, "contacts")->found, DLS_FOUND_HOLDS);
  dls_verification_free(v);
}

static bool is_closed(const json_t *contact)
{
  const char *status = json_string_value(json_object_get(contact, "status"));
  return strcmp(status, "open") != 0;
}

static void left_out(void **unused)
{
  (void)unused;
  int tried = 0;
  for (int k = 0; k < CASES; k++) {
    subject s = ask_about(cases[k].model, cases[k].sets, cases[k].at);
    at_case("case %d", k);
    is_true(&s);
    json_t *all = contacts_of(&s);
    for (size_t j = 0; j < json_array_size(all); j++) {
      json_t *contact = json_incref(json_array_get(all, j));
      at_case("case %d without %s", k, json_string_value(json_object_get(contact, "name")));
      assert_int_equal(json_array_remove(all, j), 0);
      if (is_closed(contact)) differs(&s, "no"), tried++;
      assert_int_equal(json_array_insert_new(all, j, contact), 0);
    }
    close_subject(&s);
  }
  assert_in_range(tried, 25, 200);
}

static void rename_contact(const subject *s, size_t j, const char *name)
{
  json_t *contact = json_array_get(contacts_of(s), j);
  assert_int_equal(json_object_set_new(contact, "name", json_string(name)), 0);
}

// Names of other features, of nothing, of solids that do not meet, and of a contact twice.
static void none(void **unused)
{
  (void)unused;
  const struct {
    const char *name, *why;
  } names[] = {{"cube.corner+++/ground", "gap"},
               {"cube.corner--0/ground", "is none of the model"},
               {"cube.corner/ground", "is none of the model"},
               {"cube.corner---", "is none of the model"},
               {"ground/ground", "is none of the model"},
               {"cube/cube", "is none of the model"},
               {"cube.face00-/ground", "no common normal"},
               {"cube.corner+--/ground", "twice"},
               {"", "is none of the model"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    at_case("%s", names[k].name);
    subject s = ask_about(cube, NULL, NULL);
    rename_contact(&s, 0, names[k].name);
    differs(&s, names[k].why);
    close_subject(&s);
  }
  // a corner above the plane of the table, but beside it
  subject s = ask_about(stack, NULL, NULL);
  json_t *all = contacts_of(&s);
  size_t other = 0;
  while (!strstr(json_string_value(json_object_get(json_array_get(all, other), "name")), "corner"))
    other++;
  json_t *more = json_deep_copy(json_array_get(all, other));
  const char *const keys[] = {"bodies", "features", "point", "normal", "tangents"};
  for (int k = 0; k < 5; k++) json_object_del(more, keys[k]);
  assert_int_equal(json_array_append_new(all, more), 0);
  const char *beside[] = {"cube.corner---/table.face00+", "cube.corner+--/table.face00+",
                          "cube.corner-+-/table.face00+", "cube.corner++-/table.face00+"};
  int found = 0;
  for (int k = 0; k < 4; k++) {
    rename_contact(&s, json_array_size(all) - 1, beside[k]);
    dls_verification *v = verify(&s);
    assert_false(v->holds);
    found += strstr(v->difference, "is none: there its features are not on the surface") != NULL;
    dls_verification_free(v);
  }
  assert_in_range(found, 1, 3);
  close_subject(&s);
}

// What a report may say beside: words, points and normals.
static void said_beside(void **unused)
{
  (void)unused;
  const struct {
    const char *key, *value;
    bool good;
  } cases_of[] = {{"normal", "[0, 0, 1]", true},           {"normal", "[0, 0, -1]", false},
                  {"normal", "[1e-6, 0, 1]", false},       {"point", "[0, 0.5, 0]", true},
                  {"point", "[0, 0.5, 1e-6]", false},      {"bodies", "['ball', 'ground']", true},
                  {"bodies", "['ground', 'ball']", false}, {"features", "['', '']", true},
                  {"features", "['', 'top']", false}};
  for (size_t k = 0; k < sizeof cases_of / sizeof *cases_of; k++) {
    at_case("%s = %s", cases_of[k].key, cases_of[k].value);
    subject s = ask_about("gravity 0, 0, -9.81\nfixed ground { plane 0, 0, 1 }\n"
                          "body ball { sphere 0.5; mass 1; position 0, 0.5, 0.5 }\n",
                          NULL, NULL);
    char path[40];
    snprintf(path, sizeof path, "contacts/0/%s", cases_of[k].key);
    put_quoted(s.report, path, cases_of[k].value);
    if (cases_of[k].good) is_true(&s);
    else differs(&s, "other bodies, features, point or normal");
    close_subject(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(said_beside), cmocka_unit_test(left_out),
                                     cmocka_unit_test(none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
