// The runs of delassus order, one after the other, and the slopes.
#include "order.h"

#include "interrupt.h"
#include "message.h"
#include "progress.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong_list(const char *flag, const char *text, const char *why)
{
  complain("%s %s: %s", flag, text, why);
  add_line("expected A:B:N with A > B > 0 and N >= 2, or a list such as 0.1,0.05,0.01");
  return EXIT_WRONG;
}

static int falling(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static int read_values(order_list *list, const char *flag, const char *text)
{
  const char *rest = text;
  char *end = NULL;
  for (;;) {
    const double x = strtod(rest, &end);
    if (end == rest || !(x > 0) || !isfinite(x))
      return wrong_list(flag, text, "no positive number");
    if (list->count == ORDER_COUNT) return wrong_list(flag, text, "too many values");
    list->value[list->count++] = x;
    if (!*end) break;
    if (*end != ',') return wrong_list(flag, text, "something follows a number");
    rest = end + 1;
  }
  qsort(list->value, (size_t)list->count, sizeof(double), falling);
  for (int k = 1; k < list->count; k++)
    if (list->value[k] == list->value[k - 1]) return wrong_list(flag, text, "a value comes twice");
  return 0;
}

int order_list_read(order_list *list, const char *flag, const char *text)
{
  double part[3];
  const char *rest = text;
  char *end = NULL;
  *list = (order_list){0};
  if (!strchr(text, ':')) return read_values(list, flag, text);
  for (int k = 0; k < 3; k++) {
    part[k] = strtod(rest, &end);
    if (end == rest || !isfinite(part[k]) || *end != (k < 2 ? ':' : '\0'))
      return wrong_list(flag, text, "not A:B:N");
    rest = end + 1;
  }
  if (!(part[1] > 0)) return wrong_list(flag, text, "B is not positive");
  if (!(part[0] > part[1])) return wrong_list(flag, text, "A is not greater than B");
  if (!(part[2] >= 2) || part[2] != floor(part[2]) || part[2] > ORDER_COUNT) {
    complain("%s %s: expected a whole number N from 2 to %d", flag, text, ORDER_COUNT);
    return EXIT_WRONG;
  }
  list->count = (int)part[2];
  const double ratio = part[1] / part[0], wide = log(part[1]) - log(part[0]);
  for (int k = 0; k < list->count; k++) {
    const double at = k / (part[2] - 1);
    list->value[k] = ratio >= DBL_MIN ? part[0] * pow(ratio, at) : exp(log(part[0]) + wide * at);
  }
  list->value[0] = part[0], list->value[list->count - 1] = part[1];
  for (int k = 1; k < list->count; k++)
    if (!(list->value[k] < list->value[k - 1]))
      return wrong_list(flag, text, "A and B are too near for N values");
  return 0;
}

// ---- runs ---------------------------------------------------------------------------------------

void order_result_free(order_result *r)
{
  dls_reference_free(r->reference);
  free(r->run);
  free(r->used);
  free(r->below);
}

double order_step(const order_plan *plan, const order_run *run)
{
  return plan->chosen[run->scheme] ? run->accuracy.mean_step : run->step;
}

double order_error(const order_run *run, int quantity, int norm)
{
  if (!run->done) return (double)NAN;
  return quantity == 0 ? run->accuracy.q[norm] : run->accuracy.v[norm];
}

bool order_failed(const order_run *run)
{
  return run->done && run->accuracy.failure != DLS_FAILURE_NONE;
}

static bool list_runs(order_result *r, const order_plan *plan)
{
  const size_t most = (size_t)plan->schemes * ORDER_COUNT;
  const double time = plan->until - plan->file->state.t;
  r->run = calloc(most, sizeof *r->run);
  r->used = calloc(most, sizeof *r->used);
  r->below = calloc(most, sizeof *r->below);
  if (!r->run || !r->used || !r->below) return false;
  for (int k = 0; k < plan->schemes; k++) {
    const bool chosen = plan->chosen[k];
    const int count = chosen ? plan->rtols.count : plan->steps.count;
    for (int i = 0; i < count; i++) {
      order_run *run = &r->run[r->runs++];
      *run = (order_run){.scheme = k, .step = plan->steps.value[i]};
      if (!chosen) continue;
      run->step = plan->steps.count ? plan->steps.value[0] : time / 100;
      run->rtol = run->atol = plan->rtols.value[i];
      if (plan->atols.count) run->atol = plan->atols.value[plan->atols.count > 1 ? i : 0];
    }
  }
  return true;
}

typedef struct looker {
  progress_bar bar;
  const order_plan *plan;
  const char *what;
  double step;
  int number, count;  // runs before this one, and all, the reference among them
} looker;

static bool look_on(void *self, double t)
{
  looker *l = self;
  const double from = l->plan->file->state.t, part = (t - from) / (l->plan->until - from);
  if (!l->plan->quiet)
    progress_show(&l->bar, (l->number + part) / l->count, "%d of %d: %s, step %.3g, t = %.3g",
                  l->number + 1, l->count, l->what, l->step, t);
  return interrupt_came();
}

// The tolerances that order begins with are smaller than those of simulate.
void order_suggest_tolerance(const order_plan *plan)
{
  const options *o = plan->file->options;
  if (!options_has(o, "--tol") && !options_has(o, "--residual"))
    add_line("if %.0e is too small a tolerance for this model: --tol 1e-9 --residual 1e-9",
             plan->how.tolerance);
}

static int say_wrong(const order_plan *plan, dls_status status, const dls_message *message)
{
  return model_file_failed(plan->file, status, message);
}

// The smallest step of all, and for tolerances a guess.
static double finest(const order_plan *plan)
{
  const double time = plan->until - plan->file->state.t;
  const int count = plan->steps.count;
  return fmin(count ? plan->steps.value[count - 1] : time / 1000, time);
}

// A start that no run can have is a wrong call, not a run that failed.
static int check_start(const order_plan *plan, const dls_integrator_options *how)
{
  dls_message message = {0};
  dls_integrator *integrator = NULL;
  const dls_status status =
      dls_integrator_create(plan->file->system, &plan->file->state, how, &integrator, &message);
  dls_integrator_free(integrator);
  return status == DLS_OK ? 0 : say_wrong(plan, status, &message);
}

// eq (err.7): the error of a run that counts as exact, by one with twice its step.
static int estimate_reference(order_result *r, const order_plan *plan,
                              const dls_integrator_options *reference, looker *look)
{
  dls_message message = {0};
  dls_accuracy a;
  dls_integrator_options how = *reference;
  how.step *= 2;
  look->what = "error of the reference", look->step = how.step;
  const dls_watch watch = {.watch = look_on, .self = look};
  const dls_status status = dls_accuracy_measure(plan->file->system, &plan->file->state, &how,
                                                 plan->until, r->reference, &watch, &a, &message);
  look->number++;
  if (status != DLS_OK) return say_wrong(plan, status, &message);
  r->interrupted = a.stopped;
  for (int k = 0; k < DLS_NORM_COUNT; k++) {
    r->reference_error[0][k] = a.q[k];
    r->reference_error[1][k] = a.v[k];
  }
  return 0;
}

static int run_reference(order_result *r, const order_plan *plan, looker *look)
{
  static const char best[] = "radau5";
  dls_message message = {0};
  dls_integrator_options how = plan->how;
  if (!dls_scheme_find(best)) {
    complain("%s: the model has no exact statements, and this version has no %s to compare with",
             plan->file->shown, best);
    return EXIT_WRONG;
  }
  how.scheme = best;
  how.step = r->reference_step = finest(plan) / 8;
  how.rtol = how.atol = 0;
  const int wrong = check_start(plan, &how);
  if (wrong) return wrong;
  look->what = "reference", look->step = how.step;
  const dls_watch watch = {.watch = look_on, .self = look};
  const dls_status status = dls_reference_run(plan->file->system, &plan->file->state, &how,
                                              plan->until, &watch, &r->reference, &message);
  look->number++;
  if (status == DLS_OK) return estimate_reference(r, plan, &how, look);
  say_wrong(plan, status, &message);
  if (status == DLS_ERR_NUMBER && !interrupt_came()) order_suggest_tolerance(plan);
  return interrupt_came() || status == DLS_ERR_NUMBER ? EXIT_BAD_ANSWER : EXIT_WRONG;
}

static int make_reference(order_result *r, const order_plan *plan, looker *look)
{
  const model_file *file = plan->file;
  dls_message message = {0};
  r->exact =
      plan->by_formula || (!plan->by_run && dls_reference_given(file->system, file->state.t));
  if (!r->exact) return run_reference(r, plan, look);
  const dls_status status = dls_reference_exact(file->system, &file->state, plan->until,
                                                finest(plan), &r->reference, &message);
  look->number++;
  if (status == DLS_OK) return 0;
  say_wrong(plan, status, &message);
  if (status == DLS_ERR_STATE) add_line("--reference run compares with a run of radau5 instead");
  return EXIT_WRONG;
}

static dls_integrator_options options_of(const order_plan *plan, const order_run *run)
{
  dls_integrator_options how = plan->how;
  how.scheme = plan->scheme[run->scheme];
  how.step = run->step;
  how.rtol = run->rtol, how.atol = run->atol;
  return how;
}

static int make_runs(order_result *r, const order_plan *plan, looker *look)
{
  const dls_watch watch = {.watch = look_on, .self = look};
  for (int k = 0; k < r->runs && !r->interrupted; k++) {
    order_run *run = &r->run[k];
    const dls_integrator_options how = options_of(plan, run);
    dls_message message = {0};
    look->what = how.scheme, look->step = how.step;
    const dls_status status =
        dls_accuracy_measure(plan->file->system, &plan->file->state, &how, plan->until,
                             r->reference, &watch, &run->accuracy, &message);
    if (status != DLS_OK) return say_wrong(plan, status, &message);
    r->interrupted = run->accuracy.stopped;
    run->done = !r->interrupted;
    look->number++;
  }
  return 0;
}

// Tolerances and roundings are not made out in errors that are so many times larger: those of
// schemes of low order, whose runs take long.
static const double far_above = 1e6;

static double largest_tolerance(const order_plan *plan, int quantity, int norm, double rounding)
{
  const double time = plan->until - plan->file->state.t;
  const double given = quantity == 0 ? plan->how.closed : plan->how.rest;
  const double weight = norm == DLS_NORM_L1 ? time : norm == DLS_NORM_L2 ? sqrt(time) : 1;
  return fmax(given, rounding) * weight;
}

// Whether some error of the finest run could be noise.
static bool near_noise(const order_plan *plan, const order_run *run)
{
  const dls_accuracy *a = &run->accuracy;
  for (int x = 0; x < QUANTITIES; x++)
    for (int k = 0; k < DLS_NORM_COUNT; k++)
      if (order_error(run, x, k) <=
          far_above * largest_tolerance(plan, x, k, x == 0 ? a->floor_q : a->floor_v))
        return true;
  return false;
}

// The last run of a scheme that has an error, NULL: none.
static const order_run *finest_run(const order_result *r, int scheme)
{
  const order_run *finest = NULL;
  for (int k = 0; k < r->runs; k++)
    if (r->run[k].scheme == scheme && r->run[k].done && !order_failed(&r->run[k]))
      finest = &r->run[k];
  return finest;
}

// eq (err.9)
static int estimate_noise(order_result *r, const order_plan *plan, int scheme, looker *look)
{
  const order_run *run = finest_run(r, scheme);
  const dls_watch watch = {.watch = look_on, .self = look};
  dls_message message = {0};
  dls_accuracy a;
  look->number++;
  if (!run || !near_noise(plan, run)) return 0;
  for (int k = 0; k < DLS_NORM_COUNT; k++)
    r->noise[scheme][0][k] = r->noise[scheme][1][k] = (double)NAN;
  if (r->interrupted) return 0;
  const dls_integrator_options how = options_of(plan, run);
  look->what = "noise", look->step = run->step;
  const dls_status status = dls_accuracy_noise(plan->file->system, &plan->file->state, &how,
                                               plan->until, &watch, &a, &message);
  if (status != DLS_OK) return say_wrong(plan, status, &message);
  r->interrupted = interrupt_came();
  for (int k = 0; k < DLS_NORM_COUNT; k++)
    r->noise[scheme][0][k] = a.q[k], r->noise[scheme][1][k] = a.v[k];
  return 0;
}

// Errors up to so many times that of the reference, or those that finer steps have from rounding,
// are to a good part not the scheme's.                                              eq (err.7)
static const double doubt = 8;

// What rounding shows of itself: the largest error at its level among the runs after run k.
static double seen_rounding(const order_result *r, int k, int quantity, int norm)
{
  double most = 0;
  for (int i = k + 1; i < r->runs && r->run[i].scheme == r->run[k].scheme; i++) {
    const dls_accuracy *a = &r->run[i].accuracy;
    const double error = order_error(&r->run[i], quantity, norm);
    if (error <= (quantity == 0 ? a->floor_q : a->floor_v)) most = fmax(most, error);
  }
  return most;
}

// Errors up to this part of what counts as zero are never a scheme's.               eq (err.9)
static const double nothing = 1e-3;

// Slopes over steps that hardly differ mean nothing.
static const double least_span = 2;

static bool steps_differ(const order_plan *plan, const order_result *r, int scheme, int quantity,
                         int norm)
{
  double low = HUGE_VAL, high = 0;
  for (int k = 0; k < r->runs; k++) {
    if (r->run[k].scheme != scheme || !r->used[k][quantity][norm]) continue;
    low = fmin(low, order_step(plan, &r->run[k]));
    high = fmax(high, order_step(plan, &r->run[k]));
  }
  return high >= least_span * low;
}

// The size up to which an error says nothing: rounding, tolerances, or the error of the reference.
static double floor_of(order_result *r, const order_plan *plan, int k, int quantity, int norm)
{
  const dls_accuracy *a = &r->run[k].accuracy;
  const double rounding =
      fmax(quantity == 0 ? a->floor_q : a->floor_v, doubt * seen_rounding(r, k, quantity, norm));
  const double least = nothing * largest_tolerance(plan, quantity, norm, 0);
  const double found = r->noise[r->run[k].scheme][quantity][norm];
  const double noise = isnan(found) ? found : fmax(found, least);
  const double reference = doubt * r->reference_error[quantity][norm];
  const double error = order_error(&r->run[k], quantity, norm);
  const bool is_noise = !(error > rounding) || !(error > noise);
  // without an estimate every error is in doubt
  r->below[k][quantity][norm] = isfinite(error) && !(error > reference) && !is_noise;
  return isnan(reference) || isnan(noise) ? HUGE_VAL : fmax(fmax(rounding, noise), reference);
}

static void fit(order_result *r, const order_plan *plan, int scheme, int quantity, int norm)
{
  double step[ORDER_COUNT] = {0}, error[ORDER_COUNT] = {0}, floor[ORDER_COUNT] = {0};
  bool used[ORDER_COUNT] = {false};
  int index[ORDER_COUNT] = {0}, count = 0;
  for (int k = 0; k < r->runs; k++) {
    const order_run *run = &r->run[k];
    if (run->scheme != scheme) continue;
    step[count] = run->done ? order_step(plan, run) : (double)NAN;
    error[count] = order_error(run, quantity, norm);
    floor[count] = floor_of(r, plan, k, quantity, norm);
    index[count++] = k;
  }
  r->slope[scheme][quantity][norm] = dls_slope_fit(count, step, error, floor, used);
  for (int i = 0; i < count; i++) r->used[index[i]][quantity][norm] = used[i];
  if (plan->chosen[scheme] && !steps_differ(plan, r, scheme, quantity, norm))
    r->slope[scheme][quantity][norm].slope = (double)NAN;
}

const char *order_reason(const order_plan *plan, const order_result *r, int scheme, int quantity,
                         int norm)
{
  int errors = 0, below = 0, used = 0;
  if (isfinite(r->slope[scheme][quantity][norm].slope)) return NULL;
  for (int k = 0; k < r->runs; k++) {
    if (r->run[k].scheme != scheme) continue;
    errors += isfinite(order_error(&r->run[k], quantity, norm));
    below += r->below[k][quantity][norm];
    used += r->used[k][quantity][norm];
  }
  if (errors < 2) return "fewer than two runs have an error";
  if (r->slope[scheme][quantity][norm].stalled)
    return "errors fall, then stand still above what rounding and tolerances explain";
  if (used >= 2)
    return plan->chosen[scheme] ? "the mean steps hardly differ" : "the steps are the same";
  if (isnan(r->reference_error[quantity][norm]))
    return "the error of the reference could not be estimated";
  if (isnan(r->noise[scheme][quantity][norm]))
    return "what tolerances change could not be estimated";
  return below > 0 ? "fewer than two errors are well above that of the reference"
                   : "fewer than two errors are above rounding and the run's own tolerances";
}

int order_measure(order_result *r, const order_plan *plan)
{
  if (!list_runs(r, plan)) return complain("out of memory");
  looker look = {.plan = plan, .count = r->runs + 2 + plan->schemes};
  progress_begin(&look.bar, "measuring");
  interrupt_begin();
  int wrong = make_reference(r, plan, &look);
  if (!wrong) wrong = make_runs(r, plan, &look);
  for (int s = 0; s < plan->schemes && !wrong; s++) wrong = estimate_noise(r, plan, s, &look);
  progress_end(&look.bar);
  for (int s = 0; s < plan->schemes && !wrong; s++)
    for (int x = 0; x < QUANTITIES; x++)
      for (int k = 0; k < DLS_NORM_COUNT; k++) fit(r, plan, s, x, k);
  return wrong;
}
