// A point of A and a point of B that face each other along the common normal n stay so while both
// move over their features: g' = n (u_A - u_B), of the material points. Slip is the part of u_A -
// u_B along the tangents, of the material points where the contact is. The second derivatives are
// rates of these along the motion, as contact point, normal and tangents move.        eq (enc.4)
#include "verify/seen_rows.h"

#include "verify/intervals.h"

#include <math.h>

static mpfi_ptr *no_gradient(const dls_posture *s, dls_arena *arena)
{
  mpfi_ptr *gradient = dls_arena_alloc(arena, s->n, sizeof(mpfi_ptr));
  for (int k = 0; gradient && k < s->n; k++) gradient[k] = s->pool->zero;
  return gradient;
}

// y' and y'' of what goes along d with the material points, and its gradient.
static bool row_along(const dls_posture *s, const int body[2], const dls_jet3 at[2], dls_jet3 d,
                      dls_arena *arena, dls_gauge *out)
{
  dls_pool *p = s->pool;
  const dls_jet3 now = dls_jet3_now(p, d);
  dls_jet rate = dls_jet_of(p, p->zero);
  out->gradient = no_gradient(s, arena);
  if (!out->gradient) return false;
  for (int side = 0; side < 2; side++) {
    const double sign = side ? -1 : 1;
    const dls_jet_frame *frame = dls_posture_body(s, body[side]);
    const dls_jet3 u = dls_jet_frame_velocity(p, frame, at[side]);
    rate = dls_jet_add(p, rate, dls_jet_scale(p, dls_jet3_dot(p, d, u), sign));
    const dls_jet3 place = dls_jet3_now(p, at[side]);
    dls_freedom_walk walk = dls_freedom_first(s, body[side]);
    for (; walk.k >= 0; dls_freedom_next(s, &walk)) {
      const dls_jet3 moved = dls_freedom_at(p, &s->freedom[walk.k], place);
      const dls_jet part = dls_jet_scale(p, dls_jet3_dot(p, now, moved), sign);
      out->gradient[walk.k] = dls_real_add(p, out->gradient[walk.k], part.d[0]);
    }
  }
  out->y = (dls_jet){{p->zero, rate.d[0], rate.d[1]}};
  return true;
}

static const dls_seen_feature *one_of(const dls_seen_feature feature[2], dls_seen_kind kind)
{
  if (feature[0].kind == kind) return &feature[0];
  return feature[1].kind == kind ? &feature[1] : NULL;
}

static dls_jet3 part_across(dls_pool *p, dls_jet3 e, dls_jet3 n)
{
  return dls_jet3_sub(p, e, dls_jet3_mul(p, n, dls_jet3_dot(p, e, n)));
}

void dls_seen_tangents(dls_pool *p, const dls_seen_feature feature[2], dls_jet3 n, dls_jet3 t[2])
{
  static const double steep = 0.9;
  const dls_seen_feature *flat = one_of(feature, DLS_SEEN_FLAT);
  const dls_seen_feature *line = one_of(feature, DLS_SEEN_LINE);
  const dls_seen_feature *rim = one_of(feature, DLS_SEEN_RIM);
  const bool upright = fabs(dls_middle(n.x[2].d[0])) > steep;
  dls_jet3 first;
  if (flat) first = part_across(p, flat->level, n);
  else if (line) first = line->axis;
  else if (rim) first = dls_jet3_cross(p, rim->axis, n);
  else first = part_across(p, dls_jet3_axis(p, upright ? 0 : 2), n);
  t[0] = dls_jet3_unit(p, first);
  t[1] = dls_jet3_cross(p, n, t[0]);
}

bool dls_seen_rows_of(const dls_posture *s, const int body[2], const dls_seen_feature feature[2],
                      const dls_seen_touch *touch, dls_arena *arena, dls_seen_rows *rows)
{
  dls_pool *p = s->pool;
  dls_jet3 t[2];
  if (!row_along(s, body, touch->point, touch->normal, arena, &rows->normal)) return false;
  rows->normal.y.d[0] = touch->gap;
  const dls_jet3 sum = dls_jet3_add(p, touch->point[0], touch->point[1]);
  const dls_jet3 middle = dls_jet3_scale(p, sum, 0.5), at[2] = {middle, middle};
  dls_seen_tangents(p, feature, touch->normal, t);
  for (int k = 0; k < 2; k++)
    if (!row_along(s, body, at, t[k], arena, &rows->slip[k])) return false;
  return true;
}
