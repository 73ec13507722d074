// The four motions of motions_models.c by delassus and, where it is there, by CVODE: a table with a
// row for each tolerance.
//
//   motions > table.csv
//
// Each has the same functions in C. CVODE: Adams' methods, fixed-point iteration, roots of the gaps
// by its rootfinding; at a root velocities change by Newton's law, and it starts anew. Its
// evaluations are those of the right-hand side. Those of delassus are all there are: one evaluation
// is of forces, masses and gaps. Seconds are processor time, the least of several runs.
#include "../timing.h"
#include "motions_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CVODE
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

static const double ENOUGH = 0.02;  // seconds that a run is repeated for
enum { LEAST_RUNS = 3, MOST_RUNS = 200 };

typedef struct result {
  long evaluations, steps, events;
  double seconds, final[2 * MAX_COORDINATES];
} result;

typedef bool runner(const motion *x, const char *scheme, double tolerance, result *out);

static bool run_delassus(const motion *x, const char *scheme, double tolerance, result *out)
{
  double q[MAX_COORDINATES], v[MAX_COORDINATES];
  dls_state start = {.q = q, .v = v};
  dls_integrator *integrator = NULL;
  dls_integrator_options options = dls_integrator_defaults();
  dls_failure failure = DLS_FAILURE_NONE;
  dls_message message = {{0}};
  options.scheme = scheme, options.step = 0.01;
  options.rtol = options.atol = tolerance;
  x->start(q, v);
  dls_system *system = motion_system(x);
  if (!system) return false;
  const double begin = processor_time();
  dls_status status = dls_integrator_create(system, &start, &options, &integrator, &message);
  while (status == DLS_OK && !failure && dls_integrator_sample(integrator).t < x->until)
    status = dls_integrator_advance(integrator, x->until, &failure, &message);
  out->seconds = processor_time() - begin;
  const bool done = status == DLS_OK && !failure;
  if (done) {
    const dls_sample sample = dls_integrator_sample(integrator);
    const dls_step_counts counts = dls_integrator_counts(integrator);
    out->evaluations = counts.rhs_evaluations, out->steps = counts.steps + counts.rejected;
    out->events = counts.events;
    memcpy(out->final, sample.q, (size_t)x->n * sizeof(double));
    memcpy(out->final + x->n, sample.v, (size_t)x->n * sizeof(double));
  } else {
    fprintf(stderr, "%s, %s, %g: %s\n", x->name, scheme, tolerance,
            status ? dls_status_text(status) : message.text);
  }
  dls_integrator_free(integrator);
  dls_system_free(system);
  return done;
}

#ifdef WITH_CVODE
static int cvode_rhs(double t, N_Vector y, N_Vector dy, void *data)
{
  const motion *x = data;
  const double *q = N_VGetArrayPointer(y), *v = q + x->n;
  double *out = N_VGetArrayPointer(dy), mass[MAX_COORDINATES];
  memcpy(out, v, (size_t)x->n * sizeof(double));
  x->force(t, q, v, mass, out + x->n);
  for (int i = 0; i < x->n; i++) out[x->n + i] /= mass[i];
  return 0;
}

static int cvode_gaps(double t, N_Vector y, double *h, void *data)
{
  const motion *x = data;
  (void)t;
  x->gaps(N_VGetArrayPointer(y), h);
  return 0;
}

static bool cvode_go(const motion *x, double tolerance, SUNContext context, N_Vector y, void *cvode,
                     result *out)
{
  int found[MAX_GAPS], closing[MAX_GAPS];
  double t = 0, *state = N_VGetArrayPointer(y);
  for (int j = 0; j < x->m; j++) closing[j] = -1;
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context);
  bool done = CVodeInit(cvode, cvode_rhs, 0, y) == 0 &&
              CVodeSStolerances(cvode, tolerance, tolerance) == 0 &&
              CVodeSetUserData(cvode, (void *)(uintptr_t)x) == 0 &&
              CVodeSetNonlinearSolver(cvode, solver) == 0 &&
              CVodeRootInit(cvode, x->m, cvode_gaps) == 0 &&
              CVodeSetRootDirection(cvode, closing) == 0 &&
              CVodeSetMaxNumSteps(cvode, 1000000) == 0 && CVodeSetStopTime(cvode, x->until) == 0;
  out->evaluations = out->steps = out->events = 0;
  while (done && t < x->until) {
    const int flag = CVode(cvode, x->until, y, &t, CV_NORMAL);
    done = flag >= 0;
    if (flag != CV_ROOT_RETURN) continue;
    long evaluations = 0, steps = 0;  // since it started
    CVodeGetNumRhsEvals(cvode, &evaluations), CVodeGetNumSteps(cvode, &steps);
    out->evaluations += evaluations, out->steps += steps, out->events++;
    CVodeGetRootInfo(cvode, found);
    for (int j = 0; j < x->m; j++)
      if (found[j]) motion_collide(x, j, state, state + x->n);
    done = CVodeReInit(cvode, t, y) == 0 && CVodeSetStopTime(cvode, x->until) == 0;
  }
  long evaluations = 0, steps = 0;
  CVodeGetNumRhsEvals(cvode, &evaluations), CVodeGetNumSteps(cvode, &steps);
  out->evaluations += evaluations, out->steps += steps;
  memcpy(out->final, state, 2 * (size_t)x->n * sizeof(double));
  SUNNonlinSolFree(solver);
  return done;
}

static bool run_cvode(const motion *x, const char *scheme, double tolerance, result *out)
{
  SUNContext context = NULL;
  (void)scheme;
  const double begin = processor_time();
  if (SUNContext_Create(NULL, &context) != 0) return false;
  N_Vector y = N_VNew_Serial(2 * x->n, context);
  void *cvode = CVodeCreate(CV_ADAMS, context);
  x->start(N_VGetArrayPointer(y), N_VGetArrayPointer(y) + x->n);
  const bool done = cvode && cvode_go(x, tolerance, context, y, cvode, out);
  CVodeFree(&cvode);
  N_VDestroy(y);
  SUNContext_Free(&context);
  out->seconds = processor_time() - begin;
  return done;
}
#endif

static void print(const motion *x, const char *program, double tolerance, const result *r)
{
  printf("%s,%s,%.3g,%ld,%ld,%ld,%.4g,", x->name, program, tolerance, r->evaluations, r->steps,
         r->events, r->seconds);
  for (int i = 0; i < 2 * x->n; i++) printf("%s%.17g", i ? " " : "", r->final[i]);
  printf("\n");
}

static void sweep(const motion *x, const char *program, runner *run, const char *scheme)
{
  for (int k = 6; k <= 26; k++) {  // halves of a decade
    const double tolerance = pow(10, -k / 2.);
    result best, now;
    const double begin = processor_time();
    if (!run(x, scheme, tolerance, &best)) continue;
    for (int i = 1; i < MOST_RUNS && (i < LEAST_RUNS || processor_time() - begin < ENOUGH); i++)
      if (run(x, scheme, tolerance, &now) && now.seconds < best.seconds) best = now;
    print(x, program, tolerance, &best);
  }
}

// An argument: only the sweep of that scheme.
int main(int count, char **argument)
{
  printf("model,program,tolerance,evaluations,steps,events,seconds,final\n");
  for (int k = 0; k < MOTIONS; k++) {
    const motion *x = &motions[k];
    result r;
    if (run_delassus(x, "herk8", 1e-14, &r)) print(x, "reference", 1e-14, &r);
    if (count > 1) {
      sweep(x, argument[1], run_delassus, argument[1]);
      continue;
    }
    sweep(x, "herk8", run_delassus, "herk8");
    sweep(x, "herk5", run_delassus, "herk5");
#ifdef WITH_CVODE
    sweep(x, "CVODE", run_cvode, NULL);
#endif
  }
  return 0;
}
