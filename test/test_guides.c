// A bar that slides in two bilateral guides with friction, pressed by forces that change their
// sides: against a closed form, by every scheme.
//
// The guides hold y + a th = 0 and y - b th = 0. Forces and moments are those of given normal
// forces N_i = P_i cos(w_i t + phi_i) of either sign, and m x'' = -sum mu_i |N_i| while x' > 0.
#include "numbers.h"
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "cases.h"

static const struct {
  const char *name;
  double step, bound;  // of the error of x', relative to its loss
} schemes[] = {{"moreau", 0.002, 1e-3},   {"moreau-projected", 0.002, 1e-2},
               {"lcp", 0.002, 1e-2},      {"schatzman-paoli", 0.002, 2e-2},
               {"lobatto2", 0.002, 1e-3}, {"radau3", 0.005, 1e-5},
               {"radau5", 0.01, 1e-8},    {"herk2", 0.005, 1e-3},
               {"herk4", 0.005, 1e-6}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

// The integral of |cos| from 0 to u.
static double whole(double u)
{
  const double k = floor(u / M_PI + 0.5);
  return 2 * k + sin(u - k * M_PI);
}

typedef struct press {
  double mu, arm, size, rate, phase;
} press;

static press draw_press(double side)
{
  return (press){.mu = 0.275 + 0.225 * uniform(),
                 .arm = side * (0.6 + 0.4 * uniform()),
                 .size = 5 + 4 * uniform(),
                 .rate = 7.5 + 4.5 * uniform(),
                 .phase = 3 + 3 * uniform()};
}

static void slides_on(void **state)
{
  (void)state;
  for (int t = 0; t < 12; t++) {
    const double m = 1.75 + 1.25 * uniform(), I = 1 + 0.9 * uniform();
    const press p[] = {draw_press(1), draw_press(-1)};
    double loss = 0;
    for (int k = 0; k < 2; k++)
      loss += p[k].mu * p[k].size / (p[k].rate * m) *
              (whole(p[k].rate + p[k].phase) - whole(p[k].phase));
    const double speed = 1.5 * loss + 0.3;
    char text[2000], force[2][200];
    for (int k = 0; k < 2; k++)
      snprintf(force[k], sizeof force[k], "%.17g*cos(%.17g*t + %.17g)", p[k].size, p[k].rate,
               p[k].phase);
    snprintf(text, sizeof text,
             "coordinate x, y, th\nvelocity x = %.17g\n"
             "kinetic %.17g*(x'^2 + y'^2) + %.17g*th'^2\n"
             "force y = -(%s) - (%s), th = -(%.17g)*(%s) - (%.17g)*(%s)\n"
             "bilateral front: y + (%.17g)*th = 0 { slip x'; friction %.17g }\n"
             "bilateral back: y + (%.17g)*th = 0 { slip x'; friction %.17g }\n",
             speed, m / 2, I / 2, force[0], force[1], p[0].arm, force[0], p[1].arm, force[1],
             p[0].arm, p[0].mu, p[1].arm, p[1].mu);
    for (int k = 0; k < SCHEMES; k++) {
      at_case("t %d, %s", t, schemes[k].name);
      fixture *r = fixture_open(text, schemes[k].name, schemes[k].step, 0);
      fixture_to(r, 1);
      const double error = fabs(fixture_v(r, 0) - (speed - loss)) / loss;
      if (!(error <= schemes[k].bound))
        fail_msg("bar %d, %s: x' = %.9g, expected %.9g", t, schemes[k].name, fixture_v(r, 0),
                 speed - loss);
      fixture_close(r);
    }
  }
}

// Guides in eight dimensions, from rest: rows of gradients and slips by turns, and a text.
enum { GUIDES = 4, N = 8 };

static void draw_guides(double row[2 * GUIDES][N], double mu[GUIDES], size_t size, char *text)
{
  FILE *f = fmemopen(text, size, "w");
  assert_non_null(f);
  for (int i = 0; i < N; i++)
    fprintf(f, "coordinate x%d\nkinetic x%d'^2/2\nforce x%d = %.17g\n", i, i, i, 10 * uniform());
  for (int k = 0; k < 2 * GUIDES; k++) {
    fprintf(f, k % 2 ? " = 0 { slip 0" : "bilateral g%d: 0", k / 2);
    for (int i = 0; i < N; i++) {
      row[k][i] = uniform();
      fprintf(f, " + (%.17g)*x%d%s", row[k][i], i, k % 2 ? "'" : "");
    }
    if (k % 2) fprintf(f, "; friction %.17g }\n", mu[k / 2] = 1 + 9 * fabs(uniform()));
  }
  fclose(f);
}

// Coulomb's law of a guide: it stays closed, friction is inside its cone and against the slip.
static void keeps_law(const double *normal, const double *slip, double mu, const double *v,
                      const double *impulse)
{
  double u_n = 0, u_t = 0;
  for (int i = 0; i < N; i++) u_n += normal[i] * v[i], u_t += slip[i] * v[i];
  const double bound = mu * fabs(impulse[0]);
  assert_true(fabs(u_n) <= 1e-7);
  assert_true(fabs(impulse[1]) <= bound * (1 + 1e-6));
  if (fabs(u_t) > 1e-6) assert_true(fabs(impulse[1] + copysign(bound, u_t)) <= 1e-5 * bound);
}

// With coefficients from 1 to 10 the pyramid does not always find the sides from which guides
// press: a step that it ends with a guide open is none, whatever is done to velocities later.
static void open_guides(void **state)
{
  (void)state;
  int good = 0, tried = 0;
  for (; tried < 300; tried++) {
    at_case("guides %d", tried);
    char text[8000];
    double row[2 * GUIDES][N], mu[GUIDES];
    draw_guides(row, mu, sizeof text, text);
    fixture *r = fixture_open(text, "lcp", 0.01, 0);
    if (fixture_until_failure(r, 0.01) == DLS_FAILURE_NONE) {
      const dls_sample s = dls_integrator_sample(r->integrator);
      good++;
      for (int k = 0; k < GUIDES; k++)
        keeps_law(row[2 * k], row[2 * k + 1], mu[k], s.v, s.impulse + 2 * k);
    }
    fixture_close(r);
  }
  assert_true(good >= 0.98 * tried);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slides_on), cmocka_unit_test(open_guides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
