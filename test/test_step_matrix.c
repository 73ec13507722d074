// Impacts by a restitution matrix in all schemes: the cradle's closed forms, and random matrices
// against what the law of the impact alone says.
#include "numbers.h"
#include "fixture.h"

#include <delassus/impact.h>
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

enum { TEXT = 4000, MOST = 5 };

static const char refuses[] = "schatzman-paoli";

// --- closed forms ---

// Ball 1 flies for half a second and meets two that touch.
static const char cradle[] = "coordinate x1 = -1.5, x2 = 0, x3 = 1\nvelocity x1 = 1\n"
                             "kinetic (x1'^2 + x2'^2 + x3'^2)/2\n"
                             "unilateral left:  x2 - x1 >= 1 { restitution %s }\n"
                             "unilateral right: x3 - x2 >= 1 { restitution %s }\n"
                             "restitution left right = %s\nrestitution right left = %s\n";

typedef struct cradle_case {
  const char *e, *wave;
  double v[3];
} cradle_case;

static const cradle_case cases[] = {
    {"1", "0", {-1. / 3, 2. / 3, 2. / 3}},
    {"0", "1", {0, 0, 1}},
    {"0", "x1'^2", {0, 0, 1}},  // before the impact
    {"0", "if(x1' < 0.5, 0, 1)", {0, 0, 1}},
    {"0", "0", {1. / 3, 1. / 3, 1. / 3}},
    {"0.5", "0.1", {-1. / 30, 14. / 30, 17. / 30}},
    {"0", "2", {1. / 3, 1. / 3, 1. / 3}},     // would gain energy
    {"0", "-1", {1. / 3, 1. / 3, 1. / 3}},    // no percussions
    {"0", "-0.4", {1. / 3, 1. / 3, 1. / 3}},  // would go through
};

static void newtons_cradle(void **state)
{
  (void)state;
  char text[TEXT];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const cradle_case *c = &cases[k];
    snprintf(text, sizeof text, cradle, c->e, c->e, c->wave, c->wave);
    for (int s = 0; s < dls_scheme_count(); s++) {
      const char *scheme = dls_scheme_info_at(s)->name;
      at_case("k %zu, %s", k, scheme);
      if (strcmp(scheme, refuses) == 0) continue;
      fixture *r = fixture_open(text, scheme, 0x1p-7, 0);
      fixture_to(r, 1);
      for (int i = 0; i < 3; i++) close_to(fixture_v(r, i), c->v[i], 1e-7);
      close_to(fixture_q(r, 2), 1 + c->v[2] / 2, 1e-2);
      fixture_close(r);
    }
  }
}

// A spring and a push that grows: the forces of the step do not change the law.
static void with_forces(void **state)
{
  (void)state;
  const char *text = "coordinate x1 = -1.5, x2 = 0, x3 = 1\nvelocity x1 = 1\n"
                     "kinetic (x1'^2 + x2'^2 + x3'^2)/2\npotential (x3 - 1)^2/200\n"
                     "force x2 = 0.01*t\n"
                     "unilateral left:  x2 - x1 >= 1\nunilateral right: x3 - x2 >= 1\n"
                     "restitution right left = 1\n";
  for (int s = 0; s < dls_scheme_count(); s++) {
    const char *scheme = dls_scheme_info_at(s)->name;
    at_case("%s", scheme);
    if (strcmp(scheme, refuses) == 0) continue;
    fixture *r = fixture_open(text, scheme, 0x1p-10, 0);
    fixture_to(r, 0.51);
    assert_true(fixture_v(r, 2) > 0.98 && fixture_v(r, 2) < 1.01);
    assert_true(fabs(fixture_v(r, 0)) < 0.01 && fabs(fixture_v(r, 1)) < 0.01);
    fixture_close(r);
  }
}

// --- parts choose for themselves ---

static void two_parts(void **state)
{
  (void)state;
  const char *text = "coordinate a1 = -1.5, a2, a3 = 1, b1 = -1.5, b2, b3 = 1\n"
                     "velocity a1 = 1, b1 = 1\n"
                     "kinetic (a1'^2 + a2'^2 + a3'^2 + b1'^2 + b2'^2 + b3'^2)/2\n"
                     "unilateral p: b2 - b1 >= 1\nunilateral q: b3 - b2 >= 1\n"
                     "unilateral u: a2 - a1 >= 1\nunilateral w: a3 - a2 >= 1\n"
                     "let wave = 1 + a1*0\n"
                     "restitution w u = wave\nrestitution q p = 2\n";
  for (int s = 0; s < dls_scheme_count(); s++) {
    const char *scheme = dls_scheme_info_at(s)->name;
    at_case("%s", scheme);
    if (strcmp(scheme, refuses) == 0) continue;
    fixture *r = fixture_open(text, scheme, 0x1p-7, 0);
    assert_int_equal(r->system->parts, 2);
    fixture_to(r, 1);
    for (int i = 0; i < 3; i++) {
      close_to(fixture_v(r, i), i == 2, 1e-7);
      close_to(fixture_v(r, 3 + i), 1. / 3, 1e-7);
    }
    fixture_close(r);
  }
}

// --- random matrices ---

// Balls in a row that touch, none of which leaves another; slip: they rub along y.
static int draw(bool slip, char *text)
{
  const int n = 3 + below(MOST - 2);
  double v = 1;
  char *at = text, *const end = text + TEXT;
  for (int i = 0; i < n; i++) {
    const double mass = below(2) ? 1 : 1.5 + uniform();
    at +=
        snprintf(at, (size_t)(end - at), "coordinate x%d = %d\nvelocity x%d = %.17g\n", i, i, i, v);
    at += snprintf(at, (size_t)(end - at), "kinetic %.17g*x%d'^2/2\n", mass, i);
    if (slip)
      at += snprintf(at, (size_t)(end - at),
                     "coordinate y%d\nvelocity y%d = %.17g\nkinetic %.17g*y%d'^2/2\n", i, i,
                     uniform() / 2, mass, i);
    if (i == 0 || below(2)) v -= 0.5 * (1 + uniform());
  }
  for (int j = 0; j + 1 < n; j++) {
    at += snprintf(at, (size_t)(end - at), "unilateral c%d: x%d - x%d >= 1 { restitution %.17g\n",
                   j, j + 1, j, below(2) ? 0 : (1 + uniform()) / 2);
    if (slip)
      at += snprintf(at, (size_t)(end - at), "slip y%d' - y%d'\nfriction %.17g\n", j + 1, j,
                     (1 + uniform()) / 4);
    at += snprintf(at, (size_t)(end - at), "}\n");
  }
  for (int i = 0; i + 1 < n; i++)
    for (int j = 0; j + 1 < n; j++)
      if (i != j && below(2))
        at += snprintf(at, (size_t)(end - at), "restitution c%d c%d = %.17g\n", i, j,
                       below(2) ? 1 : 0.4 + 0.6 * uniform());
  return slip ? 2 * n : n;
}

// The velocities after the impact by the law of the impact alone; law: which one it is.
static void impact_of(const dls_system *s, const dls_sample *m, double *after, dls_impact_law *law)
{
  double *q = vector(s->n), *v = vector(s->n), *E = vector(MOST * MOST);
  memcpy(q, m->q, (size_t)s->n * sizeof(double));
  memcpy(v, m->v, (size_t)s->n * sizeof(double));
  const dls_state start = {m->t, q, v};
  dls_contact_state *contacts;
  dls_impact *impact;
  assert_int_equal(dls_contact_state_create(s, &start, NULL, &contacts, NULL), DLS_OK);
  assert_true(contacts->problem.m_u <= MOST);
  assert_int_equal(dls_model_restitution_matrix(s, contacts, E), DLS_OK);
  dls_impact_options options = dls_impact_defaults();
  options.E = E;
  assert_int_equal(dls_impact_create(contacts, &options, &impact, NULL), DLS_OK);
  *law = impact->law;
  if (*law) memcpy(after, impact->motion->after, (size_t)s->n * sizeof(double));
  dls_impact_free(impact);
  dls_contact_state_free(contacts);
  free(q);
  free(v);
  free(E);
}

static void random_matrices(bool slip, int trials)
{
  char text[TEXT];
  int count[3] = {0};
  for (int trial = 0; trial < trials; trial++) {
    at_case("trial %d", trial);
    const int n = draw(slip, text);
    double after[2 * (MOST + 1)];
    for (int s = 0; s < dls_scheme_count(); s++) {
      const char *scheme = dls_scheme_info_at(s)->name;
      if (strcmp(scheme, refuses) == 0) continue;
      fixture *r = fixture_open(text, scheme, 0x1p-10, 0);
      dls_impact_law law;
      const dls_sample start = dls_integrator_sample(r->integrator);
      impact_of(r->system, &start, after, &law);
      count[law] += s == 0;
      if (law != 0) {
        fixture_to(r, 0x1p-10);
        for (int i = 0; i < n; i++) close_to(fixture_v(r, i), after[i], 1e-6);
      }
      fixture_close(r);
    }
  }
  assert_true(count[DLS_LAW_NEWTON] >= trials / 5);  // both happen, nearly always one is known
  assert_true(count[DLS_LAW_MOREAU] >= trials / 5);
  assert_true(count[0] <= trials / 10);
}

static void without_friction(void **state)
{
  (void)state;
  random_matrices(false, TRIED(80));
}

static void with_friction(void **state)
{
  (void)state;
  random_matrices(true, TRIED(40));
}

// --- what cannot be ---

static void refused(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, cradle, "0", "0", "1", "1");
  fixture *r = fixture_open(text, "moreau", 0.01, 0);
  const dls_sample m = dls_integrator_sample(r->integrator);
  double q[3], v[3];
  memcpy(q, m.q, sizeof q);
  memcpy(v, m.v, sizeof v);
  const dls_state start = {0, q, v};
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = refuses, options.step = 0.01;
  dls_integrator *integrator;
  dls_message message;
  assert_int_equal(dls_integrator_create(r->system, &start, &options, &integrator, &message),
                   DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "restitution matrix"));
  fixture_close(r);
}

// A system made by hand whose couplings are wrong.
static void invalid(void **state)
{
  (void)state;
  char text[TEXT];
  snprintf(text, sizeof text, cradle, "0", "0", "1", "1");
  fixture *r = fixture_open(text, "moreau", 0.01, 0);
  const dls_coupling wrong[][1] = {{{0, 2}}, {{-1, 0}}, {{1, 1}}};
  assert_int_equal(r->system->couplings, 2);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    at_case("k %zu", k);
    dls_system copy = *r->system;
    copy.couplings = 1, copy.coupling = wrong[k];
    assert_int_equal(dls_system_validate(&copy, NULL), DLS_ERR_ARGUMENT);
  }
  dls_system copy = *r->system;
  copy.coupling = NULL;
  assert_int_equal(dls_system_validate(&copy, NULL), DLS_ERR_ARGUMENT);
  fixture_close(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newtons_cradle), cmocka_unit_test(with_forces),
      cmocka_unit_test(two_parts),      cmocka_unit_test(without_friction),
      cmocka_unit_test(with_friction),  cmocka_unit_test(refused),
      cmocka_unit_test(invalid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
