// What happens inside a trial that its end does not show: gaps, forces and slip velocities on the
// dense output of the whole trial.
//
// Each margin is interpolated by cubics between samples; the error of a cubic is what it was wrong
// by at the sample that split it. Where
//
//   cubic(x) - 32 error x^2 (1 - x)^2  <  -tolerance                                 eq (cap.7)
//
// for some part x between two samples, one more sample is taken there: until a sample is negative,
// or nothing can be. The first samples lie at places that have nothing to do with the step, so that
// no period hides between them.
#include "step/capture.h"

#include "base/memory.h"

#include <math.h>

enum { PLACES = 16, BISECTIONS = 50 };

static const double FIRST = 0.2918, SECOND = 0.7277;  // samples inside a trial,
static const double THIRD = 0.4871;
static const double BEHIND = 0.25, NEARER = 1. / 256;  // a root, of the way to a sample
static const double SHORTEST = 1. / 1024;              // part of a trial that is not split
static const double LEAST_WEIGHT = 0.25;  // of what a sample says of the error, near others

static double *row(const dls_integrator *g, double *x, int sample)
{
  const dls_capture *w = g->self;
  return x + (ptrdiff_t)sample * w->channels;
}

// Where nothing but gaps can end the piece, every other margin is that of a slip that is none.
static int stride(const dls_integrator *g)
{
  return ((const dls_capture *)g->self)->watch.gaps_only ? 2 : 1;
}

// d/dt of the margins of contact j where the point stands; NaN where it is not known.
static void set_slopes(const dls_integrator *g, int j, const double *z, double *slope)
{
  const dls_capture *w = g->self;
  const dls_values *x = g->point.values;
  const int first = g->point.first[j], end = g->point.first[j + 1];
  slope[0] = dls_mode_closed(&w->modes, j) ? NAN : x->h_dot[j];
  slope[1] = NAN;
  if (w->modes.kind[j] != DLS_SLIDING || end == first) return;
  slope[1] = 0;
  for (int k = first; k < end; k++)
    slope[1] +=
        w->modes.xi[k] * (dls_snapshot_Jt_times(&g->point, j, 1 + k - first, z) + x->b_t[k]);
}

// The margin of sticking as a smooth function, from -1 to 1, of the same sign: |tau| has a kink at
// 0.
static void smooth_margins(const dls_integrator *g, const double *z, double *margin)
{
  const dls_capture *w = g->self;
  const double *lambda = z + g->system->n, *tau = lambda + g->system->m;
  for (int j = 0; j < g->system->m; j++) {
    if (w->modes.kind[j] != DLS_STICKING || margin[2 * j + 1] == 1) continue;
    const double most =
        dls_snapshot_mu(&g->point, j, true) * lambda[j] + dls_snapshot_given(&g->point, j, true);
    double force = 0;
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) force = hypot(force, tau[k]);
    const double sum = most * most + force * force;
    margin[2 * j + 1] = sum > 0 ? (fabs(most) - force) * (fabs(most) + force) / sum : 0;
  }
}

// --- samples that cost nothing ---

void dls_capture_watch_stages(dls_integrator *g)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  s->gaps_only = g->system->switches == 0;
  for (int j = 0; j < g->system->m; j++)
    if (dls_mode_closed(&w->modes, j) &&
        (g->system->contacts[j].kind != DLS_BILATERAL || g->point.first[j + 1] > g->point.first[j]))
      s->gaps_only = false;
  s->by_stages = s->gaps_only && w->smooth->tableau.samples > 0;
}

void dls_capture_look_at_stage(void *integrator, int stage)
{
  const dls_integrator *g = integrator;
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  const dls_tableau *t = &w->smooth->tableau;
  const ptrdiff_t m = g->system->m;
  for (int k = 0; k < t->samples && s->by_stages; k++) {
    if (t->sample[k] != stage) continue;
    dls_copy(s->stage_gap + k * m, g->point.values->h, m);
    dls_copy(s->stage_rate + k * m, g->point.values->h_dot, m);
  }
}

// Of stage k of the samples, to sample `to`.
static void take_stage(const dls_integrator *g, int k, int to)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  const ptrdiff_t m = g->system->m;
  double *value = row(g, s->value, to), *slope = row(g, s->slope, to);
  for (ptrdiff_t j = 0; j < m; j++) {
    const bool closed = dls_mode_closed(&w->modes, (int)j);
    value[2 * j] = closed ? 1 : s->stage_gap[k * m + j];
    slope[2 * j] = closed ? NAN : s->stage_rate[k * m + j];
    value[2 * j + 1] = 1, slope[2 * j + 1] = NAN;
  }
}

// --- samples ---

// Enters a sample at its place in time; its number, or -1.
static int enter(dls_margin_watch *s, double x)
{
  if (s->count == DLS_CAPTURE_SAMPLES) return -1;
  int place = s->count;
  while (place > 0 && s->at[s->order[place - 1]] > x) {
    s->order[place] = s->order[place - 1];
    place--;
  }
  s->order[place] = s->count;
  s->at[s->count] = x;
  s->staged[s->count] = s->lost[s->count] = false;
  return s->count++;
}

// The trial's begin and end, where margins and rates are known.
static void enter_ends(dls_integrator *g)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  const int begin = enter(s, 0), end = enter(s, 1);
  dls_copy(row(g, s->value, begin), w->margin, w->channels);
  dls_copy(row(g, s->value, end), w->margin1, w->channels);
  smooth_margins(g, w->z, row(g, s->value, begin));
  smooth_margins(g, w->z1, row(g, s->value, end));
  for (int j = 0; j < g->system->m; j++) {
    double *slope = row(g, s->slope, begin) + 2 * j;
    set_slopes(g, j, w->z1, row(g, s->slope, end) + 2 * j);
    slope[0] = dls_mode_closed(&w->modes, j) ? NAN : w->rate[j];
    slope[1] = isnan(row(g, s->slope, end)[2 * j + 1]) ? NAN : 0;
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
      slope[1] += w->modes.xi[k] * w->slip_rate[k];
  }
  for (int c = 2 * g->system->m; c < w->channels; c++)
    row(g, s->slope, begin)[c] = row(g, s->slope, end)[c] = NAN;
}

static bool any_closed(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  for (int j = 0; j < g->system->m; j++)
    if (dls_mode_closed(&w->modes, j)) return true;
  return false;
}

// A sample at the part x of the trial; its number, or -1 when there is none to be had.
static int measure(dls_integrator *g, double x, dls_message *message)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  const double h = w->t1 - w->t;
  const int k = enter(s, x);
  if (k < 0) return -1;
  dls_smooth_inside(w->smooth, x, h, w->q, w->v, w->z, w->q1, w->v1, w->z1, s->q, s->v);
  if (!dls_snapshot_evaluate(&g->point, w->t + x * h, s->q, s->v, message)) return -1;
  if (any_closed(g)) {
    if (!dls_smooth_forces(w->smooth, &w->modes, s->z)) return -1;
    s->lost[k] = w->sign >= 0 && dls_capture_sign(g, w->sign > 0) < 0;
  }
  dls_modes_margins(w->smooth, &w->modes, s->z, row(g, s->value, k));
  smooth_margins(g, s->z, row(g, s->value, k));
  for (int j = 0; j < g->system->m; j++) set_slopes(g, j, s->z, row(g, s->slope, k) + 2 * j);
  for (int c = 2 * g->system->m; c < w->channels; c++) row(g, s->slope, k)[c] = NAN;
  if (!dls_capture_branch_margins(g, w->t + x * h, s->q, s->v, row(g, s->value, k), message))
    return -1;
  return k;
}

// The same; the point stays at the trial's end.
static int take(dls_integrator *g, double x, dls_message *message)
{
  dls_capture *w = g->self;
  dls_values *there = g->point.values;
  g->point.values = w->watch.values;
  const int k = measure(g, x, message);
  g->point.values = there;
  return k;
}

// The slope of margin c at the sample in place i of the order: known, or by the neighbours.
static double slope_at(const dls_integrator *g, int i, int c)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  const double known = row(g, s->slope, s->order[i])[c] * (w->t1 - w->t);
  if (!isnan(known)) return known;
  const int last = s->count - 1, from = i == 0 ? 0 : i == last ? (last > 1 ? last - 2 : 0) : i - 1;
  const int a = s->order[from], b = s->order[from + 1];
  const double fa = row(g, s->value, a)[c], fb = row(g, s->value, b)[c];
  const double ab = (fb - fa) / (s->at[b] - s->at[a]);
  if (from + 2 > last) return ab;
  const int d = s->order[from + 2];
  const double bd = (row(g, s->value, d)[c] - fb) / (s->at[d] - s->at[b]);
  const double second = (bd - ab) / (s->at[d] - s->at[a]), x = s->at[s->order[i]];
  return ab + second * (2 * x - s->at[a] - s->at[b]);
}

typedef struct cubic {
  double length, c[4];  // sum c_k u^k, u from 0 to 1 over this part of the trial
} cubic;

// Of margin c between the samples in the places i and i + 1.
static cubic between(const dls_integrator *g, int i, int c)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  const int a = s->order[i], b = s->order[i + 1];
  const double length = s->at[b] - s->at[a];
  const double f0 = row(g, s->value, a)[c], f1 = row(g, s->value, b)[c];
  const double r0 = slope_at(g, i, c) * length, r1 = slope_at(g, i + 1, c) * length;
  return (cubic){length, {f0, r0, 3 * (f1 - f0) - 2 * r0 - r1, 2 * (f0 - f1) + r0 + r1}};
}

static double at(const cubic *f, double u)
{
  return f->c[0] + u * (f->c[1] + u * (f->c[2] + u * f->c[3]));
}

// Splits the interval in place i at the part x of the trial: the errors of the halves follow from
// what the sample there shows. stage: it is one of the trial's, or -1.
static bool split_at(dls_integrator *g, int i, double x, int stage, dls_message *message)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  const int channels = w->channels, a = s->order[i], b = s->order[i + 1];
  const double u = (x - s->at[a]) / (s->at[b] - s->at[a]);
  double *error = row(g, s->error, a);
  if (stride(g) > 1) dls_clear(error, channels);
  for (int c = 0; c < channels; c += stride(g)) {
    const cubic f = between(g, i, c);
    error[c] = at(&f, u);
  }
  const int k = stage >= 0 ? enter(s, x) : take(g, x, message);
  if (k < 0) return false;
  if (stage >= 0) take_stage(g, stage, k), s->staged[k] = true;
  const double weight = 16 * u * u * (1 - u) * (1 - u);
  if (stride(g) > 1) dls_clear(row(g, s->error, k), channels);
  for (int c = 0; c < channels; c += stride(g)) {
    const double wrong = fabs(error[c] - row(g, s->value, k)[c]) / fmax(weight, LEAST_WEIGHT);
    error[c] = row(g, s->error, k)[c] = wrong / 4;
  }
  return true;
}

static bool split(dls_integrator *g, int i, double u, dls_message *message)
{
  const dls_margin_watch *s = &((dls_capture *)g->self)->watch;
  const double from = s->at[s->order[i]], to = s->at[s->order[i + 1]];
  return split_at(g, i, from + u * (to - from), -1, message);
}

// Where the cubic is smallest between its ends, or 0 when it has no minimum there.
static double smallest(const cubic *f)
{
  const double root = f->c[2] * f->c[2] - 3 * f->c[1] * f->c[3];
  if (!(root >= 0)) return 0;
  const double below = f->c[2] + sqrt(root);  // the minimum is the root at which the slope rises
  const double u = below != 0 ? -f->c[1] / below : 0;
  return u > 0 && u < 1 ? u : 0;
}

// Where margin c may be negative between two samples, as a part of their distance; or 0.
static double doubtful(const dls_integrator *g, int i, int c)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  const double tolerance = dls_capture_tolerance(g, c, true);
  const double error = row(g, s->error, s->order[i])[c];
  const cubic f = between(g, i, c);
  const double f1 = row(g, s->value, s->order[i + 1])[c];
  const double swing = fabs(f.c[1]) + fabs(f.c[2]) + fabs(f.c[3]) + 2 * error;
  if (fmin(f.c[0], f1) - swing > 0) return 0;
  double worst = -tolerance, where = 0;
  for (int k = 0; k < PLACES; k++) {
    const double u = k ? (double)k / PLACES : smallest(&f), x = u * (1 - u);
    if (u == 0) continue;
    const double low = at(&f, u) - 32 * error * x * x;
    if (low < worst && low < f.c[0]) worst = low, where = u;
  }
  return where;
}

static bool may_end(const dls_integrator *g, int c)
{
  const dls_capture *w = g->self;
  if (c >= 2 * g->system->m) return true;
  return w->margin[c] != 1 || w->margin1[c] != 1 || !dls_mode_closed(&w->modes, c / 2);
}

static bool negative(const dls_integrator *g, int k, int c)
{
  const dls_capture *w = g->self;
  const double value = row(g, w->watch.value, k)[c];
  return value < -dls_capture_tolerance(g, c, true) && value < row(g, w->watch.value, 0)[c];
}

// Between 0 and u, where the cubic is negative.
static double root_of(const cubic *f, double u)
{
  double left = 0, right = u;
  for (int k = 0; k < BISECTIONS; k++) {
    const double middle = (left + right) / 2;
    if (at(f, middle) < 0) right = middle;
    else left = middle;
  }
  return right;
}

// The sample in place i + 1 is the first one where something is violated: a time between the root
// and the sample, while gaps still fall, by that part of the way.
static double behind_root(const dls_integrator *g, int i, double way)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  const double begin = s->at[s->order[i]], end = s->at[s->order[i + 1]];
  double first = 1;
  for (int c = 0; c < w->channels; c += stride(g)) {
    if (!negative(g, s->order[i + 1], c)) continue;
    const cubic f = between(g, i, c);
    const double least = smallest(&f), low = least > 0 && at(&f, least) < 0 ? least : 1;
    const double right = root_of(&f, low);
    first = fmin(first, right + way * (low - right));
  }
  return begin + fmin(first, 1) * (end - begin);
}

void dls_capture_note_penetration(dls_integrator *g)
{
  const dls_capture *w = g->self;
  for (int k = 0; k < w->watch.count; k++)
    for (int j = 0; j < g->system->m; j++)
      if (!dls_mode_closed(&w->modes, j) && !w->watch.staged[k])
        g->point.counts.max_penetration =
            fmax(g->point.counts.max_penetration, -row(g, w->watch.value, k)[2 * j]);
}

// How wrong the two first cubics were; without known slopes the first one was a line.
static void note_roughness(dls_integrator *g, const double *first, const double *second)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  s->rough = 0;
  for (int c = 0; c < w->channels; c++) {
    const bool branch = c >= 2 * g->system->m;
    const bool slopes = !isnan(row(g, s->slope, s->order[1])[c]), known = slopes || branch;
    const double wrong = slopes ? fmax(first[c], second[c]) : second[c];
    double size = branch ? 0 : c % 2 == 0 ? g->options.closed : g->options.rest;
    for (int k = 0; k < s->count && known; k++) size = fmax(size, fabs(row(g, s->value, k)[c]));
    if (may_end(g, c) && wrong > 0) s->rough = fmax(s->rough, 4 * wrong / (known ? size : 1));
  }
}

// The first samples, on the dense output: their errors are known, and how rough the margins are.
static bool take_first(dls_integrator *g, dls_message *message)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  if (!split(g, 0, FIRST, message)) return false;
  if (!split(g, 1, (SECOND - FIRST) / (1 - FIRST), message)) return false;
  double *early = row(g, s->error, s->order[0]), *late = row(g, s->error, s->order[2]);
  // two errors may be small by chance
  if (!split(g, 1, (THIRD - FIRST) / (SECOND - FIRST), message)) return false;
  const double *middle = row(g, s->error, s->order[1]);
  for (int c = 0; c < w->channels; c++) late[c] = fmax(late[c], middle[c]);
  note_roughness(g, early, late);
  for (int c = 0; c < w->channels; c++) early[c] = fmax(early[c], late[c]);
  return true;
}

// The stages. Each interval is as wrong as the one that was split last, or its neighbours, or more.
static void take_stages(dls_integrator *g)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  const dls_tableau *t = &w->smooth->tableau;
  for (int k = 0; k < t->samples; k++) {
    int i = 0;
    while (s->at[s->order[i + 1]] < t->c[t->sample[k]]) i++;
    split_at(g, i, t->c[t->sample[k]], k, NULL);
  }
  for (int j = 0; j < g->system->m; j++) {
    double size = g->options.closed, most = 0;
    for (int k = 0; k < s->count; k++) {
      size = fmax(size, fabs(row(g, s->value, k)[2 * j]));
      if (s->at[k] < 1) most = fmax(most, row(g, s->error, k)[2 * j]);
    }
    if (!dls_mode_closed(&w->modes, j)) s->rough = fmax(s->rough, 4 * most / size);
  }
}

bool dls_capture_search(dls_integrator *g, double *part, dls_message *message)
{
  dls_capture *w = g->self;
  dls_margin_watch *s = &w->watch;
  *part = s->behind = 1;
  s->count = 0, s->rough = 0;
  if (w->channels == 0) return true;
  enter_ends(g);
  if (s->by_stages) take_stages(g);
  else if (!take_first(g, message)) return false;
  for (int i = 0; i + 1 < s->count;) {
    const int next = s->order[i + 1];
    if (s->at[next] == 1 && dls_capture_violated_any(g)) break;
    bool found = s->lost[next];
    for (int c = 0; c < w->channels && s->at[next] < 1; c += stride(g))
      found |= negative(g, next, c);
    if (found) {
      *part = s->lost[next] ? s->at[next] : behind_root(g, i, s->by_stages ? NEARER : BEHIND);
      s->behind = s->lost[next] ? s->at[next] : behind_root(g, i, BEHIND);
      return true;
    }
    double where = 0;
    const bool whole = s->at[next] - s->at[s->order[i]] > SHORTEST;
    for (int c = 0; c < w->channels && where == 0 && whole; c += stride(g))
      if (may_end(g, c)) where = doubtful(g, i, c);
    if (where == 0) i++;
    else if (!split(g, i, where, message)) return false;
  }
  return true;
}

double dls_capture_first_root(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_margin_watch *s = &w->watch;
  double first = 1;
  for (int c = 0; c < w->channels; c++) {
    if (!w->violated[c]) continue;
    int i = s->count - 2;
    while (i > 0 && row(g, s->value, s->order[i])[c] < 0) i--;
    const double begin = s->at[s->order[i]], end = s->at[s->order[i + 1]];
    const cubic f = between(g, i, c);
    if (at(&f, 1) < 0) first = fmin(first, begin + root_of(&f, 1) * (end - begin));
  }
  return first;
}
