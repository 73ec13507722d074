// The restitution matrix of the closed contacts of a model.
#include <delassus/model.h>

#include "base/memory.h"

#include <stdlib.h>

// The place of a contact among the closed unilateral ones; -1 when it is not there.
static int place_of(const dls_contact_state *s, int contact)
{
  for (int j = 0; j < s->problem.m_u; j++)
    if (s->unilateral_contact[j] == contact) return j;
  return -1;
}

dls_status dls_model_restitution_matrix(const dls_system *system, const dls_contact_state *s,
                                        double *E)
{
  const int m = s->problem.m_u;
  const ptrdiff_t size = m;
  const dls_model *model = system ? dls_system_model(system) : NULL;
  dls_clear(E, size * size);
  for (int j = 0; j < m; j++) E[j * (size + 1)] = s->contacts[s->unilateral_contact[j]].restitution;
  // states are read only: the language's functions take them as they take all states
  const int nq = system ? dls_system_nq(system) : s->n;
  double *copy = dls_alloc((ptrdiff_t)nq + s->n, sizeof *copy);
  if (!copy) return DLS_ERR_MEMORY;
  dls_copy(copy, s->q, nq);
  dls_copy(copy + nq, s->v, s->n);
  const dls_state state = {.t = s->t, .q = copy, .v = copy + nq};
  dls_status status = DLS_OK;
  const int count = model ? dls_model_restitution_count(model) : 0;
  for (int k = 0; k < count && status == DLS_OK; k++) {
    int row = 0, column = 0;
    double value = 0;
    status = dls_model_restitution(system, k, &state, &row, &column, &value);
    const int i = place_of(s, row), j = place_of(s, column);
    if (status == DLS_OK && i >= 0 && j >= 0) E[i + size * j] = value;
  }
  free(copy);
  return status;
}
