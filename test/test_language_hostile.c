// The model language: texts that are long, deep or large on purpose.
#include "language.h"

#include "cases.h"

// ---- hostile texts ----

typedef struct buffer {
  char *text;
  size_t length, capacity;
} buffer;

static void append(buffer *b, const char *piece)
{
  const size_t size = strlen(piece);
  if (b->length + size > b->capacity) {
    b->capacity = 2 * (b->length + size) + 1000;
    b->text = realloc(b->text, b->capacity);
    assert_non_null(b->text);
  }
  memcpy(b->text + b->length, piece, size);
  b->length += size;
}

static void repeat(buffer *b, const char *piece, int count)
{
  for (int i = 0; i < count; i++) append(b, piece);
}

static void test_nesting(void **unused)
{
  (void)unused;
  const struct {
    const char *open, *close;
    int deep;
    dls_status status;
  } cases[] = {
      {"(", ")", 200, DLS_OK},
      {"(", ")", 257, DLS_ERR_MODEL},
      {"(", "", 100000, DLS_ERR_MODEL},
      {"-", "", 200, DLS_OK},
      {"-", "", 100000, DLS_ERR_MODEL},
      {"2^", "", 100000, DLS_ERR_MODEL},
      {"sin(", ")", 200, DLS_OK},
      {"sin(", ")", 100000, DLS_ERR_MODEL},
      {"f(", ")", 100000, DLS_ERR_MODEL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    at_case("i %zu", i);
    buffer b = {0};
    append(&b, "coordinate x\nkinetic x'^2\nforce x = ");
    repeat(&b, cases[i].open, cases[i].deep);
    append(&b, "1");
    repeat(&b, cases[i].close, cases[i].deep);
    dls_model *model;
    dls_diagnostics d;
    assert_int_equal(dls_model_parse(b.text, b.length, &model, &d), cases[i].status);
    if (cases[i].status == DLS_ERR_MODEL) {
      assert_int_equal(d.total, 1);
      assert_non_null(strstr(d.item[0].message, "nested deeper than 256"));
    }
    dls_model_free(model);
    free(b.text);
  }
}

static dls_status parse_buffer(buffer *b, dls_diagnostics *d, double *seconds)
{
  dls_model *model;
  const clock_t start = clock();
  const dls_status status = dls_model_parse(b->text, b->length, &model, d);
  *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  dls_model_free(model);
  free(b->text);
  *b = (buffer){0};
  return status;
}

static void test_long_chains(void **unused)
{
  (void)unused;
  buffer b = {0};
  append(&b, "parameter a = 1\ncoordinate x\nkinetic x'^2\npotential x");
  for (int i = 0; i < 100000; i++) {
    at_case("i %d", i);
    char term[40];
    snprintf(term, sizeof term, " + %d.5*x", i);
    append(&b, term);
  }
  append(&b, "\nforce x = 1");
  repeat(&b, "*a", 100000);
  append(&b, "\ncoordinate y = 0");
  repeat(&b, " - 1", 100000);
  append(&b, "\n");
  dls_diagnostics d;
  double seconds;
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_OK);
  assert_true(seconds < 60);

  // a chain of definitions in the worst order
  append(&b, "coordinate x = c0\nkinetic x'^2\n");
  for (int i = 0; i < 100000; i++) {
    at_case("i %d", i);
    char line[60];
    snprintf(line, sizeof line, "let c%d = c%d + 1\n", i, i + 1);
    append(&b, line);
  }
  append(&b, "let c100000 = 0\n");
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_OK);
  assert_true(seconds < 60);

  // the same as one circle
  append(&b, "coordinate x = c0\nkinetic x'^2\n");
  for (int i = 0; i < 100000; i++) {
    at_case("i %d", i);
    char line[60];
    snprintf(line, sizeof line, "let c%d = c%d + 1\n", i, (i + 1) % 100000);
    append(&b, line);
  }
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_ERR_MODEL);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 3);
  assert_non_null(strstr(d.item[0].message, "100000 in all"));
}

static void test_many_statements(void **unused)
{
  (void)unused;
  const char *lines[] = {"parameter p%d = 1\n",      "let p%d = x\n",
                         "potential u%d\n",          "state s%d: x = 1\n",
                         "nonsense%d here\n",        "parameter same = 1\n",
                         "unilateral c%d: x >= 1\n", "restitution same same = 1\n",
                         "kinetic x'^3\n",           "(((\n",
                         "potential abs(x)\n",       "object o%d: x\n",
                         "let p%d = 1 +\n"};
  for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
    at_case("%s", lines[k]);
    buffer b = {0};
    append(&b, "coordinate x\nkinetic x'^2\nunilateral same: x >= 0\n");
    for (int i = 0; i < 200000; i++) {
      char line[60];
      // the formats are the table's own
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
      snprintf(line, sizeof line, lines[k], i);
#pragma GCC diagnostic pop
      append(&b, line);
    }
    dls_diagnostics d;
    double seconds;
    parse_buffer(&b, &d, &seconds);
    if (seconds > 30) fail_msg("%s took %g s", lines[k], seconds);
  }
}

static void test_text_limit(void **unused)
{
  (void)unused;
  const size_t length = (16u << 20) + 1;
  char *text = malloc(length);
  assert_non_null(text);
  memset(text, ' ', length);
  dls_model *model;
  dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, length, &model, &d), DLS_ERR_LIMIT);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 1);
  assert_int_equal(dls_model_parse(text, length - 1, &model, &d), DLS_ERR_MODEL);
  free(text);
}

// A small text can ask for very many derivatives: a dense mass matrix of 5000 coordinates.
static void test_graph_limit(void **unused)
{
  (void)unused;
  buffer b = {0};
  char piece[40];
  append(&b, "coordinate x");
  for (int i = 0; i < 5000; i++) {
    at_case("i %d", i);
    snprintf(piece, sizeof piece, ", c%d", i);
    append(&b, piece);
  }
  append(&b, "\nkinetic (x'");
  for (int i = 0; i < 5000; i++) {
    at_case("i %d", i);
    snprintf(piece, sizeof piece, " + sin(c%d)*c%d'", i, i);
    append(&b, piece);
  }
  append(&b, ")^2\n");
  dls_diagnostics d;
  double seconds;
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_ERR_LIMIT);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 1);
  assert_non_null(strstr(d.item[0].message, "too large"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nesting),         cmocka_unit_test(test_long_chains),
      cmocka_unit_test(test_many_statements), cmocka_unit_test(test_text_limit),
      cmocka_unit_test(test_graph_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
