// Regions are grown contact by contact over common bodies. Those of a batch have no body in common:
// they are solved in parallel, and threads do not change a bit of the result.
#include "solve/subdomains.h"

#include "base/memory.h"
#include "contact/incremental.h"
#include "solve/subdomain.h"
#include "solve/subdomain_lu.h"

#include <math.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#define PARALLEL(clauses) _Pragma(clauses)
#else
#define PARALLEL(clauses)
#endif

enum { N = DLS_BODY_SIZE, BATCH = 8, LEVELS = 40 };
static const double part_of_error = 1e-3;  // to which a subdomain is solved, or to what all need
static const double out_of_line = 10;      // |F|^2 of a contact that stands out, over the mean

struct dls_subdomains {
  const dls_bodies *b;
  const dls_pace *pace;
  int threads;
  dls_subdomain **worker;  // threads
  int *first, *list;       // the contacts of each body, by places
  double *square;          // |F|^2 of each contact
  int *in_subdomain;       // contacts: the last subdomain that took it
  bool *covered;           // contacts that some subdomain had, in this call
  bool *before;            // and in the last one
  bool *held;              // contacts
  int *in_batch;           // bodies: the last batch, and the last subdomain, that took it
  int *of_subdomain;
  int subdomain, batch;  // numbers of the last ones
  int count, size[BATCH], places[BATCH][DLS_SUBDOMAIN_CONTACTS];
  bool changed[BATCH];
};

void dls_subdomains_free(dls_subdomains *s)
{
  if (!s) return;
  for (int k = 0; s->worker && k < s->threads; k++) dls_subdomain_free(s->worker[k]);
  free(s->worker), free(s->first), free(s->list), free(s->square), free(s->in_subdomain);
  free(s->covered), free(s->before), free(s->held), free(s->in_batch), free(s->of_subdomain);
  free(s);
}

static void contacts_of_bodies(dls_subdomains *s)
{
  const dls_bodies *b = s->b;
  for (ptrdiff_t e = 0; e < 2 * (ptrdiff_t)b->contacts; e++)
    if (b->body[e] >= 0) s->first[b->body[e] + 1]++;
  for (int k = 0; k < b->bodies; k++) s->first[k + 1] += s->first[k];
  // each first moves to the end of its body, which is where the next one's was
  for (ptrdiff_t e = 0; e < 2 * (ptrdiff_t)b->contacts; e++)
    if (b->body[e] >= 0) s->list[s->first[b->body[e]]++] = (int)(e / 2);
  for (int k = b->bodies; k > 0; k--) s->first[k] = s->first[k - 1];
  s->first[0] = 0;
}

dls_status dls_subdomains_create(const dls_bodies *b, const dls_pace *pace, dls_subdomains **out)
{
  const int threads = pace->threads;
  *out = NULL;
  const ptrdiff_t contacts = (ptrdiff_t)b->contacts + 1, bodies = (ptrdiff_t)b->bodies + 2;
  dls_subdomains *s = dls_alloc(1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->b = b, s->pace = pace;
  s->threads = threads < 1 ? 1 : threads < BATCH ? threads : BATCH;
  s->worker = dls_alloc(BATCH, sizeof(dls_subdomain *));
  s->first = dls_alloc(bodies, sizeof(int)), s->list = dls_alloc(2 * contacts, sizeof(int));
  s->square = dls_alloc(contacts, sizeof(double));
  s->in_subdomain = dls_alloc(contacts, sizeof(int)),
  s->covered = dls_alloc(contacts, sizeof(bool));
  s->before = dls_alloc(contacts, sizeof(bool)), s->held = dls_alloc(contacts, sizeof(bool));
  s->in_batch = dls_alloc(bodies, sizeof(int)), s->of_subdomain = dls_alloc(bodies, sizeof(int));
  const bool good = s->worker && s->first && s->list && s->square && s->in_subdomain &&
                    s->covered && s->before && s->held && s->in_batch && s->of_subdomain;
  dls_status status = good ? DLS_OK : DLS_ERR_MEMORY;
  for (int k = 0; k < s->threads && status == DLS_OK; k++)
    status = dls_subdomain_create(b, &s->worker[k]);
  if (status == DLS_OK) contacts_of_bodies(s), *out = s;
  else dls_subdomains_free(s);
  return status;
}

void dls_subdomains_restart(dls_subdomains *s)
{
  const ptrdiff_t contacts = s->b->contacts;
  dls_clear(s->covered, contacts);
  dls_clear(s->held, contacts);
}

const bool *dls_subdomains_held(const dls_subdomains *s)
{
  return s->held;
}

// ---- a subdomain --------------------------------------------------------------------------------

static void measure(dls_subdomains *s, const double *r, const double *y)
{
  const dls_bodies *b = s->b;
  for (int at = 0; at < b->contacts; at++) s->square[at] = dls_bodies_square(b, at, r, y);
}

// The bodies of contact `at` join the subdomain; false when they are too many.
static bool join(dls_subdomains *s, int at, int *bodies)
{
  int added = 0;
  for (int side = 0; side < 2; side++) {
    const int k = s->b->body[2 * (ptrdiff_t)at + side];
    if (k >= 0 && s->of_subdomain[k] != s->subdomain) added++;
  }
  if (*bodies + added > DLS_SUBDOMAIN_BODIES) return false;
  for (int side = 0; side < 2; side++) {
    const int k = s->b->body[2 * (ptrdiff_t)at + side];
    if (k >= 0) s->of_subdomain[k] = s->subdomain;
  }
  *bodies += added;
  return true;
}

// Ring after ring of neighbours around the seed, as many as there is room for.
static int grow(dls_subdomains *s, int seed, int most, int *places)
{
  const dls_bodies *b = s->b;
  int count = 0, bodies = 0;
  s->subdomain++;
  join(s, seed, &bodies);
  s->in_subdomain[seed] = s->subdomain, places[count++] = seed;
  for (int next = 0; next < count; next++)
    for (int side = 0; side < 2; side++) {
      const int k = b->body[2 * (ptrdiff_t)places[next] + side];
      for (int e = k < 0 ? 0 : s->first[k]; k >= 0 && e < s->first[k + 1]; e++) {
        const int at = s->list[e];
        if (s->in_subdomain[at] == s->subdomain) continue;
        if (count == most) return count;
        if (!join(s, at, &bodies)) continue;
        s->in_subdomain[at] = s->subdomain, places[count++] = at;
      }
    }
  return count;
}

// ---- batches -----------------------------------------------------------------------------------

// Whether a subdomain shares no body with those of the batch.
static bool apart(const dls_subdomains *s, int count, const int *places)
{
  for (int i = 0; i < count; i++)
    for (ptrdiff_t side = 0; side < 2; side++) {
      const int k = s->b->body[2 * (ptrdiff_t)places[i] + side];
      if (k >= 0 && s->in_batch[k] == s->batch) return false;
    }
  return true;
}

static void solve_batch(dls_subdomains *s, double least, double *r, double *y)
{
  // a batch is one long piece: together only where that was not slower of late
  const int threads = dls_pace_threads(s->pace) > 1 ? s->threads : 1;
  (void)threads;
  PARALLEL("omp parallel for num_threads(threads) schedule(dynamic, 1)")
  for (int k = 0; k < s->count; k++) {
#ifdef _OPENMP
    dls_subdomain *worker = s->worker[omp_get_thread_num()];
#else
    dls_subdomain *worker = s->worker[0];
#endif
    const double all = least * sqrt((double)s->size[k]);
    s->changed[k] = dls_subdomain_solve(worker, s->size[k], s->places[k], part_of_error, all, r, y);
  }
}

typedef struct round {
  int size;
  bool hold;
  double least, *r, *y;
  bool (*watch)(void *self);
  void *self;
  dls_subdomains_report report;
} round_state;

// False when the watch stops it.
static bool finish_batch(dls_subdomains *s, round_state *now)
{
  if (s->count == 0) return true;
  solve_batch(s, now->least, now->r, now->y);
  for (int k = 0; k < s->count; k++) now->report.solved += s->changed[k];
  now->report.subdomains += s->count;
  s->count = 0, s->batch++;
  return !(now->watch && now->watch(now->self));
}

static bool treat(dls_subdomains *s, int seed, round_state *now)
{
  int places[DLS_SUBDOMAIN_CONTACTS];
  const int count = grow(s, seed, now->size, places);
  if ((s->count == BATCH || !apart(s, count, places)) && !finish_batch(s, now)) return false;
  dls_copy(s->places[s->count], places, count);
  s->size[s->count++] = count;
  for (int i = 0; now->hold && s->before[seed] && i < count / 2; i++) s->held[places[i]] = true;
  for (int i = 0; i < count; i++) {
    s->covered[places[i]] = true;
    for (ptrdiff_t side = 0; side < 2; side++) {
      const int k = s->b->body[2 * (ptrdiff_t)places[i] + side];
      if (k >= 0) s->in_batch[k] = s->batch;
    }
  }
  return true;
}

dls_subdomains_report dls_subdomains_solve(dls_subdomains *s, int size, bool hold, double least,
                                           bool (*watch)(void *self), void *self, double *r,
                                           double *y)
{
  const int contacts = s->b->contacts;
  round_state now = {
      .size = size, .hold = hold, .least = least, .r = r, .y = y, .watch = watch, .self = self};
  measure(s, r, y);
  double sum = 0, most = 0;
  for (int at = 0; at < contacts; at++) {
    sum += s->square[at], s->in_subdomain[at] = 0;
    s->before[at] = s->covered[at], s->covered[at] = false;
    if (s->square[at] > most) most = s->square[at];
  }
  for (int k = 0; k < s->b->bodies; k++) s->in_batch[k] = s->of_subdomain[k] = 0;
  s->subdomain = 0, s->batch = 1, s->count = 0;
  // from level to level a quarter of |F|^2, so that nothing has to be sorted
  const double end = fmax(out_of_line * sum / contacts, least * least);
  bool going = most < INFINITY;
  for (int level = 0; level < LEVELS && most > end && going; level++) {
    most /= 4;
    for (int at = 0; at < contacts && going; at++)
      if (!s->covered[at] && s->square[at] > fmax(most, end)) going = treat(s, at, &now);
  }
  if (going) finish_batch(s, &now);
  return now.report;
}
