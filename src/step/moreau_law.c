// The law of an impact inside a step where the restitution matrix has entries beside its diagonal.
//
//   0 <= P _|_ u + E u- >= 0    over the contacts that are closed and do not separate   eq (imp.2)
//
// as it stands where the impact alone, without the forces of the step, keeps Newton's law by it:
// percussions exist, no contact is sent through the other side, and no energy is gained. Elsewhere
// E is its diagonal, Moreau's law, eq (imp.3). Parts that do not act on one another choose apart.
#include "step/moreau.h"

#include "base/memory.h"
#include "step/tolerances.h"

struct dls_moreau_law {
  double *bounce;       // m: E u-
  double *work, *size;  // parts: what percussions do, eq (imp.4), and the sizes of its terms
  bool *newton;         // parts: Newton's law holds
  bool *active;         // contacts with a law: what the step has
};

static int parts_of(const dls_system *s)
{
  return s->parts > 1 ? s->parts : 1;
}

static int part_of(const dls_system *s, int j)
{
  return s->parts > 1 ? s->contact_part[j] : 0;
}

dls_status dls_moreau_make_law(dls_moreau *w)
{
  const dls_system *s = w->point->system;
  if (s->couplings == 0) return DLS_OK;
  const ptrdiff_t m = s->m, parts = parts_of(s);
  dls_moreau_law *law = dls_arena_alloc(w->arena, 1, sizeof *law);
  double *memory = dls_arena_alloc(w->arena, m + 2 * parts, sizeof(double));
  bool *flags = dls_arena_alloc(w->arena, m + parts, sizeof(bool));
  if (!law || !memory || !flags) return DLS_ERR_MEMORY;
  law->bounce = memory, law->work = memory + m, law->size = law->work + parts;
  law->active = flags, law->newton = flags + m;
  w->law = law;
  return DLS_OK;
}

// In the impact: closed, and not separating.
static bool takes_part(const dls_moreau *w, int j)
{
  const int i = w->contacts->of[j];
  return i >= 0 && w->contacts->active[i] && !w->bilateral[j] && w->rate[j] <= w->rest;
}

// Is a blow passed on?
static bool is_coupled(const dls_moreau *w)
{
  const dls_system *s = w->point->system;
  for (int k = 0; k < s->couplings; k++) {
    const int row = s->coupling[k].row, column = s->coupling[k].column;
    if (w->point->values->coupling[k] != 0 && w->rate[column] < -w->rest && takes_part(w, row) &&
        takes_part(w, column))
      return true;
  }
  return false;
}

// E u-, and whether it sends a contact through the other side.
static void set_bounce(const dls_moreau *w)
{
  const dls_system *s = w->point->system;
  const dls_moreau_law *law = w->law;
  for (int p = 0; p < parts_of(s); p++) law->newton[p] = true;
  for (int j = 0; j < s->m; j++) law->bounce[j] = w->bounce[j];
  for (int k = 0; k < s->couplings; k++) {
    const int row = s->coupling[k].row, column = s->coupling[k].column;
    if (takes_part(w, row) && takes_part(w, column))
      law->bounce[row] += w->point->values->coupling[k] * w->rate[column];
  }
  for (int j = 0; j < s->m; j++)
    if (takes_part(w, j) && law->bounce[j] > w->rest) law->newton[part_of(s, j)] = false;
}

// The impact alone, of the contacts that take part; velocities from the begin, where the point is.
static void set_problem(const dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  const dls_snapshot *p = w->point;
  dls_clear(c->r, c->rows);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    double *out = w->w + i * c->dimension;
    c->active[i] = w->bilateral[j] || takes_part(w, j);
    c->mu[i] = dls_snapshot_mu(p, j, dls_moreau_holds(w, j));
    c->bound[i] = 0;  // bounded forces have no percussion
    out[0] = w->bilateral[j] ? 0 : w->rate[j] + w->law->bounce[j];
    for (int k = 1; k <= dls_step_problem_tangents(c, i); k++)
      out[k] = p->values->slip[p->first[j] + k - 1];
  }
  dls_clear(w->x, (ptrdiff_t)dls_step_kkt_size(w->kkt));
}

static void add_work(const dls_moreau_law *law, int part, double percussion, double before,
                     double after)
{
  law->work[part] += percussion * (before + after);
  law->size[part] += fabs(percussion) * (fabs(before) + fabs(after));
}

// Which parts keep Newton's law in the solution that the contacts hold.
static void assess(const dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  const dls_system *s = w->point->system;
  const dls_moreau_law *law = w->law;
  const double limit = fmax(newton_by_tolerance * c->tolerance, c->closing);
  double most = 0;
  dls_clear(law->work, 2 * (ptrdiff_t)parts_of(s));
  for (int i = 0; i < c->count; i++)
    if (c->active[i]) most = fmax(most, fabs(c->q[i * c->dimension]) / c->scale[i]);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i], part = part_of(s, j);
    const double *r = c->r + i * c->dimension, *u = c->u + i * c->dimension;
    if (!c->active[i]) continue;
    if (!w->bilateral[j]) {
      if (!(u[0] / c->scale[i] <= limit * most)) law->newton[part] = false;
      add_work(law, part, r[0], w->rate[j], -law->bounce[j]);
    }
    for (int k = 1; k <= dls_step_problem_tangents(c, i); k++)
      add_work(law, part, r[k], w->w[i * c->dimension + k], u[k]);
  }
  for (int p = 0; p < parts_of(s); p++)
    if (!(law->work[p] <= limit * law->size[p])) law->newton[p] = false;
}

dls_failure dls_moreau_choose_law(dls_moreau *w)
{
  dls_step_problem *c = w->contacts;
  const dls_system *s = w->point->system;
  dls_moreau_law *law = w->law;
  if (!law || !is_coupled(w)) return DLS_FAILURE_NONE;
  const ptrdiff_t flags = c->count, rows = c->rows;
  w->factored = false;
  if (!dls_step_kkt_factor(w->kkt, 0, 0, 0, NULL)) return DLS_FAILURE_SINGULAR;
  set_bounce(w);
  dls_copy(law->active, c->active, flags);
  dls_copy(c->r_before, c->r, rows);
  set_problem(w);
  const bool solved = dls_step_problem_meet(c, w->w, w->x);
  if (solved) assess(w);
  dls_copy(c->active, law->active, flags);
  dls_copy(c->r, c->r_before, rows);
  if (!dls_step_problem_choose(c)) return DLS_FAILURE_CONTACT;
  for (int j = 0; j < s->m && solved; j++)
    if (takes_part(w, j) && law->newton[part_of(s, j)]) w->bounce[j] = law->bounce[j];
  return DLS_FAILURE_NONE;
}
