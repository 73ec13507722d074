// The report of solving, for people.
#include "io/solve_parts.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 13, SHOWN = 12, NAME = 16 };

// A number of which the size matters, with three digits.
static dls_number_text brief(double x)
{
  char digits[32];
  snprintf(digits, sizeof digits, "%.2e", x);
  return dls_number(isfinite(x) ? strtod(digits, NULL) : x);
}

static void add_time(dls_text *text, double seconds)
{
  const bool small = seconds < 0.1;
  dls_text_add(text, "%s %s", brief(small ? 1000 * seconds : seconds).text, small ? "ms" : "s");
}

static void label(dls_page *p, const char *name)
{
  dls_text_add(&p->text, "  %-*s", LABEL - 2, name);
}

// ---- the problem -------------------------------------------------------------------------------

static const char *kind_words(const dls_solve_summary *s)
{
  const dls_incremental *p = s->problem;
  if (!p)
    return s->lcp->free > 0 ? "mixed linear complementarity problem (mlcp)"
                            : "linear complementarity problem (lcp)";
  if (p->global)
    return p->dimension == 2 ? "contact with friction in the plane, global form (gfc2d)"
                             : "contact with friction in space, global form (gfc3d)";
  return p->dimension == 2 ? "contact with friction in the plane, local form (fc2d)"
                           : "contact with friction in space, local form (fc3d)";
}

static void friction_problem(dls_page *p, const dls_incremental *problem)
{
  double low = INFINITY, high = 0;
  for (int i = 0; i < problem->contacts; i++) {
    low = fmin(low, problem->mu[i]);
    high = fmax(high, problem->mu[i]);
  }
  label(p, "contacts");
  dls_text_add(&p->text, "%d", problem->contacts);
  if (problem->contacts > 0) dls_text_add(&p->text, ", friction %s", dls_number(low).text);
  if (problem->contacts > 0 && high > low) dls_text_add(&p->text, " … %s", dls_number(high).text);
  if (problem->equations > 0) dls_text_add(&p->text, "; %d equations", problem->equations);
  const dls_pattern *matrix = problem->global ? &problem->M.pattern : &problem->W.pattern;
  dls_text_add(&p->text, "; %c is %d × %d with %d entries\n", problem->global ? 'M' : 'W',
               matrix->rows, matrix->cols, matrix->p[matrix->cols]);
}

static void header(dls_page *p, const dls_solve_summary *s)
{
  const char *file = s->file ? s->file : "(no file)";
  const bool titled = s->title && s->title[0];
  dls_page_style(p, "1");
  dls_text_clean(&p->text, titled ? s->title : file, DLS_PAGE_WIDTH);
  dls_page_style(p, "0");
  dls_text_add(&p->text, "\n");
  dls_text line = {0};
  if (titled) {
    dls_text_clean(&line, file, 80);
    dls_text_add(&line, ": ");
  }
  dls_text_add(&line, "%s", kind_words(s));
  dls_page_wrapped(p, &line, 0, 2);
  if (s->problem) {
    friction_problem(p, s->problem);
  } else {
    label(p, "unknowns");
    dls_text_add(&p->text, "%d", s->lcp->n);
    if (s->lcp->free > 0) dls_text_add(&p->text, ", the first %d free", s->lcp->free);
    dls_text_add(&p->text, "\n");
  }
  if (!s->stored) return;
  label(p, "stored");
  dls_text_add(&p->text, "the solution in the file has the error %s\n",
               brief(s->stored->largest).text);
}

// ---- one solver --------------------------------------------------------------------------------

static void error_line(dls_page *p, const char *name, double error, const char *words)
{
  label(p, name);
  dls_text_add(&p->text, "%-10s  %s\n", brief(error).text, words);
}

// The error that decides, with what was asked for.
static void deciding_line(dls_page *p, const dls_solve_summary *s, double error, const char *words)
{
  dls_text line = {0};
  dls_text_add(&line, "%s; asked for: at most %s", words, brief(s->tolerance).text);
  if (line.failed) p->text.failed = true;
  else error_line(p, "error", error, line.data);
  dls_text_free(&line);
}

// What the largest error without units is about.
static const char *worst_of(const dls_incremental_error *e)
{
  if (e->largest == e->weighted) return "|F| / |q|, each contact in its own scale";
  if (e->largest == e->common) return "|F| / |q|, one unit of impulse for all contacts";
  if (e->largest == e->rounding) return "what rounding may hide in W r + q";
  if (e->largest == e->balance) return "M v = H r + f, of the worst row";
  if (e->largest == e->normal) return "normal velocity < 0, of the worst contact";
  if (e->largest == e->cone) return "force outside its cone, of the worst contact";
  if (e->largest == e->complementarity) return "force while opening, of the worst contact";
  if (e->largest == e->slip) return "slip not opposed by friction, worst contact";
  return e->largest == e->equation ? "velocity of the worst equation" : "no number";
}

static void friction_result(dls_page *p, const dls_solve_summary *s, const dls_solve_run *run)
{
  const dls_incremental_error *e = &run->friction->error;
  deciding_line(p, s, e->largest,
                run->friction->converged ? "the largest of all, without units" : worst_of(e));
  error_line(p, "", e->q, "|F| / |q|, F: how far it is from Coulomb's law, in the file's units");
  error_line(p, "", e->siconos, "|F| / max(|q|, |r|, |u|), as Siconos measures it");
  error_line(p, "", e->fclib, "|F| / (1 + √|q|), as FCLIB measures it");
  if (s->problem->global)
    error_line(p, "balance", e->balance, "M v = H r + f, the worst row relative to its terms");
  if (!run->r || !run->u || s->problem->contacts == 0) return;
  const dls_mode_counts m = dls_incremental_modes(s->problem, run->r, run->u);
  label(p, "contacts");
  dls_text_add(&p->text, "%d open, %d sticking, %d sliding\n", m.open, m.sticking, m.sliding);
  label(p, "forces");
  dls_text_add(&p->text, "up to %s, at contact %d\n", dls_number(m.largest).text, m.strongest + 1);
}

static void lcp_result(dls_page *p, const dls_solve_summary *s, const dls_solve_run *run)
{
  const dls_lcp_report *r = run->lcp;
  deciding_line(p, s, r->error_in_units, "|min(z, w)| / |q|, rows and columns of one size");
  error_line(p, "", r->error, "|min(z, w)| / |q|, in the units of the file");
  if (r->attempts > 1) {
    dls_text words = {0};
    for (int k = 0; k < r->attempts; k++)
      dls_text_add(&words, "%s%s: %s", k ? "; " : "", r->attempt[k].solver,
                   dls_lcp_stop_text(r->attempt[k].stop));
    label(p, "methods");
    dls_page_wrapped(p, &words, LABEL, LABEL);
  }
  if (!run->z || !s->lcp) return;
  dls_text words = {0};
  for (int i = 0; i < s->lcp->n && i < SHOWN; i++)
    dls_text_add(&words, "%s%s", i ? ", " : "", dls_number(run->z[i]).text);
  if (s->lcp->n > SHOWN) dls_text_add(&words, ", … and %d more (all in --json)", s->lcp->n - SHOWN);
  label(p, "z");
  dls_page_wrapped(p, &words, LABEL, LABEL);
}

// The largest of the errors that decide; NaN when one is.
static double deciding_error(const dls_solve_run *run)
{
  if (!run->friction) return run->lcp ? run->lcp->error_in_units : NAN;
  return run->friction->error.largest;
}

// What may help, by the reason for which it stopped.
static void advice(dls_page *p, const dls_solve_summary *s, const dls_solve_run *run)
{
  if (dls_solve_answer(s) == DLS_NO) return;  // nothing can
  const dls_stop stop = run->friction ? run->friction->stop : DLS_STOP_STALLED;
  const dls_lcp_stop lcp_stop = run->lcp ? run->lcp->stop : DLS_LCP_STOP_STALLED;
  const double error = deciding_error(run);
  if (stop == DLS_STOP_INTERRUPTED || lcp_stop == DLS_LCP_STOP_INTERRUPTED) return;
  dls_text words = {0};
  if (stop == DLS_STOP_ITERATIONS || lcp_stop == DLS_LCP_STOP_ITERATIONS)
    dls_text_add(&words, "more of --max-iterations; ");
  if (stop == DLS_STOP_TIME || lcp_stop == DLS_LCP_STOP_TIME)
    dls_text_add(&words, "more of --time-limit; ");
  if (strcmp(run->asked, "auto") != 0) dls_text_add(&words, "--solver auto; ");
  dls_text_add(&words, "--all, which compares the solvers");
  // a coarser tolerance only helps where the point is nearly good
  if (error <= 1e-3 && error > s->tolerance)
    dls_text_add(&words, "; --tol\u00a0%.0e, which this point fulfils",
                 pow(10, ceil(log10(error) + 1e-9)));
  label(p, "try");
  dls_page_wrapped(p, &words, LABEL, LABEL);
}

static void result(dls_page *p, const dls_solve_summary *s, const dls_solve_run *run)
{
  const bool converged = dls_solve_run_converged(run);
  const char *made_by = dls_solve_made_by(run);
  dls_text_add(&p->text, "\n");
  dls_page_style(p, converged ? "1;32" : "1;31");
  dls_text_add(&p->text, converged ? "Converged" : "Not converged");
  dls_page_style(p, "0");
  const bool own = strcmp(made_by, run->asked) == 0;
  const int iterations = dls_solve_iterations(run);
  dls_text words = {0};
  dls_text_add(&words, ": %s", converged ? made_by : run->asked);
  if (!converged) dls_text_add(&words, ", %s", dls_solve_run_stopped(run));
  else if (!own) dls_text_add(&words, ", called by %s", run->asked);
  dls_text_add(&words, "; %d iteration%s, ", iterations, iterations == 1 ? "" : "s");
  add_time(&words, dls_solve_seconds(run));
  if (!converged && !own) dls_text_add(&words, "; the best point is from %s", made_by);
  dls_page_wrapped(p, &words, converged ? 9 : 13, 2);
  if (run->friction) friction_result(p, s, run);
  else lcp_result(p, s, run);
  if (!converged) advice(p, s, run);
}

// ---- several solvers ---------------------------------------------------------------------------

static void table(dls_page *p, const dls_solve_summary *s)
{
  dls_page_heading(p,
                   "Solver          converged  error       iterations     seconds  why it stopped");
  for (int k = 0; k < s->runs; k++) {
    const dls_solve_run *run = &s->run[k];
    const bool ran = run->friction || run->lcp, converged = dls_solve_run_converged(run);
    dls_text_pad(&p->text, run->asked, NAME);
    dls_page_style(p, converged ? "32" : "31");
    dls_text_add(&p->text, "%-9s", converged ? "yes" : "no");
    dls_page_style(p, "0");
    dls_text words = {0};
    if (ran) {
      dls_text_add(&p->text, "  %-10s  %10d  %10s  ", brief(dls_solve_run_error(run)).text,
                   dls_solve_iterations(run), brief(dls_solve_seconds(run)).text);
      dls_text_add(&words, "%s", dls_solve_run_stopped(run));
      if (converged && strcmp(dls_solve_made_by(run), run->asked) != 0)
        dls_text_add(&words, " (%s)", dls_solve_made_by(run));
    } else {
      dls_text_add(&p->text, "  %-10s  %10s  %10s  ", "", "", "");
      dls_text_clean(&words, run->failure ? run->failure : "could not run", 400);
    }
    dls_page_wrapped(p, &words, 63, 63);
  }
}

dls_status dls_solve_text(const dls_solve_summary *s, const dls_report_options *options,
                          char **text)
{
  if (!text) return DLS_ERR_ARGUMENT;
  *text = NULL;
  if (!dls_solve_is_valid(s)) return DLS_ERR_ARGUMENT;
  dls_page p = {.colour = options && options->colour};
  header(&p, s);
  const dls_solve_run *best = dls_solve_best(s);
  if (s->compare) table(&p, s);
  else if (best) result(&p, s, best);
  else dls_text_add(&p.text, "\nNot run: %.400s\n", s->run[0].failure ? s->run[0].failure : "");
  dls_page_existence(&p, s);
  if (p.text.failed) {
    dls_text_free(&p.text);
    return DLS_ERR_MEMORY;
  }
  *text = p.text.data;
  return DLS_OK;
}
