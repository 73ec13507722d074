#include "step/instability.h"
#include "step/tolerances.h"

#include <math.h>

// A change of velocity that turns this often within a block has about eight steps to each swing, or
// fewer: no scheme follows it where it grows.
enum { BLOCK = 8, TURNS = 2, BLOCKS = 6 };
// Errors that are this part of the velocities are seen in so many steps of a block.
enum { WILD = 7 };
static const double WRONG = 0.3;
static const double MATTERS = 1e-3;  // errors, of the largest velocity or change by a load so far
static const double GROWTH = 2;      // of the largest change, from each block to the next,
static const double VAST = 256;      // and one that needs no turns and counts twice

typedef struct swing {
  double change;       // in the last step
  double peak, speed;  // largest change and velocity of the block so far
  double before;       // the peak of the block before
  int turns, blocks;   // of the block so far; that have grown, one after the other
} swing;

typedef struct dls_instability {
  double h;  // of the last step
  int steps;
  double size;  // the largest so far
  // pieces of the step: the largest velocity, the coordinate with an error as large, or -1
  double speed;
  int worst;
  int wild_steps, wild, found;  // of the block so far; steps with such errors; the last of these
  double early, late, largest;  // velocities in both halves of the block; of the whole run
  int *diagonal;                // n: entries of M, or -1
  swing *swing;                 // n
} dls_instability;

// Implicit schemes follow no stiff spring either, but they damp it.
static bool is_explicit(const dls_scheme *s)
{
  return s == &dls_scheme_lcp || s == &dls_scheme_schatzman_paoli || s == &dls_scheme_herk2 ||
         s == &dls_scheme_herk3 || s == &dls_scheme_herk4 || s == &dls_scheme_herk5 ||
         s == &dls_scheme_herk8;
}

dls_status dls_instability_create(dls_integrator *g)
{
  if (g->options.rtol > 0 || g->options.atol > 0 || !is_explicit(g->scheme)) return DLS_OK;
  dls_instability *w = g->instability = dls_arena_alloc(g->arena, 1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  w->swing = dls_arena_alloc(g->arena, g->system->n, sizeof *w->swing);
  w->diagonal = dls_arena_alloc(g->arena, g->system->n, sizeof(int));
  if (!w->swing || !w->diagonal) return DLS_ERR_MEMORY;
  w->worst = -1;
  dls_snapshot_diagonal(&g->point, w->diagonal);
  return DLS_OK;
}

static void add_step(swing *s, double v, double v1)
{
  const double change = v1 - v;
  if (change != 0 && signbit(change) != signbit(s->change)) s->turns++;
  s->change = change;
  s->peak = fmax(s->peak, fabs(change)), s->speed = fmax(s->speed, fabs(v1));
}

static double mass_of(const dls_integrator *g, int i)
{
  const int at = g->instability->diagonal[i];
  return at < 0 ? 0 : g->point.values->M[at];
}

// The root of the largest energy of a coordinate: of its motion, or of what its load gives to a
// step.
static double size_now(const dls_integrator *g, double h)
{
  double size = 0;
  for (int i = 0; i < g->system->n; i++) {
    const double root = sqrt(mass_of(g, i)), load = h * fabs(g->point.values->F[i]);
    if (root > 0) size = fmax(size, fmax(root * fabs(g->v1[i]), load / root));
  }
  return size;
}

// least: a change up to this is rounding
static bool end_block(swing *s, double least)
{
  const bool matters = s->before > 0 && s->peak >= swing_matters * s->speed && s->peak >= least;
  const bool vast = matters && s->peak >= VAST * s->before;
  const bool grows = matters && s->turns >= TURNS && s->peak >= GROWTH * s->before;
  s->blocks = vast ? s->blocks + 2 : grows ? s->blocks + 1 : 0;
  s->before = s->peak, s->peak = s->speed = 0, s->turns = 0;
  return s->blocks >= BLOCKS;
}

typedef struct piece {
  double speed, error, load;  // in the kinetic metric
  int worst;                  // the coordinate with the largest error
} piece;

static piece measure(const dls_integrator *g, double h, const double *v, const double *v1,
                     const double *error_v)
{
  piece x = {.worst = -1};
  double most = 0, before = 0, after = 0, error = 0;
  for (int i = 0; i < g->system->n; i++) {
    const double mass = mass_of(g, i), e = mass * error_v[i] * error_v[i];
    if (!(mass > 0)) continue;
    before += mass * v[i] * v[i], after += mass * v1[i] * v1[i], error += e;
    x.load = fmax(x.load, h * fabs(g->point.values->F[i]) / sqrt(mass));
    if (e > most) most = e, x.worst = i;
  }
  x.speed = sqrt(fmax(before, after)), x.error = sqrt(error);
  return x;
}

void dls_instability_note_piece(dls_integrator *g, double h, const double *v, const double *v1,
                                const double *error_v)
{
  dls_instability *w = g->instability;
  const piece x = measure(g, h, v, v1, error_v);
  w->largest = fmax(w->largest, fmax(x.speed, x.load));
  w->speed = fmax(w->speed, x.speed);
  if (x.error >= WRONG * x.speed && x.error >= MATTERS * w->largest) w->worst = x.worst;
}

// After a step: a coordinate whose errors were as large as velocities step after step, or -1.
static int end_wild_block(dls_instability *w)
{
  double *half = w->wild_steps < BLOCK / 2 ? &w->early : &w->late;
  *half = fmax(*half, w->speed);
  w->wild += w->worst >= 0;
  if (w->worst >= 0) w->found = w->worst;
  w->worst = -1, w->speed = 0;
  if (++w->wild_steps < BLOCK) return -1;
  const bool carried = w->wild >= WILD && w->late >= w->early;
  w->wild_steps = w->wild = 0, w->early = w->late = 0;
  return carried ? w->found : -1;
}

int dls_instability_find(dls_integrator *g, double h)
{
  dls_instability *w = g->instability;
  const int n = g->system->n;
  int found = -1;
  if (!w) return -1;
  const int wild = end_wild_block(w);
  if (wild >= 0) return wild;
  if (!(fabs(h - w->h) <= same_step * h))
    for (int i = w->steps = 0; i < n; i++) w->swing[i] = (swing){0};
  w->h = h;
  for (int i = 0; i < n; i++) add_step(&w->swing[i], g->v[i], g->v1[i]);
  w->steps = (w->steps + 1) % BLOCK;
  if (w->steps != 0) return -1;
  w->size = fmax(w->size, size_now(g, h));
  for (int i = n - 1; i >= 0; i--)
    if (end_block(&w->swing[i], swing_rounding * w->size / sqrt(mass_of(g, i)))) found = i;
  return found;
}
