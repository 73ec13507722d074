#include "view_rows.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_LEAST = 100, NUMBERS_MOST = 1 << 24 };

bool view_rows_create(view_rows *r, const dls_system *system, bool located)
{
  const int nq = dls_system_nq(system);
  int capacity = NUMBERS_MOST / (nq + system->n + 1);
  if (capacity > VIEW_FRAMES) capacity = VIEW_FRAMES;
  if (capacity < ROWS_LEAST) capacity = ROWS_LEAST;
  *r = (view_rows){.system = system,
                   .nq = nq,
                   .n = system->n,
                   .located = located,
                   .capacity = capacity,
                   .every = 1};
  r->row = calloc((size_t)capacity + 1, sizeof(view_row *));
  r->change = calloc(VIEW_CHANGES_MOST, sizeof *r->change);
  r->failed = !r->row || !r->change;
  return !r->failed;
}

void view_rows_free(view_rows *r)
{
  bool kept = false;
  for (int k = 0; r->row && k <= r->capacity; k++) {
    kept = kept || r->row[k] == r->before;
    free(r->row[k]);
  }
  if (!kept) free(r->before);
  free(r->row);
  free(r->change);
  *r = (view_rows){0};
}

int view_rows_count(const view_rows *r)
{
  return r->count + (r->met > 0 && (r->met - 1) % r->every != 0);
}

// One block: the row, its numbers, its bytes.
static view_row *copy_row(const view_rows *r, const dls_sample *s, bool jump)
{
  const size_t nq = (size_t)r->nq, n = (size_t)r->n, m = (size_t)s->m, f = (size_t)s->impulses;
  view_row *row = calloc(1, sizeof *row + (nq + n + 2 * f) * sizeof(double) + m * sizeof(uint64_t) +
                                (m + 1) * sizeof(int) + 2 * m);
  if (!row) return NULL;
  *row = (view_row){.t = s->t, .m = s->m, .impulses = s->impulses, .jump = jump};
  row->q = (double *)(row + 1), row->v = row->q + nq, row->impulse = row->v + n;
  row->value = row->impulse + f;
  void *ids = row->value + f;
  row->id = ids;
  int *first = (int *)(row->id + m);
  row->status = (unsigned char *)(first + m + 1), row->struck = row->status + m;
  memcpy(row->q, s->q, nq * sizeof(double));
  memcpy(row->v, s->v, n * sizeof(double));
  if (f > 0) memcpy(row->impulse, s->impulse, f * sizeof(double));
  if (m > 0) memcpy(row->status, s->status, m);
  if (s->first) row->first = memcpy(first, s->first, (m + 1) * sizeof(int));
  if (m > 0 && s->id) memcpy(row->id, s->id, m * sizeof(uint64_t));
  return row;
}

// ---- events -------------------------------------------------------------------------------------

static bool closed(int status)
{
  return status == DLS_SLIDING || status == DLS_STICKING;
}

static void note(view_rows *r, double t, dls_event_kind kind, int contact, uint64_t id)
{
  r->all_changes++;
  if (r->changes == VIEW_CHANGES_MOST) return;
  r->change[r->changes++] = (view_change){.t = t, .kind = kind, .contact = contact, .id = id};
}

static void compare(view_rows *r, double t, int contact, uint64_t id, int was, unsigned char *now)
{
  if (!r->located && closed(was) && *now == DLS_IMPACTING) *now = (unsigned char)was;
  const int is = *now;
  if (is == DLS_IMPACTING && was != DLS_IMPACTING) note(r, t, DLS_EVENT_IMPACT, contact, id);
  else if (closed(is) && (was == DLS_OPEN || was == DLS_SEPARATING))
    note(r, t, DLS_EVENT_TOUCH, contact, id);
  else if (closed(was) && (is == DLS_OPEN || is == DLS_SEPARATING))
    note(r, t, DLS_EVENT_TAKE_OFF, contact, id);
  else if (was == DLS_SLIDING && is == DLS_STICKING) note(r, t, DLS_EVENT_STICK, contact, id);
  else if (was == DLS_STICKING && is == DLS_SLIDING) note(r, t, DLS_EVENT_SLIP, contact, id);
}

// Where the values of a contact begin, given where those of the one before do, and how many.
static int values_of(const view_rows *r, const view_row *row, int contact)
{
  return 1 + (row->first ? row->first[contact + 1] - row->first[contact]
                         : r->system->contacts[contact].tangents);
}

// Mean forces of the time since the row before. A row that takes no time has the percussions of an
// event, and of other contacts the forces as they were: a jump is no time without forces.
static void find_forces(view_rows *r, const view_row *before, view_row *row)
{
  int from = 0, i = 0, entry = 0;
  for (int j = 0; j < row->m; j++) {
    const int count = values_of(r, row, j);
    if (entry + count > row->impulses) return;
    for (; before && i < before->m && before->id[i] < row->id[j]; i++)
      from += values_of(r, before, i);
    const bool there = before && i < before->m && before->id[i] == row->id[j];
    const bool impact = row->status[j] == DLS_IMPACTING;
    row->struck[j] = impact && (row->time == 0 || row->jump);
    for (int k = 0; k < count; k++) {
      const double was =
          there && !before->struck[i] && from + k < before->impulses ? before->value[from + k] : 0;
      const double mean = row->time > 0 ? row->impulse[entry + k] / row->time : was;
      row->value[entry + k] = row->struck[j] ? row->impulse[entry + k] : mean;
    }
    if (there) from += values_of(r, before, i), i++;
    entry += count;
  }
}

// Contacts without an identity are always there, and come first; identities increase.
static void compare_rows(view_rows *r, const view_row *a, view_row *b)
{
  int i = 0, j = 0;
  while (i < a->m || j < b->m) {
    const uint64_t x = i < a->m ? a->id[i] : UINT64_MAX, y = j < b->m ? b->id[j] : UINT64_MAX;
    if (x == y && i < a->m && j < b->m) {
      compare(r, b->t, j, y, a->status[i], &b->status[j]);
      i++, j++;
    } else if (j == b->m || (i < a->m && x < y)) {
      unsigned char gone = DLS_OPEN;
      compare(r, b->t, i, x, a->status[i], &gone);
      i++;
    } else {
      compare(r, b->t, j, y, DLS_OPEN, &b->status[j]);
      j++;
    }
  }
}

// ---- rows ---------------------------------------------------------------------------------------

static void thin_out(view_rows *r)
{
  for (int k = 1; k < r->count; k += 2) {
    if (r->row[k] != r->before) free(r->row[k]);
    r->row[k] = NULL;
  }
  for (int k = 1; 2 * k < r->count; k++) {
    r->row[k] = r->row[2 * k];
    r->row[2 * k] = NULL;
  }
  r->count = (r->count + 1) / 2;
  r->every *= 2;
}

void view_rows_add(view_rows *r, const dls_sample *sample, bool jump)
{
  // which contacts it is about is not told
  if (r->system->find && !sample->id && sample->m > 0) return;
  view_row *row = r->failed ? NULL : copy_row(r, sample, jump), *before = r->before;
  if (!row) {
    r->failed = true;
    return;
  }
  if (before) {
    row->time = row->t > before->t ? row->t - before->t : 0;
    compare_rows(r, before, row);
  }
  find_forces(r, before, row);
  const bool was_kept = r->met > 0 && (r->met - 1) % r->every == 0;
  if (before && !was_kept) {  // it stood behind those that are kept
    r->row[r->count] = NULL;
    free(before);
  }
  r->before = row;
  if (r->met % r->every == 0 && r->count == r->capacity) thin_out(r);
  if (r->met % r->every == 0) r->row[r->count++] = row;
  else r->row[r->count] = row;
  r->met++;
}
