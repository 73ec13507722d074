// Recordings with outputs when memory runs out: the k-th allocation fails, for every k.
#define _POSIX_C_SOURCE 200809L
#include "language.h"

#include "cases.h"
#include "failing.h"

#include <delassus/delassus.h>

#include <unistd.h>

enum { ROWS = 300 };
static char path[400];
static dls_recording_about about;

static dls_status append(dls_recording *r, dls_message *message)
{
  const double q = 1, v = 2, impulse = 0, out[2] = {3, (double)NAN};
  const unsigned char status = DLS_OPEN;
  const dls_sample row = {.next_step = 1,
                          .nq = 1,
                          .n = 1,
                          .m = 1,
                          .q = &q,
                          .v = &v,
                          .impulses = 1,
                          .impulse = &impulse,
                          .status = &status,
                          .outputs = 2,
                          .output = out};
  return dls_recording_append(r, &row, message);
}

static dls_status write_some(dls_message *message)
{
  dls_recording *r = NULL;
  dls_status status = dls_recording_create(path, &about, &r, message);
  for (int k = 0; k < ROWS && status == DLS_OK; k++) status = append(r, message);
  const dls_status closed = dls_recording_close(r, status == DLS_OK ? message : NULL);
  return status == DLS_OK ? closed : status;
}

static dls_status go_on(dls_message *message)
{
  dls_recorded *r = NULL;
  dls_recording *more = NULL;
  dls_sample found;
  dls_status status = dls_recorded_open(path, &about, &r, message);
  if (status == DLS_OK) status = dls_recorded_row(r, ROWS - 1, &found, message);
  if (status == DLS_OK) status = dls_recording_continue(r, ROWS, &more, message);
  dls_recorded_free(r);
  const dls_status closed = dls_recording_close(more, status == DLS_OK ? message : NULL);
  return status == DLS_OK ? closed : status;
}

// HDF5 asks again for what it can do without.
static void fail_each(dls_status (*call)(dls_message *), bool hdf5)
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
    if (hdf5 && status == DLS_OK) continue;
    assert_int_equal(status, DLS_ERR_MEMORY);
    assert_true(message.text[0]);
  }
}

static void every_allocation_may_fail(void **unused)
{
  (void)unused;
  running r = run("coordinate x\nkinetic x'^2/2\nunilateral wall: x >= 0\n"
                  "output a = 2*x, b = wall.force_n\n");
  const char *base = getenv("TMPDIR");
  about = (dls_recording_about){.system = r.system, .outputs = 2, .scheme = "moreau", .step = 1};
  static const char *const endings[] = {"csv", "h5"};
  for (int k = 0; k < 2; k++) {
    dls_message message = {""};
    snprintf(path, sizeof path, "%s/delassus-output-%ld.%s", base ? base : "/tmp", (long)getpid(),
             endings[k]);
    fail_each(write_some, k == 1);
    assert_int_equal(write_some(&message), DLS_OK);
    // a recording that could not go on is still there, whole
    for (long n = 0;; n++) {
      at_case("%s %ld", endings[k], n);
      failing_start(n);
      const dls_status status = go_on(&message);
      const bool failed = failing_stop();
      assert_true(status == DLS_OK || (failed && status != DLS_OK));
      assert_int_equal(go_on(&message), DLS_OK);
      if (!failed) break;
    }
    unlink(path);
  }
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
