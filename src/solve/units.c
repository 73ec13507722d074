#include "solve/units.h"

#include "contact/law.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FAR = 300, NONE = INT_MIN };  // exponents: units and their products stay in range

// Where the numbers of the diagonal stand; -1 where they do not.
static void find_diagonal(const dls_pattern *s, int *place)
{
  for (int j = 0; j < s->cols; j++) {
    int low = s->p[j], high = s->p[j + 1];
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (s->i[middle] < j) low = middle + 1;
      else high = middle;
    }
    place[j] = low < s->p[j + 1] && s->i[low] == j ? low : -1;
  }
}

static bool reserve_laws(dls_arena *arena, dls_units *s)
{
  const ptrdiff_t contacts = (ptrdiff_t)s->given->contacts + 1;
  s->law = dls_arena_alloc(arena, contacts, 1);
  s->mu = dls_arena_alloc(arena, contacts, sizeof(double));
  s->bound = dls_arena_alloc(arena, contacts, sizeof(double));
  s->problem.law = s->law, s->problem.mu = s->mu, s->problem.bound = s->bound;
  return s->law && s->mu && s->bound;
}

dls_status dls_units_create(const dls_incremental *given, dls_arena *arena, dls_units *s)
{
  const ptrdiff_t rows = dls_incremental_rows(given);
  *s = (dls_units){.given = given, .problem = *given, .velocity = 1, .impulse = 1};
  s->equation = dls_arena_alloc(arena, (ptrdiff_t)given->equations + 1, sizeof(double));
  s->diagonal =
      dls_arena_alloc(arena, (given->global ? (ptrdiff_t)given->dof : rows) + 1, sizeof(int));
  bool good = s->equation && s->diagonal && (!given->law || reserve_laws(arena, s));
  if (given->global) {
    const ptrdiff_t dof = (ptrdiff_t)given->dof + 1;
    s->M = dls_arena_alloc(arena, (ptrdiff_t)given->M.pattern.p[given->dof] + 1, sizeof(double));
    s->f = dls_arena_alloc(arena, dof, sizeof(double));
    s->w = dls_arena_alloc(arena, rows + 1, sizeof(double));
    good = good && s->M && s->f && s->w;
    if (given->equations > 0) {
      s->H = dls_arena_alloc(arena, (ptrdiff_t)given->H.pattern.p[rows] + 1, sizeof(double));
      good = good && s->H;
    }
    s->problem.M.x = s->M, s->problem.f = s->f, s->problem.w = s->w;
    if (s->H) s->problem.H.x = s->H;
  } else {
    s->W = dls_arena_alloc(arena, (ptrdiff_t)given->W.pattern.p[rows] + 1, sizeof(double));
    s->q = dls_arena_alloc(arena, rows + 1, sizeof(double));
    good = good && s->W && s->q;
    s->problem.W.x = s->W, s->problem.q = s->q;
  }
  if (good) find_diagonal(given->global ? &given->M.pattern : &given->W.pattern, s->diagonal);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

// ---- choosing ----------------------------------------------------------------------------------

// x is at least a half and less than one, times two to this. Numbers that are not normal go the
// long way.
static int exponent(double x)
{
  if (!(x > 0 && x < INFINITY)) return NONE;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int e = (int)(bits >> 52) - 1022;
  if (x < DBL_MIN) frexp(x, &e);
  return e;
}

// |A_jj|
static inline double diagonal(const dls_units *s, const double *x, int j)
{
  return s->diagonal[j] < 0 ? 0 : fabs(x[s->diagonal[j]]);
}

static int largest(int a, int b)
{
  return a > b ? a : b;
}

// W_jj, in global form as if M had nothing but its diagonal; and likewise the size of q_j. (M_kk of
// a coordinate is read from scratch: s->f, until f itself goes there.)
static inline void row_sizes(const dls_units *s, int j, double *W, double *q)
{
  const dls_incremental *p = s->given;
  if (!p->global) {
    *W = diagonal(s, p->W.x, j), *q = fabs(p->q[j]);
    return;
  }
  *W = 0, *q = fabs(p->w[j]);
  for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++) {
    const int k = p->H.pattern.i[e];
    if (!(s->f[k] > 0)) continue;
    const double x = p->H.x[e], part = fabs(x * (p->f[k] / s->f[k]));
    *W += x * (x / s->f[k]);
    if (part > *q) *q = part;
  }
}

static int half(int e)
{
  return (e - (e & 1)) / 2;
}

static double unit(int e)
{
  const uint64_t bits = (uint64_t)(1023 + (e > FAR ? FAR : e < -FAR ? -FAR : e)) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// eq (unt.1)
static void choose(dls_units *s)
{
  const dls_incremental *p = s->given;
  const int end = p->dimension * p->contacts, rows = end + p->equations;
  double sum = 0, fastest = 0, W, q;
  int energy = NONE, other = NONE;
  for (int j = 0; j < end; j++) {
    if (p->global) row_sizes(s, j, &W, &q);
    else W = diagonal(s, p->W.x, j), q = fabs(p->q[j]);
    sum += W;
    if (q > fastest && q < INFINITY) fastest = q;
  }
  const int speed = exponent(fastest);
  int mean = exponent(sum / largest(end, 1));
  for (int j = end; j < rows; j++) {
    row_sizes(s, j, &W, &q);
    other = largest(other, exponent(W));
  }
  // what does not move takes the scale of what does
  if (mean == NONE) mean = other == NONE ? 0 : other;
  if (other == NONE) other = mean;
  for (int j = end; j < rows; j++) {
    row_sizes(s, j, &W, &q);
    const int e = exponent(W);
    if (exponent(q) != NONE) energy = largest(energy, 2 * exponent(q) - (e == NONE ? other : e));
  }
  if (speed != NONE) energy = largest(energy, 2 * speed - mean);
  if (energy == NONE) energy = 0;  // q = 0: nothing to solve
  s->velocity = unit(half(energy + mean));
  s->impulse = unit(energy - half(energy + mean));
  for (int j = end; j < rows; j++) {
    row_sizes(s, j, &W, &q);
    const int e = exponent(W);
    s->equation[j - end] = unit(half(energy + (e == NONE ? other : e)));
  }
}

// ---- copying -----------------------------------------------------------------------------------

static void multiply(int count, double factor, const double *restrict from, double *restrict to)
{
  int e = 0;
  for (; e + 3 < count; e += 4) {
    to[e] = factor * from[e], to[e + 1] = factor * from[e + 1];
    to[e + 2] = factor * from[e + 2], to[e + 3] = factor * from[e + 3];
  }
  for (; e < count; e++) to[e] = factor * from[e];
}

static void copy_global(dls_units *s)
{
  const dls_incremental *p = s->given;
  const int rows = dls_incremental_rows(p), end = p->dimension * p->contacts;
  const double mass = s->velocity / s->impulse, force = 1 / s->impulse;
  multiply(p->M.pattern.p[p->dof], mass, p->M.x, s->M);
  multiply(p->dof, force, p->f, s->f);
  multiply(end, 1 / s->velocity, p->w, s->w);
  for (int j = end; j < rows; j++) s->w[j] = p->w[j] / dls_units_velocity(s, j);
  if (!s->H) {
    s->problem.H.x = p->H.x;
    return;
  }
  for (int j = 0; j < rows; j++) {
    const double factor = j < end ? 1 : s->velocity / s->equation[j - end];
    for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++) s->H[e] = p->H.x[e] * factor;
  }
}

static void copy_local(dls_units *s)
{
  const dls_incremental *p = s->given;
  const int rows = dls_incremental_rows(p), end = p->dimension * p->contacts;
  const double common = s->impulse / s->velocity;
  multiply(end, 1 / s->velocity, p->q, s->q);
  for (int j = end; j < rows; j++) s->q[j] = p->q[j] / dls_units_velocity(s, j);
  if (rows == end) multiply(p->W.pattern.p[rows], common, p->W.x, s->W);
  for (int j = 0; rows > end && j < rows; j++) {
    const double impulse = dls_units_impulse(s, j);
    for (int e = p->W.pattern.p[j]; e < p->W.pattern.p[j + 1]; e++) {
      const int i = p->W.pattern.i[e];
      s->W[e] = p->W.x[e] * (i < end && j < end ? common : impulse / dls_units_velocity(s, i));
    }
  }
}

static void copy_laws(dls_units *s)
{
  const dls_incremental *p = s->given;
  for (int i = 0; i < p->contacts; i++) {
    const bool unilateral = p->law[i] == DLS_LAW_UNILATERAL;
    s->law[i] = unilateral ? (unsigned char)DLS_LAW_CONE : p->law[i];
    s->mu[i] = unilateral ? 0 : p->mu[i];
    s->bound[i] = dls_law_is_bounded((dls_law)p->law[i]) ? p->bound[i] / s->impulse : 0;
  }
}

void dls_units_refresh(dls_units *s)
{
  const dls_incremental *p = s->given;
  for (int k = 0; p->global && k < p->dof; k++) s->f[k] = diagonal(s, p->M.x, k);
  choose(s);
  if (p->law) copy_laws(s);
  if (p->global) copy_global(s);
  else copy_local(s);
}
