#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <cmocka.h>

typedef struct parts {
  dls_model *model;
  dls_system *system;
  dls_integrator *integrator;
} parts;

static void keep_point(trial *t, double time, const double *q, const double *v)
{
  if (t->points_count >= t->points_room) return;
  trial_point *p = &t->points[t->points_count++];
  p->t = time;
  for (int i = 0; i < 2; i++) p->q[i] = i < t->n ? q[i] : 0, p->v[i] = i < t->n ? v[i] : 0;
}

static void note(void *self, const dls_event *event)
{
  trial *t = self;
  if (t->events < TRIAL_EVENTS) {
    t->kind[t->events] = event->kind;
    t->contact[t->events] = event->contact;
    t->time[t->events] = event->t;
  }
  t->events++;
  keep_point(t, event->t, event->q, event->v_before);
  keep_point(t, event->t, event->q, event->v_after);
}

static double energy_of(const parts *p)
{
  const dls_sample m = dls_integrator_sample(p->integrator);
  double kinetic = NAN, potential = NAN;
  p->system->energy(p->system->self, m.t, m.q, m.v, &kinetic, &potential, NULL);
  return kinetic + potential;
}

// NULL, or what went wrong.
static const char *opened(trial *t, parts *p)
{
  dls_diagnostics diagnostics;
  dls_message message = {""};
  double q[TRIAL_N], v[TRIAL_N];
  dls_state state = {0, q, v};
  if (dls_model_parse(t->text, strlen(t->text), &p->model, &diagnostics) != DLS_OK) {
    snprintf(t->message, sizeof t->message, "%d: %.270s", diagnostics.item[0].line,
             diagnostics.item[0].message);
    return "the text is wrong";
  }
  const char *wrong = NULL;
  if (dls_model_system(p->model, &p->system) != DLS_OK) return "no system";
  t->n = p->system->n, t->m = p->system->m;
  if (t->n > TRIAL_N || t->m > TRIAL_M) return "too large for a trial";
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = t->scheme, options.step = t->step;
  options.rtol = t->rtol, options.atol = t->atol;
  if (t->theta > 0) options.theta = t->theta;
  options.event = note, options.self = t;
  if (dls_model_differentiate(p->system, &message) != DLS_OK) wrong = "no derivatives";
  if (!wrong && dls_model_state(p->system, NULL, &state, &message) != DLS_OK) wrong = "no state";
  if (!wrong &&
      dls_integrator_create(p->system, &state, &options, &p->integrator, &message) != DLS_OK)
    wrong = "no integrator";
  if (wrong) snprintf(t->message, sizeof t->message, "%.290s", message.text);
  return wrong;
}

static void copy_sample(trial *t, const parts *p)
{
  const dls_sample m = dls_integrator_sample(p->integrator);
  t->t = m.t;
  memcpy(t->q, m.q, (size_t)m.n * sizeof(double)), memcpy(t->v, m.v, (size_t)m.n * sizeof(double));
  memcpy(t->status, m.status, (size_t)m.m);
  t->energy = energy_of(p);
  t->counts = dls_integrator_counts(p->integrator);
}

static const char *advanced(trial *t, const parts *p)
{
  const long most = t->max_steps > 0 ? t->max_steps : 200000;
  double energy = energy_of(p);
  dls_sample m = dls_integrator_sample(p->integrator);
  keep_point(t, m.t, m.q, m.v);
  while (m.t < t->until) {
    dls_failure failure = DLS_FAILURE_NONE;
    dls_message message = {""};
    const double before = m.t;
    const dls_status status = dls_integrator_advance(p->integrator, t->until, &failure, &message);
    m = dls_integrator_sample(p->integrator);
    keep_point(t, m.t, m.q, m.v);
    snprintf(t->message, sizeof t->message, "%.290s", message.text);
    if (status != DLS_OK) return "the call failed";
    if (failure != DLS_FAILURE_NONE) return dls_failure_text(failure);
    if (!(m.t > before)) return "time stood still";
    const dls_step_counts c = dls_integrator_counts(p->integrator);
    if (c.steps + c.rejected > most) return "too many steps";
    const double now = energy_of(p);
    if (!(now - energy <= t->energy_gain)) t->energy_gain = now - energy;  // lets NaN through
    energy = now;
  }
  return NULL;
}

// For hunts only: a trial that takes longer is left where it is, with its memory.
static sigjmp_buf too_long;

static void leave(int signal_number)
{
  (void)signal_number;
  siglongjmp(too_long, 1);
}

static void set_clock(int seconds)
{
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  signal(SIGPROF, seconds ? leave : SIG_DFL);
  setitimer(ITIMER_PROF, &limit, NULL);
}

static int number_of(const char *name, int otherwise)
{
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static void run_parts(trial *t)
{
  parts p = {0};
  t->wrong = opened(t, &p);
  if (!t->wrong) t->wrong = advanced(t, &p);
  if (p.integrator) copy_sample(t, &p);
  dls_integrator_free(p.integrator);
  dls_system_free(p.system);
  dls_model_free(p.model);
}

void trial_run(trial *t)
{
  const int seconds = number_of("DLS_TEST_SECONDS", 0);
  t->wrong = NULL, t->message[0] = 0, t->events = 0, t->points_count = 0;
  t->energy_gain = 0, t->t = 0, t->n = t->m = 0;
  if (!seconds) {
    run_parts(t);
    return;
  }
  if (sigsetjmp(too_long, 1) == 0) set_clock(seconds), run_parts(t);
  else t->wrong = "too long";
  set_clock(0);
}

int trial_count(const trial *t, dls_event_kind kind)
{
  int count = 0;
  for (int k = 0; k < t->events && k < TRIAL_EVENTS; k++) count += t->kind[k] == kind;
  return count;
}

double trial_last(const trial *t, dls_event_kind kind)
{
  double time = NAN;
  for (int k = 0; k < t->events && k < TRIAL_EVENTS; k++)
    if (t->kind[k] == kind) time = t->time[k];
  return time;
}

double trial_least_gap(const trial *t, double (*gap)(const void *, double t, const double *q),
                       const void *self)
{
  double least = INFINITY;
  for (int k = 0; k + 1 < t->points_count; k++) {
    const trial_point *a = &t->points[k], *b = &t->points[k + 1];
    const double h = b->t - a->t;
    for (int j = 0; j <= 10 && h > 0; j++) {
      const double s = j / 10., u = 1 - s;
      double q[2];
      for (int i = 0; i < 2; i++)
        q[i] = u * u * (1 + 2 * s) * a->q[i] + s * s * (1 + 2 * u) * b->q[i] +
               h * s * u * (u * a->v[i] - s * b->v[i]);
      least = fmin(least, gap(self, a->t + s * h, q));
    }
  }
  return least;
}

// ---- families

bool tally_hunts(const char *family)
{
  const char *only = getenv("DLS_TEST_FAMILY");
  return !only || strcmp(only, family) == 0;
}

tally tally_begin(const char *family, int cases)
{
  tally t = {.family = family};
  t.cases = tally_hunts(family) ? cases * number_of("DLS_TEST_CASES", 1) : 0;
  t.show = number_of("DLS_TEST_SHOW", 3);
  return t;
}

bool tally_next(tally *t)
{
  const int only = number_of("DLS_TEST_CASE", 0);
  t->number = only && t->number < only ? only : t->number + 1;
  uint64_t seed = (uint64_t)t->number;
  for (const char *c = t->family; *c; c++) seed = 31 * seed + (unsigned char)*c;
  t->r = rng_create(seed);
  return t->cases > 0 && (only ? t->number == only : t->number <= t->cases);
}

bool tally_wants(const char *scheme)
{
  const char *only = getenv("DLS_TEST_SCHEME");
  return !only || strcmp(only, scheme) == 0;
}

static const double GAVE_UP = 0.05;  // of the trials of a family, and four

static int row_of(const char *scheme)
{
  for (int k = 0; k < dls_scheme_count() && k < TALLY_SCHEMES; k++)
    if (strcmp(dls_scheme_info_at(k)->name, scheme) == 0) return k;
  return 0;
}

static void show(const tally *t, const trial *run, double ratio, const char *what)
{
  fprintf(stderr, "-- %s, case %d: %s: ", t->family, t->number, what);
  if (run->wrong) fprintf(stderr, "%s at t = %g. %s\n", run->wrong, run->t, run->message);
  else fprintf(stderr, "%.3g times its bound\n", ratio);
  fprintf(stderr, "   delassus simulate - --scheme %s --step %.17g --until %.17g", run->scheme,
          run->step, run->until);
  if (run->rtol > 0)
    fprintf(stderr, " --rtol %.17g --atol %.17g --max-step %.17g", run->rtol, run->atol,
            run->until);
  fprintf(stderr, "\n%s", run->text);
}

static void count_reason(tally *t, const char *what)
{
  int k = 0;
  while (k < 7 && t->reason[k].what && strcmp(t->reason[k].what, what) != 0) k++;
  t->reason[k].what = t->reason[k].what ? t->reason[k].what : what;
  t->reason[k].count++;
}

void tally_comparison(tally *t, const trial *run, double ratio, const char *what)
{
  const int k = row_of(run->scheme), chosen = run->rtol > 0;
  const bool wrong = run->wrong || !(ratio <= 1);
  if (isnan(ratio)) ratio = INFINITY;
  t->of[k][chosen].tried++, t->of[k][chosen].wrong += wrong;
  if (!run->wrong && !(ratio <= t->of[k][chosen].worst)) t->of[k][chosen].worst = ratio;
  t->wrong += wrong && !run->wrong;
  t->gave_up += run->wrong != NULL;
  if (wrong) count_reason(t, run->wrong ? run->wrong : what);
  if (wrong && t->shown++ < t->show) show(t, run, ratio, what);
}

void tally_end(const tally *t)
{
  int tried = 0;
  if (t->cases == 0) return;
  if (getenv("DLS_TEST_TABLE"))
    printf("%s\n%-24s %8s %8s %10s %8s %8s %10s\n", t->family, "", "fixed", "wrong", "worst",
           "chosen", "wrong", "worst");
  for (int k = 0; k < TALLY_SCHEMES; k++) {
    const int both = t->of[k][0].tried + t->of[k][1].tried;
    tried += both;
    if (!both || !getenv("DLS_TEST_TABLE")) continue;
    printf("%-24s", dls_scheme_info_at(k)->name);
    for (int c = 0; c < 2; c++)
      printf(" %8d %8d %10.2g", t->of[k][c].tried, t->of[k][c].wrong, t->of[k][c].worst);
    printf("\n");
  }
  for (int k = 0; k < 8 && t->reason[k].what && getenv("DLS_TEST_TABLE"); k++)
    printf("%8d %s\n", t->reason[k].count, t->reason[k].what);
  // a run that says that it cannot go on is better than a wrong one, but must be rare
  if (t->wrong || t->gave_up > GAVE_UP * tried + 4)
    fail_msg("%s: of %d trials %d went wrong and %d gave up (DLS_TEST_TABLE=1 shows a table)",
             t->family, tried, t->wrong, t->gave_up);
  assert_true(tried > 0 || getenv("DLS_TEST_SCHEME"));
}

// ---- drawing

double draw_between(rng *r, double low, double high)
{
  return low + (high - low) * (rng_real(r) + 1) / 2;
}

double draw_log(rng *r, double low, double high)
{
  return exp(draw_between(r, log(low), log(high)));
}

double draw_sign(rng *r)
{
  return rng_chance(r, 0.5) ? 1 : -1;
}
