// Motions do not depend on the units of mass, length and time: every scheme, with fixed and with
// adaptive steps, makes the same steps in other units, bit for bit, where the tolerances that have
// a unit are changed with them.
#include "numbers.h"
#include "scaled_system.h"

#include <delassus/delassus.h>
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

enum { STEPS = 50, MOST = 48, ROWS = 160, EVENTS = 400 };

typedef struct subject {
  const char *name;
  const char *example;  // a file of examples/, or NULL:
  const char *text;
  const char *at;      // state; NULL: the initial values
  const char *angles;  // names of coordinates that are angles, each with a space behind
  double step, until;
} subject;

static const subject subjects[] = {
    {"ball", "bouncing-ball", NULL, NULL, "", 0.11, 5.5},
    {"block-stack", "block-stack", NULL, NULL, "th1 th2 th3 ", 2e-3, 0.1},
    {"chain", "chain", NULL, NULL, "", 0.02, 0.8},
    {"slider-crank", "slider-crank-clearance", NULL, NULL, "th1 th2 th3 ", 1e-4, 5e-3},
    {"rocking block", "rocking-block", NULL, "rocking", "theta ", 0.02, 0.8},
    {"incline in space", "incline-block", NULL, "sliding", "rx ry rz ", 0.01, 0.5},
    {"stacked blocks", "stacked-blocks", NULL, "started", "", 0.01, 0.5},
    {"dropped box", NULL,
     "parameter a = 0.3, b = 0.2, g = 9.81, mu = 0.4\n"
     "coordinate x = 0, y = 0.4, th = 0.3\nvelocity x = 1, th = 2\n"
     "kinetic (x'^2 + y'^2)/2 + (a^2 + b^2)/6*th'^2\npotential g*y\n"
     "let c = cos(th), s = sin(th)\n"
     "unilateral c1: y - a*s - b*c >= 0 { slip x' + (b*c + a*s)*th'; friction mu; restitution "
     "0.3 }\n"
     "unilateral c2: y + a*s - b*c >= 0 { slip x' + (b*c - a*s)*th'; friction mu; restitution "
     "0.3 }\n",
     NULL, "th ", 0.01, 0.5},
    {"joint with friction", NULL,
     "coordinate x = 1, y = 0\nkinetic x'^2/2 + y'^2\npotential 3*x^2 + 5*y\n"
     "bilateral guide: y = 0 { slip x'; friction 0.1 }\n",
     NULL, "", 0.05, 2.5}};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct track {
  int rows, events;
  dls_failure failure;
  dls_message why;
  dls_step_counts counts;
  double t[ROWS], next[ROWS], q[ROWS][MOST], v[ROWS][MOST], impulse[ROWS][2 * MOST];
  unsigned char status[ROWS][MOST];
  dls_event_kind kind[EVENTS];
  int contact[EVENTS];
  double time[EVENTS];
} track;

static void note(void *self, const dls_event *event)
{
  track *r = self;
  if (r->events < EVENTS) {
    r->kind[r->events] = event->kind;
    r->contact[r->events] = event->contact;
    r->time[r->events] = event->t;
  }
  r->events++;
}

static void keep(const dls_integrator *g, track *r)
{
  const dls_sample m = dls_integrator_sample(g);
  const int k = r->rows++;
  assert_true(m.n <= MOST && m.m <= MOST && m.impulses <= 2 * MOST);
  r->t[k] = m.t, r->next[k] = m.next_step;
  memcpy(r->q[k], m.q, (size_t)m.n * sizeof(double));
  memcpy(r->v[k], m.v, (size_t)m.n * sizeof(double));
  memcpy(r->impulse[k], m.impulse, (size_t)m.impulses * sizeof(double));
  memcpy(r->status[k], m.status, (size_t)m.m);
}

// The tolerances that have a unit, and nothing else, are those of the units.
static dls_integrator_options options_in(scaled_units u, const dls_scheme_info *scheme, bool chosen,
                                         double step)
{
  dls_integrator_options o = dls_integrator_defaults();
  o.scheme = scheme->name;
  o.step = ldexp(step, u.time);
  if (chosen) o.rtol = 1e-4, o.atol = ldexp(0x1p-20, u.length);
  if (chosen) o.atol_velocity = ldexp(0x1p-20, u.length - u.time);
  o.closed = ldexp(o.closed, u.length);
  o.rest = ldexp(o.rest, u.length - u.time);
  return o;
}

static void fixture_in(const dls_system *inner, const dls_state *start, const subject *s,
                       scaled_units u, const dls_scheme_info *scheme, bool chosen, track *r)
{
  double q[MOST], v[MOST];
  dls_state state = {start->t, q, v};
  memcpy(q, start->q, (size_t)inner->n * sizeof(double));
  memcpy(v, start->v, (size_t)inner->n * sizeof(double));
  scaled_state(inner, u, &state);
  dls_system *system = scaled_system(inner, u);
  assert_non_null(system);
  dls_integrator_options o = options_in(u, scheme, chosen, s->step);
  o.event = note, o.self = r;
  r->rows = r->events = 0, r->failure = DLS_FAILURE_NONE;
  dls_integrator *g;
  dls_message message = {""};
  if (dls_integrator_create(system, &state, &o, &g, &message) != DLS_OK)
    fail_msg("%s, %s: %s", s->name, scheme->name, message.text);
  keep(g, r);
  while (r->failure == DLS_FAILURE_NONE && r->rows < ROWS &&
         r->t[r->rows - 1] < ldexp(s->until, u.time)) {
    assert_int_equal(dls_integrator_advance(g, ldexp(s->until, u.time), &r->failure, &message),
                     DLS_OK);
    if (r->failure == DLS_FAILURE_NONE) keep(g, r);
    else r->why = message;
  }
  r->counts = dls_integrator_counts(g);
  dls_integrator_free(g);
  dls_system_free(system);
}

static bool same(double scaled, int exponent, double plain)
{
  return ldexp(scaled, -exponent) == plain;
}

// The first thing that differs, or NULL.
static const char *difference(const dls_system *s, scaled_units u, const track *a, const track *b,
                              int *row)
{
  for (int k = 0; k < a->rows && k < b->rows; k++) {
    *row = k;
    if (!same(b->t[k], u.time, a->t[k])) return "time";
    for (int i = 0; i < s->n; i++) {
      if (!same(b->q[k][i], scaled_coordinate(u, i), a->q[k][i])) return "coordinate";
      if (!same(b->v[k][i], scaled_velocity(u, i), a->v[k][i])) return "velocity";
    }
    for (int i = 0; i < s->m + s->tangents; i++)
      if (!same(b->impulse[k][i], scaled_impulse(u), a->impulse[k][i])) return "impulse";
    for (int j = 0; j < s->m; j++)
      if (b->status[k][j] != a->status[k][j]) return "status";
    if (!same(b->next[k], u.time, a->next[k])) return "next step";
  }
  if (a->rows != b->rows || a->failure != b->failure) return "end";
  if (a->events != b->events) return "number of events";
  for (int e = 0; e < a->events && e < EVENTS; e++)
    if (a->kind[e] != b->kind[e] || a->contact[e] != b->contact[e] ||
        !same(b->time[e], u.time, a->time[e]))
      return "event";
  const dls_step_counts *x = &a->counts, *y = &b->counts;
  if (x->steps != y->steps || x->rejected != y->rejected ||
      x->worst_residual != y->worst_residual || x->steps_above != 0)
    return "count";
  return NULL;
}

static char *read_example(const char *name)
{
  char path[1000];
  snprintf(path, sizeof path, "%s/examples/%s.dls", getenv("DELASSUS_SOURCE"), name);
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 20000);
  assert_true(file && text);
  assert_true(fread(text, 1, 19999, file) < 19999);
  fclose(file);
  return text;
}

static int draw_exponent(void)
{
  return below(81) - 40;
}

static void compare(const subject *s, const dls_system *system, const dls_state *start,
                    const bool *angle, const dls_scheme_info *scheme, bool chosen)
{
  static track plain, other;
  scaled_units u = {0, 0, 0, angle};
  fixture_in(system, start, s, u, scheme, chosen, &plain);
  bool mixed = false;  // one number cannot be the tolerance of lengths and angles
  for (int i = 0; i < system->n; i++) mixed |= angle[i];
  const int fixed[][3] = {{40, 0, 0},  {-40, 0, 0}, {0, 40, 0},
                          {0, -40, 0}, {0, 0, 40},  {0, 0, -40}};
  for (int k = 0; k < 8; k += TRIED(1) ? 1 : 3) {
    for (int l = 0; l < 3; l++) {
      const int e = k < 6 ? fixed[k][l] : draw_exponent();
      if (l == 0) u.mass = e;
      if (l == 1) u.length = chosen && mixed ? 0 : e;
      if (l == 2) u.time = e;
    }
    fixture_in(system, start, s, u, scheme, chosen, &other);
    int row = 0;
    const char *what = difference(system, u, &plain, &other, &row);
    if (what)
      fail_msg("%s, %s%s, units 2^(%d, %d, %d): row %d of %d: %s %s", s->name, scheme->name,
               chosen ? " with chosen steps" : "", u.mass, u.length, u.time, row, plain.rows, what,
               other.failure ? other.why.text : "");
  }
}

static void units(void **none)
{
  (void)none;
  for (int k = 0; k < SUBJECTS; k++) {
    const subject *s = &subjects[k];
    char *text = s->example ? read_example(s->example) : NULL;
    const char *from = text ? text : s->text;
    at_case("%s", from);
    dls_model *model;
    dls_system *system;
    dls_diagnostics diagnostics;
    dls_message message = {""};
    double q[MOST], v[MOST];
    bool angle[MOST] = {false};
    dls_state start = {0, q, v};
    if (dls_model_parse(from, strlen(from), &model, &diagnostics) != DLS_OK)
      fail_msg("%s:%d: %s", s->name, diagnostics.item[0].line, diagnostics.item[0].message);
    assert_int_equal(dls_model_system(model, &system), DLS_OK);
    assert_int_equal(dls_model_differentiate(system, &message), DLS_OK);
    assert_true(system->n <= MOST);
    if (dls_model_state(system, s->at, &start, &message) != DLS_OK) fail_msg("%s", message.text);
    for (int i = 0; i < system->n; i++) {
      char name[100];
      snprintf(name, sizeof name, "%s ", system->coordinates[i]);
      angle[i] = strstr(s->angles, name) != NULL;
    }
    for (int i = 0; i < dls_scheme_count(); i++) {
      const dls_scheme_info *scheme = dls_scheme_info_at(i);
      if (!scheme->adaptive) compare(s, system, &start, angle, scheme, false);
      if (scheme->adaptive || scheme->events) compare(s, system, &start, angle, scheme, true);
    }
    dls_system_free(system);
    dls_model_free(model);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
