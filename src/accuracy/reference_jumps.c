// Where an exact solution jumps.
//
// Over an interval [a, b] with the middle m let D = |v(a) - 2 v(m) + v(b)|. On halving, D falls to
// a quarter where v is smooth, to a half at a kink and towards an accumulation of jumps, and not at
// all at a jump. Halves are followed down to neighbouring numbers, and what is left between them is
// a jump; unless D falls as it should and is not above what is common at that width, or falls as it
// should many times: near an accumulation it may do so by chance.
#include "accuracy/reference.h"

#include "accuracy/tolerances.h"
#include "base/memory.h"
#include "base/message.h"

#include <delassus/model.h>

#include <math.h>
#include <stdlib.h>

enum { DEEPEST = 128, FEWEST = 1 << 12, MOST = 1 << 15, BUDGET = 4000000, JUMPS_MAX = 100000 };
enum { CALM = 6 };                     // halvings in which D falls as it should
static const double falling = 0.3;     // D of a half over that of the whole, where v is smooth
static const double shift = 0.381966;  // so that the intervals do not begin at special times

typedef struct search {
  dls_reference *r;
  double *q;         // n: at the last time that was evaluated
  double *room;      // velocities at the times of each depth
  double threshold;  // D up to here is rounding
  double common;     // D / (b - a)^2 of nine intervals in ten is below a tenth of this
  long evaluations;
  double t;  // where an evaluation failed
} search;

// A time and its velocities.
typedef struct moment {
  double t;
  double *v;
} moment;

static double middle(double a, double b)
{
  return a + (b - a) / 2;
}

static dls_status look(search *s, double t, moment *at)
{
  at->t = t;
  s->evaluations++;
  s->t = t;
  return dls_model_exact(s->r->system, t, s->q, at->v, s->r->known);
}

static double change(const search *s, const moment *a, const moment *b)
{
  double most = 0;
  for (int i = 0; i < s->r->n; i++)
    if (s->r->known[i] & 2) most = fmax(most, fabs(b->v[i] - a->v[i]));
  return most;
}

static double bend(const search *s, const moment *a, const moment *m, const moment *b)
{
  double most = 0;
  for (int i = 0; i < s->r->n; i++)
    if (s->r->known[i] & 2) most = fmax(most, fabs(a->v[i] - 2 * m->v[i] + b->v[i]));
  return most;
}

static bool is_same_time(double a, double b)
{
  return b - a <= same_time * fmax(fabs(a), fabs(b));
}

// What changes from a to b, few numbers apart, does so between neighbours.
// NOLINTNEXTLINE(misc-no-recursion): no deeper than DEEPEST
static dls_status add_jump(search *s, int depth, const moment *a, const moment *b)
{
  dls_reference *r = s->r;
  const ptrdiff_t n = r->n;
  const double between = middle(a->t, b->t);
  if (!(change(s, a, b) > s->threshold)) return DLS_OK;
  if (between > a->t && between < b->t && depth < DEEPEST) {
    moment m = {.v = s->room + (2 * depth + 1) * n};
    dls_status status = look(s, between, &m);
    if (status == DLS_OK) status = add_jump(s, depth + 1, a, &m);
    return status == DLS_OK ? add_jump(s, depth + 1, &m, b) : status;
  }
  if (r->jumps > 0 && is_same_time(r->t[r->jumps - 1], b->t)) {
    dls_copy(r->after + (r->jumps - 1) * n, b->v, n);
    return DLS_OK;
  }
  if (r->jumps == JUMPS_MAX) return DLS_ERR_LIMIT;
  moment again = {.v = s->room};
  const dls_status status = look(s, b->t, &again);
  return status == DLS_OK ? dls_reference_add_jump(r, b->t, s->q, a->v, b->v) : status;
}

// calm: how often D fell as it should, last of all to `whole`.
// NOLINTNEXTLINE(misc-no-recursion): no deeper than DEEPEST
static dls_status follow(search *s, int depth, int calm, const moment *a, const moment *m,
                         const moment *b, double whole)
{
  const double width = b->t - a->t;
  if (!(whole > s->threshold) || calm == CALM) return DLS_OK;
  if (calm > 0 && whole <= s->common * width * width) return DLS_OK;
  if (s->evaluations > BUDGET) return DLS_ERR_LIMIT;
  const ptrdiff_t n = s->r->n;
  moment left = {.v = s->room + (2 * depth + 1) * n};
  moment right = {.v = left.v + n};
  const double l = middle(a->t, m->t), r = middle(m->t, b->t);
  if (depth + 1 == DEEPEST || !(l > a->t && l < m->t && r > m->t && r < b->t)) {
    const dls_status status = add_jump(s, depth, a, m);
    return status == DLS_OK ? add_jump(s, depth, m, b) : status;
  }
  dls_status status = look(s, l, &left);
  if (status == DLS_OK) status = look(s, r, &right);
  if (status != DLS_OK) return status;
  const double first = bend(s, a, &left, m), second = bend(s, m, &right, b);
  status = follow(s, depth + 1, first <= falling * whole ? calm + 1 : 0, a, &left, m, first);
  if (status != DLS_OK) return status;
  return follow(s, depth + 1, second <= falling * whole ? calm + 1 : 0, m, &right, b, second);
}

// One look over the whole time, in that many intervals. With `bends` only D of each is wanted.
static dls_status scan(search *s, int count, double *ends, double *bends)
{
  const dls_reference *r = s->r;
  const double width = (r->until - r->from) / count;
  const ptrdiff_t n = r->n;
  moment a = {.v = ends}, m = {.v = ends + n}, b = {.v = ends + 2 * n};
  dls_status status = look(s, r->from, &a);
  for (int i = 0; i <= count && status == DLS_OK; i++) {
    const double end = i < count ? r->from + (i + shift) * width : r->until;
    status = look(s, middle(a.t, end), &m);
    if (status == DLS_OK) status = look(s, end, &b);
    if (status != DLS_OK) break;
    const double whole = bend(s, &a, &m, &b);
    if (bends) bends[i] = whole;
    else status = follow(s, 0, 0, &a, &m, &b, whole);
    const moment last = a;
    a = b, b = last;
  }
  return status;
}

static int rising(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static dls_status find_common(search *s, int count, double *ends)
{
  const double width = (s->r->until - s->r->from) / count;
  double *bends = dls_alloc((ptrdiff_t)count + 1, sizeof(double));
  const dls_status status = bends ? scan(s, count, ends, bends) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    qsort(bends, (size_t)count + 1, sizeof(double), rising);
    s->common = 10 * bends[count - count / 10] / (width * width);
  }
  free(bends);
  return status;
}

static dls_status largest(search *s, int count, double *v, double *size)
{
  const dls_reference *r = s->r;
  moment at = {.v = v};
  dls_status status = DLS_OK;
  *size = 0;
  for (int i = 0; i <= count && status == DLS_OK; i++) {
    status = look(s, r->from + (r->until - r->from) * i / count, &at);
    for (int k = 0; k < r->n && status == DLS_OK; k++)
      if (r->known[k] & 2) *size = fmax(*size, fabs(at.v[k]));
  }
  return status;
}

// Formulas may round more than expected: the threshold grows until rounding is not pursued.
static dls_status run(search *s, double step, double *v)
{
  const double wanted = 2 * (s->r->until - s->r->from) / step;
  const int count = wanted < FEWEST ? FEWEST : wanted > MOST ? MOST : (int)wanted;
  double size = 0;
  dls_status status = largest(s, FEWEST, v, &size);
  s->threshold = formula_rounding * size;
  if (status == DLS_OK) status = find_common(s, count, v);
  while (status == DLS_OK) {
    s->r->jumps = 0;
    s->evaluations = 0;
    status = scan(s, count, v, NULL);
    if (status != DLS_ERR_LIMIT || s->threshold > loudest * size) break;
    s->threshold *= louder;
    status = DLS_OK;
  }
  s->r->unseen = s->threshold;
  return status;
}

dls_status dls_reference_search(dls_reference *r, double step, dls_message *message)
{
  const ptrdiff_t n = r->n;
  bool velocities = false;
  for (int i = 0; i < r->n; i++) velocities = velocities || (r->known[i] & 2);
  if (!velocities) return DLS_OK;
  search s = {.r = r};
  s.q = dls_alloc(n, sizeof(double));
  s.room = dls_alloc((2 * DEEPEST + 1) * n, sizeof(double));
  double *v = dls_alloc(3 * n, sizeof(double));
  dls_status status = s.q && s.room && v ? run(&s, step, v) : DLS_ERR_MEMORY;
  free(s.q);
  free(s.room);
  free(v);
  if (status == DLS_ERR_NUMBER)
    return dls_fail(message, status, "the exact solution is not finite at t = %.9g", s.t);
  if (status == DLS_ERR_LIMIT)
    return dls_fail(message, status, "the exact solution jumps too often");
  return status;
}
