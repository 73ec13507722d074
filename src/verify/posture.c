#include "verify/posture.h"

#include "base/message.h"

#include <math.h>

// ---- the plan ----------------------------------------------------------------------------------

static const int joint_nq[] = {[DLS_JOINT_FREE] = 7, [DLS_JOINT_BALL] = 4, 1, 1};
static const int joint_nv[] = {[DLS_JOINT_FREE] = 6, [DLS_JOINT_BALL] = 3, 1, 1};

static bool all_finite(const double *x, int count)
{
  bool finite = true;
  for (int i = 0; i < count; i++) finite &= isfinite(x[i]) != 0;
  return finite;
}

static bool is_turn(const double q[4])
{
  return all_finite(q, 4) && (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0);
}

static bool sound_body(const dls_rigid_body *b, int index)
{
  return b->parent >= DLS_WORLD && b->parent < index && all_finite(b->pose.position, 3) &&
         is_turn(b->pose.quaternion) && isfinite(b->mass) && all_finite(b->centre, 3) &&
         all_finite(b->inertia, 6) && isfinite(b->carried);
}

static bool sound_joint(const dls_mechanism *m, int j)
{
  const dls_joint *joint = &m->joint[j];
  const bool plain = joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE;
  const bool axis = joint->axis[0] != 0 || joint->axis[1] != 0 || joint->axis[2] != 0;
  return joint->kind >= DLS_JOINT_FREE && joint->kind <= DLS_JOINT_SLIDE && joint->body >= 0 &&
         joint->body < m->bodies && (j == 0 || joint->body >= m->joint[j - 1].body) &&
         (joint->kind != DLS_JOINT_FREE || m->body[joint->body].parent == DLS_WORLD) &&
         all_finite(joint->anchor, 3) && all_finite(joint->axis, 3) && (!plain || axis) &&
         isfinite(joint->reference);
}

static dls_status check_sound(const dls_mechanism *m, dls_message *message)
{
  for (int b = 0; b < m->bodies; b++)
    if (!sound_body(&m->body[b], b))
      return dls_fail(message, DLS_ERR_MODEL, "body `%.60s` has no sound numbers", m->body[b].name);
  for (int j = 0; j < m->joints; j++)
    if (!sound_joint(m, j))
      return dls_fail(message, DLS_ERR_MODEL, "joint `%.60s` has no sound numbers",
                      m->joint[j].name);
  return DLS_OK;
}

// q and v in the order of the bodies, and of the joints on each.
static void number_joints(dls_posture_plan *plan)
{
  const dls_mechanism *m = plan->mechanism;
  for (int b = 0, j = 0; b < m->bodies; b++) {
    plan->first[b] = plan->n;
    plan->parent[b] = m->body[b].parent;
    for (; j < m->joints && m->joint[j].body == b; j++) {
      plan->joint_q[j] = plan->nq, plan->joint_v[j] = plan->n;
      plan->nq += joint_nq[m->joint[j].kind], plan->n += joint_nv[m->joint[j].kind];
    }
  }
}

// Every body with a joint is free; one that has none stays fixed on its parent.
static void number_bodies(dls_posture_plan *plan)
{
  const dls_mechanism *m = plan->mechanism;
  for (int b = 0, j = 0; b < m->bodies; b++) {
    const bool joined = j < m->joints && m->joint[j].body == b;
    plan->first[b] = plan->n;
    plan->parent[b] = joined ? DLS_WORLD : m->body[b].parent;
    for (; j < m->joints && m->joint[j].body == b; j++) {
      const bool free = m->joint[j].kind == DLS_JOINT_FREE;
      plan->joint_q[j] = free ? plan->nq : -1, plan->joint_v[j] = free ? plan->n : -1;
    }
    if (joined) plan->nq += 7, plan->n += 6;
  }
}

static int deepest(const dls_mechanism *m, int *depth)
{
  int most = 0;
  for (int b = 0, j = 0; b < m->bodies; b++) {
    const int parent = m->body[b].parent;
    depth[b] = 1 + (parent == DLS_WORLD ? 0 : depth[parent]);
    for (; j < m->joints && m->joint[j].body == b; j++) depth[b]++;
    if (depth[b] > most) most = depth[b];
  }
  return most;
}

dls_status dls_posture_plan_create(const dls_mechanism *m, dls_coordinates_kind kind,
                                   dls_arena *arena, dls_posture_plan *plan, dls_message *message)
{
  enum { MOST = 1 << 20 };
  *plan = (dls_posture_plan){.mechanism = m, .kind = kind};
  if (m->bodies < 0 || m->joints < 0 || m->bodies > MOST || m->joints > MOST)
    return dls_fail(message, DLS_ERR_LIMIT, "more than %d bodies or joints", (int)MOST);
  const dls_status status = check_sound(m, message);
  if (status != DLS_OK) return status;
  plan->first = dls_arena_alloc(arena, (ptrdiff_t)m->bodies + 1, sizeof(int));
  plan->parent = dls_arena_alloc(arena, m->bodies, sizeof(int));
  plan->joint_q = dls_arena_alloc(arena, m->joints, sizeof(int));
  plan->joint_v = dls_arena_alloc(arena, m->joints, sizeof(int));
  int *depth = dls_arena_alloc(arena, m->bodies, sizeof *depth);
  if (!plan->first || !plan->parent || !plan->joint_q || !plan->joint_v || !depth)
    return DLS_ERR_MEMORY;
  if (kind == DLS_MAXIMAL) number_bodies(plan);
  else number_joints(plan);
  plan->first[m->bodies] = plan->n;
  plan->depth = deepest(m, depth);
  return DLS_OK;
}

// Each rotation of an enclosed rotation widens it by a factor of up to sqrt 3: a body has two.
int dls_posture_bits(const dls_posture_plan *plan)
{
  enum { LEAST = 192, EACH = 2, MOST = 4096 };
  return plan->depth < (MOST - LEAST) / EACH ? LEAST + EACH * plan->depth : MOST;
}

// ---- one state ---------------------------------------------------------------------------------

typedef struct placing {
  dls_posture *out;
  const double *q, *x, *v;
} placing;

static dls_jet_frame pose_frame(dls_pool *p, const dls_pose *pose)
{
  dls_jet q[4];
  for (int i = 0; i < 4; i++) q[i] = dls_jet_data(p, pose->quaternion[i]);
  return (dls_jet_frame){dls_jet33_quaternion(p, q), dls_jet3_data(p, pose->position)};
}

// a b of quaternions.
static void multiply(dls_pool *p, const dls_jet a[4], const dls_jet b[4], dls_jet out[4])
{
  const dls_jet3 u = {{a[1], a[2], a[3]}}, w = {{b[1], b[2], b[3]}};
  out[0] = dls_jet_sub(p, dls_jet_mul(p, a[0], b[0]), dls_jet3_dot(p, u, w));
  dls_jet3 y = dls_jet3_add(p, dls_jet3_mul(p, w, a[0]), dls_jet3_mul(p, u, b[0]));
  y = dls_jet3_add(p, y, dls_jet3_cross(p, u, w));
  for (int i = 0; i < 3; i++) out[1 + i] = y.x[i];
}

// exp(theta) of local coordinates.                                                   eq (cha.1)
static void local_turn(dls_pool *p, const double theta[3], dls_jet out[4])
{
  const dls_jet3 t = {{dls_jet_of(p, dls_real_exact(p, theta[0])),
                       dls_jet_of(p, dls_real_exact(p, theta[1])),
                       dls_jet_of(p, dls_real_exact(p, theta[2]))}};
  const dls_jet length = dls_jet3_length(p, t);
  dls_jet sine;
  dls_jet_turn(p, dls_jet_scale(p, length, 0.5), &out[0], &sine);
  for (int i = 0; i < 3; i++) out[1 + i] = dls_jet_mul(p, t.x[i], dls_jet_div(p, sine, length));
}

static bool moved(const double *x)
{
  return x && (x[0] != 0 || x[1] != 0 || x[2] != 0);
}

// The rotation of a quaternion that turns with a constant angular velocity in its own axes:
// q' = q w / 2, q'' = q' w / 2.
static dls_jet33 turning(dls_pool *p, const double *q, const double *x, const double *v)
{
  dls_jet at[4], step[4], rate[4], second[4], w[4] = {dls_jet_of(p, p->zero)};
  for (int i = 0; i < 4; i++) at[i] = dls_jet_data(p, q[i]);
  for (int i = 0; i < 3; i++) w[1 + i] = dls_jet_scale(p, dls_jet_data(p, v[i]), 0.5);
  if (moved(x)) {
    dls_jet there[4];
    local_turn(p, x, step);
    multiply(p, at, step, there);
    dls_copy(at, there, 4);
  }
  multiply(p, at, w, rate);
  multiply(p, rate, w, second);
  for (int i = 0; i < 4; i++) at[i] = (dls_jet){{at[i].d[0], rate[i].d[0], second[i].d[0]}};
  return dls_jet33_quaternion(p, at);
}

// R = cos 1 + (1 - cos) a a^T + sin [a].
static dls_jet33 hinge(dls_pool *p, dls_jet3 axis, dls_jet angle)
{
  dls_jet c, s;
  dls_jet_turn(p, angle, &c, &s);
  const dls_jet one = dls_jet_of(p, dls_real_exact(p, 1)), rest = dls_jet_sub(p, one, c);
  dls_jet33 R;
  for (int i = 0; i < 3; i++) {
    const dls_jet3 across = dls_jet3_cross(p, axis, dls_jet3_axis(p, i));
    const dls_jet3 along = dls_jet3_mul(p, axis, dls_jet_mul(p, rest, axis.x[i]));
    R.column[i] = dls_jet3_add(p, along, dls_jet3_mul(p, across, s));
    R.column[i].x[i] = dls_jet_add(p, R.column[i].x[i], c);
  }
  return R;
}

// Turns about a point, or shifts, as they are now.
static dls_freedom turn_about(dls_pool *p, dls_jet3 axis, dls_jet3 point)
{
  const dls_jet3 a = dls_jet3_now(p, axis), o = dls_jet3_now(p, point);
  return (dls_freedom){.turn = a, .shift = dls_jet3_cross(p, o, a)};
}

static dls_freedom shift_along(dls_pool *p, dls_jet3 axis)
{
  return (dls_freedom){.turn = dls_jet3_zero(p), .shift = dls_jet3_now(p, axis)};
}

// theta' turns by w = T theta', in the axes of the body: T = 1 - (1 - cos s)/s^2 [theta] +
// (s - sin s)/s^3 [theta]^2.                                                         eq (cha.1)
static dls_jet3 local_axis(dls_pool *p, const double *x, int i)
{
  const dls_jet3 e = dls_jet3_axis(p, i);
  if (!x || !moved(x)) return e;
  dls_jet3 t;
  for (int k = 0; k < 3; k++) t.x[k] = dls_jet_of(p, dls_real_exact(p, x[k]));
  const dls_jet s = dls_jet3_length(p, t), one = dls_jet_of(p, dls_real_exact(p, 1));
  dls_jet cosine, sine;
  dls_jet_turn(p, s, &cosine, &sine);
  const dls_jet square = dls_jet_mul(p, s, s);
  const dls_jet a = dls_jet_div(p, dls_jet_sub(p, one, cosine), square);
  const dls_jet b = dls_jet_div(p, dls_jet_sub(p, s, sine), dls_jet_mul(p, square, s));
  const dls_jet3 across = dls_jet3_cross(p, t, e), twice = dls_jet3_cross(p, t, across);
  return dls_jet3_add(p, dls_jet3_sub(p, e, dls_jet3_mul(p, across, a)), dls_jet3_mul(p, twice, b));
}

static void turns_of_body(placing *s, int k, const double *x, const dls_jet33 *R, dls_jet3 about)
{
  dls_pool *p = s->out->pool;
  for (int i = 0; i < 3; i++)
    s->out->freedom[k + i] = turn_about(p, dls_jet33_apply(p, R, local_axis(p, x, i)), about);
}

static void place_free(placing *s, int q, int k, dls_jet_frame *frame)
{
  dls_pool *p = s->out->pool;
  for (int i = 0; i < 3; i++) {
    mpfi_ptr at = dls_real_data(p, s->q[q + i]);
    if (s->x) at = dls_real_add(p, at, dls_real_exact(p, s->x[k + i]));
    frame->p.x[i] = (dls_jet){{at, dls_real_data(p, s->v[k + i]), p->zero}};
    s->out->freedom[k + i] = shift_along(p, dls_jet3_axis(p, i));
  }
  const double *x = s->x ? s->x + k + 3 : NULL;
  frame->R = turning(p, s->q + q + 3, x, s->v + k + 3);
  turns_of_body(s, k + 3, x, &frame->R, frame->p);
}

// The joint turns the frame about its anchor.
static void turn_frame(dls_pool *p, dls_jet_frame *frame, dls_jet3 anchor, dls_jet3 place,
                       const dls_jet33 *turn)
{
  frame->R = dls_jet33_mul(p, &frame->R, turn);
  frame->p = dls_jet3_sub(p, place, dls_jet33_apply(p, &frame->R, anchor));
}

static void place_joint(placing *s, const dls_posture_plan *plan, int j, dls_jet_frame *frame)
{
  dls_pool *p = s->out->pool;
  const dls_joint *joint = &plan->mechanism->joint[j];
  const int q = plan->joint_q[j], k = plan->joint_v[j];
  if (joint->kind == DLS_JOINT_FREE) {
    place_free(s, q, k, frame);
    return;
  }
  const dls_jet3 anchor = dls_jet3_data(p, joint->anchor);
  const dls_jet3 place = dls_jet_frame_point(p, frame, anchor);
  if (joint->kind == DLS_JOINT_BALL) {
    const double *x = s->x ? s->x + k : NULL;
    const dls_jet33 R = turning(p, s->q + q, x, s->v + k);
    turn_frame(p, frame, anchor, place, &R);
    turns_of_body(s, k, x, &frame->R, place);
    return;
  }
  mpfi_ptr at = dls_real_data(p, s->q[q]);
  if (s->x) at = dls_real_add(p, at, dls_real_exact(p, s->x[k]));
  const dls_jet coordinate = {{at, dls_real_data(p, s->v[k]), p->zero}};
  const dls_jet way = dls_jet_sub(p, coordinate, dls_jet_data(p, joint->reference));
  const dls_jet3 own = dls_jet3_unit(p, dls_jet3_data(p, joint->axis));
  const dls_jet3 axis = dls_jet33_apply(p, &frame->R, own);
  s->out->coordinate[j] = coordinate;
  if (joint->kind == DLS_JOINT_HINGE) {
    const dls_jet33 R = hinge(p, own, way);
    turn_frame(p, frame, anchor, place, &R);
    s->out->freedom[k] = turn_about(p, axis, place);
  } else {
    frame->p = dls_jet3_add(p, frame->p, dls_jet3_mul(p, axis, way));
    s->out->freedom[k] = shift_along(p, axis);
  }
}

static dls_jet_frame at_rest(dls_pool *p)
{
  dls_jet_frame frame = {.p = dls_jet3_zero(p)};
  for (int i = 0; i < 3; i++) frame.R.column[i] = dls_jet3_axis(p, i);
  return frame;
}

static bool allocate(const dls_posture_plan *plan, dls_arena *arena, dls_posture *out)
{
  const dls_mechanism *m = plan->mechanism;
  out->frame = dls_arena_alloc(arena, m->bodies, sizeof *out->frame);
  out->freedom = dls_arena_alloc(arena, plan->n, sizeof *out->freedom);
  out->coordinate = dls_arena_alloc(arena, m->joints, sizeof *out->coordinate);
  return out->frame && out->freedom && out->coordinate;
}

bool dls_posture_create(const dls_posture_plan *plan, const double *q, const double *x,
                        const double *v, dls_pool *p, dls_arena *arena, dls_posture *out)
{
  const dls_mechanism *m = plan->mechanism;
  *out = (dls_posture){.pool = p,
                       .mechanism = m,
                       .n = plan->n,
                       .v = v,
                       .first = plan->first,
                       .parent = plan->parent,
                       .joint_v = plan->joint_v,
                       .world = at_rest(p)};
  if (!allocate(plan, arena, out)) return false;
  placing s = {out, q, x, v};
  for (int b = 0, j = 0; b < m->bodies; b++) {
    dls_jet_frame *frame = &out->frame[b];
    if (plan->kind == DLS_MAXIMAL && plan->first[b + 1] > plan->first[b]) {
      place_free(&s, 7 * (plan->first[b] / 6), plan->first[b], frame);
      continue;
    }
    const dls_jet_frame pose = pose_frame(p, &m->body[b].pose);
    *frame = dls_jet_frame_compose(p, dls_posture_body(out, m->body[b].parent), &pose);
    for (; j < m->joints && m->joint[j].body == b; j++) place_joint(&s, plan, j, frame);
  }
  return true;
}

const dls_jet_frame *dls_posture_body(const dls_posture *s, int body)
{
  return body == DLS_WORLD ? &s->world : &s->frame[body];
}

dls_jet_frame dls_posture_frame(const dls_posture *s, int body, const dls_pose *pose)
{
  const dls_jet_frame inner = pose_frame(s->pool, pose);
  return dls_jet_frame_compose(s->pool, dls_posture_body(s, body), &inner);
}

// ---- what moves a body -------------------------------------------------------------------------

static void find_freedom(const dls_posture *s, dls_freedom_walk *walk)
{
  while (walk->body != DLS_WORLD && walk->k < s->first[walk->body]) {
    walk->body = s->parent[walk->body];
    walk->k = walk->body == DLS_WORLD ? -1 : s->first[walk->body + 1] - 1;
  }
  if (walk->body == DLS_WORLD) walk->k = -1;
}

dls_freedom_walk dls_freedom_first(const dls_posture *s, int body)
{
  dls_freedom_walk walk = {body, body == DLS_WORLD ? -1 : s->first[body + 1] - 1};
  find_freedom(s, &walk);
  return walk;
}

void dls_freedom_next(const dls_posture *s, dls_freedom_walk *walk)
{
  walk->k--;
  find_freedom(s, walk);
}

dls_jet3 dls_freedom_at(dls_pool *p, const dls_freedom *f, dls_jet3 x)
{
  return dls_jet3_add(p, f->shift, dls_jet3_cross(p, f->turn, x));
}
