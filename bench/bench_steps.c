// How many steps per second does Moreau's scheme make? A bouncing ball, a chain of 20 links that
// falls on the floor, a pile of 50 blocks with 100 contacts at rest, and the same pile dropped with
// a gap of 1 mm under each block.
//
//   bench_steps            a table; peers/siconos_steps.py writes the same one
//   bench_steps growth     how the time of a step grows with the number of links or blocks
//
// error: of the ball, the integral of |q - closed form| over the run; of the others, the largest
// difference of final coordinates from those of a run with a step sixteen times smaller, whose row
// has the same name with " reference". Seconds are processor time, the least of several runs.
#include "model_text.h"

#include <delassus/delassus.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINKS = 20, BLOCKS = 50, FINER = 16, SAMPLE = 100, GROWTH_STEPS = 50 };

static const double GRAVITY = 9.81, RESTITUTION = 0.9, HEIGHT = 1;

// ---- the models ----

static void write_ball(text *t, int count)
{
  (void)count;
  add(t, "coordinate q = %g\nkinetic q'^2/2\npotential %g*q\n", HEIGHT, GRAVITY);
  add(t, "unilateral floor: q >= 0 { restitution %g }\n", RESTITUTION);
}

static void write_bodies(text *t, int count, double x, double y, double dx, double dy,
                         double inertia)
{
  add(t, "coordinate ");
  for (int i = 0; i < count; i++)
    add(t, "%sx%d = %.17g, y%d = %.17g, a%d = 0", i ? ", " : "", i, x + i * dx, i, y + i * dy, i);
  add(t, "\nkinetic ");
  for (int i = 0; i < count; i++)
    add(t, "%s(x%d'^2+y%d'^2)/2+%.17g*a%d'^2", i ? "+" : "", i, i, inertia / 2, i);
  add(t, "\npotential ");
  for (int i = 0; i < count; i++) add(t, "%s%g*y%d", i ? "+" : "", GRAVITY, i);
  add(t, "\n");
}

// Links of length 1 in absolute coordinates, one end of the first hinged at the origin.
static void write_chain(text *t, int links)
{
  write_bodies(t, links, 0.5, 0, 1, 0, 1.0 / 12);
  add(t, "bilateral p0x: x0-cos(a0)/2 = 0\nbilateral p0y: y0-sin(a0)/2 = 0\n");
  for (int i = 1; i < links; i++) {
    const int j = i - 1;
    add(t, "bilateral p%dx: x%d-cos(a%d)/2 = x%d+cos(a%d)/2\n", i, i, i, j, j);
    add(t, "bilateral p%dy: y%d-sin(a%d)/2 = y%d+sin(a%d)/2\n", i, i, i, j, j);
  }
  for (int i = 0; i < links; i++)
    add(t, "unilateral f%d: y%d+sin(a%d)/2 >= -5 { slip x%d'-sin(a%d)*a%d'/2; friction 0.3 }\n", i,
        i, i, i, i, i);
}

// Unit squares; the lower corners of each on the upper side of the one below.
static void write_pile(text *t, int blocks, double gap)
{
  write_bodies(t, blocks, 0, 0.5 + gap, 0, 1 + gap, 1.0 / 6);
  for (int i = 0; i < blocks; i++)
    for (int side = -1; side < 2; side += 2) {
      char x[160], y[160], u[160], v[160];
      const double s = 0.5 * side;
      snprintf(x, sizeof x, "x%d+(%g)*cos(a%d)+sin(a%d)/2", i, s, i, i);
      snprintf(y, sizeof y, "y%d+(%g)*sin(a%d)-cos(a%d)/2", i, s, i, i);
      snprintf(u, sizeof u, "x%d'+(%g)*sin(a%d)*a%d'+cos(a%d)*a%d'/2", i, -s, i, i, i, i);
      snprintf(v, sizeof v, "y%d'+(%g)*cos(a%d)*a%d'+sin(a%d)*a%d'/2", i, s, i, i, i, i);
      const int j = i - 1;
      add(t, "unilateral c%d%s: ", i, side < 0 ? "l" : "r");
      if (i == 0) add(t, "%s >= 0 { slip %s; friction 0.5 }\n", y, u);
      else
        add(t,
            "-((%s)-x%d)*sin(a%d)+((%s)-y%d)*cos(a%d) >= 0.5 { slip ((%s)-x%d')*cos(a%d)"
            "+((%s)-y%d')*sin(a%d)+a%d'/2; friction 0.5 }\n",
            x, j, j, y, j, j, u, j, j, v, j, j, j);
    }
}

static void write_rest(text *t, int blocks)
{
  write_pile(t, blocks, 0);
}

static void write_drop(text *t, int blocks)
{
  write_pile(t, blocks, 0.001);
}

// ---- runs ----

static const struct {
  const char *name;
  void (*write)(text *t, int count);
  int count;
  double step, until;
  int repetitions;
} cases[] = {{"ball", write_ball, 1, 1e-5, 10, 5},
             {"chain", write_chain, LINKS, 2e-3, 1.2, 10},
             {"pile", write_rest, BLOCKS, 1e-3, 0.1, 10},
             {"drop", write_drop, BLOCKS, 1e-3, 0.1, 10}};

static double now(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

// Where the ball is at t, impact after impact until they accumulate.
static double closed_form(double t)
{
  double begin = sqrt(2 * HEIGHT / GRAVITY), v = sqrt(2 * HEIGHT * GRAVITY);
  if (t < begin) return HEIGHT - GRAVITY * t * t / 2;
  if (t >= begin * (1 + RESTITUTION) / (1 - RESTITUTION)) return 0;
  for (;;) {
    v *= RESTITUTION;
    const double flight = 2 * v / GRAVITY;
    if (t < begin + flight || flight < 1e-14) break;
    begin += flight;
  }
  return (t - begin) * (v - GRAVITY * (t - begin) / 2);
}

static void must(int status, const char *what, const dls_message *message)
{
  if (status == 0) return;
  fprintf(stderr, "bench_steps: %s: %s\n", what, message->text);
  exit(1);
}

typedef struct run {
  double seconds, error;  // error: of the ball, when sampled
  dls_step_counts counts;
} run;

static run simulate(const dls_system *system, const char *scheme, double step, double until,
                    bool sample, double *q)
{
  dls_message message = {""};
  double *start = calloc(2 * (size_t)system->n, sizeof(double));
  if (!start) abort();
  dls_state state = {0, start, start + system->n};
  must((int)dls_model_state(system, "", &state, &message), "state", &message);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  dls_integrator *g;
  must((int)dls_integrator_create(system, &state, &options, &g, &message), "create", &message);
  run result = {0};
  const double begin = now();
  for (long k = 1;; k++) {
    dls_failure failure;
    must((int)dls_integrator_advance(g, until, &failure, &message), "advance", &message);
    must((int)failure, "step", &message);
    const dls_sample m = dls_integrator_sample(g);
    if (sample && k % SAMPLE == 0) result.error += SAMPLE * step * fabs(m.q[0] - closed_form(m.t));
    if (m.t >= until) break;
  }
  result.seconds = now() - begin;
  result.counts = dls_integrator_counts(g);
  memcpy(q, dls_integrator_sample(g).q, (size_t)system->n * sizeof(double));
  dls_integrator_free(g);
  free(start);
  return result;
}

static void print(const char *name, const char *suffix, double step, const run *r, double error,
                  int n, const double *q)
{
  const dls_step_counts *c = &r->counts;
  printf("delassus,%s%s,%g,%ld,%.6g,%.6g,%.6g,%.3g,%.3g,", name, suffix, step, c->steps, r->seconds,
         (double)c->steps / r->seconds, error, c->max_penetration, c->max_bilateral_gap);
  for (int i = 0; i < n; i++) printf("%s%.17g", i ? " " : "", q[i]);
  printf("\n");
  fflush(stdout);
}

static void measure(int k, const dls_system *system)
{
  const size_t n = (size_t)system->n;
  double *q = calloc(n, sizeof(double)), *finer = calloc(n, sizeof(double));
  if (!q || !finer) abort();
  const double step = cases[k].step, until = cases[k].until;
  const bool ball = strcmp(cases[k].name, "ball") == 0;
  run best = simulate(system, "moreau", step, until, false, q);
  for (int i = 1; i < cases[k].repetitions; i++) {
    const run again = simulate(system, "moreau", step, until, false, q);
    if (again.seconds < best.seconds) best = again;
  }
  double error = 0;
  if (ball) {
    error = simulate(system, "moreau", step, until, true, q).error;
  } else {
    const run reference = simulate(system, "moreau", step / FINER, until, false, finer);
    print(cases[k].name, " reference", step / FINER, &reference, 0, system->n, finer);
    for (size_t i = 0; i < n; i++) error = fmax(error, fabs(q[i] - finer[i]));
  }
  print(cases[k].name, "", step, &best, error, system->n, q);
  free(q);
  free(finer);
}

static dls_system *make(const char *name, void (*write)(text *t, int count), int count,
                        dls_model **model)
{
  text t = {NULL, 0, 0};
  dls_system *system;
  dls_diagnostics *problems = calloc(1, sizeof *problems);
  dls_message message = {"the model was not understood"};
  if (!problems) abort();
  write(&t, count);
  must((int)dls_model_parse(t.at, t.used, model, problems), name, &message);
  must((int)dls_model_system(*model, &system), name, &message);
  must((int)dls_model_differentiate(system, &message), name, &message);
  free(problems);
  free(t.at);
  return system;
}

static void compare_peers(void)
{
  printf("program,model,step,steps,seconds,steps_per_second,error,penetration,bilateral,final\n");
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    dls_model *model;
    dls_system *system = make(cases[k].name, cases[k].write, cases[k].count, &model);
    measure(k, system);
    dls_system_free(system);
    dls_model_free(model);
  }
}

// A chain that falls, and a pile at rest, which is two contacts for each block.
static void measure_growth(void)
{
  static const char *const schemes[] = {"moreau", "radau5"};
  static const double step = 1e-3;
  printf("model,bodies,scheme,us_per_step,us_per_body\n");
  for (int k = 1; k < 3; k++)
    for (int bodies = 10; bodies <= 320; bodies *= 2) {
      dls_model *model;
      dls_system *system = make(cases[k].name, cases[k].write, bodies, &model);
      double *q = calloc((size_t)system->n, sizeof(double));
      if (!q) abort();
      for (int s = 0; s < 2; s++) {
        double least = INFINITY;
        for (int again = 0; again < 3; again++)
          least = fmin(least,
                       simulate(system, schemes[s], step, GROWTH_STEPS * step, false, q).seconds);
        const double us = 1e6 * least / GROWTH_STEPS;
        printf("%s,%d,%s,%.4g,%.3g\n", cases[k].name, bodies, schemes[s], us, us / bodies);
        fflush(stdout);
      }
      free(q);
      dls_system_free(system);
      dls_model_free(model);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "growth") == 0) measure_growth();
  else compare_peers();
  return 0;
}
