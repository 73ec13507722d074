// Contacts that come and go: discs that fall on a floor and on each other. The same motion with all
// pairs declared, and with those that are near found at each step.
#include <delassus/contact.h>
#include <delassus/integrator.h>

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

enum { MOST = 30, PAIRS = MOST * (MOST + 1) / 2 };

static const double R = 0.5, GRAVITY = 10;

// Disc i has the coordinates 2 i and 2 i + 1. Contact 1 + i + j (j + 1) / 2 is that of the discs
// i < j; i == j: of a disc and the floor.
typedef struct discs {
  dls_system system;
  int count;
  double mu, e;
  int a[PAIRS], b[PAIRS];  // of the contacts
  dls_contact_info info[PAIRS];
  uint64_t id[PAIRS];
  char name[PAIRS + 1][16];
  int mass_p[2 * MOST + 1], mass_i[2 * MOST];
  int pattern_p[PAIRS + 1], pattern_i[4 * PAIRS];
  const char *coordinate[2 * MOST];
  int finds, selects, most;
  bool blind;          // finds nothing that is not closed
  int fails;           // find fails from this call on
  bool unable, wrong;  // select fails; select makes a system that is none
} discs;

static uint64_t id_of(int i, int j)
{
  return 1 + (uint64_t)i + (uint64_t)j * ((uint64_t)j + 1) / 2;
}

static double gap_of(const double *q, int i, int j)
{
  if (i == j) return q[2 * i + 1] - R;
  return hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]) - 2 * R;
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
    out->h[k] = gap_of(q, i, j), out->friction[k] = d->mu, out->restitution[k] = d->e;
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
      if (gap_of(q, i, j) <= reach + way) d->id[(*count)++] = id_of(i, j);
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
      if (k == count || id[k] != id_of(i, j)) continue;
      d->a[k] = i, d->b[k] = j;
      d->info[k] = (dls_contact_info){d->name[id[k]], DLS_UNILATERAL, 1, id[k]};
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

static void make(discs *d, int count, double mu, double e, bool found)
{
  *d = (discs){.count = count, .mu = mu, .e = e};
  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++) snprintf(d->name[id_of(i, j)], sizeof d->name[0], "%d-%d", i, j);
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
  uint64_t all[PAIRS];
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
          q[2 * i + 1] = R + 0.1 + 1.2 * (i / 3) + 0.03 * (i % 3);
    v[2 * i] = 0.1 * (i % 2), v[2 * i + 1] = 0;
  }
}

static dls_integrator *begin(discs *d, const char *scheme, double step)
{
  double q[2 * MOST], v[2 * MOST];
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

// The total impulse at the floor: contacts that have gone may have had theirs.
static double floor_impulse(const discs *d, const dls_sample *m)
{
  double sum = 0;
  for (int k = 0, at = 0; k < m->m; at += 1 + d->system.contacts[k].tangents, k++)
    if (d->a[k] == d->b[k]) sum += m->impulse[at];
  return sum;
}

// What each contact does, and its impulse: the same by its identity, and those that were not found
// are open.
static void compare_contacts(const discs *all, const dls_sample *x, const discs *found,
                             const dls_sample *y, double within)
{
  bool there[PAIRS] = {false};
  for (int k = 0; k < y->m; k++) {
    const int same = (int)found->system.contacts[k].id - 1;
    there[same] = true;
    if (x->status[same] != y->status[k])
      fail_msg("t = %g, contact %s: %s, not %s", x->t, found->system.contacts[k].name,
               dls_contact_status_name((dls_contact_status)y->status[k]),
               dls_contact_status_name((dls_contact_status)x->status[same]));
    for (int i = 0; i < 2; i++)
      if (!(fabs(x->impulse[2 * same + i] - y->impulse[2 * k + i]) <= within))
        fail_msg("t = %g, contact %s: impulse %g, not %g", x->t, found->system.contacts[k].name,
                 y->impulse[2 * k + i], x->impulse[2 * same + i]);
  }
  for (int k = 0; k < all->system.m; k++)
    if (!there[k] && x->status[k] != DLS_OPEN)
      fail_msg("t = %g, contact %s is not found", x->t, all->system.contacts[k].name);
}

static void compare(const char *scheme, int count, double mu, double e, double step, double until,
                    double within)
{
  static discs all, found;
  make(&all, count, mu, e, false), make(&found, count, mu, e, true);
  dls_integrator *a = begin(&all, scheme, step), *b = begin(&found, scheme, step);
  dls_message message = {""};
  dls_failure failure;
  while (dls_integrator_sample(a).t < until) {
    if (dls_integrator_advance(a, until, &failure, &message) != DLS_OK || failure ||
        dls_integrator_advance(b, until, &failure, &message) != DLS_OK || failure)
      fail_msg("%s, %d discs: %s", scheme, count, message.text);
    const dls_sample x = dls_integrator_sample(a), y = dls_integrator_sample(b);
    for (int i = 0; i < 2 * count; i++)
      if (!(fabs(x.q[i] - y.q[i]) <= within && fabs(x.v[i] - y.v[i]) <= within / step))
        fail_msg("%s, %d discs, t = %g, coordinate %d: %.17g and %.17g", scheme, count, x.t, i,
                 x.q[i], y.q[i]);
    assert_true(fabs(floor_impulse(&all, &x) - floor_impulse(&found, &y)) <= within / step);
    compare_contacts(&all, &x, &found, &y, within / step);
  }
  const dls_step_counts m = dls_integrator_counts(a), n = dls_integrator_counts(b);
  assert_int_equal(m.steps, n.steps);
  assert_true(found.selects > 1 && (count == 1 || found.most < count * (count + 1) / 2));
  dls_integrator_free(a), dls_integrator_free(b);
}

static void test_same_motion(void **state)
{
  (void)state;
  static const char *const moreau[] = {"moreau", "lcp", "moreau-projected", "schatzman-paoli"};
  for (size_t k = 0; k < sizeof moreau / sizeof *moreau; k++) {
    at_case("%s", moreau[k]);
    compare(moreau[k], 12, 0.3, 0, 1e-3, 0.6, 1e-6);
  }
  compare("moreau", MOST, 0.3, 0, 1e-3, 0.6, 1e-6);
  compare("moreau", 6, 0, 0.5, 1e-3, 0.4, 1e-6);
  compare("herk4", 6, 0, 0.5, 1e-2, 0.3, 1e-8);
  compare("herk4", 4, 0.3, 0.2, 1e-2, 0.4, 1e-8);
  compare("herk2", 1, 0.3, 0.5, 1e-2, 1, 1e-8);
}

// A finder that sees nothing coming: the step is made again once something is penetrated, and the
// motion is that of all contacts.
static void test_missed(void **state)
{
  (void)state;
  static discs all, d;
  make(&all, 6, 0.3, 0, false), make(&d, 6, 0.3, 0, true);
  d.blind = true;
  dls_integrator *a = begin(&all, "moreau", 1e-3), *g = begin(&d, "moreau", 1e-3);
  dls_message message = {""};
  dls_failure failure;
  while (dls_integrator_sample(g).t < 0.5) {
    if (dls_integrator_advance(g, 0.5, &failure, &message) != DLS_OK || failure ||
        dls_integrator_advance(a, 0.5, &failure, &message) != DLS_OK || failure)
      fail_msg("%s", message.text);
    const dls_sample x = dls_integrator_sample(a), y = dls_integrator_sample(g);
    for (int i = 0; i < 12; i++)
      if (!(fabs(x.q[i] - y.q[i]) <= 1e-6))
        fail_msg("t = %g, coordinate %d: %g, not %g", x.t, i, y.q[i], x.q[i]);
  }
  dls_integrator_free(a), dls_integrator_free(g);
}

static void test_states(void **state)
{
  (void)state;
  static discs d;
  make(&d, 3, 0.3, 0, true);
  double q[] = {0, 0.5, 0.9, 0.4, 3, 2}, v[6] = {0};
  dls_state at = {0, q, v};
  dls_contact_state *x = NULL;
  dls_projection moved;
  assert_int_equal(dls_contact_state_create(&d.system, &at, NULL, &x, NULL), DLS_ERR_STATE);
  assert_int_equal(dls_state_project(&d.system, &at, NULL, &moved, NULL), DLS_OK);
  assert_true(gap_of(q, 0, 1) > -1e-9 && q[3] > R - 1e-9);
  assert_int_equal(dls_contact_state_create(&d.system, &at, NULL, &x, NULL), DLS_OK);
  assert_int_equal(x->m, 3);
  assert_true(x->contacts[2].id == id_of(1, 1));
  dls_contact_state_free(x);
}

// A finder that fails, at once or later: the call says so, and nothing goes on without contacts.
static void test_refused(void **state)
{
  (void)state;
  static discs d;
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    make(&d, 3, 0.3, 0, true);
    double q[] = {0, 0.5, 2, 0.5, 4, 0.5}, v[6] = {0};
    const dls_state at = {0, q, v};
    d.fails = k == 0, d.unable = k == 1, d.wrong = k == 2;
    dls_contact_state *x = NULL;
    const dls_status status = dls_contact_state_create(&d.system, &at, NULL, &x, NULL);
    assert_int_equal(status, k < 2 ? DLS_ERR_LIMIT : k == 2 ? DLS_ERR_ARGUMENT : DLS_OK);
    assert_true((x != NULL) == (k == 3));
    dls_contact_state_free(x);
  }
  for (int k = 0; k < 3; k++) {  // the discs fall, and contacts are found on the way
    at_case("later, k %d", k);
    make(&d, 3, 0.3, 0, true);
    dls_integrator *g = begin(&d, "moreau", 1e-3);
    dls_failure failure = DLS_FAILURE_NONE;
    dls_status status = DLS_OK;
    d.fails = k == 0 ? d.finds + 20 : 0, d.unable = k == 1, d.wrong = k == 2;
    while (status == DLS_OK && !failure && dls_integrator_sample(g).t < 1)
      status = dls_integrator_advance(g, 1, &failure, NULL);
    assert_int_equal(status, k < 2 ? DLS_ERR_LIMIT : DLS_ERR_ARGUMENT);
    assert_true(dls_integrator_sample(g).t < 0.2);
    dls_integrator_free(g);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_motion),
                                     cmocka_unit_test(test_missed), cmocka_unit_test(test_states),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
