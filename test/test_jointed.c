// Moreau's scheme with theta = 1/2 on smooth systems with joints: order two in coordinates and
// velocities, as without joints. Against runs of radau5, and closed forms of invariants.
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
  double step, until;
} MODELS[] = {
    {"pendulum",
     "coordinate x = 0.8, y = 0\nkinetic 1.3*(x'^2 + y'^2)/2\npotential 1.3*9.81*y\n"
     "bilateral rod: (x^2 + y^2)/2 = 0.32\n",
     0.01, 1},
    {"spherical pendulum",
     "coordinate x = 0.6, y = 0, z = -0.8\nvelocity y = 1.5\n"
     "kinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\nbilateral rod: x^2 + y^2 + z^2 = 1\n",
     0.01, 1},
    {"chain",
     "coordinate x0 = 0.5, y0, a0, x1 = 1.5, y1, a1, x2 = 2.5, y2, a2\n"
     "kinetic (x0'^2+y0'^2+x1'^2+y1'^2+x2'^2+y2'^2)/2 + (a0'^2+a1'^2+a2'^2)/24\n"
     "potential 9.81*(y0 + y1 + y2)\n"
     "bilateral p0: x0 - cos(a0)/2 = 0\nbilateral q0: y0 - sin(a0)/2 = 0\n"
     "bilateral p1: x1 - cos(a1)/2 = x0 + cos(a0)/2\n"
     "bilateral q1: y1 - sin(a1)/2 = y0 + sin(a0)/2\n"
     "bilateral p2: x2 - cos(a2)/2 = x1 + cos(a1)/2\n"
     "bilateral q2: y2 - sin(a2)/2 = y1 + sin(a1)/2\n",
     0.005, 1},
    {"slider-crank",
     "coordinate p, x = 0.8, y, a, s = 1.3\nvelocity p = 5, a = -1.5, y = 0.75\n"
     "kinetic (0.2*p'^2 + x'^2 + y'^2 + 0.1*a'^2 + 2*s'^2)/2\npotential 9.81*y\n"
     "dissipation 0.3*s'^2\n"
     "bilateral b1: x - cos(a)/2 = 0.3*cos(p)\nbilateral b2: y - sin(a)/2 = 0.3*sin(p)\n"
     "bilateral b3: x + cos(a)/2 = s\nbilateral b4: y + sin(a)/2 = 0\n",
     0.01, 1},
    {"parallelogram, redundant",
     "parameter a = 0.5\ncoordinate x = 0.5, y = sqrt(3)/2, phi\nvelocity x = -sqrt(3)/2, y = 0.5\n"
     "kinetic (x'^2 + y'^2)/2 + phi'^2/20\npotential 9.81*y\n"
     "bilateral left: ((x - a*cos(phi) + a)^2 + (y - a*sin(phi))^2)/2 = 1/2\n"
     "bilateral middle: (x^2 + y^2)/2 = 1/2\n"
     "bilateral right: ((x + a*cos(phi) - a)^2 + (y + a*sin(phi))^2)/2 = 1/2\n",
     0.005, 0.2},
    {"a support that is moved",
     "coordinate x = 1, y = 0\nvelocity x = 0.9\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "dissipation 0.05*x'^2\nbilateral rod: (x - 0.3*sin(3*t))^2 + y^2 = 1\n",
     0.01, 0.5},
    {"an angle without mass",
     "coordinate x = 1, y = 0, a = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "bilateral cx: x = cos(a)\nbilateral cy: y = sin(a)\n",
     0.01, 0.5},
    {"a top in quaternions",
     "coordinate e0 = 1, e1, e2, e3\nvelocity e1 = 0.3, e2 = 1, e3 = -0.2\n"
     "let w1 = 2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')\n"
     "let w2 = 2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')\n"
     "let w3 = 2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')\n"
     "kinetic (w1^2 + 2*w2^2 + 3.5*w3^2)/2\n"
     "potential 3*(e0^2 - e1^2 - e2^2 + e3^2)\n"
     "bilateral unit: e0^2 + e1^2 + e2^2 + e3^2 = 1\n",
     0.01, 1},
    {"a wheel on a slope that rolls",
     "coordinate x, phi, th = 0.4\nkinetic x'^2 + phi'^2/50 + th'^2/2 + x'*th'*cos(th)\n"
     "potential 9.81*(cos(th) - x/5)\nrolling roll: x' = phi'/5\n",
     0.01, 1},
    // friction that follows the normal force of a joint, slides on, and turns in space
    {"a bead on a wire",
     "coordinate x = 1, y = 0\nvelocity y = -3\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "bilateral wire: (x^2 + y^2)/2 = 0.5 { slip x*y' - y*x'; friction 0.2 }\n",
     0.01, 0.2},
    {"a bead on a sphere",
     "coordinate x = 1, y = 0, z = 0\nvelocity y = 3, z = 1\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
     "potential 9.81*z\nlet s = sqrt(x^2 + y^2)\n"
     "bilateral ball: (x^2 + y^2 + z^2)/2 = 0.5 {\n"
     "  slip (x*y' - y*x')/s, z'*s - z*(x*x' + y*y')/s; friction 0.1\n}\n",
     0.01, 0.2},
    {"slider-crank with friction",
     "coordinate p, x = 0.8, y, a, s = 1.3\nvelocity p = 5, a = -1.5, y = 0.75\n"
     "kinetic (0.2*p'^2 + x'^2 + y'^2 + 0.1*a'^2 + 2*s'^2)/2\npotential 9.81*y\n"
     "bilateral b1: x - cos(a)/2 = 0.3*cos(p)\nbilateral b2: y - sin(a)/2 = 0.3*sin(p)\n"
     "bilateral b3: x + cos(a)/2 = s\nbilateral b4: y + sin(a)/2 = 0 { slip s'; friction 0.2 }\n",
     0.01, 0.2},
    {"two joints with friction",
     "coordinate x = 0.6, y = -0.8, z = 0\nvelocity z = 1.68, x = 2.4, y = 1.8\n"
     "kinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*y + 2*z^2\n"
     "bilateral rod: (x^2 + y^2)/2 = 0.5 { slip x*y' - y*x'; friction 0.15 }\n"
     "bilateral guide: z = 0.7*(x - 0.6) { slip y'; friction 0.1 }\n",
     0.005, 0.1},
    {"dry friction in a plane that turns",
     "coordinate x = 1, y = 0\nvelocity y = 2, x = 0.5\nkinetic (x'^2 + y'^2)/2\n"
     "potential 2*(x^2 + y^2)\nfriction disc: x', y' { force 1.2 }\n",
     0.01, 0.3},
    {"dry friction and a constant force",
     "coordinate x, y\nvelocity x = 2\nkinetic (x'^2 + y'^2)/2\npotential 5*y\n"
     "friction disc: x', y' { force 1.2 }\n",
     0.01, 0.3},
};

static trial run(const char *text, const char *scheme, double step, double until)
{
  trial t = {.text = text, .scheme = scheme, .step = step, .until = until};
  trial_run(&t);
  if (t.wrong) fail_msg("%s: %s", t.wrong, t.message);
  return t;
}

static void apart(const trial *a, const trial *b, double *q, double *v)
{
  *q = *v = 0;
  for (int i = 0; i < a->n; i++) {
    *q = fmax(*q, fabs(a->q[i] - b->q[i]));
    *v = fmax(*v, fabs(a->v[i] - b->v[i]));
  }
}

static void order_two(void **state)
{
  (void)state;
  static const char *const schemes[] = {"moreau", "moreau-projected"};
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    const double until = MODELS[i].until;
    const trial exact = run(MODELS[i].text, "radau5", MODELS[i].step / 10, until);
    for (int k = 0; k < 2; k++) {
      double q[2], v[2];
      at_case("%s, %s", MODELS[i].name, schemes[k]);
      for (int half = 0; half < 2; half++) {
        const trial t = run(MODELS[i].text, schemes[k], MODELS[i].step / (1 << (2 * half)), until);
        apart(&t, &exact, &q[half], &v[half]);
      }
      if (!(log2(q[0] / q[1]) / 2 > 1.9)) fail_msg("coordinates: %g, then %g", q[0], q[1]);
      if (!(log2(v[0] / v[1]) / 2 > 1.9)) fail_msg("velocities: %g, then %g", v[0], v[1]);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_two)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
