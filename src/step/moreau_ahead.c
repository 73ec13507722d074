// Bilateral constraints in the middle of a step that is explicit otherwise, eq (mor.4): they turn
// with the motion, and their impulses contain what that takes. At the begin the same law adds
// energy with every turn, at the end it takes some away.
#include "step/moreau.h"

#include "base/memory.h"

dls_status dls_moreau_make_ahead(dls_moreau *w)
{
  const bool constant = w->linear && w->steady;  // the same there as here
  return !w->held || constant ? DLS_OK : dls_values_create(w->point->system, &w->ahead);
}

static void copy_columns(const dls_pattern *pattern, int first, int count, const double *from,
                         double *to)
{
  const int begin = pattern->p[first], end = pattern->p[first + count];
  dls_copy(to + begin, from + begin, end - begin);
}

static void take_contact(dls_moreau *w, int j)
{
  const dls_snapshot *p = w->point;
  const dls_values *from = w->ahead, *to = p->values;
  const int tangents = p->system->contacts[j].tangents, first = p->first[j];
  copy_columns(&p->system->normal, j, 1, from->G, to->G);
  copy_columns(&p->system->tangent, first, tangents, from->H, to->H);
  dls_copy(to->slip + first, from->slip + first, tangents);
  to->h_dot[j] = from->h_dot[j], to->b_n[j] = from->b_n[j];
}

bool dls_moreau_look_ahead(dls_moreau *w, double t, double h, const double *q0, const double *v0,
                           dls_message *message)
{
  dls_snapshot *p = w->point;
  if (!w->ahead) return true;
  for (int i = 0; i < p->system->n; i++) w->q_theta[i] = q0[i] + h / 2 * v0[i];
  dls_values *here = p->values;
  p->values = w->ahead;
  const bool done = dls_snapshot_evaluate(p, t + h / 2, w->q_theta, v0, message);
  p->values = here;
  for (int j = 0; j < p->system->m && done; j++)
    if (w->bilateral[j]) take_contact(w, j);
  return done;
}
