// Pages of motions: what is written can be read back, and names stay texts.
#include <delassus/delassus.h>
#include <delassus/view.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "cases.h"

enum { FRAMES = 40, BODIES = 3 };

// ---- the page's own reading, written once more: viewer/src/data.js -----------------------------

typedef struct content {
  unsigned char *bytes;
  size_t size, begin;  // of the arrays
  json_t *head;
} content;

static int value_of(char c)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(letters, c) : NULL;
  return at ? (int)(at - letters) : -1;
}

static size_t decode(const char *text, size_t length, unsigned char *out)
{
  size_t used = 0;
  unsigned bits = 0;
  int have = 0;
  for (size_t i = 0; i < length && text[i] != '='; i++) {
    const int value = value_of(text[i]);
    assert_true(value >= 0);
    bits = bits << 6 | (unsigned)value;
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out[used++] = (unsigned char)(bits >> have);
  }
  return used;
}

static content read_page(const char *html)
{
  static const char open[] = "<script type=\"text/plain\" id=\"data\">";
  const char *text = strstr(html, open);
  assert_non_null(text);
  text += strlen(open);
  const size_t length = (size_t)(strstr(text, "</script>") - text);
  unsigned char *packed = malloc(length);
  const size_t packed_size = decode(text, length, packed);
  content c = {.bytes = malloc(1 << 24)};
  uLongf size = 1 << 24;
  assert_int_equal(uncompress(c.bytes, &size, packed, packed_size), Z_OK);
  free(packed);
  c.size = size;
  assert_memory_equal(c.bytes, "DLSVIEW1", 8);
  uint32_t json;
  memcpy(&json, c.bytes + 8, 4);
  c.head = json_loadb((char *)c.bytes + 12, json, 0, NULL);
  assert_non_null(c.head);
  c.begin = (12 + (size_t)json + 7) / 8 * 8;
  return c;
}

static void free_content(content *c)
{
  json_decref(c->head);
  free(c->bytes);
}

static long place(const content *c, const char *array, const char *key)
{
  const json_t *entry = json_object_get(json_object_get(c->head, "arrays"), array);
  assert_non_null(entry);
  return json_integer_value(json_object_get(entry, key));
}

static uint32_t joined(const unsigned char *planes, long count, long planes_count, long i)
{
  uint32_t x = 0;
  for (long p = 0; p < planes_count; p++) x |= (uint32_t)planes[p * count + i] << (8 * p);
  return x;
}

// All numbers of streams; freed by the caller.
static double *read_streams(const content *c, const char *array, double *steps)
{
  const long count = place(c, array, "count"), streams = place(c, array, "streams");
  const long planes = place(c, array, "planes"), frames = count / streams;
  const unsigned char *codes = c->bytes + c->begin + place(c, array, "offset");
  const double *low = (double *)(void *)(c->bytes + c->begin + place(c, array, "low"));
  const double *step = (double *)(void *)(c->bytes + c->begin + place(c, array, "step"));
  double *out = calloc((size_t)count, sizeof *out);
  for (long s = 0; s < streams; s++) {
    long value = 0, slope = 0;
    steps[s] = step[s];
    for (long k = 0; k < frames; k++) {
      const uint32_t code = joined(codes, count, planes, s * frames + k);
      const long change = (long)(code >> 1) ^ -(long)(code & 1);
      slope = k < 2 ? change : slope + change;
      value += slope;
      if (k == 0) slope = 0;
      out[s * frames + k] = low[s] + step[s] * (double)value;
    }
  }
  return out;
}

// ---- a view -------------------------------------------------------------------------------------

static const char hostile[] = "</script><img src=x onerror=alert(1)>\n\x01\xff";
static const char *const body[BODIES] = {"ball", hostile, "rest"};
static const char *const contact_name[] = {hostile};
static double t[FRAMES];
static dls_pose pose[FRAMES * BODIES];
static dls_view_contact contact[FRAMES];
static long first[FRAMES + 1];
static double curve_value[FRAMES];

static double noise(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static dls_view make_view(unsigned seed, double size)
{
  static const dls_solid solid[] = {
      {.name = "", .body = 0, .pose.quaternion = {1}, .kind = DLS_SOLID_SPHERE, .size = {0.1}},
      {.name = hostile, .body = -1, .pose.quaternion = {1}, .kind = DLS_SOLID_PLANE}};
  static dls_view_curve curve = {.name = hostile, .group = "outputs", .value = curve_value};
  static const dls_view_event event[] = {{0.5, "impact", hostile}};
  for (int k = 0; k < FRAMES; k++) {
    t[k] = 0.1 * k;
    curve_value[k] = k == 3 ? (double)NAN : k;
    first[k + 1] = k + 1;
    contact[k] =
        (dls_view_contact){.status = DLS_SLIDING, .value = {k, 1, -1}, .normal = {0, 0, 1}};
    contact[k].high[0] = INFINITY;
    for (int b = 0; b < BODIES; b++) {
      dls_pose *p = &pose[k * BODIES + b];
      const double angle = b == 2 ? 0 : 0.4 * k;
      *p = (dls_pose){.quaternion = {cos(angle), 0, sin(angle), 0}};
      for (int i = 0; i < 3; i++) p->position[i] = b == 2 ? 7.25 : size * noise(&seed);
      // the same orientation
      for (int i = 0; i < 4 && noise(&seed) < 0; i++) p->quaternion[i] = -p->quaternion[i];
    }
  }
  return (dls_view){.title = hostile,
                    .space = 3,
                    .look = {1, -1, 1},
                    .frames = FRAMES,
                    .t = t,
                    .bodies = BODIES,
                    .body = body,
                    .pose = pose,
                    .solids = 2,
                    .solid = solid,
                    .contact_names = 1,
                    .contact_name = contact_name,
                    .first = first,
                    .contact = contact,
                    .curves = 1,
                    .curve = &curve,
                    .events = 1,
                    .event = event};
}

static char *write_view(const dls_view *view)
{
  char *html = NULL;
  size_t size = 0;
  dls_message message = {0};
  const dls_status status = dls_view_html(view, &html, &size, &message);
  if (status != DLS_OK) fail_msg("%s", message.text);
  assert_int_equal(strlen(html), size);
  return html;
}

static void skip_without_page(void)
{
  if (dls_view_available()) return;
  print_message("skipped: built without the page\n");
  skip();
}

// ---- tests --------------------------------------------------------------------------------------

static void test_poses_come_back(void **state)
{
  (void)state;
  skip_without_page();
  for (unsigned seed = 1; seed <= 6; seed++) {
    at_case("seed %u", seed);
    const double size = pow(10, 3 * (double)seed - 9);
    const dls_view view = make_view(seed, size);
    char *html = write_view(&view);
    content c = read_page(html);
    double step[7 * BODIES], *x = read_streams(&c, "pose", step);
    for (int b = 0; b < BODIES; b++)
      for (int k = 0; k < FRAMES; k++) {
        const dls_pose *p = &pose[k * BODIES + b];
        for (int i = 0; i < 3; i++) {
          const double found = x[(7 * b + i) * FRAMES + k];
          assert_true(step[7 * b + i] <= size * ldexp(1, -26));
          assert_true(fabs(found - p->position[i]) <= 0.51 * step[7 * b + i]);
        }
        double cosine = 0;
        for (int i = 0; i < 4; i++) cosine += x[(7 * b + 3 + i) * FRAMES + k] * p->quaternion[i];
        assert_true(fabs(fabs(cosine) - 1) < 1e-7);
        // neighbours lie on one side, so that what is in between can be drawn
        double product = 0;
        for (int i = 0; i < 4 && k > 0; i++)
          product += x[(7 * b + 3 + i) * FRAMES + k] * x[(7 * b + 3 + i) * FRAMES + k - 1];
        if (k > 0) assert_true(product > 0);
      }
    free(x);
    free_content(&c);
    dls_view_html_free(html);
  }
}

static void test_contacts_come_back(void **state)
{
  (void)state;
  skip_without_page();
  const dls_view view = make_view(1, 1);
  char *html = write_view(&view);
  content c = read_page(html);
  const long count = place(&c, "contact", "count");
  const unsigned char *planes = c.bytes + c.begin + place(&c, "contact", "offset");
  assert_int_equal(count, 22 * FRAMES);
  for (int k = 0; k < FRAMES; k++)
    for (int column = 0; column < 22; column++) {
      const uint32_t bits = joined(planes, count, 4, (long)column * FRAMES + k);
      float x;
      memcpy(&x, &bits, sizeof x);
      const double expected = column == 5    ? 1
                              : column == 12 ? k
                              : column == 13 ? 1
                              : column == 14 ? -1
                              : column == 18 ? (double)INFINITY
                                             : 0;
      assert_true(x == expected);
    }
  free_content(&c);
  dls_view_html_free(html);
}

// Whatever a name is, the page around the data is the same, and the data are letters of base64.
static void test_names_are_texts(void **state)
{
  (void)state;
  skip_without_page();
  const dls_view view = make_view(1, 1);
  char *html = write_view(&view);
  assert_null(strstr(html, "onerror=alert"));
  assert_null(strstr(html, "@DATA@"));
  assert_non_null(strstr(html, "default-src 'none'"));
  assert_null(strstr(html, "unsafe-inline"));
  assert_null(strstr(html, "unsafe-eval"));
  content c = read_page(html);
  const char *name = json_string_value(json_array_get(json_object_get(c.head, "bodies"), 1));
  assert_string_equal(name, "</script><img src=x onerror=alert(1)>??\xef\xbf\xbd");
  free_content(&c);
  dls_view_html_free(html);
}

static dls_status status_of(const dls_view *view)
{
  char *html = NULL;
  size_t size = 0;
  dls_message message = {0};
  const dls_status status = dls_view_html(view, &html, &size, &message);
  assert_true((status == DLS_OK) == (html != NULL));
  assert_true((status == DLS_OK) == (message.text[0] == 0));
  dls_view_html_free(html);
  return status;
}

static void test_wrong_views(void **state)
{
  (void)state;
  skip_without_page();
  dls_view view = make_view(1, 1);
  assert_int_equal(status_of(&view), DLS_OK);
  view.frames = 0;
  assert_int_equal(status_of(&view), DLS_ERR_ARGUMENT);
  view = make_view(1, 1);
  pose[4].position[1] = NAN;
  assert_int_equal(status_of(&view), DLS_ERR_NUMBER);
  view = make_view(1, 1);
  t[3] = INFINITY;
  assert_int_equal(status_of(&view), DLS_ERR_NUMBER);
  view = make_view(1, 1);
  t[3] = 0;
  assert_int_equal(status_of(&view), DLS_ERR_ARGUMENT);
  view = make_view(1, 1);
  contact[2].name = 1;
  assert_int_equal(status_of(&view), DLS_ERR_ARGUMENT);
  view = make_view(1, 1);
  view.frames = view.bodies = 1 << 30;
  assert_int_equal(status_of(&view), DLS_ERR_LIMIT);
  view = make_view(1, 1);
  pose[0].position[0] = 1e308, pose[BODIES].position[0] = -1e308;
  assert_int_equal(status_of(&view), DLS_ERR_NUMBER);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_poses_come_back),
      cmocka_unit_test(test_contacts_come_back),
      cmocka_unit_test(test_names_are_texts),
      cmocka_unit_test(test_wrong_views),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
