// The same motion told otherwise: other units, contacts in another order, slip directions turned,
// mirrored; and ten of a kind side by side, each as if it were alone.
#include "numbers.h"
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

typedef enum species { SLOPE, PLATE, BELT, BOX, RATTLE, KINDS } species;

// Numbers of a system, the units it is told in, and how.
typedef struct sample {
  species kind;
  double a[24];
  double M, L, T;  // units of mass, length and time
  double turn;     // slip directions are turned by this
  int first;       // the contact that is named first
  int mirror;      // -1: x and angles change their sign
} sample;

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

static sample draw_system(rng *r, species k)
{
  sample s = {.kind = k, .M = 1, .L = 1, .T = 1, .mirror = 1};
  for (int i = 0; i < 24; i++) s.a[i] = draw_between(r, 0.5, 1);
  return s;
}

static const int coordinates[KINDS] = {3, 7, 3, 3, 1};

// Two slips, turned.
static void put_tangents(const sample *s, const char *x, const char *y, double mu, writer *w)
{
  const double c = cos(s->turn), d = sin(s->turn);
  if (s->turn == 0) put(w, "slip %s, %s; friction %.17g }\n", x, y, mu);
  else
    put(w, "slip (%.17g)*(%s) + (%.17g)*(%s), (%.17g)*(%s) + (%.17g)*(%s); friction %.17g }\n", c,
        x, d, y, -d, x, c, y, mu);
}

// Statements of one system; its names end in i.
static void put_point(const sample *s, int i, writer *w)
{
  const double v = s->L / s->T, g = 9.81 * s->L / (s->T * s->T), *a = s->a;
  const double k = s->kind == BELT ? 30 * s->M / (s->T * s->T) : 0;
  const double down = s->kind == BELT ? 0 : g * 0.4 * a[0];
  char x[80], y[80];
  put(w, "coordinate x%d, y%d = %.17g, z%d\nvelocity x%d = %.17g, y%d = %.17g\n", i, i,
      s->kind == BELT ? 0.3 * a[1] * s->L : 0, i, i, s->mirror * 1.5 * v * a[2], i,
      v * (a[3] - 0.7));
  put(w, "kinetic %.17g*(x%d'^2 + y%d'^2 + z%d'^2)\n", s->M / 2, i, i, i);
  put(w, "potential %.17g*z%d - (%.17g)*y%d + %.17g*y%d^2\n", s->M * g, i, s->M * down, i, k / 2,
      i);
  if (s->kind == BELT) snprintf(x, sizeof x, "x%d' - (%.17g)", i, s->mirror * 0.8 * a[4] * v);
  else snprintf(x, sizeof x, "x%d'", i);
  snprintf(y, sizeof y, "y%d'", i);
  put(w, "unilateral floor%d: z%d >= 0 { ", i, i);
  put_tangents(s, x, y, 0.5 + 0.3 * a[5], w);
}

static void put_plate(const sample *s, int i, writer *w)
{
  const double v = s->L / s->T, g = 9.81 * s->L / (s->T * s->T), *a = s->a;
  put(w, "coordinate x%d, y%d, th%d = %.17g", i, i, i, s->mirror * a[0]);
  for (int k = 0; k < 4; k++) put(w, ", z%d_%d", i, k);
  put(w, "\nvelocity x%d = %.17g, y%d = %.17g, th%d = %.17g\n", i, s->mirror * v * a[1], i,
      v * (a[2] - 0.7), i, s->mirror * 4 * (a[3] - 0.4) / s->T);
  put(w, "kinetic %.17g*(x%d'^2 + y%d'^2) + %.17g*th%d'^2\n", s->M / 2, i, i,
      s->M * s->L * s->L * 0.08 * a[4], i);
  for (int j = 0; j < 4; j++) {
    const int k = (j + s->first) % 4;
    const double p = s->mirror * s->L * a[5 + k] * (k % 2 ? 0.4 : -0.4);
    const double q = s->L * a[9 + k] * (k < 2 ? 0.4 : -0.4);
    char x[200], y[200];
    snprintf(x, sizeof x, "x%d' - (sin(th%d)*(%.17g) + cos(th%d)*(%.17g))*th%d'", i, i, p, i, q, i);
    snprintf(y, sizeof y, "y%d' + (cos(th%d)*(%.17g) - sin(th%d)*(%.17g))*th%d'", i, i, p, i, q, i);
    put(w, "kinetic %.17g*z%d_%d'^2\npotential %.17g*z%d_%d\n", s->M / 8, i, k,
        s->M * g * a[13 + k] / 4, i, k);
    put(w, "unilateral leg%d_%d: z%d_%d >= 0 { ", i, k, i, k);
    put_tangents(s, x, y, 0.4 * a[17 + k], w);
  }
}

static void put_box(const sample *s, int i, writer *w)
{
  const double v = s->L / s->T, g = 9.81 * s->L / (s->T * s->T), *a = s->a;
  const double tall = 0.2 * a[0] * s->L, wide = 0.3 * a[1] * s->L;
  put(w, "coordinate x%d, y%d = %.17g, th%d = %.17g\nvelocity x%d = %.17g, th%d = %.17g\n", i, i,
      0.5 * s->L * a[2], i, s->mirror * 0.3 * (a[3] - 0.6), i, s->mirror * v * a[4], i,
      s->mirror * (a[5] - 0.7) / s->T);
  put(w, "kinetic %.17g*(x%d'^2 + y%d'^2) + %.17g*th%d'^2\npotential %.17g*y%d\n", s->M / 2, i, i,
      s->M / 6 * (tall * tall + wide * wide), i, s->M * g, i);
  for (int j = 0; j < 4; j++) {
    const int k = (j + s->first) % 4;
    const double p = s->mirror * (k % 2 ? wide : -wide), q = k < 2 ? tall : -tall;
    put(w,
        "unilateral c%d_%d: y%d + sin(th%d)*(%.17g) + cos(th%d)*(%.17g) >= 0 {\n"
        "  slip x%d' - (sin(th%d)*(%.17g) + cos(th%d)*(%.17g))*th%d'; friction 0.4; restitution "
        "0.2 }\n",
        i, k, i, i, p, i, q, i, i, p, i, q, i);
  }
}

static void put_rattle(const sample *s, int i, writer *w)
{
  const double *a = s->a, rate = 6 * a[0] / s->T, size = 0.3 * a[1] * s->L, b = 0.25 * a[2] * s->L;
  put(w,
      "coordinate x%d\nkinetic %.17g*x%d'^2\nforce x%d = %.17g\nlet wall%d = %.17g*sin(%.17g*t)\n",
      i, s->M / 2, i, i, -s->mirror * s->M * s->L / (s->T * s->T) * a[3], i, s->mirror * size,
      rate);
  for (int j = 0; j < 2; j++) {
    const int side = (j + s->first) % 2 ? -1 : 1;
    put(w, "unilateral flank%d_%d: (%d)*(x%d - wall%d) + %.17g >= 0 { restitution %.17g }\n", i, j,
        side * s->mirror, i, i, b, 0.3 + 0.4 * a[4]);
  }
}

static void put_system(const sample *s, int i, writer *w)
{
  if (s->kind == PLATE) put_plate(s, i, w);
  else if (s->kind == BOX) put_box(s, i, w);
  else if (s->kind == RATTLE) put_rattle(s, i, w);
  else put_point(s, i, w);
}

// ---- runs

enum { COPIES = 6, LONG_TEXT = 40000 };

static void run_systems(const sample *s, int count, const char *scheme, double step, double rtol,
                        double until, char *text, trial *run)
{
  writer w = {text, text + LONG_TEXT};
  for (int i = 0; i < count; i++) put_system(&s[i], i, &w);
  *run = (trial){.text = text, .scheme = scheme, .step = step * s->T, .until = until * s->T};
  run->rtol = rtol, run->atol = rtol * s->L * fmin(1, 1 / s->T), run->max_steps = 30000;
  trial_run(run);
}

static double distance(const trial *a, int from, const trial *b, int n, double scale)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a->q[from + i] * scale - b->q[i]));
  return a->wrong || b->wrong ? INFINITY : most;
}

// Coordinates that do not scale with length: angles.
static double distance_in(const sample *s, const trial *a, const trial *b)
{
  double most = 0;
  for (int i = 0; i < b->n; i++) {
    const bool angle = (s->kind == PLATE || s->kind == BOX) && i == 2;
    const bool odd = i == 0 || angle;
    most = fmax(most, fabs((odd ? s->mirror : 1) * a->q[i] / (angle ? 1 : s->L) - b->q[i]));
  }
  return a->wrong || b->wrong ? INFINITY : most;
}

static double end_of(species k)
{
  return k == RATTLE ? 1 : k == BOX ? 0.8 : 0.7;
}

// Masses by powers of two: bit by bit the same coordinates and velocities.
static void masses(void **state)
{
  (void)state;
  tally t = tally_begin("masses", TRIED(12));
  static trial a, b;
  static char one[LONG_TEXT], two[LONG_TEXT];
  while (tally_next(&t)) {
    sample s = draw_system(&t.r, (species)(t.number % KINDS));
    const int power = rng_int(&t.r, -40, 40);
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *info = dls_scheme_info_at(k);
      at_case("%s", info->name);
      if (!tally_wants(info->name)) continue;
      const double rtol = rng_chance(&t.r, 0.5) && info->events ? 1e-6 : 0;
      s.M = 1;
      run_systems(&s, 1, info->name, 0.005, rtol, end_of(s.kind), one, &a);
      s.M = ldexp(1, power);
      run_systems(&s, 1, info->name, 0.005, rtol, end_of(s.kind), two, &b);
      const size_t size = (size_t)a.n * sizeof(double);
      const bool same = a.n == b.n && a.events == b.events && memcmp(a.q, b.q, size) == 0 &&
                        memcmp(a.v, b.v, size) == 0 && !a.wrong == !b.wrong;
      b.wrong = NULL;  // where one fails the other may
      tally_comparison(&t, &b, same ? 0 : INFINITY, "bits in another unit of mass");
    }
  }
  tally_end(&t);
}

// Other units by powers of ten, another order, turned and mirrored: the same to the tolerance.
static void tellings(void **state)
{
  (void)state;
  tally t = tally_begin("tellings", TRIED(20));
  static trial a, b, c;
  static char one[LONG_TEXT], two[LONG_TEXT];
  while (tally_next(&t)) {
    const sample s = draw_system(&t.r, (species)(t.number % KINDS));
    sample other = s;
    const int way = rng_int(&t.r, 0, 3);
    if (way == 0) other.M = pow(10, rng_int(&t.r, -9, 9)), other.L = pow(10, rng_int(&t.r, -2, 3));
    if (way == 0) other.T = pow(10, rng_int(&t.r, -2, 2));
    if (way == 1) other.first = rng_int(&t.r, 1, 3);
    if (way == 2) other.turn = draw_between(&t.r, -3, 3);
    if (way == 3) other.mirror = -1;
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *info = dls_scheme_info_at(k);
      at_case("%s", info->name);
      if (!info->events || !tally_wants(info->name)) continue;
      const double rtol = info->order < 4 ? 1e-6 : 1e-8;
      run_systems(&s, 1, info->name, 0.005, rtol / 10, end_of(s.kind), one, &a);
      run_systems(&s, 1, info->name, 0.005, rtol, end_of(s.kind), one, &c);
      run_systems(&other, 1, info->name, 0.005, rtol, end_of(s.kind), two, &b);
      // what the tolerance is worth on this motion
      const double known = distance(&c, 0, &a, a.n, 1);
      if (known < 1e-3 || a.wrong || c.wrong)
        tally_comparison(&t, &b, distance_in(&other, &b, &c) / (30 * known + 300 * rtol), "place");
    }
  }
  tally_end(&t);
}

// Some of a kind that do not touch each other.
static void copies(void **state)
{
  (void)state;
  tally t = tally_begin("copies", TRIED(5));
  static trial alone[COPIES], finer, all;
  static char text[COPIES][LONG_TEXT], whole[LONG_TEXT];
  int judged[KINDS] = {0};
  while (tally_next(&t)) {
    const species kind = (species)(t.number % KINDS);
    const int count = kind == PLATE ? 4 : COPIES, n = coordinates[kind];
    sample s[COPIES];
    for (int i = 0; i < count; i++) s[i] = draw_system(&t.r, kind);
    for (int k = 0; k < dls_scheme_count(); k++) {
      const dls_scheme_info *info = dls_scheme_info_at(k);
      at_case("%s", info->name);
      if (!info->events || !tally_wants(info->name)) continue;
      const double rtol = info->order < 4 ? 1e-5 : 1e-7, end = end_of(kind);
      double ratio = 0;
      run_systems(s, count, info->name, 0.005, rtol, end, whole, &all);
      for (int i = 0; i < count; i++) {
        run_systems(&s[i], 1, info->name, 0.005, rtol / 10, end, text[i], &finer);
        run_systems(&s[i], 1, info->name, 0.005, rtol, end, text[i], &alone[i]);
        const double known = distance(&alone[i], 0, &finer, n, 1);
        if (alone[i].wrong || finer.wrong) ratio = INFINITY;
        if (!(known < 1e-3)) continue;  // too much hangs on little
        ratio = fmax(ratio, distance(&all, n * i, &alone[i], n, 1) / (30 * known + 300 * rtol));
        judged[kind]++;
      }
      tally_comparison(&t, &all, ratio, "place of a copy");
      assert_true(judged[kind] > 0 || ratio > 1);
    }
  }
  tally_end(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses),
      cmocka_unit_test(tellings),
      cmocka_unit_test(copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
