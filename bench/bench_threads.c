// What a second thread costs, or gains, beside other work: a pile of spheres is solved with one
// thread, with two, and with one again by turns, while so many other processes compute all the
// time. The first column is their number; then the median of the seconds by the clock with one
// thread and with two; over the rounds, the median of two to one and its quartiles; the same of one
// again to one, which is what other work alone makes of such a ratio; and the median of two to one
// by processor time, which it disturbs less. Each run is a process of its own, as threads that wait
// belong to the process.
//
// usage: bench_threads [contacts] [rounds] [competing processes...]
#define _POSIX_C_SOURCE 199309L
#include "packing.h"

#include <delassus/solve.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 1000 };

typedef struct outcome {
  double seconds, processor;
  uint64_t hash;  // of the forces
} outcome;

static outcome solve(const packing *p, int threads)
{
  const size_t rows = 3 * (size_t)p->problem.contacts;
  double *r = calloc(rows + 1, sizeof *r), *v = calloc((size_t)p->problem.dof + 1, sizeof *v);
  dls_solve_options options = dls_solve_defaults();
  options.tolerance = 1e-6, options.time_limit = 100, options.threads = threads;
  dls_solver *solver = NULL;
  dls_message message;
  dls_solve_report report;
  const clock_t start = clock();
  if (!r || !v || dls_solver_create(&p->problem, &options, &solver, &message) != DLS_OK ||
      dls_solver_solve(solver, r, v, NULL, &report) != DLS_OK || !report.converged)
    exit(1);
  const double processor = (double)(clock() - start) / CLOCKS_PER_SEC;
  outcome o = {report.seconds, processor, 0xcbf29ce484222325u};
  const unsigned char *bytes = (const unsigned char *)r;
  for (size_t i = 0; i < rows * sizeof *r; i++) o.hash = (o.hash ^ bytes[i]) * 0x100000001b3u;
  dls_solver_free(solver);
  free(r), free(v);
  return o;
}

static outcome solve_apart(const packing *p, int threads)
{
  int ends[2];
  outcome o = {-1, -1, 0};
  fflush(stdout);
  if (pipe(ends) != 0) exit(1);
  const pid_t child = fork();
  if (child == 0) {
    o = solve(p, threads);
    exit(write(ends[1], &o, sizeof o) != sizeof o);
  }
  close(ends[1]);
  const bool good = child > 0 && read(ends[0], &o, sizeof o) == sizeof o;
  close(ends[0]);
  waitpid(child, NULL, 0);
  if (good) return o;
  fprintf(stderr, "bench_threads: the pile was not solved\n");
  exit(1);
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts; the value below which this share of them lies.
static double quantile(double *values, int count, double share)
{
  qsort(values, (size_t)count, sizeof *values, by_size);
  const double at = share * (count - 1);
  const int below = (int)at, above = below + 1 < count ? below + 1 : below;
  return values[below] + (at - below) * (values[above] - values[below]);
}

static void print_ratio(double *ratio, int rounds)
{
  const double low = quantile(ratio, rounds, 0.25), high = quantile(ratio, rounds, 0.75);
  printf("%7.2f (%4.2f-%4.2f)", quantile(ratio, rounds, 0.5), low, high);
}

static void compare(const packing *p, const char *box, int rounds)
{
  enum { KINDS = 3 };  // one, two, one again
  static const int threads[KINDS] = {1, 2, 1};
  double one[MOST_ROUNDS], two[MOST_ROUNDS], ratio[MOST_ROUNDS], again[MOST_ROUNDS],
      processor[MOST_ROUNDS];
  uint64_t hash = 0;
  bool same = true;
  for (int k = 0; k < rounds; k++) {
    outcome o[KINDS];
    for (int t = 0; t < KINDS; t++) {
      const int kind = (t + k) % KINDS;  // who goes first changes
      o[kind] = solve_apart(p, threads[kind]);
    }
    if (k == 0) hash = o[0].hash;
    for (int t = 0; t < KINDS; t++) same = same && o[t].hash == hash;
    one[k] = o[0].seconds, two[k] = o[1].seconds;
    ratio[k] = o[1].seconds / o[0].seconds, again[k] = o[2].seconds / o[0].seconds;
    processor[k] = o[1].processor / o[0].processor;
  }
  printf(" %5s %7.3f %7.3f", box, quantile(one, rounds, 0.5), quantile(two, rounds, 0.5));
  print_ratio(ratio, rounds), print_ratio(again, rounds);
  printf(" %9.2f  %s\n", quantile(processor, rounds, 0.5), same ? "same bits" : "OTHER BITS");
}

static void keep_busy(void)
{
  volatile unsigned long turns = 0;
  for (;;) turns = turns + 1;
}

int main(int count, char **argument)
{
  enum { MOST = 64 };
  static const int usual[] = {0, 2, 4};
  const int contacts = count > 1 ? (int)strtol(argument[1], NULL, 10) : 10000;
  const int wanted = count > 2 ? (int)strtol(argument[2], NULL, 10) : 9;
  const int rounds = wanted < 1 ? 1 : wanted > MOST_ROUNDS ? MOST_ROUNDS : wanted;
  const int kinds = count > 3 ? count - 3 : (int)(sizeof usual / sizeof *usual);
  printf("others   box  one, s  two, s  two/one (quartiles)  again/one (..)   processor\n");
  for (int k = 0; k < kinds; k++) {
    const int others = count > 3 ? (int)strtol(argument[3 + k], NULL, 10) : usual[k];
    pid_t busy[MOST];
    fflush(stdout);
    for (int i = 0; i < others && i < MOST; i++)
      if ((busy[i] = fork()) == 0) keep_busy();
    for (int layers = 10; layers >= 0; layers -= 10) {
      packing_options o = packing_defaults();
      packing p;
      o.contacts = contacts, o.layers = layers;
      packing_create(&o, &p);
      printf("%6d", others);
      compare(&p, layers ? "wide" : "cube", rounds);
      packing_free(&p);
    }
    for (int i = 0; i < others && i < MOST; i++)
      if (busy[i] > 0) kill(busy[i], SIGKILL), waitpid(busy[i], NULL, 0);
  }
  return 0;
}
