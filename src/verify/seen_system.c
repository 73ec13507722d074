#include "verify/seen_system_internal.h"

#include "base/message.h"
#include "verify/seen_apart.h"
#include "verify/seen_expand.h"
#include "verify/seen_named.h"

#include <math.h>
#include <stdlib.h>

// ---- what the report names ---------------------------------------------------------------------

static const dls_seen_constraint *constraint_named(const dls_seen_system *s, const char *name)
{
  for (int k = 0; k < s->constraints; k++)
    if (strcmp(s->constraint[k].name, name) == 0) return &s->constraint[k];
  return NULL;
}

// Does the name mean these features? The first ends where the second's part begins.
static bool take_features(dls_seen_system *s, const dls_posture *posture, const dls_seen_name *name,
                          dls_seen_entry *e)
{
  for (int side = 0; side < 2; side++) {
    const char *end =
        side ? name->feature[1] + strlen(name->feature[1]) : strchr(name->feature[0], '/');
    const char *text =
        dls_arena_copy(s->arena, name->feature[side], (size_t)(end - name->feature[side]));
    dls_seen_feature unused;
    if (!text ||
        !dls_seen_feature_named(posture, &s->mechanism.solid[name->solid[side]], text, &unused))
      return false;
    e->solid[side] = name->solid[side], e->feature[side] = text;
  }
  return true;
}

static dls_status take_touch(dls_seen_system *s, const dls_posture *posture,
                             const dls_seen_wanted *wanted, dls_seen_entry *e, dls_message *message)
{
  enum { MOST = 16 };
  dls_seen_name found[MOST];
  const int count = dls_seen_names_of(&s->mechanism, wanted->name, MOST, found);
  int good = 0;
  for (int k = 0; k < count; k++) {
    dls_seen_entry tried = *e;
    if (take_features(s, posture, &found[k], &tried) && good++ == 0) *e = tried;
  }
  if (good != 1)
    return dls_fail(message, DLS_ERR_STATE, "contact `%.120s` of the report %s", wanted->name,
                    good ? "may be several of the model" : "is none of the model");
  e->rule = dls_seen_rule_of(s->given, e->solid[0], e->solid[1]);
  if (!e->rule.meet)
    return dls_fail(message, DLS_ERR_STATE,
                    "contact `%.120s` of the report is between solids that pass through one "
                    "another",
                    wanted->name);
  dls_copy(e->near, wanted->normal, 3);
  if (wanted->directed) return DLS_OK;
  const dls_seen_solid a = dls_seen_solid_of(posture, &s->mechanism.solid[e->solid[0]]);
  const dls_seen_solid b = dls_seen_solid_of(posture, &s->mechanism.solid[e->solid[1]]);
  dls_seen_direction(&a, &b, e->near);
  return DLS_OK;
}

static int text_contact_named(const dls_seen_system *s, const char *name)
{
  const dls_system *whole = s->text ? s->text->whole : NULL;
  for (int j = 0; whole && j < whole->m; j++)
    if (strcmp(whole->contacts[j].name, name) == 0) return j;
  return -1;
}

static dls_contact_info info_of(const dls_seen_system *s, const dls_seen_entry *e)
{
  if (e->of_text >= 0) return s->text->whole->contacts[e->of_text];
  const dls_seen_constraint *c = e->constraint;
  if (!c)
    return (dls_contact_info){
        .name = e->name, .kind = DLS_UNILATERAL, .tangents = e->rule.friction > 0 ? 2 : 0};
  const bool dry = c->law == DLS_SEEN_DRY, bilateral = dry || c->law == DLS_SEEN_ROW;
  return (dls_contact_info){.name = e->name,
                            .kind = bilateral ? DLS_BILATERAL : DLS_UNILATERAL,
                            .tangents = dry,
                            .bounded = dry,
                            .dry = dry};
}

static bool named_before(const dls_seen_system *s, int j)
{
  for (int k = 0; k < j; k++)
    if (strcmp(s->entry[k].name, s->entry[j].name) == 0) return true;
  return false;
}

static dls_status take_contacts(dls_seen_system *s, const dls_seen_source *source,
                                dls_message *message)
{
  dls_posture posture;
  dls_system *view = &s->view;
  if (!dls_seen_pose(s, NULL, s->v, 0, &posture)) return DLS_ERR_MEMORY;
  view->m = source->m;
  dls_status status = DLS_OK;
  for (int j = 0; j < source->m && status == DLS_OK; j++) {
    dls_seen_entry *e = &s->entry[j];
    e->name = source->contact[j].name;
    e->wanted = &source->contact[j];
    e->constraint = constraint_named(s, e->name);
    if (named_before(s, j))
      return dls_fail(message, DLS_ERR_STATE, "the report names contact `%.120s` twice", e->name);
    e->of_text = -1;
    if (!e->constraint && !strchr(e->name, '/')) e->of_text = text_contact_named(s, e->name);
    if (!e->constraint && e->of_text < 0)
      status = take_touch(s, &posture, &source->contact[j], e, message);
    s->info[j] = info_of(s, e);
    view->tangents += s->info[j].tangents;
  }
  return status;
}

// ---- patterns ----------------------------------------------------------------------------------

// The velocities that move a body change sides in mark: those that move both of two are in neither.
static void mark_body(const dls_seen_system *s, int body, unsigned char *mark)
{
  for (; body != DLS_WORLD; body = s->plan.parent[body])
    for (int k = s->plan.first[body]; k < s->plan.first[body + 1]; k++) mark[k] ^= 1;
}

static void mark_joint(const dls_seen_system *s, int j, unsigned char *mark, unsigned char *own)
{
  const int n = s->plan.n, k = s->plan.joint_v[j];
  if (k >= 0) {
    mark[k] = 1;
    return;
  }
  const int body = s->mechanism.joint[j].body;
  dls_clear(own, n);
  mark_body(s, body, own);
  mark_body(s, s->mechanism.body[body].parent, own);
  for (int i = 0; i < n; i++) mark[i] |= own[i];
}

static void mark_constraint(const dls_seen_system *s, const dls_seen_constraint *c,
                            unsigned char *mark, unsigned char *own)
{
  const dls_mechanism *m = &s->mechanism;
  if (c->velocity >= 0) {
    mark[s->plan.joint_v[c->of] + c->velocity] = 1;
  } else if (c->part == DLS_SEEN_JOINT) {
    mark_joint(s, c->of, mark, own);
  } else if (c->part == DLS_SEEN_CLOSURE) {
    for (int side = 0; side < 2; side++) mark_body(s, m->closure[c->of].body[side], mark);
  } else if (c->part == DLS_SEEN_COUPLING) {
    for (int k = 0; k < 2; k++)
      if (m->closure[c->of].joint[k] >= 0) mark_joint(s, m->closure[c->of].joint[k], mark, own);
  } else {
    for (int k = 0; k < m->tendon[c->of].terms; k++)
      mark_joint(s, m->tendon[c->of].joint[k], mark, own);
  }
}

typedef struct columns {
  int *p, *i, count;
} columns;

static void add_column(columns *c, int n, const unsigned char *mark)
{
  int end = c->p[c->count];
  for (int k = 0; k < n; k++)
    if (mark && mark[k]) c->i[end++] = k;
  c->p[++c->count] = end;
}

// A column of the text, as it is there.
static void mark_text(const dls_pattern *P, int column, unsigned char *mark)
{
  for (int e = P->p[column]; e < P->p[column + 1]; e++) mark[P->i[e]] = 1;
}

static bool make_columns(dls_seen_system *s, int cols, columns *c)
{
  const ptrdiff_t entries = (ptrdiff_t)cols * s->n;
  if (entries > INT32_MAX) return false;
  c->p = dls_arena_alloc(s->arena, (ptrdiff_t)cols + 1, sizeof(int));
  c->i = dls_arena_alloc(s->arena, entries, sizeof(int));
  return c->p && c->i;
}

static void mark_text_slips(const dls_seen_system *s, int contact, unsigned char *mark)
{
  const dls_system *whole = s->text->whole;
  int first = 0;
  for (int j = 0; j < contact; j++) first += whole->contacts[j].tangents;
  for (int k = 0; k < whole->contacts[contact].tangents; k++)
    mark_text(&whole->tangent, first + k, mark);
}

static void add_entry(dls_seen_system *s, int j, columns *normal, columns *tangent,
                      unsigned char *mark, unsigned char *own)
{
  const dls_seen_entry *e = &s->entry[j];
  const int n = s->n;
  dls_clear(mark, n);
  if (e->of_text >= 0) mark_text(&s->text->whole->normal, e->of_text, mark);
  else if (e->constraint) mark_constraint(s, e->constraint, mark, own);
  else
    for (int side = 0; side < 2; side++)
      mark_body(s, s->mechanism.solid[e->solid[side]].body, mark);
  add_column(normal, n, s->info[j].dry ? NULL : mark);
  if (e->of_text >= 0) mark_text_slips(s, e->of_text, mark);
  for (int k = 0; k < s->info[j].tangents; k++) add_column(tangent, n, mark);
}

static bool make_patterns(dls_seen_system *s)
{
  dls_system *view = &s->view;
  const int n = s->n;
  columns mass = {0}, normal = {0}, tangent = {0};
  unsigned char *mark = dls_arena_alloc(s->arena, n, 1), *own = dls_arena_alloc(s->arena, n, 1);
  if (!mark || !own || !make_columns(s, n, &mass) || !make_columns(s, view->m, &normal) ||
      !make_columns(s, view->tangents, &tangent))
    return false;
  memset(mark, 1, (size_t)n);
  for (int k = 0; k < n; k++) add_column(&mass, n, mark);
  for (int j = 0; j < view->m; j++) add_entry(s, j, &normal, &tangent, mark, own);
  view->mass = (dls_pattern){n, n, mass.p, mass.i};
  view->normal = (dls_pattern){n, view->m, normal.p, normal.i};
  view->tangent = (dls_pattern){n, view->tangents, tangent.p, tangent.i};
  return true;
}

// ---- made and freed ----------------------------------------------------------------------------

// Coordinates of the text come behind those of the bodies.
static bool fits(const dls_seen_system *s, const dls_seen_source *source)
{
  const int own = source->whole ? source->whole->n - source->bodies->n : 0;
  return s->plan.n + own == source->n && s->plan.nq + own == source->nq;
}

static dls_status plan(dls_seen_system *s, const dls_seen_source *source, dls_coordinates_kind kind,
                       dls_message *message)
{
  s->mechanism = *source->mechanism;
  if (kind == DLS_MAXIMAL && !dls_seen_expand(source->mechanism, s->arena, &s->mechanism))
    return DLS_ERR_MEMORY;
  return dls_posture_plan_create(&s->mechanism, kind, s->arena, &s->plan, message);
}

static dls_status make(dls_seen_system *s, const dls_seen_source *source, dls_message *message)
{
  s->arena = dls_arena_create();
  if (!s->arena) return DLS_ERR_MEMORY;
  s->given = source->mechanism, s->q = source->q, s->v = source->v;
  // in the coordinates of which the report has as many
  dls_status status = plan(s, source, DLS_REDUCED, message);
  if (status == DLS_OK && !fits(s, source)) status = plan(s, source, DLS_MAXIMAL, message);
  if (status != DLS_OK) return status;
  if (!fits(s, source))
    return dls_fail(message, DLS_ERR_STATE,
                    "%d coordinates and %d velocities are not those of the bodies", source->nq,
                    source->n);
  status = dls_seen_constraints(&s->mechanism, &s->plan, s->arena, &s->constraints, &s->constraint);
  s->entry = dls_arena_alloc(s->arena, source->m, sizeof *s->entry);
  s->info = dls_arena_alloc(s->arena, source->m, sizeof *s->info);
  if (status != DLS_OK || !s->entry || !s->info) return DLS_ERR_MEMORY;
  s->n = source->n, s->t = source->t;
  if (source->whole) status = dls_seen_text_create(source, s->arena, &s->text, message);
  if (status != DLS_OK) return status;
  s->view = (dls_system){.n = s->n,
                         .coordinates = source->velocities,
                         .contacts = s->info,
                         .self = s,
                         .evaluate = dls_seen_evaluate,
                         .poisson = source->whole && source->whole->poisson};
  dls_pool_init(&s->pool, dls_posture_bits(&s->plan));
  s->pooled = true;
  status = take_contacts(s, source, message);
  if (status == DLS_OK && !make_patterns(s)) return DLS_ERR_MEMORY;
  return status;
}

dls_status dls_seen_system_create(const dls_seen_source *source, dls_seen_system **out,
                                  dls_message *message)
{
  // the caller frees what *out points to even when this is left without returning
  *out = dls_alloc(1, sizeof **out);
  return *out ? make(*out, source, message) : DLS_ERR_MEMORY;
}

void dls_seen_system_clear(dls_seen_system *s)
{
  if (s && s->pooled) dls_pool_clear(&s->pool);
  if (s) s->pooled = false;
}

void dls_seen_system_free(dls_seen_system *s)
{
  if (!s) return;
  dls_arena_free(s->scratch);
  dls_arena_free(s->arena);
  free(s);
}

const dls_system *dls_seen_system_view(const dls_seen_system *s)
{
  return &s->view;
}
