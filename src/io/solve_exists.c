// Whether the problem has a solution at all, as the report of solving says it.
#include "io/solvable_report.h"
#include "io/solve_parts.h"

#include <math.h>

bool dls_solve_has_verdict(const dls_solve_summary *s)
{
  return s->existence || s->solvable || s->existence_missing;
}

static dls_answer proven(const dls_solve_summary *s)
{
  if (s->solvable) return s->solvable->answer;
  if (s->existence) return s->existence->answer;
  return s->existence_missing ? DLS_UNDECIDED : DLS_NOT_ASKED;
}

// A proof that there is none, and a point that is good enough all the same: data that differ from
// these by about the tolerance have a solution. Neither a yes nor a no tells that.     eq (slv.9)
static bool is_near(const dls_solve_summary *s)
{
  if (proven(s) != DLS_NO) return false;
  for (int k = 0; k < s->runs; k++)
    if (dls_solve_run_converged(&s->run[k])) return true;
  return false;
}

dls_answer dls_solve_answer(const dls_solve_summary *s)
{
  return is_near(s) ? DLS_UNDECIDED : proven(s);
}

// Whether the proof leaves no impulses out, however large.
static bool is_whole(const dls_solve_summary *s)
{
  return !s->solvable || isinf(s->solvable->bound);
}

static const char *reason(const dls_solve_summary *s)
{
  if (s->solvable) return s->solvable->by;
  return s->existence ? s->existence->by : s->existence_missing;
}

// The reason, and where a proof and a point stand beside each other how they go together.
static void add_reason(dls_text *words, const dls_solve_summary *s)
{
  const char *by = reason(s);
  if (is_near(s) && is_whole(s))
    dls_text_add(words, "the data exactly as they stand have no solution, but with changes of the "
                        "size of the tolerance they have one, as the point that was found shows; "
                        "the proof for the exact data: ");
  else if (is_near(s))
    dls_text_add(words, "the point that was found solves the problem within the tolerance; beside "
                        "that it is shown: ");
  dls_text_add(words, "%s", by ? by : "no reason is known");
}

// ---- JSON --------------------------------------------------------------------------------------

static json_t *leaf_object(dls_build *b, const dls_lcp_leaf *leaf, int n)
{
  json_t *o = json_object(), *choice = json_array();
  for (int i = 0; i < n; i++) dls_build_append(b, choice, json_integer(leaf->choice[i]));
  dls_build_put(b, o, "choice", choice);
  dls_build_put(b, o, "y", dls_build_numbers(b, leaf->y, n));
  return o;
}

// A point, with what is known of it, or the leaves of a tree of choices, each with its proof.
static json_t *lcp_witness(dls_build *b, const dls_lcp_existence *e)
{
  json_t *o = json_object();
  if (e->z) {
    dls_build_put(b, o, "z", dls_build_numbers(b, e->z, e->n));
    dls_build_put(b, o, "error", dls_build_number(e->error));
    dls_build_put(b, o, "exact", json_boolean(e->exact));
  }
  if (e->basis) {
    json_t *basis = json_array();
    for (int i = 0; i < e->n; i++) dls_build_append(b, basis, json_boolean(e->basis[i]));
    dls_build_put(b, o, "basis", basis);
  }
  if (e->leaves > 0) {
    json_t *leaves = json_array();
    for (int k = 0; k < e->leaves; k++)
      dls_build_append(b, leaves, leaf_object(b, &e->leaf[k], e->n));
    dls_build_put(b, o, "leaves", leaves);
  }
  return o;
}

static json_t *verdict(dls_build *b, const dls_solve_summary *s)
{
  if (s->solvable) return dls_build_solvable(b, s->solvable);
  json_t *o = json_object();
  const dls_lcp_existence *e = s->existence;
  dls_build_put(b, o, "answer", json_string(dls_answer_name(proven(s))));
  dls_build_put(b, o, "by", dls_build_string(b, reason(s)));
  if (e && e->shows) dls_build_put(b, o, "shows", dls_build_string(b, e->shows));
  dls_build_put(b, o, "witness", e ? lcp_witness(b, e) : json_null());
  return o;
}

json_t *dls_build_existence(dls_build *b, const dls_solve_summary *s)
{
  json_t *o = verdict(b, s);
  if (!is_near(s)) return o;
  dls_text words = {0};
  add_reason(&words, s);
  b->failed = b->failed || words.failed;
  dls_build_put(b, o, "answer", json_string(dls_answer_name(dls_solve_answer(s))));
  dls_build_put(b, o, "by", dls_build_string(b, words.data));
  if (is_whole(s)) dls_build_put(b, o, "exact", json_string(dls_answer_name(proven(s))));
  dls_text_free(&words);
  return o;
}

// ---- for people --------------------------------------------------------------------------------

void dls_page_existence(dls_page *page, const dls_solve_summary *s)
{
  static const char *const colours[] = {[DLS_YES] = "32", [DLS_NO] = "31", [DLS_UNDECIDED] = "33"};
  if (!dls_solve_has_verdict(s)) return;
  const dls_answer answer = dls_solve_answer(s);
  const char *shows = NULL;
  if (s->solvable) shows = s->solvable->shows;
  else if (s->existence) shows = s->existence->shows;
  dls_page_heading(page, "Does a solution exist?");
  dls_text_add(&page->text, "  ");
  dls_page_style(page, colours[answer]);
  dls_text_add(&page->text, "%-9s", dls_answer_name(answer));
  dls_page_style(page, "0");
  dls_text_add(&page->text, "  ");
  dls_text words = {0};
  add_reason(&words, s);
  if (s->solvable && proven(s) == DLS_NO && isfinite(s->solvable->bound))
    dls_text_add(&words, " (%s times |q| / |W|)", dls_number(s->solvable->bound).text);
  if (shows && shows[0] && proven(s) != DLS_UNDECIDED)
    dls_text_add(&words, "; the witness, in --json, shows: %s", shows);
  dls_page_wrapped(page, &words, 13, 13);
}
