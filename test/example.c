#include "example.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 16384, MOST_COORDINATES = 64 };

static const double closeness = 1e-9;

static char *read_model(const char *name, size_t *length)
{
  char path[512];
  const char *directory = getenv("DELASSUS_SOURCE");
  snprintf(path, sizeof path, "%s/examples/%s.dls", directory ? directory : ".", name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("no %s", path);
  char *text = calloc(1, LONGEST_TEXT + 1);
  assert_non_null(text);
  *length = fread(text, 1, LONGEST_TEXT, file);
  assert_true(*length < LONGEST_TEXT);
  fclose(file);
  return text;
}

static void set_parameters(const example *e, char *sets)
{
  while (sets && *sets) {
    char *item = sets + strspn(sets, ", "), *end = item + strcspn(item, ","),
         *value = strchr(item, '=');
    sets = *end ? end + 1 : end;
    *end = '\0';
    dls_message message = {0};
    assert_non_null(value);
    *value++ = '\0';
    if (dls_model_set(e->system, item, value, &message))
      fail_msg("%s: %s: %s", e->what, item, message.text);
  }
}

static void check_at(example *e, const char *at)
{
  double q[MOST_COORDINATES] = {0}, v[MOST_COORDINATES] = {0};
  dls_state state = {.q = q, .v = v};
  dls_message message = {0};
  assert_true(e->system->n <= MOST_COORDINATES);
  if (dls_model_state(e->system, at, &state, &message)) fail_msg("%s: %s", e->what, message.text);
  if (dls_contact_state_create(e->system, &state, NULL, &e->contacts, &message))
    fail_msg("%s: %s", e->what, message.text);
  dls_check_options how = dls_check_defaults();
  how.skip_acceleration = e->contacts->impact;
  if (dls_model_object_count(e->model) > 0)
    how.object_size = dls_model_object_coordinates(e->model, 0, &how.object);
  if (dls_check_run(&e->contacts->problem, &how, &e->check, &message))
    fail_msg("%s: %s", e->what, message.text);
}

example example_open(const char *model, const char *at, const char *sets, ...)
{
  example e = {0};
  char list[300];
  va_list values;
  va_start(values, sets);
  vsnprintf(list, sizeof list, sets, values);
  va_end(values);
  snprintf(e.what, sizeof e.what, "%s at %s, %s", model, at ? at : "the initial values", list);

  size_t length = 0;
  static dls_diagnostics diagnostics;
  e.text = read_model(model, &length);
  if (dls_model_parse(e.text, length, &e.model, &diagnostics))
    fail_msg("%s: %s", model, diagnostics.item[0].message);
  assert_int_equal(dls_model_system(e.model, &e.system), DLS_OK);
  set_parameters(&e, list);
  check_at(&e, at);
  return e;
}

void example_close(example *e)
{
  dls_check_free(e->check);
  dls_contact_state_free(e->contacts);
  dls_system_free(e->system);
  dls_model_free(e->model);
  free(e->text);
}

static int find(const example *e, const char *const *names, int count, const char *name)
{
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return i;
  fail_msg("%s: nothing closed is called %s", e->what, name);
  return 0;
}

static const dls_solution *solution_of(const example *e, int k)
{
  if (k >= e->check->solutions)
    fail_msg("%s: %d solutions listed, no number %d", e->what, e->check->solutions, k);
  return &e->check->solution[k];
}

// The number of a closed contact, bilateral ones first.
static int closed_contact(const example *e, const char *name)
{
  const dls_problem *p = &e->contacts->problem;
  for (int j = 0; j < p->m_b; j++)
    if (strcmp(p->bilateral[j], name) == 0) return j;
  return p->m_b + find(e, p->unilateral, p->m_u, name);
}

double example_acceleration(const example *e, int k, const char *coordinate)
{
  const dls_problem *p = &e->contacts->problem;
  return solution_of(e, k)->acceleration[find(e, p->coordinates, p->n, coordinate)];
}

static double of_contact(const example *e, const char *name, const double *b, const double *u)
{
  const int j = closed_contact(e, name), m_b = e->contacts->problem.m_b;
  return j < m_b ? b[j] : u[j - m_b];
}

double example_normal(const example *e, int k, const char *contact)
{
  const dls_solution *s = solution_of(e, k);
  return of_contact(e, contact, s->lambda_b, s->lambda_u);
}

double example_normal_end(const example *e, int k, const char *contact, int side)
{
  const dls_solution *s = solution_of(e, k);
  return side < 0 ? of_contact(e, contact, s->low_b, s->low_u)
                  : of_contact(e, contact, s->high_b, s->high_u);
}

static int slip_of(const example *e, const char *contact, int slip)
{
  return e->contacts->problem.friction->first[closed_contact(e, contact)] + slip;
}

double example_tangential(const example *e, int k, const char *contact, int slip)
{
  return solution_of(e, k)->tau[slip_of(e, contact, slip)];
}

double example_tangential_end(const example *e, int k, const char *contact, int side)
{
  const dls_solution *s = solution_of(e, k);
  return (side < 0 ? s->low_t : s->high_t)[slip_of(e, contact, 0)];
}

int example_mode(const example *e, int k, const char *contact)
{
  return solution_of(e, k)->mode[closed_contact(e, contact)] & ~DLS_MODE_PULLING;
}

void example_count(const example *e, int count)
{
  if (e->check->solution_count != count)
    fail_msg("%s: %d solutions, not %d", e->what, e->check->solution_count, count);
}

void example_answer(const example *e, dls_question question, dls_answer answer)
{
  const dls_verdict *v = &e->check->verdict[question];
  if (v->answer != answer)
    fail_msg("%s: %s is \"%s\", not \"%s\" (%s)", e->what, dls_question_name(question),
             dls_answer_name(v->answer), dls_answer_name(answer), v->by ? v->by : "no reason");
}

void example_number(const example *e, const char *name, double found, double expected)
{
  const bool same = isinf(expected) ? found == expected
                                    : fabs(found - expected) <= closeness * fmax(1, fabs(expected));
  if (!same) fail_msg("%s: %s is %.12g, not %.12g", e->what, name, found, expected);
}

void example_limit(const example *e, dls_limit_name limit, double value)
{
  const dls_limit *l = &e->check->limit[limit];
  if (!l->asked) fail_msg("%s: %s is not answered", e->what, dls_limit_text(limit));
  example_number(e, dls_limit_text(limit), l->value, value);
}
