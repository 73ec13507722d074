#include "solve/coulomb_gs.h"

#include <math.h>
#include <stddef.h>

// One contact against the forces of all others: acceleration rho without its own force, and its
// block of W.
typedef struct local {
  int tangents;
  double rho_n, rho_t[2];
  double W_nn, W_nt[2], W_tn[2], W_tt[2][2];
  double mu;
  bool bilateral;
} local;

typedef struct force {
  double n, t[2];
} force;

static void slip_of(const local *c, const force *f, double *s)
{
  for (int i = 0; i < c->tangents; i++) {
    s[i] = c->rho_t[i] + c->W_tn[i] * f->n;
    for (int k = 0; k < c->tangents; k++) s[i] += c->W_tt[i][k] * f->t[k];
  }
}

// Forces that let the contact stick: its block times the force is -rho. False when singular.
static bool stick(const local *c, force *f)
{
  const int size = 1 + c->tangents;
  double A[3][4] = {{0}};
  A[0][0] = c->W_nn, A[0][size] = -c->rho_n;
  for (int i = 0; i < c->tangents; i++) {
    A[0][1 + i] = c->W_nt[i], A[1 + i][0] = c->W_tn[i], A[1 + i][size] = -c->rho_t[i];
    for (int k = 0; k < c->tangents; k++) A[1 + i][1 + k] = c->W_tt[i][k];
  }
  for (int p = 0; p < size; p++) {
    int best = p;
    for (int i = p + 1; i < size; i++)
      if (fabs(A[i][p]) > fabs(A[best][p])) best = i;
    if (A[best][p] == 0) return false;
    for (int k = p; k <= size; k++) {
      const double swap = A[p][k];
      A[p][k] = A[best][k], A[best][k] = swap;
    }
    for (int i = 0; i < size; i++) {
      const double factor = i == p ? 0 : A[i][p] / A[p][p];
      for (int k = p; k <= size && factor != 0; k++) A[i][k] -= factor * A[p][k];
    }
  }
  f->n = A[0][size] / A[0][0];
  for (int i = 0; i < c->tangents; i++) f->t[i] = A[1 + i][size] / A[1 + i][1 + i];
  return true;
}

// The force when the contact slides along e with a force of this sign; false without one.
static bool slide(const local *c, const double *e, double sign, force *f)
{
  double A = c->W_nn;
  for (int k = 0; k < c->tangents; k++) A -= sign * c->mu * e[k] * c->W_nt[k];
  if (A == 0) return false;
  f->n = -c->rho_n / A;
  for (int k = 0; k < c->tangents; k++) f->t[k] = -sign * c->mu * e[k] * f->n;
  return sign * f->n >= 0 && (c->bilateral || A > 0);
}

// Slides, in a direction that is found by following the slip.
static bool start_to_slide(const local *c, double sign, force *f)
{
  enum { STEPS = 40 };
  double e[2] = {0}, s[2] = {0}, speed = hypot(f->t[0], f->t[1]);
  if (c->tangents == 1) {
    for (int side = -1; side <= 1; side += 2) {
      e[0] = side;
      if (!slide(c, e, sign, f)) continue;
      slip_of(c, f, s);
      if (side * s[0] >= 0) return true;
    }
    return false;
  }
  if (speed == 0) return false;
  for (int k = 0; k < 2; k++) e[k] = -f->t[k] / speed;  // against the force that would stick
  for (int step = 0; step < STEPS; step++) {
    if (!slide(c, e, sign, f)) return false;
    slip_of(c, f, s);
    speed = hypot(s[0], s[1]);
    if (speed == 0) return true;
    for (int k = 0; k < 2; k++) e[k] = 0.5 * e[k] + 0.5 * s[k] / speed;
    const double size = hypot(e[0], e[1]);
    if (size == 0) return false;
    for (int k = 0; k < 2; k++) e[k] /= size;
  }
  return true;
}

// Exact for planar contacts. Keeps the old force where the law has no solution.
static force solve_candidate(const local *c, force old)
{
  force f = {0}, none = {0};
  if (!c->bilateral && c->rho_n >= 0) return none;
  const bool sticks = stick(c, &f);
  const bool pushes = c->bilateral || f.n >= 0;
  if (sticks && pushes && hypot(f.t[0], f.t[1]) <= c->mu * fabs(f.n)) return f;
  const force start = sticks ? f : old;
  const double first = start.n < 0 && c->bilateral ? -1 : 1;
  force g = start;
  if (start_to_slide(c, first, &g)) return g;
  g = start;
  if (c->bilateral && start_to_slide(c, -first, &g)) return g;
  return old;
}

static force solve_contact(const dls_coulomb_dense *p, int j, const local *c, force old)
{
  force f = {0};
  if (c->tangents == 0 || c->mu == 0) {
    if (c->W_nn > 0) f.n = -c->rho_n / c->W_nn;
    if (!c->bilateral && f.n < 0) f.n = 0;
    return f;
  }
  if (!p->sliding[j]) return solve_candidate(c, old);
  if (!c->bilateral && c->rho_n >= 0) return f;
  const double *xi = p->xi + p->first[j];
  for (int sign = 1; sign >= (c->bilateral ? -1 : 1); sign -= 2)
    if (slide(c, xi, sign, &f)) return f;
  return old;
}

static double row(const dls_coulomb_dense *p, int i, const double *r)
{
  const ptrdiff_t size = ((ptrdiff_t)p->m + p->tangents);
  double sum = p->q[i];
  const double *W = p->W + size * i;  // symmetric: a column is a row, and contiguous
  for (ptrdiff_t j = 0; j < size; j++) sum += W[j] * r[j];
  return sum;
}

static double sweep(const dls_coulomb_dense *p, double *r)
{
  const ptrdiff_t size = ((ptrdiff_t)p->m + p->tangents);
  double change = 0;
  for (int j = 0; j < p->m; j++) {
    const int first = p->first[j], tangents = p->first[j + 1] - first;
    local c = {.tangents = tangents, .mu = p->mu[j], .bilateral = j < p->m_b};
    force old = {.n = r[j]};
    const ptrdiff_t at = j;
    c.W_nn = p->W[at + size * at];
    for (int k = 0; k < tangents; k++) {
      const ptrdiff_t s = ((ptrdiff_t)p->m + first + k);
      old.t[k] = r[s];
      c.W_nt[k] = p->W[at + size * s], c.W_tn[k] = p->W[s + size * at];
      for (int l = 0; l < tangents; l++)
        c.W_tt[k][l] = p->W[s + size * ((ptrdiff_t)p->m + first + l)];
    }
    r[j] = 0;
    for (int k = 0; k < tangents; k++) r[p->m + first + k] = 0;
    c.rho_n = row(p, j, r);
    for (int k = 0; k < tangents; k++) c.rho_t[k] = row(p, p->m + first + k, r);
    const force f = solve_contact(p, j, &c, old);
    r[j] = f.n;
    change = fmax(change, fabs(f.n - old.n));
    for (int k = 0; k < tangents; k++) {
      r[p->m + first + k] = f.t[k];
      change = fmax(change, fabs(f.t[k] - old.t[k]));
    }
  }
  return change;
}

int dls_coulomb_gs(const dls_coulomb_dense *p, double tolerance, int max_sweeps, double *r)
{
  for (int sweeps = 1; sweeps <= max_sweeps; sweeps++) {
    const double change = sweep(p, r);
    double largest = 0;
    for (int i = 0; i < p->m + p->tangents; i++) largest = fmax(largest, fabs(r[i]));
    if (!(change > tolerance * largest)) return sweeps;
  }
  return max_sweeps;
}
