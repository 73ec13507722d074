#include "reference_rod.h"

#include <math.h>
#include <string.h>

// The normal force is -B/A.
static real A_of(const rod *r, real th)
{
  return (1 + 3 * cosl(th) * (cosl(th) - r->mu * sinl(th))) / r->m;
}

static real B_of(const rod *r, real th, real w)
{
  return r->l * sinl(th) * w * w - r->g;
}

// x = (th, w, v, x, t); times `scale`, the derivatives by t
static void rates(const rod *r, const real *x, real force, real scale, real *dx)
{
  dx[0] = scale * x[1];
  dx[1] = -3 / (r->m * r->l) * (cosl(x[0]) - r->mu * sinl(x[0])) * force;
  dx[2] = r->mu / r->m * force, dx[3] = scale * x[2], dx[4] = scale;
}

// dt = A dsigma
static void stretched(const void *self, real sigma, const real *x, real *dx)
{
  (void)sigma;
  rates(self, x, -B_of(self, x[0], x[1]), A_of(self, x[0]), dx);
}

static void plain(const void *self, real t, const real *x, real *dx)
{
  (void)t;
  rates(self, x, -B_of(self, x[0], x[1]) / A_of(self, x[0]), 1, dx);
}

static bool start(const rod *r, real *x)
{
  const real first[5] = {r->th, r->w, r->v, 0, 0};
  memcpy(x, first, sizeof first);
  return A_of(r, r->th) > 0.02L / r->m && B_of(r, r->th, r->w) < -0.02L * r->g;
}

rod_end rod_follow(rod r)
{
  real x[5];
  rod_end end = {.fate = ROD_ELSE};
  if (!start(&r, x)) return end;
  const real size[5] = {1, sqrtl(r.g / r.l), sqrtl(r.g * r.l), r.l, sqrtl(r.l / r.g)};
  real low = 0, high = 0;  // of the last step: its length is bisected where the force ends
  for (int k = 0; k < 2000; k++) {
    const real A = A_of(&r, x[0]) * r.m, B = B_of(&r, x[0], x[1]) / r.g;
    const real slip = x[2] + r.l * sinl(x[0]) * x[1];
    end = (rod_end){ROD_ELSE, x[4], x[0], x[1], x[2], x[3]};
    if (slip > 0) return end.fate = ROD_STOPS, end;
    if (A < 1e-9L && fabsl(B) < 1e-6L) return end.fate = ROD_LOST, end;
    if (!(x[0] > 0.05L && x[0] < 1.6L) || x[4] > 3 * size[4] || !(A > 0)) return end;
    real next[5];
    high = 0.5L / (1 + fabsl(x[1]) / size[1]) * r.m * size[4];
    memcpy(next, x, sizeof next);
    if (!reference_follow(stretched, &r, 5, 0, high, 1e-16L, size, next)) return end;
    if (B_of(&r, next[0], next[1]) >= 0 && A > 1e-6L) {
      for (low = 0; high - low > 1e-17L * high + 1e-19L;) {
        const real middle = (low + high) / 2;
        memcpy(next, x, sizeof next);
        if (!reference_follow(stretched, &r, 5, 0, middle, 1e-16L, size, next)) return end;
        if (B_of(&r, next[0], next[1]) < 0) low = middle;
        else high = middle;
        if (!(middle > low) && !(middle < high)) break;
      }
      const rod_fate fate = A_of(&r, next[0]) * r.m > 0.05L ? ROD_TAKES_OFF : ROD_ELSE;
      return (rod_end){fate, next[4], next[0], next[1], next[2], next[3]};
    }
    memcpy(x, next, sizeof next);
  }
  return end;
}

bool rod_at(rod r, real t, rod_end *end)
{
  real x[5];
  const real size[5] = {1, sqrtl(r.g / r.l), sqrtl(r.g * r.l), r.l, sqrtl(r.l / r.g)};
  if (!start(&r, x) || !reference_follow(plain, &r, 5, 0, t, 1e-15L, size, x)) return false;
  *end = (rod_end){ROD_ELSE, x[4], x[0], x[1], x[2], x[3]};
  return true;
}
