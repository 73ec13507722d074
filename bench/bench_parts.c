// What do independent parts of a system cost? 1, 10 and 100 copies of a ball, a pendulum with a
// stop and a plane box with four corners and friction, each from a height of its own, with schemes
// that locate events.
//
//   bench_parts            a table
//
// Microseconds of processor time for a step of one copy: of the copies alone (the mean of ten), and
// of all in one system, without and with a listener that is told of every event and the state of
// all copies there. whole: as one system without parts, which may fail. Evaluations are those of
// all parts together, divided by the number of steps and copies.
#include "model_text.h"

#include <delassus/delassus.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALONE = 10, WHOLE_MOST = 10, REPETITIONS = 5 };

static double height(int k)
{
  return 0.5 + 0.01 * ((k * 37) % 41);
}

static void write_ball(text *t, int k)
{
  add(t, "coordinate y%d = %g\nkinetic y%d'^2/2\npotential 9.81*y%d\n", k, height(k), k, k);
  add(t, "unilateral f%d: y%d >= 0 { restitution 0.8 }\n", k, k);
}

static void write_pendulum(text *t, int k)
{
  add(t, "coordinate a%d = %g\nkinetic a%d'^2/2\npotential -9.81*cos(a%d)\n", k, height(k), k, k);
  add(t, "unilateral s%d: a%d >= -0.2 { restitution 0.8 }\n", k, k);
}

static void write_box(text *t, int k)
{
  add(t, "coordinate x%d = 0, y%d = %g, a%d = 0.3\nvelocity x%d = 1\n", k, k, height(k), k, k);
  add(t, "kinetic (x%d'^2 + y%d'^2)/2 + a%d'^2/120\npotential 9.81*y%d\n", k, k, k, k);
  for (int c = 0; c < 4; c++) {
    const double u = c & 1 ? 0.2 : -0.2, w = c & 2 ? 0.1 : -0.1;
    add(t, "unilateral c%d_%d: y%d + (%g)*sin(a%d) + (%g)*cos(a%d) >= 0 { slip ", k, c, k, u, k, w,
        k);
    add(t, "x%d' - (%g)*sin(a%d)*a%d' - (%g)*cos(a%d)*a%d'; friction 0.3; restitution 0.2 }\n", k,
        u, k, k, w, k, k);
  }
}

static double now(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static void must(int status, const char *what, const dls_message *message)
{
  if (status == 0) return;
  fprintf(stderr, "bench_parts: %s: %s\n", what, message->text);
  exit(1);
}

static void listen(void *self, const dls_event *event)
{
  *(double *)self += event->q[0];
}

typedef struct result {
  double seconds;
  dls_step_counts counts;
  dls_failure failure;
} result;

typedef struct plan {
  void (*write)(text *t, int k);
  const char *scheme;
  double step, until;
} plan;

static dls_system *make(const plan *p, int first, int count, dls_model **model)
{
  text t = {NULL, 0, 0};
  dls_system *system;
  dls_diagnostics *problems = calloc(1, sizeof *problems);
  dls_message message = {"the model was not understood"};
  if (!problems) abort();
  for (int k = first; k < first + count; k++) p->write(&t, k);
  must((int)dls_model_parse(t.at, t.used, model, problems), "model", &message);
  must((int)dls_model_system(*model, &system), "system", &message);
  must((int)dls_model_differentiate(system, &message), "derivatives", &message);
  free(problems);
  free(t.at);
  return system;
}

static result simulate(const plan *p, int first, int count, bool parts, bool told)
{
  dls_model *model;
  dls_system *system = make(p, first, count, &model);
  dls_message message = {""};
  double *start = calloc(2 * (size_t)system->n, sizeof(double)), heard = 0;
  if (!start) abort();
  if (!parts) system->parts = 1;
  dls_state state = {0, start, start + system->n};
  must((int)dls_model_state(system, "", &state, &message), "state", &message);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = p->scheme, options.step = p->step;
  options.event = told ? listen : NULL, options.self = &heard;
  dls_integrator *g;
  must((int)dls_integrator_create(system, &state, &options, &g, &message), "create", &message);
  result r = {0};
  const double begin = now();
  while (r.failure == DLS_FAILURE_NONE && dls_integrator_sample(g).t < p->until)
    must((int)dls_integrator_advance(g, p->until, &r.failure, &message), "advance", &message);
  r.seconds = now() - begin;
  r.counts = dls_integrator_counts(g);
  dls_integrator_free(g);
  dls_system_free(system);
  dls_model_free(model);
  free(start);
  return r;
}

// The least time of several runs.
static result repeat(const plan *p, int first, int count, bool parts, bool told)
{
  result best = simulate(p, first, count, parts, told);
  for (int k = 1; k < REPETITIONS; k++) {
    const result again = simulate(p, first, count, parts, told);
    if (again.seconds < best.seconds) best = again;
  }
  return best;
}

static double per_step(const result *r, int count)
{
  return 1e6 * r->seconds / (double)r->counts.steps / count;
}

static void measure(const char *name, const plan *p, int count)
{
  double alone = 0;
  for (int k = 0; k < ALONE; k++) {
    const result r = repeat(p, k, 1, true, false);
    must((int)r.failure, name, &(dls_message){"a copy alone fails"});
    alone += per_step(&r, 1) / ALONE;
  }
  const result silent = repeat(p, 0, count, true, false), told = repeat(p, 0, count, true, true);
  printf("%-9s %-7s %4d %8.2f %8.2f %6.2f %8.2f %6.2f %7.1f %7.1f", name, p->scheme, count, alone,
         per_step(&silent, count), per_step(&silent, count) / alone, per_step(&told, count),
         per_step(&told, count) / alone,
         (double)silent.counts.rhs_evaluations / (double)silent.counts.steps / count,
         (double)told.counts.rhs_evaluations / (double)told.counts.steps / count);
  if (silent.failure || told.failure) printf(" (failed)");
  if (count <= WHOLE_MOST) {
    const result whole = repeat(p, 0, count, false, false);
    printf(" %8.2f%s", per_step(&whole, count), whole.failure ? " (failed)" : "");
  }
  printf("\n");
  fflush(stdout);
}

int main(void)
{
  static const struct {
    const char *name;
    void (*write)(text *t, int k);
    double step, until;
  } models[] = {{"ball", write_ball, 5e-3, 2},
                {"pendulum", write_pendulum, 5e-3, 2},
                {"box", write_box, 2e-3, 1}};
  printf(
      "model     scheme  copies   alone  silent  ratio    told  ratio  evals   evals    whole\n");
  for (int s = 0; s < 2; s++)
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
      for (int count = 1; count <= 100; count *= 10) {
        const plan p = {models[k].write, s ? "herk4" : "radau5", models[k].step, models[k].until};
        measure(models[k].name, &p, count);
      }
  return 0;
}
