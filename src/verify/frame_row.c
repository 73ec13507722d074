#include "verify/frame_row.h"

#include <math.h>

dls_frame_pair dls_frame_pair_of(const dls_posture *s, const int body[2], const dls_pose pose[2])
{
  return (dls_frame_pair){
      {body[0], body[1]},
      {dls_posture_frame(s, body[0], &pose[0]), dls_posture_frame(s, body[1], &pose[1])}};
}

// x + [v] x + [v]^2 x / (1 + c): the least rotation with v = a x b, c = a b, a and b of length 1.
static dls_jet3 least_turn(dls_pool *p, dls_jet3 v, dls_jet c, dls_jet3 x)
{
  const dls_jet one = dls_jet_of(p, dls_real_exact(p, 1));
  const dls_jet3 once = dls_jet3_cross(p, v, x), twice = dls_jet3_cross(p, v, once);
  const dls_jet part = dls_jet_div(p, one, dls_jet_add(p, one, c));
  return dls_jet3_add(p, dls_jet3_add(p, x, once), dls_jet3_mul(p, twice, part));
}

// Axes of a frame whose z is `axis`, by convention: the least rotation from z, but for axes that
// point down half a turn about x and then the least rotation from -z.
static dls_jet33 axes_along(dls_pool *p, const double axis[3])
{
  static const double down = -0.5;
  const dls_jet3 a = dls_jet3_unit(p, dls_jet3_data(p, axis));
  const double z = axis[2] / hypot(hypot(axis[0], axis[1]), axis[2]);
  const double sign = z > down ? 1 : -1;
  const dls_jet3 from = dls_jet3_scale(p, dls_jet3_axis(p, 2), sign);
  const dls_jet3 v = dls_jet3_cross(p, from, a);
  const dls_jet c = dls_jet3_dot(p, from, a);
  dls_jet33 R;
  for (int i = 0; i < 2; i++) {
    const dls_jet3 e = dls_jet3_scale(p, dls_jet3_axis(p, i), i == 1 ? sign : 1);
    R.column[i] = least_turn(p, v, c, e);
  }
  R.column[2] = a;
  return R;
}

dls_frame_pair dls_frame_pair_of_joint(const dls_posture *s, int j)
{
  dls_pool *p = s->pool;
  const dls_joint *joint = &s->mechanism->joint[j];
  const dls_rigid_body *body = &s->mechanism->body[joint->body];
  dls_jet_frame own = {.p = dls_jet3_zero(p)};
  for (int i = 0; i < 3; i++) own.R.column[i] = dls_jet3_axis(p, i);
  if (joint->kind != DLS_JOINT_SLIDE) own.p = dls_jet3_data(p, joint->anchor);
  if (joint->kind == DLS_JOINT_HINGE || joint->kind == DLS_JOINT_SLIDE)
    own.R = axes_along(p, joint->axis);
  const dls_jet_frame mount = dls_posture_frame(s, body->parent, &body->pose);
  return (dls_frame_pair){{body->parent, joint->body},
                          {dls_jet_frame_compose(p, &mount, &own),
                           dls_jet_frame_compose(p, dls_posture_body(s, joint->body), &own)}};
}

// ---- values ------------------------------------------------------------------------------------

// Q_ij = a_i b_j.
static dls_jet product(dls_pool *p, const dls_frame_pair *f, int i, int j)
{
  return dls_jet3_dot(p, f->frame[0].R.column[i], f->frame[1].R.column[j]);
}

static dls_jet along(dls_pool *p, const dls_frame_pair *f, int axis)
{
  return dls_jet3_dot(p, f->frame[0].R.column[axis], dls_jet3_sub(p, f->frame[1].p, f->frame[0].p));
}

static dls_jet turn(dls_pool *p, const dls_frame_pair *f, int i)
{
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  dls_jet trace = dls_jet_of(p, dls_real_exact(p, 1));
  for (int s = 0; s < 3; s++) trace = dls_jet_add(p, trace, product(p, f, s, s));
  const dls_jet odd = dls_jet_sub(p, product(p, f, k, j), product(p, f, j, k));
  return dls_jet_div(p, dls_jet_scale(p, odd, 2), trace);
}

static dls_jet tilt(dls_pool *p, const dls_frame_pair *f, int axis)
{
  const dls_jet one = dls_jet_of(p, dls_real_exact(p, 1));
  const dls_jet down = dls_jet_add(p, one, product(p, f, 2, 2));
  const dls_jet up = axis == 0 ? dls_jet_scale(p, product(p, f, 1, 2), -2)
                               : dls_jet_scale(p, product(p, f, 0, 2), 2);
  return dls_jet_div(p, up, down);
}

// y = atan2(N, D) has y' = (D N' - N D') / (N^2 + D^2).
static dls_jet angle(dls_pool *p, const dls_frame_pair *f)
{
  const dls_jet N = dls_jet_sub(p, product(p, f, 1, 0), product(p, f, 0, 1));
  const dls_jet D = dls_jet_add(p, product(p, f, 0, 0), product(p, f, 1, 1));
  const dls_jet square = dls_jet_add(p, dls_jet_mul(p, N, N), dls_jet_mul(p, D, D));
  const dls_jet turned =
      dls_jet_sub(p, dls_jet_mul(p, D, dls_jet_rate(p, N)), dls_jet_mul(p, N, dls_jet_rate(p, D)));
  const dls_jet rate = dls_jet_div(p, turned, square);
  return (dls_jet){{dls_real_atan2(p, N.d[0], D.d[0]), rate.d[0], rate.d[1]}};
}

static dls_jet spin(dls_pool *p, const dls_frame_pair *f, int axis)
{
  const dls_jet3 w =
      dls_jet3_sub(p, dls_jet_frame_spin(p, &f->frame[1]), dls_jet_frame_spin(p, &f->frame[0]));
  const dls_jet rate = dls_jet3_dot(p, f->frame[1].R.column[axis], w);
  return (dls_jet){{p->zero, rate.d[0], rate.d[1]}};
}

dls_jet dls_frame_row_value(dls_pool *p, dls_frame_row row, const dls_frame_pair *pair)
{
  switch (row.kind) {
  case DLS_FRAME_ALONG: return along(p, pair, row.axis);
  case DLS_FRAME_TURN: return turn(p, pair, row.axis);
  case DLS_FRAME_TILT: return tilt(p, pair, row.axis);
  case DLS_FRAME_SKEW: return dls_jet_scale(p, product(p, pair, 0, 1), -1);
  case DLS_FRAME_ANGLE: return angle(p, pair);
  case DLS_FRAME_SPIN: return spin(p, pair, row.axis);
  }
  return dls_jet_of(p, p->zero);
}

// ---- gradients ---------------------------------------------------------------------------------

// The frame as one velocity of 1 moves it; NULL: not at all.
static dls_jet_frame moved(dls_pool *p, const dls_jet_frame *f, const dls_freedom *by)
{
  dls_jet_frame out = {.p = dls_jet3_now(p, f->p)};
  for (int i = 0; i < 3; i++) out.R.column[i] = dls_jet3_now(p, f->R.column[i]);
  if (!by) return out;
  const dls_jet3 rate = dls_freedom_at(p, by, out.p);
  for (int k = 0; k < 3; k++) out.p.x[k].d[1] = rate.x[k].d[0];
  for (int i = 0; i < 3; i++) {
    const dls_jet3 swung = dls_jet3_cross(p, by->turn, out.R.column[i]);
    for (int k = 0; k < 3; k++) out.R.column[i].x[k].d[1] = swung.x[k].d[0];
  }
  return out;
}

void dls_frame_row_gradient(const dls_posture *s, dls_frame_row row, const dls_frame_pair *pair,
                            mpfi_ptr *gradient)
{
  dls_pool *p = s->pool;
  for (int k = 0; k < s->n; k++) gradient[k] = p->zero;
  for (int side = 0; side < 2; side++) {
    dls_freedom_walk walk = dls_freedom_first(s, pair->body[side]);
    for (; walk.k >= 0; dls_freedom_next(s, &walk)) {
      dls_frame_pair by = *pair;
      by.frame[side] = moved(p, &pair->frame[side], &s->freedom[walk.k]);
      by.frame[1 - side] = moved(p, &pair->frame[1 - side], NULL);
      const dls_jet rate = dls_frame_row_value(p, row, &by);
      gradient[walk.k] = dls_real_add(p, gradient[walk.k], rate.d[1]);
    }
  }
}

// ---- closures ----------------------------------------------------------------------------------

static const dls_frame_row along_x = {DLS_FRAME_ALONG, 0}, along_y = {DLS_FRAME_ALONG, 1},
                           along_z = {DLS_FRAME_ALONG, 2}, turn_x = {DLS_FRAME_TURN, 0},
                           turn_y = {DLS_FRAME_TURN, 1}, turn_z = {DLS_FRAME_TURN, 2},
                           tilt_x = {DLS_FRAME_TILT, 0}, tilt_y = {DLS_FRAME_TILT, 1},
                           skew = {DLS_FRAME_SKEW, 0};

int dls_closure_rows(dls_closure_kind kind, dls_frame_row row[6])
{
  const struct {
    int count;
    dls_frame_row row[6];
  } rows[] = {[DLS_CLOSURE_WELD] = {6, {along_x, along_y, along_z, turn_x, turn_y, turn_z}},
              [DLS_CLOSURE_BALL] = {3, {along_x, along_y, along_z}},
              [DLS_CLOSURE_HINGE] = {5, {along_x, along_y, along_z, tilt_x, tilt_y}},
              [DLS_CLOSURE_SLIDE] = {5, {along_x, along_y, turn_x, turn_y, turn_z}},
              [DLS_CLOSURE_UNIVERSAL] = {4, {along_x, along_y, along_z, skew}},
              [DLS_CLOSURE_CYLINDRICAL] = {4, {along_x, along_y, tilt_x, tilt_y}},
              [DLS_CLOSURE_PLANAR] = {3, {along_z, tilt_x, tilt_y}},
              [DLS_CLOSURE_JOINTS] = {0, {along_x}}};
  dls_copy(row, rows[kind].row, 6);
  return rows[kind].count;
}
