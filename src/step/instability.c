#include "step/instability.h"

#include <math.h>

// A change of velocity that turns this often within a block has about eight steps to each swing, or
// fewer: no scheme follows it where it grows.
enum { BLOCK = 8, TURNS = 2, BLOCKS = 4 };
static const double GROWTH = 2;        // of the largest change, from each block to the next,
static const double VAST = 256;        // and one that needs no turns: twofold in each step
static const double PART = 0.01;       // of the velocity: changes that matter
static const double SAME_STEP = 1e-6;  // relative: steps of one length

typedef struct swing {
  double change;       // in the last step
  double peak, speed;  // largest change and velocity of the block so far
  double before;       // the peak of the block before
  int turns, blocks;   // of the block so far; that have grown, one after the other
} swing;

typedef struct dls_instability {
  double h;  // of the last step
  int steps;
  swing *swing;  // n
} dls_instability;

dls_status dls_instability_create(dls_integrator *g)
{
  if (g->scheme->info.adaptive || g->options.rtol > 0 || g->options.atol > 0) return DLS_OK;
  dls_instability *w = g->instability = dls_arena_alloc(g->arena, 1, sizeof *w);
  if (w) w->swing = dls_arena_alloc(g->arena, (size_t)g->system->n, sizeof *w->swing);
  return w && w->swing ? DLS_OK : DLS_ERR_MEMORY;
}

static void add_step(swing *s, double v, double v1)
{
  const double change = v1 - v;
  if (change != 0 && signbit(change) != signbit(s->change)) s->turns++;
  s->change = change;
  s->peak = fmax(s->peak, fabs(change)), s->speed = fmax(s->speed, fabs(v1));
}

static bool end_block(swing *s)
{
  const double least = s->turns >= TURNS ? GROWTH : VAST;
  const bool grows = s->before > 0 && s->peak >= least * s->before && s->peak >= PART * s->speed;
  s->blocks = grows ? s->blocks + 1 : 0;
  s->before = s->peak, s->peak = s->speed = 0, s->turns = 0;
  return s->blocks >= BLOCKS;
}

int dls_instability_find(dls_integrator *g, double h)
{
  dls_instability *w = g->instability;
  const int n = g->system->n;
  int found = -1;
  if (!w) return -1;
  if (!(fabs(h - w->h) <= SAME_STEP * h))
    for (int i = w->steps = 0; i < n; i++) w->swing[i] = (swing){0};
  w->h = h;
  for (int i = 0; i < n; i++) add_step(&w->swing[i], g->v[i], g->v1[i]);
  if (++w->steps % BLOCK != 0) return -1;
  for (int i = n - 1; i >= 0; i--)
    if (end_block(&w->swing[i])) found = i;
  return found;
}
