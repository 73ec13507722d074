// How the check grows with the number of contacts: a block on N aligned points, and a random
// hyperstatic truss of bars (bilateral) and cables (unilateral) with N members.
//
// usage: bench_check [largest N]
#include "common.h"
#include "timing.h"

#include <delassus/check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long long random_state = 1;

static double uniform(double low, double high)
{
  return drawn(&random_state, low, high);
}

typedef struct problem_data {
  double *M, *F, *G_b, *b_b, *G_u, *b_u;
} problem_data;

static double *zeros(size_t count)
{
  return take(count, sizeof(double));
}

static dls_problem allocate(problem_data *d, int n, int m_b, int m_u)
{
  const size_t rows = (size_t)n;
  *d = (problem_data){zeros(rows * rows),        zeros(rows),
                      zeros(rows * (size_t)m_b), zeros((size_t)m_b),
                      zeros(rows * (size_t)m_u), zeros((size_t)m_u)};
  for (size_t i = 0; i < rows; i++) d->M[i * (rows + 1)] = 1;
  return (dls_problem){.n = n,
                       .m_b = m_b,
                       .m_u = m_u,
                       .M = d->M,
                       .F = d->F,
                       .G_b = d->G_b,
                       .b_b = d->b_b,
                       .G_u = d->G_u,
                       .b_u = d->b_u};
}

static void release(problem_data *d)
{
  free(d->M), free(d->F), free(d->G_b), free(d->b_b), free(d->G_u), free(d->b_u);
}

// A planar block (x, y, theta) at rest on N points of its base.
static dls_problem block(problem_data *d, int contacts)
{
  dls_problem p = allocate(d, 3, 0, contacts);
  d->M[8] = 0.4;
  d->F[1] = 9.81, d->F[2] = 0.7;
  for (int j = 0; j < contacts; j++) {
    d->G_u[3 * j + 1] = 1;
    d->G_u[3 * j + 2] = contacts > 1 ? -1 + 2.0 * j / (contacts - 1) : 0;
  }
  return p;
}

// Point masses in a square, N members between random near neighbours: two thirds bars, one third
// cables; N = 1.5 n, so that the members are hyperstatic. At rest, random loads.
static dls_problem truss(problem_data *d, int members)
{
  const int nodes = members / 3 > 2 ? members / 3 : 2, m_u = members / 3;
  dls_problem p = allocate(d, 2 * nodes, members - m_u, m_u);
  double *x = zeros((size_t)nodes), *y = zeros((size_t)nodes);
  for (int i = 0; i < nodes; i++) {
    x[i] = uniform(0, 1), y[i] = uniform(0, 1);
    d->F[2 * i] = uniform(-1, 1), d->F[2 * i + 1] = uniform(-1, 1);
  }
  for (int j = 0; j < members; j++) {
    const int a = (int)uniform(0, nodes - 1e-9);
    int b = a;
    double nearest = INFINITY;
    for (int k = 0; k < 6; k++) {  // the nearest of a few
      const int c = (int)uniform(0, nodes - 1e-9);
      const double length = hypot(x[c] - x[a], y[c] - y[a]);
      if (c != a && length < nearest) nearest = length, b = c;
    }
    if (b == a) b = (a + 1) % nodes;
    const double length = hypot(x[b] - x[a], y[b] - y[a]);
    const int cable = j - (members - m_u);
    double *g = cable < 0 ? d->G_b + (size_t)(2 * nodes) * (size_t)j
                          : d->G_u + (size_t)(2 * nodes) * (size_t)cable;
    g[2 * a] = (x[b] - x[a]) / length, g[2 * a + 1] = (y[b] - y[a]) / length;
    g[2 * b] = -g[2 * a], g[2 * b + 1] = -g[2 * a + 1];
  }
  free(x), free(y);
  return p;
}

static void measure(const char *name, dls_problem (*make)(problem_data *, int), int size)
{
  problem_data data;
  const dls_problem p = make(&data, size);
  double best = INFINITY;
  dls_check *check = NULL;
  for (int k = 0; k < 3 && (k == 0 || best < 2); k++) {
    dls_check_free(check);
    const double start = dls_clock();
    if (dls_check_run(&p, NULL, &check, NULL) != DLS_OK) exit(1);
    best = fmin(best, dls_clock() - start);
  }
  int undecided = 0;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    undecided += check->verdict[q].answer == DLS_UNDECIDED;
  printf(
      "%-6s %6d %6d %6d %10.3f ms %10.1f us/contact  exists %-9s forces unique %-9s %d undecided\n",
      name, size, p.n, check->constraint_rank, 1e3 * best, 1e6 * best / size,
      dls_answer_name(check->verdict[DLS_ACCELERATION_EXISTS].answer),
      dls_answer_name(check->verdict[DLS_FORCES_UNIQUE].answer), undecided);
  fflush(stdout);
  dls_check_free(check);
  release(&data);
}

int main(int argc, char **argv)
{
  const int largest = argc > 1 ? atoi(argv[1]) : 500;
  const int sizes[] = {5, 10, 20, 50, 100, 200, 500, 1000};
  printf("%-6s %6s %6s %6s\n", "system", "N", "n", "rank");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (sizes[k] <= largest) measure("block", block, sizes[k]);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (sizes[k] <= largest) measure("truss", truss, sizes[k]);
  return 0;
}
