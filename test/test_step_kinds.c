// Kinds of motions that schemes once got wrong, or gave up: each held against what is known of it.
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char *const family[] = {"moreau",          "moreau-projected",      "schatzman-paoli",
                                     "moreau-adaptive", "moreau-variable-order", "lcp"};

enum { FAMILY = sizeof family / sizeof *family };

// The laws of every accepted step hold.
static void check_residual(const fixture *r)
{
  const dls_step_counts counts = dls_integrator_counts(r->integrator);
  assert_int_equal(counts.steps_above, 0);
  assert_true(counts.worst_residual <= 1e-9);
}

// e = 1 / (1 + |v| / 2) at the velocity before the impact, 10: 10/6 after it.
static void restitution_of_the_approach(void **s)
{
  (void)s;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    at_case("%s", scheme->name);
    fixture *r = fixture_open("coordinate y = 5\nkinetic y'^2/2\npotential 10*y\n"
                              "unilateral f: y >= 0 { restitution 1/(1 + abs(y')/2) }\n",
                              scheme->name, 1e-3, 0);
    double fastest = 0;
    for (int i = 1; i <= 110; i++) {
      fixture_to(r, i * 0.01);
      fastest = fmax(fastest, fixture_v(r, 0));
    }
    if (!(fabs(fastest - 10.0 / 6) < 0.11)) fail_msg("%s: %g", scheme->name, fastest);
    check_residual(r);
    fixture_close(r);
  }
}

// A leg with springs in its joints, that stands on heel and toe.
static const char leg[] =
    "parameter M = 10, m1 = 2, m2 = 1.5, m3 = 0.6, l1 = 0.4, l2 = 0.4, heel = 0.06, toe = 0.16, hf "
    "= 0.05, g = 9.81, mu = 0.6\n"
    "parameter kp = 400, kd = 15, k3 = 60, d3 = 3\n"
    "parameter th0 = 0.35, sh0 = -0.35, ft0 = 0.1, drop = 0.05\n"
    "coordinate x = 0, y = l1*cos(th) + l2*cos(sh) + hf + drop + toe*abs(sin(ft))\n"
    "coordinate th = th0, sh = sh0, ft = ft0\n"
    "velocity x = 0.5, y = -1\n"
    "let kx = l1*sin(th), ky = -l1*cos(th), ax = kx + l2*sin(sh), ay = ky - l2*cos(sh)\n"
    "let kxv = l1*cos(th)*th', kyv = l1*sin(th)*th', axv = kxv + l2*cos(sh)*sh', ayv = kyv + "
    "l2*sin(sh)*sh'\n"
    "kinetic M/2*(x'^2 + y'^2)\n"
    "kinetic m1/2*((x' + kxv/2)^2 + (y' + kyv/2)^2) + m1*l1^2/24*th'^2\n"
    "kinetic m2/2*((x' + kxv + l2/2*cos(sh)*sh')^2 + (y' + kyv + l2/2*sin(sh)*sh')^2) + "
    "m2*l2^2/24*sh'^2\n"
    "kinetic m3/2*((x' + axv)^2 + (y' + ayv)^2) + 0.002/2*ft'^2\n"
    "potential M*g*y + m1*g*(y + ky/2) + m2*g*(y + (ky + ay)/2) + m3*g*(y + ay)\n"
    "potential   kp/2*(th - th0)^2 + kp/2*((sh - th) - (sh0 - th0))^2 + k3/2*((ft - sh) - (ft0 - "
    "sh0))^2\n"
    "dissipation kd/2*th'^2 + kd/2*(sh' - th')^2 + d3/2*(ft' - sh')^2\n"
    "let hx = -heel*cos(ft) + hf*sin(ft), hy = -heel*sin(ft) - hf*cos(ft), tx = toe*cos(ft) + "
    "hf*sin(ft), ty = toe*sin(ft) - hf*cos(ft)\n"
    "unilateral heel_contact: y + ay + hy >= 0 { slip x' + axv - ft'*hy; friction mu; restitution "
    "0 }\n"
    "unilateral toe_contact:  y + ay + ty >= 0 { slip x' + axv - ft'*ty; friction mu; restitution "
    "0 }\n";

// It comes to rest: heel and toe press in every step, and stick.
static void standing_foot(void **s)
{
  (void)s;
  const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli", "lcp"};
  const double steps[] = {1e-2, 3e-3, 1e-3};
  for (int k = 0; k < 4; k++)
    for (int i = k < 3 ? 0 : 2; i < 3; i++) {  // the springs are too stiff for an explicit scheme
      at_case("%s, i %d", schemes[k], i);
      fixture *r = fixture_open(leg, schemes[k], steps[i], 0);
      fixture_to(r, 1.5);
      double heel = 0, toe = 0;
      for (dls_sample m = dls_integrator_sample(r->integrator); m.t < 2;) {
        heel = m.impulse[0], toe = m.impulse[2];
        dls_failure failure;
        assert_int_equal(dls_integrator_advance(r->integrator, 2, &failure, NULL), DLS_OK);
        assert_int_equal(failure, DLS_FAILURE_NONE);
        m = dls_integrator_sample(r->integrator);
        if (!(m.impulse[0] > heel && m.impulse[2] > toe))
          fail_msg("%s, step %g: a foot without force at t = %g", schemes[k], steps[i], m.t);
        assert_int_equal(m.status[0], DLS_STICKING);
        assert_int_equal(m.status[1], DLS_STICKING);
      }
      check_residual(r);
      fixture_close(r);
    }
}

// A linear problem, whatever its stiffness: the midpoint rule keeps its energy.
static void stiff_springs(void **s)
{
  (void)s;
  for (double k = 1e3; k < 2e12; k *= 1e3)
    for (double step = 1e-3; step < 0.2; step *= 10) {
      at_case("k %g, step %g", k, step);
      char text[300];
      snprintf(text, sizeof text,
               "coordinate x = 1, z = 1\nkinetic (x'^2 + z'^2)/2\n"
               "potential x^2/2 + %g/2*(z - x)^2\n",
               k);
      fixture *r = fixture_open(text, "moreau", step, 0);
      fixture_to(r, 2);
      const double energy = fixture_energy(r);
      if (!(fabs(energy - 0.5) < 1e-6)) fail_msg("k = %g, h = %g: %g", k, step, energy);
      fixture_close(r);
    }
}

// Friction with a given normal force, on a coordinate without mass: as with a mass there.
static void without_mass(void **s)
{
  (void)s;
  const char *const text = "coordinate x = 1.05, y\nkinetic x'^2/2%s\npotential x^2/2 + y\n"
                           "bilateral floor: y = 0 { slip x'; friction 0.1 }\n";
  char with[300], without[300];
  snprintf(with, sizeof with, text, " + y'^2");
  snprintf(without, sizeof without, text, "");
  for (int k = 0; k < FAMILY; k++) {
    at_case("%s", family[k]);
    fixture *a = fixture_open(with, family[k], 0.01, 0),
            *b = fixture_open(without, family[k], 0.01, 0);
    fixture_to(a, 12);
    fixture_to(b, 12);
    // chosen steps part where rounding decides, and agree to what their errors are then
    const double apart = dls_scheme_find(family[k])->adaptive ? 1e-3 : 1e-5;
    if (!(fabs(fixture_q(a, 0) - fixture_q(b, 0)) < apart))
      fail_msg("%s: %.9g, %.9g", family[k], fixture_q(a, 0), fixture_q(b, 0));
    check_residual(b);
    fixture_close(a);
    fixture_close(b);
  }
}

// A box in quaternions: its mass is singular along their length, which a constraint holds.
static void box_in_quaternions(void **s)
{
  (void)s;
  char text[8000];
  size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
  ADD("coordinate x, y, z = 0.0625, q0 = 1, q1, q2, q3\nvelocity x' = 1, z' = -1\n"
      "bilateral unit: q0^2 + q1^2 + q2^2 + q3^2 = 1\n"
      "let wx = 2*(q0*q1' - q1*q0' + q3*q2' - q2*q3')\n"
      "let wy = 2*(q0*q2' - q2*q0' + q1*q3' - q3*q1')\n"
      "let wz = 2*(q0*q3' - q3*q0' + q2*q1' - q1*q2')\n"
      "kinetic (x'^2 + y'^2 + z'^2)/2 + (0.05*wx^2 + 0.1*wy^2 + 0.13*wz^2)/24\n"
      "potential 9.81*z\n"
      "let r11 = q0^2 + q1^2 - q2^2 - q3^2, r12 = 2*(q1*q2 - q0*q3), r13 = 2*(q1*q3 + q0*q2)\n"
      "let r21 = 2*(q1*q2 + q0*q3), r22 = q0^2 - q1^2 + q2^2 - q3^2, r23 = 2*(q2*q3 - q0*q1)\n"
      "let r31 = 2*(q1*q3 - q0*q2), r32 = 2*(q2*q3 + q0*q1), r33 = q0^2 - q1^2 - q2^2 + q3^2\n");
  for (int k = 0; k < 8; k++) {
    const double X = k & 1 ? 0.15 : -0.15, Y = k & 2 ? 0.1 : -0.1, Z = k & 4 ? 0.0625 : -0.0625;
    ADD("let u%d = wy*(%g) - wz*(%g), v%d = wz*(%g) - wx*(%g), w%d = wx*(%g) - wy*(%g)\n", k, Z, Y,
        k, X, Z, k, Y, X);
    ADD("unilateral c%d: z + r31*(%g) + r32*(%g) + r33*(%g) >= 0 { slip x' + r11*u%d + r12*v%d + "
        "r13*w%d, y' + r21*u%d + r22*v%d + r23*w%d; friction 0.4; restitution 0.2 }\n",
        k, X, Y, Z, k, k, k, k, k, k);
  }
#undef ADD
  assert_true(used < sizeof text);
  for (int k = 0; k < FAMILY; k++) {
    at_case("%s", family[k]);
    fixture *r = fixture_open(text, family[k], 0.01, 0);
    const double before = fixture_energy(r);
    fixture_to(r, 1);
    if (!(fixture_energy(r) < before && fabs(fixture_q(r, 2) - 0.0625) < 0.01))
      fail_msg("%s: z = %g", family[k], fixture_q(r, 2));
    check_residual(r);
    fixture_close(r);
  }
}

// A first step that is far too long: steps across the impact, however short beside it, obey the
// tolerance as all others, and their impulses are what velocities change by.
static void first_step_too_long(void **s)
{
  (void)s;
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    fixture *r = fixture_open("coordinate y = 1\nkinetic y'^2/2\npotential 10*y\n"
                              "unilateral f: y >= 0 { restitution 0.5 }\n",
                              family[3 + k], 1e9, 1e-4);
    fixture_to(r, 0.8);
    const double impulse = dls_integrator_sample(r->integrator).impulse[0];
    const double fall = sqrt(0.2), up = 5 * fall, rest = 0.8 - fall;
    assert_true(fabs(fixture_q(r, 0) - (up * rest - 5 * rest * rest)) < 2e-3);
    assert_true(fabs(fixture_v(r, 0) - (up - 10 * rest)) < 2e-3);
    assert_true(fabs(impulse - fixture_v(r, 0) - 8) < 1e-9);
    fixture_close(r);
  }
}

// Forces with a kink or a jump: what the place at t = 2 is wrong by goes to zero with the
// tolerance.
static void forces_with_conditions(void **s)
{
  (void)s;
  const double pi = 3.14159265358979323846;
  const struct {
    const char *text;
    double place;
  } cases[] = {
      // half an oscillation, as fast out as in
      {"coordinate x = 1\nvelocity x = -1\nkinetic x'^2/2\nforce x = if(x < 0, -900*x, 0)\n",
       1 - pi / 30},
      {"coordinate x = 1\nvelocity x = -1\nkinetic x'^2/2\nforce x = if(x < 0, 20, 0)\n", 0.9},
      {"coordinate x\nkinetic x'^2/2\nforce x = if(t < 0.7303, 0, 1)\n",
       (2 - 0.7303) * (2 - 0.7303) / 2},
  };
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 2; k++)
      for (int digits = 3; digits <= 6; digits++) {
        at_case("%s, k %d, digits %d", cases[c].text, k, digits);
        const double rtol = pow(10, -digits);
        fixture *r = fixture_open(cases[c].text, family[3 + k], 0.01, rtol);
        fixture_to(r, 2);
        const double wrong = fabs(fixture_q(r, 0) - cases[c].place);
        if (!(wrong <= 30 * rtol))
          fail_msg("case %d, %s, rtol %g: %g off", c, family[3 + k], rtol, wrong);
        fixture_close(r);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(restitution_of_the_approach),
                                     cmocka_unit_test(standing_foot),
                                     cmocka_unit_test(stiff_springs),
                                     cmocka_unit_test(without_mass),
                                     cmocka_unit_test(box_in_quaternions),
                                     cmocka_unit_test(first_step_too_long),
                                     cmocka_unit_test(forces_with_conditions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
