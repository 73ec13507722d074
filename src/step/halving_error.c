#include "step/halving.h"

#include "step/mobility.h"

#include <math.h>

static const double ROUGH = 4;  // times the least slip: bent by more, it may turn round

static double part(double from, double full, double half, double atol, double rtol)
{
  return half == full ? 0 : fabs(half - full) / (atol + rtol * fmax(fabs(from), fabs(half)));
}

double dls_halving_gap_tolerance(const dls_integrator *g, int j, const double *q)
{
  const dls_pattern *G = &g->system->normal;
  double size = 0;
  for (int e = G->p[j]; e < G->p[j + 1]; e++) size += fabs(g->point.values->G[e] * q[G->i[e]]);
  return g->options.atol + g->options.rtol * size;
}

double dls_halving_error(const dls_integrator *g, bool velocities)
{
  const dls_halving *w = g->self;
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
      if (deeper > 0) most = fmax(most, deeper / dls_halving_gap_tolerance(g, j, g->q1));
    }
  return most;
}

void dls_halving_add_force(const dls_integrator *g, double weight, const double *F)
{
  const dls_halving *w = g->self;
  for (int i = 0; i < g->system->n; i++) w->force[i] += weight * F[i];
}

// Of coordinates and velocities that change by v more than they should. Velocities count at least
// where v is no third of what both ways differ by: the force has a jump or a kink.
static double error_by(const dls_integrator *g, double h, const double *v, bool velocities)
{
  const dls_halving *w = g->self;
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
double dls_halving_force_error(dls_integrator *g, double h, bool velocities)
{
  dls_halving *w = g->self;
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
  const dls_halving *w = g->self;
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
  const double *P = impulse + j + first, most_force = h * g->point.values->friction_force[j];
  const double limit = g->point.values->friction[j] * fabs(P[0]) + most_force;
  double before = 0, after = 0, dot = 0, most = 0;
  for (int k = first; k < end; k++)
    before = hypot(before, s0[k]), after = hypot(after, s1[k]), dot += s0[k] * s1[k];
  if (!(dot < 0) || !dls_snapshot_rubs(&g->point, j) ||
      !(fmin(before, after) > slip_tolerance(g, j)))
    return 0;
  *when = before / (before + after);
  for (int k = first; k < end; k++) {
    const double xi = *when * s0[k] / before + (1 - *when) * s1[k] / after;  // the mean direction
    const double wrong = fabs(P[1 + k - first] + limit * xi);
    most = fmax(most, effect_of(g, H, g->point.values->H, k, wrong, h));
  }
  return most;
}

// Contact j slides in the same direction at the begin, in the middle and at the end of the step,
// but its slip bends so much that it may turn round in between, and back: from 1 on. Of third order
// in h, as errors are taken to be where steps grow.
static double bend_of(const dls_integrator *g, int j)
{
  const dls_halving *w = g->self;
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
  const dls_halving *w = g->self;
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
  if (!dls_snapshot_rubs(&g->point, j) || !(tangent[1] > 0)) return error;
  const bool held = w->middle[j] == DLS_STICKING;
  const double mu = dls_snapshot_mu(&g->point, j, held);
  const double given = h / 2 * dls_snapshot_given(&g->point, j, held);
  double lost =
      late(mu * fabs(one[0]) + given - tangent[0], mu * fabs(two[0]) + given - tangent[1], &part);
  if (!(lost > 0)) return error;
  // and what static friction is more than that of sliding                            eq (stf.5)
  const double narrow = x->friction[j] * fabs(two[0]) + h / 2 * x->friction_force[j];
  lost += 2 * (1 - part) * (mu * fabs(two[0]) + given - narrow);
  *when = fmin(*when, part);
  for (int k = first; k < end; k++) {
    const double along = lost * two[1 + k - first] / tangent[1];
    error = fmax(error, effect_of(g, &g->system->tangent, x->H, k, along, (1 - part) * h));
  }
  return error;
}

double dls_halving_turns(const dls_integrator *g, double h, double *first)
{
  const dls_halving *w = g->self;
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
