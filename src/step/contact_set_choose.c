// Which contacts a step has: those that are found where it begins. The set may have more, so that
// it need not be made anew whenever one comes near or leaves; these are absent.
#include "step/contact_set_internal.h"

#include "base/memory.h"
#include "base/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- identities ---------------------------------------------------------------------------------

static bool have_room(dls_identities *list, ptrdiff_t count)
{
  if (list->id && count <= list->room) return true;
  free(list->id);
  list->room = 2 * count, list->count = 0;
  list->id = dls_alloc(list->room + 1, sizeof *list->id);
  return list->id != NULL;
}

static bool copy(dls_identities *list, int count, const uint64_t *id)
{
  if (!have_room(list, count)) return false;
  dls_copy(list->id, id, count);
  list->count = count;
  return true;
}

static bool has(const dls_identities *list, uint64_t id)
{
  int low = 0, high = list->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (list->id[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low < list->count && list->id[low] == id;
}

static int by_identity(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// ---- the set ------------------------------------------------------------------------------------

// Impulses that nobody has taken up keep a contact in the set.
static bool stays(const dls_integrator *g, int j)
{
  for (int i = j + g->point.first[j]; i <= j + g->point.first[j + 1]; i++)
    if (g->total[i] != 0) return true;
  return false;
}

// Those found, those missed before and those that stay, each once, increasing.
static void merge(const dls_integrator *g)
{
  const dls_contact_set *set = g->set;
  dls_identities *wanted = &g->set->wanted;
  ptrdiff_t length = 0;
  int kept = 0;
  for (int k = 0; k < set->near.count; k++) wanted->id[length++] = set->near.id[k];
  for (int k = 0; k < set->missed.count; k++) wanted->id[length++] = set->missed.id[k];
  for (int j = 0; j < g->m; j++)
    if (g->id[j] != 0 && stays(g, j)) wanted->id[length++] = g->id[j];
  qsort(wanted->id, (size_t)length, sizeof *wanted->id, by_identity);
  for (ptrdiff_t k = 0; k < length; k++)
    if (kept == 0 || wanted->id[kept - 1] != wanted->id[k]) wanted->id[kept++] = wanted->id[k];
  wanted->count = kept;
}

// How many of the listed ones the set has.
static int count_present(const dls_integrator *g, int count, const uint64_t *id)
{
  int present = 0, at = 0;
  for (int j = 0; j < g->m; j++) {
    while (at < count && id[at] < g->id[j]) at++;
    present += at < count && g->id[j] != 0 && id[at] == g->id[j];
  }
  return present;
}

static dls_status select_contacts(dls_integrator *g, int count, const uint64_t *id, bool *changed,
                                  dls_message *message)
{
  const dls_system *s = g->system;
  dls_status status = dls_contact_set_keep(g);
  if (status == DLS_OK) status = s->select(s->self, count, id, message);
  if (status == DLS_OK) status = dls_system_validate(s, message);
  *changed = status == DLS_OK;
  return status;
}

dls_status dls_contact_set_choose(dls_integrator *g, double horizon, bool *changed,
                                  dls_message *message)
{
  enum { SLACK = 16 };  // contacts that may be in the set needlessly, and as many as are needed
  const dls_system *s = g->system;
  dls_contact_set *set = g->set;
  int count = 0;
  const uint64_t *id = NULL;
  *changed = false;
  const dls_status status =
      s->find(s->self, g->t, g->q, g->v, g->options.closed, horizon, &count, &id, message);
  if (status != DLS_OK) return status;
  if (!copy(&set->near, count, id)) return DLS_ERR_MEMORY;
  if (!have_room(&set->wanted, (ptrdiff_t)count + set->missed.count + g->m)) return DLS_ERR_MEMORY;
  set->marks = true;
  merge(g);
  const int wanted = set->wanted.count;
  if (count_present(g, wanted, set->wanted.id) == wanted && g->m <= 2 * wanted + SLACK)
    return DLS_OK;
  return select_contacts(g, wanted, set->wanted.id, changed, message);
}

dls_status dls_contact_set_take(dls_integrator *g, int m, const uint64_t *id, bool *changed,
                                dls_message *message)
{
  const dls_system *s = g->system;
  int bilateral = 0;
  while (bilateral < s->m && s->contacts[bilateral].kind == DLS_BILATERAL) bilateral++;
  bool good = m >= bilateral, same = m == s->m && m == g->m;
  for (int j = 0; good && j < m; j++) {
    good = j < bilateral ? id[j] == 0 : id[j] > (j > bilateral ? id[j - 1] : 0);
    same = same && id[j] == g->id[j] && (id[j] == 0 || id[j] == s->contacts[j].id);
  }
  *changed = false;
  if (!good)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the contacts of the sample are in no order");
  g->set->missed.count = 0;
  if (same) return DLS_OK;
  g->set->marks = false;
  return select_contacts(g, m - bilateral, id + bilateral, changed, message);
}

// ---- absent contacts ----------------------------------------------------------------------------

bool dls_contact_set_mark(dls_integrator *g)
{
  const dls_contact_set *set = g->set;
  bool changed = false;
  for (int j = 0; j < g->m; j++) {
    const bool known = g->id[j] == 0 || has(&set->near, g->id[j]) || has(&set->missed, g->id[j]);
    const bool absent = set->marks && !known;
    changed |= absent != g->point.absent[j];
    g->point.absent[j] = absent;
  }
  return changed;
}

static void leave(dls_integrator *g, int j)
{
  g->point.absent[j] = true;
  g->status[j] = DLS_OPEN;
  for (int i = j + g->point.first[j]; i <= j + g->point.first[j + 1]; i++) g->impulse[i] = 0;
}

dls_status dls_contact_set_settle(dls_integrator *g, dls_message *message)
{
  dls_contact_set *set = g->set;
  bool changed = dls_contact_set_mark(g);
  for (int j = 0; j < g->m; j++)
    if (g->point.absent[j]) leave(g, j);
  if (changed && !dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message))
    return DLS_ERR_NUMBER;
  changed = false;
  for (int j = 0; j < g->m && set->missed.count > 0; j++) {
    if (g->id[j] == 0 || has(&set->near, g->id[j]) || g->point.absent[j]) continue;
    if (g->point.values->h[j] >= -g->options.closed) continue;
    leave(g, j), changed = true;
  }
  set->missed.count = 0;
  return !changed || dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message) ? DLS_OK
                                                                                 : DLS_ERR_NUMBER;
}

// ---- looking ------------------------------------------------------------------------------------

dls_status dls_contact_set_missed(dls_integrator *g, bool *missed, dls_message *message)
{
  const dls_system *s = g->system;
  int count = 0;
  const uint64_t *id = NULL;
  const dls_status status =
      s->find(s->self, g->t, g->q, g->v, -g->options.closed, 0, &count, &id, message);
  *missed = status == DLS_OK && count_present(g, count, id) < count;
  return *missed && !copy(&g->set->missed, count, id) ? DLS_ERR_MEMORY : status;
}

dls_status dls_contact_set_look(dls_integrator *g, double t, const double *q, const double *v,
                                double reach, dls_message *message)
{
  const dls_system *s = g->system;
  int count = 0;
  const uint64_t *id = NULL;
  const dls_status status = s->find(s->self, t, q, v, reach, 0, &count, &id, message);
  if (status != DLS_OK) return status;
  return copy(&g->set->seen, count, id) ? DLS_OK : DLS_ERR_MEMORY;
}

bool dls_contact_set_sees(const dls_integrator *g, int j)
{
  return g->id[j] == 0 || has(&g->set->seen, g->id[j]);
}

bool dls_contact_set_sees_others(const dls_integrator *g)
{
  const dls_identities *seen = &g->set->seen;
  int known = 0;
  for (int j = 0; j < g->m; j++)
    known += g->id[j] != 0 && !g->point.absent[j] && has(seen, g->id[j]);
  return known < seen->count;
}

dls_status dls_contact_set_drop_false(dls_integrator *g, double t, const double *q, const double *v,
                                      dls_message *message)
{
  bool any = false, changed = false;
  for (int j = 0; j < g->m; j++) any |= g->id[j] != 0 && g->point.values->h[j] < -g->options.closed;
  if (!any) return DLS_OK;
  const dls_status status = dls_contact_set_look(g, t, q, v, 0, message);
  if (status != DLS_OK) return status;
  for (int j = 0; j < g->m; j++) {
    if (g->point.values->h[j] >= -g->options.closed || dls_contact_set_sees(g, j)) continue;
    g->point.absent[j] = changed = true;
  }
  return !changed || dls_snapshot_evaluate(&g->point, t, q, v, message) ? DLS_OK : DLS_ERR_NUMBER;
}

// Has the gap of contact j changed in a time h by far more than its rates say?
static bool jumps(const dls_integrator *g, int j, double h, double gap, double rate)
{
  enum { FASTER = 4 };
  const dls_values *x = g->point.values;
  const double way = FASTER * h * fmax(fabs(rate), fabs(x->h_dot[j])) + 16 * g->options.closed;
  return x->h[j] == DLS_FAR_APART || fabs(x->h[j] - gap) > way;
}

dls_status dls_contact_set_drop_jumps(dls_integrator *g, double h, dls_message *message)
{
  enum { LOOKS = 4 };
  const int n = g->system->n, m = g->m;
  double *gap = dls_alloc(2 * (ptrdiff_t)m + 1, sizeof *gap), *rate = gap ? gap + m : NULL;
  if (!gap) return DLS_ERR_MEMORY;
  dls_copy(gap, g->point.values->h, m);
  dls_copy(rate, g->point.values->h_dot, m);
  bool known = true;
  for (int k = 1; k <= LOOKS && known; k++) {
    const double dt = h * k / LOOKS;
    for (int i = 0; i < n; i++) g->q1[i] = g->q[i] + dt * g->v[i];
    known = dls_snapshot_evaluate(&g->point, g->t + dt, g->q1, g->v, message);
    for (int j = 0; j < m && known; j++)
      if (g->id[j] != 0 && !g->point.absent[j] && jumps(g, j, dt, gap[j], rate[j])) leave(g, j);
  }
  free(gap);
  known = dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message) && known;
  return known ? DLS_OK : DLS_ERR_NUMBER;
}
