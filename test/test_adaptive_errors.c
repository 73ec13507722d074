// Moreau's scheme with steps that are chosen: errors of coordinates follow the tolerance.  eq
// (mor.13)
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "cases.h"

static const struct {
  const char *name, *text;
  double until;
} MODELS[] = {
    {"a double pendulum",
     "coordinate a = 1.2, b = 0.3\nkinetic a'^2 + b'^2/2 + a'*b'*cos(a - b)\n"
     "potential -9.81*(2*cos(a) + cos(b))\n",
     2},
    {"a pendulum at a wall",
     "coordinate a = 1\nkinetic a'^2/2\npotential -9.81*cos(a)\n"
     "unilateral wall: sin(a) >= -0.4 { restitution 0.7 }\n",
     3},
    // slips at the point of a step: its blocks lagged behind by half a step's acceleration
    {"blocks that ride on a shaken plate",
     "coordinate x, y, u, w\nkinetic (x'^2 + y'^2 + u'^2 + w'^2)/2\npotential 9.81*(y + w)\n"
     "velocity x = 0.16, u = 0.16\n"
     "unilateral plate: y >= 0 { slip x' - 0.16*cos(8*t); friction 0.4 }\n"
     "unilateral block: w - y >= 0 { slip u' - x'; friction 0.4 }\n",
     1},
    {"a bead on a wire, with friction",
     "coordinate x = 1, y = 0\nvelocity y = -3\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "bilateral wire: (x^2 + y^2)/2 = 0.5 { slip x*y' - y*x'; friction 0.2 }\n",
     0.4},
    {"a bead in a bowl, with friction",
     "coordinate x = 0.8, y = 0.64\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "unilateral bowl: y - x^2 >= 0 { slip x' + 2*x*y'; friction 0.1 }\n",
     0.4},
    {"a mass on a spring, at a stop",
     "coordinate x = 1\nkinetic x'^2/2\npotential 20*x^2\nforce x = sin(5*t)\n"
     "unilateral stop: x >= -0.5 { restitution 0.6 }\n",
     3},
};

static void follow(void **state)
{
  (void)state;
  static const char *const schemes[] = {"moreau-adaptive", "moreau-variable-order"};
  for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
    trial exact = {.text = MODELS[k].text, .scheme = "radau5", .step = 1e-3, .rtol = 1e-11};
    exact.atol = 1e-11, exact.until = MODELS[k].until;
    at_case("%s", MODELS[k].name);
    trial_run(&exact);
    if (exact.wrong) fail_msg("%s: %s", exact.wrong, exact.message);
    for (int s = 0; s < 2; s++)
      for (double tolerance = 1e-3; tolerance > 5e-8; tolerance /= 10) {
        trial t = {.text = MODELS[k].text, .scheme = schemes[s], .step = 1e-3};
        t.rtol = t.atol = tolerance, t.until = MODELS[k].until;
        at_case("%s, %s, %g", MODELS[k].name, schemes[s], tolerance);
        trial_run(&t);
        if (t.wrong) fail_msg("%s: %s", t.wrong, t.message);
        double error = 0;
        for (int i = 0; i < t.n; i++)
          error = fmax(error, fabs(t.q[i] - exact.q[i]) / (1 + fabs(exact.q[i])));
        if (!(error <= 10 * tolerance)) fail_msg("%.3g tolerances", error / tolerance);
      }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(follow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
