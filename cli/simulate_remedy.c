// What to do about a step that fails: ways that are tried, from the state before it and then from
// the start of the run as far as there is time, so that what is named has worked.
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include "interrupt.h"
#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 8 };
static const double seconds_max = 3;  // for all ways together

// Another way to step, and the options that mean it.
typedef struct way {
  dls_integrator_options how;
  char words[80];
} way;

// One more way, the call's own until it is changed.
static way *add_way(way *ways, int *count, const simulate_plan *plan)
{
  way *w = &ways[(*count)++];
  w->how = plan->how;
  return w;
}

static int list_ways(const simulate_plan *plan, way *ways)
{
  static const char *const others[] = {"moreau", "radau5"};
  const dls_scheme_info *scheme = dls_scheme_find(plan->how.scheme);
  const bool chosen = scheme->adaptive || plan->how.rtol > 0 || plan->how.atol > 0;
  const bool moreau = strncmp(plan->how.scheme, "moreau", 6) == 0;
  int count = 0;
  if (plan->how.rtol > 0 && plan->how.atol == 0) {  // what is zero has no relative error
    way *w = add_way(ways, &count, plan);
    w->how.atol = w->how.rtol;
    snprintf(w->words, sizeof w->words, "--atol %g", w->how.atol);
  }
  for (int part = 10; part <= 100; part *= 10) {
    way *w = add_way(ways, &count, plan);
    w->how.step /= part;
    snprintf(w->words, sizeof w->words, "--step %g", w->how.step);
  }
  if (chosen) {
    way *w = add_way(ways, &count, plan);
    w->how.rtol = fmin(1e-2, 100 * fmax(w->how.rtol, 1e-8));
    snprintf(w->words, sizeof w->words, "--rtol %g", w->how.rtol);
  }
  if (moreau && plan->how.theta < 1) {
    way *w = add_way(ways, &count, plan);
    w->how.theta = 1;
    snprintf(w->words, sizeof w->words, "--theta 1");
  }
  for (int k = 0; k < 2; k++) {
    if (strcmp(plan->how.scheme, others[k]) == 0) continue;
    way *w = add_way(ways, &count, plan);
    w->how.scheme = others[k];
    w->how.rtol = w->how.atol = 0;
    snprintf(w->words, sizeof w->words, "--scheme %s", others[k]);
  }
  return count;
}

typedef enum outcome { GETS_PAST, FAILS, TOO_LONG } outcome;

// Long steps may carry a motion over a place where its energy has no value.
static bool has_energy(const dls_integrator *g)
{
  double kinetic = 0, potential = 0;
  return dls_integrator_energy(g, &kinetic, &potential, NULL) != DLS_ERR_NUMBER;
}

// One step may hold very many events: the time is looked at inside it, too.
static bool is_late(void *self, double t)
{
  const double *deadline = self;
  (void)t;
  return interrupt_came() || seconds_now() >= *deadline;
}

// Whether a way leads from the state past the time t1.
static outcome try_way(const simulate_plan *plan, const dls_state *from, const way *w, double t1,
                       double deadline)
{
  dls_integrator *g = NULL;
  dls_failure failure = DLS_FAILURE_NONE;
  outcome result = TOO_LONG;
  dls_integrator_options how = w->how;
  how.watch = is_late, how.self = &deadline;
  if (dls_integrator_create(plan->file->system, from, &how, &g, NULL) != DLS_OK) return FAILS;
  while (result == TOO_LONG && !interrupt_came() && seconds_now() < deadline) {
    const dls_status status = dls_integrator_advance(g, t1, &failure, NULL);
    const dls_sample m = dls_integrator_sample(g);
    if (status == DLS_ERR_STOPPED) continue;
    if (status != DLS_OK || failure != DLS_FAILURE_NONE || !has_energy(g)) result = FAILS;
    else if (m.t >= t1) result = GETS_PAST;
  }
  dls_integrator_free(g);
  return result;
}

// The state before the step that failed, moved to a consistent one where rounding has left it.
static bool copy_state(const simulate_plan *plan, const dls_sample *m, dls_state *copy)
{
  const size_t nq = (size_t)m->nq, n = (size_t)m->n;
  dls_contact_options contact = dls_contact_defaults();
  dls_projection moved;
  *copy = (dls_state){m->t, calloc(nq + 1, sizeof(double)), calloc(n + 1, sizeof(double))};
  if (!copy->q || !copy->v) return false;
  memcpy(copy->q, m->q, nq * sizeof(double));
  memcpy(copy->v, m->v, n * sizeof(double));
  contact.tolerance = plan->how.closed;
  dls_integrator *g = NULL;
  const dls_status status = dls_integrator_create(plan->file->system, copy, &plan->how, &g, NULL);
  dls_integrator_free(g);
  return status != DLS_ERR_STATE ||
         dls_state_project(plan->file->system, copy, &contact, &moved, NULL) == DLS_OK;
}

// Other integrators have had their contacts: those of the run again, whose names are told.
static void select_again(const simulate_run *run)
{
  const dls_system *s = run->system;
  const dls_sample m = dls_integrator_sample(run->integrator);
  int bilateral = 0;
  if (!s->find || !m.id) return;
  while (bilateral < m.m && m.id[bilateral] == 0) bilateral++;
  (void)s->select(s->self, m.m - bilateral, m.id + bilateral, NULL);
}

void simulate_try_ways(simulate_run *run, const simulate_plan *plan)
{
  const dls_sample m = dls_integrator_sample(run->integrator);
  const bool at_end = m.t >= plan->until;  // all steps were made, to a state without an energy
  const double t1 = at_end ? plan->until : fmin(plan->until, m.t + 2 * plan->how.step);
  const double deadline = seconds_now() + seconds_max;
  way ways[WAYS_MAX];
  dls_state from = {0};
  if (run->failure == DLS_FAILURE_NONE) return;
  if (run->failure == DLS_FAILURE_UNIQUENESS) {  // no other scheme makes the motion determined
    snprintf(run->remedy, sizeof run->remedy, "--on-loss continue");
    return;
  }
  const int count = copy_state(plan, &m, &from) ? list_ways(plan, ways) : 0;
  for (int k = 0; k < count && !run->remedy[0]; k++) {
    const outcome there = at_end ? FAILS : try_way(plan, &from, &ways[k], t1, deadline);
    // a motion that went astray long before is not mended where it fails, but from the start
    const double left = deadline - seconds_now();
    const outcome whole = try_way(plan, &plan->file->state, &ways[k], t1,
                                  seconds_now() + (there == GETS_PAST ? left : left / 4));
    if (whole == GETS_PAST || (whole == TOO_LONG && there == GETS_PAST)) {
      snprintf(run->remedy, sizeof run->remedy, "%s", ways[k].words);
      run->remedy_from_there = whole == TOO_LONG;
    } else if (whole == FAILS || there == FAILS) {
      buffer_add(&run->in_vain, "%s%s", run->in_vain.length ? ", " : "", ways[k].words);
    }
  }
  free(from.q);
  free(from.v);
  select_again(run);
}
