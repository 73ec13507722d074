// What implicit schemes differentiate: motions, M x'' + F and wrenches by x and x'.
#include "body/tree_slope.h"

#include "body/turning.h"

// ---- directions in time -------------------------------------------------------------------------

// T e, T' e, T'' e of a ball at (theta, theta', theta'').                               eq (tre.6)
static void turning_columns(const turning *t, vec theta, vec rate, vec bend, vec e, vec out[3])
{
  const double *A = t->A, *B = t->B;
  const double y1 = 2 * dot(theta, rate), y2 = 2 * dot(rate, rate) + 2 * dot(theta, bend);
  const double A1 = A[1] * y1, A2 = A[2] * y1 * y1 + A[1] * y2;
  const double B1 = B[1] * y1, B2 = B[2] * y1 * y1 + B[1] * y2;
  const vec c = cross(theta, e), c1 = cross(rate, e), c2 = cross(bend, e);
  const vec d = cross(theta, c), d1 = add(cross(rate, c), cross(theta, c1));
  const vec d2 = add(add(cross(bend, c), cross(theta, c2)), scale(2, cross(rate, c1)));
  out[0] = add(add_scaled(e, -A[0], c), scale(B[0], d));
  out[1] = add(add(scale(-A1, c), scale(-A[0], c1)), add(scale(B1, d), scale(B[0], d1)));
  out[2] = add(add(scale(-A2, c), scale(-2 * A1, c1)), scale(-A[0], c2));
  out[2] = add(out[2], add(add(scale(B2, d), scale(2 * B1, d1)), scale(B[0], d2)));
}

static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void rate_ball(const dls_tree *tree, const dls_link *link, const link_state *at)
{
  const dls_tree_data *data = tree->data;
  dls_direction *direction = data->direction;
  const int k = link->first + link->count - 3;
  const vec theta = vector(data->x + k), rate = vector(data->x_dot + k),
            bend = vector(data->x_ddot + k);
  const turning t = turning_at(dot(theta, theta));
  for (int c = 0; c < 3; c++) {
    dls_direction *s = direction + k + c;
    turning_columns(&t, theta, rate, bend, vector(unit[c]), s->own);
    s->s = tree->plain->s[k + c];
    const vec r1 = rotate(&at->R, s->own[1]), r2 = rotate(&at->R, s->own[2]);
    const vec turned = cross(at->w, s->s);
    s->s1 = add(turned, r1);
    s->s2 =
        add(add(cross(at->alpha, s->s), cross(at->w, turned)), add(scale(2, cross(at->w, r1)), r2));
    // how T e_j changes by theta_k, in the link's axes
    for (int j = 0; j < 3; j++) {
      vec by[3];
      turning_columns(&t, theta, vector(unit[c]), vector((const double[3]){0}), vector(unit[j]),
                      by);
      s->other[j] = by[1];
    }
  }
}

// s, s', s'' of all velocities, in world axes.
static void rate_directions(const dls_tree *tree)
{
  const dls_tree_data *data = tree->data;
  const vec none = vector((const double[3]){0});
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    const link_state *at = tree->plain->link + l,
                     *parent = link->parent >= 0 ? tree->plain->link + link->parent : NULL;
    const vec w = parent ? parent->w : none, alpha = parent ? parent->alpha : none;
    const int balls = link->kind == DLS_JOINT_FREE || link->kind == DLS_JOINT_BALL ? 3 : 0;
    for (int k = link->first; k < link->first + link->count - balls; k++) {
      dls_direction *s = data->direction + k;
      s->s = tree->plain->s[k];
      s->s1 = s->s2 = none;
      if (link->kind == DLS_JOINT_FREE) continue;
      s->s1 = cross(w, s->s);
      s->s2 = add(cross(alpha, s->s), cross(w, s->s1));
    }
    if (balls) rate_ball(tree, link, at);
  }
}

void dls_tree_begin_slopes(dls_tree *tree)
{
  rate_directions(tree);
  tree->data->rated = true;
}

static void put(vec a, double out[3])
{
  out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

void dls_tree_slope(const dls_tree *tree, int k, int body, const double r[3], dls_motion_slope *out)
{
  const dls_tree_data *data = tree->data;
  assert(data->rated && k >= 0 && k < tree->n && body >= 0 && body < tree->bodies);
  const link_state *at = tree->plain->link + data->link_of[body],
                   *joint = tree->plain->link + data->link_at[k];
  const dls_direction *d = data->direction + k;
  *out = (dls_motion_slope){0};
  if (!tree->turns[k]) {
    put(d->s, out->x.shift), put(d->s1, out->rate_x.shift), put(d->s2, out->acceleration_x.shift);
    put(scale(2, d->s1), out->acceleration_v.shift);
    return;
  }
  const vec on = add(rotate(&at->R, tree->plain->body[body].r), vector(r));
  vec way = on, rate, bend;
  if (at != joint) way = add(way, sub(at->o, joint->o));
  const vec spin = cross(at->w, on);
  rate = add(sub(at->v, joint->v), spin);
  bend = add(sub(at->a, joint->a), add(cross(at->alpha, on), cross(at->w, spin)));
  const vec turn_rate = add(d->s1, cross(d->s, at->w));
  const vec shift_rate = add(cross(d->s1, way), cross(d->s, rate));
  put(d->s, out->x.turn), put(cross(d->s, way), out->x.shift);
  put(turn_rate, out->rate_x.turn), put(shift_rate, out->rate_x.shift);
  put(add(d->s2, add(cross(d->s1, at->w), cross(d->s, at->alpha))), out->acceleration_x.turn);
  put(add(add(cross(d->s2, way), scale(2, cross(d->s1, rate))), cross(d->s, bend)),
      out->acceleration_x.shift);
  put(sub(scale(2, turn_rate), cross(d->s, at->w)), out->acceleration_v.turn);
  put(scale(2, shift_rate), out->acceleration_v.shift);
}

// ---- composites ---------------------------------------------------------------------------------

static vec covariance_times(const sym *J, vec a)
{
  return sub(scale(0.5 * (J->xx + J->yy + J->zz), a), sym_times(J, a));
}

static mat mat_add(const mat *a, const mat *b)
{
  return (mat){add(a->x, b->x), add(a->y, b->y), add(a->z, b->z)};
}

// d F^T
static mat outer(vec d, vec F)
{
  return (mat){scale(F.x, d), scale(F.y, d), scale(F.z, d)};
}

// What a link alone has of each sum.
static void start_composite(const link_form *form, const link_state *at, dls_composite *c)
{
  const vec none = vector((const double[3]){0});
  *c = (dls_composite){.weight = form->weight, .heavy = rotate(&at->R, form->heavy)};
  c->p = add(scale(form->m, at->v), cross(at->w, at->h));
  const vec Jw = sym_times(&at->I, at->w);
  vec column[3];
  for (int i = 0; i < 3; i++) {
    const vec e = vector(unit[i]);
    column[i] = add(add(cross(at->h, cross(e, at->v)), cross(e, Jw)),
                    covariance_times(&at->I, cross(at->w, e)));
  }
  c->K = (mat){column[0], column[1], column[2]};
  c->force = c->torque = none;
  c->Q = (mat){none, none, none};
}

static void add_wrenches(const dls_tree *tree, const dls_wrench *wrench)
{
  dls_tree_data *data = tree->data;
  for (int b = 0; wrench && b < tree->bodies; b++) {
    const int l = data->link_of[b];
    if (l < 0) continue;
    dls_composite *c = data->composite + l;
    const vec r = rotate(&tree->plain->link[l].R, tree->plain->body[b].r);
    const vec F = vector(wrench[b].force), T = vector(wrench[b].torque);
    const mat Q = outer(r, F);
    c->force = add(c->force, F);
    c->torque = add(c->torque, add(T, cross(r, F)));
    c->Q = mat_add(&c->Q, &Q);
  }
}

// Sums over all that hangs on each link, about its origin.
static void gather(const dls_tree *tree, const dls_wrench *wrench)
{
  dls_tree_data *data = tree->data;
  dls_composite *all = data->composite;
  for (int l = 0; l < data->links; l++)
    start_composite(tree->plain->form + l, tree->plain->link + l, all + l);
  add_wrenches(tree, wrench);
  for (int l = data->links - 1; l >= 0; l--) {
    const int parent = data->link[l].parent;
    if (parent < 0) continue;
    const vec d = tree->plain->link[l].d;
    const dls_composite *c = all + l;
    dls_composite *to = all + parent;
    to->weight += c->weight;
    to->heavy = add(to->heavy, add_scaled(c->heavy, c->weight, d));
    mat far = {cross(d, cross(vector(unit[0]), c->p)), cross(d, cross(vector(unit[1]), c->p)),
               cross(d, cross(vector(unit[2]), c->p))};
    to->p = add(to->p, c->p);
    to->K = mat_add(&to->K, &c->K), to->K = mat_add(&to->K, &far);
    to->force = add(to->force, c->force);
    to->torque = add(to->torque, add(c->torque, cross(d, c->force)));
    far = outer(d, c->force);
    to->Q = mat_add(&to->Q, &c->Q), to->Q = mat_add(&to->Q, &far);
  }
}

// ---- entries ------------------------------------------------------------------------------------

// A force and a torque about a link's origin.
typedef struct push {
  vec f, n;
} push;

// S, S', S'' about the link's origin: angular and linear parts.
typedef struct motion {
  vec s[3], u[3];
} motion;

static motion motion_of(const dls_tree *tree, int k)
{
  const dls_direction *d = tree->data->direction + k;
  const link_state *at = tree->plain->link + tree->data->link_at[k];
  const vec none = vector((const double[3]){0});
  if (!tree->turns[k]) return (motion){{none, none, none}, {d->s, d->s1, d->s2}};
  const vec u1 = scale(-1, cross(d->s, at->v));
  const vec u2 = sub(scale(-2, cross(d->s1, at->v)), cross(d->s, at->a));
  return (motion){{d->s, d->s1, d->s2}, {none, u1, u2}};
}

static push inertia_times(const link_state *at, vec s, vec u)
{
  return (push){add(scale(at->mm, u), cross(s, at->mh)),
                add(cross(at->mh, u), sym_times(&at->mI, s))};
}

static vec wrench_torque(const dls_composite *c, vec s)
{
  return sub(rotate(&c->Q, s), scale(c->Q.x.x + c->Q.y.y + c->Q.z.z, s));
}

// What velocity k changes of the forces on all that it moves: by x (moved: they go along), by x'.
static void column_of(const dls_tree *tree, int k, const motion *S, bool moved, push *by_x,
                      push *by_v)
{
  const int l = tree->data->link_at[k];
  const link_state *at = tree->plain->link + l;
  const dls_composite *c = tree->data->composite + l;
  const vec g = cross(S->s[0], vector(tree->data->gravity));
  const push I1 = inertia_times(at, S->s[1], S->u[1]), I2 = inertia_times(at, S->s[2], S->u[2]);
  by_x->f = add(add(I2.f, scale(c->weight, g)), scale(2, cross(S->s[1], c->p)));
  by_x->n = add(add(I2.n, cross(c->heavy, g)), scale(2, rotate(&c->K, S->s[1])));
  if (moved) {
    by_x->f = add(by_x->f, cross(S->s[0], at->f));
    by_x->n = add(by_x->n, add(cross(S->s[0], at->n), cross(S->u[0], at->f)));
    by_x->n = sub(by_x->n, wrench_torque(c, S->s[0]));
    by_x->n = sub(by_x->n, cross(S->u[0], c->force));
  }
  by_v->f = add(scale(2, I1.f), scale(2, cross(S->s[0], c->p)));
  by_v->n = add(scale(2, I1.n), scale(2, rotate(&c->K, S->s[0])));
}

// How R_k answers to what is above: covectors on S'', on gravity, on S' and S (angular), and on s
// by wrenches.
typedef struct answer {
  push I;
  vec weight, b, wrench;
} answer;

static answer row_of(const dls_tree *tree, int k, const motion *S)
{
  const int l = tree->data->link_at[k];
  const dls_composite *c = tree->data->composite + l;
  const vec s = S->s[0], u = S->u[0];
  answer a = {.I = inertia_times(tree->plain->link + l, s, u)};
  a.weight = add(cross(s, c->heavy), scale(c->weight, u));
  a.b = scale(2, add(rotate_back(&c->K, s), cross(c->p, u)));
  const double trace = c->Q.x.x + c->Q.y.y + c->Q.z.z;
  a.wrench = add(cross(u, c->force),
                 sub(add(cross(s, c->torque), rotate_back(&c->Q, s)), scale(trace, s)));
  if (!tree->turns[k]) a.wrench = cross(u, c->force);
  return a;
}

static double meet(const push *p, vec s, vec u)
{
  return dot(p->n, s) + dot(p->f, u);
}

static double row_by_x(const dls_tree *tree, const answer *a, const motion *S)
{
  const vec g = cross(S->s[0], vector(tree->data->gravity));
  return meet(&a->I, S->s[2], S->u[2]) + dot(a->weight, g) + dot(a->b, S->s[1]) -
         dot(a->wrench, S->s[0]);
}

static double row_by_v(const answer *a, const motion *S)
{
  return 2 * meet(&a->I, S->s[1], S->u[1]) + dot(a->b, S->s[0]);
}

// Do velocities j and k of one link turn its ball, both?
static bool of_one_ball(const dls_tree *tree, int j, int k)
{
  const dls_link *link = tree->data->link + tree->data->link_at[k];
  return link->count > 1 && tree->data->link_at[j] == tree->data->link_at[k] && tree->turns[j] &&
         tree->turns[k];
}

// The entry (j, k) of two velocities of one ball: s_j turns with theta_k, and T changes.
static double ball_by_x(const dls_tree *tree, int j, int k, const motion *Sj, const push *by_x)
{
  const int l = tree->data->link_at[k], first = tree->data->link[l].first;
  const link_state *at = tree->plain->link + l;
  const dls_composite *c = tree->data->composite + l;
  const int of = j - (first + tree->data->link[l].count - 3);
  const vec turned = rotate(&at->R, tree->data->direction[k].other[of]);
  const vec s = tree->data->direction[k].s;
  return dot(by_x->n, Sj->s[0]) + dot(turned, sub(at->n, c->torque)) -
         dot(cross(s, Sj->s[0]), c->torque) - dot(Sj->s[0], wrench_torque(c, s));
}

typedef struct entries {
  const int *place;  // of M's pattern in that of slopes; NULL: the same
  double *R_q, *R_v;
} entries;

static void enter(const entries *e, int at, double by_x, double by_v)
{
  const int to = e->place ? e->place[at] : at;
  e->R_q[to] = by_x, e->R_v[to] = by_v;
}

static void lift(push *p, vec d)
{
  p->n = add(p->n, cross(d, p->f));
}

// All entries of column k above the diagonal, and of row k left of it.
static void fill(const dls_tree *tree, int k, const entries *out)
{
  dls_tree_data *data = tree->data;
  const int *p = tree->mass.p;
  const motion S = motion_of(tree, k);
  push by_x, by_v, still_x, still_v;
  column_of(tree, k, &S, true, &by_x, &by_v);
  column_of(tree, k, &S, false, &still_x, &still_v);
  answer row = row_of(tree, k, &S);
  int l = data->link_at[k];
  data->next[k] = p[k] + tree->depth[k] + 1;
  for (int j = k; j >= 0; j = tree->above[j]) {
    for (; l != data->link_at[j]; l = data->link[l].parent) {
      const vec d = tree->plain->link[l].d;
      lift(&by_x, d), lift(&by_v, d), lift(&row.I, d);
    }
    const motion Sj = motion_of(tree, j);
    const bool ball = of_one_ball(tree, j, k);
    const int upper = p[k] + tree->depth[j];
    const double up_x = ball ? ball_by_x(tree, j, k, &Sj, &still_x) : meet(&by_x, Sj.s[0], Sj.u[0]);
    enter(out, upper, up_x, meet(&by_v, Sj.s[0], Sj.u[0]));
    if (j == k) continue;
    double low_x = row_by_x(tree, &row, &Sj);
    if (ball) {
      push other_x, other_v;
      column_of(tree, j, &Sj, false, &other_x, &other_v);
      low_x = ball_by_x(tree, k, j, &S, &other_x);
    }
    enter(out, data->next[j]++, low_x, row_by_v(&row, &Sj));
  }
}

// ---- joints, tendons, actuators -----------------------------------------------------------------

static void add_at(const dls_tree *tree, double *R, int i, int j, double x)
{
  const int *p = tree->slope.p, *row = tree->slope.i;
  int low = p[j], high = p[j + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (row[middle] < i) low = middle + 1;
    else high = middle;
  }
  assert(low < p[j + 1] && row[low] == i);
  R[low] += x;
}

// T^T (armature alpha + damping w - push) of a ball, all in its link's axes.
static void add_ball(const dls_tree *tree, int l, vec pushed, double *R_q, double *R_v)
{
  const dls_tree_data *data = tree->data;
  const dls_link *link = data->link + l;
  const link_state *at = tree->plain->link + l;
  const int b = link->first + link->count - 3;
  const double armature = data->armature[link->first], damping = data->damping[link->first];
  const vec w = rotate(&at->T, vector(data->x_dot + b)),
            alpha = add(at->bias, rotate(&at->T, vector(data->x_ddot + b)));
  const vec z = sub(add(scale(armature, alpha), scale(damping, w)), pushed);
  for (int k = 0; k < 3; k++) {
    const vec *own = data->direction[b + k].own;
    const vec w_x = add(own[1], cross(w, own[0]));
    const vec alpha_x = add(own[2], add(cross(alpha, own[0]), cross(w, own[1])));
    const vec by_x = add(scale(armature, alpha_x), scale(damping, w_x));
    const vec by_v = add(scale(armature, add(w_x, own[1])), scale(damping, own[0]));
    for (int j = 0; j < 3; j++) {
      const vec t = data->direction[b + j].own[0];
      add_at(tree, R_q, b + j, b + k, dot(data->direction[b + k].other[j], z) + dot(t, by_x));
      add_at(tree, R_v, b + j, b + k, dot(t, by_v));
    }
  }
}

static void add_joints(const dls_tree *tree, double *R_q, double *R_v)
{
  const dls_tree_data *data = tree->data;
  const vec none = vector((const double[3]){0});
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    const int k = link->first, straight = link->count == 6 ? 3 : link->count == 1 ? 1 : 0;
    for (int c = k; c < k + straight && data->damping[k] != 0; c++)
      add_at(tree, R_v, c, c, data->damping[c]);
    if (link->count == 1 && data->stiffness[k] != 0) add_at(tree, R_q, k, k, data->stiffness[k]);
    if (link->count > 1 && (data->armature[k] != 0 || data->damping[k] != 0))
      add_ball(tree, l, none, R_q, R_v);
  }
}

static void add_product(const dls_tree *tree, int tendon, double by_x, double by_v, double *R_q,
                        double *R_v)
{
  const dls_tree_data *data = tree->data;
  const dls_tendon_copy *of = data->tendon + tendon;
  const dls_tendon_term *term = data->term + of->first;
  for (int i = 0; i < of->terms; i++)
    for (int j = 0; j < of->terms; j++) {
      const double gear = term[i].gear * term[j].gear;
      if (by_x != 0) add_at(tree, R_q, term[i].v, term[j].v, gear * by_x);
      if (by_v != 0) add_at(tree, R_v, term[i].v, term[j].v, gear * by_v);
    }
}

static void add_tendons(const dls_tree *tree, double *R_q, double *R_v)
{
  const dls_tree_data *data = tree->data;
  for (int t = 0; t < data->tendons; t++) {
    const dls_tendon_copy *of = data->tendon + t;
    double length = 0;
    for (int i = 0; i < of->terms; i++)
      length += data->term[of->first + i].gear * data->x[data->term[of->first + i].v];
    const bool slack = length >= of->rest[0] && length <= of->rest[1] && of->rest[0] < of->rest[1];
    add_product(tree, t, slack ? 0 : of->stiffness, of->damping, R_q, R_v);
  }
}

static void add_actuators(const dls_tree *tree, double *R_q, double *R_v)
{
  const dls_tree_data *data = tree->data;
  for (int i = 0; i < data->actuators; i++) {
    const dls_actuator *a = data->actuator + i;
    if (a->kind == DLS_ACTUATOR_FRAME) continue;  // among the forces on links
    double slope[2];
    const double force = dls_tree_actuator(tree, a, slope), gear = a->gear[0];
    const double by_x = -gear * slope[0], by_v = -gear * slope[1];
    if (a->kind == DLS_ACTUATOR_TENDON) {
      add_product(tree, a->of, by_x, by_v, R_q, R_v);
      continue;
    }
    const dls_link *link = data->link + a->of;
    if (link->count == 1) {
      if (by_x != 0) add_at(tree, R_q, link->first, link->first, by_x);
      if (by_v != 0) add_at(tree, R_v, link->first, link->first, by_v);
      continue;
    }
    const vec pushed = scale(force, vector(a->gear + (link->count == 6 ? 3 : 0)));
    const int b = link->first + link->count - 3;
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++)
        add_at(tree, R_q, b + j, b + k, -dot(data->direction[b + k].other[j], pushed));
  }
}

void dls_tree_differentiate(dls_tree *tree, const dls_wrench *wrench, double *R_q, double *R_v)
{
  dls_tree_data *data = tree->data;
  const int count = tree->slope.p[tree->n];
  assert(data->rated);
  dls_tree_plain_forces(tree, data->work, NULL);
  dls_tree_plain_gather(tree);
  gather(tree, wrench);
  if (data->slope_place) dls_clear(R_q, count), dls_clear(R_v, count);
  const entries out = {data->slope_place, R_q, R_v};
  for (int k = 0; k < tree->n; k++) fill(tree, k, &out);
  add_joints(tree, R_q, R_v);
  add_tendons(tree, R_q, R_v);
  add_actuators(tree, R_q, R_v);
}
