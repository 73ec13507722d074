// Warnings about a run. Is a motion large beside what counts as zero? The tolerances of gaps and
// velocities have units: in metres 1e-9 is small beside a pendulum, and not beside the tip of a
// force microscope.
#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double enough = 1e3;  // times the tolerance: no word about it
static const double small = 1e-6;  // of the motion: a tolerance that will do

bool simulate_size_create(simulate_size *size, int n)
{
  size->low = calloc(2 * (size_t)n + 1, sizeof(double));
  if (!size->low) return false;
  size->n = n, size->high = size->low + n;
  for (int i = 0; i < n; i++) size->low[i] = HUGE_VAL, size->high[i] = -HUGE_VAL;
  return true;
}

void simulate_size_free(simulate_size *size)
{
  free(size->low);
  size->low = NULL;
}

void simulate_size_note(simulate_size *size, const double *q, const double *v)
{
  double speed = 0, length = 0;
  for (int i = 0; i < size->n; i++) {
    size->low[i] = fmin(size->low[i], q[i]);
    size->high[i] = fmax(size->high[i], q[i]);
    speed = fmax(speed, fabs(v[i]));
    length = fmax(length, fabs(q[i]));
  }
  if (size->rows++ == 0) size->first_length = length, size->first_speed = speed;
  size->speed = fmax(size->speed, speed);
}

// What starts from zero has no size of its own: where it rests it creeps by some tolerances, and
// nobody meant that.
static double size_of(double first, double seen)
{
  return first > 0 ? fmax(first, seen) : 0;
}

static double length_of(const simulate_size *size)
{
  double moved = 0;
  for (int i = 0; i < size->n; i++) moved = fmax(moved, size->high[i] - size->low[i]);
  return size_of(size->first_length, moved);
}

static bool is_small(double size, double tolerance)
{
  return size > 0 && size < enough * tolerance;
}

// A power of ten.
static double that_will_do(double size, double tolerance)
{
  return is_small(size, tolerance) ? pow(10, floor(log10(small * size))) : tolerance;
}

void simulate_size_judge(simulate_size *size, const simulate_plan *plan)
{
  const dls_system *s = plan->file->system;
  const double gap = plan->how.closed, rest = plan->how.rest;
  bool unilateral = false;
  for (int j = 0; j < s->m; j++) unilateral |= s->contacts[j].kind == DLS_UNILATERAL;
  if (!unilateral || size->rows == 0 || options_has(plan->file->options, "--tol")) return;
  const double length = length_of(size), speed = size_of(size->first_speed, size->speed);
  const double gap1 = that_will_do(length, gap), rest1 = that_will_do(speed, rest);
  if (is_small(length, gap))
    snprintf(size->warning[size->warnings++], sizeof size->warning[0],
             "coordinates are no larger than %.2g in this run, and gaps up to %g count as closed: "
             "--tol %g,%g would suit it",
             length, gap, gap1, rest1);
  if (is_small(speed, rest))
    snprintf(size->warning[size->warnings++], sizeof size->warning[0],
             "velocities are no larger than %.2g in this run, and those up to %g count as zero: "
             "--tol %g,%g would suit it",
             speed, rest, gap1, rest1);
}

void simulate_loss_judge(simulate_run *run)
{
  simulate_size *size = &run->size;
  const dls_uniqueness_loss loss = dls_integrator_uniqueness(run->integrator);
  if (!loss.lost || run->failure == DLS_FAILURE_UNIQUENESS) return;
  snprintf(size->warning[size->warnings++], sizeof size->warning[0],
           "from t = %.9g on the motion is not determined, and this is one of several: %s", loss.t,
           loss.why);
}

void simulate_crowd_judge(simulate_run *run)
{
  simulate_size *size = &run->size;
  const dls_step_counts counts = dls_integrator_counts(run->integrator);
  if (counts.coarse == 0) return;
  snprintf(size->warning[size->warnings++], sizeof size->warning[0],
           "events came one close behind the other without end, and were crossed in %ld steps of "
           "Moreau's scheme: the motion is no better than that there",
           counts.coarse);
}

void simulate_creep_judge(simulate_run *run, const simulate_plan *plan)
{
  simulate_size *size = &run->size;
  const dls_sample m = dls_integrator_sample(run->integrator);
  const long steps = dls_integrator_counts(run->integrator).steps;
  const double longest = (plan->until - run->start) / 50;  // as it is where --max-step is not given
  const double mean = steps > 0 ? (m.t - run->start) / (double)steps : longest;
  const double shortest = fmin(mean, m.next_step);
  if (!simulate_chooses_steps(plan) || simulate_jumps(plan, run)) return;
  if (!(shortest < longest / 1000) || !dls_model_force_jumps(plan->file->model)) return;
  snprintf(size->warning[size->warnings++], sizeof size->warning[0],
           "steps are as short as %.2g, since a force of the model jumps with a velocity (sign, "
           "if); dry friction is a contact's: unilateral floor: y >= 0 { slip x'; friction 0.4 }",
           shortest);
}
