// The answers of a map as text for people, as CSV and as JSON.
#include "map.h"

#include <delassus/check.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANGES_MAX = 30, WORDS_MAX = 40 };

static long point_count(const map_plan *plan)
{
  return (long)plan->nx * plan->ny;
}

map_word map_word_at(const map_plan *plan, const map_answers *a, int ask, long point)
{
  map_word w = {"no state"};
  const double value = a->value[ask][point];
  const ask_kind kind = plan->ask[ask].kind;
  if (a->no_state[point]) return w;
  if (kind == ASK_VERDICT) {
    const char *name = dls_answer_name((dls_answer)value);
    snprintf(w.text, sizeof w.text, "%s", name[0] ? name : "not asked");
  } else if (isnan(value)) {
    snprintf(w.text, sizeof w.text, kind == ASK_COUNT ? "not known" : "none");
  } else if (isinf(value)) {
    snprintf(w.text, sizeof w.text, "unbounded");
  } else {
    snprintf(w.text, sizeof w.text, kind == ASK_COUNT ? "%.0f" : "%.6g", value);
  }
  return w;
}

// ---- how often each answer occurs ---------------------------------------------------------------

// Numbers count as one word.
typedef struct tally {
  int words;
  map_word word[WORDS_MAX];
  long count[WORDS_MAX];
  double least, greatest;  // of finite numbers; NaN when there is none
  long least_at, greatest_at;
} tally;

static void tally_word(tally *t, const char *word)
{
  int k = 0;
  while (k < t->words && strcmp(t->word[k].text, word) != 0) k++;
  if (k == t->words) {
    if (k == WORDS_MAX) return;  // counts beyond any that are enumerated
    snprintf(t->word[t->words++].text, sizeof t->word[0].text, "%s", word);
  }
  t->count[k]++;
}

static tally tally_of(const map_plan *plan, const map_answers *a, int ask)
{
  tally t = {.least = (double)NAN, .greatest = (double)NAN};
  for (long p = 0; p < point_count(plan); p++) {
    const double value = a->value[ask][p];
    const bool number = plan->ask[ask].kind == ASK_NUMBER && isfinite(value) && !a->no_state[p];
    tally_word(&t, number ? "a number" : map_word_at(plan, a, ask, p).text);
    if (!number) continue;
    if (!(t.least <= value)) t.least = value, t.least_at = p;
    if (!(t.greatest >= value)) t.greatest = value, t.greatest_at = p;
  }
  // the most frequent first; among equals the first found
  for (int i = 1; i < t.words; i++) {
    for (int k = i; k > 0 && t.count[k] > t.count[k - 1]; k--) {
      const map_word word = t.word[k];
      const long count = t.count[k];
      t.word[k] = t.word[k - 1], t.count[k] = t.count[k - 1];
      t.word[k - 1] = word, t.count[k - 1] = count;
    }
  }
  return t;
}

// ---- for people ---------------------------------------------------------------------------------

void map_describe(growing *out, const map_plan *plan, bool file)
{
  const char *at = model_file_at(plan->file), *set;
  if (file) growing_add(out, "%s, ", plan->file->shown);
  growing_add(out, "at %s", at ? at : "the initial values");
  for (int i = 0; (set = options_value(plan->file->options, "--set", i)); i++) {
    const int length = (int)strcspn(set, "=");
    growing_add(out, "%s %.*s = %s", i ? "," : ", with", length, set, set + length + 1);
  }
}

static void add_place(growing *out, const map_plan *plan, long point)
{
  for (int a = 0; a < plan->axes; a++) {
    const long index = a == 0 ? point % plan->nx : point / plan->nx;
    growing_add(out, "%s%s = %.6g", a ? ", " : "", plan->axis[a].name,
                map_axis_value(&plan->axis[a], (int)index));
  }
}

static void add_axes(growing *out, const map_plan *plan)
{
  for (int a = 0; a < plan->axes; a++) {
    const map_axis *x = &plan->axis[a];
    growing_add(out, "%s %s from %.6g to %.6g in %d point%s%s", a ? "," : "over", x->name, x->low,
                x->high, x->count, x->count == 1 ? "" : "s", x->logarithmic ? ", logarithmic" : "");
  }
  growing_add(out, "\n");
}

// Where the answer changes along the one axis: the stretches of equal ones.
static void add_stretches(growing *out, const map_plan *plan, const map_answers *a, int ask)
{
  const map_axis *axis = &plan->axis[0];
  int lines = 0;
  for (int from = 0, to; from < plan->nx; from = to) {
    const map_word word = map_word_at(plan, a, ask, from);
    const bool number = plan->ask[ask].kind == ASK_NUMBER && isfinite(a->value[ask][from]);
    for (to = from + 1; to < plan->nx; to++) {
      const bool another = plan->ask[ask].kind == ASK_NUMBER && isfinite(a->value[ask][to]);
      if (number ? !another : strcmp(map_word_at(plan, a, ask, to).text, word.text) != 0) break;
    }
    if (++lines > CHANGES_MAX) {
      growing_add(out, "    …\n");
      return;
    }
    growing_add(out, "    %s = %.6g", axis->name, map_axis_value(axis, from));
    if (to - from > 1) growing_add(out, " … %.6g", map_axis_value(axis, to - 1));
    growing_add(out, ": %s", word.text);
    if (number && to - from > 1) growing_add(out, " … %s", map_word_at(plan, a, ask, to - 1).text);
    growing_add(out, "\n");
  }
}

void map_write_text(growing *out, const map_plan *plan, const map_answers *a)
{
  const char *title = dls_model_title(plan->file->model);
  if (title[0]) growing_add(out, "%s\n", title);
  map_describe(out, plan, true);
  if (plan->file->tolerance == plan->file->rest)
    growing_add(out, "; below %g counts as zero\n", plan->file->tolerance);
  else
    growing_add(out, "; gaps below %g and velocities below %g count as zero\n",
                plan->file->tolerance, plan->file->rest);
  add_axes(out, plan);
  for (int k = 0; k < plan->asks; k++) {
    const tally t = tally_of(plan, a, k);
    growing_add(out, "\n%s\n", plan->ask[k].name);
    for (int i = 0; i < t.words; i++)
      growing_add(out, "  %-10s %8ld  %5.1f %%\n", t.word[i].text, t.count[i],
                  100 * (double)t.count[i] / (double)point_count(plan));
    if (isfinite(t.least)) {
      growing_add(out, "  least      %.6g at ", t.least);
      add_place(out, plan, t.least_at);
      growing_add(out, "\n  greatest   %.6g at ", t.greatest);
      add_place(out, plan, t.greatest_at);
      growing_add(out, "\n");
    }
    if (plan->axes == 1 && t.words > 0) {
      growing_add(out, "  along %s\n", plan->axis[0].name);
      add_stretches(out, plan, a, k);
    }
  }
}

// ---- CSV ----------------------------------------------------------------------------------------

void map_write_csv(growing *out, const map_plan *plan, const map_answers *a)
{
  for (int k = 0; k < plan->axes; k++) growing_add(out, "%s,", plan->axis[k].name);
  for (int k = 0; k < plan->asks; k++) growing_add(out, "%s%s", k ? "," : "", plan->ask[k].name);
  growing_add(out, "\n");
  for (long p = 0; p < point_count(plan) && !out->failed; p++) {
    growing_add(out, "%.17g,", map_axis_value(&plan->axis[0], (int)(p % plan->nx)));
    if (plan->axes > 1)
      growing_add(out, "%.17g,", map_axis_value(&plan->axis[1], (int)(p / plan->nx)));
    for (int k = 0; k < plan->asks; k++) {
      const double value = a->value[k][p];
      if (k) growing_add(out, ",");
      if (plan->ask[k].kind == ASK_VERDICT) growing_add(out, "%s", map_word_at(plan, a, k, p).text);
      else if (isinf(value)) growing_add(out, "inf");
      else if (!isnan(value)) growing_add(out, "%.17g", value);
    }
    growing_add(out, "\n");
  }
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_axis(growing *out, const char *key, const map_axis *axis)
{
  growing_add(out, "  \"%s\": {\"name\": ", key);
  growing_json_string(out, axis->name);
  growing_add(out, ", \"low\": %.17g, \"high\": %.17g, \"count\": %d, \"scale\": \"%s\",\n",
              axis->low, axis->high, axis->count, axis->logarithmic ? "log" : "linear");
  growing_add(out, "    \"values\": [");
  for (int i = 0; i < axis->count; i++)
    growing_add(out, "%s%.17g", i ? ", " : "", map_axis_value(axis, i));
  growing_add(out, "]},\n");
}

static void json_value(growing *out, const map_plan *plan, const map_answers *a, int ask, long p)
{
  const double value = a->value[ask][p];
  if (plan->ask[ask].kind != ASK_VERDICT) {
    growing_json_number(out, value);
    return;
  }
  const char *name = a->no_state[p] ? "" : dls_answer_name((dls_answer)value);
  growing_json_string(out, name[0] ? name : NULL);
}

// One array, or one per row along y.
static void json_values(growing *out, const map_plan *plan, const map_answers *a, int ask)
{
  const bool rows = plan->axes > 1;
  growing_add(out, "[");
  for (int j = 0; j < plan->ny && !out->failed; j++) {
    if (rows) growing_add(out, "%s\n       [", j ? "," : "");
    for (int i = 0; i < plan->nx; i++) {
      if (i) growing_add(out, ", ");
      json_value(out, plan, a, ask, (long)j * plan->nx + i);
    }
    if (rows) growing_add(out, "]");
  }
  growing_add(out, "]");
}

static void json_extremes(growing *out, const tally *t)
{
  growing_add(out, ",\n     \"least\": ");
  growing_json_number(out, t->least);
  growing_add(out, ", \"greatest\": ");
  growing_json_number(out, t->greatest);
}

// Which of the nulls stand for infinity: indices of points, row by row.
static void json_unbounded(growing *out, const map_plan *plan, const map_answers *a, int ask)
{
  bool first = true;
  growing_add(out, ",\n     \"unbounded\": [");
  for (long p = 0; p < point_count(plan); p++) {
    if (!isinf(a->value[ask][p])) continue;
    growing_add(out, "%s%ld", first ? "" : ", ", p);
    first = false;
  }
  growing_add(out, "]");
}

static void json_question(growing *out, const map_plan *plan, const map_answers *a, int ask)
{
  static const char *const kinds[] = {"verdict", "count", "number"};
  const tally t = tally_of(plan, a, ask);
  growing_add(out, "    {\"ask\": \"%s\", \"kind\": \"%s\",\n     \"counts\": {",
              plan->ask[ask].name, kinds[plan->ask[ask].kind]);
  for (int i = 0; i < t.words; i++)
    growing_add(out, "%s\"%s\": %ld", i ? ", " : "", t.word[i].text, t.count[i]);
  growing_add(out, "}");
  if (plan->ask[ask].kind == ASK_NUMBER) {
    json_extremes(out, &t);
    json_unbounded(out, plan, a, ask);
  }
  growing_add(out, ",\n     \"values\": ");
  json_values(out, plan, a, ask);
  growing_add(out, "}");
}

static void json_no_state(growing *out, const map_plan *plan, const map_answers *a)
{
  growing_add(out, "  \"no_state\": {\"count\": %ld", a->without);
  if (a->without > 0) {
    growing_add(out, ", \"first\": %ld, \"x\": %.17g", a->first,
                map_axis_value(&plan->axis[0], (int)(a->first % plan->nx)));
    if (plan->axes > 1)
      growing_add(out, ", \"y\": %.17g",
                  map_axis_value(&plan->axis[1], (int)(a->first / plan->nx)));
    growing_add(out, ", \"message\": ");
    growing_json_string(out, a->why.text);
  }
  growing_add(out, "},\n");
}

void map_write_json(growing *out, const map_plan *plan, const map_answers *a)
{
  growing_add(out, "{\n  \"model\": ");
  growing_json_string(out, plan->file->shown);
  growing_add(out, ",\n  \"title\": ");
  growing_json_string(out, dls_model_title(plan->file->model));
  growing_add(out, ",\n  \"state\": ");
  growing_json_string(out, model_file_at(plan->file));
  growing_add(out, ",\n  \"tolerance\": %.17g,\n  \"tolerance_velocity\": %.17g,\n",
              plan->file->tolerance, plan->file->rest);
  json_axis(out, "x", &plan->axis[0]);
  if (plan->axes > 1) json_axis(out, "y", &plan->axis[1]);
  else growing_add(out, "  \"y\": null,\n");
  growing_add(out, "  \"points\": %ld,\n", point_count(plan));
  json_no_state(out, plan, a);
  growing_add(out, "  \"questions\": [\n");
  for (int k = 0; k < plan->asks; k++) {
    if (k) growing_add(out, ",\n");
    json_question(out, plan, a, k);
  }
  growing_add(out, "\n  ]\n}\n");
}
