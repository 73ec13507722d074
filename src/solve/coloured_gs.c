// Large piles of bodies: Gauss-Seidel over coloured contacts, bodies.h, on all cores, with
// Anderson's acceleration. Where it stalls the error sits in few subdomains, often where sweeps
// would go round in circles for ever: these are solved by themselves, subdomains.h. Where masses
// differ much, sweeps hardly get on; interior points with a multigrid, bodies_interior.h, then find
// the forces of the pile at rest, and sweeps go on from there.
#include "solve/coloured_gs.h"

#include "base/memory.h"
#include "solve/anderson.h"
#include "solve/bodies_interior.h"
#include "solve/subdomain.h"
#include "solve/subdomains.h"

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MEMORY = 6, PLAIN = 5, TRIAL = 30, WINDOW = 20, ROUNDS = 12, SIZE = 256 };
static const double enough = 0.33;  // of the error, after WINDOW sweeps
static const double rough = 1e-4;   // where interior points may stop: sweeps and subdomains go on
static const double uneven = 30;    // ratio of contact masses from which interior points take part
static const double round_progress = 0.8, slow_round = 0.5;     // of the error, after a round
static const double subdomain_goal = 0.1, interior_goal = 0.5;  // of the run's
enum { INTERIOR_STEPS = 60, MOST_STEPS = 100000 };

typedef struct pile {
  dls_bodies *bodies;
  dls_bodies_interior *interior;  // NULL unless masses differ
  dls_subdomains *subdomains;
  dls_anderson *anderson;
  double *weight, *x, *kept;  // padded
  double *y;                  // of the bodies
  dls_pace pace;
} pile;

static void destroy(void *self)
{
  pile *p = self;
  if (!p) return;
  dls_bodies_interior_free(p->interior);
  dls_subdomains_free(p->subdomains);
  dls_bodies_free(p->bodies);
}

static bool differ(const dls_bodies *b)
{
  double least = INFINITY, most = 0;
  for (ptrdiff_t at = 0; at < b->contacts; at++) {
    const double trace = b->W[9 * at] + b->W[9 * at + 4] + b->W[9 * at + 8];
    if (trace > 0) least = fmin(least, trace), most = fmax(most, trace);
  }
  return most > uneven * least;
}

static int cores(const dls_run *run)
{
#ifdef _OPENMP
  const int most = omp_get_max_threads();
  return run->options.threads > 0 && run->options.threads < most ? run->options.threads : most;
#else
  (void)run;
  return 1;
#endif
}

static dls_status create(dls_run *run, void **self)
{
  pile *p = dls_arena_alloc(run->arena, 1, sizeof *p);
  if (!p) return DLS_ERR_MEMORY;
  *self = p;
  p->pace.threads = cores(run);
  dls_status status = dls_bodies_create(run->problem, &p->bodies);
  if (status != DLS_OK) return status;
  p->weight = dls_run_vector(run), p->x = dls_run_vector(run), p->kept = dls_run_vector(run);
  p->y =
      dls_arena_alloc(run->arena, (ptrdiff_t)p->bodies->bodies * DLS_BODY_SIZE + 1, sizeof(double));
  p->anderson = dls_anderson_create(run->op, run->arena, run->padded, MEMORY);
  if (!p->weight || !p->x || !p->kept || !p->y || !p->anderson) return DLS_ERR_MEMORY;
  status = dls_subdomains_create(p->bodies, &p->pace, &p->subdomains);
  if (status != DLS_OK || !differ(p->bodies)) return status;
  return dls_bodies_interior_create(p->bodies, run->problem, &p->interior);
}

static double move(const dls_run *run, const pile *p)
{
  double sum = 0;
  for (int i = 0; i < run->rows; i++)
    sum += p->weight[i] * (run->r[i] - p->x[i]) * (run->r[i] - p->x[i]);
  return sqrt(sum);
}

static void measure(dls_run *run, pile *p)
{
  dls_run_offer(run, dls_bodies_error(p->bodies, dls_pace_threads(&p->pace), run->r, p->y));
}

// Accelerated sweeps as in nsgs_anderson.c, until WINDOW of them have brought less than a third of
// the error. At most `most`, which are counted; false when the run is over.
static bool sweep(dls_run *run, pile *p, int *most)
{
  const ptrdiff_t size = run->padded;
  double least = INFINITY, best = INFINITY, before = INFINITY;
  bool combined = false;
  int plain = 0;
  dls_anderson_restart(p->anderson, MEMORY);
  for (int k = 1; (*most)-- > 0; k++) {
    dls_copy(p->x, run->r, size);
    dls_bodies_apply(p->bodies, run->r, p->y);
    dls_bodies_sweep(p->bodies, &p->pace, false, dls_subdomains_held(p->subdomains), run->r, p->y);
    measure(run, p);
    if (!dls_run_next(run)) return false;
    best = fmin(best, run->error);
    if (k % WINDOW == 0) {
      if (best > enough * before) break;
      before = best;
    }
    const double now = move(run, p);
    if (combined && !(now <= dls_anderson_worse * least)) {
      dls_copy(run->r, p->kept, size);
      dls_anderson_restart(p->anderson, MEMORY);
      combined = false, plain = PLAIN, least = INFINITY;
      continue;
    }
    if (now <= least) least = now, dls_copy(p->kept, run->r, size);
    combined = dls_anderson_step(p->anderson, p->weight, p->x, run->r, p->x) && plain-- <= 0;
    if (combined) dls_copy(run->r, p->x, size);
  }
  return true;
}

static bool stop_interior(void *self)
{
  return !dls_run_next(self);
}

// Between batches of subdomains.
static bool stop_subdomains(void *self)
{
  const dls_run *run = self;
  const dls_solve_options *o = &run->options;
  if (o->time_limit > 0 && dls_run_seconds(run) > o->time_limit) return true;
  return o->watch && o->watch(o->self, run->iterations, run->best, run->name);
}

// Sweeps, and where they stall the subdomains that hold them up; until that brings nothing either.
static bool alternate(dls_run *run, pile *p, int most)
{
  double best = INFINITY;
  int size = SIZE;
  for (int since = 0; since < ROUNDS && most > 0;) {
    if (!sweep(run, p, &most)) return false;
    since = run->best < round_progress * best ? 0 : since + 1;
    const bool slow = run->best > slow_round * best, largest = size == DLS_SUBDOMAIN_CONTACTS;
    if (slow && !largest) size *= 2;
    best = fmin(best, run->best);
    dls_bodies_apply(p->bodies, run->r, p->y);
    const double all = subdomain_goal * run->goal * run->norm_q;
    dls_subdomains_solve(p->subdomains, size, slow && largest, all / sqrt(run->contacts),
                         stop_subdomains, run, run->r, p->y);
    dls_bodies_apply(p->bodies, run->r, p->y);
    measure(run, p);
    if (!dls_run_next(run)) return false;
  }
  return true;
}

bool dls_coloured_gs_iterate(dls_run *run, void *self, int most)
{
  pile *p = self;
  if (dls_bodies_refresh(p->bodies, run->problem) != DLS_OK) return true;
  p->bodies->unit = run->unit;
  dls_subdomains_restart(p->subdomains);
  dls_operator_rho(run->op, p->x);
  for (int i = 0; i < run->padded; i++) p->weight[i] = 1 / p->x[i / run->d];
  if (!p->interior) return alternate(run, p, most);
  int trial = TRIAL;
  if (!sweep(run, p, &trial)) return false;
  dls_interior_report report;
  dls_bodies_interior_solve(p->interior, NULL, fmax(rough, interior_goal * run->goal),
                            INTERIOR_STEPS, stop_interior, run, run->r, &report);
  if (run->over) return false;
  dls_bodies_apply(p->bodies, run->r, p->y);
  measure(run, p);
  return dls_run_next(run) && alternate(run, p, most);
}

static void iterate(dls_run *run, void *self)
{
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  const bool stalled = dls_coloured_gs_iterate(run, self, MOST_STEPS);
  dls_run_return(run);
  if (stalled) dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_coloured_gs = {
    .info = {"pile", "large piles of bodies: accelerated sweeps on all cores, interior points",
             false, true, false, DLS_LAWS_CONE},
    .max_iterations = MOST_STEPS,
    .create = create,
    .iterate = iterate,
    .destroy = destroy,
};
