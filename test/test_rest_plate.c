// Plates on legs and tripods that slide and spin to rest, on level ground and on slopes; in the
// plane with given normal forces, and in space, where these follow from friction.
#include "numbers.h"
#include "reference_plate.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

typedef enum form { GIVEN, MASSLESS, ANGLES, QUATERNION } form;

typedef struct writer {
  char *at, *end;
} writer;

static void put(writer *w, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  w->at += vsnprintf(w->at, (size_t)(w->end - w->at), format, list);
  va_end(list);
  assert_true(w->at < w->end);
}

// The normal force of each leg is that of a weight of its own: z_i has mass, or none.
static void write_given(const plate *p, bool massless, writer *w)
{
  put(w, "coordinate x, y, th = %.17Lg", p->place[2]);
  for (int i = 1; i <= p->legs; i++) put(w, ", z%d", i);
  put(w, "\nvelocity x = %.17Lg, y = %.17Lg, th = %.17Lg\n", p->w[0], p->w[1], p->w[2]);
  put(w, "kinetic %.17Lg*(x'^2 + y'^2) + %.17Lg*th'^2\n", p->mass / 2, p->inertia / 2);
  put(w, "force x = %.17Lg, y = %.17Lg\n", p->push[0], p->push[1]);
  for (int i = 0; i < p->legs; i++) {
    const int k = i + 1;
    if (!massless) put(w, "kinetic %.17Lg*z%d'^2\n", p->mass / 7, k);
    put(w, "potential %.17Lg*z%d\n", p->normal[i], k);
    put(w,
        "let a%d = cos(th)*(%.17Lg) - sin(th)*(%.17Lg), b%d = sin(th)*(%.17Lg) + "
        "cos(th)*(%.17Lg)\n",
        k, p->r[i][0], p->r[i][1], k, p->r[i][0], p->r[i][1]);
    put(w, "%s leg%d: z%d %s 0 { slip x' - b%d*th', y' + a%d*th'; friction %.17Lg }\n",
        massless ? "bilateral" : "unilateral", k, k, massless ? "=" : ">=", k, k, p->mu[i]);
  }
}

// The rotation and the angular velocity in the body.
static void write_turning(const plate *p, bool quaternion, writer *w)
{
  const real a = p->place[2], spin = p->w[2];
  if (quaternion)
    put(w,
        "coordinate q0 = %.17Lg, q1, q2, q3 = %.17Lg\nvelocity q0 = %.17Lg, q3 = %.17Lg\n"
        "bilateral unit: q0^2 + q1^2 + q2^2 + q3^2 = 1\n"
        "let wx = 2*(q0*q1' - q1*q0' + q3*q2' - q2*q3'), wy = 2*(q0*q2' - q2*q0' + q1*q3' - "
        "q3*q1')\n"
        "let wz = 2*(q0*q3' - q3*q0' + q2*q1' - q1*q2')\n"
        "let r11 = q0^2 + q1^2 - q2^2 - q3^2, r12 = 2*(q1*q2 - q0*q3), r13 = 2*(q1*q3 + q0*q2)\n"
        "let r21 = 2*(q1*q2 + q0*q3), r22 = q0^2 - q1^2 + q2^2 - q3^2, r23 = 2*(q2*q3 - q0*q1)\n"
        "let r31 = 2*(q1*q3 - q0*q2), r32 = 2*(q2*q3 + q0*q1), r33 = q0^2 - q1^2 - q2^2 + q3^2\n",
        cosl(a / 2), sinl(a / 2), -spin / 2 * sinl(a / 2), spin / 2 * cosl(a / 2));
  else
    put(w,
        "coordinate al, be, ga = %.17Lg\nvelocity ga = %.17Lg\n"
        "let wx = al' - ga'*sin(be), wy = be'*cos(al) + ga'*sin(al)*cos(be)\n"
        "let wz = ga'*cos(al)*cos(be) - be'*sin(al)\n"
        "let r11 = cos(ga)*cos(be), r12 = cos(ga)*sin(be)*sin(al) - sin(ga)*cos(al)\n"
        "let r13 = cos(ga)*sin(be)*cos(al) + sin(ga)*sin(al), r21 = sin(ga)*cos(be)\n"
        "let r22 = sin(ga)*sin(be)*sin(al) + cos(ga)*cos(al)\n"
        "let r23 = sin(ga)*sin(be)*cos(al) - cos(ga)*sin(al)\n"
        "let r31 = -sin(be), r32 = cos(be)*sin(al), r33 = cos(be)*cos(al)\n",
        a, spin);
}

static void write_space(const plate *p, bool quaternion, writer *w)
{
  put(w, "coordinate x, y, z = %.17Lg\nvelocity x = %.17Lg, y = %.17Lg\n", p->height, p->w[0],
      p->w[1]);
  write_turning(p, quaternion, w);
  put(w, "kinetic %.17Lg*(x'^2 + y'^2 + z'^2) + %.17Lg*wx^2 + %.17Lg*wy^2 + %.17Lg*wz^2\n",
      p->mass / 2, 0.3L * p->inertia, 0.4L * p->inertia, 0.5L * p->inertia);
  put(w, "potential %.17Lg*z - (%.17Lg)*x - (%.17Lg)*y\n", p->weight, p->push[0], p->push[1]);
  for (int i = 0; i < p->legs; i++) {
    const int k = i + 1;
    const real a = p->r[i][0], b = p->r[i][1], c = -p->height;
    put(w,
        "let u%d = wy*(%.17Lg) - wz*(%.17Lg), v%d = wz*(%.17Lg) - wx*(%.17Lg), w%d = wx*(%.17Lg) - "
        "wy*(%.17Lg)\n",
        k, c, b, k, a, c, k, b, a);
    put(w, "unilateral leg%d: z + r31*(%.17Lg) + r32*(%.17Lg) + r33*(%.17Lg) >= 0 {\n", k, a, b, c);
    put(w,
        "  slip x' + r11*u%d + r12*v%d + r13*w%d, y' + r21*u%d + r22*v%d + r23*w%d; friction "
        "%.17Lg }\n",
        k, k, k, k, k, k, p->mu[i]);
  }
}

// ---- cases

typedef struct table {
  plate p;
  plate_rest rest;
  form form;
  double scale, arm;  // lengths: of the way, of the legs
  char text[TRIAL_TEXT];
} table;

// Legs around the centre of mass, and the forces with it as their centre.
static void draw_legs(rng *r, plate *p)
{
  real centre[2] = {0}, sum = 0;
  const double size = draw_log(r, 0.03, 3), first = draw_between(r, 0, 6);
  for (int i = 0; i < p->legs; i++) {
    const double angle = first + 2 * M_PI * (i + 0.35 * rng_real(r)) / p->legs;
    const double reach = size * draw_between(r, 0.5, 1.3);
    p->r[i][0] = reach * cos(angle), p->r[i][1] = reach * sin(angle);
    p->normal[i] = draw_between(r, 0.3, 1), sum += p->normal[i];
    for (int k = 0; k < 2; k++) centre[k] += p->normal[i] * p->r[i][k];
  }
  for (int i = 0; i < p->legs; i++) {
    p->normal[i] *= p->weight / sum;
    for (int k = 0; k < 2; k++) p->r[i][k] -= centre[k] / sum;
  }
}

static plate draw_plate(rng *r, form f)
{
  plate p = {.legs = f == GIVEN || f == MASSLESS ? rng_int(r, 3, 6) : 3};
  const double g = draw_log(r, 3, 20), one = draw_log(r, 0.1, 1);
  const bool same = rng_chance(r, 0.5);
  p.mass = draw_log(r, 0.1, 10), p.weight = p.mass * g;
  draw_legs(r, &p);
  real radius = 0, least = INFINITY;
  for (int i = 0; i < p.legs; i++) {
    p.mu[i] = one * (same ? 1 : draw_between(r, 0.6, 1.4)), least = fminl(least, p.mu[i]);
    radius += hypotl(p.r[i][0], p.r[i][1]) / p.legs;
  }
  p.inertia = p.mass * radius * radius * draw_between(r, 0.3, 1.5);
  if (f >= ANGLES && rng_chance(r, 0.7)) p.height = radius * draw_between(r, 0.05, 0.5);
  if (rng_chance(r, 0.5)) {
    const double angle = draw_between(r, 0, 6.3);
    const real slope = least * draw_between(r, 0.05, 0.8) * p.weight;
    p.push[0] = slope * cos(angle), p.push[1] = slope * sin(angle);
  }
  const double speed = draw_log(r, 1e-2, 10), angle = draw_between(r, 0, 6.3);
  p.w[0] = speed * cos(angle), p.w[1] = speed * sin(angle);
  p.w[2] = speed / radius * draw_log(r, 0.1, 5) * draw_sign(r);
  p.place[2] = draw_between(r, -3, 3);
  return p;
}

static void draw_table(rng *r, form f, table *c)
{
  do {
    c->p = draw_plate(r, f), c->form = f;
    c->rest = plate_follow(c->p);
  } while (!c->rest.fit);
  const plate *p = &c->p;
  c->arm = 0;
  for (int i = 0; i < p->legs; i++) c->arm = fmax(c->arm, (double)hypotl(p->r[i][0], p->r[i][1]));
  c->scale = (double)((hypotl(p->w[0], p->w[1]) + fabsl(p->w[2]) * c->arm) * c->rest.t);
  writer w = {c->text, c->text + sizeof c->text};
  if (f == GIVEN || f == MASSLESS) write_given(p, f == MASSLESS, &w);
  else write_space(p, f == QUATERNION, &w);
}

// ---- what came of it

static double angle_of(const table *c, const trial *run)
{
  if (c->form == QUATERNION) return 2 * atan2(run->q[6], run->q[3]);
  return c->form == ANGLES ? run->q[5] : run->q[2];
}

static void comparison(tally *t, const table *c, const trial *run, double bound)
{
  const double x = run->q[0] - (double)c->rest.place[0], y = run->q[1] - (double)c->rest.place[1];
  const double turned = angle_of(c, run) - (double)c->rest.place[2];
  double ratio = fmax(hypot(x, y), c->arm * fabs(remainder(turned, 2 * M_PI))) / (bound * c->scale);
  const char *what = "place";
  double fast = 0;
  for (int i = 0; i < run->n; i++) fast = fmax(fast, fabs(run->v[i]));
  const double first = (double)hypotl(c->p.w[0], c->p.w[1]);
  if (!(fast <= 1e-6 * first * fmax(1, 1 / c->arm))) ratio = 1e9, what = "velocity";
  if (!(run->energy_gain <= fmin(bound, 0.1) * (double)c->p.weight * c->scale))
    ratio = 1e9, what = "energy";
  for (int j = 0; j < run->m; j++)
    if (run->status[j] != DLS_STICKING) ratio = 1e9, what = "status";
  tally_comparison(t, run, ratio, what);
}

static void try_schemes(tally *t, const table *c)
{
  const double T = (double)c->rest.t;
  const bool rough = c->rest.pivot >= 0;  // a leg stops before the rest
  double turn = rough ? T / 10 : (double)c->rest.turn;
  // quaternions turn with the body, whatever the slips do
  const double turned = c->form == QUATERNION ? fabs((double)c->p.w[2]) * T / (2 * M_PI) : 0;
  if (c->form == QUATERNION) turn = fmin(turn, 1 / fabs((double)c->p.w[2]));
  double ratio = rng_chance(&t->r, 0.1) ? draw_between(&t->r, 1, 20) : draw_log(&t->r, 5e-3, 0.5);
  ratio = fmax(ratio, T / turn / 500);
  const int digits = rng_int(&t->r, 6, 10);
  for (int k = 0; k < dls_scheme_count(); k++) {
    const dls_scheme_info *info = dls_scheme_info_at(k);
    at_case("%s", info->name);
    if (!info->events || !tally_wants(info->name)) continue;
    static trial run;
    run = (trial){.text = c->text, .scheme = info->name, .step = ratio * turn, .until = 1.2 * T};
    run.max_steps = 20000 + (long)(100 * fabs((double)c->p.w[2]) * T);  // each turn takes some
    if (rng_chance(&t->r, 0.5)) {
      trial_run(&run);
      comparison(t, c, &run, fmin(0.5, 20 * pow(ratio, rough ? 2 : info->order)) + 1e-7);
    } else {
      run.step = fmin(run.step, T / 3);
      run.rtol = pow(10, -(info->order < 3 ? 5 : info->order < 4 ? 6 : digits));
      run.atol = run.rtol * fmin(c->scale, c->scale / T);
      trial_run(&run);
      // each turn takes its share of the tolerance
      comparison(t, c, &run, 300 * run.rtol * fmax(fmax(1, 1 / T), turned / 50));
    }
  }
}

static void family(const char *name, form f, int cases)
{
  tally t = tally_begin(name, cases);
  static table c;
  while (tally_next(&t)) {
    draw_table(&t.r, f, &c);
    try_schemes(&t, &c);
  }
  tally_end(&t);
}

static void given(void **state)
{
  (void)state;
  family("plates", GIVEN, TRIED(24));
}

static void massless(void **state)
{
  (void)state;
  family("massless", MASSLESS, TRIED(8));
}

static void angles(void **state)
{
  (void)state;
  family("tripods", ANGLES, TRIED(9));
}

static void quaternion(void **state)
{
  (void)state;
  family("quaternions", QUATERNION, TRIED(6));
}

// The reference against friction that is regular: s/sqrt(s^2 + e^2), e to 0.
static void regular(void **state)
{
  (void)state;
  if (!tally_hunts("regular")) return;
  rng r = rng_create(5);
  int pivots = 0, slopes = 0, high = 0;
  for (int k = 0; k < TRIED(60); k++) {
    at_case("k %d", k);
    static table c;
    draw_table(&r, k % 2 ? GIVEN : ANGLES, &c);
    pivots += c.rest.pivot >= 0, slopes += c.p.push[0] != 0, high += c.p.height > 0;
    real place[2][3];
    for (int j = 0; j < 2; j++) {
      c.p.epsilon = (j ? 5e-4L : 1e-3L) * c.scale / c.rest.t;
      assert_true(plate_regular(c.p, c.rest.t * 1.01L, place[j]));
    }
    for (int i = 0; i < 3; i++) {
      const real limit = 2 * place[1][i] - place[0][i], size = i == 2 ? c.scale / c.arm : c.scale;
      if (!(fabsl(limit - c.rest.place[i]) < 3e-4L * size))
        fail_msg("%d: %Lg, not %Lg; size %Lg, pivot %d", k, c.rest.place[i], limit, size,
                 c.rest.pivot);
    }
  }
  assert_true(pivots > 0 && slopes > 0 && high > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regular), cmocka_unit_test(given),      cmocka_unit_test(massless),
      cmocka_unit_test(angles),  cmocka_unit_test(quaternion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
