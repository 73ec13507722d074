// Gauges of a mechanism: joint coordinates, lengths of tendons, and the forces of tendons and
// actuators that act on them.
#include "verify/body_motion.h"

#include <math.h>

// ---- gauges ------------------------------------------------------------------------------------

static bool start(const dls_posture *s, dls_arena *arena, dls_gauge *out)
{
  out->gradient = dls_arena_alloc(arena, s->n, sizeof(mpfi_ptr));
  for (int k = 0; out->gradient && k < s->n; k++) out->gradient[k] = s->pool->zero;
  out->y = dls_jet_of(s->pool, s->pool->zero);
  return out->gradient != NULL;
}

// A joint that is no coordinate: what its two frames make.
static bool joint_between(const dls_posture *s, int j, dls_arena *arena, dls_gauge *out)
{
  const dls_joint *joint = &s->mechanism->joint[j];
  const dls_frame_row angle = {DLS_FRAME_ANGLE, 2}, way = {DLS_FRAME_ALONG, 2};
  const dls_frame_pair pair = dls_frame_pair_of_joint(s, j);
  if (!dls_gauge_row(s, joint->kind == DLS_JOINT_HINGE ? angle : way, &pair, arena, out))
    return false;
  out->y.d[0] = dls_real_add(s->pool, out->y.d[0], dls_real_data(s->pool, joint->reference));
  return true;
}

bool dls_gauge_row(const dls_posture *s, dls_frame_row row, const dls_frame_pair *pair,
                   dls_arena *arena, dls_gauge *out)
{
  if (!start(s, arena, out)) return false;
  out->y = dls_frame_row_value(s->pool, row, pair);
  dls_frame_row_gradient(s, row, pair, out->gradient);
  return true;
}

bool dls_gauge_joint(const dls_posture *s, int j, dls_arena *arena, dls_gauge *out)
{
  if (s->joint_v[j] < 0) return joint_between(s, j, arena, out);
  if (!start(s, arena, out)) return false;
  out->y = s->coordinate[j];
  out->gradient[s->joint_v[j]] = dls_real_exact(s->pool, 1);
  return true;
}

bool dls_gauge_tendon(const dls_posture *s, int t, dls_arena *arena, dls_gauge *out)
{
  const dls_tendon *tendon = &s->mechanism->tendon[t];
  dls_pool *p = s->pool;
  if (!start(s, arena, out)) return false;
  for (int k = 0; k < tendon->terms; k++) {
    dls_gauge joint;
    if (!dls_gauge_joint(s, tendon->joint[k], arena, &joint)) return false;
    const mpfi_ptr gear = dls_real_data(p, tendon->gear[k]);
    out->y = dls_jet_add(p, out->y, dls_jet_mul(p, joint.y, dls_jet_of(p, gear)));
    for (int i = 0; i < s->n; i++)
      out->gradient[i] =
          dls_real_add(p, out->gradient[i], dls_real_mul(p, joint.gradient[i], gear));
  }
  return true;
}

void dls_gauge_push(const dls_posture *s, const dls_gauge *on, mpfi_ptr force, mpfi_ptr *F)
{
  for (int k = 0; k < s->n; k++) {
    const mpfi_ptr part = dls_real_mul(s->pool, on->gradient[k], force);
    F[k] = dls_real_sub(s->pool, F[k], part);
  }
}

// Kinetic energy inertia y'^2 / 2.
void dls_gauge_load(const dls_posture *s, const dls_gauge *on, double inertia, mpfi_ptr *M,
                    mpfi_ptr *F)
{
  dls_pool *p = s->pool;
  const ptrdiff_t n = s->n;
  const mpfi_ptr size = dls_real_data(p, inertia);
  if (size == p->zero) return;
  for (ptrdiff_t j = 0; j < n; j++) {
    const mpfi_ptr column = dls_real_mul(p, size, on->gradient[j]);
    for (ptrdiff_t i = 0; i < n && column != p->zero; i++)
      M[i + n * j] = dls_real_add(p, M[i + n * j], dls_real_mul(p, column, on->gradient[i]));
  }
  dls_gauge_push(s, on, dls_real_scale(p, dls_real_mul(p, size, on->y.d[2]), -1), F);
}

// A length that touches the end of its rest is on either side of it: both, enclosed.
static mpfi_ptr stretch(dls_pool *p, mpfi_ptr y, const double rest[2])
{
  const mpfi_ptr above = dls_real_sub(p, y, dls_real_data(p, rest[1]));
  if (rest[0] == rest[1]) return above;
  const mpfi_ptr below = dls_real_sub(p, y, dls_real_data(p, rest[0]));
  if (mpfi_is_nonpos(above) && mpfi_is_nonneg(below)) return p->zero;
  if (mpfi_is_strictly_pos(above)) return above;
  if (mpfi_is_strictly_neg(below)) return below;
  mpfi_ptr either = dls_real_new(p);
  mpfi_union(either, p->zero, mpfr_sgn(&above->right) > 0 ? above : below);
  return either;
}

mpfi_ptr dls_gauge_resistance(dls_pool *p, dls_jet y, double damping, double stiffness,
                              const double rest[2])
{
  const mpfi_ptr drag = dls_real_mul(p, dls_real_data(p, damping), y.d[1]);
  const mpfi_ptr factor = dls_real_data(p, stiffness);
  if (factor == p->zero) return drag;
  return dls_real_add(p, drag, dls_real_mul(p, factor, stretch(p, y.d[0], rest)));
}

// ---- actuators ---------------------------------------------------------------------------------

static mpfi_ptr within(dls_pool *p, mpfi_ptr force, const double range[2])
{
  const mpfi_ptr low = dls_real_data(p, range[0]), high = dls_real_data(p, range[1]);
  mpfi_ptr own = dls_real_new(p);
  mpfi_set(own, force);
  for (int side = 0; side < 2; side++) {
    mpfr_ptr end = side ? &own->right : &own->left;
    if (mpfr_less_p(end, &low->left)) mpfr_set(end, side ? &low->right : &low->left, MPFR_RNDN);
    if (mpfr_greater_p(end, &high->right))
      mpfr_set(end, side ? &high->right : &high->left, MPFR_RNDN);
  }
  return own;
}

static mpfi_ptr force_of(dls_pool *p, const dls_actuator *a, dls_jet length)
{
  mpfi_ptr f = dls_real_mul(p, dls_real_data(p, a->gain), dls_real_data(p, a->control));
  f = dls_real_add(p, f, dls_real_data(p, a->bias[0]));
  f = dls_real_add(p, f, dls_real_mul(p, dls_real_data(p, a->bias[1]), length.d[0]));
  f = dls_real_add(p, f, dls_real_mul(p, dls_real_data(p, a->bias[2]), length.d[1]));
  return a->limited ? within(p, f, a->range) : f;
}

// Force and torque in a frame on a body.
static void push_frame(const dls_posture *s, const dls_actuator *a, mpfi_ptr force, mpfi_ptr *F)
{
  dls_pool *p = s->pool;
  const dls_jet_frame frame = dls_posture_frame(s, a->of, &a->frame);
  const dls_jet size = dls_jet_of(p, force);
  const dls_jet3 push = dls_jet33_apply(p, &frame.R, dls_jet3_data(p, a->gear));
  const dls_jet3 twist = dls_jet33_apply(p, &frame.R, dls_jet3_data(p, a->gear + 3));
  dls_freedom_walk walk = dls_freedom_first(s, a->of);
  for (; walk.k >= 0; dls_freedom_next(s, &walk)) {
    const dls_freedom *f = &s->freedom[walk.k];
    dls_jet power = dls_jet3_dot(p, dls_freedom_at(p, f, dls_jet3_now(p, frame.p)), push);
    power = dls_jet_mul(p, dls_jet_add(p, power, dls_jet3_dot(p, f->turn, twist)), size);
    F[walk.k] = dls_real_sub(p, F[walk.k], power.d[0]);
  }
}

// A torque in the axes of the body that a ball carries, which is free.
static bool push_ball(const dls_posture *s, const dls_actuator *a, mpfi_ptr force, dls_arena *arena,
                      mpfi_ptr *F)
{
  const dls_frame_pair pair = dls_frame_pair_of_joint(s, a->of);
  for (int k = 0; k < 3; k++) {
    dls_gauge spin;
    if (!dls_gauge_row(s, (dls_frame_row){DLS_FRAME_SPIN, k}, &pair, arena, &spin)) return false;
    dls_gauge_push(s, &spin, dls_real_mul(s->pool, dls_real_data(s->pool, a->gear[k]), force), F);
  }
  return true;
}

// The velocities of a ball or of a free body.
static void push_velocities(const dls_posture *s, const dls_actuator *a, mpfi_ptr force, int count,
                            mpfi_ptr *F)
{
  const int first = s->joint_v[a->of];
  for (int k = 0; k < count; k++) {
    const mpfi_ptr part = dls_real_mul(s->pool, dls_real_data(s->pool, a->gear[k]), force);
    F[first + k] = dls_real_sub(s->pool, F[first + k], part);
  }
}

static bool add_actuator(const dls_posture *s, const dls_actuator *a, dls_arena *arena, mpfi_ptr *F)
{
  dls_pool *p = s->pool;
  const dls_jet none = dls_jet_of(p, p->zero);
  if (a->kind == DLS_ACTUATOR_FRAME) {
    push_frame(s, a, force_of(p, a, none), F);
    return true;
  }
  if (a->kind == DLS_ACTUATOR_JOINT && s->mechanism->joint[a->of].kind <= DLS_JOINT_BALL) {
    const int count = s->mechanism->joint[a->of].kind == DLS_JOINT_FREE ? 6 : 3;
    if (s->joint_v[a->of] < 0) return push_ball(s, a, force_of(p, a, none), arena, F);
    push_velocities(s, a, force_of(p, a, none), count, F);
    return true;
  }
  dls_gauge on;
  if (a->kind == DLS_ACTUATOR_TENDON ? !dls_gauge_tendon(s, a->of, arena, &on)
                                     : !dls_gauge_joint(s, a->of, arena, &on))
    return false;
  const mpfi_ptr gear = dls_real_data(p, a->gear[0]);
  const dls_jet length = dls_jet_mul(p, on.y, dls_jet_of(p, gear));
  dls_gauge_push(s, &on, dls_real_mul(p, gear, force_of(p, a, length)), F);
  return true;
}

bool dls_body_applied(const dls_posture *s, dls_arena *arena, mpfi_ptr *F)
{
  for (int t = 0; t < s->mechanism->tendons; t++) {
    const dls_tendon *tendon = &s->mechanism->tendon[t];
    dls_gauge on;
    if (!dls_gauge_tendon(s, t, arena, &on)) return false;
    const mpfi_ptr against =
        dls_gauge_resistance(s->pool, on.y, tendon->damping, tendon->stiffness, tendon->rest);
    dls_gauge_push(s, &on, dls_real_scale(s->pool, against, -1), F);
  }
  for (int a = 0; a < s->mechanism->actuators; a++)
    if (!add_actuator(s, &s->mechanism->actuator[a], arena, F)) return false;
  return true;
}
