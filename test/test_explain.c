// Every line of a report can be asked back; theorems come with a section of docs/theory.md.
#define _POSIX_C_SOURCE 200809L
#include <delassus/delassus.h>

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 512 };

static const char *source(void)
{
  const char *directory = getenv("DELASSUS_SOURCE");
  return directory ? directory : ".";
}

static char *read_whole(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be read", path);
  fseek(file, 0, SEEK_END);
  const size_t length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(length + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, length, file), length);
  text[length] = 0;
  fclose(file);
  return text;
}

// The text of section `number` of docs/theory.md; the caller frees it. NULL when there is none.
static char *section(int number)
{
  char path[PATH], heading[24];
  snprintf(path, sizeof path, "%s/docs/theory.md", source());
  snprintf(heading, sizeof heading, "\n## %d. ", number);
  char *theory = read_whole(path), *start = strstr(theory, heading), *found = NULL;
  if (start) {
    char *end = strstr(start + 1, "\n## ");
    found = strndup(start, end ? (size_t)(end - start) : strlen(start));
  }
  free(theory);
  return found;
}

static const dls_topic *find(const char *words)
{
  int others;
  const dls_topic *first, *second;
  return dls_topic_find(words, &others, &first, &second);
}

// ---- the topics --------------------------------------------------------------------------------

static void ten_lines_of_eighty(void **unused)
{
  (void)unused;
  assert_true(dls_topic_count() > DLS_QUESTION_COUNT);
  for (int i = 0; i < dls_topic_count(); i++) {
    at_case("i %d", i);
    const dls_topic *t = dls_topic_at(i);
    char *text;
    assert_int_equal(dls_topic_text(t, &text), DLS_OK);
    int lines = 0, columns = 0;
    for (const char *c = text; *c; c++) {
      columns = *c == '\n' ? 0 : columns + (((unsigned char)*c & 0xC0) != 0x80);
      lines += *c == '\n';
      if (columns > 80) fail_msg("%s: line %d is too wide", t->name, lines + 1);
    }
    if (lines > 10) fail_msg("%s takes %d lines:\n%s", t->name, lines, text);
    assert_true(lines >= 5);
    dls_report_text_free(text);
  }
  assert_null(dls_topic_at(dls_topic_count()));
  assert_null(dls_topic_at(-1));
}

static void every_question_has_one(void **unused)
{
  (void)unused;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    at_case("q %d", q);
    const dls_topic *t = dls_topic_at(q);
    assert_string_equal(t->name, dls_question_name((dls_question)q));
    assert_ptr_equal(find(t->name), t);
    assert_non_null(t->no);
  }
  for (int l = 0; l < DLS_LIMIT_COUNT; l++) {
    char name[60];
    snprintf(name, sizeof name, "friction.%s", dls_limit_text((dls_limit_name)l));
    const dls_topic *t = find(name);
    if (!t || strcmp(t->name, name) != 0) fail_msg("%s has no explanation", name);
  }
}

static void theory_has_the_section(void **unused)
{
  (void)unused;
  for (int i = 0; i < dls_topic_count(); i++) {
    at_case("i %d", i);
    const dls_topic *t = dls_topic_at(i);
    char *text = section(t->section), tag[40];
    if (!text) fail_msg("%s: no section %d", t->name, t->section);
    snprintf(tag, sizeof tag, "**(%s)**", t->equation);
    if (t->equation[0] && !strstr(text, tag))
      fail_msg("%s: (%s) is not in section %d", t->name, t->equation, t->section);
    // a question is named where it is defined
    if (t->section == 5 && t->no && !strstr(text, t->name))
      fail_msg("section 5 does not name %s", t->name);
    free(text);
  }
  assert_null(section(99));
}

// ---- finding -----------------------------------------------------------------------------------

static void lines_find_their_topic(void **unused)
{
  (void)unused;
  for (int i = 0; i < dls_topic_count(); i++) {
    const dls_topic *t = dls_topic_at(i);
    if (find(t->name) != t) fail_msg("%s is not found by its name", t->name);
    if (find(t->line) != t) fail_msg("%s is not found by \"%s\"", t->name, t->line);
    char also[400];
    snprintf(also, sizeof also, "%s", t->also);
    for (char *rest = also, *words; (words = strtok_r(rest, ";", &rest));)
      if (find(words) != t) fail_msg("%s is not found by \"%s\"", t->name, words);
  }
}

static void words_find_topics(void **unused)
{
  (void)unused;
  static const char *const cases[][2] = {
      {"force closure", "force_closure"},
      {"Force_Closure", "force_closure"},
      {"MFCQ", "mfcq"},
      {"  acceleration unique ", "acceleration_unique"},
      {"least_for_sticking", "friction.least_for_sticking"},
      {"sufficient", "friction.sufficient"},
      {"Is the acceleration unique?       yes  every motion has inertia", "acceleration_unique"},
      {"  Does an acceleration exist?       yes  found, and it fulfils the equations to rounding",
       "acceleration_exists"},
      {"Is the problem well posed?  (delassus explain QUESTION: what a line means)", "verdicts"},
      {"Motion  It is at rest, and nothing accelerates it. No other motion is", "headline.motion"},
      {"Forces  Not determined: left and right (hyperstatic; ranges below).", "headline.forces"},
      {"  left         unilateral  closed", "contacts"},
      {"  coordinates  y = 0, theta = 0", "contacts"},
      {"left     17.985         0 … 34.335 (not determined; shown: least norm)", "force_ranges"},
      {"wall     2.83752        0.851257       starts to slide", "mode"},
      {"Safe friction, for every load     up to 0.75 (TUT Prop. 13); lost at 1",
       "friction.sufficient"},
      {"energy       0.5 → 0.5; the contacts keep it", "impact.kinetic_energy"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const dls_topic *t = find(cases[k][0]);
    if (!t || strcmp(t->name, cases[k][1]) != 0)
      fail_msg("\"%s\" is %s, not %s", cases[k][0], t ? t->name : "not found", cases[k][1]);
  }
  assert_null(find("mfcqq"));
  assert_null(find(""));
  assert_null(find("?!"));
  assert_null(find("acceleration_uniqe"));
  char longest[2000];
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = 0;
  assert_null(find(longest));
}

static void several_are_not_one(void **unused)
{
  (void)unused;
  int others;
  const dls_topic *first, *second;
  assert_null(dls_topic_find("friction", &others, &first, &second));
  assert_int_equal(others, DLS_LIMIT_COUNT);
  assert_string_equal(first->name, "friction.sufficient");
  assert_string_equal(second->name, "friction.critical");
  assert_null(dls_topic_find("nothing of the kind", &others, &first, &second));
  assert_int_equal(others, 0);
}

// ---- what reports have -------------------------------------------------------------------------

// Keys that say what the report is about, or hold others.
static bool explains_itself(const char *key)
{
  static const char *const keys[] = {"model",      "title",       "state",    "time",
                                     "parameters", "coordinates", "q",        "v",
                                     "object",     "notes",       "verdicts", "friction"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (strcmp(keys[k], key) == 0) return true;
  return strncmp(key, "tolerance_", 10) == 0;
}

static int check_keys(const json_t *report, const char *file)
{
  const char *key;
  json_t *value;
  int count = 0;
  json_object_foreach((json_t *)report, key, value)
  {
    count++;
    if (!explains_itself(key) && !find(key)) fail_msg("%s: %s has no explanation", file, key);
  }
  json_object_foreach(json_object_get(report, "verdicts"), key, value)
  {
    const dls_topic *t = find(key);
    if (!t || strcmp(t->name, key) != 0) fail_msg("%s: %s has no explanation", file, key);
  }
  return count;
}

static void keys_of_reports_have_one(void **unused)
{
  (void)unused;
  char path[PATH];
  snprintf(path, sizeof path, "%s/test/golden", source());
  DIR *folder = opendir(path);
  assert_non_null(folder);
  int files = 0;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    at_case("%s", entry->d_name);
    if (!strstr(entry->d_name, ".json")) continue;
    char file[PATH + 300];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    json_t *report = json_load_file(file, 0, NULL);
    assert_non_null(report);
    assert_true(check_keys(report, entry->d_name) > 10);
    json_decref(report);
    files++;
  }
  closedir(folder);
  assert_true(files > 50);
}

static void json_has_it_all(void **unused)
{
  (void)unused;
  char *text;
  assert_int_equal(dls_topic_json(NULL, &text), DLS_OK);
  json_t *o = json_loads(text, 0, NULL);
  dls_report_text_free(text);
  const json_t *topics = json_object_get(o, "topics");
  assert_int_equal(json_array_size(topics), dls_topic_count());
  json_decref(o);
  assert_int_equal(dls_topic_json(find("mfcq"), &text), DLS_OK);
  o = json_loads(text, 0, NULL);
  dls_report_text_free(text);
  assert_string_equal(json_string_value(json_object_get(o, "name")), "mfcq");
  assert_int_equal(json_integer_value(json_object_get(o, "section")), 5);
  assert_string_equal(json_string_value(json_object_get(o, "equation")), "ver.4");
  assert_true(json_is_string(json_object_get(o, "yes")) &&
              json_is_string(json_object_get(o, "no")));
  json_decref(o);
}

// ---- theorems ----------------------------------------------------------------------------------

// "Prop. 7", "Theorem 1", "(61)": does the section have it? Returns where the number ends.
static const char *check_citation(const char *text, const char *kind, const char *from,
                                  const char *literal)
{
  const char *digits = from + strlen(kind);
  const size_t length = strspn(digits, "0123456789.");
  char wanted[60];
  snprintf(wanted, sizeof wanted, "%s%.*s%s", kind, (int)length, digits, kind[0] == '(' ? ")" : "");
  if (!strstr(text, wanted)) fail_msg("the section does not have %s: \"%s\"", wanted, literal);
  return digits + length;
}

static bool names_paper(const char *text)
{
  static const char *const papers[] = {"TUT ", "INC ", "STK ", "CVX "};
  for (size_t k = 0; k < sizeof papers / sizeof *papers; k++)
    if (strstr(text, papers[k])) return true;
  return false;
}

static void check_literal(const char *literal, int *count)
{
  static const char *const kinds[] = {"Prop. ", "Theorem ", "Corollary "};
  if (!names_paper(literal)) return;
  const char *link = strstr(literal, "theory §");
  if (!link) fail_msg("a theorem without its section: \"%s\"", literal);
  char *text = section(atoi(link + strlen("theory §")));
  if (!text) fail_msg("no such section: \"%s\"", literal);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (const char *at = literal; (at = strstr(at, kinds[k]));)
      at = check_citation(text, kinds[k], at, literal);
  // "STK (61), (65)": equations of papers
  for (const char *at = literal; (at = strchr(at, '('));)
    at = at[1] >= '0' && at[1] <= '9' ? check_citation(text, "(", at, literal) : at + 1;
  free(text);
  ++*count;
}

// Strings of a C file; neighbours make one.
static void check_file(const char *path, int *count)
{
  char *code = read_whole(path), literal[2000];
  size_t length = 0;
  for (const char *c = code; *c;) {
    if (c[0] == '/' && c[1] == '/') {
      c += strcspn(c, "\n");
    } else if (*c == '\'') {
      c += c[1] == '\\' ? 4 : 3;
    } else if (*c == '"') {
      for (c++; *c && *c != '"'; c++) {
        if (*c == '\\') literal[length++] = *c++;
        literal[length++] = *c;
        assert_true(length + 2 < sizeof literal);
      }
      c += *c == '"';
    } else {
      if (*c != ' ' && *c != '\n' && length) {
        literal[length] = 0, length = 0;
        check_literal(literal, count);
      }
      c++;
    }
  }
  free(code);
}

static void theorems_have_a_section(void **unused)
{
  (void)unused;
  static const char *const rooms[] = {"certify", "io", "solve"};
  int count = 0;
  for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
    at_case("%s", rooms[k]);
    char path[PATH];
    snprintf(path, sizeof path, "%s/src/%s", source(), rooms[k]);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
      const size_t length = strlen(entry->d_name);
      char file[PATH + 300];
      snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
      if (length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0) check_file(file, &count);
    }
    closedir(folder);
  }
  assert_true(count >= 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_lines_of_eighty),      cmocka_unit_test(every_question_has_one),
      cmocka_unit_test(theory_has_the_section),   cmocka_unit_test(lines_find_their_topic),
      cmocka_unit_test(words_find_topics),        cmocka_unit_test(several_are_not_one),
      cmocka_unit_test(keys_of_reports_have_one), cmocka_unit_test(json_has_it_all),
      cmocka_unit_test(theorems_have_a_section),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
