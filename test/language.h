// What the tests of the language share: a model, its system, and room for a state.
#ifndef TEST_LANGUAGE_H
#define TEST_LANGUAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <delassus/model.h>

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline dls_model *parse(const char *text)
{
  dls_model *model;
  static dls_diagnostics d;
  const dls_status status = dls_model_parse(text, strlen(text), &model, &d);
  if (status != DLS_OK) {
    char out[4000];
    dls_diagnostics_format(&d, "test", text, strlen(text), out, sizeof out);
    fail_msg("%s\n%s", dls_status_text(status), out);
  }
  assert_int_equal(d.total, 0);
  return model;
}

// A model with its system and room for a state.
typedef struct running {
  dls_model *model;
  dls_system *system;
  dls_state state;
  dls_message message;
} running;

static inline running run(const char *text)
{
  running r = {.model = parse(text)};
  assert_int_equal(dls_model_system(r.model, &r.system), DLS_OK);
  r.state.q = calloc((size_t)r.system->n + 1, sizeof(double));
  r.state.v = calloc((size_t)r.system->n + 1, sizeof(double));
  return r;
}

static inline void stop(running *r)
{
  free(r->state.q);
  free(r->state.v);
  dls_system_free(r->system);
  dls_model_free(r->model);
}

static inline void go_to(running *r, const char *at)
{
  const dls_status status = dls_model_state(r->system, at, &r->state, &r->message);
  if (status != DLS_OK) fail_msg("%s", r->message.text);
}

static inline void assert_near(double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-15 * (1 + fabs(expected))))
    fail_msg("%.17g is not %.17g", value, expected);
}

#endif
