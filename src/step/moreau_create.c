// The life of Moreau's scheme.
#include "step/moreau.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <stdlib.h>

void dls_moreau_free(dls_moreau *w)
{
  if (!w) return;
  dls_step_problem_free(w->contacts);
  dls_projector_free(&w->projector);
  dls_step_kkt_free(w->kkt);
  dls_values_free(w->ahead);
  dls_arena_free(w->arena);
  free(w);
}

// M, F, G depend on the time alone, and h' on the velocities besides: no derivative has an entry.
// Friction and restitution may depend on more.
static bool is_linear(const dls_system *s)
{
  const dls_derivative_patterns *d = s->derivative;
  if (!d) return false;
  const dls_pattern *all[] = {&d->R_q, &d->R_v, &d->N_q, &d->N_v,
                              &d->T_q, &d->T_v, &d->D_q, &d->S_q};
  for (ptrdiff_t k = 0; k < dls_count_of(all); k++)
    if (all[k]->p[all[k]->cols] > 0) return false;
  return true;
}

static bool is_diagonal(const dls_pattern *M)
{
  for (int j = 0; j < M->cols; j++)
    if (M->p[j + 1] != j + 1 || M->i[j] != j) return false;
  return true;
}

static dls_status set_up(dls_moreau *w, const dls_integrator_options *options, dls_message *message)
{
  const dls_system *s = w->point->system;
  w->diagonal = is_diagonal(&s->mass);
  w->linear = is_linear(s);
  w->steady = w->linear && s->derivative->steady;
  w->constant_laws = s->derivative && s->derivative->constant_laws;
  const ptrdiff_t n = (ptrdiff_t)s->n + 1, m = (ptrdiff_t)s->m + 1,
                  tangents = (ptrdiff_t)s->tangents + 1;
  bool *projector = dls_arena_alloc(w->arena, m, sizeof(bool));
  w->bilateral = dls_arena_alloc(w->arena, m, sizeof(bool));
  w->fast = dls_arena_alloc(w->arena, m, sizeof(bool));
  if (!projector || !w->bilateral || !w->fast) return DLS_ERR_MEMORY;
  bool all = true;  // bilateral contacts have rows in the KKT system
  for (int j = 0; j < s->m; j++) {
    w->bilateral[j] = s->contacts[j].kind == DLS_BILATERAL;
    projector[j] = w->bilateral[j] && s->contacts[j].tangents == 0;
    all &= projector[j] == w->bilateral[j];
    w->held |= w->bilateral[j];
  }
  dls_status status = dls_step_kkt_create(w->point, projector, &w->kkt);
  if (status == DLS_OK)
    status = all ? dls_projector_with(w->point, options, w->kkt, &w->projector)
                 : dls_projector_create(w->point, options, w->bilateral, &w->projector);
  if (status == DLS_OK)
    status = dls_step_problem_create(w->point, w->kkt, options->tolerance, &w->contacts, message);
  if (status != DLS_OK) return status;
  const ptrdiff_t size = (ptrdiff_t)dls_step_kkt_size(w->kkt) + 1;
  double *memory = dls_arena_alloc(
      w->arena, 6 * m + 5 * n + 5 * size + 2 * tangents + 2 * (ptrdiff_t)w->contacts->rows + 2,
      sizeof(double));
  w->M = dls_arena_alloc(w->arena, 2 * (ptrdiff_t)s->mass.p[s->n] + 1, sizeof(double));
  if (!memory || !w->M) return DLS_ERR_MEMORY;
  w->q_part = dls_arena_alloc(w->arena, 2 * n + 2 * (m + tangents), sizeof(double));
  if (!w->q_part) return DLS_ERR_MEMORY;
  w->v_part = w->q_part + n, w->impulse_part = w->v_part + n;
  w->begun = w->impulse_part + m + tangents;
  w->rooted_M = w->M + s->mass.p[s->n];
  w->gap = memory, w->rate = w->gap + m, w->lambda = w->rate + m;
  w->restitution = w->lambda + m, w->bounce = w->restitution + m, w->beyond = w->bounce + m;
  w->q_theta = w->beyond + m;
  w->v_theta = w->q_theta + n, w->a = w->v_theta + n, w->speed = w->a + n;
  w->F = w->speed + n, w->x = w->F + n, w->y = w->x + size, w->P_b = w->y + size;
  w->mass = w->P_b + size, w->most = w->mass + size;
  w->tau = w->most + size, w->w = w->tau + tangents;
  w->row_speed = w->w + w->contacts->rows + 1;
  w->aside = w->row_speed + w->contacts->rows + 1;
  status = dls_moreau_make_law(w);
  if (status == DLS_OK) status = dls_moreau_make_poisson(w);
  return status == DLS_OK ? dls_moreau_make_grips(w) : status;
}

dls_status dls_moreau_create(dls_snapshot *point, const dls_integrator_options *options,
                             dls_moreau **out, dls_message *message)
{
  *out = NULL;
  dls_moreau *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  w->point = point;
  w->theta = options->theta, w->gamma = options->gamma, w->closed = options->closed;
  w->missed = balance_missed;
  w->tolerance = options->tolerance, w->rest = options->rest;
  w->arena = dls_arena_create();
  const dls_status status = w->arena ? set_up(w, options, message) : DLS_ERR_MEMORY;
  if (status == DLS_OK) *out = w;
  else dls_moreau_free(w);
  return status;
}
