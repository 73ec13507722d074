// What became of a report's claims: one JSON object for programs, a table for people.
#include <delassus/verify.h>

#include "io/json_print.h"
#include "io/report_build.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100 };

// ---- JSON --------------------------------------------------------------------------------------

static json_t *claim(dls_build *b, const dls_finding *f)
{
  json_t *o = json_object();
  if (f->answer[0]) dls_build_put(b, o, "answer", dls_build_string(b, f->answer));
  dls_build_put(b, o, "holds",
                f->found == DLS_FOUND_NOTHING || f->found == DLS_FOUND_UNPROVEN
                    ? json_null()
                    : json_boolean(f->found == DLS_FOUND_HOLDS));
  dls_build_put(b, o, "proves", f->proves[0] ? dls_build_string(b, f->proves) : json_null());
  if (f->why[0]) dls_build_put(b, o, "why", dls_build_string(b, f->why));
  dls_build_put(b, o, "residual", dls_build_number(f->residual));
  dls_build_put(b, o, "limit", dls_build_number(f->limit));
  return o;
}

// Claims of one group: an object by name, an array for the solutions, or the only one.
static void put_group(dls_build *b, json_t *o, const dls_verification *v, const char *group)
{
  const bool array = strcmp(group, "solutions") == 0;
  json_t *all = NULL;
  for (int k = 0; k < v->findings; k++) {
    const dls_finding *f = &v->finding[k];
    if (strcmp(f->group, group) != 0) continue;
    if (!f->name[0]) {
      dls_build_put(b, o, group, claim(b, f));
      return;
    }
    if (!all) all = array ? json_array() : json_object();
    if (!array) dls_build_put(b, all, f->name, claim(b, f));
    else dls_build_append(b, all, claim(b, f));
  }
  if (!all) all = array ? json_array() : json_object();
  dls_build_put(b, o, group, all);
}

static json_t *parameters(dls_build *b, const dls_verification *v)
{
  json_t *o = json_object();
  for (int k = 0; k < v->parameters; k++)
    dls_build_put(b, o, v->parameter[k].name, dls_build_number(v->parameter[k].value));
  return o;
}

dls_status dls_verification_json(const dls_verification *v, const char *report, const char *model,
                                 char **text)
{
  static const char *const groups[] = {
      "contacts",       "verdicts", "solutions",    "solution_count",
      "continuum",      "delassus", "force_ranges", "friction",
      "impact",         "mass",     "constraints",  "delassus_unconstrained",
      "kinetic_angles", "gauss",    "reduced",      "unproven"};
  if (!text) return DLS_ERR_ARGUMENT;
  *text = NULL;
  if (!v) return DLS_ERR_ARGUMENT;
  dls_build b = {0};
  json_t *o = json_object();
  dls_build_put(&b, o, "model", dls_build_string(&b, model));
  dls_build_put(&b, o, "report", dls_build_string(&b, report));
  dls_build_put(&b, o, "holds", json_boolean(v->holds));
  dls_build_put(&b, o, "difference", dls_build_string(&b, v->difference));
  dls_build_put(&b, o, "tolerance", dls_build_number(v->tolerance));
  dls_build_put(&b, o, "numbers_proven", json_integer(v->proven));
  dls_build_put(&b, o, "numbers_unproven", json_integer(v->unproven));
  dls_build_put(&b, o, "parameters", parameters(&b, v));
  for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) put_group(&b, o, v, groups[k]);
  return dls_json_text(o, !b.failed, text);
}

// ---- text --------------------------------------------------------------------------------------

typedef struct page {
  dls_text text;
  bool colour;
} page;

static void style(page *p, const char *code)
{
  if (p->colour) dls_text_add(&p->text, "\033[%sm", code);
}

// "mfcq", "solution 1", "Delassus matrix", "range of wall", "friction, critical", "impact, newton"
static void claim_name(dls_text *text, const dls_finding *f)
{
  if (strcmp(f->group, "solutions") == 0) dls_text_add(text, "solution ");
  else if (strcmp(f->group, "solution_count") == 0) dls_text_add(text, "number of solutions");
  else if (strcmp(f->group, "delassus") == 0) dls_text_add(text, "Delassus matrix");
  else if (strcmp(f->group, "force_ranges") == 0) dls_text_add(text, "range of ");
  else if (strcmp(f->group, "continuum") == 0) dls_text_add(text, "continuum ");
  else if (strcmp(f->group, "mass") == 0) dls_text_add(text, "mass matrix");
  else if (strcmp(f->group, "constraints") == 0) dls_text_add(text, "gradients");
  else if (strcmp(f->group, "contacts") == 0) dls_text_add(text, "no other contacts");
  else if (strcmp(f->group, "delassus_unconstrained") == 0)
    dls_text_add(text, "Delassus matrix, all");
  else if (strcmp(f->group, "kinetic_angles") == 0) dls_text_add(text, "kinetic angles");
  else if (strcmp(f->group, "gauss") == 0) dls_text_add(text, "Gauss' principle");
  else if (strcmp(f->group, "reduced") == 0) dls_text_add(text, "reduced coordinates");
  else if (strcmp(f->group, "friction") == 0) dls_text_add(text, "friction, ");
  else if (strcmp(f->group, "impact") == 0 && strncmp(f->name, "moreau", 6) != 0)
    dls_text_add(text, "impact, ");
  dls_text_clean(text, f->name, 40);
}

static void row(page *p, const dls_finding *f)
{
  enum { NAME = 24, ANSWER = 9, FOUND = 5, INDENT = NAME + ANSWER + FOUND + 8 };
  static const char *const colours[] = {"32", "31", "33", "33"};
  static const char *const marks[] = {"holds", "FAILS", "-", "open"};
  dls_text name = {0}, words = {0};
  claim_name(&name, f);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, name.data ? name.data : "", NAME);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, f->answer, ANSWER);
  dls_text_add(&p->text, "  ");
  style(p, colours[f->found]);
  dls_text_pad(&p->text, marks[f->found], FOUND);
  style(p, "0");
  dls_text_clean(&words, f->why[0] ? f->why : f->proves, 1000);
  if (f->found == DLS_FOUND_NOTHING) dls_text_add(&words, "nothing to check");
  if (words.data) {
    dls_text_add(&p->text, "  ");
    dls_text_wrap(&p->text, words.data, INDENT, INDENT, WIDTH);
  }
  dls_text_add(&p->text, "\n");
  p->text.failed |= name.failed || words.failed;
  dls_text_free(&name), dls_text_free(&words);
}

// "force", "impulse"; NULL when it is no range.
static const char *range_of(const dls_finding *f)
{
  if (strcmp(f->group, "force_ranges") == 0) return "force";
  const bool impact = strcmp(f->group, "impact") == 0;
  return impact && strncmp(f->name, "percussion_ranges.", 18) == 0 ? "impulse" : NULL;
}

// One line for all ranges of which the same was found.
static void ranges(page *p, const dls_verification *v, const char *what, dls_found found,
                   const char *words)
{
  int count = 0;
  for (int k = 0; k < v->findings; k++) {
    const char *of = range_of(&v->finding[k]);
    count += of && strcmp(of, what) == 0 && v->finding[k].found == found;
  }
  char name[40];
  snprintf(name, sizeof name, "%d %s range%s", count, what, count == 1 ? "" : "s");
  const dls_finding all = {
      .group = "", .name = name, .answer = "", .found = found, .proves = words, .why = ""};
  if (count > 0) row(p, &all);
}

static void header(page *p, const dls_verification *v, const char *report, const char *model)
{
  style(p, "1");
  dls_text_add(&p->text, "Claims of ");
  dls_text_clean(&p->text, report ? report : "a report", 80);
  if (model) {
    dls_text_add(&p->text, " about ");
    dls_text_clean(&p->text, model, 80);
  }
  style(p, "0");
  dls_text_add(&p->text, "\n");
  for (int k = 0; k < v->parameters; k++) {
    const dls_parameter *q = &v->parameter[k];
    dls_text_add(&p->text, "  with ");
    dls_text_clean(&p->text, q->name, 40);
    dls_text_add(&p->text, " = %s (the model says %s)\n", dls_number(q->value).text,
                 dls_number(q->of_model).text);
  }
}

static bool is_unproven(const dls_finding *f)
{
  return strcmp(f->group, "unproven") == 0;
}

// The keys of numbers that nothing proves, in a sentence.
static void unproven(page *p, const dls_verification *v)
{
  dls_text words = {0};
  for (int k = 0; k < v->findings; k++) {
    if (!is_unproven(&v->finding[k])) continue;
    dls_text_add(&words, words.data ? ", " : "Not proven: ");
    dls_text_clean(&words, v->finding[k].name, 60);
  }
  if (words.data) {
    dls_text_wrap(&p->text, words.data, 0, 4, WIDTH);
    dls_text_add(&p->text, "\n");
  }
  p->text.failed |= words.failed;
  dls_text_free(&words);
}

static void summary(page *p, const dls_verification *v)
{
  int count[4] = {0};
  for (int k = 0; k < v->findings; k++)
    if (!is_unproven(&v->finding[k])) count[v->finding[k].found]++;
  dls_text_add(&p->text, "\n%d claims hold, %d fail, %d claim nothing", count[DLS_FOUND_HOLDS],
               count[DLS_FOUND_FAILS], count[DLS_FOUND_NOTHING]);
  if (count[DLS_FOUND_UNPROVEN])
    dls_text_add(&p->text, ", %d are left open", count[DLS_FOUND_UNPROVEN]);
  dls_text_add(&p->text, "; equations hold to %s\n", dls_number(v->tolerance).text);
  if (v->holds)
    dls_text_add(&p->text, "%d numbers are proven, %d are not\n", v->proven, v->unproven);
  unproven(p, v);
}

dls_status dls_verification_text(const dls_verification *v, const char *report, const char *model,
                                 bool colour, char **text)
{
  if (!text) return DLS_ERR_ARGUMENT;
  *text = NULL;
  if (!v) return DLS_ERR_ARGUMENT;
  page p = {.colour = colour};
  header(&p, v, report, model);
  if (v->difference) {
    dls_text words = {0};
    dls_text_clean(&words, v->difference, 1000);
    dls_text_add(&p.text, "  The report is not about this model: ");
    if (words.data) dls_text_wrap(&p.text, words.data, 38, 4, WIDTH);
    dls_text_add(&p.text, "\n");
    p.text.failed |= words.failed;
    dls_text_free(&words);
  }
  for (int k = 0; k < v->findings; k++)
    if (!is_unproven(&v->finding[k]) &&
        (!range_of(&v->finding[k]) || v->finding[k].found == DLS_FOUND_FAILS))
      row(&p, &v->finding[k]);
  ranges(&p, v, "force", DLS_FOUND_HOLDS,
         "both ends: forces that have them, and multipliers that allow no more");
  ranges(&p, v, "force", DLS_FOUND_UNPROVEN,
         "an end is not proven, or the set is too large to be checked");
  ranges(&p, v, "impulse", DLS_FOUND_HOLDS,
         "both ends: impulses that have them, and multipliers that allow no more");
  ranges(&p, v, "impulse", DLS_FOUND_UNPROVEN,
         "an end is not proven, or the set is too large to be checked");
  if (!v->difference) summary(&p, v);
  if (p.text.failed) {
    dls_text_free(&p.text);
    return DLS_ERR_MEMORY;
  }
  *text = p.text.data;
  return DLS_OK;
}
