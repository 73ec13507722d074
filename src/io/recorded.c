// Reading recordings: every row is as it was written, and behind the one that it was written
// behind.
#include "io/recording.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/file.h"

#include <delassus/model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = (size_t)1 << 32;

static dls_status no_memory(dls_message *message)
{
  return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
}

// Finite, a step that is not negative, and known statuses.
static bool row_is_valid(const dls_row *row)
{
  const ptrdiff_t count = dls_row_numbers(&row->shape);
  for (ptrdiff_t i = 0; i < count; i++)
    if (!isfinite(row->numbers[i])) return false;
  for (int i = 0; i < row->shape.m; i++)
    if (row->status[i] > DLS_STICKING) return false;
  return row->numbers[1 + row->shape.nq + row->shape.n + row->shape.impulses] >= 0;
}

void dls_recorded_free(dls_recorded *r)
{
  if (!r) return;
  dls_recording_head_free(&r->head);
  free(r->rows.begin);
  free(r->row.numbers);
  free(r->row.status);
  free(r->row.id);
  free(r->row.first);
  free(r->line);
  free(r->bytes);
  free(r->path);
  free(r);
}

uint64_t dls_recorded_begin(const dls_recorded *r, long index)
{
  if (r->rows.begin) return r->rows.begin[index];
  return r->head.bytes.length + (uint64_t)index * r->form->row_max(&r->shape);
}

// Every row is as it was written, and behind the one that it was written behind.
static dls_status check_rows(dls_recorded *r, dls_message *message)
{
  uint64_t before = r->check, found = 0;
  for (long k = 0; k < r->rows.count; k++) {
    const char *row = r->bytes + dls_recorded_begin(r, k);
    const size_t size = (size_t)(dls_recorded_begin(r, k + 1) - dls_recorded_begin(r, k));
    const size_t covered = r->form->check(row, size, &found);
    before = dls_row_check(before, row, covered);
    if (covered == 0 || found != before)
      return dls_fail(message, DLS_ERR_FILE,
                      "%.400s: row %ld is not as it was written, by its check; the rows before it "
                      "are",
                      r->path, k + 1);
  }
  return DLS_OK;
}

// For a row of its shape. Only contacts that come and go have identities.
static bool make_room(dls_row *row)
{
  const dls_row_shape *s = &row->shape;
  void *numbers = row->numbers, *status = row->status, *id = row->id, *first = row->first;
  const int failed =
      dls_grow(&numbers, &row->room[0], dls_row_numbers(s), sizeof *row->numbers) ||
      dls_grow(&status, &row->room[1], (ptrdiff_t)s->m + 1, 1) ||
      (s->found && (dls_grow(&id, &row->room[2], (ptrdiff_t)s->m + 1, sizeof *row->id) ||
                    dls_grow(&first, &row->room[3], (ptrdiff_t)s->m + 1, sizeof *row->first)));
  row->numbers = numbers, row->status = status, row->id = id, row->first = first;
  return !failed;
}

static dls_status recorded_read(dls_recorded *r, const dls_recording_about *about,
                                dls_message *message)
{
  size_t size = 0;
  r->row.shape = r->shape;
  r->check = dls_about_check(about);
  if (!r->path || !make_room(&r->row)) return no_memory(message);
  dls_status status = r->form->head(about, &r->shape, &r->head, message);
  if (status == DLS_OK) status = dls_file_read(r->path, LARGEST_FILE, &r->bytes, &size, message);
  if (status == DLS_OK)
    status = r->form->find(r->path, r->bytes, size, about, &r->shape, &r->head, &r->rows, message);
  return status == DLS_OK ? check_rows(r, message) : status;
}

dls_status dls_recorded_open(const char *path, const dls_recording_about *about, dls_recorded **out,
                             dls_message *message)
{
  dls_status status;
  dls_row_shape shape;
  if (!out) return DLS_ERR_ARGUMENT;
  *out = NULL;
  const dls_recording_form *form = dls_recording_choose(path, about, &shape, &status, message);
  if (!form) return status;
  dls_recorded *r = dls_alloc(1, sizeof *r);
  if (!r) return no_memory(message);
  *r = (dls_recorded){.form = form, .shape = shape, .path = dls_recording_path(path)};
  if (shape.bodies > 0) r->bodies = dls_model_bodies(about->system);
  r->system = about->system;
  status = recorded_read(r, about, message);
  if (status == DLS_OK) *out = r;
  else dls_recorded_free(r);
  return status;
}

long dls_recorded_count(const dls_recorded *r)
{
  return r->rows.count;
}

dls_status dls_recorded_row(dls_recorded *r, long index, dls_sample *row, dls_message *message)
{
  if (index < 0 || index >= r->rows.count)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the recording has no row %ld", index);
  const uint64_t begin = dls_recorded_begin(r, index);
  const size_t size = (size_t)(dls_recorded_begin(r, index + 1) - begin);
  void *line = r->line;
  if (dls_grow(&line, &r->line_size, (ptrdiff_t)size, 1)) return no_memory(message);
  r->line = line;
  memcpy(r->line, r->bytes + begin, size);
  uint64_t check;
  const size_t numbers = r->form->check(r->line, size, &check);
  if (r->form->measure && r->form->measure(r->line, size, &r->row.shape) != size)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: row %ld is damaged", r->path, index + 1);
  if (!make_room(&r->row)) return no_memory(message);
  if (!r->form->read(r->line, numbers, &r->row) || !row_is_valid(&r->row))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: row %ld is damaged", r->path, index + 1);
  const double *x = r->row.numbers;
  const dls_row_shape *s = &r->row.shape;
  *row = (dls_sample){.t = x[0],
                      .next_step = x[1 + s->nq + s->n + s->impulses],
                      .nq = s->nq,
                      .n = s->n,
                      .m = s->m,
                      .q = x + 1,
                      .v = x + 1 + s->nq,
                      .impulses = s->impulses,
                      .impulse = x + 1 + s->nq + s->n,
                      .status = r->row.status,
                      .scheme_state_size = s->scheme_state_size,
                      .scheme_state = x + 2 + s->nq + s->n + s->impulses,
                      .first = r->form->measure ? r->row.first : NULL,
                      .id = r->form->measure ? r->row.id : NULL};
  return DLS_OK;
}
