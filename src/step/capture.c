#include "step/capture.h"

#include "base/memory.h"
#include "base/message.h"
#include "step/tolerances.h"

#include <math.h>

enum { MOST_EVENTS = 20000, MOST_UNDECIDED = 3, PATIENCE = 12 };
// undecided, last, start; the loss; idle; error and length of the last piece; the crowd of events
enum { LOSS = 3, IDLE = LOSS + DLS_LOSS_NUMBERS, ERROR, CROWD = ERROR + 2, MEMORIES = CROWD + 2 };

static const double ROUGH = 0.05;  // margins between samples
static const double SLOWEST = 0.2, FASTEST = 5,
                    SAFETY = 0.9;        // of steps that are chosen
static const double LEAST_ERROR = 1e-4;  // of a piece, that says something of the next one
static const double HALF = 0.5,
                    SHORTER = 0.9;  // of trials that failed, by something or their error

// --- life ---

static void destroy(dls_integrator *g)
{
  dls_capture *w = g->self;
  if (!w) return;
  dls_smooth_free(w->smooth);
  dls_values_free(w->watch.values);
}

static bool take_memory(dls_integrator *g, dls_capture *w)
{
  const ptrdiff_t n = g->system->n, m = g->system->m;
  const ptrdiff_t tangents = g->system->tangents, width = n + m + tangents;
  const ptrdiff_t impulses = g->impulses;
  const ptrdiff_t switches = g->system->switches, channels = 2 * m + switches;
  const ptrdiff_t samples = DLS_CAPTURE_SAMPLES * channels;
  double *x = dls_arena_alloc(g->arena,
                              8 * n + 4 * width + (10 + 2 * DLS_CAPTURE_STAGES) * m + 4 * channels +
                                  3 * impulses + 6 * tangents + 3 * samples + 3 * switches + 1,
                              sizeof(double));
  unsigned char *kinds = dls_arena_alloc(g->arena, 4 * m + 1, 1);
  bool *flags = dls_arena_alloc(g->arena, 7 * m + channels + switches + 1, sizeof(bool));
  dls_remember(g, DLS_MEMORY_WHOLE, MEMORIES);
  dls_remember(g, DLS_MEMORY_CONTACT, 1);
  dls_remember(g, DLS_MEMORY_CONTACT, 1);
  dls_remember(g, DLS_MEMORY_SLIP, 1);
  g->scheme_state = dls_arena_alloc(g->arena, MEMORIES + 2 * m + tangents, sizeof(double));
  if (!x || !kinds || !flags || !g->scheme_state) return false;
  w->q = x, w->v = w->q + n, w->q1 = w->v + n, w->v1 = w->q1 + n;
  w->z = w->v1 + n, w->z1 = w->z + width;
  w->channels = (int)channels;
  w->margin = w->z1 + width, w->margin1 = w->margin + channels;
  w->margin_left = w->margin1 + channels, w->margin_right = w->margin_left + channels;
  w->gap = w->margin_right + channels, w->rate = w->gap + m, w->gap1 = w->rate + m;
  w->rate1 = w->gap1 + m;
  w->impulse = w->rate1 + m, w->part = w->impulse + impulses;
  w->since = w->part + impulses;
  w->modes.side = w->since + impulses, w->modes.xi = w->modes.side + m;
  w->slip = w->modes.xi + tangents, w->slip_rate = w->slip + tangents;
  w->slip1 = w->slip_rate + tangents, w->xi_before = w->slip1 + tangents;
  w->watch.q = w->xi_before + tangents, w->watch.v = w->watch.q + n, w->watch.z = w->watch.v + n;
  w->watch.value = w->watch.z + width, w->watch.slope = w->watch.value + samples;
  w->watch.error = w->watch.slope + samples;
  dls_alternatives *other = &w->alternatives;
  other->z = w->watch.error + samples, other->margin = other->z + width;
  other->modes.side = other->margin + 2 * m, other->modes.xi = other->modes.side + m;
  other->modes.kind = kinds + 3 * m, other->modes.straight = flags + channels + 6 * m;
  w->switches.matters = other->modes.straight + m;
  w->modes.kind = kinds, w->candidate = kinds + m, w->kind_before = kinds + 2 * m;
  w->switches.held = other->modes.xi + tangents, w->switches.there = w->switches.held + switches;
  w->switches.beyond = w->switches.there + switches;
  w->q_whole = w->switches.beyond + switches, w->v_whole = w->q_whole + n;
  w->rate_left = w->v_whole + n, w->rate_right = w->rate_left + m;
  w->watch.stage_gap = w->rate_right + m;
  w->watch.stage_rate = w->watch.stage_gap + DLS_CAPTURE_STAGES * m;
  w->violated = flags, w->on = flags + channels, w->closing = w->on + m, w->active = w->closing + m;
  w->modes.straight = w->active + m, w->slide.turned = w->modes.straight + m;
  w->slide.leaving = w->slide.turned + m;
  return true;
}

// The state of the integrator from that of the scheme, as a moment keeps it.
static void keep_modes(dls_integrator *g)
{
  const dls_capture *w = g->self;
  const dls_values *x = g->point.values;
  const double closed = g->options.closed, rest = g->options.rest;
  g->scheme_state[0] = w->undecided;
  g->scheme_state[1] = w->last;
  g->scheme_state[2] = w->start;
  g->scheme_state[IDLE] = w->idle;
  g->scheme_state[ERROR] = w->error_before;
  g->scheme_state[ERROR + 1] = w->step_before;
  g->scheme_state[CROWD] = (double)w->crowd, g->scheme_state[CROWD + 1] = w->crowd_from;
  dls_loss_keep(g, g->scheme_state + LOSS);
  for (int j = 0; j < g->system->m; j++) {
    g->scheme_state[MEMORIES + j] = w->modes.side[j];
    g->scheme_state[MEMORIES + g->system->m + j] = w->modes.kind[j];
    g->status[j] = w->modes.kind[j];
    if (!w->undecided && dls_modes_at_rest(w->smooth, &w->modes, j, w->z, rest))
      g->status[j] = DLS_STICKING;
    if (dls_mode_closed(&w->modes, j)) continue;
    g->status[j] = x->h[j] > closed      ? DLS_OPEN
                   : x->h_dot[j] < -rest ? DLS_IMPACTING
                                         : DLS_SEPARATING;
  }
  for (int k = 0; k < g->system->tangents; k++)
    g->scheme_state[MEMORIES + 2 * g->system->m + k] = w->modes.xi[k];
}

static void take_modes(dls_integrator *g)
{
  dls_capture *w = g->self;
  w->undecided = g->scheme_state[0] != 0;
  w->last = g->scheme_state[1];
  w->start = g->scheme_state[2];
  w->idle = dls_capture_idle(g->scheme_state[IDLE]);
  w->error_before = g->scheme_state[ERROR], w->step_before = g->scheme_state[ERROR + 1];
  w->crowd = dls_capture_crowd(g->scheme_state[CROWD]), w->crowd_from = g->scheme_state[CROWD + 1];
  dls_loss_recall(g, g->scheme_state + LOSS);
  dls_clear(w->modes.straight, g->system->m);
  for (int j = 0; j < g->system->m; j++) {
    w->modes.side[j] = g->scheme_state[MEMORIES + j];
    const double kind = g->scheme_state[MEMORIES + g->system->m + j];  // perhaps from a file
    w->modes.kind[j] = kind >= DLS_OPEN && kind <= DLS_STICKING ? (unsigned char)kind : DLS_OPEN;
    if (!g->point.absent[j]) continue;
    w->undecided |= dls_mode_closed(&w->modes, j);  // others have its load now
    w->modes.kind[j] = DLS_OPEN;
  }
  for (int k = 0; k < g->system->tangents; k++)
    w->modes.xi[k] = g->scheme_state[MEMORIES + 2 * g->system->m + k];
}

// Modes at the start, where the integrator has sorted the contacts.
static void take_start(dls_integrator *g)
{
  dls_capture *w = g->self;
  const double *slip = g->point.values->slip;
  for (int j = 0; j < g->system->m; j++) {
    const unsigned char status = g->status[j];
    w->modes.kind[j] = status == DLS_SLIDING || status == DLS_STICKING ? status : DLS_OPEN;
    if (status != DLS_SLIDING) continue;
    double size = 0;
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) size = hypot(size, slip[k]);
    for (int k = g->point.first[j]; k < g->point.first[j + 1]; k++) w->modes.xi[k] = slip[k] / size;
  }
}

static dls_status create(dls_integrator *g, dls_message *message)
{
  dls_capture *w = dls_arena_alloc(g->arena, 1, sizeof *w);
  dls_tableau tableau;
  if (!w || !take_memory(g, w)) return DLS_ERR_MEMORY;
  g->self = w;
  if (g->system->tangents > 0) w->sharing = dls_sharing_create(&g->point, g->arena);
  if (g->system->tangents > 0 && !w->sharing) return DLS_ERR_MEMORY;
  if (dls_values_create(g->system, &w->watch.values) != DLS_OK) return DLS_ERR_MEMORY;
  if (!dls_tableau_find(g->scheme->info.name, &tableau)) return DLS_ERR_ARGUMENT;
  w->adaptive = g->options.rtol > 0 || g->options.atol > 0;
  dls_status status = dls_projector_create(&g->point, &g->options, NULL, &g->projector);
  if (status == DLS_OK) status = dls_smooth_create(&g->point, &tableau, &w->smooth, message);
  if (status != DLS_OK) return status;
  w->smooth->rest = g->options.rest;
  w->smooth->look = dls_capture_look_at_stage, w->smooth->self = g;
  // steps are wrong by about the tolerance: no need to solve them much better
  const double tolerance = g->options.rtol > 0 ? g->options.rtol : g->options.atol;
  if (w->adaptive) {
    w->smooth->enough = fmax(w->smooth->enough, stage_of_error * tolerance);
    g->moreau->missed = fmax(g->moreau->missed, stage_of_error * tolerance);
    // critical intervals are far shorter than errors: with theta = 1 the point of the step is its
    // end, and the next piece begins with the numbers of that
    g->moreau->theta = 1, g->moreau->brief = true;
  }
  take_start(g);
  w->start = w->last = w->crowd_from = g->t;
  w->t = g->t;
  w->switches.last = -INFINITY;
  w->undecided = dls_modes_find(g->moreau, w->smooth, &w->modes, w->candidate, w->margin, w->z) !=
                 DLS_FAILURE_NONE;
  w->sign = dls_capture_sign(g, true);
  dls_capture_check_uniqueness(g, true);
  keep_modes(g);
  return DLS_OK;
}

// --- steps ---

// The factor by which the next step may differ, by the error of the trial; 0:
// no error is controlled.
static double factor_of(dls_integrator *g, double *error)
{
  const dls_capture *w = g->self;
  *error = w->adaptive ? dls_capture_error(g) : w->slide.graded ? dls_capture_slide_error(g) : 0;
  if (!w->adaptive && !w->slide.graded) return 0;
  const double power = 1. / (w->smooth->tableau.estimate + 1), h = w->t1 - w->t;
  double factor = SAFETY * pow(1 / *error, power);
  // errors grow from piece to piece: they will go on to                              eq (cap.15)
  if (w->adaptive && w->error_before > 0 && *error > 0)
    factor *= fmin(1, h / w->step_before * pow(w->error_before / *error, power));
  return fmin(FASTEST, fmax(SLOWEST, factor));
}

// A trial towards t1, shorter where the equations of the step are not solved
// or, when errors are controlled, where its error is too large.
static dls_failure try_some(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  bool again = false;
  double whole = g->step;  // what is kept when only the end of the run shortens a step
  for (;;) {
    const double h = t1 - w->t;
    const dls_failure failure = dls_capture_try(g, t1, message);
    double factor = HALF, error;
    if (failure == DLS_FAILURE_NONE) {
      factor = factor_of(g, &error);
      if (factor == 0) return failure;
      if (w->adaptive) w->next = h < whole && factor > 1 ? fmax(whole, h * factor) : h * factor;
      else w->slide.next = h * factor;
      if (again) w->next = fmin(w->next, h);
      if (error <= 1) {
        w->error = fmax(error, LEAST_ERROR), w->step = h;
        return failure;
      }
      factor = fmin(factor, SHORTER);
    }
    g->point.counts.rejected++;
    if (!(h * factor > dls_capture_floor(g)))
      return failure == DLS_FAILURE_NONE ? DLS_FAILURE_STEP : failure;
    t1 = w->t + h * factor;
    whole = 0, again = true;
  }
}

// What a trial turned out to be.
typedef enum outcome { SMOOTH, EVENT, TOO_LONG, FAILED } outcome;

// Events inside the trial, before those that its end shows, are confirmed by a
// trial that ends there. Without patience a trial is taken as it is where it
// cannot be seen through: forces may jump.
static outcome look_inside(dls_integrator *g, bool patient, dls_failure *failure,
                           dls_message *message)
{
  dls_capture *w = g->self;
  const double t1 = w->t1;
  double part;
  const bool seen = dls_capture_search(g, &part, message);
  if (patient && (!seen || w->watch.rough > ROUGH)) return TOO_LONG;
  const double suspect = w->t + part * (t1 - w->t);
  if (part < 1 && suspect - w->t > dls_capture_floor(g)) {
    if (dls_capture_look(g, suspect, message) != DLS_FAILURE_NONE) return TOO_LONG;
    if (dls_capture_violated_any(g)) return EVENT;
    if (w->watch.behind > part) {
      if (dls_capture_look(g, w->t + w->watch.behind * (t1 - w->t), message) != DLS_FAILURE_NONE)
        return TOO_LONG;
      if (dls_capture_violated_any(g)) return EVENT;
    }
    *failure = dls_capture_look(g, t1, message);
    if (*failure != DLS_FAILURE_NONE) return FAILED;
  }
  if (dls_capture_violated_any(g)) return EVENT;
  if (patient && dls_capture_peaks(g)) return TOO_LONG;
  return dls_capture_friction_drives(g) || dls_capture_pulls(g) ? TOO_LONG : SMOOTH;
}

// The trial becomes a part of the motion; the next one is not much longer than
// margins allow.
static void accept(dls_integrator *g)
{
  dls_capture *w = g->self;
  const double h = w->t1 - w->t, most = cbrt(ROUGH / 2 / w->watch.rough);
  if (w->adaptive && most < FASTEST) w->next = fmin(w->next, fmax(most, HALF) * h);
  w->error_before = w->error, w->step_before = w->step;
  dls_capture_note_penetration(g);
  dls_capture_accept(g);
}

static dls_failure go_to_begin(dls_integrator *g, dls_message *message)
{
  const dls_capture *w = g->self;
  return dls_snapshot_evaluate(&g->point, w->t, w->q, w->v, message) ? DLS_FAILURE_NONE
                                                                     : DLS_FAILURE_NUMBER;
}

// Contacts that the trial shows and the piece does not have: it ends before them, *t1, or they are
// as near as an event.                                                               eq (cap.16)
static dls_failure look_for_others(dls_integrator *g, bool *found, double *t1, dls_message *message)
{
  dls_capture *w = g->self;
  double part = INFINITY;
  *found = false;
  if (!g->set || !(w->t1 > w->t)) return DLS_FAILURE_NONE;
  const dls_failure failure = dls_capture_find_others(g, &part, message);
  if (failure != DLS_FAILURE_NONE || isinf(part)) return failure;
  w->cut = true;
  const double way = part * (w->t1 - w->t);
  *found = way > dls_capture_critical(g);
  if (*found) *t1 = w->t + way / 2;
  return DLS_FAILURE_NONE;
}

// Contacts are others than the piece was tried with: from its begin.
static dls_failure try_again(dls_integrator *g, dls_message *message)
{
  g->point.counts.rejected++;
  const dls_failure failure = go_to_begin(g, message);
  return failure == DLS_FAILURE_NONE ? dls_capture_begin(g) : failure;
}

// The critical interval at the end of the trial, which holds an event. *again: there is none, since
// contacts are others.
static dls_failure meet_event(dls_integrator *g, bool *again, double *t1, dls_message *message)
{
  dls_capture *w = g->self;
  double left, right;
  const double begin = w->t;
  *again = false;
  dls_failure failure = dls_capture_locate(g, &left, &right, message);
  if (failure == DLS_FAILURE_NONE && left > begin) failure = look_for_others(g, again, t1, message);
  if (failure == DLS_FAILURE_NONE && !*again && g->set)
    failure = dls_capture_drop_false(g, again, message);
  if (failure == DLS_FAILURE_NONE && *again) return try_again(g, message);
  if (failure == DLS_FAILURE_NONE && left == begin) failure = go_to_begin(g, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  const bool lost = w->lost;
  if (left > begin) dls_capture_accept(g);
  if (lost) {
    w->sign = -1;
    dls_capture_check_uniqueness(g, false);
    if (dls_capture_stops(g)) return DLS_FAILURE_NONE;
  }
  return dls_capture_cross(g, right, w->channel, message);
}

// Where no modes agree, velocities must jump: a critical interval at once.
static dls_failure jump(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  dls_clear(w->closing, g->system->m);
  const dls_failure failure = go_to_begin(g, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  return dls_capture_cross(g, fmin(t1, w->t + fmax(dls_capture_critical(g), dls_capture_least(g))),
                           -1, message);
}

// A smooth piece towards t1, and the critical interval at its end when there is
// an event.
static dls_failure piece(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  dls_failure failure = dls_capture_slide_begin(g);
  const double end = t1;
  int patience = PATIENCE;
  while (failure == DLS_FAILURE_NONE) {
    int stops;
    const double limit = dls_capture_slide_limit(g, t1, &stops);
    if (stops >= 0) {
      dls_clear(w->closing, g->system->m);
      failure = go_to_begin(g, message);
      if (failure != DLS_FAILURE_NONE) return failure;
      return dls_capture_cross(g, limit, 2 * stops + 1, message);
    }
    failure = try_some(g, limit, message);
    if (failure == DLS_FAILURE_STEP && !w->adaptive) return jump(g, end, message);
    if (failure != DLS_FAILURE_NONE) return failure;
    const bool turned = patience > 0 && dls_capture_slide_turned(g);
    const outcome what = turned ? TOO_LONG : look_inside(g, patience > 0, &failure, message);
    if (what == FAILED) return failure;
    bool again = false;
    if (what == EVENT) {
      failure = meet_event(g, &again, &t1, message);
      if (!again) return failure;
      continue;
    }
    if (what == SMOOTH) {
      failure = look_for_others(g, &again, &t1, message);
      if (failure == DLS_FAILURE_NONE && !again && g->set) failure = dls_capture_leave(g, message);
      if (failure != DLS_FAILURE_NONE) return failure;
      if (again) {
        g->point.counts.rejected++;
        continue;
      }
      accept(g);
      return DLS_FAILURE_NONE;
    }
    g->point.counts.rejected++;
    patience--;
    if (!turned) t1 = w->t + (w->t1 - w->t) / 2;
    // no piece is smooth enough: a critical interval leads on
    if (patience < -PATIENCE || !(t1 - w->t > dls_capture_floor(g))) return jump(g, end, message);
  }
  return failure;
}

static dls_failure go(dls_integrator *g, double t1, dls_message *message)
{
  dls_capture *w = g->self;
  int undecided = 0;
  for (int count = 0; w->t < t1 && !dls_capture_stops(g); count++) {
    if (count == MOST_EVENTS) {
      dls_fail(message, DLS_OK, "more than %d events in one step, the last one at %.9g", count,
               w->t);
      return DLS_FAILURE_STEP;
    }
    dls_failure failure;
    dls_capture_note_crowd(g);
    if (dls_capture_crowded(g)) {
      undecided = 0;
      g->point.counts.coarse++;
      failure = jump(g, t1, message);
    } else if (w->undecided) {
      if (++undecided > MOST_UNDECIDED) {
        dls_fail(message, DLS_OK, "no modes of the contacts agree at %.9g", w->t);
        return DLS_FAILURE_CONTACT;
      }
      failure = jump(g, t1, message);
    } else {
      undecided = 0;
      failure = piece(g, t1, message);
    }
    if (failure != DLS_FAILURE_NONE) return failure;
    if (w->cut || (w->adaptive && !w->undecided)) break;
  }
  return DLS_FAILURE_NONE;
}

static dls_failure advance_held(dls_integrator *g, double t1, double *end, dls_message *message)
{
  dls_capture *w = g->self;
  const ptrdiff_t n = g->system->n;
  w->t = g->t, w->next = g->step, w->slide.next = 0, w->cut = false;
  dls_copy(w->q, g->q, n);
  dls_copy(w->v, g->v, n);
  dls_clear(w->impulse, g->impulses);
  take_modes(g);
  w->error = w->error_before, w->step = w->step_before;  // until a trial has its own
  if (!dls_capture_hold(g, w->t, w->q, w->v, NULL, message)) return DLS_FAILURE_NUMBER;
  dls_failure failure = w->undecided ? DLS_FAILURE_NONE : dls_capture_begin(g);
  if (failure == DLS_FAILURE_NONE) dls_capture_check_uniqueness(g, false);
  if (failure == DLS_FAILURE_NONE && dls_capture_stops(g)) return DLS_FAILURE_UNIQUENESS;
  if (failure == DLS_FAILURE_NONE) failure = go(g, t1, message);
  if (failure != DLS_FAILURE_NONE) return failure;
  if (!(w->t > g->t)) return DLS_FAILURE_UNIQUENESS;  // at once
  *end = w->t;
  dls_copy(g->q1, w->q, n);
  dls_copy(g->v1, w->v, n);
  dls_copy(g->impulse1, w->impulse, g->impulses);
  g->step = w->cut ? fmax(w->next, g->step) : w->next;
  keep_modes(g);
  return DLS_FAILURE_NONE;
}

static dls_failure advance(dls_integrator *g, double t1, double *end, dls_message *message)
{
  const dls_failure failure = advance_held(g, t1, end, message);
  dls_capture_release(g);
  return failure;
}

#define ROW(name, label, order, summary)                                            \
  const dls_scheme name = {{label, summary ", events located", order, true, false}, \
                           create,                                                  \
                           destroy,                                                 \
                           advance,                                                 \
                           true,                                                    \
                           NULL}

ROW(dls_scheme_radau3, "radau3", 3, "Radau IIA with two stages");
ROW(dls_scheme_radau5, "radau5", 5, "Radau IIA with three stages");
ROW(dls_scheme_lobatto2, "lobatto2", 2, "Lobatto IIIA with two stages");
ROW(dls_scheme_lobatto4, "lobatto4", 4, "Lobatto IIIA with three stages");
ROW(dls_scheme_lobatto6, "lobatto6", 6, "Lobatto IIIA with four stages");
ROW(dls_scheme_herk2, "herk2", 2, "half-explicit Heun");
ROW(dls_scheme_herk3, "herk3", 3, "half-explicit Bogacki-Shampine");
ROW(dls_scheme_herk4, "herk4", 4, "half-explicit Runge-Kutta");
ROW(dls_scheme_herk5, "herk5", 5, "half-explicit Dormand-Prince");
ROW(dls_scheme_herk8, "herk8", 8, "half-explicit Dormand-Prince 8(5,3)");
