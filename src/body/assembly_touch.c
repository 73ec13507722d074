// Derivatives of contacts of solids: by their formulas, and the motions of both frames. eq (mea.3)
#include "body/assembly.h"

#include "linalg/vector3.h"

enum { GAP, RATE, BIAS, SLIP, SLIP_BIAS = SLIP + 2, POINT = SLIP_BIAS + 2, NORMAL = POINT + 3 };

// Twelve numbers by what a velocity does to both frames.
static double along(const double *w, const dls_twist *a, const dls_twist *b)
{
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum +=
        w[i] * a->shift[i] + w[3 + i] * a->turn[i] + w[6 + i] * b->shift[i] + w[9 + i] * b->turn[i];
  return sum;
}

// A force along d at the point, on both frames.
static void wrench_of(const dls_touch_values *v, const dls_pair_state *at, const double d[3],
                      double W[12])
{
  for (int s = 0; s < 2; s++) {
    double lever[3];
    for (int i = 0; i < 3; i++) lever[i] = v->point[i] - at->motion[s].p[i];
    dls_cross(lever, d, W + 6 * s + 3);
    for (int i = 0; i < 3; i++) {
      W[6 * s + i] = s ? -d[i] : d[i];
      if (s) W[9 + i] = -W[9 + i];
    }
  }
}

typedef struct rows {
  double *rate_x, *acceleration_x, *acceleration_v;
} rows;

static void put_entry(const dls_touch_derivative *d, int rate, int bias, const double W[12],
                      const dls_motion_slope *m, const rows *to, int at)
{
  const dls_motion_slope *n = m + 1;
  to->rate_x[at] =
      along(d->pose[rate], &m->x, &n->x) + along(d->velocity[rate], &m->rate_x, &n->rate_x);
  to->acceleration_x[at] = along(d->pose[bias], &m->x, &n->x) +
                           along(d->velocity[bias], &m->rate_x, &n->rate_x) +
                           along(W, &m->acceleration_x, &n->acceleration_x);
  to->acceleration_v[at] =
      along(d->velocity[bias], &m->x, &n->x) + along(W, &m->acceleration_v, &n->acceleration_v);
}

// What the force F at the point does, and how it changes: dF by the formulas, the lever with the
// point and the frame.
static void bend(const dls_touch_derivative *d, const dls_touch_values *v, const dls_pair_state *at,
                 const double F[3], const double dF[3][12], double D[12][12])
{
  for (int s = 0; s < 2; s++) {
    const double sign = s ? -1 : 1;
    double lever[3];
    for (int i = 0; i < 3; i++) lever[i] = v->point[i] - at->motion[s].p[i];
    for (int k = 0; k < 12; k++) {
      double moved[3], change[3], torque[3], other[3];
      for (int i = 0; i < 3; i++) {
        moved[i] = d->pose[POINT + i][k] - (k == 6 * s + i ? 1 : 0);
        change[i] = dF[i][k];
        D[6 * s + i][k] += sign * change[i];
      }
      dls_cross(moved, F, torque), dls_cross(lever, change, other);
      for (int i = 0; i < 3; i++) D[6 * s + 3 + i][k] += sign * (torque[i] + other[i]);
    }
  }
}

static void push(dls_assembly *a, int t, const dls_touch_values *v, const dls_touch_derivative *d,
                 const double force[3])
{
  const dls_touching *all = &a->touching;
  const int p = all->touch[t].pair;
  const dls_pair_state *at = all->state + p;
  double F[3] = {0}, dF[3][12] = {{0}}, W[12];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) {
      F[i] += force[c] * (c ? v->tangent[c - 1] : v->normal)[i];
      for (int k = 0; k < 12; k++) dF[i][k] += force[c] * d->pose[NORMAL + 3 * c + i][k];
    }
  wrench_of(v, at, F, W);
  bend(d, v, at, F, dF, a->touch_bend[p]);
  dls_pair_push(&all->pair[p].pair, at, W, a->touch_bend[p], a->wrench);
}

// The entries of a column of slips stand in the order of velocities: those of both lists, merged.
static void put_slip(const dls_assembly *a, int t, int column, const dls_touch_derivative *d, int k,
                     const double W[12], const dls_derivatives *out)
{
  const dls_touching *all = &a->touching;
  const dls_pair *pair = &all->pair[all->touch[t].pair].pair;
  const int *velocity = all->velocity + pair->first;
  const dls_motion_slope *slope = all->slope + 2 * (ptrdiff_t)pair->first;
  const rows to = {out->S_q, out->T_q, out->T_v};
  const int end = pair->count + pair->common;
  for (int i = 0, j = pair->count, at = a->turn_p[column]; i < pair->count || j < end; at++) {
    const int next = j == end || (i < pair->count && velocity[i] < velocity[j]) ? i++ : j++;
    put_entry(d, SLIP + k, SLIP_BIAS + k, W, slope + 2 * (ptrdiff_t)next, &to, at);
  }
}

static dls_status add(dls_assembly *a, int t, int j, int slip, const double *lambda,
                      const double *tau, const dls_derivatives *out)
{
  dls_touching *all = &a->touching;
  const dls_body_touch *touch = all->touch + t;
  const dls_solid_pair *pair = all->pair + touch->pair;
  const dls_pair_state *at = all->state + touch->pair;
  const int tangents = a->system.contacts[j].tangents;
  dls_touch_values v;
  dls_touch_derivative d;
  dls_status status = dls_touching_values(all, t, false, &v, NULL);
  if (status == DLS_OK)
    status =
        dls_touch_differentiate(all->solid[pair->solid[0]].form, &at->motion[0],
                                all->solid[pair->solid[1]].form, &at->motion[1], touch->touch, &d);
  if (status == DLS_ERR_NUMBER && a->passes)
    v = (dls_touch_values){.gap = DLS_FAR_APART}, d = (dls_touch_derivative){0};
  else if (status != DLS_OK) return status;
  double W[12], force[3] = {lambda ? lambda[j] : 0};
  const rows to = {out->D_q, out->N_q, out->N_v};
  wrench_of(&v, at, v.normal, W);
  for (int i = 0; i < pair->pair.count; i++)
    put_entry(&d, RATE, BIAS, W, all->slope + 2 * ((ptrdiff_t)pair->pair.first + i), &to,
              a->system.normal.p[j] + i);
  for (int k = 0; k < tangents; k++) {
    force[1 + k] = tau ? tau[slip + k] : 0;
    wrench_of(&v, at, v.tangent[k], W);
    put_slip(a, t, slip + k, &d, k, W, out);
  }
  if (force[0] != 0 || force[1] != 0 || force[2] != 0) push(a, t, &v, &d, force);
  return DLS_OK;
}

dls_status dls_assembly_touch_slopes(dls_assembly *a, const double *lambda, const double *tau,
                                     const dls_derivatives *out)
{
  dls_touching *all = &a->touching;
  int j = 0, slip = 0;
  for (; j < a->system.m && a->column[j] < a->rows; j++) slip += a->system.contacts[j].tangents;
  dls_touching_move(all, a->tree, false);
  dls_clear(a->touch_bend, all->pairs);
  for (int p = 0; p < all->pairs; p++) {
    const dls_pair *pair = &all->pair[p].pair;
    dls_pair_slopes(a->tree, pair, all->state + p, all->velocity + pair->first,
                    all->side + pair->first, all->slope + 2 * (ptrdiff_t)pair->first);
  }
  dls_status status = DLS_OK;
  for (int t = 0; t < all->touches && status == DLS_OK; t++, j++) {
    status = add(a, t, j, slip, lambda, tau, out);
    slip += a->system.contacts[j].tangents;
  }
  return status;
}
