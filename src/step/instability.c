#include "step/instability.h"
#include "step/tolerances.h"

#include <math.h>

// A change of velocity that turns this often within a block has about eight steps to each swing, or
// fewer: no scheme follows it where it grows.
enum { BLOCK = 8, TURNS = 2, BLOCKS = 6 };
static const double WRONG = 0.2;     // errors, of the velocities, that are as large as these
static const double MATTERS = 1e-6;  // and of the largest velocity or change by a load so far
// So often, at most, may steps with such errors have doubled the largest velocity; and that much
// counts of one of them.
static const double DOUBLED = 4, AT_ONCE = 2;
static const double GROWTH = 2;  // of the largest change, from each block to the next,
static const double VAST = 256;  // and one that needs no turns and counts twice

typedef struct swing {
  double change;       // in the last step
  double peak, speed;  // largest change and velocity of the block so far
  double before;       // the peak of the block before
  int turns, blocks;   // of the block so far; that have grown, one after the other
} swing;

typedef struct dls_instability {
  double h;  // of the last step
  int steps;
  double size;     // the largest so far
  double largest;  // velocity or change by a load so far
  double doubled;  // how often steps with errors as large as velocities have doubled it,
  int worst;       // and the coordinate with the largest error in the last one
  int *diagonal;   // n: entries of M, or -1
  swing *swing;    // n
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
  const double before = w->largest;
  w->largest = fmax(before, fmax(x.speed, x.load));
  if (!(x.error >= MATTERS * w->largest && before > 0)) return;
  const double wrong = fmin(1, x.error / (WRONG * x.speed));
  w->doubled += wrong * fmin(AT_ONCE, log2(w->largest / before));
  w->worst = x.worst;
}

int dls_instability_find(dls_integrator *g, double h)
{
  dls_instability *w = g->instability;
  const int n = g->system->n;
  int found = -1;
  if (!w) return -1;
  if (w->doubled >= DOUBLED) return w->worst;
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
