// A motion in columns of time. See simulate_sketch.h.
#include "simulate_sketch.h"

#include <math.h>
#include <stdlib.h>

void sketch_free(sketch *s)
{
  if (!s) return;
  free(s->q);
  free(s->v);
  free(s->force);
  free(s->band);
  free(s);
}

// A joint without friction does nothing but hold.
static bool only_holds(const dls_contact_info *contact)
{
  return contact->kind == DLS_BILATERAL && contact->tangents == 0;
}

// The impulses of as many contacts as there is room for: first those of contacts that can do
// something, then those of joints.
static void choose_contacts(sketch *s)
{
  const dls_system *system = s->system;
  for (int joints = 0; joints < 2; joints++) {
    int entry = 0;
    for (int j = 0; j < system->m; j++) {
      const int count = 1 + system->contacts[j].tangents;
      const bool joint = only_holds(&system->contacts[j]);
      for (int k = 0; k < count && joint == joints && s->shown_impulses + count - k <= CURVES;
           k++) {
        s->impulse[s->shown_impulses] = entry + k;
        s->contact[s->shown_impulses++] = j;
      }
      entry += count;
      if (joint || joints) continue;
      if (s->bands < BANDS) s->band_of[s->shown_bands++] = j;
      s->bands++;
    }
  }
}

sketch *sketch_create(const dls_system *system, double t, double high)
{
  static const double finest = 1048576;  // the columns begin so much narrower than they may become
  const size_t cells = (size_t)CURVES * COLUMNS;
  sketch *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->system = system;
  s->begin = t;
  s->width = fmax((high - t) / COLUMNS / finest, 1e-300);
  s->shown_q = system->n < MOTIONS ? system->n : MOTIONS;
  choose_contacts(s);
  s->q = calloc(cells, sizeof *s->q);
  s->v = calloc(cells, sizeof *s->v);
  s->force = calloc(cells, sizeof *s->force);
  s->band = calloc((size_t)BANDS * COLUMNS, sizeof *s->band);
  if (s->q && s->v && s->force && s->band) return s;
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

static void join_columns(sketch *s)
{
  for (int k = 0; k < CURVES; k++) {
    double *force = s->force + (size_t)k * COLUMNS;
    join_curve(s->q + (size_t)k * COLUMNS);
    join_curve(s->v + (size_t)k * COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
      force[i] = i < COLUMNS / 2 ? force[2 * i] + force[2 * i + 1] : 0;
  }
  for (int k = 0; k < BANDS; k++) {
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
  curve[column] = joined(&curve[column], &g);
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

// What a contact did in the time since the row before.
static void add_status(sketch *s, band_piece *band, double from, double to, unsigned char status)
{
  const int last = column_of(s, to);
  int first = column_of(s, from);
  if (s->any && first < last) first++;
  for (int i = first; i <= last; i++) {
    band[i].status = status;
    band[i].impact = band[i].impact || status == DLS_IMPACTING;
  }
}

void sketch_row(sketch *s, const dls_sample *row, bool jump)
{
  const double from = s->any ? s->t : row->t;
  (void)column_of(s, row->t);  // once for all: columns do not change below
  const int column = column_of(s, row->t);
  for (int k = 0; k < s->shown_q; k++) {
    glimpse *v = s->v + (size_t)k * COLUMNS;
    add_mark(s, s->q + (size_t)k * COLUMNS, column, row->t, row->q[k]);
    if (jump && s->any) add_mark(s, v, column, row->t, s->last_v[k]);
  }
  s->number++;
  for (int k = 0; k < s->shown_q; k++) {
    add_mark(s, s->v + (size_t)k * COLUMNS, column, row->t, row->v[k]);
    s->last_v[k] = row->v[k];
  }
  s->number++;
  for (int k = 0; k < s->shown_impulses && s->any; k++)
    add_impulse(s, s->force + (size_t)k * COLUMNS, from, row->t, row->impulse[s->impulse[k]]);
  for (int k = 0; k < s->shown_bands; k++)
    add_status(s, s->band + (size_t)k * COLUMNS, from, row->t, row->status[s->band_of[k]]);
  s->t = row->t;
  s->any = true;
}
