// A step of the integrator: the scheme's, what it is refused for, and what is noted after it.
#include "step/integrator_internal.h"

#include "base/memory.h"
#include "base/message.h"
#include "contact/chart.h"
#include "step/contact_set.h"
#include "step/instability.h"
#include "step/jamming.h"
#include "step/spare.h"
#include "step/telling.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdio.h>

// Times that a step is made again for contacts that it missed; parts of one step, and how much
// shorter than the step one is at least.
enum { MAX_FINDS = 8, MAX_PARTS = 2000, SHORTEST_PART = 16 };

// What the contact did in the step: by its impulse, by h and its velocity,
// then by the slip, and by its force: one strictly inside the cone sticks. A contact that presses
// after a step without is one that hits.
static unsigned char contact_status(const dls_integrator *g, int j)
{
  const dls_values *x = g->point.values;
  const double rest = g->options.rest;
  const bool pressed = g->impulse[j + g->point.first[j]] != 0;
  double slip = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) slip = hypot(slip, x->slip[k]);
  const dls_contact_status held = slip > rest && !g->moreau->fast[j] ? DLS_SLIDING : DLS_STICKING;
  if (g->system->contacts[j].kind == DLS_BILATERAL) return (unsigned char)held;
  const bool flew = g->status[j] == DLS_OPEN || g->status[j] == DLS_SEPARATING;
  if (pressed) return (unsigned char)(flew ? DLS_IMPACTING : held);
  if (x->h[j] > g->options.closed) return DLS_OPEN;
  if (x->h_dot[j] > rest) return DLS_SEPARATING;
  return (unsigned char)(x->h_dot[j] < -rest ? DLS_IMPACTING : held);
}

static void note_state(dls_integrator *g)
{
  dls_integrator_note_gaps(g);
  for (int j = 0; j < g->system->m && !g->scheme->own_status; j++)
    g->status[j] = contact_status(g, j);
}

static void note_step(dls_integrator *g)
{
  dls_step_counts *counts = &g->point.counts;
  counts->steps++;
  if (!g->moreau) return;  // the parts have counted
  counts->worst_residual = fmax(counts->worst_residual, g->moreau->residual);
  counts->steps_above += !(g->moreau->residual <= g->options.tolerance);
}

// Fixed steps lie on the grid; the last one before `until` ends there.
static double next_time(const dls_integrator *g, double until)
{
  const bool chosen = g->scheme->info.adaptive || g->options.rtol > 0 || g->options.atol > 0;
  const double most = g->options.max_step > 0 ? g->options.max_step : HUGE_VAL;
  const double t1 =
      chosen ? g->t + fmin(g->step, most) : g->grid + (double)(g->count + 1) * g->options.step;
  return t1 > until - end_of_run * g->step ? until : t1;
}

// What the last answer misses. Where it fulfils the laws it was refused for something else.
static void say_laws(const dls_integrator *g, char *text, size_t size)
{
  const dls_step_problem *c = g->moreau->contacts;
  int worst = -1;
  const double residual = dls_step_problem_residual(c, c->u, NULL, &worst);
  if (worst < 0) return;
  if (!(residual <= g->options.tolerance))
    snprintf(text, size,
             "; the law of contact `%.60s` is missed most, the residual of all is %.2g, asked "
             "for: %.2g",
             g->system->contacts[worst].name, residual, g->options.tolerance);
  else
    snprintf(
        text, size,
        "; impulses that fulfil the laws, contact `%.60s` least, are not exact enough for the step",
        g->system->contacts[worst].name);
}

static void say_failure(const dls_integrator *g, double t1, dls_failure failure,
                        dls_message *message)
{
  if (failure == DLS_FAILURE_UNIQUENESS) {
    dls_fail(message, DLS_OK, "%s at t = %.9g: %s", dls_failure_text(failure), g->loss.end_t,
             g->loss.end_why);
    return;
  }
  if (g->scheme == &dls_scheme_parts) {  // the part has said the rest
    const dls_message said = *message;
    dls_fail(message, DLS_OK, "%s; in the part of coordinate `%s`", said.text, dls_parts_failed(g));
    return;
  }
  const dls_message cause = *message;
  char laws[200] = "";
  if (failure == DLS_FAILURE_CONTACT) say_laws(g, laws, sizeof laws);
  dls_fail(message, DLS_OK, "%s between t = %.9g and %.9g%s%s%s", dls_failure_text(failure), g->t,
           t1, cause.text[0] ? ": " : "", cause.text, laws);
}

static void keep_begin(dls_integrator *g)
{
  if (!g->point.may_stop) return;
  g->begun.loss = g->loss, g->begun.counts = g->point.counts;
  if (g->scheme_state_size > 0)
    dls_copy(g->begun.scheme_state, g->scheme_state, g->scheme_state_size);
}

static void restore_begin(dls_integrator *g)
{
  if (!g->point.may_stop) return;
  g->loss = g->begun.loss, g->point.counts = g->begun.counts;
  if (g->scheme_state_size > 0)
    dls_copy(g->scheme_state, g->begun.scheme_state, g->scheme_state_size);
  dls_telling_forget(g);
}

// Contacts closed and there is no memory for them, or the caller stops: the state is that of the
// step's begin.
static dls_status give_up(dls_integrator *g, dls_failure *failure, dls_message *message)
{
  *failure = DLS_FAILURE_NONE;
  const dls_status trouble = g->point.trouble;
  g->point.watched = NULL, g->point.trouble = DLS_OK;
  restore_begin(g);
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_ERR_NUMBER;
  g->point.trouble = trouble;
  if (trouble == DLS_ERR_LIMIT) return dls_integrator_say_limit(g, message);
  return dls_fail(message, trouble, "%s in the step from t = %.9g", dls_status_text(trouble), g->t);
}

// A step without the constraints that others imply. They may have been needed after all.
static dls_failure attempt(dls_integrator *g, double t1, double *end, dls_message *message)
{
  const dls_uniqueness_loss loss = g->loss;
  const long events = g->point.counts.events;
  dls_telling_forget(g);
  if (!dls_spare_choose(g, message)) return DLS_FAILURE_NUMBER;
  const dls_failure failure = g->scheme->advance(g, t1, end, message);
  if (failure == DLS_FAILURE_NONE || dls_spare_none(g) || g->point.trouble != DLS_OK)
    return failure;
  message->text[0] = '\0';
  dls_telling_forget(g);
  g->loss = loss, g->point.counts.events = events;
  dls_copy(g->impulse1, g->impulse, g->impulses);
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
  *end = t1;
  return g->scheme->advance(g, t1, end, message);
}

// After a step h: local coordinates around the configuration that it has reached.
static dls_status recentre(dls_integrator *g, double h, dls_message *message)
{
  const dls_system *s = g->system;
  if (!s->chart) return DLS_OK;
  double *before = g->told, *velocity = before + s->chart->nq, *x = velocity + s->n;
  dls_copy(before, g->configuration, s->chart->nq);
  dls_copy(velocity, g->velocity, s->n);
  dls_chart_leave(s, g->q, g->v, g->configuration, g->velocity);
  const dls_state reached = {.t = g->t, .q = g->configuration, .v = g->velocity};
  dls_status status = dls_chart_begin(s, &reached, g->q, g->v, message);
  if (status == DLS_OK && g->scheme->recentre) {
    status = s->chart->enter(s->self, before, velocity, x, x + s->n);
    if (status == DLS_OK) g->scheme->recentre(g, x, h);
  }
  if (status != DLS_OK) return status;
  return dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message) ? DLS_OK : DLS_ERR_NUMBER;
}

// A step that is refused is not made: the point goes back to where it began.
static dls_failure check_stability(dls_integrator *g, double h, dls_message *message)
{
  const int i = dls_instability_find(g, h);
  if (i < 0) return DLS_FAILURE_NONE;
  dls_telling_forget(g);
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
  dls_fail(message, DLS_OK, "that of `%s` changes by %.2g in the last one",
           g->system->coordinates[i], g->v1[i] - g->v[i]);
  return DLS_FAILURE_UNSTABLE;
}

static dls_status advance_once(dls_integrator *g, double until, dls_failure *failure,
                               dls_message *message)
{
  dls_message cause;
  cause.text[0] = '\0';
  const double t1 = next_time(g, until);
  *failure = DLS_FAILURE_NONE;
  if (!(t1 > g->t))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the time is %.17g already, or not a number", g->t);
  g->failed = NULL;
  g->point.trouble = DLS_OK, g->point.begin = g->t;
  g->point.watched = g->options.watch ? &g->options : NULL;
  keep_begin(g);
  if (dls_loss_ends(g) && g->options.on_loss == DLS_ON_LOSS_STOP) {
    *failure = DLS_FAILURE_UNIQUENESS;
    say_failure(g, t1, *failure, &cause);
    if (message) *message = cause;
    return DLS_OK;
  }
  if (g->moreau) g->moreau->residual = 0;
  dls_copy(g->impulse1, g->impulse, g->impulses);
  dls_jamming_before(g);
  double end = t1;
  const long events = g->point.counts.events;
  *failure = attempt(g, t1, &end, &cause);
  if (g->point.trouble != DLS_OK) return give_up(g, failure, message);
  if (*failure == DLS_FAILURE_NONE) *failure = check_stability(g, end - g->t, &cause);
  if (*failure != DLS_FAILURE_NONE) {
    g->point.counts.events = events;
    say_failure(g, t1, *failure, &cause);
    if (*failure == DLS_FAILURE_CONTACT && g->scheme != &dls_scheme_parts) {
      dls_step_problem_original(g->moreau->contacts);
      g->failed = &g->moreau->contacts->problem;
    }
    if (message) *message = cause;
    return DLS_OK;
  }
  const ptrdiff_t n = g->system->n;
  const bool on_grid = end == g->grid + (double)(g->count + 1) * g->options.step;
  g->count = on_grid ? g->count + 1 : 0;
  if (!on_grid) g->grid = end;
  const double h = end - g->t;
  g->t = end;
  dls_copy(g->q, g->q1, n);
  dls_copy(g->v, g->v1, n);
  dls_copy(g->impulse, g->impulse1, g->impulses);
  for (int k = 0; k < g->impulses; k++) g->total[k] += g->impulse[k];
  note_step(g);
  if (g->set && !g->scheme->info.events) {
    const dls_status status = dls_contact_set_drop_false(g, g->t, g->q, g->v, message);
    if (status != DLS_OK) return status;
  }
  note_state(g);
  dls_jamming_after(g, h);
  return recentre(g, h, message);
}

static dls_status choose(dls_integrator *g, double horizon, bool careful, dls_message *message)
{
  bool changed = false;
  const dls_system *s = g->system;
  if (s->pass_degenerate) s->pass_degenerate(s->self, true);
  dls_status status = dls_contact_set_choose(g, horizon, &changed, message);
  if (status == DLS_OK && changed) status = dls_integrator_renew(g, message);
  if (status == DLS_OK) status = dls_contact_set_settle(g, message);
  return status == DLS_OK && careful ? dls_contact_set_drop_jumps(g, horizon, message) : status;
}

// Contacts are found before a step, for as long as it may last, and after it: one that was not
// there and is penetrated then was missed, and the step is made again with more of them.
// careful: it has failed before.
static dls_status advance_once_with_found(dls_integrator *g, double until, bool careful,
                                          dls_failure *failure, dls_message *message)
{
  const double horizon = next_time(g, until) - g->t;
  for (int k = 0;; k++) {
    bool missed = false;
    dls_status status = choose(g, horizon, careful, message);
    if (status == DLS_OK) status = dls_contact_set_keep(g);
    if (status == DLS_OK) status = advance_once(g, until, failure, message);
    if (status != DLS_OK || *failure != DLS_FAILURE_NONE) return status;
    if (g->scheme->info.events) return DLS_OK;  // they look on the way
    status = dls_contact_set_missed(g, &missed, message);
    if (status != DLS_OK || !missed || k == MAX_FINDS) return status;
    status = dls_integrator_renew(g, message);  // back to where it began
    if (status != DLS_OK) return status;
  }
}

// May parts of a step be solved though the whole was not? Normals of solids turn with them.
static bool may_part(const dls_integrator *g, dls_failure failure)
{
  return !g->scheme->info.adaptive &&
         (failure == DLS_FAILURE_NEWTON || failure == DLS_FAILURE_CONTACT ||
          failure == DLS_FAILURE_SINGULAR || failure == DLS_FAILURE_CONSTRAINT ||
          failure == DLS_FAILURE_NUMBER);
}

// The state of the begin again, after a step that failed.
static dls_status back_to_begin(dls_integrator *g, dls_message *message)
{
  g->point.counts.rejected++;
  const long rejected = g->point.counts.rejected;
  const dls_status status = dls_integrator_renew(g, message);
  g->point.counts.rejected = rejected;
  return status;
}

static dls_status too_many(const dls_integrator *g, double t1, dls_failure *failure,
                           dls_message *message)
{
  *failure = DLS_FAILURE_STEP;
  dls_fail(message, DLS_OK, "%s between t = %.9g and %.9g: contacts change again and again",
           dls_failure_text(*failure), g->t, t1);
  return DLS_OK;
}

// A fixed step, in parts: schemes with events end one where contacts are others than those that it
// began with, and go on from there; all halve one that was not solved. Steps stay on their grid.
static dls_status advance_in_parts(dls_integrator *g, double t1, dls_failure *failure,
                                   dls_message *message)
{
  const double grid = g->grid, shortest = (t1 - g->t) / SHORTEST_PART;
  const long count = g->count;
  double length = t1 - g->t;
  bool careful = false;
  for (int k = 0; g->t < t1; k++) {
    if (k == MAX_PARTS) return too_many(g, t1, failure, message);
    const double left = t1 - g->t;
    dls_status status = advance_once_with_found(
        g, length < left * (1 - end_of_run) ? g->t + length : t1, careful, failure, message);
    if (status != DLS_OK) return status;
    if (*failure == DLS_FAILURE_NONE) {
      dls_telling_tell(g);
      if (g->t < t1) g->point.counts.steps--;
      continue;
    }
    if (!may_part(g, *failure) || length < 2 * shortest) return DLS_OK;
    status = back_to_begin(g, message);
    if (status != DLS_OK) return status;
    *failure = DLS_FAILURE_NONE;
    if (careful) length /= 2;
    careful = true;
    if (message) message->text[0] = 0;
  }
  if (t1 == grid + (double)(count + 1) * g->options.step) g->grid = grid, g->count = count + 1;
  return DLS_OK;
}

static dls_status advance_with_found(dls_integrator *g, double until, dls_failure *failure,
                                     dls_message *message)
{
  const bool chosen = g->scheme->info.adaptive || g->options.rtol > 0 || g->options.atol > 0;
  if (chosen) return advance_once_with_found(g, until, false, failure, message);
  return advance_in_parts(g, next_time(g, until), failure, message);
}

dls_status dls_integrator_advance(dls_integrator *g, double until, dls_failure *failure,
                                  dls_message *message)
{
  *failure = DLS_FAILURE_NONE;
  const dls_status status = g->set ? advance_with_found(g, until, failure, message)
                                   : advance_once(g, until, failure, message);
  g->point.watched = NULL;
  if (status == DLS_OK && *failure == DLS_FAILURE_NONE) dls_telling_tell(g);
  return status;
}
