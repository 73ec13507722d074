// The recursions over the links, over the numbers of linalg/number.h: included once for doubles,
// and once for doubles with bounds.
#include "body/tree_internal.h"
#include "body/turning.h"

// -- motion --------------------------------------------------------------------------------------

// Axes, angular velocity and its rate of balls and free bodies; w and alpha are those before.
static void move_ball(const dls_tree *tree, const dls_link *link, const link_form *form,
                      link_state *at, vec *s)
{
  const struct dls_tree_data *data = tree->data;
  const int k = link->first + link->count - 3;
  const vec theta = vector(data->x + k), rate = vector(data->x_dot + k);
  const num y = dot(theta, theta);
  at->R = link->kind == DLS_JOINT_FREE ? form->centre : product(&at->R, &form->centre);
  at->T = identity();
  mat S = at->R;
  at->bias = vector((const double[3]){0});
  if (value(y) > 0) {
    const turning t = turning_at(y);
    const mat turn = turning_exp(&t, theta, y);
    at->R = product(&at->R, &turn);
    at->T = turning_rate(&t, theta, y);
    S = product(&at->R, &at->T);
    at->bias = turning_bias(&t, theta, rate);
  }
  s[k] = S.x, s[k + 1] = S.y, s[k + 2] = S.z;
  const vec own = rotate(&S, rate);
  at->w = add(at->w, own);
  at->alpha = add(add(at->alpha, cross(at->w, own)),
                  add(rotate(&at->R, at->bias), rotate(&S, vector(data->x_ddot + k))));
}

static void move_hinge(const dls_tree *tree, const dls_link *link, const link_form *form,
                       link_state *at, vec *s)
{
  const struct dls_tree_data *data = tree->data;
  const int k = link->first;
  const num angle = minus(exact(data->x[k]), exact(data->reference[link->q]));
  const mat turn = turned_about(form->axis, angle);
  s[k] = rotate(&at->R, form->axis);
  at->R = product(&at->R, &turn);
  const vec own = scale(exact(data->x_dot[k]), s[k]);
  at->alpha = add(add(at->alpha, cross(at->w, own)), scale(exact(data->x_ddot[k]), s[k]));
  at->w = add(at->w, own);
}

// The origin goes along; v and a are those of the parent's point.
static void move_slide(const dls_tree *tree, const dls_link *link, const link_form *form,
                       link_state *at, vec *s)
{
  const struct dls_tree_data *data = tree->data;
  const int k = link->first;
  const num way = minus(exact(data->x[k]), exact(data->reference[link->q]));
  s[k] = rotate(&at->R, form->axis);
  at->d = add(at->d, scale(way, s[k]));
  const vec own = scale(exact(data->x_dot[k]), s[k]);
  at->v = add(at->v, own);
  at->a = add(at->a, add(scale(exact(2), cross(at->w, own)), scale(exact(data->x_ddot[k]), s[k])));
}

static void move_free(const dls_tree *tree, const dls_link *link, link_state *at, vec *s)
{
  const struct dls_tree_data *data = tree->data;
  const int k = link->first;
  const mat world = identity();
  at->base = vector(data->x + k);
  at->v = vector(data->x_dot + k), at->a = vector(data->x_ddot + k);
  s[k] = world.x, s[k + 1] = world.y, s[k + 2] = world.z;
}

// What the parent hands down: the axes at the reference, and the motion of its point at d, which a
// slide still has to move.
static void hand_down(const link_form *form, const link_state *parent, link_state *at)
{
  const vec none = vector((const double[3]){0});
  if (!parent) {
    at->R = form->E, at->base = form->D;
    at->d = at->v = at->w = at->a = at->alpha = at->o = none;
    return;
  }
  at->R = form->turned ? product(&parent->R, &form->E) : parent->R;
  at->base = parent->base;
  at->d = rotate(&parent->R, form->D);
  at->v = parent->v, at->w = parent->w, at->a = parent->a, at->alpha = parent->alpha;
}

void TREE(move)(dls_tree *tree)
{
  const struct dls_tree_data *data = tree->data;
  struct dls_tree_numbers *own = tree->OWN;
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    const link_form *form = own->form + l;
    link_state *at = own->link + l;
    const link_state *parent = link->parent >= 0 ? own->link + link->parent : NULL;
    hand_down(form, parent, at);
    if (link->kind == DLS_JOINT_SLIDE) move_slide(tree, link, form, at, own->s);
    if (link->kind == DLS_JOINT_FREE) move_free(tree, link, at, own->s);
    if (parent) {
      const vec way = cross(parent->w, at->d);
      at->o = add(parent->o, at->d);
      at->v = add(at->v, way);
      at->a = add(at->a, add(cross(parent->alpha, at->d), cross(parent->w, way)));
    } else {
      at->o = at->d;
    }
    if (link->kind == DLS_JOINT_HINGE) move_hinge(tree, link, form, at, own->s);
    if (link->kind == DLS_JOINT_BALL || link->kind == DLS_JOINT_FREE)
      move_ball(tree, link, form, at, own->s);
    at->h = rotate(&at->R, form->h);
    at->I = turned(&at->R, &form->I);
  }
}

// -- frames on bodies ----------------------------------------------------------------------------

static void put(vec a, double *to, double *error)
{
  to[0] = value(a.x), to[1] = value(a.y), to[2] = value(a.z);
  if (error) error[0] = bound_of(a.x), error[1] = bound_of(a.y), error[2] = bound_of(a.z);
}

static bool is_one(const double q[4])
{
  return q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

static void put_axes(const mat *R, double *to, double *error)
{
  const vec column[3] = {R->x, R->y, R->z};
  for (int j = 0; j < 3; j++) {
    const num entry[3] = {column[j].x, column[j].y, column[j].z};
    for (int i = 0; i < 3; i++) {
      to[3 * i + j] = value(entry[i]);
      if (error) error[3 * i + j] = bound_of(entry[i]);
    }
  }
}

void TREE(motion)(const dls_tree *tree, int body, const dls_pose *frame, dls_solid_motion *motion,
                  dls_solid_motion_error *error)
{
  const struct dls_tree_numbers *own = tree->OWN;
  const int l = body >= 0 ? tree->data->link_of[body] : -1;
  mat E = body >= 0 ? own->body[body].E : identity();
  vec r = body >= 0 ? own->body[body].r : vector((const double[3]){0});
  if (frame) r = add(r, rotate(&E, vector(frame->position)));
  if (frame && !is_one(frame->quaternion)) {
    const mat turn = rotation(frame->quaternion);
    E = product(&E, &turn);
  }
  memset(motion, 0, sizeof *motion);
  if (error) memset(error, 0, sizeof *error);
  if (l >= 0) {
    const link_state *at = own->link + l;
    r = rotate(&at->R, r);
    E = product(&at->R, &E);
    const vec way = cross(at->w, r);
    put(add(at->v, way), motion->v, error ? error->v : NULL);
    put(add(at->a, add(cross(at->alpha, r), cross(at->w, way))), motion->a,
        error ? error->a : NULL);
    put(at->w, motion->w, error ? error->w : NULL);
    put(at->alpha, motion->alpha, error ? error->alpha : NULL);
    r = add(at->base, add(at->o, r));
  }
  put(r, motion->p, error ? error->p : NULL);
  put_axes(&E, motion->R, error ? error->R : NULL);
}

static vec given(const double r[3], const double *error)
{
#ifdef DLS_BOUNDED
  if (error) return (vec){{r[0], error[0]}, {r[1], error[1]}, {r[2], error[2]}};
#else
  (void)error;
#endif
  return vector(r);
}

void TREE(column)(const dls_tree *tree, int k, int body, const double r[3], const double *r_error,
                  dls_twist *column, dls_twist *error)
{
  const struct dls_tree_data *data = tree->data;
  const struct dls_tree_numbers *own = tree->OWN;
  const link_state *at = own->link + data->link_of[body], *joint = own->link + data->link_at[k];
  const vec none = vector((const double[3]){0}), s = own->s[k];
  if (!tree->turns[k]) {
    put(none, column->turn, error ? error->turn : NULL);
    put(s, column->shift, error ? error->shift : NULL);
    return;
  }
  // lengths within the branch, which may be far from the world's origin
  vec way = add(rotate(&at->R, own->body[body].r), given(r, r_error));
  if (at != joint) way = add(way, sub(at->o, joint->o));
  put(s, column->turn, error ? error->turn : NULL);
  put(cross(s, way), column->shift, error ? error->shift : NULL);
}

// -- M -------------------------------------------------------------------------------------------

static void gather_inertia(const struct dls_tree_data *data, struct dls_tree_numbers *own)
{
  for (int l = 0; l < data->links; l++) {
    link_state *at = own->link + l;
    at->mm = own->form[l].m, at->mh = at->h, at->mI = at->I;
  }
  for (int l = data->links - 1; l >= 0; l--) {
    if (data->link[l].parent < 0) continue;
    const link_state *at = own->link + l;
    link_state *to = own->link + data->link[l].parent;
    const sym far = moment(add_scaled(at->mh, times(exact(0.5), at->mm), at->d), at->d);
    const sym sum = sym_add(&at->mI, &far);
    to->mm = plus(to->mm, at->mm);
    to->mh = add(to->mh, add_scaled(at->mh, at->mm, at->d));
    to->mI = sym_add(&to->mI, &sum);
  }
}

// A direction of a link in its own axes: exactly what it was before it turned.
static vec local_direction(const dls_link *link, const link_form *form, const link_state *at, int k)
{
  if (link->kind == DLS_JOINT_HINGE) return form->axis;
  const int c = k - (link->first + link->count - 3);
  return c == 0 ? at->T.x : c == 1 ? at->T.y : at->T.z;
}

// The entry of two velocities of one link, k's column being (f, n).
static num own_entry(const dls_tree *tree, int l, int j, int k, vec f, vec n)
{
  const struct dls_tree_data *data = tree->data;
  const struct dls_tree_numbers *own = tree->OWN;
  const dls_link *link = data->link + l;
  const link_form *form = own->form + l;
  const link_state *at = own->link + l;
  const num armature = exact(data->armature[k]);
  if (!tree->turns[j] || !tree->turns[k]) {
    const num entry = dot(own->s[j], tree->turns[j] ? n : f);
    return j == k ? plus(entry, armature) : entry;
  }
  const vec a = local_direction(link, form, at, j), b = local_direction(link, form, at, k);
  // constant where nothing hangs on it, to the bit: factors of M are kept then
  num entry = dot(a, sym_times(&form->I, b));
  if (!link->leaf) entry = dot(own->s[j], n);
  if (link->kind == DLS_JOINT_HINGE) return plus(entry, armature);
  return plus(entry, times(armature, dot(a, b)));
}

// Column k of M, upwards from the diagonal: composite bodies.                          eq (tre.4)
static void fill_column(const dls_tree *tree, int k, double *out, double *bound)
{
  const struct dls_tree_data *data = tree->data;
  const struct dls_tree_numbers *own = tree->OWN;
  int l = data->link_at[k];
  const link_state *at = own->link + l;
  const vec s = own->s[k];
  const vec f = tree->turns[k] ? cross(s, at->mh) : scale(at->mm, s);
  vec n = tree->turns[k] ? sym_times(&at->mI, s) : cross(at->mh, s);
  const ptrdiff_t top = tree->mass.p[k];
  for (int j = k; j >= 0; j = tree->above[j]) {
    const bool same = data->link_at[j] == data->link_at[k];
    for (; l != data->link_at[j]; l = data->link[l].parent) n = add(n, cross(own->link[l].d, f));
    const num entry =
        same ? own_entry(tree, l, j, k, f, n) : dot(own->s[j], tree->turns[j] ? n : f);
    out[top + tree->depth[j]] = value(entry);
    if (bound) bound[top + tree->depth[j]] = bound_of(entry);
  }
}

void TREE(gather)(dls_tree *tree)
{
  gather_inertia(tree->data, tree->OWN);
}

void TREE(mass)(dls_tree *tree, double *M, double *bound)
{
  gather_inertia(tree->data, tree->OWN);
  for (int k = 0; k < tree->n; k++) fill_column(tree, k, M, bound);
}

// -- forces --------------------------------------------------------------------------------------

// The force of an actuator, from the length and the rate of what it acts on.
static num actuator_force(const dls_tree *tree, const dls_actuator *actuator)
{
  const struct dls_tree_data *data = tree->data;
  num length = exact(0), rate = exact(0);
  if (actuator->kind == DLS_ACTUATOR_TENDON) {
    const dls_tendon_copy *tendon = data->tendon + actuator->of;
    for (int t = 0; t < tendon->terms; t++) {
      const dls_tendon_term *term = data->term + tendon->first + t;
      length = plus(length, times(exact(term->gear), exact(data->x[term->v])));
      rate = plus(rate, times(exact(term->gear), exact(data->x_dot[term->v])));
    }
  } else if (actuator->kind == DLS_ACTUATOR_JOINT && data->link[actuator->of].count == 1) {
    const int k = data->link[actuator->of].first;
    length = exact(data->x[k]), rate = exact(data->x_dot[k]);
  }
  const num gear = exact(actuator->gear[0]);
  num force =
      plus(times(exact(actuator->gain), exact(actuator->control)), exact(actuator->bias[0]));
  force = plus(force, times(exact(actuator->bias[1]), times(gear, length)));
  force = plus(force, times(exact(actuator->bias[2]), times(gear, rate)));
  return actuator->limited ? clipped(force, actuator->range[0], actuator->range[1]) : force;
}

// Takes a force in a frame that stands on a body from those that its link needs.
static void push_frame(const dls_tree *tree, const dls_actuator *actuator, num force)
{
  const struct dls_tree_data *data = tree->data;
  struct dls_tree_numbers *own = tree->OWN;
  const int l = data->link_of[actuator->of];
  if (l < 0) return;
  link_state *at = own->link + l;
  const body_form *body = own->body + actuator->of;
  const mat turn = rotation(actuator->frame.quaternion), E = product(&body->E, &turn),
            R = product(&at->R, &E);
  const vec r = rotate(&at->R, add(body->r, rotate(&body->E, vector(actuator->frame.position))));
  const vec f = scale(force, rotate(&R, vector(actuator->gear)));
  at->f = sub(at->f, f);
  at->n = sub(at->n, add(cross(r, f), scale(force, rotate(&R, vector(actuator->gear + 3)))));
}

static void push_joint(const dls_tree *tree, const dls_actuator *actuator, num force, num *R)
{
  const struct dls_tree_numbers *own = tree->OWN;
  const dls_link *link = tree->data->link + actuator->of;
  const int straight = link->count == 6 ? 3 : link->count == 1 ? 1 : 0;
  for (int c = 0; c < straight; c++)
    R[link->first + c] = minus(R[link->first + c], times(exact(actuator->gear[c]), force));
  if (link->count == 1) return;
  const mat *T = &own->link[actuator->of].T;
  const vec push = rotate_back(T, scale(force, vector(actuator->gear + straight)));
  num *to = R + link->first + straight;
  to[0] = minus(to[0], push.x), to[1] = minus(to[1], push.y), to[2] = minus(to[2], push.z);
}

static void push_tendon(const struct dls_tree_data *data, int tendon, num force, num *R)
{
  const dls_tendon_copy *of = data->tendon + tendon;
  for (int t = 0; t < of->terms; t++) {
    const dls_tendon_term *term = data->term + of->first + t;
    R[term->v] = minus(R[term->v], times(exact(term->gear), force));
  }
}

// Armature, damping and the spring of a joint.
static void add_joint(const dls_tree *tree, int l, num *R)
{
  const struct dls_tree_data *data = tree->data;
  const dls_link *link = data->link + l;
  const int k = link->first, straight = link->count == 6 ? 3 : link->count == 1 ? 1 : 0;
  const num armature = exact(data->armature[k]), damping = exact(data->damping[k]);
  for (int c = k; c < k + straight; c++) {
    R[c] = plus(R[c], times(armature, exact(data->x_ddot[c])));
    R[c] = plus(R[c], times(damping, exact(data->x_dot[c])));
  }
  if (link->count == 1 && data->stiffness[k] != 0)
    R[k] = plus(R[k],
                times(exact(data->stiffness[k]), minus(exact(data->x[k]), exact(data->rest[k]))));
  if (link->count == 1 || (data->armature[k] == 0 && data->damping[k] == 0)) return;
  const link_state *at = tree->OWN->link + l;
  const int b = k + straight;
  const vec w = rotate(&at->T, vector(data->x_dot + b)),
            alpha = add(at->bias, rotate(&at->T, vector(data->x_ddot + b)));
  const vec sum = rotate_back(&at->T, add(scale(armature, alpha), scale(damping, w)));
  R[b] = plus(R[b], sum.x), R[b + 1] = plus(R[b + 1], sum.y), R[b + 2] = plus(R[b + 2], sum.z);
}

static void add_tendon(const struct dls_tree_data *data, int tendon, num *R)
{
  const dls_tendon_copy *of = data->tendon + tendon;
  num length = exact(0), rate = exact(0);
  for (int t = 0; t < of->terms; t++) {
    const dls_tendon_term *term = data->term + of->first + t;
    length = plus(length, times(exact(term->gear), exact(data->x[term->v])));
    rate = plus(rate, times(exact(term->gear), exact(data->x_dot[term->v])));
  }
  // the spring is as long as nothing pulls it anywhere in rest[0] ... rest[1]
  const num stretch = minus(length, clipped(length, of->rest[0], of->rest[1]));
  const num pull = plus(times(exact(of->stiffness), stretch), times(exact(of->damping), rate));
  push_tendon(data, tendon, minus(exact(0), pull), R);
}

// Force and torque that each link needs by itself: what moves, and gravity.
static void need(const struct dls_tree_data *data, const link_form *form, link_state *at)
{
  const vec g = vector(data->gravity), a = form->carried ? at->a : sub(at->a, g);
  at->f = add(add(scale(form->m, a), cross(at->alpha, at->h)), cross(at->w, cross(at->w, at->h)));
  at->n = add(add(cross(at->h, a), sym_times(&at->I, at->alpha)),
              cross(at->w, sym_times(&at->I, at->w)));
  if (!form->carried) return;
  at->f = sub(at->f, scale(form->weight, g));
  at->n = sub(at->n, cross(rotate(&at->R, form->heavy), g));
}

// R = M x'' + F: recursive Newton-Euler.                                               eq (tre.5)
void TREE(forces)(dls_tree *tree, double *out, double *bound)
{
  const struct dls_tree_data *data = tree->data;
  struct dls_tree_numbers *own = tree->OWN;
  num *R = own->R;
  for (int l = 0; l < data->links; l++) need(data, own->form + l, own->link + l);
  for (int i = 0; i < data->actuators; i++)
    if (data->actuator[i].kind == DLS_ACTUATOR_FRAME)
      push_frame(tree, data->actuator + i, actuator_force(tree, data->actuator + i));
  for (int l = data->links - 1; l >= 0; l--) {
    const dls_link *link = data->link + l;
    const link_state *at = own->link + l;
    for (int k = link->first; k < link->first + link->count; k++)
      R[k] = dot(own->s[k], tree->turns[k] ? at->n : at->f);
    add_joint(tree, l, R);
    if (link->parent < 0) continue;
    link_state *to = own->link + link->parent;
    to->f = add(to->f, at->f);
    to->n = add(to->n, add(at->n, cross(at->d, at->f)));
  }
  for (int i = 0; i < data->tendons; i++) add_tendon(data, i, R);
  for (int i = 0; i < data->actuators; i++) {
    const dls_actuator *actuator = data->actuator + i;
    const num force = actuator_force(tree, actuator);
    if (actuator->kind == DLS_ACTUATOR_JOINT) push_joint(tree, actuator, force, R);
    if (actuator->kind == DLS_ACTUATOR_TENDON)
      push_tendon(data, actuator->of, times(exact(actuator->gear[0]), force), R);
  }
  for (int k = 0; k < tree->n; k++) {
    out[k] = value(R[k]);
    if (bound) bound[k] = bound_of(R[k]);
  }
}

// -- constants -----------------------------------------------------------------------------------

static vec unit(const double a[3])
{
  const vec v = vector(a);
  const num over_length = over(exact(1), root(dot(v, v)));
  // an axis of the frame, as most are, stays exact
  if ((a[0] != 0) + (a[1] != 0) + (a[2] != 0) == 1)
    return vector((const double[3]){(a[0] > 0) - (a[0] < 0), (a[1] > 0) - (a[1] < 0),
                                    (a[2] > 0) - (a[2] < 0)});
  return scale(over_length, v);
}

// Adds the inertia of a body to its link's.
static void add_body(const dls_rigid_body *body, const body_form *at, link_form *to)
{
  const double *I = body->inertia;
  const sym own = {exact(I[0]), exact(I[1]), exact(I[2]), exact(I[3]), exact(I[4]), exact(I[5])};
  const num m = exact(body->mass);
  const vec c = add(at->r, rotate(&at->E, vector(body->centre)));
  const sym turn = at->turned ? turned(&at->E, &own) : own;
  const sym far = moment(scale(times(exact(0.5), m), c), c), sum = sym_add(&turn, &far);
  const num weight = times(m, minus(exact(1), exact(body->carried)));
  to->m = plus(to->m, m);
  to->h = add_scaled(to->h, m, c);
  to->weight = plus(to->weight, weight);
  to->heavy = add_scaled(to->heavy, weight, c);
  to->carried = to->carried || (body->carried != 0 && body->mass != 0);
  to->I = sym_add(&to->I, &sum);
}

// The links of a body's joints: *frame is where its own frame stands, at first on the parent's
// link.
static void build_joints(const dls_tree *tree, const dls_mechanism *mechanism, int b,
                         body_form *frame)
{
  const struct dls_tree_data *data = tree->data;
  struct dls_tree_numbers *own = tree->OWN;
  const vec none = vector((const double[3]){0});
  for (int l = data->first_link[b]; l < data->first_link[b + 1]; l++) {
    const dls_joint *joint = mechanism->joint + l;
    const bool turns = joint->kind == DLS_JOINT_BALL || joint->kind == DLS_JOINT_HINGE;
    const vec anchor = turns ? vector(joint->anchor) : none;
    link_form *form = own->form + l;
    form->E = frame->E, form->turned = frame->turned;
    form->D = add(frame->r, rotate(&frame->E, anchor));
    form->axis =
        joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE ? unit(joint->axis) : none;
    frame->E = identity(), frame->turned = false;
    frame->r = sub(none, anchor);
  }
}

void TREE(build)(dls_tree *tree, const dls_mechanism *mechanism)
{
  const struct dls_tree_data *data = tree->data;
  struct dls_tree_numbers *own = tree->OWN;
  const vec none = vector((const double[3]){0});
  for (int l = 0; l < data->links; l++) {
    own->form[l].m = own->form[l].weight = exact(0), own->form[l].h = own->form[l].heavy = none;
    own->form[l].carried = false;
    own->form[l].I = (sym){none.x, none.x, none.x, none.x, none.x, none.x};
  }
  for (int b = 0; b < mechanism->bodies; b++) {
    const dls_rigid_body *body = mechanism->body + b;
    body_form frame = {.E = identity(), .r = none};
    if (body->parent >= 0) frame = own->body[body->parent];
    frame.r = add(frame.r, rotate(&frame.E, vector(body->pose.position)));
    if (!is_one(body->pose.quaternion)) {
      const mat turn = rotation(body->pose.quaternion);
      frame.E = product(&frame.E, &turn), frame.turned = true;
    }
    build_joints(tree, mechanism, b, &frame);
    own->body[b] = frame;
    if (data->link_of[b] >= 0) add_body(body, &frame, own->form + data->link_of[b]);
  }
}

void TREE(centre)(dls_tree *tree)
{
  const struct dls_tree_data *data = tree->data;
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    if (link->kind == DLS_JOINT_BALL) tree->OWN->form[l].centre = rotation(data->centre + link->q);
    if (link->kind == DLS_JOINT_FREE)
      tree->OWN->form[l].centre = rotation(data->centre + link->q + 3);
  }
}

bool TREE(create)(dls_tree *tree)
{
  const struct dls_tree_data *data = tree->data;
  struct dls_tree_numbers *own = dls_arena_alloc(data->arena, 1, sizeof *own);
  if (!own) return false;
  tree->OWN = own;
  const ptrdiff_t n = (ptrdiff_t)tree->n + 1, links = (ptrdiff_t)data->links + 1;
  return (own->form = dls_arena_alloc(data->arena, links, sizeof *own->form)) &&
         (own->link = dls_arena_alloc(data->arena, links, sizeof *own->link)) &&
         (own->body =
              dls_arena_alloc(data->arena, (ptrdiff_t)tree->bodies + 1, sizeof *own->body)) &&
         (own->s = dls_arena_alloc(data->arena, n, sizeof *own->s)) &&
         (own->R = dls_arena_alloc(data->arena, n, sizeof *own->R));
}
