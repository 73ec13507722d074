// The forest at a state: what callers see of the passes.
#include "body/tree_internal.h"

static bool all_finite(const double *a, int n)
{
  double sum = 0;  // of differences that are 0, or NaN
  for (int k = 0; k < n; k++) sum += a[k] - a[k];
  return sum == 0;
}

dls_status dls_tree_move(dls_tree *tree, const double *x, const double *x_dot, const double *x_ddot,
                         bool bounds)
{
  dls_tree_data *data = tree->data;
  const int n = tree->n;
  if (!all_finite(x, n) || !all_finite(x_dot, n) || (x_ddot && !all_finite(x_ddot, n)))
    return DLS_ERR_NUMBER;
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    if (link->count == 1) continue;
    const double *theta = x + link->first + link->count - 3;
    const double square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
    if (!(square <= DLS_TREE_FAR * DLS_TREE_FAR)) return DLS_ERR_NUMBER;
  }
  dls_copy(data->x, x, n);
  dls_copy(data->x_dot, x_dot, n);
  if (x_ddot) dls_copy(data->x_ddot, x_ddot, n);
  else dls_clear(data->x_ddot, n);
  dls_tree_plain_move(tree);
  if (bounds) dls_tree_bounded_move(tree);
  data->bounds = bounds, data->rated = false;
  return DLS_OK;
}

void dls_tree_motion(const dls_tree *tree, int body, const dls_pose *frame,
                     dls_solid_motion *motion, dls_solid_motion_error *error)
{
  assert(body >= DLS_WORLD && body < tree->bodies && (!error || tree->data->bounds));
  if (error) dls_tree_bounded_motion(tree, body, frame, motion, error);
  else dls_tree_plain_motion(tree, body, frame, motion, NULL);
}

void dls_tree_column(const dls_tree *tree, int k, int body, const double r[3], dls_twist *column)
{
  assert(k >= 0 && k < tree->n && body >= 0 && body < tree->bodies);
  dls_tree_plain_column(tree, k, body, r, NULL, column, NULL);
}

void dls_tree_column_bounded(const dls_tree *tree, int k, int body, const double r[3],
                             const double *r_error, dls_twist *column, dls_twist *error)
{
  assert(k >= 0 && k < tree->n && body >= 0 && body < tree->bodies && tree->data->bounds);
  dls_tree_bounded_column(tree, k, body, r, r_error, column, error);
}

void dls_tree_coordinate(const dls_tree *tree, int k, double *x, double *rate, double *acceleration)
{
  const dls_tree_data *data = tree->data;
  *x = data->x[k], *rate = data->x_dot[k], *acceleration = data->x_ddot[k];
}

// What stands above the diagonal, below it too: the rows of each column come in their order.
static void mirror(const dls_tree *tree, double *M)
{
  const int *p = tree->mass.p;
  int *next = tree->data->next;
  for (int k = 0; k < tree->n; k++) {
    next[k] = p[k] + tree->depth[k] + 1;
    int e = p[k] + tree->depth[k];
    for (int j = tree->above[k]; j >= 0; j = tree->above[j]) M[next[j]++] = M[--e];
  }
}

void dls_tree_mass(dls_tree *tree, double *M, double *bound)
{
  assert(!bound || tree->data->bounds);
  if (bound) dls_tree_bounded_mass(tree, M, bound);
  else dls_tree_plain_mass(tree, M, NULL);
  mirror(tree, M);
  if (bound) mirror(tree, bound);
}

void dls_tree_forces(dls_tree *tree, double *R, double *bound)
{
  assert(!bound || tree->data->bounds);
  if (bound) dls_tree_bounded_forces(tree, R, bound);
  else dls_tree_plain_forces(tree, R, NULL);
}

double dls_tree_actuator(const dls_tree *tree, const dls_actuator *a, double slope[2])
{
  const dls_tree_data *data = tree->data;
  double length = 0, rate = 0;
  slope[0] = slope[1] = 0;
  if (a->kind == DLS_ACTUATOR_TENDON) {
    const dls_tendon_copy *tendon = data->tendon + a->of;
    for (int t = tendon->first; t < tendon->first + tendon->terms; t++) {
      length += data->term[t].gear * data->x[data->term[t].v];
      rate += data->term[t].gear * data->x_dot[data->term[t].v];
    }
  } else if (a->kind == DLS_ACTUATOR_JOINT && data->link[a->of].count == 1) {
    length = data->x[data->link[a->of].first], rate = data->x_dot[data->link[a->of].first];
  } else {
    const double fixed = a->gain * a->control + a->bias[0];
    return a->limited ? clipped(fixed, a->range[0], a->range[1]) : fixed;
  }
  const double force = a->gain * a->control + a->bias[0] + a->bias[1] * (a->gear[0] * length) +
                       a->bias[2] * (a->gear[0] * rate);
  if (a->limited && (force < a->range[0] || force > a->range[1]))
    return clipped(force, a->range[0], a->range[1]);
  slope[0] = a->bias[1] * a->gear[0], slope[1] = a->bias[2] * a->gear[0];
  return force;
}

void dls_tree_energy(const dls_tree *tree, double *kinetic, double *potential)
{
  const dls_tree_data *data = tree->data;
  double T = 0, V = 0;
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    const link_state *at = tree->plain->link + l;
    const link_form *form = tree->plain->form + l;
    const vec g = vector(data->gravity);
    T += 0.5 * form->m * dot(at->v, at->v) + dot(at->v, cross(at->w, at->h)) +
         0.5 * dot(at->w, sym_times(&at->I, at->w));
    V -= form->weight * (dot(g, at->base) + dot(g, at->o)) + dot(g, rotate(&at->R, form->heavy));
    const int k = link->first, straight = link->count == 6 ? 3 : link->count == 1 ? 1 : 0;
    for (int c = k; c < k + straight; c++)
      T += 0.5 * data->armature[c] * data->x_dot[c] * data->x_dot[c];
    if (link->count == 1) {
      const double stretch = data->x[k] - data->rest[k];
      V += 0.5 * data->stiffness[k] * stretch * stretch;
    } else {
      const vec w = rotate(&at->T, vector(data->x_dot + k + straight));
      T += 0.5 * data->armature[k] * dot(w, w);
    }
  }
  for (int t = 0; t < data->tendons; t++) {
    const dls_tendon_copy *tendon = data->tendon + t;
    double length = 0;
    for (int i = 0; i < tendon->terms; i++)
      length += data->term[tendon->first + i].gear * data->x[data->term[tendon->first + i].v];
    const double stretch = length - clipped(length, tendon->rest[0], tendon->rest[1]);
    V += 0.5 * tendon->stiffness * stretch * stretch;
  }
  *kinetic = T, *potential = V;
}
