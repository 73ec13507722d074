// All points of a map: workers take runs of points from one counter; each has a system of its own.
#define _GNU_SOURCE
#include "map.h"

#include "message.h"
#include "progress.h"
#include "clock.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256, RUN = 8 };

typedef struct crew {
  const map_plan *plan;
  map_answers *answers;
  long points;
  atomic_long next, done;
  atomic_bool stop;
  pthread_mutex_t lock;  // of what follows
  pthread_cond_t change;
  int working;
  dls_status status;  // the first that stopped the work
  dls_message message;
} crew;

// The counts of one worker.
typedef struct share {
  long without, first;
  dls_message why;
} share;

static dls_status do_point(crew *c, map_worker *w, long point, share *s, dls_message *message)
{
  double values[MAP_ASKS_MAX];
  const int i = (int)(point % c->plan->nx), j = (int)(point / c->plan->nx);
  const dls_status status = map_point(w, i, j, values, message);
  if (status != DLS_OK && status != DLS_ERR_STATE) return status;
  for (int k = 0; k < c->plan->asks; k++) c->answers->value[k][point] = values[k];
  c->answers->no_state[point] = status != DLS_OK;
  if (status == DLS_OK) return DLS_OK;
  if (s->without++ == 0) s->first = point, s->why = *message;
  return DLS_OK;
}

// Adds a worker's counts; the message kept is that of the first point, whoever had it.
static void hand_in(crew *c, const share *s, dls_status status, const dls_message *message)
{
  map_answers *a = c->answers;
  pthread_mutex_lock(&c->lock);
  if (s->without > 0 && (a->without == 0 || s->first < a->first))
    a->first = s->first, a->why = s->why;
  a->without += s->without;
  if (status != DLS_OK && c->status == DLS_OK) {
    c->status = status;
    c->message = *message;
  }
  c->working--;
  pthread_cond_signal(&c->change);
  pthread_mutex_unlock(&c->lock);
}

static void *work(void *argument)
{
  crew *c = argument;
  map_worker worker;
  share s = {0};
  dls_message message = {0};
  dls_status status = map_worker_begin(&worker, c->plan, &message);
  while (status == DLS_OK && !atomic_load(&c->stop)) {
    const long from = atomic_fetch_add(&c->next, RUN);
    const long to = from + RUN < c->points ? from + RUN : c->points;
    if (from >= c->points) break;
    for (long p = from; p < to && status == DLS_OK; p++)
      status = do_point(c, &worker, p, &s, &message);
    atomic_fetch_add(&c->done, to - from);
  }
  if (status != DLS_OK) atomic_store(&c->stop, true);
  map_worker_end(&worker);
  hand_in(c, &s, status, &message);
  return NULL;
}

// Shows how far the work is until every worker has handed in.
static void watch(crew *c, bool quiet)
{
  progress_bar bar;
  progress_begin(&bar, "mapping");
  pthread_mutex_lock(&c->lock);
  while (c->working > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&c->change, &c->lock, &until);
    if (!quiet) progress_update(&bar, (double)atomic_load(&c->done) / (double)c->points);
  }
  pthread_mutex_unlock(&c->lock);
  progress_end(&bar);
}

// The cores belong to the workers: OpenBLAS, when that is the BLAS, must not start threads of its
// own below them. It has no setting that works after it is loaded but this function.
static void calm_blas(void)
{
  void (*set)(int) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  memcpy(&set, &symbol, sizeof set);
  if (set) set(1);
}

static int count_threads(int wanted, long points)
{
  long count = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
  const long runs = (points + RUN - 1) / RUN;
  if (count > runs) count = runs;
  return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static bool make_room(map_answers *a, const map_plan *plan, long points)
{
  bool good = true;
  a->no_state = calloc((size_t)points, sizeof *a->no_state);
  for (int k = 0; k < plan->asks; k++) {
    a->value[k] = calloc((size_t)points, sizeof *a->value[k]);
    good = good && a->value[k];
  }
  return good && a->no_state;
}

void map_answers_free(map_answers *a)
{
  for (int k = 0; k < MAP_ASKS_MAX; k++) free(a->value[k]);
  free(a->no_state);
  *a = (map_answers){0};
}

int map_run(const map_plan *plan, int threads, bool quiet, map_answers *answers)
{
  *answers = (map_answers){0};
  const double start = seconds_now();
  crew c = {.plan = plan, .answers = answers, .points = (long)plan->nx * plan->ny};
  if (!make_room(answers, plan, c.points)) return complain("out of memory");
  calm_blas();
  pthread_t thread[THREADS_MAX];
  const int wanted = count_threads(threads, c.points);
  pthread_mutex_init(&c.lock, NULL);
  pthread_cond_init(&c.change, NULL);
  c.working = wanted;
  int started = 0;
  while (started < wanted && pthread_create(&thread[started], NULL, work, &c) == 0) started++;
  if (started < wanted) {  // fewer than wished; this thread is one at least
    pthread_mutex_lock(&c.lock);
    c.working -= wanted - started - (started == 0);
    pthread_mutex_unlock(&c.lock);
    if (started == 0) work(&c);
  }
  watch(&c, quiet);
  for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
  pthread_cond_destroy(&c.change);
  pthread_mutex_destroy(&c.lock);
  answers->seconds = seconds_now() - start;
  answers->threads = started > 0 ? started : 1;
  return c.status == DLS_OK ? 0 : model_file_failed(plan->file, c.status, &c.message);
}
