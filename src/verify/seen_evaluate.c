// M, F and the rows of all contacts at a state; errors by changing the data in their last digits.
#include "verify/seen_system_internal.h"

#include "base/message.h"
#include "verify/intervals.h"
#include "verify/rebuild.h"
#include "verify/seen_named.h"

#include <float.h>
#include <math.h>

bool dls_seen_pose(dls_seen_system *s, const double *x, const double *v, uint64_t shaken,
                   dls_posture *posture)
{
  enum { KEPT = 1 };  // the zero
  dls_arena_free(s->scratch);
  s->scratch = dls_arena_create();
  if (!s->scratch) return false;
  dls_pool_release(&s->pool, KEPT);
  s->pool.shaken = shaken;
  bool moved = false;
  for (int k = 0; x && k < s->plan.n; k++) moved |= x[k] != 0;
  return dls_posture_create(&s->plan, s->q, moved ? x : NULL, v, &s->pool, s->scratch, posture);
}

bool dls_seen_meet(const dls_seen_system *s, const dls_posture *posture, const dls_seen_entry *e,
                   dls_seen_feature feature[2], dls_seen_touch *touch)
{
  for (int side = 0; side < 2; side++)
    if (!dls_seen_feature_named(posture, &s->mechanism.solid[e->solid[side]], e->feature[side],
                                &feature[side]))
      return false;
  return dls_seen_touch_find(posture->pool, &feature[0], &feature[1], e->near, touch);
}

// ---- one evaluation ----------------------------------------------------------------------------

typedef struct writing {
  dls_seen_system *system;
  const dls_posture *posture;
  const dls_values *to;
} writing;

static void write_gradient(const dls_pattern *pattern, int column, mpfi_ptr const *gradient,
                           double *to)
{
  for (int e = pattern->p[column]; e < pattern->p[column + 1]; e++)
    to[e] = dls_middle(gradient[pattern->i[e]]);
}

static void write_normal(const writing *w, int j, const dls_gauge *g)
{
  const dls_values *to = w->to;
  to->h[j] = dls_middle(g->y.d[0]), to->h_dot[j] = dls_middle(g->y.d[1]);
  to->b_n[j] = dls_middle(g->y.d[2]);
  write_gradient(&w->system->view.normal, j, g->gradient, to->G);
}

static void write_slip(const writing *w, int slip, const dls_gauge *g)
{
  w->to->slip[slip] = dls_middle(g->y.d[1]), w->to->b_t[slip] = dls_middle(g->y.d[2]);
  write_gradient(&w->system->view.tangent, slip, g->gradient, w->to->H);
}

static dls_status write_touch(const writing *w, int j, int slip, dls_message *message)
{
  dls_seen_system *s = w->system;
  const dls_seen_entry *e = &s->entry[j];
  dls_seen_feature feature[2];
  dls_seen_touch touch;
  dls_seen_rows rows;
  const int body[2] = {s->mechanism.solid[e->solid[0]].body, s->mechanism.solid[e->solid[1]].body};
  if (!dls_seen_meet(s, w->posture, e, feature, &touch))
    return dls_fail(message, DLS_ERR_NUMBER,
                    "the features of contact `%.120s` have no common normal", e->name);
  if (!dls_seen_rows_of(w->posture, body, feature, &touch, s->scratch, &rows))
    return DLS_ERR_MEMORY;
  write_normal(w, j, &rows.normal);
  for (int k = 0; k < s->info[j].tangents; k++) write_slip(w, slip + k, &rows.slip[k]);
  w->to->friction[j] = e->rule.friction, w->to->restitution[j] = e->rule.restitution;
  return DLS_OK;
}

static dls_status write_constraint(const writing *w, int j, int slip)
{
  const dls_seen_constraint *c = w->system->entry[j].constraint;
  dls_gauge g;
  if (!dls_seen_constraint_gauge(w->posture, c, w->system->scratch, &g)) return DLS_ERR_MEMORY;
  if (c->law == DLS_SEEN_DRY) {
    w->to->h[j] = w->to->h_dot[j] = w->to->b_n[j] = 0;
    write_slip(w, slip, &g);
  } else {
    write_normal(w, j, &g);
  }
  w->to->friction[j] = 0, w->to->restitution[j] = c->restitution;
  w->to->friction_force[j] = c->force;
  return DLS_OK;
}

static dls_status write_bodies(const writing *w)
{
  dls_seen_system *s = w->system;
  const ptrdiff_t n = s->plan.n;
  mpfi_ptr *M = dls_arena_alloc(s->scratch, n * n, sizeof *M);
  mpfi_ptr *F = dls_arena_alloc(s->scratch, n, sizeof *F);
  if (!M || !F || !dls_body_mass_and_forces(w->posture, s->scratch, M, F) ||
      !dls_body_resistance(w->posture, s->scratch, M, F) ||
      !dls_body_applied(w->posture, s->scratch, F))
    return DLS_ERR_MEMORY;
  dls_clear(w->to->M, (ptrdiff_t)s->n * s->n);
  dls_clear(w->to->F, s->n);
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) w->to->M[i + s->n * j] = dls_middle(M[i + n * j]);
  for (ptrdiff_t k = 0; k < n; k++) w->to->F[k] = dls_middle(F[k]);
  return DLS_OK;
}

static dls_status evaluate_once(dls_seen_system *s, const double *x, const double *v,
                                uint64_t shaken, const dls_values *to, dls_message *message)
{
  dls_posture posture;
  if (!dls_seen_pose(s, x, v, shaken, &posture)) return DLS_ERR_MEMORY;
  const writing w = {s, &posture, to};
  dls_status status = write_bodies(&w);
  for (int j = 0, slip = 0; j < s->view.m && status == DLS_OK; j++) {
    to->friction_force[j] = to->static_friction[j] = 0;
    if (s->entry[j].of_text < 0)
      status = s->entry[j].constraint ? write_constraint(&w, j, slip)
                                      : write_touch(&w, j, slip, message);
    slip += s->info[j].tangents;
  }
  return status;
}

// ---- errors ------------------------------------------------------------------------------------

enum { ARRAYS = 9 };

typedef struct number_array {
  double *x;
  ptrdiff_t count;
} number_array;

static void arrays_of(const dls_system *s, const dls_values *x, number_array out[ARRAYS])
{
  const number_array all[ARRAYS] = {{x->M, s->mass.p[s->n]},
                                    {x->F, s->n},
                                    {x->h, s->m},
                                    {x->h_dot, s->m},
                                    {x->G, s->normal.p[s->m]},
                                    {x->b_n, s->m},
                                    {x->slip, s->tangents},
                                    {x->H, s->tangent.p[s->tangents]},
                                    {x->b_t, s->tangents}};
  dls_copy(out, all, ARRAYS);
}

// The largest change so far, and what rounding to doubles adds.
static void note_changes(const dls_system *s, const dls_values *values, const dls_values *changed,
                         const dls_values *bound)
{
  number_array x[ARRAYS], y[ARRAYS], e[ARRAYS];
  arrays_of(s, values, x), arrays_of(s, changed, y), arrays_of(s, bound, e);
  for (int a = 0; a < ARRAYS; a++)
    for (ptrdiff_t k = 0; k < x[a].count; k++) {
      const double change = fabs(y[a].x[k] - x[a].x[k]) + DBL_EPSILON * fabs(x[a].x[k]);
      if (!(change <= e[a].x[k])) e[a].x[k] = change;
    }
}

static void enlarge(const dls_system *s, const dls_values *bound)
{
  static const double beyond = 8;  // eq (enc.2)
  number_array e[ARRAYS];
  arrays_of(s, bound, e);
  for (int a = 0; a < ARRAYS; a++)
    for (ptrdiff_t k = 0; k < e[a].count; k++) e[a].x[k] *= beyond;
}

static void clear_bounds(const dls_system *s, const dls_values *bound)
{
  number_array e[ARRAYS];
  arrays_of(s, bound, e);
  for (int a = 0; a < ARRAYS; a++) dls_clear(e[a].x, e[a].count);
  double *of_laws[] = {bound->friction, bound->restitution, bound->friction_force,
                       bound->static_friction};
  for (ptrdiff_t k = 0; k < dls_count_of(of_laws); k++) dls_clear(of_laws[k], s->m);
}

dls_status dls_seen_evaluate(void *self, double t, const double *x, const double *v,
                             const dls_values *values, const dls_values *bound,
                             dls_message *message)
{
  static const uint64_t seed[] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd1b54a32d192ed03),
                                  UINT64_C(0x8cb92ba72f3d8dd7)};
  dls_seen_system *s = self;
  (void)t;
  dls_status status = evaluate_once(s, x, v, 0, values, message);
  if (status == DLS_OK && !bound) return dls_seen_text_add(s, x, values, NULL, message);
  if (status != DLS_OK) return status;
  if (!s->changed.M && !dls_values_carve(&s->view, s->arena, &s->changed)) return DLS_ERR_MEMORY;
  clear_bounds(&s->view, bound);
  for (ptrdiff_t k = 0; k < dls_count_of(seed) && status == DLS_OK; k++) {
    status = evaluate_once(s, x, v, seed[k], &s->changed, message);
    if (status == DLS_OK) note_changes(&s->view, values, &s->changed, bound);
  }
  enlarge(&s->view, bound);
  return status == DLS_OK ? dls_seen_text_add(s, x, values, bound, message) : status;
}
