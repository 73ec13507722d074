// What resists along the free axes of closures, and of joints that are no coordinates.
#include "verify/body_motion.h"

// Inertia, damping and a spring along a gauge.
typedef struct resistance {
  double armature, damping, stiffness, rest;
} resistance;

static void resist(const dls_posture *s, const dls_gauge *on, const resistance *x, mpfi_ptr *M,
                   mpfi_ptr *F)
{
  dls_pool *p = s->pool;
  const double rest[2] = {x->rest, x->rest};
  const mpfi_ptr against = dls_gauge_resistance(p, on->y, x->damping, x->stiffness, rest);
  dls_gauge_load(s, on, x->armature, M, F);
  dls_gauge_push(s, on, dls_real_scale(p, against, -1), F);
}

static bool resists(const resistance *x)
{
  return x->armature != 0 || x->damping != 0 || x->stiffness != 0;
}

static bool add_joint(const dls_posture *s, int j, dls_arena *arena, mpfi_ptr *M, mpfi_ptr *F)
{
  const dls_joint *joint = &s->mechanism->joint[j];
  const bool single = joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE;
  const resistance x = {joint->armature, joint->damping, single ? joint->stiffness : 0,
                        joint->rest};
  if (s->joint_v[j] >= 0 || !resists(&x)) return true;
  const dls_frame_pair pair = dls_frame_pair_of_joint(s, j);
  for (int k = 0; k < (single ? 1 : 3); k++) {
    dls_gauge on;
    if (single ? !dls_gauge_joint(s, j, arena, &on)
               : !dls_gauge_row(s, (dls_frame_row){DLS_FRAME_SPIN, k}, &pair, arena, &on))
      return false;
    resist(s, &on, &x, M, F);
  }
  return true;
}

bool dls_gauge_closure(const dls_posture *s, int c, dls_arena *arena, dls_gauge *gauge)
{
  const dls_closure *closure = &s->mechanism->closure[c];
  const dls_frame_row angle = {DLS_FRAME_ANGLE, 2}, way = {DLS_FRAME_ALONG, 2};
  const dls_frame_pair pair = dls_frame_pair_of(s, closure->body, closure->frame);
  return dls_gauge_row(s, closure->kind == DLS_CLOSURE_HINGE ? angle : way, &pair, arena, gauge);
}

bool dls_body_resistance(const dls_posture *s, dls_arena *arena, mpfi_ptr *M, mpfi_ptr *F)
{
  const dls_mechanism *m = s->mechanism;
  for (int j = 0; j < m->joints; j++)
    if (!add_joint(s, j, arena, M, F)) return false;
  for (int c = 0; c < m->closures; c++) {
    const dls_closure *closure = &m->closure[c];
    const resistance x = {closure->armature, closure->damping, closure->stiffness, closure->rest};
    dls_gauge on;
    if (!dls_closure_has_axis(closure->kind) || !resists(&x)) continue;
    if (!dls_gauge_closure(s, c, arena, &on)) return false;
    resist(s, &on, &x, M, F);
  }
  return true;
}
