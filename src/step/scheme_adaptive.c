// Moreau's scheme with steps chosen by halving: the heuristic on the coordinates, and the variant
// that guesses the order of each step.                                        eqs (mor.5), (mor.7)
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
#include "step/mobility.h"
#include "step/scheme.h"
#include "step/tolerances.h"

#include <math.h>

static const double SLOWEST = 0.5, FASTEST = 5, SAFETY = 0.9;  // of accepted steps
static const double AGAIN = 0.1;                               // of steps that failed
static const double NEAR = 0.25;    // of its tolerance: gaps up to this are closed
static const double ROUGH = 4;      // times the least slip: bent by more, it may turn round
static const double BEFORE = 0.05;  // of the time to an impact that a step leaves

typedef struct halving {
  double *q_full, *v_full, *q_half, *v_half;  // n
  double *impulse_full, *impulse_half;        // impulses
  double *gap, *rate;                         // m: at the begin
  double *slip, *slip_half;                   // tangents: at the begin and in the middle
  double *force;                              // n: by Simpson's rule, less those of the two halves
  bool *closing;                              // m: near enough to take part
  int *diagonal;                              // n: entries of M, or -1
  double *mobility, *most;                    // n, 2 n: about 1 / M_ii at the end, and work
  bool *bounded;                              // n, work
  int place;                                  // in the memory: rates of the rates, m
} halving;

static double *bend(const dls_integrator *g)  // m: what rates change by
{
  return g->scheme_state + ((const halving *)g->self)->place;
}

static dls_status create(dls_integrator *g, dls_message *message)
{
  (void)message;
  const ptrdiff_t n = g->system->n, m = g->system->m, impulses = g->impulses;
  halving *w = dls_arena_alloc(g->arena, 1, sizeof *w);
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
  if (!w->diagonal || !w->closing) return DLS_ERR_MEMORY;
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

// --- errors ---

static double part(double from, double full, double half, double atol, double rtol)
{
  return half == full ? 0 : fabs(half - full) / (atol + rtol * fmax(fabs(from), fabs(half)));
}

// Of a gap: atol, and rtol of what it is made of.
static double gap_tolerance(const dls_integrator *g, int j, const double *q)
{
  const dls_pattern *G = &g->system->normal;
  double size = 0;
  for (int e = G->p[j]; e < G->p[j + 1]; e++) size += fabs(g->point.values->G[e] * q[G->i[e]]);
  return g->options.atol + g->options.rtol * size;
}

// Where both ways of a step overlook a contact they agree: how much deeper it is then counts too.
static double error_of(const dls_integrator *g, bool velocities)
{
  const halving *w = g->self;
  const dls_integrator_options *o = &g->options;
  double most = 0;
  for (int i = 0; i < g->system->n; i++) {
    most = fmax(most, part(g->q[i], w->q_full[i], g->q1[i], o->atol, o->rtol));
    if (velocities)
      most = fmax(most, part(g->v[i], w->v_full[i], g->v1[i], o->atol_velocity, o->rtol));
  }
  for (int j = 0; j < g->system->m; j++)
    if (g->system->contacts[j].kind == DLS_UNILATERAL) {
      const double deeper = fmin(0, w->gap[j]) - g->point.values->h[j];
      if (deeper > 0) most = fmax(most, deeper / gap_tolerance(g, j, g->q1));
    }
  return most;
}

// Forces that a step is made with are those at inner points of it: what begins or ends between the
// last of them and the end of the step, as a force with a condition does, is overlooked by both
// ways of a step. Simpson's rule, over begin, middle and end, sees it; of third order where forces
// are smooth, and a third of what both ways differ by.                                      eq
// (mor.8)
static void add_force(const dls_integrator *g, double weight, const double *F)
{
  const halving *w = g->self;
  for (int i = 0; i < g->system->n; i++) w->force[i] += weight * F[i];
}

// Of coordinates and velocities that change by v more than they should. Velocities count at least
// where v is no third of what both ways differ by: the force has a jump or a kink.
static double error_by(const dls_integrator *g, double h, const double *v, bool velocities)
{
  const halving *w = g->self;
  const dls_integrator_options *o = &g->options;
  double most = 0;
  for (int i = 0; i < g->system->n; i++) {
    const double way = fmax(fabs(g->q[i]), fabs(g->q1[i]));
    const double speed = fmax(fabs(g->v[i]), fabs(g->v1[i]));
    if (v[i] == 0) continue;
    most = fmax(most, h * fabs(v[i]) / (o->atol + o->rtol * way));
    if (velocities || 2 * fabs(v[i]) > fabs(g->v1[i] - w->v_full[i]))
      most = fmax(most, fabs(v[i]) / (o->atol_velocity + o->rtol * speed));
  }
  return most;
}

// By diag(M) at first; what would count then by M and the bilateral constraints.
static double force_error(dls_integrator *g, double h, bool velocities)
{
  halving *w = g->self;
  dls_moreau *m = g->moreau;
  const int n = g->system->n, size = dls_step_kkt_size(m->kkt);
  for (int i = 0; i < n; i++) {
    const double mass = w->diagonal[i] >= 0 ? g->point.values->M[w->diagonal[i]] : 0;
    m->x[i] = w->force[i] == 0 ? 0 : h * w->force[i] / mass;
  }
  if (error_by(g, h, m->x, velocities) <= 1) return 0;
  for (int i = 0; i < size; i++) m->x[i] = i < n ? h * w->force[i] : 0;
  m->factored = false;
  if (!dls_step_kkt_factor(m->kkt, 0, 0, 0, NULL)) return 0;
  dls_step_kkt_solve(m->kkt, m->x);
  return error_by(g, h, m->x, velocities);
}

// Slips of contact j that are no larger do not count.
static double slip_tolerance(const dls_integrator *g, int j)
{
  const dls_pattern *H = &g->system->tangent;
  double size = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
    for (int e = H->p[k]; e < H->p[k + 1]; e++)
      size += fabs(g->point.values->H[e] * g->v1[H->i[e]]);
  return g->options.atol_velocity + g->options.rtol * size + g->options.rest;
}

// What impulse x of a row, with gradient G, does to the velocities, relative to their tolerances,
// and within h to the coordinates, relative to theirs.
static double effect_of(const dls_integrator *g, const dls_pattern *a, const double *G, int row,
                        double x, double h)
{
  const halving *w = g->self;
  double most = 0;
  for (int e = a->p[row]; e < a->p[row + 1]; e++) {
    const int i = a->i[e];
    const double v = fabs(G[e] * x) * w->mobility[i];
    const double q_tolerance = g->options.atol + g->options.rtol * fabs(g->q1[i]);
    const double v_tolerance = g->options.atol_velocity + g->options.rtol * fabs(g->v1[i]);
    if (v > 0) most = fmax(most, fmax(v * h / q_tolerance, v / v_tolerance));
  }
  return most;
}

// Sliding that turns round inside half a step of length h, from slip s0 to s1: the friction of the
// half is that of one of them, and both ways of a step may agree on it. Of contact j: what that
// does to the coordinates and velocities, relative to their tolerances; *when: the part of the half
// before.
static double turn_of(const dls_integrator *g, int j, double h, const double *s0, const double *s1,
                      const double *impulse, double *when)
{
  const dls_pattern *H = &g->system->tangent;
  const int first = g->point.first[j], end = g->point.first[j + 1];
  const double mu = g->point.values->friction[j], *P = impulse + j + first;
  double before = 0, after = 0, dot = 0, most = 0;
  for (int k = first; k < end; k++)
    before = hypot(before, s0[k]), after = hypot(after, s1[k]), dot += s0[k] * s1[k];
  if (!(dot < 0) || !(mu > 0) || !(fmin(before, after) > slip_tolerance(g, j))) return 0;
  *when = before / (before + after);
  for (int k = first; k < end; k++) {
    const double xi = *when * s0[k] / before + (1 - *when) * s1[k] / after;  // the mean direction
    const double wrong = fabs(P[1 + k - first] + mu * fabs(P[0]) * xi);
    most = fmax(most, effect_of(g, H, g->point.values->H, k, wrong, h));
  }
  return most;
}

// Contact j slides in the same direction at the begin, in the middle and at the end of the step,
// but its slip bends so much that it may turn round in between, and back: from 1 on. Of third order
// in h, as errors are taken to be where steps grow.
static double bend_of(const dls_integrator *g, int j)
{
  const halving *w = g->self;
  double least[3] = {0}, bent = 0, one = 0, two = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) {
    const double s[3] = {w->slip[k], w->slip_half[k], g->point.values->slip[k]};
    for (int i = 0; i < 3; i++) least[i] = hypot(least[i], s[i]);
    bent = hypot(bent, s[0] - 2 * s[1] + s[2]);
    one += s[0] * s[1], two += s[1] * s[2];
  }
  const double slip = fmin(least[0], fmin(least[1], least[2]));
  if (!(one > 0 && two > 0) || !(slip > slip_tolerance(g, j))) return 0;
  return pow(bent / (ROUGH * slip), 1.5);
}

// A margin of the law with the means one and two over the halves, both positive, that is negative
// at the end if it goes on so: both ways of a step overlook what begins behind its last middle. The
// impulse that the law would not have given in a step, and the part of the step before.  eq (mor.9)
static double late(double one, double two, double *when)
{
  const double end = two + (two - one) / 2;
  if (!(one > 0 && two > 0 && end < 0)) return 0;
  *when = 0.75 + two / (2 * (one - two));
  return -end * (1 - *when);
}

// Contact j ceases to press, or to stick, near the end of a step of length h.
static double leaves(const dls_integrator *g, int j, double h, double *when)
{
  const halving *w = g->self;
  const dls_values *x = g->point.values;
  const int first = g->point.first[j], end = g->point.first[j + 1];
  const double *one = w->impulse_half + j + first, *two = g->impulse1 + j + first;
  double tangent[2] = {0}, error = 0, part = 1;
  *when = 1;
  for (int k = first; k < end; k++) {
    tangent[0] = hypot(tangent[0], one[1 + k - first]);
    tangent[1] = hypot(tangent[1], two[1 + k - first]);
  }
  if (g->system->contacts[j].kind == DLS_UNILATERAL) {
    const double lost = late(one[0], two[0], &part);
    if (lost > 0) error = effect_of(g, &g->system->normal, x->G, j, lost, (1 - part) * h);
    if (lost > 0) *when = part;
  }
  if (!(x->friction[j] > 0) || !(tangent[1] > 0)) return error;
  const double lost = late(x->friction[j] * fabs(one[0]) - tangent[0],
                           x->friction[j] * fabs(two[0]) - tangent[1], &part);
  if (!(lost > 0)) return error;
  *when = fmin(*when, part);
  for (int k = first; k < end; k++) {
    const double along = lost * two[1 + k - first] / tangent[1];
    error = fmax(error, effect_of(g, &g->system->tangent, x->H, k, along, (1 - part) * h));
  }
  return error;
}

// The largest of these errors, and the part of the step before the first time that sliding turns
// round, or a contact leaves; 1 where none does.
static double turns(const dls_integrator *g, double h, double *first)
{
  const halving *w = g->self;
  double most = 0, when = 0;
  *first = 1;
  dls_mobility_set(&g->point, w->diagonal, w->mobility, w->most, w->bounded);
  for (int j = 0; j < g->system->m; j++) {
    double error = leaves(g, j, h, &when);
    if (error > 1) *first = fmin(*first, when);
    most = fmax(most, error);
    if (g->point.first[j + 1] == g->point.first[j]) continue;
    error = turn_of(g, j, h / 2, w->slip, w->slip_half, w->impulse_half, &when);
    if (error > 0) *first = fmin(*first, when / 2);
    most = fmax(most, error);
    error = turn_of(g, j, h / 2, w->slip_half, g->point.values->slip, g->impulse1, &when);
    if (error > 0) *first = fmin(*first, (1 + when) / 2);
    most = fmax(most, error);
    if (g->impulse1[j + g->point.first[j]] != 0) most = fmax(most, bend_of(g, j));
  }
  return most;
}

// --- impacts ahead ---

// The longest step across an impact of contact j at this speed. A quarter of the jump times the
// step is what both ways of a step differ by at most, with theta = 1/2; masses that are coupled,
// and friction, are left to the error itself.
static double crossing(const dls_integrator *g, int j, double speed)
{
  const halving *w = g->self;
  const dls_pattern *G = &g->system->normal;
  const dls_values *x = g->point.values;
  double sum = 0, most = speed / gap_tolerance(g, j, g->q);
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

// A step of length h at most that contains no impact, or is short enough for it.           eq
// (mor.7)
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
  const halving *w = g->self;
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
  halving *w = g->self;
  for (int j = 0; j < g->system->m; j++)
    w->closing[j] = g->system->contacts[j].kind == DLS_UNILATERAL &&
                    g->point.values->h[j] <= NEAR * gap_tolerance(g, j, q0);
  g->moreau->closing = w->closing;
  const dls_failure failure = dls_moreau_step(g->moreau, t, h, q0, v0, impulse, q1, v1, message);
  g->moreau->closing = NULL;
  return failure;
}

// From the state to t1 in one step and in two; the two are what counts.
static dls_failure try_both(dls_integrator *g, double t1, dls_message *message)
{
  halving *w = g->self;
  const double h = t1 - g->t, middle = g->t + h / 2;
  const ptrdiff_t impulses = g->impulses;
  dls_copy(w->impulse_full, g->impulse, impulses);
  dls_failure failure =
      step(g, g->t, h, g->q, g->v, w->impulse_full, w->q_full, w->v_full, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (!dls_snapshot_evaluate(&g->point, g->t, g->q, g->v, message)) return DLS_FAILURE_NUMBER;
  dls_clear(w->force, g->system->n);
  add_force(g, 1. / 6, g->point.values->F);
  dls_copy(w->gap, g->point.values->h, g->system->m);
  dls_copy(w->rate, g->point.values->h_dot, g->system->m);
  dls_copy(w->slip, g->point.values->slip, g->system->tangents);
  dls_copy(g->impulse1, g->impulse, impulses);
  failure = step(g, g->t, middle - g->t, g->q, g->v, g->impulse1, w->q_half, w->v_half, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  add_force(g, 4. / 6, g->point.values->F);
  add_force(g, -1. / 2, g->moreau->F);
  note_bend(g, middle - g->t);
  dls_copy(w->slip_half, g->point.values->slip, g->system->tangents);
  dls_copy(w->impulse_half, g->impulse1, impulses);
  failure = step(g, middle, t1 - middle, w->q_half, w->v_half, g->impulse1, g->q1, g->v1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  add_force(g, 1. / 6, g->point.values->F);
  add_force(g, -1. / 2, g->moreau->F);
  return failure;
}

// The same contacts press all the time.
static bool is_smooth(const dls_integrator *g)
{
  const halving *w = g->self;
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

// Contacts that press and stay have opened a little, since normals turn within steps. Back before
// they are overlooked; where that cannot be, nothing changes.
static dls_failure close_resting(dls_integrator *g, double t, dls_message *message)
{
  halving *w = g->self;
  const ptrdiff_t n = g->system->n;
  bool any = false;
  for (int j = 0; j < g->system->m; j++) {
    const bool bilateral = g->system->contacts[j].kind == DLS_BILATERAL;
    const double gap = g->point.values->h[j];
    const bool rests = g->impulse1[j + g->point.first[j]] != 0 &&
                       fabs(g->moreau->restitution[j] * g->moreau->rate[j]) <= g->options.rest &&
                       gap <= gap_tolerance(g, j, g->q1);
    w->closing[j] = bilateral || rests;
    any |= rests && !bilateral && gap > NEAR / 2 * gap_tolerance(g, j, g->q1);
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
  halving *w = g->self;
  const double asked = t1 - g->t;
  double whole = fmax(g->step, asked), h = land(g, asked);
  for (int tries = 0;; tries++) {
    if (h < asked) t1 = g->t + h;
    h = t1 - g->t;
    if (!(h > step_rounding * fmax(fabs(g->t), whole))) return DLS_FAILURE_STEP;
    const dls_failure failure = try_both(g, t1, message);
    double error = 2, turn = 1;
    const bool smooth = failure == DLS_FAILURE_NONE && is_smooth(g);
    if (failure == DLS_FAILURE_NONE)
      error = fmax(error_of(g, guess && smooth), force_error(g, h, guess && smooth));
    else if (failure == DLS_FAILURE_NUMBER || h < shortest_step * g->options.step) return failure;
    if (smooth) error = fmax(error, turns(g, h, &turn));
    if (error <= 1) {
      const double most = tries > 0 ? 1 : FASTEST;
      const double factor = fmin(most, fmax(SLOWEST, SAFETY / cbrt(error)));
      const dls_failure closed = close_resting(g, t1, message);
      for (int k = 0; k < g->impulses; k++) g->impulse1[k] += w->impulse_half[k];
      *end = t1;
      g->step = tries > 0    ? fmin(whole, h * factor)
                : factor < 1 ? h * factor
                             : fmax(whole, h * factor);
      return closed;
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
