// Bounds of rounding errors in the values of contacts: the same formulas in long double, at the
// same numbers and at others within their errors, are within the bounds; and these are small.
#include <math.h>

#define DLS_NUMBER_GIVEN
typedef long double num;

static inline num exact(double x)
{
  return x;
}

static inline num within(double x, double e)
{
  (void)e;
  return x;
}

static inline double value(num a)
{
  return (double)a;
}

static inline num plus(num a, num b)
{
  return a + b;
}

static inline num minus(num a, num b)
{
  return a - b;
}

static inline num times(num a, num b)
{
  return a * b;
}

static inline num over(num a, num b)
{
  return a / b;
}

static inline num root(num a)
{
  return sqrtl(a);
}

#define NEWTON_ORDERS 8

#include "linalg/vector3.h"
#include "shape/touch_formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "numbers.h"
#include "solid_features.h"

static const num *list(const touch_numbers *n, int *count)
{
  *count = (int)(sizeof *n / sizeof(num));
  return (const num *)n;
}

// In the order of touch_numbers.
static void doubles(const dls_touch_values *v, double out[19])
{
  int k = 0;
  out[k++] = v->gap, out[k++] = v->rate, out[k++] = v->bias;
  for (int i = 0; i < 3; i++) out[k++] = v->point[i];
  for (int i = 0; i < 3; i++) out[k++] = v->normal[i];
  for (int i = 0; i < 6; i++) out[k++] = v->tangent[i / 3][i % 3];
  for (int i = 0; i < 2; i++) out[k++] = v->slip[i];
  for (int i = 0; i < 2; i++) out[k++] = v->slip_bias[i];
}

typedef struct drawn {
  any_solid solid[2];
  dls_form *form[2];
  dls_solid_motion motion[2];
  dls_solid_motion_error error[2];
  dls_touch_id id;
} drawn;

static bool draw(drawn *d, double scale, double gap)
{
  double x[2][3], n[2][3], back[3], at[2][3];
  int id[2];
  for (int k = 0; k < 2; k++) {
    any_solid_draw(&d->solid[k], (dls_solid_kind)below(DLS_SOLID_KINDS), scale);
    id[k] = below(solid_feature_count(&d->solid[k].solid));
    if (solid_feature_sort(&d->solid[k].solid, id[k]) == FEATURE_NONE) return false;
    solid_feature_sample(&d->solid[k].solid, id[k], x[k], n[k]);
  }
  d->id = (dls_touch_id){id[0], id[1]};
  random_rotation(d->motion[1].R);
  double world[3];
  for (int i = 0; i < 3; i++) {
    world[i] = dls_dot3(&d->motion[1].R[3 * i], n[1]), back[i] = -world[i];
    at[1][i] = dls_dot3(&d->motion[1].R[3 * i], x[1]);
    d->motion[1].p[i] = scale * uniform();
  }
  rotation_between(n[0], back, d->motion[0].R);
  for (int i = 0; i < 3; i++) {
    at[0][i] = dls_dot3(&d->motion[0].R[3 * i], x[0]);
    d->motion[0].p[i] = d->motion[1].p[i] + at[1][i] - at[0][i] + gap * world[i];
  }
  for (int k = 0; k < 2; k++) {
    double *part[4] = {d->motion[k].v, d->motion[k].w, d->motion[k].a, d->motion[k].alpha};
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) part[j][i] = (j % 2 ? 1 : scale) * uniform();
  }
  return true;
}

static void form(drawn *d, double error)
{
  for (int k = 0; k < 2; k++) {
    if (dls_form_create(&d->solid[k].solid, &d->form[k], NULL)) fail_msg("no form");
    double *e = (double *)&d->error[k];
    const double *x = (const double *)&d->motion[k];
    for (size_t i = 0; i < sizeof d->error[k] / sizeof *e; i++)
      e[i] = error * fabs(x[i]) * (1 + uniform()) / 2;
  }
}

// The motion within its errors.
static void shift(drawn *d)
{
  for (int k = 0; k < 2; k++) {
    const double *e = (const double *)&d->error[k];
    double *x = (double *)&d->motion[k];
    for (size_t i = 0; i < sizeof d->error[k] / sizeof *e; i++) x[i] += 0.999 * e[i] * uniform();
  }
}

static bool wide_values(const drawn *d, touch_numbers *out)
{
  dls_touch_pair pair;
  touching c;
  if (!dls_touch_pair_make(d->form[0], &d->motion[0], d->form[1], &d->motion[1], d->id, &pair))
    return false;
  movers_of(&pair, &c), spots_of(&pair, &c);
  return touch_numbers_of(&c, &pair, out);
}

typedef struct tally {
  int tried, unbounded, loose;
} tally;

static void compare(const drawn *d, double error, tally *t)
{
  dls_touch_values v, e;
  if (dls_touch_evaluate(d->form[0], &d->motion[0], &d->error[0], d->form[1], &d->motion[1],
                         &d->error[1], d->id, &v, &e))
    return;
  t->tried++;
  double x[19], bound[19];
  doubles(&v, x), doubles(&e, bound);
  if (isinf(bound[2])) t->unbounded++;
  if (bound[0] > 1e-11 * (1 + error / 1e-16)) t->loose++;
  for (int k = 0; k < 3; k++) {
    drawn other = *d;
    touch_numbers wide;
    if (k > 0) shift(&other);
    if (!wide_values(&other, &wide)) continue;
    int count;
    const num *number = list(&wide, &count);
    assert_int_equal(count, 19);
    dls_touch_values rounded;  // in the order of names, not of numbers
    write_numbers(&wide, value, &rounded);
    double again[19];
    doubles(&rounded, again);
    for (int i = 0; i < 19; i++) assert_true(again[i] == (double)number[i]);
    for (int i = 0; i < 19; i++)
      if (!(fabsl(number[i] - x[i]) <= bound[i] + 1e-18L * fabsl(number[i])))
        fail_msg("number %d of solids %d feature %d and %d feature %d: %.19Lg, not %.17g +- %g", i,
                 d->solid[0].solid.kind, d->id.a, d->solid[1].solid.kind, d->id.b, number[i], x[i],
                 bound[i]);
  }
}

static void bounds(void **state)
{
  (void)state;
  tally t = {0};
  const char *more = getenv("DLS_TEST_MORE");
  for (int k = 0; k < TRIED(30000) * (more ? atoi(more) : 1); k++) {
    static const double gaps[] = {1, 0.1, 1e-3, 1e-9, 0, -1e-9, -1e-3},
                        errors[] = {0, 1e-16, 1e-12};
    drawn d;
    if (!draw(&d, 1, gaps[below(7)])) continue;
    const double error = errors[below(3)];
    form(&d, error);
    compare(&d, error, &t);
    for (int i = 0; i < 2; i++) dls_form_free(d.form[i]);
  }
  if (getenv("DLS_TEST_TABLE"))
    printf("%d tried, %d without bounds, %d loose\n", t.tried, t.unbounded, t.loose);
  assert_true(t.tried > 1000 && t.unbounded < t.tried / 50 && t.loose < t.tried / 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
