// Poisson's law of impact at the begin of a step: positions stay, velocities jump in two phases.
//
//   M (v_c - v-) = G p_c + H p_ct,   0 <= p_c _|_ u_c >= 0                              eq (poi.1)
//   M (v+ - v_c) = G p_r + H p_rt,   0 <= p_r - e p_c _|_ u+ >= 0                       eq (poi.2)
//
// with Coulomb's law between the slip at the end of each phase and its percussions. In the second
// one p' = p_r - e p_c stands for p_r: a unilateral contact whose friction has the bound
// mu (e p_c + p'), which is p''s own and found by iteration.                            eq (poi.3)
#include "step/moreau.h"

#include "base/memory.h"
#include "step/tolerances.h"

enum { MAX_BOUNDS = 200 };

struct dls_moreau_poisson {
  double *v;        // n: after
  double *impulse;  // percussions, in the layout of dls_sample
  double *first;    // rows of the contacts: percussions of the first phase, and of e p_c
  double *P_b;      // held rows: percussions
};

dls_status dls_moreau_make_poisson(dls_moreau *w)
{
  const dls_system *s = w->point->system;
  if (!s->poisson) return DLS_OK;
  const ptrdiff_t n = s->n, impulses = (ptrdiff_t)s->m + s->tangents, rows = w->contacts->rows;
  dls_moreau_poisson *x = dls_arena_alloc(w->arena, 1, sizeof *x);
  const ptrdiff_t size = dls_step_kkt_size(w->kkt);
  double *memory = dls_arena_alloc(w->arena, n + impulses + 2 * rows + size + 1, sizeof(double));
  if (!x || !memory) return DLS_ERR_MEMORY;
  x->v = memory, x->impulse = x->v + n, x->first = x->impulse + impulses;
  x->P_b = x->first + 2 * rows;
  w->poisson = x;
  return DLS_OK;
}

const double *dls_moreau_poisson_velocities(const dls_moreau *w)
{
  return w->poisson->v;
}

void dls_moreau_poisson_add(const dls_moreau *w, double *impulse)
{
  const dls_system *s = w->point->system;
  for (int k = 0; k < s->m + s->tangents; k++) impulse[k] += w->poisson->impulse[k];
}

static bool hits(const dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  for (int i = 0; i < c->count; i++)
    if (c->active[i] && !w->bilateral[c->contact[i]] && w->rate[c->contact[i]] < -w->rest)
      return true;
  return false;
}

// All contacts of the step take part, and those that were closed and still are: rates of contacts
// that rest on turning normals are of the order of the step, and may be positive.
static void add_resting(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    const unsigned char status = w->status ? w->status[j] : DLS_OPEN;
    const bool closed = status == DLS_STICKING || status == DLS_SLIDING;
    c->active[i] = c->active[i] || (closed && w->gap[j] <= w->closed);
  }
}

// The first phase: velocities before, cones. Bounded forces have no percussion.
static void begin(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  const dls_snapshot *p = w->point;
  dls_clear(c->r, c->rows);
  dls_clear(w->poisson->P_b, dls_step_kkt_size(w->kkt) - p->system->n);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    double *out = w->w + i * c->dimension;
    dls_step_problem_set_law(c, i, false);
    c->mu[i] = dls_snapshot_mu(p, j, dls_moreau_holds(w, j));
    c->bound[i] = 0;
    out[0] = w->bilateral[j] ? 0 : w->rate[j];
    for (int k = 1; k <= dls_step_problem_tangents(c, i); k++)
      out[k] = p->values->slip[p->first[j] + k - 1];
  }
}

// The laws are met; what the percussions of a phase do is added to v.
static bool meet(dls_moreau *w)
{
  const int n = w->point->system->n, size = dls_step_kkt_size(w->kkt);
  if (!dls_step_problem_meet(w->contacts, w->w, w->x)) return false;
  for (int k = n; k < size; k++) w->poisson->P_b[k - n] += w->x[k];
  return true;
}

static dls_failure compress(dls_moreau *w)
{
  do {
    begin(w);
    dls_clear(w->x, (ptrdiff_t)dls_step_kkt_size(w->kkt));
    if (!meet(w)) return DLS_FAILURE_CONTACT;
  } while (dls_moreau_change_grips(w));
  return DLS_FAILURE_NONE;
}

// Velocities after the first phase, and the second one's given percussions e p_c.
static void turn(dls_moreau *w, const double *v0)
{
  dls_step_problem *c = w->contacts;
  dls_moreau_poisson *x = w->poisson;
  const int n = w->point->system->n;
  double *given = x->first + c->rows;
  for (int i = 0; i < n; i++) x->v[i] = v0[i] + w->x[i];
  dls_copy(x->first, c->r, c->rows);
  dls_clear(given, c->rows);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i], row = i * c->dimension;
    if (!c->active[i]) continue;
    for (int k = 0; k <= dls_step_problem_tangents(c, i); k++)
      w->w[row + k] += dls_snapshot_Jt_times(w->point, j, k, w->x);
    if (w->bilateral[j]) continue;
    if (c->r[row] > 0) w->w[row] = 0;  // it is closed
    given[row] = w->restitution[j] * c->r[row];
  }
}

// The bounds of friction by the normal percussions at hand. False: they are those of before.
static bool set_bounds(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  const double *given = w->poisson->first + c->rows;
  bool any = false;
  for (int i = 0; i < c->count; i++) {
    const int row = i * c->dimension;
    if (!c->active[i] || w->bilateral[c->contact[i]] || dls_step_problem_tangents(c, i) == 0)
      continue;
    const double bound = c->mu[i] * (given[row] + c->r[row]);
    any |= !(fabs(bound - c->bound[i]) <= percussion_settled * bound);
    c->bound[i] = bound;
    if (!w->point->system->contacts[c->contact[i]].bounded)
      c->law[i] = (unsigned char)(c->mu[i] > 0 ? DLS_LAW_BOUNDED : DLS_LAW_CONE);
  }
  return any;
}

// The motion that the given percussions make, from where the first phase ended.
static void push(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  const ptrdiff_t rows = c->rows;
  dls_clear(w->x, (ptrdiff_t)dls_step_kkt_size(w->kkt));
  dls_copy(c->r_before, c->r, rows);
  dls_copy(c->r, w->poisson->first + rows, rows);
  dls_step_problem_add_J(c, w->x, NULL);
  dls_copy(c->r, c->r_before, rows);
  dls_step_kkt_solve(w->kkt, w->x);
}

static dls_failure expand(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  dls_moreau_poisson *x = w->poisson;
  const int n = w->point->system->n, size = dls_step_kkt_size(w->kkt);
  dls_clear(c->r, c->rows);
  set_bounds(w);
  for (int k = 0; k < MAX_BOUNDS; k++) {
    push(w);
    if (!dls_step_problem_meet(c, w->w, w->x)) return DLS_FAILURE_CONTACT;
    if (set_bounds(w)) continue;
    // one that was held, and slips: that of sliding, from here on
    if (dls_moreau_change_grips(w)) {
      for (int i = 0; i < c->count; i++)
        c->mu[i] = dls_snapshot_mu(w->point, c->contact[i], dls_moreau_holds(w, c->contact[i]));
      set_bounds(w);
      continue;
    }
    for (int i = 0; i < n; i++) x->v[i] += w->x[i];
    for (int l = n; l < size; l++) x->P_b[l - n] += w->x[l];
    return DLS_FAILURE_NONE;
  }
  return DLS_FAILURE_CONTACT;
}

static void note_percussions(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  const dls_moreau_poisson *x = w->poisson;
  const dls_snapshot *p = w->point;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  for (int k = 0; k < c->rows; k++) c->r[k] += x->first[k] + x->first[c->rows + k];
  dls_clear(x->impulse, (ptrdiff_t)p->system->m + p->system->tangents);
  dls_step_problem_scatter(c, x->impulse);
  for (int k = 0; k < held; k++) x->impulse[contact[k] + p->first[contact[k]]] = x->P_b[k];
}

dls_failure dls_moreau_collide(dls_moreau *w, double t, const double *q0, const double *v0,
                               bool *hit, dls_message *message)
{
  *hit = hits(w);
  if (!*hit) return DLS_FAILURE_NONE;
  add_resting(w);
  w->factored = false;
  if (!dls_step_kkt_factor(w->kkt, 0, 0, 0, NULL)) return DLS_FAILURE_SINGULAR;
  const bool instant = w->grips && w->grips->instant;
  dls_moreau_begin_grips(w);
  if (w->grips) w->grips->instant = true;
  dls_failure failure = compress(w);
  if (failure == DLS_FAILURE_NONE) {
    turn(w, v0);
    failure = expand(w);
  }
  if (w->grips) w->grips->instant = instant;
  if (failure != DLS_FAILURE_NONE) return failure;
  note_percussions(w);
  return dls_snapshot_evaluate(w->point, t, q0, w->poisson->v, message) ? DLS_FAILURE_NONE
                                                                        : DLS_FAILURE_NUMBER;
}
