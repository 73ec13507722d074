// What implicit schemes differentiate, eq (dyn.2), of a system of bodies.               eq (mea.4)
#include "body/assembly.h"

#include "base/message.h"

#include <stdlib.h>

// ---- patterns -----------------------------------------------------------------------------------

static bool add_measure(const dls_assembly *a, int measure, dls_cliques *to)
{
  const dls_measure *m = a->measures.measure + measure;
  return dls_cliques_add(to, m->count, dls_measure_velocities(&a->measures, measure));
}

// The pairs that a measure is made of: all that moves one of its frames.
static bool add_pairs(const dls_assembly *a, int measure, dls_cliques *to)
{
  const dls_measure_set *all = &a->measures;
  const dls_measure *m = all->measure + measure;
  for (int t = m->first_term; t < m->first_term + m->terms; t++) {
    const int p = all->reading[all->term[t].reading].pair;
    if (p < 0) continue;
    const dls_pair *pair = all->pair + p;
    if (!dls_cliques_add(to, pair->count + pair->common, all->pair_velocity + pair->first))
      return false;
  }
  return true;
}

// What couples velocities by x, apart from laws; by laws; by x'.
static bool gather(const dls_assembly *a, dls_cliques *held, dls_cliques *law, dls_cliques *by_v)
{
  bool good = true;
  for (int k = 0; k < a->rows && good; k++) {
    const int m = a->row[k].measure;
    dls_cliques *to = a->row[k].kind == DLS_BODY_ROW_CLOSURE ? held : law;
    good = add_pairs(a, m, to) && (!a->measures.measure[m].curved || add_measure(a, m, to));
  }
  for (int k = 0; k < a->elements && good; k++)
    good = add_pairs(a, a->element[k].measure, held) &&
           add_measure(a, a->element[k].measure, held) &&
           add_measure(a, a->element[k].measure, by_v);
  for (int k = 0; k < a->drives && good; k++)
    for (int c = 0; c < a->drive[k].measures && good; c++) {
      const int m = a->drive[k].measure[c];
      good = add_pairs(a, m, held) && add_measure(a, m, held) && add_measure(a, m, by_v);
    }
  const dls_touching *t = &a->touching;
  for (int p = 0; p < t->pairs && good; p++) {
    const dls_pair *pair = &t->pair[p].pair;
    good = dls_cliques_add(law, pair->count + pair->common, t->velocity + pair->first);
  }
  return good;
}

static int *places(const dls_pattern *from, const dls_pattern *to)
{
  int *place = dls_alloc((ptrdiff_t)from->p[from->cols], sizeof *place);
  for (int k = 0; place && k < from->cols; k++)
    for (int e = from->p[k], at = to->p[k]; e < from->p[k + 1]; e++) {
      while (to->i[at] != from->i[e]) at++;
      place[e] = at;
    }
  return place;
}

static bool merge(dls_cliques *to, const dls_cliques *from)
{
  for (int k = 0; k < from->count; k++)
    if (!dls_cliques_add(to, (int)(from->first[k + 1] - from->first[k]),
                         from->member + from->first[k]))
      return false;
  return true;
}

// R_q with flags where more than laws is behind an entry.
static dls_status make_patterns(dls_assembly *a, dls_cliques *held, const dls_cliques *law,
                                const dls_cliques *by_v, dls_message *message)
{
  dls_pattern without = {0};
  const dls_pattern *base = &a->tree->slope;
  dls_status status = dls_cliques_pattern(held, base, &without, message);
  if (status == DLS_OK && !merge(held, law)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_cliques_pattern(held, base, &a->R_q, message);
  if (status == DLS_OK) status = dls_cliques_pattern(by_v, base, &a->R_v, message);
  if (status == DLS_OK && law->count > 0) {
    a->free_q = dls_alloc(a->R_q.p[a->R_q.cols], 1);
    if (!a->free_q) status = DLS_ERR_MEMORY;
    for (int k = 0; status == DLS_OK && k < without.cols; k++)
      for (int e = without.p[k]; e < without.p[k + 1]; e++)
        a->free_q[dls_pattern_place(&a->R_q, without.i[e], k)] = 1;
  }
  free((int *)without.p), free((int *)without.i);
  return status == DLS_ERR_MEMORY ? dls_fail(message, status, "out of memory") : status;
}

void dls_assembly_slopes_free(dls_assembly *a)
{
  free((int *)a->R_q.p), free((int *)a->R_q.i), free((int *)a->R_v.p), free((int *)a->R_v.i);
  free(a->free_q), free(a->place_q), free(a->place_v);
  a->R_q = a->R_v = (dls_pattern){0};
  a->free_q = NULL, a->place_q = a->place_v = NULL;
}

// Once.
static bool allocate(dls_assembly *a)
{
  if (a->bend) return true;
  dls_arena *arena = a->arena;
  const ptrdiff_t entries = (ptrdiff_t)a->tree->slope.p[a->tree->n] + 1;
  const ptrdiff_t measures = (ptrdiff_t)a->measures.measures + 1;
  a->slope_q = dls_arena_alloc(arena, entries, sizeof(double));
  a->slope_v = dls_arena_alloc(arena, entries, sizeof(double));
  a->wrench = dls_arena_alloc(arena, (ptrdiff_t)a->tree->bodies + 1, sizeof *a->wrench);
  a->force = dls_arena_alloc(arena, measures, sizeof(double));
  a->law = dls_arena_alloc(arena, measures, sizeof *a->law);
  a->bend = dls_arena_alloc(arena, (ptrdiff_t)a->measures.pairs + 1, sizeof *a->bend);
  return a->slope_q && a->slope_v && a->wrench && a->force && a->law && a->bend;
}

dls_status dls_assembly_slopes(dls_assembly *a, dls_message *message)
{
  dls_cliques held = {0}, law = {0}, by_v = {0};
  dls_system *s = &a->system;
  dls_assembly_slopes_free(a);
  if (dls_grow((void **)&a->touch_bend, &a->bend_room, (ptrdiff_t)a->touching.pairs + 1,
               sizeof *a->touch_bend) != 0)
    return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  dls_status status = allocate(a) && gather(a, &held, &law, &by_v) ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = make_patterns(a, &held, &law, &by_v, message);
  else dls_fail(message, status, "out of memory");
  dls_cliques_free(&held), dls_cliques_free(&law), dls_cliques_free(&by_v);
  if (status != DLS_OK) return status;
  a->place_q = places(&a->tree->slope, &a->R_q);
  a->place_v = places(&a->tree->slope, &a->R_v);
  if (!a->place_q || !a->place_v) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  a->slopes = (dls_derivative_patterns){.R_q = a->R_q,
                                        .R_v = a->R_v,
                                        .N_q = s->normal,
                                        .N_v = s->normal,
                                        .T_q = {s->n, s->tangents, a->turn_p, a->turn_i},
                                        .T_v = {s->n, s->tangents, a->turn_p, a->turn_i},
                                        .D_q = s->normal,
                                        .S_q = {s->n, s->tangents, a->turn_p, a->turn_i},
                                        .free_q = a->free_q,
                                        .steady = true,
                                        .constant_laws = true};
  s->derivative = &a->slopes;
  s->differentiate = dls_assembly_differentiate;
  return DLS_OK;
}

// ---- what acts along measures -------------------------------------------------------------------

static double sign_of(const dls_body_row *row)
{
  return row->kind == DLS_BODY_ROW_HIGH ? -1 : 1;
}

static void gather_forces(dls_assembly *a, const double *lambda, const double *tau)
{
  dls_clear(a->force, a->measures.measures);
  dls_clear(a->law, a->measures.measures);
  for (int j = 0, slip = 0; j < a->system.m && a->column[j] < a->rows; j++) {
    const dls_body_row *row = a->row + a->column[j];
    if (row->kind == DLS_BODY_ROW_DRY) a->force[row->measure] += tau ? tau[slip] : 0, slip++;
    else a->force[row->measure] += lambda ? sign_of(row) * lambda[j] : 0;
  }
  for (int k = 0; k < a->elements; k++) {
    const dls_element *x = a->element + k;
    const dls_measure *m = a->measures.measure + x->measure;
    const bool slack =
        m->value.x >= x->rest[0] && m->value.x <= x->rest[1] && x->rest[0] < x->rest[1];
    a->force[x->measure] -= x->damping * m->rate.x + x->armature * m->bias.x +
                            x->stiffness * dls_element_stretch(x, m->value).x;
    a->law[x->measure][0] -= slack ? 0 : x->stiffness;
    a->law[x->measure][1] -= x->damping, a->law[x->measure][2] -= x->armature;
  }
  for (int k = 0; k < a->drives; k++) {
    const dls_drive *x = a->drive + k;
    double slope[2];
    const double f = dls_drive_force(a, x, slope).x;
    for (int c = 0; c < x->measures; c++) {
      const double gear = x->numbers.gear[c];
      a->force[x->measure[c]] += gear * f;
      for (int i = 0; i < 2 && x->reads; i++) a->law[x->measure[c]][i] += gear * slope[i];
    }
  }
}

// ---- R ------------------------------------------------------------------------------------------

// Forces on the frames of each pair, and how they turn with them.
static void push_pairs(dls_assembly *a)
{
  const dls_measure_set *all = &a->measures;
  dls_clear(a->wrench, a->tree->bodies);
  dls_clear(a->bend, all->pairs);
  for (int k = 0; k < all->measures; k++) {
    const dls_measure *m = all->measure + k;
    for (int t = m->first_term; t < m->first_term + m->terms && a->force[k] != 0; t++) {
      const int reading = all->term[t].reading;
      const dls_reading *r = all->reading + reading;
      const double f = all->gear[t].x * a->force[k];
      if (r->pair < 0) continue;
      double W[12], (*D)[12] = a->bend[r->pair];
      for (int i = 0; i < 12; i++) {
        W[i] = f * r->W.wrench[i];
        for (int c = 0; c < 12; c++) D[i][c] += f * all->row_slope[reading].wrench_pose[i][c];
      }
      dls_pair_push(all->pair + r->pair, all->state + r->pair, W, D, a->wrench);
    }
  }
}

static bool any(const double D[12][12])
{
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 12; k++)
      if (D[i][k] != 0) return true;
  return false;
}

static void add_law(const dls_assembly *a, int k, const dls_derivatives *out)
{
  const dls_measure_set *all = &a->measures;
  const dls_measure *m = all->measure + k;
  const int *velocity = dls_measure_velocities(all, k);
  const dls_bounded *J = dls_measure_gradient(all, k);
  const double *law = a->law[k];
  if (law[0] == 0 && law[1] == 0 && law[2] == 0) return;
  for (int j = 0; j < m->count; j++) {
    const double by_x =
        law[0] * J[j].x + law[1] * all->rate_by_x[m->first + j] + law[2] * all->by_x[m->first + j];
    const double by_v = law[1] * J[j].x + law[2] * all->by_v[m->first + j];
    for (int i = 0; i < m->count; i++) {
      out->R_q[dls_pattern_place(&a->R_q, velocity[i], velocity[j])] -= J[i].x * by_x;
      out->R_v[dls_pattern_place(&a->R_v, velocity[i], velocity[j])] -= J[i].x * by_v;
    }
  }
}

// The gear of a polynomial changes: -p'' J_z J_z^T f.
static void add_curve(const dls_assembly *a, int k, double *R_q)
{
  const dls_measure_set *all = &a->measures;
  double p[2];
  const int t = dls_measure_curve(all, k, p);
  if (t < 0) return;
  const dls_reading *z = all->reading + all->term[t].reading;
  const int count = z->pair < 0 ? 1 : all->pair[z->pair].count;
  const int *velocity = z->pair < 0 ? &z->velocity : all->pair_velocity + all->pair[z->pair].first;
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++)
      R_q[dls_pattern_place(&a->R_q, velocity[i], velocity[j])] +=
          p[0] * a->force[k] * all->reading_gradient[z->place + i].x *
          all->reading_gradient[z->place + j].x;
}

static dls_status fill_R(dls_assembly *a, const double *lambda, const double *tau,
                         const dls_derivatives *out)
{
  const dls_measure_set *all = &a->measures;
  const int n = a->tree->n, entries = a->tree->slope.p[n];
  push_pairs(a);
  const dls_status status = dls_assembly_touch_slopes(a, lambda, tau, out);
  if (status != DLS_OK) return status;
  dls_tree_differentiate(a->tree, a->wrench, a->slope_q, a->slope_v);
  dls_clear(out->R_q, (ptrdiff_t)a->R_q.p[n]), dls_clear(out->R_v, (ptrdiff_t)a->R_v.p[n]);
  for (int e = 0; e < entries; e++) {
    out->R_q[a->place_q[e]] = a->slope_q[e];
    out->R_v[a->place_v[e]] = a->slope_v[e];
  }
  for (int p = 0; p < all->pairs; p++) {
    const dls_pair *pair = all->pair + p;
    if (any(a->bend[p]))
      dls_pair_bend(pair, all->pair_velocity + pair->first, all->slope + 2 * (ptrdiff_t)pair->first,
                    a->bend[p], &a->R_q, out->R_q);
  }
  const dls_touching *t = &a->touching;
  for (int p = 0; p < t->pairs; p++) {
    const dls_pair *pair = &t->pair[p].pair;
    if (any(a->touch_bend[p]))
      dls_pair_bend(pair, t->velocity + pair->first, t->slope + 2 * (ptrdiff_t)pair->first,
                    a->touch_bend[p], &a->R_q, out->R_q);
  }
  for (int k = 0; k < all->measures; k++) add_law(a, k, out), add_curve(a, k, out->R_q);
  return DLS_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

static void put(const double *from, int count, double sign, double *to)
{
  for (int i = 0; i < count; i++) to[i] = sign * from[i];
}

static void fill_rows(const dls_assembly *a, const dls_derivatives *out)
{
  const dls_measure_set *all = &a->measures;
  for (int j = 0, slip = 0; j < a->system.m && a->column[j] < a->rows; j++) {
    const dls_body_row *row = a->row + a->column[j];
    const dls_measure *m = all->measure + row->measure;
    const bool dry = row->kind == DLS_BODY_ROW_DRY;
    const int at = dry ? a->turn_p[slip++] : a->system.normal.p[j];
    const double sign = sign_of(row);
    put(all->by_x + m->first, m->count, sign, (dry ? out->T_q : out->N_q) + at);
    put(all->by_v + m->first, m->count, sign, (dry ? out->T_v : out->N_v) + at);
    put(all->rate_by_x + m->first, m->count, sign, (dry ? out->S_q : out->D_q) + at);
  }
}

static bool is_finite(const dls_pattern *pattern, const double *x)
{
  double sum = 0;
  for (int k = 0; k < pattern->p[pattern->cols]; k++) sum += x[k] - x[k];
  return sum == 0;
}

static bool all_finite(const dls_assembly *a, const dls_derivatives *x)
{
  const dls_derivative_patterns *p = &a->slopes;
  return is_finite(&p->R_q, x->R_q) && is_finite(&p->R_v, x->R_v) && is_finite(&p->N_q, x->N_q) &&
         is_finite(&p->N_v, x->N_v) && is_finite(&p->T_q, x->T_q) && is_finite(&p->T_v, x->T_v) &&
         is_finite(&p->D_q, x->D_q) && is_finite(&p->S_q, x->S_q);
}

dls_status dls_assembly_differentiate(void *self, double t, const double *x, const double *x_dot,
                                      const double *x_ddot, const double *lambda, const double *tau,
                                      const dls_derivatives *out, dls_message *message)
{
  dls_assembly *a = self;
  (void)t;
  dls_status status = dls_tree_move(a->tree, x, x_dot, x_ddot, false);
  if (status == DLS_OK) status = dls_measures_evaluate(&a->measures, false);
  if (status == DLS_OK) {
    dls_tree_begin_slopes(a->tree);
    status = dls_measures_slope(&a->measures);
  }
  if (status == DLS_OK) {
    gather_forces(a, lambda, tau);
    status = fill_R(a, lambda, tau, out);
    fill_rows(a, out);
    if (status == DLS_OK && !all_finite(a, out)) status = DLS_ERR_NUMBER;
  }
  if (status == DLS_OK) return DLS_OK;
  return dls_fail(message, status,
                  "a coordinate, velocity, acceleration or derivative is not finite, or a body or "
                  "joint is turned too far");
}
