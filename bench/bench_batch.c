// Many small problems in a loop of C, to compare the batch call of Python with:
//
//   BATCH=problems.bin python3 bench/bench_python.py; build/release/bench/bench_batch problems.bin
//
// Without a file it makes problems of its own.
#include <delassus/solve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7, MOST = 64 };

typedef struct batch {
  int count, rows, contacts;
  double *W, *q, *mu;
} batch;

static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool room(batch *b)
{
  const size_t n = (size_t)b->rows, k = (size_t)b->count;
  b->W = calloc(k * n * n + 1, sizeof *b->W);
  b->q = calloc(k * n + 1, sizeof *b->q);
  b->mu = calloc(k * (size_t)b->contacts + 1, sizeof *b->mu);
  return b->W && b->q && b->mu;
}

static bool read_batch(const char *path, batch *b)
{
  FILE *file = fopen(path, "rb");
  int size[3];
  bool done = file && fread(size, sizeof size, 1, file) == 1 && size[0] > 0 && size[1] > 0 &&
              size[1] <= MOST && size[2] >= 0 && 3 * size[2] == size[1];
  if (done) {
    *b = (batch){.count = size[0], .rows = size[1], .contacts = size[2]};
    const size_t n = (size_t)b->rows, k = (size_t)b->count, c = (size_t)b->contacts;
    done = room(b) && fread(b->W, sizeof(double), k * n * n, file) == k * n * n &&
           fread(b->q, sizeof(double), k * n, file) == k * n &&
           fread(b->mu, sizeof(double), k * c, file) == k * c;
  }
  if (file) fclose(file);
  return done;
}

static bool make_batch(batch *b)
{
  *b = (batch){.count = 10000, .rows = 6, .contacts = 2};
  if (!room(b)) return false;
  for (int k = 0; k < b->count; k++) {
    for (int i = 0; i < 6; i++) {
      b->W[(k * 6 + i) * 6 + i] = 1 + 0.1 * i;
      b->q[k * 6 + i] = sin(1.0 + k + 7 * i);
    }
    b->mu[2 * k] = b->mu[2 * k + 1] = 0.5;
  }
  return true;
}

// All of them once; how many converged.
static int solve_all(const batch *b)
{
  static double W[MOST * MOST], q[MOST], mu[MOST], r[MOST];
  static int p[MOST + 1], row[MOST * MOST];
  const int n = b->rows;
  int converged = 0;
  for (int j = 0; j <= n; j++) p[j] = j * n;
  for (int k = 0; k < n * n; k++) row[k] = k % n;
  const dls_incremental problem = {
      .dimension = 3, .contacts = b->contacts, .mu = mu, .W = {{n, n, p, row}, W}, .q = q};
  dls_solver *solver = NULL;
  for (int k = 0; k < b->count; k++) {
    dls_solve_report report = {0};
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) W[j * n + i] = b->W[(k * n + i) * n + j];
    memcpy(q, b->q + k * n, (size_t)n * sizeof *q);
    memcpy(mu, b->mu + k * b->contacts, (size_t)b->contacts * sizeof *mu);
    memset(r, 0, sizeof r);
    if (!solver && dls_solver_create(&problem, NULL, &solver, NULL) != DLS_OK) return -1;
    if (dls_solver_solve(solver, r, NULL, NULL, &report) == DLS_OK) converged += report.converged;
  }
  dls_solver_free(solver);
  return converged;
}

int main(int argc, char **argv)
{
  batch b = {0};
  double best = INFINITY;
  int converged = 0;
  const bool ready = argc > 1 ? read_batch(argv[1], &b) : make_batch(&b);
  for (int round = 0; ready && round < ROUNDS; round++) {
    const double since = now();
    converged = solve_all(&b);
    best = fmin(best, now() - since);
  }
  if (ready)
    printf("%d problems of %d contacts in C: %.2f us each, %d converged\n", b.count, b.contacts,
           1e6 * best / b.count, converged);
  free(b.W);
  free(b.q);
  free(b.mu);
  return ready && converged >= 0 ? 0 : 1;
}
