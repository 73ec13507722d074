// Pictures: where values and ticks lie, how numbers are written, and that every picture that can be
// asked for is a whole SVG or PNG.
#include "fclib_maker.h"
#include "plot/picture_scale.h"
#include <delassus/picture.h>

#include <float.h>
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

// ---- scales -------------------------------------------------------------------------------------

static int ticks_of(double low, double high, bool logarithmic, int most, dls_tick *ticks)
{
  const dls_axis axis = {.low = low, .high = high, .logarithmic = logarithmic};
  const dls_scale scale = dls_scale_of(&axis, NAN, NAN, 0, true);
  return dls_scale_ticks(&scale, most, ticks);
}

// "0 0.5 1.0", exponents after ^, minor ticks left out
static void assert_ticks(double low, double high, bool logarithmic, int most, const char *expected)
{
  dls_tick ticks[DLS_TICKS_MAX];
  char found[1000] = "";
  const int count = ticks_of(low, high, logarithmic, most, ticks);
  for (int i = 0; i < count; i++) {
    if (!ticks[i].text[0]) continue;
    const size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s%s%s%s", used ? " " : "", ticks[i].text,
             ticks[i].exponent[0] ? "^" : "", ticks[i].exponent);
  }
  assert_string_equal(found, expected);
}

static void tick_labels(void **state)
{
  (void)state;
  assert_ticks(0, 4, false, 9, "0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0");
  assert_ticks(0, 4, false, 5, "0 1 2 3 4");
  assert_ticks(-1, 1, false, 5, "−1.0 −0.5 0 0.5 1.0");
  assert_ticks(0.13, 0.47, false, 4, "0.2 0.3 0.4");
  assert_ticks(0, 20000, false, 3, "0 10000 20000");
  assert_ticks(0, 2e6, false, 5, "0 5×10^5 1.0×10^6 1.5×10^6 2.0×10^6");
  assert_ticks(0, 3e-7, false, 4, "0 1×10^−7 2×10^−7 3×10^−7");
  assert_ticks(1000.0001, 1000.0003, false, 3, "1000.0001 1000.0002 1000.0003");
  assert_ticks(1, 1000, true, 5, "1 10 100 1000");
  assert_ticks(1e-6, 1, true, 8, "10^−6 10^−5 10^−4 10^−3 10^−2 10^−1 1");
  assert_ticks(1e-300, 1e300, true, 8, "10^−240 10^−160 10^−80 1 10^80 10^160 10^240");
  assert_ticks(1, 10, true, 9, "1 2 5 10");
  assert_ticks(2, 3, true, 5, "2.0 2.2 2.4 2.6 2.8 3.0");
  assert_ticks(5, 5, false, 5, "5");
  assert_ticks(-1e300, 1e300, false, 4, "−1.0×10^300 −5×10^299 0 5×10^299 1.0×10^300");
  assert_ticks(0, 1e-300, false, 2, "0 5×10^−301 1.0×10^−300");
}

static void whole_numbers(void **state)
{
  (void)state;
  const dls_axis axis = {.low = 0, .high = 2, .whole = true};
  const dls_scale scale = dls_scale_of(&axis, NAN, NAN, 0, false);
  dls_tick ticks[DLS_TICKS_MAX];
  assert_int_equal(dls_scale_ticks(&scale, 10, ticks), 3);
  assert_string_equal(ticks[1].text, "1");
}

// In order, inside the frame, each where its label says, whatever the range.
static void tick_places(void **state)
{
  (void)state;
  const double ends[] = {-DBL_MAX, -1e300, -3e7, -1,    -1e-300, 0,   DBL_TRUE_MIN, DBL_MIN, 1e-300,
                         1e-12,    0.123,  1,    1.001, 77,      1e9, 1e300,        DBL_MAX};
  enum { COUNT = sizeof ends / sizeof ends[0] };
  for (int a = 0; a < COUNT; a++) {
    for (int b = a; b < COUNT; b++) {
      for (int k = 0; k < 2; k++) {
        if (k && !(ends[a] > 0)) continue;
        for (int most = 1; most < 14; most += 3) {
          at_case("a %d, b %d, k %d, most %d", a, b, k, most);
          dls_tick ticks[DLS_TICKS_MAX];
          const int count = ticks_of(ends[a], ends[b], k, most, ticks);
          assert_in_range(count, 1, DLS_TICKS_MAX);
          for (int i = 0; i < count; i++) {
            assert_true(ticks[i].place >= 0 && ticks[i].place <= 1);
            assert_true(i == 0 || ticks[i].place > ticks[i - 1].place);
          }
        }
      }
    }
  }
}

static void places(void **state)
{
  (void)state;
  const dls_scale line = {.low = -2, .high = 6},
                  decades = {.low = 0.01, .high = 100, .logarithmic = true};
  assert_true(fabs(dls_scale_place(&line, 0) - 0.25) < 1e-15);
  assert_true(fabs(dls_scale_place(&decades, 1) - 0.5) < 1e-15);
  assert_true(isnan(dls_scale_place(&decades, 0)));
  assert_true(isnan(dls_scale_place(&decades, -1)));
  assert_true(isnan(dls_scale_place(&line, NAN)));
  const dls_scale wide = {.low = -DBL_MAX, .high = DBL_MAX};
  assert_true(dls_scale_place(&wide, 0) == 0.5);

  // chosen from the data: a margin, or room around a single value
  const dls_axis open = {0};
  dls_scale s = dls_scale_of(&open, 1, 2, 0.1, false);
  assert_true(fabs(s.low - 0.9) < 1e-12 && fabs(s.high - 2.1) < 1e-12);
  s = dls_scale_of(&open, 5, 5, 0.1, false);
  assert_true(s.low < 5 && s.high > 5);
  s = dls_scale_of(&open, NAN, NAN, 0.1, false);
  assert_true(s.low < s.high);
  s = dls_scale_of(&open, -DBL_MAX, DBL_MAX, 0.1, false);
  assert_true(isfinite(s.low) && isfinite(s.high));
}

// ---- colours ------------------------------------------------------------------------------------

static double lightness(unsigned colour)
{
  return 0.2126 * (colour >> 16 & 0xFF) + 0.7152 * (colour >> 8 & 0xFF) + 0.0722 * (colour & 0xFF);
}

static void colours(void **state)
{
  (void)state;
  for (int i = 0; i < 100; i++)
    assert_true(lightness(dls_colour_number((i + 1) / 100.0)) >
                lightness(dls_colour_number(i / 100.0)));
  assert_int_equal(dls_colour_number(-3), dls_colour_number(0));
  assert_int_equal(dls_colour_number(7), dls_colour_number(1));
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < i; j++) assert_true(dls_colour_line(i) != dls_colour_line(j));
  assert_int_equal(dls_colour_line(7), dls_colour_line(0));
  assert_int_equal(dls_colour_area(-1), dls_colour_area(0));
  for (int i = 0; i < 28; i++)
    for (int j = 0; j < i; j++)
      assert_true(dls_colour_line(i) != dls_colour_line(j) ||
                  dls_strokes_line(i) != dls_strokes_line(j));
  assert_int_equal(dls_strokes_line(6), 0);
  assert_int_equal(dls_strokes_line(-1), 0);
}

// ---- pictures -----------------------------------------------------------------------------------

// Draws in both forms and looks at the ends of what comes out; returns the SVG.
static char *drawn(const dls_picture *picture)
{
  char *data = NULL;
  size_t size = 0;
  dls_message message = {0};
  assert_int_equal(dls_picture_draw(picture, DLS_PNG, &data, &size, &message), DLS_OK);
  assert_true(size > 100);
  assert_memory_equal(data, "\x89PNG\r\n\x1a\n", 8);
  assert_memory_equal(data + size - 8, "IEND", 4);
  dls_picture_data_free(data);
  assert_int_equal(dls_picture_draw(picture, DLS_SVG, &data, &size, &message), DLS_OK);
  assert_int_equal(strlen(data), size);
  assert_non_null(strstr(data, "<svg"));
  assert_string_equal(data + size - 7, "</svg>\n");
  if (!strstr(data, "<image")) {  // whose letters could say anything
    assert_null(strstr(data, "nan"));
    assert_null(strstr(data, "inf"));
  }
  return data;
}

static void draw(const dls_picture *picture)
{
  dls_picture_data_free(drawn(picture));
}

static const dls_category answers[] = {
    {"yes", 0x56B4E9, false}, {"no", 0xE69F00, false}, {"undecided", 0xDDDDDD, true}};

static int count_of(const char *text, const char *word)
{
  int count = 0;
  for (const char *s = text; (s = strstr(s, word)); s++) count++;
  return count;
}

static void regions(void **state)
{
  (void)state;
  unsigned char cell[100 * 100];
  for (int j = 0; j < 100; j++)
    for (int i = 0; i < 100; i++)
      cell[100 * j + i] = (unsigned char)(i * i + j * j < 2500 ? 1 : i > 80 && j > 80 ? 2 : 0);
  const dls_regions r = {.nx = 100, .ny = 100, .cell = cell, .categories = 3, .category = answers};
  const dls_plot plot = {.x = {.high = 1}, .y = {.high = 1}, .regions = &r};
  char *svg = drawn(&(dls_picture){.plots = 1, .plot = &plot});
  // one area for each of the three answers, and one swatch each
  assert_int_equal(count_of(svg, "fill:rgb(90.196078%,62.352941%,0%)"), 2);
  assert_int_equal(count_of(svg, "fill:rgb(33.72549%,70.588235%,91.372549%)"), 2);
  assert_int_equal(count_of(svg, "fill:rgb(86.666667%,86.666667%,86.666667%)"), 2);
  assert_true(strlen(svg) < 60000);
  dls_picture_data_free(svg);

  // one cell, one row, a checkerboard, and cells of one answer only
  for (int n = 1; n <= 100; n += 33) {
    at_case("n %d", n);
    const dls_regions row = {.nx = n, .ny = 1, .cell = cell, .categories = 3, .category = answers};
    const dls_plot small = {.x = {.low = 2, .high = n == 1 ? 2 : 3}, .regions = &row};
    draw(&(dls_picture){.plots = 1, .plot = &small});
  }
  for (int k = 0; k < 100 * 100; k++) cell[k] = (unsigned char)((k + k / 100) % 2);
  draw(&(dls_picture){.plots = 1, .plot = &plot});
}

// More noise than a path should hold: an image, with the colours still there.
static void noise(void **state)
{
  (void)state;
  enum { N = 400 };
  unsigned char *cell = malloc(N * N);
  assert_non_null(cell);
  uint32_t random = 1;
  for (int k = 0; k < N * N; k++) {
    random = random * 1664525u + 1013904223u;
    cell[k] = (unsigned char)((random >> 16) % 3);
  }
  const dls_regions r = {.nx = N, .ny = N, .cell = cell, .categories = 3, .category = answers};
  const dls_plot plot = {.x = {.high = 1}, .y = {.high = 1}, .regions = &r};
  char *svg = drawn(&(dls_picture){.plots = 1, .plot = &plot});
  assert_non_null(strstr(svg, "<image"));
  dls_picture_data_free(svg);
  free(cell);
}

static void fields(void **state)
{
  (void)state;
  const double mixed[] = {1, NAN, INFINITY, -1e300, 1e300, 0};
  const double none[] = {NAN, NAN, NAN, NAN, NAN, NAN};
  const double endless[] = {INFINITY, -INFINITY, NAN, INFINITY, INFINITY, INFINITY};
  const double same[] = {2, 2, 2, 2, 2, 2};
  const double tiny[] = {1e-300, 2e-300, 3e-300, 0, DBL_TRUE_MIN, 1e-310};
  const double *const all[] = {mixed, none, endless, same, tiny};
  for (int k = 0; k < 5; k++) {
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
      at_case("k %d, logarithmic %d", k, logarithmic);
      const dls_field f = {
          .nx = 3, .ny = 2, .value = all[k], .label = "friction", .logarithmic = logarithmic};
      const dls_plot plot = {.x = {.label = "x", .high = 1}, .y = {.high = 1e-300}, .field = &f};
      draw(&(dls_picture){.plots = 1, .plot = &plot});
    }
  }
}

static void curves(void **state)
{
  (void)state;
  const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, NAN, 3, NAN, INFINITY, 2, 1};
  const double huge[] = {-1e300, 1e300, 0, 1e-300, NAN, DBL_MAX, -DBL_MAX};
  const double nothing[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  const dls_curve all[] = {
      {.label = "gaps", .count = 7, .x = x, .y = y},
      {.label = "steps", .count = 7, .x = x, .y = y, .steps = true},
      {.label = "", .count = 7, .x = x, .y = huge, .marker = DLS_CROSS},
      {.count = 7, .x = x, .y = nothing, .marker = DLS_TRIANGLE},
      {.label = "empty", .dashed = true},
      {.label = "points", .count = 7, .x = x, .y = y, .markers_only = true, .marker = DLS_SQUARE}};
  for (int k = 0; k < 6; k++) {
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
      at_case("k %d, logarithmic %d", k, logarithmic);
      const dls_plot plot = {.x = {.logarithmic = logarithmic},
                             .y = {.logarithmic = logarithmic},
                             .curves = 1,
                             .curve = &all[k]};
      draw(&(dls_picture){.plots = 1, .plot = &plot});
    }
  }
  const dls_plot plots[] = {{.curves = 6, .curve = all}, {0}, {.x = {.low = 1, .high = 2}}};
  draw(&(dls_picture){.columns = 2, .plots = 3, .plot = plots});
  draw(&(dls_picture){.columns = 9, .plots = 3, .plot = plots});
}

static char *svg_of(const dls_curve *curve, int count)
{
  char *data = NULL;
  size_t size = 0;
  const dls_plot plot = {.curves = count, .curve = curve};
  const dls_picture picture = {.plots = 1, .plot = &plot};
  assert_int_equal(dls_picture_draw(&picture, DLS_SVG, &data, &size, NULL), DLS_OK);
  return data;
}

// How many lines of the picture are not solid.
static int stroked(const dls_curve *curve, int count)
{
  char *data = svg_of(curve, count);
  int found = 0;
  for (const char *at = data; (at = strstr(at, "stroke-dasharray")); at++) found++;
  dls_picture_data_free(data);
  return found;
}

// Curves with the same colour differ in their strokes, in the frame and in the legend.
static void strokes(void **state)
{
  (void)state;
  const double x[] = {0, 1}, y[] = {0, 1};
  dls_curve all[22] = {0};
  for (int k = 0; k < 22; k++) all[k] = (dls_curve){.label = "a", .count = 2, .x = x, .y = y};
  assert_int_equal(stroked(all, 7), 0);
  assert_int_equal(stroked(all, 8), 2);
  assert_int_equal(stroked(all, 22), 30);
  // a colour of one's own is solid, and strokes may be asked for
  for (int k = 0; k < 22; k++) all[k].colour = 0x808080;
  assert_int_equal(stroked(all, 22), 0);
  char *drawn[4];
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    all[0].strokes = k;
    assert_int_equal(stroked(all, 22), k > 0 ? 2 : 0);
    drawn[k] = svg_of(all, 1);
    for (int i = 0; i < k; i++) assert_string_not_equal(drawn[k], drawn[i]);
  }
  for (int k = 0; k < 4; k++) dls_picture_data_free(drawn[k]);
}

// Any text: long, empty, of control characters, no UTF-8 at all.
static void texts(void **state)
{
  (void)state;
  char longest[3000];
  memset(longest, 'm', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  const char *const all[] = {
      "",
      " ",
      "\xff\xfe",
      "a\tb\n\x1b[31m",
      "ö μ ∞ 接触",
      longest,
      "word word word word word word word word word word word word word word"};
  const double point[] = {1};
  for (int k = 0; k < 7; k++) {
    at_case("k %d", k);
    const char *names[] = {all[k], "other"};
    const unsigned char cell[] = {0, 1};
    const dls_category categories[] = {{all[k], 0xFF0000, true}, {NULL, 0x00FF00, false}};
    const dls_regions r = {.nx = 1, .ny = 2, .cell = cell, .categories = 2, .category = categories};
    const dls_curve c = {.label = all[k], .count = 1, .x = point, .y = point};
    const dls_plot plots[] = {
        {.title = all[k], .x = {.label = all[k]}, .y = {.label = all[k]}, .curves = 1, .curve = &c},
        {.y = {.names = names, .name_count = 2}, .height = 20, .regions = &r},
        {.x = {.names = names, .name_count = 2}, .width = 3, .height = 3}};
    draw(&(dls_picture){.title = all[k], .subtitle = all[k], .plots = 3, .plot = plots});
  }
}

static void mistakes(void **state)
{
  (void)state;
  const unsigned char cell[] = {0, 3};
  const double value[] = {1};
  const char *const names[] = {"a", NULL};
  const dls_regions outside = {
      .nx = 2, .ny = 1, .cell = cell, .categories = 3, .category = answers};
  const dls_regions empty = {.nx = 0, .ny = 1, .cell = cell, .categories = 3, .category = answers};
  const dls_regions large = {
      .nx = 1 << 20, .ny = 1 << 20, .cell = cell, .categories = 3, .category = answers};
  const dls_field field = {.nx = 1, .ny = 1, .value = value};
  const dls_field missing = {.nx = 1, .ny = 1};
  const dls_curve curve = {.count = 3};
  const dls_plot wrong[] = {
      {.regions = &outside},
      {.regions = &empty},
      {.regions = &outside, .field = &field},
      {.field = &missing},
      {.curves = 1},
      {.curves = -1},
      {.curves = 1, .curve = &curve},
      {.width = NAN},
      {.height = 1e9},
      {.x = {.low = 1, .high = 0}},
      {.y = {.low = NAN, .high = 1}},
      {.y = {.low = 0, .high = INFINITY}},
      {.y = {.low = 0, .high = 1, .logarithmic = true}},
      {.x = {.names = names, .name_count = 2}},
      {.x = {.names = names, .name_count = 0}},
  };
  char *data;
  size_t size;
  dls_message message;
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    at_case("k %zu", k);
    const dls_picture picture = {.plots = 1, .plot = &wrong[k]};
    assert_int_equal(dls_picture_draw(&picture, DLS_SVG, &data, &size, &message), DLS_ERR_ARGUMENT);
    assert_null(data);
    assert_true(message.text[0]);
  }
  const dls_plot too_large = {.regions = &large}, wide = {.width = 20000};
  const dls_picture limits[] = {{.plots = 1, .plot = &too_large},
                                {.plots = 1, .plot = &wide, .resolution = 50},
                                {.plots = 1000, .plot = &wide}};
  for (int k = 0; k < 3; k++)
    assert_int_equal(dls_picture_draw(&limits[k], DLS_PNG, &data, &size, NULL), DLS_ERR_LIMIT);
  assert_int_equal(dls_picture_draw(NULL, DLS_SVG, &data, &size, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_picture_draw(&(dls_picture){0}, DLS_SVG, &data, &size, NULL),
                   DLS_ERR_ARGUMENT);
}

static void files(void **state)
{
  (void)state;
  const dls_plot plot = {0};
  const dls_picture picture = {.plots = 1, .plot = &plot};
  dls_message message;
  const char *const names[] = {"a.svg", "a.png"};
  for (int k = 0; k < 2; k++) {
    const char *path = scratch(names[k]);
    at_case("%s", path);
    assert_int_equal(dls_picture_save(&picture, path, &message), DLS_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char start[4] = "";
    assert_int_equal(fread(start, 1, 4, file), 4);
    assert_memory_equal(start, k ? "\x89PNG" : "<?xm", 4);
    (void)fclose(file);
    assert_int_equal(unlink(path), 0);
  }
  assert_int_equal(dls_picture_save(&picture, scratch("no/a.svg"), &message), DLS_ERR_FILE);
  assert_non_null(strstr(message.text, "No such file"));
  assert_int_equal(dls_picture_save(&picture, scratch("a.gif"), &message), DLS_ERR_ARGUMENT);
  assert_int_equal(scratch_count(), 0);  // nothing is left
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tick_labels), cmocka_unit_test(whole_numbers), cmocka_unit_test(tick_places),
      cmocka_unit_test(places),      cmocka_unit_test(colours),       cmocka_unit_test(regions),
      cmocka_unit_test(noise),       cmocka_unit_test(fields),        cmocka_unit_test(curves),
      cmocka_unit_test(strokes),     cmocka_unit_test(texts),         cmocka_unit_test(mistakes),
      cmocka_unit_test(files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
