#include "discs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double GRAVITY = 10;

uint64_t discs_id(int i, int j)
{
  return 1 + (uint64_t)i + (uint64_t)j * ((uint64_t)j + 1) / 2;
}

double discs_gap(const double *q, int i, int j)
{
  if (i == j) return q[2 * i + 1] - disc_radius;
  return hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]) - 2 * disc_radius;
}

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *out, const dls_values *bound, dls_message *message)
{
  const discs *d = self;
  const int n = 2 * d->count, m = d->system.m;
  (void)t, (void)message;
  for (int i = 0; i < n; i++)
    out->M[i] = 1 + i / 2 % 3, out->F[i] = i % 2 ? out->M[i] * GRAVITY : 0;
  for (int k = 0; k < m; k++) {
    const int i = d->a[k], j = d->b[k];
    double *G = out->G + d->pattern_p[k], *H = out->H + d->pattern_p[k];
    out->h[k] = discs_gap(q, i, j), out->friction[k] = d->mu, out->restitution[k] = d->e;
    if (i == j) {
      G[0] = 0, G[1] = 1, H[0] = 1, H[1] = 0;
      out->h_dot[k] = v[2 * i + 1], out->slip[k] = v[2 * i], out->b_n[k] = out->b_t[k] = 0;
      continue;
    }
    const double x = q[2 * j] - q[2 * i], y = q[2 * j + 1] - q[2 * i + 1], s = hypot(x, y);
    const double vx = v[2 * j] - v[2 * i], vy = v[2 * j + 1] - v[2 * i + 1];
    const double nx = x / s, ny = y / s, along = nx * vx + ny * vy, across = nx * vy - ny * vx;
    const double normal[] = {-nx, -ny, nx, ny}, slip[] = {ny, -nx, -ny, nx};
    memcpy(G, normal, sizeof normal), memcpy(H, slip, sizeof slip);
    out->h_dot[k] = along, out->slip[k] = across;
    out->b_n[k] = across * across / s, out->b_t[k] = -along * across / s;
  }
  if (bound) {
    memset(bound->M, 0, (size_t)n * sizeof(double)),
        memset(bound->F, 0, (size_t)n * sizeof(double));
    const size_t entries = (size_t)d->pattern_p[m] * sizeof(double);
    if (m > 0) memset(bound->G, 0, entries), memset(bound->H, 0, entries);
    for (int k = 0; k < m; k++)
      bound->h[k] = bound->h_dot[k] = bound->b_n[k] = bound->slip[k] = bound->b_t[k] = 0;
  }
  return DLS_OK;
}

static dls_status energy(void *self, double t, const double *q, const double *v, double *kinetic,
                         double *potential, dls_message *message)
{
  const discs *d = self;
  (void)t, (void)message;
  *kinetic = *potential = 0;
  for (int i = 0; i < 2 * d->count; i++) {
    const double mass = 1 + i / 2 % 3;
    *kinetic += mass * v[i] * v[i] / 2;
    if (i % 2) *potential += mass * GRAVITY * q[i];
  }
  return DLS_OK;
}

// Those that are near by the speeds and what gravity adds to them.
static dls_status find(void *self, double t, const double *q, const double *v, double reach,
                       double horizon, int *count, const uint64_t **id, dls_message *message)
{
  discs *d = self;
  (void)t, (void)message;
  d->finds++;
  if (d->fails > 0 && d->finds >= d->fails) return DLS_ERR_LIMIT;
  *count = 0, *id = d->id;
  if (d->blind) horizon = 0;
  for (int j = 0; j < d->count; j++)
    for (int i = 0; i <= j; i++) {
      const double one = hypot(v[2 * i], v[2 * i + 1]), two = hypot(v[2 * j], v[2 * j + 1]);
      const double way = horizon * (one + two + 2 * horizon * GRAVITY);
      if (discs_gap(q, i, j) <= reach + way) d->id[(*count)++] = discs_id(i, j);
    }
  return DLS_OK;
}

static dls_status take(void *self, int count, const uint64_t *id, dls_message *message)
{
  discs *d = self;
  (void)message;
  d->selects++;
  if (d->unable) return DLS_ERR_LIMIT;
  if (count > d->most) d->most = count;
  int k = 0;
  for (int j = 0; j < d->count; j++)
    for (int i = 0; i <= j; i++) {
      if (k == count || id[k] != discs_id(i, j)) continue;
      d->a[k] = i, d->b[k] = j;
      d->info[k] = (dls_contact_info){
          .name = d->name[id[k]], .kind = DLS_UNILATERAL, .tangents = 1, .id = id[k]};
      int *row = d->pattern_i + d->pattern_p[k];
      row[0] = 2 * i, row[1] = 2 * i + 1;
      if (i < j) row[2] = 2 * j, row[3] = 2 * j + 1;
      d->pattern_p[k + 1] = d->pattern_p[k] + (i < j ? 4 : 2);
      k++;
    }
  assert_int_equal(k, count);
  const dls_pattern pattern = {2 * d->count, count, d->pattern_p, d->pattern_i};
  d->system.m = count, d->system.tangents = count + d->wrong;
  d->system.normal = d->system.tangent = pattern;
  return DLS_OK;
}

void discs_make(discs *d, int count, double mu, double e, bool found)
{
  *d = (discs){.count = count, .mu = mu, .e = e};
  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++)
      snprintf(d->name[discs_id(i, j)], sizeof d->name[0], "%d-%d", i, j);
  for (int i = 0; i < 2 * count; i++) {
    d->coordinate[i] = i % 2 ? "y" : "x";
    d->mass_p[i + 1] = i + 1, d->mass_i[i] = i;
  }
  d->system = (dls_system){.n = 2 * count,
                           .coordinates = d->coordinate,
                           .contacts = d->info,
                           .mass = {2 * count, 2 * count, d->mass_p, d->mass_i},
                           .self = d,
                           .evaluate = evaluate,
                           .energy = energy};
  uint64_t all[DISCS_PAIRS];
  const int pairs = count * (count + 1) / 2;
  for (int k = 0; k < pairs; k++) all[k] = (uint64_t)k + 1;
  assert_int_equal(take(d, found ? 0 : pairs, all, NULL), DLS_OK);
  d->selects = d->most = 0;
  if (found) d->system.find = find, d->system.select = take;
}

// A heap that falls: columns of discs, a little aside.
static void place(int count, double *q, double *v)
{
  for (int i = 0; i < count; i++) {
    q[2 * i] = 1.3 * (i % 3) + 0.05 * (i / 3),
          q[2 * i + 1] = disc_radius + 0.1 + 1.2 * (i / 3) + 0.03 * (i % 3);
    v[2 * i] = 0.1 * (i % 2), v[2 * i + 1] = 0;
  }
}

dls_integrator *discs_begin(discs *d, const char *scheme, double step)
{
  double q[2 * DISCS_MOST], v[2 * DISCS_MOST];
  place(d->count, q, v);
  const dls_state start = {0, q, v};
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  dls_message message = {""};
  dls_integrator *g = NULL;
  if (dls_integrator_create(&d->system, &start, &options, &g, &message) != DLS_OK)
    fail_msg("%s: %s", scheme, message.text);
  return g;
}
