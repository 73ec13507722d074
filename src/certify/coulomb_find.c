// One solution where not all modes can be looked at: Gauss-Seidel finds modes, and Newton's method
// the solution in them. Spatial contacts that start to slide have one unknown more, the angle of
// their direction e:
//
//   K(theta) y = r,   e'(theta_j)^T s_j = 0                                        eq (fri.7)
#include "certify/coulomb.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "solve/coulomb_gs.h"

#include <math.h>

// Forces of Gauss-Seidel that count as none, of the largest; the part of the bound of friction
// below which a contact sticks; and what it aims at. Right or wrong modes show in the residual.
static const double no_force = 1e-9, sticks_below = 1 - 1e-7, sweep_tolerance = 1e-14;

// K is inverted from this rcond on; else singular values above the second count, of the largest.
static const double regular = 1e-12, singular = 1e-11;

// Turn of the directions, in radians, that is rounding.
static const double no_turn = 1e-15;

// Sweeps at first, and what all of them may cost, in products.
enum { FIRST_SWEEPS = 40 };
static const double sweep_budget = 2e9;

typedef struct finder {
  dls_polyhedra *c;
  double *W, *q, *r;  // Delassus matrix of normals and slips; forces
  dls_one_law *law;   // m
  // Newton: a copy of the polyhedra in which directions of sliding are known
  dls_polyhedra trial;
  unsigned char *mode;
  dls_polyhedron_work work;
  int *turning, turns;  // spatial contacts that start to slide
  double *U, *S, *V;    // of K, where contacts are redundant and K singular
} finder;

// Where bilateral contacts hold the motions that M does not see, M + G_b G_b^T and F + G_b b_b are
// the same problem with a definite matrix, because G_b^T z + b_b = 0.                 eq (fri.8)
static void add_bilateral(const dls_polyhedra *c, double *M, double *F)
{
  const ptrdiff_t n = c->n;
  for (ptrdiff_t j = 0; j < c->m_b; j++) {
    const double *g = c->G + n * j;
    for (ptrdiff_t k = 0; k < n; k++) {
      F[k] += g[k] * c->b[j];
      for (ptrdiff_t i = 0; i < n && g[k] != 0; i++) M[i + n * k] += g[i] * g[k];
    }
  }
}

// The root L of the mass matrix. Small pivots may be rounding: such a matrix does not count as
// definite.
static dls_status factor_mass(const dls_polyhedra *c, const double *M, double *L, bool *definite)
{
  const ptrdiff_t n = c->n;
  dls_status status = dls_cholesky(c->n, M, L, definite);
  for (ptrdiff_t i = 0; i < n && *definite; i++) {
    const double pivot = L[i * (n + 1)];
    *definite = pivot * pivot > c->tolerance * M[i * (n + 1)];
  }
  return status;
}

// W = A^T M^-1 A, q = (b, b_t) - A^T M^-1 F with A = (G H). False when M is not definite, and not
// on what the bilateral contacts leave free either.
static dls_status make_delassus(finder *f, bool *definite)
{
  const dls_polyhedra *c = f->c;
  dls_context *x = c->x;
  const ptrdiff_t n = c->n, m = c->m, tangents = c->tangents, size = m + tangents;
  double *L = dls_context_work(x, n * n), *A = dls_context_work(x, n * (size + 1));
  double *M = dls_context_work(x, n * n), *F = A ? A + n * size : NULL;
  f->W = dls_context_work(x, size * size), f->q = dls_context_work(x, size);
  f->r = dls_context_work(x, size);
  if (x->out_of_memory || !F) return DLS_ERR_MEMORY;
  dls_copy(M, c->M, n * n);
  dls_copy(F, c->F, n);
  dls_status status = factor_mass(c, M, L, definite);
  if (status == DLS_OK && !*definite && c->m_b > 0) {
    add_bilateral(c, M, F);
    status = factor_mass(c, M, L, definite);
  }
  if (status != DLS_OK || !*definite) return status;
  dls_copy(A, c->G, n * m);
  if (tangents) dls_copy(A + n * m, c->H, n * tangents);
  dls_lower_solve(c->n, (int)size + 1, L, false, A);
  dls_gemm(true, false, (int)size, (int)size, c->n, 1, A, A, 0, f->W);
  dls_gemv(true, c->n, (int)size, -1, A, F, 0, f->q);
  for (ptrdiff_t i = 0; i < size; i++) f->q[i] += i < m ? c->b[i] : c->b_t[i - m];
  return DLS_OK;
}

static double slip(const finder *f, int k)
{
  const ptrdiff_t size = ((ptrdiff_t)f->c->m + f->c->tangents), i = ((ptrdiff_t)f->c->m + k);
  double s = f->q[i];
  for (ptrdiff_t j = 0; j < size; j++) s += f->W[i + size * j] * f->r[j];
  return s;
}

// The modes that the forces are in.
static void guess_modes(finder *f)
{
  dls_polyhedra *c = f->c;
  const double zero = no_force * fmax(c->load, dls_norm_max(c->m + c->tangents, f->r));
  f->turns = 0;
  for (int j = 0; j < c->m; j++) {
    const int first = c->first[j], tangents = dls_polyhedra_tangents(c, j);
    const double *tau = f->r + c->m + first, lambda = f->r[j];
    const bool bilateral = dls_polyhedra_bilateral(c, j);
    const int pulling = bilateral && lambda < 0 ? DLS_MODE_PULLING : 0;
    double s[2] = {0};
    for (int k = 0; k < tangents; k++) s[k] = slip(f, first + k);
    int mode = DLS_MODE_CLOSED;
    f->trial.touch[j] = c->touch[j];
    if (!bilateral && lambda <= zero) mode = DLS_MODE_DETACH;
    else if (c->touch[j] == DLS_TOUCH_SLIDING) mode = DLS_MODE_SLIDE | pulling;
    else if (c->touch[j] == DLS_TOUCH_CANDIDATE) {
      const double size = tangents == 2 ? hypot(tau[0], tau[1]) : fabs(tau[0]);
      const bool inside = size < c->mu[j] * fabs(lambda) * sticks_below;
      if (inside) mode = DLS_MODE_STICK;
      else if (tangents == 1) mode = s[0] >= 0 ? DLS_MODE_SLIDE_PLUS : DLS_MODE_SLIDE_MINUS;
      else {
        const double speed = hypot(s[0], s[1]);
        mode = speed > zero ? DLS_MODE_SLIDE : DLS_MODE_STICK;
        if (speed > zero) f->trial.touch[j] = DLS_TOUCH_SLIDING, f->turning[f->turns++] = j;
        for (int k = 0; k < 2 && speed > zero; k++) f->trial.xi[first + k] = s[k] / speed;
      }
      mode |= pulling;
    }
    f->mode[j] = (unsigned char)mode;
  }
}

// X = K^+ B: the least change of accelerations and forces where redundant contacts leave a choice.
static dls_status solve(finder *f, int cols, const double *B, double *X, bool *good)
{
  enum { LARGEST = 400 };
  const dls_polyhedron *polyhedron = &f->work.polyhedron;
  dls_context *x = f->c->x;
  const ptrdiff_t N = polyhedron->size;
  double rcond = 0;
  dls_status status = dls_solve(polyhedron->size, cols, polyhedron->K, B, X, &rcond);
  *good = status == DLS_OK && rcond > regular;
  if (*good || polyhedron->size > LARGEST || (status != DLS_OK && status != DLS_ERR_NUMBER))
    return status == DLS_ERR_NUMBER ? DLS_OK : status;
  if (!f->U) {
    const ptrdiff_t most = ((ptrdiff_t)f->c->n + f->c->m + f->c->tangents);
    f->U = dls_context_work(x, most * most), f->V = dls_context_work(x, most * most);
    f->S = dls_context_work(x, most);
    if (x->out_of_memory) return DLS_ERR_MEMORY;
  }
  status = dls_svd(polyhedron->size, polyhedron->size, polyhedron->K, f->U, f->S, f->V);
  dls_clear(X, N * (ptrdiff_t)cols);
  for (int k = 0; status == DLS_OK && k < cols; k++)
    for (ptrdiff_t i = 0; i < N && f->S[i] > singular * f->S[0]; i++) {
      const double along = dls_dot(polyhedron->size, f->U + N * i, B + N * k) / f->S[i];
      for (ptrdiff_t j = 0; j < N; j++) X[j + N * k] += along * f->V[j + N * i];
    }
  *good = status == DLS_OK;
  return status;
}

// One step for the angles: dy/dtheta_j = K^-1 (-sign mu phi_j H e', 0).
static dls_status turn(finder *f, double *largest)
{
  dls_polyhedra *c = &f->trial;
  dls_context *x = c->x;
  const dls_polyhedron *polyhedron = &f->work.polyhedron;
  const ptrdiff_t N = polyhedron->size, n = c->n, T = f->turns;
  double *right = dls_context_work(x, N * T), *change = dls_context_work(x, N * T), rcond = 0;
  bool good = false;
  double *J = dls_context_work(x, T * T), *F = dls_context_work(x, T), *d = dls_context_work(x, T);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  for (ptrdiff_t t = 0; t < T; t++) {
    const int j = f->turning[t], first = c->first[j], at = polyhedron->force_at[j];
    const double *e = c->xi + first, across[2] = {-e[1], e[0]};
    const double sign = f->mode[j] & DLS_MODE_PULLING ? -1 : 1;
    for (ptrdiff_t i = 0; i < n; i++)
      for (int k = 0; k < 2; k++)
        right[i + N * t] -=
            sign * c->mu[j] * f->work.y[at] * across[k] * c->H[i + n * ((ptrdiff_t)first + k)];
  }
  dls_status status = solve(f, f->turns, right, change, &good);
  if (status != DLS_OK || !good) return status;
  for (ptrdiff_t t = 0; t < T; t++) {
    const int j = f->turning[t], first = c->first[j];
    const double *e = c->xi + first, across[2] = {-e[1], e[0]};
    for (int k = 0; k < 2; k++) {
      const double *h = c->H + n * ((ptrdiff_t)first + k);
      const double s = dls_dot(c->n, h, f->work.y) + c->b_t[first + k];
      F[t] -= across[k] * s;
      J[t * (T + 1)] -= e[k] * s;
      for (ptrdiff_t l = 0; l < T; l++)
        J[t + T * l] += across[k] * dls_dot(c->n, h, change + N * l);
    }
  }
  status = dls_solve(f->turns, 1, J, F, d, &rcond);
  if (status != DLS_OK || !(rcond > 0)) return status;
  *largest = dls_norm_max(f->turns, d);
  for (ptrdiff_t t = 0; t < T; t++) {
    double *e = c->xi + c->first[f->turning[t]];
    const double angle = fmax(-0.5, fmin(0.5, d[t])), x_0 = e[0], y_0 = e[1];
    e[0] = cos(angle) * x_0 - sin(angle) * y_0, e[1] = sin(angle) * x_0 + cos(angle) * y_0;
  }
  return DLS_OK;
}

// Accelerations and forces of the last sweep, as a point of the polyhedron.
static void start_from_forces(finder *f)
{
  const dls_polyhedra *c = f->c;
  const dls_polyhedron *polyhedron = &f->work.polyhedron;
  dls_clear(f->work.y, c->n);
  for (int j = 0; j < c->m; j++) {
    const int at = polyhedron->force_at[j];
    for (int k = 0; k < polyhedron->columns[j]; k++)
      f->work.y[at + k] = k == 0 ? f->r[j] : f->r[c->m + c->first[j] + k - 1];
  }
}

// y <- y + K^+ (r - K y): the nearest solution of the polyhedron's equations.
static dls_status correct(finder *f, bool *good)
{
  const dls_polyhedron *polyhedron = &f->work.polyhedron;
  double *rest = f->work.target, *change = f->work.w;
  dls_copy(rest, polyhedron->r, polyhedron->size);
  dls_gemv(false, polyhedron->size, polyhedron->size, -1, polyhedron->K, f->work.y, 1, rest);
  const dls_status status = solve(f, 1, rest, change, good);
  for (int i = 0; status == DLS_OK && *good && i < polyhedron->size; i++) f->work.y[i] += change[i];
  return status;
}

static dls_status polish(finder *f, bool *found)
{
  enum { STEPS = 30 };
  dls_polyhedra *c = f->c;
  double change = INFINITY;
  dls_status status = DLS_OK;
  bool good = false;
  *found = false;
  for (int step = 0; step < STEPS && status == DLS_OK; step++) {
    if (!dls_polyhedron_set(&f->trial, f->mode, &f->work.polyhedron)) return DLS_OK;
    if (step == 0) start_from_forces(f);
    for (int again = 0; again < 2 && status == DLS_OK; again++) {
      status = correct(f, &good);
      if (status != DLS_OK || !good) return status;
    }
    if (status != DLS_OK || f->turns == 0 || !(change > no_turn)) break;
    status = turn(f, &change);
    if (!isfinite(change)) return status;
  }
  if (status != DLS_OK) return status;
  dls_polyhedron_expand(&f->trial, f->mode, &f->work.polyhedron, f->work.y, &f->work.point);
  return dls_polyhedron_accept(c, f->mode, &f->work, found);
}

static dls_one_law law_of(const dls_polyhedra *c, int j)
{
  const bool bilateral = dls_polyhedra_bilateral(c, j);
  dls_one_law law = {.mu = c->mu[j]};
  switch (c->touch[j]) {
  case DLS_TOUCH_FRICTIONLESS: law.law = bilateral ? DLS_LAW_EQUATION : DLS_LAW_UNILATERAL; break;
  case DLS_TOUCH_CANDIDATE: law.law = bilateral ? DLS_LAW_BILATERAL_CONE : DLS_LAW_CONE; break;
  case DLS_TOUCH_SLIDING:
    law.law = bilateral ? DLS_LAW_BILATERAL_SLIDING : DLS_LAW_SLIDING;
    for (int k = 0; k < dls_polyhedra_tangents(c, j); k++)
      law.direction[k] = c->xi[c->first[j] + k];
    break;
  }
  return law;
}

static dls_status create(finder *f, dls_polyhedra *c)
{
  dls_context *x = c->x;
  *f = (finder){.c = c, .trial = *c};
  f->law = dls_arena_alloc(x->work, c->m, sizeof *f->law);
  f->mode = dls_arena_alloc(x->work, c->m, 1);
  f->turning = dls_arena_alloc(x->work, c->m, sizeof(int));
  f->trial.touch = dls_arena_alloc(x->work, c->m, sizeof *c->touch);
  f->trial.xi = dls_context_work(x, c->tangents);
  if (x->out_of_memory || !f->law || !f->mode || !f->turning || !f->trial.touch)
    return DLS_ERR_MEMORY;
  for (int j = 0; j < c->m; j++) f->law[j] = law_of(c, j);
  if (c->tangents) dls_copy(f->trial.xi, c->xi, c->tangents);
  return dls_polyhedron_work_create(&f->trial, &f->work);
}

dls_status dls_coulomb_find(dls_polyhedra *c, dls_set *set, bool *found)
{
  enum { MOST_FORCES = 4000, MOST_COORDINATES = 4000, ROUNDS = 8 };
  *found = false;
  if (c->m + c->tangents > MOST_FORCES || c->n > MOST_COORDINATES) return DLS_OK;
  finder f;
  bool definite = false;
  dls_status status = create(&f, c);
  if (status == DLS_OK) status = make_delassus(&f, &definite);
  if (status != DLS_OK || !definite) return status;
  const dls_coulomb_dense problem = {
      .m = c->m, .tangents = c->tangents, .first = c->first, .W = f.W, .q = f.q, .law = f.law};
  int sweeps = FIRST_SWEEPS;  // the modes are often right long before the forces are
  const double size = (double)(c->m + c->tangents), budget = sweep_budget / (size * size);
  for (int round = 0;
       round < ROUNDS && sweeps < FIRST_SWEEPS + budget && status == DLS_OK && !*found;
       round++, sweeps *= 2) {
    const int made = dls_coulomb_gs(&problem, sweep_tolerance, sweeps, f.r);
    guess_modes(&f);
    status = polish(&f, found);
    if (made < sweeps) break;
  }
  if (status != DLS_OK || !*found) return status;
  *set = (dls_set){.certain = false, .mode = f.mode};
  status = dls_point_create(c->x, c, &set->point);
  if (status == DLS_OK) dls_point_copy(c, &f.work.point, &set->point);
  return status;
}
