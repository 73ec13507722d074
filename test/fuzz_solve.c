// libFuzzer entry for the solvers of friction problems: the bytes are a small problem, every solver
// runs on it. What converged is a solution, by lines of its own here; the same problem in other
// units gives the same bits; and no problem is solved that has no solution.
#include <delassus/delassus.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 4, EQUATIONS = 2, ROWS = 3 * CONTACTS + EQUATIONS, STEPS = 60 };
static const double tolerance = 1e-8;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

typedef struct source {
  const uint8_t *data;
  size_t left;
} source;

static int byte(source *s)
{
  if (s->left == 0) return 0;
  s->left--;
  return *s->data++;
}

// Mostly small whole numbers and zero; some are far from one.
static double number(source *s)
{
  const int b = byte(s), kind = b % 8, x = b / 8 - 16;
  if (kind < 2) return 0;
  if (kind < 6) return 0.25 * x;
  return ldexp(x, 4 * (byte(s) % 16) - 32);
}

typedef struct problem {
  dls_incremental p;
  double W[ROWS * ROWS], q[ROWS], mu[CONTACTS];
  int start[ROWS + 1], index[ROWS * ROWS];
} problem;

static void read_problem(source *s, problem *x)
{
  const int b = byte(s), d = 2 + b % 2, contacts = b / 2 % (CONTACTS + 1);
  const int equations = b / 16 % (EQUATIONS + 1), rows = d * contacts + equations;
  const bool semidefinite = b / 64 % 2;
  double A[ROWS * ROWS] = {0};
  for (int k = 0; k < rows * rows; k++) A[k] = number(s);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < rows; k++) sum += A[k + rows * i] * A[k + rows * j];
      x->W[i + rows * j] = semidefinite ? sum : A[i + rows * j];
      x->index[i + rows * j] = i;
    }
  for (int j = 0; j <= rows; j++) x->start[j] = rows * j;
  for (int j = 0; j < rows; j++) x->q[j] = number(s);
  for (int i = 0; i < contacts; i++) x->mu[i] = fabs(number(s));
  x->p = (dls_incremental){.dimension = d,
                           .contacts = contacts,
                           .equations = equations,
                           .mu = x->mu,
                           .W = {{rows, rows, x->start, x->index}, x->W},
                           .q = x->q};
}

// Velocities into the ground, forces that pull or leave the cone, forces of contacts that open:
// each relative to what the rows of the contact add up, and to the whole of q.
static void is_solution(const problem *x, const double *r)
{
  const dls_incremental *p = &x->p;
  const int d = p->dimension, rows = dls_incremental_rows(p);
  const long double room = 1000 * tolerance;
  for (int i = 0; i < p->contacts; i++) {
    long double u[3] = {0}, size = 0, stiff = 0;
    for (int k = 0; k < d; k++) {
      long double sum = x->q[d * i + k], terms = fabsl(sum);
      for (int j = 0; j < rows; j++) {
        const long double term = (long double)x->W[d * i + k + rows * j] * r[j];
        sum += term, terms += fabsl(term);
      }
      u[k] = sum, size = fmaxl(size, terms);
      stiff += fabsl(x->W[(d * i + k) * (rows + 1)]) / d;
    }
    const double *f = r + (ptrdiff_t)d * i;
    const long double force = d == 3 ? hypotl(f[1], f[2]) : fabsl(f[1]);
    require(u[0] >= -room * size);
    require(stiff * f[0] >= -room * size);
    require(stiff * (force - p->mu[i] * f[0]) <= room * size * (1 + p->mu[i]));
    require(!(u[0] > room * size && stiff * f[0] > room * size));
  }
}

static dls_solve_report solve(const problem *x, const char *name, double *r)
{
  dls_solve_options o = dls_solve_defaults();
  o.solver = name, o.max_iterations = STEPS;
  dls_solver *solver = NULL;
  dls_solve_report report;
  memset(r, 0, ROWS * sizeof *r);
  require(dls_solver_create(&x->p, &o, &solver, NULL) == DLS_OK);
  require(dls_solver_solve(solver, r, NULL, NULL, &report) == DLS_OK);
  dls_solver_free(solver);
  return report;
}

static bool has_diagonal(const problem *x)
{
  for (int j = 0; j < dls_incremental_rows(&x->p); j++)
    if (x->W[j * (dls_incremental_rows(&x->p) + 1)] != 0) return true;
  return false;
}

// A proof that no forces at all can do, by more than what a tolerance lets pass: problems that miss
// a solution by their last digits have points that are good enough, and none that is exact.
static bool clear(const dls_solvable *no)
{
  return isinf(no->bound) && no->margin > 1e-5;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static problem x, other;
  source s = {data, size};
  read_problem(&s, &x);
  const int rows = dls_incremental_rows(&x.p);
  const double velocity = ldexp(1, byte(&s) % 81 - 40), impulse = ldexp(1, byte(&s) % 81 - 40);
  if (dls_incremental_validate(&x.p, NULL) != DLS_OK) return 0;
  other = x;
  other.p.mu = other.mu, other.p.q = other.q;
  other.p.W = (dls_matrix_view){{rows, rows, other.start, other.index}, other.W};
  for (int k = 0; k < rows * rows; k++) other.W[k] *= velocity / impulse;
  for (int j = 0; j < rows; j++) other.q[j] *= velocity;
  bool any = false;
  for (int k = 0; k < dls_solver_count(); k++) {
    const dls_solver_info *info = dls_solver_info_at(k);
    double r[ROWS], again[ROWS];
    if (!info->local) continue;
    const dls_solve_report a = solve(&x, info->name, r), b = solve(&other, info->name, again);
    any |= a.converged;
    if (a.converged) is_solution(&x, r);
    if (!has_diagonal(&x)) continue;  // W says nothing about the size of forces then
    require(a.converged == b.converged && a.iterations == b.iterations && a.stop == b.stop);
    for (int j = 0; j < rows; j++)
      require(r[j] == again[j] / impulse || (isnan(r[j]) && isnan(again[j])));
  }
  dls_solvable *exists = NULL;
  if (dls_incremental_solvable(&x.p, NULL, &exists, NULL) == DLS_OK)
    require(!(any && exists->answer == DLS_NO && clear(exists)));
  dls_solvable_free(exists);
  return 0;
}
