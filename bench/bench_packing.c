// How solvers grow with piles of spheres: 10^3 contacts and more, mass ratios up to 10^6, in a wide
// box of ten layers and in a cube. Error, memory and hash are of the returned forces; the same hash
// with one thread and with two means the same bits.
//
// usage: bench_packing [most contacts] [seconds for each] [tolerance] [mu]
#define _POSIX_C_SOURCE 199309L
#include "packing.h"

#include <delassus/solve.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// FNV-1a of the bytes.
static uint64_t hash(const double *x, size_t count)
{
  uint64_t h = 0xcbf29ce484222325u;
  const unsigned char *bytes = (const unsigned char *)x;
  for (size_t i = 0; i < count * sizeof *x; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h;
}

// Processor time of this process, all threads.
static double processor(const struct rusage *u)
{
  return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
         1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static void solve(const packing_options *o, int threads, double limit, double tolerance)
{
  packing p;
  packing_create(o, &p);
  const size_t rows = 3 * (size_t)o->contacts;
  double *r = calloc(rows + 1, sizeof *r), *v = calloc((size_t)p.problem.dof + 1, sizeof *v);
  dls_solve_options options = dls_solve_defaults();
  options.tolerance = tolerance, options.time_limit = limit, options.threads = threads;
  dls_solver *solver = NULL;
  dls_message message;
  dls_solve_report report;
  struct rusage before, usage;
  if (!r || !v || dls_solver_create(&p.problem, &options, &solver, &message) != DLS_OK ||
      getrusage(RUSAGE_SELF, &before) != 0 ||
      dls_solver_solve(solver, r, v, NULL, &report) != DLS_OK) {
    printf("%9d: cannot be solved\n", o->contacts);
    exit(1);
  }
  getrusage(RUSAGE_SELF, &usage);
  const double cpu = processor(&usage) - processor(&before);
  printf("%9d %5s %6.0e %-9s %7d %9.2f %9.2f %8.2f %7d %-10s %9s %9.1e %8.0f  %016llx\n",
         o->contacts, o->layers ? "wide" : "cube", o->mass_ratio,
         o->order == PACKING_TOP_HEAVY ? "top-heavy" : "mixed", threads, report.seconds, cpu,
         1e6 * cpu / o->contacts, report.iterations, report.solver,
         report.converged ? "converged" : "NO", report.error.q,
         1024.0 * (double)usage.ru_maxrss / o->contacts, (unsigned long long)hash(r, rows));
  exit(0);
}

// Each in a process of its own, whose largest memory is that of the problem and the solver.
static void run(const packing_options *o, int threads, double limit, double tolerance)
{
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) solve(o, threads, limit, tolerance);
  waitpid(child, NULL, 0);
}

int main(int count, char **argument)
{
  const int most = count > 1 ? atoi(argument[1]) : 100000;
  const double limit = count > 2 ? atof(argument[2]) : 60;
  const double tolerance = count > 3 ? atof(argument[3]) : 1e-6;
  const double mu = count > 4 ? atof(argument[4]) : 0.5;
  printf("%9s %5s %6s %-9s %7s %9s %9s %8s %7s %-10s %9s %9s %8s  %s\n", "contacts", "box", "ratio",
         "order", "threads", "seconds", "processor", "us/cont.", "iterat.", "solver", "", "error",
         "bytes/c.", "hash");
  for (int layers = 10; layers >= 0; layers -= 10)
    for (int contacts = 1000; contacts <= most; contacts *= 10)
      for (int exponent = 0; exponent <= 6; exponent += 3) {
        packing_options o = packing_defaults();
        o.contacts = contacts, o.layers = layers, o.mass_ratio = pow(10, exponent);
        o.mu = mu;
        o.order = exponent == 6 ? PACKING_TOP_HEAVY : PACKING_MIXED;
        run(&o, 1, limit, tolerance);
        if (exponent == 0) run(&o, 2, limit, tolerance);
      }
  return 0;
}
