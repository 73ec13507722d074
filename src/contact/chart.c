#include "contact/chart.h"

#include "base/memory.h"
#include "base/message.h"

int dls_system_nq(const dls_system *system)
{
  return system->chart ? system->chart->nq : system->n;
}

const char *const *dls_configuration_names(const dls_system *system)
{
  return system->chart ? system->chart->names : system->coordinates;
}

dls_status dls_chart_begin(const dls_system *s, const dls_state *state, double *x, double *x_dot,
                           dls_message *message)
{
  const ptrdiff_t bytes = s->n;
  if (!s->chart) {
    dls_move(x, state->q, bytes);
    dls_move(x_dot, state->v, bytes);
    return DLS_OK;
  }
  dls_status status = s->chart->centre(s->self, state->q, message);
  if (status != DLS_OK) return status;
  status = s->chart->enter(s->self, state->q, state->v, x, x_dot);
  if (status != DLS_OK) return dls_fail(message, status, "the chart does not contain its centre");
  return status;
}

void dls_chart_leave(const dls_system *s, const double *x, const double *x_dot, double *q,
                     double *v)
{
  const ptrdiff_t bytes = s->n;
  if (s->chart) {
    s->chart->leave(s->self, x, x_dot, q, v);
    return;
  }
  dls_move(q, x, bytes);
  dls_move(v, x_dot, bytes);
}

dls_status dls_system_select_near(const dls_system *s, const dls_state *x, double reach,
                                  dls_message *message)
{
  if (!s->find) return DLS_OK;
  int count = 0;
  const uint64_t *id = NULL;
  dls_status status = s->find(s->self, x->t, x->q, x->v, reach, 0, &count, &id, message);
  if (status == DLS_OK) status = s->select(s->self, count, id, message);
  return status == DLS_OK ? dls_system_validate(s, message) : status;
}
