// The contact problem of accelerations over a set of contacts: bilateral ones first.  eq (con.3)
#include "contact/contacts.h"

#include "base/message.h"
#include "contact/law.h"

#include <stdlib.h>

// What is filled while contacts are taken up, and the contacts in their new order.
typedef struct view {
  const dls_contacts *set;
  dls_arena *arena;
  int m_b, m, tangents;
  int *contact;  // m: of the set
  double *b, *mu, *mu_s, *w_n, *b_t, *w_t, *xi;
  const char **name;
  int *first;
  bool *sliding;
} view;

static bool is_sliding(const dls_contacts *c, int k)
{
  return c->law[k] == DLS_LAW_SLIDING || c->law[k] == DLS_LAW_BILATERAL_SLIDING;
}

static dls_status take_memory(view *v)
{
  const dls_contacts *c = v->set;
  const ptrdiff_t m = c->count, tangents = (c->rows - c->count);
  double *numbers = dls_arena_alloc(v->arena, 4 * m + 3 * tangents, sizeof *numbers);
  v->contact = dls_arena_alloc(v->arena, m, sizeof *v->contact);
  v->name = dls_arena_alloc(v->arena, m, sizeof *v->name);
  v->first = dls_arena_alloc(v->arena, m + 1, sizeof *v->first);
  v->sliding = dls_arena_alloc(v->arena, m, sizeof *v->sliding);
  if (!numbers || !v->contact || !v->name || !v->first || !v->sliding) return DLS_ERR_MEMORY;
  v->b = numbers, v->mu = v->b + m, v->w_n = v->mu + m, v->mu_s = v->w_n + m;
  v->b_t = v->mu_s + m, v->w_t = v->b_t + tangents, v->xi = v->w_t + tangents;
  return DLS_OK;
}

static void take_up(view *v, int k)
{
  const dls_contacts *c = v->set;
  const int at = v->m++, normal = c->first[k];
  v->contact[at] = k;
  v->name[at] = c->name[k];
  v->b[at] = c->b[normal], v->w_n[at] = c->w[normal];
  v->mu[at] = c->mu[k];
  v->sliding[at] = is_sliding(c, k);
  v->mu_s[at] = v->sliding[at] ? c->mu[k] : c->mu_s[k];
  v->first[at] = v->tangents;
  for (int row = normal + 1; row < c->first[k + 1]; row++, v->tangents++) {
    v->b_t[v->tangents] = c->b[row], v->w_t[v->tangents] = c->w[row];
    v->xi[v->tangents] = v->sliding[at] ? c->direction[row] : 0;
  }
  v->first[at + 1] = v->tangents;
}

// Columns of J of the contacts from..to: the normals, or all that slips.
static dls_status select_columns(const view *v, int from, int to, bool normals,
                                 dls_matrix_view *out)
{
  const dls_contacts *c = v->set;
  const dls_pattern *J = &c->J.pattern;
  ptrdiff_t columns = 0, entries = 0;
  for (int pass = 0, *p = NULL, *i = NULL; pass < 2; pass++) {
    double *x = NULL;
    if (pass == 1) {
      p = dls_arena_alloc(v->arena, columns + 1, sizeof *p);
      i = dls_arena_alloc(v->arena, entries, sizeof *i);
      x = dls_arena_alloc(v->arena, entries, sizeof *x);
      if (!p || !i || !x) return DLS_ERR_MEMORY;
      *out = (dls_matrix_view){{c->nv, (int)columns, p, i}, x};
      columns = entries = 0;
    }
    for (int at = from; at < to; at++) {
      const int begin = c->first[v->contact[at]] + (normals ? 0 : 1);
      const int end = normals ? begin + 1 : c->first[v->contact[at] + 1];
      for (int row = begin; row < end; row++) {
        for (int e = J->p[row]; e < J->p[row + 1]; e++, entries++)
          if (pass == 1) i[entries] = J->i[e], x[entries] = c->J.x[e];
        columns++;
        if (pass == 1) p[columns] = (int)entries;
      }
    }
  }
  return DLS_OK;
}

dls_status dls_contacts_view(const dls_contacts *c, const dls_matrix_view *M, const double *F,
                             dls_arena *arena, dls_problem_matrices *matrices, dls_problem *problem)
{
  view v = {.set = c, .arena = arena};
  dls_friction *friction = dls_arena_alloc(arena, 1, sizeof *friction);
  dls_status status = friction ? take_memory(&v) : DLS_ERR_MEMORY;
  if (status != DLS_OK) return status;
  for (int k = 0; k < c->count; k++)
    if (dls_contacts_bilateral(c, k)) take_up(&v, k);
  v.m_b = v.m;
  for (int k = 0; k < c->count; k++)
    if (!dls_contacts_bilateral(c, k)) take_up(&v, k);

  *matrices = (dls_problem_matrices){.M = *M};
  status = select_columns(&v, 0, v.m_b, true, &matrices->G_b);
  if (status == DLS_OK) status = select_columns(&v, v.m_b, v.m, true, &matrices->G_u);
  if (status == DLS_OK) status = select_columns(&v, 0, v.m, false, &matrices->H);
  if (status != DLS_OK) return status;
  *friction = (dls_friction){.tangents = v.tangents,
                             .first = v.first,
                             .b_t = v.b_t,
                             .mu = v.mu,
                             .mu_s = v.mu_s,
                             .xi = v.xi,
                             .sliding = v.sliding,
                             .w_n = v.w_n,
                             .w_t = v.w_t};
  *problem = (dls_problem){.n = c->nv,
                           .m_b = v.m_b,
                           .m_u = v.m - v.m_b,
                           .F = F,
                           .b_b = v.b,
                           .b_u = v.b + v.m_b,
                           .bilateral = v.name,
                           .unilateral = v.name + v.m_b,
                           .friction = friction,
                           .sparse = matrices};
  return DLS_OK;
}

// The problem is the first thing in its owner.
typedef struct owned_problem {
  dls_problem problem;
  dls_problem_matrices matrices;
  dls_arena *arena;
} owned_problem;

dls_status dls_contacts_problem(const dls_contacts *c, const dls_matrix_view *M, const double *F,
                                dls_problem **out, dls_message *message)
{
  *out = NULL;
  if (message) message->text[0] = 0;
  for (int k = 0; k < c->count; k++)
    if (dls_law_is_bounded((dls_law)c->law[k]))
      return dls_fail(message, DLS_ERR_ARGUMENT, "contact %d has bounded friction", k);
  owned_problem *o = dls_alloc(1, sizeof *o);
  if (!o) return DLS_ERR_MEMORY;
  o->arena = dls_arena_create();
  const dls_status status =
      o->arena ? dls_contacts_view(c, M, F, o->arena, &o->matrices, &o->problem) : DLS_ERR_MEMORY;
  if (status == DLS_OK) *out = &o->problem;
  else dls_contacts_problem_free(&o->problem);
  return status;
}

void dls_contacts_problem_free(dls_problem *problem)
{
  if (!problem) return;
  owned_problem *o = (owned_problem *)problem;
  dls_arena_free(o->arena);
  free(o);
}
