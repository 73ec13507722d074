// Going on with a recording. It says how it was made, and a changed row is noticed when it is read;
// but not which version of the program made it, so the run is asked too: the first row must be the
// start of this call, and the first and last recorded steps must come out again, bit for bit.
#include "simulate.h"

#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A row of a recording that outlives the next one that is read.
typedef struct kept {
  dls_sample row;
  double *numbers;
  unsigned char *status;
  uint64_t *id;
  int *first;
} kept;

static void kept_free(kept *k)
{
  free(k->numbers);
  free(k->status);
  free(k->id);
  free(k->first);
  *k = (kept){0};
}

static bool keep_contacts(kept *k, const dls_sample *row)
{
  const size_t m = (size_t)row->m;
  k->row.id = NULL, k->row.first = NULL;
  if (!row->id || !row->first) return true;
  k->id = calloc(m + 1, sizeof *k->id);
  k->first = calloc(m + 1, sizeof *k->first);
  if (!k->id || !k->first) return false;
  memcpy(k->id, row->id, m * sizeof *k->id);
  memcpy(k->first, row->first, (m + 1) * sizeof *k->first);
  k->row.id = k->id, k->row.first = k->first;
  return true;
}

// Rows may differ in size, where contacts come and go.
static bool keep(kept *k, const dls_sample *row)
{
  const size_t nq = (size_t)row->nq, n = (size_t)row->n, impulses = (size_t)row->impulses,
               m = (size_t)row->m;
  const size_t scheme_state_size = (size_t)row->scheme_state_size;
  kept_free(k);
  k->numbers = calloc(nq + n + impulses + scheme_state_size + 1, sizeof(double));
  k->status = calloc(m + 1, 1);
  if (!k->numbers || !k->status) return false;
  double *q = k->numbers, *v = q + nq, *impulse = v + n, *memory = impulse + impulses;
  memcpy(q, row->q, nq * sizeof(double));
  memcpy(v, row->v, n * sizeof(double));
  memcpy(impulse, row->impulse, impulses * sizeof(double));
  if (scheme_state_size > 0) memcpy(memory, row->scheme_state, scheme_state_size * sizeof(double));
  if (m > 0) memcpy(k->status, row->status, m);
  k->row = *row;
  k->row.q = q, k->row.v = v, k->row.impulse = impulse, k->row.scheme_state = memory;
  k->row.status = k->status;
  return keep_contacts(k, row);
}

static bool same_numbers(const double *a, const double *b, int count)
{
  return count == 0 || (a && b && memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

static bool same_contacts(const dls_sample *a, const dls_sample *b)
{
  if (!a->id || !b->id) return !a->id && !b->id;
  return a->m == 0 || memcmp(a->id, b->id, (size_t)a->m * sizeof *a->id) == 0;
}

// Impulses are left out: they are what happened before.
static bool same_sample(const dls_sample *a, const dls_sample *b)
{
  return same_numbers(&a->t, &b->t, 1) && same_numbers(&a->next_step, &b->next_step, 1) &&
         same_numbers(a->q, b->q, a->nq) && same_numbers(a->v, b->v, a->n) && a->m == b->m &&
         a->scheme_state_size == b->scheme_state_size && same_contacts(a, b) &&
         same_numbers(a->scheme_state, b->scheme_state, a->scheme_state_size) &&
         (a->m == 0 || (a->status && b->status && memcmp(a->status, b->status, (size_t)a->m) == 0));
}

// ---- the recording ------------------------------------------------------------------------------

// The last row that ends a step before row number `end`; -1: there is none.
static dls_status find_step(dls_recorded *r, long end, kept *found, long *index,
                            dls_message *message)
{
  for (*index = end - 1; *index >= 0; --*index) {
    dls_sample row;
    const dls_status status = dls_recorded_row(r, *index, &row, message);
    if (status != DLS_OK) return status;
    if (row.next_step > 0) return keep(found, &row) ? DLS_OK : DLS_ERR_MEMORY;
  }
  return DLS_OK;
}

static int unlike(const simulate_plan *plan, const char *what)
{
  complain("%s: %s", plan->out, what);
  add_line("--resume needs the call that made the recording; without it the file is made anew");
  return EXIT_WRONG;
}

// Does the row `to` come out again, `every` steps after the row `from`? whole: exactly so many; a
// run may have ended at its last row before.
static int replay(const simulate_plan *plan, const kept *from, const kept *to, double until,
                  bool whole, bool *again)
{
  dls_integrator *g = NULL;
  dls_message message = {0};
  dls_failure failure = DLS_FAILURE_NONE;
  const model_file *file = plan->file;
  long steps = 0;
  dls_status status = dls_integrator_create(file->system, &file->state, &plan->how, &g, &message);
  if (status == DLS_OK) status = dls_integrator_restart(g, &from->row, &message);
  while (steps < plan->every && status == DLS_OK && failure == DLS_FAILURE_NONE) {
    const double t = dls_integrator_sample(g).t;
    if (t >= to->row.t || t >= until) break;
    status = dls_integrator_advance(g, until, &failure, &message);
    steps++;
  }
  if (status == DLS_OK) {
    const dls_sample reached = dls_integrator_sample(g);
    *again = failure == DLS_FAILURE_NONE && (steps == plan->every || !whole) &&
             same_sample(&reached, &to->row);
  }
  dls_integrator_free(g);
  return status == DLS_OK ? 0 : model_file_failed(file, status, &message);
}

static int other_steps(const simulate_plan *plan)
{
  return unlike(plan, "its steps do not come out again: it was made by another version");
}

// The last row: as in the run that made it, or in one that ended there.
static int check_last(const simulate_plan *plan, const kept *before, const kept *last)
{
  bool again = false;
  int wrong = replay(plan, before, last, plan->until, false, &again);
  if (!wrong && !again) wrong = replay(plan, before, last, last->row.t, false, &again);
  if (wrong) return wrong;
  return again ? 0 : other_steps(plan);
}

// The first row of all that ends a step.
static int check_first(const simulate_plan *plan, dls_recorded *r, long end, kept *first,
                       kept *next)
{
  dls_message message = {0};
  dls_sample row;
  dls_status status = dls_recorded_row(r, 0, &row, &message);
  if (status == DLS_OK && !keep(first, &row)) status = DLS_ERR_MEMORY;
  for (long k = 1; k < end && status == DLS_OK; k++) {
    status = dls_recorded_row(r, k, &row, &message);
    if (status != DLS_OK || !(row.next_step > 0)) continue;
    if (!keep(next, &row)) return complain("out of memory");
    bool again = false;
    const int wrong = replay(plan, first, next, fmax(plan->until, row.t), true, &again);
    if (wrong) return wrong;
    return again ? 0 : other_steps(plan);
  }
  return status == DLS_OK ? 0 : complain("%s", message.text);
}

// The first row is the start of this call, and steps at both ends are those of its scheme.
static int check_rows(const simulate_run *run, const simulate_plan *plan, dls_recorded *r,
                      kept *before, kept *last, long *index)
{
  dls_message message = {0};
  dls_sample first;
  const dls_sample start = dls_integrator_sample(run->integrator);
  dls_status status = dls_recorded_row(r, 0, &first, &message);
  const char *ending = strrchr(plan->out, '.');
  if (run->system->find && ending && strcmp(ending, ".csv") == 0)
    return complain("%s: rows of a CSV have no contacts that come and go: only .h5 can be resumed",
                    plan->out);
  if (status == DLS_OK && !same_sample(&first, &start))
    return unlike(plan, "its first row is not the start of this run");
  long earlier = -1;
  if (status == DLS_OK) status = find_step(r, dls_recorded_count(r), last, index, &message);
  if (status == DLS_OK && *index > 0) {
    const int wrong = check_first(plan, r, *index, before, last);
    if (wrong) return wrong;
    status = find_step(r, dls_recorded_count(r), last, index, &message);
  }
  if (status == DLS_OK) status = find_step(r, *index, before, &earlier, &message);
  if (status != DLS_OK)
    return complain("%s", message.text[0] ? message.text : dls_status_text(status));
  return earlier >= 0 ? check_last(plan, before, last) : 0;
}

// ---- the run ------------------------------------------------------------------------------------

static int take_up(simulate_run *run, const simulate_plan *plan, dls_recorded *r, const kept *last,
                   long index)
{
  dls_message message = {0};
  dls_status status = dls_integrator_restart(run->integrator, &last->row, &message);
  if (status != DLS_OK) return model_file_failed(plan->file, status, &message);
  status = dls_recording_continue(r, index + 1, &run->recording[0], &message);
  if (status != DLS_OK) return complain("%s", message.text);
  // a picture shows the motion from its start, and outputs tell the forces of the last step
  dls_sample row;
  const bool all = run->sketch || run->strobe || run->outputs.count > 0 || run->events.crossings;
  for (long k = 0; all && k <= index; k++) {
    status = dls_recorded_row(r, k, &row, &message);
    if (status != DLS_OK) return complain("%s", message.text);
    simulate_sketch_row(run, &row);
    if (run->events.crossings) dls_crossings_pass(run->events.crossings, &row);
  }
  run->resumed = true;
  run->resumed_at = last->row.t;
  run->rows = index + 1;
  const dls_sample taken = dls_integrator_sample(run->integrator);
  if (!simulate_parts_fit(&run->parts, &taken)) return complain("out of memory");
  if (taken.m > 0) memcpy(run->parts.status, taken.status, (size_t)taken.m);
  return 0;
}

int simulate_resume(simulate_run *run, const simulate_plan *plan, const dls_recording_about *about)
{
  dls_recorded *r = NULL;
  dls_message message = {0};
  kept before = {0}, last = {0};
  long index = -1;
  int wrong = 0;
  dls_status status = dls_recorded_open(plan->out, about, &r, &message);
  if (status != DLS_OK)
    return unlike(plan, message.text + (strncmp(message.text, plan->out, strlen(plan->out)) == 0
                                            ? strlen(plan->out) + 2
                                            : 0));
  if (dls_recorded_count(r) == 0) {
    // stopped before its first row
    status = dls_recording_continue(r, 0, &run->recording[0], &message);
    wrong = status == DLS_OK ? simulate_row(run, plan) : complain("%s", message.text);
  } else {
    wrong = check_rows(run, plan, r, &before, &last, &index);
    if (!wrong) wrong = take_up(run, plan, r, &last, index);
  }
  kept_free(&before);
  kept_free(&last);
  dls_recorded_free(r);
  return wrong;
}
