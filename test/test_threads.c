// Two threads, two systems of one model: each gets, to the last bit, what it gets alone. Under
// ThreadSanitizer (preset tsan) this also shows that they share nothing that is written.
#include <delassus/check.h>
#include <delassus/model.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char text[] = "parameter m = 1, L = 2*m, mu = 0.3\n"
                           "coordinate x = L*sin(a), y = L*cos(a), a = pi/4\n"
                           "velocity a = 1, x = L*cos(a), y = -L*sin(a)\n"
                           "kinetic m/2*(x'^2 + y'^2) + m*L^2/24*a'^2\n"
                           "potential m*9.81*y\n"
                           "bilateral top: y - L*cos(a) = 0\n"
                           "bilateral side: x - L*sin(a) = 0\n"
                           "unilateral floor: y >= 0 { slip x'; friction mu }\n"
                           "unilateral rest: a <= pi/4\n";

enum { ROUNDS = 300, N = 3, CHECKS = 10, ENTRIES = 64 };

typedef struct worker {
  const dls_model *model;
  const char *mass;
  double values[ENTRIES], acceleration[N];
  int wrong;  // calls that failed, or gave something else than the first
} worker;

static void fill(double *to, const dls_system *s, const dls_values *x)
{
  const struct {
    const double *x;
    int count;
  } arrays[] = {{x->M, s->mass.p[s->n]},   {x->F, s->n},   {x->h, s->m},          {x->h_dot, s->m},
                {x->G, s->normal.p[s->m]}, {x->b_n, s->m}, {x->slip, s->tangents}};
  for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
    for (int k = 0; k < arrays[a].count; k++) *to++ = arrays[a].x[k];
}

static void evaluate(worker *w, dls_system *system, const dls_state *state)
{
  dls_values *values = NULL, *bound = NULL;
  w->wrong += dls_values_create(system, &values) != DLS_OK;
  w->wrong += dls_values_create(system, &bound) != DLS_OK;
  for (int k = 0; k < ROUNDS && !w->wrong; k++) {
    double found[ENTRIES] = {0};
    w->wrong +=
        system->evaluate(system->self, state->t, state->q, state->v, values, bound, NULL) != DLS_OK;
    fill(found, system, values);
    if (k == 0) memcpy(w->values, found, sizeof found);
    w->wrong += memcmp(w->values, found, sizeof found) != 0;
  }
  dls_values_free(values);
  dls_values_free(bound);
}

static void check(worker *w, const dls_system *system, const dls_state *state)
{
  for (int k = 0; k < CHECKS && !w->wrong; k++) {
    dls_contact_state *s = NULL;
    dls_check *result = NULL;
    w->wrong += dls_contact_state_create(system, state, NULL, &s, NULL) != DLS_OK;
    if (s) w->wrong += dls_check_run(&s->problem, NULL, &result, NULL) != DLS_OK;
    if (result && result->solution) {
      const double *a = result->solution->acceleration;
      if (k == 0) memcpy(w->acceleration, a, sizeof w->acceleration);
      w->wrong += memcmp(w->acceleration, a, sizeof w->acceleration) != 0;
    } else {
      w->wrong++;
    }
    dls_check_free(result);
    dls_contact_state_free(s);
  }
}

static void *work(void *argument)
{
  worker *w = argument;
  dls_system *system;
  double q[N], v[N];
  dls_state state = {.q = q, .v = v};
  if (dls_model_system(w->model, &system) != DLS_OK) return w->wrong++, NULL;
  w->wrong += dls_model_set(system, "m", w->mass, NULL) != DLS_OK;
  w->wrong += dls_model_state(system, NULL, &state, NULL) != DLS_OK;
  evaluate(w, system, &state);
  check(w, system, &state);
  dls_system_free(system);
  return NULL;
}

static void two_threads(void **unused)
{
  (void)unused;
  dls_model *model;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, NULL), DLS_OK);
  worker alone[2] = {{.model = model, .mass = "1"}, {.model = model, .mass = "2.5"}};
  worker together[2] = {{.model = model, .mass = "1"}, {.model = model, .mass = "2.5"}};
  pthread_t thread[2];
  for (int k = 0; k < 2; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, work, &together[k]), 0);
  for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    work(&alone[k]);
    assert_int_equal(alone[k].wrong, 0);
    assert_int_equal(together[k].wrong, 0);
    assert_memory_equal(alone[k].values, together[k].values, sizeof alone[k].values);
    assert_memory_equal(alone[k].acceleration, together[k].acceleration,
                        sizeof alone[k].acceleration);
  }
  assert_memory_not_equal(alone[0].values, alone[1].values, sizeof alone[0].values);
  dls_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
