// Reports when memory runs out: the k-th allocation fails, for every k.
#include "failing.h"
#include <delassus/explain.h>
#include <delassus/report.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static long living;  // allocations of jansson

static void *json_malloc_counted(size_t size)
{
  void *place = failing_now() ? NULL : __real_malloc(size);
  living += place != NULL;
  return place;
}

static void json_free_counted(void *place)
{
  living -= place != NULL;
  free(place);
}

static double one[] = {1, 2}, two[] = {INFINITY, 3}, cancel[] = {1, -1};
static double three[] = {1, 2, -1}, H[] = {1, 0, 0, 1, 1, 1};
static const int first[] = {0, 1, 3};
static int order[] = {1, 0};
static const char *const coordinates[] = {"x", "y"};
static const char *const contact_names[] = {"left \xff", "right"};
static const dls_contact contacts[] = {
    {.name = "left \xff", .kind = DLS_UNILATERAL, .status = DLS_STICKING, .tangents = 1},
    {.name = "right", .kind = DLS_UNILATERAL, .status = DLS_STICKING, .tangents = 2}};
static const int active[] = {0, 1};
static double matrix[] = {1, 0, 0, 1};

static void run(dls_status (*make)(const dls_report *, char **), int solutions)
{
  unsigned char modes[] = {DLS_MODE_STICK, DLS_MODE_SLIDE};
  const dls_friction friction = {.tangents = 3, .first = first, .H = H, .b_t = three, .mu = one};
  const dls_leaf leaf[] = {{.mode = modes, .direction = one, .alpha = cancel, .sigma = three},
                           {.mode = modes, .kind = DLS_LEAF_POINT}};
  dls_solution solution[2] = {{.acceleration = one,
                               .lambda_u = one,
                               .a_u = one,
                               .low_u = one,
                               .high_u = two,
                               .tau = three,
                               .low_t = three,
                               .high_t = three,
                               .mode = modes}};
  solution[1] = solution[0];
  const dls_contact_state state = {.nq = 2,
                                   .n = 2,
                                   .m = 2,
                                   .q = one,
                                   .v = one,
                                   .contacts = contacts,
                                   .friction = solutions > 1,
                                   .problem = {.n = 2,
                                               .m_u = 2,
                                               .coordinates = coordinates,
                                               .unilateral = contact_names,
                                               .friction = &friction},
                                   .unilateral_contact = active};
  dls_check check = {.solution = solution,
                     .solutions = solutions,
                     .solution_count = 2,
                     .A_c = matrix,
                     .W = matrix,
                     .kinetic_angles = matrix};
  check.reduced =
      (dls_reduced){.applies = true, .dependent = 1, .coordinate = order, .A_r = matrix};
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    check.verdict[q] = (dls_verdict){.answer = q % 2 ? DLS_NO : DLS_YES,
                                     .by = "a theorem",
                                     .shows = "something",
                                     .leaves = q < 2 ? 2 : 0,
                                     .leaf = leaf,
                                     .parts = q < 2 ? 4 : 2,
                                     .part = {{"u", DLS_INDEX_UNILATERAL, 2, cancel, NULL},
                                              {"set", DLS_INDEX_COORDINATES, 2, NULL, order},
                                              {"tau", DLS_INDEX_TANGENTS, 3, three, NULL},
                                              {"slips", DLS_INDEX_TANGENTS, 2, NULL, order}}};
  for (int i = 0; i < DLS_LIMIT_COUNT; i++)
    check.limit[i] = (dls_limit){.asked = true, .value = i, .low = i, .high = i + 1, .by = "that"};
  check.extra_force = one;
  check.verdict[DLS_ACCELERATION_EXISTS].answer = DLS_YES;
  check.verdict[DLS_ACCELERATION_UNIQUE] =
      (dls_verdict){.answer = DLS_NO,
                    .parts = 2,
                    .part = {{"acceleration", DLS_INDEX_COORDINATES, 2, one, NULL},
                             {"other", DLS_INDEX_COORDINATES, 2, cancel, NULL}}};
  const char *const note[] = {"a note"};
  const dls_projection projection = {0};
  const dls_report report = {.model = "m.dls",
                             .object = "body",
                             .contact_state = &state,
                             .check = &check,
                             .projection = &projection,
                             .notes = 1,
                             .note = note};
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    char *text = NULL;
    failing_start(k);
    const dls_status status = make(&report, &text);
    const bool survived = !failing_stop();
    assert_int_equal(living, 0);
    if (status == DLS_OK) assert_non_null(text);
    else assert_null(text);
    assert_int_equal(status, survived ? DLS_OK : DLS_ERR_MEMORY);
    dls_report_text_free(text);
    if (survived) {
      assert_true(k > 3);
      return;
    }
  }
}

static dls_status make_text(const dls_report *report, char **text)
{
  return dls_report_text(report, NULL, text);
}

static void json(void **state)
{
  (void)state;
  run(dls_report_json, 1);
  run(dls_report_json, 2);
}

static void text(void **state)
{
  (void)state;
  run(make_text, 1);
  run(make_text, 2);
}

static dls_status explain_text(const dls_report *report, char **text)
{
  return dls_topic_text(report->notes ? dls_topic_at(0) : NULL, text);
}

static dls_status explain_json(const dls_report *report, char **text)
{
  (void)report;
  return dls_topic_json(NULL, text);
}

static void explanations(void **state)
{
  (void)state;
  run(explain_text, 1);
  run(explain_json, 1);
}

int main(void)
{
  json_set_alloc_funcs(json_malloc_counted, json_free_counted);
  const struct CMUnitTest tests[] = {cmocka_unit_test(json), cmocka_unit_test(text),
                                     cmocka_unit_test(explanations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
