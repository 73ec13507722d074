#include "reference_plate.h"

#include <math.h>
#include <string.h>

// x = (place, rates, t)
typedef struct tangents {
  real arm[PLATE_LEGS][2], s[PLATE_LEGS][2], speed[PLATE_LEGS];
  real normal[PLATE_LEGS], rate[3];
} tangents;

static void solve_three(real a[3][4])
{
  for (int k = 0; k < 3; k++) {
    int best = k;
    for (int i = k + 1; i < 3; i++)
      if (fabsl(a[i][k]) > fabsl(a[best][k])) best = i;
    for (int j = 0; j < 4; j++) {
      const real keep = a[k][j];
      a[k][j] = a[best][j], a[best][j] = keep;
    }
    for (int i = 0; i < 3; i++) {
      const real f = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j < 4; j++) a[i][j] -= f * a[k][j];
    }
  }
  for (int k = 0; k < 3; k++) a[k][3] /= a[k][k];
}

// No moment along the plane: sum N_i (arm_i - height mu_i s_i/|s_i|) = 0, sum N_i the weight.
static void find_normal(const plate *p, tangents *c)
{
  for (int i = 0; i < p->legs; i++) c->normal[i] = p->normal[i];
  if (!(p->height > 0)) return;
  real a[3][4] = {{0}};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++)
      a[k][i] = c->arm[i][k] - p->height * p->mu[i] * c->s[i][k] / c->speed[i];
    a[2][i] = 1;
  }
  a[2][3] = p->weight;
  solve_three(a);
  for (int i = 0; i < 3; i++) c->normal[i] = a[i][3];
}

static void look(const plate *p, const real *x, tangents *c)
{
  const real cosine = cosl(x[2]), sine = sinl(x[2]);
  for (int i = 0; i < p->legs; i++) {
    c->arm[i][0] = cosine * p->r[i][0] - sine * p->r[i][1];
    c->arm[i][1] = sine * p->r[i][0] + cosine * p->r[i][1];
    c->s[i][0] = x[3] - x[5] * c->arm[i][1], c->s[i][1] = x[4] + x[5] * c->arm[i][0];
    const real s2 = c->s[i][0] * c->s[i][0] + c->s[i][1] * c->s[i][1];
    c->speed[i] = sqrtl(s2 + p->epsilon * p->epsilon);
  }
  find_normal(p, c);
  real force[3] = {p->push[0], p->push[1], 0};
  for (int i = 0; i < p->legs; i++) {
    const real b = p->mu[i] * c->normal[i] / c->speed[i];
    for (int k = 0; k < 2; k++) force[k] -= b * c->s[i][k];
    force[2] -= b * (c->arm[i][0] * c->s[i][1] - c->arm[i][1] * c->s[i][0]);
  }
  c->rate[0] = force[0] / p->mass, c->rate[1] = force[1] / p->mass;
  c->rate[2] = force[2] / p->inertia;
}

static void plain(const void *self, real t, const real *x, real *dx)
{
  tangents c;
  (void)t;
  look(self, x, &c);
  for (int k = 0; k < 3; k++) dx[k] = x[3 + k], dx[3 + k] = c.rate[k];
}

// dt = dsigma / sum 1/|s_i|
static void stretched(const void *self, real sigma, const real *x, real *dx)
{
  const plate *p = self;
  tangents c;
  real sum = 0;
  (void)sigma;
  look(p, x, &c);
  for (int i = 0; i < p->legs; i++) sum += 1 / c.speed[i];
  for (int k = 0; k < 3; k++) dx[k] = x[3 + k] / sum, dx[3 + k] = c.rate[k] / sum;
  dx[6] = 1 / sum;
}

bool plate_regular(plate p, real end, real place[3])
{
  const real fast = hypotl(p.w[0], p.w[1]) + 1e-6L * end, spin = fabsl(p.w[2]);
  const real size[6] = {fast * end, fast * end, spin * end, fast, fast, spin};
  real x[6];
  memcpy(x, p.place, sizeof p.place), memcpy(x + 3, p.w, sizeof p.w);
  const bool done = reference_follow(plain, &p, 6, 0, end, 1e-9L, size, x);
  memcpy(place, x, 3 * sizeof *x);
  return done;
}

// About leg j, on a level plane: the other legs slip at right angles to their levers, so that it
// slows down evenly. The pivot holds where its force stays inside the circle.
static bool turn_about(const plate *p, int j, const real *x, const tangents *c, plate_rest *rest)
{
  const real *arm = c->arm[j];
  real inertia = p->inertia + p->mass * (arm[0] * arm[0] + arm[1] * arm[1]);
  real sign = x[5] > 0 ? 1 : -1, moment = 0, others[2] = {0};
  for (int i = 0; i < p->legs; i++) {
    const real d[2] = {c->arm[i][0] - arm[0], c->arm[i][1] - arm[1]}, size = hypotl(d[0], d[1]);
    if (i == j) continue;
    const real b = p->mu[i] * p->normal[i];
    moment += b * size;
    others[0] += b * sign * d[1] / size, others[1] -= b * sign * d[0] / size;
  }
  const real slowing = moment / inertia;
  for (int fast = 0; fast < 2; fast++) {  // m v' of the centre, less what the others give
    const real w2 = fast ? x[5] * x[5] : 0, dw = -sign * slowing;
    const real fx = p->mass * (dw * arm[1] + w2 * arm[0]) - others[0];
    const real fy = p->mass * (-dw * arm[0] + w2 * arm[1]) - others[1];
    if (!(hypotl(fx, fy) < 0.99L * p->mu[j] * p->normal[j])) return false;
  }
  const real angle = x[5] * x[5] / (2 * slowing) * sign;
  const real cosine = cosl(angle), sine = sinl(angle);
  rest->pivot = j, rest->t = x[6] + fabsl(x[5]) / slowing;
  rest->place[0] = x[0] + arm[0] - (cosine * arm[0] - sine * arm[1]);
  rest->place[1] = x[1] + arm[1] - (sine * arm[0] + cosine * arm[1]);
  rest->place[2] = x[2] + angle;
  return true;
}

// The last bit, straight: what is left of a speed that falls evenly.
static void come_to_rest(const real *x, const tangents *c, plate_rest *rest)
{
  real along = 0, square = 0;
  for (int k = 0; k < 3; k++) along += x[3 + k] * c->rate[k], square += x[3 + k] * x[3 + k];
  const real left = -square / along;
  rest->t = x[6] + left;
  for (int k = 0; k < 3; k++) rest->place[k] = x[k] + x[3 + k] * left / 2;
}

plate_rest plate_follow(plate p)
{
  plate_rest rest = {.pivot = -1, .turn = INFINITY};
  real x[7] = {0}, first = 0;
  memcpy(x, p.place, sizeof p.place), memcpy(x + 3, p.w, sizeof p.w);
  p.epsilon = 0;
  for (int k = 0; k < 1000; k++) {
    tangents c;
    look(&p, x, &c);
    real least = INFINITY, most = 0, fastest = 0;
    int slow = 0;
    for (int i = 0; i < p.legs; i++) {
      if (!(c.normal[i] > 0.02L * p.weight / (real)p.legs)) return rest;
      if (c.speed[i] < least) least = c.speed[i], slow = i;
      most = fmaxl(most, c.speed[i]);
      const real pull =
          hypotl(c.rate[0], c.rate[1]) + fabsl(c.rate[2]) * hypotl(p.r[i][0], p.r[i][1]);
      fastest = fmaxl(fastest, pull / c.speed[i]);
    }
    if (k == 0) first = most;
    if (most > 0.3L * first) rest.turn = fminl(rest.turn, 1 / fastest);
    if (most > 1e3L * first) return rest;
    if (most < 1e-12L * first) {
      come_to_rest(x, &c, &rest);
      rest.fit = true;
      return rest;
    }
    if (least < 1e-9L * most) {
      rest.fit =
          p.height == 0 && p.push[0] == 0 && p.push[1] == 0 && turn_about(&p, slow, x, &c, &rest);
      return rest;
    }
    // so much of sigma that the speed changes by some tenths
    real sum = 0;
    for (int i = 0; i < p.legs; i++) sum += 1 / c.speed[i];
    const real way = first * rest.turn, reach = hypotl(p.r[0][0], p.r[0][1]);
    const real size[7] = {way, way, way / reach, most, most, most / reach, rest.turn};
    if (!reference_follow(stretched, &p, 7, 0, 0.3L * sum / fastest, 1e-15L, size, x)) return rest;
  }
  return rest;
}
