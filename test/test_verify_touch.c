// Contacts of two solids as verify encloses them: gaps against distances that are looked for, rates
// and second derivatives against differences along the motion, in long doubles.   eq (enc.4)
#include "particle_tree.h"

#include "numbers.h"
#include "verify/intervals.h"
#include "verify/seen_apart.h"
#include "verify/seen_named.h"
#include "verify/seen_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"
#include "couple.h"

// ---- how far features reach, in long doubles
// -----------------------------------------------------

typedef struct place {
  long double R[9], p[3];  // of the solid; columns of R its axes, row-major
} place;

static void long_turn(const long double q[4], long double R[9])
{
  const long double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
  const long double M[9] = {
      1 - s * (y * y + z * z), s * (x * y - z * w),     s * (x * z + y * w),
      s * (x * y + z * w),     1 - s * (x * x + z * z), s * (y * z - x * w),
      s * (x * z - y * w),     s * (y * z + x * w),     1 - s * (x * x + y * y)};
  memcpy(R, M, sizeof M);
}

// q exp(v t).
static void turned_quaternion(const couple *c, int k, long double t, long double body[4])
{
  const double *q = c->q + 7 * k, *v = c->v + 6 * k;
  long double w[3], length = 0, a[4], turn[4];
  for (int i = 0; i < 3; i++) w[i] = v[3 + i] * t, length += w[i] * w[i];
  length = sqrtl(length);
  for (int i = 0; i < 4; i++) a[i] = q[3 + i];
  const long double factor = length > 0 ? sinl(length / 2) / length : 0.5L;
  turn[0] = cosl(length / 2);
  for (int i = 0; i < 3; i++) turn[1 + i] = factor * w[i];
  body[0] = a[0] * turn[0] - a[1] * turn[1] - a[2] * turn[2] - a[3] * turn[3];
  body[1] = a[0] * turn[1] + a[1] * turn[0] + a[2] * turn[3] - a[3] * turn[2];
  body[2] = a[0] * turn[2] - a[1] * turn[3] + a[2] * turn[0] + a[3] * turn[1];
  body[3] = a[0] * turn[3] + a[1] * turn[2] - a[2] * turn[1] + a[3] * turn[0];
}

// Body k after the time t: q exp(v t), x + v t.
static void place_of(const couple *c, int k, long double t, place *out)
{
  const double *q = c->q + 7 * k, *v = c->v + 6 * k;
  long double body[4], R[9], S[9], pose[4];
  turned_quaternion(c, k, t, body);
  for (int i = 0; i < 4; i++) pose[i] = c->solid[k].pose.quaternion[i];
  long_turn(body, R), long_turn(pose, S);
  for (int i = 0; i < 3; i++) {
    out->p[i] = q[i] + v[i] * t;
    for (int j = 0; j < 3; j++) {
      out->p[i] += R[3 * i + j] * c->solid[k].pose.position[j];
      out->R[3 * i + j] = 0;
      for (int l = 0; l < 3; l++) out->R[3 * i + j] += R[3 * i + l] * S[3 * l + j];
    }
  }
}

// The point of a feature furthest along d, in the world; lines: their place.
static void furthest(const couple *c, int k, const char *name, const place *at,
                     const long double d[3], long double x[3])
{
  const dls_solid *s = &c->solid[k];
  long double own[3], y[3] = {0}, length = 0;
  for (int i = 0; i < 3; i++) {
    own[i] = 0;
    for (int j = 0; j < 3; j++) own[i] += at->R[3 * j + i] * d[j];
  }
  const long double across = sqrtl(own[0] * own[0] + own[1] * own[1]);
  switch (s->kind) {
  case DLS_SOLID_PLANE: break;
  case DLS_SOLID_SPHERE:
    for (int i = 0; i < 3; i++) y[i] = s->size[0] * own[i];
    break;
  case DLS_SOLID_CAPSULE:
    for (int i = 0; i < 3; i++) y[i] = s->size[0] * own[i];
    if (name[0] == 'e') y[2] += (name[3] == '+' ? 1 : -1) * (long double)s->size[1] / 2;
    break;
  case DLS_SOLID_CYLINDER:
    for (int i = 0; i < 2; i++) y[i] = s->size[0] * own[i] / (name[0] == 'r' ? across : 1);
    if (name[0] == 'r') y[2] = (name[3] == '+' ? 1 : -1) * (long double)s->size[1] / 2;
    if (name[0] == 's') y[2] = s->size[0] * own[2];
    break;
  case DLS_SOLID_ELLIPSOID:
    for (int i = 0; i < 3; i++) length += s->size[i] * s->size[i] * own[i] * own[i];
    for (int i = 0; i < 3; i++) y[i] = s->size[i] * s->size[i] * own[i] / sqrtl(length);
    break;
  case DLS_SOLID_BOX: {
    const char *sign = name + strlen(name) - 3;
    for (int i = 0; i < 3; i++)
      y[i] = (sign[i] == '+' ? 0.5L : sign[i] == '-' ? -0.5L : 0) * s->size[i];
    break;
  }
  case DLS_SOLID_HULL: {
    const int v = atoi(name + (name[0] == 'v' ? 6 : 4));
    for (int i = 0; i < 3; i++) y[i] = s->vertex[3 * v + i];
  }
  }
  for (int i = 0; i < 3; i++) {
    x[i] = at->p[i];
    for (int j = 0; j < 3; j++) x[i] += at->R[3 * i + j] * y[j];
  }
}

// The direction of a line in the world; false: it is none.
static bool line_of(const couple *c, int k, const char *name, const place *at, long double e[3])
{
  const dls_solid *s = &c->solid[k];
  long double own[3] = {0, 0, 1};
  if (name[0] != 's' && strncmp(name, "edge", 4) != 0) return false;
  if (s->kind == DLS_SOLID_BOX)
    for (int i = 0; i < 3; i++) own[i] = name[4 + i] == '0';
  if (s->kind == DLS_SOLID_HULL)
    for (int i = 0; i < 3; i++)
      own[i] = (long double)s->vertex[3 * atoi(name + 6) + i] - s->vertex[3 * atoi(name + 4) + i];
  for (int i = 0; i < 3; i++) {
    e[i] = 0;
    for (int j = 0; j < 3; j++) e[i] += at->R[3 * i + j] * own[j];
  }
  return true;
}

typedef struct pair_of_features {
  const couple *c;
  const char *name[2];
  double near[3];
} pair_of_features;

static void cross_long(const long double a[3], const long double b[3], long double c[3])
{
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void unit_long(long double a[3])
{
  const long double length = sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++) a[i] /= length;
}

// n (x_A - x_B) with both as far as the normal goes.
static long double parted(const pair_of_features *f, const place at[2], const long double n[3])
{
  long double sum = 0;
  for (int k = 0; k < 2; k++) {
    const long double sign = k ? -1 : 1, d[3] = {-sign * n[0], -sign * n[1], -sign * n[2]};
    long double x[3];
    furthest(f->c, k, f->name[k], &at[k], d, x);
    for (int i = 0; i < 3; i++) sum += sign * n[i] * x[i];
  }
  return sum;
}

// The value where it is stationary among directions normal to all lines: Newton's method on
// differences. n: in a start, out the normal.
static long double stationary(const pair_of_features *f, const place at[2], long double n[3])
{
  long double e[2][3];
  bool line[2];
  for (int k = 0; k < 2; k++) line[k] = line_of(f->c, k, f->name[k], &at[k], e[k]);
  if (line[0] && line[1]) {
    long double m[3];
    cross_long(e[0], e[1], m), unit_long(m);
    const long double sign = m[0] * n[0] + m[1] * n[1] + m[2] * n[2] > 0 ? 1 : -1;
    for (int i = 0; i < 3; i++) n[i] = sign * m[i];
    return parted(f, at, n);
  }
  for (int step = 0; step < 40; step++) {
    const long double h = 1e-5L;
    long double t[2][3], base[3] = {0}, g[2], H[2][2], y[2] = {0, 0};
    int free = 2;
    const int k = line[0] ? 0 : 1;
    if (line[k]) {
      long double along = 0;
      unit_long(e[k]);
      for (int i = 0; i < 3; i++) along += n[i] * e[k][i];
      for (int i = 0; i < 3; i++) n[i] -= along * e[k][i];
      unit_long(n);
      cross_long(e[k], n, t[0]), free = 1;
    } else {
      base[fabsl(n[0]) < 0.6L ? 0 : 1] = 1;
      cross_long(n, base, t[0]), unit_long(t[0]), cross_long(n, t[0], t[1]);
    }
    long double value[3][3];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        long double m[3];
        for (int i = 0; i < 3; i++)
          m[i] = n[i] + (a - 1) * h * t[0][i] + (free > 1 ? (b - 1) * h * t[1][i] : 0);
        unit_long(m);
        value[a][b] = parted(f, at, m);
      }
    g[0] = (value[2][1] - value[0][1]) / (2 * h), g[1] = (value[1][2] - value[1][0]) / (2 * h);
    H[0][0] = (value[2][1] - 2 * value[1][1] + value[0][1]) / (h * h);
    H[1][1] = (value[1][2] - 2 * value[1][1] + value[1][0]) / (h * h);
    H[0][1] = (value[2][2] - value[2][0] - value[0][2] + value[0][0]) / (4 * h * h);
    if (free == 1) y[0] = -g[0] / H[0][0];
    else {
      const long double det = H[0][0] * H[1][1] - H[0][1] * H[0][1];
      y[0] = -(H[1][1] * g[0] - H[0][1] * g[1]) / det;
      y[1] = -(H[0][0] * g[1] - H[0][1] * g[0]) / det;
    }
    for (int i = 0; i < 3; i++) n[i] += y[0] * t[0][i] + (free > 1 ? y[1] * t[1][i] : 0);
    unit_long(n);
  }
  return parted(f, at, n);
}

static void gap_in_time(const void *self, long double t, long double *y)
{
  const pair_of_features *f = self;
  place at[2];
  for (int k = 0; k < 2; k++) place_of(f->c, k, t, &at[k]);
  long double n[3] = {f->near[0], f->near[1], f->near[2]};
  *y = stationary(f, at, n);
}

// ---- against it
// ----------------------------------------------------------------------------------

static void tight(mpfi_srcptr a, long double x, double tolerance)
{
  const dls_interval found = dls_interval_of(a);
  assert_true(found.high - found.low <= 1e-15 * fmax(fabs(found.low), 1e-20));
  close_to((double)x, found.low, tolerance * fmax(1, fabs((double)x)));
}

static const struct {
  dls_solid_kind kind;
  const char *name;
} round_features[] = {{DLS_SOLID_SPHERE, ""},       {DLS_SOLID_CAPSULE, "side"},
                      {DLS_SOLID_CAPSULE, "end+"},  {DLS_SOLID_CYLINDER, "side"},
                      {DLS_SOLID_CYLINDER, "rim-"}, {DLS_SOLID_ELLIPSOID, ""},
                      {DLS_SOLID_BOX, "corner+-+"}, {DLS_SOLID_BOX, "edge-0+"},
                      {DLS_SOLID_HULL, "vertex2"},  {DLS_SOLID_HULL, "edge1-3"}};
enum { ROUND = sizeof round_features / sizeof *round_features };

// A start that the oracle agrees with: its own stationary normal.
static bool stationary_start(couple *c, const char *const name[2], double near[3], double *gap)
{
  place at[2];
  long double n[3], more = 0;
  pair_of_features f = {.c = c, .name = {name[0], name[1]}};
  for (int k = 0; k < 2; k++) place_of(c, k, 0, &at[k]);
  for (int i = 0; i < 3; i++) n[i] = at[0].p[i] - at[1].p[i];
  for (int step = 0; step < 4; step++) {
    const long double back[3] = {-n[0], -n[1], -n[2]};
    long double x[2][3];
    furthest(c, 0, name[0], &at[0], back, x[0]), furthest(c, 1, name[1], &at[1], n, x[1]);
    for (int i = 0; i < 3; i++) n[i] = x[0][i] - x[1][i];
    unit_long(n);
  }
  const long double g = stationary(&f, at, n);
  // it stays
  long double m[3] = {n[0], n[1], n[2]};
  more = stationary(&f, at, m);
  for (int i = 0; i < 3; i++) near[i] = (double)n[i];
  *gap = (double)g;
  return isfinite((double)g) && fabsl(g - more) < 1e-15L && fabsl(g) < 3;
}

// Derivatives of the oracle's gap; false where its differences do not see far enough.
static bool derivatives(const pair_of_features *f, long double out[3])
{
  long double coarse[2];
  gap_in_time(f, 0, &out[0]);
  for (int order = 1; order <= 2; order++) {
    differentiate(gap_in_time, f, 1, 0.01L, order, &coarse[order - 1]);
    differentiate(gap_in_time, f, 1, 0.005L, order, &out[order]);
    const long double error = order == 1 ? 1e-10L : 1e-8L;
    if (!(fabsl(coarse[order - 1] - out[order]) <= error)) return false;
  }
  return true;
}

// dy/dv times v is the part of y' that velocities make: all of it.
static void check_gradient(const couple *c, const dls_gauge *row)
{
  double sum = 0;
  for (int k = 0; k < 12; k++) sum += c->v[k] * dls_middle(row->gradient[k]);
  close_to(sum, dls_middle(row->y.d[1]), 1e-13 * fmax(1, fabs(sum)));
}

// The same couple after the time t, and the slips there.
typedef struct slip_motion {
  const couple *c;
  const char *const *name;
  const double *near;
} slip_motion;

static void slips_in_time(const void *self, long double t, long double *y)
{
  const slip_motion *m = self;
  couple c = *m->c;
  c.mechanism.body = c.body, c.mechanism.joint = c.joint, c.mechanism.solid = c.solid;
  for (int k = 0; k < 2; k++) {
    long double q[4];
    turned_quaternion(m->c, k, t, q);
    for (int i = 0; i < 3; i++)
      c.q[7 * k + i] = (double)(m->c->q[7 * k + i] + m->c->v[6 * k + i] * t);
    for (int i = 0; i < 4; i++) c.q[7 * k + 3 + i] = (double)q[i];
  }
  place_couple(&c);
  dls_seen_feature f[2];
  dls_seen_touch touch;
  dls_seen_rows rows;
  const int body[2] = {0, 1};
  assert_true(features_of(&c, m->name, f));
  y[0] = y[1] = NAN;  // too far from the start
  if (dls_seen_touch_find(&c.pool, &f[0], &f[1], m->near, &touch)) {
    assert_true(dls_seen_rows_of(&c.posture, body, f, &touch, c.arena, &rows));
    for (int k = 0; k < 2; k++) y[k] = dls_middle(rows.slip[k].y.d[1]);
  }
  forget_couple(&c);
}

static void check_slips(const couple *c, const char *const name[2], const double near[3],
                        const dls_seen_rows *rows)
{
  const slip_motion m = {c, name, near};
  long double rate[2], finer[2];
  differentiate(slips_in_time, &m, 2, 0.01L, 1, rate);
  differentiate(slips_in_time, &m, 2, 0.005L, 1, finer);
  for (int k = 0; k < 2; k++)
    if (fabsl(rate[k] - finer[k]) < 1e-10L) tight(rows->slip[k].y.d[2], finer[k], 1e-9);
}

static bool check_rows(couple *c, const char *const name[2], const double near[3],
                       const dls_seen_feature feature[2], const dls_seen_touch *touch)
{
  pair_of_features f = {.c = c, .name = {name[0], name[1]}};
  memcpy(f.near, near, sizeof f.near);
  dls_seen_rows rows;
  const int body[2] = {0, 1};
  long double true_value[3];
  if (!derivatives(&f, true_value)) return false;
  assert_true(dls_seen_rows_of(&c->posture, body, feature, touch, c->arena, &rows));
  tight(rows.normal.y.d[0], true_value[0], 1e-14);
  tight(rows.normal.y.d[1], true_value[1], 1e-9);
  tight(rows.normal.y.d[2], true_value[2], 1e-7);
  check_gradient(c, &rows.normal);
  for (int s = 0; s < 2; s++) check_gradient(c, &rows.slip[s]);
  check_slips(c, name, near, &rows);
  return true;
}

static void round_pairs(void **unused)
{
  (void)unused;
  int met[ROUND][ROUND] = {0};
  for (int a = 0; a < ROUND; a++)
    for (int b = 0; b < ROUND; b++)
      for (int seed = 0; seed < 200 && met[a][b] < 2; seed++) {
        at_case("%d %s, %d %s, seed %d", round_features[a].kind, round_features[a].name,
                round_features[b].kind, round_features[b].name, seed);
        couple c;
        const char *const name[2] = {round_features[a].name, round_features[b].name};
        double near[3], gap;
        random_couple(&c, round_features[a].kind, round_features[b].kind);
        if (!stationary_start(&c, name, near, &gap)) continue;
        place_couple(&c);
        dls_seen_feature f[2];
        dls_seen_touch touch;
        assert_true(features_of(&c, name, f));
        // parallel lines and the like have none
        if (dls_seen_touch_find(&c.pool, &f[0], &f[1], near, &touch))
          met[a][b] += check_rows(&c, name, near, f, &touch);
        forget_couple(&c);
      }
  for (int a = 0; a < ROUND; a++)
    for (int b = 0; b < ROUND; b++)
      if (met[a][b] == 0)
        fail_msg("no case of %d %s and %d %s", round_features[a].kind, round_features[a].name,
                 round_features[b].kind, round_features[b].name);
}

// The distance of the lowest point above a face.
static void height_in_time(const void *self, long double t, long double *y)
{
  const pair_of_features *f = self;
  place at[2];
  long double n[3], x[3], o[3];
  for (int k = 0; k < 2; k++) place_of(f->c, k, t, &at[k]);
  for (int i = 0; i < 3; i++)
    n[i] = f->near[0] * at[1].R[3 * i] + f->near[1] * at[1].R[3 * i + 1] +
           f->near[2] * at[1].R[3 * i + 2];
  const long double down[3] = {-n[0], -n[1], -n[2]};
  furthest(f->c, 0, f->name[0], &at[0], down, x);
  furthest(f->c, 1, f->name[1], &at[1], n, o);
  *y = 0;
  for (int i = 0; i < 3; i++) *y += n[i] * (x[i] - o[i]);
}

static void on_faces(void **unused)
{
  (void)unused;
  static const struct {
    dls_solid_kind kind;
    const char *name;
    double normal[3];
  } faces[] = {{DLS_SOLID_PLANE, "", {0, 0, 1}}, {DLS_SOLID_BOX, "face0-0", {0, -1, 0}}};
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < ROUND; a++) {
      const char *const name[2] = {round_features[a].name, faces[b].name};
      at_case("%d %s on %d %s", round_features[a].kind, name[0], faces[b].kind, name[1]);
      couple c;
      random_couple(&c, round_features[a].kind, faces[b].kind);
      place_couple(&c);
      dls_seen_feature f[2];
      dls_seen_touch touch, other;
      assert_true(features_of(&c, name, f));
      const double near[3] = {0, 0, 1};
      const bool line = f[0].kind == DLS_SEEN_LINE;
      assert_int_equal(dls_seen_touch_find(&c.pool, &f[0], &f[1], near, &touch), !line);
      assert_int_equal(dls_seen_touch_find(&c.pool, &f[1], &f[0], near, &other), !line);
      if (!line) {
        pair_of_features p = {.c = &c, .name = {name[0], name[1]}};
        memcpy(p.near, faces[b].normal, sizeof p.near);
        dls_seen_rows rows, swapped;
        const int body[2] = {0, 1}, ydob[2] = {1, 0};
        const dls_seen_feature swap[2] = {f[1], f[0]};
        long double value[3];
        assert_true(dls_seen_rows_of(&c.posture, body, f, &touch, c.arena, &rows));
        assert_true(dls_seen_rows_of(&c.posture, ydob, swap, &other, c.arena, &swapped));
        height_in_time(&p, 0, &value[0]);
        differentiate(height_in_time, &p, 1, 0.005L, 1, &value[1]);
        differentiate(height_in_time, &p, 1, 0.005L, 2, &value[2]);
        static const double tolerance[3] = {1e-14, 1e-10, 1e-8};
        for (int i = 0; i < 3; i++) tight(rows.normal.y.d[i], value[i], tolerance[i]);
        for (int i = 0; i < 3; i++)
          tight(swapped.normal.y.d[i], dls_middle(rows.normal.y.d[i]), 1e-15);
        check_gradient(&c, &rows.normal);
        check_slips(&c, name, near, &rows);
      }
      forget_couple(&c);
    }
}

// ---- apart
// -----------------------------------------------------------------------------------------

static double distance_between(const double a[3], const double b[3])
{
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// Points on both that are far out in many directions: none nearer than what is proven.
static double sampled_distance(const dls_seen_solid *a, const dls_seen_solid *b)
{
  enum { POINTS = 300 };
  static double x[POINTS][3], y[POINTS][3];
  double least = INFINITY;
  for (int k = 0; k < POINTS; k++) {
    const double d[3] = {uniform(), uniform(), uniform()}, e[3] = {uniform(), uniform(), uniform()};
    dls_seen_furthest(a, d, x[k]), dls_seen_furthest(b, e, y[k]);
  }
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS; j++) least = fmin(least, distance_between(x[i], y[j]));
  return least;
}

static void apart(void **unused)
{
  (void)unused;
  int told = 0;
  for (int a = DLS_SOLID_SPHERE; a < DLS_SOLID_KINDS; a++)
    for (int b = DLS_SOLID_SPHERE; b < DLS_SOLID_KINDS; b++)
      for (int seed = 0; seed < TRIED(8); seed++) {
        at_case("kinds %d and %d, seed %d", a, b, seed);
        couple c;
        random_couple(&c, (dls_solid_kind)a, (dls_solid_kind)b);
        place_couple(&c);
        const dls_seen_solid A = dls_seen_solid_of(&c.posture, &c.solid[0]);
        const dls_seen_solid B = dls_seen_solid_of(&c.posture, &c.solid[1]);
        double low = 0, high = 10, near[3];
        for (int step = 0; step < 40; step++) {
          const double middle = low / 2 + high / 2;
          const dls_seen_distance found = dls_seen_apart(&A, &B, middle, near);
          if (found == DLS_SEEN_APART) low = middle;
          else high = middle;
          if (found != DLS_SEEN_NEAR) continue;
          assert_true(dls_seen_outside(&A, near) <= 1e-12);
          // a ball around it reaches the other
          const dls_solid ball = {.body = DLS_WORLD,
                                  .kind = DLS_SOLID_SPHERE,
                                  .pose = {{near[0], near[1], near[2]}, {1, 0, 0, 0}},
                                  .size = {middle * (1 + 1e-9)}};
          const dls_seen_solid around = dls_seen_solid_of(&c.posture, &ball);
          assert_int_not_equal(dls_seen_apart(&around, &B, 1e-12, near), DLS_SEEN_APART);
        }
        if (low > 0) {
          told++;
          assert_true(sampled_distance(&A, &B) >= low);
          // and it is the distance: further than that they are not
          assert_int_equal(dls_seen_apart(&A, &B, low * (1 + 1e-6), near), DLS_SEEN_NEAR);
        }
        if (a == DLS_SOLID_SPHERE && b == DLS_SOLID_SPHERE) {
          double o[2][3];
          const double radii = dls_seen_ball(&A, o[0]) + dls_seen_ball(&B, o[1]);
          close_to(low, fmax(distance_between(o[0], o[1]) - radii, 0), 1e-8);
        }
        forget_couple(&c);
      }
  assert_in_range(told, TRIED(100), 1000);
}

// A box on another one or on a plane, turned by an angle about the vertical.
static void stack(couple *c, dls_solid_kind below, double angle, double across, double top)
{
  random_couple(c, DLS_SOLID_BOX, below);
  for (int k = 0; k < 2; k++) {
    const dls_pose origin = {{0, 0, 0}, {1, 0, 0, 0}};
    c->solid[k].pose = origin;
    c->solid[k].size[0] = k ? across : 1, c->solid[k].size[1] = k ? across : 1;
    c->solid[k].size[2] = 1;
    const double q[7] = {0, 0, k ? 0 : top, cos(k ? 0 : angle / 2), 0, 0, sin(k ? 0 : angle / 2)};
    memcpy(c->q + 7 * k, q, sizeof q);
  }
  place_couple(c);
}

static double only_there(couple *c, const dls_seen_place *at, int count, double tolerance)
{
  const dls_seen_solid A = dls_seen_solid_of(&c->posture, &c->solid[0]);
  const dls_seen_solid B = dls_seen_solid_of(&c->posture, &c->solid[1]);
  const dls_seen_places all = {.normal = {{0, 0}, {0, 0}, {1, 1}}, .count = count, .place = at};
  bool found;
  double x[3];
  const double margin = dls_seen_only_there(&A, &B, tolerance, 0, &all, &found, x);
  // what is not proven is found to be false
  assert_int_equal(found, margin == INFINITY);
  if (found)
    assert_true(dls_seen_outside(&A, x) <= tolerance && dls_seen_outside(&B, x) <= tolerance);
  return margin;
}

static void nowhere_else(void **unused)
{
  (void)unused;
  static const double tolerance = 1e-9, pi = 3.14159265358979323846;
  couple c;
  dls_seen_place corner[8] = {0};
  const struct {
    dls_solid_kind below;
    double angle, across, top;
    int count;
    double radius, turn;  // of the contact polygon, and of its first corner
  } cases[] = {{DLS_SOLID_PLANE, 0.3, 1, 0.5, 4, sqrt(0.5), 0.3 + pi / 4},
               {DLS_SOLID_BOX, 0, 3, 1, 4, sqrt(0.5), pi / 4},
               {DLS_SOLID_BOX, 0.2, 0.5, 1, 4, sqrt(0.125), pi / 4},
               {DLS_SOLID_BOX, pi / 4, 1, 1, 8, 0.5 / cos(pi / 8), pi / 8}};
  for (int k = 0; k < 4; k++) {
    at_case("case %d", k);
    stack(&c, cases[k].below, cases[k].angle, cases[k].across, cases[k].top);
    for (int i = 0; i < cases[k].count; i++) {
      const double angle = cases[k].turn + 2 * pi * i / cases[k].count;
      const double x[3] = {cases[k].radius * cos(angle), cases[k].radius * sin(angle),
                           cases[k].below == DLS_SOLID_PLANE ? 0 : 0.5};
      memcpy(corner[i].point, x, sizeof x);
    }
    assert_true(only_there(&c, corner, cases[k].count, tolerance) < 1e-4);
    // any of them may be left out: it shows
    for (int i = 0; i < cases[k].count; i++) {
      const dls_seen_place kept = corner[i];
      corner[i] = corner[cases[k].count - 1];
      assert_true(only_there(&c, corner, cases[k].count - 1, tolerance) == INFINITY);
      corner[i] = kept;
    }
    forget_couple(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_pairs), cmocka_unit_test(on_faces),
                                     cmocka_unit_test(apart), cmocka_unit_test(nowhere_else)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
