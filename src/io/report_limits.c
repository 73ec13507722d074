// The limits of friction in the report for people.
#include "io/report_page.h"

#include <math.h>

static void add_by(dls_text *words, const char *before, const char *by, const char *after)
{
  if (!by || !by[0]) return;
  dls_text_add(words, "%s", before);
  dls_text_clean(words, by, 120);
  dls_text_add(words, "%s", after);
}

static void add_unknown(dls_text *words, const dls_limit *l)
{
  dls_text_add(words, "not known");
  add_by(words, ": ", l->by, "");
}

static bool has_bracket(const dls_limit *l)
{
  return isfinite(l->low) && isfinite(l->high);
}

// "up to 0.7153 (TUT Prop. 9)"
static void sufficient_words(dls_text *words, const dls_limit *l)
{
  if (isnan(l->value)) {
    add_unknown(words, l);
    return;
  }
  if (isinf(l->value)) dls_text_add(words, "any");
  else dls_text_add(words, "up to %s", dls_number(l->value).text);
  add_by(words, " (", l->by, ")");
}

// "lost at 1.4617"
static void critical_words(dls_text *words, const dls_limit *l)
{
  if (isinf(l->value)) {
    dls_text_add(words, "never lost");
  } else if (!isnan(l->value)) {
    dls_text_add(words, "lost at %s", dls_number(l->value).text);
  } else if (has_bracket(l)) {
    dls_text_add(words, "lost between %s and %s", dls_number(l->low).text,
                 dls_number(l->high).text);
  } else {
    dls_text_add(words, "where it is lost is ");
    add_unknown(words, l);
  }
}

static void least_words(dls_text *words, const dls_limit *l)
{
  if (isinf(l->value)) {
    dls_text_add(words, "no friction is enough");
  } else if (!isnan(l->value)) {
    dls_text_add(words, "%s%s", l->attained == DLS_NO ? "more than " : "",
                 dls_number(l->value).text);
  } else if (has_bracket(l)) {
    dls_text_add(words, "between %s and %s", dls_number(l->low).text, dls_number(l->high).text);
  } else {
    add_unknown(words, l);
    return;
  }
  add_by(words, " (", l->by, ")");
}

static void row(dls_page *p, const char *label, dls_text *words)
{
  enum { COLUMN = 34 };  // under the questions
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, label, COLUMN);
  dls_page_wrapped(p, words, COLUMN + 2, COLUMN + 2);
}

void dls_page_limits(dls_page *p)
{
  const dls_limit *sufficient = &p->report->check->limit[DLS_LIMIT_SUFFICIENT];
  const dls_limit *critical = &p->report->check->limit[DLS_LIMIT_CRITICAL];
  const dls_limit *least = &p->report->check->limit[DLS_LIMIT_LEAST];
  if (!sufficient->asked && !critical->asked && !least->asked) return;
  dls_page_heading(p, "Friction, when all contacts have the same");
  if (sufficient->asked || critical->asked) {
    dls_text words = {0};
    if (sufficient->asked) sufficient_words(&words, sufficient);
    if (sufficient->asked && critical->asked) dls_text_add(&words, "; ");
    if (critical->asked) critical_words(&words, critical);
    row(p, "Safe friction, for every load", &words);
  }
  if (least->asked) {
    dls_text words = {0};
    least_words(&words, least);
    row(p, "Least friction for all to stick", &words);
  }
}
