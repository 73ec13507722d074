// Events of the event-capturing schemes: where they are, and what is left after them.
#include "step/capture.h"

#include "base/memory.h"
#include "linalg/length.h"
#include "step/spare.h"
#include "step/tolerances.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 200, ROOT_STEPS = 12 };
// Pieces and events within a step that are a crowd; so many more double the critical intervals, and
// they begin so many doublings below the step.
enum { MANY = 100, MANY_PER_CONTACT = 10, DOUBLING = 8, DOUBLINGS = 20 };

static const double BESIDE = 0.4;   // of a critical interval: trials around a root
static const double CERTAIN = 0.1;  // of a rate: what it may change by, so that its sign is known
static const double SOON = 1000;    // shortest intervals: an event so soon after the last one
enum { MOST_IDLE = 40 };            // doublings of the shortest interval

// --- location ---

// Where Hermite's cubic vanishes, from a >= 0 to b < 0 with the slopes ra and rb over an interval
// of length one: by Newton's method inside a bracket.
static double cubic_root(double a, double ra, double b, double rb)
{
  const double c2 = 3 * (b - a) - 2 * ra - rb, c3 = 2 * (a - b) + ra + rb;
  double low = 0, high = 1, u = a / (a - b);
  for (int k = 0; k < ROOT_STEPS; k++) {
    const double f = a + u * (ra + u * (c2 + u * c3)), slope = ra + u * (2 * c2 + 3 * u * c3);
    if (f < 0) high = u;
    else low = u;
    const double next = slope != 0 ? u - f / slope : low;
    u = next > low && next < high ? next : (low + high) / 2;
  }
  return u;
}

// Where the margins that are violated at the right end vanish first, by the secant, or, on dense
// output, by the rates of gaps; weight: those of Illinois' method for an end that stays.
static double first_root(const dls_integrator *g, double left, double right, double weight_left,
                         double weight_right, const bool *violated)
{
  const dls_capture *w = g->self;
  double first = right;
  for (int k = 0; k < w->channels; k++) {
    if (!violated[k]) continue;
    const double a = weight_left * fmax(w->margin_left[k], 0);
    const double b = weight_right * w->margin_right[k], h = right - left;
    if (dls_capture_is_dense(g)) {  // gaps
      const double root = cubic_root(fmax(w->margin_left[k], 0), h * w->rate_left[k / 2],
                                     w->margin_right[k], h * w->rate_right[k / 2]);
      first = fmin(first, left + h * root);
      continue;
    }
    first = fmin(first, left + (right - left) * a / (a - b));
  }
  return first;
}

static void note_right(const dls_integrator *g, bool *violated)
{
  dls_capture *w = g->self;
  dls_copy(w->margin_right, w->margin1, w->channels);
  dls_copy(w->rate_right, w->rate1, g->system->m);
  for (int k = 0; k < w->channels; k++) violated[k] = dls_capture_violated(g, k);
  dls_capture_note_beyond(g);
}

static void note_left(const dls_integrator *g, const double *margin, const double *rate)
{
  const dls_capture *w = g->self;
  dls_copy(w->margin_left, margin, w->channels);
  dls_copy(w->rate_left, rate, g->system->m);
}

static bool any_margin(const dls_integrator *g, const bool *violated)
{
  const dls_capture *w = g->self;
  for (int k = 0; k < w->channels; k++)
    if (violated[k]) return true;
  return false;
}

// The next time to try: the root of what is known, a little before or behind it, so that both ends
// of the bracket come near: by turns, or on the side that the last one has not been on; every
// fourth time the middle.
static double next_trial(const dls_integrator *g, int count, int last, double left, double right,
                         const double weight[2], double critical, const bool *violated)
{
  const double middle = left + (right - left) / 2;
  const bool behind = dls_capture_is_dense(g) ? last < 0 : count % 2 == 1;
  if (count % 4 == 3 || weight[1] == 0) return middle;
  const double root = first_root(g, left, right, weight[0], weight[1], violated);
  const double trial = root + (behind ? BESIDE : -BESIDE) * critical;
  return trial > left && trial < right ? trial : middle;
}

// The time in which a violated gap moves by a part of what its coordinates may be wrong by: walls
// may be fast.
static double gap_length(const dls_integrator *g, double length)
{
  const dls_capture *w = g->self;
  const dls_integrator_options *o = &g->options;
  const dls_pattern *G = &g->system->normal;
  for (int j = 0; j < g->system->m; j++) {
    double sum = 0;
    if (!w->violated[2 * j] || dls_mode_closed(&w->modes, j)) continue;
    for (int e = G->p[j]; e < G->p[j + 1]; e++)
      sum += fabs(g->point.values->G[e]) * (o->atol + o->rtol * fabs(w->q[G->i[e]]));
    length = fmin(length, located_of_error * sum / fabs(w->rate_right[j]));
  }
  return length;
}

// How long the critical interval may be: a small part of the time since the last one, too. A
// contact that is put back after it gains energy in proportion to its length, and flights that
// become shorter and shorter would stop to do so.
// Where errors are controlled, it is shorter than what coordinates and gaps may be wrong by.
static double length_before(const dls_integrator *g, double right)
{
  const dls_capture *w = g->self;
  double length = dls_capture_critical(g);
  const bool dense = dls_capture_is_dense(g);
  if (w->adaptive) length *= dense ? located_of_critical : located_without_dense;
  if (w->adaptive) length = gap_length(g, length);
  return fmax(fmin(length, critical_of_time * (right - w->last)), dls_capture_floor(g));
}

int dls_capture_crowd(double kept)
{
  return kept >= 0 && kept <= INT_MAX / 2 ? (int)kept : 0;
}

// A body that rattles on its corners, or where its friction and its normal force hold each other
// off, has events without end. Where solids come and go critical intervals follow each other then,
// longer and longer, up to the step itself.                                          eq (cap.17)
static double crowd_length(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const int many = w->crowd - MANY - MANY_PER_CONTACT * g->m;
  if (!g->set || many <= 0) return 0;
  return g->options.step * fmin(1, exp2((double)many / DOUBLING - DOUBLINGS));
}

void dls_capture_note_crowd(dls_integrator *g)
{
  dls_capture *w = g->self;
  if (w->t - w->crowd_from > g->options.step) w->crowd = 0, w->crowd_from = w->t;
  if (w->crowd < INT_MAX / 2) w->crowd++;
}

bool dls_capture_crowded(const dls_integrator *g)
{
  return crowd_length(g) > dls_capture_critical(g);
}

int dls_capture_idle(double kept)
{
  return kept >= 0 && kept <= MOST_IDLE ? (int)kept : 0;
}

// Steps of stiff systems may be so short that coordinates do not move beyond their rounding: forces
// then stay what they were, and the same event comes again and again. Intervals that change nothing
// become longer.                                                                    eq (cap.14)
double dls_capture_least(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  const double length = w->idle > 0 ? ldexp(dls_capture_floor(g), w->idle) : 0;
  return fmax(length, crowd_length(g));
}

// The trial is at the left end. Are the violated gaps seen to vanish within a critical interval, by
// their rates? Those that do not yet are violated no more, and nobody needs to look there.
static bool ends_soon(const dls_integrator *g, double critical)
{
  const dls_capture *w = g->self;
  bool any = false;
  if (!dls_capture_is_dense(g) || w->lost) return false;
  for (int k = 0; k < w->channels; k++) {
    if (!w->violated[k]) continue;
    if (k >= 2 * g->system->m || k % 2 == 1 || dls_mode_closed(&w->modes, k / 2)) return false;
    const double a =
        dls_snapshot_Jt_times(&g->point, k / 2, 0, w->z1) + g->point.values->b_n[k / 2];
    const double rate = w->rate1[k / 2];
    if (!(rate < 0 && fabs(a) * critical <= CERTAIN * -rate)) return false;
    any |= w->margin1[k] + (1 - CERTAIN) * rate * critical < 0;
  }
  for (int k = 0; k < w->channels && any; k++)
    w->violated[k] =
        w->violated[k] && w->margin1[k] + (1 - CERTAIN) * w->rate1[k / 2] * critical < 0;
  return any;
}

// The root by the samples of the trial, where its end is what is violated; a little before.
static double first_guess(const dls_integrator *g, double critical)
{
  const dls_capture *w = g->self;
  if (!dls_capture_is_dense(g) || w->t1 != w->whole) return w->t;
  return w->t + dls_capture_first_root(g) * (w->t1 - w->t) - BESIDE * critical;
}

dls_failure dls_capture_locate(dls_integrator *g, double *left, double *right, dls_message *message)
{
  dls_capture *w = g->self;
  const double begin = w->t, end = w->t1;
  double weight[2] = {1, 1};
  int last = 0;
  *left = begin, *right = w->t1;
  w->lost = dls_capture_lost(g);
  note_left(g, w->margin, w->rate);
  note_right(g, w->violated);
  double critical = length_before(g, w->t1);
  double guess = first_guess(g, critical);
  for (int count = 0; *right - *left > critical; count++) {
    if (count == MOST_TRIALS) return DLS_FAILURE_STEP;
    if (!any_margin(g, w->violated)) weight[1] = 0;
    double t1 = next_trial(g, count, last, *left, *right, weight, critical, w->violated);
    if (guess > *left && guess < *right) t1 = guess;
    guess = 0;
    if (!(t1 > *left && t1 < *right)) break;
    if (dls_capture_look(g, t1, message) != DLS_FAILURE_NONE) {  // something happens before
      *right = t1, weight[1] = 0;
      continue;
    }
    const int side = dls_capture_violated_any(g) ? 1 : -1;
    if (side > 0) {
      *right = t1;
      w->lost = dls_capture_lost(g);
      note_right(g, w->violated);
    } else {
      *left = t1;
      note_left(g, w->margin1, w->rate1);
      if (t1 + critical < *right && ends_soon(g, critical)) {
        *right = t1 + critical;
        break;
      }
    }
    critical = length_before(g, *right);
    weight[0] = side > 0 && last > 0 ? weight[0] / 2 : 1;
    weight[1] = side < 0 && last < 0 ? weight[1] / 2 : 1;
    last = side;
  }
  w->left = *left, w->bracket = *right - *left;
  *right = fmax(*right, fmin(end, *left + dls_capture_least(g)));
  w->channel = -1;
  double first = INFINITY;
  for (int j = 0; j < g->system->m; j++)
    w->closing[j] = w->violated[2 * j] && !dls_mode_closed(&w->modes, j);
  for (int k = 0; k < w->channels; k++) {
    if (!w->violated[k]) continue;
    const double a = fmax(w->margin_left[k], 0), root = a / (a - w->margin_right[k]);
    if (root < first) first = root, w->channel = k;
  }
  return *left > begin && w->t1 != *left ? dls_capture_look(g, *left, message) : DLS_FAILURE_NONE;
}

// --- what is left ---

static double slip_speed(const dls_integrator *g, int j)
{
  const int k = g->point.first[j], tangents = g->point.first[j + 1] - k;
  const double *slip = g->point.values->slip;
  return tangents == 0 ? 0 : tangents == 1 ? fabs(slip[k]) : dls_length(slip[k], slip[k + 1]);
}

// Does the impulse of the critical interval lie inside the cone?
static bool held_fast(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const int first = g->point.first[j], end = g->point.first[j + 1];
  const double *p = w->part + j + first;
  const dls_step_problem *c = g->moreau->contacts;
  double force = 0;
  for (int k = 0; k < end - first; k++) force = hypot(force, p[1 + k]);
  return dls_step_problem_inside(c, c->of[j], p[0], force, slip_speed(g, j));
}

// Closed contacts after the critical interval stick, which is what is at rest, or slide.
static void set_closed(const dls_integrator *g, int j, double rest)
{
  const dls_capture *w = g->self;
  const int first = g->point.first[j], end = g->point.first[j + 1];
  const double speed = slip_speed(g, j);
  w->modes.kind[j] = DLS_STICKING;
  if (end == first || speed <= rest || held_fast(g, j)) return;
  w->modes.kind[j] = DLS_SLIDING;
  for (int k = first; k < end; k++) w->modes.xi[k] = g->point.values->slip[k] / speed;
}

static void sort_contacts(dls_integrator *g, double rest)
{
  dls_capture *w = g->self;
  const dls_step_problem *c = g->moreau->contacts;
  for (int j = 0; j < g->system->m; j++) {
    const bool bilateral = g->system->contacts[j].kind == DLS_BILATERAL;
    const bool there = g->point.values->h[j] < DLS_FAR_APART;
    const bool active = bilateral || (there && c->of[j] >= 0 && c->active[c->of[j]]);
    w->active[j] = active;
    if (!active) w->modes.kind[j] = DLS_OPEN;
    else if (!bilateral && g->point.values->h_dot[j] > rest) w->modes.kind[j] = DLS_SEPARATING;
    else set_closed(g, j, rest);
  }
}

// Back onto the constraints of the contacts that are closed, and out of those that penetrate.
static dls_failure settle(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  for (int j = 0; j < g->system->m; j++)
    w->on[j] = dls_mode_closed(&w->modes, j) || (w->active[j] && g->point.values->h[j] < 0);
  dls_copy(w->watch.q, w->q1, g->system->n);
  if (!dls_projector_positions(&g->projector, w->on, t1, w->q1, w->v1, message)) {
    if (!g->set || g->point.trouble != DLS_OK) return DLS_FAILURE_CONSTRAINT;
    // features that meet in no point near by: the contacts are looked for again where it stands
    w->cut = true;
    dls_copy(w->q1, w->watch.q, g->system->n);
    if (!dls_snapshot_evaluate(&g->point, t1, w->q1, w->v1, message)) return DLS_FAILURE_NUMBER;
  }
  return dls_smooth_project_velocities(w->smooth, &w->modes, smooth_of_rate * g->projector.rate, t1,
                                       w->q1, w->v1, message);
}

// What rounding makes of a gap at the trial's end.
static double rounding_of_gap(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  const dls_pattern *normal = &g->system->normal;
  double sum = 0;
  for (int e = normal->p[j]; e < normal->p[j + 1]; e++)
    sum += fabs(g->point.values->G[e] * w->q1[normal->i[e]]);
  return gap_rounding * sum;
}

// Contacts that would fly for less than a critical interval, or no higher than rounding, are closed
// at once: the end of accumulations.                                                 eq (cap.4)
static bool end_flights(dls_integrator *g, double rest)
{
  dls_capture *w = g->self;
  const double critical = fmax(dls_capture_critical(g), crowd_length(g));
  bool any = false;
  for (int j = 0; j < g->system->m; j++) {
    if (!w->active[j] || dls_mode_closed(&w->modes, j)) continue;
    const double rate = g->point.values->h_dot[j];
    const double a = dls_snapshot_Jt_times(&g->point, j, 0, w->z) + g->point.values->b_n[j];
    if (!(rate > 0 && a < 0)) continue;
    if (2 * rate >= -a * critical && rate * rate >= -2 * a * rounding_of_gap(g, j)) continue;
    set_closed(g, j, rest);
    any = true;
  }
  return any;
}

static dls_failure find_modes(dls_integrator *g, double t1, double rest, dls_message *message)
{
  dls_capture *w = g->self;
  for (int k = 0; k <= g->system->m; k++) {
    dls_failure failure = settle(g, t1, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    failure = dls_modes_find(g->moreau, w->smooth, &w->modes, w->candidate, w->margin, w->z);
    w->undecided = failure == DLS_FAILURE_CONTACT;
    if (w->undecided) return DLS_FAILURE_NONE;
    if (failure != DLS_FAILURE_NONE) return failure;
    if (!end_flights(g, rest)) break;
  }
  return DLS_FAILURE_NONE;
}

// --- telling ---

// Does contact j slide the other way than before the interval?
static bool turned_back(const dls_integrator *g, int j)
{
  const dls_capture *w = g->self;
  double along = 0;
  for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++)
    along += w->xi_before[k] * w->modes.xi[k];
  return w->modes.kind[j] == DLS_SLIDING && along < 0;
}

static bool event_kind(const dls_integrator *g, int channel, dls_event_kind *kind)
{
  const dls_capture *w = g->self;
  const int j = channel / 2;
  const unsigned char before = w->kind_before[j], after = w->modes.kind[j];
  const bool closed = before == DLS_SLIDING || before == DLS_STICKING;
  if (!closed) {
    *kind = fabs(w->rate[j]) > g->options.rest ? DLS_EVENT_IMPACT : DLS_EVENT_TOUCH;
    return true;
  }
  if (!dls_mode_closed(&w->modes, j)) *kind = DLS_EVENT_TAKE_OFF;
  else if (channel % 2 == 0) return false;
  else if (before == after && !turned_back(g, j)) return false;
  else *kind = after == DLS_STICKING ? DLS_EVENT_STICK : DLS_EVENT_SLIP;
  return true;
}

// The margin of a contact that has changed its mode in the interval, or -1, as where the modes are
// not known.
static int changed(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  if (w->undecided) return -1;
  for (int j = 0; j < g->system->m; j++) {
    const bool before = w->kind_before[j] == DLS_SLIDING || w->kind_before[j] == DLS_STICKING;
    if (before != dls_mode_closed(&w->modes, j)) return 2 * j;
    if (before && w->kind_before[j] != w->modes.kind[j]) return 2 * j + 1;
  }
  return -1;
}

static void tell(dls_integrator *g, int channel, double t1)
{
  dls_capture *w = g->self;
  const bool branch = channel >= 2 * g->system->m;
  dls_event event = {.kind = DLS_EVENT_SWITCH,
                     .contact = branch ? -1 : channel / 2,
                     .t = t1,
                     .q = w->q1,
                     .v_before = w->v,
                     .v_after = w->v1,
                     .impulse = w->part,
                     .since = w->since};
  if (channel < 0 || (!branch && !event_kind(g, channel, &event.kind))) return;
  for (int k = 0; k < g->impulses; k++) w->since[k] = g->total[k] + w->impulse[k];
  g->point.counts.events++;
  dls_integrator_tell(g, &event);
}

// What the interval begins with; the largest rate or slip velocity.
static double note_before(dls_integrator *g)
{
  dls_capture *w = g->self;
  const ptrdiff_t m = g->system->m, tangents = g->system->tangents;
  double ref = 0;
  dls_copy(w->kind_before, w->modes.kind, m);
  dls_copy(w->xi_before, w->modes.xi, tangents);
  dls_copy(w->slip, g->point.values->slip, tangents);
  dls_copy(w->rate, g->point.values->h_dot, m);
  for (int j = 0; j < g->system->m; j++) {
    ref = fmax(ref, fmax(fabs(w->rate[j]), slip_speed(g, j)));
    // what is closed takes part, though its gap may not be known to the tolerance
    w->closing[j] |= dls_mode_closed(&w->modes, j);
  }
  return ref;
}

// Has the interval, which was that of a closed contact's margin, left all modes as they were, soon
// after the last one?
static bool is_idle(const dls_integrator *g, int channel)
{
  const dls_capture *w = g->self;
  const int m = g->system->m;
  if (w->undecided || channel < 0 || channel >= 2 * m || !dls_mode_closed(&w->modes, channel / 2))
    return false;
  return memcmp(w->kind_before, w->modes.kind, dls_bytes(m, 1)) == 0 &&
         w->t - w->last <= SOON * dls_capture_floor(g);
}

static dls_failure meet_modes(dls_integrator *g, double t1, double ref, int channel,
                              dls_message *message)
{
  dls_capture *w = g->self;
  const ptrdiff_t n = g->system->n;
  const double rest = g->options.rest + rest_by_tolerance * g->options.tolerance * ref;
  const bool known = !w->undecided;
  const int branch = channel - 2 * g->system->m;
  bool switched;
  if (!dls_capture_hold(g, t1, w->q1, w->v1, &switched, message)) return DLS_FAILURE_NUMBER;
  if (!switched && branch >= 0) {
    dls_capture_go_beyond(g, branch);
    switched = true;
  }
  if (switched && !dls_snapshot_evaluate(&g->point, t1, w->q1, w->v1, message))
    return DLS_FAILURE_NUMBER;
  sort_contacts(g, rest);
  const dls_failure failure = find_modes(g, t1, rest, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (channel < 0 && known) channel = changed(g);
  tell(g, channel, t1);
  if (branch >= 0) {
    if (!dls_capture_switched(g, t1, message)) return DLS_FAILURE_STEP;
    channel = known ? changed(g) : -1;
    tell(g, channel, t1);
  }
  w->idle = is_idle(g, channel) && w->idle < MOST_IDLE ? w->idle + 1 : 0;
  for (int k = 0; k < g->impulses; k++) w->impulse[k] += w->part[k];
  w->t = w->last = t1;
  dls_copy(w->q, w->q1, n);
  dls_copy(w->v, w->v1, n);
  if (w->undecided) return DLS_FAILURE_NONE;
  w->sign = dls_capture_sign(g, true);
  dls_capture_note(g);
  dls_capture_check_take_off(g, channel);
  dls_capture_check_uniqueness(g, true);
  const dls_state at = {w->t, w->q, w->v};
  if (!dls_spare_again(g, w->modes.kind, &at, message)) return DLS_FAILURE_NUMBER;
  return g->point.spares > 0 ? dls_capture_begin(g) : DLS_FAILURE_NONE;
}

// Does the interval begin with a contact that approaches?
static bool hits(const dls_integrator *g)
{
  const dls_capture *w = g->self;
  for (int j = 0; j < g->system->m; j++)
    if (w->closing[j] && !dls_mode_closed(&w->modes, j) && w->rate[j] < -g->options.rest)
      return true;
  return false;
}

dls_failure dls_capture_cross(dls_integrator *g, double t1, int channel, dls_message *message)
{
  dls_capture *w = g->self;
  const double ref = note_before(g);
  dls_spare_restore(g);
  dls_clear(w->part, g->impulses);
  g->moreau->closing = w->closing;
  g->moreau->status = w->kind_before;
  if (g->moreau->grips) g->moreau->grips->instant = hits(g);
  const dls_failure failure =
      dls_moreau_step(g->moreau, w->t, t1 - w->t, w->q, w->v, w->part, w->q1, w->v1, message);
  g->moreau->closing = NULL;
  if (failure != DLS_FAILURE_NONE) return failure;
  if (channel < 0 && !dls_capture_crowded(g)) dls_capture_check_jump(g, t1 - w->t);
  if (!dls_capture_stops(g)) return meet_modes(g, t1, ref, channel, message);
  // it stays where it was
  return dls_snapshot_evaluate(&g->point, w->t, w->q, w->v, message) ? DLS_FAILURE_NONE
                                                                     : DLS_FAILURE_NUMBER;
}
