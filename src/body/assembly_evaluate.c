// Everything that is known of a system of bodies at a state.
#include "body/assembly.h"

#include "base/message.h"

// x += y, of numbers that have their bounds apart.
static void add_to(double *x, double *bound, dls_bounded y)
{
  const dls_bounded sum = dls_plus((dls_bounded){*x, bound ? *bound : 0}, y);
  *x = sum.x;
  if (bound) *bound = sum.e;
}

static void put(double *x, double *bound, dls_bounded y)
{
  *x = y.x;
  if (bound) *bound = y.e;
}

#define BOUND(array) (bound ? bound->array : NULL)
#define BOUND_AT(array, k) (bound ? bound->array + (k) : NULL)

// ---- forces along measures ----------------------------------------------------------------------

// F += J f
static void push(const dls_assembly *a, int measure, dls_bounded f, const dls_values *values,
                 const dls_values *bound)
{
  const dls_measure *m = a->measures.measure + measure;
  const int *velocity = dls_measure_velocities(&a->measures, measure);
  const dls_bounded *J = dls_measure_gradient(&a->measures, measure);
  for (int k = 0; k < m->count; k++)
    add_to(values->F + velocity[k], BOUND_AT(F, velocity[k]), dls_times(J[k], f));
}

// M += armature J J^T                                                                   eq (mea.2)
static void load(const dls_assembly *a, const dls_element *x, const dls_values *values,
                 const dls_values *bound)
{
  const dls_measure *m = a->measures.measure + x->measure;
  const int *velocity = dls_measure_velocities(&a->measures, x->measure);
  const dls_bounded *J = dls_measure_gradient(&a->measures, x->measure);
  for (int j = 0; j < m->count; j++)
    for (int i = 0; i < m->count; i++) {
      const int at = dls_pattern_place(&a->system.mass, velocity[i], velocity[j]);
      const dls_bounded JJ = i < j ? dls_times(J[i], J[j]) : dls_times(J[j], J[i]);
      add_to(values->M + at, BOUND_AT(M, at), dls_times(dls_exactly(x->armature), JJ));
    }
}

dls_bounded dls_element_stretch(const dls_element *x, dls_bounded y)
{
  if (y.x < x->rest[0]) return dls_minus(y, dls_exactly(x->rest[0]));
  if (y.x > x->rest[1]) return dls_minus(y, dls_exactly(x->rest[1]));
  return (dls_bounded){0, x->rest[0] == x->rest[1] ? y.e : 0};
}

// What resists, on the left side: damping y' + stiffness stretch + armature (y'' - J x'').
static void resist(const dls_assembly *a, const dls_element *x, const dls_values *values,
                   const dls_values *bound)
{
  const dls_measure *m = a->measures.measure + x->measure;
  dls_bounded f = dls_times(dls_exactly(x->damping), m->rate);
  f = dls_plus(f, dls_times(dls_exactly(x->stiffness), dls_element_stretch(x, m->value)));
  if (x->armature != 0) {
    f = dls_plus(f, dls_times(dls_exactly(x->armature), m->bias));
    load(a, x, values, bound);
  }
  push(a, x->measure, f, values, bound);
}

dls_bounded dls_drive_force(const dls_assembly *a, const dls_drive *x, double slope[2])
{
  const dls_actuator *n = &x->numbers;
  dls_bounded f =
      dls_plus(dls_times(dls_exactly(n->gain), dls_exactly(n->control)), dls_exactly(n->bias[0]));
  slope[0] = slope[1] = 0;
  if (x->reads) {
    const dls_measure *m = a->measures.measure + x->measure[0];
    const dls_bounded gear = dls_exactly(n->gear[0]);
    f = dls_plus(f, dls_times(dls_exactly(n->bias[1]), dls_times(gear, m->value)));
    f = dls_plus(f, dls_times(dls_exactly(n->bias[2]), dls_times(gear, m->rate)));
    slope[0] = n->bias[1] * n->gear[0], slope[1] = n->bias[2] * n->gear[0];
  }
  if (!n->limited || (f.x >= n->range[0] && f.x <= n->range[1])) return f;
  slope[0] = slope[1] = 0;
  return dls_exactly(f.x < n->range[0] ? n->range[0] : n->range[1]);
}

static void drive(const dls_assembly *a, const dls_drive *x, const dls_values *values,
                  const dls_values *bound)
{
  double slope[2];
  const dls_bounded f = dls_drive_force(a, x, slope);
  for (int c = 0; c < x->measures; c++)
    push(a, x->measure[c], dls_scale(-1, dls_times(dls_exactly(x->numbers.gear[c]), f)), values,
         bound);
}

// ---- rows ---------------------------------------------------------------------------------------

static void put_gradient(const dls_assembly *a, int measure, double sign, double *x, double *bound)
{
  const dls_measure *m = a->measures.measure + measure;
  const dls_bounded *J = dls_measure_gradient(&a->measures, measure);
  for (int k = 0; k < m->count; k++) put(x + k, bound ? bound + k : NULL, dls_scale(sign, J[k]));
}

static void put_normal(const dls_assembly *a, const dls_body_row *row, int j,
                       const dls_values *values, const dls_values *bound)
{
  const dls_measure *m = a->measures.measure + row->measure;
  const double sign = row->kind == DLS_BODY_ROW_HIGH ? -1 : 1;
  dls_bounded h = m->value;
  if (row->kind != DLS_BODY_ROW_CLOSURE) h = dls_scale(sign, dls_minus(h, dls_exactly(row->end)));
  put(values->h + j, BOUND_AT(h, j), h);
  put(values->h_dot + j, BOUND_AT(h_dot, j), dls_scale(sign, m->rate));
  put(values->b_n + j, BOUND_AT(b_n, j), dls_scale(sign, m->bias));
  const int begin = a->system.normal.p[j];
  put_gradient(a, row->measure, sign, values->G + begin, BOUND_AT(G, begin));
  values->restitution[j] = row->restitution;
}

static void put_dry(const dls_assembly *a, const dls_body_row *row, int j, int slip,
                    const dls_values *values, const dls_values *bound)
{
  const dls_measure *m = a->measures.measure + row->measure;
  put(values->h + j, BOUND_AT(h, j), dls_exactly(0));
  put(values->h_dot + j, BOUND_AT(h_dot, j), dls_exactly(0));
  put(values->b_n + j, BOUND_AT(b_n, j), dls_exactly(0));
  put(values->slip + slip, BOUND_AT(slip, slip), m->rate);
  put(values->b_t + slip, BOUND_AT(b_t, slip), m->bias);
  const int begin = a->system.tangent.p[slip];
  put_gradient(a, row->measure, 1, values->H + begin, BOUND_AT(H, begin));
  values->friction_force[j] = row->friction;
}

// ---- contacts of solids -------------------------------------------------------------------------

// A force of 1 along d at the point, as force and torque on a frame at p; of B the opposite.
static void wrench_of(const dls_bounded d[3], const dls_bounded point[3], const dls_bounded p[3],
                      double sign, dls_bounded out[6])
{
  dls_bounded3 lever, force;
  for (int i = 0; i < 3; i++) lever.c[i] = dls_minus(point[i], p[i]), force.c[i] = d[i];
  const dls_bounded3 torque = dls_cross_bounded(lever, force);
  for (int i = 0; i < 3; i++)
    out[i] = dls_scale(sign, d[i]), out[3 + i] = dls_scale(sign, torque.c[i]);
}

static void pairs_of(const double *x, const double *e, dls_bounded out[3])
{
  for (int i = 0; i < 3; i++) out[i] = (dls_bounded){x[i], e ? e[i] : 0};
}

// Column `at` of G (direction 0) or H by all velocities of the pair.
static void put_power(const dls_assembly *a, int t, const dls_bounded wrench[2][6],
                      const dls_pair_column *column, double *x, double *bound)
{
  const dls_touching *all = &a->touching;
  const dls_pair *pair = &all->pair[all->touch[t].pair].pair;
  for (int i = 0; i < pair->count; i++)
    put(x + i, bound ? bound + i : NULL,
        dls_column_power(column + i, wrench[all->side[pair->first + i]]));
}

static dls_status put_touch(dls_assembly *a, int t, int j, int slip, const dls_values *values,
                            const dls_values *bound)
{
  const dls_touching *all = &a->touching;
  const dls_body_touch *touch = all->touch + t;
  const dls_pair_state *at = all->state + touch->pair;
  dls_touch_values v, e = {0};
  const dls_status status = dls_touching_values(all, t, bound != NULL, &v, &e);
  if (status == DLS_ERR_NUMBER && a->passes) v = (dls_touch_values){.gap = DLS_FAR_APART};
  else if (status != DLS_OK) return status;
  put(values->h + j, BOUND_AT(h, j), (dls_bounded){v.gap, e.gap});
  put(values->h_dot + j, BOUND_AT(h_dot, j), (dls_bounded){v.rate, e.rate});
  put(values->b_n + j, BOUND_AT(b_n, j), (dls_bounded){v.bias, e.bias});
  values->friction[j] = touch->friction, values->restitution[j] = touch->restitution;
  const int tangents = a->system.contacts[j].tangents;
  for (int k = 0; k < 1 + tangents; k++) {
    const double *d = k ? v.tangent[k - 1] : v.normal, *d_e = k ? e.tangent[k - 1] : e.normal;
    dls_bounded direction[3], point[3], p[3], wrench[2][6];
    pairs_of(d, d_e, direction), pairs_of(v.point, e.point, point);
    for (int s = 0; s < 2; s++) {
      pairs_of(at->motion[s].p, bound ? at->error[s].p : NULL, p);
      wrench_of(direction, point, p, s ? -1 : 1, wrench[s]);
    }
    const dls_values *to = values;
    const int column = k ? slip + k - 1 : j;
    const int begin = k ? a->system.tangent.p[column] : a->system.normal.p[column];
    put_power(a, t, wrench, a->column_work, (k ? to->H : to->G) + begin,
              k ? BOUND_AT(H, begin) : BOUND_AT(G, begin));
    if (k == 0) continue;
    put(values->slip + column, BOUND_AT(slip, column), (dls_bounded){v.slip[k - 1], e.slip[k - 1]});
    put(values->b_t + column, BOUND_AT(b_t, column),
        (dls_bounded){v.slip_bias[k - 1], e.slip_bias[k - 1]});
  }
  return DLS_OK;
}

// What the velocities of a pair do to its frames; contacts of a pair stand together.
static void fill_columns(dls_assembly *a, int p, bool bounds)
{
  const dls_touching *all = &a->touching;
  const dls_pair *pair = &all->pair[p].pair;
  for (int i = 0; i < pair->count; i++)
    a->column_work[i] =
        dls_pair_column_of(a->tree, pair, all->state + p, all->velocity[pair->first + i],
                           all->side[pair->first + i], bounds);
}

void dls_assembly_pass_degenerate(void *self, bool passes)
{
  dls_assembly *a = self;
  a->passes = passes;
}

static dls_status put_touches(dls_assembly *a, int j, int slip, const dls_values *values,
                              const dls_values *bound, dls_message *message)
{
  dls_touching *all = &a->touching;
  dls_touching_move(all, a->tree, bound != NULL);
  for (int t = 0, p = -1; t < all->touches; slip += a->system.contacts[j].tangents, t++, j++) {
    if (all->touch[t].pair != p) fill_columns(a, p = all->touch[t].pair, bound != NULL);
    const dls_status status = put_touch(a, t, j, slip, values, bound);
    if (status != DLS_OK)
      return dls_fail(message, status,
                      "contact `%.80s` has no normal: its features are parallel, or concentric",
                      a->system.contacts[j].name);
  }
  return DLS_OK;
}

static void clear_laws(const dls_assembly *a, const dls_values *values)
{
  const int m = a->system.m;
  dls_clear(values->friction, m), dls_clear(values->restitution, m);
  dls_clear(values->friction_force, m), dls_clear(values->static_friction, m);
}

// ---- all of it ----------------------------------------------------------------------------------

static void put_mass(dls_assembly *a, const dls_values *values, const dls_values *bound)
{
  if (!a->mass_place) {
    dls_tree_mass(a->tree, values->M, BOUND(M));
    return;
  }
  const ptrdiff_t entries = a->system.mass.p[a->system.n];
  const int own = a->tree->mass.p[a->tree->n];
  dls_tree_mass(a->tree, a->tree_M, bound ? a->tree_M_bound : NULL);
  dls_clear(values->M, entries);
  if (bound) dls_clear(bound->M, entries);
  for (int e = 0; e < own; e++)
    put(values->M + a->mass_place[e], BOUND_AT(M, a->mass_place[e]),
        (dls_bounded){a->tree_M[e], a->tree_M_bound[e]});
}

static bool all_finite(const double *x, ptrdiff_t count)
{
  double sum = 0;  // of differences that are 0, or NaN
  for (ptrdiff_t k = 0; k < count; k++) sum += x[k] - x[k];
  return sum == 0;
}

static dls_status check(const dls_assembly *a, const dls_values *x, dls_message *message)
{
  const dls_system *s = &a->system;
  for (int i = 0; i < s->n; i++)
    if (!isfinite(x->F[i]))
      return dls_fail(message, DLS_ERR_NUMBER, "the force of `%.80s` is not finite",
                      s->coordinates[i]);
  if (!all_finite(x->M, s->mass.p[s->n]))
    return dls_fail(message, DLS_ERR_NUMBER, "an entry of the mass matrix is not finite");
  for (int j = 0, slip = 0; j < s->m; slip += s->contacts[j].tangents, j++) {
    const int n = s->contacts[j].tangents, G = s->normal.p[j], H = s->tangent.p[slip];
    if (!isfinite(x->h[j]) || !isfinite(x->h_dot[j]) || !isfinite(x->b_n[j]) ||
        !all_finite(x->G + G, s->normal.p[j + 1] - G) || !all_finite(x->slip + slip, n) ||
        !all_finite(x->b_t + slip, n) || !all_finite(x->H + H, s->tangent.p[slip + n] - H))
      return dls_fail(message, DLS_ERR_NUMBER, "a number of contact `%.80s` is not finite",
                      s->contacts[j].name);
  }
  return DLS_OK;
}

static dls_status move(dls_assembly *a, const double *x, const double *x_dot, bool bounds,
                       dls_message *message)
{
  dls_status status = dls_tree_move(a->tree, x, x_dot, NULL, bounds);
  if (status != DLS_OK)
    return dls_fail(message, status,
                    "a coordinate or velocity is not finite, or a body is turned too far from the "
                    "centre of its chart");
  status = dls_measures_evaluate(&a->measures, bounds);
  if (status == DLS_OK) return DLS_OK;
  return dls_fail(message, status, "a joint is turned by half a turn, or its numbers overflow");
}

dls_status dls_assembly_evaluate(void *self, double t, const double *x, const double *x_dot,
                                 const dls_values *values, const dls_values *bound,
                                 dls_message *message)
{
  dls_assembly *a = self;
  (void)t;
  const dls_status status = move(a, x, x_dot, bound != NULL, message);
  if (status != DLS_OK) return status;
  put_mass(a, values, bound);
  dls_tree_forces(a->tree, values->F, BOUND(F));
  for (int k = 0; k < a->elements; k++) resist(a, a->element + k, values, bound);
  for (int k = 0; k < a->drives; k++) drive(a, a->drive + k, values, bound);
  clear_laws(a, values);
  if (bound) clear_laws(a, bound);
  int j = 0, slip = 0;
  for (; j < a->system.m && a->column[j] < a->rows; j++) {
    const dls_body_row *row = a->row + a->column[j];
    if (row->kind == DLS_BODY_ROW_DRY) put_dry(a, row, j, slip++, values, bound);
    else put_normal(a, row, j, values, bound);
  }
  const dls_status touched = put_touches(a, j, slip, values, bound, message);
  return touched == DLS_OK ? check(a, values, message) : touched;
}

dls_status dls_assembly_energy(void *self, double t, const double *x, const double *x_dot,
                               double *kinetic, double *potential, dls_message *message)
{
  dls_assembly *a = self;
  (void)t;
  const dls_status status = move(a, x, x_dot, false, message);
  if (status != DLS_OK) return status;
  dls_tree_energy(a->tree, kinetic, potential);
  for (int k = 0; k < a->elements; k++) {
    const dls_element *e = a->element + k;
    const dls_measure *m = a->measures.measure + e->measure;
    const double stretch = dls_element_stretch(e, m->value).x;
    *kinetic += 0.5 * e->armature * m->rate.x * m->rate.x;
    *potential += 0.5 * e->stiffness * stretch * stretch;
  }
  if (isfinite(*kinetic) && isfinite(*potential)) return DLS_OK;
  return dls_fail(message, DLS_ERR_NUMBER, "an energy is not finite");
}
