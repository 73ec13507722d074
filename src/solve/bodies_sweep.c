// Sweeps over bodies and contacts: the same numbers with any number of threads.
#include "base/memory.h"
#include "contact/incremental.h"
#include "base/clock.h"
#include "solve/bodies.h"
#include "solve/one_contact.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifdef _OPENMP
#define PARALLEL(clauses) _Pragma(clauses)
#else
#define PARALLEL(clauses)
#endif

enum { N = DLS_BODY_SIZE, CHUNK = 4096, CHUNKS = 512 };

// u = G^T y + w of the contact at this place in the order of colours.
static void relative(const dls_bodies *b, ptrdiff_t at, const double *y, double *u)
{
  const double *G = b->G + 36 * at, *x = y + (ptrdiff_t)N * b->body[2 * at];
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += G[N * k + i] * x[i];
    u[k] = sum;
  }
  if (b->body[2 * at + 1] >= 0) {
    G += 18, x = y + (ptrdiff_t)N * b->body[2 * at + 1];
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int i = 0; i < N; i++) sum += G[N * k + i] * x[i];
      u[k] += sum;
    }
  }
  for (ptrdiff_t k = 0; k < 3; k++) u[k] += b->w[3 * at + k];
}

// y += G d
static void push(const dls_bodies *b, ptrdiff_t at, const double *d, double *y)
{
  const double *G = b->G + 36 * at;
  for (ptrdiff_t side = 0; side < 2 && b->body[2 * at + side] >= 0; side++, G += 18) {
    double *x = y + (ptrdiff_t)N * b->body[2 * at + side];
    for (int i = 0; i < N; i++) x[i] += G[i] * d[0] + G[N + i] * d[1] + G[2 * N + i] * d[2];
  }
}

void dls_bodies_apply(const dls_bodies *b, const double *r, double *y)
{
  dls_copy(y, b->y0, (ptrdiff_t)b->bodies * N);
  for (ptrdiff_t at = 0; at < b->contacts; at++) push(b, at, r + (ptrdiff_t)3 * b->row[at], y);
}

// eq (bod.2): the force that obeys the law of this contact when all others stay
static void visit(const dls_bodies *b, ptrdiff_t at, double *r, double *y)
{
  const double *W = b->W + 9 * at;
  double *old = r + (ptrdiff_t)3 * b->row[at], u[3], d[3];
  relative(b, at, y, u);
  for (int k = 0; k < 3; k++)
    u[k] -= W[3 * k] * old[0] + W[3 * k + 1] * old[1] + W[3 * k + 2] * old[2];
  double now[3] = {old[0], old[1], old[2]};
  if (!dls_one_contact(3, b->mu[at], W, u, now)) return;
  for (int k = 0; k < 3; k++) d[k] = now[k] - old[k], old[k] = now[k];
  push(b, at, d, y);
}

static void visit_all(const dls_bodies *b, int first, int end, int threads, const bool *held,
                      double *r, double *y)
{
  (void)threads;
  PARALLEL("omp parallel for num_threads(threads) schedule(static) if (threads > 1)")
  for (int at = first; at < end; at++)
    if (!held || !held[at]) visit(b, (ptrdiff_t)at, r, y);
}

void dls_bodies_sweep(const dls_bodies *b, dls_pace *pace, bool backward, const bool *held,
                      double *r, double *y)
{
  enum { FEW = 1024 };  // less is not worth a barrier
  for (int step = 0; step < DLS_COLOURS; step++) {
    const int k = backward ? DLS_COLOURS - 1 - step : step;
    const int first = b->colour[k], end = b->colour[k + 1];
    const bool many = k < DLS_COLOURS - 1 && end - first >= FEW && pace->threads > 1;
    const int threads = many ? dls_pace_threads(pace) : 1;
    const double start = many ? dls_clock() : 0, own = many ? dls_clock_own() : 0;
    visit_all(b, first, end, threads, held, r, y);
    if (many) dls_pace_note(pace, threads, end - first, dls_clock() - start, dls_clock_own() - own);
  }
}

double dls_bodies_square(const dls_bodies *b, int at, const double *r, const double *y)
{
  double u[3];
  relative(b, at, y, u);
  return dls_natural_square(3, b->mu[at], b->unit, r + (ptrdiff_t)3 * b->row[at], u);
}

static double square(const dls_bodies *b, ptrdiff_t first, ptrdiff_t end, const double *r,
                     const double *y)
{
  double sum = 0;
  for (ptrdiff_t at = first; at < end; at++) sum += dls_bodies_square(b, (int)at, r, y);
  return sum;
}

static void squares(const dls_bodies *b, int threads, ptrdiff_t start, const double *r,
                    const double *y, double *part)
{
  const ptrdiff_t contacts = b->contacts;
  (void)threads;
  PARALLEL("omp parallel for num_threads(threads) schedule(static)")
  for (int k = 0; k < CHUNKS; k++) {
    const ptrdiff_t first = start + (ptrdiff_t)k * CHUNK, end = first + CHUNK;
    part[k] = first < contacts ? square(b, first, end < contacts ? end : contacts, r, y) : 0;
  }
}

double dls_bodies_error(const dls_bodies *b, int threads, const double *r, const double *y)
{
  double sum = 0;
  for (ptrdiff_t start = 0; start < b->contacts; start += (ptrdiff_t)CHUNK * CHUNKS) {
    double part[CHUNKS];
    squares(b, b->contacts < 4 * CHUNK ? 1 : threads, start, r, y, part);
    for (int k = 0; k < CHUNKS; k++) sum += part[k];
  }
  return b->norm_q > 0 ? sqrt(sum) / b->norm_q : sqrt(sum);
}
