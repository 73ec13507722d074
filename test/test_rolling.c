// Constraints of velocities, eq (rol.1): against closed forms, against Newton and Euler, in every
// scheme, beside joints, contacts and friction.
#include "fixture.h"
#include "verify_case.h"

#include <delassus/delassus.h>
#include <delassus/integrator.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// A knife edge on an incline: a cycloid, x = k/2 sin^2(w t), y = k/2 (w t - sin(2 w t)/2) with
// k = g sin(alpha)/w^2 (Neimark and Fufaev).
#define SKATE                                                               \
  "parameter m = 2, J = 0.5, g = 9.81, alpha = 0.3, w = 1.5\n"              \
  "coordinate x, y, theta\nvelocity theta = w\n"                            \
  "kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2\npotential -m*g*sin(alpha)*x\n" \
  "rolling skate: x'*sin(theta) = y'*cos(theta)\n"

// A coin that rolls upright: a circle of the radius r s/w.
#define COIN                                                                     \
  "parameter m = 1, r = 0.3, I = 0.045, J = 0.0225, w = 0.7, s = 4\n"            \
  "coordinate x, y = -r*s/w, theta, phi\nvelocity theta = w, phi = s, x = r*s\n" \
  "kinetic m/2*(x'^2 + y'^2) + I/2*phi'^2 + J/2*theta'^2\n"                      \
  "rolling along: x' = r*phi'*cos(theta)\n"                                      \
  "rolling across: y' - r*phi'*sin(theta) = 0\n"

// A ball on a turntable: circles at 2/7 of its rate. Angular velocities of a ball are not rates of
// angles; with all moments of inertia equal the equations are the same.
#define TABLE                                                   \
  "parameter m = 1, r = 0.1, O = 3\nparameter I = 2/5*m*r^2\n"  \
  "coordinate x = 0.5, y, a, b, c\n"                            \
  "velocity x = 0.2, y = 0.4, b = 0.2/r, a = (O*0.5 - 0.4)/r\n" \
  "kinetic m/2*(x'^2 + y'^2) + I/2*(a'^2 + b'^2 + c'^2)\n"      \
  "rolling fx: x' - r*b' = -O*y\nrolling fy: y' + r*a' = O*x\n"

// A disc that rolls without slip and may lean: x, y of its centre, Euler's angles.
#define DISC                                                                                   \
  "parameter m = 1, r = 0.3, g = 9.81\nparameter A = m*r^2/4, C = m*r^2/2\n"                   \
  "coordinate x, y, psi = 0.2, theta = 1.2, phi\nvelocity psi = 0.5, theta = -0.1, phi = 6,"   \
  " x = r*(-0.1*sin(0.2)*sin(1.2) - (6 + 0.5*cos(1.2))*cos(0.2)),"                             \
  " y = r*(0.1*cos(0.2)*sin(1.2) - (6 + 0.5*cos(1.2))*sin(0.2))\n"                             \
  "let spin = phi' + psi'*cos(theta)\n"                                                        \
  "kinetic m/2*(x'^2 + y'^2 + (r*cos(theta)*theta')^2) + A/2*(theta'^2 + (psi'*sin(theta))^2)" \
  " + C/2*spin^2\npotential m*g*r*sin(theta)\n"                                                \
  "rolling along: x' = r*(theta'*sin(psi)*sin(theta) - spin*cos(psi))\n"                       \
  "rolling across: y' = r*(-theta'*cos(psi)*sin(theta) - spin*sin(psi))\n"

// A wheel, and a wall: inertia m + J/r^2 = 3.2.
#define WHEEL                                                       \
  "parameter m = 2, r = 0.5, J = 0.3, e = 0.5\ncoordinate x, phi\n" \
  "velocity x = 1, phi = 2\nkinetic m/2*x'^2 + J/2*phi'^2\n"        \
  "rolling roll: x' = r*phi'\n"

static double largest_error(const fixture *r, int count, const double *exact)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(fixture_q(r, i) - exact[i]));
  return most;
}

static double error_of(const char *text, const char *scheme, double step, double rtol, double t,
                       int count, const double *exact)
{
  fixture *r = fixture_open(text, scheme, step, rtol);
  fixture_to(r, t);
  const double error = largest_error(r, count, exact);
  assert_true(dls_integrator_counts(r->integrator).max_bilateral_velocity <= 1e-9);
  assert_true(dls_integrator_counts(r->integrator).max_bilateral_gap == 0);
  fixture_close(r);
  return error;
}

// Errors fall as h^order; Moreau's scheme with theta = 1/2 has 2 where nothing touches.
static void expect_order(const char *text, double step, double t, int count, const double *exact)
{
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    at_case("%s", scheme->name);
    if (scheme->adaptive && !scheme->events) {
      assert_true(error_of(text, scheme->name, 0.01, 1e-6, t, count, exact) < 1e-3);
      continue;
    }
    const bool moreau = strcmp(scheme->name, "moreau") == 0;
    const double order = moreau ? 2 : scheme->order;
    const double coarse = error_of(text, scheme->name, step, 0, t, count, exact);
    const double fine = error_of(text, scheme->name, step / 2, 0, t, count, exact);
    if (fine < 1e-12) continue;
    if (!(coarse / fine > pow(2, order - 0.3)))
      fail_msg("%s: %g, then %g", scheme->name, coarse, fine);
  }
}

static void skate(void **state)
{
  (void)state;
  const double w = 1.5, k = 9.81 * sin(0.3) / (w * w), t = 2;
  const double exact[] = {k / 2 * sin(w * t) * sin(w * t), k / 2 * (w * t - sin(2 * w * t) / 2),
                          w * t};
  expect_order(SKATE, 0.1, t, 3, exact);
  assert_true(error_of(SKATE, "radau5", 0.01, 0, t, 3, exact) < 1e-10);
}

static void coin(void **state)
{
  (void)state;
  const double R = 0.3 * 4 / 0.7, t = 2;
  const double exact[] = {R * sin(0.7 * t), -R * cos(0.7 * t), 0.7 * t, 4 * t};
  expect_order(COIN, 0.1, t, 4, exact);
}

static void turntable(void **state)
{
  (void)state;
  const double k = 2. / 7 * 3, t = 2, c = cos(k * t), s = sin(k * t);
  const double exact[] = {0.5 - 0.4 / k + 0.4 / k * c + 0.2 / k * s,
                          0.2 / k + 0.4 / k * s - 0.2 / k * c};
  expect_order(TABLE, 0.1, t, 2, exact);
}

// Numbers of Newton's and Euler's equations in vectors, by scipy's DOP853 with rtol 2.3e-14:
// I w' + w x I w = -r e2 x f, f = m (a + g e_z), a = (r w x e2)', e2 from the point of contact
// to the centre; two seconds.
static void disc(void **state)
{
  (void)state;
  static const double reference[] = {0.41736218842058, 1.65620027801021, -3.75823705366668,
                                     1.19684359589706, 14.95441364527698};
  expect_order(DISC, 0.01, 2, 5, reference);
  const char *const schemes[] = {"lobatto6", "radau5", "herk5"};
  for (int k = 0; k < 3; k++) {
    at_case("%s", schemes[k]);
    fixture *r = fixture_open(DISC, schemes[k], 0.002, 0);
    const double before = fixture_energy(r);
    fixture_to(r, 2);
    assert_true(largest_error(r, 5, reference) < 1e-10);
    assert_true(fabs(fixture_energy(r) - before) < 1e-10);
    fixture_close(r);
  }
}

// A disc that leans by theta and rolls in a circle: psi' = W, and the rate of theta stays 0 with
// the spin S = phi' + W cos(theta) of (C + m r^2) S W sin = A W^2 sin cos - m g r cos.
static void steady_disc(void **state)
{
  (void)state;
  const double r = 0.3, g = 9.81, W = 1.3, th = 1.1, A = r * r / 4, C = r * r / 2;
  const double S = (A * W * W * sin(th) * cos(th) - g * r * cos(th)) / ((C + r * r) * W * sin(th));
  char at[400];
  snprintf(at, sizeof at, "psi=0, theta=%.17g, theta'=0, psi'=%.17g, phi'=%.17g, x'=%.17g, y'=0",
           th, W, S - W * cos(th), -r * S);
  subject s = ask_about(DISC, "", at);
  const json_t *a =
      json_object_get(json_array_get(json_object_get(s.report, "solutions"), 0), "acceleration");
  assert_true(fabs(json_number_value(json_object_get(a, "theta"))) < 1e-12 * g / r);
  assert_true(fabs(json_number_value(json_object_get(a, "psi"))) < 1e-12 * g / r);
  // its centre turns with it: y'' = x' W
  assert_true(fabs(json_number_value(json_object_get(a, "y")) + r * S * W) < 1e-11);
  close_subject(&s);
}

// --- derivatives ---

typedef struct bed {
  dls_model *model;
  dls_system *s;
  dls_values *x;
  dls_derivatives *d;
  double q[8], v[8], a[8], lambda[8], t;
} bed;

static bed open_bed(const char *text)
{
  bed b = {.t = 0.4};
  dls_diagnostics diagnostics;
  if (dls_model_parse(text, strlen(text), &b.model, &diagnostics) != DLS_OK)
    fail_msg("%s", diagnostics.item[0].message);
  assert_int_equal(dls_model_system(b.model, &b.s), DLS_OK);
  assert_int_equal(dls_model_differentiate(b.s, NULL), DLS_OK);
  assert_int_equal(dls_system_validate(b.s, NULL), DLS_OK);
  assert_int_equal(dls_values_create(b.s, &b.x), DLS_OK);
  assert_int_equal(dls_derivatives_create(b.s, &b.d), DLS_OK);
  for (int i = 0; i < b.s->n; i++) {
    b.q[i] = 0.3 + 0.2 * i, b.v[i] = 0.7 - 0.3 * i, b.a[i] = 0.1 + 0.5 * i;
    b.lambda[i] = 0.4 - 0.9 * i;
  }
  return b;
}

static void close_bed(bed *b)
{
  dls_values_free(b->x);
  dls_derivatives_free(b->d);
  dls_system_free(b->s);
  dls_model_free(b->model);
}

// R (n), N (m), D (m) of eq (dyn.2).
static void equations(bed *b, double *out)
{
  const dls_system *s = b->s;
  assert_int_equal(s->evaluate(s->self, b->t, b->q, b->v, b->x, NULL, NULL), DLS_OK);
  double *N = out + s->n, *D = N + s->m;
  for (int i = 0; i < s->n; i++) out[i] = b->x->F[i];
  for (int j = 0; j < s->n; j++)
    for (int e = s->mass.p[j]; e < s->mass.p[j + 1]; e++) out[s->mass.i[e]] += b->x->M[e] * b->a[j];
  for (int j = 0; j < s->m; j++) {
    N[j] = b->x->b_n[j], D[j] = b->x->h_dot[j];
    for (int e = s->normal.p[j]; e < s->normal.p[j + 1]; e++) {
      out[s->normal.i[e]] -= b->x->G[e] * b->lambda[j];
      N[j] += b->x->G[e] * b->a[s->normal.i[e]];
    }
  }
}

static double entry(const dls_pattern *P, const double *x, int row, int col)
{
  for (int e = P->p[col]; e < P->p[col + 1]; e++)
    if (P->i[e] == row) return x[e];
  return 0;
}

static void expect_near(double found, double expected)
{
  if (!(fabs(found - expected) <= 1e-7 * (1 + fabs(expected))))
    fail_msg("%.12g in place of %.12g", found, expected);
}

static void compare_derivatives(const char *text)
{
  bed b = open_bed(text);
  const dls_system *s = b.s;
  const dls_derivative_patterns *p = s->derivative;
  assert_int_equal(s->differentiate(s->self, b.t, b.q, b.v, b.a, b.lambda, NULL, b.d, NULL),
                   DLS_OK);
  double low[24], high[24], at[24];
  const double h = 1e-6;
  for (int i = 0; i < 2 * s->n; i++) {
    const int k = i % s->n;
    const bool rates = i >= s->n;
    double *x = rates ? &b.v[k] : &b.q[k];
    const double here = *x;
    *x = here + h, equations(&b, high);
    *x = here - h, equations(&b, low);
    *x = here, equations(&b, at);
    for (int j = 0; j < s->n; j++)
      expect_near(rates ? entry(&p->R_v, b.d->R_v, j, k) : entry(&p->R_q, b.d->R_q, j, k),
                  (high[j] - low[j]) / (2 * h));
    for (int j = 0; j < s->m; j++) {
      const double N = (high[s->n + j] - low[s->n + j]) / (2 * h);
      const double D = (high[s->n + s->m + j] - low[s->n + s->m + j]) / (2 * h);
      expect_near(rates ? entry(&p->N_v, b.d->N_v, k, j) : entry(&p->N_q, b.d->N_q, k, j), N);
      // D_v = G^T
      expect_near(rates ? entry(&s->normal, b.x->G, k, j) : entry(&p->D_q, b.d->D_q, k, j), D);
    }
  }
  close_bed(&b);
}

// A depends on coordinates, time and a coordinate that it does not act on; a on both.
static void derivatives(void **state)
{
  (void)state;
  static const char *const models[] = {
      DISC, SKATE, TABLE,
      "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2 + x*z'*y'/3\n"
      "rolling one: x'*sin(z*t) + y'*x^2 = z*cos(t)\nbilateral two: x*y = 1 + t^2\n"
      "rolling three: exp(x)*z' - t*y = (x + t)*y'\n"};
  for (int k = 0; k < 4; k++) {
    at_case("%d", k);
    compare_derivatives(models[k]);
  }
}

// b_n is the rate of A v + a along a motion without acceleration.
static void total_derivative(void **state)
{
  (void)state;
  bed b = open_bed("coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                   "rolling one: x'*sin(z*t) + y'*x^2 = z*cos(t)\n");
  double at[16], high = 0, low = 0, q[3];
  const double h = 1e-5, t = b.t;
  memcpy(q, b.q, sizeof q);
  for (int k = -1; k <= 1; k += 2) {
    for (int i = 0; i < 3; i++) b.q[i] = q[i] + k * h * b.v[i];
    b.t = t + k * h;
    equations(&b, at);
    *(k < 0 ? &low : &high) = b.x->h_dot[0];
    assert_true(b.x->h[0] == 0);
  }
  memcpy(b.q, q, sizeof q), b.t = t;
  equations(&b, at);
  expect_near(b.x->b_n[0], (high - low) / (2 * h));
  close_bed(&b);
}

// --- beside other things ---

// A rolling constraint that a joint implies changes nothing: x^2 + y^2 = 1, and its derivative.
static void redundant(void **state)
{
  (void)state;
#define PENDULUM                                                                    \
  "coordinate x = 1, y\nvelocity y = 0.5\nkinetic x'^2 + y'^2\npotential 19.62*y\n" \
  "bilateral rod: x^2 + y^2 = 1\n"
#define GEAR                                                                   \
  "coordinate x, phi\nvelocity x = 0.6, phi = 2\nkinetic x'^2 + 0.05*phi'^2\n" \
  "potential -4*x + cos(phi)\nbilateral gear: x = 0.3*phi\n"
  static const char *const pairs[][2] = {{PENDULUM, PENDULUM "rolling same: x*x' + y*y' = 0\n"},
                                         {GEAR, GEAR "rolling same: x' = 0.3*phi'\n"}};
  for (int p = 0; p < 2; p++)
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *scheme = dls_scheme_info_at(k);
      at_case("%d, %s", p, scheme->name);
      const double rtol = scheme->adaptive && !scheme->events ? 1e-5 : 0;
      fixture *one = fixture_open(pairs[p][0], scheme->name, 0.01, rtol);
      fixture *two = fixture_open(pairs[p][1], scheme->name, 0.01, rtol);
      fixture_to(one, 2), fixture_to(two, 2);
      for (int i = 0; i < 2; i++) {
        assert_true(fabs(fixture_q(one, i) - fixture_q(two, i)) < 1e-8);
        assert_true(fabs(fixture_v(one, i) - fixture_v(two, i)) < 1e-7);
      }
      // the joint is held, also where the other row is kept in its place
      assert_true(dls_integrator_counts(two->integrator).max_bilateral_gap < 1e-9);
      fixture_close(one), fixture_close(two);
    }
}

// The wheel hits the wall at t = 1, and comes back with half its speed.
static void wall(void **state)
{
  (void)state;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    at_case("%s", scheme->name);
    const double rtol = scheme->adaptive && !scheme->events ? 1e-6 : 0;
    fixture *r =
        fixture_open(WHEEL "unilateral wall: x <= 1 { restitution e }\n", scheme->name, 0.01, rtol);
    fixture_to(r, 2);
    assert_true(fabs(fixture_v(r, 0) + 0.5) < 1e-6 && fabs(fixture_v(r, 1) + 1) < 1e-6);
    assert_true(fabs(fixture_q(r, 0) - 0.5) < (scheme->events ? 1e-7 : 0.02));
    fixture_close(r);
  }
}

// Percussions: (1 + e) 3.2 at the wall, and at the wheel J (phi'+ - phi'-) = -r P.
static void percussions(void **state)
{
  (void)state;
  subject s = ask_about(WHEEL "unilateral wall: x <= 1 { restitution e }\n", "", "x=1");
  const json_t *newton = json_object_get(s.report, "impact");
  const json_t *p = json_object_get(newton, "percussions");
  assert_non_null(p);
  expect_near(json_number_value(json_object_get(json_object_get(p, "wall"), "normal")), 4.8);
  expect_near(json_number_value(json_object_get(json_object_get(p, "roll"), "normal")), 1.8);
  close_subject(&s);
}

// A sledge that the wheel pulls slides on the floor until both stop: m v^2/(2 mu M g), of all that
// moves.
static void friction_beside(void **state)
{
  (void)state;
  static const char text[] =
      "parameter m = 2, r = 0.5, J = 0.3, M = 1, mu = 0.3, g = 9.81\ncoordinate x, phi, y\n"
      "velocity x = 1, phi = 2\nkinetic m/2*x'^2 + J/2*phi'^2 + M/2*(x'^2 + y'^2)\n"
      "potential M*g*y\nrolling roll: x' = r*phi'\n"
      "unilateral floor: y >= 0 { slip x'; friction mu }\n";
  const double way = 4.2 / (2 * 0.3 * 9.81);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    at_case("%s", scheme->name);
    const double rtol = scheme->adaptive && !scheme->events ? 1e-6 : 0;
    fixture *r = fixture_open(text, scheme->name, 0.01, rtol);
    fixture_to(r, 2);
    assert_true(fabs(fixture_v(r, 0)) < 1e-9 && fabs(fixture_v(r, 1)) < 1e-9);
    assert_true(fabs(fixture_q(r, 0) - way) < (scheme->events ? 1e-8 : 0.006));
    fixture_close(r);
  }
}

// Massless coordinates, and a constraint whose coefficients vanish on the way, at x = 0.
static void degenerate(void **state)
{
  (void)state;
  static const char massless[] = "coordinate x, phi\nvelocity x = 1, phi = 2\nkinetic x'^2\n"
                                 "potential 4*x\nrolling roll: x' = 0.5*phi'\n";
  fixture *r = fixture_open(massless, "radau5", 0.05, 0);
  fixture_to(r, 1);
  assert_true(fabs(fixture_q(r, 0)) < 1e-12 && fabs(fixture_q(r, 1)) < 1e-12);
  assert_true(fabs(fixture_v(r, 0) + 1) < 1e-12 && fabs(fixture_v(r, 1) + 2) < 1e-12);
  fixture_close(r);
}

// --- units, states, parts ---

// Mass, length and time times powers of two.
static void units(void **state)
{
  (void)state;
  static const char form[] =
      "parameter M = %.17g, L = %.17g, T = %.17g\n"
      "parameter m = 2*M, J = 0.5*M*L^2, g = 9.81*L/T^2, alpha = 0.3, w = 1.5/T\n"
      "coordinate x, y, theta\nvelocity theta = w\n"
      "kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2\npotential -m*g*sin(alpha)*x\n"
      "rolling skate: x'*sin(theta) = y'*cos(theta)\nunilateral wall: y <= 1.5*L\n";
  static const double all[][3] = {
      {1, 1, 1}, {0x1p-26, 1, 1}, {1, 0x1p20, 1}, {0x1p20, 0x1p10, 0x1p7}};
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *scheme = dls_scheme_info_at(k);
    if (scheme->adaptive && !scheme->events) continue;
    double first[3] = {0};
    for (int u = 0; u < 4; u++) {
      at_case("%s, unit %d", scheme->name, u);
      const double *x = all[u];
      char text[1000];
      snprintf(text, sizeof text, form, x[0], x[1], x[2]);
      fixture *r = fixture_open(text, scheme->name, 0.02 * x[2], 0);
      fixture_to(r, 1.2 * x[2]);
      const double q[] = {fixture_q(r, 0) / x[1], fixture_q(r, 1) / x[1], fixture_q(r, 2)};
      for (int i = 0; i < 3; i++) {
        if (u == 0) first[i] = q[i];
        assert_true(fabs(q[i] - first[i]) < 1e-7);
      }
      fixture_close(r);
    }
  }
}

static void states(void **state)
{
  (void)state;
  bed b = open_bed(SKATE);
  double q[] = {0, 0, 0.5}, v[] = {1, 0.25, 0.3};
  dls_state x = {0, q, v};
  dls_message message = {""};
  dls_contact_state *contacts = NULL;
  assert_int_equal(dls_contact_state_create(b.s, &x, NULL, &contacts, &message), DLS_ERR_STATE);
  assert_non_null(strstr(message.text, "the rolling constraint `skate`"));
  // the nearest velocity: (1, 0.25) along the blade; nothing else moves
  dls_projection moved;
  assert_int_equal(dls_state_project(b.s, &x, NULL, &moved, &message), DLS_OK);
  const double u = cos(0.5) + 0.25 * sin(0.5);
  assert_true(q[0] == 0 && q[1] == 0 && q[2] == 0.5 && moved.moved_q == 0);
  assert_true(fabs(v[0] - u * cos(0.5)) < 1e-14 && fabs(v[1] - u * sin(0.5)) < 1e-14);
  assert_true(fabs(v[2] - 0.3) < 1e-14);
  assert_int_equal(dls_contact_state_create(b.s, &x, NULL, &contacts, &message), DLS_OK);
  assert_true(contacts->contacts[0].rolling && contacts->contacts[0].gap == 0);
  assert_int_equal(contacts->contacts[0].kind, DLS_BILATERAL);
  dls_contact_state_free(contacts);
  close_bed(&b);

  // a joint that implies it, violated: its gap is closed all the same
  bed p = open_bed(PENDULUM "rolling same: x*x' + y*y' = 0\n");
  double qp[] = {1.1, 0.2}, vp[] = {0.3, 0.4};
  dls_state y = {0, qp, vp};
  assert_int_equal(dls_state_project(p.s, &y, NULL, &moved, &message), DLS_OK);
  assert_true(fabs(hypot(qp[0], qp[1]) - 1) < 1e-12);
  assert_true(fabs(qp[0] * vp[0] + qp[1] * vp[1]) < 1e-12);
  close_bed(&p);
}

// Two skates are two parts; one constraint of both velocities makes them one.
static void parts(void **state)
{
  (void)state;
#define TWO                                                                           \
  "coordinate x, y, u, w\nvelocity x = 1, u = 2\nkinetic x'^2 + y'^2 + u'^2 + w'^2\n" \
  "potential x^2 + u^2/2\nrolling one: y' = x*x' - t*x\nrolling two: w' = sin(u)*u' - 2*u\n"
  bed b = open_bed(TWO);
  assert_int_equal(b.s->parts, 2);
  assert_int_equal(b.s->contact_part[0], b.s->coordinate_part[0]);
  assert_int_equal(b.s->contact_part[1], b.s->coordinate_part[2]);
  close_bed(&b);
  static const char joined[] = TWO "rolling both: 0*x' = 1e-300*w'*x\n";
  bed c = open_bed(joined);
  assert_true(c.s->parts <= 1);
  close_bed(&c);
  const char *const texts[] = {TWO "potential 1e-300*x*u\n", TWO};
  double q[2][4];
  for (int k = 0; k < 2; k++) {
    fixture *r = fixture_open(texts[k], "radau5", 0.05, 0);
    fixture_to(r, 1);
    for (int i = 0; i < 4; i++) q[k][i] = fixture_q(r, i);
    fixture_close(r);
  }
  for (int i = 0; i < 4; i++) assert_true(fabs(q[0][i] - q[1][i]) < 1e-9);
}

// --- reports ---

static void rejected(subject *s, const char *what)
{
  dls_verification *v = verify(s);
  if (v->holds) fail_msg("accepted: %s", what);
  dls_verification_free(v);
}

static void reports(void **state)
{
  (void)state;
  subject s = ask_about(DISC, "", "");
  json_t *contact = json_array_get(json_object_get(s.report, "contacts"), 0);
  assert_string_equal(json_string_value(json_object_get(contact, "kind")), "bilateral");
  assert_true(json_is_true(json_object_get(contact, "rolling")));
  assert_true(json_number_value(json_object_get(contact, "gap")) == 0);
  assert_non_null(strstr(s.page, "rolling"));
  dls_verification *v = verify(&s);
  assert_true(v->holds);
  dls_verification_free(v);
  json_object_set_new(contact, "rolling", json_false());
  rejected(&s, "not rolling");
  json_object_del(contact, "rolling");
  rejected(&s, "nothing said");
  json_object_set_new(contact, "rolling", json_true());
  json_object_set_new(contact, "normal_velocity", json_real(0.01));
  rejected(&s, "velocity");
  close_subject(&s);

  subject b = ask_about(PENDULUM, "", "");
  json_t *joint = json_array_get(json_object_get(b.report, "contacts"), 0);
  assert_null(json_object_get(joint, "rolling"));
  json_object_set_new(joint, "rolling", json_true());
  rejected(&b, "rolling");
  close_subject(&b);
}

// A system of one's own says which constraints are such; those with a law cannot be.
static void own_system(void **state)
{
  (void)state;
  bed b = open_bed(SKATE);
  dls_contact_info info = b.s->contacts[0];
  dls_system own = *b.s;
  dls_message message = {""};
  own.contacts = &info;
  assert_int_equal(dls_system_validate(&own, &message), DLS_OK);
  info.kind = DLS_UNILATERAL;
  assert_int_equal(dls_system_validate(&own, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "rolling constraint `skate`"));
  close_bed(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(skate),
      cmocka_unit_test(coin),
      cmocka_unit_test(turntable),
      cmocka_unit_test(disc),
      cmocka_unit_test(steady_disc),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(total_derivative),
      cmocka_unit_test(redundant),
      cmocka_unit_test(wall),
      cmocka_unit_test(percussions),
      cmocka_unit_test(friction_beside),
      cmocka_unit_test(degenerate),
      cmocka_unit_test(units),
      cmocka_unit_test(states),
      cmocka_unit_test(parts),
      cmocka_unit_test(reports),
      cmocka_unit_test(own_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
