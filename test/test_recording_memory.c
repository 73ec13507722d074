// Recordings when memory runs out: the k-th allocation fails, for every k; and rows take none.
#include "failing.h"

#include <delassus/delassus.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cases.h"

static const char *const coordinates[] = {"x"};
static const dls_contact_info contacts[] = {
    {.name = "floor", .kind = DLS_UNILATERAL, .tangents = 1}};
static const dls_system names = {
    .n = 1, .m = 1, .tangents = 1, .coordinates = coordinates, .contacts = contacts};
static const dls_recording_about about = {.system = &names, .scheme = "moreau", .step = 1};
static const double zeros[2];
static const unsigned char open_contact[1];
static const dls_sample row = {.next_step = 1,
                               .nq = 1,
                               .n = 1,
                               .m = 1,
                               .q = zeros,
                               .v = zeros,
                               .impulses = 2,
                               .impulse = zeros,
                               .status = open_contact,
                               .scheme_state = zeros};
static char path[400];

static dls_status write_some(dls_message *message)
{
  dls_recording *r = NULL;
  dls_status status = dls_recording_create(path, &about, &r, message);
  assert_true((status == DLS_OK) == (r != NULL));
  for (int k = 0; k < 2000 && status == DLS_OK; k++) {
    at_case("k %d", k);
    const long before = allocations_made();
    status = dls_recording_append(r, &row, message);
    assert_int_equal(allocations_made(), before);
  }
  const dls_status closed = dls_recording_close(r, status == DLS_OK ? message : NULL);
  return status == DLS_OK ? closed : status;
}

static dls_status read_and_continue(dls_message *message)
{
  dls_recorded *r = NULL;
  dls_recording *more = NULL;
  dls_sample found;
  dls_status status = dls_recorded_open(path, &about, &r, message);
  assert_true((status == DLS_OK) == (r != NULL));
  if (status == DLS_OK) status = dls_recorded_row(r, 1999, &found, message);
  if (status == DLS_OK) status = dls_recording_continue(r, 2000, &more, message);
  dls_recorded_free(r);
  const dls_status closed = dls_recording_close(more, status == DLS_OK ? message : NULL);
  return status == DLS_OK ? closed : status;
}

static void run(dls_status (*call)(dls_message *), bool hdf5)
{
  for (long k = 0;; k++) {
    at_case("k %ld", k);
    dls_message message = {""};
    failing_start(k);
    const dls_status status = call(&message);
    if (!failing_stop()) {
      assert_int_equal(status, DLS_OK);
      assert_true(k >= 4);
      return;
    }
    // HDF5 asks again for what it can do without
    if (hdf5 && status == DLS_OK) continue;
    assert_int_equal(status, DLS_ERR_MEMORY);
    assert_true(message.text[0]);
  }
}

static void place(const char *ending)
{
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%.350s/recording-%ld.%s", folder ? folder : ".", (long)getpid(),
           ending);
}

static void csv(void **state)
{
  (void)state;
  place("csv");
  run(write_some, false);
  run(read_and_continue, false);
  remove(path);
}

static void hdf5(void **state)
{
  (void)state;
  place("h5");
  dls_message message;
  assert_int_equal(write_some(&message), DLS_OK);
  run(write_some, true);
  assert_int_equal(write_some(&message), DLS_OK);
  run(read_and_continue, true);
  remove(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(csv), cmocka_unit_test(hdf5)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
