#include "certify/modes.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dls_status dls_cell_work_points(dls_cells *c, dls_cell_work *work)
{
  dls_status status = dls_point_create(c->x, c, &work->point);
  if (status == DLS_OK) status = dls_point_create(c->x, c, &work->user);
  return status == DLS_OK ? dls_point_create(c->x, c, &work->rounded) : status;
}

dls_status dls_cell_work_create(dls_cells *c, dls_cell_work *work)
{
  dls_context *x = c->x;
  const size_t size = ((size_t)c->n + (size_t)c->m + (size_t)c->slips);
  dls_status status = dls_cell_create(c, &work->cell);
  work->y = dls_context_work(x, size), work->w = dls_context_work(x, size);
  work->turned = dls_context_work(x, size * size), work->target = dls_context_work(x, size);
  if (status == DLS_OK) status = dls_cell_work_points(c, work);
  if (status == DLS_OK) status = dls_proof_create(x, c, &work->proof);
  return x->out_of_memory ? DLS_ERR_MEMORY : status;
}

static void round_off(double *x, int count, double zero)
{
  for (int i = 0; i < count; i++)
    if (fabs(x[i]) <= zero) x[i] = 0;
}

// What is only rounding becomes zero first: where nothing else moves it would count in full.
bool dls_cell_accept(const dls_cells *c, dls_cell_work *work)
{
  const double noise = 4 * c->x->basic.noise;
  dls_point *p = &work->point, *rounded = &work->rounded;
  dls_point_copy(c, p, rounded);
  const double force = fmax(dls_norm_max(c->m, p->lambda), dls_norm_max(c->slips, p->tau));
  // accelerations are known as far as forces that balance each other are
  round_off(rounded->z, c->n, noise * fmax(fmax(c->load, force), dls_norm_max(c->n, p->z)));
  round_off(rounded->lambda, c->m, noise * fmax(c->load, force));
  round_off(rounded->tau, c->slips, noise * fmax(c->load, force));
  if (dls_point_residual(c, rounded, &work->user) <= c->gate) {
    dls_point_copy(c, rounded, p);
    return true;
  }
  return dls_point_residual(c, p, &work->user) <= c->gate;
}

// With K^T w = sum kappa_k l_k the value of that sum at every point of the cell is w^T r + e: the
// proof is d = -w_z, (alpha, sigma) = -w_c, and kappa itself on accelerations.   eq (fri.4)
void dls_cell_proof(const dls_cells *c, dls_cell_work *work, const double *kappa)
{
  const dls_cell *cell = &work->cell;
  const dls_proof *proof = &work->proof;
  for (int i = 0; i < c->n; i++) proof->d[i] = -work->w[i];
  for (int j = 0; j < c->m; j++) {
    const int at = cell->force_at[j];
    proof->alpha[j] = at < 0 ? 0 : -work->w[at];
    for (int k = 0; k < dls_cells_slips(c, j); k++)
      proof->sigma[c->first[j] + k] = k + 1 < cell->columns[j] ? -work->w[at + 1 + k] : 0;
  }
  for (int k = 0; kappa && k < cell->inequalities; k++) {
    const int j = cell->owner[k];
    if (cell->kind[k] == 1) proof->alpha[j] += kappa[k];
    else if (cell->kind[k]) proof->sigma[c->first[j]] += cell->kind[k] > 0 ? kappa[k] : -kappa[k];
  }
}

// --- a cell whose equations determine one point -------------------------------------------------

// The row of a spatial cone, mu lambda - |tau| >= 0, linearised at the point.
static void set_cone_rows(dls_cell_work *work)
{
  dls_cell *cell = &work->cell;
  for (int k = 0; k < cell->inequalities; k++) {
    if (cell->tau_norm[k] < 0) continue;
    const int at = cell->force_at[cell->tau_norm[k]];
    const double size = hypot(work->y[at + 1], work->y[at + 2]);
    double *row = cell->L + (size_t)k * (size_t)cell->size;
    for (int d = 1; d <= 2; d++) row[at + d] = size > 0 ? -work->y[at + d] / size : 0;
  }
}

// The inequality that is violated most, relative to its row; -1 when all hold.
static int worst_inequality(const dls_cell_work *work, const bool *tried)
{
  const dls_cell *cell = &work->cell;
  int worst = -1;
  double least = 0;
  for (int k = 0; k < cell->inequalities; k++) {
    const double *row = cell->L + (size_t)k * (size_t)cell->size;
    const double size = dls_norm_max(cell->size, row);
    const double value = dls_dot(cell->size, row, work->y) + cell->e[k];
    const double relative = size > 0 ? value / size : value;
    if (!tried[k] && relative < least) least = relative, worst = k;
  }
  return worst;
}

// Proves a cell empty whose only point violates an inequality.
static dls_status prove_violated(const dls_cells *c, const unsigned char *mode, dls_cell_work *work,
                                 double *margin)
{
  enum { TRIES = 3 };
  dls_cell *cell = &work->cell;
  const size_t N = (size_t)cell->size;
  double *kappa = dls_alloc((size_t)cell->inequalities, sizeof *kappa), rcond = 0;
  bool *tried = dls_alloc((size_t)cell->inequalities, sizeof *tried);
  dls_status status = kappa && tried ? DLS_OK : DLS_ERR_MEMORY;
  *margin = 0;
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) work->turned[j + N * i] = cell->K[i + N * j];
  for (int t = 0; status == DLS_OK && t < TRIES && !(*margin > c->tolerance); t++) {
    const int k = worst_inequality(work, tried);
    if (k < 0) break;
    tried[k] = true;
    status = dls_solve(cell->size, 1, work->turned, cell->L + (size_t)k * N, work->w, &rcond);
    if (status != DLS_OK || !(rcond > 0)) break;
    memset(kappa, 0, (size_t)cell->inequalities * sizeof *kappa);
    kappa[k] = 1;
    dls_cell_proof(c, work, kappa);
    *margin = dls_proof_check(c, mode, &work->proof);
  }
  free(kappa), free(tried);
  return status;
}

static dls_status analyse(dls_cells *c, const unsigned char *mode, dls_cell_work *work,
                          dls_set *set, double *margin, dls_cell_outcome *outcome)
{
  *outcome = DLS_CELL_DOUBT, *margin = 0;
  *set = (dls_set){.certain = true};
  if (!dls_cell_set(c, mode, &work->cell)) {
    const dls_status status = dls_cell_relaxed(c, mode, &work->proof, margin);
    if (*margin > c->tolerance) *outcome = DLS_CELL_EMPTY;
    return status;
  }
  double rcond = 0;
  dls_status status = dls_solve(work->cell.size, 1, work->cell.K, work->cell.r, work->y, &rcond);
  if (status == DLS_ERR_NUMBER) return DLS_OK;
  if (status != DLS_OK) return status;
  if (!(rcond > c->tolerance)) {
    set->degenerate = true;
    return dls_cell_degenerate(c, mode, work, set, margin, outcome);
  }

  set_cone_rows(work);
  dls_cell_expand(c, mode, &work->cell, work->y, &work->point);
  if (dls_cell_accept(c, work)) {
    *outcome = DLS_CELL_SET;
    return DLS_OK;
  }
  status = prove_violated(c, mode, work, margin);
  if (*margin > c->tolerance) *outcome = DLS_CELL_EMPTY;
  return status;
}

// --- the tree -----------------------------------------------------------------------------------

typedef struct tree {
  dls_modes *modes;
  dls_cell_work work;
  unsigned char *mode;
} tree;

static dls_status add_leaf(dls_modes *m, const unsigned char *mode, const dls_proof *proof,
                           dls_leaf_kind kind)
{
  const dls_cells *c = m->cells;
  if (!m->keep_leaves) return DLS_OK;
  if (dls_grow((void **)&m->leaf, &m->leaf_capacity, m->leaves + 1, sizeof *m->leaf))
    return DLS_ERR_MEMORY;
  dls_leaf *leaf = &m->leaf[m->leaves++];
  *leaf = (dls_leaf){0};
  if (proof) return dls_proof_leaf(c, mode, proof, c->x->basic.noise, leaf);
  unsigned char *copy = dls_arena_alloc(c->x->arena, (size_t)c->m, 1);
  if (!copy) return DLS_ERR_MEMORY;
  memcpy(copy, mode, (size_t)c->m);
  *leaf = (dls_leaf){.mode = copy, .kind = kind};
  return DLS_OK;
}

// The mode that a solution is in, by its own accelerations and forces: the law may hold at the
// point of a cell although the cell's inequalities do not.
static int mode_at(const dls_cells *c, int j, const dls_point *point)
{
  const size_t n = (size_t)c->n;
  const double noise = 64 * c->x->basic.noise, lambda = point->lambda[j];
  const double a_size = noise * fmax(c->load, dls_norm_max(c->n, point->z));
  const double f_size = noise * fmax(c->load, dls_norm_max(c->m, point->lambda));
  const double a = dls_dot(c->n, c->G + n * (size_t)j, point->z) + c->b[j];
  const bool bilateral = dls_cells_bilateral(c, j);
  if (!bilateral && lambda <= f_size && a > a_size) return DLS_MODE_DETACH;
  const int pulling = bilateral && lambda < -f_size ? DLS_MODE_PULLING : 0;
  if (c->touch[j] == DLS_TOUCH_FRICTIONLESS) return DLS_MODE_CLOSED;
  if (c->touch[j] == DLS_TOUCH_SLIDING) return DLS_MODE_SLIDE | pulling;
  double s[2] = {0};
  for (int k = 0; k < dls_cells_slips(c, j); k++) {
    const size_t slip = ((size_t)c->first[j] + (size_t)k);
    s[k] = dls_dot(c->n, c->H + n * slip, point->z) + c->b_t[slip];
  }
  if (hypot(s[0], s[1]) <= a_size) return DLS_MODE_STICK | pulling;
  if (dls_cells_slips(c, j) == 2) return DLS_MODE_SLIDE | pulling;
  return (s[0] > 0 ? DLS_MODE_SLIDE_PLUS : DLS_MODE_SLIDE_MINUS) | pulling;
}

static dls_status add_set(tree *t, const dls_set *found)
{
  dls_modes *m = t->modes;
  dls_context *x = m->cells->x;
  if (dls_grow((void **)&m->set, &m->set_capacity, m->sets + 1, sizeof *m->set))
    return DLS_ERR_MEMORY;
  dls_set *set = &m->set[m->sets];
  *set = *found;
  set->mode = dls_arena_alloc(x->work, (size_t)m->cells->m, 1);
  dls_status status = dls_point_create(x, m->cells, &set->point);
  if (status != DLS_OK || !set->mode) return DLS_ERR_MEMORY;
  memcpy(set->mode, t->mode, (size_t)m->cells->m);
  dls_point_copy(m->cells, &t->work.point, &set->point);
  for (int j = 0; j < m->cells->m && set->dimension == 0; j++)
    set->mode[j] = (unsigned char)mode_at(m->cells, j, &set->point);
  m->sets++;
  return DLS_OK;
}

static dls_status visit_cell(tree *t)
{
  dls_modes *m = t->modes;
  dls_set found;
  double margin = 0;
  dls_cell_outcome outcome;
  dls_status status = analyse(m->cells, t->mode, &t->work, &found, &margin, &outcome);
  if (status != DLS_OK) return status;
  switch (outcome) {
  case DLS_CELL_EMPTY:
    m->margin = fmin(m->margin, margin);
    return add_leaf(m, t->mode, &t->work.proof, DLS_LEAF_EMPTY);
  case DLS_CELL_SET:
    status = add_leaf(m, t->mode, NULL, found.degenerate ? DLS_LEAF_FACE : DLS_LEAF_POINT);
    return status == DLS_OK ? add_set(t, &found) : status;
  case DLS_CELL_DOUBT: break;
  }
  m->doubt = true;
  return DLS_OK;
}

// How many cells lie below contact j.
static double cells_below(const dls_cells *c, int j)
{
  unsigned char mode[DLS_MODES_MAX];
  double count = 1;
  for (; j < c->m; j++) count *= dls_cells_modes(c, j, mode);
  return count;
}

// A node costs a linear program at most: large problems get fewer of them. Spatial contacts that
// may start to slide leave little that can be proven empty: with many of them, none.
static int affordable(const dls_cells *c, int limit)
{
  enum { SPATIAL = 6 };
  double rows = c->n + c->m + c->slips;
  const double cols = rows;
  int spatial = 0;
  for (int j = 0; j < c->m; j++) {
    const bool two = c->touch[j] == DLS_TOUCH_CANDIDATE && dls_cells_slips(c, j) == 2;
    spatial += two;
    rows += two ? 48 : 4;
  }
  const double budget = spatial > SPATIAL ? 0 : 1e7 / (rows * cols);
  return budget < limit ? (int)budget : limit;
}

static dls_status visit(tree *t, int j)
{
  enum { WORTH_A_PROGRAM = 12 };  // cells: solving so many costs more than a linear program
  dls_modes *m = t->modes;
  if (m->given_up) return DLS_OK;
  if (++m->visited > m->limit) {
    m->given_up = true;
    return DLS_OK;
  }
  if (j == m->cells->m) return visit_cell(t);
  dls_status status = DLS_OK;
  if (cells_below(m->cells, j) >= WORTH_A_PROGRAM) {
    double margin = 0;
    status = dls_cell_relaxed(m->cells, t->mode, &t->work.proof, &margin);
    if (status != DLS_OK) return status;
    if (margin > m->cells->tolerance) {
      m->margin = fmin(m->margin, margin);
      return add_leaf(m, t->mode, &t->work.proof, DLS_LEAF_EMPTY);
    }
  }
  unsigned char choice[DLS_MODES_MAX];
  const int count = dls_cells_modes(m->cells, j, choice);
  for (int k = 0; k < count && status == DLS_OK; k++) {
    t->mode[j] = choice[k];
    status = visit(t, j + 1);
  }
  t->mode[j] = DLS_MODE_ANY;
  return status;
}

// --- which cells touch --------------------------------------------------------------------------

static double distance(const dls_cells *c, const dls_point *a, const dls_point *b)
{
  double far = 0, size = c->load;
  const struct {
    const double *a, *b;
    int count;
  } parts[] = {{a->z, b->z, c->n}, {a->lambda, b->lambda, c->m}, {a->tau, b->tau, c->slips}};
  for (size_t p = 0; p < 3; p++)
    for (int i = 0; i < parts[p].count; i++) {
      far = fmax(far, fabs(parts[p].a[i] - parts[p].b[i]));
      size = fmax(size, fmax(fabs(parts[p].a[i]), fabs(parts[p].b[i])));
    }
  return far == 0 ? 0 : far / size;
}

static double size_of(const dls_cells *c, const dls_point *p)
{
  const double force = fmax(dls_norm_max(c->m, p->lambda), dls_norm_max(c->slips, p->tau));
  return fmax(c->load, fmax(dls_norm_max(c->n, p->z), force));
}

// The point lies in the cell of these modes: no program is needed to see that two cells touch.
static bool lies_in(const dls_cells *c, const dls_point *p, const unsigned char *mode)
{
  const size_t n = (size_t)c->n;
  const double zero = 1e-11 * fmax(size_of(c, p), 1e-300);
  for (int j = 0; j < c->m; j++) {
    const int kind = mode[j] & ~DLS_MODE_PULLING, first = c->first[j];
    const double lambda = mode[j] & DLS_MODE_PULLING ? -p->lambda[j] : p->lambda[j];
    const double a = dls_dot(c->n, c->G + n * (size_t)j, p->z) + c->b[j], mu = c->mu[j];
    const bool closed = fabs(a) <= zero, pushes = lambda >= -zero || kind == DLS_MODE_CLOSED;
    if (kind == DLS_MODE_DETACH) {
      if (fabs(p->lambda[j]) > zero || a < -zero) return false;
      continue;
    }
    if (!closed || !pushes) return false;
    if (kind == DLS_MODE_CLOSED || c->touch[j] != DLS_TOUCH_CANDIDATE) continue;
    if (dls_cells_slips(c, j) != 1) return false;
    const double s = dls_dot(c->n, c->H + n * (size_t)first, p->z) + c->b_t[first];
    const double tau = p->tau[first], reach = fmax(1, mu) * zero;
    if (kind == DLS_MODE_STICK && (fabs(s) > zero || fabs(tau) > mu * lambda + reach)) return false;
    if (kind == DLS_MODE_SLIDE_PLUS && (s < -zero || fabs(tau + mu * lambda) > reach)) return false;
    if (kind == DLS_MODE_SLIDE_MINUS && (s > zero || fabs(tau - mu * lambda) > reach)) return false;
  }
  return true;
}

static dls_status touch(dls_modes *m, const dls_set *a, const dls_set *b, bool *touching)
{
  const double far = distance(m->cells, &a->point, &b->point);
  *touching = far <= m->cells->tolerance;
  if (*touching || (a->dimension == 0 && b->dimension == 0)) return DLS_OK;
  *touching = lies_in(m->cells, &a->point, b->mode) || lies_in(m->cells, &b->point, a->mode);
  if (*touching) return DLS_OK;
  const dls_cell_region both = {
      .other = b->mode, .near = &a->point, .radius = 1e5 * fmax(1, size_of(m->cells, &a->point))};
  dls_cell_program program;
  dls_status status = dls_cell_program_create(m->cells, a->mode, &both, &program);
  if (status != DLS_OK) return status;
  double value = NAN;
  const dls_lp_outcome outcome = dls_lp_solve(program.lp, NULL, NULL, &value);
  *touching = outcome == DLS_LP_OPTIMAL;
  if (outcome == DLS_LP_FAILED) m->doubt = true;
  status = dls_lp_status(program.lp);
  dls_cell_program_free(&program);
  return status;
}

static dls_status find_components(dls_modes *m)
{
  for (size_t i = 0; i < m->sets; i++) m->set[i].component = (int)i;
  for (size_t i = 0; i < m->sets; i++)
    for (size_t k = 0; k < i; k++) {
      const int from = m->set[i].component, to = m->set[k].component;
      bool touching = false;
      if (from == to) continue;
      dls_status status = touch(m, &m->set[i], &m->set[k], &touching);
      if (status != DLS_OK) return status;
      for (size_t l = 0; touching && l < m->sets; l++)
        if (m->set[l].component == from) m->set[l].component = to;
    }
  for (size_t i = 0; i < m->sets; i++) m->components += m->set[i].component == (int)i;
  return DLS_OK;
}

dls_status dls_modes_enumerate(dls_cells *cells, int limit, bool keep_leaves, dls_modes *modes)
{
  *modes = (dls_modes){.cells = cells,
                       .limit = affordable(cells, limit),
                       .keep_leaves = keep_leaves,
                       .margin = INFINITY};
  tree t = {.modes = modes, .mode = dls_arena_alloc(cells->x->work, (size_t)cells->m, 1)};
  if (!t.mode) return DLS_ERR_MEMORY;
  modes->given_up = modes->limit < 1;
  if (modes->given_up) return DLS_OK;  // and no room for cells either
  dls_status status = dls_cell_work_create(cells, &t.work);
  if (status == DLS_OK) status = visit(&t, 0);
  if (status == DLS_OK) status = find_components(modes);
  return status == DLS_OK && cells->x->out_of_memory ? DLS_ERR_MEMORY : status;
}

void dls_modes_free(dls_modes *modes)
{
  free(modes->set), free(modes->leaf);
}
