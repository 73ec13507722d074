// How Gauss-Seidel over bodies, and interior points with multigrid, grow: piles of spheres of 10^3
// contacts and more, mass ratios up to 10^6, in a box of ten layers and in a cube, with one and two
// threads. Iterations are sweeps, or steps of the linear solver.
//
// usage: bench_packing [most contacts] [most sweeps] [tolerance]
#define _POSIX_C_SOURCE 199309L
#include "packing.h"
#include "solve/bodies.h"
#include "solve/bodies_interior.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(dls_status status, const char *what)
{
  if (status == DLS_OK) return;
  fprintf(stderr, "bench_packing: %s: %s\n", what, dls_status_text(status));
  exit(1);
}

static double *zeros(size_t count)
{
  double *x = calloc(count + 1, sizeof *x);
  if (!x) exit(2);
  return x;
}

// FNV-1a of the bytes: the same hash means the same bits.
static uint64_t hash(const double *x, size_t count)
{
  uint64_t h = 0xcbf29ce484222325u;
  const unsigned char *bytes = (const unsigned char *)x;
  for (size_t i = 0; i < count * sizeof *x; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h;
}

typedef struct limits {
  int contacts, sweeps, steps;
  double tolerance;
} limits;

typedef struct effort {
  double seconds, processor;
  long iterations;
  double bytes;
} effort;

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sweep(const dls_bodies *b, int threads, const limits *l, double *r, double *y,
                  effort *e)
{
  double error = INFINITY;
  while (e->iterations < l->sweeps && !(error <= l->tolerance)) {
    for (int k = 0; k < 10; k++) dls_bodies_sweep(b, threads, e->iterations++ % 2, r, y);
    error = dls_bodies_error(b, threads, r, y);
  }
}

// threads 0: interior points
static void run(const packing_options *o, const packing *p, int threads, const limits *l)
{
  dls_bodies *b = NULL;
  must(dls_bodies_create(&p->problem, &b), "bodies");
  const size_t rows = 3 * (size_t)o->contacts, work = 6 * (size_t)b->bodies;
  double *r = zeros(rows), *y = zeros(work), *v = zeros((size_t)p->problem.dof);
  dls_bodies_push(b, r, y);
  effort e = {.bytes = (double)dls_bodies_bytes(b) + 8.0 * (double)(rows + work)};
  const double start = now(), used = processor_time();
  if (threads > 0) sweep(b, threads, l, r, y, &e);
  else {
    dls_interior_report report;
    must(dls_bodies_interior(b, &p->problem, NULL, l->tolerance, l->steps, r, y, &report),
         "interior points");
    e.iterations = report.linear, e.bytes += (double)report.bytes;
  }
  e.seconds = now() - start, e.processor = processor_time() - used;
  dls_incremental_error recomputed;
  dls_bodies_push(b, r, y);  // without the rounding errors of all sweeps
  dls_bodies_velocity(b, y, v);
  must(dls_incremental_residual(&p->problem, b->norm_q, r, v, NULL, &recomputed), "residual");
  printf("%9d %5s %6.0e %-9s %8s %7d %8.2f %8.2f %9ld %9.1e %9.0f %8.1f  %016llx\n", o->contacts,
         o->layers ? "wide" : "cube", o->mass_ratio,
         o->order == PACKING_TOP_HEAVY ? "top-heavy" : "mixed", threads ? "sweeps" : "interior",
         threads ? threads : 1, e.seconds, e.processor, e.iterations, recomputed.q,
         e.bytes / o->contacts, 1e9 * e.seconds / (double)e.iterations / o->contacts,
         (unsigned long long)hash(r, rows));
  fflush(stdout);
  free(r), free(y), free(v);
  dls_bodies_free(b);
}

static void family(int contacts, int layers, const limits *l)
{
  static const double ratios[] = {1, 1e2, 1e4, 1e6};
  for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
    for (int order = 0; order <= (ratios[k] > 1 ? 1 : 0); order++) {
      packing_options o = packing_defaults();
      o.contacts = contacts, o.layers = layers, o.mass_ratio = ratios[k];
      o.order = (packing_order)order;
      packing p;
      packing_create(&o, &p);
      for (int threads = 0; threads <= 2; threads++) run(&o, &p, threads, l);
      packing_free(&p);
    }
}

int main(int argc, char **argv)
{
  const limits l = {argc > 1 ? atoi(argv[1]) : 10000, argc > 2 ? atoi(argv[2]) : 200, 40,
                    argc > 3 ? atof(argv[3]) : 1e-6};
  printf("%9s %5s %6s %-9s %8s %7s %8s %8s %9s %9s %9s %8s  %s\n", "contacts", "box", "ratio",
         "order", "method", "threads", "seconds", "cpu s", "iterations", "error", "bytes/con",
         "ns/c/it", "hash of r");
  for (int contacts = 1000; contacts <= l.contacts; contacts *= 10) {
    family(contacts, 10, &l);
    family(contacts, 0, &l);
  }
  return 0;
}
