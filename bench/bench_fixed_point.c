// The fixed point of slips around convex problems (CVX, Table 1 and Fig. 9): how many convex
// problems a step takes, with interior points and with projected gradients, plain and accelerated;
// and how |F(s) - s| falls for coefficients of friction from 0.1 to 0.9.
//
// usage: bench_fixed_point [problem.hdf5 ...]; without files, heaps of beads
#include "solve/fixed_point.h"

#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void *need(void *memory)
{
  if (!memory) abort();
  return memory;
}

static void must(dls_status status, const char *what)
{
  if (status == DLS_OK) return;
  fprintf(stderr, "bench_fixed_point: %s: %s\n", what, dls_status_text(status));
  exit(1);
}

static unsigned long long random_state = 1;

static double uniform(double low, double high)
{
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

// ---- a heap of beads
// -----------------------------------------------------------------------------

// Spheres of mass 1 on a lattice, side x side x layers, resting on a floor, each on the one below
// and against two neighbours; the normals are tilted at random, and velocities drawn. Global form.
typedef struct heap {
  dls_incremental problem;
  int *Mp, *Mi, *Hp, *Hi;
  double *M, *H, *f, *w, *mu;
} heap;

static void cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2],
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void frame(const double *direction, double e[3][3])
{
  double length = 0, size;
  for (int k = 0; k < 3; k++) e[0][k] = direction[k] + uniform(-0.3, 0.3);
  for (int k = 0; k < 3; k++) length += e[0][k] * e[0][k];
  for (int k = 0; k < 3; k++) e[0][k] /= sqrt(length);
  const double other[3] = {fabs(e[0][0]) < 0.5, fabs(e[0][0]) >= 0.5, 0};
  cross(e[0], other, e[1]);
  size = sqrt(e[1][0] * e[1][0] + e[1][1] * e[1][1] + e[1][2] * e[1][2]);
  for (int k = 0; k < 3; k++) e[1][k] /= size;
  cross(e[0], e[1], e[2]);
}

// The relative velocity of `upper` over `lower` (-1: the floor) along e: three columns of H.
static void add_contact(heap *h, int lower, int upper, const double *direction)
{
  const int c = h->problem.contacts++;
  double e[3][3], arm[3], turn[3];
  frame(direction, e);
  for (int k = 0; k < 3; k++) arm[k] = -0.5 * e[0][k];  // from the centre of the upper one
  for (int k = 0; k < 3; k++) {
    int at = h->Hp[3 * c + k];
    for (int body = 0; body < 2; body++) {
      const int b = body == 0 ? (lower < upper ? lower : upper) : (lower < upper ? upper : lower);
      if (b < 0) continue;
      const double sign = b == upper ? 1 : -1;
      cross(arm, e[k], turn);  // the lower one's arm is the opposite: the same for both
      for (int j = 0; j < 3; j++) h->Hi[at] = 6 * b + j, h->H[at++] = sign * e[k][j];
      for (int j = 0; j < 3; j++) h->Hi[at] = 6 * b + 3 + j, h->H[at++] = turn[j];
    }
    h->Hp[3 * c + k + 1] = at;
  }
  h->mu[c] = 0.3;
}

static heap heap_create(int side, int layers)
{
  const int bodies = side * side * layers, most = 3 * bodies, dof = 6 * bodies;
  const size_t ints = sizeof(int), doubles = sizeof(double);
  heap h = {.Mp = need(calloc((size_t)dof + 1, ints)), .Mi = need(calloc((size_t)dof, ints))};
  h.Hp = need(calloc((size_t)(3 * most) + 1, ints)), h.Hi = need(calloc((size_t)(36 * most), ints));
  h.M = need(calloc((size_t)dof, doubles)), h.f = need(calloc((size_t)dof, doubles));
  h.H = need(calloc((size_t)(36 * most), doubles)), h.w = need(calloc((size_t)(3 * most), doubles));
  h.mu = need(calloc((size_t)most, doubles));
  for (int k = 0; k < dof; k++) {
    const bool turns = k % 6 > 2;
    h.Mp[k + 1] = k + 1, h.Mi[k] = k, h.M[k] = turns ? 0.1 : 1;
    h.f[k] = h.M[k] * (uniform(-0.3, 0.3) - (k % 6 == 2 ? 0.2 : 0));  // gravity in a step of 0.02
  }
  const double up[3] = {0, 0, 1}, right[3] = {1, 0, 0}, back[3] = {0, 1, 0};
  for (int z = 0, b = 0; z < layers; z++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++, b++) {
        add_contact(&h, z > 0 ? b - side * side : -1, b, up);
        if (x > 0) add_contact(&h, b - 1, b, right);
        if (y > 0) add_contact(&h, b - side, b, back);
      }
  const int rows = 3 * h.problem.contacts;
  h.problem.dimension = 3, h.problem.global = true, h.problem.dof = dof, h.problem.mu = h.mu;
  h.problem.f = h.f, h.problem.w = h.w;
  h.problem.M = (dls_matrix_view){{dof, dof, h.Mp, h.Mi}, h.M};
  h.problem.H = (dls_matrix_view){{dof, rows, h.Hp, h.Hi}, h.H};
  return h;
}

static void heap_free(heap *h)
{
  free(h->Mp), free(h->Mi), free(h->Hp), free(h->Hi), free(h->M), free(h->H), free(h->f);
  free(h->w), free(h->mu);
}

// ---- measurements
// --------------------------------------------------------------------------------

typedef struct counted {
  int problems, inner;
  double seconds, last, error;
  double history[DLS_FIXED_POINT_HISTORY];
} counted;

// The loop alone, to the tolerance of CVX (6.1): no Newton steps, and no end before that.
static counted count(const dls_incremental *problem, const char *solver, int memory,
                     double tolerance, int most)
{
  dls_solve_options options = dls_solve_defaults();
  options.solver = solver, options.tolerance = 0, options.max_iterations = 1000000;
  dls_solver *s;
  must(dls_solver_create(problem, &options, &s, NULL), solver);
  dls_fixed_point *f = dls_solver_self(s);
  f->memory = memory, f->tolerance = tolerance, f->most = most, f->polish = false;
  f->inner_tolerance = 1e-8;
  double *r = need(calloc((size_t)dls_incremental_rows(problem) + 1, sizeof *r));
  double *v = need(calloc((size_t)problem->dof + 1, sizeof *v));
  dls_solve_report report;
  must(dls_solver_solve(s, r, v, NULL, &report), solver);
  counted c = {.problems = f->problems, .inner = f->inner, .seconds = report.seconds};
  c.error = report.error.q;
  for (int k = 0; k < f->problems && k < DLS_FIXED_POINT_HISTORY; k++)
    c.last = c.history[k] = f->history[k];
  free(r), free(v);
  dls_solver_free(s);
  return c;
}

static void table(const char *name, const dls_incremental *problem)
{
  printf("%s: %d contacts\n", name, problem->contacts);
  const char *const solvers[] = {"cvx-apgd", "cvx-interior"};
  const int memories[] = {0, 5};
  for (int s = 0; s < 2; s++)
    for (int m = 0; m < 2; m++)
      for (int t = 0; t < 2; t++) {
        const double tolerance = t == 0 ? 1e-2 : 1e-8;
        const counted c = count(problem, solvers[s], memories[m], tolerance, 50);
        printf("  %-13s memory %d  to %.0e: %3d problems, %6d iterations, %9.2f ms, %.1e, error "
               "%.1e\n",
               solvers[s], memories[m], tolerance, c.problems, c.inner, 1e3 * c.seconds, c.last,
               c.error);
      }
}

// The convergence of s <- F(s) for one mu at all contacts
static void convergence(const dls_incremental *given, int memory)
{
  dls_incremental problem = *given;
  double *mu = need(calloc((size_t)problem.contacts + 1, sizeof *mu));
  problem.mu = mu;
  printf("  |F(s) - s| / (n (|s| + 1)) of the problems 1, 2, ..., memory %d\n", memory);
  for (int k = 1; k <= 9; k += 2) {
    for (int i = 0; i < problem.contacts; i++) mu[i] = 0.1 * k;
    const counted c = count(&problem, "cvx-interior", memory, 1e-7, 30);
    printf("    mu %.1f:", 0.1 * k);
    for (int j = 0; j < c.problems; j += j < 4 ? 1 : 4) printf(" %.0e", c.history[j]);
    printf("  (%d)\n", c.problems);
  }
  free(mu);
}

static void everything(const char *name, const dls_incremental *problem)
{
  table(name, problem);
  convergence(problem, 0);
  convergence(problem, 5);
}

int main(int count_of, char **names)
{
  for (int k = 1; k < count_of; k++) {
    dls_fclib *file;
    dls_message message;
    const dls_status status = dls_fclib_read(names[k], &file, &message);
    if (status != DLS_OK) {
      fprintf(stderr, "bench_fixed_point: %s\n", message.text);
      return 1;
    }
    everything(names[k], &file->problem);
    dls_fclib_free(file);
  }
  for (int layers = 2; count_of < 2 && layers <= 4; layers *= 2) {
    heap h = heap_create(5, layers);
    char name[64];
    snprintf(name, sizeof name, "%d beads", 25 * layers);
    everything(name, &h.problem);
    heap_free(&h);
  }
  return 0;
}
