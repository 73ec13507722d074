// With S_A(-n) the point of A furthest against n and S_B(n) that of B furthest along it, of lines
// with s e along them,                                                                eq (enc.4)
//
//   S_A(-n) + s_A e_A - S_B(n) - s_B e_B = g n,   n n = 1,   n e_A = 0,   n e_B = 0
//
// for n, g and the s there are. An interval Newton step proves that the solution is there and the
// only one nearby; its rate follows from the same matrix. A flat has its normal.
#include "verify/seen_feature.h"

#include "verify/intervals.h"

#include <math.h>

enum { NORMAL = 0, GAP = 3, ALONG_A = 4, MOST_UNKNOWNS = 6 };

// ---- furthest points ---------------------------------------------------------------------------

static dls_jet3 only_rates(const dls_pool *p, dls_jet3 x)
{
  for (int i = 0; i < 3; i++) x.x[i].d[2] = p->zero;
  return x;
}

static dls_jet3 furthest_of_rim(dls_pool *p, const dls_seen_feature *f, dls_jet3 d)
{
  const dls_jet3 along = dls_jet3_mul(p, f->axis, dls_jet3_dot(p, f->axis, d));
  const dls_jet3 out = dls_jet3_unit(p, dls_jet3_sub(p, d, along));
  return dls_jet3_add(p, f->place, dls_jet3_mul(p, out, f->radius));
}

// Q d / sqrt(d Q d), Q = R diag(half^2) R^T.
static dls_jet3 furthest_of_oval(dls_pool *p, const dls_seen_feature *f, dls_jet3 d)
{
  dls_jet3 inside = dls_jet33_back(p, &f->own, d), scaled = inside;
  for (int i = 0; i < 3; i++) scaled.x[i] = dls_jet_mul(p, inside.x[i], f->half[i]);
  const dls_jet length = dls_jet3_length(p, scaled);
  for (int i = 0; i < 3; i++)
    inside.x[i] = dls_jet_div(p, dls_jet_mul(p, scaled.x[i], f->half[i]), length);
  return dls_jet3_add(p, f->place, dls_jet33_apply(p, &f->own, inside));
}

// Of a line, the point beside `place`. d has length 1.
static dls_jet3 furthest(dls_pool *p, const dls_seen_feature *f, dls_jet3 d)
{
  if (f->kind == DLS_SEEN_RIM) return furthest_of_rim(p, f, d);
  if (f->kind == DLS_SEEN_OVAL) return furthest_of_oval(p, f, d);
  return dls_jet3_add(p, f->place, dls_jet3_mul(p, d, f->radius));
}

// ---- the equations -----------------------------------------------------------------------------

typedef struct pair {
  dls_pool *pool;
  const dls_seen_feature *side[2];
  int unknowns;
  int along[2];  // where the s of lines are among the unknowns; 0: there is none
} pair;

// y: unknowns; what each equation is off by.
static void mismatch(const pair *m, const dls_jet *y, dls_jet *out)
{
  dls_pool *p = m->pool;
  const dls_jet3 n = {{y[NORMAL], y[NORMAL + 1], y[NORMAL + 2]}};
  dls_jet3 apart = dls_jet3_scale(p, dls_jet3_mul(p, n, y[GAP]), -1);
  int row = ALONG_A;
  for (int k = 0; k < 2; k++) {
    const dls_seen_feature *f = m->side[k];
    const double sign = k ? -1 : 1;
    dls_jet3 x = furthest(p, f, dls_jet3_scale(p, n, -sign));
    if (m->along[k]) {
      x = dls_jet3_add(p, x, dls_jet3_mul(p, f->axis, y[m->along[k]]));
      out[row++] = dls_jet3_dot(p, n, f->axis);
    }
    apart = dls_jet3_add(p, apart, dls_jet3_scale(p, x, sign));
  }
  for (int i = 0; i < 3; i++) out[NORMAL + i] = apart.x[i];
  out[GAP] = dls_jet_sub(p, dls_jet3_dot(p, n, n), dls_jet_of(p, dls_real_exact(p, 1)));
}

static dls_seen_feature still(dls_pool *p, const dls_seen_feature *f)
{
  dls_seen_feature out = *f;
  out.place = dls_jet3_now(p, f->place), out.axis = dls_jet3_now(p, f->axis);
  out.radius = dls_jet_now(p, f->radius);
  for (int i = 0; i < 3 && f->kind == DLS_SEEN_OVAL; i++)
    out.own.column[i] = dls_jet3_now(p, f->own.column[i]);
  return out;
}

// The derivatives of the mismatch by its unknowns at y, by columns; and its value.
static void slopes(const pair *m, mpfi_ptr const *y, dls_intervals J, dls_intervals value)
{
  dls_pool *p = m->pool;
  const dls_seen_feature a = still(p, m->side[0]), b = still(p, m->side[1]);
  pair at = *m;
  at.side[0] = &a, at.side[1] = &b;
  const mpfi_ptr one = dls_real_exact(p, 1);
  for (int k = 0; k < m->unknowns; k++) {
    dls_jet moved[MOST_UNKNOWNS], out[MOST_UNKNOWNS];
    for (int i = 0; i < m->unknowns; i++) moved[i] = dls_jet_of(p, y[i]);
    moved[k].d[1] = one;
    mismatch(&at, moved, out);
    for (int i = 0; i < m->unknowns; i++) mpfi_set(dls_at(J, i, k), out[i].d[1]);
    for (int i = 0; i < m->unknowns && value; i++) mpfi_set(dls_at(value, i, 0), out[i].d[0]);
  }
}

static void rates(const pair *m, mpfi_ptr const *y, dls_intervals out)
{
  dls_jet now[MOST_UNKNOWNS] = {0}, off[MOST_UNKNOWNS];
  for (int i = 0; i < m->unknowns; i++) now[i] = dls_jet_of(m->pool, y[i]);
  mismatch(m, now, off);
  for (int i = 0; i < m->unknowns; i++) mpfi_neg(dls_at(out, i, 0), off[i].d[1]);
}

// ---- Newton's method ---------------------------------------------------------------------------

// y <- the middle of y - step; the largest step.
static double take_step(const pair *m, mpfi_ptr *y, const dls_intervals step)
{
  double largest = 0;
  for (int i = 0; i < m->unknowns; i++) {
    const mpfi_ptr next = dls_real_new(m->pool);
    mpfi_sub(next, y[i], dls_at(step, i, 0));
    mpfi_mid(&next->left, next);
    mpfr_set(&next->right, &next->left, MPFR_RNDN);
    largest = fmax(largest, fabs(dls_middle(dls_at(step, i, 0))));
    y[i] = next;
    if (!isfinite(dls_middle(next))) return INFINITY;
  }
  return largest;
}

// Next to the root as far as it is known; false: it does not get there.
static bool approach(const pair *m, mpfi_ptr *y, dls_intervals J, dls_intervals E)
{
  enum { STEPS = 80, AT_END = 3 };
  static const double arrived = 1e-25, size = 1e200;
  for (int k = 0, left = AT_END; k < STEPS && left > 0; k++) {
    slopes(m, y, J, E);
    if (!dls_intervals_eliminate(J, E, NULL)) return false;
    const double step = take_step(m, y, E);
    if (!(step < size)) return false;
    if (step < arrived) left--;
    if (left == 0) return true;
  }
  return false;
}

// y, a point: becomes what encloses the root next to it.
static bool enclose(const pair *m, mpfi_ptr *y, dls_intervals J, dls_intervals E)
{
  static const double around = 0x1p-80;
  mpfi_ptr box[MOST_UNKNOWNS] = {0};
  for (int i = 0; i < m->unknowns; i++) {
    box[i] = dls_real_new(m->pool);
    mpfi_interv_d(box[i], -around, around);
    if (fabs(dls_middle(y[i])) > 1) mpfi_mul_d(box[i], box[i], dls_middle(y[i]));
    mpfi_add(box[i], box[i], y[i]);
  }
  dls_intervals unused;
  dls_intervals_init(unused, m->unknowns, 1, m->pool->bits);
  slopes(m, y, J, E);
  slopes(m, box, J, unused);
  dls_intervals_clear(unused);
  if (!dls_intervals_eliminate(J, E, NULL)) return false;
  for (int i = 0; i < m->unknowns; i++) {
    const mpfi_ptr next = dls_real_new(m->pool);
    mpfi_sub(next, y[i], dls_at(E, i, 0));
    if (!mpfi_is_strictly_inside(next, box[i])) return false;
    y[i] = next;
  }
  return true;
}

static bool solve(const pair *m, mpfi_ptr *y, dls_jet *root)
{
  dls_intervals J, E;
  const int n = m->unknowns;
  dls_intervals_init(J, n, n, m->pool->bits);
  dls_intervals_init(E, n, 1, m->pool->bits);
  bool good = approach(m, y, J, E) && enclose(m, y, J, E);
  if (good) {
    slopes(m, y, J, NULL);
    rates(m, y, E);
    good = dls_intervals_eliminate(J, E, NULL);
  }
  for (int i = 0; i < n && good; i++) {
    root[i] = dls_jet_of(m->pool, y[i]);
    root[i].d[1] = dls_real_new(m->pool);
    mpfi_set(root[i].d[1], dls_at(E, i, 0));
  }
  dls_intervals_clear(J);
  dls_intervals_clear(E);
  return good;
}

// How far they are apart along n, about: at 0 points and rims have no normal of their own.
static mpfi_ptr first_gap(const pair *m, mpfi_ptr const *n)
{
  dls_pool *p = m->pool;
  dls_jet3 normal, x[2];
  for (int i = 0; i < 3; i++) normal.x[i] = dls_jet_of(p, n[i]);
  for (int k = 0; k < 2; k++) {
    const dls_seen_feature f = still(p, m->side[k]);
    x[k] = furthest(p, &f, dls_jet3_scale(p, normal, k ? 1 : -1));
  }
  const mpfi_ptr gap = dls_jet3_dot(p, normal, dls_jet3_sub(p, x[0], x[1])).d[0];
  return dls_real_exact(p, dls_middle(gap));
}

// ---- two features ------------------------------------------------------------------------------

static bool touch_round(dls_pool *p, const dls_seen_feature *a, const dls_seen_feature *b,
                        const double near[3], dls_seen_touch *touch)
{
  pair m = {.pool = p, .side = {a, b}, .unknowns = ALONG_A};
  for (int k = 0; k < 2; k++)
    if (m.side[k]->kind == DLS_SEEN_LINE) m.along[k] = m.unknowns++;
  const double length = hypot(hypot(near[0], near[1]), near[2]);
  if (!(length > 0) || !isfinite(length)) return false;
  mpfi_ptr y[MOST_UNKNOWNS];
  for (int i = 0; i < m.unknowns; i++)
    y[i] = i < GAP ? dls_real_exact(p, near[i] / length) : p->zero;
  y[GAP] = first_gap(&m, y);
  dls_jet root[MOST_UNKNOWNS];
  if (!solve(&m, y, root)) return false;
  for (int i = 0; i < 3; i++) touch->normal.x[i] = root[i];
  touch->gap = root[GAP].d[0];
  for (int k = 0; k < 2; k++) {
    const dls_jet3 d = dls_jet3_scale(p, touch->normal, k ? 1 : -1);
    dls_jet3 x = furthest(p, m.side[k], d);
    touch->along[k] = p->zero;
    if (m.along[k]) {
      x = dls_jet3_add(p, x, dls_jet3_mul(p, m.side[k]->axis, root[m.along[k]]));
      touch->along[k] = root[m.along[k]].d[0];
    }
    touch->point[k] = only_rates(p, x);
  }
  return true;
}

// side: which of the two is flat.
static bool touch_flat(dls_pool *p, const dls_seen_feature *flat, const dls_seen_feature *other,
                       int side, dls_seen_touch *touch)
{
  if (other->kind == DLS_SEEN_LINE || other->kind == DLS_SEEN_FLAT) return false;
  const dls_jet3 n = flat->axis;
  const dls_jet3 x = furthest(p, other, dls_jet3_scale(p, n, -1));
  const dls_jet gap = dls_jet3_dot(p, n, dls_jet3_sub(p, x, flat->place));
  if (!mpfi_bounded_p(gap.d[0])) return false;
  touch->normal = only_rates(p, dls_jet3_scale(p, n, side ? 1 : -1));
  touch->point[1 - side] = only_rates(p, x);
  touch->point[side] = only_rates(p, dls_jet3_sub(p, x, dls_jet3_mul(p, n, gap)));
  touch->gap = gap.d[0];
  touch->along[0] = touch->along[1] = p->zero;
  return true;
}

bool dls_seen_touch_find(dls_pool *p, const dls_seen_feature *a, const dls_seen_feature *b,
                         const double near[3], dls_seen_touch *touch)
{
  if (b->kind == DLS_SEEN_FLAT) return touch_flat(p, b, a, 1, touch);
  if (a->kind == DLS_SEEN_FLAT) return touch_flat(p, a, b, 0, touch);
  return touch_round(p, a, b, near, touch);
}
