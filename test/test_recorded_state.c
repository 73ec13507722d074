// States from files: the row of a time, from recordings and from CSV files of any origin, and JSON.
#define _POSIX_C_SOURCE 200809L
#include <delassus/delassus.h>

#include <math.h>
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

enum { N = 2, ROWS = 40 };

static char directory[400];

static const char *const coordinates[] = {"x", "xx"};
static const dls_contact_info contacts[] = {
    {.name = "floor", .kind = DLS_UNILATERAL, .tangents = 1}};
static const dls_system names = {
    .n = N, .m = 1, .tangents = 1, .coordinates = coordinates, .contacts = contacts};
#define SETTINGS "theta=0.5 max_step=0.1"
#define MODEL "coordinate x\n"
static const dls_recording_about about = {.system = &names,
                                          .scheme = "moreau",
                                          .step = 0.1,
                                          .settings = SETTINGS,
                                          .model = MODEL,
                                          .model_length = sizeof MODEL - 1};

static const char *place(const char *name)
{
  static char path[8][500];
  static int next;
  char *p = path[next = (next + 1) % 8];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

static void set(const char *path, const void *bytes, size_t size)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

// The time of row k: every seventh row has that of the row before, as after a jump.
static double time_of(int k)
{
  return 0.1 * (k % 7 == 6 ? k - 1 : k);
}

static void record(const char *path)
{
  dls_recording *r = NULL;
  assert_int_equal(dls_recording_create(path, &about, &r, NULL), DLS_OK);
  for (int k = 0; k < ROWS; k++) {
    const double q[] = {k, -1.0 / 3 * k}, v[] = {k + 0.5, 1e-300}, impulse[] = {0, 0};
    const unsigned char status[] = {0};
    const dls_sample row = {.t = time_of(k),
                            .next_step = 0.1,
                            .nq = N,
                            .n = N,
                            .m = 1,
                            .q = q,
                            .v = v,
                            .impulses = 2,
                            .impulse = impulse,
                            .status = status};
    assert_int_equal(dls_recording_append(r, &row, NULL), DLS_OK);
  }
  assert_int_equal(dls_recording_close(r, NULL), DLS_OK);
}

static double q[N], v[N];
static dls_state state = {.q = q, .v = v};

static dls_status take(const char *path, double t, dls_message *message)
{
  return dls_recorded_state(path, &names, t, &state, message);
}

static void assert_row(int k)
{
  assert_true(state.t == time_of(k) && q[0] == k && q[1] == -1.0 / 3 * k && v[0] == k + 0.5 &&
              v[1] == 1e-300);
}

static void the_row_of_a_time(void **unused)
{
  (void)unused;
  for (int form = 0; form < 2; form++) {
    const char *path = place(form ? "a.h5" : "a.csv");
    at_case("%s", path);
    record(path);
    for (int k = 0; k < ROWS; k++) {
      const int last = k % 7 == 5 && k + 1 < ROWS ? k + 1 : k;  // after the jump
      assert_int_equal(take(path, time_of(k), NULL), DLS_OK);
      assert_row(last);
      // as printed with nine digits, and between two rows
      char text[40];
      snprintf(text, sizeof text, "%.9g", time_of(k));
      assert_int_equal(take(path, strtod(text, NULL), NULL), DLS_OK);
      assert_row(last);
      if (time_of(k) + 0.09 > time_of(ROWS - 1)) continue;
      assert_int_equal(take(path, time_of(k) + 0.09, NULL), DLS_OK);
      assert_row(last);
    }
  }
}

// As they were given to `record`, and cut where there is no room.
static void the_settings(void **unused)
{
  (void)unused;
  char text[40], few[4];
  for (int form = 0; form < 2; form++) {
    const char *path = place(form ? "a.h5" : "a.csv");
    at_case("%s", path);
    record(path);
    assert_int_equal(dls_recorded_settings(path, text, sizeof text, NULL), DLS_OK);
    assert_string_equal(text, SETTINGS);
    assert_int_equal(dls_recorded_settings(path, few, sizeof few, NULL), DLS_OK);
    assert_memory_equal(few, SETTINGS, 3);
    assert_int_equal(few[3], 0);
  }
  assert_int_equal(dls_recorded_settings(place("none.csv"), text, sizeof text, NULL), DLS_ERR_FILE);
  assert_int_equal(dls_recorded_settings(place("a.txt"), text, sizeof text, NULL),
                   DLS_ERR_ARGUMENT);
}

// The text of the model that `record` was given, or another one.
static void the_model(void **unused)
{
  (void)unused;
  for (int form = 0; form < 2; form++) {
    const char *path = place(form ? "a.h5" : "a.csv");
    at_case("%s", path);
    bool same = false;
    record(path);
    assert_int_equal(dls_recorded_model(path, MODEL, sizeof MODEL - 1, &same, NULL), DLS_OK);
    assert_true(same);
    assert_int_equal(dls_recorded_model(path, MODEL " ", sizeof MODEL, &same, NULL), DLS_OK);
    assert_false(same);
  }
  bool same;
  assert_int_equal(dls_recorded_model(place("none.csv"), "", 0, &same, NULL), DLS_ERR_FILE);
  assert_int_equal(dls_recorded_model(place("a.txt"), "", 0, &same, NULL), DLS_ERR_ARGUMENT);
}

static void refused(dls_status expected, const char *path, double t, const char *words)
{
  dls_message message = {""};
  assert_int_equal(take(path, t, &message), expected);
  if (!strstr(message.text, words)) fail_msg("no \"%s\" in: %s", words, message.text);
}

static void outside_nothing_is_known(void **unused)
{
  (void)unused;
  for (int form = 0; form < 2; form++) {
    const char *path = place(form ? "a.h5" : "a.csv");
    at_case("%s", path);
    record(path);
    refused(DLS_ERR_FILE, path, -0.1, "begins at t = 0");
    refused(DLS_ERR_FILE, path, 4, "ends at t = 3.9");
    refused(DLS_ERR_ARGUMENT, path, (double)NAN, "time");
  }
  refused(DLS_ERR_FILE, place("none.csv"), 0, "No such file");
  refused(DLS_ERR_ARGUMENT, place("a.txt"), 0, ".csv, .h5 or .hdf5");
  static const char *const others[] = {"x", "y"};
  dls_system other = names;
  other.coordinates = others;
  for (int form = 0; form < 2; form++)
    assert_int_equal(dls_recorded_state(place(form ? "a.h5" : "a.csv"), &other, 0, &state, NULL),
                     DLS_ERR_FILE);
}

static void columns_by_their_names(void **unused)
{
  (void)unused;
  static const char *const good[] = {
      "t,x,xx,x',xx'\n0,1,2,3,4\n", "xx',note,\"x\",x',t,xx\r\n4,\"a, \"\"b\"\"\",1,3,0,2\r\n",
      "xx,x,t,xx',x',more\n2,1,0,4,3,nan\n9,9,9,9,9,\n", "t,x,xx,x',xx'\n0,1,2,3,4\n1,2"};
  for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
    at_case("%s", good[k]);
    set(place("b.csv"), good[k], strlen(good[k]));
    assert_int_equal(take(place("b.csv"), 0, NULL), DLS_OK);
    assert_true(state.t == 0 && q[0] == 1 && q[1] == 2 && v[0] == 3 && v[1] == 4);
  }
  static const struct {
    const char *text, *words;
  } bad[] = {{"", "no whole line"},
             {"t,x,xx,x',xx'", "no whole line"},
             {"t,x,xx,x',xx'\n", "no rows"},
             {"t,x,x',xx'\n0,1,3,4\n", "no column xx"},
             {"t,x,xx,x'\n0,1,2,3\n", "no column xx'"},
             {"t,x,x,xx,x',xx'\n0,1,1,2,3,4\n", "more than one column x"},
             {"t,x,xx,x',xx'\n0,1,2,3\n", ":2: column 5 has no number"},
             {"t,x,xx,x',xx'\nnan,1,2,3,4\n", ":2: column 1 has no number"},
             {"t,x,xx,x',xx'\n0,1,inf,3,4\n", ":2: column 3 has no number"},
             {"t,x,xx,x',xx'\n0,1,,3,4\n", "has no number"},
             {"t,x,xx,x',xx'\n0,1,1e999,3,4\n", "has no number"}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    at_case("%s", bad[k].text);
    set(place("b.csv"), bad[k].text, strlen(bad[k].text));
    refused(DLS_ERR_FILE, place("b.csv"), 0, bad[k].words);
  }
}

// Every byte changed, and every length: numbers that are finite, or a message.
static void no_content_does_harm(void **unused)
{
  (void)unused;
  for (int form = 0; form < 2; form++) {
    static unsigned char bytes[1 << 15];
    const char *bad = place(form ? "b.h5" : "b.csv");
    at_case("%s", bad);
    record(place(form ? "a.h5" : "a.csv"));
    FILE *f = fopen(place(form ? "a.h5" : "a.csv"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i < size; i += 3) {
      const unsigned char was = bytes[i];
      static const unsigned char other[] = {0, 0xFF, 0x80, ','};
      bytes[i] = other[i % 4];
      set(bad, bytes, size);
      dls_message message = {""};
      const dls_status status = take(bad, 1.5, &message);
      assert_true(status == DLS_OK || (status == DLS_ERR_FILE && message.text[0]));
      if (status == DLS_OK) assert_true(isfinite(state.t) && isfinite(q[1]) && isfinite(v[1]));
      bytes[i] = was;
    }
    for (size_t length = 0; length < size; length += 37) {
      set(bad, bytes, length);
      const dls_status status = take(bad, 1.5, NULL);
      assert_true(status == DLS_OK || status == DLS_ERR_FILE);
    }
  }
}

static void states_as_json(void **unused)
{
  (void)unused;
  static const char *const good[] = {"{\"q\": [1, 2.5], \"v\": [-3, 4e-1], \"t\": 7}",
                                     "{\"t\": 7, \"v\": [-3, 0.4], \"q\": [1, 2.5], \"more\": {}}"};
  for (int k = 0; k < 2; k++) {
    at_case("%s", good[k]);
    set(place("s.json"), good[k], strlen(good[k]));
    assert_int_equal(dls_state_read(place("s.json"), &names, &state, NULL), DLS_OK);
    assert_true(state.t == 7 && q[0] == 1 && q[1] == 2.5 && v[0] == -3 && v[1] == 0.4);
  }
  static const char *const bad[] = {"",
                                    "[]",
                                    "{}",
                                    "{\"q\": [1, 2]}",
                                    "{\"q\": [1], \"v\": [1, 2]}",
                                    "{\"q\": [1, 2, 3], \"v\": [1, 2]}",
                                    "{\"q\": [1, null], \"v\": [1, 2]}",
                                    "{\"q\": [1, \"2\"], \"v\": [1, 2]}",
                                    "{\"q\": [1, 1e999], \"v\": [1, 2]}",
                                    "{\"q\": [1, NaN], \"v\": [1, 2]}",
                                    "{\"q\": [1, 2], \"v\": [1, 2], \"t\": \"0\"}",
                                    "{\"q\": [1, 2], \"q\": [1, 2], \"v\": [1, 2]}"};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    at_case("%s", bad[k]);
    dls_message message = {""};
    set(place("s.json"), bad[k], strlen(bad[k]));
    assert_int_equal(dls_state_read(place("s.json"), &names, &state, &message), DLS_ERR_FILE);
    assert_true(message.text[0]);
  }
}

static int begin(void **unused)
{
  (void)unused;
  const char *folder = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%.350s/state-XXXXXX", folder ? folder : ".");
  return mkdtemp(directory) ? 0 : -1;
}

static int end(void **unused)
{
  (void)unused;
  char command[500];
  snprintf(command, sizeof command, "rm -r %s", directory);
  return system(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_row_of_a_time),
                                     cmocka_unit_test(the_settings),
                                     cmocka_unit_test(the_model),
                                     cmocka_unit_test(outside_nothing_is_known),
                                     cmocka_unit_test(columns_by_their_names),
                                     cmocka_unit_test(no_content_does_harm),
                                     cmocka_unit_test(states_as_json)};
  return cmocka_run_group_tests(tests, begin, end);
}
