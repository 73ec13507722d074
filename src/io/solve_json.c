// The report of solving as JSON.
#include "io/json_print.h"
#include "io/solve_parts.h"

#include <math.h>

static json_t *friction_errors(dls_build *b, bool global, const dls_incremental_error *e)
{
  json_t *o = json_object();
  dls_build_put(b, o, "scaled", dls_build_number(e->scaled));
  dls_build_put(b, o, "weighted", dls_build_number(e->weighted));
  dls_build_put(b, o, "normal", dls_build_number(e->normal));
  dls_build_put(b, o, "cone", dls_build_number(e->cone));
  dls_build_put(b, o, "complementarity", dls_build_number(e->complementarity));
  dls_build_put(b, o, "slip", dls_build_number(e->slip));
  dls_build_put(b, o, "equation", dls_build_number(e->equation));
  dls_build_put(b, o, "common", dls_build_number(e->common));
  dls_build_put(b, o, "rounding", dls_build_number(e->rounding));
  if (global) dls_build_put(b, o, "balance", dls_build_number(e->balance));
  dls_build_put(b, o, "q", dls_build_number(e->q));
  dls_build_put(b, o, "siconos", dls_build_number(e->siconos));
  dls_build_put(b, o, "fclib", dls_build_number(e->fclib));
  return o;
}

static json_t *errors(dls_build *b, const dls_solve_summary *s, const dls_solve_run *run)
{
  if (!run->friction && !run->lcp) return json_null();
  if (run->friction) return friction_errors(b, s->problem->global, &run->friction->error);
  json_t *o = json_object();
  dls_build_put(b, o, "q", dls_build_number(run->lcp->error));
  dls_build_put(b, o, "units", dls_build_number(run->lcp->error_in_units));
  dls_build_put(b, o, "absolute", dls_build_number(run->lcp->residual.absolute));
  dls_build_put(b, o, "relative", dls_build_number(run->lcp->residual.relative));
  return o;
}

static json_t *modes(dls_build *b, const dls_incremental *p, const dls_solve_run *run)
{
  const dls_mode_counts m = dls_incremental_modes(p, run->r, run->u);
  json_t *o = json_object();
  dls_build_put(b, o, "open", json_integer(m.open));
  dls_build_put(b, o, "sticking", json_integer(m.sticking));
  dls_build_put(b, o, "sliding", json_integer(m.sliding));
  return o;
}

static json_t *attempts(dls_build *b, const dls_lcp_report *report)
{
  json_t *array = json_array();
  for (int k = 0; k < report->attempts; k++) {
    const dls_lcp_attempt *a = &report->attempt[k];
    json_t *o = json_object();
    dls_build_put(b, o, "solver", dls_build_string(b, a->solver));
    dls_build_put(b, o, "error", dls_build_number(a->error));
    dls_build_put(b, o, "iterations", json_integer(a->iterations));
    dls_build_put(b, o, "stopped", dls_build_string(b, dls_lcp_stop_text(a->stop)));
    dls_build_append(b, array, o);
  }
  return array;
}

static json_t *history(dls_build *b, const dls_solve_run *run)
{
  json_t *array = json_array();
  for (int k = 0; k < run->moments; k++) {
    const dls_solve_sample *m = &run->history[k];
    json_t *o = json_object();
    dls_build_put(b, o, "iteration", json_integer(m->iteration));
    dls_build_put(b, o, "seconds", dls_build_number(m->seconds));
    dls_build_put(b, o, "error", dls_build_number(m->error));
    dls_build_put(b, o, "solver", dls_build_string(b, m->solver));
    dls_build_append(b, array, o);
  }
  return array;
}

// What one solver did. A solver that could not run has a failure in place of numbers.
static void put_run(dls_build *b, json_t *o, const dls_solve_summary *s, const dls_solve_run *run)
{
  const bool ran = run->friction || run->lcp;
  const char *stopped = ran ? dls_solve_run_stopped(run) : run->failure;
  dls_build_put(b, o, "converged", json_boolean(dls_solve_run_converged(run)));
  dls_build_put(b, o, "error", dls_build_number(dls_solve_run_error(run)));
  dls_build_put(b, o, "errors", errors(b, s, run));
  dls_build_put(b, o, "solver", dls_build_string(b, ran ? dls_solve_made_by(run) : run->asked));
  dls_build_put(b, o, "asked", dls_build_string(b, run->asked));
  dls_build_put(b, o, "iterations", json_integer(dls_solve_iterations(run)));
  dls_build_put(b, o, "seconds", dls_build_number(dls_solve_seconds(run)));
  dls_build_put(b, o, "stopped", dls_build_string(b, stopped));
  if (!ran) dls_build_put(b, o, "failure", dls_build_string(b, run->failure));
  if (run->lcp) dls_build_put(b, o, "attempts", attempts(b, run->lcp));
  if (s->problem && run->r && run->u) {
    const dls_mode_counts m = dls_incremental_modes(s->problem, run->r, run->u);
    dls_build_put(b, o, "modes", modes(b, s->problem, run));
    dls_build_put(b, o, "largest_force", dls_build_number(m.largest));
  }
  if (s->lcp && run->z) dls_build_put(b, o, "z", dls_build_numbers(b, run->z, s->lcp->n));
}

static void put_problem(dls_build *b, json_t *o, const dls_solve_summary *s)
{
  const dls_incremental *p = s->problem;
  if (s->file) dls_build_put(b, o, "file", dls_build_string(b, s->file));
  if (s->title && s->title[0]) dls_build_put(b, o, "title", dls_build_string(b, s->title));
  dls_build_put(b, o, "kind", json_string(dls_solve_kind(s)));
  dls_build_put(b, o, "contacts", json_integer(p ? p->contacts : 0));
  const int rows = p ? dls_incremental_rows(p) : s->lcp->n;
  dls_build_put(b, o, "dof", json_integer(p && p->global ? p->dof : rows));
  dls_build_put(b, o, "equations", json_integer(p ? p->equations : s->lcp->free));
  dls_build_put(b, o, "tolerance", dls_build_number(s->tolerance));
  if (!s->stored) return;
  json_t *e = friction_errors(b, p && p->global, s->stored);
  dls_build_put(b, e, "error", dls_build_number(s->stored->largest));
  dls_build_put(b, o, "stored_solution", e);
}

static json_t *all_runs(dls_build *b, const dls_solve_summary *s)
{
  json_t *array = json_array();
  for (int k = 0; k < s->runs; k++) {
    json_t *o = json_object();
    put_run(b, o, s, &s->run[k]);
    dls_build_put(b, o, "history", history(b, &s->run[k]));
    dls_build_append(b, array, o);
  }
  return array;
}

dls_status dls_solve_json(const dls_solve_summary *s, char **text)
{
  if (!text) return DLS_ERR_ARGUMENT;
  *text = NULL;
  if (!dls_solve_is_valid(s)) return DLS_ERR_ARGUMENT;
  dls_build b = {0};
  json_t *o = json_object();
  put_problem(&b, o, s);
  if (!s->compare) put_run(&b, o, s, &s->run[0]);
  if (dls_solve_has_verdict(s)) dls_build_put(&b, o, "exists", dls_build_existence(&b, s));
  if (s->compare) dls_build_put(&b, o, "runs", all_runs(&b, s));
  else dls_build_put(&b, o, "history", history(&b, &s->run[0]));
  return dls_json_text(o, !b.failed, text);
}
