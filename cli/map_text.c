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

// The answer as a word: "yes", "2", "0.577", "unbounded", "none", "no state".
typedef struct short_text {
  char text[32];
} short_text;

static short_text word_at(const map_plan *plan, const map_answers *a, int ask, long point)
{
  short_text w = {"no state"};
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
  short_text word[WORDS_MAX];
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
    tally_word(&t, number ? "a number" : word_at(plan, a, ask, p).text);
    if (!number) continue;
    if (!(t.least <= value)) t.least = value, t.least_at = p;
    if (!(t.greatest >= value)) t.greatest = value, t.greatest_at = p;
  }
  // the most frequent first; among equals the first found
  for (int i = 1; i < t.words; i++) {
    for (int k = i; k > 0 && t.count[k] > t.count[k - 1]; k--) {
      const short_text word = t.word[k];
      const long count = t.count[k];
      t.word[k] = t.word[k - 1], t.count[k] = t.count[k - 1];
      t.word[k - 1] = word, t.count[k - 1] = count;
    }
  }
  return t;
}

// ---- for people ---------------------------------------------------------------------------------

void map_describe(buffer *out, const map_plan *plan, bool file)
{
  const char *at = model_file_at(plan->file), *set;
  if (file) buffer_add(out, "%s, ", plan->file->shown);
  buffer_add(out, "at %s", at ? at : "the initial values");
  for (int i = 0; (set = options_value(plan->file->options, "--set", i)); i++) {
    const int length = (int)strcspn(set, "=");
    buffer_add(out, "%s %.*s = %s", i ? "," : ", with", length, set, set + length + 1);
  }
}

static void add_place(buffer *out, const map_plan *plan, long point)
{
  for (int a = 0; a < plan->axes; a++) {
    const long index = a == 0 ? point % plan->nx : point / plan->nx;
    buffer_add(out, "%s%s = %.6g", a ? ", " : "", plan->axis[a].name,
               map_axis_value(&plan->axis[a], (int)index));
  }
}

static void add_axes(buffer *out, const map_plan *plan)
{
  for (int a = 0; a < plan->axes; a++) {
    const map_axis *x = &plan->axis[a];
    buffer_add(out, "%s %s from %.6g to %.6g in %d point%s%s", a ? "," : "over", x->name, x->low,
               x->high, x->count, x->count == 1 ? "" : "s", x->logarithmic ? ", logarithmic" : "");
  }
  buffer_add(out, "\n");
}

// Where the answer changes along the one axis: the stretches of equal ones.
static void add_stretches(buffer *out, const map_plan *plan, const map_answers *a, int ask)
{
  const map_axis *axis = &plan->axis[0];
  int lines = 0;
  for (int from = 0, to; from < plan->nx; from = to) {
    const short_text word = word_at(plan, a, ask, from);
    const bool number = plan->ask[ask].kind == ASK_NUMBER && isfinite(a->value[ask][from]);
    for (to = from + 1; to < plan->nx; to++) {
      const bool another = plan->ask[ask].kind == ASK_NUMBER && isfinite(a->value[ask][to]);
      if (number ? !another : strcmp(word_at(plan, a, ask, to).text, word.text) != 0) break;
    }
    if (++lines > CHANGES_MAX) {
      buffer_add(out, "    …\n");
      return;
    }
    buffer_add(out, "    %s = %.6g", axis->name, map_axis_value(axis, from));
    if (to - from > 1) buffer_add(out, " … %.6g", map_axis_value(axis, to - 1));
    buffer_add(out, ": %s", word.text);
    if (number && to - from > 1) buffer_add(out, " … %s", word_at(plan, a, ask, to - 1).text);
    buffer_add(out, "\n");
  }
}

void map_write_text(buffer *out, const map_plan *plan, const map_answers *a)
{
  const char *title = dls_model_title(plan->file->model);
  if (title[0]) buffer_add(out, "%s\n", title);
  map_describe(out, plan, true);
  if (plan->file->tolerance == plan->file->rest)
    buffer_add(out, "; below %g counts as zero\n", plan->file->tolerance);
  else
    buffer_add(out, "; gaps below %g and velocities below %g count as zero\n",
               plan->file->tolerance, plan->file->rest);
  add_axes(out, plan);
  for (int k = 0; k < plan->asks; k++) {
    const tally t = tally_of(plan, a, k);
    buffer_add(out, "\n%s\n", plan->ask[k].name);
    for (int i = 0; i < t.words; i++)
      buffer_add(out, "  %-10s %8ld  %5.1f %%\n", t.word[i].text, t.count[i],
                 100 * (double)t.count[i] / (double)point_count(plan));
    if (isfinite(t.least)) {
      buffer_add(out, "  least      %.6g at ", t.least);
      add_place(out, plan, t.least_at);
      buffer_add(out, "\n  greatest   %.6g at ", t.greatest);
      add_place(out, plan, t.greatest_at);
      buffer_add(out, "\n");
    }
    if (plan->axes == 1 && t.words > 0) {
      buffer_add(out, "  along %s\n", plan->axis[0].name);
      add_stretches(out, plan, a, k);
    }
  }
}

// ---- CSV ----------------------------------------------------------------------------------------

void map_write_csv(buffer *out, const map_plan *plan, const map_answers *a)
{
  for (int k = 0; k < plan->axes; k++) buffer_add(out, "%s,", plan->axis[k].name);
  for (int k = 0; k < plan->asks; k++) buffer_add(out, "%s%s", k ? "," : "", plan->ask[k].name);
  buffer_add(out, "\n");
  for (long p = 0; p < point_count(plan) && !out->failed; p++) {
    buffer_add(out, "%.17g,", map_axis_value(&plan->axis[0], (int)(p % plan->nx)));
    if (plan->axes > 1)
      buffer_add(out, "%.17g,", map_axis_value(&plan->axis[1], (int)(p / plan->nx)));
    for (int k = 0; k < plan->asks; k++) {
      const double value = a->value[k][p];
      if (k) buffer_add(out, ",");
      if (plan->ask[k].kind == ASK_VERDICT) buffer_add(out, "%s", word_at(plan, a, k, p).text);
      else if (isinf(value)) buffer_add(out, "inf");
      else if (!isnan(value)) buffer_add(out, "%.17g", value);
    }
    buffer_add(out, "\n");
  }
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_axis(buffer *out, const char *key, const map_axis *axis)
{
  buffer_add(out, "  \"%s\": {\"name\": ", key);
  buffer_json_string(out, axis->name);
  buffer_add(out, ", \"low\": %.17g, \"high\": %.17g, \"count\": %d, \"scale\": \"%s\",\n",
             axis->low, axis->high, axis->count, axis->logarithmic ? "log" : "linear");
  buffer_add(out, "    \"values\": [");
  for (int i = 0; i < axis->count; i++)
    buffer_add(out, "%s%.17g", i ? ", " : "", map_axis_value(axis, i));
  buffer_add(out, "]},\n");
}

static void json_value(buffer *out, const map_plan *plan, const map_answers *a, int ask, long p)
{
  const double value = a->value[ask][p];
  if (plan->ask[ask].kind != ASK_VERDICT) {
    buffer_json_number(out, value);
    return;
  }
  const char *name = a->no_state[p] ? "" : dls_answer_name((dls_answer)value);
  buffer_json_string(out, name[0] ? name : NULL);
}

// One array, or one per row along y.
static void json_values(buffer *out, const map_plan *plan, const map_answers *a, int ask)
{
  const bool rows = plan->axes > 1;
  buffer_add(out, "[");
  for (int j = 0; j < plan->ny && !out->failed; j++) {
    if (rows) buffer_add(out, "%s\n       [", j ? "," : "");
    for (int i = 0; i < plan->nx; i++) {
      if (i) buffer_add(out, ", ");
      json_value(out, plan, a, ask, (long)j * plan->nx + i);
    }
    if (rows) buffer_add(out, "]");
  }
  buffer_add(out, "]");
}

static void json_extremes(buffer *out, const tally *t)
{
  buffer_add(out, ",\n     \"least\": ");
  buffer_json_number(out, t->least);
  buffer_add(out, ", \"greatest\": ");
  buffer_json_number(out, t->greatest);
}

// Which of the nulls stand for infinity: indices of points, row by row.
static void json_unbounded(buffer *out, const map_plan *plan, const map_answers *a, int ask)
{
  bool first = true;
  buffer_add(out, ",\n     \"unbounded\": [");
  for (long p = 0; p < point_count(plan); p++) {
    if (!isinf(a->value[ask][p])) continue;
    buffer_add(out, "%s%ld", first ? "" : ", ", p);
    first = false;
  }
  buffer_add(out, "]");
}

static void json_question(buffer *out, const map_plan *plan, const map_answers *a, int ask)
{
  static const char *const kinds[] = {"verdict", "count", "number"};
  const tally t = tally_of(plan, a, ask);
  buffer_add(out, "    {\"ask\": \"%s\", \"kind\": \"%s\",\n     \"counts\": {",
             plan->ask[ask].name, kinds[plan->ask[ask].kind]);
  for (int i = 0; i < t.words; i++)
    buffer_add(out, "%s\"%s\": %ld", i ? ", " : "", t.word[i].text, t.count[i]);
  buffer_add(out, "}");
  if (plan->ask[ask].kind == ASK_NUMBER) {
    json_extremes(out, &t);
    json_unbounded(out, plan, a, ask);
  }
  buffer_add(out, ",\n     \"values\": ");
  json_values(out, plan, a, ask);
  buffer_add(out, "}");
}

static void json_no_state(buffer *out, const map_plan *plan, const map_answers *a)
{
  buffer_add(out, "  \"no_state\": {\"count\": %ld", a->without);
  if (a->without > 0) {
    buffer_add(out, ", \"first\": %ld, \"x\": %.17g", a->first,
               map_axis_value(&plan->axis[0], (int)(a->first % plan->nx)));
    if (plan->axes > 1)
      buffer_add(out, ", \"y\": %.17g", map_axis_value(&plan->axis[1], (int)(a->first / plan->nx)));
    buffer_add(out, ", \"message\": ");
    buffer_json_string(out, a->why.text);
  }
  buffer_add(out, "},\n");
}

void map_write_json(buffer *out, const map_plan *plan, const map_answers *a)
{
  model_file_json(out, plan->file);
  buffer_add(out, ",\n  \"tolerance\": %.17g,\n  \"tolerance_velocity\": %.17g,\n",
             plan->file->tolerance, plan->file->rest);
  json_axis(out, "x", &plan->axis[0]);
  if (plan->axes > 1) json_axis(out, "y", &plan->axis[1]);
  else buffer_add(out, "  \"y\": null,\n");
  buffer_add(out, "  \"points\": %ld,\n", point_count(plan));
  json_no_state(out, plan, a);
  buffer_add(out, "  \"questions\": [\n");
  for (int k = 0; k < plan->asks; k++) {
    if (k) buffer_add(out, ",\n");
    json_question(out, plan, a, k);
  }
  buffer_add(out, "\n  ]\n}\n");
}
