// A page when memory runs out: the k-th allocation fails, for every k.
#include "failing.h"

#include <delassus/view.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

enum { ALLOCATIONS_MOST = 3000 };

static const double times[] = {0, 1};
static const char *const name[] = {"one"};
static const dls_pose pose[] = {{.quaternion = {1}}, {{1, 2, 3}, {1}}};
static const double corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int face[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const int faces[] = {0, 3, 6, 9, 12};
static const dls_solid solid[] = {{.name = "",
                                   .pose.quaternion = {1},
                                   .kind = DLS_SOLID_HULL,
                                   .vertices = 4,
                                   .faces = 4,
                                   .vertex = corner,
                                   .first = faces,
                                   .face = face}};
static const dls_shape shape[2] = {{.visible = true}, {.visible = true}};
static const long first[] = {0, 1, 1};
static const dls_view_contact contact[] = {{.status = DLS_STICKING}};
static const dls_view_curve curve[] = {{"x", "coordinates", times}};
static const dls_view_event event[] = {{0.5, "touch", NULL}};
static const dls_view view = {.space = 3,
                              .frames = 2,
                              .t = times,
                              .bodies = 1,
                              .body = name,
                              .pose = pose,
                              .solids = 1,
                              .solid = solid,
                              .shapes = 1,
                              .shape = shape,
                              .contact_names = 1,
                              .contact_name = name,
                              .first = first,
                              .contact = contact,
                              .curves = 1,
                              .curve = curve,
                              .events = 1,
                              .event =
                                  event};  // and no report: jansson's parser loses memory itself

static void test_every_allocation(void **state)
{
  (void)state;
  if (!dls_view_available()) skip();
  bool failed = true;
  long k = 0;
  for (; failed && k < ALLOCATIONS_MOST; k++) {
    at_case("allocation %ld", k);
    char *html = NULL;
    size_t size = 0;
    dls_message message = {0};
    failing_start(k);
    const dls_status status = dls_view_html(&view, &html, &size, &message);
    failed = failing_stop();
    assert_int_equal(status, failed ? DLS_ERR_MEMORY : DLS_OK);
    assert_true((html != NULL) == !failed);
    dls_view_html_free(html);
  }
  assert_true(!failed && k > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
