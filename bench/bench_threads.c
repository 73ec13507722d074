// What a second thread costs, or gains, beside other work: a pile of spheres is solved with one
// thread, with two, and with one again by turns, while so many other processes compute all the
// time. The first column is their number; then seconds by the clock, all rounds together, the ratio
// of two to one and the worst of all rounds; the same of one again to one, which is what other work
// alone makes of a ratio; and both of two to one by processor time, which it disturbs less. Each
// run is a process of its own, as threads that wait belong to the process.
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

static void compare(const packing *p, const char *box, int rounds)
{
  enum { KINDS = 3 };  // one, two, one again
  static const int threads[KINDS] = {1, 2, 1};
  double sum[KINDS] = {0}, worst[KINDS] = {0}, processor[KINDS] = {0}, dearest = 0;
  uint64_t hash = 0;
  bool same = true;
  for (int k = 0; k < rounds; k++) {
    outcome o[KINDS];
    for (int t = 0; t < KINDS; t++) {
      const int kind = (t + k) % KINDS;  // who goes first changes
      o[kind] = solve_apart(p, threads[kind]);
    }
    if (k == 0) hash = o[0].hash;
    for (int t = 0; t < KINDS; t++) {
      const double ratio = o[t].seconds / o[0].seconds;
      sum[t] += o[t].seconds, processor[t] += o[t].processor;
      if (ratio > worst[t]) worst[t] = ratio;
      same = same && o[t].hash == hash;
    }
    if (o[1].processor / o[0].processor > dearest) dearest = o[1].processor / o[0].processor;
  }
  printf(" %5s %8.3f %8.3f %6.2f %6.2f %8.2f %6.2f %10.2f %6.2f %s", box, sum[0], sum[1],
         sum[1] / sum[0], worst[1], sum[2] / sum[0], worst[2], processor[1] / processor[0], dearest,
         same ? "same bits" : "OTHER BITS");
}

static void keep_busy(void)
{
  volatile unsigned long turns = 0;
  for (;;) turns = turns + 1;
}

int main(int count, char **argument)
{
  enum { MOST = 64 };
  static const int usual[] = {0, 1, 2, 4};
  const int contacts = count > 1 ? (int)strtol(argument[1], NULL, 10) : 10000;
  const int rounds = count > 2 ? (int)strtol(argument[2], NULL, 10) : 10;
  const int kinds = count > 3 ? count - 3 : (int)(sizeof usual / sizeof *usual);
  printf("others   box   one, s   two, s  ratio  worst    again  worst  processor  worst\n");
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
      printf("\n");
      packing_free(&p);
    }
    for (int i = 0; i < others && i < MOST; i++)
      if (busy[i] > 0) kill(busy[i], SIGKILL), waitpid(busy[i], NULL, 0);
  }
  return 0;
}
