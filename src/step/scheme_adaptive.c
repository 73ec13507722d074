// Moreau's scheme with steps chosen by halving: the heuristic on the coordinates, and the variant
// that guesses the order of each step.                                              eq (mor.5)
//
//   e = q_half - q_full,  h <- h min(5, max(1/2, (1 / error)^(1 / (p + 1))))
//
// p = 0, and only coordinates count, while steps may hold impacts; with a guess of the order p = 1
// in steps where no contact closes, and velocities count there too.
#include "step/scheme.h"

#include <math.h>
#include <string.h>

static const double SLOWEST = 0.5, FASTEST = 5, SAFETY = 1;  // alpha_min, alpha_max, alpha

typedef struct halving {
  double *q_full, *v_full, *q_half, *v_half;  // n
  double *impulse_half;
  double *gap;  // m: at the begin
} halving;

static dls_status create(dls_integrator *g, dls_message *message)
{
  (void)message;
  const size_t n = (size_t)g->system->n;
  halving *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  double *memory = dls_arena_alloc(g->arena, 4 * n + (size_t)g->impulses + 1, sizeof(double));
  if (!w || !memory) return DLS_ERR_MEMORY;
  w->q_full = memory, w->v_full = w->q_full + n, w->q_half = w->v_full + n;
  w->v_half = w->q_half + n, w->impulse_half = w->v_half + n;
  w->gap = dls_arena_alloc(g->arena, (size_t)g->system->m + 1, sizeof(double));
  if (!w->gap) return DLS_ERR_MEMORY;
  if (g->options.rtol == 0 && g->options.atol == 0) {
    g->options.rtol = 1e-4, g->options.atol = 1e-6;
    if (g->options.atol_velocity == 0) g->options.atol_velocity = 1e-6;
  }
  g->self = w;
  return DLS_OK;
}

static double part(double from, double full, double half, double atol, double rtol)
{
  return half == full ? 0 : fabs(half - full) / (atol + rtol * fmax(fabs(from), fabs(half)));
}

// Where both ways of a step overlook a contact they agree: how much deeper it is then counts too.
static double error_of(const dls_integrator *g, bool velocities)
{
  const halving *w = g->self;
  const dls_integrator_options *o = &g->options;
  double most = 0, size = 0;
  for (int i = 0; i < g->system->n; i++) {
    most = fmax(most, part(g->q[i], w->q_full[i], g->q1[i], o->atol, o->rtol));
    if (velocities)
      most = fmax(most, part(g->v[i], w->v_full[i], g->v1[i], o->atol_velocity, o->rtol));
    size = fmax(size, fabs(g->q1[i]));
  }
  for (int j = 0; j < g->system->m; j++)
    if (g->system->contacts[j].kind == DLS_UNILATERAL) {
      const double deeper = fmin(0, w->gap[j]) - g->point.values->h[j];
      most = fmax(most, deeper / (g->options.atol + g->options.rtol * size));
    }
  return most;
}

// From the state to t1 in one step and in two; the two are what counts.
static dls_failure try_both(dls_integrator *g, double t1, dls_message *message)
{
  halving *w = g->self;
  const double h = t1 - g->t, middle = g->t + h / 2;
  const size_t impulses = (size_t)g->impulses * sizeof(double);
  memcpy(g->impulse1, g->impulse, impulses);
  dls_failure failure =
      dls_moreau_step(g->moreau, g->t, h, g->q, g->v, g->impulse1, w->q_full, w->v_full, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
  for (int j = 0; j < g->system->m; j++) w->gap[j] = g->point.values->h[j];
  memcpy(g->impulse1, g->impulse, impulses);
  failure = dls_moreau_step(g->moreau, g->t, middle - g->t, g->q, g->v, g->impulse1, w->q_half,
                            w->v_half, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  memcpy(w->impulse_half, g->impulse1, impulses);
  failure = dls_moreau_step(g->moreau, middle, t1 - middle, w->q_half, w->v_half, g->impulse1,
                            g->q1, g->v1, message);
  for (int k = 0; k < g->impulses; k++) g->impulse1[k] += w->impulse_half[k];
  return failure;
}

static bool closes(const dls_integrator *g)
{
  const halving *w = g->self;
  for (int j = 0; j < g->system->m; j++)
    if (g->system->contacts[j].kind == DLS_UNILATERAL && w->gap[j] > 0 &&
        g->point.values->h[j] <= 0)
      return true;
  return false;
}

static dls_failure advance(dls_integrator *g, double t1, double *end, bool guess,
                           dls_message *message)
{
  const double whole = g->step;
  for (;;) {
    const double h = t1 - g->t;
    if (!(h > 1e-15 * fmax(fabs(g->t), whole))) return DLS_FAILURE_STEP;
    const dls_failure failure = try_both(g, t1, message);
    double factor = SLOWEST;
    bool accepted = false;
    if (failure == DLS_FAILURE_NONE) {
      const bool smooth = guess && !closes(g);
      const double error = error_of(g, smooth), order = smooth ? 1 : 0;
      accepted = error <= 1;
      factor = SAFETY * pow(1 / error, 1 / (order + 1));
      factor = fmin(FASTEST, fmax(SLOWEST, factor));
    } else if (failure == DLS_FAILURE_NUMBER || h < 1e-10 * g->options.step) {
      return failure;
    }
    if (accepted) {
      *end = t1;
      g->step = h < whole && factor > 1 ? fmax(whole, h * factor) : h * factor;
      return DLS_FAILURE_NONE;
    }
    g->point.counts.rejected++;
    t1 = g->t + h * fmin(factor, 0.9);
    if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
  }
}

static dls_failure advance_adaptive(dls_integrator *g, double t1, double *end, dls_message *message)
{
  return advance(g, t1, end, false, message);
}

static dls_failure advance_variable(dls_integrator *g, double t1, double *end, dls_message *message)
{
  return advance(g, t1, end, true, message);
}

const dls_scheme dls_scheme_moreau_adaptive = {
    {"moreau-adaptive", "Moreau's scheme, steps chosen by the error of the coordinates", 1, false,
     true},
    create,
    NULL,
    advance_adaptive,
    false};

const dls_scheme dls_scheme_moreau_variable_order = {
    {"moreau-variable-order", "the same, with the order of each step guessed", 1, false, true},
    create,
    NULL,
    advance_variable,
    false};
