// Whether an incremental problem has a solution: JSON for programs, a few lines for people.
#include "io/solvable_report.h"

#include "io/json_print.h"
#include "base/text.h"

#include <math.h>

enum { WIDTH = 100 };

static const struct {
  unsigned bit;
  const char *name;
} criteria[] = {{DLS_CRITERION_INTERIOR, "4.1"},
                {DLS_CRITERION_CLOSED, "4.4"},
                {DLS_CRITERION_CLOSURE, "4.6"},
                {DLS_CRITERION_ANY_LOAD, "5.1"}};

// ---- JSON --------------------------------------------------------------------------------------

static json_t *one_case(dls_build *b, const dls_solvable *s, const dls_solvable_leaf *leaf)
{
  json_t *o = json_object(), *modes = json_array();
  for (int i = 0; i < s->contacts; i++)
    dls_build_append(b, modes, json_string(dls_solvable_mode_name(leaf->mode[i])));
  dls_build_put(b, o, "modes", modes);
  dls_build_put(b, o, "y", dls_build_numbers(b, leaf->y, s->rows));
  if (leaf->p) dls_build_put(b, o, "p", dls_build_numbers(b, leaf->p, s->dof));
  return o;
}

static json_t *witness(dls_build *b, const dls_solvable *s)
{
  if (!s->shows) return json_null();
  json_t *o = json_object();
  dls_build_put(b, o, "shows", dls_build_string(b, s->shows));
  if (s->x) dls_build_put(b, o, "x", dls_build_numbers(b, s->x, s->rows));
  if (s->v) dls_build_put(b, o, "v", dls_build_numbers(b, s->v, s->dof));
  if (s->r) dls_build_put(b, o, "r", dls_build_numbers(b, s->r, s->rows));
  if (s->leaves > 0) {
    json_t *cases = json_array();
    for (int k = 0; k < s->leaves; k++) dls_build_append(b, cases, one_case(b, s, &s->leaf[k]));
    dls_build_put(b, o, "cases", cases);
  }
  return o;
}

json_t *dls_build_solvable(dls_build *b, const dls_solvable *s)
{
  json_t *o = json_object(), *met = json_array();
  dls_build_put(b, o, "answer", json_string(dls_answer_name(s->answer)));
  dls_build_put(b, o, "by", dls_build_string(b, s->by));
  for (size_t k = 0; k < sizeof criteria / sizeof *criteria; k++)
    if (s->criterion & criteria[k].bit) dls_build_append(b, met, json_string(criteria[k].name));
  dls_build_put(b, o, "criteria", met);
  dls_build_put(b, o, "margin", dls_build_number(s->margin));
  // null: all impulses are excluded, or there is no such claim
  if (s->answer == DLS_NO) dls_build_put(b, o, "bound", dls_build_number(s->bound));
  if (s->answer == DLS_YES && s->x) dls_build_put(b, o, "shift", dls_build_number(s->shift));
  dls_build_put(b, o, "witness", witness(b, s));
  return o;
}

dls_status dls_solvable_json(const dls_solvable *s, char **text)
{
  if (!text) return DLS_ERR_ARGUMENT;
  *text = NULL;
  if (!s) return DLS_ERR_ARGUMENT;
  dls_build b = {0};
  json_t *o = dls_build_solvable(&b, s);
  return dls_json_text(o, !b.failed, text);
}

// ---- text --------------------------------------------------------------------------------------

dls_status dls_solvable_text(const dls_solvable *s, char **text)
{
  if (!text) return DLS_ERR_ARGUMENT;
  *text = NULL;
  if (!s) return DLS_ERR_ARGUMENT;
  static const char *const heads[] = {"", "a solution exists: ", "no solution exists: ",
                                      "whether a solution exists is undecided: "};
  dls_text out = {0}, words = {0};
  dls_text_add(&words, "%s%s", heads[s->answer], s->by);
  if (s->answer == DLS_NO && isfinite(s->bound))
    dls_text_add(&words, " (%s times |q| / |W|)", dls_number(s->bound).text);
  if (s->criterion & DLS_CRITERION_ANY_LOAD)
    dls_text_add(&words, "; so does one for every load (CVX (5.1), theory §15)");
  if (words.data) dls_text_wrap(&out, words.data, 0, 2, WIDTH);
  dls_text_add(&out, "\n");
  if (isfinite(s->margin)) dls_text_add(&out, "  margin %s\n", dls_number(s->margin).text);
  const bool failed = out.failed || words.failed;
  dls_text_free(&words);
  if (failed) dls_text_free(&out);
  *text = failed ? NULL : out.data;
  return failed ? DLS_ERR_MEMORY : DLS_OK;
}
