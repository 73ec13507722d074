// Crates in quaternions that slide straight to rest on a face, or land on it: closed forms.
// Diagonal masses of quaternions are zero where an axis of the crate is one of the world's, and
// nearly so beside it.
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct crate {
  double m, size[3], g, mu, e, v, way, fall;  // v along `way`; fall: velocity of the landing
  double q[4], height;                        // orientation, of the centre above the floor
  double until, place;                        // what it has gone by then
} crate;

// A face is down, turned about the vertical by an angle that is none, small, or any.
static void draw_orientation(rng *r, crate *c)
{
  static const double faces[][4] = {
      {1, 0, 0, 0}, {M_SQRT1_2, M_SQRT1_2, 0, 0}, {M_SQRT1_2, 0, M_SQRT1_2, 0}, {0, 1, 0, 0}};
  static const int up[] = {2, 1, 0, 2};
  const int face = rng_int(r, 0, 3), kind = rng_int(r, 0, 2);
  const double angle = kind == 0 ? 0 : kind == 1 ? draw_log(r, 1e-15, 1e-5) : draw_between(r, 0, 3);
  const double *f = faces[face], k = cos(angle / 2), s = sin(angle / 2);
  c->q[0] = k * f[0] - s * f[3], c->q[1] = k * f[1] - s * f[2];  // (k, 0, 0, s) f
  c->q[2] = k * f[2] + s * f[1], c->q[3] = k * f[3] + s * f[0];
  c->height = c->size[up[face]] / 2;
}

static crate draw(rng *r)
{
  crate c = {.m = draw_log(r, 1e-3, 1e3), .g = draw_log(r, 1, 20), .mu = draw_between(r, 0.1, 0.4)};
  for (int i = 0; i < 3; i++) c.size[i] = draw_between(r, 0.2, 0.4);
  draw_orientation(r, &c);
  c.v = draw_between(r, 1, 2), c.way = draw_between(r, -3, 3);
  const bool lands = rng_chance(r, 0.5);
  if (lands) c.e = draw_between(r, 0.1, 0.3), c.fall = draw_between(r, 0.2, 0.5);
  double v = c.v, fall = c.fall;
  for (int k = 0; k < 60 && v > 0 && fall > 0; k++) {
    v = fmax(v - c.mu * (1 + c.e) * fall, 0);
    fall *= c.e;
    c.until += 2 * fall / c.g, c.place += v * 2 * fall / c.g;
  }
  c.until += v / (c.mu * c.g), c.place += v * v / (2 * c.mu * c.g);
  c.until *= 1.2;
  return c;
}

static int write_contact(const crate *c, int k, char *text, size_t size)
{
  const double x = (k & 1 ? 1 : -1) * c->size[0] / 2, y = (k & 2 ? 1 : -1) * c->size[1] / 2;
  const double z = (k & 4 ? 1 : -1) * c->size[2] / 2;
  return snprintf(text, size,
                  "let u%d = wy*(%.17g) - wz*(%.17g), v%d = wz*(%.17g) - wx*(%.17g), w%d = "
                  "wx*(%.17g) - wy*(%.17g)\n"
                  "unilateral c%d: z + r31*(%.17g) + r32*(%.17g) + r33*(%.17g) >= 0 { slip x' + "
                  "r11*u%d + r12*v%d + r13*w%d, y' + r21*u%d + r22*v%d + r23*w%d; friction %.17g; "
                  "restitution %.17g }\n",
                  k, z, y, k, x, z, k, y, x, k, x, y, z, k, k, k, k, k, k, c->mu, c->e);
}

static void write_model(const crate *c, char *text, size_t size)
{
  const double *s = c->size;
  int at = snprintf(
      text, size,
      "coordinate x, y, z = %.17g, q0 = %.17g, q1 = %.17g, q2 = %.17g, q3 = %.17g\n"
      "velocity x = %.17g, y = %.17g, z = %.17g\nbilateral unit: q0^2 + q1^2 + q2^2 + q3^2 = 1\n"
      "let wx = 2*(q0*q1' - q1*q0' + q3*q2' - q2*q3'), wy = 2*(q0*q2' - q2*q0' + q1*q3' - q3*q1')\n"
      "let wz = 2*(q0*q3' - q3*q0' + q2*q1' - q1*q2')\n"
      "kinetic %.17g*(x'^2 + y'^2 + z'^2) + %.17g*wx^2 + %.17g*wy^2 + %.17g*wz^2\n"
      "potential %.17g*z\n"
      "let r11 = q0^2 + q1^2 - q2^2 - q3^2, r12 = 2*(q1*q2 - q0*q3), r13 = 2*(q1*q3 + q0*q2)\n"
      "let r21 = 2*(q1*q2 + q0*q3), r22 = q0^2 - q1^2 + q2^2 - q3^2, r23 = 2*(q2*q3 - q0*q1)\n"
      "let r31 = 2*(q1*q3 - q0*q2), r32 = 2*(q2*q3 + q0*q1), r33 = q0^2 - q1^2 - q2^2 + q3^2\n",
      c->height, c->q[0], c->q[1], c->q[2], c->q[3], c->v * cos(c->way), c->v * sin(c->way),
      -c->fall, c->m / 2, c->m / 24 * (s[1] * s[1] + s[2] * s[2]),
      c->m / 24 * (s[0] * s[0] + s[2] * s[2]), c->m / 24 * (s[0] * s[0] + s[1] * s[1]),
      c->m * c->g);
  for (int k = 0; k < 8; k++) at += write_contact(c, k, text + at, size - (size_t)at);
  assert_true((size_t)at < size);
}

static void on_a_face(void **state)
{
  (void)state;
  static trial run;
  static char text[TRIAL_TEXT];
  tally t = tally_begin("crates", 4);
  while (tally_next(&t)) {
    const crate c = draw(&t.r);
    write_model(&c, text, sizeof text);
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *info = dls_scheme_info_at(k);
      // a pyramid has another friction in most directions
      if (!tally_wants(info->name) || strcmp(info->name, "lcp") == 0) continue;
      for (int chosen = 0; chosen < 2; chosen++) {
        if (!info->events && chosen != info->adaptive) continue;
        run = (trial){.text = text, .scheme = info->name, .until = c.until};
        run.step = c.until / (info->events || info->adaptive ? 100 : 1000);
        if (chosen) run.rtol = run.atol = 1e-6;
        trial_run(&run);
        const double bound = (info->events ? 1e-6 : info->adaptive ? 1e-3 : 2e-2) * c.place;
        const double x = run.q[0] - c.place * cos(c.way), y = run.q[1] - c.place * sin(c.way);
        const double many = (double)run.counts.rejected / (20. * (double)run.counts.steps + 2000);
        tally_comparison(&t, &run, hypot(x, y) / bound, "place");
        tally_comparison(&t, &run, many, "rejected steps");
      }
    }
  }
  tally_end(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_face)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
