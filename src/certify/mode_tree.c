// The tree of modes. At each node one more contact is decided, the one whose law the relaxation
// violates most; a node is a leaf when its relaxation is empty or leaves only one acceleration.
#include "certify/modes.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the programs of a tree may cost, in entries of their matrices.
static const double tree_budget = 4e6;

// All solutions with one acceleration.
typedef struct known {
  unsigned char *mode;
  double *z;
} known;

typedef struct tree {
  dls_modes *modes;
  dls_polyhedron_work work;
  unsigned char *mode;
  dls_outlook outlook;
  unsigned char *whole;  // the modes of all solutions that have one acceleration
  known *seen;           // those that have been looked at
  ptrdiff_t seens, seen_capacity;
  double *rest;  // the acceleration of a solution in which nothing starts to slide, or NULL
} tree;

// --- leaves and sets ----------------------------------------------------------------------------

static dls_status add_leaf(dls_modes *m, const unsigned char *mode, const dls_proof *proof,
                           dls_leaf_kind kind)
{
  const dls_polyhedra *c = m->polyhedra;
  if (!m->keep_leaves) return DLS_OK;
  if (dls_grow((void **)&m->leaf, &m->leaf_capacity, m->leaves + 1, sizeof *m->leaf))
    return DLS_ERR_MEMORY;
  dls_leaf *leaf = &m->leaf[m->leaves++];
  *leaf = (dls_leaf){0};
  if (proof) return dls_proof_leaf(c, mode, proof, c->x->basic.noise, leaf);
  unsigned char *copy = dls_arena_alloc(c->x->arena, c->m, 1);
  if (!copy) return DLS_ERR_MEMORY;
  dls_copy(copy, mode, c->m);
  *leaf = (dls_leaf){.mode = copy, .kind = kind};
  return DLS_OK;
}

int dls_mode_at(const dls_polyhedra *c, int j, const dls_point *point)
{
  const ptrdiff_t n = c->n;
  const double noise = solved_roundings * c->x->basic.noise, lambda = point->lambda[j];
  const double a_size = noise * fmax(c->load, dls_norm_max(c->n, point->z));
  const double f_size = noise * fmax(c->load, dls_norm_max(c->m, point->lambda));
  const double a = dls_dot(c->n, c->G + n * j, point->z) + c->b[j];
  const bool bilateral = dls_polyhedra_bilateral(c, j);
  if (!bilateral && lambda <= f_size && a > a_size) return DLS_MODE_DETACH;
  const int pulling = bilateral && lambda < -f_size ? DLS_MODE_PULLING : 0;
  if (c->touch[j] == DLS_TOUCH_FRICTIONLESS) return DLS_MODE_CLOSED;
  if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_MODE_SLIDE | pulling;
  double s[2] = {0};
  for (int k = 0; k < dls_polyhedra_tangents(c, j); k++) {
    const ptrdiff_t slip = ((ptrdiff_t)c->first[j] + k);
    s[k] = dls_dot(c->n, c->H + n * slip, point->z) + c->b_t[slip];
  }
  if (hypot(s[0], s[1]) <= a_size) return DLS_MODE_STICK | pulling;
  if (dls_polyhedra_tangents(c, j) == 2) return DLS_MODE_SLIDE | pulling;
  return (s[0] > 0 ? DLS_MODE_SLIDE_PLUS : DLS_MODE_SLIDE_MINUS) | pulling;
}

static dls_status add_set(tree *t, const unsigned char *mode, const dls_set *found)
{
  dls_modes *m = t->modes;
  dls_context *x = m->polyhedra->x;
  if (dls_grow((void **)&m->set, &m->set_capacity, m->sets + 1, sizeof *m->set))
    return DLS_ERR_MEMORY;
  dls_set *set = &m->set[m->sets];
  *set = *found;
  set->mode = dls_arena_alloc(x->work, m->polyhedra->m, 1);
  set->own = dls_arena_alloc(x->work, m->polyhedra->m, 1);
  dls_status status = dls_point_create(x, m->polyhedra, &set->point);
  if (status != DLS_OK || !set->mode || !set->own) return DLS_ERR_MEMORY;
  dls_copy(set->mode, mode, m->polyhedra->m), dls_copy(set->own, mode, m->polyhedra->m);
  dls_point_copy(m->polyhedra, &t->work.point, &set->point);
  for (int j = 0; j < m->polyhedra->m && set->dimension == 0; j++)
    set->mode[j] = (unsigned char)dls_mode_at(m->polyhedra, j, &set->point);
  m->sets++;
  return DLS_OK;
}

// Leaves that have one acceleration, in the user's units.
static dls_status add_held(tree *t, const double *z)
{
  dls_modes *m = t->modes;
  const dls_polyhedra *c = m->polyhedra;
  dls_status status = add_leaf(m, t->mode, NULL, DLS_LEAF_ACCELERATION);
  if (status != DLS_OK || !m->keep_leaves) return status;
  double *user = dls_context_keep(c->x, c->n);
  if (c->x->out_of_memory) return DLS_ERR_MEMORY;
  for (int i = 0; i < c->n; i++) user[i] = c->units.D[i] * c->units.S[i] * z[i];
  m->leaf[m->leaves - 1].acceleration = user;
  return DLS_OK;
}

static dls_status visit_polyhedron(tree *t)
{
  dls_modes *m = t->modes;
  dls_set found;
  double margin = 0;
  dls_polyhedron_outcome outcome;
  dls_status status =
      dls_polyhedron_analyse(m->polyhedra, t->mode, &t->work, &found, &margin, &outcome);
  if (status != DLS_OK) return status;
  switch (outcome) {
  case DLS_POLYHEDRON_EMPTY:
    m->margin = fmin(m->margin, margin);
    return add_leaf(m, t->mode, &t->work.proof, DLS_LEAF_EMPTY);
  case DLS_POLYHEDRON_SET:
    status = add_leaf(m, t->mode, NULL, found.degenerate ? DLS_LEAF_FACE : DLS_LEAF_POINT);
    return status == DLS_OK ? add_set(t, t->mode, &found) : status;
  case DLS_POLYHEDRON_DOUBT: break;
  }
  m->ambiguous = true;
  return DLS_OK;
}

// --- all solutions with one acceleration ---------------------------------------------------------

// The mode that contact j has in every solution with this acceleration, as far as it is told by it:
// what can be sticking is. A bilateral contact keeps the sign that it has. -1: not told.
static int mode_by_acceleration(const dls_polyhedra *c, int j, int mode, const double *z)
{
  const ptrdiff_t n = c->n;
  const double size = fmax(c->load, dls_norm_max(c->n, z));
  const double zero = resting * size, clear = c->tolerance * size;
  const double a = dls_dot(c->n, c->G + n * j, z) + c->b[j];
  const bool bilateral = dls_polyhedra_bilateral(c, j),
             rubs = c->touch[j] != DLS_TOUCH_FRICTIONLESS;
  if (!bilateral && a > clear) return DLS_MODE_DETACH;
  if (!bilateral && a > zero) return -1;
  if (!rubs) return DLS_MODE_CLOSED;
  if (bilateral && mode == DLS_MODE_ANY) return -1;
  const int pulling = bilateral ? mode & DLS_MODE_PULLING : 0;
  if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_MODE_SLIDE | pulling;
  double s[2] = {0};
  for (int k = 0; k < dls_polyhedra_tangents(c, j); k++) {
    const ptrdiff_t slip = (ptrdiff_t)c->first[j] + k;
    s[k] = dls_dot(c->n, c->H + n * slip, z) + c->b_t[slip];
  }
  const double speed = hypot(s[0], s[1]);
  if (speed <= zero) return DLS_MODE_STICK | pulling;
  if (speed <= clear || dls_polyhedra_tangents(c, j) == 2) return -1;
  return (s[0] > 0 ? DLS_MODE_SLIDE_PLUS : DLS_MODE_SLIDE_MINUS) | pulling;
}

static bool set_whole(tree *t, const double *z)
{
  const dls_polyhedra *c = t->modes->polyhedra;
  for (int j = 0; j < c->m; j++) {
    const int mode = mode_by_acceleration(c, j, t->mode[j], z);
    if (mode < 0) return false;
    t->whole[j] = (unsigned char)mode;
  }
  return true;
}

static dls_status remember(tree *t)
{
  const dls_polyhedra *c = t->modes->polyhedra;
  const ptrdiff_t m = c->m, n = c->n;
  const known one = {dls_arena_alloc(c->x->work, m, 1), dls_context_work(c->x, n)};
  if (!one.mode || c->x->out_of_memory ||
      dls_grow((void **)&t->seen, &t->seen_capacity, t->seens + 1, sizeof *t->seen))
    return DLS_ERR_MEMORY;
  dls_copy(one.mode, t->whole, m);
  dls_copy(one.z, t->work.point.z, n);
  t->seen[t->seens++] = one;
  return DLS_OK;
}

static bool is_near(const dls_polyhedra *c, const double *a, const double *b)
{
  const double size = fmax(c->load, dls_norm_max(c->n, a));
  bool near = true;
  for (int i = 0; i < c->n; i++) near &= fabs(a[i] - b[i]) <= same_acceleration * size;
  return near;
}

// All solutions below the node have the acceleration z: they lie in the polyhedron t->whole, all of
// whose points are solutions. It becomes a set, once, and the node a leaf. *good: it has that
// acceleration; otherwise the node holds none.
static dls_status take_whole(tree *t, const double *z, bool *good)
{
  dls_modes *m = t->modes;
  dls_polyhedra *c = m->polyhedra;
  dls_set found;
  double margin = 0;
  dls_polyhedron_outcome outcome;
  *good = set_whole(t, z);
  if (!*good) return DLS_OK;
  for (ptrdiff_t i = 0; i < t->seens; i++)
    if (memcmp(t->seen[i].mode, t->whole, (size_t)c->m) == 0) {
      *good = is_near(c, z, t->seen[i].z);
      return *good ? add_held(t, t->seen[i].z) : DLS_OK;
    }
  dls_status status = dls_polyhedron_analyse(c, t->whole, &t->work, &found, &margin, &outcome);
  *good = status == DLS_OK && outcome == DLS_POLYHEDRON_SET && is_near(c, z, t->work.point.z);
  if (!*good) return status;
  status = remember(t);
  if (status == DLS_OK) status = add_set(t, t->whole, &found);
  return status == DLS_OK ? add_held(t, t->seen[t->seens - 1].z) : status;
}

static bool nearly_parallel(const dls_polyhedra *c, const double *a, const double *b)
{
  const double a_size = dls_norm2(c->n, a), b_size = dls_norm2(c->n, b);
  const double sign = dls_dot(c->n, a, b) < 0 ? -1 : 1;
  double apart = 0;
  if (!(a_size > 0) || !(b_size > 0)) return false;
  for (int i = 0; i < c->n; i++) apart = hypot(apart, a[i] / a_size - sign * b[i] / b_size);
  return apart > c->x->basic.noise && apart <= c->tolerance;
}

// Linear programs do not see gradients that differ from parallel ones by no more than their
// tolerance: what they leave at one place may go on without end along such a direction.
static dls_status find_ambiguous(const tree *t)
{
  dls_polyhedra *c = t->modes->polyhedra;
  const ptrdiff_t n = c->n, m = c->m, tangents = c->tangents;
  double *A = dls_context_work(c->x, n * (m + tangents) + n),
         *S = A ? A + n * (m + tangents) : NULL;
  dls_status status = DLS_OK;
  if (!A) return DLS_ERR_MEMORY;
  dls_copy(A, c->G, n * m);
  dls_copy(A + n * m, c->H, n * tangents);
  for (int with_tangents = 0; with_tangents < 2 && status == DLS_OK; with_tangents++) {
    const int cols = with_tangents ? c->m + c->tangents : c->m, least = c->n < cols ? c->n : cols;
    status = dls_svd(c->n, cols, A, NULL, S, NULL);
    for (int i = 0; i < least && status == DLS_OK; i++)
      c->doubtful |= S[i] > c->x->basic.noise * S[0] && S[i] <= c->tolerance * S[0];
  }
  // more columns than coordinates hide two that are parallel
  for (ptrdiff_t j = 0; j < m + tangents; j++)
    for (ptrdiff_t k = 0; k < j; k++) c->doubtful |= nearly_parallel(c, A + n * j, A + n * k);
  return status;
}

// A solution in which nothing slides, to compare others with.                    eq (fri.10)
static dls_status find_rest(tree *t)
{
  const dls_polyhedra *c = t->modes->polyhedra;
  dls_context *x = c->x;
  dls_set found;
  double margin = 0;
  dls_polyhedron_outcome outcome;
  if (x->check->verdict[DLS_MASS_DEFINITE].answer != DLS_YES) return DLS_OK;
  for (int j = 0; j < c->m; j++) {
    if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_OK;
    t->whole[j] = c->touch[j] == DLS_TOUCH_FRICTIONLESS ? DLS_MODE_CLOSED : DLS_MODE_STICK;
  }
  dls_status status =
      dls_polyhedron_analyse(t->modes->polyhedra, t->whole, &t->work, &found, &margin, &outcome);
  if (status != DLS_OK || outcome != DLS_POLYHEDRON_SET) return status;
  t->rest = dls_context_work(x, c->n);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_copy(t->rest, t->work.point.z, c->n);
  return DLS_OK;
}

// --- nodes --------------------------------------------------------------------------------------

// A node costs a linear program at most: large problems get fewer of them. Spatial contacts that
// may start to slide leave little that can be proven empty: with many of them, only the root may be
// a leaf, as it is where everything rests.
static int affordable(const dls_polyhedra *c, int limit)
{
  enum { SPATIAL = 6 };
  double rows = c->n + c->m + c->tangents;
  const double cols = rows;
  int spatial = 0;
  for (int j = 0; j < c->m; j++) {
    const bool two = c->touch[j] == DLS_TOUCH_CANDIDATE && dls_polyhedra_tangents(c, j) == 2;
    spatial += two;
    rows += two ? 48 : 4;
  }
  if (spatial > SPATIAL && limit > 1) limit = 1;
  const double budget = tree_budget / (rows * cols);
  return budget < limit ? (int)budget : limit;
}

static bool is_told(const tree *t)
{
  for (int j = 0; j < t->modes->polyhedra->m; j++)
    if (t->mode[j] == DLS_MODE_ANY) return false;
  return true;
}

// Is the node a leaf? Otherwise t->outlook shows what its relaxation leaves open.
static dls_status close_node(tree *t, bool *closed)
{
  dls_modes *m = t->modes;
  dls_polyhedra *c = m->polyhedra;
  double margin = 0;
  bool rests = false;
  *closed = false;
  dls_status status = dls_polyhedron_relaxed(c, t->mode, &t->work.proof, &margin);
  if (status != DLS_OK) return status;
  if (margin > c->tolerance) {
    *closed = true;
    m->margin = fmin(m->margin, margin);
    return add_leaf(m, t->mode, &t->work.proof, DLS_LEAF_EMPTY);
  }
  if (t->rest && !c->doubtful) status = dls_rest_holds(c, t->mode, t->rest, &rests);
  if (status == DLS_OK && rests) status = take_whole(t, t->rest, closed);
  if (status == DLS_OK && !*closed) {
    status = dls_outlook_take(c, t->mode, &t->outlook);
    if (status == DLS_OK && t->outlook.held && !c->doubtful)
      status = take_whole(t, t->outlook.point[0], closed);
  }
  return status;
}

static dls_status visit(tree *t)
{
  dls_modes *m = t->modes;
  bool closed = false;
  if (m->given_up) return DLS_OK;
  if (++m->visited > m->limit) {
    m->given_up = true;
    return DLS_OK;
  }
  dls_status status = dls_context_go_on(m->polyhedra->x);
  if (status != DLS_OK) return status;
  if (is_told(t)) return visit_polyhedron(t);
  status = close_node(t, &closed);
  if (status != DLS_OK || closed) return status;
  const int j = dls_outlook_contact(m->polyhedra, t->mode, &t->outlook);
  unsigned char choice[DLS_MODES_MAX];
  const int count = dls_polyhedra_modes(m->polyhedra, j, choice);
  for (int k = 0; k < count && status == DLS_OK; k++) {
    t->mode[j] = choice[k];
    status = visit(t);
  }
  t->mode[j] = DLS_MODE_ANY;
  return status;
}

dls_status dls_modes_enumerate(dls_polyhedra *polyhedra, int limit, bool keep_leaves,
                               dls_modes *modes)
{
  *modes = (dls_modes){.polyhedra = polyhedra,
                       .limit = affordable(polyhedra, limit),
                       .keep_leaves = keep_leaves,
                       .margin = INFINITY};
  tree t = {.modes = modes, .mode = dls_arena_alloc(polyhedra->x->work, polyhedra->m, 1)};
  t.whole = dls_arena_alloc(polyhedra->x->work, polyhedra->m, 1);
  if (!t.mode || !t.whole) return DLS_ERR_MEMORY;
  modes->given_up = modes->limit < 1;
  if (modes->given_up) return DLS_OK;  // and no room for polyhedra either
  dls_status status = dls_polyhedron_work_create(polyhedra, &t.work);
  if (status == DLS_OK) status = dls_outlook_create(polyhedra, &t.outlook);
  if (status == DLS_OK) status = find_ambiguous(&t);
  if (status == DLS_OK) status = find_rest(&t);
  if (status == DLS_OK) status = visit(&t);
  if (status == DLS_OK) status = dls_modes_connect(modes);
  free(t.seen);
  return status == DLS_OK && polyhedra->x->out_of_memory ? DLS_ERR_MEMORY : status;
}

bool dls_modes_open(const dls_modes *m)
{
  return (m->ambiguous || m->given_up) && !m->weak.holds;
}

void dls_modes_free(dls_modes *modes)
{
  free(modes->set), free(modes->leaf);
}
