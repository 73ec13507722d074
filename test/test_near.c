// Pairs of boxes that meet, against all pairs.
#include "shape/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"

enum { MOST = 300 };

static bool bounded(const dls_near_box *b)
{
  for (int i = 0; i < 3; i++)
    if (!isfinite(b->low[i]) || !isfinite(b->high[i])) return false;
  return true;
}

// Boxes exactly at a distance of reach count, or not: to rounding.
static int meeting(const dls_near_box *x, const dls_near_box *y, double reach)
{
  if (!bounded(x) || !bounded(y)) return bounded(x) || bounded(y);
  double far = -INFINITY, size = 0;
  for (int i = 0; i < 3; i++) {
    far = fmax(far, fmax(x->low[i] - y->high[i], y->low[i] - x->high[i]) - reach);
    size = fmax(size, fabs(x->low[i]) + fabs(y->low[i]) + fabs(x->high[i]) + fabs(y->high[i]));
  }
  return fabs(far) < 1e-14 * (size + reach) ? -1 : far <= 0;
}

static void against_all(const dls_near_box *box, int n, double reach, const int *group)
{
  dls_near *near = NULL;
  assert_int_equal(dls_near_create(n, &near), DLS_OK);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(dls_near_update(near, box, reach, group), DLS_OK);
    const dls_near_pair *pair = dls_near_pairs(near);
    int next = 0;
    for (int a = 0; a < n; a++)
      for (int b = a + 1; b < n; b++) {
        const bool there = next < dls_near_count(near) && pair[next].a == a && pair[next].b == b;
        const int expected =
            group && group[a] >= 0 && group[a] == group[b] ? 0 : meeting(&box[a], &box[b], reach);
        if (expected >= 0) assert_int_equal(there, expected);
        next += there;
      }
    assert_int_equal(next, dls_near_count(near));
  }
  dls_near_free(near);
}

static dls_near_box drawn(double place, double size)
{
  double centre[3];
  for (int i = 0; i < 3; i++) centre[i] = place * uniform();
  dls_near_box box = dls_near_ball(centre, size * (1 + uniform()));
  for (int i = 0; i < 3; i++) box.high[i] += size * (1 + uniform());
  return box;
}

static void any_boxes(void **state)
{
  (void)state;
  for (int k = 0; k < TRIED(600); k++) {
    dls_near_box box[MOST];
    int group[MOST];
    const int n = below(k % 10 ? 40 : MOST);
    const double place = pow(10, 3 * uniform());
    for (int i = 0; i < n; i++) {
      box[i] = drawn(place, below(5) ? 0.1 : pow(10, 2 * uniform()));
      if (below(8) == 0 && i > 0) box[i] = box[below(i)];  // the same place
      if (below(20) == 0) box[i].low[below(3)] = below(2) ? -INFINITY : NAN;
      group[i] = below(4) - 1;
    }
    against_all(box, n, below(3) ? 0.2 : 0, below(2) ? group : NULL);
  }
}

// Boxes that stand on one another, with corners at whole numbers.
static void stacked(void **state)
{
  (void)state;
  dls_near_box box[64];
  for (int k = 0; k < 64; k++)
    for (int i = 0; i < 3; i++) {
      box[k].low[i] = k >> (2 * i) & 3;
      box[k].high[i] = box[k].low[i] + 1;
    }
  dls_near *near = NULL;
  assert_int_equal(dls_near_create(64, &near), DLS_OK);
  assert_int_equal(dls_near_update(near, box, 0, NULL), DLS_OK);
  int expected = 0;
  for (int a = 0; a < 64; a++)
    for (int b = a + 1; b < 64; b++) {
      bool touch = true;
      for (int i = 0; i < 3; i++)
        touch = touch && abs((a >> (2 * i) & 3) - (b >> (2 * i) & 3)) <= 1;
      expected += touch;
    }
  assert_int_equal(dls_near_count(near), expected);
  dls_near_free(near);
}

static void extremes(void **state)
{
  (void)state;
  const double huge[] = {1e-300, 1, 1e150, 1e300, 1.7e308};
  for (int k = 0; k < 5; k++) {
    dls_near_box box[20];
    for (int j = 0; j < 20; j++) {
      double centre[3];
      for (int i = 0; i < 3; i++) centre[i] = huge[k] * uniform();
      box[j] = dls_near_ball(centre, 0);
    }
    box[7] = box[3];
    dls_near *near = NULL;
    assert_int_equal(dls_near_create(20, &near), DLS_OK);
    assert_int_equal(dls_near_update(near, box, 0, NULL), DLS_OK);
    assert_int_equal(dls_near_count(near), 1);
    assert_int_equal(dls_near_pairs(near)->a, 3);
    dls_near_free(near);
  }
  dls_near *none = NULL;
  assert_int_equal(dls_near_create(0, &none), DLS_OK);
  assert_int_equal(dls_near_update(none, NULL, 1, NULL), DLS_OK);
  assert_int_equal(dls_near_count(none), 0);
  dls_near_free(none);
  assert_int_equal(dls_near_create(-1, &none), DLS_ERR_LIMIT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_boxes), cmocka_unit_test(stacked),
                                     cmocka_unit_test(extremes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
