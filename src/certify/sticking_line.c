// Planar contacts whose forces are known up to one number x: y + x v. The cones are linear in x,
// and the most room in all of them is a minimum over pairs of them.                     eq (stk.4)
#include "certify/sticking_internal.h"

#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

// One side of a cone: w_n lambda + w_t tau >= 0, that is a x + c >= 0.
typedef struct side {
  int contact;
  double w_n, w_t, a, c;
} side;

typedef struct line {
  const dls_stick *s;
  const dls_stick_forces *f;
  side *side;
  int sides;
  double zero;  // slopes up to here are none
} line;

static double normal_of(const line *q, int j, const double *y)
{
  return y[q->s->polyhedra->n + j];
}

static double tangent_of(const line *q, int j, const double *y)
{
  const int k = q->s->polyhedra->first[j];
  return q->s->held[j] ? y[dls_stick_tau(q->s, k)] : 0;
}

static void add_side(line *q, int j, double w_n, double w_t)
{
  side *one = &q->side[q->sides++];
  const double *y = q->f->y, *v = q->f->v;
  *one = (side){.contact = j, .w_n = w_n, .w_t = w_t};
  one->a = w_n * normal_of(q, j, v) + w_t * tangent_of(q, j, v);
  one->c = w_n * normal_of(q, j, y) + w_t * tangent_of(q, j, y);
  if (fabs(one->a) <= q->zero) one->a = 0;
}

static void add_sides(line *q)
{
  const dls_polyhedra *c = q->s->polyhedra;
  for (int j = c->m_b; j < c->m; j++) {
    const double mu = c->mu_s[j], unit = fmax(1, mu);
    const bool bounded = q->s->held[j] && !q->s->unlimited;
    if (!bounded || mu == 0) add_side(q, j, 1, 0);
    for (int sign = -1; bounded && sign <= 1; sign += 2) add_side(q, j, mu / unit, sign / unit);
  }
}

// The least of all combinations of two sides in which x cancels; *i, *j: the sides, the same when
// one is enough; -1 when there is none.
static double max_slack(const line *q, bool flat, int *i, int *j)
{
  double least = INFINITY;
  *i = *j = -1;
  for (int k = 0; k < q->sides; k++) {
    const side *up = &q->side[k];
    if (flat && up->a == 0 && up->c < least) least = up->c, *i = *j = k;
    for (int l = 0; up->a > 0 && l < q->sides; l++) {
      const side *down = &q->side[l];
      if (!(down->a < 0)) continue;
      const double value = (up->c * -down->a + down->c * up->a) / (up->a - down->a);
      if (value < least) least = value, *i = k, *j = l;
    }
  }
  return least;
}

// Where the sides that x moves have most room.
static double best_x(const line *q)
{
  int i, j;
  double x = 0;
  const double slack = max_slack(q, false, &i, &j), size = fmax(q->s->polyhedra->load, not_zero);
  if (slack <= 10 * size) return (q->side[j].c - q->side[i].c) / (q->side[i].a - q->side[j].a);
  for (int k = 0; k < q->sides; k++) {  // room without end, or plenty: enough is enough
    const side *one = &q->side[k];
    if (one->a != 0 && one->a * x + one->c < size) x = (size - one->c) / one->a;
  }
  for (int k = 0; i >= 0 && k < q->sides; k++) {
    const side *one = &q->side[k];
    if (one->a * x + one->c < 0)
      return (q->side[j].c - q->side[i].c) / (q->side[i].a - q->side[j].a);
  }
  return x;
}

static dls_status prove(const line *q, dls_stick *s, int i, int j, dls_stick_outcome *outcome)
{
  const dls_polyhedra *c = s->polyhedra;
  double *l = dls_alloc(q->f->size, sizeof *l), margin = 0;
  unsigned char *mode = dls_alloc(c->m, 1);
  dls_status status = l && mode ? DLS_OK : DLS_ERR_MEMORY;
  for (int k = 0; k < c->m && status == DLS_OK; k++) mode[k] = (unsigned char)dls_stick_mode(s, k);
  for (int k = 0; k < 2 && status == DLS_OK; k++) {
    const side *one = &q->side[k ? j : i], *other = &q->side[k ? i : j];
    const double part = i == j ? 0.5 : fabs(other->a) / (fabs(one->a) + fabs(other->a));
    l[c->n + one->contact] += part * one->w_n;
    if (one->w_t != 0) l[dls_stick_tau(s, c->first[one->contact])] += part * one->w_t;
  }
  s->leaves = 0;
  if (status == DLS_OK) status = dls_stick_forces_prove(s, q->f, l, mode, &margin);
  if (status == DLS_OK && margin > s->least_margin) *outcome = DLS_STICK_NO;
  free(l), free(mode);
  return status;
}

static dls_status open_line(line *q, const dls_stick *s, const dls_stick_forces *f)
{
  *q = (line){.s = s, .f = f, .zero = solved_roundings * s->polyhedra->x->basic.noise};
  q->side = dls_alloc(3 * (ptrdiff_t)s->polyhedra->m, sizeof *q->side);
  if (!q->side) return DLS_ERR_MEMORY;
  add_sides(q);
  return DLS_OK;
}

static bool good_at(dls_stick *s, const dls_stick_forces *f, double x, double *y, double *slack)
{
  for (int k = 0; k < f->size; k++) y[k] = f->y[k] + x * f->v[k];
  dls_stick_line_correct(f, f->r, y);
  dls_stick_forces_point(s, y, &s->point);
  return dls_stick_fault(s, NULL, &s->point, slack, NULL) <= s->polyhedra->margin;
}

dls_status dls_stick_line(dls_stick *s, const dls_stick_forces *f, dls_stick_outcome *outcome)
{
  line q;
  double *y = dls_alloc(f->size, sizeof *y), slack = 0;
  dls_status status = y ? open_line(&q, s, f) : DLS_ERR_MEMORY;
  *outcome = DLS_STICK_AMBIGUOUS;
  if (status == DLS_OK) {
    int i, j;
    s->slack = max_slack(&q, true, &i, &j);
    if (good_at(s, f, best_x(&q), y, &slack)) {
      *outcome = DLS_STICK_YES;
      s->margin = fmax(slack, 0);
    } else if (i >= 0 && s->slack < 0) status = prove(&q, s, i, j, outcome);
    free(q.side);
  }
  free(y);
  return status;
}

// --- the least coefficient ----------------------------------------------------------------------

static dls_status slack_with(dls_stick *s, const dls_stick_forces *f, double mu, double *slack)
{
  line q;
  int i, j;
  dls_stick_set_friction(s, mu);
  const dls_status status = open_line(&q, s, f);
  if (status != DLS_OK) return status;
  *slack = max_slack(&q, true, &i, &j);
  free(q.side);
  return DLS_OK;
}

// The root of the room, which grows with the coefficient: regula falsi, Illinois variant.
dls_status dls_stick_line_least(dls_stick *s, const dls_stick_forces *f, double *mu)
{
  enum { STEPS = 200 };
  double low = 0, high = 1, at_low = -1, at_high = -1, slack = 0;
  dls_status status = DLS_OK;
  *mu = NAN;
  for (int k = 0; k < 40 && status == DLS_OK && at_high < 0; k++) {
    status = slack_with(s, f, high, &at_high);
    if (at_high < 0) low = high, at_low = at_high, high *= 4;
  }
  if (low == 0 && status == DLS_OK) status = slack_with(s, f, low = high * least_none, &at_low);
  // where forces may grow without end no coefficient need be the least
  if (status != DLS_OK || !(at_low < 0) || !(at_high >= 0)) return status;
  for (int k = 0, last = 0; k < STEPS && status == DLS_OK; k++) {
    const double middle = 0.5 * (low + high);
    double next = low + (high - low) * (at_low / (at_low - at_high));
    if (k % 4 == 3 || !(next > low) || !(next < high)) next = middle;
    if (!(next > low) || !(next < high)) break;
    status = slack_with(s, f, next, &slack);
    if (slack < 0) {
      if (last < 0) at_high /= 2;
      low = next, at_low = slack, last = -1;
    } else {
      if (last > 0) at_low /= 2;
      high = next, at_high = slack, last = 1;
    }
  }
  *mu = high;
  return status;
}
