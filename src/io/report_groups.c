#include "io/report_groups.h"

#include "base/memory.h"
#include "io/report_parts.h"

#include <delassus/mechanism.h>
#include <delassus/model.h>

#include <math.h>
#include <stdlib.h>

// ---- which contacts are together ----------------------------------------------------------------

typedef struct member {
  int contact, body[2];
  bool alone;
} member;

static int by_bodies(const void *x, const void *y)
{
  const member *a = x, *b = y;
  if (a->alone != b->alone) return a->alone - b->alone;
  for (int side = 0; side < 2 && !a->alone; side++)
    if (a->body[side] != b->body[side]) return a->body[side] < b->body[side] ? -1 : 1;
  return a->contact - b->contact;
}

static bool together(const member *a, const member *b)
{
  return !a->alone && !b->alone && a->body[0] == b->body[0] && a->body[1] == b->body[1];
}

static dls_status find_members(const dls_report *r, member *all)
{
  const dls_contact_state *s = r->contact_state;
  const dls_system *bodies = r->system ? dls_model_bodies(r->system) : NULL;
  for (int i = 0; i < s->m; i++) {
    all[i] = (member){.contact = i, .alone = true};
    const dls_contact *c = &s->contacts[i];
    if (!bodies || c->kind != DLS_UNILATERAL || c->dry) continue;
    dls_solid_contact touch;
    const dls_status status = dls_mechanism_contacts(bodies, s->q, 1, &c->id, &touch);
    if (status == DLS_ERR_MEMORY) return status;
    if (status == DLS_ERR_ARGUMENT) continue;
    all[i].alone = false, all[i].body[0] = touch.body[0], all[i].body[1] = touch.body[1];
  }
  qsort(all, (size_t)s->m, sizeof *all, by_bodies);
  return DLS_OK;
}

// ---- what they do -------------------------------------------------------------------------------

static void add_contact(dls_report_group *g, const dls_contact *c)
{
  g->count[c->status]++, g->contacts++;
  g->gap = fmin(g->gap, c->gap);
  g->slip = fmax(g->slip, hypot(c->tangents ? c->slip[0] : 0, c->tangents == 2 ? c->slip[1] : 0));
  g->friction[0] = fmin(g->friction[0], c->friction);
  g->friction[1] = fmax(g->friction[1], c->friction);
}

// How much a group matters: the lower, the more.
static int rank(const dls_report_group *g)
{
  static const dls_contact_status order[] = {DLS_IMPACTING, DLS_SLIDING, DLS_STICKING,
                                             DLS_SEPARATING};
  for (int k = 0; k < 4; k++)
    if (g->count[order[k]] > 0) return k;
  return 4;
}

static int by_weight(const void *x, const void *y)
{
  const dls_report_group *a = x, *b = y;
  if (rank(a) != rank(b)) return rank(a) - rank(b);
  if (rank(a) < 3 && a->force != b->force) return a->force > b->force ? -1 : 1;
  if (rank(a) >= 3 && a->gap != b->gap) return a->gap < b->gap ? -1 : 1;
  return a->first - b->first;
}

static void add_forces(const dls_report *r, const int *of, dls_report_groups *groups)
{
  const dls_check *c = r->check;
  const dls_contact_state *s = r->contact_state;
  if (!c->solution || c->solutions == 0) return;
  const int count = dls_report_force_count(r);
  for (int i = 0; i < count; i++) {
    const dls_contact *contact = dls_report_contact(r, i);
    if (!contact) continue;
    const dls_report_force f = dls_report_force_at(r, c->solution, i);
    dls_report_group *g = &groups->group[of[contact - s->contacts]];
    g->closed++, g->loose |= f.loose;
    if (!f.dry) g->force += f.normal;
  }
}

// of: out, the group of each contact
static void gather(const dls_report *r, const member *all, int *of, dls_report_groups *groups)
{
  const dls_contact_state *s = r->contact_state;
  for (int i = 0; i < s->m; i++) {
    if (i == 0 || !together(&all[i - 1], &all[i]))
      groups->group[groups->count++] = (dls_report_group){
          .body = {all[i].body[0], all[i].body[1]},
          .first = all[i].contact,
          .gap = INFINITY,
          .friction = {INFINITY, 0},
      };
    add_contact(&groups->group[groups->count - 1], &s->contacts[all[i].contact]);
    of[all[i].contact] = groups->count - 1;
  }
}

dls_status dls_report_groups_make(const dls_report *r, dls_report_groups *groups, bool *some)
{
  const int m = r->contact_state->m;
  member *all = dls_alloc(m, sizeof *all);
  int *of = dls_alloc(m, sizeof *of);
  *groups = (dls_report_groups){.group = dls_alloc(m, sizeof *groups->group)};
  dls_status status = all && of && groups->group ? find_members(r, all) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    gather(r, all, of, groups);
    add_forces(r, of, groups);
    qsort(groups->group, (size_t)groups->count, sizeof *groups->group, by_weight);
  }
  *some = groups->count < m;
  free(all);
  free(of);
  return status;
}

void dls_report_groups_free(dls_report_groups *groups)
{
  free(groups->group);
}

// ---- words --------------------------------------------------------------------------------------

void dls_report_group_name(const dls_report *r, const dls_report_group *g, dls_text *name)
{
  if (g->contacts == 1) {
    const char *own = r->contact_state->contacts[g->first].name;
    dls_text_add(name, "%s", own ? own : "");
    return;
  }
  const dls_mechanism *m = dls_model_mechanism(r->system);
  for (int side = 0; side < 2; side++)
    dls_text_add(name, "%s%s", side ? "/" : "",
                 g->body[side] < 0 ? "world" : m->body[g->body[side]].name);
}

void dls_report_group_words(const dls_report_group *g, dls_text *words)
{
  static const struct {
    dls_contact_status status;
    const char *words;
  } of[] = {{DLS_IMPACTING, "impacting"},
            {DLS_SLIDING, "slipping"},
            {DLS_STICKING, "closed"},
            {DLS_SEPARATING, "separating"},
            {DLS_OPEN, "open"}};
  dls_text_add(words, "%d contacts:", g->contacts);
  const char *before = " ";
  for (int k = 0; k < (int)(sizeof of / sizeof *of); k++) {
    if (g->count[of[k].status] == 0) continue;
    if (g->count[of[k].status] == g->contacts) dls_text_add(words, " %s", of[k].words);
    else dls_text_add(words, "%s%d %s", before, g->count[of[k].status], of[k].words);
    before = ", ";
  }
  if (g->count[DLS_SLIDING]) dls_text_add(words, " at up to %s", dls_number(g->slip).text);
  if (g->count[DLS_OPEN] == g->contacts) dls_text_add(words, ", gap %s", dls_number(g->gap).text);
  if (!(g->friction[1] > 0)) return;
  dls_text_add(words, ", friction %s", dls_number(g->friction[0]).text);
  if (g->friction[0] != g->friction[1])
    dls_text_add(words, " to %s", dls_number(g->friction[1]).text);
}
