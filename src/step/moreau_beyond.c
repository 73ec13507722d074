// What a step of Moreau's scheme does not see from its point: rates of turning constraints at its
// end, and the direction of sliding that turns.                                       eq (mor.11)
#include "step/moreau.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <math.h>

// Changes of a slip within half a step, of the slip, by which sliding goes on.
static const double SLIDES_ON = 0.25;

// h' of contact j at the end of the step, as the point tells it; y = v1 - v_theta.
double dls_moreau_rate_at_end(const dls_moreau *w, int j)
{
  const dls_values *x = w->point->values;
  return x->h_dot[j] + dls_snapshot_Jt_times(w->point, j, 0, w->y) + w->remaining * x->b_n[j];
}

// The slip of its row k, 1 or 2, that the law is about.
double dls_moreau_slip_at_end(const dls_moreau *w, int j, int k)
{
  const dls_values *x = w->point->values;
  const int at = w->point->first[j] + k - 1;
  const double change = dls_snapshot_Jt_times(w->point, j, k, w->y);
  return x->slip[at] + change + (w->at_end ? w->remaining * x->b_t[at] : 0);
}

// Some friction follows a normal force, whose constraint turns within the step, or turns itself.
bool dls_moreau_rubs(const dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  if (w->brief || w->theta == 1) return false;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    const bool in_space = dls_step_problem_tangents(c, i) == 2;
    const bool follows = c->mu[i] > 0 && !w->linear;
    if (!c->active[i] || !(w->bilateral[c->contact[i]] || w->at_end)) continue;
    if (follows || (in_space && (c->mu[i] > 0 || c->bound[i] > 0))) return true;
  }
  return false;
}

static bool holds_at_end(const dls_moreau *w, int j)
{
  const int i = w->contacts->of[j];
  return w->bilateral[j] || (w->at_end && i >= 0 && w->contacts->active[i]);
}

// Sliding in space that turns has the direction of the middle, unless it may end there.
static void lay_aside(dls_moreau *w, int j)
{
  const dls_snapshot *p = w->point;
  const int first = p->first[j], tangents = p->first[j + 1] - first;
  double size = 0, change = 0;
  for (int k = 1; k <= tangents; k++) {
    const double slip = p->values->slip[first + k - 1];
    w->aside[first + k - 1] = slip - dls_moreau_slip_at_end(w, j, k);
    size = hypot(size, slip), change = hypot(change, w->aside[first + k - 1]);
  }
  if (tangents == 2 && change <= SLIDES_ON * size) return;
  for (int k = 0; k < tangents; k++) w->aside[first + k] = 0;
}

// Nothing is beyond what the point tells of contact j, and nothing aside.
static bool is_known(const dls_moreau *w, int j)
{
  const double least = velocity_missed * dls_moreau_row_speed(w, j, 0) + still_of_rest * w->rest;
  for (int k = w->point->first[j]; k < w->point->first[j + 1]; k++)
    if (w->aside[k] != 0) return false;
  return fabs(w->beyond[j]) <= least;
}

dls_failure dls_moreau_look_beyond(dls_moreau *w, double t1, double h, const double *q0,
                                   const double *v1, double *q1, bool *known, dls_message *message)
{
  dls_snapshot *p = w->point;
  const int n = p->system->n, m = p->system->m;
  for (int i = 0; i < n; i++) {
    q1[i] = q0[i] + h * w->v_theta[i];
    w->y[i] = v1[i] - w->v_theta[i];
  }
  for (int j = 0; j < m; j++) {
    w->beyond[j] = holds_at_end(w, j) ? -dls_moreau_rate_at_end(w, j) : 0;
    if (holds_at_end(w, j)) lay_aside(w, j);
  }
  w->sharp = true;
  if (!dls_snapshot_evaluate(p, t1, q1, v1, message)) return DLS_FAILURE_NUMBER;
  *known = true;
  for (int j = 0; j < m; j++) {
    if (!holds_at_end(w, j)) continue;
    w->beyond[j] += p->values->h_dot[j];
    *known = *known && is_known(w, j);
  }
  return DLS_FAILURE_NONE;
}

void dls_moreau_forget_beyond(dls_moreau *w)
{
  if (!w->sharp) return;
  dls_clear(w->beyond, w->point->system->m);
  dls_clear(w->aside, w->point->system->tangents);
  w->sharp = false;
}
