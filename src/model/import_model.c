// A model of nothing but the mechanism of a file.
#include "model/body_model.h"
#include "model/instance_bodies.h"

#include "base/message.h"

#include <stdlib.h>
#include <string.h>

static bool copy_states(dls_model *model, const dls_import *import)
{
  const dls_mechanism *m = &import->mechanism;
  ptrdiff_t nq = 0, n = 0;
  for (int j = 0; j < m->joints; j++) {
    const dls_joint_kind kind = m->joint[j].kind;
    nq += kind == DLS_JOINT_FREE ? 7 : kind == DLS_JOINT_BALL ? 4 : 1;
    n += kind == DLS_JOINT_FREE ? 6 : kind == DLS_JOINT_BALL ? 3 : 1;
  }
  dls_import_state *state =
      dls_arena_alloc(model->arena, (ptrdiff_t)import->states + 1, sizeof *state);
  if (!state) return false;
  for (int k = 0; k < import->states; k++) {
    double *q = dls_arena_alloc(model->arena, nq + 1, sizeof *q);
    double *v = dls_arena_alloc(model->arena, n + 1, sizeof *v);
    state[k] = import->state[k];
    state[k].name = dls_arena_copy(model->arena, state[k].name, strlen(state[k].name));
    if (!q || !v || !state[k].name) return false;
    dls_copy(q, import->state[k].q, nq);
    dls_copy(v, import->state[k].v, n);
    state[k].q = q, state[k].v = v, state[k].control = NULL;
  }
  model->key = state, model->keys = import->states;
  return true;
}

static dls_status fill(dls_model *model, const dls_import *import, dls_error_list *report)
{
  dls_import_statement *statement = dls_alloc(1, sizeof *statement);
  if (!statement) return DLS_ERR_MEMORY;
  model->source.imports.items = statement;
  model->source.imports.count = 1, model->source.imports.capacity = 1;
  *statement = (dls_import_statement){.name = -1, .on = {.name = -1, .body = DLS_WORLD}};
  statement->mechanism = dls_mechanism_copy(model->arena, &import->mechanism, NULL);
  model->title = dls_arena_copy(model->arena, "", 0);
  if (!statement->mechanism || !model->title || !copy_states(model, import)) return DLS_ERR_MEMORY;
  dls_status status = dls_bind_bodies(model, NULL, report);
  return status == DLS_OK ? dls_model_analyse(model, report) : status;
}

dls_status dls_model_from_import(const dls_import *import, dls_model **out, dls_message *message)
{
  static const char nothing[] = "";
  if (message) message->text[0] = '\0';
  if (!import || !out) return DLS_ERR_ARGUMENT;
  *out = NULL;
  dls_error_list report;
  dls_diagnostics diagnostics = {0};
  dls_model *model = dls_alloc(1, sizeof *model);
  if (!model) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  dls_status status = DLS_ERR_MEMORY;
  model->arena = dls_arena_create();
  const bool ready = dls_error_list_begin(&report, nothing, 0, &diagnostics) && model->arena &&
                     dls_names_begin(&model->names, model->arena);
  if (ready) status = fill(model, import, &report);
  if (status == DLS_OK && diagnostics.total > 0) status = DLS_ERR_MODEL;
  dls_error_list_free(&report);
  if (status == DLS_OK) {
    *out = model;
    return DLS_OK;
  }
  dls_model_free(model);
  return dls_fail(message, status, "%s",
                  diagnostics.count > 0 ? diagnostics.item[0].message : dls_status_text(status));
}
