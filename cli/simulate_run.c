// The integrator at work: steps, rows, progress, and what stops it.
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include "check_picture.h"
#include "files.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "clock.h"

#include <delassus/output.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void simulate_run_free(simulate_run *run)
{
  for (int i = 0; i < INTERRUPT_FILES; i++) (void)dls_recording_close(run->recording[i], NULL);
  sketch_free(run->sketch);
  strobe_free(run->strobe);
  view_rows_free(&run->view);
  dls_solvable_free(run->solvable);
  dls_sensitivity_free(run->sensitivity);
  dls_integrator_free(run->integrator);
  buffer_free(&run->in_vain);
  simulate_size_free(&run->size);
  simulate_outputs_free(&run->outputs);
  simulate_events_free(&run->events);
  simulate_parts_free(&run->parts);
  *run = (simulate_run){0};
}

static dls_status energy_of(const simulate_run *run, double *energy, dls_message *message)
{
  double kinetic = 0, potential = 0;
  const dls_status status = dls_integrator_energy(run->integrator, &kinetic, &potential, message);
  *energy = kinetic + potential;
  return status;
}

// ---- the beginning ------------------------------------------------------------------------------

static bool make_room(simulate_run *run)
{
  const dls_sample m = dls_integrator_sample(run->integrator);
  return simulate_parts_fit(&run->parts, &m) && simulate_size_create(&run->size, m.n) &&
         simulate_outputs_create(&run->outputs, run->system, m.impulses);
}

static int begin_strobe(simulate_run *run, const simulate_plan *plan)
{
  dls_drawing *drawing = NULL;
  const int wrong = drawing_of_model(plan->file, "--strobe", &drawing);
  if (!wrong) run->strobe = strobe_create(drawing, plan->file->system->n, (int)plan->strobe);
  if (!run->strobe) dls_drawing_free(drawing);
  return wrong || run->strobe ? wrong : complain("out of memory");
}

// Those of this call, when not all of them could be begun.
static void remove_recordings(simulate_run *run, const simulate_plan *plan)
{
  for (int i = 0; i < INTERRUPT_FILES && run->recording[i]; i++) {
    (void)dls_recording_close(run->recording[i], NULL);
    run->recording[i] = NULL;
    (void)unlink(plan->recording[i]);
  }
}

static int begin_recordings(simulate_run *run, const simulate_plan *plan)
{
  dls_message message = {0};
  const model_file *file = plan->file;
  const dls_recording_about about = {.system = file->system,
                                     .scheme_state_size =
                                         dls_integrator_sample(run->integrator).scheme_state_size,
                                     .outputs = run->outputs.count,
                                     .model = file->source,
                                     .model_length = file->source_length,
                                     .scheme = plan->how.scheme,
                                     .settings = plan->settings.text,
                                     .step = plan->how.step};
  if (plan->resume && access(plan->out, F_OK) == 0) return simulate_resume(run, plan, &about);
  if (plan->resume) complain("%s is not there yet: the run starts anew", plan->out);
  for (int i = 0; i < plan->recordings; i++) {
    if (dls_recording_create(plan->recording[i], &about, &run->recording[i], &message) == DLS_OK)
      continue;
    remove_recordings(run, plan);
    return complain("%s", message.text);
  }
  return simulate_row(run, plan);
}

static int begin_files(simulate_run *run, const simulate_plan *plan)
{
  const model_file *file = plan->file;
  if (plan->strobe > 0) {
    const int wrong = begin_strobe(run, plan);
    if (wrong) return wrong;
  } else if (plan->drawn) {
    run->sketch = sketch_create(file->system, &plan->plot, file->state.t, plan->until);
    if (!run->sketch) return complain("out of memory");
  }
  if (plan->viewed && !view_rows_create(&run->view, file->system, run->located))
    return complain("out of memory");
  return plan->recordings > 0 ? begin_recordings(run, plan) : simulate_row(run, plan);
}

// Before a recording is opened, which replaces an old one.
static int check_writable(const simulate_plan *plan)
{
  int wrong = 0;
  for (int i = 0; i < plan->outs && !wrong; i++) {
    const char *out = options_value(plan->file->options, "-o", i);
    new_file probe = {0};
    if (plan->outs == 1 && plan->recordings == 1) break;  // its own message is more to the point
    wrong = new_file_write(&probe, out, "");
    new_file_drop(&probe);
  }
  return wrong;
}

static bool watch_step(void *self, double t)
{
  (void)self, (void)t;
  return interrupt_came();
}

int simulate_begin(simulate_run *run, const simulate_plan *plan)
{
  const model_file *file = plan->file;
  dls_message message = {0};
  interrupt_begin();
  dls_integrator_options how = plan->how;
  run->rows_wanted = plan->recordings > 0 || plan->drawn || plan->viewed ||
                     dls_model_output_count(file->model) > 0;
  if (run->rows_wanted || plan->name_count > 0 || dls_model_event_count(file->model) > 0)
    how.event = simulate_contact_event;
  how.watch = watch_step, how.self = run;
  run->system = file->system;
  run->start = file->state.t;
  run->located = dls_scheme_find(how.scheme)->events;
  const dls_status status =
      dls_integrator_create(file->system, &file->state, &how, &run->integrator, &message);
  if (status != DLS_OK) {
    model_file_failed(file, status, &message);
    if (status == DLS_ERR_STATE && !file->projected)
      add_line("--project starts from the nearest consistent state");
    return EXIT_WRONG;
  }
  if (!make_room(run)) return complain("out of memory");
  const int without = simulate_events_begin(run, plan);
  if (without) return without;
  run->has_energy = energy_of(run, &run->first_energy, NULL) == DLS_OK;
  int wrong = check_writable(plan);
  if (!wrong) wrong = simulate_sensitivity_begin(run, plan);
  return wrong ? wrong : begin_files(run, plan);
}

// ---- steps --------------------------------------------------------------------------------------

// Why the contact problem of the step was not solved: perhaps because it cannot be.
static void ask_existence(simulate_run *run)
{
  enum { UNASKED_ROWS = 3000 };  // what may take long is not asked
  const dls_incremental *problem = dls_integrator_problem(run->integrator, NULL);
  dls_message message = {0};
  if (run->failure != DLS_FAILURE_CONTACT || !problem) return;
  if (dls_incremental_rows(problem) > UNASKED_ROWS) return;
  if (dls_incremental_solvable(problem, NULL, &run->solvable, &message) != DLS_OK)
    run->solvable = NULL;
}

static void show(const simulate_run *run, const simulate_plan *plan, progress_bar *bar, double from,
                 double since)
{
  const double t = dls_integrator_sample(run->integrator).t;
  const long steps = dls_integrator_counts(run->integrator).steps;
  if (plan->quiet) return;
  progress_show(bar, (t - from) / (plan->until - from), "t = %.4g of %.4g, %.3g steps/s", t,
                plan->until, (double)steps / fmax(seconds_now() - since, 1e-3));
}

// What events of the model are measured from.
static void begin_step(simulate_run *run)
{
  if (!run->events.crossings) return;
  const dls_sample begin = dls_integrator_sample(run->integrator);
  memcpy(run->parts.begun, begin.impulse, (size_t)begin.impulses * sizeof(double));
  simulate_events_before(run);
}

static int make_steps(simulate_run *run, const simulate_plan *plan, progress_bar *bar)
{
  const double from = dls_integrator_sample(run->integrator).t, since = seconds_now();
  long unrecorded = 0;
  int wrong = 0;
  while (!wrong && !(run->complete = dls_integrator_sample(run->integrator).t >= plan->until)) {
    if (interrupt_came()) {
      run->interrupted = true;
      return 0;
    }
    begin_step(run);
    const dls_status status =
        dls_integrator_advance(run->integrator, plan->until, &run->failure, &run->why);
    if (status == DLS_ERR_STOPPED) continue;  // interrupted
    if (status != DLS_OK) return model_file_failed(plan->file, status, &run->why);
    if (run->recording_failed.text[0]) return complain("%s", run->recording_failed.text);
    const bool failed = run->failure != DLS_FAILURE_NONE;
    if (!failed) wrong = simulate_events_after(run, plan);
    if (run->recording_failed.text[0]) return complain("%s", run->recording_failed.text);
    if (wrong || run->events.stopped) break;
    if (!failed && (wrong = simulate_sensitivity_step(run, plan))) break;
    if (!failed) unrecorded++;
    const bool last = failed || dls_integrator_sample(run->integrator).t >= plan->until;
    if (unrecorded == plan->every || (last && unrecorded > 0)) {
      wrong = simulate_row(run, plan);
      unrecorded = 0;
    }
    if (failed) break;
    show(run, plan, bar, from, since);
  }
  run->complete = run->complete || run->events.stopped;
  return wrong;
}

// Forces may be finite at states at which an energy is not: a motion that ends there has failed.
static void end_energy(simulate_run *run)
{
  dls_message why = {0};
  const dls_status status = energy_of(run, &run->last_energy, &why);
  run->has_energy = run->has_energy && status == DLS_OK;
  if (status != DLS_ERR_NUMBER || !why.text[0]) return;
  if (run->failure != DLS_FAILURE_NONE || run->interrupted) return;
  run->failure = DLS_FAILURE_NUMBER;
  run->why = why;
}

int simulate_advance(simulate_run *run, const simulate_plan *plan)
{
  const double since = seconds_now();
  progress_bar bar;
  dls_message message = {0};
  progress_begin(&bar, "simulating");
  int wrong = make_steps(run, plan, &bar);
  progress_end(&bar);
  for (int i = 0; i < plan->recordings; i++) {
    dls_recording *recording = run->recording[i];
    run->recording[i] = NULL;
    const dls_status status = dls_recording_close(recording, &message);
    if (!wrong && status != DLS_OK) wrong = complain("%s", message.text);
  }
  run->seconds = seconds_now() - since;
  if (!wrong) ask_existence(run);
  end_energy(run);
  if (!wrong) simulate_try_ways(run, plan);
  simulate_size_judge(&run->size, plan);
  simulate_events_judge(run, plan);
  if (run->integrator) {
    const dls_sample last = dls_integrator_sample(run->integrator);
    simulate_outputs_end(&run->outputs, run->system, &last);
    simulate_loss_judge(run);
    simulate_crowd_judge(run);
    simulate_creep_judge(run, plan);
  }
  return wrong;
}
