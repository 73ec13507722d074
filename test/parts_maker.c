#include "parts_maker.h"

#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STATEMENTS = 12, LENGTH = 300 };

// Statements in which # is the number of the copy and $ a number of its own.
static const char *const kinds[][STATEMENTS] = {
    // a ball
    {"coordinate y# = 0.5 + $", "kinetic m*y#'^2/2", "potential m*g*y#",
     "unilateral floor#: y# >= 0 { restitution 0.6 }"},
    // a pendulum with a stop
    {"coordinate th# = 0.5 + $", "kinetic m*th#'^2/2", "potential -m*g*cos(th#)",
     "dissipation 0.1*th#'^2", "unilateral stop#: th# >= -0.2 { restitution 0.7 }"},
    // a block that slides to rest on a belt that shakes
    {"coordinate x# = 0, z# = 0", "velocity x# = 1 + $", "let u# = x#' - 0.2*sin(3*t)",
     "kinetic m/2*(x#'^2 + z#'^2)", "potential g*m*z#",
     "unilateral base#: z# >= 0 { slip u#; friction mu }"},
    // two masses on a spring, one of which hits a wall
    {"coordinate a# = 0.3 + $, b# = 1", "velocity a# = -1", "kinetic a#'^2/2 + m*b#'^2",
     "potential 20*(b# - a# - 0.6)^2", "force b# = sin(2*t)",
     "unilateral wall#: a# >= 0 { restitution e }"},
    // a point on a rod that swings into a wall
    {"parameter l# = 0.8 + $", "coordinate p# = l#, r# = 0", "kinetic (p#'^2 + r#'^2)*m/2",
     "potential m*r#*g", "bilateral rod#: p#^2 + r#^2 = l#^2",
     "unilateral side#: p# >= 0.1 { slip r#'; friction 0.1; restitution 0.5 }"},
    // a point thrown over a plane
    {"coordinate i# = 0, j# = 0, k# = 0.2 + $", "velocity i# = 1, j# = 0.4",
     "kinetic m/2*(i#'^2 + j#'^2 + k#'^2)", "potential m*g*k#",
     "unilateral plane#: k# >= 0 { slip i#', j#'; friction mu; restitution 0.3*e }"}};

static const char *const shared = "parameter g = 9.81, m = 1.3, mu = 0.35, e = 0.5\n";

int parts_kinds(void)
{
  return sizeof kinds / sizeof *kinds;
}

static void fill_in(const char *pattern, int number, double own, char *to)
{
  for (; *pattern; pattern++) {
    if (*pattern == '#') to += sprintf(to, "%d", number);
    else if (*pattern == '$') to += sprintf(to, "%.17g", own);
    else *to++ = *pattern;
  }
  *to = '\0';
}

static bool begins_with(const char *text, const char *word)
{
  return strncmp(text, word, strlen(word)) == 0;
}

static void add(char *text, const char *line)
{
  strcat(text, line);
  strcat(text, "\n");
}

// The energies of all models as one sum each.
static void join(char line[][STATEMENTS][LENGTH], int count, const char *word, char *text)
{
  char sum[PARTS_TEXT / 2] = "";
  for (int k = 0; k < count; k++)
    for (int i = 0; i < STATEMENTS; i++)
      if (begins_with(line[k][i], word)) {
        strcat(sum, sum[0] ? " + " : word);
        strcat(sum, sum[strlen(word)] ? "" : " ");
        strcat(sum, line[k][i] + strlen(word));
      }
  if (sum[0]) add(text, sum);
}

static void write_texts(parts_text *text, const int *kind, bool joined)
{
  static char line[PARTS_MOST][STATEMENTS][LENGTH];
  int next[PARTS_MOST] = {0}, left = 0;
  strcpy(text->whole, shared);
  for (int k = 0; k < text->count; k++) {
    const double own = 0.05 * uniform();
    strcpy(text->alone[k], shared);
    for (int i = 0; i < STATEMENTS; i++) {
      const char *pattern = kinds[kind[k]][i];
      fill_in(pattern ? pattern : "", k + 1, own, line[k][i]);
      if (pattern) add(text->alone[k], line[k][i]);
      left += pattern != NULL;
    }
  }
  while (left > 0) {
    const int k = below(text->count);
    const char *chosen = next[k] < STATEMENTS ? line[k][next[k]] : "";
    if (!chosen[0]) continue;
    const bool energy = begins_with(chosen, "kinetic") || begins_with(chosen, "potential");
    if (!(joined && energy)) add(text->whole, chosen);
    next[k]++, left--;
  }
  if (joined) {
    join(line, text->count, "kinetic", text->whole);
    join(line, text->count, "potential", text->whole);
  }
}

void parts_draw(parts_text *text, int count, bool joined)
{
  int kind[PARTS_MOST];
  text->count = count;
  for (int k = 0; k < count; k++) kind[k] = below(parts_kinds());
  write_texts(text, kind, joined);
}

void parts_copy(parts_text *text, int kind, int count)
{
  int all[PARTS_MOST];
  text->count = count;
  for (int k = 0; k < count; k++) all[k] = kind;
  write_texts(text, all, false);
}

// --- runs ---

static double *copy_of(const double *x, int n)
{
  double *copy = vector(n + 1);
  memcpy(copy, x, n * sizeof(double));
  return copy;
}

static void note(void *self, const dls_event *event)
{
  parts_run *r = self;
  const int n = r->system->n;
  if (r->events == r->capacity) {
    r->capacity = 2 * r->capacity + 16;
    r->event = realloc(r->event, r->capacity * sizeof *r->event);
    assert_non_null(r->event);
  }
  parts_event *e = &r->event[r->events++];
  e->kind = event->kind, e->t = event->t;
  snprintf(e->contact, sizeof e->contact, "%s", r->system->contacts[event->contact].name);
  e->q = copy_of(event->q, n);
  e->v_before = copy_of(event->v_before, n);
  e->v_after = copy_of(event->v_after, n);
  e->impulse = copy_of(event->impulse, r->system->m + r->system->tangents);
}

parts_run *parts_open(const char *text, const char *scheme, double step, double tolerance)
{
  parts_run *r = calloc(1, sizeof *r);
  dls_diagnostics diagnostics;
  dls_message message = {""};
  assert_non_null(r);
  if (dls_model_parse(text, strlen(text), &r->model, &diagnostics) != DLS_OK)
    fail_msg("%d: %s\n%s", diagnostics.item[0].line, diagnostics.item[0].message, text);
  assert_int_equal(dls_model_system(r->model, &r->system), DLS_OK);
  assert_int_equal(dls_model_differentiate(r->system, &message), DLS_OK);
  const dls_state state = {0, vector(r->system->n), vector(r->system->n)};
  dls_state start = state;
  assert_int_equal(dls_model_state(r->system, NULL, &start, &message), DLS_OK);
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme, options.step = step;
  options.rtol = options.atol = tolerance;
  options.event = note, options.self = r;
  if (dls_integrator_create(r->system, &start, &options, &r->integrator, &message) != DLS_OK)
    fail_msg("%s: %s\n%s", scheme, message.text, text);
  free(state.q), free(state.v);
  return r;
}

void parts_close(parts_run *r)
{
  for (int k = 0; k < r->events; k++) {
    free(r->event[k].q), free(r->event[k].v_before);
    free(r->event[k].v_after), free(r->event[k].impulse);
  }
  free(r->event);
  dls_integrator_free(r->integrator);
  dls_system_free(r->system);
  dls_model_free(r->model);
  free(r);
}

dls_failure parts_advance(parts_run *r, double until, dls_message *message)
{
  dls_failure failure;
  assert_int_equal(dls_integrator_advance(r->integrator, until, &failure, message), DLS_OK);
  return failure;
}

int parts_coordinate(const dls_system *system, const char *name)
{
  for (int i = 0; i < system->n; i++)
    if (strcmp(system->coordinates[i], name) == 0) return i;
  return -1;
}

int parts_contact(const dls_system *system, const char *name)
{
  for (int j = 0; j < system->m; j++)
    if (strcmp(system->contacts[j].name, name) == 0) return j;
  return -1;
}

int parts_impulse(const dls_system *system, int contact)
{
  int at = 0;
  for (int j = 0; j < contact; j++) at += 1 + system->contacts[j].tangents;
  return at;
}
