#include "motion.h"

#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

motion motion_make(int count, int n)
{
  motion m = {.t = vector(count), .x = vector(count * n)};
  m.view = (dls_trajectory){(size_t)count, n, m.t, m.x};
  return m;
}

void motion_drop(motion m)
{
  free(m.t), free(m.x);
}

double motion_distance(motion a, motion b)
{
  double d = NAN;
  assert_int_equal(dls_graph_distance(&a.view, &b.view, &d), DLS_OK);
  return d;
}

motion motion_draw(int count, int n, bool coarse)
{
  motion m = motion_make(count, n);
  for (int i = 0; i < count; i++) {
    const int kind = below(4);
    if (i > 0) m.t[i] = m.t[i - 1] + (kind == 0 ? 0 : coarse ? 0.25 * below(4) : 1 + uniform());
    for (int k = 0; k < n; k++) {
      const double fresh = coarse ? 0.5 * (below(7) - 3) : 2 * uniform();
      m.x[i * n + k] = i > 0 && kind == 1 ? m.x[(i - 1) * n + k] : fresh;
    }
  }
  const double end = m.t[count - 1];
  for (int i = 0; i < count && end > 0 && !coarse; i++) m.t[i] *= 3 / end;
  return m;
}
