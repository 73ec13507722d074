#include "reference_belt.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L

// ---- a spring, a belt

// After t on one side: a harmonic motion about c = -side F/k.
static belt_state swing(const spring_belt *b, belt_state s, int side, real t)
{
  const real w = sqrtl(b->k / b->m), c = -(real)side * b->F / b->k;
  const real A = s.x - c, B = s.v / w;
  return (belt_state){s.t + t, c + A * cosl(w * t) + B * sinl(w * t),
                      w * (B * cosl(w * t) - A * sinl(w * t))};
}

// The first t > 0 with x' = u again: x' = w R cos(w t + phi).
static real until_belt(const spring_belt *b, belt_state s, int side)
{
  const real w = sqrtl(b->k / b->m), c = -(real)side * b->F / b->k;
  const real A = s.x - c, B = s.v / w, R = hypotl(A, B), phi = atan2l(A, B);
  const real ratio = b->u / (w * R);
  if (!(fabsl(ratio) <= 1)) return INFINITY;
  real first = INFINITY;
  for (int sign = -1; sign <= 1; sign += 2) {
    real angle = fmodl((real)sign * acosl(ratio) - phi, 2 * PI);
    while (angle < 1e-12L) angle += 2 * PI;
    first = fminl(first, angle / w);
  }
  return first;
}

belt_state spring_belt_at(const spring_belt *b, belt_state s, real t, int *changes)
{
  int side = s.v > b->u ? 1 : s.v < b->u ? -1 : 0;
  *changes = 0;
  for (; *changes < 10000; ++*changes) {
    if (side == 0 && fabsl(b->k * s.x) <= b->F * (1 - 1e-15L)) {
      const real edge = b->u == 0 ? INFINITY : (copysignl(b->F / b->k, b->u) - s.x) / b->u;
      const real d = fminl(edge, t - s.t);
      s = (belt_state){s.t + d, s.x + b->u * d, b->u};
      if (!(edge < t - s.t + d)) return s;
      s.x = copysignl(b->F / b->k, b->u), side = b->u > 0 ? -1 : 1;
    } else if (side == 0) {
      side = s.x > 0 ? -1 : 1;
    } else {
      const real d = until_belt(b, s, side);
      if (d >= t - s.t) return swing(b, s, side, t - s.t);
      s = swing(b, s, side, d);
      s.v = b->u, side = 0;
    }
  }
  return (belt_state){NAN, NAN, NAN};
}

// ---- a belt that shakes

static real slip_of(const shaken_belt *b, belt_state s, real a, real t)
{
  return s.v + a * t - b->U * sinl(b->w * (s.t + t));
}

// The first t > 0 at which the slip changes its side, up to `most`; INFINITY: none.
static real until_turn(const shaken_belt *b, belt_state s, real a, int side, real most)
{
  const real d = PI / (b->w * 400);
  for (real t = d; t < most + d; t += d) {
    if ((real)side * slip_of(b, s, a, t) > 0) continue;
    real low = t - d, high = t;
    for (int k = 0; k < 100; k++) {
      const real middle = (low + high) / 2;
      if ((real)side * slip_of(b, s, a, middle) > 0) low = middle;
      else high = middle;
    }
    return high;
  }
  return INFINITY;
}

// The next time at which m u' - P leaves [-F, F], and on which side.
static real until_slip(const shaken_belt *b, real t, int *side)
{
  real first = INFINITY;
  for (int sign = -1; sign <= 1; sign += 2) {
    const real ratio = (b->P + (real)sign * b->F) / (b->m * b->U * b->w);
    if (!(fabsl(ratio) <= 1)) continue;
    // m u' grows through P + F, or falls through P - F
    const real phase = sign > 0 ? -acosl(ratio) : acosl(ratio);
    real d = fmodl(phase - b->w * t, 2 * PI);
    while (d < 1e-12L) d += 2 * PI;
    if (d / b->w < first) first = d / b->w, *side = -sign;
  }
  return first;
}

belt_state shaken_belt_at(const shaken_belt *b, belt_state s, real t, int *changes)
{
  const real u = b->U * sinl(b->w * s.t);
  int side = s.v > u ? 1 : s.v < u ? -1 : 0;
  *changes = 0;
  for (; *changes < 10000; ++*changes) {
    const real pull = b->m * b->U * b->w * cosl(b->w * s.t) - b->P;
    if (side == 0 && fabsl(pull) < b->F) {
      int next = 0;
      const real d = fminl(until_slip(b, s.t, &next), t - s.t);
      const bool last = d >= t - s.t;
      const real before = s.t;
      s.t += d, s.v = b->U * sinl(b->w * s.t);
      s.x += b->U / b->w * (cosl(b->w * before) - cosl(b->w * s.t));
      if (last) return s;
      side = next;
    } else if (side == 0) {
      side = pull > 0 ? -1 : 1;
    }
    const real a = (b->P - (real)side * b->F) / b->m;
    const real turn = until_turn(b, s, a, side, t - s.t), d = fminl(turn, t - s.t);
    s = (belt_state){s.t + d, s.x + s.v * d + a * d * d / 2, s.v + a * d};
    if (turn >= d && d >= t - s.t + d) return s;
    side = 0, s.v = b->U * sinl(b->w * s.t);
  }
  return (belt_state){NAN, NAN, NAN};
}

// ---- in a plane

// x = (r, v, t); dt = |s| dsigma
static void slide_on(const void *self, real sigma, const real *x, real *dx)
{
  const plane_belt *b = self;
  (void)sigma;
  const real s[2] = {x[2] - b->u, x[3]}, size = sqrtl(s[0] * s[0] + s[1] * s[1]);
  const real k[2] = {b->kx, b->ky};
  for (int i = 0; i < 2; i++)
    dx[i] = size * x[2 + i], dx[2 + i] = (-size * k[i] * x[i] - b->F * s[i]) / b->m;
  dx[4] = size;
}

static void slide_plain(const void *self, real t, const real *x, real *dx)
{
  const real s = hypotl(x[2] - ((const plane_belt *)self)->u, x[3]);
  slide_on(self, t, x, dx);
  for (int i = 0; i < 5; i++) dx[i] /= s;
}

// Slides until it stops (1), or until `end` (0); -1: it could not.
static int slide_plane(const plane_belt *b, real end, real *x, real first, real *slowest)
{
  const real w = sqrtl(fmaxl(b->kx, b->ky) / b->m);
  const real speed = fmaxl(b->u, b->F / b->m / w), way = speed / w;
  const real size[5] = {way, way, first, first, 1 / w};
  real before = 0, least = INFINITY;  // since it became slower
  for (int k = 0; k < 40000; k++) {
    const real s = hypotl(x[2] - b->u, x[3]), pull = hypotl(b->kx * x[0], b->ky * x[1]);
    if (s < 1e-10L * speed && pull < 0.999L * b->F) {  // the last bit, straight
      const real left = s * b->m / (b->F - pull);
      if (x[4] + left > end) return -1;
      x[0] += b->u * left, x[4] += left, x[2] = b->u, x[3] = 0;
      return 1;
    }
    if (s < 1e-10L * speed && pull < b->F) return -1;
    if (s < before) least = s;
    else *slowest = fminl(*slowest, least);
    before = s;
    const real sigma = (pull < b->F ? 0.2L : 2) * b->m / (b->F + pull + s * w * b->m);
    real next[5];
    memcpy(next, x, sizeof next);
    const real local[5] = {size[0], size[1], fminl(s, first), fminl(s, first), size[4]};
    if (!reference_follow(slide_on, b, 5, 0, sigma, 1e-15L, local, next)) return -1;
    if (next[4] > end)
      return reference_follow(slide_plain, b, 5, x[4], end, 1e-15L, local, x) ? 0 : -1;
    memcpy(x, next, sizeof next);
  }
  return -1;
}

// When |K r| = F while it rides on the belt from r; INFINITY: never.
static real until_breaks(const plane_belt *b, const real *r)
{
  const real y = b->ky * r[1], edge = b->F * b->F - y * y;
  if (b->kx == 0 || b->u == 0 || edge <= 0) return INFINITY;
  return (copysignl(sqrtl(edge) / b->kx, b->u) - r[0]) / b->u;
}

// It breaks away along the springs' force: m |s| is the integral of its excess over F, as long as
// the slip is so short that the springs do not feel it.
static void break_away(const plane_belt *b, real *x)
{
  const real dt = 1e-3L * sqrtl(b->m / fmaxl(b->kx, b->ky));
  real p[2], s = 0, way = 0;
  for (int k = 0; k <= 16; k++) {  // Simpson's rule; the way by the weight of the time left
    const real t = dt * (real)k / 16, weight = (k == 0 || k == 16 ? 1 : k % 2 ? 4 : 2) * dt / 48;
    p[0] = -b->kx * (x[0] + b->u * t), p[1] = -b->ky * x[1];
    const real excess = (hypotl(p[0], p[1]) - b->F) / b->m;
    s += weight * excess, way += weight * excess * (dt - t);
  }
  const real size = hypotl(p[0], p[1]);
  x[0] += b->u * dt + way * p[0] / size, x[1] += way * p[1] / size;
  x[2] = b->u + s * p[0] / size, x[3] = s * p[1] / size, x[4] += dt;
}

bool plane_belt_at(const plane_belt *b, plane_state start, real t, plane_state *end, int *changes,
                   real *slowest)
{
  real x[5] = {start.r[0], start.r[1], start.v[0], start.v[1], start.t};
  real first = hypotl(start.v[0] - b->u, start.v[1]);
  *changes = 0, *slowest = INFINITY;
  for (int k = 0; k < 100; k++, ++*changes) {
    const int stopped = slide_plane(b, t, x, first, slowest);
    if (stopped < 0) return false;
    if (stopped == 0) break;
    const real fixture = until_breaks(b, x), d = fminl(fixture, t - x[4]);
    if (fixture < 1e-3L * (t - x[4])) return false;
    x[0] += b->u * d, x[4] += d;
    if (d < fixture) {
      x[4] = t;
      break;
    }
    break_away(b, x);
    first = b->F / sqrtl(b->m * fmaxl(b->kx, b->ky));
    ++*changes;
  }
  *end = (plane_state){x[4], {x[0], x[1]}, {x[2], x[3]}};
  return true;
}
