#include "step/jamming_internal.h"

#include "base/memory.h"
#include "step/mobility.h"
#include "step/tolerances.h"
#include "step/uniqueness.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 3 };

static const double SLOW = 4;         // times what the load does to a rate within the step
static const double HARMLESS = 0.75;  // of the effect without friction: not looked at more closely

static double *age(const dls_integrator *g, int i)  // since it pressed; negative: it is open
{
  return g->scheme_state + g->jamming->place + DLS_LOSS_NUMBERS + 3 * i;
}

static double *flight(const dls_integrator *g, int i)
{
  return age(g, i) + 1;
}

static double *kick(const dls_integrator *g, int i)  // the length of the step that it pressed in
{
  return age(g, i) + 2;
}

static double slip_of(const dls_integrator *g, int j)
{
  double slip = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
    slip = hypot(slip, g->point.values->slip[k]);
  return slip;
}

static bool slides(const dls_integrator *g, int i)
{
  const int j = g->moreau->contacts->contact[i];
  return g->point.first[j + 1] > g->point.first[j] && dls_snapshot_rubs(&g->point, j) &&
         !g->moreau->fast[j] && slip_of(g, j) > g->options.rest;
}

// The direction in which contact i slides at the end of the step, or slid before it was stopped or
// turned round there. False: it did not slide.
static bool direction(const dls_integrator *g, int i, double *along)
{
  const int j = g->moreau->contacts->contact[i], first = g->point.first[j];
  const double *begin = g->jamming->xi, size = slip_of(g, j);
  double dot = 0, slid = 0;
  for (int k = first; k < g->point.first[j + 1]; k++)
    dot += begin[k] * g->point.values->slip[k], slid += fabs(begin[k]);
  const bool goes_on = slides(g, i) && (dot > 0 || slid == 0);
  for (int k = first; k < g->point.first[j + 1]; k++)
    along[k - first] = goes_on ? g->point.values->slip[k] / size : begin[k];
  return goes_on || slid > 0;
}

// --- which contacts are closed ---

// The size of the acceleration that the applied forces give the gap of contact j.
static double load(const dls_integrator *g, int j)
{
  const dls_pattern *G = &g->system->normal;
  const dls_values *x = g->point.values;
  double sum = fabs(x->b_n[j]);
  for (int e = G->p[j]; e < G->p[j + 1]; e++)
    sum += fabs(x->G[e] * x->F[G->i[e]]) * g->jamming->mobility[G->i[e]];
  return sum;
}

// The acceleration of the gap of contact j without its force is clearly negative. The KKT system
// has the factors of M afterwards.
static bool pushed_down(dls_integrator *g, int j)
{
  dls_moreau *m = g->moreau;
  const dls_values *x = g->point.values;
  int held;
  const int *contact = dls_step_kkt_held(m->kkt, &held);
  m->factored = false;
  if (!dls_step_kkt_factor(m->kkt, 0, 0, 0, NULL)) return false;
  for (int i = 0; i < g->system->n; i++) m->x[i] = -x->F[i];
  for (int k = 0; k < held; k++) m->x[g->system->n + k] = -x->b_n[contact[k]];
  dls_step_kkt_solve(m->kkt, m->x);
  return dls_snapshot_Jt_times(&g->point, j, 0, m->x) + x->b_n[j] < -clearly_down * load(g, j);
}

// A contact that is off moves no faster than the load makes it within a step, and comes back, or it
// has not been off for longer than before.
static void note_press(dls_integrator *g, int i, double h)
{
  const int j = g->moreau->contacts->contact[i];
  double *since = age(g, i), *longest = flight(g, i);
  if (g->point.absent[j]) *since = -1, *longest = 0;
  const bool pressed = g->impulse[j + g->point.first[j]] != 0;
  if (!pressed && *since < 0) return;
  if (pressed) *kick(g, i) = h;
  const double longer = fmax(h, *kick(g, i));  // steps that are chosen may be shorter now
  const double slow = g->options.rest + SLOW * longer * load(g, j);
  const bool stays = fabs(g->point.values->h_dot[j]) <= slow;
  if (pressed) {
    const bool went_on = *since >= 0 && g->jamming->rate[j] >= -slow;
    *longest = went_on ? fmax(*longest, *since) : 0;
    *since = stays ? 0 : -1;
    return;
  }
  *since += h;
  if (stays && (*since <= STEPS * longer + 2 * *longest || pushed_down(g, j))) return;
  *since = -1, *longest = 0;
}

static bool closed(const dls_integrator *g, int i)
{
  const int j = g->moreau->contacts->contact[i];
  return g->moreau->bilateral[j] || (*age(g, i) >= 0 && !g->point.absent[j]);
}

// At the begin or the end of the step: it may have been thrown off by its own force.
static bool counts(const dls_integrator *g, int i)
{
  return g->jamming->was_closed[i] || closed(g, i);
}

// --- groups ---

static int by_number(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

// Contacts that are closed and share a component with contact i, in order, to the group. False: too
// many.
static bool add_neighbours(dls_jamming *w, const dls_step_problem *c, int i)
{
  const int begin = w->members;
  for (int e = c->component_first[i]; e < c->component_first[i + 1]; e++)
    for (int l = w->first[c->component[e]]; l < w->first[c->component[e] + 1]; l++) {
      const int other = w->bucket[l];
      if (w->seen[other]) continue;
      if (w->members == DLS_JAMMING_ROWS) return false;
      w->seen[other] = true;
      w->group[w->members++] = other;
    }
  qsort(w->group + begin, (size_t)(w->members - begin), sizeof(int), by_number);
  return true;
}

// Contacts that are closed and act on contact i, directly or not. False: too many.
static bool gather(dls_integrator *g, int i)
{
  dls_jamming *w = g->jamming;
  const dls_step_problem *c = g->moreau->contacts;
  bool few = true;
  w->group[0] = i, w->members = 1, w->seen[i] = true;
  for (int k = 0; k < w->members && few; k++) few = add_neighbours(w, c, w->group[k]);
  for (int k = 0; k < w->members; k++) w->seen[w->group[k]] = false;
  w->rows = 0;
  for (int k = 0; k < w->members && few; k++) {
    const int j = c->contact[w->group[k]], tangents = dls_step_problem_tangents(c, w->group[k]);
    w->sliding[k] = direction(g, w->group[k], w->along + 2 * k);
    w->side[k] = c->r[w->group[k] * c->dimension] < 0 ? -1 : 1;
    w->row[k] = w->rows;
    w->rows += 1 + (dls_snapshot_rubs(&g->point, j) ? tangents : 0);
    few = w->rows <= DLS_JAMMING_ROWS && dls_step_kkt_stiffness(g->moreau->kkt, j) == 0;
  }
  w->row[w->members] = w->rows;
  return few;
}

// --- the verdict ---

// start: a state without accelerations is left to the first step, whose contact problem says more
// when it has no solution either.
static void note(dls_integrator *g, bool start)
{
  dls_jamming *w = g->jamming;
  const int k = dls_jamming_max_doubtful(g), i = w->group[k], j = g->moreau->contacts->contact[i];
  const bool steadily = g->moreau->bilateral[j] || (*age(g, i) == 0 && *flight(g, i) == 0);
  const bool none = w->members == 1 && steadily && !g->moreau->bilateral[j] && pushed_down(g, j);
  if (start && none) return;
  dls_note_loss(g, g->t, j, none ? DLS_INCONSISTENT : DLS_PAINLEVE);
  dls_loss_keep(g, g->scheme_state + w->place);
}

// Looks at contact i, which slides, and all that it acts on.
static void look(dls_integrator *g, int i, bool start)
{
  dls_moreau *m = g->moreau;
  if (!gather(g, i)) return;
  if (dls_jamming_take_blocks(g) && dls_jamming_effect(g) > HARMLESS) return;
  m->factored = false;
  if (!dls_step_kkt_factor(m->kkt, 0, 0, 0, NULL)) return;
  dls_jamming_make_blocks(g);
  if (dls_jamming_effect(g) < -jam_rounding) note(g, start);
}

static void look_at_all(dls_integrator *g, bool start)
{
  dls_jamming *w = g->jamming;
  const dls_step_problem *c = g->moreau->contacts;
  double along[2];
  int count = 0;
  bool sorted = false;
  for (int i = 0; i < c->count; i++)
    if (counts(g, i)) w->list[count++] = i;
  for (int k = 0; k < count && !dls_loss_ends(g); k++) {
    if (!direction(g, w->list[k], along)) continue;
    if (!sorted) dls_step_problem_bucket(c, count, w->list, w->first, w->bucket);
    sorted = true;
    look(g, w->list[k], start);
  }
}

static void set_mobilities(const dls_integrator *g)
{
  const dls_jamming *w = g->jamming;
  dls_mobility_set(&g->point, w->diagonal, w->mobility, w->most, w->bounded);
}

// What a jump is told from.
static void note_begin(const dls_integrator *g)
{
  dls_jamming *w = g->jamming;
  set_mobilities(g);
  w->force = dls_uniqueness_force(&g->point, w->mobility);
  dls_copy(w->v, g->v, g->system->n);
  dls_copy(w->slip, g->point.values->slip, g->system->tangents);
}

// Steps that are chosen become so short that det A is lost in rounding: the jump shows it.
static void look_for_jump(dls_integrator *g, double h)
{
  const dls_jamming *w = g->jamming;
  const dls_jump jump = {&g->point, w->mobility, w->v,     g->v, g->impulse,
                         w->rate,   w->slip,     w->force, h,    g->options.rest};
  if (dls_loss_ends(g) || !g->scheme->info.adaptive) return;
  const int contact = dls_uniqueness_jump(&jump);
  if (contact < 0) return;
  dls_note_loss(g, g->t, contact, DLS_INCONSISTENT);
  dls_loss_keep(g, g->scheme_state + w->place);
}

// --- redundant contacts ---

// Does the motion depend on how they share the load? h: of the step that the impulses are of; 0:
// there was none.
static void look_for_sharing(dls_integrator *g, double h)
{
  dls_sharing *s = g->jamming->sharing;
  const dls_values *x = g->point.values;
  if (dls_loss_ends(g)) return;
  for (int j = 0; j < g->system->m; j++) {
    const int i = g->moreau->contacts->of[j], first = g->point.first[j];
    const double *impulse = g->impulse + j + first, slip = slip_of(g, j);
    const bool still = x->h[j] <= g->options.closed && fabs(x->h_dot[j]) <= g->options.rest;
    const bool touches =
        i < 0 || g->moreau->bilateral[j] || (*age(g, i) >= 0 && (impulse[0] != 0 || still));
    const bool moves = i < 0 || slides(g, i);
    s->kind[j] = !touches ? DLS_OPEN : moves ? DLS_SLIDING : DLS_STICKING;
    s->lambda[j] = h > 0 ? impulse[0] / h : 0;
    for (int k = first; k < g->point.first[j + 1]; k++) {
      s->tau[k] = h > 0 ? impulse[1 + k - first] / h : 0;
      s->xi[k] = moves && slip > 0 ? x->slip[k] / slip : 0;
    }
  }
  bool bounded = false;
  const int contact = dls_sharing_open(s, &g->point, &bounded);
  if (contact < 0) return;
  dls_note_sharing(g, g->t, contact, bounded);
  dls_loss_keep(g, g->scheme_state + g->jamming->place);
}

void dls_jamming_before(dls_integrator *g)
{
  dls_jamming *w = g->jamming;
  if (!w || dls_loss_ends(g)) return;
  const dls_step_problem *c = g->moreau->contacts;
  if (g->scheme->info.adaptive) note_begin(g);
  dls_copy(w->rate, g->point.values->h_dot, g->system->m);
  for (int i = 0; i < c->count; i++) {
    const int j = c->contact[i];
    w->was_closed[i] = closed(g, i);
    const double slip = w->was_closed[i] && slides(g, i) ? slip_of(g, j) : 0;
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
      w->xi[k] = slip > 0 ? g->point.values->slip[k] / slip : 0;
  }
}

void dls_jamming_after(dls_integrator *g, double h)
{
  if (!g->jamming || dls_loss_ends(g)) return;
  set_mobilities(g);
  for (int i = 0; i < g->moreau->contacts->count; i++) note_press(g, i, h);
  look_at_all(g, false);
  look_for_jump(g, h);
  look_for_sharing(g, h);
}

void dls_jamming_restart(dls_integrator *g)
{
  if (g->jamming) dls_loss_recall(g, g->scheme_state + g->jamming->place);
}

static bool take_memory(dls_integrator *g)
{
  const ptrdiff_t n = g->system->n, m = g->system->m;
  const ptrdiff_t tangents = g->system->tangents;
  const dls_step_problem *c = g->moreau->contacts;
  dls_jamming *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  const ptrdiff_t more = DLS_LOSS_NUMBERS + 3 * (ptrdiff_t)c->count, before = g->scheme_state_size;
  double *memory = dls_arena_alloc(g->arena, before + more, sizeof(double));
  if (!w || !memory) return false;
  w->sharing = dls_sharing_create(&g->point, g->arena);
  if (!w->sharing) return false;
  w->rate = dls_arena_alloc(g->arena, m + 2 * tangents + 4 * n + 1, sizeof(double));
  w->diagonal = dls_arena_alloc(g->arena, n + 1, sizeof(int));
  w->x =
      dls_arena_alloc(g->arena, (ptrdiff_t)dls_step_kkt_size(g->moreau->kkt) + 1, sizeof(double));
  w->seen = dls_arena_alloc(g->arena, 2 * (ptrdiff_t)c->count + n + 1, sizeof(bool));
  const ptrdiff_t components = dls_step_kkt_size(g->moreau->kkt);
  w->list = dls_arena_alloc(g->arena, (ptrdiff_t)c->count + 1, sizeof(int));
  w->first = dls_arena_alloc(g->arena, components + 2, sizeof(int));
  w->bucket = dls_arena_alloc(g->arena, (ptrdiff_t)c->component_first[c->count] + 1, sizeof(int));
  if (!w->rate || !w->diagonal || !w->x || !w->seen || !w->list || !w->first || !w->bucket)
    return false;
  w->xi = w->rate + m, w->slip = w->xi + tangents, w->v = w->slip + tangents,
  w->mobility = w->v + n;
  w->most = w->mobility + n;
  w->was_closed = w->seen + c->count, w->bounded = w->was_closed + c->count;
  if (before > 0) dls_copy(memory, g->scheme_state, before);
  w->place = g->scheme_state_size;
  g->scheme_state = memory;
  dls_remember(g, DLS_MEMORY_WHOLE, DLS_LOSS_NUMBERS);
  dls_remember(g, DLS_MEMORY_LAW, 3);
  g->jamming = w;
  return true;
}

dls_status dls_jamming_create(dls_integrator *g)
{
  const dls_step_problem *c = g->moreau->contacts;
  if (g->scheme->info.events || g->system->tangents == 0) return DLS_OK;
  if (!take_memory(g)) return DLS_ERR_MEMORY;
  dls_snapshot_diagonal(&g->point, g->jamming->diagonal);
  set_mobilities(g);
  for (int i = 0; i < c->count; i++) {
    const unsigned char status = g->status[c->contact[i]];
    *age(g, i) = status == DLS_SLIDING || status == DLS_STICKING ? 0 : -1;
  }
  look_at_all(g, true);
  look_for_sharing(g, 0);
  return DLS_OK;
}
