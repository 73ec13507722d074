// Error against work: what the high orders are for. Evaluations are counted, no time is taken.
#include <delassus/delassus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct subject {
  dls_model *model;
  dls_system *system;
  double q[4], v[4];
  dls_state start;
  dls_reference *reference;
  double until;
} subject;

// A model of examples/; step: of the run that is the reference, or 0 for its exact solution.
static void open_subject(subject *s, const char *name, double until, double step)
{
  char path[1000], text[10000];
  dls_diagnostics diagnostics;
  dls_message message = {""};
  snprintf(path, sizeof path, "%s/examples/%s.dls", getenv("DELASSUS_SOURCE"), name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t length = fread(text, 1, sizeof text, file);
  assert_true(length < sizeof text);
  fclose(file);
  assert_int_equal(dls_model_parse(text, length, &s->model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(s->model, &s->system), DLS_OK);
  assert_int_equal(dls_model_differentiate(s->system, &message), DLS_OK);
  assert_in_range(s->system->n, 1, 4);
  s->start = (dls_state){.q = s->q, .v = s->v};
  s->until = until;
  assert_int_equal(dls_model_state(s->system, NULL, &s->start, &message), DLS_OK);
  dls_integrator_options fine = dls_integrator_defaults();
  fine.scheme = "radau5", fine.step = step;
  fine.tolerance = fine.closed = 1e-11;
  const dls_status status =
      step > 0
          ? dls_reference_run(s->system, &s->start, &fine, until, NULL, &s->reference, &message)
          : dls_reference_exact(s->system, &s->start, until, 0.01, &s->reference, &message);
  if (status != DLS_OK) fail_msg("%s: %s", name, message.text);
}

static void close_subject(subject *s)
{
  dls_reference_free(s->reference);
  dls_system_free(s->system);
  dls_model_free(s->model);
}

static double measure(const subject *s, const char *scheme, double step, double tolerance,
                      long *work)
{
  dls_integrator_options how = dls_integrator_defaults();
  dls_accuracy a;
  dls_message message = {""};
  how.scheme = scheme, how.step = step;
  how.rtol = how.atol = tolerance;
  how.tolerance = how.closed = 1e-11;
  const dls_status status =
      dls_accuracy_measure(s->system, &s->start, &how, s->until, s->reference, NULL, &a, &message);
  if (status != DLS_OK || a.failure != DLS_FAILURE_NONE) fail_msg("%s: %s", scheme, message.text);
  *work = a.counts.rhs_evaluations;
  return a.q[DLS_NORM_HAUSDORFF];
}

// On each system chosen steps reach the error of fixed ones with less work.
static void chosen_steps(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    double until, reference, step, tolerance;
  } cases[] = {{"bouncing-ball", 5, 0, 0.05, 1e-6},
               {"impact-oscillator", 5, 0, 0.05, 1e-7},
               {"double-pendulum-wall", 3, 1e-3, 0.0125, 1e-6},
               {"slider-crank-clearance", 0.05, 1.25e-5, 2e-4, 1e-8}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    subject s;
    long fixed, chosen;
    open_subject(&s, cases[k].model, cases[k].until, cases[k].reference);
    const double a = measure(&s, "radau5", cases[k].step, 0, &fixed);
    const double b = measure(&s, "radau5", cases[k].step, cases[k].tolerance, &chosen);
    if (!(b <= a) || !(chosen < fixed))
      fail_msg("%s: fixed %g, %ld; chosen %g, %ld", cases[k].model, a, fixed, b, chosen);
    close_subject(&s);
  }
}

// radau5 is at 1e-8 with a hundredth of what Moreau needs for 1e-4.
static void hundred_times(void **state)
{
  (void)state;
  subject s;
  long moreau, radau;
  open_subject(&s, "impact-oscillator", 5, 0);
  assert_true(measure(&s, "radau5", 0.05, 0, &radau) <= 1e-8);
  assert_true(measure(&s, "moreau", 1e-4, 0, &moreau) > 1e-4);  // not there yet, and already
  assert_true(moreau > 100 * radau);
  close_subject(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(chosen_steps),
                                     cmocka_unit_test(hundred_times)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
