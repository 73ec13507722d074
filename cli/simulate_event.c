// The events of the model in a run: found after each step, told in the order of time with those of
// the contacts, and the end of the run where one says so.
#include "simulate.h"

#include "message.h"

#include <delassus/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where contacts come and go events are not looked for: a run that one would have ended is refused.
static int refuse_stops(const model_file *file)
{
  for (int i = 0; i < dls_model_event_count(file->model); i++)
    if (dls_model_event_at(file->model, i).stop)
      return complain(
          "%s: event `%s` cannot stop a run of bodies whose contacts come and go: events of "
          "the model are not looked for there\n  remove `stop`, and use --until",
          file->shown, dls_model_event_at(file->model, i).name);
  return 0;
}

void simulate_events_judge(simulate_run *run, const simulate_plan *plan)
{
  simulate_size *size = &run->size;
  if (!plan->file->system->find || dls_model_event_count(plan->file->model) == 0) return;
  snprintf(size->warning[size->warnings++], sizeof size->warning[0],
           "events of the model are not looked for where contacts of bodies come and go");
}

int simulate_events_begin(simulate_run *run, const simulate_plan *plan)
{
  const model_file *file = plan->file;
  dls_message message = {0};
  if (dls_model_event_count(file->model) == 0) return 0;
  if (file->system->find) return refuse_stops(file);
  const dls_status status = dls_crossings_create(file->system, &file->state, &plan->how, NULL,
                                                 &run->events.crossings, &message);
  return status == DLS_OK ? 0 : model_file_failed(file, status, &message);
}

void simulate_events_free(simulate_events *e)
{
  dls_crossings_free(e->crossings);
  free(e->item);
  *e = (simulate_events){0};
}

// False: out of memory. A list of all of them is not kept where they are very many.
static bool note(simulate_events *e, const dls_happening *x)
{
  enum { LISTED = 1000000 };
  e->count++;
  if (e->listed == LISTED) return true;
  if (e->listed == e->room) {
    const long room = e->room ? 2 * e->room : 64;
    simulate_event *item = realloc(e->item, (size_t)room * sizeof *item);
    if (!item) return false;
    e->item = item, e->room = room;
  }
  e->item[e->listed++] = (simulate_event){
      .event = x->function, .direction = x->direction, .t = x->sample.t, .located = x->located};
  return true;
}

void simulate_events_before(simulate_run *run)
{
  if (!run->events.crossings) return;
  const dls_sample begin = dls_integrator_sample(run->integrator);
  dls_crossings_before(run->events.crossings, &begin);
}

// The state of the integrator is that of the event from then on.
static int stop(simulate_run *run, const simulate_plan *plan, const dls_happening *x)
{
  dls_message message = {0};
  dls_sample end = x->sample;
  run->events.stopped = true;
  run->events.last = (simulate_event){
      .event = x->function, .direction = x->direction, .t = x->sample.t, .located = x->located};
  end.next_step = plan->how.step;
  const dls_status status = dls_integrator_restart(run->integrator, &end, &message);
  return status == DLS_OK ? 0 : model_file_failed(plan->file, status, &message);
}

int simulate_events_after(simulate_run *run, const simulate_plan *plan)
{
  simulate_events *e = &run->events;
  dls_happening x;
  dls_message message = {0};
  if (!e->crossings) return 0;
  const dls_sample end = dls_integrator_sample(run->integrator);
  if (dls_crossings_after(e->crossings, &end, &message) != DLS_OK)
    return complain("%s", message.text);
  while (dls_crossings_next(e->crossings, &x)) {
    if (x.event) {
      simulate_contact_rows(run, x.event);
      continue;
    }
    const dls_model_event which = dls_model_event_at(plan->file->model, x.function);
    if (which.direction != 0 && which.direction != x.direction) continue;
    if (!note(e, &x)) return complain("out of memory");
    if (!x.jumps) simulate_event_row(run, &x.sample);  // else the rows of the impact are there
    if (which.stop) return stop(run, plan, &x);
  }
  return 0;
}

// ---- results ------------------------------------------------------------------------------------

static void json_event(buffer *out, const dls_model *model, const simulate_event *e)
{
  buffer_add(out, "{\"event\": ");
  buffer_json_string(out, dls_model_event_at(model, e->event).name);
  buffer_add(out, ", \"t\": ");
  buffer_json_number(out, e->t);
  buffer_add(out, ", \"direction\": \"%s\", \"located\": %s}",
             e->direction > 0 ? "rising" : "falling", e->located ? "true" : "false");
}

void simulate_events_json(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  const simulate_events *e = &run->events;
  if (!e->crossings) return;
  buffer_add(out, ",\n  \"model_events\": {\"count\": %ld, \"evaluations\": %ld, \"list\": [",
             e->count, dls_crossings_evaluations(e->crossings));
  for (long i = 0; i < e->listed; i++) {
    buffer_add(out, "%s", i ? ",\n    " : "\n    ");
    json_event(out, plan->file->model, &e->item[i]);
  }
  buffer_add(out, "]},\n  \"stopped_by\": ");
  if (e->stopped) json_event(out, plan->file->model, &e->last);
  else buffer_add(out, "null");
}

void simulate_events_text(buffer *out, const simulate_plan *plan, const simulate_run *run)
{
  enum { SHOWN = 5, LETTERS = 40 };
  const simulate_events *e = &run->events;
  if (!e->crossings) return;
  buffer_add(out, "  events        %ld of the model", e->count);
  for (long i = 0; i < e->listed && i < SHOWN; i++)
    buffer_add(out, "%s%.*s at t = %.9g", i ? ", " : ": ", LETTERS,
               dls_model_event_at(plan->file->model, e->item[i].event).name, e->item[i].t);
  if (e->count > SHOWN) buffer_add(out, ", …");
  buffer_add(out, "\n");
  if (e->count > 0 && !run->located)
    buffer_add(out, "                interpolated: %s does not locate events\n", plan->how.scheme);
  if (e->stopped)
    buffer_add(out, "  ended         by the event %.*s at t = %.9g\n", LETTERS,
               dls_model_event_at(plan->file->model, e->last.event).name, e->last.t);
}
