// Moreau's scheme with steps chosen by dls_halving: the heuristic on the coordinates, and the
// variant that guesses the order of each step.                                        eqs (mor.5),
// (mor.7)
//
//   e = q_half - q_full,  accepted: h <- h min(5, max(1/2, 0.9 error^(-1/2))),
//                         again:    h <- h min(0.9, max(1/10, 0.9 / error))
//
// Errors are of the order h where velocities jump and of the order h^2 elsewhere: what is right for
// both shortens by the first and lengthens by the second. With a guess of the order velocities
// count too in steps in which no contact begins or ceases to press. Steps across an impact must be
// short; so that not every one of them is found out by a failure, the gaps of contacts that
// approach are extrapolated: a step ends a little before, and the next one is as short as the jump
// asks for.
#include "base/memory.h"
#include "step/halving.h"
#include "step/tolerances.h"

#include <math.h>

static const double SLOWEST = 0.5, FASTEST = 5, SAFETY = 0.9;  // of accepted steps
static const double AGAIN = 0.1;                               // of steps that failed
static const double NEAR = 0.25;  // of its tolerance: gaps up to this are closed
static const double FOLLOWED =
    0.25;                         // of the tolerance: velocities differ by no more, times the step
static const double SAME = 1e-5;  // of the tolerance: both ways agree
static const double BEFORE = 0.05;  // of the time to an impact that a step leaves

static double *bend(const dls_integrator *g)  // m: what rates change by
{
  return g->scheme_state + ((const dls_halving *)g->self)->place;
}

static dls_status create(dls_integrator *g, dls_message *message)
{
  (void)message;
  const ptrdiff_t n = g->system->n, m = g->system->m, impulses = g->impulses;
  dls_halving *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  const ptrdiff_t tangents = g->system->tangents;
  double *memory =
      dls_arena_alloc(g->arena, 8 * n + 2 * impulses + 2 * m + 2 * tangents + 1, sizeof(double));
  g->scheme_state = dls_arena_alloc(g->arena, m + 1, sizeof(double));
  if (!w || !memory || !g->scheme_state) return DLS_ERR_MEMORY;
  w->q_full = memory, w->v_full = w->q_full + n, w->q_half = w->v_full + n;
  w->v_half = w->q_half + n, w->impulse_half = w->v_half + n;
  w->impulse_full = w->impulse_half + impulses;
  w->gap = w->impulse_full + impulses, w->rate = w->gap + m;
  w->slip = w->rate + m, w->slip_half = w->slip + tangents, w->force = w->slip_half + tangents;
  w->mobility = w->force + n, w->most = w->mobility + n;
  w->diagonal = dls_arena_alloc(g->arena, n + 1, sizeof(int));
  w->closing = dls_arena_alloc(g->arena, m + n + 1, sizeof(bool));
  w->middle = dls_arena_alloc(g->arena, m + 1, 1);
  if (!w->diagonal || !w->closing || !w->middle) return DLS_ERR_MEMORY;
  w->bounded = w->closing + m;
  dls_snapshot_diagonal(&g->point, w->diagonal);
  dls_remember(g, DLS_MEMORY_CONTACT, 1);
  if (g->options.rtol == 0 && g->options.atol == 0) {
    g->options.rtol = default_rtol, g->options.atol = default_atol;
    if (g->options.atol_velocity == 0) g->options.atol_velocity = default_atol;
  }
  g->self = w;
  g->moreau->at_end = true;
  return dls_projector_create(&g->point, &g->options, NULL, &g->projector);
}

// --- impacts ahead ---

// The longest step across an impact of contact j at this speed. A quarter of the jump times the
// step is what both ways of a step differ by at most, with theta = 1/2; masses that are coupled,
// and friction, are left to the error itself.
static double crossing(const dls_integrator *g, int j, double speed)
{
  const dls_halving *w = g->self;
  const dls_pattern *G = &g->system->normal;
  const dls_values *x = g->point.values;
  double sum = 0, most = speed / dls_halving_gap_tolerance(g, j, g->q);
  for (int e = G->p[j]; e < G->p[j + 1]; e++) {
    const int at = w->diagonal[G->i[e]];
    if (at >= 0 && x->M[at] > 0) sum += x->G[e] * x->G[e] / x->M[at];
  }
  const double impulse = sum > 0 ? (1 + x->restitution[j]) * speed / sum : 0;
  for (int e = G->p[j]; e < G->p[j + 1]; e++) {
    const int at = w->diagonal[G->i[e]];
    if (at < 0 || !(x->M[at] > 0)) continue;
    const double jump = fabs(x->G[e]) * impulse / x->M[at];
    most = fmax(most, jump / (g->options.atol + g->options.rtol * fabs(g->q[G->i[e]])));
  }
  return most > 0 ? 4 * SAFETY / most : INFINITY;
}

// When gap + rate t + bend t^2 / 2 is zero first; infinite: never.
static double time_of_impact(double gap, double rate, double bend)
{
  const double square = rate * rate - 2 * bend * gap;
  if (gap <= 0) return rate < 0 ? 0 : INFINITY;
  if (square < 0 || (rate >= 0 && bend >= 0)) return INFINITY;
  return 2 * gap / (sqrt(square) - rate);
}

// A step of length h at most that contains no impact, or is short enough for it.      eq (mor.7)
static double land(const dls_integrator *g, double h)
{
  const double *b = bend(g);
  for (int j = 0; j < g->system->m; j++) {
    if (g->system->contacts[j].kind != DLS_UNILATERAL) continue;
    const double gap = g->point.values->h[j], rate = g->point.values->h_dot[j];
    const double t = time_of_impact(gap, rate, b[j]);
    if (!(t < h)) continue;
    const double across = crossing(g, j, fabs(rate + b[j] * t));
    if (across < h) h = fmin(h, fmax(across, t - fmax(across / 2, BEFORE * t)));
  }
  return h;
}

// What rates change by where no contact begins or ceases to press: seen at the middle of the step,
// where the point stands.
static void note_bend(dls_integrator *g, double half)
{
  const dls_halving *w = g->self;
  double *b = bend(g);
  for (int j = 0; j < g->system->m; j++) {
    const int k = j + g->point.first[j];
    if (g->system->contacts[j].kind == DLS_UNILATERAL &&
        (g->impulse1[k] != 0) != (g->impulse[k] != 0))
      return;
  }
  for (int j = 0; j < g->system->m; j++) b[j] = (g->point.values->h_dot[j] - w->rate[j]) / half;
}

// --- steps ---

// A step of the scheme from where the point stands. Contacts that are closed as far as errors are
// controlled take part: a small gap would else be overlooked for a whole step.
static dls_failure step(dls_integrator *g, double t, double h, const double *q0, const double *v0,
                        double *impulse, double *q1, double *v1, dls_message *message)
{
  dls_halving *w = g->self;
  for (int j = 0; j < g->system->m; j++)
    w->closing[j] = g->system->contacts[j].kind == DLS_UNILATERAL &&
                    g->point.values->h[j] <= NEAR * dls_halving_gap_tolerance(g, j, q0);
  g->moreau->closing = w->closing;
  const dls_failure failure = dls_moreau_step(g->moreau, t, h, q0, v0, impulse, q1, v1, message);
  g->moreau->closing = NULL;
  return failure;
}

// What contacts do in the middle of the step, where the point stands, for static friction. eq
// (stf.4)
static void note_middle(const dls_integrator *g)
{
  const dls_halving *w = g->self;
  for (int j = 0; j < g->system->m && g->point.statics; j++) {
    const int first = g->point.first[j];
    const bool bilateral = g->system->contacts[j].kind == DLS_BILATERAL;
    double slip = 0;
    for (int k = first; k < g->point.first[j + 1]; k++) slip = hypot(slip, w->slip_half[k]);
    const bool sticks = slip <= g->options.rest || g->moreau->fast[j];
    const bool pressed = bilateral || w->impulse_half[j + first] != 0;
    w->middle[j] = !pressed ? DLS_OPEN : sticks ? DLS_STICKING : DLS_SLIDING;
  }
}

// From the state to t1 in one step and in two; the two are what counts.
static dls_failure try_both(dls_integrator *g, double t1, dls_message *message)
{
  dls_halving *w = g->self;
  const double h = t1 - g->t, middle = g->t + h / 2;
  const ptrdiff_t impulses = g->impulses;
  dls_copy(w->impulse_full, g->impulse, impulses);
  dls_failure failure =
      step(g, g->t, h, g->q, g->v, w->impulse_full, w->q_full, w->v_full, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
  dls_clear(w->force, g->system->n);
  dls_halving_add_force(g, 1. / 6, g->point.values->F);
  dls_copy(w->gap, g->point.values->h, g->system->m);
  dls_copy(w->rate, g->point.values->h_dot, g->system->m);
  dls_copy(w->slip, g->point.values->slip, g->system->tangents);
  dls_copy(g->impulse1, g->impulse, impulses);
  failure = step(g, g->t, middle - g->t, g->q, g->v, g->impulse1, w->q_half, w->v_half, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  dls_halving_add_force(g, 4. / 6, g->point.values->F);
  dls_halving_add_force(g, -1. / 2, g->moreau->F);
  note_bend(g, middle - g->t);
  dls_copy(w->slip_half, g->point.values->slip, g->system->tangents);
  dls_copy(w->impulse_half, g->impulse1, impulses);
  note_middle(g);
  g->moreau->status = w->middle;
  failure = step(g, middle, t1 - middle, w->q_half, w->v_half, g->impulse1, g->q1, g->v1, message);
  g->moreau->status = g->status;
  if (failure != DLS_FAILURE_NONE) return failure;
  dls_halving_add_force(g, 1. / 6, g->point.values->F);
  dls_halving_add_force(g, -1. / 2, g->moreau->F);
  return failure;
}

// The same contacts press all the time.
static bool is_smooth(const dls_integrator *g)
{
  const dls_halving *w = g->self;
  for (int j = 0; j < g->system->m; j++) {
    const int k = j + g->point.first[j];
    const bool before = g->impulse[k] != 0;
    if (g->system->contacts[j].kind == DLS_UNILATERAL &&
        ((w->impulse_full[k] != 0) != before || (w->impulse_half[k] != 0) != before ||
         (g->impulse1[k] != 0) != before))
      return false;
  }
  return true;
}

// What velocities of both ways differ by, times the step, in tolerances of coordinates. These may
// agree by chance in a step that is too long.
static double way_apart(const dls_integrator *g, double h)
{
  const dls_halving *w = g->self;
  const dls_integrator_options *o = &g->options;
  double most = 0;
  for (int i = 0; i < g->system->n; i++) {
    const double allowed = o->atol + o->rtol * fmax(fabs(g->q[i]), fabs(g->q1[i]));
    most = fmax(most, h * fabs(g->v1[i] - w->v_full[i]) / allowed);
  }
  return most;
}

// In smooth steps the errors of both ways are of the same order, and of the sum of them it is the
// next one that counts: what they differ by is what the sum may be wrong by, however many steps
// there are. Stiff motions, which neither way follows, would grow by it: they are seen in the
// velocities.                                                                       eq (mor.13)
static bool may_extrapolate(const dls_integrator *g, double way)
{
  const dls_halving *w = g->self;
  const dls_integrator_options *o = &g->options;
  double most = way;
  for (int i = 0; i < g->system->n; i++)
    most = fmax(most, fabs(g->q1[i] - w->q_full[i]) / (o->atol + o->rtol * fabs(g->q1[i])));
  return most > SAME && way <= FOLLOWED;
}

// The impulses of the whole step are in impulse1.
static dls_failure extrapolate(dls_integrator *g, double t, dls_message *message)
{
  const dls_halving *w = g->self;
  const double by = g->moreau->theta == 0.5 ? 1. / 3 : 1;
  for (int i = 0; i < g->system->n; i++) {
    g->q1[i] += by * (g->q1[i] - w->q_full[i]);
    g->v1[i] += by * (g->v1[i] - w->v_full[i]);
  }
  for (int k = 0; k < g->impulses; k++)
    g->impulse1[k] += by * (g->impulse1[k] - w->impulse_full[k]);
  if (!dls_snapshot_evaluate(&g->point, t, g->q1, g->v1, message)) return DLS_FAILURE_NUMBER;
  return !g->moreau->held || dls_projector_state(&g->moreau->projector, g->moreau->bilateral, t,
                                                 g->q1, g->v1, message)
             ? DLS_FAILURE_NONE
             : DLS_FAILURE_CONSTRAINT;
}

// Contacts that press and stay have opened a little, since normals turn within steps. Back before
// they are overlooked; where that cannot be, nothing changes.
static dls_failure close_resting(dls_integrator *g, double t, dls_message *message)
{
  dls_halving *w = g->self;
  const ptrdiff_t n = g->system->n;
  bool any = false;
  for (int j = 0; j < g->system->m; j++) {
    const bool bilateral = g->system->contacts[j].kind == DLS_BILATERAL;
    const double gap = g->point.values->h[j];
    const bool rests = g->impulse1[j + g->point.first[j]] != 0 &&
                       fabs(g->moreau->restitution[j] * g->moreau->rate[j]) <= g->options.rest &&
                       gap <= dls_halving_gap_tolerance(g, j, g->q1);
    w->closing[j] = bilateral || rests;
    any |= rests && !bilateral && gap > NEAR / 2 * dls_halving_gap_tolerance(g, j, g->q1);
  }
  if (!any) return DLS_FAILURE_NONE;
  dls_copy(w->q_half, g->q1, n);
  dls_copy(w->v_half, g->v1, n);
  if (dls_projector_positions(&g->projector, w->closing, t, g->q1, g->v1, message) &&
      dls_projector_velocities(&g->projector, g->moreau->bilateral, t, g->q1, g->v1, message))
    return DLS_FAILURE_NONE;
  dls_copy(g->q1, w->q_half, n);
  dls_copy(g->v1, w->v_half, n);
  message->text[0] = '\0';
  return dls_snapshot_evaluate(&g->point, t, g->q1, g->v1, message) ? DLS_FAILURE_NONE
                                                                    : DLS_FAILURE_NUMBER;
}

// After a step of length h that failed by `error`: the next one to try, and *whole, what may follow
// it. The first time it may end before an impact, or before sliding turns round.
static double again(const dls_integrator *g, double h, double error, double turn, bool smooth,
                    bool first, double *whole)
{
  const double across = h * SAFETY / error, turning = turn * h;
  *whole =
      h * fmin(SAFETY, fmax(AGAIN, smooth && turn == 1 ? SAFETY / sqrt(error) : SAFETY / error));
  if (!first) return *whole;
  if (turn < 1) {
    const double left = fmax(across / 2, BEFORE * turning);
    if (turning - left < across) return *whole;
    *whole = 2 * left;
    return turning - left;
  }
  const double before = land(g, h);
  return before < SAFETY * h ? fmax(*whole, before) : *whole;
}

static dls_failure advance(dls_integrator *g, double t1, double *end, bool guess,
                           dls_message *message)
{
  dls_halving *w = g->self;
  const double asked = t1 - g->t;
  double whole = fmax(g->step, asked), h = land(g, asked);
  for (int tries = 0;; tries++) {
    if (h < asked) t1 = g->t + h;
    h = t1 - g->t;
    if (!(h > step_rounding * fmax(fabs(g->t), whole))) return DLS_FAILURE_STEP;
    const dls_failure failure = try_both(g, t1, message);
    double error = 2, turn = 1, way = 0;
    const bool smooth = failure == DLS_FAILURE_NONE && is_smooth(g);
    if (failure == DLS_FAILURE_NONE)
      error = fmax(dls_halving_error(g, guess && smooth),
                   dls_halving_force_error(g, h, guess && smooth));
    else if (failure == DLS_FAILURE_NUMBER || h < shortest_step * g->options.step) return failure;
    if (smooth) {
      way = way_apart(g, h);
      error = fmax(fmax(error, way / FOLLOWED), dls_halving_turns(g, h, &turn));
    }
    if (error <= 1) {
      const double most = tries > 0 ? 1 : FASTEST;
      const double factor = fmin(most, fmax(SLOWEST, SAFETY / cbrt(error)));
      const bool sharper = smooth && may_extrapolate(g, way);
      dls_failure closed = sharper ? DLS_FAILURE_NONE : close_resting(g, t1, message);
      for (int k = 0; k < g->impulses; k++) g->impulse1[k] += w->impulse_half[k];
      if (sharper) closed = extrapolate(g, t1, message);
      if (closed != DLS_FAILURE_NONE) return closed;
      *end = t1;
      g->step = tries > 0    ? fmin(whole, h * factor)
                : factor < 1 ? h * factor
                             : fmax(whole, h * factor);
      return DLS_FAILURE_NONE;
    }
    g->point.counts.rejected++;
    if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
    h = again(g, h, error, turn, smooth, tries == 0, &whole);
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
    false,
    NULL};

const dls_scheme dls_scheme_moreau_variable_order = {
    {"moreau-variable-order", "the same, with the order of each step guessed", 1, false, true},
    create,
    NULL,
    advance_variable,
    false,
    NULL};
