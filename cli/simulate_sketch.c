// A motion in columns of time. See simulate_sketch.h.
#include "simulate_sketch.h"

#include <math.h>
#include <stdlib.h>

static bool is_curve(const channel *c)
{
  return c->kind != CHANNEL_FORCE && c->kind != CHANNEL_IMPULSE;
}

void sketch_free(sketch *s)
{
  if (!s) return;
  for (int i = 0; s->phase && i < s->choice->phases; i++) {
    free(s->phase[i].x);
    free(s->phase[i].y);
  }
  dls_values_free(s->values);
  free(s->phase);
  free(s->now);
  free(s->last);
  free(s->curve);
  free(s->force);
  free(s->stem);
  free(s->band);
  free(s);
}

// A joint without friction does nothing but hold.
static bool only_holds(const dls_contact_info *contact)
{
  return contact->kind == DLS_BILATERAL && contact->tangents == 0;
}

static void choose_bands(sketch *s)
{
  for (int j = 0; j < s->system->m && !s->choice->chosen; j++) {
    if (only_holds(&s->system->contacts[j])) continue;
    if (s->bands < BANDS) s->band_of[s->shown_bands++] = j;
    s->bands++;
  }
}

static bool make_phases(sketch *s)
{
  const int phases = s->choice->phases;
  s->phase = calloc((size_t)phases + 1, sizeof *s->phase);
  for (int i = 0; s->phase && i < phases; i++) {
    s->phase[i].stride = 1;
    s->phase[i].x = calloc(PHASE_POINTS, sizeof(double));
    s->phase[i].y = calloc(PHASE_POINTS, sizeof(double));
    if (!s->phase[i].x || !s->phase[i].y) return false;
  }
  return s->phase;
}

sketch *sketch_create(const dls_system *system, const plot_choice *choice, double t, double high)
{
  static const double finest = 1048576;  // the columns begin so much narrower than they may become
  sketch *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  const size_t channels = (size_t)choice->channels + 1, cells = channels * COLUMNS;
  s->system = system;
  s->choice = choice;
  s->begin = t;
  s->width = fmax((high - t) / COLUMNS / finest, 1e-300);
  choose_bands(s);
  bool evaluates = false;
  for (int k = 0; k < choice->channels; k++) {
    const channel_kind kind = choice->channel[k].kind;
    evaluates = evaluates || kind == CHANNEL_GAP || kind == CHANNEL_RATE || kind == CHANNEL_SLIP;
  }
  s->now = calloc(channels, sizeof *s->now);
  s->last = calloc(channels, sizeof *s->last);
  s->curve = calloc(cells, sizeof *s->curve);
  s->force = calloc(cells, sizeof *s->force);
  s->stem = calloc(cells, sizeof *s->stem);
  s->band = calloc((size_t)s->shown_bands * COLUMNS + 1, sizeof *s->band);
  const bool valued = !evaluates || dls_values_create(system, &s->values) == DLS_OK;
  if (s->now && s->last && s->curve && s->force && s->stem && s->band && valued && make_phases(s))
    return s;
  sketch_free(s);
  return NULL;
}

// ---- columns ------------------------------------------------------------------------------------

static glimpse joined(const glimpse *a, const glimpse *b)
{
  if (!a->used) return *b;
  glimpse g = *a;
  if (!b->used) return g;
  g.last = b->last;
  if (b->least.value < g.least.value) g.least = b->least;
  if (b->most.value > g.most.value) g.most = b->most;
  return g;
}

static void join_curve(glimpse *g)
{
  static const glimpse none = {0};
  for (int i = 0; i < COLUMNS; i++)
    g[i] = i < COLUMNS / 2 ? joined(&g[2 * i], &g[2 * i + 1]) : none;
}

static void join_channel(sketch *s, int k)
{
  const size_t at = (size_t)k * COLUMNS;
  double *force = s->force + at;
  stem *p = s->stem + at;
  static const stem none = {0};
  if (is_curve(&s->choice->channel[k])) {
    join_curve(s->curve + at);
    return;
  }
  for (int i = 0; i < COLUMNS; i++) {
    const bool low = i < COLUMNS / 2;
    force[i] = low ? force[2 * i] + force[2 * i + 1] : 0;
    p[i] = !low ? none : fabs(p[2 * i].value) >= fabs(p[2 * i + 1].value) ? p[2 * i] : p[2 * i + 1];
  }
}

static void join_columns(sketch *s)
{
  for (int k = 0; k < s->choice->channels; k++) join_channel(s, k);
  for (int k = 0; k < s->shown_bands; k++) {
    band_piece *band = s->band + (size_t)k * COLUMNS;
    for (int i = 0; i < COLUMNS / 2; i++) {
      const bool second = 2 * i + 1 < s->used;
      band[i] = (band_piece){.status = band[second ? 2 * i + 1 : 2 * i].status,
                             .impact = band[2 * i].impact || (second && band[2 * i + 1].impact)};
    }
    for (int i = COLUMNS / 2; i < COLUMNS; i++) band[i] = (band_piece){0};
  }
  s->used = (s->used + 1) / 2;
  s->width *= 2;
}

static int column_of(sketch *s, double t)
{
  while (!((t - s->begin) / s->width < COLUMNS)) join_columns(s);
  const double at = (t - s->begin) / s->width;
  const int column = at > 0 ? (int)at : 0;
  if (column >= s->used) s->used = column + 1;
  return column;
}

// ---- rows ---------------------------------------------------------------------------------------

static void add_mark(sketch *s, glimpse *curve, int column, double t, double value)
{
  const mark at = {.t = t, .value = value, .number = s->number};
  glimpse g = {.used = true, .first = at, .least = at, .most = at, .last = at};
  if (isfinite(value)) curve[column] = joined(&curve[column], &g);
}

// The impulse of the time from `from` to `to`, evenly; all at once where that is one column.
static void add_impulse(sketch *s, double *force, double from, double to, double impulse)
{
  const int last = column_of(s, to), first = column_of(s, from);
  if (first == last || !(to > from)) {
    force[last] += impulse;
    return;
  }
  for (int i = first; i <= last; i++) {
    const double low = fmax(from, s->begin + i * s->width);
    const double high = fmin(to, s->begin + (i + 1) * s->width);
    force[i] += impulse * fmax(0, high - low) / (to - from);
  }
}

// A percussion, in a row that takes no time or in a step with an impact, is no force.
static void add_contact_channel(sketch *s, int k, const dls_sample *row, double from, bool jump)
{
  const channel *c = &s->choice->channel[k];
  const size_t at = (size_t)k * COLUMNS;
  const double impulse = row->impulse[c->index];
  const bool percussion = !(row->t > from) || (jump && row->status[c->contact] == DLS_IMPACTING);
  if (impulse == 0 || percussion != (c->kind == CHANNEL_IMPULSE)) return;
  if (!percussion) {
    add_impulse(s, s->force + at, from, row->t, impulse);
    return;
  }
  stem *p = s->stem + at + column_of(s, row->t);
  if (fabs(impulse) > fabs(p->value)) *p = (stem){row->t, impulse};
}

// What a contact did in the time since the row before.
static void add_status(sketch *s, int k, double from, double to, unsigned char status)
{
  band_piece *band = s->band + (size_t)k * COLUMNS;
  const int last = column_of(s, to);
  int first = column_of(s, from);
  if (s->any && first < last) first++;
  s->closes[k] = s->closes[k] || (status != DLS_OPEN && status != DLS_SEPARATING);
  for (int i = first; i <= last; i++) {
    band[i].status = status;
    band[i].impact = band[i].impact || status == DLS_IMPACTING;
  }
}

static void add_phase_point(phase_points *p, double x, double y)
{
  if (!isfinite(x) || !isfinite(y) || ++p->skipped < p->stride) return;
  p->skipped = 0;
  if (p->count == PHASE_POINTS) {
    for (int i = 0; i < PHASE_POINTS / 2; i++) p->x[i] = p->x[2 * i], p->y[i] = p->y[2 * i];
    p->count = PHASE_POINTS / 2;
    p->stride *= 2;
  }
  p->x[p->count] = x, p->y[p->count++] = y;
}

// The numbers of the row.
static void evaluate(sketch *s, const dls_sample *row)
{
  const dls_system *system = s->system;
  double kinetic = (double)NAN, potential = (double)NAN;
  bool energies = false, known = false;
  for (int k = 0; k < s->choice->channels; k++)
    energies = energies || s->choice->channel[k].kind == CHANNEL_ENERGY;
  if (energies &&
      system->energy(system->self, row->t, row->q, row->v, &kinetic, &potential, NULL) != DLS_OK)
    kinetic = potential = (double)NAN;
  if (s->values)
    known = system->evaluate(system->self, row->t, row->q, row->v, s->values, NULL, NULL) == DLS_OK;
  for (int k = 0; k < s->choice->channels; k++) {
    const channel *c = &s->choice->channel[k];
    double x = (double)NAN;
    switch (c->kind) {
    case CHANNEL_COORDINATE: x = row->q[c->index]; break;
    case CHANNEL_VELOCITY: x = row->v[c->index]; break;
    case CHANNEL_OUTPUT: x = c->index < row->outputs ? row->output[c->index] : x; break;
    case CHANNEL_ENERGY:
      x = c->index == 0 ? kinetic : c->index == 1 ? potential : kinetic + potential;
      break;
    case CHANNEL_GAP: x = known ? s->values->h[c->index] : x; break;
    case CHANNEL_RATE: x = known ? s->values->h_dot[c->index] : x; break;
    case CHANNEL_SLIP: x = known ? s->values->slip[c->index] : x; break;
    case CHANNEL_FORCE:
    case CHANNEL_IMPULSE: break;
    }
    s->now[k] = x;
  }
}

// Velocities and what follows from them jump; coordinates do not.
static bool may_jump(const channel *c)
{
  return is_curve(c) && c->kind != CHANNEL_COORDINATE && c->kind != CHANNEL_GAP;
}

void sketch_row(sketch *s, const dls_sample *row, bool jump)
{
  const double from = s->any ? s->t : row->t;
  const int channels = s->choice->channels;
  (void)column_of(s, row->t);  // once for all: columns do not change below
  const int column = column_of(s, row->t);
  evaluate(s, row);
  for (int k = 0; k < channels; k++)
    if (jump && s->any && may_jump(&s->choice->channel[k]))
      add_mark(s, s->curve + (size_t)k * COLUMNS, column, row->t, s->last[k]);
  s->number++;
  for (int k = 0; k < channels; k++) {
    const channel *c = &s->choice->channel[k];
    if (is_curve(c)) add_mark(s, s->curve + (size_t)k * COLUMNS, column, row->t, s->now[k]);
    else if (s->any) add_contact_channel(s, k, row, from, jump);
    s->last[k] = s->now[k];
  }
  s->number++;
  for (int i = 0; i < s->choice->phases; i++)
    add_phase_point(&s->phase[i], s->now[s->choice->phase[i].x], s->now[s->choice->phase[i].y]);
  for (int k = 0; k < s->shown_bands; k++)
    add_status(s, k, from, row->t, row->status[s->band_of[k]]);
  s->t = row->t;
  s->any = true;
}
