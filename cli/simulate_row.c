// The rows of a run: what they are made of, and where they go.
#include "simulate.h"

#include "message.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- room ---------------------------------------------------------------------------------------

void simulate_parts_free(simulate_parts *p)
{
  free(p->begun);
  free(p->total);
  free(p->told);
  free(p->impulse);
  free(p->zeros);
  free(p->status);
  free(p->id);
  free(p->first);
  *p = (simulate_parts){0};
}

// Zeros behind what is there.
static bool widen(void **array, size_t size, int from, int to)
{
  void *wider = realloc(*array, (size_t)to * size);
  if (!wider) return false;
  memset((char *)wider + (size_t)from * size, 0, (size_t)(to - from) * size);
  *array = wider;
  return true;
}

static bool widen_numbers(double **array, int from, int to)
{
  void *numbers = *array;
  const bool good = widen(&numbers, sizeof(double), from, to);
  *array = numbers;
  return good;
}

static bool grow(simulate_parts *p, const dls_sample *m)
{
  int need = m->impulses > m->scheme_state_size ? m->impulses : m->scheme_state_size;
  if (m->m + 1 > need) need = m->m + 1;
  if (need < p->room) return true;
  const int room = need + need / 2 + 1;
  void *status = p->status, *id = p->id, *first = p->first;
  const bool good =
      widen_numbers(&p->begun, p->room, room) && widen_numbers(&p->total, p->room, room) &&
      widen_numbers(&p->told, p->room, room) && widen_numbers(&p->impulse, p->room, room) &&
      widen_numbers(&p->zeros, p->room, room) && widen(&status, 1, p->room, room) &&
      widen(&id, sizeof *p->id, p->room, room) && widen(&first, sizeof *p->first, p->room, room);
  p->status = status ? status : p->status;
  p->id = id ? id : p->id, p->first = first ? first : p->first;
  if (good) p->room = room;
  return good;
}

// Contacts that stay keep what has been told of them; identities increase, those of bilateral
// constraints, which are first, are all 0.
static void match(simulate_parts *p, const dls_sample *m)
{
  double *told = p->impulse;  // free between rows
  unsigned char *status = (unsigned char *)p->zeros;
  memset(told, 0, (size_t)m->impulses * sizeof *told);
  memset(status, DLS_OPEN, (size_t)m->m);
  for (int j = 0, i = 0; j < m->m; j++) {
    while (m->id[j] != 0 && i < p->m && p->id[i] < m->id[j]) i++;
    if (i == p->m || p->id[i] != m->id[j]) continue;
    const int slips = m->first[j + 1] - m->first[j];
    for (int k = 0; k <= slips; k++) told[j + m->first[j] + k] = p->told[i + p->first[i] + k];
    status[j] = p->status[i++];
  }
  memcpy(p->told, told, (size_t)m->impulses * sizeof *told);
  memcpy(p->status, status, (size_t)m->m);
  memset(status, 0, (size_t)m->m);
}

bool simulate_parts_fit(simulate_parts *p, const dls_sample *m)
{
  if (!grow(p, m)) return false;
  if (!m->id) return true;
  const size_t size = (size_t)m->m * sizeof *m->id;
  const bool same = p->m == m->m && (m->m == 0 || memcmp(p->id, m->id, size) == 0);
  if (!same) match(p, m);
  p->m = m->m;
  if (m->m > 0) memcpy(p->id, m->id, size);
  memcpy(p->first, m->first, (size_t)(m->m + 1) * sizeof *m->first);
  return true;
}

// ---- rows ---------------------------------------------------------------------------------------

void simulate_sketch_row(simulate_run *run, dls_sample *row)
{
  simulate_outputs_row(&run->outputs, run->system, row);
  bool jump = false;  // in the step: events show theirs themselves
  for (int j = 0; j < row->m; j++) jump = jump || row->status[j] == DLS_IMPACTING;
  if (run->sketch) sketch_row(run->sketch, row, jump && !run->located);
  if (run->strobe) strobe_row(run->strobe, row);
  if (run->view.row) view_rows_add(&run->view, row, jump && !run->located);
}

static dls_status put(simulate_run *run, const dls_sample *given, dls_message *message)
{
  dls_sample with = *given;
  const dls_sample *row = &with;
  run->rows++;
  simulate_sketch_row(run, &with);
  dls_status status = DLS_OK;
  for (int i = 0; i < INTERRUPT_FILES && run->recording[i] && status == DLS_OK; i++)
    status = dls_recording_append(run->recording[i], row, message);
  return status;
}

static dls_contact_status status_after(dls_event_kind kind)
{
  switch (kind) {
  case DLS_EVENT_IMPACT: return DLS_IMPACTING;
  case DLS_EVENT_TAKE_OFF: return DLS_SEPARATING;
  case DLS_EVENT_SLIP: return DLS_SLIDING;
  default: return DLS_STICKING;
  }
}

// What the contacts do after an event: an impact is one of all contacts that press in it.
static void set_status(simulate_run *run, const dls_event *event)
{
  const dls_system *s = run->system;
  int entry = 0;
  for (int j = 0; j < s->m; j++) {
    const bool pressed = event->kind == DLS_EVENT_IMPACT && s->contacts[j].kind == DLS_UNILATERAL &&
                         event->impulse[entry] > 0;
    if (j == event->contact || pressed)
      run->parts.status[j] = (unsigned char)status_after(event->kind);
    entry += 1 + s->contacts[j].tangents;
  }
}

// Impulses since the row before: without those that the rows of events have, and what rounding
// leaves of them.
static void set_impulse(simulate_run *run, int count, const double *total)
{
  for (int k = 0; k < count; k++) {
    const double rest = total[k] - run->parts.told[k];
    const bool rounding = fabs(rest) <= 16 * DBL_EPSILON * fabs(run->parts.told[k]);
    run->parts.impulse[k] = run->parts.told[k] == 0 ? total[k] : rounding ? 0 : rest;
  }
}

// Two rows at the same time, so that a jump is one in a plot. The forces up to there belong to the
// first of them, the percussion to the second.
void simulate_contact_rows(simulate_run *run, const dls_event *event)
{
  if (!run->rows_wanted) return;
  const dls_sample m = dls_integrator_sample(run->integrator);
  if (!simulate_parts_fit(&run->parts, &m)) {
    run->recording_failed = (dls_message){"out of memory"};
    return;
  }
  dls_sample row = {.t = event->t,
                    .nq = m.nq,
                    .n = m.n,
                    .m = m.m,
                    .q = event->q,
                    .v = event->v_before,
                    .impulses = m.impulses,
                    .impulse = run->parts.impulse,
                    .status = run->parts.status,
                    .scheme_state_size = m.scheme_state_size,
                    .scheme_state = run->parts.zeros,
                    .first = m.first,
                    .id = m.id};
  dls_message message = {0};
  set_impulse(run, m.impulses, event->since);
  dls_status status = put(run, &row, &message);
  set_status(run, event);
  for (int k = 0; k < m.impulses; k++) run->parts.told[k] = event->since[k] + event->impulse[k];
  row.v = event->v_after;
  row.impulse = event->impulse;
  if (status == DLS_OK) status = put(run, &row, &message);
  if (status != DLS_OK && !run->recording_failed.text[0]) run->recording_failed = message;
}

// Where the model has events they are told together, in the order of time.
void simulate_contact_event(void *self, const dls_event *event)
{
  simulate_run *run = self;
  if (run->sensitivity) dls_sensitivity_event(run->sensitivity, event);
  if (!run->events.crossings) simulate_contact_rows(run, event);
  else if (dls_crossings_tell(run->events.crossings, event) != DLS_OK)
    run->recording_failed = (dls_message){"out of memory"};
}

// impulse: since the step's begin
void simulate_event_row(simulate_run *run, const dls_sample *at)
{
  dls_message message = {0};
  dls_sample row = *at;
  if (!run->rows_wanted) return;
  for (int k = 0; k < row.impulses; k++) run->parts.total[k] = run->parts.begun[k] + at->impulse[k];
  set_impulse(run, row.impulses, run->parts.total);
  memcpy(run->parts.told, run->parts.total, (size_t)row.impulses * sizeof(double));
  row.impulse = run->parts.impulse;
  row.status = run->parts.status;
  row.scheme_state = run->parts.zeros;
  const dls_status status = put(run, &row, &message);
  if (status != DLS_OK && !run->recording_failed.text[0]) run->recording_failed = message;
}

int simulate_row(simulate_run *run, const simulate_plan *plan)
{
  dls_message message = {0};
  dls_sample row = dls_integrator_sample(run->integrator);
  if (!simulate_parts_fit(&run->parts, &row)) return complain("out of memory");
  set_impulse(run, row.impulses, row.impulse);
  memset(run->parts.told, 0, (size_t)row.impulses * sizeof(double));
  simulate_size_note(&run->size, row.q, row.v);
  row.impulse = run->parts.impulse;
  if (row.m > 0) memcpy(run->parts.status, row.status, (size_t)row.m);
  dls_status status = put(run, &row, &message);
  if (status != DLS_OK) return complain("%s", message.text);
  // the run goes through its recording: whoever reads this row goes on in the same way
  status = dls_integrator_restart(run->integrator, &row, &message);
  return status == DLS_OK ? 0 : model_file_failed(plan->file, status, &message);
}
