// libFuzzer entry for the model language: whatever the text, no crash; what parses also runs.
#include <delassus/model.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

static void check_diagnostics(const dls_diagnostics *d, const char *text, size_t size)
{
  char out[2000];
  require(d->total >= 1 && d->count >= 1 && d->count <= DLS_DIAGNOSTICS_MAX);
  for (int i = 0; i < d->count; i++) {
    const dls_diagnostic *item = &d->item[i];
    require(item->line >= 1 && item->column >= 1 && item->length >= 1 && item->message[0]);
    require(i == 0 || d->item[i - 1].line <= item->line);
  }
  dls_diagnostics_format(d, "fuzz", text, size, out, sizeof out);
}

static void check_state(dls_system *system, dls_state *state, const char *at)
{
  if (dls_model_state(system, at, state, NULL) != DLS_OK) return;
  dls_values *values, *bound;
  require(isfinite(state->t));
  for (int i = 0; i < system->n; i++) require(isfinite(state->q[i]) && isfinite(state->v[i]));
  const dls_status first = dls_values_create(system, &values);
  const dls_status second = dls_values_create(system, &bound);
  if (first == DLS_OK && second == DLS_OK)
    system->evaluate(system->self, state->t, state->q, state->v, values, bound, NULL);
  if (first == DLS_OK) dls_values_free(values);
  if (second == DLS_OK) dls_values_free(bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *text = (const char *)data;
  dls_model *model;
  dls_diagnostics diagnostics;
  const dls_status status = dls_model_parse(text, size, &model, &diagnostics);
  if (status != DLS_OK) {
    require(!model);
    if (status == DLS_ERR_MODEL) check_diagnostics(&diagnostics, text, size);
    return 0;
  }
  dls_system *system;
  if (dls_model_system(model, &system) == DLS_OK) {
    require(dls_system_validate(system, NULL) == DLS_OK);
    dls_state state = {.q = calloc((size_t)system->n, sizeof(double)),
                       .v = calloc((size_t)system->n, sizeof(double))};
    require(state.q && state.v);
    check_state(system, &state, NULL);
    for (int i = 0; i < dls_model_state_count(model) && i < 4; i++)
      check_state(system, &state, dls_model_state_name(model, i));

    // the text itself as what comes with a call
    char *argument = calloc(size + 1, 1);
    require(argument != NULL);
    memcpy(argument, text, size);
    dls_message message;
    dls_model_state(system, argument, &state, &message);
    if (dls_model_parameter_count(model) > 0)
      dls_model_set(system, dls_model_parameter_name(model, 0), argument, &message);
    check_state(system, &state, "");
    free(argument);
    free(state.q);
    free(state.v);
    dls_system_free(system);
  }
  dls_model_free(model);
  return 0;
}
