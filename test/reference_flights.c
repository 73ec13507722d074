#include "reference_flights.h"

#include <math.h>

// From a positive value g with slope d, g + d s - bound s^2/2 is below the curve: no zero before
// its own. Near a simple zero these steps are Newton's.
real reference_first(reference_curve curve, const void *self, real bound, real from, real end)
{
  real t = from;
  for (int k = 0; k < 20000 && t < end; k++) {
    real value, slope;
    curve(self, t, &value, &slope);
    if (value <= 0 && t > from) return t;
    const real g = fmaxl(value, 0), root = sqrtl(slope * slope + 2 * bound * g);
    const real step = slope < 0 ? 2 * g / (root - slope) : (slope + root) / bound;
    if (step < 1e-18L * (1 + fabsl(t))) return t;
    t += step;
  }
  return t < end ? NAN : INFINITY;
}

real waves_at(const waves *f, int derivative, real t)
{
  real sum = derivative == 0 ? f->a : derivative < 0 ? f->a * t : 0;
  for (int i = 0; i < f->count; i++) {
    const real p = f->w[i] * t + f->phi[i], w = f->w[i], A = f->A[i];
    sum += derivative == 0   ? A * sinl(p)
           : derivative == 1 ? A * w * cosl(p)
           : derivative == 2 ? -A * w * w * sinl(p)
                             : -A / w * cosl(p);
  }
  return sum;
}

real waves_bound(const waves *f, int derivative)
{
  real sum = 0;
  for (int i = 0; i < f->count; i++) sum += fabsl(f->A[i]) * powl(f->w[i], (real)derivative);
  return sum;
}

// ---- between walls

typedef struct flight {
  const rattle *r;
  real t, x, v;
  int side;
} flight;

static void distance(const void *self, real t, real *value, real *slope)
{
  const flight *f = self;
  const real s = t - f->t, a = f->r->acceleration, b = isfinite(f->r->b) ? f->r->b : 0;
  const real x = f->x + f->v * s + a * s * s / 2, v = f->v + a * s;
  const real wall = waves_at(&f->r->wall, 0, t), rate = waves_at(&f->r->wall, 1, t);
  *value = f->side == 0 ? x - wall + b : wall + b - x;
  *slope = f->side == 0 ? v - rate : rate - v;
}

// The least distance on a grid that is not next to the flight's ends.
static real closest(flight f, real end)
{
  real least = INFINITY, value, slope, before = -1;
  const int count = 100;
  for (int k = 1; k < count; k++) {
    distance(&f, f.t + (end - f.t) * (real)k / count, &value, &slope);
    if (before < 0 && slope > 0) least = fminl(least, value);  // a valley
    before = slope;
  }
  return least;
}

flight_end rattle_at(const rattle *r, real x, real v, real end)
{
  flight_end out = {.shortest = INFINITY, .closest = INFINITY, .fit = true};
  flight f = {r, 0, x, v, 0};
  const real bound = fabsl(r->acceleration) + waves_bound(&r->wall, 2);
  for (;;) {
    real hit = INFINITY;
    int side = 0;
    for (int k = 0; k < (isfinite(r->b) ? 2 : 1); k++) {
      f.side = k;
      const real t = reference_first(distance, &f, bound, f.t, end);
      if (isnan(t)) out.fit = false;
      if (t < hit) hit = t, side = k;
      out.closest = fminl(out.closest, closest(f, fminl(t, end)));
    }
    const real to = fminl(hit, end), s = to - f.t, a = r->acceleration;
    f.x += f.v * s + a * s * s / 2, f.v += a * s;
    if (out.impacts > 0 && hit < end) out.shortest = fminl(out.shortest, s);
    f.t = to;
    if (!(hit < end) || !out.fit) break;
    const real wall = waves_at(&r->wall, 1, to);
    f.v = wall - r->e * (f.v - wall);
    f.x = waves_at(&r->wall, 0, to) + (isfinite(r->b) ? (side == 0 ? -r->b : r->b) : 0);
    out.impacts++, out.last = to;
    if (out.impacts > 300 ||
        out.shortest * waves_bound(&r->wall, 1) < 0.01L * waves_bound(&r->wall, 0))
      out.fit = false;
  }
  out.t = f.t, out.x = f.x, out.v = f.v;
  return out;
}

// ---- a block that a force shakes

typedef struct push {
  const shaker *s;
  int side;  // of the force while it rests, of the slip while it moves
  real t, v;
} push;

static void reserve(const void *self, real t, real *value, real *slope)
{
  const push *p = self;
  *value = p->s->F - (real)p->side * waves_at(&p->s->force, 0, t);
  *slope = -(real)p->side * waves_at(&p->s->force, 1, t);
}

static void slip(const void *self, real t, real *value, real *slope)
{
  const push *p = self;
  const waves *f = &p->s->force;
  const real side = (real)p->side, work = waves_at(f, -1, t) - waves_at(f, -1, p->t);
  *value = side * (p->v + work / p->s->m) - p->s->F * (t - p->t) / p->s->m;
  *slope = (side * waves_at(f, 0, t) - p->s->F) / p->s->m;
}

// The way of a slip: the integral of its velocity.
static real way_of(const push *p, real t)
{
  const waves *f = &p->s->force;
  const real s = t - p->t;
  real twice = f->a * s * s / 2;
  for (int i = 0; i < f->count; i++) {
    const real w = f->w[i], q = w * p->t + f->phi[i];
    twice += f->A[i] / w * (cosl(q) * s - (sinl(q + w * s) - sinl(q)) / w);
  }
  return p->v * s + (twice - (real)p->side * p->s->F * s * s / 2) / p->s->m;
}

static real until_slip(const shaker *s, real t, real end, int *side)
{
  real first = INFINITY;
  for (int k = -1; k <= 1; k += 2) {
    const push p = {s, k, t, 0};
    const real at = reference_first(reserve, &p, waves_bound(&s->force, 2), t, end);
    if (at < first) first = at, *side = k;
  }
  return first;
}

shaker_end shaker_at(const shaker *s, real end)
{
  shaker_end out = {.shortest = INFINITY};
  const real rate = waves_bound(&s->force, 1), quick = 1e-6L * waves_bound(&s->force, 0) / rate;
  while (out.tangents < 100000) {
    const real force = waves_at(&s->force, 0, out.t);
    push p = {s, force > 0 ? 1 : -1, out.t, 0};
    if (fabsl(force) < s->F) {
      p.t = until_slip(s, out.t, end, &p.side);
      if (out.tangents > 0) out.sticks++;
    }
    if (!(p.t < end)) break;
    out.tangents++, out.last = p.t;
    real stop = p.t + quick, value, slope;
    slip(&p, stop, &value, &slope);
    if (value > 0) stop = reference_first(slip, &p, rate / s->m, stop, end);
    const real to = fminl(stop, end);
    out.x += way_of(&p, to), out.t = to;
    slip(&p, to, &value, &slope);
    out.v = to < end ? 0 : (real)p.side * value;
    if (!(stop < end)) return out;
    out.shortest = fminl(out.shortest, stop - p.t);
  }
  out.t = end;
  return out;
}
