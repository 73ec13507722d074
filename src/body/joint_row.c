#include "body/joint_row.h"

#include "base/memory.h"
#include "body/joint_row_parts.h"

#include <stdbool.h>

// ---- the functions of products of axes ----------------------------------------------------------

// y = f(N, D), N and D linear in the products Q_ij of axis i of A with axis j of B.   eq (row.2)
// TURN 2 N/D, TILT 2 N/D, SKEW N, ANGLE atan2(N, D)
static void add(dls_linear *f, int i, int j, double c)
{
  f->c[3 * i + j] += c;
}

void dls_row_functionals(dls_joint_row row, dls_linear *N, dls_linear *D)
{
  const int i = row.axis, j = (i + 1) % 3, k = (i + 2) % 3;
  *N = *D = (dls_linear){{0}, 0};
  D->constant = 1;
  switch (row.kind) {
  case DLS_ROW_TURN:
    add(N, k, j, 2), add(N, j, k, -2);
    for (int s = 0; s < 3; s++) add(D, s, s, 1);
    return;
  case DLS_ROW_TILT: add(N, 1 - i, 2, i == 0 ? -2 : 2), add(D, 2, 2, 1); return;
  case DLS_ROW_SKEW: add(N, 0, 1, -1); return;
  default:
    D->constant = 0;
    add(N, 1, 0, 1), add(N, 0, 1, -1);
    add(D, 0, 0, 1), add(D, 1, 1, 1);
  }
}

// The axes of a frame.
static dls_bounded3 axis_of(const dls_solid_motion *m, const dls_solid_motion_error *e, int j)
{
  dls_bounded3 a;
  for (int i = 0; i < 3; i++) a.c[i] = (dls_bounded){m->R[3 * i + j], e ? e->R[3 * i + j] : 0};
  return a;
}

typedef struct frame {
  dls_bounded3 axis[3], p, v, w, a, alpha;
} frame;

static frame frame_of(const dls_solid_motion *m, const dls_solid_motion_error *e)
{
  return (frame){{axis_of(m, e, 0), axis_of(m, e, 1), axis_of(m, e, 2)},
                 dls_with_errors3(m->p, e ? e->p : NULL),
                 dls_with_errors3(m->v, e ? e->v : NULL),
                 dls_with_errors3(m->w, e ? e->w : NULL),
                 dls_with_errors3(m->a, e ? e->a : NULL),
                 dls_with_errors3(m->alpha, e ? e->alpha : NULL)};
}

// A linear function of the Q_ij along the motion: N' = g.w, N'' = g.alpha + g'.w, w and alpha those
// of B relative to A.                                                                 eq (row.3)
typedef struct along_motion {
  dls_bounded value, rate, bias;
  dls_bounded3 gradient;
} along_motion;

static along_motion follow(const dls_linear *f, const frame *a, const frame *b)
{
  const dls_bounded3 w = dls_minus3(b->w, a->w), alpha = dls_minus3(b->alpha, a->alpha);
  along_motion r = {.value = dls_exactly(f->constant)};
  dls_bounded3 turned = {{{0, 0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double c = f->c[3 * i + j];
      if (c == 0) continue;
      const dls_bounded3 x = dls_scale3(c, a->axis[i]), y = b->axis[j];
      r.value = dls_plus(r.value, dls_dot_bounded(x, y));
      r.gradient = dls_plus3(r.gradient, dls_cross_bounded(y, x));
      turned = dls_plus3(turned, dls_cross_bounded(dls_cross_bounded(b->w, y), x));
      turned = dls_plus3(turned, dls_cross_bounded(y, dls_cross_bounded(a->w, x)));
    }
  r.rate = dls_dot_bounded(r.gradient, w);
  r.bias = dls_plus(dls_dot_bounded(r.gradient, alpha), dls_dot_bounded(turned, w));
  return r;
}

static dls_bounded inverse(dls_bounded d)
{
  const double least = fabs(d.x) - d.e;
  return least > 0 ? dls_rounded(1 / d.x, d.e / (fabs(d.x) * least))
                   : (dls_bounded){1 / d.x, INFINITY};
}

// N/D: y' = (N' - y D')/D, y'' = (N'' - 2 y' D' - y D'')/D.
static along_motion quotient(const along_motion *N, const along_motion *D)
{
  const dls_bounded r = inverse(D->value);
  along_motion y = {.value = dls_times(N->value, r)};
  y.rate = dls_times(r, dls_minus(N->rate, dls_times(y.value, D->rate)));
  const dls_bounded twice = dls_scale(2, dls_times(y.rate, D->rate));
  y.bias = dls_times(r, dls_minus(N->bias, dls_plus(twice, dls_times(y.value, D->bias))));
  y.gradient = dls_times3(r, dls_minus3(N->gradient, dls_times3(y.value, D->gradient)));
  return y;
}

// atan2(N, D): y' = (D N' - N D')/s, y'' = (D N'' - N D'' - s' y')/s, s = N^2 + D^2.
static along_motion angle(const along_motion *N, const along_motion *D)
{
  const dls_bounded s = dls_plus(dls_times(N->value, N->value), dls_times(D->value, D->value));
  const dls_bounded r = inverse(s), d = dls_times(r, D->value), n = dls_times(r, N->value);
  const dls_bounded growth =
      dls_scale(2, dls_plus(dls_times(n, N->rate), dls_times(d, D->rate)));  // s'/s
  along_motion y = {.value = dls_rounded(atan2(N->value.x, D->value.x),
                                         fabs(d.x) * N->value.e + fabs(n.x) * D->value.e)};
  y.value = dls_rounded(y.value.x, y.value.e);  // atan2 itself has a whole unit
  y.rate = dls_minus(dls_times(d, N->rate), dls_times(n, D->rate));
  y.bias =
      dls_minus(dls_minus(dls_times(d, N->bias), dls_times(n, D->bias)), dls_times(growth, y.rate));
  y.gradient = dls_minus3(dls_times3(d, N->gradient), dls_times3(n, D->gradient));
  return y;
}

// ---- rows ---------------------------------------------------------------------------------------

typedef struct bounded_row {
  dls_bounded value, rate, bias;
  dls_bounded3 wrench[4];
} bounded_row;

static bounded_row turning(dls_joint_row row, const frame *a, const frame *b)
{
  dls_linear numerator, denominator;
  dls_row_functionals(row, &numerator, &denominator);
  const along_motion N = follow(&numerator, a, b), D = follow(&denominator, a, b);
  const along_motion y = row.kind == DLS_ROW_SKEW    ? N
                         : row.kind == DLS_ROW_ANGLE ? angle(&N, &D)
                                                     : quotient(&N, &D);
  bounded_row r = {.value = y.value, .rate = y.rate, .bias = y.bias};
  r.wrench[1] = dls_scale3(-1, y.gradient), r.wrench[3] = y.gradient;
  return r;
}

// y = e.d, y' = e.d' + w_A.(e x d), y'' = e.d'' + alpha_A.(e x d) + (w x (w x e)).d + 2 (w x e).d'
static bounded_row along(int axis, const frame *a, const frame *b)
{
  const dls_bounded3 e = a->axis[axis], d = dls_minus3(b->p, a->p), moved = dls_minus3(b->v, a->v);
  const dls_bounded3 lever = dls_cross_bounded(e, d), swung = dls_cross_bounded(a->w, e);
  bounded_row r = {.value = dls_dot_bounded(e, d)};
  r.rate = dls_plus(dls_dot_bounded(e, moved), dls_dot_bounded(a->w, lever));
  const dls_bounded by_forces =
      dls_plus(dls_dot_bounded(e, dls_minus3(b->a, a->a)), dls_dot_bounded(a->alpha, lever));
  const dls_bounded by_motion = dls_plus(dls_dot_bounded(dls_cross_bounded(a->w, swung), d),
                                         dls_scale(2, dls_dot_bounded(swung, moved)));
  r.bias = dls_plus(by_forces, by_motion);
  r.wrench[0] = dls_scale3(-1, e), r.wrench[1] = lever, r.wrench[2] = e;
  return r;
}

// y' = e.w, e an axis of B and w relative; y'' = e.(alpha + w_B x w_A)
static bounded_row spinning(int axis, const frame *a, const frame *b)
{
  const dls_bounded3 e = b->axis[axis];
  bounded_row r = {.rate = dls_dot_bounded(e, dls_minus3(b->w, a->w))};
  r.bias = dls_plus(dls_dot_bounded(e, dls_minus3(b->alpha, a->alpha)),
                    dls_dot_bounded(e, dls_cross_bounded(b->w, a->w)));
  r.wrench[1] = dls_scale3(-1, e), r.wrench[3] = e;
  return r;
}

static bool put(dls_bounded from, double *to, double *error)
{
  *to = from.x;
  if (error) *error = from.e;
  return isfinite(from.x) && isfinite(from.e);
}

dls_status dls_row_evaluate(dls_joint_row row, const dls_solid_motion *a,
                            const dls_solid_motion_error *error_a, const dls_solid_motion *b,
                            const dls_solid_motion_error *error_b, dls_row_values *values,
                            dls_row_values *error)
{
  const frame one = frame_of(a, error_a), two = frame_of(b, error_b);
  const bounded_row r = row.kind == DLS_ROW_ALONG  ? along(row.axis, &one, &two)
                        : row.kind == DLS_ROW_SPIN ? spinning(row.axis, &one, &two)
                                                   : turning(row, &one, &two);
  bool finite = put(r.value, &values->value, error ? &error->value : NULL);
  finite &= put(r.rate, &values->rate, error ? &error->rate : NULL);
  finite &= put(r.bias, &values->bias, error ? &error->bias : NULL);
  for (int i = 0; i < 12; i++)
    finite &= put(r.wrench[i / 3].c[i % 3], &values->wrench[i], error ? &error->wrench[i] : NULL);
  return finite ? DLS_OK : DLS_ERR_NUMBER;
}
