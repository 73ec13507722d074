#include "body/probe.h"

#include "body/assembly.h"

#include <stdlib.h>

// A probe as a row of two frames, or a coordinate.
typedef struct probing {
  int velocity;  // -1: a row
  dls_pair pair;
  dls_joint_row row;
  double sign, offset;
} probing;

static dls_assembly *assembly_of(const dls_system *system)
{
  assert(system->evaluate == dls_assembly_evaluate);
  return system->self;
}

static int body_of(const dls_assembly *a, int body)
{
  return body < 0 ? DLS_WORLD : a->expanded.body[body];
}

static void of_joint(const dls_assembly *a, int j, probing *out)
{
  const int of_tree = a->expanded.joint_of_tree[j];
  if (of_tree >= 0) {
    out->velocity = a->tree->joint_v[of_tree];
    return;
  }
  out->pair.body[0] = a->expanded.joint_parent[j], out->pair.body[1] = a->expanded.joint_body[j];
  dls_copy(out->pair.frame, a->joint_frame[j].frame, 2);
  const bool hinge = a->joint_frame[j].kind == DLS_JOINT_HINGE;
  out->row = (dls_joint_row){hinge ? DLS_ROW_ANGLE : DLS_ROW_ALONG, 2};
  out->offset = a->joint_frame[j].reference;
}

// Its velocities, in the work arrays of the system.
static probing begin(dls_assembly *a, const dls_probe *probe)
{
  const dls_pose here = {{0, 0, 0}, {1, 0, 0, 0}};
  probing out = {.velocity = -1, .pair = {.frame = {here, here}}, .sign = 1};
  switch (probe->kind) {
  case DLS_PROBE_JOINT: of_joint(a, probe->of, &out); break;
  case DLS_PROBE_POINT:
    out.pair.body[0] = DLS_WORLD, out.pair.body[1] = body_of(a, probe->of);
    dls_copy(out.pair.frame[1].position, probe->at, 3);
    out.row = (dls_joint_row){DLS_ROW_ALONG, probe->axis};
    break;
  case DLS_PROBE_SPIN:  // about an axis of the world, which is the second frame
    out.pair.body[0] = body_of(a, probe->of), out.pair.body[1] = DLS_WORLD;
    out.row = (dls_joint_row){DLS_ROW_SPIN, probe->axis}, out.sign = -1;
    break;
  }
  if (out.velocity < 0) {
    out.pair.count = dls_pair_velocities(a->tree, out.pair.body, a->work_velocity, a->work_side,
                                         &out.pair.common);
    out.pair.count -= out.pair.common;
  }
  return out;
}

dls_status dls_probes_pattern(const dls_system *system, int count, const dls_probe *probe,
                              dls_pattern *pattern)
{
  dls_assembly *a = assembly_of(system);
  ptrdiff_t entries = 0;
  for (int pass = 0; pass < 2; pass++) {
    int *p = NULL, *i = NULL;
    if (pass == 1) {
      p = dls_alloc((ptrdiff_t)count + 1, sizeof *p), i = dls_alloc(entries, sizeof *i);
      if (!p || !i || entries > INT32_MAX) {
        free(p), free(i);
        return entries > INT32_MAX ? DLS_ERR_LIMIT : DLS_ERR_MEMORY;
      }
    }
    entries = 0;
    for (int k = 0; k < count; k++) {
      const probing x = begin(a, probe + k);
      const int own = x.velocity >= 0 ? 1 : x.pair.count;
      const int *from = x.velocity >= 0 ? &x.velocity : a->work_velocity;
      if (i) dls_copy(i + entries, from, own);
      entries += own;
      if (p) p[k + 1] = (int)entries;
    }
    *pattern = (dls_pattern){system->n, count, p, i};
  }
  return DLS_OK;
}

static void put(double *x, double *bound, dls_bounded y)
{
  *x = y.x;
  if (bound) *bound = y.e;
}

// At the tree's last move. *next: where its column begins, and then where the next one does.
static dls_status evaluate(dls_assembly *a, const dls_probe *probe, int k, int *next,
                           const dls_probe_values *to, const dls_probe_values *bound)
{
  const probing x = begin(a, probe);
  const bool bounds = bound != NULL;
  dls_row_values v = {0}, e = {0};
  if (x.velocity >= 0) {
    double acceleration;
    dls_tree_coordinate(a->tree, x.velocity, &v.value, &v.rate, &acceleration);
    put(to->J + *next, bounds ? bound->J + *next : NULL, dls_exactly(1));
    ++*next;
  } else {
    dls_pair_state at;
    dls_pair_move(a->tree, &x.pair, bounds, &at);
    const dls_status status = dls_row_evaluate(x.row, &at.motion[0], bounds ? &at.error[0] : NULL,
                                               &at.motion[1], bounds ? &at.error[1] : NULL, &v, &e);
    if (status != DLS_OK) return status;
    for (int i = 0; i < x.pair.count; i++, ++*next) {
      const int side = a->work_side[i];
      const dls_pair_column column =
          dls_pair_column_of(a->tree, &x.pair, &at, a->work_velocity[i], side, bounds);
      dls_bounded wrench[6];
      for (int c = 0; c < 6; c++)
        wrench[c] = (dls_bounded){v.wrench[6 * side + c], e.wrench[6 * side + c]};
      put(to->J + *next, bounds ? bound->J + *next : NULL,
          dls_scale(x.sign, dls_column_power(&column, wrench)));
    }
  }
  const dls_bounded y = dls_scale(x.sign, (dls_bounded){v.value, e.value});
  put(to->y + k, bounds ? bound->y + k : NULL,
      x.offset != 0 ? dls_plus(y, dls_exactly(x.offset)) : y);
  put(to->y_dot + k, bounds ? bound->y_dot + k : NULL,
      dls_scale(x.sign, (dls_bounded){v.rate, e.rate}));
  put(to->bias + k, bounds ? bound->bias + k : NULL,
      dls_scale(x.sign, (dls_bounded){v.bias, e.bias}));
  return DLS_OK;
}

dls_status dls_probes_evaluate(dls_system *system, const double *x, const double *x_dot, int count,
                               const dls_probe *probe, const dls_probe_values *values,
                               const dls_probe_values *bound)
{
  dls_assembly *a = assembly_of(system);
  dls_status status = dls_tree_move(a->tree, x, x_dot, NULL, bound != NULL);
  for (int k = 0, next = 0; k < count && status == DLS_OK; k++)
    status = evaluate(a, probe + k, k, &next, values, bound);
  return status;
}

// ---- derivatives --------------------------------------------------------------------------------

static double power(const double *w, const dls_twist *t)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += w[i] * t->shift[i] + w[3 + i] * t->turn[i];
  return sum;
}

// Derivatives of y' and y'' by velocity i of the pair; by_v may be NULL.
static double by_velocity(const dls_assembly *a, const probing *x, const dls_row_slope *s,
                          const dls_row_values *v, int i, double *by_x, double *by_v)
{
  const int side = a->work_side[i], first = 6 * side;
  const dls_motion_slope *m = a->work_slope + 2 * (ptrdiff_t)i + side;
  const double *W = v->wrench + first;
  if (by_x) {
    *by_x = x->sign * (power(s->bias_pose + first, &m->x) +
                       power(s->bias_velocity + first, &m->rate_x) + power(W, &m->acceleration_x));
    *by_v = x->sign * (power(s->bias_velocity + first, &m->x) + power(W, &m->acceleration_v));
  }
  return x->sign * (power(s->rate_pose + first, &m->x) + power(W, &m->rate_x));
}

static dls_status slopes(dls_assembly *a, const probing *x, dls_row_slope *s, dls_row_values *v)
{
  dls_pair_state at;
  dls_pair_move(a->tree, &x->pair, false, &at);
  dls_status status = dls_row_evaluate(x->row, &at.motion[0], NULL, &at.motion[1], NULL, v, NULL);
  if (status == DLS_OK) status = dls_row_differentiate(x->row, &at.motion[0], &at.motion[1], s);
  dls_pair alone = x->pair;
  alone.common = 0;
  dls_pair_slopes(a->tree, &alone, &at, a->work_velocity, a->work_side, a->work_slope);
  return status;
}

static dls_status differentiate(dls_assembly *a, const dls_probe *probe, int *next,
                                const dls_probe_derivatives *out)
{
  const probing x = begin(a, probe);
  if (x.velocity >= 0) {
    out->rate_x[*next] = out->acceleration_x[*next] = out->acceleration_v[*next] = 0;
    ++*next;
    return DLS_OK;
  }
  dls_row_slope s;
  dls_row_values v;
  const dls_status status = slopes(a, &x, &s, &v);
  for (int i = 0; i < x.pair.count; i++, ++*next)
    out->rate_x[*next] =
        by_velocity(a, &x, &s, &v, i, out->acceleration_x + *next, out->acceleration_v + *next);
  return status;
}

// J^T f changes by d(J x')/dx with x' = 1 in one velocity after the other.
static dls_status bend(dls_assembly *a, const double *x, const double *f, int count,
                       const dls_probe *probe, double *force_x)
{
  const int n = a->tree->n;
  dls_status status = DLS_OK;
  for (int i = 0; i < n && status == DLS_OK; i++) {
    dls_clear(a->work_rate, n);
    a->work_rate[i] = 1;
    status = dls_tree_move(a->tree, x, a->work_rate, NULL, false);
    if (status != DLS_OK) break;
    dls_tree_begin_slopes(a->tree);
    for (int k = 0; k < count && status == DLS_OK; k++) {
      const probing p = f[k] != 0 ? begin(a, probe + k) : (probing){.velocity = 0};
      if (p.velocity >= 0) continue;
      bool moves = false;
      for (int c = 0; c < p.pair.count && !moves; c++) moves = a->work_velocity[c] == i;
      if (!moves) continue;
      dls_row_slope s;
      dls_row_values v;
      status = slopes(a, &p, &s, &v);
      for (int c = 0; c < p.pair.count; c++)
        force_x[i + (ptrdiff_t)n * a->work_velocity[c]] +=
            f[k] * by_velocity(a, &p, &s, &v, c, NULL, NULL);
    }
  }
  return status;
}

dls_status dls_probes_differentiate(dls_system *system, const double *x, const double *x_dot,
                                    const double *acceleration, const double *f, int count,
                                    const dls_probe *probe, const dls_probe_derivatives *out)
{
  dls_assembly *a = assembly_of(system);
  dls_status status = dls_tree_move(a->tree, x, x_dot, acceleration, false);
  if (status != DLS_OK) return status;
  dls_tree_begin_slopes(a->tree);
  for (int k = 0, next = 0; k < count && status == DLS_OK; k++)
    status = differentiate(a, probe + k, &next, out);
  return status == DLS_OK && f && out->force_x ? bend(a, x, f, count, probe, out->force_x) : status;
}
